"""Hits into a token budget. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from omoide.nouns.hit import Hit


def pack(hits: Sequence[Hit], budget_tokens: int) -> list[Hit]:
    """The best hits that fit a budget together: one too large is passed over, smaller ones after it
    may still fit.
    """
    packed, left = [], budget_tokens
    for hit in hits:
        if hit.tokens <= left:
            packed.append(hit)
            left -= hit.tokens
    return packed
