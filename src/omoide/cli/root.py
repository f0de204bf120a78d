"""The first help screen: the ten everyday commands, then the rest, on one screen of 80 columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

WIDTH = 80
UNCUT = 1_000  # columns: longer than any sentence of a help
KINDS = {"str": "text", "int": "number", "float": "number", "path": "path"}
KIND = re.compile(r"<(?:list\[)?(str|int|float|path)\]?(?: range)?>")
RANGE = re.compile(r"(\d+)<=x<=(\d+)")
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


class InWords:
    """What lays out a help page, with kinds of values in a person's words: ``<text>``."""

    def __init__(self, formatter: Any) -> None:
        self._formatter = formatter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._formatter, name)

    def write_dl(self, rows: Sequence[tuple[str, str]], *how: Any, **more: Any) -> None:
        """Write options, or commands, with what each is for."""
        told = [(KIND.sub(_kind, head), RANGE.sub(r"\1 to \2", told)) for head, told in rows]
        self._formatter.write_dl(told, *how, **more)


def _kind(found: re.Match[str]) -> str:
    return f"<{KINDS[found[1]]}>"


class OneCommand(TyperCommand):
    """A command, whose help speaks of texts and numbers."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what it takes."""
        told: Any = InWords(formatter)
        super().format_options(ctx, told)


class Group(TyperGroup):
    """A group of commands, whose help stands on standard output where no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help where there is nothing to parse; to call it so is still wrong."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write what it takes, and its commands."""
        told: Any = InWords(formatter)
        super().format_options(ctx, told)

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
