"""Channels of Discord as DiscordChatExporter writes them in JSON: one file a channel, or several of
its parts.

People are users, bots have the role tool, and what Discord itself reports (joins, pins, calls) is
the system's. Left out: messages that are only files, stickers or previews of links.
"""

from __future__ import annotations

import re
from functools import partial

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.walk import Walk
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import DISCORD, ImportOptions
from omoide.exchange.parts import Chat, Facts, Me, Ordinals, conversation_id, digest
from omoide.exchange.problems import BadRecord, Findings
from omoide.exchange.shape import iso, line, present, record, records, sizes, text, within
from omoide.nouns.turn import Role

FILES = re.compile(
    r".+ \[\d+\](?: \[part \d+\])?\.json", re.IGNORECASE
)  # as the program names them

_BULK = frozenset({"reactions", "inlineEmojis", "roles", "thumbnail", "mentions"})
_SAID = frozenset({"Default", "Reply", "ThreadStarterMessage", "ChatInputCommand", ""})
_DIRECT = re.compile(r"Direct.*", re.IGNORECASE)


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every channel, in the order of file names."""
    me = Me(options)
    for name in source.find(FILES):
        with source.open(name) as file:
            walk = Walk(name)
            channel = _Channel(walk, source.label, me, options)
            yield from walk.until_broken(channel.read(JsonReader(file, drop=_BULK)))
    yield from me.missing()


class _Channel:
    """One file while it is read."""

    def __init__(self, walk: Walk, label: str, me: Me, options: ImportOptions) -> None:
        self._walk, self._label, self._me, self._options = walk, label, me, options

    def read(self, reader: JsonReader) -> Findings:
        """The messages, whose channel and server stand before them."""
        heads: dict[str, Facts] = {"guild": {}, "channel": {}}
        for field in reader.fields():
            if field in heads:
                heads[field] = record(reader.small())
            elif field == "messages":
                server = line(heads["guild"].get("name"))
                yield from self._messages(reader, heads["channel"], server)

    def _messages(self, reader: JsonReader, channel: Facts, server: str) -> Findings:
        own = line(channel.get("id")) or digest(line(channel.get("name")) or self._label)
        chat = self._chat(own, channel, server)
        add = partial(self._add, chat, Ordinals(DISCORD, own))
        yield from self._walk.messages(reader, chat, "", add)

    def _chat(self, own: str, channel: Facts, server: str) -> Chat:
        title, kind = line(channel.get("name")), line(channel.get("type"))
        shown = title if _DIRECT.fullmatch(kind) or not title else f"#{title}"
        facts = present(kind=kind, server=server, topic=line(channel.get("topic")))
        identity = conversation_id(DISCORD, own)
        return Chat(DISCORD, identity, self._options, title=shown, facts=facts)

    def _add(self, chat: Chat, keys: Ordinals, message: Facts) -> None:
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
        role = _role(message, author)
        chat.count_unread(message, _READ)
        words, shown = text(message.get("content")), _embedded(message)
        if not words.strip():
            words = _polled(message)
        more = (shown if role is Role.TOOL else "", _forwarded(message))
        words = "\n".join(filter(str.strip, (words, *more)))
        for file in records(message.get("attachments")):
            chat.count_unread(file, _FILE)
        key = line(message.get("id")) or keys.key(at.isoformat(), speaker, words)
        is_me = role is Role.USER and self._is_me(author, speaker)
        chat.add(words, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))

    def _is_me(self, author: Facts, speaker: str) -> bool:
        """By the name shown, the account's, or its id."""
        id, name = line(author.get("id")), line(author.get("name"))
        return self._me.is_one_of(speaker, id) or (
            bool(name) and name != speaker and self._me.is_one_of(name, id)
        )


# fields of a message that are read, or previews of links
_READ = frozenset("id type content author attachments embeds stickers reference poll".split()) | {
    "forwardedMessage",
    "interaction",
}


_FILE = frozenset("id url fileName".split())


def _forwarded(message: Facts) -> str:
    """What a message passes on from elsewhere."""
    return text(within(message, "forwardedMessage", "content"))


def _role(message: Facts, author: Facts) -> Role:
    if text(message.get("type")) not in _SAID:
        return Role.SYSTEM
    return Role.TOOL if author.get("isBot") is True else Role.USER


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
    edited = iso(message.get("timestampEdited"))
    files = (
        sizes(file.get("fileName"), file.get("fileSizeBytes"))
        for file in (
            *records(message.get("attachments")),
            *records(within(message, "forwardedMessage", "attachments")),
        )
    )
    stickers = (sizes(one.get("name"), None, "sticker") for one in records(message.get("stickers")))
    return present(
        reply_to=line(within(message, "reference", "messageId")),
        edited_at=edited.isoformat() if edited else "",
        forwarded=bool(record(message.get("forwardedMessage"))),
        attachments=[*files, *stickers],
    )
