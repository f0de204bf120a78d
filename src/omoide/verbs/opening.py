"""What a memory is opened with: settings given in the call, each of its type, and the rest from the
environment and the settings file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

from omoide.models.chat.asker import LLM_SETTINGS
from omoide.models.chat.base import ChatModel, Plain
from omoide.nouns.errors import InvalidInput
from omoide.nouns.record.frozen import frozen_record
from omoide.nouns.scope import NOWHERE, Scope
from omoide.settings.config import (
    ChatMemory,
    Config,
    Durability,
    LearnFrom,
    Memories,
    Review,
    Strategy,
    known_setting,
    load_config,
)
from omoide.settings.levels import Level, LevelName

PLACES = ("tenant", "agent", "user", "context")  # settings that are names of a scope


class Settings(TypedDict, total=False):
    """The settings that ``Memory.open`` takes by name: those of ``Config``, of which ``llm`` may
    also be a model or a function, and ``llm_slow_for`` a function. None counts as not given, but
    ``embedder=None`` is ``"none"``.
    """

    home: Path | str | None
    tenant: str | None
    user: str | None
    agent: str | None
    context: str | None
    embedder: str | None
    embedder_timeout_s: float | None
    reranker: str | None
    reranker_timeout_s: float | None
    durability: Durability | None
    allow_network: bool | None
    llm: Plain | ChatModel | str | None
    llm_slow: str | None
    llm_slow_for: Callable[[str], bool] | str | None
    llm_for: str | None
    judge: str | None
    strict: bool | None
    llm_timeout_s: float | None
    spend_limit: float | None
    token_limit: int | None
    prices: str | None
    capture: str | None
    catch_up: str | None
    strategy: Strategy | None
    learn_from: LearnFrom | None
    review: Review | None
    steering: str | None
    persona: str | None
    user_memory: Memories | None
    agent_memory: Memories | None
    chat_memory: ChatMemory | None
    shared_memory: bool | None
    reflect: bool | None
    digests: str | None
    profile: bool | None
    profile_limit: int | None
    upkeep: str | None
    analyse: str | None
    recipes: bool | None
    prune_after: str | None
    items_most: int | None
    skills: str | None
    archive_for: str | None
    unconfirmed_for: str | None
    calls_for: str | None
    level: Level | LevelName | None
    mask_mails: bool | None
    zone: str | None
    mask_place_codes: bool | None
    background: bool | None
    passphrase: str | None


@frozen_record
class Opening:
    """The settings of a memory that is to be opened, with what no text can name."""

    config: Config
    llm: Plain | ChatModel | None = None
    slow_for: Callable[[str], bool] | None = None
    names_models: bool = False  # the call itself names language models
    bound: Scope = NOWHERE  # the names of a scope that the call itself gives


def read_opening(store: str | Path | None, config: Config | None, settings: Settings) -> Opening:
    """The settings as given, completed.

    Raises:
        UnknownName: there is no such setting; the error names the nearest.
        InvalidInput: a setting is wrong, or settings stand beside a whole config.
    """
    if store == "":
        raise InvalidInput("store", "must not be empty; leave it out for the default store")
    given: dict[str, Any] = {**settings}
    for name in given:
        known_setting(name)
    names_models = not given.keys().isdisjoint(LLM_SETTINGS)
    if "embedder" in given and given["embedder"] is None:
        given["embedder"] = "none"
    llm, slow_for = (_taken_out(given, name) for name in ("llm", "llm_slow_for"))
    if config is None:
        config = load_config(store=None if store is None else str(store), **given)
    elif store is not None or given:
        beside = ", ".join(("store",) * (store is not None) + tuple(given))
        raise InvalidInput(
            "config",
            f"must be the only setting; got {beside} beside it. Leave config out, or change it by"
            " dataclasses.replace(config, ...)",
        )
    return Opening(
        config=config,
        llm=llm,
        slow_for=slow_for,
        names_models=names_models,
        bound=Scope(**{name: given[name] for name in PLACES if given.get(name) is not None}),
    )


def _taken_out(given: dict[str, Any], name: str) -> Any:
    """A setting that no text can name, taken out; None where it is one that can."""
    return None if isinstance(given.get(name), str | None) else given.pop(name)
