"""Commands that move memories: import from chat exports, export and load our archive,
migrate-store.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

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
from omoide.cli.session import (
    AsJson,
    command_of,
    has_folder,
    machine_zone,
    moment,
    note_login,
    opened,
    print_json,
    progress,
    scope_of,
    settings,
    tell,
    there,
    within_folder,
)

if TYPE_CHECKING:
    from omoide.archive.results import Loaded
    from omoide.exchange.gaia import GaiaIntake
    from omoide.exchange.intake import Intake
    from omoide.exchange.options import ImportOptions
    from omoide.exchange.products import ProductIntake
    from omoide.nouns.item import Item

PROBLEMS_SHOWN = 20
FORGOTTEN_SHOWN = 20  # records that are named before asking


def _import_gaia(context: typer.Context, path: Path, *, as_json: bool) -> None:
    """Import a memory of GAIA's: what it knows, and its conversations."""
    from omoide.cli.show import counted
    from omoide.exchange.gaia import take_in_gaia

    with opened(context, create=True) as memory, progress("importing") as step:
        report = take_in_gaia(memory, path, scope_of(context), step)
        memory.admin.tidy(only=["vectors"])
    if as_json:
        print_json(report)
        return
    talks, turns = counted(report.conversations, "conversation"), counted(report.added, "new turn")
    _tell_items(report, f"GAIA's memory, version {report.version}", f"{talks} with {turns}")
    if report.items or report.added:
        _tell_undo(command_of(context, f"undo {report.id}"))
        note_login(context)


def _tell_undo(command: str) -> None:
    from omoide.cli.show import console, safe

    console.print(safe(f"undo with: {command}", 1_000))


def _import_product(
    context: typer.Context, path: Path, format: str, me: str | None, *, as_json: bool
) -> None:
    """Import the memory of another product: what it knows."""
    from omoide.exchange.products import look_into_product, take_in_product

    look_into_product(path, format)  # before a store is made
    with opened(context, create=True) as memory, progress("importing") as step:
        scope = scope_of(context)
        report = take_in_product(memory, path, format, scope, me=me, tell=step)
        memory.admin.tidy(only=["vectors"])
    if as_json:
        print_json(report)
        return
    _tell_items(report, format)
    others = [user for user in report.users if user != (scope.user or "")]
    if report.items:
        for user in report.users:
            named = user if user in others else None
            _tell_undo(command_of(context, f"undo {report.id}", user=named))
        note_login(context)
    if others:
        _note_others(others)


def _note_others(users: Sequence[str]) -> None:
    """Say of which other users an export is."""
    from omoide.cli.show import errors, safe

    who = f"note: the export has other users: {', '.join(users)}; if one is you"
    back = "undo all of it, then import again with --me NAME"
    errors.print(safe(f"{who}, {back}"), style="yellow")


def _tell_problems(report: GaiaIntake | ProductIntake | Intake) -> None:
    """Say what could not be read, in a few lines."""
    from omoide.cli import show

    for problem in report.problems[:PROBLEMS_SHOWN]:
        show.errors.print(show.safe(f"{problem.place}: {problem.what}"), style="yellow")
    if (more := len(report.problems) - PROBLEMS_SHOWN) > 0:
        show.errors.print(
            f"and {show.counted(more, 'problem')} more; --json lists them all", style="yellow"
        )


def _tell_items(report: GaiaIntake | ProductIntake, whose: str, *more: str) -> None:
    """Say what became of a memory that brings items."""
    from omoide.cli import show

    _tell_problems(report)
    there_already = (f"{report.repeated} there already",) if report.repeated else ()
    parts = (show.counted(report.items, "item"), *more, *there_already)
    show.console.print(f"{whose}: {', '.join(parts)}")
    for omitted in report.left_out:
        show.console.print(show.safe(f"left out: {omitted}"))


def import_chats(
    context: typer.Context,
    path: Export,
    format: Format = None,
    zone: ZoneOfTimes = None,
    day_first: DayFirst = None,
    me: Me = None,
    as_json: AsJson = False,
) -> None:
    """Import conversations, or memories of another product.

    They are the user's own. Importing them again adds nothing twice.
    """
    from omoide.exchange.intake import take_in

    if _import_items(context, path, format, me, as_json=as_json):
        return
    given = {"format": format, "day_first": day_first, "me": me}
    user = settings(context).user or None
    options = _chat_options(context, path, zone=zone, user=user, **given)
    with opened(context, create=True) as memory, progress("importing") as step:
        report = take_in(memory, path, options, scope_of(context), step, step.share)
        memory.admin.tidy(only=["vectors"])
    if as_json:
        print_json(report)
    else:
        _tell_chats(context, report)


def _import_items(
    context: typer.Context, path: Path, format: str | None, me: str | None, *, as_json: bool
) -> bool:
    """Import the memory of another product, if it is one."""
    from omoide.exchange.gaia import GAIA, is_gaia
    from omoide.exchange.products import PRODUCTS, product_of

    if format not in (GAIA, *PRODUCTS) and (format is not None or not path.exists()):
        return False
    path = there(path)
    if format in (None, GAIA) and is_gaia(path):
        _import_gaia(context, path, as_json=as_json)
        return True
    product = format if format in PRODUCTS else product_of(path)
    if product is None:
        return False
    _import_product(context, path, product, me, as_json=as_json)
    return True


def _chat_options(
    context: typer.Context, path: Path, *, zone: str | None, **given: Any
) -> ImportOptions:
    """How to read a chat export, looked into before a store is made. Where it needs a zone and none
    is named, that is the user's.
    """
    from omoide.cli import show
    from omoide.exchange.intake import look_into
    from omoide.exchange.options import ImportOptions
    from omoide.nouns.errors import InvalidInput

    def looked_into(zone: str | None) -> ImportOptions:
        options = ImportOptions(zone=zone, **given)
        look_into(there(path), options)
        return options

    try:
        return looked_into(zone)
    except InvalidInput as error:
        own, whose = _usual_zone(context) if error.field == "zone" and zone is None else (None, "")
        if own is None:
            raise
    options = looked_into(own)
    show.errors.print(
        show.safe(
            f"note: the export has local times only; they are read in {own}, {whose} zone; --zone"
            " NAME names another"
        ),
        style="yellow",
    )
    return options


def _usual_zone(context: typer.Context) -> tuple[str | None, str]:
    """The name of the zone in which the user's days are meant, and whose zone it is."""
    from omoide.nouns.errors import InvalidInput

    zone = None
    with suppress(InvalidInput), opened(context) as memory:  # there may be no store yet
        zone = memory.zone(scope_of(context))
    named = getattr(zone, "key", None) or settings(context).zone
    return (named, "your") if named else (machine_zone(), "this machine's")


def _tell_chats(context: typer.Context, report: Intake) -> None:
    """Say what became of a chat export."""
    from omoide.cli import show

    _tell_problems(report)
    also = (
        f"{report.repeated} there already" if report.repeated else "",
        f"{show.counted(report.masked, 'secret')} masked" if report.masked else "",
        show.counted(len(report.problems), "problem") if report.problems else "",
    )
    talks, added = (
        show.counted(report.conversations, "conversation"),
        show.counted(report.added, "turn"),
    )
    show.console.print(", ".join((f"{talks}: {added} added", *filter(None, also))))
    for omitted in report.left_out:
        show.console.print(show.safe(f"left out: {omitted}"))
    undo = command_of(context, f"undo {report.id}")
    if report.added:
        _tell_undo(undo)
        note_login(context)
    _note_strangers(report, undo)


def _note_strangers(report: Intake, undo: str) -> None:
    """Say who talks in group chats, where nobody of them is known to be the user."""
    from omoide.cli.show import errors, safe

    if not report.strangers:
        return
    who = f"none of {', '.join(report.strangers)} is known to be you"
    what = "what they say is learnt as other people's word"
    back = undo if report.added else "undo that import"
    again = f"if one is you: {back}, then import again with --me NAME"
    errors.print(safe(f"note: {who}, so {what}; {again}"), style="yellow")


def export(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="The new archive, .jsonl")],
    user: UserOfExport = None,
    everything: WholeTenant = False,
    recorded_since: RecordedSince = None,
    recorded_until: RecordedUntil = None,
    as_json: AsJson = False,
) -> None:
    """Export everything about a user, or the whole tenant, as an open archive."""
    from omoide.cli.show import in_words
    from omoide.nouns.errors import InvalidInput
    from omoide.telemetry.progress import watching

    if user is not None and everything:
        raise InvalidInput("export", "name a user or --everything, not both")
    if user is not None:
        context.obj = replace(context.obj, user=user)
    with opened(context) as memory, progress("exporting") as step, watching(step):
        exported = memory.admin.export(
            within_folder(path),
            scope_of(context),
            everything=everything,
            recorded_since=moment(recorded_since, "recorded_since"),
            recorded_until=moment(recorded_until, "recorded_until", end_of_day=True),
        )
    if not everything and not settings(context).user and not as_json:
        all_of_it = "--everything writes all that the store holds"
        _note([f"no user is named, so no turns are in it; {all_of_it}"])
    tell(exported, f"wrote {in_words(exported.records)} to {path}", as_json=as_json)


def load(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="An archive made by export.")],
    everything: AsAdministrator = False,
    restore_forgotten: RestoreForgotten = False,
    as_json: AsJson = False,
) -> None:
    """Load an archive into the store; loading it again changes nothing."""
    from omoide.archive.lines import check_archive
    from omoide.telemetry.progress import watching

    check_archive(there(path))  # before a store is made
    with opened(context, create=True) as memory:
        scope = scope_of(context)
        seen = memory.admin.load(path, scope, preview=True)
        if everything:
            _note(f"it brings {count} {whose}" for whose, count in seen.beyond.items())
        restored = restore_forgotten or _is_restored(seen.forgotten)
        with progress("loading") as step, watching(step):
            loaded = memory.admin.load(
                path, scope, everything=everything, restore_forgotten=restored
            )
        memory.admin.tidy(only=["vectors"])
    tell(loaded, _told(loaded), as_json=as_json)


def _note(lines: Iterable[str]) -> None:
    from omoide.cli import show

    for line in lines:
        typer.secho(f"note: {show.safe(line)}", err=True, fg="yellow")


def _is_restored(forgotten: Sequence[str]) -> bool:
    """Whether a person wants back what was forgotten; nobody is asked where nobody can answer."""
    if not forgotten or not sys.stdin.isatty():
        return False
    _note(f"it holds {one}, which was forgotten here" for one in forgotten[:FORGOTTEN_SHOWN])
    more = f"Bring all {len(forgotten)} back?" if len(forgotten) > 1 else "Bring it back?"
    return typer.confirm(more, err=True)


def _told(loaded: Loaded) -> str:
    from omoide.cli.show import counted, in_words

    also = (
        f"{loaded.known} there already" if loaded.known and loaded.added else "",
        f"{counted(loaded.history, 'change')} kept as foreign history" if loaded.history else "",
        f"passed over {in_words(loaded.passed_over)}" if loaded.passed_over else "",
    )
    nothing = "" if loaded.added else "; all of it is there already"
    return ", ".join((f"loaded {in_words(loaded.added)}{nothing}", *filter(None, also)))


def migrate_store(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="The store to move: a file, or postgresql://…")],
    target: Annotated[
        str, typer.Argument(help="Where to: a new file, or an empty Postgres database.")
    ],
    as_json: AsJson = False,
) -> None:
    """Move a whole store to another engine, and verify that nothing was lost."""
    from omoide.exchange.migrate_store import move_store

    if "://" not in source:
        there(source.removeprefix("sqlite:"))
    has_folder(target)
    with progress("moving") as step:
        counts = move_store(
            source, target, passphrase=settings(context).passphrase or None, tell=step
        )
    moved = ", ".join(f"{table} {count}" for table, count in counts.items() if count)
    tell(counts, f"moved {sum(counts.values())} rows and compared them: {moved}", as_json=as_json)


def write_files(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The folder; it is made if it is not there.")],
    sensitive: WriteSensitive = False,
    force: DropEdits = False,
    as_json: AsJson = False,
) -> None:
    """Write items into a folder of Markdown files, one per category."""
    from omoide.cli.show import counted
    from omoide.exchange.files import folder as files

    within_folder(folder)
    with opened(context) as memory:
        scope = scope_of(context)
        count = files.write_files(memory, folder, scope, sensitive=sensitive, force=force)
    tell({"written": count}, f"{counted(count, 'item')} written to {folder}", as_json=as_json)


def read_files(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="A folder that omoide files write made.")],
    keep: KeepRemoved = False,
    yes: ForgetRemoved = False,
    as_json: AsJson = False,
) -> None:
    """Read your edits of that folder back: corrected, added and removed items."""
    from omoide.cli.show import safe
    from omoide.exchange.files import folder as files

    def may_forget(item: Item) -> bool:
        asked = f"Forget {safe(item.text, 200)}?"
        return not keep and (yes or (sys.stdin.isatty() and typer.confirm(asked, err=True)))

    there(folder)
    with opened(context) as memory:
        scope = scope_of(context)
        plan = files.read_plan(memory, folder, scope)
        if plan.conflicts:
            _refuse([files.conflict_of(memory, scope, entry) for entry in plan.conflicts])
        done = files.carry_out(memory, folder, scope, plan, may_forget)
    line = f"{done.corrected} corrected, {done.added} added, {done.forgotten} forgotten"
    tell(done, line, as_json=as_json)


def _refuse(conflicts: Iterable[str]) -> NoReturn:
    """Say which entries were changed on both sides, and leave."""
    from omoide.cli.show import errors, safe
    from omoide.nouns.errors import Conflict

    for told in conflicts:
        errors.print(safe(told, len(told)), style="yellow")
    typer.secho("nothing was changed", err=True)
    raise typer.Exit(Conflict.exit_code)
