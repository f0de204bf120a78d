"""Ids by how they begin, for people who type them."""

from __future__ import annotations

from collections.abc import Iterable

from omoide.nouns.errors import AmbiguousId
from omoide.nouns.scope import Scope
from omoide.read.question import readable
from omoide.store.base import Store, read_only
from omoide.tables.columns import asker

LEAST = 4  # characters that an id is looked for by
WHOLE = 24  # characters of an id that Omoide made
SHOWN = 5  # ids that are named where several begin alike
# by kind of record whose ids Omoide makes
QUERIES = {
    "item": "prefixes.item",
    "proposal": "prefixes.proposal",
    "procedure": "prefixes.procedure",
    "change": "prefixes.change",
}
_LAST = "\U0010ffff"


def may_begin(text: str) -> bool:
    """Whether a text is long enough to be looked for, and too short to be a whole id."""
    return LEAST <= len(text) < WHOLE


def whole_id(store: Store, scope: Scope, kinds: Iterable[str], begin: str) -> str:
    """The one id of a record of these kinds that the asker sees and that begins like this; where
    there is none, or too little is given, that text itself.

    Raises:
        AmbiguousId: there are several, none of which is exactly this.
    """
    if not may_begin(begin):
        return begin
    found = _beginning(store, scope, kinds, begin)
    if len(found) > 1 and begin not in found:
        raise AmbiguousId(begin, found[:SHOWN])
    return found[0] if found else begin  # an id that is exactly this sorts first


def _beginning(store: Store, scope: Scope, kinds: Iterable[str], begin: str) -> tuple[str, ...]:
    with read_only(store, scope.tenant) as tx:
        seen = asker(readable(tx, scope))
        bounds = {"start": begin, "end": begin + _LAST, "limit": SHOWN}
        rows = (row for kind in kinds for row in tx.rows(QUERIES[kind], **seen, **bounds))
        return tuple(sorted(row["id"] for row in rows))
