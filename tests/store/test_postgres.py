"""The Postgres engine on real servers."""

from __future__ import annotations

import logging
import os
import random
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg import sql

from omoide.memory import Memory
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import (
    Conflict,
    Deadlock,
    InvalidInput,
    NewerStore,
    OmoideError,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
    StoreRefused,
    UnknownName,
)
from omoide.nouns.match import Match, Where
from omoide.nouns.scope import Scope
from omoide.nouns.session import Participant, Session
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.store.base import FOREVER, Store, Transaction
from omoide.store.postgres.connections import REPLANNED, typed
from omoide.store.postgres.engine import PostgresStore, check_server
from omoide.store.postgres.transaction import (
    PostgresTransaction,
    load_statements,
    with_placeholders,
)
from omoide.store.sqlite.engine import SqliteStore
from omoide.tables.documents import Documents
from omoide.tables.sessions import Sessions
from omoide.text.words import QueryTerm
from tests.fix_memory import session_of
from tests.fix_postgres import OwnServer
from tests.torture.kit import TENANT, USER, forget_turn, log_turn

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
MINE = Where(scope=Scope(tenant=TENANT, user=USER), as_of=NOW, known_at=NOW, now=NOW)


def turns_of(store: Store, session: str = "s") -> list[int]:
    with store.transaction(tenant=None, write=False) as tx:
        return [
            row["position"]
            for row in tx.rows("turns.all_of_session", tenant=TENANT, session_id=session)
        ]


def do(store: Store, *steps: Callable[[Transaction], object], write: bool = True) -> None:
    """Some steps in one transaction."""
    with store.transaction(tenant=None, write=write) as tx:
        for step in steps:
            step(tx)


def log(number: int, **more: str) -> Callable[[Transaction], object]:
    """Writing one turn."""
    return lambda tx: log_turn(tx, number, **more)


def log_twice_and_go_on(tx: Transaction) -> None:
    """Writing what is there already, and passing over the error."""
    log_turn(tx, 1)
    with pytest.raises(Conflict):
        log_turn(tx, 1)


def fail(tx: Transaction) -> None:
    raise ZeroDivisionError


def set_meta(store: Store, key: str, value: str = "1") -> None:
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", key=key, value=value)


def get_meta(store: Store, key: str) -> str | None:
    with store.transaction(tenant=None, write=False) as tx:
        return next((row["value"] for row in tx.rows("meta.get", key=key)), None)


def find(tx: Transaction, *words: str) -> Sequence[Match]:
    return tx.match_text([QueryTerm(word, 1.0) for word in words], MINE, 50)


def unit(*values: float) -> Vector:
    vector = np.array(values, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def administer(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Something done to the database from outside."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def cut_connections(url: str) -> None:
    """End every session of a store, as a failover would."""
    administer(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'omoide'",
    )


def test_what_was_committed_is_there_and_what_failed_is_not(each_postgres_url: str) -> None:
    """On every server: a block is stored whole, or when it raises not at all, and a second store
    sees the same.
    """
    store = open_store(each_postgres_url)
    with store.transaction(tenant=None) as tx:
        log_turn(tx, 1, text="tea 茶 ' \" :x %s \\")
    with pytest.raises(ZeroDivisionError):
        do(store, log(2), fail)
    store.close()

    again = open_store(each_postgres_url)
    assert turns_of(again) == [1]
    with again.transaction(tenant=None, write=False) as tx:
        assert [match.ref for match in find(tx, "tea")] == ["s#1"]
    again.close()


def test_every_query_is_understood_by_the_server(each_postgres_url: str) -> None:
    """Each named query is parsed and analysed by the server, with the tables it names."""
    faults = []
    with psycopg.connect(
        each_postgres_url, autocommit=True, options="-c search_path=omoide,public"
    ) as connection:
        for name, statement in load_statements().items():
            found: dict[str, int] = {}
            if "{table}" in statement.decode():
                continue  # the store puts in a table's name; compacting is tested by itself
            text = (
                sql.SQL(statement.decode())
                .format(schema=sql.Identifier("omoide"))
                .as_string(connection)
                if "{schema}" in statement.decode()
                else statement.decode()
            )
            for parameter in {part.split(")s")[0] for part in text.split("%(")[1:]}:
                text = text.replace(
                    f"%({parameter})s", f"${found.setdefault(parameter, len(found) + 1)}"
                )
            result = connection.pgconn.prepare(b"", text.replace("%%", "%").encode())
            if result.status != psycopg.pq.ExecStatus.COMMAND_OK:
                faults.append(f"{name}: {result.error_message.decode()}")

    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT :a, :b_2 WHERE c = :a", "SELECT %(a)s, %(b_2)s WHERE c = %(a)s"),
        ("SELECT ':a', 'it''s :a' -- :a", "SELECT ':a', 'it''s :a' -- :a"),
        ("SELECT a::text, '50%', b % :c", "SELECT a::text, '50%%', b %% %(c)s"),
    ],
)
def test_only_parameters_become_placeholders(statement: str, expected: str) -> None:
    """Literals, comments, casts and percent signs are left to mean what they meant."""
    assert with_placeholders(statement) == expected


def test_changed_rows_are_counted(postgres_store: PostgresStore) -> None:
    """run gives the rows changed: of one statement, of many, and none."""
    with postgres_store.transaction(tenant=None) as tx:
        assert tx.run("meta.set", key="a", value="1") == 1
        assert tx.run("meta.set", many=[{"key": str(n), "value": ""} for n in range(5)]) == 5
        assert tx.run("meta.set", many=[]) == 0
        log_turn(tx, 1)
        assert (forget_turn(tx, 1), forget_turn(tx, 1)) == (1, 0)


def test_plans_are_made_anew_as_a_store_grows(postgres_store: PostgresStore) -> None:
    """A statement planned on an empty table is planned again after a thousand rows were written,
    within the transaction that wrote them and in the next one that only reads.
    """
    with postgres_store.transaction(tenant=None) as tx:
        for n in range(20):
            tx.run("meta.set", key=str(n), value="1")
        tx.run("meta.set", many=[{"key": f"k{n}", "value": "1"} for n in range(REPLANNED)])
        assert (connection := tx._connection).planned_at >= REPLANNED
    postgres_store._growth.rows += REPLANNED
    with postgres_store.transaction(tenant=None, write=False):
        assert connection.planned_at == postgres_store._growth.rows


def test_sums_are_whole_numbers(postgres_store: PostgresStore) -> None:
    """What adds up whole numbers gives one, as SQLite does; nothing comes as a decimal."""
    with postgres_store.transaction(tenant=None, write=False) as tx:
        (row,) = tx.rows(
            "items.stats", tenant=TENANT, user=USER, agent="", session="", now=0, soon=1
        )

    assert {name: type(value) for name, value in row.items() if value is not None} == {
        "total": int,
        "retrievals": int,
        "sensitive": int,
        "confidence": float,
        "upcoming": int,
        "overdue": int,
        "unconfirmed": int,
    }


def test_a_vector_comes_back_as_its_bytes(postgres_store: PostgresStore) -> None:
    """A float32 array is stored to the last bit, and read as the bytes that SQLite gives too."""
    vector = np.array([1.1, -0.3, 1e-30, 3e38], np.float32)
    with postgres_store.transaction(tenant=None) as tx:
        tx.run("vectors.add", tenant=TENANT, user=USER, model=1, seq=1, doc=1, vector=vector)
        (found,) = tx.rows(
            "vectors.changed", tenant=TENANT, user=USER, model=1, since=0, until=1, before=2, most=9
        )

    assert found == {"doc": 1, "vector": vector.astype("<f4").tobytes(), "seq": 1}


def test_a_second_transaction_in_one_thread_is_refused(postgres_store: PostgresStore) -> None:
    """It would wait for the first for ever; other threads may have theirs."""
    with postgres_store.transaction(tenant=None):
        with (
            pytest.raises(StoreError, match="already in a transaction"),
            postgres_store.transaction(tenant=None, write=False),
        ):
            pass
        with ThreadPoolExecutor(1) as other:
            other.submit(set_meta, postgres_store, "a").result()

    assert get_meta(postgres_store, "a") == "1"


def test_nothing_runs_after_its_block(postgres_store: PostgresStore) -> None:
    """A transaction that has ended does not write into the next one."""
    with postgres_store.transaction(tenant=None) as tx:
        pass

    with pytest.raises(StoreError, match="its block has ended"):
        tx.run("meta.set", key="a", value="1")


def test_a_read_transaction_writes_nothing(postgres_store: PostgresStore) -> None:
    """Writing in one is refused by the server."""
    with (
        pytest.raises(StoreRefused, match="read-only"),
        postgres_store.transaction(tenant=None, write=False) as tx,
    ):
        tx.run("meta.set", key="a", value="1")


def test_an_unknown_query_is_named(postgres_store: PostgresStore) -> None:
    """A query nobody wrote is an error that names it."""
    with (
        pytest.raises(UnknownName, match=r"no\.such"),
        postgres_store.transaction(tenant=None) as tx,
    ):
        tx.run("no.such")


def test_a_read_sees_one_moment(postgres_store: PostgresStore) -> None:
    """What others commit meanwhile is not seen, neither in rows nor in searches."""
    set_meta(postgres_store, "a", "old")
    with ThreadPoolExecutor(1) as other, postgres_store.transaction(tenant=None, write=False) as tx:
        before = tx.rows("meta.get", key="a")
        other.submit(set_meta, postgres_store, "a", "new").result()

        assert tx.rows("meta.get", key="a") == before == [{"value": "old"}]
    assert get_meta(postgres_store, "a") == "new"


def test_another_process_finds_what_was_just_written(postgres_url: str) -> None:
    """Two stores on one database, each with its own copy in memory, follow each other."""
    one, other = PostgresStore.open(postgres_url), PostgresStore.open(postgres_url)
    for number in range(1, 6):
        writer, reader = (one, other) if number % 2 else (other, one)
        with writer.transaction(tenant=None) as tx:
            log_turn(tx, number)
        with reader.transaction(tenant=None, write=False) as tx:
            assert len(find(tx, "turn")) == number
    with one.transaction(tenant=None) as tx:
        forget_turn(tx, 3)
    with other.transaction(tenant=None, write=False) as tx:
        assert sorted(match.ref for match in find(tx, "turn")) == ["s#1", "s#2", "s#4", "s#5"]
    one.close()
    other.close()


def test_schemas_of_one_database_are_stores_apart(postgres_url: str) -> None:
    """A store in another schema shares nothing with the first; both are made on opening."""
    one, other = (
        PostgresStore.open(postgres_url),
        PostgresStore.open(postgres_url, schema='my "second"'),
    )
    set_meta(one, "a", "one")
    with other.transaction(tenant=None) as tx:
        log_turn(tx, 1)

    assert get_meta(other, "a") is None
    assert (turns_of(one), turns_of(other)) == ([], [1])
    one.close()
    other.close()


def test_writers_of_one_partition_wait_and_give_up_in_time(postgres_store: PostgresStore) -> None:
    """A second writer of a partition waits, then is told that it is busy; one of another partition
    goes ahead.
    """
    with ThreadPoolExecutor(2) as others:
        with postgres_store.transaction(tenant=None) as tx:
            log_turn(tx, 1)

            def write(user: str) -> None:
                do(postgres_store, log(2, session=f"of {user}", user=user))

            others.submit(write, "bob").result()
            started = time.monotonic()
            with pytest.raises(StoreBusy, match="longer than the wait"):
                others.submit(write, USER).result()
            assert 1.5 < time.monotonic() - started < 10
        others.submit(write, USER).result()

    assert turns_of(postgres_store, "of bob") == turns_of(postgres_store, f"of {USER}") == [2]


def test_counters_of_one_partition_commit_in_order(postgres_store: PostgresStore) -> None:
    """Many writers at once leave a counter without gaps, and a reader that follows them misses
    nothing.
    """

    def write(worker: int) -> None:
        for number in range(15):
            with postgres_store.transaction(tenant=None) as tx:
                log_turn(tx, number, session=f"s{worker}", text="tea")

    with ThreadPoolExecutor(3) as writers:
        running = [writers.submit(write, worker) for worker in range(3)]
        seen = 0
        while not all(task.done() for task in running):
            with postgres_store.transaction(tenant=None, write=False) as tx:
                found = len(tx.match_text([QueryTerm("tea", 1.0)], MINE, 1000))
                assert (
                    found
                    == tx.rows("docs.count", tenant=TENANT, user=USER, agent="", session="")[0][
                        "total"
                    ]
                    >= seen
                )
                seen = found
        for task in running:
            task.result()

    with postgres_store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("partitions.seq", tenant=TENANT, user=USER) == [{"seq": 45}]
        assert len(tx.match_text([QueryTerm("tea", 1.0)], MINE, 1000)) == 45


def test_writers_in_a_circle_are_told_to_try_again(postgres_url: str) -> None:
    """Of two that wait for each other one is busy and changes nothing, the other commits."""
    store, met = PostgresStore.open(postgres_url, busy_s=20), threading.Barrier(2)

    def write(first: str, second: str) -> str:
        session = f"{first} before {second}"
        try:
            do(
                store,
                log(1, session=session, user=first),
                lambda _: met.wait(10),
                log(2, session=session, user=second),
            )
        except StoreBusy as busy:
            return str(busy)
        return ""

    with ThreadPoolExecutor(2) as both:
        errors = list(both.map(write, ["a", "b"], ["b", "a"]))

    assert sorted(map(bool, errors)) == [False, True]
    assert "try again" in "".join(errors)
    assert [len(turns_of(store, "a before b")), len(turns_of(store, "b before a"))] == [
        0 if error else 2 for error in errors
    ]
    store.close()


def test_a_failed_statement_ends_the_transaction_loudly(postgres_store: PostgresStore) -> None:
    """Whoever swallows an error of a statement and goes on is told that nothing was stored."""
    with pytest.raises(StoreError, match="this transaction is over"):
        do(postgres_store, log_twice_and_go_on, lambda tx: tx.rows("meta.get", key="a"))
    with pytest.raises(StoreError, match="this transaction is over"):
        do(postgres_store, log_twice_and_go_on)

    assert turns_of(postgres_store) == []


def test_errors_do_not_repeat_what_rows_hold(postgres_store: PostgresStore) -> None:
    """Neither the message nor the traceback of a failed statement quotes the user's text."""
    text = " ".join(["my", "secret", "diary"])
    with pytest.raises(Conflict) as caught:
        do(postgres_store, log(1), log(1, text=text))

    assert text not in "".join(traceback.format_exception(caught.value))


def test_more_threads_than_connections_take_turns(postgres_url: str) -> None:
    """Thirty transactions at once over two connections all succeed, and no more connections are
    made.
    """
    store = PostgresStore.open(postgres_url, pool_size=2)
    with ThreadPoolExecutor(15) as many:
        list(many.map(lambda n: set_meta(store, f"k{n}"), range(30)))
    sessions = administer(
        postgres_url,
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'omoide' AND datname ="
        " current_database()",
    )

    assert sessions[0][0] <= 2
    assert all(get_meta(store, f"k{n}") == "1" for n in range(30))
    store.close()


def test_no_free_connection_is_busy_in_time(postgres_url: str) -> None:
    """When all connections are in use for longer than the wait, the caller is told so."""
    store = PostgresStore.open(postgres_url, pool_size=1, busy_s=0.5)
    with ThreadPoolExecutor(1) as other, store.transaction(tenant=None):
        with pytest.raises(StoreBusy, match="all 1 connections are in use"):
            other.submit(get_meta, store, "a").result()

    assert get_meta(store, "a") is None
    store.close()


def test_cut_connections_are_made_anew(postgres_store: PostgresStore, postgres_url: str) -> None:
    """A transaction whose connection is cut fails with a store error and stores nothing; the next
    ones work at once.
    """
    with pytest.raises(StoreError, match="lost"):
        do(postgres_store, log(1), lambda _: cut_connections(postgres_url), log(2))
    assert turns_of(postgres_store) == []

    with ThreadPoolExecutor(4) as many:  # so that several idle ones are cut
        list(many.map(lambda n: set_meta(postgres_store, f"k{n}"), range(8)))
    cut_connections(postgres_url)
    set_meta(postgres_store, "after")
    assert get_meta(postgres_store, "after") == "1"


def test_a_commit_that_is_cut_off_says_that_it_may_have_been_stored(
    postgres_store: PostgresStore, postgres_url: str
) -> None:
    """The caller is not told that nothing was stored when that is not known."""
    with pytest.raises(StoreError, match="may have been stored or not"):
        do(postgres_store, log(1), lambda _: cut_connections(postgres_url))

    assert turns_of(postgres_store) == []


def test_a_search_that_breaks_off_leaves_the_connection_usable(
    postgres_store: PostgresStore,
) -> None:
    """An error in the middle of reading a partition ends the transaction, and does not hold up the
    next one.
    """
    with postgres_store.transaction(tenant=None) as tx:
        for number in range(3):
            log_turn(tx, number)
        for doc, vector in enumerate([unit(1, 0), unit(1, 0, 0), *[unit(1, 0)] * 3000], start=1):
            tx.run("vectors.add", tenant=TENANT, user=USER, model=1, seq=1, doc=doc, vector=vector)

    for _ in range(2):
        with pytest.raises(StoreError, match="bytes"):
            do(postgres_store, lambda tx: tx.match_vector(unit(1, 0), 1, MINE, 5), write=False)

    with postgres_store.transaction(tenant=None, write=False) as tx:
        assert len(find(tx, "turn")) == 3


def test_a_schema_changed_by_another_process_costs_one_try_at_most(
    postgres_store: PostgresStore, postgres_url: str
) -> None:
    """Statements that the server remembers from before a migration are forgotten with their
    connection.
    """
    with postgres_store.transaction(tenant=None, write=False) as tx:
        for _ in range(8):  # often enough to be remembered
            tx.rows("turns.all_of_session", tenant=TENANT, session_id="s")
    administer(postgres_url, "ALTER TABLE omoide.turns ADD COLUMN added BIGINT")

    try:
        turns_of(postgres_store)
    except StoreBusy as busy:
        told = str(busy)
    else:
        told = "the schema was changed, and nobody minded"

    assert "schema was changed" in told
    assert turns_of(postgres_store) == turns_of(postgres_store) == []


def test_a_forked_child_has_connections_of_its_own(postgres_store: PostgresStore) -> None:
    """Parent and child both go on writing after a fork in the midst of use."""
    set_meta(postgres_store, "before")
    child = os.fork()
    if not child:
        status = 1
        try:
            set_meta(postgres_store, "child")
            status = 0
        finally:
            os._exit(status)
    set_meta(postgres_store, "parent")

    assert os.waitpid(child, 0)[1] == 0
    assert [get_meta(postgres_store, key) for key in ("before", "child", "parent")] == [
        "1",
        "1",
        "1",
    ]


def test_a_child_forked_off_within_a_transaction_cannot_spoil_it(
    postgres_store: PostgresStore,
) -> None:
    """The child can neither run nor commit what its parent began; the parent commits all of it."""
    with postgres_store.transaction(tenant=None) as tx:
        log_turn(tx, 1)
        child = os.fork()
        if not child:
            break_off_in_child(tx)
        assert os.waitpid(child, 0)[1] == 0
        log_turn(tx, 2)

    assert turns_of(postgres_store) == [1, 2]


def break_off_in_child(tx: PostgresTransaction) -> None:
    """End this process well if everything about the transaction is refused."""
    refused, attempts = 0, list[Callable[[], object]]([lambda: log_turn(tx, 3), tx.commit])
    for attempt in attempts:
        try:
            attempt()
        except StoreError:
            refused += 1
    tx.rollback()
    os._exit(0 if refused == 2 else 1)


def test_no_acknowledged_write_is_lost_when_the_server_crashes(own_server: OwnServer) -> None:
    """Writers that go on through a crash get store errors, and work again within ten seconds; what
    was confirmed is there.
    """
    store, stop = PostgresStore.open(own_server.url, busy_s=5), threading.Event()
    kept: list[int] = []
    errors: list[str] = []

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                do(store, log(number))
                kept.append(number)
            except StoreError as error:
                errors.append(str(error))
                time.sleep(0.05)

    with ThreadPoolExecutor(1) as writer:
        running = writer.submit(write)
        wait_until(lambda: len(kept) > 20)
        own_server.kill()
        wait_until(lambda: len(errors) > 2)
        own_server.revive()
        before, revived = len(kept), time.monotonic()
        wait_until(lambda: len(kept) > before)
        recovered_s = time.monotonic() - revived
        stop.set()
        running.result()

    assert recovered_s < 10
    assert set(kept) <= set(turns_of(store))
    store.close()


def test_a_durable_commit_carries_those_before_it(own_server: OwnServer) -> None:
    """What was committed without waiting for the disk is there after a crash, if a commit that
    waited came after it.
    """
    with closing(PostgresStore.open(own_server.url, busy_s=5)) as store:
        for number in range(1, 40, 2):
            with store.transaction(tenant=None, durable=False) as tx:
                log_turn(tx, number)
            do(store, log(number + 1))
        own_server.kill()
        own_server.revive()
    with closing(PostgresStore.open(own_server.url)) as again:
        assert turns_of(again) == list(range(1, 41))


def wait_until(fact: Callable[[], bool]) -> None:
    """Wait for something that is to happen within half a minute."""
    deadline = time.monotonic() + 30
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_closed_store_says_so(postgres_store: PostgresStore) -> None:
    """Closing again does nothing, an open transaction still ends, and later ones are refused."""
    with postgres_store.transaction(tenant=None) as tx:
        tx.run("meta.set", key="a", value="1")
        postgres_store.close()
    postgres_store.close()

    with pytest.raises(StoreClosed), postgres_store.transaction(tenant=None):
        pass


def test_many_processes_may_make_the_same_store(empty_database: str) -> None:
    """Four that open an empty database at once make one store and all can use it."""
    with ThreadPoolExecutor(4) as many:
        stores = list(many.map(lambda _: PostgresStore.open(empty_database), range(4)))
    set_meta(stores[0], "a")

    assert [get_meta(store, "a") for store in stores] == ["1"] * 4
    for store in stores:
        store.close()


def test_a_newer_store_is_left_alone(postgres_store: PostgresStore, postgres_url: str) -> None:
    """A database with a migration unknown here is refused."""
    administer(postgres_url, "INSERT INTO omoide.schema_versions VALUES (9999, 'future', 'x', 0)")

    with pytest.raises(NewerStore, match="9999"):
        PostgresStore.open(postgres_url)


def test_a_made_store_can_be_opened_without_the_right_to_make_one(
    postgres_store: PostgresStore, postgres_url: str
) -> None:
    """A role that may only use the tables opens the store; where one had to be made, it is told
    what it lacks.
    """
    role = f"reader_{os.getpid()}"
    administer(
        postgres_url,
        f"CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA omoide TO {role}; GRANT ALL ON ALL TABLES"
        f" IN SCHEMA omoide TO {role}",
    )
    url = postgres_url.replace("//postgres@", f"//{role}@")
    try:
        store = PostgresStore.open(url)
        set_meta(store, "a")
        store.close()
        with pytest.raises(StoreRefused, match="permission denied"):
            PostgresStore.open(url, schema="another")
    finally:
        administer(postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.mark.parametrize(
    ("version", "vector", "problem"),
    [
        (150_004, "0.8.0", "Postgres 15"),
        (160_000, None, "not installed"),
        (180_001, "0.7.4", "pgvector 0.7.4"),
    ],
)
def test_servers_too_old_are_refused_with_the_remedy(
    version: int, vector: str | None, problem: str
) -> None:
    """The message says what is there and what is needed."""
    with pytest.raises(StoreRefused, match=problem) as refused:
        check_server(version, vector, "here")
    assert "or newer" in refused.value.remedy

    check_server(160_000, "0.8", "here")
    check_server(190_000, "1.0.0", "here")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (psycopg.errors.DiskFull("could not extend file"), StoreFull),
        (psycopg.errors.TooManyConnections(""), StoreBusy),
        (psycopg.errors.QueryCanceled(""), StoreBusy),
        (psycopg.errors.SerializationFailure(""), Deadlock),
        (psycopg.errors.DeadlockDetected(""), Deadlock),
        (psycopg.errors.CannotConnectNow(""), StoreBusy),
        (psycopg.errors.UniqueViolation(""), Conflict),
        (psycopg.errors.AdminShutdown(""), StoreError),
        (psycopg.errors.InvalidPassword(""), StoreRefused),
        (psycopg.OperationalError("server closed the connection"), StoreError),
        (psycopg.errors.SyntaxError(""), StoreError),
    ],
)
def test_every_kind_of_failure_has_its_own_error(
    error: psycopg.Error, expected: type[OmoideError]
) -> None:
    """Full, busy, refused, taken and lost are told apart."""
    assert type(typed(error, "here")) is expected


def test_no_error_shows_the_address_with_its_password(
    caplog: pytest.LogCaptureFixture, tmp_path: os.PathLike[str]
) -> None:
    """Neither message, traceback, log nor representation holds the password, be it unreachable or
    no address at all.
    """
    caplog.set_level(logging.DEBUG)
    password = "".join(["hunter", "2"])
    started = time.monotonic()
    with pytest.raises(StoreError) as lost:
        PostgresStore.open(f"postgresql://ana:{password}@/db?host={tmp_path}", busy_s=2)
    with pytest.raises(InvalidInput) as unread:
        PostgresStore.open(f"postgresql://ana:{password}@host:port:5/db?nonsense")

    assert time.monotonic() - started < 10
    shown = "".join(
        "".join(traceback.format_exception(e.value)) + repr(e.value) for e in (lost, unread)
    )
    assert password not in shown + caplog.text
    assert "/db" in str(lost.value)


def test_a_stores_name_shows_no_password(postgres_url: str) -> None:
    """Path and representation name the place alone."""
    store = PostgresStore.open(postgres_url.replace("//postgres@", "//postgres:hunter2@"))

    assert "hunter2" not in f"{store.path} {store!r} {vars(store)!r}"
    assert store.path.endswith(" omoide")
    assert store.size_bytes() > 100_000
    store.close()


def test_without_psycopg_the_extra_is_named() -> None:
    """Importing the engine without its optional part says what to install."""
    code = "import sys; sys.modules['psycopg'] = None; import omoide.store.postgres.engine"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert "MissingExtra" in ended.stderr
    assert "[postgres]'" in ended.stderr


FAILING = """
import sys
from omoide.nouns.errors import StoreError
from omoide.store.postgres.engine import PostgresStore
store = PostgresStore.open(sys.argv[1])
try:
    with store.transaction(tenant=None) as tx:
        tx.run("meta.set", many=[{"key": "a", "value": "b"}, {"key": None, "value": None}, {"key": "c", "value": "d"}])
except StoreError as error:
    print("raised")
store.close()
"""


def test_an_error_is_raised_and_not_printed_too(postgres_url: str) -> None:
    """A program that has set up no logging keeps its standard error to itself, whatever the driver
    has to say.
    """
    ended = subprocess.run(
        [sys.executable, "-c", FAILING, postgres_url],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )

    assert (ended.stdout, ended.stderr) == ("raised\n", "")


def random_change(random: random.Random, number: int) -> Callable[[Transaction], None]:
    """A change of turns, documents or vectors, the same for every store it is applied to."""
    kind, which = (
        random.choice(["log", "log", "log", "forget", "mute", "embed", "embed"]),
        random.randint(0, number),
    )
    text = " ".join(random.choices(["tea", "rain", "茶", "c++", "x"], k=random.randint(1, 6)))
    vector = unit(*(random.choice([-1, 1, 2]) for _ in range(8)))
    user = random.choice([USER, USER, ""])

    def change(tx: Transaction) -> None:
        session = f"of {user}"
        match kind:
            case "log":
                log_turn(tx, number, session=session, user=user, text=text)
            case "forget":
                forget_turn(tx, which, session=session, user=user)
            case "mute":
                seq = tx.rows("partitions.advance", tenant=TENANT, user=user)[0]["seq"]
                hidden = 0 if which % 2 else FOREVER
                tx.run(
                    "docs.hide",
                    tenant=TENANT,
                    ref=f"{session}#{which}",
                    seq=seq,
                    superseded_at=hidden,
                    closed_at=hidden,
                )
            case "embed":
                seq = tx.rows("partitions.advance", tenant=TENANT, user=user)[0]["seq"]
                for row in tx.rows(
                    "docs.of_ref", tenant=TENANT, kind="turn", ref=f"{session}#{which}"
                ):
                    tx.run(
                        "vectors.add",
                        tenant=TENANT,
                        user=user,
                        model=1,
                        seq=seq,
                        doc=row["doc"],
                        vector=vector,
                    )

    return change


@pytest.fixture
def both_stores(postgres_store: PostgresStore) -> Iterator[tuple[Store, Store]]:
    sqlite = SqliteStore.open(":memory:")
    yield sqlite, postgres_store
    sqlite.close()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_engines_find_the_same(both_stores: tuple[Store, Store], seed: int) -> None:
    """After the same random changes, every search gives the same documents, scores and order on
    both.
    """
    choices = random.Random(seed)
    for number in range(120):
        change = random_change(choices, number)
        for store in both_stores:
            with store.transaction(tenant=None) as tx:
                change(tx)
        if number % 10 == 9:
            words = choices.sample(["tea", "rain", "茶", "c++", "x", "unheard"], 3)
            question = unit(*(choices.random() for _ in range(8)))
            found = []
            for store in both_stores:
                with store.transaction(tenant=None, write=False) as tx:
                    found.append((find(tx, *words), tx.match_vector(question, 1, MINE, 20)))

            assert found[0] == found[1]
            assert found[0][0]


def waiting(url: str) -> int:
    """How many of our transactions wait for another's lock."""
    query = (
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
        " current_database()"
    )
    return int(administer(url, query)[0][0])


def test_joining_a_brand_new_session_while_it_is_forgotten(postgres_url: str) -> None:
    """Who joins takes no locks in another order than who forgets: both get what they want, and
    neither is told to try again.
    """
    store = PostgresStore.open(postgres_url)
    memory = Memory(store, background=False)
    both = tuple(Participant(name=user, user=user) for user in ("ana", "ben"))
    id = session_of("trip", Scope(user="ben"))  # that of Ben's own, which he would begin
    begun = Session(id=id, scope=Scope(user="ana"), owner="ana", participants=both)
    started, go_on = threading.Event(), threading.Event()

    def begin(tx: Transaction) -> None:
        Sessions(tx).add(begun, origin="", at=NOW)
        started.set()
        assert go_on.wait(20)

    with ThreadPoolExecutor() as threads:
        with store.transaction(tenant=None) as forgetting:
            for user in ("", "ana"):
                Documents(forgetting).lock("default", user)
            beginning = threads.submit(do, store, begin)
            assert started.wait(20)
            joining = threads.submit(
                memory.ingest, [Message(text="Ben comes too")], Scope(user="ben", session="trip")
            )
            wait_until(lambda: waiting(postgres_url) == 1)  # to see whether there is such a session
            go_on.set()
            beginning.result(20)
            wait_until(lambda: waiting(postgres_url) == 1)  # for the partition of shared sessions

            assert Sessions(forgetting).lock("default", id) is not None
            Sessions(forgetting).forget("default", id)
        assert joining.result(20).added == 1
    assert [turn.text for turn in memory.sessions.turns("trip", Scope(user="ben"))] == [
        "Ben comes too"
    ]
    memory.close()
