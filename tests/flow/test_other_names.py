"""Who comes from another library is told what to call here."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from omoide import AsyncMemory, InvalidInput, Memory
from omoide.verbs.other_names import INSTEAD


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
@pytest.mark.parametrize("place", ["x.db", Path("x.db")])
def test_a_path_is_opened_by_open(kind: Any, place: str | Path) -> None:
    """The constructors take what is open, and say what to call for a path."""
    with pytest.raises(InvalidInput, match=rf"call (await )?{kind.__name__}\.open"):
        kind(place)


def test_open_takes_a_path(tmp_path: Path) -> None:
    """A Path is as good as its text."""
    with Memory.open(tmp_path / "x.db", home=tmp_path, embedder=None):
        assert (tmp_path / "x.db").exists()


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
@pytest.mark.parametrize("name", INSTEAD)
def test_names_of_other_libraries_name_the_verb(kind: Any, name: str) -> None:
    """Even of an object that has no attributes yet, as a twin in the making."""
    verb = re.escape(INSTEAD[name])
    with pytest.raises(AttributeError, match=f"{kind.__name__} has no '{name}'; use {verb}"):
        getattr(object.__new__(kind), name)


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
def test_each_verb_that_is_named_exists(kind: Any) -> None:
    """And no name that is answered for is one of its own."""
    named = {path for said in INSTEAD.values() for path in re.findall(r"([a-z_.]+)\(", said)}

    assert {path for path in named if not hasattr(kind, path.partition(".")[0])} == set()
    assert {name for name in INSTEAD if hasattr(kind, name)} == set()


def test_other_attributes_are_missing_as_ever(memory: Memory) -> None:
    """What is no verb anywhere is told in Python's own words, and objects are copied."""
    with pytest.raises(AttributeError, match="'Memory' object has no attribute 'frobnicate'"):
        memory.frobnicate  # type: ignore[attr-defined]  # noqa: B018

    assert copy.copy(memory).store is memory.store
    assert memory.at(context="home").store is memory.store


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
@pytest.mark.parametrize(
    ("name", "verb"), [("verify", "admin.verify"), ("merge", "entities.merge or users.merge")]
)
def test_a_verb_of_a_group_is_named_with_its_group(kind: Any, name: str, verb: str) -> None:
    """Where it is looked for among the everyday ones."""
    with pytest.raises(AttributeError, match=f"{kind.__name__} has no '{name}'; use {verb}$"):
        getattr(object.__new__(kind), name)
