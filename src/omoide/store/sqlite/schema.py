"""What a SQLite store consists of: exactly the tables, indexes and triggers of its migrations.

A trigger or view in a file that came from elsewhere runs with every statement that touches its
table, so a store that holds anything else is refused.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Sequence
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

_STATISTICS = frozenset({"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"})

Objects = tuple[tuple[str, str, str, str | None], ...]  # kind, name, table and SQL of each

# the newest schema, as stores list it that were found whole: comparing is faster than a digest
_whole: deque[Objects] = deque(maxlen=4)


def check_schema(connection: apsw.Connection, path: str, migrations: Sequence[Migration]) -> None:
    """Refuse a database that is not exactly what the migrations up to its version make.

    Raises:
        StoreRefused: it holds something else, or lacks something.
    """
    if wrong := unlike(connection, migrations):
        raise StoreRefused(path, wrong[0], _REMEDY)


def unlike(connection: apsw.Connection, migrations: Sequence[Migration]) -> list[str]:
    """Where a database differs from what the migrations up to its version make."""
    version, listed = connection.pragma("user_version"), objects_in(connection)
    newest, digest_of_newest = known()
    if version == newest and listed in _whole:
        return []
    held = own(listed)
    if (version, digest(held)) == (newest, digest_of_newest):
        _whole.append(listed)
        return []
    return _differences(held, expected(tuple(m for m in migrations if m.version <= version)))


def _differences(held: Objects, ours: Objects) -> list[str]:
    """What is held that is not ours, and what of ours is lacking."""
    made = frozenset(ours)
    foreign = [
        f"holds {with_article(kind)} that Omoide did not make ({name!r} on {place!r})"
        for kind, name, place, body in held
        if (kind, name, place, body) not in made
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
    """All that a database consists of, in the order in which it was made."""
    return tuple(connection.execute(load_queries("sqlite")["objects.listed"]))


def own(listed: Iterable[tuple[str, str, str, str | None]]) -> Objects:
    """All of this by name, but what SQLite makes for itself."""
    return tuple(
        sorted((one for one in listed if not _is_made_by_sqlite(*one)), key=lambda one: one[:2])
    )


def _is_made_by_sqlite(kind: str, name: str, _: str, body: str | None) -> bool:
    return (kind == "index" and body is None) or (kind == "table" and name in _STATISTICS)


def digest(objects: Objects) -> str:
    """SHA-256 of what a database consists of."""
    # with their number, so that no text with the sign between them could stand for several
    told = "\0".join((str(len(objects)), *map(str, chain.from_iterable(objects))))
    return hashlib.sha256(told.encode()).hexdigest()


@cache
def expected(migrations: tuple[Migration, ...]) -> Objects:
    """All that these migrations make."""
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(load_queries("sqlite")["schema.create"])
        for migration in migrations:
            connection.execute(migration.sql)
        return own(objects_in(connection))
    finally:
        connection.close()
