"""T21: users are forgotten, and every byte of the store's files is searched for what they said."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from omoide.forgetting.proof import compacted
from omoide.memory import Memory
from omoide.models.embedders.encoders import Named
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import StoreBusy
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.store.base import Store
from omoide.store.postgres.engine import PostgresStore
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing import memory_for_tests
from tests.torture.kit import Report, count


def canary(user: int, number: int) -> str:
    """A word that stands nowhere else."""
    return f"canary{user:03d}x{number:03d}wren"


def live(memory: Memory, user: int, canaries: int) -> list[str]:
    """A user who says things in every way there is; the words that must go with them."""
    scope = Scope(user=f"user{user}")
    words = [canary(user, n) for n in range(canaries)]
    fifth = max(1, canaries // 5)
    for n, word in enumerate(words[:fifth]):
        told = memory.remember(
            f"the code of door {n} is {word}",
            scope,
            entities=[f"person:{word}"],
            tags=[f"tag-{word}"],
        )
        if n % 2:
            memory.correct(told.id, f"the code of door {n} is now {word} again", scope)
    for word in words[fifth : 2 * fifth]:
        memory.remember(
            f"a note on {word}",
            scope,
            category="note",
            details=Details(metadata={"about": word}, quote=f"it was {word}"),
        )
    said = tuple(
        Message(text=f"I met {word} in the garden", metadata={"mood": word})
        for word in words[2 * fifth :]
    )
    memory.ingest(Conversation(id=f"talk-{user}", title=f"about {words[-1]}", messages=said), scope)
    for word in words[:3]:
        memory.tool_calls.record(
            "lookup", scope, args={"who": word}, result=f"found {word}", error=f"nobody but {word}"
        )
        memory.entities.name(f"person:{word}", f"friend of {word}", scope)
        memory.recall(f"who is {word}?", scope)
    return words


def forget_all(
    store: Store, report: Report, users: int, canaries: int, look: Callable[[list[bytes]], int]
) -> None:
    """Let users live, forget every second one, and search for what they said; the others keep
    everything.
    """
    with memory_for_tests(store, clock=FixedClock()) as memory:
        words = {user: live(memory, user, canaries) for user in range(users)}
        memory.admin.tidy()
        gone = [word.encode() for user, said in words.items() if user % 2 for word in said]
        kept = [word.encode() for user, said in words.items() if not user % 2 for word in said]
        assert look(gone) > 0  # the search does find them while they are there
        for user in range(1, users, 2):
            receipt = memory.users.forget(f"user{user}", scope=Scope(user=f"user{user}"))
            assert receipt.residue == 0
            assert receipt.erased["items"] > 0 < receipt.erased["turns"]
        assert look(gone) == 0
        assert look(kept) >= len(kept)  # and nobody else lost a word
        for user in range(users):
            hits = memory.recall(
                f"who is {canary(user, canaries - 1)}?", Scope(user=f"user{user}")
            ).hits
            assert bool(hits) == (user % 2 == 0)
        assert memory.admin.verify().problems == ()
        assert memory.admin.doctor() == []
        report["users"], report["canaries"], report["left"] = users, canaries, look(gone)


@pytest.mark.torture
@pytest.mark.covers("LS-88", "GM-26", "GM-27")
def test_nothing_of_a_forgotten_user_is_left_in_the_files(tmp_path: Path) -> None:
    """SQLite: no byte of what a forgotten user said is in any file of the store, while it is
    open.
    """
    with Report("T21") as report:
        store = SqliteStore.open(tmp_path / "memory.db")
        forget_all(
            store, report, count(10, 200), count(15, 50), lambda words: _count(store.files(), words)
        )


@pytest.mark.torture
@pytest.mark.postgres
def test_nothing_of_a_forgotten_user_is_left_on_the_server(postgres_url: str) -> None:
    """Postgres: after the tables were rewritten, no byte is in the database's files."""

    def left(words: list[bytes]) -> int:
        store.compact()
        return _count(files_of_database(postgres_url), words)

    with Report("T21 postgres") as report:
        store = PostgresStore.open(postgres_url)
        forget_all(store, report, count(6, 200), count(10, 50), left)


@pytest.mark.torture
@pytest.mark.postgres
def test_rewriting_the_tables_leaves_nothing_in_their_files(postgres_url: str) -> None:
    """Vacuum and checkpoint alone leave what was forgotten in the files; the store's own step does
    not, and the receipt then says what the server may keep besides.
    """
    store = PostgresStore.open(postgres_url)
    with memory_for_tests(store, clock=FixedClock()) as memory:
        words = [word.encode() for word in live(memory, 1, 10)]
        kept = [word.encode() for word in live(memory, 2, 10)]
        with psycopg.connect(postgres_url, autocommit=True) as server:
            server.execute("ANALYZE")  # the server's statistics hold samples of texts
        receipt = memory.users.forget("user1", scope=Scope(user="user1"))
        with psycopg.connect(postgres_url, autocommit=True) as server:
            server.execute("CHECKPOINT")
        assert _count(files_of_database(postgres_url), words) > 0
        assert any("--compact" in told for told in receipt.pending)

        told = compacted(store, receipt)

        assert _count(files_of_database(postgres_url), words) == 0
        assert _count(files_of_database(postgres_url), kept) >= len(kept)
        assert not any("--compact" in one for one in told.pending)
        assert any("write-ahead log" in one for one in told.pending)
        assert memory.admin.doctor() == []
        assert memory.remember("the store goes on", Scope(user="user2")).item


@pytest.mark.postgres
def test_tables_are_not_called_rewritten_while_somebody_still_sees_what_was_erased(
    each_postgres_url: str,
) -> None:
    """A transaction that was begun before keeps erased rows in the files; once it has ended, the
    step is done by trying it again.
    """
    with (
        memory_for_tests(
            PostgresStore.open(each_postgres_url, busy_s=1), clock=FixedClock()
        ) as memory,
        psycopg.connect(each_postgres_url) as other,
    ):
        words = [word.encode() for word in live(memory, 1, 3)]
        other.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        other.execute("SELECT 1")
        receipt = memory.users.forget("user1", scope=Scope(user="user1"))

        with pytest.raises(StoreBusy, match="a transaction is open"):
            compacted(memory.store, receipt)
        assert _count(files_of_database(each_postgres_url), words) > 0
        other.rollback()
        compacted(memory.store, receipt)

        assert _count(files_of_database(each_postgres_url), words) == 0


def files_of_database(url: str) -> list[Path]:
    """The files of a database of a server on this machine, as they are."""
    with psycopg.connect(url, autocommit=True) as server:
        where = (
            "SELECT current_setting('data_directory'), oid FROM pg_database WHERE datname ="
            " current_database()"
        )
        ((folder, number),) = server.execute(where).fetchall()
    return sorted((Path(folder) / "base" / str(number)).iterdir())


@pytest.mark.covers("SO-82")
def test_another_process_holds_nothing_back(tmp_path: Path) -> None:
    """A memory that had read everything before no longer answers with what another forgot."""
    path = tmp_path / "memory.db"
    embedder = FakeEmbedder()
    one = Memory(
        SqliteStore.open(path),
        scope=Scope(user="ana"),
        embedder=Named("fake", embedder),
        background=False,
    )
    other = Memory(
        SqliteStore.open(path),
        scope=Scope(user="ana"),
        embedder=Named("fake", embedder),
        background=False,
    )
    told = one.remember("the canary sings at dawn")
    assert other.recall("canary").hits
    one.forget(told.id)
    assert other.recall("canary").hits == ()
    gc.collect()
    one.close()
    other.close()


def _count(files: list[Path], words: list[bytes]) -> int:
    total = 0
    for file in files:
        if file.is_file():
            data = file.read_bytes()
            total += sum(data.count(word) for word in words)
    return total
