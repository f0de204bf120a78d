"""What tests of adapters share: another process, and the code of a page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from tests.source_tree import ROOT, SRC
from tests.test_docs import examples

Names = dict[str, Any]


def in_another_process(program: str, *arguments: object) -> Any:
    """What a program prints last, as JSON, when another process runs it with these arguments."""
    told = os.environ | {"PYTHONPATH": os.pathsep.join((str(SRC.parent), str(ROOT)))}
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        env=told,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def run_page(name: str, folder: Path) -> Names:
    """The names that the code of a how-to page leaves behind, run twice in a folder as if by two
    processes: a page's program may be run again.
    """
    page = ROOT / "docs" / "howto" / f"{name}.md"
    program = "\n".join(examples(page))
    names: Names = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for _ in range(2):
            names = {"__name__": "__main__"}
            exec(compile(program, str(page), "exec"), names)  # noqa: S102 - our own pages are the code under test
    finally:
        os.chdir(before)
    assert program
    return names
