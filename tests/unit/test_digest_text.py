"""What becomes of a digest that a model drafted: pure."""

from __future__ import annotations

from typing import Any

import pytest

from omoide.faculties.reflection.digest_text import Condensed, Matter, read_draft, settled
from omoide.nouns.reflection import DigestKind, Size
from tests.evals.claims import NOON

OLD = "[PEOPLE AND GROUPS]\n- Omar leads the team in Porto"
NEW = ("Nadia prefers calls to mails", "The move to the new office is done")
MATTER = Matter(
    kind=DigestKind.AGENT,
    size=Size(reflections=2, words=40),
    old=OLD,
    reflections=NEW,
    now=NOON,
    names=("person:Omar", "person:Nadia"),
)


def of_agent(held: list[bool] | None, *lines: str, gone: tuple[str, ...] = ()) -> Condensed:
    """What lines under one title become."""
    answer: dict[str, Any] = {
        "sections": [{"title": "PEOPLE AND GROUPS", "lines": list(lines)}],
        "gone": list(gone),
    }
    return settled(MATTER, read_draft(MATTER, answer), held)


def test_what_a_refused_line_was_made_of_is_put_back_where_nothing_else_is_kept_for() -> None:
    """An agent's digest may drop what it likes, but for that."""
    found = of_agent([False, True], "Omar prefers calls to mails", "The move is done")

    assert found.text == "[PEOPLE AND GROUPS]\n- The move is done\n- Nadia prefers calls to mails"


def test_what_a_model_says_is_over_is_not_put_back() -> None:
    """Also where a line of it is refused."""
    found = of_agent([False, True], "Omar prefers calls to mails", NEW[1], gone=(NEW[0],))

    assert found.text == f"[PEOPLE AND GROUPS]\n- {NEW[1]}"


def test_nothing_left_is_no_digest() -> None:
    """Where the only line was made of nothing."""
    with pytest.raises(ValueError, match="no line says only"):
        of_agent([False], "The cat sleeps on the barn's roof")


def test_a_line_that_says_of_one_what_a_source_says_of_another_is_flagged() -> None:
    """Both are known and named in the sources."""
    with pytest.raises(ValueError, match=r"line 1 .*: ungrounded_name"):
        of_agent(None, "Omar prefers calls to mails")
