"""No path, address or argument brings out a raw error, a password, or itself at any length."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from omoide.archive.lines import check_archive
from omoide.cli import run
from omoide.exchange.archives import open_source
from omoide.nouns import errors
from omoide.nouns.errors import SHOWN, InvalidInput, NotFound, OmoideError, UnknownName
from omoide.nouns.skill_file import skill_folder
from omoide.store import file_of, open_store
from omoide.store.postgres.connections import place_of
from omoide.store.sqlite.backup import restore
from omoide.store.sqlite.engine import SqliteStore
from omoide.store.sqlite.salvage import salvage

PASSWORD = "hunter2sesame"
LONG = "x" * 70_000


def backup(path: str) -> None:
    """Back a store up there."""
    with SqliteStore.open(":memory:").transaction(tenant=None):
        pass
    SqliteStore.open(Path(path.partition("/bad")[0]) / "whole.db").backup(path)


PATHS: dict[str, Callable[[str], object]] = {
    "open": open_store,
    "backup": backup,
    "restore": lambda path: restore(path, "new.db"),
    "restore to": lambda path: restore(__file__, path),
    "salvage": lambda path: salvage(path, "new.db"),
    "salvage to": lambda path: salvage(__file__, path),
    "load": lambda path: check_archive(Path(path)),
    "import": lambda path: open_source(Path(path)),
    "skills": skill_folder,
}


@pytest.mark.parametrize("call", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("name", ["bad\0name", "bad\ud800name"], ids=["NUL", "surrogate"])
def test_a_path_that_cannot_be_one_is_told(
    tmp_path: Path, name: str, call: Callable[[str], object]
) -> None:
    """As wrong input, and not as an error of Python's."""
    with pytest.raises(InvalidInput):
        call(f"{tmp_path}/{name}")


def test_salvaging_a_folder_is_told(tmp_path: Path) -> None:
    """A folder is no damaged file."""
    with pytest.raises(errors.StoreRefused, match="regular file"):
        salvage(tmp_path, tmp_path / "new.db")


def every(kind: type[OmoideError]) -> Iterator[type[OmoideError]]:
    """A class of errors and all below it."""
    yield kind
    for child in kind.__subclasses__():
        yield from every(child)


def test_a_value_of_any_length_is_shown_shortened() -> None:
    """Beginning and end of the message stay; every class of errors goes by that."""
    told = str(UnknownName("setting", LONG, ("alpha", "omega")))

    assert len(told) < SHOWN + 100
    assert told.startswith("setting: unknown 'xxx")
    assert told.endswith("known: alpha, omega")
    assert len(str(NotFound("item", LONG))) < SHOWN + 100
    assert [kind for kind in every(OmoideError) if "__str__" in vars(kind)] == [OmoideError]


@pytest.mark.parametrize(
    "arguments",
    [(LONG,), ("stats", f"--{LONG}"), ("config", LONG), ("--store", f"/{LONG}", "stats")],
    ids=["command", "option", "setting", "store"],
)
def test_the_command_line_repeats_no_long_argument(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    """A person sees some of it, and what is wrong."""
    assert run(list(arguments)) != 0

    assert 0 < len(capsys.readouterr().err) < SHOWN + 200


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql:/ana:{PASSWORD}@host/db",
        f"postgres:ana:{PASSWORD}@host/db",
        f"Postgresql:/ana:{PASSWORD}@host/db",
        f"postgresql//ana:{PASSWORD}@host/db",
        f"ana:{PASSWORD}@host/db",
        f"mysql://ana:{PASSWORD}@host/db",
        f"host=localhost user=ana password={PASSWORD}",
        f"postgresql://ana:12/{PASSWORD}@host/db",
        f"postgresql://ana:a@{PASSWORD}@host/db",
        f"postgresql://ana:{PASSWORD}/more@host/db",
    ],
)
def test_a_mistyped_address_shows_no_password(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    address: str,
) -> None:
    """Neither the library nor the command line repeats it, and no folder of that name is made."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OmoideError) as caught:
        open_store(address)
    with pytest.raises(OmoideError) as caught_too:
        file_of(address)
    for command in ("remember", "recall"):
        assert run(["--store", address, command, "tea"]) != 0

    out = "".join((*capsys.readouterr(), repr(caught.value), repr(caught_too.value)))
    assert PASSWORD not in out
    assert [file.name for file in tmp_path.iterdir()] == ["home"]


def test_an_address_is_named_without_its_password() -> None:
    """Host, port and database are what errors show; an encoded password stands in none of them."""
    assert place_of("postgresql://ana:p%40ss%2Fword@host:5433/db") == "postgres host:5433/db"


def test_an_interrupt_while_the_command_line_is_loaded_is_one_line(tmp_path: Path) -> None:
    """As later: no traceback, and the code of a command that was stopped."""
    code = (
        "import runpy, sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "runpy.run_module('omoide', run_name='__main__')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "omoide: stopped\n")
