"""Answers of models as messages to be logged: whole ones, and those that come in pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from omoide.wire.blocks import fields_of


def messages_in(answer: Any) -> list[Any]:
    """The messages of a whole answer: of a chat completion, a response, or Claude's message, or of
    one of these that an SDK gives raw; nothing of what is none of them.
    """
    http = getattr(answer, "http_response", None)
    if http is not None and http.is_closed:  # else its body is the caller's to read
        answer = answer.parse()
    if choices := getattr(answer, "choices", None):
        return [choices[0].message]
    if (output := getattr(answer, "output", None)) is not None:
        return [item for item in output if getattr(item, "type", "") != "reasoning"]
    return [answer] if getattr(answer, "role", None) == "assistant" else []


@dataclass(slots=True)
class Pieces:
    """The pieces of a streamed answer, put together."""

    texts: dict[int, str] = field(default_factory=dict)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    whole: list[Any] = field(default_factory=list)

    def add(self, piece: Any) -> None:
        """Take in a chunk of a completion, or an event of Claude's or of a response."""
        if choices := getattr(piece, "choices", None):
            for choice in choices:
                if not choice.index and choice.delta:  # of several answers, the first
                    self._add_delta(choice.delta)
        match getattr(piece, "type", ""):
            case "content_block_start" if getattr(piece.content_block, "type", "") == "tool_use":
                block = piece.content_block
                self.calls[piece.index] = {"id": block.id, "name": block.name, "given": ""}
            case "content_block_delta":
                self._add_block(piece.index, piece.delta)
            case "response.output_text.delta":
                self._say(piece.output_index, piece.delta)
            case "response.output_item.done" if getattr(piece.item, "type", "") == "function_call":
                item = piece.item
                call = {"id": item.call_id, "name": item.name, "given": item.arguments}
                self.calls[piece.output_index] = call
            case "response.completed" | "response.incomplete":
                self.whole = messages_in(piece.response)

    @property
    def messages(self) -> list[Any]:
        """What was said so far; nothing where that is nothing."""
        if self.whole:
            return self.whole
        text = "".join(self.texts[n] for n in sorted(self.texts))
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["given"] or "{}"},
            }
            for _, call in sorted(self.calls.items())
        ]
        said: dict[str, Any] = {"role": "assistant", "content": text}
        return [said | ({"tool_calls": calls} if calls else {})] if text or calls else []

    def _say(self, place: int, text: str) -> None:
        self.texts[place] = self.texts.get(place, "") + text

    def _add_delta(self, delta: Any) -> None:
        """A delta of a chat completion."""
        self._say(0, delta.content or "")
        for call in delta.tool_calls or ():
            told = self.calls.setdefault(call.index, {"id": "", "name": "", "given": ""})
            called = call.function
            told["id"] = told["id"] or call.id or ""
            told["name"] += (called.name or "") if called else ""
            told["given"] += (called.arguments or "") if called else ""

    def _add_block(self, index: int, delta: Any) -> None:
        """A delta of one of Claude's blocks."""
        if delta.type == "text_delta":
            self._say(index, delta.text)
        elif delta.type == "input_json_delta" and index in self.calls:
            self.calls[index]["given"] += delta.partial_json


def without_parsed(message: Any) -> Any:
    """A message without what an SDK parsed of it: that repeats its words."""
    fields = fields_of(message)
    if fields is None:
        return message
    return {
        name: value for name, value in fields.items() if name not in ("parsed", "parsed_output")
    }
