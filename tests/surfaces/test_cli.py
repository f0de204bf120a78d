"""The command line: every command does its part, says what is wrong in one line, and leaves with
the error's exit code.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.cli import all_commands, run
from omoide.cli.commands import EVERYDAY, GROUPS, MORE
from omoide.cli.here import login_name
from omoide.cli.root import FIRST
from omoide.nouns.errors import (
    Conflict,
    ImportRefused,
    InvalidInput,
    InvalidScope,
    NotFound,
    OmoideError,
    StoreRefused,
    UnknownName,
    WrongPassphrase,
)
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Source
from omoide.verbs.groups import VERBS
from omoide.write.proposals import propose
from omoide.write.remember import Statement, draft
from tests.fix_memory import turn_of
from tests.source_tree import ROOT, modules, nodes

COMMANDS = (
    *(command.name for command in (*EVERYDAY, *MORE)),
    *(f"{group} {command.name}" for group, commands in GROUPS.items() for command in commands),
)
NOBODY = (
    f"this is the memory of {login_name()}; to name another user: --user NAME before the command, or"
    " omoide config user NAME"
)
FIXTURES = ROOT / "tests" / "exchange" / "fixtures"
TWO_MESSAGES = (
    '{"role": "user", "content": "I moved to Lisbon in March", "key": "1"}\n{"role": "assistant",'
    ' "content": "How is the light?"}\n'
)


@dataclass(frozen=True, slots=True)
class Ran:
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Omoide = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for the commands of a test."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def omoide(home: Path, capsys: pytest.CaptureFixture[str]) -> Omoide:
    """Runs a command in this process as Ana; never with a traceback."""

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(["--user", "ana", *arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(code, out, err)

    return call


@pytest.fixture
def told(omoide: Omoide, tmp_path: Path) -> Omoide:
    """The same, where something is known already: two items, and a session ``s`` of two turns."""
    (tmp_path / "messages.jsonl").write_text(TWO_MESSAGES, "utf-8")
    assert omoide("--session", "s", "ingest", str(tmp_path / "messages.jsonl")).code == 0
    assert (
        omoide(
            "remember",
            "Ana drinks green tea",
            "-c",
            "preference",
            "-t",
            "kitchen",
            "-e",
            "person:ana",
        ).code
        == 0
    )
    assert omoide("remember", "The lease ends in May", "--due", "2020-05-31").code == 0
    return omoide


def id_of(omoide: Omoide, text: str) -> str:
    """The id of the item with this text."""
    return next(
        str(item["id"]) for item in omoide("list", "--json").json["items"] if item["text"] == text
    )


# Verbs that are no command, and why.
NO_COMMAND: dict[str, str] = {}


def test_every_verb_is_a_command() -> None:
    """By the same words, but for those that are listed with a reason."""
    verbs = {verb.full_name.replace(".", " ").replace("_", "-") for verb in VERBS}

    assert verbs - NO_COMMAND.keys() <= set(COMMANDS)


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_help_cuts_no_sentence(group: str, omoide: Omoide) -> None:
    """The list of commands says the whole of what each one does."""
    assert not re.search(r"\w\.\.\.", omoide(*group.split(), "--help").out.replace("[ARGS]...", ""))


def test_help_is_one_screen(omoide: Omoide) -> None:
    """Forty lines of eighty columns, the ten everyday commands first."""
    lines = omoide("--help").out.splitlines()

    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[5:15]] == list(FIRST)


@pytest.mark.parametrize(
    "example",
    [command.example for commands in (EVERYDAY, MORE, *GROUPS.values()) for command in commands],
)
def test_every_example_is_a_call_that_is_understood(example: str) -> None:
    """It names a command, and arguments and options that this takes."""
    program, *words = shlex.split(example)
    command: Any = all_commands()
    context = command.make_context(program, words)
    while hasattr(command, "resolve_command"):
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)

    assert program == "omoide"


WITHOUT_A_STORE = {
    "correct": ["id", "text"],
    "items edit": ["id", "muted=true"],
    "items pin": ["id"],
    "items feedback": ["id", "helpful"],
    "items reopen": ["id"],
    "undo": ["id"],
    "entities merge": ["a:b", "a:c"],
    "entities split": ["a:b", "c"],
    "recall": ["tea"],
    "context": ["tea"],
    "ask": ["tea"],
    "why-not": ["tea", "id"],
    "get": ["id"],
    "items sources": ["id"],
    "history": ["id"],
    "diff": ["2026-01-01"],
    "due": [],
    "entities list": [],
    "sessions list": [],
    "sessions turns": [],
    "sessions window": ["s"],
    "stats": [],
    "list": [],
    "forget": ["id", "--yes"],
    "admin backup": ["copy.db"],
    "admin salvage": ["whole.db"],
    "doctor": [],
    "admin verify": [],
    "admin scan": [],
    "admin tidy": [],
    "admin migrate": [],
    "admin rekey": ["--off"],
    "admin export": ["all.jsonl"],
    "tool-calls summary": [],
    "tool-calls list": [],
    "sessions extract": ["id"],
    "sessions end": ["id"],
    "tool-calls analyse": [],
    "sessions catch-up": [],
    "users get": ["ana"],
    "reflections add": ["id"],
    "reflections list": [],
    "reflections digests": [],
    "reflections condense": [],
    "reflections profile": [],
    "worker": ["--until-idle"],
    "jobs list": [],
    "jobs run": [],
    "procedures learn": ["task"],
    "procedures match": ["goal"],
    "procedures recipes": [],
    "procedures list": [],
    "procedures enable": ["id"],
    "procedures share": ["id", "cook"],
    "procedures write-skill": ["id", "skills"],
    "items dependants": ["id"],
    "items forget": ["--origin", "x", "--yes"],
    "items list": [],
    "sessions forget": ["s", "--yes"],
    "entities forget": ["person:ana", "--yes"],
    "users forget": ["ana", "--yes"],
    "users list": [],
    "users senders": [],
    "users of": ["mail", "ana"],
    "users unlink": ["mail", "ana"],
    "users merge": ["ana", "ben"],
    "searches list": [],
    "searches run": ["x"],
    "searches delete": ["x"],
    "review list": [],
    "admin doctor": [],
    "admin erase": ["turns", "--yes"],
    "jobs replay": ["all"],
    "jobs answer": ["id"],
    "review approve": ["id", "seal"],
    "review edit": ["id", "text"],
    "review reject": ["id"],
    "review confirm": ["id"],
    "review approve-all": [],
    "review reject-all": [],
    "files write": ["folder"],
}
MAKING_ONE = {
    "sessions start",
    "remember",
    "ingest",
    "items add-many",
    "entities name",
    "tool-calls record",
    "import",
    "admin load",
    "admin restore",
    "admin move",
    "chat",
    "config",
    "files read",
    "hook",
    "proxy",
    "procedures read-skill",
    "secret",
    "users link",
    "users edit",
    "searches save",
}


def test_every_command_is_told_apart_by_whether_it_makes_a_store() -> None:
    """None is forgotten by the test below; ``config`` needs none."""
    apart = {name for name in COMMANDS if name.split()[0] not in ("eval", "probe")}

    assert {*WITHOUT_A_STORE, *MAKING_ONE} == apart


@pytest.mark.parametrize("command", WITHOUT_A_STORE)
@pytest.mark.parametrize("place", ["{}", "sqlite:{}"])
def test_a_store_that_is_not_there_is_named_and_not_made(
    command: str, place: str, omoide: Omoide, tmp_path: Path
) -> None:
    """A slip of the finger in its name leaves no file behind; the exit code is that of any missing
    file.
    """
    store = tmp_path / "typo.db"

    ran = omoide("--store", place.format(store), *command.split(), *WITHOUT_A_STORE[command])

    assert ran.code == InvalidInput.exit_code
    assert f"{store}: does not exist" in ran.err
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_what_it_does(omoide: Omoide, command: str) -> None:
    """``--help`` shows usage and a sentence, and succeeds."""
    shown = omoide(*command.split(), "--help")

    assert shown.code == 0
    assert f"{command} " in shown.out
    assert len(shown.out.splitlines()) > 4


def test_no_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever does not know what to type sees what there is."""
    assert run([]) == 2

    shown = capsys.readouterr().out
    assert all(f"  {command} " in shown for command in FIRST)


def test_remember_and_recall(omoide: Omoide) -> None:
    """What was remembered is found, by somebody who has the same user name and by nobody else."""
    assert omoide("remember", "Ana drinks green tea").out.startswith("added ")
    assert omoide("remember", "Ana drinks green tea").out.startswith("reinforced ")

    assert "Ana drinks green tea" in omoide("recall", "What does Ana drink?").out
    assert omoide("--user", "ben", "recall", "What does Ana drink?").out.startswith(
        "nothing found for"
    )


def test_an_answer_that_is_not_held_is_said_so(told: Omoide) -> None:
    """Hits that do not answer the question are shown as what they are."""
    assert "probably not held" not in told("recall", "Does Ana drink green tea?").out
    assert "probably not held" in told("recall", "Which bank is the mortgage of Ana with?").out


def test_recall_of_one_type_of_memory(told: Omoide) -> None:
    """What was said, or what is known."""
    assert [
        hit["kind"]
        for hit in told("recall", "Lisbon, tea", "--type", "episodic", "--json").json["hits"]
    ] == ["turn", "turn"]
    assert {
        hit["kind"]
        for hit in told("recall", "Lisbon, tea", "--type", "semantic", "--json").json["hits"]
    } == {"item"}


def test_a_correction_keeps_the_old_version(told: Omoide) -> None:
    """Both stand in history; recall has the new one, and as of before the old one."""
    old = id_of(told, "Ana drinks green tea")

    new = told("correct", old, "Ana drinks coffee", "--json").json["item"]["id"]

    assert told("recall", "What does Ana drink?", "--json").json["hits"][0]["id"] == new
    history = told("history", new, "--json").json
    assert [item["id"] for item in history["items"]] == [old, new]
    assert "Ana drinks green tea" in told("history", new).out
    assert (
        told("get", new, "--known-at", history["items"][0]["recorded_at"], "--json").json["id"]
        == old
    )
    assert told("correct", old, "Ana drinks water").code == Conflict.exit_code


def test_json_gives_ids_that_other_commands_take(told: Omoide) -> None:
    """What one command prints as JSON leads to the same record by every other."""
    item = told("remember", "Ana lives in Rome", "-e", "place:rome", "--json").json["item"]["id"]

    assert told("get", item, "--json").json["id"] == item
    assert item in [hit["id"] for hit in told("recall", "Rome", "--json").json["hits"]]
    assert item in [one["id"] for one in told("list", "--json").json["items"]]
    assert told("items", "edit", item, "tags=a,b", "confidence=0.9", "--json").json["tags"] == [
        "a",
        "b",
    ]
    assert told("items", "pin", item, "--json").json["pinned"] is True
    assert told("items", "pin", item, "--off", "--json").json["pinned"] is False
    assert told("items", "feedback", item, "helpful", "--json").json["helpful"] == 1
    assert told("why-not", "Rome", item, "--json").json["gate"] == "recalled"
    assert [change["record"] for change in told("history", item, "--json").json["changes"]].count(
        item
    ) >= 4
    assert told("forget", item, "--yes", "--json").json["erased"]["items"] == 1
    assert told("get", item).code == NotFound.exit_code


def test_a_session_without_turns_is_listed(omoide: Omoide, tmp_path: Path) -> None:
    """It says that nothing was said, and has no time."""
    (tmp_path / "none.json").write_text("[]")
    omoide("--session", "s", "ingest", str(tmp_path / "none.json"))

    assert omoide("sessions", "list").out == "(nothing said yet)\n    0 turns · s\n"


def test_turns_are_logged_and_shown(told: Omoide) -> None:
    """Word for word, with ids that get and sources take; again with the same key, nothing twice."""
    said = told("sessions", "turns", "s", "--json").json

    assert [(turn["id"], turn["text"]) for turn in said] == [
        (turn_of("s", 0), "I moved to Lisbon in March"),
        (turn_of("s", 1), "How is the light?"),
    ]
    assert told("get", turn_of("s", 0), "--json").json == said[0]
    assert [
        turn["id"]
        for turn in told("items", "sources", turn_of("s", 1), "--around", "1", "--json").json
    ] == [
        turn_of("s", 0),
        turn_of("s", 1),
    ]
    assert told("sessions", "list", "--json").json[0]["session"]["name"] == "s"
    assert "I moved to Lisbon" in told("sessions", "list").out
    assert "ana: I moved to Lisbon in March" in told("sessions", "turns", "s").out


def test_an_export_of_the_login_name_says_nothing_of_missing_turns(
    omoide: Omoide, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its turns are in it, though nobody named the user; of everybody's records none are."""
    monkeypatch.delenv("OMOIDE_USER", raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWO_MESSAGES.encode()), "utf-8"))
    assert omoide("--session", "s", "ingest", "-").code == 0

    mine = omoide("admin", "export", str(home / "mine.jsonl"))
    shared = omoide("--shared", "admin", "export", str(home / "shared.jsonl"))

    assert ("2 turns" in mine.out, "no user is named" in mine.err) == (True, False)
    assert "no user is named" in shared.err


@pytest.mark.parametrize("given", ["我搬到里斯本了\n", "two\nlines\r\n", "plain"])
def test_a_statement_comes_from_standard_input(
    omoide: Omoide, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """A dash stands for all of it but its last line end, for a new item and for a correction."""
    for command in (["remember"], ["correct", "ID"]):
        if command[0] == "correct":
            item = omoide("remember", "What is corrected", "--json").json["item"]["id"]
            command[1] = item
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))
        told = omoide(*command, "-", "--json")

        assert told.json["item"]["text"] == given.rstrip("\r\n")


def test_standard_input_that_is_no_text_is_refused(
    omoide: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that are not UTF-8 are a wrong call, said in one line."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), "utf-8"))

    refused = omoide("remember", "-")

    assert (refused.code, "is not UTF-8" in refused.err) == (InvalidInput.exit_code, True)


def test_messages_come_from_standard_input(omoide: Omoide, monkeypatch: pytest.MonkeyPatch) -> None:
    """As lines or as an array, in any language."""
    for given in (TWO_MESSAGES, '[{"role": "user", "content": "我搬到里斯本了"}]'):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))
        assert omoide("--session", "s", "ingest", "-").code == 0

    assert [turn["text"] for turn in omoide("sessions", "turns", "s", "--json").json][
        2
    ] == "我搬到里斯本了"


def test_what_became_of_messages_is_counted(omoide: Omoide, tmp_path: Path) -> None:
    """New ones, those there already, and those without words; one without any text is refused, with
    its place.
    """
    messages = tmp_path / "m.jsonl"
    messages.write_text(
        '{"role": "user", "content": "one", "key": "1"}\n{"role": "user", "content": " "}\n',
        "utf-8",
    )

    assert (
        omoide("--session", "s", "ingest", str(messages)).out
        == "session s: 1 turn added, 1 message without words left out\n"
    )
    again = omoide("--session", "s", "ingest", str(messages)).out
    assert again == "session s: 0 turns added, 1 there already, 1 message without words left out\n"

    messages.write_text('{"role": "user", "content": "one"}\n{"role": "user"}\n', "utf-8")
    assert (
        omoide("ingest", str(messages)).err
        == 'omoide: message 1: has no text; give "content": text, a list of content blocks, or null\n'
    )


def test_messages_come_a_line_each(omoide: Omoide, tmp_path: Path) -> None:
    """A separator within a text ends no line; a line that is no JSON is named."""
    messages = tmp_path / "m.jsonl"
    messages.write_text(
        '{"role": "user", "content": "one\u2028two"}\r\n\n{"role": "user", "content": "three"}\n',
        "utf-8",
    )
    assert omoide("--session", "s", "ingest", str(messages)).code == 0
    assert [turn["text"] for turn in omoide("sessions", "turns", "s", "--json").json] == [
        "one\u2028two",
        "three",
    ]

    messages.write_text('{"role": "user", "content": "one"}\n\n{"role": user}\n', "utf-8")
    assert (
        omoide("ingest", str(messages)).err
        == "omoide: messages: not JSON: line 3: Expecting value\n"
    )


def test_whoever_stops_a_command_is_told(omoide: Omoide, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C leaves with 130, and says so."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("omoide.cli.telling._objects", interrupt)
    stopped = omoide("ingest", "-")

    assert (stopped.code, stopped.out, stopped.err.strip()) == (130, "", "omoide: stopped")


def test_an_id_is_never_broken(
    omoide: Omoide, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However narrow the terminal, a session's id can be copied."""
    monkeypatch.setenv("COLUMNS", "40")
    messages = tmp_path / "m.jsonl"
    messages.write_text(TWO_MESSAGES, "utf-8")
    session = "chatgpt:a-conversation-of-a-very-long-name-indeed"
    assert omoide("--session", session, "ingest", str(messages)).code == 0

    assert session in omoide("sessions", "list").out


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("correct",), "not given, now"),
        (("diff",), "not given, now"),
        (
            (
                "sessions",
                "turns",
            ),
            "all of",
        ),
    ],
)
def test_help_says_what_is_taken_when_nothing_is_given(
    omoide: Omoide, command: tuple[str, ...], said: str
) -> None:
    """What is put in square brackets in a help text would be taken for markup, and not be shown."""
    assert said in omoide(*command, "--help").out


@pytest.mark.covers("GM-168")
def test_what_is_due_is_for_cron_too(omoide: Omoide) -> None:
    """Silent with exit code 1 when nothing is due now; shown once when it is; noted as shown when
    asked to.
    """
    omoide("remember", "Renew the passport", "-c", "reminder", "--due", "2999-01-01")
    assert omoide("due", "--check") == Ran(1, "", "")
    assert omoide("due", "--days", "0").out.startswith("nothing is due now;")
    omoide("remember", "Return the library books", "-c", "reminder", "--due", "2020-01-01")

    due = omoide("due", "--check", "--remind")

    assert due.code == 0
    assert "Return the library books" in due.out
    assert "passport" not in due.out
    assert omoide("due", "--check").code == 1


@pytest.mark.covers("GM-93")
def test_a_poller_asks_for_what_is_due_now(omoide: Omoide) -> None:
    """As JSON, with the text that opens the session it starts; what is not due yet is left out."""
    omoide("remember", "Call the vet", "-c", "reminder", "--due", "2020-01-01T09:00+01:00")
    omoide("remember", "Call the dentist", "-c", "reminder", "--due", "2999-01-01")

    due = omoide("due", "--check", "--json").json

    assert [(item["text"], item["due_at"]) for item in due] == [
        ("Call the vet", "2020-01-01T08:00:00+00:00")
    ]


def test_entities_are_named_merged_and_split(told: Omoide) -> None:
    """Three commands, each with what came of it."""
    assert told("entities", "name", "person:ana", "Anita", "--json").json["name"] == "person:ana"
    told("remember", "Anna has a boat", "-e", "person:anna")

    assert told("entities", "merge", "person:anna", "person:ana").out.startswith(
        "person:ana goes by "
    )
    assert "person:anna" not in [
        entity["name"] for entity in told("entities", "list", "--json").json
    ]
    assert (
        told("entities", "split", "person:ana", "person:anna", "--json").json["name"]
        == "person:anna"
    )
    assert "person:ana" in told("entities", "list").out


def test_cascade(told: Omoide) -> None:
    """What rests on an item is shown, and nothing changes; once it is corrected, that is marked and
    listed as unconfirmed.
    """
    lease = id_of(told, "The lease ends in May")
    with Memory.open(user="ana", background=False) as memory:
        near = memory.remember(
            "Ana will look for a flat in April", details=Details(bases=(ItemId(lease),))
        ).id

    assert [item["id"] for item in told("items", "dependants", lease, "--json").json] == [near]
    assert told("items", "dependants", near).out.startswith(f"nothing rests on {near};")
    told("correct", lease, "The lease ends in June")
    assert "unconfirmed" in told("list", "--unconfirmed").out
    assert [item["id"] for item in told("list", "--unconfirmed", "--json").json["items"]] == [near]


def wait(text: str, target: str | None) -> str:
    """Let something wait that a document says instead of an item."""
    with Memory.open(user="ana", background=False) as memory:
        said = Statement(text=text, details=Details(source=Source.IMPORT, quote=text))
        item = draft(said, memory.scope, memory.clock)
        with memory.store.transaction(tenant=None) as tx:
            close = ItemId(target) if target else None
            return propose(
                tx,
                memory.clock,
                memory.scope,
                item,
                target=close,
                flags=["ungrounded_name"],
                session=None,
            )


def test_what_waits_is_reviewed(told: Omoide) -> None:
    """Shown with what it changes and why it waits, then worded anew and approved as it was shown
    last, or rejected.
    """
    lease = id_of(told, "The lease ends in May")
    id, other = wait("The lease ends in July", lease), wait("Ana trusts p\u0430ypal", None)

    listed = told("review").out
    assert "[-May-]{+July+}" in listed
    assert "a name that was not said · document's word" in listed
    assert "cyrillic small letter a" in listed
    assert "hidden: looks like another letter" in listed
    assert "2 proposals" in told("stats").out
    shown = told("review", "--json").json[0]
    stale, kind = shown["seal"], shown["kind"]
    assert kind == "item"
    fresh = told("review", "edit", id, "The lease ends in June", "--json").json["seal"]
    assert told("review", "approve", id, stale).code == Conflict.exit_code
    assert "holds: The lease ends in June" in told("review", "approve", id, fresh).out
    assert told("get", lease, "--json").json["superseded_by"]
    assert told("review", "reject", other).out.strip() == f"rejected {other}"
    assert told("review").out.startswith("The review queue is empty")


def test_a_command_that_is_named_has_the_options_given(told: Omoide, tmp_path: Path) -> None:
    """What review names to type acts on the store and the user that review was asked about."""
    place = str(tmp_path / "her store.db")
    with Memory.open(place, user="ben", background=False) as memory:
        base = memory.remember("The lease ends in May").id
        details = Details(bases=(base,))
        item = memory.remember("Ben will look for a flat in April", details=details).item
        memory.correct(base, "The lease ends in June")
    shown = told("--store", place, "--user", "ben", "review").out

    (line,) = [line.strip() for line in shown.splitlines() if "review confirm" in line]
    assert line == f"omoide --store '{place}' --user ben review confirm {item.id}"
    assert told(*shlex.split(line)[1:]).code == 0


def test_what_is_similar_is_named_with_how_to_replace_it(told: Omoide) -> None:
    """What is new first, then what it is like, and what to do if it replaces that; doing so leaves
    the new one alone.
    """
    told("remember", "Ben's cat is called Mia")
    old = id_of(told, "Ben's cat is called Mia")

    new, similar, remedy = told("remember", "Ben's cat is called Kira").out.splitlines()
    assert new.startswith("added ")
    assert new.endswith(": Ben's cat is called Kira")
    assert similar == f"similar to {old}: Ben's cat is called Mia"
    assert remedy.endswith(f"omoide correct {old} TEXT")

    told("correct", old, "Ben's cat is called Kira")
    assert "Mia" not in told("items", "list").out
    assert told("items", "list").out.count("Kira") == 1


def test_what_rests_on_what_is_corrected_is_unconfirmed(told: Omoide) -> None:
    """Said when it is remembered, shown beforehand, and marked afterwards."""
    base = id_of(told, "The lease ends in May")
    told("remember", "The boiler is inspected in April", "--base", base)

    assert "The boiler is inspected in April" in told("items", "dependants", base).out
    told("correct", base, "The lease ends in July")

    assert "The boiler is inspected in April" in told("list", "--unconfirmed").out
    assert "unconfirmed" in told("recall", "when is the boiler inspected").out
    sure = told("recall", "when is the boiler inspected", "--confirmed-only").out
    assert "The boiler is inspected in April" not in sure


def test_undo_and_reopen(told: Omoide) -> None:
    """A change is taken back by its id; a closed item is held again."""
    item = told("remember", "Ana lives in Rome", "--json").json["item"]["id"]
    change = told("history", item, "--json").json["changes"][-1]["id"]

    assert told("undo", change).out == "took back 1 change\n"
    assert "Rome" not in told("recall", "Where does Ana live?").out
    assert told("items", "reopen", item, "--json").json["id"] == item
    assert "Rome" in told("recall", "Where does Ana live?").out


def test_diff_tells_what_came(told: Omoide) -> None:
    """Between two moments, or a moment and now."""
    assert {item["text"] for item in told("diff", "2020-01-01", "--json").json["added"]} == {
        "Ana drinks green tea",
        "The lease ends in May",
    }
    assert "+ Ana drinks green tea" in told("diff", "2020-01-01").out
    assert "0 added" in told("diff", "2999-01-01", "2999-01-02").out


def test_stats_say_whose_memory_they_count(omoide: Omoide) -> None:
    """The user's, and with --shared nobody's own."""
    omoide("remember", "Ana drinks tea")

    assert "memory of    ana, and shared memory\n" in omoide("stats").out
    assert "memory of    shared memory\n" in omoide("--shared", "stats").out


def test_stats_add_it_up(told: Omoide) -> None:
    """By category, context and source, sessions, what is due, and how large the file is."""
    shown = told("stats").out

    for part in (
        "2 (0 sensitive)",
        "fact 1",
        "preference 1",
        "global 2",
        "user 2",
        "1 overdue",
        "2 turns in 1 session",
        "MB",
    ):
        assert part in shown
    assert told("stats", "--json").json["file_bytes"] > 10_000


@pytest.mark.covers("LS-80")
def test_stats_show_calls_of_models(told: Omoide, home: Path) -> None:
    """What for, how often in vain, tokens, price and time."""
    from omoide.learning.budget import StoreBooks
    from omoide.telemetry.model_calls import ModelCall

    with Memory.open(str(home / "memory.db")) as memory:
        books = StoreBooks(memory.store, memory.clock, tenant="default")
        books.note(
            ModelCall(
                purpose="extract",
                model="m",
                input_tokens=100,
                output_tokens=20,
                cost_usd=0.25,
                seconds=2.0,
            )
        )
        books.note(ModelCall(purpose="extract", model="m", outcome="ModelMissing"))
        books.note(ModelCall(purpose="ping", model="m", outcome="ModelMissing"))

    shown = " ".join(told("stats").out.split())
    assert (
        "to extract m called 2 times, 1 of them failed: 100 tokens read, 20 written, $0.2500, 1.0 s"
        " each" in shown
    )
    assert "to check m called 1 time, which failed: " in shown
    assert told("stats", "--json").json["models"][0]["calls"] == 2


@pytest.mark.covers("GM-167")
def test_clear_export_and_contexts(told: Omoide, tmp_path: Path) -> None:
    """All of a user is exported and erased; items of a context are told from the others."""
    told("--context", "work", "remember", "The sprint ends on Friday")
    assert [item["text"] for item in told("list", "--context", "work", "--json").json["items"]] == [
        "The sprint ends on Friday"
    ]
    assert told("admin", "export", str(tmp_path / "all.jsonl")).out.startswith("wrote 1 session")

    erased = told("users", "forget", "ana", "--yes", "--json").json["erased"]

    assert (erased["items"], erased["turns"], erased["sessions"]) == (3, 2, 1)
    assert told("items", "list").out.startswith("no items;")
    assert told("--user", "ben", "list").out.startswith("no items;")


def test_all_of_ones_own_is_erased_by_sort(told: Omoide) -> None:
    """Items, turns, or both; what is asked names the sort."""
    told("--user", "ben", "remember", "Ben rows")

    assert told("admin", "erase", "items", "--yes", "--json").json["erased"]["items"] == 2
    assert len(told("sessions", "turns", "--json").json) == 2
    assert told("admin", "erase", "all", "--yes").out.startswith("forgot 1 session, 2 turns")
    assert told("sessions", "turns").out.startswith("no turns;")
    assert len(told("--user", "ben", "list", "--json").json["items"]) == 1


def test_what_was_set_aside_is_named_when_it_holds_what_was_forgotten(
    told: Omoide, tmp_path: Path
) -> None:
    """An old store beside the new one is searched too, and the receipt says which file it is."""
    told("admin", "backup", str(tmp_path / "copy.db"))
    told("admin", "restore", str(tmp_path / "copy.db"), "--replace")

    shown = told("admin", "erase", "items", "--yes").out

    assert "found in " in shown
    assert "memory.db.old-1 was set aside and may hold it" in shown


def test_anybody_gets_all_that_is_held_about_them(told: Omoide, tmp_path: Path) -> None:
    """``--user`` after the command too, whoever the default is."""
    told("--user", "ben", "remember", "Ben rows")

    assert told("admin", "export", "--user", "ben", str(tmp_path / "ben.jsonl")).out.startswith(
        "wrote 1 item, "
    )
    assert "green tea" not in (tmp_path / "ben.jsonl").read_text("utf-8")


def test_many_statements_at_once(omoide: Omoide, tmp_path: Path) -> None:
    """Each with its own category, tags, entities, times and details; if one is wrong, none is
    stored, and it is named.
    """
    statements = [
        {"text": "Ana has a boat", "entities": ["thing:boat"], "tags": ["sea"], "confidence": 0.9},
        {
            "text": "Ana mag grünen Tee",
            "category": "preference",
            "due_at": "2026-12-01",
            "source": "user",
        },
    ]
    given = tmp_path / "s.json"
    given.write_text(json.dumps(statements), "utf-8")
    assert omoide("items", "add-many", str(given)).out == "2 items added\n"
    items = {item["text"]: item for item in omoide("list", "--json").json["items"]}
    assert (items["Ana has a boat"]["source"], items["Ana has a boat"]["entities"]) == (
        "seed",
        ["thing:boat"],
    )
    assert (items["Ana mag grünen Tee"]["category"], items["Ana mag grünen Tee"]["source"]) == (
        "preference",
        "user",
    )

    for wrong, said in (
        ({"txt": "x"}, "statement 1: unknown 'txt'"),
        ({"tags": ["x"]}, "statement 1: has no text"),
    ):
        given.write_text(json.dumps([{"text": "Ana sings"}, wrong]), "utf-8")
        refused = omoide("items", "add-many", str(given))
        assert (refused.code, said in refused.err) == (InvalidInput.exit_code, True)
    assert omoide("list", "--json").json["total"] == 2


@pytest.mark.covers("GM-165")
def test_calls_of_tools_are_noted_and_added_up(omoide: Omoide) -> None:
    """Each with what it was given, its secrets masked; stats, summary and list show how they
    went.
    """
    omoide("entities", "name", "person:ana")
    assert "none" in omoide("stats").out
    token = "sk-" + "abcdefghijklmnopqrstuvwxyz012345"
    call = omoide(
        "tool-calls",
        "record",
        "search",
        "--args",
        json.dumps({"q": "tea", "api_key": token}),
        "--duration-ms",
        "12",
        "--json",
    ).json
    assert json.loads(call["args"])["q"] == "tea"
    assert token not in call["args"]
    omoide("tool-calls", "record", "search", "--error", "timeout")

    assert "search  2      50%        12 ms" in omoide("tool-calls", "summary").out
    assert [
        one["error"] for one in omoide("tool-calls", "list", "search", "--failed", "--json").json
    ] == ["timeout"]
    assert "failed: timeout" in omoide("tool-calls", "list").out
    assert omoide("tool-calls", "list", "other").out.startswith("no call is noted of 'other';")
    assert "1 called 2 times, 1 of them failed" in omoide("stats").out


@pytest.mark.parametrize(
    ("window", "listed"),
    [
        (["--since", "2000-01-01", "--until", "2100-01-01"], 2),
        (["--since", "2100-01-01"], 0),
        (["--until", "2000-01-01"], 0),
    ],
)
def test_items_are_listed_by_when_they_became_true(
    told: Omoide, window: list[str], listed: int
) -> None:
    """As recall takes these options."""
    assert len(told("list", *window, "--json").json["items"]) == listed
    assert ("no such items" in told("list", *window).out) is not bool(listed)


@pytest.mark.covers("LS-88")
def test_no_page_size_caps_list_or_forget(omoide: Omoide, tmp_path: Path) -> None:
    """Over a hundred items are listed whole, by page too, and erased whole."""
    archive = tmp_path / "many.jsonl"
    for number in range(3):
        omoide("remember", f"Fact number {number} is about {'abc'[number]}")
    omoide("admin", "export", str(archive))
    texts = [f"{word} grows in garden {number}" for number in range(130) for word in ("Thyme",)]
    (tmp_path / "m.jsonl").write_text(
        "".join(json.dumps({"role": "user", "content": text}) + "\n" for text in texts), "utf-8"
    )
    omoide("--session", "long", "ingest", str(tmp_path / "m.jsonl"))

    assert len(omoide("sessions", "turns", "long", "-n", "500", "--json").json) == 130
    assert len(omoide("sessions", "turns", "long", "--first", "100", "--json").json) == 30
    assert omoide("users", "forget", "ana", "--yes", "--json").json["erased"]["turns"] == 130
    assert omoide("stats", "--json").json["log"]["turns"] == 0


def test_forget_asks_first(told: Omoide, monkeypatch: pytest.MonkeyPatch) -> None:
    """No is no; the receipt says what went."""
    item = id_of(told, "Ana drinks green tea")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    refused = told("forget", item)
    assert refused.code == 130
    assert "nothing was erased" in refused.err
    assert told("get", item).code == 0
    # what cannot be done is not asked about
    assert told("admin", "erase", "most").code == UnknownName.exit_code

    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    shown = told("forget", item)

    assert shown.out.startswith("forgot 1 entity, 1 item; ")
    assert "text searched for in every byte of the store's files and found nowhere" in shown.out
    assert told("get", item).code == NotFound.exit_code


def test_backup_and_restore(told: Omoide, home: Path, tmp_path: Path) -> None:
    """A copy becomes a store elsewhere; over a store only when told to, and the old one stays
    beside it.
    """
    assert told("admin", "backup", str(tmp_path / "copy.db")).out.endswith("copy.db, checked\n")
    told("remember", "Ana lives in Rome")

    elsewhere = str(tmp_path / "elsewhere.db")
    assert told("--store", elsewhere, "admin", "restore", str(tmp_path / "copy.db")).code == 0
    assert "green tea" in told("--store", elsewhere, "recall", "tea").out
    assert told("admin", "restore", str(tmp_path / "copy.db")).code == Conflict.exit_code
    restored = told("admin", "restore", str(tmp_path / "copy.db"), "--replace")
    assert restored.code == 0
    assert "Rome" not in told("items", "list").out
    assert (home / "memory.db.old-1").exists()
    assert "the old store is" in restored.out
    assert restored.out.replace("\n", "").endswith("memory.db.old-1")
    assert told("admin", "backup", str(tmp_path / "copy.db")).code == Conflict.exit_code


def test_encryption_by_passphrase(
    told: Omoide, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Encrypted, re-encrypted and decrypted; without the right passphrase nothing is read."""
    monkeypatch.setenv("OMOIDE_NEW_PASSPHRASE", "correct horse")
    assert told("admin", "rekey").code == 0
    assert b"green tea" not in (home / "memory.db").read_bytes()
    assert told("items", "list").code == WrongPassphrase.exit_code
    monkeypatch.setenv("OMOIDE_PASSPHRASE", "battery staple")
    assert told("items", "list").code == WrongPassphrase.exit_code

    monkeypatch.setenv("OMOIDE_PASSPHRASE", "correct horse")
    assert "green tea" in told("items", "list").out
    assert told("config", "--json").json["passphrase"] == "set"
    assert told("admin", "rekey", "--off").code == 0
    monkeypatch.delenv("OMOIDE_PASSPHRASE")
    assert "green tea" in told("items", "list").out


def test_the_archive_goes_out_and_in(told: Omoide, tmp_path: Path) -> None:
    """Into another store, with the same ids and answers; once more adds nothing."""
    archive, other = str(tmp_path / "ana.jsonl"), str(tmp_path / "other.db")
    assert told("admin", "export", archive, "--json").json["records"]["item"] == 2

    assert told("--store", other, "admin", "load", archive, "--json").json["added"]["item"] == 2
    assert (
        told("--store", other, "admin", "load", archive).out
        == "loaded nothing; all of it is there already\n"
    )
    here, there = (
        told("--store", store, "recall", "tea", "--json").json["hits"]
        for store in (str(tmp_path / "home" / "memory.db"), other)
    )
    assert (
        [(hit["id"], hit["text"]) for hit in here]
        == [(hit["id"], hit["text"]) for hit in there]
        != []
    )
    assert told("admin", "export", archive).code == Conflict.exit_code
    (tmp_path / "bad.jsonl").write_text("{}\n", "utf-8")
    assert told("admin", "load", str(tmp_path / "bad.jsonl")).code == ImportRefused.exit_code


def test_a_load_asks_before_it_brings_back_what_was_forgotten(
    told: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody can answer, it refuses and names the option."""
    archive = str(tmp_path / "ana.jsonl")
    told("admin", "export", archive)
    item = told("items", "list", "--json").json["items"][0]["id"]
    receipt = told("forget", item, "--yes")
    assert "export ana.jsonl of" in receipt.out

    refused = told("admin", "load", archive)

    assert refused.code == Conflict.exit_code
    assert item in refused.err
    assert "--restore-forgotten" in refused.err
    loaded = told("admin", "load", archive, "--restore-forgotten")
    assert loaded.out.startswith("loaded 1 item")

    told("forget", item, "--yes")
    monkeypatch.setattr("sys.stdin", Person("y\n"))
    assert "loaded 1 item" in told("admin", "load", archive).out


class Person(io.StringIO):
    """Somebody at a terminal, who has typed something."""

    def isatty(self) -> bool:
        return True


def test_due_jobs_run_from_the_command_line(told: Omoide) -> None:
    """As many as are asked for."""
    assert told("jobs", "run", "--limit", "1", "--json").json["done"] in (0, 1)
    assert told("jobs", "run").code == 0


def test_a_store_moves(told: Omoide, home: Path, tmp_path: Path) -> None:
    """Into a new file, compared row by row."""
    target = str(tmp_path / "moved.db")

    assert told("admin", "move", str(home / "memory.db"), target).out.startswith("moved ")
    assert "green tea" in told("--store", target, "list").out


def test_chats_are_imported_and_undone(omoide: Omoide, tmp_path: Path) -> None:
    """An export of another program is taken in once; the whole import is undone by its id."""
    shutil.copytree(FIXTURES / "chatgpt", tmp_path / "chatgpt")
    report = omoide("import", str(tmp_path / "chatgpt"), "--json").json

    assert report["added"] > 3
    assert omoide("import", str(tmp_path / "chatgpt"), "--json").json["added"] == 0
    assert "undo" not in omoide("import", str(tmp_path / "chatgpt")).out, (
        "nothing was added: there is nothing to take back"
    )
    assert omoide("stats", "--json").json["log"]["turns"] == report["added"]
    assert omoide("undo", report["id"]).code == 0
    assert omoide("stats", "--json").json["log"]["turns"] == 0


def test_memories_of_a_product_are_imported_and_undone(omoide: Omoide, tmp_path: Path) -> None:
    """As items, without a format being named; it says what is another user's."""
    export = tmp_path / "memories.json"
    rows = [
        {"id": "a", "memory": "Likes oolong tea"},
        {"id": "b", "memory": "Collects stamps", "user_id": "ben"},
    ]
    export.write_text(json.dumps({"results": rows}))
    told = omoide("import", str(export))

    assert told.out.startswith("mem0: 2 items\n")
    assert "omoide --user ben undo" in told.out
    assert "other users: ben" in told.err
    assert "Collects stamps" in omoide("--user", "ben", "list").out
    again = omoide("import", str(export), "--json").json
    assert (again["items"], again["repeated"]) == (0, 2)
    undo = next(line for line in told.out.splitlines() if "omoide --user ana undo" in line)
    assert omoide("undo", undo.split()[-1]).code == 0
    assert "oolong" not in omoide("list").out


def test_a_missing_memory_is_told(omoide: Omoide) -> None:
    """Also where its format is named."""
    assert "does not exist" in omoide("import", "/nowhere.json", "--format", "mem0").err


def test_upkeep_is_quiet_where_all_is_well(told: Omoide) -> None:
    """Doctor, verify, scan, tidy and migrate on a sound store."""
    assert told("doctor", "--deep").out == "all is well\n"
    assert told("doctor", "--json").json == []
    verdict = told("admin", "verify", "--json").json["head"]
    assert told("admin", "verify", "--head", f"{verdict['seq']}:{verdict['hash']}").out.startswith(
        "the ledger is whole, ends at "
    )
    assert told("admin", "verify", "--head", f"{verdict['seq']}:{'0' * 64}").code == 1
    assert told("admin", "scan").out == "no passwords, keys or tokens found\n"
    assert (
        told("admin", "tidy", "--only", "vectors,decay").out == "vectors: nothing\ndecay: nothing\n"
    )
    assert told("admin", "migrate").code == 0


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["remember", " "], InvalidInput, "text: is blank"),
        (
            ["remember", "x", "-c", "rumour"],
            InvalidInput,
            "category: unknown 'rumour'; known: fact",
        ),
        (
            ["remember", "x", "--due", "some day"],
            InvalidInput,
            "due_at: 'some day' is not ISO 8601",
        ),
        (["remember", "x", "-e", ""], InvalidInput, "entities: must not be empty"),
        (["ingest", "/nowhere/m.jsonl"], InvalidInput, "/nowhere/m.jsonl: No such file"),
        (
            ["recall", "x", "--as-of", "2026-03-01T25:00"],
            InvalidInput,
            "as_of: '2026-03-01T25:00' is not ISO 8601",
        ),
        (
            ["recall", "x", "--preset", "psychic"],
            InvalidInput,
            "preset: unknown 'psychic'; known: fast",
        ),
        (
            ["recall", "x", "--type", "psychic"],
            InvalidInput,
            "type: unknown 'psychic'; known: working, episodic",
        ),
        (["recall", "x", "--type", "social"], InvalidInput, "entities: name the people"),
        (["recall", "x", "-n", "0"], InvalidInput, "limit: must be from 1 to 1,000; got 0"),
        (
            ["recall", "x", "--since", "2026-02-01", "--until", "2026-01-01"],
            InvalidInput,
            "until: ends at",
        ),
        (["recall", "x" * 10_001], InvalidInput, "query: 10001 characters, the limit is 10000"),
        (
            ["get", "nothing"],
            NotFound,
            "no item 'nothing' in this scope; omoide list shows items with their ids",
        ),
        (["get", "s#99999999999999999999"], NotFound, "no turn"),
        (["history", "nothing"], NotFound, "no item"),
        (
            ["sessions", "turns", "nothing"],
            NotFound,
            "no session 'nothing' in this scope; omoide sessions list shows which there are",
        ),
        (["correct", "nothing", "x"], NotFound, "no item"),
        (["items", "edit", "nothing", "muted"], InvalidInput, "'muted' is not name=value"),
        (
            ["items", "edit", "nothing", "muted=maybe"],
            InvalidInput,
            "must be true or false; got 'maybe'",
        ),
        (
            ["items", "edit", "nothing", "text=x"],
            InvalidInput,
            "attribute: unknown 'text'; did you mean 'correct(id, text)'?",
        ),
        (
            ["items", "feedback", "nothing", "splendid"],
            InvalidInput,
            "verdict: unknown 'splendid'; known: helpful, harmful",
        ),
        (
            ["review", "reject", "nothing"],
            NotFound,
            "no proposal 'nothing' in this scope; omoide review shows which wait",
        ),
        (["review", "edit", "nothing", "x"], NotFound, "no proposal"),
        (["review", "approve", "nothing", "seal"], NotFound, "no proposal"),
        (["undo", "nothing"], NotFound, "omoide history ID shows the changes of an item"),
        (["list", "--sort", "colour"], InvalidInput, "sort: unknown 'colour'"),
        (["list", "-n", "5000"], InvalidInput, "limit: must be from 1 to 1,000; got 5000"),
        (["due", "--days", "-1"], InvalidInput, "days"),
        (["due", "--days", "1e9"], InvalidInput, "days"),
        (["forget"], InvalidInput, "missing argument 'id'"),
        (["items", "forget", "--yes"], InvalidInput, "forget: name exactly one"),
        (["forget", "", "--yes"], InvalidInput, "id: must not be empty"),
        (
            ["items", "forget", "--origin", "a", "--category", "fact", "--yes"],
            InvalidInput,
            "forget: name exactly one",
        ),
        (
            ["forget", "nothing", "--yes"],
            NotFound,
            "no item or turn 'nothing' in this scope; omoide recall and omoide list show ids",
        ),
        (
            ["--session", "s", "forget", "--yes"],
            InvalidInput,
            "missing argument 'id'",
        ),
        (["admin", "verify", "--head", "last"], InvalidInput, "head: 'last' is not SEQ:HASH"),
        (["import", "/nowhere.zip"], InvalidInput, "/nowhere.zip: does not exist"),
        (["import", "/nowhere.zip", "--zone", "Mars"], InvalidInput, "zone: no time zone 'Mars'"),
        (["import", "/nowhere.zip", "--format", "diary"], InvalidInput, "format: unknown 'diary'"),
        (["admin", "load", "/nowhere.jsonl"], InvalidInput, "/nowhere.jsonl: does not exist"),
        (["admin", "export", "/nowhere/a.jsonl"], InvalidInput, "/nowhere: does not exist"),
        (["admin", "backup", "/nowhere/a.db"], InvalidInput, "/nowhere: does not exist"),
        (["admin", "restore", "/nowhere.db"], InvalidInput, "/nowhere.db: does not exist"),
        (["admin", "move", "/nowhere.db", "x.db"], InvalidInput, "/nowhere.db: does not exist"),
        (
            ["--store", "/nowhere.db", "admin", "salvage", "x.db"],
            InvalidInput,
            "/nowhere.db: does not exist",
        ),
        (["items", "add-many", "/nowhere.json"], InvalidInput, "/nowhere.json: No such file"),
        (["tool-calls", "record", "search", "--args", "tea"], InvalidInput, "args: not JSON"),
        (
            ["tool-calls", "record", "search", "--args", "[1]"],
            InvalidInput,
            "args: must be a JSON object",
        ),
        (
            ["recall", "x", "--user", "ana"],
            InvalidInput,
            "--user goes before the command: omoide --user NAME recall …",
        ),
        (
            ["sessions", "extract", "--session", "s"],
            InvalidInput,
            "--session goes before the command: omoide --session NAME sessions extract …",
        ),
        (["sessions", "end"], InvalidInput, "session: name one by its id; omoide sessions list"),
        (["admin", "export", "x.jsonl", "--user", "ana", "--everything"], InvalidInput, "not both"),
        (["admin", "erase", "dreams", "--yes"], InvalidInput, "known: items, turns, all"),
        (["config", "usr"], InvalidInput, "unknown 'usr'; did you mean 'user'?"),
        (["config", "passphrase", "x"], InvalidInput, "OMOIDE_PASSPHRASE"),
        (["config", "home", "/x"], InvalidInput, "OMOIDE_HOME"),
        (
            ["config", "user", " a"],
            InvalidInput,
            "user: ' a' has control characters or outer spaces",
        ),
        (["config", "embedder", "static-ish"], InvalidInput, "embedder: unknown 'static-ish'"),
        (
            ["--tenant", " a", "stats"],
            InvalidInput,
            "tenant: ' a' has control characters or outer spaces",
        ),
        (["frobnicate"], InvalidInput, "'frobnicate'. omoide --help lists the commands"),
        (["--json", "list"], InvalidInput, "--json goes after the command: omoide list --json"),
        (["sessions", "catch-up", "--dry-run"], InvalidInput, "--dry-run; did you mean --preview?"),
        (["list", "--jsn"], InvalidInput, "did you mean --json?"),
        (["diff", "--since", "2026-01-01"], InvalidInput, "omoide diff --help lists the options"),
        (["proxy"], InvalidInput, "'--upstream'. omoide proxy --help shows what it takes"),
        (["import", "x", "--format", "mem"], InvalidInput, "did you mean 'mem0'? known: chatgpt"),
        (["searches", "run", "x"], NotFound, "omoide searches list shows which there are"),
        (["list", "--category", "facts"], InvalidInput, "did you mean 'fact'? known: fact"),
        (["export"], InvalidInput, "That is: omoide admin export"),
        (["load"], InvalidInput, "That is: omoide admin load"),
        (["remmber"], InvalidInput, "Did you mean: omoide remember?"),
        (["bakup"], InvalidInput, "Did you mean: omoide admin backup?"),
        (["sessions", "show"], InvalidInput, "That is: omoide sessions turns SESSION"),
        (["sessions", "trns"], InvalidInput, "Did you mean: omoide sessions turns?"),
        (["searches", "wipe-it"], InvalidInput, "omoide searches has: list, save, run, delete"),
        (["due", "--days", "many"], InvalidInput, "'--days': must be a number"),
        (["due", "--days", "-1"], InvalidInput, "'--days': must be at least 0"),
        (["--user", "", "list"], InvalidScope, "user: must not be empty"),
        (["admin", "export", "x.jsonl", "--user", ""], InvalidScope, "user: must not be empty"),
        (["review", "reject-all"], InvalidInput, "--session SESSION, --source SOURCE or"),
        (["remember"], InvalidInput, "Missing argument"),
        (["stats", "--loudly"], InvalidInput, "No such option"),
        (["remember", "-5 degrees"], InvalidInput, "starts with a dash goes after --"),
        (["list", "--limit", "many"], InvalidInput, "'--limit' / '-n': must be a whole number"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_what_is_wrong_is_said_in_one_line(
    told: Omoide, arguments: list[str], error: type[OmoideError], said: str
) -> None:
    """The message names what is wrong; the exit code is that of the error's class; nothing goes to
    standard output.
    """
    refused = told(*arguments)

    assert refused.code == error.exit_code, refused.err
    assert said.lower() in refused.err.lower()
    assert refused.err.startswith("omoide: ")
    assert refused.out == ""


EMPTY = {
    "recall": ["wombats"],
    "list": [],
    "due": [],
    "entities list": [],
    "sessions list": [],
    "sessions turns": [],
    "tool-calls summary": [],
    "tool-calls list": [],
    "review list": [],
    "reflections list": [],
    "reflections digests": [],
    "reflections profile": [],
    "procedures list": [],
    "procedures match": ["wombats"],
    "jobs list": ["--dead"],
    "secret": [],
}


@pytest.mark.parametrize("command", EMPTY)
def test_what_finds_nothing_says_what_it_looked_for_and_what_to_do(
    omoide: Omoide,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In one line, with success; where nobody's memory was asked, that first."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    omoide("--user", "ben", "tool-calls", "record", "search")  # a store, and nothing in it of Ana's
    shown = omoide(*command.split(), *EMPTY[command])

    what, _, step = shown.out.strip().partition("; ")
    assert (shown.code, len(shown.out.splitlines())) == (0, 1)
    assert what.startswith(("no ", "nothing ", "The review queue is empty"))
    assert "omoide " in step or command == "review list"
    if command not in ("jobs list", "secret", "procedures list", "procedures match"):
        assert run([*command.split(), *EMPTY[command]]) == 0
        assert NOBODY in capsys.readouterr().out


def test_json_is_of_one_shape(told: Omoide) -> None:
    """Every record of a sort has the same fields, those that hold nothing too; a page without items
    has a list of none.
    """
    one, other = told("list", "--json").json["items"]

    assert one.keys() == other.keys()
    assert {type(record["tags"]) for record in (one, other)} == {list}
    assert [record["due_at"] is None for record in (one, other)].count(True) == 1
    assert told("--user", "ben", "list", "--json").json["items"] == []
    hits = told("recall", "What does Ana drink?", "--json").json
    assert hits["degraded"] == []
    assert (
        {hit["item"] is None for hit in hits["hits"]}
        == {hit["kind"] == "turn" for hit in hits["hits"]}
        == {True, False}
    )


def test_numbers_are_shown_without_noise(told: Omoide) -> None:
    """What a machine makes of tenths is not shown."""
    item = id_of(told, "The lease ends in May")
    told("items", "edit", item, f"confidence={0.1 + 0.2}")

    assert '"confidence": 0.3,' in told("get", item, "--json").out
    assert told("get", item).out.count("0.3\n") == 1


def test_a_session_is_named_before_or_after(told: Omoide) -> None:
    """Commands about one session take it from where it stands."""
    assert (
        told("sessions", "end", "s").out
        == told("--session", "s", "sessions", "end").out
        == "session s is queued for extraction; it waits for a language model, such as"
        " OMOIDE_LLM=ollama:MODEL\n"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a database at all, but long enough to look at" * 100,
        b"SQLite format 3\0" + bytes(100),
    ],
)
def test_what_is_no_store_is_left_alone(omoide: Omoide, tmp_path: Path, content: bytes) -> None:
    """Exit code 6, a message that says what to do, and the file as it was."""
    (tmp_path / "other.db").write_bytes(content)

    refused = omoide("--store", str(tmp_path / "other.db"), "stats")

    assert refused.code == StoreRefused.exit_code
    assert "; " in refused.err
    assert (tmp_path / "other.db").read_bytes() == content
    assert omoide("--store", str(tmp_path), "stats").code == StoreRefused.exit_code


def test_settings_that_are_wrong_are_refused(omoide: Omoide, home: Path) -> None:
    """An unknown setting is not quietly without effect; a secret does not belong in the file."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("embeder = 'static'\n")
    assert "unknown 'embeder'; did you mean 'embedder'?" in omoide("config").err
    (home / "config.toml").write_text("passphrase = 'x'\n")
    assert omoide("config").code == 2
    (home / "config.toml").write_text("user = 'zoe'\n")
    assert omoide("config", "--json").json["user"] == "ana"


def test_a_wrong_setting_of_the_file_is_found_and_mended(omoide: Omoide, home: Path) -> None:
    """The error names the file, and the same command that sets one replaces it."""
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('zone = "Mars"\n')

    assert f"set in {home / 'config.toml'}" in omoide("items", "list").err
    assert omoide("config", "zone", "UTC").code == 0
    assert "Mars" not in omoide("items", "list").err


def test_a_wrong_setting_of_a_variable_is_found(
    omoide: Omoide, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the variable."""
    monkeypatch.setenv("OMOIDE_ZONE", "Mars")

    assert "set by the variable OMOIDE_ZONE" in omoide("items", "list").err


def test_a_setting_is_written_and_read(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A default user is named once; whoever sees nothing because nobody is named is told how. A
    stronger setting is not hidden.
    """

    def omoide(*arguments: str) -> tuple[str, str]:
        assert run(list(arguments)) == 0
        out, err = capsys.readouterr()
        return out, err

    omoide("entities", "name", "person:ana")
    assert "omoide config user NAME" in omoide("recall", "tea")[0]
    assert f"{login_name()}, and shared memory; to name another user" in omoide("stats")[0]

    assert omoide("config", "user", "ana") == ("ana\n", "")
    omoide("remember", "Ana drinks green tea")
    assert "green tea" in omoide("-u", "ana", "recall", "tea")[0]
    assert "green tea" in omoide("recall", "tea")[0]
    assert omoide("config", "user")[0] == "ana\n"
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600

    monkeypatch.setenv("OMOIDE_USER", "ben")
    out, err = omoide("config", "user", "eve")
    assert (out, "OMOIDE_USER" in err) == ("ben\n", True)
    monkeypatch.delenv("OMOIDE_USER")
    assert omoide("config", "user", "--unset")[0] == "user is not set\n"


def test_the_password_of_an_address_is_not_shown(omoide: Omoide) -> None:
    """Not by config, which shows where the store is."""
    shown = omoide("--store", "postgresql://ana:geheim@127.0.0.1:1/x", "config")

    assert "geheim" not in shown.out
    assert "postgresql://ana:…@127.0.0.1:1/x" in shown.out.replace("\n", "")
    assert (
        omoide("--store", "postgresql://ana@h/x?password=geheim&a=b", "config", "store").out
        == "postgresql://ana@h/x?password=…&a=b\n"
    )


def test_stored_text_cannot_drive_the_terminal(omoide: Omoide) -> None:
    """Escape sequences and characters that change the direction of text do not reach it."""
    item = omoide(
        "remember", "red \x1b[31m alert \x1b[0m \u202egnirts \u2066x\u2069\x07", "--json"
    ).json["item"]["id"]

    for shown in (
        omoide("recall", "alert"),
        omoide("list"),
        omoide("get", item),
        omoide("history", item),
    ):
        assert "alert" in shown.out
        assert not set("\x1b\x07\u202e\u2066") & set(shown.out)


def test_an_output_of_any_encoding_is_written_to(omoide: Omoide, home: Path) -> None:
    """What it cannot print is escaped."""
    omoide("remember", "Ana mag grünen Tee 緑茶")
    told = os.environ | {"PYTHONIOENCODING": "ascii"}
    for options in ([], ["--json"]):
        command = [sys.executable, "-m", "omoide", "-u", "ana", "recall", "Tee", *options]
        ran = subprocess.run(command, env=told, capture_output=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert b"gr\\xfcnen" in ran.stdout


def test_the_log_is_shown_when_asked_for(
    omoide: Omoide, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``OMOIDE_LOG=debug`` shows where an error came from; a level nobody knows is refused."""
    monkeypatch.setenv("OMOIDE_LOG", "loud")
    assert "OMOIDE_LOG" in omoide("stats").err
    monkeypatch.delenv("OMOIDE_LOG")

    omoide("entities", "name", "person:ana")
    monkeypatch.setenv("OMOIDE_LOG", "debug")
    assert run(["get", "nothing"]) == NotFound.exit_code
    assert '"event": "command failed"' in capsys.readouterr().err


def test_it_is_a_program(home: Path) -> None:
    """Version, help and errors through a process of its own, with exit codes that a shell sees."""
    told = os.environ | {"NO_COLOR": "1"}

    def start(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "omoide", *arguments]
        return subprocess.run(
            command, env=told, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )

    assert start("--version").stdout.startswith("omoide 0.")
    assert start("remember", "--help").returncode == 0
    assert start("entities", "name", "person:ana").returncode == 0
    missing = start("get", "nothing")
    assert (missing.returncode, missing.stdout, missing.stderr) == (
        3,
        "",
        (
            f"omoide: no item 'nothing' in this scope; {NOBODY}; omoide list shows items with their"
            " ids\n"
        ),
    )
    assert start("entities", "forget", "person:ana").returncode == 2  # nobody there to say yes


def test_a_reader_who_leaves_is_no_fault(told: Omoide) -> None:
    """A pipe that is closed early ends the command quietly."""
    command = f"{sys.executable} -m omoide -u ana sessions turns s --json | true"
    ran = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stderr == ""


def ends_the_process(node: ast.AST) -> bool:
    """Whether code here calls sys.exit or its like."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in (
        "sys.exit",
        "exit",
        "quit",
        "os._exit",
    )


@pytest.mark.covers("LS-25")
def test_only_entry_points_end_the_process() -> None:
    """Everything else raises, so that it can be used and tested inside a program."""
    places = {path for path, parts in nodes() for node in parts if ends_the_process(node)}

    assert {"cli/__init__.py"} <= places <= {"__main__.py", "cli/__init__.py", "demo/__main__.py"}


@pytest.mark.covers("LS-16")
def test_the_command_line_uses_public_names_alone() -> None:
    """No private attribute of a memory, a store or anything else is reached for."""
    trees = [(path, tree) for path, tree in modules() if path.startswith("cli/")]
    private = [
        f"{path}:{node.lineno} {node.attr}"
        for path, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value) != "self"
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr != "_replace"
    ]

    assert len(trees) > 5
    assert private == []


class Terminal(io.StringIO):
    """What is shown on a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["admin", "tidy"], "tidying"),
        (["doctor"], "examining"),
        (["admin", "verify"], "verifying"),
        (["admin", "scan"], "scanning"),
        (["admin", "backup"], "backing up"),
    ],
)
def test_long_work_shows_that_it_goes_on(
    command: list[str], said: str, omoide: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal; a program that reads what is said gets nothing of it."""
    omoide("remember", "Ana likes tea")
    target = [str(tmp_path / "one.db")] if command[-1] == "backup" else []
    assert said not in omoide(*command, *target).err
    target = [str(tmp_path / "two.db")] if target else []
    monkeypatch.setattr("sys.stderr", shown := Terminal())
    monkeypatch.setenv("TERM", "xterm")

    assert run(["--user", "ana", *command, *target]) == 0
    assert said in shown.getvalue()
