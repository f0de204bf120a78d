"""Words that a longer word may be written together of: German *Umzugstermin* of *Umzug* and
*Termin*.

Which cuts are right is not known without a dictionary, and need not be: what is no word is in no
text. For the same reason linking letters, as the *s* here, and the endings that stemming leaves or
takes need no rules of their own.
"""

from __future__ import annotations

import unicodedata

from omoide.text.words import NATIVE, TERM_LIMIT

SHORTEST, PART = (
    8,
    4,
)  # letters of a word that is cut, and of a part: shorter beginnings and ends are in too many words


def parts_of(term: str) -> list[str]:
    """Every beginning and end of a folded term that may be a word, each once; none of a short one
    or one with digits or signs.

    Parts of a native stem are native stems.
    """
    word = term.removeprefix(NATIVE)
    if not SHORTEST <= len(word) < TERM_LIMIT or not all(
        unicodedata.category(char)[0] in "LM" for char in word
    ):
        return []
    mark = term[: len(term) - len(word)]
    # what is left may be shorter by a letter that only links
    sizes = range(PART, len(word) - PART + 2)
    return list(
        dict.fromkeys(mark + part for size in sizes for part in (word[:size], word[-size:]))
    )
