"""What the product has to know of procedures."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.faculties.procedures.door import add_known, give_way, revert_procedure
from omoide.nouns.change import Action
from omoide.nouns.errors import CannotUndo
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import (
    FILE_LIMITS,
    MODEL_LIMITS,
    TOOLS,
    Advice,
    Procedure,
    ProcedureId,
    Provenance,
    check_advice,
)
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, Undoing, of_table
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.ledger import Past
from omoide.tables.procedures import Procedures
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import ORIGIN_LIMIT, check_id, check_line, check_names, check_text
from omoide.write.loading import check_counts, check_past, check_same


def _mask(tx: Transaction, door: Door, tenant: str, procedure: Procedure) -> None:
    Procedures(tx).mask(without_secrets(procedure))
    door.note_record(Action.MASK, Kind.PROCEDURE, procedure)


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[Procedure]:
    if target.user is not None:
        return Procedures(tx).of_user(scope.tenant, target.user)
    if target.sort == "all" and scope.user:
        own = Procedures(tx).of_user(scope.tenant, scope.user)
        return [one for one in own if one.scope.agent in (None, scope.agent)]
    table = Procedures(tx)
    one = table.get(scope, target.id, whole=False) if target.id else None
    seen = table.page(scope, current=False, limit=1_000_000, whole=False) if one else []
    # with all its versions
    return [
        other for other in seen if one and (other.origin, other.scope) == (one.origin, one.scope)
    ]


def _fit(procedure: Procedure, now: datetime) -> Procedure:
    check_past(procedure, ("created_at", "last_used_at"), now)
    check_counts(procedure, ("version", "successes", "attempts"))
    told = ("name", "when_to_use", "discovery", "activation")
    advice = Advice(
        **{
            name: mask_line(" ".join(check_text(getattr(procedure, name)).split())) for name in told
        },
        steps=tuple(mask_line(" ".join(check_text(step).split())) for step in procedure.steps),
        tags=check_names(procedure.tags, "tags"),
        confidence=procedure.confidence,
    )
    by_file = procedure.provenance is Provenance.FILE
    checked = check_advice(advice, FILE_LIMITS if by_file else MODEL_LIMITS)
    parts = {name: getattr(checked, name) for name in (*told, "steps", "tags", "confidence")}
    after = (
        None
        if procedure.superseded_by is None
        else ProcedureId(check_id(procedure.superseded_by, "superseded_by"))
    )
    return replace(
        procedure,
        id=ProcedureId(check_id(procedure.id, "id")),
        origin=check_line(procedure.origin, "origin", ORIGIN_LIMIT),
        sources=tuple(check_id(source, "sources") for source in procedure.sources),
        tools=check_names(procedure.tools, "tools")[:TOOLS],
        superseded_by=after,
        **parts,
    )


def _load(
    tx: Transaction, door: Door, procedure: Procedure, told: Container[str]
) -> Mapping[str, int]:
    there = Procedures(tx).find(procedure.scope.tenant, procedure.id)
    if there is not None:
        check_same("procedure", procedure.id, equal=there.activation == procedure.activation)
        return {}
    add_known(tx, door, procedure)
    return {"procedure": 1}


def _let_go(tx: Transaction, door: Door, procedure: Procedure, gone: Mapping[str, Any]) -> None:
    """What had given way to one that goes gives way to what that had given way to, or to
    nothing.
    """
    after = procedure.superseded_by
    while after is not None and after in gone:
        after = gone[after].superseded_by
    give_way(tx, door, procedure, after)


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    if not past.kept:
        raise CannotUndo(
            f"procedure {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    revert_procedure(tx, door, past)


def _stats(tx: Transaction, scope: Scope, now: datetime) -> Mapping[str, Any]:
    enabled, off = Procedures(tx).count(scope)
    return {"procedures": enabled, "procedures_off": off}


PROCEDURE = RecordKind(
    name="procedure",
    record=Procedure,
    plural="procedures",
    tables=(
        Table("procedures"),
        Table("procedure_vectors", ("tenant", "procedure_id", "model")),
    ),
    columns=("origin",),
    texts=("name", "when_to_use", "discovery", "activation", "steps", "tools", "tags"),
    sealed=True,
    table=Procedures,
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
    stats=_stats,
    revert=_revert,
    exported=of_table(Procedures),
    fit=_fit,
    load=_load,
    # as they stand in their column
    proof=lambda procedure: (json.dumps(text)[1:-1] for text in procedure.texts()),
    held="procedures.held",
    let_go=_let_go,
)
