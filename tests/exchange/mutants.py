"""Exports whose shape changed: every fixture of JSON, altered at one place in one way each."""

from __future__ import annotations

import copy
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from omoide.nouns.errors import ImportRefused, InvalidInput
from tests.exchange.exports import FIXTURES, read_all

FORMATS = (
    "chatgpt claude_ai claude_code codex discord gemini_cli instagram signal slack telegram".split()
)
SAID = re.compile("told words number ([0-9]+) here")
Steps = tuple[str | int, ...]  # the way to a value: fields, and places in lists


def said(number: int) -> str:
    return f"told words number {number} here"


NEW = said(9_999)

# how a value may be changed, by what the change is called
CHANGES: dict[str, Callable[[Any], Any]] = {
    "text in a list": lambda v: [v] if isinstance(v, str) else v,
    "text in an object": lambda v: {"text": v} if isinstance(v, str) else v,
    "text as a value": lambda v: {"type": "x", "value": v} if isinstance(v, str) else v,
    "text in parts": lambda v: {"parts": [v]} if isinstance(v, str) else v,
    "text in blocks": lambda v: [{"type": "text", "text": v}] if isinstance(v, str) else v,
    "text in content": lambda v: {"content": {"content": v}} if isinstance(v, str) else v,
    "text in something new": lambda v: {"brandNew": v} if isinstance(v, str) else v,
    "list as an object": lambda v: (
        {f"{n}": one for n, one in enumerate(v)} if isinstance(v, list) and v else v
    ),
    "list as an object by names": lambda v: (
        {f"entry{n}": one for n, one in enumerate(v)} if isinstance(v, list) and v else v
    ),
    "object as a list": lambda v: list(v.values()) if isinstance(v, dict) and v else v,
    "one deeper": lambda v: {"inner": v},
    "one deeper in a list": lambda v: [v] if not isinstance(v, str) else v,
    "a new field": lambda v: {**v, "newest": NEW} if isinstance(v, dict) else v,
    "a new list": lambda v: {**v, "newest": [{"deep": NEW}]} if isinstance(v, dict) else v,
    "a message among others": lambda v: [*v, {"text": NEW}] if isinstance(v, list) else v,
    "a text among others": lambda v: [*v, NEW] if isinstance(v, list) else v,
    "null": lambda v: None,
    "a number": lambda v: 42 if isinstance(v, str) else v,
    "text in place of it": lambda v: NEW if not isinstance(v, str) else v,
    "nothing in it": lambda v: type(v)() if isinstance(v, list | dict | str) else v,
}
# fields of names and the like, which are not what somebody says
NAMES = re.compile(
    r"(?:.*_)?(?:type|.*name|title|href|members|from|actor|sender|action|(?:.*_)?id)", re.I
)
RENAMED = "another name"
RECORDS = ("messages", "chat_messages", "mapping")  # fields of records that are read one by one


@dataclass(frozen=True)
class Mutant:
    """One change of one file: at which place, and the file's value then."""

    file: str
    at: Steps
    change: str
    value: Any

    def __str__(self) -> str:
        return f"{self.file} {'.'.join(map(str, self.at))}: {self.change}"


@dataclass(frozen=True)
class Imported:
    """What an import gave: the numbers of texts said in messages, and stored anywhere, what it
    counted, and what stood in its way.

    refused is the error of an import that was refused as a whole.
    """

    said: frozenset[int]
    stored: frozenset[int]
    counted: Counter[str]
    problems: Counter[str]
    refused: str = ""


def imported(path: Path, format: str | None) -> Imported:
    """Read an export; any error but the two typed ones goes through."""
    try:
        talks, found, omissions = read_all(path, format=format, user="ana", zone="UTC")
    except (ImportRefused, InvalidInput) as error:
        return Imported(frozenset(), frozenset(), Counter(), Counter(), str(error))
    texts = [message.text for talk in talks for message in talk.messages]
    problems = Counter(map(str, found))
    counted = Counter({one.kind: one.count for one in omissions})
    return Imported(numbers_in(texts), numbers_in(repr(talks)), counted, problems)


class Export:
    """A fixture whose imported texts are numbered, in a folder of its own."""

    def __init__(self, fixture: Path, format: str, folder: Path) -> None:
        self.format, self.folder = format, folder / fixture.parent.name / format
        shutil.copytree(fixture, self.folder)
        files = sorted(path for path in self.folder.rglob("*.json*") if path.is_file())
        self.files = {path: parsed(path) for path in files}
        self._number()
        self.before = self.imported()

    def imported(self, *, named: bool = True) -> Imported:
        return imported(self.folder, self.format if named else None)

    def _number(self) -> None:
        """Give each text that is imported words of its own."""
        number = 0
        for path, value in self.files.items():
            for at, leaf in list(places(value)):
                if isinstance(leaf, str) and leaf.strip() and not NAMES.fullmatch(name_of(at)):
                    number += 1
                    write(path, changed(value, at, said(number)))
                    if number in self.imported().said:
                        self.files[path] = value = changed(value, at, said(number))
            write(path, value)

    def mutants(self) -> Iterator[Mutant]:
        for path, value in self.files.items():
            name = path.relative_to(self.folder).as_posix()
            for at, old in places(value):
                for change, make in CHANGES.items():
                    new = make(copy.deepcopy(old))
                    if new != old:
                        yield Mutant(name, at, change, changed(value, at, new))
                if at and isinstance(at[-1], str):
                    yield Mutant(name, at, RENAMED, renamed(value, at))

    def passes_over(self, mutant: Mutant) -> bool:
        """Whether the place of a change is one that the format does not read on purpose: a field
        that it names, or a record that it leaves out whole.
        """
        names = [step for step in mutant.at if isinstance(step, str)]
        if self.passed.intersection(names):
            return True
        value, record = self.files[self.folder / mutant.file], mutant.at[:1]
        for place, step in enumerate(mutant.at):
            if step in RECORDS:
                record = mutant.at[: place + 2]
        for step in record:
            value = value[step]
        if any(
            isinstance(one, dict) and one.get("type") == "thinking" for one in self._above(mutant)
        ):
            return True
        return not numbers_in(value) and bool(self.before.counted)

    def _above(self, mutant: Mutant) -> Iterator[Any]:
        """The values that the place of a change stands in."""
        value = self.files[self.folder / mutant.file]
        for step in mutant.at:
            value = value[step]
            yield value

    @cached_property
    def passed(self) -> frozenset[str]:
        names = (self.format, f"{self.format}_cli") if self.format == "signal" else (self.format,)
        modules = [import_module(f"omoide.exchange.formats.{name}") for name in names]
        fields = [
            getattr(m, name, ())
            for m in modules
            for name in ("_BULK", "_PASSED", "_PREVIEW", "_THOUGHT")
        ]
        return frozenset().union(*fields)

    def after(self, mutant: Mutant, *, named: bool = True) -> Imported:
        """What an import of a mutant gives."""
        path = self.folder / mutant.file
        write(path, mutant.value)
        try:
            return self.imported(named=named)
        finally:
            write(path, self.files[path])

    @cached_property
    def numbers(self) -> frozenset[int]:
        return frozenset(n for value in self.files.values() for n in numbers_in(value))


def fate(export: Export, mutant: Mutant, after: Imported) -> str:
    """What became of the texts that a mutant costs: how that is told, or "lost" if it is not.

    A count tells a field by its name, a problem tells a record.
    """
    kept = export.numbers - numbers_in(export.files[export.folder / mutant.file])
    gone = (numbers_in(mutant.value) | kept) - after.stored
    gone &= export.before.stored | {9_999}
    if not gone:
        return "kept"
    if after.refused:
        return "refused"
    if gone == {9_999} and export.passes_over(mutant):
        return "passed over"
    counted = after.counted - export.before.counted
    fields = {kind: n for kind, n in counted.items() if kind.startswith("words in ")}
    names = {str(step) for at in paths_of(mutant.value, gone) for step in at} | {"record"}
    if sum(n for kind, n in fields.items() if names & set(re.split(r"[ .]", kind))) >= len(gone):
        return "field"
    others = {kind: n for kind, n in counted.items() if kind not in fields and kind != "empty"}
    if others:
        return f"kind: {', '.join(sorted(others))}"
    if problems := after.problems - export.before.problems:
        return f"problem: {sorted(problems)[0].partition(': ')[2]}"
    return f"lost: {sorted(gone)} counted {dict(counted)}"


def name_of(at: Steps) -> str:
    """The last field on a path."""
    return next((step for step in reversed(at) if isinstance(step, str)), "")


def parsed(path: Path) -> Any:
    text = path.read_text("utf-8")
    if is_lined(path):
        return [json.loads(one) for one in text.splitlines() if one.strip()]
    return json.loads(text)


def write(path: Path, value: Any) -> None:
    lines = value if is_lined(path) and isinstance(value, list) else [value]
    path.write_text("\n".join(json.dumps(one) for one in lines), "utf-8")


def is_lined(path: Path) -> bool:
    """Whether a file has one record a line."""
    return path.suffix == ".jsonl" or path.name == "data.json"


def places(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Each value in a value with its path."""
    yield at, value
    inner: Any = value.items() if isinstance(value, dict) else ()
    for name, one in enumerate(value) if isinstance(value, list) else inner:
        yield from places(one, (*at, name))


def changed(value: Any, at: Steps, new: Any) -> Any:
    """The value with another one at a path."""
    if not at:
        return new
    made = copy.copy(value)
    made[at[0]] = changed(value[at[0]], at[1:], new)
    return made


def renamed(value: Any, at: Steps) -> Any:
    """The value with another name for the field at a path."""
    if len(at) == 1:
        return {(f"{k}Renamed" if k == at[0] else k): v for k, v in value.items()}
    return changed(value, at[:1], renamed(value[at[0]], at[1:]))


def numbers_in(value: Any) -> frozenset[int]:
    return frozenset(map(int, SAID.findall(json.dumps(value))))


def paths_of(value: Any, numbers: frozenset[int]) -> Iterator[Steps]:
    for at, leaf in places(value):
        if isinstance(leaf, str) and numbers & numbers_in(leaf):
            yield at


def fixtures() -> list[tuple[Path, str]]:
    """Each folder of an export with JSON, and its format."""
    return [
        (path, format)
        for format in FORMATS
        for path in (FIXTURES / format, FIXTURES / "odd" / format)
        if path.is_dir()
    ]
