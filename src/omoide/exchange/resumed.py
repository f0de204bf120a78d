"""Records that a session repeats from the one it resumes, where an earlier import brought that."""

from __future__ import annotations

from dataclasses import replace

from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.store.base import Store, read_only
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns

RESUMED = frozenset({"claude_code"})  # formats whose sessions begin with another's, by its keys


def without_held(store: Store, scope: Scope, talk: Conversation) -> Conversation:
    """The conversation without the messages that another session of the same format holds, by their
    keys.
    """
    if talk.channel not in RESUMED:
        return talk
    keys = [message.key for message in talk.messages if message.key]
    times = [message.at for message in talk.messages if message.at]
    if not keys or not times:
        return talk
    with read_only(store, scope.tenant) as tx:
        own = Sessions(tx).named(scope, talk.id)
        held = Turns(tx).held_beside(scope, own, talk.channel, keys, min(times))
    kept = tuple(message for message in talk.messages if message.key not in held)
    return replace(talk, messages=kept)
