"""Requests to models: where the user's question stands in them, and how they are given context.
Pure: a request is never changed, only made anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from omoide.context.result import Context
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Turn
from omoide.wire.blocks import TEXTS, fields_of

_GOES_ON = (
    "previous_response_id",
    "conversation",
    "thread",
)  # fields by which a service knows what was said


@frozen_record
class Shape:
    """In which field an API takes messages, and instructions if these stand apart."""

    messages: str
    instructions: str | None = None
    part: str = "text"  # the type of a part of a content that is text
    user: str = "user"  # the field that names the user


CHAT = Shape(messages="messages")
RESPONSES = Shape(messages="input", instructions="instructions", part="input_text")
ANTHROPIC = Shape(messages="messages", instructions="system", user="user_id")


def listed(shape: Shape, request: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its messages in a list, where they are given as another iterable, which may
    be read only once.
    """
    given = request.get(shape.messages)
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        return dict(request)
    return {**request, shape.messages: list(given)}


def messages_of(shape: Shape, request: Mapping[str, Any]) -> list[Any]:
    """The messages of a request; a text alone is the user's."""
    given = request.get(shape.messages)
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(given) if isinstance(given, Sequence) else []


def question_of(shape: Shape, request: Mapping[str, Any]) -> str:
    """What the user said last; empty where that is nothing."""
    messages = messages_of(shape, request)
    place = _question_place(messages)
    return "" if place is None else _text(messages[place])


def replays(shape: Shape, request: Mapping[str, Any], first: Turn) -> bool:
    """Whether the model is told a session from its first turn on: it stands in the request, with an
    answer, or the service keeps the conversation. A client that sends only the last messages does
    not replay a session.

    A turn is known by its key, where the log has it masked, or else by its words.
    """
    if any(request.get(name) for name in _GOES_ON):
        return True
    messages, words = messages_of(shape, request), first.text.split()
    return any(map(_is_answer, messages)) and any(
        key == first.key or _text(one).split() == words for one, key in _keyed(messages)
    )


def with_context(shape: Shape, request: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The request with the stable part among its instructions, and the part for the turn before
    what the user said last.
    """
    made = dict(request)
    messages = messages_of(shape, request)
    place = _question_place(messages)
    if place is not None and context.turn:
        messages[place] = _prefixed(shape, messages[place], context.turn)
    if context.stable and shape.instructions is not None:
        made[shape.instructions] = _joined(request.get(shape.instructions), context.stable)
    elif context.stable:
        messages.insert(_told(messages), {"role": "system", "content": context.stable})
    return made | {shape.messages: messages} if messages else made


def new_messages(shape: Shape, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages that no request before had: those after the model's last words. Each has a key
    by all that stands before it, so that a repeated request is logged once. Words of the model's at
    the end are the beginning of the answer that is asked for.
    """
    messages = messages_of(shape, request)
    end = max((n for n, one in enumerate(messages, start=1) if not _is_answer(one)), default=0)
    last = max((n for n, one in enumerate(messages[:end]) if _is_answer(one)), default=-1)
    return [
        {**_plain(message), "id": key}
        for number, (message, key) in enumerate(_keyed(messages[:end]))
        if number > last and not _is_told(message)
    ]


def _keyed(messages: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """Each message with its key."""
    digest = sha256()
    for message in messages:
        digest.update(json.dumps(_plain(message), sort_keys=True, default=str).encode())
        yield message, f"call-{digest.hexdigest()[:24]}"


def _question_place(messages: Sequence[Any]) -> int | None:
    """Where the user's last words stand."""
    for place in range(len(messages) - 1, -1, -1):
        if _role(messages[place]) == "user" and _text(messages[place]).strip():
            return place
    return None


def _told(messages: Sequence[Any]) -> int:
    """How many messages stand first that are instructions."""
    return next((n for n, one in enumerate(messages) if not _is_told(one)), len(messages))


def _plain(message: Any) -> dict[str, Any]:
    return dict(fields_of(message) or {})


def _role(message: Any) -> str:
    return str(_plain(message).get("role", ""))


def _is_told(message: Any) -> bool:
    """Whether it is instructions."""
    return _role(message) in ("system", "developer")


def _is_answer(message: Any) -> bool:
    """Whether it is the model's: its words, its thoughts, or a call of a tool."""
    fields = _plain(message)
    kind = str(fields.get("type", ""))
    return fields.get("role") == "assistant" or ("role" not in fields and "output" not in kind)


def _text(message: Any) -> str:
    content = _plain(message).get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = (_plain(part) for part in parts)
    return "\n".join(str(part.get("text", "")) for part in texts if part.get("type") in TEXTS)


def _prefixed(shape: Shape, message: Any, text: str) -> dict[str, Any]:
    fields = _plain(message)
    content = fields.get("content")
    if isinstance(content, str):
        return {**fields, "content": f"{text}\n\n{content}"}
    return {**fields, "content": [{"type": shape.part, "text": text}, *(content or ())]}


def _joined(given: Any, text: str) -> Any:
    """Instructions with a text after them; a list of parts stays one."""
    if isinstance(given, str) and given:
        return f"{given}\n\n{text}"
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [*given, {"type": "text", "text": text}]
    return text
