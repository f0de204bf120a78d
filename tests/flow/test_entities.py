"""Entities: names, aliases, merging and splitting, and finding by them."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import Conflict, InvalidInput, NotFound
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.store.base import Store
from omoide.tables.entities import Entities
from omoide.tables.listing import Listing
from tests.fix_memory import ANA, BEN, NOBODY

Texts = Callable[..., list[str]]


def known(memory: Memory, scope: Scope | None = None) -> dict[str, int]:
    """Entities by name, with the number of their open items."""
    return {e.name: e.items for e in memory.entities.list(scope)}


@pytest.mark.covers("GM-89", "GM-22", "GM-40")
def test_items_gather_around_entities(memory: Memory) -> None:
    """Several rows make a profile; the list counts open items, most first."""
    memory.remember("Sarah leads sales", entities=["person:sarah_chen"])
    memory.remember("Sarah likes sushi", entities=["person:sarah_chen"])
    memory.remember("The app is called Kite", entities=["project:kite", "person:sarah_chen"])

    assert known(memory) == {"person:sarah_chen": 3, "project:kite": 1}
    assert [e.name for e in memory.entities.list()] == ["person:sarah_chen", "project:kite"]
    listed = memory.items.list(Listing(entity="person:sarah_chen", limit=20)).items
    assert {i.text for i in listed} == {
        "Sarah leads sales",
        "Sarah likes sushi",
        "The app is called Kite",
    }


def test_an_entity_is_found_by_its_label_and_aliases(memory: Memory) -> None:
    """In any case and with its type or without; each leads to the same items."""
    memory.remember("leads sales in Oslo", entities=["person:sarah_chen"])
    memory.entities.name("person:sarah_chen", "Chef")

    for question in (
        "what does Sarah Chen do",
        "tell me about person:sarah_chen",
        "CHEF!",
        "is Chef's team large?",
    ):
        hits = memory.recall(question).hits
        assert any(a.arm is Arm.ENTITY for a in hits[0].arms), question
    for name in ("sarah chen", "person:sarah_chen", "chef", "Chef"):
        assert memory.items.list(Listing(entity=name)).total == 1
        assert [h.text for h in memory.recall(Query(text="sales", entities=(name,))).hits] == [
            "leads sales in Oslo"
        ]


def test_an_alias_with_its_type_is_the_entity_everywhere(memory: Memory) -> None:
    """In filters and lists as where it is named and forgotten; one of another type is another."""
    memory.remember("leads sales in Oslo", entities=["person:sarah_chen"])
    memory.entities.name("person:sarah_chen", "Chef")
    memory.remember("has sales every week", entities=["person:CHEF"])

    for name in ("person:chef", "Person:Chef"):
        assert memory.items.list(Listing(entity=name)).total == 2
        assert len(memory.recall(Query(text="sales", entities=(name,))).hits) == 2
    for name in ("project:chef", "person:chefs"):
        assert memory.items.list(Listing(entity=name)).total == 0
        assert memory.recall(Query(text="sales", entities=(name,))).hits == ()


def test_names_without_spaces_are_found_in_a_sentence(memory: Memory) -> None:
    """Where words are not set apart, a name may stand anywhere."""
    memory.remember("负责销售", entities=["person:王小明"])

    assert memory.recall("请问王小明做什么").hits[0].text == "负责销售"


def test_merging_makes_one_of_two(memory: Memory) -> None:
    """Names and items become the target's; the source is known by its old name still."""
    memory.remember("Ann likes tea", entities=["person:ann"])
    memory.remember("Annie likes coffee", entities=["person:annie"])

    merged = memory.entities.merge("person:annie", "person:ann")

    assert (merged.name, set(merged.aliases), merged.items) == (
        "person:ann",
        {"ann", "annie", "person:annie"},
        2,
    )
    assert known(memory) == {"person:ann": 2}
    assert memory.items.list(Listing(entity="annie")).total == 2
    memory.remember("Annie likes water", entities=["person:annie"])
    assert known(memory) == {"person:ann": 3}
    assert memory.admin.doctor() == []


def test_merging_keeps_an_item_that_names_both(memory: Memory) -> None:
    """It is linked once."""
    item = memory.remember("Ann is Annie", entities=["person:ann", "person:annie"]).item
    memory.entities.merge("person:annie", "person:ann")

    kept = memory.get(item.id)
    assert kept.entities == ("person:ann",)  # type: ignore[union-attr]
    assert memory.admin.doctor() == []


def test_splitting_parts_what_a_name_was_used_for(memory: Memory) -> None:
    """The items linked by that name go with it, corrected ones too; the rest stays."""
    memory.entities.name("person:ann", "Annie")
    memory.remember("Ann likes tea", entities=["person:ann"])
    old = memory.remember("Annie likes coffee", entities=["Annie"]).item
    memory.correct(old.id, "Annie likes cocoa")

    part = memory.entities.split("person:ann", "Annie")

    assert part.name == "Annie"
    assert known(memory) == {"Annie": 1, "person:ann": 1}
    assert [i.text for i in memory.items.list(Listing(entity="annie")).items] == [
        "Annie likes cocoa"
    ]
    assert memory.admin.doctor() == []


def test_two_types_of_one_label_stay_two(memory: Memory) -> None:
    """person:ana and project:ana are not the same thing."""
    memory.remember("Ana likes tea", entities=["person:ana"])
    memory.remember("Ana ships in May", entities=["project:ana"])

    assert known(memory) == {"person:ana": 1, "project:ana": 1}


def test_entities_are_refused_where_they_make_no_sense(memory: Memory) -> None:
    """An alias of another, a merging with oneself or the unknown, a split of the main name."""
    memory.entities.name("person:ann", "Annie")
    memory.entities.name("person:bob")

    with pytest.raises(Conflict, match="merge"):
        memory.entities.name("person:bob", "Annie")
    with pytest.raises(InvalidInput, match="already"):
        memory.entities.merge("Annie", "person:ann")
    with pytest.raises(NotFound):
        memory.entities.merge("person:none", "person:ann")
    with pytest.raises(NotFound):
        memory.entities.split("person:ann", "Bobby")
    with pytest.raises(InvalidInput, match="main name"):
        memory.entities.split("person:ann", "person:ann")
    for bad in ("", " ", "a\0", "\ud800"):
        with pytest.raises((InvalidInput, NotFound)):
            memory.entities.name(bad)
        with pytest.raises((InvalidInput, NotFound)):
            memory.entities.merge(bad, "person:ann")
        with pytest.raises((InvalidInput, NotFound)):
            memory.entities.split("person:ann", bad)


@pytest.mark.covers("AD-30")
def test_entities_do_not_mix(memory: Memory) -> None:
    """Each user and agent has their own; the same name in two scopes is two entities."""
    for scope in (ANA, BEN, NOBODY, Scope(user="ana", agent="a")):
        memory.remember("likes tea a lot", scope, entities=["person:cy"])

    assert known(memory, BEN) == {"person:cy": 1}
    assert len(memory.entities.list(ANA)) == 2  # her own, and that of nobody in particular
    with pytest.raises(NotFound):
        memory.entities.merge("person:cy", "person:dee", BEN)
    memory.entities.name("person:cy", "Cyrus", BEN)
    assert all("Cyrus" not in e.aliases for e in memory.entities.list(ANA))


def test_a_rarer_name_weighs_more(memory: Memory) -> None:
    """Of two people in a question, the one with fewer items leads."""
    for n in range(9):
        memory.remember(f"entry {'abcdefghi'[n]} about the weather", entities=["person:often"])
    memory.remember("entry x about the weather", entities=["person:rare"])

    best = memory.recall("Often and Rare").hits[0]

    assert best.item is not None
    assert best.item.entities == ("person:rare",)


def test_names_of_many_entities_are_asked_for_at_once(memory: Memory, store: Store) -> None:
    """A list of many takes no more queries than a list of one, and every name is there."""

    def asked() -> int:
        with (
            store.transaction(tenant=None, write=False) as tx,
            patch.object(tx, "rows", side_effect=tx.rows) as rows,
        ):
            Entities(tx).page(ANA, 100, include_sensitive=False)
            return rows.call_count

    memory.remember("likes tea a lot", entities=["person:cy"])
    alone = asked()
    for name in ("dee", "eve", "fay"):
        memory.remember(f"{name} likes tea", entities=[f"person:{name}"])
        memory.entities.name(f"person:{name}", f"{name} the great")

    assert asked() == alone
    assert {e.name: e.aliases for e in memory.entities.list()}["person:eve"] == (
        "eve",
        "eve the great",
    )


def test_names_that_only_fold_alike_are_two(memory: Memory, texts: Texts) -> None:
    """Asa and Åsa stand side by side, are found by either spelling, and forgetting one leaves the
    other; the list says that they may be the same.
    """
    memory.remember("Asa sells boats", entities=["person:Asa"])
    memory.remember("Åsa sells boats", entities=["person:Åsa"])

    found = memory.entities.list()
    assert {entity.name: (entity.items, entity.likely) for entity in found} == {
        "person:Asa": (1, ("person:Åsa",)),
        "person:Åsa": (1, ("person:Asa",)),
    }
    assert set(texts(memory, "What does Asa sell?")) == {"Asa sells boats", "Åsa sells boats"}

    memory.entities.forget("person:Asa")

    assert texts(memory, "boats") == ["Åsa sells boats"]
    assert [entity.name for entity in memory.entities.list()] == ["person:Åsa"]


def test_two_that_fold_alike_are_merged_and_parted_by_hand(memory: Memory) -> None:
    """Merged they are one by both names; split again, each has its own."""
    memory.remember("Asa sells boats", entities=["person:Asa"])
    memory.remember("Åsa mends sails", entities=["person:Åsa"])

    whole = memory.entities.merge("person:Asa", "person:Åsa")
    assert {"person:Asa", "Asa", "Åsa"} <= set(whole.aliases)
    assert (whole.items, memory.entities.list()[0].likely) == (2, ())

    memory.entities.split("person:Åsa", "person:Asa")
    assert {entity.name: entity.items for entity in memory.entities.list()} == {
        "person:Asa": 1,
        "person:Åsa": 1,
    }
    assert memory.admin.doctor() == []
