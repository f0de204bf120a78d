"""A folder of Markdown files: written from a store, edited, and read back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from omoide.cli import run
from omoide.exchange.files.folder import carry_out, conflict_of, read_plan, write_files
from omoide.exchange.files.layout import entries_in, page_of, version_of
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from tests.fix_memory import MakeItem

ANA = Scope(user="ana")
BY_USER = Details(source=Source.USER)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Ana's memory of two facts, a preference and a sensitive fact."""
    with Memory.open(tmp_path / "memory.db", user="ana", background=False) as opened:
        opened.remember("Ana lives in Lisbon")
        opened.remember("Ana works at the port\n\nSince 2019")
        opened.remember("Ana likes green tea", category="preference")
        opened.remember("Ana is ill", details=Details(sensitive=True))
        yield opened


@pytest.fixture
def folder(memory: Memory, tmp_path: Path) -> Path:
    """The folder that was written of it."""
    assert write_files(memory, tmp_path / "files", ANA) == 3
    return tmp_path / "files"


def edit(folder: Path, name: str, old: str, new: str) -> None:
    """Replace words in a file, as an editor does."""
    page = (folder / name).read_text(encoding="utf-8")
    assert old in page
    (folder / name).write_text(page.replace(old, new), encoding="utf-8")


def texts(memory: Memory) -> set[str]:
    """What is known that is not sensitive."""
    return {item.text for item in memory.items.list()}


def entry_of(folder: Path, name: str, words: str) -> str:
    """The line of an entry."""
    lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return next(line for line in lines if words in line)


def read(memory: Memory, folder: Path, *, forget: bool = False) -> tuple[int, int, int]:
    """Read a folder back: how many were added, corrected, forgotten."""
    done = carry_out(memory, folder, ANA, read_plan(memory, folder, ANA), lambda item: forget)
    return done.added, done.corrected, done.forgotten


def test_what_was_not_edited_changes_nothing(memory: Memory, folder: Path) -> None:
    """A folder that is read as it was written comes out byte by byte the same."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    assert read(memory, folder) == (0, 0, 0)

    assert before.keys() == {"fact.md", "preference.md", ".omoide.json"}
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_file_is_no_folder(memory: Memory, folder: Path) -> None:
    """Neither to write into nor to read from; the error names it as it was given."""
    page = folder / "fact.md"

    for act in (write_files, read_plan):
        with pytest.raises(InvalidInput, match=r"fact\.md: is not a folder"):
            act(memory, page, ANA)


def test_an_edit_corrects_the_item(memory: Memory, folder: Path) -> None:
    """The old text stays in the item's history, and the folder names the new item."""
    (old,) = [item for item in memory.items.list() if "Lisbon" in item.text]
    edit(folder, "fact.md", "Lisbon", "Porto")

    assert read(memory, folder) == (0, 1, 0)

    (new,) = [item for item in memory.items.list() if "Porto" in item.text]
    assert new.supersedes == old.id
    assert new.id in entry_of(folder, "fact.md", "Porto")
    assert read(memory, folder) == (0, 0, 0)


def test_a_new_entry_is_remembered(memory: Memory, folder: Path) -> None:
    """It has the category of its file, and may have several lines."""
    with open(folder / "preference.md", "a", encoding="utf-8") as page:
        page.write("- Ana likes walks\n\n  in the rain\n")

    assert read(memory, folder) == (1, 0, 0)

    (walks,) = [item for item in memory.items.list() if "walks" in item.text]
    assert (walks.text, walks.category) == ("Ana likes walks\n\nin the rain", "preference")


def test_a_removed_entry_is_forgotten_only_where_that_is_allowed(
    memory: Memory, folder: Path
) -> None:
    """Else it is written again. What came into the store since is not taken for removed."""
    line = entry_of(folder, "fact.md", "Lisbon")
    memory.remember("Ana has a cat")
    edit(folder, "fact.md", line, "")

    assert read(memory, folder) == (0, 0, 0)
    assert entry_of(folder, "fact.md", "Lisbon") == line
    edit(folder, "fact.md", line, "")

    assert read(memory, folder, forget=True) == (0, 0, 1)
    assert "Ana lives in Lisbon" not in texts(memory)
    assert "Ana has a cat" in texts(memory)


def test_an_item_that_was_changed_since_is_a_conflict(memory: Memory, folder: Path) -> None:
    """It is told with the store's text; with the mark that is told, the edit goes through."""
    (old,) = [item for item in memory.items.list() if "Lisbon" in item.text]
    new = memory.correct(old.id, "Ana lives in Faro").item
    edit(folder, "fact.md", "Lisbon", "Porto")

    (entry,) = read_plan(memory, folder, ANA).conflicts
    told = conflict_of(memory, ANA, entry)
    assert all(part in told for part in ("fact.md:3", old.id, "Ana lives in Faro", new.id))
    assert "Ana lives in Faro" in texts(memory)

    mark = f"{new.id} {version_of(new.text)}"
    edit(folder, "fact.md", f"{old.id} {version_of(old.text)}", mark)
    assert read(memory, folder) == (0, 1, 0)
    assert "Ana lives in Porto" in texts(memory)


def test_edits_that_were_not_read_are_not_written_over(memory: Memory, folder: Path) -> None:
    """Unless that is forced."""
    edit(folder, "fact.md", "Lisbon", "Porto")

    with pytest.raises(InvalidInput, match="not read"):
        write_files(memory, folder, ANA)
    assert "Porto" in (folder / "fact.md").read_text(encoding="utf-8")

    write_files(memory, folder, ANA, force=True)
    assert "Porto" not in (folder / "fact.md").read_text(encoding="utf-8")


def test_sensitive_items_are_written_only_when_asked(memory: Memory, folder: Path) -> None:
    """Reading such a folder back writes them again."""
    assert "ill" not in (folder / "fact.md").read_text(encoding="utf-8")

    write_files(memory, folder, ANA, sensitive=True)
    read(memory, folder)
    assert "Ana is ill" in (folder / "fact.md").read_text(encoding="utf-8")


def test_a_folder_of_somebody_else_is_refused(memory: Memory, folder: Path) -> None:
    """The error names whose it is."""
    with pytest.raises(InvalidInput, match="ana"):
        read_plan(memory, folder, Scope(user="ben"))


@pytest.mark.parametrize("line", ["Ana likes walks\n", "1. Ana likes walks\n"])
def test_what_is_no_entry_is_told_with_its_line(memory: Memory, folder: Path, line: str) -> None:
    """Nothing that a person wrote is passed over."""
    with open(folder / "preference.md", "a", encoding="utf-8") as page:
        page.write(line)

    with pytest.raises(InvalidInput, match=r"preference\.md:4"):
        read_plan(memory, folder, ANA)


def test_a_copied_entry_is_told(memory: Memory, folder: Path) -> None:
    """Two entries with one mark cannot both be the item."""
    line = entry_of(folder, "fact.md", "Lisbon")
    edit(folder, "fact.md", line, line + line)

    with pytest.raises(InvalidInput, match=r"fact\.md:3"):
        read_plan(memory, folder, ANA)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)))
def test_any_text_comes_back(make_item: MakeItem, said: list[str]) -> None:
    """An entry has the words of its item, whatever stands in them, and is not taken for edited."""
    items = [make_item(text=text) for text in [*said, "a\n- b\n# c <!-- omoide:x 0123456789ab -->"]]
    items = [item for item in items if item.text.strip()]

    entries = list(entries_in("fact.md", page_of("fact", items)))

    assert {entry.id for entry in entries} == {item.id for item in items}
    assert not [entry for entry in entries if entry.is_edited]


def test_the_commands_write_and_read(
    memory: Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A conflict exits with 4 and changes nothing; removed entries stay where nobody can answer."""
    monkeypatch.setenv("OMOIDE_STORE", str(tmp_path / "memory.db"))
    monkeypatch.setenv("OMOIDE_USER", "ana")
    folder = tmp_path / "view"
    (old,) = [item for item in memory.items.list() if "Lisbon" in item.text]
    assert run(["files", "write", str(folder)]) == 0
    edit(folder, "fact.md", "Lisbon", "Porto")
    edit(folder, "preference.md", entry_of(folder, "preference.md", "tea"), "")
    assert run(["files", "read", str(folder)]) == 0
    assert "1 corrected, 0 added, 0 forgotten" in capsys.readouterr().out
    assert {"Ana lives in Porto", "Ana likes green tea"} <= texts(memory)

    edit(folder, "fact.md", "Porto", "Braga")
    entry_id = _id_of(memory, "Porto")
    memory.correct(entry_id, "Ana lives in Faro", details=BY_USER)
    assert run(["files", "read", str(folder)]) == 4
    assert entry_id in capsys.readouterr().err
    assert "Ana lives in Faro" in texts(memory)
    assert old.id != entry_id


def _id_of(memory: Memory, words: str) -> str:
    return next(item.id for item in memory.items.list() if words in item.text)
