"""Keeping a store on Postgres from the command line: what works there, and what is said where it
does not.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, StoreError
from omoide.nouns.scope import Scope
from omoide.store import open_store
from tests.surfaces.test_cli import Omoide, home, omoide

__all__ = ["home", "omoide"]
ADDRESS = "postgresql://omoide:secret@db.invalid/assistant"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A backup of a small store."""
    with Memory(
        open_store(str(tmp_path / "memory.db")), scope=Scope(user="ana"), background=False
    ) as memory:
        memory.remember("the wombat sleeps")
        assert memory.admin.backup(str(tmp_path / "copy.db")) == []
    return tmp_path / "copy.db"


@pytest.mark.parametrize(
    "command",
    [
        ("admin", "restore", "COPY"),
        ("admin", "restore", "COPY", "--replace"),
        ("admin", "salvage", "new.db"),
    ],
)
def test_what_is_done_to_files_is_refused_for_a_server(
    command: tuple[str, ...],
    omoide: Omoide,
    copy: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With what to use instead, no address in it, and no folder by the name of one."""
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.rglob("*"))

    told = omoide("--store", ADDRESS, *(str(copy) if word == "COPY" else word for word in command))

    assert told.code == StoreError.exit_code
    assert "pg_restore" in told.err
    assert "secret" not in told.err + told.out
    assert {path.relative_to(tmp_path).parts[0] for path in set(tmp_path.rglob("*")) - before} <= {
        "home"
    }


@pytest.mark.parametrize("address", [str, "sqlite:{}".format], ids=["path", "sqlite:"])
def test_a_file_may_be_named_as_an_address(
    address: Callable[[Path], str], omoide: Omoide, copy: Path, tmp_path: Path
) -> None:
    """The backup is put there, and is not a file with the address as its name."""
    place = tmp_path / "restored.db"

    assert omoide("--store", address(place), "admin", "restore", str(copy)).code == 0

    assert place.is_file()
    assert "the wombat sleeps" in omoide("--store", address(place), "recall", "wombat").out


@pytest.mark.postgres
def test_what_keeps_a_store_on_a_server_works_or_says_what_to_use(
    omoide: Omoide, postgres_url: str, tmp_path: Path
) -> None:
    """Doctor and verify do their work there; what copies or encrypts files is the server's."""
    at = ("--store", postgres_url)
    assert omoide(*at, "remember", "the wombat sleeps").code == 0

    assert "all is well" in omoide(*at, "doctor", "--deep").out
    assert "the ledger is whole" in omoide(*at, "admin", "verify").out
    refused = omoide(*at, "admin", "backup", str(tmp_path / "copy.db"))
    assert refused.code == StoreError.exit_code
    assert "pg_dump" in refused.err
    assert not (tmp_path / "copy.db").exists()
    assert omoide(*at, "admin", "rekey", "--off").code == InvalidInput.exit_code
