"""Neighbours: a turn beside one that answers comes earlier, since talk stays on its subject. Pure.

Among far hits the ranker tells little apart, while a turn next to one of the best holds evidence
two to three times as often as others of its rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omoide.nouns.hit import Hit
from omoide.read.ranker import SPREAD

# of the chance that a turn answers, what the turns beside it, and those beside these, have of it
SHARES: Mapping[int, float] = {-2: 0.015, -1: 0.03, 1: 0.03, 2: 0.015}
Spot = tuple[str, int]  # a session, and the position of a turn in it


def heed_neighbours(hits: Sequence[Hit], first: int) -> list[Hit]:
    """Hits, best first, with turns after the ``first`` ones in the order of what they and the turns
    beside them are worth. Items keep their places.
    """
    chances = _chances(hits)
    far = [hit for hit in hits[first:] if hit.turn is not None]
    ordered = iter(sorted(far, key=lambda hit: -_worth(hit, chances)))
    later = (hit if hit.turn is None else next(ordered) for hit in hits[first:])
    return [*hits[:first], *later]


def _chances(hits: Sequence[Hit]) -> dict[Spot, float]:
    """By turn the chance that it answers, beside that of the best hit."""
    best = max((hit.score for hit in hits), default=0.0)
    return {
        (hit.turn.session, hit.turn.position): (hit.score / best) ** SPREAD if best > 0 else 0.0
        for hit in hits
        if hit.turn is not None
    }


def _worth(hit: Hit, chances: Mapping[Spot, float]) -> float:
    """The chance that a turn answers, with its shares of its neighbours' chances."""
    assert hit.turn is not None
    session, position = hit.turn.session, hit.turn.position
    near = (share * chances.get((session, position + far), 0) for far, share in SHARES.items())
    return chances[session, position] + sum(near)
