"""Falling dominoes: what rests on an item that is closed is unconfirmed, until that holds again or
somebody settles it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Conflict, Forbidden, NotFound
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Item, Source, Tier, Unconfirmed
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.tables.items import Items
from omoide.tables.listing import Listing
from omoide.write.apply import Door
from tests.fix_memory import BEN, NINE, NOBODY, OpenMemory, on_sqlite


def said(
    memory: Memory, text: str, *bases: str, scope: Scope | None = None, source: Source = Source.TOOL
) -> ItemId:
    """The id of a statement that rests on items."""
    return memory.remember(
        text, scope, details=Details(bases=tuple(map(ItemId, bases)), source=source)
    ).id


def item(memory: Memory, id: str) -> Item:
    """An item by its id."""
    found = memory.get(id)
    assert isinstance(found, Item)
    return found


def unconfirmed(memory: Memory, *ids: str) -> list[bool]:
    """Which of some items are unconfirmed."""
    return [item(memory, id).unconfirmed_at is not None for id in ids]


def retract(memory: Memory, id: str) -> None:
    """Take an item back, as a job does that finds it is not so."""
    found = item(memory, id)
    with memory.store.transaction(tenant=None) as tx, Door(tx, memory.clock, Because()) as door:
        door.retract(found)


def test_what_rests_on_a_corrected_item_falls_with_all_above_it(memory: Memory) -> None:
    """Everything that rests on it, over others too, is unconfirmed at the same moment; the rest is
    not.
    """
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    far = said(memory, "A yearly ticket pays off", near)
    other = said(memory, "Ben sings on Sundays")

    memory.correct(base, "Ana works in Milan")

    assert unconfirmed(memory, near, far, other) == [True, True, False]
    assert item(memory, near).is_open
    history = memory.history(far).changes
    assert [change.action for change in history] == [Action.ADD, Action.UNCONFIRM]


def test_a_retracted_base_unconfirms(memory: Memory) -> None:
    """Closing without a successor counts the same."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)

    retract(memory, base)

    assert unconfirmed(memory, near) == [True]


def test_one_fallen_base_of_several_is_enough_and_all_must_hold_again(memory: Memory) -> None:
    """It is lifted by the last of the bases that comes back."""
    one, other = said(memory, "Ana works in Rome"), said(memory, "The office closes in June")
    near = said(memory, "She will look for work soon", one, other)
    retract(memory, one)
    retract(memory, other)

    memory.items.reopen(one)
    assert unconfirmed(memory, near) == [True]
    memory.items.reopen(other)
    assert unconfirmed(memory, near) == [False]


def test_undoing_the_correction_lifts_the_state_and_undoing_that_casts_it_again(
    memory: Memory,
) -> None:
    """The state follows its base, back and forth, with all above."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    far = said(memory, "A yearly ticket pays off", near)
    memory.correct(base, "Ana works in Milan")

    undone = memory.undo(memory.history(base).changes[1].id)
    assert unconfirmed(memory, near, far) == [False, False]
    memory.undo(undone[0])
    assert unconfirmed(memory, near, far) == [True, True]


def test_the_state_does_not_stand_in_the_way_of_undoing_what_was_done_before(
    memory: Memory,
) -> None:
    """An edit of a dependant is taken back after its base fell; it stays unconfirmed."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    memory.items.pin(near)
    pinning = memory.history(near).changes[-1].id
    retract(memory, base)

    memory.undo(pinning)

    assert item(memory, near).pinned is False
    assert unconfirmed(memory, near) == [True]


def test_undoing_the_state_undoes_what_cast_it(memory: Memory) -> None:
    """It is one thing with the closing that it follows from."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    retract(memory, base)

    memory.undo(memory.history(near).changes[-1].id)

    assert item(memory, base).is_open
    assert unconfirmed(memory, near) == [False]


def test_confirming_lets_it_stand_without_what_fell(memory: Memory) -> None:
    """Reopened, it is sure again, and what becomes of the fallen base no longer matters; undone, it
    is unconfirmed again.
    """
    base, other = said(memory, "Ana works in Rome"), said(memory, "Trains are cheap there")
    near = said(memory, "Ana takes the metro to work", base, other)
    far = said(memory, "A yearly ticket pays off", near)
    retract(memory, base)

    assert memory.items.reopen(near).bases == (other,)
    assert unconfirmed(memory, near, far) == [False, False]
    memory.undo(memory.history(near).changes[-1].id)
    assert unconfirmed(memory, near, far) == [True, True]
    assert set(item(memory, near).bases) == {base, other}


def test_saying_it_again_settles_it(memory: Memory) -> None:
    """What is said by itself rests on nothing else any more."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    retract(memory, base)

    said(memory, "Ana takes the metro to work")

    assert (item(memory, near).bases, unconfirmed(memory, near)) == ((), [False])


def test_correcting_or_retracting_an_unconfirmed_item_settles_it(memory: Memory) -> None:
    """Its successor stands on its own, and one that is closed is no longer in question."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    memory.correct(base, "Ana works in Milan")

    new = memory.correct(near, "Ana takes the tram to work")

    assert (new.item.bases, new.item.unconfirmed_at) == ((), None)


def test_a_sure_item_that_is_open_is_not_reopened(memory: Memory) -> None:
    """There is nothing to settle."""
    base = said(memory, "Ana works in Rome")

    with pytest.raises(Conflict):
        memory.items.reopen(base)


def test_a_document_does_not_settle_what_an_agent_said(memory: Memory) -> None:
    """Whose word weighs less lifts it not."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    retract(memory, base)

    with pytest.raises(Forbidden):
        memory.acting(Because(actor="page", tier=Tier.DOCUMENT)).items.reopen(near)


def test_what_rests_on_something_that_fell_is_in_doubt_from_the_start(memory: Memory) -> None:
    """A job that read the base before it was closed does not bring it back by the back door."""
    base = said(memory, "Ana works in Rome")
    retract(memory, base)

    near = said(memory, "Ana takes the metro to work", base)

    assert unconfirmed(memory, near) == [True]


def test_a_derived_item_weighs_no_more_than_the_least_of_its_bases(memory: Memory) -> None:
    """Nobody's word is made more of by concluding from it."""
    page = said(memory, "The metro runs all night", source=Source.IMPORT)
    mine = said(memory, "Ana works at night", source=Source.USER)

    near = said(memory, "Ana can take the metro home", page, mine, source=Source.USER)

    assert item(memory, near).tier is Tier.DOCUMENT


def test_a_conclusion_from_a_page_does_not_replace_what_the_user_said(memory: Memory) -> None:
    """The lowest tier counts before it is compared."""
    page = said(memory, "The office moved to Milan", source=Source.IMPORT)
    mine = said(memory, "Ana works in Rome", source=Source.USER)

    with pytest.raises(Forbidden):
        memory.correct(
            mine, "Ana works in Milan", details=Details(bases=(page,), source=Source.USER)
        )


def test_a_base_must_be_there_and_visible(memory: Memory) -> None:
    """Another user's item is no base, and looks like none."""
    bens = said(memory, "Ben works in Oslo", scope=BEN)

    for id in (bens, "nowhere"):
        with pytest.raises(NotFound):
            said(memory, "Ben likes snow", id)
        with pytest.raises(NotFound):
            memory.correct(
                said(memory, "Ana works in Rome"),
                "Ana works in Bari",
                details=Details(bases=(ItemId(id),)),
            )


def test_an_item_never_rests_on_what_it_takes_the_place_of(memory: Memory) -> None:
    """Derived from an item and from what rests on that, and superseding it, it stands on what is
    left.
    """
    base, other = said(memory, "Ana works in Rome"), said(memory, "The office has moved")
    near = said(memory, "Ana takes the metro to work", base)

    new = memory.correct(
        base, "Ana works in Milan", details=Details(bases=(base, near, other))
    ).item

    assert (new.bases, new.unconfirmed_at) == ((other,), None)
    assert unconfirmed(memory, near) == [True]


def test_what_everybody_knows_falls_for_everybody(memory: Memory) -> None:
    """A base without a user has dependants in several partitions."""
    base = said(memory, "The office is in Rome", scope=NOBODY)
    anas, bens = (
        said(memory, "Ana takes the metro", base),
        said(memory, "Ben takes the tram", base, scope=BEN),
    )

    retract(memory, base)

    assert unconfirmed(memory, anas) == [True]
    found = memory.get(bens, BEN)
    assert isinstance(found, Item)
    assert found.unconfirmed_at == NINE


def test_forgetting_a_base_takes_what_rests_on_it_alone_and_unconfirms_on_the_rest(
    memory: Memory,
) -> None:
    """An item with no other basis goes; one with another stays, unconfirmed, until somebody settles
    it.
    """
    base, other = said(memory, "Ana works in Rome"), said(memory, "Trains are cheap there")
    alone = said(memory, "Ana takes the metro to work", base)
    above = said(memory, "A yearly ticket pays off", alone)
    both = said(memory, "Ana goes by train", base, other)

    memory.forget(base)

    for id in (alone, above):
        with pytest.raises(NotFound):
            memory.get(id)
    assert unconfirmed(memory, both) == [True]
    assert memory.items.reopen(both).bases == (other,)


def test_forgetting_a_turn_leaves_what_an_item_supports_too(memory: Memory) -> None:
    """An item derived from a turn and from an item has another basis."""
    logged = memory.ingest([Message(text="I work in Rome")], Scope(user="ana", session="s"))
    other = said(memory, "Trains are cheap there")
    details = Details(source_turns=(logged.turns[0],), bases=(other,))
    both = memory.remember("Ana goes by train", details=details).id

    memory.sessions.forget("s")

    assert item(memory, both).source_turns == ()


def test_closed_dependants_are_weighed_when_they_are_opened(memory: Memory) -> None:
    """What was closed when its base fell is unconfirmed once it is held to be true again."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    retract(memory, near)
    retract(memory, base)

    assert unconfirmed(memory, near) == [False]
    memory.items.reopen(near)
    assert unconfirmed(memory, near) == [True]


@on_sqlite
def test_an_archive_keeps_what_items_rest_on(
    memory: Memory, open_memory: OpenMemory, clock: FixedClock, tmp_path: Path
) -> None:
    """Loaded, an unconfirmed item is unconfirmed; once its base is there and holds, it is not."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work", base)
    retract(memory, base)
    memory.admin.export(tmp_path / "archive.jsonl", memory.scope)

    with Memory.open(":memory:", embedder=None, clock=clock, user="ana", background=False) as other:
        counts = other.admin.load(tmp_path / "archive.jsonl").added
        assert "missing base" not in counts
        assert item(other, near).bases == (base,)
        assert unconfirmed(other, near) == [True]
        other.items.reopen(base)
        assert unconfirmed(other, near) == [False]
        assert other.admin.verify().problems == ()
        assert other.admin.doctor() == []


def test_unconfirmed_items_come_after_all_others(
    memory: Memory, texts: Callable[..., list[str]]
) -> None:
    """However well one fits, it leaves the top; the trace and the hit say why."""
    base = said(memory, "Ana works in Rome")
    said(memory, "Ana takes the metro to work every day", base)
    said(memory, "Ana hates the metro to work when it rains")
    retract(memory, base)

    answer = memory.recall("does Ana take the metro to work", limit=2)

    assert [(hit.text, hit.unconfirmed) for hit in answer.hits] == [
        ("Ana hates the metro to work when it rains", False),
        ("Ana takes the metro to work every day", True),
    ]
    assert [hit.score for hit in answer.hits] == sorted(
        (hit.score for hit in answer.hits), reverse=True
    )
    assert next(step for step in answer.trace if step.name == "unconfirmed").count == 1


def test_an_unconfirmed_item_is_recalled_where_nothing_else_answers(
    memory: Memory, texts: Callable[..., list[str]]
) -> None:
    """It stays findable."""
    base = said(memory, "Ana works in Rome")
    said(memory, "Ana takes the metro to work every day", base)
    retract(memory, base)

    assert texts(memory, "metro", limit=1) == ["Ana takes the metro to work every day"]


@pytest.mark.parametrize("preset", ["default", "fast", "best", "keyword", "rrf"])
def test_an_unconfirmed_item_is_recalled_where_others_are_found_that_do_not_answer(
    memory: Memory, preset: str
) -> None:
    """However many share a name with the question, or are the nearest that there are: it is told,
    as unconfirmed.
    """
    base = said(memory, "Ana works in Rome")
    said(memory, "Ana takes tram 8 to the office", base)
    for thing in ("a red bike", "two sisters", "a boat", "blue eyes", "an old radio", "no car"):
        said(memory, f"Ana has {thing}")
    memory.correct(base, "Ana works in Milan")

    answer = memory.recall(
        Query(text="Which tram does Ana take to the office?", preset=preset), limit=3
    )

    assert ("Ana takes tram 8 to the office", True) in [
        (hit.text, hit.unconfirmed) for hit in answer.hits
    ]


def test_many_unconfirmed_items_hide_no_sure_one(
    memory: Memory, texts: Callable[..., list[str]]
) -> None:
    """A page of better fits that are all unconfirmed does not keep the only sure answer out."""
    base = said(memory, "Ana works in Rome")
    for n in range(40):
        said(memory, f"metro line {n} metro stop {n}", base)
    said(memory, "Ana has a yearly ticket for trains, trams, buses and the metro")
    retract(memory, base)

    assert (
        texts(memory, "metro", limit=2)[0]
        == "Ana has a yearly ticket for trains, trams, buses and the metro"
    )


def test_why_not_names_the_state(memory: Memory) -> None:
    """What gave way to others because it is unconfirmed is told so."""
    base = said(memory, "Ana works in Rome")
    near = said(memory, "Ana takes the metro to work every day", base)
    said(memory, "Ana hates the metro every single day when it rains")
    retract(memory, base)

    assert memory.why_not("Ana takes the metro every day", near, limit=1).gate == "unconfirmed"


def test_unconfirmed_items_are_listed_for_review(memory: Memory) -> None:
    """Those alone, until they are settled."""
    base = said(memory, "Ana works in Rome")
    near, far = (
        said(memory, "Ana takes the metro to work", base),
        said(memory, "Ana knows the Colosseum", base),
    )
    retract(memory, base)

    listed = memory.items.list(Listing(unconfirmed=True))
    assert ({item.id for item in listed.items}, listed.total) == ({near, far}, 2)
    memory.items.reopen(near)
    assert [item.id for item in memory.items.list(Listing(unconfirmed=True)).items] == [far]


def test_doctor_finds_and_mends_a_state_that_fits_no_base(memory: Memory) -> None:
    """An item that should be unconfirmed and is not, and one that is and should not be, with what
    rests on them.
    """
    base, sound = said(memory, "Ana works in Rome"), said(memory, "Ben has a car")
    near, wronged = (
        said(memory, "Ana takes the metro to work", base),
        said(memory, "Ben drives to work", sound),
    )
    far = said(memory, "A yearly ticket pays off", near)
    retract(memory, base)
    wrong = [
        replace(item(memory, near), unconfirmed=None, unconfirmed_at=None),
        replace(item(memory, wronged), unconfirmed=Unconfirmed.BASIS_CLOSED, unconfirmed_at=NINE),
    ]
    with memory.store.transaction(tenant=None) as tx:
        for one in wrong:
            Items(tx).set(one)

    assert {finding.place for finding in memory.admin.doctor()} == {
        f"item {near}",
        f"item {wronged}",
        f"item {far}",
        f"index of {near}",
        f"index of {wronged}",
    }
    memory.admin.doctor(repair=True)
    assert memory.admin.doctor() == []
    assert unconfirmed(memory, near, far, wronged) == [True, True, False]


def test_cascade_tells_what_would_fall_and_changes_nothing(memory: Memory) -> None:
    """What rests on an item, over others too, nearest first; not what is closed or unconfirmed
    already, nor what rests on that alone.
    """
    base, other = said(memory, "Ana works in Rome"), said(memory, "Ben has a car")
    near = said(memory, "Ana takes the metro to work", base)
    far = said(memory, "A yearly ticket pays off", near)
    unconfirmed_before = said(memory, "They never drive together", base, other)
    said(memory, "They save petrol", unconfirmed_before)
    retract(memory, other)

    assert [item.id for item in memory.items.dependants(base)] == [near, far]
    assert unconfirmed(memory, near, far) == [False, False]
    memory.correct(base, "Ana works in Milan")
    assert unconfirmed(memory, near, far) == [True, True]


def test_cascade_shows_nobody_elses_items(memory: Memory) -> None:
    """Of what everybody knows, each sees what of their own would fall."""
    base = said(memory, "The office is in Rome", scope=NOBODY)
    near = said(memory, "Ana takes the metro", base)
    said(memory, "Ben takes the tram", base, scope=BEN)

    assert [item.id for item in memory.items.dependants(base)] == [near]
    with pytest.raises(NotFound):
        memory.items.dependants(near, BEN)
