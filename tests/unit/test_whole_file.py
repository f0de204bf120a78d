"""Files that are there whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from omoide.nouns.errors import InvalidInput
from omoide.settings.whole_file import home_file, whole_file


def test_a_folder_of_another_user_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is named, and what must be writable."""

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", denied)
    writing = home_file(tmp_path / "theirs" / "config.toml")

    with pytest.raises(InvalidInput, match="denied; make its folder writable for this user"):
        writing.__enter__()


@pytest.mark.parametrize(("shared", "mode"), [(False, 0o600), (True, 0o644)])
def test_a_file_is_private_unless_it_is_to_be_shared(
    tmp_path: Path, shared: bool, mode: int
) -> None:
    """A shared one is readable as far as the umask lets it be."""
    folder = tmp_path / "folder"
    folder.mkdir()
    with whole_file(folder / "it", shared=shared) as out:
        out.write("whole")

    assert (folder / "it").read_text() == "whole"
    assert stat.S_IMODE((folder / "it").stat().st_mode) == mode
    assert [path.name for path in folder.iterdir()] == ["it"]
