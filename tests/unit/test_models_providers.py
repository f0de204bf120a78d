"""Providers of language models against a small server on this machine that speaks as they do."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from omoide.models.chat.base import Ask, ChatModel, Completion, Priced, Purpose
from omoide.models.chat.registry import load_chat
from omoide.models.prompts import schema
from omoide.nouns.errors import (
    InvalidInput,
    MissingExtra,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
    UnknownName,
)
from tests.fix_llm_server import ANSWER, Body, LLMServer, anthropic_says, google_says, openai_says

pytest.importorskip("pydantic_ai")
from omoide.models.chat.providers import PROVIDERS, load_provider

KEY = "sk-test-4711-never-shown"
SECRET_TEXT = "the cat is called Momo"


@dataclass(frozen=True)
class Wire:
    """A provider as the fake speaks it."""

    spec: str
    says: Callable[..., Body]
    refusal: Body
    cut: Body

    def model(self, server: LLMServer, options: str = "") -> ChatModel:
        """The model behind the fake, with a key of its own."""
        return load_provider(
            f"{self.spec}?base_url={server.url}{self.path}&api_key_env=FAKE_KEY{options}"
        )

    @property
    def path(self) -> str:
        """Where the provider's addresses begin."""
        return "/v1" if self.says is openai_says else ""


WIRES = {
    "openai": Wire(
        "openai:gpt-4o-mini",
        openai_says,
        openai_says(None, refusal="I can't."),
        openai_says('{"items": [', finish="length"),
    ),
    "ollama": Wire(
        "ollama:qwen3",
        openai_says,
        openai_says(None, refusal="I can't."),
        openai_says('{"items": [', finish="length"),
    ),
    "anthropic": Wire(
        "anthropic:claude-sonnet-4-6",
        anthropic_says,
        anthropic_says("", finish="refusal"),
        anthropic_says('{"items": [', finish="max_tokens"),
    ),
    "google": Wire(
        "google:gemini-2.5-flash",
        google_says,
        google_says("", finish="SAFETY"),
        google_says('{"items": [', finish="MAX_TOKENS"),
    ),
}
EVERY = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the fake."""
    monkeypatch.setenv("FAKE_KEY", KEY)


def ask(purpose: Purpose = Purpose.EXTRACT) -> Ask:
    """A question."""
    return Ask(
        purpose=purpose,
        system="List what is new.",
        text=SECRET_TEXT,
        schema=schema(purpose),
        max_tokens=321,
    )


@EVERY
def test_an_answer_comes_with_what_it_took(llm_server: LLMServer, wire: Wire) -> None:
    """The text as the model gave it, and the tokens as the server counted them."""
    llm_server.says(wire.says())

    answer = wire.model(llm_server).answer(ask())

    assert isinstance(answer, Completion)
    assert json.loads(answer.text) == json.loads(ANSWER)
    assert (answer.input_tokens, answer.output_tokens) == (11, 7)
    assert answer.model.startswith(f"{wire.spec}@127.0.0.1")
    assert answer.seconds > 0
    (seen,) = llm_server.seen
    assert "List what is new." in json.dumps(seen.body)
    assert SECRET_TEXT in json.dumps(seen.body)
    assert KEY in "".join(seen.headers.values())


@pytest.mark.parametrize(
    ("spec", "says", "where"),
    [
        ("openai:gpt-5-mini", openai_says, "max_completion_tokens"),
        ("openai:mine", openai_says, "max_tokens"),
        ("openrouter:openai/gpt-5-mini", openai_says, "max_tokens"),
        ("ollama:qwen3", openai_says, "max_tokens"),
        ("llamacpp:qwen3", openai_says, "max_tokens"),
        ("lmstudio:openai/gpt-oss-20b", openai_says, "max_tokens"),
        ("vllm:Qwen/Qwen3-8B", openai_says, "max_tokens"),
        ("lemonade:qwen3", openai_says, "max_tokens"),
        ("anthropic:claude-sonnet-4-6", anthropic_says, "max_tokens"),
        ("google:gemini-2.5-flash", google_says, "maxOutputTokens"),
    ],
)
def test_the_length_is_bounded_by_the_name_that_the_server_knows(
    llm_server: LLMServer, spec: str, says: Callable[..., Body], where: str
) -> None:
    """OpenAI's newer models refuse the older name, and many other servers overlook the newer."""
    llm_server.says(says())

    Wire(spec, says, {}, {}).model(llm_server).answer(ask())

    body = llm_server.seen[0].body
    bounds = {
        name: value
        for name, value in {**body, **body.get("generationConfig", {})}.items()
        if name in ("max_tokens", "max_completion_tokens", "maxOutputTokens")
    }
    assert bounds == {where: 321}


@pytest.mark.parametrize("model", ["gpt-4o-mini", "gpt-5-mini", "gpt-of-tomorrow"])
def test_openai_itself_gets_the_newer_name(
    llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """Whatever the model at its own address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    own = replace(PROVIDERS["openai"], url=f"{llm_server.url}/v1")
    monkeypatch.setattr("omoide.models.chat.providers.PROVIDERS", {**PROVIDERS, "openai": own})

    load_provider(f"openai:{model}").answer(ask())

    assert llm_server.seen[0].body["max_completion_tokens"] == 321
    assert "max_tokens" not in llm_server.seen[0].body


@pytest.mark.parametrize("name", ["openai", "ollama", "anthropic", "google"])
def test_the_shape_of_an_answer_is_asked_for_natively(llm_server: LLMServer, name: str) -> None:
    """The server gets the schema and holds the model to it."""
    llm_server.says(WIRES[name].says())

    WIRES[name].model(llm_server, "&output=native").answer(ask())

    body = llm_server.seen[0].body
    asked = [
        body.get(name)
        for name in ("response_format", "output_config", "output_format", "generationConfig")
    ]
    assert "quote" in json.dumps(asked)


@pytest.mark.parametrize("name", ["openai", "anthropic", "google"])
def test_an_answer_may_be_the_arguments_of_a_call(llm_server: LLMServer, name: str) -> None:
    """For models that can call tools but know no schema of answers."""
    call = {"id": "t1", "type": "function", "function": {"name": "answer", "arguments": ANSWER}}
    called = {
        "openai": openai_says(None, finish="tool_calls", tool_calls=[call]),
        "anthropic": anthropic_says(tool=json.loads(ANSWER), finish="tool_use"),
        "google": google_says(
            content={
                "role": "model",
                "parts": [{"functionCall": {"name": "answer", "args": json.loads(ANSWER)}}],
            }
        ),
    }
    llm_server.says(called[name])

    answer = WIRES[name].model(llm_server, "&output=tool").answer(ask())

    assert json.loads(answer.text) == json.loads(ANSWER)
    assert "quote" in json.dumps(llm_server.seen[0].body["tools"])


def test_the_shape_of_an_answer_may_be_told_in_words(llm_server: LLMServer) -> None:
    """For servers that know neither."""
    WIRES["ollama"].model(llm_server, "&output=prompted").answer(ask())

    body = llm_server.seen[0].body
    assert "tools" not in body
    assert "response_format" not in body
    assert "quote" in json.dumps(body["messages"])


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_what_a_model_thought_is_no_part_of_its_answer(llm_server: LLMServer, field: str) -> None:
    """Servers give thoughts in a field of their own; they are left there."""
    llm_server.says(openai_says(ANSWER, **{field: '{"items": [{"text": "only a thought"}]}'}))

    assert WIRES["ollama"].model(llm_server).answer(ask()).text == ANSWER


@EVERY
def test_a_refusal_is_told_as_one(llm_server: LLMServer, wire: Wire) -> None:
    """It is no answer, and no fault of the server's."""
    llm_server.says(wire.refusal)

    with pytest.raises(ModelRefused, match="refuses"):
        wire.model(llm_server).answer(ask())


@EVERY
def test_an_answer_that_is_cut_off_is_told_as_such(llm_server: LLMServer, wire: Wire) -> None:
    """With what it took, and what there was of it."""
    llm_server.says(wire.cut)

    answer = wire.model(llm_server, "&output=prompted").answer(ask())

    assert (answer.cut, answer.output_tokens, answer.text) == (True, 7, '{"items": [')


@EVERY
@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_trouble_that_may_pass_says_when_to_come_back(
    llm_server: LLMServer, wire: Wire, status: int
) -> None:
    """One request, no tries behind the caller's back, and the server's own word on how long to
    wait.
    """
    busy = {"error": {"message": f"busy with {SECRET_TEXT}", "type": "x", "code": status}}
    llm_server.says(busy, status=status, headers={"Retry-After": "17"})

    with pytest.raises(ModelUnreachable, match=str(status)) as caught:
        wire.model(llm_server).answer(ask())

    assert caught.value.retry_after_s == 17
    assert len(llm_server.seen) == 1


@EVERY
@pytest.mark.covers("LS-80")
def test_a_retired_model_is_named(llm_server: LLMServer, wire: Wire) -> None:
    """Not some failure: the name of the model that is not there."""
    error = {"message": "gone", "type": "not_found_error", "code": 404, "status": "NOT_FOUND"}
    llm_server.says({"type": "error", "error": error}, status=404)

    with pytest.raises(ModelMissing, match=wire.spec):
        wire.model(llm_server).answer(ask())


@EVERY
@pytest.mark.parametrize("status", [400, 401, 403, 413, 422])
def test_a_request_that_is_refused_is_an_error(
    llm_server: LLMServer, wire: Wire, status: int
) -> None:
    """With its status, and nothing of what was sent or said."""
    llm_server.says(
        {"error": {"message": f"bad {SECRET_TEXT} {KEY}", "type": "x", "code": status}},
        status=status,
    )

    with pytest.raises(ModelError, match=f"HTTP {status}") as caught:
        wire.model(llm_server).answer(ask())

    assert not isinstance(caught.value, ModelUnreachable)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert SECRET_TEXT not in str(caught.value)
    assert KEY not in str(caught.value)


@EVERY
def test_an_error_is_told_in_the_servers_own_words(llm_server: LLMServer, wire: Wire) -> None:
    """They say best what to change."""
    said = "num_ctx must be larger"
    llm_server.says({"error": {"message": said, "type": "x", "code": 400}}, status=400)

    with pytest.raises(ModelError, match=f"HTTP 400.*: {said}$"):
        wire.model(llm_server).answer(ask())


@EVERY
def test_an_answer_that_breaks_off_on_its_way_is_a_failing_server(
    llm_server: LLMServer, wire: Wire
) -> None:
    """Half of it is not taken for all."""
    llm_server.says(wire.says(), cut=True)

    with pytest.raises(ModelUnreachable):
        wire.model(llm_server).answer(ask())


@EVERY
def test_no_answer_is_asked_for_as_a_stream(llm_server: LLMServer, wire: Wire) -> None:
    """It is of use when it is whole."""
    llm_server.says(wire.says())

    wire.model(llm_server).answer(ask())

    (seen,) = llm_server.seen
    assert not seen.body.get("stream")
    assert "stream" not in seen.path


@EVERY
def test_an_answer_that_comes_as_a_stream_all_the_same_is_an_error(
    llm_server: LLMServer, wire: Wire
) -> None:
    """Nothing of what came is taken for an answer, whole or half."""
    chunks = [
        json.dumps({"choices": [{"index": 0, "delta": {"content": part}}]})
        for part in ('{"items"', ": []}")
    ]
    body = "".join(f"data: {chunk}\n\n" for chunk in (*chunks, "[DONE]"))
    llm_server.says(body, headers={"Content-Type": "text/event-stream"})

    with pytest.raises(ModelError):
        wire.model(llm_server).answer(ask())


@EVERY
def test_a_server_that_is_not_there_is_unreachable(wire: Wire) -> None:
    """Nobody listens at that port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = load_provider(
        f"{wire.spec}?base_url=http://127.0.0.1:{port}{wire.path}&api_key_env=FAKE_KEY"
    )

    with pytest.raises(ModelUnreachable, match=f"connection to 127.0.0.1:{port} failed"):
        model.answer(ask())


@EVERY
@pytest.mark.parametrize(
    "body",
    [
        "<html>welcome</html>",
        "[]",
        "{}",
        '"text"',
        '{"choices": [], "content": null, "candidates": 3}',
        "",
    ],
)
def test_what_is_no_answer_at_all_is_an_error_of_ours(
    llm_server: LLMServer, wire: Wire, body: str
) -> None:
    """Whatever stands at the address: the caller sees a model that failed, or an answer that is
    empty.
    """
    llm_server.says(body)

    try:
        assert wire.model(llm_server).answer(ask()).text == ""
    except ModelError as error:
        assert wire.spec in str(error)  # noqa: PT017 - either will do


def test_keys_go_to_their_own_provider_alone(
    llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another address gets none of what the environment holds for a provider, nor what the
    libraries tell of this machine.
    """
    variables = [
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_ADMIN_KEY",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
    ]
    variables += ["GOOGLE_API_KEY", "GEMINI_API_KEY"]
    for name in variables:
        monkeypatch.setenv(name, f"secret-{name}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    for wire in WIRES.values():
        llm_server.says(wire.says())
        load_provider(f"{wire.spec}?base_url={llm_server.url}{wire.path}").answer(ask())

    assert len(llm_server.seen) == 4
    for seen in llm_server.seen:
        assert "secret-" not in json.dumps([seen.path, seen.headers, seen.body])
        assert not [
            name
            for name in seen.headers
            if name.startswith("x-stainless") or "goog-api-client" in name
        ]


def test_a_request_that_is_sent_elsewhere_takes_no_key_along(llm_server: LLMServer) -> None:
    """A server cannot have the key carried to another one."""
    llm_server.says(
        "",
        status=307,
        headers={"Location": f"http://localhost:{llm_server.server_port}/v1/chat/completions"},
    )

    with pytest.raises(ModelError):
        WIRES["openai"].model(llm_server).answer(ask())

    assert [KEY in seen.headers.get("authorization", "") for seen in llm_server.seen][1:] in (
        [],
        [False],
    )


@pytest.mark.parametrize("value", ["", "  ", "sk\nsecret", "schlüssel"])
def test_a_missing_or_broken_key_is_told_by_the_name_of_its_variable(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """Before anything is sent, and never by its value."""
    monkeypatch.setenv("OPENAI_API_KEY", value)

    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        load_provider("openai:gpt-4o-mini").answer(ask())

    assert not value.strip() or value not in str(caught.value)


def test_local_servers_have_their_usual_addresses() -> None:
    """So that a name is all it takes."""
    assert {name: provider.url for name, provider in PROVIDERS.items() if not provider.keys} == {
        "ollama": "http://127.0.0.1:11434/v1",
        "llamacpp": "http://127.0.0.1:8080/v1",
        "lmstudio": "http://127.0.0.1:1234/v1",
        "vllm": "http://127.0.0.1:8000/v1",
        "lemonade": "http://127.0.0.1:13305/api/v1",
    }
    assert load_provider("ollama:qwen3:8b").id == "ollama:qwen3:8b"


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("openay:gpt-4o", UnknownName),
        ("openai", InvalidInput),
        ("openai:", InvalidInput),
        ("openai:gpt?bass_url=x", UnknownName),
        ("openai:gpt?base_url", InvalidInput),
        ("openai:gpt?base_url=http://user:pass@host/v1", InvalidInput),
        ("openai:gpt?output=xml", InvalidInput),
        ("openai:gpt?thinking=a lot", InvalidInput),
        ("openai:../../etc/passwd", InvalidInput),
    ],
)
def test_a_string_that_names_no_model_is_refused(spec: str, error: type[Exception]) -> None:
    """When it is read, not when it is asked; a password in it is not repeated."""
    with pytest.raises(error) as caught:
        load_chat(spec)

    assert "pass@" not in str(caught.value)


def test_reasoning_models_get_no_setting_that_they_refuse(
    llm_server: LLMServer, recwarn: pytest.WarningsRecorder
) -> None:
    """No temperature, as little thinking as they allow; with thinking there is room for it."""
    for options in ("", "&thinking=high"):
        load_provider(f"openai:gpt-5-mini?base_url={llm_server.url}/v1{options}").answer(ask())
    brief, deep = (seen.body for seen in llm_server.seen)

    assert "temperature" not in brief
    assert brief["max_completion_tokens"] == 321
    assert deep["max_completion_tokens"] > 5_000
    assert deep["reasoning_effort"] == "high"
    assert not recwarn.list


def test_a_price_is_told_where_it_is_known(llm_server: LLMServer) -> None:
    """And none is made up where it is not."""
    llm_server.says(anthropic_says())
    price = WIRES["anthropic"].model(llm_server).answer(ask()).cost_usd
    llm_server.says(openai_says())

    assert price == pytest.approx((11 * 3 + 7 * 15) / 1e6)
    assert (
        load_provider(f"ollama:qwen3?base_url={llm_server.url}/v1").answer(ask()).cost_usd is None
    )


@pytest.mark.parametrize(
    ("spec", "known"),
    [
        ("openai:gpt-5-mini", True),
        ("anthropic:claude-haiku-4-5", True),
        ("ollama:qwen3", True),
        ("openai:gpt-of-tomorrow", False),
        ("ollama:qwen3?base_url=http://10.0.0.7:11434/v1", False),
        ("openai:mine?base_url=http://127.0.0.1:4000/v1", False),
    ],
)
def test_whether_a_price_is_known_is_told_without_a_call(spec: str, known: bool) -> None:
    """By the list; a provider on this machine is free, another server at an address of one's own
    need not be.
    """
    model = load_provider(spec)

    assert isinstance(model, Priced)
    assert model.is_priced is known


def test_asking_from_many_threads_at_once(llm_server: LLMServer) -> None:
    """Each gets its own answer."""
    model = WIRES["ollama"].model(llm_server)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: model.answer(ask()).text, range(16)))

    assert answers == [ANSWER] * 16


@pytest.mark.parametrize(
    ("spec", "package"),
    [
        ("google:gemini-2.5-flash", "google"),
        ("ollama:qwen3", "openai"),
        ("openai:gpt-4o-mini", "pydantic_ai"),
    ],
)
def test_what_is_not_installed_is_told_by_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, spec: str, package: str
) -> None:
    """When the string is read, not when the model is first asked."""
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtra, match=r"pip install .*\[llm\]'"):
        load_provider(spec)
