"""What is measured: conversations, and questions of which it is known where their answers stand."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.session import Conversation
from omoide.write.remember import Statement


class DocumentUnit(StrEnum):
    """What counts as one document."""

    TURN = "turn"  # a turn or an item
    SESSION = "session"
    ITEM = "item"  # what was noted of a talk


@frozen_record
class Probe:
    """A question, and the ids of the documents that answer it."""

    id: str
    text: str
    category: str
    gold: frozenset[str] = frozenset()
    at: datetime | None = None  # when it is asked, aware; None: a day after the last message
    held: bool = True  # whether its conversation holds an answer
    apart: bool = False  # kept out of the averages, reported by its category alone


@frozen_record
class Case:
    """One memory and what it is asked. A turn's id is its message's key, a session's its
    conversation's id.

    ``statements`` are remembered as items, each under its id.
    """

    id: str
    talks: tuple[Conversation, ...] = ()
    statements: tuple[tuple[str, Statement], ...] = ()
    probes: tuple[Probe, ...] = ()


@frozen_record
class Dataset:
    """Cases of one source. ``hash`` is the SHA-256 of its unpacked files, in hexadecimal."""

    name: str
    unit: DocumentUnit
    cases: tuple[Case, ...]
    hash: str

    @property
    def questions(self) -> int:
        """How many questions there are, over all cases."""
        return sum(len(case.probes) for case in self.cases)


def limited(dataset: Dataset, most: int | None) -> Dataset:
    """The first cases, with as many questions as are asked for (None: all of them); what comes
    after is left out.

    Raises:
        InvalidInput: most is below 1.
    """
    if most is None:
        return dataset
    if most < 1:
        raise InvalidInput("limit", f"{most} is below 1")
    cases: list[Case] = []
    for case in dataset.cases:
        if most > 0:
            cases.append(replace(case, probes=case.probes[:most]))
            most -= len(case.probes)
    return replace(dataset, cases=tuple(cases))


def with_elsewhere(dataset: Dataset) -> Dataset:
    """Each answered question is asked of the next case too, which holds no answer to it.

    Raises:
        InvalidInput: there are fewer than two cases.
    """
    if len(dataset.cases) < 2:
        raise InvalidInput(
            "elsewhere",
            "needs two conversations or more; with a limit, as many questions as the first two"
            " have",
        )
    before = (dataset.cases[-1], *dataset.cases[:-1])
    cases = (
        replace(case, probes=(*case.probes, *_strange(other.probes)))
        for case, other in zip(dataset.cases, before, strict=True)
    )
    return replace(dataset, cases=tuple(cases))


def _strange(probes: Sequence[Probe]) -> Iterable[Probe]:
    return (
        replace(
            probe,
            id=f"{probe.id} elsewhere",
            category="elsewhere",
            gold=frozenset(),
            held=False,
            apart=True,
        )
        for probe in probes
        if probe.held and not probe.apart
    )


def contents(path: Path) -> bytes:
    """A file's bytes, unpacked where it is gzip'd.

    Raises:
        InvalidInput: it cannot be read.
    """
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error) as problem:
        raise InvalidInput("data", f"{path}: {problem}") from None


def parsed(path: Path, content: bytes) -> Any:
    """A file's JSON.

    Raises:
        InvalidInput: it is none.
    """
    try:
        return parse_json(content)
    except ValueError as problem:
        raise InvalidInput("data", f"{path} is not JSON: {problem}") from None


def hash_of(files: Iterable[bytes]) -> str:
    """One hash of several files: SHA-256 over theirs."""
    return hashlib.sha256(
        b"".join(hashlib.sha256(content).digest() for content in files)
    ).hexdigest()


def first_moment(text: str, form: str) -> datetime | None:
    """A time without a zone, taken as UTC; None if it is not of that form."""
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC)
    except ValueError:
        return None
