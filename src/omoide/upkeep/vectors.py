"""Makes the vectors that documents still lack: of turns just logged, and of everything when the
embedder changed.

The work can stop anywhere: each batch is one transaction, and what lacks a vector is found again.
When a new embedder has vectors of everything, it takes over in one transaction. The vectors of the
one before it are kept, so that going back makes only those of what came since; those of all others
go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSet, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from omoide.models.base import PROBE, Embedder, Limited, checked
from omoide.models.embedders.encoders import Encoders, NumberedEmbedder
from omoide.nouns.embedder import Model, ModelState, Vector
from omoide.nouns.errors import Conflict, ModelError, ModelMissing, ModelUnreachable
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction, committed, read_only
from omoide.tables.documents import DocumentPart, Documents
from omoide.tables.embedders import Embedders
from omoide.tables.items import Items
from omoide.tables.turns import Turns
from omoide.text.passages import turn_parts
from omoide.write.index import turn_text

BATCH = 256


# documents that an embedder has no vector for, by tenant and its number
Refused: TypeAlias = Mapping[tuple[str, int], Set[int]]


def fill(
    store: Store, tenant: str, loaded: NumberedEmbedder, refused: MutableSet[int]
) -> Iterator[int]:
    """Make an embedder's missing vectors of a tenant, batch by batch; how many of each.

    A document whose text the embedder has no vector for is added to refused; those that are in it
    are passed over.

    Raises:
        ModelError: the embedder cannot be reached, or has no vector of any text.
    """
    after = 0
    while True:
        with read_only(store, tenant) as tx:
            batch = Documents(tx).without_vector(tenant, loaded.model.number, after, BATCH)
            texts = texts_of(tx, tenant, batch)
        if not batch:
            break
        after = batch[-1].doc
        there = [
            (lacking, text)
            for lacking, text in zip(batch, texts, strict=True)
            if text is not None and lacking.doc not in refused
        ]
        for some, vectors in _vectors_of(loaded.embedder, there):
            refused |= {one.doc for one in some[len(vectors) :]}
            _note_limit(store, loaded)
            yield _store(store, tenant, loaded.model.number, [*zip(some, vectors, strict=False)])


def _vectors_of(
    embedder: Embedder, there: Sequence[tuple[DocumentPart, str]]
) -> Iterator[tuple[list[DocumentPart], Sequence[Vector]]]:
    """Documents and their vectors, part by part; no vector for one whose text is refused. Where an
    embedder fails, halves are tried, down to the texts that are at fault.

    Raises:
        ModelError: it cannot be reached, or has no vector of a harmless text either.
    """
    halves = [there] if there else []
    while halves:
        some = halves.pop()
        documents = [one for one, _ in some]
        try:
            vectors = checked(embedder, [text for _, text in some])
        except (ModelUnreachable, ModelMissing):
            raise
        except ModelError:
            half = len(some) // 2
            if half:
                halves += [some[half:], some[:half]]
            else:
                checked(embedder, [PROBE])  # else the text is not at fault
                yield documents, ()
        else:
            yield documents, [*vectors]


def _note_limit(store: Store, loaded: NumberedEmbedder) -> None:
    """Keep how much of a text an embedder's server takes, where it found that out."""
    found = loaded.embedder.input_bytes if isinstance(loaded.embedder, Limited) else None
    if found is not None and found != loaded.model.input_bytes:
        committed(store, lambda tx: Embedders(tx).limit(loaded.model.number, found), tenant=None)


def texts_of(tx: Transaction, tenant: str, batch: Sequence[DocumentPart]) -> list[str | None]:
    """What the vectors of documents are made from; None where the record is gone."""
    records = records_of(tx, tenant, batch)
    turns = {one.id: one for one in records.values() if isinstance(one, Turn)}
    parts = {id: turn_parts(turn.text) for id, turn in turns.items()}
    texts: list[str | None] = []
    for one in batch:
        record = records.get((one.kind, one.ref))
        if isinstance(record, Turn):
            texts.append(turn_text(record, parts[record.id][one.part]))
        else:
            texts.append(record.text if record else None)
    return texts


def records_of(
    tx: Transaction, tenant: str, batch: Sequence[DocumentPart]
) -> dict[tuple[Kind, str], Item | Turn]:
    """The records that documents stand for, as far as they are there, by kind and id; all of a kind
    are read together.
    """
    tables: Mapping[Kind, Items | Turns] = {Kind.ITEM: Items(tx), Kind.TURN: Turns(tx)}
    return {
        (kind, id): record
        for kind, table in tables.items()
        if (refs := {one.ref for one in batch if one.kind is kind})
        for id, record in table.found(tenant, refs).items()
    }


def _store(
    store: Store, tenant: str, model: int, vectors: Sequence[tuple[DocumentPart, Vector]]
) -> int:
    def write(tx: Transaction) -> int:
        documents = Documents(tx)
        seqs = documents.hold(tenant, [lacking for lacking, _ in vectors])
        return documents.add_vectors(tenant, model, seqs, vectors)

    return committed(store, write, tenant=tenant)


def take_over(store: Store, encoders: Encoders, refused: Refused) -> Encoders:
    """Let an embedder whose vectors are all there, apart from those of texts that it refused, serve
    from now on, and the one before it retire.
    """
    building = next((e for e in encoders.loaded if e.model.state is ModelState.BUILDING), None)
    if building is None:
        return encoders

    def write(tx: Transaction) -> bool:
        number = building.model.number
        if any(
            _lacks(tx, tenant, number, refused.get((tenant, number), frozenset()))
            for tenant in Documents(tx).tenants()
        ):
            return False
        _drop_retired(tx)
        for model in Embedders(tx).all():
            if model.state is ModelState.ACTIVE:
                Embedders(tx).set(model.number, ModelState.RETIRED)
        Embedders(tx).set(building.model.number, ModelState.ACTIVE)
        return True

    if not committed(store, write, tenant=None):
        return encoders
    return Encoders(
        [
            NumberedEmbedder(
                model=replace(building.model, state=ModelState.ACTIVE), embedder=building.embedder
            )
        ]
    )


def _lacks(tx: Transaction, tenant: str, model: int, refused: Set[int]) -> bool:
    """Whether a document of a tenant that was not refused lacks a vector."""
    lacking = Documents(tx).without_vector(tenant, model, 0, len(refused) + 1)
    return any(one.doc not in refused for one in lacking)


def _drop_retired(tx: Transaction) -> int:
    table = Embedders(tx)
    return sum(
        table.drop(model.number) for model in table.all() if model.state is ModelState.RETIRED
    )


def drop_spare(store: Store) -> int:
    """Erase the vectors that neither serve nor are about to; how many."""
    return committed(store, _drop_retired, tenant=None)


def beside(store: Store, tenant: str, embedder: Embedder, spec: str) -> Encoders:
    """An embedder to be tried on a tenant: what it lacks of vectors is made, and it answers those
    who hold this alone.

    Its vectors are kept beside those that serve until another embedder takes over or ``drop_spare``
    erases them.

    Raises:
        Conflict: it is being built up to serve.
        ModelError: it failed.
    """

    def write(tx: Transaction) -> Model:
        Embedders(tx).add(embedder.id, spec, embedder.dimension, ModelState.RETIRED)
        return next(model for model in Embedders(tx).all() if model.id == embedder.id)

    model = committed(store, write, tenant=None)
    if model.state is ModelState.BUILDING:
        raise Conflict(
            f"the vectors of {embedder.id!r} are being made already; it serves when all are there"
        )
    loaded = NumberedEmbedder(model=model, embedder=embedder)
    for _ in fill(store, tenant, loaded, set()):
        pass
    return Encoders([loaded])
