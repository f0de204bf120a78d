"""Memory for agents of pydantic-ai: a capability, a toolset, and files for its notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from omoide import Memory, MissingExtra
from omoide.adapters.files import Files, StoredFile
from omoide.adapters.records import NewRecord, Records
from omoide.adapters.worker import SerialWorker, in_worker
from omoide.agent import FIVE, Tool, ToolPolicy, memory_tools

try:
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai import Tool as PydanticTool
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai_harness.memory import (
        MemoryConflictError,
        MemoryFile,
        MemoryMutation,
        MemoryOperation,
        MemoryOperationConflictError,
        MemorySearchMatch,
        MemorySearchResult,
    )
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.pydantic_ai", "pydantic-ai") from error

KIND = "pydantic-ai"
RECEIPT_TTL = timedelta(days=30)  # for which a repeated operation is known again
MemoryOf = Memory | Callable[[RunContext[Any]], Memory]


def memory_toolset(
    memory: Memory, names: Iterable[str] = FIVE, *, policy: ToolPolicy | None = None
) -> FunctionToolset[Any]:
    """Return the memory tools as a toolset: ``Agent(model, toolsets=[memory_toolset(memory)])``.

    ``names`` are those of ``omoide.agent.memory_tools``.
    """
    tools = memory_tools(memory, names, policy=policy or ToolPolicy())
    return FunctionToolset([_tool(one) for one in tools.values()], id="omoide")


def _tool(tool: Tool) -> PydanticTool[Any]:
    def call(**arguments: Any) -> dict[str, Any]:
        return tool.run(arguments)

    return PydanticTool.from_schema(
        call, name=tool.name, description=tool.description, json_schema=tool.parameters
    )


@dataclass
class OmoideMemory(AbstractCapability[Any]):
    """What is known in every prompt, and every exchange in the log:
    ``Agent(model, capabilities=[OmoideMemory(memory.at(user="ana"))])``.

    ``memory`` may be a function of the run, such as ``lambda ctx: memory.at(user=ctx.deps.user)``.
    """

    memory: MemoryOf
    budget: int = 2_000  # tokens of what is put into the prompt
    log: bool = True

    def get_instructions(self) -> Any:
        """Return the function that tells a run what is known about its prompt."""
        return self._known

    async def after_run(self, ctx: RunContext[Any], *, result: Any) -> Any:
        """Log the prompt and the answer."""
        if self.log:
            talk = [
                {"role": "user", "content": _text(ctx.prompt)},
                {"role": "assistant", "content": str(result.output)},
            ]
            memory = self._of(ctx)
            await SerialWorker()(memory.ingest, [said for said in talk if said["content"].strip()])
        return result

    async def _known(self, ctx: RunContext[Any]) -> str:
        context = await SerialWorker()(self._of(ctx).context, _text(ctx.prompt), budget=self.budget)
        return context.text

    def _of(self, ctx: RunContext[Any]) -> Memory:
        memory = self.memory if isinstance(self.memory, Memory) else self.memory(ctx)
        return memory if memory.scope.session else memory.at(session=ctx.conversation_id or None)


class OmoideMemoryStore:
    """The files of the harness' notebook: ``Memory(store=OmoideMemoryStore(memory))``.

    Each file is an item of the memory's owner, so recall finds what the model noted. Operations of
    one store follow one another; two processes that write one file at once may overwrite each
    other.
    """

    def __init__(self, memory: Memory) -> None:
        self._files, self._worker = Files(memory, KIND), SerialWorker()
        self._receipts = Records(memory, f"{KIND}-operations", muted=True)

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Return a file, cut to so many characters."""
        _check(path)
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        file = await self._worker(self._files.read, path)
        return None if file is None else _memory_file(file, max_chars)

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Return what an operation did, if it was done."""
        return await self._worker(self._done, operation)

    async def write(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Make a file, or give it another content, if its version is the expected one."""
        return await self.write_with_metadata(
            path,
            content,
            expected_version=expected_version,
            metadata=None,
            operation=operation,
        )

    @in_worker
    def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Do the same, and note who wrote it, or the like."""
        _check(path)
        if operation and (done := self._done(operation)):
            return done
        existed = self._expected(path, expected_version)
        note, id = dict(metadata or {}), operation.id if operation else None
        version = self._files.write(path, content, note=note, operation=id).version
        return self._noted(operation, version, existed)

    @in_worker
    def delete(
        self,
        path: str,
        *,
        expected_version: str | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Forget a file with all its versions, if its version is the expected one."""
        _check(path)
        if operation and (done := self._done(operation)):
            return done
        existed = self._expected(path, expected_version)
        self._files.delete(path)
        return self._noted(operation, None, existed)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """Return the paths that begin so, sorted."""
        if limit <= 0:
            raise ValueError("limit must be positive")
        files = await self._worker(self._files.under, prefix.rpartition("/")[0])
        return [file.path for file in files if file.path.startswith(prefix)][:limit]

    async def search(
        self,
        prefix: str,
        query: str,
        *,
        limit: int,
        max_files: int,
        max_chars: int,
        max_file_chars: int,
    ) -> MemorySearchResult:
        """Return the files right below a prefix that answer a query, best first."""
        if not query.split() or min(limit, max_files, max_chars, max_file_chars) <= 0:
            return MemorySearchResult(matches=[], scanned=0, truncated=False)
        found = await self._worker(
            self._files.search, query, prefix.rpartition("/")[0], limit=max_files
        )
        below = [(f, s) for f, s in found if f.path.startswith(prefix)]
        below = [(f, s) for f, s in below if "/" not in f.path.removeprefix(prefix)]
        matches, left = [], max_chars
        for file, score in below[:limit]:
            name = file.path.removeprefix(prefix)
            snippet = _snippet(file.content[:max_file_chars], query, left - len(name))
            left -= len(name) + len(snippet)
            if snippet or not file.content:
                matches.append(MemorySearchMatch(path=file.path, snippet=snippet, score=score))
        return MemorySearchResult(
            matches=matches, scanned=len(found), truncated=len(matches) < len(below)
        )

    def _expected(self, path: str, version: str | None) -> bool:
        """Tell whether there is a file.

        Raises:
            MemoryConflictError: it has another version than the expected one.
        """
        file = self._files.read(path)
        if (file and file.version) != version:
            raise MemoryConflictError(f"memory path {path!r} changed before it could be written")
        return file is not None

    def _done(self, operation: MemoryOperation) -> MemoryMutation | None:
        record = self._receipts.get((operation.id,))
        if record is None:
            return None
        if record.value["fingerprint"] != operation.fingerprint:
            raise MemoryOperationConflictError(
                f"operation id {operation.id!r} was reused with different arguments"
            )
        done = record.value
        return MemoryMutation(version=done["version"], replayed=True, existed=done["existed"])

    def _noted(
        self, operation: MemoryOperation | None, version: str | None, existed: bool
    ) -> MemoryMutation:
        if operation is not None:
            value = {"version": version, "existed": existed, "fingerprint": operation.fingerprint}
            self._receipts.put(
                NewRecord(address=(operation.id,), value=value, text="operation", ttl=RECEIPT_TTL)
            )
        return MemoryMutation(version=version, replayed=False, existed=existed)


def _memory_file(file: StoredFile, most: int) -> MemoryFile:
    return MemoryFile(
        content=file.content[:most],
        version=file.version,
        operation_id=file.operation,
        truncated=len(file.content) > most,
        metadata=file.note or None,
    )


def _check(path: str) -> None:
    """
    Raises:
        ValueError: it is no path of a notebook's file.
    """
    names = path.split("/")
    if not all(name and name != "." and ".." not in name for name in names):
        raise ValueError(f"invalid memory path: {path!r}")


def _snippet(content: str, query: str, most: int) -> str:
    """So many characters of a content, from a little before the first word of the query on."""
    if most <= 0:
        return ""
    low = content.lower()
    places = [at for word in query.lower().split() if (at := low.find(word)) >= 0]
    start = max(0, min(min(places, default=0) - most // 3, len(content) - most))
    return content[start : start + most]


def _text(prompt: Any) -> str:
    """The words of a prompt: a text, or parts of which some are texts."""
    if isinstance(prompt, str):
        return prompt
    parts = prompt or ()
    texts = (one if isinstance(one, str) else getattr(one, "content", "") for one in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


__all__ = ["OmoideMemory", "OmoideMemoryStore", "memory_toolset"]
