"""Stage 7, outcome: what becomes of a candidate, given what is known, what a judge says of it and
what a model would do with it. The tables of docs/concepts/learning.md, literally. Pure.

A model's explicit decision about items that it was shown stands. Rules act where it is silent, and
then only add. They veto what would close the word of a higher tier, another's item, an item whose
words the model does not repeat, and whatever would lose text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from omoide.grounding.chatter import recalled
from omoide.learning.decision import Intent
from omoide.learning.extraction import Operation
from omoide.learning.judgement import Support
from omoide.nouns.ids import ItemId
from omoide.nouns.item import PRIVILEGED, Item, Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.text.sameness import same_text
from omoide.text.words import NATIVE, index_terms, query_terms
from omoide.write.decide import (
    Add,
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Precede,
    Reinforce,
    Supersede,
    change,
    decide,
)


@frozen_record
class OutcomeCase:
    """A candidate's item with what its outcome hangs on.

    known: items of its place that may say the same, open and closed; told_at: as of when each was
    told last. learnt: what was learnt from the same turns before. near: what it was found near to,
    before any model named it.
    """

    item: Item
    support: Support = Support.CONFIRMED
    known: Sequence[Item] = ()
    told_at: Mapping[ItemId, datetime] | None = None
    learnt: Sequence[ItemId] = ()
    near: frozenset[str] = frozenset()
    told: Intent | None = None
    led: bool = False  # the model may be led by what others wrote beside it
    names: frozenset[str] = frozenset()  # of those present


@frozen_record
class ForAPerson:
    """It is added, and the closing that the model would have done waits for a person."""

    target: Item


CandidateOutcome: TypeAlias = Decision | ForAPerson


def outcome(case: OutcomeCase) -> CandidateOutcome:
    """What becomes of a candidate. Unconfirmed, it closes and reinforces nothing: it stands
    beside.
    """
    decided = _known_already(case) or _as_told(case) or _as_ruled(case)
    if case.support is Support.CONFIRMED:
        return decided
    match decided:
        case Reinforce(item=known) | Ignore(item=known):
            return Ignore(item=known)
        case Supersede(item=target) | Precede(item=target):
            return Add(similar=target)
        case ForAPerson():  # not even once it is confirmed: only a person may close that
            return Add()
        case _:
            return decided


def _known_already(case: OutcomeCase) -> Decision | None:
    """What repetition, learning once more and closed items that held then make of it."""
    item = case.item
    if item.tier is not Tier.USER:
        # what was recalled comes back in an answer or a tool's output: nothing is learnt from that
        repeated = next((one for one in case.known if recalled(item.text, (one.text,))), None)
        if repeated is not None:
            return Ignore(item=repeated)
    learnt = next(
        (one for one in case.known if one.id in case.learnt and is_learnt(item, one)), None
    )
    known = learnt or next((one for one in case.known if _held_then(one, item)), None)
    if known is not None:
        return Ignore(item=known)
    ruled = _as_ruled(case)
    return None if isinstance(ruled, Add) else ruled


def _as_ruled(case: OutcomeCase) -> Decision:
    """Without a model: the same text is known, and all else is added."""
    return decide(Candidate.of(case.item), [Neighbour.of(one) for one in case.known])


def _as_told(case: OutcomeCase) -> CandidateOutcome | None:
    """The table of decisions; None where the model said nothing that is valid."""
    told, target = case.told, _target(case)
    if told is None or (target is None and told.operation is not Operation.ADD):
        return None
    match told:
        case Intent(operation=Operation.ADD):
            return Add()
        case _ if target is None:
            return None
        case Intent(operation=Operation.NONE, agrees=True) if target.id in case.near:
            return _said_again(case, target)
        case Intent(operation=Operation.NONE):
            return Add(similar=target)
        case Intent(stands=False):
            return Add(similar=target)
        case Intent(lost=lost) if lost:
            return Add(similar=target)
        case _ if case.led and not shares_a_word(case.item.text, target, case.names):
            return ForAPerson(target=target)
        case _ if not may_end(case.item, target):
            return ForAPerson(target=target)
        case _:
            return _instead(case, target)


def _target(case: OutcomeCase) -> Item | None:
    """The item that the model means, if it is open."""
    target = case.told.target if case.told else None
    if target is None:
        return None
    return next((one for one in case.known if one.id == target.id and one.is_open), None)


def _said_again(case: OutcomeCase, known: Item) -> Decision:
    return Ignore(item=known) if case.item.tier < known.tier else Reinforce(item=known)


def _instead(case: OutcomeCase, target: Item) -> Decision:
    """A target gives way; to an old talk it gives none, which was true until then."""
    if same_text(case.item.text, target.text):
        return _said_again(case, target)
    told_at = (case.told_at or {}).get(target.id, target.valid_from)
    if case.item.valid_from < told_at:
        return Precede(item=replace(target, valid_from=told_at))
    backdated = case.item.valid_from < case.item.recorded_at
    return change(Candidate.of(case.item, backdated=backdated), target) or Add(similar=target)


def may_end(new: Item, target: Item) -> bool:
    """Whether something new may end an item at all: of the same place, no word of more weight, and
    of no privileged category.
    """
    return (
        target.scope == new.scope and target.tier <= new.tier and target.category not in PRIVILEGED
    )


def shares_a_word(text: str, target: Item, names: Collection[str]) -> bool:
    """Whether a text shares a word with an item, beside the people present or named there."""
    people = [name.partition(":")[2] for name in target.entities if name.startswith("person:")]
    named = frozenset[str]().union(*map(_content, (*people, *names)))
    return not _content(text) & _content(target.text) <= named


def _content(text: str) -> frozenset[str]:
    found = (term.term for term in query_terms(text, exact=True))
    return frozenset(term for term in found if not term.startswith(NATIVE))


def _held_then(known: Item, item: Item) -> bool:
    """Whether a closed item of the same text held when the candidate was said to."""
    return (
        not known.is_open
        and known.scope == item.scope
        and known.closed_at is not None
        and known.valid_from <= item.valid_from < known.closed_at
        and same_text(known.text, item.text)
    )


def is_learnt(item: Item, known: Item) -> bool:
    """Whether a known item rests on the same words of the same turn as a new one, and has all of
    its words in their order.

    Of closed ones those that were true for a time or gave way to another: what was undone may be
    learnt anew.
    """
    same = (
        item.scope == known.scope
        and item.category == known.category
        and item.due_at in (None, known.due_at)
    )
    same &= item.quote == known.quote and item.own_turns[-1:] == known.own_turns[-1:] != ()
    stood = (
        known.closed_at is None
        or known.closed_at > known.valid_from
        or known.superseded_by is not None
    )
    theirs = iter(index_terms(known.text, exact=True))
    mine = index_terms(item.text, exact=True)
    return same and stood and all(word in theirs for word in mine)
