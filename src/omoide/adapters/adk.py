"""Memory and session services of Google's Agent Development Kit over a memory.

Both take a memory that is opened for no user in particular: calls name the app and the user. An
app is an agent of the memory, so what one app knows of a user, another does not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from omoide import Details, Hit, InvalidInput, Memory, MissingExtra, Query, Role, Source, Turn
from omoide.adapters.records import NewRecord, Records
from omoide.adapters.talk import Said, SessionTalk, sessions_of
from omoide.adapters.worker import SerialWorker, in_worker

try:
    from google.adk.errors.already_exists_error import AlreadyExistsError
    from google.adk.errors.session_not_found_error import SessionNotFoundError
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.base_session_service import (
        BaseSessionService,
        GetSessionConfig,
        ListSessionsResponse,
    )
    from google.adk.sessions.session import Session
    from google.adk.sessions.state import State
    from google.genai.types import Content, Part
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.adk", "adk") from error

KIND = "adk"
UNKNOWN_SESSION = "events"  # of events that are added without one
ECHOES = 5  # hits beyond the limit, in place of those that only repeat the question


class OmoideMemoryService(BaseMemoryService):
    """Long-term memory of ADK agents: for ``Runner(memory_service=…)`` and the tools
    ``load_memory`` and ``PreloadMemoryTool``.

    ``limit`` is the number of memories that a search returns at most.
    """

    def __init__(self, memory: Memory, *, limit: int = 10) -> None:
        self._memory, self._limit, self._worker = memory, limit, SerialWorker()

    async def add_session_to_memory(self, session: Session) -> None:
        """Log the events of a session that are not logged yet."""
        await self._worker(
            self._add, session.app_name, session.user_id, session.id, list(session.events)
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Log events that are not logged yet."""
        session = session_id or UNKNOWN_SESSION
        await self._worker(self._add, app_name, user_id, session, list(events))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember statements, word for word."""
        memory, common = self._of(app_name, user_id), dict(custom_metadata or {})
        for entry in memories:
            metadata = {**common, **entry.custom_metadata}
            source = Source.USER if entry.author == "user" else Source.TOOL
            details = Details(metadata=metadata, source=source, valid_from=_time(entry.timestamp))
            await self._worker(memory.remember, _words(entry.content), details=details)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Return what answers a query, best first."""
        asked = Query(text=query)
        memory, limit = self._of(app_name, user_id), self._limit + ECHOES
        hits = await self._worker(memory.recall, asked, limit=limit)
        told = [hit for hit in hits if not _echoes(hit, query.strip())]
        return SearchMemoryResponse(memories=[_entry(hit) for hit in told[: self._limit]])

    @in_worker
    def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Forget a memory; adding its session again does not bring it back."""
        if memory_id is None:
            raise InvalidInput("memory_id", "name the memory to delete")
        memory = self._of(app_name, user_id)
        record = memory.get(memory_id)
        memory.forget(memory_id)
        if isinstance(record, Turn) and record.key:
            _state(memory).put(NewRecord(address=("deleted", record.key), value={}, text="deleted"))

    async def list_memories(
        self, *, user_id: str, app_name: str | None = None
    ) -> list[MemoryEntry]:
        """Return the items known of a user in an app, or in no app in particular; latest first."""
        memory = self._memory.at(agent=app_name, user=user_id)
        items = [item for item in await self._worker(memory.items.list) if not item.muted]
        return [
            MemoryEntry(id=item.id, content=_content(item.text), timestamp=_iso(item.valid_from))
            for item in items
        ]

    async def forget(self, *, user_id: str) -> int:
        """Forget all of a user, in every app; return how many records went."""
        receipt = await self._worker(self._memory.users.forget, user_id)
        return sum(receipt.erased.get(kind, 0) for kind in ("items", "turns"))

    async def aclose(self) -> None:
        """Close the memory, once all calls before are done."""
        await self._worker(self._memory.close)

    def _of(self, app_name: str, user_id: str) -> Memory:
        return self._memory.at(agent=app_name, user=user_id)

    def _add(self, app_name: str, user_id: str, session: str, events: list[Event]) -> None:
        memory = self._of(app_name, user_id)
        gone = {record.address[-1] for record in _state(memory).all(("deleted",))}
        said = [_said(e) for e in events if e.content and e.content.parts and e.id not in gone]
        SessionTalk(memory, KIND, session).add(said)


class OmoideSessionService(BaseSessionService):
    """Durable sessions of ADK: every event is a turn of the log.

    State with the prefix ``user:`` belongs to the user in the app, that with ``app:`` to the app;
    that with ``temp:`` is never stored.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory, self._worker = memory, SerialWorker()

    @in_worker
    def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Session:
        """Begin a session; without an id it gets a new one."""
        id = (session_id or "").strip() or self._memory.clock.new_id()
        talk = self._talk(app_name, user_id, id)
        if talk.exists():
            raise AlreadyExistsError(f"Session with id {id} already exists.")
        now = self._memory.clock.now().timestamp()
        session = Session(id=id, app_name=app_name, user_id=user_id, state=state or {})
        kept = session.model_dump(mode="json")["state"]
        own = {name: value for name, value in kept.items() if _place(name) == "session"}
        talk.start({"id": id, "created": now, "state": own})
        self._keep(app_name, user_id, kept)
        made = self._get(app_name, user_id, id, None)
        assert made is not None
        return made

    async def get_session(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str,
        config: GetSessionConfig | None = None,
    ) -> Session | None:
        """Return a session with its events and state, if there is one."""
        return await self._worker(self._get, app_name, user_id, session_id, config)

    async def list_sessions(
        self, *, app_name: str, user_id: str | None = None
    ) -> ListSessionsResponse:
        """Return a user's sessions without events and state, oldest update first."""
        if user_id is None:
            raise InvalidInput("user_id", "name the user; sessions of all users are not listed")
        memory = self._memory.at(agent=app_name, user=user_id)
        found = await self._worker(lambda: list(sessions_of(memory, KIND)))
        sessions = [
            Session(
                id=about["id"],
                app_name=app_name,
                user_id=user_id,
                last_update_time=max(
                    session.last_at.timestamp() if session.last_at else 0.0, about["created"]
                ),
            )
            for session, about in found
            if "id" in about
        ]
        sessions.sort(key=lambda one: (one.last_update_time, one.id))
        return ListSessionsResponse(sessions=sessions)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Forget a session, and what was learnt from it alone."""
        await self._worker(self._talk(app_name, user_id, session_id).clear)

    @in_worker
    def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state of a user in an app, without prefixes."""
        return _held(self._memory.at(agent=app_name, user=user_id), "user")

    async def append_event(self, session: Session, event: Event) -> Event:
        """Log an event and its changes of state; one that is logged already changes nothing."""
        if event.partial:
            return event
        event = await super().append_event(session=session, event=event)
        session.last_update_time = event.timestamp
        await self._worker(self._append, session.app_name, session.user_id, session.id, event)
        return event

    def _talk(self, app_name: str, user_id: str, session_id: str) -> SessionTalk:
        memory = self._memory.at(agent=app_name, user=user_id)
        return SessionTalk(memory, KIND, session_id.strip())

    def _get(
        self, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None
    ) -> Session | None:
        talk = self._talk(app_name, user_id, session_id)
        if not talk.exists():
            return None
        memory = self._memory.at(agent=app_name, user=user_id)
        about = next((a for s, a in sessions_of(memory, KIND) if s.name == talk.name), {})
        events = [Event.model_validate(payload) for _, payload in talk.read() if payload]
        state: dict[str, Any] = dict(about.get("state", {}))
        for event in events:
            delta = (event.actions and event.actions.state_delta) or {}
            state |= {name: value for name, value in delta.items() if _place(name) == "session"}
        everybody = self._memory.at(agent=app_name)
        state |= {State.APP_PREFIX + n: v for n, v in _held(everybody, "app").items()}
        state |= {State.USER_PREFIX + n: v for n, v in _held(memory, "user").items()}
        last = events[-1].timestamp if events else about.get("created", 0.0)
        return Session(
            id=session_id.strip(),
            app_name=app_name,
            user_id=user_id,
            state=state,
            events=_chosen(events, config),
            last_update_time=last,
        )

    def _append(self, app_name: str, user_id: str, session_id: str, event: Event) -> None:
        talk = self._talk(app_name, user_id, session_id)
        if not talk.exists():
            raise SessionNotFoundError(f"Session {session_id} not found.")
        said = _said(event)
        talk.add([said])
        delta = said.payload.get("actions", {}).get("state_delta") or {}
        self._keep(app_name, user_id, delta)

    def _keep(self, app_name: str, user_id: str, delta: Mapping[str, Any]) -> None:
        """Store changes of the app's state and the user's."""
        places = {
            "app": self._memory.at(agent=app_name),
            "user": self._memory.at(agent=app_name, user=user_id),
        }
        for place, memory in places.items():
            changed = {n: v for n, v in delta.items() if _place(n) == place}
            entries = [
                NewRecord(
                    address=(place, name.removeprefix(f"{place}:")),
                    value={"value": value},
                    text=f"{name}: {value}",
                )
                for name, value in changed.items()
            ]
            _state(memory).put(*entries)


def _state(memory: Memory) -> Records:
    return Records(memory, "adk-state", muted=True)


def _held(memory: Memory, place: str) -> dict[str, Any]:
    return {one.address[-1]: one.value["value"] for one in _state(memory).all((place,))}


def _place(name: str) -> str:
    """Whose state it is: the app's, the user's, the session's, or nobody's for long."""
    prefixes = {State.APP_PREFIX: "app", State.USER_PREFIX: "user", State.TEMP_PREFIX: "temp"}
    return next((place for prefix, place in prefixes.items() if name.startswith(prefix)), "session")


def _chosen(events: list[Event], config: GetSessionConfig | None) -> list[Event]:
    if config and config.num_recent_events is not None:
        events = events[-config.num_recent_events :] if config.num_recent_events else []
    if config and config.after_timestamp is not None:
        events = [event for event in events if event.timestamp >= config.after_timestamp]
    return events


def _said(event: Event) -> Said:
    calls = event.get_function_calls() or event.get_function_responses()
    role = (
        Role.USER
        if event.author == "user"
        else Role.TOOL
        if calls
        else Role.ASSISTANT
        if event.content
        else Role.SYSTEM
    )
    return Said(
        payload=event.model_dump(mode="json", exclude_none=True),
        text=_words(event.content),
        role=role,
        speaker=None if role is Role.USER else event.author,
        key=event.id,
        at=datetime.fromtimestamp(event.timestamp, UTC),
    )


def _words(content: Content | None) -> str:
    """What stands in a content: its texts, but no thoughts; calls of tools, and their results."""
    lines = []
    for part in (content and content.parts) or ():
        if part.text and not part.thought:
            lines.append(part.text)
        if part.function_call:
            lines.append(f"{part.function_call.name}({part.function_call.args or {}})")
        if part.function_response:
            lines.append(f"{part.function_response.name}: {part.function_response.response}")
    return "\n".join(lines)


def _echoes(hit: Hit, query: str) -> bool:
    """Whether a hit is the question itself, which was logged as it was asked, or a call with it."""
    called = hit.turn is not None and hit.turn.role is Role.TOOL and query in hit.text
    return called or hit.text.strip() == query


def _entry(hit: Hit) -> MemoryEntry:
    return MemoryEntry(
        id=hit.id,
        content=_content(hit.text),
        author=hit.turn.speaker if hit.turn else None,
        timestamp=_iso(hit.at),
        custom_metadata={"kind": str(hit.kind), "score": hit.score},
    )


def _content(text: str) -> Content:
    return Content(role="user", parts=[Part(text=text)])


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _time(text: str | None) -> datetime | None:
    if not text:
        return None
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.astimezone()


__all__ = ["OmoideMemoryService", "OmoideSessionService"]
