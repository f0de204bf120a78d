"""Wrapping: the client of a model's SDK, whose calls get context and are logged."""

from __future__ import annotations

import asyncio
import inspect
import warnings
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeVar

from omoide.aio import AsyncMemory
from omoide.clients.answers import messages_in, without_parsed
from omoide.clients.requests import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Shape,
    listed,
    new_messages,
    question_of,
    replays,
    with_context,
)
from omoide.clients.streams import (
    AsyncHeardManager,
    AsyncHeardStream,
    HeardManager,
    HeardStream,
)
from omoide.context.budget import Budget
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, NotFound, OmoideError
from omoide.nouns.query import Query
from omoide.verbs.everyday import CONTEXT_TOKENS

C = TypeVar("C")
METHODS = ("create", "parse", "stream")
CALLS: Mapping[str, Shape] = {
    "chat.completions": CHAT,
    "responses": RESPONSES,
    "messages": ANTHROPIC,
    "beta.chat.completions": CHAT,
    "beta.responses": RESPONSES,
    "beta.messages": ANTHROPIC,
}
COPIES = ("with_options", "copy")  # methods that give the client with other options
VIEWS = (
    "with_raw_response",
    "with_streaming_response",
)  # made of a part once, when first asked for
BARE = "_omoide_bare"  # where a wrapped client has the one that it wraps


def wrap(
    client: C,
    memory: Memory | AsyncMemory,
    *,
    budget: int | str | Budget = CONTEXT_TOKENS,
    strategy: str = "frozen",
) -> C:
    """Return a client of the OpenAI or Anthropic SDK that remembers: the same client, whose calls
    get context from a memory first, and are logged in it.

    The memory is bound to a user, and to a session, or gets a session of its own here. Chat
    completions, responses and messages remember, streamed ones and those of async clients too; what
    cannot be logged after an answer is a warning, and the answer is given all the same. A client
    that is wrapped already gets this memory in place of the other.

    Raises:
        InvalidInput: it is no client of these.
    """
    bound = memory.memory if isinstance(memory, AsyncMemory) else memory
    if bound.scope.session is None:
        bound = bound.at(session=bound.clock.new_id())
    client = getattr(client, "__dict__", {}).get(BARE, client)
    places = {path: place for path in CALLS if (place := _place(client, path)) is not None}
    twin = client
    for path, place in places.items():
        recall = _AroundCall(bound, CALLS[path], budget, strategy)
        methods = {name: recall.method(place, name) for name in METHODS if hasattr(place, name)}
        twin = _grafted(twin, path.split("."), methods)
    if not places:
        raise InvalidInput(
            "client",
            f"must be a client of the OpenAI or Anthropic SDK, not {type(client).__name__}",
        )
    again = partial(wrap, memory=bound, budget=budget, strategy=strategy)
    copies = {
        name: _followed(getattr(client, name), again) for name in COPIES if hasattr(client, name)
    }
    twin = _grafted(twin, [], copies | {BARE: client})
    for path in places:
        _lead_to(twin, path.split("."))
    return twin


@dataclass(frozen=True, slots=True)
class _AroundCall:
    """What is done before and after a call of one API."""

    memory: Memory
    shape: Shape
    budget: int | str | Budget
    strategy: str

    def method(self, place: Any, name: str) -> Callable[..., Any]:
        """A method of an API that remembers."""
        call = getattr(place, name)
        method: Callable[..., Any]
        if inspect.iscoroutinefunction(_bare(place.create)):
            method = self._async_stream if name == "stream" else self._async_call
        else:
            method = self._stream if name == "stream" else self._call
        return wraps(call)(partial(method, call))

    def _call(self, call: Callable[..., Any], **request: Any) -> Any:
        answer = call(**self._begun(request))
        if request.get("stream"):
            return HeardStream(answer, self._tell)
        self._tell(messages_in(answer))
        return answer

    def _stream(self, call: Callable[..., Any], **request: Any) -> HeardManager:
        return HeardManager(lambda: call(**self._begun(request)), self._tell)

    async def _async_call(self, call: Callable[..., Any], **request: Any) -> Any:
        answer = await call(**await asyncio.to_thread(self._begun, request))
        if request.get("stream"):
            return AsyncHeardStream(answer, self._tell_later)
        await self._tell_later(messages_in(answer))
        return answer

    def _async_stream(self, call: Callable[..., Any], **request: Any) -> AsyncHeardManager:
        async def begin() -> Any:
            return call(**await asyncio.to_thread(self._begun, request))

        return AsyncHeardManager(begin, self._tell_later)

    def _begun(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request with context; what is new in it is logged before the model is asked."""
        request = listed(self.shape, request)
        query = query_of(self.memory, self.shape, request)
        context = self.memory.context(query, budget=self.budget, strategy=self.strategy)
        if new := new_messages(self.shape, request):
            self.memory.ingest(new)
        return with_context(self.shape, request, context)

    def _tell(self, messages: list[Any]) -> None:
        """Log what the model said."""
        try:
            if messages:
                self.memory.ingest([without_parsed(one) for one in messages])
        except OmoideError as error:
            _warn(error)

    async def _tell_later(self, messages: list[Any]) -> None:
        await asyncio.to_thread(self._tell, messages)


QUESTION_CHARS = 10_000  # of what the user said, that memory is asked with


def query_of(memory: Memory, shape: Shape, request: Mapping[str, Any]) -> Query:
    """What the user asks of a memory that is bound to a session: without the session's talk where
    the request has it already.
    """
    question = question_of(shape, request)[:QUESTION_CHARS]
    session = memory.scope.session
    try:
        first = memory.sessions.turns(session, limit=1)
    except NotFound:  # nothing was said in it yet
        first = ()
    is_told = bool(first) and replays(shape, request, first[0])
    return Query(text=question, without_session=session if is_told else None)


def _warn(error: OmoideError) -> None:
    warnings.warn(f"the answer was not logged: {error}", RuntimeWarning, stacklevel=4)


def _place(client: Any, path: str) -> Any:
    """The part of a client that a path names; None where it has none with a ``create``."""
    part = client
    for name in path.split("."):
        part = getattr(part, name, None)
    return part if callable(getattr(part, "create", None)) else None


def _followed(method: Callable[..., Any], act: Callable[[Any], Any]) -> Callable[..., Any]:
    """A method whose result goes through another one."""
    return wraps(method)(lambda *given, **named: act(method(*given, **named)))


def _bare(method: Any) -> Any:
    return inspect.unwrap(getattr(method, "__func__", method))


def _grafted(owner: Any, path: list[str], methods: Mapping[str, Any]) -> Any:
    """A copy of an object with these methods at the end of a path; all else is shared."""
    twin = copy(owner)
    for view in VIEWS:
        twin.__dict__.pop(view, None)
    if path:
        twin.__dict__[path[0]] = _grafted(getattr(owner, path[0]), path[1:], methods)
    else:
        twin.__dict__.update(methods)
    return twin


def _lead_to(twin: Any, path: list[str]) -> None:
    """Let the parts of a wrapped client on a path know it as their client: helpers of an SDK, such
    as runners of tools, ask through the client of their part.
    """
    part = twin
    for name in path:
        part = part.__dict__[name]
        part.__dict__["_client"] = twin
