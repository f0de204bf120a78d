"""Undoing an older extraction: what something else changed since is kept and named, the rest goes."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.errors import CannotUndo
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.tables.listing import Listing

PERSON = Because(actor="ana", tier=Tier.USER)
USER = Details(source=Source.USER)
LATER = "Ana lives near Milan"


def held(memory: Memory) -> list[str]:
    """The texts of all open items."""
    return sorted(one.text for one in memory.items.list(Listing(limit=1000)).items)


@pytest.fixture
def ana(memory: Memory) -> Memory:
    """Ana herself at her memory."""
    return memory.acting(PERSON)


def learnt(ana: Memory) -> dict[str, Item]:
    """What one extraction left: two items, and one that took the place of an older one."""
    old = ana.remember("Ana lives in Rome", details=USER).id
    learning = ana.acting(Because(actor="extraction", cause="x1", tier=Tier.USER))
    return {
        "tea": learning.remember("Ana likes tea", details=USER).item,
        "boat": learning.remember("Ben has a boat", details=USER).item,
        "home": learning.correct(old, "Ana lives in Milan", details=USER).item,
    }


def test_what_was_changed_since_is_kept_and_the_rest_goes(ana: Memory) -> None:
    """The kept one is named with the change for which it is."""
    items = learnt(ana)
    ana.items.edit(items["boat"].id, pinned=True)

    undone = ana.undo("x1")

    assert held(ana) == ["Ana lives in Rome", "Ben has a boat"]
    (kept,) = undone.kept
    assert (kept.record, kept.action) == (items["boat"].id, Action.EDIT)
    assert ana.admin.verify().problems == ()


def test_what_took_another_s_place_is_kept_with_that(ana: Memory) -> None:
    """A correction since keeps the whole chain."""
    items = learnt(ana)
    ana.correct(items["home"].id, LATER, details=USER)

    undone = ana.undo("x1")

    assert held(ana) == [LATER]
    assert [one.record for one in undone.kept] == [items["home"].id]


def test_a_preview_shows_what_would_be_kept_and_changes_nothing(ana: Memory) -> None:
    """And which changes would be taken back."""
    items = learnt(ana)
    ana.items.edit(items["boat"].id, pinned=True)
    before = held(ana)

    shown = ana.undo("x1", preview=True)

    assert held(ana) == before
    assert [one.record for one in shown.kept] == [items["boat"].id]
    assert len(shown) == 3
    assert len(ana.undo("x1")) == 3


def test_nothing_is_undone_where_all_was_changed_since(ana: Memory) -> None:
    """It is said by what."""
    learning = ana.acting(Because(actor="extraction", cause="x1", tier=Tier.USER))
    id = learning.remember("Ben has a boat", details=USER).id
    ana.items.edit(id, pinned=True)

    with pytest.raises(CannotUndo, match="was changed since"):
        ana.undo("x1")


def test_one_change_that_something_came_after_is_refused_as_before(ana: Memory) -> None:
    """Who names one change means that one."""
    id = ana.remember("Ben has a boat", details=USER).id
    ana.items.edit(id, pinned=True)

    with pytest.raises(CannotUndo, match="undo that first"):
        ana.undo(ana.history(id).changes[0].id)
