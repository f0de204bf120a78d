"""What is said again while it is closed, archived or rejected stands once: an undoing or an
approval adds no second of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.chore import Chore
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, Conflict
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.settings.retention import Retention
from omoide.store.sqlite.transaction import SqliteTransaction
from omoide.write.proposals import propose
from omoide.write.remember import Statement, draft
from tests.fix_memory import ANA, OpenMemory, on_sqlite

PERSON = Because(actor="ana", tier=Tier.USER)
TEA, COFFEE = "Ana likes tea", "Ana drinks coffee"


@pytest.fixture
def ana(open_memory: OpenMemory) -> Memory:
    """Ana herself at her memory, of which two items are kept."""
    return open_memory(teaching=Teaching(retention=Retention(items_most=2))).acting(PERSON)


def wait(memory: Memory, text: str = TEA, *, target: str | None = None) -> str:
    """Let something wait that a job read in a document."""
    item = draft(
        Statement(text=text, details=Details(source=Source.LLM_EXTRACT, tier=Tier.DOCUMENT)),
        ANA,
        memory.clock,
    )
    with memory.store.transaction() as tx:
        return propose(
            tx,
            memory.clock,
            ANA,
            item,
            target=ItemId(target) if target else None,
            flags=["no_quote"],
            session=None,
        )


def seal(memory: Memory, id: str) -> str:
    """What approves a proposal as it is shown now."""
    return next(one.seal for one in memory.review.list() if one.proposal.id == id)


def approved(memory: Memory, id: str, *, as_mine: bool = False) -> Item:
    """Approve an item as it is shown now."""
    item = memory.review.approve(id, seal(memory, id), as_mine=as_mine)
    assert isinstance(item, Item)
    return item


def held(memory: Memory) -> list[str]:
    """The texts of all open items."""
    return sorted(item.text for item in memory.items.list().items)


def pruned(memory: Memory, clock: FixedClock, *texts: str) -> str:
    """Have all of some texts pruned but what is pinned, and give the round's id."""
    for text in texts:
        memory.remember(text, details=Details(confidence=0.05))
    for text in ("The boat is blue", "The bees swarm in May"):
        memory.items.pin(memory.remember(text).id)
    done = memory.admin.tidy(only=["prune"])
    assert done.count(Chore.PRUNE, "items") == len(texts)
    clock.move(minutes=1)
    return done.id


@pytest.mark.parametrize("as_mine", [False, True])
def test_of_what_was_proposed_twice_the_second_approval_adds_nothing(
    ana: Memory, as_mine: bool
) -> None:
    """Rejected, proposed again and approved; the rejection undone, and approved too: one item, as
    the first left it.
    """
    first = wait(ana)
    ana.review.reject(first)
    known = approved(ana, wait(ana), as_mine=as_mine)
    ana.undo(first)

    again = approved(ana, first)

    assert (again.id, again.tier, held(ana)) == (known.id, known.tier, [TEA])
    assert ana.review.list() == []


def test_what_gives_way_to_what_is_known_by_then_gives_way_to_that(ana: Memory) -> None:
    """A proposal would replace an item; its text was remembered meanwhile: that stands once, the
    old item ends, and one undo opens it.
    """
    old = ana.remember(COFFEE)
    id = wait(ana, target=old.id)
    known = ana.remember(TEA, details=Details(source=Source.USER))

    assert approved(ana, id).id == known.id
    assert held(ana) == [TEA]

    ana.undo(id)
    assert held(ana) == [COFFEE, TEA]


def test_undoing_a_pruning_passes_over_what_was_said_again(ana: Memory, clock: FixedClock) -> None:
    """The rest is back; of what was said again the later item stands alone, and the pruned one is
    in its history still.
    """
    round_id = pruned(ana, clock, TEA, COFFEE)
    before = next(item for item in ana.items.list().items if item.text == "The boat is blue")
    again = ana.remember(TEA)

    ana.undo(round_id)

    assert held(ana) == [COFFEE, TEA, "The bees swarm in May", before.text]
    assert [item.id for item in ana.items.list().items if item.text == TEA] == [again.id]
    assert ana.admin.verify().problems == ()


@on_sqlite
def test_the_index_is_read_once_however_much_is_opened_again(
    ana: Memory, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undoing the pruning of many takes no longer for each of them than that of one."""
    read: list[str] = []
    tuples = SqliteTransaction.tuples

    def counted(
        tx: SqliteTransaction, query: str, values: dict[str, object]
    ) -> Iterator[tuple[Any, ...]]:
        read.append(query)
        return tuples(tx, query, values)

    few, many = (
        pruned(ana, clock, TEA),
        pruned(ana, clock, *(f"{c * 3} sings {c * 4}" for c in "abcdefghij")),
    )
    monkeypatch.setattr(SqliteTransaction, "tuples", counted)
    ana.undo(few)
    ana.undo(many)

    assert read.count("docs.changed") == 2


def test_undoing_the_pruning_of_what_was_said_again_alone_is_refused(
    ana: Memory, clock: FixedClock
) -> None:
    """With the item that says it, and what may be done; once that is undone it is brought back."""
    round_id = pruned(ana, clock, TEA)
    again = ana.remember(TEA)

    with pytest.raises(CannotUndo, match=f"said again since, as {again.id!r}"):
        ana.undo(round_id)
    ana.undo(ana.history(again.id).changes[0].id)
    ana.undo(round_id)

    assert held(ana).count(TEA) == 1
    assert again.id not in [item.id for item in ana.items.list().items]


def test_undoing_a_correction_closes_it_and_leaves_what_was_said_again(ana: Memory) -> None:
    """The correction is taken back; the item before it is not opened beside its equal."""
    first = ana.remember(TEA)
    corrected = ana.correct(first.id, COFFEE)
    again = ana.remember(TEA)
    added = next(
        change for change in ana.history(corrected.id).changes if change.record == corrected.id
    )

    ana.undo(added.id)

    assert [(item.id, item.text) for item in ana.items.list().items] == [(again.id, TEA)]


def test_what_was_said_again_is_not_reopened(ana: Memory) -> None:
    """Holding a closed item to be true again is refused where another says it already."""
    first = ana.remember(TEA)
    ana.undo(ana.history(first.id).changes[0].id)
    again = ana.remember(TEA)

    with pytest.raises(Conflict, match=f"said again since, as {again.id!r}"):
        ana.items.reopen(first.id)
    assert held(ana) == [TEA]


def test_what_was_so_at_another_time_is_opened_beside(ana: Memory, clock: FixedClock) -> None:
    """Two stays in Rome, with years between, are two."""
    next_year = clock.now().replace(year=2027)
    first = ana.remember("Ana lives in Rome", details=Details(valid_until=next_year))
    undoing = ana.undo(ana.history(first.id).changes[0].id)
    ana.remember("Ana lives in Rome", details=Details(valid_from=next_year))

    ana.undo(undoing[0])

    assert held(ana) == ["Ana lives in Rome", "Ana lives in Rome"]
