"""The command line: one command per verb. Heavy parts are imported inside commands, so that help is
quick.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import typer
from typer.main import get_command

from omoide.cli.commands import register
from omoide.cli.here import Here, Options
from omoide.cli.options import (
    Agent,
    InContext,
    InSession,
    Shared,
    Store,
    Tenant,
    User,
    Version,
)
from omoide.cli.root import Root
from omoide.cli.slips import said_of
from omoide.nouns.clock import in_zone, use_zone, zone_named
from omoide.nouns.errors import InvalidInput, OmoideError, UnknownName, shortened

STOPPED = 130
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")

app = typer.Typer(
    name="omoide",
    cls=Root,
    help="Long-term memory for LLM agents: what was said, what is known, and where it came from.",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
register(app)


@app.callback()
def options(
    context: typer.Context,
    store: Store = None,
    user: User = None,
    agent: Agent = None,
    tenant: Tenant = None,
    session: InSession = None,
    in_context: InContext = None,
    shared: Shared = False,
    version: Version = False,
) -> None:
    """Where every command acts."""
    context.obj = Options(
        store=store,
        user=user,
        agent=agent,
        tenant=tenant,
        session=session,
        context=in_context,
        shared=shared,
    )
    with suppress(OmoideError):  # the command that needs the settings says what is wrong with them
        use_zone(zone_named(Here(context.obj).settings.zone))


def main(arguments: list[str] | None = None) -> None:
    """Run a command; leave with its exit code. A person sees a message, never a traceback."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal of another encoding is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(arguments))


def _replace_closed_streams() -> None:
    """Read nothing, and print nowhere, where the caller closed a stream: ``omoide list >&-``."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def run(arguments: list[str] | None = None) -> int:
    """Run a command; its exit code: 0, or the one of the error's class."""
    try:
        with _logging(os.environ.get("OMOIDE_LOG", "")), in_zone(None):
            code: Any = all_commands()(args=arguments, standalone_mode=False)
        if code == STOPPED:  # Ctrl-C, which is already made a code of
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except OmoideError as error:
        _complain("; ".join((str(error), *getattr(error, "__notes__", ()))))
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        typer.secho("omoide: stopped", err=True)
        return STOPPED
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output left; there is nobody to tell
        return 0
    except OSError as error:
        return _refused(error)
    except Exception as error:  # noqa: BLE001 - the edge: whatever it is, a person gets one line
        return _unexpected(error)


def _complain(what: str) -> None:
    typer.secho(f"omoide: {what}", err=True, fg="red")


def _refused(error: OSError) -> int:
    """One line for what the system refuses; a file that was named and cannot be used is a wrong
    call.
    """
    where = shortened(str(error.filename or "the system"))
    denied = isinstance(error, PermissionError)
    advice = "; check its permissions, or name another" if denied else ""
    _complain(f"{where}: {error.strerror or error}{advice}")
    return InvalidInput.exit_code if error.filename else 1


@cache
def all_commands() -> Any:
    """All commands. Reading their signatures takes 60 ms, so a process does it once."""
    return get_command(app)


@contextmanager
def _logging(level: str) -> Iterator[None]:
    """Show the log on standard error while a command runs, if asked to; with it, where an
    unexpected error came from.
    """
    if not level:
        yield
        return
    from omoide.telemetry.logs import get_logger, show_logs

    if level.upper() not in LEVELS:
        raise UnknownName("OMOIDE_LOG", level, LEVELS)
    handler = show_logs(level.upper())
    try:
        yield
    except Exception:
        get_logger(__name__).debug("command failed", traceback=True)
        raise
    finally:
        logging.getLogger("omoide").removeHandler(handler)


def _unexpected(error: Exception) -> int:
    """One line for errors that are not ours: wrong usage, or a fault."""
    if hasattr(error, "format_message"):
        if said := said_of(error):
            _complain(shortened(said))
        return int(getattr(error, "exit_code", 2))
    _complain(f"an unexpected {type(error).__name__}; run with OMOIDE_LOG=debug to see more")
    return 1
