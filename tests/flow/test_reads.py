"""Reads without a question: pages, statistics, directories; and rows that are damaged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, InvalidTime, OmoideError, UnknownName
from omoide.nouns.item import Details, Item, Source
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.jobs import Jobs
from omoide.tables.listing import SORTS, Listing
from tests.fix_memory import ANA, BEN, NINE, NOBODY, on_sqlite

Texts = Callable[..., list[str]]
DAY = timedelta(days=1)


def listed(memory: Memory, **listing: Any) -> list[str]:
    """The texts of a page."""
    return [i.text for i in memory.items.list(Listing(**listing)).items]


@pytest.mark.covers("GM-38", "GM-20", "GM-90", "GM-88")
def test_items_are_listed_by_filters(memory: Memory, clock: FixedClock) -> None:
    """Category, domain, context with or without global, entity, time; together they all hold."""
    memory.remember(
        "alpha", category="note", entities=["person:bob"], details=Details(domain="journal")
    )
    clock.move(days=1)
    memory.remember("beta", Scope(user="ana", context="work"), category="note")
    clock.move(days=1)
    memory.remember("gamma", category="skill", details=Details(sensitive=True))

    assert listed(memory) == ["beta", "alpha"]
    assert listed(memory, category="note", domain="journal") == ["alpha"]
    assert listed(memory, context="work") == ["beta"]
    assert listed(memory, context="work", with_global=True) == ["beta", "alpha"]
    assert listed(memory, entity="Bob") == ["alpha"]
    assert listed(memory, since=NINE + DAY) == ["beta"]
    assert listed(memory, until=NINE + DAY) == ["alpha"]
    assert listed(memory, sensitive=True) == ["gamma"]
    assert listed(memory, sensitive=None) == ["gamma", "beta", "alpha"]


@pytest.mark.covers("GM-38", "LS-88")
def test_pages_hold_everything_once(memory: Memory) -> None:
    """Hundreds of items, page by page, in one order, with their total."""
    for n in range(230):
        memory.remember(f"{'abcdefghijklmnopqrstuvwxyz'[n % 26]}{n} thing{n}")
    seen = []
    for offset in range(0, 300, 50):
        page = memory.items.list(Listing(limit=50, offset=offset))
        assert (page.total, page.offset, page.limit) == (230, offset, 50)
        seen += [i.id for i in page.items]

    assert len(seen) == len(set(seen)) == 230


@pytest.mark.covers("GM-38")
@pytest.mark.parametrize("descending", [True, False])
def test_every_order_is_an_order(descending: bool, memory: Memory, clock: FixedClock) -> None:
    """By each column of the list, both ways."""
    for text, confidence, category, context in (
        ("b", 0.2, "note", "y"),
        ("c", 0.9, "fact", "x"),
        ("a", 0.5, "skill", "z"),
    ):
        there = Scope(user="ana", context=context)
        memory.remember(
            f"{text} thing{text}", there, category=category, details=Details(confidence=confidence)
        )
        clock.move(days=1)
    memory.recall("thingc c", limit=1)

    keys: dict[str, Callable[[Item], Any]] = {
        "updated_at": lambda i: i.updated_at,
        "created_at": lambda i: i.created_at,
        "confidence": lambda i: i.confidence,
        "category": lambda i: i.category.value,
        "context": lambda i: i.scope.context,
        "text": lambda i: i.text,
        "uses": lambda i: i.uses,
    }
    assert set(keys) == set(SORTS)
    for sort, key in keys.items():
        values = [
            key(i) for i in memory.items.list(Listing(sort=sort, descending=descending)).items
        ]
        assert len(values) == 3
        assert values == sorted(values, reverse=descending), sort


@on_sqlite
@pytest.mark.covers("LS-46", "GM-38")
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda m: m.items.list(Listing(sort="id; DROP TABLE items")), UnknownName),
        (lambda m: m.items.list(Listing(limit=0)), InvalidInput),
        (lambda m: m.items.list(Listing(limit=1001)), InvalidInput),
        (lambda m: m.items.list(Listing(offset=-1)), InvalidInput),
        (lambda m: m.items.list(Listing(category="opinion")), UnknownName),
        (lambda m: m.items.list(Listing(domain="\ud800")), InvalidInput),
        (lambda m: m.items.list(Listing(entity="a\0")), InvalidInput),
        (lambda m: m.items.list(Listing(context="a\0")), InvalidInput),
        (lambda m: m.items.list(Listing(since=NINE.replace(tzinfo=None))), InvalidTime),
        (lambda m: m.due(listing=Listing(limit=-1)), InvalidInput),
        (lambda m: m.due(listing=Listing(context="\ud800")), InvalidInput),
        (lambda m: m.due(timedelta(days=-1)), InvalidInput),
        (lambda m: m.sessions.list(limit=-1), InvalidInput),
        (lambda m: m.sessions.list(offset=-1), InvalidInput),
        (lambda m: m.sessions.turns("s", limit=-1), InvalidInput),
        (lambda m: m.sessions.turns("s", first=-1), InvalidInput),
        (lambda m: m.sessions.turns("\ud800"), InvalidInput),
        (lambda m: m.sessions.turns(since=NINE.replace(tzinfo=None)), InvalidTime),
        (lambda m: m.entities.list(limit=-1), InvalidInput),
        (lambda m: m.stats(days=-1), InvalidInput),
        (lambda m: m.stats(days=10**9), InvalidInput),
        (lambda m: m.diff(NINE.replace(tzinfo=None)), InvalidTime),
        (lambda m: m.diff(NINE, NINE - DAY), InvalidTime),
        (lambda m: m.get("x", as_of=NINE.replace(tzinfo=None)), OmoideError),
    ],
)
def test_bad_bounds_are_refused(
    call: Callable[[Memory], object], error: type[Exception], memory: Memory
) -> None:
    """With a typed error, on every read."""
    memory.ingest([{"content": "hi"}], Scope(user="ana", session="s"))

    with pytest.raises(error):
        call(memory)


@pytest.mark.covers("GM-37", "GM-27", "GM-40")
def test_stats_add_up(memory: Memory, clock: FixedClock) -> None:
    """Items by category, context and source; retrievals, confidence, ages; the log; all of one's
    own, none of another's.
    """
    memory.remember(
        "alpha one", details=Details(confidence=0.4, source=Source.USER), entities=["person:bob"]
    )
    clock.move(days=2)
    memory.remember(
        "beta two",
        Scope(user="ana", context="work"),
        category="note",
        details=Details(confidence=0.8, sensitive=True),
    )
    memory.remember("of ben", BEN)
    memory.ingest([Message(text="one"), Message(text="two")], Scope(user="ana", session="s"))
    memory.recall("alpha")

    stats = memory.stats()

    assert (stats.items, stats.sensitive, stats.entities, stats.retrievals) == (2, 1, 1, 1)
    assert stats.confidence == pytest.approx((0.4 + 0.8) / 2)
    assert (stats.oldest, stats.newest) == (NINE, NINE + 2 * DAY)
    assert stats.by_category == {"fact": 1, "note": 1}
    assert stats.by_context == {"global": 1, "work": 1}
    assert stats.by_source == {"user": 1, "tool": 1}
    assert (stats.log.turns, stats.log.sessions, stats.log.first_at) == (2, 1, NINE + 2 * DAY)


@pytest.mark.covers("GM-39")
def test_stats_tell_each_day(memory: Memory, clock: FixedClock) -> None:
    """Turns said and items added, for the days asked for."""
    memory.remember("long ago")
    clock.move(days=40)
    memory.ingest([Message(text="one"), Message(text="two")])
    clock.move(days=1)
    memory.remember("new thing")

    assert memory.stats().days == {"2026-02-14": (2, 0), "2026-02-15": (0, 1)}
    assert set(memory.stats(days=60).days) == {"2026-01-05", "2026-02-14", "2026-02-15"}


@pytest.mark.covers("GM-41")
def test_coverage_counts_vectors(memory: Memory) -> None:
    """With, of how many, in percent; nothing to embed is complete."""
    assert memory.stats().coverage[0].percent == 100
    memory.remember("has one")
    memory.ingest([Message(text="has none yet")])

    (coverage,) = memory.stats().coverage
    assert (coverage.embedder, coverage.with_vector, coverage.total, coverage.percent) == (
        "fake-64",
        1,
        2,
        50.0,
    )


DAMAGE = {
    "items": ("metadata", "tags", "masks"),
    "turns": ("metadata", "masks"),
    "sessions": ("metadata", "participants"),
}


@pytest.mark.covers("LS-46")
@pytest.mark.parametrize("junk", ["{not json", "", "7", "null", "[[1]]"])
def test_one_damaged_row_hides_no_other(junk: str, tmp_path: Path) -> None:
    """Metadata, tags, masks or participants that are no JSON: every read still gives the rest, and
    verify names the item.
    """
    import apsw

    path = str(tmp_path / "m.db")
    memory = Memory(
        open_store(path),
        scope=ANA,
        embedder=FakeEmbedder(),
        clock=FixedClock(NINE),
        background=False,
    )
    bad = memory.remember("damaged wombat", tags=["a"], details=Details(metadata={"n": 1})).item
    memory.remember("sound wombat", tags=["a"], details=Details(metadata={"n": 1}))
    memory.ingest([Message(text="damaged turn", metadata={"n": 1})], Scope(user="ana", session="s"))
    memory.close()
    with apsw.Connection(path) as raw:
        for table, columns in DAMAGE.items():
            for column in columns:
                key = "id" if table != "turns" else "session_id"
                raw.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {key} IN (?, 's')", (junk, bad.id)
                )
    raw.close()
    memory = Memory(
        open_store(path),
        scope=ANA,
        embedder=FakeEmbedder(),
        clock=FixedClock(NINE),
        background=False,
    )

    assert {i.text for i in memory.items.list().items} == {"damaged wombat", "sound wombat"}
    assert {h.text for h in memory.recall("wombat").hits} >= {"damaged wombat", "sound wombat"}
    assert [
        h.text for h in memory.recall(Query(text="wombat", tags=("a",), metadata={"n": 1})).hits
    ] == ["sound wombat"]
    assert len(memory.sessions.turns("s")) == len(memory.sessions.list()) == 1
    assert memory.stats().items == 2
    assert any(bad.id in problem for problem in memory.admin.verify().problems)
    memory.close()


@pytest.mark.covers("GM-43", "LS-44")
def test_closing_writes_what_was_counted(tmp_path: Path) -> None:
    """And is safe to do twice."""
    path = str(tmp_path / "m.db")
    memory = Memory(
        open_store(path), scope=Scope(user="ana"), embedder=FakeEmbedder(), background=False
    )
    item = memory.remember("Ana likes tea").item
    memory.recall("tea")
    memory.close()
    memory.close()

    with Memory(
        open_store(path), scope=Scope(user="ana"), embedder=FakeEmbedder(), background=False
    ) as again:
        assert again.get(item.id).uses == 1  # type: ignore[union-attr]


def test_a_full_disk_does_not_stop_reading(store: Store, clock: FixedClock) -> None:
    """Use counts wait until they can be written; recall, get and lists go on."""
    from omoide.nouns.errors import StoreFull

    class Full(Store):
        """A store that takes no more."""

        full = False

        def transaction(
            self, *, tenant: str | None, write: bool = True, durable: bool = True
        ) -> Any:
            if write and self.full:
                raise StoreFull("no space left")
            return store.transaction(tenant=tenant, write=write)

        def close(self) -> None:
            store.close()

    small = Full()
    memory = Memory(small, scope=ANA, embedder=FakeEmbedder(), clock=clock, background=False)
    item = memory.remember("Ana likes tea").item
    small.full = True

    for _ in range(300):
        assert memory.recall("tea").hits
    assert memory.get(item.id).id == item.id
    assert memory.items.list().total == memory.stats().items == 1
    with pytest.raises(StoreFull):
        memory.remember("Ben likes coffee")
    small.full = False
    assert memory.get(item.id).uses == 300  # type: ignore[union-attr]


def test_kinds_can_be_asked_for(memory: Memory, texts: Texts) -> None:
    """Only what was said, or only what is known."""
    memory.remember("tea is known")
    memory.ingest([Message(text="tea was said")])

    assert texts(memory, Query(text="tea", kinds=frozenset({Kind.ITEM}))) == ["tea is known"]
    assert texts(memory, Query(text="tea", kinds=frozenset({Kind.TURN}))) == ["tea was said"]


def test_stats_count_what_the_asker_sees(memory: Memory, store: Store) -> None:
    """Changes and jobs of another user, agent or shared session are not among them."""
    agent_a, agent_b = (Scope(user="ana", agent=agent) for agent in "ab")
    memory.remember("Ana likes tea")
    memory.remember("Ben likes rum", BEN)
    memory.remember("agent a was here", agent_a)
    memory.ingest(
        [Message(text="plan", user="ana"), Message(text="ok", user="ben")], Scope(session="g")
    )
    with store.transaction(tenant=None) as tx:
        Jobs(tx).add("default", "distil-ben", "distil", user="ben", args={}, run_at=NINE)

    assert [
        memory.stats(scope).changes
        for scope in (ANA, BEN, agent_a, agent_b, NOBODY, Scope(session="g"))
    ] == [1, 1, 2, 1, 0, 1]
    assert "distil" in {job.kind for job in memory.stats(BEN).jobs}
    assert "distil" not in {job.kind for job in memory.stats(ANA).jobs}


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("sort", SORTS)
def test_pages_of_any_order_follow_each_other(
    sort: str, memory: Memory, clock: FixedClock, *, descending: bool
) -> None:
    """One's own items and everybody's, each once, in one order however long a page is."""
    for n in range(9):
        clock.move(minutes=n % 3)
        scope = NOBODY if n % 2 else ANA
        memory.remember(f"note {n} of many", scope, details=Details(confidence=n % 4 / 10))
    whole = memory.items.list(Listing(sort=sort, descending=descending)).items

    pages = [
        memory.items.list(Listing(sort=sort, descending=descending, limit=2, offset=start)).items
        for start in range(0, 10, 2)
    ]

    assert [item for page in pages for item in page] == list(whole)
    assert len(whole) == 9
    told = [item.scope.context if sort == "context" else getattr(item, sort) for item in whole]
    assert told == sorted(told, reverse=descending)


@pytest.mark.parametrize("sort", SORTS)
def test_a_list_since_a_time_is_of_what_was_true_then(memory: Memory, sort: str) -> None:
    """In any order: what was noted down later, of an earlier time, is not among it."""
    old = Details(valid_from=NINE - 9 * DAY)
    memory.remember("Ana moved", details=old)
    now = memory.remember("Ana likes tea").item

    page = memory.items.list(Listing(since=NINE - DAY, sort=sort))

    assert (page.total, [item.id for item in page.items]) == (1, [now.id])
