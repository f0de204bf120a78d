"""The tokens of a JSON file of any size, one at a time, in the memory of a piece and a token."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Protocol

from omoide.exchange.problems import BrokenFile

PIECE = 2**20  # bytes read at a time
Event = tuple[str, Any]  # kind and value, as ijson.basic_parse gives them

_TOKEN = re.compile(
    rb'[ \t\r\n]*+("[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]:,]|-?\d[-+.\deE]*+|true|false|null)',
    re.DOTALL,
)
_PART = re.compile(rb'"|-?\d*$|t(?:r|ru)?$|f(?:a|al|als)?$|n(?:u|ul)?$|$')  # of a token cut off
_WORDS = {b"true": True, b"false": False, b"null": None}
_CLOSING = {b"{": (b"}", "start_map"), b"[": (b"]", "start_array")}
_ENDS = {b"}": "end_map", b"]": "end_array"}


class Readable(Protocol):
    """What is read from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most size; none at the end."""
        ...


def events(file: Readable) -> Iterator[Event]:
    """What stands in the file: ``start_map``, ``map_key``, ``scalar``, ``end_array`` and so on.

    Raises:
        BrokenFile: no JSON from here on.
    """
    open_: list[bytes] = []  # how each array and object around ends
    wanted = "first"  # a value; or: key, value, colon, next
    may_end = False  # right after an opening bracket
    for token in _tokens(file):
        if token in _ENDS:
            if not open_ or open_.pop() != token or not (may_end or wanted == "next"):
                raise BrokenFile(f"not JSON: unexpected {token.decode()}")
            yield _ENDS[token], None
            wanted, may_end = "next", False
        elif wanted == "colon" and token == b":":
            wanted = "value"
        elif wanted == "next" and token == b"," and open_:
            wanted = "key" if open_[-1] == b"}" else "value"
        elif wanted == "key" and token[:1] == b'"':
            yield "map_key", _scalar(token)
            wanted, may_end = "colon", False
        elif wanted in ("first", "value") and token in _CLOSING:
            end, kind = _CLOSING[token]
            open_.append(end)
            yield kind, None
            wanted, may_end = ("key" if end == b"}" else "value"), True
        elif wanted in ("first", "value") and token not in (b":", b","):
            yield "scalar", _scalar(token)
            wanted, may_end = "next", False
        else:
            raise BrokenFile(f"not JSON: unexpected {token[:20].decode(errors='replace')}")
    if open_ or wanted != "next":
        raise BrokenFile("not JSON: it ends in the middle")


def _tokens(file: Readable) -> Iterator[bytes]:
    data, at, is_last = b"", 0, False
    while True:
        found = _TOKEN.match(data, at)
        # what reaches the end of a piece may go on in the next
        if found and (is_last or found.end() < len(data)):
            at = found.end()
            yield found[1]
            continue
        rest = data[at:].lstrip(b" \t\r\n")
        if not _PART.match(rest) and not found:
            raise BrokenFile(f"not JSON: unexpected {rest[:20].decode(errors='replace')}")
        if is_last:
            if rest:
                raise BrokenFile("not JSON: it ends in the middle")
            return
        piece = file.read(PIECE)
        data, at, is_last = rest + piece, 0, not piece


def _scalar(token: bytes) -> Any:
    """The text, number or word that a token stands for."""
    if token in _WORDS:
        return _WORDS[token]
    try:
        if token[:1] == b'"' and b"\\" not in token:
            return token[1:-1].decode()
        return json.loads(token, strict=False)
    except ValueError as error:
        raise BrokenFile(f"not JSON: {error}") from None
