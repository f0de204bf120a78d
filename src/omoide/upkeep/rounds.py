"""Rounds of upkeep: what keeps memory in order, in one order, each part of it able to stop and to go on another time.

What a round changes is on the ledger, with the round's id as its cause, so that undo takes it back. What needs a language
model waits where there is none, as a job that is done once when one comes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from omoide.calls import paid_by
from omoide.clock import Clock
from omoide.errors import ModelError
from omoide.models.encoders import Encoders
from omoide.records import Because
from omoide.store.base import Store
from omoide.tables.jobs import DISTIL_JOB, RECONCILE_JOB, Job, Jobs
from omoide.tables.ledger import Ledger
from omoide.upkeep.capture import Capture, Teaching
from omoide.upkeep.chores import UPKEEP, Chore, Done, Round, Tidied, chores_of
from omoide.upkeep.decay import decay
from omoide.upkeep.distil import Distiller
from omoide.upkeep.queue import Handler
from omoide.upkeep.reconcile import Reconciler
from omoide.upkeep.retain import Pruner

Work: TypeAlias = Callable[[Round], Done]
NEEDS_MODEL = {Chore.RECONCILE: RECONCILE_JOB, Chore.DISTIL: DISTIL_JOB}  # and the job by which it is done once there is one


def never() -> bool:
    """Nothing is to stop."""
    return False


class Rounds:
    """Does rounds over a store: all of it, or what waited for a model. ``vectors`` makes all that are missing; how many."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        teaching: Teaching,
        capture: Capture,
        encoders: Callable[[], Encoders],
        vectors: Callable[[], int],
    ) -> None:
        self._store, self._clock, self._vectors = store, clock, vectors
        self._has_model = teaching.asker.is_on
        self._work: Mapping[Chore, Work] = {
            Chore.DECAY: self._decay,
            Chore.RECONCILE: Reconciler(store, clock, teaching, encoders),
            Chore.DISTIL: Distiller(store, clock, teaching, encoders, capture),
            Chore.PRUNE: Pruner(store, clock, teaching.retention),
        }

    def tidy(self, only: Collection[str] | None = None, stop: Callable[[], bool] = never) -> Tidied:
        """A round over every tenant; with only, of these chores alone. A model that fails is named in what came of its chore.

        Raises:
            UnknownName: no such chore.
            ModelError: an embedder failed; nothing but vectors was made.
        """
        wanted, id = chores_of(only), self._clock.new_id()
        with self._store.transaction(write=False) as tx:
            tenants = Ledger(tx).tenants()
        done = [Done(chore=Chore.VECTORS, counts={"made": self._vectors()})] if Chore.VECTORS in wanted else []
        for chore in wanted:
            if chore in self._work:
                done.append(self._over(tenants, chore, id, stop))
        return Tidied(id=id, chores=tuple(done))

    def handlers(self) -> dict[str, Handler]:
        """What does the chores that waited for a model, by the kind of job that they waited as."""
        return {job: self._job(chore) for chore, job in NEEDS_MODEL.items()}

    def _over(self, tenants: Sequence[str], chore: Chore, id: str, stop: Callable[[], bool]) -> Done:
        sums = Done(chore=chore)
        for tenant in tenants:
            if stop():
                break
            try:
                with paid_by(tenant):
                    done = self._work[chore](self._round(tenant, chore, id, stop))
            except ModelError as error:
                done = Done(chore=chore, failed=type(error).__name__)
            if done.waits and chore in NEEDS_MODEL and not self._has_model:
                self._enqueue(tenant, chore)
            sums += done
        return sums

    def _round(self, tenant: str, chore: Chore, id: str, stop: Callable[[], bool]) -> Round:
        return Round(tenant=tenant, because=Because(actor=UPKEEP, reason=chore.value, cause=id), stop=stop)

    def _enqueue(self, tenant: str, chore: Chore) -> None:
        with self._store.transaction() as tx:
            Jobs(tx).add(tenant, NEEDS_MODEL[chore], NEEDS_MODEL[chore], user="", args={}, run_at=self._clock.now())

    def _job(self, chore: Chore) -> Handler:
        def handle(job: Job) -> None:
            self._work[chore](self._round(job.tenant, chore, self._clock.new_id(), never))

        return handle

    def _decay(self, at: Round) -> Done:
        return Done(chore=Chore.DECAY, counts={"less sure": decay(self._store, self._clock, at.tenant, at.because, at.stop)})
