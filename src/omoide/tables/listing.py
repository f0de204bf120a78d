"""Which items to list, in what order, and how many."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from omoide.nouns.clock import to_micros
from omoide.nouns.item import CategoryName
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.tables.columns import micros
from omoide.text.given_time import read_window
from omoide.text.letters import fold

SORTS = ("updated_at", "created_at", "confidence", "category", "context", "text", "uses")


@frozen_record
class Listing(Record):
    """Which items to list: empty fields do not filter. context also brings the global ones where
    with_global. since and until are of when an item became true. A time is aware; until is
    exclusive. A day is a date or text, and since and until take the whole of it in.
    """

    category: CategoryName | str = ""
    domain: str = ""
    context: str = ""
    with_global: bool = False
    entity: str = ""  # by any of its names
    sensitive: bool | None = False  # None: both
    since: datetime | date | str | None = None
    until: datetime | date | str | None = None
    closed: bool = False  # also those no longer held or valid
    unconfirmed: bool = False  # only unconfirmed ones
    confirmed_only: bool = False  # leaves these out
    sort: str = "updated_at"
    descending: bool = True
    limit: int = 50
    offset: int = 0


def filters_of(listing: Listing, now: datetime) -> dict[str, Any]:
    """The values of a listing that its queries take, asked at a time.

    Raises:
        InvalidTime: until is not after since, or one cannot be read.
    """
    since, until = read_window(listing.since, listing.until, now)
    return {
        "category": listing.category,
        "domain": listing.domain,
        "context": listing.context,
        "with_global": int(listing.with_global),
        "entity": fold(listing.entity),
        "sensitive": -1 if listing.sensitive is None else int(listing.sensitive),
        "since": micros(since),
        "until": micros(until),
        "closed": int(listing.closed),
        "unconfirmed": int(listing.unconfirmed),
        "confirmed_only": int(listing.confirmed_only),
        "now": to_micros(now),
    }
