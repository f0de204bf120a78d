"""The embedders table: which models made the vectors here, and what these are for."""

from __future__ import annotations

from omoide.nouns.embedder import Model, ModelState
from omoide.store.base import Row
from omoide.tables.columns import picked
from omoide.tables.rows import Rows


class Embedders(Rows):
    """Embedders as rows, inside the caller's transaction."""

    def all(self) -> list[Model]:
        """Every embedder that ever made vectors here, oldest first."""
        return self._all(_model, "embedders.all")

    def wanted(self) -> frozenset[int]:
        """Those whose vectors every document should have."""
        return frozenset(
            model.number for model in self.all() if model.state is not ModelState.RETIRED
        )

    def add(self, id: str, spec: str, dimension: int, state: ModelState) -> None:
        """Make an embedder known, unless it is."""
        self._tx.run("embedders.add", id=id, spec=spec, dimension=dimension, state=state.value)

    def set(self, number: int, state: ModelState) -> None:
        """Say what its vectors are for."""
        self._tx.run("embedders.set", model=number, state=state.value)

    def limit(self, number: int, input_bytes: int) -> None:
        """Note how many bytes of a text its server takes at once; the least is kept."""
        self._tx.run("embedders.limit", model=number, input_bytes=input_bytes)

    def vectors(self, number: int) -> int:
        """How many vectors it has made."""
        return self._total("vectors.count", model=number)

    def drop(self, number: int) -> int:
        """Erase its vectors; how many."""
        return self._tx.run("vectors.retire", model=number)


def _model(row: Row) -> Model:
    return Model(
        **picked(row, "id", "spec", "dimension"),
        number=row["model"],
        state=ModelState(row["state"]),
        input_bytes=row["input_bytes"] or None,
    )
