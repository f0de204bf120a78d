"""What becomes of something to be remembered, given what is known already. Pure: no store, no
model, no clock.

A statement is the same text as an open item of its place, category, entities and time (Reinforce),
or it is added (Add). No words of it close anything: "Invoice 18 was paid" beside "Invoice 17 was
paid" may be a change or a second invoice, and only a person or a model can tell. A near statement
is linked as similar to the nearest open item: one with at least half of the words of the shorter of
the two.

A model's decision, a correction or a person's approval closes an item (Supersede, Precede). What is
told of the past, and differs from what has been true since later, was true until then.

A lower tier never merges into, supersedes or outranks a higher one: it is added beside it, or when
it only repeats it, ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from typing import TypeAlias

from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.text.sameness import same_text
from omoide.text.sets import overlap
from omoide.text.words import index_terms

NEAR = 0.5  # share of the words of the shorter text; fitted in docs/decisions/0021
SHARED = 2  # words that near texts share, unless one has fewer
_IDENTIFIER = re.compile(  # of a longer word only its end: else each letter would look through it
    r"#\d+|(?=\w{0,60}\d)(?=\w{0,60}[^\W\d_])\w{1,60}(?:[-_/.]\w+)+|[^\W\d_]{1,60}[-_]\d+"
)
_NUMBERED = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,})\s?(\d+)(?!\d|[.,:]\d|\s?[%°])")
# a number after one of these is a price
CURRENCIES = frozenset(
    "AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KES KRW MAD"
    " MXN MYR NGN NOK NZD PEN PHP PKR PLN RMB RON RUB SAR SEK SGD THB "
    "TRY TWD UAH USD VND ZAR".split()
)


@frozen_record
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


@frozen_record
class Neighbour:
    """An open item that may be the same thing."""

    item: Item
    entities: frozenset[str] = frozenset()

    @classmethod
    def of(cls, item: Item) -> Neighbour:
        """An item with the entities it names."""
        return cls(item=item, entities=frozenset(item.entities))


@frozen_record
class Add:
    """It is stored beside what is known, linked to the nearest open item that is near, if any."""

    similar: Item | None = None


@frozen_record
class Reinforce:
    """An item says it already, in at least as much detail."""

    item: Item


@frozen_record
class Supersede:
    """An item is the same thing as it was before."""

    item: Item


@frozen_record
class Precede:
    """An item is the same thing as it became later; the candidate was true until then."""

    item: Item


@frozen_record
class Ignore:
    """An item of a higher tier says it already; the lower one adds nothing."""

    item: Item


Decision: TypeAlias = Add | Reinforce | Supersede | Precede | Ignore


def decide(candidate: Candidate, neighbours: Sequence[Neighbour]) -> Decision:
    """What becomes of a candidate without a model's decision: it is known already, or it is added.

    Of several items with its text the first one counts.
    """
    known = next((n.item for n in neighbours if _says_it(n, candidate)), None)
    if known is None:
        return Add(similar=nearest(candidate, [n.item for n in neighbours]))
    return Ignore(item=known) if candidate.tier < known.tier else Reinforce(item=known)


def nearest(candidate: Candidate, items: Sequence[Item]) -> Item | None:
    """The open item of the candidate's place and category that is nearest to it, the newest of
    equals; None where none is near.
    """
    words = frozenset(index_terms(candidate.text, exact=True)) if items else frozenset[str]()
    near = (
        (_likeness(words, theirs), item.recorded_at, item.id, item)
        for item in items
        if _stands_beside(item, candidate)
        and is_near(words, theirs := frozenset(index_terms(item.text, exact=True)))
    )
    return max(near, key=lambda one: one[:3], default=(None,))[-1]


def is_near(mine: Set[str], theirs: Set[str]) -> bool:
    """Whether two texts share at least half of the words of the shorter one, two at least."""
    return len(mine & theirs) >= min(SHARED, len(mine)) and overlap(mine, theirs) >= NEAR


def _likeness(mine: Set[str], theirs: Set[str]) -> float:
    return len(mine & theirs) / max(1, len(mine | theirs))


def _stands_beside(item: Item, candidate: Candidate) -> bool:
    return item.is_open and item.scope == candidate.scope and item.category == candidate.category


def _says_it(neighbour: Neighbour, candidate: Candidate) -> bool:
    """Whether an open item is the candidate said before: its text, of the same entities, of a time
    at which both hold.
    """
    item = neighbour.item
    return (
        same_text(candidate.text, item.text)
        and neighbour.entities == candidate.entities
        and _stands_beside(item, candidate)
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
        short, after = _abbreviation(found[1]), text[found.end() : found.end() + 1]
        is_unit = after.islower() or after.isupper()  # 30km
        if short and not is_unit and short not in CURRENCIES:
            yield f"{short} {found[2]}".casefold()


def _abbreviation(word: str) -> str:
    """The capitals at the end of a word, two at least, unless they go on from small letters."""
    start = next((n for n in range(len(word), 0, -1) if not word[n - 1].isupper()), 0)
    is_short = len(word) - start >= 2 and not word[start - 1 : start].islower()
    return word[start:] if is_short else ""
