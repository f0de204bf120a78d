"""Answers that come piece by piece: from providers over their wires, through patience and asking."""

from __future__ import annotations

import json
from typing import Any

import pytest

from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Completion, Purpose, Streaming
from omoide.models.chat.patient import Patience, Patient
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.prompts import schema
from omoide.nouns.errors import ModelError, ModelUnreachable
from tests.fix_llm_server import LLMServer

pytest.importorskip("pydantic_ai")
from omoide.models.chat.providers import load_provider

PIECES = ['{"tool":"","argu', 'ments":"","ans', 'wer":"Hel', 'lo"}']
WHOLE = "".join(PIECES)
EVENTS = {"Content-Type": "text/event-stream"}


def sse(*events: tuple[str, dict[str, Any]]) -> str:
    """Events as a server sends them."""
    return "".join(
        (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
        for name, data in events
    )


def openai_stream(*pieces: str) -> str:
    """A chat completion in chunks."""
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o-mini"}
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    end: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {
        "choices": [],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }
    return sse(*(("", base | chunk) for chunk in (*chunks, end, usage))) + "data: [DONE]\n\n"


def anthropic_stream(*pieces: str) -> str:
    """A message in events, whose one block is the input of a tool."""
    message: dict[str, Any] = {
        "id": "m1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 1},
    }  # fmt: skip
    block = {"type": "tool_use", "id": "t1", "name": "answer", "input": {}}
    return sse(
        ("message_start", {"type": "message_start", "message": message}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}),
        *(
            (
                "content_block_delta",
                {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}},
            )
            for piece in pieces
        ),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 7}},
        ),
        ("message_stop", {"type": "message_stop"}),
    )  # fmt: skip


def asked() -> Ask:
    """A question of a chat."""
    return Ask(purpose=Purpose.CHAT, system="Answer.", text="Hi", schema=schema("chat"))


@pytest.mark.parametrize(
    ("spec", "path", "body"),
    [
        ("openai:gpt-4o-mini", "/v1", openai_stream(*PIECES)),
        ("anthropic:claude-sonnet-4-6", "", anthropic_stream(*PIECES)),
    ],
)
def test_a_provider_tells_its_answer_as_it_comes(
    spec: str, path: str, body: str, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each piece once, in order; then the whole answer with what it took."""
    monkeypatch.setenv("FAKE_KEY", "sk-test")
    llm_server.says(body, headers=EVENTS)
    output = "&output=tool" if spec.startswith("anthropic") else ""
    model = load_provider(f"{spec}?base_url={llm_server.url}{path}&api_key_env=FAKE_KEY{output}")
    heard: list[str] = []
    assert isinstance(model, Streaming)
    answer = model.stream(asked(), heard.append)

    assert "".join(heard) == answer.text == WHOLE
    assert len(heard) > 1
    assert (answer.input_tokens, answer.output_tokens) == (11, 7)
    assert llm_server.seen[0].body["stream"] is True


def test_a_stream_that_breaks_off_is_an_error_of_ours(
    llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was heard until then was heard."""
    monkeypatch.setenv("FAKE_KEY", "sk-test")
    llm_server.says(openai_stream(*PIECES), headers=EVENTS, cut=True)
    model = load_provider(f"openai:gpt-4o-mini?base_url={llm_server.url}/v1&api_key_env=FAKE_KEY")
    assert isinstance(model, Streaming)

    with pytest.raises(ModelError):
        model.stream(asked(), lambda piece: None)


class Failing:
    """A model that fails while it streams."""

    id = "failing"

    def answer(self, ask: Ask) -> Completion:
        raise ModelUnreachable("busy")

    def stream(self, ask: Ask, hear: Any) -> Completion:
        hear('{"answer": "He')
        raise ModelUnreachable("busy")


def test_a_stream_that_failed_is_not_tried_again() -> None:
    """What was heard cannot be taken back."""
    heard: list[str] = []
    with pytest.raises(ModelUnreachable, match="busy"):
        Patient(Failing(), Patience(attempts=3)).stream(asked(), heard.append)

    assert heard == ['{"answer": "He']


def test_a_model_that_does_not_stream_answers_as_ever() -> None:
    """Nothing is heard, and the answer comes."""
    heard: list[str] = []

    class Plain:
        id = "plain"

        def answer(self, ask: Ask) -> Completion:
            return Completion(text='{"answer": "Hi"}', model=self.id)

    said = Asker(Patient(Plain())).ask(Purpose.CHAT, "s", "t", lambda read: read, heard.append)
    assert (said, heard) == ({"answer": "Hi"}, [])


def test_only_the_first_answer_streams() -> None:
    """Where it cannot be read, the model is asked once more, and that answer is told whole."""
    heard: list[str] = []
    model = ScriptedModel(["nonsense", {"answer": "Hi"}])
    said = Asker(model).ask(Purpose.CHAT, "s", "t", lambda read: read, heard.append)

    assert said == {"answer": "Hi"}
    assert "".join(heard) == "nonsense"
