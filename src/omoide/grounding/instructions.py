"""Standing instructions in what a user says: "always answer in metric", "call me Max from now on".

A sentence is one if it tells the assistant what to do, and says that it holds for good. General
advice ("always use sunscreen") tells everybody: it names neither the speaker nor anything that an
assistant makes. What was pasted, and what stands between quotation marks, is nobody's instruction.
``instructions.toml`` has the words of each language. Whatever is in doubt is none: a missed one can
still be recalled, and a wrong one would stand in every prompt.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from omoide.grounding.chatter import in_memory_block
from omoide.grounding.pasted import pasted_spans
from omoide.nouns.turn import Role, Turn
from omoide.text.letters import MARKS, fold

READ_LIMIT = 20_000  # characters of a turn that are read
SHORTEST, LONGEST = 4, 300  # characters of a sentence that may be an instruction
_WITHOUT_SPACES = ("zh", "ja")
_SENTENCE = re.compile(r"(?:[^\n.!?…。！？؟।]+|[.!?…؟](?=\w))+[.!?…。！？؟।]*")
_ASKS = re.compile(r"[?？؟]\s*$|吗\s*[。.]?\s*$")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|『[^』]*』|‘[^’]*’")
_BEFORE = " ¿¡*•–—-"  # signs that may stand before a sentence
_SIGNS = "[\\s,،、:;!！。，-]*"  # between the words before an instruction
_APART = dict.fromkeys(map(ord, string.punctuation + "¿¡…“”„«»‘’–—•"), " ")  # between words
_EDGES = (f"(?<![\\w{MARKS}])", f"(?![\\w{MARKS}])")  # of words with spaces between
_GAPS = re.compile(r"\s*[,،]?\s{2,}|[,،]?\s+(?=[.!?؟]?$)")  # where a polite word was
_NAMED = re.compile(r"<([a-z]+)>")
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Tongue:
    """A language: what tells that a text may instruct in it, what is left out first, what no
    instruction has, what no advice has, and how an instruction begins.
    """

    signs: frozenset[str]  # words, of a Latin language
    letters: re.Pattern[str] | None  # of another
    polite: re.Pattern[str] | None
    once: re.Pattern[str]
    yours: re.Pattern[str]
    forms: re.Pattern[str]
    asked: re.Pattern[str]

    def may_be_in(self, plain: str, words: Collection[str]) -> bool:
        """Whether a folded text of these words may instruct in it."""
        if self.letters is None:
            return not self.signs.isdisjoint(words)
        return self.letters.search(plain) is not None


def has_instruction(turn: Turn) -> bool:
    """Whether a user says in a turn what holds for good."""
    return turn.role is Role.USER and any(instructions(turn.text))


def instructions(text: str) -> Iterator[Span]:
    """Where in what a user says the sentences stand that instruct the assistant for good."""
    own = text[:READ_LIMIT]
    found = [*_instructing(own)]
    pasted = pasted_spans(own) if found else []
    for start, end in found:
        is_put = any(a < end and start < b for a, b in pasted)
        if not is_put and not in_memory_block(own, start, end):
            yield start, end


def _instructing(text: str) -> Iterator[Span]:
    tongues = _told_by(text)
    for found in _SENTENCE.finditer(text) if tongues else ():
        start, end = found.span()
        start += len(found[0]) - len(found[0].lstrip())
        if SHORTEST <= end - start <= LONGEST and _instructs(text[start:end], tongues):
            yield start, end


def _told_by(text: str) -> list[_Tongue]:
    """The languages that a text may instruct in: most texts in none."""
    plain = fold(text)
    words = plain.translate(_APART).split()
    tongues = _latin() if plain.isascii() else _tongues()
    return [tongue for tongue in tongues if tongue.may_be_in(plain, words)]


def _instructs(sentence: str, tongues: Collection[_Tongue]) -> bool:
    plain = " ".join(fold(_QUOTED.sub("", sentence)).replace("’", "'").split()).lstrip(_BEFORE)
    asks = _ASKS.search(plain) is not None
    return any(_instructs_in(tongue, plain, asks) for tongue in tongues)


def _instructs_in(tongue: _Tongue, plain: str, asks: bool) -> bool:
    if tongue.polite is not None:
        plain, polite = tongue.polite.subn(" ", plain)
        plain = _GAPS.sub(" ", plain).strip() if polite else plain
    told = tongue.asked.match(plain) or (
        not asks and tongue.forms.match(plain) and tongue.yours.search(plain)
    )
    return bool(told) and not tongue.once.search(plain)


def table_version() -> int:
    """The version of the table of words; a later one marks turns anew."""
    return int(_table()["version"])


@cache
def _tongues() -> tuple[_Tongue, ...]:
    return tuple(_read(code, words) for code, words in _table().items() if code != "version")


@cache
def _table() -> dict[str, Any]:
    folder = files("omoide.grounding")
    return tomllib.loads(folder.joinpath("instructions.toml").read_text(encoding="utf-8"))


@cache
def _latin() -> tuple[_Tongue, ...]:
    """The languages that may be written without a letter beyond ASCII."""
    return tuple(tongue for tongue in _tongues() if tongue.letters is None)


def _read(code: str, words: dict[str, str | list[str]]) -> _Tongue:
    """The patterns of a language. A name stands for its words, whole ones; ``lead`` for any number
    of them with signs between.
    """
    before, after = ("", "") if code in _WITHOUT_SPACES else _EDGES

    def group(name: str) -> str:
        listed = fold(str(words[name]))
        if name == "lead":
            return f"{before}(?:(?:{listed}){_SIGNS})*"
        return f"{before}(?:{listed}){after}"

    def pattern(*forms: str) -> re.Pattern[str]:
        written = (_NAMED.sub(lambda name: group(name[1]), fold(form)) for form in forms)
        return re.compile("|".join(f"(?:{form})" for form in written))

    return _Tongue(
        signs=frozenset(fold(str(words.get("signs", ""))).split("|")),
        letters=re.compile(f"[{words['letters']}]") if "letters" in words else None,
        polite=pattern("<polite>[,،]?") if "polite" in words else None,
        once=pattern("<once>"),
        yours=pattern("<yours>"),
        forms=pattern(*words["forms"]),
        asked=pattern(*words["asked"]),
    )
