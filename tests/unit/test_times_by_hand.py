"""Phrases that are easily misread: names with months in them, weekdays beside a date, counted edges."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from omoide.text.times import find_interval
from tests.unit.times_by_hand import KINDS

NOW = datetime(2025, 6, 18, 12, tzinfo=UTC)
MISREAD = frozenset({"上周日记里写了什么"})  # the Sunday of last week, or last week's diary


@pytest.mark.parametrize("kind", KINDS)
def test_phrases_of_a_kind_name_the_days_they_mean(kind: str) -> None:
    """Every phrase gives the days written beside it, or none where none are."""
    wrong = {}
    for line in KINDS[kind].splitlines():
        phrase, _, days = (part.strip() for part in line.partition("|"))
        found = find_interval(phrase, NOW)
        named = f"{found.start:%Y-%m-%d} {found.end:%Y-%m-%d}" if found else ""
        if named != days:
            wrong[phrase] = named

    assert wrong.keys() <= MISREAD, wrong
