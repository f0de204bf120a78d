"""A memory with the checks off does what a model says, no more and no less, and its figures stand
beside those of the product.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omoide.evals.extraction import Held, Told, figures, learn
from omoide.evals.gold import Fact, Story, load_gold
from omoide.learning.teaching import Teaching
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.cassette import Cassette, Recorder
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from tests.evals import oracle
from tests.evals.test_extraction import STORY
from tests.fix_teaching import note, says

PLAIN = replace(STORY, facts=(), conflicts=(), profile=(), periods=(), noise=frozenset())
PORTO, LISBON = "Ana lives in Porto near the river", "Ana lives in Lisbon near the river now"


def model(*decisions: dict[str, Any], text: str = LISBON, **more: Any) -> ScriptedModel:
    """One that notes where Ana lives in each talk, and decides so of the second."""

    def extract(ask: Ask) -> dict[str, Any]:
        porto = "1 Ana: I live in Porto" in ask.text
        quote = f"I live in {'Porto near the river' if porto else 'Lisbon near the river now'}"
        return says(note(PORTO, quote) if porto else note(text, quote, **more))

    return ScriptedModel(
        {Purpose.EXTRACT: extract, Purpose.DECIDE: lambda ask: {"decisions": list(decisions)}}
    )


def held(told_by: ScriptedModel, teaching: Teaching | None = None) -> Held:
    """What a memory without checks holds after two talks."""
    return learn(PLAIN, told_by, teaching or Teaching(judge=False)).unchecked


def test_what_nobody_said_is_held() -> None:
    """A number that no message has is in doubt with the checks on, and closes nothing."""
    done = learn(PLAIN, model(text="Ana has 7 flats near the river"), Teaching(judge=False))

    assert [one.fate for one in done.suggested] == ["added", "unconfirmed"]
    assert sorted(done.unchecked.items) == ["Ana has 7 flats near the river", PORTO]


def test_what_reads_alike_is_held_twice_where_the_model_says_so() -> None:
    """Learning once more adds it all again; with the checks on nothing is new."""
    done = learn(PLAIN, model({"note": 1, "op": "add"}), Teaching(judge=False))

    assert (done.checked.again_new, done.unchecked.again_new) == (0, 2)
    assert figures(done).again_new == 0
    assert figures(done, checks=False).again_new == 2


def test_what_the_model_says_is_known_is_not_held_again() -> None:
    """It is asked of what reads the same, too."""
    assert held(model({"note": 1, "op": "none", "ref": "k1"})).items == (PORTO,)


def test_an_update_takes_the_place_of_what_it_names_in_the_words_of_the_model() -> None:
    """Whatever these are: no word of it has to be in what it ends."""
    done = held(
        model(
            {
                "note": 1,
                "op": "update",
                "ref": "k1",
                "was": "she has a cat",
                "text": "Ana has moved",
            }
        )
    )

    assert done.items == ("Ana has moved",)


def test_an_operation_on_a_mark_that_was_not_shown_is_left_out() -> None:
    """What it would have said instead, too."""
    assert held(model({"note": 1, "op": "update", "ref": "k9"})).items == (PORTO,)


def test_in_one_call_a_deletion_without_a_text_closes() -> None:
    """And nothing takes its place."""
    done = held(model(text="", op="delete", ref="k1"), Teaching(judge=False, strategy="one-call"))

    assert done.items == ()


def test_a_question_that_was_answered_is_answered_the_same_again() -> None:
    """The model is not asked twice what to remember of a talk, and what it says of it differs in no
    word.
    """
    asked = model({"note": 1, "op": "add"})
    learn(PLAIN, asked, Teaching(judge=False))

    extractions = [ask.text for ask in asked.asked if ask.purpose is Purpose.EXTRACT]
    assert len(extractions) == 2 * len(PLAIN.talks)  # the second time is that of learning once more


def test_of_what_a_cassette_does_not_hold_all_is_added(tmp_path: Path) -> None:
    """And how many questions these were is told: those about what only a memory without checks
    holds, here after an update that repeats nothing of what it replaces.
    """
    homes = {town: f"I live in {town} near the river" for town in ("Porto", "Lisbon", "Faro")}

    def extract(ask: Ask) -> dict[str, Any]:
        (said,) = (text for text in homes.values() if text in ask.text)
        return says(note(said.replace("I live", "Ana lives"), said))

    update = {"note": 1, "op": "update", "ref": "k1", "was": "she has a cat", "text": "Ana moved"}
    script = {Purpose.EXTRACT: extract, Purpose.DECIDE: lambda ask: {"decisions": [update]}}
    story = talks(**{town.lower(): text for town, text in homes.items()})
    recorder = Recorder(ScriptedModel(script), tmp_path / "whole.jsonl")
    learn(story, recorder, Teaching(judge=False))
    lines = (tmp_path / "whole.jsonl").read_text("utf-8").splitlines()
    kept = [line for line in lines if "Ana moved" not in json.loads(line)["text"]]
    (tmp_path / "tape.jsonl").write_text("\n".join(kept), "utf-8")

    done = learn(story, Cassette(tmp_path / "tape.jsonl"), Teaching(judge=False))

    assert 0 < done.unanswered <= len(lines) - len(kept)
    assert "Ana lives in Faro near the river" in done.unchecked.items


def talks(**said: str) -> Story:
    """A story of one message a talk."""
    at = datetime(2026, 1, 5, 12, tzinfo=UTC)
    return Story(
        id="ana",
        talks=tuple(
            Conversation(id=key, messages=(Message(text=t, speaker="Ana", at=at, key=key),))
            for key, t in said.items()
        ),
    )


def sloppy(share: float) -> tuple[Told, oracle.Oracle]:
    """An extractor that is wrong at a rate, on three facts."""
    story = talks(
        one="I live in Porto near the river",
        two="My dog Rex likes cheese",
        three="I work 35 hours a week at the harbour",
    )
    texts = {
        "one": "Ana lives in Porto near the river",
        "two": "Ana's dog Rex likes cheese",
        "three": "Ana works 35 hours a week at the harbour",
    }
    facts = tuple(
        Fact(session=key, text=text, messages=frozenset({key})) for key, text in texts.items()
    )
    return oracle.measured(replace(story, facts=facts), share=share)


def test_a_right_extractor_is_kept_whole_and_a_wrong_one_out() -> None:
    """What is wrong is known of an extractor that is made so, and off it is all held."""
    told, known = sloppy(0.0)
    assert oracle.kept(told, known, checks=True) == {
        "wrong, learnt": 0.0,
        "wrong, held": 0.0,
        "right, held": 1.0,
        "new, rightly": 0.0,
    }

    told, known = sloppy(1.0)
    assert len(known.wrong) == 3
    assert oracle.kept(told, known, checks=True)["wrong, learnt"] == 0.0
    assert oracle.kept(told, known, checks=False)["wrong, learnt"] == 1.0


def test_what_a_profile_holds_and_what_changed_is_learnt_or_not(tmp_path: Path) -> None:
    """Of CRI's facts, lists by their entries, the share that something learnt in any session says;
    it is not all that is worth learning.
    """
    folder = tmp_path / "updates" / "cri"
    folder.mkdir(parents=True)
    said = {
        "role": "user",
        "content": "I am a strict vegan and I live in Porto near the river",
        "timestamp": "2026-01-05T12:00:00",
    }
    (folder / "conversations.jsonl").write_text(
        json.dumps(said | {"message_id": 1, "session_id": "one"}), "utf-8"
    )
    profile = {
        "name": "Ana Lima",
        "hobbies": ["long walks by the sea", "cooking for friends"],
        "diet": "strict vegan",
    }
    change = {
        "old_value": "eats fish and meat",
        "new_value": "strict vegan",
        "query_topic": "diet",
        "key_messages": [1],
    }
    truth = {
        "final_profile": {
            name: {"value": value, "query_topic": name} for name, value in profile.items()
        },
        "changes": [change],
        **{key: [] for key in ("conflicts", "temporal_facts", "noise_examples", "signal_examples")},
    }
    (folder / "ground_truth.json").write_text(json.dumps(truth), "utf-8")
    (story,) = load_gold("cri", tmp_path).stories
    vegan = ScriptedModel(
        lambda ask: {**says(note("Ana is a strict vegan", "I am a strict vegan")), "decisions": []}
    )

    done = learn(story, vegan, Teaching(judge=False))

    assert [fact.text for fact in story.facts] == [
        "Ana Lima",
        "long walks by the sea",
        "cooking for friends",
        "strict vegan",
        "eats fish and meat",
    ]
    assert (figures(done).recall, figures(done).precision) == (1 / 5, None)
