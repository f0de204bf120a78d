"""The memory tool of Anthropic's SDK, with its files in a memory."""

from __future__ import annotations

import posixpath
from typing import Any

from omoide import Memory, MissingExtra, OmoideError
from omoide.adapters.files import Files, StoredFile
from omoide.adapters.worker import SerialWorker

try:
    from anthropic.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.anthropic_memory", "anthropic") from error

ROOT = "/memories"
MOST_LINES, WIDTH = 999_999, 6
MISSING = "The path {} does not exist. Please provide a valid path."


class Notes:
    """The commands of the memory tool over files of a memory; texts as in Anthropic's own tool."""

    def __init__(self, memory: Memory) -> None:
        self._files = Files(memory, "memory-tool")

    def view(self, command: Any) -> str:
        """Show a file with line numbers, or what is in a folder."""
        path = _path(command.path)
        file = self._files.read(path) if path else None
        if file is not None:
            return _numbered(command.path, file.content, command.view_range)
        below = self._files.under(path)
        if path and not below:
            raise ToolError(MISSING.format(command.path))
        return _listing(command.path, path, below)

    def create(self, command: Any) -> str:
        """Make a file."""
        path = _path(command.path)
        if self._exists(path):
            raise ToolError(f"File {command.path} already exists")
        self._write(path, command.file_text)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that stands in a file once."""
        path, content = self._content(command.path)
        found = _places(content, command.old_str)
        old = f"old_str `{command.old_str}`"
        if not found:
            raise ToolError(
                f"No replacement was performed, {old} did not appear verbatim in {command.path}."
            )
        if len(found) > 1:
            lines = ", ".join(str(content[:at].count("\n") + 1) for at in found)
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of {old} in lines: {lines}."
                " Please ensure it is unique"
            )
        new = content.replace(command.old_str, command.new_str)
        self._write(path, new)
        at, lines_now = content[: found[0]].count("\n"), new.split("\n")
        shown = range(max(0, at - 2), min(len(lines_now), at + 3))
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line"
            " numbers):\n" + "\n".join(f"{n + 1:>{WIDTH}}\t{lines_now[n]}" for n in shown)
        )

    def insert(self, command: Any) -> str:
        """Insert lines behind a line of a file, or at its start."""
        path, content = self._content(command.path)
        lines = content.removesuffix("\n").split("\n") if content else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the"
                f" range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        new = "\n".join(lines)
        self._write(path, new if new.endswith("\n") else f"{new}\n")
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        """Forget a file, or a folder with all that is in it."""
        path = _path(command.path)
        if not path:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        gone = self._files.delete(path)
        for file in () if gone else self._files.under(path):
            gone = self._files.delete(file.path)
        if not gone:
            raise ToolError(f"The path {command.path} does not exist")
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Give a file or a folder another path."""
        old, new = _path(command.old_path), _path(command.new_path)
        if not old:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if not new or self._exists(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        file = self._files.read(old)
        moved = [file] if file else self._files.under(old)
        if not moved:
            raise ToolError(f"The path {command.old_path} does not exist")
        if new.startswith(f"{old}/"):
            raise ToolError(f"The path {command.old_path} cannot be moved into itself")
        for one in moved:
            self._write(new + one.path.removeprefix(old), one.content)
            self._files.delete(one.path)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Forget all files."""
        for file in self._files.under():
            self._files.delete(file.path)
        return "All memory cleared"

    def _exists(self, path: str) -> bool:
        return not path or self._files.read(path) is not None or bool(self._files.under(path))

    def _content(self, given: str) -> tuple[str, str]:
        path = _path(given)
        file = self._files.read(path) if path else None
        if file is None and self._exists(path):
            raise ToolError(f"The path {given} is not a file.")
        if file is None:
            raise ToolError(MISSING.format(given))
        return path, file.content

    def _write(self, path: str, content: str) -> None:
        above = [path[:at] for at, mark in enumerate(path) if mark == "/"]
        if inside := next((folder for folder in above if self._files.read(folder)), None):
            raise ToolError(f"The path {ROOT}/{inside} is not a directory.")
        try:
            self._files.write(path, content)
        except OmoideError as error:
            raise ToolError(str(error)) from error


class OmoideMemoryTool(Notes, BetaAbstractMemoryTool):
    """Claude's memory tool: ``client.beta.messages.tool_runner(tools=[OmoideMemoryTool(memory)])``.

    Its files belong to the memory's owner. Each is an item, so recall finds what the model noted.
    """

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        BetaAbstractMemoryTool.__init__(self, cache_control=cache_control)
        Notes.__init__(self, memory)


class AsyncOmoideMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same tool for ``AsyncAnthropic``."""

    def __init__(self, memory: Memory, *, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._notes, self._worker = Notes(memory), SerialWorker()

    async def view(self, command: Any) -> str:
        """Show a file with line numbers, or what is in a folder."""
        return await self._worker(self._notes.view, command)

    async def create(self, command: Any) -> str:
        """Make a file."""
        return await self._worker(self._notes.create, command)

    async def str_replace(self, command: Any) -> str:
        """Replace a text that stands in a file once."""
        return await self._worker(self._notes.str_replace, command)

    async def insert(self, command: Any) -> str:
        """Insert lines behind a line of a file, or at its start."""
        return await self._worker(self._notes.insert, command)

    async def delete(self, command: Any) -> str:
        """Forget a file, or a folder with all that is in it."""
        return await self._worker(self._notes.delete, command)

    async def rename(self, command: Any) -> str:
        """Give a file or a folder another path."""
        return await self._worker(self._notes.rename, command)

    async def clear_all_memory(self) -> str:
        """Forget all files."""
        return await self._worker(self._notes.clear_all_memory)


def _path(given: str) -> str:
    """A path below /memories; empty for that itself.

    Raises:
        ToolError: it is elsewhere, or leads there.
    """
    if not given.startswith(ROOT):
        raise ToolError(f"Path must start with {ROOT}, got: {given}")
    if given != ROOT and not given.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {given} would escape {ROOT} directory")
    normal = posixpath.normpath(given)
    if normal != ROOT and not normal.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {given} would escape {ROOT} directory")
    return normal.removeprefix(ROOT).strip("/")


def _places(content: str, words: str) -> list[int]:
    """Where words begin in a content; they may overlap."""
    if not words:
        return list(range(len(content) + 1))
    return [at for at in range(len(content)) if content.startswith(words, at)]


def _numbered(given: str, content: str, view_range: list[int] | None) -> str:
    lines, first = content.split("\n"), 1
    if len(lines) > MOST_LINES:
        raise ToolError(f"File {given} exceeds maximum line limit of 999,999 lines.")
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        lines = lines[first - 1 : len(lines) if view_range[1] == -1 else view_range[1]]
    numbered = (f"{number:>{WIDTH}}\t{line}" for number, line in enumerate(lines, start=first))
    return f"Here's the content of {given} with line numbers:\n" + "\n".join(numbered)


def _listing(given: str, folder: str, files: list[StoredFile]) -> str:
    sizes: dict[str, int] = {}
    total = 0
    for file in files:
        parts = file.path.removeprefix(folder).strip("/").split("/")
        if any(part.startswith(".") for part in parts):
            continue
        size = len(file.content.encode())
        total += size
        for level in range(1, min(len(parts), 2) + 1):
            name = "/".join(parts[:level]) + ("/" if level < len(parts) else "")
            sizes[name] = sizes.get(name, 0) + size
    head = (
        f"Here're the files and directories up to 2 levels deep in {given}, excluding hidden items:"
    )
    rows = [f"{_size(total)}\t{given}"]
    rows += [f"{_size(size)}\t{given.rstrip('/')}/{name}" for name, size in sorted(sizes.items())]
    return "\n".join((head, *rows))


def _size(count: int) -> str:
    if count == 0:
        return "0B"
    power = min((count.bit_length() - 1) // 10, 3)
    size = count / 1024**power
    return f"{int(size) if size == int(size) else f'{size:.1f}'}{'BKMG'[power]}"


__all__ = ["AsyncOmoideMemoryTool", "Notes", "OmoideMemoryTool"]
