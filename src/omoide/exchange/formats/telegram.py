"""Telegram Desktop's machine-readable exports: ``result.json`` of one chat or of the whole account.

Each chat is a conversation. Times carry the offset of the machine that made the export, found by
comparing its local time with the time stamp. Bots in their own chats have the role assistant;
service messages (joins, calls, pins) are system messages. Media without a caption are left out. Not
read: the HTML form.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from omoide.exchange.archives import Source
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import TELEGRAM, ImportOptions
from omoide.exchange.parts import Chat, Facts, Me, Ordinals, conversation_id, digest
from omoide.exchange.problems import BadRecord, BrokenFile, Findings, Problem
from omoide.exchange.shape import array, epoch, line, number, record, records, sizes, text
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"result\.json", re.IGNORECASE)

_BULK = frozenset(
    {
        "text_entities",
        "reactions",
        "inline_bot_buttons",
        "thumbnail",
        "frequent_contacts",
        "web_sessions",
        "sessions",
    }
)
_WITH_A_USER = frozenset(
    {"personal_chat", "bot_chat", "saved_messages", "verification_codes", "replies"}
)
_DELETED = "Deleted Account"


def read(source: Source, options: ImportOptions) -> Findings:
    """Every chat of the export, in its order.

    Raises:
        InvalidInput: zone is needed, since the export is so old that it has only local times.
    """
    me = Me(options)
    for name in source.find(FILES):
        with source.open(name) as file:
            account = _Account(name, source.label, me, options)
            try:
                yield from account.walk(JsonReader(file, drop=_BULK))
            except BrokenFile as broken:
                yield from account.rest()
                yield Problem(f"{name}: from {account.place} on", str(broken))
    yield from me.missing()


class _Account:
    """Walks an export; an account holds chats, and a chat alone has the same form as one in an
    account.
    """

    def __init__(self, name: str, label: str, me: Me, options: ImportOptions) -> None:
        self.place = "the start"
        self._name, self._label, self._me, self._options = name, label, me, options
        self._chats = 0
        self._open: Chat | None = None
        self._has_stamps = False

    def walk(self, reader: JsonReader, *, top: bool = True) -> Findings:
        """The chats of an account, or the messages of a chat."""
        head: Facts = {}
        for field in reader.fields():
            if field in ("chats", "left_chats") and top:
                for _ in (
                    item for inner in reader.fields() if inner == "list" for item in reader.items()
                ):
                    yield from self.walk(reader, top=False)
            elif field == "messages":
                yield from self._chat(reader, head)
            elif field in ("name", "type"):
                head[field] = line(reader.small())
            elif field == "id":
                head[field] = number(reader.small())
            elif field == "personal_information":
                owner = number(record(reader.small()).get("user_id"))
                if owner is not None:
                    self._me.learn(f"user{owner}")

    def rest(self) -> Findings:
        """What was read of the chat in which the file broke off."""
        if self._open:
            yield from self._open.readings()

    def _chat(self, reader: JsonReader, head: Facts) -> Findings:
        self._chats += 1
        title, kind, own = text(head.get("name")), text(head.get("type")), number(head.get("id"))
        with_user = kind in _WITH_A_USER
        if own is None:
            identity = digest(title or self._label)
        else:
            identity = f"{'user' if with_user else 'chat'}:{own}"
        facts: Facts = {"kind": kind} if kind else {}
        self._open = chat = Chat(
            TELEGRAM, conversation_id(TELEGRAM, identity), self._options, title=title, facts=facts
        )
        keys = Ordinals(TELEGRAM, identity)
        bot = f"user{own}" if kind == "bot_chat" else ""
        for count in reader.items():
            self.place = f"chat {self._chats}, message {count}"
            chat.place = f"{self._name}: {self.place}"
            try:
                self._add(chat, record(reader.value()), keys, bot)
            except BadRecord as bad:
                yield Problem(chat.place, str(bad))
            if chat.is_full:
                yield from chat.readings()
        yield from chat.readings()

    def _add(self, chat: Chat, message: Facts, keys: Ordinals, bot: str) -> None:
        """Add one message.

        Raises:
            BadRecord: neither message nor service, or without a time.
        """
        kind = text(message.get("type"))
        if kind not in ("message", "service"):
            raise BadRecord(f"unknown type {kind[:40]!r}")
        at = self._time(message)
        who, author = ("actor", "actor_id") if kind == "service" else ("from", "from_id")
        speaker, sender = line(message.get(who)) or _DELETED, line(message.get(author))
        words = _service(message, speaker) if kind == "service" else _words(message)
        role = (
            Role.SYSTEM
            if kind == "service"
            else Role.ASSISTANT
            if bot and sender == bot
            else Role.USER
        )
        own = number(message.get("id"))
        key = str(own) if own is not None else keys.key(at.isoformat(), sender or speaker, words)
        is_me = role is Role.USER and self._me.is_one_of(speaker, sender)
        chat.add(words, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))

    def _time(self, message: Facts) -> datetime:
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
    if isinstance(value, str):
        return text(value)
    pieces = []
    for piece in array(value):
        fields = record(piece)
        address = line(fields.get("href"))
        pieces.append(
            (text(piece) or text(fields.get("text"))) + (f" ({address})" if address else "")
        )
    return "".join(pieces)


def _words(message: Facts) -> str:
    """What a message says: its text or caption, a sticker's emoji, a poll's question with its
    answers, a list of things to do, a contact.
    """
    poll = record(message.get("poll"))
    answers = [f"- {text(record(answer).get('text'))}" for answer in array(poll.get("answers"))]
    asked = "\n".join([_plain(poll.get("question")), *answers]) if poll else ""
    said = _plain(message.get("text")) or asked or text(message.get("sticker_emoji"))
    return said or _to_do(record(message.get("todo_list"))) or _contact(message)


def _to_do(listed: Facts) -> str:
    items = [f"- {_plain(item.get('text'))}" for item in records(listed.get("items"))]
    return "\n".join(filter(str.strip, (_plain(listed.get("title")), *items)))


def _contact(message: Facts) -> str:
    told = record(message.get("contact_information"))
    names = ("first_name", "last_name", "phone_number")
    return " ".join(filter(None, (line(told.get(name)) for name in names)))


def _service(message: Facts, actor: str) -> str:
    """A service message in words, from the export's own name of the action."""
    members = ", ".join(line(member) or _DELETED for member in array(message.get("members")))
    details = [line(message.get("title")), members, _plain(message.get("text"))]
    return ": ".join(
        [f"{actor} {line(message.get('action')).replace('_', ' ')}".strip(), *filter(None, details)]
    )


def _facts(message: Facts) -> Facts:
    """A message's metadata: reply, forward, edit and files."""
    facts: Facts = {}
    reply = number(message.get("reply_to_message_id"))
    if reply is not None:
        facts["reply_to"] = str(reply)
    if line(message.get("forwarded_from")):
        facts["forwarded_from"] = line(message["forwarded_from"])
    edited = epoch(message.get("edited_unixtime"))
    if edited:
        facts["edited_at"] = edited.isoformat()
    file = line(message.get("file")) or line(message.get("photo"))
    if file:
        name = line(message.get("file_name")) or file.rpartition("/")[2]
        size = message.get("file_size") or message.get("photo_file_size")
        facts["attachments"] = [
            sizes(name, size, message.get("media_type") or message.get("mime_type") or "photo")
        ]
    return facts
