"""Stage 2, grounding: a suggestion of a model held against the turns it is said to come from: the
candidate that it becomes, or why not at all.

Who said the quoted words decides whose word it is, never the model. Pure, but for the ids that
items get.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from omoide.grounding.addressed import speaks_of_user
from omoide.grounding.chatter import in_memory_block, is_action_report, passing
from omoide.grounding.claims import QUOTE_LIMIT, Claim, Flag, Grounded, asks, ground
from omoide.grounding.pasted import BEGIN, PASTED, unpasted
from omoide.grounding.reading import SaidText
from omoide.grounding.supported import support
from omoide.grounding.witness import beside, is_led
from omoide.learning.extraction import Operation, Suggestion, Window
from omoide.nouns.clock import Clock
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import EXTRACTABLE, PRIVILEGED, Category, Details, Item, Source, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Role, Turn
from omoide.settings.config import LearnFrom
from omoide.text.addresses import addresses
from omoide.text.letters import QUESTION_SIGNS, fold
from omoide.text.moments import Moment, coming
from omoide.text.sameness import name_key
from omoide.text.secrets import MARK
from omoide.text.tongue import spoken
from omoide.write.remember import Statement, draft

# a model is led by what others wrote
HALF = 0.5  # share of the words of a note that its quote must have beside what others wrote
NOT_SAID = "nobody said it"
ONESELF = frozenset(("i", "me", "self", "user", "the user", "speaker", "the speaker"))
_STAMP = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?(?:Z|[+-]\d\d:?\d\d)?|\d{1,2}:\d\d(?:\s?[ap]m)?", re.I
)
_WORD, _YEAR = re.compile(r"[^\W\d_]"), re.compile(r"(?:19|20)\d\d")


@frozen_record
class Destination:
    """Where what is learnt from a session goes, and by what it is checked."""

    user: Scope | None  # None: no user memory is formed here
    agent: Scope | None  # None: no agent memory is
    names: frozenset[str] = frozenset()  # of those present, and of what is known of old
    learn_from: LearnFrom = "people"


@frozen_record
class Grounding:
    """What a suggestion comes to. Without an item it is refused, unless it only closes another;
    findings are what a check found about it.
    """

    suggestion: Suggestion
    item: Item | None = None
    turn: Turn | None = None  # where its quote stands
    said: tuple[Turn, ...] = ()  # the talk that it is held against
    findings: frozenset[Flag] = frozenset()
    names: frozenset[str] = frozenset()  # of those present
    tier: Tier = Tier.USER  # whose word it is
    quoted: Tier = Tier.USER  # whose word its quote is, whatever another's turn lends it
    led: bool = False  # said beside what others wrote, by which a model may be led
    refused: str = ""


def grounded(
    suggestion: Suggestion, window: Window, place: Destination, clock: Clock, known: str = ""
) -> Grounding:
    """The suggestion as an item of its place, drafted and checked against the turns of its
    window. known: the text of the item that it was shown and tells anew.
    """
    scope = place.agent if suggestion.about == "agent" and place.agent is not None else place.user
    scope = scope or place.agent
    suggestion = _quoted(suggestion, window)
    why = _improper(suggestion) or ("" if scope else "no memory is formed here")
    if why or scope is None:
        return Grounding(suggestion=suggestion, refused=why)
    found = ground(
        replace(_claim(suggestion, window), known=known),
        window.said,
        names=place.names,
        user=scope.user,
    )
    candidate = _held_against(suggestion, found, window, place)
    if candidate.refused or not suggestion.text:  # without a text something is no longer so
        return candidate
    return _with_item(candidate, found, scope, clock)


def _held_against(
    suggestion: Suggestion, found: Grounded, window: Window, place: Destination
) -> Grounding:
    """The suggestion with what was found of it, or refused because of who said it, or how."""
    turn = found.turn or window.turns.get(suggestion.turn or 0)
    if why := not_to_learn_from(turn, found.span, place.learn_from):
        return Grounding(suggestion=suggestion, turn=turn, refused=why)
    led = turn is not None and is_led(turn, found.span, window.said)
    if _is_led_on(suggestion, found, window.said, led=led):
        return Grounding(suggestion=suggestion, turn=turn, refused=NOT_SAID)
    return Grounding(
        suggestion=suggestion,
        turn=turn,
        said=window.said,
        findings=found.flags,
        names=place.names,
        tier=found.tier,
        quoted=found.quoted,
        led=led,
    )


def _with_item(candidate: Grounding, found: Grounded, scope: Scope, clock: Clock) -> Grounding:
    """The candidate with the item that it would be, or refused because it can be none."""
    suggestion, turn = candidate.suggestion, candidate.turn
    try:
        item = drafted(suggestion, found, turn, scope, clock)
    except InvalidInput as error:
        return Grounding(suggestion=suggestion, turn=turn, refused=f"{error.field} is not valid")
    if item.masks or MARK.search(f"{item.text}\n{item.quote}"):
        return Grounding(suggestion=suggestion, turn=turn, refused="it holds a secret")
    return replace(candidate, item=item)


def _is_led_on(suggestion: Suggestion, found: Grounded, said: Sequence[Turn], *, led: bool) -> bool:
    """Whether two signs together tell that it is not the speaker's: it says little of its quote, it
    speaks of "the user", what it quotes is a question, or stands beside what others wrote.
    """
    if BEGIN in suggestion.text:
        return True
    turn = found.turn
    if found.tier is Tier.DOCUMENT:  # it is theirs, and told as theirs
        return False
    little = led and turn is not None and _is_rather_theirs(suggestion, turn, said)
    signs = (
        little or Flag.UNSUPPORTED in found.flags,
        speaks_of_user(suggestion.text),
        led or (turn is not None and asks(suggestion.quote, turn.text)),
    )
    return sum(signs) > 1


def _is_rather_theirs(suggestion: Suggestion, turn: Turn, said: Sequence[Turn]) -> bool:
    """Whether fewer than half of a text's words, without its days and the speaker's name, are of
    its quote, or half as much of the speaker's own words around it, and more are of what others
    wrote beside that.
    """
    languages, people = spoken(f"{suggestion.quote} {suggestion.text}"), frozenset((turn.speaker,))
    plain, own = (
        SaidText(suggestion.text, turn.at, languages, people).plain,
        unpasted(turn.text, turn.role),
    )
    return support(plain, suggestion.quote, own, people) < HALF and support(
        plain, beside(turn, said), "", people
    ) > support(plain, own, "", people)


def _improper(suggestion: Suggestion) -> str:
    """Why it is refused at sight."""
    if suggestion.category in PRIVILEGED:
        return "a model may not write that category"
    if not suggestion.text and not (suggestion.op is Operation.DELETE and suggestion.ref):
        return "it has no text"
    if suggestion.text and (passing(suggestion.text) or _is_bare(suggestion.text)):
        return "it says nothing"
    return "it asks" if suggestion.text.endswith(tuple(QUESTION_SIGNS)) else ""


def _is_bare(text: str) -> bool:
    """Whether a text is a time, a number or an address alone."""
    for address in addresses(text):
        text = text.replace(address.text, " ", 1)
    return _WORD.search(_STAMP.sub(" ", text)) is None


def not_to_learn_from(turn: Turn | None, span: tuple[int, int] | None, whom: LearnFrom) -> str:
    """Why nothing is learnt from a place in a turn, whatever is said there; empty where something
    may be.
    """
    if turn is None:
        return ""
    if span is not None and in_memory_block(turn.text, *span):
        return "it was recalled, not said"
    if span is not None and passing(turn.text[slice(*span)]):
        return "it only greets, thanks or agrees"
    if turn.role is not Role.USER and whom == "people":
        return "no person said it"
    return "it reports what an assistant did" if is_action_report(turn) else ""


def _quoted(suggestion: Suggestion, window: Window) -> Suggestion:
    """A suggestion that quotes nothing rests on all of the message that it names, or of the only
    one.
    """
    if suggestion.quote:
        return suggestion
    turns = window.turns
    named = suggestion.turn or (next(iter(turns)) if len(turns) == 1 else 0)
    text = turns[named].text if named in turns else ""
    return (
        replace(suggestion, quote=text, turn=named) if 0 < len(text) <= QUOTE_LIMIT else suggestion
    )


def _claim(suggestion: Suggestion, window: Window) -> Claim:
    shown = window.turns.get(suggestion.turn or 0)
    said = shown.at if shown else window.said[0].at
    return Claim(
        text=suggestion.text,
        quote=suggestion.quote,
        turns=(shown.position,) if shown else (),
        since=_moment(suggestion.since, said),
        until=_moment(suggestion.until, said, ahead=True, end=True),
        due=_moment(suggestion.due, said, ahead=True),
        entities=_entities(suggestion),
    )


def drafted(
    suggestion: Suggestion, found: Grounded, turn: Turn | None, scope: Scope, clock: Clock
) -> Item:
    """A suggestion as the item of a scope that it would be, with what was found of its quote and
    the turn that it comes from.

    Raises:
        InvalidInput: a field of it is not valid.
    """
    said = min(turn.at, clock.now()) if turn else clock.now()
    since, until = (
        _moment(suggestion.since, said),
        _moment(suggestion.until, said, ahead=True, end=True),
    )
    start = since if since is not None and since < said else said  # what is yet to be is known now
    quote = turn.text[slice(*found.span)] if turn and found.span else suggestion.quote
    details = Details(
        source=Source.LLM_EXTRACT,
        tier=found.tier,
        origin=PASTED if _is_of_page(found) else None,
        quote=quote or None,
        source_turns=(*(one.id for one in found.also), turn.id) if turn else (),
        valid_from=start,
        valid_until=until if until is not None and until > start else None,
    )
    statement = Statement(
        text=suggestion.text,
        category=_category(suggestion, turn, scope),
        entities=_entities(suggestion),
        due_at=_moment(suggestion.due, said, ahead=True),
        details=details,
    )
    return replace(draft(statement, scope, clock), quote_span=found.span)


def _is_of_page(found: Grounded) -> bool:
    """Whether it stands in what a user pasted."""
    return found.turn is not None and found.turn.role is Role.USER and found.tier is Tier.DOCUMENT


def _category(suggestion: Suggestion, turn: Turn | None, scope: Scope) -> str:
    """The category as it was named, if it is one; what another person likes is a fact about them,
    no rule for how the user wants to be treated.
    """
    if suggestion.category not in EXTRACTABLE:
        return Category.FACT
    of_another = (
        turn is not None and turn.role is Role.USER and _is_of_another(suggestion, turn, scope)
    )
    return (
        Category.FACT
        if suggestion.category == Category.PREFERENCE and of_another
        else suggestion.category
    )


def _is_of_another(suggestion: Suggestion, turn: Turn, scope: Scope) -> bool:
    """Whether it is about somebody else than the user whose memory it is."""
    mine = {name_key(name) for name in (turn.speaker, turn.user or "", scope.user or "") if name}
    who = name_key(suggestion.who)
    if turn.user != scope.user:  # another speaks, of themselves if of nobody
        return scope.user is not None and who != name_key(scope.user)
    first = {name.split()[0] for name in mine}
    return bool(who) and who not in ONESELF and not {who, who.split()[0]} & (mine | first)


def _entities(suggestion: Suggestion) -> tuple[str, ...]:
    """The entities it names as ``type:label``, if the text has the label."""
    text = fold(suggestion.text)
    parted = (name.partition(":") for name in suggestion.entities)
    return tuple(
        f"{kind}:{label}"
        for kind, _, label in parted
        if kind.isidentifier() and label.strip() and fold(label).strip() in text
    )


def _moment(
    text: str, said: datetime, *, ahead: bool = False, end: bool = False
) -> datetime | None:
    """A date or time, ISO 8601 or in words, in the zone of who spoke where it names none; None
    where it cannot be read. ahead: of a day without a year the next one. end: where it ends.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        time = _time(text, said)
        later = coming(time) if time is not None and ahead and time.interval.end <= said else None
        if (time := later or time) is None:
            return None
        moment = time.interval.end if end else time.interval.start
    try:
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=said.tzinfo)
        zoned.astimezone(UTC)
    except OverflowError:
        return None
    return zoned


def _time(text: str, said: datetime) -> Moment | None:
    """The one time that a text names."""
    if _YEAR.fullmatch(text):
        return Moment.of_year(int(text), said)
    times = [one for one in SaidText(text, said, spoken(text)).times if not one.is_amount]
    return times[0] if len(times) == 1 else None
