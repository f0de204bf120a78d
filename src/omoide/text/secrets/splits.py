"""The rest of a key that is written in two parts: over lines, joined strings, or "part 2: …"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from omoide.text.secrets.values import UUID, Strength, strength

_QUOTE = r"[\"'`]"
_REST = r"([A-Za-z0-9+/=_.-]{6,})"
_JOINED = re.compile(
    # "…" + "…", or "…" \ and "…" on the next line; … \ and the next line; a written line end
    rf"{_QUOTE}\s{{0,4}}(?:\+|\.|\\\r?\n|\\n|\r?\n)\s{{0,16}}{_QUOTE}{_REST}{_QUOTE}"
    rf"|\\(?:\r?\n[ \t]{{0,16}}|n){_REST}"
    r"|[\"'`]?[\s,;]{1,4}(?:and |und |et |y |e )?(?:the )?"
    r"(?:(?:part|half|teil|hälfte|partie|moitié|parte|mitad|metà|metade|deel)\s?(?:2|two|zwei|deux|dos|due|dois|b)"
    r"|(?:second|2nd|other)\s(?:part|half)|(?:zweiter|zweite) (?:teil|hälfte)|(?:deuxième|segunda|seconda) (?:partie|parte))"
    rf"(?:\s(?:is|ist|est|es|è|é))?\s{{0,2}}[:=]?\s{{0,2}}{_QUOTE}?{_REST}",
    re.IGNORECASE,
)


def continued(text: str, found: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every second part of a key of which the first part was found."""
    for kind, _, end in found:
        match = _JOINED.match(text, end)
        if match is None or match.lastindex is None:
            continue
        rest = match[match.lastindex]
        if strength(rest) >= Strength.MIXED and not UUID.match(rest):
            yield kind, *match.span(match.lastindex)
