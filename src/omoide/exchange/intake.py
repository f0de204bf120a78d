"""Takes an export in: every conversation is logged, what is broken is reported, the rest goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from omoide.errors import InvalidInput
from omoide.exchange import read_export
from omoide.exchange.options import ImportOptions
from omoide.exchange.problems import Problem
from omoide.memory import Memory
from omoide.records import Because, Scope


@dataclass(frozen=True, kw_only=True, slots=True)
class Intake:
    """What became of an export. id names the import, for undo and forget."""

    id: str
    conversations: int
    added: int
    repeated: int
    masked: int
    problems: tuple[Problem, ...]


def take_in(memory: Memory, path: Path, options: ImportOptions, scope: Scope, tell: Callable[[int], None] = lambda done: None) -> Intake:
    """Log every conversation of an export; each is a transaction, so a stop loses none that was told of.

    Taking the same export in again adds nothing twice. ``tell`` is told how many turns each conversation had.

    Raises:
        ImportRefused: the file is hostile, unreadable or of no known format.
        InvalidInput: the format needs to be told something, such as a time zone.
    """
    id = memory.clock.new_id()
    importing = memory.acting(Because(actor="import", cause=id))
    counts = {"conversations": 0, "added": 0, "repeated": 0, "masked": 0}
    problems: list[Problem] = []
    for found in read_export(path, options):
        if isinstance(found, Problem):
            problems.append(found)
            continue
        # two users may each import the same chat; their copies are theirs alone
        session = f"{scope.user}/{found.id}" if scope.user else found.id
        try:
            logged = importing.ingest(replace(found, id=session), replace(scope, session=None))
        except InvalidInput as error:
            problems.append(Problem(place=f"conversation {found.id}", what=str(error)))
            continue
        counts["conversations"] += 1
        counts["added"] += logged.added
        counts["repeated"] += logged.repeated
        counts["masked"] += logged.masked
        tell(len(found.messages))
    return Intake(id=id, problems=tuple(problems), **counts)
