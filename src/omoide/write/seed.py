"""Many statements at once, each kept as it is: none is compared with what is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from omoide.models.embedders.encoders import Encoders
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Words
from omoide.tables.entities import Entities
from omoide.write.apply import Door, through
from omoide.write.bases import rest
from omoide.write.index import item_words
from omoide.write.remember import Statement, check_session, check_sources, draft


def seed(
    store: Store,
    clock: Clock,
    encoders: Encoders,
    scope: Scope,
    statements: Iterable[Statement],
    because: Because,
) -> list[Item]:
    """Add an item for each statement, in order; all of them, or none.

    Raises:
        InvalidInput, TooLong, UnknownName, InvalidTime, NotFound: a statement is wrong.
        SharedSession: the scope names a user in a session of several users.
        ModelError: the embedder failed.
    """
    drafts = [draft(statement, scope, clock) for statement in statements]
    vectors = encoders.embed([item.text for item in drafts]) if drafts else []

    def write(tx: Transaction, door: Door) -> list[Item]:
        added = []
        check_session(tx, scope)
        door.lock(scope)
        for item, made in zip(drafts, vectors, strict=True):
            check_sources(tx, item)
            item = rest(tx, scope, item, door.now)
            called = item.entities
            item = replace(
                item,
                entities=tuple(
                    sorted({Entities(tx).ensure(item.scope, name, clock).name for name in called})
                ),
            )
            own, around = item_words(item)
            added.append(door.add(item, Words(own=own, around=around, vectors=made), called))
        return added

    return through(store, clock, because, write, tenant=scope.tenant, session=scope.session)
