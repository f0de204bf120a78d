"""What the product has to know of procedures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from omoide.faculties.procedures.door import give_way
from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.procedures import Procedures
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.erasing import note_erased


def _page(tx: Transaction, tenant: str, last: Procedure | None, limit: int) -> list[Procedure]:
    return [] if last else Procedures(tx).of_tenant(tenant)


def _find(tx: Transaction, tenant: str, id: str) -> Procedure | None:
    return Procedures(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, procedure: Procedure) -> None:
    Procedures(tx).mask(without_secrets(procedure))
    before = {"agent": procedure.scope.agent or ""}
    door.note(Action.MASK, Kind.PROCEDURE, procedure.id, procedure.scope, before=before)


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[Procedure]:
    if target.user is not None:
        return Procedures(tx).of_user(scope.tenant, target.user)
    if target.sort == "all" and scope.user:
        own = Procedures(tx).of_user(scope.tenant, scope.user)
        return [one for one in own if one.scope.agent in (None, scope.agent)]
    one = Procedures(tx).get(scope, target.id) if target.id else None
    seen = Procedures(tx).page(scope, current=False, limit=1_000_000) if one else []
    # with all its versions
    return [
        other for other in seen if one and (other.origin, other.scope) == (one.origin, one.scope)
    ]


def _let_go(tx: Transaction, door: Door, procedure: Procedure, gone: Mapping[str, Any]) -> None:
    """What had given way to one that goes gives way to what that had given way to, or to
    nothing.
    """
    after = procedure.superseded_by
    while after is not None and after in gone:
        after = gone[after].superseded_by
    give_way(tx, door, procedure, after)


def _erase(
    tx: Transaction,
    door: Door,
    scope: Scope,
    procedures: Mapping[str, Procedure],
    gone: Mapping[str, Any],
) -> None:
    for procedure in procedures.values():
        Procedures(tx).forget(scope.tenant, procedure.id)
        note_erased(tx, door, Kind.PROCEDURE, procedure)


PROCEDURE = RecordKind(
    name="procedure",
    record=Procedure,
    plural="procedures",
    tables=("procedures", "procedure_vectors"),
    texts=("name", "when_to_use", "discovery", "activation", "steps", "tools", "tags"),
    page=_page,
    find=_find,
    mask=_mask,
    edges=(
        Edge(
            rule=Rule.MADE_OF,
            of=("turn", "session", "procedure"),
            query="edges.procedures_of_sources",
        ),
        Edge(rule=Rule.NAMES, of=("procedure",), query="edges.procedures_before"),
    ),
    meant=_meant,
    # as they stand in their column
    proof=lambda procedure: (json.dumps(text)[1:-1] for text in procedure.texts()),
    let_go=_let_go,
    erase=_erase,
)
