"""The words of time in many languages, and a query cut into tokens that carry their meanings.

``times.toml`` holds one table for each language. A value lists phrases, parted by commas; ``{a/b}``
stands for either ending, and forms after a semicolon are plurals. Accents, case and width do not
matter. ``docs/reference/time-expressions.md`` says what each key means.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from omoide.text.letters import CHARACTERS, Memo
from omoide.text.numerals import DIGITS, NUMERALS, POWERS, value_of
from omoide.text.times.calendar import Stretch
from omoide.text.times.written import read_written

_CJK = "々〇぀-ヿ㐀-䶿一-鿿가-힣"
_ATOM = re.compile(
    rf"(?P<number>\d+)|(?P<cjk>[{_CJK}])|(?P<word>(?:(?![{_CJK}])[^\W\d_])+)|(?P<mark>\S)"
)
_WORD = re.compile(rf"(?:(?![{_CJK}])[^\W\d_])+")
_DIGIT = re.compile(r"\d")
_GAP = re.compile(r"[\s'\-.]{1,3}")
_ELISION = re.compile(r"'(?=[^\W\d_])")  # "l'été", "quest'anno", "yesterday's"
_BRACES = re.compile(r"\{([^{}]*)\}")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|ieme|eme|ere|(?<=1)er|ste|de|re|e|o|a|-?(?:го|му|ом|ая|ои|ыи|ии|я|и|м))(?!\w)"
)
_NUMERAL = re.compile(f"[{NUMERALS}]+")
_SAME = {"’": "'", "ʼ": "'", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "〜": "~", "～": "~"}
# Kinds of which one word, or one word with a number, can name a time; without any of them there is
# none.
_TELLING = frozenset(
    "month month_short weekday weekday_short weekday_part part day rel daypart duration season unit"
    " half_fused month_post week_no".split()
)
# Names that are also ordinary words: weak ones need company, weaker ones more of it.
_STRENGTHS = ("weak", "weaker")
_BY_STRENGTH = frozenset({"month", "month_short", "weekday", "season"})
_FROM_ZERO = frozenset({"weekday", "weekday_short", "season", "edge", "edge_post"})


class Meaning(NamedTuple):
    """What a phrase can mean in one language: how much or which one, and of what."""

    number: int = 1
    unit: str = ""


@dataclass(slots=True)
class Token:
    """A phrase, number or mark of the folded query, from start until before end.

    meanings are by kind. number is set for figures, with their count in digits; for numerals of
    Chinese characters digits is 0. written is a date in figures.
    """

    start: int
    end: int
    text: str
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    number: int | None = None
    digits: int = 0
    ordinal: bool = False
    written: Stretch | None = None


def _folded(code: int) -> str:
    """A character as it is compared."""
    character = chr(code)
    text = unicodedata.normalize("NFKC", _SAME.get(character, character)).casefold()
    if ord(character) < 0x3000:  # accents mean nothing here, but the marks of kana and Hangul do
        text = "".join(
            c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)
        )
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else _SAME.get(c, c) for c in text)


_FOLD = Memo(_folded, CHARACTERS)


def fold(text: str) -> str:
    """Text without case, width, accents and foreign figures. Its length may differ."""
    return text.lower() if text.isascii() else text.translate(_FOLD)


def unfold(text: str, start: int, end: int) -> tuple[int, int]:
    """Where a span of the folded text lies in text."""
    if text.isascii():
        return start, end
    at, ends = 0, []
    for character in text:
        at += len(_FOLD[ord(character)])
        ends.append(at)
    first = next(i for i, place in enumerate(ends) if place > start)
    last = next(i for i, place in enumerate(ends) if place >= end)
    return first, last + 1


class Lexicon:
    """The phrases of one language."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name = name
        # "semaine dernière", not "last week"
        self.adjective_after = bool(table.get("adjective_after"))
        self.nouns_are_capital = bool(table.get("nouns_are_capital"))
        # common words elsewhere
        self.false_friends = frozenset(_phrases(table.get("false_friends", "")))
        self.ordinal_days = bool(table.get("ordinal_days"))  # "the 5th", never "the 5"
        self.omits_one = bool(table.get("omits_one"))  # "in a week" is "in week"
        self.counts_by_number = bool(table.get("counts_by_number"))  # "3분기" is the third quarter
        self.bare_edges = bool(table.get("bare_edges"))  # "fine mese" is the end of the month
        # "上周一" is the Monday of last week
        self.week_before_weekday = bool(table.get("week_before_weekday"))
        self._found = _meanings(table)
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for parts in sorted(self._found, key=len, reverse=True):
            self._by_first.setdefault(parts[0], []).append(parts)

    def phrases(self) -> Iterable[tuple[tuple[str, ...], Mapping[str, Meaning]]]:
        """Each phrase, in its words, with its meanings by kind."""
        return self._found.items()

    def telling(self) -> Iterator[str]:
        """The longest word, or the first character, of each phrase that can name a time."""
        for parts, meanings in self._found.items():
            told = _TELLING.intersection(meanings)
            is_weak = told == {"month_short"} and meanings["month_short"].unit
            if told and not is_weak:
                yield max(parts, key=len)

    def first_words(self) -> Iterator[str]:
        """The first words of all phrases."""
        return iter(self._by_first)

    def longest(
        self, text: str, at: int, first: str, *, counted: bool = False
    ) -> tuple[Mapping[str, Meaning], int] | None:
        """The meanings of the longest phrase that starts at a place with this word, and where it
        ends. After a number that counts, it is no other word that only begins like a unit.
        """
        for parts in self._by_first.get(first, ()):
            end = _end_of_phrase(text, at, parts)
            if end and not (counted and "word" in self._found[parts]):
                return self._found[parts], end
        return None


def _meanings(table: Mapping[str, Any]) -> dict[tuple[str, ...], dict[str, Meaning]]:
    """The meanings by kind of each phrase of a language, which is given in its words."""
    strength = {phrase: level for level in _STRENGTHS for phrase in _phrases(table.get(level, ""))}
    found: dict[tuple[str, ...], dict[str, Meaning]] = {}
    for kind, number, unit, phrase in (*_entries(table), *_compounds(table)):
        unit = strength.get(phrase, "") if kind in _BY_STRENGTH else unit
        found.setdefault(tuple(_parts(phrase)), {}).setdefault(kind, Meaning(number, unit))
    return found


def _phrases(listed: str) -> Iterator[str]:
    """Each phrase of a value of the word file, its braces written out."""
    for phrase in filter(None, (part.strip() for part in listed.split(","))):
        pieces = _BRACES.split(phrase)
        choices = [piece.split("/") if i % 2 else [piece] for i, piece in enumerate(pieces)]
        yield from (fold("".join(chosen)) for chosen in product(*choices))


def _parts(phrase: str) -> list[str]:
    """The words of a phrase; the single characters where a script has no words."""
    return [found[0] for found in _ATOM.finditer(phrase) if found.lastgroup != "mark"]


def _entries(table: Mapping[str, Any]) -> Iterator[tuple[str, int, str, str]]:
    """Kind, number, unit and phrase of everything one language lists."""
    for kind, value in table.items():
        if isinstance(value, str) and kind not in _STRENGTHS:
            yield from _listed(kind, 1, "", value)
        elif isinstance(value, list):
            for number, listed in enumerate(value, start=0 if kind in _FROM_ZERO else 1):
                yield from _listed(kind, number, "", listed)
        elif isinstance(value, dict):
            for label, listed in value.items():
                number, unit = _label(label)
                for plural, forms in enumerate(listed.split(";")):
                    yield from _listed(kind, number + plural, unit, forms)


def _listed(kind: str, number: int, unit: str, listed: str) -> Iterator[tuple[str, int, str, str]]:
    return ((kind, number, unit, phrase) for phrase in _phrases(listed))


def _compounds(table: Mapping[str, Any]) -> Iterator[tuple[str, int, str, str]]:
    """Weekday and part of the day in one word, as in "Montagabend", where the language makes such
    words.
    """
    weekdays = enumerate(table["weekday"]) if table.get("compounds") else ()
    for (number, names), (part, listed) in product(weekdays, table.get("part", {}).items()):
        for weekday, when in product(_phrases(names), _phrases(listed)):
            yield "weekday_part", number, part, weekday + when


def _label(label: str) -> tuple[int, str]:
    """``-1 week``, ``-1`` or ``week`` as number and unit."""
    figure, _, unit = label.partition(" ")
    return (int(figure), unit) if figure.lstrip("-").isdigit() else (1, label)


def _end_of_phrase(text: str, at: int, parts: tuple[str, ...]) -> int:
    """Where the phrase ends that starts at a place, or 0 if it does not stand there."""
    for i, part in enumerate(parts):
        gap = _GAP.match(text, at) if i else None
        at = gap.end() if gap else at
        if not text.startswith(part, at):
            return 0
        at += len(part)
        if not is_cjk(part) and text[at : at + 1].isalpha() and not is_cjk(text[at]):
            return 0
        if i + 1 < len(parts) and not is_cjk(part) and not _GAP.match(text, at):
            return 0
    return at


def is_cjk(text: str) -> bool:
    """Of a script that is read character by character here."""
    return "\u3005" <= text[0] <= "\ud7a3" and not "\ua000" <= text[0] < "\uac00"


@cache
def lexicons() -> Mapping[str, Lexicon]:
    """All languages, by their codes. Read from the word file once."""
    tables = tomllib.loads(Path(__file__).with_name("times.toml").read_text(encoding="utf-8"))
    return {name: Lexicon(name, table) for name, table in tables.items()}


class _KnownLanguages(NamedTuple):
    """Languages by telling word and by any first word, and the telling characters of scripts
    without words.
    """

    telling: Mapping[str, frozenset[str]]
    first: Mapping[str, frozenset[str]]
    characters: re.Pattern[str]


@cache
def _languages_of() -> _KnownLanguages:
    telling: list[tuple[str, str]] = []
    first: list[tuple[str, str]] = []
    for name, lexicon in lexicons().items():
        telling += ((word, name) for word in lexicon.telling())
        first += ((word, name) for word in lexicon.first_words())
    # in Arabic "and" is written as one word with the next
    telling += [("و" + word, name) for word, name in telling if name == "ar"]
    characters = "".join(word for word in dict(telling) if is_cjk(word))
    return _KnownLanguages(_grouped(telling), _grouped(first), re.compile(f"[{characters}]"))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Each first of some pairs with all that are second to it."""
    groups: dict[str, set[str]] = {}
    for one, other in pairs:
        groups.setdefault(one, set()).add(other)
    return {one: frozenset(others) for one, others in groups.items()}


def candidates(folded: str) -> list[str]:
    """The languages in which this text may name a time, in the order of the word file; most often
    none.

    This is the gate that keeps other queries cheap. A language is left out if another has all its
    telling words and more of the other words: "hier" is yesterday in a French query only.
    """
    telling, known, characters = _languages_of()
    words = set(_WORD.findall(folded))
    told = words & telling.keys()
    told.update(characters.findall(folded))
    if not told:
        has_digit = _DIGIT.search(folded) is not None
        return _by_connectives(words.union(filter(is_cjk, folded)), known) if has_digit else []
    reasons = _grouped((name, word) for word in told for name in telling[word])
    counts = _knowing(words, known)
    named = (name for name in lexicons() if name in reasons)
    return [name for name in named if not _is_outdone(name, reasons, counts)]


def _knowing(words: set[str], known: Mapping[str, frozenset[str]]) -> Counter[str]:
    """How many of the words each language knows."""
    return Counter(name for word in words for name in known.get(word, ()))


def _by_connectives(words: set[str], known: Mapping[str, frozenset[str]]) -> list[str]:
    """For figures without a telling word, as in "since 2019": the languages that know most of the
    words.
    """
    counts = _knowing(words, known)
    if not counts:
        return ["en"]
    most = max(counts.values())
    return [name for name in lexicons() if counts[name] == most]


def _is_outdone(
    name: str, reasons: Mapping[str, frozenset[str]], counts: Mapping[str, int]
) -> bool:
    if reasons[name] <= lexicons()[name].false_friends:
        return any(counts[other] >= counts[name] for other in counts if other != name)
    return any(
        counts[other] > counts[name] and reasons[name] <= reasons.get(other, frozenset())
        for other in counts
    )


def tokens(text: str, lexicon: Lexicon, zone: tzinfo | None) -> list[Token]:
    """The folded text cut into phrases of one language, numbers and marks, in order; spaces are
    left out.
    """
    found: list[Token] = []
    at = 0
    while atom := _ATOM.search(text, at):
        is_number = atom.lastgroup == "number"
        token = _number(text, atom, zone) if is_number else _phrase(text, atom, lexicon, found)
        found.append(token)
        at = token.end + (1 if token.meanings and _ELISION.match(text, token.end) else 0)
    for i, token in enumerate(found):
        if token.number is not None and token.digits and _is_stuck(found, i):
            token.number = None
    return found


def _is_stuck(found: list[Token], i: int) -> bool:
    """Figures that are part of a name, such as ``gpt4``, ``4xl`` or ``1,5``."""
    token = found[i]
    before = found[i - 1] if i and found[i - 1].end == token.start else None
    after = found[i + 1] if i + 1 < len(found) and found[i + 1].start == token.end else None
    if before and (before.text in "_/#$€£@=&+" or _is_unknown(before, -1)):
        return True
    if before and before.text in ".,:" and token.digits != 4 and i > 1:
        earlier = found[i - 2]
        if earlier.end == before.start and earlier.digits:
            return True
    return after is not None and (after.text in "_%@=" or _is_unknown(after, 0))


def _is_unknown(token: Token, at: int) -> bool:
    """Whether a token has a letter at one of its ends, and no meaning."""
    return token.text[at].isalpha() and not token.meanings and not is_cjk(token.text)


def _number(text: str, atom: re.Match[str], zone: tzinfo | None) -> Token:
    """A date in figures, a number with or without its ending, or figures that mean nothing here."""
    start, end = atom.span()
    written = read_written(text, start, zone)
    if written:
        return Token(start, written[1], text[start : written[1]], written=written[0])
    ending = _ORDINAL.match(text, end)
    stop = ending.end() if ending else end
    return Token(
        start, stop, text[start:stop], number=int(atom[0]), digits=end - start, ordinal=bool(ending)
    )


def _phrase(text: str, atom: re.Match[str], lexicon: Lexicon, before: list[Token]) -> Token:
    """The longest known phrase, a numeral of Chinese characters, or the bare atom."""
    start, end = atom.span()
    numeral = _NUMERAL.match(text, start) if atom.lastgroup == "cjk" else None
    known = _known_phrase(text, atom, lexicon, before)
    if known and (not numeral or known[1] - start >= len(numeral[0])):
        return Token(start, known[1], text[start : known[1]], known[0])
    if numeral:
        return Token(start, numeral.end(), numeral[0], number=_value(numeral[0]))
    if _begins_with_and(text, atom, lexicon):
        return Token(start, start + 1, "و", {"and": Meaning()})
    return Token(start, end, atom[0])


def _begins_with_and(text: str, atom: re.Match[str], lexicon: Lexicon) -> bool:
    """Whether the Arabic "and" is written onto a known phrase."""
    if lexicon.name != "ar" or not atom[0].startswith("و"):
        return False
    return lexicon.longest(text, atom.start() + 1, atom[0][1:]) is not None


def _known_phrase(
    text: str, atom: re.Match[str], lexicon: Lexicon, before: list[Token]
) -> tuple[Mapping[str, Meaning], int] | None:
    start = atom.start()
    if not _may_start(text, start, before):
        return None
    counted = bool(before) and before[-1].number is not None and before[-1].end == start
    return lexicon.longest(text, start, atom[0], counted=counted)


def _may_start(text: str, at: int, before: list[Token]) -> bool:
    """Korean words begin after a space, a mark, a number or another known word."""
    if not ("가" <= text[at] <= "힣") or at == 0 or not ("가" <= text[at - 1] <= "힣"):
        return True
    return bool(before and before[-1].end == at and before[-1].meanings)


def pair(numeral: str) -> tuple[int, int] | None:
    """ "两三" is two or three: two figures side by side, each one above the other."""
    figures = [DIGITS.get(character, 0) for character in numeral]
    if len(figures) != 2 or figures[1] - figures[0] != 1 or not figures[0]:
        return None
    return figures[0], figures[1]


def _value(numeral: str) -> int | None:
    """The number that Chinese characters write; None for figures side by side, as in "two or
    three", unless they are a year.
    """
    is_spelled = len(numeral) in (1, 4) or not POWERS.keys().isdisjoint(numeral)
    return value_of(numeral) if is_spelled else None
