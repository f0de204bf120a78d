"""What a text says in figures: its addresses, times and numbers, each read when it is first asked
for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property

from omoide.grounding.quotes import find_quote
from omoide.text.addresses import Address, addresses
from omoide.text.figures import Figure, figures
from omoide.text.moments import Moment, coming, has_relative_word, is_open, moments
from omoide.text.times.words import lexicons

_DAY, _YEAR = timedelta(days=1), timedelta(days=365)
# Days of each, and by how many days who counts in them may be off.
_UNITS = {"day": (1.0, 0.0), "week": (7.0, 1.0), "month": (30.44, 5.0), "year": (365.25, 183.0)}
_GAP = 6  # characters between a weekday and its date
_MOST = 200  # of a unit; more is no time that anyone speaks of
_NEAR = timedelta(days=31)  # within which a day may be named by its number alone


class SaidText:
    """A text said at a time, in some of these languages, by and of people of these names."""

    def __init__(
        self, text: str, at: datetime, languages: Sequence[str], names: Collection[str] = ()
    ) -> None:
        self.text, self.at, self.languages, self._names = text, at, languages, names

    @cached_property
    def addresses(self) -> tuple[Address, ...]:
        """Links, codes and the like."""
        return tuple(addresses(self.text))

    @cached_property
    def times(self) -> tuple[Moment, ...]:
        """The times it names; not those that are people's names, such as 千夏 and May."""
        found = [re.finditer(re.escape(name), self._told) for name in self._names if len(name) > 1]
        named = [one.span() for each in found for one in each]
        times = moments(self._told, self.at)
        return tuple(
            one
            for one in _without_weekdays(times)
            if not any(a <= one.interval.span[0] and one.interval.span[1] <= b for a, b in named)
        )

    @cached_property
    def numbers(self) -> tuple[Figure, ...]:
        """All its numbers, those of its times too."""
        return tuple(figures(self._told, self.languages))

    @cached_property
    def plain(self) -> str:
        """The rest: blanks stand for addresses and times."""
        plain = self._told
        for start, end in (time.interval.span for time in self.times if not time.is_amount):
            plain = plain[:start] + " " * (end - start) + plain[end:]
        return plain

    @cached_property
    def counted(self) -> tuple[Figure, ...]:
        """Its numbers but for those of its times, of which the hours count."""
        whole = [
            number
            for number in figures(self.plain, self.languages)
            if any(number.values == one.values for one in self.numbers)
        ]
        return (*whole, *(number for number in self.numbers if number.unit == "clock"))

    @cached_property
    def _told(self) -> str:
        text = self.text
        for address in self.addresses:
            text = text.replace(address.text, " " * len(address.text), 1)
        return text

    def has_address(self, one: Address) -> bool:
        """Whether it has that address."""
        return any(one.same(other) for other in self.addresses)

    def has_number(self, one: Figure) -> bool:
        """Whether it has that number, or names a time in the year that it is."""
        if any(one.same(other) for other in self.numbers):
            return True
        year = year_of(one, self.at)
        return year is not None and (
            self.names(year) or (not self._has_times_read and str(self.at.year) in one.values)
        )

    def names(self, time: Moment) -> bool:
        """Whether it names that time: by the same words, as the last or the next of its name, or by
        how far off it is.
        """
        if any(time.tells(other) for other in self.times) or find_quote(
            time.interval.text, self.text
        ):
            return True
        return (
            any(means(time, other) for other in self.times)
            or self._has_day(time)
            or self._has_days_of(time)
            or any(_comes_again_as(time, other) for other in self.times)
            or self._counts_to(time)
            or self._has_words_of(time)
        )

    def bounds(self, moment: datetime) -> bool:
        """Whether it names a time that begins or ends then, to the day, or lasts a month at most
        and holds it, or was said then.
        """
        times = [
            time.interval for one in self.times for time in (one, coming(one)) if time is not None
        ]
        inside = any(
            time.start <= moment <= time.end for time in times if time.end - time.start <= _NEAR
        )
        edges = [self.at, *(edge for time in times for edge in (time.start, time.end))]
        return (
            inside
            or any(abs(edge - moment) <= _DAY for edge in edges)
            or self._counts_to_day(moment)
        )

    def is_said_in(self, time: Moment) -> bool:
        """Whether it was said then, give or take what words such as कल leave open: yesterday or
        tomorrow.
        """
        slack = timedelta(days=2 if has_relative_word(self.text) else 0)
        return time.interval.start - slack <= self.at < time.interval.end + slack

    @property
    def _has_times_read(self) -> bool:
        """Whether times are read in its language; of others only full dates are."""
        return not lexicons().keys().isdisjoint(self.languages)

    def _has_words_of(self, time: Moment) -> bool:
        """Whether, in a language whose times are not read, it has all of a time near its own but
        the year: नवंबर.
        """
        if self._has_times_read or abs(time.interval.start - self.at) > _YEAR:
            return False
        words = re.sub(r"\d{4}", " ", time.interval.text).strip()
        return any(map(str.isalpha, words)) and find_quote(words, self.text) is not None

    def _has_day(self, time: Moment) -> bool:
        """Whether it names a day near its own by the number alone, as "the weekend of the 14th"
        does.
        """
        start, end = time.interval.start, time.interval.end
        if end - start > _DAY or abs(start - self.at) > _NEAR:
            return False
        return any(
            str(start.day) in number.values and not number.unit
            for number in figures(self.plain, self.languages)
        )

    def _has_days_of(self, time: Moment) -> bool:
        """Whether it names the first and the last day of a time near its own by their numbers, as
        "from the 14th to the 21st" does.
        """
        start, end = time.interval.start, time.interval.end - timedelta(microseconds=1)
        if end - start > 2 * _NEAR or abs(start - self.at) > 2 * _NEAR:
            return False
        said = {value for number in self.numbers if not number.unit for value in number.values}
        return {str(start.day), str(end.day)} <= said

    def _counts_to(self, time: Moment) -> bool:
        """Whether it names the days, weeks, months or years between its own time and that one,
        before or after.
        """
        start, end = time.interval.start, time.interval.end
        if (is_open(end) or end == self.at) and (start.month, start.day) == (1, 1):  # "since 2019"
            end = start + _YEAR
        return any(
            end - start <= max(_NEAR, 2 * slack)
            and start - slack <= self.at + stretch < end + slack
            for length, slack in self._stretches()
            for stretch in (length, -length)
        )

    def _counts_to_day(self, moment: datetime) -> bool:
        return any(
            abs(abs(moment - self.at) - length) <= slack for length, slack in self._stretches()
        )

    def _stretches(self) -> Iterator[tuple[timedelta, timedelta]]:
        for number in self.numbers:
            days, slack = _UNITS.get(number.unit, (0.0, 0.0))
            for value in number.values if days else ():
                if value.isdecimal() and len(value) <= 3 and int(value) <= _MOST:
                    yield timedelta(days=int(value) * days), timedelta(days=slack)


def _without_weekdays(times: Sequence[Moment]) -> Iterator[Moment]:
    """Times but for the weekday before a full date: "Friday, 6 March 2026" is one day."""
    for n, one in enumerate(times):
        after = times[n + 1] if n + 1 < len(times) else None
        is_part = (
            after is not None
            and not after.relative
            and one.relative
            and one.interval.end - one.interval.start <= _DAY
            and one.interval.start.weekday() == after.interval.start.weekday()
            and after.interval.span[0] - one.interval.span[1] <= _GAP
        )
        if not is_part:
            yield one


def _comes_again_as(time: Moment, other: Moment) -> bool:
    """Whether another time is that one but for the week or the year, which who talks leaves open:
    "next Tuesday", "in May".
    """
    length = time.interval.end - time.interval.start
    start, then = time.interval.start, other.interval.start
    if other.interval.end - then <= _DAY and length <= _DAY and other.relative:
        return then > other.now and start.date() - then.date() == timedelta(days=7)
    same = (start.month, start.day) == (then.month, then.day)
    return (
        same
        and abs(start.year - then.year) == 1
        and str(then.year) not in other.interval.text
        and abs(other.interval.end - then - length) <= 2 * _DAY
    )


def means(time: Moment, other: Moment) -> bool:
    """Whether who says the other may mean that time: as it was last, or as it comes next."""
    if time.tells(other):
        return True
    later = coming(other)
    return later is not None and time.tells(later)


def year_of(number: Figure, now: datetime) -> Moment | None:
    """The year that a number alone may be."""
    year = min(
        (
            int(value)
            for value in number.values
            if len(value) == 4 and value.isdecimal() and "1900" <= value <= "2100"
        ),
        default=None,
    )
    return None if year is None or number.unit else Moment.of_year(year, now)
