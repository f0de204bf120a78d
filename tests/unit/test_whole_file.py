"""Files that are there whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from omoide.settings.whole_file import whole_file


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
