"""Who may import whom: arrows point down, never up and never sideways."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.source_tree import modules, nodes

# Rooms from the ground up. A room imports rooms of lower floors, never one of its own or a higher floor.
FLOORS: tuple[frozenset[str], ...] = tuple(
    frozenset(floor.split())
    for floor in (
        "nouns",
        "text",
        "settings telemetry wire",
        "store",
        "tables models grounding",
        "write read jobs",
        "learning",
        "faculties",
        "review context",
        "forgetting",
        "upkeep",
        "kinds",  # collects the declarations of the floors below
        "archive",
        "verbs",
        "memory",
        "aio",
        "clients",  # of models' SDKs, which remember
        "__init__",  # the public names
        "exchange evals testing dispatch server mcp agent discover proxy",
        "adapters",  # of other frameworks, over the verbs and the agent's tools
        "cli demo",  # the command line starts the other surfaces
        "__main__",
    )
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Adapters stand where users stand: they see what users see.
PRIVATE = frozenset(
    room for room, floor in FLOOR.items() if FLOOR["store"] <= floor <= FLOOR["upkeep"]
)
# Tables alone talk to a database; others name the protocol, and memory opens the store.
STORE_USERS = frozenset({"tables", "memory", "testing", "evals", "cli"})
STORE_PROTOCOL = frozenset({"omoide.store", "omoide.store.base"})


def room_of(module: str) -> str:
    """The room of a dotted module name: ``omoide.read.ranking`` is in ``read``, ``omoide`` itself is
    the public names.
    """
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports(path: str, parts: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """The dotted names of Omoide's modules that a file of these nodes imports, with their lines."""
    package = ["omoide", *path.split("/")[:-1]]
    for node in parts:
        if isinstance(node, ast.Import):
            yield from (
                (alias.name, node.lineno)
                for alias in node.names
                if alias.name.split(".")[0] == "omoide"
            )
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            target = ".".join([*base, *(node.module.split(".") if node.module else [])])
            if (
                target == "omoide"
                # "from omoide import nouns" names a room, "from omoide import Memory" the public
                # names
            ):
                known = ((alias.name if alias.name in FLOOR else None) for alias in node.names)
                yield from ((f"omoide.{name}" if name else "omoide", node.lineno) for name in known)
            elif target.split(".")[0] == "omoide":
                yield target, node.lineno


def objection(importer: str, imported: str) -> str | None:
    """Why a module of one room may not import this module, if it may not."""
    here, there = room_of(importer), room_of(imported)
    if here == there:
        return None
    if FLOOR[there] >= FLOOR[here]:
        return "points up" if FLOOR[there] > FLOOR[here] else "points sideways"
    if here == "adapters" and there in PRIVATE:
        return "adapters use public names only"
    if there == "store" and here not in STORE_USERS and imported not in STORE_PROTOCOL:
        return "only tables use the store"
    return None


def test_every_module_has_a_room() -> None:
    """A new file belongs to a floor, so that its arrows can be judged."""
    rooms = {
        room_of("omoide." + path.removesuffix(".py").replace("/", ".")) for path, _ in modules()
    }

    assert len(rooms) > 5
    assert rooms <= FLOOR.keys(), rooms - FLOOR.keys()


def test_imports_point_down() -> None:
    """No module imports from its own floor's other rooms, or from above."""
    wrong = []
    for path, parts in nodes():
        importer = "omoide." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for imported, line in imports(path, parts):
            why = objection(importer, imported) if room_of(imported) in FLOOR else "has no room"
            if why:
                wrong.append(f"{path}:{line} imports {imported}: {why}")

    assert not wrong, "\n".join(wrong)


DATA = frozenset({"nouns", "tables", "store"})  # nouns, rows and the database
BELOW = frozenset(room for room, floor in FLOOR.items() if floor < FLOOR["store"])


@pytest.mark.covers("GM-1")
def test_the_data_layer_stands_alone() -> None:
    """Records, tables and store reach no model, agent or surface, over however many imports; memory
    reaches no surface.

    Of the parts that the requirement names, this is for those there are at this stage: a data layer
    that any of the others can be built on or be left out of.
    """
    uses: dict[str, set[str]] = {}
    for path, parts in nodes():
        importer = "omoide." + path.removesuffix(".py").removesuffix("/__init__")
        uses.setdefault(room_of(importer.replace("/", ".")), set()).update(
            room_of(imported) for imported, _ in imports(path, parts)
        )

    def reached(rooms: frozenset[str]) -> set[str]:
        found: set[str] = set()
        while rooms:
            found |= rooms
            rooms = frozenset(other for room in rooms for other in uses.get(room, ())) - found
        return found

    assert reached(DATA) <= BELOW | DATA
    assert max(FLOOR[room] for room in reached(frozenset({"memory"}))) == FLOOR["memory"]


@pytest.mark.parametrize(
    ("importer", "imported", "why"),
    [
        ("omoide.nouns.item", "omoide.store.base", "points up"),
        ("omoide.write.apply", "omoide.read.ranking", "points sideways"),
        ("omoide.read.recall", "omoide.store.sqlite.engine", "only tables use the store"),
        ("omoide.adapters.gaia", "omoide.tables.items", "adapters use public names only"),
        ("omoide.upkeep.distil", "omoide.write.apply", None),
        ("omoide.nouns.clock", "omoide.nouns.errors", None),
        ("omoide.adapters.gaia", "omoide", None),
    ],
)
def test_the_judge_knows_right_from_wrong(importer: str, imported: str, why: str | None) -> None:
    """The rule itself refuses an arrow up, one sideways and one past the tables, and allows those
    down.
    """
    assert objection(importer, imported) == why
