"""Opens SQLite connections with the settings every one of them needs, and gives its errors our
names.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Literal, TypeAlias

import apsw

from omoide.nouns.errors import (
    Conflict,
    OmoideError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreRefused,
    WrongPassphrase,
)
from omoide.nouns.ids import check_path
from omoide.nouns.record.frozen import frozen_record

Durability: TypeAlias = Literal["full", "relaxed"]

APPLICATION_ID = 0x4F6D6F69  # "Omoi"
MEMORY = ":memory:"
REPAIR = (
    "save what is whole of it with omoide admin salvage, or take a backup with omoide admin restore"
)
WRITABLE = "make the file and its folder writable for this user, or name another file"
NOT_OURS = "name the file of a store; a new one is made where there is none"
_STATEMENTS = 512  # prepared statements kept by each connection; there are fewer named queries
_ANEW = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_TAKEN = frozenset(
    {apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID}
)


@frozen_record
class ConnectionSettings:
    """How the connections of one store are opened."""

    path: str
    passphrase: str | None = field(default=None, repr=False)
    durability: Durability = "full"
    busy_s: float = 30


def settings_of(
    source: Path | str, target: Path | str, passphrase: str | None
) -> tuple[ConnectionSettings, ConnectionSettings]:
    """Of a file that is read, and of the store that is made of it.

    Raises:
        InvalidInput: source or target cannot be a path.
    """
    read, made = check_path(source, "source"), check_path(target, "target")
    origin = ConnectionSettings(path=os.path.realpath(read), passphrase=passphrase)
    return origin, replace(origin, path=os.path.realpath(made))


class Connection(apsw.Connection):
    """A connection that reuses its cursors: apsw keeps 200 bytes of each closed one."""

    def __init__(self, path: str, flags: int = _ANEW) -> None:
        super().__init__(path, flags=flags, statementcachesize=_STATEMENTS)
        self._idle: list[apsw.Cursor] = []

    def lend(self) -> apsw.Cursor:
        """A cursor for one statement; ``give_back`` it."""
        return self._idle.pop() if self._idle else self.cursor()

    def give_back(self, cursor: apsw.Cursor, *, ran_out: bool) -> None:
        """Take a cursor back; one whose statement has not run to its end is closed, which ends
        it.
        """
        if ran_out:
            self._idle.append(cursor)
        else:
            cursor.close(True)

    def close(self, force: bool = False) -> None:
        """Close it with its cursors."""
        self._idle.clear()
        super().close(force)


def connect(settings: ConnectionSettings, *, writes: bool) -> Connection:
    """A connection to an existing file, or to a new database in memory.

    Raises:
        apsw.Error: it cannot be opened or read with this passphrase.
    """
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if settings.path == MEMORY else 0)
    connection = Connection(settings.path, flags)
    try:
        _configure(connection, settings, writes=writes)
    except BaseException:
        shut(connection)
        raise
    return connection


def shut(connection: apsw.Connection | None) -> None:
    """Close a connection, if there is one. What the disk says to that changes nothing: all that was
    committed is safe.
    """
    if connection is not None:
        with suppress(apsw.Error):
            connection.close()


@contextmanager
def connected(settings: ConnectionSettings, *, writes: bool = False) -> Iterator[Connection]:
    """A connection for the length of a block, with SQLite's errors turned into ours."""
    connection = None
    try:
        connection = connect(settings, writes=writes)
        yield connection
    except apsw.Error as error:
        raise typed(error, settings.path, connection.system_errno if connection else 0) from error
    finally:
        shut(connection)


@contextmanager
def named_disk_errors(path: str) -> Iterator[None]:
    """Turns what the operating system says of a file into our errors."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise StoreFull(f"{path}: no space left") from error
        if error.errno in _NOT_ALLOWED:
            raise StoreRefused(path, f"cannot be used ({error.strerror})", WRITABLE) from error
        raise StoreError(f"{path}: {error.strerror}") from error


def _configure(connection: apsw.Connection, settings: ConnectionSettings, *, writes: bool) -> None:
    """Set up a fresh connection. Only one that writes may ever copy the log into the file."""
    # where setting up fails, closing must not copy the log: it would with a wrong passphrase
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    if settings.passphrase is not None and settings.path != MEMORY:
        connection.pragma("key", settings.passphrase)
    connection.set_busy_timeout(int(settings.busy_s * 1000))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)  # a store has none
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    # a plan goes by no bound value; else each new value costs preparing the statement anew
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # the writer does it, under the lock that keeps other processes out
    connection.wal_autocheckpoint(0)
    connection.pragma("mmap_size", 0)
    connection.pragma("cell_size_check", 1)
    connection.pragma("secure_delete", 1)
    connection.pragma("cache_size", -16_384)  # KiB
    connection.pragma("synchronous", 2 if settings.durability == "full" else 1)
    if writes:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    else:
        connection.pragma("query_only", 1)


def typed(error: apsw.Error, path: str, system_errno: int = 0) -> OmoideError:
    """Our error for one of SQLite's."""
    text = str(error)
    match error:
        case apsw.FullError():
            return StoreFull(f"{path}: no space left; nothing of this transaction was stored")
        case apsw.IOError() if system_errno in _NO_SPACE:
            return StoreFull(f"{path}: no space left; nothing of this transaction was stored")
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy(f"{path}: locked by others for longer than the wait allows")
        case apsw.InterruptError():
            return StoreBusy(f"{path}: this took longer than one transaction may")
        case apsw.NotADBError():
            return WrongPassphrase(
                path,
                "cannot be read with this passphrase, or is not a store",
                "give the right passphrase",
            )
        case apsw.CorruptError():
            return StoreRefused(path, f"damaged ({text})", REPAIR)
        case apsw.ReadOnlyError():
            return StoreRefused(
                path,
                "cannot be written, and reading a store writes to it, too",
                WRITABLE,
            )
        case apsw.ConstraintError() if getattr(error, "extendedresult", 0) in _TAKEN:
            return Conflict(text)
    return StoreError(f"{path}: {text}")
