"""Secrets that were stored before they could be masked are found and masked for good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from omoide.exchange.migrate_store import TABLES
from omoide.faculties.procedures.door import add_procedure
from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Item
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Json
from omoide.nouns.procedure import Procedure, ProcedureId, Provenance
from omoide.nouns.reflection import Reflection, ReflectionId
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Turn
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.jobs import Jobs
from omoide.tables.listing import Listing
from omoide.text.secrets import Masked
from omoide.write import checks, ingest, remember, tool_calls
from omoide.write.apply import Door
from omoide.write.proposals import propose
from tests.fix_memory import ANA, NINE, session_of

Texts = Callable[..., list[str]]
KEY = "sk-proj-" + "a1B2c3D4e5" * 5
S = Scope(user="ana", session="s")


def leaked(
    memory: Memory, store: Store, *, item: str | None = None, turn: str | None = None
) -> None:
    """Put a key into rows as an older program would have."""
    with store.transaction(tenant=None) as tx:
        if item:
            tx.run(
                "items.rewrite",
                tenant="default",
                id=item,
                text=f"the wombat key is {KEY}",
                escaped=0,
                masks="[]",
                quote=f"key {KEY}",
            )
        if turn:
            session, _, position = turn.rpartition("#")
            text = f"wombat uses {KEY} daily"
            tx.run(
                "turns.rewrite",
                tenant="default",
                session_id=session,
                position=int(position),
                text=text,
                escaped=0,
                masks="[]",
            )
    memory.admin.doctor(repair=True)
    memory.admin.tidy()


def test_nothing_is_found_where_nothing_is(memory: Memory) -> None:
    """A store whose texts came through the door has no secrets in it."""
    memory.remember(f"use {KEY}")
    memory.ingest([{"content": f"use {KEY}"}], S)

    assert memory.admin.scan() == []


def test_secrets_are_found_and_told_by_kind_only(memory: Memory, store: Store) -> None:
    """Looking changes nothing; what is told is the kind and number, never the secret."""
    item = memory.remember("the wombat key").item
    turn = memory.ingest([{"content": "wombat uses"}], S).turns[0]
    leaked(memory, store, item=item.id, turn=turn)

    leaks = memory.admin.scan()

    assert {(leak.kind, leak.id, leak.masked) for leak in leaks} == {
        (Kind.ITEM, item.id, False),
        (Kind.TURN, turn, False),
    }
    assert dict(leaks[0].secrets).keys() == dict(leaks[1].secrets).keys()
    assert KEY not in repr(leaks)
    assert KEY in everything_stored(memory)


def test_masking_is_for_good(
    memory: Memory, store: Store, embedder: FakeEmbedder, texts: Texts
) -> None:
    """Text, quote, words and vectors; the record is found as before; the ledger says so and stays
    whole.
    """
    item = memory.remember("the wombat key").item
    turn = memory.ingest([{"content": "wombat uses"}], S).turns[0]
    leaked(memory, store, item=item.id, turn=turn)

    assert [leak.masked for leak in memory.admin.scan(mask=True)] == [True, True]
    memory.admin.tidy()

    kept, said = memory.get(item.id), memory.get(turn)
    assert isinstance(kept, Item)
    assert isinstance(said, Turn)
    assert KEY not in kept.text + str(kept.quote) + said.text
    assert kept.masks
    assert said.masks
    assert memory.admin.scan() == []
    assert len(texts(memory, "wombat")) == 2
    assert texts(memory, "a1B2c3D4e5") == [] or KEY not in "".join(texts(memory, "a1B2c3D4e5"))
    assert memory.admin.doctor(deep=True) == []
    assert memory.admin.verify().problems == ()


def test_masking_brings_nothing_back(memory: Memory, store: Store, texts: Texts) -> None:
    """What was closed, undone or kept to its session stays so."""
    old = memory.remember("the wombat key").item
    memory.correct(old.id, "no wombat key at all")
    gone = memory.ingest([{"content": "wombat uses"}], S).turns[0]
    private = memory.ingest(
        [{"content": "wombat uses"}], Scope(user="ana", session="p"), private=True
    ).turns[0]
    memory.undo("s")
    leaked(memory, store, item=old.id)
    for turn in (gone, private):
        leaked(memory, store, turn=turn)

    assert len(memory.admin.scan(mask=True)) == 3

    assert texts(memory, "wombat key daily") == ["no wombat key at all"]
    assert memory.items.list(Listing(closed=True)).total == 2
    assert memory.admin.doctor() == []


def test_a_secret_leaves_the_file(tmp_path: Path) -> None:
    """Once masked, old pages are let go of, and no file holds it."""
    path = tmp_path / "m.db"
    store = open_store(str(path))
    memory = Memory(
        store, scope=ANA, embedder=FakeEmbedder(), clock=FixedClock(NINE), background=False
    )
    item = memory.remember("the wombat key").item
    leaked(memory, store, item=item.id)

    memory.admin.scan(mask=True)
    memory.close()

    assert KEY.encode() not in b"".join(
        file.read_bytes() for file in tmp_path.iterdir() if file.is_file()
    )


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NOTED: dict[str, Json] = {
    "deploy": [{"db_password": "swordfish"}, f"with {TOKEN}"],
    TOKEN: 1,
    "size": 3,
}


def tell_everywhere(memory: Memory, secret: str) -> None:
    """Say a secret in every field that a text can be put into."""
    details = Details(
        domain=f"work {secret}",
        metadata=NOTED,
        origin=f"https://example.org/a?token={secret}",
        quote=f"use {secret}",
    )
    item = memory.remember(
        f"wombats use {secret}",
        tags=["zoo", f"key {secret}"],
        entities=[f"key:{secret}"],
        details=details,
    )
    memory.items.edit(item.id, tags=["zoo", f"other key {secret}"])
    memory.acting(Because(actor=f"bot {secret}", reason=f"because of {secret}")).correct(
        item.id, f"wombats no longer use {secret}"
    )
    memory.entities.name("person:ana", f"Ana {secret}")
    said = Message(text=f"use {secret}", speaker=f"Bo {secret}", key=secret, metadata=NOTED)
    people = (Participant(name=f"Bo {secret}"),)
    talk = Conversation(
        id="s",
        messages=(said,),
        title=f"on {secret}",
        channel=f"chat {secret}",
        participants=people,
        metadata=NOTED,
    )
    memory.ingest(talk)
    memory.tool_calls.record(
        "deploy",
        args={"with": secret, "password": "swordfish"},
        result=f"used {secret}",
        error=f"not {secret}",
    )


def everything_stored(memory: Memory, *, but: tuple[str, ...] = ()) -> str:
    """Every row of every table, as text."""
    rows = []
    with memory.store.transaction(tenant=None, write=False) as tx:
        for table in TABLES:
            first = {
                name: -1 if name in ("seq", "position", "doc", "model") else ""
                for name in table.key
            }
            rows += [
                repr(row)
                for row in tx.rows(table.read, **first, limit=10_000)
                if table.name not in but
            ]
    return "\n".join(rows)


def test_no_field_lets_a_secret_in(memory: Memory) -> None:
    """Texts, tags, entities, titles, names, metadata on every level, reasons, keys: no row of any
    table holds it.
    """
    tell_everywhere(memory, TOKEN)
    memory.admin.tidy()

    assert memory.items.list().total == 1
    stored = everything_stored(memory)
    assert "wombats" in stored
    assert TOKEN not in stored
    assert TOKEN.lower() not in stored.lower()
    assert "swordfish" not in stored
    assert memory.admin.scan() == []


@pytest.mark.parametrize("place", ["tenant", "agent", "user", "session", "context"])
def test_a_secret_is_no_id(memory: Memory, place: str) -> None:
    """An id would be another with a mark in it, so it is refused, and the error does not repeat
    it.
    """
    scope = replace(ANA, **cast(Any, {place: TOKEN}))
    for verb in (
        lambda: memory.remember("x", scope, details=Details(session_only=place == "session")),
        lambda: memory.ingest([], scope),
    ):
        with pytest.raises(InvalidInput, match=place) as refused:
            verb()
        assert TOKEN not in str(refused.value)


def test_a_key_with_a_secret_still_tells_repetitions(memory: Memory) -> None:
    """Its fingerprint does what it was for."""
    first = memory.ingest([{"content": "hello", "key": TOKEN}], S)
    again = memory.ingest([{"content": "hello", "key": TOKEN}], S)

    assert again.turns == first.turns
    assert again.repeated == 1


def test_what_came_from_an_address_with_a_secret_is_forgotten_by_that_address(
    memory: Memory,
) -> None:
    """Whoever names the origin as they gave it gets what is stored under its masked form."""
    address = f"https://example.org/a?token={TOKEN}"
    memory.remember("wombats dig", details=Details(origin=address))

    assert memory.items.forget(origin=address).erased["items"] == 1


@pytest.fixture
def leaky(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory with a secret in every field, written by a program that masked nothing."""
    with monkeypatch.context() as patched:
        for module in (checks, remember, ingest, tool_calls):
            for name, blind in BLIND.items():
                patched.setattr(module, name, blind, raising=False)
        tell_everywhere(memory, TOKEN)
    memory.admin.tidy()
    return memory


BLIND: dict[str, Callable[[Any], Any]] = {
    "mask_secrets": lambda text: Masked(text, ()),
    "mask_line": lambda text: text,
    "mask_json": lambda value: value,
    "has_key": lambda id: False,
}


def test_old_records_are_cleaned_in_every_field(leaky: Memory) -> None:
    """Items, turns, sessions, entities, links between them, the words they are found by, and what
    undo would bring back.
    """
    assert everything_stored(leaky).count(TOKEN) > 15

    leaks = leaky.admin.scan()
    assert {leak.kind for leak in leaks} == {
        Kind.ITEM,
        Kind.TURN,
        Kind.SESSION,
        Kind.ENTITY,
        "tool_call",
    }  # the others are tested below
    assert TOKEN not in repr(leaks)
    assert "swordfish" not in repr(leaks)
    assert all(leak.secrets for leak in leaks)

    assert [leak.id for leak in leaky.admin.scan(mask=True)] == [leak.id for leak in leaks]
    leaky.admin.tidy()

    assert leaky.admin.scan() == []
    stored = everything_stored(leaky, but=("changes",))  # an actor's name is in the chain
    assert TOKEN not in stored
    assert TOKEN.lower() not in stored.lower()
    assert "swordfish" not in stored
    assert leaky.admin.doctor(deep=True) == []
    assert leaky.admin.verify().problems == ()
    assert [hit.kind for hit in leaky.recall("wombats no longer use").hits][:1] == [Kind.ITEM]


def test_entities_that_mask_alike_stay_two(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their names get numbers, and each keeps its items."""
    other = "ghp_" + "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2"
    with monkeypatch.context() as patched:
        patched.setattr(checks, "mask_line", lambda text: text)
        memory.remember("wombats dig", entities=[f"key:{TOKEN}"])
        memory.remember("pelicans fly", entities=[f"key:{other}"])

    memory.admin.scan(mask=True)

    assert sorted((e.name, e.items) for e in memory.entities.list()) == [
        ("key:[secret: github-token]", 1),
        ("key:[secret: github-token] 2", 1),
    ]
    assert memory.admin.doctor() == []


def test_ids_that_look_like_keys_stay(memory: Memory, store: Store) -> None:
    """A job still names its session and undo still brings a context back: the hash that an import
    makes an id of is no secret.
    """
    id = "telegram:23be6cbc38854482350135b052fd86e8"
    session = Scope(user="ana", session=f"ana/{id}")
    memory.ingest([{"content": "the wombat is fed at noon"}], session)
    item = memory.remember("the wombat is fed at ten", replace(session, context=id)).item
    filed = memory.items.edit(item.id, session, context="work")

    assert memory.admin.scan(mask=True) == []
    with store.transaction(tenant=None, write=False) as tx:
        assert [told.args for told in Jobs(tx).after("default", "extract", 1)] == [
            {"session": session_of(session.session or "")}
        ]
    memory.undo(memory.history(filed.id, session).changes[-1].id, session)
    brought = memory.get(item.id, session)
    assert isinstance(brought, Item)
    assert brought.scope.context == id


def test_what_waits_and_what_was_learnt_is_looked_through_too(memory: Memory, store: Store) -> None:
    """Proposals, procedures, and what a model said that made a job fail; masked for good, the
    ledger stays whole.
    """
    item = memory.remember("the wombat is fed at noon").item
    now = memory.clock.now()
    proposed = replace(
        item,
        id=ItemId("proposed"),
        text=f"the key is {KEY}",
        quote=f"key {KEY}",
        entities=(f"key:{KEY}",),
    )
    procedure = Procedure(
        id=ProcedureId("p1"),
        scope=ANA,
        name=f"use {KEY}",
        when_to_use=f"w {KEY}",
        discovery=f"d {KEY}",
        activation=f"a {KEY}",
        steps=(f"type {KEY}",),
        tags=(f"t {KEY}",),
        tools=(),
        provenance=Provenance.FILE,
        origin="file",
        confidence=0.9,
        created_at=now,
    )
    made = Reflection(
        id=ReflectionId("r1"),
        scope=ANA,
        text=f"she types {KEY}",
        quote=f"type {KEY}",
        formed_at=now,
    )
    with store.transaction(tenant=None) as tx, Door(tx, memory.clock, Because()) as door:
        propose(tx, memory.clock, ANA, proposed, target=None, flags=(), session=None)
        propose(tx, memory.clock, ANA, made, target=None, flags=(), session=None)
        add_procedure(tx, door, procedure)
        Jobs(tx).add(
            "default",
            "extract:s",
            "extract",
            user="ana",
            args={"session": "s", "told": KEY},
            run_at=now,
        )
        (told,) = Jobs(tx).after("default", "", 10)
        Jobs(tx).mask(replace(told, answer=f"I would note {KEY}"))
    shown = (memory.review.list(), memory.procedures.list(all_of_them=True))
    assert KEY not in repr(shown)

    assert {leak.kind for leak in memory.admin.scan()} == {Kind.PROPOSAL, Kind.PROCEDURE, "job"}
    assert len(memory.admin.scan(mask=True)) == 4

    assert memory.admin.scan() == []
    assert KEY not in everything_stored(memory)
    assert KEY not in str(memory.jobs.answer("extract:s"))
    assert memory.admin.verify().problems == ()
