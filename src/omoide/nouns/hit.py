"""What recall gives: hits, and how each search ranked them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Arm
from omoide.nouns.record import Listed, Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import one_line
from omoide.nouns.turn import Turn

# how degraded begins where a large memory is still being read from the database
LOADING = "loading: "


@frozen_record
class ArmRank(Record):
    """How one arm ranked a hit: its place from 1, raw score and share of the fused score."""

    arm: Arm
    rank: int
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Feature(Record):
    """A feature that decided a hit's place: the points it adds, more or less than in the first ten
    hits on average.
    """

    name: str
    points: float


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """Which stretch of a long text a hit shows: characters from start up to end of total ones."""

    start: int
    end: int
    total: int


@frozen_record
class Hit(Record):
    """A recalled record. score is from 0 to 1; higher is better.

    Of a long text a hit shows a passage, as its text and in its item or turn; ``get(id)`` gives the
    whole. similar names the hits beside it that it is linked to: the newer was added beside the
    older, and both hold. pasted: the user copied what it shows from elsewhere.
    """

    kind: Kind
    id: str
    text: str
    score: float
    at: datetime
    item: Item | None = None
    turn: Turn | None = None
    arms: tuple[ArmRank, ...] = ()
    features: tuple[Feature, ...] = ()  # the three that decided most
    tokens: int = 0
    similar: tuple[str, ...] = ()
    passage: Passage | None = None  # None: the whole text is shown
    pasted: bool = False

    def __str__(self) -> str:
        marks = ", pasted" * self.pasted + ", unconfirmed" * self.unconfirmed
        return f"{one_line(self.text)} ({self.kind}{marks}, {self.score:.2f}, {self.id})"

    @property
    def unconfirmed(self) -> bool:
        """Whether it is an unconfirmed item: such hits come after those that answer as well."""
        return self.item is not None and self.item.is_unconfirmed


@frozen_record
class Step(Record):
    """One step of a recall: what it did, how many candidates it left, how long it took."""

    name: str
    count: int
    ms: float
    note: str = ""


@frozen_record
class Recall(Listed[Hit]):
    """The answer to a query, best hit first: ``for hit in recall``, ``recall[0]``, ``if recall``.

    answerable is from 0 to 1: how sure it is that an answer is held at all. degraded names what did
    not take part, such as ``vector: 12 documents wait for their vectors``.
    """

    hits: tuple[Hit, ...]
    answerable: float
    trace: tuple[Step, ...] = ()
    degraded: tuple[str, ...] = ()

    @property
    def _listed(self) -> tuple[Hit, ...]:
        return self.hits

    def __str__(self) -> str:
        numbered = [f"{number}. {hit}" for number, hit in enumerate(self.hits, start=1)]
        return "\n".join((*(numbered or ["no hits"]), *(f"note: {note}" for note in self.degraded)))
