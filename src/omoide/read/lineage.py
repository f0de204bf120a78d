"""What became of records: the state of an item at a time, its chain, and what changed between two
moments.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from omoide.nouns.change import Change
from omoide.nouns.clock import EPOCH, to_micros
from omoide.nouns.errors import InvalidTime, NotFound
from omoide.nouns.ids import clean_id
from omoide.nouns.item import Item
from omoide.nouns.record import Listed, Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import kind_named
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read.question import readable
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.columns import micros
from omoide.tables.foreign import ForeignLedgers
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger
from omoide.tables.turns import Turns

DIFF_LIMIT = 10_000  # changes
_END = EPOCH.replace(year=9999)


@frozen_record
class History(Listed[Item]):
    """An item's versions, oldest first, to be looped over, and every change to them. foreign is
    what happened to them in another store, before they were loaded from an archive.
    """

    items: tuple[Item, ...]
    changes: tuple[Change, ...]
    foreign: tuple[Change, ...] = ()
    degraded: tuple[str, ...] = ()  # what is left out, such as a damaged version

    @property
    def _listed(self) -> tuple[Item, ...]:
        return self.items


@frozen_record
class Diff(Record):
    """What differs between two moments: items held at the end and not at the start, the other way
    round, and every change. foreign are changes made in another store meanwhile to what was loaded
    from its archive.

    Not complete where there were more than 10,000 changes: only the first of them were looked at.
    A diff without changes is false.
    """

    added: tuple[Item, ...]
    removed: tuple[Item, ...]
    changes: tuple[Change, ...]
    foreign: tuple[Change, ...] = ()
    complete: bool = True
    degraded: tuple[str, ...] = ()  # what is left out, such as a damaged item

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changes)

    def __str__(self) -> str:
        signed = [f"+ {item}" for item in self.added] + [f"- {item}" for item in self.removed]
        return "\n".join(signed or ["no items differ"])


def get(
    store: Store, scope: Scope, id: str, as_of: datetime | None, known_at: datetime | None
) -> Item | Turn:
    """A record by id; with as_of or known_at the version of that item that was true, or known,
    then.

    Raises:
        NotFound: no such record in this scope, or none of its versions held then.
    """
    id = clean_id(id, "id")
    for moment in (as_of, known_at):
        micros(moment)  # refuses one without a zone
    with read_only(store, scope.tenant) as tx:
        scope = readable(tx, scope)
        item = Items(tx).get(scope, id)
        if item is not None and (as_of or known_at):
            item = next((v for v in chain(tx, scope, item) if held(v, as_of, known_at)), None)
        elif item is None and "#" in id:
            turn = Turns(tx).get(scope, id)
            if turn is not None:
                return turn
        if item is None:
            raise NotFound("item" if "#" not in id else "turn", id)
        return item


def held(item: Item, as_of: datetime | None, known_at: datetime | None) -> bool:
    """Whether an item was true at as_of, as far as it was known at known_at. None: now, and so
    open-ended.
    """
    if known_at is not None and item.recorded_at > known_at:
        return False
    closed = item.superseded_at is not None and (known_at is None or item.superseded_at <= known_at)
    ends = [
        end for end in (item.valid_until, item.closed_at if closed else None) if end is not None
    ]
    if as_of is None:
        return not closed
    return item.valid_from <= as_of and all(end > as_of for end in ends)


def chain(tx: Transaction, scope: Scope, item: Item) -> list[Item]:
    """All versions of an item that the asker may see, oldest first, without damaged ones."""
    before = list(_walk(tx, scope, item, back=True))
    ids = [one.id for one in (*reversed(before), item, *_walk(tx, scope, item, back=False))]
    whole = Items(tx).many(scope, ids)
    return [whole[id] for id in ids if id in whole]


def _walk(tx: Transaction, scope: Scope, item: Item, *, back: bool) -> Iterator[Item]:
    seen = {item.id}
    while (following := item.supersedes if back else item.superseded_by) and following not in seen:
        found = Items(tx).get(scope, following, damaged=True)
        if found is None:
            return
        seen.add(found.id)
        yield found
        item = found


def history(store: Store, scope: Scope, id: str) -> History:
    """How an item came to be what it is.

    Raises:
        NotFound: no such item in this scope.
    """
    id = clean_id(id, "id")
    with read_only(store, scope.tenant) as tx:
        scope = readable(tx, scope)
        item = Items(tx).get(scope, id, damaged=True)
        if item is None:
            raise NotFound("item", id)
        versions = chain(tx, scope, item)
        told = {v.id: v for v in (item, *versions)}.values()
        pasts = [p for v in told for p in Ledger(tx).of_record(scope.tenant, v.id)]
        foreign = [c for v in told for c in ForeignLedgers(tx).of_record(v.scope, v.id)]
        return History(
            items=tuple(versions),
            changes=tuple(p.change for p in sorted(pasts, key=lambda p: p.seq)),
            foreign=tuple(sorted(foreign, key=lambda c: (c.at, c.id))),
        )


def diff(
    store: Store, scope: Scope, since: datetime, until: datetime | None, *, include_sensitive: bool
) -> Diff:
    """What changed in a scope after since, up to and with until; of sensitive items, unless asked
    for, only that they did.
    """
    until = until or _END  # whoever's clock was ahead, it has happened
    if to_micros(until) < to_micros(since):
        raise InvalidTime("recorded_until", f"{until.isoformat()} is before {since.isoformat()}")
    with read_only(store, scope.tenant) as tx:
        scope = readable(tx, scope)
        changes = Ledger(tx).between(scope.tenant, scope.user, since, until, DIFF_LIMIT + 1)
        complete, changes = len(changes) <= DIFF_LIMIT, changes[:DIFF_LIMIT]
        items = Items(tx).many(scope, dict.fromkeys(c.record for c in changes)).values()
        shown = [item for item in items if include_sensitive or not item.sensitive]
        added = tuple(i for i in shown if i.recorded_at > since and held(i, None, until))
        removed = tuple(
            i
            for i in shown
            if i.recorded_at <= since and held(i, None, since) and not held(i, None, until)
        )
        visible = {i.id for i in items}
        theirs = tuple(
            c
            for c in changes
            if c.record in visible or (c.user == scope.user and _sees(tx, scope, c))
        )
        foreign = _foreign(tx, scope, since, until)
        return Diff(
            added=added, removed=removed, changes=theirs, foreign=foreign, complete=complete
        )


def _foreign(tx: Transaction, scope: Scope, since: datetime, until: datetime) -> tuple[Change, ...]:
    """What happened in other stores to what an asker sees: a user all that was theirs, an agent of
    theirs what is of the items that it sees.
    """
    changes = ForeignLedgers(tx).between(scope, since, until, DIFF_LIMIT)
    seen = Items(tx).many(scope, dict.fromkeys(change.record for change in changes))
    own = scope.user if scope.agent is None else None
    return tuple(
        change
        for change in changes
        if (change.record in seen and seen[change.record].scope.user == change.user)
        or (own is not None and change.user == own)
    )


def _sees(tx: Transaction, scope: Scope, change: Change) -> bool:
    """Whether an asker may know of a change to a record that is no item they see; of one that is
    gone, user and agent are known.
    """
    sees = kind_named(change.kind).sees
    if sees:
        return sees(tx, scope, change)
    past = Ledger(tx).get(scope.tenant, change.id)
    return past is None or past.before.get("agent", "") in ("", scope.agent or "")


def cascade(store: Store, scope: Scope, id: str) -> list[Item]:
    """The items of an asker's that would be unconfirmed if an item closed, nearest first.

    Raises:
        NotFound: no such item in this scope.
    """
    id = clean_id(id, "id")
    with read_only(store, scope.tenant) as tx:
        scope = readable(tx, scope)
        if Items(tx).get(scope, id, damaged=True) is None:
            raise NotFound("item", id)
        falling = Items(tx).above(scope.tenant, id, only_sure=True)
        seen = Items(tx).many(scope, [item.id for item in falling])
        return [item for item in falling if item.id in seen]
