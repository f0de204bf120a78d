"""Archives that were made by hand, with checksums that fit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import ImportRefused
from omoide.nouns.scope import Scope
from tests.fix_memory import ANA, on_sqlite

Lines = dict[str, dict[str, Any]]
FORGED: dict[str, Callable[[Lines], None]] = {
    "an item of another tenant": lambda lines: lines["item"]["scope"].update(tenant="evil"),
    "a turn of another tenant": lambda lines: lines["turn"]["scope"].update(tenant="evil"),
    "a turn of another session by its id": lambda lines: lines["turn"]["turn"].update(id="other#5"),
    "a turn before the first": lambda lines: lines["turn"]["turn"].update(id="s#-5", position=-5),
    "a time that UTC cannot hold": lambda lines: lines["item"].update(
        due_at="9999-12-31T23:59:00-12:00"
    ),
}


@on_sqlite
@pytest.mark.parametrize("what", FORGED)
def test_a_forged_record_is_refused_before_anything_is_stored(
    what: str, memory: Memory, tmp_path: Path
) -> None:
    """The ledger stays whole, and nothing of the archive is there."""
    memory.remember("Ana keeps bees")
    memory.ingest([{"role": "user", "content": "Hello"}], Scope(user="ana", session="s"))
    path = tmp_path / "made.jsonl"
    memory.admin.export(path, ANA)
    memory.admin.erase("all")
    before = memory.stats().changes
    lines = [json.loads(line) for line in path.read_text().splitlines()[:-1]]
    FORGED[what]({line.get("type", "head"): line for line in lines})
    body = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(
        body + json.dumps({"end": {}, "sha256": hashlib.sha256(body.encode()).hexdigest()}) + "\n"
    )

    with pytest.raises(ImportRefused):
        memory.admin.load(path)

    assert memory.stats().changes == before
    assert memory.admin.doctor() == []
