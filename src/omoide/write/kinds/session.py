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
from omoide.tables.documents import Documents
from omoide.tables.jobs import EXTRACT_JOB, REFLECT_JOB, Jobs
from omoide.tables.ledger import Past
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import as_line, check_id, check_metadata
from omoide.write.edited import bring_back, set_replaced
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
    return [
        session
        for session in sessions_meant(tx, scope, target)
        if owns(scope, session)
        and all(
            may_take_back(scope, session, turn)
            for turn in Turns(tx).all_of_session(scope.tenant, session.id)
        )
    ]


def _exported(tx: Transaction, tenant: str, user: str | None) -> Iterable[Session]:
    """A user's own sessions, and those that they share with others."""
    users = sorted(Documents(tx).partitions(tenant)) if user is None else [user]
    own = (one for name in users for one in Sessions(tx).of_user(tenant, name))
    shared = (one for one in Sessions(tx).shared(tenant) if user is None or user in one.users)
    return {one.id: one for one in (*own, *shared)}.values()


def _fit(session: Session, now: datetime) -> Session:
    for name in ("started_at", "last_at"):
        if (moment := getattr(session, name)) is not None:
            check_moment(moment, name)
    people = (
        replace(
            p,
            name=as_line(p.name, "participant"),
            user=None if p.user is None else check_id(p.user, "user"),
        )
        for p in session.participants
    )
    return replace(
        session,
        id=SessionId(check_id(session.id, "id")),
        name=check_id(session.name or own_name(session), "name"),
        title=as_line(session.title, "title"),
        channel=as_line(session.channel, "channel"),
        participants=tuple(people),
        metadata=check_metadata(session.metadata),
    )


def _load(tx: Transaction, door: Door, session: Session, told: Container[str]) -> Mapping[str, int]:
    return {"session": int(Sessions(tx).add(session, origin="", at=door.now))}


def _people(people: tuple[Participant, ...]) -> tuple[Participant, ...]:
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
    return Turns(tx).stretch(
        session.scope.tenant, session.id, past.before.get("first", 0), past.before.get("count", 0)
    )


def _revert(tx: Transaction, door: Door, past: Past, undoing: Undoing) -> None:
    session = Sessions(tx).find(past.change.tenant, past.change.record)
    if session is None or not past.kept:
        raise CannotUndo(
            f"session {past.change.record!r} was forgotten; nothing is left to bring back"
        )
    if "replaced" in past.before:
        _revert_replacing(tx, door, session, past)
        return
    if "archived" in past.before:
        _revert_archiving(tx, door, session, past)
        return
    turns = _turns_of(tx, session, past)
    # undoing the logging hides; undoing that undoing brings back
    hide = not past.before.get("hid", False)
    there = (
        {}
        if hide
        else Turns(tx).positions(session.scope.tenant, session.id, [t.key for t in turns if t.key])
    )
    again = [t for t in turns if t.key in there]
    if again:
        raise CannotUndo(
            f"turn {again[0].id!r} was logged again since, in session {session.id!r}; undo that"
            " first"
        )
    if turns:
        jobs = _cancel_idle(tx, session, turns) if hide else []
        kept = {"jobs": jobs} if jobs else {}
        door.hide_turns(session, turns, hide=hide, undoes=past.change.id, kept=kept)
    for job in () if hide else past.before.get("jobs", ()):
        Jobs(tx).enqueue_again(session.scope.tenant, job)
    Sessions(tx).hide(
        session.scope.tenant,
        session.id,
        door.now if not Turns(tx).shown(session.scope.tenant, session.id) else None,
    )


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


def _revert_replacing(tx: Transaction, door: Door, session: Session, past: Past) -> None:
    """Bring back a turn whose message was edited since, or take it out of recall again."""
    for turn in _turns_of(tx, session, past):
        if past.before["replaced"]:
            bring_back(tx, door, session, turn, past.change.id)
        else:
            set_replaced(tx, door, session, turn, replaced=True, undoes=past.change.id)


def _revert_archiving(tx: Transaction, door: Door, session: Session, past: Past) -> None:
    """Bring back what of a session was pruned, or prune it again, with the same time to be erased
    at.
    """
    tenant, before = session.scope.tenant, past.before
    if not before["archived"]:
        end = before["first"] + before["count"]
        door.archive_turns(
            session, before["first"], end, from_micros(before["purge_at"]), undoes=past.change.id
        )
    elif not door.unarchive_turns(session, before, undoes=past.change.id):
        raise CannotUndo(
            f"the turns of session {session.id!r} were in the archive until"
            f" {from_micros(before['purge_at']):%Y-%m-%d}"
        )
    Sessions(tx).hide(tenant, session.id, None if Turns(tx).shown(tenant, session.id) else door.now)


SESSION = RecordKind(
    name="session",
    record=Session,
    plural="sessions",
    tables=(Table("sessions"),),
    columns=("origin",),
    texts=("title", "channel", "participants", "metadata"),
    masked_by={"participants": _people},
    scopes=_scopes,
    table=Sessions,
    mask=_mask,
    meant=_meant,
    sees=sees,
    may_undo=may_undo,
    is_lost=lambda tx, past, now: not past.kept,  # the turns that it was of
    revert=_revert,
    exported=_exported,
    fit=_fit,
    load=_load,
)
