"""Analysing usage: a model looks at how a user's tools were used and may propose facts, which wait
for a person's word.

It sees counts alone. What it proposes is added by nobody but who approves it, and never takes the
place of anything. It is a job that comes as its schedule says, and makes one of each user's by each
agent, so that one that fails stops no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from urllib.parse import quote

from omoide.grounding.claims import Flag
from omoide.jobs.queue import Effect
from omoide.learning.teaching import Teaching
from omoide.learning.tool_usage import as_item, material, read_findings, unfounded, usage_of
from omoide.models.chat.base import Purpose
from omoide.models.prompts import prompt
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.item import Item
from omoide.nouns.proposal import ProposalId
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.settings.switches import Use
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import Documents
from omoide.tables.jobs import ANALYSE_JOB, Job, Jobs
from omoide.tables.tools import ToolCalls
from omoide.telemetry.logs import get_logger
from omoide.telemetry.model_calls import paid_by
from omoide.write.apply import Door
from omoide.write.decide import Ignore, Reinforce
from omoide.write.index import words_of
from omoide.write.neighbours import look_alikes
from omoide.write.proposals import let_wait
from omoide.write.remember import judge

WINDOW_DAYS, MOST_CALLS = 7, 20_000  # that are looked at, the latest of them
FROM_USAGE = "from_usage"  # why it waits, whatever the review mode

_log = get_logger(__name__)


@frozen_record
class Analysis(Record):
    """What a model was shown of a user's usage, empty where no tool was called; and what it
    proposed that was not known.
    """

    shown: str
    proposed: tuple[ProposalId, ...] = ()


class Analyst:
    """Looks at usage with a model."""

    def __init__(
        self, store: Store, clock: Clock, teaching: Teaching, come: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._teaching, self._come = store, clock, teaching, come

    def analyse(self, scope: Scope, *, preview: bool = False) -> Analysis:
        """Look at what the scope's agent did for its user; with preview only tell what a model
        would be shown.

        Raises:
            ModelError: the model failed.
        """
        shown = self._shown(scope)
        if preview or not shown or self._teaching.switches.user_memory is not Use.LEARN:
            return Analysis(shown=shown)
        with paid_by(scope.tenant):
            proposals = self._ask(scope, shown)
        return Analysis(
            shown=shown,
            proposed=committed(
                self._store, lambda tx: self._propose(tx, scope, proposals), tenant=scope.tenant
            ),
        )

    def job(self, job: Job) -> Effect | None:
        """Look at a user's usage; or, where it is about nobody in particular, let everybody's be
        looked at.
        """
        if self._teaching.switches.user_memory is not Use.LEARN:
            return None
        if not job.user:
            self._come()
            return lambda tx: self._spread(tx, job.tenant)
        scope = Scope(tenant=job.tenant, user=job.user, agent=job.args.get("agent") or None)
        shown = self._shown(scope)
        if not shown:
            return None
        proposals = self._ask(scope, shown)

        def effect(tx: Transaction) -> None:
            self._propose(tx, scope, proposals)

        return effect

    def _spread(self, tx: Transaction, tenant: str) -> None:
        for scope in ToolCalls(tx).callers(tenant, self._since()):
            user, agent = scope.user or "", scope.agent or ""
            Jobs(tx).schedule(
                tenant,
                job_id(user, agent),
                ANALYSE_JOB,
                user=user,
                args={"agent": agent},
                run_at=self._clock.now(),
            )

    def _since(self) -> datetime:
        return self._clock.now() - timedelta(days=WINDOW_DAYS)

    def _shown(self, scope: Scope) -> str:
        if scope.user is None:
            return ""
        since = self._since()
        with read_only(self._store, scope.tenant) as tx:
            calls, messages = (
                ToolCalls(tx).own(scope, since, MOST_CALLS),
                ToolCalls(tx).messages(scope, since),
            )
        return material(usage_of(scope.user, WINDOW_DAYS, messages, calls))

    def _ask(self, scope: Scope, shown: str) -> list[tuple[Item, frozenset[Flag]]]:
        """What a model proposes that is not known yet, and what of it the counts do not have."""
        findings = self._teaching.asker.for_user(scope.user).ask(
            Purpose.ANALYSE, prompt("analyse"), shown, read_findings
        )
        place = Scope(tenant=scope.tenant, user=scope.user, agent=scope.agent)
        drafts = (
            (as_item(finding, place, self._clock), unfounded(finding, shown, self._clock))
            for finding in findings
        )
        with read_only(self._store, scope.tenant) as tx:
            return [
                (item, flags)
                for item, flags in drafts
                if item is not None and not self._is_known(tx, item)
            ]

    def _is_known(self, tx: Transaction, item: Item) -> bool:
        words = words_of(item)
        alike = look_alikes(tx, item, words, self._clock.now())
        return isinstance(judge(tx, self._clock, item, words, alike).decision, Reinforce | Ignore)

    def _propose(
        self, tx: Transaction, scope: Scope, proposals: Sequence[tuple[Item, frozenset[Flag]]]
    ) -> tuple[ProposalId, ...]:
        """Let items wait to be added; nothing ever gives way to them."""
        Documents(tx).lock(scope.tenant, scope.user or "")
        if not ToolCalls(tx).own(scope, self._since(), 1):  # forgotten meanwhile
            return ()
        with Door(tx, self._clock, Because(actor="usage")) as door:
            made = [
                let_wait(
                    door,
                    item.scope,
                    item,
                    flags=(FROM_USAGE, *flags),
                    told=item.source_turns,
                )
                for item, flags in proposals
            ]
        _log.info("looked at usage", user=scope.user, proposed=len(made))
        return tuple(dict.fromkeys(made))


def job_id(user: str, agent: str) -> str:
    """The id of the job that looks at a user's usage by an agent."""
    return ":".join((ANALYSE_JOB, *(quote(part, safe="") for part in (agent, user))))
