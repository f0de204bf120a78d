"""The patterns of the package, wherever they stand, and texts that each is tried on.

A pattern's own texts are made from it: of each part that may come again and again, what leads
there and then that part alone, or both together, as often as they fit.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import omoide
from omoide.nouns.errors import MissingExtra

ANY = ("search", "match")  # how a pattern is tried where the source does not say how it is used
METHODS = r"search|match|fullmatch|subn?|split|finditer|findall"
_USE = re.compile(rf"\b(\w+)(?:\(\))?\.({METHODS})\b")
SIGNS = "a1 A\n.-_,:;!?\"'([{<密éあ\u0301\t/\\@#*=+&|~`$%^>)]}\u200eвअ\u0e01½٣"
UNITS = (
    *("a", "1", " ", "\n", "ab ", "a1", "a.", "a, ", "A", "Aa", "AB_", "x-", "a@b.", "a/"),
    *("密", "密。", "あ", "e\u0301", "\u0301", "क्", "\u200d", "\u3000", "\U0001f600"),
    *('"', "(", "()", "[[", "<a", "{", "-", "=", "a: ", ":", ".", "/", "\\", "@", "1 ", "1,"),
    *("1.", "1/", "1:", "://"),
)
MANY = 40  # a part that may come more often is repeated
_PARSER: Any = importlib.import_module("re._parser")
_COMPILER: Any = importlib.import_module("re._compiler")
Attack = tuple[str, str]  # what leads to a part, and the part


@dataclasses.dataclass(frozen=True)
class Used:
    """A pattern, where it stands, and the methods it is used by."""

    pattern: re.Pattern[Any]
    place: str  # module:name, or module:line of a call
    methods: tuple[str, ...]


def fill(unit: str, size: int) -> str:
    """A text of that size of one unit, again and again."""
    return (unit * (size // len(unit) + 1))[:size]


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """Every module that can be imported without extras."""
    found = []
    for each in pkgutil.walk_packages(omoide.__path__, "omoide."):
        if not each.name.endswith("__main__"):
            try:
                found.append(importlib.import_module(each.name))
            except (MissingExtra, ImportError):
                continue
    return tuple(found)


@functools.cache
def patterns() -> tuple[Used, ...]:
    """Every pattern once: of modules' names, whatever these hold, and of calls of ``re``."""
    found: dict[re.Pattern[Any], Used] = {}
    for module in modules():
        source = inspect.getsource(module)
        methods: dict[str, set[str]] = {}
        for name, method in _USE.findall(source):
            methods.setdefault(name, set()).add(method)
        for name, value in list(vars(module).items()):
            for pattern in _inside(_called(value, module)):
                how = tuple(sorted(methods.get(name, ANY)))
                found.setdefault(pattern, Used(pattern, f"{module.__name__}:{name}", how))
        for used in _of_calls(module, source):
            found.setdefault(used.pattern, used)
    return tuple(found.values())


def _called(value: Any, module: ModuleType) -> Any:
    """What a module's cached function gives, if it takes nothing; any other value itself."""
    is_cached = isinstance(value, functools._lru_cache_wrapper)
    if (
        is_cached
        and value.__module__ == module.__name__
        and not inspect.signature(value).parameters
    ):
        return value()
    return value


def _inside(value: Any, depth: int = 6) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
        return
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        inner = [*value]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = [getattr(value, field.name, None) for field in dataclasses.fields(value)]
    for one in inner if depth else ():
        yield from _inside(one, depth - 1)


def _of_calls(module: ModuleType, source: str) -> Iterator[Used]:
    """Patterns written in calls such as ``re.sub(…)``, if the module alone tells what they are."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        method = re.fullmatch(rf"re\.({METHODS})", ast.unparse(node.func))
        if method is None:
            continue
        flags = next((one.value for one in node.keywords if one.arg == "flags"), None)
        try:
            pattern, flag = (_value(part, module) for part in (node.args[0], flags))
        except NameError:  # made of what the function is given
            continue
        yield Used(re.compile(pattern, flag), f"{module.__name__}:{node.lineno}", (method[1],))


def _value(node: ast.expr | None, module: ModuleType) -> Any:
    return eval(ast.unparse(node), vars(module)) if node else 0  # noqa: S307


def hostile(pattern: re.Pattern[Any], size: int) -> Iterator[str]:
    """Texts of that size that are hard on many patterns, and on this one."""
    yield from (fill(unit, size) for unit in UNITS)
    sampler = _Sampler(pattern.flags)
    whole = sampler.sample(_PARSER.parse(pattern.pattern, pattern.flags), "")
    yield from (fill(unit, size) for unit in (whole, whole[:-1], f"{whole} ") if unit)
    for before, part in sampler.attacks:
        yield before + fill(part, max(0, size - len(before)))
        if before:
            yield fill(before + part, size)


class _Sampler:
    """Makes texts that a pattern matches, and notes what leads to each part that may come often."""

    def __init__(self, flags: int) -> None:
        self.attacks: dict[Attack, None] = {}
        self._flags = flags
        self._groups: dict[int, str] = {}

    def sample(self, parsed: Any, before: str) -> str:
        """A short text for parsed parts of a pattern, behind another."""
        text = ""
        for kind, value in parsed:
            text += self._part(kind, value, before + text)
        return text

    def _part(self, kind: Any, value: Any, before: str) -> str:
        match str(kind):
            case "LITERAL":
                return chr(value)
            case "IN" | "NOT_LITERAL" | "ANY":
                return _signs(kind, value, self._flags)[0]
            case "SUBPATTERN":
                self._groups[value[0]] = self.sample(value[-1], before)
                return self._groups[value[0]]
            case "ATOMIC_GROUP":
                return self.sample(value, before)
            case "BRANCH":
                first, *_ = [self.sample(branch, before) for branch in value[1]]
                return first
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeat(*value, before=before)
            case "GROUPREF":
                return self._groups.get(value, "")
            case "ASSERT" | "ASSERT_NOT":
                self.sample(value[1], before)
        return ""

    def _repeat(self, least: int, most: int, inner: Any, *, before: str) -> str:
        part = self.sample(inner, before)
        if int(most) <= MANY:
            return part * least
        kind, value = inner[0] if len(inner) == 1 else ("", None)
        is_sign = str(kind) in ("IN", "NOT_LITERAL", "ANY")
        for one in (part, *(_signs(kind, value, self._flags) if is_sign else ())):
            if one:
                self.attacks[before, one] = None
        return part * min(max(int(least), 1), 60)


_KNOWN: dict[tuple[str, int], tuple[str, ...]] = {}


def _signs(kind: Any, value: Any, flags: int) -> tuple[str, ...]:
    """Up to four signs that a parsed part matches which is one sign."""
    key = f"{kind} {value!r}", flags
    if key not in _KNOWN:
        state = _PARSER.State()
        state.flags, state.str = flags, ""
        one = _COMPILER.compile(_PARSER.SubPattern(state, [(kind, value)]), flags)
        fits = [sign for sign in SIGNS if one.fullmatch(sign)]
        _KNOWN[key] = tuple(fits[:4]) or (_first(value),)
    return _KNOWN[key]


def _first(value: Any) -> str:
    """The first sign that a set names."""
    named = [
        chr(inner if isinstance(inner, int) else inner[0])
        for kind, inner in value
        if str(kind) in ("LITERAL", "RANGE")
    ]
    return named[0] if named else "\x00"
