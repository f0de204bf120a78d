"""The faulty model does what its plan says, and counts it."""

from __future__ import annotations

import json

import pytest

from omoide.models.chat.answers import read_object
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.errors import ModelError
from tests.faulty import ERRORS, WORDS, Fault, FaultyModel, at_random

ASK = Ask(purpose=Purpose.EXTRACT, system="", text="", schema={})
SAID = {"items": [{"text": "Ana likes tea", "quote": "I like tea", "turn": 1}]}


def sound_model() -> ScriptedModel:
    """A model with nothing wrong."""
    return ScriptedModel(lambda ask: SAID)


def test_every_fault_is_an_error_or_an_answer() -> None:
    """All but one, which hangs; thirty in all."""
    assert len(Fault) == 30
    assert {*ERRORS, *WORDS, Fault.HANG} == set(Fault)
    assert not ERRORS.keys() & WORDS.keys()


@pytest.mark.parametrize("fault", WORDS)
def test_an_answer_with_a_fault_is_refused_or_another(fault: Fault) -> None:
    """None reads as the right answer does, but for the one that is put into a list."""
    model = FaultyModel(sound_model(), lambda ask: fault)

    answer = model.answer(ASK)

    try:
        assert (read_object(answer.text) == SAID) == (fault is Fault.LIST)
    except ValueError:
        pass
    assert model.fired == {fault: 1}


@pytest.mark.parametrize("fault", ERRORS)
def test_an_error_is_raised_as_it_would_be(fault: Fault) -> None:
    """One of ours, but for the crash."""
    model = FaultyModel(sound_model(), lambda ask: fault)

    with pytest.raises(RuntimeError if fault is Fault.CRASH else ModelError):
        model.answer(ASK)
    assert model.fired == {fault: 1}


def test_what_hangs_ends_when_it_is_released() -> None:
    """As a broken connection does."""
    model = FaultyModel(sound_model(), lambda ask: Fault.HANG)
    model.released.set()

    with pytest.raises(ModelError, match="broke off"):
        model.answer(ASK)


def test_a_plan_by_chance_is_the_same_for_the_same_seed() -> None:
    """So many of the answers have a fault, and every kind comes up."""
    plans = [
        [plan(ASK) for _ in range(2_000)]
        for plan in (at_random(7, 0.5), at_random(7, 0.5), at_random(8, 0.5))
    ]

    assert plans[0] == plans[1] != plans[2]
    assert {*plans[0]} == {None, *Fault}
    assert 900 < plans[0].count(None) < 1_100


def test_without_a_fault_the_answer_is_the_models() -> None:
    """As it gave it."""
    model = FaultyModel(sound_model(), lambda ask: None)

    assert json.loads(model.answer(ASK).text) == SAID
    assert not model.fired
