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
        self._told: list[str] = []
        self._plain = ""
        self.is_empty = False  # a message of it has no words

    def tell(self, *values: Json) -> None:
        """Count the words of the values as imported, or as left out under another name."""
        self._told += [text for value in values for _, text in _leaves(value, (), frozenset())]
        self._plain = ""

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
        if any(text in told for told in self._told):
            return True
        self._plain = self._plain or "\n".join(map(_letters, self._told))
        return all(_letters(one) in self._plain for one in text.splitlines())


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
    return is_within and own not in _NAMES and bool(_letters(text))


def _letters(text: str) -> str:
    return _SIGNS.sub("", text)


def _name(path: tuple[str, ...]) -> str:
    """The path as people read it, without ids."""
    names = (line(name) for name in path if not _ID.fullmatch(name))
    return ".".join(names)[-PATH_LIMIT:] or "a record"
