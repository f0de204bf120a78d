"""A memory in the shape of mem0's, for programs that were written for it; calls as in its versions
1 and 2.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from omoide import Details, InvalidInput, Item, Kind, Listing, NotFound, Query, Statement, Turn
from omoide import Memory as Omoide
from omoide.adapters.worker import SerialWorker

KIND = "mem0"
NAMES = ("user_id", "agent_id", "run_id")
MOST = 1_000
START = datetime(1970, 1, 1, tzinfo=UTC)
Ids = dict[str, str | None]
Row = dict[str, Any]


class Memory:
    """mem0's ``Memory`` over a memory of Omoide: ``Memory(omoide.Memory.open("memory.db"))``.

    With ``infer`` messages are logged, and learnt from where a language model is configured; what
    is not learnt is found by its words. Without it each message is stored as it is.
    """

    def __init__(self, memory: Omoide | None = None) -> None:
        self._memory = Omoide.open() if memory is None else memory

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Open a memory with settings of Omoide, such as ``{"store": "memory.db"}``.

        Raises:
            UnknownName: a setting is not one of Omoide's, such as mem0's ``vector_store``.
        """
        return cls(Omoide.open(**config_dict))

    def add(
        self,
        messages: str | Mapping[str, Any] | list[Any],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: datetime | float | None = None,
        expiration_date: str | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> Row:
        """Add messages; return what became of them."""
        if memory_type is not None or prompt is not None:
            field = "memory_type" if memory_type is not None else "prompt"
            raise InvalidInput(field, "has no counterpart in Omoide; leave it out")
        ids: Ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        given = messages if isinstance(messages, list) else [messages]
        talk = [{"role": "user", "content": m} if isinstance(m, str) else dict(m) for m in given]
        if infer:
            return {"results": self._learn(talk, ids)}
        about: Row = {name: id for name, id in ids.items() if id}
        statements = [
            Statement(
                text=str(message["content"]),
                details=Details(
                    metadata={**(metadata or {}), KIND: about | {"role": message.get("role")}},
                    valid_from=_moment(timestamp),
                    expires_at=_moment(expiration_date),
                ),
            )
            for message in talk
            if message.get("role") != "system"
        ]
        place = _place(ids)
        return {"results": _added(place, self._at(place).items.add_many(statements))}

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        top_k: int | None = None,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
        rerank: bool = False,
        explain: bool = False,
        reference_date: datetime | None = None,
        show_expired: bool = False,
    ) -> Row:
        """Return the memories that answer a query, best first."""
        ids, conditions = _ids_of(filters, user_id, agent_id, run_id)
        place, most = _place(ids), top_k or limit or 20
        preset = "best" if rerank else "default"
        asked = Query(
            text=query, kinds=self._kinds, as_of=reference_date, preset=preset, passage_tokens=None
        )
        everything = conditions or ids["run_id"]
        hits = self._at(place).recall(asked, limit=MOST if everything else most)
        found = [(hit.item or hit.turn, hit.score) for hit in hits]
        rows = [_row(place, record, ids) | {"score": score} for record, score in found if record]
        passed = _meeting(rows, conditions, ids)
        return {"results": [r for r in passed if r["score"] >= (threshold or 0.0)][:most]}

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int | None = None,
        limit: int | None = None,
        show_expired: bool = False,
    ) -> Row:
        """Return all memories, latest first."""
        ids, conditions = _ids_of(filters, user_id, agent_id, run_id)
        records = self._records(ids, expired=show_expired)
        rows = [_row(_place(ids), record, ids) for record in records]
        passed = _meeting(rows, conditions, ids)
        return {"results": passed[: top_k or limit or (20 if filters else 100)]}

    def get(self, memory_id: str) -> Row | None:
        """Return a memory by its id."""
        try:
            _, record = self._find(memory_id)
        except NotFound:
            return None
        return _row(memory_id.partition("/")[0], record, dict.fromkeys(NAMES))

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: str | None = None,
        data: str | None = None,
    ) -> Row:
        """Give a memory another text; the old one stays in its history, and the id finds both."""
        memory, item = self._find(memory_id)
        if not isinstance(item, Item):
            raise InvalidInput("memory_id", "is a logged message, which does not change")
        new = text if text is not None else data
        about = {**_about(item), "id": memory_id}
        if new is not None and new != item.text:
            item = memory.correct(item.id, new).item
        changed = dict(metadata) if metadata is not None else _own(item)
        memory.items.edit(item.id, metadata={**changed, KIND: about})
        if expiration_date is not None:
            memory.items.edit(item.id, expires_at=_moment(expiration_date))
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> Row:
        """Forget a memory with all its versions."""
        memory, record = self._find(memory_id)
        memory.forget(record.id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> Row:
        """Forget all memories of a user, an agent or a run."""
        ids, _ = _ids_of(None, user_id, agent_id, run_id)
        place = _place(ids)
        for record in list(self._records(ids, expired=True)):
            if _is_of_run(_row(place, record, ids), ids):
                self._at(place).forget(record.id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[Row]:
        """Return what happened to a memory, oldest first."""
        memory, item = self._find(memory_id)
        versions = list(memory.history(item.id)) if isinstance(item, Item) else []
        before = [None, *versions][: len(versions)]
        return [
            {
                "id": version.id,
                "memory_id": memory_id,
                "old_memory": old.text if old else None,
                "new_memory": version.text,
                "event": "UPDATE" if old else "ADD",
                "created_at": versions[0].created_at.isoformat(),
                "updated_at": version.created_at.isoformat() if old else None,
                "is_deleted": False,
                "actor_id": None,
                "role": _about(version).get("role"),
            }
            for old, version in zip(before, versions, strict=True)
        ]

    def reset(self) -> None:
        """Refuse: nothing deletes the memories of all users at once."""
        raise InvalidInput("reset", "names nobody; use delete_all(user_id=…) for each user")

    def close(self) -> None:
        """Close the memory."""
        self._memory.close()

    @property
    def _kinds(self) -> frozenset[Kind]:
        """What counts as a memory: where no model learns from messages, these do themselves."""
        learns = self._memory.capabilities.learning
        return frozenset({Kind.ITEM} if learns else {Kind.ITEM, Kind.TURN})

    def _learn(self, talk: list[Row], ids: Ids) -> list[Row]:
        place = _place(ids)
        memory = self._at(place)
        if ids["run_id"]:
            memory = memory.at(session=ids["run_id"])
        logged = memory.ingest(talk)
        if not self._memory.capabilities.learning:
            return _added(place, [memory.get(id) for id in dict.fromkeys(logged.turns)])
        since = memory.clock.now()
        memory.sessions.extract(logged.session)
        return _added(place, memory.diff(since).added)

    def _records(self, ids: Ids, *, expired: bool) -> Iterator[Item | Turn]:
        memory = self._at(_place(ids))
        listing = Listing(sort="created_at", limit=MOST, closed=expired)
        yield from (item for item in memory.items.list(listing) if item.is_open)
        if Kind.TURN in self._kinds:
            yield from reversed(memory.sessions.turns(since=START, limit=MOST))

    def _find(self, memory_id: str) -> tuple[Omoide, Item | Turn]:
        """The record of an id, as it is now, and the memory of its owner.

        Raises:
            NotFound: there is none.
        """
        place, _, id = memory_id.partition("/")
        if place.partition(":")[0] not in ("user", "agent"):
            raise NotFound("memory", memory_id)
        memory = self._at(place)
        record = memory.get(id)
        while isinstance(record, Item) and record.superseded_by:
            record = memory.get(record.superseded_by)
        return memory, record

    def _at(self, place: str) -> Omoide:
        kind, name = _owner(place)
        return self._memory.at(user=name) if kind == "user" else self._memory.at(agent=name)


class AsyncMemory:
    """The same for asyncio: each method of ``Memory``, to be awaited."""

    def __init__(self, memory: Omoide | None = None) -> None:
        self._sync, self._worker = Memory(memory), SerialWorker()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._sync, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            return await self._worker(method, *args, **kwargs)

        return call


def _ids_of(
    filters: Mapping[str, Any] | None, user: str | None, agent: str | None, run: str | None
) -> tuple[Ids, Mapping[str, Any]]:
    """Whom a call names, as an argument or in its filters, and the filters that are left."""
    given = dict(filters or {})
    named = dict(zip(NAMES, (user, agent, run), strict=True))
    ids: Ids = {name: named[name] or given.pop(name, None) for name in NAMES}
    return ids, given


def _place(ids: Ids) -> str:
    """Whose memories a call is about: a user's, else an agent's, else a run's.

    Raises:
        InvalidInput: it names nobody.
    """
    for name, kind in (("user_id", "user:"), ("agent_id", "agent:"), ("run_id", "agent:run:")):
        if owner := ids[name]:
            return kind + owner.replace("%", "%25").replace("/", "%2F")
    raise InvalidInput("user_id", "name one of user_id, agent_id and run_id")


def _owner(place: str) -> tuple[str, str]:
    kind, _, name = place.partition(":")
    return kind, unquote(name)


def _added(place: str, records: Iterable[Item | Turn]) -> list[Row]:
    return [{"id": f"{place}/{one.id}", "memory": one.text, "event": "ADD"} for one in records]


def _about(record: Item | Turn) -> Row:
    about = record.metadata.get(KIND)
    return dict(about) if isinstance(about, dict) else {}


def _own(record: Item | Turn) -> Row:
    return {name: value for name, value in record.metadata.items() if name != KIND}


def _row(place: str, record: Item | Turn, ids: Ids) -> Row:
    about = _about(record)
    kind, owner = _owner(place)
    said: Row = {f"{kind}_id": owner, "run_id": _run_of(record, ids), **about}
    if isinstance(record, Turn):
        at, updated = record.at, record.at
        said["role"] = str(record.role)
    else:
        at, updated = record.created_at, record.updated_at
    row = {
        "id": about.get("id") or f"{place}/{record.id}",
        "memory": record.text,
        "hash": None,
        "metadata": _own(record) or None,
        "created_at": at.isoformat(),
        "updated_at": updated.isoformat() if updated != at else None,
    }
    return row | {name: said[name] for name in (*NAMES, "role") if said.get(name)}


def _run_of(record: Item | Turn, ids: Ids) -> str | None:
    """The run that a logged message is of, where it is the one asked for."""
    run = ids.get("run_id")
    session = record.session if isinstance(record, Turn) else ""
    return run if run and session.rpartition(".")[0] == run else None  # its name and a mark


def _meeting(rows: Iterable[Row], conditions: Mapping[str, Any], ids: Ids) -> list[Row]:
    return [row for row in rows if _passes(row, conditions) and _is_of_run(row, ids)]


def _is_of_run(row: Row, ids: Ids) -> bool:
    wanted = {name: ids[name] for name in ("agent_id", "run_id") if ids[name]}
    return all(row.get(name) == id for name, id in wanted.items())


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "in": lambda have, want: have in want,
    "nin": lambda have, want: have not in want,
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
    "contains": operator.contains,
    "icontains": lambda have, want: want.lower() in str(have).lower(),
}
_OF_NOTHING = frozenset({"eq", "ne", "in", "nin"})  # which may hold of what has no value


def _passes(row: Row, conditions: Mapping[str, Any]) -> bool:
    """Whether a memory meets mem0's filters.

    Raises:
        InvalidInput: an operator that mem0 does not have.
    """
    fields = {**(row["metadata"] or {}), **row}
    return all(_meets(row, fields, name, want) for name, want in conditions.items())


def _meets(row: Row, fields: Row, name: str, want: Any) -> bool:
    match name:
        case "AND":
            return all(_passes(row, one) for one in want)
        case "OR":
            return any(_passes(row, one) for one in want)
        case "NOT":
            return not any(_passes(row, one) for one in want)
    have = fields.get(name)
    if want == "*":
        return have is not None
    asked = want if isinstance(want, Mapping) else {"eq": want}
    if unknown := [one for one in asked if one not in _COMPARE]:
        raise InvalidInput("filters", f"unknown operator {unknown[0]!r}; known: {[*_COMPARE]}")
    return all(
        (have is not None or one in _OF_NOTHING) and _COMPARE[one](have, value)
        for one, value in asked.items()
    )


def _moment(given: datetime | float | str | None) -> datetime | None:
    if isinstance(given, int | float):
        return datetime.fromtimestamp(given, UTC)
    at = datetime.fromisoformat(given) if isinstance(given, str) else given
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


__all__ = ["AsyncMemory", "Memory"]
