"""The options of commands that ask: a question and its filters, declared once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, TypeAlias

from typer import Option

from omoide.cli.here import Here
from omoide.cli.options import (
    AllTags,
    AnyEntity,
    BeforeTime,
    Categories,
    ConfirmedOnly,
    FromTime,
    MemoryKind,
    Preset,
    Question,
    SensitiveToo,
)
from omoide.cli.signing import parameters_of, signed
from omoide.nouns.errors import InvalidInput
from omoide.nouns.memory_type import MemoryType, narrowed
from omoide.nouns.query import Query

QueryMaker: TypeAlias = Callable[[], Query]

AsOf = Annotated[
    str | None,
    Option(help="What was true then: ISO 8601 (a date alone: its start), or words like yesterday."),
]
KnownAt = Annotated[str | None, Option(help="What was known then, likewise.")]


def query_of(
    question: Question,
    category: Categories = None,
    tag: AllTags = None,
    entity: AnyEntity = None,
    type: MemoryKind = None,
    since: FromTime = None,
    until: BeforeTime = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    preset: Preset = "default",
    sensitive: SensitiveToo = False,
    confirmed_only: ConfirmedOnly = False,
) -> Query:
    """The question with its filters."""
    from omoide.write.checks import check_category, check_one_of

    query = Query(
        text=question,
        categories=frozenset(map(check_category, category)) if category else None,
        tags=tuple(tag or ()),
        entities=tuple(entity or ()),
        since=since,
        until=until,
        as_of=as_of,
        known_at=known_at,
        preset=preset,
        include_sensitive=sensitive,
        confirmed_only=confirmed_only,
    )
    return query if type is None else narrowed(query, check_one_of(MemoryType, type, "type"))


NARROWING = (
    *("category", "tag", "entity", "type", "since", "until"),
    *("as_of", "known_at", "confirmed_only"),
)


def _check_asked(question: str, options: Mapping[str, Any]) -> None:
    """
    Raises:
        InvalidInput: the question is blank, and no option narrows it.
    """
    if not question.strip() and not any(options.get(name) for name in NARROWING):
        raise InvalidInput(
            "question",
            "is blank; say what to look for, or narrow it, such as by --since or --category",
        )


def takes_query(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameter ``query`` gives what `query_of` makes of its options; it is called
    once the memory is open, since days are those of its user.
    """
    here, _, *own = parameters_of(command)
    question, *asking = parameters_of(query_of)

    @wraps(command)
    def run(here: Here, question: str, **given: Any) -> None:
        options = {one.name: given.pop(one.name) for one in asking}
        _check_asked(question, options)  # before a store is looked for
        command(here, lambda: query_of(question, **options), **given)

    return signed(run, [here, question, *asking, *own])
