"""Omoide's records as the rows of GAIA's store: its names, its values, times as ISO 8601."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from omoide.agent.shown import local
from omoide.nouns.item import Item
from omoide.nouns.metadata import parse_json
from omoide.nouns.turn import Role, Turn
from omoide.read.listings import Stats
from omoide.tables.sessions import SessionPreview
from omoide.tables.tools import ToolCall, ToolSummary

Row = dict[str, Any]
PREVIEW_MOST = 120


def knowledge_row(item: Item) -> Row:
    """An item as a row of ``knowledge``; what is not known is None."""
    return {
        "id": item.id,
        "category": item.category.value,
        "content": item.text,
        "domain": item.domain,
        "source": item.source.value,
        "confidence": item.confidence,
        "metadata": dict(item.metadata) or None,
        "use_count": item.uses,
        "context": item.scope.context,
        "sensitive": item.sensitive,
        "entity": item.entities[0] if item.entities else None,
        "created_at": local(item.created_at),
        "updated_at": local(item.updated_at),
        "last_used": local(item.last_used_at) or None,
        "due_at": local(item.due_at) or None,
        "reminded_at": local(item.reminded_at) or None,
        "superseded_by": item.superseded_by,
    }


def turn_row(turn: Turn, context: str, names: Mapping[str, str]) -> Row:
    """A turn as a row of ``conversations``; its session by the name that the program gave it. What
    is neither the user's nor the assistant's keeps its role.
    """
    return {
        "id": turn.id,
        "session_id": names.get(turn.session, turn.session),
        "role": turn.role.value,
        "content": turn.text,
        "context": context,
        "timestamp": local(turn.at),
    }


def tool_row(call: ToolCall) -> Row:
    """A call as a row of ``tool_history``."""
    try:
        args: Any = parse_json(call.args)
    except ValueError:  # cut
        args = call.args
    return {
        "id": call.id,
        "session_id": call.scope.session,
        "tool_name": call.tool,
        "args": args,
        "result_summary": call.result or None,
        "success": call.success,
        "error": call.error,
        "duration_ms": call.duration_ms,
        "timestamp": local(call.at),
    }


def summary_row(summary: ToolSummary) -> Row:
    """What the calls of one tool add up to."""
    return {
        "tool_name": summary.tool,
        "total_calls": summary.calls,
        "success_rate": summary.success_rate,
        "avg_duration_ms": summary.average_ms,
        "last_error": summary.last_error,
        "last_used": local(summary.last_at),
    }


def session_row(preview: SessionPreview) -> Row:
    """A session in a listing."""
    session = preview.session
    return {
        "session_id": session.name,
        "turn_count": session.turns,
        "first_at": local(session.started_at),
        "last_at": local(session.last_at),
        "preview": preview.preview[:PREVIEW_MOST],
    }


def role_of(name: str) -> Role:
    """The role that GAIA names; any other but the user's is the assistant's."""
    return Role.USER if name == Role.USER else Role.ASSISTANT


def stats_row(stats: Stats, tools: Sequence[Row]) -> Row:
    """What a memory adds up to, by knowledge, conversations, tools and time."""
    calls = [row["success_rate"] * row["total_calls"] for row in tools]
    return {
        "knowledge": {
            "total": stats.items,
            "total_retrievals": stats.retrievals,
            "by_category": dict(stats.by_category),
            "by_context": dict(stats.by_context),
            "sensitive_count": stats.sensitive,
            "entity_count": stats.entities,
            "avg_confidence": stats.confidence,
            "oldest": stats.oldest and stats.oldest.isoformat(),
            "newest": stats.newest and stats.newest.isoformat(),
        },
        "conversations": {
            "total_turns": stats.log.turns,
            "total_sessions": stats.log.sessions,
            "first_session": stats.log.first_at and stats.log.first_at.isoformat(),
            "last_session": stats.log.last_at and stats.log.last_at.isoformat(),
        },
        "tools": {
            "total_calls": stats.tool_calls,
            "unique_tools": stats.tools,
            "overall_success_rate": sum(calls) / stats.tool_calls if stats.tool_calls else 0.0,
            "total_errors": stats.tool_errors,
        },
        "temporal": {"upcoming_count": stats.upcoming, "overdue_count": stats.overdue},
    }
