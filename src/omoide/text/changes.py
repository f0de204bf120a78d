"""How one wording became another, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

DiffPiece: TypeAlias = "tuple[Literal['=', '-', '+'], str]"  # kept, gone or new

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST = 2_000  # words of each; longer ones are compared as wholes


def changes(old: str, new: str) -> tuple[DiffPiece, ...]:
    """The pieces of both, in order: joined without the new ones they are old, without the gone ones
    new.
    """
    ours, theirs = _WORDS.findall(old), _WORDS.findall(new)
    if max(len(ours), len(theirs)) > MOST:
        return (("-", old), ("+", new))
    pieces: list[DiffPiece] = []
    for _, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        gone, fresh = "".join(ours[a:b]), "".join(theirs[c:d])
        told: tuple[DiffPiece, ...] = (
            (("=", gone),) if gone == fresh else (("-", gone), ("+", fresh))
        )
        pieces += (piece for piece in told if piece[1])
    return tuple(pieces)
