"""The token estimate behind every budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.tokens import Counter, count_tokens

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def test_nothing_costs_nothing() -> None:
    """The empty text has no token; any other has at least one."""
    assert count_tokens("") == 0
    assert count_tokens("a") == 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # what the vocabulary o200k makes of the text
        ("I went to the park with the kids and it was great fun for all of us", 17),
        ("Meine Katzen schlafen gern in den Häusern der Nachbarn", 13),
        ("我有两只猫，明天我们要去北京看望我的奶奶，她马上就要九十岁了。", 26),
        (
            "저는 고양이 두 마리를 키우고 있고 내일 아흔 살이 되시는 할머니를 뵈러 부산에 갑니다.",
            33,
        ),
        (
            "Congratulations on your photography exhibition! Everybody recommended it, especially"
            " the landscapes.",
            14,
        ),
        ("Mis gatos suelen dormir en las casas de los vecinos por la tarde", 13),
        ("2024-05-03 10:30 1,000,000 3.14159 192.168.0.1 +49 170 1234567", 37),
    ],
)
def test_the_estimate_is_near_a_real_vocabulary(text: str, tokens: int) -> None:
    """Within a tenth below and three tenths above."""
    assert 0.9 * tokens <= count_tokens(text) <= 1.3 * tokens


def test_a_wide_character_costs_a_token() -> None:
    """Four bytes a token would take Chinese for a quarter cheaper than it is."""
    assert count_tokens("猫" * 100) == 100


@given(ANY_TEXT, ANY_TEXT)
def test_more_text_never_costs_less(one: str, other: str) -> None:
    """Packing into a budget may add up lines: the whole costs no more than they do, and no less
    than either.
    """
    line, whole = one + "\n", count_tokens(f"{one}\n{other}")

    assert max(count_tokens(one), count_tokens(other)) <= whole
    assert whole <= count_tokens(line) + count_tokens(other)


def test_the_estimate_is_a_counter() -> None:
    """Where a counter is asked for, the estimate or a model's own tokenizer fits."""
    counters: list[Counter] = [count_tokens, len]

    assert [count("four") for count in counters] == [1, 4]
