"""The documents of one partition in memory: their words and columns, and who neighbours whom.

A document takes the next free row. One that is altered takes a new row and leaves its old one
dead. Nothing published changes afterwards, so readers need no lock; what an aborted update has
written lies behind the published end and is written over by the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.kind import Kind
from omoide.nouns.match import SignColumns, Where
from omoide.store.search.columns import TIMES, Columns, RowMask
from omoide.store.search.growing import Growing
from omoide.store.search.places import NO_ROW, Ints, Places
from omoide.store.search.postings import Floats, Hashes, Postings, RowNumbers, hash_words
from omoide.store.search.scoring import Bm25Fields, ToldByIndex
from omoide.store.search.sight import Sight
from omoide.store.search.unread import RowPage

# the columns of docs.changed, in its order
_COLUMNS = (
    *("doc", "kind", "ref", "part", "agent", "only_session", "session_id", "position", "category"),
    *("context", "sensitive", "muted", "unconfirmed"),
    *("at", "recorded_at", "valid_from", "valid_until", "closed_at", "superseded_at"),
    *("expires_at", "own", "around", "seq"),
)
_CHUNK = 1024  # documents read at once; small enough for the processor's cache
_FEW = 8  # fewer than one row of so many are looked at one by one
_RUN = 3  # turns that stand together; more say no more

ColumnValues: TypeAlias = Mapping[str, Sequence[Any]]  # some rows of docs.changed, by column


class _Room:
    """What the published states of one partition share: growing arrays."""

    def __init__(self) -> None:
        self.own_length, self.written_length, self.around_length = (
            Growing(np.float32) for _ in range(3)
        )
        self.alive = Growing(np.bool_)
        self.before, self.after = Growing(np.int32), Growing(np.int32)
        # None for turns, whose refs are made from session and position
        self.refs: list[str | None] = []


@dataclass(frozen=True, slots=True)
class _Written:
    """The words of some documents: their hashes, and how many each has, in both fields."""

    own: Hashes
    own_length: RowNumbers
    around: Hashes
    around_length: RowNumbers

    @classmethod
    def of(cls, values: ColumnValues) -> _Written:
        count = len(values["doc"])
        hashes, lengths = hash_words((*values["own"], *values["around"]))
        cut = int(lengths[:count].sum())
        return cls(hashes[:cut], lengths[:count], hashes[cut:], lengths[count:])


@dataclass(frozen=True, slots=True)
class PartitionDocuments:
    """The documents of one partition as of one moment."""

    room: _Room
    columns: Columns
    fields: Bm25Fields
    written_length: Floats  # words of the around column alone, without those of neighbours
    places: Places
    # least and greatest of each time column
    bounds: Mapping[str, tuple[int, int]]
    user: str = ""  # whose they are

    @classmethod
    def none(cls, user: str = "") -> PartitionDocuments:
        """A partition without documents."""
        lengths = np.zeros(0, np.float32)
        return cls(_Room(), Columns.none(), Bm25Fields.none(), lengths, Places(), {}, user)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def docs(self) -> Ints:
        """The document of each row."""
        return self.columns["doc"]

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for texts."""
        fields = self.fields
        lengths = (self.written_length, fields.own_length, fields.around_length)
        arrays = (self.columns, *lengths, fields.before, fields.after, fields.alive)
        words = (fields.own, fields.around, self.places)
        return sum(a.nbytes for a in (*arrays, *words)) + 60 * len(self.room.refs)

    def extended(self, page: RowPage) -> PartitionDocuments:
        """With rows of ``docs.changed`` at the end, whose places are not yet ``settled``."""
        read, written = self, list[_Written]()
        for chunk in page.chunks(_CHUNK):
            values = dict(zip(_COLUMNS, zip(*chunk, strict=True), strict=True))
            written.append(_Written.of(values))
            read = read._with_chunk(values, written[-1])
        return read._with_words(written, len(self))

    def merged(self) -> PartitionDocuments:
        """The same, to be searched faster: to be called once nothing more is to be read."""
        fields = self.fields
        own, around = fields.own.merged(), fields.around.merged()
        if own is fields.own and around is fields.around:
            return self
        return replace(self, fields=replace(fields, own=own, around=around))

    def settled(self, start: int, erased: Ints) -> PartitionDocuments:
        """With the rows from start put for older ones of the same documents, and erased documents
        taken out.
        """
        docs = self.docs[start:]
        if not len(docs) and not len(erased):
            return self
        gone = np.setdiff1d(erased, docs) if len(erased) else erased
        dead = self.places.find(np.concatenate([docs, gone]))
        dead = dead[dead >= 0]
        new = np.arange(start, len(self), dtype=np.int32)
        after = replace(self, places=self.places.updated(docs, new, gone))
        return after._without(dead)._linked(np.concatenate([dead, new]))

    def _with_chunk(self, values: ColumnValues, written: _Written) -> PartitionDocuments:
        room = self.room
        room.refs[len(self) :] = [
            None if kind == Kind.TURN else ref
            for kind, ref in zip(values["kind"], values["ref"], strict=True)
        ]
        lengths = room.written_length.extended(self.written_length, written.around_length)
        return replace(
            self,
            columns=self.columns.extended(values),
            fields=self._longer(written),
            written_length=lengths,
            bounds={name: self._bounds(name, values[name]) for name in TIMES},
        )

    def _longer(self, written: _Written) -> Bm25Fields:
        """The fields with the lengths of more documents, without neighbours and postings yet."""
        room, fields, count = self.room, self.fields, len(written.own_length)
        nobody = np.full(count, NO_ROW, np.int32)
        return replace(
            fields,
            own_length=room.own_length.extended(fields.own_length, written.own_length),
            around_length=room.around_length.extended(fields.around_length, written.around_length),
            alive=room.alive.extended(fields.alive, np.ones(count, bool)),
            before=room.before.extended(fields.before, nobody),
            after=room.after.extended(fields.after, nobody),
            count=fields.count + count,
            own_total=fields.own_total + len(written.own),
            around_total=fields.around_total + len(written.around),
        )

    def _with_words(self, written: Sequence[_Written], start: int) -> PartitionDocuments:
        """With the postings of the rows from start."""
        if not written:
            return self
        own = [(w.own, w.own_length) for w in written]
        around = [(w.around, w.around_length) for w in written]
        fields = replace(
            self.fields,
            own=_with(self.fields.own, own, start),
            around=_with(self.fields.around, around, start),
        )
        return replace(self, fields=fields)

    def _bounds(self, name: str, new: Sequence[int]) -> tuple[int, int]:
        low, high = min(new), max(new)
        old_low, old_high = self.bounds.get(name, (low, high))
        return min(low, old_low), max(high, old_high)

    def _without(self, dead: RowNumbers) -> PartitionDocuments:
        """With some rows dead."""
        if not len(dead):
            return self
        fields = self.fields
        alive, around_length = fields.alive.copy(), fields.around_length.copy()
        alive[dead] = False
        around_length[dead] = 0
        fields = replace(
            fields,
            alive=alive,
            around_length=around_length,
            count=fields.count - len(dead),
            own_total=fields.own_total - _total(fields.own_length[dead]),
            around_total=fields.around_total - _total(fields.around_length[dead]),
        )
        return replace(self, fields=fields)

    def _linked(self, changed: RowNumbers) -> PartitionDocuments:
        """With neighbours and lengths made anew for the sessions of changed rows, if there are
        turns among these.
        """
        if not self._are_turns(changed).any():
            return self
        rows = self._turns_in_order(changed)
        former, latter = self._neighbours(rows)
        before, after = self.fields.before.copy(), self.fields.after.copy()
        before[changed] = before[rows] = after[changed] = after[rows] = NO_ROW
        after[former], before[latter] = latter, former
        # as where all is read afresh: without turns, nothing is known of neighbours
        linked = bool(len(rows)) or self._has_turns()
        fields = replace(self.fields, before=before, after=after, linked=linked)
        return replace(self, fields=self._measured(fields, rows))

    def _neighbours(self, turns: RowNumbers) -> tuple[RowNumbers, RowNumbers]:
        """Of turns in order, those that another one of their session follows, and these."""
        session = self.columns["session_id"][turns]
        joined = session[1:] == session[:-1]  # across what was forgotten between them, too
        return turns[:-1][joined], turns[1:][joined]

    def _has_turns(self) -> bool:
        return bool(self._are_turns(np.flatnonzero(self.fields.alive).astype(np.int32)).any())

    def _measured(self, fields: Bm25Fields, rows: RowNumbers) -> Bm25Fields:
        """Fields with the lengths of the words around some turns, by their neighbours."""
        lengths = self.written_length[rows]
        for link in fields.links(rows):
            lengths = lengths + np.where(link == NO_ROW, np.float32(0), fields.own_length[link])
        around_length = fields.around_length.copy()
        more = _total(lengths) - _total(around_length[rows])
        around_length[rows] = lengths
        return replace(fields, around_length=around_length, around_total=fields.around_total + more)

    def _are_turns(self, rows: RowNumbers) -> RowMask:
        turn = self.columns.names["kind"].get(Kind.TURN, NO_ROW)
        turns: RowMask = self.columns["kind"][rows] == turn
        return turns

    def _turns_in_order(self, changed: RowNumbers) -> RowNumbers:
        """The living turns of all sessions that changed rows belong to, session by session."""
        columns = self.columns
        session = columns["session_id"]
        among = np.zeros(len(columns.names["session_id"]), bool)
        among[session[changed]] = True
        rows = np.flatnonzero(among[session]).astype(np.int32)
        rows = rows[self._are_turns(rows) & self.fields.alive[rows]]
        return rows[np.lexsort((columns["part"][rows], columns["position"][rows], session[rows]))]

    @property
    def _sight(self) -> Sight:
        return Sight(self.columns, self.fields.alive, self.bounds, self.user)

    def visible(self, where: Where) -> RowMask:
        """Which rows a search may see. The asker's tenant and user are the partition's."""
        mask = self._sight.seen(where, None)
        if where.only is not None:
            among = np.zeros(len(mask), bool)
            among[self._rows_of(where.only)] = True
            mask &= among
        return mask

    def among(self, where: Where) -> RowNumbers | None:
        """The rows, ascending, that a search may see of the documents it asks about alone; None if
        it asks about all.
        """
        if where.only is None:
            return None
        rows = self._rows_of(where.only)
        return rows[self._sight.seen(where, rows)]

    def visible_of(self, rows: RowNumbers, where: Where) -> RowMask:
        """Which of some rows a search may see, leaving aside which documents it asks about."""
        if _FEW * len(rows) < len(self):
            return self._sight.seen(where, rows)
        return self._sight.seen(where, None)[rows]

    def _rows_of(self, docs: Iterable[int]) -> RowNumbers:
        rows = self.places.find(np.fromiter(docs, np.int64))
        rows = rows[rows >= 0]
        rows.sort()
        return rows

    def fields_for(self, where: Where) -> Bm25Fields:
        """What BM25 needs to know, for an asker: what is of other agents, or closed to all but a
        session, counts as gone, so that no score tells which words are in it.
        """
        fields, mask = self.fields, self._sight.open_to(where)
        count = int(np.count_nonzero(mask))
        if count == fields.count:
            return fields
        return replace(
            fields,
            alive=mask,
            count=count,
            own_total=_total(fields.own_length[mask]),
            around_total=_total(fields.around_length[mask]),
        )

    def signs(self, rows: NDArray[Any], told: ToldByIndex | None) -> SignColumns:
        """What is known of the documents in some rows, and by told of the words asked for in
        them.
        """
        asks, assistant = self.columns["asks"], self.columns["assistant"]
        runs, after_question, assisted = self._beside(rows, asks, assistant)
        known = [
            *(self.fields.own_length[rows], self.columns["position"][rows]),
            *(runs, asks[rows], after_question),
            *(assistant[rows], assistant[rows] | assisted, *(told or ())),
        ]
        signs = SignColumns.unset(len(rows))
        signs.sessions[:] = self._sessions(rows)
        # without words asked for, the last are unset
        for line, values in zip(signs.numbers, known, strict=False):
            line[:] = values
        return signs

    def _sessions(self, rows: NDArray[Any]) -> list[str]:
        names = self.columns.names["session_id"].names
        return [names[code] for code in self.columns["session_id"][rows].tolist()]

    def _beside(
        self, rows: NDArray[Any], asks: RowMask, assistant: RowMask
    ) -> tuple[RowNumbers, RowMask, RowMask]:
        """What is known of some rows by their neighbours: the run, whether they follow a question,
        whether an assistant speaks beside them.
        """
        links = self.fields.links(rows)
        if not links:
            nothing = np.zeros(len(rows), bool)
            return nothing.astype(np.int32), nothing, nothing
        before, after = links
        assisted = _of(before, assistant) | _of(after, assistant)
        return self._runs(before, after), _of(before, asks), assisted

    def _runs(self, before: RowNumbers, after: RowNumbers) -> RowNumbers:
        """How many turns stand together, of which these are the neighbours; counted up to three."""
        links = (
            before,
            after,
            _of(before, self.fields.before + 1) - 1,
            _of(after, self.fields.after + 1) - 1,
        )
        counts: RowNumbers = np.sum([link != NO_ROW for link in links], axis=0, dtype=np.int32)
        return np.minimum(1 + counts, np.int32(_RUN))

    def named(self, rows: NDArray[Any]) -> list[tuple[Kind, str, int]]:
        """Kind, ref and part of the documents in some rows."""
        kinds = list(map(Kind, self.columns.names["kind"].names))
        columns = (self.columns[name][rows].tolist() for name in ("kind", "position", "part"))
        refs = map(self.room.refs.__getitem__, rows.tolist())
        return [
            (kinds[kind], f"{session}#{at}" if ref is None else ref, part)
            for ref, session, kind, at, part in zip(
                refs, self._sessions(rows), *columns, strict=True
            )
        ]


def _total(lengths: Floats) -> float:
    return float(lengths.sum(dtype=np.float64))


def _of(links: RowNumbers, values: NDArray[Any]) -> NDArray[Any]:
    """What a neighbour has; nothing where there is none."""
    return np.where(links == NO_ROW, values.dtype.type(0), values[links])


def _with(postings: Postings, chunks: Sequence[tuple[Hashes, RowNumbers]], start: int) -> Postings:
    words, lengths = zip(*chunks, strict=True)
    return postings.extended(np.concatenate(words), np.concatenate(lengths), start)
