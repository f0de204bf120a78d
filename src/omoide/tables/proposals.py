"""The proposals table: what waits for a person's word, with the record as it would be; and for a
time what was rejected or expired.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.ids import SessionId
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import Made, Proposal, ProposalId, Wish, text_of
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import asker, moment, owner, pack_json, scope_in, unpack_tags
from omoide.tables.rows import Rows
from omoide.wire.coding import decode, encode

_MADE: Mapping[Kind, type[Made]] = {
    Kind.REFLECTION: Reflection,
    Kind.DIGEST: Digest,
    Kind.PROCEDURE: Procedure,
}


class Proposals(Rows):
    """Proposals as rows, inside the caller's transaction."""

    def add(self, proposal: Proposal) -> None:
        """Let a proposal wait."""
        scope = proposal.scope
        self._tx.run(
            "proposals.add",
            **_place(scope),
            id=proposal.id,
            session_id=proposal.session or "",
            operation=proposal.wish.value,
            target=proposal.target or "",
            kind=proposal.kind.value,
            only_session=scope.session or "",
            **_told(proposal),
            made_at=to_micros(proposal.made_at),
            expires_at=to_micros(proposal.expires_at),
        )

    def get(self, scope: Scope, id: str) -> Proposal | None:
        """The proposal that waits, if this asker may see it."""
        return self._one(_proposal, "proposals.get", **asker(scope), id=id)

    def find(self, tenant: str, id: str) -> Proposal | None:
        """The proposal, waiting or settled, whoever asks: for the write path."""
        return self._one(_proposal, "proposals.find", tenant=tenant, id=id)

    def page(
        self, scope: Scope, now: datetime, *, limit: int = 1_000, after: str = ""
    ) -> list[Proposal]:
        """The asker's proposals that have not expired, oldest first."""
        return self._all(
            _proposal,
            "proposals.list",
            **asker(scope),
            now=to_micros(now),
            after=after,
            limit=limit,
        )

    def same(self, proposal: Proposal) -> Proposal | None:
        """The first of exactly its place that would do the same with the same text, or close the
        same, if one waits by then.
        """
        scope, texts = proposal.scope, _texts(proposal)
        told = {
            "operation": proposal.wish.value,
            "target": proposal.target or "",
            "text": pack_json(texts[0]) if texts else "",
        }
        now = to_micros(proposal.made_at)
        found = self._all(_proposal, "proposals.alike", **_place(scope), **told, now=now)
        same = scope, proposal.kind, texts
        return next((one for one in found if (one.scope, one.kind, _texts(one)) == same), None)

    def of_kind(self, scope: Scope, kind: Kind) -> list[Proposal]:
        """The proposals of a kind of record in exactly one place, waiting or settled, latest
        first.
        """
        return self._all(
            _proposal,
            "proposals.of_kind",
            **_place(scope),
            session=scope.session or "",
            kind=kind.value,
        )

    def expired(self, tenant: str, now: datetime) -> list[Proposal]:
        """Every proposal of a tenant that waits although its time is over, oldest first."""
        return self._all(_proposal, "proposals.expired", tenant=tenant, now=to_micros(now))

    def waiting(self, tenant: str, kind: Kind) -> list[Proposal]:
        """Every proposal of a tenant of a kind of record that waits, oldest first."""
        return self._all(_proposal, "proposals.waiting", tenant=tenant, kind=kind.value)

    def after(self, tenant: str, id: str, limit: int) -> list[Proposal]:
        """The proposals of a tenant, waiting or settled, whose ids follow one, oldest first."""
        return self._all(_proposal, "proposals.after", tenant=tenant, after=id, limit=limit)

    def of_user(self, tenant: str, user: str) -> list[Proposal]:
        """Every proposal of one user, waiting or settled, oldest first."""
        return self._all(_proposal, "proposals.of_user", tenant=tenant, user=user)

    def count(self, scope: Scope, now: datetime) -> int:
        """How many wait for the asker's word."""
        return self._total("proposals.count", **asker(scope), now=to_micros(now))

    def reword(self, proposal: Proposal) -> None:
        """Write a proposal's record, flags, origin and session."""
        self._tx.run(
            "proposals.reword",
            tenant=proposal.scope.tenant,
            id=proposal.id,
            session_id=proposal.session or "",
            **_told(proposal),
        )

    def settle(self, tenant: str, id: str, at: datetime) -> bool:
        """Let a proposal wait no more, and be kept; False if it waits no more already."""
        return self._tx.run("proposals.settle", tenant=tenant, id=id, at=to_micros(at)) > 0

    def wake(self, tenant: str, id: str, until: datetime) -> bool:
        """Let a settled proposal wait again until a time; False if it waits already."""
        return self._tx.run("proposals.wake", tenant=tenant, id=id, expires_at=to_micros(until)) > 0

    def purge(self, tenant: str, before: datetime) -> int:
        """Erase what was settled up to a time; how many."""
        return self._tx.run("proposals.purge", tenant=tenant, before=to_micros(before))

    def forget(self, tenant: str, id: str) -> int:
        """Take a proposal away."""
        return self._tx.run("proposals.forget", tenant=tenant, id=id)


def _texts(proposal: Proposal) -> tuple[str, ...]:
    """What tells a record that waits from others: its texts, the first one as it stands in its
    column; of a procedure its origin too.
    """
    what = proposal.what
    if what is None:
        return ()
    return (*what.texts(), what.origin) if isinstance(what, Procedure) else (text_of(what),)


def _place(scope: Scope) -> dict[str, Any]:
    return owner(scope) | {"context": scope.context}


def _told(proposal: Proposal) -> dict[str, Any]:
    item, made = proposal.item, proposal.made
    told = {
        "item": pack_json(encode(item)) if item else "",
        "made": pack_json(encode(made)) if made else "",
    }
    return told | {"flags": pack_json(list(proposal.flags)), "origin": proposal.origin or ""}


def _proposal(row: Row) -> Proposal:
    made = _MADE.get(Kind(row["kind"]))
    return Proposal(
        id=ProposalId(row["id"]),
        scope=scope_in(row),
        wish=Wish(row["operation"]),
        item=decode(Item, json.loads(row["item"])) if row["item"] else None,
        made=decode(made, json.loads(row["made"])) if row["made"] and made else None,
        target=row["target"] or None,
        session=SessionId(row["session_id"]) or None,
        flags=unpack_tags(row["flags"]),
        origin=row["origin"] or None,
        made_at=from_micros(row["made_at"]),
        expires_at=from_micros(row["expires_at"]),
        settled_at=moment(row["settled_at"]),
    )
