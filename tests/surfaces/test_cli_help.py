"""What every command has in common: help in plain words, --json, and streams that may be closed."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from omoide.cli import all_commands, app
from omoide.cli.commands import EVERYDAY, GROUPS, MORE
from tests.source_tree import modules
from tests.surfaces.test_cli import Omoide, home, omoide, told

__all__ = ["home", "omoide", "told"]
# they talk, serve or run on, and have no one result
WITHOUT_JSON = {"chat", "worker", "proxy", "hook"}


def paths(command: Any, *above: str) -> list[tuple[str, ...]]:
    """Every command below one, by its words."""
    inner = getattr(command, "commands", {})
    below = [path for name, one in inner.items() for path in paths(one, *above, name)]
    return [above, *below]


def test_help_speaks_of_texts_and_numbers() -> None:
    """Not of a programming language's types, and each option and argument says what it is for."""
    pages = [CliRunner().invoke(app, [*path, "--help"]).output for path in paths(all_commands())]

    assert [page for page in pages if "<str>" in page or "list[" in page or "<=x" in page] == []
    assert any("<number>" in page for page in pages)
    assert [
        (path, one.name)
        for path in paths(all_commands())
        for one in at(path).params
        if not getattr(one, "help", "") and not getattr(one, "hidden", False)
    ] == []


def test_one_of_a_thing_is_told_in_the_singular(
    omoide: Omoide, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a command counts: no "1 questions"."""
    monkeypatch.chdir(tmp_path)
    omoide("remember", "Ana drinks green tea in the morning")
    store = str(tmp_path / "home" / "memory.db")
    said = [
        omoide(*command.split())
        for command in (
            "probe make",
            "probe run -s default",
            "eval show omoide.probes.eval.json",
            "admin tidy",
            "admin doctor",
            "admin export all.jsonl",
            f"admin salvage {store} saved.db",
            f"admin move {store} moved.db",
            "stats",
            "list",
        )
    ]

    counts = re.findall(r"(?<![\d.,])1 (?:more )?[a-z]+", " ".join(ran.out for ran in said))
    assert {"1 question", "1 conversation", "1 item", "1 change"} <= set(counts)
    assert [told for told in counts if told.endswith("s")] == []


def test_every_command_and_group_shows_an_example() -> None:
    """One that begins with its own words."""
    without = []
    for path in paths(all_commands())[1:]:
        shown = CliRunner().invoke(app, [*path, "--help"]).output.rpartition("Example: ")[2]
        if f" {' '.join(path)}" not in shown:
            without.append(path)

    assert without == []


def test_commands_that_messages_name_are_there() -> None:
    """A remedy such as ``omoide searches save`` names a command of its group."""
    groups = {group: {one.name for one in commands} for group, commands in GROUPS.items()}
    named = [
        (path, group, command)
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for group, command in re.findall(r"\bomoide ([a-z-]+) ([a-z][\w-]*)", node.value)
        if group in groups
    ]

    assert len(named) > 50
    # review alone lists what waits, so that a sentence may follow it
    assert [
        one for one in named if one[2] not in groups[one[1]] and one[1:] != ("review", "shows")
    ] == []


def at(path: tuple[str, ...]) -> Any:
    """The command of these words."""
    command: Any = all_commands()
    for name in path:
        command = command.commands[name]
    return command


def test_every_command_that_has_a_result_gives_it_as_json() -> None:
    """Also those whose verb returns nothing, so that a program may always ask for it."""
    commands = [*EVERYDAY, *MORE, *(one for group in GROUPS.values() for one in group)]

    assert {one.name for one in commands if not one.json} == WITHOUT_JSON


def test_commands_without_a_record_print_json_too(told: Omoide, home: Path) -> None:
    """What came of them where there is something to tell, else null."""
    told("searches", "save", "birthdays", "When are birthdays?")

    assert json.loads(told("searches", "delete", "birthdays", "--json").out) is None
    assert json.loads(told("admin", "backup", str(home / "copy.db"), "--json").out) == []
    moved = json.loads(
        told(
            "--store", str(home / "new.db"), "admin", "restore", str(home / "copy.db"), "--json"
        ).out
    )
    assert moved == {"store": str(home / "new.db"), "old": None}


def test_a_page_after_the_last_item_says_so(told: Omoide) -> None:
    """And names no range that ends before it begins."""
    assert "in all; lower --offset" in told("list", "--offset", "99").out


@pytest.mark.parametrize(
    ("arguments", "closed"),
    [("ingest -", "<&-"), ("--help", ">&-"), ("config home", ">&-"), ("nonsense", "2>&-")],
)
def test_a_closed_stream_is_no_error(arguments: str, closed: str, tmp_path: Path) -> None:
    """Of input nothing is read, and what would be printed goes nowhere."""
    command = f"{sys.executable} -m omoide {arguments} {closed}"
    environment = os.environ | {"OMOIDE_HOME": str(tmp_path), "OMOIDE_USER": "ana"}
    done = subprocess.run(
        command,
        shell=True,
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )

    assert "unexpected" not in done.stderr
    assert done.returncode == (2 if arguments == "nonsense" else 0)


def test_what_would_be_erased_or_loaded_is_shown(told: Omoide, home: Path) -> None:
    """With --preview nothing is asked, erased or stored."""
    listed = told("list", "--json").json
    item, archive = listed["items"][0]["id"], str(home / "a.jsonl")
    told("admin", "export", archive, "--everything")

    assert told("forget", item, "--preview").out.endswith("nothing was erased\n")
    assert told("admin", "erase", "items", "--preview", "--json").json["preview"] is True
    assert "nothing was stored" in told("admin", "load", archive, "--preview").out
    assert told("list", "--json").json == listed


def test_a_difference_shows_what_is_sensitive_where_asked_to(omoide: Omoide) -> None:
    """As lists and recall do."""
    omoide("remember", "Ana has asthma", "--sensitive")

    assert "asthma" not in omoide("diff", "2020-01-01").out
    assert "+ Ana has asthma" in omoide("diff", "2020-01-01", "--sensitive").out
