"""Texts held against what they were made from: long ones take no longer than their length asks."""

from __future__ import annotations

from datetime import UTC, datetime
from time import process_time

import pytest

from omoide.grounding.claims import Flag
from omoide.grounding.held import Held
from omoide.grounding.invented import SourceText
from omoide.text.addresses import Address, addresses
from omoide.text.figures import Figure, figures
from omoide.text.times.others import full_date

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
SIZE = 60_000  # characters
MOST_S = 20.0  # of processor time; a scan of all for each word takes minutes


def repeated(line: str) -> str:
    """A long text of lines that differ in their words."""
    return " ".join(line.replace("#", f"{i:x}") for i in range(SIZE // len(line)))


@pytest.mark.parametrize(
    ("source", "line", "flag"),
    [
        (
            "Wor# alp# bet# and it did not gam#.",
            "Wor# alp# bet# gam# del# eps# zet#.",
            Flag.NEGATION,
        ),
        ("they met Aa# and Ab#", "they met Za# and Zb#", Flag.NAME),
        ("Write to a#@example.com.", "Write to z#@example.com.", Flag.ADDRESS),
        ("aa#b was cc#d", "ff#g had hh#i", Flag.UNSUPPORTED),
        ("她喜欢花园#的书。", "我们没有移动#服务器。", Flag.UNSUPPORTED),
    ],
)
def test_long_texts_are_compared_in_seconds(source: str, line: str, flag: Flag) -> None:
    """Clauses, names, addresses and words are looked up, not each held against all others."""
    start = process_time()

    assert flag in SourceText([repeated(source)], NOON).lacks(repeated(line))

    assert process_time() - start < MOST_S


def test_numbers_of_long_texts_are_compared_in_seconds() -> None:
    """Thousands of figures are looked up by their values."""
    source, line = (" ".join(f"{n} tons" for n in range(a, a + 6_000)) for a in (1, 10_000))
    start = process_time()

    assert Flag.NUMBER in SourceText([source], NOON).lacks(line)

    assert process_time() - start < MOST_S


FIGURES = (
    "3 pm, 15:00, 3, at 3 o'clock, 15 hours, 1.85 m, 185 cm, 1850 mm, 1850 g, 1.85 kg, 1,000,"
    " 1.000 €, 1000 km, five, 17 tons, half past six, 24, 20:24"
)


def test_values_are_found_as_by_comparing_each() -> None:
    """A look-up finds just what `same` does: hours, units and phone numbers too."""
    told = figures(FIGURES, ("en",))
    phones = addresses("+49 30 1234567, 030 1234567, 1234567, 7654321, a@b.com, b.com, #12")
    assert len(told) > 15
    assert len(phones) == 7

    for one in told:
        for other in told:
            assert Held[Figure]([other]).has(one) is one.same(other), (one, other)
    for link in phones:
        for else_ in phones:
            assert Held[Address]([else_]).has(link) is link.same(else_), (link, else_)


@pytest.mark.parametrize("text", ["31. prosince 9999", "31 joulukuuta 9999"])
def test_the_last_day_of_the_calendar_is_no_time(text: str) -> None:
    """It ends beyond what can be told, so that nothing is read of it, and nothing fails."""
    assert full_date(text) is None
