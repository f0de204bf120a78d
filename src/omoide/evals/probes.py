"""One's own conversations and questions, as lines of JSON; and lists of messages with questions, as one JSON file.

``docs/howto/evaluation.md`` gives both forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omoide.clock import parse_time
from omoide.errors import InvalidInput
from omoide.evals.dataset import Case, Probe, parsed
from omoide.records import Conversation, Message
from omoide.write.remember import Statement

_FIELDS = {
    "message": frozenset({"id", "text", "case", "session", "role", "speaker", "at"}),
    "item": frozenset({"id", "text", "case", "category", "tags", "entities"}),
    "question": frozenset({"id", "text", "case", "category", "gold", "at"}),
}


@dataclass(slots=True)
class _Told:
    """A case as it is read."""

    sessions: dict[str, list[Message]] = field(default_factory=dict)
    statements: list[tuple[str, Statement]] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)


def cases(files: Sequence[tuple[Path, bytes]]) -> tuple[Case, ...]:
    """The cases of several files. A case may go on in another file.

    Raises:
        InvalidInput: a line is wrong; the message says which and how.
    """
    told: dict[str, _Told] = {}
    for path, content in files:
        for place, line in _lines(path, content):
            _take(told.setdefault(str(line.get("case", "all")), _Told()), line, place)
    return tuple(_case(name, case) for name, case in told.items())


def _lines(path: Path, content: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if ".jsonl" not in path.name:
        yield from _listed(path, parsed(path, content))
        return
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            place = f"{path.name}, line {number}"
            told = parsed(Path(place), line)
            if not isinstance(told, Mapping):
                raise InvalidInput("data", f"{place}: not an object")
            yield place, told


def _listed(path: Path, conversations: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The same lines out of conversations with ``messages`` and ``questions``."""
    for number, conversation in enumerate(conversations):
        name = str(conversation.get("id", number))
        place = f"{path.name}, conversation {name}"
        for position, message in enumerate(conversation["messages"]):
            given = {"text" if key == "content" else key: value for key, value in message.items()}
            yield place, {"id": str(position), **given, "type": "message", "case": name}
        for position, question in enumerate(conversation["questions"]):
            given = {"text" if key == "question" else key: value for key, value in question.items()}
            yield place, {"id": f"q{position}", **given, "type": "question", "case": name}


def _take(case: _Told, line: Mapping[str, Any], place: str) -> None:
    kind = line.get("type")
    if kind not in _FIELDS:
        raise InvalidInput("data", f"{place}: type must be message, item or question, not {kind!r}")
    if unknown := line.keys() - _FIELDS[kind] - {"type"}:
        raise InvalidInput("data", f"{place}: a {kind} has no field {min(unknown)!r}")
    id, text = str(line.get("id", "")), line.get("text")
    if not id or not isinstance(text, str):
        raise InvalidInput("data", f"{place}: a {kind} needs an id and a text")
    if (key := f"question {id}" if kind == "question" else id) in case.ids:
        raise InvalidInput("data", f"{place}: the id {id!r} stands twice")
    for name in ("gold", "tags", "entities"):
        if not isinstance(line.get(name, []), list):
            raise InvalidInput("data", f"{place}: {name} must be a list")
    case.ids.add(key)
    at = parse_time(line["at"], field=f"{place}: at") if line.get("at") else None
    if kind == "question":
        gold = frozenset(map(str, line.get("gold", ())))
        category = str(line.get("category", "all"))
        case.probes.append(Probe(id=id, text=text, category=category, gold=gold, at=at, held=bool(gold), apart=not gold))
    elif kind == "item":
        tags, entities = tuple(line.get("tags", ())), tuple(line.get("entities", ()))
        case.statements.append((id, Statement(text=text, category=line.get("category", "fact"), tags=tags, entities=entities)))
    else:
        message = Message(text=text, role=line.get("role", "user"), speaker=line.get("speaker"), at=at, key=id)
        case.sessions.setdefault(str(line.get("session", "session")), []).append(message)


def _case(name: str, told: _Told) -> Case:
    for probe in told.probes if told.sessions or told.statements else ():  # else they are about a store's own records
        if unknown := probe.gold - told.ids:
            raise InvalidInput("data", f"case {name}, question {probe.id}: gold {min(unknown)!r} is no message or item of its case")
    talks = tuple(Conversation(id=session, messages=tuple(messages)) for session, messages in told.sessions.items())
    return Case(id=name, talks=talks, statements=tuple(told.statements), probes=tuple(told.probes))
