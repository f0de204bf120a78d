"""Our own archive: JSON lines, open and documented, written whole or not at all, and loaded back with identical recall.

The first line names the form and what is in it; then one record a line, ``{"type": "item", …}``; the last
line has the counts and a checksum over all lines before. See docs/reference/archive.md.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from omoide.clock import EPOCH
from omoide.errors import Conflict, ImportRefused, InvalidTime
from omoide.exchange.coding import decode, encode
from omoide.memory import Memory
from omoide.records import Because, Entity, Item, Scope, Session, Turn
from omoide.store.base import Transaction
from omoide.tables.documents import Documents, Words
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns, turn_id
from omoide.write.apply import Door
from omoide.write.check import check_time
from omoide.write.index import item_words, turn_words

FORM = 1
BATCH = 500
LINE_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedTurn:
    """A turn as the archive holds it: with the scope it was logged in and whether it was taken out of recall."""

    turn: Turn
    scope: Scope
    shared: bool = False
    hidden: bool = False


KINDS = {"session": Session, "entity": Entity, "turn": LoggedTurn, "item": Item}


def write_archive(
    memory: Memory, path: Path, scope: Scope, *, everything: bool = False, tell: Callable[[int], None] = lambda done: None
) -> dict[str, int]:
    """Write what is held about the scope's user, or with everything all of its tenant; counts by kind of record.

    The file is readable only by its owner, and gets its name when it is complete.

    Raises:
        Conflict: there is something at path.
    """
    if path.exists():
        raise Conflict(f"{path} exists; an export never overwrites a file")
    part = path.with_name(path.name + ".part")
    counts: Counter[str] = Counter()
    digest = hashlib.sha256()
    with open(part, "w", encoding="utf-8", opener=_private) as out:

        def write(line: dict[str, Any]) -> None:
            text = json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n"
            digest.update(text.encode())
            out.write(text)

        whose = None if everything else scope.user or ""
        write({"omoide_archive": FORM, "made_at": memory.clock.now().isoformat(), "tenant": scope.tenant, "user": whose})
        with memory.store.transaction(write=False) as tx:
            for kind, record in _records(tx, scope, everything):
                write({"type": kind, **encode(record)})
                counts[kind] += 1
                tell(1)
        out.write(json.dumps({"end": dict(counts), "sha256": digest.hexdigest()}) + "\n")
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, path)
    return dict(counts)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NOFOLLOW, 0o600)


def _records(tx: Transaction, scope: Scope, everything: bool) -> Iterator[tuple[str, Any]]:
    """Records in an order in which they can be loaded, those that are searched in the order they were stored."""
    tenant, documents = scope.tenant, Documents(tx)
    users = sorted(documents.partitions(tenant)) if everything else [scope.user or ""]
    sessions = {s.id: s for user in users for s in Sessions(tx).of_user(tenant, user)}
    sessions |= {s.id: s for s in Sessions(tx).shared(tenant) if everything or scope.user in s.users}
    yield from (("session", session) for session in sessions.values())
    yield from (("entity", entity) for user in users for entity in Entities(tx).of_user(tenant, user))
    for user in users:
        for row in documents.of_partition(tenant, user or None):
            if row["part"] == 0:
                record = _searched(tx, tenant, row["kind"], row["ref"])
                if record is not None and (user or everything or row["kind"] == "item"):
                    yield row["kind"], record
        if not everything and user:
            yield from (("turn", _logged(tx, tenant, turn)) for turn in Turns(tx).by_author(tenant, user))
        for past in Ledger(tx).between(tenant, user or None, EPOCH, _END, 100_000_000):
            if (past.user or "") == user:
                yield "change", past


_END = EPOCH.replace(year=9999)


def _searched(tx: Transaction, tenant: str, kind: str, ref: str) -> Item | LoggedTurn | None:
    if kind == "item":
        return Items(tx).find(tenant, ref)
    turn = Turns(tx).find(tenant, ref)
    return _logged(tx, tenant, turn) if turn else None


def _logged(tx: Transaction, tenant: str, turn: Turn) -> LoggedTurn:
    scope, shared = Turns(tx).home(tenant, turn)
    return LoggedTurn(turn=turn, scope=scope, shared=shared, hidden=Turns(tx).hidden(tenant, turn))


def read_archive(memory: Memory, path: Path, *, tell: Callable[[int], None] = lambda done: None) -> dict[str, int]:
    """Load an archive: what is there already is left alone; counts of what was new.

    The whole file is checked before anything is stored.

    Raises:
        ImportRefused: not an archive, of a newer form, cut off or altered.
        Conflict: a record of the same id is there and differs.
    """
    header = check_archive(path)
    for kind, record in _lines(path):
        _fit(path, header["tenant"], kind, record)
    load_id = memory.clock.new_id()
    because = Because(actor="load", reason=f"archive made at {header['made_at']}", cause=load_id)
    counts: Counter[str] = Counter()
    batch: list[tuple[str, Any]] = []
    for kind, record in _lines(path):
        batch.append((kind, record))
        if len(batch) >= BATCH:
            counts += _load(memory, because, header["tenant"], batch)
            tell(len(batch))
            batch = []
    counts += _load(memory, because, header["tenant"], batch)
    return dict(counts)


def check_archive(path: Path) -> dict[str, Any]:
    """The first line of an archive that is whole.

    Raises:
        ImportRefused: it is not.
    """
    digest, last, first = hashlib.sha256(), b"", b""
    try:
        with path.open("rb") as lines:
            while line := lines.readline(LINE_LIMIT):
                if not line.endswith(b"\n"):
                    raise ImportRefused(str(path), "is cut off, or has a line of over 64 MiB")
                digest.update(last)
                first, last = first or line, line
    except OSError as error:
        raise ImportRefused(str(path), f"cannot be read: {error.strerror}") from None
    header, end = _json(path, first), _json(path, last)
    if header.get("omoide_archive") != FORM:
        raise ImportRefused(str(path), f"is not an archive of form {FORM}; import reads other programs' exports")
    if end.get("sha256") != digest.hexdigest():
        raise ImportRefused(str(path), "is cut off or was altered: its checksum does not fit")
    return header


def _json(path: Path, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise ImportRefused(str(path), "is not an archive: a line is not JSON") from None
    if not isinstance(value, dict):
        raise ImportRefused(str(path), "is not an archive: a line is not a record")
    return value


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    with path.open("rb") as lines:
        for line in lines:
            value = _json(path, line)
            kind = value.pop("type", None)
            if kind in KINDS:
                yield kind, decode(KINDS[kind], value)


def _fit(path: Path, tenant: str, kind: str, record: Any) -> None:
    """That a record is of the archive's tenant and can be read again once it is stored.

    Raises:
        ImportRefused: it is not, or cannot.
    """
    turn = record.turn if isinstance(record, LoggedTurn) else None
    if record.scope.tenant != tenant:
        raise ImportRefused(str(path), f"holds a {kind} of tenant {record.scope.tenant!r}, while it is one of {tenant!r}")
    if turn is not None and (turn.position < 0 or turn.id != turn_id(turn.session, turn.position)):
        raise ImportRefused(str(path), f"holds turn {turn.id!r} at position {turn.position} of session {turn.session!r}")
    for place in fields(turn or record):
        value = getattr(turn or record, place.name)
        if isinstance(value, datetime):
            try:
                check_time(value, place.name)
            except InvalidTime as error:
                raise ImportRefused(str(path), f"holds a {kind} whose {error}") from None


def _load(memory: Memory, because: Because, tenant: str, batch: list[tuple[str, Any]]) -> Counter[str]:
    new: Counter[str] = Counter()
    fresh = [record for kind, record in batch if kind == "item"]
    with memory.store.transaction() as tx, Door(tx, memory.clock, because) as door:
        for user in sorted({r.scope.user or "" for _, r in batch if not isinstance(r, Session | Entity)}):
            door.lock(Scope(tenant=tenant, user=user or None))
        for kind, record in batch:
            new[kind] += _LOADERS[kind](tx, door, record)
        if fresh or new["turn"]:
            Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=memory.clock.now())
    return +new


def _load_session(tx: Transaction, door: Door, session: Session) -> bool:
    return Sessions(tx).add(session, origin="", at=door.now)


def _load_entity(tx: Transaction, door: Door, entity: Entity) -> bool:
    if Entities(tx).get(entity.scope, entity.id) is not None:
        return False
    Entities(tx).revive(entity.scope, entity.id, entity.name, door.now)
    for alias in (entity.name, *entity.aliases):
        Entities(tx).add_alias(entity, alias)
    return True


def _load_turn(tx: Transaction, door: Door, logged: LoggedTurn) -> bool:
    turn, tenant = logged.turn, logged.scope.tenant
    there = Turns(tx).find(tenant, turn.id)
    if there is not None:
        _same("turn", turn.id, there.text == turn.text)
        return False
    session = Sessions(tx).find(tenant, turn.session)
    if session is None:
        raise Conflict(f"turn {turn.id!r} belongs to a session that is not in the archive")
    door.log(replace(session, scope=replace(logged.scope, context=session.scope.context)), [turn], [turn_words(turn)], origin="")
    Sessions(tx).reach(session, turn.position + 1, turn.at)
    if logged.hidden:
        door.hide_turns(session, [turn], hide=True, undoes=door.changes[-1])
    return True


def _load_item(tx: Transaction, door: Door, item: Item) -> bool:
    there = Items(tx).find(item.scope.tenant, item.id)
    if there is not None:
        _same("item", item.id, there.text == item.text)
        return False
    own, around = item_words(item)
    door.add(item, Words(own=own, around=around))
    return True


def _same(kind: str, id: str, equal: bool) -> None:
    if not equal:
        raise Conflict(f"{kind} {id!r} is there already with another text")


_LOADERS: dict[str, Callable[..., bool]] = {
    "session": _load_session, "entity": _load_entity, "turn": _load_turn, "item": _load_item
}  # fmt: skip
