"""Commands that look at what is uncertain and settle it: review, approve, reword, reject,
cascade.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from omoide.cli.completion import record_id
from omoide.cli.options import AsMine, ItemId, Limit, Seal
from omoide.cli.plain import plain
from omoide.cli.session import (
    AsJson,
    command_of,
    hint,
    opened,
    print_json,
    scope_of,
    tell,
    tell_all,
    there,
)

if TYPE_CHECKING:
    from rich.text import Text

    from omoide.memory import Memory
    from omoide.nouns.item import Item
    from omoide.nouns.proposal import ForReview
    from omoide.nouns.reflection import Reflection
    from omoide.nouns.scope import Scope
    from omoide.review.bulk import Settled

EMPTY = "The review queue is empty. Proposals that need your decision appear here."
COLOURS = {"=": "", "-": "red strike", "+": "green"}
Proposed = Annotated[str, record_id("Id of the proposal, as omoide review shows it.", "proposal")]


def review(
    context: typer.Context,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """List proposals and unconfirmed items. Each proposal shows what it would change, why it waits,
    and the seal that approves exactly this text.
    """
    with opened(context) as memory:
        waiting, unsure = _to_review(memory, scope_of(context), limit)
    if as_json:
        print_json([*map(_with_kind, waiting), *map(_as_unconfirmed, unsure)])
        return
    if waiting or not unsure:
        tell_all(waiting, partial(_show_all, context), (EMPTY, hint(context)), as_json=False)
    _show_unconfirmed(context, unsure)


def review_alone(context: typer.Context, limit: int, as_json: bool) -> None:
    """At a terminal ask about each proposal and unconfirmed item; elsewhere list them."""
    from omoide.cli.review_walk import Walk, at_terminal
    from omoide.cli.show import console, counted

    if as_json or not at_terminal():
        review(context, limit, as_json)
        return
    with opened(context) as memory:
        waiting, unsure = _to_review(memory, scope_of(context), limit)
        counts = Walk(memory, scope_of(context), show_waiting).run(waiting, unsure)
    told = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    console.print(f"{counted(len(waiting) + len(unsure), 'record')}: {told or 'nothing settled'}")


def show_waiting(one: ForReview | Item | Reflection) -> None:
    """What a person is asked about: a proposal, or what is unconfirmed."""
    from omoide.nouns.proposal import ForReview

    if isinstance(one, ForReview):
        show_proposal(one)
    else:
        show_unconfirmed(one)


def _to_review(
    memory: Memory, scope: Scope, limit: int
) -> tuple[Sequence[ForReview], Sequence[Item | Reflection]]:
    """What waits for a person's word, and the unconfirmed items and reflections."""
    from omoide.tables.items import Listing

    listing = Listing(unconfirmed=True, sort="created_at", descending=False, limit=limit)
    reflections = memory.reflections.list(scope, waiting=True, limit=1_000)
    unsure = [one for one in reflections if one.unconfirmed]
    items = memory.items.list(listing, scope).items
    return memory.review.list(scope, limit=limit), [*items, *unsure]


def _as_unconfirmed(one: Item | Reflection) -> dict[str, Any]:
    from omoide.nouns.item import Item

    name = "item" if isinstance(one, Item) else "reflection"
    return {"kind": "unconfirmed", name: plain(one)}


def show_unconfirmed(one: Item | Reflection) -> None:
    """An unconfirmed item or reflection, with a line about it."""
    from rich.text import Text

    from omoide.cli.show import day, items, put, safe
    from omoide.nouns.item import Item

    if isinstance(one, Item):
        items([one])
        if one.quote:
            put(Text("    ") + safe(f"“{one.quote}”", 400), hang=4, style="dim")
        return
    put(safe(one.text, 400))
    put(safe(f"    reflection · unconfirmed · since {day(one.formed_at)} · {one.id}"), style="dim")


def _show_unconfirmed(context: typer.Context, unsure: Sequence[Item | Reflection]) -> None:
    from omoide.cli.show import put

    if unsure:
        put("unconfirmed", style="bold")
    for item in unsure:
        show_unconfirmed(item)
        put(f"    {command_of(context, f'review confirm {item.id}')}", style="cyan")


def _with_kind(one: ForReview) -> dict[str, Any]:
    """As JSON, with the kind of what it would make or close: by its fields alone that could only be
    guessed.
    """
    return {"kind": one.proposal.kind.value, **plain(one)}


def _show_all(context: typer.Context, waiting: Sequence[ForReview]) -> None:
    for one in waiting:
        show_proposal(one, context)


def show_proposal(one: ForReview, context: typer.Context | None = None) -> None:
    """A proposal with why it waits; with the context of a command, also the command that approves
    it.
    """
    from rich.text import Text

    from omoide.cli.show import put, safe

    proposal = one.proposal
    what = "" if proposal.made is None else f"{proposal.kind.value}: "
    put(Text(f"{proposal.wish.value} {what}", style="bold") + _wording(one), hang=4)
    put(Text("    ") + safe(" · ".join(_about(one))), hang=4, style="dim")
    for head, told in _grounds(one):
        put(Text(f"    {head}") + safe(told, 400), hang=4, style="dim")
    if context is not None:
        approving = command_of(context, f"review approve {proposal.id} {one.seal}")
        put(f"    {approving}", style="cyan")


def _about(one: ForReview) -> Iterator[str]:
    """Why a proposal waits, whose word it is, where it was said, and since when."""
    from omoide.cli.show import day

    proposal = one.proposal
    why = (*one.reasons, *(f"hidden: {sort.replace('_', ' ')}" for sort in one.hidden))
    if why:
        yield ", ".join(why)
    if proposal.tier is not None:
        yield f"{proposal.tier.name.lower()}'s word"
    if proposal.session:
        yield proposal.session
    yield f"since {day(proposal.made_at)}"


def _grounds(one: ForReview) -> Iterator[tuple[str, str]]:
    """What a proposal rests on, and what is like it, each with what goes before it."""
    from omoide.nouns.item import Item
    from omoide.nouns.proposal import RATIONALE
    from omoide.nouns.reflection import Reflection

    proposal = one.proposal
    if isinstance(proposal.what, Item | Reflection) and proposal.what.quote:
        yield "", f"“{proposal.what.quote}”"
    rationale = proposal.item.metadata.get(RATIONALE) if proposal.item else None
    if isinstance(rationale, str):
        yield "since ", rationale
    if one.similar is not None:
        yield "similar: ", one.similar.text


def _wording(one: ForReview) -> Text:
    """Its text, or how it differs from what it would close; hidden characters are named."""
    from rich.text import Text

    from omoide.cli.show import safe

    pieces = one.changes or (("=", one.text),)  # where it only closes its target, all of that goes
    line = Text()
    for sign, piece in pieces:
        text = safe(piece)
        text.stylize(COLOURS[sign])
        marks = {"-": ("[-", "-]"), "+": ("{+", "+}")}.get(sign, ("", ""))
        line += Text(marks[0]) + text + Text(marks[1])
    return line


def approve(
    context: typer.Context,
    id: Proposed,
    seal: Seal,
    as_mine: AsMine = False,
    as_json: AsJson = False,
) -> None:
    """Approve a proposal exactly as it was shown."""
    from omoide.cli.show import safe
    from omoide.nouns.item import Item
    from omoide.nouns.procedure import Procedure

    with opened(context) as memory:
        made = memory.review.approve(id, seal, scope_of(context), as_mine=as_mine)
        done = "is closed" if isinstance(made, Item) and not made.is_open else "holds"
        text = made.name if isinstance(made, Procedure) else made.text
        tell(made, safe(f"{made.id} {done}: ") + safe(text, 200), as_json=as_json)


def reword(
    context: typer.Context,
    id: Proposed,
    text: Annotated[str | None, typer.Argument(help="The wording that is right.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file with it: for a procedure, its SKILL.md.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a proposal's wording, as your own word; then approve it with its new seal. Give a
    procedure as its SKILL.md.
    """
    from omoide.nouns.errors import InvalidInput

    if (text is None) == (file is None):
        raise InvalidInput("text", "give the wording, or a --file that has it")
    with opened(context) as memory:
        wording = there(file).read_text("utf-8") if file else str(text)
        one = memory.review.edit(id, wording, scope_of(context))
    print_json(_with_kind(one)) if as_json else show_proposal(one, context)


def reject(context: typer.Context, id: Proposed) -> None:
    """Reject a proposal, or close an unconfirmed item. omoide undo ID takes that back."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        memory.review.reject(id, scope_of(context))
    console.print(safe(f"rejected {id}"))


Talk = Annotated[str, typer.Option("--talk", help="Only those of this session.")]
FromSource = Annotated[
    str, typer.Option(help="Only those from this document, or that came to be so: llm_extract.")
]
Reason = Annotated[str, typer.Option(help="Only those that wait for this: ungrounded_name.")]


def _check_named(*options: str) -> None:
    """That an option says which proposals are meant.

    Raises:
        InvalidInput: none does.
    """
    from omoide.nouns.errors import InvalidInput

    if not any(options):
        raise InvalidInput(
            "proposals", "say which: --talk SESSION, --source SOURCE or --reason REASON"
        )


def approve_all(
    context: typer.Context,
    talk: Talk = "",
    source: FromSource = "",
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Approve all proposals of a talk, from a source or with a reason, as they stand now."""
    which = {"session": talk, "source": source, "reason": reason}
    _settle_all(context, which, approve=True, as_json=as_json)


def reject_all(
    context: typer.Context,
    talk: Talk = "",
    source: FromSource = "",
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Reject all proposals of a talk, from a source or with a reason."""
    which = {"session": talk, "source": source, "reason": reason}
    _settle_all(context, which, approve=False, as_json=as_json)


def _settle_all(
    context: typer.Context, which: dict[str, str], *, approve: bool, as_json: bool
) -> None:
    with opened(context) as memory:
        _check_named(*which.values())
        settle = memory.review.approve_all if approve else memory.review.reject_all
        done = settle(scope_of(context), **which)
        _tell_settled(done, "approved" if approve else "rejected", as_json=as_json)


def _tell_settled(done: Settled, how: str, *, as_json: bool) -> None:
    from omoide.cli.show import counted, safe

    left = "".join(f"\nleft {id}: {why}" for id, why in done.left.items())
    tell(done, safe(f"{how} {counted(len(done), 'proposal')}{left}"), as_json=as_json)


def confirm(context: typer.Context, id: ItemId, as_json: AsJson = False) -> None:
    """Confirm an unconfirmed item or reflection; an item replaces or closes what it is meant to."""
    from omoide.cli.show import safe

    with opened(context) as memory:
        item = memory.review.confirm(id, scope_of(context))
        tell(item, safe(f"{item.id} is confirmed: ") + safe(item.text, 200), as_json=as_json)


def cascade(
    context: typer.Context,
    id: ItemId,
    as_json: AsJson = False,
) -> None:
    """Show which items would be unconfirmed if one were corrected or taken back; nothing is
    changed.
    """
    from omoide.cli import show

    with opened(context) as memory:
        falling = memory.items.dependants(id, scope_of(context))
        none = f"nothing rests on {id}", "no item would be unconfirmed"
        tell_all(falling, show.items, none, as_json=as_json)
