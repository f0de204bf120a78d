"""Whether a proposal says what the turn says that it is said to come from. Pure: no store, no
model, no clock.

A model's proposal is untrusted. It names a quote and turns; the quote is looked for, and what the
proposal says is held against it:

- names, numbers, dates and addresses that the quote does not have, in any script, and negations on
  one side alone;
- who said it: the quoted turn alone tells whose word it is, never the model;
- another language than the quote's, times that will mean another day tomorrow, and words that
  nobody said.

Each finding is a flag. A proposal without one may be learnt; with one it waits for review. Nothing
is mended: what a check that misread a proposal made of it would be stored as what somebody said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from omoide.grounding.chatter import in_memory_block
from omoide.grounding.pasted import is_pasted, unpasted
from omoide.grounding.quotes import CARELESS_LIMIT, Place, Words, find_quote
from omoide.grounding.reading import Reading, means
from omoide.grounding.witness import Witness, is_same_person, witnesses
from omoide.nouns.item import Tier
from omoide.nouns.turn import Role, Turn
from omoide.text.languages import is_stop_word, likely_languages
from omoide.text.letters import QUESTION_SIGNS, fold
from omoide.text.moments import has_relative_word
from omoide.text.negation import flips
from omoide.text.pronouns import speaks_to_somebody
from omoide.text.proper import Known, foreign_names
from omoide.text.sameness import name_key
from omoide.text.tongue import same_language, spoken
from omoide.text.words import NATIVE, index_terms

TEXT_LIMIT = 1_000  # characters of a statement; longer ones are none
QUOTE_LIMIT = 2_000  # characters of a quote that are held against it
CONTEXT_TURNS, CONTEXT_LIMIT = (
    4,
    500,
)  # turns before the quoted one, characters of each, in which its words may stand
SUPPORT = 0.25  # share of the words with content that somebody must have said
ECHO_WORDS = 4  # a shorter quote stands in several turns by chance


class Flag(StrEnum):
    """Why a proposal is not learnt as it stands."""

    NO_QUOTE = "no_quote"  # the quote stands in no turn
    TOO_LONG = "too_long"  # over 1,000 characters; nothing else was looked at
    NAME = "ungrounded_name"
    NUMBER = "ungrounded_number"
    DATE = "ungrounded_date"
    ADDRESS = "ungrounded_address"
    RELATIVE_DATE = "relative_date"
    NEGATION = "negation"
    LANGUAGE = "language"
    WRONG_SPEAKER = "wrong_speaker"
    UNSUPPORTED = "unsupported"
    RECALLED = "recalled"  # from a block of memories that was put into the talk


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """What a model proposes to remember; all of it may be wrong."""

    text: str
    quote: str
    turns: tuple[int, ...] = ()  # positions of the turns that it names
    since: datetime | None = None
    until: datetime | None = None
    due: datetime | None = None
    entities: tuple[str, ...] = ()
    speaker: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Grounded:
    """What of a claim is so: the turn where its quote stands, with the characters, whose word that
    is, and what is wrong.

    also: earlier turns that have a name, number, date or address of it that the quote has not, in
    order.
    """

    turn: Turn | None
    span: tuple[int, int] | None
    flags: frozenset[Flag]
    tier: Tier
    also: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """The quote as it was said, with what was said around it."""

    turn: Turn
    place: Place
    quote: str
    sentence: str
    context: str
    asks: bool  # it is a question
    languages: tuple[str, ...]


def ground(
    claim: Claim,
    turns: Sequence[Turn],
    *,
    names: Collection[str] = (),
    known: Collection[str] = (),
    user: str | None = None,
) -> Grounded:
    """What of a claim is so, given the turns of its session in order.

    names: what those present are called, the user above all, beside the speakers of the turns.
    known: other names that are known, such as entities'; they count where a turn up to the quoted
    one has them. user: whose memory it is; other people's words are an agent's at most, so that
    nobody speaks for somebody else.
    """
    if len(claim.text) > TEXT_LIMIT:
        return Grounded(turn=None, span=None, flags=frozenset((Flag.TOO_LONG,)), tier=Tier.DOCUMENT)
    found = _origin(claim, turns, user)
    if found is None:
        return Grounded(turn=None, span=None, flags=frozenset((Flag.NO_QUOTE,)), tier=Tier.DOCUMENT)
    turn, place, tier = found
    said = _said(claim, turn, place, turns)
    people = frozenset((*names, *(one.speaker for one in turns)))
    earlier = "\n".join(
        fold(one.text[:CONTEXT_LIMIT]) for one in turns if one.position <= turn.position
    )
    present = (*people, *(name for name in known if fold(name) in earlier))
    mine, theirs = (
        Reading(text, turn.at, said.languages, people) for text in (claim.text, said.quote)
    )
    others = () if tier is Tier.DOCUMENT else witnesses(turn, turns, said.languages)
    lacking, used = _unsaid(claim, mine, theirs, partial(Known, names=present), others)
    also = tuple(one for one in used if one.position != turn.position)
    flags = frozenset((*lacking, *_faults(claim, mine, theirs, said, turns, people)))
    if in_memory_block(turn.text, place.start, place.end):
        flags |= {Flag.RECALLED}
    tier = min((tier, *(Tier.AGENT for one in also if not is_same_person(one, turn))))
    return Grounded(turn=turn, span=(place.start, place.end), flags=flags, tier=tier, also=also)


def _faults(
    claim: Claim,
    mine: Reading,
    theirs: Reading,
    said: _Said,
    turns: Sequence[Turn],
    people: Collection[str],
) -> Iterator[Flag]:
    """What is wrong with a claim whose quote was found, beside the names, numbers, dates and
    addresses that nobody said.
    """
    if any(time.relative for time in mine.times if not time.is_amount) or has_relative_word(
        mine.plain
    ):
        yield Flag.RELATIVE_DATE
    sources = (said.sentence, unpasted(said.turn.text, said.turn.role)[:QUOTE_LIMIT])
    if all(flips(claim.text, source, said.languages, people) for source in sources):
        yield Flag.NEGATION
    if not same_language(mine.plain, theirs.plain, people):
        yield Flag.LANGUAGE
    if (claim.speaker and not _is_speaker(claim.speaker, said.turn)) or _is_of_another(
        claim.text, said, turns
    ):
        yield Flag.WRONG_SPEAKER
    found = len(mine.addresses) + len(mine.times) + len(mine.counted)
    least = 2 * SUPPORT if said.asks else SUPPORT  # a question says little of its answer
    if support(mine.plain, said.quote, said.context, people, found) < least:
        yield Flag.UNSUPPORTED


def tier_of(turn: Turn, user: str | None, span: tuple[int, int] | None = None) -> Tier:
    """Whose word a turn is, of the memory of a user; span: the characters in question, if not all.

    Only what users say themselves, and do not paste, is theirs. Another person's word about them
    weighs as an agent's.
    """
    if turn.role in (Role.TOOL, Role.SYSTEM) or is_pasted(
        turn.text, *(span or (0, len(turn.text))), turn.role
    ):
        return Tier.DOCUMENT
    return (
        Tier.USER
        if turn.role is Role.USER and user is not None and turn.user == user
        else Tier.AGENT
    )


_SPEAKING = (Role.USER, Role.ASSISTANT)


def _origin(
    claim: Claim, turns: Sequence[Turn], user: str | None
) -> tuple[Turn, Place, Tier] | None:
    """The turn that the quote comes from.

    Where the quote stands in several, the one of the lowest tier up to the first that was named:
    who repeats a page or an answer does not make it theirs, while what others repeat after the user
    remains the user's. A few words stand in many turns by chance; of those the first that was named
    counts.
    """
    held = [(turn, place) for turn in turns if (place := find_quote(claim.quote, turn.text))]
    if not held:
        return None
    named = next((i for i, (turn, _) in enumerate(held) if turn.position in claim.turns), None)
    last = (named if named is not None else len(held) - 1) + 1
    few = len(claim.quote) <= CARELESS_LIMIT and len(Words(claim.quote).words) < ECHO_WORDS
    first = held[last - 1 :][:1] if few and named is not None else held[:last]
    turn, place = min(first, key=lambda one: tier_of(one[0], user, (one[1].start, one[1].end)))
    return turn, place, tier_of(turn, user, (place.start, place.end))


def _said(claim: Claim, turn: Turn, place: Place, turns: Sequence[Turn]) -> _Said:
    quote = " ".join(place.pieces)[:QUOTE_LIMIT]
    before = [
        unpasted(one.text[:CONTEXT_LIMIT], one.role)
        for one in turns
        if one.position < turn.position and one.role in _SPEAKING
    ]
    near = turn.text[max(0, place.start - CONTEXT_LIMIT) : place.end + CONTEXT_LIMIT]
    around = unpasted(near[: QUOTE_LIMIT + 2 * CONTEXT_LIMIT], turn.role)
    languages = spoken(f"{quote} {claim.text}")
    asks = any(
        sign and sign in QUESTION_SIGNS
        for sign in (quote[-1:], turn.text[place.end : place.end + 1])
    )
    return _Said(
        turn,
        place,
        quote,
        _clause_around(turn.text, place),
        "\n".join((*before[-CONTEXT_TURNS:], around)),
        asks,
        languages,
    )


_CLAUSE_END = re.compile(r"[.,;:!?\n。，、；：！？…،؛؟।]")


def _clause_around(text: str, place: Place) -> str:
    """The quote with the rest of the clauses that it begins and ends in: a quote must not cut off
    its own negation.
    """
    left = text[max(0, place.start - 200) : place.start]
    right = _CLAUSE_END.search(text, place.end, place.end + 200)
    cuts = [end.end() for end in _CLAUSE_END.finditer(left)]
    start = place.start - len(left) + (cuts[-1] if cuts else 0)
    return text[start : right.start() if right else place.end + 200][:QUOTE_LIMIT]


# a value, by the flag it has where nobody said it, and who says it
Want: TypeAlias = "tuple[Flag, Callable[[Reading], bool]]"


def _unsaid(
    claim: Claim,
    mine: Reading,
    theirs: Reading,
    known: Callable[[str], Known],
    others: Iterable[Witness],
) -> tuple[frozenset[Flag], tuple[Turn, ...]]:
    """The flags of names, numbers, dates and addresses that neither quote nor witness has; and what
    turns beside the quote's have some.
    """
    wants = [want for want in _wants(claim, mine, theirs) if not want[1](theirs)]
    heard, used = theirs.text, dict[int, Turn]()
    foreign = partial(foreign_names, mine.plain, languages=mine.languages, entities=claim.entities)
    names = foreign(known(heard))
    for witness in others:
        if not wants and not names:
            break
        more = f"{heard}\n{witness.reading.text}"
        left = [want for want in wants if not want[1](witness.reading)]
        still = foreign(known(more)) if _has_start_of(names, witness.reading.text) else names
        if len(left) < len(wants) or len(still) < len(names):
            wants, names, heard = left, still, more
            used[witness.turn.position] = witness.turn
    flags = frozenset(flag for flag, _ in wants) | (
        frozenset((Flag.NAME,)) if names else frozenset()
    )
    return flags, tuple(used[position] for position in sorted(used))


def _wants(claim: Claim, mine: Reading, theirs: Reading) -> Iterator[Want]:
    """What a claim says in figures; the day it was said goes without saying, unless it takes the
    place of another that the quote names.
    """
    yield from ((Flag.ADDRESS, partial(Reading.has_address, one=one)) for one in mine.addresses)
    times = [time for time in mine.times if not time.is_amount and not time.relative]
    then = [time for time in times if theirs.is_said_in(time)]
    if then and not all(
        any(means(time, other) for time in times) for other in theirs.times if not other.is_amount
    ):
        then = []
    yield from (
        (Flag.DATE, partial(Reading.names, time=time)) for time in times if time not in then
    )
    edges = [
        moment
        for moment in (claim.since, claim.until, claim.due)
        if moment is not None and not mine.bounds(moment)
    ]
    yield from ((Flag.DATE, partial(Reading.bounds, moment=moment)) for moment in edges)
    yield from (
        (Flag.NUMBER, partial(Reading.has_number, one=one)) for one in mine.counted if one.is_sure
    )


def _has_start_of(names: Collection[str], text: str) -> bool:
    """Whether any of some names may stand in a text, with or without a first letter that is an
    Arabic "and".
    """
    told = fold(text)
    return any(
        start in told for name in map(fold, names) for start in {name[:2], name[1:3] or name[:2]}
    )


def _is_of_another(text: str, said: _Said, turns: Sequence[Turn]) -> bool:
    """Whether it tells of somebody else present, and not of the speaker, what the speaker said of
    nobody that is named or spoken to.
    """
    folded, quote, mine = fold(text), fold(said.quote), fold(said.turn.speaker)
    own = name_key(said.turn.speaker)
    others = {fold(one.speaker) for one in turns if name_key(one.speaker) != own}
    return (
        mine not in folded
        and any(other in folded and other not in quote for other in others)
        and not speaks_to_somebody(said.quote)
    )


def _is_speaker(name: str, turn: Turn) -> bool:
    same = {name_key(turn.speaker), name_key(turn.user or ""), turn.role.value}
    return name_key(name) in same - {""}


def support(
    text: str, quote: str, context: str, people: Collection[str] = (), found: int = 0
) -> float:
    """The share of a text's words with content that were said, from 0 to 1: in the quote, or half
    as much around it.

    0 where the quote itself has none of them: a bare "yes" says nothing by itself. found: how many
    numbers, dates and addresses it has.
    """
    there, around, named = _terms(quote), _terms(context), _terms(" ".join(people))
    words = [terms for word in _content(text) if (terms := _terms(word)) and not terms <= named]
    if not words:
        return 1.0
    mine = [
        terms for terms in words if any(term in there or _has_like(term, there) for term in terms)
    ]
    near = [terms for terms in words if terms not in mine and terms & around]
    return (found + len(mine) + len(near) / 2) / (found + len(words)) if mine or found else 0.0


def _terms(text: str) -> set[str]:
    return {term for term in index_terms(text) if not term.startswith(NATIVE)}


_HAN = re.compile(r"(?=([\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]{2}))")


def _content(text: str) -> list[str]:
    """Its words that are no stop words; of scripts without spaces each pair of characters."""
    languages = likely_languages(text.split())
    words = [
        word
        for word in re.split(r"[\s.,;:!?()\"“”«»،؛؟।、。「」]+", _HAN_RUN.sub(" ", text))
        if word
    ]
    pairs = [pair for pair in _HAN.findall(text) if not is_stop_word(pair, "")]
    return [
        word
        for word in words
        if not any(is_stop_word(fold(word), code) for code in (*languages, "en"))
    ] + pairs


_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]+")


def _has_like(term: str, terms: Collection[str]) -> bool:
    """Another form of the word: four first letters in common, two of them ideographs."""
    least = 4 if term.isascii() else 3
    return len(term) >= least and any(other.startswith(term[:least]) for other in terms)
