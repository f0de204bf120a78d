"""Embedders and rerankers: the only code that talks to a model.

One string names an embedder; :func:`load_embedder` reads it. Which embedder is in use depends on
nothing else: not on the extracting model, and not on the store.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from omoide.errors import InvalidInput, UnknownName
from omoide.models.base import Embedder, Narrowed, Reranker, Scores, Vectors, checked, clean_model_name
from omoide.models.cache import CachedEmbedder

__all__ = ["Embedder", "Reranker", "Scores", "Vectors", "checked", "clear_caches", "load_embedder", "load_reranker"]

Option: TypeAlias = "str | int | float"
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

_loaded: dict[object, Embedder] = {}
_loading: dict[object, threading.Lock] = {}


def load_embedder(spec: str | None = DEFAULT_EMBEDDER, **options: Option) -> Embedder | None:
    """The embedder that a string names, loaded at its first use and shared by the whole process.

    ``"static"`` (the default: packaged, no network), ``"minilm"``, ``"openai:MODEL"``,
    ``"fastembed:MODEL"``, ``"fake"`` (for tests), and ``"none"`` or None for no embedder at all.

    options: ``dimension``, a width below the model's own; ``cache``, how many vectors to keep in memory
    (default 4096, 0 for none; the static embedder needs none and has none unless told); and the keyword
    arguments of the embedder's own class, such as ``base_url`` or ``threads``.

    Raises:
        UnknownName: no such embedder or option.
        InvalidInput: a model name that is a path or URL, or a width the model cannot give.
        MissingExtra: its optional part is not installed; the message says what to install.
        ModelError: it cannot be loaded, or fails its first probe. The next call tries again.
    """
    if spec is None or spec == "none":
        return None
    name, _, model = spec.partition(":")
    key = (spec, frozenset(options.items()))
    with _loading.setdefault(key, threading.Lock()):  # a model loads once, however many threads ask for it
        if key not in _loaded:
            _loaded[key] = _load(name, model, dict(options))
        return _loaded[key]


def load_reranker(spec: str | None) -> Reranker | None:
    """The reranker that a string names: ``"maxsim"`` (packaged, no model run), and ``"none"`` or None for none.

    Raises:
        UnknownName: no such reranker.
        ModelError: it cannot be loaded.
    """
    if spec is None or spec == "none":
        return None
    if spec != "maxsim":
        raise UnknownName("reranker", spec, ("maxsim", "none"))
    from omoide.models.maxsim import StaticMaxSim

    return StaticMaxSim()


def clear_caches() -> None:
    """Drop every vector that loaded embedders keep in memory. To be called when texts are erased."""
    for embedder in tuple(_loaded.values()):
        if isinstance(embedder, CachedEmbedder):
            embedder.clear()


def _load(name: str, model: str, options: dict[str, Option]) -> Embedder:
    if name not in _CLASSES:
        raise UnknownName("embedder", name, (*_CLASSES, "none"))
    needs_model = name in _OF_A_MODEL
    if needs_model != bool(model):
        raise InvalidInput("embedder", f"{name} needs a model: '{name}:MODEL'" if needs_model else f"{name} takes no model")
    dimension = options.pop("dimension", None)
    entries = options.pop("cache", 0 if name == "static" else 4096)
    make: Callable[..., Embedder] = getattr(import_module(f"omoide.models.{name}"), _CLASSES[name])
    known = tuple(inspect.signature(make).parameters)[needs_model:]
    for option in options:
        if option not in known:
            raise UnknownName("embedder option", option, ("cache", "dimension", *known))
    embedder = make(clean_model_name(model), **options) if needs_model else make(**options)
    if dimension is not None:
        embedder = Narrowed(embedder, int(dimension))
    return CachedEmbedder(embedder, int(entries)) if entries else embedder
