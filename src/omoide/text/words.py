"""The words of a text, as both engines index them, and the words of a question, as they are looked up.

Theory of operation
-------------------
`index_terms` turns a text into terms, which a store keeps joined by spaces in a plain column; `query_terms` turns
a question into the terms to look up. A document is found where the two share a term, so everything here serves
one promise: **a word asked for alone meets every text that holds it.** The promise must not hang on knowing the
language, since a question of two words seldom tells it. Hence each word has

- a *root*, which depends on the word alone: folded (case, accents and width go) and stemmed by the default
  language of its script, English for Latin, Russian for Cyrillic. Texts and questions always hold the root.
- a *native stem*, marked ``~``, in a text recognised as another language of that script, such as German. A
  question looks for it when it is in that language, or at half weight for every language that it might be in.
  The mark keeps them apart from roots: Italian would make *care* a *car*.

A wrong guess therefore only adds terms that nobody asks for. Stop words are indexed, and dropped from questions
that have other words.

Scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are indexed as characters and pairs of
characters, a character being a letter with its marks; a question looks for the pairs, or for the character if it
is alone. Korean has the whole word besides. Each emoji is a term, skin tones aside.

What is written together is indexed together and in parts: ``multi-agent``, ``user_id`` and ``userId`` give their
parts and the parts joined (``multiagent``), so that all spellings meet; ``C++``, ``#260``, ``GB/s``, ``.NET`` and
e-mail addresses keep their signs in one term, beside their parts. In a question a part counts half of its whole.
Numbers lose what groups their thousands: ``1,000`` is ``1000``.

Texts are cut at white space and each chunk is analysed once, then remembered; analysis is by regular expressions
over the *shape* of the chunk, one letter for each character's class, each linear in its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import NamedTuple

from omoide.text.languages import has_stems_of_its_own, is_stop_word, language_of, plausible_languages, root, stem, stems_differ
from omoide.text.letters import Memo, fold, normal, script_of

__all__ = ["TERM_LIMIT", "TERM_SIGNS", "QueryTerm", "fold", "index_terms", "query_terms", "tokenizer_id"]

TERM_LIMIT = 64  # characters of one term; longer words are cut, in texts and questions alike
TERM_SIGNS = "#&'+-./:@_~"  # the only signs of ASCII besides letters and digits that terms hold
NATIVE = "~"  # marks the stem of a language that is not its script's default

_PART = 0.5  # what part of a whole counts in a question; so does a stem that is a guess
_REMEMBERED, _REMEMBERED_NATIVE = 32_768, 4_096  # chunks
_SHORT = 12  # characters of what a slash joins into one term: GB/s, 24/7
_MOST_JOINED = 5  # pieces; a UUID has five
_MOST_INNER = 5  # parts inside one piece; more is no camel but a code

_SPACELESS = frozenset(
    "CJK IDEOGRAPHIC HIRAGANA KATAKANA KATAKANA-HIRAGANA BOPOMOFO YI THAI LAO KHMER MYANMAR TAI NEW JAVANESE BALINESE".split()
)
_PARTICLES = "והבלכמש"
_LIKE_ASCII = {"’": "'", "ʼ": "'", "‐": "-"}

# Shapes: A capital, a other letter, 0 digit, m mark, h letter of a script without spaces, k Hangul,
# e emoji or other symbol, f half of a flag; signs of ASCII stand for themselves, a space for all else.
_RUN = re.compile(
    r"(?P<spaceless>h[hm]*)|(?P<hangul>k[km]*)|(?P<symbol>ff|[ef])"
    r"|(?P<compound>[aA0][aA0m]*(?:[-_.'/\\@:&+,=~][aA0][aA0m]*)*)"
)
_CHARACTER = re.compile(r"[hk]m*")
_LETTERS = re.compile(r"[aA0m]+")
_SUFFIX = re.compile(r"\+\+|[+#](?![aA0+])")
_ADDRESS = re.compile(r"[aA0m._+-]+@[aA0m.-]+")
_SEGMENT = re.compile(r"[aA0m][aA0m_.'-]*")
_PIECE = re.compile(r"[aA0m]+(?:(?<=0)\.(?=0)[aA0m]+)*")  # the dots of 2.0.1 hold it together
_INNER = re.compile(r"0[0m]*(?:\.0+)*|A{2,}a(?![aAm])|A+(?=A[am])|A?[am]+|A+")
_ACRONYMS = re.compile("A{2,}a")  # PDFs
_CODE = re.compile(r"0[aAm]+0|[aAm]0[0.]*[aAm]")  # letters and digits in turn, as in a hash

_CLITIC = re.compile(r"['’ʼ](?:s|d|m|ll|re|ve)$", re.IGNORECASE)
_NEGATION = re.compile(r"n['’ʼ]t$", re.IGNORECASE)
_ELIDED = frozenset("c d j l m n s t qu jusqu lorsqu puisqu quoiqu un all dall dell nell sull quell quest bell".split())
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:['_]\d{3})+(?:[.,]\d+)?")
_DOTTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+")
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}")


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look up, and how much its score counts: above 0, at most 1."""

    term: str
    weight: float = 1.0


class _Word(NamedTuple):
    text: str  # as in the text, in normal form
    weight: float = 1.0  # in a question; 0: indexed only
    stems: bool = False
    native: bool = False  # also by the rules of the text's own language


def tokenizer_id() -> str:
    """Names these rules with all that they rest on: text indexed under another name must be indexed again."""
    return f"words-1 snowball-{version('snowballstemmer')} unicode-{unicodedata.unidata_version}"


def index_terms(text: str) -> list[str]:
    """The terms of a stored text, in order, with repeats. Never raises.

    A term has 1 to 64 characters: no space, control character or surrogate, and of ASCII's signs only `TERM_SIGNS`.
    """
    stored = _STORED[language_of(text)]
    return [term for chunk in text.split() for term in stored[chunk]]


def query_terms(text: str) -> list[QueryTerm]:
    """The terms that a question looks for, each once, at its highest weight, in order. Never raises.

    A word alone gives at least one term of every text that holds it. Stop words count only where there is nothing else.
    """
    languages = plausible_languages(text)
    language = languages[0] if languages else ""
    words = [word for chunk in text.split() for word in _words(chunk) if word.weight]
    telling = [word for word in words if not is_stop_word(fold(word.text), language)]
    found: dict[str, float] = {}
    for word in telling or words:
        for term, weight in _looked_up(word, languages):
            found[term] = max(weight, found.get(term, 0.0))
    return [QueryTerm(term, weight) for term, weight in found.items() if term]


def _looked_up(word: _Word, languages: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    native = [stem(word.text.lower(), code) for code in languages if word.native and has_stems_of_its_own(code, word.text)]
    sure = len(languages) == 1
    # a text in the question's own language holds both: together they count as one word
    yield _root(word), word.weight * (_PART if native and sure else 1.0)
    for one in native:
        yield (NATIVE + one)[:TERM_LIMIT], word.weight * _PART
    if native and (sure or not word.text.isascii()):  # a text too short to tell its language has the root alone, often in the basic form
        yield native[0][:TERM_LIMIT], word.weight * _PART * _PART


def _root(word: _Word) -> str:
    folded = fold(word.text)
    return (root(folded) if word.stems else folded)[:TERM_LIMIT]


def _stored(language: str, chunk: str) -> tuple[str, ...]:
    """The terms of a chunk in a text of that language."""
    terms: list[str] = []
    for word in _words(chunk):
        terms.append(_root(word))
        if word.native and has_stems_of_its_own(language, word.text) and not is_stop_word(fold(word.text), language):
            terms.append((NATIVE + stem(word.text.lower(), language))[:TERM_LIMIT])
    return tuple(term for term in terms if term)


def _memo_of(language: str) -> Memo[str, tuple[str, ...]]:
    return Memo(partial(_stored, language), _REMEMBERED_NATIVE) if stems_differ(language) else _STORED_PLAIN


_STORED_PLAIN: Memo[str, tuple[str, ...]] = Memo(partial(_stored, ""), _REMEMBERED)
_STORED: Memo[str, Memo[str, tuple[str, ...]]] = Memo(_memo_of, 256)


def _shape(code: int) -> str:
    char = chr(code)
    if char in _LIKE_ASCII:
        return _LIKE_ASCII[char]
    category = unicodedata.category(char)
    if category == "Nd":
        return "0"
    if category[0] in "LN":
        return _shape_of_letter(char, category)
    if category[0] == "M":
        return "m"
    if category == "So" or (category == "Cn" and 0x1F000 <= code < 0x1FB00):  # also emoji younger than this Python
        return "f" if 0x1F1E6 <= code <= 0x1F1FF else "e"
    return char if "!" <= char <= "~" else " "


def _shape_of_letter(char: str, category: str) -> str:
    if category in ("Lu", "Lt"):
        return "A"
    script = script_of(char) or unicodedata.name(char, "").partition(" ")[0]
    if script == "HANGUL":
        return "k"
    return "h" if script in _SPACELESS else "a"


_SHAPES = Memo(_shape, 16_384)


def _words(chunk: str) -> Iterator[_Word]:
    """The words of a text without white space."""
    text = normal(chunk)
    shape = text.translate(_SHAPES)
    for run in _RUN.finditer(shape):
        start, end = run.span()
        if run.lastgroup == "compound":
            yield from _signed(text, shape, start, end)
            yield from _compound(text[start:end], shape[start:end])
        elif run.lastgroup == "symbol":
            yield _Word(text[start:end])
        else:
            yield from _characters(text[start:end], shape[start:end])


def _characters(text: str, shape: str) -> Iterator[_Word]:
    """Characters and pairs of a run in a script without spaces, or of a Korean word."""
    characters = [text[one.start() : one.end()] for one in _CHARACTER.finditer(shape)]
    whole = shape[0] == "k" and len(characters) > 2
    if whole:
        yield _Word(text)
    for place, character in enumerate(characters):
        yield _Word(character, 1.0 if len(characters) == 1 else 0.0)
        if place + 1 < len(characters):
            yield _Word(character + characters[place + 1], _PART if whole else 1.0)


def _signed(text: str, shape: str, start: int, end: int) -> Iterator[_Word]:
    """A word with the sign that makes it another: .NET, #260, C++, C#."""
    before, earlier = shape[max(0, start - 1) : start], shape[max(0, start - 2) : max(0, start - 1)]
    first = _LETTERS.match(shape, start)
    if before == "#" or (before == "." and earlier != "." and shape[start] != "0"):
        yield _Word(text[start - 1 : first.end() if first else end])
    sign = _SUFFIX.match(shape, end)
    if sign:
        last = max(shape.rfind(joiner, start, end) for joiner in "-_.'/\\@:&+,=~") + 1
        yield _Word(text[max(start, last) : sign.end()])


def _compound(text: str, shape: str) -> Iterator[_Word]:
    """The words of what is written together with signs between: an address, a path, a date, a plain word."""
    if not ("a" in shape or "A" in shape):
        yield from _number(text, 1.0)
        return
    weight = 1.0
    address = _ADDRESS.search(shape) if shape.count("@") == 1 else None
    segments = list(_SEGMENT.finditer(shape))
    if address:
        yield _Word(text[address.start() : address.end()])
        weight = _PART
    elif len(segments) == 2 and len(text) <= _SHORT and shape[segments[0].end()] in "/&":
        yield _Word(text)
        weight = _PART
    for segment in segments:
        yield from _segment(text[segment.start() : segment.end()], segment[0], weight)


def _segment(text: str, shape: str, weight: float) -> Iterator[_Word]:
    """The pieces between hyphens, dots, underscores and apostrophes, and the pieces joined."""
    if "'" in shape:
        text = _CLITIC.sub("", text)
        text = text[:-2] + text[-1] if _NEGATION.search(text) else text
        shape = text.translate(_SHAPES)
    spans = [piece.span() for piece in _PIECE.finditer(shape)]
    pieces = [(text[start:end], shape[start:end]) for start, end in spans]
    if len(pieces) == 1:
        yield from _piece(*pieces[0], weight)
        return
    elided = shape[spans[0][1]] == "'" and fold(pieces[0][0]) in _ELIDED
    joined = len(pieces) <= _MOST_JOINED and not elided
    for piece in pieces:
        yield from _piece(*piece, weight * _PART if joined else weight)
    if joined:
        whole = "".join(piece for piece, _ in pieces)
        yield _Word(whole, weight, "0" not in shape)


def _piece(text: str, shape: str, weight: float) -> Iterator[_Word]:
    """The parts that capitals and digits show, and the piece itself."""
    if not ("a" in shape or "A" in shape):
        yield from _number(text, weight)
        return
    if _ACRONYMS.fullmatch(shape) and text[-1] == "s":
        text, shape = text[:-1], shape[:-1]
    yield from _without_particles(text, weight)
    parts = _INNER.findall(shape)
    if 1 < len(parts) <= _MOST_INNER and not _CODE.search(shape):
        for part in _INNER.finditer(shape):
            letters = "0" not in part[0]
            yield _Word(text[part.start() : part.end()], weight * _PART, letters, letters)
    yield _Word(text, weight, "0" not in shape, len(parts) == 1)


def _without_particles(text: str, weight: float) -> Iterator[_Word]:
    """A Hebrew word without one and two of the particles that are written onto words: and, the, in, to, as, from, that."""
    for _ in range(2):
        if len(text) < 4 or text[0] not in _PARTICLES:
            return
        text = text[1:]
        yield _Word(text, weight * _PART)


def _number(text: str, weight: float) -> Iterator[_Word]:
    """A number, or numbers with signs between, such as a date: whole in one spelling, and in pieces."""
    digits = fold(text)
    if _THOUSANDS.fullmatch(digits):
        digits = re.sub("[,'_]", "", digits)
    elif _DOTTED_THOUSANDS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d{1,3}\.\d{3}", digits):  # a thousand in German, one in English
        yield _Word(digits.replace(".", ""), weight * _PART)
    if _DECIMAL_COMMA.fullmatch(digits):
        digits = digits.replace(",", ".")
    pieces = re.findall(r"[\d.]+", digits)
    for piece in pieces if len(pieces) > 1 else ():
        yield _Word(piece, weight * _PART)
    if len(digits) <= TERM_LIMIT:
        yield _Word(re.sub(r"[^\d.:/-]", "-", digits), weight)
