"""Claude.ai data exports: conversations with their text, tool calls and tool results.

Read: ``conversations.json`` and split files in a zip, in zips inside it or in a folder, one file
alone, and the account's name from ``users.json``. Where messages name their parents, the newest
branch is imported; else all of them by time. Attachments and files stand in a message's metadata by
name, size and type. The text of what was pasted or attached stands behind ``> ``, below what was
typed. Left out: thinking. Not read: ``projects.json`` and ``memories.json``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.blocks import BlockSegment, Skipped, Speech, add_blocks, segments
from omoide.exchange.formats.tags import without
from omoide.exchange.jsonstream import TOO_HEAVY, each_record
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import OpenConversation, digest
from omoide.exchange.problems import BadRecord, Findings, Omission, Problem
from omoide.exchange.quoted import quoted
from omoide.exchange.shape import (
    Fields,
    iso,
    present,
    record,
    sizes,
    text,
    words,
)
from omoide.nouns.clock import EPOCH
from omoide.nouns.metadata import Json
from omoide.nouns.turn import TURN_LIMIT, Role

FILES = re.compile(r"conversations(?:-\d+)?\.json", re.IGNORECASE)
ROOT = "00000000-0000-4000-8000-000000000000"  # the parent that first messages name

_USERS = re.compile(r"users\.json", re.IGNORECASE)
_BULK = frozenset({"citations", "display_content", "thinking", "summaries", "data"})
_PASTED = frozenset({"extracted_content"})
_HELD = "chat_messages"
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every conversation of the export, in its order."""
    people = _names(source)
    for name in source.find(FILES):
        for found in each_record(source, name, "conversation", drop=_BULK, soft=_PASTED, own=_HELD):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _conversation(found[1], found[0], people, options)


def _names(source: ExportFiles) -> dict[str, str]:
    """Account ids to names."""
    found = (
        user
        for name in source.find(_USERS, alone=False)
        for user in each_record(source, name, "user")
    )
    users = (record(user[1]) for user in found if not isinstance(user, Problem))
    return {user.text("uuid"): user.line("full_name") for user in users}


def _conversation(
    value: Json, place: str, people: dict[str, str], options: ImportOptions
) -> Findings:
    fields = record(value)
    held = fields.array(_HELD)
    messages = [record(message) for message in held]
    chat = _chat(fields, messages, options)
    if fields.get(_HELD) == []:
        yield Omission("conversation without messages", 1, place)
        return
    with chat.reading(place):
        chat.fields(value, {_HELD} if messages else frozenset())
        if not messages:
            raise BadRecord("has no messages")
    human = people.get(fields.text("account", "uuid")) or options.user or "user"
    tools: dict[str, str] = {}
    shown = _in_order(messages, fields.text("current_leaf_message_uuid"))
    for _ in range(len(messages) - len(shown)):
        chat.leave_out("other branch")
    for position, message in shown:
        with chat.reading(f"{place}, message {position}"):
            chat.fields(held[position - 1])
            _add(chat, message, human, tools, options)
    yield from chat.readings()


def _chat(fields: Fields, messages: list[Fields], options: ImportOptions) -> OpenConversation:
    """The conversation without its messages."""
    title, began = fields.line("name"), fields.get("created_at")
    own = fields.text("uuid")
    own = own or digest(title, text(began), messages[0].text("uuid") if messages else "")
    chat = OpenConversation("claude_ai", own, options, title=title)
    chat.last_at = iso(began, options.timezone)
    chat.ends_at = iso(fields.get("updated_at"), options.timezone)
    return chat


def _in_order(messages: list[Fields], leaf: str) -> list[tuple[int, Fields]]:
    """The messages to import, oldest first, each with its place in the file counted from 1: those
    of the branch that ends in leaf, or all where they form no tree.
    """
    timed = _by_time(messages)
    known = {uuid: entry for entry in timed if (uuid := entry[1].text("uuid"))}
    parents = Counter(map(_parent, messages))
    if parents[""] > 1 or not parents.keys() & known.keys() or parents.keys() - {*known, "", ROOT}:
        return timed
    branch: dict[str, tuple[int, Fields]] = {}
    at = leaf if leaf in known else timed[-1][1].text("uuid")
    while at in known and at not in branch:
        branch[at] = known[at]
        at = _parent(known[at][1])
    return [*branch.values()][::-1]


def _by_time(messages: list[Fields]) -> list[tuple[int, Fields]]:
    """The messages with their places, oldest first; one without a time stays behind the last."""
    times: list[datetime] = []
    for message in messages:
        times.append(iso(message.get("created_at")) or (times[-1] if times else EPOCH))
    order = sorted(range(len(messages)), key=times.__getitem__)
    return [(place + 1, messages[place]) for place in order]


def _parent(message: Fields) -> str:
    return message.text("parent_message_uuid")


def _add(
    chat: OpenConversation,
    message: Fields,
    human: str,
    tools: dict[str, str],
    options: ImportOptions,
) -> None:
    """Add one message.

    Raises:
        BadRecord: neither the human's nor Claude's.
    """
    sender = message.text("sender")
    role = _ROLES.get(sender)
    if role is None:
        raise BadRecord(f"unknown sender {sender[:40]!r}")
    written, zone = message.get("created_at"), options.timezone
    key = message.text("uuid") or digest(chat.id, text(written), sender, message.text("text"))
    add_blocks(
        chat,
        _with_pastes([*_said(chat, message, tools)], _pastes(chat, message)),
        role,
        human if role is Role.USER else "Claude",
        at=iso(written, zone) or iso(message.get("updated_at"), zone),
        key=key,
        facts=present(attachments=_files(message)),
    )


def _files(message: Fields) -> list[Json]:
    files = (*message.records("attachments"), *message.records("files"))
    return [
        sizes(file.get("file_name"), file.get("file_size"), file.get("file_type")) for file in files
    ]


def _pastes(chat: OpenConversation, message: Fields) -> Iterator[str]:
    """The texts of a message's attachments, as quotations."""
    for attachment in message.records("attachments"):
        pasted = attachment.get("extracted_content")
        if pasted is TOO_HEAVY:
            chat.leave_out("pasted text of many megabytes")
        else:
            yield from quoted(words(pasted))


def _with_pastes(found: list[BlockSegment], pastes: Iterable[str]) -> Iterator[BlockSegment]:
    """The segments with what was pasted below the last words; by itself where it is too long for
    that.
    """
    told = [place for place, segment in enumerate(found) if not isinstance(segment, Skipped)]
    for paste in pastes:
        last = found[told[-1]] if told else None
        if isinstance(last, Speech) and len(last.text) + len(paste) < TURN_LIMIT:
            text_and_paste = "\n".join(filter(str.strip, (last.text, paste)))
            found[told[-1]] = Speech(text_and_paste, last.attachments)
        else:
            told.append(len(found))
            found.append(Speech(paste))
    yield from found


_NOTICE = re.compile(r"(?:```\s*)?This block is not supported[^\n`]*(?:\s*```)?")


def _said(chat: OpenConversation, message: Fields, tools: dict[str, str]) -> Iterator[BlockSegment]:
    """A message's segments: its blocks, or its plain text where no block has words.

    The plain text is second choice because it holds notices in place of what could not be shown.
    """
    found = list(segments(message.get("content"), tools))
    plain = message.words("text")
    if plain.strip() and all(isinstance(segment, Skipped) for segment in found):
        found.append(Speech(plain))
    chat.tell(*_NOTICE.findall(plain))
    for segment in found or [Speech("")]:
        if isinstance(segment, Speech):
            shown = without(segment.text, "antThinking")
            chat.tell(segment.text)
            yield Speech(shown.lstrip() if shown != segment.text else shown, segment.attachments)
        else:
            yield segment
