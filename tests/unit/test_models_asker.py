"""Asking: which model, once more where the answer cannot be read, and every call noted."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from omoide.models.chat.asker import Asker, load_asker
from omoide.models.chat.base import Ask, CallableModel, Completion, Purpose
from omoide.models.chat.scripted import ScriptedAnswer, ScriptedModel
from omoide.nouns.errors import (
    BadAnswer,
    InvalidInput,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
    SpendLimit,
    UnknownName,
)
from omoide.settings.config import load_config
from omoide.telemetry.model_calls import ModelCall


def number(said: dict[str, Any]) -> int:
    """The number of an answer."""
    if not isinstance(said.get("n"), int):
        raise ValueError("it has no number n")
    return int(said["n"])


class Notes:
    """Books that are a list, with room for so many calls."""

    def __init__(self, room: int = 99) -> None:
        self.calls: list[ModelCall] = []
        self.room = room

    def check(self, model: str, *, priced: bool) -> None:
        """As the protocol says."""
        if len(self.calls) >= self.room:
            raise ModelError("no more today")

    def note(self, call: ModelCall) -> None:
        """As the protocol says."""
        self.calls.append(call)


def ask(asker: Asker, purpose: Purpose = Purpose.EXTRACT) -> int:
    """The number that a model gives."""
    return asker.ask(purpose, "Give a number.", "what was said", number)


@pytest.mark.covers("GM-58")
@pytest.mark.parametrize(
    "bad",
    [
        "no JSON",
        "",
        '{"n": 3',
        '{"n": "three"}',
        '{"n": 1} {"n": 2}',
        BadAnswer("m", "extract", "cut off"),
    ],
)
def test_an_answer_that_cannot_be_read_is_asked_for_once_more(bad: ScriptedAnswer) -> None:
    """With the reason why it could not be used, and with none of its text."""
    model = ScriptedModel([bad, {"n": 3}])

    assert ask(Asker(model)) == 3
    first, second = model.asked
    assert first.system == "Give a number."
    assert second.system.startswith("Give a number.\n\nYour last answer could not be used: ")
    assert "three" not in second.system
    assert (first.text, first.schema) == (second.text, second.schema)


@pytest.mark.covers("GM-58")
def test_an_answer_that_ran_out_of_tokens_is_not_taken_for_whole() -> None:
    """Even where what is there could be read; what it cost is noted, and the model is told why it
    is asked again.
    """

    class Short:
        id = "short"
        asked: ClassVar[list[str]] = []

        def answer(self, ask: Ask) -> Completion:
            """One that may be the beginning of more."""
            self.asked.append(ask.system)
            return Completion(
                text='{"n": 3}',
                model=self.id,
                output_tokens=9,
                cost_usd=0.5,
                cut=len(self.asked) == 1,
            )

    books = Notes()

    assert ask(Asker(Short(), books=books)) == 3
    assert "cut off after 9 tokens" in Short.asked[1]
    assert [(call.outcome, call.cost_usd) for call in books.calls] == [
        ("BadAnswer", 0.5),
        ("answered", 0.5),
    ]


@pytest.mark.covers("GM-58")
def test_after_two_unreadable_answers_there_is_nothing() -> None:
    """No guess is made of them. The error holds the last one for who looks into it, and says
    nothing of it.
    """
    model = ScriptedModel(['{"n": "my secret"}', "a secret {n: 3}"], id="m")

    with pytest.raises(BadAnswer) as caught:
        ask(Asker(model))
    assert caught.value.raw == "a secret {n: 3}"
    assert "secret" not in f"{caught.value} {caught.value!r}"
    assert len(model.asked) == 2


@pytest.mark.parametrize("error", [ModelUnreachable("x"), ModelRefused("x"), ModelMissing("x")])
def test_a_model_that_fails_is_not_asked_once_more(error: ModelError) -> None:
    """That is for who waits for it, not for who reads its answers."""
    model = ScriptedModel([error, {"n": 3}])

    with pytest.raises(type(error)):
        ask(Asker(model))
    assert len(model.asked) == 1


def test_without_a_model_the_error_says_how_to_name_one() -> None:
    """And that there is none can be asked."""
    with pytest.raises(ModelMissing, match="omoide config llm"):
        ask(Asker())
    assert not Asker().is_on
    assert Asker().model_id(Purpose.EXTRACT) == ""


@pytest.mark.covers("ED-39")
def test_what_is_worth_it_goes_to_the_slow_model_and_single_purposes_to_their_own() -> None:
    """Everything else to the fast one; without a slow one all of it."""
    fast, slow, own = (ScriptedModel(lambda ask: {"n": 1}, id=id) for id in ("fast", "slow", "own"))
    asker = Asker(fast, slow=slow, own={Purpose.DECIDE: own})

    chosen = {purpose.value: asker.model_id(purpose) for purpose in Purpose}

    assert chosen == {
        "extract": "fast", "decide": "own", "reflect": "fast", "condense": "slow", "distil": "slow",
        "reconcile": "fast", "profile": "slow", "lesson": "slow", "analyse": "slow", "ping": "fast",
        "rerank": "fast", "rephrase": "fast", "chat": "fast", "answer": "fast", "judge": "fast", "revise": "fast",
    }  # fmt: skip
    assert Asker(fast).model_id(Purpose.CONDENSE) == "fast"
    ask(asker, Purpose.CONDENSE)
    assert [len(model.asked) for model in (fast, slow, own)] == [0, 1, 0]


@pytest.mark.covers("LS-80")
def test_every_call_is_noted_with_what_came_of_it() -> None:
    """Also the one that could not be read, and the one that failed."""
    books, time = Notes(), iter(range(99))
    model = ScriptedModel(["??", {"n": 3}, ModelUnreachable("x")], id="m")
    asker = Asker(model, books=books, now=lambda: float(next(time)))

    ask(asker)
    with pytest.raises(ModelUnreachable):
        ask(asker, Purpose.DECIDE)

    assert [(call.purpose, call.model, call.outcome, call.seconds) for call in books.calls] == [
        ("extract", "m", "BadAnswer", 1.0),
        ("extract", "m", "answered", 1.0),
        ("decide", "m", "ModelUnreachable", 1.0),
    ]


def test_tokens_and_price_are_those_of_the_answer() -> None:
    """As the model tells them."""

    class Dear:
        id = "dear"

        def answer(self, ask: Ask) -> Completion:
            """One that costs something."""
            return Completion(
                text='{"n": 3}', model=self.id, input_tokens=7, output_tokens=5, cost_usd=0.25
            )

    books = Notes()
    ask(Asker(Dear(), books=books))

    (call,) = books.calls
    assert (call.input_tokens, call.output_tokens, call.cost_usd) == (7, 5, 0.25)


def test_where_the_books_say_no_nothing_is_asked() -> None:
    """Not even once more."""
    model = ScriptedModel(["??", {"n": 3}])

    with pytest.raises(ModelError, match="no more today"):
        ask(Asker(model, books=Notes(room=1)))
    assert len(model.asked) == 1


def test_what_goes_wrong_in_reading_is_noted_too() -> None:
    """As a call that was made; the fault comes through."""
    books = Notes()

    def broken(said: dict[str, Any]) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Asker(ScriptedModel([{}]), books=books).ask(Purpose.EXTRACT, "", "", broken)
    assert [call.outcome for call in books.calls] == ["interrupted"]


@pytest.mark.covers("LS-80")
def test_a_ping_finds_the_models_that_do_not_answer() -> None:
    """Each model once, by its id, with what is wrong; those that answer are not named."""
    good = ScriptedModel(lambda ask: {}, id="good")
    retired = ScriptedModel(lambda ask: ModelMissing("retired: no such model"), id="retired")
    babbling = ScriptedModel(lambda ask: "Hello!", id="babbling")

    wrong = Asker(good, slow=retired, own={Purpose.DECIDE: babbling, Purpose.EXTRACT: good}).ping()

    assert {id: type(error) for id, error in wrong.items()} == {
        "retired": ModelMissing,
        "babbling": BadAnswer,
    }
    assert [ask.purpose for model in (good, retired, babbling) for ask in model.asked] == [
        Purpose.PING
    ] * 3
    assert Asker().ping() == {}


def cassette(folder: Path, name: str) -> str:
    """A model that needs no server, by its string."""
    told = {"purpose": "extract", "system": "", "text": "", "schema": {}, "answer": name}
    (folder / name).write_text(json.dumps(told) + "\n")
    return f"cassette:{folder / name}"


def test_a_cassette_answers_a_ping(tmp_path: Path) -> None:
    """It is there, whatever it holds."""
    assert load_asker(load_config({}, home=tmp_path, llm=cassette(tmp_path, "fast"))).ping() == {}


@pytest.mark.covers("ED-39")
def test_settings_name_the_models(tmp_path: Path) -> None:
    """One for all, one for what is worth it, and single ones by purpose."""
    fast, slow, own = (cassette(tmp_path, name) for name in ("fast", "slow", "own"))

    asker = load_asker(
        load_config(
            {}, home=tmp_path, llm=fast, llm_slow=slow, llm_for=f" decide = {own} , lesson={fast},"
        )
    )

    named = {
        purpose: asker.model_id(Purpose(purpose))
        for purpose in ("extract", "decide", "condense", "lesson")
    }
    assert named == {
        "extract": "cassette:fast",
        "decide": "cassette:own",
        "condense": "cassette:slow",
        "lesson": "cassette:fast",
    }


def test_a_given_model_stands_for_the_setting(tmp_path: Path) -> None:
    """A function, or a model; without either there is none."""
    config = load_config({}, home=tmp_path)

    assert (
        load_asker(config, lambda ask: '{"n": 4}').model_id(Purpose.EXTRACT) == "callable:<lambda>"
    )
    assert ask(load_asker(config, ScriptedModel([{"n": 5}]))) == 5
    assert not load_asker(config).is_on


@pytest.mark.parametrize("raised", [RuntimeError, ValueError, KeyError])
def test_whatever_a_model_raises_is_an_error_of_models_that_repeats_nothing(
    raised: type[Exception],
) -> None:
    """Also what a broken function raises, which is neither an answer to be asked for again, nor the
    end of a health check.
    """
    asked: list[Ask] = []

    def broken(ask: Ask) -> str:
        asked.append(ask)
        raise raised("my bank account is 12345")

    asker = Asker(CallableModel(broken))
    with pytest.raises(ModelError) as caught:
        ask(asker)

    line = broken.__code__.co_firstlineno + 2
    said = f"callable:broken raised {raised.__name__} at test_models_asker.py:{line}"
    assert (type(caught.value), str(caught.value)) == (ModelError, said)
    assert isinstance(caught.value.__cause__, raised)
    assert len(asked) == 1
    assert [str(error) for error in asker.ping().values()] == [said]


def test_a_function_that_fails_is_named_by_its_own_line(tmp_path: Path) -> None:
    """Not by that of a library which it calls; also where it is waited for with patience, in a
    thread of its own.
    """

    def broken(ask: Ask) -> str:
        return str(json.loads("my bank account is 12345"))

    asker = load_asker(load_config({}, home=tmp_path), broken)
    with pytest.raises(ModelError) as caught:
        ask(asker)

    line = broken.__code__.co_firstlineno + 1
    assert (
        str(caught.value)
        == f"callable:broken raised JSONDecodeError at test_models_asker.py:{line}"
    )


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("condens=x:y", UnknownName),
        ("ping=x:y", UnknownName),
        ("condense", InvalidInput),
        ("condense=nobody:x", UnknownName),
    ],
)
def test_a_model_for_something_unknown_is_refused(
    written: str, problem: type[Exception], tmp_path: Path
) -> None:
    """When it is loaded, with what is known."""
    with pytest.raises(problem):
        load_asker(load_config({}, home=tmp_path, llm=cassette(tmp_path, "fast"), llm_for=written))


def test_what_is_wrong_with_a_model_names_the_setting_it_stands_in(tmp_path: Path) -> None:
    """Purposes are looked at even where all models are switched off, so that no slip waits for the
    day they are not.
    """
    fast = cassette(tmp_path, "fast")

    with pytest.raises(UnknownName, match=r"^llm_slow: unknown 'nobody'; known: .*openai"):
        load_asker(load_config({}, home=tmp_path, llm=fast, llm_slow="nobody:x"))
    with pytest.raises(UnknownName, match=r"^llm_for: unknown 'nobody'; known: openai:MODEL, "):
        load_asker(load_config({}, home=tmp_path, llm=fast, llm_for="condense=nobody:x"))
    with pytest.raises(InvalidInput, match=r"^llm_for: "):
        load_asker(load_config({}, home=tmp_path, llm=fast, llm_for="condense=openai"))
    with pytest.raises(
        UnknownName,
        match=r"^llm_for: unknown 'condens'; did you mean 'condense'\? known: .*condense",
    ):
        load_asker(load_config({}, home=tmp_path, llm="none", llm_for="condens=openai:x"))


@pytest.mark.parametrize("setting", ["llm_slow", "llm_for"])
def test_models_for_some_purposes_alone_are_refused(setting: str, tmp_path: Path) -> None:
    """Else they would quietly do nothing; none switches them off by one word."""
    written = {setting: "condense=cassette:x" if setting == "llm_for" else "cassette:x"}

    with pytest.raises(InvalidInput, match="llm: must be named"):
        load_asker(load_config({}, home=tmp_path, **written))
    assert not load_asker(load_config({}, home=tmp_path, llm="none", **written)).is_on


@pytest.mark.covers("ED-39")
def test_who_has_the_better_model_is_named_by_a_setting_or_a_function(tmp_path: Path) -> None:
    """For what is worth one, and not where a purpose has a model of its own; what is nobody's in
    particular has it.
    """
    fast, slow, own = (cassette(tmp_path, name) for name in ("fast", "slow", "own"))
    named = {"llm": fast, "llm_slow": slow, "llm_for": f"profile={own}"}

    def models(asker: Asker) -> list[str]:
        users, purposes = ("ana", "ben", None), (Purpose.CONDENSE, Purpose.PROFILE, Purpose.EXTRACT)
        return [
            asker.for_user(user).model_id(purpose).removeprefix("cassette:")
            for purpose in purposes
            for user in users
        ]

    for asker in (
        load_asker(load_config({}, home=tmp_path, llm_slow_for=" ana, zoe", **named)),
        load_asker(load_config({}, home=tmp_path, **named), slow_for=lambda user: user == "ana"),
    ):
        assert models(asker) == ["slow", "fast", "slow", *["own"] * 3, *["fast"] * 3]
    assert models(load_asker(load_config({}, home=tmp_path, **named)))[:3] == ["slow"] * 3


@pytest.mark.covers("GM-56", "SO-61")
def test_how_freely_a_model_answers_is_a_matter_of_the_purpose() -> None:
    """Little where it repeats what was said, somewhat where it gives advice, which is also
    shorter.
    """
    model = ScriptedModel(lambda ask: {"n": 1})
    for purpose in (Purpose.EXTRACT, Purpose.DECIDE, Purpose.LESSON):
        Asker(model).ask(purpose, "", "", lambda said: said)

    assert [(ask.temperature, ask.max_tokens) for ask in model.asked] == [
        (0.1, 2048),
        (0.1, 2048),
        (0.3, 1500),
    ]


def test_models_of_unknown_price_are_known(tmp_path: Path) -> None:
    """Through the patience that they are waited for with; a cassette is free, and a setting names
    the others.
    """
    tape = cassette(tmp_path, "fast")
    mine = ScriptedModel([], id="mine")

    assert load_asker(load_config({}, home=tmp_path, llm_slow=tape), mine).unpriced == ["mine"]
    assert (
        load_asker(load_config({}, home=tmp_path, llm_slow=tape, prices="mine=0/0"), mine).unpriced
        == []
    )


def test_a_spending_limit_says_until_when() -> None:
    """For who waits, in the message too."""
    error = SpendLimit(1.5, 1.0, datetime(2026, 1, 6, tzinfo=UTC))

    assert (
        str(error)
        == "today's limit for language models is spent, $1.50 of $1.00; more from 2026-01-06"
        " 00:00 UTC"
    )
