"""What becomes of something to be remembered, given what is known already. Pure: no store, no
model, no clock.

Two statements are near when they share at least 0.8 of the words of the shorter one
(Szymkiewicz-Simpson), or differ in numbers alone; where only one of them has a negation, words that
carry no content are not counted. A near statement is the same one said again (Reinforce), or the
same thing having changed (Supersede), or a different thing that only looks alike (Add). What
decides is what each says that the other does not:

- what both say stands in another order, small words ("the") aside: another statement ("Ana helps
  Ben", "Ben helps Ana on Fridays").
- nothing on either side: said again.
- a negation on one side only: it changed.
- they are due at different times: two reminders, never one.
- other identifiers (#260, PR-480, PR 260): two things, never one. A number by itself is what a
  thing has (an age, a
  price): another one means that it changed.
- only the older one says more: said again, and nothing is lost. If only the newer one says more: it
  takes over.
- both say something of their own: the newer takes over if that is names, numbers and days alone, or
  if they share 0.8 of the words
  that tell something, too; unless the older says more than it. Else both stay: Ana is allergic to
  peanuts, and to shellfish.

What is told of the past, and differs from what has been true since later, was true until then.

A lower tier never merges into, supersedes or outranks a higher one: it is added beside it, or when
it only repeats it, ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.scope import Scope
from omoide.text.apart import names_and_figures_apart, numbers_apart
from omoide.text.negation import negates
from omoide.text.sets import overlap
from omoide.text.within import in_order
from omoide.text.words import NATIVE, fold, index_terms, pair_in, query_terms

NEAR = 0.8  # share of the shorter statement's words
# of its pairs of characters, in scripts without spaces, where each says something of its own
NEAR_BY_PAIRS = 0.9
_IDENTIFIER = re.compile(r"#\d+|(?=\w*\d)(?=\w*[^\W\d_])\w+(?:[-_/.]\w+)+|[^\W\d_]+[-_]\d+")
# by itself or with a unit; no part of a code or date
_NUMBER = re.compile(r"(?<![-_/#a-z\d])\d+(?:[.,:]\d+)*(?![-_/\d])")
_NUMBERED = re.compile(r"([^\W\d_]{2,})\s?(\d+)(?!\d|[.,:]\d|\s?[%°])")
CURRENCIES = frozenset(
    "AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MAD"
    " MXN MYR NGN NOK NZD PEN PHP PKR PLN RMB RON RUB SAR SEK SGD THB "
    "TRY TWD UAH USD VND ZAR".split()
)  # a number after one of these is a price


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """Something to be remembered, as far as the decision needs it."""

    scope: Scope
    category: Category
    text: str
    entities: frozenset[str] = frozenset()  # ids of the entities it is linked to
    tier: Tier = Tier.AGENT
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    due_at: datetime | None = None
    backdated: bool = False  # told of the past: where it changed, it is what was before
    is_over: bool = False  # it had ended when it was told: what holds on is not changed by it

    @classmethod
    def of(cls, item: Item, *, backdated: bool = False) -> Candidate:
        """An item as something to be remembered."""
        return cls(
            scope=item.scope,
            category=item.category,
            text=item.text,
            entities=frozenset(item.entities),
            tier=item.tier,
            valid_from=item.valid_from,
            valid_until=item.valid_until,
            due_at=item.due_at,
            backdated=backdated,
            is_over=item.valid_until is not None and item.valid_until <= item.recorded_at,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbour:
    """An open item that may be the same thing."""

    item: Item
    entities: frozenset[str] = frozenset()

    @classmethod
    def of(cls, item: Item) -> Neighbour:
        """An item with the entities it names."""
        return cls(item=item, entities=frozenset(item.entities))


@dataclass(frozen=True, kw_only=True, slots=True)
class Add:
    """Nothing known is the same thing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reinforce:
    """An item says it already, in at least as much detail."""

    item: Item


@dataclass(frozen=True, kw_only=True, slots=True)
class Supersede:
    """An item is the same thing as it was before."""

    item: Item


@dataclass(frozen=True, kw_only=True, slots=True)
class Precede:
    """An item is the same thing as it became later; the candidate was true until then."""

    item: Item


@dataclass(frozen=True, kw_only=True, slots=True)
class Ignore:
    """An item of a higher tier says it already; the lower one adds nothing."""

    item: Item


Decision: TypeAlias = Add | Reinforce | Supersede | Precede | Ignore


def decide(candidate: Candidate, neighbours: Sequence[Neighbour]) -> Decision:
    """What becomes of a candidate; the nearest neighbour that matters decides, the first of
    equals.
    """
    if not neighbours:
        return Add()
    words = index_terms(candidate.text)
    ranked = sorted(
        ((_nearness(candidate.text, n.item.text), n) for n in neighbours),
        key=lambda pair: pair[0],
        reverse=True,
    )
    for (share, _), neighbour in ranked:
        if share < NEAR:
            break
        decision = (
            _compare(candidate, words, neighbour) if _same_group(candidate, neighbour) else None
        )
        if decision is not None:
            return decision
    return Add()


def _nearness(one: str, other: str) -> tuple[float, float]:
    """The share of the shorter text's words, then of all words; the same text is nearest of all,
    even without words.
    """
    if same_text(one, other):
        return 1.0, 2.0
    pick = _content if negates(one) != negates(other) else index_terms
    a, b = set(pick(one)), set(pick(other))
    return 1.0 if same_but_for_numbers(one, other) else overlap(a, b), len(a & b) / max(
        1, len(a | b)
    )


def same_text(one: str, other: str) -> bool:
    """Whether two texts have the same words in the same order, however they are spelt."""
    return fold(one).split() == fold(other).split()


def same_but_for_numbers(one: str, other: str) -> bool:
    """Whether two texts differ in numbers alone, in figures or in words, and say something of
    them.
    """
    bare, also = (_NUMBER.sub("0", fold(text)) for text in (one, other))
    words = {
        term
        for term in index_terms(bare)
        if not term.startswith(NATIVE) and any(map(str.isalpha, term))
    }
    return (
        len(words) >= 2
        if bare.split() == also.split()
        else len(words) >= 3 and numbers_apart(one, other)
    )


def _content(text: str) -> list[str]:
    return [t.term for t in query_terms(text) if not negates(t.term)]


def _same_group(candidate: Candidate, neighbour: Neighbour) -> bool:
    item = neighbour.item
    same = (
        item.scope == candidate.scope
        and item.category == candidate.category
        and neighbour.entities == candidate.entities
    )
    return (
        same
        and item.is_open
        and _holds_together(candidate, item)
        and not _are_due_apart(candidate, item)
    )


def _are_due_apart(candidate: Candidate, item: Item) -> bool:
    """Whether both are to be reminded of, at different times: two reminders, whatever they say."""
    return (
        candidate.due_at is not None and item.due_at is not None and candidate.due_at != item.due_at
    )


def _holds_together(candidate: Candidate, item: Item) -> bool:
    """Whether there is a time at which both are said to be true."""
    after = (
        candidate.valid_from is not None
        and item.valid_until is not None
        and candidate.valid_from >= item.valid_until
    )
    return not after and (candidate.valid_until is None or item.valid_from < candidate.valid_until)


def _compare(candidate: Candidate, words: Sequence[str], neighbour: Neighbour) -> Decision | None:
    """What a near neighbour makes of the candidate; None when it is another thing after all."""
    item = neighbour.item
    theirs = index_terms(item.text)
    if same_text(candidate.text, item.text):
        return Ignore(item=item) if candidate.tier < item.tier else Reinforce(item=item)
    if (
        candidate.tier < item.tier
        or identifiers(candidate.text) != identifiers(item.text)
        or not in_order(candidate.text, item.text)
    ):
        return None
    if negates(candidate.text) != negates(item.text):
        return change(candidate, item)
    new, old = set(words) - set(theirs), set(theirs) - set(words)
    if not new and not old:
        # in another order it may be the reverse
        is_same = list(dict.fromkeys(words)) == list(dict.fromkeys(theirs))
        return Reinforce(item=item) if is_same else None
    if not new:
        return Reinforce(item=item)
    if not old or (len(old) <= len(new) and _is_near(candidate.text, item.text)):
        return change(candidate, item)
    return None


def _is_near(one: str, other: str) -> bool:
    """Whether two texts differ in names and figures alone, or are near by the words that tell
    something, too.

    Of short ones the small words are most of what they share. A word of a script without spaces is
    in one or two of its pairs of characters only, so that more of them are to be shared.
    """
    a, b = (
        {term for term in _content(text) if not term.startswith(NATIVE)} for text in (one, other)
    )
    least = NEAR_BY_PAIRS if any(map(pair_in, a & b)) else NEAR
    return (
        overlap(a, b) >= least
        or same_but_for_numbers(one, other)
        or names_and_figures_apart(one, other)
    )


def change(candidate: Candidate, item: Item) -> Decision | None:
    """What becomes of a candidate that an item is otherwise: what is true now gives way to nothing
    that is past.

    What began before it was true until then. What was true for a time meanwhile, and is over,
    stands beside it: None.
    """
    if (
        candidate.backdated
        and candidate.valid_from is not None
        and candidate.valid_from < item.valid_from
    ):
        return Precede(item=item)
    lasts = candidate.valid_until is not None and (
        item.valid_until is None or item.valid_until > candidate.valid_until
    )
    return None if candidate.is_over and lasts else Supersede(item=item)


def are_two_of_many(one: str, other: str) -> bool:
    """Whether two texts name different things of many."""
    mine, theirs = identifiers(one), identifiers(other)
    return bool(mine and theirs and mine != theirs)


def identifiers(text: str) -> frozenset[str]:
    """What names one thing of many in a text: #260, PR-480, v2.0.1, and PR 260, a number after an
    abbreviation.
    """
    return frozenset(m.group().casefold() for m in _IDENTIFIER.finditer(text)) | frozenset(
        _numbered(text)
    )


def _numbered(text: str) -> Iterator[str]:
    """Numbers after an abbreviation, which capitals tell apart from the other words, in scripts
    that have them.
    """
    if all(c.isupper() for c in text if c.isalpha()):
        return
    for found in _NUMBERED.finditer(text):
        word = found[1]
        start = next((n for n in range(len(word), 0, -1) if not word[n - 1].isupper()), 0)
        after = text[found.end() : found.end() + 1]
        is_unit = after.islower() or after.isupper()  # 30km
        if (
            len(word) - start >= 2
            and not word[start - 1 : start].islower()
            and not is_unit
            and word[start:] not in CURRENCIES
        ):
            yield f"{word[start:]} {found[2]}".casefold()
