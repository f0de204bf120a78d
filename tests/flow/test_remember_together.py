"""Statements that threads want remembered at the same moment become what they would one after the
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction
from omoide.write.remember import Remembered, Statement, Wanted, draft, remember
from tests.fix_memory import ANA, BEN, NINE, on_sqlite

Said = Sequence[tuple[str, Scope]]


def wanted(memory: Memory, said: Said) -> list[Wanted]:
    """Statements made ready to be remembered."""
    return [
        Wanted(
            item=draft(Statement(text=text), scope, memory.clock),
            scope=scope,
            because=Because(),
            encoders=memory.encoders,
        )
        for text, scope in said
    ]


def became(remembered: Sequence[Remembered]) -> list[tuple[str, str, str]]:
    """What came of each, without ids that differ from run to run."""
    texts = {one.id: one.item.text for one in remembered}
    return [
        (one.outcome, one.item.text, texts[one.superseded] if one.superseded else "")
        for one in remembered
    ]


TOGETHER = {
    "the same twice": ["Ana lives in Porto", "Ana lives in Porto"],
    "a change": [
        "The site runs on React 18",
        "The site runs on React 19",
        "The site runs on React 20",
    ],
    "one word, which is too few": ["Ana plays chess", "tea", "Ana likes three cups of tea"],
    "one word twice": ["tea", "tea"],
    "more detail, then less": [
        "Ana plays chess",
        "Ana plays chess with Ben on Mondays",
        "Ana plays chess",
    ],
    "nothing in common": ["Ana plays chess", "帯を結べない"],
}


@pytest.mark.parametrize("name", TOGETHER)
def test_together_is_as_one_after_the_other(name: str, memory: Memory) -> None:
    """The outcome of each is the same, though none was there yet when they were looked up."""
    together = remember(
        memory.store, memory.clock, wanted(memory, [(text, ANA) for text in TOGETHER[name]])
    )
    alone = [memory.remember(text, BEN) for text in TOGETHER[name]]

    assert became(together) == became(alone)


def test_each_gets_its_own_of_several_tenants(memory: Memory) -> None:
    """Results come in the order in which they were wanted, and every ledger is whole."""
    said = [
        (f"{name} plays chess", Scope(tenant=tenant, user=name))
        for tenant in ("q", "b", "q", "a")
        for name in ("eva", "dan")
    ]

    got = remember(memory.store, memory.clock, wanted(memory, said))

    assert [(one.item.text, one.item.scope) for one in got] == said
    assert memory.admin.verify().problems == ()


class Noting:
    """A store that notes which rows a transaction locks, in order."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.locked: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def transaction(self, *, write: bool = True, durable: bool = True) -> Iterator[Any]:
        with self._store.transaction(write=write) as tx:
            yield NotingTransaction(tx, self)


class NotingTransaction:
    def __init__(self, tx: Transaction, owner: Noting) -> None:
        self._tx, self._owner = tx, owner

    def _note(self, query: str, values: dict[str, Any]) -> None:
        if query in ("partitions.advance", "jobs.add", "ledgers.reserve"):
            self._owner.locked.append((query, f"{values['tenant']}/{values.get('user', '')}"))

    def run(self, query: str, /, *args: Any, **values: Any) -> Any:
        self._note(query, values)
        return self._tx.run(query, *args, **values)

    def rows(self, query: str, /, **values: Any) -> Any:
        self._note(query, values)
        return self._tx.rows(query, **values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


@on_sqlite
def test_rows_are_locked_in_one_order(store: Store) -> None:
    """Whatever order threads come in: partitions, then jobs, then ledgers, each by name; so no two
    processes wait for each other.
    """
    noting = Noting(store)
    memory = Memory(noting, scope=ANA, embedder=None, clock=FixedClock(NINE), background=False)
    said = [
        ("Eva plays chess", Scope(tenant=tenant, user=user))
        for tenant, user in ("be", "ae", "bd", "ad")
    ]

    remember(
        memory.store, memory.clock, wanted(memory, [*said, *said[:2], ("Eva knows Go", said[0][1])])
    )

    kinds = ("partitions.advance", "jobs.add", "ledgers.reserve")
    firsts = list(dict.fromkeys(noting.locked))
    assert firsts == sorted(firsts, key=lambda lock: (kinds.index(lock[0]), lock[1]))
    assert {query for query, _ in firsts} == set(kinds)
