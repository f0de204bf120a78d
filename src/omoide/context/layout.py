"""Chosen pieces as the text and the blocks of a context. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from omoide.context.budget import Budget
from omoide.context.material import Material
from omoide.context.pieces import Piece, Section
from omoide.context.result import Block, Context, Part

ORDER = {part: number for number, part in enumerate(Part)}


def made(
    strategy: str,
    material: Material,
    budget: Budget,
    stable: str,
    turn: str,
    blocks: Sequence[Block],
) -> Context:
    """A context of two parts, either of which may be empty, its tokens counted by the budget."""
    text = "\n\n".join(filter(None, (stable, turn)))
    return Context(
        text=text,
        stable=stable,
        turn=turn,
        blocks=tuple(blocks),
        strategy=strategy,
        tokens=budget.tokens_in(text),
        answerable=material.answerable,
        off=material.off,
        degraded=material.degraded,
    )


def blocks_of(pieces: Iterable[Piece], budget: Budget, *, stable: bool = False) -> list[Block]:
    """Pieces put together by their places, of each place by time."""
    placed: dict[Section, list[Piece]] = {}
    for piece in pieces:
        placed.setdefault(piece.place, []).append(piece)
    return [_block(place, placed[place], budget, stable) for place in _in_order(placed)]


def rules_block(rules: str, budget: Budget) -> Block:
    """The rules of reading as a block, which stays the same."""
    return Block(part=Part.RULES, text=rules, tokens=budget.tokens_in(rules), stable=True)


def joined(blocks: Sequence[Block]) -> str:
    """The text of blocks, an empty line between parts."""
    parts = [
        "\n".join(block.text for block in group)
        for _, group in groupby(blocks, key=lambda block: block.part)
    ]
    return "\n\n".join(parts)


def _in_order(placed: dict[Section, list[Piece]]) -> list[Section]:
    """Places by part; those of one session together, sessions by when their first piece was
    said.
    """
    began = {
        session: min(
            place.order[0] for place in placed if place.order and place.order[1] == session
        )
        for session in {place.order[1] for place in placed if place.order}
    }

    def rank(place: Section) -> tuple[object, ...]:
        if place.order is None:
            return (ORDER[place.part],)
        return (ORDER[place.part], began[place.order[1]], place.order[1], place.order[0])

    return sorted(placed, key=rank)


def _block(place: Section, pieces: list[Piece], budget: Budget, stable: bool) -> Block:
    if all(piece.at is not None for piece in pieces):
        pieces = sorted(pieces, key=lambda piece: (piece.at, piece.ids))
    text = "\n".join(filter(None, (place.head, *(piece.line for piece in pieces))))
    return Block(
        part=place.part,
        text=text,
        ids=tuple(dict.fromkeys(id for piece in pieces for id in piece.ids)),
        tokens=budget.tokens_in(text),
        stable=stable,
    )
