"""Writers of a Postgres store that want the same locks: most take them in one order, and where two
do not, neither notices.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from omoide.jobs.queue import Effect, JobsDone, Queue
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock, SystemClock
from omoide.nouns.errors import Deadlock
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Item, Source
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.store.base import TRIES, Transaction, committed
from omoide.store.postgres.engine import PostgresStore
from omoide.tables.documents import Documents
from omoide.tables.jobs import Job, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.meta import Meta
from omoide.write.apply import Door
from tests.fix_memory import NOBODY
from tests.store.test_postgres import wait_until, waiting

TENANT = "default"


@pytest.fixture
def store(postgres_url: str) -> Iterator[PostgresStore]:
    """An empty store in which several threads write."""
    opened = PostgresStore.open(postgres_url, busy_s=20, pool_size=6)
    yield opened
    opened.close()


def crossing(first: str, second: str, meeting: threading.Barrier) -> Callable[[Transaction], None]:
    """Locks two partitions and counts; the first time not before another holds what it wants
    next.
    """
    met: list[bool] = []

    def write(tx: Transaction) -> None:
        Documents(tx).lock(TENANT, first)
        if not met:
            met.append(True)
            meeting.wait(20)
        Documents(tx).lock(TENANT, second)
        Meta(tx).set(first, str(int(Meta(tx).get(first) or 0) + 1))

    return write


def counted(store: PostgresStore, *names: str) -> list[str | None]:
    """What the writers of these names counted."""
    with store.transaction(tenant=None, write=False) as tx:
        return [Meta(tx).get(name) for name in names]


def test_the_one_that_is_undone_is_run_anew(store: PostgresStore) -> None:
    """Two writers that wait for each other both end, each with its effect once."""
    meeting = threading.Barrier(2)
    with ThreadPoolExecutor() as threads:
        writers = [
            threads.submit(committed, store, crossing(*pair, meeting), tenant=None)
            for pair in (("ana", "ben"), ("ben", "ana"))
        ]
        for writer in writers:
            writer.result(60)

    assert counted(store, "ana", "ben") == ["1", "1"]


def test_one_that_is_undone_each_time_gives_up(store: PostgresStore) -> None:
    """After five times, with the error that says it may be tried again."""
    tried: list[int] = []

    def undone(tx: Transaction) -> None:
        tried.append(1)
        raise Deadlock("two writers waited for each other")

    with pytest.raises(Deadlock):
        committed(store, undone, tenant=None)
    assert len(tried) == TRIES


def test_jobs_whose_effects_wait_for_each_other_are_both_done(store: PostgresStore) -> None:
    """Neither fails, and neither's slow part, which may have asked a model, is done again."""
    meeting, slow = threading.Barrier(2), list[str]()
    effects = {"ana": crossing("ana", "ben", meeting), "ben": crossing("ben", "ana", meeting)}

    def handle(job: Job) -> Effect:
        slow.append(job.user)
        return effects[job.user]

    with store.transaction(tenant=None) as tx:
        for user in effects:
            Jobs(tx).schedule(TENANT, user, "learn", user=user, args={}, run_at=SystemClock().now())
    queue = Queue(store, SystemClock(), {"learn": handle})
    with ThreadPoolExecutor() as threads:
        done = [
            running.result(60) for running in [threads.submit(queue.run, limit=1) for _ in effects]
        ]

    assert done == [JobsDone(done=1), JobsDone(done=1)]
    assert sorted(slow) == ["ana", "ben"]
    assert counted(store, "ana", "ben") == ["1", "1"]


def test_what_falls_is_locked_in_the_order_of_its_users(
    store: PostgresStore, postgres_url: str
) -> None:
    """Who holds Ana's partition and wants Ben's gets it, while what all know is closed under items
    of both.
    """
    memory = Memory(store, scope=NOBODY, embedder=None, clock=FixedClock(), background=False)

    def said(text: str, base: str | None, user: str | None = None) -> ItemId:
        details = Details(source=Source.TOOL, bases=(ItemId(base),) if base else ())
        return memory.remember(text, Scope(user=user, shared=user is None), details=details).id

    base = said("The office is in Rome", None)
    said("Ben takes the metro", base, "ben")
    ticket_pays = said("A yearly ticket pays off", said("The office pays for tickets", base), "ana")
    closed = memory.get(base)
    assert isinstance(closed, Item)

    def close() -> None:
        with store.transaction(tenant=None) as tx, Door(tx, memory.clock, Because()) as door:
            door.retract(closed)

    with ThreadPoolExecutor() as threads:
        with store.transaction(tenant=None) as tx:
            Documents(tx).lock(TENANT, "ana")
            closing = threads.submit(close)
            wait_until(lambda: waiting(postgres_url) == 1)
            Documents(tx).lock(TENANT, "ben")
        closing.result(20)
    ticket = memory.get(ticket_pays, Scope(user="ana"))
    assert isinstance(ticket, Item)
    assert ticket.unconfirmed_at is not None


def test_what_is_forgotten_meanwhile_is_not_looked_for(
    store: PostgresStore, postgres_url: str
) -> None:
    """Who forgets a talk that others had part in waits for their writers before it looks at what
    they said: what one of these takes back meanwhile is neither missed nor kept.
    """
    memory = Memory(store, background=False, embedder=None)
    for session in ("s1", "s2"):
        talk = Conversation(
            id=session,
            messages=(Message(text="Ben likes tea", user="ben"),),
            participants=(Participant(name="ana", user="ana"), Participant(name="ben", user="ben")),
        )
        (turn,) = memory.ingest(talk, Scope(user="ana")).turns
        details = Details(source_turns=(turn,))
        item = memory.remember("Ben likes tea", Scope(user="ben"), details=details).item
    with ThreadPoolExecutor() as threads:
        with store.transaction(tenant=TENANT) as tx:
            Documents(tx).lock(TENANT, "ben")
            forgetting = threads.submit(memory.sessions.forget, "s1", Scope(user="ana"))
            wait_until(lambda: waiting(postgres_url) == 1)
            Ledger(tx).forget_but_sayings(TENANT, item.id, [])
        receipt = forgetting.result(60)

    assert receipt.erased["turns"] == 1
    assert memory.admin.doctor(deep=True) == []
