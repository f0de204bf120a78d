"""Hostile archives: refused or survived, with nothing written, no hang and bounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.torture.hostile_archives import KINDS, REFUSED, Entry, cases, zip_of
from tests.torture.kit import Report, count

LEAST = count(1, 34)  # cases of a kind; in each run there are those of every option
MEMORY_MB = 64
SECONDS = 20.0


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """The process that reads, warmed up."""
    harmless = tmp_path_factory.mktemp("archives") / "harmless.zip"
    harmless.write_bytes(zip_of(Entry()))
    with Reader(harmless) as opened:
        yield opened


@pytest.mark.torture
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_archives_are_refused_or_survived(
    kind: str, reader: Reader, tmp_path: Path
) -> None:
    """No case writes anything, crashes, hangs or takes over 64 MB; what is hostile in its directory
    is refused.
    """
    findings: list[str] = []
    outcomes: Counter[str] = Counter()
    allowed = ("refused",) if kind in REFUSED else ("refused", "read")
    path = tmp_path / "export.zip"
    before = {*os.listdir(tmp_path), path.name}
    with Report(f"T24 {kind}") as report:
        for turn, data in enumerate(cases(kind, report.seed, LEAST)):
            path.write_bytes(data)
            answer = reader.read(path)
            is_slow, is_heavy = answer["seconds"] > SECONDS, answer["mb"] > MEMORY_MB
            if answer["outcome"] not in allowed or answer["writes"] or is_slow or is_heavy:
                findings.append(f"turn {turn}: {answer}")
            outcomes[answer["outcome"]] += 1
            for figure, now in (("peak_mb", answer["mb"]), ("slowest_s", answer["seconds"])):
                report[figure] = max(report[figure], now)
        report["refused"], report["read"] = outcomes["refused"], outcomes["read"]

        assert outcomes.total() >= LEAST
        assert not findings, "\n".join(findings)
        assert set(os.listdir(tmp_path)) == before


class Reader:
    """The process that reads the archives and is watched while it does."""

    def __init__(self, harmless: Path) -> None:
        command = [sys.executable, "-m", "tests.torture.hostile_archives"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._send(harmless)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, path: Path) -> Any:
        """What became of the archive at path."""
        self._send(path)
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def _send(self, path: Path) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
