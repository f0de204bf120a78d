"""How long contexts take beside recall, in a partition of many items.

    python -m benchmarks.contexts           100,000 items, about three minutes
    python -m benchmarks.contexts 10000     of another size

Each question is recalled, and then asked for a context of 2,000 tokens: what the context takes
beyond the recall in it is the figure, by the clock and, in brackets, of the processor. Before each
a turn is logged, so that nothing kept is current.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.figures import ANA, Given, Times, opened, say, timed
from benchmarks.texts import sentences, unit_vectors
from omoide.context.assembly import HITS, LINE_TOKENS
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.item import Category
from omoide.verbs.everyday import CONTEXT_TOKENS
from omoide.write.apply import Door
from omoide.write.index import words_of
from omoide.write.remember import Statement, draft

OTHERS = (Category.PREFERENCE, Category.SKILL, Category.ERROR, Category.NOTE)
CATEGORIES = (Category.FACT,) * 16 + OTHERS
LIMIT = min(HITS[1], CONTEXT_TOKENS // LINE_TOKENS)


def fill(memory: Memory, count: int) -> None:
    """Items of all categories, most of them facts, some of them pinned."""
    texts, vectors = sentences(count), unit_vectors(count)
    number = memory.encoders.loaded[0].model.number
    for start in range(0, count, 2_000):
        with memory.store.transaction(tenant=None) as tx, Door(tx, memory.clock, Because()) as door:
            for n in range(start, min(start + 2_000, count)):
                said = Statement(text=texts[n], category=CATEGORIES[n % len(CATEGORIES)])
                item = replace(draft(said, ANA, memory.clock), pinned=n % 1_000 == 0)
                door.add(item, words_of(item, ((number, vectors[n]),)))


def beside(memory: Memory, strategy: str, questions: list[str]) -> Times:
    """What contexts take beyond the recall in them."""
    session = memory.at(session="s")
    wall, cpu = [], []
    for question in questions:
        session.ingest([{"role": "user", "content": question}])
        recall = partial(session.recall, question, limit=LIMIT)
        found = timed([recall, recall, partial(session.context, question, strategy=strategy)])
        wall.append(max(0.0, found.wall[2] - min(found.wall[:2])))
        cpu.append(max(0.0, found.cpu[2] - min(found.cpu[:2])))
    return Times(wall, cpu)


def main(count: int) -> None:
    """Measure every strategy that recalls."""
    questions = sentences(120, words=7, seed=9)
    with (
        tempfile.TemporaryDirectory(prefix="omoide-bench-") as folder,
        opened(Path(folder) / "context.db", Given()) as memory,
    ):
        fill(memory, count)
        for strategy in ("frozen", "xml", "messages"):
            figure = str(beside(memory, strategy, questions))
            say(f"context {strategy} beside recall", count, figure, "p95 <= 15 ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
