"""Opens the embedders of a store: meets the ones its vectors were made by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from omoide.models.base import Embedder, Limited
from omoide.models.embedders.encoders import Encoders, Named, NumberedEmbedder
from omoide.models.timeouts import awaited
from omoide.nouns.clock import Clock
from omoide.nouns.embedder import Model, ModelState
from omoide.nouns.errors import InvalidInput, MissingExtra, ModelError
from omoide.store.base import Store, Transaction, committed
from omoide.tables.documents import Documents
from omoide.tables.embedders import Embedders
from omoide.write.index import queue_vectors


def open_encoders(
    store: Store,
    clock: Clock,
    given: Embedder | Encoders | Named | None,
    load: Callable[[str], Embedder | None],
) -> Encoders:
    """Meet the store's embedders: the wanted one serves at once in a new store, else it is built up
    beside the old.

    An embedder that is wanted but not yet complete leaves the old one serving. Without a wanted
    one (a named mode) nothing is embedded and no vector searched. Encoders are taken as they are.
    """
    if isinstance(given, Encoders):
        return given
    named = given if isinstance(given, Named) else Named("", given)
    spec, wanted = named.spec, named.embedder
    if wanted is None:
        return Encoders((), ("vector: no embedder, by choice",))

    models = committed(store, partial(_meet, clock, spec, wanted), tenant=None)
    return _load(models, named, load)


def _meet(clock: Clock, spec: str, wanted: Embedder, tx: Transaction) -> list[Model]:
    """The embedders of a store with the wanted one among them, whose missing vectors are queued."""
    table = Embedders(tx)
    known = table.all()
    if all(model.id != wanted.id for model in known):
        serves = any(model.state is ModelState.ACTIVE for model in known)
        state = ModelState.BUILDING if serves else ModelState.ACTIVE
        table.add(wanted.id, spec, wanted.dimension, state)
    for model in known:
        if turned := _turned(model, wanted.id):
            table.set(model.number, turned)
    models = table.all()
    if len(models) > len(known) or any(model.state is ModelState.BUILDING for model in models):
        for tenant in Documents(tx).tenants():
            queue_vectors(tx, tenant, clock.now())
    return models


def _turned(model: Model, wanted: str) -> ModelState | None:
    """What an embedder becomes when one is wanted; None where it stays as it is."""
    if model.id == wanted:
        return ModelState.BUILDING if model.state is ModelState.RETIRED else None
    return ModelState.RETIRED if model.state is ModelState.BUILDING else None


def _load(
    models: Sequence[Model], named: Named, load: Callable[[str], Embedder | None]
) -> Encoders:
    """The embedders that are at hand, and what is said of those that are not."""
    loaded, degraded = [], []
    for model in models:
        if model.state is ModelState.RETIRED:
            continue
        stored = f"vector: the embedder {model.id!r} of the stored vectors"
        try:
            embedder = _embedder_of(model, named, load)
        except (ModelError, MissingExtra, InvalidInput) as error:
            degraded.append(f"{stored} cannot be loaded ({error})")
            continue
        if embedder is None or embedder.id != model.id:
            degraded.append(f"{stored} is not at hand")
            continue
        if model.input_bytes and isinstance(embedder, Limited):
            embedder.limit(model.input_bytes)
        loaded.append(NumberedEmbedder(model=model, embedder=awaited(embedder, named.timeout_s)))
    return Encoders(loaded, degraded)


def _embedder_of(
    model: Model, named: Named, load: Callable[[str], Embedder | None]
) -> Embedder | None:
    if named.embedder and named.embedder.id == model.id:
        return named.embedder
    return load(model.spec) if model.spec else None
