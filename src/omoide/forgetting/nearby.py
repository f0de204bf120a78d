"""Which of many items are nearest to a text by the words that they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from heapq import nlargest

from omoide.nouns.item import Item
from omoide.text.words import fold, index_terms

FEW, MOST = 64, 10  # so many are all compared; of more, as many as when something is remembered


class Nearby:
    """Items as they stand, found by words. Each with all others, that would take the square of
    their number.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = {item.id: item for item in items}
        self._holding: defaultdict[str, list[str]] = defaultdict(list)
        self._lengths: dict[str, int] = {}
        for id, item in self._items.items():
            terms = _terms_of(item.text)
            self._lengths[id] = len(terms)
            for term in terms:
                self._holding[term].append(id)

    def put(self, item: Item) -> None:
        """Let a known item be as it is now. Its text never changes."""
        if item.id in self._items:
            self._items[item.id] = item

    def near(self, text: str, fits: Callable[[Item], bool]) -> list[Item]:
        """Items that fit, in their order: all of few, else those that share the largest part of the
        shorter one's words with a text.
        """
        fitting = {id: item for id, item in self._items.items() if fits(item)}
        if len(fitting) <= FEW:
            return list(fitting.values())
        terms = _terms_of(text)
        shared = Counter(id for term in terms for id in self._holding.get(term, ()))

        def share(id: str) -> tuple[float, float]:
            fewer, more = sorted((len(terms), self._lengths[id]))
            return shared[id] / fewer, shared[id] / more

        best = frozenset(nlargest(MOST, (id for id in shared if id in fitting), key=share))
        return [item for id, item in fitting.items() if id in best]


def _terms_of(text: str) -> frozenset[str]:
    return frozenset(index_terms(text, exact=True)) or frozenset(fold(text).split())
