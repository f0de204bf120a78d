"""What was undone because two writers waited for each other is done again, by whichever verb."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from omoide.learning.report import Fate
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedAnswer, ScriptedModel
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Deadlock
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.procedure import Failed
from omoide.nouns.proposal import ForReview
from omoide.store import open_store
from omoide.store.base import Store, Transaction
from omoide.tables.listing import Listing
from omoide.write.remember import Statement
from tests.fix_memory import ANA
from tests.fix_teaching import TALK, note, say, says, texts


class Crossing(Store):
    """A store of which the next write is undone once, as a database does with one of two that wait
    for each other.
    """

    def __init__(self, store: Store) -> None:
        self._store, self.crossed, self.later = store, False, False

    @contextmanager
    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> Iterator[Transaction]:
        """As the store's."""
        with self._store.transaction(tenant=tenant, write=write, durable=durable) as tx:
            try:
                yield tx
            finally:
                if write and durable and self.crossed:
                    self.crossed = False
                    raise Deadlock("two writers waited for each other")

    def close(self) -> None:
        """As the store's."""
        self._store.close()


def known(memory: Memory, text: str = "Ana keeps bees") -> str:
    """The id of an item of that text, open or closed."""
    return next(
        item.id for item in memory.items.list(Listing(closed=True)).items if item.text == text
    )


def settled(memory: Memory, how: Callable[[Memory, ForReview], object]) -> None:
    """Let something wait, and then not."""
    assert memory.sessions.extract("talk")[0].count(Fate.WAITING) == 1
    (one,) = memory.review.list()
    cross(memory)
    how(memory, one)


def cross(memory: Memory) -> None:
    """Let the next write be undone, in the life in which one is."""
    assert isinstance(memory.store, Crossing)
    memory.store.crossed, memory.store.later = memory.store.later, False


VERBS: dict[str, Callable[[Memory], object]] = {
    "ingest": lambda memory: say(memory, "I keep bees"),
    "extract": lambda memory: memory.sessions.extract("talk"),
    "extract preview": lambda memory: memory.sessions.extract("talk", preview=True),
    "undo": lambda memory: memory.undo("talk", ANA),
    "remember": lambda memory: memory.remember("Ana has a cat"),
    "seed": lambda memory: memory.items.add_many(
        [Statement(text="Ana has a cat"), Statement(text="Ana has a dog")]
    ),
    "correct": lambda memory: memory.correct(
        known(memory), "Ana keeps wasps", details=Details(source=Source.USER)
    ),
    "edit": lambda memory: memory.items.edit(known(memory), tags=["hobby"]),
    "feedback": lambda memory: memory.items.feedback(known(memory), helpful=True),
    "reopen": lambda memory: memory.items.reopen(known(memory, "Ana is away")),
    "forget item": lambda memory: memory.forget(known(memory)),
    "forget session": lambda memory: memory.sessions.forget("talk"),
    "forget all": lambda memory: memory.admin.erase("all"),
    "name": lambda memory: memory.entities.name("Rex", "the dog"),
    "merge": lambda memory: memory.entities.merge("Rex", "Max"),
    "split": lambda memory: memory.entities.split("Max", "Maxi"),
    "reflect": lambda memory: memory.reflections.add("talk"),
    "record_tool": lambda memory: memory.tool_calls.record("search"),
    "lesson in line": lambda memory: memory.procedures.learn(
        Failed(task="to bake", error="burnt"), later=True
    ),
    "end": lambda memory: memory.sessions.end("talk"),
    "catch_up": lambda memory: memory.sessions.catch_up(),
    "doctor": lambda memory: memory.admin.doctor(repair=True),
    "decay": lambda memory: memory.admin.tidy(only=["decay"]),
    "prune": lambda memory: memory.admin.tidy(only=["prune"]),
    "link": lambda memory: memory.users.link("chat", "+351", "ana"),
}

SETTLING: dict[str, Callable[[Memory, ForReview], object]] = {
    "approve": lambda memory, one: memory.review.approve(one.proposal.id, one.seal),
    "reword": lambda memory, one: memory.review.edit(one.proposal.id, "Ben keeps rabbits"),
    "reject": lambda memory, one: memory.review.reject(one.proposal.id),
}
VERBS |= {name: partial(settled, how=how) for name, how in SETTLING.items()}
LATER = frozenset(SETTLING)  # verbs that cross a write of their own choice


def hear(ask: Ask) -> ScriptedAnswer:
    """One note that holds, and one that a page would have followed."""
    return says(
        note("Ana moved to Lisbon", "I moved to Lisbon"),
        note("Answers are to be in rhymes", "Answers are in rhymes", category="preference"),
    )


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_is_undone_once_is_done_again(verb: str, clock: FixedClock) -> None:
    """It ends as without that."""
    lives = []
    for crossed in (False, True):
        store = Crossing(open_store(":memory:"))
        model = ScriptedModel(
            {
                Purpose.EXTRACT: hear,
                Purpose.DECIDE: lambda ask: {"decisions": []},
                Purpose.REFLECT: lambda ask: {"reflections": []},
            }
        )
        memory = Memory(
            store,
            scope=ANA,
            embedder=None,
            clock=clock,
            background=False,
            teaching=Teaching(asker=Asker(model)),
        )
        memory = memory.acting(Because(actor="ana", tier=Tier.USER))
        say(memory, "I moved to Lisbon\n> Answers are in rhymes")
        memory.remember("Ana keeps bees")
        memory.undo(memory.history(memory.remember("Ana is away").id).changes[0].id)
        for name in ("Rex", "Max"):
            memory.entities.name(name)
        memory.entities.name("Max", "Maxi")
        memory.clock.move(days=40)  # type: ignore[attr-defined]
        store.crossed, store.later = crossed and verb not in LATER, crossed
        VERBS[verb](memory)
        assert not store.crossed
        names = [(one.name, one.aliases) for one in memory.entities.list()]
        waiting = [one.text for one in memory.review.list()]
        lives.append(
            (
                texts(memory),
                [turn.text for turn in memory.sessions.turns(scope=TALK)],
                names,
                waiting,
                memory.stats().changes,
            )
        )
        memory.close()
    assert lives[0] == lives[1]
