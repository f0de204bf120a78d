"""Rounds of upkeep: in one order, by hand or by a schedule, each chore alone or all, over every
tenant.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from omoide.learning.teaching import Teaching, load_teaching
from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.chore import Chore
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, ModelUnreachable, UnknownName
from omoide.nouns.memory_type import MemoryType
from omoide.nouns.scope import Scope
from omoide.settings.config import load_config
from omoide.settings.levels import Level
from omoide.settings.schedules import Frequency
from tests.fix_memory import ANA, NINE, OpenMemory, on_sqlite
from tests.fix_teaching import Taught, say

EACH_NIGHT = "30 3 * * *"


def due(memory: Memory) -> list[tuple[str, str]]:
    """The rounds that are to come, and when."""
    return [(job.id, job.run_at.isoformat()) for job in memory.jobs.list() if job.kind == "upkeep"]


@pytest.mark.covers("GM-64", "GM-69")
def test_a_round_does_its_chores_in_their_order_and_tells_what_it_did(memory: Memory) -> None:
    """What looks for what is near after the vectors, what prunes last."""
    say(memory, "I moved to Lisbon")

    done = memory.admin.tidy()

    assert [one.chore.value for one in done.chores] == [
        "vectors",
        "decay",
        "reconcile",
        "distil",
        "condense",
        "recipes",
        "prune",
    ]
    assert done.vectors == 1
    assert all(not one.failed for one in done.chores)


@pytest.mark.covers("GM-64")
def test_one_chore_can_be_done_alone(memory: Memory, clock: FixedClock) -> None:
    """In their order however they are named; what is none is refused, with those that there are."""
    memory.remember("Ana likes tea")
    clock.move(days=31)

    done = memory.admin.tidy(only=["decay", "vectors"])

    assert [one.chore for one in done.chores] == [Chore.VECTORS, Chore.DECAY]
    with pytest.raises(
        UnknownName, match="known: vectors, decay, reconcile, distil, condense, recipes, prune"
    ):
        memory.admin.tidy(only=["dust"])


def test_a_round_is_over_every_tenant(memory: Memory, clock: FixedClock) -> None:
    """By hand the whole store is tidied."""
    for tenant in ("one", "two"):
        memory.remember("Ana likes tea", Scope(tenant=tenant, user="ana"))
    clock.move(days=31)

    assert memory.admin.tidy(only=["decay"]).count(Chore.DECAY, "less sure") == 2


def test_a_round_finds_nothing_twice(memory: Memory, clock: FixedClock) -> None:
    """What is in order stays as it is."""
    memory.remember("Ana likes tea")
    clock.move(days=31)
    memory.admin.tidy()
    head = memory.admin.verify().head

    again = memory.admin.tidy()

    assert not any(one.changed for one in again.chores)
    assert memory.admin.verify().head == head


@pytest.mark.covers("GM-63")
def test_rounds_come_by_a_schedule(open_memory: OpenMemory, clock: FixedClock) -> None:
    """The worker does one when it is time, and again the next night."""
    memory = open_memory(teaching=Teaching(upkeep=EACH_NIGHT))
    memory.remember("Ana likes tea")
    assert due(memory) == [("upkeep", "2026-01-06T03:30:00+00:00")]
    clock.move(days=31)

    assert memory.upkeep.work().done == 1

    assert due(memory) == [("upkeep", "2026-02-06T03:30:00+00:00")]
    assert memory.admin.tidy(only=["decay"]).count(Chore.DECAY, "less sure") == 0


def test_many_starts_and_missed_nights_make_one_round(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """A program that is started now and then makes up for all nights at once."""
    for _ in range(3):
        memory = open_memory(teaching=Teaching(upkeep=EACH_NIGHT))
        clock.move(days=10)

    assert len(due(memory)) == 1
    assert memory.upkeep.work().done == 1
    assert memory.upkeep.work().done == 0


def test_tenants_that_came_since_have_rounds_too(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """From the next round on."""
    memory = open_memory(teaching=Teaching(upkeep=EACH_NIGHT))
    memory.remember("Ana likes tea")
    memory.remember("Ben likes tea", Scope(tenant="two", user="ben"))
    clock.move(days=1)
    memory.upkeep.work()

    assert [job.kind for job in memory.jobs.list(Scope(tenant="two", shared=True))] == ["upkeep"]


def test_another_schedule_takes_the_place_of_the_one_before(open_memory: OpenMemory) -> None:
    """And none takes it away; who says nothing leaves it."""
    open_memory(teaching=Teaching(upkeep=EACH_NIGHT))
    memory = open_memory(teaching=Teaching(upkeep="0 12 * * *"))
    assert due(memory) == [("upkeep", "2026-01-05T12:00:00+00:00")]
    assert len(due(open_memory())) == 1

    assert due(open_memory(teaching=Teaching(upkeep="hand"))) == []
    with pytest.raises(InvalidInput, match="is not a schedule"):
        open_memory(teaching=Teaching(upkeep="nightly"))


def test_the_setting_is_each_night_unless_told(tmp_path: Path) -> None:
    """Of a memory opened by its settings."""
    clock = FixedClock(NINE)
    with Memory.open(
        str(tmp_path / "a.db"), home=tmp_path, embedder="none", background=False, clock=clock
    ) as memory:
        assert due(memory) == [("upkeep", "2026-01-06T03:30:00+00:00")]
    with Memory.open(
        str(tmp_path / "a.db"),
        home=tmp_path,
        embedder="none",
        background=False,
        clock=clock,
        upkeep="hand",
    ) as memory:
        assert due(memory) == []


def test_a_failing_model_stops_no_other_chore(taught: Taught, clock: FixedClock) -> None:
    """It is named in what came of the chore that wanted it."""
    memory = taught(
        script={Purpose.EXTRACT: lambda ask: ModelUnreachable("gone"), Purpose.DISTIL: []}
    )
    say(memory, "one", "two", "three", "four", "five")
    memory.remember("Ana likes tea")
    clock.move(days=31)

    done = memory.admin.tidy()

    assert [one.failed for one in done.chores] == ["", "", "", "ModelUnreachable", "", "", ""]
    assert done.count(Chore.DECAY, "less sure") == 1


def test_a_failing_embedder_is_raised(memory: Memory, embedder: FakeEmbedder) -> None:
    """Nothing is compared by half of the vectors."""
    say(memory, "I moved to Lisbon")
    embedder.fault = Fault.DOWN

    with pytest.raises(ModelUnreachable):
        memory.admin.tidy()


def test_a_round_of_one_user_s_things_is_undone_by_them(memory: Memory, clock: FixedClock) -> None:
    """All its chores by one id."""
    tea = memory.remember("Ana likes tea").id
    clock.move(days=31)
    done = memory.admin.tidy()

    assert memory.undo(done.id, ANA)
    assert memory.get(tea, ANA)


@on_sqlite
def test_a_round_under_way_stops_when_the_worker_does(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """The job is given back, and done by whoever comes next."""
    memory = open_memory(teaching=Teaching(upkeep=EACH_NIGHT))
    memory.remember("Ana likes tea")
    clock.move(days=31)
    looks = iter([False, False, True])

    done = memory.upkeep.work(lambda: next(looks, True))

    assert (done.done, done.failed) == (0, 0)
    assert [job.state for job in memory.jobs.list() if job.kind == "upkeep"] == ["ready"]
    assert memory.upkeep.work().done == 1
    assert memory.jobs.list()[0].run_at - clock.now() < timedelta(days=1)


@pytest.mark.covers("SO-5")
@pytest.mark.parametrize(
    ("interval", "at"),
    [
        ("hourly", datetime(2026, 1, 5, 9, 30)),
        ("daily", datetime(2026, 1, 6, 3, 30)),
        ("weekly", datetime(2026, 1, 11, 3, 30)),
    ],
)
def test_rounds_come_at_the_interval_that_is_named(
    open_memory: OpenMemory, tmp_path: Path, interval: str, at: datetime
) -> None:
    """From nine on a Monday, and after that until it is said to be never. These are all that can be
    named, and all levels and types.
    """

    def come(interval: str) -> list[datetime]:
        memory = open_memory(
            teaching=load_teaching(load_config({}, home=tmp_path, upkeep=interval))
        )
        return [job.run_at for job in memory.jobs.list() if job.kind == "upkeep"]

    assert come(interval) == [at.replace(tzinfo=UTC)]
    assert come("never") == []
    assert [one.name for one in Frequency] == ["HOURLY", "DAILY", "WEEKLY", "NEVER"]
    assert {one.name for one in Level} == {"PERSISTENT", "PROJECT", "SESSION", "NONE"}
    assert {one.name for one in MemoryType} == {
        "WORKING",
        "EPISODIC",
        "SEMANTIC",
        "PROCEDURAL",
        "SOCIAL",
    }
