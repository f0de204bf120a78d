"""Where a quote stands in a text, however carelessly it was copied.

A model copies a quote with other case, spaces, quotation marks, dashes and end marks, in another normal form of Unicode, or leaves out the
middle and writes "…" for it. So both are compared as words: what stands between words does not count, and
neither do case, width and invisible characters. Accents do. Scripts without spaces are compared character by character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from omoide.text.letters import normal

# What stands between words: marks of ASCII but the apostrophe, of Latin-1, of the general block but for what is invisible,
# of CJK and full width, and of other scripts.
_BETWEEN = (
    r"\s\x00-\x1f!-&(-/:-@\[-_{-~¡§«¶·»¿\u2010-\u2017\u201c-\u201f\u2020-\u2027\u2030-\u205e\u3000-\u3003\u3008-\u3020\u3030\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65،؛؟۔٪٫٬।॥׃־״\u0e2f"
)
_ALONE = (  # a word by itself here: a letter of a script without spaces
    r"\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = r"\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a\uff9e\uff9f"
_WORD = re.compile(rf"[{_ALONE}][{_MARKS}]*|[^{_BETWEEN}{_ALONE}]+")
_APOSTROPHES = str.maketrans("", "", "'’‘`´ʼ")
_LEFT_OUT = re.compile(r"\s*(?:…|\.\.\.+|\[\s*(?:…|\.\.\.)\s*\]|\(\s*(?:…|\.\.\.)\s*\))\s*")
_NUMBER_GOES_ON = re.compile(r"[.,:]\d")
MOST_PIECES = 5
_GAP = "\n"  # no word holds one


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: start and end in the text's own characters, and what of it was quoted, piece by piece."""

    start: int
    end: int
    pieces: tuple[str, ...]


class Words:
    """A text as the words that quotes are looked for in."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = [(word, match.start(), match.end()) for match in _WORD.finditer(text) if (word := _same(match[0]))]
        self.words = [word for word, _, _ in found]
        self._spans = [(start, end) for _, start, end in found]
        self._joined = _GAP.join(("", *self.words, ""))
        at, self._offsets = 1, []
        for word in self.words:
            self._offsets.append(at)
            at += len(word) + 1

    def find(self, other: Words, start: int = 0) -> tuple[int, int] | None:
        """The characters where the words of the other first stand in order, from a character on."""
        if not other.words:
            return None
        needle = _GAP.join(("", *other.words, ""))
        at = self._joined.find(needle)
        while at >= 0:
            first = bisect_right(self._offsets, at + 1) - 1
            span = self._spans[first][0], self._spans[first + len(other.words) - 1][1]
            if span[0] >= start and not self._cuts_number(*span):
                return span
            at = self._joined.find(needle, at + 1)
        return None

    def _cuts_number(self, start: int, end: int) -> bool:
        """3.5 holds no 3."""
        before = self.text[max(0, start - 2) : start + 1]
        after = self.text[end - 1 : end + 2]
        left = len(before) == 3 and before[0].isdecimal() and before[1] in ".,:" and before[2].isdecimal()
        return left or (after[:1].isdecimal() and _NUMBER_GOES_ON.match(after, 1) is not None)


def _same(word: str) -> str:
    """A word as it is compared."""
    if word.isascii():
        return word.lower().replace("'", "").replace("`", "")
    return normal(word).translate(_APOSTROPHES).casefold()


def find_quote(quote: str, text: Words) -> Place | None:
    """Where the quote stands in the text: as a whole, or its pieces around "…" in order. None: it does not."""
    exact = _exact(quote.strip(), text)
    if exact:
        return exact
    whole = text.find(Words(quote))
    if whole:
        return Place(*whole, (text.text[whole[0] : whole[1]],))
    pieces = [piece for piece in _LEFT_OUT.split(quote) if piece.strip()]
    return _in_order(pieces, text) if 2 <= len(pieces) <= MOST_PIECES else None


def _exact(quote: str, text: Words) -> Place | None:
    at = text.text.find(quote) if quote else -1
    if at < 0:
        return None
    end = at + len(quote)
    inside = [edge for edge in (at, end) if 0 < edge < len(text.text) and _is_inside_word(text.text[edge - 1], text.text[edge])]
    if inside or text._cuts_number(at, end):
        return None
    return Place(at, end, (quote,))


def _is_inside_word(left: str, right: str) -> bool:
    joined = _WORD.match(left + right)
    return joined is not None and joined.end() == 2


def _in_order(pieces: list[str], text: Words) -> Place | None:
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        span = text.find(Words(piece), spans[-1][1] if spans else 0)
        if span is None:
            return None
        spans.append(span)
    return Place(spans[0][0], spans[-1][1], tuple(text.text[start:end] for start, end in spans))
