"""Text files in a memory, by path: what note-keeping tools of models stand on."""

from __future__ import annotations

from hashlib import sha256
from pathlib import PurePosixPath

from omoide import Memory
from omoide.adapters.records import NewRecord, Records, StoredRecord
from omoide.nouns.record.frozen import frozen_record


@frozen_record
class StoredFile:
    """A text file. The version is a digest of its content; ``note`` is what its writer added."""

    path: str
    content: str
    version: str
    note: dict[str, str]
    operation: str | None = None  # by which it was written, if that was named


class Files:
    """The text files of the memory's owner under one name; each is an item with a history.

    Who corrects the item, corrects the file. A file is at most 64 kB, and holds no secrets: these
    are masked.
    """

    def __init__(self, memory: Memory, kind: str) -> None:
        self._records = Records(memory, kind)

    def read(self, path: str) -> StoredFile | None:
        """Return a file by its path."""
        record = self._records.get(_parts(path))
        return None if record is None else _file(record)

    def write(
        self,
        path: str,
        content: str,
        *,
        note: dict[str, str] | None = None,
        operation: str | None = None,
    ) -> StoredFile:
        """Make a file, or give it another content.

        Raises:
            InvalidInput, TooLong: it cannot be stored.
        """
        value = {"content": content, "note": note or {}, "operation": operation}
        text = content if content.strip() else PurePosixPath(path).name
        self._records.put(NewRecord(address=_parts(path), value=value, text=text))
        written = self.read(path)
        assert written is not None
        return written

    def delete(self, path: str) -> bool:
        """Forget a file, with all its versions; tell whether there was one."""
        return self._records.delete(_parts(path))

    def under(self, folder: str = "") -> list[StoredFile]:
        """Return the files in a folder and in those below it, by path."""
        found = self._records.all(_parts(folder) if folder else ())
        return sorted(map(_file, found), key=lambda file: file.path)

    def search(
        self, words: str, folder: str = "", *, limit: int = 10
    ) -> list[tuple[StoredFile, float]]:
        """Return the files that answer a question, best first, each with its score."""
        prefix = _parts(folder) if folder else ()
        found = self._records.search(words, prefix, limit=limit)
        return [(_file(record), record.score or 0.0) for record in found]


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.strip("/").split("/"))


def _file(record: StoredRecord) -> StoredFile:
    content = record.text if record.corrected else record.value["content"]
    return StoredFile(
        path="/".join(record.address),
        content=content,
        version=sha256(content.encode()).hexdigest(),
        note=record.value["note"],
        operation=None if record.corrected else record.value["operation"],
    )
