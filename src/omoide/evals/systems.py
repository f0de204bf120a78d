"""What answers the questions: the presets of recall, each of its arms alone, and SQLite's own
full-text search.

All that are Omoide's go through ``Memory.recall``. A preset is asked as a user asks it. An arm
alone is the preset ``rrf`` or ``default`` with a floor under the other arms that nothing reaches.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import cast

import apsw

from omoide.evals.dataset import Case, Probe, Unit
from omoide.evals.metrics import DEPTH
from omoide.memory import Memory
from omoide.nouns.errors import UnknownName
from omoide.nouns.hit import Hit
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.read.presets import PRESETS
from omoide.store.queries import split_queries
from omoide.text.languages import stop_words

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The documents that a system found, best first, each once; and what finding them cost."""

    found: tuple[str, ...]
    ms: float = 0.0
    cpu_ms: float = 0.0  # of this process, which other programs on the machine change less
    tokens: int = 0  # of the first ten hits
    answerable: float | None = None
    steps: Mapping[str, float] = field(default_factory=dict)  # milliseconds of each
    degraded: tuple[str, ...] = ()


System = Callable[[Probe], Answer]


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
    memory: Memory, scope: Scope, system: str, unit: Unit, ids: Mapping[str, str] | None = None
) -> System:
    """A system of Omoide's own. ``ids`` has the document that each record belongs to; None: each is
    one itself.
    """
    template = query_of(system)
    limit = SESSION_DEPTH if unit is Unit.SESSION else DEPTH

    def ask(probe: Probe) -> Answer:
        query = replace(template, text=probe.text)
        since, worked = time.perf_counter(), time.process_time()
        recall = memory.recall(query, scope, limit=limit)
        ms, cpu_ms = (time.perf_counter() - since) * 1000, (time.process_time() - worked) * 1000
        steps: dict[str, float] = {}
        for step in recall.trace:
            steps[step.name] = steps.get(step.name, 0.0) + step.ms
        return Answer(
            found=_documents(recall.hits, ids),
            ms=ms,
            cpu_ms=cpu_ms,
            tokens=sum(hit.tokens for hit in recall.hits[:COUNTED]),
            answerable=recall.answerable,
            steps=steps,
            degraded=recall.degraded,
        )

    return ask


def assembling(
    memory: Memory, scope: Scope, system: str, ids: Mapping[str, str] | None = None
) -> System:
    """A context of so many tokens as a system: it found the documents behind its blocks."""
    budget = CONTEXTS[system]

    def ask(probe: Probe) -> Answer:
        since, worked = time.perf_counter(), time.process_time()
        made = memory.context(probe.text, scope, budget=budget)
        ms, cpu_ms = (time.perf_counter() - since) * 1000, (time.process_time() - worked) * 1000
        known = {id: id for id in made.ids} if ids is None else ids
        return Answer(
            found=tuple(dict.fromkeys(known[id] for id in made.ids if id in known)),
            ms=ms,
            cpu_ms=cpu_ms,
            tokens=made.tokens,
            answerable=made.answerable,
            degraded=made.degraded,
        )

    return ask


def _documents(hits: Sequence[Hit], ids: Mapping[str, str] | None) -> tuple[str, ...]:
    ids = {hit.id: hit.id for hit in hits} if ids is None else ids
    return tuple(dict.fromkeys(ids[hit.id] for hit in hits if hit.id in ids))[:DEPTH]


def searching(case: Case, system: str, unit: Unit) -> System:
    """SQLite's FTS5 alone: any of the question's words, stemmed as English, by BM25.

    ``fts5-stop`` leaves English stop words out of the question. The others do that too:
    ``fts5-previous`` indexes each turn together with the one before it, ``fts5-context`` with its
    date and the turns before and after it in a column of half the weight.
    """
    queries = _queries()
    connection = apsw.Connection(":memory:")
    connection.execute(queries["fts.make"])
    ids = []
    for id, body, around in _texts(case, unit, system):
        ids.append(id)
        connection.execute(queries["fts.add"], {"number": len(ids), "body": body, "around": around})

    def ask(probe: Probe) -> Answer:
        since, worked = time.perf_counter(), time.process_time()
        wanted = _any_of(probe.text, without_stops=system != "fts5")
        rows = (
            connection.execute(queries["fts.search"], {"words": wanted, "most": DEPTH}).fetchall()
            if wanted
            else []
        )
        numbers = (cast(int, row[0]) for row in rows)
        found = tuple(dict.fromkeys(ids[number - 1] for number in numbers))
        return Answer(
            found=found,
            ms=(time.perf_counter() - since) * 1000,
            cpu_ms=(time.process_time() - worked) * 1000,
        )

    return ask


@cache
def _queries() -> Mapping[str, str]:
    return split_queries(files("omoide.evals").joinpath("fts5.sql").read_text("utf-8"))


def _any_of(question: str, *, without_stops: bool) -> str:
    words = list(dict.fromkeys(re.findall(r"\w+", question.lower())))
    if without_stops:
        words = [word for word in words if word not in stop_words("en")] or words
    return " OR ".join(f'"{word}"' for word in words)


def _texts(case: Case, unit: Unit, system: str) -> Iterator[tuple[str, str, str]]:
    """Each document's id, its text (``speaker: text``, a session's turns in lines of their own) and
    what stands around it.
    """
    for talk in case.talks:
        lines = [
            f"{message.speaker}: {message.text}" if message.speaker else message.text
            for message in talk.messages
        ]
        if unit is Unit.SESSION:
            yield talk.id, "\n".join(lines), ""
            continue
        for message, before, line, after in zip(
            talk.messages, ["", *lines], lines, [*lines[1:], ""], strict=False
        ):
            day = f"{message.at:%A %d %B %Y}" if message.at else ""
            body = f"{before}\n{line}" if system == "fts5-previous" else line
            yield (
                str(message.key),
                body,
                f"{day}\n{before}\n{after}" if system == "fts5-context" else "",
            )
    yield from ((id, statement.text, "") for id, statement in case.statements)
