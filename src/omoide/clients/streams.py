"""Streams of answers that are listened to: they are what they were, and tell when they end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any

from omoide.clients.answers import Pieces, messages_in

Told = Callable[[list[Any]], None]
ToldLater = Callable[[list[Any]], Awaitable[None]]


class HeardStream:
    """A stream of pieces; what it gave is told once, when it ends or is closed."""

    def __init__(self, stream: Any, told: Told) -> None:
        self._stream, self._told, self._pieces, self._over = stream, told, Pieces(), False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        try:
            for piece in self._stream:
                self._pieces.add(piece)
                yield piece
        finally:
            self._end()

    def __next__(self) -> Any:
        try:
            piece = next(self._stream)
        except StopIteration:
            self._end()
            raise
        self._pieces.add(piece)
        return piece

    def __enter__(self) -> HeardStream:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        self._end()
        return self._stream.__exit__(*error)

    def close(self) -> None:
        """Close it; what was said so far is told."""
        self._end()
        self._stream.close()

    def _end(self) -> None:
        if not self._over:
            self._over = True
            self._told(self._pieces.messages)


class AsyncHeardStream:
    """The same for asyncio."""

    def __init__(self, stream: Any, told: ToldLater) -> None:
        self._stream, self._told, self._pieces, self._over = stream, told, Pieces(), False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            async for piece in self._stream:
                self._pieces.add(piece)
                yield piece
        finally:
            await self._end()

    async def __aenter__(self) -> AsyncHeardStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        await self._end()
        return await self._stream.__aexit__(*error)

    async def close(self) -> None:
        """Close it; what was said so far is told."""
        await self._end()
        await self._stream.close()

    async def _end(self) -> None:
        if not self._over:
            self._over = True
            await self._told(self._pieces.messages)


class HeardManager:
    """A manager of a stream, for ``with``: it asks when it is entered, and what was said is told
    when it is left.
    """

    def __init__(self, begin: Callable[[], Any], told: Told) -> None:
        self._begin, self._told = begin, told

    def __enter__(self) -> Any:
        self._manager = self._begin()
        self._stream = self._manager.__enter__()
        return self._stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        final = None
        if kind is None:
            final = _snapshot(self._stream) or self._stream.get_final_response()
        self._told([] if final is None else messages_in(final))
        return self._manager.__exit__(kind, error, trace)


class AsyncHeardManager:
    """The same for asyncio."""

    def __init__(self, begin: Callable[[], Awaitable[Any]], told: ToldLater) -> None:
        self._begin, self._told = begin, told

    async def __aenter__(self) -> Any:
        self._manager = await self._begin()
        self._stream = await self._manager.__aenter__()
        return self._stream

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Any:
        final = None
        if kind is None:
            final = _snapshot(self._stream) or await self._stream.get_final_response()
        await self._told([] if final is None else messages_in(final))
        return await self._manager.__aexit__(kind, error, trace)


def _snapshot(stream: Any) -> Any:
    """What a stream has put together so far; None where it keeps nothing."""
    for name in ("current_message_snapshot", "current_completion_snapshot"):
        if hasattr(type(stream), name):
            return getattr(stream, name)
    return None
