"""Undo and forget of entities, and of edits made meanwhile: what was once left behind or lost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest

from omoide.memory import Memory
from omoide.models.base import Vectors
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, InvalidTime
from omoide.nouns.item import Details, Item
from omoide.store import open_store
from tests.fix_memory import ANA, NINE, OpenMemory, on_sqlite

DAY = timedelta(days=1)


def last(memory: Memory) -> str:
    """The id of the latest change."""
    return memory.diff(NINE - DAY, NINE + DAY).changes[-1].id


def test_a_name_given_twice_is_one_change(memory: Memory) -> None:
    """The second naming changes nothing, so that there is nothing to take back of it."""
    memory.entities.name("person:ana", "Annie")
    change = last(memory)
    memory.entities.name("person:ana", "Annie")

    assert last(memory) == change


def test_undoing_a_name_leaves_those_it_had_before(memory: Memory) -> None:
    """An alias whose label was the entity's already takes away itself alone."""
    memory.entities.name("person:ana")
    memory.entities.name("person:ana", "friend:ana")

    memory.undo(last(memory))

    assert memory.entities.name("person:ana").aliases == ("ana",)


def test_undoing_a_merging_brings_back_no_link_to_what_was_forgotten(memory: Memory) -> None:
    """So that the entity goes with its last item."""
    first = memory.remember("A trip to Zanzibar", entities=["person:annabelle"]).item
    other = memory.remember("Third sort of matter", entities=["person:annabelle"]).item
    memory.remember("Another thing entirely", entities=["person:bob"])
    memory.entities.merge("person:annabelle", "person:bob")
    change = last(memory)
    memory.forget(first.id)

    memory.undo(change)

    assert memory.forget(other.id).erased["entities"] == 1


def test_a_forgotten_name_is_not_kept_for_undo(tmp_path: Path) -> None:
    """Neither by the naming nor by the splitting of the entity that it once belonged to."""
    path = tmp_path / "names.db"
    with Memory(
        open_store(str(path)), scope=ANA, clock=FixedClock(NINE), background=False
    ) as memory:
        memory.remember("Works at the harbour", entities=["person:ana"])
        memory.entities.name("person:ana", "Annabellissima")
        memory.remember("Sails on Sundays", entities=["Annabellissima"])
        memory.entities.split("person:ana", "Annabellissima")

        memory.entities.forget("Annabellissima")

        assert (
            b"annabellissima"
            not in b"".join(file.read_bytes() for file in tmp_path.glob("names.db*")).lower()
        )
        assert memory.admin.verify().problems == ()


@on_sqlite
def test_a_correction_keeps_what_was_edited_while_it_was_embedded(open_memory: OpenMemory) -> None:
    """An item made sensitive meanwhile has a sensitive successor."""

    class Editing(FakeEmbedder):
        """Edits the item before it answers."""

        def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
            """Vectors as ever."""
            if "Oslo" in texts[0]:
                memory.items.edit(item.id, sensitive=True, tags=["home"])
            return super().embed(texts, query=query)

    memory = open_memory(embedder=Editing())
    item = memory.remember("Ana lives in Rome").item

    successor = memory.correct(item.id, "Ana lives in Oslo").item

    assert (successor.sensitive, successor.tags) == (True, ("home",))


@on_sqlite
@pytest.mark.parametrize(
    "moment",
    [datetime(1, 1, 1, tzinfo=timezone(14 * timedelta(hours=1))), "9999-12-31T23:59:00-12:00"],
)
@pytest.mark.parametrize("name", ["due_at", "expires_at", "valid_from", "valid_until"])
def test_a_time_that_utc_cannot_hold_is_refused(name: str, moment: Any, memory: Memory) -> None:
    """It was stored, and nothing could read the item again."""
    item = memory.remember("Ana lives in Rome").item

    with pytest.raises(InvalidTime):
        memory.items.edit(item.id, None, **cast(Any, {name: moment}))

    assert memory.items.list().items == (item,)


@on_sqlite
def test_a_correction_from_after_the_items_own_end_is_refused(memory: Memory) -> None:
    """Its successor would end before it starts."""
    item = memory.remember("The shop is open", details=Details(valid_until=NINE + DAY)).item

    with pytest.raises(InvalidTime):
        memory.correct(item.id, "The shop is closed", at=NINE + 2 * DAY)

    kept = memory.get(item.id)
    assert isinstance(kept, Item)
    assert kept.is_open


@on_sqlite
@pytest.mark.parametrize(
    "attributes", [{"confidence": "high"}, {"confidence": True}, {"tags": 5}, {"tags": None}]
)
def test_an_attribute_of_the_wrong_type_is_refused_by_name(
    attributes: dict[str, Any], memory: Memory
) -> None:
    """With an error that names it, not one from the machinery."""
    item = memory.remember("Ana lives in Rome").item

    with pytest.raises(InvalidInput, match=next(iter(attributes))):
        memory.items.edit(item.id, None, **attributes)
