"""What the product has to know of sessions."""

from __future__ import annotations

from dataclasses import replace

from omoide.nouns.change import Action
from omoide.nouns.kind import Kind
from omoide.nouns.record_kind import RecordKind
from omoide.nouns.scope import Scope
from omoide.nouns.session import Participant, Session
from omoide.store.base import Transaction
from omoide.tables.sessions import Sessions
from omoide.text.secrets.fields import mask_line
from omoide.text.secrets.records import without_secrets
from omoide.write.apply import Door


def _scopes(tx: Transaction, tenant: str, session: Session) -> tuple[Scope, ...]:
    """Where it lives, and the users who take part in it."""
    users = (replace(session.scope, user=user) for user in sorted(session.users))
    return (session.scope, *users)


def _page(tx: Transaction, tenant: str, last: Session | None, limit: int) -> list[Session]:
    return Sessions(tx).after(tenant, last.id if last else "", limit)


def _find(tx: Transaction, tenant: str, id: str) -> Session | None:
    return Sessions(tx).find(tenant, id)


def _mask(tx: Transaction, door: Door, tenant: str, session: Session) -> None:
    locked = Sessions(tx).lock(tenant, session.id)
    if locked is not None:
        Sessions(tx).describe(without_secrets(locked))
        door.note(Action.MASK, Kind.SESSION, locked.id, locked.scope)


def _people(people: tuple[Participant, ...]) -> tuple[Participant, ...]:
    return tuple(replace(one, name=mask_line(one.name)) for one in people)


SESSION = RecordKind(
    name="session",
    record=Session,
    tables=("sessions",),
    texts=("title", "channel", "participants", "metadata"),
    masked_by={"participants": _people},
    scopes=_scopes,
    page=_page,
    find=_find,
    mask=_mask,
)
