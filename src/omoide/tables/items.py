"""The items table: what is known, with lineage. A text is never edited; its attributes and state
are.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.embedder import Vector
from omoide.nouns.ids import ItemId, TurnId
from omoide.nouns.item import BANDS, Category, Item, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Mask
from omoide.store.base import FOREVER, Row
from omoide.tables.columns import (
    asker,
    exactly,
    owner,
    pack_masks,
    pack_texts,
    partition,
    scope_of,
    unpack_vector,
)
from omoide.tables.item_fields import columns_of, item_of, labels_of, state_of
from omoide.tables.listing import Listing, filters_of
from omoide.tables.rows import LinkedRows
from omoide.tables.turns import turn_id, turn_place

LINKS = ("entity", "turn", "again", "base")  # what items are linked to
# by order: statements that walk along an index
ALONG = {
    ("updated_at", True): "items.latest_updated",
    ("updated_at", False): "items.first_updated",
    ("created_at", True): "items.latest_created",
    ("created_at", False): "items.first_created",
}


@frozen_record
class Unused:
    """An item that went unused, since when or up to when its confidence was lowered for that."""

    id: ItemId
    since: datetime
    confidence: float
    tier: Tier


@frozen_record
class Lowered:
    """By what an item's confidence is multiplied for want of use, up to when."""

    id: ItemId
    factor: float
    at: datetime


class Items(LinkedRows[Item]):
    """Items as rows, inside the caller's transaction."""

    kind = "item"
    one_query, walk_query = "items.raw", "items.after"

    def add(self, item: Item, *, salt: bytes) -> None:
        """Add an item with its source turns. Its entities are linked by Entities."""
        self._tx.run("items.add", **_columns(item), salt=salt)
        self._come_from(item, item.source_turns)
        self._rest(item)

    def support(self, item: Item) -> None:
        """Let an item be said again by the turns it names as such, and by no others."""
        self._tx.run("item_sources.forget_again", tenant=item.scope.tenant, item_id=item.id)
        self._come_from(item, item.said_again)

    def _come_from(self, item: Item, turns: Iterable[TurnId]) -> None:
        for turn in turns:
            self._tx.run(
                "item_sources.add",
                tenant=item.scope.tenant,
                item_id=item.id,
                **turn_place(turn),
                again=int(turn in item.said_again),
            )

    def rest(self, item: Item) -> None:
        """Let an item rest on its bases, and on nothing else."""
        self._tx.run("item_bases.forget", tenant=item.scope.tenant, item_id=item.id)
        self._rest(item)

    def _rest(self, item: Item) -> None:
        for base in item.bases:
            self._tx.run("item_bases.add", tenant=item.scope.tenant, item_id=item.id, base_id=base)

    def set(self, item: Item) -> None:
        """Write the attributes and state of an item that was read in this transaction."""
        self._tx.run("items.set", tenant=item.scope.tenant, id=item.id, **state_of(item))

    def relabel(self, item: Item) -> None:
        """Write what stands about an item beside its text, in which secrets were masked."""
        self._tx.run("items.relabel", tenant=item.scope.tenant, id=item.id, **labels_of(item))

    def mask(self, item: Item, text: str, masks: Sequence[Mask], quote: str | None) -> None:
        """Replace the text by the same text with its secrets masked."""
        texts = pack_texts(text, quote or "")
        self._tx.run(
            "items.rewrite", tenant=item.scope.tenant, id=item.id, masks=pack_masks(masks), **texts
        )

    def use(self, tenant: str, counts: Iterable[tuple[ItemId, int, datetime]]) -> None:
        """Count recalls that returned items: the id of each, how many recalls, and when the last
        was.
        """
        self._tx.run(
            "items.use",
            many=[
                {"tenant": tenant, "id": id, "times": times, "at": to_micros(at)}
                for id, times, at in counts
            ],
        )

    def unused(self, scope: Scope, *, before: datetime, limit: int) -> list[Unused]:
        """Open, unpinned items of a partition, surer than the least of their tier's band, that
        nothing happened to since a time.
        """
        least = {f"{tier.name.lower()}_least": low for tier, (low, _) in BANDS.items()}
        values = {"before": to_micros(before), "limit": limit, **least}
        return self._all(_unused, "items.unused", **partition(scope), **values)

    def decay(self, tenant: str, lowered: Iterable[Lowered]) -> None:
        """Lower items' confidence."""
        rows = [
            {"tenant": tenant, "id": one.id, "factor": one.factor, "at": to_micros(one.at)}
            for one in lowered
        ]
        self._tx.run("items.decay", many=rows)

    def comparable(
        self, scope: Scope, model: int, now: datetime, limit: int
    ) -> dict[Scope, tuple[list[ItemId], list[Vector]]]:
        """The newest items of a partition that hold, and their vectors of an embedder, by the place
        they stand in.
        """
        places: dict[Scope, tuple[list[ItemId], list[Vector]]] = {}
        values = {"model": model, "now": to_micros(now), "limit": limit}
        for row in self._tx.rows("items.comparable", **partition(scope), **values):
            place = scope_of(
                scope.tenant, row["agent"], scope.user, row["only_session"], row["context"]
            )
            ids, vectors = places.setdefault(place, ([], []))
            ids.append(ItemId(row["id"]))
            vectors.append(unpack_vector(row["vector"]))
        return places

    def shift(self, tenant: str, deltas: Mapping[ItemId, float]) -> None:
        """Move the confidence of items, those that are there, within 0 and 1."""
        self._tx.run(
            "items.shift",
            many=[{"tenant": tenant, "id": id, "delta": delta} for id, delta in deltas.items()],
        )

    def faded(self, tenant: str, *, less: float, before: datetime, limit: int) -> list[Item]:
        """Open, unpinned items less sure than this that nothing happened to since a time."""
        return self._found(
            "items.faded", tenant=tenant, less=less, before=to_micros(before), limit=limit
        )

    def beyond(self, tenant: str, *, most: int, now: datetime, limit: int) -> list[Item]:
        """Open items that are more than so many of one user and agent, the least sure first; none
        that is pinned or still due.
        """
        rows = self._tx.rows(
            "items.beyond", tenant=tenant, most=most, now=to_micros(now), limit=limit
        )
        return [item for row in rows if (item := self.find(tenant, row["id"])) is not None]

    def archive(self, item: Item, purge_at: datetime) -> None:
        """Let an item be erased at a time, unless it is changed before."""
        self._tx.run(
            "items.archive", tenant=item.scope.tenant, id=item.id, purge_at=to_micros(purge_at)
        )

    def to_purge(self, tenant: str, now: datetime, limit: int) -> list[Item]:
        """Archived items whose time is over."""
        return self._found("items.to_purge", tenant=tenant, now=to_micros(now), limit=limit)

    def scale(self, tenant: str, factors: Mapping[str, float]) -> None:
        """Multiply the confidence of items, those that are there, up to 1."""
        self._tx.run(
            "items.scale",
            many=[{"tenant": tenant, "id": id, "factor": factor} for id, factor in factors.items()],
        )

    def get(self, scope: Scope, id: str, *, damaged: bool = False) -> Item | None:
        """The item, if this asker may see it; with damaged also one whose text was altered on disk.

        Raises:
            DamagedRecord: its text is damaged.
        """
        read = self._first if damaged else self._one_shown
        return read("items.get", **asker(scope), id=id)

    def many(self, scope: Scope, ids: Iterable[str]) -> dict[str, Item]:
        """Those of the items that this asker may see, by id."""
        found = self._shown("items.many", **asker(scope), ids=json.dumps(list(ids)))
        return {item.id: item for item in found}

    def found(self, tenant: str, ids: Iterable[str]) -> dict[str, Item]:
        """Those of the items that are there, by id, whoever asks: for the write path."""
        found = self._found("items.raw_many", tenant=tenant, ids=json.dumps(list(ids)))
        return {item.id: item for item in found}

    def successors(self, tenant: str, id: str) -> list[Item]:
        """The items that superseded it, oldest first."""
        return self._found("items.successors", tenant=tenant, id=id)

    def page(self, scope: Scope, listing: Listing, now: datetime) -> list[Item]:
        """One page of the items an asker sees."""
        values = asker(scope) | filters_of(listing, now)
        along = ALONG.get((listing.sort, listing.descending))
        if along is not None:
            return self._page_along(along, scope, listing, values)
        values |= {"sort": listing.sort, "descending": int(listing.descending)}
        return self._shown("items.list", **values, limit=listing.limit, offset=listing.offset)

    def _page_along(
        self, query: str, scope: Scope, listing: Listing, values: Mapping[str, Any]
    ) -> list[Item]:
        """A page whose order is that of an index, put together from the asker's own items and
        those of everybody.
        """
        end = listing.offset + listing.limit
        rows = self._rows_of_owners(query, scope, {**values, "limit": end})
        rows.sort(
            key=lambda row: (row["at"], row["created_at"], row["id"]), reverse=listing.descending
        )
        ids = [row["id"] for row in rows[listing.offset : end]]
        found = self.many(scope, ids)
        return [found[id] for id in ids if id in found]

    def count(self, scope: Scope, listing: Listing, now: datetime) -> int:
        """How many items all pages of a listing hold."""
        return self._total("items.count", **asker(scope), **filters_of(listing, now))

    def due(
        self,
        scope: Scope,
        *,
        now: datetime,
        before: datetime,
        overdue: bool,
        context: str,
        sensitive: bool,
        limit: int,
    ) -> list[Item]:
        """Items due before a time and not reminded of since they fell due, soonest first."""
        return self._shown(
            "items.due",
            **asker(scope),
            now=to_micros(now),
            before=to_micros(before),
            overdue=int(overdue),
            context=context,
            with_sensitive=int(sensitive),
            limit=limit,
        )

    def important(self, scope: Scope, now: datetime, limit: int) -> list[Item]:
        """Open items of exactly this scope's user that hold and are neither sensitive nor muted,
        the most important first.
        """
        place = owner(scope) | {"context": scope.context}
        return self._shown("items.important", **place, now=to_micros(now), limit=limit)

    def standing(
        self, scope: Scope, wanted: Mapping[Category, int], *, known: datetime, now: datetime
    ) -> list[Item]:
        """So many items of each category that hold and stand in every context, as known at a time,
        the surest first; none that is sensitive, muted or in doubt.
        """
        times = {"known": to_micros(known), "now": to_micros(now)}
        rows: list[Row] = []
        for category, limit in wanted.items():
            values = {**exactly(scope), **times, "category": category.value, "limit": limit}
            found = self._tx.rows("items.standing", **values)
            found.sort(key=lambda row: (-row["confidence"], row["created_at"], row["id"]))
            rows += found[:limit]
        return self._read(self._whole(rows))

    def pinned(self, scope: Scope, now: datetime, limit: int) -> list[Item]:
        """Pinned items that an asker sees, the oldest first; none that is sensitive or muted."""
        values = {**exactly(scope), "now": to_micros(now), "limit": limit}
        rows = self._rows_of_owners("items.pinned", scope, values)
        found = self._read(self._whole(rows))
        return sorted(found, key=lambda item: (item.created_at, item.id))[:limit]

    def _rows_of_owners(self, query: str, scope: Scope, values: Mapping[str, Any]) -> list[Row]:
        """The rows of the asker's own items, and of everybody's: each along its index."""
        return [
            row
            for user in {"", scope.user or ""}
            for row in self._tx.rows(query, **{**values, "user": user})
        ]

    def of_user(self, tenant: str, user: str) -> list[Item]:
        """Every item of one user."""
        return self._found("items.of_user", tenant=tenant, user=user)

    def walk(self, scope: Scope, last: Item | None, limit: int) -> list[Item]:
        """What an asker sees of the items of their user, closed ones too, after one (None: from
        the first), as they were created.
        """
        after = (to_micros(last.created_at), last.id) if last else (-FOREVER, "")
        place = {"created_at": after[0], "after": after[1], "limit": limit}
        return self._found("items.walk", **asker(scope), **place)

    def of_origin(self, tenant: str, origin: str) -> list[Item]:
        """Every item that came from one document, page or import."""
        return self._found("items.of_origin", tenant=tenant, origin=origin)

    def of_entity(self, tenant: str, entity: str) -> list[Item]:
        """Every item linked to an entity."""
        return self._found("items.of_entity", tenant=tenant, entity_id=entity)

    def of_turn(self, tenant: str, turn: str) -> list[Item]:
        """Every item derived from a turn."""
        return self._found("items.of_turn", tenant=tenant, **turn_place(turn))

    def of_base(self, tenant: str, id: str) -> list[Item]:
        """Every item that rests on one."""
        return self._found("items.of_base", tenant=tenant, base_id=id)

    def above(self, tenant: str, id: str, *, only_sure: bool = False) -> list[Item]:
        """Every item that rests on one, and what rests on these, nearest first; or of each only
        what holds.
        """
        found: dict[str, Item] = {}
        waiting = deque([id])
        while waiting:
            for item in self.of_base(tenant, waiting.popleft()):
                if item.id not in found and (item.holds or not only_sure):
                    found[item.id] = item
                    waiting.append(item.id)
        return list(found.values())

    def fallen(self, tenant: str, id: str) -> frozenset[ItemId]:
        """Of the bases that are stored of an item, those that no longer hold."""
        return frozenset(self._column("base_id", "item_bases.fallen", tenant=tenant, item_id=id))

    def misjudged(self, tenant: str) -> list[Item]:
        """Every open item whose state is not what its bases make it, oldest first: its basis is
        said to be closed and holds, or the other way round.
        """
        return self._found("items.misjudged", tenant=tenant)

    def never_confirmed(self, tenant: str, before: datetime, limit: int) -> list[Item]:
        """Open items that nobody confirmed, unconfirmed since before a time."""
        values = {"before": to_micros(before), "limit": limit}
        return self._found("items.never_confirmed", tenant=tenant, **values)

    def meaning(self, tenant: str, id: str) -> list[Item]:
        """The items that are meant to close one once they are confirmed."""
        return self._found("items.meaning", tenant=tenant, id=id)

    def only_in(self, tenant: str, session: str) -> list[Item]:
        """Every item that belongs to one session alone."""
        return self._found("items.only_in", tenant=tenant, id=session)

    def expired(self, tenant: str, now: datetime, limit: int) -> list[Item]:
        """Items past their expiry that are not archived."""
        return self._found("items.expired", tenant=tenant, now=to_micros(now), limit=limit)

    def linked(self, tenant: str, id: str) -> list[Item]:
        """The items that name one as similar, oldest first."""
        return self._found("items.linked", tenant=tenant, id=id)

    def similar_links(self, scope: Scope) -> list[tuple[ItemId, ItemId]]:
        """The open items of a partition that are linked as similar to another open one, with
        that.
        """
        rows = self._tx.rows("items.similar_links", **partition(scope))
        return [(ItemId(row["id"]), ItemId(row["similar_to"])) for row in rows]

    def merged_into(self, tenant: str, id: str) -> list[Item]:
        """The items that gave way to one that was there already."""
        return self._found("items.merged_into", tenant=tenant, id=id)

    def link(self, item: Item, similar: ItemId | None) -> None:
        """Name what an item is similar to."""
        self._tx.run(
            "items.link_similar", tenant=item.scope.tenant, id=item.id, similar_to=similar or ""
        )

    def follow(self, item: Item, old: ItemId | None) -> None:
        """Name what an item took the place of."""
        self._tx.run("items.follow", tenant=item.scope.tenant, id=item.id, supersedes=old or "")

    def lend(self, tenant: str, id: str, new: ItemId) -> None:
        """Let what rests on one item rest on another."""
        self._tx.run("item_bases.lend", tenant=tenant, base_id=id, new_id=new)

    def lose_source(self, item: Item, turn: str, *, quote_too: bool) -> None:
        """Let an item no longer name a turn as its source, nor quote it."""
        tenant = item.scope.tenant
        self._tx.run("item_sources.drop", tenant=tenant, item_id=item.id, **turn_place(turn))
        if quote_too:
            rows = self._tx.rows("items.raw", tenant=tenant, id=item.id)
            if not any(self._damages(rows)):  # a damaged text never gets a checksum of its own
                self.mask(item, item.text, item.masks, None)

    def forget(self, item: Item) -> int:
        """Erase the item, its links, and its name where others name it as what they took the place
        of or are similar to; what rested on it lacks a base.
        """
        tenant = item.scope.tenant
        for query in ("items.unlink_successors", "items.unlink_similar"):
            self._tx.run(query, tenant=tenant, id=item.id)
        if item.supersedes:
            self._tx.run(
                "items.unlink_predecessor", tenant=tenant, id=item.id, predecessor=item.supersedes
            )
        for query in ("item_sources.forget", "item_bases.forget", "item_entities.forget"):
            self._tx.run(query, tenant=tenant, item_id=item.id)
        return self._tx.run("items.forget", tenant=tenant, id=item.id)

    def _read(self, rows: list[Row]) -> list[Item]:
        """Rows as items, with the entities, source turns and bases of all of them in one query."""
        links = self._links("item_links.many", rows, "item_id") if rows else {}
        return [_linked(row, links.get(row["id"], ())) for row in rows]


def _linked(row: Row, links: Sequence[Row]) -> Item:
    if not links:
        return item_of(row, (), (), ())
    by_kind: dict[str, list[Row]] = {kind: [] for kind in LINKS}
    for link in links:
        by_kind[link["kind"]].append(link)
    own, again = (
        [turn_id(link["target"], link["position"]) for link in by_kind[kind]]
        for kind in ("turn", "again")
    )
    entities, bases = ([link["target"] for link in by_kind[kind]] for kind in ("entity", "base"))
    item = item_of(row, entities, own, bases)
    return item.supported_by(again) if again else item


def _columns(item: Item) -> dict[str, Any]:
    start, end = item.quote_span or (None, None)
    return {
        **asker(item.scope),
        "id": item.id,
        "quote_start": start,
        "quote_end": end,
        **pack_texts(item.text, item.quote or ""),
        **columns_of(item),
    }


def _unused(row: Row) -> Unused:
    clocks = ("updated_at", "recorded_at", "last_used_at", "decayed_at")
    return Unused(
        id=ItemId(row["id"]),
        since=from_micros(max(row[clock] or 0 for clock in clocks)),
        confidence=row["confidence"],
        tier=Tier(row["tier"]),
    )
