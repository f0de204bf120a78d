"""The reranker of the preset ``best`` where the settings name none: MiniLM, loaded when it is first
asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from omoide.models.base import Reading, RerankScores
from omoide.models.rerankers.minilm_maxsim import MiniLMMaxSim, id_of


class OnUse:
    """A reranker that costs nothing until somebody asks it, and reads nothing ahead until then.

    Without the extra ``local``, asking it raises MissingExtra, which says what to install.
    """

    reach = MiniLMMaxSim.reach

    def __init__(self, load: Callable[[], Reading]) -> None:
        """load makes the reranker, or gives the one that is made."""
        self.id, self.is_loaded = id_of(), False
        self._load = load

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """As the protocol says."""
        return self._loaded().score(query, texts)

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """As the protocol says."""
        return self._loaded().read(texts)

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        """As the protocol says."""
        return self._loaded().score_read(query, readings)

    def _loaded(self) -> Reading:
        loaded = self._load()
        self.is_loaded = True
        return loaded
