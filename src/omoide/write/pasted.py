"""What is quoted or fenced in a turn: it was put there, and nobody says it."""

from __future__ import annotations

import re

_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)", re.MULTILINE)


def is_pasted(text: str, start: int, end: int) -> bool:
    """Whether any of a stretch is inside a code fence, or on a line quoted with ">"."""
    lines = text[text.rfind("\n", 0, start) + 1 : end].splitlines()
    fenced = len(_FENCE.findall(text[:start])) % 2 == 1
    return fenced or any(line.lstrip().startswith(">") or _FENCE.match(line) for line in lines)


def unpasted(text: str) -> str:
    """A text without what is quoted or fenced in it: what nobody said lends no words to what somebody did."""
    kept, fenced = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            kept.append(line)
    return "\n".join(kept)
