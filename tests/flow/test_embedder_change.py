"""Another embedder: built up beside the old one, then taking over; never a mix of two."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.change import Because
from omoide.nouns.errors import ModelError, ModelUnreachable, UnknownName
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.embedders import Embedders
from omoide.upkeep.vectors import beside, drop_spare
from tests.fix_memory import ANA, NINE, OpenMemory

Texts = Callable[..., list[str]]
S = Scope(user="ana", session="s")


def vectors(store: Store) -> dict[str, int]:
    """How many vectors of each embedder there are."""
    with store.transaction(tenant=None, write=False) as tx:
        return {model.id: Embedders(tx).vectors(model.number) for model in Embedders(tx).all()}


def states(memory: Memory) -> dict[str, tuple[str, float]]:
    """Each embedder's state and coverage in percent."""
    return {c.embedder: (c.state, c.percent) for c in memory.stats().coverage}


@pytest.fixture
def lived(open_memory: OpenMemory) -> Memory:
    """A memory with vectors of a first embedder, which can be loaded again by its name."""
    memory = open_memory()
    memory.remember("the wombat sleeps in the shade")
    memory.ingest([Message(text="the wombat eats grass")], S)
    memory.admin.tidy()
    return memory


@pytest.mark.covers("LS-86", "GM-41", "SO-16", "CX-15")
@pytest.mark.parametrize(
    "new",
    [FakeEmbedder(32), FakeEmbedder(64, name="other")],
    ids=["another width", "the same width"],
)
def test_a_new_embedder_takes_over_when_complete(
    new: FakeEmbedder, lived: Memory, store: Store, open_memory: OpenMemory
) -> None:
    """Until every vector is made it does not serve; then it does alone, and the old vectors are set
    aside.
    """
    old = lived.stats().coverage[0].embedder

    memory = open_memory(embedder=new)
    assert states(memory) == {old: ("active", 100.0), new.id: ("building", 0.0)}
    memory.remember("the koala sleeps too")
    assert memory.admin.tidy().vectors == 2

    assert states(memory) == {new.id: ("active", 100.0)}
    assert memory.recall("wombat").degraded == ()
    assert memory.recall("koala sleeps too").hits[0].text == "the koala sleeps too"
    assert vectors(store) == {old: 2, new.id: 3}
    assert memory.admin.doctor(deep=True) == []


@pytest.mark.covers("CX-2", "LS-86")
def test_while_it_is_built_up_answers_say_what_is_missing(
    lived: Memory, open_memory: OpenMemory
) -> None:
    """The old embedder cannot be loaded here: nothing is compared with its vectors, and each answer
    says so.
    """
    memory = open_memory(embedder=FakeEmbedder(32))

    answer = memory.recall("wombat")

    assert answer.hits
    assert all(arm.arm.value != "vector" for hit in answer.hits for arm in hit.arms)
    assert any(line.startswith("vector: the embedder") for line in answer.degraded)
    memory.admin.tidy()
    assert memory.recall("wombat").degraded == ()


def test_going_back_before_it_was_complete_is_free(lived: Memory, open_memory: OpenMemory) -> None:
    """The first embedder serves again, whole; what the other had begun is retired."""
    open_memory(embedder=FakeEmbedder(32))

    back = open_memory()
    back.admin.tidy()
    assert states(back) == {"fake-64": ("active", 100.0)}
    assert back.admin.doctor(deep=True) == []


def test_going_back_afterwards_makes_only_what_came_since(
    lived: Memory, open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    """The vectors of the embedder before are kept: all that it lacks is what was remembered without
    it.
    """
    with_new = open_memory(embedder=FakeEmbedder(32))
    with_new.admin.tidy()
    with_new.remember("the koala sleeps too")
    asked = len(embedder.asked)

    back = open_memory()
    assert back.admin.tidy().vectors == 1
    assert embedder.asked[asked:] == ["the koala sleeps too"]
    assert states(back) == {"fake-64": ("active", 100.0)}
    assert back.recall("koala sleeps too").hits[0].text == "the koala sleeps too"
    assert back.admin.doctor(deep=True) == []


def test_what_is_forgotten_is_gone_from_vectors_set_aside(
    lived: Memory, open_memory: OpenMemory, store: Store
) -> None:
    """Nothing kept for going back outlives what it was made of."""
    memory = open_memory(embedder=FakeEmbedder(32))
    memory.admin.tidy()
    memory.admin.erase("all")

    assert set(vectors(store).values()) == {0}


def test_the_vectors_of_one_embedder_before_are_kept(
    lived: Memory, open_memory: OpenMemory, store: Store
) -> None:
    """When a third takes over, those of the first go."""
    for width in (32, 16):
        open_memory(embedder=FakeEmbedder(width)).admin.tidy()

    assert vectors(store) == {"fake-64": 0, "fake-32": 2, "fake-16": 2}


def test_vectors_set_aside_are_dropped_when_asked(
    lived: Memory, open_memory: OpenMemory, store: Store
) -> None:
    """They alone; and then going back makes them all again."""
    memory = open_memory(embedder=FakeEmbedder(32))
    memory.admin.tidy()

    assert (drop_spare(store), drop_spare(store)) == (2, 0)
    assert vectors(store) == {"fake-64": 0, "fake-32": 2}
    assert memory.recall("wombat").degraded == ()
    assert open_memory().admin.tidy().vectors == 2


def test_an_embedder_can_be_tried_beside(
    lived: Memory, open_memory: OpenMemory, store: Store
) -> None:
    """It answers whoever tries it, and nobody else; to open with it then needs nothing more."""
    new = FakeEmbedder(32)
    tried = open_memory(embedder=beside(store, "default", new, ""))

    assert tried.recall("wombat").degraded == ()
    assert any(arm.arm.value == "vector" for hit in tried.recall("wombat").hits for arm in hit.arms)
    assert vectors(store) == {"fake-64": 2, "fake-32": 2}
    assert states(open_memory()) == {"fake-64": ("active", 100.0)}
    made = len(new.asked)
    opened = open_memory(embedder=new)
    assert opened.admin.tidy().vectors == 0
    assert states(opened) == {"fake-32": ("active", 100.0)}
    assert len(new.asked) == made


@pytest.mark.covers("LS-86")
def test_every_memory_of_the_store_follows(lived: Memory, open_memory: OpenMemory) -> None:
    """Twins of the one that changed it, and others that had the old embedder loaded: none searches
    vectors that are gone.
    """
    memory = open_memory(embedder=FakeEmbedder(32))
    twin = memory.acting(Because(actor="omi"))
    memory.admin.tidy()

    assert twin.recall("wombat").degraded == ()
    assert any(a.arm.value == "vector" for h in twin.recall("wombat").hits for a in h.arms)
    twin.remember("the quokka smiles")
    assert states(memory) == {"fake-32": ("active", 100.0)}

    stale = lived.recall("wombat")
    assert stale.hits
    assert any("vector:" in line for line in stale.degraded)
    lived.remember("the numbat digs")
    assert memory.admin.tidy().vectors == 1
    assert states(memory) == {"fake-32": ("active", 100.0)}


@pytest.mark.covers("GM-46", "GM-32")
def test_missing_vectors_are_made_in_batches(
    open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    """All of them, each once, however many; a second run has nothing to do."""
    memory = open_memory()
    memory.ingest([Message(text=f"turn {n} of many") for n in range(600)], S)
    asked = len(embedder.asked)

    assert memory.admin.tidy().vectors == 600
    assert len(embedder.asked) - asked == 600
    assert memory.admin.tidy().vectors == 0


@pytest.mark.covers("GM-46")
def test_missing_vectors_are_made_when_a_memory_is_opened(
    open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    """By itself, and all of them: they are made beside what the memory is opened for, so that no
    start is kept from going on.
    """
    before = open_memory()
    before.ingest([Message(text=f"turn {n} of many") for n in range(250)], S)
    assert before.stats().coverage[0].with_vector == 0

    memory = open_memory(background=True)

    until = time.monotonic() + 30
    while memory.stats().coverage[0].with_vector < 250:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert len([text for text in embedder.asked if text.endswith("of many")]) == 250


def test_work_that_stops_half_way_goes_on_where_it_was(
    open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    """What was made before the embedder failed is kept."""
    memory = open_memory()
    memory.ingest([Message(text=f"turn {n} of many") for n in range(300)], S)

    class Tired(FakeEmbedder):
        """Fails from the second batch on."""

        left = 1

        def embed(self, texts: Any, *, query: bool = False) -> Any:
            if len(texts) > 1:
                if not self.left:
                    raise ModelUnreachable("tired")
                self.left -= 1
            return super().embed(texts, query=query)

    tired = open_memory(embedder=Tired())
    with pytest.raises(ModelError):
        tired.admin.tidy()
    assert 0 < memory.stats().coverage[0].with_vector < 300
    memory.clock.move(days=1)  # type: ignore[attr-defined]
    assert 0 < memory.admin.tidy().vectors < 300
    assert memory.stats().coverage[0].percent == 100


@pytest.mark.covers("GM-41")
def test_the_embedder_of_every_vector_is_known(tmp_path: Any) -> None:
    """The store names it, also to a program that has none."""
    path = str(tmp_path / "m.db")
    with Memory(
        open_store(path), scope=Scope(user="ana"), embedder=FakeEmbedder(), background=False
    ) as memory:
        memory.remember("the wombat sleeps")
    with Memory(
        open_store(path), scope=Scope(user="ana"), embedder=None, background=False
    ) as without:
        assert states(without) == {"fake-64": ("active", 100.0)}
        assert without.recall("wombat").degraded == ("vector: no embedder, by choice",)
        without.remember("the koala sleeps")
    with Memory(
        open_store(path), scope=Scope(user="ana"), embedder=FakeEmbedder(), background=False
    ) as again:
        assert again.admin.tidy().vectors == 1
        assert states(again) == {"fake-64": ("active", 100.0)}


@pytest.mark.covers("GM-6")
def test_an_embedder_that_does_not_work_is_told_when_opening(tmp_path: Any) -> None:
    """Not at the first question, and before a file is made."""
    with pytest.raises(UnknownName, match="embedder"):
        Memory.open(str(tmp_path / "m.db"), embedder="nonesuch")
    assert list(tmp_path.glob("m.db*")) == []


@pytest.fixture
def woken(store: Store) -> Iterator[tuple[Memory, FakeEmbedder]]:
    """A memory with its worker running."""
    embedder = FakeEmbedder()
    memory = Memory(store, scope=ANA, embedder=embedder, background=True)
    yield memory, embedder
    memory.close()


def becomes(done: Callable[[], bool]) -> bool:
    """Whether it is so within five seconds."""
    import time

    for _ in range(250):
        if done():
            return True
        time.sleep(0.02)
    return False


def test_the_background_tries_again_by_itself(woken: tuple[Memory, FakeEmbedder]) -> None:
    """An embedder that was down for a moment is asked again, without a further turn being
    logged.
    """
    memory, embedder = woken
    embedder.fault = Fault.DOWN
    memory.ingest([Message(text="the wombat eats grass", at=NINE)])
    asked = len(embedder.asked)
    assert becomes(lambda: len(embedder.asked) > asked)
    embedder.fault = None

    assert becomes(lambda: memory.stats().coverage[0].percent == 100)


def test_the_background_survives_what_nobody_foresaw(
    woken: tuple[Memory, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of a kind that embedders should not raise does not end it."""
    memory, embedder = woken
    calls = iter([KeyError("surprise")])

    def embed(texts: Any, *, query: bool = False) -> Any:
        for error in calls:
            raise error
        return FakeEmbedder.embed(embedder, texts, query=query)

    monkeypatch.setattr(embedder, "embed", embed)
    memory.ingest([Message(text="the wombat eats grass", at=NINE)])

    assert becomes(lambda: memory.stats().coverage[0].percent == 100)
