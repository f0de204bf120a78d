"""Content blocks of chat APIs: what is said, which tools are called, what they give, and what is
left out.

A block may be text, a mapping, or an SDK's object; of mappings those of OpenAI (chat, responses),
Anthropic, Gemini, Bedrock, LangChain and the Vercel AI SDK are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from omoide.nouns.errors import InvalidInput

BLOCK = '{"type": "text", "text": "Hi"}'  # an example, for errors
CONTENT = "text, a list of content blocks, or null"
DEPTH_LIMIT = 32  # levels of a tool's result that are read

# kinds whose result is encoded data
_DATA = frozenset({"image_generation_call"})
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})
_CALL = re.compile(r"(?:.*_)?(?:tool_use|call)|executable_code|tool_call_chunk")
_RESULT = re.compile(r".*_(?:result|output|response)")
_MEDIA = re.compile(r".*(?:image|audio|video|file|media|screenshot|document|inline_data).*")
_GIVEN = ("arguments", "args", "input", "action", "code", "queries")
_GAVE = ("content", "output", "outputs", "response", "results", "result", "error")
_IDS = ("tool_use_id", "tool_call_id", "call_id", "id")
# keys of encoded data
_OPAQUE = frozenset({"data", "encrypted_content", "encrypted_stdout", "signature", "type"})
# kinds of what is said in a message
TEXTS = frozenset({"text", "input_text", "output_text"})


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """Words of who speaks. is_cited: they go on within a sentence, as cited text does."""

    text: str
    is_cited: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool: its name, and what it is given, as text."""

    tool: str
    given: str
    id: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave. tool is empty where the block does not name it."""

    text: str
    id: str
    tool: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A block that has no words for a turn, or is thinking. mark is what stands in its place."""

    kind: str
    mark: str = ""


ContentBlock: TypeAlias = SpokenWords | Call | Result | LeftOut


def is_call(kind: str) -> bool:
    """A block of that kind calls a tool."""
    return kind not in _DATA and _CALL.fullmatch(kind) is not None


def is_item(kind: str) -> bool:
    """A block of that kind may stand for a whole message, as items of responses do."""
    return kind in _THINKING | TEXTS or is_call(kind) or _RESULT.fullmatch(kind) is not None


def fields_of(given: object) -> dict[str, Any] | None:
    """The fields of a mapping or of an SDK's object, null ones left out; None for anything else."""
    dump = getattr(given, "model_dump", None)
    if not isinstance(given, Mapping) and callable(dump) and not isinstance(given, type):
        given = dump()
    if not isinstance(given, Mapping):
        return None
    return {str(name): value for name, value in given.items() if value is not None}


def blocks_of(content: object, field: str) -> Iterator[ContentBlock]:
    """The blocks of a message's content, in their order.

    Raises:
        InvalidInput: it is not content, or a block in it cannot be read; names the field.
    """
    if isinstance(content, str):
        yield SpokenWords(content)
        return
    blocks = content if isinstance(content, list | tuple) else None
    if blocks is None and fields_of(content) is not None:
        blocks = (content,)
    if blocks is None:
        raise InvalidInput(field, f"must be {CONTENT}, not {type(content).__name__}")
    for number, block in enumerate(blocks):
        yield from _block(block, f"{field} {number}")


def call_of(given: object, field: str) -> Call:
    """One of a message's tool calls, whose function may be a mapping of its own.

    Raises:
        InvalidInput: it names no tool.
    """
    fields = fields_of(given) or {}
    inner = fields_of(fields.get("function")) or fields_of(fields.get("custom")) or {}
    call = _call("", {**fields, **inner})
    if not call.tool:
        raise InvalidInput(
            field,
            'must name its tool, as {"id": "call_1", "function": {"name": "weather", "arguments":'
            ' "{}"}} or {"id": "call_1", "name": "weather", "args": {}}',
        )
    return call


def words_of(value: object, depth: int = 0) -> str:
    """The words of what a tool gave: text, blocks, or JSON, without encoded data."""
    if isinstance(value, str):
        return "" if value.startswith("data:") else value
    if depth > DEPTH_LIMIT:
        raise RecursionError
    if isinstance(value, list | tuple):
        return "\n".join(filter(None, (words_of(inner, depth + 1) for inner in value)))
    fields = fields_of(value)
    if fields is None:
        return "" if value is None else str(value)
    kind = fields.get("type")
    if isinstance(fields.get("text"), str):
        return str(fields["text"])
    if kind and "value" in fields:
        return words_of(fields["value"], depth + 1)
    if isinstance(kind, str) and _MEDIA.fullmatch(kind):
        return _words_of_source(fields, depth) or _mark(kind, fields)
    return _as_json({name: v for name, v in fields.items() if name not in _OPAQUE})


def _block(given: object, field: str) -> Iterator[ContentBlock]:
    if isinstance(given, str):
        yield SpokenWords(given)
        return
    fields = fields_of(given)
    if fields is None:
        raise InvalidInput(
            field, f"must be text or a block such as {BLOCK}, not {type(given).__name__}"
        )
    kind, fields = _kind_of(fields, field)
    if kind in _THINKING:
        yield LeftOut("thinking")
    elif is_call(kind):
        yield _call(kind, fields)
        if text := words_of([fields[name] for name in _GAVE if name in fields]):
            yield Result(text, _id(fields), _tool(fields))
    elif _RESULT.fullmatch(kind):
        yield _result(fields)
    else:
        yield _plain(kind, fields)


def _kind_of(fields: dict[str, Any], field: str) -> tuple[str, dict[str, Any]]:
    """A block's kind, and its fields in snake case; of ``{"functionCall": {...}}`` the inner
    ones.
    """
    fields = {_snake(name): value for name, value in fields.items()}
    if isinstance(fields.get("type"), str):
        return _snake(fields["type"]), fields
    if "text" in fields:
        return ("thinking" if fields.get("thought") is True else "text"), fields
    for name, value in fields.items():
        if (inner := fields_of(value)) is not None:
            return name, {_snake(key): v for key, v in inner.items()}
    raise InvalidInput(field, f"has neither type nor text; give a block such as {BLOCK}")


def _plain(kind: str, fields: Mapping[str, Any]) -> ContentBlock:
    """What is said in a block; else what it is, in brackets. A document's text is quoted."""
    said = fields.get("text", fields.get("refusal", fields.get("transcript")))
    said = fields_of(said) or said
    if isinstance(said, dict):
        said = said.get("value")
    if isinstance(said, str):
        return SpokenWords(said, is_cited=bool(fields.get("citations")))
    if text := _words_of_source(fields):
        return SpokenWords("\n".join(f"> {line}" for line in text.splitlines()))
    return LeftOut(kind, _mark(kind, fields))


def _words_of_source(fields: Mapping[str, Any], depth: int = 0) -> str:
    """The text of a document that has its words with it."""
    source = fields_of(fields.get("source")) or {}
    words = {"text": source.get("data"), "content": source.get("content")}
    return words_of(words.get(str(source.get("type"))), depth + 1)


def _mark(kind: str, fields: Mapping[str, Any]) -> str:
    name = next(
        (fields[n] for n in ("title", "filename", "file_name", "name") if fields.get(n)), ""
    )
    return f"[{kind}: {name}]" if isinstance(name, str) and name else f"[{kind}]"


def _call(kind: str, fields: Mapping[str, Any]) -> Call:
    given = next((fields[name] for name in _GIVEN if fields.get(name)), "")
    if not isinstance(given, str):
        given = _as_json(fields_of(given) or given)
    return Call(_tool(fields) or kind.removesuffix("_call"), given, _id(fields))


def _result(fields: Mapping[str, Any]) -> Result:
    gave = [fields[name] for name in _GAVE if name in fields]
    is_error = fields.get("is_error") is True or fields.get("status") == "error"
    return Result(words_of(gave), _id(fields), _tool(fields), is_error)


def _as_json(value: object) -> str:
    # what holds itself is nested without end
    return json.dumps(value, ensure_ascii=False, default=str, check_circular=False)


def _tool(fields: Mapping[str, Any]) -> str:
    name = fields.get("name") or fields.get("tool_name")
    return name if isinstance(name, str) else ""


def _id(fields: Mapping[str, Any]) -> str:
    return next((fields[name] for name in _IDS if isinstance(fields.get(name), str)), "")


def _snake(name: str) -> str:
    """``toolUseId`` and ``tool-use-id`` as ``tool_use_id``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
