"""What the shell offers after a command and half a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from omoide import Memory
from omoide.cli import all_commands
from omoide.context.result import StrategyName
from omoide.tables.listing import SORTS


def asked_for(parameters: list[Any], before: str) -> list[Any]:
    """The option that the word before names, else all parameters."""
    return [one for one in parameters if before in one.opts] or parameters


def offered(*words: str) -> list[str]:
    """The values offered for the last of these words."""
    *typed, last = words
    option = typed.pop() if typed[-1].startswith("--") else ""  # which waits for its value
    command: Any = all_commands()
    context = command.make_context("omoide", typed, resilient_parsing=True)
    while hasattr(command, "resolve_command") and (
        rest := [*getattr(context, "_protected_args", ()), *context.args]
    ):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context, resilient_parsing=True)
    return [
        getattr(one, "value", one)
        for parameter in asked_for(command.get_params(context), option)
        for one in parameter.shell_complete(context, last)
    ]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("remember", "x", "pref"), "preference"),
        (("recall", "x", "thor"), "thorough"),
        (("config", "embedder_t"), "embedder_timeout_s"),
        (("config", "review", "un"), "untrusted"),
        (("config", "strict", "t"), "true"),
        (("config", "level", "proj"), "project"),
        (("list", "--sort", "conf"), "confidence"),
        (("context", "x", "--strategy", "fro"), "frozen"),
        (("recall", "x", "--type", "sem"), "semantic"),
        (("items", "feedback", "x", "harm"), "harmful"),
        (("admin", "erase", "tu"), "turns"),
    ],
)
def test_names_are_completed(words: tuple[str, ...], value: str) -> None:
    """Categories, presets, settings and their values, and other words that are listed in help."""
    assert value in offered(*words)


def test_words_of_options_are_those_that_verbs_take() -> None:
    """The command line lists them without loading what takes them."""
    assert offered("list", "--sort", "") == [*SORTS]
    assert offered("context", "x", "--strategy", "") == [*get_args(StrategyName)]


def test_ids_of_items_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the store and the user that the options before the command name; none where there is no
    store.
    """
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    store = str(tmp_path / "m.db")
    assert offered("--store", store, "--user", "ana", "get", "") == []
    with Memory.open(store, user="ana", embedder="none", background=False) as memory:
        item = memory.remember("Ana likes tea")

    assert item.id in offered("--store", store, "--user", "ana", "get", item.id[:4])


def test_names_of_what_is_stored_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions, entities and saved searches, as ids are."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    store = str(tmp_path / "m.db")
    with Memory.open(store, user="ana", embedder="none", background=False) as memory:
        memory.at(session="chat-1").ingest([{"role": "user", "content": "I like tea"}])
        memory.remember("Ana likes tea", entities=["person:ana"])
        memory.searches.save("birthdays", "When are birthdays?")

    def seen(*words: str) -> list[str]:
        return offered("--store", store, "--user", "ana", *words)

    assert seen("sessions", "turns", "ch") == ["chat-1"]
    assert seen("entities", "merge", "per") == ["person:ana"] * 2
    assert seen("list", "--entity", "person") == ["person:ana"]
    assert seen("searches", "run", "b") == ["birthdays"]
