"""How long what was learnt from is kept: the settings of pruning. Pure."""

from __future__ import annotations

import re
from datetime import timedelta

from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record

ARCHIVE_FOR, CALLS_FOR, UNCONFIRMED_FOR = "90d", "400d", "30d"
_INSTEAD = {
    "prune_after": "leave it empty, so that nothing is pruned, or give at least 1s",
    "archive_for": "give at least 1s; what is to be gone at once is for forget",
    "unconfirmed_for": "give at least 1s",
}
_CALLS_LEAST = timedelta(days=31)  # stats add up thirty days, and a day's limit counts today's
_LONGEST = timedelta(days=36_500)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@frozen_record
class Retention:
    """When sessions are pruned, after they were last added to, and how long undo can bring back
    what was.

    Raises:
        InvalidInput: a time of zero or less, or calls kept for less than stats add up.
    """

    prune_after: timedelta | None = None  # None: never
    archive_for: timedelta = timedelta(days=90)
    # that it is kept what language models were called for
    calls_for: timedelta = timedelta(days=400)
    # that an item which nobody confirms stays open
    unconfirmed_for: timedelta = timedelta(days=30)
    items_most: int = 0  # open items of one user, or of one agent; 0: no limit

    def __post_init__(self) -> None:
        for name in ("prune_after", "archive_for", "unconfirmed_for"):
            time = getattr(self, name)
            if time is not None and time <= timedelta():
                raise InvalidInput(name, f"must be longer than no time; {_INSTEAD[name]}")
        if self.calls_for < _CALLS_LEAST:
            raise InvalidInput(
                "calls_for",
                f"must be at least {_CALLS_LEAST.days}d: stats add up what was called for in 30"
                " days",
            )


def read_retention(
    prune_after: str,
    archive_for: str = ARCHIVE_FOR,
    calls_for: str = CALLS_FOR,
    items_most: int = 0,
    unconfirmed_for: str = UNCONFIRMED_FOR,
) -> Retention:
    """What the settings name; the first may be empty.

    Raises:
        InvalidInput: one of them is no time, or zero.
    """
    after = read_duration("prune_after", prune_after) if prune_after.strip() else None
    archived, called = (
        read_duration("archive_for", archive_for),
        read_duration("calls_for", calls_for),
    )
    return Retention(
        prune_after=after,
        archive_for=archived,
        calls_for=called,
        unconfirmed_for=read_duration("unconfirmed_for", unconfirmed_for),
        items_most=items_most,
    )


def read_duration(name: str, value: str) -> timedelta:
    """A time such as 90s, 30m, 2h or 1d, of the setting of that name; it may be zero.

    Raises:
        InvalidInput: it is none, or over a hundred years.
    """
    found = re.fullmatch(r"(\d{1,6})([smhd])", value.strip(), re.ASCII)
    if not found:
        raise InvalidInput(name, f"must be a time such as 90s, 30m, 2h or 1d; got {value!r}")
    time = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if time > _LONGEST:
        raise InvalidInput(name, f"{value!r} is over a hundred years")
    return time
