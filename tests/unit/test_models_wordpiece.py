"""Words and word pieces, against ids recorded from the reference tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.models.embedders.static import load_vocabulary
from omoide.models.embedders.wordpiece import WordPiece, words

WORDPIECE = WordPiece(load_vocabulary())
UNKNOWN = WORDPIECE.unknown


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (
            "Don't worry: it costs $5.30!",
            [2123, 1005, 1056, 4737, 1024, 2009, 5366, 1002, 1019, 1012, 2382, 999],
        ),
        ("Café NAÏVE Straße", [7668, 15743, 2358, 27807]),
        ("İstanbul ΣΊΣΥΦΟΣ", [9960, 1173, 18199, 29733, 29735, 29736, 29730, 29733]),
        ("東京へ行きました", [1879, 1755, 1675, 1945, 1652, 30203, 30183, 30187]),
        ("한국어 좋아요", [1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008, UNKNOWN]),
        ("สวัสดีครับ", [UNKNOWN]),
        ("क्या हाल है", [1315, 29868, 29876, 1339, 29876, 29870, 1339]),
        ("\U0001f469\u200d\U0001f467 hi\u200b there", [UNKNOWN, 7632, 2045]),
        ("unbelievableness", [23653, 2791]),
        ("x\x00y\ufffdz\tw", [1060, 2100, 2480, 1059]),
        ("\u00a0 \u3000", []),
        ("", []),
    ],
)
def test_texts_are_cut_as_the_models_were_trained(text: str, ids: list[int]) -> None:
    """Case, accents, controls, ideographs and punctuation are treated as by the reference."""
    assert WORDPIECE.ids(text) == ids


def test_marks_written_in_a_text_are_text() -> None:
    """Nobody can slip a start or end mark into a model by writing it."""
    ids = WORDPIECE.ids("[CLS] [SEP] [PAD] [MASK]")

    assert not {WORDPIECE.start, WORDPIECE.end, WORDPIECE.padding} & set(ids)


def test_a_word_of_over_100_characters_is_unknown_as_a_whole() -> None:
    """A huge word costs one id, not a search over all its pieces."""
    assert WORDPIECE.ids("a" * 101) == [UNKNOWN]


def test_cutting_again_gives_the_same() -> None:
    """The cache of cut words changes nothing."""
    text = "unbelievableness and quizzicality"

    assert WORDPIECE.ids(text) == WORDPIECE.ids(text) == WordPiece(load_vocabulary()).ids(text)


@given(st.text())
def test_any_text_can_be_cut(text: str) -> None:
    """No character of any script, alone or combined, breaks the cutting, and no word is lost."""
    ids = WORDPIECE.ids(text)

    assert len(ids) >= len(words(text))
    assert all(UNKNOWN <= number < len(load_vocabulary()) for number in sorted(ids))


def test_half_a_surrogate_pair_is_dropped() -> None:
    """Broken text from a broken client is cut like any other."""
    assert words("a\ud800b") == ["ab"]
