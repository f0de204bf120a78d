"""Rules for days at the edge of another time: "the last two weeks of August", "the Monday before 24
July", "2024年5月的前三天".
"""

from __future__ import annotations

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch, shift, the
from omoide.text.times.periods import LONG, point_or_this
from omoide.text.times.reader import AMOUNTS, Amount, Extension, Reader, TimeReading, TimeRule, rule

_ONE = frozenset({"month", "quarter", "year", "decade"})  # single days and weeks have their rule


def _counted(r: Reader, i: int, led: bool) -> TimeReading | None:
    """So many units at the edge of the time that follows: "the first three days of May 2024", "les
    10 derniers jours de 2023".
    """
    found = _edge_and_amount(r, i)
    whole = point_or_this(r, found[2], LONG) if found else None
    part = _part_of(whole[0], found[0], found[1]) if found and whole else None
    return (part, whole[1]) if part and whole else None


def _edge_and_amount(r: Reader, i: int) -> tuple[int, Amount, int] | None:
    """Which edge, how much of it, and the next index; the adjective may stand after the number."""
    edge = _edge(r, i)
    if edge:
        counted = r.amount(i + 1) or _one(r, i + 1)
        return (edge, *counted) if counted else None
    count = r.quantity(i)
    edge = _edge(r, count[2]) if count else 0
    unit = r.has(count[2] + 1, "unit") if count and edge else None
    return (edge, Amount(count[0], count[1], unit.unit), count[2] + 2) if count and unit else None


def _one(r: Reader, i: int) -> tuple[Amount, int] | None:
    """The unit alone, of something longer: "the last month of 2023"."""
    unit = r.has(i, "unit")
    is_one = unit is not None and unit.number == 1 and unit.unit in _ONE
    if unit is None or not is_one or r.has(i + 1, "fill", "in", "in_the") is None:
        return None
    return Amount(1, 1, unit.unit), i + 1


def _edge(r: Reader, i: int) -> int:
    """-1 for words like "the last", 1 for words like "first", else 0."""
    word = r.has(i, "counted", "offset", "ordinal")
    if word and (word.number == -1 or (word.number == 1 and r.has(i, "counted", "ordinal"))):
        return word.number
    return -1 if r.has(i, "rolling") else 0


def _part_of(whole: Stretch, edge: int, amount: Amount) -> Stretch | None:
    """So many units from the start of a time, or up to its end; None where it has not as many."""
    if calendar.is_short(amount.unit):
        return None
    if edge > 0:
        part = Stretch(whole.start, shift(whole.start, amount.high, amount.unit))
    else:
        part = Stretch(shift(whole.end, -amount.high, amount.unit), whole.end)
    is_inside = whole.start <= part.start and part.end <= whole.end
    return part if is_inside and (part.start, part.end) != (whole.start, whole.end) else None


def _then_counted(r: Reader, whole: Stretch, i: int) -> TimeReading | None:
    """The same after the longer time: "2023年最后10天", "2024年5月の最初の3日間"."""
    j = r.past_fill(i, 1)
    edge = r.has(j, "counted") if whole.unit in LONG else None
    counted = r.amount(j + 1) if edge else None
    part = _part_of(whole, edge.number, counted[0]) if edge and counted else None
    return (part, counted[1]) if part and counted else None


def _weekday_beside(r: Reader, i: int, led: bool) -> TimeReading | None:
    """The weekday next to a date: "the Monday before July 24, 2023", "vendredi après le 3 mars"."""
    first = r.has(i, "ordinal")
    j = i + 1 if first and first.number == 1 else i
    name, side = r.has(j, "weekday"), _side(r, j + 1, "before", "after")
    date = (r.point(r.past_fill(j + 2), True) or r.point(j + 2, True)) if name and side else None
    if name is None or not date or not _is_dated(date[0]):
        return None
    return _next_to(date[0], name.number, side), date[1]


def _then_weekday(r: Reader, whole: Stretch, i: int) -> TimeReading | None:
    """The same after its date: "2023年7月24日之前的星期一"."""
    side = _side(r, i, "before_post", "after_post")
    j = r.past_fill(i + 1, 1)
    name = r.has(j, "weekday") if side and _is_dated(whole) else None
    return (_next_to(whole, name.number, side), j + 1) if name else None


def _side(r: Reader, i: int, before: str, after: str) -> int:
    if r.has(i, before):
        return -1
    return 1 if r.has(i, after) else 0


def _is_dated(whole: Stretch) -> bool:
    return whole.unit in (LONG | {"day"}) and whole.repeats != "week"


def _next_to(date: Stretch, weekday: int, side: int) -> Stretch:
    """The last such weekday before a date, or the first after it."""
    beside = the("day", date.end if side > 0 else shift(date.start, -1, "day"))
    by = (weekday - beside.start.weekday()) % 7 if side > 0 else None
    if by is None:
        by = -((beside.start.weekday() - weekday) % 7)
    return the("day", shift(beside.start, by, "day"))


RULES: tuple[TimeRule, ...] = (
    rule(_counted, AMOUNTS, "counted", "offset", "rolling", "ordinal"),
    rule(_weekday_beside, "weekday", "ordinal"),
)
EXTENSIONS: tuple[Extension, ...] = (_then_counted, _then_weekday)
