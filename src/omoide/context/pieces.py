"""Pieces: recalled records as the lines of a context, each with its place, date and label. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, tzinfo

from omoide.context.budget import Budget, size_within
from omoide.context.fence import kept_inside
from omoide.context.passages import LONG, passages
from omoide.context.result import Part
from omoide.grounding.pasted import PASTED, pasted_spans, rests_on_pasted
from omoide.models.chat.material import one_name
from omoide.nouns.clock import moved_to
from omoide.nouns.hit import Hit, Passage
from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Role, Turn
from omoide.text.passages import Span

_OWNERS = {Tier.USER: "", Tier.AGENT: "inferred", Tier.DOCUMENT: "document"}
SHORT_LINE, MISSES = "- [2026-01-05] " + 16 * "word ", 10
_BRACKETS = str.maketrans("", "", "()<>")


@frozen_record
class Section:
    """Where pieces stand together: under one head. Places stand by part, then by order."""

    part: Part
    head: str
    order: tuple[datetime, str] | None = None


@frozen_record
class Piece:
    """One line of a context, or several of one text, and the records behind it."""

    place: Section
    line: str
    ids: tuple[str, ...] = ()
    at: datetime | None = None  # pieces of one place stand in this order; without it, as given
    key: str = ""  # pieces of one key say the same


def item_piece(
    item: Item,
    place: Section,
    zone: tzinfo,
    *,
    words: Collection[str] = (),
    most: int = LONG,
    confidence: bool = False,
) -> Piece:
    """An item as a line: ``- [2026-01-05, inferred] Ana likes tea``."""
    since = moved_to(item.valid_from, zone)
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
    copied = PASTED if rests_on_pasted(item) else ""
    doubt = "unconfirmed" if item.is_unconfirmed else ""
    ended = "" if item.is_open else "no longer holds"
    return tuple(filter(None, (kind, _OWNERS[item.tier], copied, doubt, ended)))


def turn_piece(
    hit: Hit, turn: Turn, words: Collection[str], zone: tzinfo, *, most: int = LONG
) -> Piece:
    """A turn, or the passages of it that answer, as a line: ``- Ana: I like tea``.

    It stands with the other turns of its session and day.
    """
    spans = _shown_spans(hit, turn, words, most)
    text = shortened(turn.text, spans)
    pasted = " (pasted)" if _shows_pasted(turn, spans) else ""
    return Piece(
        place=_day_of(turn, zone),
        line=f"- {speaker(turn)}{pasted}: {text}",
        ids=(turn.id,),
        at=turn.at,
        key=text,
    )


def _shown_spans(hit: Hit, turn: Turn, words: Collection[str], most: int) -> list[Span]:
    """Where in a turn that stands of it that is shown, within the passage that was found."""
    whole = Passage(0, len(turn.text), len(turn.text))
    part = hit.passage if hit.passage and hit.passage.total == whole.total else whole
    inside = passages(turn.text[part.start : part.end], words, most)
    return [(part.start + start, part.start + end) for start, end in inside]


def _shows_pasted(turn: Turn, spans: Sequence[Span]) -> bool:
    return any(
        start < end and begin < stop
        for begin, end in pasted_spans(turn.text, turn.role)
        for start, stop in spans
    )


def _day_of(turn: Turn, zone: tzinfo) -> Section:
    """Where turns of one session and day stand together."""
    day = moved_to(turn.at, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return Section(part=Part.TALK, head=f"{day:%Y-%m-%d %A}:", order=(day, turn.session))


def shortened(text: str, spans: Sequence[Span]) -> str:
    """The passages of a text, with a sign between them."""
    shown = (kept_inside(text[start:end]) for start, end in spans)
    return " … ".join(filter(None, shown))


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
    places: set[Section] = set()
    said: set[str] = set()
    left, short, misses = float(budget.limit), budget.size(SHORT_LINE), 0
    for piece in pieces:
        if left < short and misses == MISSES:
            break
        if piece.key and piece.key in said:
            continue
        cost = _cost(piece, places, budget)
        if cost <= left:
            chosen.append(piece)
            places.add(piece.place)
            said.add(piece.key)
            left -= cost
        else:
            misses += left < short
    return chosen


def _cost(piece: Piece, places: Collection[Section], budget: Budget) -> float:
    """What a piece takes besides those in some places: its line, the head of a new place, and an
    empty line before a new part.
    """
    line = f"{piece.line}\n"
    if piece.place not in places:
        is_first = all(place.part is not piece.place.part for place in places)
        line += f"\n{piece.place.head}\n" if is_first else f"{piece.place.head}\n"
    return size_within(line, budget)
