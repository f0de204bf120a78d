"""What the product has to know of reflections and digests."""

from __future__ import annotations

from omoide.faculties.reflection.door import digest_hash, reflection_hash
from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind
from omoide.nouns.reflection import Digest, Reflection
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.reflections import Reflections
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door


def _reflections(
    tx: Transaction, tenant: str, last: Reflection | None, limit: int
) -> list[Reflection]:
    return Reflections(tx).after(tenant, last.id if last else "", limit)


def _digests(tx: Transaction, tenant: str, last: Digest | None, limit: int) -> list[Digest]:
    return Digests(tx).after(tenant, last.id if last else "", limit)


def _find_reflection(tx: Transaction, tenant: str, id: str) -> Reflection | None:
    return Reflections(tx).find(tenant, id)


def _find_digest(tx: Transaction, tenant: str, id: str) -> Digest | None:
    return Digests(tx).find(tenant, id)


def _mask_reflection(tx: Transaction, door: Door, tenant: str, found: Reflection) -> None:
    clean = without_secrets(found)
    Reflections(tx).mask(clean)
    content = reflection_hash(clean, Reflections(tx).salt(tenant, found.id))
    door.note(Action.MASK, Kind.REFLECTION, found.id, found.scope, content=content)


def _mask_digest(tx: Transaction, door: Door, tenant: str, found: Digest) -> None:
    clean = without_secrets(found)
    Digests(tx).mask(clean)
    content = digest_hash(clean, Digests(tx).salt(tenant, found.id))
    door.note(Action.MASK, Kind.DIGEST, found.id, found.scope, content=content)


REFLECTION = RecordKind(
    name="reflection",
    record=Reflection,
    tables=("reflections", "reflection_sources"),
    texts=("text", "quote"),
    page=_reflections,
    find=_find_reflection,
    mask=_mask_reflection,
)
DIGEST = RecordKind(
    name="digest",
    record=Digest,
    tables=("digests", "digest_sources"),
    texts=("text", "dropped"),
    page=_digests,
    find=_find_digest,
    mask=_mask_digest,
)
