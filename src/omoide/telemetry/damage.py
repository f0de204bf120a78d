"""Damaged rows: a read of many leaves them out, and tells whoever made it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from omoide.telemetry.logs import get_logger

_log = get_logger(__name__)
_FOUND: ContextVar[list[str] | None] = ContextVar("damage_found", default=None)


@contextmanager
def damage_noted() -> Iterator[list[str]]:
    """What is left out meanwhile for its damage, as notes for a reader, each once."""
    notes: list[str] = []
    token = _FOUND.set(notes)
    try:
        yield notes
    finally:
        _FOUND.reset(token)


def leave_out(kind: str, id: str) -> None:
    """Note that a damaged record is left out."""
    _log.warning("damaged_record_left_out", kind=kind, id=id)
    hand_on([f"damaged: {kind} {id} is left out; run omoide doctor"])


def hand_on(notes: Iterable[str]) -> None:
    """Leave notes for whoever notes damage around this."""
    found = _FOUND.get()
    if found is not None:
        found += [note for note in notes if note not in found]
