"""Words that a slip of the finger makes of a word: a letter too many, one missing, another one, or
two in the wrong order.

They are tried where nobody wrote the word itself. Short words and what has digits or signs have
none: there another letter makes another word, and an identifier that differs by one sign is another
thing. The first letter stands: few slips are in it, and another one there makes another word, such
as "began" of "vegan".

Source: Pollock and Zamora, "Automatic spelling correction in scientific and scholarly text", CACM
1984, which found few misspellings in the first letter.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from omoide.text.forms import forms_of
from omoide.text.languages import languages_of_script, root
from omoide.text.letters import fold, script_of

SHORTEST, LONGEST = 5, 24  # letters of a word that slips are thought of
_BLOCK = (
    128  # characters of Unicode that are looked at around each letter, for those of its alphabet
)


def slips_of(term: str) -> list[str]:
    """Every term one slip behind the first letter away from a folded one, each once; none of a term
    in which no slip is thought of.

    Letters come from the alphabets of the term's own letters, so a slip leads from no script to
    another. A slip that is an irregular form gives its base form besides, which it is indexed by.
    """
    if not SHORTEST <= len(term) <= LONGEST or not all(map(_is_letter, term)):
        return []
    blocks = sorted({ord(char) // _BLOCK for char in term})
    letters = "".join(map(_alphabet, blocks))
    slips = dict.fromkeys(_slips(term, letters))
    slips.update(dict.fromkeys(_base_forms(slips, term)))
    slips.pop(term, None)
    return list(slips)


def _base_forms(slips: Iterable[str], term: str) -> Iterator[str]:
    """The roots of those that are irregular forms in the default language of the term's script."""
    default = languages_of_script(script_of(term[0]))[:1]
    for forms in map(forms_of, default):
        bases = chain.from_iterable(forms.bases.get(slip, ()) for slip in slips)
        yield from map(root, [*bases])


def _slips(term: str, letters: str) -> Iterator[str]:
    """The term with two letters exchanged, one missing, another one, and one too many, all behind
    the first.
    """
    halves = [(term[:at], term[at:]) for at in range(1, len(term) + 1)]
    inner = halves[:-1]  # with a letter to the right
    yield from (left + right[1] + right[0] + right[2:] for left, right in inner[:-1])
    yield from (left + right[1:] for left, right in inner)
    yield from (left + letter + right[1:] for left, right in inner for letter in letters)
    yield from (left + letter + right for left, right in halves for letter in letters)


def _is_letter(char: str) -> bool:
    """Whether a character is a letter, or a mark of one."""
    return unicodedata.category(char)[0] in "LM"


@lru_cache(maxsize=64)
def _alphabet(block: int) -> str:
    """The letters and marks of one stretch of Unicode that folding leaves as they are."""
    chars = map(chr, range(block * _BLOCK, (block + 1) * _BLOCK))
    return "".join(char for char in chars if _is_letter(char) and fold(char) == char)
