"""Rules for dates of the calendar: days, months and years by name or in figures, and days of the
week.

Where words leave the year, month or week open, the latest that has begun is meant.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch, the
from omoide.text.times.reader import (
    FIGURES,
    YEAR_STARTS,
    YEARS,
    Reader,
    TimeReading,
    TimeRule,
    rule,
)
from omoide.text.times.relative import relative
from omoide.text.times.words import Meaning

_TO_A_YEAR = ("in", "since", "until", "before", "after")
# A number before one of these counts something or belongs to something else.
_COUNTED = ("unit", "ago_post", "ahead_post", "quarter", "half", "oclock")


def _written(r: Reader, i: int, led: bool) -> TimeReading | None:
    """A date in figures; "24.12." where a word before it says so."""
    token = r.tokens[i]
    if token.written:
        is_other = _is_title(r, i) or r.says(i - 1, *_VERSION)
        return None if is_other else (token.written, i + 1)
    day, dot, month = token.text.partition(".")
    is_date = dot and day.isdigit() and month.isdigit() and r.says(i + 1, ".") and r.is_glued(i + 1)
    if not is_date or not (led or r.is_led(i)):
        return None
    return latest_date(r, int(month), int(day)), i + 2


_SHORT = re.compile(r"\d{1,2}/\d{1,2}/\d{2}")
_VERSION = ("version", "v", "release", "build", "versión", "versão", "versione", "версия")
_QUOTES = ('"', "'", "“", "”", "„", "«", "»", "*", "_", "《", "》", "『", "』", "「", "」")


def _is_title(r: Reader, i: int) -> bool:
    """Whether figures with a year of two are the title of a work: in quotes, after a word for one,
    before who made it, or what is said to be one.
    """
    if not _SHORT.fullmatch(r.tokens[i].text):
        return False
    if r.says(i - 1, *_QUOTES) and r.says(i + 1, *_QUOTES):
        return True
    by = r.says(i + 1, "by", "von", "de", "di", "por") and r.is_title(i + 2)
    is_called = any(r.has(k, "work") for k in range(i + 1, i + 5)) and not r.is_led(i)
    return by or is_called or r.has(i - 1, "work") is not None


def latest_date(r: Reader, month: int, day: int) -> Stretch:
    """The latest such day that has begun; ValueError for one that no year has."""
    years = range(max(r.now.year - 8, 1), r.now.year + 1)  # a 29 February is at most 8 years back
    there = (year for year in years if day <= calendar.days_in(year, month))
    days = [calendar.day(year, month, day) for year in there]
    if not days:
        raise ValueError(f"no year has a day {day} in month {month}")
    found = calendar.latest(days, r.now)
    return Stretch(found.start, found.end, "day", "year")


def _latest_month(r: Reader, month: int) -> Stretch:
    years = (r.now.year - 1, r.now.year)
    found = calendar.latest([calendar.month(year, month) for year in years], r.now)
    return Stretch(found.start, found.end, "month", "year")


def year_at(r: Reader, i: int) -> tuple[int, int] | None:
    """A year after articles and commas, in figures or as "last year"."""
    j = r.past_fill(i)
    if year := r.year(j):
        return year
    found = relative(r, j)
    return (found[0].start.year, found[1]) if found and found[0].unit == "year" else None


def adjective(r: Reader, i: int) -> Meaning | None:
    """ "dernier" or "prochain" after its noun, where the language puts it there; not one that
    belongs to the unit behind it.
    """
    after = r.has(i, "offset") if r.lexicon.adjective_after else None
    return after if after and after.number and not r.has(i + 1, "unit") else None


def _day_first(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "3 March 2025", "am 3. März", "10 de julio de 2026"."""
    day = r.day_number(i)
    month = r.month(r.past_fill(day[2])) if day else None
    if not day or not month or r.has(i + 1, "month_post"):
        return None
    return _day_of_year(r, i, month, day, led)


def _month_first(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "March 3rd, 2025", "3月3日"."""
    month = r.month(i)
    j = r.past_fill(month[2], 1) if month else i
    day = r.day_number(j) if month and not r.says(j - 1, "'") else None
    if not month or not day or (r.has(day[2], "unit") and not r.has(day[2] - 1, "day_post")):
        return None
    return _day_of_year(r, i, month, day, led)


def _day_of_year(
    r: Reader, i: int, month: tuple[int, str, int], day: tuple[int, bool, int], led: bool
) -> TimeReading | None:
    """A day of a month with the year that follows; without one, the latest."""
    end = max(month[2], day[2])
    if year := year_at(r, end):
        return calendar.day(year[0], month[0], day[0]), year[1]
    if r.figures(end, (3, 4)) is not None or not _is_meant(r, i, month, led or day[1]):
        return None
    return latest_date(r, month[0], day[0]), end


def _is_meant(r: Reader, i: int, month: tuple[int, str, int], sure: bool) -> bool:
    """A name that is also a word is a month beside a day if it is capital, last, or led."""
    return (
        sure
        or month[1] in ("", "short")
        or r.is_led(i)
        or month[2] >= len(r.tokens)
        or r.is_capital(month[2] - 1)
        or r.is_capital(i)
    )


def _year_first(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "2025年3月3日", "last year in March"."""
    year = year_at(r, i)
    month = r.month(r.past_fill(year[1])) if year else None
    if not year or not month or (year[1] == i + 1 and year[0] not in YEARS):  # "flight 1022 in May"
        return None
    if day := r.day_number(r.past_fill(month[2])):
        return calendar.day(year[0], month[0], day[0]), day[2]
    return calendar.month(year[0], month[0]), month[2]


def _month(r: Reader, i: int, led: bool) -> TimeReading | None:
    """A month with its year, with "last" or "next", or alone."""
    offset = r.has(i, "offset")
    month = r.month(i + 1 if offset else i)
    # a day before it that it does not have
    if month is None or r.figures(i - 1, (1, 2)) in range(1, 32):
        return None
    number, strength, j = month
    year = year_at(r, j)
    if offset and not year:
        return _month_by(r, number, offset.number), j
    if offset is None and (after := adjective(r, j)):
        return _month_by(r, number, after.number), j + 1
    if year:
        return (calendar.month(year[0], number), year[1]) if strength != "weaker" else None
    return (_latest_month(r, number), j) if _stands_alone(r, i, month, led) else None


def _stands_alone(r: Reader, i: int, month: tuple[int, str, int], led: bool) -> bool:
    """A clear name, one that words before lead to, or all that was asked; no person's or place's
    name, and none with a number.
    """
    if r.figures(month[2]) is not None or (not led and r.is_own_name(i)):
        return False
    if not r.has(i, "month", "month_post") and r.has(i, "month_short"):
        return led or r.is_led(i, ("in", "since", "until"))
    alone = month[2] - i == len(r.tokens) and not r.says(i, "may", "march")
    # "the May report"
    as_name = (
        r.is_capital(i) and r.has(i - 1, "fill") is not None and not r.lexicon.nouns_are_capital
    )
    return month[1] == "" or led or r.is_led(i) or alone or as_name


def _month_by(r: Reader, month: int, offset: int) -> Stretch:
    """ "last May" ended before this month, "next May" starts after it, "this May" is of this
    year.
    """
    year = r.now.year
    if offset < 0:
        year += offset + (month < r.now.month)
    elif offset > 0:
        year += offset - (month > r.now.month)
    return calendar.month(year, month)


def _year(r: Reader, i: int, led: bool) -> TimeReading | None:
    """A year by its word, or four figures after a word that leads to one."""
    found = r.year(i)
    if found is None:
        return None
    number, j = found
    named = r.has(i, "year_word") or r.has(i + 1, "year_post", "year_word")
    bare = number in YEARS and (led or r.is_led(i, _TO_A_YEAR)) and r.is_free(j)
    return (the("year", datetime(number, 1, 1)), j) if named or bare else None


def _day_of_month(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "on the 5th", "am 5.", "el día 5", "5号": the latest such day."""
    day = r.day_number(i) if r.figures(i) is not None else None
    if day is None or not _is_day_of_month(r, i, day, led):
        return None
    first = r.now.year * 12 + r.now.month - 1
    months = (calendar.month_start(first + by) for by in (-2, -1, 0))
    starts = (start + timedelta(days=day[0] - 1) for start in months)
    days = [
        Stretch(start, start + timedelta(days=1), "day", "month")
        for start in starts
        if start.day == day[0]
    ]
    return calendar.latest(days, r.now), day[2]


def _is_day_of_month(r: Reader, i: int, day: tuple[int, bool, int], led: bool) -> bool:
    """Whether a number is led to as a day, and counts nothing that follows it."""
    _, is_ordinal, end = day
    if not (led or r.has(i - 1, "day_lead") or r.has(i + 1, "day_post")):
        return False
    if (led or r.lexicon.ordinal_days) and not is_ordinal:
        return False
    counts = r.has(end, *_COUNTED) or r.has(i + 1, *_COUNTED[1:])
    return r.is_free(end) and not r.says(end, "/", ":", "-", "%") and not counts


def _weekday(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "Monday", "last Monday", "lundi dernier", "Montagabend", "上周一"."""
    offset = r.has(i, "offset")
    j = i + 1 if offset else i
    name = r.has(j, "weekday", "weekday_part", "weekday_short")
    if name is None:
        return None
    k = j + 1
    if offset is None and (after := adjective(r, k)):
        offset, k = after, k + 1
    if offset is None and not _is_weekday(r, j, name, led):
        return None
    found = _weekday_by(r, name.number, offset.number if offset else None)
    part = r.has(j, "weekday_part")
    return (calendar.part_of(found, part.unit) if part else found), k


def _is_weekday(r: Reader, i: int, name: Meaning, led: bool) -> bool:
    """Whether a name alone is that of a weekday, and no other word or name."""
    is_whole = name.unit != "weak" and r.has(i, "weekday", "weekday_part")
    if not is_whole and not (led or r.is_led(i)):
        return False
    if r.has(i, "weekday_short") and not r.has(i, "weekday"):
        return False
    return led or not r.is_own_name(i)


def _weekday_by(r: Reader, number: int, offset: int | None) -> Stretch:
    """The last such day before today, with "next" the first after it, with "this" the one of this
    week.
    """
    if offset is not None and (r.lexicon.week_before_weekday or offset not in (-1, 1)):
        return _of_week(r, number, offset)
    today, this = the("day", r.now).start, _of_week(r, number, 0)
    if offset == 1:
        return this if this.start > today else _of_week(r, number, 1)
    found = this if this.start < today else _of_week(r, number, -1)
    return found if offset else Stretch(found.start, found.end, "day", "week")


def _of_week(r: Reader, number: int, by: int) -> Stretch:
    return calendar.weekday_of(the("week", r.now, by), number)


def _weekday_and_date(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "Monday, 3 March", "Monday last week", "Montag in der letzten Woche"."""
    name = r.has(i, "weekday", "weekday_short")
    j = r.past_fill(i + (2 if r.says(i + 1, ".") else 1))
    found = r.point(j, True) if name else None
    if not name or not found:
        return None
    whole, end = found
    if whole.unit == "week":
        return calendar.weekday_of(whole, name.number), end
    if whole.unit != "day" or whole.repeats == "week":
        return None
    whole = _on_weekday(r, whole, name.number) if whole.repeats == "year" else whole
    return (whole, end) if whole.start.weekday() == name.number else None


def _on_weekday(r: Reader, day: Stretch, weekday: int) -> Stretch:
    """A day of the year in the year nearest to now in which it falls on a day of the week; as it is
    where that is in no year around.
    """
    month, number = day.start.month, day.start.day
    years = range(max(r.now.year - 6, 1), r.now.year + 7)
    days = [calendar.day(y, month, number) for y in years if number <= calendar.days_in(y, month)]
    fitting = [one for one in days if one.start.weekday() == weekday]
    return min(fitting, key=lambda one: abs(one.start - r.now), default=day)


def _week_and_weekday(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "last week on Monday", "先週の月曜日"."""
    week = relative(r, i)
    j = r.past_fill(week[1]) if week else i
    name = r.has(j, "weekday") if week and week[0].unit == "week" else None
    return (calendar.weekday_of(week[0], name.number), j + 1) if week and name else None


RULES: tuple[TimeRule, ...] = (
    rule(_written, FIGURES),
    rule(_day_first, FIGURES, "ordinal"),
    rule(_month_first, FIGURES, "month", "month_short"),
    rule(_year_first, YEAR_STARTS),
    rule(_month, FIGURES, "month", "month_short", "offset"),
    rule(_year, FIGURES, "year_word"),
    rule(_weekday_and_date, "weekday", "weekday_short"),
    rule(_week_and_weekday, "rel", "offset", "unit"),
    rule(_weekday, "weekday", "weekday_part", "weekday_short", "offset"),
    rule(_day_of_month, FIGURES),
)
