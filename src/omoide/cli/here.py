"""What a command has at hand: the options before it, an open memory, and the one way to print."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from rich.text import Text

from omoide.cli import show
from omoide.cli.given import has_folder
from omoide.nouns.change import Because
from omoide.nouns.clock import use_zone
from omoide.nouns.errors import InvalidInput, InvalidScope, NotFound
from omoide.nouns.item import Tier
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.plain import plain
from omoide.nouns.scope import Scope

if TYPE_CHECKING:
    from omoide.memory import Memory
    from omoide.settings.config import Config

Told = TypeVar("Told")
# where the ids of what was not found stand
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
    "saved search": "omoide searches list shows which there are",
    "user": "omoide users list shows which there are",
    "sender": "omoide users senders shows which are linked",
    "sender of user": "omoide users senders shows which are linked",
    "change, session or import": (
        "omoide history ID shows the changes of an item, omoide sessions list the sessions"
    ),
}
# kinds of record whose ids may be given by how they begin
BEGUN_BY = frozenset({"item", "item or turn", "proposal", "procedure", "change, session or import"})


@frozen_record
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
        for name in ("store", "user", "agent", "tenant", "session"):
            if getattr(self, name) == "":
                raise InvalidScope(name, "must not be empty; leave the option out for the default")


@dataclass(frozen=True, slots=True)
class Here:
    """Where a command acts, and how it tells what came of it: as JSON or in words."""

    given: Options
    as_json: bool = False

    @property
    def settings(self) -> Config:
        """The settings with the options put over them."""
        from omoide.settings.config import load_config

        given = self.given
        return load_config(
            store=given.store,
            user=given.user,
            agent=given.agent,
            tenant=given.tenant,
            context=given.context,
        )

    @property
    def is_named(self) -> bool:
        """Whether options or settings say whose memory it is."""
        return bool(self.given.shared or self.settings.user or self.settings.agent)

    @property
    def scope(self) -> Scope:
        """The scope that the options name; where nobody is named, of whoever is logged in."""
        scope = dataclasses.replace(self.settings.scope, session=self.given.session)
        if self.given.shared:
            return dataclasses.replace(scope, user=None, shared=True)
        return scope if scope.user or scope.agent else scope.of_user(login_name())

    @property
    def hint(self) -> str:
        """As whom a command looks, where no user is named and nothing may be found for that."""
        return f"this is the memory of {login_name()}; {self.another}" if self.another else ""

    @property
    def another(self) -> str:
        """How to name another user, where none is named."""
        how = "to name another user: --user NAME before the command, or omoide config user NAME"
        return "" if self.is_named else how

    @property
    def store(self) -> str:
        """The store's place, without a password that its address may hold."""
        from urllib.parse import urlsplit

        url = self.settings.store_url
        parts = urlsplit(url)
        if not parts.scheme.startswith("postgres"):
            return url
        secret = f":{parts.password}@"
        netloc = parts.netloc.replace(secret, ":…@") if parts.password else parts.netloc
        query = re.sub(r"(password=)[^&]*", r"\1…", parts.query)
        return parts._replace(netloc=netloc, query=query).geturl()

    @contextmanager
    def opened(
        self, *, create: bool = False, whose: bool = False, background: bool = False
    ) -> Iterator[Memory]:
        """A memory for one command, its store made where the command may. A person types: what is
        changed is changed by the user. From here on days are those of the user's zone.

        background: jobs run while the command does.
        whose: of a store that is made here, it is told whose memories are that are told while no
        user is named.

        Raises:
            InvalidInput: there is no store, and the command only makes sense with one; or no folder
                for it.
        """
        from omoide.learning.unavailable import LearningUnavailable
        from omoide.memory import Memory
        from omoide.telemetry.damage import damage_noted

        config = dataclasses.replace(self.settings, background=background)
        new = _is_new(config, create=create)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LearningUnavailable)  # told by warn_of_models
            mine = Memory.open(config=config)
        with mine as memory, damage_noted() as damage:
            use_zone(memory.zone(self.scope))
            try:
                yield memory.acting(Because(actor="cli", tier=Tier.USER))
            except NotFound as missing:
                self._say_where(missing)
                raise
        for left_out in damage:  # that no result has a place for
            note(left_out)
        if new and whose:
            self.note_login()

    def _say_where(self, missing: NotFound) -> None:
        """Note in what was not found as whom it was looked for, and where its ids stand."""
        from omoide.read.prefixes import LEAST

        # senders are looked for in the whole tenant
        who = "" if missing.kind.startswith("sender") else self.hint
        is_short = missing.kind in BEGUN_BY and len(missing.id) < LEAST
        short = f"type the whole id, or at least its first {LEAST} characters" if is_short else ""
        for note in filter(None, (who, short, SHOWN_BY.get(missing.kind))):
            missing.add_note(note)

    def session(self, named: str | None) -> str:
        """The session that a command is about: the one named after it, else the one before it.

        Raises:
            InvalidInput: neither.
        """
        session = named or self.given.session
        if not session:
            raise InvalidInput(
                "session", "name one by its id; omoide sessions list shows which there are"
            )
        return session

    def command(self, words: str, *, user: str | None = None) -> str:
        """A command to type, with the options that this one was given before it; user: of another
        user.
        """
        given = self.given
        named = {
            "--store": given.store,
            "--user": user or given.user,
            "--agent": given.agent,
            "--tenant": given.tenant,
        }
        options = [part for name, value in named.items() if value for part in (name, value)]
        shared = ["--shared"] if given.shared else []
        return f"{shlex.join(['omoide', *options, *shared])} {words}"

    def tell(
        self,
        told: Told,
        shown: str | Text | Callable[[Told], object],
        nothing: tuple[str, str] | None = None,
    ) -> None:
        """A record, or several, as JSON; else in a line, or as a function shows it. Where several
        are none, what was looked for and what may be done next.
        """
        if self.as_json:
            print_json(told)
        elif nothing is not None and not told:
            show.nothing(*nothing)
        elif callable(shown):
            shown(told)
        else:
            show.console.print(shown)

    def note_login(self) -> None:
        """Say on standard error as whom the first memories are stored, where no user is named.
        Programs that read JSON know.
        """
        if not self.is_named and not self.as_json:
            note(f"stored as {login_name()}, your login name; another: omoide config user NAME")

    def warn_of_models(self) -> None:
        """On standard error, what keeps language models from being called: a setting names none
        that there is, or a price is not known.
        """
        from omoide.models.chat.asker import find_asker

        config = self.settings
        asker = find_asker(config)
        for problem in asker.unavailable:
            note(str(problem))
        if config.spend_limit and asker.unpriced:
            names = ", ".join(asker.unpriced)
            why = "not called, as spend_limit is set and no price is known"
            note(f"{why}: {names}; see the setting prices")


def note(what: str) -> None:
    """A line on standard error that a person should read."""
    typer.secho(f"note: {show.safe(what)}", err=True, fg="yellow")


def print_json(value: Any) -> None:
    """A record, or several, as JSON on standard output."""
    told = json.dumps(plain(value), ensure_ascii=False, indent=2)
    sys.stdout.write(show.printable(told) + "\n")


def login_name() -> str | None:
    """The name under which the person is logged in on this machine; None where there is none."""
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError, ImportError):
        return None


def _is_new(config: Config, *, create: bool) -> bool:
    """Whether the store is a file that is yet to be made; its folder has to be there, but for that
    of memory.db, which is our own.
    """
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
