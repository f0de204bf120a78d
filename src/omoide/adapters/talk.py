"""Sessions whose messages come back exactly as a framework gave them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b
from typing import Any

from omoide import Conversation, Memory, Message, NotFound, Role, Session, Turn
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.frozen import frozen_record

NAME_LIMIT = 200  # characters of a session's name
INLINE_LIMIT, INLINE_DEPTH = 12_000, 6  # of a message that metadata holds
PAGE = 1_000

ROLES: Mapping[str, Role] = {
    **{role.value: role for role in Role},
    "model": Role.ASSISTANT,
    "developer": Role.SYSTEM,
    "function": Role.TOOL,
}


@frozen_record
class Said:
    """A message to be logged: its JSON as the framework has it, and its words."""

    payload: Mapping[str, Any]
    text: str
    role: Role = Role.USER
    speaker: str | None = None
    key: str | None = None  # one of a key that the session holds already is not logged again
    at: datetime | None = None


class SessionTalk:
    """The messages of one session, each a turn of the log. Two owners may use one name.

    Secrets in messages are masked. Where that breaks a message too large for a turn's metadata,
    the message comes back without its payload.
    """

    def __init__(self, memory: Memory, kind: str, session: str) -> None:
        self.name = _short(session)
        self._memory, self._kind = memory.at(session=self.name), kind

    def start(self, about: Mapping[str, Any] | None = None) -> None:
        """Begin the session, with what is noted of it."""
        self._log((), about or {})

    def add(self, messages: Sequence[Said]) -> None:
        """Log messages: all of them, or none."""
        if messages:
            self._log([self._message(said) for said in messages], {})

    def read(self) -> list[tuple[Turn, dict[str, Any] | None]]:
        """Return each turn with its payload, oldest first; of an edited message its latest version,
        in the place of the first.

        Raises:
            NotFound: there is no such session.
        """
        turns = self._memory.sessions.turns(self.name, limit=1_000_000)
        places = {turn.key: turn.position for turn in turns if turn.key}
        shown = [turn for turn in turns if not turn.replaced]
        shown.sort(key=lambda turn: places.get(str(turn.metadata.get("replaces")), turn.position))
        return [(turn, self._payload(turn)) for turn in shown]

    def recent(self, turns: int) -> list[tuple[Turn, dict[str, Any] | None]]:
        """Return the last turns of the user, so many, and all that follows the first of them, each
        with its payload; nothing where the session was never begun.
        """
        window = self._memory.sessions.window(self.name, turns=turns)
        return [(turn, self._payload(turn)) for turn in window]

    def exists(self) -> bool:
        """Whether the session was begun."""
        try:
            self._memory.sessions.turns(self.name, limit=1)
        except NotFound:
            return False
        return True

    def pop(self) -> dict[str, Any] | None:
        """Forget the last message, and return it."""
        kept = self.read() if self.exists() else []
        if not kept:
            return None
        turn, payload = kept[-1]
        self._memory.forget(turn.id)
        return payload

    def clear(self) -> None:
        """Forget the session with all that was learnt from it alone."""
        with suppress(NotFound):
            self._memory.sessions.forget(self.name)

    def _log(self, messages: Sequence[Message], about: Mapping[str, Any]) -> None:
        self._memory.ingest(
            Conversation(
                id=self.name,
                messages=tuple(messages),
                channel=self._kind,
                metadata={self._kind: dict(about)} if about else {},
            )
        )

    def _message(self, said: Said) -> Message:
        packed = json.dumps(said.payload, ensure_ascii=False, allow_nan=False)
        inline = len(packed) <= INLINE_LIMIT and depth(said.payload) <= INLINE_DEPTH
        return Message(
            text=(said.text.strip() and said.text) or f"[{self._kind}]" if inline else packed,
            role=said.role,
            speaker=said.speaker,
            key=said.key,
            at=said.at,
            metadata={self._kind: dict(said.payload) if inline else None},
        )

    def _payload(self, turn: Turn) -> dict[str, Any] | None:
        kept = turn.metadata.get(self._kind)
        if kept is None:
            try:
                kept = parse_json(turn.text)
            except ValueError:  # a secret was masked, or another door logged it
                return None
        return kept if isinstance(kept, dict) else None


def sessions_of(memory: Memory, kind: str) -> Iterator[tuple[Session, dict[str, Any]]]:
    """The owner's sessions of a kind, latest first, each with what was noted of it."""
    for number in range(1_000_000):
        page = memory.sessions.list(limit=PAGE, offset=number * PAGE)
        for preview in page:
            about = preview.session.metadata.get(kind)
            if preview.session.channel == kind and isinstance(about, dict):
                yield preview.session, about
        if len(page) < PAGE:
            return


def _short(session: str) -> str:
    """The name of a session, with a digest in place of its end if it is too long to be one."""
    if len(session) <= NAME_LIMIT:
        return session
    return f"{session[:NAME_LIMIT]}#{blake2b(session.encode(), digest_size=6).hexdigest()}"


def depth(value: Any) -> int:
    """How deep JSON is nested: 0 for a plain value."""
    if not isinstance(value, Mapping | list | tuple):
        return 0
    inner: Iterable[Any] = value.values() if isinstance(value, Mapping) else value
    return 1 + max(map(depth, inner), default=0)


def words_in(value: Any) -> str:
    """The words of a message's content: a text, blocks with texts, or calls of tools and their
    results.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "\n".join(filter(None, map(words_in, value)))
    if not isinstance(value, Mapping):
        return ""
    if "name" in value and ("arguments" in value or "input" in value):
        return f"{value['name']}({value.get('arguments', value.get('input'))})"
    places = ("text", "content", "output", "refusal", "transcript", "summary")
    return "\n".join(filter(None, (words_in(value.get(place)) for place in places)))


def role_of(message: Mapping[str, Any]) -> Role:
    """Who speaks in a message of an OpenAI-like shape; calls of tools and their results are a
    tool's.
    """
    if "role" not in message:
        return Role.TOOL if "call" in str(message.get("type", "")) else Role.ASSISTANT
    return ROLES.get(str(message["role"]), Role.ASSISTANT)
