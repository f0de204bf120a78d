"""Reflections to a digest: what a model is shown, and what of its answer may take the place of the
digest there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from omoide.grounding.carried import carries
from omoide.grounding.invented import SUPPORTED, SourceText, vanished
from omoide.grounding.supported import support
from omoide.learning.drafts import Line
from omoide.models.chat.answers import objects, one_line
from omoide.models.prompts import prompt
from omoide.nouns.record.frozen import frozen_record
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


@frozen_record
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


@frozen_record
class Matter:
    """What a digest is made of, the reflections oldest first, and within which size. names: of the
    things that whoever it is of has items of.
    """

    kind: DigestKind
    size: Size
    old: str
    reflections: tuple[str, ...]
    now: datetime
    names: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The lines that it may be made of."""
        return (*lines_of(self.old), *map(one_line, self.reflections))


@frozen_record
class DigestDraft:
    """A digest as a model wants it: lines below titles of sections, and what it says is over."""

    titled: tuple[tuple[str, Line], ...]
    gone: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """Its lines, in order."""
        return tuple(line for _, line in self.titled)


def marked_sources(matter: Matter) -> dict[str, str]:
    """The lines that a digest may be made of, under marks, as a judge is shown them."""
    return {f"k{n}": line for n, line in enumerate(matter.sources, start=1)}


def read_draft(matter: Matter, answer: dict[str, Any]) -> DigestDraft:
    """The digest in an answer, each line with what the checks find.

    Raises:
        ValueError: it has no line, another section, a secret, or too many words.
    """
    sections = [
        (_title(matter.kind, value.get("title")), _lines(value.get("lines")))
        for value in objects(answer, "sections")
    ]
    _check_form(_text(sections), matter.size)
    told = SourceText(matter.sources, matter.now, matter.names)
    return DigestDraft(
        titled=tuple(
            (title, Line(text=line, flags=told.lacks(line), is_said=told.says(line)))
            for title, lines in sections
            for line in lines
        ),
        gone=tuple(one_line(line) for line in answer.get("gone") or () if isinstance(line, str)),
    )


def settled(matter: Matter, draft: DigestDraft, held: Sequence[bool] | None) -> Condensed:
    """The digest that a draft becomes. What it drops, and what the lines are made of that do not
    hold, is put back in its own words. held: which lines hold; None: nobody was asked, so all of
    them have to pass the checks.

    Raises:
        ValueError: one does not, or what is put back for one has no room.
    """
    if held is None:
        _check_lines(draft.lines)
        held = [True] * len(draft.titled)
    kept = [one for one, holds in zip(draft.titled, held, strict=True) if holds]
    refused = [one for one, holds in zip(draft.titled, held, strict=True) if not holds]
    lost = _lost(matter, draft.gone, [line.text for _, line in kept], refused)
    sections, left = _put_back(matter.kind, _sections(kept), lost, matter.size.words)
    if any(_section_of(line, refused) for line in left):
        raise ValueError("what a line tells wrongly has no room in its own words")
    text = _text(sections)
    if not text:
        raise ValueError("no line says only what the text so far and the reflections say")
    before = lines_of(matter.old)
    dropped = vanished(before, SourceText(lines_of(text), matter.now), matter.reflections)
    return Condensed(text=text, dropped=(*dropped, *left))


def _sections(titled: Sequence[tuple[str, Line]]) -> list[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for title, line in titled:
        found.setdefault(title, []).append(line.text)
    return list(found.items())


def _text(sections: Sequence[tuple[str, Sequence[str]]]) -> str:
    return "\n".join(
        "\n".join((f"[{title}]", *(f"- {line}" for line in lines)))
        for title, lines in sections
        if lines
    )


def _lost(
    matter: Matter, gone: Sequence[str], new: Sequence[str], refused: Sequence[tuple[str, Line]]
) -> list[tuple[str, str]]:
    """What a new text drops, each line with its section: how somebody wants to be treated, and what
    refused lines are made of; but for what a later reflection speaks of again or the model says is
    gone.
    """
    lost: list[tuple[str, str]] = []
    for title, line, later in _to_keep(matter, refused):
        answered = any(support(line, one, "") >= SUPPORTED for one in later)
        held = [*new, *(other for _, other in lost)]
        if not answered and not any(same_text(line, one) for one in gone):
            lost += [] if carries(held, line) else [(title, line)]
    return lost


def _to_keep(
    matter: Matter, refused: Sequence[tuple[str, Line]]
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """The lines that may not be dropped: their section, their text and the later reflections."""
    titles, reflections = TREATMENT[matter.kind], matter.reflections
    for title, line in _titled(matter.old):
        if title in titles or _section_of(line, refused):
            yield title, line, reflections
    for place, one in enumerate(map(one_line, reflections)):
        title = _section_of(one, refused) or (titles[-1] if titles else "")
        if title:
            yield title, one, reflections[place + 1 :]


def _section_of(source: str, refused: Sequence[tuple[str, Line]]) -> str:
    """The section of the refused line that was made of a source; empty if none was."""
    return next((title for title, line in refused if _says_of(line.text, source)), "")


def _says_of(line: str, source: str) -> bool:
    """Whether one of both has half of the other's words."""
    return max(support(source, line, ""), support(line, source, "")) >= SUPPORTED


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


def _check_form(text: str, size: Size) -> None:
    if not text:
        raise ValueError("no section has a line")
    if (words := count_words(text)) > size.words:
        raise ValueError(f"the text has {words} words, the limit is {size.words}")
    if has_secret(text):
        raise ValueError("a line holds a secret")


def _check_lines(lines: Sequence[Line]) -> None:
    for number, line in enumerate(lines, start=1):
        if line.flags:
            raise ValueError(
                f"line {number} says what neither the text so far nor a reflection says:"
                f" {', '.join(sorted(line.flags))}"
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
