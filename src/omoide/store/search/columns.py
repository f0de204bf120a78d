"""The documents of one partition in memory: what a search filters by, and who neighbours whom.

A document takes the next free row. One that is altered takes a new row and leaves its old one
dead. Nothing published changes afterwards, so readers need no lock; what an aborted update has
written lies behind the published end and is written over by the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.clock import to_micros
from omoide.nouns.kind import Kind
from omoide.nouns.match import ASKS, ASSISTANT, SignColumns, Where
from omoide.store.base import FOREVER
from omoide.store.search.growing import Growing
from omoide.store.search.postings import Fields, Floats, Hashes, Postings, Rows, Told, hash_words

Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

# the columns of docs.changed, in its order
_COLUMNS = (
    *(
        "doc",
        "kind",
        "ref",
        "part",
        "agent",
        "only_session",
        "session_id",
        "position",
        "category",
        "context",
    ),
    *(
        "sensitive",
        "muted",
        "unconfirmed",
        "at",
        "recorded_at",
        "valid_from",
        "valid_until",
        "closed_at",
        "superseded_at",
    ),
    *("expires_at", "own", "around"),
)
_NAMES = ("kind", "agent", "only_session", "session_id", "category", "context")
_TIMES = (
    "at",
    "recorded_at",
    "valid_from",
    "valid_until",
    "closed_at",
    "superseded_at",
    "expires_at",
)
_NUMBERS = ("doc", "part", "position", *_TIMES)
_HELD = ("sensitive", "muted", "unconfirmed")
_FLAGS = (*_HELD, "asks", "assistant")  # the last two are read from the words around
_LINES = {
    name: (block, line)
    for block, names in (("numbers", _NUMBERS), ("codes", _NAMES), ("flags", _FLAGS))
    for line, name in enumerate(names)
}
_CHUNK = 1024  # documents read at once; small enough for the processor's cache
_FEW = 8  # fewer than one row of so many are looked at one by one
NO_ROW = -1
RUN = 3  # turns that stand together; more say no more


@dataclass(frozen=True, slots=True)
class Columns:
    """What searches filter by, in blocks with one line for each column."""

    numbers: Ints  # shape (10, n)
    codes: Rows  # of names; shape (6, n)
    flags: Mask  # shape (5, n)

    def __len__(self) -> int:
        return int(self.numbers.shape[1])

    @property
    def nbytes(self) -> int:
        """Memory they take."""
        return self.numbers.nbytes + self.codes.nbytes + self.flags.nbytes

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column by its name."""
        block, line = _LINES[name]
        column: NDArray[Any] = getattr(self, block)[line]
        return column


class _Taken:
    """Some rows of columns, taken when they are asked for."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        self._columns, self._rows = columns, rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        """These rows of a column."""
        taken: NDArray[Any] = self._columns[name][self._rows]
        return taken


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


class Places:
    """Where documents are, by their number. Never changes; one made from it by adding shares its
    room.
    """

    def __init__(self) -> None:
        self._room = (Growing(np.int64), Growing(np.int32))
        self.docs: Ints = np.empty(0, np.int64)  # ascending
        self._at: Rows = np.empty(0, np.int32)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.docs.nbytes + self._at.nbytes

    def find(self, docs: Ints) -> Rows:
        """The place of each document; -1 for those that are nowhere."""
        if not len(self.docs):
            return np.full(len(docs), NO_ROW, np.int32)
        near = self.docs.searchsorted(docs)
        near[near == len(self.docs)] = 0
        return np.where(self.docs[near] == docs, self._at[near], np.int32(NO_ROW))

    def updated(self, docs: Ints, at: Rows, gone: Ints) -> Places:
        """With documents put in their places, and others taken out."""
        if len(docs) > 1:
            order = np.argsort(docs)
            docs, at = docs[order], at[order]
        changed = Places()
        if len(self.docs) and (len(gone) or (len(docs) and docs[0] <= self.docs[-1])):
            stays = ~np.isin(self.docs, np.concatenate([docs, gone]))
            kept_docs, kept_at = self.docs[stays], self._at[stays]
            before = kept_docs.searchsorted(docs)
            changed.docs, changed._at = (
                np.insert(kept_docs, before, docs),
                np.insert(kept_at, before, at),
            )
            return changed
        changed._room = self._room
        changed.docs, changed._at = (
            self._room[0].extended(self.docs, docs),
            self._room[1].extended(self._at, at),
        )
        return changed


class _Room:
    """What the published states of one partition share: growing arrays, and the numbers of
    names.
    """

    def __init__(self) -> None:
        self.names = {name: Codes() for name in _NAMES}
        self.numbers, self.codes = Growing(np.int64, len(_NUMBERS)), Growing(np.int32, len(_NAMES))
        self.flags = Growing(np.bool_, len(_FLAGS))
        self.own_length, self.written_length, self.around_length = (
            Growing(np.float32) for _ in range(3)
        )
        self.alive, self.before, self.after = (
            Growing(np.bool_),
            Growing(np.int32),
            Growing(np.int32),
        )
        # None for turns, whose refs are made from session and position
        self.refs: list[str | None] = []


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of one partition as of one moment."""

    room: _Room
    columns: Columns
    fields: Fields
    written_length: Floats  # words of the around column alone, without those of neighbours
    places: Places
    # least and greatest of each time column, to skip comparing what all fulfil
    bounds: Mapping[str, tuple[int, int]]
    user: str = ""  # whose they are

    @classmethod
    def none(cls, user: str = "") -> Documents:
        """A partition without documents."""
        room = _Room()
        nothing, no_row, no_word = np.zeros(0, np.float32), np.zeros(0, np.int32), Postings()
        fields = Fields(
            no_word,
            no_word,
            no_row,
            no_row,
            nothing,
            nothing,
            np.zeros(0, bool),
            0,
            0.0,
            0.0,
            linked=False,
        )
        columns = Columns(room.numbers.nothing, room.codes.nothing, room.flags.nothing)
        return cls(room, columns, fields, nothing, Places(), {}, user)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def docs(self) -> Ints:
        """The document of each row."""
        return self.columns["doc"]

    @property
    def nbytes(self) -> int:
        """Memory it takes, estimated for texts."""
        fields, room = self.fields, self.room
        lengths = (self.written_length, fields.own_length, fields.around_length)
        arrays = (self.columns, *lengths, fields.before, fields.after, fields.alive)
        words = (fields.own, fields.around, self.places)
        texts = 100 * sum(map(len, room.names.values())) + 60 * len(room.refs)
        return sum(a.nbytes for a in (*arrays, *words)) + texts

    def updated(self, tuples: Iterable[tuple[Any, ...]], erased: Ints) -> Documents:
        """With rows of ``docs.changed`` added, or put for older ones, and erased documents taken
        out.
        """
        start = len(self)
        read = self._read(tuples)
        docs = read.docs[start:]
        if not len(docs) and not len(erased):
            return self
        gone = np.setdiff1d(erased, docs) if len(erased) else erased
        dead = self.places.find(np.concatenate([docs, gone]))
        dead = dead[dead >= 0]
        new = np.arange(start, len(read), dtype=np.int32)
        after = replace(read, places=self.places.updated(docs, new, gone))
        return after._without(dead)._linked(np.concatenate([dead, new]))

    def _read(self, tuples: Iterable[tuple[Any, ...]]) -> Documents:
        """With rows at the end, not yet linked."""
        read, source = self, iter(tuples)
        own: list[tuple[Hashes, Rows]] = []
        around: list[tuple[Hashes, Rows]] = []
        while chunk := list(islice(source, _CHUNK)):
            read = read._read_chunk(
                dict(zip(_COLUMNS, zip(*chunk, strict=True), strict=True)), own, around
            )
        start, fields = len(self), read.fields
        return replace(
            read,
            fields=replace(
                fields,
                own=_with(fields.own, own, start),
                around=_with(fields.around, around, start),
            ),
        )

    def _read_chunk(
        self,
        values: Mapping[str, Sequence[Any]],
        own: list[tuple[Hashes, Rows]],
        around: list[tuple[Hashes, Rows]],
    ) -> Documents:
        room, fields, count = self.room, self.fields, len(values["doc"])
        codes = [room.names[name].encode(values[name], count) for name in _NAMES]
        columns = Columns(
            room.numbers.extended(
                self.columns.numbers, np.array([values[name] for name in _NUMBERS], np.int64)
            ),
            room.codes.extended(self.columns.codes, np.array(codes)),
            room.flags.extended(
                self.columns.flags,
                np.array([*map(values.__getitem__, _HELD), *_marks(values["around"])], bool),
            ),
        )
        room.refs[len(self) :] = [
            None if kind == Kind.TURN else ref
            for kind, ref in zip(values["kind"], values["ref"], strict=True)
        ]
        texts = (*values["own"], *values["around"])
        hashes, lengths = hash_words(texts)
        own_length, written = lengths[:count], lengths[count:]
        cut = int(own_length.sum())
        own.append((hashes[:cut], own_length))
        around.append((hashes[cut:], written))
        nobody = np.full(count, NO_ROW, np.int32)
        fields = replace(
            fields,
            own_length=room.own_length.extended(fields.own_length, own_length),
            around_length=room.around_length.extended(fields.around_length, written),
            alive=room.alive.extended(fields.alive, np.ones(count, bool)),
            before=room.before.extended(fields.before, nobody),
            after=room.after.extended(fields.after, nobody),
            count=fields.count + count,
            own_total=fields.own_total + cut,
            around_total=fields.around_total + len(hashes) - cut,
        )
        bounds = {name: self._bounds(name, values[name]) for name in _TIMES}
        written_length = room.written_length.extended(self.written_length, written)
        return replace(
            self, columns=columns, fields=fields, written_length=written_length, bounds=bounds
        )

    def _bounds(self, name: str, new: Sequence[int]) -> tuple[int, int]:
        low, high = min(new), max(new)
        old_low, old_high = self.bounds.get(name, (low, high))
        return min(low, old_low), max(high, old_high)

    def _without(self, dead: Rows) -> Documents:
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

    def _linked(self, changed: Rows) -> Documents:
        """With neighbours and lengths made anew for the sessions of changed rows, if there are
        turns among these.
        """
        if not self._are_turns(changed).any():
            return self
        fields = self.fields
        before, after, around_length = (
            fields.before.copy(),
            fields.after.copy(),
            fields.around_length.copy(),
        )
        rows = self._turns_in_order(changed)
        session = self.columns["session_id"][rows]
        joined = session[1:] == session[:-1]  # across what was forgotten between them, too
        before[changed] = before[rows] = after[changed] = after[rows] = NO_ROW
        after[rows[:-1][joined]] = rows[1:][joined]
        before[rows[1:][joined]] = rows[:-1][joined]
        lengths = self.written_length[rows]
        for link in (before[rows], after[rows]):
            lengths = lengths + np.where(link == NO_ROW, np.float32(0), fields.own_length[link])
        around_total = fields.around_total + _total(lengths) - _total(around_length[rows])
        around_length[rows] = lengths
        fields = replace(
            fields,
            before=before,
            after=after,
            around_length=around_length,
            around_total=around_total,
            linked=True,
        )
        return replace(self, fields=fields)

    def _are_turns(self, rows: Rows) -> Mask:
        turns: Mask = self.columns["kind"][rows] == self.room.names["kind"].get(Kind.TURN, NO_ROW)
        return turns

    def _turns_in_order(self, changed: Rows) -> Rows:
        """The living turns of all sessions that changed rows belong to, session by session."""
        columns = self.columns
        session = columns["session_id"]
        rows = np.flatnonzero(np.isin(session, np.unique(session[changed]))).astype(np.int32)
        rows = rows[self._are_turns(rows) & self.fields.alive[rows]]
        return rows[np.lexsort((columns["part"][rows], columns["position"][rows], session[rows]))]

    def visible(self, where: Where) -> Mask:
        """Which rows a search may see. The asker's tenant and user are the partition's."""
        mask = self._seen(where, None)
        if where.only is not None:
            among = np.zeros(len(mask), bool)
            among[self._rows_of(where.only)] = True
            mask &= among
        return mask

    def among(self, where: Where) -> Rows | None:
        """The rows, ascending, that a search may see of the documents it asks about alone; None if
        it asks about all.
        """
        if where.only is None:
            return None
        rows = self._rows_of(where.only)
        return rows[self._seen(where, rows)]

    def visible_of(self, rows: Rows, where: Where) -> Mask:
        """Which of some rows a search may see, leaving aside which documents it asks about."""
        return (
            self._seen(where, rows)
            if _FEW * len(rows) < len(self)
            else self._seen(where, None)[rows]
        )

    def _rows_of(self, docs: Iterable[int]) -> Rows:
        rows = self.places.find(np.fromiter(docs, np.int64))
        rows = rows[rows >= 0]
        rows.sort()
        return rows

    def _seen(self, where: Where, rows: Rows | None) -> Mask:
        """Whether a search may see each of some rows, or each of all."""
        mask = self.fields.alive.copy() if rows is None else self.fields.alive[rows]
        if not len(mask):
            return mask
        columns: Columns | _Taken = self.columns if rows is None else _Taken(self.columns, rows)
        self._keep_names(mask, columns, where)
        self._keep_times(mask, columns, where)
        for name, is_wanted in (
            ("sensitive", where.include_sensitive),
            ("muted", where.include_muted),
            ("unconfirmed", not where.confirmed_only),
        ):
            if not is_wanted:
                mask &= ~columns[name]
        return mask

    def fields_for(self, where: Where) -> Fields:
        """What BM25 needs to know, for an asker: what is of other agents, or closed to all but a
        session, counts as gone, so that no score tells which words are in it.
        """
        fields, mask = self.fields, self.fields.alive.copy()
        self._keep(mask, self.columns, _walls(where))
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

    def _keep(
        self,
        mask: Mask,
        columns: Columns | _Taken,
        wanted: Mapping[str, Iterable[str] | None],
    ) -> None:
        """Leave out what has none of the wanted names in a column; None: any will do."""
        for column, names in wanted.items():
            if names is not None:
                codes = self.room.names[column]
                allowed = [code for name in names if (code := codes.get(name)) is not None]
                if len(set(allowed)) < len(codes):
                    among = np.zeros(len(codes), bool)
                    among[allowed] = True
                    mask &= among[columns[column]]

    def _keep_names(self, mask: Mask, columns: Columns | _Taken, where: Where) -> None:
        wanted: dict[str, Iterable[str] | None] = {
            **_walls(where),
            "kind": where.kinds,
            "category": where.categories,
            "context": where.contexts,
        }
        self._keep(mask, columns, wanted)
        if where.off:
            self._keep_levels(mask, columns, where)
        if where.without_session is not None:
            mask &= columns["session_id"] != self.room.names["session_id"].get(
                where.without_session, NO_ROW
            )

    def _keep_levels(self, mask: Mask, columns: Columns | _Taken, where: Where) -> None:
        """Leave out what is of a level that is off, but for what the asker's session holds."""
        names, nobodys = (
            self.room.names,
            columns["agent"] == self.room.names["agent"].get("", NO_ROW),
        )
        if self.user:
            off = np.full(len(mask), "user" in where.off)
        else:
            off = np.where(nobodys, "shared" in where.off, "agent" in where.off)
        within = (
            columns["session_id"] == names["session_id"].get(where.scope.session, NO_ROW - 1)
            if where.scope.session
            else False
        )
        mask &= ~off | within

    def _keep_times(self, mask: Mask, columns: Columns | _Taken, where: Where) -> None:
        bounds = self.bounds
        as_of, known_at = (
            to_micros(where.as_of or where.now),
            FOREVER - 1 if where.known_at is None else to_micros(where.known_at),
        )
        not_before = [("valid_until", as_of + 1), ("expires_at", as_of + 1)]
        not_after = [("recorded_at", known_at)]
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
        # the clock of whoever recorded something may be ahead of ours: of that, now is no earlier
        # than when it was recorded
        if bounds["valid_from"][1] > as_of:
            mask &= columns["valid_from"] <= (
                as_of if where.as_of else np.maximum(columns["recorded_at"], as_of)
            )
        if bounds["superseded_at"][0] <= known_at:
            learnt = columns["superseded_at"]
            latest = (
                as_of
                if where.as_of
                else np.maximum(np.maximum(learnt, columns["recorded_at"]), as_of)
            )
            mask &= (learnt > known_at) | (columns["closed_at"] > latest)

    def signs(self, rows: NDArray[Any], told: Told | None) -> SignColumns:
        """What is known of the documents in some rows, and by told of the words asked for in
        them.
        """
        asks, assistant = self.columns["asks"], self.columns["assistant"]
        signs = SignColumns.unset(len(rows))
        names = self.room.names["session_id"].names
        signs.sessions[:] = [names[code] for code in self.columns["session_id"][rows].tolist()]
        known = [
            self.fields.own_length[rows],
            0,
            asks[rows],
            False,
            assistant[rows],
            assistant[rows],
            *(told or ()),
        ]
        if self.fields.linked:
            before, after = self.fields.before[rows], self.fields.after[rows]
            known[1], known[3], known[5] = (
                self._runs(before, after),
                _of(before, asks),
                assistant[rows] | _of(before, assistant) | _of(after, assistant),
            )
        # without words asked for, the last are unset
        for line, values in zip(signs.numbers, known, strict=False):
            line[:] = values
        return signs

    def _runs(self, before: Rows, after: Rows) -> Rows:
        """How many turns stand together, of which these are the neighbours; counted up to three."""
        links = (
            before,
            after,
            _of(before, self.fields.before + 1) - 1,
            _of(after, self.fields.after + 1) - 1,
        )
        counts: Rows = np.sum([link != NO_ROW for link in links], axis=0, dtype=np.int32)
        return np.minimum(1 + counts, np.int32(RUN))

    def named(self, rows: NDArray[Any]) -> list[tuple[Kind, str, int]]:
        """Kind, ref and part of the documents in some rows."""
        kinds, sessions = (
            list(map(Kind, self.room.names["kind"].names)),
            self.room.names["session_id"].names,
        )
        kind, session, position, part = (
            self.columns[name][rows].tolist() for name in ("kind", "session_id", "position", "part")
        )
        refs = map(self.room.refs.__getitem__, rows.tolist())
        return [
            (kinds[k], f"{sessions[s]}#{at}" if ref is None else ref, number)
            for ref, k, s, at, number in zip(refs, kind, session, position, part, strict=True)
        ]


def _marks(around: Sequence[str]) -> tuple[list[bool], list[bool]]:
    """Which documents are marked as asking, and which as an assistant's."""
    asks = [words.startswith(ASKS) for words in around]
    return asks, [words.startswith((ASSISTANT, ASKS + ASSISTANT)) for words in around]


def _walls(where: Where) -> dict[str, tuple[str, str]]:
    """Whose a document may be that an asker sees at all: by its agent, and the only session it is
    of.
    """
    return {
        "agent": ("", where.scope.agent or ""),
        "only_session": ("", where.scope.session or ""),
    }


def _total(lengths: Floats) -> float:
    return float(lengths.sum(dtype=np.float64))


def _of(links: Rows, values: NDArray[Any]) -> NDArray[Any]:
    """What a neighbour has; nothing where there is none."""
    return np.where(links == NO_ROW, values.dtype.type(0), values[links])


def _with(postings: Postings, chunks: list[tuple[Hashes, Rows]], start: int) -> Postings:
    if not chunks:
        return postings
    words, lengths = zip(*chunks, strict=True)
    return postings.extended(np.concatenate(words), np.concatenate(lengths), start)
