"""Rules for times counted from now: "last week", "in the last 3 days", "two weeks ago", "in 3
days", "yesterday", "tonight".
"""

from __future__ import annotations

from datetime import datetime, timedelta

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch, is_short, the
from omoide.text.times.reader import (
    AMOUNTS,
    FEW,
    YEARS,
    Amount,
    Reader,
    TimeReading,
    TimeRule,
    rule,
)
from omoide.text.times.words import Meaning, is_cjk

_NEAR = {
    "hour": timedelta(minutes=30),
    "minute": timedelta(minutes=5),
    "second": timedelta(minutes=5),
}


def relative(r: Reader, i: int, led: bool = False) -> TimeReading | None:
    """A calendar unit counted from the present one: "last week", "la semaine dernière", "先月"."""
    fused = r.has(i, "rel")
    if fused:
        return the(fused.unit, r.now, fused.number), i + 1
    offset, unit = r.has(i, "offset"), r.has(i + 1, "unit")
    if offset is None and r.lexicon.adjective_after:
        offset, unit = r.has(i + 1, "offset"), r.has(i, "unit")
        # "cette semaine", never "semaine cette"
        offset = offset if offset and offset.number else None
    found = _counted(r, offset, unit) if offset and unit else None
    return (found, i + 2) if found else None


def _counted(r: Reader, offset: Meaning, unit: Meaning) -> Stretch | None:
    if unit.number > 1 and offset.number:
        return around(r, Amount(*FEW, unit.unit), offset.number)
    if is_short(unit.unit):
        return around(r, Amount(1, 1, unit.unit), offset.number or -1)
    if unit.unit == "day" and offset.number:  # "the next day" is told from another day
        return None
    if unit.unit == "weekend" and offset.unit == "coming":
        return the("weekend", r.now, 0 if r.now < the("weekend", r.now).start else 1)
    return the(unit.unit, r.now, offset.number)


def around(r: Reader, amount: Amount, direction: int) -> Stretch:
    """The last or next so many units: whole days up to the end of today, or from its start; shorter
    units exactly.
    """
    far = amount.before(r.now)[0] if direction < 0 else amount.after(r.now)[1]
    if is_short(amount.unit):
        return Stretch(min(far, r.now), max(far, r.now))
    today = the("day", r.now)
    if direction < 0:
        return Stretch(calendar.day_start(far), today.end)
    return Stretch(today.start, the("day", far).end)


def _rolling(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "the last 3 days", "past week", "最近一周", "these three days"; "les 3 derniers
    jours", "los 3 días pasados".
    """
    counted, offset = r.amount(i + 1), r.has(i, "offset")
    if r.has(i, "rolling"):
        if counted:
            return around(r, counted[0], -1), counted[1]
        if unit := _rolling_unit(r, i + 1):
            return around(r, Amount(*(FEW if unit.number > 1 else (1, 1)), unit.unit), -1), i + 2
    if offset and counted:
        return around(r, counted[0], offset.number or -1), counted[1]
    return _rolling_inside(r, i + (offset is not None))


def _rolling_unit(r: Reader, i: int) -> Meaning | None:
    """The unit after "the last" or "past"; "最近天" is the beginning of another word."""
    unit = r.has(i, "unit")
    return unit if unit and unit.unit != "weekend" and not is_cjk(r.tokens[i].text) else None


def _rolling_inside(r: Reader, i: int) -> TimeReading | None:
    """The adjective after the number, or after the unit."""
    count, counted = r.quantity(i), r.amount(i)
    unit = r.has(count[2] + 1, "unit") if count else None
    is_year = count is not None and count[0] in YEARS and count[2] == i + 1  # "1984 last week"
    if count and unit and not is_year and r.has(count[2], "offset", "rolling"):
        offset = r.has(count[2], "offset")
        amount = Amount(count[0], count[1], unit.unit)
        return around(r, amount, offset.number if offset else -1), count[2] + 2
    after = r.has(counted[1], "offset") if counted and r.lexicon.adjective_after else None
    if counted is None or after is None or not after.number:
        return None
    return around(r, counted[0], after.number), counted[1] + 1


def _ago(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "3 days ago", "vor 5 Tagen", "il y a une semaine", "a year and 2 months ago", "неделю
    назад", "两天前".
    """
    pre = r.has(i, "ago_pre") is not None
    counted = r.amount(i + pre) or _one_unit(r, i + pre)
    if counted is None:
        return None
    (amount, j), now = counted, r.now
    more = r.amount(j + 1) if r.has(j, "and") else None
    post = r.has(more[1] if more else j, "ago_post") is not None
    if not (pre or post):
        return None
    if more:
        now, (amount, j) = amount.before(now)[0], more
    return there(amount, *amount.before(now)), j + post


def _ahead(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "in 3 days", "a month from today", "через неделю", "3日後"."""
    pre = r.has(i, "ahead_pre") is not None
    counted = r.amount(i + pre) or (_one_unit(r, i + 1) if pre else None)
    if counted is None:
        return None
    amount, j = counted
    today = r.has(j + 1, "day") if r.has(j, "from") else None
    end = j + 2 if today and today.number == 0 else j + (r.has(j, "ahead_post") is not None)
    return (there(amount, *amount.after(r.now)), end) if pre or end > j else None


def _one_unit(r: Reader, i: int) -> tuple[Amount, int] | None:
    """A unit without its "one", as in "неделю назад" or "قبل أسبوع"."""
    unit = r.has(i, "unit") if r.lexicon.omits_one and r.figures(i - 1) is None else None
    return (Amount(1, 1, unit.unit), i + 1) if unit and unit.number == 1 else None


def _weekend(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "over the weekend", "am Wochenende", "周末": the latest that has begun."""
    is_led = led or r.is_led(i, ("in", "in_the", "on", "at", "day_lead"))
    if r.has(i, "unit") != (1, "weekend") or not (is_led or is_cjk(r.tokens[i].text)):
        return None
    found = calendar.latest([the("weekend", r.now, -1), the("weekend", r.now)], r.now)
    return Stretch(found.start, found.end, "weekend", "week"), i + 1


def there(amount: Amount, low: datetime, high: datetime) -> Stretch:
    """The day or days at a distance; for hours and less, the time around it."""
    if is_short(amount.unit):
        return Stretch(low - _NEAR[amount.unit], high + _NEAR[amount.unit])
    return Stretch(calendar.day_start(low), the("day", high).end, "day" if low == high else "")


def _day(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "yesterday", "overmorgen"; not "am Morgen" or "la mañana", which name a part of any day."""
    named = r.has(i, "day")
    if named is None or (r.has(i, "part") and _is_noun(r, i)):
        return None
    return the("day", r.now, named.number), i + 1


def _is_noun(r: Reader, i: int) -> bool:
    return r.has(i - 1, "article") is not None or (
        i > 0 and r.lexicon.nouns_are_capital and r.is_capital(i)
    )


def _part_of_day(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "tonight", "昨晩"; "this morning", "last night", "la nuit dernière"."""
    fused = r.has(i, "daypart")
    if fused:
        return calendar.part_of(the("day", r.now, fused.number), fused.unit), i + 1
    offset, part = r.has(i, "offset"), r.has(i + 1, "part")
    if offset is None and r.lexicon.adjective_after and r.has(i, "part"):
        offset, part = r.has(i + 1, "offset"), r.has(i, "part")
    if offset is None or part is None or not _is_part_of_now(offset, part):
        return None
    return calendar.part_of(the("day", r.now, offset.number), part.unit), i + 2


def _is_part_of_now(offset: Meaning, part: Meaning) -> bool:
    """ "this morning" is one of today, "last night" of yesterday; "last morning" is none."""
    return offset.number == 0 or (offset.number == -1 and part.unit in ("night", "evening"))


RULES: tuple[TimeRule, ...] = (
    rule(_rolling, AMOUNTS, "rolling", "offset"),
    rule(relative, "rel", "offset", "unit"),
    rule(_weekend, "unit"),
    rule(_ago, AMOUNTS, "ago_pre", "unit"),
    rule(_ahead, AMOUNTS, "ahead_pre"),
    rule(_day, "day"),
    rule(_part_of_day, "daypart", "offset", "part"),
)
