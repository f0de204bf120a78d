"""Reads the small parts of a time expression from the tokens of one language: numbers, amounts,
months, years.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple, TypeAlias

from omoide.text.numerals import NUMERALS
from omoide.text.times.calendar import Stretch, shift, vague
from omoide.text.times.words import Lexicon, Meaning, Token, pair
from omoide.text.times.written import full_year

TimeReading: TypeAlias = tuple[Stretch, int]  # what the tokens name, and the first token after them
YEARS = range(1900, 2101)  # in which four figures are taken for a year without the word
# how many times may stand inside each other: "the end of the week of the first Monday of May"
DEPTH = 6
FEW, COUPLE = (2, 5), (1, 3)  # how many "a few" and "a couple of" may be
_CLOCK = re.compile(r"([01]?\d|2[0-4])[:.]([0-5]\d)(?::[0-5]\d)?$")
_AFTER_NOON = frozenset({"afternoon", "evening", "night"})
# After these even a word with other uses is meant as a time.
_OPENING = ("since", "until", "before", "after", "between", "edge")
_LEADING = ("in", "in_the", "on", "from", *_OPENING)


class Amount(NamedTuple):
    """From low to high units."""

    low: int
    high: int
    unit: str

    def before(self, moment: datetime) -> tuple[datetime, datetime]:
        """The earliest and latest moment that lie so much before this one."""
        return self._away(moment, -self.high), self._away(moment, -self.low)

    def after(self, moment: datetime) -> tuple[datetime, datetime]:
        """The earliest and latest moment that lie so much after this one."""
        return self._away(moment, self.low), self._away(moment, self.high)

    def _away(self, moment: datetime, count: int) -> datetime:
        if self.low == self.high:
            return shift(moment, count, self.unit)
        return moment + vague(count, self.unit)


# Reads at one token; led: the words before already say that a time follows, so that "May" or "2019"
# alone will do.
ReadAt: TypeAlias = "Callable[[Reader, int, bool], TimeReading | None]"
# Reads on after a point of time that ends before this token.
Extension: TypeAlias = "Callable[[Reader, Stretch, int], TimeReading | None]"
# stands beside the kinds of meanings for a token that starts with a figure or is a numeral
FIGURES = "figures"
_FIGURE_SIGNS = NUMERALS + "'"
# where an amount can start
AMOUNTS = frozenset({FIGURES, "number", "few", "couple", "duration", "few_day"})
YEAR_STARTS = frozenset({FIGURES, "rel", "offset", "unit", "year_word"})


class TimeRule(NamedTuple):
    """A way to read a point of time, and the kinds of token at which it can start."""

    read: ReadAt
    starts: frozenset[str]


def rule(read: ReadAt, *starts: str | frozenset[str]) -> TimeRule:
    """A rule that starts at these kinds of token."""
    return TimeRule(
        read, frozenset().union(*({start} if isinstance(start, str) else start for start in starts))
    )


class Grammar(NamedTuple):
    """What a reader goes by."""

    rules: tuple[TimeRule, ...]
    extensions: tuple[Extension, ...]


class Reader:
    """Tokens of one language, with what is known beside them.

    now is naive local time. text is the folded query in its original case where that has the same
    length. Methods that read give what they read with the index of the next token, or None.
    """

    def __init__(
        self, found: list[Token], lexicon: Lexicon, now: datetime, text: str, grammar: Grammar
    ) -> None:
        self.tokens, self.lexicon, self.now = found, lexicon, now
        self._text, self._grammar = text, grammar
        self.kinds = frozenset().union(*(token.meanings for token in found))
        self._points: dict[tuple[int, bool], TimeReading | None] = {}
        self._depth = 0

    def point(self, i: int, led: bool = False) -> TimeReading | None:
        """The longest point of time that starts at this token; of equally long ones that of the
        first rule.
        """
        if i >= len(self.tokens) or self._depth > DEPTH:
            return None
        if (i, led) not in self._points:
            self._points[i, led] = None  # a rule that comes back here finds nothing
            self._depth += 1
            self._points[i, led] = self._longest(i, led)
            self._depth -= 1
        return self._points[i, led]

    def _longest(self, i: int, led: bool) -> TimeReading | None:
        starts = self.starts(i)
        if not starts:
            return None
        longest: TimeReading | None = None
        for one in self._grammar.rules:
            found = None if one.starts.isdisjoint(starts) else tried(one.read, self, i, led)
            if found and (longest is None or found[1] > longest[1]):
                longest = found
        for extension in self._grammar.extensions if longest else ():
            longest = (longest and tried(extension, self, *longest)) or longest
        return longest

    def starts(self, i: int) -> frozenset[str]:
        """The kinds of the token; FIGURES is one."""
        token = self.tokens[i]
        kinds, text = frozenset(token.meanings), token.text
        is_figure = token.number is not None or text[0].isdigit() or text[0] in _FIGURE_SIGNS
        return kinds | {FIGURES} if is_figure else kinds

    def has(self, i: int, *kinds: str) -> Meaning | None:
        """The token's meaning of the first of these kinds that it has."""
        if 0 <= i < len(self.tokens):
            meanings = self.tokens[i].meanings
            for kind in kinds:
                if kind in meanings:
                    return meanings[kind]
        return None

    def says(self, i: int, *texts: str) -> bool:
        """The token is one of these marks or words."""
        return 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def figures(self, i: int, digits: Iterable[int] = range(1, 10)) -> int | None:
        """The number that stands there in so many figures; of Chinese characters, as many as it
        would take.
        """
        if 0 <= i < len(self.tokens):
            token = self.tokens[i]
            if token.number is not None and (token.digits or len(str(token.number))) in digits:
                return token.number
        return None

    def is_glued(self, i: int) -> bool:
        """No space before this token."""
        return 0 < i < len(self.tokens) and self.tokens[i - 1].end == self.tokens[i].start

    def is_capital(self, i: int) -> bool:
        """The token starts with a capital in the query."""
        return self._text[self.tokens[i].start].isupper()

    def is_title(self, i: int) -> bool:
        """The token starts with a capital and goes on in small letters."""
        if not 0 <= i < len(self.tokens):
            return False
        start = self.tokens[i].start
        return self._text[start].isupper() and self._text[start + 1 : start + 2].islower()

    def is_own_name(self, i: int) -> bool:
        """The name of a month or weekday is that of a person or place: "Rio de Janeiro", "quién
        era Domingo Sarmiento", "who plays Wednesday Addams".
        """
        if self.says(i + 1, ".") and self.is_glued(i + 1) and self.is_glued(i + 2):
            return True  # "monday.com"
        if i == 0 or self.lexicon.nouns_are_capital or not self.is_title(i):
            return False
        is_small = self.lexicon.adjective_after  # a language that writes these names small
        if is_small and self.has(i - 1, "from") and self.is_title(i - 2):
            return True
        if self.is_led(i, ("in", "in_the", "on", *_OPENING)):
            return False
        is_filled = self.has(i - 1, "fill") is not None
        if is_small or is_filled:
            return is_small and (not is_filled or self.says(i - 1, "a"))
        after = i + 1 < len(self.tokens) and not self.tokens[i + 1].meanings
        return after and self.has(i, "weekday") is not None and self.is_title(i + 1)

    def past_fill(self, i: int, most: int = 2) -> int:
        """The index after articles, prepositions and commas."""
        for _ in range(most):
            if self.has(i, "fill", "in_the", "day_lead") is None and not self.says(i, ",", "'"):
                break
            i += 1
        return i

    def is_led(self, i: int, kinds: tuple[str, ...] = _LEADING) -> bool:
        """A word before, articles aside, says that a time follows; "und" the whole query is the
        time.
        """
        back = i - 1
        while back >= 0 and back >= i - 3:
            if self.has(back, *kinds) is not None:
                return True
            if self.has(back, "fill") is None:
                return False
            back -= 1
        return False

    def is_free(self, i: int) -> bool:
        """What follows is no noun that a number before would count: the end, a mark, a function
        word, a name.
        """
        if i >= len(self.tokens):
            return True
        token = self.tokens[i]
        # a mark, or a script without capitals
        if not token.text[0].isalpha() or token.text.upper() == token.text:
            return token.number is None
        if self.is_glued(i):
            return False
        return bool(token.meanings) or (self.is_capital(i) and not self.lexicon.nouns_are_capital)

    def quantity(self, i: int) -> tuple[int, int, int] | None:
        """Lowest and highest count, and the next index: "3", "three", "2-3", "a few", "a couple
        of".
        """
        for kind, (low, high) in (("few", FEW), ("couple", COUPLE)):
            if self.has(i, kind):
                return low, high, i + 1
        count = self._count(i)
        if count is None:
            both = pair(self.tokens[i].text) if i < len(self.tokens) else None
            return (*both, i + 1) if both else None
        goes_on = self.says(i + 1, "-", "~") or self.has(i + 1, "to", "or")
        most = self._count(i + 2) if goes_on else None
        return (count, most, i + 3) if most and count < most else (count, count, i + 1)

    def _count(self, i: int) -> int | None:
        number = self.figures(i)
        word = self.has(i, "number") if number is None else None
        return word.number if word else number

    def amount(self, i: int) -> tuple[Amount, int] | None:
        """A count of units: "3 days", "a couple of weeks", "半年", "يومين"."""
        if self.has(i, "few_day"):
            return Amount(*FEW, "day"), i + 1
        if fused := self.has(i, "duration"):
            return Amount(fused.number, fused.number, fused.unit), i + 1
        counted = self.quantity(i)
        if counted is None:
            return None
        low, high, j = counted
        unit = self.has(j, "unit")
        if unit is None and self.figures(i) is not None:
            unit = self.has(j, "unit_short")
        if unit is None or self._is_date_part(i, j):
            return None
        return Amount(low, high, unit.unit), j + 1

    def _is_date_part(self, i: int, j: int) -> bool:
        """ "3月" is March, not three months, and "2024年" a year."""
        if self.has(j, "month_post"):
            return True
        return self.has(j, "year_post") is not None and (self.figures(i) or 0) in YEARS

    def month(self, i: int) -> tuple[int, str, int] | None:
        """Number, strength of the name and next index of a month; abbreviations have the strength
        "short" or "weak".
        """
        name = self.has(i, "month")
        if name:
            return name.number, name.unit, i + 1
        short = self.has(i, "month_short")
        if short:
            return short.number, short.unit or "short", i + (2 if self.says(i + 1, ".") else 1)
        number = self.figures(i, (1, 2))
        if number and 1 <= number <= 12 and self.has(i + 1, "month_post"):
            return number, "", i + 2
        return None

    def day_number(self, i: int) -> tuple[int, bool, int] | None:
        """The day of a month, whether it is written as an ordinal, and the next index."""
        word = self.has(i, "ordinal")
        if word:
            return word.number, True, i + 1
        number = self.figures(i, (1, 2))
        if number is None or not 1 <= number <= 31:
            return None
        ordinal = self.tokens[i].ordinal
        if self.says(i + 1, ".") and self.is_glued(i + 1):
            return number, True, i + 2
        if self.has(i + 1, "day_post"):
            return number, True, i + 2
        return number, ordinal, i + 1

    def year(self, i: int) -> tuple[int, int] | None:
        """A year in four figures, or in two after an apostrophe, with the word for it before or
        after.
        """
        if self.has(i, "year_word") and self.figures(i + 1, (4,)) is not None:
            i += 1
        number = self.figures(i, (4,))
        if number is None:
            i += self.says(i, "'")
            number = self._short_year(i)
        if number is None:
            return None
        j = i + 1
        while self.has(j, "year_post", "year_word") and self.has(j, "month", "offset") is None:
            j += 2 if self.says(j + 1, ".") and len(self.tokens[j].text) == 1 else 1
        return number, j

    def _short_year(self, i: int) -> int | None:
        """A year in two figures after an apostrophe."""
        short = self.figures(i, (2,)) if self.says(i - 1, "'") and self.is_glued(i) else None
        return full_year(f"{short:02}") if short is not None else None

    def clock(self, i: int) -> tuple[int, int, int] | None:
        """Hour, minute and next index of a time of day: "3pm", "at 3", "15:30", "15 Uhr",
        "下午3点半".
        """
        led = self.has(i, "at") is not None
        i += led
        part = self.has(i, "part")
        found = self._clock_figures(i + (part is not None), led or part is not None)
        if found is None:
            return None
        hour, minute, j = found
        if not part:
            k = self.past_fill(j)
            part = self.has(k, "part")
            j = k + 1 if part else j
        hour = self._of_day(hour, j, part)
        if hour > 24:
            return None
        return hour, minute, j + (self.has(j, "am", "pm") is not None)

    def _of_day(self, hour: int, i: int, part: Meaning | None) -> int:
        """An hour as one of 24, by the part of the day, or by what follows."""
        if self.has(i, "pm") or (part and part.unit in _AFTER_NOON):
            return hour + 12 if hour < 12 else hour
        return 0 if hour == 12 and self.has(i, "am") else hour

    def bare_hour(self, i: int) -> tuple[int, int, int] | None:
        """An hour without any sign of one, as in "from 9 to 11"."""
        hour = self.figures(i, (1, 2))
        return (hour, 0, i + 1) if hour is not None and hour <= 24 else None

    def _clock_figures(self, i: int, led: bool) -> tuple[int, int, int] | None:
        if not 0 <= i < len(self.tokens):
            return None
        written = _CLOCK.match(self.tokens[i].text)
        if written:
            end = i + 1 + (self.has(i + 1, "oclock") is not None)
            return int(written[1]), int(written[2]), end
        hour = self.figures(i, (1, 2))
        return None if hour is None or hour > 24 else self._full_hour(hour, i + 1, led)

    def _full_hour(self, hour: int, i: int, led: bool) -> tuple[int, int, int] | None:
        """An hour by what follows it, or by what leads to it, with its minutes."""
        if self.has(i, "am", "pm"):
            return hour, 0, i
        is_unit = self.has(i, "unit") is not None
        if self.has(i, "oclock") and (led or not is_unit):
            return hour, *self._minutes(i + 1)
        return (hour, 0, i) if led and not is_unit else None

    def _minutes(self, i: int) -> tuple[int, int]:
        """The minutes after a full hour, and the next index: "30分", "半", none."""
        if self.has(i, "half_past"):
            return 30, i + 1
        minute = self.figures(i, (1, 2))
        post = self.has(i + 1, "minute_post") is not None
        if minute is not None and minute < 60 and (post or self.is_glued(i)):
            return minute, i + 1 + post
        return 0, i


def tried(read: Callable[..., TimeReading | None], *given: object) -> TimeReading | None:
    """What a rule reads; nothing where that is no date, or outside the years 1 to 9999."""
    try:
        return read(*given)
    except (ValueError, OverflowError):
        return None
