"""Words and values of other products' records, as items take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from omoide.exchange.shape import iso
from omoide.nouns.item import EXTRACTABLE, Category, Details, Source
from omoide.write.remember import Statement

NAME_LIMIT = 256  # characters of a tag or of an entity's name


def statement(
    text: str,
    *,
    category: str = Category.FACT,
    tags: Iterable[Any] = (),
    entities: Iterable[Any] = (),
    details: Details | None = None,
) -> Statement:
    """An imported statement; names that are none are left away."""
    return Statement(
        text=text,
        category=category if category in EXTRACTABLE else Category.FACT,
        tags=names(tags),
        entities=names(entities),
        details=details or Details(source=Source.IMPORT),
    )


def details(
    at: datetime | None = None,
    until: datetime | None = None,
    metadata: Mapping[str, Any] | None = None,
    **others: Any,
) -> Details:
    """Details of an imported statement that holds from ``at`` until ``until``; others are added to
    the metadata, where they are not empty.
    """
    if until is not None and (at is None or at >= until):
        at = until - timedelta(microseconds=1)
    told = {**(metadata or {}), **others}
    kept = {key: value for key, value in told.items() if value not in (None, "", [], {})}
    return Details(source=Source.IMPORT, valid_from=at, valid_until=until, metadata=kept)


def moment_of(row: Mapping[str, Any], *names: str) -> datetime | None:
    """The first of the fields of a record that is a time."""
    return next(filter(None, (iso(row.get(name), UTC) for name in names)), None)


def kept(row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields of a record that an item keeps in its metadata."""
    return {name: row.get(name) for name in names}


def names(given: Iterable[Any]) -> list[str]:
    """Those that can be names, on one line each."""
    told = (" ".join(name.split())[:NAME_LIMIT].strip() for name in given if isinstance(name, str))
    return list(dict.fromkeys(filter(None, told)))


def about(name: str, text: str) -> str:
    """A statement with the name of what it is about in front, where it does not have it."""
    return text if name.casefold() in text.casefold() else f"{name}: {text}"


def in_words(value: Any) -> str:
    """A JSON value as text: of an object its values, each behind its key."""
    match value:
        case None:
            return ""
        case Mapping() if len(value) == 1 and isinstance(next(iter(value.values())), str):
            return str(next(iter(value.values())))
        case Mapping():
            return "; ".join(f"{key}: {in_words(inner)}" for key, inner in value.items())
        case list():
            return ", ".join(map(in_words, value))
        case bool():
            return "yes" if value else "no"
    return str(value)
