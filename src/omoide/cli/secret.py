"""The command that takes keys of models' providers: asked for without an echo, and kept for the
user alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.session import AsJson, settings, tell, tell_all

if TYPE_CHECKING:
    from omoide.settings.keys import KeptIn, Keys


def secret(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="Variable of a key, such as OPENAI_API_KEY; if not given, which are kept."
        ),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Keep it no longer.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a model provider's key: in the system's keyring, else in a file of yours alone. It is
    asked for, or read from a pipe.
    """
    from omoide.nouns.errors import NotFound
    from omoide.settings.keys import Keys, system_ring

    keys = Keys(settings(context).home, system_ring())
    if name is None:
        _list(keys, as_json=as_json)
    elif remove:
        try:
            keys.remove(name)
        except NotFound as missing:
            missing.add_note("omoide secret shows which are")
            raise
        tell({"name": name, "kept": None}, f"{name} is kept no longer", as_json=as_json)
    else:
        key = (
            typer.prompt(f"Key for {name}", hide_input=True, err=True)
            if sys.stdin.isatty()
            else sys.stdin.readline()
        )
        place = keys.set(name, key)
        tell(
            {"name": name, "kept": place.value},
            f"{name} is kept in the {place.value}",
            as_json=as_json,
        )


def _list(keys: Keys, *, as_json: bool) -> None:
    from omoide.cli import show

    names = keys.names()

    def rows(kept: Mapping[str, KeptIn]) -> None:
        show.table(
            ("name", "kept in"), [(show.safe(name), place.value) for name, place in kept.items()]
        )

    tell_all(
        names, rows, ("no keys are kept", "omoide secret OPENAI_API_KEY keeps one"), as_json=as_json
    )
