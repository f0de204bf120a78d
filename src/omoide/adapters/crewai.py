"""A storage backend of CrewAI's memory over a memory."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from omoide import InvalidInput, Memory, MissingExtra
from omoide.adapters.records import NewRecord, Records, StoredRecord
from omoide.adapters.worker import SerialWorker, in_worker

try:
    from crewai.memory.types import MemoryRecord, ScopeInfo
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.crewai", "crewai") from error

KIND = "crewai"
NOTED = 1_000  # questions of which the words are known again by their vector
Vector = tuple[float, ...]


class OmoideStorage:
    """Storage of CrewAI's memory:
    ``Memory(storage=(storage := OmoideStorage(memory)), embedder=storage.embed)``.

    CrewAI asks its storage by vectors alone. ``embed`` makes them with the memory's own embedder
    and notes of which words each is, so a search asks by words, with all that recall does.
    """

    def __init__(self, memory: Memory) -> None:
        if memory.encoders.serving is None:
            raise InvalidInput("embedder", "CrewAI needs one; open the memory with an embedder")
        self._memory, self._records, self._worker = memory, Records(memory, KIND), SerialWorker()
        self._words: OrderedDict[Vector, str] = OrderedDict()
        self._lock = Lock()

    def embed(self, input: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts: for the ``embedder`` of CrewAI's memory."""
        made = []
        for text in input:
            asked = self._memory.encoders.embed_query(text)
            assert asked is not None
            vector = [float(number) for number in asked[1]]
            made.append(vector)
            with self._lock:
                self._words[tuple(vector)] = text
                while len(self._words) > NOTED:
                    self._words.popitem(last=False)
        return made

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records."""
        self._records.put(*map(_entry, records))

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return the records that answer the words of a vector, best first, with their scores.

        Raises:
            InvalidInput: the vector was not made by ``embed``.
        """
        with self._lock:
            words = self._words.get(tuple(float(number) for number in query_embedding))
        if words is None:
            raise InvalidInput("query_embedding", "is unknown; pass embedder=storage.embed as well")
        found = [(_memory_record(one), one.score or 0.0) for one in self._records.search(words)]
        return [
            (record, score)
            for record, score in found
            if score >= min_score and _meets(record, scope_prefix, categories, metadata_filter)
        ][:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Forget the records that all of the filters name; return how many."""
        going = [
            record.id
            for record in self._all(scope_prefix)
            if _meets(record, None, categories, metadata_filter)
            and (record_ids is None or record.id in record_ids)
            and (older_than is None or _naive(record.created_at) < _naive(older_than))
        ]
        return sum(self._records.delete((id,)) for id in going)

    def update(self, record: MemoryRecord) -> None:
        """Give a record another content; the old one stays in its history."""
        self._records.put(_entry(record))

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record by its id."""
        found = self._records.get((record_id,))
        return None if found is None else _memory_record(found)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return records in a scope, newest first."""
        found = sorted(self._all(scope_prefix), key=lambda r: _naive(r.created_at), reverse=True)
        return found[offset : offset + limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what a scope holds."""
        records = self._all(scope)
        times = sorted(_naive(record.created_at) for record in records)
        return ScopeInfo(
            path=_normal(scope),
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes right below another."""
        above = _normal(parent).rstrip("/") + "/"
        paths = {_normal(record.scope) for record in self._all(parent)}
        below = [path[len(above) :] for path in paths if path.startswith(above) and path != above]
        return sorted({above + path.partition("/")[0] for path in below})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return how many records of a scope each category has."""
        return dict(Counter(n for record in self._all(scope_prefix) for n in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Return how many records a scope has, with those below it."""
        return len(self._all(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Forget all records of a scope, or of all."""
        self.delete(scope_prefix)

    asave, asearch, adelete = in_worker(save), in_worker(search), in_worker(delete)

    def _all(self, scope: str | None) -> list[MemoryRecord]:
        records = map(_memory_record, self._records.all())
        return [record for record in records if scope is None or _within(record.scope, scope)]


def _entry(record: MemoryRecord) -> NewRecord:
    value = record.model_dump(mode="json", exclude={"embedding"})
    return NewRecord(address=(record.id,), value=value, text=record.content)


def _memory_record(record: StoredRecord) -> MemoryRecord:
    content = {"content": record.text} if record.corrected else {}
    return MemoryRecord.model_validate(record.value | content)


def _meets(
    record: MemoryRecord,
    scope: str | None,
    categories: list[str] | None,
    metadata: Mapping[str, Any] | None,
) -> bool:
    return (
        (scope is None or _within(record.scope, scope))
        and (not categories or any(name in record.categories for name in categories))
        and all(record.metadata.get(key) == value for key, value in (metadata or {}).items())
    )


def _within(scope: str, prefix: str) -> bool:
    """Whether a scope is another one, or below it; whole names count."""
    path, above = _normal(scope), _normal(prefix)
    return above == "/" or path == above or path.startswith(f"{above}/")


def _normal(scope: str) -> str:
    return f"/{scope.strip('/')}"


def _naive(at: datetime) -> datetime:
    """A time as CrewAI has them: in UTC, without saying so."""
    return at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at


__all__ = ["OmoideStorage"]
