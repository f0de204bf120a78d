"""Tools that a language model calls: declared once as functions, and bound to a memory.

The signature gives the JSON schema, the docstring what the model reads. Arguments come as models
write them: numbers and yes or no as text, one text where several are meant.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from omoide.memory import Memory
from omoide.nouns.clock import in_zone
from omoide.nouns.errors import InvalidInput, OmoideError
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope

ToolAnswer: TypeAlias = dict[str, Any]  # what a tool gives: JSON, with a status
FAILED = "Error: "  # what the text of a failed call begins with
_ARGS, _ARG = re.compile(r"^Args:$", re.MULTILINE), re.compile(r"^ {4}(\w+): (.*)$")
_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_YES, _NO = frozenset({"true", "yes", "1", "on"}), frozenset({"false", "no", "0", "off", ""})


@frozen_record
class ToolPolicy:
    """What a host lets a model do with its tools, and how much they give."""

    include_sensitive: bool = False  # whether searches may return sensitive items
    may_write: bool = True  # False: only tools that read
    recall_limit: int = 5  # what load_memory returns at most
    block_tokens: int = 1_024  # that all blocks together may have
    blocks_most: int = 20
    # whether the model may now change what the user said: it acts on the user's own words
    speaks_for_user: Callable[[], bool] = field(default=lambda: False)
    context: Callable[[], str] = field(default=lambda: "")  # where new items go; "": the memory's


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The memory that tools act on, bound to its user and session, and what they may do there."""

    memory: Memory
    policy: ToolPolicy = field(default_factory=ToolPolicy)

    def scope(self, context: str = "") -> Scope | None:
        """The scope of a call that may name a context."""
        named = context.strip() or self.policy.context()
        return Scope(context=named) if named else None


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A tool before it is bound: a function of a toolbox, with its other names."""

    function: Callable[..., Any]
    aliases: tuple[str, ...]
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that a model may call. It answers in JSON and never raises an error of Omoide's."""

    name: str
    declared: Declared
    box: Toolbox

    @property
    def writes(self) -> bool:
        """Whether it may change what is remembered."""
        return self.declared.writes

    @cached_property
    def description(self) -> str:
        """What the model reads about it."""
        return description_of(self.declared.function)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return schema_of(self.declared.function, self._open)

    def run(self, arguments: Mapping[str, Any] | str | None = None) -> ToolAnswer:
        """Call it with the arguments that a model wrote; what is wrong is told in the answer."""
        try:
            return self._answer(self._read(arguments))
        except OmoideError as error:
            return {"status": "error", "message": str(error)}

    def text(self, arguments: Mapping[str, Any] | str | None = None) -> str:
        """As ``run``, for hosts that want text: JSON, or ``Error: `` and what is wrong."""
        answer = self.run(arguments)
        if answer.get("status") == "error":
            return f"{FAILED}{answer['message']}"
        return json.dumps(answer, ensure_ascii=False)

    def function(self) -> Callable[..., ToolAnswer]:
        """The tool as a plain function, for frameworks that read a signature and a docstring."""

        def call(*args: Any, **kwargs: Any) -> ToolAnswer:
            named = {p.name: value for p, value in zip(self._open, args, strict=False)}
            return self.run(named | kwargs)

        hints = {p.name: self._hints[p.name] for p in self._open}
        call.__name__ = call.__qualname__ = self.name
        call.__doc__ = inspect.getdoc(self.declared.function)
        call.__annotations__ = hints | {"return": dict[str, Any]}
        shown = [p.replace(annotation=hints[p.name]) for p in self._open]
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            shown, return_annotation=dict[str, Any]
        )
        return call

    def openai(self) -> dict[str, Any]:
        """The tool as OpenAI's chat API describes one; most servers and frameworks read that."""
        return openai_tool(self.name, self.description, self.parameters)

    def anthropic(self) -> dict[str, Any]:
        """The tool as Anthropic's messages API describes one."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.parameters,
        }

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.declared.function)

    @cached_property
    def _open(self) -> tuple[inspect.Parameter, ...]:
        """The parameters that a model fills: neither the toolbox nor those for the host alone."""
        return tuple(p for p in self._all if p.kind is not inspect.Parameter.KEYWORD_ONLY)

    def _answer(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        with in_zone(self.box.memory.zone()):
            answer: ToolAnswer = self.declared.function(self.box, **arguments)
        return answer

    def _read(self, arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
        """The arguments as the function wants them.

        Raises:
            InvalidInput: one is missing, unknown or cannot be read.
        """
        given, names = read_arguments(arguments), {p.name for p in self._all}
        if unknown := sorted(given.keys() - names):
            known = ", ".join(p.name for p in self._open)
            raise InvalidInput(unknown[0], f"is not an argument of {self.name}; it takes {known}")
        needed = [p.name for p in self._all if p.default is inspect.Parameter.empty]
        if missing := [name for name in needed if name not in given]:
            raise InvalidInput(missing[0], "is missing")
        return {
            name: _value(value, self._hints[name], name)
            for name, value in given.items()
            if value is not None or name in needed
        }

    @cached_property
    def _all(self) -> tuple[inspect.Parameter, ...]:
        """The parameters but for the toolbox."""
        return tuple(inspect.signature(self.declared.function).parameters.values())[1:]


def tool(*aliases: str, writes: bool = False) -> Callable[[Callable[..., Any]], Declared]:
    """Declare a function of a toolbox as a tool, with names that other frameworks have for it."""
    return lambda function: Declared(function, aliases, writes)


def openai_tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as OpenAI's chat API describes one."""
    told = {"name": name, "description": description, "parameters": dict(parameters)}
    return {"type": "function", "function": told}


def description_of(function: Callable[..., Any]) -> str:
    """What a model reads about a function: its docstring without the arguments, on one line."""
    told = _ARGS.split(inspect.getdoc(function) or "")[0]
    return re.sub(r"\s+", " ", told).strip()


def schema_of(
    function: Callable[..., Any], parameters: Sequence[inspect.Parameter]
) -> dict[str, Any]:
    """The JSON schema of a function's parameters, from its type hints and its docstring. Of
    ``**more`` it says that other arguments may come.
    """
    hints, about = _hints_of(function), _described(function)
    named = [p for p in parameters if p.kind not in _SEVERAL]
    return {
        "type": "object",
        "properties": {p.name: _property(p, hints, about) for p in named},
        "required": [p.name for p in named if p.default is inspect.Parameter.empty],
        "additionalProperties": any(p.kind is p.VAR_KEYWORD for p in parameters),
    }


def read_arguments(arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """The arguments that a model wrote, as an object or as JSON.

    Raises:
        InvalidInput: they are not a JSON object.
    """
    if isinstance(arguments, str):
        try:
            arguments = parse_json(arguments or "{}")
        except ValueError:
            raise InvalidInput("arguments", "are not JSON; give one JSON object") from None
    if arguments is not None and not isinstance(arguments, Mapping):
        raise InvalidInput("arguments", "must be one JSON object")
    return {str(name): value for name, value in (arguments or {}).items()}


def _described(function: Callable[..., Any]) -> dict[str, str]:
    """What the docstring says about each argument."""
    parts = _ARGS.split(inspect.getdoc(function) or "")
    found: dict[str, str] = {}
    name = ""
    for line in parts[1].splitlines() if len(parts) > 1 else ():
        if told := _ARG.match(line):
            name = told[1]
            found[name] = told[2].strip()
        elif name and line.strip():
            found[name] += f" {line.strip()}"
    return found


def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The type hints of a function, of a part of one, or of an object that is called."""
    inner = function.func if isinstance(function, partial) else function
    return get_type_hints(inner if inspect.isroutine(inner) else type(inner).__call__)


def _property(
    parameter: inspect.Parameter, hints: Mapping[str, Any], about: Mapping[str, str]
) -> dict[str, Any]:
    """The JSON schema of a parameter, with its default where JSON has it."""
    name, default = parameter.name, parameter.default
    told = _schema(hints.get(name, Any))
    if name in about:
        told["description"] = about[name]
    if default is not inspect.Parameter.empty:
        with suppress(PydanticSerializationError):
            told["default"] = to_jsonable_python(default)
    return told


def _schema(hint: Any) -> dict[str, Any]:
    """The JSON schema of a parameter's type; empty, which allows all, where there is none."""
    try:
        return TypeAdapter(hint).json_schema()
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema):
        return {}


def _value(value: Any, hint: Any, name: str) -> Any:
    """An argument as its type wants it.

    Raises:
        InvalidInput: it cannot be read as that.
    """
    if get_origin(hint) in (list, Sequence):
        several = value if isinstance(value, list | tuple) else [value]
        return [_value(one, get_args(hint)[0], name) for one in several]
    if get_origin(hint) is Literal:
        return _one_of(str(value), get_args(hint), name)
    if hint is bool:
        return _yes(value, name)
    if hint in (int, float):
        return _number(value, hint, name)
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    return str(value).lower() if isinstance(value, bool) else _refuse(name, "must be text")


def _one_of(value: str, allowed: tuple[str, ...], name: str) -> str:
    if value not in allowed:
        _refuse(name, f"{value!r} is not one of {', '.join(allowed)}")
    return value


def _yes(value: Any, name: str) -> bool:
    said = str(value).strip().lower()
    if said not in _YES | _NO:
        _refuse(name, f"{value!r} is not true or false")
    return said in _YES


def _number(value: Any, kind: type, name: str) -> Any:
    try:
        return kind(float(value)) if str(value).strip() else 0
    except (TypeError, ValueError, OverflowError):
        return _refuse(name, f"{value!r} is not a number")


def _refuse(name: str, problem: str) -> Any:
    raise InvalidInput(name, problem)
