"""Words as hashes, postings in segments, and the BM25 formula."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.store.search.lookup import look_up
from omoide.store.search.postings import Posting, Postings, hash_words, joined
from omoide.store.search.scoring import Bm25Fields

WORDS = st.text(
    st.characters(min_codepoint=33, exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")),
    min_size=1,
    max_size=64,
)


def fields(*texts: str) -> Bm25Fields:
    """Documents without neighbours and without words around them."""
    words, lengths = hash_words(texts)
    none, size = np.full(len(texts), -1, np.int32), lengths.astype(np.float32)
    own = Postings().extended(words, lengths, 0)
    return Bm25Fields(
        own,
        Postings(),
        none,
        none,
        size,
        size * 0,
        np.ones(len(texts), bool),
        len(texts),
        float(size.sum()),
        0.0,
    )


def of(postings: Postings, *words: str) -> list[Posting]:
    """The postings of some words."""
    found = postings.find(hash_words(words)[0])
    return [joined(found.get(place, ())) for place in range(len(words))]


def scores_of(
    partitions: list[Bm25Fields], terms: list[tuple[str, float]], rarest: int | None = None
) -> list[np.ndarray]:
    """The scores of all rows of each partition."""
    every = [np.zeros(len(p.alive), np.float32) for p in partitions]
    for scores, (rows, found) in zip(
        every, look_up(partitions, terms, rarest=rarest).scored(), strict=True
    ):
        scores[rows] = found
    return every


@given(st.lists(st.lists(WORDS, max_size=6), max_size=6))
def test_words_are_told_apart_and_counted_by_text(texts: list[list[str]]) -> None:
    """Equal words have equal hashes, other words have others, and each text keeps its number of
    words.
    """
    hashes, lengths = hash_words([" ".join(words) for words in texts])

    words = [word for text in texts for word in text]
    assert lengths.tolist() == [len(text) for text in texts]
    assert len(hashes) == len(words)
    assert (
        len(set(zip(words, hashes.tolist(), strict=True)))
        == len(set(words))
        == len(set(hashes.tolist()))
    )


def test_a_words_hash_does_not_depend_on_where_it_stands() -> None:
    """A word has the hash it has alone, also in long texts and after signs of several bytes."""
    (alone,), _ = hash_words(["umbrella"])
    for text in ("umbrella", "a umbrella", "雨 傘 umbrella", "x " * 100_000 + "umbrella"):
        assert hash_words(["", text, ""])[0][-1] == alone


@given(st.lists(WORDS, min_size=1, max_size=6))
def test_few_words_have_the_hashes_that_they_have_among_many(words: list[str]) -> None:
    """Those of short texts are remembered word by word, those of long ones made all at once."""
    text = " ".join(words)
    few, _ = hash_words([text, f" {text} "])
    many, lengths = hash_words([text, "x" * 10_000])

    assert few.tolist() == 2 * many[:-1].tolist()
    assert few.dtype == many.dtype
    assert lengths.tolist() == [len(words), 1]


@given(
    st.lists(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=5), max_size=4), max_size=12)
)
def test_postings_are_the_same_however_they_grew(batches: list[list[list[str]]]) -> None:
    """Added in any batches, a word's posting tells every row that has it, in order, and how
    often.
    """
    postings, texts = Postings(), list[list[str]]()
    for batch in batches:
        postings = postings.extended(
            *hash_words([" ".join(words) for words in batch]), len(texts)
        ).merged()
        texts += batch
    for word in "abcdefghi":
        ((rows, counts),) = of(postings, word)
        held = list(zip(rows.tolist(), counts.tolist(), strict=True))
        assert held == [
            (row, words.count(word)) for row, words in enumerate(texts) if word in words
        ]


def test_adding_one_by_one_keeps_few_segments() -> None:
    """A thousand additions leave a handful of segments, so that a search looks in few places."""
    postings = Postings()
    for row in range(1000):
        postings = postings.extended(*hash_words([f"tea w{row}"]), row).merged()

    assert len(postings.segments) <= 6
    assert [len(rows) for rows, _ in of(postings, "tea", "w7", "milk")] == [1000, 1, 0]


def test_an_addition_given_up_leaves_no_trace() -> None:
    """What was added to postings that were not kept is not in those that were, nor in what is made
    from them.
    """
    kept = Postings().extended(*hash_words(["tea", "milk"]), 0)
    kept.extended(*hash_words(["tea tea"]), 2)

    again = kept.extended(*hash_words(["tea"]), 2)

    assert [(rows.tolist(), counts.tolist()) for rows, counts in of(kept, "tea")] == [([0], [1])]
    assert [(rows.tolist(), counts.tolist()) for rows, counts in of(again, "tea")] == [
        ([0, 2], [1, 1])
    ]


def test_a_score_is_worked_out_by_hand() -> None:
    """Three texts, one word: inverse frequency, saturation and length are those of the formula."""
    (scores,) = scores_of([fields("tea tea milk", "milk", "bread and rain")], [("tea", 1.0)])

    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    tf = 2 / (0.25 + 0.75 * 3 / (7 / 3))
    assert scores.tolist() == pytest.approx([idf * tf * 2.2 / (tf + 1.2), 0, 0])


def test_variants_of_a_word_add_up_by_weight() -> None:
    """Terms are added, each times its weight; the same term twice counts twice."""
    texts = fields("tea", "teas", "milk")

    (tea,) = scores_of([texts], [("tea", 1.0)])
    (teas,) = scores_of([texts], [("teas", 1.0)])
    (both,) = scores_of([texts], [("tea", 0.5), ("teas", 0.25), ("tea", 0.5)])

    assert both.tolist() == pytest.approx((tea + 0.25 * teas).tolist())


def test_statistics_are_over_all_partitions_searched() -> None:
    """Two partitions score as one that holds the documents of both."""
    one, other = ["tea and rain", "tea"], ["milk", "rain rain rain rain"]
    words = [("tea", 1.0), ("rain", 1.0)]

    (joint,) = scores_of([fields(*one, *other)], words)
    apart = scores_of([fields(*one), fields(*other)], words)

    assert np.concatenate(apart).tolist() == pytest.approx(joint.tolist())


def test_rare_and_frequent_words_are_scored_alike() -> None:
    """The short way for rare words and the way through all rows give the same score."""
    many = fields(*(f"tea w{row}" for row in range(400)))
    counts = Counter({"tea": 400, "w7": 1})

    (both,) = scores_of([many], [("w7", 1.0), ("tea", 1.0)])
    (rare,) = scores_of([many], [("w7", 1.0)])
    ((_, among),) = look_up([many], [("w7", 1.0), ("tea", 1.0)]).scored(
        among=[np.array([7, 8], np.int32)]
    )

    idf = {word: math.log(1 + (400 - n + 0.5) / (n + 0.5)) for word, n in counts.items()}
    assert both[7] == pytest.approx(idf["w7"] + idf["tea"])
    assert both[8] == pytest.approx(idf["tea"])
    assert rare.tolist() == pytest.approx([idf["w7"] if row == 7 else 0 for row in range(400)])
    assert among.tolist() == both[7:9].tolist()


def test_only_the_rarest_words_count_when_told_so() -> None:
    """Of words that somebody has, those that the fewest have are looked for, of equals the
    first.
    """
    texts = fields("tea rain", "tea", "milk", "tea milk rain")
    words = [("unheard", 1.0), ("tea", 1.0), ("milk", 1.0), ("rain", 1.0)]

    (one,) = scores_of([texts], words, rarest=1)
    (two,) = scores_of([texts], words, rarest=2)

    assert one.tolist() == scores_of([texts], [("milk", 1.0)])[0].tolist()
    assert two.tolist() == scores_of([texts], [("milk", 1.0), ("rain", 1.0)])[0].tolist()


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=9),
    st.integers(1, 4),
    st.lists(st.booleans(), min_size=9),
)
def test_rows_with_too_few_of_the_words_are_left_out(
    texts: list[list[str]], least: int, looked_at: list[bool]
) -> None:
    """Who has at least so many of the words that somebody has is scored as ever, nobody else."""
    documents, words = fields(*map(" ".join, texts)), [(word, 1.0) for word in "abcxyz"]
    enough = min(least, len({word for text in texts for word in text} & set("abc")))
    some = np.array([row for row in range(len(texts)) if looked_at[row]], np.int32)

    ((every, scores),) = look_up([documents], words).scored()
    ((rows, found),) = look_up([documents], words).scored(least=least)
    ((among, _),) = look_up([documents], words).scored(least=least, among=[some])

    sharing = [len(set(texts[row]) & set("abc")) >= enough for row in every]
    assert (rows.tolist(), found.tolist()) == (every[sharing].tolist(), scores[sharing].tolist())
    assert among.tolist() == [row for row in rows.tolist() if row in some]


def test_nothing_scores_nothing() -> None:
    """No documents, no words, or words nobody has: no score, no warning."""
    assert scores_of([], [("tea", 1.0)]) == []
    assert scores_of([fields()], [("tea", 1.0)])[0].tolist() == []
    assert scores_of([fields("tea", "")], [])[0].tolist() == [0, 0]
    assert scores_of([fields("tea", "")], [("milk", 1.0), ("", 1.0)])[0].tolist() == [0, 0]
