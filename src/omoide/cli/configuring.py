"""Commands that set up: config for settings, and secret for keys of models' providers, which are
asked for without an echo and kept for the user alone.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from omoide.cli.here import Here, note, print_json
from omoide.cli.options import KeyName, Remove, SettingName, SettingValue, Unset
from omoide.cli.show import console, safe, table
from omoide.nouns.errors import NotFound

if TYPE_CHECKING:
    from omoide.settings.keys import KeptIn, Keys


def secret(here: Here, name: KeyName = None, remove: Remove = False) -> None:
    """Store a model provider's key in the system's keyring, else in a private file. The command
    asks for the key, or reads it from a pipe.
    """
    from omoide.settings.keys import Keys, system_ring

    keys = Keys(here.settings.home, system_ring())
    if name is None:
        _list(here, keys)
    elif remove:
        try:
            keys.remove(name)
        except NotFound as missing:
            missing.add_note("omoide secret shows which are")
            raise
        here.tell({"name": name, "kept": None}, f"{name} is kept no longer")
    else:
        place = keys.set(name, _typed_key(name)).value
        told = {"name": name, "kept": place}
        here.tell(told, f"{name} is kept in the {place}")


def _typed_key(name: str) -> str:
    """A key as it is typed, without an echo, or one line of a pipe."""
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    typed: str = typer.prompt(f"Key for {name}", hide_input=True, err=True)
    return typed


def _list(here: Here, keys: Keys) -> None:
    def rows(kept: Mapping[str, KeptIn]) -> None:
        shown = [(safe(name), place.value) for name, place in kept.items()]
        table(("name", "kept in"), shown)

    none = "no keys are kept", "omoide secret OPENAI_API_KEY keeps one"
    here.tell(keys.names(), rows, none)


def config(
    here: Here, name: SettingName = None, value: SettingValue = None, unset: Unset = False
) -> None:
    """Show the settings in force, or set one in the settings file, as in omoide config user ana."""
    from omoide.models.chat.asker import LLM_SETTINGS
    from omoide.settings.config import home_folder, known_setting, write_setting

    if name is None:
        _show_settings(here)
        return
    known_setting(name)
    if value is not None or unset:
        _try_out(name, value)
        # not by the settings in force: what is wrong in the file may be mended so
        write_setting(home_folder() / "config.toml", name, None if unset else value)
    shown = _settings(here)[name]
    here.tell({name: shown}, safe(shown or f"{name} is not set"))
    if value is not None:
        _note_overridden(here, name)
    if name in (*LLM_SETTINGS, "spend_limit", "prices"):
        here.warn_of_models()


def _note_overridden(here: Here, name: str) -> None:
    """Say that a setting of the file is not in force, if it is not."""
    from omoide.settings.config import PREFIX, load_config

    now = here.settings
    if getattr(load_config({}, home=now.home), name) != getattr(now, name):
        note(f"written to the file, but {PREFIX}{name.upper()} or an option goes before it")


def _show_settings(here: Here) -> None:
    from omoide.settings.config import PREFIX

    values = _settings(here)
    if here.as_json:
        print_json(values)
        return
    rows = ((name, safe(value), PREFIX + name.upper()) for name, value in values.items())
    table(("setting", "value", "variable"), rows)
    file = here.settings.home / "config.toml"
    console.print(f"file: {file}; omoide config NAME VALUE writes to it")
    here.warn_of_models()


def _settings(here: Here) -> dict[str, str]:
    """The settings in force as text, without secrets."""
    from dataclasses import fields

    from omoide.settings.config import SECRETS

    now = here.settings
    shown = {f.name: getattr(now, f.name) for f in fields(now)}
    values = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in shown.items()
    }
    hidden = {name: "set" for name in SECRETS if values[name]}
    return values | hidden | {"store": here.store}


def _try_out(name: str, value: str | None) -> None:
    """That a model of this name works; other settings are checked as they are read."""
    from omoide.models import load_embedder, load_reranker
    from omoide.models.chat.asker import LLM_SETTINGS, load_asker
    from omoide.models.chat.registry import load_chat
    from omoide.settings.config import Config

    if value and name == "embedder":
        load_embedder(value)
    elif value and name == "reranker":
        load_reranker(value)
    elif value and name == "llm":
        load_chat(value)
    elif value and name in LLM_SETTINGS:
        config = Config(llm_slow=value) if name == "llm_slow" else Config(llm_for=value)
        load_asker(config, lambda ask: "")
