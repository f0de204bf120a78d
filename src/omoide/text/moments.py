"""All the times that a text names, and which of them hang on when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from omoide.text.figures import figures
from omoide.text.letters import fold
from omoide.text.times import EARLIEST, LATEST, READ_LIMIT, Interval, find_interval

MOST = 8  # times of one text that are read
_EARLIER = timedelta(days=400)  # another day of the week, the month and the year
_DAY = timedelta(days=1)
_ANY = ("en", "de", "es", "fr", "it", "pt", "nl", "ru", "uk", "pl", "ar", "zh", "ja", "ko")
_EVERY = tuple(fold("every each jede jede cada todos todas chaque tous toutes ogni tutti кажд elke varje hver każd كل हर 매").split())
_WORD = re.compile(r"[^\s.,;:!?()\"“”«»।]+")
_RELATIVE = tuple(
    fold(
        "कल,परसों,आज,पिछले हफ्ते,पिछले हफ़्ते,पिछले महीने,पिछले साल,अगले हफ्ते,अगले हफ़्ते,अगले महीने,अगले साल,"
        "χθες,χτες,αύριο,σήμερα,προχθές,μεθαύριο,אתמול,מחר,היום,שלשום,מחרתיים,เมื่อวาน,พรุ่งนี้,วันนี้,včera,zítra,dnes,eilen,huomenna,tänään,"
        "tegnap,holnap,ma este,ieri seară,mâine,hôm qua,ngày mai,kemarin,besok,دیروز,فردا,امروز,"
        "this morning,the other day,recently,just now,neulich,recientemente,récemment,недавно,最近,刚才,さっき,先日,최근,مؤخرا"
    ).split(",")
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a text names.

    relative: it is another one when read at another time, as "yesterday" and "last week" are. "On 3 May" comes every year: it is not.
    is_amount: it tells how long something has been going on ("seit fünf Jahren"), no day.
    """

    interval: Interval
    relative: bool
    is_amount: bool
    now: datetime

    def tells(self, other: Moment) -> bool:
        """Whether who says the other may say this: the same time, or a longer one that holds it, as "in May" holds "on 3 May"."""
        (mine_first, mine_last), (first, last) = self._edges(), other._edges()
        if mine_first is None or first is None or mine_last is None or last is None:
            return _near(mine_first, first) and _near(mine_last, last)
        mine, length = mine_last - mine_first, last - first
        slack = _DAY if mine >= 4 * _DAY else timedelta(0)
        if 2 * mine >= length and mine_first <= first + slack and last <= mine_last + slack:
            return True
        return 2 * mine >= length and 2 * (min(mine_last, last) - max(mine_first, first)) >= mine

    def _edges(self) -> tuple[datetime | None, datetime | None]:
        """Its ends; None where it is open, as "since 2019" is."""
        start, end = self.interval.start, self.interval.end
        return (None if start <= EARLIEST else start), (None if end in (self.now, LATEST) else end)


def moments(text: str, now: datetime) -> list[Moment]:
    """The first eight times that a text names, in order, as read at now."""
    return [_read(found, now, text) for found in _intervals(text, now)]


def _read(found: Interval, now: datetime, text: str) -> Moment:
    relative = _is_relative(found, now) and not _is_habit(text, found.span[0])
    open_to_now = found.end in (now, LATEST) and relative
    return Moment(found, relative, open_to_now and bool(figures(found.text, _ANY)), now)


def _near(one: datetime | None, other: datetime | None) -> bool:
    return one is other if one is None or other is None else abs(one - other) <= timedelta(hours=1)


def has_relative_word(text: str) -> bool:
    """Whether it has such a word of a language whose times are not read: कल, χθες, אתמול."""
    words = frozenset(_WORD.findall(fold(text)))
    return any(one in words if " " not in one else one in fold(text) for one in _RELATIVE)


def _intervals(text: str, now: datetime) -> Iterator[Interval]:
    at = 0
    for _ in range(MOST):
        found = find_interval(text[at:], now)
        if found is None:
            if at + READ_LIMIT >= len(text):
                return
            at += READ_LIMIT - 100  # no expression is longer
            continue
        start, end = at + found.span[0], at + found.span[1]
        end = _before_cut_word(text, start, end)
        yield Interval(found.start, found.end, (start, end), found.text)
        at = end


def _before_cut_word(text: str, start: int, end: int) -> int:
    """The end, or that of the word before where a Korean word goes on: of "9일에 전주" the last is a town, and no "before"."""
    last = text.rfind(" ", start, end)
    goes_on = end < len(text) and "가" <= text[end - 1] <= "힣" and "가" <= text[end] <= "힣"
    return last if goes_on and last > start and end - last == 2 else end


def _is_habit(text: str, start: int) -> bool:
    """Whether "every", with a word or none between, stands before a place."""
    return any(word.startswith(_EVERY) for word in fold(text[max(0, start - 24) : start]).split()[-2:]) or text[
        max(0, start - 1) : start
    ] in ("毎", "每")


def _is_relative(found: Interval, now: datetime) -> bool:
    again = find_interval(found.text, now - _EARLIER)
    if again is None:
        return False
    starts, ends = (found.start, again.start), (found.end, again.end)
    if starts[0] == starts[1]:
        return ends[0] != ends[1] and not (_is_now(ends[0], now) or ends[0] == LATEST)
    if starts[0] <= EARLIEST:
        return False
    if not (_same_day_of_year(*starts) and _same_day_of_year(*ends)) or found.end - found.start >= timedelta(days=360):
        return True
    within = find_interval(found.text, found.start + timedelta(hours=1))  # there "summer" is this one, "last summer" another
    return within is None or within.start != found.start


def _is_now(moment: datetime, now: datetime) -> bool:
    return abs(moment - now) <= _DAY


def _same_day_of_year(one: datetime, other: datetime) -> bool:
    return (one.month, one.day) == (other.month, other.day)
