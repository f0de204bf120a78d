"""SKILL.md: a procedure as a file that people and other agents read, and back. Pure but for the
folder.

Front matter in YAML, then text. A file that is written has JSON values, which are YAML too, a title
and three sections. The texts are lines, so nothing in them can pass for a heading. A file that is
read may have any text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import check_path
from omoide.nouns.procedure import (
    DISCOVERY,
    FILE_LIMITS,
    NAME,
    Advice,
    Procedure,
    check_advice,
)

SLUG = 60  # characters
FILE_LIMIT = 200_000
_HEADINGS = ("## When to use", "## What to do and why", "## Steps")
_FILE = re.compile(r"\ufeff?---[ \t]*\n(?P<front>.*?)\n---[ \t]*(?:\n(?P<body>.*))?\Z", re.DOTALL)
_BODY = re.compile(
    rf"\n#"
    rf" (?P<name>[^\n]*)\n\n{_HEADINGS[0]}\n\n(?P<when_to_use>[^\n]*)\n\n"
    rf"{_HEADINGS[1]}\n\n(?P<activation>[^\n]*)\n\n{_HEADINGS[2]}\n\n(?P<steps>.*)\Z",
    re.DOTALL,
)
_STEP = re.compile(r"\d+\. (.+)")
_TITLE = re.compile(r"# +(.+)")
# what YAML takes only escaped
_ESCAPED = re.compile(
    "[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]"
)


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
    head = "\n".join(f"{name}: {_yaml(value)}" for name, value in front.items())
    steps = "\n".join(f"{n}. {step}" for n, step in enumerate(procedure.steps, start=1))
    sections = zip(_HEADINGS, (procedure.when_to_use, procedure.activation, steps), strict=True)
    body = "\n\n".join(f"{heading}\n\n{text}" for heading, text in sections)
    return f"---\n{head}\n---\n\n# {procedure.name}\n\n{body}\n"


def _yaml(value: Any) -> str:
    """A value as JSON, which is YAML too."""
    told = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", told)


def read_skill(text: str) -> tuple[Advice, tuple[str, ...], str]:
    """What a file says: the advice, the tools it needs, and where it is from.

    An ordinary SKILL.md file has front matter with a name and a description, and a body of any
    form: its lines become the steps. One that Omoide wrote has a title and three sections.

    Raises:
        InvalidInput: it is no such file, or over its limits.
    """
    found = _FILE.match(text.replace("\r\n", "\n")) if len(text) <= FILE_LIMIT else None
    front = _front(found["front"]) if found else {}
    if found is None or not _text(front, "name") or not _text(front, "description"):
        raise InvalidInput(
            "skill", "is not a SKILL.md: give front matter with a name and a description, then text"
        )
    body = found["body"] or ""
    own = _BODY.match(body)
    advice = _of_sections(front, own) if own else _of_any(front, body)
    return check_advice(advice, FILE_LIMITS), _texts(front, "tools"), _text(front, "source")


def _front(told: str) -> dict[str, Any]:
    """The front matter, which is YAML.

    Raises:
        InvalidInput: it is not, or no mapping.
    """
    import yaml  # few programs read such files, and it takes a while to load

    try:
        front = yaml.safe_load(told)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        place = getattr(error, "problem_mark", None)
        where = f" in line {place.line + 2}" if place else ""
        problem = getattr(error, "problem", None) or type(error).__name__
        raise InvalidInput("skill", f"front matter is not YAML{where}: {problem}") from None
    return front if isinstance(front, dict) else {}


def _of_sections(front: dict[str, Any], own: re.Match[str]) -> Advice:
    """The advice in a file that Omoide wrote.

    Raises:
        InvalidInput: a step is no numbered line.
    """
    lines = own["steps"].strip().splitlines()
    steps = tuple(step[1].strip() for line in lines if (step := _STEP.fullmatch(line)))
    if len(steps) != len([line for line in lines if line.strip()]):
        raise InvalidInput("skill", "has a step that is not a numbered line")
    return Advice(
        name=own["name"].strip(),
        when_to_use=own["when_to_use"].strip(),
        discovery=_text(front, "description"),
        activation=own["activation"].strip(),
        steps=steps,
        tags=_texts(front, "tags"),
        confidence=_number(front, "confidence"),
    )


def _of_any(front: dict[str, Any], body: str) -> Advice:
    """The advice in a file of any body: it is found by the description, and its lines are the
    steps. A title that says the name again is none.
    """
    name, description = _text(front, "name"), _text(front, "description")
    title = _TITLE.match(body.lstrip())
    is_name = title is not None and slug(title[1]) == slug(name)
    rest = body.lstrip()[title.end() :] if title and is_name else body
    return Advice(
        name=name[:NAME],
        when_to_use=_text(front, "trigger") or description,
        discovery=description[:DISCOVERY],
        activation=description,
        steps=tuple(" ".join(line.split()) for line in rest.splitlines() if line.strip()),
        tags=_texts(front, "tags"),
        confidence=_number(front, "confidence"),
    )


def with_file(procedure: Procedure, text: str) -> Procedure:
    """A procedure as its file tells it, by whoever changed that.

    Raises:
        InvalidInput: as read_skill.
    """
    advice, tools, _ = read_skill(text)
    told = {field.name: getattr(advice, field.name) for field in fields(Advice)}
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
            "skills", f"{setting!r} is not a folder: leave out '..', addresses and drive letters"
        )
    return Path(setting).expanduser()


def _text(front: dict[str, Any], name: str) -> str:
    value = front.get(name, "")
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain else ""


def _texts(front: dict[str, Any], name: str) -> tuple[str, ...]:
    value = front.get(name, [])
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _number(front: dict[str, Any], name: str) -> float:
    value = front.get(name, 0.5)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.5
