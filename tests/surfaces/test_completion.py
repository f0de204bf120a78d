"""What the shell offers after a command and half a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from omoide import Memory
from omoide.cli import all_commands


def offered(*words: str) -> list[str]:
    """The values offered for the last of these words."""
    command: Any = all_commands()
    context = command.make_context("omoide", list(words[:-1]), resilient_parsing=True)
    while hasattr(command, "resolve_command") and (
        rest := [*getattr(context, "_protected_args", ()), *context.args]
    ):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context, resilient_parsing=True)
    return [
        getattr(one, "value", one)
        for parameter in command.get_params(context)
        for one in parameter.shell_complete(context, words[-1])
    ]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("remember", "x", "pref"), "preference"),
        (("recall", "x", "thor"), "thorough"),
        (("config", "embedder_t"), "embedder_timeout_s"),
    ],
)
def test_names_are_completed(words: tuple[str, ...], value: str) -> None:
    """Categories, presets and settings."""
    assert value in offered(*words)


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
