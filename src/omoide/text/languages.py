"""Which language a text is in, its stop words, and the stems of its words.

The facts stand in ``stopwords.txt``, one language a line. A language is recognised by its script,
its stop words and the letters that only some languages of its script use. That is right for a
sentence and a guess for three words, so nothing here is more than a hint to the search:
`omoide.text.words` says how it stays right when the guess is wrong.

Stems are Snowball's (snowballstem.org; Arabic's are light10's), always from the Python
implementation: where the optional C library is installed, its version, and so its stems, might be
another. A script's first language in the file is its default; `root` stems by it whatever the
language, so that it needs no guess. A search goes by the stems of base forms (`base_stems`): the
stem of *break* is found for *broke*. Whether two texts say the same goes by `stem` and `root`,
since *broke* and *breaks* differ in time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from itertools import chain
from threading import Lock
from typing import NamedTuple

from omoide.text.forms import forms_of
from omoide.text.letters import Memo, fold, script_of
from omoide.text.stemmers import load_stemmer

_SAMPLE = 2_000  # characters of a text that are looked at
_SAMPLE_CHUNKS = 64
_LETTERS_SAMPLE = 400
_WORD = re.compile(r"[^\W\d_]+(?:(?<=\b[cdjlmnst])')?")
_WORD_VOTE = 1.0
_LETTERS_VOTE = 0.5  # letters such as ß say less than a stop word such as und
_MOST_LIKELY = 4  # languages
_SURE_ENGLISH = 2  # words that no other list holds; below that all languages are weighed
# Stop words of other languages that are nouns, verbs or names in English: they tell nothing.
_TELLS_NOTHING = frozenset(
    "ad af ai al ale allen alt ar ate bar ben bin car care chi com come comment con cos dan dans"
    " day dell den dia die dig dine dir dog door dove ed ella end era fi fut go ham han hat hay hem"
    " hi ins jest kan kim len lo mai man mange meme men met mia mich min mint mit mod mon na nas"
    " ned non num ok op os par pe pendant per pero plus pour pro sans sea sedan sense sin sit size"
    " son soy sue sur take te ted ten till tom ton tot van vi vice war ya".split()
)
_ELIDED = frozenset("cdjlmnst")  # letters that are stop words only before an apostrophe
_STEMS_REMEMBERED = 8_192  # of each language
_CHUNKS_REMEMBERED = 32_768
_STEMMABLE = 40  # characters; longer words are no words of a language

_APOSTROPHE = re.compile("['＇’ʼ`´]")  # as it is typed
_stemming = Lock()  # a Snowball stemmer keeps the word it works on in itself


@dataclass(frozen=True, eq=False, slots=True)
class Language:
    """One language of the file. ``letters``: those beyond the plain ones of its script. ``stop``:
    folded words. ``joined``: those of them that say little only beside an apostrophe, with it.
    """

    code: str
    script: str
    algorithm: str  # "": no stemmer
    letters: frozenset[str]
    stop: frozenset[str]
    joined: Mapping[str, str]
    stems: Memo[str, str]  # lower-case word with its accents -> folded stem
    base_stems: Memo[str, tuple[str, ...]]  # -> folded stems of its base forms


def _stem(algorithm: str, word: str) -> str:
    if not algorithm or len(word) > _STEMMABLE:
        return fold(word)
    if algorithm == "light10":
        return _light10(fold(word))
    with _stemming:
        return fold(load_stemmer(algorithm)(word)) or fold(word)


def _base_stems(code: str, stems: Memo[str, str], word: str) -> tuple[str, ...]:
    """The stems of a word's base forms, after its own if it is as often another word; its own alone
    if it is no irregular form.
    """
    forms = forms_of(code)
    bases = forms.bases_of(word)
    is_word = not bases or word in forms.words or word in forms.base_forms
    return tuple(dict.fromkeys(map(stems.__getitem__, (word, *bases) if is_word else bases)))


def _light10(word: str) -> str:
    """A folded Arabic word without *and*, article and inflection.

    Source: Larkey, Ballesteros, Connell, "Light Stemming for Arabic Information Retrieval", 2007.
    Snowball's Arabic takes the first letter of سيارات (cars) for the sign of the future and leaves
    وال (and the) in place.
    """
    if len(word) > 3:
        word = word.removeprefix("و")
    for article in ("ال", "وال", "بال", "كال", "فال", "لل"):
        if word.startswith(article) and len(word) - len(article) > 1:
            word = word.removeprefix(article)
            break
    for ending in ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"):
        if word.endswith(ending) and len(word) - len(ending) > 1:
            word = word.removesuffix(ending)
    return word


@cache
def _languages() -> dict[str, Language]:
    text = files("omoide.text").joinpath("stopwords.txt").read_text(encoding="utf-8")
    return {one.code: one for one in map(_read, text.splitlines()) if one}


def _read(line: str) -> Language | None:
    if line.startswith("#"):
        return None
    head, _, words = line.partition(" :")
    code, script, algorithm, letters = (part.strip("-") for part in head.split(" "))
    listed = [fold(word) for word in words.split()]
    stop = frozenset(word.strip("'") for word in listed)
    joined = {word.strip("'"): word for word in listed if "'" in word}
    stems = Memo(partial(_stem, algorithm), _STEMS_REMEMBERED)
    based = Memo(partial(_base_stems, code, stems), _STEMS_REMEMBERED)
    return Language(code, script, algorithm, frozenset(letters), stop, joined, stems, based)


def languages_of_script(script: str) -> tuple[str, ...]:
    """The codes of the languages that are written in it, the default first."""
    return tuple(one.code for one in _of_script(script))


@cache
def _of_script(script: str) -> tuple[Language, ...]:
    return tuple(one for one in _languages().values() if one.script == script)


@cache
def _special_letters(script: str) -> frozenset[str]:
    return frozenset().union(*(one.letters for one in _of_script(script)))


@cache
def _english_alone() -> tuple[Language, ...]:
    return (_languages()["en"],)


def tells_language(word: str) -> bool:
    """Whether a word tells which language a text is in: a stop word of some language, and no name
    or noun of another.
    """
    return fold(word) in _users_of_words()


@cache
def _users_of_words() -> dict[str, tuple[Language, ...]]:
    """Which languages a word tells for."""
    users: dict[str, tuple[Language, ...]] = {}
    for one in _languages().values():
        for word in one.stop:
            if word not in _TELLS_NOTHING or one.code == "en":
                told = word + "'" if word in _ELIDED else word
                users[told] = (*users.get(told, ()), one)
    return users


def _told_by(chunk: str) -> tuple[Language, ...]:
    users = _users_of_words()
    return tuple(
        one
        for word in _WORD.findall(fold(chunk[:_SAMPLE]).replace("’", "'"))
        for one in users.get(word, ())
    )


_TOLD = Memo(_told_by, _CHUNKS_REMEMBERED)


@cache
def _stop_beyond_latin() -> frozenset[str]:
    return frozenset().union(*(one.stop for one in _languages().values() if one.script != "LATIN"))


def language_of(text: str) -> str:
    """The ISO 639-1 code of the language most of the text is in; "" where nothing tells.

    A script other than Latin tells at least its most common language: ``ru`` for Cyrillic, ``ar``
    for Arabic. Japanese is told from Chinese by its kana. Only the beginning of the text is looked
    at.
    """
    likely = likely_languages(text[:_SAMPLE].split())
    return likely[0] if likely else ""


def likely_languages(chunks: Sequence[str]) -> tuple[str, ...]:
    """What `language_of` says of a text cut at its white space, with up to three more that as much
    tells for.

    Danish and Norwegian, say, are often not to be told apart. Empty where nothing tells.
    """
    told = list(map(_TOLD.__getitem__, chunks[:_SAMPLE_CHUNKS]))
    english = told.count(_english_alone())
    if english >= _SURE_ENGLISH and english * 8 >= len(told):
        return ("en",)
    sample = " ".join(chunks[:_SAMPLE_CHUNKS])[:_SAMPLE]
    script = _script_of_most(sample)
    if evidence := _evidence(sample, script):
        most = evidence[0].weight
        likely = tuple(one.language.code for one in evidence if one.weight == most)
        return likely[:1] if likely[0] == "en" else likely[:_MOST_LIKELY]
    known = _of_script(script)
    return (known[0].code,) if known and script != "LATIN" else ()


def plausible_languages(text: str) -> tuple[str, ...]:
    """The codes of the languages that a short text may be in: one where its words tell, else all
    that fit its letters.
    """
    sample = text[:_SAMPLE]
    script = _script_of_most(sample)
    evidence = _evidence(sample, script)
    if evidence:
        best, *others = evidence
        enough = 0.0 if best.language.code == "en" else _WORD_VOTE
        if best.weight > max(enough, *(one.weight for one in others), 0.0):
            return (best.language.code,)
    letters, known = _special_in(sample, script), _of_script(script)
    fitting = tuple(one.code for one in known if letters <= one.letters)
    return fitting or tuple(one.code for one in known)


def _script_of_most(sample: str) -> str:
    if sample.isascii():
        return "LATIN"
    counts = Counter(map(script_of, sample[:_LETTERS_SAMPLE]))
    kana = counts["HIRAGANA"] + counts["KATAKANA"]
    counts["CJK"] += kana
    del counts[""], counts["HIRAGANA"], counts["KATAKANA"]
    script = counts.most_common(1)[0][0] if counts.total() else ""
    return "HIRAGANA" if script == "CJK" and kana * 10 > counts["CJK"] else script


def _special_in(sample: str, script: str) -> frozenset[str]:
    """The letters of a text that only some languages of its script use."""
    return _special_letters(script).intersection(sample.lower())


class _Evidence(NamedTuple):
    language: Language
    weight: float


def _evidence(sample: str, script: str) -> list[_Evidence]:
    """What tells for the languages of a script, the most first; of equals the first in the file."""
    votes = Counter(chain.from_iterable(map(_TOLD.__getitem__, set(sample.split()))))
    special = frozenset() if sample.isascii() else _special_in(sample, script)
    if not votes and not special:
        return []
    share = _LETTERS_VOTE / max(1, len(special))
    found = [
        _Evidence(one, _WORD_VOTE * votes[one] + share * len(one.letters & special))
        for one in _of_script(script)
    ]
    return sorted((one for one in found if one.weight), key=lambda one: -one.weight)


def stop_words(language: str) -> frozenset[str]:
    """The folded stop words of a language; none for one that is not known."""
    one = _languages().get(language)
    return one.stop if one else frozenset()


def is_stop_word(word: str, language: str) -> bool:
    """A folded word that says little, in that language or, beyond the Latin script, in any language
    of its own.
    """
    return word in stop_words(language) or word in _stop_beyond_latin()


def is_stop_word_in(chunk: str, word: str, language: str) -> bool:
    """Whether a folded word of a chunk of text says little there: "won" of "won't" does, and "won"
    does not. A single letter beside an apostrophe says little in any language: "d'Annunzio".
    """
    has_apostrophe = _APOSTROPHE.search(chunk) is not None
    around = fold(_APOSTROPHE.sub("'", chunk)).strip("'") if has_apostrophe else ""
    if len(word) == 1 and (f"{word}'" in around or f"'{word}" in around):
        return True
    if not is_stop_word(word, language):
        return False
    known = _languages().get(language)
    return (known.joined.get(word, "") if known else "") in around


def stem(word: str, language: str) -> str:
    """The folded stem of a lower-case word; the folded word where the language has no stemmer or is
    not known.
    """
    one = _languages().get(language)
    return one.stems[word] if one else fold(word)


def root(word: str) -> str:
    """The stem of a folded word by the default language of its script, such as English for
    Latin.
    """
    known = _of_script(script_of(word[0])) if word else ()
    return known[0].stems[word] if known else word


def base_stems(word: str, language: str) -> tuple[str, ...]:
    """What a search finds a lower-case word by: the folded stems of its base forms, the likeliest
    first.
    """
    one = _languages().get(language)
    return one.base_stems[word] if one else (fold(word),)


def base_roots(word: str) -> tuple[str, ...]:
    """`base_stems` of a folded word by the default language of its script."""
    known = _of_script(script_of(word[0])) if word else ()
    return known[0].base_stems[word] if known else (word,)


def has_stems_of_its_own(language: str, word: str) -> bool:
    """Whether the language stems words of this script by other rules than `root` does."""
    return stems_differ(language) and _languages()[language].script == script_of(word[0])


def stems_differ(language: str) -> bool:
    """Whether the language has stems and is not the default of its script."""
    one = _languages().get(language)
    return bool(one and one.algorithm and one is not _of_script(one.script)[0])
