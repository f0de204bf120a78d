"""The table of an item's fields, the record and the SQL written by hand say the same."""

from __future__ import annotations

import dataclasses
import re

import pytest

from omoide.nouns.item import Details, Item, ItemFilters
from omoide.store.queries import load_queries
from omoide.tables.item_fields import (
    ASKED,
    CHANGING,
    EDITABLE,
    ITEM_FIELDS,
    NAMES,
    TEXTS,
    WORDS,
    ItemEdit,
)

ENGINES = ("sqlite", "postgres")
# fields that are more than one column, or rows of other tables
APART = {
    "id",
    "scope",
    "text",
    "quote",
    "quote_span",
    "entities",
    "source_turns",
    "said_again",
    "bases",
}
# columns of these, and what the program alone uses
BESIDE = "tenant id user_id agent only_session text escaped quote quote_start quote_end salt"


def test_every_field_of_an_item_is_in_the_table() -> None:
    """And nothing else but its context, which is a part of its scope."""
    names = [field.name for field in ITEM_FIELDS]

    assert sorted(names) == sorted(
        {field.name for field in dataclasses.fields(Item)} - APART | {"context"}
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_adding_an_item_writes_every_field(engine: str) -> None:
    """Each column has the value of its own name."""
    query = load_queries(engine)["items.add"]
    names, values = (part.split(",") for part in re.findall(r"\(([^()]*)\)", query)[:2])
    columns = [name.strip() for name in names]

    assert sorted(columns) == sorted([*(f.name for f in ITEM_FIELDS), *BESIDE.split()])
    renamed = {"user_id": "user", "only_session": "session"}
    assert [f":{renamed.get(name, name)}" for name in columns] == [v.strip() for v in values]


@pytest.mark.parametrize("engine", ENGINES)
def test_setting_an_item_writes_every_field_that_may_change(engine: str) -> None:
    """And brings it back from the archive."""
    query = load_queries(engine)["items.set"].partition("WHERE")[0]
    columns = re.findall(r"(\w+) = (?:CAST\()?:(\w+)", query)

    assert [one for one, other in columns if one != other] == []
    assert sorted(one for one, _ in columns) == sorted(field.name for field in CHANGING)


@pytest.mark.parametrize("engine", ENGINES)
def test_masking_an_item_writes_every_field_with_words(engine: str) -> None:
    """Each text is one of them, and so are the lists and mappings that hold texts."""
    query = load_queries(engine)["items.relabel"].partition("WHERE")[0]

    assert sorted(re.findall(r"(\w+) = :\1\b", query)) == sorted(WORDS)
    assert {*TEXTS, "tags", "metadata", "meant"} == {*WORDS}


def test_statements_and_questions_name_what_the_table_says() -> None:
    """What is told of an item by a name, and what a question may ask for."""
    filters = {field.name for field in dataclasses.fields(ItemFilters)}

    assert {*NAMES} <= {field.name for field in dataclasses.fields(Details)}
    assert {*ASKED, "tags", "entities", "metadata"} == filters
    assert all(load_queries(engine)[query] for query in ASKED.values() for engine in ENGINES)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_search_index_follows_every_field_that_searches_filter_by(engine: str) -> None:
    """Where an item changes, its documents do."""
    query = load_queries(engine)["docs.set"].partition("WHERE")[0]
    columns = {one for one, _ in re.findall(r"(\w+) = (?:coalesce\(CAST\()?:(\w+)", query)}

    filterable = {field.name for field in ITEM_FIELDS if field.filterable}
    assert columns - {"seq", "around", "at"} == filterable


def test_edit_takes_every_field_that_may_be_edited() -> None:
    """Its type names them, for editors and type checkers."""
    assert sorted(ItemEdit.__annotations__) == sorted(EDITABLE)
