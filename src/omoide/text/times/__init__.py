"""Time expressions in a question, in many languages, as intervals: "last week", "am 3. März 2025",
"三天前", "since 2019".

A query is read by the grammar of each language whose words it has, at most 2,000 characters of it.
Of several expressions the first counts, and of readings that start at the same place the longest.
docs/reference/time-expressions.md lists the forms and the choices behind them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from omoide.nouns.errors import InvalidTime
from omoide.text.times import dates, edges, periods, relative
from omoide.text.times.calendar import Stretch
from omoide.text.times.others import full_date
from omoide.text.times.ranges import EARLIEST, LATEST, interval, rules_for
from omoide.text.times.reader import Grammar, Reader
from omoide.text.times.words import candidates, fold, lexicons, tokens, unfold

__all__ = ["EARLIEST", "LATEST", "READ_LIMIT", "Interval", "find_interval"]

READ_LIMIT = 2_000  # characters of a query that are read
_GRAMMAR = Grammar(
    (*dates.RULES, *relative.RULES, *periods.RULES, *edges.RULES),
    (*periods.EXTENSIONS, *edges.EXTENSIONS),
)


@dataclass(frozen=True, slots=True)
class Interval:
    """The time that part of a query names.

    start is inclusive, end exclusive, start before end, both aware in the asker's zone. An interval
    that is open to the past starts at EARLIEST, one that is open to the future ends at LATEST;
    nothing lies outside those two. span says which characters of the query named it, and text is
    those characters.
    """

    start: datetime
    end: datetime
    span: tuple[int, int]
    text: str


def find_interval(query: str, now: datetime) -> Interval | None:
    """The interval that the first time expression of a query names, or None if it has none.

    Times relative to an event that is not itself a time ("the day before the wedding", "two days
    later") name none, nor does a time of day without a day.

    Raises:
        InvalidTime: now is naive.
    """
    if now.tzinfo is None:
        raise InvalidTime("now", f"{now.isoformat()} has no zone; give an aware datetime")
    text = query[:READ_LIMIT]
    found = _first(text, now) or full_date(text)
    if found is None:
        return None
    stretch, start, end = found
    earliest, latest = _local(EARLIEST, now), _local(LATEST, now)
    edges = (min(max(edge, earliest), latest) for edge in (stretch.start, stretch.end))
    first, last = (edge.replace(tzinfo=now.tzinfo) for edge in edges)
    return Interval(first, last, (start, end), text[start:end]) if first < last else None


def _local(moment: datetime, now: datetime) -> datetime:
    return moment.astimezone(now.tzinfo).replace(tzinfo=None)


def _first(text: str, now: datetime) -> tuple[Stretch, int, int] | None:
    """The expression that starts first, and among those the longest; equal ones by the order of
    languages.
    """
    folded = fold(text)
    cased = text if len(text) == len(folded) else folded
    best: tuple[Stretch, int, int] | None = None
    for name in candidates(folded):
        lexicon = lexicons()[name]
        found = tokens(folded, lexicon, now.tzinfo)
        reader = Reader(found, lexicon, now.replace(tzinfo=None), cased, _GRAMMAR)
        reading = _first_in(reader, best[1] if best else len(folded))
        if reading and (best is None or reading[1] < best[1] or reading[2] > best[2]):
            best = reading
    return (best[0], *unfold(text, best[1], best[2])) if best else None


def _first_in(reader: Reader, last_start: int) -> tuple[Stretch, int, int] | None:
    """The first expression of one language that starts no later than this, with its start and end
    in the folded text.
    """
    rules = rules_for(reader)
    for i, token in enumerate(reader.tokens):
        if token.start > last_start:
            break
        if reading := interval(reader, i, rules):
            return reading[0], token.start, reader.tokens[reading[1] - 1].end
    return None
