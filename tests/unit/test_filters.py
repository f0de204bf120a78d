"""Metadata filters: known operators, strict types."""

from __future__ import annotations

from typing import Any

import pytest

from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.query import Query
from omoide.read.filters import JOINING, OPERATORS, check_filter, checked, passes


@pytest.mark.parametrize("name", ["$like", "$regex", "$or", "$"])
def test_an_unknown_operator_is_an_error(name: str) -> None:
    """A filter that nobody understands is never ignored."""
    with pytest.raises(UnknownName) as caught:
        check_filter({"rank": {name: 3}})
    assert caught.value.name == name
    assert caught.value.known == tuple(OPERATORS)


@pytest.mark.parametrize(
    ("conditions", "name"),
    [
        ({"rank": {"gt": 3}}, "gt"),
        ({"rank": {"GTE": 3}}, "GTE"),
        ({"rank": {"$not": {"lt": 3}}}, "lt"),
        ({"rank": {"between": [1, 3]}}, "between"),
        ({"rank": {"greater_than": 3}}, "greater_than"),
        ({"must": [{"rank": 1}]}, "must"),
        ({"OR": [{"rank": 1}, {"rank": 2}]}, "OR"),
        ({"and": [{"rank": 1}]}, "and"),
        ({"not": {"rank": 1}}, "not"),
        ({"$nor": [{"rank": 1}]}, "$nor"),
        ({"$or": [{"rank": 1}, {"AND": [{"rank": 2}]}]}, "AND"),
    ],
)
def test_an_operator_without_its_sign_is_an_error(conditions: dict[str, Any], name: str) -> None:
    """Nothing is silently empty: the known ones are named."""
    with pytest.raises(UnknownName) as caught:
        check_filter(conditions)
    assert caught.value.name == name
    assert caught.value.known in (tuple(OPERATORS), tuple(JOINING))


@pytest.mark.parametrize(
    "conditions",
    [{"$or": []}, {"$or": {"rank": 1}}, {"$and": ["rank"]}, {"$not": [{"rank": 1}]}],
)
def test_what_joins_filters_wants_filters(conditions: dict[str, Any]) -> None:
    """A list of them, one at least; $not a single one."""
    with pytest.raises(InvalidInput, match="wants"):
        check_filter(conditions)


def test_filters_within_filters_have_an_end() -> None:
    """Whatever nests them."""
    deep: dict[str, Any] = {"rank": 1}
    inner: Any = 1
    for _ in range(10_000):
        deep, inner = {"$or": [deep]}, {"$not": inner}
    for conditions in (deep, {"rank": inner}):
        with pytest.raises(InvalidInput, match="nested"):
            check_filter(conditions)


@pytest.mark.parametrize(
    ("conditions", "good", "bad"),
    [
        ({"$or": [{"k": 1}, {"k": 2}]}, [1, 2], [3, None]),
        ({"$and": [{"k": {"$gt": 1}}, {"k": {"$lt": 4}}]}, [2, 3], [1, 4]),
        ({"$not": {"k": 1}}, [2, None], [1]),
        ({"k": {"$not": {"$gt": 2}}}, [1, 2, "a"], [3]),
        ({"k": {"$gt": 0}, "$or": [{"k": 1}, {"$not": {"k": {"$lt": 5}}}]}, [1, 5], [2, 0]),
        ({"or": "here"}, [], [1]),
    ],
)
def test_filters_are_joined(conditions: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    """By $or, $and and $not, within each other and beside keys."""
    check_filter(conditions)

    assert [value for value in (*good, *bad) if passes({"k": value}, conditions)] == good


@pytest.mark.parametrize("stored", [{"gt": 3}, {"x": 1}, {}, [{"x": 1}]])
def test_a_stored_mapping_is_compared_by_eq(stored: Any) -> None:
    """{"gt": 3} may be what somebody stored."""
    condition = {"k": {"$eq": stored}}
    check_filter(condition)

    assert passes({"k": stored}, condition)
    assert not passes({"k": {"y": 1}}, condition)


def test_a_condition_without_an_operator_is_an_error() -> None:
    """It would let everything pass."""
    with pytest.raises(InvalidInput, match="operator"):
        check_filter({"rank": {}})


@pytest.mark.parametrize("sign", ["=", "==", ">", ">=", "<>", "!="])
def test_a_sign_is_no_key_of_a_value(sign: str) -> None:
    """Nothing would ever equal it; the error names the operators there are."""
    with pytest.raises(UnknownName, match=r"\$gte"):
        check_filter({"depth": {sign: 5}})


@pytest.mark.parametrize("wanted", ["yes", "false", 1, None])
def test_exists_wants_true_or_false(wanted: Any) -> None:
    """The word "false" in quotes would be taken for true."""
    with pytest.raises(InvalidInput, match="true or false"):
        check_filter({"depth": {"$exists": wanted}})


@pytest.mark.parametrize("condition", [{"$gte": 1, "lte": 3}, {"$gte": 1, "x": {}}])
def test_operators_and_plain_keys_do_not_mix(condition: dict[str, Any]) -> None:
    """A forgotten dollar sign is told, not read as a value that nothing equals."""
    with pytest.raises(UnknownName):
        check_filter({"rank": condition})


def test_a_list_operator_wants_a_list() -> None:
    """One text would be searched letter by letter."""
    for operator in ("$in", "$nin"):
        with pytest.raises(InvalidInput, match="list"):
            check_filter({"tag": {operator: "abc"}})
        check_filter({"tag": {operator: ["abc"]}})


@pytest.mark.parametrize(
    ("have", "want"),
    [
        (1, "1"),
        (1, True),
        (0, False),
        (None, 0),
        ("", None),
        ([1], 1),
        ("a", ["a"]),
        ({}, []),
        (1.5, "1.5"),
    ],
)
def test_values_of_other_types_are_never_equal(have: Any, want: Any) -> None:
    """$eq is strict: 1 is neither "1" nor true."""
    assert not passes({"k": have}, {"k": {"$eq": want}})
    assert not passes({"k": want}, {"k": {"$eq": have}})
    assert passes({"k": have}, {"k": {"$ne": want}})


@pytest.mark.parametrize("value", [1, 1.0, "1", True, None, [1, "a"], {"a": [1]}])
def test_a_value_equals_itself(value: Any) -> None:
    """Of whatever type; whole and broken numbers compare by value."""
    assert passes({"k": value}, {"k": {"$eq": value}})
    assert passes({"k": 1}, {"k": 1.0})


@pytest.mark.parametrize(
    ("value", "loose"),
    [(True, 1), ([True], [1]), ({"a": True}, {"a": 1}), ([{"a": 0}], [{"a": False}])],
)
def test_nested_values_are_compared_strictly_too(value: Any, loose: Any) -> None:
    """[true] is not [1]."""
    assert not passes({"k": value}, {"k": {"$eq": loose}})


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ({"$gt": 3}, [4, 3.5], [3, "4", True, None]),
        ({"$gte": 3}, [3], [2.9, "3"]),
        ({"$lt": "m"}, ["a"], ["m", 1]),
        ({"$lte": "m"}, ["m"], ["n", None]),
        ({"$in": [1, "a"]}, [1, "a"], ["1", True]),
        ({"$nin": [1, "a"]}, ["1", True], [1, "a"]),
        ({"$contains": "a"}, ["cat", ["a", "b"]], ["dog", ["cat"], 1]),
        ({"$exists": True}, [None, 0], []),
        ({"$gte": 1, "$lt": 3}, [1, 2], [0, 3]),
    ],
)
def test_operators_compare_within_a_type(
    condition: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    """Numbers with numbers, texts with texts; several on one key must all hold."""
    assert all(passes({"k": value}, {"k": condition}) for value in good)
    assert not any(passes({"k": value}, {"k": condition}) for value in bad)


def test_what_is_not_there_only_passes_exists_false_and_the_negative_ones() -> None:
    """A missing key equals nothing."""
    assert passes({}, {"k": {"$exists": False}})
    assert passes({}, {"k": {"$ne": 1}})
    assert not passes({}, {"k": {"$eq": None}})
    assert not passes({}, {"k": {"$exists": True}})


def test_a_dotted_key_looks_inside() -> None:
    """Unless the metadata has that very key."""
    assert passes({"place": {"city": "Rome"}}, {"place.city": "Rome"})
    assert passes({"place.city": "Rome"}, {"place.city": "Rome"})
    assert not passes({"place": "Rome"}, {"place.city": "Rome"})


def test_a_floor_of_no_arm_is_an_error() -> None:
    """A slip would let everything through."""
    floors: Any = {"vctor": 0.5}

    with pytest.raises(UnknownName, match="vector"):
        checked(Query(text="ore", floors=floors))
