"""Context and history providers of Microsoft's Agent Framework over a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from omoide import Context, Memory, MissingExtra, Role
from omoide.adapters.talk import ROLES, Said, SessionTalk, words_in
from omoide.adapters.worker import SerialWorker

try:
    from agent_framework import ContextProvider, HistoryProvider, Message
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.agent_framework", "agent-framework") from error

KIND = "agent-framework"
SESSION = "default"  # of runs without one


class OmoideContextProvider(ContextProvider):
    """What is known in every run, and every exchange in the log:
    ``Agent(client, context_providers=[OmoideContextProvider(memory=memory.at(user="ana"))])``.

    ``memory`` may be a function of the agent's session, where one agent serves many users. Beside
    an ``OmoideHistoryProvider``, which logs as well, set ``log`` to False.
    """

    def __init__(
        self,
        source_id: str = "omoide",
        *,
        memory: Memory | Callable[[Any], Memory],
        budget: int = 2_000,
        log: bool = True,
    ) -> None:
        super().__init__(source_id)
        self._memory, self._budget, self._log, self._worker = memory, budget, log, SerialWorker()

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: Any) -> None:
        """Put what is known about the input before it."""
        asked = "\n".join(message.text for message in context.input_messages if message.text)
        memory = self._of(session)
        if context.session_id:
            memory = memory.at(session=SessionTalk(memory, KIND, context.session_id).name)
        known: Context = await self._worker(memory.context, asked, budget=self._budget)
        if known.stable:
            context.extend_instructions(self.source_id, known.stable)
        if known.turn:
            context.extend_messages(self, [Message("user", [known.turn])])

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: Any) -> None:
        """Log the input and the response."""
        if not self._log:
            return
        said = [*context.input_messages, *(context.response.messages if context.response else ())]
        talk = SessionTalk(self._of(session), KIND, context.session_id or SESSION)
        await self._worker(talk.add, [_said(message) for message in said])

    def _of(self, session: Any) -> Memory:
        return self._memory if isinstance(self._memory, Memory) else self._memory(session)


class OmoideHistoryProvider(HistoryProvider):
    """Durable history of sessions: every message is a turn of the log.

    ``memory`` may be a function of the session's id, where one agent serves many users.
    """

    def __init__(
        self,
        source_id: str = "omoide-history",
        *,
        memory: Memory | Callable[[str | None], Memory],
        **options: Any,
    ) -> None:
        super().__init__(source_id, **options)
        self._memory, self._worker = memory, SerialWorker()

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        """Return the messages of a session, oldest first."""
        kept = await self._worker(self._read, self._talk(session_id))
        return [Message.from_dict(payload) for payload in kept]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Log messages of a session."""
        talk = self._talk(session_id)
        await self._worker(talk.add, [_said(message) for message in messages])

    async def clear(self, session_id: str | None) -> None:
        """Forget a session, and what was learnt from it alone."""
        await self._worker(self._talk(session_id).clear)

    def _talk(self, session_id: str | None) -> SessionTalk:
        memory = self._memory if isinstance(self._memory, Memory) else self._memory(session_id)
        return SessionTalk(memory, KIND, session_id or SESSION)

    @staticmethod
    def _read(talk: SessionTalk) -> list[dict[str, Any]]:
        return [payload for _, payload in talk.read() if payload] if talk.exists() else []


def _said(message: Message) -> Said:
    payload = message.to_dict()
    role = ROLES.get(str(message.role), Role.ASSISTANT)
    return Said(
        payload=payload,
        text=words_in(payload.get("contents")),
        role=role,
        speaker=None if role is Role.USER else message.author_name,
        key=message.message_id,
    )


__all__ = ["OmoideContextProvider", "OmoideHistoryProvider"]
