"""One's own conversations and questions, as lines of JSON; and lists of messages with questions, as
one JSON file.

``docs/howto/evaluation.md`` gives both forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from omoide.evals.dataset import Case, Probe, parsed
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Category
from omoide.nouns.record.lines import with_article
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from omoide.write.remember import Statement

_FIELDS = {
    "message": frozenset({"id", "text", "case", "session", "role", "speaker", "at"}),
    "item": frozenset({"id", "text", "case", "category", "tags", "entities"}),
    "question": frozenset({"id", "text", "case", "category", "gold", "at"}),
}
_CHOICES: Mapping[str, Mapping[str, type[StrEnum]]] = {
    "message": {"role": Role},
    "item": {"category": Category},
}


@dataclass(slots=True)
class _CaseDraft:
    """A case as it is read."""

    sessions: dict[str, list[Message]] = field(default_factory=dict)
    statements: list[tuple[str, Statement]] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    items: dict[str, str] = field(default_factory=dict)  # the id of the item with that text

    def add_item(self, id: str, line: Mapping[str, Any], place: str) -> None:
        """Add an item.

        Raises:
            InvalidInput: another says the same.
        """
        if (same := self.items.setdefault(line["text"].strip(), id)) != id:
            raise InvalidInput(
                "data",
                f"{place}: items {same!r} and {id!r} say the same, and are remembered as one; leave"
                " one out",
            )
        said = Statement(
            text=line["text"],
            category=line.get("category", Category.FACT),
            tags=tuple(line.get("tags", ())),
            entities=tuple(line.get("entities", ())),
        )
        self.statements.append((id, said))


def cases(files: Sequence[tuple[Path, bytes]]) -> tuple[Case, ...]:
    """The cases of several files. A case may go on in another file.

    Raises:
        InvalidInput: a line is wrong; the message says which and how.
    """
    told: dict[str, _CaseDraft] = {}
    for path, content in files:
        for place, line in _lines(path, content):
            name = line.get("case")
            case = told.setdefault("all" if name is None else str(name), _CaseDraft())
            _take(case, line, place)
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
    if not _is_objects(conversations):
        raise InvalidInput(
            "data",
            f"{path.name}: not a list of conversations, each an object with messages and questions",
        )
    for number, conversation in enumerate(conversations):
        name = str(conversation.get("id", number))
        for kind, read in (("message", _message), ("question", _question)):
            told, place = conversation.get(f"{kind}s"), f"{path.name}, conversation {name}"
            if not _is_objects(told):
                raise InvalidInput("data", f"{place}: {kind}s must be a list of objects")
            for position, each in enumerate(told):
                line = read(each, position) | {"type": kind, "case": name}
                yield f"{place}, {kind} {position}", line


def _is_objects(told: Any) -> bool:
    return isinstance(told, list) and all(isinstance(each, Mapping) for each in told)


def _message(told: Mapping[str, Any], position: int) -> dict[str, Any]:
    """As chat programs keep it: what it has besides, such as calls of tools, is passed over; one
    that only calls tools is empty.
    """
    content = told.get("content", told.get("text"))
    if isinstance(content, list):
        content = "\n".join(
            str(part["text"])
            for part in content
            if isinstance(part, Mapping) and part.get("type") == "text"
        )
    kept = {name: told[name] for name in _FIELDS["message"] & told.keys()}
    return {"id": str(position), **kept, "text": "" if content is None else content}


def _question(told: Mapping[str, Any], position: int) -> dict[str, Any]:
    return {"id": f"q{position}"} | {
        "text" if name == "question" else name: value for name, value in told.items()
    }


def _take(case: _CaseDraft, line: Mapping[str, Any], place: str) -> None:
    kind, id = _known(line, place), str(line["id"])
    if (key := f"question {id}" if kind == "question" else id) in case.ids:
        raise InvalidInput("data", f"{place}: the id {id!r} stands twice")
    case.ids.add(key)
    if kind == "item":
        case.add_item(id, line, place)
        return
    at = parse_time(line["at"], field=f"{place}: at", zone=UTC) if line.get("at") else None
    if kind == "question":
        case.probes.append(_probe(id, line, at))
    else:
        message = Message(
            text=line["text"],
            role=line.get("role", Role.USER),
            speaker=line.get("speaker"),
            at=at,
            key=id,
        )
        case.sessions.setdefault(str(line.get("session", "session")), []).append(message)


def _probe(id: str, line: Mapping[str, Any], at: datetime | None) -> Probe:
    gold = frozenset(map(str, line.get("gold", ())))
    return Probe(
        id=id,
        text=line["text"],
        category=str(line.get("category", "all")),
        gold=gold,
        at=at,
        held=bool(gold),
        apart=not gold,
    )


def _known(line: Mapping[str, Any], place: str) -> str:
    """What kind of line it is; nothing in it is of another form than it should be."""
    kind, text = line.get("type"), line.get("text")
    if kind not in _FIELDS:
        raise InvalidInput("data", f"{place}: type must be message, item or question, not {kind!r}")
    if unknown := line.keys() - _FIELDS[kind] - {"type"}:
        raise InvalidInput("data", f"{place}: {with_article(kind)} has no field {min(unknown)!r}")
    has_text = isinstance(text, str) and (bool(text.strip()) or kind == "message")
    if line.get("id") in (None, "") or not has_text:
        raise InvalidInput("data", f"{place}: {with_article(kind)} needs an id and a text")
    for name in ("gold", "tags", "entities"):
        if not isinstance(line.get(name, []), list):
            raise InvalidInput("data", f"{place}: {name} must be a list")
    for name, known in _CHOICES.get(kind, {}).items():
        if name in line and line[name] not in list(known):
            told = f"{name} must be one of {', '.join(known)}, not {line[name]!r}"
            raise InvalidInput("data", f"{place}: {told}")
    return str(kind)


def _case(name: str, told: _CaseDraft) -> Case:
    _check_gold(name, told)
    talks = (Conversation(id=id, messages=tuple(m)) for id, m in told.sessions.items())
    probes, statements = tuple(told.probes), tuple(told.statements)
    return Case(id=name, talks=tuple(talks), statements=statements, probes=probes)


def _check_gold(name: str, told: _CaseDraft) -> None:
    """That the answers to the questions of a case stand in it; without any text of its own, they
    are about a store's own records.
    """
    said = {str(m.key) for messages in told.sessions.values() for m in messages if m.text.strip()}
    said |= {id for id, _ in told.statements}
    for probe in told.probes if told.sessions or told.statements else ():
        if unknown := probe.gold - said:
            asked = f"case {name}, question {probe.id}: gold {min(unknown)!r}"
            raise InvalidInput(
                "data", f"{asked} is not a message or item of its case, or has no text"
            )
