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
A = TypeVar("A")
MOST = 1_000  # handlers kept
WITHIN_S = 1.0  # between two messages of a burst


@dataclass(slots=True)
class _HandlerPlace(Generic[H]):
    """Where a handler is made once for a version, however many threads ask for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: tuple[object, H] | None = None


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
            if place.made is None or place.made[0] != version:
                place.made = version, self._make(user, channel)
            return place.made[1]

    def __len__(self) -> int:
        """How many handlers are kept."""
        return len(self._places)


class Burst(Generic[A]):
    """Answers the messages of one conversation, and those that come at once as one message. Safe
    to use from any thread.

    ``answer`` gets the texts of a burst, a line each: it ends when no message follows within
    ``within_s`` seconds.
    """

    def __init__(self, answer: Callable[[str], A], *, within_s: float = WITHIN_S) -> None:
        if not 0 <= within_s <= 60:
            raise InvalidInput("within_s", f"must be from 0 to 60, not {within_s}")
        self._answer, self._within_s = answer, within_s
        self._news = threading.Condition()
        self._texts: list[str] = []
        self._said = 0

    def say(self, text: str) -> A | None:
        """Return the answer to the burst that a message ends.

        None for a message that another one follows: that one's call has the answer. It also is None
        where the other one came while this one was being answered.

        Raises:
            Exception: what ``answer`` raises.
        """
        with self._news:
            self._texts.append(text)
            self._said = mine = self._said + 1
            self._news.notify_all()
            if self._news.wait_for(lambda: self._said != mine, self._within_s):
                return None
            texts, self._texts = self._texts, []
        answered = self._answer("\n".join(texts))
        with self._news:
            return answered if self._said == mine else None
