"""A text that was altered on disk is never given as if it were whole, and keeps no other from being
given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from omoide.learning.session_work import next_turns
from omoide.memory import Memory
from omoide.nouns.errors import DamagedRecord
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Details
from omoide.nouns.reflection import Digest, DigestId, DigestKind, Reflection, ReflectionId
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.digests import Digests
from omoide.tables.items import Items
from omoide.tables.listing import Listing
from omoide.tables.reflections import Reflections
from omoide.tables.turns import turn_id
from omoide.telemetry.damage import damage_noted
from omoide.testing import NOON, memory_for_tests
from tests.fix_memory import ENGINES, turn_of

ANA, S = Scope(user="ana"), Scope(user="ana", session="s")
KEY, MUSEUM = "Ana keeps the key under the pot", "The museum opens at nine"
TEXTS = [KEY, "会話 about tea", "a NUL \0 inside"]

Execute = Callable[[str], None]


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store that another connection can reach."""
    if request.param == "sqlite":
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("cleared_postgres_url"))


@pytest.fixture
def alter(url: str) -> Execute:
    """Runs a statement past the store."""

    def execute(statement: str) -> None:
        if url.startswith("postgresql"):
            with psycopg.connect(url, autocommit=True) as server:
                server.execute("SET search_path TO omoide")
                server.execute(statement.encode())
        else:
            with apsw.Connection(url) as file:
                file.execute(statement)

    return execute


class Halved:
    """A memory of Ana's of which the older record of every kind was altered on disk: it says
    "mat" where "pot" was stored.
    """

    def __init__(self, memory: Memory, alter: Execute, folder: Path) -> None:
        self.memory, self.folder = memory, folder
        due: dict[str, Any] = {"due_at": NOON + timedelta(hours=1), "category": "reminder"}
        self.item = memory.remember(KEY, tags=["home"], details=Details(origin="notes"), **due).item
        memory.remember(MUSEUM, tags=["home"], details=Details(origin="notes"), **due)
        memory.ingest([{"content": KEY}, {"content": MUSEUM}], S)
        self.procedure = _learn(memory, folder, "pots", KEY)
        _learn(memory, folder, "museums", MUSEUM)
        _reflect(memory)
        for table, column in COLUMNS.items():
            alter(f"UPDATE {table} SET {column} = replace({column}, 'pot', 'mat')")


COLUMNS = {
    "items": "text",
    "turns": "text",
    "procedures": "steps",
    "reflections": "text",
    "digests": "text",
}


def _learn(memory: Memory, folder: Path, name: str, step: str) -> str:
    path = folder / f"{name}.md"
    path.write_text(f"---\nname: {name}\ndescription: What to do about {name}\n---\n\n{step}\n")
    return memory.procedures.read_skill(path).id


def _reflect(memory: Memory) -> None:
    with memory.store.transaction(tenant="default") as tx:
        for id, text in (("r1", KEY), ("r2", MUSEUM)):
            one = Reflection(id=ReflectionId(id), scope=ANA, text=text, formed_at=NOON)
            Reflections(tx).add(one, salt=b"0" * 16)
        for id, version, text in (("d1", 1, KEY), ("d2", 2, MUSEUM)):
            digest = Digest(
                id=DigestId(id), scope=ANA, kind=DigestKind.USER, version=version, text=text,
                word_limit=100, model="m", made_at=NOON,
            )  # fmt: skip
            Digests(tx).add(digest, salt=b"0" * 16)


@pytest.fixture
def halved(url: str, alter: Execute, tmp_path: Path) -> Iterator[Halved]:
    """A memory of which every second record is damaged."""
    with memory_for_tests(open_store(url)) as memory:
        yield Halved(memory, alter, tmp_path)


def notes_of(result: Any, caplog: pytest.LogCaptureFixture) -> str:
    """What a result, or the log where it has no place for that, says was left out."""
    return " ".join(getattr(result, "degraded", ())) or caplog.text


READS: dict[str, Callable[[Memory], Any]] = {
    "recall": lambda m: m.recall("where is the key, and when does the museum open?"),
    "recall of a session": lambda m: m.recall("the key of the museum", S),
    "context": lambda m: m.context("where is the key, and when does the museum open?"),
    "context xml": lambda m: m.context("where is the key?", strategy="xml"),
    "list": lambda m: m.items.list(),
    "list by tag": lambda m: m.items.list(Listing(sort="confidence")),
    "due": lambda m: m.due(),
    "diff": lambda m: m.diff(NOON - timedelta(days=1)),
    "turns": lambda m: m.sessions.turns("s", S),
    "turns of all": lambda m: m.sessions.turns(scope=S),
    "window": lambda m: m.sessions.window("s", S, turns=2),
    "procedures": lambda m: m.procedures.list(all_of_them=True),
    "reflections": lambda m: m.reflections.list(),
    "digests": lambda m: m.reflections.digests(history=True),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_of_many_leaves_the_damaged_out(
    halved: Halved, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It gives the rest, and says which record is missing and what to do."""
    found = READS[name](halved.memory)

    assert "museum" in repr(found)
    assert "the mat" not in repr(found)
    assert "damaged" in notes_of(found, caplog)


GETS: dict[str, Callable[[Halved], Any]] = {
    "item": lambda h: h.memory.get(h.item.id),
    "turn": lambda h: h.memory.get(turn_of("s", 0)),
    "why not": lambda h: h.memory.why_not("key", h.item.id),
    "skill": lambda h: h.memory.procedures.write_skill(h.procedure, h.folder / "skills"),
    "correct": lambda h: h.memory.correct(h.item.id, "Ana keeps the key in the shed"),
    "edit": lambda h: h.memory.items.edit(h.item.id, pinned=True),
}


@pytest.mark.parametrize("name", GETS)
def test_a_verb_about_one_damaged_record_says_so(halved: Halved, name: str) -> None:
    """By a typed error with its kind and id."""
    with pytest.raises(DamagedRecord, match="is damaged"):
        GETS[name](halved)


FORGETS: dict[str, Callable[[Halved], Any]] = {
    "item": lambda h: h.memory.forget(h.item.id),
    "turn": lambda h: h.memory.forget(turn_of("s", 0), S),
    "procedure": lambda h: h.memory.forget(h.procedure),
    "reflection": lambda h: h.memory.forget("r1"),
    "digest": lambda h: h.memory.forget("d1"),
    "origin": lambda h: h.memory.items.forget(origin="notes"),
    "session": lambda h: h.memory.sessions.forget("s", scope=S),
    "user": lambda h: h.memory.users.forget("ana"),
}


@pytest.mark.parametrize("name", FORGETS)
def test_a_damaged_record_can_be_forgotten(halved: Halved, name: str) -> None:
    """Alone, and with what it belongs to; then doctor no longer names it."""
    before = damage_of(halved.memory)
    receipt = FORGETS[name](halved)

    assert sum(receipt.erased.values()) >= 1
    assert receipt.residue == 0
    assert len(damage_of(halved.memory)) < len(before)


def damage_of(memory: Memory) -> list[str]:
    """The damaged records that doctor names."""
    return [f.place for f in memory.admin.doctor() if "not the one that was stored" in f.problem]


def test_doctor_names_every_damaged_record_and_leaves_it(halved: Halved) -> None:
    """Of each kind, also when it mends the index."""
    named = damage_of(halved.memory)
    halved.memory.admin.doctor(repair=True)

    assert named == damage_of(halved.memory)
    assert sorted(place.split()[0] for place in named) == [
        "digest", "item", "procedure", "reflection", "turn"
    ]  # fmt: skip


def test_an_export_leaves_damage_out_and_names_it(halved: Halved) -> None:
    """What is whole can be loaded elsewhere; what is damaged never comes to be whole there."""
    path = halved.folder / "all.jsonl"
    exported = halved.memory.admin.export(path, ANA)

    assert "the mat" not in path.read_text()
    assert len(exported.degraded) == len(COLUMNS)
    assert halved.item.id in " ".join(exported.degraded)
    with memory_for_tests() as fresh:
        fresh.admin.load(path)
        assert [one.text for one in fresh.items.list()] == [MUSEUM]
        assert [one.text for one in fresh.sessions.turns("s", S)] == [MUSEUM]


def test_an_export_of_one_user_tells_nothing_of_anothers_damage(halved: Halved) -> None:
    """Ben's archive names no record of Ana's."""
    exported = halved.memory.admin.export(halved.folder / "ben.jsonl", Scope(user="ben"))

    assert exported.degraded == ()


def test_a_history_goes_on_past_a_damaged_version(url: str, alter: Execute) -> None:
    """The versions before and after it are given, and every change."""
    with memory_for_tests(open_store(url)) as memory:
        first = memory.remember("Ana lives in Porto").item
        second = memory.correct(first.id, "Ana lives by the pot shop").item
        third = memory.correct(second.id, "Ana lives in Faro").item
        alter("UPDATE items SET text = replace(text, 'pot', 'mat')")

        for id in (first.id, second.id, third.id):
            past = memory.history(id)
            assert [one.id for one in past.items] == [first.id, third.id]
            assert second.id in " ".join(past.degraded)
            assert len(past.changes) == 3 or id == second.id


def test_a_page_after_a_damaged_item_is_not_lost(url: str, alter: Execute) -> None:
    """Offsets count damaged items, so that no whole one is passed over."""
    with memory_for_tests(open_store(url)) as memory:
        for name in ("pot", "cup", "jug", "pan"):
            memory.remember(f"The {name} stands on the shelf")
        alter("UPDATE items SET text = replace(text, 'pot', 'mat')")
        pages = [
            memory.items.list(Listing(sort="created_at", descending=False, limit=2, offset=offset))
            for offset in (0, 2)
        ]

        assert [len(page) for page in pages] == [1, 2]
        assert [page.is_last for page in pages] == [False, True]


def test_a_secret_in_a_damaged_text_is_found_and_not_masked(url: str, alter: Execute) -> None:
    """Masked, the text would get a checksum that fits it."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember("The pot is blue").item
        alter(f"UPDATE items SET text = 'key sk-ant-{'a1B2' * 12}' WHERE id = '{item.id}'")

        assert [leak.masked for leak in memory.admin.scan(mask=True)] == [False]
        assert damage_of(memory) == [f"item {item.id}"]


def test_a_damaged_item_that_loses_a_quote_is_left_as_it_is(url: str, alter: Execute) -> None:
    """It gets no checksum that fits it, and no note says that a read left it out."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember("The pot is blue").item
        alter("UPDATE items SET text = replace(text, 'pot', 'mat')")
        with damage_noted() as notes, memory.store.transaction(tenant="default") as tx:
            Items(tx).lose_source(item, turn_id(SessionId("s"), 0), quote_too=True)

        assert notes == []
        assert damage_of(memory) == [f"item {item.id}"]


def test_a_damaged_turn_is_not_learnt_from(url: str, alter: Execute) -> None:
    """A model reads what is whole, and the session counts as read."""
    with memory_for_tests(open_store(url)) as memory:
        memory.ingest([{"content": KEY}, {"content": MUSEUM}], S)
        alter("UPDATE turns SET text = replace(text, 'pot', 'mat')")
        session = memory.sessions.list(ANA)[0].session
        with memory.store.transaction(tenant="default") as tx:
            before, fresh = next_turns(tx, session, 0)

        assert [turn.text for turn in (*before, *fresh)] == [MUSEUM]


@pytest.mark.parametrize("text", TEXTS, ids=["ASCII", "wide", "NUL"])
def test_whole_texts_are_given_as_they_were(url: str, text: str) -> None:
    """Whatever is in them, as items, turns and after their secrets were masked."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember(text).item
        memory.ingest([{"content": text}], S)

        assert memory.get(item.id) == item
        assert [turn.text for turn in memory.sessions.turns("s", S)] == [text]


def test_a_text_that_cannot_be_unpacked_can_be_forgotten(url: str, alter: Execute) -> None:
    """An escape that was cut off, and a list that is no JSON, are no reason to keep a record."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember("a NUL \0 inside").item
        alter("UPDATE items SET text = 'a NUL \\x0'")

        assert memory.forget(item.id).erased["items"] == 1


def test_a_row_of_before_there_were_checksums_is_read(url: str, alter: Execute) -> None:
    """There is nothing to compare it with."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember(KEY).item
        memory.ingest([{"content": KEY}], S)
        for table in ("items", "turns"):
            alter(f"UPDATE {table} SET escaped = escaped & 3")

        assert memory.get(item.id) == item
        assert [turn.text for turn in memory.sessions.turns("s", S)] == [KEY]


@pytest.mark.parametrize("column", ["text", "quote"])
def test_text_and_quote_of_an_item_are_checked(url: str, alter: Execute, column: str) -> None:
    """Each by the same checksum."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember(KEY, details=Details(quote="it is under the pot")).item
        alter(f"UPDATE items SET {column} = replace({column}, 'pot', 'mat')")

        with pytest.raises(DamagedRecord):
            memory.get(item.id)
        assert list(memory.items.list()) == []
