"""Passwords and keys in tables: a column named for them, in Markdown, CSV or with tabs, as password
managers export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from omoide.text.secrets import words
from omoide.text.secrets.labels import LOOSE, secret_of
from omoide.text.secrets.values import HIDDEN, Strength, is_phrase, is_stand_in, strength

# a column's name: one to three words
_NAME = re.compile(
    r"(?=.{0,32}\Z)(?!return\b|const\b|let\b|var\b)[^\W\d_][\w./#-]*(?: [\w./#()-]+){0,2}|"
)
_HEADERS = 50  # lines that may be a header, of which the columns are looked at
_RULE = re.compile(r"[-|:+=\s]{3,}\Z")
_USER = re.compile(r"user|login|mail|benutzer|usuario|account|konto", re.IGNORECASE)
_CODE = re.compile(r"[({;]\s*\Z|\A\s*(?:const|let|var|return|def|import|from|if|for)\s")
_OUTER = " \t\r\"'`*"


def columns(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of every value below the name of a password or key."""
    looked = start = 0
    while looked < _HEADERS and (end := text.find("\n", start)) >= 0:
        sign = _separator(text, start, end)
        if sign and (named := _named(text, start, end, sign)):
            looked += 1
            yield from _below(text, end + 1, sign, named)
        start = end + 1


def _separator(text: str, start: int, end: int) -> str:
    """What parts the columns of a line that may be a header: the next line has as many, or is a
    rule.
    """
    if end - start > 400:
        return ""
    stop = text.find("\n", end + 1)
    stop = len(text) if stop < 0 else stop
    for sign in "|\t;,":
        count = text.count(sign, start, end)
        if count and (
            text.count(sign, end + 1, stop) == count
            or (sign == "|" and _RULE.match(text, end + 1, stop))
        ):
            return sign
    return ""


def _named(text: str, start: int, end: int, sign: str) -> dict[int, str]:
    """The columns of a header that are named for a secret, with its kind; none where a column is
    no name, as in code.
    """
    cells = [cell.strip(_OUTER) for cell in text[start:end].strip().strip("|").split(sign)]
    if not all(map(_NAME.fullmatch, cells)):
        return {}
    if text.startswith("|", start):
        cells.insert(0, "")
    kinds = {place: kind for place, cell in enumerate(cells) if cell and (kind := secret_of(cell))}
    if any(_USER.search(cell) for cell in cells):
        kinds |= {n: "password" for n, cell in enumerate(cells) if cell.lower() in ("pass", "pw")}
    return {place: kind for place, kind in kinds.items() if kind not in LOOSE}


def _below(
    text: str, start: int, sign: str, named: dict[int, str]
) -> Iterator[tuple[str, int, int]]:
    for line in text[start:].split("\n"):
        cells = line.split(sign)
        if max(named) >= len(cells) or _CODE.search(line):
            return
        at = start
        for place, cell in enumerate(cells):
            value = cell.strip(_OUTER)
            if place in named and _is_secret(value):
                begin = at + cell.index(value)
                yield named[place], begin, begin + len(value)
            at += len(cell) + 1
        start += len(line) + 1


def _is_secret(value: str) -> bool:
    return (
        len(value) > 3
        and HIDDEN not in value
        and not _RULE.match(value)
        and not is_stand_in(value)
        and value.lower() not in words.PLAIN_STOPS
        and (value.count(" ") < 2 or is_phrase(value))
        and strength(value) > Strength.NONE
    )
