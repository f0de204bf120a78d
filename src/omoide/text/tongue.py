"""Which script and language a text is in, as far as its letters and words tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from omoide.text.languages import languages_of_script, likely_languages
from omoide.text.letters import script_of

_HAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"))
_WEIGHT = {"CJK": 3, "HANGUL": 2}  # an ideograph is as much as a few letters
_SAMPLE = 600  # characters that are looked at


def same_script(one: str, other: str, names: Collection[str] = ()) -> bool:
    """False where the letters tell that two texts are in different scripts. Names do not count."""
    for name in names:
        one, other = one.replace(name, " "), other.replace(name, " ")
    mine, theirs = _scripts(one[:_SAMPLE]), _scripts(other[:_SAMPLE])
    if not mine or not theirs:
        return True
    first, second = mine.most_common(1)[0][0], theirs.most_common(1)[0][0]
    return first == second or (first in theirs and second in mine)


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
