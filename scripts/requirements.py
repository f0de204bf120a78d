"""Which requirement ids the tests claim to prove: ``python scripts/requirements.py``.

A test claims ids with ``@pytest.mark.covers("GM-19", "LS-53")``. The known ids stand one a line in
``docs/requirements-ids.txt``, and those that a decision replaced, with what stands in their place,
in ``docs/requirements-replaced.txt``. A claim of an unknown or a replaced id is an error; the last
line says ``claimed N of M``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NONE_REPLACED: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Claim:
    """One id that one test says it proves. place is ``file:line``."""

    id: str
    place: str


def known_ids(path: Path) -> tuple[str, ...]:
    """The ids of the list, in its order."""
    return tuple(line for line in path.read_text(encoding="utf-8").split() if line)


def replaced_ids(path: Path) -> dict[str, str]:
    """The ids that a decision replaced, each with what stands in its place."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return {id: by.strip() for id, _, by in rows}


def claims(files: Iterable[Path]) -> Iterator[Claim]:
    """Every id in every ``covers(...)`` of these test files.

    Raises:
        ValueError: an argument of covers is not a plain string, so that nobody could check it.
    """
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
            if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.covers"):
                continue
            for arg in node.args:
                if not (isinstance(arg, ast.Constant) and isinstance(arg.value, str)):
                    raise ValueError(f"{path}:{arg.lineno}: covers takes plain strings")
                place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
                yield Claim(arg.value, f"{place}:{node.lineno}")


def in_families(ids: Iterable[str]) -> str:
    """Ids by family, one line each."""
    families = groupby(ids, key=lambda id: id.partition("-")[0])
    return "\n".join(
        f"  {family}: {' '.join(id.partition('-')[2] for id in members)}"
        for family, members in families
    )


def report(
    known: tuple[str, ...], found: Mapping[str, str], replaced: Mapping[str, str] = NONE_REPLACED
) -> tuple[str, bool]:
    """The text to print, and whether claims and replaced ids are consistent. found maps an id to a
    test that claims it.
    """
    errors = [
        *(
            f"error: {place} claims {id!r}, which is no known id"
            for id, place in found.items()
            if id not in known
        ),
        *(f"error: {id!r} is replaced, and no known id" for id in replaced if id not in known),
        *(
            f"error: {found[id]} claims {id!r}, which is replaced by: {by}"
            for id, by in replaced.items()
            if id in found
        ),
    ]
    claimed = [id for id in known if id in found]
    missing = [id for id in known if id not in found and id not in replaced]
    told = [f"  {id}: {by}" for id, by in replaced.items()]
    lines = [
        "claimed:",
        in_families(claimed),
        "not claimed:",
        in_families(missing),
        *(["replaced:", *told] if told else []),
        *errors,
        f"claimed {len(claimed)} of {len(known)}",
    ]
    return "\n".join(lines), not errors


def main() -> int:
    """Print the report; 1 where an unknown or a replaced id is claimed."""
    found = {claim.id: claim.place for claim in claims(sorted((ROOT / "tests").rglob("*.py")))}
    text, good = report(
        known_ids(ROOT / "docs" / "requirements-ids.txt"),
        found,
        replaced_ids(ROOT / "docs" / "requirements-replaced.txt"),
    )
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
