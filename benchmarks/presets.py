"""What the presets of recall find, and what they cost, among 10,000 memories of one user.

    python -m benchmarks.presets                      fast, default, best; best with the reranker
    minilm (extra: local) python -m benchmarks.presets --long DATA          the same among long
    messages: BEAM's chats (docs/howto/evaluation.md)

Prints a line of a table for each preset. All talks of ``scripts/data/talks``, or all chats, are one
user's, between made-up turns as long as theirs that are about nothing. Each question is asked for
20 hits, and asked again: *unread* is the first time, with nothing that a reranker read before,
*read* the second, with what it read ahead in the store and none of it in memory. Milliseconds are
p50 / p95, in brackets in processor time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.texts import sentences
from omoide.evals import Case, Dataset, DocumentUnit, load_dataset, summary_of
from omoide.evals.measure import DAY, fill, machine, outcome_of
from omoide.evals.report import Run
from omoide.evals.systems import System, recalling
from omoide.memory import Memory
from omoide.models import load_embedder, load_reranker
from omoide.models.base import Reranker
from omoide.models.embedders.encoders import Named
from omoide.nouns.clock import StoryClock
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.store import open_store

TALKS = Path("scripts/data/talks")
MEMORIES, A_TALK = 10_000, 40  # turns
SCOPE = Scope(user="user")
PRESETS = (("fast", "none"), ("default", "none"), ("best", "maxsim"), ("best", "minilm"))


def crowded(data: Dataset) -> Dataset:
    """All cases as one, with made-up talks up to so many turns."""
    said = [
        replace(
            talk,
            id=f"{case.id} {talk.id}",
            messages=tuple(replace(m, key=f"{case.id} {m.key}") for m in talk.messages),
        )
        for case in data.cases
        for talk in case.talks
    ]
    messages = [message for talk in said for message in talk.messages]
    words = round(float(np.mean([len(message.text.split()) for message in messages])))
    texts = sentences(MEMORIES - len(messages), words=words)
    first = min(message.at for message in messages if message.at)
    fillers = [
        Conversation(
            id=f"filler-{n}",
            messages=tuple(
                Message(text=text, key=f"f{n}.{k}", at=first) for k, text in enumerate(some)
            ),
        )
        for n, some in ((n, texts[n : n + A_TALK]) for n in range(0, len(texts), A_TALK))
    ]
    asked = [
        replace(
            probe,
            id=f"{case.id} {probe.id}",
            gold=frozenset(f"{case.id} {id}" for id in probe.gold),
        )
        for case in data.cases
        for probe in case.probes
        if probe.gold and not probe.apart
    ]
    case = Case(id="all", talks=(*said, *fillers), probes=tuple(asked))
    print(f"# {len(messages)} messages of {words} words on average, {len(texts)} made up")
    return Dataset(name="crowded", unit=DocumentUnit.TURN, cases=(case,), hash=data.hash)


def opened(path: str, reranker: Reranker | None, clock: StoryClock) -> Memory:
    """The memory in a file, as one opens it."""
    embedder = Named("static", load_embedder("static", cache=0))
    return Memory(
        open_store(path), embedder=embedder, reranker=reranker, clock=clock, background=False
    )


def measured(ask: System, forget: Callable[[], None], preset: str, case: Case) -> Run:
    """All questions, whatever a reranker has in memory forgotten before each."""
    outcomes = []
    for probe in case.probes:
        forget()
        outcomes.append(outcome_of(case.id, probe, ask(probe)))
    return Run(system=preset, outcomes=tuple(outcomes), steps={})


def took(values: Sequence[float]) -> str:
    """p50 / p95."""
    return " / ".join(f"{np.percentile(values, at):.0f}" for at in (50, 95))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--long", type=Path, metavar="DATA", help="BEAM's chats, from this folder")
    parser.add_argument(
        "--preset", help="this one alone: fast, default, best:maxsim or best:minilm"
    )
    parser.add_argument("--every", type=int, default=1, help="ask only each so-many-th question")
    given = parser.parse_args()
    data = crowded(
        load_dataset("beam-100k", given.long) if given.long else load_dataset("probes", TALKS)
    )
    case = replace(data.cases[0], probes=data.cases[0].probes[:: given.every])
    print(f"# {machine('SQLite')}, n={len(case.probes)}")
    print(
        "| preset | R@10 | NDCG@10 | hit@1 | unread ms | read ms | first recall, ms"
        " |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    with TemporaryDirectory(prefix="omoide-presets-") as folder:
        clock = StoryClock()
        clock.at = (
            max(message.at for talk in case.talks for message in talk.messages if message.at) + DAY
        )
        path = str(Path(folder) / "memory.db")
        with opened(path, None, clock) as memory:
            ids, _ = fill(memory, SCOPE, case, DocumentUnit.TURN)
        for preset, reranker in PRESETS:
            name = preset if reranker == "none" else f"{preset}:{reranker}"
            if given.preset not in (None, name):
                continue
            loaded = load_reranker(reranker)
            with opened(path, loaded, clock) as memory:
                ask = recalling(memory, SCOPE, preset, DocumentUnit.TURN, ids)
                first, forget = ask(case.probes[0]).ms, getattr(loaded, "clear", lambda: None)
                runs = [measured(ask, forget, preset, case)]
                memory.admin.tidy(only=["vectors"])
                runs.append(measured(ask, forget, preset, case))
            found = " | ".join(
                f"{100 * summary_of(runs[0]).overall.metrics[metric].value:.1f}"
                for metric in ("R@10", "NDCG@10", "hit@1")
            )
            times = (
                f"{took([o.ms for o in run.outcomes])} [{took([o.cpu_ms for o in run.outcomes])}]"
                for run in runs
            )
            print(f"| `{name}` | {found} | {' | '.join(times)} | {first:.0f} |", flush=True)


if __name__ == "__main__":
    main()
