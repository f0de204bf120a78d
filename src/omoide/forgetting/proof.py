"""Proves an erasure: the store lets go of old pages, and its files are searched for what went."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from omoide.nouns.errors import StoreError, StoreFull
from omoide.nouns.receipt import Receipt
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import all_kinds
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.exports import Exports
from omoide.tables.meta import Meta

SHORTEST = 12  # bytes: a shorter text is no proof either way, it stands in other texts too
NEEDLE = 48  # bytes of a text that are searched for
ON_SERVER = (
    "the server's files cannot be searched from here: old rows stay in the files of its tables"
    " until others take their place, and in its write-ahead log; omoide forget --compact, or"
    " compact() of the store, rewrites the tables"
)


def compacted(store: Store, receipt: Receipt) -> Receipt:
    """A receipt after the store has rewritten its tables: it says what may still be elsewhere. A
    store in a file has let go of old pages already.

    Raises:
        StoreBusy, StoreError: they cannot be rewritten now; what is erased stays erased.
    """
    left = store.compact()
    if not left:
        return receipt
    others = (told for told in receipt.pending if told != ON_SERVER)
    return replace(receipt, pending=(*others, *left))


@frozen_record
class Proof:
    """What is still pending after an erasure, how many texts were searched for, and in how many
    places one was still found that no record holds.
    """

    pending: tuple[str, ...] = ()
    searched: int = 0
    residue: int = 0


def prove(store: Store, erased: Sequence[str]) -> Proof:
    """Search a store for texts that were erased. It raises nothing: they are gone from every
    record, so the proof says instead what could not be done.
    """
    pending = (*_let_go(store), *_backups(store))
    texts = dict.fromkeys(erased)
    needles = _needles(texts)
    sure = len(needles) == len(texts) > 0
    try:
        pending += tuple(
            f"{path} was set aside and may hold it; delete it"
            for path in store.set_aside(needles if sure else None)
        )
        found = store.scan(needles)
        if found is None:
            return Proof(pending=(*pending, ON_SERVER))
        residue = _unheld(store, found)
    except StoreError as error:
        return Proof(pending=(*pending, f"the files could not be searched for it ({error})"))
    return Proof(pending=pending, searched=len(needles), residue=residue)


def _let_go(store: Store) -> list[str]:
    """Make a store let go of old pages; what it still holds."""
    try:
        if store.checkpoint():
            return []
    except StoreFull:
        return [
            "the disk is full, so the log beside the store (-wal) still holds it; it goes with the"
            " first change, or as the store is closed, once there is room"
        ]
    except StoreError as error:
        return [f"old pages are still held ({error}); they go with the next change"]
    return ["an open reader still holds old pages; they go with the first change after it ends"]


def _backups(store: Store) -> list[str]:
    try:
        with read_only(store, None) as tx:
            paths = Meta(tx).backups()
    except StoreError as error:
        return [f"it is not known which backups may still hold it ({error})"]
    return [f"backup {path} was made before and may still hold it" for path in paths]


def exported_before(store: Store, tenant: str, users: Collection[str]) -> tuple[str, ...]:
    """Which archives may still hold what users (the empty text: nobody) had, in words."""
    try:
        with read_only(store, tenant) as tx:
            found = {
                export.id: export
                for user in sorted(users)
                for export in Exports(tx).of_user(tenant, user or None)
            }
    except StoreError as error:
        return (f"it is not known which exports may still hold it ({error})",)
    return tuple(
        f"export {export.name or export.id} of {export.made_at:%Y-%m-%d} was made before and may"
        " still hold it"
        for export in found.values()
    )


def _unheld(store: Store, found: dict[bytes, int]) -> int:
    """In how many places something was found that no record holds."""
    with read_only(store, None) as tx:
        return sum(count for piece, count in found.items() if not _is_held(tx, piece.decode()))


def _is_held(tx: Transaction, piece: str) -> bool:
    """Whether a record of any kind still holds a piece of text."""
    return any(kind.held and tx.rows(kind.held, piece=piece) for kind in all_kinds())


def _needles(texts: Iterable[str]) -> list[bytes]:
    """Bytes to search for: a piece of each erased text that is long enough to prove anything."""
    raws = (text.encode("utf-8", "surrogatepass") for text in texts)
    pieces = (raw[:NEEDLE].decode("utf-8", "ignore") for raw in raws if len(raw) >= SHORTEST)
    return [piece.encode() for piece in pieces if piece.isprintable()]
