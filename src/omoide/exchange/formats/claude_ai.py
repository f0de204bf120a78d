"""Claude.ai data exports: conversations with their text, tool calls and tool results.

Read: ``conversations.json`` and split files in a zip, in zips inside it or in a folder, one file
alone, and the account's name from ``users.json``. Where messages name their parents, the newest
branch is imported; else all of them by time. Attachments and files stand in a message's metadata by
name, size and type. The text of what was pasted or attached stands behind ``> ``, below what was
typed. Left out: thinking. Not read: ``projects.json`` and ``memories.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from omoide.exchange.archives import Source
from omoide.exchange.formats.blocks import LeftOut, Said, Segment, add_blocks, segments
from omoide.exchange.formats.tags import without
from omoide.exchange.jsonstream import TOO_HEAVY, each_record
from omoide.exchange.options import CLAUDE_AI, ImportOptions
from omoide.exchange.parts import Chat, Facts, conversation_id, digest
from omoide.exchange.problems import BadRecord, Findings, Problem
from omoide.exchange.quoted import quoted
from omoide.exchange.shape import array, iso, line, record, records, sizes, text
from omoide.nouns.clock import EPOCH
from omoide.nouns.metadata import Json
from omoide.nouns.turn import TURN_LIMIT, Role

FILES = re.compile(r"conversations(?:-\d+)?\.json", re.IGNORECASE)
ROOT = "00000000-0000-4000-8000-000000000000"  # the parent that first messages name

_USERS = re.compile(r"users\.json", re.IGNORECASE)
_BULK = frozenset({"citations", "display_content", "thinking", "summaries", "data"})
_PASTED = frozenset({"extracted_content"})


def read(source: Source, options: ImportOptions) -> Findings:
    """Every conversation of the export, in its order."""
    people = _names(source)
    for name in source.find(FILES):
        for found in each_record(source, name, "conversation", drop=_BULK, soft=_PASTED):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _conversation(found[1], found[0], people, options)


def _names(source: Source) -> dict[str, str]:
    """Account ids to names."""
    found = (
        user
        for name in source.find(_USERS, alone=False)
        for user in each_record(source, name, "user")
    )
    users = (record(user[1]) for user in found if not isinstance(user, Problem))
    return {text(user.get("uuid")): line(user.get("full_name")) for user in users}


def _conversation(
    value: Json, place: str, people: dict[str, str], options: ImportOptions
) -> Findings:
    fields = record(value)
    messages = list(records(fields.get("chat_messages")))
    if not messages:
        if not isinstance(fields.get("chat_messages"), list):
            yield Problem(place, "has no messages")
        return
    title = line(fields.get("name"))
    own = text(fields.get("uuid")) or digest(
        title, text(fields.get("created_at")), text(messages[0].get("uuid"))
    )
    chat = Chat(CLAUDE_AI, conversation_id(CLAUDE_AI, own), options, title=title)
    chat.last_at = iso(fields.get("created_at"), options.timezone)
    chat.ends_at = iso(fields.get("updated_at"), options.timezone)
    account = text(record(fields.get("account")).get("uuid"))
    human = people.get(account) or options.user or "user"
    tools: dict[str, str] = {}
    shown = _in_order(messages, text(fields.get("current_leaf_message_uuid")))
    chat.place = place
    for _ in range(len(messages) - len(shown)):
        chat.leave_out("other branch")
    for position, message in shown:
        chat.place = f"{place}, message {position}"
        try:
            _add(chat, message, human, tools, options)
        except BadRecord as bad:
            yield Problem(chat.place, str(bad))
    yield from chat.readings()


def _in_order(messages: list[Facts], leaf: str) -> list[tuple[int, Facts]]:
    """The messages to import, oldest first, each with its place in the file counted from 1."""
    timed: list[tuple[datetime, int, Facts]] = []
    last = EPOCH
    for position, message in enumerate(messages, start=1):
        last = iso(message.get("created_at")) or last
        timed.append((last, position, message))
    timed.sort(key=lambda entry: entry[:2])
    known = {
        uuid: (position, message)
        for _, position, message in timed
        if (uuid := text(message.get("uuid")))
    }
    parents = [text(message.get("parent_message_uuid")) for message in messages]
    if not any(parent in known for parent in parents) or not all(
        parent in known or parent in ("", ROOT) for parent in parents
    ):
        return [(position, message) for _, position, message in timed]
    branch: dict[str, tuple[int, Facts]] = {}
    at = leaf if leaf in known else text(timed[-1][2].get("uuid"))
    while at in known and at not in branch:
        branch[at] = known[at]
        at = text(known[at][1].get("parent_message_uuid"))
    return [*branch.values()][::-1]


def _add(
    chat: Chat, message: Facts, human: str, tools: dict[str, str], options: ImportOptions
) -> None:
    """Add one message.

    Raises:
        BadRecord: neither the human's nor Claude's.
    """
    sender = text(message.get("sender"))
    roles = {"human": (Role.USER, human), "assistant": (Role.ASSISTANT, "Claude")}
    if sender not in roles:
        raise BadRecord(f"unknown sender {sender[:40]!r}")
    role, speaker = roles[sender]
    files: list[Json] = [
        sizes(file.get("file_name"), file.get("file_size"), file.get("file_type"))
        for file in (*records(message.get("attachments")), *records(message.get("files")))
    ]
    at, changed = (
        iso(message.get(f"{did}_at"), options.timezone) for did in ("created", "updated")
    )
    key = text(message.get("uuid")) or digest(
        chat.id, text(message.get("created_at")), sender, text(message.get("text"))
    )
    add_blocks(
        chat,
        _with_pastes([*_said(message, tools)], _pastes(chat, message)),
        role,
        speaker,
        at=at or changed,
        key=key,
        facts={"attachments": files} if files else None,
    )


def _pastes(chat: Chat, message: Facts) -> Iterator[str]:
    """The texts of a message's attachments, as quotations."""
    for attachment in records(message.get("attachments")):
        pasted = attachment.get("extracted_content")
        if pasted is TOO_HEAVY:
            chat.leave_out("pasted text of many megabytes")
        else:
            yield from quoted(text(pasted))


def _with_pastes(found: list[Segment], pastes: Iterable[str]) -> Iterator[Segment]:
    """The segments with what was pasted below the last words; by itself where it is too long for
    that.
    """
    for paste in pastes:
        last = found[-1] if found else None
        if isinstance(last, Said) and len(last.text) + len(paste) < TURN_LIMIT:
            words = "\n".join(filter(str.strip, (last.text, paste)))
            found[-1] = Said(words, last.attachments)
        else:
            found.append(Said(paste))
    yield from found


def _said(message: Facts, tools: dict[str, str]) -> Iterator[Segment]:
    """A message's segments: its blocks, or its plain text where no block has words.

    The plain text is second choice because it holds notices in place of what could not be shown.
    """
    found = list(segments(array(message.get("content")), tools))
    plain = text(message.get("text"))
    if plain.strip() and all(isinstance(segment, LeftOut) for segment in found):
        found.append(Said(plain))
    for segment in found or [Said("")]:
        if isinstance(segment, Said):
            shown = without(segment.text, "antThinking")
            yield Said(shown.lstrip() if shown != segment.text else shown, segment.attachments)
        else:
            yield segment
