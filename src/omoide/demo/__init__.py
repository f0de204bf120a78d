"""The demo: a made-up conversation is remembered and asked about, with no language model and no
network.

``python -m omoide.demo`` runs it. It works in a folder of its own, which goes when it ends, or in
the one that ``OMOIDE_HOME`` names, if no memory is there yet.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from omoide import Config, Memory, Query, Recall, Scope
from omoide.demo.questions import NOW, REGRETTED, SURPRISE, TEN, DemoQuestion
from omoide.demo.sample import Player, SampleLine, lines, notes, scope_of, story_clock
from omoide.demo.show import Stage
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Named
from omoide.nouns.record.frozen import frozen_record

FORGOTTEN = "callum/0220"  # the session in which Callum told what he would earn


@frozen_record
class Reply:
    """What the demo got for one of its questions, and what it expected: ids of records; none where
    nothing is held.
    """

    question: DemoQuestion
    recall: Recall
    expected: frozenset[str]


@frozen_record
class DemoHome:
    """Where the demo's store is, and whether it stays. taken: OMOIDE_HOME holds a memory."""

    store: Path
    kept: bool
    taken: bool = False


@contextmanager
def placed(environment: Mapping[str, str]) -> Iterator[DemoHome]:
    """A place where no memory is: the folder that OMOIDE_HOME names, or one that goes when the
    block ends.
    """
    wanted = environment.get("OMOIDE_HOME", "")
    home = Path(wanted).expanduser() / "memory.db"
    if wanted and not home.exists():
        yield DemoHome(store=home, kept=True)
        return
    with tempfile.TemporaryDirectory(prefix="omoide-demo-") as folder:
        yield DemoHome(store=Path(folder) / "memory.db", kept=False, taken=bool(wanted))


def run(stage: Stage, environment: Mapping[str, str] = os.environ) -> list[Reply]:
    """Show everything; what was answered to the ten questions."""
    with placed(environment) as home:
        stage.welcome(home.store, kept=home.kept, taken=home.taken)
        # nobody's settings: the demo is the same everywhere
        config = Config(store=str(home.store), background=False)
        with Memory.open(config=config) as opened:
            replies = show_all(stage, opened)
        stage.farewell(home.store, kept=home.kept)
    return replies


def show_all(stage: Stage, opened: Memory) -> list[Reply]:
    """Show everything in a store, by the sample's clock."""
    clock, embedder = story_clock(), Named("static", load_embedder("static"))
    memory = Memory(opened.store, embedder=embedder, clock=clock, background=False)
    player = Player(memory, clock)
    play(stage, memory, player)
    clock.at = NOW
    show_items(stage, memory, player)
    replies = ask_all(stage, memory, player)
    show_walls(stage, memory)
    forget_and_prove(stage, memory)
    return replies


def play(stage: Stage, memory: Memory, player: Player) -> None:
    """Take the sample in, message by message."""
    stage.chapter("The log", "every message, word for word, before anything thinks about it")
    began = time.perf_counter()
    with stage.progress(len(lines())) as step:
        for event in player.play():
            step(isinstance(event, SampleLine))
    took = time.perf_counter() - began
    memory.admin.tidy(only=["vectors"])
    stage.log_taken(lines(), took, time.perf_counter() - began - took)
    for turn in memory.sessions.turns("callum/0401", Scope(user="callum")):
        if turn.masks:
            stage.masked(turn)


def show_items(stage: Stage, memory: Memory, player: Player) -> None:
    """What is known: the versions of one item, and what is due."""
    stage.chapter("Items", "what is known; corrected, never overwritten")
    stage.remembered(notes())
    stage.versions(memory.history(player.items["job"], Scope(user="callum")).items)
    for user in ("callum", "ines"):
        stage.due(user, memory.due(scope=Scope(user=user)), NOW)


def ask_all(stage: Stage, memory: Memory, player: Player) -> list[Reply]:
    """Ask the ten questions."""
    about = (
        "held: how likely memory holds an answer; under each hit: its source, and its rank in each"
        " search. The first question also loads words, vectors and models."
    )
    stage.chapter("Ten questions", about)
    names = {**player.turns, **player.items}
    replies = []
    for number, question in enumerate(TEN, start=1):
        began = time.perf_counter()
        query = Query(text=question.text, as_of=question.as_of)
        recall = memory.recall(query, scope_of(question.asks), limit=question.limit)
        stage.answer(number, question, recall, (time.perf_counter() - began) * 1000)
        expected = frozenset(names[name] for name in question.answers)
        replies.append(Reply(question=question, recall=recall, expected=expected))
    return replies


def show_walls(stage: Stage, memory: Memory) -> None:
    """The same question, asked by three who may see different things."""
    stage.chapter("Scopes", "who asks decides what is searched, inside the database")
    stage.asked(SURPRISE)
    for who, scope in (
        ("Inês", Scope(user="ines")),
        ("the family chat", scope_of("family")),
        (
            "Callum, in the private session where he told it",
            Scope(user="callum", session="callum/0515"),
        ),
    ):
        stage.told(who, memory.recall(SURPRISE, scope, limit=1))


def forget_and_prove(stage: Stage, memory: Memory) -> None:
    """Erase a session, ask again, and verify the ledger."""
    stage.chapter("Forgetting", "everywhere, with a receipt; the ledger stays whole")
    callum = Scope(user="callum")
    stage.asked(REGRETTED)
    stage.told("Callum, before", memory.recall(REGRETTED, callum, limit=1))
    stage.receipt(FORGOTTEN, memory.sessions.forget(FORGOTTEN, callum))
    stage.told("Callum, after", memory.recall(REGRETTED, callum, limit=1))
    stage.verdict(memory.admin.verify())
    stage.sums(memory.stats(callum))
