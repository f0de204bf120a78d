"""Exports whose shape changed somewhere: what a user said is imported, or counted by its field.

``tests/exchange/mutants.py`` changes every fixture at every place in twenty ways. A test takes a
sample; ``OMOIDE_MUTANTS=all`` takes all of them, which are 20,000.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from omoide.exchange import read_export
from omoide.exchange.accounts import WordAccount
from omoide.exchange.options import ImportOptions
from omoide.exchange.shape import words
from tests.exchange.exports import read, written
from tests.exchange.mutants import Export, fate, fixtures

SAMPLE = 60  # mutants of an export that are tried


@pytest.mark.parametrize(
    ("fixture", "format"), fixtures(), ids=lambda value: "" if isinstance(value, str) else None
)
def test_words_in_a_changed_shape_are_imported_or_counted(
    fixture: Path, format: str, tmp_path: Path
) -> None:
    """None is lost without a count that names its field, or a problem at its place."""
    export = Export(fixture, format, tmp_path)
    mutants = list(export.mutants())
    if os.environ.get("OMOIDE_MUTANTS") != "all":
        mutants = random.Random(format).sample(mutants, SAMPLE)

    fates = {str(mutant): fate(export, mutant, export.after(mutant)) for mutant in mutants}

    assert export.numbers
    assert {mutant: told for mutant, told in fates.items() if told.startswith("lost")} == {}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("Hi", "Hi"),
        (42, "42"),
        (["Hi", "you"], "Hi\nyou"),
        ([{"type": "text", "text": "Hi"}, "you"], "Hi\nyou"),
        ({"content": {"parts": ["Hi", {"value": "you"}]}}, "Hi\nyou"),
        ({"text": "Hi", "content": "Hi"}, "Hi"),
        (None, ""),
        (True, ""),
        ({"url": "Hi"}, ""),
    ],
)
def test_a_text_has_many_shapes(value: object, told: str) -> None:
    """Each is read as what somebody says."""
    assert words(value) == told  # type: ignore[arg-type]


def test_a_message_in_an_unknown_shape_is_not_called_empty(tmp_path: Path) -> None:
    """Not even one of a single word: the count names the field."""
    said = {"id": 1, "type": "message", "date_unixtime": "1767603600", "from": "A"}
    told = [said | {"text": "Hi"}, said | {"id": 2, "text": {"rich": "Yes"}}]
    told.append(said | {"id": 3, "text": ""})
    chat = {"name": "Bo", "id": 1, "type": "personal_chat", "messages": told}
    path = written(tmp_path / "result.json", chat)

    (talk,) = read(path)[0]

    assert talk.metadata["left_out"] == {"words in text.rich": 1, "empty": 1}


def test_messages_by_their_ids_are_read(tmp_path: Path) -> None:
    """As well as in a list."""
    said = {"type": "message", "date_unixtime": "1767603600", "from": "A", "text": "Hi there"}
    chat = {"name": "Bo", "id": 1, "type": "personal_chat", "messages": {"1": said | {"id": 1}}}

    (talk,) = read(written(tmp_path / "result.json", chat))[0]

    assert [message.text for message in talk.messages] == ["Hi there"]


def test_a_file_without_messages_says_so(tmp_path: Path) -> None:
    """Whatever it holds in their place."""
    path = written(tmp_path / "result.json", ["some words that nobody reads"])
    found = list(read_export(path, ImportOptions(format="telegram")))

    assert [str(problem) for problem in found] == ["result.json: holds no list of messages"]


def test_an_account_tells_lines_from_each_other() -> None:
    """A text of which one line was told is not told whole; signs around words do not matter."""
    account = WordAccount()
    account.tell("> we go home now\n> and so on we go")

    assert [*account.unread({"a": "We go home now"}, frozenset())] == ["a"]
    assert [*account.unread({"a": "we go home, now"}, frozenset())] == []
    assert [*account.unread({"a": "we go home now\nnobody read this line"}, frozenset())] == ["a"]
    assert [*account.unread({"a": "nobody read this line"}, frozenset({"a"}))] == []
