"""Long texts for models that read only so much at once: embedded in pieces, never cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from omoide.models.base import Vectors, unit_rows

_BLANKS = " \n\t\u3000"


def split_pieces(text: str, limit: int) -> list[str]:
    """The text as consecutive pieces of at most ``limit`` UTF-8 bytes, cut after a blank where one
    is near.

    A byte-level or word-piece tokenizer makes at most one token of a byte, so a limit in bytes
    keeps a limit in tokens in every language. The pieces joined are the text. limit: at least 4.
    """
    pieces, start = [], 0
    while start < len(text):
        raw = text[start : start + limit].encode("utf-8", "replace")
        fitting = len(raw[:limit].decode("utf-8", "ignore"))
        end = start + fitting
        if end < len(text):
            blank = 1 + max(text.rfind(mark, start, end) for mark in _BLANKS)
            end = blank if blank > start + fitting // 2 else end
        pieces.append(text[start:end])
        start = end
    return pieces or [""]


def embed_pieces(
    model: str, texts: Sequence[str], limit: int, embed: Callable[[list[str]], Vectors]
) -> Vectors:
    """One row per text: the mean of its pieces' vectors, weighted by their lengths, scaled to
    length 1.

    embed gives rows of length 1 for pieces of at most ``limit`` bytes.
    """
    cut = [split_pieces(text, limit) for text in texts]
    pieces = [piece for parts in cut for piece in parts]
    vectors = embed(pieces)
    if len(vectors) == len(texts):
        return vectors
    lengths = np.array([[len(piece)] for piece in pieces], np.float32)
    starts = np.cumsum([0, *(len(parts) for parts in cut[:-1])])
    sums = np.add.reduceat(vectors * lengths, starts, axis=0)
    return unit_rows(model, sums, (len(texts), vectors.shape[1]))
