"""A round of upkeep: what keeps memory in order, in one order, each part of it able to stop and go on another time.

First the vectors that are missing, since the rest looks for what is near; then decay, reconciling, distilling, and pruning last,
so that nothing is pruned that was not learnt from. What a round changes is on the ledger, with the round's id as its cause.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from omoide.clock import Clock
from omoide.errors import UnknownName
from omoide.records import Because
from omoide.store.base import Store
from omoide.tables.ledger import Ledger
from omoide.upkeep.decay import decay

UPKEEP = "upkeep"  # who acts


class Chore(StrEnum):
    """The parts of a round, in their order."""

    VECTORS = "vectors"
    DECAY = "decay"


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """What came of a chore: counts by name, and what it waits for where it could not do all."""

    chore: Chore
    counts: Mapping[str, int] = field(default_factory=dict)
    waits: str = ""

    @property
    def changed(self) -> bool:
        """Whether there is something that undo could take back."""
        return self.chore is not Chore.VECTORS and any(self.counts.values())

    def __add__(self, other: Done) -> Done:
        names = dict.fromkeys((*self.counts, *other.counts))
        counts = {name: self.counts.get(name, 0) + other.counts.get(name, 0) for name in names}
        return Done(chore=self.chore, counts=counts, waits=self.waits or other.waits)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tidied:
    """What a round did, chore by chore. undo takes back what it changed of the asker's by its id."""

    id: str
    chores: tuple[Done, ...] = ()

    @property
    def vectors(self) -> int:
        """How many vectors were made."""
        return self.count(Chore.VECTORS, "made")

    def count(self, chore: Chore, name: str) -> int:
        """One of the counts of a chore; 0 where there is none."""
        return sum(done.counts.get(name, 0) for done in self.chores if done.chore is chore)


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """A round under way in one tenant."""

    tenant: str
    because: Because
    stop: Callable[[], bool]


Work: TypeAlias = Callable[[Round], Done]


def never() -> bool:
    """Nothing is to stop."""
    return False


class Rounds:
    """Does rounds over a store: all of it, or a tenant at a time. ``vectors`` makes all that are missing; how many."""

    def __init__(self, store: Store, clock: Clock, vectors: Callable[[], int]) -> None:
        self._store, self._clock, self._vectors = store, clock, vectors
        self._chores: Mapping[Chore, Work] = {Chore.DECAY: self._decay}

    def tidy(self, only: Collection[str] | None = None, stop: Callable[[], bool] = never) -> Tidied:
        """A round over every tenant; with only, of these chores alone.

        Raises:
            UnknownName: no such chore.
            ModelError: a model failed; what was done stays, and the rest is done another time.
        """
        wanted, id = chores_of(only), self._clock.new_id()
        with self._store.transaction(write=False) as tx:
            tenants = Ledger(tx).tenants()
        done: list[Done] = []
        if Chore.VECTORS in wanted:
            done.append(Done(chore=Chore.VECTORS, counts={"made": self._vectors()}))
        done += self._round(tenants, wanted, id, stop)
        return Tidied(id=id, chores=tuple(done))

    def _round(self, tenants: Sequence[str], wanted: Sequence[Chore], id: str, stop: Callable[[], bool]) -> list[Done]:
        done: list[Done] = []
        for chore, work in self._chores.items():
            sums = Done(chore=chore)
            for tenant in tenants if chore in wanted else ():
                if not stop():
                    sums += work(Round(tenant=tenant, because=Because(actor=UPKEEP, reason=chore.value, cause=id), stop=stop))
            done += [sums] if chore in wanted else []
        return done

    def _decay(self, at: Round) -> Done:
        return Done(chore=Chore.DECAY, counts={"less sure": decay(self._store, self._clock, at.tenant, at.because, at.stop)})


def chores_of(only: Collection[str] | None) -> tuple[Chore, ...]:
    """The chores named, in their order; with None all.

    Raises:
        UnknownName: one of them is none.
    """
    for name in only or ():
        if name not in tuple(Chore):
            raise UnknownName("chore", str(name), tuple(Chore))
    return tuple(chore for chore in Chore if only is None or chore in only)
