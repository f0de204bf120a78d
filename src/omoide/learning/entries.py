"""What the entries of a model's answer hold, in the shapes that models give it: numbers as text, a
text where a list is asked for, marks in brackets. What cannot be read is empty. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from omoide.models.chat.answers import objects, one_line
from omoide.nouns.metadata import Json

_NUMBER = re.compile(r"\s*(?:(?:note|message|turn|n|#)\s*)?(\d{1,9})\b", re.IGNORECASE)
_MARK = re.compile(r"\W*([kn])\W?(\d{1,9})\b", re.IGNORECASE)
_HEAD = re.compile(  # of a line that shows an item: its mark and date
    r"^(?:\W?[kn]\d+\W*\s+)?(?:\(\d{4}-\d\d-\d\d\)\s*)?", re.IGNORECASE
)
_FIRST_WORD = re.compile(r"[^\W_]+")
_SEPARATORS = re.compile(r"(?:(?<!\s)\s+)?[,;、，؛،]\s*")
_TYPES, _LABELS = ("type", "kind"), ("name", "label", "text", "value")
UNTYPED = "thing"  # the type of a name that comes without one


def number(value: Json) -> int | None:
    """A whole number, also one in a text or alone in a list."""
    value = _only(value)
    if isinstance(value, str):
        found = _NUMBER.match(value)
        return int(found[1]) if found else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def mark(value: Json) -> str:
    """The mark that a reference means, such as k1 or n2; another text as it is."""
    value = _only(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"k{value}"
    text = one_line(value)
    found = _MARK.match(text)
    return f"{found[1].lower()}{found[2]}" if found else text


def repeated(value: Mapping[str, Any]) -> str:
    """What a model repeats of an item, without the mark and the date, which are no words of it,
    where it copied the whole line.
    """
    return _HEAD.sub("", one_line(_only(value.get("was"))))


def first_word(value: Json) -> str:
    """The first word of a text in small letters; yes or no for what is true or false."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    found = _FIRST_WORD.search(one_line(value))
    return found[0].casefold() if found else ""


def names(value: Json) -> tuple[str, ...]:
    """Names as ``type:label``: of a list, of a text that separates them, or of objects."""
    listed = value if isinstance(value, list) else [value]
    found = (name for one in listed for name in _names(one))
    return tuple(dict.fromkeys(name for name in found if name))


def _names(value: Json) -> list[str]:
    if isinstance(value, dict):
        kind, label = (
            next((one_line(value[key]) for key in keys if key in value), "")
            for keys in (_TYPES, _LABELS)
        )
        return [f"{kind.casefold() or UNTYPED}:{label}"] if label else []
    return [
        name if ":" in name or not name else f"{UNTYPED}:{name}"
        for name in _SEPARATORS.split(one_line(value))
    ]


def by_note(answer: dict[str, Any], name: str, field: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The entries of an answer's list with the number of the note that each is about: as it says,
    or, where none says so, in their order. field: what an entry says that is a text alone.

    Raises:
        ValueError: it has no list of that name.
    """
    entries = objects(answer, name, field)
    numbers = [number(entry.get("note")) for entry in entries]
    if not any(n is not None for n in numbers):
        numbers = list(range(1, len(entries) + 1))
    yield from ((n, entry) for n, entry in zip(numbers, entries, strict=True) if n is not None)


def _only(value: Json) -> Json:
    """The one value of a list; of any other value itself."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value
