"""What is said of a name that nobody knows."""

from __future__ import annotations

import pytest

from omoide.nouns.errors import UnknownName


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("zebra", (), "unknown 'zebra'"),
        ("zebra", ("fact",), "unknown 'zebra'; did you mean 'fact'?"),
        ("facts", ("fact", "note"), "unknown 'facts'; did you mean 'fact'? known: fact, note"),
        ("zebra", ("fact", "note"), "unknown 'zebra'; known: fact, note"),
        ("why?;", ("fact", "note"), "unknown 'why?;'; known: fact, note"),
    ],
)
def test_an_unknown_name_is_told_as_it_was_given(
    name: str, known: tuple[str, ...], said: str
) -> None:
    """With what may be meant, and what is known if that is several names."""
    assert UnknownName("field", name, known).problem == said
