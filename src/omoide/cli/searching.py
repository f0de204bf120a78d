"""Commands of saved searches: list, save, run, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.options import Categories
from omoide.cli.session import AsJson, opened, print_json, scope_of, tell, tell_all

if TYPE_CHECKING:
    from omoide.faculties.searches.saved_search import SavedSearch

Name = Annotated[str, typer.Argument(help="The name of the search.")]


def list_searches(context: typer.Context, as_json: AsJson = False) -> None:
    """List saved searches, by name."""
    with opened(context) as memory:
        found = memory.searches.list(scope_of(context))
    none = ("no search is saved", "omoide searches save NAME QUESTION saves one")
    tell_all(found, _show, none, as_json=as_json)


def save(
    context: typer.Context,
    name: Name,
    question: Annotated[str, typer.Argument(help="What to ask.")],
    category: Categories = None,
    as_json: AsJson = False,
) -> None:
    """Save a question under a name, to be asked again."""
    from omoide.cli.show import safe
    from omoide.faculties.searches.saved_search import SearchFilters
    from omoide.nouns.item import Category
    from omoide.write.checks import check_one_of

    only = tuple(check_one_of(Category, one, "category") for one in category or ())
    filters = SearchFilters(categories=only)
    with opened(context, create=True) as memory:
        saved = memory.searches.save(name, question, scope_of(context), filters=filters)
    tell(saved, safe(f"saved {saved.name}: {saved.question}"), as_json=as_json)


def run(
    context: typer.Context,
    name: Name,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many hits at most.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Run a saved search."""
    from omoide.cli import show

    with opened(context) as memory:
        found = memory.searches.run(name, scope_of(context), limit=limit)
    print_json(found) if as_json else show.console.print(show.safe(str(found), 100_000))


def delete(context: typer.Context, name: Name) -> None:
    """Delete a saved search."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        memory.searches.delete(name, scope_of(context))
    console.print(safe(f"deleted {name}"))


def _show(found: Sequence[SavedSearch]) -> None:
    from omoide.cli.show import safe, table

    table(("name", "question"), [(safe(one.name), safe(one.question)) for one in found])
