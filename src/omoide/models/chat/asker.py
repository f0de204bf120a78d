"""Asking a model for something: which one, what of its answer can be read, and once more where
nothing can.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any, Protocol, TypeVar

from omoide.models.chat.answers import read_object
from omoide.models.chat.base import (
    Ask,
    ChatModel,
    Checkable,
    Completion,
    Plain,
    Priced,
    Purpose,
    Streaming,
)
from omoide.models.chat.material import disarmed
from omoide.models.chat.patient import Patience, Patient
from omoide.models.chat.registry import load_chat
from omoide.models.prompts import schema
from omoide.nouns.errors import (
    BadAnswer,
    InvalidInput,
    MissingExtra,
    ModelError,
    ModelMissing,
    OmoideError,
    UnknownName,
)
from omoide.settings.config import Config
from omoide.settings.prices import Price, read_prices
from omoide.telemetry.model_calls import ANSWERED, ModelCall
from omoide.text.secrets import KEPT_KINDS, mask_secrets

S = TypeVar("S")
ONCE_MORE = (
    "\n\nYour last answer could not be used: {}. Give the whole answer again, as one JSON object"
    " and nothing else."
)
SLOW = frozenset(  # worth a better model: seldom asked, long read
    {Purpose.CONDENSE, Purpose.DISTIL, Purpose.PROFILE, Purpose.LESSON, Purpose.ANALYSE}
)
INTERRUPTED = "interrupted"
OFF, NO_JUDGE = "none", "off"
PING = "Answer with the JSON object {}."
LLM_SETTINGS = ("llm", "llm_slow", "llm_for", "judge")
_OURS = str(Path(__file__).parents[2])  # the package's folder


class Books(Protocol):
    """Who is told of every call, and may say that there are to be no more today."""

    def check(self, model: str, *, priced: bool) -> None:
        """
        Raises:
            OutOfBudget: there are to be none of this model now, whose price is known or not.
        """
        ...

    def note(self, call: ModelCall) -> None:
        """A call was made."""
        ...


class NoBooks:
    """Nobody counts."""

    def check(self, model: str, *, priced: bool) -> None:
        """As the protocol says."""

    def note(self, call: ModelCall) -> None:
        """As the protocol says."""


NO_BOOKS = NoBooks()


class Asker:
    """The models that are configured, by what they are asked for; none at all is a state of its
    own.

    ``wrong`` is what is wrong with the settings that name them; then there are none, and who asks
    is told so.
    """

    def __init__(
        self,
        fast: ChatModel | None = None,
        *,
        slow: ChatModel | None = None,
        own: Mapping[Purpose, ChatModel] = {},
        slow_for: Callable[[str], bool] | None = None,
        prices: Mapping[str, Price] = {},
        books: Books = NO_BOOKS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fast, self._slow, self._own, self._books, self._now = fast, slow, own, books, now
        self.wrong: OmoideError | None = None
        self._prices, self._slow_for = prices, slow_for

    def __repr__(self) -> str:
        return f"Asker({', '.join(repr(model.id) for model in self._all())})"

    def kept_by(self, books: Books) -> Asker:
        """The same models, their calls noted in these books."""
        twin = copy(self)
        twin._books = books
        return twin

    def for_user(self, user: str | None) -> Asker:
        """The same models, but the slow one only where this user is to have it. What is nobody's in
        particular has it.
        """
        if self._slow is None or self._slow_for is None or not user or self._slow_for(user):
            return self
        twin = copy(self)
        twin._slow = None
        return twin

    def check(self, *, named: bool) -> None:
        """That the settings are right, for a caller who named the models itself.

        Raises:
            UnknownName, InvalidInput, MissingExtra: they are not.
        """
        if named and self.wrong is not None:
            raise self.wrong

    @property
    def is_on(self) -> bool:
        """Whether there is a model to ask."""
        return self._fast is not None

    def model_id(self, purpose: Purpose) -> str:
        """The model that is asked for something; empty if there is none."""
        model = self._model(purpose)
        return model.id if model else ""

    def ask(
        self,
        purpose: Purpose,
        system: str,
        text: str,
        read: Callable[[dict[str, Any]], S],
        hear: Callable[[str], None] | None = None,
    ) -> S:
        """What ``read`` makes of a model's answer, a JSON object; where it or the answer cannot be
        read, it is asked once more.

        The model is shown the text disarmed: with nothing hidden, and no sign of a chat format.
        read raises ValueError with a reason, without text of the answer, where the object is not
        what it should be. ``hear`` gets the pieces of the first answer as they come, from a model
        that streams.

        Raises:
            ModelMissing: no model is configured, or a setting that names one is wrong.
            BadAnswer: neither answer could be read; it holds the last one.
            OutOfBudget: what may be spent today is spent, or money is limited and the model's price
                is not known.
            ModelError: the model failed.
        """
        model, text = self._model(purpose), disarmed(text)
        if model is None:
            raise self._missing()
        try:
            return self._try(model, _question(purpose, system, text), read, hear)
        except BadAnswer as error:
            more = ONCE_MORE.replace("{}", error.why)
            return self._try(model, _question(purpose, system + more, text), read)

    def ping(self) -> dict[str, ModelError]:
        """What is wrong with the models that are configured, by their ids: with those that do not
        answer the shortest of questions.

        Where a setting that names them is wrong, that alone, as ``llm``.
        """
        wrong: dict[str, ModelError] = {} if self.wrong is None else {"llm": self._missing()}
        for model in self._all():
            try:
                self._try(model, _question(Purpose.PING, PING, "{}"), lambda said: said)
            except ModelError as error:
                wrong[model.id] = error
        return wrong

    @property
    def unavailable(self) -> list[ModelError]:
        """What keeps the models that are configured from being called, as far as it is known
        without calling them.
        """
        found: list[ModelError] = [] if self.wrong is None else [self._missing()]
        for model in self._all():
            try:
                if isinstance(model, Checkable):
                    model.check()
            except ModelError as error:
                found.append(error)
        return found

    @property
    def unpriced(self) -> list[str]:
        """The models whose price is not known, by their ids."""
        return [model.id for model in self._all() if not self._is_priced(model)]

    def _all(self) -> list[ChatModel]:
        named = (self._fast, self._slow, *self._own.values())
        return list({model.id: model for model in named if model is not None}.values())

    def _missing(self) -> ModelMissing:
        if self.wrong is None:
            return ModelMissing(
                "no language model is configured; set one with omoide config llm PROVIDER:MODEL, or"
                " in Python with Memory.open(llm=…)"
            )
        return ModelMissing(f"language models are off: {self.wrong}")

    def _model(self, purpose: Purpose) -> ChatModel | None:
        return self._own.get(purpose) or (self._slow if purpose in SLOW else None) or self._fast

    def _try(
        self,
        model: ChatModel,
        ask: Ask,
        read: Callable[[dict[str, Any]], S],
        hear: Callable[[str], None] | None = None,
    ) -> S:
        """What can be made of one answer; the call is noted, whatever comes of it.

        Raises:
            BadAnswer: nothing.
        """
        self._books.check(model.id, priced=self._is_priced(model))
        answer, outcome, started = Completion(text="", model=model.id), INTERRUPTED, self._now()
        try:
            answer = _said(model, ask, hear)
            result = read(_whole(answer))
            outcome = ANSWERED
            return result
        except ModelError as error:
            outcome = type(error).__name__
            raise
        except ValueError as error:
            outcome = BadAnswer.__name__
            raise BadAnswer(model.id, ask.purpose.value, str(error), answer.text) from None
        finally:
            took, answer = self._now() - started, self._priced(model, answer)
            self._books.note(_call(answer, ask.purpose, outcome, took))

    def _is_priced(self, model: ChatModel) -> bool:
        return model.id in self._prices or (isinstance(model, Priced) and model.is_priced)

    def _priced(self, model: ChatModel, answer: Completion) -> Completion:
        """The answer with what it costs, where a setting tells the price."""
        if (price := self._prices.get(model.id)) is None:
            return answer
        return replace(answer, cost_usd=price.of(answer.input_tokens, answer.output_tokens))


NO_ASKER = Asker()


def _question(purpose: Purpose, system: str, text: str) -> Ask:
    """Advice may be worded more freely, and is shorter, than what stands in a talk or is decided by
    it. Secrets that are stored, such as codes of doors, are told to no model.
    """
    text = mask_secrets(text, kinds=KEPT_KINDS).text
    ask = Ask(purpose=purpose, system=system, text=text, schema=schema(purpose))
    return replace(ask, max_tokens=1500, temperature=0.3) if purpose is Purpose.LESSON else ask


def _said(model: ChatModel, ask: Ask, hear: Callable[[str], None] | None) -> Completion:
    """What a model answers.

    Raises:
        ModelError: it failed, in whatever way; what is no error of models is only its cause, since
            its message may hold data.
    """
    try:
        if hear is not None and isinstance(model, Streaming):
            return model.stream(ask, hear)
        return model.answer(ask)
    except OmoideError:
        raise
    except Exception as error:  # the edge: a model may be anybody's function
        raise ModelError(f"{model.id} raised {type(error).__name__}{_place(error)}") from error


def _place(error: Exception) -> str:
    """Where an error left code that is not ours, such as ``" at bot.py:12"``, without the path;
    empty if all of it is ours.
    """
    lines = (
        f" at {Path(frame.f_code.co_filename).name}:{line}"
        for frame, line in walk_tb(error.__traceback__)
        if not _is_ours(frame)
    )
    return next(lines, "")


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OURS)


def _whole(answer: Completion) -> dict[str, Any]:
    """
    Raises:
        ValueError: it was cut off, or cannot be read.
    """
    if answer.cut:
        raise ValueError(
            f"it was cut off after {answer.output_tokens} tokens, which is all there is room for"
        )
    return read_object(answer.text)


def _call(answer: Completion, purpose: Purpose, outcome: str, seconds: float) -> ModelCall:
    return ModelCall(
        purpose=purpose.value,
        model=answer.model,
        outcome=outcome,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost_usd=answer.cost_usd,
        seconds=seconds,
    )


def find_asker(
    config: Config,
    llm: Plain | ChatModel | None = None,
    slow_for: Callable[[str], bool] | None = None,
) -> Asker:
    """As load_asker; where the settings are wrong, no models, with what is wrong: only who asks a
    model needs one.
    """
    try:
        return load_asker(config, llm, slow_for)
    except (UnknownName, InvalidInput, MissingExtra) as error:
        none = Asker()
        none.wrong = error
        return none


def load_asker(
    config: Config,
    llm: Plain | ChatModel | None = None,
    slow_for: Callable[[str], bool] | None = None,
) -> Asker:
    """The models that the settings name, or one given for all that no other is named for; each is
    waited for with patience.

    ``slow_for`` says which users have the slow one; None: those that the setting names, or all.

    Raises:
        UnknownName, InvalidInput: no such provider or purpose, or models for some purposes and none
            for the others.
        MissingExtra: what the provider needs is not installed.
    """
    load = partial(_patient, Patience(timeout_s=config.llm_timeout_s))
    specs, fast = _specs(config), load(config.llm if llm is None else llm)
    if fast is None:
        if config.llm != OFF and (config.llm_slow or specs):
            raise InvalidInput(
                "llm",
                "must be named where llm_slow, llm_for or judge is; none switches all of them off",
            )
        return Asker()
    own = {purpose: load(spec, setting) for purpose, (spec, setting) in specs.items()}
    named = frozenset(filter(None, map(str.strip, config.llm_slow_for.split(","))))
    return Asker(
        fast,
        slow=load(config.llm_slow, "llm_slow"),
        own={purpose: model for purpose, model in own.items() if model is not None},
        slow_for=slow_for or (named.__contains__ if named else None),
        prices=read_prices(config.prices),
    )


def _patient(
    patience: Patience, spec: str | Plain | ChatModel | None, setting: str = "llm"
) -> ChatModel | None:
    """The model that a setting names; an error names the setting."""
    try:
        model = load_chat(spec)
    except UnknownName as error:
        field = error.field.replace("llm", setting, 1)
        raise UnknownName(field, error.name, error.known) from None
    except InvalidInput as error:
        raise InvalidInput(error.field.replace("llm", setting, 1), error.problem) from None
    return None if model is None else Patient(model, patience)


def _specs(config: Config) -> dict[Purpose, tuple[str, str]]:
    """What names the model for each purpose that has one of its own, and the setting that does."""
    entries = map(_spec, filter(str.strip, config.llm_for.split(",")))
    specs = {purpose: (spec, "llm_for") for purpose, spec in entries}
    if config.judge not in ("", NO_JUDGE):
        specs[Purpose.JUDGE] = config.judge, "judge"
    return specs


def _spec(entry: str) -> tuple[Purpose, str]:
    known = tuple(purpose.value for purpose in Purpose if purpose is not Purpose.PING)
    name, _, spec = (part.strip() for part in entry.partition("="))
    if name not in known:
        raise UnknownName("llm_for", name, known)
    if not spec:
        raise InvalidInput(
            "llm_for",
            "is written purpose=model, joined by commas, such as condense=anthropic:MODEL",
        )
    return Purpose(name), spec
