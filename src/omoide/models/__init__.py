"""Embedders and rerankers: the only code that talks to a model.

One string names an embedder; :func:`load_embedder` reads it. Which embedder is in use depends on
nothing else: not on the extracting model, and not on the store.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from omoide.models.base import (
    Embedder,
    Narrowed,
    Reading,
    Remembering,
    Reranker,
    RerankScores,
    Vectors,
    checked,
    clean_model_name,
    read_options,
)
from omoide.models.embedders.cache import CachedEmbedder
from omoide.nouns.errors import InvalidInput, ModelError, UnknownName
from omoide.text.secrets.fields import check_no_key, mask_name

__all__ = [
    "Embedder",
    "RerankScores",
    "Reranker",
    "Vectors",
    "checked",
    "clear_caches",
    "load_embedder",
    "load_reranker",
]

OptionValue: TypeAlias = "str | int | float"
DEFAULT_EMBEDDER = "static"

# Imported at first use: nothing is loaded for an embedder that is not asked for.
_CLASSES = {
    "static": "StaticEmbedder",
    "minilm": "MiniLM",
    "openai": "OpenAIEmbedder",
    "fastembed": "FastEmbed",
    "fake": "FakeEmbedder",
}
_OF_A_MODEL = frozenset({"openai", "fastembed"})
_RERANKERS = {
    "maxsim": ("maxsim", "StaticMaxSim"),
    "minilm": ("minilm_maxsim", "MiniLMMaxSim"),
    "llm": ("judge", "Judge"),
}

_loaded: dict[object, Embedder] = {}
_rerankers: dict[str, Reranker] = {}
_failed: dict[str, ModelError] = {}  # rerankers that could not be loaded
_loading: dict[object, threading.Lock] = {}


def load_embedder(spec: str | None = DEFAULT_EMBEDDER, **options: OptionValue) -> Embedder | None:
    """The embedder that a string names, loaded at its first use and shared by the whole process.

    ``"static"`` (the default: packaged, no network), ``"minilm"``, ``"openai:MODEL"``,
    ``"fastembed:MODEL"``, ``"fake"`` (for tests), and ``"none"`` or None for no embedder at all.

    options: ``dimension``, a width below the model's own; ``cache``, how many vectors to keep in
    memory (default 4096, 0 for none; the static embedder needs none and has none unless told); and
    the keyword arguments of the embedder's own class, such as ``base_url`` or ``threads``. They may
    stand in the string too: ``"openai:MODEL?base_url=http://127.0.0.1:11434/v1&dimension=256"``.

    Raises:
        UnknownName: no such embedder or option.
        InvalidInput: a model name that is a path or URL, a value that cannot be read, or a width
            the model cannot give.
        MissingExtra: its optional part is not installed; the message says what to install.
        ModelError: it cannot be loaded, or fails its first probe. The next call tries again.
    """
    if spec is None or spec == "none":
        return None
    check_no_key(spec, "embedder")
    key = (spec, frozenset(options.items()))
    # a model loads once, however many threads ask for it
    with _loading.setdefault(key, threading.Lock()):
        if key not in _loaded:
            _loaded[key] = _load(spec, options)
        return _loaded[key]


def load_reranker(spec: str | None) -> Reranker | None:
    """The reranker that a string names, loaded at its first use and shared by the whole process.

    ``"minilm"`` (with the extra ``local``), ``""`` (the same, loaded when it is first asked),
    ``"maxsim"`` (packaged, no model run, hardly better than none), ``"llm"`` (the language model of
    the memory that it is given to), and ``"none"`` or None for none.

    Raises:
        UnknownName: no such reranker.
        MissingExtra: its optional part is not installed; the message says what to install.
        ModelError: it cannot be loaded. This process does not try again.
    """
    if spec is None or spec == "none":
        return None
    if not spec:
        from omoide.models.rerankers.on_use import OnUse  # its modules are for this alone

        return OnUse(_minilm)
    if spec not in _RERANKERS:
        raise UnknownName("reranker", mask_name(spec), (*_RERANKERS, "none"))
    with _loading.setdefault(("reranker", spec), threading.Lock()):
        if (failed := _failed.get(spec)) is not None:
            raise ModelError(f"{failed}; this process tries no more") from failed
        if spec not in _rerankers:
            _rerankers[spec] = _load_reranker(spec)
        return _rerankers[spec]


def _load_reranker(spec: str) -> Reranker:
    module, name = _RERANKERS[spec]
    try:
        made: Reranker = getattr(import_module(f"omoide.models.rerankers.{module}"), name)()
    except ModelError as error:
        _failed[spec] = error
        raise
    return made


def _minilm() -> Reading:
    """MiniLM, loaded once."""
    loaded = load_reranker("minilm")
    assert isinstance(loaded, Reading)
    return loaded


def clear_caches() -> None:
    """Drop every vector that loaded embedders and rerankers keep in memory. To be called when texts
    are erased.
    """
    for model in (*_loaded.values(), *_rerankers.values()):
        if isinstance(model, Remembering):
            model.clear()


def _load(spec: str, options: Mapping[str, OptionValue]) -> Embedder:
    reference, _, written = spec.partition("?")
    name, _, model = reference.partition(":")
    make = _class_of(name, has_model=bool(model))
    defaults = {"cache": 0 if name == "static" else 4096, "dimension": 0, **_defaults(make)}
    given = {**_written_options(written), **options}
    chosen = {option: _read_option(option, value, defaults) for option, value in given.items()}
    entries, dimension = (int(chosen.pop(name, defaults[name])) for name in ("cache", "dimension"))
    embedder = make(clean_model_name(model), **chosen) if model else make(**chosen)
    if "dimension" in given:
        embedder = Narrowed(embedder, dimension)
    return CachedEmbedder(embedder, entries) if entries else embedder


def _class_of(name: str, *, has_model: bool) -> Callable[..., Embedder]:
    """The class of an embedder.

    Raises:
        UnknownName: no such embedder.
        InvalidInput: it needs a model and none is named, or the other way round.
    """
    if name not in _CLASSES:
        known = (f"{one}:MODEL" if one in _OF_A_MODEL else one for one in _CLASSES)
        raise UnknownName("embedder", mask_name(name), (*known, "none"))
    if (name in _OF_A_MODEL) != has_model:
        needs = f"{name} takes no model" if has_model else f"{name} needs a model: '{name}:MODEL'"
        raise InvalidInput("embedder", needs)
    module = import_module(f"omoide.models.embedders.{name}")
    made: Callable[..., Embedder] = getattr(module, _CLASSES[name])
    return made


def _defaults(make: Callable[..., Embedder]) -> dict[str, Any]:
    """The options of an embedder's class with their defaults; its model's name and its callables
    are none.
    """
    parameters = inspect.signature(make).parameters.values()
    return {
        p.name: p.default
        for p in parameters
        if p.kind is p.KEYWORD_ONLY and not callable(p.default)
    }


def _written_options(written: str) -> dict[str, str]:
    return read_options(written, "embedder")


def _read_option(option: str, value: OptionValue, defaults: Mapping[str, Any]) -> OptionValue:
    """The value in its option's type, a number where the default is one.

    Raises:
        UnknownName: no such option.
        InvalidInput: not a number.
    """
    if option not in defaults:
        raise UnknownName("embedder option", option, tuple(defaults))
    if not isinstance(defaults[option], int | float):
        return str(value)
    try:
        number: OptionValue = type(defaults[option])(value)
    except ValueError:
        raise InvalidInput(f"embedder option {option}", "must be a number") from None
    return number
