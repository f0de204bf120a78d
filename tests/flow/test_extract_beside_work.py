"""One learns from a session at a time: who asks by hand waits for a worker, or another caller, and
the model is paid once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from omoide.learning.capture import Capture
from omoide.learning.report import Extraction, Fate
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Conflict, ModelError
from omoide.store.base import Store
from omoide.tables.jobs import EXTRACT_JOB, Job, Jobs, Queued
from tests.fix_memory import ANA, OpenMemory, session_of
from tests.fix_teaching import Taught, note, say, says, texts

TALK_ID = session_of("talk")

SAID = ("I can't eat peanuts", "My dog is called Rex")
JOB = Job(
    tenant="default",
    id=f"{EXTRACT_JOB}:{TALK_ID}",
    kind=EXTRACT_JOB,
    user="ana",
    args={"session": TALK_ID},
)


def hear(ask: Ask) -> dict[str, Any]:
    """Notes each turn as it was said."""
    lines = [
        line.split(" Ana: ", 1)
        for line in ask.text.splitlines()
        if " Ana: " in line and not line.startswith("earlier")
    ]
    return says(*(note(text, turn=int(number)) for number, text in lines))


class Slow:
    """A model that thinks until it is told to answer, the first time."""

    def __init__(self) -> None:
        self.asked, self.answer = threading.Event(), threading.Event()

    def __call__(self, ask: Ask) -> dict[str, Any]:
        if not self.asked.is_set():
            self.asked.set()
            assert self.answer.wait(20)
        return hear(ask)

    def soon(self, seconds: float = 0.4) -> None:
        """Let it answer a little later."""
        threading.Timer(seconds, self.answer.set).start()


def script(extract: Any) -> dict[Purpose, Any]:
    """A model that adds what it hears."""
    return {Purpose.EXTRACT: extract, Purpose.DECIDE: lambda ask: {"decisions": []}}


def in_line(memory: Memory) -> list[Queued]:
    """The sessions that wait to be learnt from, are being, or gave up."""
    return [job for job in memory.jobs.list(ANA) if job.kind == EXTRACT_JOB]


def asked(taught: Taught) -> int:
    """How often the model was asked what to remember."""
    return sum(ask.purpose is Purpose.EXTRACT for ask in taught.asked)


@contextmanager
def beside(work: Any, slow: Slow) -> Iterator[None]:
    """Work in another thread, begun once the model is asked; over at the end."""
    thread = threading.Thread(target=work)
    thread.start()
    assert slow.asked.wait(20)
    yield
    slow.answer.set()
    thread.join(20)
    assert not thread.is_alive()


def lose(store: Store, memory: Memory) -> None:
    """Be one who claims the session's job by hand, and never comes back."""
    now = memory.clock.now()
    with store.transaction(tenant=None) as tx:
        assert Jobs(tx).take(JOB, now, now + timedelta(minutes=2))


@pytest.mark.parametrize("preview", [False, True])
def test_who_asks_waits_for_the_worker_and_is_told_what_it_learnt(
    taught: Taught, clock: FixedClock, preview: bool
) -> None:
    """The model is asked once, nobody fails, and the other's id takes back what it learnt."""
    slow = Slow()
    memory = taught(script=script(slow))
    say(memory, SAID[0])
    clock.move(hours=3)

    with beside(memory.upkeep.work, slow):
        slow.soon()
        (done,) = memory.sessions.extract("talk", preview=preview)

    (item,) = memory.items.list().items
    (change,) = memory.history(item.id).changes
    assert done == Extraction(
        id=change.cause or "", session=done.session, first=0, end=1, by_another=True
    )
    assert (asked(taught), in_line(memory)) == (1, [])


def test_what_the_other_did_not_learn_is_gone_on_with(taught: Taught, clock: FixedClock) -> None:
    """Turns that came while the worker was at it."""
    slow = Slow()
    memory = taught(script=script(slow))
    say(memory, SAID[0])
    clock.move(hours=3)

    with beside(lambda: memory.upkeep.queue.run(kinds={EXTRACT_JOB}, limit=1), slow):
        say(memory, SAID[1])
        slow.soon()
        done = memory.sessions.extract("talk")

    assert [(one.first, one.end, one.by_another) for one in done] == [(0, 1, True), (1, 2, False)]
    assert (texts(memory), asked(taught), in_line(memory)) == (sorted(SAID), 2, [])


def test_one_that_changed_nothing_is_told_too(taught: Taught, clock: FixedClock) -> None:
    """There is no id of it to take anything back by."""
    slow = Slow()

    def hear_nothing(ask: Ask) -> dict[str, Any]:
        slow(ask)
        return says()

    memory = taught(script=script(hear_nothing))
    say(memory, "Hello")
    clock.move(hours=3)

    with beside(memory.upkeep.work, slow):
        slow.soon()
        (done,) = memory.sessions.extract("talk")

    assert (done.id, done.first, done.end, done.by_another) == ("", 0, 1, True)


def test_a_worker_does_nothing_beside_who_learns_by_hand(taught: Taught, clock: FixedClock) -> None:
    """Neither while that one is at it nor afterwards."""
    slow = Slow()
    memory = taught(script=script(slow))
    say(memory, SAID[0])
    clock.move(hours=3)
    done: list[Sequence[Extraction]] = []

    with beside(lambda: done.append(memory.sessions.extract("talk")), slow):
        assert memory.upkeep.work().error is None
        assert [job.state for job in in_line(memory)] == ["leased"]
    memory.upkeep.work()

    assert [one.count(Fate.ADDED) for one in done[0]] == [1]
    assert (texts(memory), asked(taught), in_line(memory)) == ([SAID[0]], 1, [])


@pytest.mark.covers("ED-19")
def test_two_who_ask_at_once_pay_once(taught: Taught, open_memory: OpenMemory) -> None:
    """Though the session is in no line; the second is told what the first learnt."""
    slow = Slow()
    memory = taught(script=script(slow))
    other = open_memory(teaching=Teaching(asker=Asker(taught.model)))
    say(memory, SAID[0])
    first: list[Sequence[Extraction]] = []

    with beside(lambda: first.append(memory.sessions.extract("talk")), slow):
        slow.soon()
        second = other.sessions.extract("talk")

    assert [(one.id, one.by_another) for one in second] == [(first[0][0].id, True)]
    assert (texts(memory), asked(taught), in_line(memory)) == ([SAID[0]], 1, [])


def test_a_preview_that_another_overtakes_tells_what_is_left(
    taught: Taught, clock: FixedClock
) -> None:
    """It holds nothing, so a worker may learn meanwhile; it looks anew, and writes nothing."""
    slow = Slow()
    memory = taught(script=script(slow))
    say(memory, SAID[0])
    clock.move(hours=3)
    told: list[Sequence[Extraction]] = []

    with beside(lambda: told.append(memory.sessions.extract("talk", preview=True)), slow):
        assert [job.state for job in in_line(memory)] == ["ready"]
        memory.upkeep.work()

    assert [(one.first, one.end, one.by_another) for one in told[0]] == [(0, 1, True)]
    assert texts(memory) == [SAID[0]]


def test_a_preview_claims_no_job(taught: Taught) -> None:
    """The one in line stays as it is."""
    memory = taught(script=script(hear))
    say(memory, SAID[0])
    before = in_line(memory)

    memory.sessions.extract("talk", preview=True)

    assert in_line(memory) == before


# --- the session's job ---


def test_a_job_with_nothing_left_to_learn_ends(taught: Taught) -> None:
    """Whoever learnt it, also what was said, and put in line, while the model thought."""
    held: list[Memory] = []

    def think(ask: Ask) -> dict[str, Any]:
        if len(taught.asked) == 1:
            say(held[0], SAID[1])
        return hear(ask)

    memory = taught(script=script(think))
    held.append(memory)
    say(memory, SAID[0])

    done = memory.sessions.extract("talk")

    assert [(one.first, one.end) for one in done] == [(0, 1), (1, 2)]
    assert in_line(memory) == []


def test_one_that_was_left_behind_ends_when_somebody_looks(
    taught: Taught, clock: FixedClock
) -> None:
    """As one that another version left."""
    memory = taught(script=script(hear))
    say(memory, SAID[0])
    memory.sessions.extract("talk")
    memory.sessions.end("talk")
    assert len(in_line(memory)) == 1

    assert memory.sessions.extract("talk") == []

    assert in_line(memory) == []


def test_a_model_that_fails_by_hand_leaves_the_job_as_it_was(taught: Taught) -> None:
    """It waits for its time."""
    memory = taught(ModelError("broken"))
    say(memory, SAID[0])
    before = in_line(memory)

    with pytest.raises(ModelError):
        memory.sessions.extract("talk")

    assert in_line(memory) == before


def test_where_there_was_no_job_a_failure_leaves_none(taught: Taught, store: Store) -> None:
    """What is learnt from by hand alone stays so."""
    memory = taught(ModelError("broken"))
    say(memory, SAID[0])
    with store.transaction(tenant=None) as tx:
        Jobs(tx).cancel("default", JOB.id)

    with pytest.raises(ModelError):
        memory.sessions.extract("talk")

    assert in_line(memory) == []


def test_one_that_gave_up_does_so_still(taught: Taught, clock: FixedClock) -> None:
    """It keeps its reason, and is not tried again for having been tried by hand; learnt by hand in
    the end, it goes.
    """

    def break_at_first(ask: Ask) -> dict[str, Any]:
        if len(taught.asked) <= 6:
            raise ModelError("broken")
        return hear(ask)

    memory = taught(script=script(break_at_first))
    say(memory, SAID[0])
    for _ in range(5):
        clock.move(hours=3)
        memory.upkeep.work()
    (dead,) = in_line(memory)

    with pytest.raises(ModelError):
        memory.sessions.extract("talk")
    assert (dead.state, in_line(memory)) == ("dead", [dead])
    memory.sessions.extract("talk")

    assert (texts(memory), in_line(memory)) == ([SAID[0]], [])


def test_one_who_is_lost_while_at_it_leaves_the_session_to_others(
    taught: Taught, store: Store, clock: FixedClock
) -> None:
    """A worker learns from it once the lease is over."""
    memory = taught(script=script(hear))
    say(memory, SAID[0])
    lose(store, memory)
    memory.upkeep.work()
    assert texts(memory) == []

    clock.move(minutes=31)
    memory.upkeep.work()

    assert (texts(memory), in_line(memory)) == ([SAID[0]], [])


def test_who_asks_takes_over_from_one_who_is_lost(
    taught: Taught, store: Store, clock: FixedClock
) -> None:
    """As soon as the lease is over."""
    memory = taught(script=script(hear))
    say(memory, SAID[0])
    lose(store, memory)
    threading.Timer(0.3, lambda: clock.move(minutes=3)).start()

    (done,) = memory.sessions.extract("talk")

    assert (done.by_another, texts(memory), in_line(memory)) == (False, [SAID[0]], [])


def test_a_job_whose_caller_is_lost_is_seen_to_wait(
    taught: Taught, store: Store, clock: FixedClock
) -> None:
    """It is being done until its lease is over; then it is ready, though nobody has come for it
    yet.
    """
    memory = taught()
    say(memory, SAID[0])
    lose(store, memory)
    assert [job.state for job in in_line(memory)] == ["leased"]

    clock.move(minutes=3)

    assert [job.state for job in in_line(memory)] == ["ready"]
    assert [job.kind for job in memory.jobs.list(ANA, state="leased")] == []
    assert ("extract", "ready") in [(jobs.kind, jobs.state) for jobs in memory.stats(ANA).jobs]


@pytest.mark.parametrize("preview", [False, True])
def test_nobody_waits_without_end(store: Store, memory: Memory, preview: bool) -> None:
    """A session that another is at for too long is named, and no model was asked."""
    say(memory, SAID[0])
    lose(store, memory)
    model = ScriptedModel(script(hear))
    capture = Capture(store, memory.clock, lambda: memory.encoders, Teaching(asker=Asker(model)))

    with pytest.raises(Conflict, match=f"extract:{TALK_ID}"):
        capture.extract("default", TALK_ID, preview=preview, patience=timedelta(seconds=0.2))

    assert model.asked == []


def test_what_is_learnt_after_the_job_became_another_s_does_not_last(
    taught: Taught, store: Store, clock: FixedClock
) -> None:
    """A caller that slept for longer than its lease, as a computer does."""
    held: list[Memory] = []

    def doze(ask: Ask) -> dict[str, Any]:
        if len(taught.asked) == 1:
            clock.move(minutes=40)
            held[0].upkeep.work()
        return hear(ask)

    memory = taught(script=script(doze))
    held.append(memory)
    say(memory, SAID[0])

    with pytest.raises(Conflict):
        memory.sessions.extract("talk")

    assert (texts(memory), in_line(memory)) == ([SAID[0]], [])
