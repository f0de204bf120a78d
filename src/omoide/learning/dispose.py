"""What becomes of a suggestion of a model, given what is known. The model proposes, the rules
dispose. Pure.

The same text is known already, whatever a model says. Else a model is heard, and never so that
anything is lost:

- it names nothing that it was shown, or nothing at all: as if it had said nothing. The text is
  added, linked to what is near; no rule closes anything.
- "none": an item says it already only if it holds every word of the new text, every figure and
  name, and both or neither negate: the
  item that the model means, or else another that it may have been shown. Otherwise both stand,
  linked: "hates tea" beside "loves tea".
- "update": the item gives way, if the word weighs no less and it does not name another thing of
  many (#260, PR-480).
  So that no slip of a mark closes what has nothing to do with it, a model repeats what the item
  said; where it does not, both stand, and the closing waits for a person.
- "delete" with a text: the text takes the item's place. A correction always leaves the new fact.
- what a closed item said of the time that the text is about is known, and was true then: nothing is
  new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from omoide.learning.extraction import Operation
from omoide.nouns.ids import ItemId
from omoide.nouns.item import PRIVILEGED, Item
from omoide.text.languages import plausible_languages
from omoide.text.sameness import same_text
from omoide.text.within import stands_in
from omoide.text.words import NATIVE, index_terms, query_terms
from omoide.write.decide import (
    Add,
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Reinforce,
    are_two_of_many,
    change,
    decide,
)

NOBODY = ("user", "用户")  # what many models call the person


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What a model would do: the operation, and the item that it means, if it means one that it was
    shown.
    """

    operation: Operation
    target: ItemId | None = None
    means_it: bool = True  # it repeats words of that item, so that its mark is no slip

    @property
    def closes(self) -> bool:
        """Whether it would have an item end."""
        return self.target is not None and self.operation in (Operation.UPDATE, Operation.DELETE)


def means(known: str, was: str, said: str, names: Collection[str]) -> bool:
    """Whether a model that would end an item of that text means that one: most words that it
    repeats are the item's, names aside.

    was: what it says that the item said. Where it says nothing of that, what it says now has to
    share a word with the item.
    """
    # where nouns have capitals, too
    both = _capitals(known) & _capitals(said) if plausible_languages(known)[:1] != ("de",) else ()
    aside = {term for name in (*names, *both, *NOBODY) for term in _content(name)}
    theirs, repeated, new = (_content(text) - aside for text in (known, was, said))
    return 2 * len(repeated & theirs) > len(repeated) if repeated else not new.isdisjoint(theirs)


def stands(text: str, known: str, names: Collection[str]) -> bool:
    """Whether every word of a text stands in what is known, with names in their order: those given,
    and what both write with a capital.
    """
    both = _capitals(text) & _capitals(known) if plausible_languages(known)[:1] != ("de",) else ()
    return stands_in(text, known, {*names, *both})


def _capitals(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text) if word[0].isupper()}


def may_end(new: Item, target: Item, told_at: datetime) -> bool:
    """Whether something new may end an item at all: of the same place, no word of more weight, not
    another of many.

    And told of no later: told_at is as of when the item was told last, or said again.
    """
    other = are_two_of_many(new.text, target.text) or target.category in PRIVILEGED
    return (
        target.scope == new.scope
        and target.tier <= new.tier
        and told_at <= new.valid_from
        and not other
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
    theirs = iter(index_terms(known.text))
    return same and stood and all(word in theirs for word in index_terms(item.text))


def _content(text: str) -> set[str]:
    """Its content words, without the forms that they could have in other languages."""
    return {term.term for term in query_terms(text) if not term.term.startswith(NATIVE)}


def dispose(
    candidate: Candidate,
    neighbours: Sequence[Neighbour],
    told: Told | None,
    says_all: Callable[[Item], bool],
) -> Decision:
    """What becomes of a candidate. says_all: whether an item has every word, figure, name and date
    of its text, and negates as it does.
    """
    known = _known_then(candidate, neighbours)
    if known is not None:
        return Ignore(item=known)
    ruled = decide(candidate, neighbours)
    target = _target(candidate, neighbours, told)
    if told is None or target is None or not isinstance(ruled, Add):
        return ruled
    beside = Add(similar=target if target.category is candidate.category else ruled.similar)
    match told.operation:
        case Operation.ADD:
            return ruled
        case Operation.NONE:
            saying = next(filter(says_all, (target, *_here(candidate, neighbours))), None)
            return beside if saying is None else _said_already(candidate, saying)
        case Operation.UPDATE | Operation.DELETE:
            return (_instead(candidate, target) if told.means_it else None) or beside


def _known_then(candidate: Candidate, neighbours: Sequence[Neighbour]) -> Item | None:
    """A closed item of the same text that held when the candidate was said to."""
    at = candidate.valid_from
    for neighbour in neighbours:
        item = neighbour.item
        same = (
            not item.is_open
            and item.scope == candidate.scope
            and same_text(item.text, candidate.text)
        )
        if (
            same
            and at is not None
            and item.closed_at is not None
            and item.valid_from <= at < item.closed_at
        ):
            return item
    return None


def _target(
    candidate: Candidate, neighbours: Sequence[Neighbour], told: Told | None
) -> Item | None:
    """The item a model means, if it is open and where the candidate goes."""
    if told is None or told.target is None:
        return None
    return next((item for item in _here(candidate, neighbours) if item.id == told.target), None)


def _here(candidate: Candidate, neighbours: Sequence[Neighbour]) -> list[Item]:
    """The open items where the candidate goes."""
    return [n.item for n in neighbours if n.item.is_open and n.item.scope == candidate.scope]


def _said_already(candidate: Candidate, item: Item) -> Decision:
    return Ignore(item=item) if candidate.tier < item.tier else Reinforce(item=item)


def _instead(candidate: Candidate, item: Item) -> Decision | None:
    if same_text(candidate.text, item.text):
        return _said_already(candidate, item)
    if candidate.tier < item.tier or are_two_of_many(candidate.text, item.text):
        return None
    return change(candidate, item)
