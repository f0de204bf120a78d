"""What a SQLite store consists of: exactly the tables, indexes and triggers of its migrations.

A trigger or view in a file that came from elsewhere runs with every statement that touches its
table, so a store that holds anything else is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import chain

import apsw

from omoide.nouns.errors import StoreRefused
from omoide.nouns.record.lines import with_article
from omoide.store.migrate import Migration
from omoide.store.queries import load_queries

_REMEDY = (
    "save its rows with omoide admin salvage, which takes nothing else, or restore another backup"
)

Objects = tuple[tuple[str, str, str, str], ...]  # kind, name, table and SQL of each, by name


def check_schema(connection: apsw.Connection, path: str, migrations: Sequence[Migration]) -> None:
    """Refuse a database that is not exactly what the migrations up to its version make.

    Raises:
        StoreRefused: it holds something else, or lacks something.
    """
    if wrong := unlike(connection, migrations):
        raise StoreRefused(path, wrong[0], _REMEDY)


def unlike(connection: apsw.Connection, migrations: Sequence[Migration]) -> list[str]:
    """Where a database differs from what the migrations up to its version make."""
    version, held = connection.pragma("user_version"), objects_in(connection)
    if known() == (version, digest(held)):
        return []
    ours = expected(tuple(m for m in migrations if m.version <= version))
    foreign = [
        f"holds {with_article(kind)} that Omoide did not make ({name!r} on {place!r})"
        for kind, name, place, _ in sorted(set(held) - set(ours))
    ]
    names = {(kind, name) for kind, name, *_ in held}
    lacking = [f"lacks the {kind} {name!r}" for kind, name, *_ in ours if (kind, name) not in names]
    return foreign + lacking


@cache
def known() -> tuple[int, str]:
    """The newest version of a store and the digest of its objects, told beside the migrations:
    making the objects to compare them, as for any other version, takes longer than opening a store.
    """
    told = files("omoide.store").joinpath("migrations", "newest.sqlite.digest").read_text("utf-8")
    version, told_digest = told.split()
    return int(version), told_digest


def objects_in(connection: apsw.Connection) -> Objects:
    """All that a database consists of, but what SQLite makes for itself."""
    return tuple(connection.execute(load_queries("sqlite")["objects.listed"]))


def digest(objects: Objects) -> str:
    """SHA-256 of what a database consists of."""
    # with their number, so that no text with the sign between them could stand for several
    told = "\0".join((str(len(objects)), *chain.from_iterable(objects)))
    return hashlib.sha256(told.encode()).hexdigest()


@cache
def expected(migrations: tuple[Migration, ...]) -> Objects:
    """All that these migrations make."""
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(load_queries("sqlite")["schema.create"])
        for migration in migrations:
            connection.execute(migration.sql)
        return objects_in(connection)
    finally:
        connection.close()
