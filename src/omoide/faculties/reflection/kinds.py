"""What the product has to know of reflections and digests.

A digest's version is written on from the one before, so with a reflection go the version that
absorbed it and all later ones of its scope. The version before is in force again, and what the
others had absorbed waits to be condensed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.faculties.reflection.condensation import enqueue
from omoide.faculties.reflection.digest_text import lines_of
from omoide.faculties.reflection.door import (
    add_reflected,
    find_reflected,
    note_reflected,
    revert_reflected,
    table_of,
)
from omoide.nouns.access import owns, takes_part
from omoide.nouns.change import Action
from omoide.nouns.errors import Conflict, InvalidInput
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record.lines import with_article
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, of_table
from omoide.nouns.reflection import (
    REFLECTION_WORDS,
    Digest,
    DigestId,
    DigestKind,
    Reflection,
    ReflectionId,
    count_words,
    kind_of,
)
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.reflections import Reflections
from omoide.tables.sessions import Sessions
from omoide.tables.turns import split_turn_id
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import as_line, check_id, check_text
from omoide.write.erasing import is_of, note_erased
from omoide.write.loading import (
    check_count,
    check_counts,
    check_past,
    check_same,
    known_turns,
)
from omoide.write.undoing import is_of_part


def _mask(tx: Transaction, door: Door, tenant: str, found: Reflection | Digest) -> None:
    clean = without_secrets(found)
    table_of(tx, clean).mask(clean)
    note_reflected(door, Action.MASK, clean)


def _is_theirs(tx: Transaction, scope: Scope, record: Reflection | Digest) -> bool:
    session = Sessions(tx).within(record.scope)
    inside = session is None or owns(scope, session) or takes_part(scope, session)
    return is_of(scope, record) and inside


def _meant(table: Callable[[Transaction], Any]) -> Callable[[Transaction, Scope, Target], Any]:
    """Which records of a table a target of forget stands for."""

    def meant(tx: Transaction, scope: Scope, target: Target) -> list[Any]:
        if target.user is not None:
            found: list[Any] = table(tx).of_user(scope.tenant, target.user)
            return found
        one = table(tx).find(scope.tenant, target.id) if target.id else None
        return [one] if one and _is_theirs(tx, scope, one) else []

    return meant


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


def _fit_reflection(reflection: Reflection, now: datetime) -> Reflection:
    check_past(reflection, ("formed_at", "absorbed_at", "withdrawn_at"), now)
    for turn in reflection.source_turns:
        split_turn_id(turn)
    for place in reflection.quote_span or ():
        check_count(place, "quote_span")
    if (reflection.absorbed_at is None) != (reflection.digest is None):
        raise InvalidInput(
            "digest", "a reflection is absorbed at a time, by a digest: both or neither"
        )
    text = mask_line(check_text(reflection.text))
    if count_words(text) > REFLECTION_WORDS:
        raise InvalidInput("text", f"a reflection has {REFLECTION_WORDS} words at most")
    quote = mask_line(check_text(reflection.quote)) if reflection.quote else ""
    digest = None if reflection.digest is None else DigestId(check_id(reflection.digest, "digest"))
    return replace(
        reflection,
        id=ReflectionId(check_id(reflection.id, "id")),
        text=text,
        quote=quote,
        digest=digest,
    )


def _fit_digest(digest: Digest, now: datetime) -> Digest:
    check_past(digest, ("made_at", "withdrawn_at"), now)
    check_counts(digest, ("version", "word_limit"))
    if digest.kind is not kind_of(digest.scope) and (
        digest.kind is not DigestKind.PROFILE or digest.scope.session
    ):
        raise InvalidInput("kind", f"this scope has no digest of kind {digest.kind.value!r}")
    return replace(
        digest,
        id=DigestId(check_id(digest.id, "id")),
        text=mask_line(check_text(digest.text)),
        model=as_line(digest.model, "model"),
        sources=tuple(sorted({check_id(source, "sources") for source in digest.sources})),
        dropped=tuple(mask_line(check_text(name)) for name in digest.dropped),
    )


def _load_reflection(
    tx: Transaction, door: Door, reflection: Reflection, told: Container[str]
) -> Mapping[str, int]:
    tenant = reflection.scope.tenant
    there = Reflections(tx).find(tenant, reflection.id)
    if there is not None:
        check_same("reflection", reflection.id, equal=there.text == reflection.text)
        return {}
    turns = known_turns(tx, tenant, reflection.source_turns, told)
    add_reflected(tx, door, replace(reflection, source_turns=turns))
    return {"reflection": 1, "missing source": len(reflection.source_turns) - len(turns)}


def _load_digest(
    tx: Transaction, door: Door, digest: Digest, told: Container[str]
) -> Mapping[str, int]:
    there = Digests(tx).find(digest.scope.tenant, digest.id)
    if there is not None:
        check_same("digest", digest.id, equal=there.text == digest.text)
        return {}
    versions = Digests(tx).versions(digest.scope, digest.kind)
    if any(one.version == digest.version for one in versions):
        raise Conflict(
            f"digest {digest.id!r} is version {digest.version} of"
            f" {with_article(digest.kind.value)} that has another one of that number"
        )
    add_reflected(tx, door, digest)
    return {"digest": 1}


REFLECTION = RecordKind(
    name="reflection",
    record=Reflection,
    plural="reflections",
    tables=(
        Table("reflections"),
        Table("reflection_sources", ("tenant", "reflection_id", "session_id", "position")),
    ),
    texts=("text", "quote"),
    sealed=True,
    table=Reflections,
    mask=_mask,
    edges=(
        Edge(rule=Rule.PART_OF, of=("session",), query="edges.reflections_of_sessions"),
        Edge(
            rule=Rule.MADE_OF, of=("turn",), query="edges.reflections_of_turns", key=split_turn_id
        ),
    ),
    meant=_meant(Reflections),
    may_undo=lambda tx, scope, past: is_of_part(tx, scope, find_reflected(tx, past.change)),
    revert=lambda tx, door, past, undoing: revert_reflected(tx, door, past),
    exported=of_table(Reflections),
    fit=_fit_reflection,
    load=_load_reflection,
    proof=lambda reflection: filter(None, (reflection.text, reflection.quote)),
    held="reflections.held",
)
DIGEST = RecordKind(
    name="digest",
    record=Digest,
    plural="digests",
    tables=(Table("digests"), Table("digest_sources", ("tenant", "digest_id", "source"))),
    texts=("text", "dropped"),
    sealed=True,
    table=Digests,
    mask=_mask,
    edges=(
        Edge(rule=Rule.PART_OF, of=("session",), query="edges.digests_of_sessions"),
        Edge(rule=Rule.MADE_OF, of=("reflection", "item"), query="edges.digests_of_sources"),
        Edge(rule=Rule.MADE_OF, of=("digest",), query="edges.later_digests"),
    ),
    meant=_meant(Digests),
    may_undo=lambda tx, scope, past: is_of_part(tx, scope, find_reflected(tx, past.change)),
    revert=lambda tx, door, past, undoing: revert_reflected(tx, door, past),
    exported=lambda tx, tenant, user: sorted(
        of_table(Digests)(tx, tenant, user), key=lambda digest: digest.version
    ),
    fit=_fit_digest,
    load=_load_digest,
    proof=lambda digest: lines_of(digest.text),
    held="digests.held",
    erase=_erase_digests,
)
