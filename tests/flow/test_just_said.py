"""What was just said is found by its words while its vector waits; what stands alone is found among
much talk; what the assistant told is found where it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.evals import load_dataset
from omoide.memory import Memory
from omoide.models.embedders.static import StaticEmbedder
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Role
from tests.fix_memory import NINE, OpenMemory, on_sqlite

TALKS = Path("scripts/data/talks")
SAID = (
    ("The plumber comes on Tuesday at eight", "When does the plumber come?"),
    ("I parked the car on level four of the Huxtable garage", "Where did I park the car?"),
    ("Ravi wants the quarterly figures by noon", "What does Ravi want by noon?"),
    ("My locker at the pool is number 218", "What is the number of my locker at the pool?"),
    ("Grandma's soup needs a whole head of fennel", "What does Grandma's soup need?"),
    ("The wifi at the cottage drops when it rains", "When does the wifi at the cottage drop?"),
    ("Oskar swapped his shift with Benedikta", "Who did Oskar swap his shift with?"),
    ("We agreed on teal for the hallway", "Which colour did we agree on for the hallway?"),
)
ALONE = (
    ("Chloe broke the blue vase.", "What did Chloe break?"),
    ("Anouk sold her motorbike.", "What did Anouk sell?"),
    ("Zeynep is allergic to walnuts.", "What is Zeynep allergic to?"),
    ("Ivo's new flat is on the third floor.", "Which floor is Ivo's flat on?"),
    ("Linh plays the cello.", "Which instrument does Linh play?"),
    ("Bruno drives a green van.", "What does Bruno drive?"),
    ("Ottilie's dentist is Dr Okafor.", "Who is Ottilie's dentist?"),
    ("Yusuf moved to Lisbon.", "Where did Yusuf move to?"),
    ("Greta bought a telescope.", "What did Greta buy?"),
    ("Rex ate my left shoe.", "What did Rex eat?"),
    ("Saoirse was born on 14 March.", "When was Saoirse born?"),
    ("Kwame works for the post office.", "Who does Kwame work for?"),
)


SPEAKERS = ("Hattie", "Dilys")  # who say most in these talks
ABOUT_SPEAKERS = (
    ("{0} adopted a greyhound.", "What did {0} adopt?"),
    ("{1}'s blood type is B negative.", "What is {1}'s blood type?"),
    ("{0} prefers the aisle seat.", "Which seat does {0} prefer?"),
    ("{1} parked the car in Tanner Street.", "Where did {1} park the car?"),
    ("{0} owes Piet forty euros.", "How much does {0} owe Piet?"),
    ("{1}'s shoe size is 43.", "What is {1}'s shoe size?"),
    ("{0} signed up for the half marathon in Kassel.", "Which race did {0} sign up for?"),
    ("{1} planted rhubarb behind the shed.", "What did {1} plant behind the shed?"),
)


def filled(memory: Memory, most: int) -> None:
    """A memory with so many turns of our own talks at most, and their vectors."""
    talks = [talk for case in load_dataset("probes", TALKS).cases for talk in case.talks]
    for talk in talks:
        if most > 0:
            memory.ingest(replace(talk, messages=talk.messages[:most]))
            most -= len(talk.messages)
    memory.admin.tidy(only=["vectors"])


def places(memory: Memory, asked: Sequence[tuple[str, str]], preset: str = "default") -> list[int]:
    """Where each text stands among the hits of its question; 0 where it does not."""
    found = [
        [hit.text for hit in memory.recall(Query(text=question, preset=preset)).hits]
        for _, question in asked
    ]
    return [
        1 + hits.index(text) if text in hits else 0
        for (text, _), hits in zip(asked, found, strict=True)
    ]


def told(memory: Memory, said: Sequence[tuple[str, str]]) -> None:
    """Each text logged in a session of its own, without vectors."""
    for number, (text, _) in enumerate(said):
        at = NINE - timedelta(days=number)
        memory.ingest(Conversation(id=f"alone-{number}", messages=(Message(text=text, at=at),)))


@on_sqlite
@pytest.mark.parametrize("turns", [0, 40, 1_000, 2_760])
@pytest.mark.parametrize("preset", ["default", "rrf", "fast"])
def test_what_was_just_said_is_found_while_its_vector_waits(
    turns: int, preset: str, open_memory: OpenMemory
) -> None:
    """By its own words and by a question, in a store of any size, with the worker elsewhere."""
    memory = open_memory(embedder=StaticEmbedder(), background=False)
    filled(memory, turns)
    told(memory, SAID)

    found = places(memory, [(text, text) for text, _ in SAID], preset)
    asked = places(memory, SAID, preset)

    assert all(0 < place <= 10 for place in (*found, *asked)), (found, asked)


@on_sqlite
def test_what_stands_alone_is_found_among_much_talk(open_memory: OpenMemory) -> None:
    """At least nine of twelve statements, each alone in its session among 1,000 turns, come among
    the first three.
    """
    memory = open_memory(embedder=StaticEmbedder(), background=False)
    filled(memory, 1_000)
    told(memory, ALONE)
    memory.admin.tidy(only=["vectors"])

    found = places(memory, ALONE)

    assert sum(0 < place <= 3 for place in found) >= 9, found


@on_sqlite
def test_what_is_said_alone_about_who_speaks_much_is_found(open_memory: OpenMemory) -> None:
    """At least seven of eight statements about main speakers come among the first three, before
    what these say about other things.
    """
    memory = open_memory(embedder=StaticEmbedder(), background=False)
    filled(memory, 1_000)
    said = [(text.format(*SPEAKERS), asked.format(*SPEAKERS)) for text, asked in ABOUT_SPEAKERS]
    told(memory, said)
    memory.admin.tidy(only=["vectors"])

    found = places(memory, said)

    assert sum(0 < place <= 3 for place in found) >= 7, found


def test_the_answer_to_what_is_asked_about_rises_with_it(memory: Memory) -> None:
    """Asked for its advice, the assistant's reply stands first, though it names the subject with
    no word of the question.
    """
    memory.ingest(
        Conversation(
            id="talk",
            messages=(
                Message(text="How do I keep slugs away from the lettuce bed?"),
                Message(
                    text="Lay copper tape around the frame, and water in the morning only.",
                    role=Role.ASSISTANT,
                ),
                Message(text="And what about the roof of the shed?"),
                Message(
                    text="Bitumen sheets last some fifteen years; zinc lasts longer.",
                    role=Role.ASSISTANT,
                ),
            ),
        ),
        Scope(user="ana"),
    )
    memory.admin.tidy()

    hits = memory.recall("What was your advice about slugs and the lettuce?").hits

    assert hits[0].text.startswith("Lay copper tape")


def test_what_the_assistant_recommended_comes_first(memory: Memory) -> None:
    """Asked for, its words stand before those of the person who asked for them."""
    memory.ingest(
        Conversation(
            id="tap",
            messages=(
                Message(text="Our kitchen tap drips, which kitchen tap should we buy?"),
                Message(
                    text="For the kitchen tap I recommend the Brunnhild 4, brushed steel.",
                    role=Role.ASSISTANT,
                ),
                Message(text="The kitchen tap must fit a hole of 35 mm, I think"),
                Message(text="Then the kitchen tap fits.", role=Role.ASSISTANT),
            ),
        ),
        Scope(user="ana"),
    )
    memory.admin.tidy()

    hits = memory.recall("What did you recommend for the kitchen tap?").hits

    assert hits[0].text.startswith("For the kitchen tap I recommend")


def test_what_decided_is_told(memory: Memory) -> None:
    """Each hit names the features that raised it most, or lowered it."""
    told(memory, (*ALONE, *SAID))
    memory.admin.tidy()

    first, *others = memory.recall("What did Chloe break?").hits

    assert first.text == ALONE[0][0]
    assert first.features[0].points > 0
    assert all(len(hit.features) <= 3 for hit in (first, *others))
    reason = memory.why_not("What did Chloe break?", others[0].id, limit=1)
    assert reason.gate == "rank"
    assert "decided by" in reason.detail
