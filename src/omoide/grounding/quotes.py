"""Where a quote stands in a text, however carelessly it was copied.

A model copies a quote with other case, spaces, quotation marks, dashes and end marks, in another
normal form of Unicode, or leaves out the middle and writes "…" for it. So both are compared as
words: what stands between words does not count, and neither do case, width and invisible
characters. Accents do. Scripts without spaces are compared character by character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from omoide.text.letters import normal

# What stands between words: marks of ASCII but the apostrophe, of Latin-1, of the general block but
# for what is invisible,
# of CJK and full width, and of other scripts.
_BETWEEN = (
    r"\s\x00-\x1f\x7f-\x9f!-&(-/:-@\[-_{-~¡§«¶·»¿\u2010-\u2017\u201c-\u201f\u2020-\u2027\u2030-\u205e\u3000-\u3003\u3008-\u3020\u3030\u30fb"
    r"\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65،؛؟۔٪٫٬।॥׃־״\u0e2f"
)
_ALONE = (  # a word by itself here: a letter of a script without spaces
    r"\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = r"\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a\uff9e\uff9f"
_WORD = re.compile(rf"[{_ALONE}][{_MARKS}]*|[^{_BETWEEN}{_ALONE}]+")
_APOSTROPHES = str.maketrans("", "", "'’‘`´ʼ")
_LEFT_OUT = re.compile(r"[(\[] ?(?:…|\.\.\.) ?[)\]]|…|\.\.\.+")
_NUMBER_GOES_ON = re.compile(r"[.,:]\d")
_KEY = re.compile(
    r"[a-z0-9]+|[\u3400-\u9fff]+|[\uac00-\ud7a3]+|[\u0400-\u04ff]+|[\u0600-\u06ff]+|[\u0900-\u097f]+"
)
MOST_PIECES, MOST_PLACES = 5, 8
CARELESS_LIMIT, WHOLE_LIMIT = 2_000, 4_000  # characters of a quote, of a text
_AND, _ARABIC = "وف", re.compile("[\u0620-\u064a]{2}")  # "and", which is written onto the next word
_GAP = "\n"  # no word holds one


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Where a quote stands: start and end in the text's own characters, and what of it was quoted,
    piece by piece.
    """

    start: int
    end: int
    pieces: tuple[str, ...]


class TextWords:
    """A text as the words that quotes are looked for in."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = [
            (word, match.start(), match.end())
            for match in _WORD.finditer(text)
            if (word := _same(match[0]))
        ]
        self.words = [word for word, _, _ in found]
        self._spans = [(start, end) for _, start, end in found]
        self._joined = _GAP.join(("", *self.words, ""))
        at, self._offsets = 1, []
        for word in self.words:
            self._offsets.append(at)
            at += len(word) + 1

    def find(self, other: TextWords, start: int = 0) -> tuple[int, int] | None:
        """The characters where the words of the other first stand in order, from a character on."""
        if not other.words:
            return None
        firsts = [other.words[0]] + [
            lead + other.words[0] for lead in _AND if _ARABIC.match(other.words[0])
        ]
        found = (
            self._find(_GAP.join(("", first, *other.words[1:], "")), len(other.words), start)
            for first in firsts
        )
        return next((span for span in found if span), None)

    def _find(self, needle: str, count: int, start: int) -> tuple[int, int] | None:
        at = self._joined.find(needle)
        while at >= 0:
            first = bisect_right(self._offsets, at + 1) - 1
            span = self._spans[first][0], self._spans[first + count - 1][1]
            if span[0] >= start and not cuts_number(self.text, *span):
                return span
            at = self._joined.find(needle, at + 1)
        return None


def cuts_number(text: str, start: int, end: int) -> bool:
    """Whether a span begins or ends inside a number: 3.5 holds no 3."""
    before, after = text[max(0, start - 2) : start + 1], text[end - 1 : end + 2]
    left = (
        len(before) == 3 and before[0].isdecimal() and before[1] in ".,:" and before[2].isdecimal()
    )
    return left or (after[:1].isdecimal() and _NUMBER_GOES_ON.match(after, 1) is not None)


def _same(word: str) -> str:
    """A word as it is compared."""
    if word.isascii():
        return word.lower().replace("'", "").replace("`", "")
    return normal(word).translate(_APOSTROPHES).casefold()


def find_quote(quote: str, text: str) -> Excerpt | None:
    """Where the quote stands in the text: as a whole, or its pieces around "…" in order. None: it
    does not.

    A quote of more than 2,000 characters must be exact; in a text of more than 4,000, one that is
    not is looked for around the first places that have its longest word.
    """
    exact = _exact(quote.strip(), text)
    if exact or len(quote) > CARELESS_LIMIT:
        return exact
    search = _QuoteSearch(text)
    whole = search.find(quote)
    if whole:
        return Excerpt(*whole, (text[whole[0] : whole[1]],))
    pieces = [piece for piece in _LEFT_OUT.split(quote) if piece.strip()]
    return _in_order(pieces, search) if 2 <= len(pieces) <= MOST_PIECES else None


class _QuoteSearch:
    """Looks for pieces of a quote in one text, which is made ready once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = normal(text).casefold()
        self._whole: TextWords | None = None

    def find(self, piece: str, start: int = 0) -> tuple[int, int] | None:
        """The characters where the words of the piece first stand, from a character on."""
        keys = _KEY.findall(normal(piece).casefold())
        key = max(keys, key=len, default="")
        if key and key not in self._plain:
            return None
        if len(self.text) <= WHOLE_LIMIT:
            self._whole = self._whole or TextWords(self.text)
            return self._whole.find(TextWords(piece), start)
        return self._near(key, piece, start)

    def _near(self, key: str, piece: str, start: int) -> tuple[int, int] | None:
        # so that the edges of what is looked at are no part of what is found
        reach = 2 * len(piece) + 200
        lowered = self.text.lower()
        at = start - 1
        for _ in range(MOST_PLACES if key and len(lowered) == len(self.text) else 0):
            at = lowered.find(key, at + 1)
            if at < 0:
                return None
            first = max(start, at - reach)
            found = TextWords(self.text[first : at + reach]).find(TextWords(piece))
            if found:
                return first + found[0], first + found[1]
        return None


def _exact(quote: str, text: str) -> Excerpt | None:
    at = text.find(quote) if quote else -1
    if at < 0:
        return None
    end = at + len(quote)
    if any(
        _is_inside_word(text[edge - 1], text[edge]) for edge in (at, end) if 0 < edge < len(text)
    ) or cuts_number(text, at, end):
        return None
    return Excerpt(at, end, (quote,))


def _is_inside_word(left: str, right: str) -> bool:
    joined = _WORD.match(left + right)
    return joined is not None and joined.end() == 2


def _in_order(pieces: list[str], search: _QuoteSearch) -> Excerpt | None:
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        span = search.find(piece, spans[-1][1] if spans else 0)
        if span is None:
            return None
        spans.append(span)
    return Excerpt(spans[0][0], spans[-1][1], tuple(search.text[start:end] for start, end in spans))
