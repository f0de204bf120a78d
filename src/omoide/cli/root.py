"""The first help screen: the ten everyday commands, then the rest, on one screen of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperGroup

WIDTH = 80
UNCUT = 1_000  # columns: longer than any sentence of a help
OPTIONS = (
    ("--store PATH", "File of the store, or postgresql://…"),
    ("-u, --user NAME", "The user; omoide config user NAME sets the default"),
    ("--agent NAME", "The agent"),
    ("--session NAME", "The session"),
    ("--shared", "Memory of everybody, not of one user"),
)
FIRST = "remember recall import list get correct forget review due doctor".split()
GROUPS = (
    "items sessions entities users procedures reflections searches tool-calls jobs admin".split()
)


class Group(TyperGroup):
    """A group of commands, whose help stands on standard output where no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help where there is nothing to parse; to call it so is still wrong."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what each command does: a sentence over as many lines as it needs, never cut."""
        rows = [
            (name, command.get_short_help_str(UNCUT))
            for name, command in self.commands.items()
            if not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


class Root(Group):
    """The group of all commands, whose help is one screen."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the first screen."""
        formatter.write(first_screen(self.commands))


def first_screen(commands: Mapping[str, Any]) -> str:
    """The text of ``omoide --help``."""
    others = [
        name
        for name, command in commands.items()
        if name not in (*FIRST, *GROUPS) and not command.hidden
    ]
    return "\n".join(
        (
            "Usage: omoide [OPTIONS] COMMAND [ARGS]...",
            "",
            "Long-term memory for LLM agents.",
            "",
            *_section("Everyday", _told(commands, FIRST)),
            *_section("Groups, each with commands of its own", _told(commands, GROUPS)),
            "More: " + textwrap.fill(", ".join(others), WIDTH - 6, subsequent_indent="      "),
            "",
            *_section("Options, before the command", OPTIONS),
            "omoide COMMAND --help shows what a command takes, with an example.",
            "",
        )
    )


def _told(commands: Mapping[str, Any], names: list[str]) -> list[tuple[str, str]]:
    return [(name, commands[name].get_short_help_str(WIDTH - 18)) for name in names]


def _section(title: str, rows: Any) -> list[str]:
    return [f"{title}:", *(f"  {name:<15} {told}" for name, told in rows), ""]
