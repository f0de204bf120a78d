"""What a turn brings from elsewhere is nobody's word, and a model that reads it ends nothing by
that.
"""

from __future__ import annotations

from typing import Any

import pytest

from omoide.learning.application import CLOSES_MORE
from omoide.learning.report import Fate
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.proposal import Wish
from omoide.nouns.query import Query
from tests.fix_memory import ANA, OpenMemory
from tests.fix_teaching import TALK, Taught, note, say, says, texts

MAIL = "Sum up this mail for me:\n\nDear Ana,\n\nThe user lives in Minvale.\n\nEve"
SUM_UP = note("Ana wants a mail summed up", "Sum up this mail for me")
STATED = Details(source=Source.USER)


def ends(was: str) -> dict[str, Any]:
    """A decision that what was said takes the place of the first item shown, whose words it
    repeats.
    """
    return {"decisions": [{"note": 1, "op": "update", "ref": "k1", "was": was}]}


def test_what_stands_in_a_pasted_mail_is_a_documents_word(taught: Taught) -> None:
    """It stands beside what the user said, however it is called by the model, and closes
    nothing.
    """
    memory = taught(
        says(note("The user lives in Minvale", "The user lives in Minvale.")),
        decide=[ends("Ana lives in Porto")],
    )
    memory.remember("Ana lives in Porto", ANA, details=STATED)
    say(memory, MAIL)

    memory.sessions.extract("talk")

    assert {item.text: item.tier for item in memory.items.list(scope=ANA).items} == {
        "Ana lives in Porto": Tier.USER,
        "The user lives in Minvale": Tier.DOCUMENT,
    }


@pytest.mark.parametrize("strategy", ["two-calls", "one-call"])
def test_beside_a_pasted_mail_a_model_does_not_end_what_has_nothing_to_do_with_it(
    taught: Taught, strategy: str
) -> None:
    """Though it repeats what it would end: the note is added, and the closing waits for a
    person.
    """
    was = "Ana lives in Porto"
    meant = SUM_UP | {"op": "update", "ref": "k1", "was": was} if strategy == "one-call" else SUM_UP
    memory = taught(says(meant), decide=[ends(was)], strategy=strategy)
    memory.remember(was, ANA, details=STATED)
    say(memory, MAIL)

    (extraction,) = memory.sessions.extract("talk")

    why = (CLOSES_MORE,)
    assert [(one.fate, one.why) for one in extraction.considered] == [(Fate.ADDED, why)]
    assert texts(memory) == [was, SUM_UP["text"]]
    assert [(shown.proposal.wish, shown.proposal.flags) for shown in memory.review.list(ANA)] == [
        (Wish.RETRACT, why)
    ]


def test_beside_a_pasted_mail_a_change_that_shares_a_word_is_one(taught: Taught) -> None:
    """The user's own words in the same turn end what they speak of."""
    memory = taught(
        says(note("Ana's flat is in Lisbon now", "My flat is in Lisbon now")),
        decide=[ends("Ana's flat is in Porto")],
    )
    memory.remember("Ana's flat is in Porto", ANA, details=STATED)
    say(memory, f"My flat is in Lisbon now. {MAIL}")

    memory.sessions.extract("talk")

    assert texts(memory) == ["Ana's flat is in Lisbon now"]


@pytest.mark.parametrize(
    ("said", "text", "left"),
    [
        ("Sum up the mail for me.", "Ana wants the mail summed up", 2),
        ("I moved to Lisbon. Sum up the mail.", "Ana moved to Lisbon", 1),
    ],
)
def test_all_of_a_turn_that_a_tool_answers_is_a_request(
    taught: Taught, said: str, text: str, left: int
) -> None:
    """It ends what it shares a word with; a part of such a turn may be a statement, and ends what
    the model repeats.
    """
    memory = taught(says(note(text, said.partition(". ")[0])), decide=[ends("Ana lives in Porto")])
    memory.remember("Ana lives in Porto", ANA, details=STATED)
    say(memory, said)
    memory.ingest(
        [
            {"role": "tool", "name": "mail", "content": "The user lives in Minvale."},
            {"role": "user", "content": "Thanks!"},
        ],
        TALK,
    )

    memory.sessions.extract("talk")

    assert len(texts(memory)) == left


@pytest.mark.parametrize(
    ("said", "left"),
    [("I don't have a dog any more", 0), ("What does he write?\n> I don't have a dog any more", 1)],
)
def test_a_pasted_denial_ends_nothing(taught: Taught, said: str, left: int) -> None:
    """Only a person's own no does; another's waits."""
    gone = {
        "text": "",
        "quote": "I don't have a dog any more",
        "turn": 1,
        "op": "delete",
        "ref": "k1",
        "was": "Ana has a dog",
    }
    memory = taught(says(gone), strategy="one-call")
    memory.remember("Ana has a dog", ANA, details=STATED)
    say(memory, said)

    memory.sessions.extract("talk")

    assert len(texts(memory)) == len(memory.review.list(ANA)) == left


def test_an_update_in_the_same_words_says_it_again(taught: Taught) -> None:
    """In one call a model may name what says the very same: it is there once, and surer."""
    same = note(
        "Ana likes tea",
        "I like tea",
        category="preference",
        op="update",
        ref="k1",
        was="Ana likes tea",
    )
    memory = taught(says(same), strategy="one-call")
    known = memory.remember("Ana likes tea", ANA, category="fact", details=STATED)
    say(memory, "I like tea")

    (extraction,) = memory.sessions.extract("talk")

    assert [(one.fate, one.item) for one in extraction.considered] == [(Fate.REINFORCED, known.id)]
    assert texts(memory) == ["Ana likes tea"]


@pytest.mark.parametrize("tokens", [None, 20])
def test_a_hit_names_what_was_pasted(open_memory: OpenMemory, tokens: int | None) -> None:
    """Of a long turn only where the passage shown was; what the user says beside it is theirs."""
    memory = open_memory()
    page = "Honey of the acacia is clear. " * 8
    say(memory, f"I keep bees in Minvale.\n---\n{page}\nKestrel jars are the best.")
    say(memory, "My hives are blue.")

    for words, pasted in (("Kestrel jars", True), ("blue hives", False)):
        hits = memory.recall(Query(text=words, passage_tokens=tokens))
        hit = next(hit for hit in hits if words.split()[0] in hit.text)
        assert hit.pasted is pasted
        assert (", pasted" in str(hit)) is pasted
