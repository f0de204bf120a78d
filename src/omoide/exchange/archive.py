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
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from omoide.exchange.authority import beyond, seen_by
from omoide.exchange.fit import fit
from omoide.kinds import KINDS
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import Conflict, Forbidden, ImportRefused, InvalidInput, NotFound
from omoide.nouns.ids import check_path, clean_id
from omoide.nouns.item import Tier
from omoide.nouns.record_kind import RecordKind
from omoide.nouns.scope import Scope
from omoide.nouns.turn import LoggedTurn
from omoide.store.base import Transaction
from omoide.tables.documents import Documents
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.text.secrets import masking
from omoide.wire.coding import decode, encode
from omoide.write.apply import Door, through

FORM = 1
BATCH = 500
LINE_LIMIT = 64 * 1024 * 1024


LOADED = {kind.name: kind for kind in KINDS if kind.load}


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
    tenant, user = scope.tenant, None if everything else scope.user or ""
    searched = {kind.name: kind for kind in KINDS if kind.rows}
    for kind in KINDS:
        if kind is next(iter(searched.values())):
            yield from _searched(tx, tenant, user, searched)
        yield from ((kind.name, record) for record in kind.exported(tx, tenant, user))


def _searched(
    tx: Transaction, tenant: str, user: str | None, kinds: Mapping[str, RecordKind[Any]]
) -> Iterator[tuple[str, Any]]:
    """The records of the search index, in the order they were stored."""
    users = sorted(Documents(tx).partitions(tenant)) if user is None else [user]
    for row in (row for name in users for row in Documents(tx).of_partition(tenant, name or None)):
        kind = kinds[row["kind"]]
        record = kind.find(tx, tenant, row["ref"]) if row["part"] == 0 else None
        archived = None if record is None else kind.archived(tx, tenant, record, user)
        if archived is not None:
            yield kind.name, archived


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
    before it, as ``missing base``, unless it is unconfirmed for their sake.

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


def _turn_of(record: Any) -> Iterator[str]:
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


def _lines(path: Path, tenant: str, now: datetime) -> Iterator[tuple[str, Any]]:
    """Each record as the verbs would have made it.

    Raises:
        ImportRefused: they would have refused it; says in which line, and why.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            value = _json(path, line)
            kind = LOADED.get(value.pop("type", None))
            if kind is not None:
                form = kind.form or kind.record
                assert form is not None
                try:
                    yield kind.name, fit(kind, decode(form, value), tenant, now)
                except (InvalidInput, NotFound, Forbidden) as error:
                    raise ImportRefused(str(path), f"line {number}: {kind.name}: {error}") from None


def _load(
    memory: Memory,
    because: Because,
    tenant: str,
    batch: Sequence[tuple[str, Any]],
    told: Container[str],
) -> Counter[str]:
    """Add what is new of a batch, in one transaction; counts."""

    def write(tx: Transaction, door: Door) -> Counter[str]:
        new: Counter[str] = Counter()
        for user in sorted({record.scope.user or "" for _, record in batch}):
            door.lock(Scope(tenant=tenant, user=user or None))
        for name, record in batch:
            load = LOADED[name].load
            assert load
            new.update(load(tx, door, record, told))
        if any(new[kind.name] for kind in KINDS if kind.rows):
            Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=memory.clock.now())
        return +new

    return through(memory.store, memory.clock, because, write, tenant=tenant)
