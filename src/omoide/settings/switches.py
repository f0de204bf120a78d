"""Which memories an agent may use in a session, from its switches and from who takes part. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from omoide.nouns.errors import Forbidden
from omoide.nouns.item import Details
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Role, Turn


class Use(StrEnum):
    """What a memory does with what is known of users, or by an agent."""

    LEARN = "learn"  # learns it from talk, and recalls it
    HAND = "hand"  # recalls what it was told by a call; learns nothing
    OFF = "off"  # neither learns nor recalls it, and is told none


@frozen_record
class Switches(Record):
    """What an agent may remember and recall: what is known of its user, and what it knows."""

    user_memory: Use = Use.LEARN
    agent_memory: Use = Use.LEARN
    shared_memory: bool = True  # whether what is everybody's in the tenant is recalled too

    @property
    def is_on(self) -> bool:
        """Whether the agent is given context and the tools to search, which one of the two is
        enough for.
        """
        return not {"user", "agent"} <= self.off

    @property
    def off(self) -> frozenset[str]:
        """The levels that are off, among ``user``, ``agent`` and ``shared``."""
        levels = {
            "user": self.user_memory,
            "agent": self.agent_memory,
            "shared": Use.HAND if self.shared_memory else Use.OFF,
        }
        return frozenset(name for name, use in levels.items() if use is Use.OFF)

    def check_on(self, scope: Scope, details: Details) -> None:
        """That what is told may be remembered in a scope; what is kept to its session may always
        be.

        Raises:
            Forbidden: memory of users is off, and it is a user's; or that of the agent, or
                everybody's.
        """
        level = level_of(scope)
        if level in self.off and not details.session_only:
            raise Forbidden(f"{level} memory is off, by the setting {level}_memory")


def level_of(scope: Scope) -> str:
    """Whose memory a scope is: ``user``, ``agent``, or ``shared``, everybody's in the tenant."""
    return "user" if scope.user else "agent" if scope.agent else "shared"


def user_of(session: Session, turns: Sequence[Turn], owner: str | None = None) -> str | None:
    """Whose memory a session's is: the last person's who spoke, else the session's first user's,
    else its owner's.

    turns are in order; words of assistants, tools and systems are no person's.
    """
    speakers = (turn.user for turn in reversed(turns) if turn.role is Role.USER and turn.user)
    members = (participant.user for participant in session.participants if participant.user)
    return next(speakers, None) or next(members, None) or owner


def fact_scopes(
    switches: Switches, session: Session, user: str | None, agent: str | None
) -> tuple[Scope, ...]:
    """Where facts are learnt: the user's scope, unless several users take part; then the agent's.

    The session of none of them is named: facts outlive it. A scope without anybody's name is never
    among them.
    """
    place = replace(session.scope, session=None, user=None, agent=None, shared=False)
    alone = len(session.users) < 2
    scopes = []
    if switches.user_memory is Use.LEARN and user is not None and alone:
        scopes.append(replace(place, user=user))
    if switches.agent_memory is Use.LEARN and agent is not None:
        scopes.append(replace(place, agent=agent))
    return tuple(scopes)


def reflection_scopes(
    switches: Switches, session: Session, user: str | None, agent: str | None
) -> tuple[Scope, ...]:
    """Where reflections are formed: the session's own scope, whatever the switches say; then those
    of facts.
    """
    return (
        replace(session.scope, session=session.id),
        *fact_scopes(switches, session, user, agent),
    )
