"""What a new text loses of an old one, and whether two say the same of names, figures, dates and
negation. Pure.

A text keeps another if it has every word of it with content, in any form, and every figure and
address, but for the words that are said to hold no longer. Words that only introduce a name, as
"called" does, are no loss.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from omoide.grounding.named import ALIKE, names_in
from omoide.grounding.quotes import find_quote
from omoide.text.addresses import addresses
from omoide.text.figures import Figure, figures
from omoide.text.languages import is_stop_word, plausible_languages
from omoide.text.letters import MARKS, fold
from omoide.text.negation import flips, negates
from omoide.text.tongue import spoken
from omoide.text.words import NATIVE, index_terms

NOT = "not"
_LETTERS = rf"[^\W\d_](?:[^\W\d_]|[{MARKS}])*"
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})?")
_SIGNS = re.compile(r"[\u3400-\u9fff]|[\u30a1-\u30fa\u30fc]+")  # ideographs, runs of katakana
# what stands between the things of a list
_LIST = re.compile(
    r"[,;、，،；]|(?<!\w)(?:and|und|y|e|et|og|och|и|і|i|ve|और|و)(?!\w)|(?<=\s)و(?=\w)|[和与與跟]|(?<=\w)と(?=\w)"
)
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]+")


def stands(was: str, ref: str) -> bool:
    """Whether the words that a model repeats stand in what they are said to be of."""
    return bool(was) and (
        find_quote(was, ref) is not None
        or (bool(_said(was)) and _said(was) <= _said(ref) and _figures_in(was, ref))
    )


def lost(ref: str, was: str, text: str, entities: Collection[str] = ()) -> tuple[str, ...]:
    """What of an old text a new one lacks, but for the words that no longer hold; empty where it
    keeps all.

    entities: what the old one names, as ``type:label``.
    """
    rest, languages = _without(ref, was), spoken(f"{ref} {text}")
    gone = _lacking(rest, text, languages, entities)
    verb = _verb_of(ref, was)
    gone += [word for word in _content(rest) if word != verb and not _has(word, text)]
    gone += _dropped(was, text)
    if negates(rest, languages) and not negates(text, languages):
        gone.append(NOT)
    return tuple(dict.fromkeys(gone))


def _lacking(
    told: str, text: str, languages: Sequence[str], entities: Collection[str]
) -> list[str]:
    """The addresses, figures and names of what is told that a text lacks."""
    theirs, mine = addresses(text), figures(text, languages)
    gone = [one.text for one in addresses(told) if not any(one.same(two) for two in theirs)]
    gone += [
        _written(one)
        for one in figures(told, languages)
        if one.is_sure and not _has_figure(one, mine, text)
    ]
    return gone + [label for label in names_in(told, entities) if not _keeps(label, text)]


def _dropped(was: str, text: str) -> list[str]:
    """What of a list that is said to hold no longer a text drops, where it speaks of some of it:
    "nuts" of "allergic to nuts and shellfish", if only of the shellfish something else is told.
    """
    parts = [words for part in _LIST.split(was) if (words := [*_content(part)])]
    if len(parts) < 2 or any(map(str.isdecimal, was)):  # a date or an address has commas, too
        return []
    listed = [parts[0][-1], *(words[0] for words in parts[1:])]  # beside what parts them
    kept = [word for word in listed if _has(word, text)]
    return [word for word in listed if word not in kept] if kept else []


def lacks_news(text: str, candidate: str, entities: Collection[str]) -> tuple[str, ...]:
    """The names, figures and addresses of a candidate that a merged text lacks."""
    languages = spoken(f"{candidate} {text}")
    return tuple(dict.fromkeys(_lacking(candidate, text, languages, entities)))


def agree(text: str, entities: Collection[str], known: str, others: Collection[str]) -> bool:
    """Whether what is known has every name, figure and address of a text, and neither denies the
    other.

    entities, others: what each names, as ``type:label``.
    """
    besides = names_in(text, set(entities) - set(others))
    if not all(_keeps(label, known) for label in besides):
        return False
    people = _people(text, known, {*entities, *others})
    return not lacks_news(known, text, ()) and not flips(
        text, known, spoken(f"{text} {known}"), people
    )


def _people(text: str, known: str, entities: Collection[str]) -> list[str]:
    """Who two texts are about: the people tagged, and a name with which both begin."""
    tagged = [name.partition(":")[2] for name in entities if name.startswith("person:")]
    first, second = (_WORD.match(one) for one in (text, known))
    begins = first is not None and second is not None and first[0] == second[0]
    return [*tagged, first[0]] if begins and first is not None else tagged


def _without(ref: str, was: str) -> str:
    """A text without the words that no longer hold."""
    if not was:
        return ref
    place = find_quote(was, ref)
    if place is not None:
        for piece in place.pieces:
            ref = ref.replace(piece, " ", 1)
        return ref
    gone = _said(was)
    return " ".join(word for word in ref.split() if not (_said(word) and _said(word) <= gone))


def _verb_of(ref: str, was: str) -> str:
    """The one word between a name that begins a text and what no longer holds: "wants" in "Sam
    wants to move". With what it governs it is over, too.
    """
    place = find_quote(was, ref) if was else None
    before = ref[: place.start] if place else ""
    words = _WORD.findall(before)
    named = words and words[0][0].isupper() and not words[0].endswith(("'s", "’s"))
    verbs = [word for word in _content(before) if not word[0].isupper()]
    return verbs[0] if named and len(verbs) == 1 and "," not in before else ""


def _said(text: str) -> frozenset[str]:
    return frozenset(term for term in index_terms(text, exact=True) if not term.startswith(NATIVE))


def _figures_in(was: str, ref: str) -> bool:
    theirs = figures(ref, spoken(ref))
    return all(any(one.same(other) for other in theirs) for one in figures(was, spoken(ref)))


def _has_figure(one: Figure, mine: Collection[Figure], text: str) -> bool:
    return any(one.same(other) for other in mine) or any(value in text for value in one.values)


def _written(one: Figure) -> str:
    return (
        f"{min(one.values, key=lambda value: (len(value), value), default='')} {one.unit}".strip()
    )


def _content(text: str) -> Iterator[str]:
    """The words of a text that say something; of scripts without spaces their ideographs."""
    language = next(iter(plausible_languages(text)), "")
    yield from (
        sign for sign in _SIGNS.findall(text) if not is_stop_word(sign, "zh") and sign not in _LINKS
    )
    for word in _WORD.findall(_NO_SPACES.sub(" ", text)):
        folded = fold(word)
        small = any(is_stop_word(folded, code) for code in (language, "en"))
        small &= not (word[0].isupper() and len(word) > 2 and text.find(word) > 0)  # in May
        if not small and folded not in _links() and len(word) > 1:
            yield word


def _has(word: str, text: str) -> bool:
    """Whether a text has a word in any form: a stem of it, or its first letters."""
    if _SIGNS.match(word):
        return word in text
    if _said(word) & _said(text):
        return True
    start = fold(word).removesuffix("'s").removesuffix("’s")[:ALIKE]
    if not start.isascii():
        return start[: max(2, len(start) - 1)] in fold(text)
    return re.search(rf"(?<![a-z]){re.escape(start)}", fold(text)) is not None and len(start) > 2


def _keeps(label: str, text: str) -> bool:
    words = [word for word in _WORD.findall(label) if len(word) > 1]
    return fold(label) in fold(text) or (bool(words) and all(_has(one, text) for one in words))


_LINKS = frozenset("叫名为為的是在有和对對与與跟了")


@cache
def _links() -> frozenset[str]:
    """Words that only introduce a name or a state."""
    return frozenset(
        map(
            fold,
            (
                "named called known has have had being der namens genannt heißt heissen heißen"
                " llamado llamada llamados llamadas llama llaman chamado chamada chamados chama"
                " nommé nommée appelé appelée appelle chiamato chiamata chiama genaamd heet"
                " зовут называется nazywa adlı"
            ).split(),
        )
    )
