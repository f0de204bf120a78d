"""What of a call may be told to a model: the tool, the program, the sort of error; never a word of
what it was about.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.learning.tool_usage import HABIT, SHOWN, material, usage_of
from omoide.nouns.scope import Scope
from omoide.tables.tools import ToolCall
from tests.fix_memory import NINE

CALL = ToolCall(
    id="c",
    scope=Scope(user="ana", session="s"),
    tool="shell",
    args="{}",
    result="",
    error=None,
    duration_ms=None,
    at=NINE,
)


def programs(*args: object, tool: str = "shell") -> list[str]:
    """The programs that are told of calls with these arguments, each made as often as it takes to
    be a habit.
    """
    calls = [replace(CALL, tool=tool, args=json.dumps(one)) for one in args for _ in range(HABIT)]
    return list(usage_of("ana", 7, 0, calls).commands)


@pytest.mark.parametrize(
    ("error", "sort"),
    [
        ("TimeoutError", "TimeoutError"),
        ("PermissionError: [Errno 13] /home/ana/zebulon", "PermissionError"),
        ("requests.exceptions.ConnectionError: zebulon", "ConnectionError"),
        ("NotFound: zebulon", "NotFound"),
        ("HTTP 404: zebulon", "404"),
        ("http/1.1 503", "503"),
        ("exit status 1", "1"),
        ("status code: 429", "429"),
        ("Zebulon: not found", "other"),
        ("zebulon raised a TimeoutError", "other"),
        ("ZebulonErrors are these", "other"),
        ("status zebulon", "other"),
        ("HTTP 40404", "other"),
        ("", "other"),
        ("接続エラー: zebulon", "other"),
    ],
)
def test_of_an_error_its_class_or_status_is_told(error: str, sort: str) -> None:
    """Where it begins with one; all else is another sort."""
    (use,) = usage_of("ana", 7, 0, [replace(CALL, error=error)]).tools

    assert (use.failed, dict(use.errors)) == (1, {sort: 1})


@pytest.mark.parametrize(
    ("args", "program"),
    [
        ({"command": "git commit -m zebulon"}, "git"),
        ({"cmd": "/usr/local/bin/python3.12 zebulon.py"}, "python3.12"),
        ({"command": "C:\\tools\\rg.exe zebulon"}, "rg.exe"),
        ({"argv": ["make", "zebulon"]}, "make"),
        ({"command": "ZEBULON=1 make"}, ""),
        ({"command": "'zebulon' x"}, ""),
        ({"command": "ゼブロン x"}, ""),
        ({"command": "x" * 40}, ""),
        ({"command": ""}, ""),
        ({"command": 5}, ""),
        ({"command": []}, ""),
        ({"text": "git status"}, ""),
        (["command", "text"], ""),
    ],
)
def test_of_a_command_the_program_is_told(args: object, program: str) -> None:
    """Its name, without its folder and what it was run with; what is no plain name is none."""
    assert programs(args) == ([program] if program else [])


def test_only_of_shells_and_only_of_habits() -> None:
    """What another tool calls a command may be anything, and what was run once or twice is no
    habit.
    """
    assert programs({"command": "zebulon says hello"}, tool="speak") == []
    assert programs({"command": "git status"}, tool="Bash") == ["git"]
    calls = [replace(CALL, args='{"command": "git status"}')] * (HABIT - 1)
    assert usage_of("ana", 7, 0, calls).commands == {}


def test_arguments_that_were_cut_tell_nothing() -> None:
    """They are no JSON any more."""
    assert (
        usage_of("ana", 7, 0, [replace(CALL, args='{"command": "git comm')] * HABIT).commands == {}
    )


def test_so_many_of_each_sort_are_shown() -> None:
    """The most frequent; however many there are."""
    calls = [replace(CALL, tool=f"tool-{n}") for n in range(50) for _ in range(n + 1)]
    usage = usage_of("ana", 7, 0, calls)

    assert (len(usage.tools), usage.calls) == (SHOWN, len(calls))
    assert usage.tools[0].tool == "tool-49"


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_no_text_of_a_call_steps_out_of_the_data(tool: str, args: str, error: str) -> None:
    """What is shown is one line of JSON, with the counts and no more, whatever a tool is called."""
    calls = [replace(CALL, tool=tool, args=args, result=args, error=error)] * 3

    first, shown, *rest = material(usage_of("ana", 7, 0, calls)).split("\n")

    assert (first, rest) == ("The last 7 days, as data:", [])
    assert json.loads(shown)["calls"] == 3
