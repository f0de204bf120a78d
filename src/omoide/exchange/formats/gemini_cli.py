"""Sessions of Gemini CLI below ``~/.gemini/tmp/*/chats``: ``session-….jsonl``, one record a line,
and in older versions ``session-….json``, one object.

A line is the head of a session, a message, a change to the head (``$set``), or a rewinding
(``$rewindTo``) that takes back a message and all after it. A message that changes is written again
with the same id, so the last one counts. Tool calls stand in the model's messages. Left out:
thoughts, what the program itself says (info, warning, error), and what was rewound.

Source: google-gemini/gemini-cli, ``packages/core/src/services/chatRecordingService.ts`` and
``chatRecordingTypes.ts``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.walk import until_broken
from omoide.exchange.jsonstream import JsonReader, first_records, record_in
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, OpenConversation
from omoide.exchange.problems import BadRecord, Findings, Problem
from omoide.exchange.shape import (
    Fields,
    iso,
    line,
    present,
    record,
    words,
)
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"session-.*\.jsonl?", re.IGNORECASE)
HEAD = frozenset({"sessionId", "projectHash"})
LOOKED_AT = 5  # lines in which a head must occur

_PASSED = frozenset({"directories", "tokens"})  # fields that tell of the program
_THOUGHT = ("subject", "description")
_SAID = {"user": Role.USER, "gemini": Role.ASSISTANT}
_LINED = re.compile(r".*\.jsonl", re.IGNORECASE)


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every session, one a file, in the order of file names."""
    for name in source.find(FILES):
        session = _GeminiSession(name, options)
        lined = _LINED.fullmatch(name) or looks_like(source, name)
        found = (_of_lines if lined else _of_object)(source, name, session)
        yield from until_broken(name, found, session.chat.readings())


def looks_like(source: ExportFiles, name: str) -> bool:
    """One of the first lines is the head of a session."""
    return any(
        fields.keys() >= HEAD and "messages" not in fields
        for fields in first_records(source, name, LOOKED_AT)
    )


def _of_object(source: ExportFiles, name: str, session: _GeminiSession) -> Findings:
    with source.open(name) as file:
        reader = JsonReader(file)
        if reader.kind != "object":
            yield Problem(name, "holds no object with messages")
        for key in reader.fields():
            if key != "messages":
                with session.chat.reading(name):
                    session.head(session.chat.fields({key: reader.small()}, _PASSED))
                continue
            for count in reader.records():
                with session.chat.reading(f"{name}: message {count}"):
                    session.add(reader.value())
                yield from session.chat.due()
        yield from reader.left_out(name)


def _of_lines(source: ExportFiles, name: str, session: _GeminiSession) -> Findings:
    plan = _StandingLines()
    for number, data in source.lines(name):
        with suppress(BadRecord):  # told when it is read
            plan.look(number, record_in(data))
    kept, chat = set(plan.last.values()), session.chat
    for number, data in source.lines(name):
        place, fields = f"{name}: line {number}", Fields()
        with chat.reading(place):
            fields = record_in(data)
            session.head(Fields({**fields, **fields.record("$set")}))
            if number in plan.rewound:
                chat.leave_out("rewound", fields)
            elif number not in kept and number not in plan.replaced:
                chat.fields(fields, _PASSED | {"messages"})
        listed = fields.array("$set", "messages")
        for message in [fields, *listed] if number in kept else listed:
            with chat.reading(place):
                session.add(message)
        yield from chat.due()


@dataclass(slots=True)
class _StandingLines:
    """Which lines of a file are messages that stand, and which were rewound: numbers of lines."""

    # the line of each message's last form, by message, in the order of their first ones
    last: dict[str, int] = field(default_factory=dict)
    rewound: set[int] = field(default_factory=set)
    replaced: set[int] = field(default_factory=set)  # by a later form of the same message

    def look(self, number: int, fields: Fields) -> None:
        """Take note of a line."""
        if "$rewindTo" in fields:
            self._rewind(fields.line("$rewindTo"))
        elif id := fields.line("id"):
            if id in self.last:
                self.replaced.add(self.last[id])
            self.last[id] = number

    def _rewind(self, id: str) -> None:
        ids = list(self.last)
        for gone in ids[ids.index(id) if id in self.last else 0 :]:
            self.rewound.add(self.last.pop(gone))


class _GeminiSession:
    """One session while it is read."""

    def __init__(self, name: str, options: ImportOptions) -> None:
        stem = name.rpartition("/")[2].rpartition(".")[0]
        self.chat = OpenConversation("gemini_cli", stem, options)
        self._options, self._count = options, 0

    def head(self, fields: Fields) -> None:
        """Take over what a session says of itself."""
        if own := fields.line("sessionId"):
            self.chat.known_as(own)
            self.chat.facts["session"] = own
        self.chat.title = line(fields.words("summary")) or self.chat.title
        if fields.line("kind") == "subagent":
            self.chat.facts["kind"] = "subagent"
        if folders := [line(folder) for folder in fields.array("directories")]:
            self.chat.facts["folders"] = list[Json](folders)

    def add(self, value: Json) -> None:
        """Add one message, with the calls of tools in it.

        Raises:
            BadRecord: it is no message.
        """
        message = self.chat.fields(value, _PASSED)
        kind = message.text("type")
        if kind in ("info", "warning", "error"):
            self.chat.leave_out(kind, message)
            return
        if kind not in _SAID:
            raise BadRecord(f"unknown type {kind[:40]!r}")
        for thought in message.array("thoughts"):
            self.chat.leave_out("thinking", *(record(thought).get(name) for name in _THOUGHT))
        self._count += 1
        self._add(_SAID[kind], message.line("id") or f"number {self._count}", message)

    def _add(self, role: Role, key: str, message: Fields) -> None:
        # what was typed, where files that it names stand in the content
        shown = message.get("displayContent") if role is Role.USER else None
        told = self._words(shown) or self._words(message.get("content"))
        calls = list(message.records("toolCalls"))
        if told.strip() or not calls:
            self._say(told, role, key, message)
        for call in calls:
            self._call(call, key, message)

    def _say(self, told: str, role: Role, key: str, message: Fields) -> None:
        mine = role is Role.USER
        speaker = (self._options.user or "user") if mine else "Gemini"
        at, facts = self._at(message), present(model=message.line("model"))
        self.chat.add(told, role, speaker, at=at, key=key, is_me=mine, facts=facts)

    def _call(self, call: Fields, key: str, message: Fields) -> None:
        """A call of a tool, and what it gave."""
        tool, at = call.line("name") or "tool", self._at(call) or self._at(message)
        own, add = f"{key}:{call.line('id') or tool}", partial(self._add_tool, tool, at)
        add("call", own, f"{tool} {json.dumps(call.record('args'), ensure_ascii=False)}")
        shown = self._words(call.get("result")) or call.words("resultDisplay")
        self.chat.tell(call.get("resultDisplay"), call.get("description"))
        if shown.strip():
            add("result", f"{own}:result", shown)

    def _add_tool(self, tool: str, at: datetime | None, what: str, key: str, told: str) -> None:
        facts: Facts = {"tool": tool, what: True}
        self.chat.add(told, Role.TOOL, tool, at=at, key=key, facts=facts)

    def _at(self, fields: Fields) -> datetime | None:
        return iso(fields.get("timestamp"), self._options.timezone)

    def _words(self, parts: Json) -> str:
        """The words of a text, a part, or several parts; other parts are counted."""
        return "\n".join(filter(str.strip, self._told(parts)))

    def _told(self, parts: Json) -> Iterator[str]:
        for part in parts if isinstance(parts, list) else [parts]:
            told = words(part) or record(part).words("functionResponse", "response", "output")
            if told:
                yield told
            elif record(part).keys() & {"inlineData", "fileData"}:
                self.chat.leave_out("attachment")
