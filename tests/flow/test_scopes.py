"""Who sees what: by chance, over every combination."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.items import Listing

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
        said = memory.remember("a wombat in the garden", scope, details=Details(session_only=only))
        written[said.id] = (scope, only)
    mine = {id for id, (scope, only) in written.items() if sees(asker, scope, only=only)}

    shown = {i.id for i in memory.items(Listing(limit=1000), asker).items}
    found = {h.id for h in memory.recall("wombat garden", asker, limit=1000).hits}

    assert shown == found
    assert shown & set(written) == mine
    assert memory.stats(asker).items == len(shown)
    for id in written:
        assert (memory.why_not("wombat garden", id, asker, limit=1000).gate == "recalled") == (
            id in mine
        )
