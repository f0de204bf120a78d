"""The setting that names what models cost."""

from __future__ import annotations

import pytest

from omoide.nouns.errors import InvalidInput
from omoide.settings.prices import Price, read_prices


def test_prices_are_read_by_model() -> None:
    """Also those whose id has signs of its own; the amounts are dollars for a million tokens."""
    prices = read_prices("openai:gpt-5-mini=0.25/2, ollama:qwen3@10.0.0.7:11434=0/0,a=b=1/1,")

    assert prices == {
        "openai:gpt-5-mini": Price(read=0.25, written=2.0),
        "ollama:qwen3@10.0.0.7:11434": Price(read=0.0, written=0.0),
        "a=b": Price(read=1.0, written=1.0),
    }
    assert prices["openai:gpt-5-mini"].of(2_000_000, 500_000) == pytest.approx(1.5)
    assert read_prices("") == {}


@pytest.mark.parametrize(
    "setting",
    ["m", "m=", "m=1", "m=1/", "=1/2", "m=-1/2", "m=1/2/3", "m=nan/1", "m=1e3/1", "m=١/٢"],
)
def test_what_cannot_be_read_is_refused(setting: str) -> None:
    """With how it is written."""
    with pytest.raises(InvalidInput, match="MODEL=READ/WRITTEN"):
        read_prices(setting)


@pytest.mark.parametrize(
    "setting",
    ["openai:a=1/2;openai:b=3/4", "a=1/2; b=3/4,c=5/6", "a=1/2;", "a=1/2 b=3/4", "a=1/2\nb=3/4"],
)
def test_another_separator_is_refused(setting: str) -> None:
    """Two entries are not one model of an odd name; the message says what stands between
    entries.
    """
    with pytest.raises(InvalidInput, match="commas between"):
        read_prices(setting)
