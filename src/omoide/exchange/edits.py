"""Messages that were edited since an earlier import: the new text is logged, and takes the place of
the old one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

from omoide.nouns.clock import parse_time
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store.base import Store, read_only
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets import mask_stored
from omoide.write.edited import REPLACES

EDITED = "edited_at"  # in the metadata of a message that its export says was edited


def with_edits(
    store: Store, scope: Scope, session: str, messages: Sequence[Message]
) -> tuple[Message, ...]:
    """The messages; one whose session has it with another text becomes a message of its own, said
    when it was edited, which names by key in ``replaces`` what it takes the place of.
    """
    keys = [message.key for message in messages if message.key and EDITED in message.metadata]
    texts = _stored_texts(store, scope, session, keys) if keys else {}
    return tuple(_edited(message) if _differs(message, texts) else message for message in messages)


def _stored_texts(store: Store, scope: Scope, session: str, keys: list[str]) -> dict[str, str]:
    """The texts that a session has of messages, by key."""
    tenant = scope.tenant
    with read_only(store, tenant) as tx:
        id = Sessions(tx).named(scope, session)
        stored = Turns(tx).with_keys(tenant, id, keys)
    return {key: turn.text for key, turn in stored.items()}


def _differs(message: Message, texts: dict[str, str]) -> bool:
    known = texts.get(message.key or "")
    if known is None or EDITED not in message.metadata:
        return False
    return known != mask_stored(message.text).text


def _edited(message: Message) -> Message:
    edited_at = str(message.metadata[EDITED])
    zone = message.at.tzinfo if message.at else None
    return replace(
        message,
        at=parse_time(edited_at).astimezone(zone or UTC),
        key=f"{message.key}@{edited_at}",
        metadata={**message.metadata, REPLACES: message.key},
    )
