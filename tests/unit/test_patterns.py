"""No pattern of the package, and no function that reads a text, takes time that grows with its
square.
"""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from typing import Any

import pytest

from omoide.nouns.errors import OmoideError
from tests.compiled import ANY, UNITS, Used, fill, hostile, modules, patterns
from tests.growth import NOISE_S, is_linear

SIZE = 2_000  # characters: a pattern that grows with the square takes some 10 ms
READ = 1_000  # characters: a function that does takes as long
NAME = 255  # characters of a file's name
SENTENCE = 300  # characters of one that may instruct
WINDOW = 400  # characters around a word that may announce a secret
# how patterns are used where their modules do not say it, and the longest text that they see
SEEN: dict[str, tuple[tuple[str, ...], int]] = {
    "omoide.exchange.*:*FILES": (("fullmatch",), NAME),
    "omoide.exchange.*:OTHERS": (("fullmatch",), NAME),
    "omoide.exchange.*:NOTES": (("fullmatch",), NAME),
    "omoide.exchange.*:_CSV": (("fullmatch",), NAME),
    "omoide.exchange.*:_DATABASES": (("fullmatch",), NAME),
    "omoide.exchange.*:_JSON": (("fullmatch",), NAME),
    "omoide.exchange.*:_BY_LOOKS": (("fullmatch",), NAME),
    "omoide.grounding.chatter:_[a-z]*": (("match",), SIZE),
    "omoide.grounding.instructions:_[a-z]*": (("match",), SENTENCE),
    "omoide.grounding.instructions:_QUOTED": ((), SENTENCE),
    "omoide.text.secrets.*": ((), WINDOW),
    # what only we write: SQL, help
    "omoide.store.postgres.schema:*": ((), NAME),
    "omoide.cli.root:*": ((), NAME),
}


def takes_long(work: Callable[[Any], object], text: Any) -> bool:
    """Whether work takes long enough to tell how it grows; most does not."""
    started = time.process_time()
    work(text)
    return time.process_time() - started > NOISE_S


def consumed(method: Callable[[Any], Any], text: Any) -> None:
    """Call a method of a pattern, and take all that it finds."""
    found = method(text)
    if isinstance(found, Iterator):
        for _ in found:
            pass


def faults(used: Used) -> Iterator[str]:
    """The texts on which a pattern is not linear, the beginning of each."""
    methods, size = next(
        (seen for place, seen in SEEN.items() if fnmatch(used.place, place)), ((), SIZE)
    )
    is_bytes = isinstance(used.pattern.pattern, bytes)
    names = {
        "finditer" if name.startswith(("sub", "split", "find")) else name
        for name in methods or used.methods
    }
    for text in dict.fromkeys(hostile(used.pattern, size)):
        for name in sorted(names):

            def work(part: str, name: str = name) -> None:
                consumed(getattr(used.pattern, name), part.encode() if is_bytes else part)

            if takes_long(work, text) and not is_linear(work, text):
                yield f"{used.place} {name} {text[:40]!r}"


def test_no_pattern_is_slow_on_hostile_text() -> None:
    """Each pattern is tried on texts that are made from it, and on some that are hard on many."""
    every = patterns()

    assert len(every) > 500
    assert [fault for used in every if (fault := next(faults(used), None))] == []


@pytest.mark.parametrize("pattern", [r"\s*,", r"\w+@", r"(?:\w\d?)+x"])
def test_a_slow_pattern_is_found(pattern: str) -> None:
    """The texts show what is to be shown."""
    assert any(faults(Used(re.compile(pattern), "here", ANY)))


ROOMS = (
    *("omoide.text.", "omoide.grounding.", "omoide.context.", "omoide.wire.", "omoide.learning."),
    *("omoide.exchange.shape", "omoide.exchange.parts", "omoide.exchange.quoted"),
    *("omoide.exchange.formats.", "omoide.models.chat.", "omoide.write.", "omoide.read."),
)
PHRASES = (
    *("please ", "always please ", "this page: ", "Dear Ana,\n", "> ", "- a\n", "a:\n", "www."),
    *("- see https://a.b/\n", "5 May 2026 ", "a, b and c. ", "I never said no, but ", "```\n"),
    *('{"a":', "[1, ", "key: value\n", "2026-01-05T12:00", "$5 ", "1,000.50 ", "A. B. ", "# a\n"),
    *(
        "did you say ",
        "fass a ",
        "password: ",
        "don't ",
        "三月五日",
        "今日は",
        "<!--",
        "<a>",
        "</a",
    ),
)


def readers() -> Iterator[tuple[str, Callable[[str], Any]]]:
    """The functions of those rooms that read one text, with their names."""
    for module in modules():
        for name, value in vars(module).items():
            is_own = getattr(value, "__module__", "") == module.__name__
            is_there = is_own and module.__name__.startswith(ROOMS) and name[0] != "_"
            if is_there and inspect.isfunction(value) and takes_a_text(value):
                yield f"{module.__name__}.{name}", value


def takes_a_text(function: Callable[..., Any]) -> bool:
    """Whether all that it must be given is one text."""
    needed = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    return len(needed) == 1 and needed[0].annotation in ("str", "Json")


def test_no_function_is_slow_on_hostile_text() -> None:
    """What reads a text passes hostile characters in time that grows as they do."""
    every = dict(readers())
    slow = []
    for name, function in every.items():

        def work(text: str, function: Callable[[str], Any] = function) -> None:
            try:
                consumed(function, text)
            except (OmoideError, ValueError, TypeError, LookupError):
                pass  # refused, or given a text for a sign

        for unit in (*UNITS[::3], *PHRASES):
            text = fill(unit, READ)
            if takes_long(work, text) and not is_linear(work, text):
                slow.append(f"{name} {unit!r}")

    assert len(every) > 100
    assert slow == []
