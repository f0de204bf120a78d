"""Values that are completed: for a shell categories, presets, settings, and ids of what changed
last; for a command the id of which somebody typed the begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument

from omoide.cli.here import Here, Options
from omoide.nouns.errors import OmoideError
from omoide.nouns.item import Category
from omoide.nouns.record.lines import one_line, one_of

if TYPE_CHECKING:
    from omoide.memory import Memory
    from omoide.nouns.scope import Scope

RECENT = 50  # sessions that are offered
LINE = 60  # characters of what is shown beside a name


def categories(incomplete: str) -> list[str]:
    """The categories that begin like this."""
    return _beginning((category.value for category in Category), incomplete)


def presets(incomplete: str) -> list[str]:
    """The presets of recall that begin like this."""
    from omoide.read.presets import PRESETS

    return _beginning(PRESETS, incomplete)


def words(*names: str) -> Callable[[str], list[str]]:
    """What offers those of these words that begin like this."""

    def offer(incomplete: str) -> list[str]:
        return _beginning(names, incomplete)

    return offer


def choice(kind: Callable[..., Any], *names: str) -> Any:
    """An option, or an argument, that is one of these words; its help lists them."""
    return kind(help=one_of(names), autocompletion=words(*names))


def setting_values(context: typer.Context, incomplete: str) -> list[str]:
    """The values that the setting named before may have, if they can be listed."""
    from omoide.settings.config import values_of

    return _beginning(values_of(context.params.get("name") or ""), incomplete)


def setting_names(incomplete: str) -> list[str]:
    """The settings that begin like this."""
    from omoide.settings.config import Config

    return _beginning((field.name for field in fields(Config)), incomplete)


def stored(
    find: Callable[[Memory, Scope], Iterable[tuple[str, str]]],
) -> Callable[[typer.Context, str], list[tuple[str, str]]]:
    """What offers the names that are found in the store and begin like this, each with a line about
    it.
    """

    def offer(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        try:
            here = Here(context.obj or _options(context))
            with here.opened() as memory:
                found = list(find(memory, here.scope))
        except OmoideError:  # there is no store yet; a shell shows no errors
            return []
        return [(name, one_line(told, LINE)) for name, told in found if name.startswith(incomplete)]

    return offer


# of items those that changed last, of sessions those that were last talked in
item_ids = stored(
    lambda memory, scope: ((one.id, one.text) for one in memory.items.list(None, scope))
)
session_names = stored(
    lambda memory, scope: (
        (one.session.name, one.session.title or one.preview)
        for one in memory.sessions.list(scope, limit=RECENT)
    )
)
entity_names = stored(
    lambda memory, scope: (
        (one.name, ", ".join(one.aliases)) for one in memory.entities.list(scope)
    )
)
search_names = stored(
    lambda memory, scope: ((one.name, one.question) for one in memory.searches.list(scope))
)
procedure_ids = stored(
    lambda memory, scope: (
        (one.id, one.name) for one in memory.procedures.list(scope, all_of_them=True)
    )
)
OFFERED = {"item": item_ids, "procedure": procedure_ids}


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

    ids = next((OFFERED[kind] for kind in kinds if kind in OFFERED), None)
    return Argument(help=about, autocompletion=ids, callback=whole)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
