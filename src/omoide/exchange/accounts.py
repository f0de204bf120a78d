"""Where the words of a record went: into a message, into what is left out by name, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from omoide.exchange.problems import Omission
from omoide.exchange.shape import holds_words, line
from omoide.nouns.metadata import Json

PATH_LIMIT = 60  # characters of the path to a field
_DEPTH = 64  # levels of a record that are looked at
_SIGNS = re.compile(r"[\W_]+")
_ID = re.compile(r"\d+|[0-9a-fA-F-]{16,}|.{40,}")
# fields that hold what somebody says, in whatever they hold it
_SPOKEN = frozenset("text content message body parts value words caption".split())
# fields that say what a record is
_NAMES = frozenset("type content_type kind role id uuid name language status mime_type".split())


class WordAccount:
    """The account of one record: what was told of it, against the words that it holds."""

    def __init__(self) -> None:
        self._told: dict[str, None] = {}
        self._lines: frozenset[str] = frozenset()  # of what was told, without signs
        self._plain, self._place = "", 0  # all of it without signs; where a line was found last
        self.is_empty = False  # a message of it has no words

    def tell(self, *values: Json) -> None:
        """Count the words of the values as imported, or as left out under another name."""
        told = (text for value in values for _, text in _leaves(value, (), frozenset()))
        self._told.update(dict.fromkeys(told))
        self._plain, self._place = "", 0

    def unread(self, record: Json, passed: Set[str]) -> Iterator[str]:
        """The path to each text of a record that has words which were not told; fields in passed
        are passed over wherever they stand.
        """
        for path, text in _leaves(record, (), passed):
            is_words = holds_words(text) or (self.is_empty and _is_spoken(path, text))
            if is_words and not self._has(text):
                yield _name(path)

    def _has(self, text: str) -> bool:
        """Whether each line of a text was told, signs aside."""
        if text in self._told:
            return True
        if not self._plain:
            self._plain = "\n".join(map(letters_of, self._told))
            lines = (line for told in self._told for line in told.splitlines())
            self._lines = frozenset(map(letters_of, lines))
        return all(map(self._has_line, map(letters_of, text.splitlines())))

    def _has_line(self, line: str) -> bool:
        """Whether a line's letters were told; lines mostly come in the order of what was told."""
        if line in self._lines:
            return True
        place = self._plain.find(line, self._place)
        place = place if place >= 0 else self._plain.find(line, 0, self._place + len(line))
        self._place = max(place, 0)
        return place >= 0


def unread_words(
    record: Json, place: str, *told: Json, passed: Set[str] = frozenset()
) -> Iterator[Omission]:
    """The texts with words in a record at place that were not told, as omissions."""
    account = WordAccount()
    account.tell(*told)
    for path in account.unread(record, passed):
        yield Omission(f"words in {path}", 1, place)


def _leaves(
    value: Json, path: tuple[str, ...], passed: Set[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each text in a value, with the fields on the way to it."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict) and len(path) < _DEPTH:
        for name, inner in value.items():
            if name not in passed:
                yield from _leaves(inner, (*path, name), passed)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path, passed)


def _is_spoken(path: tuple[str, ...], text: str) -> bool:
    """Whether a field is one of those that hold what somebody says, be it a single word."""
    *outer, own = path or ("",)
    is_within = own in _SPOKEN or not (_SPOKEN - {"message"}).isdisjoint(outer)
    return is_within and own not in _NAMES and bool(letters_of(text))


def letters_of(text: str) -> str:
    """The letters and digits of a text, without signs and blanks."""
    return _SIGNS.sub("", text)


def _name(path: tuple[str, ...]) -> str:
    """The path as people read it, without ids."""
    names = (line(name) for name in path if not _ID.fullmatch(name))
    return ".".join(names)[-PATH_LIMIT:] or "a record"
