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

Texts are cut at white space and each chunk is analysed once (``chunks``), then remembered.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain, pairwise
from operator import add
from typing import NamedTuple

from omoide.text.chunks import (
    PART,
    REMEMBERED,
    TERM_LIMIT,
    Form,
    Word,
    characters_of,
    words_of,
)
from omoide.text.forms import forms_id
from omoide.text.languages import (
    base_roots,
    base_stems,
    has_stems_of_its_own,
    is_stop_word,
    is_stop_word_in,
    likely_languages,
    plausible_languages,
    root,
    stem,
    stems_differ,
)
from omoide.text.letters import Memo, fold, fold_normal, script_of

TERM_SIGNS = "#&+-./:@_~"  # the only signs of ASCII besides letters and digits that terms hold
QUERY_LIMIT = 4_096  # characters of a question that are looked at
NATIVE = "~"  # marks the stem of a language that is not its script's default

# words: a longer question that does not tell its language is looked up in the likeliest alone
_GUESSED = 16
_REMEMBERED_NATIVE = 4_096
_TABLES = 16  # combinations of languages whose chunks are remembered
_IDEOGRAPHS = frozenset(("CJK", "IDEOGRAPHIC"))  # the second: 々, which repeats the one before it


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look up, and how much its score counts: above 0, at most 1.

    forgiving: where no document has the term, those with one a slip of the finger away count half
    as much.
    """

    term: str
    weight: float = 1.0
    forgiving: bool = False


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


def _telling(asked: str, language: str) -> list[Word]:
    """The words of a question without stop words; with them where there is nothing else."""
    chunks = asked.split()
    words = [(chunk, each) for chunk in chunks for word in words_of(chunk) for each in _pairs(word)]
    named = _lettered(chunks, language)
    telling = (
        word
        for chunk, word in words
        if word.text in named or not is_stop_word_in(chunk, fold(word.text), language)
    )
    return [*telling] or [word for _, word in words]


_MARKS = "?!.,;:()\"'«»“”¿¡"


def _lettered(chunks: Sequence[str], language: str) -> frozenset[str]:
    """The letters that name something, as in "pump A", though a small one is a stop word. An "I"
    names something behind a name alone, as in "Henry I".
    """
    bare = [chunk.strip(_MARKS) for chunk in chunks]
    return frozenset(
        letter
        for before, letter in pairwise(bare)
        if len(letter) == 1 and letter.isupper() and (letter != "I" or _is_name(before, language))
    )


def _is_name(word: str, language: str) -> bool:
    return word[:1].isupper() and not is_stop_word(fold(word), language)


def _looked_up(
    stems: _Stems, word: Word, languages: tuple[str, ...]
) -> Iterator[tuple[str, float]]:
    if word.form is Form.READY:
        yield word.text, word.weight
        return
    native = stems.native(word.text, languages) if word.form is Form.NATIVE else []
    sure = len(languages) == 1
    # a text in the question's own language holds both: together they count as one word
    part = PART if native and sure else 1.0
    first, *others = stems.roots[word.text]
    yield first, word.weight * part
    for one, *rest in native:
        yield NATIVE + one, word.weight * PART
        yield from ((NATIVE + other, word.weight * PART * PART) for other in rest)
    yield from ((other, word.weight * part * PART) for other in others)
    # a text too short to tell its language often has the basic form
    if native and (sure or not word.text.isascii()):
        yield native[0][0], word.weight * PART * PART


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


def _pairs(word: Word) -> Iterator[Word]:
    """A run as the pairs of characters that a question looks for, and its lone ideographs; other
    words as they are.
    """
    if word.form is not Form.RUN:
        yield word
        return
    characters = characters_of(word.text)
    if len(characters) == 1:
        yield Word(characters[0], word.weight, Form.READY)
        return
    for pair in map(add, characters, characters[1:]):
        yield Word(pair, word.weight, Form.READY)
    is_ideograph = [script_of(character[0]) in _IDEOGRAPHS for character in characters]
    beside = zip([False, *is_ideograph], is_ideograph, [*is_ideograph[1:], False], strict=False)
    for character, around in zip(characters, beside, strict=True):
        if around == (False, True, False):
            yield Word(character, word.weight * PART, Form.READY)


def _stored(stems: _Stems, languages: tuple[str, ...], chunk: str) -> tuple[str, ...]:
    """The terms of a chunk in a text that is in one of those languages."""
    terms: list[str] = []
    for text, _, form in words_of(chunk):
        if form is Form.READY:
            terms.append(text)
        elif form is Form.RUN:
            terms.extend(_characters_and_pairs(text))
        else:
            terms.extend(stems.roots[text])
            if languages and form is Form.NATIVE:
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
    characters = characters_of(run)
    terms = characters * 2
    terms[::2] = characters
    terms[1::2] = [*map(add, characters, characters[1:]), ""]
    return terms


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
    _Stems(Memo(_base_roots, REMEMBERED), base_stems),
    _Stems(Memo(_root, REMEMBERED), _stem),
)
_STORED_PLAIN = [Memo(partial(_stored, stems, ()), REMEMBERED) for stems in _STEMS]
_STORED: Memo[tuple[bool, tuple[str, ...]], Memo[str, tuple[str, ...]]] = Memo(_table, _TABLES)
