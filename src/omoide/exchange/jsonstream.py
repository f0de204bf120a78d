"""JSON of any size read piece by piece, each record within a limit of memory and depth.

The parser is ijson, which holds no more than one token.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from typing import IO, Any

import ijson

from omoide.exchange.archives import ExportFiles
from omoide.exchange.lines import LINE_LIMIT
from omoide.exchange.problems import BadRecord, BrokenFile, Omission, Problem
from omoide.exchange.shape import Fields, array, holds_words, record
from omoide.exchange.streams import CHUNK
from omoide.nouns.metadata import Json

Event = tuple[str, Any]  # kind and value
PIECE = 2**20  # bytes read at a time
HEAVY = 24 * 2**20  # bytes of memory that one record may take
DEPTH_LIMIT = 64  # arrays and objects inside each other in one record
TOKEN_LIMIT = 16 * 2**20  # bytes between two quotation marks
NUMBER_LIMIT = 640  # digits of a number; the parser crashes on more than Python may convert
TOO_HEAVY = False  # in place of a text that a record is read without
NODE = 100  # bytes that any value takes in its array or object, beside its own

_END: Event = ("end", None)
_NUMBER = re.compile(rb"[0-9]{%d}" % (NUMBER_LIMIT + 1))
_OPENS, _CLOSES = frozenset({"start_map", "start_array"}), frozenset({"end_map", "end_array"})


class JsonReader:
    """Walks a JSON file once, front to back.

    The reader always stands before a value. ``items`` and ``fields`` go into it and stand before
    each of its values in turn, ``value`` reads it whole; a value nobody read is passed over.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        drop: frozenset[str] = frozenset(),
        soft: frozenset[str] = frozenset(),
    ) -> None:
        """Read file; keys in drop are passed over wherever they stand, at no cost in memory.

        A text of a key in soft that would make its record half as heavy as one may be becomes
        TOO_HEAVY.
        """
        self._events = _events(file)
        self._drop, self._soft = drop, soft
        self._head: Event | None = None
        self._level = 0
        self._taken = 0
        self._weight = 0
        self._field = "the file"  # that was entered last
        self._unread: Counter[str] = Counter()  # texts with words that were passed over, by field

    @property
    def kind(self) -> str:
        """What stands next: ``array``, ``object`` or ``scalar``."""
        return {"start_array": "array", "start_map": "object"}.get(self._peek()[0], "scalar")

    def items(self) -> Iterator[int]:
        """Stand before each value of an array, counted from 1; none if it is no array."""
        if self.kind != "array":
            return
        self._next()
        count, field = 0, self._field
        while self._peek()[0] != "end_array":
            count += 1
            before = self._taken
            yield count
            if self._taken == before:
                self._pass_over(field)
        self._next()

    def fields(self) -> Iterator[str]:
        """Stand before each value of an object and give its key; none if it is no object."""
        if self.kind != "object":
            return
        self._next()
        outer = self._field
        while (event := self._next())[0] == "map_key":
            if event[1] in self._drop:
                self.skip()
                continue
            before, self._field = self._taken, event[1]
            yield event[1]
            if self._taken == before:
                self._pass_over(event[1])
        self._field = outer

    def records(self) -> Iterator[int]:
        """Stand before each value of an array, or of an object as by ids, counted from 1."""
        values = self.fields() if self.kind == "object" else self.items()
        return (count for count, _ in enumerate(values, start=1))

    def left_out(self, place: str) -> Iterator[Omission]:
        """The fields with words that were passed over so far, as omissions at that place."""
        for name, count in self._unread.items():
            yield Omission(f"words in {name[:40]}", count, place)

    def skip(self) -> None:
        """Pass over the value."""
        self._leave(self._level)

    def value(self) -> Json:
        """The value whole.

        Raises:
            BadRecord: over HEAVY bytes or DEPTH_LIMIT levels; the reader stands behind it.
            BrokenFile: not JSON from here on.
        """
        level = self._level
        self._weight = 0
        try:
            return self._build(0)
        except BadRecord:
            if self._level > level:
                self._leave(level)
            raise

    def small(self) -> Json:
        """A value that is expected to be small; None where it is too heavy or too deep.

        Raises:
            BrokenFile: not JSON from here on.
        """
        try:
            return self.value()
        except BadRecord:
            return None

    def _build(self, depth: int) -> Json:
        kind, value = self._next()
        if kind not in _OPENS:
            self._spend(sys.getsizeof(value))
            return float(value) if isinstance(value, Decimal) else value
        if depth >= DEPTH_LIMIT:
            raise BadRecord(f"nested deeper than {DEPTH_LIMIT} levels")
        self._spend(NODE)
        if kind == "start_array":
            return self._array(depth + 1)
        return self._object(depth + 1)

    def _array(self, depth: int) -> Json:
        values: list[Json] = []
        while self._peek()[0] != "end_array":
            values.append(self._build(depth))
        self._next()
        return values

    def _object(self, depth: int) -> Json:
        values = Fields()
        while (event := self._next())[0] == "map_key":
            if event[1] in self._drop:
                self.skip()
            else:
                self._spend(sys.getsizeof(event[1]))
                is_soft = event[1] in self._soft
                values[event[1]] = self._light(depth) if is_soft else self._build(depth)
        return values

    def _light(self, depth: int) -> Json:
        """The value, or TOO_HEAVY where it is a text too long to be read with the rest."""
        text = self._peek()[1]
        if isinstance(text, str) and self._weight + sys.getsizeof(text) > HEAVY // 2:
            self._next()
            return TOO_HEAVY
        return self._build(depth)

    def _spend(self, size: int) -> None:
        self._weight += size + NODE
        if self._weight > HEAVY:
            raise BadRecord(f"takes over {HEAVY // 2**20} MB of memory")

    def _leave(self, level: int) -> None:
        """Read on until level is reached: to the end of the value that began there."""
        self._next()
        while self._level > level:
            self._next()

    def _pass_over(self, name: str) -> None:
        """Pass over the value of a field, and count the texts in it that have words."""
        level = self._level
        while True:
            kind, value = self._next()
            if kind == "string" and holds_words(value):
                self._unread[name] += 1
            if self._level <= level:
                return

    def _peek(self) -> Event:
        if self._head is None:
            self._head = next(self._events, _END)
        return self._head

    def _next(self) -> Event:
        event = self._peek()
        if event is _END:
            raise BrokenFile("ends in the middle of a value")
        self._head = None
        self._taken += 1
        self._level += (event[0] in _OPENS) - (event[0] in _CLOSES)
        return event


def _events(file: IO[bytes]) -> Iterator[Event]:
    """The file's tokens in order.

    Raises:
        BrokenFile: no JSON from here on.
    """
    try:
        # floats: 64 bits only
        yield from ijson.basic_parse(_Tokens(file), use_float=False, buf_size=PIECE)
    except (ijson.JSONError, ValueError, ArithmeticError) as error:  # a Decimal's exponent
        lines = str(error).splitlines() or ["unreadable"]
        raise BrokenFile(f"not JSON: {lines[0].strip()}") from None


def loads(data: bytes) -> Json:
    """Parse one JSON text in bounded memory.

    Raises:
        BadRecord: not JSON, too deep, or too heavy by an estimate from its punctuation.
    """
    if _weigh(data) > 2 * HEAVY:
        raise BadRecord(f"takes over {HEAVY // 2**20} MB of memory")
    try:
        return json.loads(data, object_pairs_hook=Fields)  # type: ignore[no-any-return]
    except RecursionError:
        raise BadRecord("nested too deep") from None
    except ValueError as error:
        raise BadRecord(f"not JSON: {error}") from None


def record_in(line: bytes | None) -> Fields:
    """The object that a line holds, as ``ExportFiles.lines`` gives it; None where it is over
    ``LINE_LIMIT`` bytes.

    Raises:
        BadRecord: it is too long, not JSON, or no object with a field.
    """
    fields = record(parsed(line))
    if not fields:
        raise BadRecord("not a record")
    return fields


def first_records(source: ExportFiles, name: str, count: int) -> Iterator[Fields]:
    """The objects on the first lines of a file, as far as they can be read."""
    with suppress(BrokenFile):
        for _, line in islice(source.lines(name), count):
            with suppress(BadRecord):
                yield record_in(line)


def parsed(line: bytes | None) -> Json:
    """What a line holds; None where it is over ``LINE_LIMIT`` bytes.

    Raises:
        BadRecord: it is too long, or not JSON.
    """
    if line is None:
        raise BadRecord(f"over {LINE_LIMIT // 2**20} MB")
    return loads(line)


def _weigh(data: bytes) -> int:
    """About how many bytes parsing takes at most.

    An object costs some 240 bytes, an array 90, and each comma stands for one more value in one.
    Text is held twice, as a whole and in values, with up to 4 bytes a character once a single one
    needs them.
    """
    whole = 1 if data.isascii() else 4
    values = 4 if b"\\u" in data else whole
    return (
        len(data) * (whole + values)
        + 240 * data.count(b"{")
        + 90 * data.count(b"[")
        + NODE * data.count(b",")
    )


class _Tokens:
    """A byte stream that ends with an error when one token, or a number outside texts, grows too
    long, before a parser collects it.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._run = 0  # bytes since the last quotation mark
        self._escaped = False  # the piece before ended in a backslash that escapes
        self._quoted = False  # the piece before ended within a text
        self._digits = b""  # that it ended in

    def read(self, size: int) -> bytes:
        """The next bytes, at most size.

        Raises:
            BrokenFile: over TOKEN_LIMIT bytes without a quotation mark, or NUMBER_LIMIT digits.
        """
        # in large pieces only within a long text, which a parser reads from its start each time:
        # of anything else, a piece becomes events, which take forty times its size
        is_long = self._quoted and self._run > CHUNK
        data = self._file.read(size if is_long else min(size, CHUNK))
        bare = self._without_escapes(data)
        first, last = bare.find(b'"'), bare.rfind(b'"')
        longest = self._run + (len(data) if first < 0 else first)
        self._run = longest if last < 0 else len(bare) - last
        if max(longest, self._run) > TOKEN_LIMIT:
            raise BrokenFile(f"one text of over {TOKEN_LIMIT // 2**20} MB")
        self._check_numbers(self._digits + bare)
        return data

    def _check_numbers(self, bare: bytes) -> None:
        at = 0
        for found in _NUMBER.finditer(bare):
            self._quoted ^= bare.count(b'"', at, found.start()) % 2 == 1
            at = found.end()
            if not self._quoted:
                raise BrokenFile(f"one number of over {NUMBER_LIMIT} digits")
        self._quoted ^= bare.count(b'"', at) % 2 == 1
        end = bare[-NUMBER_LIMIT:]
        self._digits = end[len(end.rstrip(b"0123456789")) :]

    def _without_escapes(self, data: bytes) -> bytes:
        """The bytes without quotation marks and backslashes that are escaped."""
        bare = (b"\\" if self._escaped else b"") + data
        if b"\\" in bare:
            bare = bare.replace(b"\\\\", b"").replace(b'\\"', b"")
        self._escaped = bare.endswith(b"\\")
        return bare


def each_record(
    source: ExportFiles,
    name: str,
    noun: str,
    *,
    drop: frozenset[str] = frozenset(),
    soft: frozenset[str] = frozenset(),
    own: str = "",
) -> Iterator[tuple[str, Json] | Problem]:
    """Each value of the array that a file holds, or the one object that it is, with its place.

    An object without the field ``own``, in which stand objects that have it, holds these. A place
    reads ``<name>: <noun> <number from 1>``. Values that cannot be read are problems.
    """
    last = 0
    with source.open(name) as file:
        reader = JsonReader(file, drop=drop, soft=soft)
        try:
            if reader.kind == "object":
                yield from _of_object(reader.value(), f"{name}: {noun}", own)
            elif reader.kind == "scalar":
                yield Problem(name, "holds neither a list nor an object")
            for last in reader.items():
                try:
                    yield f"{name}: {noun} {last}", reader.value()
                except BadRecord as bad:
                    yield Problem(f"{name}: {noun} {last}", str(bad))
        except BadRecord as bad:
            yield Problem(f"{name}: {noun} 1", str(bad))
        except BrokenFile as broken:
            yield Problem(f"{name}: from {noun} {last} on" if last else name, str(broken))


def _of_object(value: Json, place: str, own: str) -> Iterator[tuple[str, Json]]:
    """The record that an object is, or the records in it where it has no field of that name: those
    in its lists, or its values by their ids.
    """
    fields = record(value)
    lists = [inner for inner in fields.values() if isinstance(inner, list)]
    values = [one for inner in lists for one in inner] if lists else array(value)
    is_one = not own or own in fields or not any(own in record(one) for one in values)
    for count, one in enumerate([value] if is_one else values, start=1):
        yield f"{place} {count}", one
