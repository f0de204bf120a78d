"""What an archive holds, looked at before any of it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from omoide.archive.authority import beyond
from omoide.archive.lines import ArchiveHeader, UnreadLine, check_archive, records_in
from omoide.nouns.change import Change
from omoide.nouns.clock import Clock
from omoide.nouns.scope import Scope
from omoide.nouns.turn import LoggedTurn
from omoide.store.base import Store, read_only
from omoide.tables.ledger import Ledger

BATCH = 500


@dataclass(slots=True)
class Survey:
    """What an archive holds: which turns it tells, what its loader may not write, what was
    forgotten here, and what this version does not load.
    """

    header: ArchiveHeader
    turns: set[str] = field(default_factory=set)
    beyond: Counter[str] = field(default_factory=Counter)
    forgotten: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)

    def note(self, kind: str, record: Any, loader: Scope) -> str:
        """Take note of a record; its id, if it could have been forgotten."""
        if isinstance(record, UnreadLine):
            self.unread[record.kind] += 1
            return ""
        if isinstance(record, LoggedTurn):
            self.turns.add(record.turn.id)
        if whose := beyond(record, loader):
            self.beyond[f"{kind} {whose}"] += 1
        return "" if isinstance(record, Change) else id_of(record)


def survey(store: Store, clock: Clock, scope: Scope, path: Path) -> Survey:
    """Look at every line of an archive for a loader.

    Raises:
        ImportRefused: not an archive, or with a record that no verb would make.
    """
    found = Survey(check_archive(path))
    lines = records_in(path, found.header.tenant, clock.now())
    while batch := list(islice(lines, BATCH)):
        ids = (found.note(kind, record, scope) for kind, record in batch)
        found.forgotten += _forgotten(store, scope, [*filter(None, ids)])
    return found


def id_of(record: Any) -> str:
    """The id of a record of an archive; empty where it has none."""
    return record.turn.id if isinstance(record, LoggedTurn) else str(getattr(record, "id", ""))


def _forgotten(store: Store, scope: Scope, ids: list[str]) -> Iterator[str]:
    with read_only(store, scope.tenant) as tx:
        gone = Ledger(tx).forgotten(scope.tenant, ids)
    return (f"{kind.value} {id}" for kind, id in gone)
