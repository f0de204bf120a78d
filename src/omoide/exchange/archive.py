"""Our own archive: JSON lines, open and documented, written whole or not at all, and loaded back
with identical recall.

The first line names the form and what is in it; then one record a line, ``{"type": "item", …}``;
the last line has the counts and a checksum over all lines before. See docs/reference/archive.md.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from omoide.exchange.authority import beyond, seen_by
from omoide.exchange.fit import Archived, LoggedTurn, fit
from omoide.faculties.procedures.door import add_known
from omoide.faculties.reflection.door import add_as_it_is
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import EPOCH, parse_time
from omoide.nouns.entity import Entity
from omoide.nouns.errors import Conflict, Forbidden, ImportRefused, InvalidInput, NotFound
from omoide.nouns.ids import check_path, clean_id
from omoide.nouns.item import Item, Tier
from omoide.nouns.procedure import Procedure
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.digests import Digests
from omoide.tables.documents import Documents, Words
from omoide.tables.entities import Entities
from omoide.tables.items import Items
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.procedures import Procedures
from omoide.tables.proposals import Proposals
from omoide.tables.reflections import Reflections
from omoide.tables.senders import Senders
from omoide.tables.sessions import Sessions
from omoide.tables.tools import ToolCalls
from omoide.tables.turns import Turns
from omoide.text.secrets import masking
from omoide.wire.coding import decode, encode
from omoide.write.apply import Door, through
from omoide.write.index import item_words, turn_words

FORM = 1
BATCH = 500
LINE_LIMIT = 64 * 1024 * 1024


KINDS: dict[str, type[Archived]] = {
    "session": Session,
    "entity": Entity,
    "turn": LoggedTurn,
    "item": Item,
    "reflection": Reflection,
    "digest": Digest,
    "procedure": Procedure,
    "sender": Sender,
}


def write_archive(
    memory: Memory,
    path: Path,
    scope: Scope,
    *,
    everything: bool = False,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[str, int]:
    """Write what is held about the scope's user, or with everything all of its tenant; counts by
    kind of record. With an agent, what that agent sees of it.

    The file is readable only by its owner, and gets its name when it is complete.

    Raises:
        InvalidInput: it cannot be a path.
        Conflict: there is something at path.
    """
    check_path(path)
    if path.exists():
        raise Conflict(f"{path} exists; an export never overwrites a file")
    counts: Counter[str] = Counter()
    digest = hashlib.sha256()
    with _whole(path) as out:

        def write(line: dict[str, Any]) -> None:
            text = json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n"
            digest.update(text.encode())
            out.write(text)

        whose = None if everything else scope.user or ""
        write(
            {
                "omoide_archive": FORM,
                "made_at": memory.clock.now().isoformat(),
                "tenant": scope.tenant,
                "user": whose,
            }
        )
        with memory.store.lasting(tenant=scope.tenant) as tx:
            agent = None if everything else scope.agent
            for kind, record in seen_by(agent, _records(tx, scope, everything)):
                write({"type": kind, **encode(record)})
                counts[kind] += 1
                tell(1)
        out.write(json.dumps({"end": dict(counts), "sha256": digest.hexdigest()}) + "\n")
    return dict(counts)


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """A file that gets its name when it is complete; where that fails, nothing of it stays."""
    part = path.with_name(path.name + ".part")
    out = open(part, "w", encoding="utf-8", opener=_private)
    try:
        with out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _private(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NOFOLLOW, 0o600)


def _records(tx: Transaction, scope: Scope, everything: bool) -> Iterator[tuple[str, Any]]:
    """Records in an order in which they can be loaded, those that are searched in the order they
    were stored.
    """
    tenant, documents = scope.tenant, Documents(tx)
    users = sorted(documents.partitions(tenant)) if everything else [scope.user or ""]
    sessions = {s.id: s for user in users for s in Sessions(tx).of_user(tenant, user)}
    sessions |= {
        s.id: s for s in Sessions(tx).shared(tenant) if everything or scope.user in s.users
    }
    yield from (("session", session) for session in sessions.values())
    linked = (
        Senders(tx).of(tenant, None)
        if everything
        else Senders(tx).of(tenant, scope.user)
        if scope.user
        else ()
    )
    yield from (("sender", sender) for sender in linked)
    yield from (
        ("entity", entity) for user in users for entity in Entities(tx).of_user(tenant, user)
    )
    for user in users:
        for row in documents.of_partition(tenant, user or None):
            if row["part"] == 0:
                record = _searched(tx, tenant, row["kind"], row["ref"])
                if record is not None and (user or everything or row["kind"] == "item"):
                    yield row["kind"], record
        if not everything and user:
            yield from (
                ("turn", _logged(tx, tenant, turn))
                for turn in Turns(tx).by_author(tenant, user)
                if turn.text
            )
        for past in Ledger(tx).between(tenant, user or None, EPOCH, _END, 100_000_000):
            if (past.user or "") == user:
                yield "change", past
    yield from _reflected(tx, tenant, None if everything else scope.user or "")
    known = (
        Procedures(tx).of_tenant(tenant)
        if everything
        else Procedures(tx).of_user(tenant, scope.user or "")
    )
    yield from (("procedure", procedure) for procedure in known)
    theirs = (
        p
        for p in Proposals(tx).of_tenant(tenant)
        if everything or (p.scope.user or "") == (scope.user or "")
    )
    yield from (("proposal", proposal) for proposal in theirs)
    if everything or scope.user:
        yield from (
            ("tool_call", call)
            for call in ToolCalls(tx).held(tenant, None if everything else scope.user)
        )


def _reflected(
    tx: Transaction, tenant: str, user: str | None
) -> Iterator[tuple[str, Reflection | Digest]]:
    """The reflections and every version of the digests of a user; with None of everybody."""
    reflections = (
        Reflections(tx).after(tenant, "", _ALL)
        if user is None
        else Reflections(tx).of_user(tenant, user)
    )
    yield from (("reflection", reflection) for reflection in reflections)
    digests = (
        Digests(tx).after(tenant, "", _ALL) if user is None else Digests(tx).of_user(tenant, user)
    )
    yield from (("digest", digest) for digest in sorted(digests, key=lambda digest: digest.version))


_ALL = 100_000_000
_END = EPOCH.replace(year=9999)


def _searched(tx: Transaction, tenant: str, kind: str, ref: str) -> Item | LoggedTurn | None:
    if kind == "item":
        return Items(tx).find(tenant, ref)
    turn = Turns(tx).find(tenant, ref)
    return _logged(tx, tenant, turn) if turn else None


def _logged(tx: Transaction, tenant: str, turn: Turn) -> LoggedTurn:
    scope, shared = Turns(tx).home(tenant, turn)
    return LoggedTurn(turn=turn, scope=scope, shared=shared, hidden=Turns(tx).hidden(tenant, turn))


def read_archive(
    memory: Memory,
    path: Path,
    *,
    everything: bool = False,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[str, int]:
    """Load an archive: what is there already is left alone; counts of what was new.

    The whole file is checked before anything is stored, by the rules of the verbs: an archive
    brings in nothing that they would refuse. Secrets are masked. Turns that an item names as its
    sources and that are neither in the archive nor in the store, as they were somebody else's, are
    counted as ``missing source`` and left out. So are items that it rests on and that are not there
    before it, as ``missing base``, unless it is in doubt for their sake.

    An archive brings in what the memory's own user may write. everything is an administrator's
    word that it may bring in the rest too: what is of others or of everybody, and items of
    privileged categories.

    Raises:
        Forbidden: there is such a rest, and everything was not said; the message lists it.
        ImportRefused: not an archive, of a newer form, cut off, altered, or with a record that no
            verb would make.
        Conflict: a record of the same id is there and differs.
    """
    rest = beyond_loader(memory, path)
    if rest and not everything:
        listed = ", ".join(f"{count} {kind}" for kind, count in rest.items())
        whose = f"user {memory.scope.user!r}" if memory.scope.user else "a memory without a user"
        raise Forbidden(
            f"{path} holds more than {whose} may write: {listed}; an administrator loads it with"
            " everything=True, or omoide admin load --everything"
        )
    with masking(memory.masks, kept=memory.kept):
        return _read(memory, path, tell)


def beyond_loader(memory: Memory, path: Path) -> dict[str, int]:
    """What an archive holds that the memory's own user may not write: counts, by kind of record
    and whose it is.

    Raises:
        ImportRefused: as read_archive.
    """
    header, now = check_archive(path), memory.clock.now()
    found: Counter[str] = Counter()
    with masking(memory.masks, kept=memory.kept):
        for kind, record in _lines(path, header["tenant"], now):
            if whose := beyond(record, memory.scope):
                found[f"{kind} {whose}"] += 1
    return dict(found)


def _read(memory: Memory, path: Path, tell: Callable[[int], None]) -> dict[str, int]:
    header, now = check_archive(path), memory.clock.now()
    tenant, told = (
        header["tenant"],
        {turn for _, record in _lines(path, header["tenant"], now) for turn in _turn_of(record)},
    )
    load_id = memory.clock.new_id()
    because = Because(
        actor="load",
        reason=f"archive made at {header['made_at']}",
        cause=load_id,
        tier=Tier.DOCUMENT,
    )
    counts: Counter[str] = Counter()
    lines = _lines(path, tenant, now)
    while batch := list(islice(lines, BATCH)):
        counts += _load(memory, because, tenant, batch, told)
        tell(len(batch))
    return dict(counts)


def _turn_of(record: Archived) -> Iterator[str]:
    if isinstance(record, LoggedTurn):
        yield record.turn.id


def check_archive(path: Path) -> dict[str, Any]:
    """The first line of an archive that is whole.

    Raises:
        InvalidInput: it cannot be a path.
        ImportRefused: it is not.
    """
    check_path(path)
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
        raise ImportRefused(
            str(path), f"is not an archive of form {FORM}; import reads other programs' exports"
        )
    if end.get("sha256") != digest.hexdigest():
        raise ImportRefused(str(path), "is cut off or was altered: its checksum does not fit")
    made_at, tenant = header.get("made_at"), header.get("tenant")
    try:
        if (
            not isinstance(made_at, str)
            or not isinstance(tenant, str)
            or parse_time(made_at, zone=UTC) is None
        ):
            raise InvalidInput("made_at, tenant", "are not told")
        clean_id(tenant, "tenant")
    except InvalidInput as error:
        raise ImportRefused(str(path), f"its first line is none of an archive: {error}") from None
    return header


def _json(path: Path, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise ImportRefused(str(path), "is not an archive: a line is not JSON") from None
    if not isinstance(value, dict):
        raise ImportRefused(str(path), "is not an archive: a line is not a record")
    return value


def _lines(path: Path, tenant: str, now: datetime) -> Iterator[tuple[str, Archived]]:
    """Each record as the verbs would have made it.

    Raises:
        ImportRefused: they would have refused it; says in which line, and why.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            value = _json(path, line)
            kind = value.pop("type", None)
            if kind in KINDS:
                try:
                    yield kind, fit(decode(KINDS[kind], value), tenant, now)
                except (InvalidInput, NotFound, Forbidden) as error:
                    raise ImportRefused(str(path), f"line {number}: {kind}: {error}") from None


def _load(
    memory: Memory,
    because: Because,
    tenant: str,
    batch: list[tuple[str, Archived]],
    told: Container[str],
) -> Counter[str]:
    fresh = [record for kind, record in batch if kind == "item"]

    def write(tx: Transaction, door: Door) -> Counter[str]:
        new: Counter[str] = Counter()
        for user in sorted(
            {r.scope.user or "" for _, r in batch if not isinstance(r, Session | Entity)}
        ):
            door.lock(Scope(tenant=tenant, user=user or None))
        for kind, record in batch:
            missing = baseless = 0
            if isinstance(record, Item):
                there = tuple(
                    t
                    for t in record.source_turns
                    if t in told or Turns(tx).find(tenant, t) is not None
                )
                missing, record = (
                    len(record.source_turns) - len(there),
                    replace(record, source_turns=there),
                )
                bases = tuple(
                    base
                    for base in record.bases
                    if Items(tx).find(tenant, base) is not None or record.doubted_at
                )
                baseless, record = len(record.bases) - len(bases), replace(record, bases=bases)
            if isinstance(record, Reflection):
                there = tuple(
                    t
                    for t in record.source_turns
                    if t in told or Turns(tx).find(tenant, t) is not None
                )
                missing, record = (
                    len(record.source_turns) - len(there),
                    replace(record, source_turns=there),
                )
            if _LOADERS[kind](tx, door, record):
                new += Counter({kind: 1, "missing source": missing, "missing base": baseless})
        if fresh or new["turn"]:
            Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=memory.clock.now())
        return +new

    return through(memory.store, memory.clock, because, write, tenant=tenant)


def _load_session(tx: Transaction, door: Door, session: Session) -> bool:
    return Sessions(tx).add(session, origin="", at=door.now)


def _load_entity(tx: Transaction, door: Door, entity: Entity) -> bool:
    if Entities(tx).get(entity.scope, entity.id) is not None:
        return False
    Entities(tx).revive(entity.scope, entity.id, entity.name, door.now)
    for alias in (entity.name, *entity.aliases):
        Entities(tx).add_alias(entity, alias)
    return True


def _load_sender(tx: Transaction, door: Door, sender: Sender) -> bool:
    if Senders(tx).add(sender):
        return True
    there = Senders(tx).find(sender.scope.tenant, sender.channel, sender.sender)
    if there is not None and there.user != sender.user:
        raise Conflict(f"a sender on {sender.channel!r} is another user here; unlink it first")
    return False


def _load_turn(tx: Transaction, door: Door, logged: LoggedTurn) -> bool:
    turn, tenant = logged.turn, logged.scope.tenant
    there = Turns(tx).find(tenant, turn.id)
    if there is not None:
        _same("turn", turn.id, there.text == turn.text)
        return False
    session = Sessions(tx).find(tenant, turn.session)
    if session is None:
        raise Conflict(f"turn {turn.id!r} belongs to a session that is not in the archive")
    if logged.scope.agent != session.scope.agent or logged.scope.user not in (
        None,
        session.scope.user,
        *session.users,
    ):
        raise Conflict(
            f"turn {turn.id!r} belongs to session {turn.session!r}, which is another's here"
        )
    door.log(
        replace(session, scope=replace(logged.scope, context=session.scope.context)),
        [turn],
        [turn_words(turn)],
        origin="",
    )
    Sessions(tx).reach(session, turn.position + 1, turn.at)
    if logged.hidden:
        door.hide_turns(session, [turn], hide=True, undoes=door.changes[-1])
    return True


def _load_item(tx: Transaction, door: Door, item: Item) -> bool:
    there = Items(tx).find(item.scope.tenant, item.id)
    if there is not None:
        _same("item", item.id, there.text == item.text)
        return False
    _check_links(tx, item)
    own, around = item_words(item)
    door.add(item, Words(own=own, around=around))
    # what lost it as a base, when it was forgotten, has it again
    door.topple(item.scope.tenant, item.id, door.changes[-1])
    return True


def _check_links(tx: Transaction, item: Item) -> None:
    """That an item takes over from, gives way to and rests on none of another user: what is
    forgotten with it would be theirs.
    """
    for id in filter(None, (item.supersedes, item.superseded_by, *item.bases)):
        other = Items(tx).find(item.scope.tenant, id)
        if other is not None and other.scope.user not in (None, item.scope.user):
            raise Conflict(f"item {item.id!r} names item {id!r}, which is another's here")


def _load_reflected(tx: Transaction, door: Door, record: Reflection | Digest) -> bool:
    tenant, name = record.scope.tenant, "reflection" if isinstance(record, Reflection) else "digest"
    there = (
        Reflections(tx).find(tenant, record.id)
        if isinstance(record, Reflection)
        else Digests(tx).find(tenant, record.id)
    )
    if there is not None:
        _same(name, record.id, there.text == record.text)
        return False
    if isinstance(record, Digest) and any(
        one.version == record.version for one in Digests(tx).versions(record.scope, record.kind)
    ):
        raise Conflict(
            f"digest {record.id!r} is version {record.version} of a {record.kind.value} that has"
            " another one of that number"
        )
    add_as_it_is(tx, door, record)
    return True


def _load_procedure(tx: Transaction, door: Door, procedure: Procedure) -> bool:
    there = Procedures(tx).find(procedure.scope.tenant, procedure.id)
    if there is not None:
        _same("procedure", procedure.id, there.activation == procedure.activation)
        return False
    add_known(tx, door, procedure)
    return True


def _same(kind: str, id: str, equal: bool) -> None:
    if not equal:
        raise Conflict(f"{kind} {id!r} is there already with another text")


_LOADERS: dict[str, Callable[..., bool]] = {
    "session": _load_session,
    "entity": _load_entity,
    "turn": _load_turn,
    "item": _load_item,
    "reflection": _load_reflected,
    "digest": _load_reflected,
    "procedure": _load_procedure,
    "sender": _load_sender,
}
