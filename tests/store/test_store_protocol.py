"""The store protocol: two methods to write, and defaults for what only some stores can do."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from omoide import FixedClock
from omoide.models.embedders.encoders import Encoders
from omoide.nouns.errors import InvalidInput, StoreError
from omoide.store.base import Store, Transaction
from omoide.store.queries import store_wide_queries
from omoide.upkeep.backup import back_up
from omoide.upkeep.doctor import examine
from tests.source_tree import modules


class Small(Store):
    """A store with nothing but what every store must have."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> AbstractContextManager[Transaction]:
        """As the store's."""
        return self._store.transaction(tenant=tenant, write=write, durable=durable)

    def close(self) -> None:
        """As the store's."""
        self._store.close()


def test_two_methods_make_a_store(store: Store, clock: FixedClock) -> None:
    """The doctor examines such a store, and a long read of it is an ordinary one."""
    small = Small(store)

    assert examine(small, clock, Encoders(()), repair=False, deep=False) == []
    with small.lasting(tenant=None) as tx:
        assert tx.rows("embedders.all") == []
    assert (small.checkpoint(), small.scan([b"tea"]), small.set_aside(None)) == (True, None, [])


def test_what_a_store_cannot_do_it_says(store: Store, tmp_path: Path) -> None:
    """Backup names the server's own tools; encryption is for a file."""
    small = Small(store)

    with pytest.raises(StoreError, match="server's own tools"):
        back_up(small, str(tmp_path / "copy.db"))
    with pytest.raises(InvalidInput, match="only a SQLite file"):
        small.rekey("secret")


def test_no_code_asks_what_class_a_store_is() -> None:
    """What differs between stores stands behind the protocol's methods."""
    asked = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("isinstance", "hasattr", "getattr")
        and ast.unparse(node.args[0]).lstrip("_").split(".")[-1].lstrip("_") == "store"
    ]

    assert asked == []


def test_both_engines_agree_on_what_is_about_all_tenants() -> None:
    """A query is refused on both or on neither, and few are about all tenants."""
    wide = store_wide_queries("sqlite")

    assert wide == store_wide_queries("postgres")
    assert {"jobs.claim", "docs.tenants", "items.held", "vectors.retire"} < wide
    assert len(wide) < 40
