"""Commands that look at what is uncertain and settle it: cascade."""

from __future__ import annotations

from typing import Annotated

import typer

from omoide.cli.session import AsJson, opened, print_json, scope_of

PANEL = "Review it"  # where help lists these commands


def register(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (cascade,):
        app.command(rich_help_panel=PANEL)(command)


def cascade(context: typer.Context, id: Annotated[str, typer.Argument(help="Id of the item.")], as_json: AsJson = False) -> None:
    """Show which items would be in doubt if one were corrected or taken back; nothing is changed."""
    from omoide.cli import show

    with opened(context) as memory:
        falling = memory.cascade(id, scope_of(context))
        print_json(falling) if as_json else show.items(falling, "nothing rests on it")
