"""What is learnt from talk, held against what was worth learning: the product learns from a story,
session by session.

Every suggestion of the model is kept with what became of it, and the same model fills a second
memory, in which all that it says is done: so each figure can be told with the checks on and off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain

from omoide.evals.gold import Story, Succession, Truth
from omoide.evals.stage import named, story_memory
from omoide.evals.unchecked import RecordedModel, Unchecked
from omoide.learning.report import Considered, Fate
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, ChatModel, Completion, Purpose
from omoide.models.prompts import prompt_version
from omoide.nouns.clock import StoryClock
from omoide.nouns.item import Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from omoide.text.sets import overlap
from omoide.text.words import query_terms

USER = "user"
SAME = 0.5  # share of the content words of the shorter of two texts from which on they say the same
DEEP = 10  # items among which what is true has to be told
LEARNT = (Fate.ADDED, Fate.SUPERSEDED, Fate.REINFORCED, Fate.IGNORED)
OBJECTED = (Fate.UNCONFIRMED, Fate.WAITING, Fate.REFUSED)
CHARS_A_TOKEN = 4
PROMPTS = ("extract", "revise", "judge", "decide")


@frozen_record
class Suggested:
    """A suggestion with what became of it, and what it was right about."""

    session: str
    text: str
    fate: str
    why: tuple[str, ...]
    right: bool | None  # says one of the session's facts; None where its facts are not known
    noise: bool  # it rests on a message that nothing is to be learnt from


@frozen_record
class Asked:
    """What a question about something that changed got: the new, the old, both or neither, from the
    first item that has any.
    """

    question: str
    got: str  # "new", "old" or "nothing"
    text: str = ""  # of that item


@frozen_record
class Held:
    """What a memory that learnt from a story holds, and tells when it is asked."""

    asked: tuple[Asked, ...]
    conflicts: tuple[Asked, ...]
    profile: tuple[bool, ...]  # whether each of what is true in the end is told
    periods: tuple[bool, ...]  # and each of what was true for a while, as of then
    items: tuple[str, ...]  # what the open ones say
    again_new: int  # items more after learning from everything once more
    again_changed: int


@frozen_record
class Spent:
    """What one purpose took: calls, and tokens of four characters, to the model and back."""

    calls: int = 0
    asked_tokens: int = 0
    told_tokens: int = 0


@frozen_record
class Told:
    """What a story came to."""

    story: str
    turns: int
    sessions: int
    calls: int
    input_tokens: int  # of questions of extraction, four characters each
    asked_tokens: int  # of all questions, those of decisions too
    spent: Mapping[str, Spent]  # by purpose: extract, revise, judge, decide
    turn_tokens: int  # of the turns that were asked about
    seconds: float  # beside the model's own time
    suggested: tuple[Suggested, ...]
    facts: int
    suggested_facts: int  # of them, those that some suggestion said
    learnt_facts: int  # of them, those that something learnt says
    checked: Held
    unchecked: Held  # where all that the model said was done
    unanswered: int  # questions of the memory without checks that a cassette has no answer to
    prompts: str  # the versions of those that it was learnt with


class Counting:
    """A model with its questions counted, and its own time taken off."""

    def __init__(self, model: ChatModel) -> None:
        self.id, self._model = model.id, model
        self.seconds = 0.0
        self._lengths: dict[Purpose, list[tuple[int, int]]] = {}  # asked and told, in characters

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says."""
        since, told = time.perf_counter(), 0
        try:
            answer = self._model.answer(ask)
            told = len(answer.text)
            return answer
        finally:
            self.seconds += time.perf_counter() - since
            lengths = len(ask.system) + len(ask.text), told
            self._lengths.setdefault(ask.purpose, []).append(lengths)

    def spent(self) -> dict[str, Spent]:
        """What was asked so far, by purpose."""
        return {
            purpose.value: Spent(
                calls=len(lengths),
                asked_tokens=sum(asked for asked, _ in lengths) // CHARS_A_TOKEN,
                told_tokens=sum(told for _, told in lengths) // CHARS_A_TOKEN,
            )
            for purpose, lengths in self._lengths.items()
        }


def learn(
    story: Story,
    model: ChatModel,
    teaching: Teaching,
    *,
    embedder: str = "static",
    tell: Callable[[], None] = lambda: None,
) -> Told:
    """Learn from a story, session by session, then once more from all of it; and likewise with the
    checks off.

    Raises:
        ModelError: the model failed.
    """
    heard = RecordedModel(model)
    scope = Scope(tenant=story.id, user=USER)
    lessons = _taught(story, Counting(heard), teaching, scope, embedder, tell)
    again = heard.again()
    unchecked = _without_checks(story, scope, replace(teaching, asker=Asker(again)), embedder)
    return _told(story, lessons, unchecked, again.unanswered)


@frozen_record
class _Lessons:
    """What a memory with its checks learnt from a story, and what that took."""

    by_session: Mapping[str, Sequence[Considered]]
    suggested: Sequence[Suggested]
    held: Held
    spent: Mapping[str, Spent]
    seconds: float


def _taught(
    story: Story,
    model: Counting,
    teaching: Teaching,
    scope: Scope,
    embedder: str,
    tell: Callable[[], None],
) -> _Lessons:
    """Learn from a story session by session, then once more from all of it."""
    by_session: dict[str, list[Considered]] = {}
    suggested: list[Suggested] = []
    teaching = replace(teaching, asker=Asker(model))
    with story_memory(named(embedder), teaching=teaching) as (memory, clock):

        def extract(session: str) -> None:
            done = memory.sessions.extract(session, scope)
            by_session[session] = [one for part in done for one in part.considered]
            suggested.extend(
                _suggested(memory, scope, story, session, one) for one in by_session[session]
            )
            tell()

        since = time.perf_counter()
        asked = _live(story, memory, clock, scope, extract)
        seconds = time.perf_counter() - since - model.seconds
        spent = model.spent()
        extract_again = partial(memory.sessions.extract, scope=scope, again=True)
        held = _held(story, memory, scope, asked, extract_again)
    return _Lessons(
        by_session=by_session, suggested=suggested, held=held, spent=spent, seconds=seconds
    )


def _told(story: Story, lessons: _Lessons, unchecked: Held, unanswered: int) -> Told:
    """What a story came to, with the checks and without."""
    spent = lessons.spent
    said = [
        [one for one in _of(lessons.by_session, fact.session) if _says(one.text, fact.text)]
        for fact in story.facts
    ]
    characters = sum(len(message.text) for talk in story.talks for message in talk.messages)
    return Told(
        story=story.id,
        turns=story.turns,
        sessions=len(story.talks),
        calls=sum(one.calls for one in spent.values()),
        input_tokens=spent.get(Purpose.EXTRACT, Spent()).asked_tokens,
        asked_tokens=sum(one.asked_tokens for one in spent.values()),
        spent=spent,
        turn_tokens=characters // CHARS_A_TOKEN,
        seconds=lessons.seconds,
        suggested=tuple(lessons.suggested),
        facts=len(story.facts),
        suggested_facts=sum(bool(those) for those in said),
        learnt_facts=sum(any(one.fate in LEARNT for one in those) for those in said),
        checked=lessons.held,
        unchecked=unchecked,
        unanswered=unanswered,
        prompts=", ".join(f"{name} {prompt_version(name)}" for name in PROMPTS),
    )


def _without_checks(story: Story, scope: Scope, teaching: Teaching, embedder: str) -> Held:
    with story_memory(named(embedder), teaching=teaching) as (memory, clock):
        learner = Unchecked(memory, scope, teaching)
        return _held(
            story, memory, scope, _live(story, memory, clock, scope, learner.learn), learner.learn
        )


def _live(
    story: Story, memory: Memory, clock: StoryClock, scope: Scope, extract: Callable[[str], object]
) -> tuple[list[Asked], list[Asked]]:
    """Tell each talk, learn from it, and ask right after of what changed by it: the answers, and
    those on conflicts.
    """
    asked: list[Asked] = []
    conflicts: list[Asked] = []
    for talk in story.talks:
        said_at = max((m.at for m in talk.messages if m.at), default=clock.at)
        clock.at = said_at + timedelta(minutes=1)
        memory.ingest(talk, scope)
        extract(talk.id)
        for answers, told in ((asked, story.changes), (conflicts, story.conflicts)):
            answers += [_asked(memory, scope, one) for one in told if one.session == talk.id]
    return asked, conflicts


def _held(
    story: Story,
    memory: Memory,
    scope: Scope,
    asked: tuple[Sequence[Asked], Sequence[Asked]],
    extract: Callable[[str], object],
) -> Held:
    """What a memory holds in the end, and what learning once more from every talk adds and
    changes.
    """
    profile, periods = (
        [_tells(memory, scope, truth) for truth in truths]
        for truths in (story.profile, story.periods)
    )
    before = _items(memory, scope)
    for talk in story.talks:
        extract(talk.id)
    after = _items(memory, scope)
    return Held(
        asked=tuple(asked[0]),
        conflicts=tuple(asked[1]),
        profile=tuple(profile),
        periods=tuple(periods),
        items=tuple(item.text for item in before.values() if item.is_open),
        again_new=len(after.keys() - before.keys()),
        again_changed=sum(before[id] != after[id] for id in before.keys() & after.keys()),
    )


def _of(learnt_by: Mapping[str, Sequence[Considered]], session: str | None) -> Iterable[Considered]:
    """What was made of a session, or of all of them."""
    return chain(*learnt_by.values()) if session is None else learnt_by.get(session, ())


def _suggested(
    memory: Memory, scope: Scope, story: Story, session: str, one: Considered
) -> Suggested:
    # those of no one session are not all that is worth learning
    facts = [fact.text for fact in story.facts if fact.session == session]
    turn = memory.get(one.turn, scope) if one.turn else None
    return Suggested(
        session=session,
        text=one.text,
        fate=one.fate.value,
        why=one.why,
        right=any(_says(one.text, fact) for fact in facts) if facts else None,
        noise=turn is not None and turn.text in story.noise,
    )


def _asked(memory: Memory, scope: Scope, change: Succession) -> Asked:
    """What the first item has that says anything of what changed."""
    query = Query(text=change.question, kinds=frozenset({Kind.ITEM}))
    for hit in memory.recall(query, scope, limit=DEEP).hits:
        told = _content(hit.text)
        new, old = (overlap(_content(value), told) for value in (change.new, change.old))
        if max(new, old) >= SAME:
            got = "new" if new >= old else "old"
            return Asked(question=change.question, got=got, text=hit.text)
    return Asked(question=change.question, got="nothing")


def _tells(memory: Memory, scope: Scope, truth: Truth) -> bool:
    """Whether the items found for a question tell half of the content of what is true, together."""
    query = Query(text=truth.question, kinds=frozenset({Kind.ITEM}), as_of=truth.at)
    hits, value = memory.recall(query, scope, limit=DEEP).hits, _content(truth.value)
    told = set[str]().union(*(_content(hit.text) for hit in hits))
    return len(value & told) >= SAME * max(1, len(value))


def _items(memory: Memory, scope: Scope) -> dict[str, Item]:
    """All items, closed ones too."""
    found: list[Item] = []
    while page := memory.items.list(
        Listing(sensitive=None, closed=True, limit=200, offset=len(found)), scope
    ).items:
        found += page
    return {item.id: item for item in found}


def _says(text: str, fact: str) -> bool:
    """Whether half of the content words of the shorter of the two are in both, and two at least, if
    the fact has as many.
    """
    mine, theirs = _content(text), _content(fact)
    return len(mine & theirs) >= min(2, max(1, len(theirs))) and overlap(mine, theirs) >= SAME


def _content(text: str) -> set[str]:
    return {term.term for term in query_terms(text, exact=True) if term.weight == 1.0}


def mean(values: Sequence[bool]) -> float | None:
    """The share of those that are true; None of nothing."""
    return sum(values) / len(values) if values else None


@frozen_record
class Figures:
    """A story in figures: shares from 0 to 1, None where the data does not tell, or where there is
    no such figure without checks.
    """

    precision: float | None  # of what was learnt, the share that says a known fact
    recall: float | None  # of the known facts, the share that was learnt
    grounded: float | None  # of the suggestions, the share that no check objected to
    noise: int  # learnt from messages that say nothing
    updated: float | None  # of what changed, the share of which the new is told
    stale: float | None  # and the share of which the old is
    resolved: float | None  # of the conflicts, the share of which the later word is told
    profile: float | None  # of what is true in the end, the share that is told
    periods: float | None  # of what was true for a while, the share that is told as of then
    growth: float  # items for 100 turns
    again_new: int  # items that learning from everything once more adds
    again_changed: int  # and those that it changes
    calls: float | None  # of the model, for a session
    tokens: float | None  # of questions of extraction, for a token of the turns
    tokens_all: float | None  # of all questions


def figures(told: Told, *, checks: bool = True) -> Figures:
    """What a story came to, in figures, with the checks on or off."""
    held, said = (told.checked if checks else told.unchecked), told.suggested
    learnt = [one for one in said if one.fate in LEARNT or not checks]
    facts = told.learnt_facts if checks else told.suggested_facts
    return Figures(
        precision=mean([one.right for one in learnt if one.right is not None]),
        recall=facts / told.facts if told.facts else None,
        grounded=(mean([one.fate not in OBJECTED for one in said]) if checks else None),
        noise=sum(one.noise for one in learnt),
        updated=mean([one.got == "new" for one in held.asked]),
        stale=mean([one.got == "old" for one in held.asked]),
        resolved=mean([one.got == "new" for one in held.conflicts]),
        profile=mean(held.profile),
        periods=mean(held.periods),
        growth=100 * len(held.items) / max(1, told.turns),
        again_new=held.again_new,
        again_changed=held.again_changed,
        calls=told.calls / max(1, told.sessions) if checks else None,
        tokens=told.input_tokens / max(1, told.turn_tokens) if checks else None,
        tokens_all=told.asked_tokens / max(1, told.turn_tokens) if checks else None,
    )
