"""Exports that are almost right: any value replaced by any other, any byte lost, in any
encoding.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omoide.exchange import ImportOptions, Problem, read_export
from omoide.exchange.problems import Omission
from omoide.exchange.products import PRODUCTS
from omoide.exchange.products.export import open_export
from omoide.exchange.streams import CHUNK
from omoide.nouns.errors import InvalidInput
from omoide.nouns.session import Conversation
from tests.exchange.exports import FIXTURES, read, written
from tests.exchange.mutants import Steps, changed, places
from tests.exchange.test_import_products import EXPORTS

JSON_FILES = {
    "chatgpt": FIXTURES / "chatgpt" / "conversations.json",
    "claude_ai": FIXTURES / "claude_ai" / "conversations.json",
    "telegram": FIXTURES / "telegram" / "result.json",
    "discord": FIXTURES / "discord" / "Club - general [42].json",
    "gemini_cli": FIXTURES / "gemini_cli" / "session-2025-12-01T09-00-2e.json",
    "instagram": FIXTURES / "instagram" / "messages" / "inbox" / "bo_17" / "message_1.json",
}
LINE_FILES = {
    "signal": FIXTURES / "signal" / "received.jsonl",
    "claude_code": FIXTURES / "claude_code" / "5d0c.jsonl",
    "codex": FIXTURES / "codex" / "rollout-2026-01-05T09-00-00-5973b6c0.jsonl",
}
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.just("\ud800\x00"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "type", "id", "parts", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
SETTINGS = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def inner_places(value: Any) -> list[Steps]:
    """The paths to every value within a JSON value."""
    return [at for at, _ in places(value) if at]


def sound(path: Path, format: str) -> int:
    """How many messages an export gives; fails where one is not fit to be stored."""
    zone = "UTC" if format in ("whatsapp", "telegram") else None
    count = 0
    for reading in read_export(path, ImportOptions(format=format, zone=zone)):
        assert isinstance(reading, (Conversation, Problem))
        for message in reading.messages if isinstance(reading, Conversation) else ():
            assert message.text.strip()
            assert message.key
            assert message.at is not None
            assert message.at.tzinfo is not None
            (message.text + (message.speaker or "") + json.dumps(dict(message.metadata))).encode()
            count += 1
    return count


@pytest.mark.parametrize("format", JSON_FILES)
@given(data=st.data())
@SETTINGS
def test_any_value_may_be_anything(tmp_path: Path, format: str, data: st.DataObject) -> None:
    """No wrong value anywhere raises, or gives a message that cannot be stored."""
    original = json.loads(JSON_FILES[format].read_text("utf-8"))
    path = data.draw(st.sampled_from(inner_places(original)))
    odd = changed(original, path, data.draw(ANYTHING))

    sound(written(tmp_path / JSON_FILES[format].name, odd), format)


@pytest.mark.parametrize("format", ["slack", *LINE_FILES])
@given(data=st.data())
@SETTINGS
def test_any_value_of_a_message_may_be_anything(
    tmp_path: Path, format: str, data: st.DataObject
) -> None:
    """The same for the formats of many files or lines."""
    slack = json.loads((FIXTURES / "slack" / "general" / "2026-01-05.json").read_text("utf-8"))
    original = slack
    if format in LINE_FILES:
        original = [json.loads(line) for line in LINE_FILES[format].read_text("utf-8").splitlines()]
    path = data.draw(st.sampled_from(inner_places(original)))
    odd = changed(original, path, data.draw(ANYTHING))
    if format == "slack":
        written(tmp_path / "e" / "channels.json", [])
        written(tmp_path / "e" / "general" / "2026-01-05.json", odd)
    else:
        written(tmp_path / "e" / "s.jsonl", "\n".join(map(json.dumps, odd)))

    sound(tmp_path / "e", format)


@pytest.mark.parametrize("format", [*JSON_FILES, *LINE_FILES, "whatsapp", "mail", "transcript"])
@given(data=st.data())
@SETTINGS
def test_any_cut_or_flip_is_survived(tmp_path: Path, format: str, data: st.DataObject) -> None:
    """A file cut off anywhere, or with bytes changed anywhere, is read as far as it goes."""
    files = {
        **JSON_FILES,
        **LINE_FILES,
        "whatsapp": FIXTURES / "whatsapp" / "zh.txt",
        "mail": FIXTURES / "mail" / "inbox.mbox",
        "transcript": FIXTURES / "transcript" / "Moving.md",
    }
    content = bytearray(files[format].read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = written(
        tmp_path / files[format].name, bytes(content[: data.draw(st.integers(0, len(content)))])
    )

    asked = ""
    try:
        sound(path, format)
    except InvalidInput as question:
        asked = question.field

    assert asked in ("", "day_first")


ODD: tuple[Any, ...] = (
    None,
    True,
    7,
    1.5,
    10**400,
    "",
    "half \ud800",
    [],
    {},
    [[1]],
    {"x": {"text": "a"}},
)
JSON_PRODUCTS = ("mem0 json", "letta", "old letta", "hindsight", "zep")


@pytest.mark.parametrize("name", JSON_PRODUCTS)
def test_any_value_of_a_memory_may_be_odd(name: str, tmp_path: Path) -> None:
    """Each value in the memory of another product in turn: every record is still read or told of."""
    format, made = EXPORTS[name]
    path = made(tmp_path)
    whole = json.loads(path.read_text("utf-8"))
    found: list[Any] = []
    for place, odd in product(inner_places(whole), ODD):
        path.write_text(json.dumps(changed(whole, place, odd)))
        with open_export(path) as export:
            found += PRODUCTS[format].read(export)

    assert len(found) > len(ODD)
    assert all(isinstance(one, (Omission, Problem)) or one.digest for one in found)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("format", [*JSON_FILES, "claude_code"])
def test_every_format_is_read_in_every_encoding(tmp_path: Path, format: str, encoding: str) -> None:
    """As some editors save it."""
    original = {**JSON_FILES, "claude_code": FIXTURES / "claude_code" / "5d0c.jsonl"}[format]
    path = written(tmp_path / original.name, original.read_text("utf-8").encode(encoding))

    assert read(path) == read(original)


@pytest.mark.parametrize("format", JSON_FILES)
def test_a_number_of_any_size_costs_no_message(tmp_path: Path, format: str) -> None:
    """JSON knows no greatest number, as that of 64 bits is."""
    original = json.loads(JSON_FILES[format].read_text("utf-8"))
    whole, rest = (original, {}) if isinstance(original, dict) else (original[0], original[1:])
    whole["more"] = [10**30, -(10**20), 1.5]
    changed = whole if isinstance(original, dict) else [whole, *rest]

    path = written(tmp_path / JSON_FILES[format].name, changed)

    assert sound(path, format) == sound(JSON_FILES[format], format) > 0


@pytest.mark.parametrize("number", ["1" * 641, "-" + "9" * 5_000_000, "1e9999999999999999999"])
def test_a_number_that_no_program_reads_ends_a_file(tmp_path: Path, number: str) -> None:
    """A problem tells of it, and the parser does not crash; pieces before it are imported."""
    (one, *_) = json.loads(JSON_FILES["chatgpt"].read_text("utf-8"))
    piece = " " * 2 * CHUNK
    told = f'[{json.dumps(one)},{piece}{{"create_time": {number}}}]'
    path = written(tmp_path / "conversations.json", told)

    talks, problems = read(path)

    assert [talk.title for talk in talks] == [one["title"]]
    assert len(problems) == 1


@pytest.mark.parametrize("before", ["", '\\"', "\\\\", "a" * 65_000])
def test_digits_in_a_text_are_no_number(tmp_path: Path, before: str) -> None:
    """However many, and wherever the pieces end that a file is read in."""
    text = json.loads(f'"{before}"') + "7" * 200_000
    said = {"id": 1, "type": "message", "date_unixtime": "1767603600", "from": "A", "text": text}
    chat = {"name": "Bo", "id": 1, "type": "personal_chat", "messages": [said, said | {"id": 2}]}

    (talk,), problems = read(written(tmp_path / "result.json", chat))

    assert [message.text for message in talk.messages] == [text, text]
    assert problems == []


@pytest.mark.parametrize("kind", [[], {}, ["text"], None, 7])
@pytest.mark.parametrize("format", LINE_FILES)
def test_a_format_is_found_whatever_type_a_record_has(
    tmp_path: Path, format: str, kind: object
) -> None:
    """Though only the first record has a strange one."""
    lines = LINE_FILES[format].read_text("utf-8").splitlines()
    strange = json.dumps({"type": kind, "payload": {}})
    path = written(tmp_path / "new.jsonl", "\n".join((strange, *lines)))

    found, _ = read(path)
    assert found
