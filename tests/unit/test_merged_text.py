"""What a merged text loses is seen in scripts that write vowels around letters, too."""

from __future__ import annotations

import pytest

from omoide.learning.merging import lost


@pytest.mark.parametrize(
    ("known", "was", "text", "entity"),
    [
        (
            "रोहित को झींगे और मूँगफली से एलर्जी है।",
            "और मूँगफली",
            "रोहित को मूँगफली से एलर्जी नहीं है।",
            "thing:झींगे",
        ),
        ("沈嘉对虾和芒果过敏。", "芒果", "沈嘉对芒果不过敏。", "thing:虾"),
    ],
)
def test_a_name_of_short_syllables_is_lost(known: str, was: str, text: str, entity: str) -> None:
    """No sign of it is left over that would let it pass."""
    assert entity.partition(":")[2] in lost(known, was, text, [entity])
