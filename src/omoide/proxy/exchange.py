"""An exchange with a model that passes by: it gets context, and is logged. Whatever fails here is a
warning in the log, and the client gets its answer all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from email.message import Message
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from omoide.clients.requests import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Shape,
    messages_of,
    new_messages,
    with_context,
)
from omoide.clients.wrapping import query_of
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import parse_json
from omoide.nouns.scope import Scope
from omoide.proxy.headers import SESSION, USER, named_in
from omoide.proxy.heard import Heard, answer_of
from omoide.telemetry.logs import get_logger

log = get_logger(__name__)
Request = dict[str, Any]
T = TypeVar("T")
# what gets memory, by its path: chat completions and responses of OpenAI, messages of Anthropic
SHAPES: Mapping[str, Shape] = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/messages": ANTHROPIC,
}


class Exchange:
    """A request to a chat model and its answer, with the memory of the user that it names."""

    def __init__(self, memory: Memory, usual: Scope, shape: Shape) -> None:
        self._memory, self._usual, self._shape = memory, usual, shape
        self._bound: Memory | None = None  # until it is known whose the exchange is
        self._heard, self._is_told = Heard(), False
        self.has_failed = False

    def begun(self, headers: Message, body: bytes) -> bytes:
        """The request's body with context; what is new in it is logged."""
        shape = self._shape
        request = self._tried("read", lambda: _read(shape, body))
        if request is None:
            return body
        self._bound = bound = self._tried("bind", lambda: self._place(headers, request))
        if bound is None:
            return body
        context = self._tried("context", lambda: bound.context(query_of(bound, shape, request)))
        self._tried("log request", lambda: _log(bound, new_messages(shape, request)))
        return (
            body if context is None else json.dumps(with_context(shape, request, context)).encode()
        )

    def hear(self, piece: bytes) -> None:
        """Take in the next piece of a streamed answer; it is logged when it is over. An event that
        cannot be read costs no other.
        """
        for event in self._heard.events(piece):
            self._tried("read answer", partial(self._heard.hear, event))
        if self._heard.is_over:
            self.end()

    def hear_whole(self, body: bytes) -> None:
        """Log an answer that came at once."""
        if bound := self._bound:
            self._tried("log answer", lambda: _log(bound, answer_of(body)))

    def end(self) -> None:
        """Log what was said of a streamed answer, where that was not done yet."""
        if (bound := self._bound) and not self._is_told:
            self._is_told = True
            self._tried("log answer", lambda: _log(bound, self._heard.messages))

    def _place(self, headers: Message, request: Request) -> Memory:
        """The memory of the user and in the session that the request names."""
        user, usual = _user_of(headers, self._shape, request), self._usual
        return self._memory.at(
            user=user or usual.user,
            shared=usual.shared and user is None,
            agent=usual.agent,
            context=usual.context,
            tenant=usual.tenant,
            session=named_in(headers, SESSION)
            or usual.session
            or _session_of(self._shape, request),
        )

    def _tried(self, step: str, act: Callable[[], T]) -> T | None:
        """What an act gives; None where it fails, which is noted."""
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - no failure of memory may cost the client its answer
            self.has_failed = True
            log.warning("memory_failed", step=step, error=type(error).__name__)
            return None


def _log(memory: Memory, messages: list[Any]) -> None:
    if messages:
        memory.ingest(messages)


def _read(shape: Shape, body: bytes) -> Request:
    """The request of a body.

    Raises:
        ValueError: it is not a request with messages.
    """
    request = parse_json(body)
    given = request.get(shape.messages) if isinstance(request, dict) else None
    is_list = isinstance(given, list) and all(isinstance(one, dict) for one in given)
    if not is_list and not (shape is RESPONSES and isinstance(given, str)):
        raise InvalidInput(shape.messages, "must be a list of objects")
    return request  # type: ignore[no-any-return]


def _user_of(headers: Message, shape: Shape, request: Mapping[str, Any]) -> str | None:
    """The user that the header names, or else the request; None where neither does.

    Raises:
        InvalidInput: it is not text. Nobody else is taken in their place.
    """
    about = request.get("metadata") if shape is ANTHROPIC else request
    named = about.get(shape.user) if isinstance(about, Mapping) else None
    user = named_in(headers, USER) or named
    if user is not None and not isinstance(user, str):
        raise InvalidInput("user", "must be text")
    return user or None


def _session_of(shape: Shape, request: Request) -> str:
    """A name for the session of a request without one: the same for each of one conversation of the
    service, and else for each that begins with the same words of the user.
    """
    messages = messages_of(shape, request)
    words = (one.get("content") for one in messages if one.get("role") == "user")
    said = json.dumps(request.get("conversation") or next(words, None), sort_keys=True)
    return f"proxy-{sha256(said.encode()).hexdigest()[:16]}"
