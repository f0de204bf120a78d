"""What a run measured: one outcome for each system and question, and where it was run. All else is
computed from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from omoide.evals.dataset import DocumentUnit
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.frozen import frozen_record
from omoide.settings.whole_file import whole_file

FORMAT = "omoide-eval-1"


@frozen_record
class QuestionOutcome:
    """What a system found for one question. ``places`` are the ranks, from 1, at which right
    documents stand.
    """

    case: str
    probe: str
    category: str
    gold: int  # how many documents are right
    places: tuple[int, ...]
    found: tuple[str, ...]  # documents, best first
    held: bool
    apart: bool
    ms: float
    cpu_ms: float  # processor time
    tokens: int
    answerable: float | None


@frozen_record
class Run:
    """One system over all questions."""

    system: str
    outcomes: tuple[QuestionOutcome, ...]
    steps: Mapping[str, float]  # milliseconds of each step of recall, over all questions
    degraded: tuple[str, ...] = ()


@frozen_record
class Setup:
    """How a run was set up: everything that a figure depends on besides code and data."""

    systems: tuple[str, ...] = ("default",)
    embedder: str = "static"
    reranker: str = ""
    limit: int | None = None  # questions at most
    elsewhere: bool = False  # ask each question of the next case too


@frozen_record
class Filling:
    """What it took to fill the memories, without opening them."""

    documents: int = 0  # messages and statements
    ingest_s: float = 0.0
    vectors_s: float = 0.0


@frozen_record
class Report:
    """One run over one dataset."""

    dataset: str
    unit: DocumentUnit
    data: str  # hash of the dataset's files
    cases: int
    questions: int
    version: str  # of omoide, with a hash of its files
    machine: str  # engine, Python, processors, load
    setup: Setup
    filling: Filling
    runs: tuple[Run, ...]

    def run(self, system: str) -> Run:
        """The run of one system.

        Raises:
            InvalidInput: it took no part.
        """
        for run in self.runs:
            if run.system == system:
                return run
        raise InvalidInput(
            "system",
            f"{system!r} took no part; there are {', '.join(run.system for run in self.runs)}",
        )


def save(report: Report, path: Path, summaries: Sequence[Any] = ()) -> None:
    """Write a report as JSON, whole or not at all; with its summaries, for readers other than
    ``load``.
    """
    told = {
        "format": FORMAT,
        "summaries": [asdict(summary) for summary in summaries],
        **asdict(report),
    }
    with whole_file(path) as out:
        json.dump(told, out, ensure_ascii=False, separators=(",", ":"))


def load(path: Path) -> Report:
    """A report as it was saved.

    Raises:
        InvalidInput: the file is none, or cannot be read.
    """
    try:
        return _report(path, parse_json(path.read_bytes()))
    except InvalidInput:
        raise
    except OSError as problem:
        raise InvalidInput("report", f"{path}: {problem.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        told = f"{path} holds no results of eval run or probe run, or is damaged"
        raise InvalidInput("report", told) from None


def _report(path: Path, told: dict[str, Any]) -> Report:
    if told["format"] != FORMAT:
        raise InvalidInput("report", f"{path} is of format {told['format']!r}, not {FORMAT!r}")
    setup = told["setup"]
    told |= {
        "unit": DocumentUnit(told["unit"]),
        "runs": tuple(map(run_of, told["runs"])),
        "filling": Filling(**told["filling"]),
        "setup": Setup(**setup | {"systems": tuple(setup["systems"])}),
    }
    return Report(**{field.name: told[field.name] for field in fields(Report)})


def run_of(told: Mapping[str, Any]) -> Run:
    """A run out of its JSON."""
    outcomes = (
        QuestionOutcome(**o | {"places": tuple(o["places"]), "found": tuple(o["found"])})
        for o in told["outcomes"]
    )
    return Run(
        system=told["system"],
        outcomes=tuple(outcomes),
        steps=told["steps"],
        degraded=tuple(told["degraded"]),
    )


def by_category(outcomes: Iterable[QuestionOutcome]) -> dict[str, list[QuestionOutcome]]:
    """Outcomes by the category of their question, in the order of these."""
    groups: dict[str, list[QuestionOutcome]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.category):
        groups.setdefault(outcome.category, []).append(outcome)
    return groups
