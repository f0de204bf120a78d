"""Proposals: what somebody wants remembered or closed, waiting for a person's word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from omoide.records import Item, ItemId, Scope, SessionId

ProposalId = NewType("ProposalId", str)
RATIONALE = "rationale"  # where the metadata of a proposed item holds why, if nobody said it


class Wish(StrEnum):
    """What a proposal would do."""

    ADD = "add"
    SUPERSEDE = "supersede"
    RETRACT = "retract"


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """Something that waits: the item as it would be, the item that it would close, and why it waits."""

    id: ProposalId
    scope: Scope
    wish: Wish
    item: Item | None = None  # None: it only closes the target
    target: ItemId | None = None
    session: SessionId | None = None  # where it was said
    flags: tuple[str, ...] = ()
    origin: str | None = None
    made_at: datetime
    expires_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class ForReview:
    """A proposal as a person is shown it, with the seal that approves exactly this."""

    proposal: Proposal
    text: str  # as it would be, with what is hidden in it made visible; empty where it only closes the target
    hidden: tuple[str, ...] = ()  # what sorts of hidden characters it has
    target: Item | None = None  # what it would close, as far as the asker may see it
    changes: tuple[tuple[str, str], ...] = ()  # from the target's text to this one: "=" kept, "-" gone, "+" new, and the piece
    seal: str
    sealed_until: datetime
