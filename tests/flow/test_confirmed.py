"""Items that a person confirmed: who may, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import Forbidden
from omoide.nouns.item import Item, Tier
from omoide.tables.ledger import Ledger
from tests.fix_memory import on_sqlite

PERSON = Because(actor="ana", tier=Tier.USER)


def item(memory: Memory, id: str) -> Item:
    """An item by its id."""
    found = memory.get(id)
    assert isinstance(found, Item)
    return found


def test_a_person_confirms_an_item_and_an_agent_does_not(memory: Memory) -> None:
    """The agent that noted it has no word in whether it is right."""
    id = memory.remember("Ana plays the harp").id

    with pytest.raises(Forbidden, match="for a person to confirm"):
        memory.items.edit(id, confirmed=True)
    assert memory.acting(PERSON).items.edit(id, confirmed=True).confirmed
    assert item(memory, id).confirmed


def test_confirming_can_be_undone(memory: Memory) -> None:
    """As every other setting, and leaves the ledger whole."""
    id = memory.remember("Ana plays the harp").id
    memory.acting(PERSON).items.edit(id, confirmed=True)
    with memory.store.transaction(tenant=None, write=False) as tx:
        change = Ledger(tx).of_record("default", id)[-1].change.id

    memory.undo(change)

    assert not item(memory, id).confirmed
    assert memory.admin.verify().problems == ()


def test_a_correction_is_to_be_confirmed_anew(memory: Memory) -> None:
    """What was found right was another text."""
    id = memory.remember("Ana plays the harp").id
    memory.acting(PERSON).items.edit(id, confirmed=True)

    assert not memory.correct(id, "Ana plays the lute").item.confirmed


@on_sqlite
def test_an_archive_keeps_what_was_confirmed(memory: Memory, tmp_path: Path) -> None:
    """Exported and loaded with the item."""
    id = memory.remember("Ana plays the harp").id
    memory.acting(PERSON).items.edit(id, confirmed=True)
    memory.admin.export(tmp_path / "a.jsonl", memory.scope, everything=True)
    memory.forget(id)

    memory.admin.load(tmp_path / "a.jsonl", restore_forgotten=True)

    assert item(memory, id).confirmed
