"""The demo of learning: the sample's talks with the assistant become memory, suggestion by
suggestion, with recorded answers of a model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files

from omoide.demo.sample import PRIVATE, TOGETHER, USERS, Player, SampleLine, lines, story_clock
from omoide.demo.show import Stage, day
from omoide.learning.report import Considered, Extraction, Fate
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.chat.asker import Asker
from omoide.models.chat.cassette import Cassette
from omoide.models.embedders.encoders import Named
from omoide.nouns.clock import StoryClock
from omoide.nouns.item import Item
from omoide.nouns.proposal import in_words
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.record.lines import counted
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.store import open_store
from omoide.tables.listing import Listing

SAMPLED = (Fate.ADDED, Fate.SUPERSEDED, Fate.UNCONFIRMED, Fate.REFUSED)
# proposals of each fate, and items of each person, that are shown where not all are
EXAMPLES, SHOWN = 2, 4


@frozen_record
class LearntTalk:
    """A session that ended, and what was learnt from it."""

    session: str
    lines: tuple[SampleLine, ...]
    learnt: tuple[Extraction, ...]

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        return Scope(user=self.session.partition("/")[0])

    @property
    def considered(self) -> list[Considered]:
        """What the model proposed, with what became of it."""
        return [one for extraction in self.learnt for one in extraction.considered]


def learn(memory: Memory, clock: StoryClock) -> Iterator[LearntTalk]:
    """Play the talks that one person has with the assistant, and learn from each when it ended; in
    the order in which they did.
    """
    sessions: dict[str, list[SampleLine]] = {}
    for line in lines():
        if line.session != TOGETHER and line.session not in PRIVATE:
            sessions.setdefault(line.session, []).append(line)
    player = Player(memory, clock)
    for session, said in sorted(sessions.items(), key=lambda one: one[1][-1].at):
        for line in said:
            clock.at = line.at
            player.say(line)
        learnt = memory.sessions.extract(session, Scope(user=session.partition("/")[0]))
        yield LearntTalk(session=session, lines=tuple(said), learnt=tuple(learnt))


@frozen_record
class DemoTaught:
    """What the demo came to: each session's lesson, and how many items learning once more from all
    of it added and changed.
    """

    lessons: tuple[LearntTalk, ...]
    again_new: int
    again_changed: int


def run(stage: Stage, *, whole: bool = False) -> DemoTaught:
    """Show what is learnt from talk, what waits, and the memory that comes of it: in a few
    examples, or of every message.
    """
    with as_file(files("omoide.demo") / "data" / "capture.jsonl") as tape:
        teaching = Teaching(asker=Asker(Cassette(tape)))
    clock, embedder = story_clock(), Named("static", load_embedder("static"))
    with Memory(
        open_store(":memory:"), embedder=embedder, clock=clock, background=False, teaching=teaching
    ) as memory:
        stage.say(
            "Callum and Inês talk to Mira, their assistant. After each talk a language model is"
            " asked what is worth remembering; its answers were recorded, the wrong ones too. What"
            " it proposes is held against the talk and judged; the verdicts were recorded, too."
        )
        taught = _again(memory, _shown(stage, memory, clock, whole=whole))
        _conclude(stage, memory, taught, shown=None if whole else SHOWN)
        if not whole:
            stage.onward()
    return taught


def _shown(stage: Stage, memory: Memory, clock: StoryClock, *, whole: bool) -> list[LearntTalk]:
    """What was learnt from each talk, shown as it is learnt, or some of it at the end."""
    talks = []
    for talk in learn(memory, clock):
        talks.append(talk)
        if whole:
            _show(stage, memory, talk)
    if not whole:
        _show_some(stage, memory, talks)
    return talks


def _show_some(stage: Stage, memory: Memory, lessons: Sequence[LearntTalk]) -> None:
    """A few proposals of each fate, those for different reasons first, each under the message that
    it was made of.
    """
    stage.chapter(
        "A few messages",
        "each message, and under it what the model proposed of it, and what the rules did with"
        " that",
    )
    for fate in SAMPLED:
        found = [(talk, one) for talk in lessons for one in talk.considered if one.fate is fate]
        # the first for each reason
        of_each = {one.why: (talk, one) for talk, one in reversed(found)}
        chosen = [*of_each.values()][::-1] if len(of_each) > 1 else found
        for talk, one in chosen[:EXAMPLES]:
            turn = memory.get(one.turn, talk.scope) if one.turn else None
            if isinstance(turn, Turn):
                stage.line(turn.speaker, turn.text)
            _show_fate(stage, memory, talk.scope, one)


def _show_fate(stage: Stage, memory: Memory, scope: Scope, one: Considered) -> None:
    stage.fate(called(one.fate), one.text, _why(memory, scope, one))


def _show(stage: Stage, memory: Memory, talk: LearntTalk) -> None:
    """The turns of a talk, under each what was proposed of it and what became of that."""
    who = "Callum" if talk.scope.user == "callum" else "Inês"
    title = f"{who} and Mira, {day(talk.lines[0].at)}"
    stage.chapter(title, "each message, and under it what the model proposed of it")
    waiting = talk.considered
    for turn in memory.sessions.turns(talk.session, talk.scope):
        stage.line(turn.speaker, turn.text)
        for one in (one for one in waiting if one.turn == turn.id):
            _show_fate(stage, memory, talk.scope, one)
        waiting = [one for one in waiting if one.turn != turn.id]
    for one in waiting:
        _show_fate(stage, memory, talk.scope, one)


def called(fate: Fate) -> str:
    """A fate in a word, as of the new text that is shown beside it."""
    return "corrected" if fate is Fate.SUPERSEDED else fate.value


def _why(memory: Memory, scope: Scope, one: Considered) -> str:
    if one.why:
        return in_words(one.why)
    if one.fate is Fate.SUPERSEDED:
        closed = [memory.get(id, scope).text for id in (one.closed, *one.besides) if id]
        return f"before: {' / '.join(closed)}"
    return {Fate.IGNORED: "known already"}.get(one.fate, "")


def _again(memory: Memory, lessons: Sequence[LearntTalk]) -> DemoTaught:
    before = _items(memory)
    for lesson in lessons:
        memory.sessions.extract(lesson.session, lesson.scope, again=True)
    after = _items(memory)
    changed = sum(before[id] != after[id] for id in before.keys() & after.keys())
    return DemoTaught(
        lessons=tuple(lessons), again_new=len(after.keys() - before.keys()), again_changed=changed
    )


def _items(memory: Memory) -> dict[str, Item]:
    pages = (
        memory.items.list(Listing(closed=True, limit=500), Scope(user=user)).items
        for user in USERS.values()
    )
    return {item.id: item for page in pages for item in page}


def _conclude(stage: Stage, memory: Memory, taught: DemoTaught, shown: int | None) -> None:
    """The memory that came of it, in counts and in full, or the latest items of each."""
    for name, user in USERS.items():
        _show_known(stage, memory, name, user, shown)
    fates = Counter(called(one.fate) for talk in taught.lessons for one in talk.considered)
    listed = ", ".join(f"{count} {fate}" for fate, count in fates.most_common())
    stage.chapter("In all", "what became of the model's proposals, and once more from the start")
    stage.say(f"{fates.total()} proposals: {listed}.")
    stage.say(
        f"Learning from every talk a second time: {counted(taught.again_new, 'new item')},"
        f" {taught.again_changed} changed."
    )


def _show_known(stage: Stage, memory: Memory, name: str, user: str, shown: int | None) -> None:
    """The latest items of a person; with None all of them."""
    about = "every item says from which turn; what gave way stays in its history"
    if shown is not None:
        about = "the latest; every item says from which turn"
    stage.chapter(f"What is known of {name}", about)
    listing = Listing(sort="created_at", descending=False, limit=500)
    known = memory.items.list(listing, Scope(user=user)).items
    part = known[-shown:] if shown else known
    for item in part:
        stage.item(item.text, ", ".join(item.source_turns))
    stage.more(len(known) - len(part), "item")
