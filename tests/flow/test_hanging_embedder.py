"""An embedder that hangs: whoever asked it is told in time, and nobody else waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.embedders.encoders import Named
from omoide.nouns.errors import InvalidInput, ModelTimeout
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.settings.config import load_config
from tests.fix_memory import OpenMemory
from tests.unit.test_models_awaited import Hanging

LONG_S, SOON_S = 30.0, 0.2


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    """It is let go at the end, so that no thread stays."""
    embedder = Hanging()
    yield embedder
    embedder.free.set()


def in_background(*calls: Callable[[], Any]) -> list[Any]:
    """Starts these, each in a thread; what they gave or raised is put into the list."""
    done: list[Any] = []

    def run(call: Callable[[], Any]) -> None:
        try:
            done.append(call())
        except ModelTimeout as error:
            done.append(error)

    for call in calls:
        threading.Thread(target=run, args=(call,), daemon=True).start()
    return done


def until(happened: Callable[[], bool]) -> None:
    """Wait for it, ten seconds at most."""
    end = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_others_do_not_wait_for_a_thread_whose_embedder_hangs(
    open_memory: OpenMemory, hanging: Hanging
) -> None:
    """They remember and recall as ever, long before that call is given up on; then it ends as it
    would have.
    """
    memory = open_memory(embedder=Named("", hanging, LONG_S))
    stuck = in_background(lambda: memory.remember("this will hang"))
    until(lambda: hanging.called == 1)

    done = in_background(*(lambda n=n: memory.remember(f"Ana has {n} hens") for n in range(5)))
    until(lambda: len(done) == 5)
    assert memory.recall("hens").hits
    assert stuck == []

    hanging.free.set()
    until(lambda: len(stuck) == 1)
    assert stuck[0].item.text == "this will hang"


def test_who_asked_one_that_hangs_is_told_in_time(
    open_memory: OpenMemory, hanging: Hanging
) -> None:
    """Remember stores nothing then and recall gives nothing, but says why; without vectors recall
    goes on.
    """
    memory: Memory = open_memory(embedder=Named("", hanging, SOON_S))

    for verb in (memory.remember, memory.recall):
        with pytest.raises(ModelTimeout, match="no answer within"):
            verb("this will hang")
    assert memory.items.list().total == 0
    assert memory.recall(Query(text="this will hang", preset="fast")).hits == ()


def test_what_is_logged_waits_for_its_vectors(open_memory: OpenMemory, hanging: Hanging) -> None:
    """Logging asks no embedder; what makes vectors later is told in time as well, and makes them
    once it answers again.
    """
    memory: Memory = open_memory(embedder=Named("", hanging, SOON_S))
    memory.ingest([{"role": "user", "content": "this will hang"}])

    with pytest.raises(ModelTimeout):
        memory.admin.tidy(only=("vectors",))
    assert memory.stats().coverage[0].percent == 0
    hanging.free.set()
    memory.admin.tidy(only=("vectors",))
    assert memory.stats().coverage[0].percent == 100
    assert memory.recall("this will hang").hits[0].kind is Kind.TURN


def test_how_long_is_waited_is_a_setting() -> None:
    """Two minutes unless told; never no time at all."""
    assert load_config(environment={"OMOIDE_EMBEDDER_TIMEOUT_S": "2.5"}).embedder_timeout_s == 2.5
    assert load_config(environment={}).embedder_timeout_s == 120
    with pytest.raises(InvalidInput):
        load_config(environment={}, embedder_timeout_s=0)
