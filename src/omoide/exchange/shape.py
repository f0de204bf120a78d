"""Reading JSON whose shape nobody vouches for: each function takes anything and gives what it is
named for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation

from omoide.nouns.clock import EPOCH
from omoide.nouns.metadata import Json

LINE_LIMIT = 500

# halves of surrogate pairs, and NUL, which databases refuse
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_LATEST = 4_102_444_800  # 2100-01-01
_DEPTH = 8  # levels of a value that are looked at for words


def text(value: Json) -> str:
    """The text; "" for anything else. What no database can hold becomes U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", value) if isinstance(value, str) else ""


def line(value: Json) -> str:
    """A name, title or id: the text on one line, without outer spaces, at most ``LINE_LIMIT``
    characters of it.
    """
    return " ".join(text(value)[: 2 * LINE_LIMIT].split())[:LINE_LIMIT]


class Fields(dict[str, Json]):
    """An object. Each method gives what it is named for of what stands under the keys, each inside
    the one before.
    """

    __slots__ = ()

    def at(self, *keys: str) -> Json:
        """Whatever stands there; None where a key is missing."""
        value: Json = self
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def text(self, *keys: str) -> str:
        """As the function."""
        return text(self.at(*keys))

    def line(self, *keys: str) -> str:
        """As the function."""
        return line(self.at(*keys))

    def number(self, *keys: str) -> int | None:
        """As the function."""
        return number(self.at(*keys))

    def words(self, *keys: str) -> str:
        """As the function."""
        return words(self.at(*keys))

    def array(self, *keys: str) -> list[Json]:
        """As the function."""
        return array(self.at(*keys))

    def record(self, *keys: str) -> Fields:
        """As the function."""
        return record(self.at(*keys))

    def records(self, *keys: str) -> Iterator[Fields]:
        """As the function."""
        return records(self.at(*keys))


def record(value: Json) -> Fields:
    """The object; an empty one for anything else."""
    if isinstance(value, Fields):
        return value
    return Fields(value) if isinstance(value, dict) else Fields()


def array(value: Json) -> list[Json]:
    """The array. Of an object whose values are all objects, as by their ids, those; any other
    object by itself. An empty one for anything else.
    """
    if isinstance(value, dict) and value:
        is_keyed = all(isinstance(inner, dict) for inner in value.values())
        return [*value.values()] if is_keyed else [value]
    return value if isinstance(value, list) else []


def records(value: Json) -> Iterator[Fields]:
    """The objects in an array."""
    return (record(item) for item in array(value) if isinstance(item, dict))


def keyed(value: Json, key: str) -> Fields:
    """The object, or the objects in an array by what stands in each under key."""
    if not isinstance(value, list):
        return record(value)
    return Fields({one.text(key): one for one in records(value)})


# fields that hold a text, where an object stands in place of it
_SHAPES = ("text", "content", "value", "parts", "body")


def words(value: Json, depth: int = _DEPTH) -> str:
    """What somebody says: a text, a number, blocks of text, or an object that holds one; "" for
    anything else. Blocks stand on lines of their own.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if depth and isinstance(value, list):
        return joined(words(inner, depth - 1) for inner in value)
    if depth and isinstance(value, dict):
        return joined(words(value.get(name), depth - 1) for name in _SHAPES)
    return text(value)


def joined(told: Iterable[str]) -> str:
    """The texts that are not blank, each once, on lines of their own."""
    return "\n".join(dict.fromkeys(filter(str.strip, told)))


def present(**facts: Json) -> dict[str, Json]:
    """The facts that are not empty."""
    return {name: value for name, value in facts.items() if value}


def number(value: Json) -> int | None:
    """A whole number that is 0 or more; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def epoch(value: Json, zone: tzinfo | None = None) -> datetime | None:
    """The time that many seconds after 1970, told in zone or else UTC; None unless from 1970 to
    2100.

    Text and numbers are read exactly to the microsecond.
    """
    if not isinstance(value, (int, float, str)) or isinstance(value, bool):
        return None
    try:
        seconds = Decimal(str(value)[:40])
    except InvalidOperation:
        return None
    if not seconds.is_finite() or not 0 < seconds < _LATEST:
        return None
    moment = EPOCH + timedelta(microseconds=round(seconds * 1_000_000))
    return moment.astimezone(zone or UTC)


def milliseconds(value: Json, zone: tzinfo | None = None) -> datetime | None:
    """The time that is a whole number of milliseconds after 1970, told in zone or in UTC; else
    None.
    """
    stamp = number(value)
    return None if stamp is None else epoch(f"{stamp}e-3", zone)


def iso(value: Json, zone: tzinfo | None = None) -> datetime | None:
    """The ISO 8601 time with its own offset; told in zone where it has none or is in UTC; else
    None.
    """
    try:
        moment = datetime.fromisoformat(text(value).strip()[:40])
    except ValueError:
        return None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=zone) if zone else None
    return moment.astimezone(zone) if zone and not moment.utcoffset() else moment


def sizes(name: Json, size: Json = None, type: Json = None) -> dict[str, Json]:
    """What is kept of an attachment: its name, and its size in bytes and type where they are
    known.
    """
    kept: dict[str, Json] = {"name": line(name) or "unnamed"}
    if number(size) is not None:
        kept["size"] = size
    if line(type):
        kept["type"] = line(type)
    return kept


_LETTER = r"[^\s\d!-/:-@\[-`{-~\u2000-\u206f]"  # or a mark of one
_WORD = rf"{_LETTER}{{2,}}+"  # all of it: none of its letters is tried as a sign
_UNSPACED = (  # letters of scripts without spaces
    r"\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7af"
)
_WORDS = re.compile(
    # three words in a row, the first one from its first letter on
    rf"(?<!{_LETTER}){_WORD}['’]?[,;:]?\s+\(?{_WORD}.{{0,400}}?\s\(?{_WORD}"
    rf"|(?:[{_UNSPACED}][、。，！？：]?){{6,}}",  # or as much without spaces
    re.DOTALL,
)


def holds_words(value: Json, depth: int = _DEPTH) -> bool:
    """Whether somebody says something in a value, or in anything in it: more than a name or two
    words.
    """
    if isinstance(value, str):
        return len(value) > 5 and _WORDS.search(value, 0, 2_000) is not None
    if depth and isinstance(value, dict):
        return any(holds_words(inner, depth - 1) for inner in value.values())
    return bool(depth) and any(holds_words(inner, depth - 1) for inner in array(value))
