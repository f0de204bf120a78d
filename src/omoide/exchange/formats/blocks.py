"""Content blocks as Claude's exports and transcripts hold them: text, tool calls, tool results,
thinking.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from omoide.exchange.parts import Facts, OpenConversation
from omoide.exchange.shape import Fields, array, line, present, record, sizes, text, words
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role
from omoide.wire.blocks import TEXTS, Call, ContentBlock, Result, SpokenWords, blocks_of

TOOLS_LIMIT = 10_000  # tool calls remembered while their results are awaited

_FILE = re.compile(r"image|document|file|container_upload")


@dataclass(frozen=True, slots=True)
class Speech:
    """Words of the speaker, with the attachments that stand among them."""

    text: str
    attachments: tuple[Facts, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolBlock:
    """A tool call or its result."""

    tool: str
    text: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Skipped:
    """A block that is not imported, and what it is where its words are not to be counted again."""

    why: str
    block: Json = None


BlockSegment: TypeAlias = Speech | ToolBlock | Skipped


def segments(content: Json, tools: dict[str, str]) -> Iterator[BlockSegment]:
    """The parts of a message in order; neighbouring text blocks are one, joined by a line feed.

    tools maps the ids of earlier calls to tool names and is added to, so that results can name
    theirs.
    """
    said: list[str] = []
    files: list[Facts] = []
    for block in array(content) or ([content] if content else []):
        for segment in _segments(block, tools):
            if isinstance(segment, Speech):
                said += [segment.text] if segment.text.strip() else []
                files += segment.attachments
                continue
            if said:
                yield Speech("\n".join(said), tuple(files))
                said, files = [], []
            yield segment
    if said or files:
        yield Speech("\n".join(said), tuple(files))


def _segments(block: Json, tools: dict[str, str]) -> Iterator[BlockSegment]:
    """What one block is, as far as it can be read."""
    try:
        parts = [*blocks_of([block], "block")]
    except (InvalidInput, RecursionError):
        told = words(block)
        yield Speech(told) if told else Skipped("block without type")
        return
    for part in parts:
        yield _segment(part, block, tools)


def _segment(part: ContentBlock, block: Json, tools: dict[str, str]) -> BlockSegment:
    match part:
        case SpokenWords():
            return Speech(text(part.text))
        case Call():
            return _call(part, tools)
        case Result():
            return _result(part, tools)
        case _ if part.mark and _FILE.fullmatch(part.kind):
            return Speech("", (_file(record(block), part.kind),))
    if part.kind in TEXTS and (told := words(block)):
        return Speech(told)
    if part.mark:
        return Skipped(f"block {part.kind}"[:60])
    return Skipped(part.kind, block)


def _file(fields: Fields, kind: str) -> Facts:
    source = fields.record("source")
    name = fields.get("title") or fields.get("file_name") or source.get("url") or kind
    return sizes(name, None, source.get("media_type"))


def _call(call: Call, tools: dict[str, str]) -> ToolBlock:
    name = line(call.tool) or "tool"
    if len(tools) < TOOLS_LIMIT:
        tools[line(call.id)] = name
    return ToolBlock(name, text(f"{name} {call.given}".strip()), {"tool": name, "call": True})


def _result(result: Result, tools: dict[str, str]) -> ToolBlock:
    name = tools.pop(line(result.id), "") or line(result.tool) or "tool"
    facts = present(tool=name, result=True, error=result.is_error)
    return ToolBlock(name, text(result.text), facts)


def words_of(segments: Iterable[BlockSegment]) -> str:
    """What is said in the segments."""
    return "\n".join(segment.text for segment in segments if isinstance(segment, Speech))


def add_blocks(
    chat: OpenConversation,
    found: Iterator[BlockSegment],
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
    common = dict(facts or {})
    attachments = [*array(common.pop("attachments", None))]
    position = -1
    for position, segment in enumerate(found):
        own = f"{key}:{position}" if position else key
        match segment:
            case Speech(words, files):
                attachments += files
                said = {**common, "attachments": attachments} if attachments else common
                is_me, attachments = role is Role.USER, []
                chat.add(words, role, speaker, at=at, key=own, is_me=is_me, facts=said)
            case ToolBlock(tool, words, about):
                chat.add(words, Role.TOOL, tool, at=at, key=own, facts={**common, **about})
            case Skipped(why, block):
                chat.leave_out(why, block)
    if position < 0:
        chat.add("", role, speaker, at=at, key=key, facts=facts)
