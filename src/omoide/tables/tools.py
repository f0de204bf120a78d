"""The tool_calls table: what agents called, with what outcome."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from omoide.nouns.clock import EPOCH, from_micros, to_micros
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import (
    asker,
    micros,
    moment,
    owner,
    pack_json,
    partition,
    picked,
    scope_of,
)
from omoide.tables.rows import Rows


@frozen_record
class ToolCall(Record):
    """One call that an agent made. args, result and error are cut at 500 characters."""

    id: str
    scope: Scope
    tool: str
    args: str  # JSON, or the start of it
    result: str
    error: str | None  # None: it succeeded
    duration_ms: int | None
    at: datetime
    purge_at: datetime | None = None  # it is pruned, and erased by then

    @property
    def success(self) -> bool:
        """Whether it did what it was called for."""
        return self.error is None


@frozen_record
class ToolSummary(Record):
    """What the calls of one tool add up to. success_rate is from 0 to 1."""

    tool: str
    calls: int
    success_rate: float
    average_ms: float | None
    last_error: str | None
    last_at: datetime


@frozen_record
class ToolDay(Record):
    """Calls on one day, and how many of them failed."""

    calls: int
    errors: int


class ToolCalls(Rows):
    """Calls as rows, inside the caller's transaction."""

    def add(self, call: ToolCall, *, shared: bool) -> None:
        """Note a call; one in a shared session is seen from within it only."""
        scope = call.scope
        self._tx.run(
            "tools.add",
            tenant=scope.tenant,
            user="" if shared else scope.user or "",
            agent=scope.agent or "",
            session_id=scope.session or "",
            shared=int(shared),
            **_texts(call),
            tool=call.tool,
            success=int(call.success),
            duration_ms=call.duration_ms,
            at=to_micros(call.at),
            purge_at=micros(call.purge_at),
        )

    def mask(self, call: ToolCall) -> None:
        """Write the texts of a call."""
        self._tx.run("tools.mask", tenant=call.scope.tenant, **_texts(call))

    def latest(self, scope: Scope, tool: str, *, failed: bool, limit: int) -> list[ToolCall]:
        """The asker's calls of a tool (empty: of all), latest first; with failed only those that
        failed.
        """
        return self._all(
            _call, "tools.calls", **asker(scope), tool=tool, failed=int(failed), limit=limit
        )

    def runs(self, scope: Scope, limit: int) -> list[ToolCall]:
        """The asker's latest calls in sessions, latest first; private sessions, those of several
        users and undone ones aside.
        """
        return self._all(_call, "tools.runs", **owner(scope), limit=limit)

    def held(self, tenant: str, user: str | None) -> Iterator[ToolCall]:
        """All calls for a user (None: of the tenant), in order."""
        whose = {"user": user or "", "everything": int(user is None)}
        return map(_call, self._tx.rows("tools.held", tenant=tenant, **whose))

    def after(self, tenant: str, id: str, limit: int) -> list[ToolCall]:
        """The calls of a tenant whose ids follow one, in order: a walk through all of them."""
        return self._all(_call, "tools.after", tenant=tenant, after=id, limit=limit)

    def summary(self, scope: Scope) -> list[ToolSummary]:
        """The asker's tools, most called first."""
        return self._all(_summary, "tools.summary", **asker(scope))

    def per_day(self, scope: Scope, since: datetime, ahead: int) -> Mapping[str, ToolDay]:
        """Calls and errors by ISO date, on a clock so many microseconds ahead of UTC."""
        times = {"since": to_micros(since), "ahead": ahead}
        rows = self._tx.rows("tools.per_day", **asker(scope), **times)
        return {
            _date(row["day"]): ToolDay(calls=row["calls"], errors=int(row["errors"]))
            for row in rows
        }

    def tenants(self) -> list[str]:
        """Every tenant for which a tool was called, by name."""
        return self._column("tenant", "tools.tenants")

    def callers(self, tenant: str, since: datetime) -> list[Scope]:
        """For which users, and by which agents, tools were called since a time; those in private
        sessions aside.
        """
        rows = self._tx.rows("tools.callers", tenant=tenant, since=to_micros(since))
        return [scope_of(tenant, row["agent"], row["user_id"]) for row in rows]

    def own(self, scope: Scope, since: datetime, limit: int) -> list[ToolCall]:
        """The latest calls for a user by this one agent (None: by none) since a time, in order;
        those in private sessions aside.
        """
        values = {"since": to_micros(since), "limit": limit}
        return self._all(_call, "tools.own", **owner(scope), **values)[::-1]

    def messages(self, scope: Scope, since: datetime) -> int:
        """How many messages a user said to this one agent since a time; those in private sessions
        aside.
        """
        return int(
            self._column("messages", "tools.talk", **owner(scope), since=to_micros(since))[0]
        )

    def to_prune(self, tenant: str, before: datetime) -> list[str]:
        """Whose calls, made up to a time, are not pruned yet; an empty name for those of nobody in
        particular.
        """
        return self._column("user_id", "tools.to_prune", tenant=tenant, before=to_micros(before))

    def archive(self, scope: Scope, *, before: datetime, purge_at: datetime) -> int:
        """Take a user's calls made up to a time out of all reads, until they are erased at another;
        how many.
        """
        return self._tx.run("tools.archive", **_pruned(scope, before, purge_at))

    def unarchive(self, scope: Scope, *, before: datetime, purge_at: datetime) -> int:
        """Bring a user's calls back that were pruned so; how many are still there."""
        return self._tx.run("tools.unarchive", **_pruned(scope, before, purge_at))

    def archived(self, scope: Scope, *, before: datetime, purge_at: datetime) -> int:
        """How many of a user's calls that were pruned so are still there, and pruned."""
        return self._total("tools.archived", **_pruned(scope, before, purge_at))

    def purge(self, tenant: str, now: datetime) -> int:
        """Erase a tenant's calls whose time in the archive is over; how many."""
        return self._tx.run("tools.purge", tenant=tenant, now=to_micros(now))

    def find(self, tenant: str, id: str) -> ToolCall | None:
        """The call, whoever asks: for the write path."""
        return self._one(_call, "tools.raw", tenant=tenant, id=id)

    def made_in(self, tenant: str, session: str) -> bool:
        """Whether any was made in a session."""
        return bool(self._tx.rows("tools.made_in", tenant=tenant, session_id=session))

    def forget(self, tenant: str, id: str) -> int:
        """Erase a call."""
        return self._tx.run("tools.forget", tenant=tenant, id=id)


def _pruned(scope: Scope, before: datetime, purge_at: datetime) -> dict[str, Any]:
    return partition(scope) | {"before": to_micros(before), "purge_at": to_micros(purge_at)}


def _texts(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "args": pack_json(call.args),
        "result": pack_json(call.result),
        "error": pack_json(call.error or ""),
    }


def _date(day: int) -> str:
    return (EPOCH.date().fromordinal(EPOCH.toordinal() + day)).isoformat()


def _call(row: Row) -> ToolCall:
    error: Any = json.loads(row["error"])
    return ToolCall(
        **picked(row, "id", "tool", "duration_ms"),
        scope=scope_of(row["tenant"], row["agent"], row["user_id"], row["session_id"]),
        args=json.loads(row["args"]),
        result=json.loads(row["result"]),
        error=None if row["success"] else error,
        at=from_micros(row["at"]),
        purge_at=moment(row["purge_at"]),
    )


def _summary(row: Row) -> ToolSummary:
    return ToolSummary(
        tool=row["tool"],
        calls=row["calls"],
        success_rate=int(row["successes"]) / row["calls"],
        average_ms=None if row["average_ms"] is None else float(row["average_ms"]),
        last_error=json.loads(row["last_error"]) if row["last_error"] else None,
        last_at=from_micros(row["last_at"]),
    )
