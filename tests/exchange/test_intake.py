"""Taking an export in: what is stored, what is said when there is nothing, and what a stop leaves
behind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tzlocal

from omoide.cli import run
from omoide.exchange.intake import PORTION, take_in
from omoide.exchange.options import ImportOptions
from omoide.memory import Memory
from omoide.nouns.errors import ImportRefused, InvalidInput
from omoide.nouns.session import Conversation
from tests.exchange.exports import FIXTURES, read, written, zipped
from tests.fix_memory import ANA

UTC = ImportOptions(zone="UTC")


def chat(lines: int) -> str:
    """A WhatsApp chat of so many messages."""
    return "\n".join(
        f"14/01/24, 10:{n // 60 % 60:02d} - Bo: message number {n}" for n in range(lines)
    )


def message(text: str) -> dict[str, object]:
    """A message as ChatGPT exports it."""
    return {"author": {"role": "user"}, "content": {"parts": [text]}, "create_time": 1_700_000_000}


GPT = [
    {
        "id": "g",
        "title": "t",
        "mapping": {"a": {"id": "a", "message": message("hello there"), "children": []}},
        "current_node": "a",
    }
]
CLAUDE = [
    {
        "uuid": "c",
        "chat_messages": [
            {
                "uuid": "m",
                "sender": "human",
                "text": "good day",
                "created_at": "2024-01-01T00:00:00Z",
            }
        ],
    }
]


class Stopped(Exception):
    """Somebody pulled the plug."""


def test_an_import_that_was_stopped_goes_on_where_it_was(memory: Memory, tmp_path: Path) -> None:
    """One long chat is committed in portions; taking it in again adds the rest and nothing
    twice.
    """
    path = written(tmp_path / "chat.txt", chat(3 * PORTION + 7))
    told: list[int] = []

    def stop(done: int) -> None:
        told.append(done)
        if len(told) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        take_in(memory, path, UTC, ANA, stop)
    assert told == [PORTION, PORTION]
    assert memory.stats().log.turns == 2 * PORTION

    report = take_in(memory, path, UTC, ANA)
    assert (report.conversations, report.added, report.repeated, report.problems) == (
        1,
        PORTION + 7,
        2 * PORTION,
        (),
    )
    (session,) = memory.sessions.list()
    turns = memory.sessions.turns(session.session.id, limit=10_000)
    assert [turn.text for turn in turns] == [f"message number {n}" for n in range(3 * PORTION + 7)]
    assert memory.admin.doctor() == []


def test_a_known_message_is_told_by_its_turn(memory: Memory) -> None:
    """Of many messages, those that are there already keep their places among the others."""
    first = memory.ingest(
        [{"content": f"number {n}", "key": f"k{n}"} for n in range(0, 60, 2)], ANA
    )
    scope = memory.sessions.list()[0].session.id
    talk = [{"content": f"number {n}", "key": f"k{n}"} for n in range(60)]
    again = memory.ingest(talk, memory.scope.__class__(user="ana", session=scope))

    assert (again.added, again.repeated) == (30, 30)
    assert again.turns[::2] == first.turns
    assert len(set(again.turns)) == 60


@pytest.mark.parametrize(
    "content", [[], [{"mapping": {}}], [{"mapping": 5}, {"mapping": {"a": 5}}]]
)
def test_an_export_without_conversations_is_no_success(
    memory: Memory, tmp_path: Path, content: object
) -> None:
    """That nothing was imported is an error, which tells what stood in the way."""
    path = zipped(tmp_path / "export.zip", {"conversations.json": json.dumps(content)})
    with pytest.raises(ImportRefused, match="nothing was imported"):
        take_in(memory, path, ImportOptions(format="chatgpt"), ANA)
    assert memory.stats().changes == 0


def test_what_stood_in_the_way_is_told(memory: Memory, tmp_path: Path) -> None:
    """The first problems are in the error."""
    path = written(tmp_path / "chats" / "conversations.json", b'[{"mapping": {"a": ')
    with pytest.raises(ImportRefused, match=r"conversations\.json"):
        take_in(memory, path, ImportOptions(format="chatgpt"), ANA)


def test_a_folder_of_several_formats_says_what_it_does_not_read(tmp_path: Path) -> None:
    """One format is read, each file of another is reported by name, and neither is read as the
    other.
    """
    folder = tmp_path / "exports"
    written(folder / "gpt" / "conversations.json", GPT)
    written(folder / "claude" / "conversations.json", CLAUDE)
    written(folder / "WhatsApp Chat with Bo.txt", chat(3))
    written(folder / "notes.txt", "nothing of the kind")

    found, problems = read(folder)

    assert len(found) == 1
    assert len(problems) == 2
    told = {problem.place: problem.what for problem in problems}
    other = (
        "gpt/conversations.json" if found[0].channel == "claude_ai" else "claude/conversations.json"
    )
    assert told.keys() == {"WhatsApp Chat with Bo.txt", other}
    assert all("import it by itself" in what for what in told.values())
    assert [c.channel for c in read(folder, format="whatsapp", zone="UTC")[0]] == ["whatsapp"]
    both = [read(folder, format=format)[0] for format in ("chatgpt", "claude_ai")]
    assert [[m.text for c in cs for m in c.messages] for cs in both] == [
        ["hello there"],
        ["good day"],
    ]


def test_one_file_is_read_as_it_is_told(tmp_path: Path) -> None:
    """Whoever names the format of a single file knows better than a guess."""
    conversations, problems = read(
        written(tmp_path / "chat.txt", chat(2)), format="whatsapp", zone="UTC"
    )
    assert [type(c) for c in conversations] == [Conversation]
    assert problems == []


def test_a_large_workspace_is_read(tmp_path: Path) -> None:
    """A zip has as many members as it has bytes for: one a day and channel comes to more than
    thirty thousand.
    """
    day = json.dumps(
        [{"user": "U1", "text": f"a message with {'some words ' * 20}", "ts": "1700000000.000100"}]
    )
    files = {
        f"c{n // 100}/{2020 + n % 100 // 28}-01-{n % 28 + 1:02d}.json": day for n in range(36_000)
    }
    listed = [{"id": f"C{n}", "name": f"c{n}"} for n in range(360)]
    path = zipped(
        tmp_path / "slack.zip", {"channels.json": json.dumps(listed), "users.json": "[]"} | files
    )

    found, problems = read(path)

    assert problems == []
    assert len({c.id for c in found}) == 360


def test_the_command_fails_where_nothing_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the exit code of a wrong input, and the reason."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    path = zipped(tmp_path / "export.zip", {"conversations.json": "[]"})

    assert (
        run(["--user", "ana", "import", str(path), "--format", "chatgpt"])
        == ImportRefused.exit_code
    )
    assert "nothing was imported" in capsys.readouterr().err


def omitting(path: Path) -> Path:
    """An export of which two messages and two files are left out."""
    hidden = message("not for you") | {"metadata": {"is_visually_hidden_from_conversation": True}}
    nodes = {
        "a": {"id": "a", "message": message("hello there")},
        "b": {"id": "b", "parent": "a", "message": hidden},
        "c": {"id": "c", "parent": "b", "message": message("  ")},
    }
    chats = [{"id": "g", "mapping": nodes, "current_node": "c"}]
    hidden_alone = [{"id": "h", "mapping": {"b": {"id": "b", "message": hidden}}}]
    return zipped(
        path,
        {
            "conversations.json": json.dumps(chats + hidden_alone),
            "chat.html": "<p>",
            "user.json": "{}",
        },
    )


def test_what_is_left_out_is_counted_by_kind_with_a_place(memory: Memory, tmp_path: Path) -> None:
    """Over all conversations, those of which nothing else is left, and files that are not read."""
    report = take_in(memory, omitting(tmp_path / "gpt.zip"), ImportOptions(), ANA)

    assert {(o.kind, o.count, o.place) for o in report.left_out} == {
        ("hidden", 2, "conversations.json: conversation 1, message 2"),
        ("empty", 1, "conversations.json: conversation 1, message 3"),
        ("file", 2, "chat.html"),
    }


def test_the_command_says_what_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the summary for people, and in JSON."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    path = omitting(tmp_path / "gpt.zip")

    assert run(["--user", "ana", "import", str(path)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "left out: 2 × hidden (such as conversations.json: conversation 1, message 2)" in told
    assert run(["--user", "ana", "import", str(path), "--json"]) == 0
    omitted = json.loads(capsys.readouterr().out)["left_out"]
    assert {"kind": "file", "count": 2, "place": "chat.html"} in omitted


def test_how_far_an_import_is_goes_up_to_all_of_it(memory: Memory, tmp_path: Path) -> None:
    """By the bytes of what is read, whatever pictures lie beside it."""
    written(tmp_path / "chat" / "WhatsApp Chat with Bo.txt", chat(12_000))
    written(tmp_path / "chat" / "IMG-20240114-WA0001.jpg", b"\xff" * 5_000_000)
    shares: list[float] = []

    take_in(memory, tmp_path / "chat", UTC, ANA, watch=shares.append)

    assert len(shares) > 3
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.9
    assert shares[-1] == 1.0


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if this machine stood there."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        tzlocal.reload_localzone()
        yield
    tzlocal.reload_localzone()


@pytest.mark.usefixtures("in_tokyo")
def test_local_times_are_read_in_the_machines_zone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says so, also in JSON, and asks no question whose answer it can find."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    path = written(tmp_path / "chat.txt", "[10:05, 14/01/24] Bo: hello there")

    assert run(["--user", "ana", "import", str(path), "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["zone"] == "Asia/Tokyo"
    assert "read in Asia/Tokyo, this machine's zone" in " ".join(told.err.split())
    open_order = written(tmp_path / "other.txt", "[10:05, 01/02/24] Bo: hello there")
    assert run(["--user", "ana", "import", str(open_order)]) == InvalidInput.exit_code
    assert "--day-first" in capsys.readouterr().err


FOREIGN = {
    "chat.json": {"messages": [{"role": "user", "content": "hi", "id": 1}]},
    "export.json": {"name": "x", "messages": [{"author": "Ana", "body": "hi"}]},
    "rooms.json": {"chats": [{"id": 1, "text": "hi"}]},
    "map.json": {"mapping": "a to b"},
    "train.jsonl": '{"messages": [{"role": "user", "content": "hi"}]}\n',
    "events.jsonl": '{"type": "click", "at": 3}\n{"type": "view"}\n',
}


@pytest.mark.parametrize("name", FOREIGN)
def test_json_of_another_program_is_no_known_export(name: str, tmp_path: Path) -> None:
    """It is not taken for a format that it resembles; the error names those that are known."""
    with pytest.raises(ImportRefused) as refused:
        read(written(tmp_path / name, FOREIGN[name]))

    assert "not a chat export that Omoide can read; known are chatgpt, claude_ai" in str(
        refused.value
    )


def test_what_cannot_be_read_as_its_format_names_the_others(memory: Memory, tmp_path: Path) -> None:
    """Where the user named the format."""
    path = written(tmp_path / "chat.json", FOREIGN["export.json"])

    with pytest.raises(ImportRefused, match="known formats are chatgpt, claude_ai"):
        take_in(memory, path, ImportOptions(format="telegram"), ANA)


ALONE = {
    "chatgpt": "conversations.json",
    "claude_ai": "conversations.json",
    "claude_code": "77aa.jsonl",
    "telegram": "result.json",
    "whatsapp": "WhatsApp Chat with Bo.txt",
}


@pytest.mark.parametrize("format", ALONE)
def test_a_folder_works_where_its_file_does(format: str, tmp_path: Path) -> None:
    """Whatever the file is called, and whatever lies beside it."""
    own = FIXTURES / format / ALONE[format]
    alone = written(tmp_path / f"mine{own.suffix}", own.read_bytes())
    beside = written(tmp_path / "folder" / f"mine{own.suffix}", own.read_bytes())
    written(beside.parent / "notes.md", "# Notes")
    written(beside.parent / "settings.json", {"theme": "dark"})

    one, both = (read(path, zone="UTC") for path in (alone, beside.parent))

    assert [c.messages for c in one[0]] == [c.messages for c in both[0]] != []
    assert both[1] == []


def test_a_message_that_cannot_be_kept_costs_no_other(memory: Memory, tmp_path: Path) -> None:
    """Of those that are committed together; the problem names it."""
    files = [{"name": "a" * 490, "size": 1} for _ in range(90)]
    long = message("with many files") | {"metadata": {"attachments": files}}
    said = [message("one"), long, message("two"), message("three")]
    nodes = {
        f"{n}": {"id": f"{n}", "message": one, "parent": f"{n - 1}" if n else None}
        for n, one in enumerate(said)
    }
    path = written(
        tmp_path / "conversations.json", [{"id": "g", "mapping": nodes, "current_node": "3"}]
    )

    report = take_in(memory, path, ImportOptions(), ANA)

    turns = memory.sessions.turns(memory.sessions.list()[0].session.id)
    assert [turn.text for turn in turns] == ["one", "two", "three"]
    assert [p.place for p in report.problems] == ["conversation chatgpt:g, message 2 of this part"]


def test_other_branches_are_counted(memory: Memory, tmp_path: Path) -> None:
    """Of an edited question the later version is imported."""
    nodes = {
        name: {"id": name, "parent": None, "message": message(name)} for name in ("frist", "first")
    }
    path = written(
        tmp_path / "conversations.json", [{"id": "g", "mapping": nodes, "current_node": "first"}]
    )

    report = take_in(memory, path, ImportOptions(), ANA)

    assert [str(omitted) for omitted in report.left_out] == [
        "1 × other branch (such as conversations.json: conversation 1)"
    ]
