"""Rules for what is made of two times, or open on one side: "from X to Y", "between", "since",
"until", "before", "after".
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch
from omoide.text.times.reader import ReadAt, Reader, TimeReading, TimeRule, rule, tried
from omoide.text.times.relative import around

# The ends of open intervals. A day inside what datetime can hold, so that no change of zone
# overflows.
EARLIEST = datetime(1, 1, 2, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, tzinfo=UTC)
_START, _END = EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None)
_SPANS = frozenset({"day", "week", "fortnight", "month", "year"})


def rules_for(r: Reader) -> list[ReadAt]:
    """The rules for which the query has a word at all."""
    marked = any(token.text in ("-", "~") for token in r.tokens)
    return [
        one.read
        for one in _RULES
        if not one.starts.isdisjoint(r.kinds) or (marked and one.read in (_from_to, _hours))
    ]


def interval(r: Reader, i: int, rules: list[ReadAt]) -> TimeReading | None:
    """The longest interval that starts at this token. Of equally long ones a point wins over an
    open side.
    """
    if not r.starts(i) or r.has(i - 1, "every"):  # habits have no one time
        return None
    readings = (r.point(i), *(tried(read, r, i, False) for read in rules))
    return max(filter(None, readings), key=lambda reading: reading[1], default=None)


def _between(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "between X and Y", "X和Y之间"."""
    pre = r.has(i, "between") is not None
    first, j = _first(r, i + 1 if pre else i)
    if first is None or not r.has(j, "and"):
        return None
    last = r.point(r.past_fill(j + 1), True) or r.point(j + 1, True)
    post = r.has(r.past_fill(last[1], 1), "between_post") is not None if last else False
    if not last or not (pre or post):
        return None
    whole = _joined(first, last[0])
    return (whole, r.past_fill(last[1], 1) + 1 if post else last[1]) if whole else None


def _from_to(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "from X to Y", "X-Y", "3 al 5 de marzo", "XからYまで"."""
    pre = r.has(i, "from", "since") is not None
    for start in (r.past_fill(i + 1), i + 1) if pre else (i,):
        first, j = _first(r, start)
        k = _past_to(r, j)
        if first is None or k is None:
            continue
        last = r.point(r.past_fill(k), True) or r.point(k, True) or _last_day(r, first, k)
        whole = _joined(first, last[0]) if last else None
        if last and whole:
            return whole, last[1] + (r.has(last[1], "until_post") is not None)
    return None


def _past_to(r: Reader, i: int) -> int | None:
    """The index after the word or sign that leads from one time to another; None without one."""
    j = i + (r.has(i, "since_post") is not None and r.has(i, "to") is None)
    joined = r.has(j, "to") is not None or r.says(j, "-", "~")
    return j + joined if joined or j > i else None


def _first(r: Reader, i: int) -> tuple[Stretch | int | None, int]:
    """The earlier end: a point of time, or a bare number that what follows explains."""
    i = r.past_fill(i) if r.has(i, "fill") and r.figures(i) is None else i
    found = r.point(i, True)
    number = r.figures(i, (1, 2))
    after = i + (2 if r.says(i + 1, ".") and r.has(i, "number") is None else 1)
    if number is not None and (found is None or found[1] <= after):
        return number, after
    return found if found else (None, i)


def _last_day(r: Reader, first: Stretch | int, i: int) -> TimeReading | None:
    """The 5th in "March 3-5" or "3月3日から5日": a day of the month that the range began in; then
    perhaps the year.
    """
    day = r.day_number(i)
    if isinstance(first, int) or first.unit != "day" or day is None:
        return None
    year = r.year(r.past_fill(day[2]))
    start = first.start.replace(year=year[0]) if year and first.repeats else first.start
    last = calendar.day(start.year, start.month, day[0])
    repeats = "" if year else first.repeats
    return Stretch(last.start, last.end, "day", repeats), year[1] if year else day[2]


def _joined(first: Stretch | int, last: Stretch) -> Stretch | None:
    """From the start of one to the end of the other; what one leaves open, the other decides."""
    if isinstance(first, int):
        if last.unit != "day":
            return None
        begin = calendar.day(last.start.year, last.start.month, first)
        return Stretch(begin.start, last.end) if begin.start < last.start else None
    if last.repeats and last.start < first.start:  # "from Friday to Monday", "October to January"
        last = calendar.repeat(last, first.start, 1)
    elif first.repeats and not last.repeats:  # "June to August 2024"
        first = calendar.repeat(first, last.start, -1)
    return Stretch(min(first.start, last.start), max(first.end, last.end))


def _since(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "since 2019", "seit März", "depuis 3 jours", "2019年以来": up to now."""
    pre = r.has(i, "since") is not None
    found = _since_when(r, i + pre, pre)
    j = r.past_fill(found[1], 1) if found else i
    post = r.has(j, "since_post") is not None
    if found is None or not (pre or post):
        return None
    return _up_to(r, found[0], j + 1 if post else found[1])


def _up_to(r: Reader, start: Stretch, i: int) -> TimeReading | None:
    """From a time to the one that follows, as in "since March until yesterday", else to now."""
    last = _led(r, i + 1, True) if r.has(i, "until") else None
    if last is None:
        return Stretch(start.start, _open_end(r, start.start)), i
    whole = _joined(start, last[0])
    return (whole, last[1]) if whole else None


def _since_when(r: Reader, i: int, pre: bool) -> TimeReading | None:
    counted = r.amount(i) if pre else None
    return (around(r, counted[0], -1), counted[1]) if counted else _led(r, i, pre)


def _open_end(r: Reader, start: datetime) -> datetime:
    """Now, or no end where the start is yet to come."""
    return r.now if start < r.now else _END


def _until(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "until March", "bis gestern", "3月まで": through the end of it."""
    found = _one_sided(r, i, "until")
    return (Stretch(_START, found[0].end), found[1]) if found else None


def _ahead_of(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "before 2020", "vor dem 3. März", "2020年以前"."""
    found = _one_sided(r, i, "before")
    if found is None or found[0].start <= _START:
        return None
    return Stretch(_START, found[0].start), found[1]


def _past(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "after March 2025": up to now, or without end if it is yet to come."""
    found = _one_sided(r, i, "after")
    if found is None:
        return None
    return Stretch(found[0].end, _open_end(r, found[0].end)), found[1]


def _one_sided(r: Reader, i: int, kind: str) -> TimeReading | None:
    pre = r.has(i, kind) is not None
    found = _led(r, i + 1 if pre else i, pre)
    if found is None or pre:
        return found
    j = r.past_fill(found[1], 1)
    return (found[0], j + 1) if r.has(j, f"{kind}_post") else None


def _led(r: Reader, i: int, pre: bool) -> TimeReading | None:
    return r.point(r.past_fill(i), True) or r.point(i, True) if pre else r.point(i, True)


def _distance(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "two days before 3 March", "a week after the 5th": so far from a day that is itself
    named.
    """
    counted = r.amount(i)
    found = _beside(r, counted[1]) if counted else None
    if not counted or not found or calendar.is_short(counted[0].unit):
        return None
    day, end, after = found
    low, high = counted[0].after(day.start) if after else counted[0].before(day.start)
    return Stretch(low, high + timedelta(days=1), "day" if low == high else ""), end


def _next_to(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "the day before 3 March", "the week after the 5th": all of that time, up to the day or from
    its end.
    """
    unit = r.has(i, "unit")
    found = _beside(r, i + 1) if unit and unit.number == 1 and unit.unit in _SPANS else None
    if not unit or not found:
        return None
    day, end, after = found
    grain = "day" if unit.unit == "day" else ""
    if after:
        return Stretch(day.end, calendar.shift(day.end, 1, unit.unit), grain), end
    return Stretch(calendar.shift(day.start, -1, unit.unit), day.start, grain), end


def _beside(r: Reader, i: int) -> tuple[Stretch, int, bool] | None:
    """ "before" or "after" a day, and which."""
    after = r.has(i, "after") is not None
    found = _led(r, i + 1, True) if after or r.has(i, "before") else None
    return (found[0], found[1], after) if found and found[0].unit == "day" else None


def _hours(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "between 2 and 4pm yesterday", "yesterday from 9 to 11"."""
    hours = _hours_led(r, i)
    if hours:
        day = _led(r, hours[2], True)
        return (_within(day[0], hours), day[1]) if day and day[0].unit == "day" else None
    day = r.point(i)
    if day and day[0].unit == "hour":
        return _until_hour(r, *day)
    hours = _hours_led(r, r.past_fill(day[1], 1)) if day and day[0].unit == "day" else None
    return (_within(day[0], hours), hours[2]) if day and hours else None


def _hours_led(r: Reader, i: int) -> tuple[timedelta, timedelta, int] | None:
    pre = r.has(i, "between", "from", "since") is not None
    return _clocks(r, i + pre, pre)


def _within(day: Stretch, hours: tuple[timedelta, timedelta, int]) -> Stretch:
    return Stretch(day.start + hours[0], day.start + hours[1])


def _until_hour(r: Reader, first: Stretch, i: int) -> TimeReading | None:
    """The end of "hier de 14h à 16h", whose start was read with its day."""
    joined = r.has(i, "to", "until") is not None or r.says(i, "-", "~")
    last = _hour(r, i + 1) if joined else None
    if last is None:
        return None
    end = calendar.day_start(first.start) + _since_midnight(last)
    return (Stretch(first.start, end), last[2]) if end > first.start else None


def _hour(r: Reader, i: int) -> tuple[int, int, int] | None:
    return r.clock(i) or r.bare_hour(i)


def _clocks(r: Reader, i: int, led: bool) -> tuple[timedelta, timedelta, int] | None:
    """Two times of day, and the next index. After "from" or "between" bare hours will do."""
    first = _hour(r, i)
    if first is None or not (r.has(first[2], "to", "and", "until") or r.says(first[2], "-", "~")):
        return None
    last = _hour(r, first[2] + 1)
    if last is None or not (led or r.clock(i) or r.clock(first[2] + 1)):
        return None
    start, end = _since_midnight(first), _since_midnight(last)
    # "2 to 4pm"
    if r.clock(i) is None and first[0] + 12 < last[0] + (last[1] > 0):
        start += timedelta(hours=12)
    return (start, end, last[2]) if start < end else None


def _since_midnight(clock: tuple[int, int, int]) -> timedelta:
    return timedelta(hours=clock[0], minutes=clock[1])


_RULES: tuple[TimeRule, ...] = (
    rule(_between, "between", "between_post"),
    rule(_from_to, "to", "since_post"),
    rule(_since, "since", "since_post"),
    rule(_until, "until", "until_post"),
    rule(_ahead_of, "before", "before_post"),
    rule(_past, "after", "after_post"),
    rule(_distance, "before", "after"),
    rule(_next_to, "before", "after"),
    rule(_hours, "to", "and"),
)
