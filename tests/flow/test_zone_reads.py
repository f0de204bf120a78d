"""How often the zones of users are read: of a tenant in which nobody has one, once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from omoide.memory import Memory
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction, read_only
from omoide.verbs import zones
from omoide.verbs.zones import Zones

HOME = ZoneInfo("America/Los_Angeles")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The tenants whose zones are read from a store, read after read."""
    seen: list[str | None] = []

    def counted(store: Store, tenant: str | None) -> AbstractContextManager[Transaction]:
        seen.append(tenant)
        return read_only(store, tenant)

    monkeypatch.setattr(zones, "read_only", counted)
    return seen


def test_a_tenant_without_zones_is_read_once_for_all_its_users(
    open_memory: Callable[..., Memory], reads: list[str | None]
) -> None:
    """And each other tenant by itself."""
    held = Zones(open_memory().store, usual=HOME)

    assert [held.of("a", f"user {n}") for n in range(50)] == [HOME] * 50
    assert held.of("b", "user 1") == HOME
    assert reads == ["a", "b"]


def test_users_are_read_one_by_one_where_one_has_a_zone(
    open_memory: Callable[..., Memory], reads: list[str | None]
) -> None:
    """Each once, for a while."""
    memory = open_memory(scope=Scope())
    memory.users.edit("ben", zone="Europe/Lisbon")
    held = Zones(memory.store, usual=HOME)
    tenant = Scope().tenant
    reads.clear()

    for _ in range(3):
        assert held.of(tenant, "ana") == HOME
        assert held.of(tenant, "ben") == ZoneInfo("Europe/Lisbon")
    assert reads == [tenant, tenant]


def test_a_zone_that_another_process_sets_counts_soon(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once what was held is looked for again."""
    now = [0.0]
    monkeypatch.setattr(zones, "time", SimpleNamespace(monotonic=lambda: now[0]))
    memory = open_memory(scope=Scope())
    held, tenant = Zones(memory.store, usual=HOME), Scope().tenant
    assert held.of(tenant, "ben") == HOME

    memory.users.edit("ben", zone="Europe/Lisbon")
    assert held.of(tenant, "ben") == HOME
    now[0] = zones.FRESH_S
    assert held.of(tenant, "ben") == ZoneInfo("Europe/Lisbon")


def test_a_zone_that_is_set_while_zones_are_read_counts_at_once(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before it was set is not held."""
    memory = open_memory(scope=Scope())
    held, tenant = Zones(memory.store, usual=HOME), Scope().tenant

    @contextmanager
    def overtaken(store: Store, tenant: str | None) -> Iterator[Transaction]:
        with read_only(store, tenant) as tx:
            yield tx
        monkeypatch.setattr(zones, "read_only", read_only)
        memory.users.edit("ben", zone="Europe/Lisbon")
        held.look_again()

    monkeypatch.setattr(zones, "read_only", overtaken)
    held.of(tenant, "ben")

    assert held.of(tenant, "ben") == ZoneInfo("Europe/Lisbon")
