"""T25: the ledger is edited, thinned, reordered and rewritten; every time it is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import apsw
import pytest

from omoide.memory import Memory
from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.ledger import GENESIS, Head, chain
from omoide.testing import memory_for_tests
from tests.torture.kit import Report, count

COLUMNS = (
    "id",
    "at",
    "action",
    "kind",
    "record",
    "user_id",
    "session_id",
    "actor",
    "cause",
    "content",
)


def told(path: Path) -> None:
    """A store with a ledger of some length."""
    with memory_for_tests(SqliteStore.open(path)) as memory:
        for n in range(12):
            first = memory.remember(f"the locker number is {n}{n}{n} in hall {n}")
            memory.correct(first.id, f"the locker number is {n}{n} in hall {n}")
        memory.ingest(
            [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
        )


def edit(db: apsw.Connection, random: Random) -> None:
    """Another value in one column of one entry."""
    (seq,) = random.choice(list(db.execute("SELECT seq FROM changes")))
    column = random.choice(COLUMNS)
    fresh = {"at": random.randrange(10**15), "content": random.randbytes(16)}.get(
        column, f"forged {random.random()}"
    )
    db.execute(f"UPDATE changes SET {column} = ? WHERE seq = ?", (fresh, seq))


def delete(db: apsw.Connection, random: Random) -> None:
    """One entry less, anywhere."""
    (seq,) = random.choice(list(db.execute("SELECT seq FROM changes")))
    db.execute("DELETE FROM changes WHERE seq = ?", (seq,))


def cut(db: apsw.Connection, random: Random) -> None:
    """The last entries gone."""
    db.execute("DELETE FROM changes WHERE seq > ?", (random.randrange(5, 20),))


def swap(db: apsw.Connection, random: Random) -> None:
    """Two entries in each other's place."""
    one, other = random.sample([seq for (seq,) in db.execute("SELECT seq FROM changes")], 2)
    for old, new in ((one, -1), (other, one), (-1, other)):
        db.execute("UPDATE changes SET seq = ? WHERE seq = ?", (new, old))


def insert(db: apsw.Connection, random: Random) -> None:
    """One entry more at the end."""
    columns = "at, action, kind, record, user_id, session_id, actor, cause, content, hash"
    db.execute(
        f"INSERT INTO changes SELECT tenant, seq + 1, 'forged', {columns} FROM changes ORDER BY seq"
        " DESC LIMIT 1"
    )


def rewrite(db: apsw.Connection, random: Random) -> None:
    """One entry edited and every hash after it made to fit, by somebody who has the key: only a
    head kept elsewhere tells.
    """
    edit_seq = random.randrange(1, 20)
    db.execute("UPDATE changes SET actor = 'nobody' WHERE seq = ?", (edit_seq,))
    ((key,),) = db.execute("SELECT key FROM ledgers")
    last = GENESIS
    names = (
        "tenant",
        "seq",
        "id",
        "at",
        "action",
        "kind",
        "record",
        "user_id",
        "session_id",
        "actor",
        "cause",
        "content",
    )
    for row in list(db.execute(f"SELECT {', '.join(names)} FROM changes ORDER BY seq")):
        last = chain(key, last, dict(zip(names, row, strict=True)))
        db.execute("UPDATE changes SET hash = ? WHERE seq = ?", (last, row[1]))
    db.execute("UPDATE ledgers SET hash = ?", (last,))


def alter_item(db: apsw.Connection, random: Random) -> None:
    """An item's text changed behind the ledger's back."""
    (id,) = random.choice(list(db.execute("SELECT id FROM items")))
    db.execute("UPDATE items SET text = 'forged' WHERE id = ?", (id,))


def alter_turn(db: apsw.Connection, random: Random) -> None:
    """A turn's text changed behind the ledger's back."""
    db.execute("UPDATE turns SET text = 'forged' WHERE position = ?", (random.randrange(2),))


ATTACKS = (edit, delete, cut, swap, insert, rewrite, alter_item, alter_turn)


@pytest.mark.torture
def test_every_tampering_with_the_ledger_is_found(tmp_path: Path) -> None:
    """Edits, deletions, insertions, reorderings and whole rewrites of the chain, and alterations of
    what it speaks of.
    """
    told(tmp_path / "whole.db")
    whole = (tmp_path / "whole.db").read_bytes()
    path = tmp_path / "forged.db"
    with Report("T25") as report:
        found = 0
        for number in range(count(64, 1_000)):
            path.write_bytes(whole)
            head = verdict(path)
            assert head is not None
            attack = ATTACKS[number % len(ATTACKS)]
            with connected(ConnectionSettings(path=str(path)), writes=True) as db:
                with triggers_aside(db):
                    before = everything(db)
                    attack(db, report.random)
                    assert everything(db) != before  # the attack changed something
            assert verdict(path, head) is None, f"{attack.__name__} was not noticed"
            found += 1
        report["found"] = found
        assert found == count(64, 1_000)


@contextmanager
def triggers_aside(db: apsw.Connection) -> Iterator[None]:
    """The ledger's triggers are dropped for the length of a block, and made again."""
    made = list(db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
    for name, _ in made:
        db.execute(f"DROP TRIGGER {name}")
    yield
    for _, sql in made:
        db.execute(str(sql))


def everything(db: apsw.Connection) -> list[tuple[object, ...]]:
    """The chain and all texts."""
    return [
        *db.execute("SELECT * FROM changes"),
        *db.execute("SELECT text FROM items UNION ALL SELECT text FROM turns"),
    ]


def verdict(path: Path, known: Head | None = None) -> Head | None:
    """The end of a ledger that is whole, None of one that is not."""
    with Memory(SqliteStore.open(path), background=False) as memory:
        verified = memory.admin.verify(known)
        return None if verified.problems else verified.head


def test_the_database_itself_refuses_to_change_the_ledger(tmp_path: Path) -> None:
    """Entries can be added; without dropping the triggers none can be altered or removed."""
    told(tmp_path / "whole.db")
    with connected(ConnectionSettings(path=str(tmp_path / "whole.db")), writes=True) as db:
        for statement in ("UPDATE changes SET actor = 'x'", "DELETE FROM changes"):
            with pytest.raises(apsw.ConstraintError, match="append-only"):
                db.execute(statement)
