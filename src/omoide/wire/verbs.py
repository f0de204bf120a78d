"""Verbs as data: each operation of a memory is declared once, beside its function.

From the declaration, the typed signature and the docstring come ``AsyncMemory``, the reference and
what every door has to know: where a call stands, what it does, and who may ask for it.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial, wraps
from typing import Any, Literal, Protocol, TypeVar, cast, get_type_hints

from omoide.nouns import errors
from omoide.nouns.access import Right
from omoide.nouns.errors import OmoideError
from omoide.nouns.metadata import ALIASES
from omoide.nouns.record.frozen import frozen_record
from omoide.wire.arguments import Arguments

F = TypeVar("F", bound=Callable[..., Any])
Operation = Literal[
    "", "create_memory", "update_memory", "upsert_memory", "search_memory", "delete_memory"
]
Offer = Literal["never", "read", "write"]
DECLARED = "declared_verb"  # the attribute of a method that holds its declaration


class Returns(StrEnum):
    """How much a verb returns."""

    NOTHING = "nothing"
    ONE = "one"  # one record or value
    PAGE = "page"  # several records, limited by the call
    STREAM = "stream"  # any number of records


@dataclass(frozen=True, slots=True)
class Option:
    """One value that a door asks for: of a parameter, or of a field of a spread record."""

    name: str
    type: Any
    default: Any  # inspect.Parameter.empty: required
    record: str = ""  # the parameter whose record it is a field of


@frozen_record
class Verb:
    """What a door has to know of a verb; the signature and the docstring say the rest."""

    name: str
    function: Callable[..., Any]
    right: Right  # what a principal must be allowed to do
    example: str  # a call, without the memory: ``recall("Where does Ana live?")``
    group: str = ""  # "" for everyday verbs
    subject: str = ""  # the parameter that names one record: it stands in the path
    spread: tuple[str, ...] = ()  # parameters whose records are spread into options
    returns: Returns = Returns.ONE
    needs_owner: bool = False  # what it writes belongs to somebody, or is shared on purpose
    idempotent: bool = False  # repeating the call changes nothing more
    versioned: bool = False  # a door may guard it with the record's version
    long: bool = False  # may take longer than a request should
    asks_model: bool = False  # needs or may call a language model
    mcp: Offer = "never"  # whether agents get it as a tool, among those that read or that write
    operation: Operation = ""  # what traces call it, by the GenAI semantic conventions

    @property
    def full_name(self) -> str:
        """The name with its group: ``items.edit``; an everyday verb has no group."""
        return f"{self.group}.{self.name}" if self.group else self.name

    @property
    def path(self) -> str:
        """The path at a web door: ``/v1/review/{id}/approve``."""
        parts = ("/v1", self.group, f"{{{self.subject}}}" if self.subject else "", self.name)
        return "/".join(part for part in parts if part)

    @property
    def docstring(self) -> str:
        """The function's docstring, without indentation."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The docstring's first paragraph on one line."""
        return re.sub(r"\s+", " ", self.docstring.partition("\n\n")[0])

    @property
    def errors(self) -> tuple[type[OmoideError], ...]:
        """The errors that the docstring names, in its order."""
        told = self.docstring.partition("Raises:")[2]
        names = re.findall(r"^ +((?:\w+, )*\w+):", told, re.MULTILINE)
        found = (getattr(errors, name, None) for line in names for name in line.split(", "))
        return tuple(one for one in found if isinstance(one, type))

    @property
    def hints(self) -> dict[str, Any]:
        """The types of the parameters, by name, and of what is returned, as ``return``."""
        return get_type_hints(self.function, localns=ALIASES)

    def options(self) -> tuple[Option, ...]:
        """What a door asks for, in order: spread records as their fields, the scope left out."""
        hints, found = self.hints, list[Option]()
        for parameter in list(inspect.signature(self.function).parameters.values())[1:]:
            if parameter.name in self.spread:
                found += _fields_of(_record_of(hints[parameter.name]), parameter.name)
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                found += _keys_of(hints[parameter.name])
            elif parameter.name != "scope":
                found.append(Option(parameter.name, hints[parameter.name], parameter.default))
        return tuple(found)

    def arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The verb's own arguments from a door's values; a value that is absent has its default."""
        hints = self.hints
        options = self.options()
        plain = {o.name: values[o.name] for o in options if not o.record and o.name in values}
        spread = {
            parameter: {
                o.name: values[o.name]
                for o in options
                if o.record == parameter and o.name in values
            }
            for parameter in self.spread
        }
        return plain | {
            parameter: _record_of(hints[parameter])(**given)
            for parameter, given in spread.items()
            if given
        }


class Owner(Protocol):
    """An object whose methods are verbs: it runs them for a principal."""

    def _run(self, declared: Verb, call: Callable[[], Any]) -> Any: ...


def verb(right: Right, example: str, **declared: Any) -> Callable[[F], F]:
    """Declare a method as a verb. ``declared`` are further fields of ``Verb``.

    The method then checks the types of its arguments, and its owner runs it.
    """

    def declare(function: F) -> F:
        one = Verb(
            name=function.__name__, function=function, right=right, example=example, **declared
        )
        arguments = Arguments(function)

        @wraps(function)
        def call(self: Owner, /, *args: Any, **kwargs: Any) -> Any:
            arguments.check((self, *args), kwargs)
            return self._run(one, partial(function, self, *args, **kwargs))

        setattr(call, DECLARED, one)
        return cast(F, call)

    return declare


def verbs_of(memory: type, groups: Mapping[str, type]) -> Iterator[Verb]:
    """Every verb of a memory and its groups, in the order of their declarations."""
    for group, owner in {"": memory, **groups}.items():
        for method in vars(owner).values():
            if isinstance(declared := getattr(method, DECLARED, None), Verb):
                yield replace(declared, group=group)


def _record_of(hint: Any) -> Any:
    """The record class of a hint such as ``Listing | None`` or ``str | Query``."""
    kinds = getattr(hint, "__args__", (hint,))
    return next(kind for kind in kinds if dataclasses.is_dataclass(kind))


def _fields_of(record: Any, parameter: str) -> list[Option]:
    hints = get_type_hints(record, localns=ALIASES)
    return [
        Option(field.name, hints[field.name], _default_of(field), parameter)
        for field in dataclasses.fields(record)
    ]


def _default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default


def _keys_of(hint: Any) -> list[Option]:
    """The options of keyword arguments that a ``TypedDict`` lists; each may be left out."""
    keys = get_type_hints(next(iter(getattr(hint, "__args__", (hint,)))), localns=ALIASES)
    return [Option(name, kind, None) for name, kind in keys.items()]
