"""The server of the proxy: what it takes, where it sends it, and what it gives back."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from omoide.memory import Memory
from omoide.nouns.errors import MissingExtra
from omoide.nouns.scope import Scope
from omoide.proxy.exchange import SHAPES, Exchange
from omoide.proxy.headers import (
    DECODED,
    MEMORY,
    ROOT,
    base_of,
    climbs,
    interface_of,
    is_loopback,
    length_of,
    passed_on,
)
from omoide.telemetry.logs import get_logger

if TYPE_CHECKING:
    import httpx2

log = get_logger(__name__)
PORT = 8787
CONNECT_S, ANSWER_S = 10, 600  # how long a service is waited for
IDLE_S = 120  # a connection without a request is closed
BODY_BYTES = 64 * 1024 * 1024  # of a request
WITH_BODY = ("POST", "PUT", "PATCH")  # what is asked with a body


class Proxy(ThreadingHTTPServer):
    """Serves a service's interface under ``/v1`` with memory added.

    ``scope`` says whose memory a request without a user has; None: as the memory is bound.
    ``serve_forever`` serves until ``shutdown``; leaving a ``with`` block closes the port.

    Raises:
        InvalidInput: upstream is not a URL.
        MissingExtra: the client for HTTP is not installed.
        OSError: the port is taken.
    """

    daemon_threads = True

    def __init__(
        self,
        memory: Memory,
        upstream: str,
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        scope: Scope | None = None,
    ) -> None:
        try:
            import httpx2
        except ImportError:
            raise MissingExtra("the proxy", "proxy") from None
        self.upstream = base_of(upstream)
        self.memory, self.usual = memory, scope or memory.scope
        self.is_local = is_loopback(f"[{host}]" if ":" in host else host)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Client)
        self.client = httpx2.Client(timeout=httpx2.Timeout(ANSWER_S, connect=CONNECT_S))

    @property
    def url(self) -> str:
        """The base URL that clients are given."""
        host, port = self.server_address[:2]
        name = f"[{host!s}]" if self.address_family == socket.AF_INET6 else host
        return f"http://{name!s}:{port}{ROOT}"

    def server_close(self) -> None:
        """Close the port and the connections to the service."""
        super().server_close()
        if hasattr(self, "client"):
            self.client.close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Log that a request failed, without its text."""
        log.warning("request_failed", error=type(sys.exception()).__name__)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a request is not passed on."""

    status: int
    code: str
    why: str


class _Client(BaseHTTPRequestHandler):
    """One connection of a client."""

    server: Proxy
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def do_GET(self) -> None:
        self._pass()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Silent: a path may hold what somebody said."""

    def _pass(self) -> None:
        """Pass a request on, and its answer back."""
        import httpx2

        if refusal := self._refusal():
            self.close_connection = True  # its body was not read
            self._refuse(refusal)
            return
        body, exchange = self.rfile.read(self._length() or 0), self._exchange()
        body = body if exchange is None else exchange.begun(self.headers, body)
        try:
            answer = self.server.client.send(self._request(body), stream=True)
            try:
                self._answer(answer, exchange)
            finally:
                answer.close()
        except httpx2.HTTPError as error:
            self._unreachable(type(error).__name__)

    def _exchange(self) -> Exchange | None:
        """The exchange with a model that a request begins; None where it is none."""
        shape = SHAPES.get(interface_of(self._path()))
        if self.command != "POST" or shape is None:
            return None
        return Exchange(self.server.memory, self.server.usual, shape)

    def _refusal(self) -> _Refusal | None:
        """Why a request is not passed on; None where it is."""
        if self.server.is_local and not is_loopback(self.headers.get("Host", "")):
            # a web page that has this machine's address under a name of its own
            return _Refusal(403, "host", "the proxy serves this machine alone, by its own name")
        if not self.path.startswith(f"{ROOT}/") or climbs(self.path):
            return _Refusal(404, "path", f"the proxy serves paths under {ROOT}/")
        length = self._length()
        if "Transfer-Encoding" in self.headers or length is None:
            return _Refusal(411, "length", "a body needs one Content-Length")
        if length > BODY_BYTES:
            return _Refusal(413, "size", f"a body may have at most {BODY_BYTES:,} bytes")
        if (
            interface_of(self._path()).startswith(tuple(SHAPES))
            and self.command == "POST"
            and not self._is_json()
        ):
            # web pages may send other types to any address, without asking first
            return _Refusal(415, "type", "Content-Type must be application/json")
        return None

    def _is_json(self) -> bool:
        return self.headers.get_content_type() == "application/json"

    def _length(self) -> int | None:
        """How long the body is; None where that is not told."""
        return length_of(self.headers, "" if self.command in WITH_BODY else "0")

    def _path(self) -> str:
        """The path and the query below the root."""
        return self.path.removeprefix(ROOT)

    def _request(self, body: bytes) -> httpx2.Request:
        headers = [*passed_on(self.headers.items()), ("Accept-Encoding", "identity")]
        url = self.server.upstream + self._path()
        client = self.server.client
        request = client.build_request(self.command, url, content=body)
        for name in [name for name in request.headers if name not in ("host", "content-length")]:
            del request.headers[name]  # those that the library adds describe this machine
        request.headers.update(headers)
        return request

    def _answer(self, answer: httpx2.Response, exchange: Exchange | None) -> None:
        is_chat = exchange is not None and answer.is_success
        if answer.headers.get("content-type", "").startswith("text/event-stream"):
            self._stream(answer, exchange, is_chat=is_chat)
            return
        body = answer.read()
        if exchange is not None and is_chat:
            exchange.hear_whole(body)
        self._head(answer, exchange, [("Content-Length", str(len(body)))])
        self.wfile.write(body)

    def _stream(self, answer: httpx2.Response, exchange: Exchange | None, *, is_chat: bool) -> None:
        """Pass the pieces of an answer as they come. The answer is logged before its last piece is
        passed, so that the client's next request finds it.
        """
        import httpx2

        self._head(answer, exchange, [("Transfer-Encoding", "chunked")])
        try:
            for piece in answer.iter_bytes():
                if exchange is not None and is_chat:
                    exchange.hear(piece)
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        except (OSError, httpx2.HTTPError):  # the client left, or the service broke off
            self.close_connection = True
        finally:
            if exchange is not None and is_chat:
                exchange.end()

    def _head(
        self,
        answer: httpx2.Response,
        exchange: Exchange | None,
        more: Iterable[tuple[str, str]],
    ) -> None:
        """The status and the headers of an answer, and whether memory did its part."""
        self.send_response_only(answer.status_code)
        for name, value in (*passed_on(answer.headers.multi_items(), DECODED), *more):
            self.send_header(name, value)
        if exchange is not None:
            self.send_header(MEMORY, "failed" if exchange.has_failed else "on")
        self.end_headers()

    def _refuse(self, refusal: _Refusal) -> None:
        """An error as the service would give it."""
        told = {"message": refusal.why, "type": "omoide_proxy", "param": None, "code": refusal.code}
        body = json.dumps({"error": told}).encode()
        self.send_response_only(refusal.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _unreachable(self, error: str) -> None:
        log.warning("upstream_failed", error=error)
        why = f"{self.server.upstream} gave no answer: {error}"
        self._refuse(_Refusal(502, "upstream_unreachable", why))
