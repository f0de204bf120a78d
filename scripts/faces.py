"""Writes what of the source follows from declarations: the names that ``import omoide`` offers, and
the verbs for asyncio. With ``--check`` it says what would change, and fails.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from omoide.nouns import errors
from omoide.verbs.groups import GROUPS, VERBS, Groups
from scripts.reference import SOURCE, below, tasks

WITHIN = 100  # columns of a line
# their classes have names of the programs that they stand for
_APART = ("adapters", "cli")


def public_names() -> frozenset[str]:
    """The names that scripts/data/tasks.toml lists, and every error."""
    kinds = {error.__name__ for error in below(errors.OmoideError)}
    told = {name for task in tasks() for name in (*task.first, *task.names)}
    return frozenset(told | {*kinds, errors.OmoideError.__name__})


def defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module defines."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name


def homes() -> dict[str, list[str]]:
    """The public names by the module that defines them."""
    public, found = public_names(), dict[str, list[str]]()
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names = defined(ast.parse(path.read_text(encoding="utf-8")))
        if parts[0] not in _APART and (own := sorted(public.intersection(names))):
            found[".".join(parts)] = own
    return found


def package() -> str:
    """``omoide/__init__.py`` with the public names in their three lists."""
    text = (SOURCE / "__init__.py").read_text(encoding="utf-8")
    found = homes()
    shown = "".join(
        f"    from omoide.{home} import {', '.join(names)}\n" for home, names in found.items()
    )
    exported = sorted(name for names in found.values() for name in names)
    listed = "".join(f'    "{name}",\n' for name in exported)
    placed = "".join(f'    "{home}": {_words(names)},\n' for home, names in found.items())
    text = _instead(text, "if TYPE_CHECKING:\n", shown, "")
    text = _instead(text, "__all__ = [\n", listed, "]\n")
    return formatted(_instead(text, "_NAMES = {\n", placed, "}\n"))


def _words(names: list[str]) -> str:
    """Names as one text, in lines that are short enough."""
    lines = textwrap.wrap(" ".join(names), WITHIN - 12)
    if len(lines) == 1:
        return f'"{lines[0]}"'
    told = [f'"{line} "' for line in lines[:-1]] + [f'"{lines[-1]}"']
    return f"({' '.join(told)})"


def _instead(text: str, start: str, body: str, end: str) -> str:
    """A text with another body of one statement, which follows its first line."""
    head, begin, rest = text.partition(start)
    after = re.search(r"^\S", rest, re.MULTILINE)
    assert after, start
    return head + begin + body + end + rest[after.start() + len(end) :]


def awaited() -> str:
    """``omoide/verbs/awaited.py``: each group of verbs, and the memory's own, for asyncio."""
    imports = [f"from {group.__module__} import {group.__name__}" for group in GROUPS.values()]
    parts = [
        '"""The verbs for asyncio, each run in a thread of its memory\'s pool. Made from the'
        ' declarations\nof verbs by ``make reference``.\n"""',
        "from __future__ import annotations",
        "from typing import TypeVar",
        "\n".join(sorted((*imports, "from omoide.verbs.groups import Groups"))),
        "from omoide.verbs.threads import Threaded, threaded",
        'M_co = TypeVar("M_co", bound=Groups, covariant=True)',
        *(_group(name, group) for name, group in GROUPS.items()),
        _memory(),
    ]
    return formatted("\n\n".join(parts) + "\n")


def _group(name: str, group: type) -> str:
    head = f"class Async{group.__name__}(Threaded[{group.__name__}]):"
    return "\n".join((head, f'    """``memory.{name}`` for asyncio."""\n', *_verbs(name, group)))


def _verbs(group: str, owner: type) -> list[str]:
    names = [verb.name for verb in VERBS if verb.group == group]
    return [f"    {name} = threaded({owner.__name__}.{name})" for name in names]


def _memory() -> str:
    head = "class AsyncGroups(Threaded[M_co]):"
    told = '    """The verbs of a memory for asyncio, and its groups of verbs."""\n'
    mounted = [
        "\n    @property\n"
        f"    def {name}(self) -> Async{group.__name__}:\n"
        f'        """{inspect.getdoc(getattr(Groups, name))}"""\n'
        f"        return Async{group.__name__}(self._group.{name}, self._pool)"
        for name, group in GROUPS.items()
    ]
    return "\n".join((head, told, *_verbs("", Groups), *mounted))


def formatted(text: str) -> str:
    """A module as the formatter leaves it."""
    for command in (["check", "--fix", "--quiet", "--select", "I"], ["format", "--quiet"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", "src/omoide/x.py", "-"],
            input=text,
            capture_output=True,
            check=True,
            text=True,
            cwd=SOURCE.parent.parent,
        ).stdout
    return text


FACES: Mapping[Path, Callable[[], str]] = {
    SOURCE / "__init__.py": package,
    SOURCE / "verbs" / "awaited.py": awaited,
}


def drift(path: Path) -> str:
    """The difference between the file there is and the file there should be; empty where none."""
    old, new = path.read_text(encoding="utf-8").splitlines(True), FACES[path]().splitlines(True)
    return "".join(difflib.unified_diff(old, new, path.name, f"{path.name}, made", n=0))


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` only compare; 1 where they differ."""
    if "--check" in arguments:
        changes = "".join(map(drift, FACES))
        print(changes + "run make reference" if changes else "the faces are in step")
        return 1 if changes else 0
    for path, make in FACES.items():
        path.write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
