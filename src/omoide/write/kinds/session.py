"""What the product has to know of sessions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from omoide.nouns.access import may_take_back, owns, takes_part
from omoide.nouns.change import Action, Change
from omoide.nouns.clock import check_moment, from_micros
from omoide.nouns.errors import CannotUndo
from omoide.nouns.ids import SessionId
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import RecordKind, Table, Undoing
from omoide.nouns.scope import Scope
from omoide.nouns.session import Participant, Session, own_name
from omoide.nouns.turn import Turn
from omoide.store.base import Transaction
from omoide.tables.jobs import EXTRACT_JOB, REFLECT_JOB, Jobs
from omoide.tables.ledger import Past
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import as_line, check_id, check_metadata
from omoide.write.edited import bring_back, replace_again, set_replaced
from omoide.write.loading import users_of
from omoide.write.turn_log import archive_turns, hide_turns, unarchive_turns
from omoide.write.undoing import was_theirs


def _scopes(tx: Transaction, tenant: str, session: Session) -> tuple[Scope, ...]:
    """Where it lives, and the users who take part in it."""
    users = (replace(session.scope, user=user) for user in sorted(session.users))
    return (session.scope, *users)


def _mask(tx: Transaction, door: Door, tenant: str, session: Session) -> None:
    locked = Sessions(tx).lock(tenant, session.id)
    if locked is not None:
        Sessions(tx).describe(without_secrets(locked))
        door.note(Action.MASK, Kind.SESSION, locked.id, locked.scope)


def sessions_meant(tx: Transaction, scope: Scope, target: Target) -> list[Session]:
    """The sessions that a target is about and the asker owns or takes part in; nothing is said in
    them until they are gone.
    """
    found: list[Session | None] = []
    if target.session is not None:
        found = [Sessions(tx).find(scope.tenant, target.session)]
    elif target.user is not None or target.sort in ("turns", "all"):
        found = [*Sessions(tx).of_user(scope.tenant, scope.user or "")]
    mine = [one for one in found if one and (owns(scope, one) or takes_part(scope, one))]
    return [one for one in mine if Sessions(tx).lock(scope.tenant, one.id) is not None]


def _meant(tx: Transaction, scope: Scope, target: Target) -> list[Session]:
    """Sessions as a whole: the owner's, in which nobody else said a thing."""
    own = (one for one in sessions_meant(tx, scope, target) if owns(scope, one))
    return [one for one in own if _is_theirs(tx, scope, one)]


def _is_theirs(tx: Transaction, scope: Scope, session: Session) -> bool:
    turns = Turns(tx).all_of_session(scope.tenant, session.id)
    return all(may_take_back(scope, session, turn) for turn in turns)


def _exported(tx: Transaction, tenant: str, user: str | None) -> Iterable[Session]:
    """A user's own sessions, and those that they share with others."""
    names = users_of(tx, tenant, user)
    own = (one for name in names for one in Sessions(tx).of_user(tenant, name))
    shared = (one for one in Sessions(tx).shared(tenant) if user is None or user in one.users)
    return {one.id: one for one in (*own, *shared)}.values()


def _fit(session: Session, now: datetime) -> Session:
    for name in ("started_at", "last_at"):
        if (moment := getattr(session, name)) is not None:
            check_moment(moment, name)
    return replace(
        session,
        id=SessionId(check_id(session.id, "id")),
        name=check_id(session.name or own_name(session), "name"),
        title=as_line(session.title, "title"),
        channel=as_line(session.channel, "channel"),
        participants=tuple(map(_fit_person, session.participants)),
        metadata=check_metadata(session.metadata),
    )


def _fit_person(person: Participant) -> Participant:
    user = None if person.user is None else check_id(person.user, "user")
    return replace(person, name=as_line(person.name, "participant"), user=user)


def _load(tx: Transaction, door: Door, session: Session, told: Container[str]) -> Mapping[str, int]:
    return {"session": int(Sessions(tx).add(session, origin="", at=door.now))}


def _masked_people(people: tuple[Participant, ...]) -> tuple[Participant, ...]:
    return tuple(replace(one, name=mask_line(one.name)) for one in people)


def sees(tx: Transaction, scope: Scope, change: Change) -> bool:
    """Whether an asker may know of a change of a session or a turn: of one of several users from
    within it alone.
    """
    session = Sessions(tx).find(scope.tenant, change.session or change.record)
    if session is None:
        return was_theirs(tx, scope, change)
    from_within = session.id == scope.session or len(session.users) < 2
    return from_within and session.scope.agent in (None, scope.agent)


def may_undo(tx: Transaction, scope: Scope, past: Past) -> bool:
    """Whether a change of a session is the asker's to undo: they own it, or said all of what it
    is of.
    """
    change = past.change
    session = Sessions(tx).find(change.tenant, change.session or change.record)
    if session is None or owns(scope, session):
        return True
    turns = _turns_of(tx, session, past)
    return bool(turns) and all(may_take_back(scope, session, turn) for turn in turns)


def _turns_of(tx: Transaction, session: Session, past: Past) -> list[Turn]:
    """The turns that a logging, or an undoing of one, is about."""
    places = past.positions
    return Turns(tx).stretch(session.scope.tenant, session.id, places.start, len(places))


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    session = Sessions(tx).find(past.change.tenant, past.change.record)
    if session is None or not past.kept:
        raise CannotUndo(
            f"session {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    if "replaced" in past.before:
        _revert_replacing(tx, door, session, past, undoing)
        return
    if "archived" in past.before:
        _revert_archiving(door, session, past)
        return
    _revert_logging(door, session, past)


def _revert_logging(door: Door, session: Session, past: Past) -> None:
    """Hide turns that were logged, or bring back those that were hidden by an undoing."""
    turns = _turns_of(door.tx, session, past)
    hide = not past.before.get("hid", False)
    if not hide:
        _check_not_again(door.tx, session, turns)
    if turns:
        jobs = _cancel_idle(door.tx, session, turns) if hide else []
        kept = {"jobs": jobs} if jobs else {}
        hide_turns(door, session, turns, hide=hide, undoes=past.change.id, kept=kept)
    for job in () if hide else past.before.get("jobs", ()):
        Jobs(door.tx).enqueue_again(session.scope.tenant, job)
    _hide_if_empty(door, session)


def _cancel_idle(tx: Transaction, session: Session, turns: Sequence[Turn]) -> list[dict[str, Any]]:
    """Take the jobs of a session away that have nothing to learn from without some turns, which
    follow each other; these jobs.
    """
    tenant, begin, end = session.scope.tenant, turns[0].position, turns[-1].position + 1
    standing = Sessions(tx).standing(tenant, session.id)
    stood = standing[1] if standing else 0
    cancelled = []
    for kind, first in ((EXTRACT_JOB, stood), (REFLECT_JOB, 0)):
        before = Turns(tx).shown_from(tenant, session.id, first, 1) if first < begin else []
        is_left = any(turn.position < begin for turn in before)
        if not is_left and not Turns(tx).shown_from(tenant, session.id, max(first, end), 1):
            cancelled.append(Jobs(tx).cancel(tenant, f"{kind}:{session.id}"))
    return [job for job in cancelled if job is not None]


def _check_not_again(tx: Transaction, session: Session, turns: Sequence[Turn]) -> None:
    """That none of some hidden turns was logged once more.

    Raises:
        CannotUndo: one was.
    """
    keys = [turn.key for turn in turns if turn.key]
    there = Turns(tx).with_keys(session.scope.tenant, session.id, keys)
    for turn in turns:
        if turn.key in there:
            raise CannotUndo(
                f"turn {turn.id!r} was logged again since, in session {session.id!r}; undo that"
                " first"
            )


def _hide_if_empty(door: Door, session: Session) -> None:
    """Take a session out of lists while none of its turns is shown."""
    tenant = session.scope.tenant
    shown = Turns(door.tx).shown(tenant, session.id)
    Sessions(door.tx).hide(tenant, session.id, None if shown else door.now)


def _revert_replacing(
    tx: Transaction, door: Door, session: Session, past: Past, undoing: Undoing
) -> None:
    """Bring back a turn whose message was edited since, or take it out of recall again."""
    for turn in _turns_of(tx, session, past):
        if past.before["replaced"]:
            bring_back(tx, door, session, turn, past.change.id)
            back = Turns(tx).find(session.scope.tenant, turn.id) or turn
            replace_again(tx, door, session, back, past, undoing.group)
        else:
            set_replaced(tx, door, session, turn, replaced=True, undoes=past.change.id)


def _revert_archiving(door: Door, session: Session, past: Past) -> None:
    """Bring back what of a session was pruned, or prune it again, with the same time to be erased
    at.
    """
    before, undoes = past.before, past.change.id
    first, purge_at = before["first"], from_micros(before["purge_at"])
    if not before["archived"]:
        archive_turns(door, session, first, first + before["count"], purge_at, undoes=undoes)
    elif not unarchive_turns(door, session, before, undoes=undoes):
        raise CannotUndo(
            f"the turns of session {session.id!r} were in the archive until {purge_at:%Y-%m-%d}"
        )
    _hide_if_empty(door, session)


SESSION = RecordKind(
    name="session",
    record=Session,
    plural="sessions",
    tables=(Table("sessions"),),
    columns=("origin",),
    texts=("title", "channel", "participants", "metadata"),
    masked_by={"participants": _masked_people},
    scopes=_scopes,
    table=Sessions,
    mask=_mask,
    held="sessions.held",
    meant=_meant,
    sees=sees,
    may_undo=may_undo,
    is_lost=lambda tx, past, now: not past.kept,  # the turns that it was of
    revert=_revert,
    exported=_exported,
    fit=_fit,
    load=_load,
)
