"""A message that was edited is taken over from a later export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange.intake import take_in
from omoide.exchange.options import ImportOptions
from omoide.memory import Memory
from tests.exchange.exports import written, zipped
from tests.fix_memory import ANA


def telegram(folder: Path, text: str, edited: int | None) -> Path:
    """A chat of one message, which may be edited."""
    stamp = {} if edited is None else {"edited_unixtime": str(edited)}
    message = {"id": 7, "type": "message", "date_unixtime": "1767603600", "from": "Bo"}
    chat = {
        "name": "Bo",
        "id": 1,
        "type": "personal_chat",
        "messages": [message | {"text": text} | stamp],
    }
    return written(folder / "result.json", chat)


def slack(folder: Path, text: str, edited: int | None) -> Path:
    """A channel of one message, which may be edited."""
    stamp = {} if edited is None else {"edited": {"user": "U1", "ts": f"{edited}.000000"}}
    message = {"type": "message", "user": "U1", "text": text, "ts": "1767603600.000100"} | stamp
    files: dict[str, Any] = {
        "channels.json": [{"id": "C1", "name": "general"}],
        "users.json": [{"id": "U1", "name": "bo"}],
        "general/2026-01-05.json": [message],
    }
    return zipped(folder / "slack.zip", files)


@pytest.mark.parametrize("export", [telegram, slack])
def test_an_edit_in_a_later_export_is_taken_over(
    export: Callable[[Path, str, int | None], Path], memory: Memory, tmp_path: Path
) -> None:
    """Once for each edit, at the time of the edit; what was said before stays in the log."""
    for text, edited in (
        ("at six", None),
        ("at seven", 1_767_607_200),
        ("at seven", 1_767_607_200),
        ("at eight", 1_767_610_800),
        ("at eight", 1_767_610_800),
    ):
        take_in(memory, export(tmp_path, text, edited), ImportOptions(zone="UTC"), ANA)

    (preview,) = memory.sessions.list()
    turns = memory.sessions.turns(preview.session.id)
    assert [(turn.text, turn.at.hour) for turn in turns] == [
        ("at six", 9),
        ("at seven", 10),
        ("at eight", 11),
    ]
    assert {turn.metadata.get("replaces") for turn in turns[1:]} == {turns[0].key}


def test_an_edit_that_changes_no_word_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    """A preview of a link counts as an edit, too."""
    for edited in (None, 1_767_607_200):
        path = telegram(tmp_path, "my password: hunter2hunter2", edited)
        report = take_in(memory, path, ImportOptions(), ANA)

    assert (report.added, report.repeated) == (0, 1)
