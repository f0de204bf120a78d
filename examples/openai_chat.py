"""A chat loop with memory: OpenAI answers, Omoide remembers.

OPENAI_API_KEY=… python examples/openai_chat.py ana
"""

import os
import sys

from openai import OpenAI

from omoide import Memory, Query

MODEL = os.environ.get("CHAT_MODEL", "gpt-5-mini")
INSTRUCTIONS = """You are a helpful assistant.
If memory does not answer a question about the user, say that you do not know."""


def next_line() -> str:
    """What is typed next; empty at the end of the input, as after Ctrl-D."""
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def chat(memory: Memory, client: OpenAI) -> None:
    """Answer line by line; an empty line or Ctrl-D ends the session."""
    scope = memory.sessions.start()
    messages: list = []
    while question := next_line():
        context = memory.context(
            Query(text=question, without_session=scope.session), scope, budget=800
        )
        memory.ingest([{"role": "user", "content": question}], scope)  # log first
        messages.append({"role": "user", "content": question})
        system = {"role": "system", "content": f"{INSTRUCTIONS}\n{context}"}

        completion = client.chat.completions.create(model=MODEL, messages=[system, *messages])
        answer = completion.choices[0].message.content or ""

        memory.ingest([{"role": "assistant", "content": answer}], scope)
        messages.append({"role": "assistant", "content": answer})
        print(answer)
    if messages:
        memory.sessions.end(scope.session, scope)  # with OMOIDE_LLM set, a job now learns from it


if __name__ == "__main__":
    with Memory.open("chat.db", user=sys.argv[1]) as memory:
        chat(memory, OpenAI())
