"""The source of Omoide as syntax trees, for the tests that hold the house to its rules."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "omoide"


@cache
def modules(folder: Path = SRC) -> tuple[tuple[str, ast.Module], ...]:
    """Each Python file below folder as its path from there, with forward slashes, and its tree."""
    files = sorted(folder.rglob("*.py"))
    return tuple(
        (
            path.relative_to(folder).as_posix(),
            ast.parse(path.read_text(encoding="utf-8"), str(path)),
        )
        for path in files
    )


def docstrings(tree: ast.Module) -> set[ast.Constant]:
    """The string nodes that document a module, class or function."""
    found = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
        ):
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                found.add(first.value)
    return found
