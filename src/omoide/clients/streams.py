"""Streams of answers that are listened to: they are what they were, and tell when they end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from omoide.clients.answers import Pieces

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
            self.end()

    def __next__(self) -> Any:
        try:
            piece = next(self._stream)
        except StopIteration:
            self.end()
            raise
        self._pieces.add(piece)
        return piece

    def __enter__(self) -> HeardStream:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        self.end()
        return self._stream.__exit__(*error)

    def close(self) -> None:
        """Close it; what was said so far is told."""
        self.end()
        self._stream.close()

    def end(self) -> None:
        """Tell what was said so far, unless that was done."""
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
            await self.end()

    async def __anext__(self) -> Any:
        try:
            piece = await anext(self._stream)
        except StopAsyncIteration:
            await self.end()
            raise
        self._pieces.add(piece)
        return piece

    async def __aenter__(self) -> AsyncHeardStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        await self.end()
        return await self._stream.__aexit__(*error)

    async def close(self) -> None:
        """Close it; what was said so far is told."""
        await self.end()
        await self._stream.close()

    async def end(self) -> None:
        """Tell what was said so far, unless that was done."""
        if not self._over:
            self._over = True
            await self._told(self._pieces.messages)


class HeardManager:
    """A manager of a stream, for ``with``: it asks when it is entered, and what was said by then is
    told when it is left, for whatever reason.
    """

    def __init__(self, begin: Callable[[], Any], told: Told) -> None:
        self._begin, self._told = begin, told

    def __enter__(self) -> Any:
        self._manager = self._begin()
        stream = self._manager.__enter__()
        self._raw = stream._raw_stream = HeardStream(stream._raw_stream, self._told)
        return stream

    def __exit__(self, *error: Any) -> Any:
        self._raw.end()
        return self._manager.__exit__(*error)


class AsyncHeardManager:
    """The same for asyncio."""

    def __init__(self, begin: Callable[[], Awaitable[Any]], told: ToldLater) -> None:
        self._begin, self._told = begin, told

    async def __aenter__(self) -> Any:
        self._manager = await self._begin()
        stream = await self._manager.__aenter__()
        self._raw = stream._raw_stream = AsyncHeardStream(stream._raw_stream, self._told)
        return stream

    async def __aexit__(self, *error: Any) -> Any:
        await self._raw.end()
        return await self._manager.__aexit__(*error)
