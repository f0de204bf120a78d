"""Rules for quarters, halves, numbered weeks, decades, centuries and seasons, and for parts of
longer times and of days.
"""

from __future__ import annotations

from datetime import datetime

from omoide.text.times import calendar as calendar
from omoide.text.times.calendar import Stretch, the
from omoide.text.times.dates import year_at
from omoide.text.times.reader import FIGURES, YEAR_STARTS, Extension, Reader, Reading, Rule, rule
from omoide.text.times.words import Meaning

LONG = frozenset(
    {"month", "year", "week", "weekend", "quarter", "half", "season", "decade", "century"}
)
_WINTER = 3  # seasons from spring, which is 0
_TO_A_SEASON = ("in_the", "since", "until", "before", "after", "between", "edge")


def _year_around(r: Reader, i: int, j: int) -> tuple[int, int]:
    """The year after the index j, after a stroke too; else the present one."""
    found = year_at(r, j + (1 if r.says(j, "/", "-") else 0))
    return found or (r.now.year, j)


def _numbered(r: Reader, i: int, kind: str) -> tuple[int, int, bool] | None:
    """Number, next index and whether a word spells it out: "Q3", "third quarter", "quarter 3",
    "第三季度", "3분기".
    """
    if r.has(i, f"{kind}_short") and r.is_glued(i + 1) and (number := r.figures(i + 1, (1, 2))):
        return number, i + 2, False
    if r.has(i, kind) and (number := r.figures(i + 1, (1, 2))):
        return number, i + 2, True
    after = r.has(i + 1, "ordinal") if r.has(i, kind) and r.lexicon.adjective_after else None
    word = r.has(i, f"{kind}_fused")
    if after:
        return after.number, i + 2, True
    if word:
        return word.number, i + 1, True
    j = i + 1 if r.has(i, "nth") else i
    ordinal = r.has(j, "ordinal")
    number = ordinal.number if ordinal else r.figures(j, (1, 2))
    k = j + (2 if r.says(j + 1, ".") else 1)
    is_ordinal = (
        ordinal
        or r.says(j + 1, ".")
        or j > i
        or (number is not None and (r.tokens[j].ordinal or r.lexicon.counts_by_number))
    )
    return (number, k + 1, True) if number and is_ordinal and r.has(k, kind) else None


def _quarter(r: Reader, i: int, led: bool) -> Reading | None:
    return (
        _section(r, i, "quarter", 4, 3)
        if not r.kinds.isdisjoint(("quarter", "quarter_short"))
        else None
    )


def _half(r: Reader, i: int, led: bool) -> Reading | None:
    """Half a year; with the word for any half, of the time that follows."""
    if r.kinds.isdisjoint(("half", "half_short", "half_fused")):
        return None
    found = _section(r, i, "half", 2, 6)
    numbered = _numbered(r, i, "half")
    whole = point_or_this(r, numbered[1], LONG) if numbered and numbered[2] else None
    if whole and numbered and numbered[0] in (1, 2):
        return calendar.half_of(whole[0], numbered[0]), whole[1]
    return found


def _section(r: Reader, i: int, kind: str, count: int, months: int) -> Reading | None:
    """The numbered part of a year, which stands before it or after; of the present year, if it is
    named in full or as Q3.
    """
    year = year_at(r, i)
    j = r.past_fill(year[1]) + (1 if r.says(year[1], "-", "/") else 0) if year else i
    numbered = _numbered(r, j, kind)
    if numbered is None or not 1 <= numbered[0] <= count:
        return None
    found = year or year_at(r, numbered[1] + (1 if r.says(numbered[1], "/", "-") else 0))
    if found is None and not (
        r.says(j, "q") or (numbered[2] and _is_of_a_year(r, j, numbered[1], kind))
    ):
        return None
    first = (found[0] if found else r.now.year) * 12 + months * (numbered[0] - 1)
    end = max(numbered[1], found[1]) if found else numbered[1]
    return (
        Stretch(
            calendar.month_start(first),
            calendar.month_start(first + months),
            kind,
            "" if found else "year",
        ),
        end,
    )


def _is_of_a_year(r: Reader, i: int, end: int, kind: str) -> bool:
    """ "Halbjahr" is half a year by itself, "first half" may be half of anything."""
    return kind != "half" or any(r.has(k, "half_fused", "unit") for k in range(i, end))


def _week_number(r: Reader, i: int, led: bool) -> Reading | None:
    """ "week 14", "KW 14 2026", "W14 2026", "14. Kalenderwoche", "第14周", "14주차": of the present
    year where none is named.
    """
    if r.kinds.isdisjoint(("week_no", "week_no_short")):
        return None
    year = year_at(r, i)
    numbered = _numbered(r, r.past_fill(year[1]) if year else i, "week_no")
    if numbered is None:
        return None
    found = year or year_at(r, numbered[1] + (1 if r.says(numbered[1], "/", "-") else 0))
    # "the third week" and "3 weeks" are no weeks of the calendar, "the third week of 2025" is
    is_any = r.has(i, "week_no", "nth") is None and r.has(numbered[1] - 1, "unit") is not None
    if found is None and (
        not numbered[2] or is_any or r.has(numbered[1], "ago_post", "ahead_post")
    ):
        return None
    week = calendar.week_of_year(found[0] if found else r.now.isocalendar().year, numbered[0])
    return week, max(numbered[1], found[1]) if found else numbered[1]


def _decade(r: Reader, i: int, led: bool) -> Reading | None:
    """ "the 1990s", "the 90s", "die 90er Jahre", "les années 90", "90年代"."""
    pre = r.has(i, "decade_pre") is not None
    j = i + 1 if pre else i
    j += r.says(j, "'")
    number = r.figures(j, (2, 4))
    k = j + (2 if r.says(j + 1, "-", "'") else 1)
    post = r.has(k, "decade_post") is not None
    if number is None or number % 10 or not (pre or post):
        return None
    if (
        number < 100
        and r.has(k, "unit_short")
        and not (j > i or led or r.has(i - 1, "fill", "in_the", "edge"))
    ):
        return None  # "90s" may be seconds
    year = number if number >= 100 else (1900 if number >= 20 else 2000) + number
    unit = "century" if year % 100 == 0 and year < 2000 else "decade"  # the 1800s, but the 2000s
    return the(unit, datetime(year, 1, 1)), k + 1 if post else k


def _century(r: Reader, i: int, led: bool) -> Reading | None:
    """ "the 19th century", counted from the round year."""
    numbered = r.day_number(i + 1 if r.has(i, "nth") else i)
    unit = (
        r.has(numbered[2], "unit")
        if numbered and (numbered[1] or r.lexicon.counts_by_number)
        else None
    )
    if not numbered or not unit or unit.unit != "century":
        return None
    return the("century", datetime((numbered[0] - 1) * 100 or 1, 1, 1)), numbered[2] + 1


def _season(r: Reader, i: int, led: bool) -> Reading | None:
    """ "spring 2025", "last summer", "l'été dernier", "去年の夏", "winter 2024/25";
    alone where words before lead to it.
    """
    if "season" not in r.kinds:
        return None
    offset = r.has(i, "offset") if r.has(i + 1, "season") else None
    year = None if offset else year_at(r, i)
    over = _over_years(r, year[0], year[1], _WINTER) if year else i
    j = r.past_fill(over) if year else i + (offset is not None)
    name = r.has(j, "season")
    if year and name and over > year[1] and name.number != _WINTER:
        return None
    if name is None:
        return None
    after = (
        r.has(j + 1, "offset")
        if r.lexicon.adjective_after and not (offset or year) and not r.has(j + 2, "unit")
        else None
    )
    if offset or (after and after.number):
        return _season_by(r, name.number, (offset or after or Meaning()).number), j + 1 + (
            offset is None
        )
    if year:
        return calendar.season(year[0], name.number), j + 1
    year = year_at(r, j + 1)
    if year:
        return calendar.season(year[0], name.number), _over_years(r, year[0], year[1], name.number)
    kinds = _TO_A_SEASON if name.unit == "weaker" else ("in", "on", *_TO_A_SEASON)
    if name.unit and not led and not r.is_led(i, kinds):
        return None
    found = _season_by(r, name.number, None)
    return Stretch(found.start, found.end, "season", "year"), j + 1


def _over_years(r: Reader, year: int, i: int, season: int) -> int:
    """The index after the second year of a winter: "2024/25", "2021 - 2022"; after a stroke, of any
    season.
    """
    is_stroke = r.says(i, "/")
    if not (is_stroke or (season == _WINTER and (r.says(i, "-", "~") or r.has(i, "to")))):
        return i
    number = r.figures(i + 1, (2, 4))
    is_next = number is not None and number % 100 == (year + 1) % 100
    if not (is_next or (is_stroke and number is not None)):
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


def point_or_this(r: Reader, i: int, units: frozenset[str]) -> Reading | None:
    """A longer time after articles, or "the month" for the present one."""
    j = r.past_fill(i, 3)
    found = r.point(j, True) or (r.point(j - 1, True) if j > i else None)
    if found and found[0].unit in units:
        return found
    unit = r.has(j, "unit")
    if (
        unit
        and unit.unit in units
        and unit.number == 1
        and (j > i or r.lexicon.bare_edges)
        and not r.has(j + 1, "offset")
    ):
        return the(unit.unit, r.now), j + 1
    return None


def _edge(r: Reader, i: int, led: bool) -> Reading | None:
    """ "end of the month", "mid-March", "early 2024", "Ende März", "à la fin du mois"."""
    edge = r.has(i, "edge")
    j = i + (2 if r.says(i + 1, "-") else 1)
    whole = point_or_this(r, j, LONG) if edge else None
    return (calendar.third_of(whole[0], edge.number), whole[1]) if edge and whole else None


def _week_of(r: Reader, i: int, led: bool) -> Reading | None:
    """ "the week of 3 March", "semaine du 3 mars": the calendar week that the day is in."""
    unit = r.has(i, "unit")
    j = r.past_fill(i + 1)
    day = (
        (r.point(j, True) or r.point(j - 1, True))
        if unit and unit.unit == "week" and unit.number == 1 and j > i + 1
        else None
    )
    return (
        (the("week", day[0].start), day[1])
        if day and day[0].unit == "day" and day[0].repeats != "week"
        else None
    )


def _unit_edge(r: Reader, i: int, led: bool) -> Reading | None:
    """ "月末", "연말": of the present one."""
    unit, edge = r.has(i, "unit"), r.has(i + 1, "edge_post")
    return (
        (calendar.third_of(the(unit.unit, r.now), edge.number), i + 2)
        if unit and edge and unit.unit in LONG
        else None
    )


def _then_edge(r: Reader, whole: Stretch, i: int) -> Reading | None:
    """What follows a longer time: "3月底", "3월 말", "geçen ayın sonu"."""
    j = r.past_fill(i, 1)
    again = r.has(j, "unit")  # "今年年初"
    j += again is not None and again.unit == whole.unit
    edge = r.has(j, "edge_post") if whole.unit in LONG else None
    return (calendar.third_of(whole, edge.number), j + 1) if edge else None


def _ordinal_in(r: Reader, i: int, led: bool) -> Reading | None:
    """ "the first week of June", "last day of the month", "the second Monday in March"."""
    ordinal = r.has(i, "ordinal") or (
        r.has(i, "offset") if (r.has(i, "offset") or Meaning()).number == -1 else None
    )
    figure = r.figures(i, (1,)) if r.tokens[i].ordinal else None
    number = ordinal.number if ordinal else figure
    unit, weekday = r.has(i + 1, "unit"), r.has(i + 1, "weekday")
    is_part = weekday is not None or (unit is not None and unit.unit in ("day", "week", "weekend"))
    whole = (
        point_or_this(r, i + 2, LONG)
        if number
        and is_part
        and (r.lexicon.bare_edges or r.has(i + 2, "fill", "in", "on", "in_the"))
        else None
    )
    if not whole or number is None:
        return None
    if weekday:
        days = [day for day in _days(whole[0]) if day.start.weekday() == weekday.number]
    else:
        days = (
            _days(whole[0])
            if unit and unit.unit == "day"
            else _weeks(whole[0], unit.unit if unit else "")
        )
    at = number - 1 if number > 0 else -1
    return (days[at], whole[1]) if -len(days) <= at < len(days) else None


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


def _then_time(r: Reader, whole: Stretch, i: int) -> Reading | None:
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


def _time_and_day(r: Reader, i: int, led: bool) -> Reading | None:
    """A part or hour before its day: "3pm on Friday", "the morning of 3 March", "صباح أمس"."""
    part, clock = r.has(i, "part"), r.clock(i)
    for end in ([clock[2]] if clock else []) + ([i + 1] if part else []):
        j = r.past_fill(end)
        day = r.point(j, True) or (r.point(j - 1, True) if j > end else None)
        if day is None or day[0].unit != "day" or (part and r.has(i, "day") and j == end):
            continue
        if clock and end == clock[2]:
            return calendar.hour_of(day[0], clock[0], clock[1]), day[1]
        if part:
            return calendar.part_of(day[0], part.unit), day[1]
    return None


RULES: tuple[Rule, ...] = (
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
