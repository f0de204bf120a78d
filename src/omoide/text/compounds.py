"""Words that a longer word may be written together of: German *Umzugstermin* of *Umzug* and
*Termin*.

Those of a question are tried where nobody wrote the word itself. Which cuts are right is not known
without a dictionary, and need not be: what is no word is in no text, and so is not found. For the
same reason linking letters, as the *s* here, and the endings that stemming leaves or takes need no
rules of their own.

The other way round, a word of a question may stand in a longer word of a text: *Schlüssel* in
*Haustürschlüssel*. There what is left need not be in any text, but it must look like a word:
*Preise* is no *Reise*, *Kaufpreise* neither, since no word of these languages ends in *fp*.
"""

from __future__ import annotations

import unicodedata

from omoide.text.words import NATIVE, TERM_LIMIT

SHORTEST, PART = (
    8,
    4,
)  # letters of a word that is cut, and of a part: shorter beginnings and ends are in too many words
LONG, LONGEST = (
    7,
    30,
    # letters of a folded stem that words of a question are looked for in: *mehldos* is the stem of
    # Mehldose
)
END, REST = 3, 3  # letters of a stem that ends a longer one, and of what is left
# pairs of consonants that words of German, Dutch, Swedish, Danish, Norwegian and Finnish end in, as
# they stand before another word
_ENDS = frozenset(
    "bs bt ch ck cs ct ds dt fs ft gd gn gs gt hl hm hn hr hs ht ks kt lb ld lf lg lj lk lm ln lp"
    " ls lt lv lz mb md mf mn mp ms mt nd nf ng nj nk ns nt nz pf ph ps pt rb rc rd rf rg rj rk rl"
    " rm rn rp rs rt rv rz sh sk sp st th ts tz vn vs wd ws xt zt".split()
)
_VOWELS = frozenset("aeiouyæøœ")
_BEFORE_VERBS = frozenset(("ent", "ont", "ver", "zer"))  # no words: verstehen is no *stehen*


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


def may_hold(longer: str, term: str) -> bool:
    """Whether a term of a language that writes words together begins or ends a longer one, both
    native stems or neither, with what may be a word left.
    """
    stem = term.removeprefix(NATIVE)
    word = longer[len(term) - len(stem) :]
    left = len(word) - len(stem)
    if left >= REST and len(word) >= LONG and len(stem) >= END and word.endswith(stem):
        return _is_like_a_word(word[:left])
    return left >= PART and len(stem) >= PART and word.startswith(stem)


def _is_like_a_word(rest: str) -> bool:
    if rest in _BEFORE_VERBS or _VOWELS.isdisjoint(rest):
        return False
    before, last = rest[-2], rest[-1]
    return before in _VOWELS or last in _VOWELS or before == last or before + last in _ENDS
