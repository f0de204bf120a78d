"""A text that was altered on disk is never given as if it were whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import psycopg
import pytest

from omoide.nouns.errors import StoreError
from omoide.nouns.item import Details
from omoide.nouns.reflection import Digest, DigestId, DigestKind, Reflection, ReflectionId
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.digests import Digests
from omoide.tables.reflections import Reflections
from omoide.testing import NOON, memory_for_tests
from tests.fix_memory import ENGINES, turn_of

S = Scope(user="ana", session="s")
TEXTS = ["Ana keeps the key under the pot", "会話 about tea", "a NUL \0 inside"]

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


def damaged(call: Callable[[], object]) -> bool:
    """Whether a read says that something is damaged."""
    with pytest.raises(StoreError, match="is damaged"):
        call()
    return True


@pytest.mark.parametrize("column", ["text", "quote"])
def test_an_altered_item_is_told_by_every_read(url: str, alter: Execute, column: str) -> None:
    """Get, list and recall refuse it, verify lists it, and it can be forgotten."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember(TEXTS[0], details=Details(quote="it is under the pot")).item
        other = memory.remember("The museum opens at nine").item
        alter(f"UPDATE items SET {column} = replace({column}, 'pot', 'mat') WHERE id = '{item.id}'")

        assert damaged(lambda: memory.get(item.id))
        assert damaged(memory.items.list)
        assert damaged(lambda: memory.recall("where is the key?"))
        assert memory.get(other.id) == other
        assert memory.forget(item.id).erased["items"] == 1
        assert [one.id for one in memory.items.list().items] == [other.id]


def test_an_altered_turn_is_told_by_every_read(url: str, alter: Execute) -> None:
    """In its session, alone, and found by recall."""
    with memory_for_tests(open_store(url)) as memory:
        memory.ingest([{"content": TEXTS[0]}, {"content": "The museum opens at nine"}], S)
        alter("UPDATE turns SET text = replace(text, 'pot', 'mat')")

        assert damaged(lambda: memory.get(turn_of("s", 0)))
        assert damaged(lambda: memory.sessions.turns("s", S))
        assert damaged(lambda: memory.recall("where is the key?", S))
        assert memory.get(turn_of("s", 1)).text == "The museum opens at nine"
        assert any("altered" in problem for problem in memory.admin.verify().problems)
        assert memory.sessions.forget("s", scope=S).erased["turns"] == 2


@pytest.mark.parametrize("text", TEXTS, ids=["ASCII", "wide", "NUL"])
def test_whole_texts_are_given_as_they_were(url: str, text: str) -> None:
    """Whatever is in them, as items, turns and after their secrets were masked."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember(text).item
        memory.ingest([{"content": text}], S)

        assert memory.get(item.id) == item
        assert [turn.text for turn in memory.sessions.turns("s", S)] == [text]


def test_a_row_of_before_there_were_checksums_is_read(url: str, alter: Execute) -> None:
    """There is nothing to compare it with."""
    with memory_for_tests(open_store(url)) as memory:
        item = memory.remember(TEXTS[0]).item
        memory.ingest([{"content": TEXTS[0]}], S)
        for table in ("items", "turns"):
            alter(f"UPDATE {table} SET escaped = escaped & 3")

        assert memory.get(item.id) == item
        assert [turn.text for turn in memory.sessions.turns("s", S)] == [TEXTS[0]]


def test_an_altered_procedure_is_told_by_every_read(
    url: str, alter: Execute, tmp_path: Path
) -> None:
    """Listed, matched or written as a file; verify lists it, and it can be forgotten."""
    path = tmp_path / "SKILL.md"
    path.write_text("---\nname: pots\ndescription: Look under the pot\n---\n\nLift the pot\n")
    with memory_for_tests(open_store(url)) as memory:
        known = memory.procedures.read_skill(path)
        assert memory.procedures.list() == [known]
        alter("UPDATE procedures SET steps = replace(steps, 'pot', 'mat')")

        assert damaged(memory.procedures.list)
        assert damaged(lambda: memory.procedures.write_skill(known.id, tmp_path / "skills"))
        assert any("procedure" in problem for problem in memory.admin.verify().problems)
        assert memory.forget(known.id).erased["procedures"] == 1


def test_altered_reflections_and_digests_are_told(url: str, alter: Execute) -> None:
    """What an agent is told of how to behave is never given altered."""
    scope = Scope(user="ana")
    with memory_for_tests(open_store(url)) as memory:
        reflection = Reflection(
            id=ReflectionId("r"), scope=scope, text="Look under the pot", formed_at=NOON
        )
        digest = Digest(
            id=DigestId("d"), scope=scope, kind=DigestKind.USER, version=1, text="The pot hides it",
            word_limit=100, model="m", made_at=NOON,
        )  # fmt: skip
        with memory.store.transaction(tenant="default") as tx:
            Reflections(tx).add(reflection, salt=b"0" * 16)
            Digests(tx).add(digest, salt=b"0" * 16)
        assert [one.text for one in memory.reflections.list(scope)] == ["Look under the pot"]
        assert [one.text for one in memory.reflections.digests(scope)] == ["The pot hides it"]
        for table in ("reflections", "digests"):
            alter(f"UPDATE {table} SET text = replace(text, 'pot', 'mat')")

        assert damaged(lambda: memory.reflections.list(scope))
        assert damaged(lambda: memory.reflections.digests(scope))
