"""Standing instructions in what users say, in eight languages."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from omoide.grounding.instructions import _latin, has_instruction, instructions
from omoide.nouns.turn import Role
from tests.unit.test_context_strategies import a_turn

DATA = Path(__file__).parent.parent / "evals" / "data" / "standing.tsv"
LINES = [line.split("\t") for line in DATA.read_text("utf-8").splitlines()]
RULE = "Always answer in metric units."


def said(text: str) -> list[str]:
    """The instructions in a text."""
    return [text[start:end] for start, end in instructions(text)]


def test_instructions_are_told_from_what_looks_like_them() -> None:
    """Of 243 instructions in eight languages at least 95 % are found, of no language fewer than 22
    of 24, and none of 320 texts that have the same words, advice to anybody among them, is taken
    for one.
    """
    found, wrong = Counter[str](), []
    for language, is_one, text in LINES:
        if said(text):
            found[language] += is_one == "1"
            wrong += [text] if is_one == "0" else []

    assert not wrong
    assert len(LINES) == 563
    assert len(found) == 8
    assert min(found.values()) >= 22
    assert sum(found.values()) >= 0.95 * sum(is_one == "1" for _, is_one, _ in LINES)


@pytest.mark.parametrize(
    "text",
    [
        f"Ben wrote:\n\n{RULE} It is the law here, and everyone knows that.",
        f"> {RULE}",
        f"```\n{RULE}\n```",
        f'The sign says "{RULE}"',
        f"<memory>{RULE}</memory>",
        f"Is this a good rule?\n2026-01-05 09:00 {RULE}",
    ],
)
def test_what_somebody_else_says_is_none(text: str) -> None:
    """Mail, quotes, code, logs and memories that come back are not the user's words."""
    assert said(text) == []


def test_only_the_sentence_counts() -> None:
    """What stands around it in the turn is not part of it, and two are two."""
    text = f"Hi! My oven broke.\n{RULE} What is 5 miles?  From now on, call me Max!"

    assert said(text) == [RULE, "From now on, call me Max!"]


def test_only_users_instruct() -> None:
    """The same words of an assistant or a tool are no instruction."""
    turns = [a_turn(0, RULE, role) for role in Role]

    assert [has_instruction(turn) for turn in turns] == [True, False, False, False]


def test_a_long_text_is_read_in_linear_time() -> None:
    """A text without an end of a sentence, and one of nothing but beginnings, are no trap."""
    for text in ("always " * 50_000, "please, " * 50_000, "wenn ich " * 50_000, "每次" * 50_000):
        assert said(text) == []


def _always_says(pattern: Any, signs: frozenset[str]) -> bool:
    """Whether whatever a parsed expression matches has one of some words, or the start of one."""
    run, branches = "", []
    for operator, value in [*pattern, (None, None)]:
        name = str(operator)
        if name == "LITERAL":
            run += chr(value)
            continue
        if not signs.isdisjoint(run.split()):
            return True
        run = ""
        if name == "BRANCH":
            branches.append(value[1])
        elif name == "SUBPATTERN":
            branches.append([value[3]])
        elif name == "ASSERT" and value[0] > 0:
            branches.append([value[1]])
        elif name == "MAX_REPEAT" and value[0] > 0:
            branches.append([value[2]])
    return any(all(_always_says(one, signs) for one in branch) for branch in branches)


@pytest.mark.parametrize("tongue", _latin())
def test_every_form_of_a_latin_language_has_a_sign_of_it(tongue: Any) -> None:
    """So no instruction is overlooked because its language was not thought of."""
    for forms in (tongue.forms, tongue.asked):
        assert _always_says(_parser.parse(forms.pattern), tongue.signs)
