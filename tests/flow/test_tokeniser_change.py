"""Another tokeniser: the index is made anew, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

from omoide.store.sqlite.connections import ConnectionSettings, connected
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing import memory_for_tests
from omoide.upkeep import words


def test_words_of_another_tokeniser_are_made_anew(tmp_path: Path) -> None:
    """A store whose words another version made is found again after tidying."""
    path = tmp_path / "memory.db"
    with memory_for_tests(SqliteStore.open(path)) as memory:
        told = memory.remember("the pelican sleeps on the pier")
        memory.admin.tidy()
    with connected(ConnectionSettings(path=str(path)), writes=True) as db:
        db.execute("UPDATE docs SET own = 'old words'")
        db.execute("UPDATE meta SET value = 'another tokeniser' WHERE key = ?", (words.KEY,))
    with memory_for_tests(SqliteStore.open(path)) as memory:
        assert words.is_stale(memory.store)
        memory.admin.tidy()
        assert not words.is_stale(memory.store)
        assert [h.id for h in memory.recall("pelican").hits] == [told.id]
        assert memory.admin.doctor() == []
