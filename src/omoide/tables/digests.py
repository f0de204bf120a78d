"""The digests table: every version of the text of each scope, and what it was made from."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.item import Tier
from omoide.nouns.reflection import Digest, DigestId, DigestKind
from omoide.nouns.scope import Scope
from omoide.store.base import Row
from omoide.tables.columns import (
    asker,
    exactly,
    micros,
    moment,
    pack_json,
    pack_text,
    picked,
    scope_in,
    sealed,
    unpack_tags,
    unpack_text,
)
from omoide.tables.rows import LinkedRows


class Digests(LinkedRows[Digest]):
    """Digests as rows, inside the caller's transaction."""

    kind = "digest"
    one_query, walk_query = "digests.raw", "digests.after"

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
        tenant, id = digest.scope.tenant, digest.id
        for source in digest.sources:
            self._tx.run("digest_sources.add", tenant=tenant, digest_id=id, source=source)

    def current(self, scope: Scope, kind: DigestKind) -> Digest | None:
        """The version in force of exactly this scope; None where there is none.

        Raises:
            DamagedRecord: its text is damaged.
        """
        return self._one_shown("digests.current", **exactly(scope), kind=kind.value)

    def readable(self, scope: Scope, kind: DigestKind) -> Digest | None:
        """The version in force of exactly this scope, to be shown; None also where it is
        damaged.
        """
        found = self._shown("digests.current", **exactly(scope), kind=kind.value)
        return next(iter(found), None)

    def latest(self, scope: Scope, kind: DigestKind) -> int:
        """The highest version there ever was of exactly this scope, but for forgotten ones; 0 where
        there is none.
        """
        return int(self._column("version", "digests.latest", **exactly(scope), kind=kind.value)[0])

    def versions(self, scope: Scope, kind: DigestKind) -> list[Digest]:
        """Every version of exactly this scope, latest first, withdrawn ones too."""
        return self._shown("digests.versions", **exactly(scope), kind=kind.value)

    def seen(self, scope: Scope, *, context: str = "") -> list[Digest]:
        """The digests an asker sees, or those of a context and the global one, of each the version
        in force.
        """
        return self._shown("digests.list", **asker(scope), context=context)

    def of_user(self, tenant: str, user: str) -> list[Digest]:
        """Every version of one user, those of their sessions too."""
        return self._found("digests.of_user", tenant=tenant, user=user)

    def only_in(self, tenant: str, session: str) -> list[Digest]:
        """Every version of one session."""
        return self._found("digests.only_in", tenant=tenant, id=session)

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

    def _read(self, rows: list[Row]) -> list[Digest]:
        links = self._links("digest_sources.many", rows, "digest_id") if rows else {}
        return [_digest(row, [link["source"] for link in links.get(row["id"], ())]) for row in rows]


def _texts(digest: Digest) -> dict[str, Any]:
    text, escaped = pack_text(digest.text)
    return {
        "text": text,
        "escaped": sealed(escaped, text),
        "dropped": pack_json(list(digest.dropped)),
    }


def _digest(row: Row, sources: list[str]) -> Digest:
    return Digest(
        **picked(row, "version", "word_limit", "model"),
        id=DigestId(row["id"]),
        scope=scope_in(row),
        kind=DigestKind(row["kind"]),
        text=unpack_text(row["text"], row["escaped"] & 1),
        made_at=from_micros(row["made_at"]),
        tier=Tier(row["tier"]),
        sources=tuple(sources),
        dropped=unpack_tags(row["dropped"]),
        withdrawn_at=moment(row["withdrawn_at"]),
    )
