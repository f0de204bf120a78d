"""The command that Claude Code runs as a hook."""

from __future__ import annotations

import json
import sys

import typer

from omoide.cli.session import opened


def hook(context: typer.Context) -> None:
    """Serve a hook of Claude Code: its event as JSON on standard input, the answer on standard
    output.

    The prompt is never blocked: where memory cannot work, the answer says so.
    """
    from omoide.adapters.claude_code import answer
    from omoide.nouns.errors import InvalidInput, OmoideError, off_message

    try:
        event = json.load(sys.stdin)
    except ValueError as error:
        raise InvalidInput("event", f"is not JSON on standard input: {error}") from None
    if not isinstance(event, dict):
        raise InvalidInput("event", "must be a JSON object, as Claude Code sends one to a hook")
    try:
        with opened(context, create=True, whose=False) as memory:
            told = answer(memory, event)
    except OmoideError as error:
        told = {"systemMessage": f"omoide: {off_message(error)}"}
    sys.stdout.write(f"{json.dumps(told, ensure_ascii=False)}\n")
