"""How values stand in columns: times as microseconds, "none" as empty text, JSON as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from omoide.nouns.clock import from_micros, to_micros
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import DamagedRecord
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.session import Participant
from omoide.nouns.turn import Mask, Role
from omoide.store.base import Row

T = TypeVar("T")


@lru_cache(maxsize=1024)
def scope_of(
    tenant: str, agent: str, user: str | None, session: str = "", context: str = GLOBAL
) -> Scope:
    """The scope in the columns of a row."""
    return Scope(
        tenant=tenant,
        agent=agent or None,
        user=user or None,
        session=session or None,
        context=context,
    )


def scope_in(row: Row) -> Scope:
    """The scope of a row that has all columns of one."""
    return scope_of(
        row["tenant"], row["agent"], row["user_id"], row["only_session"], row["context"]
    )


def partition(scope: Scope) -> dict[str, Any]:
    """The columns of a user, or of nobody in particular."""
    return {"tenant": scope.tenant, "user": scope.user or ""}


def owner(scope: Scope) -> dict[str, Any]:
    """The columns that say whose a record is."""
    return partition(scope) | {"agent": scope.agent or ""}


def asker(scope: Scope) -> dict[str, Any]:
    """The columns that say what an asker sees; what is unset matches only rows that leave it
    unset.
    """
    return owner(scope) | {"session": scope.session or ""}


def exactly(scope: Scope) -> dict[str, Any]:
    """The columns of exactly one scope."""
    return asker(scope) | {"context": scope.context}


def picked(row: Row, *names: str) -> dict[str, Any]:
    """Columns that are fields of the same name and value."""
    return {name: row[name] for name in names}


def micros(moment: datetime | None) -> int | None:
    """The column of a time that may be missing."""
    return None if moment is None else to_micros(moment)


def moment(column: Any) -> datetime | None:
    """The time in a column that may be NULL."""
    return None if column is None else from_micros(column)


_ESCAPED_BITS = 2  # of the column escaped: of the text, and of a quote beside it


def pack_text(text: str) -> tuple[str, int]:
    """The text column and its ``escaped`` flag: NUL and lone surrogates fit no database's text."""
    if text.isascii() and "\0" not in text:
        return text, 0
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("unicode_escape").decode("ascii"), 1
    return (text.encode("unicode_escape").decode("ascii"), 1) if "\0" in text else (text, 0)


def unpack_text(column: str, escaped: Any) -> str:
    """The text that pack_text was given; where the column is damaged, what it holds, so that the
    record can still be erased.
    """
    try:
        return column.encode("ascii").decode("unicode_escape") if escaped else column
    except ValueError:
        return column


def pack_texts(text: str, quote: str) -> dict[str, Any]:
    """A text and a quote with one flag for both: 1 where the text is escaped, 2 where the quote
    is; above these a checksum.
    """
    (packed, escaped), (quoted, also) = pack_text(text), pack_text(quote)
    return {
        "text": packed,
        "quote": quoted,
        "escaped": sealed(escaped | also << _ESCAPED_BITS - 1, packed, quoted),
    }


def sealed(escaped: int, text: str, quote: str = "") -> int:
    """The ``escaped`` column of a row with these columns: its flags, and above them a checksum."""
    return escaped | checksum(text, quote) << _ESCAPED_BITS


def damage_in(kind: str, id: str, row: Row) -> DamagedRecord | None:
    """What is wrong if a row's text and quote are not those that were stored. One without a
    checksum passes: it was stored before there were any, or its text is gone.
    """
    return damage_of(kind, id, row["escaped"] >> _ESCAPED_BITS, row["text"], row.get("quote", ""))


def damage_of(kind: str, id: str, known: int, *texts: str) -> DamagedRecord | None:
    """What is wrong if texts of a record have not the checksum with which they were stored: the
    file is damaged, or somebody altered it. 0: there was no checksum.
    """
    return DamagedRecord(kind, id) if known and known != checksum(*texts) else None


def checksum(*texts: str) -> int:
    """48 bits of a row's texts, never 0."""
    data = "\0".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=6).digest()) or 1


_COMPACT = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def pack_json(value: object) -> str:
    """Compact JSON, its keys in order, ASCII only, so that any text fits."""
    return _COMPACT.encode(value)


def unpack_json(column: str, otherwise: T) -> T:
    """The value in a column; where it is damaged, what is given instead, so that one row never
    hides the others.

    verify tells which records were damaged.
    """
    if column in ("[]", "{}"):
        return type(otherwise)()
    try:
        value = json.loads(column)
    except ValueError:
        return otherwise
    return value if isinstance(value, type(otherwise)) else otherwise


def unpack_tags(column: str) -> tuple[str, ...]:
    """The tags in a column."""
    empty: list[Any] = []
    return tuple(tag for tag in unpack_json(column, empty) if isinstance(tag, str))


def pack_metadata(metadata: Mapping[str, Any]) -> str:
    """The metadata column."""
    return pack_json(dict(metadata)) if metadata else "{}"


def pack_masks(masks: Iterable[Mask]) -> str:
    """The masks column: kind, start and end of each."""
    marks = [[m.kind, m.start, m.end] for m in masks]
    return pack_json(marks) if marks else "[]"


def unpack_masks(column: str) -> tuple[Mask, ...]:
    """The masks in a column."""
    if column == "[]":
        return ()
    try:
        return tuple(Mask(kind=k, start=s, end=e) for k, s, e in json.loads(column))
    except (ValueError, TypeError):
        return ()  # as unpack_json


def pack_participants(participants: Iterable[Participant]) -> str:
    """The participants column: name, user and role of each."""
    return pack_json([[p.name, p.user, p.role] for p in participants])


def unpack_participants(column: str) -> tuple[Participant, ...]:
    """The participants in a column."""
    try:
        return tuple(Participant(name=n, user=u, role=Role(r)) for n, u, r in json.loads(column))
    except (ValueError, TypeError):
        return ()  # as unpack_json


def unpack_vector(column: bytes | str) -> Vector:
    """The vector in a column: its bytes, or the text that Postgres tells it by; both are exact."""
    return (
        np.frombuffer(column, "<f4")
        if isinstance(column, bytes)
        else np.array(json.loads(column), np.float32)
    )
