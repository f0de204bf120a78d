"""Whether the things that a claim tags by name were named. No language is known here: a name is
said where a word begins as it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from omoide.text.letters import MARKS, fold

ALIKE = 4  # first letters by which "Postgres" names PostgreSQL; fewer of a shorter word
LONGER = 5  # likewise in scripts with marks of their own
_WORD = re.compile(rf"(?:[^\W_]|[{MARKS}])+")
# what ends a sentence, may stand behind that, and before the first word of the next
_ENDS, _CLOSING, _OPENING = (".", "!", "?", "…", ":", ";"), tuple("\"”»'’)"), '"“„«(¿¡*•-'
_RUN = re.compile(r"[a-z0-9]+")
NOUNS_HAVE_CAPITALS = "de"


class WordStarts:
    """How the words of a text begin, made ready once for many names to be looked for."""

    def __init__(self, text: str) -> None:
        self._told = fold(text)
        self._pieces: dict[int, frozenset[str]] = {}

    def has(self, word: str) -> bool:
        """Whether a word of the text begins as a folded one does; beyond ASCII, whether its first
        letters stand anywhere, since articles are written onto words, and some scripts have no
        spaces.
        """
        start = word[:ALIKE]
        if start.isascii():
            return start in self._starts
        start = word[: LONGER if len(word) > LONGER else ALIKE - 1]
        return start in self._of_length(len(start))

    @cached_property
    def _starts(self) -> frozenset[str]:
        runs = _RUN.findall(self._told)
        return frozenset(run[:n] for run in runs for n in range(1, ALIKE + 1))

    def _of_length(self, n: int) -> frozenset[str]:
        if n not in self._pieces:
            told = self._told
            self._pieces[n] = frozenset(told[at : at + n] for at in range(len(told) - n + 1))
        return self._pieces[n]


def unsaid_names(
    text: str, entities: Iterable[str], said: Iterable[str], known: Iterable[str]
) -> tuple[str, ...]:
    """The names among the ``type:label`` of a text of which a word stands in nothing that was said,
    nor in a name that is known.

    Of a label that begins with a capital each word is a name; of another one word is enough.
    """
    told = WordStarts("\n".join((*said, *known)))
    return tuple(label for label in names_in(text, entities) if not stands_in(label, told))


def names_in(text: str, entities: Iterable[str]) -> list[str]:
    """The labels among ``type:label`` that stand in a text as names: with a capital or a figure
    first, or in a script that has no capitals. Another label is a word as any other.
    """
    labels = map(label_of, entities)
    found = ((label, re.search(re.escape(label), text, re.IGNORECASE)) for label in labels if label)
    return [label for label, place in found if place is not None and not is_small(place[0])]


def names_beside(text: str, entities: Iterable[str], quote: str) -> list[str]:
    """The names of a text that its quote has not: tagged labels, and words with a capital."""
    labels = [label_of(entity) for entity in entities]
    words = [word[0] for word in _WORD.finditer(text) if word[0][0].isupper()]
    names = dict.fromkeys((*(word for label in labels for word in _WORD.findall(label)), *words))
    return [name for name in names if name in text and not is_named(name, quote)]


def unsaid_capitals(text: str, told: WordStarts, languages: Sequence[str]) -> list[str]:
    """The words with a capital inside a sentence that no word of what was said begins like: names
    that nobody tagged. None in German, where every noun has one, and in scripts without capitals.

    languages: those of what was said, the likeliest first.
    """
    if NOUNS_HAVE_CAPITALS in languages[:1]:
        return []
    ends = [0, *(word.end() for word in _WORD.finditer(text))]
    return [
        word[0]
        for end, word in zip(ends, _WORD.finditer(text), strict=False)
        if word[0][0].isupper()
        and len(word[0]) > 1
        and not _begins_sentence(text[end : word.start()], is_first=not end)
        and not told.has(fold(word[0]))
    ]


def _begins_sentence(gap: str, *, is_first: bool) -> bool:
    """Whether a sentence begins behind a gap between words, so that the next has a capital anyway.
    is_first: it stands before all words.
    """
    rest = gap.rstrip().rstrip(_OPENING).rstrip()
    bare = rest[:-1] if rest.endswith(_CLOSING) else rest
    is_start = is_first and not bare
    return (
        is_start
        or "\n" in gap[len(rest) :]
        or rest.endswith(_ENDS)
        or bare.endswith((*_ENDS, "\n"))
    )


def is_named(name: str, text: str) -> bool:
    """Whether a text has a name as a word of its own, whatever its case."""
    return re.search(rf"(?<!\w){re.escape(fold(name))}", fold(text)) is not None


def is_small(word: str) -> bool:
    """Whether a word begins with a small letter of a script that has capitals for names: Georgian
    letters are small ones, too, but no name has any other.
    """
    return word[:1] != word[:1].title()


def label_of(entity: str) -> str:
    """The label of ``type:label``; what has no type, as it is."""
    return entity.partition(":")[2].strip() or entity


def stands_in(label: str, told: WordStarts) -> bool:
    """Whether a label's words stand in a text: all of a name, of another label one."""
    words = _WORD.findall(fold(label))
    found = [told.has(word) for word in words]
    return all(found) if label[:1].isupper() else not found or any(found)
