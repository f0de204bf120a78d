"""Patience with a model: tried again, listened to, left alone, and given up on when it hangs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from omoide.models.chat.base import Ask, CallableModel, ChatModel, Completion, Purpose
from omoide.models.chat.patient import PATIENCE, Patience, Patient
from omoide.models.chat.scripted import ScriptedAnswer, ScriptedModel
from omoide.nouns.errors import BadAnswer, ModelError, ModelMissing, ModelRefused, ModelUnreachable

ASK = Ask(purpose=Purpose.EXTRACT, system="", text="", schema={})
AWAY = ModelUnreachable("x: HTTP 500")


class Time:
    """Seconds that pass when somebody waits, and the waits."""

    def __init__(self) -> None:
        self.at = 1_000.0
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        """Wait, at once."""
        self.waits.append(seconds)
        self.at += seconds

    def patient(
        self, model: ChatModel, patience: Patience = PATIENCE, chance: float = 1.0
    ) -> Patient:
        """A model with patience whose time this is."""
        return Patient(model, patience, now=lambda: self.at, wait=self.wait, chance=lambda: chance)


def scripted(said: Sequence[ScriptedAnswer]) -> ScriptedModel:
    """A model that says these."""
    return ScriptedModel(said)


@pytest.mark.covers("ED-22")
def test_a_failing_model_is_tried_three_times_with_growing_waits() -> None:
    """The third attempt still counts; each wait may be twice as long as the one before."""
    time, model = Time(), scripted([AWAY, AWAY, "{}"])

    assert time.patient(model).answer(ASK).text == "{}"
    assert (len(model.asked), time.waits) == (3, [1.0, 2.0])


def test_after_the_last_attempt_its_error_is_the_models() -> None:
    """As it was raised."""
    model = scripted([AWAY, AWAY, last := ModelUnreachable("x: HTTP 503", 7)])

    with pytest.raises(ModelUnreachable) as caught:
        Time().patient(model).answer(ASK)
    assert caught.value is last


def test_waits_are_cut_by_chance() -> None:
    """Anything from nothing up to the whole wait, so that those who failed together do not come
    back together.
    """
    time = Time()

    time.patient(scripted([AWAY, AWAY, "{}"]), chance=0.25).answer(ASK)
    assert time.waits == [0.25, 0.5]


def test_a_server_that_says_when_to_come_back_is_listened_to() -> None:
    """Its wait is no shorter than it asked for."""
    time = Time()

    time.patient(scripted([ModelUnreachable("x: HTTP 429", 12.5), "{}"]), chance=0.0).answer(ASK)
    assert time.waits == [12.5]


def test_a_server_that_asks_for_long_is_not_waited_for_here() -> None:
    """The error says for how long, so that a job can come back then."""
    time, model = Time(), scripted([ModelUnreachable("x: HTTP 429", 600), "{}"])

    with pytest.raises(ModelUnreachable) as caught:
        time.patient(model).answer(ASK)
    assert (caught.value.retry_after_s, time.waits, len(model.asked)) == (600, [], 1)


@pytest.mark.parametrize(
    "error",
    [
        ModelMissing("gone"),
        ModelRefused("no"),
        BadAnswer("m", "extract", "cut off"),
        ModelError("HTTP 400"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(error: ModelError) -> None:
    """The same question would get the same answer."""
    time, model = Time(), scripted([error, "{}"])

    with pytest.raises(type(error)):
        time.patient(model).answer(ASK)
    assert (len(model.asked), time.waits) == (1, [])


def test_after_five_failures_in_a_row_a_model_is_left_alone() -> None:
    """It is not called, and the error says for how long."""
    time, model = Time(), scripted([AWAY] * 9)
    patient = time.patient(model, Patience(attempts=1))
    for _ in range(5):
        with pytest.raises(ModelUnreachable, match="HTTP 500"):
            patient.answer(ASK)
    time.wait(20)

    with pytest.raises(ModelUnreachable, match="5 times in a row") as caught:
        patient.answer(ASK)
    assert (caught.value.retry_after_s, len(model.asked)) == (40.0, 5)


def outcome(patient: Patient) -> str:
    """What the model said, or why it did not."""
    try:
        return patient.answer(ASK).text
    except ModelError as error:
        return "left alone" if "left alone" in str(error) else "failed"


def test_a_model_that_answers_in_between_is_not_left_alone() -> None:
    """Only failures in a row count; one that refuses answers too."""
    model = scripted([*[AWAY] * 4, "{}", *[AWAY] * 4, ModelRefused("no"), AWAY, "{}"])
    patient = Time().patient(model, Patience(attempts=1))

    assert [outcome(patient) for _ in range(12)] == [*["failed"] * 4, "{}", *["failed"] * 6, "{}"]


@pytest.mark.parametrize(
    ("found", "then"), [("{}", ["{}", "{}"]), (AWAY, ["failed", "left alone"])]
)
def test_after_the_pause_one_call_tries_while_the_others_wait(
    found: ScriptedAnswer, then: list[str]
) -> None:
    """What it finds goes for all: the model is called again, or left alone for as long again."""
    time, others = Time(), list[str]()

    def probed(ask: Ask) -> ScriptedAnswer:
        if len(model.asked) == 6:
            others.append(outcome(patient))  # of another who asks meanwhile
            return found
        return AWAY if len(model.asked) < 6 else "{}"

    model = ScriptedModel(probed)
    patient = time.patient(model, Patience(attempts=1))
    assert [outcome(patient) for _ in range(5)] == ["failed"] * 5
    time.wait(60)

    assert [outcome(patient), outcome(patient)] == then
    assert others == ["left alone"]


@pytest.mark.covers("LS-51")
def test_a_call_that_hangs_is_given_up_on() -> None:
    """Who asked goes on while the call still hangs in a thread of its own, which keeps no process
    alive.
    """
    release, threads = threading.Event(), []

    def hang(ask: Ask) -> str:
        threads.append(threading.current_thread())
        release.wait()
        return "{}"

    with pytest.raises(ModelUnreachable, match=r"no answer within 0\.01 seconds"):
        Patient(CallableModel(hang), Patience(timeout_s=0.01)).answer(ASK)

    (thread,) = threads  # and it was not tried again
    assert thread.is_alive()
    assert thread.daemon
    release.set()
    thread.join(10)


def test_what_a_function_raises_comes_through() -> None:
    """Whatever it is, as it is; also what is no Exception."""

    class Odd(BaseException):
        pass

    def fail(ask: Ask) -> str:
        raise Odd

    with pytest.raises(Odd):
        Patient(CallableModel(fail)).answer(ASK)


@pytest.mark.parametrize(
    "given", [None, b"{}", 42, {"items": []}], ids=["None", "bytes", "int", "dict"]
)
def test_a_function_that_gives_no_text_is_told_so(given: Any) -> None:
    """By an error of the models' own, which names what it gave by its type and never by its
    content.
    """
    with pytest.raises(ModelError, match=rf"^callable:odd gave {type(given).__name__}, not text$"):
        CallableModel(lambda ask: given, id="callable:odd").answer(ASK)


def test_an_answer_comes_through_whole() -> None:
    """With its tokens and its price."""
    answer = Completion(
        text="{}", model="m", input_tokens=3, output_tokens=4, cost_usd=0.5, seconds=1.5
    )

    class Told:
        id = "m"

        def answer(self, ask: Ask) -> Completion:
            """The answer."""
            return answer

    assert Patient(Told()).answer(ASK) is answer
