"""T12, capture: processes learn from talks, by job and by hand, and are killed; what is known then
is what one after the other knows.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide.jobs.queue import Queue
from omoide.learning.capture import Capture
from omoide.learning.teaching import Teaching, kept_in
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.clock import SystemClock
from omoide.nouns.errors import Conflict
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.jobs import EXTRACT_JOB, Jobs
from omoide.tables.listing import Listing
from omoide.write.encoders import open_encoders
from tests.fix_memory import session_of
from tests.torture.kit import FULL, TENANT, Child, Report, count

USERS, TALKS, KILLS = count(8, 12), count(3, 6), count(6, 60)
LEASE = timedelta(seconds=2)
SLOW_S = 0.5 if FULL else 0.15  # at most, of a model's answer

Say = Callable[[str], None]


CHANGES = (
    "The rent of the flat is {} euros a month",
    "Grandmother Rosa weighs {} kilograms",
    "The choir has {} singers",
    "The beehive gave {} jars of honey",
    "The commute by train takes {} minutes",
    "The telescope magnifies {} times",
)
EVERYWHERE = "Ana plays the cello"
STAYS = (
    "collects stamps",
    "repairs clocks",
    "bakes rye bread",
    "climbs in winter",
    "paints watercolours",
    "teaches chess to children",
)


def told(talk: int) -> list[str]:
    """What is said in a talk: something that changes twice, something that stays, both of this talk
    alone; and what every talk says.
    """
    first, second, third = (CHANGES[talk].format(n) for n in (40, 45, 50))
    return [first, EVERYWHERE, second, f"Ana {STAYS[talk]}", third]


def talks() -> list[tuple[Scope, list[str]]]:
    """All talks, each with its place."""
    places = [(user, talk) for talk in range(TALKS) for user in range(USERS)]
    return [
        (Scope(tenant=TENANT, user=f"ana{user}", session=f"talk-{user}-{talk}"), told(talk))
        for user, talk in places
    ]


def teaching(chance: random.Random, slow_s: float, say: Say) -> Teaching:
    """A model that notes each turn as it was said, after a while."""

    def note(ask: Ask) -> dict[str, Any]:
        say("asked")
        time.sleep(chance.uniform(0, slow_s))
        said = [
            line.split(" Ana: ", 1)
            for line in ask.text.splitlines()
            if " Ana: " in line and not line.startswith("earlier")
        ]
        return {
            "items": [
                {"text": text, "quote": text, "turn": int(number), "category": "fact"}
                for number, text in said
            ]
        }

    return Teaching(
        asker=Asker(
            ScriptedModel({Purpose.EXTRACT: note, Purpose.DECIDE: lambda ask: {"decisions": []}})
        )
    )


def work(url: str, seed: int, slow_s: float, say: Say) -> None:
    """Learn from talks until nothing is left to learn from."""
    store, capture = open_capture(url, seed, slow_s, say)
    queue = Queue(store, SystemClock(), {EXTRACT_JOB: capture.job}, lease=LEASE)
    while left(store):
        queue.run()
        time.sleep(0.01)
    store.close()


def ask_by_hand(url: str, seed: int, slow_s: float, say: Say) -> None:
    """Learn from one talk after the other, in any order, also from those that others are at."""
    store, capture = open_capture(url, seed, slow_s, say)
    places = [session_of(scope.session or "", scope) for scope, _ in talks()]
    random.Random(seed).shuffle(places)
    for session in places:
        with suppress(Conflict):  # it took so long that the talk was another's
            capture.extract(TENANT, session)
    store.close()


def open_capture(url: str, seed: int, slow_s: float, say: Say) -> tuple[Store, Capture]:
    """A store, and what learns from its talks."""
    store, clock = open_store(url), SystemClock()
    encoders = open_encoders(store, clock, None, load_embedder)
    kept = kept_in(store, clock, TENANT, teaching(random.Random(seed), slow_s, say))
    return store, Capture(store, clock, lambda: encoders, kept, lease=LEASE)


def left(store: Store) -> int:
    """Talks that nothing was learnt from yet, those aside whose jobs lost five workers: these wait
    for somebody to replay them.
    """
    with store.transaction(tenant=None, write=False) as tx:
        return sum(
            jobs.total
            for jobs in Jobs(tx).waiting(TENANT)
            if jobs.kind == EXTRACT_JOB and jobs.state != "dead"
        )


def fill(url: str) -> None:
    """Log all talks; each is over."""
    with Memory(open_store(url), scope=Scope(user="ana"), background=False) as memory:
        for scope, texts in talks():
            memory.ingest(
                [{"role": "user", "content": text, "name": "Ana"} for text in texts], scope
            )
            memory.sessions.end(scope.session or "", scope)


def known(url: str) -> list[tuple[object, ...]]:
    """Every item of every user, closed ones too: what it says, whether it holds, how sure it is,
    and what it rests on.

    Which talk is the first that says what every talk says is told by their order, and a killed one
    is late.
    """
    with Memory(open_store(url), scope=Scope(user="ana"), background=False) as memory:
        found = []
        for user in sorted({scope.user or "" for scope, _ in talks()}):
            items = memory.items.list(
                Listing(closed=True, limit=1_000), Scope(tenant=TENANT, user=user)
            ).items
            found += [
                (
                    user,
                    one.text,
                    one.is_open,
                    round(one.confidence, 6),
                    () if one.text == EVERYWHERE else one.source_turns,
                )
                for one in items
            ]
        assert memory.admin.verify(scope=Scope(tenant=TENANT, shared=True)).problems == ()
        assert memory.admin.doctor() == []
        return sorted(found)


def torture(url: str, one_by_one: str, report: Report) -> None:
    """Kill processes that learn, replace them, let the last ones finish; then compare with one that
    was left in peace.
    """
    fill(url)
    fill(one_by_one)
    work(one_by_one, report.seed, 0, lambda line: None)
    seeds = iter(range(report.seed, report.seed + 10_000))

    def start() -> Child:
        seed = next(seeds)
        return Child(lambda say: (work, ask_by_hand)[seed % 2](url, seed, SLOW_S, say))

    workers = [start(), start()]
    for _ in range(KILLS):
        victim = workers.pop(0)
        report["asked"] += victim.next_line() == "asked"
        time.sleep(report.random.uniform(0, 2 * SLOW_S))
        lines = victim.kill()
        assert not any(line.startswith("!") for line in lines), lines
        report["kills"] += victim.status == -9
        workers.append(start())
    for worker in workers:
        lines = worker.wait()
        assert worker.status == 0, lines
    replay(url)
    work(url, report.seed, 0, lambda line: None)
    theirs, ours = known(one_by_one), known(url)
    report["items"] = len(theirs)
    assert ours == theirs
    assert len(theirs) == USERS * (1 + 4 * TALKS)
    assert report["kills"] >= KILLS / 2


def replay(url: str) -> None:
    """Let jobs that lost their workers too often be tried again."""
    store = open_store(url)
    with store.transaction(tenant=None) as tx:
        Jobs(tx).replay(SystemClock().now(), kind=EXTRACT_JOB)
    store.close()


@pytest.mark.torture
@pytest.mark.covers("LS-75")
@pytest.mark.timeout(3_600)
def test_t12_what_is_learnt_does_not_depend_on_who_was_killed(tmp_path: Path) -> None:
    """Nothing is learnt twice, nothing lost, and nothing surer than it is."""
    with Report("T12 capture") as report:
        torture(str(tmp_path / "memory.db"), str(tmp_path / "peace.db"), report)


@pytest.mark.torture
@pytest.mark.postgres
@pytest.mark.covers("LS-75")
@pytest.mark.timeout(3_600)
def test_t12_what_is_learnt_does_not_depend_on_who_was_killed_on_postgres(
    postgres_url: str, tmp_path: Path
) -> None:
    """The same on a server, compared with a file."""
    with Report("T12 capture postgres") as report:
        torture(postgres_url, str(tmp_path / "peace.db"), report)
