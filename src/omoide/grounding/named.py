"""Whether the things that a claim tags by name were named. No language is known here: a name is
said where a word begins as it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from omoide.text.letters import MARKS, fold

ALIKE = 4  # first letters by which "Postgres" names PostgreSQL; fewer of a shorter word
LONGER = 5  # likewise in scripts with marks of their own
_WORD = re.compile(rf"(?:[^\W_]|[{MARKS}])+")
# up to where a sentence begins, whose first word has a capital anyway
_BEGIN = re.compile(r"(?:^|[.!?…:;\n])[\"”»'’)]?\s*[\"“„«(¿¡*•-]*\s*$")
NOUNS_HAVE_CAPITALS = "de"


def unsaid_names(
    text: str, entities: Iterable[str], said: Iterable[str], known: Iterable[str]
) -> tuple[str, ...]:
    """The names among the ``type:label`` of a text of which a word stands in nothing that was said,
    nor in a name that is known.

    Of a label that begins with a capital each word is a name; of another one word is enough.
    """
    told = fold("\n".join((*said, *known)))
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


def unsaid_capitals(text: str, said: str, languages: Sequence[str]) -> list[str]:
    """The words with a capital inside a sentence that no word of what was said begins like: names
    that nobody tagged. None in German, where every noun has one, and in scripts without capitals.

    languages: those of what was said, the likeliest first.
    """
    if NOUNS_HAVE_CAPITALS in languages[:1]:
        return []
    told = fold(said)
    return [
        word[0]
        for word in _WORD.finditer(text)
        if word[0][0].isupper()
        and len(word[0]) > 1
        and not _BEGIN.search(text[: word.start()])
        and not _begins_a_word(fold(word[0]), told)
    ]


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


def stands_in(label: str, told: str) -> bool:
    """Whether a label's words stand in a folded text: all of a name, of another label one."""
    words = _WORD.findall(fold(label))
    found = [_begins_a_word(word, told) for word in words]
    return all(found) if label[:1].isupper() else not found or any(found)


def _begins_a_word(word: str, told: str) -> bool:
    start = word[:ALIKE]
    if not start.isascii():  # scripts without spaces, and articles written onto the word
        return word[: LONGER if len(word) > LONGER else ALIKE - 1] in told
    return re.search(rf"(?<![a-z0-9]){re.escape(start)}", told) is not None
