"""Passwords told by how they are used: "just type kangaroo-lamp-9 for the Wi-Fi".

No word beside such a value calls it a password. Three things are weighed instead: what the
sentence is about, what one does with the value, and how much the value looks chosen.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from omoide.text.secrets import words
from omoide.text.secrets.names import CLAUSE_STOP, DECOR, SIGNS, Name, Span, leads_back, whole_words
from omoide.text.secrets.phrases import is_told_phrase
from omoide.text.secrets.values import (
    Strength,
    Value,
    ends_clause,
    is_counted,
    is_plain_secret,
    strength,
    values,
    whole_end,
)

_ENOUGH = 6  # points
_PASSWORD, _ACCESS = 4, 2  # points for a topic; one less in the sentence after
_SURE = 4  # points for a look that needs nothing but a topic
_TYPED, _USED = 3, 2  # points for a link
_REACH = 100  # characters around the word that tells the topic

_ACCESSES = whole_words(*words.ACCESS)
_WORD = r"[^\W\d_]{1,20}"
# more than a value: an assignment, the cells of a row, code
_JOINED = re.compile(r"[\s=;|:(){}<>\[\]/\\\"'`]|\A[^\w#]|\*\*")
# as programs number their names: sqlite3, saltRounds1
_NUMBERED = re.compile(r"(?:[^\W\d_]{1,8}|[A-Za-z]?[a-z]+[A-Z][A-Za-z]*)\d\Z")
# keys pressed together, and quantities: Ctrl+Shift+T, 2.4GHz-only
_NO_CHOICE = re.compile(
    r"(?:(?:ctrl|control|strg|cmd|command|alt|option|shift|umschalt|maj|fn|win|super|meta)[+-]){1,4}"
    r"(?:[^\s\d]|f?\d{1,2}|tab|enter|return|esc|escape|del|delete|entf|space|up|down|left|right)\Z"
    rf"|\d+(?:[.,]\d+)?(?:{words.UNITS}|[kmgt]?hz|[kmgt]i?bit|[kmgt]bps|mah|inch|mp)(?:[-/][a-z]+)?\Z",
    re.IGNORECASE,
)
_CODE_BEFORE = re.compile(r"[`(=]\s?[\"']?\Z|`\Z")
_EDGE = rf"[{re.escape(DECOR + SIGNS)}]{{0,4}}\Z"
# a file, a version, an identifier, a command: what is joined so is no talk about a password
_TECHNICAL = re.compile(
    r"(?<![\w-])(?:[A-Za-z]+(?:_[A-Za-z0-9]+)+|v\d+(?:\.\d+)*|[A-Za-z]+-?\d+\.\d+|\d+(?:\.\d+){2,3}"
    r"|[\w./-]*[a-z]\.(?:py|js|ts|go|rs|java|c|h|sh|sql|json|ya?ml|toml|cfg|ini|conf|csv|md|txt|pdf))"
    r"(?![\w@])|(?<!\S)(?:ssh|git|curl|docker|kubectl|sudo|npm|pip)\s[a-z-]|[a-z]\(\w*\)"
)
# where a name is joined: node-3, eu-west-1; and the sign in one as FRITZ!Box
_JOINTS, _BRAND_SIGN = re.compile(r"[-_.]"), re.compile(r"(?<=[A-Z])[!&](?=[A-Z])")
_LETTERS, _SPELT = re.compile(r"[^\W\d_]{3}"), re.compile(r"[^\W\d_]\d+[^\W\d_]")
# with a number: bcrypt-12; and chords: C#m7-b5
_NAME_OF_TECH = re.compile(
    rf"(?:{words.TECH})[-.][\w.]{{1,8}}\Z|[A-G][#b]?(?:maj|min|dim|sus|aug|add|m)[\d#b-]*\Z",
    re.IGNORECASE,
)
_TAG = re.compile(r"#[^\W\d_][^\W_]*!?\Z")
_DOER = "(?: (?:ich|du|man|wir))?"
_KEYS_BEFORE = re.compile(f"(?:{whole_words(*words.KEYED).pattern}){_DOER}{_EDGE}")
_TYPES_BEFORE = re.compile(f"(?:{whole_words(*words.TYPED).pattern}){_DOER}{_EDGE}")
# "card type Junior-B1"
_KIND_BEFORE = re.compile(
    r"(?<![^\W\d_])(?!(?:i|you|we|to|and|then|just|please|must|can|simply|only)\s)[^\W\d_]+\stype\s\Z"
)
_ENTERS_BEFORE = re.compile(
    r"(?<![^\W_])(?:typ|enter|tipp|gib|tape|saisi|tecle|digit|вве|набер)[^\W\d_]{0,4}"
    r"(?: (?:in|just|simply|einfach))?\s[\"'“„«]?\Z"
)
_NAMED = whole_words("called", "named", "heißt", "appelé", "llamado", "chiamato")
_NAMED_BEFORE = re.compile(f"(?:{_NAMED.pattern}){_EDGE}")
_USES_BEFORE = re.compile(f"(?:{whole_words(*words.USED).pattern}){_EDGE}")
_IS = whole_words(*words.PHRASE_LINKS, "has", "had").pattern
_LINK = whole_words(*sorted(words.LINKS)).pattern
_IS_BEFORE = re.compile(rf"(?:[:=→➜]|['’]s\s|(?:{_IS})(?:\s(?:[a-z]{{2,9}}ly|{_LINK}))?){_EDGE}")
_LETS_IN = re.compile(rf"[\"'`”“»]?,?\s(?:{whole_words(*words.LETS_IN).pattern})")
_LETS_ONE_IN = re.compile(r"\s(?:gets|lets|connects|logs)\s(?:you|me|us|them|everyone|guests)\s")
_OTHERS = whole_words(*words.NOT_ACCESS)
_COMPOUND = re.compile(rf"[\s-](?:{whole_words(*words.ACCESS_PARTS).pattern})")
_IT_IS = re.compile(
    r"(?:\A|[,.;:?–—-]\s)(?:it[’']?s|it is|that[’']s|that is|das ist|es ist|c[’']est|es|è)"
    rf"{_EDGE}"
)
_NETWORK_BEFORE = re.compile(r"(?:wi-?fi|wlan|hotspot|вай-?фай)(?:['’]s\s|\s?[:=→|?]\s?)\Z")
_APART_BEFORE = re.compile(r"(?:\A|[,:;?!.=→⇒>←–—(-]|\n)[\s\"'`“„«*]{0,4}\Z")
_APART_AFTER = re.compile(r"[\"'`”“»*]{0,2}\s?(?:[,.!?;)←→–—-]|<-|\n|\Z)")
# a digit, and a sign between letters or digits that stands in few other words
_CHOSEN = re.compile(
    r"(?=[^0-9]*[0-9])[^\W_]{1,24}[-_.]?[^\W_]{0,24}(?:[!$%&^]|#(?!\d+\Z))[^\W_][^\s/|<>()\[\]{},;:]*"
)
_LONG_WORD = re.compile(r"[A-Z][a-z]{7,}\d{2,4}\Z")
# each part is atomic: what could be cut in many ways would take exponential time
_PRODUCT = re.compile(
    r"(?>[A-Z][a-z]+|[A-Z]+(?![a-z])|\d+[A-Z]*)"
    r"(?:[-_.]?(?>[A-Z][a-z]+|[A-Z]+(?![a-z])\d*|\d+[A-Z]{0,2}))*+\Z"
)


def told_by_use(text: str, low: str, passwords: Sequence[Name]) -> Iterator[Span]:
    """The passwords in sentences about getting in, and in the sentences after these."""
    topics, place, done = _topics(low, passwords), 0, 0
    while place < len(topics):
        first, stop = _sentence(text, topics[place].start, topics[place].end, done)
        after = bisect_left(topics, stop, lo=place + 1, key=_START)
        points = max(one.points for one in topics[place:after])
        found = list(_used(text, low, (first, stop), points, topics[place:after]))
        done = stop
        if not found:  # the answer may come next
            _, done = _sentence(text, stop + 1, stop + 1, stop)
            is_asked = text[stop - 2 : stop].strip() in ("?", "？")
            found = list(_used(text, low, (stop, done), points - (not is_asked), ()))
        yield from found
        place = after


_THE_WORDS = re.compile(
    rf"(?:{whole_words(*words.THE_WORD).pattern})[\s:]{{1,2}}[\"'“„«]?"
    rf"(?P<said>{_WORD}(?:[ ,-]{{1,2}}{_WORD}){{0,11}})(?=[\"'”“»]?\s*(?:\Z|[\n.,;!?)]))"
)


# else the words do something: "puts the sentence into the prompt"
_LEADS_TO = re.compile(
    rf"(?:{whole_words(*words.PHRASE_LINKS, *words.USED, *words.TYPED, 'to').pattern})\s\Z"
)
_SEALED = re.compile("[ed][nec]{1,2}rypt|schlüssel[nt]|chiffr|cifrad|versleutel|шифр")


def told_as_words(low: str, passwords: Sequence[Name]) -> Iterator[Span]:
    """The pass phrases that are said to be words: "the vault opens with the words …"."""
    every = _THE_WORDS.finditer(low)
    said = [one for one in every if _LEADS_TO.search(low, max(0, one.start() - 24), one.start())]
    if not said:
        return
    topics = (one.end for one in _topics(low, passwords))
    ends = sorted((*topics, *(one.end() for one in _SEALED.finditer(low))))
    for match in said:
        place = bisect_right(ends, match.start())
        first = ends[place - 1] if place else -_REACH
        is_near = match.start() - first < _REACH and not CLAUSE_STOP.search(
            low, first, match.start()
        )
        if is_near and is_told_phrase(match["said"]):
            yield match.span("said")


class _Topic(NamedTuple):
    """A word for what a password is for, where it stands, and how much it tells."""

    start: int
    end: int
    points: int


_START = attrgetter("start")


def _topics(low: str, passwords: Sequence[Name]) -> list[_Topic]:
    """Where what a password is for is named, in order."""
    named = [_Topic(one.start, one.end, _PASSWORD) for one in passwords if _is_topic(one)]
    accesses = (
        one.span() for one in _ACCESSES.finditer(low) if not _COMPOUND.match(low, one.end())
    )
    return sorted([*named, *(_Topic(*span, _ACCESS) for span in accesses)])


def _is_topic(name: Name) -> bool:
    """Whether a password's name is a word by itself: no ticket, and no part of a product's name."""
    return name.word != "pass" and not any(map(str.isdigit, name.word))


def _sentence(text: str, start: int, end: int, floor: int) -> Span:
    """The sentence or line around a stretch, as far as it is looked at."""
    first = max(floor, start - _REACH)
    for stop in CLAUSE_STOP.finditer(text, first, start + 1):
        first = stop.end() if stop.end() <= start else first
    after = CLAUSE_STOP.search(text, end, end + _REACH)
    return first, after.end() if after else min(len(text), end + _REACH)


def _used(
    text: str, low: str, reach: Span, points: int, topics: Sequence[_Topic]
) -> Iterator[Span]:
    for value in values(text, *reach):
        if _ACCESSES.search(low, value.start, value.end):
            continue
        if points < _PASSWORD - 1 and _is_technical(text, value, reach):
            continue
        look = _look(text, value) or _plain_look(text, low, value, points)
        is_told = look == _SURE
        if 0 < look < _SURE:
            link = _link(low, value, reach[0], points, topics)
            is_told = link > 0 and points + look + link >= _ENOUGH
        if is_told:
            yield value.start, whole_end(text, value)


def _is_technical(text: str, value: Value, reach: Span) -> bool:
    """Whether a sentence holds code, a file or a version beside a value, or the value is a tag."""
    around = (reach[0], value.start), (value.raw_end, reach[1])
    return bool(_TAG.match(value.text)) or any(_TECHNICAL.search(text, *span) for span in around)


def _is_called(text: str) -> bool:
    """Whether a value may be the name of a thing: one word at most, joined to a number or to a few
    letters, as in node-3 and Form-27B.
    """
    if _NAME_OF_TECH.match(text):
        return True
    word, signs = _BRAND_SIGN.subn("", text)
    parts = _JOINTS.split(word)
    is_spelt = any(len(part) > 4 and _SPELT.search(part) for part in parts)
    is_joined = len(parts) + signs > 1 and all(map(str.isalnum, parts))
    return is_joined and not is_spelt and sum(map(bool, map(_LETTERS.search, parts))) < 2


def _leads_back(low: str, value: Value, topics: Sequence[_Topic]) -> bool:
    """Whether the words from a value to the next topic say that it is for that."""
    topic = next((one for one in topics if one.start >= value.raw_end), None)
    if topic is None or _OTHERS.search(low, value.end, topic.end):
        return False
    return leads_back(low[value.raw_end : topic.start])


def _look(text: str, value: Value) -> int:
    """Points for how much a value looks chosen: less where products and models look so as well."""
    level = strength(value.text)
    is_code = value.quoted and _CODE_BEFORE.search(text, max(0, value.start - 3), value.start)
    is_named = _NAMED_BEFORE.search(text, max(0, value.start - 16), value.start)
    is_other = is_code or is_named or _JOINED.search(value.text) or _NO_CHOICE.match(value.text)
    if level < Strength.MIXED or is_other or is_counted(text, value.end):
        return 0
    if len(value.text) > 7 and _CHOSEN.fullmatch(value.text):
        return _SURE
    is_product = _PRODUCT.match(value.text) and not _LONG_WORD.match(value.text)
    if len(value.text) < 6 or is_product or _NUMBERED.match(value.text):
        return 1
    return 3 if level is Strength.STRONG else 2


_IS_BACK = re.compile(r",?\s(?:is|was|ist|war|est|es|è|é|jest|это)\s|[はが]|是|가")
_NO_PASSWORDS = words.POSSESSIVES | words.DETERMINERS | words.SENTENCE_WORDS
_PARTICLE = re.compile(r"\sein(?![^\W_])")  # what remains of "gib … ein"


def _plain_look(text: str, low: str, value: Value, topic: int) -> int:
    """The same for a plain word: it may be a password only where passwords are talked of, and where
    one types it.
    """
    if topic < _PASSWORD or len(value.text) < 4:
        return 0
    if value.quoted or value.text.isdigit():  # "8826 is my password"
        is_said = _IS_BACK.match(low, value.raw_end)
        return int(bool(is_said) and is_plain_secret(value.text, quoted=value.quoted))
    if not _ENTERS_BEFORE.search(low, max(0, value.start - 24), value.start):
        return 0
    if value.text.lower() in _NO_PASSWORDS:
        return 0
    is_last = ends_clause(text, value) or _PARTICLE.match(low, value.raw_end)
    return int(bool(is_last) and is_plain_secret(value.text, quoted=False))


def _link(low: str, value: Value, start: int, topic: int, topics: Sequence[_Topic]) -> int:
    """Points for how a value and the topic hang together."""
    if _leads_back(low, value, topics):
        return _USED if topic >= _PASSWORD or not _is_called(value.text) else 0
    return 0 if _NUMBERED.match(value.text) else _use(low, value, start, topic)


def _use(low: str, value: Value, start: int, topic: int) -> int:
    """Points for what is done with a value; none where it is said to be something else."""
    before = low[max(start, value.start - 24) : value.start]
    if _OTHERS.search(before, max(0, len(before) - 16)):
        return 0
    is_said, is_called = topic > _ACCESS, _is_called(value.text)
    if _is_typed(before, is_sure=is_said or not is_called):
        return _TYPED
    if _LETS_ONE_IN.match(low, value.raw_end):
        return _TYPED
    # one uses, and says of other things, what looks so
    if not is_called and _is_used(low, value, before):
        return _USED
    is_asked = before.strip().isalpha()  # "is X a good password?"
    if is_said and not is_asked and _IS_BEFORE.search(before):
        return _USED
    if is_called:
        return 0
    if _NETWORK_BEFORE.search(before):
        return _USED
    is_apart = _APART_BEFORE.search(before) and _APART_AFTER.match(low, value.end)
    return topic // _ACCESS if is_apart else 0


def _is_typed(before: str, *, is_sure: bool) -> bool:
    """Whether one types a value; one also enters, says and writes what is not sure to be chosen."""
    if is_sure:
        return _TYPES_BEFORE.search(before) is not None
    return bool(_KEYS_BEFORE.search(before)) and not _KIND_BEFORE.search(before)


def _is_used(low: str, value: Value, before: str) -> bool:
    """Whether one uses a value, is told it, or gets in with it."""
    is_told = _USES_BEFORE.search(before) or _IT_IS.search(before)
    return bool(is_told or _LETS_IN.match(low, value.raw_end))
