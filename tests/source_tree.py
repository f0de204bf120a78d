"""The source of Omoide as syntax trees, for the tests that hold the house to its rules."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "omoide"


@contextmanager
def lasting() -> Iterator[None]:
    """What is made in the block stays: no garbage is looked for in it, which takes four times as
    long as parsing does.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@cache
def modules(folder: Path = SRC) -> tuple[tuple[str, ast.Module], ...]:
    """Each Python file below folder as its path from there, with forward slashes, and its tree."""
    files = sorted(folder.rglob("*.py"))
    with lasting():
        return tuple(
            (
                path.relative_to(folder).as_posix(),
                ast.parse(path.read_text(encoding="utf-8"), str(path)),
            )
            for path in files
        )


@cache
def nodes(folder: Path = SRC) -> tuple[tuple[str, tuple[ast.AST, ...]], ...]:
    """The same with all nodes of each tree, the outermost first, as ``ast.walk`` gives them."""
    with lasting():
        return tuple((path, tuple(ast.walk(tree))) for path, tree in modules(folder))


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
