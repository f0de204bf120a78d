"""Which of many items are nearest to a text by the words that they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from itertools import islice

from omoide.nouns.ids import ItemId
from omoide.nouns.item import Item
from omoide.text.letters import fold
from omoide.text.words import index_terms

FEW, MOST = 64, 10  # so many are all compared; of more, as many as when something is remembered


class Nearby:
    """Items as they stand, found by words. Each with all others, that would take the square of
    their number.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = {item.id: item for item in items}
        self._places = {id: place for place, id in enumerate(self._items)}
        self._holding: defaultdict[str, list[ItemId]] = defaultdict(list)
        self._lengths: dict[ItemId, int] = {}
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
        fitting = [*islice(filter(fits, self._items.values()), FEW + 1)]
        if len(fitting) <= FEW:
            return fitting
        terms = _terms_of(text)
        shared = Counter(id for term in terms for id in self._holding.get(term, ()))

        def share(id: ItemId) -> tuple[float, float]:
            fewer, more = sorted((len(terms), self._lengths[id]))
            return shared[id] / fewer, shared[id] / more

        alike = sorted(shared, key=share, reverse=True)
        best = islice((id for id in alike if fits(self._items[id])), MOST)
        return [self._items[id] for id in sorted(best, key=self._places.__getitem__)]


def _terms_of(text: str) -> frozenset[str]:
    return frozenset(index_terms(text, exact=True)) or frozenset(fold(text).split())
