"""Forgetting a source undoes what it did to what others said, and leaves that."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import NotFound
from omoide.nouns.item import Details, Item, Source
from tests.fix_memory import OpenMemory

PAGE = Details(source=Source.IMPORT, origin="https://page.example")
BOOK = Details(source=Source.IMPORT, origin="book.pdf")
MINE = Details(source=Source.USER)


def held(memory: Memory) -> dict[str, Item]:
    """The open items by their texts."""
    return {item.text: item for item in memory.items.list().items}


def test_what_a_source_closed_is_open_again(memory: Memory) -> None:
    """Its statement took the place of another's, which is held again."""
    first = memory.remember("The office has 3 floors", details=BOOK)
    memory.correct(first.id, "The office has 4 floors", details=PAGE)

    receipt = memory.items.forget(origin="https://page.example")

    assert (set(held(memory)), receipt.erased["items"], receipt.erased["unsaid"]) == (
        {"The office has 3 floors"},
        1,
        1,
    )
    assert held(memory)["The office has 3 floors"].superseded_by is None
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


def test_what_a_source_added_to_an_item_is_taken_back(memory: Memory) -> None:
    """Its tag and its confidence go; the tag that came later stays."""
    memory.remember(
        "The office has 3 floors",
        tags=["office"],
        details=Details(source=Source.IMPORT, origin="book.pdf", confidence=0.3),
    )
    memory.remember(
        "The office has 3 floors",
        tags=["trust me"],
        details=Details(source=Source.IMPORT, origin="page", confidence=0.9),
    )
    memory.remember(
        "The office has 3 floors",
        tags=["floors"],
        details=Details(source=Source.IMPORT, origin="book.pdf", confidence=0.4),
    )

    memory.items.forget(origin="page")

    (item,) = held(memory).values()
    assert (item.tags, item.confidence) == (("office", "floors"), 0.4)


def test_what_others_said_too_stays_in_their_words(memory: Memory) -> None:
    """Where a source said it first and in more words, what stays is what the user said, as the
    user's.
    """
    memory.remember("The office has 3 floors and a secret cellar", details=PAGE)
    memory.remember("The office has 3 floors", details=MINE)

    memory.items.forget(origin="https://page.example")

    (item,) = held(memory).values()
    assert (item.text, item.source, item.origin) == ("The office has 3 floors", Source.USER, None)
    assert [hit.id for hit in memory.recall("floors").hits] == [item.id]


def test_whom_others_spoke_of_too_stays_known(memory: Memory) -> None:
    """Ann, of whom the page spoke first; not Ben, of whom it alone did."""
    memory.remember("The office has 3 floors", entities=["person:ann", "person:ben"], details=PAGE)
    memory.remember("The office has 3 floors", entities=["person:ann"], details=MINE)

    memory.items.forget(origin="https://page.example")

    assert [(entity.name, entity.items) for entity in memory.entities.list()] == [("person:ann", 1)]


def test_when_an_item_last_changed_is_as_without_a_source(
    memory: Memory, clock: FixedClock
) -> None:
    """What it closed, and added to, stands where it stood among the latest."""
    first = memory.remember("The office has 3 floors", details=BOOK)
    clock.move(hours=1)
    second = memory.remember("The garden has 2 gates", details=BOOK)
    clock.move(hours=1)
    memory.remember("The office has 4 floors", details=PAGE)

    memory.items.forget(origin="https://page.example")

    assert [item.id for item in memory.items.list().items] == [second.id, first.id]


def test_what_others_said_before_and_after_a_source_is_held(memory: Memory) -> None:
    """Without what stood between, both are held, and the newer is linked to the older."""
    first = memory.remember("The office has 3 floors", details=BOOK)
    page = memory.remember("The office has 4 floors", details=PAGE)
    last = memory.remember("The office has 5 floors", details=BOOK)
    assert last.similar == page.id

    memory.items.forget(origin="https://page.example")

    assert set(held(memory)) == {"The office has 3 floors", "The office has 5 floors"}
    assert held(memory)["The office has 5 floors"].similar_to == first.id


def test_what_others_said_too_is_similar_to_what_they_said_before(memory: Memory) -> None:
    """The source said it earlier still, when there was nothing similar."""
    memory.remember("The office has 5 floors", details=PAGE)
    first = memory.remember("The office has 3 floors", details=MINE).item
    memory.remember("The office has 5 floors", details=BOOK)

    memory.items.forget(origin="https://page.example")

    links = {text: item.similar_to for text, item in held(memory).items()}
    assert links == {"The office has 3 floors": None, "The office has 5 floors": first.id}
    assert memory.admin.doctor() == []


def test_corrections_and_conclusions_of_a_source_go_with_it(memory: Memory) -> None:
    """A correction of what it said, and what rests on that alone."""
    poison = memory.remember("The office has 4 floors", details=PAGE).id
    better = memory.correct(poison, "The office has 4 floors and a lift", details=MINE).id
    above = memory.remember("Carry nothing upstairs", details=Details(bases=(better,))).id

    memory.items.forget(origin="https://page.example")

    for id in (poison, better, above):
        with pytest.raises(NotFound):
            memory.get(id)


def test_nothing_of_what_a_source_said_is_kept_for_undo(open_memory: OpenMemory) -> None:
    """Its words do not stay beside the ledger, where what others said again was kept."""
    memory = open_memory(embedder=None)
    memory.remember("The office has 3 floors", tags=["office"], details=BOOK)
    item = memory.remember("The office has 3 floors", tags=["zanzibar"], details=PAGE).id

    memory.items.forget(origin="https://page.example")

    with memory.store.transaction(tenant=None, write=False) as tx:
        kept = [
            row["before"] or ""
            for row in tx.rows("revisions.after", tenant="default", after=0, limit=100)
        ]
    assert not any("zanzibar" in before for before in kept)
    assert held(memory)["The office has 3 floors"].id == item


def test_much_of_a_source_goes_in_several_transactions(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one receipt, as if it had gone at once; what hangs together goes together."""
    monkeypatch.setattr("omoide.forgetting.portions.PORTION", 2)
    for number in range(5):
        item = memory.remember(f"Room {number} has 3 windows", details=PAGE).item
        memory.correct(item.id, f"Room {number} has 4 windows", details=MINE)
    memory.remember("Room 7 has a door", details=BOOK)
    changes = memory.stats().changes

    receipt = memory.items.forget(origin="https://page.example")

    assert set(held(memory)) == {"Room 7 has a door"}
    assert (receipt.erased["items"], receipt.residue) == (10, 0)
    assert memory.stats().changes == changes + 10
    assert memory.admin.verify().problems == ()
    with pytest.raises(NotFound):
        memory.items.forget(origin="https://page.example")
