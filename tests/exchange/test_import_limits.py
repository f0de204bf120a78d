"""What every import promises: bounded memory and time, options that count, the same result each
time.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange import ImportOptions, Problem, detect_format, parts, read_export
from omoide.exchange.formats.slack import LISTS
from omoide.exchange.formats.whatsapp_lines import find_header
from omoide.exchange.formats.whatsapp_notes import (
    is_deleted,
    is_omitted,
    without_attachment,
    without_edit_note,
)
from omoide.exchange.intake import take_in
from omoide.exchange.jsonstream import DEPTH_LIMIT, HEAVY, TOKEN_LIMIT
from omoide.exchange.lines import LINE_LIMIT
from omoide.exchange.parts import PART_MESSAGES, OpenConversation
from omoide.exchange.problems import PROBLEM_LIMIT
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Role
from omoide.store import open_store
from omoide.testing import memory_for_tests
from tests.exchange.exports import FIXTURES, read, texts, written
from tests.exchange.test_import_chatgpt import conversation, node
from tests.growth import is_linear


def many(path: Path, count: int) -> Path:
    """A Telegram chat of that many messages."""
    with path.open("w") as file:
        file.write('{"name": "Bo", "id": 1, "type": "personal_chat", "messages": [')
        for number in range(count):
            message = {
                "id": number,
                "type": "message",
                "date_unixtime": str(1_700_000_000 + number),
                "from": "Ana",
                "text": f"message {number}",
            }
            file.write(("," if number else "") + json.dumps(message))
        file.write("]}")
    return path


def test_a_long_chat_comes_in_parts_of_one_id(tmp_path: Path) -> None:
    """In order, none lost, none twice."""
    count = 2 * PART_MESSAGES + 7

    conversations, problems = read(many(tmp_path / "result.json", count))

    assert [len(c.messages) for c in conversations] == [PART_MESSAGES, PART_MESSAGES, 7]
    assert {c.id for c in conversations} == {"telegram:user:1"}
    assert [m.key for c in conversations for m in c.messages] == [str(n) for n in range(count)]
    assert not problems


def test_what_is_left_out_of_a_long_chat_adds_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part counts what was left out so far, so the last one, whose count stays, tells it
    all.
    """
    part = 50
    monkeypatch.setattr(parts, "PART_MESSAGES", part)
    path = many(tmp_path / "result.json", 2 * part)
    export = json.loads(path.read_text("utf-8"))
    for number in (0, 7, part + 1, 2 * part - 1):
        export["messages"][number] |= {"text": "", "photo": "a.jpg"}
    export["messages"] += [
        dict(export["messages"][1], id=number, text="", photo="a.jpg")
        for number in (90_001, 90_002)
    ]
    path.write_text(json.dumps(export), "utf-8")

    with memory_for_tests(open_store(":memory:")) as memory:
        for _ in range(2):
            take_in(memory, path, ImportOptions(user="ana"), Scope(user="ana"))

            (found,) = memory.sessions.list(Scope(user="ana"))
            assert found.session.metadata["left_out"] == {"attachment": 6}
            assert found.session.turns == 2 * part - 4


def test_what_is_left_out_after_a_full_part_is_counted_too() -> None:
    """Where no message follows any more."""
    chat = OpenConversation("telegram", "1", ImportOptions(), title="Bo")
    for number in range(PART_MESSAGES):
        chat.add("hi", Role.USER, "Bo", at=datetime(2026, 1, 1, tzinfo=UTC), key=str(number))
    (first,) = chat.take()
    chat.leave_out("empty")

    (last,) = chat.take()

    assert "left_out" not in first.metadata
    assert (last.id, last.messages, last.metadata["left_out"]) == (first.id, (), {"empty": 1})
    assert list(chat.take()) == []


def test_names_of_any_length_are_shortened() -> None:
    """A title or name that no program shows is no reason to lose what was said."""
    chat = OpenConversation("slack", "1", ImportOptions(), title=", ".join(["Bo" * 200] * 10))
    chat.add("hi", Role.USER, "A" * 1_003, at=datetime(2026, 1, 1, tzinfo=UTC), key="1")
    (found,) = chat.take()

    with memory_for_tests(open_store(":memory:")) as memory:
        assert memory.ingest(found, Scope(user="ana")).added == 1


def test_parts_come_before_the_file_is_read_to_its_end(tmp_path: Path) -> None:
    """The first part is there although the file breaks off in the second."""
    path = many(tmp_path / "result.json", PART_MESSAGES + 50)
    path.write_bytes(path.read_bytes()[:-100])

    readings = read_export(path)

    first = next(readings)
    assert isinstance(first, Conversation)
    assert len(first.messages) == PART_MESSAGES
    assert [type(reading) for reading in readings] == [Conversation, Problem]


def test_every_fixture_reads_the_same_twice() -> None:
    """Conversation ids and message keys are unique and stable, so that importing again adds
    nothing.
    """
    paths = [
        FIXTURES / name for name in ("chatgpt", "claude_ai", "claude_code", "slack", "telegram")
    ]
    paths += [path for path in (FIXTURES / "whatsapp").iterdir() if path.suffix == ".txt"]
    assert len(paths) == 10
    for path in paths:
        options = {"zone": "Europe/Lisbon"}
        first, second = read(path, **options), read(path, **options)
        assert first == second
        assert first[0]
        for found in first[0]:
            assert len({m.key for m in found.messages}) == len(found.messages)
            assert all(m.at and m.at.tzinfo and m.key and m.text.strip() for m in found.messages)


def test_formats_are_found_by_content() -> None:
    """Each fixture's folder is named after its format."""
    for format in ("chatgpt", "claude_ai", "claude_code", "slack", "telegram", "whatsapp"):
        assert detect_format(FIXTURES / format) == format
    assert LISTS.fullmatch("mpims.json")


@pytest.mark.covers("LS-69")
@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"format": "myspace"}, "format"),
        ({"me": "Ana"}, "user"),
        ({"me": "Ana", "user": "a"}, "me"),
        ({"day_first": True}, "day_first"),
        ({"zone": "Nowhere/Land"}, "zone"),
        ({"format": "whatsapp"}, "zone"),
    ],
)
def test_options_that_would_do_nothing_are_errors(options: dict[str, Any], field: str) -> None:
    """Before anything is read, with the option's name."""
    with pytest.raises(InvalidInput) as refused:
        read_export(FIXTURES / "chatgpt", ImportOptions(**options))
    assert refused.value.field == field
    assert isinstance(refused.value, UnknownName) == (field == "format")


def test_problems_are_listed_up_to_a_limit(tmp_path: Path) -> None:
    """And then counted."""
    _, problems = read(
        written(tmp_path / "x.jsonl", "7\n" * (PROBLEM_LIMIT + 5)), format="claude_code"
    )

    assert len(problems) == PROBLEM_LIMIT + 1
    assert problems[-1] == Problem("import", "5 more problems, not listed")


def heavy() -> Iterator[tuple[str, str]]:
    """Values that no conversation has, each within one record."""
    yield "depth", "[" * (DEPTH_LIMIT + 1) + "]" * (DEPTH_LIMIT + 1)
    yield "depth of objects", '{"a":' * 100_000 + "1" + "}" * 100_000
    yield "count", "[" + "{}," * 1_000_000 + "1]"
    yield "keys", "{" + ",".join(f'"{n}":1' for n in range(300_000)) + "}"


@pytest.mark.parametrize(
    "value", [value for _, value in heavy()], ids=[name for name, _ in heavy()]
)
def test_a_heavy_record_is_reported_and_the_next_is_read(tmp_path: Path, value: str) -> None:
    """Only that record is lost."""
    good = json.dumps(conversation(node("a", "root", "hi")))
    path = written(
        tmp_path / "conversations.json", f'[{good},{{"mapping":{{"x":{value}}}}},{good}]'
    )

    conversations, problems = read(path, format="chatgpt")

    assert len(problems) == 1
    assert len(conversations) == 2


@pytest.mark.parametrize("piece", ["{},", "[],", "0,", '"",'])
def test_many_small_values_take_little_memory(piece: str, tmp_path: Path) -> None:
    """Those of the record that is read, and of the piece of a file that is at hand."""
    path = written(
        tmp_path / "conversations.json", '[{"mapping":{"x":[' + piece * 500_000 + "0]}}]"
    )

    tracemalloc.start()
    read(path, format="chatgpt")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < HEAVY


def test_the_limit_of_depth(tmp_path: Path) -> None:
    """DEPTH_LIMIT levels are read, one more is not."""
    for over in (0, 1):
        depth = DEPTH_LIMIT - 1 + over  # the record itself is one more level
        record = (
            json.dumps(conversation(node("a", "root", "hi")))[:-1]
            + f', "x": {"[" * depth + "]" * depth}}}'
        )
        conversations, problems = read(written(tmp_path / "conversations.json", f"[{record}]"))
        assert (len(conversations), len(problems)) == (1 - over, over)


def test_one_endless_text_ends_the_file_and_not_the_import(tmp_path: Path) -> None:
    """A text over the limit cannot be passed over, so what came before it is read."""
    good = json.dumps(conversation(node("a", "root", "hi")))
    path = written(
        tmp_path / "conversations.json",
        f'[{good}, {{"title": "{"x" * (TOKEN_LIMIT + 100_000)}"}}, {good}]',
    )

    conversations, problems = read(path)

    assert len(conversations) == 1
    assert [p.place for p in problems] == ["conversations.json: from conversation 2 on"]


def test_an_endless_line_is_passed_over(tmp_path: Path) -> None:
    """In a file of lines the next line is a new beginning."""
    good = json.dumps(
        {
            "type": "user",
            "uuid": "a",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"content": "hi"},
        }
    )

    conversations, problems = read(
        written(tmp_path / "x.jsonl", f"{'x' * (LINE_LIMIT + 1)}\n{good}\n")
    )

    assert [texts(c.messages) for c in conversations] == [["hi"]]
    assert [p.place for p in problems] == ["x.jsonl: line 1"]


def test_large_files_are_read(tmp_path: Path) -> None:
    """Piece by piece."""
    chats = [conversation(node("a", "root", f"{n} {'many words ' * 9_000}")) for n in range(90)]
    path = written(tmp_path / "conversations.json", chats)
    assert path.stat().st_size > 8 * 2**20

    found, problems = read(path)

    assert problems == []
    assert len(found) == 90


def test_texts_no_database_can_hold_are_mended(tmp_path: Path) -> None:
    """NUL and halves of surrogate pairs become U+FFFD, in a title as in a message."""
    record = json.dumps(
        {
            "type": "user",
            "uuid": "a",
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"content": "a\x00b\ud83dc"},
        }
    )

    conversations, _ = read(written(tmp_path / "x.jsonl", record))

    assert texts(conversations[0].messages) == ["a\ufffdb\ufffdc"]


HOSTILE = [
    "1/" * 50_000,
    "[" * 100_000,
    "1" * 100_000,
    " " * 100_000,
    "\u200e" * 100_000,
    "<a:" * 33_000,
    "(a.b " * 20_000,
    "a" * 100_000 + ">",
]


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:4] for text in HOSTILE])
def test_no_pattern_is_slow_on_hostile_text(text: str, tmp_path: Path) -> None:
    """100 KB of what each pattern looks for takes time that grows as it does."""
    for start in ("", "1/1/24, 10:00 - ", "<"):
        for look in (find_header, is_deleted, is_omitted, without_attachment, without_edit_note):
            assert is_linear(look, start + text)

    def read_chat(text: str) -> None:
        file = written(tmp_path / "chat.txt", f"13/01/24, 10:00 - Bo: {text}\n{text}")
        assert [
            reading
            for reading in read_export(file, ImportOptions(zone="UTC"))
            if not isinstance(reading, Conversation)
        ] == []

    assert is_linear(read_chat, text)


@pytest.mark.parametrize(
    "text",
    ["<@" * 50_000, "<https://" * 11_000, "<a|" * 33_000, "&amp;" * 20_000, "<" + "a" * 100_000],
)
def test_no_mark_of_slack_is_slow(text: str, tmp_path: Path) -> None:
    """The same for marks in messages."""

    def read_channel(text: str) -> None:
        written(tmp_path / "s" / "channels.json", [])
        written(
            tmp_path / "s" / "c" / "2026-01-05.json",
            [{"user": "U1", "text": text, "ts": "1767603600.1"}],
        )
        assert len(read(tmp_path / "s")[0]) == 1

    assert is_linear(read_channel, text)
