"""The verbs of sessions: beginning, ending, reading, learning from and erasing talk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime

from omoide.jobs.queue import never
from omoide.learning.report import Extraction
from omoide.learning.sweep import line_up, unlearnt
from omoide.nouns.access import Right, owns
from omoide.nouns.change import Because
from omoide.nouns.chore import UPKEEP, Chore
from omoide.nouns.errors import NotFound
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read import listings
from omoide.read.listings import check_page
from omoide.store.base import Transaction, committed, read_only
from omoide.tables.sessions import SessionPreview, Unlearnt
from omoide.text.given_time import read_time
from omoide.upkeep.decay import decay_of
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb


class SessionVerbs(Forgetting):
    """Sessions: conversations, turn by turn."""

    @verb(Right.READ, "list(limit=5)", returns=Returns.PAGE, idempotent=True, mcp="read")
    def list(
        self, scope: Scope | None = None, *, limit: int = 20, offset: int = 0
    ) -> Sequence[SessionPreview]:
        """Return sessions, latest first.

        Raises:
            InvalidInput: the limit or the offset is out of range.
        """
        return listings.sessions(self.store, self._in(scope), limit, offset)

    @verb(Right.WRITE, "start()")
    def start(self, scope: Scope | None = None) -> Scope:
        """Return the scope with a new session: for an agent that starts, or whose talk begins anew.

        A session that the scope names ends. The confidence of the user's unused items falls by the
        time that went by, as in a round of upkeep, so that any number of starts lower it once.
        """
        scope = self._in(scope)
        if scope.session is not None:
            with suppress(NotFound):  # nothing was said in it
                self._end(scope.session, scope)
        because = Because(actor=UPKEEP, reason=Chore.DECAY.value)
        decay_of(
            self.store, self.clock, Scope(tenant=scope.tenant, user=scope.user), because, never
        )
        return replace(scope, session=self._session_id(scope, self.clock.new_id()))

    @verb(Right.WRITE, 'end("chat-1")', subject="session", returns=Returns.NOTHING, idempotent=True)
    def end(self, session: str, scope: Scope | None = None) -> None:
        """End a session and queue it for extraction. More may still be said in it.

        Raises:
            NotFound: no such session in this scope.
        """
        self._end(session, self._in(scope))

    def _end(self, session: str, scope: Scope) -> None:
        committed(
            self.store,
            lambda tx: line_up(tx, self._session(tx, scope, session), self.clock.now()),
            tenant=scope.tenant,
        )
        self._engine.tidying.wake()

    @verb(Right.READ, 'turns("chat-1")', returns=Returns.STREAM, idempotent=True, mcp="read")
    def turns(
        self,
        session: str | None = None,
        scope: Scope | None = None,
        *,
        since: datetime | date | str | None = None,
        limit: int = 100,
        first: int = 0,
    ) -> Sequence[Turn]:
        """Return the turns of a session from position ``first`` on, or of all sessions since a
        time; in order.

        Raises:
            NotFound: no such session in this scope.
            InvalidInput, InvalidTime: the limit, the position or the time is wrong.
        """
        start = read_time(since, "since", self.clock.now())
        return listings.turns(self.store, self._in(scope), session, start, limit, first)

    @verb(Right.READ, 'window("chat-1")', returns=Returns.PAGE, idempotent=True)
    def window(
        self, session: str, scope: Scope | None = None, *, turns: int = 30
    ) -> Sequence[Turn]:
        """Return the last turns of a session to replay to a model: so many of the user's, with all
        that follows the first of them.

        The window begins with something that a user said, so a tool's result never stands without
        its call. A session that nobody has spoken in yet has no turns.

        Raises:
            InvalidInput: turns is not from 1 to 1,000.
        """
        return listings.window(self.store, self._in(scope), session, turns)

    @verb(
        Right.WRITE,
        'extract("chat-1")',
        subject="session",
        returns=Returns.PAGE,
        long=True,
        asks_model=True,
    )
    def extract(
        self,
        session: str,
        scope: Scope | None = None,
        *,
        again: bool = False,
        preview: bool = False,
    ) -> Sequence[Extraction]:
        """Learn now from the turns of a session that nothing was learned from yet.

        With ``again`` it learns from all turns; with ``preview`` it changes nothing and returns
        what it would do. Each part of the session is one transaction, which ``undo`` takes back by
        the extraction's id; what a user said, only for that user. Learning again changes nothing
        where it learns the same.

        ``extract`` takes the session's job lock. If a worker holds it, ``extract`` waits up to five
        minutes, then processes the remaining turns. What the worker learned comes first, marked
        ``by_another``.

        Raises:
            NotFound: no such session in this scope.
            ModelMissing: no language model is configured.
            ModelError: the model failed; what was learned before that stays.
            Conflict: another still learns from it, or the same turns were changed or forgotten
                meanwhile.
        """
        engine, scope = self._engine, self._in(scope)
        id = self._asked_session(scope, session)
        done = engine.capture.extract(scope.tenant, id, first=0 if again else None, preview=preview)
        engine.tidying.wake()  # jobs of the user waited for this one
        return done

    @verb(Right.WRITE, "catch_up(preview=True)", returns=Returns.PAGE, idempotent=True)
    def catch_up(
        self,
        scope: Scope | None = None,
        *,
        recorded_since: datetime | date | str | None = None,
        limit: int = 100,
        preview: bool = False,
    ) -> Sequence[Unlearnt]:
        """Queue the user's sessions that are neither queued nor learned from to their end, however
        old; return them. With ``recorded_since``, those of which something was stored from then on.

        The fullest come first. Private sessions and those still going on are left out, and so is
        one whose job failed for good: ``jobs.replay`` tries it again. Without a user in the scope,
        only sessions of no user count. With ``preview`` nothing is queued.

        Raises:
            InvalidInput, InvalidTime: limit or recorded_since is wrong.
        """
        scope, now = self._in(scope), self.clock.now()
        check_page(limit)
        recorded = read_time(recorded_since, "recorded_since", now)

        def find(tx: Transaction) -> Sequence[Unlearnt]:
            found = unlearnt(
                tx, scope.tenant, now, recorded=recorded, user=scope.user or "", limit=limit
            )
            return [one for one in found if owns(scope, one.session)]

        if preview:
            with read_only(self.store, scope.tenant) as tx:
                return find(tx)
        done = committed(
            self.store,
            lambda tx: [one for one in find(tx) if line_up(tx, one.session, now)],
            tenant=scope.tenant,
        )
        self._engine.tidying.wake()
        return done

    @verb(
        Right.DESTROY,
        'forget("chat-1", preview=True)',
        subject="session",
        long=True,
        operation="delete_memory",
    )
    def forget(self, session: str, scope: Scope | None = None, *, preview: bool = False) -> Receipt:
        """Erase a session: its turns, and all that only they support. Returns the receipt.

        With ``preview`` nothing is erased; the receipt counts what would be.

        Raises:
            NotFound: no such session in this scope, or it is not yours to erase.
        """
        return self._forget(scope, Target(session=session), preview=preview)
