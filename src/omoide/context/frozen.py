"""The strategy ``frozen``: a stable part for the system prompt, and a part for each turn that goes
before the user's message. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from omoide.context.budget import Budget
from omoide.context.fence import fence_size, fenced, kept_inside
from omoide.context.layout import blocks_of, joined, made, rules_block
from omoide.context.material import Material, Standing
from omoide.context.neighbours import heed_neighbours
from omoide.context.passages import LONG, WHOLE, most_tokens, passages
from omoide.context.pieces import Piece, Section, fill, item_piece, shortened, turn_piece
from omoide.context.result import Block, Context, Part
from omoide.grounding.instructions import instructions
from omoide.models.prompts import prompt
from omoide.nouns.clock import moved_to
from omoide.nouns.item import Category, Item
from omoide.text.words import index_terms

RULES = prompt("context")
EMPTY = (
    "Nothing is stored yet that always matters. Invite the user to tell you what is worth"
    " remembering."
)
STABLE_SHARE = 0.4  # of the budget, at most
_HEADS = {
    Category.SYSTEM: (Part.SYSTEM, "The system:"),
    Category.PROFILE: (Part.PROFILE, "About the user:"),
    Category.PREFERENCE: (
        Part.STANDING,
        "The user's standing instructions and preferences; a later one counts:",
    ),
    Category.FACT: (Part.KNOWN, "Known facts:"),
    Category.SKILL: (Part.KNOWN, "Skills:"),
    Category.ERROR: (Part.KNOWN, "Errors to avoid:"),
}
SINCE = {
    part: Section(part=part, head=f"{what} since this session began:")
    for part, what in (
        (Part.SYSTEM, "The system"),
        (Part.PROFILE, "About the user,"),
        (Part.STANDING, "Standing instructions"),
        (Part.KNOWN, "Known"),
    )
}
STANDING = Section(part=Part.STANDING, head=_HEADS[Category.PREFERENCE][1])
ENDED = Section(part=Part.STANDING, head="No longer hold, whatever is said above:")
DUE = Section(part=Part.DUE, head="Due:")
NOW = Section(part=Part.NOW, head="")
CUT = Section(part=Part.CUT, head="")
TRUNCATED = "(memory truncated)"
ITEMS = Section(part=Part.ITEMS, head="What is known that may matter here:")


def frozen(material: Material, budget: Budget, rules: str = RULES) -> Context:
    """The stable part as it was when the session began, and what answers the question."""
    stable, blocks = stable_part(material.standing, material.now.tzinfo, budget, rules)
    rest = budget.less(budget.size(stable) + 1)
    turn, more = turn_part(without(material, blocks), rest)
    return made("frozen", material, budget, stable, turn, (*blocks, *more))


def stable_part(
    standing: Standing, zone: tzinfo | None, budget: Budget, rules: str
) -> tuple[str, list[Block]]:
    """The rules of reading, and what is always shown, as far as it fits its share of a budget; a
    budget too small for the rules has neither.
    """
    taken = budget.size(f"{rules}\n\n") + fence_size(budget)
    room = budget.share(STABLE_SHARE).less(taken)
    blocks = blocks_of(_cut(standing, zone, room), budget, stable=True)
    body = fenced(joined(blocks)) if blocks else EMPTY
    text = f"{rules}\n\n{body}"
    if budget.size(text) > budget.limit:
        return "", []
    return text, [rules_block(rules, budget), *blocks]


def _cut(standing: Standing, zone: tzinfo | None, room: Budget) -> list[Piece]:
    """The lines that fit, and where some do not, a mark that there are more."""
    wanted = [*standing_pieces(standing, zone)]
    chosen = fill(wanted, room)
    if len(chosen) == len({piece.key for piece in wanted}):
        return chosen
    mark = Piece(place=CUT, line=TRUNCATED)
    return [*fill(wanted, room.less(room.size(f"\n{TRUNCATED}\n"))), mark]


def standing_pieces(standing: Standing, zone: tzinfo | None) -> Iterator[Piece]:
    """The lines of what is always shown, first what the user asked for in so many words; facts and
    skills with how sure they are.
    """
    yield from said_pieces(standing, STANDING, zone or UTC)
    for item in standing.items:
        part, head = _HEADS[item.category]
        sure = item.category in (Category.FACT, Category.SKILL)
        yield item_piece(item, Section(part=part, head=head), zone or UTC, confidence=sure)


def said_pieces(standing: Standing, place: Section, zone: tzinfo) -> Iterator[Piece]:
    """The instructions that turns hold, the newest first."""
    for hit in standing.said:
        spans = [*instructions(hit.text)]
        if spans:
            text = " ".join(kept_inside(hit.text[start:end]) for start, end in spans)
            day = moved_to(hit.at, zone)
            yield Piece(
                place=place, line=f"- [{day:%Y-%m-%d}] {text}", ids=(hit.id,), at=hit.at, key=text
            )


def turn_part(material: Material, budget: Budget) -> tuple[str, list[Block]]:
    """The time, what is due, and the records that answer, as many as fit."""
    chosen = fill(turn_pieces(material), budget.less(fence_size(budget)))
    blocks = blocks_of(chosen, budget)
    return (fenced(joined(blocks)) if blocks else ""), blocks


def turn_pieces(material: Material) -> Iterator[Piece]:
    """The lines of the part for a turn, the most important first."""
    now, zone = material.now, material.now.tzinfo or UTC
    yield Piece(place=NOW, line=f"Now: {now:%Y-%m-%d %A %H:%M %z}")
    yield from said_pieces(material.since, SINCE[Part.STANDING], zone)
    for item in material.since.items:
        yield item_piece(item, SINCE[_HEADS[item.category][0]], zone)
    for item in material.ended:
        yield item_piece(item, ENDED, zone)
    for item in material.due:
        yield due_piece(item, now)
    due = {item.id for item in material.due}
    hits = tuple(hit for hit in material.hits if hit.id not in due)
    yield from hit_pieces(replace(material, hits=hits))


def without(material: Material, blocks: list[Block]) -> Material:
    """The material without the items that stand in blocks already; of a turn an instruction alone
    stands there.
    """
    shown = {id for block in blocks for id in block.ids}
    hits = (hit for hit in material.hits if hit.turn is not None or hit.id not in shown)
    return replace(material, hits=tuple(hits))


def due_piece(item: Item, now: datetime) -> Piece:
    """A line of an item that is due or overdue, with when."""
    at = moved_to(item.due_at or now, now.tzinfo)
    mark = "OVERDUE since" if at <= now else "DUE"
    text = shortened(item.text, passages(item.text, (), LONG))
    line = f"- {mark} {at:%Y-%m-%d %A %H:%M}: {text}"
    return Piece(place=DUE, line=line, ids=(item.id,), at=item.due_at)


def hit_pieces(material: Material, place: Section = ITEMS) -> Iterator[Piece]:
    """The recalled records as lines, the best first."""
    words, zone = frozenset(index_terms(material.question)), material.now.tzinfo or UTC
    for number, hit in enumerate(heed_neighbours(material.hits, WHOLE)):
        most = most_tokens(number)
        if hit.turn is not None:
            yield turn_piece(hit, hit.turn, words, zone, most=most)
        elif hit.item is not None:
            yield item_piece(hit.item, place, zone, words=words, most=most)
