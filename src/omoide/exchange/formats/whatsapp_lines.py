"""How WhatsApp begins a message: the layouts of date and time in its exports, and what they mean.

The layout follows the phone's language and clock: ``31.12.21, 22:01 - ``,
``[12/31/21, 10:01:30 PM] ``, ``2021/12/31 下午10:01 - ``, or time first, as in
``[22:01, 31/12/2021] ``; with marks of writing direction and narrow spaces in
between. Day and month cannot be told apart line by line, so the whole file is
looked at first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime

from omoide.nouns.errors import InvalidInput

HEADER_LIMIT = 200  # characters of a line in which its header must end
FIRST_YEAR, LAST_YEAR = 2009, 2100  # WhatsApp began in 2009
BUDDHIST = 543  # years ahead of the common era
STYLES_LIMIT = 20  # styles of headers that are told apart
STRANGE_SHOWN = 5  # unknown words beside the time

# of direction, and without width
MARKS = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_M = f"[{MARKS}]{{0,4}}"
_HEADER = re.compile(
    rf"{_M}(?P<bracket>\[)?{_M}"
    rf"(?P<a>\d{{1,4}}){_M}\s?(?P<by>[./\-年년]){_M}\s?(?P<b>\d{{1,2}}){_M}\s?[./\-月월]{_M}\s?(?P<c>\d{{1,4}}){_M}[.日일]?"
    rf"(?P<before>[^\d\[\]]{{1,16}})"
    rf"(?P<hour>\d{{1,2}}){_M}(?:[:.]|\s?h\s?){_M}(?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?"
    rf"(?P<after>[^\d\]:–—-]{{0,16}}?)"
    rf"(?(bracket)\s?\]\s?|\s{_M}[-–—]\s){_M}"
)
_TIME_FIRST = re.compile(
    rf"{_M}(?P<bracket>\[)?{_M}"
    rf"(?P<hour>\d{{1,2}}){_M}[:.]{_M}(?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?"
    rf"(?P<after>[^\d\]:–—-]{{1,16}}?)"
    rf"(?P<a>\d{{1,4}}){_M}\s?(?P<by>[./\-]){_M}\s?(?P<b>\d{{1,2}}){_M}\s?[./\-]{_M}\s?(?P<c>\d{{1,4}}){_M}\.?"
    rf"(?(bracket)\s?\]\s?|\s{_M}[-–—]\s){_M}"
)
BOTH_WAYS = (
    "--day-first reads 03/04/26 as 3 April, --month-first as 4 March (in a program day_first=True"
    " or False)"
)
_ORDERS = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}  # where year, month and day stand
_MORNING = frozenset(
    "am vm fm ap πμ ص قظ קבלהצ לפנהצ 上午 午前 凌晨 早上 清晨 오전 sa öö पूर्वाह्न পূর্বাহ্ণ"
    " முற்பகல் ก่อนเที่ยง dop de rano pg прп paradite eparadites prepodne претпл пријеподне priekšp"
    " priekšpusdienā priešpiet дп таңкы قبلازظهر ກ່ອນທ່ຽງ ጥዋት safiya 上晝".split()
)
_EVENING = frozenset(
    "pm nm em ip μμ م بظ אחהצ 下午 午後 中午 晚上 傍晚 오후 ch ös अपराह्न অপরাহ্ণ பிற்பகல்"
    " หลังเที่ยง odp du popoł ptg слп pasdite epasdites popodne попл поподне pēcp pēcpusdienā popiet"
    " пп түштөнкийинки بعدازظهر ຫຼັງທ່ຽງ ከሰዓት yamma 下晝".split()
)
_FILLERS = frozenset(
    ("", *"t at um uhr klo kl à a las alle às os ore om u г ч в o год h plkst".split())
)
_KNOWN = _MORNING | _EVENING | _FILLERS


@dataclass(frozen=True, slots=True)
class Header:
    """The beginning of a message. style tells layouts apart; the rest of the line is from end."""

    numbers: tuple[str, str, str]
    hour: int
    minute: int
    second: int
    period: str  # the letters beside the time, such as "pm"
    style: str
    end: int


@dataclass(slots=True)
class _Order:
    """How well an order of day, month and year fits: impossible dates, and steps back in time."""

    invalid: int = 0
    backwards: int = 0
    last: date = date.min

    def count(self, day: date | None) -> None:
        """Take note of a date."""
        if day is None:
            self.invalid += 1
        else:
            self.backwards += day < self.last
            self.last = day


@dataclass(slots=True)
class _Style:
    """The headers of one style: how many, how many of them name another day if day and month are
    read the other way, and how well each order fits.
    """

    total: int = 0
    differ: int = 0
    orders: dict[str, _Order] = field(default_factory=lambda: {name: _Order() for name in _ORDERS})

    def count(self, header: Header) -> None:
        """Take note of a header."""
        days = {order: _date(header.numbers, order) for order in _ORDERS}
        self.total += 1
        self.differ += days["dmy"] != days["mdy"]
        for name, order in self.orders.items():
            order.count(days[name])


@dataclass(frozen=True, slots=True)
class Layout:
    """How one file writes its headers."""

    order: str
    style: str
    strange: tuple[str, ...] = field(default=())  # words beside the time that are not known

    def when(self, header: Header) -> datetime | None:
        """The local time of a header; None if there is no such date or time."""
        day = _date(header.numbers, self.order)
        hour = header.hour
        if header.period in _EVENING and hour < 12:
            hour += 12
        elif header.period in _MORNING and hour == 12:
            hour = 0
        if day is None or hour > 23 or header.minute > 59 or header.second > 59:
            return None
        return datetime(day.year, day.month, day.day, hour, header.minute, header.second)


def find_header(line: str) -> Header | None:
    """The header a line begins with, if any."""
    found, before = _HEADER.match(line, 0, HEADER_LIMIT), True
    if found is None:
        found, before = _TIME_FIRST.match(line, 0, HEADER_LIMIT), False
    if found is None:
        return None
    return Header(
        numbers=(found["a"], found["b"], found["c"]),
        hour=int(found["hour"]),
        minute=int(found["minute"]),
        second=int(found["second"] or 0),
        period=_letters(found["after"]) or (_letters(found["before"]) if before else ""),
        style=f"{found['bracket'] or ''}{found['by']}{'' if before else 'time first'}",
        end=found.end(),
    )


def find_layout(name: str, lines: Iterable[str], day_first: bool | None) -> Layout | None:
    """How a file writes its headers; None if it has none.

    The order of day and month is the one in which every date exists and time does not run
    backwards.

    Raises:
        InvalidInput: both orders fit equally and day_first is not given; or it is, and cannot be.
    """
    styles: dict[str, _Style] = {}
    strange: dict[str, None] = {}
    for header in filter(None, map(find_header, lines)):
        if header.style not in styles and len(styles) > STYLES_LIMIT:
            continue
        styles.setdefault(header.style, _Style()).count(header)
        if header.period not in _KNOWN and len(strange) < STRANGE_SHOWN:
            strange[header.period] = None
    if not styles:
        return None
    style = max(styles, key=lambda style: styles[style].total)
    return Layout(_choose(name, styles[style], day_first), style, tuple(strange))


def _choose(name: str, style: _Style, day_first: bool | None) -> str:
    day, month, year = (style.orders[order] for order in ("dmy", "mdy", "ymd"))
    least = min(day.invalid, month.invalid)
    if least * 2 > style.total and year.invalid < least:
        return "ymd"
    if day_first is not None:
        chosen, other = (day, month) if day_first else (month, day)
        if chosen.invalid > other.invalid:
            told = f"{name} has dates that contradict it; leave it out to have the order found"
            raise InvalidInput("day_first", told)
        return "dmy" if day_first else "mdy"
    by_day, by_month = (day.invalid, day.backwards), (month.invalid, month.backwards)
    if style.differ and by_day == by_month:
        raise InvalidInput("day_first", f"the dates of {name} can be read both ways; {BOTH_WAYS}")
    return "dmy" if by_day <= by_month else "mdy"


def _date(numbers: tuple[str, str, str], order: str) -> date | None:
    year_at, month_at, day_at = _ORDERS[order]
    written = numbers[year_at]
    year = int(written)
    if len(written) <= 2 and len(max(numbers, key=len)) <= 2:
        year += 2000
    elif year > LAST_YEAR:
        year -= BUDDHIST
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return date(year, int(numbers[month_at]), int(numbers[day_at]))
    except ValueError:
        return None


def _letters(text: str) -> str:
    """Only letters and their signs, case folded: "p. m." gives "pm"."""
    if not text.strip(" ,"):
        return ""
    return "".join(c for c in text.casefold() if unicodedata.category(c)[0] in "LM")
