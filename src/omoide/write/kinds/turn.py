"""What the product has to know of turns."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.access import may_take_back
from omoide.nouns.change import Action
from omoide.nouns.clock import check_moment
from omoide.nouns.errors import CannotUndo, Conflict, InvalidInput
from omoide.nouns.kind import Kind
from omoide.nouns.metadata import Metadata
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import Edge, RecordKind, Rule, Table, Undoing
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import TURN_LIMIT, LoggedTurn, Turn
from omoide.store.base import Transaction
from omoide.tables.documents import turn_row
from omoide.tables.ledger import Ledger, Past
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns, turn_id
from omoide.text.secrets import mask_stored
from omoide.text.secrets.fields import mask_key, mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import as_line, check_id, check_key, check_metadata, check_text
from omoide.write.edited import REPLACES, VERSION_ROOM, earlier_versions, hand_on_key, set_replaced
from omoide.write.index import turn_words
from omoide.write.ingest import KEY_LIMIT
from omoide.write.kinds.session import may_undo, sees, sessions_meant
from omoide.write.loading import check_counts, check_past, check_same, placed
from omoide.write.turn_log import hide_turns, log_turns


def _scopes(tx: Transaction, tenant: str, turn: Turn) -> tuple[Scope, ...]:
    return (Turns(tx).home(tenant, turn)[0],)


def _pages(tx: Transaction, tenant: str, last: Turn | None, limit: int) -> list[Turn]:
    place = (last.session, last.position) if last else ("", -1)
    return Turns(tx).after(tenant, *place, limit)


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
    scope, only = _home_and_session(tx, tenant, turn)
    is_hidden = turn.replaced or Turns(tx).hidden(tenant, turn)
    state = {"superseded_at": 0, "closed_at": 0} if is_hidden else {}
    return [
        turn_row(scope, 0, turn, part, words, only) | state
        for part, words in enumerate(turn_words(turn))
    ]


def _home_and_session(tx: Transaction, tenant: str, turn: Turn) -> tuple[Scope, str]:
    """Where a turn lives, and the session from within which alone it is found, if any."""
    scope, shared = Turns(tx).home(tenant, turn)
    session = Sessions(tx).find(tenant, turn.session)
    if session is None:
        return scope, turn.session if shared else ""
    is_closed = shared or session.private
    return replace(scope, context=session.scope.context), turn.session if is_closed else ""


def is_theirs(tx: Transaction, scope: Scope, turn: Turn) -> bool:
    """Whether a turn is the asker's to forget."""
    home, _ = Turns(tx).home(scope.tenant, turn)
    session = Sessions(tx).find(scope.tenant, turn.session)
    mine = home.user in (None, scope.user) and home.agent in (None, scope.agent)
    return mine and (session is None or may_take_back(scope, session, turn))


def _meant(tx: Transaction, scope: Scope, target: Target) -> Iterator[Turn]:
    turns, tenant = Turns(tx), scope.tenant
    mine = [turn for turn in _named(tx, scope, target) if is_theirs(tx, scope, turn)]
    yield from mine
    for turn in mine if target.id is not None else ():
        yield from earlier_versions(tx, tenant, turn)
    if target.user is not None:
        yield from (*turns.of_user(tenant, target.user), *turns.by_author(tenant, target.user))


def _named(tx: Transaction, scope: Scope, target: Target) -> list[Turn]:
    """The turns that a target names by their id, their origin or their session."""
    turns, tenant = Turns(tx), scope.tenant
    found: list[Turn] = []
    if target.id is not None and "#" in target.id:
        found += filter(None, [turns.find(tenant, target.id)])
    if target.origin is not None:
        for origin in {target.origin, mask_line(target.origin)}:
            found += turns.of_origin(tenant, origin)
    for session in sessions_meant(tx, scope, target):
        found += turns.all_of_session(tenant, session.id)
    return found


def _erase(
    tx: Transaction,
    door: Door,
    scope: Scope,
    turns: Mapping[str, Turn],
    gone: Mapping[str, Any],
) -> None:
    """Erase turns, each with a change of its own, and what sessions kept of them."""
    for turn in turns.values():
        before = {"agent": Turns(tx).home(scope.tenant, turn)[0].agent or ""}
        Turns(tx).forget(scope.tenant, turn.id)
        door.note(Action.FORGET, Kind.TURN, turn.id, scope, before=before)
    for turn in turns.values():
        hand_on_key(tx, scope.tenant, turn)
    for id in dict.fromkeys(turn.session for turn in turns.values()):
        lost = [turn for turn in turns.values() if turn.session == id]
        Ledger(tx).forget_turns(scope.tenant, id, {turn.position for turn in lost})
        if id not in gone:
            Sessions(tx).shorten(scope.tenant, id, lost)


def _archived(tx: Transaction, tenant: str, turn: Turn, user: str | None) -> LoggedTurn | None:
    """A turn, unless it is of nobody in particular and the archive is."""
    return None if user == "" else Turns(tx).logged(tenant, turn)


def _exported(tx: Transaction, tenant: str, user: str | None) -> Iterator[LoggedTurn]:
    """What a user said in shared sessions."""
    spoken = Turns(tx).by_author(tenant, user) if user else ()
    return (Turns(tx).logged(tenant, turn) for turn in spoken if turn.text)


def _fit(logged: LoggedTurn, now: datetime) -> LoggedTurn:
    return replace(logged, turn=_fit_turn(logged.turn, now))


def _fit_turn(turn: Turn, now: datetime) -> Turn:
    check_counts(turn, ("position",))
    if turn.id != turn_id(turn.session, turn.position):
        raise InvalidInput(
            "id", f"{turn.id!r} is not that of position {turn.position} in session {turn.session!r}"
        )
    check_id(turn.session, "session")
    if turn.user is not None:
        check_id(turn.user, "user")
    check_moment(turn.at, "at")
    check_past(turn, ("recorded_at",), now)
    text = check_text(turn.text, TURN_LIMIT)
    masked = mask_stored(text, known=placed(text, turn.masks))
    return replace(
        turn,
        text=masked.text,
        masks=masked.masks,
        speaker=as_line(turn.speaker, "speaker"),
        key=check_key(turn.key or "", "key", KEY_LIMIT + VERSION_ROOM) or None,
        metadata=_fit_metadata(turn.metadata),
    )


def _fit_metadata(metadata: object) -> Metadata:
    """What was said about a message, held to the limit by itself, and of which it is an edit."""
    if not isinstance(metadata, Mapping):
        raise InvalidInput("metadata", "must be an object")
    edit = {name: metadata[name] for name in (REPLACES,) if name in metadata}
    own = {name: value for name, value in metadata.items() if name not in edit}
    return {**check_metadata(own), **check_metadata(edit)}


def _load(
    tx: Transaction, door: Door, logged: LoggedTurn, told: Container[str]
) -> Mapping[str, int]:
    turn, tenant = logged.turn, logged.scope.tenant
    there = Turns(tx).find(tenant, turn.id)
    if there is not None:
        check_same("turn", turn.id, equal=there.text == turn.text)
        return {}
    session = _home(tx, logged)
    place = replace(session, scope=replace(logged.scope, context=session.scope.context))
    log_turns(door, place, [turn], [turn_words(turn)], origin="")
    Sessions(tx).reach(session, turn.position + 1, turn.at)
    _restore_state(door, session, logged)
    return {"turn": 1}


def _restore_state(door: Door, session: Session, logged: LoggedTurn) -> None:
    """Take a turn out of recall again that was out of it, and let what was forgotten of it not
    stand.
    """
    if logged.instruction_forgotten:
        Turns(door.tx).stand_no_more(session.scope.tenant, logged.turn.id)
    if logged.turn.replaced:
        set_replaced(door.tx, door, session, logged.turn, replaced=True)
    if logged.hidden:
        hide_turns(door, session, [logged.turn], hide=True, undoes=door.changes[-1])


def _home(tx: Transaction, logged: LoggedTurn) -> Session:
    """The session of a turn from an archive.

    Raises:
        Conflict: there is none, or it is another's.
    """
    turn, tenant = logged.turn, logged.scope.tenant
    session = Sessions(tx).find(tenant, turn.session)
    if session is None:
        raise Conflict(f"turn {turn.id!r} belongs to a session that is not in the archive")
    users = (None, session.scope.user, *session.users)
    if logged.scope.agent != session.scope.agent or logged.scope.user not in users:
        raise Conflict(
            f"turn {turn.id!r} belongs to session {turn.session!r}, which is another's here"
        )
    return session


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    raise CannotUndo(f"change {past.change.id!r} is of a turn, which is never changed")


TURN = RecordKind(
    name="turn",
    record=Turn,
    plural="turns",
    tables=(Table("turns", ("tenant", "session_id", "position")),),
    columns=("origin",),
    texts=("text", "speaker", "metadata", "key"),
    masked_by={"key": lambda key: mask_key(key) if key else key},
    scopes=_scopes,
    sealed=True,
    table=Turns,
    pages=_pages,
    mask=_mask,
    edges=(Edge(rule=Rule.PART_OF, of=("session",), query="edges.turns_of_sessions"),),
    meant=_meant,
    stats=lambda tx, scope, now: {"log": Turns(tx).count(scope)},
    sees=sees,
    may_undo=may_undo,
    revert=_revert,
    form=LoggedTurn,
    exported=_exported,
    archived=_archived,
    fit=_fit,
    load=_load,
    proof=lambda turn: (turn.text,),
    held="turns.held",
    erase=_erase,
    rows=_rows,
)
