"""Notes the calls that agents make to tools: secrets masked, texts cut, arguments of sensitive
calls left out.

Of each call the log tells the tool, its arguments as far as a log entry may hold them, and how it
went; never its result. Old calls are pruned as other records are: first out of all reads, later
erased.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from omoide.nouns.change import Action
from omoide.nouns.clock import Clock, from_micros, to_micros
from omoide.nouns.errors import CannotUndo, InvalidInput
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, committed
from omoide.tables.ledger import Past
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCall, ToolCalls
from omoide.telemetry.logs import get_logger
from omoide.text.secrets import mask_secrets
from omoide.text.secrets.fields import mask_json
from omoide.write.apply import Door
from omoide.write.checks import check_id, check_scope, is_text

_log = get_logger(__name__)

TEXT_CUT = 500  # characters kept of arguments, result and error
_LOOKED_AT = 20_000  # characters of a text that secrets are searched in before it is cut


@frozen_record
class CallOutcome:
    """How a call went, as the caller tells it. error None: it succeeded."""

    args: Mapping[str, Any]
    result: str = ""
    error: str | None = None
    duration_ms: float | None = None
    sensitive: bool = False  # keep only the names of the arguments


def record_tool(
    store: Store, clock: Clock, scope: Scope, tool: str, outcome: CallOutcome
) -> ToolCall:
    """Note a call of a tool.

    Raises:
        InvalidInput: the tool's name cannot be one, or a text or time is none.
    """
    args = sorted(map(str, outcome.args)) if outcome.sensitive else _masked(outcome.args)
    call = ToolCall(
        id=clock.new_id(),
        scope=check_scope(scope),
        tool=check_id(tool, "tool"),
        args=_kept(json.dumps(args, ensure_ascii=False), "args"),
        result=_kept("" if outcome.sensitive else outcome.result, "result"),
        error=None if outcome.error is None else _kept(outcome.error, "error"),
        duration_ms=_duration(outcome.duration_ms),
        at=clock.now(),
    )
    committed(store, partial(add_call, call), tenant=scope.tenant)
    _log.info("tool_called", tool=call.tool, args=args, success=call.success, ms=call.duration_ms)
    return call


def add_call(call: ToolCall, tx: Transaction) -> None:
    """Store a call, which in a session of several users is none of them alone."""
    session = Sessions(tx).within(call.scope)
    ToolCalls(tx).add(call, shared=session is not None and len(session.users) > 1)


def _duration(took_ms: float | None) -> int | None:
    if took_ms is None:
        return None
    if not 0 <= took_ms < 2**53:
        raise InvalidInput(
            "duration_ms", f"must be a number of milliseconds, 0 or more; got {took_ms}"
        )
    return round(took_ms)


def archive_calls(
    tx: Transaction, door: Door, scope: Scope, *, before: datetime, purge_at: datetime
) -> int:
    """Prune a user's calls made up to a time: they are in no read, and are erased at another; how
    many.
    """
    door.lock(scope)
    count = ToolCalls(tx).archive(scope, before=before, purge_at=purge_at)
    if count:
        door.note_round(Action.ARCHIVE, scope, {"calls": _span(before, purge_at), "archived": True})
    return count


def revert_calls(tx: Transaction, door: Door, past: Past) -> None:
    """Bring pruned calls back, or prune them again, with the same time to be erased at.

    Raises:
        CannotUndo: they are erased, or were forgotten.
    """
    scope, times, archived = _owner(past), _times(past), bool(past.before["archived"])
    door.lock(scope)
    if not (ToolCalls(tx).unarchive if archived else ToolCalls(tx).archive)(scope, **times):
        if door.now < times["purge_at"]:
            raise CannotUndo("the tool calls were forgotten; nothing is left to bring back")
        raise CannotUndo(f"the tool calls were in the archive until {times['purge_at']:%Y-%m-%d}")
    before = {"calls": past.before["calls"], "archived": not archived}
    door.note(
        Action.UNDO, Kind.ROUND, past.change.record, scope, before=before, cause=past.change.id
    )


def are_forgotten(tx: Transaction, past: Past, now: datetime) -> bool:
    """Whether a change pruned calls none of which is there any more although their time in the
    archive is not over.
    """
    if not past.before.get("archived") or "calls" not in past.before:
        return False
    times = _times(past)
    return now < times["purge_at"] and not ToolCalls(tx).archived(_owner(past), **times)


def _owner(past: Past) -> Scope:
    return Scope(tenant=past.change.tenant, user=past.change.user)


def _times(past: Past) -> dict[str, datetime]:
    return {name: from_micros(past.before["calls"][name]) for name in ("before", "purge_at")}


def _span(before: datetime, purge_at: datetime) -> dict[str, int]:
    return {"before": to_micros(before), "purge_at": to_micros(purge_at)}


def _masked(args: Mapping[str, Any]) -> dict[str, Json]:
    """The arguments as JSON with their secrets masked; what is no JSON by its repr.

    Raises:
        InvalidInput: they are nested in themselves, or too deep, or have keys that are none.
    """
    try:
        masked = mask_json(json.loads(json.dumps(dict(args), default=repr)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("args", f"cannot be written as JSON: {error}") from None
    assert isinstance(masked, dict)
    return masked


def _kept(text: object, field: str) -> str:
    return mask_secrets(is_text(text, field)[:_LOOKED_AT]).text[:TEXT_CUT]
