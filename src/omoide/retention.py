"""How long what was learnt from is kept: the settings of pruning. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from omoide.errors import InvalidInput

ARCHIVE_FOR = "90d"
_INSTEAD = {
    "prune_after": "leave it empty, so that nothing is pruned, or give at least 1s",
    "archive_for": "give at least 1s; what is to be gone at once is for forget",
}
_LONGEST = timedelta(days=36_500)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Retention:
    """When sessions are pruned, after they were last added to, and how long undo can bring back what was.

    Raises:
        InvalidInput: a time of zero or less.
    """

    prune_after: timedelta | None = None  # None: never
    archive_for: timedelta = timedelta(days=90)
    items_most: int = 0  # open items of one user, or of one agent; 0: no limit

    def __post_init__(self) -> None:
        for name in ("prune_after", "archive_for"):
            time = getattr(self, name)
            if time is not None and time <= timedelta():
                raise InvalidInput(name, f"must be longer than no time; {_INSTEAD[name]}")


def read_retention(prune_after: str, archive_for: str, items_most: int = 0) -> Retention:
    """What the settings name; the first may be empty.

    Raises:
        InvalidInput: one of them is no time, or zero.
    """
    after = read_duration("prune_after", prune_after) if prune_after.strip() else None
    return Retention(prune_after=after, archive_for=read_duration("archive_for", archive_for), items_most=items_most)


def read_duration(name: str, value: str) -> timedelta:
    """A time such as 90s, 30m, 2h or 1d, of the setting of that name; it may be zero.

    Raises:
        InvalidInput: it is none, or over a hundred years.
    """
    found = re.fullmatch(r"(\d{1,6})([smhd])", value.strip(), re.ASCII)
    if not found:
        raise InvalidInput(name, f"{value!r} is no time such as 90s, 30m, 2h or 1d")
    time = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if time > _LONGEST:
        raise InvalidInput(name, f"{value!r} is over a hundred years")
    return time
