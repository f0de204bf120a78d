"""Which embedder a string names, and the check that every vector passes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pytest

from omoide.models import Embedder, Vectors, checked, clear_caches, load_embedder, load_reranker
from omoide.models.embedders.cache import CachedEmbedder
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.models.embedders.pieces import embed_pieces, split_pieces
from omoide.models.embedders.static import StaticEmbedder
from omoide.nouns.errors import BadVector, InvalidInput, MissingExtra, ModelError, UnknownName

GOLDEN = [-0.02455, 0.151489, -0.091612, 0.059278]


class Foreign:
    """A third-party embedder: gives or raises whatever it is told to."""

    id = "foreign"
    dimension = 2

    def __init__(self, result: object) -> None:
        self.result = result

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """As told."""
        if isinstance(self.result, Exception):
            raise self.result
        return self.result  # type: ignore[return-value]


@pytest.mark.covers("LS-74")
@pytest.mark.parametrize(
    "result",
    [
        [[0.0, 0.0]],
        [[float("nan"), 1.0]],
        [[float("inf"), 1.0]],
        [[1e308, 1e308]],
        [[1.0]],
        [[1.0, 2.0, 3.0]],
        [[1.0, 2.0], [3.0, 4.0]],
        [],
        [1.0, 2.0],
        [[1.0, None]],
        [["1", "x"]],
        [[1.0, 2.0], [3.0]],
        None,
    ],
)
def test_a_vector_that_cannot_be_used_is_an_error(result: object) -> None:
    """Zero, not finite, of another width or count, or no numbers at all: nothing comes back to be
    stored.
    """
    with pytest.raises(BadVector, match="foreign"):
        checked(Foreign(result), ["a"])


@pytest.mark.covers("LS-74", "GM-44")
@pytest.mark.parametrize(
    "failure",
    [ConnectionRefusedError("no"), TimeoutError("late"), RuntimeError("odd"), ValueError("odd")],
)
def test_an_embedder_that_fails_is_a_model_error(failure: Exception) -> None:
    """Whatever a third-party embedder lets through becomes one error, which is a RuntimeError
    too.
    """
    with pytest.raises(ModelError, match="foreign") as caught:
        checked(Foreign(failure), ["a"])

    assert isinstance(caught.value, RuntimeError)
    assert caught.value.__cause__ is failure


@pytest.mark.covers("GM-45")
def test_checked_vectors_have_length_one() -> None:
    """An embedder that does not scale its vectors is no worse for it."""
    rows = checked(Foreign([[3.0, 4.0], [0.0, 1e-30]]), ["a", "b"])

    assert rows.dtype == np.float32
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]


def test_nothing_to_embed_asks_no_model() -> None:
    """An empty batch has a result even where the model is down."""
    assert checked(Foreign(OSError("down")), []).shape == (0, 2)


@pytest.mark.parametrize("fault", list(Fault))
def test_every_fault_of_the_fake_is_caught(fault: Fault) -> None:
    """Tests that use the fake's faults exercise the real check."""
    fake = FakeEmbedder()
    fake.fault = fault

    with pytest.raises(ModelError):
        checked(fake, ["a", "b"])


@pytest.mark.covers("AD-11")
def test_one_string_chooses_the_embedder() -> None:
    """The default, another, and none at all differ by nothing but the string."""
    default, fake = load_embedder(), load_embedder("fake")

    assert isinstance(default, StaticEmbedder)
    assert fake is not None
    assert fake.id == "fake-64"
    assert load_embedder("none") is None
    assert load_embedder(None) is None


@pytest.mark.covers("GM-44")
def test_an_embedder_is_loaded_once_for_the_process() -> None:
    """The same string and options give the same object; other options another."""
    assert load_embedder("fake", dimension=32) is load_embedder("fake", dimension=32)
    assert load_embedder("fake", dimension=32) is not load_embedder("fake")


@pytest.mark.parametrize(
    "spec", ["", "statics", "minilm:x", "static:x", "openai", "openai:", "fastembed", "none:x"]
)
def test_a_name_nobody_knows_is_refused(spec: str) -> None:
    """A slip in the setting is told with what would be right, and nothing is guessed."""
    with pytest.raises(InvalidInput, match="embedder"):
        load_embedder(spec)


def test_an_unknown_reranker_is_refused() -> None:
    """A slip in the setting is told with what would be right."""
    with pytest.raises(UnknownName, match="maxsim"):
        load_reranker("maximum")


def test_an_option_nobody_knows_is_refused() -> None:
    """A slip in an option's name names the options there are."""
    with pytest.raises(UnknownName, match="threads"):
        load_embedder("minilm", thread=2)
    with pytest.raises(UnknownName, match="cache, dimension"):
        load_embedder("static", threads=2)


def test_options_may_stand_in_the_string() -> None:
    """One setting holds all there is to say; it means the same as options given apart."""
    written, apart = (
        load_embedder("fake?dimension=40&cache=7"),
        load_embedder("fake", dimension=40, cache=7),
    )

    assert isinstance(written, CachedEmbedder)
    assert isinstance(apart, CachedEmbedder)
    assert written.id == apart.id == "fake-64/40"
    written.embed([str(number) for number in range(20)])
    assert len(written) == 7


@pytest.mark.parametrize(
    "spec",
    [
        "fake?dimension",
        "fake?dimension=wide",
        "fake?cache=",
        "fake?cache=-1",
        "fake?dimension=40&&",
    ],
)
def test_options_that_cannot_be_read_are_refused(spec: str) -> None:
    """A slip after the question mark is told, never skipped."""
    with pytest.raises(InvalidInput):
        load_embedder(spec)


@pytest.mark.covers("AD-12")
@pytest.mark.parametrize("option", ["api_key", "key", "wait", "model"])
def test_no_option_takes_a_key(option: str) -> None:
    """A key written into a setting is refused, and the refusal does not repeat it."""
    with pytest.raises(UnknownName) as caught:
        load_embedder(f"openai:m?{option}=sk-4711")
    assert "4711" not in str(caught.value)


@pytest.mark.covers("SO-27", "LS-70")
@pytest.mark.parametrize("kind", ["openai", "fastembed"])
@pytest.mark.parametrize(
    "model",
    [
        "../secrets",
        "org/../../etc/model",
        "..",
        "https://example.org/model",
        "file:/etc/model",
        "s3://bucket/model",
        "C:\\models\\x",
        "c:model",
        "a\\..\\b",
        "/etc/model",
        "~/model",
        " ",
    ],
)
def test_a_model_reference_that_is_a_path_or_url_is_refused(kind: str, model: str) -> None:
    """A model has a name; '..', a URL, a drive letter or an absolute path is refused before
    anything is opened.
    """
    with pytest.raises(InvalidInput, match="not a model's name"):
        load_embedder(f"{kind}:{model}")


@pytest.mark.covers("LS-37")
@pytest.mark.parametrize(
    ("spec", "library", "extra"),
    [
        ("minilm", "onnxruntime", "local"),
        ("openai:m", "httpx2", "openai"),
        ("fastembed:m", "fastembed", "fastembed"),
    ],
)
def test_a_missing_library_says_what_to_install(
    spec: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its library an embedder names the extra to install; no None, no ImportError."""
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(MissingExtra, match=rf"pip install .*\[{extra}\]'"):
        load_embedder(spec, cache=1)


@pytest.mark.covers("SO-16", "CX-15")
def test_the_width_is_measured() -> None:
    """What the probe gave is what is recorded, whatever the model is called."""
    loaded = load_embedder("fake", dimension=48)

    assert loaded is not None
    assert loaded.dimension == checked(loaded, ["a"]).shape[1] == 48


@pytest.mark.covers("SO-16")
def test_a_smaller_width_cuts_and_scales_again() -> None:
    """The first components, at length 1, under an id of their own."""
    whole, cut = load_embedder("static"), load_embedder("static", dimension=64)

    assert whole is not None
    assert cut is not None
    row, short = checked(whole, ["a cat"])[0], checked(cut, ["a cat"])[0]
    assert short.shape == (64,)
    assert np.allclose(short, row[:64] / np.linalg.norm(row[:64]), atol=1e-6)
    assert cut.id == f"{whole.id}/64"


@pytest.mark.covers("SO-16")
@pytest.mark.parametrize("dimension", [0, -1, 257, 1024])
def test_a_width_the_model_cannot_give_is_a_failure(dimension: int) -> None:
    """No padding and no silent change: the setting is wrong and says so."""
    with pytest.raises(InvalidInput, match="256"):
        load_embedder("static", dimension=dimension)


def test_clearing_reaches_every_loaded_embedder() -> None:
    """Where texts are erased, no loaded embedder keeps their vectors."""
    loaded = load_embedder("fake")
    assert isinstance(loaded, CachedEmbedder)
    loaded.embed(["a secret"])
    assert len(loaded) > 0

    clear_caches()

    assert len(loaded) == 0


@pytest.mark.parametrize(
    "text",
    ["", "short", "words in a row " * 20, "東京" * 40, "x" * 100, "a\ud800" * 40, "👩‍👩‍👧" * 20],
)
def test_pieces_joined_are_the_text(text: str) -> None:
    """Nothing is lost between pieces, and none is over the limit in bytes."""
    pieces = split_pieces(text, 24)

    assert len(pieces) >= 1
    assert "".join(pieces) == text
    assert all(len(piece.encode("utf-8", "replace")) <= 24 for piece in pieces)


def test_pieces_end_at_blanks() -> None:
    """Words stay whole where the limit allows."""
    assert split_pieces("one two three four", 9) == ["one two ", "three ", "four"]


def test_a_long_text_counts_to_its_end() -> None:
    """The vector of a long text is the mean of its pieces, by length."""
    fake = FakeEmbedder()
    rows = embed_pieces("fake", ["short", "aaaa bbbb"], 5, lambda pieces: checked(fake, pieces))
    first, second = fake.embed(["aaaa ", "bbbb"])
    mean = first * 5 + second * 4

    assert np.allclose(rows[0], fake.embed(["short"])[0], atol=1e-6)
    assert np.allclose(rows[1], mean / np.linalg.norm(mean), atol=1e-6)


def test_the_fake_is_the_same_everywhere() -> None:
    """No hash seed, machine or process changes it, so stores built in tests can be compared."""
    fake: Embedder = FakeEmbedder()

    assert np.allclose(fake.embed(["the cat sat"])[0][:4], GOLDEN, atol=1e-5)


def test_the_fake_is_near_where_words_are_shared() -> None:
    """Enough like a real embedder to rank texts by their words; another name is another space."""
    rows = FakeEmbedder().embed(
        ["tea with milk", "black tea with lemon", "the train was late", "東京", "東京駅"]
    )

    assert rows[0] @ rows[1] > 0.3 > abs(rows[0] @ rows[2])
    assert rows[3] @ rows[4] > 0.5
    assert abs(rows[0] @ FakeEmbedder(name="other").embed(["tea with milk"])[0]) < 0.5


def test_the_fake_remembers_what_it_was_asked() -> None:
    """Tests can prove that a text never reached a model."""
    fake = FakeEmbedder()
    fake.embed(["a", "b"])

    assert fake.asked == ["a", "b"]
