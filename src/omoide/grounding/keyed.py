"""Values that a text holds, found by what those that are the same have in common. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, Protocol, Self, TypeVar


class Keyed(Hashable, Protocol):
    """A figure or an address, as it is compared with others of its kind."""

    @property
    def keys(self) -> Iterable[Hashable]:
        """Marks of which it shares one at least with every value that is the same."""

    def same(self, other: Self, /) -> bool:
        """Whether both may be one."""


V = TypeVar("V", bound=Keyed)


class KeyedValues(Generic[V]):
    """The values of a text. One is compared only with those that share a key with it."""

    def __init__(self, values: Iterable[V]) -> None:
        self._by_key: dict[Hashable, list[V]] = {}
        for value in dict.fromkeys(values):
            for key in value.keys:
                self._by_key.setdefault(key, []).append(value)

    def has(self, one: V) -> bool:
        """Whether one of them is the same."""
        return any(one.same(other) for key in one.keys for other in self._by_key.get(key, ()))
