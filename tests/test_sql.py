"""SQL lives in named queries; Python holds none."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.exchange.migrate_store import TABLES
from omoide.store.queries import split_queries
from tests.source_tree import SRC, docstrings, modules, nodes

QUERIES = SRC / "store" / "sql"
ENGINES = ("sqlite", "postgres")
HEADER = re.compile(r"^-- ([a-z0-9_]+\.[a-z0-9_]+) --$")
NAME = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
RUNNERS = (
    "run",
    "rows",
    "_all",
    "_one",
    "_column",
    "_total",
    "_found",
    "_first",
    "_shown",
    "_links",
)

STATEMENT = re.compile(
    r"\s*(SELECT\s|WITH\s+\w+\s*(\(|AS\b)|INSERT\s+(OR\s+\w+\s+)?INTO\b|REPLACE\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b"
    r"|(CREATE|DROP|ALTER)\s+(TEMP|TEMPORARY|UNIQUE|VIRTUAL|TABLE|INDEX|VIEW|TRIGGER|SCHEMA|EXTENSION|ROLE|DATABASE|POLICY)\b)"
)
CLAUSE = re.compile(
    r"\b(SELECT|FROM|WHERE|VALUES|ORDER BY|GROUP BY|JOIN|INSERT INTO|DELETE FROM|SET)\s"
)


def query_files() -> list[Path]:
    """All files of named queries."""
    return sorted(QUERIES.glob("*.sql"))


def blocks(text: str) -> list[list[str]]:
    """The file cut at its header lines; what stands before the first one is a block too, if it is
    not blank.
    """
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if HEADER.match(line):
            found.append([])
        found[-1].append(line)
    return [block for block in found if any(line.strip() for line in block)]


def names(path: Path) -> list[str]:
    """The query names of a file, in order."""
    return [
        match[1]
        for line in path.read_text(encoding="utf-8").splitlines()
        if (match := HEADER.match(line))
    ]


def fault(block: list[str]) -> str | None:
    """What is wrong with the form of one query, if anything."""
    lines = [line for line in block[1:] if line.strip()]
    comment = 0
    while comment < len(lines) and lines[comment].startswith("--"):
        comment += 1
    said = " ".join(line.lstrip("- ") for line in lines[:comment])
    if not HEADER.match(block[0]):
        return "no header line such as -- items.close --"
    if not said.endswith((".", ".)")):
        return "no sentence under the header"
    statement = re.sub(r"--[^\n]*|'[^']*'", "", "\n".join(lines[comment:])).strip()
    if not statement.endswith(";") or statement.count(";") != 1:
        return "not one statement that ends in ;"
    return None


def all_names() -> set[str]:
    """Every query name of either engine."""
    return {name for path in query_files() for name in names(path)}


def python_strings() -> Iterator[tuple[str, ast.expr, str]]:
    """Every string and f-string that is no docstring: file, node, text with holes as ``{}``."""
    for (path, tree), (_, parts) in zip(modules(), nodes(), strict=True):
        skip = docstrings(tree)
        for node in parts:
            if isinstance(node, ast.JoinedStr):
                yield (
                    path,
                    node,
                    "".join(
                        str(part.value) if isinstance(part, ast.Constant) else "{}"
                        for part in node.values
                    ),
                )
            elif (
                isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skip
            ):
                yield path, node, node.value


def glued(node: ast.AST) -> ast.expr | None:
    """The literal that is formatted or added to, where this node does that to one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        return node.left if isinstance(node.left, ast.Constant) else node.right
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("format", "join")
    ):
        return node.func.value
    return None


def called_names() -> Iterator[tuple[str, str]]:
    """Every name given to run or rows, with its place."""
    for path, parts in nodes():
        for node in parts:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in RUNNERS
                and node.args
            ):
                for part in (part for arg in node.args for part in ast.walk(arg)):
                    if (
                        isinstance(part, ast.Constant)
                        and isinstance(part.value, str)
                        and NAME.fullmatch(part.value)
                    ):
                        yield f"{path}:{node.lineno}", part.value


def test_no_string_in_python_is_a_statement() -> None:
    """No literal and no f-string holds a statement; PRAGMA and transaction words are the store's
    own.
    """
    wrong = [
        f"{path}:{node.lineno}" for path, node, text in python_strings() if STATEMENT.match(text)
    ]

    assert not wrong, wrong


def test_no_sql_is_put_together_from_pieces() -> None:
    """Nothing that looks like a clause is formatted, joined or added to."""
    wrong = [
        f"{path}:{node.lineno}"
        for path, node, text in python_strings()
        if isinstance(node, ast.JoinedStr) and CLAUSE.search(text)
    ]
    for path, parts in nodes():
        for node in parts:
            piece = glued(node)
            if (
                isinstance(piece, ast.Constant)
                and isinstance(piece.value, str)
                and CLAUSE.search(piece.value)
            ):
                wrong.append(f"{path}:{piece.lineno}")

    assert not wrong, wrong


def test_queries_have_the_agreed_form() -> None:
    """Header line, a sentence, one statement."""
    faults = []
    for path in query_files():
        for block in blocks(path.read_text(encoding="utf-8")):
            if why := fault(block):
                faults.append(f"{path.name} {block[0]}: {why}")

    assert not faults, "\n".join(faults)


def test_twin_files_hold_the_same_names() -> None:
    """A query that differs by engine exists for both."""
    twins = {path.name.split(".")[0] for path in query_files() if len(path.name.split(".")) == 3}
    unequal = {
        stem: sorted(set(a) ^ set(b))
        for stem in twins
        for a, b in [
            tuple(
                names(QUERIES / f"{stem}.{engine}.sql")
                if (QUERIES / f"{stem}.{engine}.sql").exists()
                else []
                for engine in ENGINES
            )
        ]
        if set(a) != set(b)
    }

    assert not unequal


def test_no_name_stands_twice() -> None:
    """On one engine a name means one query."""
    for engine, other in (ENGINES, ENGINES[::-1]):
        counts = Counter(
            name for path in query_files() if f".{other}." not in path.name for name in names(path)
        )
        assert not {name for name, count in counts.items() if count > 1}, engine


def test_every_name_that_is_run_exists() -> None:
    """Python asks only for queries there are."""
    there_are = all_names()
    missing = [f"{place} {name}" for place, name in called_names() if name not in there_are]

    assert not missing, "\n".join(missing)


def test_every_query_is_used() -> None:
    """No query outlives its last caller."""
    mentioned = {text for _, _, text in python_strings()}
    mentioned |= {query for table in TABLES for query in (table.read, table.add)}

    assert not sorted(all_names() - mentioned)


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("-- items.close --\n-- End it.\nUPDATE items SET a = ';' WHERE b; -- why; so\n", True),
        ("-- items.close --\nUPDATE items SET a = 1;\n", False),
        ("-- items.close --\n-- End it.\nUPDATE items SET a = 1\n", False),
        ("-- items.close --\n-- End it.\nUPDATE items SET a = 1; DELETE FROM items;\n", False),
        ("UPDATE items SET a = 1;\n", False),
    ],
)
def test_the_judge_of_form_knows_right_from_wrong(text: str, good: bool) -> None:
    """The form check accepts the agreed form and refuses what misses a part of it."""
    (block,) = blocks(text)

    assert (fault(block) is None) == good


def test_every_page_of_items_filters_alike() -> None:
    """Whatever a page is sorted by, the same items are on it, and as many as are counted."""
    queries = split_queries((QUERIES / "pages.sql").read_text("utf-8"))
    queries |= split_queries((QUERIES / "items.sql").read_text("utf-8"))
    whole = conditions(queries["items.list"])
    pages = [name for name in queries if re.match(r"items\.(latest|first)_", name)]

    assert whole
    assert len(pages) == 4
    assert {name: conditions(queries[name]) for name in pages} == dict.fromkeys(pages, whole)
    assert conditions(queries["items.count"]) == whole


def test_changes_are_counted_and_completed_behind_the_same_walls() -> None:
    """Statistics count exactly the changes whose ids can be completed."""
    counted, found = (
        split_queries((QUERIES / file).read_text("utf-8"))[name]
        for file, name in (("ledger.sql", "changes.seen"), ("prefixes.sql", "prefixes.change"))
    )

    walls = conditions(counted, "AND NOT EXISTS")
    assert walls.count("NOT EXISTS") == 7
    assert conditions(found, "AND NOT EXISTS") == walls


def conditions(statement: str, first: str = "AND (:closed") -> str:
    """What a statement asks of a record, beyond whose it is."""
    asked = statement[statement.index(first) :].partition("ORDER BY")[0]
    return " ".join(asked.split()).removesuffix(";")
