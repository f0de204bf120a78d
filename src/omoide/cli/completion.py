"""Values that are completed: for a shell categories, presets, settings, and ids of what changed
last; for a command the id of which somebody typed the begin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import typer
from typer import Argument

from omoide.cli.here import Here, Options
from omoide.nouns.errors import OmoideError
from omoide.nouns.item import Category

RECENT = 50  # items whose ids are offered


def categories(incomplete: str) -> list[str]:
    """The categories that begin like this."""
    return _beginning((category.value for category in Category), incomplete)


def presets(incomplete: str) -> list[str]:
    """The presets of recall that begin like this."""
    from omoide.read.presets import PRESETS

    return _beginning(PRESETS, incomplete)


def setting_names(incomplete: str) -> list[str]:
    """The settings that begin like this."""
    from omoide.settings.config import Config

    return _beginning((field.name for field in fields(Config)), incomplete)


def item_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The ids of items that changed last and begin like this, each with its text."""
    from omoide.tables.listing import Listing

    try:
        here = Here(context.obj or _options(context))
        with here.opened() as memory:
            found = memory.items.list(Listing(limit=RECENT), here.scope).items
    except OmoideError:  # there is no store yet; a shell shows no errors
        return []
    return [(item.id, item.text) for item in found if item.id.startswith(incomplete)]


def _options(context: typer.Context) -> Options:
    """The options before the command; the callback that reads them does not run for a shell."""
    given = context.find_root().params
    names = ("store", "user", "agent", "tenant")
    named = {name: given.get(name) for name in names}
    return Options(**named, shared=bool(given.get("shared")))


def record_id(about: str, *kinds: str) -> Any:
    """An argument that is the id of a record of these kinds: whole, or its begin where no other
    begins so.
    """

    def whole(context: typer.Context, value: str) -> str:
        from omoide.read.prefixes import may_begin, whole_id

        if context.resilient_parsing or not may_begin(value):
            return value
        here = Here(context.obj)
        with here.opened() as memory:
            return whole_id(memory.store, here.scope, kinds, value)

    ids = item_ids if "item" in kinds else None
    return Argument(help=about, autocompletion=ids, callback=whole)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
