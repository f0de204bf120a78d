"""The commands about work that waits, and a worker in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.memory import Memory
from omoide.nouns.clock import SystemClock
from omoide.nouns.errors import NotFound
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.jobs import Failure, Jobs

ANA = Scope(user="ana")
REASON = "BadAnswer: toy was asked to extract: no JSON"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of a home of its own, in which a turn of Ana's waits for its vector."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    monkeypatch.setenv("OMOIDE_USER", "ana")
    monkeypatch.setenv("OMOIDE_CAPTURE", "hand")  # nothing waits to be learnt from
    monkeypatch.setenv("OMOIDE_UPKEEP", "hand")
    say(tmp_path / "memory.db", "the wombat eats grass")
    return tmp_path / "memory.db"


def say(place: Path, text: str) -> None:
    """Log a turn of Ana's, as a program without a worker."""
    with Memory.open(str(place), background=False) as memory:
        memory.ingest([{"content": text}], Scope(user="ana", session="s"))


@pytest.fixture
def dead(place: Path) -> Path:
    """The same, where learning from a session gave up, after a model talked nonsense."""
    store, now = open_store(str(place)), SystemClock().now()
    with store.transaction(tenant=None) as tx:
        Jobs(tx).schedule(
            "default", "learn:s", "learn", user="ana", args={"session": "s"}, run_at=now
        )
        job = Jobs(tx).claim({"learn"}, now, now + timedelta(minutes=5))
        assert job is not None
        Jobs(tx).fail(
            job,
            Failure(failures=5, at=now, error=REASON, answer="well,\n\x1b[2J no"),
            again_at=None,
        )
    store.close()
    return place


@pytest.fixture
def omoide(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command, which must succeed; what it prints."""

    def call(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert run(list(arguments)) == code
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return out + err

    return call


def waiting(place: Path) -> int:
    """Jobs that are not done."""
    with Memory.open(str(place), background=False) as memory:
        return len(memory.jobs.list(Scope(shared=True)))


def test_what_waits_is_shown(place: Path, omoide: Callable[..., str]) -> None:
    """With the time it waits for; and as JSON."""
    assert "embed" in omoide("jobs", "list")
    (job,) = json.loads(omoide("jobs", "list", "--json"))
    assert (job["id"], job["state"], job["failures"]) == ("embed", "ready", 0)
    assert json.loads(omoide("jobs", "list", "--dead", "--json")) == []


def test_a_worker_does_what_waits_and_ends(place: Path, omoide: Callable[..., str]) -> None:
    """It says what it did; a second one finds nothing."""
    assert "1 job done" in omoide("worker", "--until-idle", "--threads", "3")
    assert waiting(place) == 0
    assert "nothing was to be done" in omoide("worker", "--until-idle")


def test_what_gave_up_is_shown_with_its_reason(dead: Path, omoide: Callable[..., str]) -> None:
    """Not with what the model said, which is shown when asked for: free of control characters."""
    shown = omoide("jobs", "list", "--dead")
    assert "learn:s" in shown
    assert f"5 failures, last {REASON}" in shown
    assert "well" not in shown + omoide("jobs", "list", "--json")
    assert "learn" in omoide("doctor", code=1)

    assert omoide("jobs", "answer", "learn:s").split() == ["well,", "[2J", "no"]
    assert (
        json.loads(omoide("jobs", "answer", "learn:s", "--json"))["answer"] == "well,\n\x1b[2J no"
    )
    assert omoide("--user", "ben", "jobs", "answer", "learn:s", code=NotFound.exit_code)


@pytest.mark.parametrize("which", ["learn:s", "all"])
def test_what_gave_up_can_be_tried_again(
    which: str, dead: Path, omoide: Callable[..., str]
) -> None:
    """One, or all; nobody else's, and none that did not give up."""
    assert "no job gave up" in omoide("--user", "ben", "jobs", "replay", "all")
    assert "1 job will be tried again" in omoide("jobs", "replay", which)
    assert json.loads(omoide("jobs", "list", "--dead", "--json")) == []
    assert omoide("jobs", "replay", "learn:s", code=NotFound.exit_code)


class Process:
    """``omoide worker`` in a process of its own."""

    def __init__(self, place: Path) -> None:
        command = [sys.executable, "-m", "omoide", "--store", str(place), "worker"]
        self._running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ}
        )

    def end(self, number: int) -> tuple[int, str]:
        """Tell it to end; its exit code, and what it said."""
        if self._running.poll() is None:
            self._running.send_signal(number)
        said, _ = self._running.communicate(timeout=60)
        return self._running.returncode, said


@pytest.fixture
def process(place: Path) -> Iterator[Process]:
    """A worker in a process of its own."""
    running = Process(place)
    yield running
    running.end(signal.SIGKILL)


def becomes_idle(place: Path) -> bool:
    """Whether nothing waits any more, within half a minute or so."""
    return any(waiting(place) == 0 or time.sleep(0.05) for _ in range(600))  # type: ignore[func-returns-value]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_does_what_others_leave_until_it_is_told_to_end(
    number: int, place: Path, process: Process
) -> None:
    """What waited when it started, and what another process logs afterwards; then it says what it
    did, and ends well.
    """
    assert becomes_idle(place)
    say(place, "and more")
    assert becomes_idle(place)

    code, said = process.end(number)
    assert (code, said.splitlines()) == (0, [f"working on {place}; Ctrl-C stops it", "2 jobs done"])


def test_what_waits_for_a_limit_says_so_and_counts_no_failure(
    place: Path, omoide: Callable[..., str]
) -> None:
    """Such as for a price, with what to do about it in full."""
    with Memory.open(str(place), background=False, llm=lambda ask: "{}", spend_limit=1.0) as memory:
        memory.sessions.end("s", ANA)
        memory.upkeep.work()

    shown = " ".join(omoide("jobs", "list").split())

    assert "PriceUnknown: no price is known for callable:<lambda>" in shown
    assert shown.endswith("or set token_limit in place of spend_limit")
    assert "failure" not in shown
