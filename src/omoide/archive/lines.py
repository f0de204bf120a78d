"""The lines of an archive: the first names the form and whose it is, then one record a line,
``{"type": "item", …}``; the last has the counts and a checksum over all lines before. See
docs/reference/archive.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide.archive.fit import fit
from omoide.kinds import KINDS
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import Forbidden, ImportRefused, InvalidInput, NotFound
from omoide.nouns.ids import check_path, clean_id
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record_kind import RecordKind
from omoide.wire.coding import decode
from omoide.write.checks import check_line

FORM = 1
LINE_LIMIT = 64 * 1024 * 1024
HASH_LIMIT = 128  # hex digits

READ = {kind.name: kind for kind in KINDS if kind.fit}


@frozen_record
class ArchiveHeader:
    """The first line: when the archive was written, of which tenant, and the hash at the end of
    its ledger by then, where it tells that.
    """

    made_at: datetime
    tenant: str
    head: str = ""


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that this version does not load."""

    kind: str


NO_ARCHIVE = (
    "is not an archive of omoide admin export: a line is not {}; omoide import reads the exports of"
    " other programs"
)


def check_archive(path: Path) -> ArchiveHeader:
    """The first line of an archive that is whole.

    Raises:
        InvalidInput: it cannot be a path.
        ImportRefused: it is not whole, or no archive.
    """
    check_path(path)
    try:
        first, last, checksum = _ends(path)
    except OSError as error:
        raise ImportRefused(str(path), f"cannot be read: {error.strerror}") from None
    header, end = _json(path, first), _json(path, last)
    if header.get("omoide_archive") != FORM:
        raise ImportRefused(
            str(path), f"is not an archive of form {FORM}; import reads other programs' exports"
        )
    if end.get("sha256") != checksum:
        raise ImportRefused(str(path), "is cut off or was altered: its checksum does not fit")
    return _header(path, header)


def _ends(path: Path) -> tuple[bytes, bytes, str]:
    """The first and the last line, and the checksum over all but the last.

    Raises:
        ImportRefused: a line has no end.
    """
    digest, last, first = hashlib.sha256(), b"", b""
    with path.open("rb") as lines:
        while line := lines.readline(LINE_LIMIT):
            if not line.endswith(b"\n"):
                raise ImportRefused(
                    str(path), "is not an archive, is cut off, or has a line of over 64 MiB"
                )
            digest.update(last)
            first, last = first or line, line
    return first, last, digest.hexdigest()


def _header(path: Path, told: dict[str, Any]) -> ArchiveHeader:
    made_at, tenant, head = told.get("made_at"), told.get("tenant"), told.get("head", "")
    try:
        moment = parse_time(made_at, zone=UTC) if isinstance(made_at, str) else None
        if moment is None or not isinstance(tenant, str) or not isinstance(head, str):
            raise InvalidInput("made_at, tenant, head", "are not told")
        return ArchiveHeader(
            made_at=moment,
            tenant=clean_id(tenant, "tenant"),
            head=check_line(head, "head", HASH_LIMIT),
        )
    except InvalidInput as error:
        raise ImportRefused(str(path), f"its first line is not an archive's: {error}") from None


def _json(path: Path, line: bytes) -> dict[str, Any]:
    try:
        value = parse_json(line)
    except ValueError:
        raise ImportRefused(str(path), NO_ARCHIVE.format("JSON")) from None
    if not isinstance(value, dict):
        raise ImportRefused(str(path), NO_ARCHIVE.format("a record"))
    return value


def records_in(path: Path, tenant: str, now: datetime) -> Iterator[tuple[str, Any]]:
    """Each record as the verbs would have made it, with its kind; ``UnreadLine`` for the others.

    Raises:
        ImportRefused: they would have refused it; says in which line, and why.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            value = _json(path, line)
            name = value.pop("type", None)
            if name is None:  # the first line or the last
                continue
            kind = READ.get(name) if isinstance(name, str) else None
            if kind is None:
                yield "", UnreadLine(str(name)[:40])
                continue
            try:
                yield kind.name, fit(kind, _record(kind, value), tenant, now)
            except (InvalidInput, NotFound, Forbidden) as error:
                raise ImportRefused(str(path), f"line {number}: {kind.name}: {error}") from None


def _record(kind: RecordKind[Any], value: dict[str, Any]) -> Any:
    form = kind.form or kind.record
    assert form is not None
    if kind.name == "change":
        value.pop("seq", None)  # older versions told it
    return decode(form, value)
