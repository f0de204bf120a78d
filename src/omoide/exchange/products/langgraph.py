"""Stores of LangGraph, where LangMem keeps its memories too: the table ``store``.

Read are the SQLite file of ``SqliteStore``, and a CSV file of the table with a header, as Postgres
writes it with ``\\copy store TO 'store.csv' CSV HEADER``. The segment of a namespace behind
``memories``, ``user`` or ``users`` is the user, as in LangMem's ``("memories", user_id)``. Layout:
``langgraph/store/sqlite/base.py`` of the package ``langgraph-checkpoint-sqlite``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from typing import Any

import apsw

from omoide.exchange.databases import Row, open_database, rows
from omoide.exchange.item_writer import ForeignStatement
from omoide.exchange.jsonstream import loads
from omoide.exchange.problems import BadRecord, Omission, Problem
from omoide.exchange.products.export import OpenExport, ProductFindings
from omoide.exchange.products.words import details, in_words, moment_of, statement

COLUMNS = frozenset({"prefix", "key", "value", "created_at", "updated_at"})
STORE = frozenset({"store", "store_migrations"})
BEFORE_USER = frozenset({"memories", "user", "users"})
HEAD_LIMIT = 1_000  # bytes of a header
_CSV = re.compile(r".*\.csv", re.IGNORECASE)


def is_in(export: OpenExport) -> bool:
    """Whether an export is such a database, or has such a CSV file."""
    return export.tables >= STORE or bool(_dumps(export))


def read(export: OpenExport) -> ProductFindings:
    """Every record of the store."""
    if export.tables >= STORE:
        yield from _of_rows(_of_database(export), export.path.name)
        return
    dumps = _dumps(export)
    for name in dumps:
        yield from _of_rows(_of_csv(export, name), name)
    yield from export.others(dumps)


def _dumps(export: OpenExport) -> list[str]:
    return [name for name in export.source.find(_CSV, alone=False) if _is_dump(export, name)]


def _is_dump(export: OpenExport, name: str) -> bool:
    with export.source.open(name) as file:
        head = file.readline(HEAD_LIMIT).decode(errors="replace")
    return frozenset(head.replace('"', "").strip().split(",")) >= COLUMNS


def _of_database(export: OpenExport) -> Iterator[Row]:
    with closing(open_database(export.path)) as db:
        yield from rows(db, "langgraph.store")


def _of_csv(export: OpenExport, name: str) -> Iterator[Row]:
    with export.source.open(name) as file:
        yield from csv.DictReader(io.TextIOWrapper(file, "utf-8", errors="replace", newline=""))


def _of_rows(found: Iterator[Row], name: str) -> ProductFindings:
    number = 0
    try:
        for number, row in enumerate(found, 1):
            yield from _record(row, f"{name}: record {number}")
    except (apsw.Error, csv.Error) as error:
        yield Problem(f"{name}: from record {number + 1} on", str(error))


def _record(row: Row, place: str) -> ProductFindings:
    try:
        value = loads(str(row["value"]).encode())
    except BadRecord as bad:
        yield Problem(place, str(bad))
        return
    namespace = str(row["prefix"] or "").split(".")
    text, others = _words(value)
    if not text.strip():
        yield Omission("records without words", 1, place)
        return
    at, until = moment_of(row, "updated_at", "created_at"), moment_of(row, "expires_at")
    told = details(at, None, others, namespace=".".join(namespace), key=str(row["key"]))
    said = statement(text, details=replace(told, expires_at=until))
    id = json.dumps([row["prefix"], row["key"]])
    yield ForeignStatement(id=id, place=place, said=said, user=_user(namespace))


def _words(value: Any) -> tuple[str, dict[str, Any]]:
    """The text of a value, and what it has besides: all of it is text where it has no content."""
    if not isinstance(value, dict) or "content" not in value:
        return in_words(value), {}
    others = {key: inner for key, inner in value.items() if key != "content"}
    return in_words(value["content"]), others


def _user(namespace: list[str]) -> str | None:
    """The user of a namespace, if it tells one."""
    return next(
        (user for before, user in pairwise(namespace) if before in BEFORE_USER and user), None
    )
