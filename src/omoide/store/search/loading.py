"""Partitions that are being read: by searches as far as their patience goes, then by a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

from omoide.nouns.errors import StoreClosed, StoreError, StoreRefused
from omoide.store.search.state import State
from omoide.store.search.unread import ALL, Key, PartitionRows, Tuples

# of a tenant: a short read transaction, as what runs its queries
ShortReads: TypeAlias = Callable[[str], AbstractContextManager[Tuples]]

STEP = 16_384  # rows that are read at once, at first; about a tenth of a second
_STEP_MOST = 2  # so many times as much, once much is here: fewer steps, and less to merge
_PAUSE_S, _PAUSE_MOST_S = 0.5, 60.0  # before a load that failed is tried again

MISSING = "older memories are still being read; ask again for all of them"
FAILED = "some memories could not be read, which is tried again"


class Partition:
    """One cached partition. Reading holds its lock alone, for a step; searching holds none."""

    def __init__(self, key: Key, step: int | None) -> None:
        self.key, self._step_rows = key, step
        self.state = State()
        self.models = set[int]()  # embedders that were asked for
        self.fault = ""  # why it could not be read further
        self.nbytes = 0  # about: not measured again for a little more
        self.is_wasteful = False  # reading the state afresh costs less than carrying it on
        self.thread: threading.Thread | None = None  # that reads the rest
        self.is_renewed = False  # which is nothing but a copy without dead rows
        self._lock = threading.Lock()
        self._measured = -1
        self._afresh: State | None = None  # what shall take the place of one full of dead rows

    @property
    def is_read(self) -> bool:
        """Nothing is left to read, as far as is known."""
        state = self.state
        there = all(m in state.vectors and not state.vectors[m].unread for m in self.models)
        return not self.fault and state.unread is None and there

    def begin_anew(self) -> None:
        """In a forked child: go on with what has been read, without the threads of the parent, one
        of which may have been at it.
        """
        self._lock, self.thread = threading.Lock(), None

    def missing(self, state: State, seq: int, model: int | None) -> str:
        """Why something may be missing from a state of it; nothing is."""
        if state.is_whole(seq, model):
            return ""
        return f"{FAILED} ({self.fault})" if self.fault else MISSING

    def read_whole(self, source: PartitionRows, seq: int, model: int | None) -> State:
        """The state at that counter or a later one, read in the caller's transaction."""
        while not self.state.is_whole(seq, model):
            with self._lock:
                if self.is_wasteful:
                    self._publish(State())
                if not self._advance(source, seq, model, self._step_rows or ALL):
                    break
        return self.state

    def read_until(
        self, source: PartitionRows, seq: int, model: int | None, until: float | None
    ) -> State:
        """The state at that counter or a later one; or how far it has been read at a time, by one
        step at least. While a thread reads the rest, what changed since is all that is read.
        """
        while not self.state.is_whole(seq, model):
            wait_s = -1 if until is None else max(0.0, until - time.monotonic())
            if not self._lock.acquire(timeout=wait_s):
                break
            further = self.fault != "" or self.is_renewed or not self.is_at_it
            try:
                advanced = self._advance(source, seq, model, self._rows, further=further)
            finally:
                self._lock.release()
            is_late = until is not None and time.monotonic() >= until
            if not advanced or not further or is_late:
                break
        return self.state

    def is_ready(self, seq: int, model: int | None) -> bool:
        """Nothing is missing at that counter, and nothing is to be seen to."""
        return not (self.fault or self.is_wasteful) and self.state.is_whole(seq, model)

    @property
    def is_at_it(self) -> bool:
        """A thread reads the rest."""
        return self.thread is not None and self.thread.is_alive()

    def read_on(self, source: PartitionRows) -> None:
        """One step further with all that is wanted of it."""
        seq = source.counter()
        for model in sorted(self.models) or (None,):
            with self._lock:
                self._advance(source, seq, model, self._rows)
        self.fault = ""

    def renew(self, source: PartitionRows) -> None:
        """One step further with a copy without dead rows, which at last takes the place of the
        state. Documents come first: so vectors of hidden ones stay out.
        """
        seq, fresh = source.counter(), self._afresh or State()
        fresh = fresh.read(source, seq, None, self._rows)
        whole = fresh.unread is None
        for model in sorted(self.models) if whole else ():
            fresh = fresh.read(source, seq, model, self._rows)
            whole = whole and fresh.is_whole(seq, model)
        self._afresh = fresh
        with self._lock:
            if whole and fresh.seq >= self.state.seq:
                self._afresh = None
                self._publish(fresh)

    @property
    def _rows(self) -> int:
        """How many rows the next step reads."""
        step = self._step_rows or STEP
        return min(_STEP_MOST * step, max(step, len(self.state.documents) // 4))

    def _advance(
        self, source: PartitionRows, seq: int, model: int | None, rows: int, *, further: bool = True
    ) -> bool:
        """Publish one step more, under the lock; False if a snapshot so old has nothing for it."""
        state = self.state
        if state.is_whole(seq, model):
            return True
        after = state.read(source, seq, model, rows, further=further)
        self._publish(after)
        return _reached(after, model) != _reached(state, model)

    def _publish(self, state: State) -> None:
        self.state, self.is_wasteful = state, state.wasted
        if not self._measured * 0.98 <= state.size <= self._measured * 1.02:
            self._measured, self.nbytes = state.size, state.nbytes


def _reached(state: State, model: int | None) -> tuple[object, ...]:
    """How far a state has been read."""
    vectors = None if model is None else state.vectors.get(model)
    return (state.seq, state.unread, vectors and (vectors.seq, vectors.unread))


class Loader:
    """Reads partitions for searches, and in the background what these did not wait for.

    reading: gives the short transactions of the thread. holds: whether a partition is still wanted.
    """

    def __init__(self, reading: ShortReads, holds: Callable[[Partition], bool]) -> None:
        self._reading, self._holds = reading, holds
        self.begin_anew()

    def begin_anew(self) -> None:
        """Without any thread yet, as after a fork."""
        self._mutex, self._stopped = threading.Lock(), threading.Event()

    def read(
        self,
        partition: Partition,
        source: PartitionRows,
        seq: int,
        model: int | None,
        until: float | None,
    ) -> State:
        """A partition at that counter or a later one, or as far as it has been read at a time; then
        the rest is read in the background.

        What goes wrong is told as the partition's fault, and tried again.

        Raises:
            StoreRefused, StoreClosed: the store is damaged, or was closed.
        """
        if model is not None:
            partition.models.add(model)
        try:
            state, fault = partition.read_until(source, seq, model, until), ""
        except (StoreRefused, StoreClosed):
            raise
        except (MemoryError, StoreError) as error:
            state, fault = partition.state, _said(error)
        whole = state.is_whole(seq, model)
        if whole or fault:
            partition.fault = fault
        if not whole or partition.is_wasteful:
            self._see_to(partition)
        return state

    def stop(self) -> None:
        """Let no step begin any more."""
        self._stopped.set()

    def _see_to(self, partition: Partition) -> None:
        """Have a thread read the rest, unless one is at it."""
        with self._mutex:
            if partition.is_at_it:
                return
            partition.thread = threading.Thread(
                target=self._read_rest, args=(partition,), name="omoide-partitions", daemon=True
            )
            partition.thread.start()

    def _read_rest(self, partition: Partition) -> None:
        pause_s = _PAUSE_S
        while not self._stopped.is_set() and self._holds(partition):
            try:
                if not self._read_step(partition):
                    return
                pause_s = _PAUSE_S
            except StoreClosed:
                return
            except (MemoryError, StoreError) as error:
                partition.fault = _said(error)
                self._stopped.wait(pause_s)
                pause_s = min(2 * pause_s, _PAUSE_MOST_S)

    def _read_step(self, partition: Partition) -> bool:
        """Read a step more; False if nothing is left."""
        partition.is_renewed = is_read = partition.is_read
        if is_read and not partition.is_wasteful:
            return False
        with self._reading(partition.key[0]) as tuples:
            source = PartitionRows(tuples, partition.key)
            (partition.renew if is_read else partition.read_on)(source)
        return True


def _said(error: BaseException) -> str:
    return str(error) or "there is not enough memory"
