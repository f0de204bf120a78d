"""Values by address, each kept as one item: what key-value stores of frameworks stand on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, TypeAlias

from omoide import Details, InvalidInput, Item, Kind, Listing, Memory, Query, Statement
from omoide.adapters.talk import depth
from omoide.nouns.record.frozen import frozen_record

RecordKey: TypeAlias = tuple[str, ...]
PAGE, MOST = 1_000, 1_000  # items of one page, and hits of one search
INLINE_LIMIT, INLINE_DEPTH = 12_000, 5  # of a value that metadata holds; a larger one is the text
_PLAIN = re.compile(r"[a-z0-9_.@:-]+")
_ITEMS = frozenset({Kind.ITEM})


@frozen_record
class NewRecord:
    """A value to be stored: where, and the words by which recall finds it."""

    address: RecordKey
    value: Mapping[str, Any]  # JSON
    text: str
    ttl: timedelta | None = None


@frozen_record
class StoredRecord:
    """A stored value. ``corrected`` says that somebody gave its item another text since."""

    address: RecordKey
    value: dict[str, Any]
    text: str
    id: str
    created_at: datetime
    updated_at: datetime
    ttl: timedelta | None = None
    corrected: bool = False
    score: float | None = None  # 0 to 1, of a search


class Records:
    """The values of one kind that the memory's owner has, by address; those of others are not seen.

    Each is an item of the context ``kind``. Another value supersedes it, and ``delete`` forgets it
    with all its versions. Values keep their JSON; secrets in them are masked, as in all that is
    stored. With ``muted`` they are not recalled: a program's state is nothing that is known.
    """

    def __init__(self, memory: Memory, kind: str, *, muted: bool = False) -> None:
        self._memory, self._kind, self._muted = memory.at(context=kind), kind, muted

    def get(self, address: RecordKey) -> StoredRecord | None:
        """Return the record at an address."""
        held = self._held(address)
        return self._record(held[0]) if held else None

    def put(self, *entries: NewRecord) -> None:
        """Store values, each in place of the one at its address.

        Raises:
            InvalidInput, TooLong: a value is not JSON, or too large.
        """
        new = []
        for entry in {entry.address: entry for entry in entries}.values():
            held = self._held(entry.address)
            if held:
                self._replace(held[0], entry)
                for twin in held[1:]:  # two processes stored at the same address at once
                    self._memory.forget(twin.id)
            else:
                new.append(entry)
        for item in self._memory.items.add_many(map(self._statement, new)) if new else ():
            self._check(item)
            if self._muted:
                self._memory.items.edit(item.id, muted=True)

    def keep_alive(self, record: StoredRecord) -> None:
        """Let a record's time to live begin anew."""
        if record.ttl is not None:
            self._memory.items.edit(record.id, expires_at=self._memory.clock.now() + record.ttl)

    def delete(self, address: RecordKey) -> bool:
        """Forget the record at an address, with all its versions; tell whether there was one."""
        held = self._held(address)
        for item in held:
            self._memory.forget(item.id)
        return bool(held)

    def all(self, prefix: RecordKey = ()) -> list[StoredRecord]:
        """Return the records whose address begins so, in the order in which they were made."""
        tag = self._tag(prefix)
        newest: dict[RecordKey, StoredRecord] = {}
        for item in self._items():
            if tag in item.tags and self._owns(item):
                record = self._record(item)
                newest[record.address] = record
        return sorted(newest.values(), key=lambda record: (record.created_at, record.address))

    def search(
        self, words: str, prefix: RecordKey = (), *, limit: int = MOST
    ) -> list[StoredRecord]:
        """Return the records under a prefix that answer a question, best first."""
        query = Query(
            text=words,
            kinds=_ITEMS,
            tags=(self._tag(prefix),),
            include_sensitive=True,
            passage_tokens=None,
        )
        hits = self._memory.recall(query, limit=min(limit, MOST))
        found = [(hit.item, hit.score) for hit in hits if hit.item and self._owns(hit.item)]
        return [self._record(item, score) for item, score in found]

    def _items(self) -> Iterator[Item]:
        """All items of the context, oldest first."""
        listing = Listing(
            context=self._kind, sensitive=None, sort="created_at", descending=False, limit=PAGE
        )
        return every_item(self._memory, listing)

    def _held(self, address: RecordKey) -> list[Item]:
        """The open items at an address, latest first; there are several only after a race."""
        query = Query(
            kinds=_ITEMS,
            tags=(self._tag(address, exact=True),),
            include_sensitive=True,
            include_muted=True,
            passage_tokens=None,
        )
        hits = self._memory.recall(query, limit=20)
        items = [hit.item for hit in hits if hit.item and self._owns(hit.item)]
        return sorted(items, key=lambda item: (item.recorded_at, item.id), reverse=True)

    def _owns(self, item: Item) -> bool:
        """Whether it is the owner's own: a user sees what belongs to everybody, too."""
        mine = self._memory.scope
        return (item.scope.user, item.scope.agent) == (mine.user, mine.agent)

    def _replace(self, old: Item, entry: NewRecord) -> None:
        metadata, text = self._metadata(entry, old), self._text(entry)
        expires_at = self._expiry(entry)
        if text != old.text:
            details = Details(metadata=metadata, expires_at=expires_at)
            old = self._check(self._memory.correct(old.id, text, details=details).item)
            if old.expires_at == expires_at:
                return
        self._memory.items.edit(old.id, metadata=metadata, expires_at=expires_at)

    def _check(self, item: Item) -> Item:
        """
        Raises:
            InvalidInput: a secret was masked in a value so large that its text holds it: what is
                left is not the value any more. It was forgotten again.
        """
        if item.metadata["record"]["long"] and item.masks:  # type: ignore[index,call-overload]
            self._memory.forget(item.id)
            raise InvalidInput("value", "is large and holds a secret; store it in smaller parts")
        return item

    def _statement(self, entry: NewRecord) -> Statement:
        prefixes = [entry.address[:end] for end in range(len(entry.address))]
        tags = [self._tag(prefix) for prefix in prefixes]
        return Statement(
            text=self._text(entry),
            category="note",
            tags=(*tags, self._tag(entry.address, exact=True)),
            details=Details(metadata=self._metadata(entry), expires_at=self._expiry(entry)),
        )

    def _metadata(self, entry: NewRecord, old: Item | None = None) -> dict[str, Any]:
        now = self._memory.clock.now().isoformat()
        about: dict[str, Any] = {
            "address": list(entry.address),
            "created_at": now if old is None else _about(old)["created_at"],
            "updated_at": now,
            "ttl_s": entry.ttl and entry.ttl.total_seconds(),
            "long": _is_long(entry.value),
            "digest": _digest(self._text(entry)),
        }
        return {"record": about, "value": None if about["long"] else dict(entry.value)}

    def _expiry(self, entry: NewRecord) -> datetime | None:
        return None if entry.ttl is None else self._memory.clock.now() + entry.ttl

    def _text(self, entry: NewRecord) -> str:
        text = _packed(entry.value) if _is_long(entry.value) else entry.text
        return f"{text}{self._line(entry.address)}"

    def _line(self, address: RecordKey) -> str:
        """The last line of a text, which no other address has: equal texts would be one item."""
        plain = all(map(_PLAIN.fullmatch, address))
        mark = "" if plain else f" #{_digest(_packed(address))[:8]}"
        return f"\n[{self._kind} {'/'.join(' '.join(name.split()) for name in address)}{mark}]"

    def _tag(self, address: RecordKey, *, exact: bool = False) -> str:
        """What all records under an address are tagged with, or the one at it."""
        return f"{self._kind}:{_digest(_packed([exact, *address]))}"

    def _record(self, item: Item, score: float | None = None) -> StoredRecord:
        about = _about(item)
        address = tuple(about["address"])
        text = item.text.removesuffix(self._line(address))
        return StoredRecord(
            address=address,
            value=json.loads(text) if about["long"] else dict(item.metadata["value"]),  # type: ignore[arg-type]
            text=text,
            id=item.id,
            created_at=datetime.fromisoformat(about["created_at"]),
            updated_at=datetime.fromisoformat(about["updated_at"]),
            ttl=None if about["ttl_s"] is None else timedelta(seconds=about["ttl_s"]),
            corrected=not item.masks and about["digest"] != _digest(item.text),
            score=score,
        )


def every_item(memory: Memory, listing: Listing) -> Iterator[Item]:
    """Items from a listing's first page to the last one."""
    while True:
        page = memory.items.list(listing)
        yield from page
        if page.is_last:
            return
        listing = replace(listing, offset=listing.offset + listing.limit)


def words_of(value: Mapping[str, Any]) -> str:
    """A value as text that a person can read: its only text, or ``name: value`` line by line."""
    if len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        return only
    lines = (f"{name}: {v if isinstance(v, str) else _packed(v)}" for name, v in value.items())
    return "\n".join(lines)


def _about(item: Item) -> dict[str, Any]:
    about = item.metadata["record"]
    assert isinstance(about, dict)
    return about


def _is_long(value: Mapping[str, Any]) -> bool:
    return len(_packed(value)) > INLINE_LIMIT or depth(value) > INLINE_DEPTH


def _packed(value: object) -> str:
    """
    Raises:
        InvalidInput: it is not JSON.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput("value", f"is not JSON: {error}") from None


def _digest(text: str) -> str:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
