"""Measures how well recall finds what it should, by running the product itself.

::

    dataset = load_dataset("probes", "my-probes.jsonl")
    report = run(dataset, Setup(systems=("default", "fts5")))
    for summary in summarise(report):
        print(summary.system, summary.overall.metrics["R@10"].value)

``docs/howto/evaluation.md`` explains every metric and dataset.
"""

from __future__ import annotations

from omoide.evals.contexts import RightHeld, held_in_contexts
from omoide.evals.dataset import Case, Dataset, DocumentUnit, Probe, limited, with_elsewhere
from omoide.evals.datasets import DATASETS, load_dataset
from omoide.evals.live import LIVE, drop_tried, run_live
from omoide.evals.measure import run
from omoide.evals.metrics import METRICS
from omoide.evals.own import make_probes, save_probes
from omoide.evals.paired import Difference, compare
from omoide.evals.report import QuestionOutcome, Report, Run, Setup, load, save
from omoide.evals.summary import Calibration, Estimate, MetricScores, Summary, summarise, summary_of
from omoide.evals.systems import BASELINES, OF_TURNS, SYSTEMS

__all__ = [
    "BASELINES",
    "DATASETS",
    "LIVE",
    "METRICS",
    "OF_TURNS",
    "SYSTEMS",
    "Calibration",
    "Case",
    "Dataset",
    "Difference",
    "DocumentUnit",
    "Estimate",
    "MetricScores",
    "Probe",
    "QuestionOutcome",
    "Report",
    "RightHeld",
    "Run",
    "Setup",
    "Summary",
    "compare",
    "drop_tried",
    "held_in_contexts",
    "limited",
    "load",
    "load_dataset",
    "make_probes",
    "run",
    "run_live",
    "save",
    "save_probes",
    "summarise",
    "summary_of",
    "with_elsewhere",
]
