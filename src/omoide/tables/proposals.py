"""The proposals table: what waits for a person's word, with the item as it would be."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from omoide.clock import from_micros, to_micros
from omoide.coding import decode, encode
from omoide.proposals import Proposal, ProposalId, Wish
from omoide.records import Item, ItemId, Scope, SessionId
from omoide.store.base import Row, Transaction
from omoide.tables.columns import asker, pack_json, scope_of, unpack_tags


class Proposals:
    """Proposals as rows, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def add(self, proposal: Proposal) -> None:
        """Let a proposal wait."""
        scope = proposal.scope
        self._tx.run(
            "proposals.add",
            tenant=scope.tenant,
            id=proposal.id,
            user=scope.user or "",
            agent=scope.agent or "",
            session_id=proposal.session or "",
            context=scope.context,
            operation=proposal.wish.value,
            target=proposal.target or "",
            item=pack_json(encode(proposal.item)) if proposal.item else "",
            flags=pack_json(list(proposal.flags)),
            origin=proposal.origin or "",
            made_at=to_micros(proposal.made_at),
            expires_at=to_micros(proposal.expires_at),
        )

    def get(self, scope: Scope, id: str) -> Proposal | None:
        """The proposal, if this asker may see it."""
        rows = self._tx.rows("proposals.get", **_seen_by(scope), id=id)
        return _proposal(rows[0]) if rows else None

    def page(self, scope: Scope, now: datetime, *, limit: int = 1_000, after: str = "") -> list[Proposal]:
        """The asker's proposals that have not expired, oldest first."""
        rows = self._tx.rows("proposals.list", **_seen_by(scope), now=to_micros(now), after=after, limit=limit)
        return [_proposal(row) for row in rows]

    def same(self, scope: Scope, wish: Wish, target: ItemId | None, text: str | None, now: datetime) -> Proposal | None:
        """The first of exactly this place that would do the same with the same text, or with None closes the same, if one waits."""
        place = {"tenant": scope.tenant, "user": scope.user or "", "agent": scope.agent or "", "context": scope.context}
        told = {"operation": wish.value, "target": target or "", "text": pack_json(text) if text is not None else ""}
        found = map(_proposal, self._tx.rows("proposals.alike", **place, **told, now=to_micros(now)))
        return next((one for one in found if one.scope == scope and (one.item and one.item.text) == text), None)

    def expired(self, tenant: str, now: datetime) -> list[Proposal]:
        """Every proposal of a tenant whose time is over, oldest first."""
        return [_proposal(row) for row in self._tx.rows("proposals.expired", tenant=tenant, now=to_micros(now))]

    def of_tenant(self, tenant: str) -> list[Proposal]:
        """Every proposal of a tenant, oldest first."""
        return [_proposal(row) for row in self._tx.rows("proposals.of_tenant", tenant=tenant)]

    def count(self, scope: Scope, now: datetime) -> int:
        """How many wait for the asker's word."""
        return int(self._tx.rows("proposals.count", **_seen_by(scope), now=to_micros(now))[0]["total"])

    def reword(self, proposal: Proposal) -> None:
        """Write a proposal's item, flags and origin."""
        item, flags = pack_json(encode(proposal.item)) if proposal.item else "", pack_json(list(proposal.flags))
        tenant, origin = proposal.scope.tenant, proposal.origin or ""
        self._tx.run("proposals.reword", tenant=tenant, id=proposal.id, item=item, flags=flags, origin=origin)

    def forget(self, tenant: str, id: str) -> int:
        """Take a proposal away."""
        return self._tx.run("proposals.forget", tenant=tenant, id=id)


def _seen_by(scope: Scope) -> dict[str, Any]:
    values = asker(scope)
    del values["session"]
    return values


def _proposal(row: Row) -> Proposal:
    return Proposal(
        id=ProposalId(row["id"]),
        scope=scope_of(row["tenant"], row["agent"], row["user_id"], "", row["context"]),
        wish=Wish(row["operation"]),
        item=decode(Item, json.loads(row["item"])) if row["item"] else None,
        target=ItemId(row["target"]) or None,
        session=SessionId(row["session_id"]) or None,
        flags=unpack_tags(row["flags"]),
        origin=row["origin"] or None,
        made_at=from_micros(row["made_at"]),
        expires_at=from_micros(row["expires_at"]),
    )
