"""The embedders at work in one store: those whose vectors serve, and one whose vectors are being made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from omoide.errors import MissingExtra, ModelError
from omoide.models.base import Embedder, checked
from omoide.records import Vector
from omoide.store.base import Store
from omoide.tables.embedders import Embedders, Model, ModelState

Vectors: TypeAlias = tuple[tuple[int, Vector], ...]  # by embedder number


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """An embedder with the number that its vectors bear."""

    model: Model
    embedder: Embedder


class Encoders:
    """Texts to vectors, by every embedder whose vectors are wanted now.

    ``serving`` answers queries: the active embedder, if it could be loaded. While another is being
    built up, new texts get vectors of both.
    """

    def __init__(self, loaded: Sequence[Loaded], degraded: Sequence[str] = ()) -> None:
        self.loaded, self.degraded = tuple(loaded), tuple(degraded)
        self.serving = next((e for e in loaded if e.model.state is ModelState.ACTIVE), None)

    def embed(self, texts: Sequence[str]) -> list[Vectors]:
        """The vectors of each text, in order.

        Raises:
            ModelError: an embedder failed or gave vectors that cannot be; nothing was stored.
        """
        made = [(e.model.number, checked(e.embedder, texts)) for e in self.loaded]
        return [tuple((number, vectors[n]) for number, vectors in made) for n in range(len(texts))]

    def embed_query(self, text: str) -> tuple[int, Vector] | None:
        """The serving embedder's number and its vector of a query; None without embedder."""
        if self.serving is None:
            return None
        return self.serving.model.number, checked(self.serving.embedder, [text], query=True)[0]


def open_encoders(store: Store, wanted: Embedder | None, spec: str, load: Callable[[str], Embedder | None]) -> Encoders:
    """Meet the store's embedders: the wanted one serves at once in a new store, else it is built up beside the old.

    An embedder that is wanted but not yet complete leaves the old one serving. Without a wanted
    one (a named mode) nothing is embedded and no vector searched.
    """
    if wanted is None:
        return Encoders((), ("vector: no embedder, by choice",))
    with store.transaction() as tx:
        table = Embedders(tx)
        known = table.all()
        if all(m.id != wanted.id for m in known):
            state = ModelState.BUILDING if any(m.state is ModelState.ACTIVE for m in known) else ModelState.ACTIVE
            table.add(wanted.id, spec, wanted.dimension, state)
        for model in known:
            revived = model.id == wanted.id and model.state is ModelState.RETIRED
            dropped = model.id != wanted.id and model.state is ModelState.BUILDING
            if revived or dropped:
                table.set(model.number, ModelState.BUILDING if revived else ModelState.RETIRED)
        models = table.all()
    return _load(models, {wanted.id: wanted}, load)


def _load(models: Sequence[Model], at_hand: Mapping[str, Embedder], load: Callable[[str], Embedder | None]) -> Encoders:
    loaded, degraded = [], []
    for model in models:
        if model.state is ModelState.RETIRED:
            continue
        try:
            embedder = at_hand.get(model.id) or load(model.spec)
        except (ModelError, MissingExtra) as error:
            degraded.append(f"vector: the embedder {model.id!r} of the stored vectors cannot be loaded ({error})")
            continue
        if embedder is None or embedder.id != model.id:
            degraded.append(f"vector: the embedder {model.id!r} of the stored vectors is not at hand")
            continue
        loaded.append(Loaded(model=model, embedder=embedder))
    return Encoders(loaded, degraded)
