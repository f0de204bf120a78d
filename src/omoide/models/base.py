"""What every embedder and reranker promises, and the check that holds them to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from omoide.nouns.errors import BadVector, InvalidInput, ModelError, OmoideError

Vectors: TypeAlias = NDArray[np.float32]  # shape (n, d), rows of length 1
RerankScores: TypeAlias = NDArray[np.float32]  # shape (n,), higher is better

PROBE = "What width has a vector of this model?"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into directions. Safe to call from several threads at once."""

    @property
    def id(self) -> str:
        """Which vector space this is. Stored with every vector: vectors of different ids are never
        compared.
        """
        ...

    @property
    def dimension(self) -> int:
        """The width of a vector, measured by a probe when the embedder was made, at least 1."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """One row per text, in order: float32, shape ``(len(texts), dimension)``, rows of length 1.

        query: the texts are questions; models that treat questions and documents alike ignore it.

        Raises:
            ModelError: the model failed or gave nonsense. Nothing is returned for any text then.
        """
        ...


@runtime_checkable
class Limited(Protocol):
    """An embedder that finds out how much of a text its server takes at once."""

    @property
    def input_bytes(self) -> int | None:
        """How many bytes of UTF-8; None until it refused a text."""
        ...

    def limit(self, input_bytes: int) -> None:
        """Send no more at once than that many bytes."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores texts against a query, more closely than an embedder can. Safe to call from several
    threads.

    It may say more. ``reach``: how many of the best candidates it is asked about, else 50.
    ``optional``: where it fails, recall goes on in the order that it would have had without it, and
    says so. ``point``: that its scores mean something by themselves, and what a point of them
    counts in the linear ranker's sum; else they are stretched over what was found. ``timeout_s``:
    the seconds that a call is waited for, else 30; ``at_once``: that it needs no time to speak of,
    and is called without such a bound.
    """

    @property
    def id(self) -> str:
        """Which model this is; shown in traces."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        """One score per text, in order: float32, shape ``(len(texts),)``, higher is better,
        comparable within one call only.

        Raises:
            ModelError: the model failed. Nothing is returned for any text then.
        """
        ...


@runtime_checkable
class Reading(Reranker, Protocol):
    """A reranker that reads texts before any question comes. What it made of them is kept in the
    store, beside their vectors.
    """

    def read(self, texts: Sequence[str]) -> list[bytes]:
        """What it makes of each text, in order.

        Raises:
            ModelError: the model failed. Nothing is returned for any text then.
        """
        ...

    def score_read(self, query: str, readings: Sequence[bytes]) -> RerankScores:
        """As ``score``, of texts that were read.

        Raises:
            ModelError: the model failed, or a reading is not its own.
        """
        ...


@runtime_checkable
class Remembering(Protocol):
    """What keeps something of texts in memory."""

    def clear(self) -> None:
        """Forget them all."""
        ...


def checked(embedder: Embedder, texts: Sequence[str], *, query: bool = False) -> Vectors:
    """The embedder's vectors, proved usable: shape ``(len(texts), dimension)``, finite, scaled to
    length 1.

    The one way vectors enter a store. A third-party embedder needs neither to scale nor to use our
    errors.

    Raises:
        BadVector: another count or width than asked for, a value that is not a finite number, or a
            zero vector.
        ModelError: the embedder failed.
    """
    if not texts:
        return np.empty((0, embedder.dimension), np.float32)
    try:
        raw = embedder.embed(texts, query=query)
    except OmoideError:
        raise
    except (
        OSError,
        RuntimeError,
        ValueError,
        TypeError,
    ) as problem:  # whatever a third-party embedder lets through
        raise ModelError(f"{embedder.id}: {problem}") from problem
    return unit_rows(embedder.id, raw, (len(texts), embedder.dimension))


def unit_rows(model: str, raw: object, shape: tuple[int, int | None]) -> Vectors:
    """Raw numbers as float32 rows of length 1; a width of None takes the one that is there.

    Raises:
        BadVector: another shape, a value that is not a finite number, or a zero vector.
    """
    rows = _rows(model, raw, shape)
    with np.errstate(over="ignore", under="ignore"):
        # as np.linalg.norm, which takes as long again to find out that it is this
        lengths = np.sqrt(np.add.reduce(rows * rows, axis=1, keepdims=True))
    if not ((lengths > 0) & (lengths < np.inf)).all():
        holds_no_number = not np.isfinite(rows).all()
        told = "holds NaN or infinity" if holds_no_number else "is zero or too large"
        raise BadVector(f"{model}: a vector {told}")
    unit: Vectors = (rows / lengths).astype(np.float32)
    return unit


def _rows(model: str, raw: object, shape: tuple[int, int | None]) -> NDArray[np.float64]:
    """Raw numbers of a shape; float64, as squares of large float32 values would overflow."""
    try:
        rows = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        told = f"{model}: vectors of unequal width, or values that are not numbers"
        raise BadVector(told) from None
    count, width = shape
    if rows.ndim != 2 or not rows.shape[1] or rows.shape != (count, width or rows.shape[1]):
        expected = f"({count}, {width or 'at least 1'})"
        raise BadVector(f"{model}: vectors of shape {rows.shape}, expected {expected}")
    return rows


class Over:
    """An embedder over another one, which it is like in all that it does not say anew."""

    def __init__(self, inner: Embedder) -> None:
        self._inner, self.id, self.dimension = inner, inner.id, inner.dimension
        self.at_once = bool(getattr(inner, "at_once", False))

    @property
    def input_bytes(self) -> int | None:
        """How much of a text the embedder's server takes at once, as far as it is known."""
        return self._inner.input_bytes if isinstance(self._inner, Limited) else None

    def limit(self, input_bytes: int) -> None:
        """Send no more at once than that many bytes; of an embedder without a server, nothing."""
        if isinstance(self._inner, Limited):
            self._inner.limit(input_bytes)


class Narrowed(Over):
    """An embedder cut to its first components, each row scaled to length 1 again: a vector space of
    its own.
    """

    def __init__(self, inner: Embedder, dimension: int) -> None:
        """dimension: from 1 to the measured width of inner.

        Raises:
            InvalidInput: the model cannot give that width.
        """
        if not 1 <= dimension <= inner.dimension:
            raise InvalidInput(
                "dimension", f"{inner.id} gives 1 to {inner.dimension}, not {dimension}"
            )
        super().__init__(inner)
        self.id, self.dimension = f"{inner.id}/{dimension}", dimension

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says."""
        rows = checked(self._inner, texts, query=query)
        return unit_rows(self.id, rows[:, : self.dimension], (len(texts), self.dimension))


def clean_model_name(name: str) -> str:
    """A model's name that is a name and nothing else, such as ``BAAI/bge-small-en`` or
    ``nomic-embed-text:latest``.

    Raises:
        InvalidInput: empty, a URL, an absolute path or one with a drive letter, or one that climbs
            with ``..``.
    """
    parts = re.split(r"[/\\]", name)
    if (
        not name.strip()
        or "\\" in name
        or ":/" in name
        or re.match(r"[A-Za-z]:", name)
        or ".." in parts
        or parts[0] in ("", "~")
    ):
        raise InvalidInput(
            "model",
            f"{name!r} is not a model's name; URLs, drive letters, absolute paths and '..' are"
            " refused",
        )
    return name


def read_options(written: str, field: str) -> dict[str, str]:
    """The options that stand behind the ``?`` of a string that names a model.

    Raises:
        InvalidInput: they are not written name=value; names the field.
    """
    try:
        pairs = parse_qsl(written, strict_parsing=True, keep_blank_values=True) if written else ()
    except ValueError:
        told = "options after '?' are written name=value, joined by '&'"
        raise InvalidInput(field, told) from None
    return dict(pairs)


def authority(base_url: str) -> str:
    """Host and port of an address.

    Raises:
        InvalidInput: no HTTP address, or one that carries a name, password, query or fragment.
    """
    if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#@]*)?", base_url):
        raise InvalidInput(
            "base_url", "must be http://host/… or https://host/…, without a name, password or query"
        )
    return base_url.split("/")[2]
