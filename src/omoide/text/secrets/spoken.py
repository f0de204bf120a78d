"""Numbers said digit by digit in words: "four seven one nine", "forty-seven nineteen"."""

from __future__ import annotations

import re

from omoide.text.secrets import words
from omoide.text.secrets.values import is_counted

_TENS = "|".join(sorted(words.SPOKEN_TENS, key=len, reverse=True))
_DIGITS = "|".join(sorted(words.SPOKEN_DIGITS, key=len, reverse=True))
_TEN = re.compile(rf"(?:[^\W\d_]{{3,6}}und)?(?:{_TENS})")
_WORD = rf"(?:{_TEN.pattern}|{_DIGITS})(?![^\W_])"
_SIGNS = "〇零一二三四五六七八九"
_SPOKEN = re.compile(
    rf"(?<![^\W_]){_WORD}(?:[ ,-]{{1,3}}{_WORD}){{1,9}}|[{_SIGNS}](?:[、,・ ]?[{_SIGNS}]){{3,7}}"
)


def spoken(low: str, start: int, stop: int) -> tuple[int, int] | None:
    """Where the first number of three digits or more is said in words, in lower-cased text."""
    for match in _SPOKEN.finditer(low, start, min(len(low), stop + 60)):
        parts = re.split(r"[ ,-]+", match[0])
        is_long = len(parts) > 2 or match[0][0] in _SIGNS or all(map(_TEN.fullmatch, parts))
        if match.start() < stop and is_long and not is_counted(low, match.end()):
            return match.span()
    return None
