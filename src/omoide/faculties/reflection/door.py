"""Reflections and digests through the door: each adding and each taking back leaves an entry in the
ledger.

A digest stands on the versions before it, so only the last one in force can be taken back; what it
absorbed then waits again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from omoide.nouns.change import Action, Change
from omoide.nouns.errors import CannotUndo, Conflict
from omoide.nouns.item import Unconfirmed
from omoide.nouns.kind import Kind
from omoide.nouns.reflection import Digest, DigestKind, Reflection
from omoide.store.base import Transaction
from omoide.tables.columns import pack_json
from omoide.tables.digests import Digests
from omoide.tables.ledger import Past
from omoide.tables.reflections import Reflections
from omoide.write.apply import Door


def add_reflections(tx: Transaction, door: Door, reflections: Iterable[Reflection]) -> None:
    """Add reflections; they wait to be condensed."""
    for reflection in reflections:
        door.lock(reflection.scope)
        salt = os.urandom(16)
        Reflections(tx).add(reflection, salt=salt)
        before = {"agent": reflection.scope.agent or ""}
        content = reflection_hash(reflection, salt)
        door.note(
            Action.ADD,
            Kind.REFLECTION,
            reflection.id,
            reflection.scope,
            content=content,
            before=before,
        )


def add_digest(tx: Transaction, door: Door, digest: Digest, *, instead_of: Digest | None) -> None:
    """Add a version, and mark the reflections it was made from as absorbed.

    Raises:
        Conflict: another version came meanwhile, or one of the reflections was absorbed, withdrawn
            or forgotten.
    """
    door.lock(digest.scope)
    current = Digests(tx).current(digest.scope, digest.kind)
    if (current and current.id) != (instead_of and instead_of.id) or Digests(tx).latest(
        digest.scope, digest.kind
    ) >= digest.version:
        raise Conflict(f"the digest of this {digest.kind.value} was made anew by another meanwhile")
    if digest.kind is not DigestKind.PROFILE:
        _absorb(tx, digest, door.now)
    _add(tx, door, digest)


def _absorb(tx: Transaction, digest: Digest, at: datetime) -> None:
    if Reflections(tx).absorb(digest.scope.tenant, digest.sources, digest.id, at) != len(
        digest.sources
    ):
        raise Conflict(
            f"reflections of this {digest.kind.value} were condensed, withdrawn or forgotten by"
            " another meanwhile"
        )


def add_known(tx: Transaction, door: Door, digest: Digest) -> None:
    """Add a version of a digest that was kept elsewhere, in the state that it is in."""
    door.lock(digest.scope)
    _add(tx, door, digest)


def _add(tx: Transaction, door: Door, digest: Digest) -> None:
    salt = os.urandom(16)
    Digests(tx).add(digest, salt=salt)
    before = {"agent": digest.scope.agent or ""}
    door.note(
        Action.ADD,
        Kind.DIGEST,
        digest.id,
        digest.scope,
        content=digest_hash(digest, salt),
        before=before,
    )


def find_reflected(tx: Transaction, change: Change) -> Reflection | Digest | None:
    """The reflection or digest that a change is of; None if it was forgotten."""
    if change.kind is Kind.REFLECTION:
        return Reflections(tx).find(change.tenant, change.record)
    return Digests(tx).find(change.tenant, change.record)


def revert_reflected(tx: Transaction, door: Door, past: Past) -> None:
    """Withdraw a reflection or digest that was added, or bring back one that was withdrawn.

    Raises:
        CannotUndo: it was forgotten, or something stands on it.
    """
    reflected = find_reflected(tx, past.change)
    if reflected is None or not past.kept:
        raise CannotUndo(
            f"{past.change.kind.value} {past.change.record!r} was forgotten; nothing is left to"
            " bring back"
        )
    if isinstance(reflected, Reflection):
        _revert_reflection(tx, door, past, reflected)
    else:
        _revert_digest(tx, door, past, reflected)


def confirm_reflection(tx: Transaction, door: Door, reflection: Reflection) -> Reflection:
    """Let an unconfirmed reflection be one like others; it may be condensed then."""
    return _mark(tx, door, reflection, None, Action.CONFIRM, None)


def _mark(
    tx: Transaction,
    door: Door,
    reflection: Reflection,
    unconfirmed: Unconfirmed | None,
    action: Action,
    cause: str | None,
) -> Reflection:
    door.lock(reflection.scope)
    tenant = reflection.scope.tenant
    Reflections(tx).mark(tenant, reflection.id, unconfirmed)
    content = reflection_hash(reflection, Reflections(tx).salt(tenant, reflection.id))
    was = reflection.unconfirmed.value if reflection.unconfirmed else ""
    before = {"agent": reflection.scope.agent or "", "unconfirmed": was}
    scope = reflection.scope
    door.note(
        action, Kind.REFLECTION, reflection.id, scope, before=before, content=content, cause=cause
    )
    return replace(reflection, unconfirmed=unconfirmed)


def withdraw_reflection(
    tx: Transaction, door: Door, reflection: Reflection, action: Action
) -> Reflection:
    """Take a reflection out of what stands, which undo brings back."""
    door.lock(reflection.scope)
    tenant, after = reflection.scope.tenant, replace(reflection, withdrawn_at=door.now)
    Reflections(tx).withdraw(tenant, reflection.id, after.withdrawn_at)
    content = reflection_hash(after, Reflections(tx).salt(tenant, reflection.id))
    before = {"agent": reflection.scope.agent or "", "withdrawn": False}
    door.note(
        action, Kind.REFLECTION, reflection.id, reflection.scope, before=before, content=content
    )
    return after


def _revert_reflection(tx: Transaction, door: Door, past: Past, reflection: Reflection) -> None:
    if reflection.digest is not None:
        raise CannotUndo(
            f"reflection {reflection.id!r} was condensed into digest {reflection.digest!r}; undo"
            " that first"
        )
    if "unconfirmed" in past.before:
        was = past.before["unconfirmed"]
        unconfirmed = Unconfirmed(was) if was else None
        _mark(tx, door, reflection, unconfirmed, Action.UNDO, past.change.id)
        return
    tenant, after = (
        past.change.tenant,
        replace(reflection, withdrawn_at=_withdrawn_at(past, door.now)),
    )
    Reflections(tx).withdraw(tenant, reflection.id, after.withdrawn_at)
    _note_undoing(
        door, past, reflection_hash(after, Reflections(tx).salt(tenant, reflection.id)), reflection
    )


def _revert_digest(tx: Transaction, door: Door, past: Past, digest: Digest) -> None:
    tenant, after = past.change.tenant, replace(digest, withdrawn_at=_withdrawn_at(past, door.now))
    current = Digests(tx).current(digest.scope, digest.kind)
    if current is not None and current.version > digest.version:
        raise CannotUndo(
            f"digest {digest.id!r} is what a later version, {current.id!r}, stands on; undo that"
            " first"
        )
    Digests(tx).withdraw(tenant, digest.id, after.withdrawn_at)
    if after.withdrawn_at is not None:
        Reflections(tx).free(tenant, digest.id)
    elif digest.kind is not DigestKind.PROFILE:
        try:
            _absorb(tx, digest, door.now)
        except Conflict as error:
            raise CannotUndo(str(error)) from None
    _note_undoing(door, past, digest_hash(after, Digests(tx).salt(tenant, digest.id)), digest)


def _withdrawn_at(past: Past, now: datetime) -> datetime | None:
    """When a record is withdrawn after a change to it is taken back; None: it is not."""
    return now if past.change.action is Action.ADD or past.before.get("withdrawn") else None


def _note_undoing(door: Door, past: Past, content: bytes, record: Reflection | Digest) -> None:
    before = {"agent": record.scope.agent or "", "withdrawn": record.withdrawn_at is not None}
    door.note(
        Action.UNDO,
        past.change.kind,
        record.id,
        record.scope,
        content=content,
        before=before,
        cause=past.change.id,
    )


def reflection_hash(reflection: Reflection, salt: bytes) -> bytes:
    """What the ledger keeps of a reflection: a hash of its texts, and whether it stands, keyed by a
    salt that is erased with it.
    """
    return _hash([reflection.text, reflection.quote, reflection.withdrawn_at is None], salt)


def digest_hash(digest: Digest, salt: bytes) -> bytes:
    """What the ledger keeps of a digest: a hash of its text, version and sources, and whether it
    stands, keyed likewise.
    """
    return _hash(
        [digest.text, digest.version, sorted(digest.sources), digest.withdrawn_at is None], salt
    )


def _hash(state: list[object], salt: bytes) -> bytes:
    return hashlib.blake2b(pack_json(state).encode(), digest_size=16, key=salt).digest()
