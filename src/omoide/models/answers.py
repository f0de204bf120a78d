"""Reading what a model said: the one JSON object in it, however it is wrapped, and nothing that is not all there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

LIMIT = 1_000_000  # characters; no answer is that long
_THINKING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection)\s*>", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def read_object(text: str) -> dict[str, Any]:
    """The JSON object of an answer. Thoughts, fences and prose around it are passed over; an object that is cut off is none.

    Raises:
        ValueError: there is none, or more than one; the message says why, without the text.
    """
    if len(text) > LIMIT:
        raise ValueError(f"the answer is longer than {LIMIT} characters")
    said = _UNSTORABLE.sub("\ufffd", without_thoughts(text)).strip()
    if not said:
        raise ValueError("the answer is empty")
    try:
        value = json.loads(said)
    except (ValueError, RecursionError):
        value = _within(said)
    if not isinstance(value, dict):
        raise ValueError(f"the answer is no JSON object but {_kind(value)}")
    return value


def without_thoughts(text: str) -> str:
    """The text without what stands in thinking tags, nested ones too; from one that is never closed nothing is left."""
    kept: list[str] = []
    depth = start = 0
    for tag in _THINKING.finditer(text):
        if depth == 0 and tag[1]:  # a model that began to think before its answer began
            kept.clear()
            start = tag.end()
        elif tag[1]:
            depth -= 1
            start = tag.end()
        else:
            if depth == 0:
                kept.append(text[start : tag.start()])
            depth += 1
    return "".join(kept) + ("" if depth else text[start:])


def _within(said: str) -> Any:
    """The one object in a text with something around it.

    Raises:
        ValueError: none that is whole, or more than one.
    """
    found = list(_objects(said))
    if len(found) != 1:
        raise ValueError("the answer holds no whole JSON object" if not found else "the answer holds several JSON objects")
    return found[0]


def _objects(said: str) -> Iterator[Any]:
    """The outermost objects in a text. A brace that begins none is passed over, but not one whose inside could pass for the answer."""
    decoder, at = json.JSONDecoder(), 0
    while (at := said.find("{", at)) >= 0:
        try:
            value, at = decoder.raw_decode(said, at)
        except (ValueError, RecursionError):
            if said[at + 1 :].lstrip()[:1] == '"':  # an object that is cut off or broken: what is in it is not the answer
                return
            at += 1
            continue
        yield value


def _kind(value: object) -> str:
    return {list: "a list", str: "text", bool: "true or false", type(None): "null"}.get(type(value), "a number")


def objects(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The list of objects under a name; entries that are no objects are passed over.

    Raises:
        ValueError: there is no list of that name.
    """
    entries = value.get(name)
    if not isinstance(entries, list):
        raise ValueError(f"the answer has no list {name!r}")
    return [entry for entry in entries if isinstance(entry, dict)]
