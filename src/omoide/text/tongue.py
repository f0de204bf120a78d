"""Whether two texts are in one language, as far as their letters and words tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from omoide.text.languages import plausible_languages
from omoide.text.letters import script_of

_HAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"))
_WEIGHT = {"CJK": 3, "HANGUL": 2}  # an ideograph is as much as a few letters
_SAMPLE = 600
# Not to be told apart by a sentence.
_KIN = (
    frozenset(("da", "no", "sv")),
    frozenset(("es", "ca", "pt")),
    frozenset(("ru", "uk", "bg")),
    frozenset(("cs", "pl")),
    frozenset(("ar", "fa", "ur")),
    frozenset(("hi", "ne")),
)


def same_language(one: str, other: str, names: Collection[str] = ()) -> bool:
    """False where the letters or the words tell that they are in different languages. Names do not count."""
    for name in names:
        one, other = one.replace(name, " "), other.replace(name, " ")
    mine, theirs = _scripts(one), _scripts(other)
    if not mine or not theirs:
        return True
    first, second = mine.most_common(1)[0][0], theirs.most_common(1)[0][0]
    if first != second:
        return first in theirs and second in mine
    if first == "CJK":
        return _same_kana(one, other)
    codes, others = set(plausible_languages(one)), set(plausible_languages(other))
    if len(codes) > 1 or len(others) > 1 or codes & others:
        return True
    return any(codes <= kin and others <= kin for kin in _KIN)


def _scripts(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for char in text[:_SAMPLE]:
        script = script_of(char)
        if script:
            script = "CJK" if script in _HAN else script
            counts[script] += _WEIGHT.get(script, 1)
    return counts


def _same_kana(one: str, other: str) -> bool:
    """Japanese has kana, Chinese none."""
    counts = [sum(script_of(char) == "HIRAGANA" for char in text[:_SAMPLE]) for text in (one, other)]
    return (counts[0] > 1) == (counts[1] > 1) or min(len(one), len(other)) < 6
