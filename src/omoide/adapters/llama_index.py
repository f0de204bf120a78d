"""A memory block of LlamaIndex over a memory."""

from __future__ import annotations

from typing import Any

from omoide import Memory, MissingExtra, Role
from omoide.adapters.talk import ROLES, Said, SessionTalk
from omoide.adapters.worker import SerialWorker

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.utils import get_tokenizer
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.llama_index", "llama-index") from error

KIND = "llama-index"
SESSION = "default"  # of messages that name none


class OmoideMemoryBlock(BaseMemoryBlock[str]):
    """What is known about the last message of the user, in the prompt:
    ``Memory.from_defaults(memory_blocks=[OmoideMemoryBlock(memory=memory.at(user="ana"))])``.

    Messages that leave the short-term memory are logged, and never lost.
    """

    memory: Memory = Field(description="The memory, bound to a user.")
    name: str = Field(default="omoide", description="The name of the block.")
    priority: int = Field(default=1, description="After which blocks it is shortened.")
    budget: int = Field(default=2_000, description="How many tokens it may have.")

    _worker: SerialWorker = PrivateAttr(default_factory=SerialWorker)
    _asked: str = PrivateAttr(default="")
    _left: int = PrivateAttr(default=0)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Return what is known about the user's last message."""
        said = [m.content or "" for m in messages or () if m.role.value == "user"]
        self._asked, self._left = said[-1] if said else "", self.budget
        content = await self._known()
        self._left = min(self.budget, len(get_tokenizer()(content)))
        return content

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Log messages, each in its session."""
        sessions: dict[str, list[Said]] = {}
        for message in messages:
            session = str(message.additional_kwargs.get("session_id") or SESSION)
            sessions.setdefault(session, []).append(_said(message))
        for session, said in sessions.items():
            await self._worker(SessionTalk(self.memory, KIND, session).add, said)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return less of what is known; whole records go, and no fence breaks."""
        count = get_tokenizer()
        most = len(count(content)) - tokens_to_truncate
        while self._left > 0:
            self._left = int(self._left * 0.8) - 1
            content = await self._known() if self._left > 0 else ""
            if len(count(content)) <= most:
                return content or None
        return None

    async def _known(self) -> str:
        context = await self._worker(self.memory.context, self._asked, budget=self._left)
        return context.text


def _said(message: ChatMessage) -> Said:
    text = message.content or ""
    role = ROLES.get(message.role.value, Role.ASSISTANT)
    return Said(payload={"role": message.role.value, "content": text}, text=text, role=role)


__all__ = ["OmoideMemoryBlock"]
