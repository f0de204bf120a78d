"""How an agent's tools fare: each call on record, and lasting errors remembered."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, OmoideError
from omoide.nouns.item import Category, Details, Item, Source
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from omoide.telemetry.logs import get_logger

_TOLD = ("error_brief", "error", "message")  # where results tell of an error, the shortest first
ERROR_MOST = 500  # characters of an error that is remembered
# what passes by itself says nothing about the tool
_PASSING = re.compile(
    r"time[d ]?\s?-?out|connection (?:refused|reset|aborted|error)|temporarily|unavailable"
    r"|rate.?limit|too many requests|cancell?ed|interrupt|bad gateway|intermittent"
    r"|\b(?:408|429|500|502|503|504)\b",
    re.IGNORECASE,
)

_log = get_logger(__name__)


def failure_of(result: Any) -> str:
    """The error that a tool's result tells of; empty for none."""
    if not isinstance(result, Mapping):
        return ""
    told = next(filter(None, (result.get(name) for name in _TOLD)), None)
    failed = result.get("status") in ("error", "failed") or bool(result.get("error"))
    return str(told or "unknown error") if failed else ""


def is_passing(error: str) -> bool:
    """Whether an error passes by itself: a timeout, a lost connection, a limit, an interrupt."""
    return _PASSING.search(error) is not None


class ToolLog:
    """Notes calls of one agent's tools. What goes wrong in noting never stops the agent."""

    def __init__(self, memory: Memory, context: str) -> None:
        self._memory, self._context = memory, context

    def worked(self, tool: str, args: Any, result: Any, started: float) -> None:
        """Note a call that worked; the errors remembered of that tool go."""
        try:
            self._record(tool, args, started, result=str(result))
            for item in self._errors(tool):
                self._memory.forget(item.id)
        except OmoideError as error:
            _log.warning("a tool call is not on record", tool=tool, error=str(error))

    def failed(self, tool: str, args: Any, problem: str, started: float) -> None:
        """Note a call that failed, and remember its error unless it passes by itself."""
        try:
            self._record(tool, args, started, error=problem)
            if not is_passing(problem):
                self._memory.remember(
                    f"{tool}: {problem}"[:ERROR_MOST],
                    Scope(context=self._context),
                    category=Category.ERROR,
                    details=Details(source=Source.ERROR_AUTO, domain=_domain(tool)),
                )
        except OmoideError as error:
            _log.warning("a tool call is not on record", tool=tool, error=str(error))

    def _record(self, tool: str, args: Any, started: float, **outcome: Any) -> None:
        ms = (time.monotonic() - started) * 1_000
        given = args if isinstance(args, Mapping) else {"arguments": str(args)}
        try:
            self._memory.tool_calls.record(tool, args=given, duration_ms=ms, **outcome)
        except InvalidInput:  # arguments that are no JSON
            told = {"arguments": str(args)}
            self._memory.tool_calls.record(tool, args=told, duration_ms=ms, **outcome)

    def _errors(self, tool: str) -> list[Item]:
        wanted = Listing(category=Category.ERROR, domain=_domain(tool))
        return [i for i in self._memory.items.list(wanted) if i.source is Source.ERROR_AUTO]


def _domain(tool: str) -> str:
    return f"tool:{tool}"
