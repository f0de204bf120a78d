"""The proxy before a service of this machine: what the service is asked, what the client gets, and
what memory holds after.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.scope import Scope
from omoide.proxy import Proxy
from omoide.proxy.headers import base_of
from tests.fix_llm_server import openai_says
from tests.surfaces.test_wrap import CLAUDE, RESPONSE, claude_events, response_events

httpx2 = pytest.importorskip("httpx2")
openai = pytest.importorskip("openai")

KEY = "sk-the-clients-own-key-0123456789"
ANA, BEN = {"X-Omoide-User": "ana"}, {"X-Omoide-User": "ben"}
HELLO = {"messages": [{"role": "user", "content": "Hello"}]}
CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


def chunk(text: str, index: int = 0) -> bytes:
    """An event of a streamed completion."""
    choice = {"index": index, "delta": {"content": text}, "finish_reason": None}
    return f"data: {json.dumps(CHUNK | {'choices': [choice]})}\r\n\r\n".encode()


class Service(ThreadingHTTPServer):
    """A service with OpenAI's interface: it keeps what it is asked, and answers as it is told."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.status, self.answer = 200, openai_says("It is red.")
        self.events = [chunk("It is "), chunk("red."), b"data: [DONE]\n\n"]
        self.may_end, self.breaks_off = threading.Event(), False
        self.may_end.set()

    @property
    def told(self) -> str:
        """All messages of the last request, as text."""
        return json.dumps(self.asked[-1]["messages"])


class _Handler(BaseHTTPRequestHandler):
    server: Service
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._note()
        self._send({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def do_POST(self) -> None:
        self._note()
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        is_packed = self.headers.get("Content-Encoding") == "gzip"
        body = json.loads(gzip.decompress(sent) if is_packed else sent)
        self.server.asked.append(body)
        self._stream() if body.get("stream") else self._send(self.server.answer)

    do_PUT = do_PATCH = do_POST

    def _note(self) -> None:
        self.server.paths.append(self.path)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})

    def _send(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in self.server.events:
            for piece in (event[:9], event[9:]):  # an event may break off anywhere
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.flush()
            self.server.may_end.wait(20)
        if not self.server.breaks_off:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    """The server at work."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        with server:
            yield
            server.shutdown()
    finally:
        thread.join()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A service; nothing else stands between."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    running = Service()
    with serving(running):
        yield running


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of nobody in particular."""
    with Memory.open(tmp_path / "memory.db", background=False) as opened:
        yield opened


@pytest.fixture
def proxy(service: Service, memory: Memory) -> Iterator[Proxy]:
    """The proxy; requests without a user are Ana's."""
    running = Proxy(memory, service.url, port=0, scope=Scope(user="ana"))
    with serving(running):
        yield running


@contextmanager
def client(proxy: Proxy | str) -> Iterator[Any]:
    """The client of the SDK, whose base URL is the proxy's."""
    url = proxy if isinstance(proxy, str) else proxy.url
    with openai.OpenAI(api_key=KEY, base_url=url, max_retries=0) as made:
        yield made


def say(proxy: Proxy | str, *words: str, **more: Any) -> Any:
    """Ask for a completion with the SDK: the user's and the model's words by turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(words)]
    with client(proxy) as sdk:
        answer = sdk.chat.completions.create(model="m", messages=messages, **more)
        return list(answer) if more.get("stream") else answer


def post(proxy: Proxy, body: Any, **headers: str | bytes) -> Any:
    """A request without the SDK."""
    usual = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    return httpx2.post(
        f"{proxy.url}/chat/completions", content=json.dumps(body), headers=usual | headers
    )


def logged(memory: Memory, user: str) -> list[tuple[str, str]]:
    """All that was logged of a user's sessions: roles and words."""
    mine = memory.at(user=user)
    return [
        (turn.role.value, turn.text)
        for session in mine.sessions.list()
        for turn in mine.sessions.turns(session.session.name)
    ]


def test_an_exchange_is_remembered_by_the_next_process(
    service: Service, tmp_path: Path, memory: Memory, proxy: Proxy
) -> None:
    """What a client of the real SDK said stands in the prompt that another process makes of the
    same store.
    """
    answer = say(proxy, "I bought a red bicycle.", extra_headers=ANA)
    assert answer.choices[0].message.content == "It is red."
    assert logged(memory, "ana") == [
        ("user", "I bought a red bicycle."),
        ("assistant", "It is red."),
    ]

    program = (
        "import sys; from omoide import Memory; "
        "m = Memory.open(sys.argv[1], user='ana', background=False); "
        "print(m.context('Which bicycle do I have?').text); m.close()"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "memory.db")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "red bicycle" in told.stdout
    say(proxy, "Which bicycle do I have?", extra_headers=ANA)
    assert "red bicycle" in service.told


def test_the_request_is_the_clients_own_but_for_context(service: Service, proxy: Proxy) -> None:
    """Model, settings and the user's words arrive; context stands in a system message and before
    the words.
    """
    say(proxy, "Hello", temperature=0.25, seed=7)

    asked = service.asked[-1]
    assert (asked["model"], asked["temperature"], asked["seed"]) == ("m", 0.25, 7)
    assert [one["role"] for one in asked["messages"]] == ["system", "user"]
    assert asked["messages"][-1]["content"].endswith("\n\nHello")


def test_an_answer_streams_through_and_is_logged(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """The client has the first piece before the service made the last, and the answer is logged by
    the time that the client has it.
    """
    service.may_end.clear()
    with client(proxy) as sdk:
        stream = sdk.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Which colour?"}], stream=True
        )
        first = next(stream).choices[0].delta.content
        service.may_end.set()
        rest = "".join(piece.choices[0].delta.content for piece in stream)

    assert (first, rest) == ("It is ", "red.")
    assert logged(memory, "ana") == [("user", "Which colour?"), ("assistant", "It is red.")]


def test_of_several_streamed_answers_the_first_is_logged(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """Pieces of the second answer are not mixed into it."""
    service.events = [chunk("Red."), chunk("Blue.", 1), b"data: [DONE]\n\n"]

    say(proxy, "Which colour?", n=2, stream=True)

    assert logged(memory, "ana")[1:] == [("assistant", "Red.")]


def test_a_stream_that_breaks_off_is_an_error_and_its_words_are_logged(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """The client sees that the answer is not whole."""
    service.events, service.breaks_off = [chunk("It is ")], True

    with pytest.raises((openai.APIError, httpx2.HTTPError)):
        say(proxy, "Which colour?", stream=True)

    assert logged(memory, "ana") == [("user", "Which colour?"), ("assistant", "It is ")]


@pytest.mark.parametrize("by", ["header", "field"])
def test_users_never_see_each_others_memory(service: Service, proxy: Proxy, by: str) -> None:
    """What Ana said is in her prompts alone, whether header or field names the user."""

    def named(user: str) -> dict[str, Any]:
        return {"extra_headers": {"X-Omoide-User": user}} if by == "header" else {"user": user}

    say(proxy, "My bicycle is red.", **named("ana"))
    say(proxy, "Which colour is my bicycle?", **named("ben"))
    assert "bicycle is red" not in service.told

    say(proxy, "Which colour is my bicycle?", **named("ana"))
    assert "bicycle is red" in service.told


def test_without_a_user_memory_is_the_default_users(memory: Memory, proxy: Proxy) -> None:
    """The settings say who that is."""
    say(proxy, "Hello")

    assert logged(memory, "ana")
    assert not logged(memory, "ben")


def test_the_header_goes_before_the_field(memory: Memory, proxy: Proxy) -> None:
    """An application that sends a user of its own can be given another."""
    say(proxy, "Hello", user="ana", extra_headers=BEN)

    assert not logged(memory, "ana")
    assert logged(memory, "ben")


@pytest.mark.parametrize("user", [7, ["ana"], "a\nb", "x" * 5_000])
def test_who_cannot_be_a_user_gets_nobodys_memory(
    service: Service, memory: Memory, proxy: Proxy, user: object
) -> None:
    """The request passes unchanged, and is not taken for the default user's."""
    say(proxy, "My bicycle is red.")
    body = {"messages": [{"role": "user", "content": "my bicycle"}], "user": user}

    answer = post(proxy, body)

    assert (answer.status_code, answer.headers["X-Omoide-Memory"]) == (200, "failed")
    assert service.asked[-1] == body
    assert len(logged(memory, "ana")) == 2


def test_names_of_users_may_be_of_any_script(memory: Memory, proxy: Proxy) -> None:
    """A header is read as UTF-8."""
    post(proxy, HELLO, **{"X-Omoide-User": "Zoë".encode()})

    assert logged(memory, "Zoë")


def test_a_session_is_named_by_the_header_or_by_its_first_words(
    memory: Memory, proxy: Proxy
) -> None:
    """A conversation that goes on is one session; its messages are logged once."""
    say(proxy, "Hello")
    say(proxy, "Hello", "It is red.", "And the bell?")
    say(proxy, "Good evening")
    say(proxy, "Hello", extra_headers={"X-Omoide-Session": "evening"})

    mine = memory.at(user="ana")
    sessions = {session.session.name for session in mine.sessions.list()}
    (first,) = [name for name in sessions if len(mine.sessions.turns(name)) == 4]
    assert (len(sessions), "evening" in sessions) == (3, True)
    assert [turn.text for turn in mine.sessions.turns(first)] == [
        "Hello",
        "It is red.",
        "And the bell?",
        "It is red.",
    ]


def test_a_conversation_that_begins_like_an_earlier_one_remembers_it(
    service: Service, proxy: Proxy
) -> None:
    """The earlier one is not in the request, so it is in the context."""
    say(proxy, "What is my bicycle like?", "Tell me.", "My bicycle is red.")
    say(proxy, "What is my bicycle like?")
    assert "bicycle is red" in service.told


def test_a_client_that_sends_its_last_messages_is_told_the_first_ones(
    service: Service, proxy: Proxy
) -> None:
    """What a window leaves out of the request comes from memory."""
    evening = {"extra_headers": {"X-Omoide-Session": "evening"}}
    say(proxy, "My locker at the pool is the green one", **evening)
    say(proxy, "And the bell?", "It is red.", "Which locker at the pool is mine?", **evening)

    assert "My locker at the pool is the green one" in service.told


def test_memory_that_fails_costs_nobody_an_answer(
    service: Service, memory: Memory, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    """The request passes unchanged, streamed or not, and the warning has no text of it."""
    memory.close()
    with caplog.at_level(logging.DEBUG):
        answer = say(proxy, "My secret garden")
        pieces = say(proxy, "My secret garden", stream=True)

    assert answer.choices[0].message.content == "It is red."
    assert len(pieces) == 2
    assert [one["messages"] for one in service.asked] == [
        [{"role": "user", "content": "My secret garden"}]
    ] * 2
    assert "memory_failed" in caplog.text
    assert "garden" not in "".join(
        record.getMessage() for record in caplog.records if record.name.startswith("omoide")
    )


def test_an_answer_that_cannot_be_read_is_passed_as_it_is(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """It is not logged, but what the user said is."""
    service.answer = {"choices": "none"}

    answer = post(proxy, HELLO)

    assert answer.json() == {"choices": "none"}
    assert logged(memory, "ana") == [("user", "Hello")]


def test_a_request_that_cannot_be_read_is_the_services_to_refuse(
    service: Service, proxy: Proxy
) -> None:
    """It arrives as it was sent."""
    service.status = 400
    for body in ({"messages": "Hello"}, {"messages": ["Hello"]}, {}):
        assert post(proxy, body).status_code == 400
        assert service.asked[-1] == body


def test_a_packed_request_arrives_as_it_was_sent(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """Memory cannot read it, which a header says; the service can."""
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    body = gzip.compress(json.dumps(HELLO).encode())

    answer = httpx2.post(f"{proxy.url}/chat/completions", content=body, headers=headers)

    assert answer.json() == service.answer
    assert answer.headers["X-Omoide-Memory"] == "failed"
    assert service.asked == [HELLO]


def test_the_key_is_passed_on_and_nowhere_else(
    service: Service, memory: Memory, proxy: Proxy, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The service gets the client's own, and no header of Omoide's; neither store nor log has it."""
    with caplog.at_level(logging.DEBUG):
        say(proxy, "Hello", extra_headers=ANA | {"X-Omoide-Session": "s"})
    memory.close()

    seen = service.headers[-1]
    assert seen["authorization"] == f"Bearer {KEY}"
    assert not [name for name in seen if name.startswith("x-omoide")]
    assert KEY not in caplog.text
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert b"Hello" in kept
    assert KEY.encode() not in kept


def test_no_key_is_added(service: Service, proxy: Proxy) -> None:
    """A request without a key arrives without one."""
    httpx2.get(f"{proxy.url}/models")

    assert "authorization" not in service.headers[-1]


def test_what_else_the_service_has_passes(service: Service, memory: Memory, proxy: Proxy) -> None:
    """Models are listed, queries arrive, and nothing of it is remembered."""
    with client(proxy) as sdk:
        assert [model.id for model in sdk.models.list()] == ["m"]
    httpx2.get(f"{proxy.url}/files?limit=2")
    httpx2.post(f"{proxy.url}/embeddings", json={"input": "Hello"})
    httpx2.put(f"{proxy.url}/notes", json={"text": "Hello"})
    httpx2.patch(f"{proxy.url}/notes", json={"text": "Hello"})

    assert service.paths[:2] == ["/v1/models", "/v1/files?limit=2"]
    assert service.paths[2:] == ["/v1/embeddings", "/v1/notes", "/v1/notes"]
    assert service.asked == [{"input": "Hello"}, {"text": "Hello"}, {"text": "Hello"}]
    assert not logged(memory, "ana")


def test_errors_of_the_service_pass_and_are_no_answers(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """The SDK raises what it would raise without the proxy."""
    service.status, service.answer = 401, {"error": {"message": "wrong key"}}

    with pytest.raises(openai.AuthenticationError, match="wrong key"):
        say(proxy, "Hello")

    assert logged(memory, "ana") == [("user", "Hello")]


def test_a_service_that_is_down_is_a_bad_gateway(memory: Memory) -> None:
    """The error names the address, in the form of the service's own errors."""
    running = Proxy(memory, "http://127.0.0.1:9", port=0, scope=Scope(user="ana"))
    with serving(running):
        answer = post(running, HELLO)

    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "upstream_unreachable"
    assert "127.0.0.1:9" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_web_pages_cannot_use_it(
    service: Service, memory: Memory, proxy: Proxy, headers: dict[str, str], status: int
) -> None:
    """A page that has this machine's address under its own name, or posts without asking first, is
    refused; nothing is passed on or remembered.
    """
    answer = post(proxy, HELLO, **headers)

    assert answer.status_code == status
    assert not service.asked
    assert not logged(memory, "ana")


def test_a_path_outside_the_interface_is_not_found(service: Service, proxy: Proxy) -> None:
    """The proxy is for one service's interface."""
    assert httpx2.get(proxy.url.removesuffix("/v1") + "/admin").status_code == 404
    assert not service.paths


@pytest.mark.parametrize("path", ["/v1/../admin", "/v1/%2e%2e/admin", "/v1/a/..%2f../admin"])
def test_no_path_climbs_out_of_the_interface(path: str, service: Service, proxy: Proxy) -> None:
    """However the way up is written; clients of HTTP would walk it."""
    host, port = proxy.server_address[:2]
    line = HTTPConnection(str(host), int(port), timeout=10)
    line.request("GET", path)

    assert line.getresponse().status == 404
    line.close()
    assert not service.paths


@pytest.mark.parametrize("path", ["//chat/completions", "/chat/completions/"])
def test_a_path_that_is_joined_carelessly_gets_memory(
    path: str, service: Service, memory: Memory, proxy: Proxy
) -> None:
    """Doubled slashes and one at the end mean the same interface; the service gets its own path."""
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "I have a car"}]})
    httpx2.post(
        f"{proxy.url}{path}", content=body, headers={"Content-Type": "application/json", **ANA}
    )

    assert service.paths == [f"/v1{path}"]
    assert ("user", "I have a car") in logged(memory, "ana")


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
    ],
)
def test_the_service_is_named_as_to_an_sdk(given: str, base: str) -> None:
    """An address without a path has the usual one."""
    assert base_of(given) == base


@pytest.mark.parametrize(
    "given", ["", "api.openai.com", "ftp://x/v1", "https://me:key@x/v1", "https://x/v1?key=1"]
)
def test_what_is_no_service_is_refused(given: str) -> None:
    """The error says what an address looks like."""
    with pytest.raises(InvalidInput, match=r"api\.openai\.com"):
        base_of(given)


def test_the_command_serves_until_it_is_stopped(service: Service, tmp_path: Path) -> None:
    """Any client gets memory by its base URL, a second process has what the first one learnt, and
    the key of the client is in no output.
    """
    for words in ("I bought a red bicycle.", "Which bicycle do I have?"):
        command = [sys.executable, "-m", "omoide", "--store", str(tmp_path / "m.db"), "proxy"]
        running = subprocess.Popen(
            [*command, "--upstream", service.url, "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMOIDE_USER": "ana"},
        )
        try:
            assert running.stderr is not None
            line = running.stderr.readline()
            while " passes on to " not in line:
                assert line, "it ended"
                line = running.stderr.readline()
            say(line.split()[0], words)
        finally:
            running.send_signal(signal.SIGTERM)
            _, told = running.communicate(timeout=30)
        assert (running.returncode, KEY in told) == (0, False)

    assert "red bicycle" in service.told


def test_a_body_has_a_length_within_reason(service: Service, proxy: Proxy) -> None:
    """One that is too long, or does not say how long it is, is refused before it is read."""
    for headers, status in (
        ({"Content-Length": "99999999999"}, 413),
        ({"Content-Length": "-1"}, 411),
        ({"Content-Length": "9" * 5_000}, 411),
        ({"Content-Length": "5", "content-length": "50"}, 411),
        ({"Transfer-Encoding": "chunked"}, 411),
    ):
        host, port = proxy.server_address[:2]
        line = HTTPConnection(str(host), int(port), timeout=10)
        line.putrequest("POST", "/v1/chat/completions")
        for name, value in {"Content-Type": "application/json", **headers}.items():
            line.putheader(name, value)
        line.endheaders()
        assert line.getresponse().status == status
        line.close()
    assert not service.paths


QUESTION = "Which bicycle do I have?"
SPOKEN: dict[
    str, Any
] = {  # how each interface is asked by its own SDK's request, and answers whole and streamed
    "/messages": (
        {"max_tokens": 9, "messages": [{"role": "user", "content": QUESTION}]},
        CLAUDE,
        claude_events,
    ),
    "/responses": ({"input": QUESTION}, RESPONSE, response_events),
}


def ask_at(proxy: Proxy, path: str, more: dict[str, Any], **headers: str) -> Any:
    """A request to one of the interfaces."""
    body = json.dumps({"model": "m"} | SPOKEN[path][0] | more)
    usual = {"Content-Type": "application/json", "X-Api-Key": KEY}
    return httpx2.post(f"{proxy.url}{path}?beta=true", content=body, headers=usual | headers)


@pytest.mark.parametrize("path", SPOKEN)
@pytest.mark.parametrize("streamed", [False, True])
def test_every_interface_of_a_model_gets_memory(
    path: str, streamed: bool, service: Service, memory: Memory, proxy: Proxy
) -> None:
    """Messages of Anthropic's and responses of OpenAI's are given context and logged, streamed ones
    too; of one user only.
    """
    say(proxy, "I bought a red bicycle.", extra_headers=ANA)
    say(proxy, "I bought a blue car.", extra_headers=BEN)
    service.answer = SPOKEN[path][1]
    lines = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in SPOKEN[path][2]())
    service.events = [line.encode() for line in lines]

    answer = ask_at(proxy, path, {"stream": True} if streamed else {}, **ANA)

    asked = json.dumps(service.asked[-1])
    assert "It is red." in answer.text
    assert answer.headers["X-Omoide-Memory"] == "on"
    assert "I bought a red bicycle." in asked
    assert "blue car" not in asked
    assert service.headers[-1]["x-api-key"] == KEY
    assert logged(memory, "ana")[:2] == [("user", QUESTION), ("assistant", "It is red.")]


def test_a_response_that_breaks_off_is_logged_as_far_as_it_came(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """With what it called by then; as a broken completion is."""
    spoken = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0}
    call = {"type": "function_call", "call_id": "c1", "name": "paint", "arguments": "{}"}
    events = [
        *(spoken | {"delta": piece} for piece in ("It is ", "red")),
        {"type": "response.output_item.done", "output_index": 1, "item": call},
    ]
    service.events = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    service.breaks_off = True

    with pytest.raises(httpx2.HTTPError):
        ask_at(proxy, "/responses", {"stream": True}, **ANA)

    said = logged(memory, "ana")
    assert said[:2] == [("user", QUESTION), ("assistant", "It is red")]
    assert any(role == "tool" and "paint" in text for role, text in said[2:])


def test_an_event_that_cannot_be_read_costs_no_other(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """However many events come in one piece."""
    odd = b"data: {\n\ndata: [7]\n\n"
    service.events = [chunk("It is ") + odd + chunk("red."), b"data: [DONE]\n\n"]

    body = json.dumps(HELLO | {"model": "m", "stream": True})
    headers = {"Content-Type": "application/json"} | ANA
    httpx2.post(f"{proxy.url}/chat/completions", content=body, headers=headers)

    assert logged(memory, "ana")[1:] == [("assistant", "It is red.")]


def test_the_user_of_a_message_is_its_own(service: Service, memory: Memory, proxy: Proxy) -> None:
    """Where no header names one, Anthropic's field does; what is no name gets nobody's memory."""
    service.answer = CLAUDE
    for user in ("ben", 7):
        answer = ask_at(proxy, "/messages", {"metadata": {"user_id": user}})
        assert answer.headers["X-Omoide-Memory"] == ("on" if user == "ben" else "failed")

    assert logged(memory, "ben") == [("user", QUESTION), ("assistant", "It is red.")]
    assert logged(memory, "ana") == []


def test_a_response_that_goes_on_is_of_its_conversation(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """All that is said in one conversation of the service is one session."""
    service.answer = RESPONSE
    for words in ("My name is Ana.", QUESTION):
        ask_at(proxy, "/responses", {"input": words, "conversation": "conv_1"})

    assert len(memory.at(user="ana").sessions.list()) == 1
    assert [said for role, said in logged(memory, "ana") if role == "user"] == [
        "My name is Ana.",
        QUESTION,
    ]


def test_counting_tokens_passes_without_memory(
    service: Service, memory: Memory, proxy: Proxy
) -> None:
    """It is no exchange with a model."""
    service.answer = {"input_tokens": 3}
    body = json.dumps({"model": "m"} | SPOKEN["/messages"][0])
    usual = {"Content-Type": "application/json"}
    answer = httpx2.post(f"{proxy.url}/messages/count_tokens", content=body, headers=usual)

    assert answer.json() == {"input_tokens": 3}
    assert service.asked[-1]["messages"] == [{"role": "user", "content": QUESTION}]
    assert logged(memory, "ana") == []
