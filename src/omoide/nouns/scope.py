"""Scope: where a record lives, and what an asker sees."""

from __future__ import annotations

from dataclasses import field, fields, replace
from typing import Any

from omoide.nouns.errors import InvalidScope, ScopeConflict
from omoide.nouns.ids import clean_id
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record

DEFAULT_TENANT = "default"
GLOBAL = "global"  # the context every other context also sees


NAMES = ("tenant", "agent", "user", "session", "context")


@frozen_record
class Scope(Record):
    """Where a record lives and what an asker sees.

    A row is visible when its tenant is the asker's and each of its agent, user and session is
    either unset or the asker's. An asker without a user sees no user's rows. The session says where
    something happens; only what is marked as session-only stays within it. The context is where new
    rows go; it limits recall only where a query names contexts.

    ``shared`` says that no user is meant on purpose: what is written then belongs to everybody who
    uses the store, or the agent. It is no part of a record's place.

    Raises:
        InvalidScope: a name is empty, over 256 characters, or has control characters or outer
            spaces; or a user is named and ``shared`` is set.
    """

    tenant: str = DEFAULT_TENANT
    agent: str | None = None
    user: str | None = None
    session: str | None = None
    context: str = GLOBAL
    shared: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        for name in NAMES:
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, clean_id(value, name))
        if self.shared and self.user is not None:
            raise InvalidScope("shared", f"what user {self.user!r} owns is not shared; name one")

    def narrowed(self, given: Scope) -> Scope:
        """This scope with the names that it lacks taken from another; a name left at its default is
        lacking.

        Raises:
            ScopeConflict: both have a name, and not the same.
        """
        if given is NOWHERE:
            return self
        if self is NOWHERE:
            return given
        if given.shared and self.user is not None:
            raise ScopeConflict("user", self.user, "shared")
        if self.shared and given.user is not None:
            raise ScopeConflict("user", "shared", given.user)
        names: dict[str, Any] = {}
        for place in fields(Scope):
            mine, theirs = getattr(self, place.name), getattr(given, place.name)
            if theirs in (mine, place.default):
                continue
            if mine != place.default:
                raise ScopeConflict(place.name, mine, theirs)
            names[place.name] = theirs
        return replace(self, **names) if names else self

    def of_user(self, user: str | None) -> Scope:
        """This scope with another user, or none."""
        return replace(self, user=user, shared=False)

    def filled(self, usual: Scope) -> Scope:
        """This scope with the names that it lacks taken from the usual one, and shared as that is
        where it names no user; a shared scope gets neither a user nor an agent.
        """
        if self is NOWHERE:
            return usual
        if NOWHERE.tenant != self.tenant != usual.tenant:
            return self  # names are a tenant's own
        lacking = [
            name
            for name in NAMES
            if getattr(self, name) == getattr(NOWHERE, name)
            and not (self.shared and name in ("user", "agent"))
        ]
        found = {name: getattr(usual, name) for name in lacking}
        if usual.shared and self.user is None:
            found["shared"] = True
        changed = any(value != getattr(self, name) for name, value in found.items())
        return replace(self, **found) if changed else self


NOWHERE = Scope()  # every name at its default
