"""An archive of what changed in a time: by when it was recorded, not by when it was true."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidTime
from omoide.nouns.item import Details
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from tests.fix_memory import ANA, BEN, NINE, NOBODY


def lines(path: Path) -> list[dict[str, Any]]:
    """The records of an archive."""
    return [json.loads(line) for line in path.read_text().splitlines()][1:-1]


def texts(path: Path) -> set[str]:
    """What its items and turns say."""
    told = (line if line["type"] == "item" else line.get("turn", {}) for line in lines(path))
    return {one["text"] for one in told if "text" in one}


@pytest.fixture
def lived(memory: Memory, clock: FixedClock) -> Memory:
    """A tea and a talk on the first day; on the second the tea became coffee, and an old flood was
    told.
    """
    tea = memory.remember("Ana drinks tea", ANA)
    memory.remember("Ben drinks milk", BEN)
    memory.ingest([Message(text="I was in Porto")], Scope(user="ana", session="first"))
    clock.move(days=1)
    memory.correct(tea.id, "Ana drinks coffee", ANA)
    flood = Details(valid_from=NINE - timedelta(days=3_000))
    memory.remember("The cellar was flooded", ANA, details=flood)
    memory.ingest([Message(text="I was in Faro")], Scope(user="ana", session="second"))
    return memory


SECOND = NINE + timedelta(hours=12)


def test_it_holds_what_was_recorded_then(lived: Memory, tmp_path: Path) -> None:
    """And what changed then, as it is now, with the changes of that time alone; however old the
    facts.
    """
    path = tmp_path / "second.jsonl"

    lived.admin.export(path, ANA, recorded_since=SECOND)

    assert texts(path) == {
        "Ana drinks tea",
        "Ana drinks coffee",
        "The cellar was flooded",
        "I was in Faro",
    }
    changes = [line for line in lines(path) if line["type"] == "change"]
    assert changes
    assert all(datetime.fromisoformat(line["at"]) > SECOND for line in changes)


def test_it_holds_nothing_that_was_recorded_later(lived: Memory, tmp_path: Path) -> None:
    """A record that was changed since is in it as it is now."""
    path = tmp_path / "first.jsonl"

    lived.admin.export(path, ANA, recorded_until=SECOND)

    assert texts(path) == {"Ana drinks tea", "I was in Porto"}


def test_two_times_share_no_change(lived: Memory, tmp_path: Path) -> None:
    """And together they have all of them; of all users where everything is exported."""
    for name, since, until in (("a", None, SECOND), ("b", SECOND, None), ("all", None, None)):
        lived.admin.export(
            tmp_path / name, NOBODY, everything=True, recorded_since=since, recorded_until=until
        )
    a, b, whole = (
        {line["id"] for line in lines(tmp_path / name) if line["type"] == "change"}
        for name in ("a", "b", "all")
    )

    assert not a & b
    assert a | b == whole
    assert "Ben drinks milk" in texts(tmp_path / "a") - texts(tmp_path / "b")


def test_it_can_be_loaded(lived: Memory, tmp_path: Path) -> None:
    """Into a store that has what came before, and into an empty one; its history is kept."""
    lived.admin.export(tmp_path / "a", ANA, recorded_until=SECOND)
    lived.admin.export(tmp_path / "b", ANA, recorded_since=SECOND)
    with Memory.open(str(tmp_path / "new.db"), embedder="none", background=False) as new:
        new.admin.load(tmp_path / "b", ANA)
        new.admin.load(tmp_path / "a", ANA)

        assert new.recall("flooded cellar", ANA).hits
        assert new.admin.verify().problems == ()
        assert new.admin.doctor() == []


def test_a_time_that_ends_before_it_begins_is_refused(lived: Memory, tmp_path: Path) -> None:
    """And so is a naive one; no file is made."""
    for since, until in ((SECOND, NINE), (SECOND.replace(tzinfo=None), None)):
        with pytest.raises(InvalidTime):
            lived.admin.export(tmp_path / "x", ANA, recorded_since=since, recorded_until=until)
    assert not (tmp_path / "x").exists()
