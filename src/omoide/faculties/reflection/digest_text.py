"""Reflections to a digest: what a model is shown, and what of its answer may take the place of the
digest there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from omoide.grounding.carried import carries
from omoide.grounding.invented import SUPPORTED, SourceText, vanished
from omoide.grounding.supported import support
from omoide.models.chat.answers import objects, one_line
from omoide.models.prompts import prompt
from omoide.nouns.reflection import DigestKind, Size, count_words
from omoide.text.sameness import same_text
from omoide.text.secrets import has_secret

SECTIONS: Mapping[DigestKind, tuple[str, ...]] = {
    DigestKind.AGENT: ("CURRENT PROJECTS", "PEOPLE AND GROUPS", "LEARNT", "WORLD"),
    DigestKind.USER: ("RULES", "PREFERENCES", "SKILLS", "INTERESTS", "GOALS AND PROJECTS"),
    DigestKind.SESSION: ("CURRENT GOAL", "AT HAND", "CORRECTIONS", "PREFERENCES"),
}
# sections that say how somebody wants to be treated, and where such a reflection is put back
TREATMENT: Mapping[DigestKind, tuple[str, ...]] = {
    DigestKind.AGENT: (),
    DigestKind.USER: ("RULES", "PREFERENCES"),
    DigestKind.SESSION: ("CORRECTIONS", "PREFERENCES"),
}
_HEADINGS = frozenset(f"[{title}]" for titles in SECTIONS.values() for title in titles)


@dataclass(frozen=True, kw_only=True, slots=True)
class Condensed:
    """The text of a new digest, and what of the old one it lost although no reflection says so."""

    text: str
    dropped: tuple[str, ...] = ()


def rules(kind: DigestKind, size: Size, persona: str) -> str:
    """What a model is told."""
    sections = ", ".join(f"[{title}]" for title in SECTIONS[kind])
    told = prompt("condense").replace("{sections}", sections).replace("{words}", str(size.words))
    return f"{told}\nThe assistant: {persona}" if persona else told


def material(old: str, reflections: Sequence[str], now: datetime) -> str:
    """What a model is shown: the time, the digest there is, and the reflections, oldest first."""
    so_far = "\n".join(shown_lines(old)) or "nothing"
    new = "\n".join(f"- {one_line(text)}" for text in reflections)
    return (
        f"Now: {now:%Y-%m-%d %A %H:%M %z}\n\nThe text so far:\n{so_far}\n\nNew reflections:\n{new}"
    )


def reader(
    kind: DigestKind, size: Size, old: str, reflections: Sequence[str], now: datetime
) -> Callable[[dict[str, Any]], Condensed]:
    """Reads an answer. It raises ValueError, without text of the answer, where that may not become
    the digest.
    """

    def read(answer: dict[str, Any]) -> Condensed:
        before = lines_of(old)
        sections = [
            (_title(kind, value.get("title")), _lines(value.get("lines")))
            for value in objects(answer, "sections")
        ]
        _check(_text(sections), size, SourceText((*before, *reflections), now))
        gone = [one_line(line) for line in answer.get("gone") or () if isinstance(line, str)]
        lost = _lost(kind, old, reflections, gone, lines_of(_text(sections)))
        sections, left = _put_back(kind, sections, lost, size.words)
        text = _text(sections)
        dropped = vanished(before, SourceText(lines_of(text), now), reflections)
        return Condensed(text=text, dropped=(*dropped, *left))

    return read


def _text(sections: Sequence[tuple[str, Sequence[str]]]) -> str:
    return "\n".join(
        "\n".join((f"[{title}]", *(f"- {line}" for line in lines)))
        for title, lines in sections
        if lines
    )


def _lost(
    kind: DigestKind, old: str, reflections: Sequence[str], gone: Sequence[str], new: Sequence[str]
) -> list[tuple[str, str]]:
    """What a new text drops of how somebody wants to be treated, each with its section: lines of
    the old text, and reflections, but for what a later reflection speaks of again or the model
    says is gone.
    """
    titles = TREATMENT[kind]
    if not titles:
        return []
    told = [(title, line, reflections) for title, line in _titled(old) if title in titles]
    told += [
        (titles[-1], one_line(one), reflections[place + 1 :])
        for place, one in enumerate(reflections)
    ]
    lost: list[tuple[str, str]] = []
    for title, line, later in told:
        answered = any(support(line, one, "") >= SUPPORTED for one in later)
        held = [*new, *(other for _, other in lost)]
        if not answered and not any(same_text(line, one) for one in gone):
            lost += [] if carries(held, line) else [(title, line)]
    return lost


def _titled(text: str) -> list[tuple[str, str]]:
    """The lines of a digest, each with the title of its section."""
    found: list[tuple[str, str]] = []
    title = ""
    for line in text.splitlines():
        if line in _HEADINGS:
            title = line.strip("[]")
        elif line.strip():
            found.append((title, line.removeprefix("- ")))
    return found


def _put_back(
    kind: DigestKind,
    sections: Sequence[tuple[str, Sequence[str]]],
    lost: Sequence[tuple[str, str]],
    words: int,
) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """The sections with what was lost, as far as the words allow, and what was left out then."""
    whole = {title: list(lines) for title, lines in sections}
    left: list[str] = []
    for title, line in lost:
        whole.setdefault(title, []).append(line)
        if count_words(_text(list(whole.items()))) > words:
            whole[title].pop()
            left.append(line)
    order = SECTIONS[kind]
    return sorted(whole.items(), key=lambda pair: order.index(pair[0])), left


def lines_of(text: str) -> list[str]:
    """The lines of a digest without its headings and bullets."""
    return [
        line.removeprefix("- ")
        for line in text.splitlines()
        if line.strip() and not line.startswith("[")
    ]


def shown_lines(text: str) -> list[str]:
    """The lines of a digest or reflection as a model is shown them: behind a bullet each, but for
    the headings of digests.
    """
    lines = filter(None, map(one_line, text.splitlines()))
    return [line if line.startswith("- ") or line in _HEADINGS else f"- {line}" for line in lines]


def _check(text: str, size: Size, told: SourceText) -> None:
    if not text:
        raise ValueError("no section has a line")
    if (words := count_words(text)) > size.words:
        raise ValueError(f"the text has {words} words, the limit is {size.words}")
    if has_secret(text):
        raise ValueError("a line holds a secret")
    for number, line in enumerate(lines_of(text), start=1):
        if flags := told.lacks(line):
            raise ValueError(
                f"line {number} says what neither the text so far nor a reflection says:"
                f" {', '.join(sorted(flags))}"
            )


def _title(kind: DigestKind, value: object) -> str:
    named = " ".join(str(value).split()).strip("[]").upper()
    if named not in SECTIONS[kind]:
        raise ValueError(f"a section's title is none of {', '.join(SECTIONS[kind])}")
    return named


def _lines(value: object) -> list[str]:
    if not isinstance(value, list):
        raise ValueError("a section has no list of lines")
    lines = [
        " ".join(line.split()).removeprefix("- ").lstrip("[")
        for line in value
        if isinstance(line, str)
    ]
    return list(dict.fromkeys(line for line in lines if line))
