"""What a person who reads a text would not see, or would take for something else: found, and made
visible.

Ordinary writing is left alone: the joiners of Persian, Indic scripts and emoji, and the selector
that makes a sign an emoji.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from omoide.nouns.record.lines import counted


class Unseen(StrEnum):
    """Why characters are not what they look like."""

    ZERO_WIDTH = "zero width"
    BIDI = "changes direction"
    TAG = "tag"
    CONTROL = "control"
    SELECTOR = "selector"
    BLANK = "blank"
    PRIVATE = "private"  # each font shows something else, or nothing
    STACKED = "stacked marks"
    GAP = "gap"  # so long that what follows is out of sight
    LOOKALIKE = "looks like another letter"


@dataclass(frozen=True, slots=True)
class Hidden:
    """Characters from start to before end, and why they are hidden."""

    start: int
    end: int
    why: Unseen


_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BLANKS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS = frozenset("\u200c\u200d")
_JOINED = frozenset(
    "ARABIC SYRIAC MONGOLIAN DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA"
    " MALAYALAM SINHALA KHMER MYANMAR".split()
)
# Letters that look like one of another script; others, as in Δt, are seen to be what they are.
_LIKE = {
    "LATIN": frozenset("aeopcyxijsqwhbvunkrtglABEZIKMNHOPCTYXJS"),
    "CYRILLIC": frozenset("аеорсухіјѕԛԝһьвкмнтіАВЕЗКМНОРСТУХІЈЅҮҺӀ"),
    "GREEK": frozenset("οαγικνρυχτϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"),
    "ARMENIAN": frozenset("օոսցհՕՍ"),
}
_GAP = re.compile(r"\n[ \t]*(?:\n[ \t]*){3,}|[^\S\n]{12,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_STACK = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4,}"
)


def find_hidden(text: str) -> list[Hidden]:
    """All that is hidden in a text, in order; places do not overlap."""
    found = [
        Hidden(*place.span(), why)
        for pattern, why in ((_GAP, Unseen.GAP), (_STACK, Unseen.STACKED))
        for place in pattern.finditer(text)
    ]
    odd = (at for at, char in enumerate(text) if not char.isascii() or not char.isprintable())
    found += [Hidden(at, at + 1, why) for at in odd if (why := _why(text, at))]
    for word in () if text.isascii() else _WORD.finditer(text):
        found += _lookalikes(word)
    return list(_apart(sorted(found, key=lambda place: (place.start, -place.end))))


def show_hidden(text: str) -> str:
    """The text with what is hidden in it named in its place, between ⟦ and ⟧."""
    shown, at = [], 0
    for place in find_hidden(text):
        shown += [
            text[at : place.start].replace("⟦", "[[").replace("⟧", "]]"),
            _name(text[place.start : place.end], place.why),
        ]
        at = place.end
    return "".join((*shown, text[at:].replace("⟦", "[[").replace("⟧", "]]")))


def _apart(places: list[Hidden]) -> Iterator[Hidden]:
    end = 0
    for place in places:
        if place.start >= end:
            yield place
            end = place.end


def _why(text: str, at: int) -> Unseen | None:
    """Why one character is hidden; None where it is seen as what it is."""
    char = text[at]
    if char in _BIDI:
        return Unseen.BIDI
    if char in _BLANKS:
        return Unseen.BLANK
    if "\U000e0000" <= char <= "\U000e0fff":
        return Unseen.SELECTOR if char >= "\U000e0100" else Unseen.TAG
    if "\ufe00" <= char <= "\ufe0f" or "\u180b" <= char <= "\u180f":
        return None if _makes_emoji(text, at) else Unseen.SELECTOR
    if char in _JOINERS and _joins(text, at):
        return None
    return _why_by_category(char)


def _makes_emoji(text: str, at: int) -> bool:
    """Whether a selector says how the sign before it is drawn."""
    before = unicodedata.category(text[at - 1 : at] or "a")
    return text[at] >= "\ufe0e" and before in ("So", "Sm", "Po", "Nd", "Sk")


def _why_by_category(char: str) -> Unseen | None:
    category = unicodedata.category(char)
    if category == "Cf":
        return None if _is_seen(char) else Unseen.ZERO_WIDTH
    if category in ("Co", "Cn"):
        return Unseen.PRIVATE
    if category in ("Cs", "Zl", "Zp") or (category == "Cc" and char not in "\n\t"):
        return Unseen.CONTROL
    return Unseen.LOOKALIKE if "\U0001d400" <= char <= "\U0001d7ff" else None


def _is_seen(char: str) -> bool:
    """Whether a format character is drawn: the signs before Arabic and Syriac numbers."""
    return (
        "\u0600" <= char <= "\u0605" or char in "\u06dd\u070f\u08e2" or "\u0890" <= char <= "\u0891"
    )


def _joins(text: str, at: int) -> bool:
    """Whether a joiner stands between letters or signs that are written with one."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not before or not after:
        return False
    return (_script(before) in _JOINED and _script(after) in _JOINED) or (
        _is_sign(before) and _is_sign(after) and text[at] == "\u200d"
    )


def _is_sign(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sk", "Sm") or char == "\ufe0f"


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def _lookalikes(word: re.Match[str]) -> Iterator[Hidden]:
    """The letters of a word that are of another script than most of it, where the two have letters
    that look the same.
    """
    scripts = [] if word[0].isascii() else list(map(_script, word[0]))
    present = sorted(_LIKE.keys() & set(scripts))
    if len(present) < 2:
        return
    usual = max(present, key=lambda script: (scripts.count(script), script == "LATIN"))
    for at, (char, script) in enumerate(zip(word[0], scripts, strict=True), start=word.start()):
        if script != usual and char in _LIKE.get(script, ()):
            yield Hidden(at, at + 1, Unseen.LOOKALIKE)


def _name(characters: str, why: Unseen) -> str:
    if why is Unseen.GAP:
        lines = characters.count("\n")
        gap = counted(lines, "line break") if lines else counted(len(characters), "space")
        return f"⟦{gap}⟧"
    if why is Unseen.STACKED:
        return f"⟦{len(characters)} marks on one letter⟧"
    shown = "{} " if why is Unseen.LOOKALIKE else ""
    told = (
        f"{shown.format(char)}U+{ord(char):04X} {unicodedata.name(char, why.value).lower()}"
        for char in characters
    )
    return f"⟦{', '.join(told)}⟧"
