"""What models are told comes from files with versions, and another folder may stand in for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from omoide.models.prompts import prompt, prompt_version, prompts_from, schema
from omoide.nouns.errors import InvalidInput


def test_no_model_sees_the_version() -> None:
    """The first line with it is no part of the instructions."""
    assert prompt_version("extract") >= 2
    assert "version" not in prompt("extract").splitlines()[0]


def test_files_of_a_folder_stand_for_those_of_their_name(tmp_path: Path) -> None:
    """Others stay as they are, and so does everything afterwards."""
    (tmp_path / "extract.md").write_text("<!-- version 9 -->\nNote what matters.\n", "utf-8")
    ours = prompt("extract"), prompt("decide")

    with prompts_from(tmp_path):
        assert (prompt("extract"), prompt_version("extract")) == ("Note what matters.", 9)
        assert prompt("decide") == ours[1]

    assert (prompt("extract"), prompt("decide")) == ours


def test_a_folder_may_bring_the_form_of_an_answer(tmp_path: Path) -> None:
    """Beside the instructions."""
    (tmp_path / "extract.md").write_text("Note what matters.", "utf-8")
    (tmp_path / "extract.json").write_text('{"type": "array"}', "utf-8")

    with prompts_from(tmp_path):
        assert schema("extract") == {"type": "array"}
    assert schema("extract")["type"] == "object"


def test_a_folder_without_a_known_prompt_is_refused(tmp_path: Path) -> None:
    """A misspelt name would compare a version with itself."""
    (tmp_path / "extarct.md").write_text("Note what matters.", "utf-8")

    with pytest.raises(InvalidInput, match=r"extract\.md"), prompts_from(tmp_path):
        pass
