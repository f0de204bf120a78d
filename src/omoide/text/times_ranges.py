"""Rules for what is made of two times, or open on one side: "from X to Y", "between", "since", "until", "before", "after"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from omoide.text import times_calendar as calendar
from omoide.text.times_calendar import Stretch
from omoide.text.times_reader import Reader, Reading, Rule
from omoide.text.times_relative import around

# The ends of open intervals. A day inside what datetime can hold, so that no change of zone overflows.
EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, tzinfo=UTC)
_START, _END = EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None)
_SHIFTED = frozenset({"day", "week", "fortnight", "month", "year"})


def interval(r: Reader, i: int) -> Reading | None:
    """The longest interval that starts at this token. Of equally long ones a point wins over an open side."""
    found = [reading for reading in (r.point(i), *(rule(r, i, False) for rule in _RULES)) if reading]
    return max(found, key=lambda reading: reading[1]) if found else None


def _between(r: Reader, i: int, led: bool) -> Reading | None:
    """ "between X and Y", "X和Y之间"."""
    pre = r.has(i, "between") is not None
    first, j = _first(r, i + 1 if pre else i)
    if first is None or not r.has(j, "and"):
        return None
    last = r.point(r.past_fill(j + 1), True) or r.point(j + 1, True)
    post = r.has(r.past_fill(last[1], 1), "between_post") is not None if last else False
    if not last or not (pre or post):
        return None
    whole = _joined(r, first, last[0])
    return (whole, r.past_fill(last[1], 1) + 1 if post else last[1]) if whole else None


def _from_to(r: Reader, i: int, led: bool) -> Reading | None:
    """ "from X to Y", "X-Y", "3 al 5 de marzo", "XからYまで"."""
    pre = r.has(i, "from", "since") is not None
    for start in (r.past_fill(i + 1), i + 1) if pre else (i,):
        first, j = _first(r, start)
        k = j if first is None or r.has(j, "to") or not r.has(j, "since_post") else j + 1
        marked = r.says(k, "-", "~")
        if first is None or not (marked or r.has(k, "to") or k > j):
            continue
        k += 1 if marked or r.has(k, "to") else 0
        last = r.point(r.past_fill(k), True) or r.point(k, True) or _last_day(r, first, k)
        whole = _joined(r, first, last[0]) if last else None
        if last and whole:
            return whole, last[1] + (r.has(last[1], "until_post") is not None)
    return None


def _first(r: Reader, i: int) -> tuple[Stretch | int | None, int]:
    """The earlier end: a point of time, or a bare number that what follows explains."""
    i = r.past_fill(i) if r.has(i, "fill") and r.figures(i) is None else i
    found = r.point(i, True)
    number = r.figures(i, (1, 2))
    after = i + (2 if r.says(i + 1, ".") and r.has(i, "number") is None else 1)
    if number is not None and (found is None or found[1] <= after):
        return number, after
    return found if found else (None, i)


def _last_day(r: Reader, first: Stretch | int, i: int) -> Reading | None:
    """The 5th in "March 3-5" or "3月3日から5日": a day of the month that the range began in; then perhaps the year."""
    day = r.day_number(i)
    if isinstance(first, int) or first.unit != "day" or day is None:
        return None
    year = r.year(r.past_fill(day[2]))
    start = first.start.replace(year=year[0]) if year and first.repeats else first.start
    last = calendar.day(start.year, start.month, day[0])
    repeats = "" if year else first.repeats
    return Stretch(last.start, last.end, "day", repeats), year[1] if year else day[2]


def _joined(r: Reader, first: Stretch | int, last: Stretch) -> Stretch | None:
    """From the start of one to the end of the other; what one leaves open, the other decides."""
    if isinstance(first, int):
        if last.unit != "day":
            return None
        begin = calendar.day(last.start.year, last.start.month, first)
        return Stretch(begin.start, last.end) if begin.start < last.start else None
    if last.repeats and last.start < first.start:  # "from Friday to Monday", "October to January"
        while last.start < first.start:
            last = calendar.moved(last, 1)
    elif first.repeats and not last.repeats:  # "June to August 2024"
        first = _before(first, last)
    start, end = min(first, last, key=lambda one: one.start), max(first, last, key=lambda one: one.end)
    return Stretch(start.start, end.end)


def _before(first: Stretch, last: Stretch) -> Stretch:
    """The latest repeat that starts no later than last does."""
    if first.repeats == "year":
        first = calendar.moved(first, last.start.year - first.start.year)
    while first.start > last.start:
        first = calendar.moved(first, -1)
    return first


def _since(r: Reader, i: int, led: bool) -> Reading | None:
    """ "since 2019", "seit März", "depuis 3 jours", "2019年以来": up to now."""
    pre = r.has(i, "since") is not None
    counted = r.amount(i + 1) if pre else None
    found = (around(r, counted[0], -1), counted[1]) if counted else _led(r, i + 1 if pre else i, pre)
    j = r.past_fill(found[1], 1) if found else i
    post = r.has(j, "since_post") is not None
    if found is None or not (pre or post):
        return None
    end = j + 1 if post else found[1]
    closing = r.has(end, "until")  # "since March until yesterday"
    last = _led(r, end + 1, True) if closing else None
    whole = _joined(r, found[0], last[0]) if last else Stretch(found[0].start, r.now if found[0].start < r.now else _END)
    return (whole, last[1] if last else end) if whole else None


def _until(r: Reader, i: int, led: bool) -> Reading | None:
    """ "until March", "bis gestern", "3月まで": through the end of it."""
    found = _one_sided(r, i, "until")
    return (Stretch(_START, found[0].end), found[1]) if found else None


def _ahead_of(r: Reader, i: int, led: bool) -> Reading | None:
    """ "before 2020", "vor dem 3. März", "2020年以前"."""
    found = _one_sided(r, i, "before")
    return (Stretch(_START, found[0].start), found[1]) if found and found[0].start > _START else None


def _past(r: Reader, i: int, led: bool) -> Reading | None:
    """ "after March 2025": up to now, or without end if it is yet to come."""
    found = _one_sided(r, i, "after")
    return (Stretch(found[0].end, r.now if found[0].end < r.now else _END), found[1]) if found else None


def _one_sided(r: Reader, i: int, kind: str) -> Reading | None:
    pre = r.has(i, kind) is not None
    found = _led(r, i + 1 if pre else i, pre)
    if found is None or pre:
        return found
    j = r.past_fill(found[1], 1)
    return (found[0], j + 1) if r.has(j, f"{kind}_post") else None


def _led(r: Reader, i: int, pre: bool) -> Reading | None:
    return r.point(r.past_fill(i), True) or r.point(i, True) if pre else r.point(i, True)


def _distance(r: Reader, i: int, led: bool) -> Reading | None:
    """ "two days before 3 March", "the week after last Christmas Eve": so far from a day that is itself named."""
    counted = r.amount(i)
    unit = r.has(i, "unit")
    side = counted[1] if counted else i + 1
    after = r.has(side, "after") is not None
    found = _led(r, side + 1, True) if (counted or (unit and unit.number == 1)) and (after or r.has(side, "before")) else None
    if found is None or found[0].unit != "day":
        return None
    if counted is None and unit:
        if unit.unit not in _SHIFTED:
            return None
        start, end = (found[0].end, calendar.shift(found[0].end, 1, unit.unit)) if after else (
            calendar.shift(found[0].start, -1, unit.unit),
            found[0].start,
        )
        return Stretch(start, end, "day" if unit.unit == "day" else ""), found[1]
    amount = counted[0] if counted else None
    if amount is None or calendar.is_short(amount.unit):
        return None
    low, high = amount.after(found[0].start) if after else amount.before(found[0].start)
    return Stretch(low, high + timedelta(days=1), "day" if low == high else ""), found[1]


_RULES: tuple[Rule, ...] = (_between, _from_to, _since, _until, _ahead_of, _past, _distance)
