"""The demo of learning: it shows what was proposed, what became of it, and the memory that comes of
it.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest
from rich.cells import cell_len
from rich.console import Console

from omoide.demo.capture import DemoTaught, run
from omoide.demo.show import Stage
from omoide.learning.report import Fate
from omoide.nouns.scope import Scope
from tests.fix_memory import turn_of


@dataclass(frozen=True, slots=True)
class Shown:
    """One run: what it printed, and what it came to."""

    text: str
    taught: DemoTaught


@pytest.fixture(scope="module")
def shown() -> Shown:
    """The demo, run once."""
    out = io.StringIO()
    taught = run(Stage(Console(file=out, width=80)), whole=True)
    return Shown(out.getvalue(), taught)


def test_in_short_it_is_two_screens(shown: Shown) -> None:
    """Each fate with its reason, a few items of each person, the sums, and how to see
    everything.
    """
    out = io.StringIO()
    taught = run(Stage(Console(file=out, width=80)))
    text = out.getvalue()

    assert len(text.splitlines()) < 100 < len(shown.text.splitlines())
    assert all(f"└ {fate}: " in text for fate in ("added", "corrected", "unconfirmed", "refused"))
    assert "95 proposals: 86 added, " in text
    assert "the talk does not say it" in text  # another number, by the judge's word
    assert text.count("more items") == 2
    assert text.strip().endswith("make demo-capture ALL=1") or text.strip().endswith(
        "python -m omoide.demo capture --all"
    )
    assert fates(taught) == fates(shown.taught)


def fates(taught: DemoTaught) -> list[Fate]:
    """What became of each suggestion, in order."""
    return [
        one.fate
        for lesson in taught.lessons
        for extraction in lesson.learnt
        for one in extraction.considered
    ]


def test_most_is_learnt_and_what_was_not_said_is_in_doubt(shown: Shown) -> None:
    """Of the model's proposals, right and wrong."""
    found = fates(shown.taught)
    assert len(shown.taught.lessons) == 20
    assert len(found) > 90
    assert found.count(Fate.ADDED) + found.count(Fate.SUPERSEDED) > 0.7 * len(found)
    assert found.count(Fate.UNCONFIRMED) >= 3
    assert found.count(Fate.REFUSED) >= 3


def test_learning_a_second_time_changes_nothing(shown: Shown) -> None:
    """And the demo says so."""
    assert (shown.taught.again_new, shown.taught.again_changed) == (0, 0)
    assert "a second time: 0 new items, 0 changed" in " ".join(shown.text.split())


def test_each_message_stands_over_what_was_proposed_of_it(shown: Shown) -> None:
    """With the reason where it waits, in words; and no line is wider than the screen."""
    text = shown.text
    first = text.index("It worked. The fix for E_TILE_409")
    assert text.index("added: ", first) < text.index("Mira: Good. Two hundred", first)
    assert "the talk says only a part of it" in text
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_the_memory_is_shown_with_its_sources(shown: Shown) -> None:
    """Every item of both, and the turns that it comes from."""
    assert "What is known of Callum" in shown.text
    assert "What is known of Inês" in shown.text
    assert turn_of("callum/0204", 0, Scope(user="callum")) in shown.text
