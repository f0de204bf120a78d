"""Stage 8, application: outcomes become rows, within the transaction that lets them happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from omoide.learning.decision import Intent
from omoide.learning.extraction import Operation
from omoide.learning.judgement import Support
from omoide.learning.merging import agree
from omoide.learning.neighbours import Compared
from omoide.learning.outcome import (
    CandidateOutcome,
    ForAPerson,
    OutcomeCase,
    may_end,
    outcome,
    shares_a_word,
)
from omoide.learning.report import Considered, Fate
from omoide.nouns.clock import Clock, parse_time
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item, Meant, Tier, Unconfirmed
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Role
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.text.letters import QUESTION_SIGNS
from omoide.text.sameness import same_text
from omoide.write.apply import Door
from omoide.write.confirmation import confirm
from omoide.write.decide import Add, Ignore, Reinforce, Supersede
from omoide.write.neighbours import said_since
from omoide.write.proposals import Mode, let_wait, must_wait
from omoide.write.remember import Judged, carry_out, check_sources, named
from omoide.write.unconfirmed import confirms, unconfirmed

# why a closing waits: another's or a more trusted word would end, or the model may be led
CLOSES_MORE = "closes_more"
UNLIKE = "unlike"  # the model does not repeat what it would end, so it may mean another
NOT_OPEN = "it names no open item that it was shown"


@dataclass(slots=True)
class Application:
    """The outcomes of one part of a talk, applied one after the other.

    learnt: what was learnt from the same turns before.
    """

    tx: Transaction
    door: Door
    clock: Clock
    session: Session
    mode: Mode
    learnt: Sequence[ItemId] = ()
    done: list[tuple[Compared, Considered]] = field(default_factory=list)

    def apply(self, compared: Sequence[Compared]) -> tuple[Considered, ...]:
        """Let all candidates become what they become, then end what they replace besides."""
        for one in compared:
            self.done.append((one, self._consider(one)))
        return tuple(self._with_besides(one, said) for one, said in self.done)

    def _consider(self, one: Compared) -> Considered:
        candidate, item = one.candidate, one.item
        said = Considered(
            text=item.text if item else candidate.suggestion.text,
            quote=(item.quote if item else None) or candidate.suggestion.quote,
            turn=candidate.turn.id if candidate.turn else None,
            fate=Fate.REFUSED,
            why=(candidate.refused,) if candidate.refused else one.doubts,
        )
        if candidate.refused:
            return said
        if item is None:
            return self._close(one, said)
        check_sources(self.tx, item)
        if must_wait(self.mode, item, (), best=_answered(one)):
            known = self._standing(one, item)
            if known is not None:
                return replace(said, fate=Fate.IGNORED, item=known.id)
            return self._wait(one, item, said, _meant(one))
        return self._decide(one, item, said)

    def _decide(self, one: Compared, item: Item, said: Considered) -> Considered:
        item, words, called = named(self.tx, self.clock, item, one.words)
        case = self._case(one, item)
        becomes = self._told_before(case, outcome(case))
        target = becomes.item if isinstance(becomes, Supersede) else None
        best = _answered(one)
        if target is not None and must_wait(self.mode, item, (), closes=True, best=best):
            return self._wait(one, item, said, target.id)
        if isinstance(becomes, ForAPerson):
            self._propose_end(becomes.target, one, CLOSES_MORE)
            said = replace(said, why=(*said.why, CLOSES_MORE))
            becomes = Add(similar=becomes.target)
        known = becomes.item if isinstance(becomes, Reinforce) else None
        doubted = known is not None and known.unconfirmed is Unconfirmed.NEVER
        if known and doubted and (one.judged or confirms(known, item)):
            kept = confirm(self.door, known, by=item.tier)
            return replace(said, text=kept.text, fate=Fate.CONFIRMED, item=kept.id)
        if one.support is Support.UNCONFIRMED and isinstance(becomes, Add):
            item = _in_doubt(item, one.told, becomes.similar, self.door.now)
        done = carry_out(self.door, Judged(decision=becomes, item=item, words=words, called=called))
        fate = Fate(done.outcome.value)
        if fate is Fate.ADDED and one.support is Support.UNCONFIRMED:
            fate = Fate.UNCONFIRMED
        return replace(said, text=done.item.text, fate=fate, item=done.id, closed=done.superseded)

    def _case(self, one: Compared, item: Item) -> OutcomeCase:
        """All that the outcome of a candidate hangs on, as it stands now."""
        told, twin = one.told, self._twin(one)
        if twin is not None:
            agrees = agree(item.text, item.entities, twin.text, twin.entities)
            told = Intent(operation=Operation.NONE, target=twin, agrees=agrees)
        near = (*one.alike, *((twin.id,) if twin else ()))
        ids = (*near, *one.targets, *said_since(self.tx, item, one.words, one.seq), *self.learnt)
        known = list(Items(self.tx).many(item.scope, dict.fromkeys(ids)).values())
        return OutcomeCase(
            item=item,
            support=one.support,
            known=known,
            told_at={
                target.id: _told_at(self.tx, target)
                for target in known
                if told and told.target and target.id == told.target.id
            },
            learnt=self.learnt,
            near=frozenset(near),
            told=told,
            led=one.candidate.led,
            names=one.candidate.names,
        )

    def _twin(self, one: Compared) -> Item | None:
        """The item of the earlier candidate that a model says is the same."""
        twin = one.told.twin if one.told else None
        id = self.done[twin][1].item if twin is not None and twin < len(self.done) else None
        return self._open(id)

    def _open(self, id: ItemId | None) -> Item | None:
        """The item of that id, if there is one and it is open."""
        found = Items(self.tx).find(self.session.scope.tenant, id) if id else None
        return found if found is not None and found.is_open else None

    def _told_before(self, case: OutcomeCase, becomes: CandidateOutcome) -> CandidateOutcome:
        """The same, but that what is learnt from the same words of the same turns once more adds
        nothing.
        """
        if not isinstance(becomes, Reinforce):
            return becomes
        known, item = becomes.item, case.item
        before = (
            one for one in case.known if one.id in case.learnt and one.superseded_by == known.id
        )
        told = any(one.quote == item.quote and one.own_turns == item.source_turns for one in before)
        return Ignore(item=known) if told or self._is_told(known, item) else becomes

    def _is_told(self, known: Item, item: Item) -> bool:
        """Whether an item is what a known one was made or said again of."""
        told = (past.before["said"] for past in Ledger(self.tx).sayings(known))
        sayings = ((one.get("quote"), tuple(one.get("source_turns", ()))) for one in told)
        return (item.quote, item.source_turns) in ((known.quote, known.own_turns), *sayings)

    def _standing(self, one: Compared, item: Item) -> Item | None:
        """The item that says the same word for word and holds, perhaps since a person approved it;
        None where another would give way to it.
        """
        if one.told is not None and one.told.closes:
            return None
        ids = [*one.alike, *said_since(self.tx, item, one.words, one.seq)]
        return next(
            (
                known
                for known in Items(self.tx).many(item.scope, ids).values()
                if known.scope == item.scope
                and known.holds
                and known.tier >= item.tier
                and same_text(known.text, item.text)
            ),
            None,
        )

    def _wait(
        self, one: Compared, item: Item, said: Considered, target: ItemId | None
    ) -> Considered:
        found = self._open(target)
        meant = found if found is not None and may_end(item, found) else None
        self._let_wait(item.scope, item, meant, said.why, item)
        return replace(said, fate=Fate.WAITING, closed=meant.id if meant else None)

    def _propose_end(self, target: Item, one: Compared, *why: str) -> None:
        """Let the closing of an item wait that a candidate would replace."""
        self._let_wait(target.scope, None, target, why, one.item)

    def _let_wait(
        self,
        scope: Scope,
        what: Item | None,
        target: Item | None,
        why: Sequence[str],
        told: Item | None,
    ) -> None:
        let_wait(
            self.door,
            scope,
            what,
            target=target.id if target else None,
            flags=why,
            session=self.session.id,
            told=told.source_turns if told else (),
        )

    def _with_besides(self, one: Compared, said: Considered) -> Considered:
        """End what a candidate replaces besides, now that all of them are decided on: nothing that
        the same talk says, too.
        """
        item = one.item
        made = (Fate.ADDED, Fate.SUPERSEDED, Fate.REINFORCED, Fate.CONFIRMED, Fate.WAITING)
        new = Items(self.tx).find(self.session.scope.tenant, said.item) if said.item else None
        if item is None or said.fate not in made:
            return said
        stay = {other.item for _, other in self.done} | {said.closed}
        closed: list[ItemId] = []
        for told in one.besides:
            target = self._ended_besides(told, item, stay)
            if target is None:
                continue
            if new is None or one.candidate.led or must_wait(self.mode, item, (), closes=True):
                self._propose_end(target, one, CLOSES_MORE)
                continue
            at = min(item.valid_from, self.door.now)
            self.door.retract(target, at=at, told=item.source_turns, note=new)
            closed.append(target.id)
        return replace(said, besides=tuple(closed))

    def _ended_besides(self, told: Intent, item: Item, stay: set[ItemId | None]) -> Item | None:
        """The open item that ends besides, if it may, and nothing of it is lost."""
        target = told.target
        if target is None or target.id in stay or not told.stands or told.lost:
            return None
        now = self._open(target.id)
        if now is None or not may_end(item, now):
            return None
        return now if _told_at(self.tx, now) <= item.valid_from else None

    def _close(self, one: Compared, said: Considered) -> Considered:
        """End an item that a person says is no longer so; whatever else would end one waits."""
        turn, told = one.candidate.turn, one.told
        target = self._open(told.target.id if told and told.target else None)
        if told is None or target is None:
            return replace(said, why=(NOT_OPEN,))
        if not told.stands:
            return replace(said, why=(UNLIKE,))
        own = _is_own_word(one, said.quote, target)
        # what is told of later is not ended by an old talk
        late = turn is not None and turn.at < _told_at(self.tx, target)
        if turn is None or not own or said.why or late or self.mode is Mode.ALL:
            self._propose_end(target, one, *(said.why or (CLOSES_MORE,)))
            return replace(said, text=target.text, fate=Fate.WAITING, closed=target.id)
        self.door.lock(target.scope)
        self.door.retract(target, at=min(turn.at, self.door.now), told=(turn.id,))
        return replace(said, text=target.text, fate=Fate.RETRACTED, closed=target.id)


def _answered(one: Compared) -> Tier | None:
    """Whose word the quote is, where a judge says that its speaker said so: a user who answers a
    question means what was asked. None where only the item's own tier counts.
    """
    is_said = one.judged and one.support is Support.CONFIRMED and not one.candidate.led
    return one.candidate.quoted if is_said else None


def _is_own_word(one: Compared, quote: str, target: Item) -> bool:
    """Whether the user whose item it is says themselves that it is no longer so."""
    candidate, turn = one.candidate, one.candidate.turn
    return (
        turn is not None
        and turn.role is Role.USER
        and turn.user == target.scope.user
        and candidate.tier is not Tier.DOCUMENT
        and not candidate.led
        and not quote.endswith(tuple(QUESTION_SIGNS))
        and shares_a_word(quote, target, candidate.names)
    )


def _meant(one: Compared) -> ItemId | None:
    """The item that a model would end, if it may mean that one and nothing is lost."""
    told = one.told
    if told is None or told.target is None or not told.closes:
        return None
    return told.target.id if told.stands and not told.lost else None


def _in_doubt(item: Item, told: Intent | None, similar: Item | None, now: datetime) -> Item:
    """An item that is unconfirmed, with what it was meant to do."""
    item = unconfirmed(item, Unconfirmed.NEVER, now)
    if told is None or told.target is None or not told.closes or not told.stands or told.lost:
        return item
    if similar is None or similar.id != told.target.id:
        return item
    ref, is_end = told.target.id, told.operation is Operation.DELETE
    meant = Meant(op="delete" if is_end else "update", ref=ref, was=told.was, text=told.text)
    return replace(item, meant=meant)


def _told_at(tx: Transaction, item: Item) -> datetime:
    """As of when an item was told last: since when it is so, or when it was said again."""
    said = (past.before["said"] for past in Ledger(tx).sayings(item))
    moments = (parse_time(one["valid_from"], zone=UTC) for one in said)
    return max((item.valid_from, *moments))
