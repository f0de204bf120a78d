"""Whether a text says of one thing what its sources say of another: a name that is put for another
is mostly one that is known. No language is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from omoide.grounding.named import label_of, stands_in
from omoide.text.letters import MARKS, fold, script_of
from omoide.text.words import NATIVE, SPACELESS, query_terms

_ENDING = 3  # letters that a word may have beside a name: endings, particles, articles
_WRITTEN_ON = frozenset({"ARABIC", "HEBREW"})  # scripts that write particles before a word onto it
_WORD = re.compile(rf"(?:[^\W_]|[{MARKS}])+")
_LABELS = 8_192  # of which the words are remembered


class KnownNames:
    """The names of things that somebody knows, as ``type:label``, held against texts that are made
    of these sources.
    """

    def __init__(self, known: Iterable[str], sources: Sequence[str]) -> None:
        self._known = tuple(known)
        self._sources = [(fold(one), _content(one)) for one in sources] if self._known else []

    def misplaced(self, text: str) -> list[str]:
        """The names in a text of which no source speaks that says anything else of it."""
        here = names_known(text, self._known)
        if not here:
            return []
        names = _content(" ".join(here))
        rest = _content(text) - names
        about = [folded for folded, content in self._sources if content & rest or not rest]
        return [name for name in here if not any(stands_in(name, folded) for folded in about)]


def names_known(text: str, known: Iterable[str]) -> list[str]:
    """The labels among ``type:label`` that a text has as names: as words with a capital, up to
    their endings, or in a row where no spaces stand between words.

    A label that begins with a small letter is a word as any other, one of a single letter or
    character a part of many.
    """
    folded = fold(text)
    words = [(word[0], fold(word[0])) for word in _WORD.finditer(text)]
    labels = dict.fromkeys(label_of(one) for one in known)
    return [label for label in labels if (p := _parts(label)) and _are_in(p, folded, words)]


@lru_cache(maxsize=_LABELS)
def _parts(label: str) -> tuple[str, ...]:
    """The folded words of a label; none if it is no name."""
    if len(label) < 2 or label[0].islower():
        return ()
    return tuple(_WORD.findall(fold(label)))


def _are_in(parts: Sequence[str], folded: str, words: Sequence[tuple[str, str]]) -> bool:
    return all(
        part in folded
        and (script_of(part[0]) in SPACELESS or any(_is_form(part, *word) for word in words))
        for part in parts
    )


def _is_form(part: str, word: str, folded: str) -> bool:
    """Whether a word is a form of a part of a name."""
    begins = folded.startswith(part) or script_of(part[0]) in _WRITTEN_ON
    return (
        begins and part in folded and len(folded) - len(part) <= _ENDING and not word[0].islower()
    )


def _content(text: str) -> frozenset[str]:
    return frozenset(one.term for one in query_terms(text) if not one.term.startswith(NATIVE))
