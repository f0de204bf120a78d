"""The sessions table: conversations, who takes part, and whose they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from omoide.nouns.access import owns, takes_part
from omoide.nouns.clock import to_micros
from omoide.nouns.ids import SessionId
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session, kept_name, session_id
from omoide.nouns.turn import Turn
from omoide.settings.triggers import weight_of
from omoide.store.base import Row
from omoide.tables.columns import (
    asker,
    micros,
    moment,
    pack_metadata,
    pack_participants,
    unpack_json,
    unpack_participants,
)
from omoide.tables.jobs import EXTRACT_JOB
from omoide.tables.rows import Rows


@frozen_record
class SessionPreview(Record):
    """A session in a listing, with the start of the first thing a user said in it."""

    session: Session
    preview: str


@frozen_record
class Reserved:
    """Positions taken for new turns: the first of them; and all the turns, with their weight, that
    nothing was learnt from yet.
    """

    first: int
    waiting: int
    weight: int


@frozen_record
class Unlearnt(Record):
    """A session, with how many of its turns nothing was learnt from yet, and what these weigh."""

    session: Session
    turns: int
    weight: int


class Sessions(Rows):
    """Sessions as rows, inside the caller's transaction."""

    def add(self, session: Session, *, origin: str, at: datetime) -> bool:
        """Begin a session; False if there is one of this id already."""
        values = _columns(session) | {
            "context": session.scope.context,
            "origin": origin,
            "recorded_at": to_micros(at),
        }
        return bool(self._tx.run("sessions.add", **values))

    def find(self, tenant: str, id: str) -> Session | None:
        """The session, whoever asks: for the write path."""
        return self._one(_session, "sessions.get", tenant=tenant, id=id)

    def within(self, scope: Scope) -> Session | None:
        """The session that a scope is in, if it names one that is there."""
        return self.find(scope.tenant, scope.session) if scope.session else None

    def named(self, scope: Scope, name: str, users: Collection[str] = ()) -> SessionId:
        """The id of the session that the asker calls by a name: their own, else one that they take
        part in, else one of no user that has it for its id; of a new one, the id it will have.

        users: for whom a program asks that names no user.
        """
        askers = [scope.of_user(user) for user in users] if not scope.user and users else [scope]
        values = {"tenant": scope.tenant, "name": kept_name(name), "id": name}
        found = [
            one
            for one in self._all(_session, "sessions.named", **values)
            if any(takes_part(asker, one) for asker in askers)
            or (owns(scope, one) and (one.owner == scope.user or one.id == name))
        ]
        if found:
            return min(found, key=lambda one: (one.owner != scope.user, one.id == name)).id
        owner = askers[0].user if len(askers) == 1 else scope.user
        return session_id(name, user=owner, agent=scope.agent)

    def teaches(self, tenant: str, id: str) -> bool | None:
        """Whether it is neither private nor of several users nor undone; None if there is none."""
        rows = self._tx.rows("sessions.teaches", tenant=tenant, id=id)
        return bool(rows[0]["teaches"]) if rows else None

    def lock(self, tenant: str, id: str) -> Session | None:
        """The session, with other writers to it made to wait; None if it is gone."""
        return self._one(_session, "sessions.lock", tenant=tenant, id=id)

    def visible(self, scope: Scope, id: str) -> Session | None:
        """The session as this asker may see it."""
        return self._one(_session, "sessions.visible", **asker(scope), id=id)

    def describe(self, session: Session) -> None:
        """Set its title, channel, privacy, participants and, by these, whose it is."""
        values = _columns(session)
        del values["agent"], values["name"]
        self._tx.run("sessions.describe", **values)

    def reserve(self, session: Session, turns: Sequence[Turn]) -> Reserved:
        """Take positions for turns that nothing was learnt from yet."""
        times = [turn.at for turn in turns]
        row = self._tx.rows(
            "sessions.reserve",
            tenant=session.scope.tenant,
            id=session.id,
            count=len(turns),
            weight=weight_of(turns),
            first_at=micros(min(times)),
            last_at=micros(max(times)),
        )[0]
        return Reserved(
            first=int(row["next_position"]) - len(turns),
            waiting=row["waiting"],
            weight=row["weight"],
        )

    def standing(self, tenant: str, id: str) -> tuple[Session, int] | None:
        """The session, whoever asks, and the position of the first turn that nothing was learnt
        from yet.
        """
        rows = self._tx.rows("sessions.get", tenant=tenant, id=id)
        return (_session(rows[0]), rows[0]["extracted_to"]) if rows else None

    def extract(self, tenant: str, id: str, *, stood: int, turns: Sequence[Turn]) -> Session | None:
        """Count it as learnt from these turns, and hold it; the session as it is now, None if it
        does not stand where it stood then.
        """
        new = [turn for turn in turns if turn.position >= stood]
        end, weight = turns[-1].position + 1, weight_of(new)
        return self._one(
            _session,
            "sessions.extract",
            tenant=tenant,
            id=id,
            stood=stood,
            end=end,
            turns=len(new),
            weight=weight,
        )

    def unlearnt(
        self,
        tenant: str,
        *,
        after: datetime | None,
        before: datetime,
        recorded: datetime | None,
        user: str | None,
        limit: int,
    ) -> list[Unlearnt]:
        """Sessions in no line that nothing was learnt from to their end, private and undone ones
        aside, the fullest first.

        Those whose last turn was said in a time (``after`` None: from the first on), with one that
        was recorded from a time on (None: from the first on), a user's ("": nobody's), or with None
        everybody's.
        """
        values = {
            "after": micros(after),
            "before": to_micros(before),
            "recorded": micros(recorded),
            "user": user,
            "job": f"{EXTRACT_JOB}:",
            "limit": limit,
        }
        rows = self._tx.rows("sessions.unlearnt", tenant=tenant, **values)
        return [
            Unlearnt(session=_session(row), turns=row["waiting"], weight=row["weight"])
            for row in rows
        ]

    def reflected_to(self, tenant: str, id: str) -> tuple[int, int]:
        """The positions up to which reflections were formed from a session, and up to which it was
        learnt from.
        """
        rows = self._tx.rows("sessions.reflected_to", tenant=tenant, id=id)
        return (int(rows[0]["reflected_to"]), int(rows[0]["extracted_to"])) if rows else (0, 0)

    def reflect(self, tenant: str, id: str, *, stood: int, end: int) -> bool:
        """Count it as reflected on up to a position, if it stands where it stood when its turns
        were read; else False.
        """
        return bool(self._tx.run("sessions.reflect", tenant=tenant, id=id, stood=stood, end=end))

    def to_distil(
        self, tenant: str, *, before: datetime, least: int, limit: int
    ) -> list[tuple[Session, int]]:
        """Sessions at rest since a time, private ones aside, with so many turns that are in no
        summary yet, and the first of these.
        """
        values = {"before": to_micros(before), "least": least, "limit": limit}
        return [
            (_session(row), row["distilled_to"])
            for row in self._tx.rows("sessions.to_distil", tenant=tenant, **values)
        ]

    def distil(self, tenant: str, id: str, *, stood: int, end: int) -> bool:
        """Count its turns up to a position as summed up, if it stands where it stood when they were
        read; else False.
        """
        return bool(self._tx.run("sessions.distil", tenant=tenant, id=id, stood=stood, end=end))

    def to_prune(self, tenant: str, *, before: datetime, least: int, limit: int) -> list[Session]:
        """Sessions at rest since a time that hold nothing that was not learnt from; nor as many
        turns as this in no summary.
        """
        values = {"before": to_micros(before), "least": least, "limit": limit}
        return self._all(_session, "sessions.to_prune", tenant=tenant, **values)

    def resting(self, tenant: str, before: datetime) -> int:
        """How many sessions are at rest since a time and not pruned."""
        return self._total("sessions.resting", tenant=tenant, before=to_micros(before))

    def reach(self, session: Session, position: int, at: datetime) -> None:
        """Let the next position be no lower than one, and the session's time span include one."""
        self._tx.run(
            "sessions.reach",
            tenant=session.scope.tenant,
            id=session.id,
            position=position,
            at=to_micros(at),
        )

    def hide(self, tenant: str, id: str, at: datetime | None) -> None:
        """Take it out of recall, or with None bring it back."""
        self._tx.run("sessions.hide", tenant=tenant, id=id, at=micros(at))

    def page(self, scope: Scope, limit: int, offset: int = 0) -> list[SessionPreview]:
        """The asker's sessions, latest first."""
        rows = self._tx.rows("sessions.list", **asker(scope), limit=limit, offset=offset)
        return [SessionPreview(session=_session(row), preview=row["preview"] or "") for row in rows]

    def of_user(self, tenant: str, user: str) -> list[Session]:
        """Every session that is this user's alone."""
        return self._all(_session, "sessions.of_user", tenant=tenant, user=user)

    def of_origin(self, tenant: str, origin: str) -> list[Session]:
        """Every session that one import made."""
        return self._all(_session, "sessions.of_origin", tenant=tenant, origin=origin)

    def shared(self, tenant: str) -> list[Session]:
        """The sessions that several users take part in."""
        return self._all(_session, "sessions.shared", tenant=tenant)

    def after(self, tenant: str, id: str, limit: int) -> list[Session]:
        """The sessions of a tenant whose ids follow one, in order: a walk through all of them."""
        return self._all(_session, "sessions.after", tenant=tenant, after=id, limit=limit)

    def shorten(self, tenant: str, id: str, gone: Sequence[Turn]) -> None:
        """Let it be of the turns that are left: how much waits to be learnt from, when it was,
        whose origin, and whether it is seen.
        """
        _, stood = self.standing(tenant, id) or (None, 0)
        new = [turn for turn in gone if turn.position >= stood]
        self._tx.run(
            "sessions.shorten", tenant=tenant, id=id, count=len(new), weight=weight_of(new)
        )

    def forget(self, tenant: str, id: str) -> int:
        """Erase the row."""
        return self._tx.run("sessions.forget", tenant=tenant, id=id)


def _columns(session: Session) -> dict[str, Any]:
    shared = len(session.users) > 1
    return {
        "tenant": session.scope.tenant,
        "id": session.id,
        "name": session.name or session.id,
        "user": (session.owner if shared else session.scope.user) or "",
        "agent": session.scope.agent or "",
        "shared": int(shared),
        "private": int(session.private),
        "title": session.title,
        "channel": session.channel,
        "participants": pack_participants(session.participants),
        "metadata": pack_metadata(session.metadata),
    }


def _session(row: Row) -> Session:
    shared, owner = bool(row["shared"]), row["user_id"] or None
    return Session(
        id=SessionId(row["id"]),
        name=row["name"],
        scope=Scope(
            tenant=row["tenant"],
            agent=row["agent"] or None,
            user=None if shared else owner,
            session=row["id"] if shared else None,
            context=row["context"],
        ),
        owner=owner,
        title=row["title"],
        channel=row["channel"],
        participants=unpack_participants(row["participants"]),
        private=bool(row["private"]),
        started_at=moment(row["started_at"]),
        last_at=moment(row["last_at"]),
        turns=row.get("turns", row["next_position"]),
        metadata=unpack_json(row["metadata"], {}),
    )
