"""Memories to test with: a real store, a fake embedder, a clock that stands still.

``store`` and what builds on it run once for each engine at hand: SQLite always, Postgres where its
fixtures are (``tests/fix_postgres.py`` gives the address of an empty database as ``postgres_url``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pytest

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.ids import ItemId, SessionId, TurnId
from omoide.nouns.item import Category, Item
from omoide.nouns.scope import Scope
from omoide.nouns.session import session_id
from omoide.nouns.turn import Turn
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables import turns

ENGINES = ["sqlite"]
if (Path(__file__).parent / "fix_postgres.py").exists():
    ENGINES.append("postgres")

# Marks what does not depend on the engine, and would only take longer on each.
on_sqlite = pytest.mark.parametrize("store_url", [":memory:"])

ANA, BEN, NOBODY = Scope(user="ana"), Scope(user="ben"), Scope(shared=True)
NINE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # a Monday; where the clock of these tests starts


class MakeItem(Protocol):
    """Makes an item of which only some fields matter."""

    def __call__(self, text: str = "Ana likes tea", **fields: Any) -> Item: ...


class OpenMemory(Protocol):
    """Opens a memory over the test's store, with parts of one's own."""

    def __call__(self, **parts: Any) -> Memory: ...


@pytest.fixture(
    params=[
        pytest.param(e, marks=[pytest.mark.postgres] if e == "postgres" else []) for e in ENGINES
    ]
)
def store_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty store, of each engine in turn."""
    return (
        ":memory:"
        if request.param == "sqlite"
        else str(request.getfixturevalue("cleared_postgres_url"))
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of torture that is repeated for each setting of learning, only the first runs on Postgres
    too, unless at full length: a setting changes what is learnt, not how it is stored.
    """
    if os.environ.get("OMOIDE_TORTURE") == "full":
        return
    seen = set[str]()
    left_out = set[pytest.Item]()
    for item in filter(has_setting_on_postgres, items):
        name = item.nodeid.partition("[")[0]
        if name in seen:
            left_out.add(item)
        seen.add(name)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def has_setting_on_postgres(item: pytest.Item) -> bool:
    """A torture test on Postgres that is repeated for each setting of learning."""
    call = getattr(item, "callspec", None)
    return (
        "torture" in item.path.parts
        and call is not None
        and call.params.get("store_url") == "postgres"
        and "setting" in call.params
    )


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store, of each engine in turn."""
    opened = open_store(store_url)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> FixedClock:
    """A clock that stands still at NINE until moved."""
    return FixedClock(NINE)


@pytest.fixture
def embedder() -> FakeEmbedder:
    """Texts with words in common are near each other; it can be made to fail."""
    return FakeEmbedder()


@pytest.fixture
def open_memory(store: Store, clock: FixedClock, embedder: FakeEmbedder) -> OpenMemory:
    """Opens memories over one store; what is not given is the test's own."""

    def open(**parts: Any) -> Memory:
        usual: dict[str, Any] = {
            "scope": ANA,
            "embedder": embedder,
            "clock": clock,
            "background": False,
        }
        return Memory(store, **(usual | parts))

    return open


@pytest.fixture
def memory(open_memory: OpenMemory) -> Iterator[Memory]:
    """An empty memory of Ana's: nothing happens in the background."""
    opened = open_memory()
    yield opened
    opened.close()


@pytest.fixture
def make_item() -> MakeItem:
    """Items with everything filled in."""
    count = iter(range(1, 1_000_000))

    def make(text: str = "Ana likes tea", **fields: Any) -> Item:
        item = Item(
            id=ItemId(f"item-{next(count)}"),
            scope=ANA,
            category=Category.FACT,
            text=text,
            created_at=NINE,
            updated_at=NINE,
            recorded_at=NINE,
            valid_from=NINE,
        )
        return replace(item, **fields)

    return make


@pytest.fixture
def texts() -> Callable[..., list[str]]:
    """The texts of what a recall gave, best first."""

    def texts_of(
        memory: Memory, query: Any, scope: Scope | None = None, **options: Any
    ) -> list[str]:
        return [hit.text for hit in memory.recall(query, scope, **options).hits]

    return texts_of


@pytest.fixture
def turns_read(monkeypatch: pytest.MonkeyPatch) -> list[Turn]:
    """Every turn that a store gives from now on, as often as it does."""
    read: list[Turn] = []
    made = turns._turn

    def kept(row: dict[str, Any]) -> Turn:
        read.append(made(row))
        return read[-1]

    monkeypatch.setattr(turns, "_turn", kept)
    return read


def session_of(name: str, scope: Scope = ANA) -> SessionId:
    """The id of the session that somebody calls by a name."""
    return session_id(name, user=scope.user, agent=scope.agent)


def turn_of(name: str, position: int, scope: Scope = ANA) -> TurnId:
    """The id of a turn of such a session."""
    return turns.turn_id(session_of(name, scope), position)
