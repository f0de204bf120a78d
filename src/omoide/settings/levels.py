"""How long what is told to a memory lasts: for good, within a project, within a session, or not at
all.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Literal

from omoide.nouns.errors import Forbidden, InvalidInput
from omoide.nouns.item import Details, Item
from omoide.nouns.query import Query
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.turn import Turn

LevelName = Literal["none", "session", "project", "persistent"]


class Level(StrEnum):
    """How long what is told to a memory lasts."""

    NONE = "none"  # memory is off: it cannot be opened
    SESSION = "session"  # items and turns are found from within their session only
    PROJECT = "project"  # they belong to a context, and only this and the global one are searched
    PERSISTENT = "persistent"


def check_place(level: Level, scope: Scope) -> None:
    """That a scope says where something is to last.

    Raises:
        InvalidInput: a project's memory without a context of its own.
    """
    if level is Level.PROJECT and scope.context == GLOBAL:
        raise InvalidInput("context", "a memory of level project belongs to one: name the project")


def kept(level: Level, scope: Scope, details: Details) -> Details:
    """The details of something to be remembered, lasting no longer than the level allows.

    Raises:
        InvalidInput: the scope names no session, or no context of its own, where the level needs
            one.
    """
    check_place(level, scope)
    if level is not Level.SESSION:
        return details
    if scope.session is None:
        raise InvalidInput(
            "session", "a memory of level session keeps nothing beyond one: name the session"
        )
    return replace(details, session_only=True)


def check_lasts_no_longer(record: Item | Turn) -> None:
    """That a record may be given a successor at level session, which lasts as long as itself.

    Raises:
        Forbidden: it outlasts its session.
    """
    if isinstance(record, Item) and record.scope.session is None:
        raise Forbidden(
            f"item {record.id!r} outlasts its session, and a memory of level session adds nothing"
            " that does"
        )


def seen(level: Level, scope: Scope, query: Query) -> Query:
    """The query as a memory of that level may ask it.

    Raises:
        InvalidInput: the scope names no context of its own, where the level needs one, or the query
            names another's.
    """
    check_place(level, scope)
    if level is not Level.PROJECT:
        return query
    own = frozenset({scope.context, GLOBAL})
    if query.contexts is not None and not query.contexts <= own:
        raise InvalidInput(
            "contexts", f"a memory of level project sees {scope.context!r} and {GLOBAL!r} alone"
        )
    return query if query.contexts is not None else replace(query, contexts=own)
