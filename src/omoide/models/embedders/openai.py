"""Any server with OpenAI's ``/embeddings`` call, for the ``openai`` extra: OpenAI itself, Ollama,
vLLM, llama.cpp and more.

The key is read from an environment variable or the user's keyring at each request. It is never an
option, and never in a message, an id or a log; nor are the texts.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import numpy as np

from omoide.models.base import PROBE, Vectors, authority, unit_rows
from omoide.models.embedders.pieces import embed_pieces
from omoide.models.server_words import server_words
from omoide.nouns.errors import BadVector, MissingExtra, ModelError, ModelMissing, ModelUnreachable
from omoide.nouns.metadata import parse_json
from omoide.nouns.record.lines import counted
from omoide.settings.keys import find_key

if TYPE_CHECKING:
    import httpx2

OPENAI_URL, OPENAI_KEY_ENV = "https://api.openai.com/v1", "OPENAI_API_KEY"
LONGEST_WAIT_S = 60.0  # a server that asks for more is given up on; the work is tried again later

_PIECE_BYTES = 8_000  # OpenAI's models read 8,191 tokens, and no token is shorter than a byte
_REQUEST_BYTES = 256_000
_REQUEST_TEXTS = 256
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # trouble that may pass
_NOT_FOUND, _NO_MODEL = 404, "(model_not_found)"
_TEXT_REFUSED, _FAILED = frozenset({400, 413, 422}), 500
# what a server says that fails at a text, which a model may make no number of
_OF_A_TEXT = re.compile(
    r"too (?:large|long)\b|\bexceeds?\b.{0,300}\b(?:context|length)\b|unsupported value: NaN", re.I
)
_LIMIT = re.compile(
    r"\b(?:maximum|max|less than|at most|limit|context (?:size|length))\D{1,60}(\d+)", re.I
)
_OF_LENGTH = re.compile(r"\b(?:too (?:large|long)|context|length|tokens?)\b", re.I)
_LEAST_SHARE = 1 / 32  # a limit below that is of something else
_SHORT = 32  # characters; no model reads less
_LESSONS = 4  # times that a limit is found to be lower still, in one call
_ROOM = 0.95  # of what a limit allows, as tokens are not spread evenly over a text


class TextRefused(ModelError):
    """A request was refused, perhaps for one of its texts. share: how much of that the server would
    take, as far as it says.
    """

    def __init__(self, message: str, share: float) -> None:
        super().__init__(message)
        self.share = share
        self.is_of_length = bool(_OF_LENGTH.search(message))


class OpenAIEmbedder:
    """A model behind an OpenAI-compatible server. Texts of any length; long ones are embedded in
    pieces and averaged. Where the server refuses a piece, it is found out how much it takes, and
    all that is longer is embedded in smaller pieces from then on.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key_env: str | None = None,
        timeout_s: float = 30.0,
        attempts: int = 4,
        piece_bytes: int = _PIECE_BYTES,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Ask the server for one vector, to learn the width.

        base_url: up to the part before ``/embeddings``. api_key_env: the environment variable that
        holds the key; None: ``OPENAI_API_KEY`` for OpenAI's own address, and no key for any other,
        so that one provider's key never goes to another. timeout_s: for one attempt. attempts: at
        least 1. piece_bytes: how much text the model reads at once. wait: sleeps so many seconds
        between attempts.

        Raises:
            MissingExtra: the HTTP client is not installed.
            InvalidInput: base_url is no HTTP address, or carries a password.
            ModelError: the server failed, or the variable holds no key.
        """
        try:
            import httpx2
        except ImportError:
            raise MissingExtra("the OpenAI embedder", "openai") from None
        base_url = base_url.rstrip("/")
        self.id = f"openai:{model}" + ("" if base_url == OPENAI_URL else f"@{authority(base_url)}")
        self._model, self._url, self._piece_bytes = model, f"{base_url}/embeddings", piece_bytes
        self.input_bytes: int | None = None
        self._key_env = api_key_env or (OPENAI_KEY_ENV if base_url == OPENAI_URL else None)
        self._attempts, self._wait = attempts, wait
        self._client = httpx2.Client(timeout=timeout_s)
        self._failure = httpx2.HTTPError
        self.dimension = self._embed_pieces([PROBE]).shape[1]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says. All requests succeed, or there is no result."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        known, rows = self.input_bytes, self._embed_all(texts)
        for _ in range(_LESSONS):
            if (limit := self.input_bytes) == known or limit is None:
                break
            known = limit
            long = [n for n, text in enumerate(texts) if _size(text) > limit]
            rows[long] = self._embed_all([texts[n] for n in long])
        return rows

    def limit(self, input_bytes: int) -> None:
        """Send no more at once than that many bytes, which the server took before."""
        least = max(_SHORT, input_bytes)
        self.input_bytes = min(self.input_bytes or least, least)

    def _embed_all(self, texts: Sequence[str]) -> Vectors:
        most = min(self._piece_bytes, self.input_bytes or self._piece_bytes)
        return embed_pieces(self.id, texts, most, self._embed_pieces)

    def close(self) -> None:
        """Close the connections; no call may follow."""
        self._client.close()

    def _embed_pieces(self, pieces: list[str]) -> Vectors:
        rows = np.concatenate([self._embed_each(batch) for batch in _batches(pieces)])
        return unit_rows(self.id, rows, (len(pieces), None))

    def _embed_each(self, batch: list[str]) -> Vectors:
        """Rows of a batch. If the server refuses it, halves of it are tried, down to the text that
        is at fault, which is shortened.
        """
        try:
            return self._embed_batch(batch)
        except TextRefused as refused:
            if len(batch) == 1:
                return self._embed_beginning(batch[0], refused)
        half = len(batch) // 2
        return np.concatenate([self._embed_each(batch[:half]), self._embed_each(batch[half:])])

    def _embed_beginning(self, text: str, refused: TextRefused) -> Vectors:
        """A row of as much of a refused text as the server takes: what its limit allows, else a
        half, and again.

        Raises:
            TextRefused: even a short piece is refused.
        """
        share, whole = refused.share, len(text)
        while len(text) > _SHORT:
            text = text[: max(_SHORT, int(len(text) * share))]
            try:
                row = self._embed_batch([text])
                if refused.is_of_length or not self._takes(whole):
                    self.limit(_size(text))
                return row
            except TextRefused as again:
                refused, share = again, 0.5  # a limit that did not help is not asked again
        raise refused

    def _takes(self, length: int) -> bool:
        """Whether the server takes a harmless text of a length."""
        try:
            self._embed_batch([(f"{PROBE} " * (length // len(PROBE) + 1))[:length]])
        except TextRefused:
            return False
        return True

    def _embed_batch(self, batch: list[str]) -> Vectors:
        response = self._post(batch)
        try:
            entries = parse_json(response.content)["data"]
            by_index = {entry["index"]: entry["embedding"] for entry in entries}
        except (ValueError, KeyError, TypeError):
            raise ModelError(f"{self.id}: the answer is not a list of embeddings") from None
        if len(entries) != len(batch) or by_index.keys() != set(range(len(batch))):
            raise BadVector(
                f"{self.id}: {counted(len(entries), 'vector')} for {counted(len(batch), 'text')}"
            )
        return unit_rows(
            self.id, [by_index[index] for index in range(len(batch))], (len(batch), None)
        )

    def _post(self, batch: list[str]) -> httpx2.Response:
        """The first good response, after as many attempts as are allowed.

        Raises:
            ModelMissing: the server does not know the model.
            ModelUnreachable: no answer, or failing still.
            TextRefused: a text may be at fault, such as one that is too long.
            ModelError: refused.
        """
        body = json.dumps({"model": self._model, "input": batch}).encode()
        for attempt in range(1, self._attempts + 1):
            headers = self._headers()
            try:
                response = self._client.post(self._url, content=body, headers=headers)
                if response.is_success:
                    return response
                told, asked_s = self._passing(response, batch, headers), _retry_after(response)
            except self._failure as failure:
                # its text may hold the whole address
                told, asked_s = (type(failure).__name__, ""), None
            pause = asked_s or 0.5 * 2 ** (attempt - 1)
            if attempt == self._attempts or pause > LONGEST_WAIT_S:
                break
            self._wait(pause)
        problem, words = told
        raise ModelUnreachable(f"{self.id}: {problem}, after {counted(attempt, 'attempt')}{words}")

    def _passing(
        self, response: httpx2.Response, batch: list[str], headers: dict[str, str]
    ) -> tuple[str, str]:
        """What is wrong, where another attempt may help, and the server's words."""
        problem = f"HTTP {response.status_code}{_error_code(response)}"
        words = server_words(response.text, (*batch, headers.get("Authorization", "")))
        self._check_passing(response, problem, words)
        return problem, words

    def _check_passing(self, response: httpx2.Response, problem: str, words: str) -> None:
        """Raise what no other attempt would change."""
        if response.status_code == _NOT_FOUND or problem.endswith(_NO_MODEL):
            raise ModelMissing(
                f"{self.id}: {problem}; the server has no such model, or no such address{words}"
            )
        if response.status_code in _TEXT_REFUSED or (
            response.status_code == _FAILED and _OF_A_TEXT.search(response.text)
        ):
            raise TextRefused(f"{self.id}: {problem}{words}", _share(words))
        if response.status_code not in _PASSING:
            raise ModelError(f"{self.id}: {problem}{words}")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if self._key_env:
            key = find_key((self._key_env,))
            if not key or not key.isascii() or not key.isprintable():
                raise ModelError(
                    f"{self.id}: the environment variable {self._key_env} holds no key, and omoide"
                    " secret keeps none"
                )
            headers["Authorization"] = f"Bearer {key}"
        return headers


def _size(text: str) -> int:
    """The bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "replace"))


def _batches(pieces: Sequence[str]) -> Iterator[list[str]]:
    """Pieces in order, as many at once as a request may carry."""
    batch: list[str] = []
    held = 0
    for piece in pieces:
        size = _size(piece)
        if batch and (len(batch) == _REQUEST_TEXTS or held + size > _REQUEST_BYTES):
            yield batch
            batch, held = [], 0
        batch.append(piece)
        held += size
    yield batch


def _error_code(response: httpx2.Response) -> str:
    """The server's own code for the error where it is a plain word."""
    try:
        code = parse_json(response.content)["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return ""
    return f" ({code})" if isinstance(code, str) and re.fullmatch(r"[a-z_]{1,64}", code) else ""


def _share(words: str) -> float:
    """How much of a text a server would take: by the limit and the length that it states, else
    half.
    """
    limit = _LIMIT.search(words)
    if limit is None:
        return 0.5
    length = max(int(number) for number in re.findall(r"\d+", words))
    share = _ROOM * int(limit[1]) / length
    return share if _LEAST_SHARE < share < _ROOM else 0.5


def _retry_after(response: httpx2.Response) -> float | None:
    """How many seconds the server asks to wait: a number, or a date against the server's own
    clock.
    """
    told, now = (response.headers.get(name, "") for name in ("Retry-After", "Date"))
    try:
        seconds = float(told)
    except ValueError:
        try:
            left = parsedate_to_datetime(told) - parsedate_to_datetime(now)
        except (ValueError, TypeError):
            return None
        seconds = left.total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None
