"""Writes an archive: whole or not at all, of one moment of the store, readable by its owner
alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from omoide.archive.authority import seen_by
from omoide.archive.lines import FORM
from omoide.archive.results import Exported
from omoide.archive.span import Span, recorded_in
from omoide.archive.survey import id_of
from omoide.kinds import KINDS
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Conflict
from omoide.nouns.ids import check_path
from omoide.nouns.record_kind import RecordKind, damaged_records
from omoide.nouns.scope import Scope
from omoide.settings.whole_file import whole_file
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import Documents
from omoide.tables.exports import Export, Exports
from omoide.tables.ledger import Ledger
from omoide.telemetry.damage import leave_out
from omoide.text.secrets.fields import mask_line
from omoide.wire.coding import encode
from omoide.write.loading import users_of


def write_archive(
    store: Store,
    clock: Clock,
    scope: Scope,
    path: Path,
    *,
    everything: bool = False,
    during: Span | None = None,
    tell: Callable[[int], None] = lambda done: None,
) -> Exported:
    """Write what is held about the scope's user, or with everything all of its tenant. With an
    agent, what that agent sees of it; with a time, what changed then.

    The file is readable only by its owner, and gets its name when it is complete. The store notes
    that it was written, so that a receipt of forget can name it.

    Raises:
        InvalidInput: it cannot be a path, or cannot be written.
        Conflict: there is something at path.
    """
    check_path(path)
    if os.path.lexists(path):
        raise Conflict(f"{path} exists; an export never overwrites a file")
    export = Export(
        id=clock.new_id(),
        tenant=scope.tenant,
        made_at=clock.now(),
        user=None if everything else scope.user,
        agent=None if everything else scope.agent,
        everything=everything,
        name=mask_line(path.name),
        head=_head(store, scope.tenant),
    )
    with whole_file(path) as out:
        writer = _LineWriter(out)
        _write(store, writer, export, during, tell)
    committed(store, lambda tx: Exports(tx).add(export), tenant=scope.tenant)
    return Exported(id=export.id, path=str(path), at=export.made_at, records=dict(writer.counts))


class _LineWriter:
    """Writes lines, and counts the records in them by kind."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._digest = out, hashlib.sha256()
        self.counts: Counter[str] = Counter()

    def write(self, **line: Any) -> None:
        """Write a line."""
        text = json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n"
        self._digest.update(text.encode())
        self._out.write(text)
        if "type" in line:
            self.counts[line["type"]] += 1

    def end(self) -> None:
        """Write the last line, with a checksum over all before it."""
        end = {"end": dict(self.counts), "sha256": self._digest.hexdigest()}
        self._out.write(json.dumps(end) + "\n")


def _head(store: Store, tenant: str) -> str:
    with read_only(store, tenant) as tx:
        return Ledger(tx).head(tenant).hash


def _write(
    store: Store,
    writer: _LineWriter,
    export: Export,
    during: Span | None,
    tell: Callable[[int], None],
) -> None:
    """Write every line."""
    whose = None if export.everything else export.user or ""
    made_at, tenant = export.made_at.isoformat(), export.tenant
    about = {"made_at": made_at, "tenant": tenant, "user": whose, "head": export.head}
    if during is not None:
        about["recorded_since"] = during.since.isoformat()
        about["recorded_until"] = during.until.isoformat()
    writer.write(omoide_archive=FORM, **about)
    with store.lasting(tenant=tenant) as tx:
        records = _records(tx, tenant, whose)
        if during is not None:
            records = recorded_in(tx, tenant, whose, during, records)
        for kind, record in _whole(tx, tenant, seen_by(export.agent, records)):
            writer.write(type=kind, **encode(record))
            tell(1)
    writer.end()


def _whole(
    tx: Transaction, tenant: str, records: Iterable[tuple[str, Any]]
) -> Iterator[tuple[str, Any]]:
    """Records without damaged ones: loaded elsewhere, these would be taken for whole."""
    damaged = frozenset(damaged_records(tx, tenant))
    for kind, record in records:
        id = id_of(record)
        if (kind, id) in damaged:
            leave_out(kind, id)
        else:
            yield kind, record


def _records(tx: Transaction, tenant: str, user: str | None) -> Iterator[tuple[str, Any]]:
    """Records in an order in which they can be loaded, those that are searched in the order they
    were stored.
    """
    searched = {kind.name: kind for kind in KINDS if kind.rows}
    for kind in KINDS:
        if kind is next(iter(searched.values())):
            yield from _searched(tx, tenant, user, searched)
        yield from ((kind.name, record) for record in kind.exported(tx, tenant, user))


def _searched(
    tx: Transaction, tenant: str, user: str | None, kinds: Mapping[str, RecordKind[Any]]
) -> Iterator[tuple[str, Any]]:
    """The records of the search index, in the order they were stored."""
    users = users_of(tx, tenant, user)
    for row in (row for name in users for row in Documents(tx).of_partition(tenant, name or None)):
        kind = kinds[row["kind"]]
        record = kind.find(tx, tenant, row["ref"]) if row["part"] == 0 else None
        if record is None:
            continue
        archived = kind.archived(tx, tenant, record, user)
        if archived is not None:
            yield kind.name, archived
