"""Talk that teaches nothing: greetings, what an assistant reports of its own doing, and memories
that come back.

``chatter.toml`` holds the words. Whatever is in doubt is taken for talk that may teach something: a
short fact such as "I'm Alex" is kept.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any

from omoide.grounding.quotes import TextWords
from omoide.nouns.turn import Role, Turn
from omoide.text.letters import fold, fold_normal

PASSING_LIMIT = 200  # characters; a longer text is no mere greeting
REPORT_LIMIT = 20_000  # characters of a report that are read
RECALLED_LIMIT = 4_000  # characters; a longer text must be the same to the letter
LEAST_WORDS = 3  # a shorter text is the same as another by chance
_WORD = re.compile(r"[^\s.,;:!?…¡¿()\"“”«»*~。、，！？؟،।\-–—]+")
_FENCE = re.compile(
    r"^[ \t]{0,3}(?:```|~~~).*?^[ \t]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE | re.DOTALL
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|[。！？؟।\n]+")
_BULLET = re.compile(r"^\W+")
_MEMORY = re.compile(
    r"<(/?)\s*(?:memor(?:y|ies)|memory[\w:-]{1,40}|recalled[\w:-]{0,40}|recall)\b[^<>]{0,200}>",
    re.IGNORECASE,
)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(
        files("omoide.grounding").joinpath("chatter.toml").read_text(encoding="utf-8")
    )


@cache
def _known_words() -> frozenset[str]:
    return frozenset(fold(_table()["words"]).split())


@cache
def _phrases() -> frozenset[str]:
    return frozenset(fold(_table()["phrases"]).split())


def passing(text: str) -> bool:
    """Whether a text is nothing but greetings, thanks and confirmations, in many languages; signs
    and emoji count as nothing.
    """
    if len(text) > PASSING_LIMIT:
        return False
    words = [
        word for word in _WORD.findall(fold(text).replace("’", "'")) if any(map(str.isalnum, word))
    ]
    return all(word in _known_words() or _is_made_of_phrases(word) for word in words)


def _is_made_of_phrases(word: str) -> bool:
    """Of a script without spaces: whether it can be cut into known phrases."""
    longest = max(map(len, _phrases()))
    reached = {0}
    for at in range(len(word)):
        if at in reached:
            reached.update(at + n for n in range(1, longest + 1) if word[at : at + n] in _phrases())
    return len(word) in reached


def is_action_report(turn: Turn) -> bool:
    """Whether an assistant's turn only tells what it did, is doing or will do next, or shows
    output: every sentence does.

    A tool's turn is no report: it is what the tool gave.
    """
    if turn.role is not Role.ASSISTANT:
        return False
    parts = _SENTENCE.split(_FENCE.sub("\n", turn.text[:REPORT_LIMIT]))
    sentences = [
        fold(_BULLET.sub("", part)).replace("’", "'").rstrip(" .!:…")
        for part in parts
        if not passing(part)
    ]
    reports = [_did().match(sentence) is not None for sentence in sentences]
    if not sentences:
        return "```" in turn.text
    return any(reports) and all(
        report or _offers().match(sentence)
        for report, sentence in zip(reports, sentences, strict=True)
    )


@cache
def _did() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{fold_normal(one)})" for one in _table()["did"].values()))


@cache
def _offers() -> re.Pattern[str]:
    return re.compile(fold_normal(_table()["offers"]["all"]))


def recalled(text: str, known: Collection[str]) -> bool:
    """Whether a text that no user said only repeats what was known before it: an item's words, or
    part of them, or with little around.

    Case, spaces and marks aside. For quotes from turns of assistants, tools and documents: what a
    user says again is said again.
    """
    if len(text) > RECALLED_LIMIT:
        return text.strip() in known
    said = TextWords(text)
    if len(said.words) < LEAST_WORDS:
        return False
    for one in (TextWords(item) for item in known if len(item) <= RECALLED_LIMIT):
        short, long = (said, one) if len(said.words) <= len(one.words) else (one, said)
        if (
            len(short.words) >= LEAST_WORDS
            and 2 * len(short.words) >= len(long.words)
            and long.find(short)
        ):
            return True
    return False


def in_memory_block(text: str, start: int, end: int) -> bool:
    """Whether any of a stretch stands in a block of memories put into the talk, such as ``<memory>
    … </memory>``; one left open counts.
    """
    depth = 0
    for tag in _MEMORY.finditer(text):
        if tag.end() > start:
            return depth > 0 or tag.start() < end
        depth = max(0, depth - 1) if tag[1] else depth + 1
    return depth > 0
