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
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from omoide.exchange.archives import Source
from omoide.exchange.jsonstream import JsonReader, record_in
from omoide.exchange.options import GEMINI_CLI, ImportOptions
from omoide.exchange.parts import Chat, Facts, conversation_id
from omoide.exchange.problems import BadRecord, BrokenFile, Findings, Problem
from omoide.exchange.shape import array, iso, line, record, records, text
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"session-.*\.jsonl?", re.IGNORECASE)
HEAD = frozenset({"sessionId", "projectHash"})
LINE_LIMIT = 16 * 2**20  # bytes of one record
LOOKED_AT = 5  # lines in which a head must occur

_SAID = {"user": Role.USER, "gemini": Role.ASSISTANT}
_LINED = re.compile(r".*\.jsonl", re.IGNORECASE)


def read(source: Source, options: ImportOptions) -> Findings:
    """Every session, one a file, in the order of file names."""
    for name in source.find(FILES):
        session = _Session(name, options)
        try:
            lined = _LINED.fullmatch(name) or looks_like(source, name)
            yield from (_of_lines if lined else _of_object)(source, name, session)
        except BrokenFile as broken:
            yield Problem(name, str(broken))
        yield from session.chat.readings()


def looks_like(source: Source, name: str) -> bool:
    """One of the first lines is the head of a session."""
    try:
        return any(_is_head(data) for _, data in islice(source.lines(name, LINE_LIMIT), LOOKED_AT))
    except BrokenFile:
        return False


def _is_head(data: bytes | None) -> bool:
    try:
        fields = record_in(data, LINE_LIMIT)
    except BadRecord:
        return False
    return fields.keys() >= HEAD and "messages" not in fields


def _of_object(source: Source, name: str, session: _Session) -> Findings:
    with source.open(name) as file:
        reader = JsonReader(file)
        for key in reader.fields():
            if key != "messages":
                session.head({key: reader.small()})
                continue
            for count in reader.items():
                session.chat.place = f"{name}: message {count}"
                yield from session.add(reader.value())


def _of_lines(source: Source, name: str, session: _Session) -> Findings:
    plan = _Plan()
    for number, data in source.lines(name, LINE_LIMIT):
        try:
            plan.look(number, record_in(data, LINE_LIMIT))
        except BadRecord:  # told when it is read
            plan.broken.add(number)
    for number, data in source.lines(name, LINE_LIMIT):
        session.chat.place = f"{name}: line {number}"
        try:
            fields = record_in(data, LINE_LIMIT)
        except BadRecord as bad:
            yield Problem(session.chat.place, str(bad))
            continue
        session.head({**fields, **record(fields.get("$set"))})
        if number in plan.rewound:
            session.chat.leave_out("rewound")
        listed = array(record(fields.get("$set")).get("messages"))
        for message in (*((fields,) if number in plan.kept else ()), *listed):
            yield from session.add(message)


@dataclass(slots=True)
class _Plan:
    """Which lines of a file are messages that stand, and which were rewound: numbers of lines."""

    last: dict[str, int] = field(default_factory=dict)  # by message, in the order of the first
    rewound: set[int] = field(default_factory=set)
    broken: set[int] = field(default_factory=set)

    @property
    def kept(self) -> set[int]:
        """The lines whose message stands, each message in its last form."""
        return set(self.last.values())

    def look(self, number: int, fields: Facts) -> None:
        """Take note of a line."""
        if "$rewindTo" in fields:
            self._rewind(line(fields["$rewindTo"]))
        elif line(fields.get("id")):
            self.last[line(fields["id"])] = number

    def _rewind(self, id: str) -> None:
        ids = list(self.last)
        for gone in ids[ids.index(id) if id in self.last else 0 :]:
            self.rewound.add(self.last.pop(gone))


class _Session:
    """One session while it is read."""

    def __init__(self, name: str, options: ImportOptions) -> None:
        stem = name.rpartition("/")[2].rpartition(".")[0]
        self.chat = Chat(GEMINI_CLI, conversation_id(GEMINI_CLI, stem), options)
        self._options, self._count = options, 0

    def head(self, fields: Facts) -> None:
        """Take over what a session says of itself."""
        if own := line(fields.get("sessionId")):
            self.chat.id = conversation_id(GEMINI_CLI, own)
            self.chat.facts["session"] = own
        self.chat.title = line(fields.get("summary")) or self.chat.title
        if line(fields.get("kind")) == "subagent":
            self.chat.facts["kind"] = "subagent"
        if folders := [line(folder) for folder in array(fields.get("directories"))]:
            self.chat.facts["folders"] = list[Json](folders)

    def add(self, value: Json) -> Findings:
        """Add one message, with the calls of tools in it; a problem where it is none."""
        try:
            self._add(record(value))
        except BadRecord as bad:
            yield Problem(self.chat.place, str(bad))
        if self.chat.is_full:
            yield from self.chat.readings()

    def _add(self, message: Facts) -> None:
        kind = text(message.get("type"))
        if kind not in _SAID:
            if kind not in ("info", "warning", "error"):
                raise BadRecord(f"unknown type {kind[:40]!r}")
            self.chat.leave_out(kind)
            return
        for _ in array(message.get("thoughts")):
            self.chat.leave_out("thinking")
        self._count += 1
        key = line(message.get("id")) or str(self._count)
        role = _SAID[kind]
        # what was typed, where files that it names stand in the content
        shown = message.get("displayContent") if role is Role.USER else None
        words = self._words(shown) or self._words(message.get("content"))
        calls = list(records(message.get("toolCalls")))
        if words.strip() or not calls:
            self._say(words, role, key, message)
        for call in calls:
            self._call(call, key, message)

    def _say(self, words: str, role: Role, key: str, message: Facts) -> None:
        mine = role is Role.USER
        model = line(message.get("model"))
        self.chat.add(
            words,
            role,
            (self._options.user or "user") if mine else "Gemini",
            at=self._at(message),
            key=key,
            is_me=mine,
            facts={"model": model} if model else {},
        )

    def _call(self, call: Facts, key: str, message: Facts) -> None:
        """A call of a tool, and what it gave."""
        tool, at = line(call.get("name")) or "tool", self._at(call) or self._at(message)
        own = f"{key}:{line(call.get('id')) or tool}"
        given = json.dumps(record(call.get("args")), ensure_ascii=False)
        facts: Facts = {"tool": tool, "call": True}
        self.chat.add(f"{tool} {given}", Role.TOOL, tool, at=at, key=own, facts=facts)
        shown = self._words(call.get("result")) or text(call.get("resultDisplay"))
        if shown.strip():
            facts = {"tool": tool, "result": True}
            self.chat.add(shown, Role.TOOL, tool, at=at, key=f"{own}:result", facts=facts)

    def _at(self, fields: Facts) -> datetime | None:
        return iso(fields.get("timestamp"), self._options.timezone)

    def _words(self, parts: Json) -> str:
        """The words of a text, a part, or several parts; other parts are counted."""
        return "\n".join(filter(str.strip, self._told(parts)))

    def _told(self, parts: Json) -> Iterator[str]:
        for part in parts if isinstance(parts, list) else [parts]:
            fields = record(part)
            answer = record(record(fields.get("functionResponse")).get("response"))
            words = text(part) or text(fields.get("text")) or text(answer.get("output"))
            if words:
                yield words
            elif "inlineData" in fields or "fileData" in fields:
                self.chat.leave_out("attachment")
