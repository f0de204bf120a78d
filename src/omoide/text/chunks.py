"""The words of a text without white space, by its shape: one letter for each character's class.

What is written together with signs, capitals or digits between is told in parts and whole. Each
expression is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from omoide.text.languages import root
from omoide.text.letters import CHARACTERS, Memo, fold_normal, normal, script_of

TERM_LIMIT = 64  # characters of one term; longer words are cut, in texts and questions alike
PART = 0.5  # what part of a whole counts in a question; so does a stem that is a guess
REMEMBERED = 32_768  # words, or chunks
_SHORT = 12  # characters of what a slash joins into one term: GB/s, 24/7
# characters of what is looked into as written together; no address or path is longer
_LONGEST = 256
_AROUND = "\"'!?,;:()[]*_"  # signs around a word that change nothing about it
_MOST_JOINED = 5  # pieces; a UUID has five
_MOST_INNER = 5  # parts inside one piece; more is no camel but a code


SPACELESS = frozenset(
    "CJK IDEOGRAPHIC HIRAGANA KATAKANA KATAKANA-HIRAGANA BOPOMOFO YI THAI LAO KHMER MYANMAR TAI NEW"
    " JAVANESE BALINESE".split()
)
# written onto the word: and, the, in, to, as, from, that in Hebrew; and, so, in, like, to in Arabic
_PARTICLES = frozenset("והבלכמשوفبكل")
_LIKE_ASCII = {"’": "'", "ʼ": "'", "‐": "-"}

# Shapes: A capital, a other letter, 0 digit, m mark, h letter of a script without spaces, k Hangul,
# e emoji or other symbol, f half of a flag; signs of ASCII stand for themselves, a space for all
# else.
_RUN = re.compile(
    r"(?P<spaceless>h[hm]*)|(?P<hangul>k[km]*)|(?P<symbol>ff|[ef])"
    r"|(?P<compound>[aA0][aA0m]*(?:[-_.'/\\@:&+,=~][aA0][aA0m]*)*)"
)
_CHARACTER = re.compile(r".m*", re.DOTALL)
_PAIR = re.compile(r"(hm*)hm*")
_LETTERS = re.compile(r"[aA0m]+")
_DOT = re.compile(r"(?:\A|[^.])\.\Z")  # one, not two
_SUFFIX = re.compile(r"\+\+|[+#](?![aA0+])")
_ADDRESS = re.compile(r"(?<![aA0m._+-])[aA0m._+-]+@[aA0m.-]+")
_SEGMENT = re.compile(r"[aA0m][aA0m_.'-]*")
_PIECE = re.compile(r"[aA0m]+(?:(?<=0)\.(?=0)[aA0m]+)*")  # the dots of 2.0.1 hold it together
_PLAIN = re.compile(r"A?[am]*")
_INNER = re.compile(r"0[0m]*(?:\.0+)*|A+(?=A[am])|A?[am]+|A+")
_ACRONYMS = re.compile(r"A{2,}a")  # PDFs
_CODE = re.compile(r"0[aAm]+0|[aAm]0[0.]*[aAm]")  # letters and digits in turn, as in a hash

_CLITIC = re.compile(r"['’ʼ](?:s|d|m|ll|re|ve)$", re.IGNORECASE)
_NEGATION = re.compile(r"n['’ʼ]t$", re.IGNORECASE)
_ELIDED = frozenset(
    "c d j l m n s t qu jusqu lorsqu puisqu quoiqu un all dall dell nell sull "
    "quell quest bell".split()
)
_THOUSANDS_SIGN = re.compile(r"[,'_](?=\d{3})")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:['_]\d{3})+(?:\.\d+)?")
_DOTTED_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|\d{1,3}(?:\.\d{3})+,\d+")
_ONE_DOTTED_THOUSAND = re.compile(r"\d{1,3}\.\d{3}")  # in German; in English a fraction
_DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}")
_PART_OF_NUMBER = re.compile(r"[\d.]+")
_NOT_IN_NUMBER = re.compile(r"[^\d.:/-]")


class Form(Enum):
    """What becomes of a word in an index."""

    READY = auto()  # folded, a term as it is
    STEM = auto()  # to be stemmed as its script is by default
    NATIVE = auto()  # also as the text's own language does
    RUN = auto()  # folded, to be cut into characters and pairs


class Word(NamedTuple):
    """A word, or a part of what is written together."""

    text: str
    weight: float  # in a question
    form: Form


def pair_in(term: str) -> tuple[str, str] | None:
    """The two characters of a term that is a pair of a script without spaces; None of any other
    term.
    """
    pair = None if term.isascii() else _PAIR.fullmatch(term.translate(_SHAPES))
    return (term[: pair.end(1)], term[pair.end(1) :]) if pair else None


def characters_of(run: str) -> list[str]:
    """The characters of a run, each with its marks."""
    shape = run.translate(_SHAPES)
    if "m" not in shape:
        return list(run)
    return [run[one.start() : one.end()] for one in _CHARACTER.finditer(shape)]


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
    # also emoji younger than this Python
    if category == "So" or (category == "Cn" and 0x1F000 <= code < 0x1FB00):
        return "f" if 0x1F1E6 <= code <= 0x1F1FF else "e"
    return char if "!" <= char <= "~" else " "


def _shape_of_letter(char: str, category: str) -> str:
    if category in ("Lu", "Lt"):
        return "A"
    script = script_of(char) or unicodedata.name(char, "").partition(" ")[0]
    if script == "HANGUL":
        return "k"
    return "h" if script in SPACELESS else "a"


_SHAPES = Memo(_shape, CHARACTERS)


def words_of(chunk: str) -> Iterator[Word]:
    """The words of a text without white space."""
    core = chunk.lstrip(_AROUND).rstrip(_AROUND + ".")
    # most words: no need to look closer
    if core.isascii() and core.isalpha() and core[1:].islower():
        yield Word(core, 1.0, Form.NATIVE)
        return
    text = normal(chunk)
    shape = text.translate(_SHAPES)
    for run in _RUN.finditer(shape):
        start, end = run.span()
        if run.lastgroup == "compound":
            signed = list(_signed(text, shape, start, end))
            yield from signed
            yield from _compound(text[start:end], run[0], PART if signed else 1.0)
        elif run.lastgroup == "symbol":
            yield Word(text[start:end], 1.0, Form.READY)
        else:
            yield from _unspaced(fold_normal(text[start:end]), run)


def _unspaced(folded: str, run: re.Match[str]) -> Iterator[Word]:
    """A run of a script without spaces; of Hangul also the whole word, unless it is one pair."""
    long = run.lastgroup == "hangul" and run.end() - run.start() > 2
    if long:
        yield Word(folded, 1.0, Form.READY)
    yield Word(folded, PART if long else 1.0, Form.RUN)


def _signed(text: str, shape: str, start: int, end: int) -> Iterator[Word]:
    """A word with the sign that makes it another: .NET, #260, C++, C#."""
    is_dotted = shape[start] != "0" and _DOT.search(shape, max(0, start - 2), start)
    if is_dotted or (start and shape[start - 1] == "#"):
        first = _LETTERS.match(shape, start)
        yield Word(fold_normal(text[start - 1 : first.end() if first else end]), 1.0, Form.READY)
    if sign := _SUFFIX.match(shape, end):
        last = start + len(shape[start:end].rstrip("aA0m"))
        yield Word(fold_normal(text[last : sign.end()]), 1.0, Form.READY)


def _compound(text: str, shape: str, weight: float) -> Iterator[Word]:
    """The words of what is written together with signs between: an address, a path, a date, a plain
    word.
    """
    if _PLAIN.fullmatch(shape):
        yield from _piece(text, shape, weight)
        return
    if "a" not in shape and "A" not in shape:
        yield from _number(text, weight)
        return
    if len(text) > _LONGEST:
        yield from _runs(text, shape, weight)
        return
    segments = list(_SEGMENT.finditer(shape))
    if whole := _address_or_unit(text, shape, segments):
        yield Word(fold_normal(whole), weight, Form.READY)
        weight *= PART
    for segment in segments:
        yield from _segment(text[segment.start() : segment.end()], segment[0], weight)


def _runs(text: str, shape: str, weight: float) -> Iterator[Word]:
    """The runs of letters and digits of what is too long to be looked into."""
    for run in _LETTERS.finditer(shape):
        form = Form.READY if "0" in run[0] else Form.STEM
        yield Word(fold_normal(text[run.start() : run.end()]), weight, form)


def _address_or_unit(text: str, shape: str, segments: list[re.Match[str]]) -> str:
    """What is one term beside its parts: a mail address, or two short words with a slash."""
    address = _ADDRESS.search(shape) if shape.count("@") == 1 else None
    if address:
        return text[address.start() : address.end()]
    is_short = len(segments) == 2 and len(text) <= _SHORT
    return text if is_short and shape[segments[0].end()] in "/&" else ""


def _segment(text: str, shape: str, weight: float) -> Iterator[Word]:
    """The pieces between hyphens, dots, underscores and apostrophes, and the pieces joined."""
    if "'" in shape:
        text = _without_clitics(text)
        shape = text.translate(_SHAPES)
    spans = [piece.span() for piece in _PIECE.finditer(shape)]
    pieces = [(text[start:end], shape[start:end]) for start, end in spans]
    if len(pieces) == 1:
        yield from _piece(*pieces[0], weight)
        return
    is_elided = shape[spans[0][1]] == "'" and fold_normal(pieces[0][0]) in _ELIDED
    is_joined = len(pieces) <= _MOST_JOINED and not is_elided
    for piece in pieces:
        yield from _piece(*piece, weight * PART if is_joined else weight)
    if is_joined:
        yield _whole("".join(piece for piece, _ in pieces), shape, weight)


def _without_clitics(text: str) -> str:
    """A word without what English writes onto it: Ana's, we'll; don't is dont."""
    text = _CLITIC.sub("", text)
    return text[:-2] + text[-1] if _NEGATION.search(text) else text


def _whole(text: str, shape: str, weight: float) -> Word:
    """Parts written together: stemmed as any word, since elsewhere they may stand as one."""
    if "0" in shape:
        return Word(fold_normal(text), weight, Form.READY)
    return Word(text, weight, Form.STEM)


def _piece(text: str, shape: str, weight: float) -> Iterator[Word]:
    """The parts that capitals and digits show, and the piece itself."""
    if _PLAIN.fullmatch(shape):
        yield Word(text, weight, Form.NATIVE)
        if text[0] in _PARTICLES:
            yield from _without_particles(text, weight)
        return
    if "a" not in shape and "A" not in shape:
        yield from _number(text, weight)
        return
    if _ACRONYMS.fullmatch(shape) and text[-1] == "s":
        text, shape = text[:-1], shape[:-1]
    yield from _inner(text, shape, weight)


def _inner(text: str, shape: str, weight: float) -> Iterator[Word]:
    """The parts of userId and of mp3, and the two whole."""
    parts = list(_INNER.finditer(shape))
    if len(parts) == 1:
        yield Word(text, weight, Form.NATIVE)
        return
    for part in parts if len(parts) <= _MOST_INNER and not _CODE.search(shape) else ():
        form = Form.READY if "0" in part[0] else Form.NATIVE
        yield Word(text[part.start() : part.end()], weight * PART, form)
    yield _whole(text, shape, weight)


def _without_particles(text: str, weight: float) -> Iterator[Word]:
    """A Hebrew or Arabic word without the first, and without the first two, of the particles
    written onto it.
    """
    folded = fold_normal(text)
    for cut in (1, 2):
        if len(folded) - cut < 3 or folded[cut - 1] not in _PARTICLES:
            return
        if root(folded).startswith((folded[:cut], folded[cut - 1])):  # else stemming took it off
            yield Word(folded[cut:], weight * PART, Form.STEM)


def _number(text: str, weight: float) -> Iterator[Word]:
    """A number, or numbers with signs between, such as a date: in pieces, and whole in one
    spelling.
    """
    written = fold_normal(text)
    digits = _ungrouped(written)
    if digits == written and _ONE_DOTTED_THOUSAND.fullmatch(digits):
        yield Word(digits.replace(".", ""), weight * PART, Form.READY)
    pieces = _PART_OF_NUMBER.findall(digits)
    for piece in pieces if len(pieces) > 1 else ():
        yield Word(piece, weight * PART, Form.READY)
    if len(pieces) == 1 or len(digits) <= TERM_LIMIT:
        yield Word(_NOT_IN_NUMBER.sub("-", digits), weight, Form.READY)


def _ungrouped(digits: str) -> str:
    """A number without what groups its thousands, and with a point before its fraction."""
    if _THOUSANDS.fullmatch(digits):
        return _THOUSANDS_SIGN.sub("", digits)
    if _DOTTED_THOUSANDS.fullmatch(digits):
        return digits.replace(".", "").replace(",", ".")
    return digits.replace(",", ".") if _DECIMAL_COMMA.fullmatch(digits) else digits
