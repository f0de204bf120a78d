"""What the product has to know of turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.documents import turn_row
from omoide.tables.ledger import Ledger
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets.fields import mask_key
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.index import turn_words


def _scopes(tx: Transaction, tenant: str, turn: Turn) -> tuple[Scope, ...]:
    return (Turns(tx).home(tenant, turn)[0],)


def _page(tx: Transaction, tenant: str, last: Turn | None, limit: int) -> list[Turn]:
    place = (last.session, last.position) if last else ("", -1)
    return Turns(tx).after(tenant, *place, limit)


def _find(tx: Transaction, tenant: str, id: str) -> Turn | None:
    return Turns(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, turn: Turn) -> None:
    clean = without_secrets(turn)
    Turns(tx).mask(tenant, turn.id, clean.text, clean.masks)
    Turns(tx).relabel(tenant, clean)
    if clean.text != turn.text:
        # the hash of the turns as they were logged holds no longer
        Ledger(tx).forget(tenant, turn.session)
    door.note(Action.MASK, Kind.TURN, turn.id, Turns(tx).home(tenant, turn)[0])


def _rows(tx: Transaction, tenant: str, turn: Turn) -> list[dict[str, Any]]:
    if Turns(tx).purged(tenant, turn):
        return []
    scope, shared = Turns(tx).home(tenant, turn)
    session = Sessions(tx).find(tenant, turn.session)
    if session is not None:
        scope = replace(scope, context=session.scope.context)
    only = turn.session if shared or (session is not None and session.private) else ""
    rows = [
        turn_row(scope, 0, turn, part, words, only) for part, words in enumerate(turn_words(turn))
    ]
    if Turns(tx).hidden(tenant, turn):
        rows = [row | {"superseded_at": 0, "closed_at": 0} for row in rows]
    return rows


TURN = RecordKind(
    name="turn",
    record=Turn,
    tables=("turns",),
    texts=("text", "speaker", "metadata", "key"),
    masked_by={"key": lambda key: mask_key(key) if key else key},
    scopes=_scopes,
    page=_page,
    find=_find,
    mask=_mask,
    rows=_rows,
)
