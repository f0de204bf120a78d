"""What answers the questions: the presets of recall, each of its arms alone, and SQLite's own
full-text search.

All that are Omoide's go through ``Memory.recall``. A preset is asked as a user asks it. An arm
alone is the preset ``rrf`` or ``default`` with a floor under the other arms that nothing reaches.
"""

from __future__ import annotations

import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from importlib.resources import files
from typing import TypeVar, cast

import apsw

from omoide.evals.dataset import Case, DocumentUnit, Probe
from omoide.evals.metrics import DEPTH
from omoide.memory import Memory
from omoide.nouns.errors import UnknownName
from omoide.nouns.query import Arm, Query
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.read.presets import PRESETS
from omoide.store.queries import split_queries
from omoide.text.languages import stop_words

R = TypeVar("R")
SESSION_DEPTH = (
    200  # turns asked for where sessions are ranked: a session stands where its best turn does
)
COUNTED = 10  # hits whose tokens count as context

KEYWORDS = ("fts5", "fts5-stop", "fts5-previous", "fts5-context")
OF_TURNS = KEYWORDS[2:]  # they look at the turns next to one
NEVER = sys.float_info.max  # a floor that no find reaches
_ALONE = {Arm.TEXT: "rrf", Arm.VECTOR: "rrf", Arm.ENTITY: "default", Arm.TIME: "default"}
ARMS = {f"{arm.value}-alone": arm for arm in _ALONE}
# contexts of so many tokens: what is found is what stands in one, however it is ordered
CONTEXTS = {f"context-{tokens}": tokens for tokens in (500, 1_000, 2_000, 4_000, 8_000)}
SYSTEMS = (*PRESETS, *ARMS, *KEYWORDS, *CONTEXTS)
BASELINES = (*KEYWORDS, *ARMS, "rrf")


@frozen_record
class FoundDocuments:
    """The documents that a system found, best first, each once; and what finding them cost."""

    found: tuple[str, ...]
    ms: float = 0.0
    cpu_ms: float = 0.0  # of this process, which other programs on the machine change less
    tokens: int = 0  # of the first ten hits
    answerable: float | None = None
    steps: Mapping[str, float] = field(default_factory=dict)  # milliseconds of each
    degraded: tuple[str, ...] = ()


System = Callable[[Probe], FoundDocuments]


def query_of(system: str) -> Query:
    """How recall is asked for a preset, or for an arm alone.

    Raises:
        UnknownName: no such system.
    """
    if system in PRESETS:
        return Query(preset=system)
    if system not in ARMS:
        raise UnknownName("system", system, SYSTEMS)
    arm = ARMS[system]
    return Query(preset=_ALONE[arm], floors={other: NEVER for other in Arm if other is not arm})


def recalling(
    memory: Memory,
    scope: Scope,
    system: str,
    unit: DocumentUnit,
    ids: Mapping[str, str] | None = None,
) -> System:
    """A system of Omoide's own. ``ids`` has the document that each record belongs to; None: each is
    one itself.
    """
    template = query_of(system)
    limit = SESSION_DEPTH if unit is DocumentUnit.SESSION else DEPTH

    def ask(probe: Probe) -> FoundDocuments:
        query = replace(template, text=probe.text)
        recall, ms, cpu_ms = _timed(lambda: memory.recall(query, scope, limit=limit))
        steps: defaultdict[str, float] = defaultdict(float)
        for step in recall.trace:
            steps[step.name] += step.ms
        return FoundDocuments(
            found=_documents([hit.id for hit in recall.hits], ids)[:DEPTH],
            ms=ms,
            cpu_ms=cpu_ms,
            tokens=sum(hit.tokens for hit in recall.hits[:COUNTED]),
            answerable=recall.answerable,
            steps=steps,
            degraded=recall.degraded,
        )

    return ask


def _timed(call: Callable[[], R]) -> tuple[R, float, float]:
    """What a call gives, and how many milliseconds it took, on the clock and of the processor."""
    since, worked = time.perf_counter(), time.process_time()
    result = call()
    took, cpu = time.perf_counter() - since, time.process_time() - worked
    return result, took * 1000, cpu * 1000


def assembling(
    memory: Memory, scope: Scope, system: str, ids: Mapping[str, str] | None = None
) -> System:
    """A context of so many tokens as a system: it found the documents behind its blocks."""
    budget = CONTEXTS[system]

    def ask(probe: Probe) -> FoundDocuments:
        made, ms, cpu_ms = _timed(lambda: memory.context(probe.text, scope, budget=budget))
        return FoundDocuments(
            found=_documents(made.ids, ids),
            ms=ms,
            cpu_ms=cpu_ms,
            tokens=made.tokens,
            answerable=made.answerable,
            degraded=made.degraded,
        )

    return ask


def _documents(found: Sequence[str], ids: Mapping[str, str] | None) -> tuple[str, ...]:
    """The documents that records belong to, each once."""
    known = {id: id for id in found} if ids is None else ids
    return tuple(dict.fromkeys(known[id] for id in found if id in known))


def searching(case: Case, system: str, unit: DocumentUnit) -> System:
    """SQLite's FTS5 alone: any of the question's words, stemmed as English, by BM25.

    ``fts5-stop`` leaves English stop words out of the question. The others do that too:
    ``fts5-previous`` indexes each turn together with the one before it, ``fts5-context`` with its
    date and the turns before and after it in a column of half the weight.
    """
    queries, connection, ids = _queries(), apsw.Connection(":memory:"), list[str]()
    connection.execute(queries["fts.make"])
    for id, body, around in _texts(case, unit, system):
        ids.append(id)
        connection.execute(queries["fts.add"], {"number": len(ids), "body": body, "around": around})

    def find(question: str) -> tuple[str, ...]:
        wanted = {"words": _any_of(question, without_stops=system != "fts5"), "most": DEPTH}
        rows = connection.execute(queries["fts.search"], wanted) if wanted["words"] else ()
        return tuple(dict.fromkeys(ids[cast(int, row[0]) - 1] for row in rows))

    def ask(probe: Probe) -> FoundDocuments:
        found, ms, cpu_ms = _timed(lambda: find(probe.text))
        return FoundDocuments(found=found, ms=ms, cpu_ms=cpu_ms)

    return ask


@cache
def _queries() -> Mapping[str, str]:
    return split_queries(files("omoide.evals").joinpath("fts5.sql").read_text("utf-8"))


def _any_of(question: str, *, without_stops: bool) -> str:
    words = list(dict.fromkeys(re.findall(r"\w+", question.lower())))
    if without_stops:
        words = [word for word in words if word not in stop_words("en")] or words
    return " OR ".join(f'"{word}"' for word in words)


def _texts(case: Case, unit: DocumentUnit, system: str) -> Iterator[tuple[str, str, str]]:
    """Each document's id, its text (``speaker: text``, a session's turns in lines of their own) and
    what stands around it.
    """
    for talk in case.talks:
        lines = [f"{m.speaker}: {m.text}" if m.speaker else m.text for m in talk.messages]
        if unit is DocumentUnit.SESSION:
            yield talk.id, "\n".join(lines), ""
            continue
        neighbours = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
        for message, (before, line, after) in zip(talk.messages, neighbours, strict=False):
            day = f"{message.at:%A %d %B %Y}" if message.at else ""
            body = f"{before}\n{line}" if system == "fts5-previous" else line
            around = f"{day}\n{before}\n{after}" if system == "fts5-context" else ""
            yield str(message.key), body, around
    yield from ((id, statement.text, "") for id, statement in case.statements)
