"""What goes with a secret that was found: a key's second part, the password before the last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from omoide.text.secrets import words
from omoide.text.secrets.values import UUID, Strength, strength

_QUOTE = r"[\"'`]"
_REST = r"([A-Za-z0-9+/=_.-]{6,})"
_JOINED = re.compile(
    # "…" + "…", or "…" \ and "…" on the next line; … \ and the next line; a written line end
    rf"{_QUOTE}\s{{0,4}}(?:\+|\.|\\\r?\n|\\n|\r?\n)\s{{0,16}}{_QUOTE}{_REST}{_QUOTE}"
    rf"|\\(?:\r?\n[ \t]{{0,16}}|n){_REST}"
    r"|\r?\n([A-Za-z0-9+/=_.-]{16,})(?=\r?\n|\Z)"
    r"|[\"'`]?[\s,;]{1,4}(?:and |und |et |y |e )?(?:the )?"
    r"(?:(?:part|half|teil|hälfte|partie|moitié|parte|mitad|metà|metade|deel)"
    r"\s?(?:2|two|zwei|deux|dos|due|dois|b)|(?:second|2nd|other)\s(?:part|half)"
    r"|zweiter? (?:teil|hälfte)|(?:deuxième|segunda|seconda) (?:partie|parte))"
    rf"(?:\s(?:is|ist|est|es|è|é))?\s{{0,2}}[:=]?\s{{0,2}}{_QUOTE}?{_REST}",
    re.IGNORECASE,
)
_CHANGED = frozenset(("pin", "place-code", "access-code", "password"))
_NEWER = re.compile(
    rf"[^\n.;\d]{{0,16}}(?<![^\W_])(?:{'|'.join(words.NEW_ONES)})(?![^\W_])[^\n.;\d]{{0,20}}?"
    r"(?<![\w#/-])([0-9]{4,8})(?![\w%€$:/-]|[.,][0-9])",
    re.IGNORECASE,
)
# the code behind a card's number and its last month
_CARD_REST = re.compile(
    r"[\s,;|]{1,3}(?:[A-Za-z]{2,10}:?\s)?(?:0[1-9]|1[0-2])\s?/\s?(?:20)?[2-4][0-9]"
    r"[\s,;|]{1,3}([0-9]{3,4})(?![0-9]|[.,][0-9])"
    r"|[\s,;|]{1,3}([0-9]{3,4})(?=\s{1,2}cv[vc])"
    r"|[\s,;|]{1,3}(?:cid|CID)[\s:]{1,2}([0-9]{3,4})(?![0-9])"
)
# the secret behind the id of a key
_KEY_REST = re.compile(
    r"[^\w+/=]{1,6}(?:[A-Za-z_ ]{1,24}[:=\s]{1,3})?([A-Za-z0-9+/]{40})(?![\w+/])"
)


_OLDER = re.compile(r"(?<![^\W_])(?:from|von|vom|de|da|van|od|z|с|от) (\S{4,64}) \S{1,4} \Z")


def continued(text: str, found: Iterable[tuple[str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of what goes on from secrets that were found: the second part of a key,
    the password before, the PIN after, the code of a card.
    """
    for kind, start, end in found:
        older = _OLDER.search(text, max(0, start - 80), start) if kind == "password" else None
        if older and strength(older[1]) >= Strength.MIXED:
            yield kind, *older.span(1)
        if kind in _CHANGED and (newer := _NEWER.match(text, end)):
            yield kind, *newer.span(1)
        if kind == "card-number" and (card := _CARD_REST.match(text, end)):
            yield "card-code", *card.span(card.lastindex or 0)
        match = (_KEY_REST if kind == "aws-key" else _JOINED).match(text, end)
        if match is None or match.lastindex is None:
            continue
        rest = match[match.lastindex]
        if strength(rest) >= Strength.MIXED and not UUID.match(rest):
            yield kind, *match.span(match.lastindex)
