"""What goes with what is forgotten: by the three rules of how records hang on each other."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import NotFound
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from omoide.tables.items import Items
from tests.fix_memory import ANA, turn_of


def resting(memory: Memory, text: str, *bases: str) -> ItemId:
    """The id of an item that rests on others."""
    return memory.remember(text, details=Details(bases=tuple(map(ItemId, bases)))).id


def is_gone(memory: Memory, id: str) -> bool:
    """Whether there is no such item."""
    try:
        memory.get(id)
    except NotFound:
        return True
    return False


def test_items_that_support_only_each_other_fall_together(memory: Memory) -> None:
    """A circle of items that nothing else supports any more goes with the last that did."""
    root = memory.remember("the ferry leaves at nine").id
    one = resting(memory, "the harbour opens at eight", root)
    other = resting(memory, "the kiosk at the harbour opens, too", one)
    with memory.store.transaction(tenant=None) as tx:
        tx.run("item_bases.add", tenant="default", item_id=one, base_id=other)

    memory.forget(root)

    assert (is_gone(memory, one), is_gone(memory, other)) == (True, True)


def test_a_circle_that_something_else_supports_stays(memory: Memory) -> None:
    """One further support holds the whole circle."""
    root, held = memory.remember("the ferry leaves at nine").id, memory.remember("it is May").id
    one = resting(memory, "the harbour opens at eight", root)
    other = resting(memory, "the kiosk at the harbour opens, too", one, held)
    with memory.store.transaction(tenant=None) as tx:
        tx.run("item_bases.add", tenant="default", item_id=one, base_id=other)

    memory.forget(root)

    assert (is_gone(memory, one), is_gone(memory, other)) == (False, False)


@pytest.mark.parametrize(("source", "gone"), [(Source.CONSOLIDATION, True), (Source.TOOL, False)])
def test_what_was_made_of_several_turns_goes_with_the_first(
    memory: Memory, source: Source, gone: bool
) -> None:
    """A summary may hold the words of any of its turns; what each turn tells by itself stays."""
    for session in ("one", "two"):
        place = Scope(user="ana", session=session)
        memory.ingest([{"content": f"the ferry of talk {session}"}], place)
    turns = (turn_of("one", 0), turn_of("two", 0))
    base = memory.remember("it is May", ANA).id
    details = Details(source_turns=turns, bases=(base,), source=source)
    item = memory.remember("the ferry was spoken of twice", ANA, details=details).id

    memory.sessions.forget("one", scope=ANA)

    with memory.store.transaction(tenant=None, write=False) as tx:
        assert (Items(tx).find("default", item) is None) == gone
