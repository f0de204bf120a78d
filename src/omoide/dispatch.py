"""From a channel's sender to the one user who writes, and to what answers them.

Whoever receives messages knows a channel and a sender. Which user that is stands in the store, so
that a person who writes from two channels has one memory; a sender that was never linked is a user
of its own, never everybody.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from omoide.memory import Memory
from omoide.nouns.errors import Conflict, Forbidden, InvalidInput, NotFound
from omoide.nouns.ids import clean_id
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, User, check_names_of, own_user
from omoide.store.base import Transaction, committed
from omoide.tables.documents import Documents
from omoide.tables.senders import Senders

H = TypeVar("H")
MOST = 1_000  # handlers kept


class Users:
    """The users of one tenant, by the senders that they are. A scope with a user links, unlinks and
    lists their own alone.
    """

    def __init__(self, memory: Memory, scope: Scope | None = None) -> None:
        self._memory, self._scope = memory, scope or memory.scope

    def of(self, channel: str, sender: str) -> User:
        """Who a sender is.

        Raises:
            InvalidInput: a channel or sender that cannot be one.
        """
        channel, sender = check_names_of(channel, sender)
        with self._memory.store.transaction(tenant=self._scope.tenant, write=False) as tx:
            found = Senders(tx).find(self._scope.tenant, channel, sender)
        return User(
            id=found.user if found else own_user(channel, sender),
            tenant=self._scope.tenant,
            is_linked=found is not None,
        )

    def link(self, channel: str, sender: str, user: str) -> Sender:
        """Let a sender be a user from now on. What it said before, as a user of its own, stays that
        user's.

        Raises:
            Conflict: it is another user's; unlink it first.
            Forbidden: the scope is another user's.
            InvalidInput: a name that cannot be one.
        """
        channel, sender = check_names_of(channel, sender)
        user, scope = self._may_touch(clean_id(user, "user")), self._scope
        link = Sender(
            scope=Scope(tenant=scope.tenant, user=user),
            channel=channel,
            sender=sender,
            linked_at=self._memory.clock.now(),
        )

        def write(tx: Transaction) -> Sender | None:
            self._lock(tx)
            return (
                link if Senders(tx).add(link) else Senders(tx).find(scope.tenant, channel, sender)
            )

        known = committed(self._memory.store, write, tenant=scope.tenant)
        if known is None or known.user != user:
            raise Conflict(f"that sender on {channel!r} is another user already; unlink it first")
        return known

    def unlink(self, channel: str, sender: str) -> None:
        """Let a sender be a user of its own again. What it said meanwhile stays where it is.

        Raises:
            NotFound: no such sender is linked, or it is another user's than the scope's.
        """
        channel, sender = check_names_of(channel, sender)

        def write(tx: Transaction) -> None:
            self._lock(tx)
            known = Senders(tx).find(self._scope.tenant, channel, sender)
            if known is None or self._scope.user not in (None, known.user):
                raise NotFound("sender", sender)
            Senders(tx).drop(self._scope.tenant, known.user, channel, sender)

        committed(self._memory.store, write, tenant=self._scope.tenant)

    def senders(self) -> list[Sender]:
        """The senders of the scope's user, or without one of all users of the tenant; by user,
        channel and name.
        """
        with self._memory.store.transaction(tenant=self._scope.tenant, write=False) as tx:
            return Senders(tx).of(self._scope.tenant, self._scope.user)

    def merge(self, source: str, target: str) -> int:
        """Let every sender of one user be another's, who is the same person; how many there were.

        A source that is a sender of its own, such as ``whatsapp:+351912345678``, is linked too.
        What is remembered of source stays source's: it can be exported, or forgotten, under that
        name.

        Raises:
            Forbidden: the scope names a user; two are spoken for here.
            InvalidInput: a name that cannot be one, or the same twice.
            NotFound: source has no sender.
        """
        source, target, tenant = (
            clean_id(source, "source"),
            clean_id(target, "target"),
            self._scope.tenant,
        )
        if self._scope.user is not None:
            raise Forbidden("merging speaks for two users; ask for it in a scope without one")
        if source == target:
            raise InvalidInput("target", "is the same user")
        channel, mark, sender = source.partition(":")

        def write(tx: Transaction) -> int:
            self._lock(tx)
            moved = Senders(tx).move(tenant, source, target)
            if mark and channel and sender and Senders(tx).find(tenant, channel, sender) is None:
                own = Sender(
                    scope=Scope(tenant=tenant, user=target),
                    channel=channel,
                    sender=sender,
                    linked_at=self._memory.clock.now(),
                )
                moved += Senders(tx).add(own)
            if not moved:
                raise NotFound("sender of user", source)
            return moved

        return committed(self._memory.store, write, tenant=tenant)

    def _lock(self, tx: Transaction) -> None:
        """One at a time in a tenant, and none while a user is forgotten."""
        Documents(tx).lock(self._scope.tenant, None)

    def _may_touch(self, user: str) -> str:
        if self._scope.user not in (None, user):
            raise Forbidden(
                "a user links senders to themselves alone; ask for it in a scope without a user"
            )
        return user


@dataclass(slots=True)
class _Place(Generic[H]):
    """Where a handler is made once, however many threads ask for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: list[H] = field(default_factory=list)


class Dispatcher(Generic[H]):
    """Finds who writes, and keeps what answers each user on each channel. Safe to use from any
    thread.

    ``make`` makes a handler for a user on a channel, such as an agent with its session; it is
    called once for each, until that one has gone unused for longest and ``most`` others were asked
    for. Who a sender is is looked up each time, so that linking and unlinking take effect at once.
    """

    def __init__(
        self,
        memory: Memory,
        make: Callable[[User, str], H],
        *,
        scope: Scope | None = None,
        most: int = MOST,
    ) -> None:
        if most < 1:
            raise InvalidInput("most", f"must be at least 1, not {most}")
        self.users = Users(memory, scope)
        self._make, self._most = make, most
        self._lock = threading.Lock()
        self._places: OrderedDict[tuple[str, str], _Place[H]] = OrderedDict()

    def handler(self, channel: str, sender: str) -> H:
        """What answers this sender: one for all channels' senders of a user on that channel.

        Raises:
            InvalidInput: a channel or sender that cannot be one.
            Exception: what ``make`` raises; the next call tries again.
        """
        user, (channel, _) = self.users.of(channel, sender), check_names_of(channel, sender)
        key = (user.id, channel)
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
        with place.lock:
            if not place.made:
                place.made.append(self._make(user, channel))
            return place.made[0]

    def __len__(self) -> int:
        """How many handlers are kept."""
        return len(self._places)
