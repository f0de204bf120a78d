"""Agents as files: whoever reads one while it is rewritten sees the old one or the new one."""

from __future__ import annotations

import threading
import time
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from omoide.agent.definitions import Definition, Definitions
from omoide.nouns.errors import InvalidInput, NotFound, UnknownName


def written(number: int) -> str:
    """A file whose two fields belong together, long enough to be written in parts."""
    return f'instructions = "{f"word{number} " * 5_000}"\nwindow_turns = {number}\n'


@pytest.mark.covers("AD-38")
def test_an_edit_takes_effect_at_the_next_read(tmp_path: Path) -> None:
    """What was read before stays what it was."""
    file = tmp_path / "helper.toml"
    file.write_text('instructions = "Be brief."')
    definitions = Definitions(tmp_path, rest_s=0)
    before = definitions.get("helper")
    file.write_text('instructions = "Be very brief."\nmodel = "ollama:MODEL"')

    assert before == Definition(name="helper", instructions="Be brief.")
    assert definitions.get("helper").instructions == "Be very brief."
    with pytest.raises(FrozenInstanceError):
        before.instructions = "x"  # type: ignore[misc]


@pytest.mark.covers("GM-185", "LS-13")
def test_a_reader_sees_the_old_or_the_new_one_never_half(tmp_path: Path) -> None:
    """While a writer rewrites the file in place, without care, as editors do."""
    file = tmp_path / "helper.toml"
    file.write_text(written(1))
    definitions = Definitions(tmp_path)
    definitions.get("helper")
    stop = threading.Event()

    def rewrite() -> None:
        number = 1
        while not stop.is_set():
            number += 1
            text = written(number)
            with file.open("w") as out:
                for start in range(0, len(text), 4_000):
                    out.write(text[start : start + 4_000])
                    out.flush()
            stop.wait(0.15)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        end = time.monotonic() + 1.2
        seen: list[Definition] = []
        while time.monotonic() < end:
            seen.append(definitions.get("helper"))
            time.sleep(0.001)
    finally:
        stop.set()
        writer.join()
    wrong = [
        one.window_turns for one in seen if one.instructions != f"word{one.window_turns} " * 5_000
    ]

    assert not wrong
    assert len({one.window_turns for one in seen}) > 1


def test_a_broken_file_leaves_the_last_definition(tmp_path: Path) -> None:
    """Until it can be read again; one that never could is refused, with what is wrong."""
    file = tmp_path / "helper.toml"
    file.write_text("window_turns = 5")
    definitions = Definitions(tmp_path, rest_s=0)
    first = definitions.get("helper")
    file.write_text("window_turns = ")

    assert definitions.get("helper") == first
    file.write_text("window_turns = 6")
    assert definitions.get("helper").window_turns == 6
    (tmp_path / "broken.toml").write_text("[")
    with pytest.raises(InvalidInput, match=r"broken\.toml"):
        definitions.get("broken")


def test_wrong_names_and_values_are_told(tmp_path: Path) -> None:
    """Which key is unknown, which agent there is not; no name leads out of the folder."""
    (tmp_path / "helper.toml").write_text('instruction = "x"')
    (tmp_path / "other.toml").write_text('window_turns = "many"')
    definitions = Definitions(tmp_path)

    with pytest.raises(UnknownName, match="instruction"):
        definitions.get("helper")
    with pytest.raises(InvalidInput, match="window_turns"):
        definitions.get("other")
    for name in ("nobody", "../helper"):
        with pytest.raises(NotFound):
            definitions.get(name)
    assert definitions.names() == ["helper", "other"]
