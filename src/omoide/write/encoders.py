"""Opens the embedders of a store: meets the ones its vectors were made by."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from omoide.models.base import Embedder, Limited
from omoide.models.embedders.encoders import Encoders, Loaded, Named
from omoide.models.timeouts import awaited
from omoide.nouns.clock import Clock
from omoide.nouns.embedder import Model, ModelState
from omoide.nouns.errors import InvalidInput, MissingExtra, ModelError
from omoide.store.base import Store, Transaction, committed
from omoide.tables.documents import Documents
from omoide.tables.embedders import Embedders
from omoide.tables.jobs import EMBED_JOB, Jobs


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

    def write(tx: Transaction) -> list[Model]:
        table = Embedders(tx)
        known = table.all()
        if all(m.id != wanted.id for m in known):
            state = (
                ModelState.BUILDING
                if any(m.state is ModelState.ACTIVE for m in known)
                else ModelState.ACTIVE
            )
            table.add(wanted.id, spec, wanted.dimension, state)
        for model in known:
            revived = model.id == wanted.id and model.state is ModelState.RETIRED
            dropped = model.id != wanted.id and model.state is ModelState.BUILDING
            if revived or dropped:
                table.set(model.number, ModelState.BUILDING if revived else ModelState.RETIRED)
        models = table.all()
        if len(models) > len(known) or any(m.state is ModelState.BUILDING for m in models):
            for tenant in Documents(tx).tenants():
                Jobs(tx).add(tenant, EMBED_JOB, EMBED_JOB, user="", args={}, run_at=clock.now())
        return models

    models = committed(store, write, tenant=None)
    return _load(models, named, load)


def _load(
    models: Sequence[Model], named: Named, load: Callable[[str], Embedder | None]
) -> Encoders:
    loaded, degraded = [], []
    for model in models:
        if model.state is ModelState.RETIRED:
            continue
        try:
            embedder = (
                named.embedder
                if named.embedder and named.embedder.id == model.id
                else load(model.spec)
                if model.spec
                else None
            )
        except (ModelError, MissingExtra, InvalidInput) as error:
            degraded.append(
                f"vector: the embedder {model.id!r} of the stored vectors cannot be loaded"
                f" ({error})"
            )
            continue
        if embedder is None or embedder.id != model.id:
            degraded.append(
                f"vector: the embedder {model.id!r} of the stored vectors is not at hand"
            )
            continue
        if model.input_bytes and isinstance(embedder, Limited):
            embedder.limit(model.input_bytes)
        loaded.append(Loaded(model=model, embedder=awaited(embedder, named.timeout_s)))
    return Encoders(loaded, degraded)
