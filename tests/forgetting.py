"""Forgetting by name, for tests that try one target after another."""

from __future__ import annotations

from omoide.memory import Memory
from omoide.nouns.item import Category, Source
from omoide.nouns.receipt import Receipt
from omoide.nouns.scope import Scope


def forget(memory: Memory, scope: Scope | None = None, **target: str) -> Receipt:
    """Forget what a keyword names: id, session, origin, entity, user or everything."""
    ((name, value),) = target.items()
    match name:
        case "id":
            return memory.forget(value, scope)
        case "session":
            return memory.sessions.forget(value, scope)
        case "origin":
            return memory.items.forget(scope, origin=value)
        case "entity":
            return memory.entities.forget(value, scope)
        case "user":
            return memory.users.forget(value, scope)
        case "everything" if isinstance(value, Source):
            return memory.items.forget(scope, source=value)
        case "everything" if isinstance(value, Category):
            return memory.items.forget(scope, category=value)
        case "everything":
            return memory.admin.erase(value, scope)
    raise AssertionError(name)
