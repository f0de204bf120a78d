"""What was undone because two writers waited for each other is done again, by whichever verb."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from omoide.clock import FixedClock
from omoide.errors import Deadlock
from omoide.memory import Memory
from omoide.models.asker import Asker
from omoide.models.chat import Purpose
from omoide.models.scripted import ScriptedModel
from omoide.records import Because, Tier
from omoide.store import open_store
from omoide.store.base import Store, Transaction
from omoide.upkeep.teaching import Teaching
from tests.fix_memory import ANA
from tests.fix_teaching import TALK, note, say, says, texts


class Crossing:
    """A store of which the next write is undone once, as a database does with one of two that wait for each other."""

    def __init__(self, store: Store) -> None:
        self._store, self.crossed = store, False

    @contextmanager
    def transaction(self, *, write: bool = True, durable: bool = True) -> Iterator[Transaction]:
        """As the store's."""
        with self._store.transaction(write=write, durable=durable) as tx:
            try:
                yield tx
            finally:
                if write and durable and self.crossed:
                    self.crossed = False
                    raise Deadlock("two writers waited for each other")

    def close(self) -> None:
        """As the store's."""
        self._store.close()


VERBS: dict[str, Callable[[Memory], object]] = {
    "ingest": lambda memory: say(memory, "I keep bees"),
    "extract": lambda memory: memory.extract("talk"),
    "extract dry": lambda memory: memory.extract("talk", dry_run=True),
    "undo": lambda memory: memory.undo("talk", ANA),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_is_undone_once_is_done_again(verb: str, clock: FixedClock) -> None:
    """It ends as without that."""
    lives = []
    for crossed in (False, True):
        store = Crossing(open_store(":memory:"))
        model = ScriptedModel({Purpose.EXTRACT: lambda ask: says(note("Ana moved to Lisbon", "I moved to Lisbon"))})
        memory = Memory(store, scope=ANA, embedder=None, clock=clock, background=False, teaching=Teaching(asker=Asker(model)))
        memory = memory.acting(Because(actor="ana", tier=Tier.USER))
        say(memory, "I moved to Lisbon")
        store.crossed = crossed
        VERBS[verb](memory)
        assert not store.crossed
        lives.append((texts(memory), [turn.text for turn in memory.turns(scope=TALK)], memory.stats().changes))
        memory.close()
    assert lives[0] == lives[1]
