"""The calendar behind time expressions: stretches of local time, and how to move among them.

Everything here is naive local time of one place; the zone is put on at the very end, so that a day
is a day there even when its clocks change. Weeks start on Monday.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

MONTHS_OF = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
SECONDS_OF = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 604_800,
    "weekend": 604_800,
    "fortnight": 1_209_600,
}
DAYS_OF_VAGUE = {
    "month": 30,
    "quarter": 91,
    "half": 182,
    "year": 365,
    "decade": 3652,
    "century": 36_524,
}
# Hours from midnight at which a part of the day starts and ends; the night ends in the next
# morning.
PARTS = {
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 30),
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """From start until before end, in naive local time.

    unit is what it is one of (``day``, ``month`` …), or "" for anything else. repeats is set where
    the words left open which one is meant and the latest was taken: ``year`` for "in March",
    ``week`` for "on Monday", ``month`` for "on the 5th"; a range may then choose another.
    """

    start: datetime
    end: datetime
    unit: str = ""
    repeats: str = ""


def day_start(moment: date) -> datetime:
    """Its midnight."""
    return datetime(moment.year, moment.month, moment.day)


def month_start(months: int) -> datetime:
    """The first of the month that is so many months after January of year 0.

    Raises:
        ValueError: outside the years 1 to 9999. The end of 9999 itself is ``datetime.max``.
    """
    year, month = divmod(months, 12)
    return datetime.max if (year, month) == (10_000, 0) else datetime(year, month + 1, 1)


def the(unit: str, moment: datetime, by: int = 0) -> Stretch:
    """The calendar unit that moment is in, moved by so many of them.

    Raises:
        ValueError, OverflowError: outside the years 1 to 9999.
    """
    if unit in MONTHS_OF:
        size = MONTHS_OF[unit]
        first = moment.year * 12 + moment.month - 1
        first += size * by - first % size
        return Stretch(month_start(first), month_start(first + size), unit)
    if unit in _IN_WEEKS:
        weeks, after, days = _IN_WEEKS[unit]
        monday = day_start(moment) - timedelta(days=moment.weekday())
        start = monday + timedelta(weeks=by * weeks, days=after)
        return Stretch(start, start + timedelta(days=days), unit)
    length = timedelta(seconds=SECONDS_OF[unit])
    midnight = day_start(moment)
    start = midnight + (moment - midnight) // length * length + length * by
    return Stretch(start, start + length, unit)


# one comes after so many weeks, begins so many days after Monday, and has so many days
_IN_WEEKS = {"week": (1, 0, 7), "weekend": (1, 5, 2), "fortnight": (2, 0, 14)}


def shift(moment: datetime, by: int, unit: str) -> datetime:
    """The same time so many units later; the last day of a month where that month has no such day.

    Raises:
        ValueError, OverflowError: outside the years 1 to 9999.
    """
    if unit not in MONTHS_OF:
        return moment + timedelta(seconds=SECONDS_OF[unit] * by)
    first = month_start(moment.year * 12 + moment.month - 1 + MONTHS_OF[unit] * by)
    day = min(moment.day, days_in(first.year, first.month))
    return moment.replace(year=first.year, month=first.month, day=day)


def is_short(unit: str) -> bool:
    """Shorter than a day."""
    return SECONDS_OF.get(unit, SECONDS_OF["day"]) < SECONDS_OF["day"]


def vague(count: int, unit: str) -> timedelta:
    """So many units as days, a month being 30 and a year 365 of them."""
    seconds = SECONDS_OF.get(unit) or DAYS_OF_VAGUE[unit] * SECONDS_OF["day"]
    return timedelta(seconds=seconds * count)


def repeat(stretch: Stretch, moment: datetime, step: int) -> Stretch:
    """The first repeat that starts no earlier than moment (step 1), or the last that starts no
    later (step -1).

    Raises:
        ValueError, OverflowError: outside the years 1 to 9999.
    """
    if stretch.repeats == "week":
        weeks = -((stretch.start - moment) * step // timedelta(weeks=1))
        return _repeated(stretch, shift(stretch.start, weeks * step, "week"))
    is_yearly = stretch.repeats == "year"
    at = moment.year * 12 + (stretch.start.month if is_yearly else moment.month) - 1
    by = (12 if is_yearly else 1) * step
    for first in range(at - 3 * by, at + 9 * by, by):
        start = month_start(first) + timedelta(days=stretch.start.day - 1)
        if start.day == stretch.start.day and (start - moment) * step >= timedelta():
            return _repeated(stretch, start)
    raise ValueError("no repeat there")


def _repeated(stretch: Stretch, start: datetime) -> Stretch:
    """Its like from this day on; what has whole months keeps their number, others keep their
    length.
    """
    day = day_start(stretch.start)
    start += stretch.start - day
    if stretch.unit in MONTHS_OF or stretch.unit == "season":
        end = shift(start, MONTHS_OF.get(stretch.unit, 3), "month")
    else:
        end = start + (stretch.end - stretch.start)
    return replace(stretch, start=start, end=end)


def latest(candidates: list[Stretch], now: datetime) -> Stretch:
    """Of stretches in order of time, the last that has begun; the first if none has."""
    begun = [candidate for candidate in candidates if candidate.start <= now]
    return begun[-1] if begun else candidates[0]


def month(year: int, number: int) -> Stretch:
    """A month, January being 1."""
    first = year * 12 + number - 1
    return Stretch(month_start(first), month_start(first + 1), "month")


def day(year: int, number: int, day_number: int) -> Stretch:
    """A day of the calendar; ValueError where there is none."""
    return the("day", datetime(year, number, day_number))


def days_in(year: int, number: int) -> int:
    """How many days a month has."""
    return monthrange(year, number)[1]


def season(year: int, number: int) -> Stretch:
    """A season of the northern half of the earth: 0 is spring, from March; winter runs into the
    next year.
    """
    first = year * 12 + 2 + 3 * number
    return Stretch(month_start(first), month_start(first + 3), "season")


def week_of_year(year: int, number: int) -> Stretch:
    """A numbered week as ISO 8601 counts them; ValueError where the year has no such week."""
    return the("week", day_start(date.fromisocalendar(year, number, 1)))


def weekday_of(week: Stretch, number: int) -> Stretch:
    """A day of a week, Monday being 0."""
    return the("day", week.start + timedelta(days=number))


def part_of(whole: Stretch, part: str) -> Stretch:
    """The morning, noon, afternoon, evening or night of a day."""
    start, end = (whole.start + timedelta(hours=hour) for hour in PARTS[part])
    return Stretch(start, end, "part", whole.repeats)


def hour_of(whole: Stretch, hour: int, minute: int) -> Stretch:
    """The hour that starts at a time of a day."""
    start = whole.start + timedelta(hours=hour, minutes=minute)
    return Stretch(start, start + timedelta(hours=1), "hour", whole.repeats)


def third_of(whole: Stretch, number: int) -> Stretch:
    """The beginning (0), middle (1) or end (2) of a stretch.

    Of a month: days 1 to 10, 11 to 20, and the rest. Of longer ones with whole months: a third of
    the months. Of others: a third of the time, in whole days where there are three or more.
    """
    cuts = _thirds(whole)
    return Stretch(cuts[number], cuts[number + 1], "", whole.repeats)


def _thirds(whole: Stretch) -> list[datetime]:
    """The four edges of the three thirds of a stretch."""
    start, end = whole.start, whole.end
    if whole.unit == "month":
        return [start, start + timedelta(days=10), start + timedelta(days=20), end]
    months = (end.year - start.year) * 12 + end.month - start.month + (end == datetime.max)
    if months >= 3 and months % 3 == 0:
        return [*(shift(start, months // 3 * cut, "month") for cut in range(3)), end]
    step = timedelta(days=(end - start).days // 3) or (end - start) / 3
    return [start, start + step, end - step, end]


def half_of(whole: Stretch, number: int) -> Stretch:
    """The first (1) or second (2) half of a stretch; of a year its months, of others whole days."""
    start, end, months = whole.start, whole.end, MONTHS_OF.get(whole.unit, 1)
    if months > 1:
        middle = shift(start, months // 2, "month")
    else:
        middle = start + timedelta(days=(end - start).days // 2)
    edges = (start, middle) if number == 1 else (middle, end)
    return Stretch(*edges, "half", whole.repeats)
