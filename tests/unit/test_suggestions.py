"""What is read of a model's suggestions before any of it is believed."""

from __future__ import annotations

import pytest

from omoide.learning.extraction import MOST, read_suggestions

NOTE = {"text": "Ana likes tea", "quote": "I like tea", "turn": 1, "category": "preference"}


def test_a_model_in_a_loop_suggests_each_thing_once() -> None:
    """The same entry again and again is one suggestion."""
    (one,) = read_suggestions({"items": [NOTE] * MOST})

    assert one.text == NOTE["text"]


def test_an_answer_that_does_not_end_is_refused() -> None:
    """Whole, and with a reason: part of it could be the wrong part."""
    with pytest.raises(ValueError, match=f"{MOST + 1} items"):
        read_suggestions({"items": [NOTE | {"turn": n} for n in range(MOST + 1)]})
