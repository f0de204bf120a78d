"""The only code that knows a database."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from omoide.nouns.errors import MissingExtra
from omoide.store.address import SERVERS, check_address, file_of
from omoide.store.base import Store

__all__ = ["check_address", "file_of", "open_store"]


def open_store(
    url: str,
    *,
    passphrase: str | None = None,
    durability: Literal["full", "relaxed"] = "full",
    create: bool = True,
    allow_network: bool = False,
) -> Store:
    """The store at a file path, ``sqlite:PATH``, ``:memory:`` or ``postgresql://…``, opened.

    ``allow_network``: a file may lie on a network filesystem. Then one machine alone may use it,
    which nobody checks.

    Raises:
        StoreRefused: what is there is damaged, foreign, newer, empty or unreadable; it is left
            untouched.
        StoreError: it cannot be opened.
        MissingExtra: Postgres without its optional part.
        UnknownName, InvalidInput: an address of another kind, or a mistyped one.
    """
    check_address(url)
    if url.startswith(SERVERS):
        if find_spec("psycopg") is None:
            raise MissingExtra("Postgres", "postgres")
        from omoide.store.postgres.engine import PostgresStore

        return PostgresStore.open(url)
    from omoide.store.sqlite.engine import SqliteStore

    path = url.removeprefix("sqlite:")
    return SqliteStore.open(
        path,
        passphrase=passphrase,
        durability=durability,
        create=create,
        allow_network=allow_network,
    )
