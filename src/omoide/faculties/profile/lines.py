"""What of what is known about a user matters most, and a model's profile made of it held against
it. Pure.

By importance, never by age: who the user is, what they pinned, whose word it is, what is used, what
is sure; of equals the oldest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from omoide.grounding.carried import put_back, without_repeats
from omoide.grounding.invented import SourceText
from omoide.learning.drafts import Line
from omoide.learning.extraction import known_lines
from omoide.models.chat.answers import objects, one_line
from omoide.models.prompts import prompt
from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.text.letters import fold
from omoide.text.secrets import has_secret

LINE_LIMIT = 300  # characters
_NAMING = frozenset(
    fold(
        "name named called nickname surname heißt heiße nombre llama llamo apellido nom appelle"
        " prénom nome chiama chiamo cognome chama chamo naam heet namn heter navn hedder nimi név"
        " neve jméno jmenuje imię nazywa ime adı isim ismi имя зовут фамилия ім'я звати όνομα λένε"
        " اسم اسمه اسمها اسمي שם שמו שמה नाम tên nama"
    ).split()
)
_WORD = re.compile(r"\w+")
_NAMING_SIGNS = ("名前", "名字", "叫做", "姓名", "本名", "이름", "ชื่อ")


@frozen_record
class Outlined:
    """The lines that a model made, and how many were left out as they say what no item says."""

    lines: tuple[str, ...]
    left_out: int


@frozen_record
class Outline:
    """The lines that a model wants, those that say who the user is first, and how many it had that
    are none.
    """

    lines: tuple[Line, ...]
    not_lines: int


def by_importance(items: Sequence[Item]) -> list[Item]:
    """Items, the most important first."""

    def rank(item: Item) -> tuple[object, ...]:
        return (
            not is_identity(item),
            not _names(item),
            not item.pinned,
            -item.tier,
            -item.uses,
            -item.confidence,
            item.created_at,
            item.id,
        )

    return sorted(items, key=rank)


def is_identity(item: Item) -> bool:
    """Whether it says who the user is, by their own word: it stands in a profile as it is. Nobody
    else's word does.
    """
    return item.tier is Tier.USER and (item.category is Category.PROFILE or _names(item))


def _names(item: Item) -> bool:
    """Whether it is about what somebody is called, as far as a word for that tells, and it is no
    lower word than an agent's.
    """
    folded = fold(item.text)
    told = not _NAMING.isdisjoint(_WORD.findall(folded)) or any(
        sign in folded for sign in _NAMING_SIGNS
    )
    return told and item.tier is not Tier.DOCUMENT


def how_to_treat(item: Item) -> bool:
    """Whether it says how the user wants to be treated, or is pinned: no profile leaves it out."""
    return item.pinned or item.category is Category.PREFERENCE


def completed(lines: Sequence[str], items: Sequence[Item], most: int) -> tuple[str, ...]:
    """A model's lines with what they drop of the items that they are made of, item by item and in
    the items' own words; how the user wants to be treated comes first.

    What is only of interest is put back where all items have room, so that a model that has to
    choose may.
    """
    wanted = [_line(item.text) for item in items if how_to_treat(item)]
    others = [_line(item.text) for item in items if not how_to_treat(item)]
    first = put_back(lines, wanted)
    rest = put_back([*lines, *first], others) if len(items) <= most else []
    told = [*first, *without_repeats(lines, first), *rest]
    return tuple(dict.fromkeys(told))[:most]


def rules(lines: int) -> str:
    """What a model is told."""
    return prompt("profile").replace("{lines}", str(lines))


def sources(marked: Mapping[str, Item]) -> dict[str, str]:
    """Items under their marks as a judge is shown them."""
    return {mark: item.text for mark, item in marked.items()}


def material(marked: Mapping[str, Item]) -> str:
    """What a model is shown: items under their marks, the most important first."""
    return known_lines(marked)


def reader(
    marked: Mapping[str, Item], now: datetime, known: Sequence[str] = ()
) -> Callable[[dict[str, Any]], Outline]:
    """Reads an answer: lines with the items that they name, and what they say that these do not.

    Those that say who the user is come first, as they said it. known: the names of things that the
    user has items of.
    """

    def read(answer: dict[str, Any]) -> Outline:
        found = [(_as_said(value, marked), value) for value in objects(answer, "lines")]
        found.sort(key=lambda pair: pair[0] is None)
        told = [(said or _line(value.get("text")), value.get("from")) for said, value in found]
        lines = [_drafted(line, names, marked, now, known) for line, names in told]
        good = tuple(line for line in lines if line is not None)
        return Outline(lines=good, not_lines=len(lines) - len(good))

    return read


def outlined(outline: Outline, held: Sequence[bool] | None, most: int) -> Outlined:
    """Up to so many lines of an outline, each of which says only what the items say that it names.
    held: which of its lines do; None: as the checks say.

    Raises:
        ValueError: none does.
    """
    keeps = [not line.flags for line in outline.lines] if held is None else held
    good = [line.text for line, keep in zip(outline.lines, keeps, strict=True) if keep]
    if not good:
        raise ValueError("no line says only what the facts say that it names")
    left_out = outline.not_lines + len(outline.lines) - len(good)
    return Outlined(lines=tuple(dict.fromkeys(good))[:most], left_out=left_out)


def _as_said(value: Mapping[str, Any], marked: Mapping[str, Item]) -> str | None:
    """The one item of the user's own word, word for word, that a line is made of which says who
    they are; None for any other.
    """
    names = value.get("from")
    item = marked.get(str(names[0])) if isinstance(names, list) and len(names) == 1 else None
    text = (
        _line(item.text)
        if item is not None and item.tier is Tier.USER and value.get("who") is True
        else ""
    )
    return text if 0 < len(text) <= LINE_LIMIT else None


def _drafted(
    line: str, names: object, marked: Mapping[str, Item], now: datetime, known: Sequence[str]
) -> Line | None:
    """A line with its items and what the checks find; None where it is too long, secret, or of no
    item.
    """
    marks = [name for name in names if name in marked] if isinstance(names, list) else []
    if not line or len(line) > LINE_LIMIT or not marks or has_secret(line):
        return None
    told = SourceText([_line(marked[mark].text) for mark in marks], now, known)
    return Line(text=line, marks=tuple(marks), flags=told.lacks(line), is_said=told.says(line))


def _line(value: object) -> str:
    return one_line(value).removeprefix("- ")
