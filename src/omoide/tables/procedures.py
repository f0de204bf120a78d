"""The procedures table, with the vectors that they are found by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import DamagedRecord
from omoide.nouns.item import Tier
from omoide.nouns.procedure import Procedure, ProcedureId, Provenance
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import (
    checksum,
    damage_of,
    micros,
    moment,
    owner,
    pack_json,
    picked,
    scope_of,
    unpack_json,
    unpack_tags,
    unpack_vector,
)
from omoide.tables.rows import IdRows

_ONE, _LISTS = ("name", "when_to_use", "discovery", "activation"), ("steps", "tools", "tags")
_TEXTS = (*_ONE, *_LISTS)
_AS_IS = ("origin", "confidence", "successes", "attempts", "version")
_CHANGING = ("tenant", "id", "enabled", "superseded_by", "successes", "attempts", "last_used_at")


class Procedures(IdRows[Procedure]):
    """Procedures as rows, inside the caller's transaction."""

    one_query, walk_query = "procedures.raw", "procedures.after"

    def add(self, procedure: Procedure) -> None:
        """Add a procedure."""
        self._tx.run("procedures.add", **_columns(procedure))

    def get(self, scope: Scope, id: str, *, whole: bool = True) -> Procedure | None:
        """The procedure, if this asker may see it; without whole also where a text is damaged.

        Raises:
            DamagedRecord: a text of it is damaged.
        """
        read = self._one_shown if whole else self._first
        return read("procedures.get", **owner(scope), id=id)

    def page(
        self, scope: Scope, *, current: bool, limit: int, whole: bool = True
    ) -> list[Procedure]:
        """The asker's procedures, latest first; with current only those that may be recalled, and
        without whole also those of which a text is damaged.
        """
        read = self._shown if whole else self._found
        return read("procedures.list", **owner(scope), current=int(current), limit=limit)

    def count(self, scope: Scope) -> tuple[int, int]:
        """How many of the asker's may be recalled, and how many are switched off; superseded ones
        aside.
        """
        row = self._tx.rows("procedures.count", **owner(scope))[0]
        return int(row["enabled"]), int(row["total"]) - int(row["enabled"])

    def set(self, procedure: Procedure) -> None:
        """Write what may change: whether it is enabled, what superseded it, its counts and when it
        was last used.
        """
        self._tx.run("procedures.set", **picked(_columns(procedure), *_CHANGING))

    def mask(self, procedure: Procedure) -> None:
        """Write its texts; its vectors, which were made of them, go."""
        texts = picked(_columns(procedure), "tenant", "id", *_TEXTS, "checksum")
        self._tx.run("procedures.mask", **texts)
        self._tx.run(
            "procedures.forget_vectors", tenant=procedure.scope.tenant, procedure_id=procedure.id
        )

    def use(self, tenant: str, id: ProcedureId, at: datetime) -> None:
        """Note that it was recalled."""
        self._tx.run("procedures.use", tenant=tenant, id=id, at=to_micros(at))

    def vectors(self, scope: Scope, model: int) -> dict[ProcedureId, Vector]:
        """The vectors of an embedder of the asker's procedures."""
        rows = self._tx.rows("procedures.vectors", **owner(scope), model=model)
        return {
            ProcedureId(row["procedure_id"]): unpack_vector(bytes(row["numbers"])) for row in rows
        }

    def add_vector(self, tenant: str, id: ProcedureId, model: int, vector: Vector) -> None:
        """Store a vector that a procedure is found by, unless it has one of this embedder."""
        self._tx.run(
            "procedures.add_vector",
            tenant=tenant,
            procedure_id=id,
            model=model,
            numbers=vector.astype("<f4").tobytes(),
        )

    def of_user(self, tenant: str, user: str) -> list[Procedure]:
        """Every procedure of one user."""
        return self._found("procedures.of_user", tenant=tenant, user=user)

    def forget(self, tenant: str, id: str) -> int:
        """Erase a procedure with its vectors."""
        self._tx.run("procedures.forget_vectors", tenant=tenant, procedure_id=id)
        return self._tx.run("procedures.forget", tenant=tenant, id=id)

    def _read(self, rows: list[Row]) -> list[Procedure]:
        return [_procedure(row) for row in rows]

    def _damage(self, row: Row) -> DamagedRecord | None:
        texts = (row[name] for name in _TEXTS)
        return damage_of("procedure", row["id"], row["checksum"], *texts)


def state_of(procedure: Procedure) -> dict[str, Any]:
    """What of a procedure may change, as it stands: what undo brings back."""
    return {
        "enabled": procedure.enabled,
        "superseded_by": procedure.superseded_by or "",
        "agent": procedure.scope.agent or "",
    }


def _sum_of(columns: Mapping[str, Any]) -> int:
    return checksum(*(columns[name] for name in _TEXTS))


def _columns(one: Procedure) -> dict[str, Any]:
    columns = owner(one.scope) | {
        "id": one.id,
        **{name: pack_json(getattr(one, name)) for name in (*_TEXTS, "sources")},
        **{name: getattr(one, name) for name in _AS_IS},
        "provenance": one.provenance.value,
        "enabled": int(one.enabled),
        "superseded_by": one.superseded_by or "",
        "created_at": to_micros(one.created_at),
        "last_used_at": micros(one.last_used_at),
        "tier": int(one.tier),
    }
    return columns | {"checksum": _sum_of(columns)}


def _procedure(row: Row) -> Procedure:
    texts: dict[str, Any] = {name: unpack_json(row[name], "") for name in _ONE}
    lists: dict[str, Any] = {name: unpack_tags(row[name]) for name in (*_LISTS, "sources")}
    return Procedure(
        id=ProcedureId(row["id"]),
        scope=scope_of(row["tenant"], row["agent"], row["user_id"]),
        provenance=Provenance(row["provenance"]),
        tier=Tier(row["tier"]),
        enabled=bool(row["enabled"]),
        superseded_by=ProcedureId(row["superseded_by"]) or None,
        created_at=from_micros(row["created_at"]),
        last_used_at=moment(row["last_used_at"]),
        **picked(row, *_AS_IS),
        **texts,
        **lists,
    )
