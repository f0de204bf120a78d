"""Commands that keep the store: forget, backup, restore, salvage, doctor, verify, scan, tidy,
migrate, rekey.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from typer import Argument, Option

from omoide.cli import show
from omoide.cli.bars import busy
from omoide.cli.completion import choice, entity_names, session_names
from omoide.cli.given import has_folder, there, within_folder
from omoide.cli.here import Here
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
    UserName,
)
from omoide.cli.show import console, errors, safe, table
from omoide.cli.signing import parameters_of, signed
from omoide.nouns.chore import Tidied
from omoide.nouns.errors import Conflict, InvalidInput, NotFound
from omoide.nouns.item import Item
from omoide.nouns.receipt import SORTS, Cut, Receipt
from omoide.nouns.record.lines import counted, in_words
from omoide.nouns.scope import Scope

if TYPE_CHECKING:
    from omoide.memory import Memory
    from omoide.tables.ledger import Head
    from omoide.upkeep.doctor import Finding
    from omoide.upkeep.scan import Leak
    from omoide.upkeep.verify import Verdict

Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]
OnlyShow = Annotated[bool, Option("--preview", help="Only show what would be erased.")]
Compact = Annotated[
    bool,
    Option("--compact", help="On Postgres: also rewrite the tables, each locked meanwhile."),
]
# takes what would go, in words, and the verb of a memory that erases it
Erase: TypeAlias = Callable[[str, Callable[[Any], Callable[..., Receipt]]], None]
CUTS = 10  # sessions that are named before forgetting


def erases(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameter ``erase`` shows what would go and asks, unless told not to; then it
    erases that and prints the receipt.
    """

    def run(
        here: Here,
        preview: OnlyShow = False,
        compact: Compact = False,
        yes: Yes = False,
        **given: Any,
    ) -> None:
        erase = partial(_foresee, here) if preview else partial(_erase, here, compact, yes)
        command(erase, **given)

    here, *how, _ = parameters_of(run)
    return signed(wraps(command)(run), [here, *parameters_of(command)[1:], *how])


def _foresee(here: Here, named: str, verb: Callable[[Memory], Callable[..., Receipt]]) -> None:
    """Show what a verb of the memory would erase."""
    with here.opened() as memory:
        going = verb(memory)(scope=here.scope, preview=True)
        here.tell(going, safe(f"{named}: {going}; nothing was erased"))


def _erase(
    here: Here,
    compact: bool,
    yes: bool,
    named: str,
    verb: Callable[[Memory], Callable[..., Receipt]],
) -> None:
    """Erase what a verb of the memory does. With compact, tables are rewritten too.

    Raises:
        Abort: the answer is no.
    """
    from omoide.forgetting.proof import compacted

    with here.opened() as memory:
        call, scope = verb(memory), here.scope
        if not yes:
            _ask(memory, scope, call(scope=scope, preview=True), named)
        proof = call(scope=scope)
        try:
            proof = compacted(memory.store, proof) if compact else proof
        finally:
            here.tell(proof, show.receipt)


@erases
def forget(erase: Erase, id: AnyRecordId) -> None:
    """Erase an item or turn for good, and prove it."""
    erase(id, lambda memory: partial(memory.forget, id))


@erases
def forget_items(
    erase: Erase,
    origin: AllOfOrigin = None,
    source: OwnOfSource = None,
    category: OwnOfCategory = None,
) -> None:
    """Erase all that an origin brought, or your own items of a source or category."""
    given = {"origin": origin, "source": source, "category": category}
    named = next((f"{name} {value}" for name, value in given.items() if value is not None), "items")
    erase(named, lambda memory: partial(memory.items.forget, **given))


@erases
def forget_session(
    erase: Erase,
    session: Annotated[
        str,
        Argument(
            help="The session, as omoide sessions list shows it.", autocompletion=session_names
        ),
    ],
) -> None:
    """Erase a session: its turns, and all that only they support."""
    erase(f"session {session}", lambda memory: partial(memory.sessions.forget, session))


@erases
def forget_entity(
    erase: Erase,
    entity: Annotated[
        str,
        Argument(help="Any of its names, such as person:ana.", autocompletion=entity_names),
    ],
) -> None:
    """Erase an entity with every item about it."""
    erase(f"entity {entity}", lambda memory: partial(memory.entities.forget, entity))


@erases
def forget_user(erase: Erase, user: UserName) -> None:
    """Erase all that is held about a user."""
    erase(f"everything of {user}", lambda memory: partial(memory.users.forget, user))


@erases
def erase_all(
    erase: Erase,
    what: Annotated[str, choice(Argument, *SORTS)],
) -> None:
    """Erase all items or all turns of your own, or both and all else."""
    erase(f"own {what}", lambda memory: partial(memory.admin.erase, what))


def _ask(memory: Memory, scope: Scope, going: Receipt, named: str) -> None:
    """Show on standard error what forgetting would erase, and ask.

    Raises:
        Abort: no.
        InvalidInput: the input ended without an answer.
    """
    with suppress(NotFound):  # what is named may be no record, but a session or a proposal
        record = memory.get(named, scope)
        errors.print(safe(record.text, 400))
        kind = record.category.value if isinstance(record, Item) else f"turn of {record.speaker}"
        named = f"{kind} {record.id}"
    for cut in going.sessions[:CUTS]:
        errors.print(safe(f"  {_told(cut)}"))
    if len(going.sessions) > CUTS:
        errors.print(f"  and {counted(len(going.sessions) - CUTS, 'session')} more")
    gone = in_words(going.erased)
    errors.print(safe(f"{named}: {gone} would be erased, for good"))
    _check_wanted()


def _check_wanted() -> None:
    """That a person wants to go on.

    Raises:
        Abort: no.
        InvalidInput: the input ended without an answer.
    """
    typer.echo("Erase it? [y/N] ", err=True, nl=False)
    said = sys.stdin.readline()
    if not said:
        typer.echo(err=True)
        why = "no answer was given, so nothing was erased; --yes skips the question"
        raise InvalidInput("forget", why)
    if said.strip().lower() not in ("y", "yes"):
        typer.echo("nothing was erased", err=True)
        raise typer.Abort


def _told(cut: Cut) -> str:
    """A session by its title and id, and what would become of it."""
    title, name = cut.session.title, cut.session.name
    session = f"{title} ({name})" if title else f"session {name}"
    stays = "all of it" if cut.whole else f"{counted(cut.left, 'turn')} would stay"
    return f"{session}: {counted(cut.turns, 'turn')}, {stays}"


def backup(here: Here, target: Annotated[Path, Argument(help="The new file.")]) -> None:
    """Copy the store while it is used, and prove the copy."""
    with here.opened() as memory:
        with busy("backing up"):
            problems = memory.admin.backup(within_folder(target))
        found = f"{counted(len(problems), 'problem')}: run omoide doctor" if problems else "checked"
        here.tell(problems, safe(f"backed up to {target}, {found}"))


def restore(
    here: Here,
    source: Annotated[Path, Argument(help="A backup.")],
    replace: InPlace = False,
) -> None:
    """Make the store from a backup, checked before and after."""
    from omoide.store import file_of
    from omoide.store.sqlite.backup import restore as put_back

    place, source = here.settings, there(source)
    file = file_of(place.store_url)
    if place.store:
        has_folder(place.store)
    if Path(file).is_file() and not replace:
        raise Conflict(
            f"{file} exists; restore --replace puts the backup in its place, and the old store"
            " stays beside it"
        )
    old = put_back(source, file, passphrase=place.passphrase or None, replace=replace)
    aside = f"; the old store is {old}" if old else ""
    here.tell(
        {"store": str(file), "old": old and str(old)}, safe(f"restored {file} from {source}{aside}")
    )


def salvage(here: Here, target: Annotated[Path, Argument(help="The new store.")]) -> None:
    """Copy everything intact in a damaged store to a new store."""
    from omoide.memory import Memory
    from omoide.store import file_of
    from omoide.store.sqlite.salvage import salvage as save

    place = here.settings
    source, fresh = there(file_of(place.store_url)), within_folder(target)
    saved = save(source, fresh, passphrase=place.passphrase or None)
    config = replace(place, store=str(target), background=False, llm="none")
    with Memory.open(config=config) as memory:
        memory.admin.doctor(repair=True)
        memory.admin.tidy(only=["vectors"])
    rows = ", ".join(f"{table} {count}" for table, count in saved.items() if count)
    told = f"saved {counted(sum(saved.values()), 'row')} to {target}: {rows or 'nothing is whole'}"
    here.tell(saved, safe(told))


def doctor(here: Here, repair: Repair = False, deep: Deep = False) -> None:
    """Find what is wrong with the store, and mend it."""
    with here.opened() as memory:
        with busy("examining"):
            findings = memory.admin.doctor(repair=repair, deep=deep)
            if repair:
                memory.admin.tidy(only=["vectors"])
        here.tell(findings, _show_findings)
        if any(not finding.mended for finding in findings):
            raise typer.Exit(1)


def _show_findings(findings: Sequence[Finding]) -> None:
    rows = ((f.place, safe(f.problem), "mended" if f.mended else "") for f in findings)
    table(("where", "what", ""), rows)
    if not findings:
        console.print("all is well")


def verify(here: Here, head: EarlierHead = None) -> None:
    """Check that the ledger is whole and the records are as it left them."""
    known = None if head is None else _head(head, here.settings.tenant)
    with here.opened() as memory:
        with busy("verifying"):
            verdict = memory.admin.verify(known, here.scope)
        here.tell(verdict, _show_verdict)
        if verdict.problems:
            raise typer.Exit(1)


def _head(head: str, tenant: str) -> Head:
    """An end of the ledger as it is typed: SEQ:HASH."""
    from omoide.tables.ledger import Head

    seq, mark, digest = head.partition(":")
    if not mark or not seq.isdecimal():
        raise InvalidInput("head", f"{head!r} is not SEQ:HASH")
    return Head(tenant=tenant, seq=int(seq), hash=digest)


def _show_verdict(verdict: Verdict) -> None:
    for problem in verdict.problems:
        console.print(safe(problem))
    state = "not whole" if verdict.problems else "whole"
    console.print(f"the ledger is {state}, ends at {verdict.head}")


def scan(
    here: Here,
    mask: Annotated[bool, Option("--mask", help="Mask what is found, for good.")] = False,
) -> None:
    """Find unmasked passwords, keys and tokens in stored records."""
    with here.opened() as memory:
        with busy("scanning"):
            leaks = memory.admin.scan(here.scope, mask=mask)
            memory.admin.tidy(only=["vectors"])
        here.tell(leaks, _show_leaks, ("no passwords, keys or tokens found", ""))


def _show_leaks(leaks: Sequence[Leak]) -> None:
    def told(leak: Leak) -> tuple[str, str, str]:
        kinds = ", ".join(f"{count} {kind}" for kind, count in leak.secrets)
        return leak.id, kinds, "masked" if leak.masked else ""

    table(("record", "secrets", ""), map(told, leaks))
    if not all(leak.masked for leak in leaks):
        console.print("omoide admin scan --mask masks them for good", style="dim")


def tidy(here: Here, only: OnlyChores = None) -> None:
    """Run one round of upkeep: missing vectors, decay, reconciling, distilling, condensing,
    pruning.
    """
    names = None if only is None else [name.strip() for name in only.split(",")]
    with here.opened() as memory, busy("tidying"):
        done = memory.admin.tidy(only=names)
    here.tell(done, partial(_show_chores, here.command(f"undo {done.id}")))


def _show_chores(undo: str, done: Tidied) -> None:
    """What each chore of a round of upkeep did, and how to take it back."""
    for one in done.chores:
        console.print(str(one))
    if any(one.changed for one in done.chores):
        console.print(f"undo what this changed with: {undo}", style="dim")


def migrate(here: Here) -> None:
    """Upgrade the store to this version's schema, after a checked backup."""
    with here.opened():
        here.tell({"store": here.store}, safe(f"{here.store} has this version's schema"))


def rekey(
    here: Here,
    off: Annotated[bool, Option("--off", help="Store it unencrypted.")] = False,
) -> None:
    """Set or change the store's passphrase; --off decrypts it. OMOIDE_PASSPHRASE holds the current
    passphrase.
    """
    fresh = None if off else _new_passphrase()
    with here.opened() as memory:
        if not memory.store.rekey(fresh):
            here.tell({"changed": False}, "the store is not encrypted; nothing was changed")
            return
        done = (
            "no longer encrypted; unset"
            if off
            else "encrypted with the new passphrase; from now on give it in"
        )
        here.tell({"changed": True}, f"the store is {done} OMOIDE_PASSPHRASE")


def _new_passphrase() -> str:
    """From the environment, else as it is typed, twice, or one line of a pipe."""
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
