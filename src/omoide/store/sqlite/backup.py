"""Copies of a SQLite store, each proven before it gets its name: online backup, restore, another
passphrase.
"""

from __future__ import annotations

import os
from dataclasses import replace as with_fields
from pathlib import Path

import apsw

from omoide.nouns.errors import Conflict, StoreError, StoreRefused
from omoide.nouns.record.lines import counted
from omoide.store.migrate import load_migrations
from omoide.store.queries import load_queries, own_queries
from omoide.store.sqlite.connections import (
    REPAIR,
    ConnectionSettings,
    connected,
    named_disk_errors,
    settings_of,
)
from omoide.store.sqlite.files import (
    LOG,
    NEW,
    OLD,
    holds_something,
    make_empty,
    put_in_place,
)
from omoide.store.sqlite.guard import check_file, check_identity, exists, sole_use
from omoide.store.sqlite.schema import check_schema, unlike

_STEP_PAGES = 4_096
_CHECKS = {
    "check.vectors_alone": ("vector", "without a document"),
    "check.docs_alone": ("document", "without an item or turn"),
    "check.docs_unseen": ("document", "stamped beyond the counter of its partition"),
    "check.vectors_unseen": ("vector", "stamped beyond the counter of its partition"),
}


def back_up(source: ConnectionSettings, target: str) -> list[str]:
    """Copy one moment of a store while others use it, check the copy, and give it its name.

    Gives what is wrong with the store's rows, and so with the copy's: nothing, unless the search
    index differs from what it indexes. A backup of such a store is still worth having.

    Raises:
        StoreRefused: the copy is damaged, so the store is; there is no new file then.
        StoreFull, StoreError: the copy cannot be written.
    """
    with named_disk_errors(target):
        problems = _copy(source, with_fields(source, path=target + NEW))
        put_in_place(target + NEW, target)
    return problems


def restore(
    source: Path | str, target: Path | str, *, passphrase: str | None = None, replace: bool = False
) -> Path | None:
    """Make a store from a backup, checked before and after. With replace, an old store stays beside
    it under another name, which is returned.

    Raises:
        InvalidInput: source or target cannot be a path.
        Conflict: there is something at target, and replace was not said.
        StoreRefused, NewerStore, WrongPassphrase: the backup is not one, or damaged.
        StoreBusy: the store at target is open somewhere.
    """
    origin, place = settings_of(source, target, passphrase)
    if not exists(origin.path):
        raise StoreRefused(origin.path, "does not exist", "name a backup file")
    check_file(origin.path, passphrase, load_migrations("sqlite")[-1].version)
    _check_free(place.path, replace=replace)
    with named_disk_errors(place.path):
        os.makedirs(os.path.dirname(place.path), mode=0o700, exist_ok=True)
    with named_disk_errors(place.path), sole_use(place):
        _copy(origin, with_fields(place, path=place.path + NEW))
        aside = _set_aside(place.path)
        put_in_place(place.path + NEW, place.path)
    return aside


def _check_free(path: str, *, replace: bool) -> None:
    if exists(path) and not (replace and os.path.isfile(path)):
        raise Conflict(
            f"{path} exists; a backup never overwrites a store unasked, and nothing else at all"
        )


def change_passphrase(settings: ConnectionSettings, passphrase: str | None) -> None:
    """Encrypt a store that is open nowhere with another passphrase, or with None not at all.

    A whole new file replaces the old one in one step, so a crash leaves either.

    Raises:
        StoreBusy: it is open somewhere.
        StoreRefused, StoreFull, StoreError: as back_up; the store is as before.
    """
    with named_disk_errors(settings.path), sole_use(settings):
        part = with_fields(settings, path=settings.path + NEW)
        with connected(settings, writes=True) as connection:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        if holds_something(settings.path + LOG):  # it would be taken for the new file's
            raise StoreError(f"{settings.path}: its log cannot be emptied, so its passphrase stays")
        _copy(settings, part)
        with connected(part, writes=True) as connection:
            connection.pragma("rekey", passphrase or "")
        _check(with_fields(part, passphrase=passphrase))
        put_in_place(part.path, settings.path)


def problems_in(connection: apsw.Connection) -> list[str]:
    """What is wrong with a database: objects that are not ours, damaged pages, or else an index
    that differs from its rows.
    """
    foreign = unlike(connection, load_migrations("sqlite"))
    return foreign + (damage_in(connection) or differences_in(connection))


def damage_in(connection: apsw.Connection) -> list[str]:
    """Pages, indexes and links that are not as they must be."""
    try:
        found = [
            str(line) for (line,) in connection.execute("PRAGMA integrity_check") if line != "ok"
        ]
        return found + [
            f"{table}: row {row} refers to nothing"
            for table, row, *_ in connection.execute("PRAGMA foreign_key_check")
        ]
    except apsw.CorruptError as error:  # so bad that the check itself stumbles
        return [str(error)]


def differences_in(connection: apsw.Connection) -> list[str]:
    """Where the search index differs from the rows it was made from."""
    queries = load_queries("sqlite")
    counts = {told: connection.execute(queries[name]).get for name, told in _CHECKS.items()}
    return [f"{counted(count, thing)} {what}" for (thing, what), count in counts.items() if count]


def _copy(source: ConnectionSettings, target: ConnectionSettings) -> list[str]:
    """Make a checked copy, in place of any file of that name; none if it fails. Gives and raises as
    back_up.
    """
    make_empty(target.path)
    try:
        with connected(source) as origin, connected(target, writes=True) as copy:
            # one moment, or each commit of others would start the copy anew
            origin.execute("BEGIN")
            counts = _count_rows(origin)
            # an encrypted copy cannot take on another by itself
            copy.pragma("page_size", origin.pragma("page_size"))
            pages = copy.backup("main", origin, "main")
            try:
                while not pages.done:
                    pages.step(_STEP_PAGES)
            finally:
                pages.close(True)  # what went wrong was raised by step
            copy.pragma("journal_mode", "delete")  # a single file, which reading leaves as it is
        return _check(target, counts)
    except BaseException:
        os.unlink(target.path)
        raise


def _check(settings: ConnectionSettings, counts: dict[str, int] | None = None) -> list[str]:
    """Refuse a damaged copy, and one that holds other counts of rows; what differs within a sound
    one.
    """
    with connected(settings) as connection:
        migrations = load_migrations("sqlite")
        newest, version = migrations[-1].version, connection.pragma("user_version")
        check_identity(settings.path, connection.pragma("application_id"), version, newest)
        check_schema(connection, settings.path, migrations)
        if damage := damage_in(connection):
            raise StoreRefused(settings.path, f"this copy is damaged ({damage[0]})", REPAIR)
        if counts is not None and counts != _count_rows(connection):
            raise StoreRefused(
                settings.path, "this copy does not hold the rows of its source", REPAIR
            )
        return differences_in(connection) if version == newest else []


def _count_rows(connection: apsw.Connection) -> dict[str, int]:
    return {
        name: count for name, count in connection.execute(own_queries("sqlite")["tables.count"])
    }


def _set_aside(path: str) -> Path | None:
    """Move a store out of the way, with a log that belongs to it; the file it is now, if any."""
    number = 1
    while os.path.exists(f"{path}{OLD}{number}"):
        number += 1
    for end in ("", LOG):
        if os.path.exists(path + end):
            os.rename(path + end, f"{path}{OLD}{number}{end}")
    old = Path(f"{path}{OLD}{number}")
    return old if old.exists() else None
