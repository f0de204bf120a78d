"""Making and reading exports in tests."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange import ImportOptions, Omission, Problem, Watch, read_export
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message

FIXTURES = Path(__file__).parent / "fixtures"


def read(path: Path, **options: Any) -> tuple[list[Conversation], list[Problem]]:
    """All conversations and all problems of an export."""
    found, problems, _ = read_all(path, **options)
    return found, problems


def read_all(
    path: Path, **options: Any
) -> tuple[list[Conversation], list[Problem], list[Omission]]:
    """As read, with what was left out on purpose."""
    left_out: list[Omission] = []
    watch = Watch(left_out=left_out.append)
    readings = list(read_export(path, ImportOptions(**options), watch))
    found = [reading for reading in readings if isinstance(reading, Conversation)]
    problems = [reading for reading in readings if isinstance(reading, Problem)]
    return found, problems, left_out


def read_one(path: Path, **options: Any) -> Conversation:
    """The one conversation of an export that has no problems."""
    conversations, problems = read(path, **options)
    assert not problems
    assert len(conversations) == 1
    return conversations[0]


def texts(messages: Iterable[Message]) -> list[str]:
    return [message.text for message in messages]


def written(path: Path, content: object) -> Path:
    """The path, after writing bytes, text, or anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = (
        content
        if isinstance(content, bytes)
        else content.encode()
        if isinstance(content, str)
        else json.dumps(content).encode()
    )
    path.write_bytes(data)
    return path


def zipped(path: Path, files: Mapping[str, bytes | str | list[Any] | dict[str, Any]]) -> Path:
    """A zip at path that holds these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(
                name, content if isinstance(content, (bytes, str)) else json.dumps(content)
            )
    path.write_bytes(buffer.getvalue())
    return path


def sample(name: str) -> Path:
    """A public sample export; the test is skipped where the data folder is absent."""
    folder = os.environ.get("OMOIDE_EVAL_DATA")
    if not folder or not (Path(folder) / "exports" / name).exists():
        pytest.skip("OMOIDE_EVAL_DATA names no folder with the sample exports")
    return Path(folder) / "exports" / name
