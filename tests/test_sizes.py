"""Size budgets: what has grown past them is split, not excused."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache

from tests.source_tree import SRC, modules, nodes

FUNCTION_TOKENS, USUAL_TOKENS, USUAL_SHARE = 400, 150, 0.9
FILE_LINES, CLASS_LINES, PARAMETERS, FOLDERS = 500, 400, 7, 2
NO_TOKENS = frozenset(
    {
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.COMMENT,
        tokenize.ENDMARKER,
    }
)

# Where one failed job, request or command must not take the others down, whatever it raised.
EDGES = frozenset(
    {
        "jobs/queue.py",
        "jobs/worker.py",
        "server/app.py",
        "cli/__init__.py",
        "models/chat/asker.py",
        "agent/agent.py",
        "proxy/exchange.py",
    }
)
# Adapters, and tools that models know, promise the signatures of others.
LONG_SIGNATURES = ("adapters/", "agent/")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[str, Function]]:
    """Every function and method, with ``file:line name``."""
    for path, parts in nodes():
        for node in parts:
            if isinstance(node, Function):
                yield f"{path}:{node.lineno} {node.name}", node


def length(node: ast.ClassDef) -> int:
    """Lines from the head to the end, decorators aside."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


@cache
def tokens_by_line(path: str) -> Counter[int]:
    """How many tokens begin on each line of a file; comments and line ends are none."""
    source = (SRC / path).read_text(encoding="utf-8")
    found = tokenize.generate_tokens(io.StringIO(source).readline)
    return Counter(token.start[0] for token in found if token.type not in NO_TOKENS)


def docstring_lines(node: Function) -> range:
    """The lines of a function's docstring."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return range(0)


@cache
def function_tokens() -> list[tuple[int, str]]:
    """How many tokens each function has, decorators and docstring aside, with its place; fewest first."""
    found = []
    for path, parts in nodes():
        lines = tokens_by_line(path)
        for node in parts:
            if isinstance(node, Function):
                skipped = docstring_lines(node)
                body = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                count = sum(lines[line] for line in body if line not in skipped)
                found.append((count, f"{path}:{node.lineno} {node.name}"))
    return sorted(found)


def parameters(node: Function) -> int:
    """How many a caller may give: self and cls aside, ``*args`` and ``**kwargs`` one each."""
    args = node.args
    named = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return (
        len([name for name in named if name not in ("self", "cls")])
        + bool(args.vararg)
        + bool(args.kwarg)
    )


def is_command(node: Function) -> bool:
    """A command of the command line: its parameters are options that a person types, and nobody
    else calls it.
    """
    first = node.args.args[0].annotation if node.args.args else None
    return first is not None and ast.unparse(first) in ("Here", "Question", "typer.Context")


def swallows_all(node: ast.AST) -> bool:
    """Catches Exception, BaseException or everything, and does not raise it again."""
    if isinstance(node, ast.ExceptHandler):
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        last = node.body[-1]
        return any(is_broad(kind) for kind in caught) and not (
            isinstance(last, ast.Raise) and last.exc is None
        )
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("suppress")
        and any(is_broad(arg) for arg in node.args)
    )


def is_broad(kind: ast.expr | None) -> bool:
    """A class under which everything falls; no class at all is one."""
    return kind is None or (
        isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException")
    )


def test_no_function_is_over_its_budget_of_tokens() -> None:
    """A function does one thing."""
    long = [
        f"{place}: {count} tokens" for count, place in function_tokens() if count > FUNCTION_TOKENS
    ]

    assert not long, "\n".join(long)


def test_nine_functions_in_ten_are_short() -> None:
    """The usual function is read at a glance; the figures are printed for whoever asks for them."""
    found = function_tokens()
    counts = [count for count, _ in found]
    tokens = sum(tokens_by_line(path).total() for path, _ in modules())
    print(f"{tokens:,} tokens; a function: median {counts[len(counts) // 2]}, most {counts[-1]}")

    assert len(counts) > 10
    over = [f"{place}: {count} tokens" for count, place in found if count > USUAL_TOKENS]
    assert len(over) <= (1 - USUAL_SHARE) * len(counts), "\n".join(over)


def test_no_file_is_too_long() -> None:
    """A file is one noun or one step."""
    sizes = {
        path: len((SRC / path).read_text(encoding="utf-8").splitlines()) for path, _ in modules()
    }

    assert sizes
    assert not {path: lines for path, lines in sizes.items() if lines > FILE_LINES}


def test_no_class_is_too_long() -> None:
    """No class is the only place from which everything can be reached; Memory counts."""
    classes = [
        (path, node) for path, parts in nodes() for node in parts if isinstance(node, ast.ClassDef)
    ]

    assert classes
    assert not [
        f"{path} {node.name}"
        for path, node in classes
        if (node.end_lineno or 0) - node.lineno + 1 > CLASS_LINES
    ]


def test_no_function_takes_more_than_7_parameters() -> None:
    """Past seven, a frozen record carries them."""
    many = [
        f"{place}: {parameters(node)}"
        for place, node in functions()
        if parameters(node) > PARAMETERS
        and not place.startswith(LONG_SIGNATURES)
        and not is_command(node)
    ]

    assert not many, "\n".join(many)


def test_rooms_are_not_crowded() -> None:
    """At most eight modules stand at the top, and at most 25 in a folder; the package's own files aside."""
    crowd = Counter(
        path.rpartition("/")[0] for path, _ in modules() if not path.endswith("__init__.py")
    )

    assert crowd[""] <= 8
    assert not {folder: count for folder, count in crowd.items() if count > 25}


def test_folders_nest_at_most_twice() -> None:
    """Structure is names, not depth."""
    deep = [
        path
        for path in SRC.rglob("*")
        if path.suffix in (".py", ".sql", ".md") and len(path.relative_to(SRC).parts) - 1 > FOLDERS
    ]

    assert not deep


def test_only_the_edges_catch_everything() -> None:
    """Worker, server, command line and the caller of models may catch Exception, each with its
    reason beside it; nobody else does.
    """
    wrong = []
    for path, parts in nodes():
        lines = (SRC / path).read_text(encoding="utf-8").splitlines()
        for node in parts:
            if isinstance(node, ast.ExceptHandler | ast.Call) and swallows_all(node):
                around = lines[node.lineno - 2 : node.lineno + 1]
                reasons = [
                    part
                    for line in around
                    for part in line.partition("#")[2].replace("noqa: BLE001", "").split()
                ]
                if path not in EDGES or not reasons:
                    wrong.append(f"{path}:{node.lineno}")

    assert not wrong, wrong
