"""Exports that are plain text, changed at every line: each line is imported, or told of."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omoide.nouns.errors import ImportRefused, InvalidInput
from tests.exchange.exports import FIXTURES, read, read_all, read_one, texts, written

NEW = "told words number 99 here"
FILES = [
    *[(path, "whatsapp") for path in sorted((FIXTURES / "whatsapp").iterdir())],
    *[(path, "transcript") for path in sorted((FIXTURES / "transcript").iterdir())],
    (FIXTURES / "mail" / "inbox.mbox", "mail"),
]
ATTACHED = re.compile(r"--b\nContent-Type: application/pdf.*?(?=--b)", re.DOTALL)
# how a line may be changed
CHANGES: dict[str, Callable[[str], str]] = {
    "a line before": lambda line: f"{NEW}\n{line}",
    "a line after": lambda line: f"{line}\n{NEW}",
    "words in place of it": lambda line: NEW,
    "words behind it": lambda line: f"{line} {NEW}",
    "words in front of it": lambda line: f"{NEW} {line}",
    "a mark in front of it": lambda line: f"\u200f{line} {NEW}",
    "a mark behind it": lambda line: f"{line} {NEW}\u200f",
    "NUL in it": lambda line: f"{line} \x00 {NEW}",
    "deeper": lambda line: f"    {line} {NEW}",
    "a blank line": lambda line: f"\n{line} {NEW}",
    "a heading": lambda line: f"{line}\n## Nobody\n{NEW}",
    "a name": lambda line: f"{line}\nNobody: {NEW}",
    "another layout of dates": lambda line: f"{line}\n2024.13.01 at 9h - Ana: {NEW}",
    "an escape": lambda line: f"{line}\n\x1b[1m{NEW}",
    "another separator": lambda line: f"{line}\u2028{NEW}",
    "an old line end": lambda line: f"{line}\r{NEW}",
}


def lines_changed(text: str) -> Iterator[tuple[str, str]]:
    """The text with each of its lines changed in each way, and what was changed."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for change, make in CHANGES.items():
            made = [*lines[:number], make(line), *lines[number + 1 :]]
            yield f"line {number + 1}: {change}", "\n".join(made)


def told_of(path: Path, format: str) -> tuple[bool, bool]:
    """Whether the new words were imported, and whether anything was counted or named that an
    import of the file as it was has not.
    """
    try:
        talks, problems, omissions = read_all(path, format=format, zone="UTC")
    except (ImportRefused, InvalidInput):
        return False, True
    return NEW in repr(talks), bool(problems) or bool(omissions)


@pytest.mark.parametrize(("file", "format"), FILES, ids=lambda value: getattr(value, "name", ""))
def test_a_line_in_a_changed_shape_is_imported_or_told_of(
    file: Path, format: str, tmp_path: Path
) -> None:
    """It belongs to the message before, or is counted, or is a problem."""
    text = ATTACHED.sub("", file.read_text("utf-8"))
    lost = []
    for change, made in lines_changed(text):
        path = written(tmp_path / file.name, made)
        is_stored, is_told = told_of(path, format)
        if not (is_stored or is_told):
            lost.append(change)

    assert lost == []


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "utf-8 with its mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "utf-16 of the other order": lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    "utf-16 without its mark": lambda text: text.encode("utf-16-le"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("file", "format"), FILES[:-1], ids=lambda value: getattr(value, "name", "")
)
def test_a_file_in_another_encoding_is_the_same(
    file: Path, format: str, encoding: str, tmp_path: Path
) -> None:
    """With the same keys, so that importing it again adds nothing."""
    text = file.read_text("utf-8")
    if encoding == "utf-16 without its mark" and not text[:2].isascii():
        pytest.skip("nothing tells it from UTF-8")
    same = written(tmp_path / file.name, ENCODINGS[encoding](text))

    one, other = (read(path, format=format, zone="UTC") for path in (file, same))

    assert [texts(talk.messages) for talk in one[0]] == [texts(talk.messages) for talk in other[0]]
    keys = [{m.key for talk in found[0] for m in talk.messages} for found in (one, other)]
    assert keys[0] == keys[1]


def test_text_of_an_old_program_is_read_as_windows_1252(tmp_path: Path) -> None:
    """The file says so by bytes that are not UTF-8; a problem tells of it."""
    chat = "13.01.24, 09:00 - Ana: Grüße aus Köln für 5 €\n13.01.24, 09:01 - Bo: Schön"
    path = written(tmp_path / "WhatsApp Chat mit Bo.txt", chat.encode("cp1252"))

    (talk,), problems = read(path, zone="UTC")

    assert texts(talk.messages) == ["Grüße aus Köln für 5 €", "Schön"]
    assert [problem.what for problem in problems] == [
        "some bytes are not UTF-8; each was read as Windows-1252"
    ]


MAIL = b"""From: Ana <ana@example.org>
Date: Mon, 05 Jan 2026 09:00:00 +0100
Message-ID: <1@example.org>
"""


def test_a_mail_is_read_in_its_own_encoding(tmp_path: Path) -> None:
    """Whatever that is: its head says it."""
    head = b"Content-Type: text/plain; charset=iso-8859-2\nContent-Transfer-Encoding: 8bit\n\n"
    path = written(tmp_path / "one.eml", MAIL + head + "Zażółć gęślą jaźń".encode("iso-8859-2"))

    assert texts(read_one(path).messages) == ["Zażółć gęślą jaźń"]


def test_all_parts_of_a_mail_that_are_shown_are_read(tmp_path: Path) -> None:
    """Words that stand behind a picture too; of two forms of the same words one."""
    parts = b"""Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: multipart/alternative; boundary="c"

--c
Content-Type: text/plain

Look at this
--c
Content-Type: text/html

<p>Look at this</p>
--c--
--b
Content-Type: image/png; name="sea.png"
Content-Disposition: inline; filename="sea.png"

x
--b
Content-Type: text/plain

and tell me where it is
--b--
"""
    message = read_one(written(tmp_path / "one.eml", MAIL + parts)).messages[0]

    assert message.text == "Look at this\n\nand tell me where it is"
    assert message.metadata["attachments"] == [{"name": "sea.png", "type": "image/png"}]
