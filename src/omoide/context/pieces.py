"""Pieces: recalled records as the lines of a context, each with its place, date and label. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from omoide.context.budget import Budget
from omoide.context.fence import kept_inside
from omoide.context.passages import LONG, Span, passages
from omoide.context.result import Part
from omoide.grounding.pasted import holds_pasted, is_pasted
from omoide.models.chat.material import one_name
from omoide.nouns.hit import Hit, Passage
from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.turn import Role, Turn

_OWNERS = {Tier.USER: "", Tier.AGENT: "inferred", Tier.DOCUMENT: "document"}
SHORT_LINE, MISSES = "- [2026-01-05] " + 16 * "word ", 10
_BRACKETS = str.maketrans("", "", "()<>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where pieces stand together: under one head. Places stand by part, then by order."""

    part: Part
    head: str
    order: tuple[datetime, str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """One line of a context, or several of one text, and the records behind it."""

    place: Place
    line: str
    ids: tuple[str, ...] = ()
    at: datetime | None = None  # pieces of one place stand in this order; without it, as given
    key: str = ""  # pieces of one key say the same


def item_piece(
    item: Item,
    place: Place,
    zone: tzinfo,
    *,
    words: Collection[str] = (),
    most: int = LONG,
    confidence: bool = False,
) -> Piece:
    """An item as a line: ``- [2026-01-05, inferred] Ana likes tea``."""
    since = item.valid_from.astimezone(zone)
    told = ", ".join(filter(None, (f"{since:%Y-%m-%d}", *labels(item))))
    sure = f" ({item.confidence:.2f})" if confidence else ""
    text = shortened(item.text, passages(item.text, words, most))
    return Piece(
        place=place,
        line=f"- [{told}] {text}{sure}",
        ids=(item.id,),
        at=item.valid_from,
        key=text,
    )


def labels(item: Item) -> tuple[str, ...]:
    """What a reader must know of an item before believing it: whose word it is, and doubt."""
    kind = item.category.value if item.category in (Category.REMINDER, Category.ERROR) else ""
    doubt = "unconfirmed" if item.is_unconfirmed else ""
    ended = "" if item.is_open else "no longer holds"
    return tuple(filter(None, (kind, _OWNERS[item.tier], doubt, ended)))


def turn_piece(
    hit: Hit, turn: Turn, words: Collection[str], zone: tzinfo, *, most: int = LONG
) -> Piece:
    """A turn, or the passages of it that answer, as a line: ``- Ana: I like tea``.

    It stands with the other turns of its session and day.
    """
    at = turn.at.astimezone(zone)
    whole = Passage(0, len(turn.text), len(turn.text))
    part = hit.passage if hit.passage and hit.passage.total == whole.total else whole
    inside = passages(turn.text[part.start : part.end], words, most)
    spans = [(part.start + start, part.start + end) for start, end in inside]
    text = shortened(turn.text, spans)
    pasted = (
        holds_pasted(turn.text, turn.role)
        if spans == [(0, len(turn.text))]
        else any(is_pasted(turn.text, *span, turn.role) for span in spans)
    )
    return Piece(
        place=Place(
            part=Part.TALK,
            head=f"{at:%Y-%m-%d %A}:",
            order=(at.replace(hour=0, minute=0, second=0, microsecond=0), turn.session),
        ),
        line=f"- {speaker(turn)}{' (pasted)' if pasted else ''}: {text}",
        ids=(turn.id,),
        at=turn.at,
        key=text,
    )


def shortened(text: str, spans: Sequence[Span]) -> str:
    """The passages of a text, with a sign where something is left out."""
    shown = [kept_inside(text[start:end]) for start, end in spans]
    before = "… " if text[: spans[0][0]].strip() else ""
    after = " …" if text[spans[-1][1] :].strip() else ""
    return f"{before}{' … '.join(filter(None, shown))}{after}"


def speaker(turn: Turn) -> str:
    """Who says a turn: the name, and the role of what is no person's."""
    name = kept_inside(one_name(turn.speaker)).translate(_BRACKETS).strip()[:80]
    if turn.role is Role.USER:
        return name or "user"
    return f"{name} ({turn.role.value})" if name and name != turn.role else f"({turn.role.value})"


def fill(pieces: Iterable[Piece], budget: Budget) -> list[Piece]:
    """The first pieces that fit a budget together with the heads of their places; what is said
    already is passed over, and so is what is too large, since a smaller one may still fit. Once
    there is only room for a short line, ten that do not fit end it.
    """
    chosen: list[Piece] = []
    places: set[Place] = set()
    parts: set[Part] = set()
    said: set[str] = set()
    left, short, misses = budget.limit, budget.size(SHORT_LINE), 0
    for piece in pieces:
        if left < short and misses == MISSES:
            break
        if piece.key and piece.key in said:
            continue
        head = "" if piece.place in places else f"{piece.place.head}\n"
        apart = head if piece.place.part in parts else f"\n{head}"  # an empty line between parts
        cost = budget.size(apart) + budget.size(f"{piece.line}\n")
        if cost <= left:
            chosen.append(piece)
            places.add(piece.place)
            parts.add(piece.place.part)
            said.add(piece.key)
            left -= cost
        else:
            misses += left < short
    return chosen
