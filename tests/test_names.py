"""Names have one meaning: no two classes, nor a class and an alias, share one for different things."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.source_tree import modules

# The same noun as a group of verbs and as a table.
NOUNS = frozenset(
    {"Entities", "Items", "Jobs", "Procedures", "Reflections", "Sessions", "ToolCalls"}
)
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
    assert several.keys() <= NOUNS | PROMISED, several
    assert several.keys() >= NOUNS | PROMISED, "an exception is no longer needed"
    for noun in NOUNS:
        assert {path.split("/")[0] for path in several[noun]} == {"tables", "verbs"}
