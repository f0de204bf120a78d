"""The turns table: the verbatim log, only appended to."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.errors import DamagedRecord, NotFound
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.record import Record
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.nouns.session import Session
from omoide.nouns.turn import LoggedTurn, Mask, Role, Turn
from omoide.store.base import Row
from omoide.tables.columns import (
    asker,
    damage_in,
    exactly,
    micros,
    moment,
    owner,
    pack_masks,
    pack_metadata,
    pack_text,
    scope_of,
    sealed,
    unpack_json,
    unpack_masks,
    unpack_text,
)
from omoide.tables.rows import PAGE, SealedRows

HIDDEN = "\x01"  # stands, with the position, before the key of a hidden turn; no key has it


def turn_id(session: str, position: int) -> TurnId:
    """The id of a turn: its session's id and its position in it."""
    return TurnId(f"{session}#{position}")


def split_turn_id(id: str) -> tuple[SessionId, int]:
    """The session and position that a turn's id names.

    Raises:
        NotFound: it is not the id of a turn.
    """
    session, mark, position = id.rpartition("#")
    if not mark or not position.isascii() or not position.isdigit() or len(position) > 18:
        raise NotFound("turn", id)
    return SessionId(session), int(position)


def turn_place(id: str) -> dict[str, Any]:
    """The columns that a turn's id names.

    Raises:
        NotFound: it is not the id of a turn.
    """
    session, position = split_turn_id(id)
    return {"session_id": session, "position": position}


@frozen_record
class TurnCount(Record):
    """How much log an asker sees, and from when to when."""

    turns: int
    sessions: int
    first_at: datetime | None
    last_at: datetime | None


class Turns(SealedRows[Turn]):
    """Turns as rows, inside the caller's transaction."""

    def add(
        self,
        session: Session,
        turns: Sequence[Turn],
        *,
        origin: str,
        standing: Collection[str] = (),
    ) -> None:
        """Append turns, whose positions were reserved. standing: those with a standing
        instruction.
        """
        scope = session.scope
        shared = len(session.users) > 1
        base = {
            "tenant": scope.tenant,
            "session_id": session.id,
            "user": "" if shared else scope.user or "",
            "agent": scope.agent or "",
            "shared": int(shared),
            "origin": origin,
        }
        self._tx.run(
            "turns.add",
            many=[base | _columns(turn) | {"standing": int(turn.id in standing)} for turn in turns],
        )

    def with_keys(self, tenant: str, session: str, keys: Iterable[str]) -> dict[str, Turn]:
        """The turns of a session that these idempotency keys stand for already, by key."""
        listed = json.dumps(list(keys))
        rows = self._tx.rows("turns.with_keys", tenant=tenant, session_id=session, keys=listed)
        return {row["key"]: _turn(row) for row in rows}

    def held_beside(
        self, scope: Scope, session: str, channel: str, keys: Iterable[str], since: datetime
    ) -> frozenset[str]:
        """Which of these keys stand in other sessions of the scope's user and agent, of a channel,
        that went on until a time or longer.
        """
        held = self._column(
            "key",
            "turns.held_beside",
            **owner(scope),
            session_id=session,
            channel=channel,
            keys=json.dumps(list(keys)),
            since=to_micros(since),
        )
        return frozenset(held)

    def get(self, scope: Scope, id: str) -> Turn | None:
        """The turn, if this asker may see it.

        Raises:
            DamagedRecord: its text is damaged.
        """
        return self._one_shown("turns.get", **asker(scope), **turn_place(id))

    def find(self, tenant: str, id: str) -> Turn | None:
        """The turn, whoever asks: for the write path."""
        return self._first("turns.raw", tenant=tenant, **turn_place(id))

    def found(self, tenant: str, ids: Iterable[str]) -> dict[str, Turn]:
        """Those of the turns that are there, by id, whoever asks: for the write path."""
        places = json.dumps([split_turn_id(id) for id in ids])
        turns = self._found("turns.raw_many", tenant=tenant, ids=places)
        return {turn.id: turn for turn in turns}

    def many(self, scope: Scope, ids: Iterable[str]) -> dict[str, Turn]:
        """Those of the turns that this asker may see, by id."""
        places = json.dumps([split_turn_id(id) for id in ids])
        return {turn.id: turn for turn in self._shown("turns.many", **asker(scope), ids=places)}

    def of_session(
        self, scope: Scope, session: str, *, first: int = 0, limit: int = 1_000_000
    ) -> list[Turn]:
        """The turns of a session that this asker may see, in order."""
        return self._shown(
            "turns.of_session", **asker(scope), session_id=session, first=first, limit=limit
        )

    def window(self, scope: Scope, session: str, count: int) -> list[Turn]:
        """The last user turns of a session, so many, with all that follows the first of them;
        without messages that were edited since.
        """
        rows = self._tx.rows("turns.window", **asker(scope), session_id=session, before=count - 1)
        turns = self.of_session(scope, session, first=rows[0]["position"] if rows else 0)
        return [turn for turn in turns if not turn.replaced]

    def shown_from(self, tenant: str, session: str, first: int, limit: int) -> list[Turn]:
        """The turns of a session from a position on that were neither undone nor edited since, in
        order, whoever asks: to be learnt from, so without damaged ones.
        """
        return self._shown(
            "turns.shown_from", tenant=tenant, session_id=session, first=first, limit=limit
        )

    def versions(self, tenant: str, session: str, key: str) -> list[Turn]:
        """The turns of a session that have a key, or one made of it with a time after an @."""
        return self._found("turns.versions", tenant=tenant, session_id=session, key=key)

    def set_replaced(self, tenant: str, turn: Turn, replaced: bool) -> None:
        """Note that a turn's message was edited since, or not."""
        self._tx.run(
            "turns.replace",
            tenant=tenant,
            session_id=turn.session,
            position=turn.position,
            replaced=int(replaced),
        )

    def all_of_session(self, tenant: str, session: str) -> list[Turn]:
        """Every turn of a session in order, whoever asks."""
        return self._found("turns.all_of_session", tenant=tenant, session_id=session)

    def stretch(self, tenant: str, session: str, first: int, count: int) -> list[Turn]:
        """So many turns of a session from a position on, as far as they are there, in order,
        whoever asks.
        """
        return self._found(
            "turns.stretch",
            tenant=tenant,
            session_id=session,
            first=first,
            until=first + count,
        )

    def standing(self, scope: Scope, *, known: datetime, limit: int) -> list[Turn]:
        """The user's turns with a standing instruction, as known at a time, the newest first."""
        values = {"known": to_micros(known), "limit": limit}
        return self._shown("turns.standing", **exactly(scope), **values)

    def stand_no_more(self, tenant: str, id: str) -> None:
        """Let what a turn asks for never stand in every prompt again, as it was forgotten."""
        self._tx.run("turns.stand_no_more", tenant=tenant, **turn_place(id))

    def set_standing(self, tenant: str, turn: Turn, standing: bool) -> bool:
        """Note whether a turn has a standing instruction; whether that was noted otherwise."""
        return bool(
            self._tx.run(
                "turns.set_standing",
                tenant=tenant,
                session_id=turn.session,
                position=turn.position,
                standing=int(standing),
            )
        )

    def recent(self, scope: Scope, since: datetime, limit: int) -> list[Turn]:
        """The asker's turns since a time, oldest first."""
        return self._shown("turns.recent", **asker(scope), since=to_micros(since), limit=limit)

    def _read(self, rows: list[Row]) -> list[Turn]:
        return [_turn(row) for row in rows]

    def _damage(self, row: Row) -> DamagedRecord | None:
        return damage_in("turn", _id_of(row), row)

    def damaged(self, tenant: str) -> Iterator[str]:
        """The ids of a tenant's turns whose text is not the one that was stored."""
        session, position = "", -1
        place: dict[str, Any] = {"tenant": tenant, "limit": PAGE}
        while rows := self._tx.rows("turns.after", **place, session_id=session, position=position):
            yield from (damage.id for damage in self._damages(rows))
            session, position = rows[-1]["session_id"], rows[-1]["position"]

    def of_user(self, tenant: str, user: str) -> list[Turn]:
        """Every turn of one user's own sessions, in order."""
        return self._found("turns.of_user", tenant=tenant, user=user)

    def by_author(self, tenant: str, user: str) -> list[Turn]:
        """Every turn this user spoke in shared sessions."""
        return self._found("turns.by_author", tenant=tenant, user=user)

    def of_origin(self, tenant: str, origin: str) -> list[Turn]:
        """Every turn that one import or document brought."""
        return self._found("turns.of_origin", tenant=tenant, origin=origin)

    def after(self, tenant: str, session: str, position: int, limit: int) -> list[Turn]:
        """The turns of a tenant that follow one by session and position: a walk through all of
        them.
        """
        return self._found(
            "turns.after", tenant=tenant, session_id=session, position=position, limit=limit
        )

    def hidden(self, tenant: str, turn: Turn) -> bool:
        """Whether it was taken out of recall."""
        return any(row["hidden_at"] is not None for row in self._raw(tenant, turn))

    def _raw(self, tenant: str, turn: Turn) -> list[Row]:
        place = {"session_id": turn.session, "position": turn.position}
        return self._tx.rows("turns.raw", tenant=tenant, **place)

    def home(self, tenant: str, turn: Turn) -> tuple[Scope, bool]:
        """The scope a turn was logged in, and whether it is seen from within its session only."""
        return _home(self._raw(tenant, turn)[0])

    def logged(self, tenant: str, turn: Turn) -> LoggedTurn:
        """A turn as the archive holds it."""
        row = self._raw(tenant, turn)[0]
        scope, shared = _home(row)
        return LoggedTurn(
            turn=turn,
            scope=scope,
            shared=shared,
            hidden=row["hidden_at"] is not None,
            instruction_forgotten=row["standing"] < 0,
        )

    def mask(self, tenant: str, id: str, text: str, masks: Sequence[Mask]) -> None:
        """Replace the text by the same text with its secrets masked."""
        packed, escaped = pack_text(text)
        self._tx.run(
            "turns.rewrite",
            tenant=tenant,
            **turn_place(id),
            text=packed,
            escaped=sealed(escaped, packed),
            masks=pack_masks(masks),
        )

    def relabel(self, tenant: str, turn: Turn) -> None:
        """Write speaker, metadata and key of a turn."""
        about = {
            name: value
            for name, value in _columns(turn).items()
            if name in ("speaker", "metadata", "key", "position")
        }
        self._tx.run("turns.relabel", tenant=tenant, session_id=turn.session, mark=HIDDEN, **about)

    def hide(self, tenant: str, session: str, first: int, end: int, at: datetime | None) -> int:
        """Take the turns from first up to end out of recall, or with None bring them back."""
        return self._tx.run(
            "turns.hide",
            tenant=tenant,
            session_id=session,
            first=first,
            end=end,
            at=micros(at),
            mark=HIDDEN,
        )

    def archive(
        self, tenant: str, session: str, first: int, end: int, *, at: datetime, purge_at: datetime
    ) -> set[int]:
        """Take the turns from first up to end out of recall, until they are erased at a time;
        which, by their positions.
        """
        values = {
            "first": first,
            "end": end,
            "at": to_micros(at),
            "purge_at": to_micros(purge_at),
            "mark": HIDDEN,
        }
        return set(
            self._column("position", "turns.archive", tenant=tenant, session_id=session, **values)
        )

    def unarchive(self, tenant: str, session: str, first: int, end: int) -> set[int]:
        """Bring those of the turns from first up to end back that are archived; which, by their
        positions.
        """
        values = {"session_id": session, "first": first, "end": end, "mark": HIDDEN}
        return set(self._column("position", "turns.unarchive", tenant=tenant, **values))

    def to_purge(self, tenant: str, now: datetime, limit: int) -> list[Turn]:
        """Archived turns whose time is over."""
        return self._found("turns.to_purge", tenant=tenant, now=to_micros(now), limit=limit)

    def purge(self, tenant: str, turn: Turn) -> None:
        """Erase what was said in an archived turn; that it was said stays."""
        self._tx.run("turns.purge", tenant=tenant, session_id=turn.session, position=turn.position)

    def purged(self, tenant: str, turn: Turn) -> bool:
        """Whether what was said in it was erased when its time in the archive was over."""
        return any(row["purge_at"] == 0 for row in self._raw(tenant, turn))

    def shown(self, tenant: str, session: str) -> int:
        """How many turns of a session are not hidden."""
        return self._total("turns.shown", tenant=tenant, session_id=session)

    def forget(self, tenant: str, id: str) -> int:
        """Erase the turn."""
        return self._tx.run("turns.forget", tenant=tenant, **turn_place(id))

    def count(self, scope: Scope) -> TurnCount:
        """How much log this asker sees."""
        row = self._tx.rows("turns.count", **asker(scope))[0]
        return TurnCount(
            turns=row["turns"],
            sessions=row["sessions"],
            first_at=moment(row["first_at"]),
            last_at=moment(row["last_at"]),
        )


def _columns(turn: Turn) -> dict[str, Any]:
    text, escaped = pack_text(turn.text)
    offset = turn.at.utcoffset() or timedelta()
    return {
        "position": turn.position,
        "author": turn.user or "",
        "role": turn.role.value,
        "speaker": turn.speaker,
        "text": text,
        "escaped": sealed(escaped, text),
        "at": to_micros(turn.at),
        "offset_s": int(offset.total_seconds()),
        "recorded_at": to_micros(turn.recorded_at),
        "key": turn.key or "",
        "metadata": pack_metadata(turn.metadata),
        "masks": pack_masks(turn.masks) if turn.masks else "[]",
    }


def _home(row: Row) -> tuple[Scope, bool]:
    return scope_of(row["tenant"], row["agent"], row["user_id"]), bool(row["shared"])


def _id_of(row: Row) -> TurnId:
    return turn_id(row["session_id"], row["position"])


def _turn(row: Row) -> Turn:
    zone = timezone(timedelta(seconds=row["offset_s"])) if row["offset_s"] else UTC
    return Turn(
        id=_id_of(row),
        session=SessionId(row["session_id"]),
        position=row["position"],
        role=Role(row["role"]),
        speaker=row["speaker"],
        user=row["author"] or None,
        text=unpack_text(row["text"], row["escaped"] & 1),
        at=from_micros(row["at"]).astimezone(zone),
        recorded_at=from_micros(row["recorded_at"]),
        key=(row["key"] if row["hidden_at"] is None else row["key"].partition(":")[2]) or None,
        metadata=unpack_json(row["metadata"], {}),
        masks=unpack_masks(row["masks"]),
        replaced=bool(row["replaced"]),
    )
