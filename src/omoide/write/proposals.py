"""What waits for a person's word, and why. The rule is pure; letting something wait is a row in the
caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from enum import StrEnum

from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Proposal, ProposalId, Waits, Wish
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.tables.proposals import Proposals
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.write.apply import Door

LASTS = timedelta(days=30)  # until a proposal that nobody looked at goes


class Mode(StrEnum):
    """What of that which nobody said by themselves waits for a person."""

    # what failed a check, and preferences and reflections that are not the user's own word
    AUTO = "auto"
    # also what only tools and documents say, and whatever would close an item unless the user said
    # it
    UNTRUSTED = "untrusted"
    ALL = "all"


def must_wait(
    mode: Mode,
    what: Waits,
    flags: Collection[str],
    *,
    closes: bool = False,
    best: Tier | None = None,
) -> bool:
    """Whether a record that a model made waits.

    closes: another would give way to it. best: the highest tier of what it was made of, where it is
    made of several things.
    """
    if flags or mode is Mode.ALL:
        return True
    tier = what.tier if best is None else best
    if isinstance(what, Item) and what.category is Category.PREFERENCE and tier is not Tier.USER:
        return True
    return mode is Mode.UNTRUSTED and (
        tier is Tier.DOCUMENT or (closes and what.tier is not Tier.USER)
    )


def propose(
    tx: Transaction,
    clock: Clock,
    scope: Scope,
    what: Waits | None,
    *,
    target: str | None,
    flags: Collection[str],
    session: SessionId | None,
) -> ProposalId:
    """Let a record wait, or with None the closing of an item; the same is not proposed twice,
    whoever proposes it.
    """
    now = clock.now()
    adds = Wish.SUPERSEDE if target else Wish.ADD
    proposal = Proposal(
        id=ProposalId(clock.new_id()),
        scope=scope,
        wish=Wish.RETRACT if what is None else adds,
        item=what if isinstance(what, Item) else None,
        made=None if isinstance(what, Item) else what,
        target=target,
        session=session,
        flags=tuple(sorted(flags)),
        origin=what.origin if isinstance(what, Item | Procedure) else None,
        made_at=now,
        expires_at=now + LASTS,
    )
    waiting = Proposals(tx).same(proposal)
    if waiting is not None:
        return waiting.id
    Proposals(tx).add(proposal)
    return proposal.id


def let_wait(
    door: Door,
    scope: Scope,
    what: Waits | None,
    *,
    target: str | None = None,
    flags: Collection[str] = (),
    session: SessionId | None = None,
    told: Sequence[str] = (),
) -> ProposalId:
    """Propose something, and put on the ledger which turns, or items, had it wait, so that undo and
    forget find it; what is there is not noted again.
    """
    id = propose(door.tx, door.clock, scope, what, target=target, flags=flags, session=session)
    standing = proposings(door.tx, scope.tenant, id)
    if not any(past.before.get("told") == list(told) for past in standing):
        before = {"agent": scope.agent or "", "waits": False, "told": list(told)}
        door.note(Action.PROPOSE, Kind.PROPOSAL, id, scope, before=before)
    return id


def end(tx: Transaction, door: Door, proposal: Proposal, action: Action, because: Because) -> None:
    """Let a proposal wait no more; undo finds that by the proposal's id too, unless something else
    caused it.
    """
    if Proposals(tx).settle(proposal.scope.tenant, proposal.id, door.now):
        cause = because.cause or proposal.id
        door.note_record(action, Kind.PROPOSAL, proposal, {"waits": True}, cause=cause)


def proposings(tx: Transaction, tenant: str, id: str) -> list[Past]:
    """What had a proposal wait, and neither is undone nor rests on what is forgotten, as far as
    that is noted; oldest first.
    """
    standing = (
        past for past in Ledger(tx).standing(tenant, id) if past.change.action is Action.PROPOSE
    )
    return [past for past in standing if _is_there(tx, past)]


def _is_there(tx: Transaction, past: Past) -> bool:
    tenant, session = past.change.tenant, past.change.session
    told = (
        (Turns(tx) if "#" in one else Items(tx)).find(tenant, one)
        for one in past.before.get("told", ())
    )
    return all(told) and (session is None or Sessions(tx).find(tenant, session) is not None)
