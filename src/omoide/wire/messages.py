"""Messages as SDKs of chat models give them become ``Message`` records: mappings, or objects with
``model_dump``.

Nothing with words is dropped: a field that is not known and holds text is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from omoide.nouns.clock import parse_time
from omoide.nouns.errors import InvalidInput, InvalidTime, UnknownName
from omoide.nouns.turn import Message, Role
from omoide.wire.blocks import (
    CONTENT,
    DEPTH_LIMIT,
    Call,
    ContentBlock,
    LeftOut,
    Result,
    SpokenWords,
    blocks_of,
    call_of,
    fields_of,
    is_item,
)

ROLES = {
    **{role.value: role for role in Role},
    "developer": Role.SYSTEM,
    "function": Role.TOOL,
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
}
_NAMES = {"name": "speaker", "timestamp": "at", "created_at": "at", "id": "key"}
_TEXTS = ("text", "content", "parts", "output")  # where words stand, one of them in a message
_SAID = frozenset({"role", *_TEXTS, "tool_calls", "invalid_tool_calls", "function_call"})
_OF_TOOL = frozenset({"tool_call_id", "tool_name", "call_id"})
_ASIDE = frozenset({"refusal", "audio", "images", "artifact"})
_THINKING = frozenset({"reasoning", "reasoning_content", "reasoning_details", "thinking"})
# beside the talk: what SDKs note of an answer, never words of it
_NOTES = frozenset(
    "type object model status phase index example usage usage_metadata response_metadata"
    " additional_kwargs stop_reason stop_sequence stop_details finish_reason annotations citations"
    " logprobs container context_management diagnostics cache_control attachments file_ids"
    " assistant_id thread_id run_id parent_id service_tier system_fingerprint provider".split()
)
_WHOLE = {
    "choices": "response.choices[0].message",
    "candidates": "response.candidates[0].content",
    "message": "response.message",
}
_FIELDS = frozenset(Message.__dataclass_fields__)
_KNOWN = ("role", "content", "name", "timestamp", "id", "tool_calls", "tool_call_id", "metadata")


class Dumps(Protocol):
    """A message object of an SDK."""

    def model_dump(self) -> Any:
        """Its fields by name."""


@dataclass(slots=True)
class _TurnPiece:
    """What becomes one turn: words of one role, or one call of a tool, or its result."""

    role: Role
    texts: list[str] = field(default_factory=list)
    speaker: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


def messages_of(given: object, number: int, tools: dict[str, str]) -> list[Message]:
    """What an SDK's message says, in order: its words, its calls of tools, and their results, each
    as a message of its own.

    tools maps ids of calls to names of tools and is added to, so that results can name theirs. The
    first message has the given one's key, and each further one ``<key>:<its number>``.

    Raises:
        InvalidInput, InvalidTime, UnknownName: it cannot be read; names the message's number and
            the field.
    """
    place = f"message {number}"
    try:
        return _messages(given, place, tools)
    except RecursionError:
        raise InvalidInput(place, f"is nested more than {DEPTH_LIMIT} deep") from None


def _messages(given: object, place: str, tools: dict[str, str]) -> list[Message]:
    fields = _fields(given, place)
    role = _role(fields, place)
    blocks = [*_blocks(fields, role, place)]
    if role is Role.TOOL:
        blocks = [*_as_results(blocks, fields)]
    pieces = [*_pieces(blocks, role, tools)] or [_TurnPiece(role)]
    left_out = Counter(block.kind for block in blocks if isinstance(block, LeftOut))
    left_out.update(name for name in ("artifact",) if fields.get(name))
    left_out.update("thinking" for name in _THINKING if fields.get(name))
    if left_out:
        own = next((piece for piece in pieces if piece.role is role), pieces[0])
        own.facts["left_out"] = dict(left_out)
    common = _common(fields, place)
    return [_message(piece, n, common, role, place) for n, piece in enumerate(pieces)]


def _fields(given: object, place: str) -> dict[str, Any]:
    """The message's fields, null ones left out, with those that LangChain keeps aside.

    Raises:
        InvalidInput: it is not a message; UnknownName: a field that is not known holds text.
    """
    fields = fields_of(given)
    if fields is None:
        raise InvalidInput(
            place,
            "must be a Message, a mapping, or an SDK's message object, which has model_dump; not"
            f" {type(given).__name__}",
        )
    data = fields_of(fields.get("data"))
    if fields.keys() == {"type", "data"} and data is not None:
        fields = {"type": fields["type"], **data}
    aside = fields_of(fields.get("additional_kwargs")) or {}
    kept = (_SAID | _ASIDE | _THINKING) & aside.keys()
    fields = {**{name: aside[name] for name in kept}, **fields}
    _check_one(fields, place)
    for name, value in fields.items():
        _check_known(name, value, fields, place)
    return fields


def _check_one(fields: Mapping[str, Any], place: str) -> None:
    """
    Raises:
        InvalidInput: it is a whole response, not a message of one.
    """
    whole = {**_WHOLE, **({"output": "response.output"} if "tool_choice" in fields else {})}
    for name in whole.keys() & fields.keys():
        if "role" not in fields and _has_text(fields[name]):
            raise InvalidInput(f"{place} {name}", f"is of a whole response; give {whole[name]}")


def _check_known(name: str, value: object, fields: Mapping[str, Any], place: str) -> None:
    if name in _FIELDS | _NAMES.keys() | _SAID | _OF_TOOL | _ASIDE | _THINKING | _NOTES:
        return
    if name in _block_fields(fields) or not _has_text(value):
        return
    raise UnknownName(place, name, tuple(dict.fromkeys((*_KNOWN, *sorted(_FIELDS)))))


def _block_fields(fields: Mapping[str, Any]) -> Iterable[str]:
    """All fields, where the message is an item of a response, such as a call of a tool."""
    return fields if _is_item(fields) else ()


def _is_item(fields: Mapping[str, Any]) -> bool:
    kind = fields.get("type")
    return "role" not in fields and isinstance(kind, str) and is_item(kind)


def _has_text(value: object, depth: int = 0) -> bool:
    """Whether there is text in a value; what is nested too deep is believed to hold some."""
    if isinstance(value, str):
        return bool(value.strip())
    if depth > DEPTH_LIMIT:
        return True
    fields = fields_of(value)
    inner = fields.values() if fields is not None else value
    parts = inner if isinstance(inner, Iterable) and not isinstance(inner, bytes) else ()
    return any(_has_text(part, depth + 1) for part in parts)


def _role(fields: Mapping[str, Any], place: str) -> Role:
    """Who speaks: by role, or by type as LangChain has it; the user where neither says it."""
    if _is_item(fields):
        return Role.USER if fields["type"] in ("text", "input_text") else Role.ASSISTANT
    name = fields.get("role", fields.get("type", "user"))
    if name == "message":
        return Role.USER
    role = ROLES.get(_role_name(name)) if isinstance(name, str) else None
    if role is None:
        raise UnknownName(f"{place} role", str(name), tuple(ROLES))
    return role


def _role_name(name: str) -> str:
    """``AIMessageChunk``, as LangChain calls a streamed message, as ``ai``."""
    return name.removesuffix("MessageChunk").lower() if name.endswith("MessageChunk") else name


def _blocks(fields: Mapping[str, Any], role: Role, place: str) -> Iterator[ContentBlock]:
    """All that a message holds, in order; a call that stands in it twice, once."""
    if _is_item(fields):
        yield from blocks_of(fields, place)
        return
    given = [name for name in _TEXTS if name in fields]
    texts = [name for name in given if fields[name] not in ("", [], ())] or given[:1]
    if len(texts) > 1:
        raise InvalidInput(f"{place} {texts[1]}", f"is given beside {texts[0]}; give one of them")
    inside = [*blocks_of(fields[texts[0]], f"{place} {texts[0]}")] if texts else []
    yield from inside
    aside = [*_aside(fields, place)]
    yield from aside
    called = {block.id for block in inside if isinstance(block, Call)} - {""}
    calls = [*_calls(fields, place)]
    yield from (call for call in calls if call.id not in called)
    if not texts and not aside and not calls and role is not Role.ASSISTANT:
        raise InvalidInput(place, f'has no text; give "content": {CONTENT}')


def _aside(fields: Mapping[str, Any], place: str) -> Iterator[ContentBlock]:
    """What is said or shown beside the content."""
    if "refusal" in fields:
        yield from blocks_of(fields["refusal"], f"{place} refusal")
    audio = fields_of(fields.get("audio"))
    if audio is not None:
        text = audio.get("transcript")
        yield SpokenWords(text) if isinstance(text, str) else LeftOut("audio", "[audio]")
    images = fields.get("images")
    for _ in images if isinstance(images, list | tuple) else ():
        yield LeftOut("image", "[image]")


def _calls(fields: Mapping[str, Any], place: str) -> Iterator[Call]:
    for name in ("tool_calls", "invalid_tool_calls"):
        given = fields.get(name, ())
        if not isinstance(given, list | tuple):
            raise InvalidInput(
                f"{place} {name}", f"must be a list of calls or null, not {type(given).__name__}"
            )
        for number, call in enumerate(given):
            yield call_of(call, f"{place} {name} {number}")
    if "function_call" in fields:
        yield call_of(fields["function_call"], f"{place} function_call")


def _as_results(
    blocks: Iterable[ContentBlock], fields: Mapping[str, Any]
) -> Iterator[ContentBlock]:
    """The blocks of a tool's message: its words are what the tool gave."""
    ids = (fields.get(name) for name in ("tool_call_id", "call_id"))
    id = next((id for id in ids if isinstance(id, str)), "")
    name = fields.get("name") or fields.get("tool_name") or fields.get("speaker")
    tool = name if isinstance(name, str) else ""
    words: list[str] = []
    for block in blocks:
        if isinstance(block, SpokenWords):
            words.append(block.text)
            continue
        if isinstance(block, LeftOut) and block.mark:
            words.append(block.mark)
        yield block if not isinstance(block, LeftOut) else replace(block, mark="")
    if words:
        yield Result("\n".join(words), id, tool, is_error=fields.get("status") == "error")


def _pieces(
    blocks: Iterable[ContentBlock], role: Role, tools: dict[str, str]
) -> Iterator[_TurnPiece]:
    """The blocks as turns: neighbouring words are one, each call and each result one."""
    said = _TurnPiece(role)
    goes_on = False
    for block in blocks:
        match block:
            case SpokenWords() if goes_on or (block.is_cited and said.texts):
                said.texts[-1] += block.text
            case SpokenWords() if block.text.strip():
                said.texts.append(block.text)
            case LeftOut() if block.mark:
                said.texts.append(block.mark)
            case Call() | Result():
                if said.texts:
                    yield said
                said = _TurnPiece(role)
                yield _called(block, tools) if isinstance(block, Call) else _gave(block, tools)
        goes_on = isinstance(block, SpokenWords) and block.is_cited and bool(said.texts)
    if said.texts:
        yield said


def _called(call: Call, tools: dict[str, str]) -> _TurnPiece:
    if call.id:
        tools[call.id] = call.tool
    facts: dict[str, Any] = {"tool": call.tool, "call": True}
    facts |= {"call_id": call.id} if call.id else {}
    return _TurnPiece(Role.TOOL, [f"{call.tool} {call.given}".strip()], call.tool, facts)


def _gave(result: Result, tools: Mapping[str, str]) -> _TurnPiece:
    tool = result.tool or tools.get(result.id, "")
    facts: dict[str, Any] = {"tool": tool} if tool else {}
    facts |= {"call_id": result.id} if result.id else {}
    facts |= {"result": True} if facts else {}
    facts |= {"error": True} if result.is_error else {}
    return _TurnPiece(Role.TOOL, [result.text], tool, facts)


def _common(fields: Mapping[str, Any], place: str) -> dict[str, Any]:
    """What all turns of a message share, by the names of ``Message``."""
    named = {_NAMES.get(name, name): value for name, value in fields.items()}
    metadata = named.get("metadata", {})
    if not isinstance(metadata, Mapping):
        raise InvalidInput(f"{place} metadata", f"must be a mapping, not {type(metadata).__name__}")
    return {
        "speaker": named.get("speaker"),
        "user": named.get("user"),
        "at": _time(fields, place),
        "key": named.get("key"),
        "metadata": metadata,
    }


def _time(fields: Mapping[str, Any], place: str) -> datetime | None:
    """When it was said: ISO 8601 with an offset or a time; ``created_at`` also as Unix seconds."""
    name = next((name for name in ("at", "timestamp", "created_at") if name in fields), "")
    value = fields.get(name)
    if name == "created_at" and isinstance(value, int | float):
        return _of_seconds(value, f"{place} {name}")
    if isinstance(value, str):
        return parse_time(value, field=f"{place} {name}")
    if value is not None and not isinstance(value, datetime):
        raise InvalidTime(f"{place} {name}", f"must be a time, not {type(value).__name__}")
    return value


def _of_seconds(seconds: float, field: str) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidTime(field, f"{seconds} seconds after 1970 is out of range") from None


def _message(
    piece: _TurnPiece, position: int, common: Mapping[str, Any], role: Role, place: str
) -> Message:
    key, metadata = common["key"], common["metadata"]
    if key is not None and not isinstance(key, str):
        raise InvalidInput(f"{place} id", f"must be text, not {type(key).__name__}")
    speaker = piece.speaker or (common["speaker"] if piece.role is role else None)
    return Message(
        text="\n".join(piece.texts),
        role=piece.role,
        speaker=speaker or None,
        user=common["user"] if piece.role is role else None,
        at=common["at"],
        key=f"{key}:{position}" if key and position else key,
        metadata={**piece.facts, **metadata} if piece.facts else metadata,
    )
