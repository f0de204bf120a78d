"""Honest claims in many languages with their quotes, and what becomes of them when a model errs:
each in one way, the same every time.

A line of ``data/claims/<language>.tsv`` is speaker, quote, text, marks: names (n), numbers (#),
dates (d), addresses (a) as they stand in the text, what may be put for a unit (u); what
denies it (!) and another value of the talk (s) are for a judge. The first line lists names of
which none is in the rows. In ``claims-talks`` a fifth column has the talk up to the quoted turn:
turns parted by "|", an assistant's after "M>".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from omoide.grounding.claims import Claim, Flag, Grounded, ground
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.turn import Role, Turn

DATA = Path(__file__).parent / "data"
# Close to the quote, by which the check was made; in freer words, by which it was mended; and
# written last, by which next to nothing was.
NEAR, FREE, UNSEEN = "claims", "claims-free", "claims-unseen"
# what a model makes of a talk: values of other turns, days reckoned, habits, negations elsewhere
TALKS = "claims-talks"
# what it makes of chats in scripts other than Latin; by every first row the check was mended, by
# every second not
CHATS = "claims-chats"
SCRIPTS_NEAR, SCRIPTS_FREE = (
    "claims-scripts",
    "claims-scripts-free",
)  # in scripts without capitals of which few words are listed
NOON = datetime(2024, 5, 8, 12, tzinfo=timezone(timedelta(hours=2)))  # a Wednesday
YESTERDAY = dict(
    zip(
        "en de es fr it pt nl ru zh ja ko ar hi th".split(),
        "yesterday gestern ayer hier ieri ontem gisteren вчера 昨天 昨日 어제 أمس कल เมื่อวาน".split(),
        strict=True,
    )
)
SCRIPTS = {
    "ru": "Cyrillic",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Hangul",
    "ar": "Arabic",
    "hi": "Devanagari",
    "th": "Thai",
} | {
    **{
        "bn": "Bengali",
        "ta": "Tamil",
        "te": "Telugu",
        "gu": "Gujarati",
        "pa": "Gurmukhi",
        "ka": "Georgian",
    },
    **{
        "kn": "Kannada",
        "ml": "Malayalam",
        "si": "Sinhala",
        "am": "Ethiopic",
        "he": "Hebrew",
        "fa": "Persian",
        "ur": "Urdu",
    },
    **{"my": "Burmese", "km": "Khmer", "lo": "Lao", "bo": "Tibetan"},
}
_DIGITS = re.compile(r"\d+")
_TO_CYRILLIC = str.maketrans("abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопкрстувшхиз")


@dataclass(frozen=True, slots=True)
class Row:
    """An honest claim, and what may be changed in it."""

    language: str
    speaker: str
    quote: str
    text: str
    marks: tuple[tuple[str, str], ...]
    pool: tuple[str, ...]
    talk: tuple[str, ...]

    def marked(self, kind: str) -> list[str]:
        """What is marked as that."""
        return [value for name, value in self.marks if name == kind]


class Case(NamedTuple):
    """A claim that a model made of a row, and how it erred; "" where it did not."""

    row: Row
    kind: str
    claim: Claim


@cache
def rows(folder: str = NEAR) -> tuple[Row, ...]:
    """All rows of a folder, by language."""
    return tuple(row for path in sorted((DATA / folder).glob("*.tsv")) for row in _read(path))


def _read(path: Path) -> Iterator[Row]:
    lines = _lines(path)
    near = DATA / NEAR / path.name
    pool = tuple(_lines(near if near.exists() else path)[0][1].split())
    for speaker, quote, text, marks, *talk in (line for line in lines if line[0] != "pool"):
        parted = tuple(
            (kind, value)
            for kind, _, value in (mark.strip().partition(":") for mark in marks.split("; "))
        )
        yield Row(
            path.stem,
            speaker,
            quote,
            text,
            parted,
            pool,
            tuple(talk[0].split(" | ")) if talk else (quote,),
        )


def _lines(path: Path) -> list[list[str]]:
    return [
        line.split("\t")
        for line in path.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]


def turns(row: Row) -> tuple[Turn, ...]:
    """The talk up to the quoted turn, which is the last."""
    return tuple(_turn(row, position, text) for position, text in enumerate(row.talk))


def _turn(row: Row, position: int, text: str) -> Turn:
    asked = text.startswith("M> ")
    return Turn(
        id=TurnId(f"s#{position}"),
        session=SessionId("s"),
        position=position,
        role=Role.ASSISTANT if asked else Role.USER,
        speaker="Mira" if asked else row.speaker,
        user=None if asked else "u",
        text=text.removeprefix("M> "),
        at=NOON,
        recorded_at=NOON,
    )


@lru_cache(maxsize=8_192)
def judged(case: Case) -> Grounded:
    """What the check makes of a case; asked again, it is remembered."""
    return ground(case.claim, turns(case.row), user="u")


def honest(folder: str = NEAR) -> Iterator[Case]:
    """Every row as it is."""
    yield from (Case(row, "", _claim(row)) for row in rows(folder))


def mutated(folder: str = NEAR) -> Iterator[Case]:
    """Every row with one thing wrong, in each way that it can be."""
    for number, row in enumerate(rows(folder)):
        for kind, text in _texts(row, number):
            if text != row.text:
                yield Case(row, kind, replace(_claim(row), text=text, entities=_tags(row, text)))
        for kind, quote in _quotes(row, number):
            yield Case(row, kind, replace(_claim(row), quote=quote))


def _claim(row: Row) -> Claim:
    tags = _tags(row, row.text)
    return Claim(text=row.text, quote=row.quote, turns=(len(row.talk) - 1,), entities=tags)


def _tags(row: Row, text: str) -> tuple[str, ...]:
    """The names of a text, as a model tags them."""
    names = dict.fromkeys((*row.marked("n"), *row.pool, *map(_in_other_script, row.marked("n"))))
    return tuple(f"person:{name}" for name in names if name in text)


def _texts(row: Row, number: int) -> Iterator[tuple[str, str]]:
    other = row.pool[number % len(row.pool)]
    for name in row.marked("n"):
        yield "name", row.text.replace(name, other)
        yield "name", row.text.replace(name, row.pool[(number + 3) % len(row.pool)])
        yield "transliteration", row.text.replace(name, _in_other_script(name))
    for value in row.marked("#"):
        yield "number", row.text.replace(value, _other_number(value), 1)
        yield (
            "number",
            row.text.replace(value, re.sub(r"\d+|^[^\d]$|^\D{2,}$", "47", value, count=1), 1),
        )
    for date in row.marked("d"):
        yield (
            "date",
            row.text.replace(
                date, _DIGITS.sub(lambda found: str(int(found[0]) + 2), date, count=1)
            ),
        )
        yield (
            "date",
            row.text.replace(date, re.sub(r"\d{4}", lambda found: str(int(found[0]) - 3), date)),
        )
        yield "relative", row.text.replace(date, YESTERDAY[row.language])
    for address in row.marked("a"):
        yield (
            "address",
            row.text.replace(address, address[:-2] + ("77" if address[-1].isdigit() else "zz")),
        )
        yield "address", row.text.replace(address, address[:2] + "8" + address[2:])
    for change in row.marked("u"):
        old, _, new = change.partition(">")
        yield "unit", row.text.replace(old, new, 1)


def _quotes(row: Row, number: int) -> Iterator[tuple[str, str]]:
    same = [
        other for other in rows() if other.language == row.language and other.quote != row.quote
    ]
    if same:
        yield "quote", same[number % len(same)].quote
    words = row.quote.split()
    yield (
        "quote",
        " ".join((*words[:-1], row.pool[0])) if len(words) > 1 else row.pool[0] + row.quote,
    )
    yield "quote", row.quote[: len(row.quote) // 2] + row.pool[1] + row.quote[len(row.quote) // 2 :]


def _other_number(value: str) -> str:
    """The next one, with its counter; 9 for one in words."""
    if not _DIGITS.search(value):
        return "9"
    return _DIGITS.sub(lambda found: str(int(found[0]) + 1), value, count=1)


def _in_other_script(name: str) -> str:
    return name.lower().translate(_TO_CYRILLIC).title() if name.isascii() else "Marlowe"


def rates(cases: Iterator[Case]) -> dict[tuple[str, str], tuple[int, int, list[Case]]]:
    """By kind and script: how many cases, how many flagged, and those that were judged wrongly."""
    found: dict[tuple[str, str], tuple[int, int, list[Case]]] = {}
    for case in cases:
        flags = judged(case).flags
        for script in ("all", SCRIPTS.get(case.row.language, "Latin")):
            count, flagged, wrong = found.get((case.kind, script), (0, 0, []))
            missed = [case] if bool(flags) == (case.kind == "") else []
            found[case.kind, script] = count + 1, flagged + bool(flags), [*wrong, *missed]
    return found


def table(found: dict[tuple[str, str], tuple[int, int, list[Case]]]) -> str:
    """The shares that were flagged, a line for each kind."""
    scripts = [
        script
        for script in ("all", "Latin", *SCRIPTS.values())
        if any(script == one for _, one in found)
    ]
    lines = ["| |" + "|".join(scripts) + "|"]
    for kind in dict.fromkeys(kind for kind, _ in found):
        cells = [
            (
                f"{100 * f / n:.1f} ({n})"
                if (n := found.get((kind, s), (0, 0, []))[0])
                and (f := found[kind, s][1]) is not None
                else "–"
            )
            for s in scripts
        ]
        lines.append(f"|{kind or 'honest'}|" + "|".join(cells) + "|")
    return "\n".join(lines)


EXPECTED = {
    "name": Flag.NAME,
    "transliteration": Flag.NAME,
    "number": Flag.NUMBER,
    "date": Flag.DATE,
    "relative": Flag.RELATIVE_DATE,
    "address": Flag.ADDRESS,
    "unit": Flag.NUMBER,
    "quote": Flag.NO_QUOTE,
}


if __name__ == "__main__":
    for name in (NEAR, FREE, UNSEEN, TALKS, SCRIPTS_NEAR, SCRIPTS_FREE):
        sys.stdout.write(f"{name}\n{table(rates(honest(name)))}\n{table(rates(mutated(name)))}\n")
