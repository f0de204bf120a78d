"""Whether a proposal says what the turn says that it is said to come from. Pure: no store, no model, no clock.

A model's proposal is untrusted. It names a quote and turns; the quote is looked for, and what the proposal says is held against it:

- names, numbers, dates and addresses that the quote does not have, in any script, and negations on one side alone;
- who said it: the quoted turn alone tells whose word it is, never the model;
- another language than the quote's, times that will mean another day tomorrow, and words that nobody said.

Each finding is a flag. A proposal without one may be learnt; with one it waits for review. Nothing is mended: what a check that
misread a proposal made of it would be stored as what somebody said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from omoide.records import Role, Tier, Turn
from omoide.text.addresses import addresses
from omoide.text.figures import figures
from omoide.text.languages import is_stop_word, likely_languages
from omoide.text.letters import fold
from omoide.text.moments import Moment, has_relative_word, moments
from omoide.text.negation import flips
from omoide.text.proper import Known, foreign_names
from omoide.text.tongue import same_language, spoken
from omoide.text.words import NATIVE, index_terms
from omoide.write.chatter import in_memory_block
from omoide.write.chatter import is_action_report as is_action_report
from omoide.write.quotes import Place, Words, find_quote

TEXT_LIMIT = 1_000  # characters of a statement; longer ones are none
QUOTE_LIMIT = 8_000  # characters of a quote that are held against it
CONTEXT_TURNS, CONTEXT_LIMIT = 4, 2_000  # turns before the quoted one, characters of each, in which its words may stand
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
    entities: tuple[str, ...] = ()
    speaker: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Grounded:
    """What of a claim is so: the turn where its quote stands, with the characters, whose word that is, and what is wrong."""

    turn: Turn | None
    span: tuple[int, int] | None
    flags: frozenset[Flag]
    tier: Tier


@dataclass(frozen=True, slots=True)
class _Said:
    """The quote as it was said, with what was said around it."""

    turn: Turn
    place: Place
    quote: str
    sentence: str
    context: str
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

    names: what those present are called, the user above all, beside the speakers of the turns. known: other names that are known,
    such as entities'; they count where a turn up to the quoted one has them. user: whose memory it is; other people's words are
    an agent's at most, so that nobody speaks for somebody else.
    """
    if len(claim.text) > TEXT_LIMIT:
        return Grounded(turn=None, span=None, flags=frozenset((Flag.TOO_LONG,)), tier=Tier.DOCUMENT)
    found = _origin(claim, turns, user)
    if found is None:
        return Grounded(turn=None, span=None, flags=frozenset((Flag.NO_QUOTE,)), tier=Tier.DOCUMENT)
    turn, place, tier = found
    said = _said(claim, turn, place, turns)
    flags = [Flag.RECALLED] if in_memory_block(turn.text, place.start) else []
    return Grounded(
        turn=turn, span=(place.start, place.end), flags=frozenset((*flags, *_faults(claim, said, turns, names, known))), tier=tier
    )


def _faults(claim: Claim, said: _Said, turns: Sequence[Turn], names: Collection[str], known: Collection[str]) -> list[Flag]:
    """What is wrong with a claim whose quote was found: each check is given what those before it left."""
    people = {*names, *(one.speaker for one in turns)}
    earlier = "\n".join(fold(one.text[:CONTEXT_LIMIT]) for one in turns if one.position <= said.turn.position)
    met = [name for name in known if fold(name) in earlier]
    text, ill_addressed = _addresses(claim.text, said)
    text, ill_dated = _dates(claim, text, said)
    named = _names(claim, text, said, Known(said.quote, (*people, *met)))
    return [*ill_addressed, *ill_dated, *_numbers(claim, text, said), *named, *_sense(claim, text, said, people)]


def tier_of(turn: Turn, user: str | None, at: int = 0) -> Tier:
    """Whose word a turn is, of the memory of a user; at: the character in question.

    Only what users say themselves, and do not paste, is theirs. Another person's word about them weighs as an agent's.
    """
    if turn.role in (Role.TOOL, Role.SYSTEM) or _is_pasted(turn.text, at):
        return Tier.DOCUMENT
    return Tier.USER if turn.role is Role.USER and user is not None and turn.user == user else Tier.AGENT


_FENCE = re.compile(r"^[ \t]{0,3}(```|~~~)", re.MULTILINE)


def _is_pasted(text: str, at: int) -> bool:
    """Inside a code fence, or on a line quoted with ">"."""
    line = text[text.rfind("\n", 0, at) + 1 : at + 1].lstrip()
    return line.startswith(">") or len(_FENCE.findall(text[:at])) % 2 == 1


def _origin(claim: Claim, turns: Sequence[Turn], user: str | None) -> tuple[Turn, Place, Tier] | None:
    """The turn that the quote comes from.

    Where the quote stands in several, the one of the lowest tier up to the first that was named: who repeats a page or an
    answer does not make it theirs, while what others repeat after the user remains the user's. A few words stand in many turns by
    chance; of those the first that was named counts.
    """
    held = [(turn, place) for turn in turns if (place := find_quote(claim.quote, Words(turn.text)))]
    if not held:
        return None
    named = next((i for i, (turn, _) in enumerate(held) if turn.position in claim.turns), None)
    last = (named if named is not None else len(held) - 1) + 1
    few = len(Words(claim.quote).words) < ECHO_WORDS
    first = held[last - 1 :][:1] if few and named is not None else held[:last]
    turn, place = min(first, key=lambda one: tier_of(one[0], user, one[1].start))
    return turn, place, tier_of(turn, user, place.start)


def _said(claim: Claim, turn: Turn, place: Place, turns: Sequence[Turn]) -> _Said:
    quote = " ".join(place.pieces)[:QUOTE_LIMIT]
    before = [one.text[:CONTEXT_LIMIT] for one in turns if one.position < turn.position][-CONTEXT_TURNS:]
    around = turn.text[max(0, place.start - CONTEXT_LIMIT) : place.end + CONTEXT_LIMIT][: QUOTE_LIMIT + 2 * CONTEXT_LIMIT]
    languages = spoken(f"{quote} {claim.text}")
    return _Said(turn, place, quote, _clause_around(turn.text, place), "\n".join((*before, around)), languages)


_CLAUSE_END = re.compile(r"[.,;:!?\n。，、；：！？…،؛؟।]")


def _clause_around(text: str, place: Place) -> str:
    """The quote with the rest of the clauses that it begins and ends in: a quote must not cut off its own negation."""
    left = text[max(0, place.start - 200) : place.start]
    right = _CLAUSE_END.search(text, place.end, place.end + 200)
    cuts = [end.end() for end in _CLAUSE_END.finditer(left)]
    start = place.start - len(left) + (cuts[-1] if cuts else 0)
    return text[start : right.start() if right else place.end + 200][:QUOTE_LIMIT]


def _addresses(text: str, said: _Said) -> tuple[str, list[Flag]]:
    """The text without its addresses, and a flag for each that the quote has not."""
    flags, there = [], addresses(said.quote)
    for address in addresses(text):
        text = text.replace(address.text, " ", 1)
        if not any(address.same(one) for one in there):
            flags.append(Flag.ADDRESS)
    return text, flags


def _dates(claim: Claim, text: str, said: _Said) -> tuple[str, list[Flag]]:
    """The text without the times it names, and what is wrong with those; an amount of time is left for the numbers."""
    times = moments(said.quote, said.turn.at)
    flags = [Flag.DATE for moment in (claim.since, claim.until) if moment is not None and not _is_told_of(moment, times, said)]
    for moment in moments(text, said.turn.at):
        start, end = moment.interval.span
        if moment.is_amount:
            continue
        text = text[:start] + " " * (end - start) + text[end:]
        if moment.relative:
            flags.append(Flag.RELATIVE_DATE)
        elif not (
            any(moment.tells(time) for time in times) or fold(moment.interval.text) in fold(said.quote) or _is_today(moment, times, said)
        ):
            flags.append(Flag.DATE)
    if has_relative_word(text):
        flags.append(Flag.RELATIVE_DATE)
    return text, flags


def _is_today(moment: Moment, times: Sequence[Moment], said: _Said) -> bool:
    """The day it was said goes without saying, where the quote names no time, or one that is a day off in any way (कल)."""
    start, end, at = moment.interval.start, moment.interval.end, said.turn.at
    slack = timedelta(days=2 if has_relative_word(said.quote) else 0)
    return not times and start - slack <= at < end + slack


def _is_told_of(moment: datetime, times: Sequence[Moment], said: _Said) -> bool:
    """Whether the quote names a time that begins or ends then, to the day, or lasts a month at most and holds it, or it was said then."""
    edges = [edge for time in times for edge in (time.interval.start, time.interval.end)]
    short = [time.interval for time in times if time.interval.end - time.interval.start <= timedelta(days=31)]
    inside = any(interval.start <= moment <= interval.end for interval in short)
    return inside or any(abs(edge - moment) <= timedelta(days=1) for edge in (*edges, said.turn.at))


def _numbers(claim: Claim, text: str, said: _Said) -> list[Flag]:
    """Of the numbers of a time it names the hours alone count: the rest was compared as a date."""
    counted = figures(said.quote, said.languages)
    hours = [figure for figure in figures(claim.text, said.languages) if figure.unit == "clock"]
    return [Flag.NUMBER for figure in (*figures(text, said.languages), *hours) if not any(figure.same(one) for one in counted)]


def _names(claim: Claim, text: str, said: _Said, known: Known) -> list[Flag]:
    return [Flag.NAME] if foreign_names(text, known, said.languages, claim.entities) else []


def _sense(claim: Claim, text: str, said: _Said, people: Collection[str]) -> list[Flag]:
    flags: list[Flag] = []
    if flips(claim.text, said.sentence, said.languages):
        flags.append(Flag.NEGATION)
    if not same_language(text, _addresses(said.sentence, said)[0], people):
        flags.append(Flag.LANGUAGE)
    if claim.speaker and not _is_speaker(claim.speaker, said.turn):
        flags.append(Flag.WRONG_SPEAKER)
    found = len(addresses(claim.text)) + len(moments(claim.text, said.turn.at)) + len(figures(text, said.languages))
    if support(text, said.quote, said.context, people, found) < SUPPORT:
        flags.append(Flag.UNSUPPORTED)
    return flags


def _is_speaker(name: str, turn: Turn) -> bool:
    same = {fold(turn.speaker), fold(turn.user or ""), turn.role.value}
    return fold(name) in same - {""}


def support(text: str, quote: str, context: str, people: Collection[str] = (), found: int = 0) -> float:
    """The share of a text's words with content that were said, from 0 to 1: in the quote, or half as much around it.

    0 where the quote itself has none of them: a bare "yes" says nothing by itself. found: how many numbers, dates and addresses it has.
    """
    there, around, named = _terms(quote), _terms(context), _terms(" ".join(people))
    words = [terms for word in _content(text) if (terms := _terms(word)) and not terms <= named]
    if not words:
        return 1.0
    mine = [terms for terms in words if any(term in there or _has_like(term, there) for term in terms)]
    near = [terms for terms in words if terms not in mine and terms & around]
    return (found + len(mine) + len(near) / 2) / (found + len(words)) if mine or found else 0.0


def _terms(text: str) -> set[str]:
    return {term for term in index_terms(text) if not term.startswith(NATIVE)}


_HAN = re.compile(r"(?=([\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]{2}))")


def _content(text: str) -> list[str]:
    """Its words that are no stop words; of scripts without spaces each pair of characters."""
    languages = likely_languages(text.split())
    words = [word for word in re.split(r"[\s.,;:!?()\"“”«»،؛؟।、。「」]+", _HAN_RUN.sub(" ", text)) if word]
    pairs = [pair for pair in _HAN.findall(text) if not is_stop_word(pair, "")]
    return [word for word in words if not any(is_stop_word(fold(word), code) for code in (*languages, "en"))] + pairs


_HAN_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e01-\u0e4e]+")


def _has_like(term: str, terms: Collection[str]) -> bool:
    """Another form of the word: four first letters in common, two of them ideographs."""
    least = 4 if term.isascii() else 3
    return len(term) >= least and any(other.startswith(term[:least]) for other in terms)
