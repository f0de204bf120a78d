"""What writing and loading an archive gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted


@frozen_record
class Exported(Record):
    """An archive that was written: its path, and its records by kind. degraded names what it
    lacks, such as a damaged item.
    """

    id: str
    path: str
    at: datetime
    records: Mapping[str, int] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()

    def __str__(self) -> str:
        told = f"{counted(sum(self.records.values()), 'record')} in {self.path}"
        return "\n".join((told, *(f"note: {note}" for note in self.degraded)))


@frozen_record
class Loaded(Record):
    """What came of an archive, or in a preview would. Counts by kind of record.

    Attributes:
        id: Of the loading; ``undo`` takes it back. Empty in a preview.
        added: Records that are new here, and ``missing …`` for links that lead nowhere.
        known: Records that were here already.
        history: Entries of the archive's ledger that are kept as foreign history.
        passed_over: Records of kinds that this version does not load.
        beyond: Records that the loader may not write without an administrator's word.
        forgotten: Records that were forgotten here, as ``item 0198…``.
        preview: Nothing was stored.
    """

    id: str = ""
    added: Mapping[str, int] = field(default_factory=dict)
    known: int = 0
    history: int = 0
    passed_over: Mapping[str, int] = field(default_factory=dict)
    beyond: Mapping[str, int] = field(default_factory=dict)
    forgotten: tuple[str, ...] = ()
    preview: bool = False

    def __str__(self) -> str:
        added = counted(sum(self.added.values()), "record")
        return f"{added} added, {self.known} there already"


def counted_of(count: int, told: str) -> str:
    """So many records of a kind that somebody owns, such as ``2 items of user 'ben'``."""
    kind, _, whose = told.partition(" ")
    return f"{counted(count, kind)} {whose}"
