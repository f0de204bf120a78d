"""A message that was edited is taken over from a later export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange.intake import take_in
from omoide.exchange.options import ImportOptions
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.item import Details, Item, Unconfirmed
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.write.edited import replace_edited
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


@pytest.mark.parametrize("export", [telegram, slack])
def test_the_old_words_leave_recall(
    export: Callable[[Path, str, int | None], Path], memory: Memory, tmp_path: Path
) -> None:
    """They stay in the log, marked, and come back when the import is undone."""
    take_in(memory, export(tmp_path, "we meet at six", None), ImportOptions(zone="UTC"), ANA)
    report = take_in(
        memory, export(tmp_path, "we meet at noon", 1_767_607_200), ImportOptions(zone="UTC"), ANA
    )
    memory.admin.tidy(only=["vectors"])

    assert [hit.text for hit in memory.recall("when do we meet").hits] == ["we meet at noon"]
    (preview,) = memory.sessions.list()
    assert [turn.replaced for turn in memory.sessions.turns(preview.session.id)] == [True, False]
    assert (memory.admin.doctor(), memory.admin.verify().problems) == ([], ())

    memory.undo(report.id)

    assert [hit.text for hit in memory.recall("when do we meet").hits] == ["we meet at six"]
    assert memory.admin.doctor() == []


def test_what_was_learnt_from_the_old_words_is_unconfirmed(memory: Memory, tmp_path: Path) -> None:
    """Until it is said again; what somebody else said too stays as it is."""
    take_in(memory, telegram(tmp_path, "we meet at six", None), ImportOptions(zone="UTC"), ANA)
    (preview,) = memory.sessions.list()
    (turn,) = memory.sessions.turns(preview.session.id)
    learnt = memory.remember("Bo meets Ana at six", details=Details(source_turns=(turn.id,))).item
    other = memory.remember("Bo and Ana meet").item
    assert learnt.own_turns == (turn.id,)

    edited = telegram(tmp_path, "we meet at noon", 1_767_607_200)
    report = take_in(memory, edited, ImportOptions(zone="UTC"), ANA)

    assert item(memory, learnt.id).unconfirmed is Unconfirmed.EDITED
    assert item(memory, other.id).unconfirmed is None
    assert memory.admin.doctor() == []

    memory.undo(report.id)

    assert item(memory, learnt.id).unconfirmed is None


def item(memory: Memory, id: str) -> Item:
    found = memory.get(id)
    assert isinstance(found, Item)
    return found


def test_nobody_edits_what_another_said(memory: Memory) -> None:
    """An edit counts only from the author of the message."""
    said = Message(text="we meet at six", speaker="Bo", key="7")
    forged = replace(
        said, text="we meet at noon", speaker="Cy", key="7@9", metadata={"replaces": "7"}
    )
    talk = Conversation(id="s", messages=(said, forged))
    session = memory.ingest(talk).session

    assert replace_edited(memory.store, memory.clock, Because(), "default", session, ["7"]) == 0


def test_a_replaced_turn_is_exported_and_loaded_as_such(memory: Memory, tmp_path: Path) -> None:
    """In another store it is in no recall either."""
    for text, at in (("we meet at six", None), ("we meet at noon", 1_767_607_200)):
        take_in(memory, telegram(tmp_path, text, at), ImportOptions(zone="UTC"), ANA)
    memory.admin.export(tmp_path / "ana.jsonl", ANA)

    with Memory.open(tmp_path / "other.db", user="ana", embedder=None) as other:
        other.admin.load(tmp_path / "ana.jsonl")

        assert [hit.text for hit in other.recall("when do we meet").hits] == ["we meet at noon"]
        assert other.admin.doctor() == []


def test_an_edit_that_changes_no_word_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    """A preview of a link counts as an edit, too."""
    for edited in (None, 1_767_607_200):
        path = telegram(tmp_path, "my password: hunter2hunter2", edited)
        report = take_in(memory, path, ImportOptions(), ANA)

    assert (report.added, report.repeated) == (0, 1)
