"""How long what is told to a memory lasts, as its setting ``level`` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide import Memory, Query, Scope
from omoide.nouns.errors import Forbidden, InvalidInput, MemoryOff
from omoide.nouns.turn import Message, Turn
from omoide.settings.config import load_config
from omoide.settings.levels import Level
from omoide.tables.listing import Listing
from omoide.write.remember import Statement
from tests.fix_memory import ANA, NINE, OpenMemory, turn_of

S, T = Scope(user="ana", session="s"), Scope(user="ana", session="t")
HULL, MAST = Scope(user="ana", context="hull"), Scope(user="ana", context="mast")


def of_level(open_memory: OpenMemory, level: Level) -> Memory:
    """A memory of that level over the test's store."""
    memory = open_memory()
    memory._engine.level = level
    return memory


def texts(memory: Memory, scope: Scope, query: Query | str = "boat") -> set[str]:
    """What recall finds."""
    return {hit.text for hit in memory.recall(query, scope, limit=10).hits}


@pytest.mark.covers("SO-3")
def test_the_levels_are_these(tmp_path: Path) -> None:
    """None, session, project, persistent, set for a memory and so for its agent; without a word
    from the user, nothing is lost.
    """
    assert [level.value for level in Level] == ["none", "session", "project", "persistent"]
    assert load_config({}, home=tmp_path).level is Level.PERSISTENT
    assert load_config({"OMOIDE_LEVEL": "session"}, home=tmp_path).level is Level.SESSION
    with pytest.raises(
        InvalidInput, match="must be none, session, project or persistent; got 'forever'"
    ):
        load_config({"OMOIDE_LEVEL": "forever"}, home=tmp_path)
    with Memory.open(
        str(tmp_path / "m.db"), agent="clerk", level="session", embedder="none", background=False
    ) as memory:
        assert memory.level is Level.SESSION


@pytest.mark.covers("SO-3")
def test_at_level_none_nothing_is_opened(tmp_path: Path) -> None:
    """Loudly, and there is no file afterwards."""
    with pytest.raises(MemoryOff, match="OMOIDE_LEVEL"):
        Memory.open(str(tmp_path / "m.db"), level="none")

    assert not (tmp_path / "m.db").exists()


@pytest.mark.covers("SO-3")
def test_at_level_session_things_are_found_from_within_their_session_alone(
    open_memory: OpenMemory,
) -> None:
    """What is said, remembered, seeded and corrected there; also by a memory of another level."""
    memory = of_level(open_memory, Level.SESSION)
    memory.ingest([Message(text="The boat leaks")], S)
    blue = memory.remember("The boat is blue", S)
    memory.correct(blue.id, "The boat is green", S)
    memory.items.add_many([Statement(text="The boat has a mast")], S)

    held = {"The boat leaks", "The boat is green", "The boat has a mast"}
    assert texts(memory, S) == held
    assert texts(memory, T) == texts(memory, ANA) == texts(open_memory(), ANA) == set()
    assert texts(open_memory(), S) == held


@pytest.mark.covers("SO-3")
def test_at_level_session_nothing_is_told_without_one(open_memory: OpenMemory) -> None:
    """It would outlast it; nor is what outlasts it given a successor."""
    lasting = open_memory().remember("The boat is blue", ANA)
    memory = of_level(open_memory, Level.SESSION)

    with pytest.raises(InvalidInput, match="name the session"):
        memory.remember("The boat is red", ANA)
    with pytest.raises(InvalidInput, match="name the session"):
        memory.items.add_many([Statement(text="The boat is red")], ANA)
    with pytest.raises(Forbidden, match="outlasts"):
        memory.correct(lasting.id, "The boat is red", S)
    assert texts(memory, S) == {"The boat is blue"}


@pytest.mark.covers("SO-3")
def test_at_level_project_things_are_found_within_their_project_alone(
    open_memory: OpenMemory,
) -> None:
    """What is said and remembered there, in recall, lists and what is due; what is global is found
    everywhere.
    """
    open_memory().remember("A boat needs care", ANA, due_at=NINE)
    memory = of_level(open_memory, Level.PROJECT)
    memory.ingest([Message(text="The hull of the boat leaks")], HULL)
    memory.remember("The hull of the boat is blue", HULL, due_at=NINE)
    memory.remember("The mast of the boat is steel", MAST, due_at=NINE)

    assert texts(memory, HULL) == {
        "A boat needs care",
        "The hull of the boat leaks",
        "The hull of the boat is blue",
    }
    assert texts(memory, MAST) == {"A boat needs care", "The mast of the boat is steel"}
    assert texts(memory, MAST, Query(text="boat", contexts=frozenset({"global"}))) == {
        "A boat needs care"
    }
    everything = {item.text for item in memory.items.list(scope=MAST).items}
    assert (
        everything
        == {item.text for item in memory.due(scope=MAST)}
        == {"A boat needs care", "The mast of the boat is steel"}
    )
    for reach in (
        lambda: memory.recall(Query(text="boat", contexts=frozenset({"hull", "global"})), MAST),
        lambda: memory.items.list(Listing(context="hull"), MAST),
        lambda: memory.due(scope=MAST, listing=Listing(context="hull")),
    ):
        with pytest.raises(InvalidInput, match="'mast' and 'global' alone"):
            reach()
    assert {item.text for item in memory.items.list(Listing(context="global"), MAST).items} == {
        "A boat needs care"
    }


@pytest.mark.covers("SO-3")
def test_at_level_project_the_project_is_named(open_memory: OpenMemory) -> None:
    """Nothing is told to it, or asked, outside one."""
    memory = of_level(open_memory, Level.PROJECT)

    for act in (
        lambda: memory.remember("The boat is red", ANA),
        lambda: memory.ingest([Message(text="The boat is red")], ANA),
        lambda: memory.items.add_many([Statement(text="The boat is red")], ANA),
        lambda: memory.recall("boat", ANA),
        lambda: memory.items.list(scope=ANA),
        lambda: memory.due(scope=ANA),
    ):
        with pytest.raises(InvalidInput, match="name the project"):
            act()


def test_at_level_session_a_correction_of_nothing_is_not_found(open_memory: OpenMemory) -> None:
    """As at any other level; a turn is no item."""
    memory = of_level(open_memory, Level.SESSION)
    memory.ingest([Message(text="The boat leaks")], S)

    assert isinstance(memory.get(turn_of("s", 0), S), Turn)
    for id in ("nothing", turn_of("s", 0)):
        with pytest.raises(Exception, match="no item"):
            memory.correct(id, "x", S)
