"""History, versions at a time, and what changed between two moments."""

from __future__ import annotations

from datetime import timedelta

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import NotFound
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.tables.listing import Listing
from tests.fix_memory import ANA, BEN, NINE, turn_of

DAY = timedelta(days=1)


def three_versions(memory: Memory, clock: FixedClock) -> list[Item]:
    """Rome from day 0, Oslo from day 10, Paris from day 20; each said on its day."""
    items = [memory.remember("Ana lives in Rome").item]
    for city in ("Oslo", "Paris"):
        clock.move(days=10)
        items.append(memory.correct(items[-1].id, f"Ana lives in {city}").item)
    return items


@pytest.mark.covers("GM-31")
def test_what_was_it_before_can_be_answered(memory: Memory, clock: FixedClock) -> None:
    """From any version of it: all of them, oldest first, with every change."""
    items = three_versions(memory, clock)

    assert len(items) == 3
    for item in items:
        history = memory.history(item.id)
        assert [i.text for i in history.items] == [
            "Ana lives in Rome",
            "Ana lives in Oslo",
            "Ana lives in Paris",
        ]
        assert [c.action for c in history.changes] == [
            Action.ADD,
            Action.SUPERSEDE,
            Action.ADD,
            Action.SUPERSEDE,
            Action.ADD,
        ]


@pytest.mark.covers("GM-31")
def test_a_closed_item_is_still_read_by_id(memory: Memory, clock: FixedClock) -> None:
    """With what replaced it and when; lists show it only when asked."""
    old, _, last = three_versions(memory, clock)

    kept = memory.get(old.id)
    assert isinstance(kept, Item)
    assert (kept.is_open, kept.superseded_at) == (False, NINE + 10 * DAY)
    assert [i.id for i in memory.items.list().items] == [last.id]
    assert memory.items.list(Listing(closed=True)).total == 3


def test_any_version_leads_to_the_one_of_a_time(memory: Memory, clock: FixedClock) -> None:
    """get with as_of looks through the whole chain; before it began there is none."""
    items = three_versions(memory, clock)

    assert len(items) == 3
    for item in items:
        assert memory.get(item.id, as_of=NINE + 5 * DAY).text == "Ana lives in Rome"
        assert memory.get(item.id, as_of=NINE + 15 * DAY).text == "Ana lives in Oslo"
        assert memory.get(item.id, as_of=NINE + 25 * DAY).text == "Ana lives in Paris"
        with pytest.raises(NotFound):
            memory.get(item.id, as_of=NINE - DAY)
        with pytest.raises(NotFound):
            memory.get(item.id, known_at=NINE - DAY)


def test_versions_follow_each_other_without_gap_or_overlap(
    memory: Memory, clock: FixedClock
) -> None:
    """At every moment since the first, exactly one version is true."""
    items = three_versions(memory, clock)
    for hours in range(0, 30 * 24, 7):
        moment = NINE + timedelta(hours=hours)
        true = [
            i
            for i in memory.history(items[0].id).items
            if i.valid_from <= moment and (i.closed_at is None or i.closed_at > moment)
        ]
        assert len(true) == 1


def test_a_correction_for_the_future_leaves_the_present_alone(
    memory: Memory, clock: FixedClock
) -> None:
    """Until that time the old version is true, in recall, get and lists; after it the new one."""
    rome = memory.remember("Ana lives in Rome").item
    oslo = memory.correct(rome.id, "Ana lives in Oslo", at=NINE + 10 * DAY).item

    assert [h.text for h in memory.recall("Where does Ana live?").hits] == ["Ana lives in Rome"]
    assert memory.get(oslo.id, as_of=clock.now()).text == "Ana lives in Rome"
    assert "Ana lives in Rome" in [i.text for i in memory.items.list().items]

    clock.move(days=11)
    assert [h.text for h in memory.recall("Where does Ana live?").hits] == ["Ana lives in Oslo"]
    assert [i.text for i in memory.items.list().items] == ["Ana lives in Oslo"]


def test_a_diff_tells_what_came_and_went(memory: Memory, clock: FixedClock) -> None:
    """Between two moments, half open at the start; what came and went in between is in neither
    list.
    """
    rome, oslo, paris = three_versions(memory, clock)

    whole = memory.diff(NINE - DAY)
    assert ([i.id for i in whole.added], whole.removed) == ([paris.id], ())
    middle = memory.diff(NINE + 5 * DAY, NINE + 15 * DAY)
    assert ([i.id for i in middle.added], [i.id for i in middle.removed]) == ([oslo.id], [rome.id])
    assert [c.action for c in middle.changes] == [Action.SUPERSEDE, Action.ADD]
    nothing = memory.diff(NINE + 11 * DAY, NINE + 19 * DAY)
    assert (nothing.added, nothing.removed, nothing.changes) == ((), (), ())
    assert memory.diff(NINE, NINE).changes == ()


def test_a_diff_is_of_ones_own(memory: Memory, clock: FixedClock) -> None:
    """Another's changes are neither shown nor counted."""
    memory.remember("Ana lives in Rome")

    assert memory.diff(NINE - DAY, scope=BEN).changes == ()
    assert len(memory.diff(NINE - DAY, scope=ANA).changes) == 1


@pytest.mark.covers("ED-6")
def test_lineage_is_off_where_several_users_talk(memory: Memory) -> None:
    """get, history and diff show no user's rows from within a shared session."""
    item = memory.remember("Ana lives in Rome").item
    memory.ingest(
        [{"content": "hi", "user": "ana"}, {"content": "ho", "user": "ben"}], Scope(session="g")
    )
    within = Scope(user="ana", session="g")

    for call in (lambda: memory.get(item.id, within), lambda: memory.history(item.id, within)):
        with pytest.raises(NotFound):
            call()
    assert memory.diff(NINE - DAY, scope=within).added == ()


def test_who_did_what_and_why_is_told(memory: Memory) -> None:
    """Each change names its actor, reason and cause, and no number that tells of others."""
    item = memory.remember("Ana lives in Rome").item
    memory.acting(Because(actor="omi", reason="she said so", cause="job-7")).items.edit(
        item.id, pinned=True
    )

    first, second = memory.history(item.id).changes
    assert (first.actor, first.reason, first.cause) == ("agent", "", None)
    assert not hasattr(first, "seq")
    assert (second.actor, second.reason, second.cause) == (
        "omi",
        "she said so",
        "job-7",
    )
    assert first.hash != second.hash


def test_a_long_chain_is_walked(memory: Memory, clock: FixedClock) -> None:
    """Fifty corrections of one fact are fifty-one versions."""
    item = memory.remember("the count is zero").item
    for n in range(50):
        clock.move(hours=1)
        item = memory.correct(item.id, f"the count is {n + 1}").item

    assert len(memory.history(item.id).items) == 51
    assert (
        memory.get(item.id, as_of=NINE + timedelta(hours=25, minutes=30)).text == "the count is 25"
    )


def test_a_diff_of_too_much_says_that_it_is_not_complete(
    memory: Memory, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never looks like everything when it is not."""
    three_versions(memory, clock)
    assert memory.diff(NINE - DAY).complete

    monkeypatch.setattr("omoide.read.lineage.DIFF_LIMIT", 4)
    cut = memory.diff(NINE - DAY)
    assert (len(cut.changes), cut.complete) == (4, False)


def test_why_something_was_forgotten_is_told_to_nobody_else(memory: Memory) -> None:
    """Another agent of the same user sees no change of what was never theirs to see, when it is
    gone as well.
    """
    agent_a, agent_b = (Scope(user="ana", agent=agent) for agent in "ab")
    spoken = memory.acting(Because(actor="a", reason="Ana is ill and wants nobody to know"))
    item = memory.remember("Ana takes pills", agent_a, entities=["thing:pills"]).item
    memory.ingest([Message(text="I take pills")], Scope(user="ana", agent="a", session="s"))
    memory.ingest([Message(text="Good night")], Scope(user="ana", agent="a", session="s"))
    spoken.forget(item.id, agent_a)
    spoken.forget(turn_of("s", 0, agent_a), agent_a)
    spoken.sessions.forget("s", scope=agent_a)

    assert {c.reason for c in memory.diff(NINE - timedelta(days=1), scope=agent_a).changes} >= {
        "Ana is ill and wants nobody to know"
    }
    assert {c.reason for c in memory.diff(NINE - timedelta(days=1), scope=agent_b).changes} <= {""}
