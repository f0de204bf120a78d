"""What the product has to know of reflections and digests.

A digest's version is written on from the one before, so with a reflection go the version that
absorbed it and all later ones of its scope. The version before is in force again, and what the
others had absorbed waits to be condensed anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from omoide.faculties.reflection.condensation import enqueue
from omoide.faculties.reflection.digest_text import lines_of
from omoide.faculties.reflection.door import digest_hash, reflection_hash
from omoide.nouns.access import owns, takes_part
from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule
from omoide.nouns.reflection import Digest, DigestKind, Reflection
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.tables.turns import split_turn_id
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.erasing import is_of, note_erased


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


def _is_theirs(tx: Transaction, scope: Scope, record: Reflection | Digest) -> bool:
    session = (
        Sessions(tx).find(scope.tenant, record.scope.session) if record.scope.session else None
    )
    inside = session is None or owns(scope, session) or takes_part(scope, session)
    return is_of(scope, record) and inside


def _reflections_meant(tx: Transaction, scope: Scope, target: Target) -> list[Reflection]:
    if target.user is not None:
        return Reflections(tx).of_user(scope.tenant, target.user)
    found = Reflections(tx).find(scope.tenant, target.id) if target.id else None
    return [found] if found and _is_theirs(tx, scope, found) else []


def _digests_meant(tx: Transaction, scope: Scope, target: Target) -> list[Digest]:
    if target.user is not None:
        return Digests(tx).of_user(scope.tenant, target.user)
    found = Digests(tx).find(scope.tenant, target.id) if target.id else None
    return [found] if found and _is_theirs(tx, scope, found) else []


def _erase_reflections(
    tx: Transaction,
    door: Door,
    scope: Scope,
    reflections: Mapping[str, Reflection],
    gone: Mapping[str, Any],
) -> None:
    for reflection in reflections.values():
        Reflections(tx).forget(scope.tenant, reflection.id)
        note_erased(tx, door, Kind.REFLECTION, reflection)


def _erase_digests(
    tx: Transaction,
    door: Door,
    scope: Scope,
    digests: Mapping[str, Digest],
    gone: Mapping[str, Any],
) -> None:
    """Erase versions; the one before is in force again, and what they absorbed waits anew."""
    for digest in digests.values():
        if Reflections(tx).free(scope.tenant, digest.id):
            enqueue(tx, digest.scope, door.now)
        Digests(tx).forget(scope.tenant, digest.id)
        note_erased(tx, door, Kind.DIGEST, digest)


def erase_profiles(
    tx: Transaction, door: Door, scope: Scope, users: Iterable[str], items: Collection[str]
) -> None:
    """Erase the profiles of users, "" being nobody, of whom other things are known now; those made
    from items that go, go with these.
    """
    made = (
        one
        for user in users
        for one in Digests(tx).of_user(scope.tenant, user)
        if one.kind is DigestKind.PROFILE and not any(source in items for source in one.sources)
    )
    _erase_digests(tx, door, scope, {one.id: one for one in made}, {})


REFLECTION = RecordKind(
    name="reflection",
    record=Reflection,
    plural="reflections",
    tables=("reflections", "reflection_sources"),
    texts=("text", "quote"),
    page=_reflections,
    find=_find_reflection,
    mask=_mask_reflection,
    edges=(
        Edge(rule=Rule.PART_OF, of=("session",), query="edges.reflections_of_sessions"),
        Edge(
            rule=Rule.MADE_OF, of=("turn",), query="edges.reflections_of_turns", key=split_turn_id
        ),
    ),
    meant=_reflections_meant,
    proof=lambda reflection: filter(None, (reflection.text, reflection.quote)),
    erase=_erase_reflections,
)
DIGEST = RecordKind(
    name="digest",
    record=Digest,
    plural="digests",
    tables=("digests", "digest_sources"),
    texts=("text", "dropped"),
    page=_digests,
    find=_find_digest,
    mask=_mask_digest,
    edges=(
        Edge(rule=Rule.PART_OF, of=("session",), query="edges.digests_of_sessions"),
        Edge(rule=Rule.MADE_OF, of=("reflection", "item"), query="edges.digests_of_sources"),
        Edge(rule=Rule.MADE_OF, of=("digest",), query="edges.later_digests"),
    ),
    meant=_digests_meant,
    proof=lambda digest: lines_of(digest.text),
    erase=_erase_digests,
)
