"""Sessions that are in no line to be learnt from, as where capture was by hand when they were
logged: put there once, or when asked.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from omoide.learning.sweep import MOST, line_up
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, ModelError, ModelMissing
from omoide.nouns.item import Tier
from omoide.nouns.scope import Scope
from omoide.nouns.session import session_name
from omoide.settings.triggers import Triggers, read_triggers
from omoide.tables.jobs import EXTRACT_JOB
from tests.fix_memory import ANA, OpenMemory
from tests.fix_teaching import note, say, says, texts

HAND = Teaching(triggers=Triggers())


class Learning:
    """Opens a memory that learns by itself a cat from every session, and counts the sessions that a
    model was shown.
    """

    def __init__(self, open_memory: OpenMemory) -> None:
        self.asked: list[Ask] = []
        self._open = open_memory

    def __call__(self, **settings: Any) -> Memory:
        """As Teaching has it, but for these settings."""

        def answer(ask: Ask) -> Any:
            self.asked.append(ask)
            return says(note("Ana has a cat", "I have a cat"))

        usual: dict[str, Any] = {"strategy": "one-call", "judge": False}
        return self._open(
            teaching=Teaching(asker=Asker(ScriptedModel(answer)), **(usual | settings))
        )


@pytest.fixture
def learning(open_memory: OpenMemory) -> Learning:
    """Memories that learn by themselves."""
    return Learning(open_memory)


@pytest.fixture
def by_hand(open_memory: OpenMemory) -> Memory:
    """One that logs, and puts nothing in line."""
    return open_memory(teaching=HAND)


def log(
    memory: Memory, session: str, *, user: str | None = "ana", tenant: str = "default", **how: Any
) -> None:
    """Log a session of one turn."""
    memory.ingest(
        [{"content": "I have a cat", "name": "Ana"}],
        Scope(tenant=tenant, user=user, session=session, shared=user is None),
        **how,
    )


def in_line(memory: Memory, scope: Scope = ANA) -> list[str]:
    """The sessions that wait to be learnt from, or gave up."""
    return sorted(
        session_name(job.session, user=scope.user, agent=scope.agent)
        for job in memory.jobs.list(scope)
        if job.kind == EXTRACT_JOB
    )


@pytest.mark.covers("ED-48")
def test_what_was_logged_by_hand_is_learnt_from_once_capture_is_on(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """By the next worker that starts, of every tenant; once, however many there are and however
    often they look.
    """
    log(by_hand, "one")
    log(by_hand, "acme", tenant="acme")
    clock.move(hours=1)
    assert in_line(by_hand) == []

    for memory in (learning(), learning()):
        memory.upkeep.work()
        clock.move(hours=1)
        memory.upkeep.work()

    assert texts(memory) == texts(memory, Scope(tenant="acme", user="ana")) == ["Ana has a cat"]
    assert len(learning.asked) == 2


def test_a_worker_that_runs_looks_every_ten_minutes(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """What another program logged meanwhile is learnt from when it is idle, as if it had been put
    in line at once.
    """
    memory = learning()
    memory.upkeep.work()
    log(by_hand, "one")

    clock.move(minutes=9)
    memory.upkeep.work()
    assert in_line(memory) == []
    clock.move(minutes=1)
    memory.upkeep.work()
    assert [job.run_at - clock.now() for job in memory.jobs.list() if job.kind == EXTRACT_JOB] == [
        timedelta(minutes=20)
    ]
    clock.move(minutes=20)
    memory.upkeep.work()
    assert texts(memory) == ["Ana has a cat"]


def test_a_session_that_goes_on_is_left_alone(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """Until nothing was said in it for ten minutes, whatever the policy says."""
    say(by_hand, *["I have a cat"] * 50)
    clock.move(minutes=9)

    memory = learning(triggers=read_triggers("messages=45"))
    memory.upkeep.work()
    assert in_line(memory) == []

    clock.move(minutes=11)
    memory.upkeep.work()
    assert texts(memory) == ["Ana has a cat"]


@pytest.mark.covers("ED-48")
def test_older_sessions_are_left_to_who_asks_for_them(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """Two days is the usual bound; a setting sets another."""
    log(by_hand, "old")
    clock.move(days=2)
    log(by_hand, "new")
    clock.move(hours=1)

    memory = learning()
    memory.upkeep.work()
    assert [one.session.name for one in memory.sessions.catch_up(preview=True)] == ["old"]
    assert len(learning.asked) == 1

    learning(catch_up=timedelta(days=999_999)).upkeep.work()
    assert len(learning.asked) == 2


@pytest.mark.covers("ED-48")
def test_a_sweep_takes_a_hundred_and_the_next_one_the_rest(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """So that turning it on is no flood."""
    for number in range(MOST + 3):
        log(by_hand, f"s{number}")
    clock.move(hours=1)

    memory = learning()
    memory.upkeep.work()
    assert len(learning.asked) == MOST
    clock.move(minutes=10)
    memory.upkeep.work()
    assert len(learning.asked) == MOST + 3


@pytest.mark.covers("ED-48")
def test_private_and_undone_sessions_are_left_out(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """Also where somebody asks for all of them."""
    log(by_hand, "private", private=True)
    log(by_hand, "undone")
    by_hand.undo("undone")
    clock.move(hours=1)

    memory = learning()
    memory.upkeep.work()

    assert memory.sessions.catch_up() == []
    assert learning.asked == []


@pytest.mark.parametrize("settings", [{"triggers": Triggers()}, {"catch_up": None}])
def test_by_hand_nothing_is_looked_for(
    settings: dict[str, Any], by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """Neither where capture is, nor where catching up is."""
    log(by_hand, "one")
    clock.move(hours=1)

    memory = learning(**settings)
    memory.upkeep.work()

    assert (in_line(memory), learning.asked) == ([], [])


def test_what_was_undone_is_not_learnt_again(
    by_hand: Memory, learning: Learning, clock: FixedClock
) -> None:
    """The session was learnt from; that a person took it back is no reason to do so once more."""
    log(by_hand, "one")
    memory = learning()
    (extraction,) = memory.sessions.extract("one", Scope(user="ana"))
    memory.acting(Because(tier=Tier.USER)).undo(extraction.id)
    clock.move(hours=1)

    memory.upkeep.work()

    assert (texts(memory), memory.sessions.catch_up()) == ([], [])
    assert len(learning.asked) == 1


@pytest.mark.covers("ED-48", "LS-75")
def test_what_gave_up_is_not_tried_without_end(
    by_hand: Memory, open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Its job stands aside with the reason, and a sweep leaves it there."""
    log(by_hand, "one")
    model = ScriptedModel(lambda ask: ModelError("broken"))
    memory = open_memory(teaching=Teaching(asker=Asker(model)))
    for _ in range(12):
        clock.move(hours=1)
        memory.upkeep.work()

    assert [job.state for job in memory.jobs.list()] == ["dead"]
    assert len(model.asked) == 5
    assert memory.sessions.catch_up() == []


@pytest.mark.covers("ED-48")
def test_who_asks_puts_their_own_in_line(by_hand: Memory, clock: FixedClock) -> None:
    """However old, by hand too, and no other user's; in a preview none. What was said since a time
    can be asked for.
    """
    log(by_hand, "old")
    log(by_hand, "ben", user="ben")
    log(by_hand, "nobody", user=None)
    clock.move(days=400)
    log(by_hand, "new")
    clock.move(hours=1)

    assert [one.session.name for one in by_hand.sessions.catch_up(preview=True)] == ["old", "new"]
    assert [
        one.session.name
        for one in by_hand.sessions.catch_up(
            recorded_since=clock.now() - timedelta(hours=1), preview=True
        )
    ] == ["new"]
    assert in_line(by_hand) == []
    assert [(one.session.name, one.turns) for one in by_hand.sessions.catch_up(limit=1)] == [
        ("old", 1)
    ]
    assert [one.session.name for one in by_hand.sessions.catch_up()] == ["new"]
    assert in_line(by_hand) == ["new", "old"]
    assert by_hand.sessions.catch_up() == []
    assert [one.session.name for one in by_hand.sessions.catch_up(Scope(user="ben"))] == ["ben"]
    assert [one.session.name for one in by_hand.sessions.catch_up(Scope(shared=True))] == ["nobody"]
    with pytest.raises(InvalidInput, match="limit"):
        by_hand.sessions.catch_up(limit=0)


def test_a_session_that_is_gone_by_then_is_not_put_in_line(
    by_hand: Memory, clock: FixedClock
) -> None:
    """Forgotten, or made private, after it was found."""
    for session in ("gone", "private"):
        log(by_hand, session)
    clock.move(hours=1)
    found = by_hand.sessions.catch_up(preview=True)
    by_hand.sessions.forget("gone")
    log(by_hand, "private", private=True)

    with by_hand.store.transaction(tenant=None) as tx:
        assert [line_up(tx, one.session, clock.now()) for one in found] == [False, False]
    assert in_line(by_hand) == []


def test_without_a_model_they_wait_once_they_are_in_line(
    by_hand: Memory, clock: FixedClock
) -> None:
    """As all that waits for one does."""
    log(by_hand, "one")
    clock.move(hours=1)
    by_hand.sessions.catch_up()
    by_hand.upkeep.work()

    assert in_line(by_hand) == ["one"]
    with pytest.raises(ModelMissing):
        by_hand.sessions.extract("one")
