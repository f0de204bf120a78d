"""Commands that tell memory something: remember, ingest, correct, undo, name entities, note calls
of tools, and the like.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

from typer import Argument, Option

from omoide.cli.completion import choice, entity_names
from omoide.cli.here import Here, note
from omoide.cli.options import (
    Bases,
    ChangeId,
    DueAt,
    Entities,
    FromChannel,
    ItemId,
    MessagesFile,
    NewCategory,
    OnlyArgNames,
    PreviewUndo,
    Private,
    Sensitive,
    StatementsFile,
    Tags,
    ToolArgs,
    ToolError,
    ToolResult,
    ToolTook,
)
from omoide.cli.show import day, items, safe
from omoide.nouns import ids
from omoide.nouns.entity import Entity
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.item import Details, Item, Source
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn

if TYPE_CHECKING:
    from rich.text import Text

    from omoide.memory import Memory
    from omoide.tables.item_fields import ItemEdit
    from omoide.write.ingest import Ingested
    from omoide.write.remember import Remembered, Statement

VERDICTS = ("helpful", "harmful")


def remember(
    here: Here,
    text: Annotated[str, Argument(help="What to remember, word for word; - reads standard input.")],
    category: NewCategory = "fact",
    tag: Tags = None,
    entity: Entities = None,
    base: Bases = None,
    due: DueAt = None,
    sensitive: Sensitive = False,
) -> None:
    """Remember a statement, word for word."""
    with here.opened(create=True, whose=True) as memory:
        told = memory.remember(
            words_of(text),
            here.scope,
            category=category,
            tags=tag or (),
            entities=entity or (),
            due_at=due,
            details=Details(sensitive=sensitive, source=Source.USER, bases=_ids(base)),
        )
        here.tell(told, _outcome(memory, told, here.scope))
        if not here.as_json:
            _note_masked(told.item, memory.kept)


def words_of(text: str) -> str:
    """The words that are given, or those of standard input for a dash, without its last line end.

    Raises:
        InvalidInput: standard input is not UTF-8.
    """
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise InvalidInput("text", "standard input is not UTF-8") from None


def _ids(named: Sequence[str] | None) -> tuple[ids.ItemId, ...]:
    return tuple(map(ids.ItemId, named or ()))


def _outcome(memory: Memory, told: Remembered, scope: Scope) -> Text:
    """What became of a statement, and of what it replaced or was added beside."""
    from omoide.write.remember import Outcome

    done = Outcome.ADDED if told.superseded else told.outcome
    line = safe(f"{done.value} {told.id}: ") + safe(told.item.text, 200)
    if told.item.due_at:
        line += f", due {day(told.item.due_at)}"
    if told.superseded:
        old = memory.get(told.superseded, scope)
        line += safe(f"\n{told.outcome.value} {old.id}: ") + safe(old.text, 200)
    if told.similar:
        line += _similar(memory.get(told.similar, scope), told.similar)
    return line


def _note_masked(item: Item, kept: Collection[str]) -> None:
    """Say how many secrets were taken out of an item, if any were."""
    if gone := [mask for mask in item.masks if mask.kind not in kept]:
        note(f"{counted(len(gone), 'secret')} masked: it is kept nowhere")


def _similar(item: Item | Turn, id: str) -> Text:
    """What tells of the item that a new one was added beside, and how to replace it."""
    text = "(sensitive)" if getattr(item, "sensitive", False) else item.text
    remedy = f"\nBoth are kept. If the new one replaces it: omoide correct {id} TEXT"
    return safe(f"\nsimilar to {id}: ") + safe(text, 200) + safe(remedy)


def ingest(
    here: Here, path: MessagesFile, private: Private = False, channel: FromChannel = ""
) -> None:
    """Log messages, such as {"role": "user", "content": "Hi"}, in the session named before, or a
    new one.
    """
    from omoide.write.ingest import conversation_of

    messages = _objects(path, "messages", '{"role": "user", "content": "Hi"}')
    # they say whose they are
    themselves = bool(channel) or any(message.get("user") for message in messages)
    with here.opened(create=True, whose=not themselves) as memory:
        scope = here.scope
        talk = replace(conversation_of(messages, scope, memory.clock), channel=channel)
        logged = memory.ingest(talk, scope, private=private)
        memory.admin.tidy(only=["vectors"])
    blank = len(talk.messages) - len(logged.turns)
    here.tell(logged, f"session {talk.id}: {_logged(logged, blank)}")


def _logged(logged: Ingested, blank: int) -> str:
    """How many messages became turns, and what became of the others."""
    parts = (
        f"{counted(logged.added, 'turn')} added",
        f"{logged.repeated} there already" if logged.repeated else "",
        f"{counted(blank, 'message')} without words left out" if blank else "",
        f"{counted(logged.masked, 'secret')} masked" if logged.masked else "",
    )
    return ", ".join(filter(None, parts))


def seed(here: Here, path: StatementsFile) -> None:
    """Remember many statements at once, such as {"text": "Ana likes tea", "category":
    "preference"}; all of them, or none.
    """
    given = _objects(path, "statements", '{"text": "Ana likes tea"}')
    statements = [_statement(one, n) for n, one in enumerate(given)]
    with here.opened(create=True, whose=True) as memory:
        items = memory.items.add_many(statements, here.scope)
        here.tell(items, f"{counted(len(items), 'item')} added")


def _statement(given: dict[str, Any], number: int) -> Statement:
    """A statement by the names of its fields, and of those of its details."""
    from omoide.write.remember import Statement

    own = [name for name in Statement.__dataclass_fields__ if name != "details"]
    known = (*own, *Details.__dataclass_fields__)
    for name in given:
        if name not in known:
            raise UnknownName(f"statement {number}", name, known)
    if "text" not in given:
        raise InvalidInput(f"statement {number}", "has no text")
    said = {name: given[name] for name in own if name in given}
    rest = {name: value for name, value in given.items() if name not in said}
    return Statement(**said, details=Details(**{"source": Source.SEED} | rest))


def _objects(path: str, what: str, example: str) -> list[dict[str, Any]]:
    """The JSON objects of a file, or of standard input."""
    try:
        text = (sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()).decode("utf-8")
        found = parse_json(text) if text.lstrip().startswith("[") else list(_lines(text))
    except ValueError as error:
        raise InvalidInput(what, f"not JSON: {error}") from None
    if not all(isinstance(one, dict) for one in found):
        raise InvalidInput(what, f"each must be an object, such as {example}")
    return found


def _lines(text: str) -> Iterator[Any]:
    """One JSON value a line; only line ends part them, not the other separators that a string may
    hold.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield parse_json(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {getattr(error, 'msg', error)}") from None


def correct(
    here: Here,
    id: ItemId,
    text: Annotated[str, Argument(help="What is true instead; - reads standard input.")],
    at: Annotated[str | None, Option(help="Since when; if not given, now.")] = None,
) -> None:
    """Replace an item; the old one stays in its history."""
    with here.opened() as memory:
        users = Details(source=Source.USER)
        told = memory.correct(id, words_of(text), here.scope, at=at, details=users)
        line = safe(f"{told.id} now stands for {id}: ") + safe(told.item.text, 200)
        here.tell(told, line)


def edit(
    here: Here,
    id: ItemId,
    attributes: Annotated[
        list[str],
        Argument(help="name=value pairs, such as muted=true, due_at=2026-05-01, tags=a,b"),
    ],
) -> None:
    """Set attributes of an item, such as tags, due_at or muted; omoide correct changes its text."""
    with here.opened() as memory:
        given = cast("ItemEdit", dict(map(_attribute, attributes)))
        _show_item(here, memory.items.edit(id, here.scope, **given))


def _show_item(here: Here, item: Item) -> None:
    here.tell(item, lambda item: items([item]))


def _attribute(pair: str) -> tuple[str, object]:
    name, mark, value = pair.partition("=")
    if not mark:
        raise InvalidInput("attributes", f"{pair!r} is not name=value")
    from omoide.tables.item_fields import ItemEdit

    read = _READERS.get(get_type_hints(ItemEdit).get(name))
    return name, read(name, value) if read else value or None


def _several(name: str, value: str) -> list[str]:
    return [one.strip() for one in value.split(",") if one.strip()]


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InvalidInput(name, f"must be a number; got {value!r}") from None


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise InvalidInput(name, f"must be true or false; got {value!r}")
    return value.lower() == "true"


_READERS: dict[Any, Callable[[str, str], object]] = {
    Sequence[str]: _several,
    float: _number,
    bool: _flag,
}


def pin(
    here: Here, id: ItemId, off: Annotated[bool, Option("--off", help="Unpin it.")] = False
) -> None:
    """Pin an item, so that upkeep neither fades nor prunes it; --off unpins it."""
    with here.opened() as memory:
        _show_item(here, memory.items.pin(id, here.scope, pinned=not off))


def feedback(here: Here, id: ItemId, verdict: Annotated[str, choice(Argument, *VERDICTS)]) -> None:
    """Record whether a memory helped or harmed."""
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    with here.opened() as memory:
        item = memory.items.feedback(id, here.scope, helpful=verdict == "helpful")
        counts = f"helpful {item.helpful}, harmful {item.harmful}, confidence {item.confidence:.2f}"
        here.tell(item, f"{item.id}: {counts}")


def reopen(here: Here, id: ItemId) -> None:
    """Reopen a closed item, or keep one whose basis was closed."""
    with here.opened() as memory:
        _show_item(here, memory.items.reopen(id, here.scope))


def undo(here: Here, what: ChangeId, preview: PreviewUndo = False) -> None:
    """Undo a change, or all changes of a session or an import, except what changed since."""
    with here.opened() as memory:
        changes = memory.undo(what, here.scope, preview=preview)
        gone = f"; of {counted(len(changes.forgotten), 'record')} nothing is left, it was forgotten"
        lost = gone if changes.forgotten else ""
        kept = "".join(
            f"\nkept {one.record}: changed since by {one.by} ({one.action.value})"
            for one in changes.kept
        )
        did = "would take back" if preview else "took back"
        here.tell(changes, f"{did} {counted(len(changes), 'change')}{lost}{kept}")


def name(
    here: Here,
    entity: Annotated[str, Argument(help="An entity, such as person:ana.")],
    alias: Annotated[str | None, Argument(help="One more name for it.")] = None,
) -> None:
    """Add an entity, or give it another name."""
    with here.opened(create=True) as memory:
        _show_entity(here, memory.entities.name(entity, alias, here.scope))


def _show_entity(here: Here, entity: Entity) -> None:
    names = ", ".join(entity.aliases) or "no other name"
    here.tell(entity, safe(f"{entity.name} goes by {names}"))


def merge(
    here: Here,
    source: Annotated[
        str, Argument(help="The entity to merge; it goes.", autocompletion=entity_names)
    ],
    target: Annotated[
        str, Argument(help="The entity to merge it into.", autocompletion=entity_names)
    ],
) -> None:
    """Merge two entities into one."""
    with here.opened() as memory:
        _show_entity(here, memory.entities.merge(source, target, here.scope))


def split(
    here: Here,
    entity: Annotated[str, Argument(help="The entity that is two.", autocompletion=entity_names)],
    alias: Annotated[str, Argument(help="The name that is an entity of its own.")],
) -> None:
    """Split one of an entity's names off as an entity of its own."""
    with here.opened() as memory:
        _show_entity(here, memory.entities.split(entity, alias, here.scope))


def record_tool(
    here: Here,
    tool: Annotated[str, Argument(help="Name of the tool.")],
    args: ToolArgs = "{}",
    result: ToolResult = "",
    error: ToolError = None,
    duration_ms: ToolTook = None,
    sensitive: OnlyArgNames = False,
) -> None:
    """Record an agent's call of a tool, with secrets masked."""
    given = _args(args)
    with here.opened(create=True, whose=True) as memory:
        call = memory.tool_calls.record(
            tool,
            here.scope,
            args=given,
            result=result,
            error=error,
            duration_ms=duration_ms,
            sensitive=sensitive,
        )
        went = "succeeded" if call.success else "failed"
        here.tell(call, safe(f"noted {call.id}: {call.tool} {went}"))


def _args(written: str) -> dict[str, Any]:
    """The arguments of a call, written as a JSON object."""
    try:
        given = parse_json(written)
    except ValueError as problem:
        raise InvalidInput("args", f"not JSON: {problem}") from None
    if not isinstance(given, dict):
        raise InvalidInput("args", 'must be a JSON object, such as {"city": "Lisbon"}')
    return given
