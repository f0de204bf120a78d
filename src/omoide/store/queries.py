"""Loads the named queries of ``sql/``: shared ones from ``x.sql``, differing ones by engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

_TENANT = re.compile(r":tenant\b")
_SHARED = frozenset({"embedders", "meta", "schema"})  # tables without rows of tenants
_HEADER = re.compile(r"^-- ([a-z_]+\.[a-z_]+) --$", re.MULTILINE)


@cache
def load_queries(engine: str) -> Mapping[str, str]:
    """Every query of that engine (``sqlite`` or ``postgres``) by name."""
    queries: dict[str, str] = {}
    for file in sorted(
        resources.files("omoide.store").joinpath("sql").iterdir(), key=lambda f: f.name
    ):
        parts = file.name.split(".")
        if parts[-1] == "sql" and (len(parts) == 2 or parts[1] == engine):
            queries.update(split_queries(file.read_text("utf-8")))
    return MappingProxyType(queries)


@cache
def own_queries(engine: str) -> Mapping[str, str]:
    """The queries by name that one engine's own code runs, and no table."""
    file = resources.files(f"omoide.store.{engine}").joinpath("queries.sql")
    return MappingProxyType(split_queries(file.read_text("utf-8")))


@cache
def reading_queries(engine: str) -> frozenset[str]:
    """The names of the queries that change no row."""
    return frozenset(
        name for name, text in load_queries(engine).items() if text.startswith("SELECT")
    )


@cache
def store_wide_queries(engine: str) -> frozenset[str]:
    """The names of the queries about rows of all tenants: those that bind none, apart from queries
    on tables that all tenants share.
    """
    return frozenset(
        name
        for name, text in load_queries(engine).items()
        if not _TENANT.search(text) and name.partition(".")[0] not in _SHARED
    )


def split_queries(text: str) -> dict[str, str]:
    """The queries of one file: a ``-- name --`` line, a comment, one statement."""
    parts = _HEADER.split(text)[1:]
    return {
        name: "\n".join(line for line in body.splitlines() if not line.startswith("--"))
        .strip()
        .removesuffix(";")
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
