"""Every adapter keeps the signatures that were recorded from the real packages.

No framework is needed: the adapter's source is read, not imported.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import tomllib
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from scripts.adapter_signatures import recorded
from scripts.adapters import SHARED, Framework, changed, declared
from tests.source_tree import ROOT, SRC

FRAMEWORKS = declared()
WITHOUT_PACKAGE = {
    "adk_config",
    "eden",
    "mem0",
    "synthorg",
    "synthorg_composite",
    "synthorg_config",
    "synthorg_injection",
    "synthorg_shared",
    "synthorg_tools",
}  # in the shape of others, and tested by themselves
Method = ast.FunctionDef | ast.AsyncFunctionDef


def methods_of(framework: Framework, name: str) -> dict[str, Method]:
    """The methods that a class of an adapter defines, with those of its bases in the same file."""
    path = SRC / "adapters" / f"{framework.module}.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
    found: dict[str, Method] = {}
    for base in bases:
        if base in classes:
            found |= methods_of(framework, base)
    for part in classes[name].body:
        if isinstance(part, Method):
            found[part.name] = part
        elif isinstance(part, ast.Assign):
            found |= dict(twins(part, found))
    return found


def twins(part: ast.Assign, methods: dict[str, Method]) -> Iterator[tuple[str, Method]]:
    """The coroutines that a line such as ``asave = in_worker(save)`` makes of methods."""
    (target,) = part.targets
    several = isinstance(target, ast.Tuple) and isinstance(part.value, ast.Tuple)
    names = target.elts if several else [target]  # type: ignore[attr-defined]
    for name, made in zip(names, part.value.elts if several else [part.value], strict=True):  # type: ignore[attr-defined]
        if isinstance(made, ast.Call) and ast.unparse(made.func) == "in_worker":
            twin = copy(methods[ast.unparse(made.args[0])])
            twin.decorator_list = [made.func]
            yield ast.unparse(name), twin


def is_coroutine(method: Method) -> bool:
    """Whether it has to be awaited."""
    made = [ast.unparse(one) for one in method.decorator_list]
    return isinstance(method, ast.AsyncFunctionDef) or "in_worker" in made


def parameters(method: Method) -> list[list[Any]]:
    """Each parameter's name, kind, and whether it may be left out, as inspect would say."""
    args = method.args
    plain = [*args.posonlyargs, *args.args]
    optional = len(plain) - len(args.defaults)
    found: list[list[Any]] = [
        [
            arg.arg,
            "POSITIONAL_ONLY" if n < len(args.posonlyargs) else "POSITIONAL_OR_KEYWORD",
            n >= optional,
        ]
        for n, arg in enumerate(plain)
    ]
    if args.vararg:
        found.append([args.vararg.arg, "VAR_POSITIONAL", False])
    pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    found += [[arg.arg, "KEYWORD_ONLY", default is not None] for arg, default in pairs]
    if args.kwarg:
        found.append([args.kwarg.arg, "VAR_KEYWORD", False])
    return found


def objections(framework: Framework, told: dict[str, Any]) -> Iterator[str]:
    """What differs between the adapter and the signatures of its framework."""
    for name, wanted in told["classes"].items():
        own = methods_of(framework, name)
        for method, about in wanted.items():
            place = f"{framework.module}.{name}.{method}"
            if method not in own:
                if about["required"]:
                    yield f"{place} is missing"
                continue
            if is_coroutine(own[method]) != about["async"]:
                yield f"{place} is {'no' if about['async'] else 'a'} coroutine"
            given = parameters(own[method])
            if given[: len(about["parameters"])] != about["parameters"]:
                yield f"{place}: {given} is not {about['parameters']}"
            yield from (
                f"{place}: {extra[0]} is one parameter too many"
                for extra in given[len(about["parameters"]) :]
                if not extra[2]
            )


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_adapters_keep_the_signatures_of_their_frameworks(name: str) -> None:
    """Each method of the adapter has the parameters of the framework's, and none is missing."""
    framework = FRAMEWORKS[name]
    told = json.loads(framework.signatures.read_text(encoding="utf-8"))

    assert told["classes"].keys() == framework.bases.keys()
    assert not list(objections(framework, told))


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_recorded_signatures_are_those_of_the_package(name: str) -> None:
    """Where the framework is installed, its signatures are the recorded ones."""
    framework = FRAMEWORKS[name]
    packages = {base.partition(".")[0].partition(":")[0] for base in framework.bases.values()}
    if not all(importlib.util.find_spec(package) for package in packages):
        pytest.skip(f"{framework.package} is not installed")
    try:
        told = recorded(framework)
    except ImportError:
        pytest.skip(f"{framework.package} is not installed")

    expected = json.loads(framework.signatures.read_text(encoding="utf-8"))
    assert told == expected, "run scripts/adapters.py --record"


def test_an_adapter_is_whole() -> None:
    """Each has an extra, a group and a lock for its tests, a page, and its file; nothing else is
    offered.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    code = {path.stem for path in (SRC / "adapters").glob("*.py")}

    assert FRAMEWORKS
    assert FRAMEWORKS.keys() <= project["project"]["optional-dependencies"].keys()
    assert {f"{name}-tests" for name in FRAMEWORKS} <= project["dependency-groups"].keys()
    shared = {Path(path).stem for path in SHARED}
    assert code - {"__init__"} - shared - WITHOUT_PACKAGE == {
        one.module for one in FRAMEWORKS.values()
    }
    missing = [
        path
        for one in FRAMEWORKS.values()
        for path in (one.lock, one.tests, one.page, one.signatures)
        if not path.exists()
    ]
    assert not missing
    assert {path.stem for path in (ROOT / "requirements" / "adapters").glob("*")} == set(FRAMEWORKS)


def test_changed_adapters_are_among_all() -> None:
    """What is tested because it changed is a part of what there is."""
    assert {one.name for one in changed(FRAMEWORKS.values())} <= FRAMEWORKS.keys()
