"""What waits for a person's word, and why. The rule is pure; letting something wait is a row in the caller's transaction."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from enum import StrEnum

from omoide.clock import Clock
from omoide.proposals import Proposal, ProposalId, Wish
from omoide.records import Category, Item, ItemId, Scope, SessionId, Tier
from omoide.store.base import Transaction
from omoide.tables.proposals import Proposals

LASTS = timedelta(days=30)  # until a proposal that nobody looked at goes


class Mode(StrEnum):
    """What of that which nobody said by themselves waits for a person."""

    AUTO = "auto"  # what failed a check, and preferences that are not the user's own word
    UNTRUSTED = "untrusted"  # also all that tools and documents say, and whatever would close an item unless the user said it
    ALL = "all"


def must_wait(mode: Mode, item: Item, flags: Collection[str], *, closes: bool = False) -> bool:
    """Whether an item that a model suggests waits; closes: another would give way to it."""
    if flags or mode is Mode.ALL:
        return True
    if item.category is Category.PREFERENCE and item.tier is not Tier.USER:
        return True
    return mode is Mode.UNTRUSTED and (item.tier is Tier.DOCUMENT or (closes and item.tier is not Tier.USER))


def propose(
    tx: Transaction,
    clock: Clock,
    scope: Scope,
    item: Item | None,
    *,
    target: ItemId | None,
    flags: Collection[str],
    session: SessionId | None,
) -> ProposalId:
    """Let an item wait, or the closing of another; the same is not proposed twice, whoever proposes it."""
    now = clock.now()
    wish = Wish.RETRACT if item is None else Wish.SUPERSEDE if target else Wish.ADD
    waiting = Proposals(tx).same(scope, wish, target, item.text if item else None, now)
    if waiting is not None:
        return waiting.id
    proposal = Proposal(
        id=ProposalId(clock.new_id()),
        scope=scope,
        wish=wish,
        item=item,
        target=target,
        session=session,
        flags=tuple(sorted(flags)),
        origin=item.origin if item else None,
        made_at=now,
        expires_at=now + LASTS,
    )
    Proposals(tx).add(proposal)
    return proposal.id
