"""Runs the numbered files of ``migrations/``, on either engine, each in a transaction with its
record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Protocol

from omoide.nouns.errors import NewerStore, StoreRefused
from omoide.store.base import Transaction


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of its text."""
        return _sha256(self.sql)


class MigrationTransaction(Transaction, Protocol):
    """A write transaction that can also change the schema. One process at a time may be in one."""

    def apply(self, migration: Migration) -> None:
        """Run the statements of a migration, and note its version where the engine keeps one
        itself.
        """
        ...


@cache  # every opening of a store asks for those of all migrations
def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def load_migrations(engine: str) -> tuple[Migration, ...]:
    """All migrations of ``sqlite`` or ``postgres``, by number."""
    found = []
    for file in resources.files("omoide.store").joinpath("migrations").iterdir():
        stem, _, rest = file.name.partition(".")
        if rest == f"{engine}.sql":
            number, _, name = stem.partition("_")
            found.append(Migration(int(number), name, file.read_text("utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.version))


def migrate(
    transaction: Callable[[], AbstractContextManager[MigrationTransaction]],
    migrations: Sequence[Migration],
    *,
    at: int,
    place: str,
) -> list[Migration]:
    """Bring a database up to the newest of these migrations; those that were run now, in order.

    Each runs in a transaction of its own together with its record, so a stop in between leaves the
    schema before or after it. ``at``: UTC microseconds; ``place`` names the database in errors.

    Raises:
        NewerStore: the database has a migration that this version does not know.
        StoreRefused: a migration that was run has another text than the one of its number here.
    """
    done = []
    for migration in migrations:
        with transaction() as tx:
            tx.run("schema.create")
            applied = {row["version"]: row["checksum"] for row in tx.rows("schema.applied")}
            check_applied(applied, migrations, place)
            if migration.version not in applied:
                tx.apply(migration)
                tx.run(
                    "schema.record",
                    version=migration.version,
                    name=migration.name,
                    checksum=migration.checksum,
                    applied_at=at,
                )
                done.append(migration)
    return done


def check_applied(applied: dict[int, str], migrations: Sequence[Migration], place: str) -> None:
    """Refuse a database whose history is not ours.

    Raises:
        NewerStore, StoreRefused: as migrate.
    """
    known = {migration.version: migration for migration in migrations}
    for version, checksum in sorted(applied.items()):
        if version not in known:
            raise NewerStore(
                place,
                f"has schema version {version}, this Omoide knows up to {max(known)}",
                "install a newer Omoide",
            )
        if known[version].checksum != checksum:
            raise StoreRefused(
                place,
                f"its migration {version} is not the one of this release",
                "install the Omoide that made it",
            )
