"""T26: a store that is worked on for long holds no more memory than at the beginning."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_tree import ROOT
from tests.torture.kit import Report, count

OPERATIONS = count(200, 50_000)
SETTLED = count(100, 5_000)
MOST = 1.1


@pytest.mark.torture
@pytest.mark.timeout(7_200)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_t26_memory_is_flat(tmp_path: Path) -> None:
    """After mixed operations a process holds at most a tenth more than after the first tenth of
    them.
    """
    with Report("T26") as report:
        report["operations"] = OPERATIONS
        steps = [str(tmp_path / "m.db"), str(report.seed), str(OPERATIONS)]
        done = subprocess.run(
            [sys.executable, "-m", "tests.torture.soak", *steps, str(SETTLED), str(OPERATIONS)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        report["bytes_settled"], report["bytes"] = map(int, done.stdout.split())

        assert report["bytes"] <= MOST * report["bytes_settled"]
