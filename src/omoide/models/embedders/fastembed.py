"""Any model the FastEmbed library knows, for the ``fastembed`` extra. Reads local files only:
nothing is downloaded here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from omoide.models.base import PROBE, Vectors, unit_rows
from omoide.models.embedders.pieces import embed_pieces
from omoide.models.onnx import onnx_errors
from omoide.nouns.errors import InvalidInput, MissingExtra

PIECE_BYTES = (
    1_500  # about 400 English or 500 Chinese tokens; these models read 512 and drop the rest unsaid
)


class FastEmbed:
    """A FastEmbed text model, from a folder or from the library's own cache."""

    def __init__(self, model: str, *, path: str | None = None, threads: int = 1) -> None:
        """model: a name from FastEmbed's list. path: the folder with the model's files; None:
        FastEmbed's cache.

        Raises:
            MissingExtra: FastEmbed is not installed.
            InvalidInput: path is no folder.
            ModelError: unknown model, or its files are not there.
        """
        try:
            from fastembed import TextEmbedding
        except ImportError:
            raise MissingExtra("the FastEmbed embedder", "fastembed") from None
        folder = None if path is None else Path(path)
        if folder is not None and not folder.is_dir():
            raise InvalidInput("path", f"{path!r} is not a folder")
        where: dict[str, Any] = {} if folder is None else {"specific_model_path": str(folder)}
        with onnx_errors(f"fastembed:{model}"):
            self._model: Any = TextEmbedding(model, threads=threads, local_files_only=True, **where)
        self.id = f"fastembed:{model}" + ("" if folder is None else f"@{_weights_hash(folder)}")
        self.dimension = self._embed_pieces([PROBE], False).shape[1]

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As the protocol says. Long texts are embedded in pieces and averaged."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return embed_pieces(
            self.id, texts, PIECE_BYTES, lambda pieces: self._embed_pieces(pieces, query)
        )

    def _embed_pieces(self, pieces: list[str], query: bool) -> Vectors:
        embed = self._model.query_embed if query else self._model.passage_embed
        with onnx_errors(self.id):
            rows = list(embed(pieces))
        return unit_rows(self.id, rows, (len(pieces), None))


def _weights_hash(folder: Path) -> str:
    """The start of a hash over every weights file, so that another model in the same folder is
    another identity.
    """
    digest = hashlib.sha256()
    for file in sorted(
        path for path in folder.rglob("*") if path.suffix in (".onnx", ".onnx_data", ".safetensors")
    ):
        with file.open("rb") as content:
            digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()[:12]
