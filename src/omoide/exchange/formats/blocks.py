"""Content blocks as Claude's exports and transcripts hold them: text, tool calls, tool results,
thinking.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from omoide.exchange.parts import Chat, Facts
from omoide.exchange.shape import array, line, record, records, sizes, text
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

TOOLS_LIMIT = 10_000  # tool calls remembered while their results are awaited

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_THINKING = frozenset({"thinking", "redacted_thinking"})
_FILES = frozenset({"image", "document", "file", "container_upload"})


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the speaker, with the attachments that stand among them."""

    text: str
    attachments: tuple[Facts, ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """A tool call or its result."""

    tool: str
    text: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A block that is not imported."""

    why: str


Segment: TypeAlias = Said | Used | LeftOut


def segments(content: Json, tools: dict[str, str]) -> Iterator[Segment]:
    """The parts of a message in order; neighbouring text blocks are one, joined by a line feed.

    tools maps the ids of earlier calls to tool names and is added to, so that results can name
    theirs.
    """
    words: list[str] = []
    files: list[Facts] = []
    for block in [content] if isinstance(content, str) else array(content):
        segment = _segment(block, tools)
        if isinstance(segment, Said):
            words += [segment.text] if segment.text.strip() else []
            files += segment.attachments
        else:
            if words:
                yield Said("\n".join(words), tuple(files))
                words, files = [], []
            yield segment
    if words or files:
        yield Said("\n".join(words), tuple(files))


def _segment(block: Json, tools: dict[str, str]) -> Segment:
    """What one block is."""
    if isinstance(block, str):
        return Said(text(block))
    fields = record(block)
    kind = text(fields.get("type"))
    if kind in _CALLS:
        return _call(fields, tools)
    if kind.endswith("tool_result"):
        return _result(fields, tools)
    if kind in _THINKING:
        return LeftOut("thinking")
    if kind in _FILES:
        source = record(fields.get("source"))
        name = fields.get("title") or fields.get("file_name") or source.get("url") or kind
        return Said("", (sizes(name, None, source.get("media_type")),))
    words = text(fields.get("text"))
    return (
        Said(words)
        if words.strip() or kind == "text"
        else LeftOut(f"block {kind or 'without type'}"[:60])
    )


def _call(fields: Facts, tools: dict[str, str]) -> Used:
    name = line(fields.get("name")) or "tool"
    if len(tools) < TOOLS_LIMIT:
        tools[line(fields.get("id"))] = name
    given = json.dumps(fields.get("input"), ensure_ascii=False) if fields.get("input") else ""
    return Used(name, text(f"{name} {given}".strip()), {"tool": name, "call": True})


def _result(fields: Facts, tools: dict[str, str]) -> Used:
    name = tools.pop(line(fields.get("tool_use_id")), "") or line(fields.get("name")) or "tool"
    facts: Facts = {"tool": name, "result": True}
    if fields.get("is_error"):
        facts["error"] = True
    return Used(name, _plain(fields.get("content")), facts)


def _plain(content: Json) -> str:
    """The text of a result, whose content is text or blocks."""
    if isinstance(content, str):
        return text(content)
    return "\n".join(words for block in records(content) if (words := text(block.get("text"))))


def add_blocks(
    chat: Chat,
    found: Iterator[Segment],
    role: Role,
    speaker: str,
    *,
    at: datetime | None,
    key: str,
    facts: Facts | None = None,
) -> None:
    """Add a message's segments to chat: words under role, tool calls and results under Role.TOOL.

    The first takes key, each further one ``<key>:<its number>``.

    Raises:
        BadRecord: as ``Chat.add``.
    """
    attachments: list[Json] = list(array((facts or {}).get("attachments")))
    common = {name: value for name, value in (facts or {}).items() if name != "attachments"}
    position = -1
    for position, segment in enumerate(found):
        own = f"{key}:{position}" if position else key
        match segment:
            case Said():
                attachments += segment.attachments
                said: Facts = {**common, "attachments": attachments} if attachments else common
                chat.add(
                    segment.text, role, speaker, at=at, key=own, is_me=role is Role.USER, facts=said
                )
                attachments = []
            case Used():
                chat.add(
                    segment.text,
                    Role.TOOL,
                    segment.tool,
                    at=at,
                    key=own,
                    facts={**common, **segment.facts},
                )
            case LeftOut():
                chat.leave_out(segment.why)
    if position < 0:
        chat.leave_out("attachment" if attachments else "empty")
