"""What every command needs: the options that come before it, an open memory, and the two ways to
print.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from omoide.cli.plain import plain, printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID
    from rich.text import Text

    from omoide.memory import Memory
    from omoide.nouns.errors import NotFound
    from omoide.nouns.scope import Scope
    from omoide.settings.config import Config

_Found = TypeVar("_Found", bound=Sized)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
SHOWN_BY = {
    "item": "omoide list shows items with their ids",
    "turn": "omoide sessions turns shows turns with their ids",
    "item or turn": "omoide recall and omoide list show ids",
    "session": "omoide sessions list shows which there are",
    "entity": "omoide entities list shows which there are",
    "alias": "omoide entities list shows which there are",
    "procedure": "omoide procedures list --all shows which there are",
    "job": "omoide jobs list shows which there are",
    "failed job": "omoide jobs list --dead shows which there are",
    "proposal": "omoide review shows which wait",
    "sender": "omoide users list shows which are linked",
    "sender of user": "omoide users list shows which are linked",
    "change, session or import": (
        "omoide history ID shows the changes of an item, omoide sessions list the sessions"
    ),
}  # where the ids of what was not found stand


# kinds of record whose ids may be given by how they begin
BEGUN_BY = frozenset({"item", "item or turn", "proposal", "procedure", "change, session or import"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The options before the command."""

    store: str | None = None
    user: str | None = None
    agent: str | None = None
    tenant: str | None = None
    session: str | None = None
    context: str | None = None
    shared: bool = False

    def __post_init__(self) -> None:
        from omoide.nouns.errors import InvalidScope

        for name in ("user", "agent", "tenant", "session"):
            if getattr(self, name) == "":
                raise InvalidScope(name, "must not be empty; leave the option out for the default")


def settings(context: typer.Context) -> Config:
    """The settings with the options put over them."""
    from omoide.settings.config import load_config

    given: Options = context.obj
    return load_config(
        store=given.store,
        user=given.user,
        agent=given.agent,
        tenant=given.tenant,
        context=given.context,
    )


@contextmanager
def opened(
    context: typer.Context,
    *,
    create: bool = False,
    whose: bool = False,
    background: bool = False,
) -> Iterator[Memory]:
    """A memory for one command, its store made where the command may. A person types: what is
    changed is changed by the user. From here on days are those of the user's zone.

    background: jobs run while the command does.
    whose: of a store that is made here, it is told whose memories are that are told while no user
    is named.

    Raises:
        InvalidInput: there is no store, and the command only makes sense with one; or no folder for
            it.
    """
    from omoide.learning.unavailable import LearningUnavailable
    from omoide.memory import Memory
    from omoide.nouns.change import Because
    from omoide.nouns.clock import use_zone
    from omoide.nouns.errors import NotFound
    from omoide.nouns.item import Tier

    config = dataclasses.replace(settings(context), background=background)
    new = _is_new(config, create=create)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LearningUnavailable)  # told by warn_of_models
        mine = Memory.open(config=config)
    with mine as memory:
        use_zone(memory.zone(scope_of(context)))
        try:
            yield memory.acting(Because(actor="cli", tier=Tier.USER))
        except NotFound as missing:
            _say_where(missing, context)
            raise
    if new and whose:
        note_login(context)


def _say_where(missing: NotFound, context: typer.Context) -> None:
    """Note in what was not found as whom it was looked for, and where its ids stand."""
    from omoide.read.prefixes import LEAST

    # senders are looked for in the whole tenant
    who = "" if missing.kind.startswith("sender") else hint(context)
    is_short = missing.kind in BEGUN_BY and len(missing.id) < LEAST
    short = f"type the whole id, or at least its first {LEAST} characters" if is_short else ""
    for note in filter(None, (who, short, SHOWN_BY.get(missing.kind))):
        missing.add_note(note)


def _is_new(config: Config, *, create: bool) -> bool:
    """Whether the store is a file that is yet to be made; its folder has to be there, but for that
    of memory.db, which is our own.
    """
    from omoide.nouns.errors import InvalidInput
    from omoide.store.address import check_address
    from omoide.store.sqlite.files import LOG

    check_address(config.store_url)
    path = config.store_url.removeprefix("sqlite:")
    # where only its log is left, opening says what to do
    if "://" in path or path == ":memory:" or any(Path(path + end).exists() for end in ("", LOG)):
        return False
    if not create:
        raise InvalidInput(
            path,
            "does not exist; omoide remember makes it, and --store before the command names"
            " another",
        )
    if config.store:
        has_folder(path)
    return True


def has_folder(store: str) -> None:
    """That a store can be made there: the folder of its file is there, if it is one.

    Raises:
        InvalidInput: it is not.
    """
    if "://" not in store:
        within_folder(Path(store.removeprefix("sqlite:")))


def note_login(context: typer.Context) -> None:
    """Say on standard error as whom the first memories are stored, where no user is named. Programs
    that read JSON know.
    """
    if not is_named(context) and not context.params.get("as_json"):
        said = f"stored as {login_name()}, your login name; another: omoide config user NAME"
        typer.secho(f"note: {said}", err=True, fg="yellow")


def is_named(context: typer.Context) -> bool:
    """Whether options or settings say whose memory it is."""
    return bool(context.obj.shared or settings(context).user or settings(context).agent)


def scope_of(context: typer.Context) -> Scope:
    """The scope that the options name; where nobody is named, of whoever is logged in."""
    given: Options = context.obj
    scope = dataclasses.replace(settings(context).scope, session=given.session)
    if given.shared:
        return dataclasses.replace(scope, user=None, shared=True)
    return scope if scope.user or scope.agent else scope.of_user(login_name())


def login_name() -> str | None:
    """The name under which the person is logged in on this machine; None where there is none."""
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError, ImportError):
        return None


def named_store(context: typer.Context) -> str:
    """The store's place, without a password that its address may hold."""
    from urllib.parse import urlsplit

    url = settings(context).store_url
    parts = urlsplit(url)
    if not parts.scheme.startswith("postgres"):
        return url
    netloc = parts.netloc.replace(f":{parts.password}@", ":…@") if parts.password else parts.netloc
    query = re.sub(r"(password=)[^&]*", r"\1…", parts.query)
    return parts._replace(netloc=netloc, query=query).geturl()


def hint(context: typer.Context) -> str:
    """As whom a command looks, where no user is named and nothing may be found for that."""
    if is_named(context):
        return ""
    another = "--user NAME before the command, or omoide config user NAME"
    return f"looked as {login_name()}; another: {another}"


def command_of(context: typer.Context, words: str, *, user: str | None = None) -> str:
    """A command to type, with the options that this one was given before it; user: of another
    user.
    """
    given: Options = context.obj
    named = {
        "--store": given.store,
        "--user": user or given.user,
        "--agent": given.agent,
        "--tenant": given.tenant,
    }
    options = [part for name, value in named.items() if value for part in (name, value)]
    shared = ["--shared"] if given.shared else []
    return f"{shlex.join(['omoide', *options, *shared])} {words}"


def warn_of_models(context: typer.Context) -> None:
    """On standard error, what keeps language models from being called: a setting names none that
    there is, or a price is not known.
    """
    from omoide.models.chat.asker import find_asker

    config = settings(context)
    asker = find_asker(config)
    for problem in asker.unavailable:
        typer.secho(f"note: {problem}", err=True, fg="yellow")
    if config.spend_limit and asker.unpriced:
        names = ", ".join(asker.unpriced)
        typer.secho(
            f"note: not called, as spend_limit is set and no price is known: {names}; see the"
            " setting prices",
            err=True,
            fg="yellow",
        )


def session_of(context: typer.Context, session: str | None) -> str:
    """The session that a command is about: the one named after it, else the one before it.

    Raises:
        InvalidInput: neither.
    """
    from omoide.nouns.errors import InvalidInput

    named: str | None = session or context.obj.session
    if not named:
        raise InvalidInput(
            "session", "name one by its id; omoide sessions list shows which there are"
        )
    return named


def there(path: Path | str) -> Path:
    """The path of something that a command is to read.

    Raises:
        InvalidInput: there is nothing.
    """
    from omoide.nouns.errors import InvalidInput

    if not Path(path).exists():
        raise InvalidInput(str(path), "does not exist")
    return Path(path)


def within_folder(path: Path) -> Path:
    """The path of something that a command is to write.

    Raises:
        InvalidInput: its folder is not there.
    """
    from omoide.nouns.errors import InvalidInput

    if not path.parent.is_dir():
        raise InvalidInput(
            str(path.parent), "does not exist; make that folder first, or name another place"
        )
    return path


def machine_zone() -> str | None:
    """The IANA name of this machine's time zone; None where it cannot be told."""
    from tzlocal import get_localzone_name

    try:
        return get_localzone_name()
    except (OSError, LookupError, ValueError):
        return None


def moment(
    text: str | None, field: str, *, end_of_day: bool = False, ahead: bool = False
) -> datetime | None:
    """A time given as ISO 8601, or in words, in the user's zone; a day as an end means the
    whole of that day.

    Raises:
        InvalidTime: it is neither; or words that have to name a time ahead name one that is over.
    """
    from omoide.nouns.clock import parse_time
    from omoide.nouns.errors import InvalidTime

    if not text:
        return None
    try:
        return parse_time(text, field=field, end_of_day=end_of_day)
    except InvalidTime as error:
        if (worded := _in_words(text)) is None:
            error.add_note("or in words, such as tomorrow or 'two weeks ago'")
            raise
        start, end = worded
        if ahead and end <= datetime.now(UTC):
            raise InvalidTime(
                field, f"{text!r} is read as {start:%Y-%m-%d}, which is over; name the day in full"
            ) from None
        return end if end_of_day else start


def _in_words(text: str) -> tuple[datetime, datetime] | None:
    """Start and end of the time that words name, if they name that and nothing else; what has no
    end or start names no moment.
    """
    from omoide.nouns.clock import user_zone
    from omoide.text.times import EARLIEST, LATEST, find_interval

    if re.match(r"\d{4}-", text):  # meant as ISO 8601
        return None
    found = find_interval(text, datetime.now(user_zone()))
    if found is None or found.text.strip() != text.strip():
        return None
    is_open = found.start <= EARLIEST or found.end >= LATEST
    return None if is_open else (found.start, found.end)


def print_json(value: Any) -> None:
    """A record, or several, as JSON on standard output."""
    sys.stdout.write(printable(json.dumps(plain(value), ensure_ascii=False, indent=2)) + "\n")


def tell(record: Any, line: str | Text, *, as_json: bool) -> None:
    """A record as JSON, or one line about it."""
    from omoide.cli.show import console

    print_json(record) if as_json else console.print(line)


def tell_all(
    found: _Found, show: Callable[[_Found], None], nothing: tuple[str, str], *, as_json: bool
) -> None:
    """What was found, as JSON or as shown; where that is nothing, what was looked for and what may
    be done next.
    """
    from omoide.cli import show as shown

    if as_json:
        print_json(found)
    elif found:
        show(found)
    else:
        shown.nothing(*nothing)


@contextmanager
def _bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """A progress bar on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console, off = Console(stderr=True), not sys.stderr.isatty()
    with Progress(*columns, console=console, transient=True, disable=off) as bar:
        yield bar


@contextmanager
def measured(what: str) -> Iterator[Callable[[int, int], None]]:
    """How far long work is whose end is known: told of more that is done, and of how much there
    is.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    with _bar(TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(what)
        yield lambda more, total: bar.update(task, advance=more, total=total)


@contextmanager
def progress(what: str) -> Iterator[Steps]:
    """A progress bar on standard error for long work, where that is a terminal."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    done = TextColumn("{task.completed}{task.fields[part]}")
    with _bar(TextColumn(what), BarColumn(), done, TimeElapsedColumn()) as bar:
        yield Steps(bar, bar.add_task(what, total=None, part=""))


class Steps:
    """Steps of a progress bar: a call adds to what is done."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self.bar, self.task = bar, task

    def __call__(self, done: int) -> None:
        """Add to what is done."""
        self.bar.advance(self.task, done)

    def share(self, share: float) -> None:
        """Say how much of all is done, from 0 to 1; shown in percent."""
        done = self.bar.tasks[0].completed
        total = done / share if share and done else None
        self.bar.update(self.task, total=total, part=f", {share:.0%}")


@contextmanager
def busy(what: str) -> Iterator[None]:
    """That long work goes on whose end cannot be told, and for how long by now; on standard error,
    where that is a terminal.
    """
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    with _bar(TextColumn(what), BarColumn(), TimeElapsedColumn()) as bar:
        bar.add_task(what, total=None)
        yield
