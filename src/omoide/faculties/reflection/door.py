"""Reflections and digests through the door: each adding and each taking back leaves an entry in the
ledger.

A digest stands on the versions before it, so only the last one in force can be taken back; what it
absorbed then waits again.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

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

R = TypeVar("R", Reflection, Digest)


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
    add_reflected(tx, door, digest)


def _absorb(tx: Transaction, digest: Digest, at: datetime) -> None:
    if Reflections(tx).absorb(digest.scope.tenant, digest.sources, digest.id, at) != len(
        digest.sources
    ):
        raise Conflict(
            f"reflections of this {digest.kind.value} were condensed, withdrawn or forgotten by"
            " another meanwhile"
        )


def add_reflected(tx: Transaction, door: Door, record: Reflection | Digest) -> None:
    """Add a reflection, or a version of a digest, in the state that it is in."""
    door.lock(record.scope)
    salt = os.urandom(16)
    table_of(tx, record).add(record, salt=salt)
    note_reflected(door, Action.ADD, record, salt=salt)


def table_of(tx: Transaction, record: Reflection | Digest) -> Any:
    """The table that a reflection or digest stands in."""
    return Reflections(tx) if isinstance(record, Reflection) else Digests(tx)


def find_reflected(tx: Transaction, change: Change) -> Reflection | Digest | None:
    """The reflection or digest that a change is of; None if it was forgotten."""
    table = Reflections(tx) if change.kind is Kind.REFLECTION else Digests(tx)
    return table.find(change.tenant, change.record)


def note_reflected(
    door: Door,
    action: Action,
    record: Reflection | Digest,
    before: dict[str, Any] | None = None,
    cause: str | None = None,
    *,
    salt: bytes | None = None,
) -> None:
    """Put a change of a reflection or digest on the ledger, with the hash of what it is now."""
    salt = salt or table_of(door.tx, record).salt(record.scope.tenant, record.id)
    kind = Kind.REFLECTION if isinstance(record, Reflection) else Kind.DIGEST
    content = reflected_hash(record, salt)
    door.note_record(action, kind, record, before or {}, content=content, cause=cause)


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
    return _mark(tx, door, reflection, None, Action.CONFIRM)


def _mark(
    tx: Transaction,
    door: Door,
    reflection: Reflection,
    unconfirmed: Unconfirmed | None,
    action: Action,
    cause: str | None = None,
) -> Reflection:
    door.lock(reflection.scope)
    Reflections(tx).mark(reflection.scope.tenant, reflection.id, unconfirmed)
    was = reflection.unconfirmed.value if reflection.unconfirmed else ""
    note_reflected(door, action, reflection, {"unconfirmed": was}, cause)
    return replace(reflection, unconfirmed=unconfirmed)


def withdraw_reflection(
    tx: Transaction, door: Door, reflection: Reflection, action: Action
) -> Reflection:
    """Take a reflection out of what stands, which undo brings back."""
    door.lock(reflection.scope)
    return _withdraw(tx, door, action, reflection, door.now)


def _withdraw(
    tx: Transaction,
    door: Door,
    action: Action,
    record: R,
    at: datetime | None,
    cause: str | None = None,
) -> R:
    """Take a record out of what stands; with None bring it back."""
    after = replace(record, withdrawn_at=at)
    table_of(tx, record).withdraw(record.scope.tenant, record.id, at)
    note_reflected(door, action, after, {"withdrawn": record.withdrawn_at is not None}, cause)
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
    at = _withdrawn_at(past, door.now)
    _withdraw(tx, door, Action.UNDO, reflection, at, past.change.id)


def _revert_digest(tx: Transaction, door: Door, past: Past, digest: Digest) -> None:
    current = Digests(tx).current(digest.scope, digest.kind)
    if current is not None and current.version > digest.version:
        raise CannotUndo(
            f"digest {digest.id!r} is what a later version, {current.id!r}, stands on; undo that"
            " first"
        )
    at = _withdrawn_at(past, door.now)
    if at is not None:
        Reflections(tx).free(past.change.tenant, digest.id)
    elif digest.kind is not DigestKind.PROFILE:
        try:
            _absorb(tx, digest, door.now)
        except Conflict as error:
            raise CannotUndo(str(error)) from None
    _withdraw(tx, door, Action.UNDO, digest, at, past.change.id)


def _withdrawn_at(past: Past, now: datetime) -> datetime | None:
    """When a record is withdrawn after a change to it is taken back; None: it is not."""
    return now if past.change.action is Action.ADD or past.before.get("withdrawn") else None


def reflected_hash(record: Reflection | Digest, salt: bytes) -> bytes:
    """What the ledger keeps of a reflection or digest: a hash of its texts, of a digest also of its
    version and sources, and whether it stands, keyed by a salt that is erased with it.
    """
    more = (
        [record.quote]
        if isinstance(record, Reflection)
        else [record.version, sorted(record.sources)]
    )
    state = pack_json([record.text, *more, record.withdrawn_at is None])
    return hashlib.blake2b(state.encode(), digest_size=16, key=salt).digest()
