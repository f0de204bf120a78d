"""The reflections table: what changes how an agent behaves, with the turns it rests on. A text is
never edited.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.item import Tier, Unconfirmed
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import DigestId, Reflection, ReflectionId
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import (
    asker,
    exactly,
    micros,
    moment,
    pack_texts,
    scope_in,
    unpack_text,
)
from omoide.tables.rows import LinkedRows
from omoide.tables.turns import turn_id, turn_place


@frozen_record
class Tally:
    """How many reflections of a scope stand, and when the last one was formed."""

    scope: Scope
    total: int
    formed_at: datetime


class Reflections(LinkedRows[Reflection]):
    """Reflections as rows, inside the caller's transaction."""

    kind = "reflection"
    one_query, walk_query = "reflections.raw", "reflections.after"

    def add(self, reflection: Reflection, *, salt: bytes) -> None:
        """Add a reflection with its source turns."""
        start, end = reflection.quote_span or (None, None)
        self._tx.run(
            "reflections.add",
            **exactly(reflection.scope),
            id=reflection.id,
            quote_start=start,
            quote_end=end,
            tier=int(reflection.tier),
            salt=salt,
            formed_at=to_micros(reflection.formed_at),
            absorbed_at=micros(reflection.absorbed_at),
            digest=reflection.digest or "",
            withdrawn_at=micros(reflection.withdrawn_at),
            unconfirmed=reflection.unconfirmed.value if reflection.unconfirmed else "",
            **pack_texts(reflection.text, reflection.quote),
        )
        link: dict[str, Any] = {"tenant": reflection.scope.tenant, "reflection_id": reflection.id}
        for turn in reflection.source_turns:
            self._tx.run("reflection_sources.add", **link, **turn_place(turn))

    def page(
        self, scope: Scope, limit: int, *, absorbed: bool = True, context: str = ""
    ) -> list[Reflection]:
        """The reflections an asker sees that stand, latest first; without absorbed only those that
        wait, of a context and global ones.
        """
        return self._shown(
            "reflections.list", **asker(scope), absorbed=int(absorbed), context=context, limit=limit
        )

    def waiting(self, scope: Scope, limit: int) -> list[Reflection]:
        """The reflections of exactly this scope that no digest absorbed yet, oldest first."""
        return self._shown("reflections.waiting", **exactly(scope), limit=limit)

    def newest(self, scope: Scope, limit: int) -> list[Reflection]:
        """The latest reflections of exactly this scope that no digest absorbed yet, oldest
        first.
        """
        return self._shown("reflections.newest", **exactly(scope), limit=limit)[::-1]

    def count_waiting(self, scope: Scope) -> int:
        """How many of exactly this scope no digest absorbed yet."""
        return self._total("reflections.count_waiting", **exactly(scope))

    def scopes(self, scope: Scope, *, context: str = "") -> list[Tally]:
        """The scopes of which an asker sees reflections, or those of a context and the global
        one.
        """
        return self._all(_tally, "reflections.scopes", **asker(scope), context=context)

    def buffers(self, tenant: str) -> list[Tally]:
        """The scopes of a tenant in which reflections wait to be condensed: how many of each, and
        when the last one was formed.
        """
        return self._all(_tally, "reflections.buffers", tenant=tenant)

    def absorb(self, tenant: str, ids: Collection[str], digest: str, at: datetime) -> int:
        """Mark reflections as absorbed by a digest; how many were still waiting."""
        values: dict[str, Any] = {"tenant": tenant, "digest": digest, "at": to_micros(at)}
        return sum(self._tx.run("reflections.absorb", id=id, **values) for id in sorted(ids))

    def free(self, tenant: str, digest: str) -> int:
        """Let what a digest absorbed wait again; how many."""
        return self._tx.run("reflections.free", tenant=tenant, digest=digest)

    def withdraw(self, tenant: str, id: str, at: datetime | None) -> None:
        """Take a reflection out of what stands, or with None bring it back."""
        self._tx.run("reflections.withdraw", tenant=tenant, id=id, at=micros(at))

    def mark(self, tenant: str, id: str, unconfirmed: Unconfirmed | None) -> None:
        """Set whether a reflection is unconfirmed."""
        value = unconfirmed.value if unconfirmed else ""
        self._tx.run("reflections.mark", tenant=tenant, id=id, unconfirmed=value)

    def unconfirmed(self, scope: Scope, limit: int) -> list[Reflection]:
        """The unconfirmed reflections an asker sees, oldest first."""
        return self._shown("reflections.unconfirmed", **asker(scope), limit=limit)

    def never_confirmed(self, tenant: str, before: datetime, limit: int) -> list[Reflection]:
        """Reflections that nobody confirmed, formed before a time."""
        values = {"before": to_micros(before), "limit": limit}
        return self._found("reflections.never_confirmed", tenant=tenant, **values)

    def mask(self, reflection: Reflection) -> None:
        """Write the texts again, with their secrets masked."""
        texts = pack_texts(reflection.text, reflection.quote)
        self._tx.run(
            "reflections.rewrite", tenant=reflection.scope.tenant, id=reflection.id, **texts
        )

    def of_turn(self, tenant: str, turn: str) -> list[Reflection]:
        """Every reflection that rests on a turn."""
        return self._found("reflections.of_turn", tenant=tenant, **turn_place(turn))

    def of_user(self, tenant: str, user: str) -> list[Reflection]:
        """Every reflection of one user, those of their sessions too."""
        return self._found("reflections.of_user", tenant=tenant, user=user)

    def only_in(self, tenant: str, session: str) -> list[Reflection]:
        """Every reflection of one session."""
        return self._found("reflections.only_in", tenant=tenant, id=session)

    def forget(self, tenant: str, id: str) -> int:
        """Erase the reflection and its links."""
        self._tx.run("reflection_sources.forget", tenant=tenant, reflection_id=id)
        return self._tx.run("reflections.forget", tenant=tenant, id=id)

    def _read(self, rows: list[Row]) -> list[Reflection]:
        links = self._links("reflection_sources.many", rows, "reflection_id") if rows else {}
        return [_reflection(row, links.get(row["id"], ())) for row in rows]


def _tally(row: Row) -> Tally:
    formed_at = from_micros(row["formed_at"])
    return Tally(scope=scope_in(row), total=int(row["total"]), formed_at=formed_at)


def _reflection(row: Row, turns: Sequence[Row]) -> Reflection:
    return Reflection(
        id=ReflectionId(row["id"]),
        scope=scope_in(row),
        text=unpack_text(row["text"], row["escaped"] & 1),
        formed_at=from_micros(row["formed_at"]),
        quote=unpack_text(row["quote"], row["escaped"] & 2),
        quote_span=None if row["quote_start"] is None else (row["quote_start"], row["quote_end"]),
        source_turns=tuple(turn_id(turn["session_id"], turn["position"]) for turn in turns),
        tier=Tier(row["tier"]),
        absorbed_at=moment(row["absorbed_at"]),
        digest=DigestId(row["digest"]) or None,
        withdrawn_at=moment(row["withdrawn_at"]),
        unconfirmed=Unconfirmed(row["unconfirmed"]) if row["unconfirmed"] else None,
    )
