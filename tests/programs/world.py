"""What a random program knows of the memory that it runs on: the ids in all that it was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from omoide.nouns.errors import OmoideError
from omoide.nouns.proposal import ForReview

# by the class of a record: which kind of id it has
KINDS = {
    "Item": "item",
    "Turn": "turn",
    "Change": "change",
    "Procedure": "procedure",
    "Reflection": "reflection",
    "Queued": "job",
    "Proposal": "proposal",
    "Extraction": "extraction",
}


@dataclass
class World:
    """The ids that were seen so far, by kind, and where files go."""

    folder: Path
    seen: dict[str, list[str]] = field(default_factory=dict)
    seals: dict[str, str] = field(default_factory=dict)  # of proposals, by id
    files: list[str] = field(default_factory=list)  # archives that were written
    heads: list[Any] = field(default_factory=list)  # of the ledger, that were told

    def known(self, *kinds: str) -> list[str]:
        """The ids of some kinds, the latest last; something that is nowhere if there are none."""
        return [id for kind in kinds for id in self.seen.get(kind, ())] or ["nothing"]

    def learn(self, told: Any) -> None:
        """Note the ids of all records in an answer."""
        if isinstance(told, OmoideError) or told is None:
            return
        if isinstance(told, ForReview):
            self.seals[told.proposal.id] = told.seal
        name = type(told).__name__
        if name == "Head":
            self.heads.append(told)
        elif name == "Ingested":
            for turn in told.turns:
                self._note("turn", turn)
        elif name in KINDS:
            self._note(KINDS[name], told.id)
        self._learn_parts(told)

    def _learn_parts(self, told: Any) -> None:
        if is_dataclass(told) and not isinstance(told, type):
            for part in fields(told):
                self.learn(getattr(told, part.name))
        elif isinstance(told, Mapping):
            for inner in told.values():
                self.learn(inner)
        elif isinstance(told, Sequence) and not isinstance(told, str | bytes):
            for inner in told:
                self.learn(inner)

    def _note(self, kind: str, id: str) -> None:
        ids = self.seen.setdefault(kind, [])
        if id not in ids:
            ids.append(id)
