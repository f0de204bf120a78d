"""What the presets of recall find, and what they cost: our own talks among 10,000 memories of one user.

    python -m benchmarks.presets                      fast, default, best
    python -m benchmarks.presets --reranker minilm    with another reranker (extra: local)

Prints one line of a table for each preset. All talks of ``scripts/data/talks`` are one user's, between made-up turns that
are about nothing. Milliseconds are p50 / p95 of whole recalls for 20 hits, in brackets in processor time.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.texts import sentences
from omoide.evals import Setup, load_dataset, run, summarise
from omoide.evals.dataset import Case, Dataset, Unit
from omoide.evals.metrics import percentile
from omoide.records import Conversation, Message

TALKS = Path("scripts/data/talks")
MEMORIES, A_TALK = 10_000, 40  # turns


def crowded(talks: Dataset) -> Dataset:
    """All cases as one, with made-up talks up to so many turns."""
    told = [talk for case in talks.cases for talk in case.talks]
    texts = sentences(MEMORIES - sum(len(talk.messages) for talk in told), words=14)
    first = min(message.at for talk in told for message in talk.messages if message.at)
    fillers = [
        Conversation(id=f"filler-{n}", messages=tuple(Message(text=text, key=f"f{n}.{k}", at=first) for k, text in enumerate(some)))
        for n, some in ((n, texts[n : n + A_TALK]) for n in range(0, len(texts), A_TALK))
    ]
    asked = tuple(probe for case in talks.cases for probe in case.probes if probe.gold)
    return Dataset(name="crowded", unit=Unit.TURN, cases=(Case(id="all", talks=(*told, *fillers), probes=asked),), hash=talks.hash)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reranker", default="maxsim")
    parser.add_argument("--limit", type=int, help="ask only so many questions")
    given = parser.parse_args()
    report = run(
        crowded(load_dataset("probes", TALKS)),
        Setup(systems=("fast", "default", "best"), reranker=given.reranker, limit=given.limit),
    )
    print(f"# {report.machine}, reranker {given.reranker}, n={report.questions}")
    print("| preset | R@10 | NDCG@10 | hit@1 | p50 / p95 ms |\n|---|---:|---:|---:|---:|")
    for summary in summarise(report):
        cpu = [outcome.cpu_ms for outcome in report.run(summary.system).outcomes]
        found = " | ".join(f"{100 * summary.overall.metrics[name].value:.1f}" for name in ("R@10", "NDCG@10", "hit@1"))
        took = f"{summary.p50_ms:.0f} / {summary.p95_ms:.0f} [{percentile(cpu, 0.5):.0f} / {percentile(cpu, 0.95):.0f}]"
        print(f"| `{summary.system}` | {found} | {took} |", flush=True)


if __name__ == "__main__":
    main()
