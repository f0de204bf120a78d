"""The only code that knows a database."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from omoide.nouns.errors import MissingExtra, StoreError, UnknownName
from omoide.store.base import Store

__all__ = ["file_of", "open_store"]

_SERVERS = ("postgresql://", "postgres://")


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
        UnknownName: an address of another kind.
    """
    if url.startswith(_SERVERS):
        if find_spec("psycopg") is None:
            raise MissingExtra("Postgres", "postgres")
        from omoide.store.postgres.engine import PostgresStore

        return PostgresStore.open(url)
    scheme, mark, _ = url.partition("://")
    if mark:
        raise UnknownName("store", scheme, ("a file", "sqlite:PATH", "postgresql://…"))
    from omoide.store.sqlite.engine import SqliteStore

    path = url.removeprefix("sqlite:")
    return SqliteStore.open(
        path,
        passphrase=passphrase,
        durability=durability,
        create=create,
        allow_network=allow_network,
    )


def file_of(url: str) -> str:
    """The path of the file that a store at this address is.

    Raises:
        StoreError: it is on a server, or in memory.
    """
    if url.startswith(_SERVERS):
        raise StoreError(
            "this is done to a SQLite file; for a store on Postgres there are its server's own"
            " tools, such as pg_dump and pg_restore"
        )
    if url == ":memory:":
        raise StoreError("this is done to a SQLite file, and the store is in memory")
    return url.removeprefix("sqlite:")
