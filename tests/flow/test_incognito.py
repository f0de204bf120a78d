"""A private session, elsewhere called incognito, is a log of its own and nothing else: no rows
beside it, no jobs, no call of a model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Forbidden, ModelError
from omoide.nouns.procedure import Failed
from omoide.settings.retention import Retention
from omoide.settings.triggers import read_triggers
from omoide.store import open_store
from tests.fix_memory import ANA, NINE
from tests.fix_teaching import TALK, note, says

# The log and what it is found by, its marks in the ledger, and by what name whoever spoke went
# there.
LOG = {
    "sessions",
    "turns",
    "docs",
    "terms",
    "vectors",
    "partitions",
    "revisions",
    "changes",
    "ledgers",
    "senders",
    "sqlite_sequence",
}
SAID = (
    "I can't eat peanuts",
    "my sister Eva visits in June",
    "please deploy the site",
    "it failed again",
    "I like short answers",
)


def rows(path: Path) -> dict[str, int]:
    """How many rows each table of a store's file has; those that an index is made of aside."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        names = [
            name
            for (name,) in file.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        return {
            name: next(iter(file.execute(f'SELECT count(*) FROM "{name}"')))[0] for name in names
        }


@pytest.fixture
def asked() -> list[Ask]:
    """What a model was asked."""
    return []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "memory.db"


@pytest.fixture
def eager(path: Path, asked: list[Ask], clock: FixedClock) -> Iterator[Memory]:
    """A memory that learns and reflects at every turn, from everybody."""

    def answer(ask: Ask) -> dict[str, Any]:
        asked.append(ask)
        return says(note("Ana can't eat peanuts", SAID[0]))

    teaching = Teaching(
        asker=Asker(ScriptedModel(answer)),
        triggers=read_triggers("turn"),
        learn_from="all",
        retention=Retention(prune_after=timedelta(days=900)),
    )
    with closing(open_store(str(path))) as store:
        memory = Memory(
            store,
            scope=ANA,
            clock=clock,
            background=False,
            embedder=FakeEmbedder(),
            teaching=teaching,
        )
        memory.admin.tidy()
        asked.clear()
        yield memory


def use(memory: Memory, clock: FixedClock, *, private: bool) -> None:
    """Talk, look, and ask for everything that forms memory, at once and by and by."""
    for text in SAID:
        memory.ingest([{"role": "user", "content": text, "name": "Ana"}], TALK, private=private)
        memory.recall("peanuts", TALK)
        memory.sessions.list()
        memory.upkeep.work()
    memory.sessions.end("talk")
    memory.sessions.extract("talk")
    memory.sessions.extract("talk", again=True)
    with suppress(ModelError):  # this model's reflections are none
        memory.reflections.add("talk")
    with suppress(Forbidden, ModelError):  # of a private session it is refused
        memory.procedures.learn(Failed(task="deploy the site", title="deploy the site"), TALK)
    memory.procedures.recipes()
    memory.sessions.catch_up()
    for _ in range(3):
        clock.move(days=2)
        memory.upkeep.work()
        memory.admin.tidy()


@pytest.mark.covers("ED-51", "GM-152")
def test_a_private_session_leaves_its_log_and_nothing_else(
    eager: Memory, path: Path, asked: list[Ask], clock: FixedClock
) -> None:
    """No row in any table but the log's, no job, and no word of it before a model."""
    before = rows(path)

    use(eager, clock, private=True)

    grown = {name for name, count in rows(path).items() if count != before[name]}
    assert [turn.text for turn in eager.sessions.turns(None, TALK)] == list(SAID)
    assert {
        name for name in grown if name.partition("_")[0] not in LOG and name not in LOG
    } == set()
    formed = [
        *eager.items.list().items,
        *eager.reflections.list(),
        *eager.reflections.digests(),
        *eager.review.list(),
        *eager.procedures.list(),
    ]
    assert (asked, eager.jobs.list(), formed) == ([], [], [])


def test_the_same_session_that_is_not_private_is_learnt_from(
    eager: Memory, path: Path, asked: list[Ask], clock: FixedClock
) -> None:
    """So that the other test looks where something would be."""
    before = rows(path)

    use(eager, clock, private=False)

    grown = {name for name, count in rows(path).items() if count != before[name]}
    assert grown >= {"items", "sessions", "turns"}
    assert asked


@pytest.mark.covers("ED-51")
def test_what_is_known_of_a_user_is_not_changed_by_being_shown_in_a_private_session(
    eager: Memory, clock: FixedClock
) -> None:
    """Not by how often it was used either."""
    known = eager.remember("Ana likes green tea")
    item = eager.get(known.id)

    use(eager, clock, private=True)

    assert eager.get(known.id) == item
    assert NINE < clock.now()
