"""The packaged data, the script that makes it, and the notice that says whose it is."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pytest

from omoide.models.embedders import static
from scripts import build_static_embedder as build

DATA = Path(static.__file__).parents[1] / "data"


def test_the_script_and_the_package_name_the_same_files() -> None:
    """What the script writes is what is loaded, to the hash."""
    assert (build.ROWS_FILE, build.VOCABULARY_FILE) == (static.ROWS_FILE, static.VOCABULARY_FILE)
    assert build.VOCABULARY_SHA256 == static.VOCABULARY_SHA256
    assert hashlib.sha256((DATA / static.ROWS_FILE).read_bytes()).hexdigest() == static.ROWS_SHA256
    assert static.load_vocabulary()[build.FIRST_WORD] == "!"
    assert [
        static.load_vocabulary()[number] for number in (build.UNKNOWN, build.START, build.END)
    ] == ["[UNK]", "[CLS]", "[SEP]"]


def test_the_notice_names_every_file_and_its_origin() -> None:
    """Each data file stands in the notice with its hash, and so do the weights it came from."""
    notice = (DATA / "NOTICE").read_text(encoding="utf-8")
    kept = {path.name for path in DATA.iterdir()} - {"NOTICE"}

    assert kept == {static.ROWS_FILE, static.VOCABULARY_FILE}
    for expected in (
        *sorted(kept),
        static.ROWS_SHA256,
        static.VOCABULARY_SHA256,
        build.WEIGHTS_SHA256,
        "Apache License 2.0",
    ):
        assert expected in notice


def test_the_data_is_numbers_only() -> None:
    """int8 rows and float32 scales, one per token: no pickle, no code."""
    with np.load(DATA / static.ROWS_FILE, allow_pickle=False) as data:
        assert sorted(data.files) == ["rows", "scales"]
        assert data["rows"].dtype == np.int8
        assert data["rows"].shape == (29_524, 256)
        assert data["scales"].shape == (29_524,)
        assert (data["scales"] > 0).all()
        assert (np.abs(data["rows"].astype(int)).max(axis=1) == 127).all()


def test_weights_are_read_from_their_format() -> None:
    """A safetensors file is a length, a header and raw numbers; other types and notes are
    skipped.
    """
    number = {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}
    other = {"dtype": "I64", "shape": [1], "data_offsets": [8, 16]}
    header = json.dumps({"__metadata__": {"a": "b"}, "w": number, "i": other}).encode()
    content = (
        len(header).to_bytes(8, "little") + header + np.array([1.5, -2], "<f4").tobytes() + bytes(8)
    )
    weights = build.read_safetensors(content)

    assert list(weights) == ["w"]
    assert weights["w"].tolist() == [[1.5, -2.0]]


def test_a_file_with_another_hash_stops_the_build(tmp_path: Path) -> None:
    """Weights that are not the pinned ones are not distilled."""
    file = tmp_path / "weights"
    file.write_bytes(b"other")

    with pytest.raises(SystemExit, match="expected"):
        build.read_checked(file, build.WEIGHTS_SHA256)


def test_projection_keeps_the_main_axes_and_fixes_their_sign() -> None:
    """The same points give the same numbers, whichever sign the solver chose, and distances on the
    main axes stay.
    """
    points = np.random.default_rng(1).normal(size=(50, 4)) * [9.0, 5.0, 0.1, 0.01]
    flat = build.project(points, 2)

    assert np.allclose(flat, build.project(points.copy(), 2))
    assert np.allclose(
        np.linalg.norm(flat[0] - flat[1]), np.linalg.norm(points[0] - points[1]), atol=0.2
    )
    assert np.allclose(flat.mean(axis=0), 0)


def test_saving_twice_gives_the_same_bytes() -> None:
    """The archive holds no time stamp, so its hash is that of the numbers."""
    first, second = io.BytesIO(), io.BytesIO()
    np.savez(first, rows=np.ones(3))
    np.savez(second, rows=np.ones(3))

    assert first.getvalue() == second.getvalue()
