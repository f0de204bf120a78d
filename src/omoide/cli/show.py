"""How records look on a terminal: tables and short texts, free of control characters."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from omoide.nouns.change import Change
from omoide.nouns.clock import moved_to, user_zone
from omoide.nouns.entity import Entity
from omoide.nouns.hit import Hit, Recall
from omoide.nouns.item import Item, Tier
from omoide.nouns.receipt import Receipt
from omoide.nouns.record.lines import counted, in_words, legible, one_line
from omoide.nouns.reflection import Buffer
from omoide.nouns.turn import Turn

if TYPE_CHECKING:
    from omoide.context.result import Answer
    from omoide.read.lineage import Diff, History
    from omoide.read.listings import Stats
    from omoide.tables.sessions import SessionPreview
    from omoide.tables.tools import ToolCall, ToolSummary
    from omoide.tables.turns import TurnCount
    from omoide.telemetry.model_calls import ModelUse

console = Console(highlight=False, soft_wrap=True)
errors = Console(highlight=False, soft_wrap=True, stderr=True)
NARROW = 20  # columns, in fewer of which words are not kept whole
UNSURE = 0.5  # below it, an answer is less likely held than not


def safe(text: str, limit: int | None = None) -> Text:
    """A stored text fit for a terminal: no escape sequences, no hidden or direction-changing
    characters.
    """
    flat = legible(text) if limit is None else one_line(text, limit)
    return Text(printable(flat))


def printable(text: str) -> str:
    """The text with what this output cannot print, such as lone surrogates, as escapes."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def day(moment: datetime | None) -> str:
    """A time to the minute, in the user's zone."""
    return f"{moved_to(moment, user_zone()):%Y-%m-%d %H:%M}" if moment else ""


def nothing(what: str, step: str = "") -> None:
    """That nothing was found: what was looked for, and what may be done next."""
    line = safe(what, 400) + Text(f"; {step}" if step else "")
    put(line, style="dim")


def put(line: str | Text, *, hang: int = 0, style: str = "") -> None:
    """A line. On a terminal it is broken between words; what goes over begins after so many columns
    as what came before has at least.
    """
    whole = Text.assemble((line, style)) if isinstance(line, str) else line.copy()
    whole.stylize(style)
    room = console.width - hang
    if not console.is_terminal or room < NARROW:
        console.print(whole)
        return
    head, rest = whole[:hang], whole[hang:]
    for number, piece in enumerate(rest.wrap(console, room)):
        piece.rstrip()
        console.print((Text(" " * hang) if number else head) + piece)


def table(headings: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Rows in columns, under headings if there are any; nothing where there are none. On a terminal
    the last is broken between words.
    """
    cells = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    if not cells:
        return
    if any(headings):
        cells.insert(0, [Text(heading, style="bold") for heading in headings])
    widths = [max(row[column].cell_len for row in cells) for column in range(len(headings) - 1)]
    for *first, last in cells:
        line = Text()
        for cell, width in zip(first, widths, strict=True):
            line += cell + Text(" " * (width - cell.cell_len + 2))
        pieces = _broken(last, console.width - line.cell_len)
        line += Text("\n" + " " * line.cell_len).join(pieces)
        line.rstrip()
        console.print(line)


def _broken(cell: Text, room: int) -> Iterable[Text]:
    """A cell in lines: on a terminal broken between words, where there is room for them."""
    longest = max((len(word) for word in cell.plain.split()), default=0)
    is_wrapped = console.is_terminal and room >= max(NARROW, longest)
    pieces = cell.wrap(console, room) if is_wrapped else cell.split("\n")
    for piece in pieces:
        piece.rstrip()
    return pieces


def record(fields: Mapping[str, Any]) -> None:
    """One record whole, field by field, those that say nothing left out."""
    told = ((name, value) for name, value in fields.items() if value not in ("", {}, [], None))
    table(("", ""), ((name, safe(_value(name, value))) for name, value in told))


def _value(name: str, value: Any) -> str:
    if name == "tier":
        return Tier(value).name.lower()
    if isinstance(value, dict):
        return ", ".join(
            f"{key}: {_value(key, inner)}" for key, inner in value.items() if inner is not None
        )
    if isinstance(value, list):
        return ", ".join(_value("", inner) for inner in value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def items(found: Iterable[Item]) -> None:
    """Items, each with a line about it."""
    for item in found:
        put(safe(item.text, 400))
        put(Text("    ") + safe(about(item)), hang=4, style="dim")


def about(item: Item) -> str:
    """What an item is, since when, of whom, what is special about it, and its id."""
    since = f"{item.category.value} since {day(item.valid_from)}"
    return " · ".join((since, *item.entities, *marks(item), item.id))


def marks(item: Item) -> list[str]:
    """What is special about an item, in words."""
    from omoide.grounding.pasted import PASTED, rests_on_pasted

    named = (
        (item.pinned, "pinned"),
        (item.muted, "muted"),
        (item.sensitive, "sensitive"),
        (not item.is_open, "closed"),
        (item.tier is Tier.DOCUMENT, "document"),
        (rests_on_pasted(item), PASTED),
        (item.is_unconfirmed, f"unconfirmed: {item.unconfirmed}"),
        (item.due_at is not None, f"due {day(item.due_at)}"),
    )
    return [word for holds, word in named if holds]


def source(hit: Hit) -> str:
    """Where a hit comes from, in a few words."""
    from omoide.grounding.pasted import PASTED

    if hit.turn is not None:
        copied = f" ({PASTED})" if hit.pasted else ""
        return f"{hit.turn.speaker}{copied}, {day(hit.at)}, {hit.id}"
    assert hit.item is not None
    return about(hit.item)


def passage(hit: Hit) -> str:
    """What a hit shows, with dots where its text goes on."""
    if hit.passage is None:
        return hit.text
    return "… " * (hit.passage.start > 0) + hit.text + " …" * (hit.passage.end < hit.passage.total)


def recall(answer: Recall, *, explain: bool) -> None:
    """Hits with where they come from; with explain, also how each search ranked them."""
    if answer.hits and answer.answerable < UNSURE:
        unsure = f"probably not held ({answer.answerable:.0%}); what comes nearest:"
        put(Text(unsure, style="yellow"))
    numbers = {hit.id: number for number, hit in enumerate(answer.hits, start=1)}
    for number, hit in enumerate(answer.hits, start=1):
        put(Text(f"{number:>2}. ", style="bold") + safe(passage(hit), 400), hang=4)
        score = f"{hit.score:.3f}  " if explain else ""
        put(f"    {score}{source(hit)}{_similar(hit, numbers)}", hang=4, style="dim")
        if explain:
            put(f"    {_ranked(hit)}", hang=4, style="cyan")
    if explain:
        loads = "the first question of a program also loads words, vectors and models"
        put(f"{_steps(answer)}\nanswerable {answer.answerable:.2f}; {loads}", style="dim")
    notes(answer.degraded)


def notes(degraded: Iterable[str]) -> None:
    """What did not take part, or is left out."""
    for note in degraded:
        put(Text(f"note: {note}", style="yellow"))


def _similar(hit: Hit, numbers: Mapping[str, int]) -> str:
    """To which other hits one is similar, by their numbers."""
    similar = ", ".join(str(numbers[id]) for id in hit.similar if id in numbers)
    return f" · similar to {similar}" if similar else ""


def _ranked(hit: Hit) -> str:
    """How each search ranked a hit, and what decided its place."""
    ranks = " · ".join(
        f"{a.arm.value} #{a.rank} ({a.score:.3f}, gives {a.share:.3f})" for a in hit.arms
    )
    decided = " · ".join(f"{f.name} {f.points:+.1f}" for f in hit.features)
    return f"{ranks}; decided by {decided}" if decided else ranks


def _steps(answer: Recall) -> str:
    return " · ".join(
        f"{s.name} {s.count} in {s.ms:.1f} ms{f' ({s.note})' if s.note else ''}"
        for s in answer.trace
    )


def answer(told: Answer) -> None:
    """An answer in words, and the records that it rests on."""
    put(safe(told.text, 4_000) if told.held else Text(told.text, style="yellow"))
    for number, cited in enumerate(told.citations, start=1):
        put(Text(f"{number:>2}. ", style="bold") + safe(cited.text, 400), hang=4)
        put(f"    {cited.kind}, {day(cited.at)}, {cited.id}", hang=4, style="dim")
    if told.unsupported:
        put(Text(f"note: not in these records: {', '.join(told.unsupported)}", style="yellow"))
    notes(told.degraded)


def entities(found: Iterable[Entity]) -> None:
    """Entities, their other names, how many items are about each, and which may be the same."""
    listed = list(found)
    rows = ((safe(e.name), safe(", ".join(e.aliases)), str(e.items)) for e in listed)
    table(("name", "also", "items"), rows)
    pairs = {(e.name, name) for e in listed for name in e.likely if name > e.name}
    for one, other in sorted(pairs):
        merging = f"omoide entities merge {other} {one}"
        put(safe(f"Possibly the same: {one} and {other}. If so: {merging}"))


def sessions(found: Iterable[SessionPreview]) -> None:
    """Sessions, each with a line about it that holds its name whole."""
    for preview in found:
        session = preview.session
        put(safe(session.title or preview.preview or "(nothing said yet)", 400))
        last = f"last {day(session.last_at)}" if session.last_at else ""
        about = filter(None, (counted(session.turns, "turn"), last, session.name))
        put(Text("    ") + safe(" · ".join(about)), hang=4, style="dim")


def turns(said: Iterable[Turn]) -> None:
    """Turns as a conversation."""
    for turn in said:
        head = Text(f"{turn.id}  {day(turn.at)}  ", style="dim")
        put(head + Text(f"{turn.speaker}: ", style="bold") + safe(turn.text), hang=4)


def history(past: History) -> None:
    """Versions of an item, then every change, each with a line about it."""
    for item in past.items:
        held = "still held" if item.is_open else "closed"
        until = f"until {day(item.closed_at)}" if item.closed_at else held
        put(safe(item.text, 400))
        put(f"    {day(item.valid_from)}, {until} · {item.id}", hang=4, style="dim")
    console.print()
    for change in past.changes:
        _put_change(change, f", {change.reason}" if change.reason else "")
    for change in past.foreign:
        _put_change(change, ", in another store")
    notes(past.degraded)
    put(Text("omoide undo ID takes a change back", style="dim"))


def _put_change(change: Change, more: str) -> None:
    put(safe(f"{day(change.at)}  {change.action.value} by {change.actor}{more}"))
    put(f"    change {change.id}", style="dim")


def diff(change: Diff) -> None:
    """What came and what went."""
    signed = [(Text("+ ", style="green"), item) for item in change.added]
    signed += [(Text("- ", style="red"), item) for item in change.removed]
    for sign, item in signed:
        put(sign + safe(item.text, 200) + Text(f"  {item.id}", style="dim"), hang=2)
    sums = f"{len(change.added)} added, {len(change.removed)} gone"
    put(Text(f"{sums}, {counted(len(change.changes), 'change')}", style="dim"))
    notes(change.degraded)


def receipt(proof: Receipt) -> None:
    """What was forgotten, and what is still pending."""
    found = f"in {counted(proof.residue, 'place')}" if proof.residue else "nowhere"
    where = "searched for in every byte of the store's files and found"
    searched = f"{counted(proof.searched, 'text')} {where} {found}"
    nothing = "no text of it could be searched for"
    console.print(f"forgot {in_words(proof.erased)}; {searched if proof.searched else nothing}")
    for note in proof.pending:
        put(Text(f"pending: {note}", style="yellow"))
    put(Text(f"receipt {proof.id}", style="dim"))


@dataclass(frozen=True, slots=True)
class Seen:
    """When jobs are looked at, and whether there is a language model to do those that need one."""

    now: datetime
    learning: bool


def job_state(kind: str, state: str, since: datetime | None, seen: Seen) -> str:
    """How far a job is, or what it waits for."""
    from omoide.tables.jobs import ASKING

    if state == "ready" and kind in ASKING and not seen.learning:
        return "waiting for a language model"
    if state == "ready" and since is not None:
        return f"at {day(since)}" if since > seen.now else f"waiting since {day(since)}"
    return {"leased": "being done", "dead": "gave up"}.get(state, state)


def stats(sums: Stats, file_bytes: int | None, whose: str, seen: Seen) -> None:
    """What it all adds up to, whose memory that is, and how large its file is, if it is one."""
    rows = [
        ("memory of", whose),
        *_of_items(sums),
        *_of_the_rest(sums),
        *_of_vectors(sums),
        *_of_work(sums, seen),
    ]
    rows += [("file", f"{file_bytes / 1e6:.1f} MB")] if file_bytes else []
    table(("", ""), [(name, safe(value)) for name, value in rows])


def _of_items(sums: Stats) -> Iterator[tuple[str, str]]:
    times = f"recalled {counted(sums.retrievals, 'time')}"
    used = f", {times}, mean confidence {sums.confidence:.2f}" if sums.items else ""
    yield "items", f"{sums.items} ({sums.sensitive} sensitive){used}"
    yield "by category", _counts(sums.by_category)
    yield "by context", _counts(sums.by_context)
    yield "by source", _counts(sums.by_source)
    yield "due", f"{sums.upcoming} in the next 7 days, {sums.overdue} overdue"
    unconfirmed = f"{counted(sums.unconfirmed, 'item')} unconfirmed"
    yield "to review", f"{counted(sums.waiting, 'proposal')}, {unconfirmed}"


def _of_the_rest(sums: Stats) -> Iterator[tuple[str, str]]:
    yield "entities", str(sums.entities)
    turns, sessions = counted(sums.log.turns, "turn"), counted(sums.log.sessions, "session")
    yield "log", f"{turns} in {sessions}{_between(sums.log)}"
    off = f", and {sums.procedures_off} off" if sums.procedures_off else ""
    yield "procedures", f"{sums.procedures}{off}"
    called = f"{sums.tools} called {_times(sums.tool_calls, sums.tool_errors)}"
    yield "tools", called if sums.tools else "none"
    yield "ledger", counted(sums.changes, "change")


def _of_vectors(sums: Stats) -> Iterator[tuple[str, str]]:
    for c in sums.coverage:
        have = f"{c.with_vector} of {c.total} ({c.percent:.0f} %)"
        yield "vectors", f"{have} by {c.embedder}, {c.state}"
    if not sums.coverage:
        yield "vectors", "no embedder, by choice"


def _of_work(sums: Stats, seen: Seen) -> Iterator[tuple[str, str]]:
    jobs = [f"{j.total} {j.kind}, {job_state(j.kind, j.state, j.since, seen)}" for j in sums.jobs]
    if jobs:
        yield "jobs", "; ".join(jobs)
    yield from ((f"of the {buffer.kind.value}", _buffer(buffer)) for buffer in sums.buffers)
    for use in sums.models:
        yield "to check" if use.purpose == "ping" else f"to {use.purpose}", _use(use)


def waiting(sums: Stats) -> None:
    """That sessions wait to be learned from, where no language model is set."""
    from omoide.tables.jobs import EXTRACT_JOB

    ready = (jobs for jobs in sums.jobs if jobs.kind == EXTRACT_JOB and jobs.state == "ready")
    if sessions := sum(jobs.total for jobs in ready):
        waits = f"{counted(sessions, 'session')} {'waits' if sessions == 1 else 'wait'}"
        console.print(f"{waits} for a language model, such as OMOIDE_LLM=ollama:MODEL", style="dim")


def _buffer(buffer: Buffer) -> str:
    words = f"{counted(buffer.words, 'word')} (at most {buffer.word_limit})"
    digest = f"digest {buffer.version} of {words}" if buffer.version else "no digest yet"
    due = ": to be condensed" if buffer.is_due else f", condensed at {buffer.threshold}"
    return f"{counted(buffer.reflections, 'reflection')}, {buffer.waiting} waiting{due}; {digest}"


def _times(calls: int, failures: int) -> str:
    """How often something was called, and how often that failed."""
    failed = f"{failures} of them failed" if calls > 1 else "which failed"
    return f"{counted(calls, 'time')}, {failed}" if failures else counted(calls, "time")


def _use(use: ModelUse) -> str:
    price = "price not known" if use.cost_usd is None else f"${use.cost_usd:.4f}"
    called = f"{use.model} called {_times(use.calls, use.failures)}"
    return (
        f"{called}: {counted(use.input_tokens, 'token')} read, {use.output_tokens} written,"
        f" {price}, {use.mean_seconds:.1f} s each"
    )


def _between(log: TurnCount) -> str:
    if not log.first_at:
        return ""
    first, last = day(log.first_at), day(log.last_at)
    return f", {first}" + (f" to {last}" if last != first else "")


def tools(found: Iterable[ToolSummary]) -> None:
    """What the calls of each tool add up to."""
    rows = (
        (
            safe(tool.tool),
            str(tool.calls),
            f"{tool.success_rate:.0%}",
            "" if tool.average_ms is None else f"{tool.average_ms:.0f} ms",
            day(tool.last_at),
            safe(tool.last_error or "", 200),
        )
        for tool in found
    )
    table(("tool", "calls", "succeeded", "takes", "last", "last error"), rows)


def tool_calls(found: Iterable[ToolCall]) -> None:
    """Calls, each with what it was given and what came of it."""
    for call in found:
        put(safe(f"{call.tool} {call.args}", 400))
        came = f"failed: {call.error}" if call.error is not None else call.result or "succeeded"
        took = () if call.duration_ms is None else (f"{call.duration_ms} ms",)
        line = safe(" · ".join((came, *took, day(call.at), call.id)), 800)
        put(Text("    ") + line, hang=4, style="dim")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {total}" for name, total in counts.items()) or "none"
