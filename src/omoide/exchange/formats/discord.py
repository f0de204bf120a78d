"""Channels of Discord as DiscordChatExporter writes them in JSON: one file a channel, or several of
its parts.

People are users, bots have the role tool, and what Discord itself reports (joins, pins, calls) is
the system's. Left out: messages that are only files, stickers or previews of links.
"""

from __future__ import annotations

import re

from omoide.exchange.archives import Source
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import DISCORD, ImportOptions
from omoide.exchange.parts import Chat, Facts, Me, Ordinals, conversation_id, digest
from omoide.exchange.problems import BadRecord, BrokenFile, Findings, Problem
from omoide.exchange.shape import iso, line, record, records, sizes, text
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(
    r".+ \[\d+\](?: \[part \d+\])?\.json", re.IGNORECASE
)  # as the program names them

_BULK = frozenset({"reactions", "inlineEmojis", "roles", "thumbnail", "mentions"})
_SAID = frozenset({"Default", "Reply", "ThreadStarterMessage", "ChatInputCommand", ""})
_DIRECT = re.compile(r"Direct.*", re.IGNORECASE)


def read(source: Source, options: ImportOptions) -> Findings:
    """Every channel, in the order of file names."""
    me = Me(options)
    for name in source.find(FILES):
        with source.open(name) as file:
            channel = _Channel(name, source.label, me, options)
            try:
                yield from channel.walk(JsonReader(file, drop=_BULK))
            except BrokenFile as broken:
                yield from channel.rest()
                yield Problem(f"{name}: from {channel.place} on", str(broken))
    yield from me.missing()


class _Channel:
    """One file while it is read."""

    def __init__(self, name: str, label: str, me: Me, options: ImportOptions) -> None:
        self.place = "the start"
        self._name, self._label, self._me, self._options = name, label, me, options
        self._chat: Chat | None = None

    def walk(self, reader: JsonReader) -> Findings:
        """The messages, whose channel and server stand before them."""
        guild: Facts = {}
        channel: Facts = {}
        for field in reader.fields():
            if field == "guild":
                guild = record(reader.small())
            elif field == "channel":
                channel = record(reader.small())
            elif field == "messages":
                yield from self._messages(reader, guild, channel)

    def rest(self) -> Findings:
        """What was read of a file that broke off."""
        if self._chat:
            yield from self._chat.readings()

    def _messages(self, reader: JsonReader, guild: Facts, channel: Facts) -> Findings:
        title, kind = line(channel.get("name")), line(channel.get("type"))
        own = line(channel.get("id")) or digest(title or self._label)
        shown = title if _DIRECT.fullmatch(kind) or not title else f"#{title}"
        told = {
            "kind": kind,
            "server": line(guild.get("name")),
            "topic": line(channel.get("topic")),
        }
        facts: Facts = {name: value for name, value in told.items() if value}
        identity = conversation_id(DISCORD, own)
        self._chat = chat = Chat(DISCORD, identity, self._options, title=shown, facts=facts)
        keys = Ordinals(DISCORD, own)
        for count in reader.items():
            self.place = f"message {count}"
            chat.place = f"{self._name}: {self.place}"
            try:
                self._add(chat, record(reader.value()), keys)
            except BadRecord as bad:
                yield Problem(chat.place, str(bad))
            if chat.is_full:
                yield from chat.readings()
        yield from chat.readings()

    def _add(self, chat: Chat, message: Facts, keys: Ordinals) -> None:
        """Add one message.

        Raises:
            BadRecord: it has no time.
        """
        author = record(message.get("author"))
        at = iso(message.get("timestamp"), self._options.timezone)
        if at is None:
            raise BadRecord("no time stamp")
        names = (author.get("nickname"), author.get("name"), author.get("id"))
        speaker = next(filter(None, map(line, names)), "unknown")
        said = text(message.get("type")) in _SAID
        role = (Role.TOOL if author.get("isBot") is True else Role.USER) if said else Role.SYSTEM
        words = text(message.get("content"))
        if not words.strip():
            words = _polled(message) or (_embedded(message) if role is Role.TOOL else "")
        key = line(message.get("id")) or keys.key(at.isoformat(), speaker, words)
        is_me = role is Role.USER and self._is_me(author, speaker)
        chat.add(words, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))

    def _is_me(self, author: Facts, speaker: str) -> bool:
        """By the name shown, the account's, or its id."""
        id, name = line(author.get("id")), line(author.get("name"))
        return self._me.is_one_of(speaker, id) or (
            bool(name) and name != speaker and self._me.is_one_of(name, id)
        )


def _embedded(message: Facts) -> str:
    """What a bot says in cards."""
    lines = []
    for card in records(message.get("embeds")):
        lines += [text(card.get("title")), text(card.get("description"))]
        for field in records(card.get("fields")):
            lines.append(
                ": ".join(filter(None, (text(field.get("name")), text(field.get("value")))))
            )
    return "\n".join(filter(str.strip, lines))


def _polled(message: Facts) -> str:
    """A poll's question with its answers."""
    poll = record(message.get("poll"))
    asked = text(record(poll.get("question")).get("text"))
    media = (record(answer.get("media")) or answer for answer in records(poll.get("answers")))
    answers = [f"- {text(answer.get('text'))}" for answer in media if text(answer.get("text"))]
    return "\n".join(filter(str.strip, (asked, *answers)))


def _facts(message: Facts) -> Facts:
    """A message's metadata: what it replies to, its edit and files."""
    facts: Facts = {}
    reply = line(record(message.get("reference")).get("messageId"))
    if reply:
        facts["reply_to"] = reply
    edited = iso(message.get("timestampEdited"))
    if edited:
        facts["edited_at"] = edited.isoformat()
    files: list[Json] = [
        sizes(file.get("fileName"), file.get("fileSizeBytes"))
        for file in records(message.get("attachments"))
    ]
    files += [sizes(one.get("name"), None, "sticker") for one in records(message.get("stickers"))]
    if files:
        facts["attachments"] = files
    return facts
