"""A model with faults, one at a time and on purpose: what servers, networks and models do wrong, by
name.
"""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias

from omoide.models.chat.base import Ask, ChatModel, Completion
from omoide.nouns.errors import BadAnswer, ModelMissing, ModelRefused, ModelUnreachable


class Fault(StrEnum):
    """What can go wrong with one answer."""

    TIMEOUT = "timeout"
    HANG = "hang"  # in the middle of an answer, until it is released
    RATE_LIMIT = "rate-limit"
    FAILING = "failing"
    OVERLOADED = "overloaded"
    BROKEN_OFF = "broken-off"
    RETIRED = "retired"
    REFUSAL = "refusal"
    CUT_OFF = "cut-off"
    CRASH = "crash"  # an error that is none of ours
    EMPTY = "empty"
    PROSE = "prose"
    BRACES = "braces"
    APOLOGY = "apology"
    HALF = "half"
    SEVERAL = "several"
    LIST = "list"
    OTHER_NAMES = "other-names"
    WRONG_TYPES = "wrong-types"
    ODD_ENTRIES = "odd-entries"
    THINK_OPEN = "think-open"
    THINK_NESTED = "think-nested"
    SURROGATES = "surrogates"
    NUL = "nul"
    HUGE = "huge"
    LOOP = "loop"
    LANGUAGE = "language"
    INVENTED = "invented"
    STRANGER = "stranger"  # another user's items, by their ids
    PRIVILEGED = "privileged"


Plan: TypeAlias = Callable[[Ask], "Fault | None"]  # what goes wrong with the answer to a question

ERRORS: Mapping[Fault, Callable[[str], Exception]] = {
    Fault.TIMEOUT: lambda id: ModelUnreachable(f"{id}: no answer in time"),
    Fault.RATE_LIMIT: lambda id: ModelUnreachable(f"{id}: busy or failing (HTTP 429)", 17.0),
    Fault.FAILING: lambda id: ModelUnreachable(f"{id}: busy or failing (HTTP 500)"),
    Fault.OVERLOADED: lambda id: ModelUnreachable(f"{id}: busy or failing (HTTP 529)"),
    Fault.BROKEN_OFF: lambda id: ModelUnreachable(f"{id}: the connection failed or broke off"),
    Fault.RETIRED: lambda id: ModelMissing(f"{id}: no such model there (HTTP 404)"),
    Fault.REFUSAL: lambda id: ModelRefused(f"{id} refuses to answer"),
    Fault.CUT_OFF: lambda id: BadAnswer(
        id, "answer", "the answer was cut off after 2048 tokens", '{"items": [{"text": "The gar'
    ),
    Fault.CRASH: lambda id: RuntimeError("boom"),
}


def _item(text: str, quote: str = "", turn: int = 1, category: str = "fact") -> str:
    """An answer with one note, and a decision that closes an item by an id of its own making."""
    note = {"text": text, "quote": quote or text, "turn": turn, "category": category}
    decision = {"note": 1, "op": "update", "ref": "item-of-another-user", "text": text}
    return json.dumps({"items": [note], "decisions": [decision]})


def _looped(said: str) -> str:
    """Every list of an answer two hundred times over."""
    value = json.loads(said)
    return json.dumps(
        {
            name: entries * 200 if isinstance(entries, list) else entries
            for name, entries in value.items()
        }
    )


_ODD = {
    "text": 5,
    "quote": ["a"],
    "turn": "one",
    "category": {},
    "entities": 7,
    "note": "x",
    "op": 3,
    "ref": None,
}
WORDS: Mapping[Fault, Callable[[str], str]] = {  # of the right answer, what is said instead
    Fault.EMPTY: lambda said: "",
    Fault.PROSE: lambda said: (
        "I have read the conversation, and there is nothing else to say about it."
    ),
    Fault.BRACES: lambda said: "I noted {all of it} and put it {where it belongs}.",
    Fault.APOLOGY: lambda said: "I'm sorry, but I can't help with that.",
    Fault.HALF: lambda said: said[: len(said) // 2],
    Fault.SEVERAL: lambda said: f"{said}\n\nOr rather:\n\n{said}",
    Fault.LIST: lambda said: f"[{said}]",
    Fault.OTHER_NAMES: lambda said: json.dumps({"result": json.loads(said)}),
    Fault.WRONG_TYPES: lambda said: '{"items": "none", "decisions": 7}',
    Fault.ODD_ENTRIES: lambda said: json.dumps(
        {"items": [None, 7, "x", [], _ODD], "decisions": [None, "x", _ODD]}
    ),
    Fault.THINK_OPEN: lambda said: f"<think>{said}",
    Fault.THINK_NESTED: lambda said: f"<think>so <think>maybe {said}</think> or rather {said}",
    Fault.SURROGATES: lambda said: said.replace('": "', '": "\\ud83d'),
    Fault.NUL: lambda said: said.replace('": "', '": "\\u0000'),
    Fault.HUGE: lambda said: said + " " * 5_000_000 + "x" * 5_000_000,
    Fault.LOOP: _looped,
    Fault.LANGUAGE: lambda said: _item("Sie sammelt alte Landkarten aus Leder"),
    Fault.INVENTED: lambda said: _item("The garden gate has a secret code, 4711"),
    Fault.STRANGER: lambda said: _item("Another user's door code is 4711", turn=999),
    Fault.PRIVILEGED: lambda said: _item("The user may read all files", category="permission"),
}


class FaultyModel:
    """A model whose answers have the faults that a plan says; ``fired`` counts them."""

    def __init__(self, model: ChatModel, plan: Plan) -> None:
        self.id, self._model, self._plan = model.id, model, plan
        self.fired: Counter[Fault] = Counter()
        self.released = threading.Event()  # what hangs ends then
        self._lock = threading.Lock()

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says; or not.

        Raises:
            ModelError: the fault is one.
            RuntimeError: the fault is a crash.
        """
        fault = self._plan(ask)
        if fault is None:
            return self._model.answer(ask)
        with self._lock:
            self.fired[fault] += 1
        if fault in ERRORS:
            raise ERRORS[fault](self.id)
        if fault is Fault.HANG:
            self.released.wait()
            raise ModelUnreachable(f"{self.id}: the connection failed or broke off")
        answer = self._model.answer(ask)
        text = WORDS[fault](answer.text)
        return Completion(
            text=text, model=self.id, input_tokens=answer.input_tokens, output_tokens=len(text) // 4
        )


def at_random(seed: int, share: float) -> Plan:
    """A plan by which that share of the answers, from 0 to 1, have a fault, each kind as often; a
    seed gives the same ones again.
    """
    chance, lock = random.Random(seed), threading.Lock()

    def plan(ask: Ask) -> Fault | None:
        with lock:
            return chance.choice(tuple(Fault)) if chance.random() < share else None

    return plan
