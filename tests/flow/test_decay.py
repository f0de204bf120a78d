"""Decay: what went unused for long is less sure, by the time that went by and not by how often a
program starts.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action
from omoide.nouns.chore import Chore
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import BANDS, Details, Item, Tier
from tests.fix_memory import BEN, NINE, OpenMemory, on_sqlite

SURE = 0.7  # how sure a remembered item is


def kept(memory: Memory, id: str) -> Item:
    """An item as it stands."""
    item = memory.get(id)
    assert isinstance(item, Item)
    return item


def sure(memory: Memory, id: str) -> float:
    """How sure an item is, to eight places."""
    return round(kept(memory, id).confidence, 8)


def decayed(memory: Memory) -> int:
    """How many items a round makes less sure."""
    return memory.admin.tidy(only=["decay"]).count(Chore.DECAY, "less sure")


@pytest.mark.covers("GM-28")
def test_an_item_unused_for_thirty_days_is_a_tenth_less_sure(
    memory: Memory, clock: FixedClock
) -> None:
    """Not a moment before; who used it counts from then."""
    tea = memory.remember("Ana likes tea").id
    clock.move(days=30, seconds=-1)
    assert decayed(memory) == 0

    clock.move(seconds=1)

    assert decayed(memory) == 1
    assert sure(memory, tea) == 0.63


@pytest.mark.covers("LS-41")
def test_twenty_five_starts_in_a_row_decay_once(open_memory: OpenMemory, clock: FixedClock) -> None:
    """What counts is the time, not the starts."""
    with_tea = open_memory()
    tea = with_tea.remember("Ana likes tea").id
    clock.move(days=31)

    counts = [decayed(open_memory()) for _ in range(25)]

    assert counts == [1] + [0] * 24
    assert sure(with_tea, tea) == 0.63


def test_upkeep_that_comes_late_does_what_it_would_have_done_in_time(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Ninety days at once are thirty days three times."""
    memory = open_memory()
    tea = memory.remember("Ana likes tea").id
    clock.move(days=95)

    assert decayed(memory) == 1
    assert sure(memory, tea) == round(SURE * 0.9**3, 8)
    clock.move(days=24)
    assert decayed(memory) == 0
    clock.move(days=1)
    assert decayed(memory) == 1
    assert sure(memory, tea) == round(SURE * 0.9**4, 8)


def test_what_was_recalled_edited_or_pinned_is_spared(memory: Memory, clock: FixedClock) -> None:
    """Each use starts the time anew; a pin stops it."""
    recalled, edited, pinned = (
        memory.remember(text).id
        for text in ("Ana likes tea", "Ben sings", "The door code is on paper")
    )
    memory.items.pin(pinned)
    clock.move(days=20)
    memory.recall("tea", limit=1)
    memory.items.edit(edited, tags=["music"])
    clock.move(days=20)

    assert decayed(memory) == 0
    assert [sure(memory, id) for id in (recalled, edited, pinned)] == [SURE] * 3


def test_decay_touches_no_item_s_own_times(memory: Memory, clock: FixedClock) -> None:
    """When an item was updated is when somebody last did something about it."""
    tea = memory.remember("Ana likes tea").id
    clock.move(days=31)

    decayed(memory)

    assert kept(memory, tea).updated_at == NINE
    assert [change.action for change in memory.history(tea).changes] == [Action.ADD]


def test_closed_items_do_not_decay(memory: Memory, clock: FixedClock) -> None:
    """What is no longer held gets no less sure."""
    old = memory.remember("Ana lives in Rome").id
    new = memory.correct(old, "Ana lives in Milan").id
    clock.move(days=31)

    assert decayed(memory) == 1
    assert (sure(memory, old), sure(memory, new)) == (SURE, 0.63)


def test_what_was_told_of_long_ago_counts_from_when_it_was_learnt(
    memory: Memory, clock: FixedClock
) -> None:
    """An import of old things is not forgotten at once."""
    clock.move(days=400)
    memory.remember("Ana likes tea")

    assert decayed(memory) == 0


def test_a_round_s_decay_is_taken_back_by_its_id(memory: Memory, clock: FixedClock) -> None:
    """All of it, with what was added to it since; it does not come back at once, and the undoing
    can be undone.
    """
    tea, song = memory.remember("Ana likes tea").id, memory.remember("Ben sings").id
    clock.move(days=65)
    round_id = memory.admin.tidy(only=["decay"]).id

    (undone,) = memory.undo(round_id)

    assert (sure(memory, tea), sure(memory, song)) == (SURE, SURE)
    assert decayed(memory) == 0
    memory.undo(undone)
    assert sure(memory, tea) == round(SURE * 0.81, 8)
    assert memory.admin.verify().problems == ()


def test_undo_of_decay_leaves_others_alone(memory: Memory, clock: FixedClock) -> None:
    """Each user's part of a round is theirs."""
    tea, song = memory.remember("Ana likes tea").id, memory.remember("Ben sings", BEN).id
    clock.move(days=31)
    round_id = memory.admin.tidy(only=["decay"]).id

    memory.undo(round_id)

    assert sure(memory, tea) == SURE
    theirs = memory.get(song, BEN)
    assert isinstance(theirs, Item)
    assert round(theirs.confidence, 8) == 0.63


def test_a_forgotten_item_does_not_stand_in_the_way_of_undo(
    memory: Memory, clock: FixedClock
) -> None:
    """The others get their confidence back."""
    tea, song = memory.remember("Ana likes tea").id, memory.remember("Ben sings").id
    clock.move(days=31)
    round_id = memory.admin.tidy(only=["decay"]).id
    memory.forget(tea)

    memory.undo(round_id)

    assert sure(memory, song) == SURE


@pytest.mark.parametrize("tier", Tier)
def test_nothing_decays_below_the_band_of_its_tier(
    memory: Memory, clock: FixedClock, tier: Tier
) -> None:
    """The user's word stays surer than a document's, however long nobody asked for it."""
    tea = memory.remember("Ana likes tea", details=Details(tier=tier)).id
    for _ in range(40):
        clock.move(days=31)
        decayed(memory)

    assert sure(memory, tea) == BANDS[tier][0]
    assert decayed(memory) == 0


def test_undoing_a_round_that_reached_the_band_gives_back_what_it_took(
    memory: Memory, clock: FixedClock
) -> None:
    """And no more."""
    details = Details(tier=Tier.USER, confidence=0.61)
    tea = memory.remember("Ana likes tea", details=details).id
    clock.move(days=31)
    round_id = memory.admin.tidy(only=["decay"]).id
    assert sure(memory, tea) == 0.6

    memory.undo(round_id)

    assert sure(memory, tea) == 0.61


@on_sqlite
def test_a_clock_set_back_decays_nothing(open_memory: OpenMemory, clock: FixedClock) -> None:
    """Neither now nor for what is counted later."""
    memory = open_memory()
    tea = memory.remember("Ana likes tea").id
    clock.move(days=31)
    decayed(memory)
    early = open_memory(clock=FixedClock(datetime.fromisoformat("2025-06-01T00:00+00:00")))

    assert decayed(early) == 0
    assert sure(memory, tea) == 0.63
