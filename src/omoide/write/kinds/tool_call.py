"""What the product has to know of calls of tools."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.errors import TooLong
from omoide.nouns.metadata import Json, parse_json
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.tools import ToolCall, ToolCalls
from omoide.text.secrets.fields import mask_json, mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import check_id
from omoide.write.loading import check_counts, check_past, check_same
from omoide.write.tool_calls import TEXT_CUT, add_call


def _mask(tx: Transaction, door: Door, tenant: str, call: ToolCall) -> None:
    ToolCalls(tx).mask(without_secrets(call))


def _mask_args(args: str) -> str:
    """What a tool was called with: JSON, or the start of it, which is a text like any other."""
    try:
        told: Json = parse_json(args)
    except ValueError:
        return mask_line(args)
    clean = mask_json(told)
    return args if clean == told else json.dumps(clean, ensure_ascii=False)


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[ToolCall]:
    return [] if target.user is None else list(ToolCalls(tx).held(scope.tenant, target.user))


def _exported(tx: Transaction, tenant: str, user: str | None) -> Iterable[ToolCall]:
    return () if user == "" else ToolCalls(tx).held(tenant, user)


def _fit(call: ToolCall, now: datetime) -> ToolCall:
    check_past(call, ("at",), now)
    if call.duration_ms is not None:
        check_counts(call, ("duration_ms",))
    return replace(
        call,
        id=check_id(call.id, "id"),
        tool=check_id(call.tool, "tool"),
        args=_mask_args(_checked(call.args, "args")),
        result=mask_line(_checked(call.result, "result")),
        error=None if call.error is None else mask_line(_checked(call.error, "error")),
    )


def _checked(text: str, field: str) -> str:
    if len(text) > TEXT_CUT:
        raise TooLong(field, len(text), TEXT_CUT)
    return text


def _load(tx: Transaction, door: Door, call: ToolCall, told: Container[str]) -> Mapping[str, int]:
    there = ToolCalls(tx).find(call.scope.tenant, call.id)
    if there is not None:
        check_same("tool call", call.id, equal=(there.tool, there.args) == (call.tool, call.args))
        return {}
    add_call(call, tx)
    return {"tool_call": 1}


def _stats(tx: Transaction, scope: Scope, now: datetime) -> Mapping[str, Any]:
    called = ToolCalls(tx).summary(scope)
    return {
        "tools": len(called),
        "tool_calls": sum(tool.calls for tool in called),
        "tool_errors": sum(round(tool.calls * (1 - tool.success_rate)) for tool in called),
    }


TOOL_CALL = RecordKind(
    name="tool_call",
    record=ToolCall,
    plural="tool_calls",
    tables=(Table("tool_calls"),),
    texts=("args", "result", "error"),
    masked_by={"args": _mask_args},
    table=ToolCalls,
    noted=False,
    mask=_mask,
    edges=(Edge(rule=Rule.PART_OF, of=("session",), query="edges.tool_calls_of_sessions"),),
    meant=_meant,
    stats=_stats,
    exported=_exported,
    fit=_fit,
    load=_load,
)
