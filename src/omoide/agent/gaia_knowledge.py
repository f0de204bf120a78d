"""Statements of a memory by the rules of GAIA's store: one that says nearly the same as another
takes its place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from omoide.memory import Memory
from omoide.nouns.errors import Conflict, InvalidInput, NotFound
from omoide.nouns.item import BANDS, Category, Details, Item, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.text.sets import overlap
from omoide.text.words import index_terms

DEDUP_OVERLAP_THRESHOLD, NEAR = 0.8, 25


class Knowledge:
    """The statements of one memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def find(self, id: str) -> Item | None:
        """The statement of an id, open or superseded; None for an unknown one."""
        try:
            found = self._memory.get(id)
        except (NotFound, InvalidInput):
            return None
        return found if isinstance(found, Item) else None

    def near(self, text: str, category: str, context: str, entity: str | None) -> Item | None:
        """The open statement of the same place that shares most words, if these are enough."""
        asked = Query(
            text=text,
            kinds=frozenset({Kind.ITEM}),
            categories=frozenset({Category(category)}),
            contexts=frozenset({context}),
            include_sensitive=True,
            preset="keyword",
        )
        hits = self._memory.recall(asked, limit=NEAR) if index_terms(text) else ()
        same = [
            hit.item
            for hit in hits
            if hit.item is not None
            and hit.item.scope.context == context
            and hit.item.entities[:1] == ((entity,) if entity else ())
        ]
        said = words_of(text)
        best = max(same, key=lambda item: overlap(said, words_of(item.text)), default=None)
        enough = best is not None and overlap(said, words_of(best.text)) >= DEDUP_OVERLAP_THRESHOLD
        return best if enough else None

    def take_place(self, known: Item, text: str, details: Details, due: Any) -> str:
        """The id of the statement that takes the known one's place; the surer and the more careful
        of both count.
        """
        tier = max(known.tier, details.tier or Tier.AGENT)
        low, high = BANDS[tier]
        sure = max(known.confidence, details.confidence or 0.0, low)
        told = replace(
            details,
            tier=tier,
            confidence=min(sure, high),
            sensitive=known.sensitive or details.sensitive,
            source=known.source if known.source is Source.USER else details.source,
        )
        item = self._memory.correct(known.id, text, details=told).item
        return str(self._memory.items.edit(item.id, due_at=due).id if due else item.id)

    def give_way(self, item: Item, successor: str) -> bool:
        """Let a statement be superseded by another one; False if it is closed already."""
        if successor == item.id:
            raise InvalidInput("superseded_by", "is the row itself")
        new = self.find(successor)
        if new is None:
            raise InvalidInput("superseded_by", f"there is no row {successor!r}")
        try:
            self._memory.correct(item.id, new.text, details=Details(tier=item.tier))
        except Conflict:
            return False
        return True

    def erase(self, **target: str) -> int:
        """Erase all statements that are meant, and return how many."""
        try:
            receipt = self._memory.items.forget(**target)  # type: ignore[arg-type]
        except NotFound:
            return 0
        return receipt.erased.get("items", 0)


def words_of(text: str) -> frozenset[str]:
    """The words of a text, in lower case."""
    return frozenset(text.casefold().split())
