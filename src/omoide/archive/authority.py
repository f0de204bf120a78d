"""Whose an archive's records are: what its loader may write, and what needs an administrator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from omoide.nouns.change import Change
from omoide.nouns.item import PRIVILEGED, Item
from omoide.nouns.proposal import Proposal
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import LoggedTurn


def beyond(record: Any, loader: Scope) -> str | None:
    """Whose a record is that its loader may not write, in words; None if they may.

    A loader writes what is their own: of their user, or without one what is of nobody in
    particular, and with an agent only what that agent sees.
    """
    scope = record.scope
    if scope.tenant != loader.tenant:
        return f"of tenant {scope.tenant!r}"
    if loader.agent is not None and scope.agent not in (None, loader.agent):
        return f"of agent {scope.agent!r}"
    item = record.item if isinstance(record, Proposal) else record
    if isinstance(item, Item) and item.category in PRIVILEGED:
        return f"of the privileged category {item.category.value!r}"
    if scope.user == loader.user or _takes_part(record, loader.user):
        return None
    return "that everybody sees" if scope.user is None else f"of user {scope.user!r}"


def seen_by(agent: str | None, records: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Of the records of an export what an agent sees, with the changes of these; without an agent
    all.
    """
    seen: set[str] = set()
    for kind, record in records:
        if agent is None:
            yield kind, record
        elif isinstance(record, Change):
            if record.record in seen:
                yield kind, record
        elif record.scope.agent in (None, agent):
            seen.add(
                record.turn.session
                if isinstance(record, LoggedTurn)
                else str(getattr(record, "id", ""))
            )
            yield kind, record


def _takes_part(record: Any, user: str | None) -> bool:
    """Whether a user is in a session, or said a turn, that is shared with others."""
    match record:
        case Session():
            return user in record.users
        case LoggedTurn():
            return user is not None and record.turn.user == user
        case _:
            return False
