"""Gemini CLI, Instagram, and Signal as signal-export and signal-cli write it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.exchange import detect_format
from omoide.exchange.formats.instagram import put_back
from omoide.nouns.errors import InvalidInput
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, read_one, texts, written, zipped

USER, ASSISTANT, TOOL, SYSTEM = Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM
FORMATS = ("gemini_cli", "instagram", "signal")


@pytest.mark.parametrize("format", FORMATS)
def test_formats_are_found_by_content(format: str) -> None:
    """In a folder, and each file alone."""
    files = [path for path in (FIXTURES / format).rglob("*.json*") if path.is_file()]

    assert detect_format(FIXTURES / format) == format
    assert {detect_format(path) for path in files} == {format}


@pytest.mark.parametrize("format", FORMATS)
def test_an_import_gives_the_same_keys_from_folder_and_zip(format: str, tmp_path: Path) -> None:
    """So that importing again adds nothing."""
    root = FIXTURES / format
    files = {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
    pack = zipped(tmp_path / "export.zip", files)

    keys = [
        {(c.id, m.key) for c in read(path, zone="UTC")[0] for m in c.messages}
        for path in (root, pack)
    ]
    assert keys[0] == keys[1] != set()


def test_a_session_of_gemini_cli_is_read_as_it_stands() -> None:
    """What was typed, tools with their results once, the last form of each message; nothing that
    was rewound.
    """
    (old, found), problems = read(FIXTURES / "gemini_cli", user="ana")

    assert problems == []
    assert found.id == "gemini_cli:1f0c9a52-aaaa-4bbb-8ccc-0123456789ab"
    assert found.title == "Files of the project"
    assert [(m.role, m.speaker, m.user, m.text) for m in found.messages] == [
        (USER, "ana", "ana", "Which files are in @src?"),
        (TOOL, "list_directory", None, 'list_directory {"path": "."}'),
        (TOOL, "list_directory", None, "a.py\nb.py"),
        (ASSISTANT, "Gemini", None, "Two: a.py and b.py."),
        (USER, "ana", "ana", "Thanks"),
    ]
    assert found.messages[3].metadata == {"model": "gemini-x"}
    assert found.metadata["left_out"] == {
        "words in content.text": 1,  # of a file that the program added
        "thinking": 1,
        "info": 1,
        "rewound": 1,
    }
    assert texts(old.messages) == ["Hello", "Hi Ana"]


def test_broken_lines_of_gemini_cli_are_named(tmp_path: Path) -> None:
    """And the rest is read."""
    head = {"sessionId": "s", "projectHash": "p"}
    good = {"id": "1", "timestamp": "2026-01-05T09:00:00Z", "type": "user", "content": "hi"}
    lines = [json.dumps(head), "{oops", json.dumps(good), json.dumps(good | {"id": "2", "type": 5})]

    conversations, problems = read(written(tmp_path / "session-1.jsonl", "\n".join(lines)))

    assert [texts(c.messages) for c in conversations] == [["hi"]]
    assert [p.place for p in problems] == [f"session-1.jsonl: line {n}" for n in (2, 4)]


def test_a_message_of_an_old_gemini_session_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """And the rest is read; one nested too deep once ended the import."""
    good = {"id": "1", "timestamp": "2026-01-05T09:00:00Z", "type": "user", "content": "hi"}
    head = '"sessionId": "s", "projectHash": "p"'
    whole = f'{{{head}, "messages": [{"[" * 80}{"]" * 80}, {json.dumps(good)}]}}'

    conversations, problems = read(written(tmp_path / "session-1.json", whole))

    assert [texts(c.messages) for c in conversations] == [["hi"]]
    assert [p.place for p in problems] == ["session-1.json: message 1"]


def test_a_history_that_was_set_anew_replaces_nothing_twice(tmp_path: Path) -> None:
    """A message that stands in it and before is one."""
    head = {"sessionId": "s", "projectHash": "p"}
    good = {"id": "1", "timestamp": "2026-01-05T09:00:00Z", "type": "user", "content": "hi"}
    more = good | {"id": "2", "content": "there"}
    lines = map(json.dumps, [head, good, {"$set": {"messages": [good, more]}}])

    found = read_one(written(tmp_path / "session-1.jsonl", "\n".join(lines)))

    assert texts(found.messages) == ["hi", "there"]


def test_letters_that_meta_tore_apart_are_put_back() -> None:
    """Oldest first over all files of a chat; files and unsent messages are counted."""
    found = read_one(FIXTURES / "instagram", me="Ana Kim", user="ana")

    assert (found.id, found.title) == ("instagram:bo_17", "Bó Ångström")
    assert [(m.role, m.speaker, m.user, m.text) for m in found.messages] == [
        (USER, "Bó Ångström", None, "Shall we meet at the café?"),
        (SYSTEM, "Bó Ångström", None, "Missed call"),
        (USER, "Ana Kim", "ana", "Да, в шесть 🍵"),
        (USER, "Bó Ångström", None, "Look at this\nThé\nhttps://example.org/tea"),
    ]
    assert found.metadata["left_out"] == {"attachment": 1, "unsent": 1}
    assert {m.at.isoformat()[:16] for m in found.messages[:1] if m.at} == {"2026-01-05T09:00"}


@pytest.mark.parametrize("text", ["plain", "Ana – Bo", "日本", "caf\u00e9 ol\u00e9"])
def test_a_text_that_is_whole_stays(text: str) -> None:
    """Only UTF-8 read as Latin-1 is put back."""
    assert put_back(text) == text
    assert put_back(text.encode().decode("latin-1")) == text


def test_chats_of_signal_are_told_by_folder_and_event() -> None:
    """The owner is found, and an edit names what it replaces."""
    conversations, problems = read(FIXTURES / "signal", zone="Europe/Lisbon", user="ana")
    chats = {one.id: one for one in conversations}

    assert problems == []
    assert {id: one.title for id, one in chats.items()} == {
        "signal:Bo": "Bo",
        "signal:u-bo": "Bo",
        "signal:group:Zw==": "Walkers",
    }
    assert [(m.speaker, m.user, m.text) for m in chats["signal:Bo"].messages] == [
        ("Bo", None, "Shall we meet at the café?"),
        ("Me", "ana", "Yes, at six"),
        ("Bo", None, "🍵"),
    ]
    assert chats["signal:Bo"].messages[1].metadata == {"quotes": "Shall we meet at the café?"}
    assert chats["signal:Bo"].metadata["left_out"] == {"attachment": 1, "deleted": 1}
    first, answer, edit = chats["signal:u-bo"].messages
    assert (first.text, answer.speaker, answer.user) == ("Lunch on Friday?", "Ana", "ana")
    assert (edit.text, edit.metadata["replaces"]) == ("Lunch on Saturday?", first.key)
    assert chats["signal:u-bo"].metadata["left_out"] == {"receiptMessage": 1}
    (group,) = chats["signal:group:Zw=="].messages
    assert (group.speaker, group.text) == ("Cy", "Who comes along?")
    assert group.metadata["attachments"] == [{"name": "map.png", "size": 99, "type": "image/png"}]


def test_local_times_of_signal_need_a_zone() -> None:
    """Which the command line takes from the machine."""
    with pytest.raises(InvalidInput, match="zone"):
        read(FIXTURES / "signal" / "Bo")
