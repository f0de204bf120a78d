"""A LangGraph ``BaseStore`` over a memory; LangMem's tools work on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from omoide import InvalidInput, Memory, MissingExtra
from omoide.adapters.records import MOST, NewRecord, RecordKey, Records, StoredRecord, words_of
from omoide.adapters.worker import SerialWorker

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        validate_op_namespace,
    )
except ModuleNotFoundError as error:
    raise MissingExtra("omoide.adapters.langgraph", "langgraph") from error

KIND = "langgraph"


class OmoideStore(BaseStore):
    """Long-term memory of LangGraph in a memory: ``graph.compile(store=OmoideStore(memory))``.

    Each value is an item of the memory's owner, so other ways of recall find it, too. Where
    ``user_label`` gives a place in namespaces, such as 1 for ``("memories", "ana")``, the label
    there names the user, and each user's values are that user's alone. ``fields`` are the paths of
    a value whose text recall searches, unless ``put`` names others; by default all of it.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        user_label: int | None = None,
        fields: list[str] | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._memory, self._user_label, self._fields = memory, user_label, fields
        self.ttl_config, self._worker = ttl, SerialWorker()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations; those that read see what was there before any of them wrote."""
        ops = list(ops)
        for op in ops:
            validate_op_namespace(op)
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        results = [None if isinstance(op, PutOp) else self._read(op) for op in ops]
        self._write(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in the store's own thread."""
        return await self._worker(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
        raise InvalidInput("op", f"unknown operation {type(op).__name__}")

    def _get(self, op: GetOp) -> Item | None:
        records = self._records(op.namespace)
        record = records.get((*op.namespace, op.key))
        if record is None:
            return None
        if op.refresh_ttl:
            records.keep_alive(record)
        return Item(value=_value(record), **_place(record))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        records, prefix = self._records(op.namespace_prefix), tuple(op.namespace_prefix)
        if op.query:
            wanted = MOST if op.filter else op.offset + op.limit
            found = records.search(op.query, prefix, limit=max(wanted, 1))
        else:
            found = sorted(records.all(prefix), key=lambda one: one.updated_at, reverse=True)
        passed = [one for one in found if _passes(_value(one), op.filter or {})]
        page = passed[op.offset : op.offset + op.limit]
        for record in page if op.refresh_ttl else ():
            records.keep_alive(record)
        return [SearchItem(value=_value(one), score=one.score, **_place(one)) for one in page]

    def _namespaces(self, op: ListNamespacesOp) -> list[RecordKey]:
        conditions = op.match_conditions or ()
        prefix = next((_fixed(c) for c in conditions if c.match_type == "prefix"), ())
        held = {record.address[:-1] for record in self._records(prefix).all(prefix)}
        matching = [name for name in held if all(_matches(c, name) for c in conditions)]
        cut = {name if op.max_depth is None else name[: op.max_depth] for name in matching}
        return sorted(cut)[op.offset : op.offset + op.limit]

    def _write(self, puts: list[PutOp]) -> None:
        by_place: dict[str, list[PutOp]] = {}
        for op in puts:
            by_place.setdefault(self._user(op.namespace) or "", []).append(op)
        for ops in by_place.values():
            records = self._records(ops[0].namespace)
            for op in ops:
                if op.value is None:
                    records.delete((*op.namespace, op.key))
            records.put(*(self._entry(op, op.value) for op in ops if op.value is not None))

    def _entry(self, op: PutOp, value: Mapping[str, Any]) -> NewRecord:
        paths = self._fields if op.index is None else op.index or []
        texts = (
            [words_of(value)]
            if paths is None
            else [text for path in paths for text in get_text_at_path(dict(value), path)]
        )
        return NewRecord(
            address=(*op.namespace, op.key),
            value=dict(value),
            text="\n".join(texts),
            ttl=None if op.ttl is None else timedelta(minutes=op.ttl),
        )

    def _user(self, namespace: RecordKey) -> str | None:
        place = self._user_label
        return namespace[place] if place is not None and place < len(namespace) else None

    def _records(self, namespace: RecordKey) -> Records:
        user = self._user(namespace)
        return Records(self._memory.at(user=user) if user else self._memory, KIND)


def _place(record: StoredRecord) -> dict[str, Any]:
    return {
        "namespace": record.address[:-1],
        "key": record.address[-1],
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }


def _value(record: StoredRecord) -> dict[str, Any]:
    """The value; where a person corrected its item, the only text in it is theirs."""
    texts = [name for name, value in record.value.items() if isinstance(value, str)]
    if record.corrected and len(texts) == 1:
        return {**record.value, texts[0]: record.text}
    return record.value


def _fixed(condition: MatchCondition) -> RecordKey:
    """The labels that a path begins with before its first wildcard."""
    path = tuple(condition.path)
    return path[: path.index("*")] if "*" in path else path


def _matches(condition: MatchCondition, namespace: RecordKey) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(want in ("*", have) for want, have in zip(path, part, strict=True))


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: have == want,
    "$ne": lambda have, want: have != want,
    "$gt": lambda have, want: have is not None and have > want,
    "$gte": lambda have, want: have is not None and have >= want,
    "$lt": lambda have, want: have is not None and have < want,
    "$lte": lambda have, want: have is not None and have <= want,
}


def _passes(value: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    """Whether a value meets each condition: ``{"name": value}`` or ``{"name": {"$gt": 3}}``.

    Raises:
        InvalidInput: an operator that LangGraph does not have.
    """
    return all(_meets(value.get(name), condition) for name, condition in conditions.items())


def _meets(have: Any, condition: Any) -> bool:
    if not isinstance(condition, Mapping):
        return _compare("$eq", have, condition)
    if any(str(name).startswith("$") for name in condition):
        return all(_compare(operator, have, want) for operator, want in condition.items())
    return isinstance(have, Mapping) and _passes(have, condition)


def _compare(operator: str, have: Any, want: Any) -> bool:
    if operator not in _COMPARE:
        raise InvalidInput("filter", f"unknown operator {operator!r}; known: {[*_COMPARE]}")
    try:
        return bool(_COMPARE[operator](have, want))
    except TypeError:  # values of different types are neither smaller nor larger
        return False


__all__ = ["OmoideStore"]
