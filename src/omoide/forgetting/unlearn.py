"""What of procedures goes with what is forgotten: those made of it, and those handed on from these,
since any text may hold its words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from omoide.faculties.procedures.door import give_way
from omoide.nouns.procedure import Procedure
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.procedures import Procedures
from omoide.write.apply import Door


def made_of(
    tx: Transaction, tenant: str, sources: Collection[str], named: Iterable[Procedure]
) -> dict[str, Procedure]:
    """The procedures named and those that were made of a source, with all that was made of these,
    by their ids.
    """
    found = {one.id: one for one in named}
    if not (found or sources):
        return {}
    known, gone = Procedures(tx).of_tenant(tenant), {*sources, *found}
    while fresh := [
        one for one in known if one.id not in found and not gone.isdisjoint(one.sources)
    ]:
        found |= {one.id: one for one in fresh}
        gone |= {one.id for one in fresh}
    return {str(id): one for id, one in found.items()}


def versions(tx: Transaction, scope: Scope, id: str) -> list[Procedure]:
    """A procedure that the asker may see, with all its versions; none if there is none."""
    one = Procedures(tx).get(scope, id)
    seen = Procedures(tx).page(scope, current=False, limit=1_000_000) if one else []
    return [
        other for other in seen if one and other.origin == one.origin and other.scope == one.scope
    ]


def of_owner(tx: Transaction, scope: Scope, user: str, *, of_every_agent: bool) -> list[Procedure]:
    """A user's procedures, as far as the scope's agent may see them, or all."""
    return [
        one
        for one in Procedures(tx).of_user(scope.tenant, user)
        if of_every_agent or one.scope.agent in (None, scope.agent)
    ]


def erase(tx: Transaction, door: Door, tenant: str, found: dict[str, Procedure]) -> None:
    """Erase them; what had given way to one of them gives way to what that had given way to, or to
    nothing.
    """
    for other in Procedures(tx).of_tenant(tenant) if found else ():
        after = other.superseded_by
        while after in found:
            after = found[after].superseded_by
        if other.id not in found and after != other.superseded_by:
            give_way(tx, door, other, after)
    for procedure in found.values():
        Procedures(tx).forget(tenant, procedure.id)
