"""Who may do what to which record."""

from __future__ import annotations

from omoide.records import Scope, Session


def may_change(scope: Scope, session: Session) -> bool:
    """Whether a session is the asker's to undo or forget: their own, nobody's, or one they take part in."""
    mine = scope.user in session.users if len(session.users) > 1 else session.scope.user in (None, scope.user)
    return mine and session.scope.agent in (None, scope.agent)
