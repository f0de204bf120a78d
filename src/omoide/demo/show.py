"""How the demo looks: 80 columns, calm, and the same without colours, in dumb terminals and in
files.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.rule import Rule
from rich.text import Text

from omoide import __version__
from omoide.demo.questions import HELD, DemoQuestion
from omoide.demo.sample import Note, SampleLine

if TYPE_CHECKING:
    from omoide.nouns.hit import Hit, Recall
    from omoide.nouns.item import Item
    from omoide.nouns.receipt import Receipt
    from omoide.nouns.turn import Turn
    from omoide.read.listings import Stats
    from omoide.upkeep.verify import Verdict

WIDTH = 80
ACCENT, QUIET, GOOD = "cyan", "dim", "green"
SHORT = 160  # characters of a message that is shown only for what was learnt from it
FATES = {"added": GOOD, "corrected": GOOD, "retracted": GOOD, "waiting": "yellow", "refused": "red"}
ASKERS = {"callum": "Callum", "ines": "Inês", "family": "Family"}


def console_for(stream: TextIO) -> Console:
    """A console on a stream; what the stream's encoding lacks is replaced, never an error."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    console = Console(file=stream, highlight=False, soft_wrap=False)
    console.width = min(WIDTH, console.width)
    return console


def day(moment: datetime) -> str:
    """A day as in ``17 Mar 2025``, wherever the program runs."""
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    return f"{moment.day} {months[moment.month - 1]} {moment.year}"


class Stage:
    """Prints the demo, part by part."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._chapter = 0
        self._bar, self._end = ("│ ", "└ ") if console.encoding.startswith("utf") else ("| ", "- ")

    def _say(self, text: str | Text, *, indent: int = 2, style: str = "") -> None:
        whole = text if isinstance(text, Text) else Text(text, style=style)
        for line in whole.wrap(self._console, self._console.width - indent):
            line.rstrip()
            self._console.print(Text(" " * indent) + line)

    def _gap(self) -> None:
        self._console.print()

    def say(self, text: str) -> None:
        """Plain words."""
        self._say(text)

    def line(self, speaker: str, text: str) -> None:
        """A message, in short."""
        self._say(
            Text.assemble(
                (f"{speaker}: ", QUIET), text if len(text) <= SHORT else text[:SHORT] + "…"
            )
        )

    def fate(self, fate: str, text: str, why: str) -> None:
        """Something that was proposed, and what became of it."""
        mark = Text.assemble((self._end, ACCENT), (f"{fate}: ", FATES.get(fate, QUIET)), text)
        self._say(mark, indent=4)
        if why:
            self._say(why, indent=8, style=QUIET)

    def more(self, count: int, what: str) -> None:
        """That there is more than is shown."""
        if count:
            self._gap()
            self._say(f"and {count} more {what}{'s' if count != 1 else ''}", style=QUIET)

    def item(self, text: str, source: str) -> None:
        """Something known, and where it was said."""
        self._quote(text, source)

    def welcome(self, store: Path, *, kept: bool, taken: bool) -> None:
        """What this is, and where it happens."""
        self._gap()
        self._say(
            Text.assemble(
                ("思い出  ", ACCENT),
                ("Omoide ", "bold"),
                __version__,
                ("   long-term memory for LLM agents", QUIET),
            )
        )
        self._gap()
        self._say(
            "Four months of messages between Callum, who writes English, Inês, who writes"
            " Portuguese, and Mira, their assistant; all made up. No language model is asked, and"
            " nothing leaves this machine."
        )
        self._gap()
        self._say(Text.assemble(("store  ", QUIET), str(store)))
        if kept:
            self._say("       stays there when this ends", style=QUIET)
            return
        if taken:
            self._say("       OMOIDE_HOME holds a memory already, which is left alone", style=QUIET)
        self._say(
            f"       goes when this ends; to keep it: OMOIDE_HOME=~/omoide-demo {again()}",
            style=QUIET,
        )

    def chapter(self, title: str, about: str) -> None:
        """A heading."""
        self._chapter += 1
        self._gap()
        self._console.print(
            Rule(
                Text.assemble((f"{self._chapter}  {title}", f"bold {ACCENT}")),
                align="left",
                style=QUIET,
            )
        )
        self._say(about, style=QUIET)
        self._gap()

    @contextmanager
    def progress(self, total: int) -> Iterator[Callable[[bool], None]]:
        """A bar for the messages; a terminal that cannot draw one gets none."""
        columns = (
            BarColumn(40, complete_style=ACCENT, finished_style=ACCENT),
            MofNCompleteColumn(),
            TextColumn("messages"),
        )
        drawn = self._console.is_terminal and not self._console.is_dumb_terminal
        with Progress(
            TextColumn(" "), *columns, console=self._console, transient=True, disable=not drawn
        ) as bar:
            task = bar.add_task("", total=total)
            yield lambda counts: bar.advance(task, int(counts))

    def log_taken(self, lines: Sequence[SampleLine], took_s: float, vectors_s: float) -> None:
        """How much went in, and how fast."""
        sessions = len({line.session for line in lines})
        self._say(
            f"{len(lines)} messages in {sessions} sessions, {day(lines[0].at)} to"
            f" {day(lines[-1].at)}, in {took_s:.1f} s: each is on the disk before the next one"
            f" comes. Their vectors took {vectors_s:.1f} s."
        )

    def masked(self, turn: Turn) -> None:
        """A secret that was masked."""
        self._gap()
        self._say("A secret was masked at the door. The log never held it:")
        self._quote(turn.text, self._source_of_turn(turn))

    def remembered(self, notes: Sequence[Note]) -> None:
        """How many things were remembered."""
        corrections = len(notes) - len({note.name for note in notes})
        self._say(
            f"{len(notes) - corrections} things were remembered on the way, and {corrections} of"
            " them corrected. One of these:"
        )
        self._gap()

    def versions(self, items: Sequence[Item]) -> None:
        """An item's versions, oldest first."""
        for item in items:
            since = day(item.valid_from)
            true = f"{since} to {day(item.closed_at)}" if item.closed_at else f"since {since}"
            self._quote(item.text, f"true {true}, known since {day(item.recorded_at)}")

    def due(self, user: str, items: Sequence[Item], now: datetime) -> None:
        """Reminders that are due soon."""
        for item in items:
            if item.due_at is not None:
                self._gap()
                days = (item.due_at.date() - now.date()).days
                self._say(f"It is {day(now)}. Due for {ASKERS[user]} in {days} days:")
                self._quote(
                    item.text,
                    f"reminder, due {day(item.due_at)}, said in {', '.join(item.source_turns)}",
                )

    def answer(self, number: int, question: DemoQuestion, recall: Recall, ms: float) -> None:
        """One question and what came of it."""
        if number > 1:
            self._gap()
        head = Text.assemble(
            (f"{number:2}  ", ACCENT),
            (f"{ASKERS[question.asks]}: ", QUIET),
            (question.text, "bold"),
        )
        self._console.print(head)
        self._say(
            f"{question.about} · held: {recall.answerable:.0%} · {ms:.0f} ms", indent=4, style=QUIET
        )
        if recall.answerable < HELD:
            self._not_held(recall)
        else:
            for hit in recall.hits:
                self._hit(hit)

    def _not_held(self, recall: Recall) -> None:
        self._say("I do not hold that. The nearest I have:", indent=4)
        self._hit(recall.hits[0])

    def _hit(self, hit: Hit) -> None:
        why = ", ".join(f"{arm.arm.value} {arm.rank}" for arm in hit.arms)
        if hit.turn is not None:
            self._quote(hit.text, f"{self._source_of_turn(hit.turn)} · {why}", indent=4)
        elif hit.item is not None:
            item = hit.item
            until = f" to {day(item.closed_at)}" if item.closed_at else ""
            said = f", said in {', '.join(item.source_turns)}" if item.source_turns else ""
            when = f"{'' if until else 'since '}{day(item.valid_from)}{until}"
            self._quote(hit.text, f"{item.category.value}, {when}{said} · {why}", indent=4)

    def _source_of_turn(self, turn: Turn) -> str:
        return f"{turn.speaker}, {day(turn.at)}, {turn.id}"

    def _quote(self, text: str, source: str, *, indent: int = 2) -> None:
        """A stored text and, below it, where it comes from."""
        room = self._console.width - indent - 2
        pieces = [(self._bar, piece) for piece in Text(text).wrap(self._console, room)]
        wrapped = Text(source, style=QUIET).wrap(self._console, room)
        for mark, piece in (
            *pieces,
            *((self._end if n == 0 else "  ", piece) for n, piece in enumerate(wrapped)),
        ):
            piece.rstrip()
            self._say(Text.assemble((mark, ACCENT), piece), indent=indent)

    def asked(self, question: str) -> None:
        """A question on its own."""
        self._say(question, style="bold")
        self._gap()

    def told(self, who: str, recall: Recall) -> None:
        """What one asker was told."""
        self._say(f"{who}:")
        if recall.answerable < HELD:
            self._say(f"I do not hold that (held: {recall.answerable:.0%}).", indent=4)
        else:
            self._hit(recall.hits[0])

    def receipt(self, what: str, receipt: Receipt) -> None:
        """What was erased."""
        self._gap()
        gone = f"{receipt.erased['turns']} turns erased, and all that was made of them."
        self._say(Text.assemble(("forget ", "bold"), f"session {what}: {gone}"))
        found = "nowhere" if receipt.residue == 0 else f"in {receipt.residue} places"
        self._say(f"Then every byte of the store's files was searched for them: found {found}.")
        for note in receipt.pending:
            self._say(f"Pending: {note}")
        self._gap()

    def verdict(self, verdict: Verdict) -> None:
        """What verify says."""
        self._gap()
        state = ("whole", GOOD) if not verdict.problems else ("not whole", "red")
        end = f": {verdict.head.seq} changes, each sealed with the one before."
        self._say(Text.assemble(("verify ", "bold"), "the ledger is ", state, end))

    def sums(self, stats: Stats) -> None:
        """What Callum is left with."""
        talk = f"Callum has {stats.log.turns} turns of {stats.log.sessions} talks with Mira"
        self._say(
            Text.assemble(("stats  ", "bold"), f"{talk}, and {stats.items} items, some shared.")
        )

    def onward(self) -> None:
        """How to see the whole of what was shown in part."""
        self._gap()
        self._say("Every message, every proposal and all that is known:", style=QUIET)
        self._say(Text(again("demo-capture ALL=1", "capture --all"), style="bold"), indent=4)

    def farewell(self, store: Path, *, kept: bool) -> None:
        """Three commands to try next."""
        self._gap()
        self._console.print(Rule(Text("Next", style=f"bold {ACCENT}"), align="left", style=QUIET))
        self._gap()
        steps = (
            ("The same, kept:", f"export OMOIDE_HOME=~/omoide-demo; {again()}"),
            ("Then ask it more:", f'{program()} -u callum recall "Who has my drill?" --explain'),
            (
                "Your own ChatGPT, Claude, Slack, WhatsApp or Telegram:",
                f"unset OMOIDE_HOME; {program()} -u me import export.zip",
            ),
        )
        kept_steps = (
            ("This store, for the commands below:", f"export OMOIDE_HOME={store.parent}"),
            *steps[1:],
        )
        for about, command in kept_steps if kept else steps:
            self._say(about, style=QUIET)
            self._say(Text(command, style="bold"), indent=4)
        self._gap()


def again(target: str = "run", arguments: str = "") -> str:
    """The command that runs a demo once more, by its target in the Makefile or by its arguments."""
    return (
        f"make {target}"
        if Path("Makefile").is_file()
        else f"python -m omoide.demo {arguments}".rstrip()
    )


def program() -> str:
    """The command line as it can be called from here."""
    beside = Path(sys.executable).with_name("omoide")
    if not beside.exists():
        return "omoide"
    here = Path.cwd()
    return str(beside.relative_to(here)) if beside.is_relative_to(here) else "omoide"
