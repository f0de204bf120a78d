"""What models say in these tests, and what they were shown."""

from __future__ import annotations

import json
from typing import Any

from omoide.models.chat.base import Ask


def calls(tool: str, **arguments: Any) -> dict[str, str]:
    """An answer that calls a tool."""
    return {"tool": tool, "arguments": json.dumps(arguments), "answer": ""}


def answers(text: str) -> dict[str, str]:
    """An answer to the user."""
    return {"tool": "", "arguments": "", "answer": text}


def lines(ask: Ask) -> list[dict[str, Any]]:
    """The conversation that a model was shown."""
    return [json.loads(line) for line in ask.text.splitlines()]
