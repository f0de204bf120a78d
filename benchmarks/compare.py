"""Omoide beside other stores: the same texts, the same vectors, each in a process of its own, in
turns.

    uv venv .compare && uv pip install --python .compare/bin/python -r
    benchmarks/requirements-compare.in -e . .compare/bin/python -m benchmarks.compare
    all of them, n = 1,000, 10,000 and 100,000 .compare/bin/python -m benchmarks.compare --n
    1000,10000 --only omoide,bare --json figures.json

Every contestant is asked a few questions, then the next one, round after round, so that what else
the machine does falls on all alike. Processes have no network where the system allows that
(unshare). A contestant whose filling takes longer than the limit stops at the n it has reached, and
is told at that n.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.texts import sentences
from omoide.models import load_embedder

NAMES = ("omoide", "omoide-log", "bare", "chroma", "chroma-filtered", "langgraph", "mem0")
PACKAGES = {
    "chroma": "chromadb",
    "chroma-filtered": "chromadb",
    "langgraph": "langgraph-checkpoint-sqlite",
    "mem0": "mem0ai",
}
ROUNDS, EACH = 10, 20  # questions: so many rounds of so many
SINGLES = 10  # single adds a round
CHUNK = 1_000
PATIENCE_S = 20.0  # a round of questions that took longer is the contestant's last at this n


@dataclass(slots=True)
class Figures:
    """What was measured of a contestant at one n; seconds by the clock and of processors."""

    name: str
    n: int
    searches: str = ""
    recalls: list[tuple[float, float]] = field(default_factory=list)
    adds: list[tuple[float, float]] = field(default_factory=list)
    bulk_per_s: float = 0.0
    bulk_cpu_ms: float = 0.0  # a text
    finds: int = 0  # of ten texts asked for by themselves
    stopped: str = ""

    def told(self) -> dict[str, Any]:
        """The figures as printed: milliseconds, and texts per second."""
        kept = {
            name: value for name, value in asdict(self).items() if name not in ("recalls", "adds")
        }
        return kept | percentiles("recall", self.recalls) | percentiles("add", self.adds)


def percentiles(what: str, taken: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Median and 95th percentile by the clock, median of processors, in milliseconds, and of how
    many.
    """
    clock, worked = np.array(taken or [(np.nan, np.nan)]).T * 1000
    p50, p95 = np.percentile(clock, [50, 95])
    return {
        f"{what}_p50_ms": float(p50),
        f"{what}_p95_ms": float(p95),
        f"{what}_cpu_ms": float(np.median(worked)),
        f"{what}s": len(taken),
    }


class Process:
    """A contestant in its own process."""

    def __init__(self, name: str, folder: Path, limit_s: float) -> None:
        self.name, self.held, self.filling_s, self.limit_s, self.stopped = name, 0, 0.0, limit_s, ""
        alone = (
            ["unshare", "-rn"]
            if subprocess.run(
                ["unshare", "-rn", "true"], check=False, capture_output=True
            ).returncode
            == 0
            else []
        )
        quiet = {
            "ANONYMIZED_TELEMETRY": "False",
            "DO_NOT_TRACK": "1",
            "HF_HUB_OFFLINE": "1",
            "PYTHONWARNINGS": "ignore",
        }
        self._log = folder / f"{name}.log"
        self._process = subprocess.Popen(
            [*alone, sys.executable, "-m", "benchmarks.contestants", name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log.open("w"),
            text=True,
            env=os.environ | quiet,
        )

    def do(self, what: str, first: int = 0, end: int = 0) -> Any:
        """Its answer to an order."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(
                json.dumps({"do": what, "first": first, "end": end}),
                file=self._process.stdin,
                flush=True,
            )
        if not (line := self._process.stdout.readline()):
            raise RuntimeError(f"{self.name} ended: {self._log.read_text('utf-8')[-2000:]}")
        return json.loads(line)

    def fill(self, n: int) -> tuple[float, float]:
        """Let it hold n texts, or as many as it takes in before its limit; texts per second, and ms
        of processors a text.
        """
        start, seconds, worked = self.held, 0.0, 0.0
        while self.held < n and not self.stopped:
            end = min(n, self.held + CHUNK)
            clock, cpu = self.do("bulk", self.held, end)
            seconds, worked, self.held = seconds + clock, worked + cpu, end
            if self.filling_s + seconds > self.limit_s and self.held < n:
                self.stopped = (
                    f"filling stopped after {self.filling_s + seconds:.0f} s at {self.held:,}"
                )
        self.filling_s += seconds
        count = self.held - start
        return (count / seconds, 1000 * worked / count) if count else (float("nan"), float("nan"))

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(60)


def prepare(folder: Path, count: int) -> None:
    """Texts, questions and their vectors, made once with the default embedder, for everybody."""
    embedder = load_embedder("static")
    assert embedder is not None
    texts, questions = sentences(count), sentences(ROUNDS * EACH, words=7, seed=9)
    both = texts + questions
    (folder / "texts.json").write_text(json.dumps(texts), "utf-8")
    (folder / "questions.json").write_text(json.dumps(questions), "utf-8")
    np.save(
        folder / "vectors.npy",
        np.concatenate([embedder.embed(both[i : i + 1000]) for i in range(0, len(both), 1000)]),
    )


def measure(processes: Sequence[Process], n: int, single: int) -> list[Figures]:
    """Everyone at one n, in turns. single is the number of the first text to add singly."""
    found = [Figures(p.name, n, searches=p.do("searches")) for p in processes]
    for process, figures in zip(processes, found, strict=True):
        figures.bulk_per_s, figures.bulk_cpu_ms = process.fill(n)
        figures.n, figures.stopped = process.held, process.stopped
        figures.finds = process.do("finds", 0, 10)
        process.do("recall", 0, 3)  # what is loaded once is loaded
    for turn in range(ROUNDS):
        for process, figures in zip(processes, found, strict=True):
            if sum(clock for clock, _ in figures.recalls[-EACH:]) < PATIENCE_S:
                figures.recalls += process.do("recall", turn * EACH, turn * EACH + EACH)
    for turn in range(ROUNDS):
        for process, figures in zip(processes, found, strict=True):
            figures.adds += process.do(
                "add", single + turn * SINGLES, single + turn * SINGLES + SINGLES
            )
    return found


COLUMNS = ("recall_p50_ms", "recall_cpu_ms", "add_p50_ms", "add_cpu_ms", "bulk_cpu_ms")


def table(found: Sequence[dict[str, Any]]) -> str:
    """The figures of one n as Markdown. A × is how many times as much as Omoide's own, so above 1
    is slower.
    """
    first = found[0]
    lines = [
        (
            "| | n | searches | recall p50 / p95 ms | × | CPU × | single add p50 / p95 ms | × | CPU"
            " × | bulk texts/s | CPU × | finds itself |"
        ),
        "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for f in found:
        recall, recall_cpu, add, add_cpu, bulk_cpu = (
            f"{f[name] / first[name]:.2f}" for name in COLUMNS
        )
        lines.append(
            f"| {f['name']} | {f['n']:,} | {f['searches']} | {f['recall_p50_ms']:.1f} /"
            f" {f['recall_p95_ms']:.1f} | {recall} | {recall_cpu} | {f['add_p50_ms']:.2f} /"
            f" {f['add_p95_ms']:.2f} | {add} | {add_cpu} | {f['bulk_per_s']:,.0f} | {bulk_cpu} |"
            f" {f['finds']} of 10 |"
        )
    lines += [f"\n{f['name']}: {f['stopped']}." for f in found if f["stopped"]]
    return "\n".join(lines)


def versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of what takes part."""
    found = {"Python": platform.python_version(), "numpy": np.__version__}
    for name in names:
        try:
            found[name] = version(PACKAGES.get(name, "omoide"))
        except PackageNotFoundError:
            found[name] = "from source"
    return found


def machine() -> str:
    """What it runs on, and how busy that is."""
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f},"
        f" {time.strftime('%Y-%m-%d %H:%M')}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", default="1000,10000,100000", help="sizes, smallest first")
    parser.add_argument(
        "--only", default=",".join(NAMES), help="who takes part; Omoide is always first"
    )
    parser.add_argument(
        "--limit", type=float, default=900, help="seconds that filling may take in all"
    )
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    sizes = [int(n) for n in options.n.split(",")]
    names = ["omoide", *(name for name in options.only.split(",") if name != "omoide")]
    everything: dict[str, Any] = {
        "machine": machine(),
        "versions": versions(names),
        "command": " ".join(sys.argv[1:]),
        "found": [],
    }
    print(f"# {everything['machine']}; {everything['versions']}", flush=True)
    with tempfile.TemporaryDirectory(prefix="omoide-compare-") as folder:
        prepare(Path(folder), max(sizes) + len(sizes) * ROUNDS * SINGLES)
        processes = [Process(name, Path(folder), options.limit) for name in names]
        for place, n in enumerate(sizes):
            told = [f.told() for f in measure(processes, n, max(sizes) + place * ROUNDS * SINGLES)]
            everything["found"] += told
            print(f"\n## n = {n:,} ({machine()})\n\n{table(told)}", flush=True)
            if options.json:
                options.json.write_text(json.dumps(everything, indent=1), "utf-8")
        for process in processes:
            process.close()


if __name__ == "__main__":
    main()
