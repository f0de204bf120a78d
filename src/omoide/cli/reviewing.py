"""Commands that look at what is uncertain and settle it: review, approve, reword, reject,
cascade.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from omoide.cli import show
from omoide.cli.completion import record_id, session_names
from omoide.cli.given import there
from omoide.cli.here import Here
from omoide.cli.options import AsMine, ItemId, Limit, Seal
from omoide.cli.show import console, day, items, put, safe
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Item
from omoide.nouns.procedure import Procedure
from omoide.nouns.proposal import RATIONALE, ForReview
from omoide.nouns.record.lines import counted
from omoide.nouns.record.plain import plain
from omoide.nouns.reflection import Reflection
from omoide.nouns.scope import Scope

if TYPE_CHECKING:
    from rich.text import Text

    from omoide.memory import Memory

EMPTY = "The review queue is empty; proposals that need your decision appear here"
COLOURS = {"=": "", "-": "red strike", "+": "green"}
Proposed = Annotated[str, record_id("Id of the proposal, as omoide review shows it.", "proposal")]


def review(here: Here, limit: Limit = 100) -> None:
    """List proposals and unconfirmed items. Each proposal shows what it would change, why it waits,
    and the seal that approves exactly this text.
    """
    with here.opened() as memory:
        waiting, unsure = _to_review(memory, here.scope, limit)
    told = [*map(_with_kind, waiting), *map(_as_unconfirmed, unsure)]
    here.tell(told, lambda _: _show_all(here, waiting, unsure), (EMPTY, here.hint))


def review_alone(here: Here, limit: int) -> None:
    """At a terminal ask about each proposal and unconfirmed item; elsewhere list them."""
    from omoide.cli.review_walk import ReviewWalk, at_terminal

    if here.as_json or not at_terminal():
        review(here, limit)
        return
    with here.opened() as memory:
        waiting, unsure = _to_review(memory, here.scope, limit)
        counts = ReviewWalk(memory, here.scope, show_waiting).run(waiting, unsure)
    told = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    console.print(f"{counted(len(waiting) + len(unsure), 'record')}: {told or 'nothing settled'}")


def show_waiting(one: ForReview | Item | Reflection) -> None:
    """What a person is asked about: a proposal, or what is unconfirmed."""
    if isinstance(one, ForReview):
        show_proposal(one)
    else:
        show_unconfirmed(one)


def _to_review(
    memory: Memory, scope: Scope, limit: int
) -> tuple[Sequence[ForReview], Sequence[Item | Reflection]]:
    """What waits for a person's word, and the unconfirmed items and reflections."""
    from omoide.tables.listing import Listing

    listing = Listing(unconfirmed=True, sort="created_at", descending=False, limit=limit)
    reflections = memory.reflections.list(scope, waiting=True, limit=1_000)
    unsure = [one for one in reflections if one.unconfirmed]
    items = memory.items.list(listing, scope).items
    return memory.review.list(scope, limit=limit), [*items, *unsure]


def _as_unconfirmed(one: Item | Reflection) -> dict[str, Any]:
    name = "item" if isinstance(one, Item) else "reflection"
    return {"kind": "unconfirmed", name: plain(one)}


def show_unconfirmed(one: Item | Reflection) -> None:
    """An unconfirmed item or reflection, with a line about it."""
    from rich.text import Text

    if isinstance(one, Item):
        items([one])
        if one.quote:
            put(Text("    ") + safe(f"“{one.quote}”", 400), hang=4, style="dim")
        return
    put(safe(one.text, 400))
    put(safe(f"    reflection · unconfirmed · since {day(one.formed_at)} · {one.id}"), style="dim")


def _show_all(
    here: Here, waiting: Sequence[ForReview], unsure: Sequence[Item | Reflection]
) -> None:
    for one in waiting:
        show_proposal(one, here)
    if unsure:
        put("unconfirmed", style="bold")
    for item in unsure:
        show_unconfirmed(item)
        put(f"    {here.command(f'review confirm {item.id}')}", style="cyan")


def _with_kind(one: ForReview) -> dict[str, Any]:
    """As JSON, with the kind of what it would make or close: by its fields alone that could only be
    guessed.
    """
    return {"kind": one.proposal.kind.value, **plain(one)}


def show_proposal(one: ForReview, here: Here | None = None) -> None:
    """A proposal with why it waits; with a command at hand, also the command that approves
    it.
    """
    from rich.text import Text

    proposal = one.proposal
    what = "" if proposal.made is None else f"{proposal.kind.value}: "
    put(Text(f"{proposal.wish.value} {what}", style="bold") + _wording(one), hang=4)
    put(Text("    ") + safe(" · ".join(_about(one))), hang=4, style="dim")
    for head, told in _grounds(one):
        put(Text(f"    {head}") + safe(told, 400), hang=4, style="dim")
    if here is not None:
        approving = here.command(f"review approve {proposal.id} {one.seal}")
        put(f"    {approving}", style="cyan")


def _about(one: ForReview) -> Iterator[str]:
    """Why a proposal waits, whose word it is, where it was said, and since when."""
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

    pieces = one.changes or (("=", one.text),)  # where it only closes its target, all of that goes
    line = Text()
    for sign, piece in pieces:
        text = safe(piece)
        text.stylize(COLOURS[sign])
        marks = {"-": ("[-", "-]"), "+": ("{+", "+}")}.get(sign, ("", ""))
        line += Text(marks[0]) + text + Text(marks[1])
    return line


def approve(here: Here, id: Proposed, seal: Seal, as_mine: AsMine = False) -> None:
    """Approve a proposal exactly as it was shown."""
    with here.opened() as memory:
        made = memory.review.approve(id, seal, here.scope, as_mine=as_mine)
        done = "is closed" if isinstance(made, Item) and not made.is_open else "holds"
        text = made.name if isinstance(made, Procedure) else made.text
        here.tell(made, safe(f"{made.id} {done}: ") + safe(text, 200))


def reword(
    here: Here,
    id: Proposed,
    text: Annotated[str | None, Argument(help="The wording that is right.")] = None,
    file: Annotated[
        Path | None, Option("--file", help="A file with it: for a procedure, its SKILL.md.")
    ] = None,
) -> None:
    """Change a proposal's wording, as your own word; then approve it with its new seal. Give a
    procedure as its SKILL.md.
    """
    if (text is None) == (file is None):
        raise InvalidInput("text", "give the wording, or a --file that has it")
    with here.opened() as memory:
        wording = there(file).read_text("utf-8") if file else str(text)
        one = memory.review.edit(id, wording, here.scope)
    here.tell(_with_kind(one), lambda _: show_proposal(one, here))


def reject(here: Here, id: Proposed) -> None:
    """Reject a proposal, or close an unconfirmed item. omoide undo ID takes that back."""
    with here.opened() as memory:
        memory.review.reject(id, here.scope)
    here.tell(None, safe(f"rejected {id}"))


OfSession = Annotated[
    str,
    Option("--session", help="Only those of this session.", autocompletion=session_names),
]
FromSource = Annotated[
    str, Option(help="Only those from this document, or that came to be so: llm_extract.")
]
Reason = Annotated[str, Option(help="Only those that wait for this: ungrounded_name.")]


def _check_named(*options: str) -> None:
    """That an option says which proposals are meant.

    Raises:
        InvalidInput: none does.
    """
    if not any(options):
        raise InvalidInput(
            "proposals", "say which: --session SESSION, --source SOURCE or --reason REASON"
        )


def approve_all(
    here: Here, session: OfSession = "", source: FromSource = "", reason: Reason = ""
) -> None:
    """Approve all proposals of a session, from a source or with a reason, as they stand now."""
    _settle_all(here, "approved", session=session, source=source, reason=reason)


def reject_all(
    here: Here, session: OfSession = "", source: FromSource = "", reason: Reason = ""
) -> None:
    """Reject all proposals of a session, from a source or with a reason."""
    _settle_all(here, "rejected", session=session, source=source, reason=reason)


def _settle_all(here: Here, how: str, **which: str) -> None:
    with here.opened() as memory:
        _check_named(*which.values())
        settle = memory.review.approve_all if how == "approved" else memory.review.reject_all
        done = settle(here.scope, **which)
    left = "".join(f"\nleft {id}: {why}" for id, why in done.left.items())
    here.tell(done, safe(f"{how} {counted(len(done), 'proposal')}{left}"))


def confirm(here: Here, id: ItemId) -> None:
    """Confirm an unconfirmed item or reflection; an item replaces or closes what it is meant to."""
    with here.opened() as memory:
        item = memory.review.confirm(id, here.scope)
        here.tell(item, safe(f"{item.id} is confirmed: ") + safe(item.text, 200))


def cascade(here: Here, id: ItemId) -> None:
    """Show which items would be unconfirmed if one were corrected or taken back; nothing is
    changed.
    """
    with here.opened() as memory:
        falling = memory.items.dependants(id, here.scope)
        none = f"nothing rests on {id}", "no item would be unconfirmed"
        here.tell(falling, show.items, none)
