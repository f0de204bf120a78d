"""What expired is gone from now on, and was there before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidTime
from omoide.nouns.item import Details
from omoide.nouns.query import Query
from omoide.write.remember import Statement
from tests.fix_memory import NINE

Texts = Callable[..., list[str]]
DAY = timedelta(days=1)


@pytest.fixture
def expired(memory: Memory, clock: FixedClock) -> Memory:
    """A memory two days after what it holds expired, beside what still holds."""
    memory.remember("The gate code is on the fridge", details=Details(expires_at=NINE + 5 * DAY))
    memory.remember("The alarm is off", details=Details(valid_until=NINE + 5 * DAY))
    memory.remember("Ana has a garden gate")
    clock.move(days=7)
    return memory


@pytest.mark.parametrize("preset", ["default", "keyword"])
def test_what_expired_is_recalled_as_of_before(preset: str, expired: Memory, texts: Texts) -> None:
    """As of a time before it expired it is there, and as of one after it is not."""

    def found(days: int) -> list[str]:
        return texts(expired, Query(text="gate code", as_of=NINE + days * DAY, preset=preset))

    assert "The gate code is on the fridge" in found(4)
    assert "The gate code is on the fridge" not in found(6)
    assert "The gate code is on the fridge" not in texts(expired, "gate code")


def test_stats_count_what_items_lists(expired: Memory) -> None:
    """What expired, or was true until then, is in neither."""
    stats = expired.stats()

    assert stats.items == expired.items.list().total == 1
    assert stats.by_category == {"fact": 1}
    assert (stats.by_context, stats.by_source) == ({"global": 1}, {"tool": 1})


@pytest.mark.parametrize("field", ["at", "valid_from"])
def test_a_correction_from_before_the_item_began_is_refused(field: str, memory: Memory) -> None:
    """The date is not moved: the error says from when on it may be, and from then on it is taken."""
    item = memory.remember("Ana lives in Porto").item

    def corrected(at: object) -> object:
        if field == "at":
            return memory.correct(item.id, "Ana lives in Faro", at=at)  # type: ignore[arg-type]
        return memory.correct(
            item.id,
            "Ana lives in Faro",
            details=Details(valid_from=at),  # type: ignore[arg-type]
        )

    with pytest.raises(InvalidTime) as refused:
        corrected(NINE - 2000 * DAY)
    assert refused.value.field == field
    assert item.valid_from.isoformat() in str(refused.value)
    assert [one.text for one in memory.items.list().items] == ["Ana lives in Porto"]

    corrected(item.valid_from)
    assert [one.text for one in memory.items.list().items] == ["Ana lives in Faro"]


def test_as_of_without_words_lists_what_held_then(expired: Memory, texts: Texts) -> None:
    """All that was true, the latest first, as a filter alone does."""
    assert set(texts(expired, Query(as_of=NINE + 4 * DAY))) == {
        "The gate code is on the fridge",
        "The alarm is off",
        "Ana has a garden gate",
    }
    assert texts(expired, Query(as_of=NINE + 6 * DAY)) == ["Ana has a garden gate"]
    assert texts(expired, Query(as_of=NINE - DAY)) == []


def test_a_joined_filter_keeps_to_what_meets_it(memory: Memory, texts: Texts) -> None:
    """$or and $not over what is stored, with words and without."""
    for room, floor in (("kitchen", 0), ("study", 1), ("attic", 2)):
        memory.remember(f"The {room} is warm", details=Details(metadata={"floor": floor}))
    either = Query(metadata={"$or": [{"floor": 0}, {"floor": {"$gt": 1}}]})

    assert set(texts(memory, either)) == {"The kitchen is warm", "The attic is warm"}
    assert texts(memory, Query(text="warm", metadata={"$not": {"floor": {"$lt": 2}}})) == [
        "The attic is warm"
    ]


def test_a_search_that_brings_no_more_says_so(memory: Memory) -> None:
    """Of 230 that fit, 200 are found by words, and it is said; without words all are listed."""
    memory.items.add_many(Statement(text=f"tea number x{n}") for n in range(230))

    asked = memory.recall(Query(text="tea", preset="keyword"), limit=220)
    assert (len(asked.hits), [why[:6] for why in asked.degraded]) == (200, ["limit:"])
    assert memory.recall(Query(text="tea", preset="keyword"), limit=200).degraded == ()

    listed = memory.recall(Query(contexts=frozenset({"global"})), limit=220)
    assert (len(listed.hits), listed.degraded) == (220, ())
