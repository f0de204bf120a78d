"""What the product has to know of proposals."""

from __future__ import annotations

from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.proposal import Proposal
from omoide.nouns.record_kind import RecordKind
from omoide.store.base import Transaction
from omoide.tables.proposals import Proposals
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door


def _page(tx: Transaction, tenant: str, last: Proposal | None, limit: int) -> list[Proposal]:
    return [] if last else Proposals(tx).of_tenant(tenant)


def _find(tx: Transaction, tenant: str, id: str) -> Proposal | None:
    return Proposals(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, proposal: Proposal) -> None:
    Proposals(tx).reword(without_secrets(proposal))
    before = {"agent": proposal.scope.agent or ""}
    door.note(Action.MASK, Kind.PROPOSAL, proposal.id, proposal.scope, before=before)


PROPOSAL = RecordKind(
    name="proposal",
    record=Proposal,
    tables=("proposals",),
    texts=("item", "made", "origin"),
    page=_page,
    find=_find,
    mask=_mask,
)
