"""What records from an archive may say: nothing that the verbs would refuse, besides what only an
archive tells, such as times of recording, counts and places of marks.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from datetime import datetime, timedelta
from typing import Any

from omoide.nouns.clock import check_moment
from omoide.nouns.errors import Conflict, InvalidInput, InvalidTime
from omoide.nouns.ids import TurnId
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Mask
from omoide.store.base import Transaction
from omoide.tables.documents import Documents
from omoide.tables.turns import Turns

SKEW = timedelta(days=1)  # by which the clock of the machine an archive comes from may be ahead
COUNT_LIMIT = 2**31  # of recalls, of positions in a session


def check_past(record: Any, names: Iterable[str], now: datetime) -> None:
    """That these times of a record, where it has them, are no later than now.

    Raises:
        InvalidTime: one is yet to come.
    """
    for name in names:
        if (moment := getattr(record, name)) is not None:
            check_moment(moment, name)
            if moment > now + SKEW:
                raise InvalidTime(name, f"{moment.isoformat()} is yet to come")


def check_counts(record: Any, names: Iterable[str]) -> None:
    """That these numbers of a record are counts.

    Raises:
        InvalidInput: one is not.
    """
    for name in names:
        check_count(getattr(record, name), name)


def check_count(value: int, name: str) -> None:
    """That a number is a count.

    Raises:
        InvalidInput: it is not.
    """
    if isinstance(value, bool) or not 0 <= value < COUNT_LIMIT:
        raise InvalidInput(name, f"{value} is not from 0 to {COUNT_LIMIT - 1}")


def check_of_user(scope: Scope, remedy: str) -> None:
    """That a record is a user's, and nobody else's.

    Raises:
        InvalidInput: it is not.
    """
    if scope.user is None or scope != Scope(tenant=scope.tenant, user=scope.user):
        raise InvalidInput("user", remedy)


def users_of(tx: Transaction, tenant: str, user: str | None) -> list[str]:
    """The users whose records an archive holds: one, or with None all of a tenant, "" being
    nobody.
    """
    return sorted(Documents(tx).partitions(tenant)) if user is None else [user]


def placed(text: str, masks: Collection[Mask]) -> tuple[Mask, ...]:
    """The masks, each of which stands where it says.

    Raises:
        InvalidInput: one does not.
    """
    for mask in masks:
        if mask.start < 0 or text[mask.start : mask.end] != f"[secret: {mask.kind}]":
            raise InvalidInput("masks", f"there is no mark of kind {mask.kind!r} at {mask.start}")
    return tuple(masks)


def known_turns(
    tx: Transaction, tenant: str, turns: Iterable[TurnId], told: Container[str]
) -> tuple[TurnId, ...]:
    """Those of some turns that are there, or told by the same archive."""
    return tuple(turn for turn in turns if turn in told or Turns(tx).find(tenant, turn) is not None)


def check_same(kind: str, id: str, *, equal: bool) -> None:
    """That a record that is there already says the same.

    Raises:
        Conflict: it does not.
    """
    if not equal:
        raise Conflict(f"{kind} {id!r} is there already with another text")
