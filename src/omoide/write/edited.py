"""Messages that were edited since they were logged: the turn that has the old words leaves recall,
and what was learnt from it alone is unconfirmed until it is learnt anew.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count

from omoide.nouns.change import Action, Because
from omoide.nouns.clock import Clock
from omoide.nouns.ids import ChangeId
from omoide.nouns.item import Item, Unconfirmed
from omoide.nouns.kind import Kind
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.store.base import Store, Transaction
from omoide.tables.documents import Documents
from omoide.tables.items import Items
from omoide.tables.ledger import Ledger, Past
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns, split_turn_id
from omoide.write.apply import Door, through
from omoide.write.unconfirmed import confirmed, unconfirmed

REPLACES = "replaces"  # in the metadata of a turn: the key of the message of which it is an edit
VERSION_ROOM = 40  # characters that the key of an edit may have more than that of its message
_TOLD_BY = ("edges.items_told_by_turns", "edges.items_made_of_turns")


def replace_edited(
    store: Store, clock: Clock, because: Because, tenant: str, session: str, keys: Iterable[str]
) -> int:
    """Take the turns of messages that have an edit out of recall, given the keys of the messages;
    how many were in it.

    Only the author of a message edits it: an edit by another speaker replaces nothing.
    """

    def write(tx: Transaction, door: Door) -> int:
        home = Sessions(tx).find(tenant, session)
        return 0 if home is None else replace_old_versions(tx, door, home, keys)

    return through(store, clock, because, write, tenant=tenant, session=session)


def replace_old_versions(tx: Transaction, door: Door, session: Session, keys: Iterable[str]) -> int:
    """Take all versions of messages but the latest out of recall, given the keys of the messages;
    how many were in it.
    """
    return sum(
        _replace(tx, door, session, turn)
        for key in dict.fromkeys(keys)
        for turn in _old_versions(Turns(tx).versions(session.scope.tenant, session.id, key), key)
    )


def version_of(
    tx: Transaction, tenant: str, first: Turn, again: Turn, taken: Collection[str | int]
) -> Turn:
    """What stands in the log for a message whose key comes again: the turn that says the same; else
    the message as an edit of the first, by the same author, with a key of its own. taken: keys that
    are no other message's to have.
    """
    if first.text == again.text:
        return first
    key = again.key or ""
    near = Turns(tx).versions(tenant, first.session, key)
    versions = [turn for turn in near if _is_version(turn, key)]
    if said := [turn for turn in versions if turn.text == again.text]:
        return said[-1]
    if (again.role, _author(again)) != (first.role, _author(first)):
        return first
    return replace(
        again,
        key=_free_key(key, len(versions), {*taken, *(turn.key for turn in near)}),
        at=max(again.at, *(turn.at for turn in versions)),
        metadata={**again.metadata, REPLACES: key},
    )


def earlier_versions(tx: Transaction, tenant: str, turn: Turn) -> list[Turn]:
    """What the message of a turn said before it was edited."""
    key = turn.metadata.get(REPLACES)
    if not isinstance(key, str):
        return []
    older = _versions(Turns(tx).versions(tenant, turn.session, key), key)
    return [one for one in older if one.replaced and _place(one) < _place(turn)]


def hand_on_key(tx: Transaction, tenant: str, turn: Turn) -> None:
    """Give the key of a message whose first version was forgotten to the oldest that is left, so
    that it is not logged anew when it comes again.
    """
    if not turn.replaced or turn.key is None or REPLACES in turn.metadata:
        return
    near = Turns(tx).versions(tenant, turn.session, turn.key)
    left = [one for one in near if _is_version(one, turn.key)]
    if left and all(one.key != turn.key for one in left):
        oldest = min(left, key=_place)
        own = {name: value for name, value in oldest.metadata.items() if name != REPLACES}
        Turns(tx).relabel(tenant, replace(oldest, key=turn.key, metadata=own))


def _is_version(turn: Turn, key: str) -> bool:
    return turn.key == key or turn.metadata.get(REPLACES) == key


def _free_key(key: str, number: int, taken: Collection[str | int | None]) -> str:
    """A key for an edit of the message with a key: with a number that no other message has."""
    return next(own for n in count(number) if (own := f"{key}@{n}") not in taken)


def _old_versions(turns: Sequence[Turn], key: str) -> list[Turn]:
    """All versions of a message but the latest, as far as they are in recall."""
    return [turn for turn in _versions(turns, key)[:-1] if not turn.replaced]


def _versions(turns: Sequence[Turn], key: str) -> list[Turn]:
    """All versions of a message in order, as far as one person said them."""
    versions = [turn for turn in turns if _is_version(turn, key)]
    first = next((turn for turn in versions if turn.key == key), None)
    if first is None:
        return []
    return sorted((one for one in versions if _author(one) == _author(first)), key=_place)


def _place(turn: Turn) -> tuple[datetime, int]:
    return turn.at, turn.position


def _author(turn: Turn) -> tuple[str | None, str]:
    return turn.user, turn.speaker


def _replace(tx: Transaction, door: Door, session: Session, turn: Turn) -> int:
    change = set_replaced(tx, door, session, turn, replaced=True)
    for item in learnt_from(tx, session.scope.tenant, turn):
        if item.is_open and item.unconfirmed is None:
            marked = unconfirmed(item, Unconfirmed.EDITED, door.now)
            door.mark_unconfirmed(item, marked, change)
    return 1


def bring_back(tx: Transaction, door: Door, session: Session, turn: Turn, undoes: ChangeId) -> None:
    """Let a turn be in recall again, and what was learnt from it be as sure as before."""
    change = set_replaced(tx, door, session, turn, replaced=False, undoes=undoes)
    for item in learnt_from(tx, session.scope.tenant, turn):
        if item.is_open and item.unconfirmed is Unconfirmed.EDITED:
            door.mark_unconfirmed(item, confirmed(item), change)


def replace_again(
    tx: Transaction, door: Door, session: Session, turn: Turn, past: Past, group: Container[str]
) -> None:
    """Take a turn out of recall once more whose replacing was undone, where a later edit of its
    message stands: undoing that one's logging brings the turn back. group: changes that are being
    undone.
    """
    ledger, tenant = Ledger(tx), session.scope.tenant
    key = str(turn.metadata.get(REPLACES, turn.key))
    versions = _versions(Turns(tx).versions(tenant, session.id, key), key)
    if turn.replaced or turn not in versions[:-1]:
        return
    logging = ledger.logging_of(tenant, session.id, versions[-1].position)
    if logging and logging.seq > ledger.root(past).seq and logging.change.id not in group:
        with door.following(logging.change.id):
            _replace(tx, door, session, turn)


def set_replaced(
    tx: Transaction,
    door: Door,
    session: Session,
    turn: Turn,
    *,
    replaced: bool,
    undoes: ChangeId | None = None,
) -> ChangeId:
    """Take a turn out of recall as replaced, or bring it back; the log keeps it."""
    tenant = session.scope.tenant
    home = Turns(tx).home(tenant, turn)[0]
    seq = door.lock(home)
    Turns(tx).set_replaced(tenant, turn, replaced)
    if replaced or not Turns(tx).hidden(tenant, turn):
        Documents(tx).hide_turn(tenant, turn.id, seq, door.now if replaced else None)
    before = {"first": turn.position, "count": 1, "replaced": replaced}
    action = Action.UNDO if undoes else Action.SUPERSEDE
    scope = replace(session.scope, user=home.user)
    return door.note(action, Kind.SESSION, session.id, scope, before=before, cause=undoes)


def learnt_from(tx: Transaction, tenant: str, turn: Turn) -> list[Item]:
    """What was learnt from a turn, and from none that stands."""
    ids = json.dumps([split_turn_id(turn.id)])
    rows = (row for query in _TOLD_BY for row in tx.rows(query, tenant=tenant, ids=ids))
    found = [Items(tx).find(tenant, id) for id in sorted({row["id"] for row in rows})]
    return [item for item in found if item is not None and not _stands(tx, tenant, item, turn)]


def _stands(tx: Transaction, tenant: str, item: Item, turn: Turn) -> bool:
    """Whether something else than a turn says an item that it told: a turn that stands, or a person
    who said it by hand.
    """
    if not item.own_turns:
        return True
    others = (Turns(tx).find(tenant, id) for id in item.source_turns if id != turn.id)
    return any(other is not None and not other.replaced for other in others)
