"""Settings as `Memory.open` takes them: each by its name and type."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from omoide import AsyncMemory, Category, InvalidInput, Level, Memory, UnknownName
from omoide.nouns.item import CategoryName
from omoide.nouns.query import PresetName
from omoide.read.presets import PRESETS
from omoide.settings.config import Config
from omoide.settings.levels import LevelName
from omoide.verbs.opening import Settings, read_opening


def test_settings_of_open_are_those_of_config() -> None:
    """The same names, the store aside, and each type among those that may be given."""
    given, held = get_type_hints(Settings), get_type_hints(Config)

    assert list(given) == [field.name for field in fields(Config) if field.name != "store"]
    for name, hint in given.items():
        kinds = get_args(hint)
        assert type(None) in kinds
        assert held[name] in kinds or set(get_args(held[name])) <= set(kinds), name


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
def test_open_takes_them_by_name(kind: Any) -> None:
    """Editors and type checkers are shown them."""
    assert "Unpack[Settings]" in str(inspect.signature(kind.open))


def test_names_are_those_of_what_they_name() -> None:
    """Of categories, presets and levels."""
    assert get_args(CategoryName) == tuple(Category)
    assert get_args(PresetName) == tuple(PRESETS)
    assert get_args(LevelName) == tuple(Level)


def test_a_misspelt_setting_names_the_nearest(tmp_path: Path) -> None:
    """Whether a whole config is given or not, and no store is made."""
    told: dict[str, Any] = {"embeder": "none"}

    for config in (None, Config(home=tmp_path)):
        with pytest.raises(UnknownName, match="did you mean 'embedder'"):
            Memory.open(config=config, **told)
    assert not list(tmp_path.rglob("*.db"))


def test_settings_beside_a_config_are_refused(tmp_path: Path) -> None:
    """They would be passed over; a model, which no config can hold, is none of them."""
    config = Config(home=tmp_path)

    with pytest.raises(InvalidInput, match="got store, user beside it"):
        read_opening("x.db", config, {"user": "ana"})
    assert read_opening(None, config, {"llm": lambda ask: "{}"}).config is config


def test_none_counts_as_not_given(tmp_path: Path) -> None:
    """But no embedder is one that was chosen."""
    opening = read_opening(None, None, {"home": tmp_path, "user": None, "embedder": None})

    assert (opening.config.user, opening.config.embedder) == ("", "none")
