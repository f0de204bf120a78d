"""The item_pairs table: which pairs of items were judged, so that they are not judged again. A text
is never edited, so a verdict lasts.
"""

from __future__ import annotations

from datetime import datetime

from omoide.nouns.clock import to_micros
from omoide.nouns.ids import ItemId
from omoide.tables.rows import Rows


class Pairs(Rows):
    """Judged pairs as rows, inside the caller's transaction. The lower id stands first."""

    def add(self, tenant: str, pair: tuple[ItemId, ItemId], verdict: str, at: datetime) -> bool:
        """Note what a pair was found to be; False if it was judged already."""
        return bool(
            self._tx.run(
                "pairs.add",
                tenant=tenant,
                one=pair[0],
                other=pair[1],
                verdict=verdict,
                at=to_micros(at),
            )
        )

    def judged(self, tenant: str, user: str | None) -> dict[ItemId, set[ItemId]]:
        """With which others each item of a partition was judged."""
        known: dict[ItemId, set[ItemId]] = {}
        for row in self._tx.rows("pairs.of_partition", tenant=tenant, user=user or ""):
            known.setdefault(ItemId(row["one_id"]), set()).add(ItemId(row["other_id"]))
            known.setdefault(ItemId(row["other_id"]), set()).add(ItemId(row["one_id"]))
        return known

    def others(self, tenant: str, item: str) -> list[ItemId]:
        """With which others an item was judged."""
        return self._column("id", "pairs.others", tenant=tenant, item=item)

    def forget(self, tenant: str, item: ItemId) -> int:
        """Erase the pairs that an item is in."""
        return self._tx.run("pairs.forget", tenant=tenant, item=item)
