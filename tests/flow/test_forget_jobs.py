"""Forgetting reaches what waits to be done, and what a model said about it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from omoide.jobs.queue import Queue
from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import BadAnswer
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.jobs import Failure, Job, Jobs
from tests.fix_memory import ANA, BEN, NINE, session_of, turn_of

SAID = "well, the wombat of Ana is called Bob"
TENANT = "default"


def add(store: Store, id: str, user: str, session: str = "") -> None:
    """A job that failed, with what a model said."""
    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule(
            TENANT,
            id,
            "learn",
            user=user,
            args={"session": session_of(session, Scope(user=user))} if session else {},
            run_at=NINE,
        )
        job = Jobs(tx).claim({"learn"}, NINE, NINE + timedelta(minutes=5))
        assert job is not None
        assert Jobs(tx).fail(
            job, Failure(failures=1, at=NINE, error="ModelError", answer=SAID), again_at=None
        )


def left(store: Store, *scopes: Scope) -> dict[str, int]:
    """The length of the answer of each dead letter there still is."""
    with store.transaction(tenant=None, write=False) as tx:
        return {
            letter.id: letter.answered
            for scope in scopes
            for letter in Jobs(tx).page(scope, "dead", 100, NINE)
        }


@pytest.fixture
def talked(memory: Memory, store: Store) -> Memory:
    """Ana talked in two sessions, Ben in one; of each a job failed, and one more of Ana's."""
    for session, user in (("s", "ana"), ("t", "ana"), ("b", "ben")):
        memory.ingest(
            [Message(text=f"hello from {session}"), Message(text="and more")],
            Scope(user=user, session=session, shared=user is None),
        )
        add(store, f"learn:{session}", user, session)
    add(store, "profile", "ana")
    return memory


def test_a_session_is_forgotten_with_its_jobs(talked: Memory, store: Store) -> None:
    """The one that failed and the one in line; and with what models said in the other jobs of its
    user, which stay.
    """
    receipt = talked.sessions.forget("s")

    assert receipt.erased["jobs"] == 2
    assert left(store, ANA, BEN) == {"learn:t": 0, "profile": 0, "learn:b": len(SAID)}


@pytest.mark.covers("LS-88")
def test_a_user_is_forgotten_with_all_their_jobs(talked: Memory, store: Store) -> None:
    """Those that failed and those in line; others keep theirs."""
    assert talked.users.forget("ana").erased["jobs"] == 5
    assert left(store, ANA, BEN) == {"learn:b": len(SAID)}


def test_a_turn_is_forgotten_in_what_was_said_about_it(talked: Memory, store: Store) -> None:
    """Its session's jobs stay: there are other turns to learn from."""
    talked.forget(turn_of("s", 0))

    assert left(store, ANA, BEN) == {"learn:s": 0, "learn:t": 0, "profile": 0, "learn:b": len(SAID)}


def test_an_item_is_forgotten_in_what_was_said_about_it(talked: Memory, store: Store) -> None:
    """By whichever of its user's jobs."""
    talked.forget(talked.remember("the wombat is called Bob").item.id)

    assert left(store, ANA, BEN) == {"learn:s": 0, "learn:t": 0, "profile": 0, "learn:b": len(SAID)}


def test_what_is_being_learnt_from_a_session_that_is_forgotten_is_dropped(
    talked: Memory, store: Store, clock: FixedClock
) -> None:
    """The worker finds the job gone when it is done, and nothing lasts."""

    def learn(job: Job) -> None:
        talked.sessions.forget("s")

    with store.transaction(tenant=None) as tx:
        Jobs(tx).replay(clock.now(), id="learn:s")
    done = Queue(store, clock, {"learn": learn}).run()

    assert (done.done, done.failed, done.dead) == (0, 0, 0)
    assert "learn:s" not in left(store, ANA)


def test_no_byte_of_an_answer_is_left(tmp_path: Path, clock: FixedClock) -> None:
    """In none of the store's files."""
    store = open_store(str(tmp_path / "memory.db"))
    memory = Memory(store, scope=ANA, embedder=FakeEmbedder(), clock=clock, background=False)
    memory.ingest([Message(text="hello")], Scope(user="ana", session="s"))
    error = BadAnswer("toy", "extract", "no JSON", SAID)
    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule(
            TENANT, "learn:s", "learn", user="ana", args={"session": "s"}, run_at=NINE
        )

    def learn(job: Job) -> None:
        raise error

    assert Queue(store, clock, {"learn": learn}).run().failed == 1
    files = [path for path in tmp_path.iterdir() if path.is_file()]
    assert any(SAID.encode() in path.read_bytes() for path in files)
    memory.sessions.forget("s")

    assert files
    assert not [
        path for path in tmp_path.iterdir() if path.is_file() and SAID.encode() in path.read_bytes()
    ]
    memory.close()
