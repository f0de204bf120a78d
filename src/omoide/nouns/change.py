"""Changes: the entries of the ledger, and why they happened."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from omoide.nouns.ids import ChangeId
from omoide.nouns.item import Tier
from omoide.nouns.kind import Kind
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope


class Action(StrEnum):
    """What happened to a record."""

    LOG = "log"  # turns appended to a session
    ADD = "add"
    REINFORCE = "reinforce"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    REOPEN = "reopen"
    EDIT = "edit"
    FEEDBACK = "feedback"
    FORGET = "forget"
    MASK = "mask"
    CONFIRM = "confirm"  # an unconfirmed item, by a person or a judge
    UNCONFIRM = "unconfirm"  # something it rests on no longer holds
    CLEAR = "clear"  # all that it rests on holds again
    UNSAY = "unsay"  # what a forgotten source did to it is taken back
    DECAY = "decay"  # items went unused for long and are less sure
    RECONCILE = "reconcile"  # items were compared, and are surer or less sure
    ARCHIVE = "archive"  # pruned: out of recall, and erased at a stated time
    PROPOSE = "propose"  # something waits for a person's word
    REJECT = "reject"  # a proposal
    EXPIRE = "expire"  # a proposal or unconfirmed item that nobody looked at in its time
    MERGE = "merge"
    SPLIT = "split"
    UNDO = "undo"

    @classmethod
    def _missing_(cls, value: object) -> Action | None:
        """What older versions wrote under another name."""
        return cls.UNCONFIRM if value == "doubt" else None


@frozen_record
class Because(Record):
    """Who wants a change, why, whose word it is, and what caused it, such as an import or a job."""

    actor: str = "agent"
    reason: str = ""
    cause: str | None = None
    # of what is changed in place; what is remembered or corrected says so by its source
    tier: Tier = Tier.AGENT


@frozen_record
class Change(Record):
    """One entry of the ledger. Holds ids and keyed hashes, never text."""

    id: ChangeId
    tenant: str
    at: datetime
    action: Action
    kind: Kind
    record: str
    user: str | None
    session: str | None
    actor: str
    reason: str
    cause: str | None
    content: str  # keyed hash of the record after the change; "" where there is none
    hash: str  # over this entry and the hash before it

    @property
    def scope(self) -> Scope:
        """Whose record it changed."""
        return Scope(tenant=self.tenant, user=self.user)
