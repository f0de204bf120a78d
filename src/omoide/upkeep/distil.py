"""Distilling: a session that rests is learnt from to its end and summed up once, before pruning may
take its turns.

Extraction goes over all of it, part by part, from where it stands. The summary is made of the same
turns, and counts in the transaction that stores it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from omoide.grounding.claims import Flag
from omoide.learning.capture import Capture
from omoide.learning.extraction import windows
from omoide.learning.report import Fate
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Purpose
from omoide.models.embedders.encoders import Encoders
from omoide.models.prompts import prompt
from omoide.nouns.change import Because
from omoide.nouns.chore import Chore, Done, Round, for_model
from omoide.nouns.clock import Clock
from omoide.nouns.errors import BadAnswer, Conflict, InvalidInput, NotFound
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.documents import Words
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.upkeep.summary import draft_summary, read_summary, summary_flags, summed_up
from omoide.write.apply import Door, through
from omoide.write.index import words_of
from omoide.write.proposals import let_wait, must_wait

# how long nothing was said in a session, and the turns it has, before it is distilled
REST, LEAST = (timedelta(days=14), 5)
SESSIONS, TRIED = 5, 20  # distilled in one round of a tenant, and tried where some fail
AT_MOST = 100_000  # turns of a session that are read


@frozen_record
class _SessionSummary:
    """A session's turns from where it stood, and their summary as it would be; None where there is
    nothing to sum up, or nowhere to.
    """

    session: Session
    stood: int
    end: int
    item: Item | None = None
    words: Words | None = None
    flags: frozenset[Flag] = frozenset()


class Distiller:
    """Distils the sessions of a tenant that have rested for two weeks, with a model."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        teaching: Teaching,
        encoders: Callable[[], Encoders],
        capture: Capture,
    ) -> None:
        self._store, self._clock, self._teaching = store, clock, teaching
        self._encoders, self._capture = encoders, capture

    def __call__(self, at: Round) -> Done:
        """Distil up to five sessions, those that rest longest first; one whose answers cannot be
        read is left for another time.

        Raises:
            ModelError: the model failed; what was distilled before that stays.
        """
        counts = dict.fromkeys(("distilled", "items"), 0)
        with read_only(self._store, at.tenant) as tx:
            due = Sessions(tx).to_distil(
                at.tenant, before=self._clock.now() - REST, least=LEAST, limit=TRIED
            )
        if due and not self._teaching.asker.is_on:
            return Done(chore=Chore.DISTIL, counts=counts, waits=for_model(len(due), "session"))
        for session, stood in due:
            if at.stop() or counts["distilled"] == SESSIONS:
                break
            try:
                counts["items"] += self._distil(at.because, session, stood)
                counts["distilled"] += 1
            except (
                BadAnswer,
                Conflict,
                NotFound,
            ):  # unreadable, or another learns from it just now, or it was forgotten
                continue
        return Done(chore=Chore.DISTIL, counts=counts)

    def _distil(self, because: Because, session: Session, stood: int) -> int:
        """Learn from a session and sum it up; how many items that made."""
        learnt = self._capture.extract(
            session.scope.tenant, session.id, cause=because.cause, patience=timedelta(0)
        )
        made = sum(
            extraction.count(fate)
            for extraction in learnt
            for fate in (Fate.ADDED, Fate.SUPERSEDED)
        )
        return made + self._apply(because, self._sum_up(session, stood))

    def _sum_up(self, session: Session, stood: int) -> _SessionSummary:
        tenant = session.scope.tenant
        with read_only(self._store, tenant) as tx:
            turns = Turns(tx).shown_from(tenant, session.id, stood, AT_MOST)
        told = summed_up(turns, self._teaching.learn_from)
        place = self._capture.place(session, turns)
        scope = place.user or place.agent
        nothing = _SessionSummary(
            session=session, stood=stood, end=turns[-1].position + 1 if turns else session.turns
        )
        if scope is None or not told:
            return nothing
        text = self._ask(told, session.owner)
        try:
            item = draft_summary(text, session, told, scope, self._clock)
        except InvalidInput:
            return nothing
        if item.masks or "[secret:" in item.text:
            return nothing
        words = words_of(item, self._encoders().embed([item.text])[0])
        return replace(
            nothing,
            item=item,
            words=words,
            flags=summary_flags(item.text, told, place.names, scope.user),
        )

    def _ask(self, turns: list[Turn], user: str | None) -> str:
        """The summary of turns: a long talk is shown part by part, each after the summary of those
        before it.
        """
        summary, rules = "", "\n".join(filter(None, (prompt("distil"), self._teaching.steering)))
        for window in windows(turns, (), everybody=self._teaching.learn_from == "all"):
            text = f"Before that: {summary}\n\n{window.text}" if summary else window.text
            summary = self._teaching.asker.for_user(user).ask(
                Purpose.DISTIL, rules, text, read_summary
            )
        return summary

    def _apply(self, because: Because, summary: _SessionSummary) -> int:
        session, item = summary.session, summary.item
        because = replace(
            because,
            reason=(
                f"{because.reason}:"
                f" {self._teaching.asker.for_user(session.owner).model_id(Purpose.DISTIL)}"
            ),
        )

        def write(tx: Transaction, door: Door) -> int:
            if item is not None:
                door.lock(item.scope)
            if not Sessions(tx).distil(
                session.scope.tenant, session.id, stood=summary.stood, end=summary.end
            ):
                raise Conflict(
                    f"session {session.id!r} was summed up by another meanwhile, or forgotten"
                )
            if item is None or summary.words is None:
                return 0
            if must_wait(self._teaching.review, item, summary.flags):
                let_wait(
                    door,
                    item.scope,
                    item,
                    flags=summary.flags,
                    session=session.id,
                    told=item.source_turns,
                )
                return 0
            door.add(item, summary.words)
            return 1

        return through(
            self._store,
            self._clock,
            because,
            write,
            tenant=session.scope.tenant,
            session=session.id,
        )
