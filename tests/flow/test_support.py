"""A fact that several talks told stays as long as one of them does, in that one's words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import psycopg
import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.models.chat.scripted import Script
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import Details, Item, Source
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from tests.fix_memory import ANA, turn_of
from tests.fix_teaching import Taught, note, says
from tests.reflecting import HERE, USERS, condensed, condensing, reflect_on


def said(memory: Memory, session: str, text: str, item: str = "") -> Item:
    """An item learnt from what Ana says in a session."""
    turn = memory.ingest([Message(text=text)], Scope(user="ana", session=session)).turns[0]
    details = Details(source=Source.USER, source_turns=(turn,), quote=text)
    return memory.remember(item or text, ANA, details=details).item


@pytest.mark.parametrize("order", ["first", "second"])
@pytest.mark.parametrize("by", ["session", "turn"])
def test_a_fact_of_two_talks_outlives_either(by: str, order: str, memory: Memory) -> None:
    """Forgotten by session or by turn, the first or the second: the other one's saying is held."""
    said(memory, "one", "my flat is in Porto, you know", "Ana lives in Porto")
    item = said(memory, "two", "as I said, Porto is home", "Ana lives in Porto.")
    assert set(item.source_turns) == {turn_of("one", 0), turn_of("two", 0)}
    gone, left = ("one", "two") if order == "first" else ("two", "one")

    if by == "session":
        memory.sessions.forget(gone)
    else:
        memory.forget(turn_of(gone, 0))

    (kept,) = memory.items.list().items
    assert kept.text.removesuffix(".") == "Ana lives in Porto"
    assert kept.source_turns == (turn_of(left, 0),)
    assert kept.quote in {"my flat is in Porto, you know", "as I said, Porto is home"}
    assert [hit.id for hit in memory.recall("Porto").hits if hit.item] == [kept.id]
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


def test_a_fact_of_three_talks_goes_with_the_last(memory: Memory, clock: FixedClock) -> None:
    """In whatever order they are forgotten, what is left supports it."""
    for session in ("one", "two", "three"):
        clock.move(minutes=1)
        said(memory, session, f"in {session} I said it", "Ana lives in Porto")

    for session, left in (
        ("two", {turn_of("one", 0), turn_of("three", 0)}),
        ("one", {turn_of("three", 0)}),
    ):
        memory.sessions.forget(session)
        (kept,) = memory.items.list().items
        assert set(kept.source_turns) == left
        assert kept.quote == ("in one I said it" if session == "two" else "in three I said it")

    memory.sessions.forget("three")
    assert memory.items.list().items == ()
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


def test_what_the_user_told_too_outlives_the_talk(memory: Memory) -> None:
    """A fact of a talk that was also remembered by hand stays without the talk."""
    said(memory, "one", "my flat is in Porto", "Ana lives in Porto")
    memory.remember("Ana lives in Porto", details=Details(source=Source.USER))

    memory.sessions.forget("one")

    (kept,) = memory.items.list().items
    assert (kept.text, kept.source_turns, kept.quote) == ("Ana lives in Porto", (), None)


def test_what_the_user_told_before_outlives_the_talk(memory: Memory) -> None:
    """A fact that was remembered by hand stays when a talk that said it again is forgotten."""
    first = memory.remember("Ana lives in Porto", details=Details(source=Source.USER)).item
    said(memory, "one", "my flat is in Porto", "Ana lives in Porto")
    assert memory.items.list().items[0].source_turns == (turn_of("one", 0),)

    memory.sessions.forget("one")

    (kept,) = memory.items.list().items
    assert (kept.id, kept.source_turns, kept.quote) == (first.id, (), None)


def test_undoing_a_repetition_takes_its_support_back(memory: Memory) -> None:
    """The turn that said it again supports it no more, and is not found by it."""
    first = said(memory, "one", "my flat is in Porto", "Ana lives in Porto")
    said(memory, "two", "Porto is home", "Ana lives in Porto")

    memory.undo(memory.history(first.id).changes[-1].id)

    assert memory.items.list().items[0].source_turns == (turn_of("one", 0),)
    memory.sessions.forget("one")
    assert memory.items.list().items == ()


@pytest.fixture
def store_url(store_url: str, tmp_path: Path) -> str:
    """The address of an empty store that can be read from outside, of each engine in turn."""
    return str(tmp_path / "memory.db") if store_url == ":memory:" else store_url


def cells(place: str) -> str:
    """Every column of every table of a store, as one text."""
    if place.startswith("postgres"):
        with psycopg.connect(place) as connection:
            tables = connection.execute(
                "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables"
                " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
                " AND table_type = 'BASE TABLE'"
            ).fetchall()
            found = [
                connection.execute(f"SELECT t::text FROM {name} t").fetchall() for (name,) in tables
            ]
    else:
        lite = apsw.Connection(place)
        named = lite.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        found = [lite.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in named]
        lite.close()
    return repr(found)


def test_no_word_of_a_forgotten_talk_is_left(memory: Memory, store_url: str) -> None:
    """Of two that said the same, with words of their own around it, only the other's are left: in
    rows, index, ledger, jobs and the profile.
    """
    said(memory, "one", "marzipan: I live in Porto", "Ana lives in Porto.")
    said(memory, "two", "gooseberry: I live in Porto", "ANA lives in Porto")
    said(memory, "three", "walnut: I live in Porto", "Ana  lives in Porto")
    assert memory.reflections.profile() is not None
    assert all(word in cells(store_url) for word in ("marzipan", "gooseberry", "walnut"))

    for session, gone in (("two", "gooseberry"), ("one", "marzipan")):
        memory.sessions.forget(session)
        assert gone not in cells(store_url)
        assert "walnut" in cells(store_url)
    assert "ANA lives" not in cells(store_url)
    assert [item.text for item in memory.items.list().items] == ["Ana  lives in Porto"]
    assert memory.reflections.profile() is not None

    memory.sessions.forget("three")
    assert not any(word in cells(store_url) for word in ("walnut", "Porto", "porto"))


def test_no_word_of_a_forgotten_talk_is_left_in_a_profile(taught: Taught, store_url: str) -> None:
    """A line that a model made of two facts goes with either."""
    line = {"text": "Ana likes gooseberry jam and walnut cake", "from": ["k1", "k2"]}
    rest = {"text": "Ana likes walnut cake", "from": ["k1"]}
    memory = taught(script={Purpose.PROFILE: [{"lines": [line]}, {"lines": [rest]}]})
    said(memory, "one", "I like gooseberry jam", "Ana likes gooseberry jam")
    said(memory, "two", "I like walnut cake", "Ana likes walnut cake")
    profile = memory.reflections.profile()
    assert profile is not None
    assert profile.lines == (line["text"],)

    memory.sessions.forget("one")

    assert "gooseberry" not in cells(store_url)
    assert "walnut" in cells(store_url)


def test_no_word_of_a_forgotten_talk_is_left_in_a_digest(
    taught: Taught, clock: FixedClock, store_url: str
) -> None:
    """A text condensed of what two talks taught goes with either; what the other taught waits to be
    condensed again.
    """
    jam, cake = "Ana wants gooseberry jam in each recipe", "Ana wants walnut cake on Sundays"
    memory = condensing(taught, condensed(jam, cake))
    for session, text in (("one", jam), ("two", cake)):
        reflect_on(memory, clock, text, scope=replace(HERE, session=session))
    memory.reflections.condense(USERS)
    assert "gooseberry" in memory.reflections.digests(USERS)[0].text

    memory.sessions.forget("one", scope=USERS)

    assert "gooseberry" not in cells(store_url)
    assert [one.text for one in memory.reflections.list(USERS, waiting=True)] == [cake]


def merging(taught: Taught, clock: FixedClock) -> Memory:
    """A memory in which a model made one item of what two talks told."""
    both = "Ana has a cat called Mia and a dog called Rex"
    choice = {"note": 1, "op": "update", "ref": "k1", "was": "has a cat called Mia", "text": both}
    script: Script = {
        Purpose.EXTRACT: [
            says(note("Ana has a cat called Mia", "I have a cat called Mia")),
            says(note("Ana has a dog called Rex", "I have a dog called Rex")),
        ],
        Purpose.DECIDE: [{"decisions": [choice]}],
    }
    memory = taught(script=script)
    for session, text in (("one", "I have a cat called Mia"), ("two", "I have a dog called Rex")):
        clock.move(minutes=1)
        memory.ingest([Message(text=text)], Scope(user="ana", session=session))
        memory.sessions.extract(session, Scope(user="ana", session=session))
    return memory


@pytest.mark.parametrize(
    ("session", "word", "left"),
    [("one", "Mia", []), ("two", "Rex", ["Ana has a cat called Mia"])],
)
def test_of_what_was_merged_no_word_of_a_forgotten_talk_is_left(
    session: str,
    word: str,
    left: list[str],
    taught: Taught,
    clock: FixedClock,
    store_url: str,
) -> None:
    """The merged text goes with either talk; what it had taken the place of is open again where its
    own talk stays.
    """
    memory = merging(taught, clock)
    (merged,) = memory.items.list().items
    assert merged.text == "Ana has a cat called Mia and a dog called Rex"

    memory.sessions.forget(session)

    assert word not in cells(store_url)
    assert word.lower() not in cells(store_url)
    assert [item.text for item in memory.items.list().items] == left
    assert memory.admin.verify().problems == ()
