"""Changes to the log of turns: appended, kept to their session, hidden and brought back, pruned.
Each leaves an entry in the ledger.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.grounding.instructions import has_instruction
from omoide.nouns.change import Action
from omoide.nouns.clock import to_micros
from omoide.nouns.ids import ChangeId
from omoide.nouns.kind import Kind
from omoide.nouns.session import Session
from omoide.nouns.turn import Turn
from omoide.tables.documents import Documents, Words
from omoide.tables.ledger import turns_hash
from omoide.tables.turns import Turns, turn_id
from omoide.write.apply import NOTHING, Door


def stands(session: Session, turn: Turn) -> bool:
    """Whether what a turn of a session says is to stand in every prompt: it tells the assistant
    what holds for good, and could not be meant for another person.
    """
    return not session.is_among_people and has_instruction(turn)


def log_turns(
    door: Door,
    session: Session,
    turns: Sequence[Turn],
    words: Sequence[Sequence[Words]],
    *,
    origin: str,
) -> None:
    """Append turns to a session's log and index them."""
    shared = len(session.users) > 1
    scope = replace(session.scope, user=None if shared else session.scope.user)
    seq = door.lock(scope)
    standing = {turn.id for turn in turns if stands(session, turn)}
    Turns(door.tx).add(session, turns, origin=origin, standing=standing)
    only = session.id if shared or session.private else ""
    Documents(door.tx).add_turns(scope, seq, zip(turns, words, strict=True), only_session=only)
    salt = os.urandom(16)
    before = {"salt": salt.hex(), "first": turns[0].position, "count": len(turns)}
    content = turns_hash(turns, salt)
    door.note(Action.LOG, Kind.SESSION, session.id, scope, content=content, before=before)


def keep_to_session(door: Door, session: Session, users: Iterable[str | None]) -> None:
    """Let what was said in a session before it became private be found from within it only."""
    for user, seq in door.lock_users(session.scope, users).items():
        Documents(door.tx).keep_to_session(session.scope.tenant, user or None, session.id, seq)


def hide_turns(
    door: Door,
    session: Session,
    turns: Sequence[Turn],
    *,
    hide: bool,
    undoes: ChangeId,
    kept: Mapping[str, Any] = NOTHING,
) -> None:
    """Take turns that follow each other out of recall, or bring them back; the log keeps them. kept
    is kept beside the change.
    """
    at = door.now if hide else None
    first, end = turns[0].position, turns[-1].position + 1
    seqs = _lock_turns(door, session, first, end)
    Turns(door.tx).hide(session.scope.tenant, session.id, first, end, at)
    _hide_documents(door, session, seqs, at)
    _note(door, session, {"first": first, "count": len(turns), "hid": hide, **kept}, undoes)


def archive_turns(
    door: Door,
    session: Session,
    first: int,
    end: int,
    purge_at: datetime,
    *,
    undoes: ChangeId | None = None,
) -> int:
    """Prune turns of a session: they leave recall, and what was said is erased at a time; of how
    many.
    """
    tenant, seqs = session.scope.tenant, _lock_turns(door, session, first, end)
    found = Turns(door.tx).archive(tenant, session.id, first, end, at=door.now, purge_at=purge_at)
    _hide_documents(door, session, {n: seqs[n] for n in found & seqs.keys()}, door.now)
    if found:
        span = {"first": first, "count": end - first}
        before = span | {"purge_at": to_micros(purge_at), "archived": True}
        _note(door, session, before, undoes)
    return len(found)


def unarchive_turns(
    door: Door, session: Session, before: dict[str, Any], *, undoes: ChangeId
) -> int:
    """Bring pruned turns back, as far as they are still there; how many. before is what the ledger
    holds of their pruning.
    """
    first, end = before["first"], before["first"] + before["count"]
    seqs = _lock_turns(door, session, first, end)
    found = Turns(door.tx).unarchive(session.scope.tenant, session.id, first, end)
    _hide_documents(door, session, {n: seqs[n] for n in found & seqs.keys()}, None)
    _note(door, session, before | {"archived": False}, undoes)
    return len(found)


def _note(door: Door, session: Session, before: dict[str, Any], undoes: ChangeId | None) -> None:
    """Put on the ledger that turns left recall or came back, by itself or as an undoing."""
    action = Action.UNDO if undoes else Action.ARCHIVE
    door.note(action, Kind.SESSION, session.id, session.scope, before=before, cause=undoes)


def _lock_turns(door: Door, session: Session, first: int, end: int) -> dict[int, int]:
    """Lock the partitions that a session's turns are found in; the counter of each turn's, by its
    position.
    """
    documents, tenant = Documents(door.tx), session.scope.tenant
    users = {
        n: row["user_id"]
        for n in range(first, end)
        for row in documents.of(tenant, Kind.TURN, turn_id(session.id, n))[:1]
    }
    seqs = door.lock_users(session.scope, users.values())
    return {position: seqs[user] for position, user in users.items()}


def _hide_documents(
    door: Door, session: Session, seqs: Mapping[int, int], at: datetime | None
) -> None:
    """Take turns by their positions out of the search index as of a time. None brings them back,
    but for those that were edited since.
    """
    tenant = session.scope.tenant
    ids = {turn_id(session.id, position): seq for position, seq in sorted(seqs.items())}
    edited = {} if at else Turns(door.tx).found(tenant, ids)
    for id, seq in ids.items():
        if not (id in edited and edited[id].replaced):
            Documents(door.tx).hide_turn(tenant, id, seq, at)
