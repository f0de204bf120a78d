"""An archive brings in what its loader may write; the rest takes an administrator's word."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import Conflict, Forbidden
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from tests.fix_memory import ANA, BEN, NOBODY, OpenMemory

Write = Callable[[Memory, Scope, dict[str, Any]], Path]


def altered(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """The archive with each of its items changed, and whole."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    told = [change(line) if line.get("type") == "item" else line for line in lines[:-1]]
    body = "".join(json.dumps(line) + "\n" for line in told)
    end = {"end": lines[-1]["end"], "sha256": hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(body + json.dumps(end) + "\n")
    return path


@pytest.fixture
def archive(memory: Memory, tmp_path: Path) -> Path:
    """Ana's archive, of one item."""
    memory.remember("Ana likes tea")
    memory.admin.export(tmp_path / "ana.jsonl", ANA)
    memory.admin.erase("all")
    return tmp_path / "ana.jsonl"


@pytest.mark.parametrize(
    ("change", "listed"),
    [
        ({"scope": {"user": "ben"}}, "1 item of user 'ben'"),
        ({"scope": {}}, "1 item that everybody sees"),
        ({"category": "permission"}, "1 item of the privileged category 'permission'"),
        ({"category": "system"}, "1 item of the privileged category 'system'"),
    ],
    ids=["another user's", "everybody's", "permission", "system"],
)
def test_what_a_loader_may_not_write_is_listed_and_nothing_is_stored(
    memory: Memory, archive: Path, change: dict[str, Any], listed: str
) -> None:
    """Refused as a whole; an administrator's word lets it in."""
    altered(archive, lambda item: item | change)

    with pytest.raises(Forbidden, match=listed):
        memory.admin.load(archive, restore_forgotten=True)

    assert not any(memory.items.list(scope=scope).items for scope in (ANA, BEN, NOBODY))
    preview = memory.admin.load(archive, preview=True)
    assert preview.beyond == {listed.removeprefix("1 "): 1}
    assert memory.admin.load(archive, everything=True, restore_forgotten=True).added["item"] == 1


def test_several_records_of_others_are_counted_as_such(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """In the plural."""
    memory = open_memory(scope=NOBODY)
    for text in ("The office closes at six", "The garden has a gate"):
        memory.at(shared=True).remember(text)
    memory.admin.export(tmp_path / "all.jsonl", NOBODY)

    with pytest.raises(Forbidden, match="2 items that everybody sees, 2 changes that everybody"):
        memory.admin.load(tmp_path / "all.jsonl", ANA)


def test_ones_own_archive_needs_nobody(memory: Memory, archive: Path) -> None:
    """What a user wrote out comes back in."""
    assert memory.admin.load(archive, preview=True).beyond == {}
    assert memory.admin.load(archive, restore_forgotten=True).added["item"] == 1


def test_a_shared_talk_comes_back_as_far_as_it_is_ones_own(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    """The session and what one said in it, as export writes them."""
    memory = open_memory()
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    said = (
        Message(text="the wombat sleeps", speaker="Ana", user="ana"),
        Message(text="the koala eats", speaker="Ben", user="ben"),
    )
    memory.ingest(Conversation(id="s", participants=people, messages=said), NOBODY)
    assert memory.admin.export(tmp_path / "ana.jsonl", ANA).records["turn"] == 1
    memory.sessions.forget("s", scope=ANA)
    memory.sessions.forget("s", scope=BEN)

    assert memory.admin.load(tmp_path / "ana.jsonl", restore_forgotten=True).added["turn"] == 1


def test_another_tenants_archive_needs_an_administrator(
    open_memory: OpenMemory, archive: Path
) -> None:
    """A memory of one tenant writes nothing into another's."""
    other = open_memory(scope=Scope(tenant="other", user="ana"))

    with pytest.raises(Forbidden, match="of tenant 'default'"):
        other.admin.load(archive, restore_forgotten=True)


def test_an_agent_loads_no_other_agents_items(open_memory: OpenMemory, archive: Path) -> None:
    """What is of an agent is loaded by that agent, or by the user."""
    altered(archive, lambda item: item | {"scope": {"user": "ana", "agent": "cook"}})

    with pytest.raises(Forbidden, match="of agent 'cook'"):
        open_memory(scope=replace(ANA, agent="coder")).admin.load(archive, restore_forgotten=True)
    assert open_memory().admin.load(archive, restore_forgotten=True).added["item"] == 1


@pytest.mark.parametrize("link", ["supersedes", "bases"])
def test_an_item_takes_over_from_nobody_elses(memory: Memory, archive: Path, link: str) -> None:
    """Forgetting it would erase theirs."""
    theirs = memory.remember("Ben likes coffee", BEN).item
    altered(archive, lambda item: item | {link: [theirs.id] if link == "bases" else theirs.id})

    with pytest.raises(Conflict, match="another's here"):
        memory.admin.load(archive, restore_forgotten=True)

    assert memory.get(theirs.id, BEN).text == "Ben likes coffee"
