"""What the product has to know of procedures."""

from __future__ import annotations

from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.record_kind import RecordKind
from omoide.store.base import Transaction
from omoide.tables.procedures import Procedures
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door


def _page(tx: Transaction, tenant: str, last: Procedure | None, limit: int) -> list[Procedure]:
    return [] if last else Procedures(tx).of_tenant(tenant)


def _find(tx: Transaction, tenant: str, id: str) -> Procedure | None:
    return Procedures(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, procedure: Procedure) -> None:
    Procedures(tx).mask(without_secrets(procedure))
    before = {"agent": procedure.scope.agent or ""}
    door.note(Action.MASK, Kind.PROCEDURE, procedure.id, procedure.scope, before=before)


PROCEDURE = RecordKind(
    name="procedure",
    record=Procedure,
    tables=("procedures", "procedure_vectors"),
    texts=("name", "when_to_use", "discovery", "activation", "steps", "tools", "tags"),
    page=_page,
    find=_find,
    mask=_mask,
)
