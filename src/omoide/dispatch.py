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
from omoide.nouns.errors import InvalidInput
from omoide.nouns.scope import Scope
from omoide.nouns.sender import User, check_names_of

H = TypeVar("H")
MOST = 1_000  # handlers kept


@dataclass(slots=True)
class _HandlerPlace(Generic[H]):
    """Where a handler is made once for a version, however many threads ask for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: list[tuple[object, H]] = field(default_factory=list)


class Dispatcher(Generic[H]):
    """Finds who writes, and keeps what answers each user on each channel. Safe to use from any
    thread.

    ``make`` makes a handler for a user on a channel, such as an agent with its session; it is
    called once for each, until that one has gone unused for longest and ``most`` others were asked
    for. Who a sender is is looked up each time, so that linking and unlinking take effect at once.

    ``version`` says what handlers are made of, such as ``lambda: definitions.get("helper")``. When
    it changes, the next message of each user makes a new handler. Its session, and so what was
    said, stays.
    """

    def __init__(
        self,
        memory: Memory,
        make: Callable[[User, str], H],
        *,
        scope: Scope | None = None,
        most: int = MOST,
        version: Callable[[], object] = lambda: None,
    ) -> None:
        if most < 1:
            raise InvalidInput("most", f"must be at least 1, not {most}")
        self.users, self._scope = memory.users, scope
        self._make, self._most, self._version = make, most, version
        self._lock = threading.Lock()
        self._places: OrderedDict[tuple[str, str], _HandlerPlace[H]] = OrderedDict()

    def handler(self, channel: str, sender: str) -> H:
        """What answers this sender: one for all channels' senders of a user on that channel.

        Raises:
            InvalidInput: a channel or sender that cannot be one.
            Exception: what ``make`` raises; the next call tries again.
        """
        user, (channel, _) = (
            self.users.of(channel, sender, self._scope),
            check_names_of(channel, sender),
        )
        key = (user.id, channel)
        with self._lock:
            place = self._places.setdefault(key, _HandlerPlace())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
        with place.lock:
            version = self._version()
            if not place.made or place.made[0][0] != version:
                place.made[:] = [(version, self._make(user, channel))]
            return place.made[0][1]

    def __len__(self) -> int:
        """How many handlers are kept."""
        return len(self._places)
