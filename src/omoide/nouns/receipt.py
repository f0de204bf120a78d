"""What is asked to be forgotten, and the receipt: what forget erased."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import in_words
from omoide.nouns.session import Session


@frozen_record
class Cut(Record):
    """A session of which turns are erased: how many, how many that are seen stay, and whether the
    whole session goes.
    """

    session: Session
    turns: int
    left: int
    whole: bool


SORTS = ("items", "turns", "all")


@frozen_record
class Target:
    """What to forget: exactly one of these."""

    id: str | None = None  # an item with all its versions, a turn, or a proposal
    session: str | None = None
    origin: str | None = None  # all that one document, page or import brought, and nothing else
    entity: str | None = None  # an entity and every item linked to it
    user: str | None = None  # everything of one user
    everything: str | None = (
        None  # of the asker's own: "items", "turns" or "all", or items of a Source or Category
    )

    @property
    def sort(self) -> str | None:
        """Which of the asker's own records are meant; a source and a category may be named alike,
        so these are told apart by their class.
        """
        return self.everything if type(self.everything) is str else None


@frozen_record
class Receipt(Record):
    """What forget erased or, in a preview, would erase, by kind; and what is still pending."""

    id: str
    at: datetime
    erased: Mapping[str, int] = field(default_factory=dict)
    # erased texts that every byte of the store's files was searched for; short ones prove nothing
    searched: int = 0
    residue: int = 0  # places there where one of them was still found
    pending: tuple[str, ...] = ()
    preview: bool = False  # nothing was erased
    sessions: tuple[Cut, ...] = ()  # in a preview, the sessions that turns are erased of

    def __str__(self) -> str:
        done = "would erase" if self.preview else "erased"
        pending = "".join(f"\npending: {note}" for note in self.pending)
        return f"{done} {in_words(self.erased)}{pending}"
