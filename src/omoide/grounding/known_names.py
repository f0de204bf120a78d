"""Whether a text says of one thing what its sources say of another: a name that is put for another
is mostly one that is known. No language is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from omoide.grounding.named import WordStarts, is_small, label_of, stands_in
from omoide.text.chunks import SPACELESS
from omoide.text.letters import MARKS, fold, script_of
from omoide.text.words import NATIVE, query_terms

# shares of content: a source with the name that has no more of the text was not used for it, and
# one without it that has so much was
UNUSED, USED = 1 / 3, 2 / 3
_ENDING = 3  # letters that a word may have beside a name: endings, particles, articles
_WRITTEN_ON = frozenset({"ARABIC", "HEBREW"})  # scripts that write particles before a word onto it
_IDEOGRAPH = "CJK"
_WORD = re.compile(rf"(?:[^\W_]|[{MARKS}])+")
_LABELS = 8_192  # of which the words are remembered


class KnownNames:
    """The names of things that somebody knows, as ``type:label``, held against texts that are made
    of these sources.
    """

    def __init__(self, known: Iterable[str], sources: Sequence[str]) -> None:
        self._known = tuple(known)
        self._sources = [
            (WordStarts(one), _content(one) - _content(" ".join(names_known(one, self._known))))
            for one in (sources if self._known else ())
        ]

    def misplaced(self, text: str) -> list[str]:
        """The names in a text that no source has, or only sources of other content than the
        text's.
        """
        here = names_known(text, self._known)
        rest = _content(text) - _content(" ".join(here))
        return [name for name in here if self._is_misplaced(name, rest)]

    def _is_misplaced(self, name: str, rest: frozenset[str]) -> bool:
        has = [stands_in(name, told) for told, _ in self._sources]
        if not any(has):
            return True
        contents = [content for _, content in self._sources]
        naming = (content for content, yes in zip(contents, has, strict=True) if yes)
        others = (content for content, yes in zip(contents, has, strict=True) if not yes)
        unused = all(_share(content, rest) <= UNUSED for content in naming)
        return unused and any(
            rest and len(content & rest) >= USED * len(rest) for content in others
        )


def _share(content: frozenset[str], rest: frozenset[str]) -> float:
    """How much of the shorter of both is in the other; all of nothing."""
    return len(content & rest) / (min(len(content), len(rest)) or 1) if content and rest else 1.0


def names_known(text: str, known: Iterable[str]) -> list[str]:
    """The labels among ``type:label`` that a text has as names: as words with a capital, up to
    their endings, or in a row where no spaces stand between words.

    A label that begins with a small letter is a word as any other.
    """
    folded = fold(text)
    words = [(word[0], fold(word[0])) for word in _WORD.finditer(text)]
    labels = dict.fromkeys(label_of(one) for one in known)
    return [label for label in labels if (p := _parts(label)) and _are_in(p, folded, words)]


@lru_cache(maxsize=_LABELS)
def _parts(label: str) -> tuple[str, ...]:
    """The folded words of a label; none if it is no name."""
    parts = tuple(_WORD.findall(fold(label)))
    is_letter = len(label) == 1 and script_of(label) != _IDEOGRAPH
    return () if is_small(label) or is_letter else parts


def _are_in(parts: Sequence[str], folded: str, words: Sequence[tuple[str, str]]) -> bool:
    return all(
        part in folded
        and (
            _stands_alone(part, folded)
            if script_of(part[0]) in SPACELESS
            else any(_is_form(part, *word) for word in words)
        )
        for part in parts
    )


def _stands_alone(part: str, folded: str) -> bool:
    """Whether a part of a name is more than one character, or one that no other ideograph stands
    beside: it would be a part of a word.
    """
    return len(part) > 1 or any(
        char == part
        and _IDEOGRAPH not in map(script_of, folded[max(0, at - 1) : at] + folded[at + 1 : at + 2])
        for at, char in enumerate(folded)
    )


def _is_form(part: str, word: str, folded: str) -> bool:
    """Whether a word is a form of a part of a name."""
    begins = folded.startswith(part) or script_of(part[0]) in _WRITTEN_ON
    return begins and part in folded and len(folded) - len(part) <= _ENDING and not is_small(word)


def _content(text: str) -> frozenset[str]:
    return frozenset(
        one.term for one in query_terms(text, exact=True) if not one.term.startswith(NATIVE)
    )
