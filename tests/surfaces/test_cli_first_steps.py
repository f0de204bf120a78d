"""The command line as it is met for the first time: whose memory it is, where the store is, slips,
and what is shown before it goes.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.cli.here import login_name
from omoide.cli.show import Seen, console, job_state
from omoide.nouns.errors import ImportRefused, InvalidInput, InvalidTime, NotFound, StoreBusy
from omoide.store.sqlite.engine import SqliteStore
from tests.surfaces.test_cli import (
    FIXTURES,
    TWO_MESSAGES,
    Omoide,
    Terminal,
    home,
    id_of,
    omoide,
    told,
)

__all__ = ["home", "omoide", "told"]
WHATSAPP = FIXTURES / "whatsapp" / "WhatsApp Chat with Bo.txt"
NOTE = f"note: stored as {login_name()}, your login name; another: omoide config user NAME"


def files_in(folder: Path) -> list[str]:
    """The names of all files below a folder."""
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def test_the_login_name_is_said_when_a_store_is_made(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once, on standard error, with the command that names a user; not to a program, and not where
    a user is named.
    """

    def err(*arguments: str) -> str:
        assert run(list(arguments)) == 0
        return capsys.readouterr().err

    assert NOTE in err("remember", "Ana likes tea")
    assert err("remember", "Ana likes rain") == ""
    assert err("--store", str(home / "b.db"), "remember", "Ana likes tea", "--json") == ""
    (home / "talk.jsonl").write_text(
        '{"role": "user", "content": "I like rain", "user": "ana"}\n', "utf-8"
    )
    assert err("--store", str(home / "d.db"), "ingest", str(home / "talk.jsonl")) == ""
    assert err("--store", str(home / "c.db"), "--user", "ana", "remember", "Ana likes tea") == ""


def test_the_login_name_is_said_of_every_import(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A login name is not always the user's; said beside how to take it back."""
    assert run(["import", str(FIXTURES / "slack")]) == 0
    assert run(["import", str(FIXTURES / "telegram")]) == 0

    out, err = capsys.readouterr()
    assert err.count(NOTE) == 2
    assert "omoide config user NAME" in err
    assert out.count("undo with: omoide undo ") == 2


def test_no_folder_is_made_for_a_store_that_is_named(
    omoide: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is, in a folder that is there; the folder of memory.db is Omoide's own and made
    whole.
    """
    refused = omoide("--store", str(tmp_path / "slip" / "of" / "x.db"), "remember", "x")

    assert refused.code == InvalidInput.exit_code
    assert f"{tmp_path / 'slip' / 'of'}: does not exist" in refused.err
    assert omoide("remember", "x").code == 0
    assert omoide("admin", "backup", str(tmp_path / "copy.db")).code == 0
    for command in (
        ["admin", "restore", str(tmp_path / "copy.db")],
        ["admin", "salvage", "slip/of/x.db"],
        ["admin", "move", "copy.db", "slip/of/x.db"],
    ):
        monkeypatch.chdir(tmp_path)
        place = ["--store", "slip/of/x.db"] if "restore" in command else []
        assert "slip/of: does not exist; make that folder first" in omoide(*place, *command).err
    assert not (tmp_path / "slip").exists()
    assert omoide("--store", str(tmp_path / "x.db"), "remember", "x").code == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "README.md",
            "# About\n",
            "README.md: not a chat export that Omoide can read; known are chatgpt, claude_ai",
        ),
        ("mine.db", "# About\n", "mine.db: not a chat export that Omoide can read"),
        ("cut.json", '[{"mapp', "cut.json: no whole JSON: "),
        ("cut.zip", "PK", "cut.zip: not a readable zip"),
        ("README.md", "# About\n", "as in --format whatsapp"),
        (
            "talk.jsonl",
            TWO_MESSAGES,
            "talk.jsonl: not a chat export, but messages: omoide ingest takes them",
        ),
        (
            "talk.json",
            json.dumps([{"role": "user", "content": "Hi"}], indent=1),
            "messages: omoide ingest takes them",
        ),
        (
            "known.jsonl",
            '{"text": "Ana likes tea", "category": "fact"}\n',
            "statements: omoide items add-many takes them",
        ),
        ("all.jsonl", '{"omoide_archive": 1}\n', "omoide admin load takes it"),
        ("memory.db", "SQLite format 3\0and so on", "omoide admin restore takes a backup of one"),
        ("messages.html", "<html></html>", "export from Telegram as machine-readable JSON"),
        ("broken.jsonl", '{"role": \n', "no conversation in it could be read"),
    ],
)
def test_what_is_no_export_is_said_with_what_takes_it(
    name: str, content: str, said: str, omoide: Omoide, tmp_path: Path
) -> None:
    """By what is in it; and no store is left behind."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    (folder / name).write_text(content, "utf-8")

    refused = omoide("import", str(folder / name))

    assert refused.code == ImportRefused.exit_code
    assert said in refused.err
    assert files_in(tmp_path) == [f"downloads/{name}"]


def test_a_bad_archive_leaves_no_store_behind(omoide: Omoide, tmp_path: Path) -> None:
    """It is looked into before."""
    (tmp_path / "all.jsonl").write_text("{}\n", "utf-8")

    assert omoide("admin", "load", str(tmp_path / "all.jsonl")).code == ImportRefused.exit_code
    assert files_in(tmp_path) == ["all.jsonl"]


def test_whoever_is_called_me_has_to_be_there(omoide: Omoide, tmp_path: Path) -> None:
    """Else nothing is imported, as nobody's words would be the user's, and who is there is said."""
    command = ["import", str(WHATSAPP), "--zone", "Europe/Lisbon", "--me"]
    refused = omoide(*command, "Nobody")

    assert (refused.code, refused.out) == (InvalidInput.exit_code, "")
    assert "me: 'Nobody' says nothing here; there are: Ana, Bo" in refused.err
    assert files_in(tmp_path) == []
    assert omoide(*command, "Bo").out.startswith("1 conversation: 3 turns added")


def test_what_the_system_does_not_allow_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a folder of another user, for example."""

    def denied(**options: object) -> None:
        raise PermissionError(13, "Permission denied", "/theirs/memory.db")

    monkeypatch.setattr("omoide.cli.all_commands", lambda: denied)

    assert run(["list"]) == InvalidInput.exit_code
    assert (
        capsys.readouterr().err == "omoide: /theirs/memory.db: Permission denied;"
        " check its permissions, or name another\n"
    )


def test_a_chat_whose_times_cannot_be_read_says_so_whoever_is_named(
    omoide: Omoide, tmp_path: Path
) -> None:
    """The problem is the dates, not that the named person is silent."""
    chat = tmp_path / "WhatsApp Chat with Bo.txt"
    chat.write_text("99/99/99, 10:00 - Ana: hello\n98/98/98, 10:01 - Bo: ok\n", "utf-8")

    refused = omoide("import", str(chat), "--zone", "Europe/Lisbon", "--me", "Ana")

    assert refused.code == ImportRefused.exit_code
    assert "line 1: no such date or time; " in refused.err
    assert "says nothing here" not in refused.err


def test_files_of_other_formats_are_named_on_standard_error(omoide: Omoide, tmp_path: Path) -> None:
    """Each with what it looks like; lines of messages are no export of Claude Code."""
    folder = tmp_path / "downloads"
    shutil.copytree(FIXTURES / "chatgpt", folder)
    shutil.copy(WHATSAPP, folder)
    (folder / "talk.jsonl").write_text(TWO_MESSAGES, "utf-8")

    mixed = omoide("import", str(folder))

    assert (mixed.code, "2 problems" in mixed.out) == (0, False)
    assert (
        mixed.err
        == f"{WHATSAPP.name}: not read: it looks like whatsapp, and this import reads chatgpt;"
        " import it by itself\n"
    )


def test_what_would_be_forgotten_is_looked_up_and_shown_first(
    told: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not there is said at once; else its text, its kind, and how much goes along. Nothing
    goes while it is asked.
    """
    assert told("forget", "nothing").code == NotFound.exit_code
    assert told("sessions", "forget", "nothing").code == NotFound.exit_code
    item = id_of(told, "Ana drinks green tea")
    told("correct", item, "Ana drinks coffee")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))

    asked = told("forget", item)

    assert (asked.code, asked.out) == (130, "")
    assert asked.err.splitlines()[:2] == [
        "Ana drinks green tea",
        f"preference {item}: 1 entity, 2 items would be erased, for good",
    ]
    assert told("get", item).code == 0
    assert told("admin", "verify").code == 0
    assert (
        "session s: 1 session, 2 turns, 1 job would be erased"
        in told("sessions", "forget", "s").err
    )


def test_forgetting_that_nobody_can_confirm_names_the_option(
    told: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the input has ended, nothing is erased."""
    item = id_of(told, "Ana drinks green tea")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))

    refused = told("forget", item)

    assert (refused.code, refused.out) == (InvalidInput.exit_code, "")
    assert "--yes skips the question" in refused.err
    assert told("get", item).code == 0


def test_a_receipt_comes_also_where_tables_cannot_be_rewritten(
    told: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is erased is proven, and then the failure is told."""

    def busy(store: SqliteStore) -> list[str]:
        raise StoreBusy("a table is in use")

    monkeypatch.setattr(SqliteStore, "compact", busy)

    shown = told("forget", id_of(told, "Ana drinks green tea"), "--yes", "--compact")

    assert shown.code == StoreBusy.exit_code
    assert shown.out.startswith("forgot 1 entity, 1 item; ")
    assert "a table is in use" in shown.err


def test_many_problems_of_an_import_are_summed_up(omoide: Omoide, tmp_path: Path) -> None:
    """Twenty are shown, and how many more there are."""
    ana = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Likes tea"]}
    export = tmp_path / "memory.jsonl"
    export.write_text("\n".join(map(json.dumps, [ana, *[{"type": "relation"}] * 30])))

    told = omoide("import", str(export))

    assert told.out.startswith("mcp_memory: 1 item")
    assert len([line for line in told.err.splitlines() if "memory.jsonl" in line]) == 20
    assert "and 10 problems more; --json lists them all" in told.err


def test_the_sessions_that_forgetting_cuts_are_named_first(
    omoide: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By title and id, with how much of each goes: of an import what it brought, not what was typed
    in there by hand.
    """
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\ny\n"))
    found = omoide("import", str(FIXTURES / "chatgpt"), "--json").json["id"]
    (listed,) = omoide("sessions", "list", "--json").json
    session = listed["session"]["name"]

    alone = omoide("items", "forget", "--origin", found)
    (tmp_path / "messages.jsonl").write_text(TWO_MESSAGES, "utf-8")
    omoide("--session", session, "ingest", str(tmp_path / "messages.jsonl"))
    beside = omoide("items", "forget", "--origin", found)

    assert (alone.code, alone.err.splitlines()[0]) == (
        130,
        f"  Bird ({session}): 4 turns, all of it",
    )
    assert (beside.code, beside.err.splitlines()[0]) == (
        0,
        f"  Bird ({session}): 4 turns, 2 turns would stay",
    )
    assert beside.out.startswith("forgot 4 turns;")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ["remember", "two", "words"],
            'put words that belong together in quotes, as in omoide remember "…"',
        ),
        (["recall", "two", "words"], 'as in omoide recall "…"'),
        (["help"], "omoide --help"),
        (["version"], "omoide --version"),
        (["search", "tea"], 'omoide recall "…"'),
        (["remember", "x", "--due-at", "tomorrow"], "did you mean --due?"),
        (["config", "usr"], "did you mean 'user'?"),
        ([], "omoide --help lists them"),
        (["remember"], "omoide remember --help shows what it takes"),
        (["recall", " "], "question: is blank"),
        (["remember", "x", "--due", "some day"], "or in words, such as tomorrow"),
    ],
)
def test_a_slip_is_told_with_what_was_probably_meant(
    command: list[str], said: str, omoide: Omoide
) -> None:
    """In the one line that says what is wrong."""
    refused = omoide(*command)

    assert refused.code == InvalidInput.exit_code
    assert said in refused.err


def test_times_may_be_said_in_words(omoide: Omoide) -> None:
    """In this machine's zone; what is due is ahead, and what was meant by a day that is over is
    asked.
    """
    tomorrow = (datetime.now() + timedelta(days=1)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )

    assert omoide("remember", "Call Rui", "--due", "tomorrow").out.endswith(
        f"Call Rui, due {tomorrow:%Y-%m-%d %H:%M}\n"
    )
    assert len(omoide("list", "--json").json["items"]) == 1
    assert omoide("recall", "Rui", "--since", "yesterday", "--json").json["hits"] != []
    over = omoide("remember", "x", "--due", "yesterday")
    assert (over.code, "which is over" in over.err) == (InvalidTime.exit_code, True)


@pytest.mark.parametrize("option", ["--as-of", "--known-at"])
def test_a_past_time_lists_what_held_then_without_a_question(option: str, omoide: Omoide) -> None:
    """A time narrows as other filters do."""
    omoide("remember", "Rui keeps bees")

    assert "Rui keeps bees" in omoide("recall", "", option, "tomorrow").out
    assert omoide("recall", "", option, "2020-01-01", "--json").json["hits"] == []


def test_confirmed_only_lists_without_a_question(omoide: Omoide) -> None:
    """Nothing is asked in words, only for what passes the filter."""
    omoide("remember", "Rui keeps bees")

    assert "Rui keeps bees" in omoide("recall", "", "--confirmed-only").out


def test_a_masked_secret_is_said(omoide: Omoide) -> None:
    """It is kept nowhere, so that whoever told it has to know."""
    said = omoide("remember", "My wifi password is hunter22")

    assert "hunter22" not in said.out
    assert said.err == "note: 1 secret masked: it is kept nowhere\n"


def test_a_setting_that_is_empty_is_not_a_blank_line(omoide: Omoide) -> None:
    """Set to nothing it is as if it was never set."""
    assert omoide("config", "agent", "").out == "agent is not set\n"
    assert omoide("config", "agent", "--json").json == {"agent": ""}


def test_a_store_that_is_not_encrypted_stays_as_it_is(told: Omoide) -> None:
    """To take its encryption off changes nothing, and says so."""
    assert (
        told("admin", "rekey", "--off").out == "the store is not encrypted; nothing was changed\n"
    )


def test_a_passphrase_comes_by_a_pipe(
    told: Omoide, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line of it, and nothing is asked; an empty one changes nothing, and what is encrypted
    says where its passphrase goes.
    """
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert told("admin", "rekey").code == InvalidInput.exit_code
    assert (home / "memory.db").read_bytes().startswith(b"SQLite format 3")

    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse\nno second line\n"))
    changed = told("admin", "rekey")
    assert (changed.code, changed.err) == (0, "")
    assert "OMOIDE_PASSPHRASE" in told("list").err
    monkeypatch.setenv("OMOIDE_PASSPHRASE", "correct horse")
    assert "green tea" in told("list").out


def test_what_jobs_wait_for_is_said_in_one_row(told: Omoide) -> None:
    """That a job is ready is no help where nothing can do it."""
    shown = told("stats").out

    assert re.findall(r"^jobs .*$", shown, re.MULTILINE) == [
        shown[shown.index("jobs ") :].partition("\n")[0]
    ]
    assert "1 extract, waiting for a language model; 1 upkeep, at " in shown
    assert "ready" not in told("jobs", "list").out
    now = datetime.now().astimezone()
    assert job_state("extract", "ready", now, Seen(now, learning=True)).startswith("waiting since ")


def test_on_a_terminal_lines_break_between_words(
    told: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes over stands under the text; in a file a line is a line."""
    told("remember", "The wombat " + "eats grass and " * 12 + "sleeps")
    assert max(map(len, told("recall", "wombat").out.splitlines())) > 100
    monkeypatch.setattr("sys.stdout", shown := Terminal())
    monkeypatch.setenv("TERM", "xterm")

    assert run(["--user", "ana", "recall", "wombat", "-n", "1"]) == 0

    lines = re.sub(r"\x1b\[[\d;]*m", "", shown.getvalue()).splitlines()
    assert max(map(len, lines)) <= console.width
    assert lines[0].startswith(" 1. The wombat eats grass")
    assert lines[1].startswith("    ")


def test_help_is_quick() -> None:
    """No command's parts are loaded to say what the commands are: neither the store nor what it
    needs.
    """
    script = (
        "import sys; from omoide.cli import run; run(['--help']);"
        " sys.stderr.write(','.join(sorted(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
    )

    assert "Usage" in ran.stdout
    assert not {"omoide.memory", "omoide.store", "numpy", "apsw", "omoide.text.times"} & set(
        ran.stderr.split(",")
    )


def test_next_to_nothing_is_imported_before_an_interrupt_is_answered() -> None:
    """While Python imports, Ctrl-C is a traceback: the entry point needs no module of its own."""
    script = (
        "import sys; before = set(sys.modules); import omoide.__main__;"
        " print(*sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", script],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert set(ran.stdout.split()) <= {"omoide", "omoide.__main__", "__future__", "atexit", "gc"}


def test_an_export_of_nobody_says_what_is_not_in_it(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Turns that are of nobody in particular may be others' words; whoever means the whole store is
    told how.
    """
    assert run(["import", str(FIXTURES / "slack")]) == 0
    capsys.readouterr()

    assert run(["--shared", "admin", "export", str(tmp_path / "one.jsonl")]) == 0
    assert "no turns are in it; --everything writes all" in capsys.readouterr().err
    assert run(["admin", "export", "--everything", str(tmp_path / "two.jsonl")]) == 0
    out, err = capsys.readouterr()
    assert ("8 turns" in out, err) == (True, "")


def test_times_of_a_first_question_are_explained(told: Omoide) -> None:
    """What is loaded for it counts in its steps."""
    assert (
        "the first question of a program also loads words, vectors and models"
        in told("recall", "tea", "--explain").out
    )


def test_all_of_a_category_or_source_is_forgotten_at_once(omoide: Omoide) -> None:
    """What goes is told first; a slip in the name is told with what there is."""
    for text, sort in (
        ("Ana likes tea", "preference"),
        ("Tea is in the tin", "note"),
        ("Rice is in the jar", "note"),
    ):
        assert omoide("remember", text, "-c", sort).code == 0

    assert (
        omoide("items", "forget", "--category", "note", "--yes", "--json").json["erased"]["items"]
        == 2
    )
    assert [item["text"] for item in omoide("list", "--json").json["items"]] == ["Ana likes tea"]
    assert "known: user" in omoide("items", "forget", "--source", "usr").err
    assert omoide("items", "forget", "--source", "user", "--yes").code == 0
    assert omoide("list", "--json").json["items"] == []


def test_a_hit_names_the_similar_one_by_its_number(omoide: Omoide) -> None:
    """Where both are in the answer."""
    omoide("remember", "Invoice 31 was paid late")
    omoide("remember", "Invoice 32 was paid late")

    lines = omoide("recall", "invoice 32").out.splitlines()

    assert lines[0].endswith("Invoice 32 was paid late")
    assert "similar to 2" in lines[1]
    assert "similar to 1" in lines[3]


def test_local_times_of_an_export_are_read_in_the_users_zone(
    omoide: Omoide, tmp_path: Path
) -> None:
    """Of their record, also where the format is named; with --zone in that."""
    chat = tmp_path / "chat.txt"
    chat.write_text("10:00, 13.02.2026 - Bo: hi\n10:01, 13.02.2026 - Ana: yo\n", encoding="utf-8")
    omoide("remember", "Ana lives in Tokyo")
    omoide("users", "edit", "ana", "--zone", "Asia/Tokyo")

    told = omoide("import", str(chat), "--format", "whatsapp", "--me", "Ana")
    named = omoide("import", str(chat), "--format", "whatsapp", "--zone", "Europe/Lisbon")

    assert "read in Asia/Tokyo, your zone" in told.err
    assert "local times" not in named.err
