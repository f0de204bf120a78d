"""ChatGPT exports."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide.exchange import detect_format
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, read_one, sample, texts, written, zipped

ROOT: dict[str, Any] = {"id": "root", "parent": None, "message": None}


def node(
    id: str,
    parent: str,
    text: str,
    *,
    role: str = "user",
    at: float | None = 1_700_000_000.0,
    **message: Any,
) -> dict[str, Any]:
    """A tree node with a plain message, unless fields of it are given."""
    content = {"content_type": "text", "parts": [text]}
    body = {
        "id": f"m-{id}",
        "author": {"role": role},
        "create_time": at,
        "content": content,
        "recipient": "all",
        **message,
    }
    return {"id": id, "parent": parent, "message": body}


def conversation(
    *nodes: dict[str, Any], current: str | None = None, **fields: Any
) -> dict[str, Any]:
    tree = {entry["id"]: entry for entry in (ROOT, *nodes)}
    last = nodes[-1]["id"] if nodes else "root"
    return {
        "conversation_id": "c1",
        "title": "Tea",
        "create_time": 1.7e9,
        "current_node": current or last,
        "mapping": tree,
        **fields,
    }


def test_conversations_saved_apart_are_read_from_one_folder(tmp_path: Path) -> None:
    """Whatever their files are called, if none has the name that exports give."""
    for city in ("berlin", "lisbon"):
        written(
            tmp_path / f"{city}.json",
            [conversation(node("q", "root", f"I moved to {city}"), conversation_id=city)],
        )

    conversations, problems = read(tmp_path)

    assert (len(conversations), problems) == (2, [])


def test_the_branch_on_screen_is_read_oldest_first(tmp_path: Path) -> None:
    """From the current node up to the root, reversed; regenerated answers on other branches stay
    out.
    """
    tree = conversation(
        node("q", "root", "Tea or coffee?"),
        node("old", "q", "Coffee.", role="assistant"),
        node(
            "new",
            "q",
            "Tea.",
            role="assistant",
            at=1_700_000_009.5,
            metadata={"model_slug": "gpt-x"},
        ),
        current="new",
    )

    found = read_one(written(tmp_path / "conversations.json", [tree]), user="ana")

    assert [(m.role, m.text, m.key, m.user) for m in found.messages] == [
        (Role.USER, "Tea or coffee?", "m-q", "ana"),
        (Role.ASSISTANT, "Tea.", "m-new", None),
    ]
    assert found.messages[1].at == datetime(2023, 11, 14, 22, 13, 29, 500_000, tzinfo=UTC)
    assert found.messages[1].metadata["model"] == "gpt-x"
    assert (found.id, found.title, found.channel) == ("chatgpt:c1", "Tea", "chatgpt")


def test_each_content_type_gives_its_words(tmp_path: Path) -> None:
    """Text, captions, voice transcripts, code, quotes and results are read; reasoning and hidden
    messages are counted.
    """
    image = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://f1",
        "size_bytes": 7,
    }
    voice = {"content_type": "audio_transcription", "text": "spoken words", "direction": "in"}
    audio = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://f2"}
    tree = conversation(
        node(
            "a",
            "root",
            "",
            content={"content_type": "multimodal_text", "parts": [image, "a caption"]},
        ),
        node("b", "a", "", content={"content_type": "multimodal_text", "parts": [voice, audio]}),
        node("c", "b", "", content={"content_type": "multimodal_text", "parts": [image]}),
        node(
            "d",
            "c",
            "",
            role="assistant",
            recipient="python",
            content={"content_type": "code", "text": "1 + 1"},
        ),
        node(
            "e",
            "d",
            "",
            role="tool",
            author={"role": "tool", "name": "python"},
            content={"content_type": "execution_output", "text": "2"},
        ),
        node(
            "f",
            "e",
            "",
            role="tool",
            content={
                "content_type": "tether_quote",
                "title": "T",
                "url": "https://x",
                "text": "quoted",
            },
        ),
        node(
            "g",
            "f",
            "",
            role="tool",
            content={"content_type": "tether_browsing_display", "result": "found it"},
        ),
        node(
            "h",
            "g",
            "",
            role="assistant",
            content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]},
        ),
        node(
            "i",
            "h",
            "secret",
            role="system",
            metadata={"is_visually_hidden_from_conversation": True},
        ),
        node(
            "j",
            "i",
            "",
            content={"content_type": "user_editable_context", "user_profile": "I am a nurse."},
        ),
        node("k", "j", "done", role="assistant"),
    )

    found = read_one(written(tmp_path / "conversations.json", [tree]))

    assert [(m.role, m.speaker, m.text) for m in found.messages] == [
        (Role.USER, "user", "a caption"),
        (Role.USER, "user", "spoken words"),
        (Role.TOOL, "python", "1 + 1"),
        (Role.TOOL, "python", "2"),
        (Role.TOOL, "tool", "T\nhttps://x\nquoted"),
        (Role.TOOL, "tool", "found it"),
        (Role.ASSISTANT, "ChatGPT", "done"),
    ]
    assert found.messages[0].metadata["attachments"] == [
        {"name": "file-service://f1", "size": 7, "type": "image_asset_pointer"}
    ]
    assert found.metadata["left_out"] == {"attachment": 1, "thinking": 1, "hidden": 1}
    assert found.metadata["user_profile"] == "I am a nurse."


def test_split_files_and_folders_and_zips_give_the_same(tmp_path: Path) -> None:
    """conversations-000.json and so on, in a zip or unpacked."""
    files: dict[str, Any] = {
        "conversations-000.json": [conversation(node("a", "root", "one"))],
        "conversations-001.json": [conversation(node("a", "root", "two"), conversation_id="c2")],
        "user.json": {"id": "u", "email": "ana@example.org"},
        "chat.html": "<html>",
    }
    folder = tmp_path / "export"
    for name, content in files.items():
        written(folder / name, content)

    unpacked, packed = read(folder), read(zipped(tmp_path / "export.zip", files))

    assert unpacked == packed
    assert [texts(c.messages) for c in packed[0]] == [["one"], ["two"]]
    assert detect_format(folder) == detect_format(tmp_path / "export.zip") == "chatgpt"


def test_a_broken_conversation_does_not_stop_the_next(tmp_path: Path) -> None:
    """Nulls, wrong types, circles and missing nodes are reported with their place; all that can be
    read is.
    """
    circle = conversation(
        node("a", "b", "first"), node("b", "a", "second"), conversation_id="circle"
    )
    orphan = conversation(node("a", "gone", "still here"), conversation_id="orphan")
    no_leaf = conversation(
        node("a", "root", "hello"),
        node("b", "a", "newest", at=1_700_000_050.0),
        current_node=None,
        conversation_id="leaf",
    )
    strange = conversation(
        node("a", "root", "x", author={"role": "critic"}),
        node("b", "a", "fine"),
        conversation_id="strange",
    )
    empty = conversation(
        node("a", "root", "ok", at=None, metadata=None),
        title=None,
        create_time=1.7e9,
        gizmo_id=None,
        conversation_id="nulls",
    )
    records = [None, 7, {}, circle, orphan, no_leaf, strange, {"mapping": None}, empty]

    conversations, problems = read(
        written(tmp_path / "conversations.json", records), format="chatgpt"
    )

    assert {c.id: texts(c.messages) for c in conversations} == {
        "chatgpt:circle": ["first", "second"],
        "chatgpt:orphan": ["still here"],
        "chatgpt:leaf": ["hello", "newest"],
        "chatgpt:strange": ["fine"],
        "chatgpt:nulls": ["ok"],
    }
    assert conversations[-1].messages[0].metadata["time"] == "estimated"
    assert [str(problem) for problem in problems] == [
        "conversations.json: conversation 1: has no messages",
        "conversations.json: conversation 2: has no messages",
        "conversations.json: conversation 3: has no messages",
        "conversations.json: conversation 4: its messages form a circle",
        "conversations.json: conversation 5: message 'gone' is missing; the branch begins after it",
        "conversations.json: conversation 6: no current message; the newest branch was taken",
        "conversations.json: conversation 7, message 2: unknown role 'critic'",
        "conversations.json: conversation 8: has no messages",
    ]


def test_the_fixture_reads_whole() -> None:
    """A file as ChatGPT writes it, with a tool call, a picture and a second branch."""
    found = read_one(FIXTURES / "chatgpt" / "conversations.json", user="ana", zone="Europe/Lisbon")

    assert [m.role.value for m in found.messages] == ["user", "tool", "tool", "assistant"]
    assert found.messages[0].at is not None
    assert found.messages[0].at.utcoffset() is not None
    assert {p.name: p.user for p in found.participants} == {
        "ana": "ana",
        "web.search": None,
        "ChatGPT": None,
    }


def test_the_samples_read_whole() -> None:
    """Public samples: the active branch only, and content types nobody knows."""
    native = read_one(sample("polylogue/chatgpt/native-conversation-v1.json"))
    synthetic = read_one(sample("polylogue/chatgpt/sample-00.json"))

    assert [m.role.value for m in native.messages] == ["user", "tool", "tool", "assistant"]
    assert "Superseded answer." not in texts(native.messages)
    assert len(synthetic.messages) == 2


def test_messages_before_the_first_with_a_time_are_kept(tmp_path: Path) -> None:
    """With the time at which they were changed, that of the first which has one, or the end's."""
    changed = [node("a", "root", "one", at=None, update_time=1_700_000_005.0)]
    before = [
        node("a", "root", "one", at=None),
        node("b", "a", "two"),
        node("c", "b", "3", at=None),
    ]
    never = [node("a", "root", "one", at=None), node("b", "a", "two", at=None)]
    path = written(
        tmp_path / "conversations.json",
        [
            conversation(*changed, conversation_id="changed", create_time=None),
            conversation(*before, conversation_id="before", create_time=None),
            conversation(*never, conversation_id="never", create_time=None, update_time=1.7e9),
            conversation(*never, conversation_id="lost", create_time=None),
        ],
    )

    conversations, problems = read(path)

    seconds = {c.id: [m.at.second if m.at else None for m in c.messages] for c in conversations}
    assert seconds == {
        "chatgpt:changed": [25],
        "chatgpt:before": [20, 20, 20],
        "chatgpt:never": [20, 20],
    }
    assert [m.metadata.get("time") for m in conversations[1].messages] == [
        "estimated",
        None,
        "estimated",
    ]
    assert [str(problem) for problem in problems] == [
        f"conversations.json: conversation 4, message {n}: no time" for n in (2, 3)
    ]
