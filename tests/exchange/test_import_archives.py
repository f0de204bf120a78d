"""Files, folders and zips as sources of an import."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange import Problem, read_export
from omoide.exchange.archives import open_source
from omoide.exchange.zips import MEMBER_LIMIT
from omoide.nouns.errors import ImportRefused
from omoide.nouns.session import Conversation
from tests.exchange.exports import read, texts, written, zipped
from tests.exchange.test_import_chatgpt import conversation, node
from tests.torture.hostile_archives import GOOD, Entry, zip_of

CHAT = "13/01/24, 10:00 - Bo: hello"


@pytest.mark.parametrize(
    "name",
    [
        b"../up",
        b"/etc/passwd",
        b"a/../../b",
        b"C:\\x",
        b"a\\b",
        b"..",
        b"a\x00b",
        b"a\nb",
        b"",
        b"x" * 1_025,
    ],
)
def test_names_no_export_has_are_refused(tmp_path: Path, name: bytes) -> None:
    """Whatever else the zip holds."""
    with pytest.raises(ImportRefused):
        read_export(written(tmp_path / "x.zip", zip_of(Entry(), Entry(name=name, data=b"x"))))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_are_refused(tmp_path: Path, kind: int) -> None:
    """They name something outside."""
    with pytest.raises(ImportRefused, match="link or device"):
        read_export(
            written(tmp_path / "x.zip", zip_of(Entry(), Entry(name=b"x", mode=kind | 0o777)))
        )


def test_passwords_are_named_as_the_reason(tmp_path: Path) -> None:
    """The user can do something about it."""
    with pytest.raises(ImportRefused, match="password"):
        read_export(written(tmp_path / "x.zip", zip_of(Entry(flags=1))))


def test_a_duplicate_name_is_refused(tmp_path: Path) -> None:
    """Two readers could see different files."""
    with pytest.raises(ImportRefused, match="two members"):
        read_export(written(tmp_path / "x.zip", zip_of(Entry(), Entry())))


@pytest.mark.parametrize("over", [False, True])
def test_the_limit_of_members(tmp_path: Path, over: bool) -> None:
    """Exactly MEMBER_LIMIT are read, one more is refused before any is parsed."""
    members = [Entry(name=b"%d" % n, data=b"", method=0) for n in range(MEMBER_LIMIT - 1 + over)]
    path = written(tmp_path / "x.zip", zip_of(Entry(), *members))

    if over:
        with pytest.raises(ImportRefused, match="members"):
            read_export(path)
    else:
        assert len(read(path)[0]) == 1


def test_promises_of_a_bomb_are_refused(tmp_path: Path) -> None:
    """Over 100 times what is stored, once over 16 MB; well-packed small files are fine."""
    bomb = written(tmp_path / "bomb.zip", zip_of(Entry(data=b" " * 17_000_000)))
    small = zipped(tmp_path / "small.zip", {"_chat.txt": CHAT + " " * 1_000_000})

    with pytest.raises(ImportRefused, match="promise"):
        read_export(bomb)
    assert len(read(small, zone="UTC")[0]) == 1


def test_zips_in_zips_in_zips_are_refused(tmp_path: Path) -> None:
    """One level is how some exports come; others are never opened."""
    good = zip_of(Entry())
    once = zip_of(Entry(name=b"conversations-000.zip", data=good, method=0))
    other = zip_of(Entry(), Entry(name=b"sent.zip", data=b"not a zip"))

    with pytest.raises(ImportRefused, match="zip in a zip"):
        read_export(
            written(tmp_path / "twice.zip", zip_of(Entry(name=b"conversations-9.zip", data=once)))
        )
    assert len(read(written(tmp_path / "once.zip", once))[0]) == 1
    assert len(read(written(tmp_path / "other.zip", other))[0]) == 1


def test_a_damaged_member_is_reported_after_what_was_read(tmp_path: Path) -> None:
    """The conversations before the damage are imported, and those of the other files."""
    long = b"[" + b",".join([GOOD[1:-1]] * 1_000) + b"]"
    path = written(
        tmp_path / "x.zip",
        zip_of(Entry(data=long, crc=7, method=0), Entry(name=b"conversations-1.json")),
    )

    conversations, problems = read(path)

    assert 100 < len(conversations) < 1_001
    assert [p.place.partition(":")[0] for p in problems] == ["conversations.json"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "Bo/data.json",
            {"date": "2026-01-05T09:00:00+00:00", "sender": "Bo", "body": "Shall we go?"}
            | {"reactions": [], "attachments": []},
        ),
        (
            "received.jsonl",
            {
                "envelope": {
                    "sourceName": "Bo",
                    "timestamp": 1_767_603_600_000,
                    "dataMessage": {"timestamp": 1_767_603_600_000, "message": "Shall we go?"},
                }
            },
        ),
    ],
)
def test_a_damaged_chat_of_signal_is_kept_as_far_as_it_was_read(
    tmp_path: Path, name: str, message: dict[str, Any]
) -> None:
    """What comes before the damage is imported, in either form."""
    padded = (json.dumps(message) + " " * 1_000 + "\n").encode() * 200
    entry = Entry(name=name.encode(), data=padded, crc=7, method=0)
    path = written(tmp_path / "x.zip", zip_of(entry))

    conversations, problems = read(path, format="signal")

    assert texts(conversations[0].messages)[0] == "Shall we go?"
    assert [p.place for p in problems] == [name]


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    """Neither to files nor to folders; they are reported."""
    secret = written(tmp_path / "secret.txt", "14/01/24, 10:00 - Eve: secret")
    folder = written(tmp_path / "chats" / "a.txt", CHAT).parent
    (folder / "b.txt").symlink_to(secret)
    (folder / "c").symlink_to(tmp_path)

    conversations, problems = read(folder, zone="UTC")

    assert [texts(c.messages) for c in conversations] == [["hello"]]
    assert sorted(p.place for p in problems) == ["b.txt", "c"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_do_not_block(tmp_path: Path) -> None:
    """A pipe nobody writes to is refused at once; one in a folder is reported."""
    folder = written(tmp_path / "chats" / "a.txt", CHAT).parent
    os.mkfifo(folder / "p.txt")

    for path in (folder / "p.txt", Path("/dev/zero")):
        with pytest.raises(ImportRefused):
            read_export(path)
    assert [p.place for p in read(folder, zone="UTC")[1]] == ["p.txt"]


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04 not really", b"{}", b"[]", b"[1, 2]", b"\x00" * 100]
)
def test_what_is_no_export_is_refused(tmp_path: Path, content: bytes) -> None:
    """With the formats that are known, where it is not plainly a broken zip."""
    for name in ("x.json", "x.txt", "x.zip", "x"):
        with pytest.raises(ImportRefused):
            read_export(written(tmp_path / name, content))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """An empty folder and a missing file."""
    for path in (tmp_path / "missing.zip", tmp_path):
        with pytest.raises(ImportRefused):
            read_export(path)


def test_reading_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """Nothing is extracted, not even for a zip in a zip."""
    path = written(
        tmp_path / "x.zip", zip_of(Entry(name=b"conversations-000.zip", data=zip_of(Entry())))
    )
    before = path.read_bytes()

    read(path)

    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["x.zip"]
    assert path.read_bytes() == before


def test_system_files_are_ignored(tmp_path: Path) -> None:
    """What file managers add to folders and zips."""
    chats = [conversation(node("a", "root", "hi"))]
    path = zipped(
        tmp_path / "x.zip",
        {
            "e/conversations.json": chats,
            "__MACOSX/e/._conversations.json": b"\x00\x05",
            "e/.DS_Store": b"x",
        },
    )

    with open_source(path) as source:
        assert source.names == ("e/conversations.json",)
    assert len(read(path)[0]) == 1


def test_deflated_and_stored_members_read_the_same(tmp_path: Path) -> None:
    """Also with an archive comment and data in front of the zip."""
    for number, (method, front) in enumerate(
        ((zipfile.ZIP_STORED, b""), (zipfile.ZIP_DEFLATED, b"#!/bin/sh\n"))
    ):
        path = written(
            tmp_path / f"{number}.zip",
            front + zip_of(Entry(method=method), comment=b"made by hand"),
        )
        assert [texts(c.messages) for c in read(path)[0]] == [["I like tea"]]


def test_a_file_that_goes_while_its_folder_is_listed_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other files are read."""
    kept, gone = written(tmp_path / "a.txt", CHAT), written(tmp_path / "b.txt", CHAT)
    look = Path.lstat

    def lstat(path: Path) -> os.stat_result:
        if path.name == gone.name:
            path.unlink()  # another program is faster
        return look(path)

    monkeypatch.setattr(Path, "lstat", lstat)
    with open_source(tmp_path) as source:
        assert source.names == (kept.name,)
        assert [str(note) for note in source.notes] == [
            "b.txt: not read: No such file or directory"
        ]


def test_a_file_that_goes_while_others_are_read_is_a_problem(tmp_path: Path) -> None:
    """The files behind it are read."""
    for name in "abc":
        line = {
            "type": "user",
            "uuid": name,
            "sessionId": name,
            "timestamp": "2026-01-01T10:00:00Z",
            "message": {"role": "user", "content": f"hello {name}"},
        }
        written(tmp_path / "p" / f"{name}.jsonl", json.dumps(line))

    reading = read_export(tmp_path)
    found = [next(reading)]
    (tmp_path / "p" / "b.jsonl").unlink()
    found += reading

    assert [str(one) for one in found if isinstance(one, Problem)] == [
        "p/b.jsonl: not read: No such file or directory"
    ]
    talks = [one.messages[0].text for one in found if isinstance(one, Conversation)]
    assert talks == ["hello a", "hello c"]
