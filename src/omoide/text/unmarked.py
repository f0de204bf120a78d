"""Names in scripts without capitals: Arabic, Hebrew, Devanagari, Hangul, and Chinese, Japanese and
Thai, which have no spaces either.

There a word of a statement that its source does not have may be a name
- where it is a well-known one,
- where names stand: after words such as "named" and "lives in", before a title, with an ending for
  people or places,
- where the source has, beside the same word, another one that the statement lost: Cairo for Dubai
  in the same sentence,
- where the subject stands, if the statement names nobody who is known,
- where it is bare, in Arabic, Hindi and Korean.

It is none where it is an ordinary word or holds a letter that no name is written with;
``proper.toml`` lists both.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

from omoide.text.languages import is_stop_word, language_of
from omoide.text.letters import fold, script_of

_SPACED = {"ARABIC": "ar", "HEBREW": "he", "DEVANAGARI": "hi", "HANGUL": "ko"}
_SUBJECT = {"ar": 2}  # of how many first words one is the subject; else the first
_LEAST = {"ar": 3, "ko": 1}  # letters of a word without what is written onto it; else two
_COPULAS = ("이다", "이었다", "이며", "이고", "입니다", "이에요")
_WORD = re.compile(r"[^\s\d.,;:!?()\[\]{}\"“”«»،؛؟।…—–-]+")
_CLOSE, _FREE = (
    0.6,
    ("ar",),
)  # share of the words of a text that its source has; where texts in freer words have many new ones
_LONGER = 3  # letters by which a form of a word may be longer


class Source(Protocol):
    """What names may rest on. flat: all of it without spaces."""

    source: str
    names: tuple[str, ...]
    flat: str


@dataclass(frozen=True, slots=True)
class _Tongue:
    """A language: words before and after names, words that are none, well-known names, what is
    written onto words.

    verbs: their endings; compound: surnames of two syllables.
    """

    code: str
    before: frozenset[str]
    after: frozenset[str]
    marks: tuple[str, ...]
    ordinary: frozenset[str]
    names: tuple[str, ...]
    endings: tuple[str, ...]
    leading: tuple[str, ...]
    verbs: tuple[str, ...]
    compound: tuple[str, ...]


@cache
def tables() -> dict[str, dict[str, str]]:
    """The word file, by language."""
    found: dict[str, dict[str, str]] = tomllib.loads(
        files("omoide.text").joinpath("proper.toml").read_text(encoding="utf-8")
    )
    return found


@cache
def _tongue(code: str) -> _Tongue:
    def listed(key: str) -> list[str]:
        return sorted(fold(tables()[code].get(key, "")).split(), key=len, reverse=True)

    ordinary = frozenset(listed("ordinary"))
    if code == "ar":  # in every form that particles leave of them
        leads, ends = (tuple(listed(key)) for key in ("leading", "endings"))
        ordinary |= {
            form for word in ordinary for form in _without(word, leads, ends, _LEAST[code])
        }
        ordinary |= {f"و{word}" for word in ordinary}
    marks = tuple(mark.removeprefix("-") for mark in listed("after") if mark.startswith("-"))
    return _Tongue(
        code,
        frozenset(listed("before")),
        frozenset(listed("after")),
        marks,
        ordinary,
        tuple(listed("names")),
        tuple(listed("endings")),
        tuple(listed("leading")),
        tuple(listed("verbs")),
        tuple(listed("compound")),
    )


def unmarked_names(text: str, known: Source) -> Iterator[str]:
    """Words of a text in such a script that may be names and are not known. Linear in the length of
    both.
    """
    yield from _between_spaces(text, known)
    if _SPACELESS.search(text):
        yield from _without_spaces(text, known)


def _between_spaces(text: str, known: Source) -> Iterator[str]:
    words = [fold(found[0]) for found in _WORD.finditer(text)]
    codes = [_SPACED.get(script_of(word[0]), "") if word else "" for word in words]
    if not any(codes) or ("ar" in codes and is_persian_or_urdu(text)):
        return
    tongue = _tongue(max(filter(None, codes), key=codes.count))
    source, named = (
        _Forms(known.source, tongue),
        _Forms(" ".join(known.names), tongue, has_roots=False),
    )
    met = [source.places(word) for word in words]
    kept = frozenset(place for places in met for place in places)
    is_told = any(named.places(word) for word in words)
    is_free = tongue.code in _FREE and sum(map(bool, met)) < _CLOSE * len(met)
    for i, word in enumerate(words):
        if not codes[i] or len(word) < 2 or met[i] or named.places(word):
            continue
        is_subject = i < _SUBJECT.get(tongue.code, 1) and not is_told
        stands = (
            is_subject
            or _stands_as_name(words, i, tongue)
            or _replaces(i, met, kept, source.count, is_free)
        )
        stands = stands or _is_bare(word, tongue)
        if _is_well_known(word, tongue) or (stands and not _is_ordinary(word, tongue)):
            yield word


def is_persian_or_urdu(text: str) -> bool:
    """Whether it is in one of these languages, whose Arabic letters are read as those of languages
    without lists of names.
    """
    return language_of(text) in ("fa", "ur")


class _Forms:
    """Where the words of a text stand in it, in whatever form they are asked for."""

    def __init__(self, text: str, tongue: _Tongue, *, has_roots: bool = True) -> None:
        self._tongue, self._has_roots = tongue, has_roots
        self._forms: dict[str, set[int]] = {}
        self._beginnings: dict[str, set[int]] = {}
        words = [fold(found[0]) for found in _WORD.finditer(text)]
        self.count = len(words)
        for place, word in enumerate(words):
            for form in (*_bare(word, tongue), *self._roots(word)):
                self._forms.setdefault(form, set()).add(place)
            for n in range(max(len(word) - _LONGER, 2), len(word)):
                self._beginnings.setdefault(word[:n], set()).add(place)

    def places(self, word: str) -> frozenset[int]:
        """The same word without what is written onto it, or a longer one that begins with it."""
        least = 2 if self._tongue.code == "ko" else 3
        found: set[int] = set()
        for form in _bare(word, self._tongue):
            found |= self._forms.get(form, set()) | (
                self._beginnings.get(form, set()) if len(form) >= least else set()
            )
        for root in self._roots(word):
            found |= self._forms.get(root, set())
        return frozenset(found)

    def _roots(self, word: str) -> Iterator[str]:
        """What all forms of an Arabic verb have in common: اشتغل and بتشتغل, بعت and باع. Marked,
        to be no words.
        """
        if (
            self._tongue.code == "ar"
            and self._has_roots
            and len(word) >= _LEAST["ar"]
            and not is_stop_word(word, "")
        ):
            yield from (
                f"√{root}"
                for form in _bare(word, self._tongue)
                if len(root := form.translate(_WEAK)) > 1
            )


def _bare(word: str, tongue: _Tongue) -> list[str]:
    """The word, and what is left of it without the particles that are written onto it."""
    return _without(word, tongue.leading, tongue.endings, _LEAST.get(tongue.code, 2))


def _without(word: str, leading: Sequence[str], endings: Sequence[str], least: int) -> list[str]:
    forms = [word] + [
        word.removeprefix(lead)
        for lead in leading
        if word.startswith(lead) and len(word) - len(lead) >= least
    ]
    ended = [
        form.removesuffix(end)
        for form in forms
        for end in endings
        if form.endswith(end) and len(form) - len(end) >= least
    ]
    return list(dict.fromkeys((*forms, *ended)))


# letters that a conjugation changes, and those that a dialect says as others
_WEAK = str.maketrans("ثذظ", "تدض", "اويءئؤ")


_INFLECTED = re.compile(
    r"[وف]?(?:(?:[سهحب]|ها)?[يتن]\w{3}|[بكلف]?ال|ل[لـ]|ان|است)|\w+(?:ها|هم|نا|ته|وا|ات|ين|ون|ه|ت)$|م\w\wو\w$"
)


def _is_bare(word: str, tongue: _Tongue) -> bool:
    """Whether a word is as a name may be: nothing is written onto it as it is onto Arabic verbs and
    nouns, such as "the" and "her".
    """
    return tongue.code in ("hi", "ko") or (
        tongue.code == "ar" and len(word) > 3 and not _INFLECTED.match(word)
    )


def _is_well_known(word: str, tongue: _Tongue) -> bool:
    is_whole = (
        word not in tongue.ordinary
        and any(form in tongue.names for form in _bare(word, tongue))
        and not is_stop_word(word, "")
    )
    return is_whole or (len(word) > 2 and word.startswith(tongue.compound))


def _is_ordinary(word: str, tongue: _Tongue) -> bool:
    """A common word, a verb by its ending, or one with a letter that is in no name."""
    forms = _bare(word, tongue)
    is_verb = word.endswith(tongue.verbs) and not word.endswith(_COPULAS)
    letters = _letters_of_names(tongue.code)
    if letters and not any(letters.issuperset(form) for form in forms):
        return True
    return is_verb or any(form in tongue.ordinary or is_stop_word(form, "") for form in forms)


def _stands_as_name(words: Sequence[str], i: int, tongue: _Tongue) -> bool:
    if (i and words[i - 1] in tongue.before) or (
        i + 1 < len(words) and words[i + 1] in tongue.after
    ):
        return True
    return any(words[i].endswith(mark) and len(words[i]) - len(mark) >= 2 for mark in tongue.marks)


def _replaces(
    i: int, met: Sequence[Collection[int]], kept: Collection[int], count: int, is_free: bool
) -> bool:
    """Whether it stands between the same words of the source as one that the text lost; unless it
    is in free words, beside one.
    """
    after = [place + 1 for place in (met[i - 1] if i else ())]
    before = [place - 1 for place in (met[i + 1] if i + 1 < len(met) else ())]
    found = (
        [place for place in after if place in before]
        if is_free and 0 < i < len(met) - 1
        else [*after, *before]
    )
    return any(0 <= place < count and place not in kept for place in found)


_SPACELESS = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e01-\u0e4e]")
_THAI, _KANA = re.compile(r"[\u0e01-\u0e4e]"), re.compile(r"[\u3041-\u30ff]")
_LETTER = {
    "zh": "[\u4e00-\u9fff]",
    "ja": "[\u3005\u4e00-\u9fff\u30a1-\u30fa\u30fc]",
    "th": "[\u0e01-\u0e4e]",
}
_NOUN = {
    "zh": re.compile(r"[\u4e00-\u9fff]{2,}"),
    "ja": re.compile(r"[\u3005\u4e00-\u9fff]{2,}|[\u30a1-\u30fa\u30fc]{2,}"),
    "th": re.compile(r"[\u0e01-\u0e4e]{3,}"),
}
_BREAK = re.compile(r"[\s、。，．！？；：「」『』《》（）“”,.!?;:()|]+")
_AFTER_PEOPLE = "的是在和跟与说有去来喜住给叫也都要想将会让报随正已不没每从把被对因打准|"
_MARK = "|"  # where a sentence or clause begins or ends
_NAME = 4  # characters of a Chinese name at most, but for those that sound foreign
_LONGEST = 8  # characters of what a name may stand for


def _without_spaces(text: str, known: Source) -> Iterator[str]:
    code = "th" if _THAI.search(text) else "ja" if _KANA.search(text) else "zh"
    tongue = _tongue(code)
    flat, source = _flat(text.casefold()), _flat(known.source)
    yield from (name for name in tongue.names if name in flat and name not in known.flat)
    plain = _without_ordinary(flat, known, tongue)
    is_told = any(_flat(name).strip(_MARK) in flat for name in known.names if name)
    for start, word in _new_nouns(plain, known, code):
        is_foreign = code == "ja" and "\u30a1" <= word[0] <= "\u30fc"
        is_short = code != "zh" or len(word) <= _NAME
        if (
            is_foreign
            or (start == 1 and not is_told)
            or (is_short and _takes_place(flat, start, start + len(word), source, code))
        ):
            yield word
    for found in _slots(code).finditer(plain):
        name = next(group for group in found.groups() if group)
        if (
            len(name) > 1
            and not any(pair in known.flat for pair in _pairs(name))
            and sum(char not in known.flat for char in name) > 1
        ):
            yield name


def _flat(text: str) -> str:
    """The text with a mark for whatever stands between its parts, and at both ends."""
    return _MARK + _BREAK.sub(_MARK, text).strip(_MARK) + _MARK


def _pairs(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(max(1, len(text) - 1))]


def _without_ordinary(text: str, known: Source, tongue: _Tongue) -> str:
    """The text with marks over common words that the source does not have."""
    for word in sorted(tongue.ordinary, key=len, reverse=True):
        if len(word) > 1 and word in text and (tongue.code == "th" or word not in known.flat):
            text = text.replace(word, _MARK * len(word))
    return text


def _new_nouns(text: str, known: Source, code: str) -> Iterator[tuple[int, str]]:
    """Runs of characters of which no pair is in the source, as nouns are written, with their
    places.
    """
    pairs = [text[at : at + 2] for at in range(len(text) - 1)]
    covered = {
        at + n
        for at, pair in enumerate(pairs)
        if pair in known.flat or is_stop_word(pair, "")
        for n in (0, 1)
    }
    letters = _letters_of_names(code)
    bare = "".join(
        _MARK if at in covered or (letters and char not in letters) else char
        for at, char in enumerate(text)
    )
    yield from ((found.start(), found[0]) for found in _NOUN[code].finditer(bare))


@cache
def _letters_of_names(code: str) -> frozenset[str]:
    """The characters that names of people, places and firms are written with; none where any may
    be.
    """
    table = tables()[code]
    return frozenset(
        "".join(table.get(key, "") for key in ("surnames", "letters", "given"))
        if "given" in table
        else ""
    )


def _takes_place(text: str, start: int, end: int, source: str, code: str) -> bool:
    """Whether it stands between the same characters as a noun of the source that the text lost, or
    beside the same two.
    """
    before, after, noun = re.escape(text[start - 1]), re.escape(text[end]), _LETTER[code]
    two, next_two = re.escape(text[max(0, start - 2) : start]), re.escape(text[end : end + 2])
    beside = (
        rf"(?<={before})({noun}{{1,{_LONGEST}}}?)(?={after})",
        rf"(?<={two})({noun}{{2,{_LONGEST}}})",
        rf"(?=({noun}{{2,4}}){next_two})",
    )
    lost = (found[1] for one in beside for found in re.finditer(one, source))
    return any(not any(pair in text for pair in _pairs(other)) for other in lost)


@cache
def _slots(code: str) -> re.Pattern[str]:
    """What stands after a word before names, before an ending of people or places, and what sounds
    like a name.
    """
    table, letter = tables()[code], _LETTER[code]
    if letters := _letters_of_names(code):
        letter = f"[{''.join(sorted(letters))}]"
    before, after = (
        "|".join(sorted(table.get(key, "").split(), key=len, reverse=True))
        for key in ("before", "after")
    )
    surnames, sounds, compound = (
        table.get("surnames", ""),
        table.get("letters", ""),
        "|".join(table.get("compound", "").split()),
    )
    parts = [f"({letter}{{2,4}}?)(?:{after})"] if after else []
    parts += [f"(?:{before})({letter}{{2,3}})"] if before else []
    parts += (
        [f"(?<=[|和跟与同给叫是找的])([{surnames}]{letter}{{1,2}})(?=[{_AFTER_PEOPLE}])"]
        if surnames
        else []
    )
    parts += [f"((?:{compound}){letter}{{1,2}})"] if compound and surnames else []
    parts += [f"([{sounds}]{{2,}})"] if sounds else []
    return re.compile("|".join(parts))
