"""An exchange with a model that passes by: it gets context, and is logged. Whatever fails here is a
warning in the log, and the client gets its answer all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from email.message import Message
from hashlib import sha256
from typing import Any, TypeVar

from omoide.clients.requests import CHAT, new_messages, question_of, with_context
from omoide.clients.wrapping import QUESTION_CHARS
from omoide.context.result import Context
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.proxy.headers import SESSION, USER, named_in
from omoide.proxy.heard import Heard, answer_of
from omoide.telemetry.logs import get_logger

log = get_logger(__name__)
Request = dict[str, Any]
T = TypeVar("T")


class Exchange:
    """A request to a chat model and its answer, with the memory of the user that it names."""

    def __init__(self, memory: Memory, usual: Scope) -> None:
        self._memory, self._usual = memory, usual
        self._bound: Memory | None = None  # until it is known whose the exchange is
        self._heard, self._is_told = Heard(), False
        self.has_failed = False

    def begun(self, headers: Message, body: bytes) -> bytes:
        """The request's body with context; what is new in it is logged."""
        request = self._tried("read", lambda: _read(body))
        if request is None:
            return body
        self._bound = bound = self._tried("bind", lambda: self._place(headers, request))
        if bound is None:
            return body
        context = self._tried("context", lambda: _context(bound, request))
        self._tried("log request", lambda: _log(bound, new_messages(CHAT, request)))
        return (
            body if context is None else json.dumps(with_context(CHAT, request, context)).encode()
        )

    def hear(self, piece: bytes) -> None:
        """Take in the next piece of a streamed answer; it is logged when it is over."""
        self._tried("read answer", lambda: self._heard.hear(piece))
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
        user, usual = _user_of(headers, request), self._usual
        return self._memory.at(
            user=user or usual.user,
            shared=usual.shared and user is None,
            agent=usual.agent,
            context=usual.context,
            tenant=usual.tenant,
            session=named_in(headers, SESSION) or usual.session or _session_of(request),
        )

    def _tried(self, step: str, act: Callable[[], T]) -> T | None:
        """What an act gives; None where it fails, which is noted."""
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - no failure of memory may cost the client its answer
            self.has_failed = True
            log.warning("memory_failed", step=step, error=type(error).__name__)
            return None


def _context(memory: Memory, request: Request) -> Context:
    """What memory holds; without the session's talk where the request has it already."""
    is_told = any(one.get("role") == "assistant" for one in request["messages"])
    question = question_of(CHAT, request)[:QUESTION_CHARS]
    session = memory.scope.session if is_told else None
    return memory.context(Query(text=question, without_session=session))


def _log(memory: Memory, messages: list[Any]) -> None:
    if messages:
        memory.ingest(messages)


def _read(body: bytes) -> Request:
    """The request of a body.

    Raises:
        ValueError: it is not a request with messages.
    """
    request = json.loads(body)
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise InvalidInput("messages", "must be a list of objects")
    return request  # type: ignore[no-any-return]


def _user_of(headers: Message, request: Mapping[str, Any]) -> str | None:
    """The user that the header names, or else the request; None where neither does.

    Raises:
        InvalidInput: it is not text. Nobody else is taken in their place.
    """
    user = named_in(headers, USER) or request.get("user")
    if user is not None and not isinstance(user, str):
        raise InvalidInput("user", "must be text")
    return user or None


def _session_of(request: Request) -> str:
    """A name for the session of a request without one: the same for each that begins with the same
    words of the user.
    """
    words = (one.get("content") for one in request["messages"] if one.get("role") == "user")
    said = json.dumps(next(words, None), sort_keys=True)
    return f"proxy-{sha256(said.encode()).hexdigest()[:16]}"
