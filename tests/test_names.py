"""Names have one meaning: no two classes, nor a class and an alias, share one for different things."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.source_tree import modules

# Names that other libraries give, or that say which interface of one is kept.
PROMISED = frozenset({"AsyncMemory", "Memory", "OmoideMemory", "OmoideMemoryStore"})


def test_a_name_of_a_class_means_one_thing() -> None:
    """A reader who knows a name from one room is not misled by it in another."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name.lstrip("_")].append(path)
            elif isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.unparse(node.annotation):
                homes[ast.unparse(node.target).lstrip("_")].append(path)

    several = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert several.keys() == PROMISED, several
