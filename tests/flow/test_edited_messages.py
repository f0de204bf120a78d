"""Messages that are logged again under their key with another text, from their logging to their end."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import ChangeId, TurnId
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message
from omoide.tables.ledger import Ledger
from tests.fix_memory import ANA, NINE

RULE = "Always answer in metric units."


def tell(memory: Memory, *told: tuple[str, str]) -> tuple[TurnId, ...]:
    """The turns of messages in one session, each with its key."""
    messages = tuple(Message(key=key, text=text) for key, text in told)
    return memory.ingest(Conversation(id="talk", messages=messages), ANA).turns


def found(memory: Memory, query: str = "quail") -> list[str]:
    """The texts that recall finds, in alphabetical order."""
    return sorted(hit.text for hit in memory.recall(query, ANA).hits)


def loggings(memory: Memory, turn: TurnId) -> list[ChangeId]:
    """The changes that logged turns of a turn's session, oldest first."""
    with memory.store.transaction(tenant=ANA.tenant, write=False) as tx:
        pasts = Ledger(tx).of_session(ANA.tenant, turn.partition("#")[0])
        return sorted(p.change.id for p in pasts if p.change.action == "log")


def test_an_edit_takes_no_key_of_another_message(memory: Memory) -> None:
    """Though keys of edits are made of the message's: neither of a stored one, nor of one beside
    it.
    """
    tell(memory, ("a", "quail one"), ("a@1", "quail other"))
    tell(memory, ("a", "quail two"))
    tell(memory, ("a", "quail three"), ("a@3", "quail last"))
    tell(memory, ("a", "quail three"), ("a@1", "quail other"))

    assert found(memory) == ["quail last", "quail other", "quail three"]


def test_two_texts_under_one_key_in_one_call_are_refused(memory: Memory) -> None:
    """In a conversation as in a list of messages: all but the first would be lost."""
    with pytest.raises(InvalidInput, match="message 1 id"):
        tell(memory, ("k", "quail one"), ("k", "quail two"))
    assert tell(memory, ("k", "quail one"), ("k", "quail one"))


def test_undoing_one_of_several_edits_leaves_the_latest(memory: Memory) -> None:
    """The first text comes back once no edit stands, and an undoing is undone by any of its
    changes.
    """
    (first,) = tell(memory, ("k", "quail one"))
    tell(memory, ("k", "quail two"), ("x", "another quail"))
    tell(memory, ("k", "quail three"))
    _, second, third = loggings(memory, first)

    undone = memory.undo(second, ANA)
    assert found(memory) == ["quail three"]
    again = memory.undo(third, ANA)
    assert found(memory) == ["quail one"]
    assert memory.admin.doctor() == []
    for change in (next(iter(again)), next(iter(undone))):
        memory.undo(change, ANA)
    assert found(memory) == ["another quail", "quail three"]
    assert memory.admin.doctor() == []


def test_undoing_edits_minds_no_other_message(memory: Memory) -> None:
    """Though its key looks like one of an edit, and it came after all of them."""
    (first,) = tell(memory, ("k", "quail one"))
    tell(memory, ("k", "quail two"))
    tell(memory, ("k", "quail three"))
    tell(memory, ("k@9", "quail other"))
    _, second, third, _ = loggings(memory, first)

    memory.undo(second, ANA)
    assert found(memory) == ["quail other", "quail three"]
    memory.undo(third, ANA)
    assert found(memory) == ["quail one", "quail other"]


def test_forgetting_a_message_forgets_what_it_said_before(memory: Memory) -> None:
    """Of another message that was edited nothing goes."""
    tell(memory, ("k", "quail one"), ("x", "another quail"))
    tell(memory, ("k", "quail two"), ("x", "another quail too"))
    (last,) = tell(memory, ("k", "quail three"))

    assert memory.forget(last, ANA).erased["turns"] == 3
    left = [turn.text for turn in memory.sessions.turns("talk", ANA)]
    assert left == ["another quail", "another quail too"]


def test_what_is_left_of_a_message_is_known_by_its_key(memory: Memory) -> None:
    """Where its first text was forgotten, what it says now is logged once, and edited further."""
    (first,) = tell(memory, ("k", "quail one"))
    tell(memory, ("k", "quail two"))
    memory.forget(first, ANA)
    tell(memory, ("k", "quail two"))
    assert found(memory) == ["quail two"]

    tell(memory, ("k", "quail three"))
    assert found(memory) == ["quail three"]


def test_an_edit_of_a_message_with_the_longest_key_is_archived(
    memory: Memory, tmp_path: Path
) -> None:
    """And so is one with as much metadata as a message may have."""
    key, metadata = "k" * 1000, {"a": "b" * 16_000}
    for text in ("quail one", "quail two"):
        message = Message(key=key, text=text, metadata=metadata)
        memory.ingest(Conversation(id="talk", messages=(message,)), ANA)
    memory.admin.export(tmp_path / "archive", scope=ANA)

    with Memory.open(":memory:") as other:
        other.admin.load(tmp_path / "archive", ANA)
        assert found(other) == ["quail two"]


def test_a_forgotten_instruction_does_not_stand_where_an_archive_is_loaded(
    memory: Memory, tmp_path: Path
) -> None:
    """The archive tells that of the turn; another instruction stands."""
    (turn, _) = tell(memory, ("a", RULE), ("b", "From now on, call me Max."))
    details = Details(source=Source.USER, source_turns=(turn,))
    item = memory.remember("Ana wants metric", ANA, category="preference", details=details)
    memory.forget(item.item.id, ANA)
    memory.admin.export(tmp_path / "archive", scope=ANA)

    with Memory.open(":memory:") as other:
        other.admin.load(tmp_path / "archive", ANA)
        stable = other.context("zzz", Scope(user="ana", session="new")).stable
    assert "metric" not in stable
    assert "call me Max" in stable


def test_an_edit_is_found_by_the_day_that_it_stands_at(memory: Memory) -> None:
    """Also one that says that it is older than what it takes the place of."""
    for text, at in (("Ana likes tea", NINE), ("Ana likes coffee", NINE - timedelta(days=40))):
        memory.ingest([Message(text=text, key="k", at=at)], Scope(user="ana", session="s"))

    assert memory.admin.doctor() == []
