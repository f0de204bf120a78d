"""Test the adapters against the real frameworks, each in an environment of its own.

    python scripts/adapters.py                 all of them
    python scripts/adapters.py langgraph adk   these
    python scripts/adapters.py --changed       those whose files changed in the last day's commits,
                                               begun within ten minutes; others are named
    python scripts/adapters.py --record        write tests/adapters/signatures/*.json anew
    python scripts/adapters.py --names         print the names

Environments stand in .venvs and are made anew when their lock file changes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DECLARED = ROOT / "scripts" / "data" / "adapters.toml"
SHARED = tuple(f"src/omoide/adapters/{name}.py" for name in ("records", "talk", "worker", "files"))
PIP = (
    "-m",
    "pip",
    "--disable-pip-version-check",
    "--no-input",
    "install",
    "--quiet",
    "--no-compile",
)
AT_ONCE = 2  # environments that are made and tested
PATIENCE_S = 600.0  # after which --changed begins no further one


@dataclass(frozen=True, kw_only=True, slots=True)
class Framework:
    """A framework with an adapter, as scripts/data/adapters.toml declares it."""

    name: str
    module: str
    package: str  # whose version is recorded with the signatures
    bases: dict[str, str]  # class of the adapter: "module:class" of the framework

    @property
    def lock(self) -> Path:
        """Its lock file."""
        return ROOT / "requirements" / "adapters" / f"{self.name}.txt"

    @property
    def tests(self) -> Path:
        """Its tests."""
        return ROOT / "tests" / "adapters" / f"test_{self.module}.py"

    @property
    def page(self) -> Path:
        """Its how-to page."""
        return ROOT / "docs" / "howto" / f"{self.name}.md"

    @property
    def signatures(self) -> Path:
        """The signatures recorded from the real package."""
        return ROOT / "tests" / "adapters" / "signatures" / f"{self.name}.json"

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return ROOT / ".venvs" / self.name / "bin" / "python"

    @property
    def files(self) -> frozenset[str]:
        """All files on which the outcome of its tests depends, apart from Omoide's core."""
        own = (self.lock, self.tests, self.page, self.signatures)
        code = f"src/omoide/adapters/{self.module}.py"
        return frozenset((*(path.relative_to(ROOT).as_posix() for path in own), code, *SHARED))


def declared() -> dict[str, Framework]:
    """The frameworks by name."""
    told: dict[str, Any] = tomllib.loads(DECLARED.read_text(encoding="utf-8"))
    return {name: Framework(name=name, **about) for name, about in told.items()}


def changed(frameworks: Iterable[Framework]) -> list[Framework]:
    """Those of which a file changed in the commits of the day before the last one; all of them
    where there is no history.
    """
    try:
        last = _git("log", "-1", "--format=%cI")
        since = datetime.fromisoformat(last.strip()) - timedelta(days=1)
        names = set(_git("log", f"--since={since.isoformat()}", "--format=", "--name-only").split())
    except (OSError, ValueError, subprocess.CalledProcessError):
        return list(frameworks)
    return [one for one in frameworks if one.files & names]


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def make(framework: Framework) -> str:
    """Make a framework's environment from its lock file, unless it stands; return what was said.

    Raises:
        CalledProcessError: it cannot be made.
    """
    folder = framework.python.parent.parent
    stamp, digest = folder / "lock.sha256", sha256(framework.lock.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return ""
    _said(sys.executable, "-m", "venv", "--clear", folder)
    install = (framework.python, *PIP, "--require-hashes", "--no-deps", "-r", framework.lock)
    told = _said(*install)
    stamp.write_text(digest)
    return told


def run(framework: Framework, *command: str | Path) -> tuple[bool, str]:
    """Run a command with a framework's interpreter: whether it went well, and what it said."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    environment = os.environ | {"PYTHONPATH": path}
    try:
        made = make(framework)
        return True, made + _said(framework.python, *command, environment=environment)
    except subprocess.CalledProcessError as error:
        return False, error.stdout


def _said(*command: str | Path, environment: Mapping[str, str] | None = None) -> str:
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ).stdout


def main(arguments: list[str]) -> int:
    """Test what the arguments name; 0 where all went well."""
    known = declared()
    options, names = (
        {a for a in arguments if a.startswith("--")},
        [a for a in arguments if not a.startswith("--")],
    )
    if "--names" in options:
        print("\n".join(known))
        return 0
    if unknown := [name for name in names if name not in known]:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    wanted = [known[name] for name in names or known]
    chosen = changed(wanted) if "--changed" in options else wanted
    failed = _failing(chosen, options)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _failing(chosen: Sequence[Framework], options: set[str]) -> list[str]:
    """Test frameworks, tell of each, and return the names of those that fail."""
    end = time.monotonic() + PATIENCE_S if "--changed" in options else float("inf")

    def tried(one: Framework) -> tuple[bool, str]:
        if time.monotonic() > end:
            return True, f"not begun within the time; run make test-adapters ADAPTERS={one.name}"
        return run(one, *_command(one, options))

    failed = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for framework, (good, told) in zip(chosen, pool.map(tried, chosen), strict=True):
            print(f"== {framework.name}\n{told}", flush=True)
            failed += [] if good else [framework.name]
    return failed


def _command(framework: Framework, options: set[str]) -> tuple[str | Path, ...]:
    if "--record" in options:
        return ("scripts/adapter_signatures.py", framework.name)
    # a framework's warnings are not ours to mend
    return ("-m", "pytest", "-q", "-o", "filterwarnings=", framework.tests)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
