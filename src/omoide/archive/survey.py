"""What an archive holds, looked at before any of it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omoide.archive.authority import beyond
from omoide.archive.lines import Header, Unread, check_archive, records_in
from omoide.nouns.change import Change
from omoide.nouns.clock import Clock
from omoide.nouns.scope import Scope
from omoide.nouns.turn import LoggedTurn
from omoide.store.base import Store
from omoide.tables.ledger import Ledger

BATCH = 500


@dataclass(slots=True)
class Survey:
    """What an archive holds: which turns it tells, what its loader may not write, what was
    forgotten here, and what this version does not load.
    """

    header: Header
    turns: set[str] = field(default_factory=set)
    beyond: Counter[str] = field(default_factory=Counter)
    forgotten: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)


def survey(store: Store, clock: Clock, scope: Scope, path: Path) -> Survey:
    """Look at every line of an archive for a loader.

    Raises:
        ImportRefused: not an archive, or with a record that no verb would make.
    """
    found, waiting = Survey(check_archive(path)), list[str]()
    for kind, record in records_in(path, found.header.tenant, clock.now()):
        if isinstance(record, Unread):
            found.unread[record.kind] += 1
            continue
        if isinstance(record, LoggedTurn):
            found.turns.add(record.turn.id)
        if whose := beyond(record, scope):
            found.beyond[f"{kind} {whose}"] += 1
        if not isinstance(record, Change) and (id := id_of(record)):
            waiting.append(id)
        if len(waiting) >= BATCH:
            found.forgotten += _forgotten(store, scope, waiting)
            waiting.clear()
    found.forgotten += _forgotten(store, scope, waiting)
    return found


def id_of(record: Any) -> str:
    """The id of a record of an archive; empty where it has none."""
    return record.turn.id if isinstance(record, LoggedTurn) else str(getattr(record, "id", ""))


def _forgotten(store: Store, scope: Scope, ids: list[str]) -> Iterator[str]:
    with store.transaction(tenant=scope.tenant, write=False) as tx:
        gone = Ledger(tx).forgotten(scope.tenant, ids)
    return (f"{kind.value} {id}" for kind, id in gone)
