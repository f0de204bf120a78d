"""SKILL.md files as people write them."""

from __future__ import annotations

import pytest

from omoide.nouns.errors import InvalidInput
from omoide.nouns.skill_file import read_skill

FOLDED = """---
name: pdf-forms
description: >
  Fill in PDF forms.
  Use it when a form
  has fields.
tags: [pdf, forms]
license: Apache-2.0
---

# Filling in forms

Read the form first.

1. List its fields.
2. Fill them in:

```sh
fill form.pdf
```
"""


def test_an_ordinary_file_is_read() -> None:
    """Folded YAML is one line, the front matter names it, and each line of the body is a step."""
    advice, tools, source = read_skill(FOLDED)

    assert advice.name == "pdf-forms"
    assert advice.discovery == "Fill in PDF forms. Use it when a form has fields."
    assert advice.when_to_use == advice.activation == advice.discovery
    assert advice.steps[:2] == ("# Filling in forms", "Read the form first.")
    assert advice.steps[-2:] == ("fill form.pdf", "```")
    assert advice.tags == ("pdf", "forms")
    assert (tools, source) == ((), "")


@pytest.mark.parametrize("body", ["", "\n", "\nOne line\n"])
def test_a_body_may_be_short_or_missing(body: str) -> None:
    """The description says enough then."""
    advice, _, _ = read_skill(f"---\nname: tea\ndescription: Brew tea\n---{body}")

    assert (advice.name, advice.activation) == ("tea", "Brew tea")
    assert advice.steps == tuple(filter(None, [body.strip()]))


def test_a_long_body_is_kept_whole() -> None:
    """As people write them, far longer than a lesson of a model."""
    lines = [f"Line {number} says what to do next" for number in range(1_000)]
    advice, _, _ = read_skill("---\nname: n\ndescription: d\n---\n" + "\n\n".join(lines))

    assert list(advice.steps) == lines


def test_windows_lines_and_a_mark_are_read() -> None:
    """As editors there write them."""
    advice, _, _ = read_skill("\ufeff---\r\nname: n\r\ndescription: d\r\n---\r\n# T\r\nDo it\r\n")

    assert (advice.name, advice.steps) == ("n", ("# T", "Do it"))


@pytest.mark.parametrize("title", ["# PDF Forms", "#   pdf forms", "# pdf-forms"])
def test_a_title_that_says_the_name_again_is_no_step(title: str) -> None:
    """Nor is the name another for it."""
    advice, _, _ = read_skill(f"---\nname: pdf-forms\ndescription: d\n---\n\n{title}\n\nDo it\n")

    assert (advice.name, advice.steps) == ("pdf-forms", ("Do it",))


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ("name: x", "not a SKILL.md"),
        ("description: x", "not a SKILL.md"),
        ("- name", "not a SKILL.md"),
        ("name: [", "not YAML"),
        ("name: x\ndescription: use when: it rains", "not YAML in line 3"),
        ("name: !!python/object:os.system x\ndescription: y", "not YAML"),
    ],
)
def test_front_matter_that_says_too_little_is_refused(front: str, why: str) -> None:
    """With the line that is wrong; nothing in it is run."""
    with pytest.raises(InvalidInput, match=why):
        read_skill(f"---\n{front}\n---\n\ntext")
