"""Commands that move memories: import from chat exports, export and load our archive,
migrate-store.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer import Argument, Option

from omoide.cli.bars import progress
from omoide.cli.given import has_folder, machine_zone, there, within_folder
from omoide.cli.here import Here, note
from omoide.cli.options import (
    AsAdministrator,
    DayFirst,
    DropEdits,
    Export,
    ForgetRemoved,
    Format,
    KeepRemoved,
    Me,
    RecordedSince,
    RecordedUntil,
    RestoreForgotten,
    UserOfExport,
    WholeTenant,
    WriteSensitive,
    ZoneOfTimes,
)
from omoide.cli.show import console, errors, safe
from omoide.nouns.errors import Conflict, InvalidInput, UnknownName
from omoide.nouns.item import Item
from omoide.nouns.record.lines import counted, in_words

if TYPE_CHECKING:
    from omoide.archive.results import Loaded
    from omoide.exchange.gaia import GaiaIntake
    from omoide.exchange.intake import Intake
    from omoide.exchange.options import ImportOptions
    from omoide.exchange.products import ProductIntake

PROBLEMS_SHOWN = 20
FORGOTTEN_SHOWN = 20  # records that are named before asking


def _import_gaia(here: Here, path: Path) -> None:
    """Import a memory of GAIA's: what it knows, and its conversations."""
    from omoide.exchange.gaia import take_in_gaia

    with here.opened(create=True) as memory, progress("importing") as step:
        report = take_in_gaia(memory, path, here.scope, step)
        memory.admin.tidy(only=["vectors"])
    here.tell(report, partial(_tell_gaia, here))


def _tell_gaia(here: Here, report: GaiaIntake) -> None:
    talks, turns = counted(report.conversations, "conversation"), counted(report.added, "new turn")
    _tell_items(report, f"GAIA's memory, version {report.version}", f"{talks} with {turns}")
    if report.items or report.added:
        _tell_undo(here.command(f"undo {report.id}"))
        here.note_login()


def _tell_undo(command: str) -> None:
    console.print(safe(f"undo with: {command}", 1_000))


def _import_product(here: Here, path: Path, format: str, me: str | None) -> None:
    """Import the memory of another product: what it knows."""
    from omoide.exchange.products import look_into_product, take_in_product

    look_into_product(path, format)  # before a store is made
    with here.opened(create=True) as memory, progress("importing") as step:
        report = take_in_product(memory, path, format, here.scope, me=me, tell=step)
        memory.admin.tidy(only=["vectors"])
    here.tell(report, partial(_tell_product, here))


def _tell_product(here: Here, report: ProductIntake) -> None:
    _tell_items(report, report.format)
    others = [user for user in report.users if user != (here.scope.user or "")]
    if report.items:
        for user in report.users:
            named = user if user in others else None
            _tell_undo(here.command(f"undo {report.id}", user=named))
        here.note_login()
    if others:
        who = f"the export has other users: {', '.join(others)}; if one is you"
        note(f"{who}, undo all of it, then import again with --me NAME")


def _tell_problems(report: GaiaIntake | ProductIntake | Intake) -> None:
    """Say what could not be read, in a few lines."""
    for problem in report.problems[:PROBLEMS_SHOWN]:
        errors.print(safe(f"{problem.place}: {problem.what}"), style="yellow")
    if (more := len(report.problems) - PROBLEMS_SHOWN) > 0:
        errors.print(f"and {counted(more, 'problem')} more; --json lists them all", style="yellow")


def _tell_items(report: GaiaIntake | ProductIntake, whose: str, *more: str) -> None:
    """Say what became of a memory that brings items."""
    _tell_problems(report)
    there_already = (f"{report.repeated} there already",) if report.repeated else ()
    parts = (counted(report.items, "item"), *more, *there_already)
    console.print(f"{whose}: {', '.join(parts)}")
    _tell_left_out(report)


def _tell_left_out(report: GaiaIntake | ProductIntake | Intake) -> None:
    for omitted in report.left_out:
        console.print(safe(f"left out: {omitted}"))


def import_chats(
    here: Here,
    path: Export,
    format: Format = None,
    zone: ZoneOfTimes = None,
    day_first: DayFirst = None,
    me: Me = None,
) -> None:
    """Import conversations, or memories of another product.

    They are the user's own. Importing them again adds nothing twice.
    """
    from omoide.exchange.intake import take_in

    if _import_items(here, path, format, me):
        return
    given = {"format": format, "day_first": day_first, "me": me}
    user = here.settings.user or None
    options = _chat_options(here, path, zone=zone, user=user, **given)
    with here.opened(create=True) as memory, progress("importing") as step:
        report = take_in(memory, path, options, here.scope, step, step.share)
        memory.admin.tidy(only=["vectors"])
    here.tell(report, partial(_tell_chats, here))


def _import_items(here: Here, path: Path, format: str | None, me: str | None) -> bool:
    """Import the memory of another product, if it is one."""
    from omoide.exchange.options import FORMATS, MEMORIES

    if format is not None and format not in (*FORMATS, *MEMORIES):
        raise UnknownName("format", format, (*FORMATS, *MEMORIES))
    if format in FORMATS or (format is None and not path.exists()):
        return False
    from omoide.exchange.gaia import GAIA, is_gaia
    from omoide.exchange.products import PRODUCTS, product_of

    path = there(path)
    if format in (None, GAIA) and is_gaia(path):
        _import_gaia(here, path)
        return True
    product = format if format in PRODUCTS else product_of(path)
    if product is None:
        return False
    _import_product(here, path, product, me)
    return True


def _chat_options(here: Here, path: Path, *, zone: str | None, **given: Any) -> ImportOptions:
    """How to read a chat export, looked into before a store is made. Where it needs a zone and none
    is named, that is the user's.
    """
    from omoide.exchange.intake import look_into
    from omoide.exchange.options import ImportOptions

    def looked_into(zone: str | None) -> ImportOptions:
        options = ImportOptions(zone=zone, **given)
        look_into(there(path), options)
        return options

    try:
        return looked_into(zone)
    except InvalidInput as error:
        own, whose = _usual_zone(here) if error.field == "zone" and zone is None else (None, "")
        if own is None:
            raise
    options = looked_into(own)
    read = f"the export has local times only; they are read in {own}, {whose} zone"
    note(f"{read}; --zone NAME names another")
    return options


def _usual_zone(here: Here) -> tuple[str | None, str]:
    """The name of the zone in which the user's days are meant, and whose zone it is."""
    zone = None
    with suppress(InvalidInput), here.opened() as memory:  # there may be no store yet
        zone = memory.zone(here.scope)
    named = getattr(zone, "key", None) or here.settings.zone
    return (named, "your") if named else (machine_zone(), "this machine's")


def _tell_chats(here: Here, report: Intake) -> None:
    """Say what became of a chat export."""
    _tell_problems(report)
    also = (
        f"{report.repeated} there already" if report.repeated else "",
        f"{counted(report.masked, 'secret')} masked" if report.masked else "",
        counted(len(report.problems), "problem") if report.problems else "",
    )
    talks = counted(report.conversations, "conversation")
    added = f"{talks}: {counted(report.added, 'turn')} added"
    console.print(", ".join((added, *filter(None, also))))
    _tell_left_out(report)
    undo = here.command(f"undo {report.id}")
    if report.added:
        _tell_undo(undo)
        here.note_login()
    _note_strangers(report, undo)


def _note_strangers(report: Intake, undo: str) -> None:
    """Say who talks in group chats, where nobody of them is known to be the user."""
    if not report.strangers:
        return
    who = f"none of {', '.join(report.strangers)} is known to be you"
    what = "what they say is learned as other people's word"
    back = undo if report.added else "undo that import"
    again = f"if one is you: {back}, then import again with --me NAME"
    note(f"{who}, so {what}; {again}")


def export(
    here: Here,
    path: Annotated[Path, Argument(help="The new archive, .jsonl")],
    user: UserOfExport = None,
    everything: WholeTenant = False,
    recorded_since: RecordedSince = None,
    recorded_until: RecordedUntil = None,
) -> None:
    """Export everything about a user, or the whole tenant, as an open archive."""
    from omoide.telemetry.progress import watching

    if user is not None and everything:
        raise InvalidInput("export", "name a user or --everything, not both")
    if user is not None:
        here = replace(here, given=replace(here.given, user=user))
    with here.opened() as memory, progress("exporting") as step, watching(step):
        exported = memory.admin.export(
            within_folder(path),
            here.scope,
            everything=everything,
            recorded_since=recorded_since,
            recorded_until=recorded_until,
        )
    if not everything and not here.scope.user and not here.as_json:
        all_of_it = "--everything writes all that the store holds"
        note(f"no user is named, so no turns are in it; {all_of_it}")
    here.tell(exported, f"wrote {in_words(exported.records)} to {path}")
    for left_out in () if here.as_json else exported.degraded:
        note(left_out)


def load(
    here: Here,
    path: Annotated[Path, Argument(help="An archive made by export.")],
    everything: AsAdministrator = False,
    restore_forgotten: RestoreForgotten = False,
    preview: Annotated[bool, Option("--preview", help="Only show what it would bring.")] = False,
) -> None:
    """Load an archive into the store; loading it again changes nothing."""
    from omoide.archive.lines import check_archive
    from omoide.archive.results import counted_of
    from omoide.telemetry.progress import watching

    check_archive(there(path))  # before a store is made
    with here.opened(create=not preview) as memory:
        scope = here.scope
        seen = memory.admin.load(path, scope, preview=True)
        if preview:
            here.tell(seen, safe(f"would bring {in_words(seen.added)}; nothing was stored"))
            return
        if everything:
            for told, count in seen.beyond.items():
                note(f"it brings {counted_of(count, told)}")
        restored = restore_forgotten or _is_restored(seen.forgotten)
        with progress("loading") as step, watching(step):
            loaded = memory.admin.load(
                path, scope, everything=everything, restore_forgotten=restored
            )
        memory.admin.tidy(only=["vectors"])
    here.tell(loaded, _told(loaded))


def _is_restored(forgotten: Sequence[str]) -> bool:
    """Whether a person wants back what was forgotten; nobody is asked where nobody can answer."""
    if not forgotten or not sys.stdin.isatty():
        return False
    for one in forgotten[:FORGOTTEN_SHOWN]:
        note(f"it holds {one}, which was forgotten here")
    more = f"Bring all {len(forgotten)} back?" if len(forgotten) > 1 else "Bring it back?"
    return typer.confirm(more, err=True)


def _told(loaded: Loaded) -> str:
    also = (
        f"{loaded.known} there already" if loaded.known and loaded.added else "",
        f"{counted(loaded.history, 'change')} kept as foreign history" if loaded.history else "",
        f"passed over {in_words(loaded.passed_over)}" if loaded.passed_over else "",
    )
    nothing = "" if loaded.added else "; all of it is there already"
    return ", ".join((f"loaded {in_words(loaded.added)}{nothing}", *filter(None, also)))


def migrate_store(
    here: Here,
    source: Annotated[str, Argument(help="The store to move: a file, or postgresql://…")],
    target: Annotated[str, Argument(help="Where to: a new file, or an empty Postgres database.")],
) -> None:
    """Move a whole store to another engine, and verify that nothing was lost."""
    from omoide.exchange.migrate_store import move_store

    if "://" not in source:
        there(source.removeprefix("sqlite:"))
    has_folder(target)
    with progress("moving") as step:
        counts = move_store(source, target, passphrase=here.settings.passphrase or None, tell=step)
    moved = ", ".join(f"{table} {count}" for table, count in counts.items() if count)
    here.tell(counts, f"moved and compared {counted(sum(counts.values()), 'row')}: {moved}")


def write_files(
    here: Here,
    folder: Annotated[Path, Argument(help="The folder; it is made if it is not there.")],
    sensitive: WriteSensitive = False,
    force: DropEdits = False,
) -> None:
    """Write items into a folder of Markdown files, one per category."""
    from omoide.exchange.files import folder as files

    within_folder(folder)
    with here.opened() as memory:
        scope = here.scope
        count = files.write_files(memory, folder, scope, sensitive=sensitive, force=force)
    here.tell({"written": count}, f"{counted(count, 'item')} written to {folder}")


def read_files(
    here: Here,
    folder: Annotated[Path, Argument(help="A folder that omoide files write made.")],
    keep: KeepRemoved = False,
    yes: ForgetRemoved = False,
) -> None:
    """Read your edits of that folder back: corrected, added and removed items."""
    from omoide.exchange.files import folder as files

    def may_forget(item: Item) -> bool:
        asked = f"Forget {safe(item.text, 200)}?"
        return not keep and (yes or (sys.stdin.isatty() and typer.confirm(asked, err=True)))

    there(folder)
    with here.opened() as memory:
        scope = here.scope
        plan = files.read_plan(memory, folder, scope)
        if plan.conflicts:
            _refuse([files.conflict_of(memory, scope, entry) for entry in plan.conflicts])
        done = files.carry_out(memory, folder, scope, plan, may_forget)
    line = f"{done.corrected} corrected, {done.added} added, {done.forgotten} forgotten"
    here.tell(done, line)


def _refuse(conflicts: Iterable[str]) -> NoReturn:
    """Say which entries were changed on both sides, and leave."""
    for told in conflicts:
        errors.print(safe(told, len(told)), style="yellow")
    typer.secho("nothing was changed", err=True)
    raise typer.Exit(Conflict.exit_code)
