"""Mail: mbox files, as Thunderbird, Apple Mail, mutt and Google Takeout write them, and single
``.eml`` files.

Each thread is a conversation, told by ``X-GM-THRID``, else by the first of ``References``, else by
``In-Reply-To``. A sender is known by their address. The plain text is read, or the words of the
HTML where there is none, quotations behind ``> `` in both; a mail without either says its subject.
Attachments stand in the metadata by name and type. Left out: mails without words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from email.errors import MessageError
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import default
from email.utils import getaddresses, parsedate_to_datetime
from functools import lru_cache
from itertools import islice
from typing import IO, Any

from omoide.exchange.accounts import letters_of
from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.mail_html import words_of_html
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import PART_BYTES, Facts, Me, OpenConversation, digest
from omoide.exchange.problems import BadRecord, BrokenFile, Findings, Problem
from omoide.exchange.quoted import quoted
from omoide.exchange.shape import holds_words, line, present, sizes, text
from omoide.nouns.metadata import Json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Role

FILES = re.compile(r".*\.(?:mbox|mbx|eml)|mbox", re.IGNORECASE)
MAIL_LIMIT = 32 * 2**20  # bytes of one mail, its attachments included
LINE_LIMIT = 2**20  # bytes that are read of a line at a time
HEADER_LIMIT = 8_000  # characters of a header that are read
BATCH = 2_000  # mails that are sorted by time together
SEARCHED = 2**29  # letters that are looked through again for lines in another order

_FROM = b"From "
_HEADER = re.compile(rb"[!-9;-~]+:(?!//)")
_QUOTED_FROM = re.compile(rb"^>(?=>*From )", re.MULTILINE)
_ANSWER = re.compile(
    r"^(?:\s*(?:re|aw|sv|fwd?|wg|antw|rv|res|tr)\s*(?:\[\d+\]\s*)?[:：])+\s*", re.I
)
_ID = re.compile(r"<[^<>\s]{1,900}>")
_TEXTS = frozenset({"text/plain", "text/html", "text/markdown", "text/enriched"})
_ALTERNATIVE = "multipart/alternative"


@frozen_record
class _Mail:
    """What is kept of a mail, without what is attached to it."""

    at: datetime
    place: str
    thread: str
    subject: str
    speaker: str
    address: str
    words: str
    key: str
    facts: Facts
    left_out: tuple[str, ...]  # what else of it has words


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """The threads of every file, by time within a batch of mails."""
    me = Me(options)
    for name in source.find(FILES):
        for found in _batches(source, name, options.timezone):
            if isinstance(found, Problem):
                yield found
            else:
                yield from _threads(found, me, options)
    yield from me.missing()


def _batches(
    source: ExportFiles, name: str, zone: tzinfo | None
) -> Iterator[list[_Mail] | Problem]:
    """The mails of a file, in batches of bounded size."""
    batch: list[_Mail] = []
    weight = 0
    try:
        for number, data in _mails(source, name):
            place = f"{name}: mail {number}"
            try:
                batch.append(_read(_parsed(data), place, zone))
                weight += len(batch[-1].words)
            except BadRecord as bad:
                yield Problem(place, str(bad))
            if len(batch) >= BATCH or weight >= PART_BYTES:
                yield batch
                batch, weight = [], 0
    except BrokenFile as broken:
        yield Problem(name, str(broken))
    yield batch


def looks_like(source: ExportFiles, name: str) -> bool:
    """It begins with the head of a mail, after a line that parts mails or without one."""
    try:
        with source.open(name, as_stored=True) as file:
            lines = [*islice(iter(lambda: file.readline(LINE_LIMIT), b""), 2)]
    except BrokenFile:
        return False
    after = lines[1:] if lines and lines[0].startswith(_FROM) else lines
    return bool(after) and _HEADER.match(after[0]) is not None


def _mails(source: ExportFiles, name: str) -> Iterator[tuple[int, bytes | None]]:
    """Each mail's bytes with its number; None where it is over MAIL_LIMIT."""
    with source.open(name, as_stored=True) as file:
        number, mail, blank, held = 1, _Bytes(), True, b""
        for part, starts in _lines(file):
            if held and not _HEADER.match(part):
                mail.add(held)  # words, as no mail begins below them
            elif held and mail.size:
                yield number, mail.whole
                number, mail = number + 1, _Bytes()
            held = part if starts and blank and part.startswith(_FROM) else b""
            if not held:
                mail.add(part)
            blank = starts and not part.strip()
        mail.add(held)
        if mail.size:
            yield number, mail.whole


class _Bytes:
    """The bytes of a mail, kept as far as the limit."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[bytes] = []

    def add(self, part: bytes) -> None:
        """Add a part of a line."""
        self.size += len(part)
        if self.size <= MAIL_LIMIT:
            self._parts.append(part)

    @property
    def whole(self) -> bytes | None:
        """All of them; None where they are over MAIL_LIMIT."""
        return b"".join(self._parts) if self.size <= MAIL_LIMIT else None


def _lines(file: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Parts of lines, and whether a line begins there."""
    starts = True
    while part := file.readline(LINE_LIMIT):
        yield part, starts
        starts = part.endswith(b"\n")


_HEADERS = HeaderRegistry()


@lru_cache(maxsize=256)
def _parsed_header(name: str, value: str) -> Any:
    """A header, parsed once however often a mail is asked for it; an empty one where it cannot be
    parsed, as one with a thousand open brackets.
    """
    try:
        return _HEADERS(name, value)
    except (MessageError, ValueError, LookupError, AttributeError, RecursionError):
        return _HEADERS(name, "")


_POLICY = default.clone(
    header_factory=lambda name, value: _parsed_header(name, value[:HEADER_LIMIT])
)


def _parsed(data: bytes | None) -> EmailMessage:
    if data is None:
        raise BadRecord(f"over {MAIL_LIMIT // 2**20} MB")
    try:
        mail = BytesParser(policy=_POLICY).parsebytes(_QUOTED_FROM.sub(b"", data))
    except (MessageError, ValueError, LookupError, RecursionError) as error:
        raise BadRecord(f"not a mail: {error}") from None
    assert isinstance(mail, EmailMessage)
    return mail


def _header(mail: EmailMessage, name: str) -> str:
    """A header's text; "" where there is none, or none that can be read."""
    return text(str(mail.get(name, "")))


def _time(mail: EmailMessage, zone: tzinfo | None) -> datetime:
    """
    Raises:
        BadRecord: it has no date that can be read.
    """
    try:
        at = parsedate_to_datetime(_header(mail, "Date"))
    except (ValueError, TypeError, OverflowError):
        raise BadRecord("no date") from None
    if at.tzinfo is None:  # "-0000": UTC, from somewhere
        return at.replace(tzinfo=UTC).astimezone(zone or UTC)
    return at.astimezone(zone) if zone and not at.utcoffset() else at


def _threads(batch: list[_Mail], me: Me, options: ImportOptions) -> Findings:
    chats: dict[str, OpenConversation] = {}
    for mail in sorted(batch, key=lambda mail: mail.at):
        if mail.thread not in chats:
            chats[mail.thread] = OpenConversation(
                "mail", digest(mail.thread), options, title=mail.subject
            )
        with chats[mail.thread].reading(mail.place):
            _add(chats[mail.thread], mail, me.is_one_of(mail.speaker, mail.address))
    for chat in chats.values():
        yield from chat.readings()


def _add(chat: OpenConversation, mail: _Mail, is_me: bool) -> None:
    words, key, facts = mail.words, mail.key, mail.facts
    for what in mail.left_out:
        chat.leave_out(what)
    if mail.subject != chat.title:
        facts = {**facts, **present(subject=mail.subject)}
    chat.add(words, Role.USER, mail.speaker, at=mail.at, key=key, is_me=is_me, facts=facts)


def _thread(mail: EmailMessage) -> str:
    """What a thread's mails have in common: the id that Google gives it, or that of its first."""
    if thread := line(_header(mail, "X-GM-THRID")):
        return thread
    for name in ("References", "In-Reply-To", "Message-ID"):
        if found := _ID.search(_header(mail, name)):
            return found[0]
    return digest(_header(mail, "From"), _header(mail, "Date"), _header(mail, "Subject"))


def _read(mail: EmailMessage, place: str, zone: tzinfo | None) -> _Mail:
    """What is kept of a mail.

    Raises:
        BadRecord: it has no date.
    """
    at = _time(mail, zone)
    shown, address = next(iter(getaddresses([_header(mail, "From")])), ("", ""))
    words, files = _content(mail)
    subject = line(_ANSWER.sub("", _header(mail, "Subject")))
    words = words or subject
    own = _ID.search(_header(mail, "Message-ID"))
    facts: Facts = {"attachments": files, "from": line(address), "to": line(_header(mail, "To"))}
    return _Mail(
        at=at,
        place=place,
        thread=_thread(mail),
        subject=subject,
        speaker=line(shown) or line(address) or "unknown",
        address=line(address),
        words=words,
        key=own[0] if own else digest(at.isoformat(), address, words),
        facts=present(**facts),
        left_out=tuple(kind for part in mail.walk() for kind in _left_out(part)),
    )


def _left_out(part: Message) -> Iterator[str]:
    """What has words in a part of parts, and is not read: what follows the last of them (what
    stands before the first is for programs), and lines of HTML that the plain text does not have.
    """
    if part.is_multipart() and holds_words(part.epilogue):
        yield "words outside of a mail's parts"
    if isinstance(part, EmailMessage) and part.get_content_type() == _ALTERNATIVE:
        told, *others = [words for _, words in _forms(part)] or [""]
        lines = (line for other in others for line in other.splitlines())
        if not _are_in(letters_of(told), map(letters_of, filter(holds_words, lines))):
            yield "words in the HTML of a mail"


def _are_in(letters: str, lines: Iterable[str]) -> bool:
    """Whether letters hold those of each line; each is looked for behind the one before it, and
    then anywhere, unless a very long mail would take minutes so.
    """
    at = searched = 0
    for wanted in lines:
        found = letters.find(wanted, at)
        if found < 0:
            searched += len(letters)
            found = letters.find(wanted) if searched < SEARCHED else -1
        if found < 0:
            return False
        at = found
    return True


def _forms(part: EmailMessage) -> Iterator[tuple[EmailMessage, str]]:
    """The forms of a text that has several, and their words: plain, if it has any, and HTML."""
    for form in ("plain", "html"):
        body = part.get_body((form,))
        if isinstance(body, EmailMessage) and (words := _text_of(body)):
            yield body, words


def _content(mail: EmailMessage) -> tuple[str, list[Json]]:
    """A mail's text, and what is attached to it."""
    shown = dict.fromkeys(_shown(mail))  # many parts may be asked for
    passed_on = (_passed_on(part) for part in mail.walk() if _is_mail(part))
    words = "\n\n".join(filter(str.strip, (*map(_text_of, shown), *passed_on)))
    files: list[Json] = [
        sizes(part.get_filename() or part.get_content_type(), None, part.get_content_type())
        for part in mail.walk()
        if part not in shown and _is_attached(part)
    ]
    return words, files


def _is_attached(part: Message) -> bool:
    """Whether a part is something else than a form of what the mail says."""
    if part.get_filename() or part.get_content_disposition() == "attachment":
        return True
    other = part.get_content_maintype() not in ("multipart", "message")
    return other and part.get_content_type() not in _TEXTS


def _is_mail(part: Message) -> bool:
    return part.get_content_type() == "message/rfc822"


def _passed_on(part: Message) -> str:
    """The words of a mail that is attached to another, as a quotation."""
    inner = part.get_payload()
    mail = inner[0] if isinstance(inner, list) and inner else None
    if not isinstance(mail, EmailMessage):
        return ""
    told = (line(_header(mail, "Subject")), *map(_text_of, _shown(mail)))
    return "\n".join(quoted("\n\n".join(filter(str.strip, told))))


def _shown(part: EmailMessage) -> Iterator[EmailMessage]:
    """The parts that are shown as a mail's text, in their order; one of those that say the same."""
    if part.get_content_type() == _ALTERNATIVE:
        yield from (body for body, _ in islice(_forms(part), 1))
    elif part.get_content_maintype() == "multipart":
        for inner in part.iter_parts():
            if isinstance(inner, EmailMessage) and not inner.get_filename():
                yield from _shown(inner)
    elif part.get_content_type() in _TEXTS and not part.is_attachment():
        yield part


def _text_of(part: EmailMessage) -> str:
    try:
        content = part.get_content(errors="strict")
    except (LookupError, ValueError):  # a character set that is unknown, or another one
        payload = part.get_payload(decode=True)
        charset = str(part.get_param("charset", ""))
        content = _decoded(payload, charset) if isinstance(payload, bytes) else ""
    words = content if isinstance(content, str) else ""
    plain = words_of_html(words) if part.get_content_subtype() == "html" else words
    return text(plain.replace("\r\n", "\n").strip())


def _decoded(data: bytes, charset: str) -> str:
    """Text in UTF-8, else in the character set it names if little of it is not, else in what most
    mails without one are written in.
    """
    if not data.isascii():
        with suppress(UnicodeDecodeError):
            return data.decode()
    with suppress(LookupError, ValueError):
        words = data.decode(charset, errors="replace")
        if 2 * words.count("\ufffd") <= sum(not letter.isascii() for letter in words):
            return words
    return data.decode("cp1252", errors="replace")
