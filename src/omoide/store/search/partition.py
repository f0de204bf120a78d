"""The search index in memory: hot partitions, kept in step with the database by their change
counters.

A partition is one tenant and user; the empty user's holds what belongs to no user. An asker
searches the partitions of his tenant with his user and with none, as one: BM25 statistics are
over both, less what is of other agents or closed to all but a session, and over nobody else's.
What is held here is a copy of committed rows and may be dropped at any time.

It relies on three promises of the database. Every write of documents or vectors moves the
partition's counter on and stamps what it writes with it. Counters of one partition commit in
order. The row of a counter is never deleted, since a counter that starts again tells nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress, islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.embedder import Vector
from omoide.nouns.errors import InvalidInput, StoreError
from omoide.nouns.kind import Kind
from omoide.nouns.match import Matches, SignColumns, Where
from omoide.store.search.columns import Documents, Ints, Places
from omoide.store.search.greatest import nth_greatest
from omoide.store.search.growing import Growing
from omoide.store.search.matrix import Matrix
from omoide.store.search.postings import Rows, Told, look_up
from omoide.text.slips import slips_of
from omoide.text.words import QueryTerm

Tuples: TypeAlias = Callable[[str, dict[str, object]], Iterable[tuple[Any, ...]]]
Key: TypeAlias = tuple[str, str]  # tenant, user
Counters: TypeAlias = list[tuple[Any, ...]]  # of an asker's partitions: user and counter

_CHUNK = 512  # vectors read at once
_FEW = 8  # fewer than one vector of so many are compared one by one
_LESS, _MORE = 0.98, 1.02  # a change of size worth measuring
_NEAR = 0.5  # what a word counts that is a slip away from the one asked for
_WASTE = 1 / 4
_WASTE_PLACES = 256


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vectors of one embedder. A vector that is replaced takes a new slot."""

    seq: int = 0
    matrix: Matrix | None = None
    slots: Places = field(default_factory=Places)
    # of each slot's document; -1: none, or a dead slot
    rows: Rows = field(default_factory=lambda: np.empty(0, np.int32))
    room: Growing = field(default_factory=lambda: Growing(np.int32))  # for these rows

    def moved(self, docs: Ints, documents: Documents) -> _Vectors:
        """With the rows of documents that were altered or erased brought up to date."""
        slots = self.slots.find(docs)
        held = slots >= 0
        if not held.any():
            return self
        rows = self.rows.copy()
        rows[slots[held]] = documents.places.find(docs[held])
        return replace(self, rows=rows)

    def updated(
        self, seq: int, tuples: Iterable[tuple[Any, ...]], dtype: str, documents: Documents
    ) -> _Vectors:
        """With rows of ``vectors.changed`` added, or put for older ones; not those of documents
        that are hidden.
        """
        matrix, new_docs = self.matrix, []
        source = iter(tuples)
        while chunk := list(islice(source, _CHUNK)):
            here = (
                documents.places.find(np.fromiter((doc for doc, _ in chunk), np.int64, len(chunk)))
                >= 0
            )
            chunk = list(compress(chunk, here))
            if not chunk:
                continue
            vectors = _floats([bytes(vector) for _, vector in chunk], dtype)
            matrix = Matrix(vectors.shape[1]) if matrix is None else matrix
            if vectors.shape[1] != matrix.dimension:
                raise StoreError(
                    f"vectors of one embedder have {matrix.dimension} and {vectors.shape[1]}"
                    " dimensions"
                )
            matrix = matrix.extended(vectors)
            new_docs.append(np.fromiter((doc for doc, _ in chunk), np.int64, len(chunk)))
        if matrix is None or not new_docs:
            return replace(self, seq=seq)
        docs, rows = np.concatenate(new_docs), self.rows
        old = self.slots.find(docs)
        if (old >= 0).any():
            rows = rows.copy()
            rows[old[old >= 0]] = -1
        start, rows = len(rows), self.room.extended(rows, documents.places.find(docs))
        slots = self.slots.updated(docs, np.arange(start, len(rows), dtype=np.int32), docs[:0])
        return _Vectors(seq, matrix, slots, rows, self.room)

    def nearest(
        self, vector: Vector, documents: Documents, where: Where, limit: int
    ) -> tuple[Rows, NDArray[Any]]:
        """The rows of the visible documents with the greatest cosines, and these: at least limit of
        them, if there are; unordered.
        """
        if self.matrix is None:
            return self.rows[:0], np.empty(0)
        among = documents.among(where)
        if among is None or _FEW * len(among) > len(self.rows):
            visible = np.append(documents.visible(where), False)
            slots, scores = self.matrix.nearest(vector, visible[self.rows], limit)
        else:
            places = self.slots.find(documents.docs[among])
            slots, scores = self.matrix.nearest_of(
                np.sort(places[places >= 0]).astype(np.int64), vector, limit
            )
        return self.rows[slots], scores


def _floats(blobs: list[bytes], dtype: str) -> NDArray[np.float32]:
    sizes = {len(blob) for blob in blobs}
    if len(sizes) != 1:
        raise StoreError(
            f"vectors of one embedder have {' and '.join(map(str, sorted(sizes)))} bytes"
        )
    return (
        np.frombuffer(b"".join(blobs), dtype).astype(np.float32, copy=False).reshape(len(blobs), -1)
    )


@dataclass(frozen=True, slots=True)
class _State:
    """A partition as of one counter; its vectors may be behind."""

    seq: int = 0
    documents: Documents = field(default_factory=Documents.none)
    vectors: dict[int, _Vectors] = field(default_factory=dict)

    def is_current(self, seq: int, model: int | None) -> bool:
        return self.seq >= seq and (
            model is None or (model in self.vectors and self.vectors[model].seq >= seq)
        )

    @property
    def size(self) -> int:
        """Documents and vectors."""
        return len(self.documents) + sum(len(v.rows) for v in self.vectors.values())

    @property
    def nbytes(self) -> int:
        matrices = sum(v.matrix.nbytes for v in self.vectors.values() if v.matrix is not None)
        return (
            self.documents.nbytes + matrices + sum(v.rows.nbytes * 4 for v in self.vectors.values())
        )


class _Partition:
    """One cached partition. Loading holds its lock alone; searching holds none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state = _State()
        self._measured = -1
        self.nbytes = 0  # about: not measured again for a little more

    def current(self, tuples: Tuples, key: Key, seq: int, model: int | None, dtype: str) -> _State:
        """The state at that counter or a later one."""
        if self._state.is_current(seq, model):
            return self._state
        with self._lock:
            state = self._state
            if not state.is_current(seq, model):
                bound: dict[str, object] = {"tenant": key[0], "user": key[1]}
                state = _caught_up(state, tuples, bound, seq)
                if model is not None:
                    state = _with_vectors(state, tuples, bound, seq, model, dtype)
                self._state = state
                if not self._measured * _LESS <= state.size <= self._measured * _MORE:
                    self._measured, self.nbytes = state.size, state.nbytes
            return state


def _caught_up(state: _State, tuples: Tuples, bound: dict[str, object], seq: int) -> _State:
    if state.seq >= seq:
        return state
    gone = (
        [doc for (doc,) in tuples("docs.erased", {**bound, "since": state.seq})]
        if state.seq
        else []
    )
    fresh = not state.seq or _is_wasteful(state.documents.fields.count, len(state.documents))
    documents, since = (
        (Documents.none(str(bound["user"])), 0) if fresh else (state.documents, state.seq)
    )
    gone = [] if fresh else gone
    erased = np.array(sorted(gone), np.int64)
    start = len(documents)
    documents = documents.updated(tuples("docs.changed", {**bound, "since": since}), erased)
    changed = np.concatenate([documents.docs[start:], erased])
    vectors = {
        model: v.moved(v.slots.docs if fresh else changed, documents)
        for model, v in state.vectors.items()
    }
    return _State(seq, documents, vectors)


def _is_wasteful(alive: int, total: int) -> bool:
    """Whether so many places are dead that reading all afresh costs less than carrying them on."""
    return total - alive > max(_WASTE_PLACES, _WASTE * total)


def _with_vectors(
    state: _State, tuples: Tuples, bound: dict[str, object], seq: int, model: int, dtype: str
) -> _State:
    vectors = state.vectors.get(model, _Vectors())
    if vectors.seq >= seq:
        return state
    if _is_wasteful(int(np.count_nonzero(vectors.rows >= 0)), len(vectors.rows)):
        vectors = _Vectors()
    changed = tuples("vectors.changed", {**bound, "model": model, "since": vectors.seq})
    return replace(
        state,
        vectors={**state.vectors, model: vectors.updated(seq, changed, dtype, state.documents)},
    )


def seen_once(tuples: Tuples, seen: dict[Key, Counters]) -> Tuples:
    """The same rows, but counters come from ``seen`` once they were read: within one read
    transaction they do not change.
    """

    def once(query: str, values: dict[str, object]) -> Iterable[tuple[Any, ...]]:
        if query != "partitions.seen":
            return tuples(query, values)
        key = (str(values["tenant"]), str(values["user"]))
        if key not in seen:
            seen[key] = list(tuples(query, values))
        return seen[key]

    return once


class Partitions:
    """The hot partitions of one store. Safe to use from any thread.

    ``tuples`` runs a named query inside the caller's read transaction and gives its rows as tuples
    in the order of the SELECT; it may give them one by one. A caller whose snapshot is older than
    what is held here may get documents that are newer than his snapshot.

    vector_dtype: how the bytes of a vector are to be read. memory_budget_bytes: least recently
    searched partitions are dropped beyond that; those of the last search stay in any case.
    """

    def __init__(self, vector_dtype: str = "<f4", memory_budget_bytes: int = 512 * 2**20) -> None:
        self._dtype, self._budget = vector_dtype, memory_budget_bytes
        self._lock = threading.Lock()
        self._partitions: OrderedDict[Key, _Partition] = OrderedDict()

    def match_text(
        self,
        tuples: Tuples,
        terms: Sequence[QueryTerm],
        where: Where,
        limit: int,
        rarest: int | None = None,
        least: int = 1,
    ) -> Matches:
        """The best documents by BM25, best first; scores are above 0. Equal scores: the newer
        document first.

        rarest: only so many of the terms count, those that the fewest documents have. least:
        documents have at least so many of these in their own words, or all if there are fewer.
        """
        if not terms or limit < 1:
            return Matches.none()
        states = self._current(tuples, where, None)
        among = None if where.only is None else [state.documents.among(where) for state in states]
        forgiving = {t.term: t.weight for t in terms if t.forgiving}

        def instead(term: str) -> Iterable[tuple[str, float]]:
            return (
                ((other, forgiving[term] * _NEAR) for other in slips_of(term))
                if term in forgiving
                else ()
            )

        asked = [(t.term, t.weight) for t in terms]
        search = look_up(
            [s.documents.fields_for(where) for s in states],
            asked,
            rarest=rarest,
            instead=instead,
        )
        found: list[Matches] = []
        for number, (rows, scores) in enumerate(search.scored(among=among, least=least)):
            documents = states[number].documents
            if where.only is None:
                seen = documents.visible_of(rows, where)
                rows, scores = rows[seen], scores[seen]
            found.append(_matches(documents, rows, scores, limit, partial(search.told, number)))
        return _best(found, limit)

    def match_vector(
        self, tuples: Tuples, vector: Vector, model: int, where: Where, limit: int
    ) -> Matches:
        """The documents with the nearest vectors by cosine, best first. Equal scores: the newer
        document first.

        Raises:
            InvalidInput: vector has another dimension than the vectors of that embedder.
        """
        if limit < 1:
            return Matches.none()
        found: list[Matches] = []
        waiting = 0
        for state in self._current(tuples, where, model):
            vectors = state.vectors.get(model)
            waiting += _lacking(state.documents, vectors, where)
            if vectors is None or vectors.matrix is None:
                continue
            if vector.shape != (vectors.matrix.dimension,):
                raise InvalidInput(
                    "vector",
                    f"shape {vector.shape}, but this embedder's vectors have"
                    f" {vectors.matrix.dimension} dimensions",
                )
            rows, scores = vectors.nearest(vector, state.documents, where, limit)
            found.append(_matches(state.documents, rows, scores, limit))
        return replace(_best(found, limit), waiting=waiting)

    def clear(self) -> None:
        """Drop everything held."""
        with self._lock:
            self._partitions.clear()

    def memory_bytes(self) -> int:
        """How much memory the partitions take, about."""
        with self._lock:
            return sum(p.nbytes for p in self._partitions.values())

    def _current(self, tuples: Tuples, where: Where, model: int | None) -> list[_State]:
        states, used, grown = [], list[Key](), 0
        for user, seq in list(
            tuples(
                "partitions.seen", {"tenant": where.scope.tenant, "user": where.scope.user or ""}
            )
        ):
            key = (where.scope.tenant, user)
            partition = self._partition(key)
            before = partition.nbytes
            states.append(partition.current(tuples, key, seq, model, self._dtype))
            used.append(key)
            grown += partition.nbytes - before
        if grown > 0:
            self._make_room(used)
        return states

    def _partition(self, key: Key) -> _Partition:
        with self._lock:
            partition = self._partitions.get(key)
            if partition is None:
                partition = self._partitions[key] = _Partition()
            self._partitions.move_to_end(key)
            return partition

    def _make_room(self, used: list[Key]) -> None:
        with self._lock:
            excess = sum(p.nbytes for p in self._partitions.values()) - self._budget
            for key in [k for k in self._partitions if k not in used] if excess > 0 else []:
                if excess <= 0:
                    break
                excess -= self._partitions.pop(key).nbytes


def _lacking(documents: Documents, vectors: _Vectors | None, where: Where) -> int:
    """How many documents that an asker may see have no vector; of a search among some, none is
    counted.
    """
    if where.only is not None:
        return 0
    theirs = documents.fields_for(where)
    if vectors is None:
        return theirs.count
    rows = vectors.rows[vectors.rows >= 0]
    return theirs.count - int(np.count_nonzero(theirs.alive[rows]))


def _matches(
    documents: Documents,
    rows: NDArray[Any],
    scores: NDArray[Any],
    limit: int,
    told: Callable[[Rows], Told] | None = None,
) -> Matches:
    """The best of some rows, in order; told gives what makes their scores by words."""
    if len(rows) > limit:
        good = scores >= nth_greatest(scores, limit)
        rows, scores = rows[good], scores[good]
    docs = documents.docs[rows]
    order = np.lexsort((-docs, -scores))[:limit]
    rows = rows[order]

    def signs() -> SignColumns:
        return documents.signs(rows, told(rows) if told else None)

    return Matches(
        docs[order], scores[order].astype(np.float64), signs, partial(documents.named, rows)
    )


def _best(found: Sequence[Matches], limit: int) -> Matches:
    """The best of what was found in several partitions, each in order."""
    some = list(filter(len, found))
    if len(some) < 2:
        return some[0] if some else Matches.none()
    one, other = some
    docs, scores = (
        np.concatenate([one.docs, other.docs]),
        np.concatenate([one.scores, other.scores]),
    )
    order = np.lexsort((-docs, -scores))[:limit]

    def names() -> list[tuple[Kind, str, int]]:
        return list(map([*one.names(), *other.names()].__getitem__, order.tolist()))

    def signs() -> SignColumns:
        return one.signs.followed_by(other.signs)[order]

    return Matches(docs[order], scores[order], signs, names)
