"""The options of commands that ask: a question and its filters, declared once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

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
from omoide.cli.session import moment

if TYPE_CHECKING:
    from typing import TypeAlias

    from omoide.nouns.query import Query

    Asked: TypeAlias = Callable[[], Query]

AsOf = Annotated[
    str | None, typer.Option(help="What was true then: ISO 8601, or words such as yesterday.")
]
KnownAt = Annotated[str | None, typer.Option(help="What was known then, likewise.")]


def query_of(
    context: typer.Context,
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
    from omoide.nouns.memory_type import MemoryType, narrowed
    from omoide.nouns.query import Query
    from omoide.write.checks import check_category, check_one_of

    query = Query(
        text=question,
        categories=frozenset(map(check_category, category)) if category else None,
        tags=tuple(tag or ()),
        entities=tuple(entity or ()),
        since=moment(since, "since"),
        until=moment(until, "until", end_of_day=True),
        as_of=moment(as_of, "as_of"),
        known_at=moment(known_at, "known_at"),
        preset=preset,
        include_sensitive=sensitive,
        confirmed_only=confirmed_only,
    )
    return query if type is None else narrowed(query, check_one_of(MemoryType, type, "type"))


NARROWING = ("category", "tag", "entity", "type", "since", "until")


def _check_asked(question: str, options: Mapping[str, Any]) -> None:
    """
    Raises:
        InvalidInput: the question is blank, and no option narrows it.
    """
    from omoide.nouns.errors import InvalidInput

    if not question.strip() and not any(options.get(name) for name in NARROWING):
        raise InvalidInput(
            "question",
            "is blank; say what to look for, or narrow it, such as by --since or --category",
        )


def takes_query(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameter ``query`` gives what `query_of` makes of its options; it is called
    once the memory is open, since days are those of its user.
    """
    own = dict(signature(command).parameters)
    del own["context"], own["query"]
    asking = dict(signature(query_of).parameters)
    first = [asking.pop("context"), asking.pop("question")]

    @wraps(command)
    def run(context: typer.Context, question: str, **given: Any) -> None:
        options = {name: given.pop(name) for name in asking}
        _check_asked(question, options)  # before a store is looked for
        command(context, lambda: query_of(context, question, **options), **given)

    hints = get_type_hints(command, localns={"Asked": object}, include_extras=True)
    hints |= get_type_hints(query_of, localns={"Query": object}, include_extras=True)
    options = (
        one.replace(kind=Parameter.KEYWORD_ONLY) for one in (*asking.values(), *own.values())
    )
    _sign(run, [one.replace(annotation=hints[one.name]) for one in (*first, *options)])
    return run


def _sign(run: Callable[..., None], parameters: Sequence[Parameter]) -> None:
    """Let a function have these parameters for whoever reads its signature."""
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__dict__["__signature__"] = signature(run).replace(parameters=parameters)
    del run.__dict__["__wrapped__"]
