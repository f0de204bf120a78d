"""Loads an archive: all of it is checked first, then stored in batches, each record with a change
of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from omoide.archive.lines import READ, ArchiveHeader, UnreadLine, records_in
from omoide.archive.results import Loaded, counted_of
from omoide.archive.survey import BATCH, Survey, survey
from omoide.kinds import KINDS
from omoide.nouns.change import Because, Change
from omoide.nouns.clock import Clock
from omoide.nouns.errors import Forbidden, ForgottenInArchive
from omoide.nouns.item import Tier
from omoide.nouns.scope import Scope
from omoide.store.base import Store, Transaction
from omoide.tables.foreign import ForeignLedger, ForeignLedgers
from omoide.write.apply import Door, through
from omoide.write.index import queue_vectors


def read_archive(
    store: Store,
    clock: Clock,
    scope: Scope,
    path: Path,
    *,
    everything: bool = False,
    restore_forgotten: bool = False,
    tell: Callable[[int], None] = lambda done: None,
) -> Loaded:
    """Load an archive: what is there already is left alone.

    Secrets are masked by the rules in force. Links that lead nowhere are left out and counted:
    turns that an item names as its sources and that are neither in the archive nor in the store,
    as they were somebody else's; items that it rests on, unless it is in doubt for their sake;
    and proposals to replace what is not there.

    An archive brings in what its loader may write. everything is an administrator's word that it
    may bring in the rest too: what is of others or of everybody, and items of privileged
    categories.

    Raises:
        Forbidden: there is such a rest, and everything was not said; the message lists it.
        ForgottenInArchive: it holds what was forgotten here, and restore_forgotten was not said.
        ImportRefused: not an archive, of a newer form, cut off, altered, or with a record that no
            verb would make.
        Conflict: a record of the same id is there and differs.
    """
    found = survey(store, clock, scope, path)
    if found.beyond and not everything:
        raise Forbidden(_refusal(path, scope, found))
    if found.forgotten and not restore_forgotten:
        raise ForgottenInArchive(str(path), tuple(found.forgotten))
    loading = _Loading(store, clock, found)
    lines = records_in(path, found.header.tenant, clock.now())
    while batch := list(islice(lines, BATCH)):
        loading.add(batch)
        tell(len(batch))
    return loading.result()


def preview_archive(store: Store, clock: Clock, scope: Scope, path: Path) -> Loaded:
    """What an archive holds that needs a word before it is loaded, or that is not loaded.

    Raises:
        ImportRefused: as read_archive.
    """
    found = survey(store, clock, scope, path)
    return Loaded(
        passed_over=dict(found.unread),
        beyond=dict(found.beyond),
        forgotten=tuple(found.forgotten),
        preview=True,
    )


def _refusal(path: Path, scope: Scope, found: Survey) -> str:
    listed = ", ".join(counted_of(count, told) for told, count in found.beyond.items())
    whose = f"user {scope.user!r}" if scope.user else "a memory without a user"
    return (
        f"{path} holds more than {whose} may write: {listed}; an administrator loads it with"
        " everything=True, or omoide admin load --everything"
    )


@dataclass(frozen=True, slots=True)
class _LoadedBatch:
    """What came of one batch."""

    added: Counter[str]
    known: int
    history: int


class _Loading:
    """One loading, batch by batch."""

    def __init__(self, store: Store, clock: Clock, found: Survey) -> None:
        self._store, self._clock, self._found = store, clock, found
        self._id = clock.new_id()
        self._because = _because(self._id, found.header)
        self._added: Counter[str] = Counter()
        self._known = self._history = 0

    def add(self, lines: Sequence[tuple[str, Any]]) -> None:
        """Store a batch, in one transaction."""

        def write(tx: Transaction, door: Door) -> _LoadedBatch:
            return self._write(tx, door, lines)

        tenant = self._found.header.tenant
        done = through(self._store, self._clock, self._because, write, tenant=tenant)
        self._added += done.added
        self._known += done.known
        self._history += done.history

    def result(self) -> Loaded:
        """What came of all batches."""
        found = self._found
        return Loaded(
            id=self._id,
            added=dict(self._added),
            known=self._known,
            history=self._history,
            passed_over=dict(found.unread),
            beyond=dict(found.beyond),
            forgotten=tuple(found.forgotten),
        )

    def _write(self, tx: Transaction, door: Door, lines: Sequence[tuple[str, Any]]) -> _LoadedBatch:
        tenant = self._found.header.tenant
        records = [line for line in lines if not isinstance(line[1], Change | UnreadLine)]
        door.lock_users(Scope(tenant=tenant), (record.scope.user for _, record in records))
        added, known = _added(tx, door, records, self._found.turns)
        if any(added[kind.name] for kind in KINDS if kind.rows):
            queue_vectors(tx, tenant, self._clock.now())
        return _LoadedBatch(added, known, self._keep(tx, lines))

    def _keep(self, tx: Transaction, lines: Sequence[tuple[str, Any]]) -> int:
        """Keep the batch's entries of the archive's ledger; how many are new here."""
        header = self._found.header
        ledger = ForeignLedger(
            id=self._id,
            tenant=header.tenant,
            made_at=header.made_at,
            head=header.head,
            entries=0,
            hash="",
        )
        changes = [record for _, record in lines if isinstance(record, Change)]
        return ForeignLedgers(tx).add(ledger, changes)


def _because(id: str, header: ArchiveHeader) -> Because:
    return Because(
        actor="load",
        reason=f"archive made at {header.made_at.isoformat()}",
        cause=id,
        tier=Tier.DOCUMENT,
    )


def _added(
    tx: Transaction, door: Door, records: Sequence[tuple[str, Any]], told: Container[str]
) -> tuple[Counter[str], int]:
    """Add what is new of some records: counts of that, and how many were there already."""
    added: Counter[str] = Counter()
    known = 0
    for name, record in records:
        load = READ[name].load
        assert load
        counts = load(tx, door, record, told)
        added.update(counts)
        known += not counts
    return +added, known
