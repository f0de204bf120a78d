"""A session of the OpenAI Agents SDK over a memory. It needs nothing of the SDK itself."""

from __future__ import annotations

from typing import Any

from omoide import Memory
from omoide.adapters.talk import Said, SessionTalk, role_of, words_in
from omoide.adapters.worker import SerialWorker

KIND = "openai-agents"


class OmoideSession:
    """The history of one conversation: ``Runner.run(agent, text, session=OmoideSession(…))``.

    Every item is a turn of the log, so recall finds it, and the memory learns from it. The session
    belongs to the memory's owner: another user's session of the same id is another session.
    """

    def __init__(self, session_id: str, memory: Memory, *, session_settings: Any = None) -> None:
        self.session_id, self.session_settings = session_id, session_settings
        self._talk, self._worker = SessionTalk(memory, KIND, session_id), SerialWorker()

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Return the latest items, oldest first; all of them where no limit is set."""
        if limit is None:
            limit = _limit_of(self.session_settings)
        items = await self._worker(self._items)
        return items if limit is None else items[-limit:] if limit > 0 else []

    async def add_items(self, items: list[Any]) -> None:
        """Log items: all of them, or none."""
        said = [
            Said(payload=item, text=words_in(item), role=role_of(item), speaker=item.get("name"))
            for item in map(_plain, items)
        ]
        await self._worker(self._talk.add, said)

    async def pop_item(self) -> Any | None:
        """Forget the latest item, and return it."""
        return await self._worker(self._talk.pop)

    async def clear_session(self) -> None:
        """Forget all items, and what was learnt from them alone."""
        await self._worker(self._talk.clear)

    def _items(self) -> list[Any]:
        kept = self._talk.read() if self._talk.exists() else []
        return [payload for _, payload in kept if payload is not None]


def _plain(item: Any) -> dict[str, Any]:
    return item.model_dump(exclude_unset=True) if hasattr(item, "model_dump") else dict(item)


def _limit_of(settings: Any) -> int | None:
    return settings.get("limit") if isinstance(settings, dict) else getattr(settings, "limit", None)


__all__ = ["OmoideSession"]
