"""T11: whatever a model does wrong, no turn is lost, no job vanishes, nothing half said is
believed; once it works again, all is learnt.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.patient import Patience, Patient
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.scope import Scope
from omoide.settings.triggers import read_triggers
from omoide.store import open_store
from omoide.tables.listing import Listing
from tests.faulty import WORDS, Fault, FaultyModel
from tests.fix_memory import NINE
from tests.torture.kit import Report, count

CONVERSATIONS = count(2, 40)
# Half of the users meet the fault where talk is read, half where what was read is compared with
# what is known.
PARTS = {
    Purpose.EXTRACT: (0, CONVERSATIONS // 2),
    Purpose.DECIDE: (CONVERSATIONS // 2, CONVERSATIONS),
}
HANG_S = 0.05
TEAS = ("green tea", "black tea", "mint tea", "white tea", "fennel tea")
# Answers that can be read: what is wrong in them is for grounding and for the rules to find. The
# job is done.
READABLE = frozenset(
    {
        Fault.ODD_ENTRIES,
        Fault.SURROGATES,
        Fault.NUL,
        Fault.LOOP,
        Fault.LANGUAGE,
        Fault.INVENTED,
        Fault.STRANGER,
    }
)
READABLE |= {Fault.PRIVILEGED, Fault.LIST}
# What is waited for, and learnt without anybody's doing once it is over. One that stays away for
# good is retired.
PASSING = frozenset(
    {Fault.TIMEOUT, Fault.HANG, Fault.RATE_LIMIT, Fault.FAILING, Fault.OVERLOADED, Fault.BROKEN_OFF}
)
HOURS = 5  # that it takes to pass


def is_learnt(fault: Fault, purpose: Purpose) -> bool:
    """Whether a job is done all the same: what cannot be read where notes are compared decides
    nothing, so all of them are added.
    """
    unread = purpose is Purpose.DECIDE and fault in {*WORDS, Fault.CUT_OFF}
    return unread or fault in READABLE


def first(n: int) -> list[str]:
    """What is said in a user's first session."""
    return [f"I like {TEAS[n % 5]} best on rainy winter evenings", f"My bike has {n + 10} gears"]


def second(n: int) -> list[str]:
    """What is said in the second one: a change, which the rules see by themselves, and something
    new.
    """
    return [
        f"I like {TEAS[(n + 1) % 5]} best on rainy winter evenings",
        f"My sister lives in street number {n + 3}",
    ]


def sound_answers(ask: Ask) -> dict[str, Any]:
    """A model that remembers each turn word for word, and knows which of them say the same anew."""
    if ask.purpose is Purpose.EXTRACT:
        turns = re.findall(r"^(\d+) [^:]+: (.*)$", ask.text, re.MULTILINE)
        return {
            "items": [
                {"text": text, "quote": text, "turn": int(number), "category": "fact"}
                for number, text in turns
            ]
        }
    known = re.findall(r"^(k\d+) \(\S+\) (I like .*)$", ask.text, re.MULTILINE)
    likes = re.findall(r"^(\d+)\. (?:\(.*?\) )?I like ", ask.text, re.MULTILINE)
    decisions = [
        {"note": note, "op": "update", "ref": mark, "was": text}
        for note in likes
        for mark, text in known[:1]
    ]
    return {"decisions": decisions}


class Run:
    """A memory that learns with a model which does as it is told, wrong or right."""

    def __init__(self, url: str) -> None:
        self.fault: Fault | None = None
        self.purpose = Purpose.EXTRACT
        self.clock = FixedClock(NINE)
        self.model = FaultyModel(
            ScriptedModel(sound_answers),
            lambda ask: self.fault if ask.purpose is self.purpose else None,
        )
        patience = Patience(timeout_s=HANG_S, attempts=2)
        patient = Patient(
            self.model, patience, now=lambda: self.clock.now().timestamp(), wait=self.wait
        )
        teaching = Teaching(asker=Asker(patient), triggers=read_triggers("turn"))
        self.memory = Memory(
            open_store(url),
            embedder=FakeEmbedder(),
            clock=self.clock,
            background=False,
            teaching=teaching,
        )

    def wait(self, seconds: float) -> None:
        """Wait, at once."""
        self.clock.move(seconds=seconds)

    def say(self, scope: Scope, *texts: str) -> None:
        """Log what a user says."""
        self.memory.ingest([{"role": "user", "content": text} for text in texts], scope)

    def work(self, hours: int = 200) -> None:
        """Do jobs, again and again, until each is done or gave up, or so many hours are over."""
        for _ in range(hours):
            self.memory.upkeep.work()
            if self.memory.upkeep.queue.next_at() is None:
                return
            self.clock.move(hours=1)

    def texts(self, scope: Scope) -> list[str]:
        """What is known of a user, once for each time that it is; what is unconfirmed aside."""
        listing = Listing(confirmed_only=True)
        return sorted(item.text for item in self.memory.items.list(listing, scope).items)

    def said(self, scope: Scope, session: str) -> list[str]:
        """The turns of a session."""
        return [turn.text for turn in self.memory.sessions.turns(session, scope)]


def learnt(run: Run, users: dict[Scope, int]) -> None:
    """Users who told a first session, learnt from with nothing wrong, and a second one, not learnt
    from yet.
    """
    for scope, n in users.items():
        run.say(replace(scope, session=f"{scope.user}:1"), *first(n))
    run.work()
    for scope, n in users.items():
        run.say(replace(scope, session=f"{scope.user}:2"), *second(n))


def right() -> list[tuple[list[str], list[str]]]:
    """What is known of each user after each session, in a run without faults."""
    run, users = Run(":memory:"), {Scope(user=f"u{n}"): n for n in range(CONVERSATIONS)}
    learnt(run, users)
    before = [run.texts(scope) for scope in users]
    run.work()
    after = [run.texts(scope) for scope in users]
    run.memory.close()
    assert [*map(len, before)] == [2] * CONVERSATIONS
    assert [*map(len, after)] == [3] * CONVERSATIONS  # what they like best is superseded
    return list(zip(before, after, strict=True))


def torture(
    run: Run,
    fault: Fault,
    purpose: Purpose,
    report: Report,
    wanted: list[tuple[list[str], list[str]]],
) -> None:
    """Users tell what is then to be learnt with a fault; afterwards it is mended, and all tried
    again.
    """
    run.fault, run.purpose = None, purpose
    users = {Scope(user=f"{fault}-{purpose}-{n}"): n for n in range(*PARTS[purpose])}
    learnt(run, users)
    run.fault = fault
    run.work(HOURS if fault in PASSING else 200)
    run.fault = None
    for scope, n in users.items():
        check_kept(run, scope, n, fault, wanted[n], report)
    run.clock.move(hours=1)
    for scope in users:
        if is_learnt(fault, purpose):
            run.memory.sessions.extract(f"{scope.user}:2", scope, again=True)
        elif fault not in PASSING:
            report["replayed"] += run.memory.jobs.replay(scope=scope)
    run.work()
    for scope, n in users.items():
        # what an answer that could not be read would have closed stays open beside it
        report["not learnt in the end"] += not set(wanted[n][1]) <= set(run.texts(scope))
        report["jobs left"] += len(run.memory.jobs.list(scope))


def check_kept(
    run: Run,
    scope: Scope,
    n: int,
    fault: Fault,
    wanted: tuple[list[str], list[str]],
    report: Report,
) -> None:
    """While the fault lasted: every turn is there, every job was done or says why not, and nothing
    is known that was not said.
    """
    report["conversations"] += 1
    report["turns lost"] += run.said(scope, f"{scope.user}:2") != second(n)
    jobs = run.memory.jobs.list(scope)
    state = "done" if is_learnt(fault, run.purpose) else "ready" if fault in PASSING else "dead"
    report["jobs in another state"] += [job.state for job in jobs] != (
        [] if state == "done" else [state]
    )
    report["jobs without a reason"] += len([job for job in jobs if not job.error])
    before, after = wanted
    known = run.texts(scope)
    report["facts that nobody said"] += len(set(known) - set(before) - set(after))
    report["facts twice"] += len(known) - len(set(known))
    report["facts of a failed job"] += bool(jobs) and known != before
    raw = [run.memory.jobs.answer(job.id, scope) for job in jobs]
    report["raw answers kept"] += len([text for text in raw if text])


BAD = (
    "turns lost",
    "jobs without a reason",
    "jobs in another state",
    "facts that nobody said",
    "facts twice",
    "facts of a failed job",
    "not learnt in the end",
    "jobs left",
)


def all_faults(url: str, report: Report) -> None:
    """Every fault, in both questions that are asked of a model to learn from talk."""
    wanted, run = right(), Run(url)
    try:
        for fault in Fault:
            for purpose in PARTS:
                torture(run, fault, purpose, report, wanted)
    finally:
        run.model.released.set()
    report["faults"] = sum(run.model.fired.values())
    assert set(run.model.fired) == set(Fault)
    assert {name: report[name] for name in BAD} == dict.fromkeys(BAD, 0)
    assert report["conversations"] == CONVERSATIONS * len(Fault)
    run.memory.close()


@pytest.mark.torture
@pytest.mark.covers("GM-58", "LS-30", "LS-51")
@pytest.mark.timeout(3_600)
def test_t11_a_faulty_model_loses_nothing(tmp_path: Path) -> None:
    """Thirty faults: no turn is lost, every job is done or says why not, and replaying brings what
    a run without faults brings.
    """
    with Report("T11") as report:
        all_faults(str(tmp_path / "memory.db"), report)


@pytest.mark.torture
@pytest.mark.postgres
@pytest.mark.covers("GM-58")
@pytest.mark.timeout(3_600)
def test_t11_a_faulty_model_loses_nothing_on_postgres(postgres_url: str) -> None:
    """The same on a server, which takes no NUL and no half letters."""
    with Report("T11 postgres") as report:
        all_faults(postgres_url, report)
