"""Commands that tell memory something: remember, correct, edit, pin, feedback, reopen, undo, name, merge, split."""

from __future__ import annotations

from typing import Annotated

import typer

from omoide.cli.session import AsJson, moment, opened, print_json, scope_of

Id = Annotated[str, typer.Argument(help="Id of the item.")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (remember, correct, edit, pin, feedback, reopen, undo, name, merge, split):
        app.command()(command)


def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to remember, word for word.")],
    category: Annotated[str, typer.Option("--category", "-c", help="fact, preference, error, skill, note, reminder, …")] = "fact",
    tag: Annotated[list[str] | None, typer.Option("--tag", "-t", help="A tag; may be repeated.")] = None,
    entity: Annotated[list[str] | None, typer.Option("--entity", "-e", help="Who or what it is about, such as person:ana; may be repeated.")] = None,
    due: Annotated[str | None, typer.Option(help="When it is due, ISO 8601.")] = None,
    sensitive: Annotated[bool, typer.Option("--sensitive", help="Only shown when asked for.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remember a statement, word for word."""
    from omoide.cli.show import console, safe
    from omoide.records import Details, Source

    with opened(context) as memory:
        details = Details(sensitive=sensitive, source=Source.USER)
        told = memory.remember(
            text, scope_of(context), category=category, tags=tag or (), entities=entity or (), due_at=moment(due, "due"), details=details
        )
        if as_json:
            print_json(told)
        else:
            console.print(safe(f"{told.outcome.value} {told.id}: ") + safe(told.item.text, 200))


def correct(
    context: typer.Context,
    id: Id,
    text: Annotated[str, typer.Argument(help="What is true instead.")],
    at: Annotated[str | None, typer.Option(help="Since when, ISO 8601 [default: now]")] = None,
) -> None:
    """Replace an item by what is true instead; the old one stays in history."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        told = memory.correct(id, text, scope_of(context), at=moment(at, "at"))
        console.print(safe(f"{told.id} now stands for {id}: ") + safe(told.item.text, 200))


def edit(
    context: typer.Context,
    id: Id,
    attributes: Annotated[list[str], typer.Argument(help="name=value pairs, such as muted=true, due_at=2026-05-01, tags=a,b")],
) -> None:
    """Set attributes of an item, such as context, tags, due_at, muted or sensitive."""
    from omoide.cli.show import items

    with opened(context) as memory:
        items([memory.edit(id, scope_of(context), **dict(_attribute(a) for a in attributes))])


def _attribute(pair: str) -> tuple[str, object]:
    from omoide.errors import InvalidInput

    name, mark, value = pair.partition("=")
    if not mark:
        raise InvalidInput("attributes", f"{pair!r} is not name=value")
    if name == "tags":
        return name, [tag.strip() for tag in value.split(",") if tag.strip()]
    if name == "confidence":
        try:
            return name, float(value)
        except ValueError:
            raise InvalidInput(name, f"{value!r} is not a number") from None
    if name in ("sensitive", "pinned", "muted"):
        if value.lower() not in ("true", "false"):
            raise InvalidInput(name, f"{value!r} is neither true nor false")
        return name, value.lower() == "true"
    return name, value or None


def pin(context: typer.Context, id: Id, off: Annotated[bool, typer.Option("--off", help="Unpin it.")] = False) -> None:
    """Pin an item, or unpin it."""
    from omoide.cli.show import items

    with opened(context) as memory:
        items([memory.pin(id, scope_of(context), pinned=not off)])


def feedback(
    context: typer.Context, id: Id, verdict: Annotated[str, typer.Argument(help="helpful or harmful")]
) -> None:
    """Say whether a memory helped or did harm."""
    from omoide.cli.show import console
    from omoide.errors import UnknownName

    if verdict not in ("helpful", "harmful"):
        raise UnknownName("verdict", verdict, ("helpful", "harmful"))
    with opened(context) as memory:
        item = memory.feedback(id, scope_of(context), helpful=verdict == "helpful")
        console.print(f"{item.id}: helpful {item.helpful}, harmful {item.harmful}, confidence {item.confidence:.2f}")


def reopen(context: typer.Context, id: Id) -> None:
    """Hold a closed item to be true again."""
    from omoide.cli.show import items

    with opened(context) as memory:
        items([memory.reopen(id, scope_of(context))])


def undo(context: typer.Context, what: Annotated[str, typer.Argument(help="Id of a change, a session or an import.")]) -> None:
    """Take back a change, or all changes of a session or an import."""
    from omoide.cli.show import console

    with opened(context) as memory:
        changes = memory.undo(what, scope_of(context))
        console.print(f"took back {len(changes)} changes")


def name(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="An entity, such as person:ana.")],
    alias: Annotated[str | None, typer.Argument(help="One more name for it.")] = None,
) -> None:
    """Make an entity known, or give it one more name."""
    from omoide.cli.show import console

    with opened(context) as memory:
        made = memory.name(entity, alias, scope_of(context))
        console.print(f"{made.name} goes by {', '.join(made.aliases) or 'no other name'}")


def merge(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="The entity that is no more.")],
    target: Annotated[str, typer.Argument(help="The entity that it is.")],
) -> None:
    """Make one entity of two."""
    from omoide.cli.show import console

    with opened(context) as memory:
        made = memory.merge(source, target, scope_of(context))
        console.print(f"{made.name} goes by {', '.join(made.aliases) or 'no other name'}")


def split(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="The entity that is two.")],
    alias: Annotated[str, typer.Argument(help="The name that is an entity of its own.")],
) -> None:
    """Make an entity of its own of one of an entity's names."""
    from omoide.cli.show import console

    with opened(context) as memory:
        console.print(f"{memory.split(entity, alias, scope_of(context)).name} is an entity of its own")
