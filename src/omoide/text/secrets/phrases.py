"""Passwords of plain words, and passwords read out sign by sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from omoide.text.secrets import words
from omoide.text.secrets.names import CLAUSE_STOP, Name, Span, leads_back
from omoide.text.secrets.values import HIDDEN, is_describing, is_phrase


def _any(*parts: str) -> str:
    return "|".join(re.escape(part) for part in sorted(parts, key=len, reverse=True))


_WORD = r"[^\W\d_]{1,20}"
_LINK = rf"(?:\s?[:=]|['’]s|\s(?:{_any(*words.PHRASE_LINKS)})(?![^\W_]))"
_NOTE = rf"(?:{_any(*words.WRITTEN_SO)})(?![\w=])"
_END = r"(?=\s*(?:\Z|[\n.,;!?)\"'”“»]))"
_QUOTE = "[\"'“„«]?"
_FEW = rf"(?P<said>{_WORD}(?:[ -]{_WORD}){{0,11}})"
# what it is, or what one says where it is asked for
_SAID = rf"(?P<link>{_LINK}|\s(?:{_any(*words.TYPED)})(?![^\W_]))\s{{0,2}}(?P<quote>{_QUOTE})"
_FEW_WORDS = rf"(?P<said>{_WORD}(?:[ -]{_WORD}){{1,11}})(?:{_END}|(?=\s*[^\x00-\u024f]))"
_PHRASE = rf"[^\n.;!?{HIDDEN}]{{0,30}}?{_SAID}{_FEW_WORDS}"
_BARE = rf"(?P<link>)\s(?P<quote>{_QUOTE}){_FEW_WORDS}"
_COUNTED = (
    rf"[^\n.;!?{HIDDEN}]{{0,30}}?{_LINK}\s(?P<the>(?:{_any(*words.ARTICLES)})\s)?"
    rf"(?:{_any(*words.SPOKEN_DIGITS)}|[2-9]|1[0-2])\s(?:{_any(*words.WORDS)})"
    rf"(?:\s?[:–-]\s?|,?\s(?=[\"'“„«])|(?(the)\s|(?!))){_QUOTE}"
    rf"(?P<said>{_WORD}(?:[ ,-]{{1,2}}{_WORD}){{1,11}}){_END}"
)
_THE_WORD = (
    rf"[^\n.;!?{HIDDEN}]{{0,24}}?{_LINK}\s(?P<the>(?:{_any(*words.THE_WORD)})\s)?{_QUOTE}"
    rf"(?P<said>{_WORD}[\"'”“»]?\s(?:{_any(*words.FOLLOWED)}|(?(the)(?:{_any(*words.THEN)})|(?!)))"
    rf"\s(?:(?:{_any(*words.POSSESSIVES)})\s(?:{_WORD}\s){{1,2}})?{_QUOTE}[^\s\"'”.,;]{{1,20}}){_END}"
)
_NOTED_BEFORE = (
    rf"[,(\s]{{1,3}}{_NOTE}[^\n.;!?:{HIDDEN}]{{0,24}}?{_LINK}\s{{0,2}}{_QUOTE}{_FEW}{_END}"
)
_NOTED_AFTER = rf"{_LINK}\s{{0,2}}{_QUOTE}{_FEW}[\"'”“»]?[\s,(–-]{{1,4}}{_NOTE}"


@cache
def _told() -> tuple[re.Pattern[str], ...]:
    """How plain words are told, compiled when first asked for: most programs meet none."""
    return tuple(map(re.compile, (_COUNTED, _THE_WORD, _NOTED_BEFORE, _NOTED_AFTER)))


@cache
def _phrase() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A pass phrase behind a link, and one right behind its name."""
    return re.compile(_PHRASE), re.compile(_BARE)


_WORDS = re.compile(r"[^\W_]+")
_PHRASE_NAME = re.compile("phrase|フレーズ|frase|passsatz|фраз")


def phrase_after(name: Name) -> Iterator[Span]:
    """A pass phrase of several plain words: "the passphrase is correct horse battery staple"."""
    stop, (linked, bare) = name.forth(200), _phrase()
    match = linked.match(name.low, name.end, stop) or bare.match(name.low, name.end, stop)
    if not match:
        return
    said, link = match["said"], match["link"].strip()
    is_next = match.start("link") == name.end
    is_short = len(_WORDS.findall(said)) < 3
    if name.before == "app":  # an app password is written as four times four letters
        is_said = [len(word) for word in said.split()] == [4] * 4
    elif link in words.KEYED:
        is_said = is_told_phrase(said, is_open=True)
    elif not _PHRASE_NAME.search(name.word):
        is_said = (
            is_next and (link in _RECITES or link in words.SURE_LINKS) and is_bare_phrase(said)
        )
    elif is_short:
        is_said = False
    elif not link:
        is_chosen = _CHOSE.search(name.low, name.back(24), name.start) is not None
        is_said = is_told_phrase(said) if is_chosen else is_bare_phrase(said)
    else:
        is_quoted = match["quote"] != ""
        is_told = is_told_phrase(said, is_open=link in _RECITES) or _is_told_sentence(said)
        is_said = is_quoted or is_told or (is_next and is_phrase(said))
    if is_said:
        yield match.span("said")


_CHOSE = re.compile(
    r"(?<![^\W_])(?:chose|choose|chosen|pick|picked|set|made|use|using|took)"
    r"(?:\s(?:the|my|this|as|as the|as my))?\s\Z"
)
# what only the words themselves follow
_RECITES = frozenset(words.TYPED) | words.SURE_LINKS - {"is", "was", "c'est", "c’est"} | {":", "="}
_THAT_IS_IT = (
    rf"{_QUOTE}(?P<said>{_WORD}(?:[ -]{_WORD}){{2,11}})[\"'”“»]?"
    rf"(?P<gap>,?\s(?:{_any(*words.BACK_LINKS)})(?:\s{_WORD}){{0,2}}\s)\Z"
)
_PHRASE_BEFORE = (
    rf"(?<![^\W_])(?P<verb>it[’']s|gave me|{_any(*words.TYPED, *words.USED)})\s{_THAT_IS_IT}",
    rf"(?:\A|[\n:,.!?] ?)(?P<verb>){_THAT_IS_IT}",
)
_ASKS = "(?:ask|prompt|want|frag|demand|pid|chied|ped|vraag)"
_WHEN_ASKED = (
    rf"(?<![^\W_])(?:{_any(*words.TYPED)})\s(?P<quote>{_QUOTE})"
    rf"(?P<said>{_WORD}(?:[ -]{_WORD}){{2,11}})[\"'”“»]?,?\s"
    rf"(?:when|if|wenn|quand|cuando|quando|als)\s[^\n.;!?{HIDDEN}]{{0,20}}?{_ASKS}"
    rf"[^\n.;!?{HIDDEN}]{{1,20}}\Z"
)


@cache
def _phrase_before() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _PHRASE_BEFORE))


@cache
def _when_asked() -> re.Pattern[str]:
    """What one says when it is asked for."""
    return re.compile(_WHEN_ASKED)


_ASKED = re.compile(rf"\s{_ASKS}[^\n.;!?{HIDDEN}]{{1,20}}\Z")
_THAT_IS = re.compile(rf"\s(?:{_any(*words.PHRASE_LINKS)})(?:\s{_WORD}){{0,2}}\s\Z")


def phrase_before(name: Name) -> Iterator[Span]:
    """The same before its name: "I say winter is coming as the passphrase"."""
    start, is_any = name.back(160), _PHRASE_NAME.search(name.word) is not None
    before = name.low[start : name.start]
    asked = _when_asked().search(before) if _ASKED.search(before) else None
    if asked and (asked["quote"] or is_told_phrase(asked["said"])):
        yield start + asked.start("said"), start + asked.end("said")
    elif is_any or _THAT_IS.search(before):
        yield from ((start + one, start + end) for one, end in _named_before(before, is_any=is_any))


def _named_before(before: str, *, is_any: bool) -> Iterator[Span]:
    """The words that are said to be a pass phrase, or a password if they can be nothing else."""
    for pattern in _phrase_before()[not is_any :]:
        match = pattern.search(before)
        if not match or not leads_back(match["gap"]):
            continue
        if _is_recited(match["verb"], match["said"]) if is_any else is_bare_phrase(match["said"]):
            yield match.span("said")
            return


def _is_recited(verb: str, said: str) -> bool:
    """Whether words before a pass phrase's name are it; what one says or types may be anything."""
    is_any = verb in words.TYPED and not _describes(said)
    return is_any or is_phrase(said) or is_told_phrase(said)


# what says where a pass phrase is, or what it must be like
_RULES = frozenset(
    "must should could would need needs required least characters letters words word one same usual"
    " not please ask see leave blank empty contain contains stored yes no anything nothing"
    " something whatever".split()
)
_PLACES = re.compile(
    rf"(?:{_any(*words.GLUE_WORDS)})\s(?:{_any(*words.ARTICLES, *words.POSSESSIVES)})\s"
    r"|(?:im|am|beim|du|au|del|al|nel|nella|sul)\s"
)


_TALK = words.SENTENCE_WORDS - words.GLUE_WORDS


def is_told_phrase(said: str, *, is_open: bool = False) -> bool:
    """Whether words that stand where a pass phrase would are one, and no talk about it. After an
    open link, as a colon, only talk of where it is or what it must be like is none.
    """
    every = _WORDS.findall(said)
    if is_open:
        fewest = 6 if every[0] in words.GLUE_WORDS else 5 if _describes(said) else 1
        is_free = every[0] not in _TALK and len(every) >= fewest
        return is_free and not _PLACES.match(said) and _RULES.isdisjoint(every)
    is_glue = every[0] in words.SENTENCE_WORDS
    is_talk = is_glue or _describes(said) or is_describing(every[0])
    return not is_talk and _TALK.isdisjoint(every)


def is_bare_phrase(said: str) -> bool:
    """Whether words are a pass phrase by themselves: four that neither talk nor, but for the first,
    describe.
    """
    first, *every = _WORDS.findall(said)
    is_talk = any(
        (word in words.PLAIN_STOPS and word not in words.SPOKEN_DIGITS) or is_describing(word)
        for word in every
    )
    return len(every) > 2 and is_phrase(said) and not is_talk and not is_describing(first)


def _is_told_sentence(said: str) -> bool:
    """Whether a short sentence about somebody is a pass phrase: "my dog ate nine green apples"."""
    first, _, rest = said.partition(" ")
    is_noun = first in words.POSSESSIVES or first in words.ARTICLES
    return is_noun and is_bare_phrase(rest) and _RULES.isdisjoint(_WORDS.findall(rest))


def told_phrase_after(name: Name) -> Iterator[Span]:
    """Plain words that are said to be the password: their number is told, how they are written, or
    that they are words.
    """
    stop = name.forth(160)
    for pattern in _told():
        match = pattern.match(name.low, name.end, stop)
        if match and _is_noted(match["said"]):
            yield match.span("said")
            return


def _is_noted(said: str) -> bool:
    """Whether words that are said to be written somehow, or to be words, are a password."""
    is_glue = _WORDS.findall(said)[0] in words.GLUE_WORDS
    return not _PLACES.match(said) if is_glue else not _describes(said)


def _describes(said: str) -> bool:
    """Whether words only say what a password is like."""
    first = _WORDS.findall(said)[0]
    return first in words.PLAIN_STOPS and first not in words.SPOKEN_DIGITS


_CASES = rf"(?:{_any(*words.CASES)})(?:\s(?:letter|buchstabe))?"
_SIGN = rf"(?:{_any(*words.SIGN_NAMES, *words.SPOKEN_DIGITS)})(?![^\W_])"
_LETTER = r"[^\W_](?![^\W_])"
_UNIT = (
    rf"(?:{_CASES}\s(?:{_LETTER}|{_WORD})|[^\W\d_]{{1,4}}\s{_CASES}(?![^\W_])|{_SIGN}|{_LETTER})"
    rf"(?:\s(?:as in|for|wie|comme|como|come)\s{_WORD})?"
)
_READ_OUT = (
    rf"(?<![^\W_]){_UNIT}(?:[ ,;-]{{1,3}}(?:and |then |und |et |y |e )?{_UNIT}"
    rf"|, ?[^\W\d_]{{1,5}}(?=,|\Z)){{3,30}}"
)


@cache
def _read_out() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A password read out, and a sign or case in it."""
    return re.compile(_READ_OUT), re.compile(rf"{_CASES}|{_SIGN}")


_LEAD = 40  # characters between a password's name and where it is read out


def read_out_after(name: Name) -> Iterator[Span]:
    """A password read out: "capital T, one, dollar, small r"."""
    stop = CLAUSE_STOP.search(name.text, name.end, name.forth(_LEAD))
    start, (read_out, sign) = name.end, _read_out()
    match = read_out.search(name.low, start, name.forth(_LEAD + 240))
    if match is None or match.start() > (stop.start() if stop else start + _LEAD):
        return
    if len(sign.findall(match[0])) > 1:
        yield match.span()


def read_out_before(name: Name) -> Iterator[Span]:
    """The same before its name: "capital R-o-b, five, dash: that is the password"."""
    read_out, sign = _read_out()
    for match in read_out.finditer(name.low, name.back(160), name.start):
        gap = name.low[match.end() : name.start]
        if len(sign.findall(match[0])) > 1 and leads_back(gap):
            yield match.span()
