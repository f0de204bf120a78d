"""How tools show records to a model: small JSON objects with dates, sources and trust."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from omoide.nouns.clock import moved_to, user_zone
from omoide.nouns.hit import Hit
from omoide.nouns.item import Item, Tier
from omoide.nouns.turn import Turn

SAID_BY = {Tier.USER: "user", Tier.AGENT: "agent", Tier.DOCUMENT: "document"}
_STEPS = (
    (timedelta(days=365), "year"),
    (timedelta(days=30), "month"),
    (timedelta(days=7), "week"),
    (timedelta(days=1), "day"),
    (timedelta(hours=1), "hour"),
    (timedelta(minutes=1), "minute"),
)


def item_shown(item: Item) -> dict[str, Any]:
    """An item with what a model needs to use, update or forget it; empty fields are left out."""
    shown = {
        "id": item.id,
        "content": item.text,
        "category": item.category.value,
        "domain": item.domain or "",
        "context": item.scope.context,
        "entity": item.entities[0] if item.entities else "",
        "entities": list(item.entities) if len(item.entities) > 1 else [],
        "confidence": round(item.confidence, 2),
        "said_by": SAID_BY[item.tier],
        "created_at": local(item.created_at),
        "due_at": local(item.due_at),
        "reminded_at": local(item.reminded_at),
        "sensitive": item.sensitive or "",
        "unconfirmed": item.unconfirmed.value if item.unconfirmed else "",
        "closed_at": local(item.superseded_at),
    }
    return {name: value for name, value in shown.items() if value not in ("", [])}


def turn_shown(turn: Turn) -> dict[str, Any]:
    """A turn with who said it, when, and in which session."""
    return {
        "id": turn.id,
        "session_id": turn.session,
        "role": turn.role.value,
        "speaker": turn.speaker,
        "content": turn.text,
        "timestamp": local(turn.at),
    }


def hit_shown(hit: Hit) -> dict[str, Any]:
    """A hit as the record it stands for, with its score."""
    if hit.item is not None:
        return item_shown(hit.item) | {"score": round(hit.score, 3)}
    if hit.turn is not None:
        return turn_shown(hit.turn) | {"score": round(hit.score, 3)}
    return {"id": hit.id, "kind": hit.kind.value, "content": hit.text, "score": round(hit.score, 3)}


def local(moment: datetime | None) -> str:
    """A time in the user's zone, to the second; empty for none."""
    return "" if moment is None else moved_to(moment, user_zone()).isoformat(timespec="seconds")


def age(at: datetime, now: datetime) -> str:
    """How long ago a time was, such as ``3 days ago``."""
    for step, name in _STEPS:
        if (count := (now - at) // step) > 0:
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
