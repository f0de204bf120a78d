"""Undo: a change, a session, an import, an undoing; all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, InvalidInput, NotFound, OmoideError
from omoide.nouns.item import Details, Item
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Turn
from omoide.store.base import Store
from omoide.tables.listing import Listing
from tests.fix_memory import ANA, BEN, NINE, NOBODY, turn_of

Texts = Callable[..., list[str]]
S = Scope(user="ana", session="s")


def last_change(memory: Memory, id: str) -> str:
    """The id of the latest change to an item."""
    return memory.history(id).changes[-1].id


def kept(memory: Memory, id: str, scope: Scope | None = None) -> Item:
    """An item as it stands."""
    item = memory.get(id, scope)
    assert isinstance(item, Item)
    return item


def test_an_added_item_is_taken_back(memory: Memory, texts: Texts) -> None:
    """It leaves recall and lists, and stays in history."""
    item = memory.remember("Ana lives in Rome").item

    (undoing,) = memory.undo(last_change(memory, item.id))

    assert texts(memory, "Ana Rome") == []
    assert memory.items.list().total == 0
    assert not kept(memory, item.id).is_open
    assert last_change(memory, item.id) == undoing


@pytest.mark.parametrize(
    "attributes",
    [
        {"pinned": True},
        {"sensitive": True, "context": "work"},
        {"due_at": NINE, "metadata": {"a": 1}},
        {"category": "note"},
    ],
)
def test_an_edit_is_taken_back(attributes: Any, memory: Memory) -> None:
    """Every attribute is as it was; search follows."""
    item = memory.remember("Ana lives in Rome", tags=["home"]).item
    memory.items.edit(item.id, None, **attributes)

    memory.undo(last_change(memory, item.id))

    assert kept(memory, item.id) == item
    assert memory.admin.doctor() == []


@pytest.mark.parametrize("half", [0, 1])
def test_a_correction_is_taken_back_as_one(
    half: int, memory: Memory, clock: FixedClock, texts: Texts
) -> None:
    """Whichever of its two changes is named: the old one is open again, the new one gone."""
    rome = memory.remember("Ana lives in Rome").item
    clock.move(days=1)
    oslo = memory.correct(rome.id, "Ana lives in Oslo").item
    change = (last_change(memory, oslo.id), memory.history(rome.id).changes[1].id)[half]

    assert len(memory.undo(change)) == 2

    assert texts(memory, "Where does Ana live?") == ["Ana lives in Rome"]
    assert kept(memory, rome.id).is_open
    assert kept(memory, rome.id).superseded_by is None
    assert not kept(memory, oslo.id).is_open
    assert memory.admin.verify().problems == ()


def test_an_undoing_can_be_undone(memory: Memory, texts: Texts) -> None:
    """And that again, any number of times."""
    item = memory.remember("Ana lives in Rome").item
    change = last_change(memory, item.id)
    for shown in ([], ["Ana lives in Rome"]) * 3:
        (change,) = memory.undo(change)
        assert texts(memory, "Ana Rome") == shown
    assert kept(memory, item.id).is_open


def test_a_reinforcement_is_taken_back(memory: Memory) -> None:
    """The item is as sure and as careful as before it was said again."""
    item = memory.remember("Ana lives in Rome").item
    memory.remember("Ana lives in Rome", details=Details(confidence=0.9, sensitive=True))

    memory.undo(last_change(memory, item.id))

    assert kept(memory, item.id) == item


def test_a_session_is_taken_back(memory: Memory, texts: Texts) -> None:
    """Its turns leave recall and lists, items made in it are retracted; undoing each undoing brings
    all of it back.
    """
    memory.ingest([{"content": "wombat one"}, {"content": "wombat two"}], S)
    memory.remember("Ana saw a wombat", S)
    memory.ingest([{"content": "wombat elsewhere"}], Scope(user="ana", session="other"))

    undone = memory.undo("s")

    assert texts(memory, "wombat") == ["wombat elsewhere"]
    assert [p.session.name for p in memory.sessions.list()] == ["other"]
    with pytest.raises(NotFound):
        memory.sessions.turns("s")
    assert memory.admin.doctor() == []
    for change in undone:
        memory.undo(change)
    assert sorted(texts(memory, "wombat", limit=9)) == [
        "Ana saw a wombat",
        "wombat elsewhere",
        "wombat one",
        "wombat two",
    ]
    assert [t.text for t in memory.sessions.turns("s")] == ["wombat one", "wombat two"]
    assert memory.admin.verify().problems == ()


def test_hidden_turns_lend_their_words_to_nobody(memory: Memory, texts: Texts) -> None:
    """Undone, a turn leaves the search index as if it had never been said; brought back, it is
    there with its vector.
    """
    memory.ingest([{"content": "Good morning"}, {"content": "Lovely weather today"}], S)
    memory.ingest([{"content": "The wombat ate the passport"}], S)
    memory.ingest([{"content": "How awful"}], S)
    memory.admin.tidy()
    by_words = Query(text="wombat", preset="keyword")
    assert "How awful" in texts(memory, by_words), "a reply is found by what it replies to"
    changes = memory.diff(NINE - timedelta(days=1)).changes
    change = [c for c in changes if c.action is Action.LOG][1]

    (undoing,) = memory.undo(change.id)

    assert texts(memory, by_words) == []
    assert "The wombat ate the passport" not in texts(memory, "The wombat ate the passport")

    memory.undo(undoing)

    assert texts(memory, by_words)[0] == "The wombat ate the passport"
    best = memory.recall("The wombat ate the passport").hits[0]
    assert best.text == "The wombat ate the passport"
    assert Arm.VECTOR in {arm.arm for arm in best.arms}


def test_an_import_is_taken_back_and_can_be_repeated(memory: Memory, texts: Texts) -> None:
    """By its cause, over all its sessions; the same import then brings everything back."""
    run = memory.acting(Because(actor="importer", cause="import-1"))
    talks = [
        Conversation(id=f"c{n}", messages=(Message(text=f"wombat {n}", key="k"),)) for n in range(3)
    ]
    for talk in talks:
        run.ingest(talk)
    memory.ingest([{"content": "wombat of mine"}])

    memory.undo("import-1")
    assert texts(memory, "wombat", limit=9) == ["wombat of mine"]

    for talk in talks:
        assert memory.acting(Because(actor="importer", cause="import-2")).ingest(talk).added == 1
    assert len(texts(memory, "wombat", limit=9)) == 4
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_a_session_is_taken_back_around_what_was_forgotten_of_it(memory: Memory) -> None:
    """A turn that was forgotten stays so and is named; it is no reason to keep the rest."""
    session = Scope(user="ana", session="s")
    turn = memory.ingest([{"content": "the wombat is at 4711"}], session).turns[0]
    memory.remember("The wombat is fed at noon", session)
    memory.forget(turn, session)

    undone = memory.undo("s", session)

    assert turn in undone.forgotten
    assert memory.items.list(scope=session).total == 0
    with pytest.raises(CannotUndo):
        memory.undo("s", session)
    assert memory.admin.verify().problems == ()


def test_taking_a_long_talk_back_reads_each_turn_a_few_times(
    memory: Memory, turns_read: list[Turn]
) -> None:
    """However many loggings an import made of it: each is taken back by its own turns."""
    run = memory.acting(Because(actor="importer", cause="import-1"))
    for n in range(30):
        run.ingest([{"content": f"wombat {n}"}], Scope(user="ana", session="s"))
    turns_read.clear()
    memory.undo("import-1")

    assert 30 <= len(turns_read) <= 3 * 30


def test_what_is_undone_already_cannot_be_again(memory: Memory) -> None:
    """It says so, and changes nothing."""
    item = memory.remember("Ana lives in Rome").item
    change = last_change(memory, item.id)
    memory.undo(change)
    before = memory.admin.verify().head

    with pytest.raises(CannotUndo, match="undone already"):
        memory.undo(change)
    assert memory.admin.verify().head == before


def test_a_cause_that_is_undone_already_cannot_be_again(memory: Memory, texts: Texts) -> None:
    """It says the same as a change does; once the undoing is undone it can be."""
    memory.ingest([Message(text="Ana keeps a wombat")], Scope(user="ana", session="s"))
    (undoing,) = memory.undo("s")
    before = memory.admin.verify().head

    with pytest.raises(CannotUndo, match="undone already"):
        memory.undo("s")
    assert memory.admin.verify().head == before
    memory.undo(undoing)
    assert texts(memory, "wombat") == ["Ana keeps a wombat"]
    assert len(memory.undo("s")) == 1


def test_what_changed_since_cannot_be_undone_first(memory: Memory) -> None:
    """The later change must go first; the error names it."""
    item = memory.remember("Ana lives in Rome").item
    added = last_change(memory, item.id)
    memory.items.pin(item.id)
    later = last_change(memory, item.id)

    with pytest.raises(CannotUndo, match=later):
        memory.undo(added)
    memory.undo(later)
    memory.undo(added)
    assert memory.items.list().total == 0


def test_a_corrected_item_must_get_its_old_version_back_first(memory: Memory) -> None:
    """Taking back an adding that was superseded since is refused."""
    rome = memory.remember("Ana lives in Rome").item
    added = last_change(memory, rome.id)
    memory.correct(rome.id, "Ana lives in Oslo")

    with pytest.raises(CannotUndo, match="supersede"):
        memory.undo(added)


def test_what_was_forgotten_cannot_come_back(memory: Memory) -> None:
    """Neither by its adding nor by its forgetting."""
    item = memory.remember("Ana lives in Rome").item
    added = last_change(memory, item.id)
    memory.forget(item.id)
    forgotten = memory.diff(NINE - timedelta(days=1)).changes[-1]
    assert forgotten.action is Action.FORGET

    for change in (added, forgotten.id):
        with pytest.raises(CannotUndo):
            memory.undo(change)


def test_a_masked_secret_cannot_come_back(memory: Memory, store: Store) -> None:
    """It was not kept."""
    item = memory.remember("the word is swordfish").item
    with store.transaction(tenant=None) as tx:
        key = "sk-proj-" + "a1B2c3D4e5" * 5
        tx.run(
            "items.rewrite",
            tenant="default",
            id=item.id,
            text=f"use {key}",
            escaped=0,
            masks="[]",
            quote="",
        )
    memory.admin.scan(mask=True)

    with pytest.raises(CannotUndo, match="masked"):
        memory.undo(last_change(memory, item.id))


def test_of_a_session_what_was_changed_since_is_kept(memory: Memory) -> None:
    """It is named, and the rest is taken back; where nothing is left, that is refused."""
    memory.ingest([{"content": "wombat"}], S)
    item = memory.remember("Ana saw a wombat", S).item
    memory.items.pin(item.id, ANA)

    undone = memory.undo("s")

    assert [one.record for one in undone.kept] == [item.id]
    assert kept(memory, item.id).is_open
    assert memory.recall("wombat", S).hits[0].id == item.id
    before = memory.admin.verify().head
    with pytest.raises(CannotUndo):
        memory.undo("s")
    assert memory.admin.verify().head == before


@pytest.mark.parametrize("scope", [BEN, NOBODY, Scope(user="ana", tenant="t")])
def test_anothers_changes_cannot_be_undone(scope: Scope, memory: Memory) -> None:
    """They are not there: a change, a session, an import."""
    item = memory.acting(Because(cause="import-1")).remember("Ana lives in Rome", S).item
    memory.acting(Because(cause="import-1")).ingest([{"content": "hi"}], S)

    for what in (memory.history(item.id).changes[0].id, "s", "import-1", "no such"):
        with pytest.raises(NotFound):
            memory.undo(what, scope)


def test_another_agents_changes_cannot_be_undone(memory: Memory) -> None:
    """Nor those of a conversation one takes no part in."""
    item = memory.remember("the agent's own", Scope(agent="a", shared=True)).item
    change = memory.history(item.id, Scope(agent="a", shared=True)).changes[0].id
    memory.ingest(
        [Message(text="plan", user="ana"), Message(text="ok", user="ben")],
        Scope(session="g", shared=True),
    )

    with pytest.raises(NotFound):
        memory.undo(change, Scope(agent="b", shared=True))
    with pytest.raises(NotFound):
        memory.undo("g", Scope(user="cy"))
    with pytest.raises(NotFound):
        memory.undo("g", Scope(user="ben"))
    assert memory.undo("g", NOBODY)


@pytest.mark.parametrize("what", ["", "a\0", "\ud800", "x" * 999])
def test_what_cannot_be_an_id_is_refused(what: str, memory: Memory) -> None:
    """Typed, on both engines."""
    with pytest.raises((InvalidInput, NotFound)):
        memory.undo(what)


def test_entities_are_undone(memory: Memory) -> None:
    """A name given, a merging and a splitting are taken back."""
    memory.remember("Ann likes tea", entities=["person:ann"])
    memory.remember("Annie likes coffee", entities=["person:annie"])
    before = {e.name: (e.aliases, e.items) for e in memory.entities.list()}
    memory.entities.merge("person:annie", "person:ann")
    merged = {e.name: (e.aliases, e.items) for e in memory.entities.list()}
    memory.entities.split("person:ann", "person:annie")
    changes = [
        c.id for c in memory.diff(NINE - timedelta(days=1)).changes if c.kind.value == "entity"
    ]

    memory.undo(changes[-1])
    assert {e.name: (e.aliases, e.items) for e in memory.entities.list()} == merged
    memory.undo(changes[-2])
    assert {e.name: (e.aliases, e.items) for e in memory.entities.list()} == before
    assert memory.admin.verify().problems == ()


def test_undo_asks_no_model(memory: Memory, embedder: object) -> None:
    """Vectors stay as they are, so it works with the embedder down."""
    from omoide.models.embedders.fake import FakeEmbedder, Fault

    assert isinstance(embedder, FakeEmbedder)
    item = memory.remember("Ana lives in Rome").item
    embedder.fault = Fault.DOWN

    for _ in range(2):
        memory.undo(last_change(memory, item.id))

    embedder.fault = None
    assert [h.text for h in memory.recall("Rome").hits] == ["Ana lives in Rome"]
    assert memory.admin.doctor(deep=True) == []


def test_undoing_everything_leaves_nothing_to_be_found(memory: Memory, clock: FixedClock) -> None:
    """From the last change to the first, whatever they were; then the other way round, all is as it
    was.
    """
    rome = memory.remember("Ana lives in Rome", entities=["person:ana"]).item
    clock.move(days=1)
    memory.items.pin(rome.id)
    memory.items.feedback(rome.id, helpful=True)
    oslo = memory.correct(rome.id, "Ana lives in Oslo").item
    memory.items.edit(oslo.id, tags=["home"])
    memory.ingest([{"content": "wombat"}], S)
    before = memory.items.list(Listing(closed=True)).items
    changes = [c.id for c in memory.diff(NINE - timedelta(days=1)).changes]
    undoings: list[str] = []

    def undo_all(ids: Sequence[str]) -> None:
        for id in reversed(ids):
            with suppress(CannotUndo):  # the other half of a correction goes with the one
                undoings.extend(memory.undo(id))

    undo_all(changes)
    assert memory.items.list().total == 0
    assert memory.recall(Query(text="Ana Rome Oslo wombat")).hits == ()
    undo_all(list(undoings))

    def bare(items: tuple[Item, ...]) -> list[Item]:
        return sorted((replace(i, updated_at=NINE) for i in items), key=lambda i: i.id)

    assert bare(memory.items.list(Listing(closed=True)).items) == bare(before)
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_nothing_else_is_raised(memory: Memory) -> None:
    """Every refusal is a typed error with a status and an exit code."""
    for what in ("none", turn_of("s", 0), "item"):
        with pytest.raises(OmoideError) as caught:
            memory.undo(what)
        assert (caught.value.http_status, caught.value.exit_code) == (404, 3)


def entity_state(memory: Memory) -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    """Every entity with its other names and the items linked to it."""
    return {
        e.name: (
            e.aliases,
            frozenset(i.text for i in memory.items.list(Listing(entity=e.name)).items),
        )
        for e in memory.entities.list()
    }


def undo_last(memory: Memory) -> None:
    """Take the latest change back."""
    memory.undo(memory.diff(NINE - timedelta(days=1)).changes[-1].id)


@pytest.mark.parametrize(
    "act",
    [
        lambda memory: memory.entities.name("person:cy"),
        lambda memory: memory.entities.name("person:cy", "Cyprian"),
        lambda memory: memory.entities.name("person:ann", "Nan"),
        lambda memory: memory.entities.merge("person:annie", "person:ann"),
        lambda memory: (
            memory.entities.merge("person:annie", "person:ann"),
            memory.entities.split("person:ann", "person:annie"),
        ),
    ],
)
def test_an_undoing_of_an_entitys_change_can_be_undone(
    act: Callable[[Memory], object], memory: Memory
) -> None:
    """And that again, any number of times; an item that named both of two merged entities keeps
    both.
    """
    memory.remember("Ann likes tea", entities=["person:ann"])
    memory.remember("Annie likes coffee", entities=["person:annie"])
    memory.remember("Ann is not Annie, said the judge", entities=["person:ann", "person:annie"])
    states = [entity_state(memory)]
    act(memory)
    states.append(entity_state(memory))
    if memory.diff(NINE - timedelta(days=1)).changes[-1].action is Action.SPLIT:
        undo_last(memory)
        states[0] = entity_state(memory)
        undo_last(memory)
        assert entity_state(memory) == states[1]

    for turn in range(6):
        undo_last(memory)
        assert entity_state(memory) == states[turn % 2], turn
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


def test_a_name_taken_meanwhile_is_not_taken_back(memory: Memory) -> None:
    """An undone naming cannot be redone once another entity goes by that name; the error says
    which.
    """
    memory.remember("Ann likes tea", entities=["person:ann"])
    memory.entities.name("person:ann", "Nan")
    undo_last(memory)
    undoing = memory.diff(NINE - timedelta(days=1)).changes[-1].id
    memory.entities.name("Nan")

    with pytest.raises(CannotUndo, match="'Nan'"):
        memory.undo(undoing)


def test_what_was_said_by_a_merged_name_goes_with_it(memory: Memory) -> None:
    """Items linked after the merging, by a name of the one that went up in the other, are its own
    when that is undone.
    """
    memory.remember("Ann likes tea", entities=["person:ann"])
    memory.remember("Annie likes coffee", entities=["person:annie"])
    memory.entities.merge("person:annie", "person:ann")
    merging = memory.diff(NINE - timedelta(days=1)).changes[-1].id
    memory.remember("She plays the lute on Sundays", entities=["person:annie"])

    memory.undo(merging)

    assert entity_state(memory)["person:annie"][1] == {
        "Annie likes coffee",
        "She plays the lute on Sundays",
    }


def test_an_entity_goes_with_what_alone_used_it(memory: Memory) -> None:
    """A remember taken back leaves no entity of its own; one named by hand, or used by another
    item, stays; redone, it is back.
    """
    memory.entities.name("person:cy")
    memory.remember("Ben likes tea", entities=["person:ben"])
    item = memory.remember(
        "Cy and Dora met Ben in Rome", entities=["person:cy", "person:dora", "person:ben"]
    ).item
    before = entity_state(memory)

    (undoing,) = memory.undo(last_change(memory, item.id))
    assert set(entity_state(memory)) == {"person:cy", "person:ben"}
    assert memory.stats().entities == 2

    memory.undo(undoing)
    assert entity_state(memory) == before

    memory.undo(last_change(memory, memory.history(item.id).items[-1].id))
    memory.entities.name("person:dora")
    assert set(entity_state(memory)) == {"person:cy", "person:ben", "person:dora"}


def test_a_session_is_undone_with_the_entities_made_and_merged_in_it(memory: Memory) -> None:
    """Also those that a merging in the same session did away with."""
    for name in ("person:ann", "person:annie"):
        memory.entities.name(name, None, S)
    memory.entities.merge("person:annie", "person:ann", S)

    memory.undo("s")

    assert memory.entities.list() == []


def test_an_item_is_no_change_and_says_where_its_changes_are(memory: Memory) -> None:
    """What `correct` gives back is an item: which of its changes is meant has to be said. Another's
    item is not even that.
    """
    item = memory.remember("Ana lives in Porto", ANA)

    with pytest.raises(InvalidInput, match="its history shows the changes"):
        memory.undo(item.id, ANA)
    with pytest.raises(NotFound):
        memory.undo(item.id, BEN)
