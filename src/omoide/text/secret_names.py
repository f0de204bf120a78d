"""Words that announce a secret: where they stand in a text, and how what follows hangs on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from omoide.text import secret_words as words
from omoide.text.secret_values import HIDDEN



@dataclass(frozen=True, slots=True)
class Name:
    """A word that announces a secret, where it stands in the text."""

    text: str
    low: str  # the text in lower case, character by character
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word itself, lower case."""
        return self.low[self.start : self.end]

    @property
    def before(self) -> str:
        """The last word before the name, attached or not; "" at the start of a clause."""
        match = _LAST_WORD.search(self.low, max(0, self.start - 24), self.start)
        return match[1] if match else ""


class Link(IntEnum):
    """How a name and a value hang together, the closest last."""

    FAR = 0
    NEXT = 1  # side by side
    WORD = 2  # "is", "lautet", "は"
    SIGN = 3  # a colon or an equals sign


_LAST_WORD = re.compile(r"([^\W_]+(?:['’-][^\W_]+)?)[\s_.*-]{0,3}\Z")
_TAIL = re.compile(r"[_-]?([a-z0-9]+)(?:[_-]([a-z0-9]+))?")
_NEXT_WORD = re.compile(r"\s{1,2}([^\W_]+(?:['’][^\W_]+)?)")
SIGNS = ":=：＝→➜>|-–—⇒"
DECOR = " \t\r\n*_`\"'“”„«»‘’「『([{\\<【（"
CLAUSE_STOP = re.compile(r"[\n。！？；" + HIDDEN + r"]|[.!?;]\s")
_MOVING = frozenset(("to", "a", "à", "as", "auf", "e", "az", "al", "as", "on"))  # a link only after a verb: "changed to"


Names = tuple[tuple[str, re.Pattern[str]], ...]


def compiled(names: words.Names) -> tuple[Names, Names]:
    """The names ready to be looked for: those whose stem is ASCII, and all of them."""
    every = tuple((stem, re.compile(rest)) for stem, rest in names)
    return tuple(name for name in every if name[0].isascii()), every


def occurrences(text: str, low: str, names: Names) -> Iterator[Name]:
    """Every name that stands in text as a word, or as the last part of an identifier."""
    for stem, rest in names:
        at = low.find(stem)
        while at >= 0:
            match = rest.match(low, at + len(stem))
            if match and (name := _as_word(Name(text, low, at, match.end()))):
                yield name
            at = low.find(stem, at + len(stem))




def _as_word(name: Name) -> Name | None:
    """The name if it stands as a word or ends an identifier, with the harmless rest of the identifier; else None."""
    if _is_glued(name):
        return None
    end, low = name.end, name.low
    if name.text[end : end + 1].isascii() and low[end - 1].isascii() and (match := _TAIL.match(low, end)) and match[0]:
        is_camel = name.text[end].isupper() and name.text[end - 1].islower()
        if low[end].isalpha() and not is_camel:
            return None
        if any(part in words.OTHER_NOUNS for part in match.groups() if part) or (low[end] == "-" and match[1] not in words.VALUE_TAILS):
            return None
        end = match.end()
    following = _NEXT_WORD.match(low, end)
    if following and following[1] in words.OTHER_NOUNS:
        return None
    return Name(name.text, low, name.start, end)


def _is_glued(name: Name) -> bool:
    """Whether the name is only the end of another word: monkey, opinion, スキー, включить."""
    char, first = name.text[name.start - 1 : name.start], name.text[name.start]
    if not char.isalpha():
        return char == "1" and name.word.startswith("password")
    if "\u30a0" <= first <= "\u30ff":
        return "\u30a0" <= char <= "\u30ff"
    if first > "\u0590" or (char > "\u024f" and first <= "\u024f"):
        return False  # scripts with prefixed words or without spaces, or another script
    if first.isupper() and char.islower():
        return False
    return len(name.word) < 6 and name.before not in words.KEY_MARKS and not (name.word == "code" and MARKED.match(name.before))


def _joined(*parts: str) -> re.Pattern[str]:
    return re.compile(r"(?<![^\W\d_])(?:" + "|".join(re.escape(part) for part in parts) + ")")


MARKED = _joined(*words.CODE_MARKS)


def link_between(gap: str) -> Link:
    """How a name and a value hang together, by the lower-cased text between them."""
    core = gap.strip(DECOR)
    if not core:
        return Link.FAR if "\n" in gap else Link.NEXT
    if not core.strip(SIGNS + DECOR):
        return Link.SIGN
    bare = core.rstrip(SIGNS + DECOR)
    last = _last_word(bare)
    if last in words.LINKS or bare.endswith(words.UNSPACED_LINKS):
        if last in _MOVING and bare == last:
            return Link.FAR
        return Link.SIGN if core != bare and bare in words.LINKS else Link.WORD
    return Link.WORD if core != bare else Link.FAR


def _last_word(text: str) -> str:
    match = re.search(r"[^\W\d_]+(?:['’][^\W\d_]+)?\Z", text[-24:])
    return match[0] if match else ""


_BREAK = re.compile(r"[\"'`*)\]\s]{0,6}(?:[a-z]{2,3})?\s{0,2}[:：=][ \t*]{0,4}\r?\n{1,2}[ \t>*-]{0,6}")


def ahead(name: Name, reach: int) -> tuple[int, int]:
    """From where to where a value may begin after the name: to the end of the clause, or at the next line after a colon."""
    start = match.end() if (match := _BREAK.match(name.low, name.end)) else name.end
    stop = CLAUSE_STOP.search(name.low, start, min(len(name.low), name.end + reach))
    return start, stop.start() + (stop[0][0] in ".!?;") if stop else min(len(name.low), name.end + reach)
