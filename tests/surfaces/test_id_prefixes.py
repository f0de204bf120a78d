"""Commands take the begin of an id where no other id begins so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from omoide import AmbiguousId, Memory
from omoide.cli import app
from omoide.nouns.scope import Scope
from omoide.read.prefixes import SHOWN, whole_id

ANA = Scope(user="ana")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The place of a new store."""
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    return str(tmp_path / "m.db")


def said(store: str, *words: str) -> str:
    """What a command prints."""
    done = CliRunner().invoke(app, ["--store", store, "--user", "ana", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_begin_of_an_id_is_enough(store: str) -> None:
    """For items, changes and what else commands take an id of."""
    with Memory.open(store, user="ana", embedder="none", background=False) as memory:
        id = memory.remember("Ana likes tea").id
        change = memory.history(id).changes[0].id

    assert json.loads(said(store, "get", id[:16], "--json"))["id"] == id
    said(store, "undo", change[:18], "--preview")
    said(store, "correct", id[:16], "Ana likes coffee")
    assert json.loads(said(store, "history", id[:16], "--json"))["items"][0]["id"] == id
    said(store, "forget", id[:16], "--yes")


def test_an_ambiguous_begin_names_some_that_are_meant(store: str) -> None:
    """As an error of a type of its own; nothing is done."""
    with Memory.open(store, user="ana", embedder="none", background=False) as memory:
        ids = [memory.remember(f"Ana has hat {number}").id for number in range(SHOWN + 2)]
        with pytest.raises(AmbiguousId) as refused:
            whole_id(memory.store, ANA, ["item"], ids[0][:5])
        assert refused.value.ids == tuple(ids[:SHOWN])
        done = CliRunner().invoke(app, ["--store", store, "--user", "ana", "forget", ids[0][:5]])
        assert memory.items.list().total == len(ids)
    assert isinstance(done.exception, AmbiguousId)


def test_only_ids_that_the_asker_sees_count(store: str) -> None:
    """Another's are neither found nor make one ambiguous; too little is taken as it is."""
    with Memory.open(store, embedder="none", background=False) as memory:
        mine = memory.remember("Ana likes tea", ANA).id
        others = memory.remember("Ben likes tea", Scope(user="ben")).id

        assert whole_id(memory.store, ANA, ["item"], mine[:6]) == mine
        assert whole_id(memory.store, Scope(user="ben"), ["item"], mine[:6]) == others
        assert whole_id(memory.store, Scope(user="cleo"), ["item"], mine[:6]) == mine[:6]
        assert whole_id(memory.store, ANA, ["item"], mine[:3]) == mine[:3]
