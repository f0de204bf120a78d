"""Clients of the real SDKs that remember: what goes over the wire, and what is logged after."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import omoide
from omoide.aio import AsyncMemory
from omoide.clients.answers import Pieces
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, StoreError
from omoide.nouns.item import Details, Source
from omoide.proxy.heard import read_json
from tests.fix_memory import BEN

httpx = pytest.importorskip("httpx")
httpx2 = pytest.importorskip("httpx2")
openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

CHAT = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "It is red."},
        }
    ],
}
CLAUDE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "content": [{"type": "text", "text": "It is red."}],
}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "parallel_tool_calls": False,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "type": "message",
            "id": "msg_2",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "It is red.", "annotations": []}],
        }
    ],
}


def chat_chunks() -> list[dict[str, Any]]:
    """A streamed chat completion."""
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [{"role": "assistant", "content": ""}, {"content": "It is "}, {"content": "red."}, {}]
    ends = [None, None, None, "stop"]
    return [
        base | {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in zip(deltas, ends, strict=True)
    ]


def claude_events() -> list[dict[str, Any]]:
    """A streamed message of Claude's."""
    usage = {"output_tokens": 2}
    return [
        {"type": "message_start", "message": CLAUDE | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "It is red."},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    ]


def response_events() -> list[dict[str, Any]]:
    """A streamed response."""
    return [
        {"type": "response.created", "sequence_number": 0, "response": RESPONSE | {"output": []}},
        {"type": "response.completed", "sequence_number": 1, "response": RESPONSE},
    ]


class Wire:
    """A transport that answers as the services do, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def __call__(self, request: Any) -> Any:
        """The answer of the service that the path names."""
        library = sys.modules[type(request).__module__.partition(".")[0]]  # httpx, or its successor
        asked = json.loads(request.content)
        self.asked.append(asked)
        path = request.url.path
        whole, pieces = (
            (CHAT, chat_chunks)
            if path.endswith("/chat/completions")
            else (CLAUDE, claude_events)
            if path.endswith("/messages")
            else (RESPONSE, response_events)
        )
        if not asked.get("stream"):
            return library.Response(200, json=whole)
        lines = (
            f"event: {one.get('type', 'chunk')}\ndata: {json.dumps(one)}\n\n" for one in pieces()
        )
        end = "data: [DONE]\n\n" if whole is CHAT else ""
        kind = {"content-type": "text/event-stream"}
        return library.Response(200, content="".join(lines) + end, headers=kind)

    @property
    def text(self) -> str:
        """All of the last request."""
        return json.dumps(self.asked[-1], ensure_ascii=False)


@pytest.fixture
def wire() -> Wire:
    """A transport that answers as the services do."""
    return Wire()


def openai_client(wire: Wire, *, later: bool = False) -> Any:
    """A real client of OpenAI's over a transport."""
    if later:
        http = httpx.AsyncClient(transport=httpx.MockTransport(wire))
        return openai.AsyncOpenAI(api_key="k", base_url="http://x/v1", http_client=http)
    http = httpx.Client(transport=httpx.MockTransport(wire))
    return openai.OpenAI(api_key="k", base_url="http://x/v1", http_client=http)


def anthropic_client(wire: Wire, *, later: bool = False) -> Any:
    """A real client of Anthropic's over a transport."""
    http_of = httpx if issubclass(anthropic.DefaultHttpxClient, httpx.Client) else httpx2
    if later:
        http = http_of.AsyncClient(transport=http_of.MockTransport(wire))
        return anthropic.AsyncAnthropic(api_key="k", base_url="http://x", http_client=http)
    http = http_of.Client(transport=http_of.MockTransport(wire))
    return anthropic.Anthropic(api_key="k", base_url="http://x", http_client=http)


ASKED: Any = [{"role": "user", "content": "Which bicycle do I have?"}]
CALLS: dict[str, Callable[[Any], Any]] = {
    "chat": lambda c: c.chat.completions.create(model="m", messages=ASKED),
    "responses": lambda c: c.responses.create(model="m", input="Which bicycle do I have?"),
    "responses, listed": lambda c: c.responses.create(model="m", input=ASKED),
    "claude": lambda c: c.messages.create(model="m", max_tokens=9, messages=ASKED),
    "claude, told": lambda c: c.messages.create(
        model="m", max_tokens=9, messages=ASKED, system=[{"type": "text", "text": "Be brief."}]
    ),
    "chat, streamed": lambda c: list(
        c.chat.completions.create(model="m", messages=ASKED, stream=True)
    ),
    "responses, streamed": lambda c: list(c.responses.create(model="m", input=ASKED, stream=True)),
    "claude, streamed": lambda c: list(
        c.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
    ),
}
# with other options, as beta, and where the whole answer of HTTP is asked for
OTHER_WAYS: dict[str, Callable[[Any], Any]] = {
    "chat, other options": lambda c: CALLS["chat"](c.with_options(timeout=9)),
    "chat, copied twice": lambda c: CALLS["chat"](c.copy(timeout=9).copy(timeout=8)),
    "chat, beta": lambda c: CALLS["chat"](c.beta),
    "chat, raw": lambda c: c.chat.completions.with_raw_response.create(model="m", messages=ASKED),
    "claude, other options": lambda c: CALLS["claude"](c.with_options(timeout=9)),
    "claude, beta": lambda c: CALLS["claude"](c.beta),
    "claude, raw": lambda c: c.messages.with_raw_response.create(
        model="m", max_tokens=9, messages=ASKED
    ),
}


def told(memory: Memory) -> list[tuple[str, str]]:
    """What was logged in the session ``chat``, in order."""
    turns = memory.sessions.turns("chat")
    return [(turn.role.value, turn.text) for turn in turns]


EXCHANGE = [("user", "Which bicycle do I have?"), ("assistant", "It is red.")]


@pytest.fixture
def chat(memory: Memory) -> Memory:
    """A memory that holds something, bound to a session."""
    memory.remember("Answer in metric", category="preference", details=Details(source=Source.USER))
    memory.ingest([{"role": "user", "content": "I bought a red bicycle"}])
    memory.remember("Ben has a blue bicycle", BEN)
    return memory.at(session="chat")


@pytest.mark.parametrize("name", [*CALLS, *OTHER_WAYS])
def test_a_wrapped_client_is_shown_memory_and_is_logged(
    name: str, chat: Memory, wire: Wire
) -> None:
    """The request has the context, the answer comes as it was, and both sides are logged once,
    by whichever way the client is called.
    """
    client = anthropic_client(wire) if name.startswith("claude") else openai_client(wire)

    (CALLS | OTHER_WAYS)[name](omoide.wrap(client, chat))

    assert "I bought a red bicycle" in wire.text
    assert "Answer in metric" in wire.text
    assert "Ben" not in wire.text
    assert told(chat) == EXCHANGE


@pytest.mark.parametrize("name", [name for name in CALLS if "streamed" not in name])
def test_an_async_client_is_shown_memory_and_is_logged(name: str, chat: Memory, wire: Wire) -> None:
    """As the other ones, with a memory of either kind."""
    make = anthropic_client if name.startswith("claude") else openai_client

    async def ask() -> None:
        for memory in (chat, AsyncMemory(chat)):
            await CALLS[name](omoide.wrap(make(wire, later=True), memory))

    asyncio.run(ask())

    assert "I bought a red bicycle" in wire.text
    assert EXCHANGE[0] in told(chat)
    assert EXCHANGE[1] in told(chat)


def test_async_streams_are_listened_to(chat: Memory, wire: Wire) -> None:
    """Every piece arrives, and what they make up is logged when the stream ends."""

    async def ask() -> str:
        client = omoide.wrap(openai_client(wire, later=True), chat)
        stream = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
        text = "".join([piece.choices[0].delta.content or "" async for piece in stream])
        other = omoide.wrap(anthropic_client(wire, later=True), chat.at())
        async with other.messages.stream(model="m", max_tokens=9, messages=ASKED) as told:
            return text + "".join([piece async for piece in told.text_stream])

    assert asyncio.run(ask()) == "It is red." * 2
    assert told(chat).count(EXCHANGE[1]) == 2


def test_managers_of_streams_are_listened_to(chat: Memory, wire: Wire) -> None:
    """``with client.messages.stream(…)``, and those of OpenAI's."""
    claude = omoide.wrap(anthropic_client(wire), chat.at())
    with claude.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream:
        assert "".join(stream.text_stream) == "It is red."
    assert told(chat) == EXCHANGE

    other = omoide.wrap(openai_client(wire), chat)
    with other.responses.stream(model="m", input="And the colour?") as events:
        assert [event.type for event in events][-1] == "response.completed"
    assert told(chat)[2:] == [("user", "And the colour?"), EXCHANGE[1]]


def test_a_growing_chat_is_logged_once(chat: Memory, wire: Wire) -> None:
    """Each call brings all messages so far; only what is new is logged, and a retry logs nothing
    more.
    """
    client = omoide.wrap(openai_client(wire), chat)
    messages: list[Any] = [*ASKED]
    client.chat.completions.create(model="m", messages=messages)
    messages += [{"role": "assistant", "content": "It is red."}, {"role": "user", "content": "Oh"}]
    client.chat.completions.create(model="m", messages=messages)
    client.chat.completions.create(model="m", messages=messages)

    assert [text for role, text in told(chat) if role == "user"] == [ASKED[0]["content"], "Oh"]


LOOPS = {  # a chat loop without memory, where `client` is one of the SDK
    "openai": """
        for question in questions:
            messages = [{"role": "user", "content": question}]
            answer = client.chat.completions.create(model="m", messages=messages)
            print(answer.choices[0].message.content)
        """,
    "anthropic": """
        for question in questions:
            messages = [{"role": "user", "content": question}]
            answer = client.messages.create(model="m", max_tokens=9, messages=messages)
            print(answer.content[0].text)
        """,
}
MEMORY = """
import omoide
memory = omoide.Memory.open(path, user="ana")
client = omoide.wrap(client, memory)
"""


@pytest.mark.parametrize("sdk", LOOPS)
def test_three_more_lines_give_a_chat_loop_memory(sdk: str, wire: Wire, tmp_path: Path) -> None:
    """What was said in one run of the program is shown to the model in the next one."""
    make = openai_client if sdk == "openai" else anthropic_client
    loop = textwrap.dedent(LOOPS[sdk])
    for program, is_shown in ((loop, False), (MEMORY + loop, True)):
        for question in ("I bought a red bicycle", "What did I buy?"):
            given = {"client": make(wire), "path": tmp_path / "chat.db", "questions": [question]}
            exec(program, given)  # noqa: S102 - the program above is the code under test
            if "memory" in given:
                given["memory"].close()
        assert ("red bicycle" in wire.text) == is_shown

    assert len(MEMORY.split("\n")[1:-1]) == 3


SHAPES = ("chat", "claude", "response")


def ask_of(shape: str, wire: Wire, chat: Memory) -> Callable[[list[dict[str, Any]]], Any]:
    """How one of the three interfaces is asked with these messages."""
    make = anthropic_client if shape == "claude" else openai_client
    client = omoide.wrap(make(wire), chat)
    if shape == "claude":
        return lambda told: client.messages.create(model="m", max_tokens=9, messages=told)
    if shape == "response":
        return lambda told: client.responses.create(model="m", input=told)
    return lambda told: client.chat.completions.create(model="m", messages=told)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_chat_that_sends_its_last_messages_is_shown_the_first_ones(
    shape: str, chat: Memory, wire: Wire
) -> None:
    """What a window leaves out of the request comes from memory; while all is in the request,
    nothing of the session is shown twice.
    """
    ask, messages = ask_of(shape, wire, chat), list[dict[str, Any]]()
    for text in ("My locker at the pool is the green one", *(f"Topic {n}?" for n in range(4))):
        messages.append({"role": "user", "content": text})
        ask(messages)
        assert wire.text.count("My locker at the pool") == 1
        messages.append({"role": "assistant", "content": "It is red."})
    ask([*messages[-4:], {"role": "user", "content": "Which locker do I have at the pool?"}])

    assert "My locker at the pool is the green one" in wire.text


@pytest.mark.parametrize("shape", SHAPES)
def test_a_session_that_begins_with_a_secret_is_not_shown_twice(
    shape: str, chat: Memory, wire: Wire
) -> None:
    """Though the log has its first message masked."""
    ask, messages = ask_of(shape, wire, chat), list[dict[str, Any]]()
    for text in ("The locker at the pool opens with the password hunter-Zk3vN8q", "Which locker?"):
        messages.append({"role": "user", "content": text})
        ask(messages)
        assert wire.text.count("locker at the pool") == 1
        messages.append({"role": "assistant", "content": "It is red."})


@pytest.mark.parametrize("shape", SHAPES)
def test_a_request_without_what_was_said_is_shown_it(shape: str, chat: Memory, wire: Wire) -> None:
    """As after a restart, or in a web service that sends the last message alone."""
    for text in ("My locker at the pool is the green one", "Which locker at the pool is mine?"):
        ask_of(shape, wire, chat)([{"role": "user", "content": text}])

    assert "My locker at the pool is the green one" in wire.text


def test_results_of_tools_are_logged_with_their_calls(chat: Memory, wire: Wire) -> None:
    """The second request of a loop of tools brings the result; the question keeps its context."""
    client = omoide.wrap(anthropic_client(wire), chat)
    use = {"type": "tool_use", "id": "t1", "name": "shop", "input": {"q": "bicycle"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "3 in stock"}
    messages: list[Any] = [
        *ASKED,
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    client.messages.create(model="m", max_tokens=9, messages=messages)

    sent = wire.asked[-1]["messages"]
    assert "red bicycle" in json.dumps(sent[0])
    assert sent[2] == messages[2]
    assert told(chat)[0] == ("tool", "3 in stock")


def test_the_client_itself_stays_as_it_is(chat: Memory, wire: Wire) -> None:
    """Only the wrapped one remembers, and it is one of the same class, with all else it can do."""
    client = openai_client(wire)
    wrapped = omoide.wrap(client, chat)
    client.chat.completions.create(model="m", messages=ASKED)

    assert isinstance(wrapped, openai.OpenAI)
    assert wrapped.api_key == client.api_key
    assert [one.session.id for one in chat.sessions.list() if one.session.id == "chat"] == []
    assert "bicycle do I" in wire.text
    assert "red" not in wire.text
    assert ASKED == [{"role": "user", "content": "Which bicycle do I have?"}]


def test_an_answer_that_cannot_be_logged_is_given_all_the_same(
    chat: Memory, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a warning: the program has paid for it."""
    client = omoide.wrap(openai_client(wire), chat)
    real = Memory.ingest

    def fail(self: Memory, talk: Any, *args: Any, **named: Any) -> Any:
        if not isinstance(talk[0], dict) or talk[0].get("role") == "assistant":
            raise StoreError("the disk is gone")
        return real(self, talk, *args, **named)

    monkeypatch.setattr(Memory, "ingest", fail)
    with pytest.warns(RuntimeWarning, match="the disk is gone"):
        answer = client.chat.completions.create(model="m", messages=ASKED)

    assert answer.choices[0].message.content == "It is red."


def test_raw_answers_of_async_clients_are_logged(chat: Memory, wire: Wire) -> None:
    """And come as they were."""

    async def ask() -> Any:
        completions = omoide.wrap(openai_client(wire, later=True), chat).chat.completions
        return await completions.with_raw_response.create(model="m", messages=ASKED)

    assert asyncio.run(ask()).parse().choices[0].message.content == "It is red."
    assert told(chat) == EXCHANGE


def test_a_piece_without_words_breaks_no_stream() -> None:
    """Some services send a choice without a delta."""
    pieces = Pieces()
    for delta in (None, {"content": "It is red."}, None):
        pieces.add(read_json(json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode()))

    assert pieces.messages == [{"role": "assistant", "content": "It is red."}]


def test_what_is_no_client_is_refused(chat: Memory) -> None:
    """By its class, with what is allowed."""
    with warnings.catch_warnings(), pytest.raises(InvalidInput, match="OpenAI or Anthropic"):
        omoide.wrap(object(), chat)
