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


_LAST_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)?)[\s_.*-]{0,3}\Z")
_TAIL = re.compile(r"[_-]?([a-z0-9]{1,40})(?:[_-]([a-z0-9]{1,40}))?")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{32,}")
_NEXT_WORD = re.compile(r"\s{1,2}([^\W_]+(?:['’][^\W_]+)?)")
SIGNS = ":=：＝→➜>|-–—⇒"
DECOR = " \t\r\n*_`\"'“”„«»‘’「『([{\\<【（"
CLAUSE_STOP = re.compile(r"[\n。！？；" + HIDDEN + r"]|[.?;]\s|!\s(?![a-z])")
_CHANGES = re.compile("|".join(words.CHANGES))


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
    if _is_glued(name) or _is_encoded(name):
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
        return "\u30a0" <= char <= "\u30ff" and len(name.word) < 4
    if first > "\u0590" or (char > "\u024f" and first <= "\u024f"):
        return False  # scripts with prefixed words or without spaces, or another script
    if first.isupper() and char.islower():
        return False
    return len(name.word) < 6 and name.before not in words.KEY_MARKS and not (name.word == "code" and MARKED.match(name.before))


def _is_encoded(name: Name) -> bool:
    """Whether the name only happens to stand in a long run of base64."""
    start = max(0, name.start - 32)
    runs = (run for run in _ENCODED.finditer(name.text, start, name.end + 32) if run.start() < name.start and name.end <= run.end())
    return any(any(c.isdigit() for c in run[0]) for run in runs)


def _joined(*parts: str) -> re.Pattern[str]:
    spaced = "|".join(re.escape(part) for part in parts if part < "\u0590")
    return re.compile(rf"(?<![^\W\d_])(?:{spaced})|" + "|".join(re.escape(part) for part in parts if part >= "\u0590"))


MARKED = _joined(*words.CODE_MARKS)


_BLACKED = re.compile(r"\*{3}|[•●▪█]{2}")  # a value somebody else has masked


def link_to(name: Name, start: int) -> Link:
    """How a name hangs together with the value that starts there."""
    gap = name.low[name.end : start]
    if _BLACKED.search(gap):
        return Link.FAR
    core = gap.strip(DECOR)
    if not core:
        return Link.FAR if "\n" in gap or (not gap and name.word.isascii()) else Link.NEXT
    if not core.strip(SIGNS + DECOR):
        return Link.SIGN
    bare = core.rstrip(SIGNS + DECOR)
    last = _last_word(bare)
    if bare == "s" and gap[0] in "'’":
        return Link.WORD
    if last in words.DESTINATIONS and (last not in words.LINKS or name.word[:3] in _ENGLISH):
        return Link.WORD if _CHANGES.search(name.low, max(0, name.start - 30), start + 40) else Link.FAR
    if last in words.LINKS or bare.endswith(words.UNSPACED_LINKS):
        return Link.SIGN if core != bare and bare in words.LINKS else Link.WORD
    return Link.WORD if core != bare else Link.FAR


def _last_word(text: str) -> str:
    match = re.search(r"[^\W\d_]+(?:['’][^\W\d_]+)?\Z", text[-24:])
    return match[0] if match else ""


_ENGLISH = frozenset(("pas", "pw", "pwd", "key", "tok", "sec", "pin", "cod"))  # names that are English among other languages
_BREAK = re.compile(r"[\"'`*)\]\s]{0,6}(?:[a-z]{2,3})?\s{0,2}[:：=][ \t*]{0,4}\r?\n{1,2}[ \t>*-]{0,6}")


def ahead(name: Name, reach: int) -> tuple[int, int]:
    """From where to where a value may begin after the name: to the end of the clause, or at the next line after a colon."""
    start = match.end() if (match := _BREAK.match(name.low, name.end)) else name.end
    stop = CLAUSE_STOP.search(name.text, start, min(len(name.low), name.end + reach))
    return start, stop.start() + (stop[0][0] in ".!?;") if stop else min(len(name.low), name.end + reach)
