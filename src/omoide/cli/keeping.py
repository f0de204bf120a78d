"""Commands that keep the store: forget, backup, restore, salvage, doctor, verify, scan, tidy,
migrate, rekey.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from omoide.cli.options import (
    AllOfOrigin,
    AnyRecordId,
    Deep,
    EarlierHead,
    InPlace,
    OnlyChores,
    OwnOfCategory,
    OwnOfSource,
    Repair,
)
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
    tell_all,
    there,
    within_folder,
)

if TYPE_CHECKING:
    from omoide.memory import Memory
    from omoide.nouns.chore import Tidied
    from omoide.nouns.receipt import Cut, Receipt
    from omoide.nouns.scope import Scope
    from omoide.tables.ledger import Head
    from omoide.upkeep.doctor import Finding
    from omoide.upkeep.scan import Leak
    from omoide.upkeep.verify import Verdict

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Compact = Annotated[
    bool,
    typer.Option("--compact", help="On Postgres: also rewrite the tables, each locked meanwhile."),
]
CUTS = 10  # sessions that are named before forgetting


@dataclass(frozen=True, slots=True)
class Erasing:
    """How a command erases: whether it rewrites tables, asks first, and prints JSON."""

    compact: bool
    yes: bool
    as_json: bool


def forget(
    context: typer.Context,
    id: AnyRecordId,
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase an item or turn for good, and prove it."""
    how = Erasing(compact, yes, as_json)
    erase(context, id, lambda memory: partial(memory.forget, id), how)


def forget_items(
    context: typer.Context,
    origin: AllOfOrigin = None,
    source: OwnOfSource = None,
    category: OwnOfCategory = None,
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase all that an origin brought, or your own items of a source or category."""
    given = {"origin": origin, "source": source, "category": category}
    named = next((f"{name} {value}" for name, value in given.items() if value is not None), "items")
    how = Erasing(compact, yes, as_json)

    def verb(memory: Memory) -> Callable[..., Receipt]:
        return partial(memory.items.forget, origin=origin, source=source, category=category)

    erase(context, named, verb, how)


def forget_session(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="Its name, as omoide sessions list shows it.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase a session: its turns, and all that only they support."""
    named, how = f"session {session}", Erasing(compact, yes, as_json)
    erase(context, named, lambda memory: partial(memory.sessions.forget, session), how)


def forget_entity(
    context: typer.Context,
    entity: Annotated[str, typer.Argument(help="Any of its names, such as person:ana.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase an entity with every item about it."""
    named, how = f"entity {entity}", Erasing(compact, yes, as_json)
    erase(context, named, lambda memory: partial(memory.entities.forget, entity), how)


def forget_user(
    context: typer.Context,
    user: Annotated[str, typer.Argument(help="The user's name.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase all that is held about a user."""
    named, how = f"everything of {user}", Erasing(compact, yes, as_json)
    erase(context, named, lambda memory: partial(memory.users.forget, user), how)


def erase_all(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="items, turns or all.")],
    compact: Compact = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Erase all of your own items or turns, or all."""
    how = Erasing(compact, yes, as_json)
    erase(context, f"own {what}", lambda memory: partial(memory.admin.erase, what), how)


def erase(
    context: typer.Context,
    named: str,
    verb: Callable[[Memory], Callable[..., Receipt]],
    how: Erasing,
) -> None:
    """Show what would go and ask, unless told not to; then erase it and print the receipt.

    Raises:
        Abort: the answer is no.
    """
    from omoide.cli import show
    from omoide.forgetting.proof import compacted

    with opened(context) as memory:
        call, scope = verb(memory), scope_of(context)
        if not how.yes:
            _ask(memory, scope, call(scope=scope, preview=True), named)
        proof = call(scope=scope)
        proof = compacted(memory.store, proof) if how.compact else proof
        print_json(proof) if how.as_json else show.receipt(proof)


def _ask(memory: Memory, scope: Scope, going: Receipt, named: str) -> None:
    """Show on standard error what forgetting would erase, and ask.

    Raises:
        Abort: no.
        InvalidInput: the input ended without an answer.
    """
    from omoide.cli import show
    from omoide.nouns.errors import NotFound
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
    gone = show.in_words(going.erased)
    show.errors.print(show.safe(f"{named}: {gone} would be erased, for good"))
    _check_wanted()


def _check_wanted() -> None:
    """That a person wants to go on.

    Raises:
        Abort: no.
        InvalidInput: the input ended without an answer.
    """
    from omoide.nouns.errors import InvalidInput

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

    title, name = cut.session.title, cut.session.name
    session = f"{title} ({name})" if title else f"session {name}"
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
    replace: InPlace = False,
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
    old = put_back(source, file, passphrase=place.passphrase or None, replace=replace)
    console.print(f"restored {file} from {source}" + (f"; the old store is {old}" if old else ""))


def salvage(
    context: typer.Context, target: Annotated[Path, typer.Argument(help="The new store.")]
) -> None:
    """Copy everything intact in a damaged store to a new store."""
    from dataclasses import replace

    from omoide.cli.show import console
    from omoide.memory import Memory
    from omoide.store import file_of
    from omoide.store.sqlite.salvage import salvage as save

    place = settings(context)
    source, fresh = there(file_of(place.store_url)), within_folder(target)
    saved = save(source, fresh, passphrase=place.passphrase or None)
    config = replace(place, store=str(target), background=False, llm="none")
    with Memory.open(config=config) as memory:
        memory.admin.doctor(repair=True)
        memory.admin.tidy(only=["vectors"])
    rows = ", ".join(f"{table} {count}" for table, count in saved.items() if count)
    console.print(f"saved {sum(saved.values())} rows to {target}: {rows or 'nothing is whole'}")


def doctor(
    context: typer.Context,
    repair: Repair = False,
    deep: Deep = False,
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with the store, and mend it."""
    with opened(context) as memory:
        with busy("examining"):
            findings = memory.admin.doctor(repair=repair, deep=deep)
            if repair:
                memory.admin.tidy(only=["vectors"])
        print_json(findings) if as_json else _show_findings(findings)
        if any(not finding.mended for finding in findings):
            raise typer.Exit(1)


def _show_findings(findings: Sequence[Finding]) -> None:
    from omoide.cli import show

    rows = ((f.place, show.safe(f.problem), "mended" if f.mended else "") for f in findings)
    show.table(("where", "what", ""), rows)
    if not findings:
        show.console.print("all is well")


def verify(
    context: typer.Context,
    head: EarlierHead = None,
    as_json: AsJson = False,
) -> None:
    """Check that the ledger is whole and the records are as it left them."""
    known = None if head is None else _head(head, settings(context).tenant)
    with opened(context) as memory:
        with busy("verifying"):
            verdict = memory.admin.verify(known, scope_of(context))
        print_json(verdict) if as_json else _show_verdict(verdict)
        if verdict.problems:
            raise typer.Exit(1)


def _head(head: str, tenant: str) -> Head:
    """An end of the ledger as it is typed: SEQ:HASH."""
    from omoide.nouns.errors import InvalidInput
    from omoide.tables.ledger import Head

    seq, mark, digest = head.partition(":")
    if not mark or not seq.isdecimal():
        raise InvalidInput("head", f"{head!r} is not SEQ:HASH")
    return Head(tenant=tenant, seq=int(seq), hash=digest)


def _show_verdict(verdict: Verdict) -> None:
    from omoide.cli.show import console, safe

    for problem in verdict.problems:
        console.print(safe(problem))
    state = "not whole" if verdict.problems else "whole"
    console.print(f"the ledger is {state}, ends at {verdict.head.seq}:{verdict.head.hash}")


def scan(
    context: typer.Context,
    mask: Annotated[bool, typer.Option("--mask", help="Mask what is found, for good.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find unmasked passwords, keys and tokens in stored records."""
    with opened(context) as memory:
        with busy("scanning"):
            leaks = memory.admin.scan(scope_of(context), mask=mask)
            memory.admin.tidy(only=["vectors"])
        tell_all(leaks, _show_leaks, ("no passwords, keys or tokens found", ""), as_json=as_json)


def _show_leaks(leaks: Sequence[Leak]) -> None:
    from omoide.cli import show

    def told(leak: Leak) -> tuple[str, str, str]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in leak.secrets)
        return leak.id, kinds, "masked" if leak.masked else ""

    show.table(("record", "secrets", ""), map(told, leaks))
    if not all(leak.masked for leak in leaks):
        show.console.print("omoide admin scan --mask masks them for good", style="dim")


def tidy(
    context: typer.Context,
    only: OnlyChores = None,
    as_json: AsJson = False,
) -> None:
    """Run one round of upkeep: missing vectors, decay, reconciling, distilling, condensing,
    pruning.
    """
    names = None if only is None else [name.strip() for name in only.split(",")]
    with opened(context) as memory, busy("tidying"):
        done = memory.admin.tidy(only=names)
    if as_json:
        print_json(done)
    else:
        _show_chores(done, command_of(context, f"undo {done.id}"))


def _show_chores(done: Tidied, undo: str) -> None:
    """What each chore of a round of upkeep did, and how to take it back."""
    from omoide.cli.show import console

    for one in done.chores:
        counts = ((name, count) for name, count in one.counts.items() if count)
        did = ", ".join(
            f"{count} {name if count > 1 else name.removesuffix('s')}" for name, count in counts
        )
        waits = f"; {one.waits}" if one.waits else ""
        console.print(f"{one.chore.value}: {did or 'nothing'}{waits}")
    if any(one.changed for one in done.chores):
        console.print(f"undo what this changed with: {undo}", style="dim")


def migrate(context: typer.Context) -> None:
    """Upgrade the store to this version's schema, after a checked backup."""
    from omoide.cli.show import console

    with opened(context):
        console.print(f"{named_store(context)} has this version's schema")


def rekey(
    context: typer.Context,
    off: Annotated[bool, typer.Option("--off", help="Store it unencrypted.")] = False,
) -> None:
    """Set or change the store's passphrase; --off decrypts it. OMOIDE_PASSPHRASE holds the current
    passphrase.
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
