"""WhatsApp's text exports: ``_chat.txt`` or ``WhatsApp Chat with ….txt``, alone, in a zip or in a
folder.

The file has local times without a zone, in the phone's own layout: zone must be given, and the
order of day and month is found or asked for. Notices (joins, encryption, calls) are system
messages. Left out: deleted messages and media without a caption.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from itertools import islice

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.whatsapp_lines import (
    HEADER_LIMIT,
    MARKS,
    Layout,
    find_header,
    find_layout,
)
from omoide.exchange.formats.whatsapp_notes import (
    is_deleted,
    is_omitted,
    without_attachment,
    without_edit_note,
)
from omoide.exchange.lines import each_line
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, Me, OpenConversation, Ordinals, digest
from omoide.exchange.problems import BadRecord, BrokenFile, Findings, Omission, Problem
from omoide.exchange.shape import line as one_line
from omoide.exchange.shape import present, sizes, text
from omoide.nouns.record.lines import counted
from omoide.nouns.turn import Role

FILES = re.compile(r".*\.txt", re.IGNORECASE)
LINE_LIMIT = 4 * 2**20  # bytes
MESSAGE_LIMIT = 2**20  # characters; WhatsApp itself allows 65,536
LOOKED_AT = 100  # lines in which a header must occur

_CHAT_FILE = "_chat"  # the name that says nothing: the zip's or folder's does
_TITLE = re.compile(
    r".{0,30}?whatsapp[\s-]*(?:chat|чат)?\s*(?:with|mit|con|com|avec|met|med|ile|dengan|с|-|–)?\s+",
    re.IGNORECASE,
)
_COPY = re.compile(r"\s?\(\d{1,3}\)$")
_SENDER = re.compile(r'([^:"“”„«»]{1,100}?):(?:\s|$)')


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every chat file of the export.

    Raises:
        InvalidInput: zone or day_first is needed, or day_first contradicts the file.
    """
    me = Me(options)
    names = source.find(FILES)
    for name in names:
        if len(names) > 1 and not looks_like(source, name):
            yield Omission("file", 1, name)  # a text that was sent in the chat
        else:
            yield from _of_file(source, name, me, options)
    yield from me.missing()


def _of_file(source: ExportFiles, name: str, me: Me, options: ImportOptions) -> Findings:
    starts = (start for _, start in _starts(source, name))
    try:
        layout = find_layout(name, starts, options.day_first)
    except BrokenFile as broken:
        yield Problem(name, str(broken))
        return
    if layout is None:
        yield Problem(name, "no line begins with a date and time as WhatsApp writes them")
        return
    for word in layout.strange:
        yield Problem(name, f"{word!r} beside the time is not known; hours are taken as written")
    yield from _ChatFile(source, name, layout, me, options).read()


def looks_like(source: ExportFiles, name: str) -> bool:
    """One of the first lines begins like a WhatsApp message."""
    try:
        return any(find_header(start) for _, start in islice(_starts(source, name), LOOKED_AT))
    except BrokenFile:
        return False


def _starts(source: ExportFiles, name: str) -> Iterator[tuple[int, str]]:
    """The beginning of each line with its number."""
    with source.open(name) as file:
        for number, data in each_line(file, LINE_LIMIT):
            yield number, (data or b"")[: 4 * HEADER_LIMIT].decode(errors="replace")


class _Pending:
    """A message whose further lines may follow. If it grows too long, the rest is not kept."""

    def __init__(self, number: int, at: datetime | None, first: str) -> None:
        self.number, self.at = number, at
        self._text, self._length = io.StringIO(), 0
        self._put(first)

    def append(self, line: str) -> None:
        """Another line of it."""
        self._put(f"\n{line}")

    def _put(self, more: str) -> None:
        self._length += len(more)
        if self._length <= MESSAGE_LIMIT:
            self._text.write(more)

    @property
    def text(self) -> str:
        """Its lines.

        Raises:
            BadRecord: over MESSAGE_LIMIT characters.
        """
        if self._length > MESSAGE_LIMIT:
            raise BadRecord(f"{self._length} characters, the limit is {MESSAGE_LIMIT}")
        return self._text.getvalue()


class _ChatFile:
    """One chat file while it is read."""

    def __init__(
        self, source: ExportFiles, name: str, layout: Layout, me: Me, options: ImportOptions
    ) -> None:
        self._source, self._name, self._layout, self._me = source, name, layout, me
        title = _title(source.label, name)
        self._chat = OpenConversation("whatsapp", digest(title), options, title=title)
        self._keys = Ordinals("whatsapp", title)
        self._zone = options.required_zone()
        self._last: datetime | None = None
        self._pending: _Pending | None = None
        self._orphans = 0

    def read(self) -> Findings:
        """The chat."""
        number = 0
        try:
            for number, line in self._lines():
                if line is None:
                    yield Problem(self._place(number), f"over {LINE_LIMIT // 2**20} MB")
                else:
                    yield from self._line(number, line)
        except BrokenFile as broken:
            yield Problem(self._place(number + 1), str(broken))
        yield from self._finish()
        if self._orphans:
            yield Problem(self._name, f"{counted(self._orphans, 'line')} before the first message")
        yield from self._chat.readings()

    def _line(self, number: int, line: str) -> Findings:
        """Begin a message, or go on with the one that is pending."""
        header = find_header(line)
        if header is not None and header.style == self._layout.style:
            yield from self._finish()
            self._pending = _Pending(number, self._layout.when(header), line[header.end :])
        elif self._pending is not None:
            self._pending.append(line)
        elif line.strip():
            self._orphans += 1

    def _lines(self) -> Iterator[tuple[int, str | None]]:
        with self._source.open(self._name) as file:
            for number, data in each_line(file, LINE_LIMIT):
                yield number, None if data is None else text(data.decode(errors="replace"))

    def _place(self, number: int) -> str:
        return f"{self._name}: line {number}"

    def _finish(self) -> Findings:
        """Add the message, now that all its lines are there."""
        if self._pending is None:
            return
        with self._chat.reading(self._place(self._pending.number)):
            self._add(self._pending)
        yield from self._chat.due()

    def _add(self, pending: _Pending) -> None:
        if pending.at is None:
            raise BadRecord("no such date or time")
        at = self._last = _aware(pending.at, self._zone, self._last)
        sender, body = _split(pending.text)
        if sender and is_deleted(body):
            return self._chat.leave_out("deleted")
        if sender and is_omitted(body):
            return self._chat.leave_out("attachment")
        said, facts = _noted(body) if sender else (body, {})
        words = said.strip(MARKS)
        key = self._keys.key(pending.at.isoformat(), sender, words)
        if not sender or (said == body and _is_notice(body)):
            return self._chat.add(words, Role.SYSTEM, "system", at=at, key=key)
        is_me = self._me.is_one_of(sender)
        return self._chat.add(words, Role.USER, sender, at=at, key=key, is_me=is_me, facts=facts)


def _split(rest: str) -> tuple[str, str]:
    """Sender and text; no sender where WhatsApp itself speaks."""
    found = _SENDER.match(rest)
    sender = one_line(found[1].strip(f"~\u202f\xa0 {MARKS}")) if found else ""
    return (sender, rest[found.end() :]) if found and sender else ("", rest)


def _noted(body: str) -> tuple[str, Facts]:
    """The words, and what WhatsApp noted about them: an attachment, an edit."""
    words, file = without_attachment(body)
    plain = without_edit_note(words)
    return plain, present(attachments=[sizes(file)] if file else [], edited=plain != words)


def _is_notice(body: str) -> bool:
    """WhatsApp on iPhones marks its own words by a direction mark; so it does places and polls,
    which have more to them.
    """
    return body.startswith("\u200e") and "\n" not in body and "://" not in body


def _title(label: str, name: str) -> str:
    """The chat's name: from the file's, or from that of its zip or folder."""
    stem = name.rpartition("/")[2].rpartition(".")[0]
    shown = one_line(_COPY.sub("", label if stem == _CHAT_FILE else stem))
    return _TITLE.sub("", shown, count=1) or shown


def _aware(local: datetime, zone: tzinfo, last: datetime | None) -> datetime:
    """The local time in its zone; of an hour that occurs twice the second, if the first lies before
    last.
    """
    first, second = local.replace(tzinfo=zone), local.replace(tzinfo=zone, fold=1)
    twice = first.utcoffset() != second.utcoffset() and second.timestamp() > first.timestamp()
    return second if twice and last is not None and first.timestamp() < last.timestamp() else first
