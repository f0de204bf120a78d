"""Reading what a model said: the one JSON object in it, however it is wrapped, and nothing that is
not all there.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

LIMIT = 1_000_000  # characters; no answer is that long
_TAGS = r"think|thinking|thoughts?|reasoning|reflection|scratchpad"
_THINKING = re.compile(rf"<(/?)(?:{_TAGS})(?:\s[^<>]{{0,200}})?>|\[(/?)THINK\]", re.IGNORECASE)
_A_THOUGHT = re.compile(rf"<({_TAGS})>.*?</\1>\s*", re.IGNORECASE | re.DOTALL)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# What begins an object, and what was meant as one but is none; other braces are prose.
_OPENING = re.compile(r"\{\s*(?:(?P<object>[\"}])|['\[]|[\w-]+\s*:)|(?P<list>\[)\s*\{\s*\"")
_DIGITS = 30  # no number of an answer is that long
_TOO_LARGE = "the answer holds a number that is too large"
_DECODER = json.JSONDecoder(
    strict=False,  # models write line breaks into texts
    parse_constant=lambda name: _refuse(f"the answer holds {name}, which is not a number"),
    parse_int=lambda digits: int(digits) if len(digits) <= _DIGITS else _refuse(_TOO_LARGE),
)


def read_object(text: str) -> dict[str, Any]:
    """The JSON object of an answer. Thoughts, fences, prose and a list around it are passed over;
    of a bare list of objects, one with that list. An object that is cut off is none.

    Raises:
        ValueError: there is none, or more than one; the message says why, without the text.
    """
    if len(text) > LIMIT:
        raise ValueError(f"the answer is longer than {LIMIT} characters")
    try:
        value = _whole(text.strip())
        if value is None:
            value = _within(without_thoughts(text).strip())
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            value = value[0] if _the_list(value[0]) and len(value) == 1 else {"": value}
        if not isinstance(value, dict):
            raise ValueError(f"the answer must be a JSON object; it is {_kind(value)}")
        return {_storable(name): _clean(inner) for name, inner in value.items()}
    except RecursionError:
        raise ValueError("the answer is nested too deeply") from None


def without_thoughts(text: str) -> str:
    """The text without what stands in thinking tags, nested ones too; from one that is never closed
    nothing is left.
    """
    kept: list[str] = []
    depth = start = 0
    for tag in _THINKING.finditer(text):
        closes = tag[1] or tag[2]
        if depth == 0 and closes:  # a model that began to think before its answer began
            kept.clear()
            start = tag.end()
        elif closes:
            depth -= 1
            start = tag.end()
        else:
            if depth == 0:
                kept.append(text[start : tag.start()])
            depth += 1
    return "".join(kept) + ("" if depth else text[start:])


def _whole(said: str) -> Any:
    """The value that a text is; None if it is not JSON from its first to its last character."""
    try:
        return _DECODER.decode(said)
    except json.JSONDecodeError:
        return None


def _within(said: str) -> Any:
    """The one object in a text that may have something around it.

    Raises:
        ValueError: none that is whole, or more than one, or one that is cut off beside it.
    """
    if not said:
        raise ValueError("the answer is empty")
    if (value := _whole(said)) is not None:
        return value
    found, at = [], 0
    while opening := _OPENING.search(said, at):
        start = opening.start() if opening["object"] or opening["list"] else len(said)
        try:
            value, at = _DECODER.raw_decode(said, start)
        except json.JSONDecodeError:  # neither this nor what stands in it is the answer
            raise ValueError("the answer holds a JSON object that is cut off or broken") from None
        found.append(value)
    if len(found) != 1:
        raise ValueError(
            f"the answer holds {'several JSON objects' if found else 'no JSON object'}"
        )
    return found[0]


def _clean(value: Any) -> Any:
    """A value whose texts can be stored, and hold no thoughts."""
    if isinstance(value, str):
        return _storable(_A_THOUGHT.sub("", value))
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    if isinstance(value, dict):
        return {_storable(name): _clean(inner) for name, inner in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        _refuse(_TOO_LARGE)
    return value


def _storable(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text)


def _refuse(problem: str) -> NoReturn:
    raise ValueError(problem)


def _kind(value: object) -> str:
    return {list: "a list", str: "text", bool: "true or false"}.get(type(value), "a number")


def objects(value: dict[str, Any], name: str, field: str = "") -> list[dict[str, Any]]:
    """The list of objects under a name, or the one list of objects that there is; one object is a
    list of one. Where all entries are texts, or true and false, each becomes an object with that
    field; else what is no object is passed over.

    Raises:
        ValueError: there is no such list.
    """
    entries = value[name] if name in value else _the_list(value)
    if isinstance(entries, dict) and entries:
        entries = [entries]
    if not isinstance(entries, list):
        raise ValueError(f"the answer has no list {name!r}")
    if field and all(isinstance(one, str | bool) for one in entries):
        return [{field: one} for one in entries]
    return [entry for entry in entries if isinstance(entry, dict)]


def _the_list(value: dict[str, Any]) -> object:
    """The only list of objects in an answer."""
    lists = [
        one
        for one in value.values()
        if isinstance(one, list) and one and all(isinstance(entry, dict) for entry in one)
    ]
    return lists[0] if len(lists) == 1 else None


def one_line(value: object) -> str:
    """A text of an answer on one line; empty where there is none."""
    return " ".join(value.split()) if isinstance(value, str) else ""
