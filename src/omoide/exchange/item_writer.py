"""Stores statements of another product's memory as items, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from omoide.exchange.problems import Problem
from omoide.memory import Memory
from omoide.nouns.errors import OmoideError
from omoide.nouns.item import Item
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import GLOBAL, Scope
from omoide.store.base import read_only
from omoide.tables.items import Items
from omoide.write.remember import Statement

# in the metadata of an item: the product's id of it, and a digest of the version that was imported
OWN_ID, DIGEST = "import_id", "import_digest"
PAGE = 1_000
PORTION = 100  # items that are stored together


@frozen_record
class ForeignStatement:
    """One statement of another product's memory.

    Attributes:
        id: The product's id of it, the same in every export. Records with the same id are versions
            of one statement, oldest first.
        place: Where it stands in the export, for messages.
        said: What is stored; its time is ``valid_from`` of the details.
        user: Whose it is, as the product names them; None: it names nobody.
        context: The context it belongs to; None: the global one.
        replaces: Ids of records in whose place it came.
        reminded_at: When the user was reminded of it.
    """

    id: str
    place: str
    said: Statement
    user: str | None = None
    context: str | None = None
    replaces: tuple[str, ...] = ()
    reminded_at: datetime | None = None

    @property
    def digest(self) -> str:
        """What tells this version from others of the same id."""
        return short_digest(f"{self.said.details.valid_from}|{self.said.text}")


def short_digest(text: str) -> str:
    """Sixteen hexadecimal digits that stand for a text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _undone(item: Item) -> bool:
    """Whether an item was taken back: it ended as it began, and nothing came in its place."""
    return item.closed_at == item.valid_from and item.superseded_by is None


def _page(memory: Memory, place: Scope, last: Item | None) -> list[Item]:
    """The items of a user that follow one, or are the first."""
    with read_only(memory.store, place.tenant) as tx:
        return Items(tx).walk(place, last, PAGE)


class _ImportedBefore:
    """What earlier imports stored of one user's records."""

    def __init__(self, memory: Memory, place: Scope) -> None:
        self.newest: dict[str, Item] = {}
        self.versions: set[tuple[str, str]] = set()
        last: Item | None = None
        while page := _page(memory, place, last):
            last = page[-1]
            for item in page:
                if OWN_ID in item.metadata and not _undone(item):
                    self.add(item)

    def add(self, item: Item) -> None:
        """Note an item that is stored."""
        id = str(item.metadata[OWN_ID])
        self.versions.add((id, str(item.metadata.get(DIGEST))))
        if item.is_open or id not in self.newest or not self.newest[id].is_open:
            self.newest[id] = item

    def has(self, record: ForeignStatement) -> bool:
        """Whether this version is stored already, or the same words are."""
        newest = self.newest.get(record.id)
        said_now = newest is not None and newest.is_open and newest.text == record.said.text.strip()
        return said_now or (record.id, record.digest) in self.versions


class ItemWriter:
    """Statements on their way in.

    Attributes:
        added: How many items were stored.
        repeated: How many were stored by an earlier import.
        users: How many of both are of each user.
        problems: What could not be stored, with its place.
    """

    def __init__(self, memory: Memory, scope: Scope, origin: str, me: str | None = None) -> None:
        """Write for the scope's user; records of ``me`` are theirs, those of others keep theirs."""
        self._memory, self._scope, self._origin = memory, replace(scope, session=None), origin
        self._me = me
        self._known: dict[str | None, _ImportedBefore] = {}
        self._waiting: list[ForeignStatement] = []
        self.added = self.repeated = 0
        self.users: Counter[str] = Counter()
        self.problems: list[Problem] = []

    def take(self, records: Iterable[ForeignStatement], tell: Callable[[int], None]) -> None:
        """Store the records in their order, each in the place of what it replaces."""
        for record in records:
            try:
                self._take(record)
            except OmoideError as error:
                self.problems.append(Problem(record.place, str(error)))
            tell(1)
        self._store()

    def _take(self, record: ForeignStatement) -> None:
        if self._waiting and self._must_wait(record):
            self._store()
        place = self._place(record)
        known = self._known_of(place)
        if known.has(record):
            self.repeated += 1
            self.users[place.user or ""] += 1
            return
        ids = (record.id, *record.replaces)
        older = [known.newest[id] for id in ids if id in known.newest]
        if older:
            self._correct(record, place, older)
        else:
            self._waiting.append(record)

    def _must_wait(self, record: ForeignStatement) -> bool:
        """Whether a record can be judged only when those that wait are stored."""
        first, ids = self._waiting[0], {waiting.id for waiting in self._waiting}
        return (
            len(self._waiting) >= PORTION
            or (first.user, first.context) != (record.user, record.context)
            or not ids.isdisjoint((record.id, *record.replaces))
        )

    def _place(self, record: ForeignStatement) -> Scope:
        place = replace(self._scope, context=record.context or GLOBAL)
        is_mine = record.user in (None, self._me, place.user)
        return place if is_mine else place.of_user(record.user)

    def _known_of(self, place: Scope) -> _ImportedBefore:
        if place.user not in self._known:
            self._known[place.user] = _ImportedBefore(self._memory, replace(place, context=GLOBAL))
        return self._known[place.user]

    def _store(self) -> None:
        """Store those that wait; where they cannot be together, one by one."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self._add(waiting)
        except OmoideError as error:
            if len(waiting) == 1:
                self.problems.append(Problem(waiting[0].place, str(error)))
                return
            for record in waiting:
                self._waiting = [record]
                self._store()

    def _add(self, records: list[ForeignStatement]) -> None:
        place = self._place(records[0])
        items = self._memory.items.add_many([self._said(record) for record in records], place)
        for record, item in zip(records, items, strict=True):
            self._note(record, place, item)

    def _correct(self, record: ForeignStatement, place: Scope, older: list[Item]) -> None:
        """Store a record in the place of those that it replaces."""
        said = self._said(record)
        tier = max(old.tier for old in older)
        told = replace(said.details, tier=tier, valid_from=None)
        at = said.details.valid_from
        first, *others = older
        item = self._memory.correct(first.id, said.text, place, at=at, details=told).item
        for old in others:
            self._memory.correct(old.id, said.text, place, at=at, details=told)
        self._note(record, place, item)

    def _said(self, record: ForeignStatement) -> Statement:
        metadata = {**record.said.details.metadata, OWN_ID: record.id, DIGEST: record.digest}
        details = replace(record.said.details, metadata=metadata, origin=self._origin)
        return replace(record.said, details=details)

    def _note(self, record: ForeignStatement, place: Scope, item: Item) -> None:
        if record.reminded_at is not None:
            item = self._memory.items.edit(item.id, place, reminded_at=record.reminded_at)
        self._known_of(place).add(item)
        self.added += 1
        self.users[place.user or ""] += 1
