"""Rounds of upkeep: what keeps memory in order, in one order, each part of it able to stop and to
go on another time.

What a round changes is on the ledger, with the round's id as its cause, so that undo takes it back.
What needs a language model waits where there is none, as a job that is done once when one comes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from omoide.faculties.procedures.lessons import Practice
from omoide.faculties.procedures.successes import recipes_of_late
from omoide.faculties.reflection.condensation import Condenser
from omoide.jobs.queue import Handler, Stop, Stopped, never
from omoide.jobs.recurring import come
from omoide.learning.capture import Capture
from omoide.nouns.change import Because
from omoide.nouns.chore import UPKEEP, Chore, Done, Round, Tidied, chores_of
from omoide.nouns.errors import ModelError
from omoide.nouns.record.frozen import frozen_record
from omoide.store.base import Transaction, committed, read_only
from omoide.tables.jobs import ANALYSE_JOB, DISTIL_JOB, RECONCILE_JOB, UPKEEP_JOB, Job, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.tools import ToolCalls
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by
from omoide.upkeep.decay import decay
from omoide.upkeep.distil import Distiller
from omoide.upkeep.reconcile import Reconciler
from omoide.upkeep.retention import Pruner

Work: TypeAlias = Callable[[Round], Done]
# and the job by which it is done once there is one
NEEDS_MODEL = {Chore.RECONCILE: RECONCILE_JOB, Chore.DISTIL: DISTIL_JOB}

_log = get_logger(__name__)


@frozen_record
class Background:
    """What jobs are done in: it makes vectors, all that are missing, and is told to stop."""

    vectors: Callable[[], int]
    stops: Stop


class Rounds:
    """Does rounds over a store: all of it by hand, a tenant at a time as a job, or what waited for
    a model.
    """

    def __init__(self, practice: Practice, capture: Capture, background: Background) -> None:
        store, clock, teaching, encoders = (
            practice.store,
            practice.clock,
            practice.teaching,
            practice.encoders,
        )
        self._store, self._clock, self._background = store, clock, background
        self._has_model = teaching.asker.is_on
        self._schedules = {UPKEEP_JOB: teaching.upkeep, ANALYSE_JOB: teaching.analyse}
        self._work: Mapping[Chore, Work] = {
            Chore.DECAY: self._decay,
            Chore.RECONCILE: Reconciler(store, clock, teaching, encoders),
            Chore.DISTIL: Distiller(store, clock, teaching, encoders, capture),
            Chore.CONDENSE: Condenser(store, clock, teaching),
            Chore.RECIPES: partial(recipes_of_late, practice),
            Chore.PRUNE: Pruner(store, clock, teaching.retention),
        }

    def tidy(self, only: Collection[str] | None = None, stop: Stop = never) -> Tidied:
        """A round over every tenant; with only, of these chores alone. A model that fails is named
        in what came of its chore.

        Raises:
            UnknownName: no such chore.
            ModelError: an embedder failed; nothing but vectors was made.
        """
        wanted = chores_of(only)
        with read_only(self._store, None) as tx:
            tenants = _tenants(tx)
        return self._tidy(tenants, wanted, stop)

    def handlers(self) -> dict[str, Handler]:
        """What does rounds that come by themselves, and where there is a model the chores that
        waited for one, by the kind of job.
        """
        waited = (
            {job: self._waited(chore) for chore, job in NEEDS_MODEL.items()}
            if self._has_model
            else {}
        )
        return {UPKEEP_JOB: self._job, **waited}

    def come(self, tenant: str) -> None:
        """Let rounds of a tenant, and looks at its usage, come as the settings say; where these say
        nothing, as they do.

        Raises:
            InvalidInput: a setting is no schedule.
        """
        come(self._store, self._clock, (tenant,), self._schedules)

    def come_to_all(self) -> None:
        """The same for every tenant, so that those that came since have them too."""
        with read_only(self._store, None) as tx:
            tenants = _tenants(tx)
        come(self._store, self._clock, tenants, self._schedules)

    def _tidy(self, tenants: Sequence[str], wanted: Collection[Chore], stop: Stop) -> Tidied:
        id = self._clock.new_id()
        done = (
            [Done(chore=Chore.VECTORS, counts={"made": self._background.vectors()})]
            if Chore.VECTORS in wanted
            else []
        )
        done += [self._over(tenants, chore, id, stop) for chore in self._work if chore in wanted]
        return Tidied(id=id, chores=tuple(done))

    def _over(self, tenants: Sequence[str], chore: Chore, id: str, stop: Stop) -> Done:
        sums = Done(chore=chore)
        for tenant in tenants:
            if not stop():
                sums += self._do(self._round(tenant, chore, id, stop), chore)
        return sums

    def _do(self, at: Round, chore: Chore) -> Done:
        try:
            with paid_by(at.tenant):
                done = self._work[chore](at)
        except ModelError as error:
            return Done(chore=chore, failed=type(error).__name__)
        if done.waits and chore in NEEDS_MODEL and not self._has_model:
            job = NEEDS_MODEL[chore]
            committed(
                self._store,
                lambda tx: Jobs(tx).add(
                    at.tenant, job, job, user="", args={}, run_at=self._clock.now()
                ),
                tenant=at.tenant,
            )
        return done

    def _round(self, tenant: str, chore: Chore, id: str, stop: Stop) -> Round:
        return Round(
            tenant=tenant, because=Because(actor=UPKEEP, reason=chore.value, cause=id), stop=stop
        )

    def _job(self, job: Job) -> None:
        """A round of one tenant; those of tenants that came since are let come too."""
        tidied = self._tidy([job.tenant], tuple(Chore), self._background.stops)
        if self._background.stops():
            raise Stopped
        _log.info(
            "upkeep",
            **{
                f"{one.chore.value} {name}": n
                for one in tidied.chores
                for name, n in one.counts.items()
            },
        )
        self.come_to_all()

    def _waited(self, chore: Chore) -> Handler:
        def handle(job: Job) -> None:
            self._work[chore](
                self._round(job.tenant, chore, self._clock.new_id(), self._background.stops)
            )
            if self._background.stops():
                raise Stopped

        return handle

    def _decay(self, at: Round) -> Done:
        return Done(
            chore=Chore.DECAY,
            counts={"less sure": decay(self._store, self._clock, at.tenant, at.because, at.stop)},
        )


def _tenants(tx: Transaction) -> list[str]:
    """Every tenant that anything is kept of: a call of a tool is in no ledger."""
    return sorted({*Ledger(tx).tenants(), *ToolCalls(tx).tenants()})
