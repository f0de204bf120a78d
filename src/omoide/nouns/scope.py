"""Scope: where a record lives, and what an asker sees."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from omoide.nouns.errors import ScopeConflict
from omoide.nouns.ids import clean_id

DEFAULT_TENANT = "default"
GLOBAL = "global"  # the context every other context also sees


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """Where a record lives and what an asker sees.

    A row is visible when its tenant is the asker's and each of its agent, user and session is
    either unset or the asker's. An asker without a user sees no user's rows. The session says where
    something happens; only what is marked as session-only stays within it. The context is where new
    rows go; it limits recall only where a query names contexts. InvalidScope is raised where an id
    is empty, over 256 characters, has control characters or outer spaces.
    """

    tenant: str = DEFAULT_TENANT
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    context: str = GLOBAL

    def __post_init__(self) -> None:
        for name in ("tenant", "agent", "user", "session", "context"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, clean_id(value, name))

    def narrowed(self, given: Scope) -> Scope:
        """This scope with the names that it lacks taken from another; a name left at its default is
        lacking.

        Raises:
            ScopeConflict: both have a name, and not the same.
        """
        names: dict[str, str] = {}
        for field in fields(Scope):
            mine, theirs = getattr(self, field.name), getattr(given, field.name)
            if theirs in (mine, field.default):
                continue
            if mine != field.default:
                raise ScopeConflict(field.name, mine, theirs)
            names[field.name] = theirs
        return replace(self, **names) if names else self
