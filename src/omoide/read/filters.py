"""Filters of a query: metadata operators as a pure function, and the documents that pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from omoide.nouns.errors import InvalidInput, TooLong, UnknownName
from omoide.nouns.ids import clean_id
from omoide.nouns.item import Category
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Metadata
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.columns import asker, unpack_json
from omoide.tables.item_fields import ASKED
from omoide.text.letters import fold

QUERY_LIMIT = 10_000  # characters of a question
SEARCHED = (Kind.ITEM, Kind.TURN)


def _comparable(one: Any, other: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (one, other))
    return numbers or (isinstance(one, str) and isinstance(other, str))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool((type(one) is type(other) or _comparable(one, other)) and one == other)


def _within(have: Any, want: Any) -> bool:
    return isinstance(have, str) and isinstance(want, str) and want in have


_ABSENT: Any = object()

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": _same,
    "$ne": lambda have, want: not _same(have, want),
    "$gt": lambda have, want: _comparable(have, want) and have > want,
    "$gte": lambda have, want: _comparable(have, want) and have >= want,
    "$lt": lambda have, want: _comparable(have, want) and have < want,
    "$lte": lambda have, want: _comparable(have, want) and have <= want,
    "$in": lambda have, want: any(_same(have, w) for w in want),
    "$nin": lambda have, want: not OPERATORS["$in"](have, want),
    "$contains": lambda have, want: (
        any(_same(h, want) for h in have) if isinstance(have, list) else _within(have, want)
    ),
    "$exists": lambda have, want: (have is not _ABSENT) == bool(want),
    "$not": lambda have, want: not _meets(have, want),
}
# operators that stand in place of a key, around whole filters
JOINING: Mapping[str, Callable[[Mapping[str, Any], Any], bool]] = {
    "$and": lambda metadata, filters: all(passes(metadata, one) for one in filters),
    "$or": lambda metadata, filters: any(passes(metadata, one) for one in filters),
    "$not": lambda metadata, negated: not passes(metadata, negated),
}
DEPTH = 8  # filters within filters


def check_filter(conditions: Metadata, depth: int = DEPTH) -> None:
    """That a metadata filter names only known operators, each with what it takes.

    Raises:
        UnknownName: an operator nobody knows, such as ``gt``, ``between`` or ``OR``; filters are
            never ignored.
        InvalidInput: a condition without an operator, an operator without the list or filters that
            it takes, or too many within each other.
    """
    if depth < 1:
        raise InvalidInput("filter", f"is nested more than {DEPTH} deep")
    for key, condition in conditions.items():
        if _is_meant(key, condition):
            if key not in JOINING:
                raise UnknownName("filter", key, tuple(JOINING))
            for one in _joined(key, condition):
                check_filter(one, depth - 1)
        else:
            _check_condition(f"filter on {key!r}", condition, depth)


def _check_condition(field: str, condition: Any, depth: int) -> None:
    operators = _operators(condition)
    if not operators:
        raise InvalidInput(field, "names no operator; write {'$eq': {}} for an empty value")
    for operator, want in operators:
        if operator not in OPERATORS:
            raise UnknownName(field, operator, tuple(OPERATORS))
        if operator in ("$in", "$nin") and not isinstance(want, list | tuple):
            raise InvalidInput(field, f"{operator} wants a list")
        if operator == "$exists" and not isinstance(want, bool):
            raise InvalidInput(field, f"{operator} wants true or false")
        if operator == "$not":
            if depth < 1:
                raise InvalidInput(field, f"is nested more than {DEPTH} deep")
            _check_condition(field, want, depth - 1)


def _is_meant(key: str, condition: Any) -> bool:
    """Whether a key stands for an operator around filters: it has their sign, or a list of filters
    follows, or it is the name of one and a filter follows.
    """
    if isinstance(condition, list | tuple) and any(isinstance(one, Mapping) for one in condition):
        return True
    return key.startswith("$") or (f"${key.lower()}" in JOINING and isinstance(condition, Mapping))


def _joined(operator: str, condition: Any) -> Sequence[Metadata]:
    """The filters that an operator is around.

    Raises:
        InvalidInput: there is none, or something else.
    """
    filters = [condition] if operator == "$not" else condition
    proper = isinstance(filters, list | tuple) and all(isinstance(f, Mapping) for f in filters)
    if not proper or not filters:
        wants = "a filter" if operator == "$not" else "a list of filters, one at least"
        raise InvalidInput("filter", f"{operator} wants {wants}")
    return filters


def checked(query: Query) -> Query:
    """The query with its names in their normal form.

    Raises:
        TooLong: more text than a question has.
        UnknownName: a kind, arm or category nobody knows.
        InvalidInput: text that is none, a kind that is not searched, or a name that cannot be one.
    """
    if not isinstance(query.text, str):
        raise InvalidInput("query", f"must be text, not {type(query.text).__name__}")
    if len(query.text) > QUERY_LIMIT:
        raise TooLong("query", len(query.text), QUERY_LIMIT)
    check_filter(query.metadata)
    for kind in query.kinds:
        if kind not in SEARCHED:
            raise UnknownName("kind", str(kind), SEARCHED)
    for arm in query.floors:
        if arm not in tuple(Arm):
            raise UnknownName("floor", str(arm), tuple(Arm))
    for category in query.categories or ():
        if category not in tuple(Category):
            raise UnknownName("category", str(category), tuple(Category))
    given: dict[str, Any] = {
        name: clean_id(value, name)
        for name in (*ASKED, "without_session")
        if (value := getattr(query, name)) is not None
    }
    return replace(
        query,
        tags=_names(query.tags, "tags"),
        entities=_names(query.entities, "entities"),
        contexts=None if query.contexts is None else frozenset(_names(query.contexts, "contexts")),
        **given,
    )


def _names(names: Iterable[str], field: str) -> tuple[str, ...]:
    if isinstance(names, str):
        raise InvalidInput(field, f"give several, such as ({names!r},), not one text")
    return tuple(clean_id(name, field) for name in names)


def passes(metadata: Mapping[str, Any], conditions: Metadata) -> bool:
    """Whether metadata meets every condition: ``{"key": value}`` or ``{"key": {"$gte": 3}}``.

    A dotted key looks inside: ``"place.city"``. ``{"$or": [filter, …]}``, ``{"$and": [filter, …]}``
    and ``{"$not": filter}`` join filters. Values of different types are never equal, smaller or
    larger.
    """
    return all(
        JOINING[key](metadata, condition)
        if key in JOINING
        else _meets(_look_up(metadata, key), condition)
        for key, condition in conditions.items()
    )


def _meets(have: Any, condition: Any) -> bool:
    return all(OPERATORS[operator](have, want) for operator, want in _operators(condition))


def _operators(condition: Any) -> list[tuple[str, Any]]:
    """The operators of a condition with what they compare with; a plain value is to be equal.

    A mapping is always operators: to compare with a mapping that is stored, use ``$eq``.
    """
    return list(condition.items()) if isinstance(condition, Mapping) else [("$eq", condition)]


def _look_up(metadata: Mapping[str, Any], key: str) -> Any:
    if key in metadata:
        return metadata[key]
    value: Any = metadata
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def passing(tx: Transaction, scope: Scope, query: Query) -> frozenset[int] | None:
    """The documents that meet a query's names, such as the domain, tags, entities and metadata;
    None when it has none of these.
    """
    sees = asker(scope)
    sets: list[set[int]] = [
        {row["doc"] for row in tx.rows(found, **sees, **{name: value})}
        for name, found in ASKED.items()
        if (value := getattr(query, name)) is not None
    ]
    sets += [
        {row["doc"] for row in tx.rows("items.with_tag", **sees, tag=tag)} for tag in query.tags
    ]
    if query.entities:
        found = (tx.rows("items.with_entity", **sees, folded=fold(name)) for name in query.entities)
        sets.append({row["doc"] for rows in found for row in rows})
    if query.metadata:
        # what has no metadata at all meets negative conditions
        bare = int(passes({}, query.metadata))
        rows = [
            *tx.rows("items.with_metadata", **sees, bare=bare),
            *tx.rows("turns.with_metadata", **sees, bare=bare),
        ]
        sets.append(
            {row["doc"] for row in rows if passes(unpack_json(row["metadata"], {}), query.metadata)}
        )
    return frozenset(set.intersection(*sets)) if sets else None
