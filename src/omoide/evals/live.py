"""A store that is in use, asked questions of which it is known which of its records answer them.

Nothing is changed by it: what asks can only read. An embedder that is only tried has its vectors
made beside those that serve, and answers here alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from omoide.evals.dataset import Case, Dataset, DocumentUnit, Probe, limited
from omoide.evals.measure import asked, machine, measured, version
from omoide.evals.report import Filling, Report, Setup
from omoide.evals.systems import ARMS, recalling
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Encoders
from omoide.nouns.errors import InvalidInput, NotFound, StoreFull, UnknownName
from omoide.nouns.item import Item
from omoide.nouns.scope import Scope
from omoide.read.presets import PRESETS
from omoide.store.base import Store, Transaction, read_only
from omoide.upkeep.vectors import beside, drop_spare

LIVE = (*PRESETS, *ARMS)  # systems that a store in use can be asked by
USUAL = Setup(embedder="")


class ReadOnly(Store):
    """A store that takes nothing in, as a full disk would: it is still read, and counts of what was
    recalled are not written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def transaction(
        self, *, tenant: str | None, write: bool = True, durable: bool = True
    ) -> AbstractContextManager[Transaction]:
        """As the protocol says, for reading.

        Raises:
            StoreFull: with write.
        """
        if write:
            raise StoreFull("it is only read here")
        return read_only(self._store, tenant)

    def close(self) -> None:
        """Leave it to those who opened it."""


def run_live(
    memory: Memory,
    dataset: Dataset,
    scope: Scope | None = None,
    *,
    setup: Setup = USUAL,
    tell: Callable[[int, int], None] = lambda more, total: None,
) -> Report:
    """Ask a memory's store by ``Memory.recall``. Questions whose right records are gone or closed
    by now are left out.

    ``setup.embedder`` is one to be tried (empty: what serves now, ``none``: no vectors). Its
    vectors are made for the scope's tenant, kept, and serve nobody else.

    Raises:
        UnknownName: no such system, embedder or reranker.
        InvalidInput: the questions are not about records of this scope.
        Conflict: the embedder is being built up to serve.
    """
    scope = scope or memory.scope
    for system in setup.systems:
        if system not in LIVE:
            raise UnknownName("system", system, LIVE)
    since = time.perf_counter()
    encoders = _encoders(memory, scope, setup.embedder)
    took = time.perf_counter() - since
    asking = _asking(memory, scope, encoders, setup.reranker)
    cases = _answerable(asking, limited(dataset, setup.limit))
    probes = [(case.id, probe) for case in cases for probe in case.probes]
    total, serving = len(probes) * len(setup.systems), encoders.serving
    return Report(
        dataset=dataset.name,
        unit=DocumentUnit.TURN,
        data=dataset.hash,
        cases=len(cases),
        questions=len(probes),
        version=version(),
        machine=machine(memory.store.engine),
        setup=replace(setup, embedder=setup.embedder or (serving.model.id if serving else "none")),
        filling=Filling(vectors_s=round(took, 3)),
        runs=tuple(
            asked(
                name,
                recalling(asking, scope, name, DocumentUnit.TURN),
                probes,
                lambda: tell(1, total),
            )
            for name in setup.systems
        ),
    )


def _asking(memory: Memory, scope: Scope, encoders: Encoders, reranker: str) -> Memory:
    """A memory over the same store, which can only read."""
    return Memory(
        ReadOnly(memory.store),
        scope=scope,
        embedder=encoders,
        reranker=measured(reranker),
        clock=memory.clock,
        background=False,
    ).set_up_as(memory)


def _encoders(memory: Memory, scope: Scope, embedder: str) -> Encoders:
    if not embedder:
        return memory.encoders
    tried = load_embedder(embedder)
    return Encoders(()) if tried is None else beside(memory.store, scope.tenant, tried, embedder)


def _answerable(asking: Memory, dataset: Dataset) -> tuple[Case, ...]:
    """The cases with the questions that can be answered, and of their right records those that can
    be found.
    """
    if any(case.talks or case.statements for case in dataset.cases):
        told = "these questions bring their own conversation; omoide eval run asks them"
        raise InvalidInput("data", told)
    cases = tuple(
        replace(case, probes=tuple(_probes(asking, case.probes))) for case in dataset.cases
    )
    if not any(probe.gold for case in cases for probe in case.probes):
        raise InvalidInput(
            "data",
            "none of the records that these questions are about is in this scope; is the right user"
            " named?",
        )
    return cases


def _probes(asking: Memory, probes: Sequence[Probe]) -> Iterator[Probe]:
    for probe in probes:
        gold = frozenset(id for id in probe.gold if _is_there(asking, id))
        if gold or not probe.held:
            yield replace(probe, gold=gold)


def _is_there(asking: Memory, id: str) -> bool:
    try:
        record = asking.get(id)
    except NotFound:
        return False
    return not isinstance(record, Item) or (
        record.is_open and not record.muted and not record.sensitive
    )


def drop_tried(memory: Memory) -> int:
    """Erase the vectors in a memory's store that do not serve: of embedders tried, and of the one
    before the last change; how many.
    """
    return drop_spare(memory.store)
