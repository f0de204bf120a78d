"""Memories of other products, taken in as items: with users, times and provenance, once, undone."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.exchange import detect_format
from omoide.exchange.gaia import GAIA
from omoide.exchange.item_writer import ForeignStatement
from omoide.exchange.options import MEMORIES
from omoide.exchange.problems import Omission
from omoide.exchange.products import PRODUCTS, ProductIntake, product_of, take_in_product
from omoide.exchange.products.export import open_export
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.errors import ImportRefused
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from tests.exchange.exports import written
from tests.fix_memory import ANA, BEN

FIXTURES = Path(__file__).parent / "fixtures" / "products"


def unpacked(name: str, folder: Path) -> Path:
    """A database that the product's own package wrote."""
    path = folder / name
    path.write_bytes(gzip.decompress((FIXTURES / f"{name}.gz").read_bytes()))
    return path


def mcp_file(folder: Path) -> Path:
    """A knowledge graph of the reference server."""
    path = folder / "memory.jsonl"
    lines = [
        {"type": "entity", "name": "Rui", "entityType": "person", "observations": ["Plays chess"]},
        {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
        {"type": "relation", "from": "Rui", "to": "Acme", "relationType": "works_at"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + '\n{"type": "entity", "name"\n')
    return path


def mem0_file(folder: Path) -> Path:
    """What get_all of mem0 gives."""
    path = folder / "memories.json"
    said = {"created_at": "2025-02-01T08:00:00Z", "metadata": {"trip": "spring"}, "hash": "x"}
    rows = [
        {
            "id": "a1",
            "memory": "Likes oolong tea",
            "user_id": "ana",
            "categories": ["food"],
            **said,
        },
        {"id": "b1", "memory": "Collects stamps", "user_id": "ben", "run_id": "r9", **said},
        {"id": "c1", "memory": "Has two sisters", **said},
        {"id": "d1", "memory": " ", **said},
    ]
    path.write_text(json.dumps({"results": rows}))
    return path


def mem0_history(folder: Path) -> Path:
    """The history database, made by mem0's own class."""
    return unpacked("mem0-history.db", folder)


def langgraph_store(folder: Path) -> Path:
    """A store that LangGraph's own SqliteStore wrote."""
    return unpacked("langgraph-store.db", folder)


def langgraph_csv(folder: Path) -> Path:
    """The table of a Postgres store, copied with a header."""
    path = folder / "store.csv"
    head = "prefix,key,value,created_at,updated_at,expires_at,ttl_minutes"
    value = '"{""kind"": ""Memory"", ""content"": {""content"": ""Ana paints, too""}}"'
    times = "2025-04-01 10:00:00.5+00,2025-04-02 10:00:00.5+00,2030-01-01 00:00:00+00,60"
    atlas = 'projects.atlas,due,"""in May""",2025-04-01 10:00:00+00,2025-04-01 10:00:00+00,,'
    path.write_text(f"{head}\nmemories.ana,m1,{value},{times}\n{atlas}\n")
    return path


def letta_file(folder: Path) -> Path:
    """An agent file of today's layout."""
    path = folder / "scout.af"
    messages = [{"id": "message-0", "role": "user", "content": "Hi"}]
    agent = {"id": "agent-0", "in_context_message_ids": [], "name": "scout"}
    blocks = [
        {"id": "block-0", "label": "human", "value": "Ana is a nurse.", "limit": 5000},
        {"id": "block-1", "label": "plans", "value": "", "limit": 5000},
    ]
    agents = [agent | {"block_ids": ["block-0", "block-1"], "messages": messages}]
    path.write_text(json.dumps({"agents": agents, "blocks": blocks, "tools": [{"id": "tool-0"}]}))
    return path


def old_letta_file(folder: Path) -> Path:
    """An agent file of the older layout."""
    path = folder / "old.af"
    block = {"label": "human", "value": "Ana is a nurse.", "updated_at": "2025-01-05T10:00:00"}
    path.write_text(
        json.dumps({"agent_type": "memgpt_agent", "core_memory": [block], "name": "scout"})
    )
    return path


def hindsight_file(folder: Path) -> Path:
    """What Hindsight's API lists of a bank."""
    path = folder / "bank.json"
    fact = {"fact_type": "world", "context": "", "entities": "Rui, Acme", "tags": ["work"]}
    rows = [
        {"id": "h1", "text": "Rui joined Acme", "occurred_start": "2024-09-01T00:00:00Z", **fact},
        {"id": "h2", "text": "Rui left Acme", "state": "invalidated", **fact},
    ]
    path.write_text(json.dumps({"items": rows, "total": 2, "limit": 100, "offset": 0}))
    return path


def zep_file(folder: Path) -> Path:
    """What Zep's API lists of a graph."""
    path = folder / "graph.json"
    node = {"uuid": "n1", "name": "Ana", "labels": ["Person"]}
    edge = {"name": "WEARS", "source_node_uuid": "n1", "target_node_name": "Puma shoes"}
    shoes = {"uuid": "e1", "fact": "Ana wears Puma shoes", "valid_at": "2024-05-01T00:00:00Z"}
    old = {"uuid": "e2", "fact": "Ana wears Adidas shoes", "valid_at": "2024-01-01T00:00:00Z"}
    edges = [edge | shoes, edge | old | {"invalid_at": "2024-05-01T00:00:00Z"}]
    path.write_text(json.dumps({"nodes": [node], "edges": edges}))
    return path


NOTE = """---
title: Coffee
type: note
tags: [drinks]
permalink: kitchen/coffee
created: 2025-05-01
---

# Coffee

Ana grinds beans by hand, see [[Grinder]].

## Observations
- [preference] Ethiopian beans with a light roast #roast (said at breakfast)
- [ ] buy filters

## Relations
- brewed_with [[V60]] (since March)
"""


def basic_memory_folder(folder: Path) -> Path:
    """A folder of notes."""
    kitchen = folder / "notes" / "kitchen"
    kitchen.mkdir(parents=True)
    (kitchen / "Coffee.md").write_text(NOTE)
    (kitchen / "beans.png").write_bytes(b"png")
    return folder / "notes"


EXPORTS: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "mcp_memory": ("mcp_memory", mcp_file),
    "mem0 json": ("mem0", mem0_file),
    "mem0 history": ("mem0", mem0_history),
    "langgraph store": ("langgraph", langgraph_store),
    "langgraph csv": ("langgraph", langgraph_csv),
    "letta": ("letta", letta_file),
    "old letta": ("letta", old_letta_file),
    "hindsight": ("hindsight", hindsight_file),
    "zep": ("zep", zep_file),
    "basic_memory": ("basic_memory", basic_memory_folder),
}
EVERY = pytest.mark.parametrize(("format", "made"), EXPORTS.values(), ids=list(EXPORTS))


def taken(memory: Memory, path: Path, scope: Scope = ANA, **options: Any) -> ProductIntake:
    """The export imported, its format found out."""
    format = product_of(path)
    assert format is not None
    return take_in_product(memory, path, format, scope, **options)


def items(memory: Memory, scope: Scope = ANA, **listing: Any) -> dict[str, Item]:
    """What a user knows, by its text."""
    found = memory.items.list(Listing(sensitive=None, **listing), scope)
    return {item.text: item for item in found if item.scope.user == scope.user}


def told(report: ProductIntake) -> dict[str, int]:
    """What was left out, by kind."""
    assert all(omitted.place for omitted in report.left_out)
    return {omitted.kind: omitted.count for omitted in report.left_out}


@EVERY
def test_its_format_is_found_out(format: str, made: Callable[[Path], Path], tmp_path: Path) -> None:
    """By what is in it."""
    assert product_of(made(tmp_path)) == format


@EVERY
def test_a_second_time_adds_nothing(
    format: str, made: Callable[[Path], Path], memory: Memory, tmp_path: Path
) -> None:
    """Records are known by the product's ids."""
    path = made(tmp_path)
    first = taken(memory, path)
    before = items(memory, closed=True)
    again = taken(memory, path)

    assert first.format == format
    assert first.items > 0
    assert (again.items, again.repeated) == (0, first.items)
    assert items(memory, closed=True) == before


@EVERY
def test_undo_takes_it_back(
    format: str, made: Callable[[Path], Path], memory: Memory, tmp_path: Path
) -> None:
    """By the id of its report; and it can be imported again."""
    path = made(tmp_path)
    report = taken(memory, path)
    person = memory.acting(Because(actor="cli", tier=Tier.USER))
    for user in report.users:
        person.undo(report.id, Scope(user=user))
    assert not [text for user in report.users for text in items(memory, Scope(user=user))]
    again = taken(memory, path)

    assert again.items == report.items
    assert items(memory)


@EVERY
def test_who_imports_it_has_it_alone(
    format: str, made: Callable[[Path], Path], memory: Memory, tmp_path: Path
) -> None:
    """Nobody whom the export does not name sees anything of it, and another's copy is theirs."""
    path = made(tmp_path)
    taken(memory, path)
    other = Scope(user="carla")

    assert not items(memory, other)
    assert taken(memory, path, other).items > 0
    assert items(memory, other)


@EVERY
def test_each_item_tells_where_it_is_from(
    format: str, made: Callable[[Path], Path], memory: Memory, tmp_path: Path
) -> None:
    """Its source is import, its trust a document's, its origin the file."""
    path = made(tmp_path)
    taken(memory, path)
    marks = {(item.source, item.tier, item.origin) for item in items(memory).values()}

    assert marks == {(Source.IMPORT, Tier.DOCUMENT, f"{format}:{path.name}")}


def test_a_graph_brings_observations_and_relations(memory: Memory, tmp_path: Path) -> None:
    """Each an item about its entities; broken lines and empty entities are told."""
    report = taken(memory, mcp_file(tmp_path))
    found = items(memory)

    assert set(found) == {"Rui: Plays chess", "Rui works at Acme"}
    assert found["Rui: Plays chess"].entities == ("Rui",)
    assert found["Rui: Plays chess"].metadata["entity_type"] == "person"
    assert found["Rui works at Acme"].entities == ("Acme", "Rui")
    assert told(report) == {"entities without observations": 1}
    assert [problem.place for problem in report.problems] == ["memory.jsonl: line 4"]


def test_memories_of_mem0_stay_their_users(memory: Memory, tmp_path: Path) -> None:
    """What names nobody is the importer's; times, categories and metadata are kept."""
    report = taken(memory, mem0_file(tmp_path))
    mine, bens = items(memory), items(memory, BEN)

    assert set(mine) == {"Likes oolong tea", "Has two sisters"}
    assert set(bens) == {"Collects stamps"}
    tea = mine["Likes oolong tea"]
    assert (tea.tags, tea.metadata["trip"]) == (("food",), "spring")
    assert tea.valid_from == datetime(2025, 2, 1, 8, tzinfo=UTC)
    assert bens["Collects stamps"].metadata["run_id"] == "r9"
    assert dict(report.users) == {"ana": 2, "ben": 1}
    assert told(report) == {"memories without words": 1}


def test_me_is_the_importer(memory: Memory, tmp_path: Path) -> None:
    """Memories of the named user become the importer's own."""
    report = taken(memory, mem0_file(tmp_path), Scope(user="benjamin"), me="ben")

    assert "Collects stamps" in items(memory, Scope(user="benjamin"))
    assert not items(memory, BEN)
    assert dict(report.users) == {"ana": 1, "benjamin": 2}


def test_a_later_export_of_mem0_corrects(memory: Memory, tmp_path: Path) -> None:
    """A memory whose words changed since takes the place of the old one, at the time of the change."""
    path = mem0_file(tmp_path)
    taken(memory, path)
    changed = json.loads(path.read_text())
    changed["results"][0] |= {"memory": "Likes black tea", "updated_at": "2025-06-01T08:00:00Z"}
    path.write_text(json.dumps(changed))
    report = taken(memory, path)

    assert (report.items, report.repeated) == (1, 2)
    tea = items(memory)["Likes black tea"]
    assert tea.valid_from == datetime(2025, 6, 1, 8, tzinfo=UTC)
    assert [old.text for old in memory.history(tea.id)] == ["Likes oolong tea", "Likes black tea"]


def test_a_correction_here_outlives_a_later_export(memory: Memory, tmp_path: Path) -> None:
    """A document's word never takes the place of the user's; the import says so."""
    path = mem0_file(tmp_path)
    taken(memory, path)
    person = memory.acting(Because(actor="cli", tier=Tier.USER))
    tea = items(memory)["Likes oolong tea"]
    person.correct(tea.id, "Likes no tea", ANA, details=Details(source=Source.USER))
    assert taken(memory, path).repeated == 3
    changed = json.loads(path.read_text())
    changed["results"][0] |= {"memory": "Likes black tea", "updated_at": "2025-06-01T08:00:00Z"}
    path.write_text(json.dumps(changed))
    report = taken(memory, path)

    assert set(items(memory)) == {"Likes no tea", "Has two sisters"}
    assert report.items == 0
    assert len(report.problems) == 1


def test_the_history_of_mem0_is_kept(memory: Memory, tmp_path: Path) -> None:
    """Each version in the place of the one before; what mem0 deleted stays away."""
    report = taken(memory, mem0_history(tmp_path))
    found = items(memory)

    assert set(found) == {"Likes oolong tea", "Works in the Porto office"}
    tea = found["Likes oolong tea"]
    assert [old.text for old in memory.history(tea.id)] == ["Likes green tea", "Likes oolong tea"]
    assert tea.valid_from == datetime(2025, 3, 5, 9, tzinfo=UTC)
    assert told(report) == {"deleted memories": 1, "recent messages": 1}


def test_a_folder_of_mem0_has_history_and_users(memory: Memory, tmp_path: Path) -> None:
    """The JSON names the users of the history's memories."""
    folder = tmp_path / "mem0"
    folder.mkdir()
    mem0_history(folder)
    rows = [
        {"id": "mem-tea", "memory": "Likes oolong tea", "user_id": "ben"},
        {"id": "mem-office", "memory": "Works in the Porto office", "user_id": "ana"},
    ]
    (folder / "all.json").write_text(json.dumps(rows))
    (folder / "config.yaml").write_text("vector_store: {}")
    report = taken(memory, folder)

    assert set(items(memory)) == {"Works in the Porto office"}
    assert set(items(memory, BEN)) == {"Likes oolong tea"}
    assert told(report)["files"] == 1


def test_a_store_of_langgraph_is_its_users(memory: Memory, tmp_path: Path) -> None:
    """Namespaces tell the user; what a value has besides its content is kept."""
    report = taken(memory, langgraph_store(tmp_path))
    mine = items(memory)

    assert set(mine) == {
        "Ana plays the cello",
        "Ana lives in Lisbon",
        "due: 2026-05-01; owner: Rui",
    }
    assert set(items(memory, BEN)) == {"Ben collects stamps"}
    home = mine["Ana lives in Lisbon"]
    assert home.metadata["context"] == "said while planning a trip"
    assert (home.metadata["namespace"], home.metadata["key"]) == ("memories.ana", "m3")
    assert home.valid_from == datetime(2025, 4, 2, 10, tzinfo=UTC)
    assert told(report) == {"records without words": 1}


def test_a_store_of_postgres_keeps_its_times(memory: Memory, tmp_path: Path) -> None:
    """Also until when a record is to be kept."""
    taken(memory, langgraph_csv(tmp_path))
    found = items(memory)
    item = found["Ana paints, too"]

    assert set(found) == {"Ana paints, too", "in May"}
    assert item.expires_at == datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("made", [letta_file, old_letta_file])
def test_blocks_of_letta_are_tagged(
    made: Callable[[Path], Path], memory: Memory, tmp_path: Path
) -> None:
    """With their label, as blocks are; of what agent they are stands in the metadata."""
    report = taken(memory, made(tmp_path))
    (item,) = items(memory).values()

    assert (item.text, item.tags) == ("Ana is a nurse.", ("block:human",))
    assert item.metadata["agent"] == "scout"
    if made is letta_file:
        assert told(report) == {"empty blocks": 1, "messages": 1, "tools": 1}


def test_memories_of_hindsight_keep_their_time(memory: Memory, tmp_path: Path) -> None:
    """And entities and tags; what was invalidated stays away."""
    report = taken(memory, hindsight_file(tmp_path))
    (item,) = items(memory).values()

    assert (item.text, item.entities, item.tags) == ("Rui joined Acme", ("Acme", "Rui"), ("work",))
    assert item.valid_from == datetime(2024, 9, 1, tzinfo=UTC)
    assert item.metadata["fact_type"] == "world"
    assert told(report) == {"invalidated memories": 1}


def test_facts_of_zep_are_read_from_any_list(memory: Memory, tmp_path: Path) -> None:
    """The memory of a session lists them under a name of its own."""
    path = tmp_path / "zep.json"
    fact = {"uuid": "u1", "fact": "Ana works at the mill", "created_at": "2024-03-01T00:00:00Z"}
    path.write_text(json.dumps({"relevant_facts": [fact]}), encoding="utf-8")

    taken(memory, path)

    assert [item.text for item in memory.items.list()] == ["Ana works at the mill"]


def test_facts_of_zep_hold_as_long_as_there(memory: Memory, tmp_path: Path) -> None:
    """What no longer holds is stored with its end."""
    report = taken(memory, zep_file(tmp_path))

    assert set(items(memory)) == {"Ana wears Puma shoes"}
    old = items(memory, closed=True)["Ana wears Adidas shoes"]
    assert old.valid_until == datetime(2024, 5, 1, tzinfo=UTC)
    assert old.entities == ("Ana", "Puma shoes")
    assert old.metadata["relation"] == "WEARS"
    assert told(report) == {"nodes without a summary": 1}


def test_notes_bring_observations_relations_and_text(memory: Memory, tmp_path: Path) -> None:
    """With categories, tags, links and the note's date."""
    report = taken(memory, basic_memory_folder(tmp_path))
    found = {str(item.category): item for item in items(memory).values()}
    beans, relation, text = found["preference"], found["fact"], found["note"]

    assert beans.text == "Coffee: Ethiopian beans with a light roast #roast"
    assert set(beans.tags) == {"preference", "roast", "drinks"}
    assert (beans.metadata["context"], beans.metadata["note"]) == (
        "said at breakfast",
        "kitchen/coffee",
    )
    assert beans.valid_from == datetime(2025, 5, 1, tzinfo=UTC)
    assert (relation.text, relation.entities) == ("Coffee brewed with V60", ("Coffee", "V60"))
    assert "Ana grinds beans by hand" in text.text
    assert "buy filters" in text.text
    assert text.entities == ("Coffee", "Grinder")
    assert told(report) == {"files": 1}


def test_other_files_are_no_products(tmp_path: Path) -> None:
    """Neither a chat export nor another database."""
    chats = tmp_path / "conversations.json"
    chats.write_text(json.dumps([{"title": "Tea", "mapping": {}, "create_time": 1}]))
    other = tmp_path / "notes.db"
    other.write_bytes(b"SQLite format 3\0 and no more")

    assert product_of(chats) is None
    assert product_of(other) is None


@pytest.mark.parametrize("format", PRODUCTS)
def test_an_export_without_records_is_refused(format: str, memory: Memory, tmp_path: Path) -> None:
    """With the name of what was looked for."""
    path = tmp_path / "empty.json"
    path.write_text("[]")

    with pytest.raises(ImportRefused, match=format):
        take_in_product(memory, path, format, ANA)


def test_every_memory_that_is_imported_is_named_where_a_file_is_refused(tmp_path: Path) -> None:
    """The list of formats in the error has chats and memories."""
    with pytest.raises(ImportRefused) as refused:
        detect_format(written(tmp_path / "x.json", {"x": 1}))

    assert sorted((GAIA, *PRODUCTS)) == list(MEMORIES)
    assert all(name in str(refused.value) for name in MEMORIES)


@pytest.mark.parametrize("format", ["mcp_memory", "langgraph"])
def test_half_a_pair_of_surrogates_costs_nothing(
    format: str, memory: Memory, tmp_path: Path
) -> None:
    """As some programs leave it where they cut a text in the middle of an emoji."""
    if format == "mcp_memory":
        entity = {"type": "entity", "name": "Rui", "entityType": "person"}
        path = tmp_path / "memory.jsonl"
        path.write_text(json.dumps(entity | {"observations": ["Plays chess \ud83d"]}))
    else:
        path = langgraph_csv(tmp_path)
        path.write_text(path.read_text().replace("in May", "in May \\ud83d"))

    report = taken(memory, path)

    assert report.problems == ()
    assert report.items == (1 if format == "mcp_memory" else 2)


PRODUCT_ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "mem0": ("memory", {"id": "1", "memory": "likes tea", "user_id": "ana"}),
    "hindsight": ("text", {"id": "1", "text": "likes tea", "fact_type": "world"}),
    "zep": ("fact", {"uuid": "1", "fact": "likes tea", "name": "LIKES"}),
}


@pytest.mark.parametrize("format", PRODUCT_ROWS)
def test_words_of_a_product_are_stored_or_counted(format: str, tmp_path: Path) -> None:
    """Those of a field that nobody knows, and of a text in a shape that nobody knows."""
    field, row = PRODUCT_ROWS[format]
    new = row | {"newest": [{"told": "these are words that nobody reads"}]}
    odd = row | {"id": "2", "uuid": "2", field: {"rich": "and these are some too"}}
    path = written(tmp_path / "memories.json", [new, odd])

    with open_export(path) as export:
        found = [*PRODUCTS[format].read(export)]

    kinds = {one.kind for one in found if isinstance(one, Omission)}
    assert "words in newest.told" in kinds
    assert f"words in {field}.rich" in kinds
    assert sum(isinstance(one, ForeignStatement) for one in found) == 1
