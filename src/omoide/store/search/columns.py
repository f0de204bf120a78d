"""What searches filter documents by, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.match import ASKS, ASSISTANT
from omoide.store.search.growing import Growing
from omoide.store.search.places import Ints
from omoide.store.search.postings import RowNumbers

RowMask: TypeAlias = NDArray[np.bool_]

NAMES = ("kind", "agent", "only_session", "session_id", "category", "context")
TIMES = (
    *("at", "recorded_at", "valid_from", "valid_until", "closed_at", "superseded_at"),
    "expires_at",
)
NUMBERS = ("doc", "part", "position", *TIMES)
HELD = ("sensitive", "muted", "unconfirmed")
FLAGS = (*HELD, "asks", "assistant")  # the last two are read from the words around
_LINES = {
    name: (block, line)
    for block, names in (("numbers", NUMBERS), ("codes", NAMES), ("flags", FLAGS))
    for line, name in enumerate(names)
}


class Codes(dict[str, int]):
    """Numbers for names, from 0 in the order they are first seen."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self.names)
        self.names.append(name)
        return code

    def encode(self, names: Iterable[str], count: int) -> RowNumbers:
        """The numbers of that many names; unseen names get new ones."""
        return np.fromiter(map(self.__getitem__, names), np.int32, count)


class ColumnRoom:
    """What the columns of one partition share: growing arrays, and the numbers of names."""

    def __init__(self) -> None:
        self.names = {name: Codes() for name in NAMES}
        self.numbers, self.codes = Growing(np.int64, len(NUMBERS)), Growing(np.int32, len(NAMES))
        self.flags = Growing(np.bool_, len(FLAGS))

    def codes_of(self, values: Mapping[str, Sequence[Any]]) -> RowNumbers:
        """The numbers of the names of some rows, a line for each column."""
        count = len(values["doc"])
        return np.array([self.names[name].encode(values[name], count) for name in NAMES])


@dataclass(frozen=True, slots=True)
class Columns:
    """What searches filter by, in blocks with one line for each column."""

    room: ColumnRoom
    numbers: Ints  # shape (10, n)
    codes: RowNumbers  # of names; shape (6, n)
    flags: RowMask  # shape (5, n)

    @classmethod
    def none(cls) -> Columns:
        """Of a partition without documents."""
        room = ColumnRoom()
        return cls(room, room.numbers.nothing, room.codes.nothing, room.flags.nothing)

    def __len__(self) -> int:
        return int(self.numbers.shape[1])

    @property
    def names(self) -> Mapping[str, Codes]:
        """The numbers of names, by column."""
        return self.room.names

    @property
    def nbytes(self) -> int:
        """Memory they take, estimated for names."""
        names = 100 * sum(map(len, self.names.values()))
        return self.numbers.nbytes + self.codes.nbytes + self.flags.nbytes + names

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column by its name."""
        block, line = _LINES[name]
        column: NDArray[Any] = getattr(self, block)[line]
        return column

    def extended(self, values: Mapping[str, Sequence[Any]]) -> Columns:
        """With the rows of ``docs.changed`` at the end, given by columns."""
        room, codes = self.room, self.room.codes_of(values)
        numbers = np.array([values[name] for name in NUMBERS], np.int64)
        flags = [*map(values.__getitem__, HELD), *_marks(values["around"])]
        return Columns(
            room,
            room.numbers.extended(self.numbers, numbers),
            room.codes.extended(self.codes, codes),
            room.flags.extended(self.flags, np.array(flags, bool)),
        )


class TakenRows:
    """Some rows of columns, taken when they are asked for."""

    def __init__(self, columns: Columns, rows: RowNumbers) -> None:
        self._columns, self._rows = columns, rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """These rows of a column."""
        taken: NDArray[Any] = self._columns[name][self._rows]
        return taken


def _marks(around: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Which documents are marked as asking, and which as an assistant's."""
    asks = [words.startswith(ASKS) for words in around]
    return asks, [words.startswith((ASSISTANT, ASKS + ASSISTANT)) for words in around]
