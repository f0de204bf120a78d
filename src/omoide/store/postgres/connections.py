"""Connections to Postgres: how one is made, how many there are, and what its errors mean to us."""

from __future__ import annotations

import logging
import os
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format, TransactionStatus
from psycopg.rows import DictRow, dict_row
from psycopg.types.numeric import NumericBinaryLoader

from omoide.nouns.errors import (
    Conflict,
    Deadlock,
    InvalidInput,
    OmoideError,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
    StoreRefused,
)

REPLANNED = 1_000  # rows written here after which statements are planned anew

# what it warns of is an error that we raise; where nobody has set up logging, warnings would go to
# standard error
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_IDLE_S = 300  # a connection unused for longer is made anew: firewalls forget it without a word
_DEFAULTS: dict[str, Any] = {  # unless the address says otherwise
    "application_name": "omoide",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
_BUSY = {
    "25P03": "the transaction was idle for too long",
    "25P04": "the transaction took too long",
    "53300": "the server has no connection left",
    "55P03": "locked by others for longer than the wait allows",
    "57014": "this took longer than one transaction may",
    "57P03": "the server is starting up or shutting down; try again",
}
_UNDONE = {
    "40001": "another writer changed the same rows; try again",
    "40P01": "two writers waited for each other; try again",
}
_LOST = frozenset({"57P01", "57P02", "57P05"})


class PostgresConnection(psycopg.Connection[DictRow]):
    """A connection that remembers how old its plans are."""

    planned_at = 0  # rows that the store had written when its statements were last planned


@dataclass(slots=True)
class Growth:
    """How many rows a store wrote in this process: so many that what was planned on small tables no
    longer suits them. The server notices by itself only when autovacuum has been there.
    """

    rows: int = 0

    def replan(self, connection: PostgresConnection) -> None:
        """Let a connection plan its statements anew once 1,000 rows were written since it did; a
        new plan goes by the size that each table has now.
        """
        if self.rows - connection.planned_at >= REPLANNED:
            connection.planned_at = self.rows
            connection.execute(b"DISCARD PLANS", prepare=False)


def typed(error: psycopg.Error, place: str) -> OmoideError:
    """Our error for one of Postgres'. Only its first line is quoted: details repeat whole rows."""
    state = error.sqlstate or ""
    said = error.diag.message_primary or type(error).__name__
    if is_outdated(error):
        return StoreBusy(f"{place}: the schema was changed under this connection; try again")
    if state in _UNDONE:
        return Deadlock(f"{place}: {_UNDONE[state]}")
    if state in _BUSY:
        return StoreBusy(f"{place}: {_BUSY[state]}")
    if state == "53100":
        return StoreFull(f"{place}: no space left; nothing of this transaction was stored")
    if state == "23505":
        return Conflict(said)
    if state in ("42501", "25006") or state.startswith("28"):
        return StoreRefused(
            place, said, "check the role, its rights and that the server accepts writes"
        )
    if (
        state in _LOST
        or state.startswith("08")
        or (not state and isinstance(error, psycopg.OperationalError))
    ):
        return StoreError(
            f"{place}: the connection was lost, or cannot be made; check the address, and that the"
            " server runs"
        )
    return StoreError(f"{place}: {said}")


def is_outdated(error: psycopg.Error) -> bool:
    """The connection has prepared statements from before a migration by another process."""
    return error.sqlstate == "0A000" and error.diag.source_function == "RevalidateCachedQuery"


def place_of(address: str) -> str:
    """Host, port and database of an address: what errors may show.

    Raises:
        InvalidInput: it is no address of a Postgres database, or a password in it holds a
            character that ends one, so that part of it would be shown as something else.
    """
    try:
        parts = conninfo_to_dict(address)
    except (psycopg.Error, UnicodeEncodeError):
        parts = None
    if parts is None or "\0" in address or _is_torn(parts):
        raise InvalidInput(
            "url",
            "not the address of a Postgres database, such as postgresql://user@host:5432/name;"
            " write @ : / ? # in a password as %40 %3A %2F %3F %23",
        )
    host, port = parts.get("host") or parts.get("hostaddr") or "localhost", parts.get("port")
    return (
        "postgres"
        f" {host}{f':{port}' if port else ''}/{parts.get('dbname') or parts.get('user') or ''}"
    )


def _is_torn(parts: dict[str, Any]) -> bool:
    """Whether a password that was not encoded ended too early, and goes on as host, port or
    name.
    """
    port = str(parts.get("port") or "").replace(",", "")
    others = (str(parts.get(name) or "") for name in ("host", "hostaddr", "dbname"))
    return not (port.isdigit() or port == "") or any("@" in other for other in others)


def connect(address: str, wait_s: float) -> PostgresConnection:
    """A new connection on which nothing is open, and which reads and writes vectors as float32."""
    given = conninfo_to_dict(address)
    defaults = {name: value for name, value in _DEFAULTS.items() if given.get(name) is None}
    if "connect_timeout" in defaults:
        defaults["connect_timeout"] = max(2, min(_DEFAULTS["connect_timeout"], int(wait_s)))
    connection = PostgresConnection.connect(
        address, autocommit=True, row_factory=dict_row, client_encoding="utf8", **defaults
    )
    connection.adapters.register_loader("numeric", _WholeLoader)
    return connection


def teach_vectors(connection: PostgresConnection, oid: int) -> None:
    """Bind float32 arrays as vectors, and give vectors as the bytes of float32 numbers."""
    connection.adapters.register_dumper(
        np.ndarray, type("_VectorDumper", (_ArrayDumper,), {"oid": oid})
    )
    connection.adapters.register_loader(oid, _VectorLoader)


class _ArrayDumper(Dumper):
    """Two bytes of dimension, two of nothing, and the numbers, highest byte first."""

    format = Format.BINARY

    def dump(self, obj: NDArray[np.float32]) -> bytes:
        return len(obj).to_bytes(2) + b"\0\0" + obj.astype(">f4").tobytes()


class _VectorLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> bytes:
        return np.frombuffer(data, ">f4", offset=4).astype("<f4").tobytes()


class _WholeLoader(NumericBinaryLoader):
    """Sums of whole numbers come as decimals; here they are whole numbers again."""

    def load(self, data: Buffer) -> Any:
        value = super().load(data)
        return int(value) if value == value.to_integral_value() else float(value)


@dataclass(frozen=True, slots=True)
class _Idle:
    connection: PostgresConnection
    since: float


class Connections:
    """At most ``size`` connections, made when one is needed, the last used taken first. Safe to use
    from any thread.

    After a fork the child makes its own: those of its parent are left alone.
    """

    def __init__(self, address: str, size: int, wait_s: float) -> None:
        self._address, self._size, self._wait_s = address, size, wait_s
        self.place = place_of(address)
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._process, self._lock = os.getpid(), threading.Lock()
        self._free, self._idle = threading.Semaphore(self._size), list[_Idle]()

    def take(self) -> tuple[PostgresConnection, bool]:
        """A connection with nothing open on it, and whether it is new; ``put`` it back.

        Raises:
            StoreBusy: all are in use for longer than the wait allows.
            StoreClosed, StoreError: the store was closed; no connection can be made.
        """
        if os.getpid() != self._process:
            self._start()
        if self._closed:
            raise StoreClosed(f"{self.place}: this store was closed")
        if not self._free.acquire(timeout=self._wait_s):
            raise StoreBusy(f"{self.place}: all {self._size} connections are in use")
        try:
            used = self._pop()
            return (used, False) if used else (connect(self._address, self._wait_s), True)
        except psycopg.Error as error:
            self._free.release()
            raise typed(error, self.place) from None
        except BaseException:
            self._free.release()
            raise

    def put(self, connection: PostgresConnection) -> None:
        """Take a connection back; one that is broken or on which something is open is closed."""
        is_clean = (
            not connection.closed and connection.info.transaction_status == TransactionStatus.IDLE
        )
        with self._lock:
            if is_clean and not self._closed:
                self._idle.append(_Idle(connection, time.monotonic()))
            else:
                connection.close()
        self._free.release()

    def close(self) -> None:
        """Close all; those in use as they come back."""
        self._closed = True
        self.renew()

    def renew(self) -> None:
        """Close those that nobody uses; new ones are made when needed."""
        with self._lock:
            while self._idle:
                self._idle.pop().connection.close()

    def _pop(self) -> PostgresConnection | None:
        oldest = time.monotonic() - _IDLE_S
        with self._lock:
            while self._idle:
                idle = self._idle.pop()
                if idle.since >= oldest:
                    return idle.connection
                idle.connection.close()
        return None
