"""The signatures of commands as typer reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer import Option

from omoide.cli.here import Here

AsJson = Annotated[bool, Option("--json", help="Print JSON.")]
_CONTEXT = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
_AS_JSON = Parameter("as_json", Parameter.KEYWORD_ONLY, default=False, annotation=AsJson)


def with_options(command: Callable[..., Any], *, json: bool) -> Callable[..., Any]:
    """A command whose parameter ``here`` is made of the options before it; with json, it also has
    the option --json.
    """

    @wraps(command)
    def run(context: typer.Context, *, as_json: bool = False, **given: Any) -> None:
        command(Here(context.obj, as_json), **given)

    own = parameters_of(command)[1:]
    return signed(run, [_CONTEXT, *own, *([_AS_JSON] if json else [])])


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """A function's parameters, their types read."""
    hints = get_type_hints(function, include_extras=True)
    return [
        one.replace(annotation=hints[one.name]) for one in signature(function).parameters.values()
    ]


def signed(run: Callable[..., Any], parameters: Sequence[Parameter]) -> Callable[..., Any]:
    """A function that has these parameters for whoever reads its signature; it is called by their
    names.
    """
    named = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters]
    run.__annotations__ = {one.name: one.annotation for one in named}
    run.__dict__["__signature__"] = signature(run).replace(parameters=named)
    del run.__dict__["__wrapped__"]
    return run
