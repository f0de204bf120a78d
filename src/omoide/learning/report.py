"""What learning from a session came to: each candidate, and what became of it."""

from __future__ import annotations

from enum import StrEnum

from omoide.nouns.ids import ItemId, SessionId, TurnId
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record


class Fate(StrEnum):
    """What became of a suggestion."""

    ADDED = "added"
    UNCONFIRMED = "unconfirmed"  # added, and labelled as in doubt until it is confirmed
    CONFIRMED = "confirmed"  # an unconfirmed item is confirmed by it
    SUPERSEDED = "superseded"  # an older item gave way to it
    REINFORCED = "reinforced"
    RETRACTED = "retracted"  # it closed an item
    IGNORED = "ignored"  # known already, or said by somebody more trusted
    WAITING = "waiting"  # for a person's word
    REFUSED = "refused"


@frozen_record
class Considered(Record):
    """One suggestion, and what became of it: why it is unconfirmed, or why it, or what it would
    have closed, waits or is refused; the items it added and closed.
    """

    text: str
    quote: str
    turn: TurnId | None
    fate: Fate
    why: tuple[str, ...] = ()
    item: ItemId | None = None
    closed: ItemId | None = None
    besides: tuple[ItemId, ...] = ()  # items that it closed, too


@frozen_record
class Extraction(Record):
    """What was learnt from a session's turns from first to before end. undo takes all of it back by
    its id.

    Where another learnt it while this call waited, it tells only that: its id is the other's, of
    several parts the last one's, or empty if nothing was changed.
    """

    id: str
    session: SessionId
    first: int
    end: int
    considered: tuple[Considered, ...] = ()
    more: bool = False  # turns come after it that nothing was learnt from yet
    by_another: bool = False  # while this call waited; nothing new was considered

    def count(self, fate: Fate) -> int:
        """How many suggestions came to that."""
        return sum(one.fate is fate for one in self.considered)
