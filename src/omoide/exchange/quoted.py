"""Pasted text as a turn shows it: each line behind ``> ``, so that it is nobody's word."""

from __future__ import annotations

from collections.abc import Iterator

from omoide.nouns.turn import TURN_LIMIT

MARK = "> "


def quoted(text: str, limit: int = TURN_LIMIT) -> Iterator[str]:
    """The text behind marks, in pieces of at most limit characters, which end where a line does if
    they can.
    """
    piece: list[str] = []
    length = 0
    for line in _lines(text, limit - len(MARK)):
        if piece and length + len(line) + 1 > limit:
            yield "\n".join(piece)
            piece, length = [], 0
        piece.append(line)
        length += len(line) + bool(length)
    if piece:
        yield "\n".join(piece)


def _lines(text: str, limit: int) -> Iterator[str]:
    """Each line with its mark; one over limit as several."""
    for line in text.strip("\r\n").splitlines():
        for start in range(0, max(1, len(line)), limit):
            yield f"{MARK}{line[start : start + limit]}".rstrip()
