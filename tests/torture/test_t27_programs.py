"""T27: random programs of every verb, compared: SQLite with Postgres, one process with several, a
file that stays open with one that is opened anew, threads with one after the other.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.verbs.groups import VERBS
from tests.fix_postgres import SERVERS, TEMPLATE, create, database_of, drop
from tests.programs.answers import difference, plain
from tests.programs.calls import CALLS, LEFT_OUT
from tests.programs.crowd import crowded
from tests.programs.hosts import Awaited, OneMemory, OpenStore, Reopened, TakingTurns, Unordered
from tests.programs.program import Host, Run, compared, program_of
from tests.torture.kit import Report, count

# the short run has the same programs every time, the full one others
PROGRAMS, STEPS = count(2, 300), count(40, 150)
MakeHost = Callable[[OpenStore, int], Host]
MakeStore = Callable[[Path], OpenStore]

pytestmark = [pytest.mark.torture, pytest.mark.timeout(14_400 if PROGRAMS > 100 else 600)]


def in_file(folder: Path) -> OpenStore:
    """A SQLite file."""
    return partial(open_store, str(folder / "memory.db"))


def in_memory(folder: Path) -> OpenStore:
    """SQLite without a file."""
    return partial(open_store, ":memory:")


def unordered(folder: Path) -> OpenStore:
    """SQLite that gives rows in another order where none is asked for."""
    return partial(Unordered.open, ":memory:")


@pytest.fixture
def in_postgres(postgres_servers: Callable[[str], str]) -> Iterator[MakeStore]:
    """A database of its own for each program, on Postgres."""
    address = postgres_servers(SERVERS[0])
    names: list[str] = []

    def made(folder: Path) -> OpenStore:
        names.append(f"omoide_{uuid.uuid4().hex}")
        create(address, names[-1], TEMPLATE)
        return partial(open_store, database_of(address, names[-1]))

    yield made
    for name in names:
        drop(address, name)


def seeds_of(report: Report, programs: int) -> range:
    """A seed for each program: those of the report where one is asked for, or in a full run."""
    first = report.seed if "OMOIDE_SEED" in os.environ or PROGRAMS > 100 else 0
    return range(first, first + programs)


def differing(
    test: str, folder: Path, *hosts: tuple[MakeHost, MakeStore], programs: int = PROGRAMS
) -> Sequence[str]:
    """Where programs by chance came to something else on one of the hosts."""
    found = []
    with Report(test) as report:
        for seed in seeds_of(report, programs):
            with ExitStack() as stack:
                runs = []
                for n, (make, store) in enumerate(hosts):
                    place = folder / f"{seed}-{n}"
                    place.mkdir()
                    host = make(store(place), seed)
                    stack.callback(host.close)
                    runs.append(Run(host, place))
                told = compared(program_of(seed, STEPS), runs)
            if told:
                found.append(f"OMOIDE_SEED={seed}: {told}")
        report["programs"] = programs
    return found


def test_every_verb_is_called() -> None:
    """None is missing from the programs but what an engine leaves to others."""
    assert set(CALLS) | LEFT_OUT == {verb.full_name for verb in VERBS}


def test_the_comparison_sees_what_differs() -> None:
    """A text, a number, an order or a length that differs is found, and where; what is an engine's
    own is not looked at.
    """
    item = {"a": [1, 2.0, "x"], "b": Scope(user="ana")}

    assert difference(plain(item), plain(item)) is None
    assert difference(plain({"s": 0.1}), plain({"s": 0.1 + 1e-9})) is None
    assert difference(plain({"s": 0.1}), plain({"s": 0.11})) == "answer.s: 0.1 != 0.11"
    assert (
        difference(plain(item), plain(item | {"b": Scope(user="ben")}))
        == "answer.b.user: 'ana' != 'ben'"
    )
    assert str(difference([1, 2], [1])).startswith("answer: 2 != 1")
    assert difference(plain({"x": 1, "y": 2}), plain({"y": 2, "x": 1}))


def test_both_engines_come_to_the_same(tmp_path: Path, in_postgres: MakeStore) -> None:
    """Answers, errors, orders and archives; in whatever order rows come that have none."""
    hosts = (OneMemory, in_memory), (OneMemory, unordered), (OneMemory, in_postgres)
    assert differing("T27 engines", tmp_path, *hosts, programs=count(4, 300)) == []


def test_whoever_comes_next_finds_the_same(tmp_path: Path) -> None:
    """A file that is opened anew for each step, two memories that take turns, and asyncio."""
    hosts = [(host, in_file) for host in (OneMemory, Reopened, TakingTurns, Awaited)]
    assert differing("T27 hosts", tmp_path, *hosts, programs=count(1, 150)) == []


def test_two_memories_on_postgres_take_turns(tmp_path: Path, in_postgres: MakeStore) -> None:
    """Each notices what the other wrote, as one would."""
    hosts = (OneMemory, in_postgres), (TakingTurns, in_postgres)
    assert differing("T27 turns", tmp_path, *hosts, programs=count(1, 50)) == []


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_nothing_is_lost_among_many_at_once(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Two threads of two memories each: every error is Omoide's, no write is given up for another,
    what was acknowledged is there or was forgotten, and the store is sound.
    """
    make: MakeStore = request.getfixturevalue("in_postgres") if engine == "postgres" else in_file
    found: dict[int, list[str]] = {}
    with Report(f"T27 crowd {engine}") as report:
        for seed in seeds_of(report, count(1, 60)):
            folder = tmp_path / str(seed)
            folder.mkdir()
            programs = [program_of(10 * seed + n, STEPS) for n in range(4)]
            found[seed] = crowded(make(folder), programs, seed, folder)
        assert found
        assert not any(found.values()), found
        report["programs"] = 4 * count(1, 60)
