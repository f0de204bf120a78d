"""Whether a text that was written anew still carries what a line of its material says. Pure.

A line is looked at piece by piece, as punctuation parts it, so that one wish of several is not lost
unseen: "short, metric, no dill" has three.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from omoide.text.negation import negates
from omoide.text.sameness import same_text
from omoide.text.words import index_terms

_PIECES = re.compile(r"[,;:،؛、，；：·|/]|\.\s|[。！？!?]|\s[–—-]\s")
CARRIED = 0.5  # share of a piece's words that one line has


def carries(lines: Sequence[str], told: str) -> bool:
    """Whether some of the lines say each piece of what was told: with half of its words, and
    negated as it is.
    """
    if any(same_text(line, told) for line in lines):
        return True
    held = [(frozenset(index_terms(line, exact=True)), negates(line)) for line in lines]
    return all(_is_held(piece, held) for piece in pieces(told))


def _is_held(piece: str, held: Sequence[tuple[frozenset[str], bool]]) -> bool:
    mine, negated = frozenset(index_terms(piece, exact=True)), negates(piece)
    return not mine or any(
        len(mine & theirs) >= CARRIED * len(mine) and (not negated or denies)
        for theirs, denies in held
    )


def pieces(told: str) -> list[str]:
    """What punctuation parts of a line."""
    return [piece for piece in _PIECES.split(told) if piece and piece.strip()]


def put_back(lines: Sequence[str], told: Sequence[str]) -> list[str]:
    """The things told that no line carries, in their own words and order."""
    kept: list[str] = []
    for one in told:
        if not carries([*lines, *kept], one):
            kept.append(one)
    return kept


def without_repeats(lines: Sequence[str], instead: Sequence[str]) -> list[str]:
    """The lines but for those that say nothing beside what was put back."""
    new = [frozenset(index_terms(one, exact=True)) for one in instead]
    return [
        line
        for line in lines
        if not any(frozenset(index_terms(line, exact=True)) <= terms for terms in new)
    ]
