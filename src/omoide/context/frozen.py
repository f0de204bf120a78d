"""The strategy ``frozen``: a stable part for the system prompt, and a part for each turn that goes
before the user's message. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from omoide.context.budget import Budget
from omoide.context.fence import fence_size, fenced, kept_inside
from omoide.context.layout import blocks_of, joined
from omoide.context.material import Material, Standing
from omoide.context.pieces import Piece, Place, fill, item_piece, turn_piece
from omoide.context.result import Block, Context, Part
from omoide.models.prompts import prompt
from omoide.nouns.item import Category, Item
from omoide.text.tokens import count_tokens
from omoide.text.words import index_terms

RULES = prompt("context")
EMPTY = "Nothing is stored yet. Invite the user to tell you what is worth remembering."
STABLE_SHARE = 0.4  # of the budget, at most
_HEADS = {
    Category.PROFILE: (Part.PROFILE, "About the user:"),
    Category.PREFERENCE: (Part.STANDING, "The user's standing instructions and preferences:"),
    Category.FACT: (Part.KNOWN, "Known facts:"),
    Category.SKILL: (Part.KNOWN, "Skills:"),
    Category.ERROR: (Part.KNOWN, "Errors to avoid:"),
}
SINCE = Place(part=Part.STANDING, head="Standing instructions since this session began:")
ENDED = Place(part=Part.STANDING, head="No longer hold, whatever is said above:")
DUE = Place(part=Part.DUE, head="Due:")
NOW = Place(part=Part.NOW, head="")
CUT = Place(part=Part.CUT, head="")
TRUNCATED = "(memory truncated)"
ITEMS = Place(part=Part.ITEMS, head="What is known that may matter here:")


def frozen(material: Material, budget: Budget) -> Context:
    """The stable part as it was when the session began, and what answers the question."""
    stable, blocks = stable_part(material.standing, material.now.tzinfo, budget.share(STABLE_SHARE))
    rest = budget.less(budget.size(stable) + 1)
    turn, more = turn_part(without(material, blocks), rest)
    text = "\n\n".join(filter(None, (stable, turn)))
    return Context(
        text=text,
        stable=stable,
        turn=turn,
        blocks=(*blocks, *more),
        strategy="frozen",
        tokens=count_tokens(text),
        answerable=material.answerable,
        off=material.off,
        degraded=material.degraded,
    )


def stable_part(standing: Standing, zone: tzinfo | None, budget: Budget) -> tuple[str, list[Block]]:
    """The rules of reading, and what is always shown, as far as it fits."""
    room = budget.less(budget.size(f"{RULES}\n\n") + fence_size(budget))
    wanted = [*standing_pieces(standing, zone)]
    chosen = fill(wanted, room)
    if len(chosen) < len({piece.key for piece in wanted}):
        chosen = fill(wanted, room.less(room.size(f"\n{TRUNCATED}\n")))
        chosen.append(Piece(place=CUT, line=TRUNCATED))
    blocks = blocks_of(chosen, stable=True)
    body = fenced(joined(blocks)) if blocks else EMPTY
    rules = Block(part=Part.RULES, text=RULES, tokens=count_tokens(RULES), stable=True)
    return f"{RULES}\n\n{body}", [rules, *blocks]


def standing_pieces(standing: Standing, zone: tzinfo | None) -> Iterator[Piece]:
    """The lines of what is always shown; facts and skills with how sure they are."""
    for item in standing.items:
        part, head = _HEADS[item.category]
        sure = item.category in (Category.FACT, Category.SKILL)
        yield item_piece(item, Place(part=part, head=head), zone or UTC, confidence=sure)


def turn_part(material: Material, budget: Budget) -> tuple[str, list[Block]]:
    """The time, what is due, and the records that answer, as many as fit."""
    chosen = fill(turn_pieces(material), budget.less(fence_size(budget)))
    blocks = blocks_of(chosen)
    return (fenced(joined(blocks)) if blocks else ""), blocks


def turn_pieces(material: Material) -> Iterator[Piece]:
    """The lines of the part for a turn, the most important first."""
    now, zone = material.now, material.now.tzinfo or UTC
    yield Piece(place=NOW, line=f"Now: {now:%Y-%m-%d %A %H:%M %z}")
    for item in material.since.items:
        yield item_piece(item, SINCE, zone)
    for item in material.ended:
        yield item_piece(item, ENDED, zone)
    for item in material.due:
        yield due_piece(item, now)
    yield from hit_pieces(material)


def without(material: Material, blocks: list[Block]) -> Material:
    """The material without the hits that stand in blocks already."""
    shown = {id for block in blocks for id in block.ids}
    return replace(material, hits=tuple(hit for hit in material.hits if hit.id not in shown))


def due_piece(item: Item, now: datetime) -> Piece:
    """A line of an item that is due or overdue, with when."""
    at = (item.due_at or now).astimezone(now.tzinfo)
    mark = "OVERDUE since" if at <= now else "DUE"
    line = f"- {mark} {at:%Y-%m-%d %A %H:%M}: {kept_inside(item.text)}"
    return Piece(place=DUE, line=line, ids=(item.id,), at=item.due_at)


def hit_pieces(material: Material, place: Place = ITEMS) -> Iterator[Piece]:
    """The recalled records as lines, the best first."""
    words, zone = index_terms(material.question), material.now.tzinfo or UTC
    for hit in material.hits:
        if hit.turn is not None:
            yield turn_piece(hit, hit.turn, words, zone)
        elif hit.item is not None:
            yield item_piece(hit.item, place, zone)
