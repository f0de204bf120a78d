"""What a round of upkeep consists of, and what is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from enum import StrEnum

from omoide.nouns.change import Because
from omoide.nouns.errors import UnknownName
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record

UPKEEP = "upkeep"  # who acts


class Chore(StrEnum):
    """The parts of a round, in their order: what looks for what is near comes after the vectors,
    what erases comes last.

    What is condensed is what was learnt before, by sessions that were distilled too. Recipes are
    made of calls that are not pruned yet.
    """

    VECTORS = "vectors"
    DECAY = "decay"
    RECONCILE = "reconcile"
    DISTIL = "distil"
    CONDENSE = "condense"
    RECIPES = "recipes"
    PRUNE = "prune"


@frozen_record
class Done(Record):
    """What came of a chore: counts by name; what waits, and for what; and why it could not do all,
    the error's name.
    """

    chore: Chore
    counts: Mapping[str, int] = field(default_factory=dict)
    waits: str = ""
    failed: str = ""

    def __str__(self) -> str:
        did = ", ".join(
            f"{count} {name.removesuffix('s') if count == 1 else name}"
            for name, count in self.counts.items()
            if count
        )
        waits = f"; {self.waits}" if self.waits else ""
        return f"{self.chore.value}: {did or 'nothing'}{waits}"

    @property
    def changed(self) -> bool:
        """Whether there is something that undo could take back."""
        return self.chore is not Chore.VECTORS and any(self.counts.values())

    def __add__(self, other: Done) -> Done:
        counts = Counter(self.counts)
        counts.update(other.counts)
        waits = "; ".join(filter(None, dict.fromkeys((self.waits, other.waits))))
        return Done(
            chore=self.chore, counts=dict(counts), waits=waits, failed=self.failed or other.failed
        )


@frozen_record
class Ran(Record):
    """Jobs that were run: how many were done, failed and wait for another try, or failed for good;
    how many of each kind; and the last error.
    """

    done: int = 0
    failed: int = 0
    dead: int = 0
    kinds: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


@frozen_record
class Tidied(Record):
    """What a round did, chore by chore. undo with its id takes back the asker's changes."""

    id: str
    chores: tuple[Done, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self.chores))

    @property
    def vectors(self) -> int:
        """How many vectors were made."""
        return self.count(Chore.VECTORS, "made")

    def count(self, chore: Chore | str, name: str) -> int:
        """One of the counts of a chore; 0 where there is none."""
        return sum(done.counts.get(name, 0) for done in self.chores if done.chore == chore)


@frozen_record
class Round:
    """A round under way in one tenant: who acts and in which round, and whether it is to stop."""

    tenant: str
    because: Because
    stop: Callable[[], bool]


def for_model(count: int, noun: str) -> str:
    """That so many things wait for a language model; empty for none."""
    some = f"1 {noun} waits" if count == 1 else f"{count} {noun}s wait"
    return f"{some} for a language model" if count else ""


def chores_of(only: Collection[str] | None) -> tuple[Chore, ...]:
    """The chores named, in their order; with None all.

    Raises:
        UnknownName: one of them is none.
    """
    for name in only or ():
        if name not in tuple(Chore):
            raise UnknownName("chore", str(name), tuple(Chore))
    return tuple(chore for chore in Chore if only is None or chore in only)
