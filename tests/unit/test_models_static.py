"""The packaged embedder and the reranker over the same table."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.models import checked, load_reranker
from omoide.models.base import Embedder, Reranker
from omoide.models.embedders.static import (
    ROWS_FILE,
    ROWS_SHA256,
    StaticEmbedder,
    load_table,
    read_data,
)
from omoide.models.rerankers.maxsim import StaticMaxSim
from omoide.nouns.errors import ModelError

EMBEDDER = StaticEmbedder()
MAXSIM = StaticMaxSim()
GOLDEN = [-0.079705, -0.306923, -0.120938, -0.073769, 0.045356, 0.188072]

SAME_THING = [
    ("I moved to a new apartment", "she rents another flat now"),
    ("ข้าวผัดกุ้งอร่อยมาก", "ฉันชอบกินข้าวผัดกุ้ง"),
    ("炒饭很好吃", "我喜欢吃炒饭"),
    ("привет, мы переехали в Лиссабон", "куда мы переехали"),
    ("أختي لديها حساسية من الفول السوداني", "من لديها حساسية من الفول"),
    ("지난주에 리스본으로 이사했어요", "리스본으로 언제 이사했어요"),
]
OTHER_THING = [
    "the invoice was paid in March",
    "พรุ่งนี้ฝนจะตกหนัก",
    "明天会下大雨",
    "завтра будет дождь",
    "غدا سيكون هناك مطر غزير",
    "내일 비가 많이 올 거예요",
]


@pytest.mark.covers("GM-45", "CX-15")
def test_vectors_are_float32_of_length_one_and_of_the_measured_width() -> None:
    """One row per text, in the width the embedder states."""
    rows = EMBEDDER.embed(["a cat", "Ein Hund läuft.", "東京"])

    assert isinstance(EMBEDDER, Embedder)
    assert rows.dtype == np.float32
    assert rows.shape == (3, EMBEDDER.dimension) == (3, 256)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_the_id_names_the_model_and_the_start_of_its_hash() -> None:
    """Other weights would be another vector space, and say so."""
    assert EMBEDDER.id == f"static-minilm-256.1@{ROWS_SHA256[:12]}"


def test_the_vector_space_is_the_released_one() -> None:
    """Vectors stored by an earlier release stay comparable: the same text, the same numbers."""
    row = EMBEDDER.embed(["Anna moved to Lisbon. 炒饭 ข้าวผัด"])[0]

    assert np.allclose(row[:6], GOLDEN, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [(*pair, far) for pair, far in zip(SAME_THING, OTHER_THING, strict=True)],
)
def test_what_says_the_same_is_nearer_than_what_does_not(text: str, near: str, far: str) -> None:
    """In English by meaning, in scripts the model never learned by the characters in common."""
    rows = EMBEDDER.embed([text, near, far])

    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.1


@pytest.mark.covers("LS-74")
@pytest.mark.parametrize("text", ["", " \n", "\x00\u200b", "สวัสดี", "🎉", "\U000e0001", "a" * 500])
def test_texts_without_a_known_token_have_a_direction_too(text: str) -> None:
    """No text gets a zero or broken vector: an empty one, an emoji, an unlearned script."""
    row = EMBEDDER.embed([text])[0]

    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_a_text_alone_and_in_company_has_the_same_vector(texts: list[str]) -> None:
    """Batches change nothing, to the last bit: re-embedding a store gives what is in it."""
    together = EMBEDDER.embed(texts)

    assert (together == np.concatenate([EMBEDDER.embed([text]) for text in texts])).all()


def test_many_and_long_texts_are_embedded_whole() -> None:
    """Over one group's limit, short texts keep their vectors, and a huge text counts to its last
    word.
    """
    many = ["a short text about cats"] * 4000
    start = "dogs " * 30_000

    assert (EMBEDDER.embed(many) == EMBEDDER.embed(many[:1])).all()
    assert not np.allclose(
        EMBEDDER.embed([start])[0], EMBEDDER.embed([start + "rockets " * 5_000])[0], atol=1e-3
    )


def test_a_huge_word_is_no_burden() -> None:
    """A blob of a million characters without a blank is embedded like any text, and not
    remembered.
    """
    blob = hashlib.shake_256(b"blob").hexdigest(500_000)
    row = EMBEDDER.embed([blob])[0]

    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)
    assert blob not in vars(vars(load_table())["_wordpiece"])["_cut"]


def test_no_texts_give_no_rows() -> None:
    """An empty batch is a batch."""
    assert EMBEDDER.embed([]).shape == (0, 256)
    assert MAXSIM.score("a cat", []).shape == (0,)


def test_a_changed_data_file_is_refused() -> None:
    """Weights that are not the released ones are never used, and the message says what to do."""
    with pytest.raises(ModelError, match="install omoide again"):
        read_data(ROWS_FILE, "0" * 64)
    with pytest.raises(ModelError, match="install omoide again"):
        read_data("absent.npz", ROWS_SHA256)


@pytest.mark.covers("GM-44")
def test_importing_loads_no_model() -> None:
    """The embedder is made when first asked for: before that, neither its data nor any optional
    library is read.
    """
    script = (
        "import sys, omoide.models as models\nassert not {'onnxruntime', 'httpx2', 'fastembed',"
        " 'omoide.models.embedders.static'} & sys.modules.keys()\nbefore = set(sys.modules)\nfirst ="
        " models.load_embedder()\nassert first is models.load_embedder('static')\nassert not"
        " {'onnxruntime', 'httpx2', 'fastembed', 'socket', 'ssl'} & (sys.modules.keys() - before)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr


def test_the_reranker_puts_the_answer_first() -> None:
    """Among texts that share the common words, the one with the rare word of the question wins."""
    texts = [
        "I went to the shop with Anna",
        "I went to Lisbon with my sister",
        "we went to the shop and the bank",
        "",
    ]
    scores = MAXSIM.score("who went to Lisbon?", texts)

    assert isinstance(MAXSIM, Reranker)
    assert scores.dtype == np.float32
    assert scores.argmax() == 1
    assert scores.argmin() == 3
    assert np.abs(scores).max() <= 1 + 1e-6


@pytest.mark.parametrize("query", ["", "ข้าวผัด", "炒饭"])
def test_the_reranker_reads_any_script(query: str) -> None:
    """A text that is the query scores highest, in any language and for no words at all."""
    scores = MAXSIM.score(query, ["another thing", query, "明天"])

    assert scores.argmax() == 1
    assert scores[1] == pytest.approx(1, abs=1e-5)


def test_common_words_say_less_to_maxsim() -> None:
    """Among texts that each hold another word of the question, the one with its telling word is
    best.
    """
    scores = MAXSIM.score("is the ferry", ["it is so", "by the way", "a ferry"])

    assert scores.argmax() == 2


def test_rerankers_have_names_too() -> None:
    """One string chooses the reranker; none is a choice."""
    loaded = load_reranker("maxsim")

    assert loaded is not None
    assert loaded.id == MAXSIM.id
    assert load_reranker("none") is None


def test_checked_leaves_good_vectors_as_they_are() -> None:
    """Proving vectors usable does not move them."""
    texts = ["a cat", "a dog"]

    assert np.allclose(checked(EMBEDDER, texts), EMBEDDER.embed(texts), atol=1e-6)
