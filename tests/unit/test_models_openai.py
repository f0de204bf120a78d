"""The OpenAI-compatible embedder against a small server on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from omoide.models import Embedder, checked, load_embedder
from omoide.models.embedders.fake import FakeEmbedder
from omoide.nouns.errors import BadVector, InvalidInput, ModelError, ModelMissing, ModelUnreachable

pytest.importorskip("httpx2")
from omoide.models.embedders.openai import OpenAIEmbedder

SECRET = "sk-test-4711-never-shown"
Answer = tuple[int, dict[str, str], str]  # status, headers, body
Respond = Callable[[int, list[str]], Answer]  # number of the request from 0, its texts


def vectors(texts: list[str]) -> list[dict[str, Any]]:
    """The entries of a good answer."""
    rows = FakeEmbedder(8).embed(texts).astype(float).tolist()
    return [
        {"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)
    ]


def good(entries: list[dict[str, Any]]) -> Answer:
    """A good answer with these entries."""
    return 200, {}, json.dumps({"data": entries})


class Server(ThreadingHTTPServer):
    """Answers embedding requests as told, and remembers them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.respond: Respond = lambda number, texts: good(vectors(texts))
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.waits: list[float] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def embedder(self, **options: Any) -> OpenAIEmbedder:
        """An embedder of this server that notes its waits instead of sleeping."""
        return OpenAIEmbedder("embed-x", base_url=self.url, wait=self.waits.append, **options)

    def handle_error(self, request: object, client_address: object) -> None:
        """Silent: a client that did not wait is one of the cases."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = len(self.server.requests)
        self.server.requests.append({"path": self.path, **body})
        self.server.keys.append(self.headers["Authorization"])
        status, headers, text = self.server.respond(number, body["input"])
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text.encode())), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@contextmanager
def connected(server: Server, **options: Any) -> Iterator[OpenAIEmbedder]:
    """An embedder that passed its probe, the probe forgotten."""
    with closing(server.embedder(**options)) as embedder:
        server.requests.clear()
        yield embedder


def test_texts_become_vectors_in_one_request(server: Server) -> None:
    """The width is the server's, the rows are the server's scaled, and the call is the documented
    one.
    """
    with connected(server) as embedder:
        rows = checked(embedder, ["a cat", "東京", "\ud800"[:0]])

        assert isinstance(embedder, Embedder)
        assert embedder.dimension == 8
        assert np.allclose(rows, FakeEmbedder(8).embed(["a cat", "東京", ""]), atol=1e-6)
        assert server.requests == [
            {"path": "/v1/embeddings", "model": "embed-x", "input": ["a cat", "東京", ""]}
        ]
        assert embedder.embed([]).shape == (0, 8)


@pytest.mark.covers("SO-16")
def test_the_width_is_what_the_server_gives(server: Server) -> None:
    """Measured by one probe when the embedder is made; another width later is an error, not a
    vector.
    """
    with closing(server.embedder()) as embedder:
        assert len(server.requests) == 1
        server.respond = lambda number, texts: good(
            [{"index": index, "embedding": [1.0] * 5} for index in range(len(texts))]
        )

        with pytest.raises(BadVector, match="expected"):
            checked(embedder, ["a"])


def test_rows_come_back_in_the_order_of_the_texts(server: Server) -> None:
    """The index decides, not the order of the answer."""
    server.respond = lambda number, texts: good(vectors(texts)[::-1])
    with connected(server) as embedder:
        assert np.allclose(
            embedder.embed(["a", "b", "c"]), FakeEmbedder(8).embed(["a", "b", "c"]), atol=1e-6
        )


def test_many_texts_go_in_several_requests(server: Server) -> None:
    """No request is larger than servers take, and the order holds across requests."""
    texts = [f"text {number}" for number in range(300)]
    with connected(server) as embedder:
        rows = embedder.embed(texts)

        assert [len(request["input"]) for request in server.requests] == [256, 44]
        assert np.allclose(rows, FakeEmbedder(8).embed(texts), atol=1e-6)


def test_a_long_text_is_sent_in_pieces(server: Server) -> None:
    """What the model cannot read at once is neither refused nor cut: it has one vector."""
    with connected(server, piece_bytes=20) as embedder:
        assert embedder.embed(["word " * 10, "short"]).shape == (2, 8)
        assert "".join(server.requests[0]["input"]) == "word " * 10 + "short"
        assert max(len(piece) for piece in server.requests[0]["input"]) <= 20


def refusing(limit: int, status: int = 400, told: str = "too long") -> Respond:
    """A server that refuses a request with any text of more than so many characters."""

    def respond(number: int, texts: list[str]) -> Answer:
        longest = max(map(len, texts))
        if longest <= limit:
            return good(vectors(texts))
        return status, {}, json.dumps({"error": {"message": told.format(limit, longest)}})

    return respond


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "too long"),
        (413, ""),
        (422, "inputs must have less than {} tokens. Given: {}"),
        (500, "input ({1} tokens) is too large to process"),
    ],
)
def test_a_text_that_is_refused_leaves_the_others_alone(
    server: Server, status: int, told: str
) -> None:
    """The culprit is found and read in pieces; the vectors of the others are their own."""
    texts = [f"text {number}" for number in range(9)]
    texts[5] = "abcdefgh" * 40
    texts[7] = "this is too large to process"
    with connected(server) as embedder:
        server.respond = refusing(100, status, told)

        rows = embedder.embed(texts)

        assert "".join(server.requests[-1]["input"]) == texts[5]
        others = [n for n in range(9) if n != 5]
        assert np.allclose(
            rows[others], FakeEmbedder(8).embed([texts[n] for n in others]), atol=1e-6
        )
        assert server.waits == []


@pytest.mark.parametrize(
    "told",
    [
        "maximum context length is {0} tokens, however you requested {1} tokens",
        "request ({1} tokens) exceeds the available context size ({0} tokens)",
        "Input must have less than {0} tokens. Given: {1}",
    ],
)
def test_the_limit_that_a_server_states_is_used(server: Server, told: str) -> None:
    """Refused once, it is read whole in pieces; later texts are sent in pieces at once."""
    with connected(server) as embedder:
        server.respond = refusing(100, told=told)

        assert embedder.embed(["abcdefgh" * 100]).shape == (1, 8)
        assert [len(request["input"][0]) for request in server.requests] == [800, 95, 95]
        assert "".join(server.requests[2]["input"]) == "abcdefgh" * 100
        assert embedder.input_bytes == 95

        embedder.embed(["hgfedcba" * 50])
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    "told", ["", "limit of {0} tokens", "limit of 9 tokens, not of 10", "limit of 1 until 20261129"]
)
def test_a_limit_that_is_none_does_not_keep_a_text_from_being_shortened(
    server: Server, told: str
) -> None:
    """Whatever a server says, it is asked a few times at most."""
    with connected(server) as embedder:
        server.respond = refusing(40, told=told)

        assert embedder.embed(["abcdefgh" * 100]).shape == (1, 8)
        assert len(server.requests) <= 8
        assert len(server.requests[-1]["input"][0]) > 20


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_server_that_refuses_all_is_given_up_on(server: Server, status: int) -> None:
    """When even a short piece is refused, with few requests and the server's own words."""
    with connected(server) as embedder:
        server.respond = refusing(0, status, "no such thing")

        with pytest.raises(ModelError, match=f"HTTP {status}: no such thing"):
            embedder.embed(["abcdefgh" * 100] * 64)
        assert len(server.requests) < 15


@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_trouble_is_waited_out(server: Server, status: int) -> None:
    """Two failures, then an answer: the caller sees only the answer. The waits double."""
    with connected(server) as embedder:
        server.respond = lambda number, texts: (
            (status, {}, "busy") if number < 2 else good(vectors(texts))
        )

        assert embedder.embed(["a"]).shape == (1, 8)
        assert server.waits == [0.5, 1.0]


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:09 GMT"}, 0.5),
        ({"Retry-After": "soon"}, 0.5),
        ({"Retry-After": "nan"}, 0.5),
        ({"Retry-After": "-3"}, 0.5),
    ],
)
def test_the_server_says_how_long_to_wait(
    server: Server, headers: dict[str, str], wait: float
) -> None:
    """Retry-After counts where it can be read; else the usual wait."""
    with connected(server) as embedder:
        server.respond = lambda number, texts: (
            (429, headers, "") if number == 0 else good(vectors(texts))
        )

        assert embedder.embed(["a"]).shape == (1, 8)
        assert server.waits == [wait]


@pytest.mark.covers("GM-44", "LS-74")
def test_a_server_that_keeps_failing_is_an_error(server: Server) -> None:
    """After the allowed attempts a ModelError, also a RuntimeError, says what the server said."""
    with connected(server, attempts=3) as embedder:
        server.respond = lambda number, texts: (500, {}, "boom")

        with pytest.raises(RuntimeError, match="HTTP 500, after 3 attempts"):
            embedder.embed(["a"])
        assert len(server.requests) == 3


def test_a_wait_of_an_hour_is_not_waited(server: Server) -> None:
    """A server that wants a long pause is given up on at once, so that the work can be tried
    later.
    """
    with connected(server) as embedder:
        server.respond = lambda number, texts: (429, {"Retry-After": "3600"}, "")

        with pytest.raises(ModelError, match="HTTP 429"):
            embedder.embed(["a"])
        assert server.waits == []


@pytest.mark.covers("LS-74")
def test_a_refusal_is_not_repeated(server: Server) -> None:
    """A wrong key or text stays wrong: one request, and the server's code in the message."""
    with connected(server) as embedder:
        server.respond = lambda number, texts: (
            401,
            {},
            json.dumps({"error": {"code": "invalid_api_key", "message": "no " + SECRET}}),
        )

        with pytest.raises(ModelError, match=r"HTTP 401 \(invalid_api_key\)") as caught:
            embedder.embed(["a"])
        assert len(server.requests) == 1
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("status", [400, 404, 503])
def test_an_error_is_told_in_the_servers_own_words(server: Server, status: int) -> None:
    """Without what was sent."""
    body = json.dumps({"error": {"message": "batch of 'the cat Momo' is not for this pool"}})
    with connected(server, attempts=1) as embedder:
        server.respond = lambda number, texts: (status, {}, body)

        with pytest.raises(ModelError, match="batch of '…' is not for this pool"):
            embedder.embed(["the cat Momo"])


@pytest.mark.covers("GM-48")
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (404, "model 'embed-x' not found, try pulling it first", ModelMissing),
        (400, json.dumps({"error": {"code": "model_not_found"}}), ModelMissing),
        (503, "", ModelUnreachable),
        (403, "", ModelError),
    ],
)
def test_a_model_that_is_missing_is_told_from_a_server_that_is_down(
    server: Server, status: int, body: str, error: type[ModelError]
) -> None:
    """Each has another remedy; what is neither is a ModelError and no more."""
    with connected(server, attempts=1) as embedder:
        server.respond = lambda number, texts: (status, {}, body)

        with pytest.raises(ModelError) as caught:
            embedder.embed(["a"])
    assert type(caught.value) is error


@pytest.mark.covers("LS-74")
@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "[]",
        "null",
        '{"data": null}',
        '{"data": [1]}',
        '{"data": [{"embedding": [1.0]}]}',
        '{"data": []}',
        '{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]}',
        '{"data": [{"index": 7, "embedding": [1.0]}]}',
        '{"data": [{"index": 0, "embedding": [NaN]}]}',
        '{"data": [{"index": 0, "embedding": [null]}]}',
        '{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
        '{"data": [{"index": 0, "embedding": []}]}',
        '{"data": [{"index": 0, "embedding": "AAAA"}]}',
        '{"data": [{"index": 0, "embedding": null}]}',
        '{"data": [{"index": [], "embedding": [1.0]}]}',
    ],
)
def test_an_answer_that_is_no_answer_is_an_error(server: Server, body: str) -> None:
    """Bad JSON, another count, NaN, null or zero: a ModelError, and nothing to store."""
    with connected(server) as embedder:
        server.respond = lambda number, texts: (200, {}, body)

        with pytest.raises(ModelError, match="openai:embed-x"):
            embedder.embed(["a"])


def test_one_failed_request_of_several_gives_nothing(server: Server) -> None:
    """No half of a batch comes back."""
    with connected(server, attempts=1) as embedder:
        server.respond = lambda number, texts: (
            good(vectors(texts)) if number == 0 else (500, {}, "")
        )

        with pytest.raises(ModelError):
            embedder.embed([str(number) for number in range(300)])


@pytest.mark.covers("GM-44")
def test_an_unreachable_server_is_an_error(server: Server) -> None:
    """A connection refused is tried again, then told without the address."""
    with connected(server, attempts=2) as embedder:
        server.shutdown()
        server.server_close()
        embedder.close()

    with pytest.raises(ModelError, match="ConnectError, after 2 attempts"):
        server.embedder(attempts=2)
    assert server.waits == [0.5]


def test_a_hanging_server_is_left(server: Server) -> None:
    """An answer that does not come in time is a failure, not a hang."""
    held = threading.Event()
    with connected(server, attempts=1, timeout_s=0.1) as embedder:
        server.respond = lambda number, texts: (
            good(vectors(texts)) if held.wait(5) else (500, {}, "")
        )

        with pytest.raises(ModelError, match="ReadTimeout"):
            embedder.embed(["a"])
        held.set()


@pytest.mark.covers("AD-12")
def test_the_key_comes_from_the_named_variable_alone(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read at each request, so a changed key counts at once; in no attribute, id or message."""
    monkeypatch.setenv("MY_EMBEDDING_KEY", SECRET)
    with connected(server, api_key_env="MY_EMBEDDING_KEY", attempts=1) as embedder:
        assert server.keys == [f"Bearer {SECRET}"]
        monkeypatch.setenv("MY_EMBEDDING_KEY", "another")
        embedder.embed(["a"])
        assert server.keys[-1] == "Bearer another"

        assert SECRET not in repr(embedder) + repr(vars(embedder)) + embedder.id
        monkeypatch.delenv("MY_EMBEDDING_KEY")
        with pytest.raises(ModelError, match="MY_EMBEDDING_KEY holds no key"):
            embedder.embed(["a"])


@pytest.mark.covers("AD-12")
@pytest.mark.parametrize("key", ["a\nb", "clé", "  "])
def test_a_broken_key_is_told_without_the_key(
    server: Server, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """A key that cannot stand in a header is refused before it is sent, and not repeated in the
    message.
    """
    monkeypatch.setenv("MY_EMBEDDING_KEY", key)

    with pytest.raises(ModelError, match="holds no key") as caught:
        server.embedder(api_key_env="MY_EMBEDDING_KEY")
    assert key.strip() == "" or key not in str(caught.value)


@pytest.mark.covers("AD-12")
def test_openais_key_goes_to_openai_only(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default variable is for OpenAI's own address; another server gets a key only where one is
    named for it.
    """
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with connected(server):
        assert server.keys == [None]

    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ModelError, match="OPENAI_API_KEY holds no key"):
        OpenAIEmbedder("text-embedding-3-small")


@pytest.mark.covers("AD-12")
@pytest.mark.parametrize(
    "url",
    [
        "http://me:secret@host/v1",
        "ftp://host/v1",
        "host/v1",
        "https:///v1",
        "http://h/v1?key=x",
        "http://h\n/v1",
    ],
)
def test_an_address_with_a_password_is_refused(url: str) -> None:
    """The address stands in settings and ids, so it may hold no secret; and it is HTTP."""
    with pytest.raises(InvalidInput, match="base_url") as caught:
        OpenAIEmbedder("m", base_url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.covers("AD-11")
def test_a_local_server_is_chosen_by_name_and_address(server: Server) -> None:
    """Any compatible server is a setting away, and its id tells its vectors from others'."""
    loaded = load_embedder("openai:nomic-embed-text:latest", base_url=server.url, attempts=1)

    assert loaded is not None
    assert loaded.id == f"openai:nomic-embed-text:latest@127.0.0.1:{server.server_port}"
    assert server.requests[0]["model"] == "nomic-embed-text:latest"


def test_a_text_refused_for_its_words_teaches_no_limit(server: Server) -> None:
    """Others of its length are taken, so it alone is shortened."""

    def respond(number: int, texts: list[str]) -> Answer:
        if any("forbidden" in text for text in texts):
            return 400, {}, json.dumps({"error": {"message": "against the policy of the house"}})
        return good(vectors(texts))

    server.respond = respond
    with closing(server.embedder()) as embedder:
        embedder.embed(["a plain text", f"{'word ' * 30}forbidden"])

        assert embedder.input_bytes is None
