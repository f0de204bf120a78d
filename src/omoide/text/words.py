"""The words of a text, as both engines index them, and the words of a question, as they are looked
up.

Theory of operation
-------------------
`index_terms` turns a text into terms, which a store keeps joined by spaces in a plain column;
`query_terms` turns a question into the terms to look up. A document is found where the two share a
term, so everything here serves one promise: **a word asked for alone meets every text that holds
it.** The promise must not hang on knowing the language, since a question of two words seldom tells
it. Hence each word has

- a *root*, which depends on the word alone: folded (case, accents and width go) and stemmed by the
  default
  language of its script, English for Latin, Russian for Cyrillic. Texts and questions always hold
  the root.
- a *native stem*, marked ``~``, in a text recognised as another language of that script, such as
  German. A
  question looks for it when it is in that language, or at half weight for every language that it
  might be in. The mark keeps them apart from roots: Italian would make *care* a *car*.

A wrong guess therefore only adds terms that nobody asks for. Stop words are indexed, and dropped
from questions that have other words.

Both are the stems of the word's base form where it is an irregular form (`omoide.text.forms`):
*broke* is indexed as *break*. A form that is as often another word (*left*) is indexed as both; a
question with it looks for the base form (*leave*) with half the weight. *exact* leaves irregular
forms as they are. Whoever compares what two texts say uses it: *broke* and *breaks* are found for
each other, but do not say the same.

Scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are indexed as
characters and pairs of characters, a character being a letter with its marks; a
question looks for the pairs, or for the character if it is alone. An ideograph
between kana is a word or the stem of one (帯を結べない), so it is looked for by itself
too, at half weight. Korean has the whole word besides. Each emoji is a term, skin
tones aside.

What is written together is indexed together and in parts: ``multi-agent``, ``user_id`` and
``userId`` give their parts and the parts joined (``multiagent``), so that all spellings meet;
``C++``, ``#260``, ``GB/s``, ``.NET`` and e-mail addresses keep their signs in one term, beside
their parts. In a question a part counts half of its whole. Numbers lose what groups their
thousands: ``1,000`` is ``1000``.

Texts are cut at white space and each chunk is analysed once, then remembered; analysis is by
regular expressions over the *shape* of the chunk, one letter for each character's class, each
linear in its length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from importlib.metadata import version
from itertools import chain
from operator import add
from typing import NamedTuple

from omoide.text.forms import forms_id
from omoide.text.languages import (
    base_roots,
    base_stems,
    has_stems_of_its_own,
    is_stop_word,
    likely_languages,
    plausible_languages,
    root,
    stem,
    stems_differ,
)
from omoide.text.letters import CHARACTERS, Memo, fold, fold_normal, normal, script_of

__all__ = [
    "NATIVE",
    "QUERY_LIMIT",
    "TERM_LIMIT",
    "TERM_SIGNS",
    "QueryTerm",
    "fold",
    "index_terms",
    "pair_in",
    "query_terms",
    "terms_of_parts",
    "tokenizer_id",
]

TERM_LIMIT = 64  # characters of one term; longer words are cut, in texts and questions alike
TERM_SIGNS = "#&+-./:@_~"  # the only signs of ASCII besides letters and digits that terms hold
QUERY_LIMIT = 4_096  # characters of a question that are looked at
NATIVE = "~"  # marks the stem of a language that is not its script's default

_PART = 0.5  # what part of a whole counts in a question; so does a stem that is a guess
# words: a longer question that does not tell its language is looked up in the likeliest alone
_GUESSED = 16
_REMEMBERED, _REMEMBERED_NATIVE, _REMEMBERED_ROOTS = 32_768, 4_096, 32_768
_TABLES = 16  # combinations of languages whose chunks are remembered
_SHORT = 12  # characters of what a slash joins into one term: GB/s, 24/7
_LONGEST = (
    256  # characters of what is looked into as written together; no address or path is longer
)
_AROUND = "\"'!?,;:()[]*_"  # signs around a word that change nothing about it
_MOST_JOINED = 5  # pieces; a UUID has five
_MOST_INNER = 5  # parts inside one piece; more is no camel but a code

SPACELESS = frozenset(
    "CJK IDEOGRAPHIC HIRAGANA KATAKANA KATAKANA-HIRAGANA BOPOMOFO YI THAI LAO KHMER MYANMAR TAI NEW"
    " JAVANESE BALINESE".split()
)
_IDEOGRAPHS = frozenset(("CJK", "IDEOGRAPHIC"))  # the second: 々, which repeats the one before it
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
_ADDRESS = re.compile(r"[aA0m._+-]+@[aA0m.-]+")
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


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look up, and how much its score counts: above 0, at most 1.

    forgiving: where no document has the term, those with one a slip of the finger away count half
    as much.
    """

    term: str
    weight: float = 1.0
    forgiving: bool = False


class _Form(Enum):
    READY = auto()  # folded, a term as it is
    STEM = auto()  # to be stemmed as its script is by default
    NATIVE = auto()  # also as the text's own language does
    RUN = auto()  # folded, to be cut into characters and pairs


class _Word(NamedTuple):
    text: str
    weight: float  # in a question
    form: _Form


def tokenizer_id() -> str:
    """Names these rules with all that they rest on: text indexed under another name must be indexed
    again.
    """
    snowball, unicode = version("snowballstemmer"), unicodedata.unidata_version
    return f"words-4 forms-{forms_id()} snowball-{snowball} unicode-{unicode}"


def index_terms(text: str, *, exact: bool = False) -> list[str]:
    """The terms of a stored text, in order, with repeats. Never raises. exact: irregular forms stay
    apart from their base forms.

    A term has 1 to 64 characters: no space, control character or surrogate, and of ASCII's signs
    only `TERM_SIGNS`.
    """
    chunks = text.split()
    stored = _STORED[exact, likely_languages(chunks)]
    return list(chain.from_iterable(map(stored.__getitem__, chunks)))


def terms_of_parts(parts: Sequence[str]) -> list[frozenset[str]]:
    """The terms of each part of a text, in the languages that all of it tells."""
    chunks = [part.split() for part in parts]
    stored = _STORED[False, likely_languages([*chain.from_iterable(chunks)])]
    return [frozenset(chain.from_iterable(map(stored.__getitem__, some))) for some in chunks]


def query_terms(text: str, *, exact: bool = False) -> list[QueryTerm]:
    """The terms that a question looks for, each once, at its highest weight, in order. Never
    raises. exact: as of `index_terms`.

    A word alone gives at least one term of every text that holds it. Stop words count only where
    there is nothing else. Only the first 4,096 characters are looked at.
    """
    asked = text[:QUERY_LIMIT]
    languages = plausible_languages(asked)
    telling = _telling(asked, languages[0] if languages else "")
    considered = languages if len(telling) <= _GUESSED else languages[:1]
    found: dict[str, float] = {}
    for word in telling:
        for whole, weight in _looked_up(_STEMS[exact], word, considered):
            term = whole[:TERM_LIMIT]
            found[term] = max(weight, found.get(term, 0.0))
    return [QueryTerm(term, weight) for term, weight in found.items() if term]


def _telling(asked: str, language: str) -> list[_Word]:
    """The words of a question without stop words; with them where there is nothing else."""
    words = [each for chunk in asked.split() for word in _words(chunk) for each in _pairs(word)]
    return [word for word in words if not is_stop_word(fold(word.text), language)] or words


def pair_in(term: str) -> tuple[str, str] | None:
    """The two characters of a term that is a pair of a script without spaces; None of any other
    term.
    """
    pair = None if term.isascii() else _PAIR.fullmatch(term.translate(_SHAPES))
    return (term[: pair.end(1)], term[pair.end(1) :]) if pair else None


def _looked_up(
    stems: _Stems, word: _Word, languages: tuple[str, ...]
) -> Iterator[tuple[str, float]]:
    if word.form is _Form.READY:
        yield word.text, word.weight
        return
    native = stems.native(word.text, languages) if word.form is _Form.NATIVE else []
    sure = len(languages) == 1
    # a text in the question's own language holds both: together they count as one word
    part = _PART if native and sure else 1.0
    first, *others = stems.roots[word.text]
    yield first, word.weight * part
    for one, *rest in native:
        yield NATIVE + one, word.weight * _PART
        yield from ((NATIVE + other, word.weight * _PART * _PART) for other in rest)
    yield from ((other, word.weight * part * _PART) for other in others)
    # a text too short to tell its language often has the basic form
    if native and (sure or not word.text.isascii()):
        yield native[0][0], word.weight * _PART * _PART


class _Stems(NamedTuple):
    """Stems of words. A text has each stem of a word; a question looks for the first, and with half
    the weight for the others.
    """

    roots: Memo[str, tuple[str, ...]]
    of_language: Callable[[str, str], tuple[str, ...]]

    def native(self, text: str, languages: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The stems of a word by languages that are not the default of its script."""
        low = text.lower()
        return [
            self.of_language(low, code) for code in languages if has_stems_of_its_own(code, text)
        ]


def _pairs(word: _Word) -> Iterator[_Word]:
    """A run as the pairs of characters that a question looks for, and its lone ideographs; other
    words as they are.
    """
    if word.form is not _Form.RUN:
        yield word
        return
    characters = _characters(word.text)
    if len(characters) == 1:
        yield _Word(characters[0], word.weight, _Form.READY)
        return
    for pair in map(add, characters, characters[1:]):
        yield _Word(pair, word.weight, _Form.READY)
    is_ideograph = [script_of(character[0]) in _IDEOGRAPHS for character in characters]
    beside = zip([False, *is_ideograph], is_ideograph, [*is_ideograph[1:], False], strict=False)
    for character, around in zip(characters, beside, strict=True):
        if around == (False, True, False):
            yield _Word(character, word.weight * _PART, _Form.READY)


def _stored(stems: _Stems, languages: tuple[str, ...], chunk: str) -> tuple[str, ...]:
    """The terms of a chunk in a text that is in one of those languages."""
    terms: list[str] = []
    for text, _, form in _words(chunk):
        if form is _Form.READY:
            terms.append(text)
        elif form is _Form.RUN:
            terms.extend(_characters_and_pairs(text))
        else:
            terms.extend(stems.roots[text])
            if languages and form is _Form.NATIVE:
                terms.extend(_native_terms(stems, text, languages))
    return tuple(term[:TERM_LIMIT] for term in terms if term)


def _native_terms(stems: _Stems, text: str, languages: tuple[str, ...]) -> Iterable[str]:
    """The marked native stems of a word, each once; none of a stop word."""
    folded = fold(text)
    if any(is_stop_word(folded, code) for code in languages):
        return ()
    native = chain.from_iterable(stems.native(text, languages))
    return dict.fromkeys(NATIVE + one for one in native)


def _characters_and_pairs(run: str) -> list[str]:
    """Each character, followed by its pair with the next."""
    characters = _characters(run)
    terms = characters * 2
    terms[::2] = characters
    terms[1::2] = [*map(add, characters, characters[1:]), ""]
    return terms


def _characters(run: str) -> list[str]:
    """The characters of a run, each with its marks."""
    shape = run.translate(_SHAPES)
    return (
        [run[one.start() : one.end()] for one in _CHARACTER.finditer(shape)]
        if "m" in shape
        else list(run)
    )


def _table(read: tuple[bool, tuple[str, ...]]) -> Memo[str, tuple[str, ...]]:
    exact, languages = read
    differing = tuple(filter(stems_differ, languages))
    return (
        Memo(partial(_stored, _STEMS[exact], differing), _REMEMBERED_NATIVE)
        if differing
        else _STORED_PLAIN[exact]
    )


def _root(text: str) -> tuple[str, ...]:
    """`omoide.text.languages.root` of a word in normal form."""
    return (root(fold_normal(text)),)


def _base_roots(text: str) -> tuple[str, ...]:
    """`omoide.text.languages.base_roots` of a word in normal form."""
    return base_roots(fold_normal(text))


def _stem(word: str, language: str) -> tuple[str, ...]:
    return (stem(word, language),)


# for a search, and exact
_STEMS = (
    _Stems(Memo(_base_roots, _REMEMBERED_ROOTS), base_stems),
    _Stems(Memo(_root, _REMEMBERED_ROOTS), _stem),
)
_STORED_PLAIN = [Memo(partial(_stored, stems, ()), _REMEMBERED) for stems in _STEMS]
_STORED: Memo[tuple[bool, tuple[str, ...]], Memo[str, tuple[str, ...]]] = Memo(_table, _TABLES)


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


def _words(chunk: str) -> Iterator[_Word]:
    """The words of a text without white space."""
    core = chunk.lstrip(_AROUND).rstrip(_AROUND + ".")
    # most words: no need to look closer
    if core.isascii() and core.isalpha() and core[1:].islower():
        yield _Word(core, 1.0, _Form.NATIVE)
        return
    text = normal(chunk)
    shape = text.translate(_SHAPES)
    for run in _RUN.finditer(shape):
        start, end = run.span()
        if run.lastgroup == "compound":
            signed = list(_signed(text, shape, start, end))
            yield from signed
            yield from _compound(text[start:end], run[0], _PART if signed else 1.0)
        elif run.lastgroup == "symbol":
            yield _Word(text[start:end], 1.0, _Form.READY)
        else:
            yield from _unspaced(fold_normal(text[start:end]), run)


def _unspaced(folded: str, run: re.Match[str]) -> Iterator[_Word]:
    """A run of a script without spaces; of Hangul also the whole word, unless it is one pair."""
    long = run.lastgroup == "hangul" and run.end() - run.start() > 2
    if long:
        yield _Word(folded, 1.0, _Form.READY)
    yield _Word(folded, _PART if long else 1.0, _Form.RUN)


def _signed(text: str, shape: str, start: int, end: int) -> Iterator[_Word]:
    """A word with the sign that makes it another: .NET, #260, C++, C#."""
    is_dotted = shape[start] != "0" and _DOT.search(shape, max(0, start - 2), start)
    if is_dotted or (start and shape[start - 1] == "#"):
        first = _LETTERS.match(shape, start)
        yield _Word(fold_normal(text[start - 1 : first.end() if first else end]), 1.0, _Form.READY)
    if sign := _SUFFIX.match(shape, end):
        last = start + len(shape[start:end].rstrip("aA0m"))
        yield _Word(fold_normal(text[last : sign.end()]), 1.0, _Form.READY)


def _compound(text: str, shape: str, weight: float) -> Iterator[_Word]:
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
        yield _Word(fold_normal(whole), weight, _Form.READY)
        weight *= _PART
    for segment in segments:
        yield from _segment(text[segment.start() : segment.end()], segment[0], weight)


def _runs(text: str, shape: str, weight: float) -> Iterator[_Word]:
    """The runs of letters and digits of what is too long to be looked into."""
    for run in _LETTERS.finditer(shape):
        form = _Form.READY if "0" in run[0] else _Form.STEM
        yield _Word(fold_normal(text[run.start() : run.end()]), weight, form)


def _address_or_unit(text: str, shape: str, segments: list[re.Match[str]]) -> str:
    """What is one term beside its parts: a mail address, or two short words with a slash."""
    address = _ADDRESS.search(shape) if shape.count("@") == 1 else None
    if address:
        return text[address.start() : address.end()]
    is_short = len(segments) == 2 and len(text) <= _SHORT
    return text if is_short and shape[segments[0].end()] in "/&" else ""


def _segment(text: str, shape: str, weight: float) -> Iterator[_Word]:
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
        yield from _piece(*piece, weight * _PART if is_joined else weight)
    if is_joined:
        yield _whole("".join(piece for piece, _ in pieces), shape, weight)


def _without_clitics(text: str) -> str:
    """A word without what English writes onto it: Ana's, we'll; don't is dont."""
    text = _CLITIC.sub("", text)
    return text[:-2] + text[-1] if _NEGATION.search(text) else text


def _whole(text: str, shape: str, weight: float) -> _Word:
    """Parts written together: stemmed as any word, since elsewhere they may stand as one."""
    if "0" in shape:
        return _Word(fold_normal(text), weight, _Form.READY)
    return _Word(text, weight, _Form.STEM)


def _piece(text: str, shape: str, weight: float) -> Iterator[_Word]:
    """The parts that capitals and digits show, and the piece itself."""
    if _PLAIN.fullmatch(shape):
        yield _Word(text, weight, _Form.NATIVE)
        if text[0] in _PARTICLES:
            yield from _without_particles(text, weight)
        return
    if "a" not in shape and "A" not in shape:
        yield from _number(text, weight)
        return
    if _ACRONYMS.fullmatch(shape) and text[-1] == "s":
        text, shape = text[:-1], shape[:-1]
    yield from _inner(text, shape, weight)


def _inner(text: str, shape: str, weight: float) -> Iterator[_Word]:
    """The parts of userId and of mp3, and the two whole."""
    parts = list(_INNER.finditer(shape))
    if len(parts) == 1:
        yield _Word(text, weight, _Form.NATIVE)
        return
    for part in parts if len(parts) <= _MOST_INNER and not _CODE.search(shape) else ():
        form = _Form.READY if "0" in part[0] else _Form.NATIVE
        yield _Word(text[part.start() : part.end()], weight * _PART, form)
    yield _whole(text, shape, weight)


def _without_particles(text: str, weight: float) -> Iterator[_Word]:
    """A Hebrew or Arabic word without the first, and without the first two, of the particles
    written onto it.
    """
    folded = fold_normal(text)
    for cut in (1, 2):
        if len(folded) - cut < 3 or folded[cut - 1] not in _PARTICLES:
            return
        if root(folded).startswith((folded[:cut], folded[cut - 1])):  # else stemming took it off
            yield _Word(folded[cut:], weight * _PART, _Form.STEM)


def _number(text: str, weight: float) -> Iterator[_Word]:
    """A number, or numbers with signs between, such as a date: in pieces, and whole in one
    spelling.
    """
    written = fold_normal(text)
    digits = _ungrouped(written)
    if digits == written and _ONE_DOTTED_THOUSAND.fullmatch(digits):
        yield _Word(digits.replace(".", ""), weight * _PART, _Form.READY)
    pieces = _PART_OF_NUMBER.findall(digits)
    for piece in pieces if len(pieces) > 1 else ():
        yield _Word(piece, weight * _PART, _Form.READY)
    if len(pieces) == 1 or len(digits) <= TERM_LIMIT:
        yield _Word(_NOT_IN_NUMBER.sub("-", digits), weight, _Form.READY)


def _ungrouped(digits: str) -> str:
    """A number without what groups its thousands, and with a point before its fraction."""
    if _THOUSANDS.fullmatch(digits):
        return _THOUSANDS_SIGN.sub("", digits)
    if _DOTTED_THOUSANDS.fullmatch(digits):
        return digits.replace(".", "").replace(",", ".")
    return digits.replace(",", ".") if _DECIMAL_COMMA.fullmatch(digits) else digits
