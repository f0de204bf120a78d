"""Whether what somebody types is a name to call them by, or a sentence. No language is known here
but by its stop words.
"""

from __future__ import annotations

import re
from enum import Enum

from omoide.grounding.chatter import passing
from omoide.grounding.named import is_small
from omoide.text.chunks import SPACELESS
from omoide.text.languages import tells_language
from omoide.text.letters import QUESTION_SIGNS, script_of

LONGEST, MOST_WORDS = 60, 5  # characters and words of a name
LONGEST_UNSPACED = 4  # characters of a name in a script without spaces
# small words that stand in names between others
_PARTICLES = frozenset(
    "a af al an bin binti ibn da das de del della den der di do dos du e el la le ter van von y"
    " zu".split()
)
_ASKS = re.compile(f"[{QUESTION_SIGNS}]")
_IRISH = re.compile(r"[A-Z]'[A-Z]")  # O'Brien, D'Angelo
# signs of a sentence; an initial has a dot too
_ENDS = re.compile(r"[!:;…。！]|\w{3}[.,](?:\s|$)")


class Likely(Enum):
    """What a text is, if somebody is asked for their name."""

    NAME = "name"
    UNSURE = "unsure"
    SENTENCE = "sentence"


def name_or_sentence(said: str) -> Likely:
    """What an answer to the question for a name most likely is."""
    words = said.split()
    if _ASKS.search(said) or len(said) > LONGEST or len(words) > MOST_WORDS:
        return Likely.SENTENCE
    if passing(said) or not any(char.isalpha() for char in said):
        return Likely.SENTENCE
    is_long = len(said) > LONGEST_UNSPACED and script_of(said[0]) in SPACELESS
    if is_long or _ENDS.search(said) or _is_unlike(words):
        return Likely.UNSURE
    return Likely.NAME


def _is_unlike(words: list[str]) -> bool:
    """Whether words are unlike a name: small ones, or such as sentences have."""
    if len(words) == 1 and not words[0].islower():  # Will, May
        return False
    is_all_small = len(words) > 1 and is_small(words[0]) and is_small(words[-1])
    return is_all_small or any(map(_tells, words))


def _tells(word: str) -> bool:
    """Whether a word speaks of no name: a stop word that stands in no names."""
    bare = word.strip(".,'’").replace("’", "'")
    parts = (bare,) if _IRISH.match(bare) else (bare, bare.partition("'")[0])
    return bare.lower() not in _PARTICLES and any(map(tells_language, parts))
