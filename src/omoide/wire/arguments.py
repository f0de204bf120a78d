"""What callers hand in is of the kind that signatures and records promise, told from their own type
hints.

Only the kind is looked at: a whole number, a list of texts, an aware time, a ``Query`` whose fields
are what they should be. Whether a text is too long, or a name known, is checked where it is used.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from enum import Enum
from functools import cache, cached_property, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NewType,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from omoide.nouns.clock import check_moment
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import ALIASES
from omoide.nouns.record.lines import with_article

_PLACED, _EITHER = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
_NAMED = inspect.Parameter.KEYWORD_ONLY
_OPEN_ENDED = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
# parameters by names that other libraries have for them
ELSEWHERE = {"dry_run": "preview", "top_k": "limit"}
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ValueRule:
    """What a value must be: whether it may be that at first sight, what is looked at then, and how
    to say it.
    """

    fits: Callable[[Any], bool]
    says: str
    inspect: Callable[[Any, str], None] | None = None  # raises with the name of what is wrong

    def check(self, value: Any, field: str) -> None:
        """That a value is what it must be.

        Raises:
            InvalidInput, InvalidTime: it is not.
        """
        if not self.fits(value):
            given = "None" if value is None else type(value).__name__
            raise InvalidInput(field, f"must be {self.says}, not {given}")
        if self.inspect is not None:
            self.inspect(value, field)


def check_record(kind: type[T], value: object, field: str) -> T:
    """The value, if it is a record of that class whose fields are of the kinds they promise.

    Raises:
        InvalidInput, InvalidTime: it is not; the error names the field.
    """
    hint: Any = kind
    _rule(hint).check(value, field)
    return value  # type: ignore[return-value]


class Arguments:
    """The rules that a function's signature and type hints set for its arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._signature = function, inspect.signature(function)
        parameters = self._signature.parameters.values()
        # those that may be given by place, those by name, and those that must be given
        self._placed = tuple(p.name for p in parameters if p.kind in (_PLACED, _EITHER))
        self._named = frozenset(p.name for p in parameters if p.kind in (_EITHER, _NAMED))
        self._needed = frozenset(
            p.name for p in parameters if p.default is p.empty and p.kind not in _OPEN_ENDED
        )

    @cached_property
    def _rules(self) -> dict[str, ValueRule]:
        # not before the first call: a hint may name a class that is defined further down
        hints = get_type_hints(self._function, localns=ALIASES)
        parameters = self._signature.parameters.values()
        named = (parameter.name for parameter in parameters if parameter.kind not in _OPEN_ENDED)
        return {name: _rule(hints.get(name, Any)) for name in named}

    def check(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Check that the arguments of a call have the types that the signature promises.

        Raises:
            InvalidInput, InvalidTime: an argument has another type; the error names it.
            TypeError: an argument is missing or unknown.
        """
        rules = self._rules
        for name, value in self._bound(args, kwargs).items():
            if name in rules:
                rules[name].check(value, name)

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments by the names of their parameters."""
        given = {**dict(zip(self._placed, args, strict=False)), **kwargs}
        if (
            len(given) == len(args) + len(kwargs)
            and self._named.issuperset(kwargs)
            and self._needed.issubset(given)
        ):
            return given  # the usual case, in a tenth of the time
        try:
            bound: Mapping[str, Any] = self._signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self._function.__name__}() {error}{self._meant(kwargs)}") from None
        return bound

    def _meant(self, kwargs: Mapping[str, Any]) -> str:
        """What to give in place of an unknown keyword: the field of a record that has its name, the
        parameter that another library calls so, the nearest parameter or field, else what there is.
        Empty: no keyword is unknown.
        """
        known = {name: repr(name) for name in self._signature.parameters if name != "self"}
        unknown = next((name for name in kwargs if name not in known), None)
        if unknown is None:
            return ""
        within = self._within()
        if unknown in within:
            return f"; give {within[unknown]}"
        near = get_close_matches(unknown, [*known, *within], n=1, cutoff=0.7)
        if meant := [name for name in (ELSEWHERE.get(unknown), *near) if name in known | within]:
            return f"; did you mean {(known | within)[meant[0]]}?"
        return f"; it takes {', '.join(known) or 'none'}"

    def _within(self) -> dict[str, str]:
        """The fields of records that parameters take, and how to give each."""
        hints = get_type_hints(self._function, localns=ALIASES)
        return {
            field.name: f"{name}={kind.__name__}({field.name}=...)"
            for name in self._signature.parameters
            for kind in (hints.get(name), *get_args(hints.get(name)))
            if isinstance(kind, type) and is_dataclass(kind)
            for field in fields(kind)
        }


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function refuse arguments of other types than its signature promises."""
    arguments = Arguments(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        arguments.check(args, kwargs)
        return function(*args, **kwargs)

    return call


def _check_finite(value: float, field: str) -> None:
    """
    Raises:
        InvalidInput: it is not a number, infinite, or larger than any.
    """
    if not -_LARGEST <= value <= _LARGEST:
        raise InvalidInput(field, "must be a finite number")


def _check_whole(value: int, field: str) -> None:
    """
    Raises:
        InvalidInput: it has more than the 64 bits that a database holds.
    """
    if not -_MOST <= value < _MOST:
        raise InvalidInput(field, "must fit into 64 bits")


_LARGEST = sys.float_info.max
_MOST = 2**63
_ANYTHING = ValueRule(lambda value: True, "anything")
_PLAIN: dict[Any, ValueRule] = {
    str: ValueRule(lambda value: isinstance(value, str), "text"),
    bool: ValueRule(lambda value: isinstance(value, bool), "True or False"),
    int: ValueRule(
        lambda value: isinstance(value, int) and not isinstance(value, bool),
        "a whole number",
        _check_whole,
    ),
    float: ValueRule(
        lambda value: isinstance(value, int | float) and not isinstance(value, bool),
        "a number",
        _check_finite,
    ),
    datetime: ValueRule(
        lambda value: isinstance(value, datetime),
        "an aware datetime such as datetime.now(UTC)",
        check_moment,
    ),
    date: ValueRule(lambda value: isinstance(value, date), "a date"),
    timedelta: ValueRule(
        lambda value: isinstance(value, timedelta), "a timedelta such as timedelta(days=7)"
    ),
    NoneType: ValueRule(lambda value: value is None, "None"),
    Path: ValueRule(lambda value: isinstance(value, Path), "a path"),
}


@cache
def _rule(hint: Any) -> ValueRule:
    """What a type hint asks for; what no rule is made for may be anything."""
    if isinstance(hint, NewType):
        return _rule(hint.__supertype__)
    origin = get_origin(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin in (Union, UnionType):
        return _either(tuple(dict.fromkeys(map(_rule, get_args(hint)))))
    if origin is Literal:  # its values are of one kind; which there are is checked where it is used
        return _rule(_kind_of(get_args(hint)[0]))
    if origin is Mapping:
        return _mapping(*map(_rule, get_args(hint)))
    if origin in (tuple, frozenset, Sequence, Iterable):
        return _several(_rule(get_args(hint)[0]), Iterable if origin is Iterable else Collection)
    if not isinstance(hint, type) or getattr(hint, "_is_protocol", False) or hint in (Any, object):
        return _ANYTHING
    if issubclass(hint, Enum):
        # its value will do; whether there is such a member is said, with those there are, where it
        # is used
        return ValueRule(
            lambda value: isinstance(value, str | int) and not isinstance(value, bool),
            with_article(hint.__name__),
        )
    named = with_article(hint.__name__)
    return ValueRule(
        lambda value: isinstance(value, hint), named, _fields(hint) if is_dataclass(hint) else None
    )


def _kind_of(value: object) -> Any:
    return type(value)


def _either(rules: tuple[ValueRule, ...]) -> ValueRule:
    def look(value: Any, field: str) -> None:
        next(rule for rule in rules if rule.fits(value)).check(value, field)

    return ValueRule(
        lambda value: any(rule.fits(value) for rule in rules),
        " or ".join(rule.says for rule in rules if rule is not _ANYTHING),
        look,
    )


def _mapping(keys: ValueRule = _ANYTHING, values: ValueRule = _ANYTHING) -> ValueRule:
    def look(value: Any, field: str) -> None:
        for key, inner in value.items():
            keys.check(key, f"{field}: a key")
            values.check(inner, f"{field}: {key}")

    return ValueRule(lambda value: isinstance(value, Mapping), "a mapping", look)


def _several(element: ValueRule, kind: Any) -> ValueRule:
    """Several values. Of those that can be looked at only once, such as a generator's, none is."""

    def look(value: Any, field: str) -> None:
        for number, inner in enumerate(value if isinstance(value, Collection) else ()):
            element.check(inner, field if element.inspect is None else f"{field} {number}")

    def fits(value: Any) -> bool:
        return isinstance(value, kind) and not isinstance(value, str | bytes | Mapping)

    says = {_ANYTHING: "a list", _PLAIN[str]: "a list of texts, such as ['tea']"}
    return ValueRule(fits, says.get(element, f"a list, each {element.says}"), look)


def _fields(kind: Any) -> Callable[[Any, str], None]:
    rules: list[tuple[str, Any, ValueRule]] = []

    def look(value: Any, field: str) -> None:
        if not rules:
            hints = get_type_hints(kind, localns=ALIASES)
            rules.extend(
                (place.name, place.default, _rule(hints[place.name])) for place in fields(kind)
            )
        for name, default, rule in rules:
            inner = getattr(value, name)
            if inner is not default:
                rule.check(inner, f"{field} {name}")

    return look
