"""Numbers in a text, in figures and words of many languages, with what they count.

Every figure is a set of values that it may have, since "1.000" is one or a thousand, and "3 pm"
both 3 and 15:00. The words stand in ``figures.toml``: numbers in order from nought, tens,
magnitudes, and units under one name each.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from omoide.text.languages import language_of
from omoide.text.letters import MARKS, fold
from omoide.text.numerals import DIGITS, NUMERALS, THAI, in_thai, shortened, value_of

_SEPARATED = (
    r"(?<![.,:\d])\d{1,3}(?:[,.'’ \u00a0\u202f_٬]\d{2,3}){0,6}[,.'’"
    r" \u00a0\u202f_٬]\d{3}(?![\d])(?:[.,٫]\d+)?"
)
_TOKEN = re.compile(
    rf"(?P<number>{_SEPARATED}|\d+(?:[.,٫]\d+)?)(?:(?P<minutes>:\d\d|h\d\d)(?!\d))?|(?P<numeral>[{NUMERALS}]+)"
    rf"|(?P<word>(?:(?![\u3040-\u30ff\u3400-\u9fff\d_])\w[\u064b-\u0652{MARKS}]*)+)|(?P<sign>[%°$€£¥₹₩₽])"
)
_AFTER = re.compile(
    r"[ \u00a0\u202f-]?(° ?[cf]\b|[%°$€£¥₹₩₽]|[\u3040-\u30ff\u3400-\u9fff]{1,4}"
    rf"|(?:[^\W\d_][\u064b-\u0652{MARKS}]*){{1,16}}['’]?[^\W\d_]*)"
)
_GROUPS = re.compile(r"[,.'’ \u00a0\u202f_٬]")
# six, or a grandmother; nine, or no; ten, or a village; seven, or a week; new; a river; a spruce
_PERHAPS = frozenset(map(fold, "ست سته نه ده hét hat nouă nou set deu ஆறு kuusi छ सत्र".split()))
# 92 m² counts as metres; what is counted is not measured otherwise in the same talk
_POWER = re.compile(r"(?<=\d)(\s?[ckm]?m)[23](?!\w)")
_TALL = re.compile(r"(?<![\d.,])([12])\s?m\s?(\d\d)(?!\d)")  # 1m85
LONGEST = 24  # figures; more are no number that anyone counts with


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a text. values: what it may be, as plain decimals or hours and minutes. unit: ""
    where none is known.

    is_sure: 一 and 十 are parts of words too, and "ست" is a grandmother; where nothing is counted,
    they may be no numbers.
    """

    values: frozenset[str]
    unit: str
    is_sure: bool = True

    @property
    def keys(self) -> Iterator[Hashable]:
        """What it has one of in common with every figure that is the same."""
        yield from self.values
        if self.unit in ("", "hour", "clock"):
            yield from _on_dial(self.values)
        if self.unit in _SCALE:
            yield from _measured(self)

    def same(self, other: Figure) -> bool:
        """Whether both may be one number of one thing; a number alone may be an hour."""
        units = {self.unit, other.unit}
        if len(units) == 1:
            return bool(self.values & other.values)
        if "clock" in units:
            return not units.isdisjoint(("", "hour")) and bool(
                _on_dial(self.values) & _on_dial(other.values)
            )
        if units <= _SCALE.keys():
            is_one_scale = _SCALE[self.unit][0] == _SCALE[other.unit][0]
            return is_one_scale and bool(_measured(self) & _measured(other))
        return "" in units and bool(self.values & other.values)


# what is measured, and how many of the smallest unit
_SCALE = {
    "mm": ("length", 1),
    "cm": ("length", 10),
    "m": ("length", 1_000),
    "km": ("length", 1_000_000),
    "mg": ("mass", 1),
    "g": ("mass", 1_000),
    "kg": ("mass", 1_000_000),
    "ml": ("volume", 1),
    "l": ("volume", 1_000),
}


def _measured(figure: Figure) -> frozenset[Fraction]:
    """A figure in the smallest unit of what it measures: 185 cm is 1.85 m."""
    plain = (value for value in figure.values if value.replace(".", "", 1).isdecimal())
    return frozenset(Fraction(value) * _SCALE[figure.unit][1] for value in plain)


def _on_dial(values: Collection[str]) -> frozenset[int]:
    """The hours of twelve that numbers or times of day may be."""
    hours = (value.partition(":")[0] for value in values)
    return frozenset(
        int(hour) % 12 for hour in hours if hour.isdecimal() and len(hour) <= 2 and int(hour) <= 24
    )


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    numbers: dict[str, dict[str, int]]  # by language
    joiners: frozenset[str]
    magnitudes: dict[str, int]
    units: dict[str, str]
    counters: tuple[str, ...]
    afternoon: frozenset[str]
    morning: frozenset[str]
    # by language: what an amount in a word, such as a dozen, may be
    amounts: dict[str, dict[str, frozenset[str]]]


@cache
def _words() -> _Vocabulary:
    table = tomllib.loads(files("omoide.text").joinpath("figures.toml").read_text(encoding="utf-8"))
    numbers = {code: _numbers(table, code) for code in table["numbers"]}
    magnitudes = {word: 10 ** int(power) for word, power in _by_word(table["magnitudes"]).items()}
    dozens = " ".join(table["amounts"]["dozen"].values())
    return _Vocabulary(
        numbers,
        _folded(table["joiners"]),
        magnitudes | dict.fromkeys(_folded(dozens), 12),
        _by_word(table["units"]),
        tuple(table["counters"].split()),
        _folded(table["afternoon"]),
        _folded(table["morning"]),
        {code: _amounts(table, code) for code in numbers},
    )


def _folded(words: str) -> frozenset[str]:
    return frozenset(map(fold, words.split()))


def _by_word(named: dict[str, str]) -> dict[str, str]:
    """The name under which each word is listed."""
    return {fold(word): name for name, words in named.items() for word in words.split()}


def _numbers(table: dict[str, Any], code: str) -> dict[str, int]:
    """The words of a language for numbers, also for those that it writes together."""
    known = {
        fold(form): value
        for value, forms in enumerate(table["numbers"][code].split())
        for form in forms.split("/")
        if form != "-"
    }
    tens = {
        fold(form): 20 + 10 * i
        for i, forms in enumerate(table["tens"].get(code, "").split())
        for form in forms.split("/")
    }
    return known | tens | _written_together(code, known, tens)


# others are only what they are called: dozens
_AMOUNTS = {
    "dozen": frozenset(("12",)),
    "half": frozenset(("0.5", "50")),
}
_HALVED = {"hour": "30", "day": "12", "year": "6"}


def _amounts(table: dict[str, Any], code: str) -> dict[str, frozenset[str]]:
    """The words of a language for amounts; those of a decade may be any of its years, or ages."""
    told = {name: _AMOUNTS.get(name, frozenset((name,))) for name in table["amounts"]}
    forms = {name: forms.get(code, "") for name, forms in table["amounts"].items()}
    known = {word: told[name] for word, name in _by_word(forms).items()}
    for ten, listed in enumerate(table["decades"].get(code, "").split(), start=2):
        known |= dict.fromkeys(map(fold, listed.split("/")), _years(ten))
    return known


def _years(ten: int) -> frozenset[str]:
    """The years, or ages, of a decade."""
    firsts = (century + 10 * ten for century in (0, 1900, 2000))
    return frozenset(str(first + year) for first in firsts for year in range(10))


def _written_together(code: str, known: dict[str, int], tens: dict[str, int]) -> dict[str, int]:
    """fünfundzwanzig, trentacinque, vijfentwintig."""
    units = {word: value for word, value in known.items() if 1 <= value <= 9}
    pairs = [(unit, ten) for ten in tens for unit in units]
    values = [units[unit] + tens[ten] for unit, ten in pairs]
    if code in _LINKS:
        link = _LINKS[code]
        words = [("ein" if unit == "eins" else unit) + link + ten for unit, ten in pairs]
    elif code == "it":
        words = [(ten[:-1] if unit[0] in "aeiou" else ten) + unit for unit, ten in pairs]
    else:
        return {}
    return dict(zip(words, values, strict=True))


_LINKS = {"de": "und", "nl": "en"}


def figures(text: str, languages: Collection[str]) -> list[Figure]:
    """The numbers of a text in order, in figures of any script and in the words of those languages.
    Linear in its length.
    """
    words, folded = _words(), _POWER.sub(r"\1", _TALL.sub(r"\1.\2 m", fold(text)))
    languages = _told_apart(languages, text)
    tables = [words.numbers[code] for code in languages if code in words.numbers]
    amounts: dict[str, frozenset[str]] = {}
    for code in languages:
        amounts |= words.amounts.get(code, {})
    halves = [Figure(_AMOUNTS["half"], "") for _ in _HALVES.finditer(folded)]
    read = _read(list(_TOKEN.finditer(folded)), tables, amounts, words)
    return [*read, *map(_in_thai, THAI.finditer(folded)), *halves]


def _read(
    tokens: list[re.Match[str]],
    tables: list[dict[str, int]],
    amounts: dict[str, frozenset[str]],
    words: _Vocabulary,
) -> Iterator[Figure]:
    """The numbers of a text whose words are told apart by spaces, in order."""
    skip = -1
    for i, token in enumerate(tokens):
        if i <= skip:
            continue
        if token.lastgroup in ("number", "minutes"):
            yield _counted_down(_in_figures(tokens, i, words), token, token.end())
        elif token.lastgroup == "numeral":
            yield from _in_numerals(token, words)
        elif token.lastgroup == "word":
            value, skip = _spoken(tokens, i, tables, words)
            if value is not None:
                figure, skip = _counted(tokens, i, value, skip, words)
                yield _counted_down(figure, token, tokens[skip].end())
            elif token[0] in amounts:
                yield _amount(tokens, i, amounts[token[0]], words)


# half and a quarter to an hour, before it and behind it
_TO = re.compile(
    r"(?<!\w)(?:halb|halv|om half|dreiviertel|viertel vor|quarter to|kwart voor|kvart i) $"
)
_LESS = re.compile(
    r" (?:heures? )?(?:menos (?:un? |um )?(?:cuarto|quarto)|moins (?:le |un )?quart|meno un quarto)"
)


def _counted_down(figure: Figure, token: re.Match[str], end: int) -> Figure:
    """A number; of an hour that is counted down to also the one before: halb neun is 8:30."""
    text = token.string
    told = (one.partition(":")[0] for one in figure.values)
    hours = {int(hour) for hour in told if hour.isdecimal() and len(hour) <= LONGEST}
    if min(hours, default=0) not in range(1, 25):
        return figure
    if not _TO.search(text, max(0, token.start() - 20), token.start()) and not _LESS.match(
        text, end
    ):
        return figure
    return Figure(frozenset(str(one) for hour in hours for one in (hour, hour - 1 or 12)), "")


def _counted(
    tokens: list[re.Match[str]], i: int, value: Decimal, last: int, words: _Vocabulary
) -> tuple[Figure, int]:
    """A number in words with what it counts, and the last token that belongs to it."""
    value, last = _times(value, tokens, last, words)
    unit, first = _unit(tokens, last, words), tokens[i]
    values = _told(_plain(value), unit, first.string, first.start(), tokens[last].end())
    return Figure(values, unit, bool(unit) or first[0] not in _PERHAPS), last


# Numbers of one are other words in the other.
_KIN = tuple(map(frozenset, (("ar", "fa", "ur"), ("hi", "ne"))))


def _told_apart(languages: Collection[str], text: str) -> tuple[str, ...]:
    """Of languages whose words are not to be mixed the one that the text is in, or the first; and
    all others.
    """
    for kin in _KIN:
        mixed = [code for code in languages if code in kin]
        if len(mixed) > 1:
            likely = language_of(text)
            only = likely if likely in mixed else mixed[0]
            return tuple(code for code in languages if code not in kin or code == only)
    return tuple(languages)


_HALVES = re.compile("一半|半分|半数|半數|절반")


def _amount(
    tokens: list[re.Match[str]], i: int, values: frozenset[str], words: _Vocabulary
) -> Figure:
    """An amount in a word. Half after a number is a part of it, and before a time of day no amount:
    two and a half, half past six.
    """
    if "0.5" not in values:
        return Figure(values, "")
    after = _word(tokens, i + 2) if _word(tokens, i + 1) in ("a", "an") else _word(tokens, i + 1)
    of = _HALVED.get(words.units.get(after, ""))
    is_part = any(_is_number(token, words) for token in tokens[max(0, i - 3) : i])
    follows = tokens[i + 1 : i + 2]
    is_time = after == "past" or any(_is_number(token, words) for token in follows)
    return Figure(values | {of} if of else values, "", not is_part and not is_time)


def _is_number(token: re.Match[str], words: _Vocabulary) -> bool:
    is_figure = token.lastgroup in ("number", "minutes")
    return is_figure or any(token[0] in table for table in words.numbers.values())


_HALF = re.compile(r"\s?(?:点钟|点|點|時|时|시)\s?(?:半|반)")
_HALF_BEFORE = "साढे "


def _minute(text: str, start: int, end: int) -> str:
    """The minutes of an hour that stands there without any: of 五点半 and साढ़े पाँच बजे half of it."""
    return "30" if _HALF.match(text, end) or text.endswith(_HALF_BEFORE, 0, start) else "00"


def _told(value: str, unit: str, text: str, start: int, end: int) -> frozenset[str]:
    """What a number in words may be: an hour may be one of the morning or the evening."""
    if unit != "clock" or not value.isdecimal() or int(value) > 24:
        return frozenset((value,))
    minute = _minute(text, start, end)
    return frozenset(f"{hour}:{minute}" for hour in (int(value), int(value) + 12) if hour <= 24)


def _plain(value: Decimal | int) -> str:
    text = format(Decimal(value), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _in_figures(tokens: list[re.Match[str]], i: int, words: _Vocabulary) -> Figure:
    token = tokens[i]
    written = token["number"]
    if token["minutes"]:
        return _at(written.lstrip("0") or "0", token["minutes"][1:], tokens, i, words)
    if len(written) > LONGEST:
        return Figure(frozenset((written,)), "")
    multiplied, at = _times(Decimal(1), tokens, i, words)
    unit = _unit(tokens, at, words) or _currency_before(tokens, i, words)
    is_hour = unit == "clock" or _word(tokens, i + 1) in words.afternoon | words.morning
    if is_hour and written.isdecimal():
        minute = _minute(token.string, *token.span())
        return _at(written, minute, tokens, i, words)
    values = frozenset(_plain(value * multiplied) for value in _readings(written))
    return Figure(values, "clock" if is_hour else unit)


def _at(hour: str, minute: str, tokens: list[re.Match[str]], i: int, words: _Vocabulary) -> Figure:
    return Figure(frozenset(_hours(hour, minute, tokens, i, words)), "clock")


def _readings(written: str) -> Iterator[Decimal]:
    """Every value that the figures may have: a mark before three figures groups thousands, or
    begins a fraction.
    """
    parts = _GROUPS.split(written.replace("٫", "."))
    if len(parts) == 1:
        yield Decimal(parts[0])
        return
    if len(parts[-1]) == 3 or len(parts) > 2:
        yield Decimal("".join(parts))
    if len(parts) == 2 or len(parts[-1]) != 3:
        yield Decimal("".join(parts[:-1]) + "." + parts[-1])


def _hours(
    hour: str, minute: str, tokens: list[re.Match[str]], i: int, words: _Vocabulary
) -> Iterator[str]:
    """The times it may be; with neither morning nor afternoon beside it, both."""
    around = (_word(tokens, i + 1), _word(tokens, i - 1))
    number = int(hour[:4])
    is_late, is_early = (
        any(word in listed for word in around) for listed in (words.afternoon, words.morning)
    )
    if not is_late or number >= 12:
        yield f"{number}:{minute}"
    if not is_early and number < 12:
        yield f"{number + 12}:{minute}"


def _word(tokens: list[re.Match[str]], i: int) -> str:
    return tokens[i][0] if 0 <= i < len(tokens) else ""


def _times(
    value: Decimal | int, tokens: list[re.Match[str]], i: int, words: _Vocabulary
) -> tuple[Decimal, int]:
    """The value with the magnitudes that follow, and the last token that belongs to it: 5 million,
    3 Mio, 5万.
    """
    product = Decimal(value)
    while (
        (word := _word(tokens, i + 1)) in words.magnitudes
        and tokens[i + 1].start() - tokens[i].end() <= 1
        and product < 10**12
    ):
        product *= words.magnitudes[word]
        i += 1
    return product, i


def _unit(tokens: list[re.Match[str]], i: int, words: _Vocabulary) -> str:
    """What is counted, told by the word right after the number."""
    follows = _AFTER.match(tokens[i].string, tokens[i].end())
    return _unit_of(follows[1].replace(" ", ""), words) if follows else ""


def _unit_of(word: str, words: _Vocabulary) -> str:
    if word in words.units:
        return words.units[word]
    begins = (word[:n] for n in (4, 3, 2, 1)) if word and _is_glued(word) else ()
    return next((words.units[begin] for begin in begins if begin in words.units), "")


def _is_glued(word: str) -> bool:
    """Words of these scripts are followed by others without a space."""
    return "\u3040" <= word[0] <= "\ud7a3"


def _currency_before(tokens: list[re.Match[str]], i: int, words: _Vocabulary) -> str:
    sign = _word(tokens, i - 1)
    name = words.units.get(sign, "")
    return name if name.isupper() else ""


def _in_numerals(token: re.Match[str], words: _Vocabulary) -> Iterator[Figure]:
    """Chinese numerals; sure where a word for what is counted follows or there are several. Of
    magnitudes alone, only ten is a number.
    """
    numeral = token[0]
    if len(numeral) > LONGEST or (DIGITS.keys().isdisjoint(numeral) and "十" not in numeral):
        return
    follows = _AFTER.match(token.string, token.end())
    after = follows[1] if follows else ""
    unit, value = _unit_of(after, words), value_of(numeral)
    if unit == "clock":
        values = _told(_plain(value), unit, token.string, *token.span())
    else:
        values = frozenset(map(_plain, (value, shortened(numeral))))
    is_counted = numeral != "一" and after.startswith(words.counters)  # an article too
    yield Figure(values, unit, is_counted or len(numeral) > 1)


_THAI_COUNTED = re.compile(
    r"\s?(?:รอบ|ครั้ง|ขวบ|ปี|เดือน|วัน|สัปดาห์|ชั่วโมง|นาที|คน|ตัว|ใบ|คัน|บาท|กิโล|เมตร|ห้อง|ชั้น|เล่ม|หลัง|ต้น|แก้ว)"
)


def _in_thai(run: re.Match[str]) -> Figure:
    """A number in Thai words. Sure where it has several, or something is counted."""
    *values, count = in_thai(run[0])
    is_sure = count > 1 or _THAI_COUNTED.match(run.string, run.end()) is not None
    return Figure(frozenset(map(_plain, values)), "", is_sure)


def _bare(word: str) -> str:
    """An Arabic number without the preposition that is written onto it: بخمسة."""
    return word[1:] if word[:1] in ("ب", "ل") and len(word) > 3 else word


def _spoken(
    tokens: list[re.Match[str]], i: int, tables: list[dict[str, int]], words: _Vocabulary
) -> tuple[Decimal | None, int]:
    """The number in words that starts at a token, and its last token: three, twenty-five, treinta y
    cinco.
    """
    for table in tables:
        value = table.get(tokens[i][0], table.get(_bare(tokens[i][0])))
        if value is None:
            continue
        at = i + 2 if _word(tokens, i + 1) in words.joiners else i + 1
        after = _word(tokens, at)
        more = table.get(after, 0) or table.get(after.removeprefix("و"), 0)
        if _goes_on(value, more, after):
            return Decimal(value + more), at
        return Decimal(value), i
    return None, i


def _goes_on(value: int, more: int, after: str) -> bool:
    """Whether two words make one number: tens and units, or in Arabic units and tens."""
    if value >= 20 and value % 10 == 0:
        return 1 <= more <= 9
    # ثلاثة وعشرون
    return value < 10 and more >= 20 and more % 10 == 0 and after.startswith("و")
