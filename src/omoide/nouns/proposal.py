"""Proposals: what a model made, or would close, waiting for a person's word."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NewType, TypeAlias

from omoide.nouns.ids import SessionId
from omoide.nouns.item import Item, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.procedure import Procedure
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.reflection import Digest, Reflection
from omoide.nouns.scope import Scope
from omoide.nouns.skill_file import skill_text

ProposalId = NewType("ProposalId", str)
Made: TypeAlias = Reflection | Digest | Procedure  # what a model makes besides items
Waits: TypeAlias = Item | Made
RATIONALE = "rationale"  # where the metadata of a proposed item holds why, if nobody said it

# Why something waits or is not learnt, in words; what is not here is told as it is called.
REASONS = {
    "no_quote": "nobody said the words it quotes",
    "too_long": "it is too long",
    "ungrounded_name": "a name that was not said",
    "ungrounded_number": "a number that was not said",
    "ungrounded_date": "a date that was not said",
    "ungrounded_address": "an address that was not said",
    "relative_date": "a day that will be another one tomorrow",
    "script": "another script than it was said in",
    "negation": "yes and no are swapped",
    "unsupported": "too little of it was said",
    "to_assistant": "it speaks to an assistant, or of a user, as a page would",
    "recalled": "it was recalled, not said anew",
    "judged_no": "the talk does not say it",
    "judged_partly": "the talk says only a part of it",
    "judged_otherwise": "the talk says it another way, as a plan, a wish or hearsay",
    "unlike": "it does not repeat what it would close",
    "closes_more": "it would close what somebody more trusted said, or what it does not speak of",
}


def in_words(reasons: Iterable[str]) -> str:
    """Reasons told to a person, with commas between."""
    return ", ".join(REASONS.get(reason, reason.replace("_", " ")) for reason in reasons)


class Wish(StrEnum):
    """What a proposal would do."""

    ADD = "add"
    SUPERSEDE = "supersede"
    RETRACT = "retract"


@frozen_record
class Proposal(Record):
    """Something that waits: the record as it would be, the one that would give way to it, and why
    it waits.
    """

    id: ProposalId
    scope: Scope
    wish: Wish
    item: Item | None = None
    made: Made | None = None  # with no item either, it only closes the target
    target: str | None = None  # an item; of a digest or procedure, the one in force
    session: SessionId | None = None  # where it was said
    flags: tuple[str, ...] = ()
    origin: str | None = None
    made_at: datetime
    expires_at: datetime
    settled_at: datetime | None = (
        None  # when it was rejected or expired; it can be brought back for a time
    )

    @property
    def what(self) -> Waits | None:
        """The record as it would be; None where it only closes the target."""
        return self.item or self.made

    @property
    def kind(self) -> Kind:
        """Of what kind the record is that it would add or close."""
        return kind_of(self.what)

    @property
    def text(self) -> str:
        """What it would say; of a procedure its SKILL.md. Empty where it only closes the target."""
        return "" if self.what is None else text_of(self.what)

    @property
    def tier(self) -> Tier | None:
        """Whose word the record is."""
        return self.what.tier if self.what else None


def kind_of(what: Waits | None) -> Kind:
    """Of what kind a record is that waits."""
    match what:
        case Reflection():
            return Kind.REFLECTION
        case Digest():
            return Kind.DIGEST
        case Procedure():
            return Kind.PROCEDURE
        case _:
            return Kind.ITEM


def text_of(what: Waits) -> str:
    """What a record says, as a person is shown it."""
    return skill_text(what) if isinstance(what, Procedure) else what.text


@frozen_record
class ForReview(Record):
    """A proposal as a person is shown it, with the seal that approves exactly this."""

    proposal: Proposal
    # as it would be, with what is hidden in it made visible; empty where it only closes the target
    text: str
    hidden: tuple[str, ...] = ()  # what sorts of hidden characters it has
    target: Item | Digest | Procedure | None = (
        None  # what would give way, as far as the asker may see it
    )
    # from the target's text to this one: "=" kept, "-" gone, "+" new, and the piece
    changes: tuple[tuple[str, str], ...] = ()
    reasons: tuple[str, ...] = ()  # why it waits, with the two things that differ
    similar: Item | None = None  # the nearest open item that it would stand beside
    seal: str
    sealed_until: datetime
