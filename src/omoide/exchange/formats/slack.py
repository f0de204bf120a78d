"""Slack workspace exports: a folder of day files per channel, with the channels and people in
lists.

Each channel, private channel, group and direct message is one conversation over all its days.
Mentions and links are written out. Joins, topics and the like are system messages; bots and
integrations have the role tool. Times are told in the speaker's own zone, as the people list gives
it. Left out: deleted messages, previews of links, and messages that are only files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import tzinfo

from omoide.exchange.archives import ExportFiles
from omoide.exchange.jsonstream import each_record
from omoide.exchange.options import ImportOptions, find_zone
from omoide.exchange.parts import Facts, Me, OpenConversation
from omoide.exchange.problems import BadRecord, Findings, Problem
from omoide.exchange.shape import (
    Fields,
    epoch,
    joined,
    line,
    present,
    record,
    records,
    sizes,
)
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role
from omoide.text.sameness import name_key

LISTS = re.compile(r"(?:channels|groups|dms|mpims)\.json")
LIST_LIMIT = 20_000  # people, or channels of one kind
BLOCK_DEPTH = 8  # of blocks within blocks
MEMBERS_SHOWN = 10  # names in the title of a direct message

_USERS = re.compile(r"users\.json")
_DAY = re.compile(r"(?:.*/)?([^/]+)/\d{4}-\d{2}-\d{2}\.json")
_KINDS = {"channels": "channel", "groups": "private channel", "dms": "direct", "mpims": "group"}
_BULK = frozenset(
    {
        "profile_images",
        "preview_highlight",
        "reactions",
        "reply_users",
        "replies",
        "room",
    }
)
# fields of a message that repeat what is, or tell of the program
_PASSED = frozenset("root topic purpose user_profile bot_profile pretty_type username".split())
_PREVIEW = ("title", "text", "fallback", "footer", "pretext", "service_name", "author_name")
_BOTS = frozenset({"bot_message", "slackbot_response"})
_SAID = _BOTS | {
    *("", "me_message", "thread_broadcast", "reply_broadcast", "file_share", "file_comment")
}
_GONE = frozenset({"tombstone", "message_deleted", "message_changed", "message_replied"})
_MARK = re.compile(r"<([@#!]?)([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the people list. names are all they may be called by, the shown one first."""

    names: tuple[str, ...]
    zone: tzinfo | None
    is_bot: bool


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every channel in the order of its folder's name.

    Raises:
        InvalidInput: several people have the name that was given for the user.
    """
    people: dict[str, Person] = {}
    channels: dict[str, Fields] = {}
    yield from _people(source, people)
    yield from _channels(source, channels)
    me = Me(replace(options, me=_my_id(people, options.me)))
    for folder, days in _days(source).items():
        facts = channels.get(folder, Fields())
        chat = OpenConversation(
            "slack", facts.line("id") or folder, options, title=_title(folder, facts, people)
        )
        chat.facts |= present(**{fact: facts.get(fact) for fact in ("kind", "topic", "purpose")})
        yield from _channel(source, days, chat, _SlackReader(people, me, options))
    yield from me.missing()


def _days(source: ExportFiles) -> dict[str, list[str]]:
    """The day files of each channel's folder, oldest first."""
    days: dict[str, list[str]] = {}
    for name in source.names:
        if found := _DAY.fullmatch(name):
            days.setdefault(found[1], []).append(name)
    return days


def _people(source: ExportFiles, people: dict[str, Person]) -> Iterator[Problem]:
    """Fill people by id from the people list."""
    taken: set[str] = set()
    found = (user for name in source.find(_USERS, alone=False) for user in _list(source, name))
    for fields in found:
        if isinstance(fields, Problem):
            yield fields
            continue
        names = _names(fields)
        if names[0] in taken:  # two people who are shown alike are told apart by their handles
            names = (f"{names[0]} ({fields.line('name')})", *names)
        taken.add(names[0])
        zone, is_bot = _zone(fields.get("tz")), fields.get("is_bot") is True
        people[fields.line("id")] = Person(names, zone, is_bot)


def _my_id(people: dict[str, Person], wanted: str | None) -> str | None:
    """The id of the one person who has that name, handle, mail address or id; the name itself if
    nobody has.
    """
    if wanted is None or wanted in people:
        return wanted
    mine = [id for id, person in people.items() if name_key(wanted) in map(name_key, person.names)]
    if len(mine) > 1:
        raise InvalidInput(
            "me",
            f"several people are called {wanted!r}; name one of the ids {', '.join(mine[:10])}",
        )
    return mine[0] if mine else wanted


def _names(fields: Fields) -> tuple[str, ...]:
    """All names of a person: display name or else real name first; then handle, id and mail
    address.
    """
    profile = fields.record("profile")
    wanted = (
        *(profile.get("display_name"), profile.get("real_name"), fields.get("real_name")),
        *(fields.get("name"), fields.get("id"), profile.get("email")),
    )
    return tuple(dict.fromkeys(filter(None, map(line, wanted)))) or ("unknown",)


def _zone(name: Json) -> tzinfo | None:
    try:
        return find_zone(line(name) or None)
    except InvalidInput:
        return None


def _channels(source: ExportFiles, channels: dict[str, Fields]) -> Iterator[Problem]:
    """Fill channels by folder name from the lists."""
    for name in source.find(LISTS, alone=False):
        kind = _KINDS[name.rpartition("/")[2].removesuffix(".json")]
        for fields in _list(source, name, "channel"):
            if isinstance(fields, Problem):
                yield fields
                continue
            channels[fields.line("name") or fields.line("id")] = Fields(
                id=fields.line("id"),
                kind=kind,
                members=[*map(line, fields.array("members")[:MEMBERS_SHOWN])],
                topic=fields.line("topic", "value"),
                purpose=fields.line("purpose", "value"),
            )


def _list(source: ExportFiles, name: str, noun: str = "person") -> Iterator[Fields | Problem]:
    """The first LIST_LIMIT records of a list, and a problem if it has more."""
    for count, found in enumerate(each_record(source, name, noun)):
        if count == LIST_LIMIT:
            yield Problem(name, f"only the first {LIST_LIMIT} were read")
            return
        yield found if isinstance(found, Problem) else record(found[1])


def _title(folder: str, facts: Fields, people: dict[str, Person]) -> str:
    if facts.get("kind") not in ("direct", "group"):
        return f"#{folder}"
    members = map(line, facts.array("members"))
    return ", ".join(people[id].names[0] for id in members if id in people) or folder


def _channel(
    source: ExportFiles, days: list[str], chat: OpenConversation, reader: _SlackReader
) -> Findings:
    """One channel's messages, day by day."""
    for day in days:
        for found in each_record(source, day, "message", drop=_BULK, own="ts"):
            if isinstance(found, Problem):
                yield found
                continue
            with chat.reading(found[0]):
                reader.add(chat, chat.fields(found[1], _PASSED))
            yield from chat.due()
    yield from chat.readings()


class _SlackReader:
    """Reads messages with the people list at hand."""

    def __init__(self, people: dict[str, Person], me: Me, options: ImportOptions) -> None:
        self._people, self._me, self._options = people, me, options

    def add(self, chat: OpenConversation, message: Fields) -> None:
        """Add one message.

        Raises:
            BadRecord: no time stamp, which is also its id.
        """
        stamp, subtype = message.line("ts"), message.text("subtype")
        author = message.line("user") or message.line("comment", "user")
        person = self._people.get(author) or _stranger(message, author)
        at = epoch(stamp, person.zone or self._options.timezone)
        if at is None:
            raise BadRecord("no time stamp")
        if subtype in _GONE:
            chat.leave_out("deleted", message)
            return
        role, speaker = _role(subtype, person.is_bot or not author), person.names[0]
        is_me = role is Role.USER and self._me.is_one_of(speaker, author)
        told = _words(message, subtype)
        words = self.written_out("\n".join(filter(str.strip, (told, _shared(message, told)))))
        chat.tell(told, *_repeated(message, told))
        facts = _facts(message, stamp)
        chat.add(words, role, speaker, at=at, key=stamp, is_me=is_me, facts=facts)

    def written_out(self, words: str) -> str:
        """Slack's marks as a reader sees them."""
        plain = _MARK.sub(self._mark, words)
        return plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

    def _mark(self, found: re.Match[str]) -> str:
        sign, target, label = found[1], found[2], found[3] or ""
        if sign == "@":
            person = self._people.get(target)
            return f"@{person.names[0] if person else label or target}"
        if sign == "#":
            return f"#{label or target}"
        if sign == "!":
            return label or f"@{target.partition('^')[0]}"
        address = target.removeprefix("mailto:")
        return f"{label} ({address})" if label and label not in (address, target) else address


def _role(subtype: str, is_bot: bool) -> Role:
    """People are users, bots and integrations are tools, and what Slack itself reports is the
    system's.
    """
    if subtype not in _SAID:
        return Role.SYSTEM
    return Role.TOOL if is_bot or subtype in _BOTS else Role.USER


def _stranger(message: Fields, author: str) -> Person:
    """The sender of a message who is not in the people list: somebody from elsewhere, or a bot."""
    shown = (
        message.at("user_profile", "display_name"),
        message.at("user_profile", "real_name"),
        message.get("username"),
        message.at("bot_profile", "name"),
        author,
    )
    names = tuple(dict.fromkeys(filter(None, map(line, shown))))
    return Person(names or ("bot",), None, not author)


def _facts(message: Fields, stamp: str) -> Facts:
    """A message's metadata: thread, edit and files."""
    thread, edited = message.line("thread_ts"), epoch(message.at("edited", "ts"))
    files = (
        sizes(file.get("name") or file.get("title"), file.get("size"), file.get("mimetype"))
        for file in (*message.records("files"), *records([message.get("file")]))
    )
    return present(
        thread="" if thread == stamp else thread,
        edited_at=edited.isoformat() if edited else "",
        attachments=[*files],
    )


def _words(message: Fields, subtype: str) -> str:
    """What was said. Old exports put a notice in place of the comment that came with a file."""
    if subtype == "file_comment":
        return message.words("comment", "comment")
    if subtype == "file_share" and "file" in message:
        return message.words("file", "initial_comment", "comment")
    words = message.words("text")
    return words if words.strip() else _in_blocks(message) or _attached(message)


def _shared(message: Fields, told: str) -> str:
    """The messages that are passed on below one."""
    cards = [card for card in message.records("attachments") if card.get("is_share") is True]
    return joined(one for one in map(_said_in, cards) if one not in told)


def _said_in(card: Fields) -> str:
    return card.words("text") or card.words("fallback")


def _repeated(message: Fields, told: str) -> Iterator[Json]:
    """What is no news in a message: the notice around a comment on a file, and in the cards below
    it previews of links, and names beside shared words.
    """
    if message.text("subtype") == "file_comment" and told in message.words("text"):
        yield message.get("text")
    for card in message.records("attachments"):
        if card.text("from_url") or card.text("original_url"):
            yield [card.get(field) for field in _PREVIEW]
        elif card.get("is_share") is True:
            yield [_said_in(card), card.get("fallback"), card.get("footer")]
        else:
            yield card.get("fallback") if card.words("text") else ""


def _in_blocks(message: Fields) -> str:
    """What a message says that is laid out in blocks, one a line."""
    blocks = ("".join(_pieces(block, BLOCK_DEPTH)) for block in message.records("blocks"))
    return "\n".join(filter(str.strip, blocks))


def _pieces(block: Fields, depth: int) -> Iterator[str]:
    """The words of a block and of what is in it, mentions as text has them."""
    if block.line("user_id"):
        yield f"<@{block.line('user_id')}>"
    elif isinstance(block.get("text"), dict):
        yield block.text("text", "text")
    else:
        yield block.text("text") or block.text("url")
    for name in ("elements", "fields") if depth else ():
        for part in block.records(name):
            yield from _pieces(part, depth - 1)


def _attached(message: Fields) -> str:
    """What the cards and the shared messages below an empty one say."""
    lines = []
    for card in message.records("attachments"):
        lines += [card.words("pretext"), card.words("title")]
        lines.append(_said_in(card))
    return joined(lines)
