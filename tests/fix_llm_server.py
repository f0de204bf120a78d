"""A server on this machine that speaks the languages of the providers, and answers as a test tells
it to.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Body = dict[str, Any]
ANSWER = '{"items": []}'


def openai_says(text: str | None = ANSWER, *, finish: str = "stop", **message: Any) -> Body:
    """A chat completion."""
    said = {"role": "assistant", "content": text, **message}
    choices = [{"index": 0, "message": said, "finish_reason": finish}]
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": choices,
        "usage": usage,
    }


def anthropic_says(
    text: str = ANSWER, *, finish: str = "end_turn", tool: Body | None = None
) -> Body:
    """A message, of text or of a tool's call."""
    content = (
        [{"type": "tool_use", "id": "t1", "name": "answer", "input": tool}]
        if tool is not None
        else [{"type": "text", "text": text}]
    )
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-6",
        "content": content,
        "stop_reason": finish,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


def anthropic_streams(text: str) -> str:
    """The same as server-sent events."""
    empty = anthropic_says() | {"content": [], "stop_reason": None}
    block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[Body] = [
        {"type": "message_start", "message": empty},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)


def google_says(text: str = ANSWER, *, finish: str = "STOP", **content: Any) -> Body:
    """Candidates."""
    candidate = {
        "content": {"role": "model", "parts": [{"text": text}]},
        "finishReason": finish,
        **content,
    }
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-flash"}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server sends. cut: it breaks off in the middle."""

    body: Body | str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A request that arrived."""

    path: str
    headers: dict[str, str]  # lower case
    body: Body


class LLMServer(ThreadingHTTPServer):
    """Answers as told, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.respond: Callable[[Seen], Reply] = lambda seen: Reply(body=openai_says())
        self.seen: list[Seen] = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def says(self, body: Body | str, **more: Any) -> None:
        """Always this."""
        self.respond = lambda seen: Reply(body=body, **more)

    def handle_error(self, request: object, client_address: object) -> None:
        """Silent: a client that did not wait is one of the cases."""


class _Handler(BaseHTTPRequestHandler):
    server: LLMServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        seen = Seen(
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )
        self.server.seen.append(seen)
        reply = self.server.respond(seen)
        data = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
        self.send_response(reply.status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **reply.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if reply.cut else data)
        self.close_connection = self.close_connection or reply.cut

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def llm_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    """A running server; no proxy stands between."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with LLMServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()
