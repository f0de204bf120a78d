"""Makes the file of a new SQLite store, and opens what a process needs of an existing one."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache

import apsw

from omoide.nouns.clock import SystemClock, to_micros
from omoide.nouns.errors import StoreBusy, StoreError, StoreRefused
from omoide.store.migrate import Migration, check_applied, migrate
from omoide.store.queries import load_queries
from omoide.store.sqlite.backup import back_up
from omoide.store.sqlite.connections import (
    APPLICATION_ID,
    MEMORY,
    REPAIR,
    Connection,
    ConnectionSettings,
    connect,
    named_disk_errors,
    shut,
    typed,
)
from omoide.store.sqlite.files import (
    BACKUP,
    BALLAST,
    LOCK,
    LOG,
    NEW,
    PRESENCE,
    holds_something,
    make_empty,
    put_in_place,
)
from omoide.store.sqlite.guard import (
    Ballast,
    Presence,
    WriterLock,
    check_identity,
    writer_lock,
)
from omoide.store.sqlite.pages import PAGE_BYTES
from omoide.store.sqlite.readers import Readers
from omoide.store.sqlite.schema import check_schema
from omoide.store.sqlite.transaction import SqliteTransaction
from omoide.store.sqlite.writer import GroupWriter, NoLock, WriteAheadLog


@dataclass(frozen=True, slots=True)
class Opened:
    """What a process holds open of a store. Without readers, only the writer connects."""

    writer: GroupWriter
    readers: Readers | None = None
    presence: Presence | None = None
    ballast: Ballast | None = None
    log: WriteAheadLog | None = None

    def shut(self, wait_s: float) -> None:
        """Close everything, once the transactions that run now have ended.

        Raises:
            StoreBusy: one took longer than wait_s.
        """
        try:
            if self.readers is not None:
                self.readers.close(wait_s)
            self.writer.close(wait_s)
        except StoreBusy:
            if self.readers is not None:
                self.readers.reopen()
            raise
        if self.presence is not None:
            self.presence.close()

    def disown(self) -> None:
        """In a forked child: never touch what belongs to the parent, not even by closing it."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))  # for ever: collecting it would close it
        self.writer.disown()
        if self.presence is not None:
            self.presence.disown()


def make(settings: ConnectionSettings, migrations: Sequence[Migration]) -> None:
    """Make the file of a new store, unless another process has just done so.

    It is built under another name and put in place when it is whole, so that no crash leaves half a
    store.

    Raises:
        StoreRefused: there was a store here, of which the log is left.
        StoreBusy, StoreError: another process takes too long, or the file cannot be made.
    """
    with named_disk_errors(settings.path):
        os.makedirs(os.path.dirname(settings.path), mode=0o700, exist_ok=True)
        with writer_lock(settings):
            if not os.path.exists(settings.path):
                if holds_something(settings.path + LOG):
                    raise StoreRefused(
                        settings.path,
                        "is gone, but its log is still here",
                        "put it back, or move the log away",
                    )
                _build(settings, migrations)
                put_in_place(settings.path + NEW, settings.path)


def _build(settings: ConnectionSettings, migrations: Sequence[Migration]) -> None:
    path = settings.path + NEW
    make_empty(path)
    building = replace(settings, path=path)
    try:
        connection = connect(building, writes=True)
        try:
            connection.pragma("page_size", PAGE_BYTES)
            connection.pragma("journal_mode", "memory")
            connection.pragma("synchronous", 0)  # nothing to lose yet; it is synced once, below
            if settings.passphrase is None:
                furnish(connection, path, tuple(migrations))
            else:  # pages of its own layout, which no copy of others gives
                connection.pragma("application_id", APPLICATION_ID)
                _migrate(connection, path, migrations)
            connection.pragma("journal_mode", "wal")
        finally:
            shut(connection)
    except apsw.Error as error:
        raise typed(error, path) from error


def furnish(connection: Connection, path: str, migrations: tuple[Migration, ...]) -> None:
    """Give an empty database its mark and its tables, copied from those made before: running all
    migrations takes twenty times as long.
    """
    source = apsw.Connection(MEMORY)
    try:
        source.deserialize("main", _empty_store(migrations))
        with connection.backup("main", source, "main") as copying:
            copying.step()
    finally:
        source.close()
    now = to_micros(SystemClock().now())
    SqliteTransaction(connection, path, None).run("schema.stamp", applied_at=now)


@cache
def _empty_store(migrations: tuple[Migration, ...]) -> bytes:
    """The pages of a store that holds nothing yet."""
    connection = connect(ConnectionSettings(path=MEMORY), writes=True)
    try:
        connection.pragma("page_size", PAGE_BYTES)
        connection.pragma("application_id", APPLICATION_ID)
        _migrate(connection, MEMORY, migrations)
        return bytes(connection.serialize("main"))
    finally:
        shut(connection)


def _migrate(connection: Connection, path: str, migrations: Sequence[Migration]) -> None:
    @contextmanager
    def transaction() -> Iterator[SqliteTransaction]:
        with connection:
            yield SqliteTransaction(connection, path, None)

    migrate(transaction, migrations, at=to_micros(SystemClock().now()), place=path)


def open_memory(settings: ConnectionSettings, migrations: Sequence[Migration]) -> Opened:
    """A private store in memory."""
    connection = connect(settings, writes=True)
    furnish(connection, MEMORY, tuple(migrations))
    return Opened(GroupWriter(connection, NoLock(), MEMORY, settings.busy_s))


def open_file(
    settings: ConnectionSettings, migrations: Sequence[Migration], read_s: float
) -> Opened:
    """Open an existing store, after a look at it if it was not closed properly, and bring it up to
    date.

    Raises:
        StoreRefused, NewerStore, WrongPassphrase: it is not ours to open, or damaged; no byte of it
            was changed.
        StoreBusy, StoreError: another process takes too long, or the file cannot be opened.
    """
    with named_disk_errors(settings.path), writer_lock(settings):
        presence = Presence(settings.path + PRESENCE)
        try:
            unclean = presence.enter() and holds_something(settings.path + LOG)
            connection = _connect_checked(settings, migrations, unclean=unclean)
        except BaseException:
            presence.close()
            raise
    writer = GroupWriter(
        connection, WriterLock(settings.path + LOCK), settings.path, settings.busy_s
    )
    ballast = Ballast(settings.path + BALLAST)
    # what nobody could copy may hold what was deleted
    log = WriteAheadLog(connection, ballast, int(settings.busy_s * 1000), must_cut=unclean)
    writer.after_commit = log.tend
    readers = Readers(lambda: connect(settings, writes=False), read_s)
    return Opened(writer, readers, presence, ballast, log)


def _update(
    connection: Connection, settings: ConnectionSettings, migrations: Sequence[Migration]
) -> None:
    """Run what migrations are missing, after a proven copy of the store as it is."""
    applied = dict(connection.execute(load_queries("sqlite")["schema.applied"]))
    check_applied(applied, migrations, settings.path)
    if len(applied) < len(migrations):
        back_up(settings, f"{settings.path}{BACKUP}{max(applied, default=0)}")
        _migrate(connection, settings.path, migrations)


def _check_ours(connection: Connection, path: str, migrations: Sequence[Migration]) -> None:
    identity, version = connection.pragma("application_id"), connection.pragma("user_version")
    check_identity(path, identity, version, migrations[-1].version)
    check_schema(connection, path, migrations)


def _keep_log(connection: Connection, path: str) -> None:
    if connection.pragma("journal_mode", "wal") != "wal":
        raise StoreError(
            f"{path}: this filesystem lacks the shared memory that a store needs; use a local disk"
        )


def _connect_checked(
    settings: ConnectionSettings, migrations: Sequence[Migration], *, unclean: bool
) -> Connection:
    connection = None
    try:
        connection = connect(settings, writes=True)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # until we know it is ours
        _check_ours(connection, settings.path, migrations)
        if unclean and (damage := connection.pragma("quick_check", 1)) != "ok":
            raise StoreRefused(settings.path, f"damaged ({damage})", REPAIR)
        _keep_log(connection, settings.path)
        _update(connection, settings, migrations)
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        return connection
    except apsw.SQLError as error:  # a header or schema that SQLite cannot make sense of
        shut(connection)
        raise StoreRefused(settings.path, f"damaged ({error})", REPAIR) from error
    except apsw.Error as error:
        shut(connection)
        raise typed(error, settings.path, connection.system_errno if connection else 0) from error
    except BaseException:
        shut(connection)
        raise
