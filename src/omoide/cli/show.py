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

console = Console(highlight=False)


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
    console.print(grid if count else Text("nothing found", style="dim"))


def items(found: Iterable[Item]) -> None:
    """Items by line."""
    table(
        ("id", "category", "text", "since", "marks"),
        ((i.id, i.category.value, safe(i.text, 90), day(i.valid_from), marks(i)) for i in found),
    )


def marks(item: Item) -> str:
    """What is special about an item, in words."""
    named = (
        (item.pinned, "pinned"),
        (item.muted, "muted"),
        (item.sensitive, "sensitive"),
        (not item.is_open, "closed"),
        (item.due_at is not None, f"due {day(item.due_at)}"),
    )
    return ", ".join(word for holds, word in named if holds)


def source(hit: Hit) -> str:
    """Where a hit comes from, in a few words."""
    if hit.turn is not None:
        return f"{hit.turn.speaker}, {day(hit.at)}, {hit.id}"
    assert hit.item is not None
    entities = f" · {', '.join(hit.item.entities)}" if hit.item.entities else ""
    return f"{hit.item.category.value} known since {day(hit.item.valid_from)}{entities} · {hit.id}"


def recall(answer: Recall, *, explain: bool) -> None:
    """Hits with where they come from; with explain, also how each search ranked them."""
    if not answer.hits:
        console.print(Text("nothing found", style="dim"))
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


def turns(said: Iterable[Turn]) -> None:
    """Turns as a conversation."""
    for turn in said:
        console.print(Text(f"{turn.id}  {day(turn.at)}  ", style="dim") + Text(f"{turn.speaker}: ", style="bold") + safe(turn.text))


def history(past: History) -> None:
    """Versions of an item, then every change."""
    for item in past.items:
        until = f"until {day(item.closed_at)}" if item.closed_at else "still held" if item.is_open else "closed"
        console.print(Text(f"{item.id}  {day(item.valid_from)}, {until}: ", style="dim") + safe(item.text, 200))
    rows = ((str(c.seq), day(c.at), c.action.value, c.record, c.actor, safe(c.reason, 60), c.id) for c in past.changes)
    table(("seq", "when", "what", "record", "by", "why", "change"), rows)


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


def stats(sums: Stats) -> None:
    """What it all adds up to."""
    rows: list[tuple[str, str]] = [
        ("items", f"{sums.items} ({sums.sensitive} sensitive), recalled {sums.retrievals} times, mean confidence {sums.confidence:.2f}"),
        ("by category", _counts(sums.by_category)),
        ("by context", _counts(sums.by_context)),
        ("by source", _counts(sums.by_source)),
        ("due", f"{sums.upcoming} in the next 7 days, {sums.overdue} overdue"),
        ("entities", str(sums.entities)),
        ("log", f"{sums.log.turns} turns in {sums.log.sessions} sessions, {day(sums.log.first_at)} to {day(sums.log.last_at)}"),
        ("ledger", f"{sums.changes} changes"),
    ]
    rows += [("vectors", f"{c.with_vector} of {c.total} ({c.percent:.0f} %) by {c.embedder}, {c.state}") for c in sums.coverage]
    rows += [("vectors", "no embedder, by choice")] if not sums.coverage else []
    rows += [("jobs", f"{j.total} {j.kind} {j.state}") for j in sums.jobs]
    table(("", ""), rows)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {total}" for name, total in counts.items()) or "none"
