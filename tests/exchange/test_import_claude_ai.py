"""Claude.ai exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omoide.exchange import detect_format
from omoide.grounding.pasted import unpasted
from omoide.nouns.turn import TURN_LIMIT, Role
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


def pasted(text: str) -> dict[str, Any]:
    """What the user pasted, as an attachment."""
    return {
        "file_name": "paste.txt",
        "file_size": len(text),
        "file_type": "txt",
        "extracted_content": text,
    }


def test_what_was_pasted_stands_quoted_below_what_was_typed(tmp_path: Path) -> None:
    """Also where nothing was typed; names, sizes and types of all files are in the metadata."""
    chat = conversation(
        message(
            "m1",
            "human",
            "Read this",
            attachments=[pasted("I moved\n\nto Porto\n"), pasted("The end")],
            files=[{"file_name": "cat.png"}],
        ),
        message("m2", "human", "", 1, attachments=[pasted("only this")]),
        message("m3", "human", "", 2, files=[{"file_name": "dog.png"}]),
    )

    found = read_one(written(tmp_path / "conversations.json", [chat]))

    assert [(m.key, m.text) for m in found.messages] == [
        ("m1", "Read this\n> I moved\n>\n> to Porto\n> The end"),
        ("m2", "> only this"),
    ]
    assert found.messages[0].metadata["attachments"] == [
        {"name": "paste.txt", "size": 18, "type": "txt"},
        {"name": "paste.txt", "size": 7, "type": "txt"},
        {"name": "cat.png"},
    ]
    assert not any(unpasted(m.text).strip() for m in found.messages[1:])
    assert found.metadata["left_out"] == {"attachment": 1}


def test_a_long_paste_costs_none_of_the_words(tmp_path: Path) -> None:
    """One too long for a turn makes several; of one too large for memory the words are read."""
    line = "all work and no play\n"
    long = line * (TURN_LIMIT // len(line) + 10)
    chat = conversation(
        message("m1", "human", "Sum this up", attachments=[pasted(long)]),
        message("m2", "human", "And this", 1, attachments=[pasted("ж" * 2_600_000)] * 2),
        message("m3", "assistant", "Boring.", 2),
    )

    found = read_one(written(tmp_path / "conversations.json", [chat]))

    assert [m.text[:12] for m in found.messages if not m.text.startswith(">")] == [
        "Sum this up",
        "And this\n> ж",
        "Boring.",
    ]
    pieces = [m.text for m in found.messages if m.text.startswith("> all")]
    assert len(pieces) > 1
    assert max(map(len, pieces)) <= TURN_LIMIT
    assert "\n".join(pieces).replace("> ", "") + "\n" == long
    assert found.metadata["left_out"] == {"pasted text of many megabytes": 1}


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
    older = conversation(  # than the field
        message("a", "human", "one", 1),
        message("b", "assistant", "two", 2),
        message("c", "human", "three", 3, parent_message_uuid="b"),
    )

    conversations, problems = read(
        written(tmp_path / "conversations.json", [shuffled, edited, torn, older])
    )

    assert [texts(c.messages) for c in conversations] == [
        ["one", "two"],
        ["first", "yes"],
        ["one", "two"],
        ["one", "two", "three"],
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

    assert [texts(c.messages) for c in conversations] == [["hello", "3", "hi", "no id, no time"]]
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
