"""What verbs give: records that become JSON, and those that are the list in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, SupportsIndex, TypeVar, overload

from omoide.nouns.record.plain import plain

T = TypeVar("T")


class Record:
    """What a verb gives."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The record as ``json.dumps`` takes it, and as ``omoide … --json`` prints it."""
        told: dict[str, Any] = plain(self)
        return told

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What a notebook shows: the record as it is printed."""
        printer.text(type(self).__name__ if cycle else str(self))


class Listed(Record, Generic[T]):
    """A record that stands for the list in it: loop over it, index it, take its ``len``. An empty
    one is false.
    """

    __slots__ = ()

    @property
    def _listed(self) -> Sequence[T]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[T]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...

    def __getitem__(self, place: SupportsIndex | slice) -> T | Sequence[T]:
        return self._listed[place]  # type: ignore[index]

    def __str__(self) -> str:
        return "\n".join(map(str, self._listed))
