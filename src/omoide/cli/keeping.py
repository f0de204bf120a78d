"""Commands that keep the store: forget, backup, restore, salvage, doctor, verify, scan, tidy,
migrate, rekey, config.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.completion import categories, record_id, setting_names
from omoide.cli.session import (
    AsJson,
    busy,
    command_of,
    has_folder,
    named_store,
    opened,
    print_json,
    scope_of,
    settings,
    tell,
    tell_all,
    there,
    warn_of_models,
    within_folder,
)

if TYPE_CHECKING:
    from omoide.memory import Memory
    from omoide.nouns.receipt import Cut, Receipt
    from omoide.nouns.scope import Scope
    from omoide.upkeep.scan import Leak

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Compact = Annotated[
    bool,
    typer.Option("--compact", help="On Postgres: also rewrite the tables, each locked meanwhile."),
]
CUTS = 10  # sessions that are named before forgetting


def forget(
    context: typer.Context,
    id: Annotated[
        str,
        record_id("An item, with all its versions, a turn or a proposal.", "item", "proposal"),
    ],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase an item or turn for good, and prove it."""
    with opened(context) as memory:
        erase(
            memory,
            partial(memory.forget, id),
            scope_of(context),
            id,
            compact=compact,
            yes=yes,
            as_json=as_json,
        )


def forget_items(
    context: typer.Context,
    origin: Annotated[
        str | None,
        typer.Option(help="All that a document or import brought, and what it did to the rest."),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Your own items of a source, such as import or discovery.")
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(
            "-c", "--category", help="Your own items of a category.", autocompletion=categories
        ),
    ] = None,
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase all that an origin brought, or your own items of a source or category."""
    given = {"origin": origin, "source": source, "category": category}
    named = next((f"{name} {value}" for name, value in given.items() if value is not None), "items")
    with opened(context) as memory:
        call = partial(memory.items.forget, origin=origin, source=source, category=category)
        erase(memory, call, scope_of(context), named, compact=compact, yes=yes, as_json=as_json)


def forget_session(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="Its name, as omoide sessions list shows it.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase a session: its turns, and all that only they support."""
    with opened(context) as memory:
        call = partial(memory.sessions.forget, session)
        erase(
            memory,
            call,
            scope_of(context),
            f"session {session}",
            compact=compact,
            yes=yes,
            as_json=as_json,
        )


def forget_entity(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Any of its names, such as person:ana.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase an entity with every item about it."""
    with opened(context) as memory:
        call = partial(memory.entities.forget, entity)
        erase(
            memory,
            call,
            scope_of(context),
            f"entity {entity}",
            compact=compact,
            yes=yes,
            as_json=as_json,
        )


def forget_user(
    context: typer.Context,
    user: Annotated[str, typer.Argument(help="The user's name.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase all that is held about a user."""
    with opened(context) as memory:
        call = partial(memory.users.forget, user)
        named = f"everything of {user}"
        erase(memory, call, scope_of(context), named, compact=compact, yes=yes, as_json=as_json)


def erase_all(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="items, turns or all.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase all of your own items or turns, or all."""
    with opened(context) as memory:
        call = partial(memory.admin.erase, what)
        erase(
            memory,
            call,
            scope_of(context),
            f"own {what}",
            compact=compact,
            yes=yes,
            as_json=as_json,
        )


def erase(
    memory: Memory,
    forget: Callable[..., Receipt],
    scope: Scope,
    named: str,
    *,
    compact: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Show what would go and ask, unless told not to; then erase it and print the receipt.

    Raises:
        Abort: the answer is no.
    """
    from omoide.cli import show
    from omoide.forgetting.proof import compacted

    if not yes:
        _ask(memory, scope, forget(scope=scope, preview=True), named)
    proof = forget(scope=scope)
    proof = compacted(memory.store, proof) if compact else proof
    print_json(proof) if as_json else show.receipt(proof)


def _ask(memory: Memory, scope: Scope, going: Receipt, named: str) -> None:
    """Show on standard error what forgetting would erase, and ask.

    Raises:
        Abort: no.
        InvalidInput: the input ended without an answer.
    """
    from omoide.cli import show
    from omoide.nouns.errors import InvalidInput, NotFound
    from omoide.nouns.item import Item

    with suppress(NotFound):  # what is named may be no record, but a session or a proposal
        record = memory.get(named, scope)
        show.errors.print(show.safe(record.text, 400))
        kind = record.category.value if isinstance(record, Item) else f"turn of {record.speaker}"
        named = f"{kind} {record.id}"
    for cut in going.sessions[:CUTS]:
        show.errors.print(show.safe(f"  {_told(cut)}"))
    if len(going.sessions) > CUTS:
        show.errors.print(f"  and {show.counted(len(going.sessions) - CUTS, 'session')} more")
    show.errors.print(
        show.safe(f"{named}: {show.in_words(going.erased)} would be erased, for good")
    )
    typer.echo("Erase it? [y/N] ", err=True, nl=False)
    said = sys.stdin.readline()
    if not said:
        typer.echo(err=True)
        raise InvalidInput("forget", "nobody answered, so nothing was erased; --yes does not ask")
    if said.strip().lower() not in ("y", "yes"):
        raise typer.Abort


def _told(cut: Cut) -> str:
    """A session by its title and id, and what would become of it."""
    from omoide.cli.show import counted

    session = (
        f"{cut.session.title} ({cut.session.name})"
        if cut.session.title
        else f"session {cut.session.name}"
    )
    stays = "all of it" if cut.whole else f"{counted(cut.left, 'turn')} would stay"
    return f"{session}: {counted(cut.turns, 'turn')}, {stays}"


def backup(
    context: typer.Context, target: Annotated[Path, typer.Argument(help="The new file.")]
) -> None:
    """Copy the store while it is used, and prove the copy."""
    from omoide.cli.show import console, counted

    with opened(context) as memory:
        with busy("backing up"):
            problems = memory.admin.backup(within_folder(target))
        console.print(
            f"backed up to {target}, "
            + (f"{counted(len(problems), 'problem')}: run omoide doctor" if problems else "checked")
        )


def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="A backup.")],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Put it in the place of a store; the old one stays beside it."
        ),
    ] = False,
) -> None:
    """Make the store from a backup, checked before and after."""
    from omoide.cli.show import console
    from omoide.nouns.errors import Conflict
    from omoide.store import file_of
    from omoide.store.sqlite.backup import restore as put_back

    place, source = settings(context), there(source)
    file = file_of(place.store_url)
    if place.store:
        has_folder(place.store)
    if Path(file).is_file() and not replace:
        raise Conflict(
            f"{file} exists; restore --replace puts the backup in its place, and the old store"
            " stays beside it"
        )
    put_back(source, file, passphrase=place.passphrase or None, replace=replace)
    console.print(f"restored {file} from {source}")


def salvage(
    context: typer.Context, target: Annotated[Path, typer.Argument(help="The new store.")]
) -> None:
    """Make a new store of all that is whole in a damaged one, which is only read."""
    from dataclasses import replace

    from omoide.cli.show import console
    from omoide.memory import Memory
    from omoide.store import file_of
    from omoide.store.sqlite.salvage import salvage as save

    place = settings(context)
    saved = save(
        there(file_of(place.store_url)), within_folder(target), passphrase=place.passphrase or None
    )
    with Memory.open(
        config=replace(place, store=str(target), background=False, llm="none")
    ) as memory:
        memory.admin.doctor(repair=True)
        memory.admin.tidy(only=["vectors"])
    rows = ", ".join(f"{table} {count}" for table, count in saved.items() if count)
    console.print(f"saved {sum(saved.values())} rows to {target}: {rows or 'nothing is whole'}")


def doctor(
    context: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend the search index from the records.")
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Make every vector again to compare.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with the store, and mend it."""
    from omoide.cli import show

    with opened(context) as memory:
        with busy("examining"):
            findings = memory.admin.doctor(repair=repair, deep=deep)
            if repair:
                memory.admin.tidy(only=["vectors"])
        if as_json:
            print_json(findings)
        elif findings:
            rows = ((f.place, show.safe(f.problem), "mended" if f.mended else "") for f in findings)
            show.table(("where", "what", ""), rows)
        else:
            show.console.print("all is well")
        if any(not f.mended for f in findings):
            raise typer.Exit(1)


def verify(
    context: typer.Context,
    head: Annotated[
        str | None,
        typer.Option(help="An earlier end of the ledger, as this command prints it: SEQ:HASH."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that the ledger is whole and the records are as it left them."""
    from omoide.cli import show
    from omoide.nouns.errors import InvalidInput
    from omoide.tables.ledger import Head

    known = None
    if head is not None:
        seq, mark, digest = head.partition(":")
        if not mark or not seq.isdecimal():
            raise InvalidInput("head", f"{head!r} is not SEQ:HASH")
        known = Head(tenant=settings(context).tenant, seq=int(seq), hash=digest)
    with opened(context) as memory:
        with busy("verifying"):
            verdict = memory.admin.verify(known, scope_of(context))
        if as_json:
            print_json(verdict)
        else:
            for problem in verdict.problems:
                show.console.print(show.safe(problem))
            state = "not whole" if verdict.problems else "whole"
            show.console.print(
                f"the ledger is {state}, ends at {verdict.head.seq}:{verdict.head.hash}"
            )
        if verdict.problems:
            raise typer.Exit(1)


def scan(
    context: typer.Context,
    mask: Annotated[bool, typer.Option("--mask", help="Mask what is found, for good.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find passwords, keys and tokens in records stored before they were masked at the door."""
    with opened(context) as memory:
        with busy("scanning"):
            leaks = memory.admin.scan(scope_of(context), mask=mask)
            memory.admin.tidy(only=["vectors"])
        tell_all(leaks, _show_leaks, ("no passwords, keys or tokens found", ""), as_json=as_json)


def _show_leaks(leaks: Sequence[Leak]) -> None:
    from omoide.cli import show

    rows = [
        (
            leak.id,
            ", ".join(f"{count} {kind}" for kind, count in leak.secrets),
            "masked" if leak.masked else "",
        )
        for leak in leaks
    ]
    show.table(("record", "secrets", ""), rows)
    if not all(leak.masked for leak in leaks):
        show.console.print("omoide admin scan --mask masks them for good", style="dim")


def tidy(
    context: typer.Context,
    only: Annotated[
        str | None,
        typer.Option(
            help=(
                "Only these, with commas: vectors, decay, reconcile, distil, condense, recipes,"
                " prune."
            )
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Do a round of upkeep: missing vectors, decay, reconciling, distilling, condensing,
    pruning.
    """
    from omoide.cli import show

    with opened(context) as memory, busy("tidying"):
        done = memory.admin.tidy(
            only=None if only is None else [name.strip() for name in only.split(",")]
        )
    if as_json:
        print_json(done)
        return
    for one in done.chores:
        did = ", ".join(
            f"{count} {name if count > 1 else name.removesuffix('s')}"
            for name, count in one.counts.items()
            if count
        )
        show.console.print(
            f"{one.chore.value}: {did or 'nothing'}{f'; {one.waits}' if one.waits else ''}"
        )
    if any(one.changed for one in done.chores):
        undo = command_of(context, f"undo {done.id}")
        show.console.print(f"undo what this changed with: {undo}", style="dim")


def migrate(context: typer.Context) -> None:
    """Bring the store to this version's schema; a checked backup is made before."""
    from omoide.cli.show import console

    with opened(context):
        console.print(f"{named_store(context)} has this version's schema")


def rekey(
    context: typer.Context,
    off: Annotated[bool, typer.Option("--off", help="Store it unencrypted.")] = False,
) -> None:
    """Encrypt the store with a passphrase, or another one, or with --off none. The present one is
    read from OMOIDE_PASSPHRASE.
    """
    from omoide.cli.show import console

    fresh = None if off else _new_passphrase()
    with opened(context) as memory:
        if not memory.store.rekey(fresh):
            console.print("the store is not encrypted; nothing was changed")
            return
        done = (
            "no longer encrypted; unset"
            if off
            else "encrypted with the new passphrase; from now on give it in"
        )
        console.print(f"the store is {done} OMOIDE_PASSPHRASE")


def _new_passphrase() -> str:
    """From the environment, else as it is typed, twice, or one line of a pipe."""
    from omoide.nouns.errors import InvalidInput

    given = os.environ.get("OMOIDE_NEW_PASSPHRASE")
    if not given and sys.stdin.isatty():
        given = typer.prompt("New passphrase", hide_input=True, confirmation_prompt=True)
    given = given or sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise InvalidInput(
            "passphrase",
            "is empty; give the new one on a terminal, by a pipe or in OMOIDE_NEW_PASSPHRASE",
        )
    return given


def config(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(help="A setting; if not given, all of them.", autocompletion=setting_names),
    ] = None,
    value: Annotated[
        str | None, typer.Argument(help="What to set it to in the file; if not given, show it.")
    ] = None,
    unset: Annotated[bool, typer.Option("--unset", help="Take it out of the file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the settings in force, or set one in the settings file, as in omoide config user ana."""
    from omoide.cli.show import safe
    from omoide.models.chat.asker import LLM_SETTINGS
    from omoide.settings.config import PREFIX, known_setting, load_config, write_setting

    if name is None:
        _show_settings(context, as_json=as_json)
        return
    home = settings(context).home
    known_setting(name)
    if value is not None or unset:
        _try_out(name, value)
        write_setting(home / "config.toml", name, None if unset else value)
    shown = _settings(context)[name]
    tell({name: shown}, safe(shown or f"{name} is not set"), as_json=as_json)
    if value is not None and getattr(load_config({}, home=home), name) != getattr(
        settings(context), name
    ):
        typer.secho(
            f"note: written to the file, but {PREFIX}{name.upper()} or an option goes before it",
            err=True,
            fg="yellow",
        )
    if name in (*LLM_SETTINGS, "spend_limit", "prices"):
        warn_of_models(context)


def _show_settings(context: typer.Context, *, as_json: bool) -> None:
    from omoide.cli import show
    from omoide.settings.config import PREFIX

    values = _settings(context)
    if as_json:
        print_json(values)
        return
    show.table(
        ("setting", "value", "variable"),
        ((name, show.safe(value), PREFIX + name.upper()) for name, value in values.items()),
    )
    show.console.print(
        f"file: {settings(context).home / 'config.toml'}; omoide config NAME VALUE writes to it"
    )
    warn_of_models(context)


def _settings(context: typer.Context) -> dict[str, str]:
    """The settings in force as text, without secrets."""
    from dataclasses import fields

    from omoide.settings.config import SECRETS

    now = settings(context)
    shown = {f.name: getattr(now, f.name) for f in fields(now)}
    values = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in shown.items()
    }
    return (
        values | {name: "set" for name in SECRETS if values[name]} | {"store": named_store(context)}
    )


def _try_out(name: str, value: str | None) -> None:
    """That a model of this name works; other settings are checked as they are read."""
    from omoide.models import load_embedder, load_reranker
    from omoide.models.chat.asker import LLM_SETTINGS, load_asker
    from omoide.models.chat.registry import load_chat
    from omoide.settings.config import Config

    if value and name == "embedder":
        load_embedder(value)
    elif value and name == "reranker":
        load_reranker(value)
    elif value and name == "llm":
        load_chat(value)
    elif value and name in LLM_SETTINGS:
        load_asker(
            Config(llm_slow=value) if name == "llm_slow" else Config(llm_for=value), lambda ask: ""
        )
