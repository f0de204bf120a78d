"""How records look on a terminal: tables and short texts, free of control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from omoide.cli.session import printable

if TYPE_CHECKING:
    from omoide.read.lineage import Diff, History
    from omoide.read.reads import Stats
    from omoide.records import Hit, Item, Recall, Receipt, Turn
    from omoide.tables.sessions import Preview

console = Console(highlight=False, soft_wrap=True)
UNSURE = 0.5  # below it, an answer is less likely held than not


def safe(text: str, limit: int | None = None) -> Text:
    """A stored text fit for a terminal: no escape sequences, no hidden or direction-changing characters."""
    flat = "".join(c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf") or c in "\u200c\u200d" else " " for c in text)
    if limit is not None:
        flat = " ".join(flat.split())
        flat = flat if len(flat) <= limit else flat[: limit - 1] + "…"
    return Text(printable(flat))


def day(moment: datetime | None) -> str:
    """A time to the minute, in this machine's zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if moment else ""


def table(headings: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Rows under headings; says so when there are none."""
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in headings:
        grid.add_column(heading, overflow="fold", no_wrap=heading == "id")
    count = 0
    for row in rows:
        grid.add_row(*row)
        count += 1
    console.print(grid if count else Text("nothing found", style="dim"), soft_wrap=False)


def items(found: Iterable[Item]) -> None:
    """Items, each with a line about it."""
    shown = list(found)
    for item in shown:
        console.print(safe(item.text, 400))
        about = (f"{item.category.value} since {day(item.valid_from)}", *item.entities, *marks(item), item.id)
        console.print(Text("    ") + safe(" · ".join(about)), style="dim")
    if not shown:
        console.print(Text("nothing found", style="dim"))


def marks(item: Item) -> list[str]:
    """What is special about an item, in words."""
    named = (
        (item.pinned, "pinned"),
        (item.muted, "muted"),
        (item.sensitive, "sensitive"),
        (not item.is_open, "closed"),
        (item.due_at is not None, f"due {day(item.due_at)}"),
    )
    return [word for holds, word in named if holds]


def source(hit: Hit) -> str:
    """Where a hit comes from, in a few words."""
    if hit.turn is not None:
        return f"{hit.turn.speaker}, {day(hit.at)}, {hit.id}"
    assert hit.item is not None
    return " · ".join((f"{hit.item.category.value} since {day(hit.item.valid_from)}", *hit.item.entities, *marks(hit.item), hit.id))


def recall(answer: Recall, *, explain: bool) -> None:
    """Hits with where they come from; with explain, also how each search ranked them."""
    if not answer.hits:
        console.print(Text("nothing found", style="dim"))
    elif answer.answerable < UNSURE:
        console.print(Text(f"probably not held ({answer.answerable:.0%}); what comes nearest:", style="yellow"))
    for number, hit in enumerate(answer.hits, start=1):
        line = Text(f"{number:>2}. ", style="bold") + safe(hit.text, 400)
        console.print(line)
        console.print(Text(f"    {source(hit)}", style="dim") if not explain else Text(f"    {hit.score:.3f}  {source(hit)}", style="dim"))
        if explain:
            ranks = " · ".join(f"{a.arm.value} #{a.rank} ({a.score:.3f}, gives {a.share:.3f})" for a in hit.arms)
            console.print(Text(f"    {ranks}", style="cyan"))
    if explain:
        steps = " · ".join(f"{s.name} {s.count} in {s.ms:.1f} ms{f' ({s.note})' if s.note else ''}" for s in answer.trace)
        console.print(Text(f"{steps}\nanswerable {answer.answerable:.2f}", style="dim"))
    for note in answer.degraded:
        console.print(Text(f"note: {note}", style="yellow"))


def sessions(found: Iterable[Preview]) -> None:
    """Sessions, each with a line about it that holds its id whole."""
    shown = list(found)
    for preview in shown:
        session = preview.session
        console.print(safe(session.title or preview.preview, 400))
        count = f"{session.turns} turn" + ("" if session.turns == 1 else "s")
        console.print(Text("    ") + safe(" · ".join((count, f"last {day(session.last_at)}", session.id))), style="dim")
    if not shown:
        console.print(Text("nothing found", style="dim"))


def turns(said: Iterable[Turn]) -> None:
    """Turns as a conversation."""
    for turn in said:
        console.print(Text(f"{turn.id}  {day(turn.at)}  ", style="dim") + Text(f"{turn.speaker}: ", style="bold") + safe(turn.text))


def history(past: History) -> None:
    """Versions of an item, then every change, each with a line about it."""
    for item in past.items:
        until = f"until {day(item.closed_at)}" if item.closed_at else "still held" if item.is_open else "closed"
        console.print(safe(item.text, 400))
        console.print(Text(f"    {day(item.valid_from)}, {until} · {item.id}", style="dim"))
    console.print()
    for change in past.changes:
        why = f", {change.reason}" if change.reason else ""
        console.print(safe(f"{day(change.at)}  {change.action.value} by {change.actor}{why}"))
        console.print(Text(f"    change {change.seq} · {change.id}", style="dim"))


def diff(change: Diff) -> None:
    """What came and what went."""
    for item in change.added:
        console.print(Text("+ ", style="green") + safe(item.text, 200) + Text(f"  {item.id}", style="dim"))
    for item in change.removed:
        console.print(Text("- ", style="red") + safe(item.text, 200) + Text(f"  {item.id}", style="dim"))
    console.print(Text(f"{len(change.added)} added, {len(change.removed)} gone, {len(change.changes)} changes", style="dim"))


def receipt(proof: Receipt) -> None:
    """What was forgotten, and what is still pending."""
    counts = ", ".join(f"{count} {name}" for name, count in proof.erased.items() if count)
    console.print(f"forgot {counts}; found again in the store's files: {proof.residue}")
    for note in proof.pending:
        console.print(Text(f"pending: {note}", style="yellow"))
    console.print(Text(f"receipt {proof.id}", style="dim"))


def stats(sums: Stats, file_bytes: int | None) -> None:
    """What it all adds up to, and how large its file is, if it is one."""
    rows: list[tuple[str, str]] = [
        ("items", f"{sums.items} ({sums.sensitive} sensitive), recalled {sums.retrievals} times, mean confidence {sums.confidence:.2f}"),
        ("by category", _counts(sums.by_category)),
        ("by context", _counts(sums.by_context)),
        ("by source", _counts(sums.by_source)),
        ("due", f"{sums.upcoming} in the next 7 days, {sums.overdue} overdue"),
        ("entities", str(sums.entities)),
        ("log", f"{sums.log.turns} turns in {sums.log.sessions} sessions" + _between(sums.log.first_at, sums.log.last_at)),
        ("ledger", f"{sums.changes} changes"),
    ]
    rows += [("vectors", f"{c.with_vector} of {c.total} ({c.percent:.0f} %) by {c.embedder}, {c.state}") for c in sums.coverage]
    rows += [("vectors", "no embedder, by choice")] if not sums.coverage else []
    rows += [("jobs", f"{j.total} {j.kind} {j.state}") for j in sums.jobs]
    rows += [("file", f"{file_bytes / 1e6:.1f} MB")] if file_bytes else []
    table(("", ""), rows)


def _between(first: datetime | None, last: datetime | None) -> str:
    return f", {day(first)} to {day(last)}" if first else ""


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {total}" for name, total in counts.items()) or "none"
