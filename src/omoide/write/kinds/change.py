"""What the product has to know of changes, of rounds, of which only their changes are kept, and of
the documents of the search index.

The chain holds no text and is never erased. What a change replaced is kept beside it, holds texts
of its record, and goes with that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.change import Action, Change
from omoide.nouns.clock import EPOCH
from omoide.nouns.errors import CannotUndo, InvalidInput
from omoide.nouns.ids import ChangeId, ItemId
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind, Table, Undoing
from omoide.store.base import Transaction
from omoide.tables.columns import pack_json
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past, Replaced
from omoide.text.secrets.fields import mask_json
from omoide.text.secrets.records import IDS, without_secrets
from omoide.write.apply import Door
from omoide.write.checks import ORIGIN_LIMIT, check_id, check_line
from omoide.write.loading import check_past, users_of
from omoide.write.tool_calls import are_forgotten, revert_calls

_ALL = 100_000_000
_HEX = re.compile("(?:[0-9a-f]{2}){0,64}")
_END = EPOCH.replace(year=9999)


def _pages(tx: Transaction, tenant: str, last: Replaced | None, limit: int) -> list[Replaced]:
    return Ledger(tx).replaced(tenant, last.seq if last else 0, limit)


def _mask(tx: Transaction, door: Door, tenant: str, replaced: Replaced) -> None:
    Ledger(tx).mask(without_secrets(replaced))


def _mask_before(before: Mapping[str, Any]) -> dict[str, Any]:
    """What was replaced with its secrets masked; ids and the salts of hashes stay as they are."""
    return {name: _mask_column(name, value) for name, value in before.items()}


def _mask_column(name: str, value: Any) -> Any:
    if name == "salt" or name in IDS:
        return value
    if name in ("tags", "metadata") and isinstance(value, str):
        return pack_json(mask_json(json.loads(value)))
    return mask_json(value)


def _exported(tx: Transaction, tenant: str, user: str | None) -> Iterator[Change]:
    for name in users_of(tx, tenant, user):
        for change in Ledger(tx).between(tenant, name or None, EPOCH, _END, _ALL):
            if (change.user or "") == name:
                yield change


def _fit(change: Change, now: datetime) -> Change:
    """An entry of another store's ledger as it may be kept: without its reason, which is text."""
    check_past(change, ("at",), now)
    for name in ("content", "hash"):
        if not _HEX.fullmatch(getattr(change, name)):
            raise InvalidInput(name, "is not a hash")
    return replace(
        change,
        id=ChangeId(check_id(change.id, "id")),
        record=check_line(change.record, "record", ORIGIN_LIMIT),
        user=check_line(change.user or "", "user") or None,
        session=check_line(change.session or "", "session", ORIGIN_LIMIT) or None,
        actor=check_line(change.actor, "actor"),
        cause=check_line(change.cause or "", "cause", ORIGIN_LIMIT) or None,
        reason="",
    )


def _revert_round(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    """Give items the confidence back that they lost or got, as far as they are still there, or
    bring pruned calls back; or the reverse.
    """
    if not past.kept:
        raise CannotUndo(f"what change {past.change.id!r} replaced is no longer kept")
    if "calls" in past.before:
        revert_calls(tx, door, past)
        return
    scope = replace(undoing.scope, user=past.change.user)
    before = _reverse(past.before)
    _apply(tx, scope.tenant, before)
    record, cause = past.change.record, past.change.id
    door.note(Action.UNDO, Kind.ROUND, record, scope, before=before, cause=cause)


def _apply(tx: Transaction, tenant: str, did: Mapping[str, Any]) -> None:
    """Do to items what a round did."""
    items = Items(tx)
    items.scale(tenant, did["factors"])
    items.shift(tenant, did["shifts"])
    for id, (_, similar) in did["links"].items():
        if (item := items.find(tenant, id)) is not None:
            items.link(item, ItemId(similar) or None)


def _reverse(before: Mapping[str, Any]) -> dict[str, Any]:
    """What a round did to items, the other way round."""
    factors, shifts, links = (before.get(name, {}) for name in ("factors", "shifts", "links"))
    return {
        "factors": {id: 1 / factor for id, factor in factors.items()},
        "shifts": {id: -shift for id, shift in shifts.items()},
        "links": {id: [now, was] for id, (was, now) in links.items()},
    }


CHANGE = RecordKind(
    name="change",
    record=Replaced,
    plural="changes",
    form=Change,
    fit=_fit,
    tables=(
        Table("ledgers", ("tenant",)),
        Table("changes", ("tenant", "seq")),
        Table("revisions", ("tenant", "seq")),
        Table("foreign_ledgers"),
        Table("foreign_changes", ("tenant", "ledger", "seq")),
        Table("exports"),
    ),
    columns=("name",),  # of a file
    texts=("reason", "before"),
    masked_by={"before": _mask_before},
    pages=_pages,
    mask=_mask,
    held="changes.held",
    exported=_exported,
    stats=lambda tx, scope, now: {"changes": Ledger(tx).count(scope)},
    ref=lambda replaced: (replaced.kind, replaced.record),
)
ROUND: RecordKind[Any] = RecordKind(
    name="round",
    record=None,
    plural="rounds",
    sees=lambda tx, scope, change: True,
    may_undo=lambda tx, scope, past: True,
    is_lost=are_forgotten,
    revert=_revert_round,
)
# what the search index holds of items and turns: made from these, and erased with them
DOCUMENT: RecordKind[Any] = RecordKind(
    name="document",
    record=None,
    plural="documents",
    tables=(
        Table("partitions", ("tenant", "user_id")),
        Table("docs", ("doc",)),
        Table("erased", ("tenant", "user_id", "seq", "doc")),
        Table("vectors", ("tenant", "doc", "model")),
        Table("readings", ("tenant", "doc", "reader")),
    ),
    columns=("own", "around"),
)
