"""Channels of Discord as DiscordChatExporter writes them in JSON: one file a channel, or several of
its parts.

People are users, bots have the role tool, and what Discord itself reports (joins, pins, calls) is
the system's. Left out: messages that are only files, stickers or previews of links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from omoide.exchange.archives import ExportFiles
from omoide.exchange.formats.walk import Walk
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, Me, OpenConversation, Ordinals, digest
from omoide.exchange.problems import BadRecord, Findings
from omoide.exchange.shape import Fields, iso, line, present, sizes
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

# as the program names them
FILES = re.compile(r".+ \[\d+\](?: \[part \d+\])?\.json", re.IGNORECASE)

_BULK = frozenset({"reactions", "inlineEmojis", "roles", "thumbnail", "mentions"})
_PREVIEW = ("title", "description", "url", "author", "footer", "fields")
_SAID = frozenset({"Default", "Reply", "ThreadStarterMessage", "ChatInputCommand", ""})
_DIRECT = re.compile(r"Direct.*", re.IGNORECASE)


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every channel, in the order of file names."""
    me = Me(options)
    for name in source.find(FILES):
        with source.open(name) as file:
            walk, reader = Walk(name), JsonReader(file, drop=_BULK)
            channel = _Channel(walk, source.label, me, options)
            yield from walk.until_broken(channel.read(reader), reader)
    yield from me.missing()


class _Channel:
    """One file while it is read."""

    def __init__(self, walk: Walk, label: str, me: Me, options: ImportOptions) -> None:
        self._walk, self._label, self._me, self._options = walk, label, me, options

    def read(self, reader: JsonReader) -> Findings:
        """The messages, whose channel and server stand before them."""
        for one in self._walk.objects(reader):
            head = Fields()
            for field in one.fields():
                if field in ("guild", "channel"):
                    head[field] = one.small()
                elif field == "messages":
                    yield from self._messages(one, head)

    def _messages(self, reader: JsonReader, head: Fields) -> Findings:
        channel, server = head.record("channel"), head.line("guild", "name")
        own = channel.line("id") or digest(channel.line("name") or self._label)
        chat = self._chat(own, channel, server)
        yield from self._walk.head(head, chat.title, chat.facts)
        add = partial(self._add, chat, Ordinals("discord", own))
        yield from self._walk.messages(reader, chat, "", add)

    def _chat(self, own: str, channel: Fields, server: str) -> OpenConversation:
        title, kind = line(channel.words("name")), channel.line("type")
        shown = title if _DIRECT.fullmatch(kind) or not title else f"#{title}"
        facts = present(kind=kind, server=server, topic=line(channel.words("topic")))
        return OpenConversation("discord", own, self._options, title=shown, facts=facts)

    def _add(self, chat: OpenConversation, keys: Ordinals, message: Fields) -> None:
        """Add one message.

        Raises:
            BadRecord: it has no time.
        """
        author = message.record("author")
        at = iso(message.get("timestamp"), self._options.timezone)
        if at is None:
            raise BadRecord("no time stamp")
        names = (author.get("nickname"), author.get("name"), author.get("id"))
        speaker = next(filter(None, map(line, names)), "unknown")
        role = _role(message, author)
        words, shown = message.words("content"), _embedded(message)
        if not words.strip():
            words = _polled(message)
        more = (shown if role is Role.TOOL else "", _forwarded(message))
        words = "\n".join(filter(str.strip, (words, *more)))
        chat.tell(*_previewed(message))
        key = message.line("id") or keys.key(at.isoformat(), speaker, words)
        is_me = role is Role.USER and self._is_me(author, speaker)
        chat.add(words, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))

    def _is_me(self, author: Fields, speaker: str) -> bool:
        """By the name shown, the account's, or its id."""
        id, name = author.line("id"), author.line("name")
        return self._me.is_one_of(speaker, id) or (
            bool(name) and name != speaker and self._me.is_one_of(name, id)
        )


def _forwarded(message: Fields) -> str:
    """What a message passes on from elsewhere."""
    return message.words("forwardedMessage", "content")


def _role(message: Fields, author: Fields) -> Role:
    if message.text("type") not in _SAID:
        return Role.SYSTEM
    return Role.TOOL if author.get("isBot") is True else Role.USER


def _embedded(message: Fields) -> str:
    """What a bot says in cards."""
    lines = []
    for card in message.records("embeds"):
        lines += [card.words("title"), card.words("description")]
        for field in card.records("fields"):
            lines.append(": ".join(filter(None, (field.words("name"), field.words("value")))))
    return "\n".join(filter(str.strip, lines))


def _previewed(message: Fields) -> Iterator[Json]:
    """What previews of links say."""
    for card in message.records("embeds"):
        if card.line("url"):
            yield [card.get(field) for field in _PREVIEW]


def _polled(message: Fields) -> str:
    """A poll's question with its answers."""
    poll = message.record("poll")
    asked = poll.words("question")
    media = (answer.record("media") or answer for answer in poll.records("answers"))
    answers = [f"- {told}" for answer in media if (told := answer.words("text"))]
    return "\n".join(filter(str.strip, (asked, *answers)))


def _facts(message: Fields) -> Facts:
    """A message's metadata: what it replies to, its edit and files."""
    edited = iso(message.get("timestampEdited"))
    files = (
        sizes(file.get("fileName"), file.get("fileSizeBytes"))
        for file in (
            *message.records("attachments"),
            *message.records("forwardedMessage", "attachments"),
        )
    )
    stickers = (sizes(one.get("name"), None, "sticker") for one in message.records("stickers"))
    return present(
        reply_to=message.line("reference", "messageId"),
        edited_at=edited.isoformat() if edited else "",
        forwarded=bool(message.record("forwardedMessage")),
        attachments=[*files, *stickers],
    )
