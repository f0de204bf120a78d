"""The door to procedures: what a model advises is read and checked, and what is added, switched or superseded leaves a change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from omoide.clock import Clock
from omoide.errors import CannotUndo, InvalidInput
from omoide.models.answers import one_line
from omoide.procedures import Advice, Failed, Procedure, ProcedureId, check_advice, without_places
from omoide.records import Action, Json, Kind, Scope
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger, Past
from omoide.tables.procedures import Procedures, state_of
from omoide.text.secrets import mask_secrets
from omoide.write.apply import Door

LEAST_SURE = 0.5  # less sure advice is none
_UNDONE = {"enabled": False, "superseded_by": ""}  # what undoing an addition leaves


def failure_text(failed: Failed) -> str:
    """A failure as a proposer is told of it: one JSON object, so that no text in it can pass for anything else."""
    told = {name: value for name, value in asdict(replace(failed, error=without_places(failed.error))).items() if value}
    return f"The task, as data:\n{mask_secrets(json.dumps(told, ensure_ascii=False)).text}"


def recipe_text(goals: Sequence[str], tools: Sequence[str]) -> str:
    """Goals that were reached alike, and by which tools, as a proposer is told of them."""
    told = {"goals": [goal[:500] for goal in goals[:5]], "tools": list(tools)}
    return f"As data:\n{mask_secrets(json.dumps(told, ensure_ascii=False)).text}"


def read_advice(answer: dict[str, Any]) -> Advice | None:
    """The advice in an answer, its texts on one line each; None where it has none, or is not sure of it.

    Raises:
        ValueError: there is some, and it is not within its limits.
    """
    if not answer:
        return None
    texts = {name: one_line(answer.get(name)) for name in ("name", "when_to_use", "discovery", "activation")}
    steps, tags = _lines(answer.get("steps")), _lines(answer.get("tags"))
    sure = answer.get("confidence")
    confidence = float(sure) if isinstance(sure, int | float) and not isinstance(sure, bool) else 0.0
    try:
        advice = check_advice(Advice(**texts, steps=steps, tags=tags, confidence=confidence))
    except InvalidInput as error:
        raise ValueError(f"{error.field} {error.problem}") from None
    masked = mask_secrets("\n".join((*texts.values(), *steps, *tags)))
    return None if confidence < LEAST_SURE or masked.masks else advice


def add_procedure(tx: Transaction, door: Door, procedure: Procedure) -> Procedure:
    """Add a procedure; the current one of the same origin gives way to it. As it stands then."""
    door.lock(procedure.scope)
    same = [one for one in Procedures(tx).page(procedure.scope, current=True, limit=1_000) if _is_same(one, procedure)]
    version = max((one.version for one in same), default=0) + 1
    added = replace(procedure, version=version)
    add_known(tx, door, added)
    for one in same:
        _set(tx, door, Action.SUPERSEDE, one, replace(one, superseded_by=added.id))
    return added


def add_known(tx: Transaction, door: Door, procedure: Procedure) -> None:
    """Add a procedure as it was elsewhere; no other gives way to it."""
    door.lock(procedure.scope)
    Procedures(tx).add(procedure)
    _note(door, Action.ADD, procedure, _UNDONE | {"agent": procedure.scope.agent or ""})


def enable(tx: Transaction, door: Door, procedure: Procedure, *, enabled: bool) -> Procedure:
    """Let a procedure be recalled, or no more."""
    return _set(tx, door, Action.EDIT, procedure, replace(procedure, enabled=enabled))


def give_way(tx: Transaction, door: Door, procedure: Procedure, after: ProcedureId | None) -> None:
    """Let a procedure be superseded by another, or by none, since what superseded it is forgotten; of that, nothing is kept."""
    Ledger(tx).forget(procedure.scope.tenant, procedure.id)
    door.lock(procedure.scope)
    Procedures(tx).set(replace(procedure, superseded_by=after))
    _note(door, Action.UNSAY, procedure, {"agent": procedure.scope.agent or ""})


def revert_procedure(tx: Transaction, door: Door, past: Past) -> None:
    """Take a change of a procedure back. One that is gone stays gone.

    Raises:
        CannotUndo: what it was before was forgotten.
    """
    procedure = Procedures(tx).find(past.change.tenant, past.change.record)
    if procedure is not None:
        before = past.before
        if "enabled" not in before:
            raise CannotUndo(f"procedure {procedure.id!r} stood on one that was forgotten; nothing is left to bring back")
        earlier = replace(procedure, enabled=before["enabled"], superseded_by=ProcedureId(before["superseded_by"]) or None)
        _set(tx, door, Action.UNDO, procedure, earlier, cause=past.change.id)


def of_advice(advice: Advice, clock: Clock, scope: Scope, procedure: dict[str, Any]) -> Procedure:
    """Advice as a procedure of a place; the rest of its fields is given."""
    told = {name: getattr(advice, name) for name in ("name", "when_to_use", "discovery", "activation", "steps", "confidence")}
    place = Scope(tenant=scope.tenant, user=scope.user, agent=scope.agent)
    return Procedure(id=ProcedureId(clock.new_id()), scope=place, created_at=clock.now(), **told, **procedure)


def _is_same(one: Procedure, other: Procedure) -> bool:
    return one.origin == other.origin and one.scope == other.scope and one.id != other.id


def _set(tx: Transaction, door: Door, action: Action, before: Procedure, after: Procedure, cause: str | None = None) -> Procedure:
    door.lock(after.scope)
    Procedures(tx).set(after)
    _note(door, action, after, state_of(before), cause)
    return after


def _note(door: Door, action: Action, procedure: Procedure, before: dict[str, Any], cause: str | None = None) -> None:
    door.note(action, Kind.PROCEDURE, procedure.id, procedure.scope, before=before, cause=cause)


def _lines(value: Json) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(one_line, value)))) if isinstance(value, list) else ()
