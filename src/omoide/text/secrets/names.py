"""Words that announce a secret: where they stand in a text, and how what follows hangs on them."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from omoide.text.secrets import words
from omoide.text.secrets.values import HIDDEN

Span = tuple[int, int]  # start and end of a secret
KEY_AHEAD = 48  # characters after a name in which a key or a code begins


@dataclass(frozen=True, slots=True)
class Name:
    """A word that announces a secret, where it stands in the text, and where its neighbours of the
    same family do.
    """

    text: str
    low: str  # the text in lower case, character by character
    start: int
    end: int
    floor: int = 0  # where the name before it begins
    ceiling: int = sys.maxsize  # where the name after it begins

    @property
    def word(self) -> str:
        """The word itself, lower case."""
        return self.low[self.start : self.end]

    def back(self, reach: int) -> int:
        """So many characters before the name, but not over a secret that was found: what is beyond
        it says nothing here.
        """
        start = max(0, self.start - reach)
        return max(start, self.text.rfind(HIDDEN, start, self.start) + 1)

    def forth(self, reach: int) -> int:
        """So many characters after the name, but not over a secret that was found."""
        hidden = self.text.find(HIDDEN, self.end, self.end + reach)
        return hidden if hidden >= 0 else min(len(self.text), self.end + reach)

    @property
    def before(self) -> str:
        """The last word before the name, attached or not; "" at the start of a clause. Of
        ``myPublicKey`` it is public.
        """
        if self.text[self.start].isupper() and (
            hump := _HUMP.search(self.text, self.back(24), self.start)
        ):
            return hump[0].lower()
        match = _LAST_WORD.search(self.low, self.back(24), self.start)
        return match[1] if match else ""


class Link(IntEnum):
    """How a name and a value hang together, the closest last."""

    FAR = 0
    NEXT = 1  # side by side
    LABEL = 2  # a colon or equals sign with more words before it: "password for the router: …"
    WORD = 3  # "is", "lautet", "は"
    SIGN = 4  # a colon or equals sign alone


_HUMP = re.compile(r"[A-Z][a-z0-9]+\Z")
_LAST_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)?)[\s_.*-]{0,3}\Z")
_TAIL = re.compile(r"[_-]?([a-z0-9]{1,40})(?:[_-]([a-z0-9]{1,40}))?")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{32,}")
_ASIDE = re.compile(r"\s?\([^()\n]{1,24}\)(?=\s?[:=])")  # "PIN (phone): …"
_NEXT_WORD = re.compile(r"\s{1,2}([^\W_]+(?:['’][^\W_]+)?)")
SIGNS = ":=：＝→➜>|-–—⇒"
DECOR = " \t\r\n+*_`\"'“”„«»‘’「『([{\\<【（"
CLAUSE_STOP = re.compile(r"(?<![:：])\n|[。！？；" + HIDDEN + r"]|[.?;]\s|!\s(?![a-z←–—(=])")
_CHANGES = re.compile("|".join(words.CHANGES))


# Names are looked for only where letters of their script stand. The first two: ASCII, other Latin
# letters.
_SCRIPTS = tuple(
    re.compile(f"[{letters}]")
    for letters in (
        "a-z",
        "\u00c0-\u024f\u1e00-\u1eff",
        "\u0370-\u0588",  # Greek, Cyrillic, Armenian
        "\u0590-\u08ff",  # Hebrew, Arabic
        "\u0900-\u1399\u1780-\u17ff",  # from India to the Caucasus and Cambodia
        "\u2e80-\ud7ff\uf900-\uffef",  # China, Japan, Korea
    )
)


@dataclass(frozen=True, slots=True)
class Index:
    """Where names of one script begin, and for each beginning which families may go on from there,
    and how.
    """

    beginning: re.Pattern[str]
    endings: Mapping[str, Sequence[tuple[int, str]]]  # patterns, made ready when they are met


def index(families: Iterable[words.Names]) -> tuple[Index | None, ...]:
    """The names of several families, numbered from 0, ready to be looked for: one index for each
    script.
    """
    by_script: list[list[tuple[str, int, str]]] = [[] for _ in _SCRIPTS]
    for family, names in enumerate(families):
        for stem, rest in names:
            script = max(number for number, letters in enumerate(_SCRIPTS) if letters.search(stem))
            by_script[script].append((stem, family, rest))
    return tuple(_script_index(names) if names else None for names in by_script)


def _script_index(names: list[tuple[str, int, str]]) -> Index:
    stems = {stem for stem, _, _ in names}
    shortest = _shortest(stems)
    endings: dict[str, list[tuple[int, str]]] = {start: [] for start in shortest}
    for stem, family, rest in names:
        start = shortest[bisect_right(shortest, stem) - 1]
        endings[start].append((family, re.escape(stem[len(start) :]) + rest))
    return Index(re.compile(_tree(shortest)), endings)


def tree(stems: Iterable[str]) -> str:
    """A pattern that finds where one of the stems begins, trying each letter once."""
    return _tree(_shortest(set(stems)))


def _shortest(stems: set[str]) -> list[str]:
    """The stems that go on from no other."""
    shortest: list[str] = []
    for stem in sorted(stems):  # what a stem begins follows it
        if not shortest or not stem.startswith(shortest[-1]):
            shortest.append(stem)
    return shortest


def _tree(stems: Iterable[str]) -> str:
    """A pattern that tries each letter once: ``p(?:in|uk)`` for pin and puk."""
    by_letter: dict[str, list[str]] = {}
    ends = False
    for stem in stems:
        if stem:
            by_letter.setdefault(stem[0], []).append(stem[1:])
        else:
            ends = True
    branches = [re.escape(letter) + _tree(rest) for letter, rest in by_letter.items()]
    if not branches or (len(branches) == 1 and not ends):
        return "".join(branches)
    return f"(?:{'|'.join(branches)})" + ("?" if ends else "")


def occurrences(
    text: str, low: str, indexes: tuple[Index | None, ...]
) -> Iterator[tuple[int, Name]]:
    """Every name that stands in text as a word, or as the last part of an identifier, with its
    family's number.
    """
    for script, letters in zip(indexes, _SCRIPTS, strict=True):
        if script is None or not (script is indexes[0] or letters.search(low)):
            continue
        yield from _of_script(text, low, script)
        if script is indexes[0] and low.isascii():
            return


def _of_script(text: str, low: str, script: Index) -> Iterator[tuple[int, Name]]:
    at = 0
    while match := script.beginning.search(low, at):
        # a name may begin within what is none: password in rootPassword, behind otp
        at = match.start() + 1
        for family, ending in script.endings[match[0]]:
            whole = _ready(ending).match(low, match.end())
            if not whole or _goes_on(text, low, whole.end()):
                continue
            if name := _as_word(Name(text, low, match.start(), whole.end())):
                at = match.end()
                yield family, name


@cache
def _ready(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _goes_on(text: str, low: str, end: int) -> bool:
    """Whether a small letter follows, so that the name is only the beginning of another word."""
    return "a" <= text[end : end + 1] <= "z" and low[end - 1].isascii()


def _as_word(name: Name) -> Name | None:
    """The name if it stands as a word or ends an identifier, with the harmless rest of the
    identifier; else None.
    """
    if _is_glued(name) or _is_encoded(name):
        return None
    end = _end_of_identifier(name)
    if end is None:
        return None
    if aside := _ASIDE.match(name.text, end):
        end = aside.end()
    following = _NEXT_WORD.match(name.low, end)
    is_tag = name.text[name.start - 1 : name.start] == "<"
    if following and not is_tag and following[1] in words.OTHER_NOUNS:
        return None
    return Name(name.text, name.low, name.start, end)


def _end_of_identifier(name: Name) -> int | None:
    """Where a name ends with the harmless rest of its identifier; None where the rest says that it
    is something else.
    """
    end, low = name.end, name.low
    is_ascii = name.text[end : end + 1].isascii() and low[end - 1].isascii()
    match = _TAIL.match(low, end) if is_ascii else None
    if not match or not match[0]:
        return end
    is_camel = name.text[end].isupper() and name.text[end - 1].islower()
    if low[end].isalpha() and not is_camel:
        return None
    if any(part in words.OTHER_NOUNS for part in match.groups() if part):
        return None
    is_value = low[end] == "-" and match[1] not in words.VALUE_TAILS
    return None if is_value else match.end()


_COMPOUND = frozenset(("code", "codes", "kod", "koda"))  # which end words: "Notfallcodes"


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
    return (
        len(name.word) < 6
        and name.before not in words.KEY_MARKS
        and not (name.word in _COMPOUND and MARKED.match(name.before))
    )


def _is_encoded(name: Name) -> bool:
    """Whether the name only happens to stand in a long run of base64."""
    for run in _ENCODED.finditer(name.text, max(0, name.start - 32), name.end + 32):
        if run.start() <= name.start and name.end <= run.end():
            return any(map(str.isdigit, run[0]))
    return False


def _joined(*parts: str) -> re.Pattern[str]:
    spaced = "|".join(re.escape(part) for part in parts if part < "\u0590")
    return re.compile(
        rf"(?<![^\W\d_])(?:{spaced})|"
        + "|".join(re.escape(part) for part in parts if part >= "\u0590")
    )


MARKED = _joined(*words.CODE_MARKS)


def whole_words(*parts: str) -> re.Pattern[str]:
    """A pattern of these words in lower-cased text; "~" lets a word go on by an ending, or before
    it begin as a compound. Words of scripts without spaces stand anywhere.
    """
    spaced: dict[tuple[bool, bool], list[str]] = {}
    for part in parts:
        if part < "\u0e00":
            spaced.setdefault((part[0] == "~", part[-1] == "~"), []).append(part.strip("~"))
    forms = [
        (r"[^\W\d_]{0,15}" if before else "")
        + _tree(dict.fromkeys(stems))
        + (r"[^\W\d_]{0,9}" if after else "")
        for (before, after), stems in sorted(spaced.items())
    ]
    unspaced = [re.escape(part) for part in parts if part >= "\u0e00"]
    return re.compile("|".join([rf"(?<![^\W\d_])(?:{'|'.join(forms)})(?![^\W\d_])", *unspaced]))


_BLACKED = re.compile(r"\*{3}|[•●▪█]{2}")  # a value somebody else has masked


# what stands between belongs to another name
_ATTRIBUTE = re.compile(r"(?<!value)(?<=\w)=|[\n(){}]")


def link_to(name: Name, start: int) -> Link:
    """How a name hangs together with the value that starts there."""
    gap = name.low[name.end : start]
    if _BLACKED.search(gap) or gap.count("|") > 1:
        return Link.FAR
    core = gap.strip(DECOR)
    if not core:
        return Link.FAR if "\n" in gap or (not gap and name.word.isascii()) else Link.NEXT
    if not core.strip(SIGNS + DECOR):
        return Link.SIGN
    bare = core.rstrip(SIGNS + DECOR)
    if core != bare and bare in words.NEW_ONES:
        return Link.SIGN
    if bare == "s" and gap[0] in "'’":
        return Link.WORD
    return _link_by_words(name, core, bare, start)


def _link_by_words(name: Name, core: str, bare: str, start: int) -> Link:
    """How a name hangs together with what stands behind words; bare are these without signs."""
    last, is_english = _last_word(bare), name.word[:3] in _ENGLISH
    if last == "on" and is_english:
        return Link.FAR  # a link in Finnish alone
    if last in words.DESTINATIONS and (last not in words.LINKS or is_english):
        return _link_to_destination(name, last, start)
    if last in words.LINKS or bare.endswith(words.UNSPACED_LINKS):
        return Link.SIGN if core != bare and bare in words.LINKS else Link.WORD
    return Link.LABEL if core != bare and not _ATTRIBUTE.search(core) else Link.FAR


def _link_to_destination(name: Name, last: str, start: int) -> Link:
    """A link where the clause says that a secret is changed to the value."""
    # the German verb comes last
    stop = name.forth(start - name.end + 40) if last == "auf" else start
    return Link.WORD if _CHANGES.search(name.low, name.back(30), stop) else Link.FAR


_WORD_AT_END = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?\Z")


def _last_word(text: str) -> str:
    match = _WORD_AT_END.search(text, max(0, len(text) - 24))
    return match[0] if match else ""


# names that are English among other languages
_ENGLISH = frozenset(("pas", "pw", "pwd", "key", "tok", "sec", "pin", "cod"))
_ELEMENT = re.compile(r"[^<>\n]{0,60}>")
# Where a value follows on another line: as a field of its own, below a colon, or as an answer.
_BREAK = re.compile(
    r"(?:\"\s?\{)?\n[ \t]{0,16}(?:value|default)[ \t]{0,8}[:=][ \t]{0,4}|"
    r"(?:(?<=codes)|(?<=digos)|(?<=odici)|[\"'`*\]\s]{0,6}(?:[a-z]{2,3})?\s{0,2}[:：=])"
    r"[ \t*]{0,4}\r?\n{1,2}[ \t>*-]{0,6}|[吗呢]?[?？]\s?"
)


def ahead(name: Name, reach: int) -> tuple[int, int]:
    """From where to where a value may begin after the name: to the end of the clause, or at the
    next line after a colon.
    """
    lead = _ELEMENT if name.text[name.start - 1 : name.start] == "<" else _BREAK
    start = match.end() if (match := lead.match(name.low, name.end)) else name.end
    limit = min(len(name.low), name.end + reach, name.ceiling + 1)
    stop = CLAUSE_STOP.search(name.text, start, limit)
    return start, stop.start() + (stop[0][0] in ".!?;") if stop else limit


_THATS = re.compile(
    r"[,;–—-]\s(?:that['’]s|that is|das ist|c['’]est|ese es|esa es|questa è|essa é|dat is)\s"
    r"(?:[^\W\d_]{1,12}\s){0,2}(?:[^\W\d_]{1,12}|what [^.,;]{3,20} as)\s\Z"
)


# said of any password
_RANKED = frozenset(
    "most best worst weakest commonest strongest good bad better weak strong terrible great safe"
    " common popular poor typical gutes schlechtes sicheres bon mauvais buena mala".split()
)


def leads_back(gap: str) -> bool:
    """Whether the lower-cased text between a value and a later name says that the value is it."""
    if _THATS.search(gap):
        return True
    parts = gap.strip(" \t\"'`*_»”()」』,-–—=").split()
    if not parts:
        return any(sign in gap for sign in "-–—=(")
    if not _RANKED.isdisjoint(parts):
        return False
    if parts[0] in words.POSSESSIVES:  # "that is the", "das ist das"
        return len(parts) <= (5 if parts[1:2] and parts[1] in words.BACK_LINKS else 3)
    if parts[0] in words.BACK_LINKS:
        return (
            len(parts) == 1
            or (parts[1] in words.POSSESSIVES and len(parts) <= 5)
            or (len(parts) == 2 and parts[0] != "for")
        )
    return gap.startswith(words.UNSPACED_BACK_LINKS) and len(gap) <= 16
