"""Rules for quarters, halves, numbered weeks, decades, centuries and seasons, and for parts of
longer times and of days.
"""

from __future__ import annotations

from datetime import datetime

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch, the
from omoide.text.times.dates import adjective, year_at
from omoide.text.times.reader import (
    FIGURES,
    YEAR_STARTS,
    Extension,
    Reader,
    TimeReading,
    TimeRule,
    rule,
)
from omoide.text.times.words import Meaning

LONG = frozenset(
    {"month", "year", "week", "weekend", "quarter", "half", "season", "decade", "century"}
)
_WINTER = 3  # seasons from spring, which is 0
_TO_A_SEASON = ("in_the", "since", "until", "before", "after", "between", "edge")


def _year_after(r: Reader, i: int) -> tuple[int, int] | None:
    """The year that follows, after a stroke too."""
    return year_at(r, i + r.says(i, "/", "-"))


def _numbered(r: Reader, i: int, kind: str) -> tuple[int, int, bool] | None:
    """Number, next index and whether a word spells it out: "Q3", "third quarter", "quarter 3",
    "第三季度", "3분기".
    """
    number = r.figures(i + 1, (1, 2))
    if number and r.is_glued(i + 1) and r.has(i, f"{kind}_short"):
        return number, i + 2, False
    if number and r.has(i, kind):
        return number, i + 2, True
    return _named(r, i, kind) or _counted(r, i, kind)


def _named(r: Reader, i: int, kind: str) -> tuple[int, int, bool] | None:
    """ "trimestre terzo", "Halbjahr"."""
    after = r.has(i + 1, "ordinal") if r.lexicon.adjective_after else None
    if after and r.has(i, kind):
        return after.number, i + 2, True
    fused = r.has(i, f"{kind}_fused")
    return (fused.number, i + 1, True) if fused else None


def _counted(r: Reader, i: int, kind: str) -> tuple[int, int, bool] | None:
    """ "third quarter", "3. Quartal", "第三季度", "3분기"."""
    j = i + (r.has(i, "nth") is not None)
    ordinal, dot = r.has(j, "ordinal"), r.says(j + 1, ".")
    number = ordinal.number if ordinal else r.figures(j, (1, 2))
    k = j + 1 + dot
    if not number or not r.has(k, kind):
        return None
    is_counted = ordinal or dot or j > i or r.tokens[j].ordinal or r.lexicon.counts_by_number
    return (number, k + 1, True) if is_counted else None


def _quarter(r: Reader, i: int, led: bool) -> TimeReading | None:
    if r.kinds.isdisjoint(("quarter", "quarter_short")):
        return None
    return _section(r, i, "quarter", 4, 3)


def _half(r: Reader, i: int, led: bool) -> TimeReading | None:
    """Half a year; with the word for any half, of the time that follows."""
    if r.kinds.isdisjoint(("half", "half_short", "half_fused")):
        return None
    numbered = _numbered(r, i, "half")
    if numbered and numbered[2] and numbered[0] in (1, 2):
        whole = point_or_this(r, numbered[1], LONG)
        if whole:
            return calendar.half_of(whole[0], numbered[0]), whole[1]
    return _section(r, i, "half", 2, 6)


def _section(r: Reader, i: int, kind: str, count: int, months: int) -> TimeReading | None:
    """The numbered part of a year, which stands before it or after; of the present year, if it is
    named in full or as Q3.
    """
    year = year_at(r, i)
    j = r.past_fill(year[1]) + r.says(year[1], "-", "/") if year else i
    numbered = _numbered(r, j, kind)
    if numbered is None or not 1 <= numbered[0] <= count:
        return None
    number, end, is_spelled = numbered
    found = year or _year_after(r, end)
    is_of_now = r.says(j, "q") or (is_spelled and _is_of_a_year(r, j, end, kind))
    if found is None and not is_of_now:
        return None
    year_number, past = found or (r.now.year, end)
    first = year_number * 12 + months * (number - 1)
    edges = calendar.month_start(first), calendar.month_start(first + months)
    return Stretch(*edges, kind, "" if found else "year"), max(end, past)


def _is_of_a_year(r: Reader, i: int, end: int, kind: str) -> bool:
    """ "Halbjahr" is half a year by itself, "first half" may be half of anything."""
    return kind != "half" or any(r.has(k, "half_fused", "unit") for k in range(i, end))


def _week_number(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "week 14", "KW 14 2026", "W14 2026", "14. Kalenderwoche", "第14周", "14주차": of the present
    year where none is named.
    """
    if r.kinds.isdisjoint(("week_no", "week_no_short")):
        return None
    year = year_at(r, i)
    numbered = _numbered(r, r.past_fill(year[1]) if year else i, "week_no")
    if numbered is None:
        return None
    number, end, is_spelled = numbered
    found = year or _year_after(r, end)
    # "the third week" and "3 weeks" are no weeks of the calendar, "the third week of 2025" is
    is_any = r.has(i, "week_no", "nth") is None and r.has(end - 1, "unit") is not None
    is_of_now = is_spelled and not is_any and not r.has(end, "ago_post", "ahead_post")
    if found is None and not is_of_now:
        return None
    year_number, past = found or (r.now.isocalendar().year, end)
    return calendar.week_of_year(year_number, number), max(end, past)


def _decade(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "the 1990s", "the 90s", "die 90er Jahre", "les années 90", "90年代"."""
    pre = r.has(i, "decade_pre") is not None
    j = i + pre
    j += r.says(j, "'")
    k = j + 1 + r.says(j + 1, "-", "'")
    post = r.has(k, "decade_post") is not None
    number = r.figures(j, (2, 4))
    if number is None or number % 10 or not (pre or post):
        return None
    is_led = j > i or led or r.has(i - 1, "fill", "in_the", "edge")
    if number < 100 and r.has(k, "unit_short") and not is_led:
        return None  # "90s" may be seconds
    return _years_from(number), k + post


def _years_from(number: int) -> Stretch:
    """The decade, or the century, that begins with a year in two figures or four."""
    year = number if number >= 100 else (1900 if number >= 20 else 2000) + number
    unit = "century" if year % 100 == 0 and year < 2000 else "decade"  # the 1800s, but the 2000s
    return the(unit, datetime(year, 1, 1))


def _century(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "the 19th century", counted from the round year."""
    numbered = r.day_number(i + 1 if r.has(i, "nth") else i)
    if not numbered or not (numbered[1] or r.lexicon.counts_by_number):
        return None
    unit = r.has(numbered[2], "unit")
    if not unit or unit.unit != "century":
        return None
    return the("century", datetime((numbered[0] - 1) * 100 or 1, 1, 1)), numbered[2] + 1


def _season(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "spring 2025", "last summer", "l'été dernier", "去年の夏", "winter 2024/25";
    alone where words before lead to it.
    """
    if "season" not in r.kinds:
        return None
    offset, name = r.has(i, "offset"), r.has(i + 1, "season")
    if offset and name:
        return _season_by(r, name.number, offset.number), i + 2
    year = year_at(r, i)
    return _season_of(r, *year) if year else _season_alone(r, i, led)


def _season_of(r: Reader, year: int, i: int) -> TimeReading | None:
    """The season that follows a year, or the two years of a winter."""
    over = _over_years(r, year, i, _WINTER)
    j = r.past_fill(over)
    name = r.has(j, "season")
    if name is None or (over > i and name.number != _WINTER):
        return None
    return calendar.season(year, name.number), j + 1


def _season_alone(r: Reader, i: int, led: bool) -> TimeReading | None:
    """A season with what stands after it, or alone."""
    name = r.has(i, "season")
    if name is None:
        return None
    if after := adjective(r, i + 1):
        return _season_by(r, name.number, after.number), i + 2
    if year := year_at(r, i + 1):
        return calendar.season(year[0], name.number), _over_years(r, *year, name.number)
    kinds = _TO_A_SEASON if name.unit == "weaker" else ("in", "on", *_TO_A_SEASON)
    if name.unit and not led and not r.is_led(i, kinds):
        return None
    found = _season_by(r, name.number, None)
    return Stretch(found.start, found.end, "season", "year"), i + 1


def _over_years(r: Reader, year: int, i: int, season: int) -> int:
    """The index after the second year of a winter: "2024/25", "2021 - 2022"; after a stroke, of any
    season.
    """
    is_stroke = r.says(i, "/")
    joins = is_stroke or (season == _WINTER and (r.says(i, "-", "~") or r.has(i, "to")))
    number = r.figures(i + 1, (2, 4)) if joins else None
    if number is None or not (is_stroke or number % 100 == (year + 1) % 100):
        return i
    j = i + 2
    return j + 1 if r.has(j, "year_post") and r.has(j, "unit") is not None else j


def _season_by(r: Reader, number: int, offset: int | None) -> Stretch:
    """The last that ended, the next that starts; for "this" the nearest, without a word the latest
    that has begun.
    """
    around = [calendar.season(r.now.year + by, number) for by in (-2, -1, 0, 1)]
    if offset is None:
        return calendar.latest(around, r.now)
    if offset == 0:
        return min(around, key=lambda season: max(season.start - r.now, r.now - season.end))
    if offset < 0:
        return [season for season in around if season.end <= r.now][offset]
    return next(season for season in around if season.start > r.now)


def point_or_this(r: Reader, i: int, units: frozenset[str]) -> TimeReading | None:
    """A longer time after articles, or "the month" for the present one."""
    j = r.past_fill(i, 3)
    found = r.point(j, True) or (r.point(j - 1, True) if j > i else None)
    if found and found[0].unit in units:
        return found
    unit = r.has(j, "unit")
    if unit is None or unit.number != 1 or unit.unit not in units or r.has(j + 1, "offset"):
        return None
    return (the(unit.unit, r.now), j + 1) if j > i or r.lexicon.bare_edges else None


def _edge(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "end of the month", "mid-March", "early 2024", "Ende März", "à la fin du mois"."""
    edge = r.has(i, "edge")
    j = i + (2 if r.says(i + 1, "-") else 1)
    whole = point_or_this(r, j, LONG) if edge else None
    return (calendar.third_of(whole[0], edge.number), whole[1]) if edge and whole else None


def _week_of(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "the week of 3 March", "semaine du 3 mars": the calendar week that the day is in."""
    unit = r.has(i, "unit")
    j = r.past_fill(i + 1)
    if unit != (1, "week") or j == i + 1:
        return None
    day = r.point(j, True) or r.point(j - 1, True)
    if day is None or day[0].unit != "day" or day[0].repeats == "week":
        return None
    return the("week", day[0].start), day[1]


def _unit_edge(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "月末", "연말": of the present one."""
    unit, edge = r.has(i, "unit"), r.has(i + 1, "edge_post")
    if unit is None or edge is None or unit.unit not in LONG:
        return None
    return calendar.third_of(the(unit.unit, r.now), edge.number), i + 2


def _then_edge(r: Reader, whole: Stretch, i: int) -> TimeReading | None:
    """What follows a longer time: "3月底", "3월 말", "geçen ayın sonu"."""
    j = r.past_fill(i, 1)
    again = r.has(j, "unit")  # "今年年初"
    j += again is not None and again.unit == whole.unit
    edge = r.has(j, "edge_post") if whole.unit in LONG else None
    return (calendar.third_of(whole, edge.number), j + 1) if edge else None


def _ordinal_in(r: Reader, i: int, led: bool) -> TimeReading | None:
    """ "the first week of June", "last day of the month", "the second Monday in March"."""
    number, unit, weekday = _nth(r, i), r.has(i + 1, "unit"), r.has(i + 1, "weekday")
    is_part = weekday is not None or (unit is not None and unit.unit in ("day", "week", "weekend"))
    is_led = r.lexicon.bare_edges or r.has(i + 2, "fill", "in", "on", "in_the")
    whole = point_or_this(r, i + 2, LONG) if number and is_part and is_led else None
    if not whole or number is None:
        return None
    parts = _parts(whole[0], unit, weekday)
    at = number - 1 if number > 0 else -1
    return (parts[at], whole[1]) if -len(parts) <= at < len(parts) else None


def _nth(r: Reader, i: int) -> int | None:
    """The number of an ordinal, in a word or figures; -1 for the last."""
    word, offset = r.has(i, "ordinal"), r.has(i, "offset")
    if word:
        return word.number
    if offset and offset.number == -1:
        return -1
    return r.figures(i, (1,)) if r.tokens[i].ordinal else None


def _parts(whole: Stretch, unit: Meaning | None, weekday: Meaning | None) -> list[Stretch]:
    """The days, weeks, weekends or such weekdays of a longer time."""
    if weekday:
        return [day for day in _days(whole) if day.start.weekday() == weekday.number]
    if unit and unit.unit == "day":
        return _days(whole)
    return _weeks(whole, unit.unit if unit else "")


def _days(whole: Stretch) -> list[Stretch]:
    count = (whole.end - whole.start).days
    first = the("day", whole.start)
    return [calendar.weekday_of(first, number) for number in range(count)]


def _weeks(whole: Stretch, unit: str) -> list[Stretch]:
    """Sevens of days from the start, the last seven at the end; or the weekends that start in
    it.
    """
    days = _days(whole)
    if unit == "weekend":
        return [
            Stretch(day.start, calendar.weekday_of(day, 1).end, unit)
            for day in days
            if day.start.weekday() == 5
        ]
    sevens = [
        Stretch(day.start, calendar.weekday_of(day, 6).end, "week")
        for day in days[: 28 if len(days) < 32 else None : 7]
    ]
    return [*sevens, Stretch(days[-7].start, days[-1].end, "week")] if len(days) > 28 else sevens


def _then_time(r: Reader, whole: Stretch, i: int) -> TimeReading | None:
    """What follows a day: "yesterday morning", "am 3. März abends", "Friday at
    3pm", "昨天下午3点".
    """
    if whole.unit != "day":
        return None
    for j in dict.fromkeys((i, r.past_fill(i, 1), r.past_fill(i))):
        clock, part = r.clock(j), r.has(j, "part")
        if clock:
            return calendar.hour_of(whole, clock[0], clock[1]), clock[2]
        if part and not r.has(j, "weekday"):
            return calendar.part_of(whole, part.unit), j + 1
    return None


def _time_and_day(r: Reader, i: int, led: bool) -> TimeReading | None:
    """A part or hour before its day: "3pm on Friday", "the morning of 3 March", "صباح أمس"."""
    part, clock = r.has(i, "part"), r.clock(i)
    is_day = part is not None and r.has(i, "day") is not None  # "morgen" is a day by itself
    if clock and (day := _day_past(r, clock[2], is_day)):
        return calendar.hour_of(day[0], clock[0], clock[1]), day[1]
    if part and (day := _day_past(r, i + 1, is_day)):
        return calendar.part_of(day[0], part.unit), day[1]
    return None


def _day_past(r: Reader, i: int, past: bool) -> TimeReading | None:
    """The day that follows, perhaps after other words; with past only after such."""
    j = r.past_fill(i)
    day = r.point(j, True) or (r.point(j - 1, True) if j > i else None)
    is_day = day is not None and day[0].unit == "day"
    return day if is_day and not (past and j == i) else None


RULES: tuple[TimeRule, ...] = (
    rule(_quarter, YEAR_STARTS, "quarter", "quarter_short", "nth", "ordinal"),
    rule(_half, YEAR_STARTS, "half", "half_short", "half_fused", "nth", "ordinal"),
    rule(_week_number, YEAR_STARTS, "week_no", "week_no_short", "nth", "ordinal"),
    rule(_decade, FIGURES, "decade_pre"),
    rule(_century, FIGURES, "nth", "ordinal"),
    rule(_season, YEAR_STARTS, "season"),
    rule(_edge, "edge"),
    rule(_week_of, "unit"),
    rule(_unit_edge, "unit"),
    rule(_ordinal_in, FIGURES, "ordinal", "offset"),
    rule(_time_and_day, FIGURES, "at", "part"),
)
EXTENSIONS: tuple[Extension, ...] = (_then_edge, _then_time)
