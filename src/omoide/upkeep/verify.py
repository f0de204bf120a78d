"""Verify: whether the ledger tells an unbroken story, and whether the records are as it last left
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from omoide.faculties.reflection.door import reflected_hash
from omoide.nouns.kind import Kind
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.store.base import Store, Transaction, read_only
from omoide.tables.digests import Digests
from omoide.tables.foreign import ForeignLedger, ForeignLedgers
from omoide.tables.items import Items
from omoide.tables.ledger import Head, Ledger, Mark, item_hash, old_item_hash, turns_hash
from omoide.tables.procedures import Procedures
from omoide.tables.reflections import Reflections
from omoide.tables.turns import Turns

PAGE = 500
LOGGINGS = 50  # each of up to some thousand turns


@frozen_record
class Verdict(Record):
    """What is wrong, nothing if the ledger is whole; and its end, to be kept elsewhere and compared
    later. foreign are the ledgers that archives brought, each with the head that it had in its own
    store.
    """

    problems: tuple[str, ...]
    head: Head
    foreign: tuple[ForeignLedger, ...] = ()

    def __str__(self) -> str:
        state = "not whole" if self.problems else "whole"
        return "\n".join((*self.problems, f"the ledger is {state}, ends at {self.head}"))


def verify(store: Store, tenant: str, known: Head | None) -> Verdict:
    """Walk a tenant's whole ledger and compare its records with what it says of them.

    In many short transactions: one that lasts would be ended for keeping the log of the store from
    being reused.
    """
    chain, head = walked(store, tenant, known)
    # what a forged chain says of the records proves nothing
    records = (
        []
        if chain
        else _altered(store, tenant) + _altered_turns(store, tenant) + _damaged(store, tenant)
    )
    brought, breaks = _foreign(store, tenant)
    return Verdict(problems=(*chain, *records, *breaks), head=head, foreign=tuple(brought))


def _foreign(store: Store, tenant: str) -> tuple[list[ForeignLedger], list[str]]:
    """The ledgers that archives brought, and where they are not as they were loaded."""
    with read_only(store, tenant) as tx:
        ledgers = ForeignLedgers(tx).all(tenant)
    breaks: list[str] = []
    for ledger in ledgers:
        with read_only(store, tenant) as tx:
            breaks += ForeignLedgers(tx).breaks(ledger)
    return ledgers, breaks


def walked(store: Store, tenant: str, known: Head | None = None) -> tuple[list[str], Head]:
    """What is wrong with the chain: nothing when it is whole; and its end."""
    found: list[str] = []
    mark: Mark | None = Mark()
    while mark is not None:
        with read_only(store, tenant) as tx:
            problems, mark = Ledger(tx).walk(tenant, mark, known)
            head = Ledger(tx).head(tenant)
        found += problems
    return found, head


def _damaged(store: Store, tenant: str) -> list[str]:
    """Procedures that are not as they were stored; the ledger holds no hash of them."""
    with read_only(store, tenant) as tx:
        ids = list(Procedures(tx).damaged(tenant))
    return [f"procedure {id!r} was altered behind the ledger's back" for id in ids]


def _altered(store: Store, tenant: str) -> list[str]:
    """Records that are not as their last change left them."""
    found: list[str] = []
    after = ""
    while True:
        with read_only(store, tenant) as tx:
            page = Ledger(tx).last_contents(tenant, after, PAGE)
            for kind, id, content in page:
                now = _contents(tx, tenant, kind, id) if content else (content,)
                if not now:
                    found.append(f"{kind.value} {id!r} is gone, though nobody forgot it")
                elif content not in now:
                    found.append(f"{kind.value} {id!r} was altered behind the ledger's back")
        if not page:
            return found
        after = page[-1][1]


_TABLES: Mapping[
    Kind, tuple[Callable[[Transaction], Any], tuple[Callable[[Any, bytes], bytes], ...]]
] = {
    Kind.ITEM: (Items, (item_hash, old_item_hash)),
    Kind.REFLECTION: (Reflections, (reflected_hash,)),
    Kind.DIGEST: (Digests, (reflected_hash,)),
}


def _contents(tx: Transaction, tenant: str, kind: Kind, id: str) -> tuple[bytes, ...]:
    """The keyed hashes that a record may have as it stands; none if there is no record."""
    table, hashes = _TABLES[kind]
    record = table(tx).find(tenant, id)
    if record is None:
        return ()
    salt = table(tx).salt(tenant, id)
    return tuple(made(record, salt) for made in hashes)


def _altered_turns(store: Store, tenant: str) -> list[str]:
    """Turns that are not as they were logged."""
    found: list[str] = []
    after = 0
    while True:
        with read_only(store, tenant) as tx:
            page = Ledger(tx).logged(tenant, after, LOGGINGS)
            for past in page:
                first, count, session = (
                    past.before["first"],
                    past.before["count"],
                    past.change.record,
                )
                said = Turns(tx).stretch(tenant, session, first, count)
                if (
                    turns_hash(said, bytes.fromhex(past.before["salt"])).hex()
                    != past.change.content
                ):
                    found.append(
                        f"turns {first} to {first + count - 1} of session {session!r} were altered"
                        " behind the ledger's back"
                    )
        if not page:
            return found
        after = page[-1].seq
