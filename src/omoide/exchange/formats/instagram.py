"""Messages in the downloads of Instagram, and of Messenger, whose files have the same form: for
each chat a folder with ``message_1.json`` (the latest), ``message_2.json`` and so on, latest first.

Meta writes the bytes of UTF-8 as if each were a character of Latin-1, so every text is put back.
Left out: messages that are only photos, videos, voice or files, and those that were unsent. Calls
are the system's. Not read: the HTML form.

Sources: the viewers michabirklbauer/instagram_json_viewer and NaphatPi/ig_dm_scraper, and the
examples of NorseKode/Waultar-App, ``documents/parser/content_examples.md``.
"""

from __future__ import annotations

import re
from itertools import groupby

from omoide.exchange.archives import ExportFiles
from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.options import ImportOptions
from omoide.exchange.parts import Facts, Me, OpenConversation, Ordinals
from omoide.exchange.problems import BadRecord, BrokenFile, Findings, Omission, Problem
from omoide.exchange.shape import (
    Fields,
    joined,
    line,
    milliseconds,
    present,
    sizes,
    text,
    words,
)
from omoide.nouns.metadata import Json
from omoide.nouns.turn import Role

FILES = re.compile(r"message_\d+\.json", re.IGNORECASE)

_BULK = frozenset({"reactions", "magic_words", "image"})
_FILES = ("photos", "videos", "audio_files", "gifs", "files")
_NUMBER = re.compile(r"(?<!\d)(\d+)\.json", re.IGNORECASE)


def read(source: ExportFiles, options: ImportOptions) -> Findings:
    """Every chat, in the order of folders."""
    me = Me(options)
    for folder, names in groupby(source.find(FILES), key=lambda name: name.rpartition("/")[0]):
        thread = _Thread(folder or source.label, me, options)
        for name in sorted(names, key=_part, reverse=True):  # the oldest first
            yield from thread.read(source, name)
        yield from thread.chat.readings()
    yield from me.missing()


def _part(name: str) -> int:
    found = _NUMBER.search(name)
    return int(found[1]) if found else 0


def put_back(value: Json) -> Json:
    """A value with its texts as they were written; one that is no UTF-8 read as Latin-1 stays as it
    is.
    """
    if isinstance(value, dict):
        return Fields({name: put_back(inner) for name, inner in value.items()})
    if isinstance(value, list):
        return [put_back(inner) for inner in value]
    try:
        return text(value).encode("latin-1").decode() if isinstance(value, str) else value
    except UnicodeError:
        return value


class _Thread:
    """One chat while it is read."""

    def __init__(self, folder: str, me: Me, options: ImportOptions) -> None:
        own = folder.rpartition("/")[2]
        self.chat = OpenConversation("instagram", own, options)
        self._me, self._options = me, options
        self._keys = Ordinals("instagram", own)

    def read(self, source: ExportFiles, name: str) -> Findings:
        """The messages of one file, the oldest first."""
        found: list[tuple[int, Json]] = []
        left_out: list[Omission] = []
        try:
            self._collect(source, name, found, left_out)
        except BrokenFile as broken:
            yield Problem(f"{name}: from message {len(found) + 1} on", str(broken))
        for count, value in reversed(found):
            with self.chat.reading(f"{name}: message {count}"):
                self._add(self.chat.fields(put_back(value)))
            yield from self.chat.due()
        yield from left_out

    def _collect(
        self,
        source: ExportFiles,
        name: str,
        found: list[tuple[int, Json]],
        left_out: list[Omission],
    ) -> None:
        """Fill found with the messages of a file and their numbers, and left_out with the fields
        that were passed over.
        """
        with source.open(name) as file:
            reader = JsonReader(file, drop=_BULK)
            if reader.kind != "object":
                raise BrokenFile("holds no object with messages")
            for field in reader.fields():
                if field == "messages":
                    found += [(count, reader.value()) for count in reader.records()]
                elif field == "title":
                    self.chat.title = line(words(put_back(reader.small())))
            left_out += reader.left_out(name)

    def _add(self, message: Fields) -> None:
        """Add one message.

        Raises:
            BadRecord: it has no time.
        """
        at = milliseconds(message.get("timestamp_ms"), self._options.timezone)
        if at is None:
            raise BadRecord("no time stamp")
        if message.get("is_unsent") is True:
            self.chat.leave_out("unsent", message)
            return
        speaker = message.line("sender_name") or "unknown"
        role = Role.SYSTEM if "call_duration" in message else Role.USER
        said = _words(message)
        key = self._keys.key(at.isoformat(), speaker, said)
        is_me = role is Role.USER and self._me.is_one_of(speaker)
        self.chat.add(said, role, speaker, at=at, key=key, is_me=is_me, facts=_facts(message))


def _words(message: Fields) -> str:
    """What was written, with what was shared."""
    share = message.record("share")
    return joined((message.words("content"), share.words("share_text"), share.words("link")))


def _facts(message: Fields) -> Facts:
    """A message's metadata: its files."""
    files = [(kind, file.get("uri")) for kind in _FILES for file in message.records(kind)]
    if sticker := message.at("sticker", "uri"):
        files.append(("sticker", sticker))
    return present(
        attachments=[sizes(text(uri).rpartition("/")[2], None, kind) for kind, uri in files]
    )
