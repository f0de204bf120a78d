"""Ways of calling a wrapped client that a program may take: views, helpers and streams of the real
SDKs, and clients that are wrapped again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import omoide
from omoide.memory import Memory
from tests.surfaces.test_wrap import (
    ASKED,
    EXCHANGE,
    Wire,
    anthropic,
    anthropic_client,
    openai_client,
    told,
)

CLAUDE: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": ASKED}


@pytest.fixture
def wire() -> Wire:
    """A transport that answers as the services do."""
    return Wire()


@pytest.fixture
def chat(memory: Memory) -> Memory:
    """A memory that holds something, bound to a session."""
    memory.ingest([{"role": "user", "content": "I bought a red bicycle"}])
    return memory.at(session="chat")


def test_a_view_that_was_made_before_the_wrapping_remembers(chat: Memory, wire: Wire) -> None:
    """The SDK keeps its raw views; a wrapped client has views of its own."""
    bare = openai_client(wire)
    assert bare.with_raw_response.chat
    assert bare.chat.completions.with_raw_response

    client = omoide.wrap(bare, chat)
    client.chat.completions.with_raw_response.create(model="m", messages=ASKED)
    client.with_raw_response.chat.completions.create(model="m", messages=ASKED)

    assert told(chat) == [*EXCHANGE, EXCHANGE[1]]  # the second request repeats the question


def add(a: int) -> str:
    """Add one."""
    return str(a + 1)


RUNS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda c: c.beta.messages.tool_runner(
        **CLAUDE, tools=[anthropic.beta_tool(add)]
    ).until_done(),
    "streamed": lambda c: [
        list(stream)
        for stream in c.beta.messages.tool_runner(
            **CLAUDE, tools=[anthropic.beta_tool(add)], stream=True
        )
    ],
    "thread": lambda c: c.beta.messages.thread(**CLAUDE).parse(),
}


@pytest.mark.parametrize("name", RUNS)
def test_helpers_of_an_sdk_remember(name: str, chat: Memory, wire: Wire) -> None:
    """A runner of tools or a thread asks through the wrapped client."""
    RUNS[name](omoide.wrap(anthropic_client(wire), chat))

    assert "I bought a red bicycle" in wire.text
    assert told(chat) == EXCHANGE


def test_an_async_stream_gives_its_pieces_one_by_one(chat: Memory, wire: Wire) -> None:
    """``anext`` works as on the SDK's own stream, and what it gives is logged."""

    async def ask() -> None:
        client = omoide.wrap(openai_client(wire, later=True), chat)
        stream = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
        while await anext(stream, None):
            pass

    asyncio.run(ask())

    assert told(chat) == EXCHANGE


MANAGERS: dict[str, Callable[[Any, Any], Any]] = {
    "chat": lambda o, a: o.chat.completions.stream(model="m", messages=ASKED),
    "responses": lambda o, a: o.responses.stream(model="m", input=ASKED),
    "claude": lambda o, a: a.messages.stream(**CLAUDE),
    "claude, beta": lambda o, a: a.beta.messages.stream(**CLAUDE),
}


@pytest.mark.parametrize("later", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("name", MANAGERS)
def test_a_stream_that_nobody_reads_is_left_in_peace(
    name: str, later: bool, chat: Memory, wire: Wire
) -> None:
    """Leaving it raises nothing, and logs no answer."""
    clients = [
        omoide.wrap(make(wire, later=later), chat) for make in (openai_client, anthropic_client)
    ]

    async def leave() -> None:
        async with MANAGERS[name](*clients):
            pass

    if later:
        asyncio.run(leave())
    else:
        with MANAGERS[name](*clients):
            pass

    assert told(chat) == EXCHANGE[:1]


@pytest.mark.parametrize("name", MANAGERS)
def test_what_was_streamed_before_an_error_is_logged(name: str, chat: Memory, wire: Wire) -> None:
    """The error is the program's own, and comes to it as it is."""
    clients = [omoide.wrap(make(wire), chat) for make in (openai_client, anthropic_client)]

    def read() -> None:
        with MANAGERS[name](*clients) as stream:
            for _ in stream:
                pass
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        read()

    assert told(chat) == EXCHANGE


def test_the_beginning_of_an_answer_hides_no_question(chat: Memory, wire: Wire) -> None:
    """A request may end with words that the model is to go on with."""
    client = omoide.wrap(anthropic_client(wire), chat)

    client.messages.create(
        **{**CLAUDE, "messages": [*ASKED, {"role": "assistant", "content": "It"}]}
    )

    assert wire.asked[-1]["messages"][-1] == {"role": "assistant", "content": "It"}
    assert told(chat) == EXCHANGE


def test_messages_may_be_any_iterable(chat: Memory, wire: Wire) -> None:
    """The SDKs take what can be read once only, and so does a wrapped client."""
    client = omoide.wrap(openai_client(wire), chat)

    client.chat.completions.create(model="m", messages=iter(ASKED))

    assert wire.asked[-1]["messages"][-1]["content"].endswith(ASKED[0]["content"])
    assert told(chat) == EXCHANGE


def test_a_request_without_messages_is_given_none(chat: Memory, wire: Wire) -> None:
    """A stored prompt of the service stands in their place."""
    omoide.wrap(openai_client(wire), chat).responses.create(prompt={"id": "p"})

    assert "input" not in wire.asked[-1]


def test_a_client_that_is_wrapped_again_has_the_later_memory_alone(
    memory: Memory, wire: Wire
) -> None:
    """A web service that wraps its client for each request shows no user what another one said."""
    ana = memory.at(user="ana", session="chat")
    ana.ingest([{"role": "user", "content": "I bought a red bicycle"}])

    client = omoide.wrap(openai_client(wire), ana).with_options(timeout=9)
    client = omoide.wrap(client, memory.at(user="ben", session="other"))
    client.chat.completions.create(model="m", messages=ASKED)

    assert "red bicycle" not in wire.text
    assert told(ana) == [("user", "I bought a red bicycle")]


@dataclass(frozen=True)
class FrozenPart:
    """A part of a client of a program's own, which takes no new attributes."""

    create: Callable[..., Any]


@dataclass(frozen=True)
class FrozenClient:
    """A client of a program's own, as its tests have one."""

    messages: FrozenPart


def test_a_client_that_cannot_be_changed_remembers(chat: Memory) -> None:
    """Wrapping changes copies alone."""
    answer = {"role": "assistant", "content": [{"type": "text", "text": "It is red."}]}
    client = omoide.wrap(FrozenClient(FrozenPart(lambda **request: answer)), chat)

    assert client.messages.create(**CLAUDE) == answer
    assert told(chat)[0] == EXCHANGE[0]
