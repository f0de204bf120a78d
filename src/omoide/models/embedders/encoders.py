"""The embedders at work in one store: those whose vectors serve, and one whose vectors are being
made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from omoide.models.base import Embedder, checked
from omoide.models.timeouts import TIMEOUT_S, answers_at_once
from omoide.nouns.embedder import Model, ModelState, Vector
from omoide.nouns.record.frozen import frozen_record

VectorsByModel: TypeAlias = tuple[tuple[int, Vector], ...]


@frozen_record
class NumberedEmbedder:
    """An embedder with the number that its vectors bear."""

    model: Model
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Named:
    """An embedder with the string that loads it, by which other programs on the same store can."""

    spec: str
    embedder: Embedder | None
    timeout_s: float = TIMEOUT_S  # that a call is waited for


class Encoders:
    """Texts to vectors, by every embedder whose vectors are wanted now.

    ``serving`` answers queries: the active embedder, if it could be loaded; or a retired one, which
    is loaded only to be tried. While another is being built up, new texts get vectors of both.
    """

    def __init__(self, loaded: Sequence[NumberedEmbedder], degraded: Sequence[str] = ()) -> None:
        self.loaded, self.degraded = tuple(loaded), tuple(degraded)
        self.serving = next((e for e in loaded if e.model.state is not ModelState.BUILDING), None)

    def __repr__(self) -> str:
        return f"Encoders({', '.join(repr(e.embedder.id) for e in self.loaded)})"

    @property
    def at_once(self) -> bool:
        """Whether nobody has to be waited for."""
        return all(answers_at_once(e.embedder) for e in self.loaded)

    def embed(self, texts: Sequence[str]) -> list[VectorsByModel]:
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
