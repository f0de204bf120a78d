"""The time that an archive is about, where it is not about all: what was recorded then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from omoide.nouns.change import Change
from omoide.nouns.clock import EPOCH, check_moment
from omoide.nouns.errors import InvalidTime
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import kind_named
from omoide.nouns.session import Session
from omoide.nouns.turn import LoggedTurn
from omoide.store.base import Transaction
from omoide.tables.ledger import Ledger
from omoide.write.loading import users_of

_ALL = 100_000_000  # changes
_END = datetime.max.replace(tzinfo=UTC, microsecond=0)
_MARKS = ("at", "changed_at", "saved_at")  # when a record was made that no ledger notes


@frozen_record
class Span:
    """After one moment, up to and with another."""

    since: datetime = EPOCH
    until: datetime = _END

    def holds(self, moment: datetime | None) -> bool:
        """Whether a moment lies in it."""
        return moment is not None and self.since < moment <= self.until


def span(since: datetime | None, until: datetime | None) -> Span | None:
    """The time between two moments; None where there are none.

    Raises:
        InvalidTime: one is naive, or the second is before the first.
    """
    for name, moment in (("recorded_since", since), ("recorded_until", until)):
        if moment is not None:
            check_moment(moment, name)
    if since is None and until is None:
        return None
    found = Span(since=since or EPOCH, until=until or _END)
    if found.until < found.since:
        raise InvalidTime(
            "recorded_until", f"{found.until.isoformat()} is before {found.since.isoformat()}"
        )
    return found


def recorded_in(
    tx: Transaction,
    tenant: str,
    user: str | None,
    during: Span,
    records: Iterable[tuple[str, Any]],
) -> Iterator[tuple[str, Any]]:
    """Of the records of a user's export (None: everybody's), with their kinds, those that changed
    in a time, and the entries of the ledger that say so.
    """
    changed = _changed(tx, tenant, user, during)
    for kind, record in records:
        match record:
            case Change():
                wanted = during.holds(record.at)
            case LoggedTurn():
                wanted = during.holds(record.turn.recorded_at)
            case _ if kind_named(kind).noted or isinstance(record, Session):
                wanted = str(getattr(record, "id", "")) in changed
            case _:
                wanted = during.holds(_marked(record))
        if wanted:
            yield kind, record


def _marked(record: Any) -> datetime | None:
    """When a record was made, of which the ledger has no entry."""
    found: datetime | None = next(
        (getattr(record, name) for name in _MARKS if hasattr(record, name)), None
    )
    return found


def _changed(tx: Transaction, tenant: str, user: str | None, during: Span) -> frozenset[str]:
    """The ids of the records that the ledger's entries of a time are about."""
    return frozenset(
        change.record
        for name in users_of(tx, tenant, user)
        for change in Ledger(tx).between(tenant, name or None, during.since, during.until, _ALL)
    )
