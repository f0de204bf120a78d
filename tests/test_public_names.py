"""What Omoide exports, and that each of it is documented."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import tomllib

import pytest

import omoide
from omoide.nouns import errors
from tests.source_tree import ROOT, modules


def public() -> list[str]:
    """The names that users import, apart from the package's own version."""
    return [name for name in omoide.__all__ if not name.startswith("__")]


def members(name: str) -> list[tuple[str, object]]:
    """The public methods and properties of a public class that Omoide defines."""
    thing = getattr(omoide, name)
    kinds = thing.__mro__ if inspect.isclass(thing) else ()
    return [
        (f"{name}.{member}", value)
        for kind in kinds
        if kind.__module__.startswith("omoide.")
        for member, value in vars(kind).items()
        if not member.startswith("_") and is_documentable(value)
    ]


def is_documentable(value: object) -> bool:
    """A function, method or property: what carries a docstring of its own."""
    return inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)


def shown_to_type_checkers() -> set[str]:
    """The names that the package imports under ``if TYPE_CHECKING``; at run time each is loaded
    when first used.
    """
    (tree,) = (tree for path, tree in modules() if path == "__init__.py")
    guarded = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        alias.name
        for node in guarded
        for part in ast.walk(node)
        if isinstance(part, ast.ImportFrom)
        for alias in part.names
    }


def test_all_is_sorted_and_exact() -> None:
    """``__all__`` is the sorted list of what a program can load, a type checker sees and ``dir``
    shows.
    """
    loaded = [getattr(omoide, name) for name in public()]

    assert len(loaded) == len(public()) > 10
    assert list(omoide.__all__) == sorted(omoide.__all__)
    assert set(public()) == shown_to_type_checkers()
    assert set(public()) == {name for name in dir(omoide) if not name.startswith("__")}


def test_every_public_thing_is_documented() -> None:
    """Classes and functions, and the methods and properties of public classes, say what they
    are.
    """
    things = [(name, getattr(omoide, name)) for name in public() if callable(getattr(omoide, name))]
    things += [member for name in public() for member in members(name)]
    missing = [
        name for name, thing in things if not (getattr(thing, "__doc__", None) or "").strip()
    ]

    assert len(things) > 20
    assert not missing


@pytest.mark.covers("LS-60")
def test_no_public_name_shadows_a_builtin() -> None:
    """``from omoide import *`` leaves every builtin as it was, the out-of-memory error too."""
    names = set(public()) | {name for name in vars(errors) if not name.startswith("_")}

    assert len(names) > 20
    assert not names & set(dir(builtins))


def test_the_version_is_the_newest_in_the_changelog() -> None:
    """Package, project file and changelog agree on the version."""
    log = re.findall(
        r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert log
    assert log[0] == project["version"] == omoide.__version__
