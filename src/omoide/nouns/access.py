"""Who may do what: the rights of a principal, and whose a session is.

A session belongs to the user who began it. One in which several users take part is read and written
by these, and each of them may take back or erase what they said themselves; all of it, its owner
alone.
"""

from __future__ import annotations

from collections.abc import Set
from enum import StrEnum

from omoide.nouns.errors import Forbidden
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import NOWHERE, Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn


class Right(StrEnum):
    """What a principal may do; a verb needs one of these."""

    READ = "read"
    WRITE = "write"
    DESTROY = "destroy"
    ADMIN = "admin"  # acts on the whole store: doctor, backup, upkeep


@frozen_record
class Principal(Record):
    """Who asks: what they may do, and the scope that they stay in.

    Whoever opens a store in their own program is its local owner, who may do everything for
    everybody.
    """

    name: str = "owner"
    rights: frozenset[Right] = frozenset(Right)
    scope: Scope = NOWHERE  # names in it are the only ones they may act under

    def check_right(self, right: Right, verb: str) -> None:
        """
        Raises:
            Forbidden: the principal lacks the right that a verb needs.
        """
        if right not in self.rights:
            raise Forbidden(f"{self.name!r} may not {right.value}, which {verb} needs")

    def admit(self, scope: Scope) -> Scope:
        """The scope that a call acts in, within the principal's own.

        Raises:
            ScopeConflict: the call names a tenant, user, agent, session or context of others.
        """
        return self.scope.narrowed(scope)


def may_write(users: Set[str], session: Session) -> bool:
    """Whether something may be said in a session on behalf of some users: one of them takes part,
    or it is nobody's.

    Without any, as by a program or agent for itself, only where it is nobody's.
    """
    members = session.users | ({session.owner} if session.owner else set())
    return not members or bool(members & users)


def owns(scope: Scope, session: Session) -> bool:
    """Whether a session as a whole is the asker's to undo or forget: their user began it, or it is
    nobody's in particular.

    One that several users take part in and no user began is an asker's without a user.
    """
    nobodys = session.owner is None and not session.users
    return (nobodys or session.owner == scope.user) and session.scope.agent in (None, scope.agent)


def takes_part(scope: Scope, session: Session) -> bool:
    """Whether the asker's user is among those of a session."""
    members = session.users | ({session.owner} if session.owner else set())
    return (
        scope.user is not None
        and scope.user in members
        and session.scope.agent in (None, scope.agent)
    )


def may_take_back(scope: Scope, session: Session, turn: Turn) -> bool:
    """Whether a turn is the asker's to undo or forget: said by their user, or in a session of
    theirs.
    """
    return owns(scope, session) or (takes_part(scope, session) and turn.user == scope.user)
