"""Suggestions decided on, within the transaction that lets the decisions happen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial

from omoide.grounding.chatter import recalled
from omoide.learning.compare import Compared
from omoide.learning.dispose import Told, dispose, is_learnt, may_end, stands
from omoide.learning.weigh import says_no_more
from omoide.nouns.clock import Clock, parse_time
from omoide.nouns.ids import ItemId, SessionId, TurnId
from omoide.nouns.item import Item, Tier
from omoide.nouns.session import Session
from omoide.nouns.turn import Role
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.text.negation import negates
from omoide.text.sameness import same_text
from omoide.write.apply import Door
from omoide.write.decide import (
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Precede,
    Reinforce,
    Supersede,
)
from omoide.write.neighbours import said_since
from omoide.write.proposals import Mode, must_wait, note_proposing, propose
from omoide.write.remember import Outcome, carry_out, check_sources, judge

# why a closing waits: the model did not repeat what it would end, so it may mean another
UNLIKE = "unlike"


class Fate(StrEnum):
    """What became of a suggestion."""

    ADDED = "added"
    SUPERSEDED = "superseded"  # an older item gave way to it
    REINFORCED = "reinforced"
    RETRACTED = "retracted"  # it closed an item
    IGNORED = "ignored"  # known already, or said by somebody more trusted
    WAITING = "waiting"  # for a person's word
    REFUSED = "refused"


@dataclass(frozen=True, kw_only=True, slots=True)
class Considered:
    """One suggestion, and what became of it: why it, or what it would have closed, waits or is
    refused; the items it added and closed.
    """

    text: str
    quote: str
    turn: TurnId | None
    fate: Fate
    why: tuple[str, ...] = ()
    item: ItemId | None = None
    closed: ItemId | None = None
    besides: tuple[ItemId, ...] = ()  # items that it closed, too


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """What was learnt from a session's turns from first to before end. undo takes all of it back by
    its id.

    Where another learnt it while this call waited, it tells only that: its id is the other's, of
    several parts the last one's, or empty if nothing was changed.
    """

    id: str
    session: SessionId
    first: int
    end: int
    considered: tuple[Considered, ...] = ()
    more: bool = False  # turns come after it that nothing was learnt from yet
    by_another: bool = False  # while this call waited; nothing new was considered

    def count(self, fate: Fate) -> int:
        """How many suggestions came to that."""
        return sum(one.fate is fate for one in self.considered)


def consider(
    tx: Transaction,
    door: Door,
    clock: Clock,
    one: Compared,
    session: Session,
    mode: Mode,
    learnt: Sequence[ItemId] = (),
) -> Considered:
    """Decide on a suggestion, and let that happen: the item is added, or closes another, or waits,
    or nothing is done.

    learnt: what was learnt from the same turns before.
    """
    weighed, item = one.weighed, one.item
    said = Considered(
        text=item.text if item else weighed.suggestion.text,
        quote=(item.quote if item else None) or weighed.suggestion.quote,
        turn=weighed.turn.id if weighed.turn else None,
        fate=Fate.REFUSED,
        why=(weighed.refused,) if weighed.refused else tuple(sorted(weighed.flags)),
    )
    if weighed.refused:
        return said
    if item is None:
        return _close(tx, door, clock, one, session, mode, said)
    check_sources(tx, item)
    if must_wait(mode, item, weighed.flags):
        known = _known(tx, one, item)
        return (
            replace(said, fate=Fate.IGNORED, item=known.id)
            if known
            else _wait(tx, door, clock, one, session, said)
        )
    ids = [*one.alike, *said_since(tx, item, one.words, one.seq), *learnt]
    judged = judge(tx, clock, item, one.words, ids, partial(_choose, tx, one, learnt))
    closes = judged.decision.item.id if isinstance(judged.decision, Supersede) else None
    if closes and must_wait(mode, item, (), closes=True):
        return _wait(tx, door, clock, one, session, said, closes)
    done = carry_out(door, judged)
    why = _doubt(tx, door, clock, one, session) if done.outcome is Outcome.ADDED else ()
    return replace(
        said,
        text=done.item.text,
        fate=_FATES[done.outcome],
        why=why,
        item=done.id,
        closed=done.superseded,
    )


def end_besides(
    tx: Transaction,
    door: Door,
    clock: Clock,
    done: Sequence[tuple[Compared, Considered]],
    session: Session,
    mode: Mode,
) -> tuple[Considered, ...]:
    """End what suggestions replace besides, now that all of them are decided on: nothing that the
    same talk says, too.

    What the model does not repeat waits, and so does what would end with a suggestion that waits
    itself.
    """
    stands, ended = {said.item for _, said in done}, []
    for one, said in done:
        new, closed = (Items(tx).find(session.scope.tenant, said.item) if said.item else None), []
        for told, target in _besides(tx, one, said, stands):
            if (
                new is None
                or one.item is None
                or not told.means_it
                or must_wait(mode, one.item, (), closes=True)
            ):
                _propose_end(tx, door, clock, session, target, told, one)
            else:  # another thing, so no version of it
                at = min(one.item.valid_from, door.now)
                closed.append(door.retract(target, at=at, told=one.item.source_turns, note=new).id)
        ended.append(replace(said, besides=tuple(closed)))
    return tuple(ended)


def _besides(
    tx: Transaction, one: Compared, said: Considered, stands: Collection[ItemId | None]
) -> Iterator[tuple[Told, Item]]:
    """The open items that a suggestion would end, but for the one whose place it took; what is
    ignored ends nothing.
    """
    item = one.item
    if item is None or said.fate not in (
        Fate.ADDED,
        Fate.SUPERSEDED,
        Fate.REINFORCED,
        Fate.WAITING,
    ):
        return
    first = (one.told,) if one.told and one.told.closes and said.fate is Fate.SUPERSEDED else ()
    for told in (*first, *one.besides):
        target = None if told.target in (said.closed, *stands) else _meant(tx, item, told)
        if target is not None:
            yield told, target


def _meant(tx: Transaction, new: Item, told: Told) -> Item | None:
    """The open item that a model would end for a new one, if that may."""
    target = Items(tx).find(new.scope.tenant, told.target) if told.target else None
    return (
        target
        if target is not None and target.is_open and may_end(new, target, _told_at(tx, target))
        else None
    )


def _told_at(tx: Transaction, item: Item) -> datetime:
    """As of when an item was told last: since when it is so, or when it was said again."""
    sayings = (
        past.before["said"]
        for past in Ledger(tx).of_record(item.scope.tenant, item.id)
        if "said" in past.before
    )
    return max((item.valid_from, *(parse_time(said["valid_from"], zone=UTC) for said in sayings)))


def _choose(
    tx: Transaction,
    one: Compared,
    learnt: Sequence[ItemId],
    candidate: Candidate,
    neighbours: Sequence[Neighbour],
) -> Decision:
    """What the rules say, but for repetition that tells nothing new; said once more elsewhere it
    counts, as who said it first may go.
    """
    if candidate.tier is not Tier.USER:
        repeated = next(
            (n.item for n in neighbours if recalled(candidate.text, (n.item.text,))), None
        )
        if (
            repeated is not None
            # what was recalled comes back in an answer or a tool's output: nothing is
            # learnt from that
        ):
            return Ignore(item=repeated)
    known = next(
        (
            n.item
            for n in neighbours
            if n.item.id in learnt and one.item and is_learnt(one.item, n.item)
        ),
        None,
    )
    if (
        known is not None
        # perhaps told with something else since, or closed: learning once more does not
        # bring it back
    ):
        return Ignore(item=known)
    decision = dispose(candidate, neighbours, one.told, partial(_says_all, one))
    if (
        isinstance(decision, Supersede)
        and one.item is not None
        and one.item.valid_from < (told_at := _told_at(tx, decision.item))
    ):
        # true until that was said again
        return Precede(item=replace(decision.item, valid_from=told_at))
    if isinstance(decision, Reinforce) and one.item is not None:
        before = (
            n.item
            for n in neighbours
            if n.item.id in learnt and n.item.superseded_by == decision.item.id
        )
        told = any(
            item.quote == one.item.quote and item.own_turns == one.item.source_turns
            for item in before
        )
        return (
            Ignore(item=decision.item)
            if told or _is_told(tx, decision.item, one.item)
            else decision
        )
    return decision


def _is_told(tx: Transaction, known: Item, item: Item) -> bool:
    """Whether an item is what a known one was made or said again of: the same words of the same
    turns.
    """
    told = (
        past.before["said"]
        for past in Ledger(tx).of_record(known.scope.tenant, known.id)
        if "said" in past.before
    )
    sayings = ((one.get("quote"), tuple(one.get("source_turns", ()))) for one in told)
    return (item.quote, item.source_turns) in ((known.quote, known.own_turns), *sayings)


def _says_all(one: Compared, known: Item) -> bool:
    if one.item is None:
        return False
    names = {
        *one.weighed.names,
        *(name.partition(":")[2] for name in (*one.item.entities, *known.entities)),
    }
    return stands(one.item.text, known.text, names) and says_no_more(
        one.item.text, (known.text,), one.weighed
    )


def _known(tx: Transaction, one: Compared, item: Item) -> Item | None:
    """The item that says the same word for word and holds, perhaps since a person approved it; None
    where another would give way to it.
    """
    if one.told is not None and one.told.closes:
        return None
    ids = [*one.alike, *said_since(tx, item, one.words, one.seq)]
    standing = (
        known
        for known in Items(tx).many(item.scope, ids).values()
        if known.scope == item.scope and known.holds
    )
    return next(
        (
            known
            for known in standing
            if known.tier >= item.tier and same_text(known.text, item.text)
        ),
        None,
    )


def _wait(
    tx: Transaction,
    door: Door,
    clock: Clock,
    one: Compared,
    session: Session,
    said: Considered,
    closes: ItemId | None = None,
) -> Considered:
    item = one.item
    if item is None:
        return said
    told = one.told if one.told and one.told.closes and one.told.means_it else None
    meant = _meant(tx, item, told) if told and closes is None else None
    target = meant.id if meant else closes
    if target is None:
        _doubt(tx, door, clock, one, session)
    id = propose(tx, clock, item.scope, item, target=target, flags=said.why, session=session.id)
    note_proposing(tx, door, item.scope, id, item.source_turns)
    return replace(said, fate=Fate.WAITING, closed=target)


def _doubt(
    tx: Transaction, door: Door, clock: Clock, one: Compared, session: Session
) -> tuple[str, ...]:
    """Let the closing of an item wait that a model would have replaced without repeating what it
    says; why, if there is one.
    """
    told = one.told
    if (
        told is None
        or one.item is None
        or not told.closes
        or told.means_it
        or (target := _meant(tx, one.item, told)) is None
    ):
        return ()
    _propose_end(tx, door, clock, session, target, told, one)
    return (UNLIKE,)


def _propose_end(
    tx: Transaction,
    door: Door,
    clock: Clock,
    session: Session,
    target: Item,
    told: Told,
    one: Compared,
) -> None:
    """Let the closing of an item wait that a suggestion would replace."""
    id = propose(
        tx,
        clock,
        target.scope,
        None,
        target=target.id,
        flags=() if told.means_it else (UNLIKE,),
        session=session.id,
    )
    note_proposing(tx, door, target.scope, id, one.item.source_turns if one.item else ())


def _close(
    tx: Transaction,
    door: Door,
    clock: Clock,
    one: Compared,
    session: Session,
    mode: Mode,
    said: Considered,
) -> Considered:
    """End an item that a person says is no longer so; whatever else would end one waits."""
    turn, told = one.weighed.turn, one.told
    target = Items(tx).find(session.scope.tenant, told.target) if told and told.target else None
    if target is None or not target.is_open:
        return replace(said, why=("it names no open item that it was shown",))
    own = (
        turn is not None
        and turn.role is Role.USER
        and turn.user == target.scope.user
        and one.weighed.tier is not Tier.DOCUMENT
    )
    unlike = () if told is None or told.means_it else (UNLIKE,)
    # what is told of later is not ended by an old talk
    late = turn is not None and turn.at < _told_at(tx, target)
    if (
        turn is None
        or not own
        or said.why
        or unlike
        or late
        or mode is Mode.ALL
        or not negates(said.quote)
    ):
        id = propose(
            tx,
            clock,
            target.scope,
            None,
            target=target.id,
            flags=(*said.why, *unlike),
            session=session.id,
        )
        note_proposing(tx, door, target.scope, id, (turn.id,) if turn else ())
        return replace(said, text=target.text, fate=Fate.WAITING, closed=target.id)
    door.lock(target.scope)
    door.retract(target, at=min(turn.at, door.now), told=(turn.id,))
    return replace(said, text=target.text, fate=Fate.RETRACTED, closed=target.id)


_FATES = {outcome: Fate(outcome.value) for outcome in Outcome}
