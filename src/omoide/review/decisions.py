"""A person's word on what waits: shown with a seal, approved as it was shown and once, worded anew,
rejected, or expired.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from omoide.models.embedders.encoders import Encoders
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Forbidden, InvalidInput, LookAgain, NotFound
from omoide.nouns.ids import clean_id
from omoide.nouns.item import CONFIDENCE, Details, Item, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import ForReview, Made, Proposal, text_of
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import Digest
from omoide.nouns.scope import Scope
from omoide.review.drafts import as_it_stands, in_force, is_unfounded, make_hold, reworded
from omoide.review.reasons import reasons
from omoide.review.seal import GOOD_FOR, check_seal, make_seal_key, seal, seal_key
from omoide.settings.switches import Switches
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import Documents, Words
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.tables.proposals import Proposals
from omoide.text.changes import changes
from omoide.text.hidden import find_hidden, show_hidden
from omoide.text.sameness import same_text
from omoide.text.secrets import mask_secrets, mask_stored
from omoide.write.apply import Door, Writer, through
from omoide.write.bases import rest
from omoide.write.checks import check_text
from omoide.write.decide import (
    Add,
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Reinforce,
    Supersede,
    nearest,
)
from omoide.write.index import words_of
from omoide.write.neighbours import look_alikes, said_since
from omoide.write.proposals import end
from omoide.write.remember import carry_out, check_session, check_sources, judge
from omoide.write.trust import check_word
from omoide.write.undoing import was_of_agent

T = TypeVar("T")

_GONE = "it no longer waits"
_EXPIRED = "nobody looked at it in its time, so it expired; undo with its id lets it wait again"
_SETTLED = {
    Action.EXPIRE: _EXPIRED,
    Action.REJECT: "it was rejected; undo with its id lets it wait again",
}
PERSON = (
    "what waits is for a person to settle; who speaks for them says so with"
    " acting(Because(tier=Tier.USER))"
)


@frozen_record
class Approval:
    """Which proposal is approved, with which seal; as_mine: as the approver's own word."""

    id: str
    seal: str
    as_mine: bool = False


def for_review(store: Store, clock: Clock, scope: Scope, *, limit: int) -> list[ForReview]:
    """What waits for the asker's word, oldest first, each with what approves exactly that.

    Raises:
        SharedSession: the scope names a user in a session of several users.
    """
    now = clock.now()
    with read_only(store, scope.tenant) as tx:
        check_session(tx, scope)
        key, late = seal_key(tx), _late(tx, scope.tenant, now)
    if key is None or late:
        key = committed(store, partial(_make_ready, clock, scope.tenant, now), tenant=scope.tenant)
    with read_only(store, scope.tenant) as tx:
        return [
            _shown(tx, key, one, scope, now) for one in Proposals(tx).page(scope, now, limit=limit)
        ]


def _make_ready(clock: Clock, tenant: str, now: datetime, tx: Transaction) -> bytes:
    _expire(tx, clock, tenant, now, Because(actor="expiry"))
    return make_seal_key(tx)


def _shown(
    tx: Transaction, key: bytes, proposal: Proposal, scope: Scope, now: datetime
) -> ForReview:
    proposal = as_it_stands(tx, proposal)
    target: Item | Digest | Procedure | None = in_force(tx, proposal)
    if proposal.made is None and proposal.target:
        target = Items(tx).many(scope, [proposal.target]).get(proposal.target)
    old, new = mask_secrets(text_of(target)).text if target else "", proposal.text
    hidden = dict.fromkeys(
        place.why.value for line in _lines(new, proposal) for place in find_hidden(line)
    )
    until = min(now + GOOD_FOR, proposal.expires_at)
    return ForReview(
        proposal=proposal,
        text=_visible(new, proposal),
        hidden=tuple(hidden),
        target=target,
        changes=changes(_visible(old, proposal), _visible(new, proposal)) if target else (),
        reasons=reasons(proposal),
        similar=None if target else _similar(tx, scope, proposal, now),
        seal=seal(key, proposal, scope, until),
        sealed_until=until,
    )


def _similar(tx: Transaction, scope: Scope, proposal: Proposal, now: datetime) -> Item | None:
    """The open item that a proposed one would be linked to, as far as the asker may see it."""
    item = proposal.item
    if item is None:
        return None
    ids: list[str] = [item.similar_to] if item.similar_to else []
    ids += look_alikes(tx, item, words_of(item), now)
    near = Items(tx).many(scope, ids)
    linked = near.get(item.similar_to or "")
    if linked is not None and linked.is_open:
        return linked
    return nearest(Candidate.of(item), list(near.values()))


def _lines(text: str, proposal: Proposal) -> list[str]:
    """A text in the pieces that hidden characters are looked for in: what is told in lines is read
    line by line.
    """
    return [text] if proposal.made is None else text.split("\n")


def _visible(text: str, proposal: Proposal) -> str:
    return "\n".join(map(show_hidden, _lines(text, proposal)))


def approve(
    writer: Writer, encoders: Encoders, approval: Approval, switches: Switches
) -> Item | Made:
    """Let what was shown happen, once: the record that stands for it now, or the item that it
    closed.

    Whose word it is stays as it was, unless the approver makes it theirs. The changes' cause is the
    proposal, by whose id they can be undone.

    Raises:
        LookAgain: it is not what was shown with that seal, was shown over ten minutes ago, waits no
            more, or its target changed.
        Forbidden: no person acts; or the target is the word of somebody more trusted; or memory of
            the level that it would be of is off.
        NotFound: a turn that it comes from, or an item that it rests on, is gone.
    """
    check_person(writer.because)
    scope, clock = writer.scope, writer.clock
    with writer.read() as tx:
        check_session(tx, scope)
        sealed = _sealed(tx, scope, approval, clock.now())
    if sealed.what is not None:
        switches.check_on(sealed.scope, Details(session_only=sealed.scope.session is not None))
    ready = _ready(writer.store, clock, encoders, sealed.item) if sealed.item else None
    said = replace(writer.because, cause=approval.id, reason=writer.because.reason or "approved")

    def write(tx: Transaction) -> Item | Made:
        proposal = _sealed(tx, scope, approval, clock.now())
        with Door(tx, clock, said, session=proposal.session) as door:
            target = _target(tx, door, scope, proposal)
            # nobody was first while the locks were waited for
            proposal = _sealed(tx, scope, approval, door.now)
            Proposals(tx).forget(scope.tenant, proposal.id)
            if proposal.made is not None:
                return make_hold(tx, door, proposal, mine=approval.as_mine)
            if target is not None:
                check_word(tx, target, replace(target, superseded_at=door.now), said.tier)
            if ready is not None:
                item = _dated(ready.item, door.now, mine=approval.as_mine)
                return _apply(tx, door, clock, replace(ready, item=item), target)
            assert target is not None
            return door.retract(target, at=door.now)

    return committed(writer.store, write, tenant=scope.tenant)


def check_person(because: Because) -> None:
    """That a person acts.

    Raises:
        Forbidden: somebody else does.
    """
    if because.tier is not Tier.USER:
        raise Forbidden(PERSON)


def _sealed(tx: Transaction, scope: Scope, approval: Approval, now: datetime) -> Proposal:
    proposal = as_it_stands(tx, _waiting(tx, scope, approval.id, now))
    check_seal(seal_key(tx), proposal, scope, approval.seal, now)
    return proposal


def _waiting(tx: Transaction, scope: Scope, id: str, now: datetime) -> Proposal:
    id = clean_id(id, "id")
    proposal = Proposals(tx).get(scope, id)
    if proposal is not None and proposal.expires_at > now:
        return proposal
    if proposal is not None:
        raise LookAgain(id, _EXPIRED)
    told = [
        p
        for p in (*Ledger(tx).of_cause(scope.tenant, id), *Ledger(tx).of_record(scope.tenant, id))
        if _is_told(p, scope)
    ]
    if not told or told[-1].change.action is Action.FORGET:
        raise NotFound("proposal", id)  # nor did it ever wait, as far as this asker may know
    kept = Proposals(tx).find(scope.tenant, id) is not None
    raise LookAgain(id, _SETTLED.get(told[-1].change.action, _GONE) if kept else _GONE)


def _is_told(past: Past, scope: Scope) -> bool:
    """Whether an asker may know of a change that a proposal came to."""
    return past.change.user in (None, scope.user) and was_of_agent(scope, past)


def _target(tx: Transaction, door: Door, scope: Scope, proposal: Proposal) -> Item | None:
    """The item that gives way, open still; both partitions are locked."""
    target = (
        Items(tx).get(scope, proposal.target) if proposal.target and not proposal.made else None
    )
    door.lock_users(scope, (one.scope.user for one in (proposal, target) if one))
    if proposal.target is None or proposal.made is not None:
        return None
    target = Items(tx).get(scope, proposal.target)
    if target is None or not target.is_open:
        raise LookAgain(proposal.id, "the item that it would close is closed already, or gone")
    return target


def _dated(item: Item, now: datetime, *, mine: bool) -> Item:
    """The item as learnt now; as the approver's own word it rests on nothing else."""
    item = replace(item, created_at=now, updated_at=now, recorded_at=now)
    if not mine:
        return item
    return replace(
        item,
        source=Source.USER,
        tier=Tier.USER,
        confidence=max(item.confidence, CONFIDENCE[Source.USER]),
        bases=(),
    )


@frozen_record
class _ReadyItem:
    """An item with what it is found by, and what may say the same as of a partition's counter."""

    item: Item
    words: Words
    alike: list[str]
    seq: int


def _ready(store: Store, clock: Clock, encoders: Encoders, item: Item) -> _ReadyItem:
    words = words_of(item, encoders.embed([item.text])[0])
    with read_only(store, item.scope.tenant) as tx:
        seq = Documents(tx).counter(item.scope.tenant, item.scope.user)
        return _ReadyItem(
            item=item, words=words, alike=look_alikes(tx, item, words, clock.now()), seq=seq
        )


def _apply(
    tx: Transaction, door: Door, clock: Clock, ready: _ReadyItem, target: Item | None
) -> Item:
    check_sources(tx, ready.item)
    item = rest(tx, ready.item.scope, ready.item, door.now)

    def as_shown(candidate: Candidate, neighbours: Sequence[Neighbour]) -> Decision:
        """Nothing but what was shown, except that what is known already is not added a second
        time.
        """
        same = (
            n.item
            for n in neighbours
            if n.item.is_open and n.item.scope == item.scope and n.item.category is item.category
        )
        known = next((one for one in same if same_text(one.text, item.text)), None)
        if known is None:
            if target is not None:
                return Supersede(item=target)
            return Add(similar=nearest(candidate, [n.item for n in neighbours]))
        return Reinforce(item=known) if known.tier <= item.tier else Ignore(item=known)

    alike = [*ready.alike, *said_since(tx, item, ready.words, ready.seq)]
    kept = carry_out(door, judge(tx, clock, item, ready.words, alike, as_shown))
    # what takes its place was known already
    if target is not None and kept.superseded is None and kept.id != target.id:
        door.retract(
            target, at=max(target.valid_from, min(item.valid_from, door.now)), note=kept.item
        )
    return kept.item


def reword(writer: Writer, id: str, text: str) -> ForReview:
    """Give a proposal a wording of one's own, which is then the reviewer's word; it waits on, with
    a new seal.

    Raises:
        NotFound: no such proposal in this scope.
        LookAgain: it waits no more.
        InvalidInput, TooLong: there is nothing to word, or the text is none.
        Forbidden: no person acts.
    """

    def write(tx: Transaction, door: Door, proposal: Proposal) -> ForReview:
        worded = replace(_worded(proposal, text), flags=())
        Proposals(tx).reword(worded)
        return _shown(tx, make_seal_key(tx), worded, writer.scope, door.now)

    return _settled(writer, id, write)


def _settled(writer: Writer, id: str, settle: Callable[[Transaction, Door, Proposal], T]) -> T:
    """What a person's word on a proposal gives, as it waits once its partition is locked.

    Raises:
        NotFound, LookAgain, Forbidden: as reword.
    """
    check_person(writer.because)
    scope = writer.scope

    def write(tx: Transaction, door: Door) -> T:
        check_session(tx, scope)
        door.lock(_waiting(tx, scope, id, door.now).scope)
        return settle(tx, door, _waiting(tx, scope, id, door.now))

    return through(writer.store, writer.clock, writer.because, write, tenant=scope.tenant)


def _worded(proposal: Proposal, text: str) -> Proposal:
    if proposal.made is not None:
        return replace(proposal, made=reworded(proposal.made, mask_secrets(check_text(text)).text))
    if proposal.item is None:
        raise InvalidInput(
            "id", f"proposal {proposal.id!r} only closes an item; approve or reject it"
        )
    masked = mask_stored(check_text(text))
    own = replace(
        proposal.item,
        text=masked.text,
        masks=masked.masks,
        quote=None,
        quote_span=None,
        bases=(),
        unconfirmed=None,
        unconfirmed_at=None,
        meant=None,
        source=Source.USER,
        tier=Tier.USER,
        confidence=CONFIDENCE[Source.USER],
    )
    return replace(proposal, item=own)


def reject(writer: Writer, id: str) -> None:
    """Let a proposal wait no more. It is kept for as long as what is pruned, so that undo can let
    it wait again.

    Raises:
        NotFound: no such proposal in this scope.
        LookAgain: it waits no more.
        Forbidden: no person acts.
    """
    _settled(writer, id, partial(end, action=Action.REJECT, because=writer.because))


def expire(store: Store, clock: Clock, tenant: str, because: Because) -> int:
    """Let the proposals wait no more that nobody looked at in their time, or that cannot be
    approved any more; how many.
    """
    return committed(
        store, lambda tx: _expire(tx, clock, tenant, clock.now(), because), tenant=tenant
    )


def purge(store: Store, tenant: str, before: datetime) -> int:
    """Erase the proposals that were rejected, or expired, up to a time; how many."""
    return committed(store, lambda tx: Proposals(tx).purge(tenant, before), tenant=tenant)


def _expire(tx: Transaction, clock: Clock, tenant: str, now: datetime, because: Because) -> int:
    late = _late(tx, tenant, now)
    with Door(tx, clock, because) as door:
        for proposal in sorted(late, key=lambda one: one.scope.user or ""):
            door.lock(proposal.scope)
            end(tx, door, proposal, Action.EXPIRE, because)
    return len(late)


def _late(tx: Transaction, tenant: str, now: datetime) -> list[Proposal]:
    """What waits although its time is over, or although nothing may be made any more of what it was
    made of.
    """
    unfounded = [
        one for one in Proposals(tx).waiting(tenant, Kind.PROCEDURE) if is_unfounded(tx, one.made)
    ]
    late = {one.id: one for one in (*Proposals(tx).expired(tenant, now), *unfounded)}
    return sorted(late.values(), key=lambda one: one.id)
