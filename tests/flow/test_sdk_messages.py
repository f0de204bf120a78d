"""Messages as SDKs of chat models give them, logged by ``ingest``: nothing with words is lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from omoide import InvalidInput, Memory, Message, Role, Scope, UnknownName
from omoide.wire.messages import messages_of
from tests.fix_memory import on_sqlite

S = Scope(user="ana", session="s")
USER, ASSISTANT, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


class Dumped:
    """A message object of an SDK: it gives its fields by ``model_dump``."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        """Its fields, objects in them as mappings."""
        return self._fields


def logged(memory: Memory, *messages: Any) -> list[tuple[Role, str, str]]:
    """Who said what, as it is kept."""
    memory.ingest(messages, S)
    return [(turn.role, turn.speaker, turn.text) for turn in memory.sessions.turns("s")]


OPENAI_CALL = {
    "content": None,
    "refusal": None,
    "role": "assistant",
    "annotations": None,
    "audio": None,
    "function_call": None,
    "tool_calls": [
        {
            "id": "call_1",
            "function": {"arguments": '{"city": "Rome"}', "name": "weather"},
            "type": "function",
        }
    ],
}
ANTHROPIC_ANSWER = {
    "id": "msg_1",
    "container": None,
    "content": [
        {"signature": "x", "thinking": "hm", "type": "thinking"},
        {"citations": None, "text": "Let me look.", "type": "text"},
        {
            "id": "toolu_1",
            "caller": None,
            "input": {"city": "Rome"},
            "name": "weather",
            "type": "tool_use",
        },
    ],
    "model": "claude",
    "role": "assistant",
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "type": "message",
    "usage": {"input_tokens": 1, "output_tokens": 2, "service_tier": "standard"},
}
SUNNY = (TOOL, "weather", "sunny")
CALLED = (TOOL, "weather", 'weather {"city": "Rome"}')


@pytest.mark.covers("GM-35")
@pytest.mark.parametrize("kind", [dict, Dumped])
def test_openais_messages_are_taken_with_calls_and_results(kind: Any, memory: Memory) -> None:
    """Null fields are passed over, and the result bears the name of the tool that was called."""
    talk = (
        kind(role="developer", content="Be brief"),
        kind(role="user", content="Weather in Rome?", name=None),
        kind(**OPENAI_CALL),
        kind(role="tool", tool_call_id="call_1", content="sunny"),
        kind(role="assistant", content="It is sunny.", refusal=None, tool_calls=None),
    )

    assert logged(memory, *talk) == [
        (Role.SYSTEM, "system", "Be brief"),
        (USER, "ana", "Weather in Rome?"),
        CALLED,
        SUNNY,
        (ASSISTANT, "assistant", "It is sunny."),
    ]
    call, result = memory.sessions.turns("s")[2:4]
    assert call.metadata == {"tool": "weather", "call": True, "call_id": "call_1"}
    assert result.metadata == {"tool": "weather", "call_id": "call_1", "result": True}


@pytest.mark.covers("GM-35")
@pytest.mark.parametrize("kind", [dict, Dumped])
def test_anthropics_blocks_are_turns_of_who_speaks_in_them(kind: Any, memory: Memory) -> None:
    """A tool's result in a user's message is no word of the user; thinking is left out by name."""
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "sunny", "is_error": True}
    asked = kind(role="user", content=[result, {"type": "text", "text": "And now?"}])

    assert logged(memory, kind(**ANTHROPIC_ANSWER), asked) == [
        (ASSISTANT, "assistant", "Let me look."),
        CALLED,
        SUNNY,
        (USER, "ana", "And now?"),
    ]
    said, _, gave, question = memory.sessions.turns("s")
    assert (said.key, said.metadata) == ("msg_1", {"left_out": {"thinking": 1}})
    assert (gave.user, question.user) == (None, "ana")
    assert gave.metadata["error"] is True


@pytest.mark.covers("GM-35")
def test_items_of_openais_responses_are_messages(memory: Memory) -> None:
    """Reasoning is left out; calls and their outputs are a tool's."""
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {
            "type": "message",
            "id": "msg_2",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Looking", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c1",
            "name": "weather",
            "arguments": '{"city": "Rome"}',
        },
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    ]

    assert logged(memory, *output) == [(ASSISTANT, "assistant", "Looking"), CALLED, SUNNY]


@pytest.mark.covers("GM-35")
def test_langchains_messages_are_told_by_their_type(memory: Memory) -> None:
    """A call that stands in the content too is one turn."""
    call = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Rome"}}
    aside: dict[str, Any] = {"additional_kwargs": {}, "response_metadata": {"model_name": "x"}}
    talk = (
        Dumped(type="human", content="Weather?", id=None, name=None, **aside),
        Dumped(
            type="ai",
            content=["One moment", call],
            tool_calls=[{"name": "weather", "args": {"city": "Rome"}, "id": "c1"}],
            invalid_tool_calls=[],
            **aside,
        ),
        Dumped(type="tool", content="sunny", tool_call_id="c1", status="success", **aside),
        {"type": "system", "data": {"content": "Be kind", **aside}},
    )

    assert logged(memory, *talk) == [
        (USER, "ana", "Weather?"),
        (ASSISTANT, "assistant", "One moment"),
        CALLED,
        SUNNY,
        (Role.SYSTEM, "system", "Be kind"),
    ]


GEMINI = (
    {"role": "user", "parts": [{"text": "Weather?"}]},
    {
        "role": "model",
        "parts": [
            {"text": "hm", "thought": True},
            {"functionCall": {"name": "weather", "args": {"city": "Rome"}}},
        ],
    },
    {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": "sunny"}}]},
)
BEDROCK = (
    {"role": "user", "content": [{"text": "Weather?"}]},
    {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "t", "name": "weather", "input": {"city": "Rome"}}}],
    },
    {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "t", "content": [{"text": "sunny"}]}}],
    },
)
VERCEL = (
    {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
    {
        "role": "assistant",
        "content": [
            {
                "type": "tool-call",
                "toolCallId": "t",
                "toolName": "weather",
                "input": {"city": "Rome"},
            }
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "t",
                "toolName": "weather",
                "output": {"type": "text", "value": "sunny"},
            }
        ],
    },
)


@pytest.mark.covers("GM-35")
@pytest.mark.parametrize("talk", [GEMINI, BEDROCK, VERCEL], ids=["gemini", "bedrock", "vercel"])
def test_the_same_talk_is_the_same_turns_from_any_api(talk: Any, memory: Memory) -> None:
    """Whether a call stands in parts, in camel case or with hyphens."""
    assert logged(memory, *talk) == [(USER, "ana", "Weather?"), CALLED, SUNNY]


def test_what_is_shown_is_named_where_it_stood(memory: Memory) -> None:
    """An image has no words; a document that has them is quoted, as no word of the user."""
    talk = {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look:"},
            {"type": "image", "source": {"type": "base64", "data": "iVBO"}},
            {"type": "input_file", "filename": "plan.pdf", "file_data": "JVBE"},
            {"type": "document", "source": {"type": "text", "data": "We meet\nat six"}},
        ],
    }

    assert logged(memory, talk) == [
        (USER, "ana", "Look:\n[image]\n[input_file: plan.pdf]\n> We meet\n> at six")
    ]
    assert memory.sessions.turns("s")[0].metadata == {"left_out": {"image": 1, "input_file": 1}}


def test_words_beside_the_content_are_kept(memory: Memory) -> None:
    """What a model refuses with, and what it says aloud."""
    refused = {"role": "assistant", "content": None, "refusal": "I can't help with that"}
    spoken = {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Good day"}}

    assert [text for _, _, text in logged(memory, refused, spoken)] == [
        "I can't help with that",
        "Good day",
    ]


def test_cited_text_is_one_sentence(memory: Memory) -> None:
    """Blocks with citations go on within a line."""
    content = [
        {"type": "text", "text": "The grass is ", "citations": None},
        {"type": "text", "text": "green", "citations": [{"cited_text": "green grass"}]},
        {"type": "text", "text": ", it says.", "citations": None},
    ]

    (said,) = logged(memory, {"role": "assistant", "content": content})
    assert said[2] == "The grass is green, it says."


def test_an_answer_without_words_leaves_no_turn(memory: Memory) -> None:
    """Null content is an assistant's alone."""
    assert logged(memory, {"role": "assistant", "content": None, "tool_calls": None}) == []


@on_sqlite
@pytest.mark.covers("GM-15")
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"content": 3}, "message 2 content: must be text, a list of content blocks, or null"),
        ({"content": [3]}, "message 2 content 0: must be text or a block such as"),
        ({"content": [{"cache": 1}]}, "message 2 content 0: has neither type nor text"),
        ({"role": "judge", "content": "x"}, "message 2 role: unknown 'judge'; known: user, assist"),
        ({"type": "note", "content": "x"}, "message 2 role: unknown 'note'"),
        ({"content": "x", "mood": "glad"}, "message 2: unknown 'mood'; known: role, content"),
        ({"content": "x", "tool_calls": "f"}, "message 2 tool_calls: must be a list of calls"),
        ({"content": "x", "tool_calls": [{}]}, "message 2 tool_calls 0: must name its tool"),
        ({"content": "x", "text": "y"}, "message 2 content: is given beside text"),
        ({"content": "x", "metadata": 3}, "message 2 metadata: must be a mapping"),
        ({"content": "x", "metadata": {"a": {1}}}, "message 2 metadata: is not JSON"),
        ({"content": "x", "user": ""}, "message 2 user: "),
        ({"choices": [{"message": "x"}]}, "message 2 choices: .*give response.choices"),
        (7, "message 2: must be a Message, a mapping, or an SDK's message object"),
    ],
)
def test_what_cannot_be_read_says_which_message_and_what_is_allowed(
    bad: Any, says: str, memory: Memory
) -> None:
    """By the number of the message as it was given, though one before it made two turns."""
    two = {"role": "assistant", "content": "One moment", "tool_calls": OPENAI_CALL["tool_calls"]}

    with pytest.raises(InvalidInput, match=says):
        memory.ingest([two, Message(text="fine"), bad], S)
    assert memory.sessions.list() == []


@on_sqlite
def test_fields_without_text_are_passed_over(memory: Memory) -> None:
    """What an SDK adds to its messages need not be known here; but no text is dropped."""
    assert logged(memory, {"content": "Hi", "score": 0.5, "flags": [True, {}], "extra": None})
    with pytest.raises(UnknownName):
        logged(memory, {"content": "Hi", "extra": {"deep": ["words"]}})


@on_sqlite
def test_chunks_of_a_stream_are_refused(memory: Memory) -> None:
    """They share an id: all but the first would count as said already."""
    chunks = [Dumped(type="AIMessageChunk", content=text, id="run-1") for text in ("Good ", "day")]

    with pytest.raises(InvalidInput, match="message 1 id: is that of message 0"):
        logged(memory, *chunks)


@on_sqlite
def test_what_is_nested_without_end_is_refused(memory: Memory) -> None:
    """With a typed error, at every place that is looked into."""
    loop: dict[str, Any] = {"type": "json"}
    loop["value"] = loop
    result = {"type": "tool_result", "tool_use_id": "t", "content": loop}
    call = {"type": "tool_use", "id": "t", "name": "f", "input": loop}

    for block in (result, call):
        with pytest.raises(InvalidInput, match="message 0: is nested more than"):
            logged(memory, {"role": "assistant", "content": [block]})


@on_sqlite
def test_what_comes_before_a_tool_is_its_own_turn_with_a_key_of_its_own(memory: Memory) -> None:
    """Logged again, nothing is added: neither the words nor the call."""
    once, again = (memory.ingest([Dumped(**ANTHROPIC_ANSWER)], S) for _ in range(2))

    assert [turn.key for turn in memory.sessions.turns("s")] == ["msg_1", "msg_1:1"]
    assert (once.added, again.added, again.repeated) == (2, 0, 2)
    assert once.turns == again.turns


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from("type text content role name id input output source data parts".split())
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
KINDS = st.sampled_from(["text", "tool_use", "tool_result", "document", "function_call", "image"])


@settings(max_examples=300)
@example({"content": "x", "created_at": float("nan")})
@example({"content": "x", "created_at": 1e300})
@given(
    st.dictionaries(
        st.sampled_from(
            "role type content text parts output tool_calls function_call tool_call_id name id"
            " created_at metadata audio refusal images additional_kwargs data user".split()
        ),
        VALUES | st.fixed_dictionaries({"type": KINDS, "content": VALUES, "source": VALUES}),
        max_size=5,
    )
)
def test_any_mapping_is_read_or_refused_by_name(given_message: dict[str, Any]) -> None:
    """Nothing else happens, whatever stands where."""
    refused = ""
    messages: list[Message] = []
    try:
        messages = messages_of(given_message, 3, {})
    except InvalidInput as error:
        refused = error.field

    assert refused.startswith("message 3") or (messages and not refused)
    assert all(isinstance(message.text, str) for message in messages)
