"""Secrets that were stored before they could be masked are found and masked for good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.clock import FixedClock
from omoide.memory import Memory
from omoide.models.fake import FakeEmbedder
from omoide.records import Item, Kind, Scope, Turn
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.items import Listing
from tests.fix_memory import ANA, NINE

Texts = Callable[..., list[str]]
KEY = "sk-proj-" + "a1B2c3D4e5" * 5
S = Scope(user="ana", session="s")


def leaked(memory: Memory, store: Store, *, item: str | None = None, turn: str | None = None) -> None:
    """Put a key into rows as an older program would have."""
    with store.transaction() as tx:
        if item:
            tx.run("items.rewrite", tenant="default", id=item, text=f"the wombat key is {KEY}", escaped=0, masks="[]", quote=f"key {KEY}")
        if turn:
            session, _, position = turn.rpartition("#")
            text = f"wombat uses {KEY} daily"
            tx.run("turns.rewrite", tenant="default", session_id=session, position=int(position), text=text, escaped=0, masks="[]")
    memory.doctor(repair=True)
    memory.tidy()


def test_nothing_is_found_where_nothing_is(memory: Memory) -> None:
    """A store whose texts came through the door has no secrets in it."""
    memory.remember(f"use {KEY}")
    memory.ingest([{"content": f"use {KEY}"}], S)

    assert memory.scan() == []


def test_secrets_are_found_and_told_by_kind_only(memory: Memory, store: Store) -> None:
    """Looking changes nothing; what is told is the kind and number, never the secret."""
    item = memory.remember("the wombat key").item
    turn = memory.ingest([{"content": "wombat uses"}], S).turns[0]
    leaked(memory, store, item=item.id, turn=turn)

    leaks = memory.scan()

    assert {(leak.kind, leak.id, leak.masked) for leak in leaks} == {(Kind.ITEM, item.id, False), (Kind.TURN, turn, False)}
    assert dict(leaks[0].secrets).keys() == dict(leaks[1].secrets).keys()
    assert KEY not in repr(leaks)
    assert KEY in memory.get(item.id).text


@pytest.mark.covers("AD-9")
def test_masking_is_for_good(memory: Memory, store: Store, embedder: FakeEmbedder, texts: Texts) -> None:
    """Text, quote, words and vectors; the record is found as before; the ledger says so and stays whole."""
    item = memory.remember("the wombat key").item
    turn = memory.ingest([{"content": "wombat uses"}], S).turns[0]
    leaked(memory, store, item=item.id, turn=turn)

    assert [leak.masked for leak in memory.scan(mask=True)] == [True, True]
    memory.tidy()

    kept, said = memory.get(item.id), memory.get(turn)
    assert isinstance(kept, Item)
    assert isinstance(said, Turn)
    assert KEY not in kept.text + str(kept.quote) + said.text
    assert kept.masks
    assert said.masks
    assert memory.scan() == []
    assert len(texts(memory, "wombat")) == 2
    assert texts(memory, "a1B2c3D4e5") == [] or KEY not in "".join(texts(memory, "a1B2c3D4e5"))
    assert memory.doctor(deep=True) == []
    assert memory.verify().problems == ()


def test_masking_brings_nothing_back(memory: Memory, store: Store, texts: Texts) -> None:
    """What was closed, undone or kept to its session stays so."""
    old = memory.remember("the wombat key").item
    memory.correct(old.id, "no wombat key at all")
    gone = memory.ingest([{"content": "wombat uses"}], S).turns[0]
    private = memory.ingest([{"content": "wombat uses"}], Scope(user="ana", session="p"), private=True).turns[0]
    memory.undo("s")
    leaked(memory, store, item=old.id)
    for turn in (gone, private):
        leaked(memory, store, turn=turn)

    assert len(memory.scan(mask=True)) == 3

    assert texts(memory, "wombat key daily") == ["no wombat key at all"]
    assert memory.items(Listing(closed=True)).total == 2
    assert memory.doctor() == []


def test_a_secret_leaves_the_file(tmp_path: Path) -> None:
    """Once masked, old pages are let go of, and no file holds it."""
    path = tmp_path / "m.db"
    store = open_store(str(path))
    memory = Memory(store, scope=ANA, embedder=FakeEmbedder(), clock=FixedClock(NINE), background=False)
    item = memory.remember("the wombat key").item
    leaked(memory, store, item=item.id)

    memory.scan(mask=True)
    memory.close()

    assert KEY.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
