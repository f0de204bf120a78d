"""Chats of Signal, as two programs write them: signal-export (a folder for each chat, in it
``data.json`` with one message a line) and signal-cli (``receive --output=json``, one event a line).

Times of signal-export are local ones without an offset; its owner is called Me. Left out: deleted
messages, messages that are only files, receipts, reactions and other events without words. Signal's
own backups are encrypted, and not read.

Sources: carderne/signal-export, ``sigexport/models.py`` and ``main.py``; AsamK/signal-cli, the
records in ``src/main/java/org/asamk/signal/json``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.signal_cli import ENVELOPE, Events
from omoide.exchange.formats.walk import until_broken
from omoide.exchange.jsonstream import first_records, record_in
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, Me, OpenConversation, Ordinals
from omoide.exchange.problems import BadRecord, Findings, Problem
from omoide.exchange.shape import Fields, line, present, record, sizes, text
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"data\.json|.*\.jsonl", re.IGNORECASE)
LOOKED_AT = 5  # lines in which a message must occur
OWNER = "Me"

_KEYS = frozenset({"date", "sender", "body", "reactions", "attachments"})


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every chat: those of signal-export in the order of their folders, those of signal-cli as they
    begin.

    Raises:
        InvalidInput: zone is needed, since signal-export has only local times.
    """
    me = Me(options)
    me.learn(OWNER)
    for name in source.find(FILES):
        of = _of_events if _has_events(source, name) else _of_chat
        yield from of(source, name, me, options)
    yield from me.missing()


def looks_like(source: ExportFiles, name: str) -> bool:
    """One of the first lines is a message of signal-export, or an event of signal-cli."""
    found = first_records(source, name, LOOKED_AT)
    return any(fields.keys() >= _KEYS or _is_event(fields) for fields in found)


def _has_events(source: ExportFiles, name: str) -> bool:
    return any(map(_is_event, first_records(source, name, LOOKED_AT)))


def _is_event(fields: Fields) -> bool:
    return "timestamp" in fields.record(ENVELOPE)


def _of_events(source: ExportFiles, name: str, me: Me, options: ImportOptions) -> Findings:
    events = Events(me, options)
    yield from until_broken(name, _events(source, name, events), events.rest())


def _events(source: ExportFiles, name: str, events: Events) -> Findings:
    for number, data in source.lines(name):
        place = f"{name}: line {number}"
        try:
            yield from events.add(record_in(data), place)
        except BadRecord as bad:
            yield Problem(place, str(bad))


def _of_chat(source: ExportFiles, name: str, me: Me, options: ImportOptions) -> Findings:
    folder = name.rpartition("/")[0].rpartition("/")[2] or source.label
    chat = OpenConversation("signal", folder, options, title=folder)
    add = partial(_add, chat, Ordinals("signal", folder), me, options)
    yield from until_broken(name, _messages(source, name, chat, add), chat.readings())


def _messages(
    source: ExportFiles, name: str, chat: OpenConversation, add: Callable[[Fields], None]
) -> Findings:
    for number, data in source.lines(name):
        with chat.reading(f"{name}: line {number}"):
            add(chat.fields(record_in(data)))
        yield from chat.due()


def _add(
    chat: OpenConversation, keys: Ordinals, me: Me, options: ImportOptions, message: Fields
) -> None:
    """Add one message of signal-export.

    Raises:
        BadRecord: it has no time.
        InvalidInput: zone is needed.
    """
    local = _local(message.get("date"))
    if local is None:
        raise BadRecord("no date")
    if message.get("deleted") is True:
        chat.leave_out("deleted", message)
        return
    speaker = message.line("sender") or "unknown"
    role = Role.SYSTEM if message.get("call") is True else Role.USER
    words = message.words("body").strip() or _sticker(message.get("sticker"))
    at = local if local.tzinfo else local.replace(tzinfo=options.required_zone())
    chat.tell(message.get("quote"))
    key, is_me = keys.key(local.isoformat(), speaker, words), role is Role.USER
    is_me = is_me and me.is_one_of(speaker)
    chat.add(words, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))


def _local(value: Json) -> datetime | None:
    try:
        return datetime.fromisoformat(text(value))
    except ValueError:
        return None


def _sticker(value: Json) -> str:
    """The emoji that a sticker stands for: the value, or in it."""
    return text(value) or record(value).text("emoji")


def _facts(message: Fields) -> Facts:
    """A message's metadata: what it quotes, and its files."""
    return present(
        quotes=line(message.text("quote").replace("> ", "")),
        attachments=[sizes(one.get("name")) for one in message.records("attachments")],
    )
