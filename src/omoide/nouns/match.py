"""What a search may see, what it finds, and what the index knows of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.item import Category
from omoide.nouns.kind import Kind
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope

Docs: TypeAlias = NDArray[np.int64]  # numbers of documents
DocPlaces: TypeAlias = NDArray[np.intp]  # where documents stand among others, ascending
Scores: TypeAlias = NDArray[np.float64]

# marks that may stand, in this order, before the words around a document; no word is like them
ASKS, ASSISTANT = "?", "!"


@frozen_record
class Where:
    """Which documents a search may see. Bound as columns, never joined into text."""

    scope: Scope
    # None: now, and no earlier than anything was recorded, whoever's clock was ahead
    as_of: datetime | None
    known_at: datetime | None  # None: all that is recorded is known
    now: datetime
    kinds: frozenset[Kind] = frozenset({Kind.ITEM, Kind.TURN})
    categories: frozenset[Category] | None = None
    contexts: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None  # exclusive
    include_sensitive: bool = False
    include_muted: bool = False
    confirmed_only: bool = False
    without_session: str | None = None
    # levels, user, agent or shared, of which is seen only what the scope's session holds
    off: frozenset[str] = frozenset()
    only: frozenset[int] | None = None  # documents that passed the other filters


class Signs(NamedTuple):
    """What the index knows of a document besides how well a search finds it.

    The last four are of the words asked for, and unset where none were.
    """

    session: str = ""  # of a turn
    words: int = 0
    position: int = 0  # of a turn in its session
    run: int = 0  # turns of its session that stand together with it, itself too; at most 3
    asks: bool = False  # it holds a question
    after_question: bool = False  # the turn before it does
    assistant: bool = False  # an assistant speaks
    assisted: bool = False  # an assistant speaks in it, right before it or right after
    own: float = 0.0  # its score by its own words alone
    # of the words asked for, weighted: what stands in it or around it; half of what only the turn
    # after it holds; 0 to 1
    share: float = 0.0
    spoken: bool = False  # one of them names its speaker or its day
    # one that names the speaker or the day of any turn is in its own words
    named: bool = False


class Match(NamedTuple):
    """One document a search found. Higher scores are better; the scale is the search's own."""

    doc: int
    kind: Kind
    ref: str
    part: int
    score: float
    signs: Signs = Signs()


@dataclass(frozen=True, slots=True, eq=False)
class SignColumns:
    """The signs of several documents, column by column."""

    sessions: NDArray[Any]  # of texts, shape (n,)
    # shape (11, n): a line for each other field of Signs, in their order; truth is 1
    numbers: NDArray[np.float32]

    @classmethod
    def unset(cls, count: int) -> SignColumns:
        """Of so many documents that nothing is known of."""
        return cls(
            np.full(count, "", object), np.zeros((len(Signs._fields) - 1, count), np.float32)
        )

    def __getitem__(self, places: Any) -> SignColumns:
        """Those at some places."""
        return SignColumns(self.sessions[places], self.numbers[:, places])

    def followed_by(self, others: SignColumns) -> SignColumns:
        """With others behind them."""
        return SignColumns(
            np.concatenate([self.sessions, others.sessions]),
            np.concatenate([self.numbers, others.numbers], axis=1),
        )

    def __iter__(self) -> Iterator[Signs]:
        words, position, run, *others, own, share, spoken, named = self.numbers.tolist()
        counts = (map(int, words), map(int, position), map(int, run))
        flags = [map(bool, line) for line in (*others, spoken, named)]
        return map(Signs, self.sessions.tolist(), *counts, *flags[:-2], own, share, *flags[-2:])


# what is known of documents at some places
Tell: TypeAlias = Callable[[DocPlaces], SignColumns]


@dataclass(frozen=True, slots=True, eq=False)
class Matches(Sequence[Match]):
    """What a search found, best first, in columns; each becomes a Match when it is looked at."""

    docs: Docs
    scores: Scores
    tell: Tell
    names: Callable[[], Sequence[tuple[Kind, str, int]]]  # kind, ref and part of each
    waiting: int = 0  # documents of the asker's that have no vector yet, which this search needs
    loading: str = ""  # why something may be missing: not all documents are in memory yet

    @classmethod
    def none(cls) -> Matches:
        """Of a search that found nothing."""
        return cls(np.empty(0, np.int64), np.empty(0), lambda at: SignColumns.unset(len(at)), tuple)

    @property
    def signs(self) -> SignColumns:
        """What is known of each, looked up when it is asked for."""
        return self.tell(np.arange(len(self)))

    def __len__(self) -> int:
        return len(self.docs)

    def __iter__(self) -> Iterator[Match]:
        found = zip(self.docs.tolist(), self.names(), self.scores.tolist(), self.signs, strict=True)
        return (
            Match(doc, kind, ref, part, score, signs)
            for doc, (kind, ref, part), score, signs in found
        )

    @overload
    def __getitem__(self, place: int) -> Match: ...
    @overload
    def __getitem__(self, place: slice) -> list[Match]: ...
    def __getitem__(self, place: int | slice) -> Match | list[Match]:
        return list(self)[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
