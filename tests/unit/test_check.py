"""What callers may hand in."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest

from omoide.nouns.clock import in_zone
from omoide.nouns.errors import InvalidInput, InvalidTime, TooLong, UnknownName
from omoide.nouns.item import TEXT_LIMIT, Category
from omoide.nouns.metadata import Json
from omoide.nouns.turn import TURN_LIMIT
from omoide.text.given_time import read_time
from omoide.write.checks import (
    METADATA_LIMIT,
    TAGS_LIMIT,
    check_category,
    check_confidence,
    check_metadata,
    check_names,
    check_text,
)
from tests.source_tree import nodes


@pytest.mark.covers("GM-15", "LS-46")
@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000", None, 3, b"x"])
def test_blank_text_and_what_is_no_text_are_refused(text: Any) -> None:
    """With a ValueError that names the field."""
    with pytest.raises(InvalidInput, match="text") as caught:
        check_text(text)
    assert isinstance(caught.value, ValueError)
    assert caught.value.http_status == 422


@pytest.mark.covers("CX-28", "LS-45")
def test_over_long_text_is_refused_with_the_limit_named() -> None:
    """Never cut in silence; what is at the limit passes whole."""
    assert len(check_text("x" * TEXT_LIMIT)) == TEXT_LIMIT
    with pytest.raises(TooLong, match=f"{TEXT_LIMIT + 1} characters, the limit is {TEXT_LIMIT}"):
        check_text("x" * (TEXT_LIMIT + 1))


@pytest.mark.covers("GM-17", "CX-7", "LS-46")
def test_categories_are_nine_and_others_are_refused() -> None:
    """The error lists them."""
    assert len(Category) == 9
    assert check_category("fact") is Category.FACT
    with pytest.raises(UnknownName, match="preference"):
        check_category("opinion")


@pytest.mark.covers("GM-15", "LS-46")
def test_naive_and_unreadable_times_are_refused() -> None:
    """A datetime without zone would mean another hour elsewhere; a text without one is read on the
    user's clock.
    """
    for bad in (datetime(2026, 1, 1), "next week", ""):
        with pytest.raises(InvalidTime):
            read_time(bad, "due_at")
    with in_zone(timezone(timedelta(hours=9))):
        local = read_time("2026-01-01T10:00", "due_at")
    assert local == datetime(2026, 1, 1, 1, tzinfo=UTC)
    given = read_time("2026-01-01T10:00+02:00", "due_at")
    assert given is not None
    assert given.utcoffset() == timedelta(hours=2)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_confidence_is_from_zero_to_one(value: float) -> None:
    """Anything else is refused."""
    with pytest.raises(InvalidInput, match="confidence"):
        check_confidence(value)
    assert check_confidence(1) == 1.0


def test_names_are_a_list_each_once() -> None:
    """One text is not a list of letters; too many are refused."""
    assert check_names(["a", "b", "a"], "tags") == ("a", "b")
    with pytest.raises(InvalidInput, match="give a list"):
        check_names("home", "tags")
    with pytest.raises(TooLong):
        check_names([str(n) for n in range(TAGS_LIMIT + 1)], "tags")
    for bad in ("", " a", "a\0", "\ud800"):
        with pytest.raises(InvalidInput):
            check_names([bad], "tags")


@pytest.mark.parametrize(
    "bad",
    [
        {1: "a"},
        {"a": object()},
        {"a": float("nan")},
        {"a": {1, 2}},
        {"a": b"x"},
        {"a": {"b": {2: "c"}}},
        [1],
    ],
)
def test_metadata_is_json(bad: Any) -> None:
    """Text keys and finite numbers, on every level."""
    with pytest.raises(InvalidInput, match="metadata"):
        check_metadata(bad)


def test_metadata_has_limits() -> None:
    """Of depth and of size."""
    deep: dict[str, Any] = {}
    for _ in range(8):
        deep = {"a": deep}
    with pytest.raises(InvalidInput, match="deep"):
        check_metadata(deep)
    with pytest.raises(TooLong):
        check_metadata({"a": "x" * METADATA_LIMIT})


def test_metadata_is_a_copy() -> None:
    """What the caller changes later changes no record."""
    inner: list[Json] = ["a"]
    kept = check_metadata(MappingProxyType({"a": inner}))
    inner.append("b")

    assert kept == {"a": ["a"]}


@pytest.mark.covers("LS-22")
@pytest.mark.parametrize("limit", [TEXT_LIMIT, TURN_LIMIT, METADATA_LIMIT])
def test_a_limit_stands_in_one_place(limit: int) -> None:
    """Where items and turns are handled its number is written once; everybody else names the
    constant.
    """
    rooms = ("nouns/", "memory", "aio", "write/", "read/", "tables/", "upkeep/", "verbs/", "cli/")
    handlers = [parts for path, parts in nodes() if path.startswith(rooms)]
    numbers = [
        node
        for parts in handlers
        for node in parts
        if isinstance(node, ast.Constant) and node.value == limit
    ]

    assert len(handlers) > 30
    assert len(numbers) == 1


def test_a_blank_text_is_told_in_words_that_fit_every_command() -> None:
    """The same check is that of what is remembered, reworded or looked for."""
    with pytest.raises(InvalidInput) as caught:
        check_text(" ")
    assert str(caught.value) == "text: is blank; give a word at least"
