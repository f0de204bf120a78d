"""What the product has to know of sessions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from omoide.nouns.access import may_take_back, owns, takes_part
from omoide.nouns.change import Action
from omoide.nouns.clock import check_moment
from omoide.nouns.ids import SessionId
from omoide.nouns.kind import Kind
from omoide.nouns.receipt import Target
from omoide.nouns.record_kind import RecordKind, Table
from omoide.nouns.scope import Scope
from omoide.nouns.session import Participant, Session
from omoide.store.base import Transaction
from omoide.tables.documents import Documents
from omoide.tables.sessions import Sessions
from omoide.tables.turns import Turns
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door
from omoide.write.checks import as_line, check_id, check_metadata


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
        title=as_line(session.title, "title"),
        channel=as_line(session.channel, "channel"),
        participants=tuple(people),
        metadata=check_metadata(session.metadata),
    )


def _load(tx: Transaction, door: Door, session: Session, told: Container[str]) -> Mapping[str, int]:
    return {"session": int(Sessions(tx).add(session, origin="", at=door.now))}


def _people(people: tuple[Participant, ...]) -> tuple[Participant, ...]:
    return tuple(replace(one, name=mask_line(one.name)) for one in people)


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
    exported=_exported,
    fit=_fit,
    load=_load,
)
