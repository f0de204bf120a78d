"""Sessions of Codex CLI: ``rollout-….jsonl`` below ``~/.codex/sessions``, one record a line.

A record has a time, a type and a payload. Messages, tool calls and their outputs are
``response_item`` records; what the user typed is also an ``event_msg``, by which it is told from
what the program puts into the user's messages. Left out: that, reasoning, other events, settings of
turns. A summary that took the place of earlier records is a system message.
"""

from __future__ import annotations

import re
from collections import Counter

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.walk import until_broken
from omoide.exchange.jsonstream import first_records, parsed
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, OpenConversation, Ordinals
from omoide.exchange.problems import BadRecord, Findings
from omoide.exchange.shape import Fields, iso, present, text, words
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role
from omoide.wire.blocks import Call, ContentBlock, LeftOut, Result, SpokenWords, blocks_of

FILES = re.compile(r".*\.jsonl", re.IGNORECASE)
LOOKED_AT = 20  # lines in which a record must occur

# fields that tell of the program
_PASSED = frozenset("cwd git originator source sandbox_policy".split())
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_TYPED = b'"user_message"'
_IMAGE = re.compile(rb'"data:image/[^"]{1000,}"')  # large, and not imported
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every session, one a file, in the order of file names."""
    for name in source.find(FILES):
        session = _CodexSession(name.rpartition("/")[2].rpartition(".")[0], options)
        yield from until_broken(name, _lines(source, name, session), session.chat.readings())


def _lines(source: ExportFiles, name: str, session: _CodexSession) -> Findings:
    session.has_events = any(_TYPED in data for _, data in source.lines(name) if data)
    for number, data in source.lines(name):
        with session.chat.reading(f"{name}: line {number}"):
            entry = parsed(data and _IMAGE.sub(b'""', data))
            session.add(session.chat.fields(entry, _PASSED))
        yield from session.chat.due()


def looks_like(source: ExportFiles, name: str) -> bool:
    """One of the first lines is a record of Codex's."""
    return any(
        fields.text("type") in _TYPES and isinstance(fields.get("payload"), dict)
        for fields in first_records(source, name, LOOKED_AT)
    )


class _CodexSession:
    """One session while it is read."""

    def __init__(self, stem: str, options: ImportOptions) -> None:
        self.chat = OpenConversation("codex", stem, options)
        self.has_events = False  # so that typed words are told from others
        self._stem, self._options = stem, options
        self._keys = Ordinals("codex", stem)
        self._tools: dict[str, str] = {}
        self._model = self._stamp = ""  # of the record that is read now

    def add(self, fields: Fields) -> None:
        """Add one record.

        Raises:
            BadRecord: not a record, or one whose content cannot be read.
        """
        kind, payload = fields.text("type"), fields.record("payload")
        if not kind or not payload:
            raise BadRecord("not a record with a type and a payload")
        self._stamp = fields.text("timestamp")
        if kind == "session_meta":
            self._begin(payload)
        elif kind == "turn_context":
            self._model = payload.line("model") or self._model
        elif kind == "compacted":
            self._say(payload.words("message"), Role.SYSTEM, "system")
        elif kind == "event_msg" and payload.get("type") == "user_message":
            self._say(payload.words("message"), Role.USER, self._name)
        elif kind == "response_item":
            self._item(payload)
        else:
            self.chat.leave_out(f"{kind} {payload.line('type')}"[:60].strip(), payload)

    @property
    def _name(self) -> str:
        return self._options.user or "user"

    def _begin(self, payload: Fields) -> None:
        own = payload.line("id") or self._stem
        self.chat.known_as(own)
        self.chat.last_at = iso(payload.get("timestamp"), self._options.timezone)
        self.chat.facts |= present(
            session=own,
            folder=payload.line("cwd"),
            branch=payload.line("git", "branch"),
        )

    def _item(self, payload: Fields) -> None:
        """A message, a tool call, its output, or reasoning."""
        is_message = payload.get("type") == "message"
        blocks = _blocks(payload.get("content") if is_message else [payload])
        role = _ROLES.get(payload.text("role"), Role.SYSTEM)
        if is_message and role is Role.USER and self.has_events:
            self.chat.leave_out("message that the program wrote, or repeats", payload)
        elif is_message and role is Role.SYSTEM:
            self.chat.leave_out("instructions", payload)
        else:
            speaker = "Codex" if role is Role.ASSISTANT else self._name
            said = _said(blocks) or (words(payload.get("content")) if is_message else "")
            if said or is_message:
                self._say(said, role, speaker, _left_out(blocks))
            for block in blocks:
                self._tool(block, None if is_message else payload)

    def _tool(self, block: ContentBlock, payload: Json) -> None:
        if isinstance(block, Call):
            tool = self._tools[block.id] = block.tool
            self._say(
                f"{tool} {block.given}".strip(), Role.TOOL, tool, {"tool": tool, "call": True}
            )
        elif isinstance(block, Result):
            tool = block.tool or self._tools.pop(block.id, "tool")
            self._say(block.text, Role.TOOL, tool, {"tool": tool, "result": True})
        elif isinstance(block, LeftOut) and not block.mark:
            self.chat.leave_out(block.kind, payload)

    def _say(self, said: str, role: Role, speaker: str, facts: Facts | None = None) -> None:
        teller = f"{role} {speaker if role is Role.TOOL else ''}"
        model = self._model if role is Role.ASSISTANT else ""
        self.chat.add(
            text(said),
            role,
            speaker,
            at=iso(self._stamp, self._options.timezone),
            key=self._keys.key(self._stamp, teller, said),
            is_me=role is Role.USER,
            facts={**present(model=model), **(facts or {})},
        )


def _blocks(content: Json) -> list[ContentBlock]:
    try:
        return [*blocks_of(content, "item")]
    except InvalidInput as problem:
        if told := words(content):
            return [SpokenWords(told)]
        raise BadRecord(str(problem)) from None


def _said(blocks: list[ContentBlock]) -> str:
    """The words among the blocks; what has none is named."""
    said = (
        block.text if isinstance(block, SpokenWords) else block.mark
        for block in blocks
        if isinstance(block, SpokenWords | LeftOut)
    )
    return "\n".join(filter(str.strip, said))


def _left_out(blocks: list[ContentBlock]) -> Facts:
    named = Counter(block.kind for block in blocks if isinstance(block, LeftOut) and block.mark)
    return present(left_out=dict(named))
