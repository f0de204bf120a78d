"""JSON of others that is nested as deeply as nobody nests it: told like any other wrong text."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.cli import run
from omoide.evals.dataset import parsed
from omoide.models.server_words import server_words
from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import parse_json
from omoide.proxy.heard import Heard, answer_of

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "problem"),
    [(DEEP, "nested too deeply"), ("{", "Expecting"), ("", "Expecting"), (b"\xff", "decode")],
)
def test_what_is_not_json_is_a_value_error(text: str | bytes, problem: str) -> None:
    """However it is wrong."""
    with pytest.raises(ValueError, match=problem):
        parse_json(text)


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda text: answer_of(text.encode()), ValueError),
        (lambda text: Heard().hear(text.encode()), ValueError),
        (lambda text: parsed(Path("data.json"), text.encode()), InvalidInput),
    ],
)
def test_deep_json_is_refused_as_other_json_is(
    read: Callable[[str], object], error: type[Exception]
) -> None:
    """By an answer of a server, and by a file of questions."""
    with pytest.raises(error):
        read(DEEP)


def test_a_server_that_answers_with_deep_json_still_fails_as_it_did() -> None:
    """Its words, if they are none, are left out."""
    assert server_words(DEEP, ()) == ""


def test_a_hook_is_told_that_its_event_is_nested_too_deeply(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a typed error, not by a traceback."""
    monkeypatch.setattr("sys.stdin", io.StringIO(DEEP))

    assert run(["hook"]) == InvalidInput.exit_code
    assert "nested too deeply" in capsys.readouterr().err
