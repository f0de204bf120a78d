"""A web app with many users and one memory. It needs no package besides Omoide.

python examples/web_app.py
"""

import json
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

from omoide import Because, Details, InvalidInput, Memory, NotFound, Source, Tier

TOKENS = {"token-of-ana": "ana", "token-of-ben": "ben"}  # stands for your sign-in


class App:
    """POST /items stores, GET /items?q=… recalls, DELETE /items/ID forgets; each for one user."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory  # opened without a user; one for the whole process

    def __call__(self, environ: dict, start_response: Callable) -> Iterable[bytes]:
        """Answer one request, in whatever thread the server runs it."""
        status, body = self.respond(environ)
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps(body).encode()]

    def respond(self, environ: dict) -> tuple[str, object]:
        """The status and body of one request."""
        token = environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        user = TOKENS.get(token)  # from the sign-in, never from the request's body
        if user is None:
            return "401 Unauthorized", {"error": "sign in first"}
        person = Because(actor=user, tier=Tier.USER)  # the user acts, not an agent
        memory = self.memory.at(user=user).acting(person)
        try:
            return self.route(memory, environ)
        except NotFound as error:
            return "404 Not Found", {"error": str(error)}
        except (InvalidInput, KeyError, ValueError) as error:
            return "400 Bad Request", {"error": str(error)}

    def route(self, memory: Memory, environ: dict) -> tuple[str, object]:
        """What a signed-in user asked for, with a memory that sees that user's records only."""
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if (method, path) == ("POST", "/items"):
            size = int(environ.get("CONTENT_LENGTH") or 0)
            text = json.loads(environ["wsgi.input"].read(size))["text"]
            said = memory.remember(text, details=Details(source=Source.USER))  # the user's word
            return "201 Created", {"id": said.id}
        if (method, path) == ("GET", "/items"):
            (question,) = parse_qs(environ["QUERY_STRING"])["q"]
            answer = memory.recall(question)
            hits = [{"id": hit.id, "text": hit.text} for hit in answer.hits]
            return "200 OK", {"hits": hits, "answerable": answer.answerable}
        if method == "DELETE" and path.startswith("/items/"):
            receipt = memory.forget(path.removeprefix("/items/"))
            return "200 OK", {"erased": dict(receipt.erased)}
        return "404 Not Found", {"error": "no such page"}


if __name__ == "__main__":
    with (
        Memory.open("web.db") as memory,
        make_server("127.0.0.1", 8000, App(memory)) as server,
    ):
        server.serve_forever()
