"""The search index in memory: hot partitions, kept in step with the database by their change
counters.

A partition is one tenant and user; the empty user's holds what belongs to no user. An asker
searches the partitions of his tenant with his user and with none, as one: BM25 statistics are
over both, less what is of other agents or closed to all but a session, and over nobody else's.
What is held here is a copy of committed rows and may be dropped at any time.

It relies on three promises of the database. Every write of documents or vectors moves the
partition's counter on and stamps what it writes with it. Counters of one partition commit in
order. The row of a counter is never deleted, since a counter that starts again tells nothing.

A partition is read in steps, the newest rows first, and each step is published. A search reads as
far as its patience goes; a thread reads the rest in short transactions of its own.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import is_
from typing import Any, TypeAlias
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.embedder import Vector
from omoide.nouns.errors import InvalidInput
from omoide.nouns.kind import Kind
from omoide.nouns.match import Matches, Where
from omoide.store.search.documents import PartitionDocuments
from omoide.store.search.greatest import nth_greatest
from omoide.store.search.loading import Loader, Partition, ShortReads
from omoide.store.search.lookup import Search, look_up
from omoide.store.search.postings import RowNumbers
from omoide.store.search.scoring import ToldByIndex
from omoide.store.search.state import State
from omoide.store.search.unread import Key, PartitionRows, Tuples
from omoide.store.search.vectors import EmbedderVectors
from omoide.text.slips import slips_of
from omoide.text.words import QueryTerm

Counters: TypeAlias = list[tuple[Any, ...]]  # of an asker's partitions: user and counter
# a partition, at a counter or a later one, with the vectors of an embedder
_Read: TypeAlias = Callable[[Partition, PartitionRows, int, int | None], State]

_NEAR = 0.5  # what a word counts that is a slip away from the one asked for


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

    memory_budget_bytes: least recently searched partitions are dropped beyond that; those of the
    last search stay in any case. reading: gives ``tuples`` of a read transaction of a tenant, in
    which a thread reads what searches did not wait for; without it they read all themselves. step:
    rows that are read at once; None: all.
    """

    def __init__(
        self,
        memory_budget_bytes: int = 512 * 2**20,
        *,
        reading: ShortReads | None = None,
        step: int | None = None,
    ) -> None:
        self._budget = memory_budget_bytes
        self._loader = None if reading is None else Loader(reading, self._holds)
        self._step = step
        self._lock = threading.Lock()
        self._partitions: OrderedDict[Key, Partition] = OrderedDict()
        if self._loader is not None:  # else they are a transaction's, which no child goes on with
            _lasting.add(self)

    def match_text(
        self,
        tuples: Tuples,
        terms: Sequence[QueryTerm],
        where: Where,
        limit: int,
        rarest: int | None = None,
        least: int = 1,
        shared: Shared | None = None,
    ) -> Matches:
        """The best documents by BM25, best first; scores are above 0. Equal scores: the newer
        document first.

        rarest: only so many of the terms count, those that the fewest documents have. least:
        documents have at least so many of these in their own words, or all if there are fewer.
        shared: what it has in common with other searches of its transaction.
        """
        if not terms or limit < 1:
            return Matches.none()
        shared = shared or Shared()
        states, loading = self._current(tuples, where, None, shared.until)
        documents = [state.documents for state in states]
        search = shared.look_up(documents, terms, where, rarest)
        return replace(_by_words(documents, search, where, limit, least), loading=loading)

    def match_vector(
        self,
        tuples: Tuples,
        vector: Vector,
        model: int,
        where: Where,
        limit: int,
        until: float | None = None,
    ) -> Matches:
        """The documents with the nearest vectors by cosine, best first. Equal scores: the newer
        document first. until: by ``time.monotonic``, when it takes what has been read so far.

        Raises:
            InvalidInput: vector has another dimension than the vectors of that embedder.
        """
        if limit < 1:
            return Matches.none()
        states, loading = self._current(tuples, where, model, until)
        found = [
            _by_vectors(state.documents, state.vectors.get(model), vector, where, limit)
            for state in states
        ]
        waiting = 0 if loading else sum(some.waiting for some in found)
        return replace(_best(found, limit), waiting=waiting, loading=loading)

    def clear(self) -> None:
        """Drop everything held."""
        with self._lock:
            self._partitions.clear()

    def close(self) -> None:
        """Drop everything held, and read nothing more in the background."""
        if self._loader is not None:
            self._loader.stop()
        self.clear()

    def begin_anew(self) -> None:
        """In a forked child: go on with what has been read, whatever the parent's threads held."""
        self._lock = threading.Lock()
        for partition in self._partitions.values():
            partition.begin_anew()
        if self._loader is not None:
            self._loader.begin_anew()

    def memory_bytes(self) -> int:
        """How much memory the partitions take, about."""
        with self._lock:
            return sum(p.nbytes for p in self._partitions.values())

    def faults(self) -> list[str]:
        """Why partitions could not be read to their end, in words; each is tried again."""
        with self._lock:
            return sorted({p.fault for p in self._partitions.values() if p.fault})

    def _current(
        self, tuples: Tuples, where: Where, model: int | None, until: float | None
    ) -> tuple[list[State], str]:
        """The asker's partitions, and why something may be missing from them."""
        seen = self._seen(tuples, where)
        if all(partition.is_ready(seq, model) for partition, seq in seen.items()):
            return [partition.state for partition in seen], ""
        before = sum(partition.nbytes for partition in seen)
        read: _Read = Partition.read_whole
        if self._loader is not None:
            read = partial(self._loader.read, until=until)
        states = {p: read(p, PartitionRows(tuples, p.key), seq, model) for p, seq in seen.items()}
        if sum(partition.nbytes for partition in seen) > before:
            self._make_room([partition.key for partition in seen])
        missing = (p.missing(state, seen[p], model) for p, state in states.items())
        return list(states.values()), next(filter(None, missing), "")

    def _seen(self, tuples: Tuples, where: Where) -> dict[Partition, int]:
        """The asker's partitions, his own first, and where their counters stand."""
        tenant, user = where.scope.tenant, where.scope.user or ""
        rows = list(tuples("partitions.seen", {"tenant": tenant, "user": user}))
        return {self._partition((tenant, whose)): seq for whose, seq in rows}

    def _partition(self, key: Key) -> Partition:
        with self._lock:
            partition = self._partitions.get(key)
            if partition is None:
                partition = self._partitions[key] = Partition(key, self._step)
            self._partitions.move_to_end(key)
            return partition

    def _holds(self, partition: Partition) -> bool:
        """Whether a partition is still one of those held; if so, others give way to it."""
        self._make_room([partition.key])
        with self._lock:
            return self._partitions.get(partition.key) is partition

    def _make_room(self, used: list[Key]) -> None:
        with self._lock:
            excess = sum(p.nbytes for p in self._partitions.values()) - self._budget
            for key in [k for k in self._partitions if k not in used] if excess > 0 else []:
                if excess <= 0:
                    break
                excess -= self._partitions.pop(key).nbytes


class Shared:
    """What the searches of one transaction share: when they take what has been read so far, by
    ``time.monotonic``, and the words that were looked up last, to be asked for among other
    documents.
    """

    def __init__(self, until: float | None = None) -> None:
        self.until = until
        self._last: tuple[Sequence[PartitionDocuments], tuple[object, ...], Search] | None = None

    def look_up(
        self,
        documents: Sequence[PartitionDocuments],
        terms: Sequence[QueryTerm],
        where: Where,
        rarest: int | None,
    ) -> Search:
        """Words looked up in some partitions, for whoever asks there."""
        asked = (*terms, where.scope.agent, where.scope.session, rarest)
        if self._last is not None:
            before, asked_before, search = self._last
            same = len(before) == len(documents) and all(map(is_, before, documents))
            if same and asked == asked_before:
                return search
        search = look_up(
            [some.fields_for(where) for some in documents],
            [(t.term, t.weight) for t in terms],
            rarest=rarest,
            instead=partial(_slips, {t.term: t.weight for t in terms if t.forgiving}),
        )
        self._last = documents, asked, search
        return search


def _slips(forgiving: dict[str, float], term: str) -> dict[str, float]:
    """What a word may be a slip of and the weight of each, where slips in it are forgiven."""
    return dict.fromkeys(slips_of(term), forgiving[term] * _NEAR) if term in forgiving else {}


def _check_shape(vector: Vector, dimension: int) -> None:
    if vector.shape != (dimension,):
        raise InvalidInput(
            "vector",
            f"shape {vector.shape}, but this embedder's vectors have {dimension} dimensions",
        )


def _lacking(documents: PartitionDocuments, vectors: EmbedderVectors | None, where: Where) -> int:
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


def _by_words(
    documents: Sequence[PartitionDocuments], search: Search, where: Where, limit: int, least: int
) -> Matches:
    """The best documents of some partitions by words, as far as the asker may see."""
    among = None if where.only is None else [some.among(where) for some in documents]
    found = []
    for number, (rows, scores) in enumerate(search.scored(among=among, least=least)):
        if where.only is None:
            seen = documents[number].visible_of(rows, where)
            rows, scores = rows[seen], scores[seen]
        told = partial(search.told, number)
        found.append(_matches(documents[number], rows, scores, limit, told))
    return _best(found, limit)


def _by_vectors(
    documents: PartitionDocuments,
    vectors: EmbedderVectors | None,
    vector: Vector,
    where: Where,
    limit: int,
) -> Matches:
    """The nearest documents of a partition, and how many have no vector yet."""
    waiting = _lacking(documents, vectors, where)
    if vectors is None or vectors.matrix is None:
        return replace(Matches.none(), waiting=waiting)
    _check_shape(vector, vectors.matrix.dimension)
    rows, scores = vectors.nearest(vector, documents, where, limit)
    return replace(_matches(documents, rows, scores, limit), waiting=waiting)


def _matches(
    documents: PartitionDocuments,
    rows: NDArray[Any],
    scores: NDArray[Any],
    limit: int,
    told: Callable[[RowNumbers], ToldByIndex] | None = None,
) -> Matches:
    """The best of some rows, in order; told gives what makes their scores by words."""
    if len(rows) > limit:
        good = scores >= nth_greatest(scores, limit)
        rows, scores = rows[good], scores[good]
    docs = documents.docs[rows]
    order = np.lexsort((-docs, -scores))[:limit]
    rows, scores = rows[order], scores[order].astype(np.float64)
    return Matches(
        docs[order],
        scores,
        lambda at: documents.signs(rows[at], told(rows[at]) if told else None),
        partial(documents.named, rows),
    )


def _best(found: Sequence[Matches], limit: int) -> Matches:
    """The best of what was found in one or two partitions, each in order."""
    some = list(filter(len, found))
    if len(some) < 2:
        return some[0] if some else Matches.none()
    one, other = some
    return _joined(one, other, limit)


def _joined(one: Matches, other: Matches, limit: int) -> Matches:
    docs = np.concatenate([one.docs, other.docs])
    scores = np.concatenate([one.scores, other.scores])
    order = np.lexsort((-docs, -scores))[:limit]

    def names() -> list[tuple[Kind, str, int]]:
        return list(map([*one.names(), *other.names()].__getitem__, order.tolist()))

    return Matches(
        docs[order],
        scores[order],
        lambda at: one.signs.followed_by(other.signs)[order[at]],
        names,
    )


_lasting: WeakSet[Partitions] = WeakSet()


def _after_fork() -> None:
    for partitions in list(_lasting):
        partitions.begin_anew()


os.register_at_fork(after_in_child=_after_fork)
