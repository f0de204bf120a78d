"""A memory in a file, of no user in particular, for adapters: another process can open it too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from omoide.memory import Memory


@pytest.fixture
def memory_file(tmp_path: Path) -> Path:
    """Where the memory is."""
    return tmp_path / "memory.db"


@pytest.fixture
def unbound(memory_file: Path) -> Iterator[Memory]:
    """The memory, opened."""
    with Memory.open(memory_file, background=False) as opened:
        yield opened
