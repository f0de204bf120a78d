"""All the times that a text names, and which of them hang on when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import cast

from omoide.text.figures import figures
from omoide.text.letters import fold
from omoide.text.times import EARLIEST, LATEST, READ_LIMIT, Interval, find_interval
from omoide.text.times.words import lexicons

MOST = 8  # times of one text that are read
_EARLIER = timedelta(days=400)  # another day of the week, the month and the year
_AROUND = 40  # characters on each side in which a time is read again
_DAY, _HOUR = timedelta(days=1), timedelta(hours=1)
_MONTH = timedelta(days=31)
_DEICTIC, _WEEKDAYS = (
    frozenset(("offset", "rel", "rolling", "day", "daypart")),
    frozenset(("weekday", "weekday_part", "weekday_short")),
)
# after which a day of the week, the month and the year comes again
_PERIODS = (timedelta(days=7), _MONTH, timedelta(days=366))
_ANY = ("en", "de", "es", "fr", "it", "pt", "nl", "ru", "uk", "pl", "ar", "zh", "ja", "ko")
_EVERY = tuple(
    fold(
        "every each jede jede cada todos todas chaque tous toutes ogni tutti кажд elke varje hver"
        " każd كل हर 매"
    ).split()
)
# What stands before a weekday that is meant as one of its kind: "on a Friday", "à quarta-feira",
# "los miércoles", "le mercredi".
_OF_A_KIND = re.compile(
    r"\b(?:an?|most|à|às|aos?|los|cualquier|le|les|il|la|di|einem|immer am|по|أيام) $"
)
_EACH = re.compile(r"마다|ごと| günleri")  # what stands after one
_WORD = re.compile(r"[^\s.,;:!?()\"“”«»।]+")
_RELATIVE = tuple(
    fold(
        "कल,परसों,आज,पिछले हफ्ते,पिछले हफ़्ते,पिछले महीने,पिछले साल,अगले हफ्ते,अगले हफ़्ते,अगले"
        " महीने,अगले"
        " साल,χθες,χτες,αύριο,σήμερα,προχθές,μεθαύριο,אתמול,מחר,היום,שלשום,מחרתיים,"
        "เมื่อวาน,พรุ่งนี้,วันนี้,včera,zítra,dnes,eilen,huomenna,tänään,tegnap,holnap,ma"
        " este,ieri seară,mâine,hôm qua,ngày mai,kemarin,besok,دیروز,فردا,امروز,this morning,the"
        " other day,recently,just"
        " now,neulich,recientemente,récemment,недавно,最近,刚才,さっき,先日,최근,مؤخرا"
    ).split(",")
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a text names.

    relative: it is another one when read at another time, as "yesterday" and "last week" are. "On 3
    May" comes every year: it is not. is_amount: it tells how long something has been going on
    ("seit fünf Jahren"), no day. around: the words it stands in, from where it can be read again.
    """

    interval: Interval
    relative: bool
    is_amount: bool
    now: datetime
    around: str = ""

    @classmethod
    def of_year(cls, year: int, now: datetime) -> Moment:
        """A year."""
        start, end = (datetime(one, 1, 1, tzinfo=now.tzinfo) for one in (year, year + 1))
        return cls(Interval(start, end, (0, 0), str(year)), False, False, now)

    def tells(self, other: Moment) -> bool:
        """Whether who says the other may say this: the same time, or a longer one that holds it, as
        "in May" holds "on 3 May".

        An hour in figures is a number and is judged as one: here its day counts. "By Monday" may be
        told as "on" that day.
        """
        mine, theirs = self._edges(), other._edges()
        first, last = mine
        if first is None or last is None or None in theirs:
            return all(map(_near, mine, theirs)) or _is_edge_of(mine, theirs)
        is_hour = last - first <= _HOUR
        if is_hour and any(one.unit == "clock" for one in figures(self.interval.text, _ANY)):
            first = first.replace(hour=0, minute=0)
            last = first + _DAY
        return _holds((first, last), cast("tuple[datetime, datetime]", theirs))

    def _edges(self) -> tuple[datetime | None, datetime | None]:
        """Its ends; None where it is open, as "since 2019" is."""
        start, end = self.interval.start, self.interval.end
        return (None if is_open(start) else start), (
            None if end == self.now or is_open(end) else end
        )


def _holds(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    """Whether a time is another, or a longer one that holds it. Differences are compared, since a
    time may lie at the end of what can be told.
    """
    (first, last), (start, end) = one, other
    mine, length = last - first, end - start
    # "last night" goes on after midnight
    if mine == _DAY and length <= _DAY and first <= start < last:
        return True
    if 2 * mine < length:
        return False
    slack = _DAY if mine >= 4 * _DAY else timedelta(0)
    if first - start <= slack and end - last <= slack:
        return True
    return 2 * (min(last, end) - max(first, start)) >= mine


def is_open(edge: datetime) -> bool:
    """Whether a time goes on without end there, in whatever zone it was read."""
    return edge.year in (EARLIEST.year, LATEST.year)


def coming(moment: Moment) -> Moment | None:
    """The next time of the same name, as "on Thursday", "in May" and "on the 12th" have one; None
    where the words name one alone.

    A question asks of the last Thursday; who talks may mean the next.
    """
    first, last = moment._edges()
    edge = first if first is not None else last
    if edge is None or not 2 < edge.year < 9990 or moment.is_amount:
        return None
    is_now = first is not None and last is not None and first <= moment.now < last
    if is_now or not _comes_again(moment, edge):
        return None
    for period in _PERIODS:
        at = edge + _DAY + _HOUR + period
        found = _again(moment, at)
        if found is not None and _edge(found) != edge:
            return replace(moment, interval=found, relative=True, now=at)
    return None


def _comes_again(moment: Moment, edge: datetime) -> bool:
    """Whether a time's name is that of others too: "last Monday" and "in three weeks" said then are
    others, and so are days near now.
    """
    text = moment.interval.text
    if _names(_DEICTIC).search(fold(text)):
        return False
    return bool(_names(_WEEKDAYS).search(fold(text))) or any(
        _edge(_again(moment, at)) == edge for at in (edge + _HOUR, edge - _HOUR)
    )


def _again(moment: Moment, at: datetime) -> Interval | None:
    """The same words, read at another time."""
    found = find_interval(moment.around, at)
    found = found and _without_what_goes_on(found, moment.around, at)
    start = moment.around.find(moment.interval.text)
    is_it = found is not None and found.span[0] == start
    return found if is_it else find_interval(moment.interval.text, at)


@cache
def _names(kinds: frozenset[str]) -> re.Pattern[str]:
    """What finds a phrase of these kinds, in any language."""
    found = {
        " ".join(parts)
        for lexicon in lexicons().values()
        for parts, meanings in lexicon.phrases()
        if not kinds.isdisjoint(meanings) and len("".join(parts)) > 1
    }
    return _any_of(found)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """What finds one of some phrases, the longest first; words between their limits."""
    patterns = (re.escape(fold(one)).replace("\\ ", r"\W{1,3}") for one in phrases)
    words = sorted(patterns, key=len, reverse=True)
    cjk = [word for word in words if "\u3005" <= word[0] <= "\ud7a3"]
    spaced = "|".join(word for word in words if word not in cjk)
    return re.compile("|".join((*cjk, rf"\b(?:{spaced})\b")))


def _edge(found: Interval | None) -> datetime | None:
    """Where a time begins, or ends where it has no beginning."""
    if found is None:
        return None
    return found.end if is_open(found.start) else found.start


def _is_edge_of(
    one: tuple[datetime | None, datetime | None], other: tuple[datetime | None, datetime | None]
) -> bool:
    """Whether one of two times is open to one side, and ends on that day or in that month that the
    other is.
    """
    for (first, last), edges in ((one, other), (other, one)):
        edge = edges[0] or edges[1]
        if first is None or last is None or edge is None or None not in edges:
            continue
        if last - first <= _MONTH:
            return first <= edge <= last
    return False


def moments(text: str, now: datetime) -> list[Moment]:
    """The first eight times that a text names, in order, as read at now. From some day on, a
    weekday is every such day.
    """
    found = _with_months([_read(one, now, text) for one in _intervals(text, now)], text)
    if not any(is_open(one.interval.end) for one in found):
        return found
    return [
        replace(one, relative=one.relative and not _names(_WEEKDAYS).match(fold(one.interval.text)))
        for one in found
    ]


_DAY_ALONE, _LISTED = (
    re.compile(r"(\d{1,2}|[一二三四五六七八九十]{1,3})[日号號]"),
    re.compile(r"[和、，,到至或~—–-]?"),
)


def _with_months(found: list[Moment], text: str) -> list[Moment]:
    """Times in order, where a day that is listed after a day of a month is one of that month:
    6月7日和8日.
    """
    done: list[Moment] = []
    for one in found:
        last = done[-1].interval if done else None
        between = text[last.span[1] : one.interval.span[0]] if last else ""
        if last and "月" in last.text and _LISTED.fullmatch(between):
            one = _in_month(one, last)
        done.append(one)
    return done


def _in_month(one: Moment, last: Interval) -> Moment:
    """A day alone as the next such day after one of a month, if that month has it."""
    day, span = one.interval.start.day, one.interval.span
    start = last.start.replace(hour=0, minute=0) + timedelta(days=(day - last.start.day) % 31)
    if start.day != day or not _DAY_ALONE.fullmatch(one.interval.text):
        return one
    name = f"{start.month}月{start.day}日"  # as it can be read again
    interval = Interval(start, start + _DAY, span, name)
    return replace(one, interval=interval, relative=False, around=name)


def _read(found: Interval, now: datetime, text: str) -> Moment:
    is_any = found.text.startswith("第") or _is_habit(text, found)
    relative = not is_any and _is_relative(found, now)
    open_to_now = (found.end == now or is_open(found.end)) and relative
    around = text[max(0, found.span[0] - _AROUND) : found.span[1] + _AROUND]
    return Moment(found, relative, open_to_now and bool(figures(found.text, _ANY)), now, around)


def _near(one: datetime | None, other: datetime | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= timedelta(hours=1)


def has_relative_word(text: str) -> bool:
    """Whether it has such a word of a language whose times are not read: कल, χθες, אתמול."""
    folded = fold(text)
    words = frozenset(_WORD.findall(folded))
    return any(one in (folded if " " in one else words) for one in _RELATIVE)


def _intervals(text: str, now: datetime) -> Iterator[Interval]:
    at = 0
    for _ in range(MOST):
        found = find_interval(text[at:], now)
        if found is None:
            if at + READ_LIMIT >= len(text):
                return
            at += READ_LIMIT - 100  # no expression is longer
            continue
        found = _without_what_goes_on(found, text[at:], now)
        start, end = at + found.span[0], at + found.span[1]
        end = _before_cut_word(text, start, end)
        yield Interval(found.start, found.end, (start, end), found.text)
        at = end


_GOES_ON = re.compile(r"(?<=月)に\d{1,2}$|(?<=월에) ?\d{1,2}$|(?<=[월일년])이래$|(?:开始|開始)$")


def _without_what_goes_on(found: Interval, text: str, now: datetime) -> Interval:
    """A time without what only seems to belong to it: of "6月に6歳" the age, of
    "11월이래" that somebody said so.
    """
    goes_on = _GOES_ON.search(found.text)
    if goes_on is None or found.text[0] in "从自":
        return found
    if goes_on[0][-1].isdigit() and text.startswith(("日", "일"), found.span[1]):
        return found
    again = find_interval(text[: found.span[1] - len(goes_on[0])], now)
    return again if again is not None and again.span[0] == found.span[0] else found


def _before_cut_word(text: str, start: int, end: int) -> int:
    """The end, or that of the word before where a Korean word goes on: of "9일에 전주"
    the last is a town, and no "before".
    """
    last = text.rfind(" ", start, end)
    goes_on = end < len(text) and "가" <= text[end - 1] <= "힣" and "가" <= text[end] <= "힣"
    return last if goes_on and last > start and end - last == 2 else end


def _is_habit(text: str, found: Interval) -> bool:
    """Whether what stands around a time says that it comes again and again: "every", or a weekday's
    name as one of its kind.
    """
    before = text[max(0, found.span[0] - 24) : found.span[0]]
    is_each = any(word.startswith(_EVERY) for word in fold(before).split()[-2:])
    if is_each or before.endswith(("毎", "每")):
        return True
    is_weekday = _names(_WEEKDAYS).match(fold(found.text)) is not None
    return is_weekday and bool(
        _OF_A_KIND.search(before.lower()) or _EACH.match(text, found.span[1])
    )


def _is_relative(found: Interval, now: datetime) -> bool:
    again = find_interval(found.text, now - _EARLIER)
    if again is None:
        return False
    if found.start == again.start:
        return found.end != again.end and not (_is_now(found.end, now) or is_open(found.end))
    if is_open(found.start):
        return False
    is_long = found.end - found.start >= timedelta(days=360)
    if is_long or not _same_days_of_year(found, again):
        return True
    # there "summer" is this one, "last summer" another
    within = find_interval(found.text, found.start + timedelta(hours=1))
    return within is None or within.start != found.start


def _is_now(moment: datetime, now: datetime) -> bool:
    return abs(moment - now) <= _DAY


def _same_days_of_year(one: Interval, other: Interval) -> bool:
    pairs = ((one.start, other.start), (one.end, other.end))
    return all((a.month, a.day) == (b.month, b.day) for a, b in pairs)
