"""Which memories an agent may use in a session, from its switches and from who takes part. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from omoide.records import Role, Scope, Session, Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Switches:
    """What an agent may remember and be reminded of: what is known of its user, and what it knows itself."""

    user_memory: bool = True
    agent_memory: bool = True

    @property
    def is_on(self) -> bool:
        """Whether the agent is given context and the tools to search, which one of the two is enough for."""
        return self.user_memory or self.agent_memory


def user_of(session: Session, turns: Sequence[Turn], owner: str | None = None) -> str | None:
    """Whose memory a session's is: the last person's who spoke, else the session's first user's, else its owner's.

    turns are in order; words of assistants, tools and systems are no person's.
    """
    speakers = (turn.user for turn in reversed(turns) if turn.role is Role.USER and turn.user)
    members = (participant.user for participant in session.participants if participant.user)
    return next(speakers, None) or next(members, None) or owner


def fact_scopes(switches: Switches, session: Session, user: str | None, agent: str | None) -> tuple[Scope, ...]:
    """Where facts are searched and written: the user's scope, unless several users take part; then the agent's.

    The session of none of them is named: facts outlive it. A scope without anybody's name is never among them.
    """
    place = replace(session.scope, session=None, user=None, agent=None)
    alone = len(session.users) < 2
    scopes = []
    if switches.user_memory and user is not None and alone:
        scopes.append(replace(place, user=user))
    if switches.agent_memory and agent is not None:
        scopes.append(replace(place, agent=agent))
    return tuple(scopes)


def reflection_scopes(switches: Switches, session: Session, user: str | None, agent: str | None) -> tuple[Scope, ...]:
    """Where reflections are searched and written: the session's own scope, whatever the switches say; then those of facts."""
    return (replace(session.scope, session=session.id), *fact_scopes(switches, session, user, agent))
