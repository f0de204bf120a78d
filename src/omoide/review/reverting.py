"""Taking back what became of proposals: they wait again, or no more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from omoide.nouns.change import Action, Change
from omoide.nouns.errors import CannotUndo, Forbidden
from omoide.nouns.ids import ChangeId
from omoide.nouns.item import Tier
from omoide.nouns.kind import Kind
from omoide.nouns.proposal import Proposal
from omoide.review.decisions import PERSON
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger, Past
from omoide.tables.proposals import Proposals
from omoide.write.apply import Door
from omoide.write.proposals import LASTS, proposings


def revert_proposal(tx: Transaction, door: Door, past: Past, tier: Tier) -> None:
    """Let a proposal wait again, for as long as a new one, or wait no more again.

    Raises:
        CannotUndo: it is no longer kept, waits already, or was proposed again since.
        Forbidden: it would wait no more, and no person acts.
    """
    change, waits = past.change, bool(past.before.get("waits"))
    proposal = _kept(tx, change)
    if not waits and tier is not Tier.USER:
        raise Forbidden(PERSON)
    door.lock(proposal.scope)
    again = _proposed_again(tx, proposal, door.now) if waits else None
    if again is not None:
        raise CannotUndo(
            f"proposal {proposal.id!r} was proposed again since, as {again.id!r}, which waits;"
            " settle that one"
        )
    if not _let_wait(tx, proposal, door.now, waits=waits):
        raise CannotUndo(f"proposal {proposal.id!r} {'waits' if waits else 'was settled'} already")
    _note_undo(door, proposal, change, waits=not waits)


def _let_wait(tx: Transaction, proposal: Proposal, now: datetime, *, waits: bool) -> int:
    """Let a proposal wait for as long as a new one, or no more; whether that was not so."""
    tenant, table = proposal.scope.tenant, Proposals(tx)
    if waits:
        return table.wake(tenant, proposal.id, now + LASTS)
    return table.settle(tenant, proposal.id, now)


def revert_proposing(tx: Transaction, door: Door, past: Past, group: Collection[ChangeId]) -> None:
    """Let what was proposed wait no more, unless something else than these changes had it wait too;
    or wait again.
    """
    change, waits = past.change, bool(past.before.get("waits"))
    proposal = _kept(tx, change)
    door.lock(proposal.scope)
    going = {Ledger(tx).root(past).change.id, *group}
    alone = (
        _proposed_again(tx, proposal, door.now) is None
        if waits
        else all(one.change.id in going for one in proposings(tx, change.tenant, proposal.id))
    )
    if alone:
        _let_wait(tx, proposal, door.now, waits=waits)
    _note_undo(door, proposal, change, waits=not waits)


def _kept(tx: Transaction, change: Change) -> Proposal:
    proposal = Proposals(tx).find(change.tenant, change.record)
    if proposal is None:
        raise CannotUndo(f"proposal {change.record!r} no longer waits, and is not kept")
    return proposal


def _note_undo(door: Door, proposal: Proposal, change: Change, *, waits: bool) -> None:
    door.note_record(Action.UNDO, Kind.PROPOSAL, proposal, {"waits": waits}, cause=change.id)


def _proposed_again(tx: Transaction, proposal: Proposal, now: datetime) -> Proposal | None:
    """Another proposal of the same that waits now."""
    same = Proposals(tx).same(replace(proposal, made_at=now))
    return None if same is None or same.id == proposal.id else same


def is_proposed_again(tx: Transaction, past: Past, now: datetime) -> bool:
    """Whether a change had something wait no more that waits again by another proposal of the
    same.
    """
    proposal = (
        Proposals(tx).find(past.change.tenant, past.change.record)
        if past.before.get("waits")
        else None
    )
    return proposal is not None and _proposed_again(tx, proposal, now) is not None


def is_settled(tx: Transaction, past: Past) -> bool:
    """Whether a change had something wait that waits no more."""
    if past.change.action is not Action.PROPOSE:
        return False
    proposal = Proposals(tx).find(past.change.tenant, past.change.record)
    return proposal is None or proposal.settled_at is not None
