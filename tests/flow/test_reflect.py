"""Reflections: formed from talk after its facts, checked as these are, level by level, each time
once.
"""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, ModelError, ModelMissing, NotFound
from omoide.nouns.item import Tier, Unconfirmed
from omoide.nouns.kind import Kind
from omoide.nouns.reflection import DigestKind
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.settings.switches import Switches, Use
from omoide.store.base import Store
from omoide.tables.ledger import Ledger
from tests.fix_memory import BEN, NINE, OpenMemory, session_of, turn_of
from tests.fix_teaching import Taught, note, say, says
from tests.reflecting import thoughts

HERE = Scope(user="ana", agent="clerk", session="talk")
ALL_ON = Switches(user_memory=Use.LEARN, agent_memory=Use.LEARN)
SAID = (
    "Please keep your answers short, I am always in a hurry.",
    "The Atlas project reached its second milestone on 3 May 2026.",
    "In this talk we only want to plan the demo at https://example.org/demo.",
)
SHORT = {
    "level": "user",
    "text": "Ana wants answers short, as she is always in a hurry",
    "quote": SAID[0],
    "turn": 1,
}
ATLAS = {
    "level": "agent",
    "text": "The Atlas project reached its second milestone on 3 May 2026",
    "quote": SAID[1],
    "turn": 2,
}
DEMO = {
    "level": "session",
    "text": "This talk is only to plan the demo at https://example.org/demo",
    "quote": SAID[2],
    "turn": 3,
}


def reflecting(
    taught: Taught, *answers: Any, extract: Any = None, switches: Switches = ALL_ON, **settings: Any
) -> Memory:
    """A memory that reflects with these answers, after extraction found nothing, or what it is
    told.
    """
    found = extract or (lambda ask: says())
    script: Any = {
        Purpose.EXTRACT: found,
        Purpose.REFLECT: list(answers),
        Purpose.DECIDE: lambda ask: {"decisions": []},
    }
    return taught(script=script, **({"reflect": True, "switches": switches} | settings))


def work(memory: Memory) -> None:
    """Do all jobs that are ready."""
    memory.upkeep.queue.run()


def refused(memory: Memory, scope: Scope = HERE) -> list[str]:
    """Reflect by hand; why what came to nothing did."""
    return [
        one.refused
        for done in memory.reflections.add("talk", scope)
        for one in done.pondered
        if one.refused
    ]


def waiting(memory: Memory, scope: Scope = HERE) -> list[str]:
    """Reflect by hand; why what waits for a person does."""
    return [
        ", ".join(one.flags)
        for done in memory.reflections.add("talk", scope)
        for one in done.pondered
        if one.waits
    ]


def formed(memory: Memory, scope: Scope = HERE) -> list[str]:
    """The texts of the reflections that stand, oldest first."""
    return [one.text for one in memory.reflections.list(scope)][::-1]


@pytest.mark.covers("ED-1", "ED-2", "ED-14", "ED-15", "ED-42")
def test_talk_becomes_reflections_of_three_levels(taught: Taught) -> None:
    """One question after the facts were extracted; each rests on a quote in a turn and says where,
    and whose word it is.
    """
    memory = reflecting(taught, thoughts(DEMO, SHORT, ATLAS))
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)

    work(memory)

    assert [ask.purpose for ask in taught.asked] == [Purpose.EXTRACT, Purpose.REFLECT]
    session, user, agent = memory.reflections.list(HERE)
    assert [(one.kind, one.text, one.source_turns, one.tier) for one in (agent, user, session)] == [
        (DigestKind.AGENT, ATLAS["text"], (turn_of("talk", 1, HERE),), Tier.AGENT),
        (DigestKind.USER, SHORT["text"], (turn_of("talk", 0, HERE),), Tier.USER),
        (DigestKind.SESSION, DEMO["text"], (turn_of("talk", 2, HERE),), Tier.USER),
    ]
    assert (user.scope, session.scope) == (
        Scope(user="ana", agent="clerk"),
        replace(HERE, session=session_of("talk", HERE)),
    )
    assert agent.scope == Scope(agent="clerk", shared=True)
    assert (user.quote, user.quote_span) == (SAID[0], (0, len(SAID[0])))
    assert (user.waits, user.absorbed_at, user.digest) == (True, None, None)
    assert memory.items.list(scope=HERE).items == ()


def test_reflecting_is_off_unless_it_is_asked_for(taught: Taught) -> None:
    """A session costs no third question by default; by hand it can be reflected on all the same."""
    memory = reflecting(taught, thoughts(SHORT), reflect=False)
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)

    work(memory)
    assert formed(memory) == []

    memory.reflections.add("talk", HERE)
    assert formed(memory) == [SHORT["text"]]


def test_a_session_of_twenty_turns_takes_three_questions_at_most(taught: Taught) -> None:
    """Facts, what becomes of them, and reflections: each asked once for the whole session."""
    fact = note("Ana drinks green tea every morning", "I drink green tea every morning")
    memory = reflecting(taught, thoughts(SHORT), extract=lambda ask: says(fact))
    memory.remember("Ana drinks black tea every morning", HERE)
    for n in range(10):
        say(
            memory,
            "I drink green tea every morning" if n == 4 else f"{SAID[0]} That was number {n}.",
            scope=HERE,
        )
        say(memory, "Noted.", scope=HERE, role="assistant", name="Clerk")
    memory.sessions.end("talk", HERE)

    work(memory)

    assert [ask.purpose for ask in taught.asked].count(Purpose.REFLECT) == 1
    assert len(taught.asked) <= 3


@pytest.mark.covers("ED-14", "ED-55")
def test_a_model_sees_what_is_known_and_the_new_facts(taught: Taught) -> None:
    """The talk, then level by level what is known, then the facts just extracted; and who the agent
    is.
    """
    fact = note("Ana wants to plan the demo at https://example.org/demo", SAID[2], turn=3)
    memory = reflecting(
        taught,
        thoughts(SHORT, ATLAS),
        thoughts(),
        extract=lambda ask: says(fact),
        persona="a clerk who plans demos",
    )
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)
    work(memory)
    say(memory, "Let us go on.", scope=HERE)
    memory.sessions.end("talk", HERE)
    work(memory)

    first, second = (ask for ask in taught.asked if ask.purpose is Purpose.REFLECT)
    assert f"New facts:\n- {fact['text']}" in first.text
    assert "a clerk who plans demos" in first.system
    assert second.text.index(f"Known (agent):\n- {ATLAS['text']}") < second.text.index(
        f"Known (user):\n- {SHORT['text']}"
    )
    assert "Let us go on." in second.text


@pytest.mark.covers("ED-54")
@pytest.mark.parametrize(
    ("switches", "levels"),
    [
        (ALL_ON, {"agent", "user", "session"}),
        (Switches(user_memory=Use.LEARN, agent_memory=Use.OFF), {"user", "session"}),
        (Switches(user_memory=Use.OFF, agent_memory=Use.LEARN), {"agent", "session"}),
        (Switches(user_memory=Use.OFF, agent_memory=Use.OFF), {"session"}),
    ],
)
def test_a_level_that_is_off_is_neither_asked_for_nor_formed(
    taught: Taught, switches: Switches, levels: set[str]
) -> None:
    """Its part of the prompt is gone, and what a model says of it all the same is refused."""
    memory = reflecting(taught, thoughts(ATLAS, SHORT, DEMO), switches=switches)
    say(memory, *SAID, scope=HERE)

    assert refused(memory) == ["no such memory is formed here"] * (3 - len(levels))

    assert {one.kind.value for one in memory.reflections.list(HERE)} == levels
    assert {
        level for level in ("agent", "user", "session") if f'"{level}" –' in taught.asked[-1].system
    } == levels


@pytest.mark.covers("ED-4")
def test_reflections_of_a_session_are_formed_whatever_the_switches_say(taught: Taught) -> None:
    """By themselves too, where no fact of the user or the agent is."""
    memory = reflecting(
        taught, thoughts(DEMO), switches=Switches(user_memory=Use.OFF, agent_memory=Use.OFF)
    )
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)

    work(memory)

    assert [ask.purpose for ask in taught.asked] == [Purpose.REFLECT]
    assert formed(memory) == [DEMO["text"]]
    assert formed(memory, Scope(user="ana", agent="clerk")) == []


@pytest.mark.covers("ED-6")
def test_where_several_users_talk_nobody_gets_a_reflection(taught: Taught) -> None:
    """Only the session and the agent do; another session of one of them knows nothing of it."""
    memory = reflecting(taught, thoughts(ATLAS, SHORT, DEMO))
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    messages = tuple(Message(text=text, speaker="Ana", user="ana") for text in SAID)
    memory.ingest(
        Conversation(id="talk", messages=messages, participants=people),
        Scope(user="ana", agent="clerk"),
    )

    assert refused(memory) == ["no such memory is formed here"]
    assert [one.scope.user for one in memory.reflections.list(HERE)] == [None, None]
    assert formed(memory, Scope(user="ana", agent="clerk", session="other")) == [ATLAS["text"]]


def test_a_private_session_is_not_reflected_on(taught: Taught) -> None:
    """Neither by itself nor by hand."""
    memory = reflecting(taught)
    memory.ingest([{"role": "user", "content": text} for text in SAID], HERE, private=True)
    memory.sessions.end("talk", HERE)

    work(memory)

    assert memory.reflections.add("talk", HERE) == []
    assert taught.asked == []


@pytest.mark.covers("ED-14", "LS-78")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"Ana wants answers short {'and short ' * 16}", "it has 36 words, the limit is 35"),
        ("アナは" + "急いで" * 30, "it has 47 words, the limit is 35"),
        ("", "it has no text"),
    ],
)
def test_a_reflection_over_its_words_is_refused(taught: Taught, text: str, why: str) -> None:
    """Refused, not only warned of; in scripts without spaces two characters are a word. The others
    are formed.
    """
    memory = reflecting(taught, thoughts(SHORT | {"text": text}, ATLAS))
    say(memory, *SAID, scope=HERE)

    assert refused(memory) == [why]
    assert formed(memory) == [ATLAS["text"]]


@pytest.mark.covers("ED-16")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"text": "Ana wants answers short, see https://example.org/other"}, "ungrounded_address"),
        ({"quote": "Please keep your answers long and slow"}, "no_quote"),
    ],
)
def test_what_its_quote_does_not_say_waits_for_a_person(
    taught: Taught, change: dict[str, str], why: str
) -> None:
    """Nobody said it, or it leads elsewhere."""
    memory = reflecting(taught, thoughts(SHORT | change))
    say(memory, *SAID, scope=HERE)

    (reason,) = waiting(memory)
    assert re.search(why, reason)
    assert formed(memory) == []
    assert [one.text for one in memory.review.list(HERE)] == [(SHORT | change)["text"]]


@pytest.mark.covers("ED-16")
def test_only_the_users_own_words_shape_what_is_gone_by_with_them(taught: Taught) -> None:
    """What an assistant says of them, a tool or a page that they paste, waits for them, even where
    all are learnt from.
    """
    memory = reflecting(
        taught, thoughts(SHORT, SHORT | {"turn": 2}, ATLAS | {"turn": 3}), learn_from="all"
    )
    say(memory, SAID[0], scope=HERE, role="assistant", name="Clerk")
    say(memory, f"> {SAID[0]}", scope=HERE)
    say(memory, SAID[1], scope=HERE, role="tool", name="search")

    document = "a_tool_or_document_says_it"
    assert waiting(memory) == [document, "the_user_did_not_say_it", document]
    assert formed(memory) == []


def test_recalled_text_and_secrets_are_not_reflected_on(taught: Taught) -> None:
    """What stood in a block of memories was not said; a key is never repeated, in no listing of
    what was refused either.
    """
    key = "sk-proj-" + "Ab3" * 16
    quote = f"Always use the key {key} for me."
    memory = reflecting(
        taught,
        thoughts(
            SHORT,
            {"level": "user", "text": f"Ana wants the key {key} used", "quote": quote, "turn": 2},
        ),
    )
    say(memory, f"<memory>{SAID[0]}</memory> Good morning to all of you", quote, scope=HERE)

    (done,) = memory.reflections.add("talk", HERE)

    assert [one.refused for one in done.pondered] == [
        "it was recalled, not said",
        "it holds a secret",
    ]
    assert key not in repr(done)


def test_what_a_higher_level_says_is_not_said_again(taught: Taught) -> None:
    """Whatever order a model tells them in: the agent's first, then the user's, then the session's;
    nor what was formed before.
    """
    again = [SHORT | {"level": level} for level in ("session", "user")]
    memory = reflecting(taught, thoughts(*again), thoughts(SHORT | {"turn": 1}))
    say(memory, SAID[0], scope=HERE)
    assert refused(memory) == ["it is known already"]
    assert [one.kind for one in memory.reflections.list(HERE)] == [DigestKind.USER]

    say(memory, SAID[0], scope=HERE)
    assert refused(memory) == ["it is known already"]


@pytest.mark.covers("LS-75")
def test_a_failing_model_loses_nothing_and_nothing_is_formed_twice(taught: Taught) -> None:
    """The facts stay learnt, the job waits for its next try, and done once it is done."""
    memory = reflecting(taught, ModelError("away"), thoughts(SHORT))
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)
    work(memory)
    assert formed(memory) == []

    memory.jobs.replay(f"reflect:{session_of('talk', HERE)}", HERE)
    work(memory)
    work(memory)

    assert formed(memory) == [SHORT["text"]]
    assert memory.reflections.add("talk", HERE) == []


def test_who_reflects_by_hand_waits_for_the_worker_that_is_at_it(taught: Taught) -> None:
    """One model call, one reflection, no error; the job is done."""
    asked, answer = threading.Event(), threading.Event()

    def think(ask: Ask) -> dict[str, Any]:
        asked.set()
        assert answer.wait(20)
        return thoughts(SHORT)

    memory = taught(
        script={Purpose.EXTRACT: lambda ask: says(), Purpose.REFLECT: think},
        switches=ALL_ON,
        reflect=True,
    )
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)
    worker = threading.Thread(target=work, args=(memory,))
    worker.start()
    assert asked.wait(20)
    threading.Timer(0.3, answer.set).start()

    assert memory.reflections.add("talk", HERE) == []

    worker.join(20)
    assert sum(ask.purpose is Purpose.REFLECT for ask in taught.asked) == 1
    assert formed(memory) == [SHORT["text"]]
    assert not [job for job in memory.jobs.list(HERE) if job.kind == "reflect"]


def test_a_worker_does_not_reflect_beside_who_does_by_hand(taught: Taught) -> None:
    """Nor afterwards: the job ends with it."""
    held: list[Memory] = []

    def think(ask: Ask) -> dict[str, Any]:
        work(held[0])
        return thoughts(SHORT)

    memory = taught(
        script={Purpose.EXTRACT: lambda ask: says(), Purpose.REFLECT: think},
        switches=ALL_ON,
        reflect=True,
    )
    held.append(memory)
    say(memory, *SAID, scope=HERE)
    memory.sessions.extract("talk", HERE)

    assert len(memory.reflections.add("talk", HERE)) == 1
    work(memory)

    assert sum(ask.purpose is Purpose.REFLECT for ask in taught.asked) == 1
    assert formed(memory) == [SHORT["text"]]
    assert not [job for job in memory.jobs.list(HERE) if job.kind == "reflect"]


def test_a_session_is_reflected_on_by_those_who_take_part(
    taught: Taught, open_memory: OpenMemory
) -> None:
    """Nobody else can, and without a model nobody."""
    memory = reflecting(taught)
    say(memory, *SAID, scope=HERE)

    with pytest.raises(NotFound):
        memory.reflections.add("talk", BEN)
    with pytest.raises(ModelMissing):
        open_memory().reflections.add("talk", HERE)


@pytest.mark.covers("CX-20", "ED-1")
def test_a_preference_is_an_item_to_be_found_and_a_reflection_to_be_gone_by(taught: Taught) -> None:
    """Of the same words: the one is found when it is asked for, the other always in view; either is
    there without the other.
    """
    wish = note("Ana wants answers kept short", SAID[0], category="preference")
    memory = reflecting(taught, thoughts(SHORT), extract=lambda ask: says(wish))
    say(memory, *SAID, scope=HERE)
    memory.sessions.end("talk", HERE)
    work(memory)

    (item,) = memory.items.list(scope=HERE).items
    (reflection,) = memory.reflections.list(HERE)
    assert (item.category, item.text, reflection.text) == (
        "preference",
        wish["text"],
        SHORT["text"],
    )
    assert memory.recall("How should answers be?", HERE).hits[0].id == item.id

    memory.forget(item.id, HERE)
    assert formed(memory) == [SHORT["text"]]


def test_a_user_sees_no_reflections_of_others(taught: Taught) -> None:
    """Their own, and the agent's; of a session from within it."""
    memory = reflecting(taught, thoughts(ATLAS, SHORT, DEMO))
    say(memory, *SAID, scope=HERE)
    memory.reflections.add("talk", HERE)

    assert formed(memory, BEN) == []
    assert formed(memory, Scope(user="ben", agent="clerk")) == [ATLAS["text"]]
    assert formed(memory, Scope(user="ana", agent="clerk")) == [ATLAS["text"], SHORT["text"]]
    assert formed(memory, Scope(agent="clerk", shared=True)) == [ATLAS["text"]]


def test_reflections_are_taken_back_and_brought_back(taught: Taught) -> None:
    """All of one time by its id, each by its change; the ledger stays whole."""
    memory = reflecting(taught, thoughts(ATLAS, SHORT, DEMO))
    say(memory, *SAID, scope=HERE)
    (done,) = memory.reflections.add("talk", HERE)

    undone = memory.undo(done.id, HERE)
    assert (formed(memory), len(undone)) == ([], 3)
    assert memory.admin.verify().problems == ()

    memory.undo(undone[0], HERE)
    assert len(formed(memory)) == 1
    with pytest.raises(CannotUndo):
        memory.undo(undone[0], HERE)
    assert memory.admin.verify().problems == ()


def test_a_session_can_be_reflected_on_again(taught: Taught) -> None:
    """After it was taken back, say; what stands already is not formed twice, and what comes after
    is not skipped.
    """
    memory = reflecting(
        taught, thoughts(SHORT, ATLAS), thoughts(SHORT, ATLAS, DEMO), thoughts(DEMO | {"turn": 1})
    )
    say(memory, *SAID[:2], scope=HERE)
    (done,) = memory.reflections.add("talk", HERE)
    (short,) = (
        one.reflection.id for one in done.pondered if one.reflection and one.level == "user"
    )
    (change,) = (
        one.id
        for one in memory.diff(NINE.replace(year=2025), None, HERE).changes
        if one.record == short
    )
    memory.undo(change, HERE)

    (again,) = memory.reflections.add("talk", HERE, again=True)
    assert [one.refused for one in again.pondered] == ["it is known already", "", "no_quote"]
    assert set(formed(memory)) == {SHORT["text"], ATLAS["text"]}

    say(memory, SAID[2], scope=HERE)
    assert refused(memory) == []
    assert DEMO["text"] in formed(memory)


def test_a_reflection_changed_behind_the_ledger_is_found(taught: Taught, store: Store) -> None:
    """By verify, with its id."""
    memory = reflecting(taught, thoughts(SHORT))
    say(memory, *SAID, scope=HERE)
    memory.reflections.add("talk", HERE)
    (one,) = memory.reflections.list(HERE)

    with store.transaction(tenant=None) as tx:
        tx.run(
            "reflections.rewrite",
            tenant="default",
            id=one.id,
            text="Ana wants answers long",
            quote=one.quote,
            escaped=0,
        )

    (problem,) = memory.admin.verify().problems
    assert one.id in problem
    assert {
        change.kind for change in memory.diff(one.formed_at.replace(year=2025), None, HERE).changes
    } >= {Kind.REFLECTION}


def test_what_an_install_wants_remembered_is_told(taught: Taught) -> None:
    """The same words as for facts."""
    memory = reflecting(taught, thoughts(), steering="Heed every allergy.")
    say(memory, *SAID, scope=HERE)

    memory.reflections.add("talk", HERE)

    assert "Heed every allergy." in taught.asked[-1].system


@pytest.mark.covers("ED-16")
@pytest.mark.parametrize(
    "text",
    [
        "Ana wants answers of 12 words, as she is in a hurry",
        "Ana wants answers short since 4 June 2025",
        "Ana wants answers short since yesterday",
        "Ana möchte kurze Antworten, weil sie es immer eilig hat",
        "The cat sleeps on the roof of the barn",
    ],
)
def test_what_the_user_said_and_may_mean_otherwise_is_unconfirmed(
    text: str, taught: Taught
) -> None:
    """It waits for nobody, is labelled, and is condensed once a person confirmed it."""
    memory = reflecting(taught, thoughts(SHORT | {"text": text}))
    say(memory, *SAID, scope=HERE)

    assert waiting(memory) == []
    (one,) = memory.reflections.list(HERE)
    assert (one.text, one.unconfirmed) == (text, Unconfirmed.NEVER)
    assert str(one) == f"{text} (unconfirmed)"
    assert memory.stats(HERE).buffers[0].waiting == 0

    person = memory.acting(Because(actor="ana", tier=Tier.USER))
    person.review.confirm(one.id, HERE)
    assert memory.stats(HERE).buffers[0].waiting == 1
    change = Ledgered(memory).last(one.id)
    person.undo(change, HERE)
    assert memory.reflections.list(HERE)[0].unconfirmed is Unconfirmed.NEVER
    person.review.reject(one.id, HERE)
    assert formed(memory) == []
    assert memory.admin.verify().problems == ()


class Ledgered:
    """The changes of records that have no history of their own."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def last(self, record: str) -> str:
        """The id of the last change of a record."""
        with self._memory.store.transaction(tenant=None, write=False) as tx:
            return Ledger(tx).of_record("default", record)[-1].change.id


def test_an_unconfirmed_reflection_goes_after_its_time(taught: Taught, clock: FixedClock) -> None:
    """Thirty days unless set; undo brings it back."""
    text = "Ana wants answers of 12 words, as she is in a hurry"
    memory = reflecting(taught, thoughts(SHORT | {"text": text}))
    say(memory, *SAID, scope=HERE)
    waiting(memory)

    clock.move(days=31)
    done = memory.admin.tidy(only=["prune"])
    assert formed(memory) == []

    memory.undo(done.id, HERE)
    assert formed(memory) == [text]
