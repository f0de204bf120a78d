"""Archives made to harm an importer, and the process that reads them while it is watched.

``cases`` builds those of a seed; ``python -m tests.torture.hostile_archives`` reads the
paths it is sent on standard input and answers each with one line of JSON: outcome, seconds of work,
growth of the peak memory, and every write it noticed.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import resource
import stat
import struct
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from omoide.exchange import ImportOptions, read_export
from omoide.exchange.zips import MEMBER_LIMIT
from omoide.nouns.errors import ImportRefused, InvalidInput

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = frozenset(
    {
        "os.mkdir",
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
    }
)
CONVERSATION = {
    "id": "c1",
    "title": "Tea",
    "create_time": 1_700_000_000.0,
    "current_node": "b",
    "mapping": {
        "a": {"id": "a", "parent": None, "message": None},
        "b": {
            "parent": "a",
            "message": {
                "id": "b",
                "author": {"role": "user"},
                "create_time": 1_700_000_001.0,
                "content": {"content_type": "text", "parts": ["I like tea"]},
            },
        },
    },
}
GOOD = json.dumps([CONVERSATION]).encode()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A zip member as it is written, with lies where they are given."""

    name: bytes = b"conversations.json"
    data: bytes = GOOD
    method: int = 8
    flags: int = 0
    mode: int = 0
    crc: int | None = None
    size: int | None = None
    stored: int | None = None
    offset: int | None = None
    local_name: bytes | None = None


def zip_of(
    *entries: Entry, count: int | None = None, directory: int | None = None, comment: bytes = b""
) -> bytes:
    """A zip with just these members, hostile or not."""
    out, central = io.BytesIO(), io.BytesIO()
    for entry in entries:
        body = deflate(entry.data) if entry.method == 8 else entry.data
        crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
        stored = len(body) if entry.stored is None else entry.stored
        size = len(entry.data) if entry.size is None else entry.size
        offset = out.tell() if entry.offset is None else entry.offset
        local = entry.name if entry.local_name is None else entry.local_name
        common = struct.pack(
            "<HHHHIII",
            entry.flags,
            entry.method,
            0,
            33,
            crc,
            stored & 0xFFFFFFFF,
            size & 0xFFFFFFFF,
        )
        out.write(
            b"PK\3\4"
            + struct.pack("<H", 20)
            + common
            + struct.pack("<HH", len(local), 0)
            + local
            + body
        )
        central.write(b"PK\1\2" + struct.pack("<HH", 0x314, 20) + common)
        central.write(
            struct.pack(
                "<HHHHHII", len(entry.name), 0, 0, 0, 0, entry.mode << 16, offset & 0xFFFFFFFF
            )
            + entry.name
        )
    start, length = out.tell(), central.tell()
    number = len(entries) if count is None else count
    end = struct.pack(
        "<HHHHIIH",
        0,
        0,
        number & 0xFFFF,
        number & 0xFFFF,
        length if directory is None else directory,
        start,
        len(comment),
    )
    return out.getvalue() + central.getvalue() + b"PK\5\6" + end + comment


def deflate(data: bytes) -> bytes:
    """Raw deflate, fast."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


T = TypeVar("T")
Maker = Callable[[random.Random], bytes]


class InTurn(random.Random):
    """Chance, but for choices: in turn n each is its n-th option, if it has so many.

    Attributes:
        turns: The most options that a choice had, so that in so many turns none is left out.
    """

    def __init__(self, seed: str, turn: int) -> None:
        super().__init__(seed)
        self.turn, self.turns = turn, 1

    def choice(self, options: Sequence[T]) -> T:  # type: ignore[override]
        """The option whose turn it is, or any."""
        self.turns = max(self.turns, len(options))
        return options[self.turn] if self.turn < len(options) else super().choice(options)


def _named(*names: bytes) -> Maker:
    def make(rng: random.Random) -> bytes:
        bad = Entry(
            name=rng.choice(names) + rng.choice((b"", b"/x")), data=b"x", mode=stat.S_IFREG | 0o644
        )
        entries = [Entry(), bad]
        rng.shuffle(entries)
        return zip_of(*entries)

    return make


def _moded(*kinds: int) -> Maker:
    return lambda rng: zip_of(
        Entry(), Entry(name=b"link", data=b"/etc/passwd", mode=rng.choice(kinds) | 0o777)
    )


def _bomb(rng: random.Random) -> bytes:
    return zip_of(Entry(data=b"[" + b" " * rng.randrange(20_000_000, 60_000_000)))


def _many_bombs(rng: random.Random) -> bytes:
    data = b" " * 4_000_000
    return zip_of(
        Entry(),
        *(Entry(name=b"%d.json" % number, data=data) for number in range(rng.randrange(20, 40))),
    )


def _members(rng: random.Random) -> bytes:
    count = rng.randrange(MEMBER_LIMIT + 1, 2 * MEMBER_LIMIT)
    return zip_of(*(Entry(name=b"%x" % number, data=b"", method=0) for number in range(count)))


def _members_within(rng: random.Random) -> bytes:
    names = (b"%05d" % number + b"n" * rng.choice((1, 100)) for number in range(MEMBER_LIMIT - 1))
    return zip_of(Entry(), *(Entry(name=name, data=b"", method=0) for name in names))


def _duplicate(rng: random.Random) -> bytes:
    return zip_of(*[Entry()] * rng.randrange(2, 5))


def _encrypted(rng: random.Random) -> bytes:
    return zip_of(Entry(flags=rng.choice((0x1, 0x41, 0x2001))))


def _truncated(rng: random.Random) -> bytes:
    whole = zip_of(Entry())
    return whole[: rng.randrange(4, len(whole) - 21)]


def _nested(rng: random.Random) -> bytes:
    data = zip_of(Entry())
    for level in range(rng.randrange(2, 6)):
        data = zip_of(
            Entry(name=b"conversations-%d.zip" % level, data=data, method=rng.choice((0, 8)))
        )
    return data


def _overlap(rng: random.Random) -> bytes:
    return zip_of(
        Entry(),
        *(
            Entry(name=b"%d.json" % number, offset=0, local_name=b"")
            for number in range(rng.randrange(1, 200))
        ),
    )


def _method(rng: random.Random) -> bytes:
    return zip_of(Entry(method=rng.choice((1, 6, 9, 12, 14, 93, 95, 97, 99))))


def _directory(rng: random.Random) -> bytes:
    return zip_of(
        Entry(), directory=rng.choice((1, 2**31, 0xFFFFFFFE)), count=rng.choice((0, 1, 65535))
    )


def _big_directory(rng: random.Random) -> bytes:
    return zip_of(
        Entry(),
        *(
            Entry(name=b"%d" % n + b"n" * 60_000, data=b"", method=0)
            for n in range(rng.randrange(150, 250))
        ),
    )


def _hostile_inside(rng: random.Random) -> bytes:
    inner = zip_of(Entry(), Entry(name=rng.choice((b"../up", b"/abs")), data=b"x"))
    return zip_of(Entry(name=b"conversations-000.zip", data=inner, method=rng.choice((0, 8))))


def _bomb_inside(rng: random.Random) -> bytes:
    inner = zip_of(Entry(data=b"[" + b" " * 30_000_000))
    return zip_of(Entry(name=b"conversations-000.zip", data=inner, method=rng.choice((0, 8))))


def _lying(rng: random.Random) -> bytes:
    lies = rng.choice(
        (
            {"size": 2**32 - 2},
            {"stored": 2**31},
            {"size": 10},
            {"stored": 10},
            {"crc": 7},
            {"local_name": b"other"},
            {"offset": 9},
        )
    )
    return zip_of(Entry(**lies))


def _flipped(rng: random.Random) -> bytes:
    data = bytearray(zip_of(Entry(), Entry(name=b"user.json", data=b"{}")))
    for _ in range(rng.randrange(1, 20)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def _json(make: Callable[[random.Random], bytes]) -> Maker:
    """A good conversation and then a hostile one, or a hostile file as a whole."""

    def whole(rng: random.Random) -> bytes:
        hostile = make(rng)
        data = (
            GOOD[:-1] + b"," + hostile + b"," + GOOD[1:]
            if rng.choice((True, True, False))
            else hostile
        )
        return zip_of(Entry(data=data, method=0))

    return whole


def _deep(rng: random.Random) -> bytes:
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
    depth = rng.choice((100, 5_000, 200_000))
    return b'{"mapping":' + opening * depth + b"1" + closing * rng.choice((depth, 0)) + b"}"


def _wide(rng: random.Random) -> bytes:
    piece = rng.choice((b"{},", b"[],", b'{"a":0},', b"0,", b'"\xf0\x9f\x98\x80",'))
    return b'{"mapping":{"x":[' + piece * rng.randrange(500_000, 1_000_000) + b"0]}}"


def _long(rng: random.Random) -> bytes:
    piece = rng.choice((b"a", b'\\"', b"\\\\", "é".encode(), b"\\u00e9", b"\xf0\x9f\x98\x80"))
    return (
        b'{"mapping":{"x":"' + piece * (rng.randrange(5_000_000, 30_000_000) // len(piece)) + b'"}}'
    )


def _keys(rng: random.Random) -> bytes:
    return (
        b"{"
        + b",".join(b'"%d":{"a":[]}' % n for n in range(rng.randrange(100_000, 400_000)))
        + b"}"
    )


def _numbers(rng: random.Random) -> bytes:
    return rng.choice(
        (
            b"1" * 5_000_000,
            b"1e999999999",
            b"-",
            b"NaN",
            b"0x1",
            b"1" * 30,
            b"\x00",
            b"\xff\xfe",
            b"\xef\xbb\xbf",
        )
    )


def _noise(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(200_000))


def _lines(rng: random.Random) -> bytes:
    user = b'{"type":"user","uuid":"%d","timestamp":"2026-01-01T10:00:00Z","message":{"content":"%s"}}\n'
    hostile = rng.choice(
        (
            b"x" * 20_000_000,
            b'{"a":' * 300_000,
            b"[" + b"{}," * 2_000_000 + b"0]",
            b'"' * 1_000_000,
            b"\n" * 1_000_000,
        )
    )
    many = b"".join(user % (n, b"y" * 200) for n in range(rng.choice((1, 60_000, 1, 1, 1))))
    return zip_of(
        Entry(name=b"session.jsonl", data=many + hostile + b"\n" + user % (0, b"end"), method=0)
    )


def _people(rng: random.Random) -> bytes:
    users = (
        b"["
        + b",".join(
            b'{"id":"U%d","name":"%s"}' % (n, b"n" * 300) for n in range(rng.choice((10, 90_000)))
        )
        + b"]"
    )
    day = (
        b"["
        + b",".join(
            b'{"user":"U1","text":"hi","ts":"17000%05d.1"}' % n
            for n in range(rng.choice((1, 100_000)))
        )
        + b"]"
    )
    lists = Entry(name=b"channels.json", data=b'[{"id":"C1","name":"a"}]', method=0)
    return zip_of(
        lists,
        Entry(name=b"users.json", data=users, method=0),
        Entry(name=b"a/2023-11-14.json", data=day, method=0),
    )


def _chat(rng: random.Random) -> bytes:
    line = b"13/01/2024, 10:00 - Ana: hello\n"
    more = rng.choice(
        (
            b"z" * 20_000_000,
            b"more\n" * 1_000_000,
            line * 100_000,
            b"[" * 100_000,
            b"1/" * 1_000_000,
            "‎".encode() * 100_000,
        )
    )
    return zip_of(Entry(name=b"_chat.txt", data=line + more + b"\n" + line, method=0))


# What has to be refused, and what may as well be read in part, with problems.
REFUSED: dict[str, Maker] = {
    "traversal": _named(
        b"../up", b"a/../../up", b"..", b"a/..", b"./x", b"a//b", b"../" * 30 + b"etc/passwd"
    ),
    "absolute": _named(
        b"/etc/passwd", b"//host/share", b"C:\\x", b"c:x", b"..\\up", b"a\\..\\..\\up"
    ),
    "odd name": _named(b"a\x00b", b"a\nb", b"\x1b[2J", b"\x7f", b"n" * 2_000),
    "link": _moded(stat.S_IFLNK),
    "device": _moded(stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK),
    "bomb": _bomb,
    "many bombs": _many_bombs,
    "members": _members,
    "duplicate": _duplicate,
    "encrypted": _encrypted,
    "truncated": _truncated,
    "nested": _nested,
    "overlap": _overlap,
    "method": _method,
    "big directory": _big_directory,
    "hostile inside": _hostile_inside,
    "bomb inside": _bomb_inside,
}
SURVIVED: dict[str, Maker] = {
    "members within": _members_within,
    "directory": _directory,
    "lying": _lying,
    "flipped": _flipped,
    "deep": _json(_deep),
    "wide": _json(_wide),
    "long": _json(_long),
    "keys": _json(_keys),
    "numbers": _json(_numbers),
    "noise": _json(_noise),
    "lines": _lines,
    "people": _people,
    "chat": _chat,
}
KINDS = {**REFUSED, **SURVIVED}


def cases(kind: str, seed: int, least: int) -> Iterator[bytes]:
    """Archives of a kind: one with each option of each choice, and then more by chance, until there
    are as many as ``least``.
    """
    turn, turns = 0, least
    while turn < turns:
        chance = InTurn(f"{seed}:{kind}:{turn}", turn)
        yield KINDS[kind](chance)
        turn, turns = turn + 1, max(turns, chance.turns)


def peak_mb() -> float:
    """The most memory this process ever held, in MB.

    Linux counts the memory of the process that started this one into ``ru_maxrss``, so its own
    record comes first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1]) / 1024  # type: ignore[index]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 1024)


def outcome(path: Path) -> str:
    """``refused``, ``read``, or the name of an error that an import must not raise."""
    try:
        for _ in read_export(path, ImportOptions()):
            pass
    except ImportRefused:
        return "refused"
    except InvalidInput as error:
        if error.field != "zone":
            return repr(error)
        for _ in read_export(path, ImportOptions(zone="Europe/Berlin", day_first=True)):
            pass
    return "read"


def answer(path: Path, noticed: list[str]) -> dict[str, object]:
    """What came of reading an archive; ``noticed`` are the writes meanwhile."""
    start, began = peak_mb(), time.process_time()
    try:
        result = outcome(path)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is the finding
        result = f"raised {error!r}"
    seconds = time.process_time() - began
    return {"outcome": result, "seconds": seconds, "mb": peak_mb() - start, "writes": noticed}


def main() -> None:
    """Read what comes, and tell: each in a process of its own, which holds nothing of the others
    and may die.
    """
    noticed: list[str] = []

    def watch(event: str, args: tuple[object, ...]) -> None:
        flags = args[2] if event == "open" else 0
        if event in CHANGES or (isinstance(flags, int) and flags & WRITES):
            noticed.append(f"{event} {args[0]}")

    sys.dont_write_bytecode = True
    outcome(Path(sys.stdin.readline().strip()))  # the first is harmless and warms up
    sys.addaudithook(watch)
    for sent in sys.stdin:
        child = os.fork()
        if child == 0:
            print(json.dumps(answer(Path(sent.strip()), noticed)), flush=True)
            os._exit(0)
        if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            died = {"outcome": f"died: {code}", "seconds": 0, "mb": 0, "writes": noticed}
            print(json.dumps(died), flush=True)


if __name__ == "__main__":
    main()
