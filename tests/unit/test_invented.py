"""Texts held against what they were made from, in time that grows as they do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from omoide.grounding.claims import Flag
from omoide.grounding.invented import SourceText
from omoide.grounding.keyed import KeyedValues
from omoide.text.addresses import Address, addresses
from omoide.text.figures import Figure, figures
from omoide.text.times.others import full_date
from tests.growth import is_linear

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
SIZE = 16_000  # characters


def repeated(line: str, size: int) -> str:
    """A text of that many characters of lines that differ in their words and figures."""
    return " ".join(line.replace("#", str(number)) for number in range(size // len(line)))


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
        ("1# tons", "2# tons", Flag.NUMBER),
    ],
)
def test_long_texts_are_compared_in_linear_time(source: str, line: str, flag: Flag) -> None:
    """Clauses, names, addresses, words and figures are looked up, not each held against all."""

    def compare(text: str) -> None:
        told, said = repeated(source, len(text)), repeated(line, len(text))
        assert flag in SourceText([told], NOON).lacks(said)

    assert is_linear(compare, " " * SIZE)


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
            assert KeyedValues[Figure]([other]).has(one) is one.same(other), (one, other)
    for link in phones:
        for else_ in phones:
            assert KeyedValues[Address]([else_]).has(link) is link.same(else_), (link, else_)


@pytest.mark.parametrize("text", ["31. prosince 9999", "31 joulukuuta 9999"])
def test_the_last_day_of_the_calendar_is_no_time(text: str) -> None:
    """It ends beyond what can be told, so that nothing is read of it, and nothing fails."""
    assert full_date(text) is None
