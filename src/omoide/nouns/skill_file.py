"""SKILL.md: a procedure as a file that people and other agents read, and back. Pure but for the
folder.

Front matter of JSON values, which are YAML too, then a title and three sections. The texts are
lines, so nothing in them can pass for a heading.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import check_path
from omoide.nouns.procedure import Advice, Procedure, check_advice

SLUG = 60  # characters
FILE_LIMIT = 200_000
_HEADINGS = ("## When to use", "## What to do and why", "## Steps")
_FORM = re.compile(
    r"---\n(?P<front>.*?)\n---\n\n#"
    rf" (?P<name>[^\n]*)\n\n{_HEADINGS[0]}\n\n(?P<when_to_use>[^\n]*)\n\n"
    rf"{_HEADINGS[1]}\n\n(?P<activation>[^\n]*)\n\n{_HEADINGS[2]}\n\n(?P<steps>.*)\Z",
    re.DOTALL,
)
_STEP = re.compile(r"\d+\. (.+)")


def skill_name(procedure: Procedure) -> str:
    """The name of its file: ``SKILL-<task>-<name>.md``, of letters, digits and hyphens alone."""
    task = slug(procedure.origin.partition(":")[2]) or slug(procedure.id)
    return f"SKILL-{task}-{slug(procedure.name) or slug(procedure.id)}.md"


def slug(text: str) -> str:
    """A text as part of a file's name: lower case, letters and digits of any script, hyphens
    between them; at most 60 characters.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "-".join(re.findall(r"[^\W_]+", plain))[:SLUG].strip("-")


def skill_text(procedure: Procedure) -> str:
    """A procedure as the text of its file."""
    front = {
        "name": slug(procedure.name) or slug(procedure.id),
        "description": procedure.discovery,
        "trigger": procedure.when_to_use,
        "confidence": procedure.confidence,
        "tags": list(procedure.tags),
        "tools": list(procedure.tools),
        "source": procedure.origin,
        "version": procedure.version,
    }
    head = "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in front.items()
    )
    steps = "\n".join(f"{n}. {step}" for n, step in enumerate(procedure.steps, start=1))
    sections = zip(_HEADINGS, (procedure.when_to_use, procedure.activation, steps), strict=True)
    body = "\n\n".join(f"{heading}\n\n{text}" for heading, text in sections)
    return f"---\n{head}\n---\n\n# {procedure.name}\n\n{body}\n"


def read_skill(text: str) -> tuple[Advice, tuple[str, ...], str]:
    """What a file says: the advice, the tools it needs, and where it is from.

    Raises:
        InvalidInput: it is no such file, or over its limits.
    """
    found = _FORM.match(text.replace("\r\n", "\n")) if len(text) <= FILE_LIMIT else None
    if found is None:
        raise InvalidInput(
            "skill",
            "is no SKILL.md: front matter, a title, and the sections " + ", ".join(_HEADINGS),
        )
    front = dict(_pair(line) for line in found["front"].splitlines())
    lines = found["steps"].strip().splitlines()
    steps = tuple(step[1].strip() for line in lines if (step := _STEP.fullmatch(line)))
    if len(steps) != len([line for line in lines if line.strip()]):
        raise InvalidInput("skill", "has a step that is not a numbered line")
    advice = Advice(
        name=found["name"].strip(),
        when_to_use=found["when_to_use"].strip(),
        discovery=_text(front, "description"),
        activation=found["activation"].strip(),
        steps=steps,
        tags=_texts(front, "tags"),
        confidence=_number(front, "confidence"),
    )
    return check_advice(advice), _texts(front, "tools"), _text(front, "source")


def with_file(procedure: Procedure, text: str) -> Procedure:
    """A procedure as its file tells it, by whoever changed that.

    Raises:
        InvalidInput: as read_skill.
    """
    advice, tools, _ = read_skill(text)
    told = {
        name: getattr(advice, name)
        for name in (
            "name",
            "when_to_use",
            "discovery",
            "activation",
            "steps",
            "tags",
            "confidence",
        )
    }
    return replace(procedure, tools=tools, **told)


def skill_folder(setting: str) -> Path:
    """The folder that a setting names.

    Raises:
        InvalidInput: it goes up, is an address, has a drive's letter where there are no drives, or
            cannot be a path.
    """
    check_path(setting, "skills")
    if (
        "://" in setting
        or ".." in Path(setting).parts
        or ".." in re.split(r"[\\/]", setting)
        or re.match(r"[A-Za-z]:[\\/]", setting)
    ):
        raise InvalidInput(
            "skills", f"{setting!r} is no folder: no '..', no address, no drive letter"
        )
    return Path(setting).expanduser()


def _pair(line: str) -> tuple[str, Any]:
    name, mark, value = line.partition(": ")
    try:
        return name, json.loads(value) if mark else ""
    except (ValueError, RecursionError):
        return name, value.strip()


def _text(front: dict[str, Any], name: str) -> str:
    value = front.get(name, "")
    return " ".join(value.split()) if isinstance(value, str) else ""


def _texts(front: dict[str, Any], name: str) -> tuple[str, ...]:
    value = front.get(name, [])
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _number(front: dict[str, Any], name: str) -> float:
    value = front.get(name, 0.5)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.5
