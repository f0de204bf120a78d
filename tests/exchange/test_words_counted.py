"""Exports of every format with words in every place that has some: each is imported or counted.

The exports stand in ``fixtures/odd``, with fields that newer versions of the products may bring. In
them somebody says "said words number 7 here" and so on.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange.accounts import unread_words
from omoide.exchange.shape import holds_words
from omoide.nouns.metadata import Json
from tests.exchange.exports import FIXTURES, read_all, written
from tests.growth import is_linear

ODD = FIXTURES / "odd"
FORMATS = sorted(path.name for path in ODD.iterdir())
SAID = re.compile("said words number ([0-9]+) here")
# what is not imported, and as what it is counted
COUNTED = {
    "chatgpt": {
        5: "words in message.content.parts.transcript",
        7: "words in message.content.summary",
        10: "words in message.content.extra",
        11: "thinking",
        12: "words in message.content.model_set_context",
        14: "words in message.feedback.text",
        15: "other branch",
        17: "words in note",
        18: "file",
    },
    "claude_ai": {
        2: "words in summary",
        5: "words in text",
        7: "thinking",
        10: "words in feedback.reason",
        11: "conversation without messages",
        **dict.fromkeys((12, 13, 14, 15), "file"),
    },
    "claude_code": {
        **dict.fromkeys((1, 2), "title of another session"),
        4: "words in planContent",
        8: "system",
        9: "progress",
        10: "former title",
        12: "last-prompt",
        13: "attachment plan_mode",
        15: "brand-new2",
        16: "tag",
    },
    "codex": {
        1: "words in payload.instructions",
        2: "words in payload.base_instructions.text",
        3: "words in payload.user_instructions",
        11: "words in payload.replacement_history.content.text",
        12: "event_msg task_complete",
        13: "words in payload.note",
        14: "whole_new_thing",
    },
    "discord": {9: "words in newField.t", 11: "words in attachments.description"},
    "gemini_cli": {
        2: "words in memoryScratchpad.x",
        5: "thinking",
        8: "info",
        10: "words in content.executableCode.code",
        12: "words in note",
    },
    "instagram": {
        4: "words in share.caption",
        5: "words in photos.caption",
        6: "words in note",
    },
    "signal": {
        3: "words in envelope.dataMessage.attachments.caption",
        4: "words in envelope.dataMessage.pollCreate.question",
        5: "words in envelope.dataMessage.payment.note",
        6: "storyMessage",
    },
    "slack": {
        7: "words in attachments.text",
        8: "words in files.preview",
        10: "words in blocks.text.text",
        12: "words in huddle.note",
        13: "file",
    },
    "telegram": {
        10: "words in quote",
        11: "words in place_name",
        12: "words in address",
        13: "words in invoice_information.title",
        14: "words in invoice_information.description",
        16: "words in game_description",
        18: "words in giveaway_information.additional_prize",
        19: "words in inline_bot_buttons.text",
    },
}


def imported(path: Path) -> tuple[set[int], Counter[str]]:
    """The numbers of what was imported, and how many records were left out, by kind."""
    talks, _, left_out = read_all(path, user="ana")
    return numbers(repr(talks)), Counter({one.kind: one.count for one in left_out})


def numbers(told: str) -> set[int]:
    return {int(number) for number in SAID.findall(told)}


@pytest.mark.parametrize("format", FORMATS)
def test_words_are_imported_or_counted(format: str) -> None:
    """Whatever somebody says in an export, known or new."""
    files = (path for path in (ODD / format).rglob("*") if path.is_file())
    said = numbers("".join(path.read_text("utf-8") for path in files))
    found, left_out = imported(ODD / format)

    assert said - found == COUNTED[format].keys()
    assert not set(COUNTED[format].values()) - left_out.keys()


@pytest.mark.parametrize("format", FORMATS)
def test_a_new_field_of_a_message_is_counted(format: str, tmp_path: Path) -> None:
    """One that nobody knows today, with words or with records that hold some."""
    changed = 0
    for source in sorted((ODD / format).rglob("*.json*")):
        lined = source.suffix == ".jsonl"
        text = source.read_text("utf-8")
        value: Any = [json.loads(one) for one in text.splitlines()] if lined else json.loads(text)
        for message in messages(value):
            message["newest"] = [{"told": "these are words that nobody reads"}]
            changed += 1
        told = "\n".join(map(json.dumps, value)) if lined else json.dumps(value)
        written(tmp_path / format / source.relative_to(ODD / format), told)
    _, before = imported(ODD / format)
    _, after = imported(tmp_path / format)

    assert changed
    counted = after - before
    assert {kind.rpartition("newest")[2] for kind in counted} == {".told"}
    assert 0 < counted.total() <= changed


def messages(value: Any) -> list[dict[str, Any]]:
    """The records that say something by themselves, at any depth."""
    if isinstance(value, list):
        return [message for inner in value for message in messages(inner)]
    if not isinstance(value, dict):
        return []
    of_a_message = {"content", "message", "text", "sender_name"}
    own = [value] if of_a_message & value.keys() and SAID.search(json.dumps(value)) else []
    return own + [message for inner in list(value.values()) for message in messages(inner)]


def test_the_lines_of_a_long_text_are_accounted_for_in_linear_time() -> None:
    """Also where they stand elsewhere in the record with other signs, or in another order."""
    lines = "\n".join(f"- line {number} says something of {number * 7}" for number in range(60_000))

    assert is_linear(account_of_lines, lines)


def test_one_long_word_is_passed_over_in_linear_time() -> None:
    """As a key or an encoded value is, which no record is told by."""
    assert is_linear(holds_words, "w" * 2_000)


def account_of_lines(told: str) -> None:
    """Lines that were told, looked for in a record that holds them otherwise."""
    held = told.replace("- ", "").replace(" says", ", says")
    back = "\n".join(reversed(held.splitlines()))

    assert [*unread_words({"text": held, "back": back}, "here", told)] == []


def test_what_was_told_in_other_lines_is_no_word_left_out() -> None:
    """As where one field has each sentence in a line, and another all in one."""
    told = "We go home.\nThen we eat."
    record: Json = {"text": "We go home - Then we eat", "key": "a b"}

    assert [*unread_words(record, "here", told)] == []
    assert [*unread_words({"text": "Then we eat soup"}, "here", told)] != []


@pytest.mark.parametrize(
    ("value", "is_said"),
    [
        ("I would like some tea", True),
        ("Ana Kunz", False),
        ("2026-01-05T09:00:00Z", False),
        ("/home/ana/app/main.py", False),
        ("明日は雨が降るでしょう", True),
        ({"deep": [{"er": "we go home now"}]}, True),
        (12, False),
        ("gpt-5-large", False),
        ("कल सुबह बारिश होगी", True),
        ("พรุ่งนี้ฝนจะตกหนัก", True),
        ("غدا ستمطر السماء", True),
        ("你好，明天下午见", True),
    ],
)
def test_words_are_told_from_names_and_values(value: Any, *, is_said: bool) -> None:
    """So that counts say something."""
    assert holds_words(value) is is_said
