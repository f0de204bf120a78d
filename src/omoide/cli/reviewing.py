"""Commands that look at what is uncertain and settle it: review, approve, reword, reject,
cascade.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from omoide.cli.completion import item_ids
from omoide.cli.plain import plain
from omoide.cli.session import AsJson, hint, opened, print_json, scope_of, tell, tell_all, there

if TYPE_CHECKING:
    from rich.text import Text

    from omoide.nouns.proposal import ForReview

COLOURS = {"=": "", "-": "red strike", "+": "green"}
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many at most.")]
Unsure = Annotated[str, typer.Argument(help="Id of the item.", autocompletion=item_ids)]
Proposed = Annotated[str, typer.Argument(help="Id of the proposal, as omoide review shows it.")]


def review(
    context: typer.Context,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Show what waits for a person's word: what it would change, why it waits, and the seal that
    approves exactly that.
    """
    with opened(context) as memory:
        waiting = memory.review.list(scope_of(context), limit=limit)
    step = hint(context) or "what fails a check when talk is learnt from comes here"
    if as_json:
        print_json([_with_kind(one) for one in waiting])
    else:
        tell_all(waiting, _show_all, ("nothing waits for review", step), as_json=False)


def _with_kind(one: ForReview) -> dict[str, Any]:
    """As JSON, with the kind of what it would make or close: by its fields alone that could only be
    guessed.
    """
    return {"kind": one.proposal.kind.value, **plain(one)}


def _show_all(waiting: Sequence[ForReview]) -> None:
    for one in waiting:
        _show(one)


def _show(one: ForReview) -> None:
    from rich.text import Text

    from omoide.cli.show import day, put, safe
    from omoide.nouns.item import Item
    from omoide.nouns.proposal import RATIONALE, in_words
    from omoide.nouns.reflection import Reflection

    proposal = one.proposal
    what = "" if proposal.made is None else f"{proposal.kind.value}: "
    put(Text(f"{proposal.wish.value} {what}", style="bold") + _wording(one), hang=4)
    why = in_words((*proposal.flags, *(f"hidden: {sort}" for sort in one.hidden)))
    whose = "" if proposal.tier is None else proposal.tier.name.lower()
    about = filter(
        None, (why, whose and f"{whose}'s word", proposal.session, f"since {day(proposal.made_at)}")
    )
    put(Text("    ") + safe(" · ".join(about)), hang=4, style="dim")
    quote = proposal.what.quote if isinstance(proposal.what, Item | Reflection) else None
    if quote:
        put(Text("    ") + safe(f"“{quote}”", 400), hang=4, style="dim")
    rationale = proposal.item.metadata.get(RATIONALE) if proposal.item else None
    if isinstance(rationale, str):
        put(Text("    since ") + safe(rationale, 400), hang=4, style="dim")
    put(f"    omoide review approve {proposal.id} {one.seal}", style="cyan")


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
    seal: Annotated[
        str, typer.Argument(help="The seal that it was shown with; good for ten minutes.")
    ],
    as_mine: Annotated[
        bool, typer.Option("--as-mine", help="Make it your own word, not that of who said it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let a proposal happen exactly as it was shown."""
    from omoide.cli.show import safe
    from omoide.nouns.item import Item
    from omoide.nouns.procedure import Procedure

    with opened(context) as memory:
        made = memory.review.approve(id, seal, scope_of(context), as_mine=as_mine)
        done = "is closed" if isinstance(made, Item) and not made.is_open else "holds"
        tell(
            made,
            safe(f"{made.id} {done}: ")
            + safe(made.name if isinstance(made, Procedure) else made.text, 200),
            as_json=as_json,
        )


def reword(
    context: typer.Context,
    id: Proposed,
    text: Annotated[str | None, typer.Argument(help="The wording that is right.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file with it: for a procedure, its SKILL.md.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Word a proposal otherwise, as your own word; it waits on, to be approved with another seal. A
    procedure is worded as its SKILL.md.
    """
    from omoide.nouns.errors import InvalidInput

    if (text is None) == (file is None):
        raise InvalidInput("text", "give the wording, or a --file that has it")
    with opened(context) as memory:
        one = memory.review.edit(
            id, there(file).read_text("utf-8") if file else str(text), scope_of(context)
        )
    print_json(_with_kind(one)) if as_json else _show(one)


def reject(context: typer.Context, id: Proposed) -> None:
    """Let a proposal wait no more; omoide undo ID lets it wait again."""
    from omoide.cli.show import console, safe

    with opened(context) as memory:
        memory.review.reject(id, scope_of(context))
    console.print(safe(f"rejected {id}"))


def confirm(context: typer.Context, id: Unsure, as_json: AsJson = False) -> None:
    """Confirm an unconfirmed item, and carry out what it is meant to replace or close."""
    from omoide.cli.show import safe

    with opened(context) as memory:
        item = memory.review.confirm(id, scope_of(context))
        tell(item, safe(f"{item.id} is confirmed: ") + safe(item.text, 200), as_json=as_json)


def cascade(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="Id of the item.", autocompletion=item_ids)],
    as_json: AsJson = False,
) -> None:
    """Show which items would be unconfirmed if one were corrected or taken back; nothing is
    changed.
    """
    from omoide.cli import show

    with opened(context) as memory:
        falling = memory.items.dependants(id, scope_of(context))
        tell_all(
            falling,
            show.items,
            (f"nothing rests on {id}", "no item would be unconfirmed"),
            as_json=as_json,
        )
