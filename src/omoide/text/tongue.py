"""Whether two texts are in one language, as far as their letters and words tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from omoide.text.languages import languages_of_script, likely_languages, stop_words
from omoide.text.letters import fold, script_of

_HAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"))
_WEIGHT = {"CJK": 3, "HANGUL": 2}  # an ideograph is as much as a few letters
_SAMPLE = 600  # characters that are looked at
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENOUGH = 5  # small words by which two languages are told apart
# Not to be told apart by a sentence.
_KIN = tuple(
    map(
        frozenset,
        (
            ("da", "no", "sv"),
            ("es", "ca"),
            ("ru", "bg"),
            ("cs", "pl"),
            ("ar", "fa", "ur"),
            ("hi", "ne"),
        ),
    )
)


def same_language(one: str, other: str, names: Collection[str] = ()) -> bool:
    """False where the letters or the words tell that they are in different languages. Names do not
    count.
    """
    for name in names:
        one, other = one.replace(name, " "), other.replace(name, " ")
    one, other = one[:_SAMPLE], other[:_SAMPLE]
    mine, theirs = _scripts(one), _scripts(other)
    if not mine or not theirs:
        return True
    first, second = mine.most_common(1)[0][0], theirs.most_common(1)[0][0]
    if first != second:
        return first in theirs and second in mine
    return _same_kana(one, other) if first == "CJK" else _same_words(one, other, first)


def spoken(text: str) -> tuple[str, ...]:
    """The languages that a text may be in, the likeliest first: of a script other than Latin all
    that are written in it.
    """
    scripts = _scripts(text[:_SAMPLE])
    script = scripts.most_common(1)[0][0] if scripts else "LATIN"
    if script == "LATIN":
        return likely_languages(text.split()) or ("en",)
    has_kana = any(script_of(char) == "HIRAGANA" for char in text[:_SAMPLE])
    return ("ja",) if script == "CJK" and has_kana else languages_of_script(script)


def _scripts(text: str) -> Counter[str]:
    if text.isascii():
        return +Counter(LATIN=sum(map(str.isalpha, text)))
    counts: Counter[str] = Counter()
    for char in text:
        script = script_of(char)
        if script:
            script = "CJK" if script in _HAN else script
            counts[script] += _WEIGHT.get(script, 1)
    return counts


def _same_kana(one: str, other: str) -> bool:
    """Japanese has kana, Chinese none."""
    counts = [sum(script_of(char) == "HIRAGANA" for char in text) for text in (one, other)]
    return (counts[0] > 1) == (counts[1] > 1) or min(len(one), len(other)) < 6


def _same_words(one: str, other: str, script: str) -> bool:
    """By the small words: each text has more of one language than of the other's, and together
    enough.
    """
    codes = languages_of_script(script)
    words = [frozenset(_WORD.findall(fold(text))) for text in (one, other)]
    mine, theirs = ({code: len(found & stop_words(code)) for code in codes} for found in words)
    if not codes:
        return True
    first, second = max(codes, key=mine.__getitem__), max(codes, key=theirs.__getitem__)
    if (
        mine[first] == mine[second]
        or theirs[first] == theirs[second]
        or any({first, second} <= kin for kin in _KIN)
    ):
        return True
    return mine[first] - mine[second] + theirs[second] - theirs[first] < _ENOUGH
