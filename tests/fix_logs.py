"""What Omoide's log shows, for tests to read."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from omoide.telemetry.logs import show_logs


@contextmanager
def logged(level: str) -> Iterator[io.StringIO]:
    """All that is logged in the block, from a level up; afterwards the log is quiet again."""
    stream = io.StringIO()
    handler = show_logs(level, stream)
    try:
        yield stream
    finally:
        logging.getLogger("omoide").removeHandler(handler)
        logging.getLogger("omoide").setLevel(logging.NOTSET)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What Omoide's log shows."""
    with logged("INFO") as stream:
        yield stream
