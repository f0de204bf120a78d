"""A secret that was stored before it was masked is in nothing that a verb gives, and its record is
found and forgotten as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import NotFound
from omoide.nouns.item import Details, Item
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.settings.config import load_config
from omoide.store.base import Store
from omoide.text.secrets import ALL_KINDS, SECRET_KINDS, Masked, find_secrets
from omoide.write import checks, ingest, remember, tool_calls
from tests.fix_memory import ANA, NINE, OpenMemory

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
S = Scope(user="ana", session="s")
MAIL = "ana@example.org"


@pytest.fixture
def ids(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """An item and a turn with a secret in every field, written by a program that masked nothing."""
    blind: dict[str, Callable[..., Any]] = {
        "mask_secrets": lambda text, **options: Masked(text, ()),
        "mask_line": lambda text: text,
        "mask_json": lambda value: value,
    }
    with monkeypatch.context() as patched:
        for module in (checks, remember, ingest, tool_calls):
            for name, stand_in in blind.items():
                patched.setattr(module, name, stand_in, raising=False)
        about = Details(
            domain=TOKEN,
            metadata={"password": "swordfish", TOKEN: 1},
            origin=f"https://example.org/?t={TOKEN}",
            quote=TOKEN,
        )
        item = memory.remember(
            f"wombats use {TOKEN}",
            tags=[TOKEN],
            entities=[f"key:{TOKEN}"],
            details=about,
            due_at=NINE + timedelta(days=1),
        )
        said = Message(
            text=f"wombats use {TOKEN} daily",
            speaker=f"Bo {TOKEN}",
            metadata={"password": "swordfish"},
        )
        turn = memory.ingest([said], S).turns[0]
        memory.tool_calls.record("deploy", args={"with": TOKEN}, result=TOKEN, error=TOKEN)
    memory.admin.tidy()
    return item.id, turn


@pytest.mark.covers("GM-60")
def test_no_verb_gives_a_secret_away(memory: Memory, store: Store, ids: tuple[str, str]) -> None:
    """Recall, get, lists, history, sources, what is due, tools: all masked; the rows are as they
    were.
    """
    item, turn = ids
    given: list[Any] = [
        memory.recall("wombats"),
        memory.recall(Query(text="wombats", preset="best")),
        memory.get(item),
        memory.get(turn),
        memory.items.list(),
        memory.due(),
        memory.history(item),
        memory.diff(NINE - timedelta(days=1)),
        memory.items.sources(turn),
        memory.sessions.turns("s", S),
        memory.sessions.turns(),
        memory.sessions.list(),
        memory.entities.list(),
        memory.tool_calls.list(),
        memory.tool_calls.summary(),
        memory.items.edit(item, pinned=True),
        memory.items.feedback(item, helpful=True),
        memory.why_not("wombats", item),
    ]
    assert "wombats use [secret: github-token]" in repr(given)
    assert [
        number
        for number, told in enumerate(given)
        if TOKEN in repr(told) or "swordfish" in repr(told)
    ] == []
    with store.transaction(write=False) as tx:
        assert TOKEN in repr(tx.rows("items.raw", tenant="default", id=item))


@pytest.mark.covers("GM-60")
def test_its_record_is_found_and_forgotten(
    memory: Memory, ids: tuple[str, str], texts: Callable[..., list[str]]
) -> None:
    """By its words, also by the secret's own; by its id; and then it is gone."""
    assert len(texts(memory, "wombats")) == 2
    assert "wombats use [secret: github-token]" in texts(memory, TOKEN)

    memory.forget(ids[0])

    with pytest.raises(NotFound):
        memory.get(ids[0])


def test_marks_are_told_where_they_stand(memory: Memory, ids: tuple[str, str]) -> None:
    """A record that is masked on its way out says so, as one that was masked on its way in."""
    item = memory.get(ids[0])
    assert isinstance(item, Item)
    assert [item.text[mask.start : mask.end] for mask in item.masks] == ["[secret: github-token]"]


@pytest.mark.covers("SO-82")
def test_mail_addresses_are_masked_where_asked_for(open_memory: OpenMemory) -> None:
    """A setting: in all that comes in, also in records that are there already when they go out; by
    default they stay.
    """
    with open_memory() as memory:
        memory.remember(f"Ana writes from {MAIL}", tags=[MAIL])
        assert MAIL in memory.items.list().items[0].text

        memory._engine.masks = ALL_KINDS
        assert MAIL not in repr(memory.items.list())
        told = memory.remember(
            f"Ana also writes from other.{MAIL}",
            entities=[f"mail:{MAIL}"],
            details=Details(metadata={"to": MAIL}),
        )
        logged = memory.ingest([{"content": f"write to {MAIL}", "speaker": MAIL}], S)
        memory._engine.masks = SECRET_KINDS
        assert MAIL not in repr((told, memory.get(told.id), memory.sessions.turns("s", S), logged))
        assert find_secrets(MAIL) == []


def test_the_setting_is_read_and_used(tmp_path: Any) -> None:
    """OMOIDE_MASK_MAILS, or an argument."""
    assert load_config({"OMOIDE_HOME": str(tmp_path), "OMOIDE_MASK_MAILS": "yes"}).mask_mails
    with Memory.open(
        ":memory:", home=tmp_path, embedder="none", background=False, user="ana", mask_mails=True
    ) as memory:
        assert memory.masks == ALL_KINDS
        assert MAIL not in memory.remember(f"Ana writes from {MAIL}", ANA).item.text
