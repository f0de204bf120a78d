"""Texts to measure with: sentences of words drawn like those of a language, the same for every
run.
"""

from __future__ import annotations

from importlib import resources

import numpy as np


def sentences(count: int, *, words: int = 18, seed: int = 1) -> list[str]:
    """That many sentences of about that many words; word frequencies fall like 1 / rank (Zipf)."""
    rng = np.random.default_rng(seed)
    vocabulary = (
        resources.files("omoide.models").joinpath("data", "vocab.txt").read_text("utf-8").split()
    )
    known = np.array([w for w in vocabulary if w.isascii() and w.isalpha() and len(w) > 2][:20_000])
    weights = 1 / np.arange(1, len(known) + 1)
    lengths = np.maximum(4, rng.poisson(words, count))
    drawn = rng.choice(known, int(lengths.sum()), p=weights / weights.sum())
    ends = np.cumsum(lengths)
    return [" ".join(drawn[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def unit_vectors(count: int, width: int = 256, *, seed: int = 2) -> np.ndarray:
    """Random directions, float32, shape (count, width), rows of length 1."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, width)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
