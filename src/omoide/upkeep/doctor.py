"""Doctor: finds where rows, words and vectors have come apart, and mends it while the store is in
use.

Rows are the truth. What a record should be found by is worked out anew and compared with what the
index says; a vector must belong to a document, have its embedder's width and length 1, and (in a
deep check) be the one its embedder makes. Whatever is wrong with the index is made again from the
rows. An item whose basis was closed is unconfirmed as long as that does not hold. A link of a
sender that nobody is found by goes. Damage to the file itself, or to the ledger, is reported and
not touched: a backup is the remedy for these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from omoide.models.base import checked
from omoide.models.embedders.encoders import Encoders, NumberedEmbedder
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock
from omoide.nouns.kind import Kind
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.record_kind import RecordKind, all_kinds, damaged_records
from omoide.nouns.sender import as_sender, can_be_found
from omoide.store.base import Row, Store, Transaction, committed, read_only
from omoide.tables.documents import Documents
from omoide.tables.embedders import Embedders
from omoide.tables.items import Items
from omoide.tables.jobs import EMBED_JOB, Jobs
from omoide.tables.ledger import Ledger
from omoide.tables.readings import Readings
from omoide.tables.senders import Senders
from omoide.upkeep.reindex import reindex
from omoide.upkeep.vectors import texts_of
from omoide.upkeep.verify import walked
from omoide.write.apply import Door
from omoide.write.index import queue_vectors

PAGE = 500
DOCUMENTS_SHOWN = 5
CLOSE = 0.999  # cosine of a vector with the one its embedder makes now


@frozen_record
class Finding(Record):
    """Something wrong: where, what, and whether it was mended."""

    place: str
    problem: str
    mended: bool = False


@frozen_record
class Wrong:
    """A record whose documents are not what they should be."""

    kind: RecordKind[Any]
    id: str
    problem: str


def examine(
    store: Store, clock: Clock, encoders: Encoders, *, repair: bool, deep: bool
) -> list[Finding]:
    """Everything wrong with a store; with repair, the index is mended. With deep, vectors are made
    again to compare.
    """
    findings: list[Finding] = []
    with read_only(store, None) as tx:
        tenants = sorted({*Documents(tx).tenants(), *Ledger(tx).tenants(), *Senders(tx).tenants()})
    for tenant in tenants:
        findings += [
            Finding(place="ledger", problem=problem) for problem in walked(store, tenant)[0]
        ]
        with read_only(store, tenant) as tx:
            dead = [j for j in Jobs(tx).waiting(tenant) if j.state == "dead"]
            findings += [
                Finding(
                    place="jobs",
                    problem=(
                        f"{counted(j.total, f'{j.kind} job')} gave up;"
                        " omoide jobs list --dead says why"
                    ),
                )
                for j in dead
            ]
        findings += _looked(store, tenant, partial(_bases, clock, tenant, repair), repair=repair)
        findings += _looked(store, tenant, partial(_senders, tenant, repair), repair=repair)
        damaged = _damaged(store, tenant)
        findings += map(_damage, damaged)
        findings += _index(store, clock, tenant, repair, damaged)
        findings += _looked(store, tenant, partial(_orphans, tenant, repair), repair=repair)
        findings += _vectors(store, clock, encoders, tenant, repair, deep)
    findings += [Finding(place="search index", problem=problem) for problem in store.unread()]
    # last, since the file's check also counts rows that have come apart, which may be mended by now
    left = store.integrity()
    return [Finding(place="file", problem=problem) for problem in left] + findings


def _looked(
    store: Store,
    tenant: str,
    look: Callable[[Transaction], Iterator[Finding]],
    *,
    repair: bool,
) -> list[Finding]:
    """What a look finds, and with repair mends, in a transaction of its own."""
    if repair:
        return committed(store, lambda tx: list(look(tx)), tenant=tenant)
    with read_only(store, tenant) as tx:
        return list(look(tx))


def _damaged(store: Store, tenant: str) -> list[tuple[str, str]]:
    with read_only(store, tenant) as tx:
        return damaged_records(tx, tenant)


def _damage(record: tuple[str, str]) -> Finding:
    """What is told of a record whose texts are not those that were stored."""
    return Finding(
        place=" ".join(record),
        problem=(
            "its text is not the one that was stored, so reads leave it out; omoide admin"
            " restore brings a backup back, omoide forget erases it"
        ),
    )


def _bases(clock: Clock, tenant: str, repair: bool, tx: Transaction) -> Iterator[Finding]:
    """Items whose state is not what their bases make it."""
    with Door(tx, clock, Because(actor="doctor")) as door:
        for item in Items(tx).misjudged(tenant):
            if repair and door.weigh(item):
                door.topple(tenant, item.id, door.changes[-1])
            problem = (
                "is not unconfirmed, and something it rests on fell"
                if item.holds
                else "is unconfirmed, and all it rests on holds"
            )
            yield Finding(place=f"item {item.id}", problem=problem, mended=repair)


def _senders(tenant: str, repair: bool, tx: Transaction) -> Iterator[Finding]:
    """Links of senders that nobody is found by, which go, and users that write on as another user
    than the one they are.
    """
    links = Senders(tx).links(tenant)
    for (channel, sender), user in links.items():
        place = f"sender of {user!r} on {channel!r}"
        if not can_be_found(channel, sender, user):
            if repair:
                Senders(tx).drop(tenant, user, channel, sender)
            yield Finding(
                place=place,
                problem="nobody is found by it: no channel, sender or user has such a name",
                mended=repair,
            )
        elif (other := links.get(as_sender(user))) not in (None, user):
            yield Finding(
                place=place,
                problem=(
                    f"that user is a sender who is {other!r} now; omoide users merge makes it"
                    f" {other!r} too"
                ),
            )


def mend_index(store: Store, clock: Clock, tenant: str) -> list[Finding]:
    """Make everything of a tenant's search index that is not what it should be anew."""
    return list(_index(store, clock, tenant, True, _damaged(store, tenant)))


def _index(
    store: Store,
    clock: Clock,
    tenant: str,
    repair: bool,
    damaged: Iterable[tuple[str, str]],
) -> Iterator[Finding]:
    for page in _pages(store, tenant, frozenset(damaged)):
        for wrong in page:
            if repair:  # as it is now; not forgotten meanwhile
                mend = partial(reindex, tenant=tenant, kind=wrong.kind, id=wrong.id, clock=clock)
                committed(store, mend, tenant=tenant)
            yield Finding(place=f"index of {wrong.id}", problem=wrong.problem, mended=repair)
    yield from _looked(store, tenant, partial(_alone, tenant, repair), repair=repair)


def _alone(tenant: str, repair: bool, tx: Transaction) -> Iterator[Finding]:
    """Rows of the index that belong to nothing, or that no reader would come to see."""
    for row in Documents(tx).alone(tenant, 1_000_000):
        if repair:
            Documents(tx).forget(tenant, Kind(row["kind"]), row["ref"], {})
        yield Finding(place=f"index of {row['ref']}", problem="its record is gone", mended=repair)
    for user, seq in Documents(tx).partitions(tenant).items():
        late = Documents(tx).restamp(tenant, user, seq) if repair else 0
        if late:
            where = f"partition of {user or 'no user'}"
            yield Finding(
                place=where,
                problem=f"{counted(late, 'row')} stamped beyond its counter",
                mended=True,
            )


def _pages(store: Store, tenant: str, damaged: frozenset[tuple[str, str]]) -> Iterator[list[Wrong]]:
    """What is wrong with the index of each page of records; that of a damaged one holds the words
    that were stored.
    """
    for kind in all_kinds():
        last: Any = None
        while kind.rows:
            with read_only(store, tenant) as tx:
                page = kind.page(tx, tenant, last, PAGE)
                whole = [record for record in page if (kind.name, record.id) not in damaged]
                found = [wrong for record in whole for wrong in _compare(tx, tenant, kind, record)]
            yield found
            if len(page) < PAGE:
                break
            last = page[-1]


def _compare(tx: Transaction, tenant: str, kind: RecordKind[Any], record: Any) -> Iterator[Wrong]:
    """Documents of a record that are missing, too many, or differ from the rows they should be."""
    assert kind.rows is not None
    there = {doc["part"]: doc for doc in Documents(tx).of(tenant, Kind(kind.name), record.id)}
    problems = [
        _difference(there.pop(row["part"], None), row) for row in kind.rows(tx, tenant, record)
    ]
    if there:
        problems.append(f"the search index has {counted(len(there), 'part')} too many")
    yield from (Wrong(kind=kind, id=record.id, problem=problem) for problem in problems if problem)


def _difference(doc: Row | None, row: dict[str, Any]) -> str | None:
    """What is wrong with a row of the search index, if anything, against what it should be."""
    if doc is None:
        return "it is not in the search index"
    differing = [
        name for name, value in row.items() if name not in ("seq", "user") and doc[name] != value
    ]
    if doc["user_id"] != row["user"]:
        differing.append("user")
    return f"the search index has another {', '.join(differing)}" if differing else None


def _vectors(
    store: Store, clock: Clock, encoders: Encoders, tenant: str, repair: bool, deep: bool
) -> Iterator[Finding]:
    for loaded in encoders.loaded:
        yield from _limited(store, loaded, tenant)
        yield from _refused(store, loaded, tenant)
        for batch in _batches(store, tenant, loaded.model.number):
            fresh = checked(loaded.embedder, [text for _, text, _ in batch]) if deep else None
            for n, (doc, _, vector) in enumerate(batch):
                problem = _fault(
                    vector, loaded.model.dimension, None if fresh is None else fresh[n]
                )
                if problem:
                    if repair:
                        _drop(store, clock, tenant, doc)
                    yield Finding(place=f"vector of document {doc}", problem=problem, mended=repair)


def _limited(store: Store, loaded: NumberedEmbedder, tenant: str) -> Iterator[Finding]:
    """What the server of an embedder takes less of at once than some texts have."""
    with read_only(store, None) as tx:
        known = {model.number: model for model in Embedders(tx).all()}
    model = known.get(loaded.model.number)
    if model is None or model.input_bytes is None:
        return
    longer = [
        doc
        for batch in _batches(store, tenant, model.number)
        for doc, text, _ in batch
        if len(text.encode("utf-8", "replace")) > model.input_bytes
    ]
    if longer:
        yield Finding(
            place=f"embedder {model.id}",
            problem=(
                f"its server takes {model.input_bytes} bytes of a text at once;"
                f" {counted(len(longer), 'longer text')} read in pieces: {_named(longer)}"
            ),
            mended=True,
        )


def _refused(store: Store, loaded: NumberedEmbedder, tenant: str) -> Iterator[Finding]:
    """What an embedder has no vector of, although no job makes them any more."""
    with read_only(store, tenant) as tx:
        if any(job.kind == EMBED_JOB for job in Jobs(tx).waiting(tenant)):
            return
        lacking = Documents(tx).without_vector(tenant, loaded.model.number, 0, PAGE)
    if lacking:
        more = " or more" if len(lacking) == PAGE else ""
        yield Finding(
            place=f"embedder {loaded.model.id}",
            problem=(
                f"it refused {counted(len(lacking), 'text')}{more}, found by words alone:"
                f" {_named([one.doc for one in lacking])}"
            ),
        )


def _named(documents: Sequence[int]) -> str:
    """The first documents of those that are told of."""
    thing = "document" if len(documents) == 1 else "documents"
    more = ", …" if len(documents) > DOCUMENTS_SHOWN else ""
    return f"{thing} {', '.join(map(str, documents[:DOCUMENTS_SHOWN]))}{more}"


def _batches(store: Store, tenant: str, model: int) -> Iterator[list[tuple[int, str, Any]]]:
    """The documents that have a vector of an embedder, with their texts and these."""
    after = 0
    while batch := _with_vectors(store, tenant, model, after):
        after = batch[-1][0]
        yield batch


def _orphans(tenant: str, repair: bool, tx: Transaction) -> Iterator[Finding]:
    """Vectors and readings of documents that are gone."""
    for row in Documents(tx).orphans(tenant, 1_000_000):
        if repair:
            Documents(tx).drop_vectors(tenant, row["doc"])
        yield Finding(
            place=f"vector of document {row['doc']}", problem="its document is gone", mended=repair
        )
    for doc in Readings(tx).orphans(tenant, 1_000_000):
        if repair:
            Readings(tx).drop(tenant, doc)
        yield Finding(
            place=f"reading of document {doc}", problem="its document is gone", mended=repair
        )


def _with_vectors(store: Store, tenant: str, model: int, after: int) -> list[tuple[int, str, Any]]:
    with read_only(store, tenant) as tx:
        found = []
        parts = Documents(tx).with_vector(tenant, model, after, PAGE)
        for lacking, text in zip(parts, texts_of(tx, tenant, parts), strict=True):
            vectors = Documents(tx).vectors(tenant, lacking.doc)
            if text is not None:
                found.append((lacking.doc, text, vectors[model]))
        return found


def _fault(vector: Any, dimension: int, fresh: Any) -> str | None:
    if vector.shape != (dimension,):
        return f"it has {len(vector)} numbers, its embedder makes {dimension}"
    if not np.isfinite(vector).all() or abs(float(np.linalg.norm(vector)) - 1) > 1e-3:
        return "it is not of length 1"
    if fresh is not None and float(vector @ fresh) < CLOSE:
        return "its embedder makes another one of this text"
    return None


def _drop(store: Store, clock: Clock, tenant: str, doc: int) -> None:
    def write(tx: Transaction) -> None:
        Documents(tx).drop_vectors(tenant, doc)
        queue_vectors(tx, tenant, clock.now())

    committed(store, write, tenant=tenant)
