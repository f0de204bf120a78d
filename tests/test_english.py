"""Plain English: sentences are short on every page that a newcomer reads, and concept pages are short.

``pytest -s`` prints the figures, a page a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest

from scripts.reference import cli_page
from tests.source_tree import ROOT

MEAN_WORDS = 18  # of the sentences of a page
MOST_WORDS = 25  # of one sentence of a page that is read first
CONCEPT_WORDS = 800  # of a concept page, its code aside
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
BLOCK = re.compile(r"\n\s*\n|^\s*(?:[-*]|\d+\.)\s+|^#.*$|^\s*\|.*$", re.MULTILINE)
END = re.compile(r"(?<=[.!?])[\"”')*_]*\s+(?=[^a-z])")

READ_FIRST = [
    ROOT / "README.md",
    *(ROOT / "docs" / name for name in ("index.md", "quickstart.md", "why.md", "compare.md")),
    *sorted((ROOT / "docs" / "concepts").glob("*.md")),
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
    *sorted((ROOT / "docs" / "cookbook").glob("*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
]


def named(path: Path) -> str:
    """A page as a test id."""
    return path.relative_to(ROOT).as_posix()


def prose(page: str) -> str:
    """A page without code blocks; a link is its text, and inline code one word."""
    return re.sub(r"`[^`]+`", "Code", LINK.sub(r"\1", FENCE.sub("\n\n", page)))


def sentences(page: str) -> Iterator[str]:
    """The sentences of a page: paragraphs and list entries, without headings and tables."""
    for block in BLOCK.split(prose(page)):
        yield from (found.strip() for found in END.split(block) if re.search(r"\w", found))


def words(text: str) -> int:
    """How many words a text has; a dash or a sign alone is none."""
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def mean_words(name: str, page: str) -> float:
    """The mean length of a page's sentences, which it prints."""
    lengths = [words(sentence) for sentence in sentences(page)]
    print(f"{mean(lengths):5.1f} mean, {max(lengths):3} most, {len(lengths):4} sentences  {name}")
    return mean(lengths)


def test_sentences_are_told_apart() -> None:
    """A paragraph is its sentences, a list entry one more; code, tables and headings are none."""
    page = "# A head\n\nOne `a b` two. Three [four five](x.md)!\n\n- six\n\n| a | b |\n\n```\nx. y.\n```\n"

    assert list(sentences(page)) == ["One Code two.", "Three four five!", "six"]


@pytest.mark.parametrize("path", READ_FIRST, ids=named)
def test_sentences_are_short(path: Path) -> None:
    """A sentence has at most 25 words, and the mean one of a page eighteen."""
    page = path.read_text(encoding="utf-8")

    assert mean_words(named(path), page) <= MEAN_WORDS
    assert not [sentence for sentence in sentences(page) if words(sentence) > MOST_WORDS]


def test_sentences_of_help_are_short() -> None:
    """The mean sentence of ``omoide COMMAND --help`` has at most eighteen words."""
    assert mean_words("--help", cli_page()) <= MEAN_WORDS


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "concepts").glob("*.md")), ids=named)
def test_a_concept_page_explains_one_idea(path: Path) -> None:
    """A concept page begins with an example or a picture and has at most 800 words."""
    page = path.read_text(encoding="utf-8")
    before, found, _ = page.partition("```")

    assert found, "an example stands first"
    assert words(prose(before)) <= 120, "an example stands first"
    assert words(prose(page)) <= CONCEPT_WORDS
