"""The documents of one partition in memory: what a search filters by, and who neighbours whom.

A document takes the next free row. One that is altered takes a new row and leaves its old one
dead. Nothing published changes afterwards, so readers need no lock; what an aborted update has
written lies behind the published end and is written over by the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.clock import to_micros
from omoide.records import Kind, Where
from omoide.store.growing import Growing
from omoide.store.postings import Fields, Floats, Hashes, Postings, Rows, hash_words

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

# the columns of docs.changed, in its order
_COLUMNS = (
    *("doc", "kind", "ref", "part", "agent", "only_session", "session_id", "position", "category", "context"),
    *("sensitive", "muted", "at", "recorded_at", "valid_from", "valid_until", "closed_at", "superseded_at"),
    *("expires_at", "own", "around"),
)
_NAMES = ("kind", "agent", "only_session", "session_id", "category", "context")
_TIMES = ("at", "recorded_at", "valid_from", "valid_until", "closed_at", "superseded_at", "expires_at")
_CHUNK = 1024  # documents read at once; small enough for the processor's cache
NO_ROW = -1


class Codes(dict[str, int]):
    """Numbers for names, from 0 in the order they are first seen."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self.names)
        self.names.append(name)
        return code

    def encode(self, names: Iterable[str], count: int) -> Rows:
        """The numbers of that many names; unseen names get new ones."""
        return np.fromiter(map(self.__getitem__, names), np.int32, count)


@dataclass(frozen=True, slots=True)
class Places:
    """Where documents are, by their number: two arrays of the same length, documents ascending."""

    docs: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    at: Rows = field(default_factory=lambda: np.empty(0, np.int32))

    def find(self, docs: Ints) -> Rows:
        """The place of each document; -1 for those that are nowhere."""
        if not len(self.docs):
            return np.full(len(docs), NO_ROW, np.int32)
        near = np.searchsorted(self.docs, docs)
        near[near == len(self.docs)] = 0
        return np.where(self.docs[near] == docs, self.at[near], NO_ROW).astype(np.int32)

    def updated(self, docs: Ints, at: Rows, gone: Ints) -> Places:
        """With documents put in their places, and others taken out."""
        order = np.argsort(docs)
        docs, at = docs[order], at[order]
        kept_docs, kept_at = self.docs, self.at
        if len(kept_docs) and (len(gone) or (len(docs) and docs[0] <= kept_docs[-1])):
            stays = np.ones(len(kept_docs), bool)
            for leaving in (docs, gone):
                near = np.searchsorted(kept_docs, leaving)
                near = near[near < len(kept_docs)]
                stays[near[np.isin(kept_docs[near], leaving)]] = False
            kept_docs, kept_at = kept_docs[stays], kept_at[stays]
        if len(kept_docs) and len(docs) and docs[0] <= kept_docs[-1]:
            before = np.searchsorted(kept_docs, docs)
            return Places(np.insert(kept_docs, before, docs), np.insert(kept_at, before, at))
        return Places(np.concatenate([kept_docs, docs]), np.concatenate([kept_at, at]))


class _Room:
    """What the published states of one partition share: growing arrays and the numbers of names."""

    def __init__(self) -> None:
        self.names = {name: Codes() for name in _NAMES}
        self.columns = {
            name: Growing(np.int32 if name in _NAMES else np.bool_ if name in ("sensitive", "muted") else np.int64)
            for name in _COLUMNS
            if name not in ("ref", "own", "around")
        }
        self.own_length, self.around_length = Growing(np.float32), Growing(np.float32)
        self.refs: list[str | None] = []  # None for turns, whose refs are made from session and position


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of one partition as of one moment."""

    room: _Room
    columns: Mapping[str, NDArray[Any]]
    fields: Fields
    written_length: Floats  # words of the around column alone, without those of neighbours
    places: Places
    bounds: Mapping[str, tuple[int, int]]  # least and greatest of each time column, to skip comparing what all fulfil

    @classmethod
    def none(cls) -> Documents:
        """A partition without documents."""
        room = _Room()
        nothing, no_row, no_word = np.zeros(0, np.float32), np.zeros(0, np.int32), Postings()
        fields = Fields(no_word, no_word, no_row, no_row, nothing, nothing, np.zeros(0, bool), 0, 0.0, 0.0)
        columns = {name: growing.extended(0, np.zeros(0, np.int64)) for name, growing in room.columns.items()}
        return cls(room, columns, fields, nothing, Places(), {})

    def __len__(self) -> int:
        return len(self.written_length)

    @property
    def docs(self) -> Ints:
        """The document of each row."""
        return self.columns["doc"]

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for texts."""
        fields = self.fields
        arrays = (*self.columns.values(), fields.before, fields.after, fields.own_length, fields.around_length, fields.alive)
        texts = 100 * sum(map(len, self.room.names.values())) + 60 * len(self.room.refs)
        places = self.places.docs.nbytes + self.places.at.nbytes
        return sum(a.nbytes for a in arrays) + fields.own.nbytes + fields.around.nbytes + places + texts

    def updated(self, tuples: Iterable[tuple[Any, ...]], erased: Ints) -> Documents:
        """With rows of ``docs.changed`` added, or put for older ones, and erased documents taken out."""
        start = len(self)
        columns, fields, written = self._read(tuples)
        docs = columns["doc"][start:]
        if not len(docs) and not len(erased):
            return self
        gone = np.setdiff1d(erased, docs)
        dead = self.places.find(np.concatenate([docs, gone]))
        dead = dead[dead >= 0]
        fields.alive[dead] = False
        new = np.arange(start, len(written), dtype=np.int32)
        fields = replace(
            fields,
            count=fields.count + len(new) - len(dead),
            own_total=fields.own_total + _total(fields.own_length[new]) - _total(fields.own_length[dead]),
        )
        after = replace(
            self,
            columns=columns,
            fields=fields,
            written_length=written,
            places=self.places.updated(docs, new, gone),
            bounds={name: self._bounds(name, columns[name][start:]) for name in _TIMES} if len(new) else self.bounds,
        )
        return after._linked(np.concatenate([dead, new]), dead)

    def _read(self, tuples: Iterable[tuple[Any, ...]]) -> tuple[dict[str, NDArray[Any]], Fields, Floats]:
        start = end = len(self)
        room, fields = self.room, self.fields
        columns, written, own_length = dict(self.columns), self.written_length, fields.own_length
        own: list[tuple[Hashes, Rows]] = []
        around: list[tuple[Hashes, Rows]] = []
        source = iter(tuples)
        while chunk := list(islice(source, _CHUNK)):
            values = dict(zip(_COLUMNS, zip(*chunk, strict=True), strict=True))
            for name, growing in room.columns.items():
                codes = room.names.get(name)
                new = codes.encode(values[name], len(chunk)) if codes is not None else np.fromiter(values[name], np.int64, len(chunk))
                columns[name] = growing.extended(end, new)
            room.refs[end:] = [None if kind == Kind.TURN else ref for kind, ref in zip(values["kind"], values["ref"], strict=True)]
            own.append(hash_words(values["own"]))
            around.append(hash_words(values["around"]))
            own_length = room.own_length.extended(end, own[-1][1])
            written = room.around_length.extended(end, around[-1][1])
            end += len(chunk)
        fields = replace(
            fields,
            own=_with(fields.own, own, start),
            around=_with(fields.around, around, start),
            own_length=own_length,
            around_length=_padded(fields.around_length, end, 0),
            alive=_padded(fields.alive, end, True),
            before=_padded(fields.before, end, NO_ROW),
            after=_padded(fields.after, end, NO_ROW),
        )
        return columns, fields, written

    def _bounds(self, name: str, new: Ints) -> tuple[int, int]:
        low, high = int(new.min()), int(new.max())
        old_low, old_high = self.bounds.get(name, (low, high))
        return min(low, old_low), max(high, old_high)

    def _linked(self, changed: Rows, dead: Rows) -> Documents:
        """With neighbours and lengths made anew for the sessions of changed rows. Writes to its own arrays only."""
        fields = self.fields
        rows = self._turns_in_order(changed)
        session, position = self.columns["session_id"][rows], self.columns["position"][rows]
        joined = (session[1:] == session[:-1]) & (np.diff(position) <= 1)
        fields.before[changed] = fields.before[rows] = fields.after[changed] = fields.after[rows] = NO_ROW
        fields.after[rows[:-1][joined]] = rows[1:][joined]
        fields.before[rows[1:][joined]] = rows[:-1][joined]
        affected = np.union1d(changed, rows)
        lengths = self.written_length[affected]
        for link in (fields.before[affected], fields.after[affected]):
            lengths = lengths + np.where(link == NO_ROW, np.float32(0), fields.own_length[link])
        earlier = _total(fields.around_length[affected])
        fields.around_length[affected] = lengths
        fields.around_length[dead] = 0
        around_total = fields.around_total + _total(fields.around_length[affected]) - earlier
        return replace(self, fields=replace(fields, around_total=around_total))

    def _turns_in_order(self, changed: Rows) -> Rows:
        """The living turns of all sessions that changed rows belong to, session by session."""
        columns = self.columns
        session, turn = columns["session_id"], self.room.names["kind"].get(Kind.TURN, NO_ROW)
        rows = np.flatnonzero(np.isin(session, np.unique(session[changed])))
        rows = rows[(columns["kind"][rows] == turn) & self.fields.alive[rows]]
        ordered: Rows = rows[np.lexsort((columns["part"][rows], columns["position"][rows], session[rows]))].astype(np.int32)
        return ordered

    def visible(self, where: Where) -> Mask:
        """Which rows a search may see. The asker's tenant and user are the partition's."""
        mask = self.fields.alive.copy()
        if not len(mask):
            return mask
        self._keep_names(mask, where)
        self._keep_times(mask, where)
        for name, wanted in (("sensitive", where.include_sensitive), ("muted", where.include_muted)):
            if not wanted:
                mask &= ~self.columns[name]
        if where.only is not None:
            rows = self.places.find(np.fromiter(where.only, np.int64, len(where.only)))
            among = np.zeros(len(mask), bool)
            among[rows[rows >= 0]] = True
            mask &= among
        return mask

    def _keep_names(self, mask: Mask, where: Where) -> None:
        wanted: dict[str, Iterable[str] | None] = {
            "agent": ("", where.scope.agent or ""),
            "only_session": ("", where.scope.session or ""),
            "kind": where.kinds,
            "category": where.categories,
            "context": where.contexts,
        }
        for column, names in wanted.items():
            if names is not None:
                codes = self.room.names[column]
                allowed = np.zeros(len(codes), bool)
                allowed[[codes[name] for name in names if name in codes]] = True
                if not allowed.all():
                    mask &= allowed[self.columns[column]]
        if where.without_session is not None:
            mask &= self.columns["session_id"] != self.room.names["session_id"].get(where.without_session, NO_ROW)

    def _keep_times(self, mask: Mask, where: Where) -> None:
        columns, bounds = self.columns, self.bounds
        as_of, known_at = to_micros(where.as_of), to_micros(where.known_at)
        not_before = [("valid_until", as_of + 1), ("expires_at", to_micros(where.now) + 1)]
        not_after = [("recorded_at", known_at), ("valid_from", as_of)]
        if where.since is not None:
            not_before.append(("at", to_micros(where.since)))
        if where.until is not None:
            not_after.append(("at", to_micros(where.until) - 1))
        for name, moment in not_before:
            if bounds[name][0] < moment:
                mask &= columns[name] >= moment
        for name, moment in not_after:
            if bounds[name][1] > moment:
                mask &= columns[name] <= moment
        if bounds["superseded_at"][0] <= known_at and bounds["closed_at"][0] <= as_of:
            mask &= (columns["superseded_at"] > known_at) | (columns["closed_at"] > as_of)

    def named(self, rows: NDArray[Any]) -> list[tuple[Kind, str, int]]:
        """Kind, ref and part of the documents in some rows."""
        kinds, sessions = (self.room.names[name].names for name in ("kind", "session_id"))
        kind, session, position, part = (self.columns[name][rows].tolist() for name in ("kind", "session_id", "position", "part"))
        refs = (self.room.refs[row] for row in rows.tolist())
        return [
            (Kind(kinds[k]), f"{sessions[s]}#{at}" if ref is None else ref, number)
            for ref, k, s, at, number in zip(refs, kind, session, position, part, strict=True)
        ]


def _total(lengths: Floats) -> float:
    return float(lengths.sum(dtype=np.float64))


def _with(postings: Postings, chunks: list[tuple[Hashes, Rows]], start: int) -> Postings:
    if not chunks:
        return postings
    words, lengths = zip(*chunks, strict=True)
    return postings.extended(np.concatenate(words), np.concatenate(lengths), start)


def _padded(values: NDArray[Any], length: int, fill: object) -> NDArray[Any]:
    """A copy with room for more rows."""
    copy = np.full(length, fill, values.dtype)
    copy[: len(values)] = values
    return copy
