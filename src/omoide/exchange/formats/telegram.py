"""Telegram Desktop's machine-readable exports: ``result.json`` of one chat or of the whole account.

Each chat is a conversation. Times carry the offset of the machine that made the export, found by
comparing its local time with the time stamp. Bots in their own chats have the role assistant;
service messages (joins, calls, pins) are system messages. Media without a caption are left out. Not
read: the HTML form.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.walk import Walk
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, Me, OpenConversation, Ordinals, digest
from omoide.exchange.problems import BadRecord, Findings
from omoide.exchange.shape import (
    Fields,
    epoch,
    line,
    present,
    record,
    sizes,
    text,
    words,
)
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"result\.json", re.IGNORECASE)

_BULK = frozenset(
    {
        "text_entities",
        "about",  # the export
        "reactions",
        "thumbnail",
        "frequent_contacts",
        "web_sessions",
        "sessions",
    }
)
# fields of a message that hold names, and what the program says
_PASSED = frozenset(
    "actor members forwarded_from saved_from via_bot author file file_name photo performer"
    " reply_to_peer_id contact_vcard thumbnail href".split()
)
_WITH_A_USER = frozenset(
    {"personal_chat", "bot_chat", "saved_messages", "verification_codes", "replies"}
)
_DELETED = "Deleted Account"


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every chat of the export, in its order.

    Raises:
        InvalidInput: zone is needed, since the export is so old that it has only local times.
    """
    me = Me(options)
    for name in source.find(FILES):
        with source.open(name) as file:
            walk, reader = Walk(name, _PASSED), JsonReader(file, drop=_BULK)
            account = _Account(walk, source.label, me, options)
            yield from walk.until_broken(account.read(reader), reader)
    yield from me.missing()


class _Account:
    """Walks an export: an account holds chats; a chat alone has the form of one of these."""

    def __init__(self, walk: Walk, label: str, me: Me, options: ImportOptions) -> None:
        self._walk, self._label, self._me, self._options = walk, label, me, options
        self._chats = 0
        self._has_stamps = False

    def read(self, reader: JsonReader, *, top: bool = True) -> Findings:
        """The chats of an account, or the messages of a chat."""
        for one in self._walk.objects(reader):
            yield from self._chats_in(one, top)

    def _chats_in(self, reader: JsonReader, top: bool) -> Findings:
        head = Fields()
        for field in reader.fields():
            if field in ("chats", "left_chats") and top:
                yield from self._listed(reader)
            elif field == "messages":
                yield from self._messages(reader, head)
            elif field in ("name", "type", "id"):
                head[field] = reader.small()
            elif field == "personal_information":
                told = record(reader.small())
                owner = told.number("user_id")
                yield from self._walk.head(told)
                if owner is not None:
                    self._me.learn(f"user{owner}")

    def _listed(self, reader: JsonReader) -> Findings:
        """The chats of a list."""
        for inner in reader.fields():
            for _ in reader.records() if inner == "list" else ():
                yield from self.read(reader, top=False)

    def _messages(self, reader: JsonReader, head: Fields) -> Findings:
        self._chats += 1
        title, kind, own = line(head.words("name")), head.line("type"), head.number("id")
        yield from self._walk.head(head, title, kind)
        of_whom = "user" if kind in _WITH_A_USER else "chat"
        name = digest(title or self._label) if own is None else f"{of_whom}:{own}"
        facts = present(kind=kind)
        chat = OpenConversation("telegram", name, self._options, title=title, facts=facts)
        bot = f"user{own}" if kind == "bot_chat" else ""
        add = partial(self._add, chat, Ordinals("telegram", name), bot)
        yield from self._walk.messages(reader, chat, f"chat {self._chats}, ", add)

    def _add(self, chat: OpenConversation, keys: Ordinals, bot: str, message: Fields) -> None:
        """Add one message.

        Raises:
            BadRecord: neither message nor service, or without a time.
        """
        kind = message.text("type")
        if kind not in ("message", "service"):
            raise BadRecord(f"unknown type {kind[:40]!r}")
        at = self._time(message)
        if kind == "service":
            role, who, said = Role.SYSTEM, "actor", _service(message)
        else:
            is_bot = bool(bot) and message.line("from_id") == bot
            role, who = Role.ASSISTANT if is_bot else Role.USER, "from"
            said = _words(message)
        chat.tell(message.get("title"))  # of a service message, or of a piece of music
        speaker, sender = line(message.get(who)) or _DELETED, line(message.get(f"{who}_id"))
        own = message.number("id")
        key = str(own) if own is not None else keys.key(at.isoformat(), sender or speaker, said)
        is_me = role is Role.USER and self._me.is_one_of(speaker, sender)
        chat.add(said, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))

    def _time(self, message: Fields) -> datetime:
        """When a message was sent.

        Raises:
            BadRecord: no readable time.
            InvalidInput: zone is needed.
        """
        stamp, local = epoch(message.get("date_unixtime")), _local(message.get("date"))
        if stamp:
            self._has_stamps = True
            return stamp.astimezone(self._options.timezone or _offset(stamp, local))
        if local and (self._options.timezone or not self._has_stamps):
            return local.replace(tzinfo=self._options.required_zone())
        raise BadRecord("no time stamp")


def _local(value: Json) -> datetime | None:
    try:
        return datetime.fromisoformat(text(value)[:19])
    except ValueError:
        return None


def _offset(stamp: datetime, local: datetime | None) -> timezone:
    """The offset at which stamp reads as local; UTC where there is no telling."""
    if local is None or local.tzinfo is not None:
        return UTC
    # zones are whole quarters of an hour
    minutes = round((local - stamp.replace(tzinfo=None)) / timedelta(minutes=15)) * 15
    return timezone(timedelta(minutes=minutes)) if minutes and abs(minutes) <= 14 * 60 else UTC


def _plain(value: Json) -> str:
    """Text, or text pieces with their formatting; the address of a named link follows it in
    brackets.
    """
    if isinstance(value, list):
        return "".join(map(_piece, value))
    return words(value)


def _piece(piece: Json) -> str:
    fields = record(piece)
    address = fields.line("href")
    return words(piece) + (f" ({address})" if address else "")


def _words(message: Fields) -> str:
    """What a message says: its text or caption, a sticker's emoji, a poll's question with its
    answers, a list of things to do, a contact.
    """
    poll = message.record("poll")
    answers = [f"- {_plain(record(answer).get('text'))}" for answer in poll.array("answers")]
    asked = "\n".join([_plain(poll.get("question")), *answers]) if poll else ""
    told = (
        *(_plain(message.get("text")), asked, _to_do(message.record("todo_list"))),
        *(_contact(message), _plain(message.get("gift_text"))),
    )
    said = ""
    for one in told:
        said = "\n".join(filter(str.strip, (said, one if one not in said else "")))
    return said or message.words("sticker_emoji")


def _to_do(listed: Fields) -> str:
    items = [f"- {_plain(item.get('text'))}" for item in listed.records("items")]
    return "\n".join(filter(str.strip, (_plain(listed.get("title")), *items)))


def _contact(message: Fields) -> str:
    told = message.record("contact_information")
    names = ("first_name", "last_name", "phone_number")
    return " ".join(filter(None, (told.line(name) for name in names)))


def _service(message: Fields) -> str:
    """A service message in words, from the export's own name of the action."""
    actor = message.line("actor") or _DELETED
    members = ", ".join(line(member) or _DELETED for member in message.array("members"))
    details = [
        *(message.line("title"), members, _plain(message.get("text"))),
        *(_plain(message.get("gift_text")), message.words("custom_action")),
    ]
    done = f"{actor} {message.line('action').replace('_', ' ')}".strip()
    return ": ".join([done, *filter(None, details)])


def _facts(message: Fields) -> Facts:
    """A message's metadata: reply, forward, edit and files."""
    reply, edited = (
        message.number("reply_to_message_id"),
        epoch(message.get("edited_unixtime")),
    )
    return present(
        reply_to="" if reply is None else str(reply),
        forwarded_from=message.line("forwarded_from"),
        edited_at=edited.isoformat() if edited else "",
        attachments=_files(message),
    )


def _files(message: Fields) -> list[Json]:
    file = message.line("file") or message.line("photo")
    if not file:
        return []
    name = message.line("file_name") or file.rpartition("/")[2]
    size = message.get("file_size") or message.get("photo_file_size")
    kind = message.get("media_type") or message.get("mime_type") or "photo"
    return [sizes(name, size, kind)]
