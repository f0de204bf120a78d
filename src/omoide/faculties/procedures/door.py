"""The door to procedures: what a model advises is read and checked, and what is added, switched or
superseded leaves a change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from omoide.grounding.claims import Flag
from omoide.grounding.invented import SourceText
from omoide.models.chat.answers import one_line
from omoide.nouns.change import Action
from omoide.nouns.clock import Clock
from omoide.nouns.errors import CannotUndo, Forbidden, InvalidInput
from omoide.nouns.item import Tier
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Json, parse_json
from omoide.nouns.procedure import (
    Advice,
    Failed,
    Procedure,
    ProcedureId,
    Provenance,
    check_advice,
    without_places,
)
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger, Past
from omoide.tables.procedures import Procedures, state_of
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets import mask_secrets
from omoide.write.apply import Door
from omoide.write.proposals import Mode, must_wait
from omoide.write.trust import WORD

LEAST_SURE = 0.5  # less sure advice is none
_FIGURES = frozenset({Flag.NAME, Flag.NUMBER, Flag.DATE, Flag.ADDRESS})
_START = re.compile(r"(?:\A|[.!?:;…] +)[\"'“„«(]?\w")
_NUMBERED = re.compile(r"\A\d{1,2}[.)] +")
_UNDONE = {"enabled": False, "superseded_by": ""}  # what undoing an addition leaves


def failure_text(failed: Failed) -> str:
    """A failure as a proposer is told of it: one JSON object, so that no text in it can pass for
    anything else.
    """
    told = {
        name: value
        for name, value in asdict(replace(failed, error=without_places(failed.error))).items()
        if value
    }
    return f"The task, as data:\n{mask_secrets(json.dumps(told, ensure_ascii=False)).text}"


def recipe_text(goals: Sequence[str], tools: Sequence[str]) -> str:
    """Goals that were reached alike, and by which tools, as a proposer is told of them."""
    told = {"goals": [goal[:500] for goal in goals[:5]], "tools": list(tools)}
    return f"As data:\n{mask_secrets(json.dumps(told, ensure_ascii=False)).text}"


def read_advice(answer: dict[str, Any]) -> Advice | None:
    """The advice in an answer, its texts on one line each; None where it has none, or is not sure
    of it.

    Raises:
        ValueError: there is some, and it is not within its limits.
    """
    if not answer:
        return None
    texts = {
        name: one_line(answer.get(name))
        for name in ("name", "when_to_use", "discovery", "activation")
    }
    steps, tags = (
        tuple(_NUMBERED.sub("", step) for step in _lines(answer.get("steps"))),
        _lines(answer.get("tags")),
    )
    sure = answer.get("confidence")
    confidence = (
        float(sure) if isinstance(sure, int | float) and not isinstance(sure, bool) else 0.0
    )
    try:
        advice = check_advice(Advice(**texts, steps=steps, tags=tags, confidence=confidence))
    except InvalidInput as error:
        raise ValueError(f"{error.field} {error.problem}") from None
    masked = mask_secrets("\n".join((*texts.values(), *steps, *tags)))
    return None if confidence < LEAST_SURE or masked.masks else advice


def told_lines(material: str) -> list[str]:
    """What a proposer was told, text by text, with what each is."""
    values = (
        (name, one)
        for name, value in _told(material).items()
        for one in (value if isinstance(value, list) else [value])
    )
    return [f"{name}: {one}" for name, one in values]


def lesson_tier(material: str) -> Tier:
    """Whose word the lesson of a failure is: what a tool said in its error is no agent's."""
    return Tier.DOCUMENT if "error" in _told(material) else Tier.AGENT


def _told(material: str) -> dict[str, Any]:
    """What a proposer was told, field by field. What a mask left no JSON is one text, and nobody's
    word.
    """
    try:
        told = parse_json(material.partition("\n")[2])
    except ValueError:
        told = None
    return told if isinstance(told, dict) else {"error": material}


def unfounded(advice: Advice, lines: Sequence[str], at: datetime) -> frozenset[Flag]:
    """Which names, numbers, dates and addresses of advice are in nothing that its proposer was
    told.

    It is general on purpose, so its words need not be. What it is called may use capitals as a
    heading does, and it and a sentence begin with what is to be done, not with a name.
    """
    texts = (advice.name, advice.when_to_use, advice.discovery, advice.activation, *advice.steps)
    name, *rest = [_START.sub(lambda start: start[0].lower(), text) for text in texts]
    told = SourceText(lines, at)
    found = [told.lacks(text) for text in rest] + [SourceText((*lines, *rest), at).lacks(name)]
    return _FIGURES & frozenset[Flag]().union(*found)


def add_procedure(
    tx: Transaction, door: Door, procedure: Procedure, *, by: Tier | None = None
) -> Procedure:
    """Add a procedure; the current one of the same origin gives way to it. As it stands then.

    One that is the word of somebody more trusted stays beside it, and so do all where it is off, as
    what was handed on is. by: as whose word it is added, if not its own.
    """
    door.lock(procedure.scope)
    same = _same(tx, procedure)
    version = max((one.version for one in same), default=0) + 1
    added = replace(procedure, version=version)
    add_known(tx, door, added)
    most = procedure.tier if by is None else by
    for one in (one for one in same if procedure.enabled and one.tier <= most):
        _set(tx, door, Action.SUPERSEDE, one, replace(one, superseded_by=added.id))
    return added


def would_supersede(tx: Transaction, procedure: Procedure) -> ProcedureId | None:
    """The current procedure of the same origin that would give way to one."""
    same = _same(tx, procedure)
    return next((one.id for one in same if one.tier <= procedure.tier), None)


def teaches(tx: Transaction, tenant: str, id: str) -> bool:
    """Whether a turn or session is there, and may be learnt from."""
    if "#" not in id:
        return Sessions(tx).teaches(tenant, id) is True
    turn = Turns(tx).find(tenant, id)
    return (
        turn is not None
        and not Turns(tx).hidden(tenant, turn)
        and Sessions(tx).teaches(tenant, turn.session) is True
    )


def add_known(tx: Transaction, door: Door, procedure: Procedure) -> None:
    """Add a procedure as it was elsewhere; no other gives way to it."""
    door.lock(procedure.scope)
    Procedures(tx).add(procedure)
    door.note_record(Action.ADD, Kind.PROCEDURE, procedure, _UNDONE)


def check_switching(procedure: Procedure, tier: Tier, mode: Mode, *, enabled: bool) -> None:
    """That somebody's word may let a procedure be recalled, or no more.

    A person alone lets one be recalled that another agent handed on, or that would wait for review
    if it were made now.

    Raises:
        Forbidden: it weighs less than the procedure, or it is for a person; the message says who
            may, and how.
    """
    if tier < procedure.tier:
        what = (
            f"procedure {procedure.id!r} is {WORD[procedure.tier]}, and {WORD[tier]} cannot"
            " switch it on or off"
        )
        raise Forbidden(
            f"{what}; who speaks for them says so with"
            f" acting(Because(tier=Tier.{procedure.tier.name}))"
        )
    handed = procedure.provenance is Provenance.AGENT
    if (
        enabled
        and not procedure.enabled
        and tier is not Tier.USER
        and (handed or must_wait(mode, procedure, ()))
    ):
        what = (
            f"procedure {procedure.id!r}"
            f" {'was handed on' if handed else 'is one that waits for review'}"
        )
        raise Forbidden(
            f"{what}: a person lets it be recalled; who speaks for them says so with"
            " acting(Because(tier=Tier.USER))"
        )


def enable(tx: Transaction, door: Door, procedure: Procedure, *, enabled: bool) -> Procedure:
    """Let a procedure be recalled, or no more."""
    return _set(tx, door, Action.EDIT, procedure, replace(procedure, enabled=enabled))


def give_way(tx: Transaction, door: Door, procedure: Procedure, after: ProcedureId | None) -> None:
    """Let a procedure be superseded by another, or by none, since what superseded it is forgotten;
    of that, nothing is kept.
    """
    Ledger(tx).forget(procedure.scope.tenant, procedure.id)
    door.lock(procedure.scope)
    Procedures(tx).set(replace(procedure, superseded_by=after))
    door.note_record(Action.UNSAY, Kind.PROCEDURE, procedure)


def revert_procedure(tx: Transaction, door: Door, past: Past) -> None:
    """Take a change of a procedure back. One that is gone stays gone.

    Raises:
        CannotUndo: what it was before was forgotten.
    """
    procedure = Procedures(tx).find(past.change.tenant, past.change.record)
    if procedure is not None:
        before = past.before
        if "enabled" not in before:
            raise CannotUndo(
                f"procedure {procedure.id!r} stood on one that was forgotten; nothing is left to"
                " bring back"
            )
        earlier = replace(
            procedure,
            enabled=before["enabled"],
            superseded_by=ProcedureId(before["superseded_by"]) or None,
        )
        _set(tx, door, Action.UNDO, procedure, earlier, cause=past.change.id)


def of_advice(advice: Advice, clock: Clock, scope: Scope, procedure: dict[str, Any]) -> Procedure:
    """Advice as a procedure of a place; the rest of its fields is given."""
    told = {
        name: getattr(advice, name)
        for name in ("name", "when_to_use", "discovery", "activation", "steps", "confidence")
    }
    place = Scope(tenant=scope.tenant, user=scope.user, agent=scope.agent)
    return Procedure(
        id=ProcedureId(clock.new_id()), scope=place, created_at=clock.now(), **told, **procedure
    )


def _same(tx: Transaction, procedure: Procedure) -> list[Procedure]:
    """The other current procedures of the same origin and place."""
    return [
        one
        for one in Procedures(tx).page(procedure.scope, current=True, limit=1_000)
        if (one.origin, one.scope) == (procedure.origin, procedure.scope) and one.id != procedure.id
    ]


def _set(
    tx: Transaction,
    door: Door,
    action: Action,
    before: Procedure,
    after: Procedure,
    cause: str | None = None,
) -> Procedure:
    door.lock(after.scope)
    Procedures(tx).set(after)
    door.note_record(action, Kind.PROCEDURE, after, state_of(before), cause=cause)
    return after


def _lines(value: Json) -> tuple[str, ...]:
    return (
        tuple(dict.fromkeys(filter(None, map(one_line, value)))) if isinstance(value, list) else ()
    )
