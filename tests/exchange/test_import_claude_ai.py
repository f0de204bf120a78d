"""Claude.ai exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omoide.exchange import detect_format
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, read_one, sample, texts, written, zipped


def message(
    uuid: str, sender: str, text: str = "", minute: int = 0, **fields: Any
) -> dict[str, Any]:
    return {
        "uuid": uuid,
        "sender": sender,
        "text": text,
        "created_at": f"2026-03-01T10:{minute:02}:00.5Z",
        **fields,
    }


def conversation(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "uuid": "c1",
        "name": "Tea",
        "created_at": "2026-03-01T09:00:00Z",
        "account": {"uuid": "u1"},
        "chat_messages": [*messages],
        **fields,
    }


def test_blocks_become_words_and_tool_messages(tmp_path: Path) -> None:
    """Words keep their role, calls and results have the role tool, thinking is left out; the text
    field is second choice.
    """
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "thé"}},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": [{"type": "text", "text": "three hits"}],
        },
        {"type": "text", "text": "Here:"},
        {"type": "text", "text": "green tea."},
    ]
    chat = conversation(
        message("m1", "human", "Tea?"),
        message("m2", "assistant", "This block is not supported", 1, content=blocks),
    )

    found = read_one(written(tmp_path / "conversations.json", [chat]), user="ana")

    assert [(m.role, m.speaker, m.text, m.key) for m in found.messages] == [
        (Role.USER, "ana", "Tea?", "m1"),
        (Role.ASSISTANT, "Claude", "Let me look.", "m2:1"),
        (Role.TOOL, "search", 'search {"q": "thé"}', "m2:2"),
        (Role.TOOL, "search", "three hits", "m2:3"),
        (Role.ASSISTANT, "Claude", "Here:\ngreen tea.", "m2:4"),
    ]
    assert found.messages[0].user == "ana"
    assert found.metadata["left_out"] == {"thinking": 1}


def test_attachments_are_named_and_not_read(tmp_path: Path) -> None:
    """Name, size and type stand in the metadata; the extracted text does not."""
    attachment = {
        "file_name": "plan.txt",
        "file_size": 12,
        "file_type": "txt",
        "extracted_content": "the plan",
    }
    chat = conversation(
        message(
            "m1", "human", "Read this", attachments=[attachment], files=[{"file_name": "cat.png"}]
        )
    )

    found = read_one(written(tmp_path / "conversations.json", [chat]))

    assert found.messages[0].metadata["attachments"] == [
        {"name": "plan.txt", "size": 12, "type": "txt"},
        {"name": "cat.png"},
    ]
    assert "the plan" not in repr(found)


def test_messages_come_in_time_order_and_of_the_newest_branch(tmp_path: Path) -> None:
    """The order in the file does not count; of an edited question only the later version is
    read.
    """
    root = "00000000-0000-4000-8000-000000000000"
    shuffled = conversation(message("b", "assistant", "two", 2), message("a", "human", "one", 1))
    edited = conversation(
        message("a", "human", "frist", 1, parent_message_uuid=root),
        message("b", "assistant", "what?", 2, parent_message_uuid="a"),
        message("c", "human", "first", 3, parent_message_uuid=root),
        message("d", "assistant", "yes", 4, parent_message_uuid="c"),
        uuid="c2",
    )
    torn = conversation(
        message("a", "human", "one", 1, parent_message_uuid="gone"),
        message("b", "human", "two", 2, parent_message_uuid="a"),
    )

    conversations, problems = read(
        written(tmp_path / "conversations.json", [shuffled, edited, torn])
    )

    assert [texts(c.messages) for c in conversations] == [
        ["one", "two"],
        ["first", "yes"],
        ["one", "two"],
    ]
    assert not problems


def test_empty_fields_never_empty_the_import(tmp_path: Path) -> None:
    """Nulls and strange senders cost at most their own message."""
    chat = conversation(
        message("m1", "human", "hello", content=None, attachments=None, files=[None]),
        message("m2", "robot", "who?"),
        message(
            "m3",
            "assistant",
            "",
            content=[None, 3, {"type": "text"}, {"type": "text", "text": "hi"}],
        ),
        {"uuid": None, "sender": "human", "text": "no id, no time", "created_at": None},
        name=None,
        account=None,
        created_at=None,
    )

    conversations, problems = read(
        written(tmp_path / "conversations.json", [None, chat, {"chat_messages": []}])
    )

    assert [texts(c.messages) for c in conversations] == [["hello", "hi", "no id, no time"]]
    assert [str(p) for p in problems] == [
        "conversations.json: conversation 1: has no messages",
        "conversations.json: conversation 2, message 2: unknown sender 'robot'",
    ]


def test_parts_inside_a_zip_are_read(tmp_path: Path) -> None:
    """An export that holds its conversations in further zips, and the account's name beside
    them.
    """
    parts = [
        zipped(
            tmp_path / f"{n}.zip",
            {
                "conversations.json": [
                    conversation(message("m", "human", f"part {n}"), uuid=f"c{n}")
                ]
            },
        )
        for n in (0, 1)
    ]
    files: dict[str, Any] = {
        f"conversations-00{n}.zip": part.read_bytes() for n, part in enumerate(parts)
    }
    export = zipped(
        tmp_path / "data.zip", {**files, "users.json": [{"uuid": "u1", "full_name": "Ana Lima"}]}
    )

    conversations, problems = read(export)

    assert [texts(c.messages) for c in conversations] == [["part 0"], ["part 1"]]
    assert {m.speaker for c in conversations for m in c.messages} == {"Ana Lima"}
    assert not problems
    assert detect_format(export) == "claude_ai"


def test_old_thinking_marks_are_cut_out(tmp_path: Path) -> None:
    """Early exports have thinking inside the text."""
    chat = conversation(
        message("m", "assistant", "Sure! <antThinking>secret</antThinking>Done. <antThinking>open")
    )

    found = read_one(written(tmp_path / "conversations.json", [chat]))

    assert texts(found.messages) == ["Sure! Done. <antThinking>open"]


def test_the_fixture_reads_whole() -> None:
    """A file as Claude.ai writes it."""
    conversations, problems = read(FIXTURES / "claude_ai")

    assert [len(c.messages) for c in conversations] == [3, 1]
    assert not problems


def test_the_samples_read_whole() -> None:
    """Public samples of three ages."""
    assert len(read_one(sample("claude-ai_claude-to-sqlite/example.json")).messages) == 2
    assert len(read_one(sample("claude-ai_claude-to-sqlite/artifacts.json")).messages) == 20
    assert len(read_one(sample("polylogue/claude-ai/sample-00.json")).messages) == 3
