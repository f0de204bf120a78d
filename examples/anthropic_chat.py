"""A chat loop with memory: Claude answers, and may store items with a tool.

ANTHROPIC_API_KEY=… python examples/anthropic_chat.py ana
"""

import os
import sys

from anthropic import Anthropic

from omoide import Memory, Query

MODEL = os.environ.get("CHAT_MODEL", "claude-sonnet-4-6")
INSTRUCTIONS = """You are a helpful assistant.
Call remember when the user tells you a lasting fact or preference."""
REMEMBER = {
    "name": "remember",
    "description": "Store one statement about the user for later conversations.",
    "input_schema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}


def answer(memory: Memory, client: Anthropic, system: str, messages: list) -> str:
    """Claude's answer to the messages, after it has used its tool as often as it wants."""
    while True:
        reply = client.messages.create(
            model=MODEL, max_tokens=1024, system=system, messages=messages, tools=[REMEMBER]
        )
        messages.append({"role": "assistant", "content": reply.content})
        results = []
        for block in reply.content:
            if block.type == "tool_use":
                stored = memory.remember(block.input["text"])  # an agent's word, for this user
                results.append(
                    {"type": "tool_result", "tool_use_id": block.id, "content": stored.id}
                )
        if not results:
            return "".join(block.text for block in reply.content if block.type == "text")
        messages.append({"role": "user", "content": results})


def next_line() -> str:
    """What is typed next; empty at the end of the input, as after Ctrl-D."""
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def chat(memory: Memory, client: Anthropic) -> None:
    """Answer line by line; an empty line or Ctrl-D ends the session."""
    scope = memory.sessions.start()
    messages: list = []
    while question := next_line():
        context = memory.context(
            Query(text=question, without_session=scope.session), scope, budget=800
        )
        memory.ingest([{"role": "user", "content": question}], scope)  # log first
        messages.append({"role": "user", "content": question})
        system = f"{INSTRUCTIONS}\n{context}"

        text = answer(memory, client, system, messages)

        memory.ingest([{"role": "assistant", "content": text}], scope)
        print(text)
    if messages:
        memory.sessions.end(scope.session, scope)


if __name__ == "__main__":
    with Memory.open("chat.db", user=sys.argv[1]) as memory:
        chat(memory, Anthropic())
