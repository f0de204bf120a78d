"""Verify: whether the ledger tells an unbroken story, and whether the records are as it last left them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from omoide.records import Kind
from omoide.store.base import Store, Transaction
from omoide.tables.digests import Digests
from omoide.tables.items import Items
from omoide.tables.ledger import Head, Ledger
from omoide.tables.reflections import Reflections
from omoide.tables.turns import Turns
from omoide.write.apply import item_hash, turns_hash
from omoide.write.digest import digest_hash, reflection_hash

PAGE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What is wrong, nothing if the ledger is whole; and its end, to be kept elsewhere and compared later."""

    problems: tuple[str, ...]
    head: Head


def verify(store: Store, tenant: str, known: Head | None) -> Verdict:
    """Walk a tenant's whole ledger and compare its records with what it says of them."""
    with store.transaction(write=False) as tx:
        chain = tuple(Ledger(tx).problems(tenant, known))
        # what a forged chain says of the records proves nothing
        records = () if chain else tuple(_altered(tx, tenant))
        return Verdict(problems=chain + records, head=Ledger(tx).head(tenant))


def _altered(tx: Transaction, tenant: str) -> Iterator[str]:
    """Records that are not as their last change left them."""
    items, turns = Items(tx), Turns(tx)
    last = Ledger(tx).last_contents(tenant)
    for id, content in last[Kind.ITEM].items():
        item = items.find(tenant, id)
        if item is None and content:
            yield f"item {id!r} is gone, though nobody forgot it"
        if item is not None and content and item_hash(item, items.salt(tenant, id)) != content:
            yield f"item {id!r} was altered behind the ledger's back"
    yield from _altered_reflections(tx, tenant, last)
    for past in Ledger(tx).logged(tenant):
        first, count = past.before["first"], past.before["count"]
        said = [t for t in turns.all_of_session(tenant, past.change.record) if first <= t.position < first + count]
        if turns_hash(said, bytes.fromhex(past.before["salt"])).hex() != past.change.content:
            yield f"turns {first} to {first + count - 1} of session {past.change.record!r} were altered behind the ledger's back"


def _altered_reflections(tx: Transaction, tenant: str, last: Mapping[Kind, Mapping[str, bytes]]) -> Iterator[str]:
    """Reflections and digests that are not as their last change left them."""
    reflections, digests = Reflections(tx), Digests(tx)
    for id, content in last[Kind.REFLECTION].items():
        reflection = reflections.find(tenant, id)
        if content and (reflection is None or reflection_hash(reflection, reflections.salt(tenant, id)) != content):
            yield f"reflection {id!r} was altered, or taken away, behind the ledger's back"
    for id, content in last[Kind.DIGEST].items():
        digest = digests.find(tenant, id)
        if content and (digest is None or digest_hash(digest, digests.salt(tenant, id)) != content):
            yield f"digest {id!r} was altered, or taken away, behind the ledger's back"
