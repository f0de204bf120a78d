"""Who sees what: by chance, over every combination."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import ScopeConflict
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.listing import Listing

PARTS = st.sampled_from(["a", "b", None])
TENANTS, SESSIONS, CONTEXTS = (
    st.sampled_from(names) for names in (["t1", "t2"], ["s", None], ["global", "work"])
)
SCOPES = st.builds(
    Scope, tenant=TENANTS, user=PARTS, agent=PARTS, session=SESSIONS, context=CONTEXTS
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """One memory that all examples write to."""
    opened = Memory(
        open_store(":memory:"), embedder=FakeEmbedder(), clock=FixedClock(), background=False
    )
    yield opened
    opened.close()


def sees(asker: Scope, row: Scope, *, only: bool) -> bool:
    """The rule: each part of a row is unset or the asker's; the session counts only where the row
    is kept to it.
    """
    tenant = asker.tenant == row.tenant
    return (
        tenant
        and row.user in (None, asker.user)
        and row.agent in (None, asker.agent)
        and (not only or row.session == asker.session)
    )


@pytest.mark.covers("LS-72", "CX-19", "AD-30", "ED-3", "ED-30")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(SCOPES, st.booleans()), min_size=1, max_size=5), asker=SCOPES)
def test_every_read_follows_one_rule(
    rows: list[tuple[Scope, bool]], asker: Scope, memory: Memory
) -> None:
    """What recall, lists, get and statistics show to an asker is exactly what the rule lets them
    see.
    """
    written = {}
    for scope, only in rows:
        only = only and scope.session is not None
        scope = replace(scope, shared=scope.user is None)
        said = memory.remember("a wombat in the garden", scope, details=Details(session_only=only))
        written[said.id] = (scope, only)
    mine = {id for id, (scope, only) in written.items() if sees(asker, scope, only=only)}

    shown = {i.id for i in memory.items.list(Listing(limit=1000), asker).items}
    found = {h.id for h in memory.recall("wombat garden", asker, limit=1000).hits}

    assert shown == found
    assert shown & set(written) == mine
    assert memory.stats(asker).items == len(shown)
    for id in written:
        assert (memory.why_not("wombat garden", id, asker, limit=1000).gate == "recalled") == (
            id in mine
        )


@pytest.fixture
def anas(tmp_path: Path) -> Iterator[Memory]:
    """A memory opened for one user, as a program for one person does."""
    with Memory.open(
        str(tmp_path / "m.db"), user="ana", embedder="none", background=False
    ) as memory:
        yield memory


@pytest.mark.parametrize("place", [{"session": "chat-1"}, {"agent": "bot"}, {"context": "work"}])
def test_a_scope_given_to_a_call_keeps_the_user_of_the_memory(
    anas: Memory, tmp_path: Path, place: Any
) -> None:
    """A call that names a session, an agent or a context alone stores nothing for everybody."""
    anas.remember("Ana keeps an owl", Scope(**place))
    anas.ingest([{"role": "user", "content": "My owl sleeps"}], Scope(**place | {"session": "s"}))

    with Memory.open(str(tmp_path / "m.db"), user="ben", embedder="none", background=False) as bens:
        assert bens.recall("owl", Scope(**place)).hits == ()
        assert bens.items.list(scope=Scope(**place)).total == 0
    assert {hit.text for hit in anas.recall("owl", Scope(**place | {"session": "s"})).hits} == {
        "Ana keeps an owl",
        "My owl sleeps",
    }


def test_a_bound_memory_acts_for_nobody_else(anas: Memory) -> None:
    """Another user than its own is refused by name, and nothing is stored."""
    with pytest.raises(ScopeConflict, match="bound to 'ana', so not to 'ben'"):
        anas.remember("Ben keeps a cat", Scope(user="ben"))
    with pytest.raises(ScopeConflict):
        anas.at(user="ben")

    assert anas.stats().items == 0


def test_at_binds_the_same_memory(tmp_path: Path) -> None:
    """A memory that names nobody is bound to any user; each then sees their own, in one store."""
    with Memory.open(str(tmp_path / "m.db"), embedder="none", background=False) as memory:
        ana, ben = memory.at(user="ana"), memory.at(user="ben")
        ana.at(session="s").remember("Ana keeps an owl")

        assert [hit.text for hit in ana.recall("owl").hits] == ["Ana keeps an owl"]
        assert ben.recall("owl").hits == ()
        assert ana.at(session="s").scope == Scope(user="ana", session="s")


def test_a_scope_names_its_parts() -> None:
    """A bare name could be a tenant or a user, so it is refused."""
    with pytest.raises(TypeError):
        Scope("ana")  # type: ignore[call-arg]
