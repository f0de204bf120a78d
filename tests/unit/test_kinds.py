"""Kinds of record answer every question, and every table and text of the schema belongs to one."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from omoide.kinds import KINDS, UNOWNED
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind, Rule, kind_named, kind_of
from omoide.store.queries import load_queries
from tests.source_tree import SRC

ENGINES = ("sqlite", "postgres")
NAMES = {kind.name for kind in KINDS}
# text columns that hold no words: ids, names of the program's own making, numbers, hashes
WORDLESS = {
    "tenant": "id",
    "name": "what a session is called by, as its id",
    "unconfirmed": "one of a closed list",
    "zone": "name of a time zone",
    "id": "id",
    "user_id": "id",
    "agent": "id",
    "session_id": "id",
    "only_session": "id",
    "context": "id",
    "author": "id",
    "record": "id",
    "ledger": "id",
    "head": "hash",
    "cause": "id",
    "target": "id",
    "superseded_by": "id",
    "similar_to": "id",
    "supersedes": "id",
    "item_id": "id",
    "base_id": "id",
    "one_id": "id",
    "other_id": "id",
    "entity_id": "id",
    "reflection_id": "id",
    "digest_id": "id",
    "procedure_id": "id",
    "source": "id, or how a record came to be",
    "sources": "ids",
    "digest": "id",
    "ref": "id",
    "sender": "id, which is searched for after it is erased",
    "channel": "id of a sender's place; of a session it is a text",
    "kind": "one of a closed list",
    "category": "one of a closed list",
    "role": "one of a closed list",
    "verdict": "one of a closed list",
    "state": "one of a closed list",
    "action": "one of a closed list",
    "operation": "one of a closed list",
    "provenance": "one of a closed list",
    "flags": "of a closed list",
    "masks": "kinds and places of secrets",
    "model": "name of a model",
    "reader": "name of a model",
    "tool": "name of a tool",
    "actor": "name of a program's part",
    "error": "of a job: names a class of errors, without what was said",
}


def columns(engine: str) -> Iterator[tuple[str, str, str]]:
    """Table, column and type of each column in the migrations of an engine."""
    for path in sorted((SRC / "store" / "migrations").glob(f"*.{engine}.sql")):
        text = re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))
        for table, body in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", text, re.DOTALL):
            for name, kind in re.findall(r"^\s+([a-z_]+)\s+([A-Z]+)", body, re.MULTILINE):
                yield table, name, kind
        yield from re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+) ([A-Z]+)", text)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_answers_every_question(kind: RecordKind[Any]) -> None:
    """Its texts are fields of its record; it can be found, walked and masked where it has texts, and
    taken back and forgotten where it stands on the ledger.
    """
    fields = {field.name for field in dataclasses.fields(kind.record)} if kind.record else set()

    assert {*kind.texts, *kind.names, *kind.masked_by} <= fields
    assert bool(kind.mask) == bool(kind.texts)
    assert not kind.texts or kind.table or kind.pages
    assert kind.revert or kind.name not in set(Kind)
    # changes of another store are kept beside the ledger, not loaded into it
    assert kind.name == "change" or {kind.fit is None, kind.load is None} in ({True}, {False})
    assert kind.record is None or kind_of(object.__new__(kind.record)) is kind
    assert kind_named(kind.name) is kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_edges_lead_from_kinds_to_kinds_by_queries_there_are(kind: RecordKind[Any]) -> None:
    """What can be left without support says what supports it, and what names another lets go."""
    rules = {edge.rule for edge in kind.edges}

    assert all(edge.query in load_queries(engine) for edge in kind.edges for engine in ENGINES)
    assert {name for edge in kind.edges for name in edge.of} <= NAMES
    assert (Rule.SUPPORTS in rules) == (kind.supports is not unsupported().supports)
    assert kind.let_go or Rule.NAMES not in rules
    assert kind.table or not kind.edges


def unsupported() -> RecordKind[Any]:
    """A kind that says nothing."""
    return kind_named("round")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_that_is_searched_for_says_which_records_still_hold_a_text(
    kind: RecordKind[Any],
) -> None:
    """Else a text that a record still holds counts as a residue of an erased one."""
    assert bool(kind.held) >= (kind.proof is not unsupported().proof)
    assert all(kind.held in load_queries(engine) for engine in ENGINES if kind.held)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_table_belongs_to_one_kind_or_says_why_to_none(engine: str) -> None:
    """A new table cannot be forgotten by what forgets, scans and moves."""
    owned = Counter(table.name for kind in KINDS for table in kind.tables)
    owned.update(table.name for table in UNOWNED)

    assert {table for table, _, _ in columns(engine)} == owned.keys()
    assert set(owned.values()) == {1}
    assert all(UNOWNED.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_every_text_column_is_one_of_its_kinds_texts_or_holds_no_words(engine: str) -> None:
    """A new text is masked, scanned and erased, or says why it need not be."""
    words = {table.name: {*kind.texts, *kind.columns} for kind in KINDS for table in kind.tables}
    unknown = [
        f"{table}.{name}"
        for table, name, kind in columns(engine)
        if kind == "TEXT" and table in words and name not in words[table] | WORDLESS.keys()
    ]

    assert len(list(columns(engine))) > 200
    assert not unknown
