"""The digests table: every version of the text of each scope, and what it was made from."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.item import Tier
from omoide.nouns.reflection import Digest, DigestId, DigestKind
from omoide.nouns.scope import Scope
from omoide.store.base import Row, Transaction
from omoide.tables.columns import (
    asker,
    check_whole,
    micros,
    moment,
    pack_json,
    pack_text,
    scope_of,
    sealed,
    unpack_tags,
    unpack_text,
)
from omoide.tables.reflections import exactly


class Digests:
    """Digests as rows, inside the caller's transaction."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def add(self, digest: Digest, *, salt: bytes) -> None:
        """Add a version with what it was made from."""
        self._tx.run(
            "digests.add",
            **exactly(digest.scope),
            **_texts(digest),
            id=digest.id,
            kind=digest.kind.value,
            version=digest.version,
            word_limit=digest.word_limit,
            tier=int(digest.tier),
            model=digest.model,
            salt=salt,
            made_at=to_micros(digest.made_at),
            withdrawn_at=micros(digest.withdrawn_at),
        )
        for source in digest.sources:
            self._tx.run(
                "digest_sources.add", tenant=digest.scope.tenant, digest_id=digest.id, source=source
            )

    def find(self, tenant: str, id: str) -> Digest | None:
        """The version, whoever asks: for the write path."""
        found = self._read(tenant, self._tx.rows("digests.raw", tenant=tenant, id=id))
        return found[0] if found else None

    def salt(self, tenant: str, id: str) -> bytes:
        """What keys the version's hashes in the ledger."""
        return bytes(self._tx.rows("digests.raw", tenant=tenant, id=id)[0]["salt"])

    def current(self, scope: Scope, kind: DigestKind) -> Digest | None:
        """The version in force of exactly this scope; None where there is none."""
        found = self._shown(
            scope.tenant, self._tx.rows("digests.current", **exactly(scope), kind=kind.value)
        )
        return found[0] if found else None

    def latest(self, scope: Scope, kind: DigestKind) -> int:
        """The highest version there ever was of exactly this scope, but for forgotten ones; 0 where
        there is none.
        """
        return int(self._tx.rows("digests.latest", **exactly(scope), kind=kind.value)[0]["version"])

    def versions(self, scope: Scope, kind: DigestKind) -> list[Digest]:
        """Every version of exactly this scope, latest first, withdrawn ones too."""
        return self._shown(
            scope.tenant, self._tx.rows("digests.versions", **exactly(scope), kind=kind.value)
        )

    def seen(self, scope: Scope, *, context: str = "") -> list[Digest]:
        """The digests an asker sees, or those of a context and the global one, of each the version
        in force.
        """
        return self._shown(
            scope.tenant, self._tx.rows("digests.list", **asker(scope), context=context)
        )

    def of_source(self, tenant: str, source: str) -> list[Digest]:
        """Every version that was made from a reflection or item."""
        return self._read(tenant, self._tx.rows("digests.of_source", tenant=tenant, source=source))

    def of_user(self, tenant: str, user: str) -> list[Digest]:
        """Every version of one user, those of their sessions too."""
        return self._read(tenant, self._tx.rows("digests.of_user", tenant=tenant, user=user))

    def only_in(self, tenant: str, session: str) -> list[Digest]:
        """Every version of one session."""
        return self._read(tenant, self._tx.rows("digests.only_in", tenant=tenant, id=session))

    def after(self, tenant: str, id: str, limit: int) -> list[Digest]:
        """All versions of a tenant whose ids follow one, in order: a walk through all of them."""
        return self._read(
            tenant, self._tx.rows("digests.after", tenant=tenant, after=id, limit=limit)
        )

    def withdraw(self, tenant: str, id: str, at: datetime | None) -> None:
        """Take a version out of force, or with None bring it back."""
        self._tx.run("digests.withdraw", tenant=tenant, id=id, at=micros(at))

    def mask(self, digest: Digest) -> None:
        """Write the texts again, with their secrets masked."""
        self._tx.run("digests.rewrite", tenant=digest.scope.tenant, id=digest.id, **_texts(digest))

    def forget(self, tenant: str, id: str) -> int:
        """Erase the version and its links."""
        self._tx.run("digest_sources.forget", tenant=tenant, digest_id=id)
        return self._tx.run("digests.forget", tenant=tenant, id=id)

    def _shown(self, tenant: str, rows: list[Row]) -> list[Digest]:
        """Rows as digests to be shown.

        Raises:
            StoreError: a text is damaged.
        """
        for row in rows:
            check_whole("digest", row["id"], row)
        return self._read(tenant, rows)

    def _read(self, tenant: str, rows: list[Row]) -> list[Digest]:
        if not rows:
            return []
        sources: dict[str, list[str]] = {}
        for link in self._tx.rows(
            "digest_sources.many", tenant=tenant, ids=json.dumps([row["id"] for row in rows])
        ):
            sources.setdefault(link["digest_id"], []).append(link["source"])
        return [_digest(row, tuple(sources.get(row["id"], ()))) for row in rows]


def _texts(digest: Digest) -> dict[str, Any]:
    text, escaped = pack_text(digest.text)
    return {
        "text": text,
        "escaped": sealed(escaped, text),
        "dropped": pack_json(list(digest.dropped)),
    }


def _digest(row: Row, sources: tuple[str, ...]) -> Digest:
    return Digest(
        id=DigestId(row["id"]),
        scope=scope_of(
            row["tenant"], row["agent"], row["user_id"], row["only_session"], row["context"]
        ),
        kind=DigestKind(row["kind"]),
        version=row["version"],
        text=unpack_text(row["text"], row["escaped"] & 1),
        word_limit=row["word_limit"],
        model=row["model"],
        made_at=from_micros(row["made_at"]),
        tier=Tier(row["tier"]),
        sources=sources,
        dropped=unpack_tags(row["dropped"]),
        withdrawn_at=moment(row["withdrawn_at"]),
    )
