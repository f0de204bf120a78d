"""The contract of a store, on every engine: SQLite in memory and in a file, Postgres 16 and 18."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.store.base import Store
from omoide.store.postgres.engine import PostgresStore
from omoide.store.sqlite.engine import SqliteStore
from omoide.testing import StoreContract


class TestSqliteInMemory(StoreContract):
    """SQLite without a file."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = SqliteStore.open(":memory:")
        yield store
        store.close()

    @pytest.mark.skip(reason="a store in memory has one connection, so one transaction at a time")
    def test_a_reader_keeps_its_snapshot(self, store: Store) -> None:
        """Not so in memory."""


class TestSqliteFile(StoreContract):
    """SQLite in a file."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore.open(tmp_path / "memory.db")
        yield store
        store.close()


class TestEncryptedSqlite(StoreContract):
    """SQLite in an encrypted file."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore.open(tmp_path / "memory.db", passphrase="correct horse")
        yield store
        store.close()


class TestPostgres(StoreContract):
    """Postgres, each version."""

    @pytest.fixture
    def store(self, each_postgres_url: str) -> Iterator[Store]:
        store = PostgresStore.open(each_postgres_url)
        yield store
        store.close()
