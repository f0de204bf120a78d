"""Whether a proposal says what the turn says that it is said to come from. Pure: no store, no
model, no clock.

A model's proposal is untrusted. It names a quote and turns; the quote is looked for, and what can
be told without knowing the language is held against it:

- numbers, dates and addresses that neither the quote nor the same person's words before it have;
- things that it tags by a name that nobody said and nobody is known by;
- words of which the talk has too few, in any form;
- another script than the quote's, and times that will mean another day tomorrow;
- who said it: the quoted turn alone tells whose word it is, never the model;
- words to an assistant, or about "the user" as a page speaks of one.

Each finding is a flag. What a claim means - negation, plan or deed, which person - is for a judge.
Nothing is mended: what a check that misread a proposal made of it would be stored as what somebody
said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from omoide.grounding.addressed import addresses_assistant
from omoide.grounding.chatter import in_memory_block
from omoide.grounding.named import is_named, names_beside, unsaid_names
from omoide.grounding.pasted import is_pasted, unpasted
from omoide.grounding.quotes import CARELESS_LIMIT, Excerpt, TextWords, find_quote
from omoide.grounding.reading import SaidText, means
from omoide.grounding.supported import support
from omoide.grounding.witness import Witness, is_same_person, witnesses
from omoide.nouns.item import Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.turn import Role, Turn
from omoide.text.letters import QUESTION_SIGNS
from omoide.text.moments import has_relative_word
from omoide.text.tongue import same_script, spoken

TEXT_LIMIT = 1_000  # characters of a statement; longer ones are none
QUOTE_LIMIT = 2_000  # characters of a quote that are held against it
# turns before the quoted one, characters of each, in which its words may stand
CONTEXT_TURNS, CONTEXT_LIMIT = 4, 500
SUPPORT = 0.25  # share of the words with content that somebody must have said
ECHO_WORDS = 4  # a shorter quote stands in several turns by chance


class Flag(StrEnum):
    """What a check finds about a proposal."""

    NO_QUOTE = "no_quote"  # the quote stands in no turn
    TOO_LONG = "too_long"  # over 1,000 characters; nothing else was looked at
    NAME = "ungrounded_name"
    NUMBER = "ungrounded_number"
    DATE = "ungrounded_date"
    ADDRESS = "ungrounded_address"
    RELATIVE_DATE = "relative_date"
    SCRIPT = "script"
    TO_ASSISTANT = "to_assistant"  # or about "the user", as a page speaks of one
    UNSUPPORTED = "unsupported"  # too little of it was said
    NEGATION = "negation"  # of a text that is written anew from others: it denies what they say
    RECALLED = "recalled"  # from a block of memories that was put into the talk


@frozen_record
class Claim:
    """What a model proposes to remember; all of it may be wrong."""

    text: str
    quote: str
    turns: tuple[int, ...] = ()  # positions of the turns that it names
    since: datetime | None = None
    until: datetime | None = None
    due: datetime | None = None
    entities: tuple[str, ...] = ()
    known: str = ""  # what it tells anew of an item that is known, beside what was said


@frozen_record
class Grounded:
    """What of a claim is so: the turn where its quote stands, with the characters, whose word that
    is, and what is wrong.

    also: earlier turns that have a name, number, date or address of it that the quote has not, in
    order. quoted: whose word the quote is by itself.
    """

    turn: Turn | None
    span: tuple[int, int] | None
    flags: frozenset[Flag]
    tier: Tier
    also: tuple[Turn, ...] = ()
    quoted: Tier = Tier.DOCUMENT


def _findings(claim: Claim, turns: Sequence[Turn], names: Collection[str]) -> Iterator[Flag]:
    """What is found without knowing the language, given the turns up to the quoted one: names that
    are tagged, the script, times that hang on when they are read, words to an assistant.
    """
    turn, languages = turns[-1], spoken(f"{claim.quote} {claim.text}")
    people = frozenset((*names, *(one.speaker for one in turns)))
    mine = SaidText(claim.text, turn.at, languages, people)
    said = (claim.known, *(one.text for one in turns))
    if unsaid_names(mine.plain, claim.entities, said, people):
        yield Flag.NAME
    if any(time.relative for time in mine.times if not time.is_amount) or has_relative_word(
        mine.plain
    ):
        yield Flag.RELATIVE_DATE
    if not same_script(mine.plain, claim.quote, people):
        yield Flag.SCRIPT
    if addresses_assistant(claim.text) or addresses_assistant(claim.quote):
        yield Flag.TO_ASSISTANT
    found = len(mine.addresses) + len(mine.times) + len(mine.counted)
    least = 2 * SUPPORT if asks(claim.quote, turn.text) else SUPPORT
    told = f"{claim.quote}\n{claim.known}"
    if support(mine.plain, told, _around(claim.quote, turns), people, found) < least:
        yield Flag.UNSUPPORTED


def asks(quote: str, text: str) -> bool:
    """Whether a quote is a question: it says little of its answer."""
    end = text.find(quote) + len(quote)
    return any(sign and sign in QUESTION_SIGNS for sign in (quote[-1:], text[end : end + 1]))


def _around(quote: str, turns: Sequence[Turn]) -> str:
    """What was said around a quote, and in the turns before it."""
    turn = turns[-1]
    start = max(0, turn.text.find(quote))
    near = turn.text[max(0, start - CONTEXT_LIMIT) : start + len(quote) + CONTEXT_LIMIT]
    before = [
        unpasted(one.text[:CONTEXT_LIMIT], one.role)
        for one in turns[:-1]
        if one.role in (Role.USER, Role.ASSISTANT)
    ]
    return "\n".join((*before[-CONTEXT_TURNS:], unpasted(near, turn.role)))


def ground(
    claim: Claim,
    turns: Sequence[Turn],
    *,
    names: Collection[str] = (),
    user: str | None = None,
) -> Grounded:
    """What of a claim is so, given the turns of its session in order.

    names: what those present are called, the user above all, beside the speakers of the turns, and
    what is known from earlier sessions. user: whose memory it is; other people's words are an
    agent's at most, so that nobody speaks for somebody else.
    """
    if len(claim.text) > TEXT_LIMIT:
        return _nowhere(Flag.TOO_LONG)
    found = _origin(claim, turns, user)
    if found is None:
        return _nowhere(Flag.NO_QUOTE)
    turn, place, tier = found
    claim = replace(claim, quote=" ".join(place.pieces)[:QUOTE_LIMIT])
    lacking, used = _unsaid(claim, turn, turns, tier, names)
    also = tuple(one for one in used if one.position != turn.position)
    before = [one for one in turns if one.position < turn.position]
    flags = lacking | {*_findings(claim, (*before, turn), names)}
    if in_memory_block(turn.text, place.start, place.end):
        flags |= {Flag.RECALLED}
    lent = min((tier, *(Tier.AGENT for one in also if not is_same_person(one, turn))))
    return Grounded(
        turn=turn,
        span=(place.start, place.end),
        flags=flags,
        tier=lent,
        also=also,
        quoted=tier,
    )


def _nowhere(flag: Flag) -> Grounded:
    """What was found of a claim that rests on no turn."""
    return Grounded(turn=None, span=None, flags=frozenset((flag,)), tier=Tier.DOCUMENT)


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


def _origin(
    claim: Claim, turns: Sequence[Turn], user: str | None
) -> tuple[Turn, Excerpt, Tier] | None:
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
    few = len(claim.quote) <= CARELESS_LIMIT and len(TextWords(claim.quote).words) < ECHO_WORDS
    first = held[last - 1 :][:1] if few and named is not None else held[:last]
    turn, place = min(first, key=lambda one: tier_of(one[0], user, (one[1].start, one[1].end)))
    return turn, place, tier_of(turn, user, (place.start, place.end))


# a value, by the flag it has where nobody said it, and who says it
Want: TypeAlias = "tuple[Flag, Callable[[SaidText], bool]]"


def _unsaid(
    claim: Claim, turn: Turn, turns: Sequence[Turn], tier: Tier, names: Collection[str]
) -> tuple[frozenset[Flag], tuple[Turn, ...]]:
    """The flags of numbers, dates and addresses that neither quote nor witness has; and what turns
    beside the quote's lend some, or a name.
    """
    languages = spoken(f"{claim.quote} {claim.text}")
    people = frozenset((*names, *(one.speaker for one in turns)))
    told = f"{claim.quote}\n{claim.known}" if claim.known else claim.quote
    mine, theirs = (SaidText(text, turn.at, languages, people) for text in (claim.text, told))
    others = () if tier is Tier.DOCUMENT else witnesses(turn, turns, languages)
    return _lent(claim, mine, theirs, others)


def _lent(
    claim: Claim, mine: SaidText, theirs: SaidText, others: Iterable[Witness]
) -> tuple[frozenset[Flag], tuple[Turn, ...]]:
    """The flags of what neither the quote nor any witness says, and the witnesses' turns."""
    wants = [want for want in _wants(claim, mine, theirs) if not want[1](theirs)]
    names, used = names_beside(claim.text, claim.entities, theirs.text), dict[int, Turn]()
    for witness in others:
        if not wants and not names:
            break
        left = [want for want in wants if not want[1](witness.reading)]
        still = [name for name in names if not is_named(name, witness.reading.text)]
        if len(left) < len(wants) or len(still) < len(names):
            wants, names = left, still
            used[witness.turn.position] = witness.turn
    return frozenset(flag for flag, _ in wants), tuple(used[position] for position in sorted(used))


def _wants(claim: Claim, mine: SaidText, theirs: SaidText) -> Iterator[Want]:
    """What a claim says in figures; the day it was said goes without saying, unless it takes the
    place of another that the quote names.
    """
    yield from ((Flag.ADDRESS, partial(SaidText.has_address, one=one)) for one in mine.addresses)
    times = [time for time in mine.times if not time.is_amount and not time.relative]
    then = [time for time in times if theirs.is_said_in(time)]
    if then and not all(
        any(means(time, other) for time in times) for other in theirs.times if not other.is_amount
    ):
        then = []
    yield from (
        (Flag.DATE, partial(SaidText.names, time=time)) for time in times if time not in then
    )
    edges = [
        moment
        for moment in (claim.since, claim.until, claim.due)
        if moment is not None and not mine.bounds(moment)
    ]
    yield from ((Flag.DATE, partial(SaidText.bounds, moment=moment)) for moment in edges)
    yield from (
        (Flag.NUMBER, partial(SaidText.has_number, one=one)) for one in mine.counted if one.is_sure
    )
