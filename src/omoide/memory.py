"""Memory: how it is opened and closed, and what it can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

import omoide.kinds  # noqa: F401 - makes every kind of record known
from omoide.learning.teaching import NO_TEACHING, Teaching, load_teaching
from omoide.learning.unavailable import tell_unavailable
from omoide.models import load_embedder, load_reranker
from omoide.models.base import Embedder, Reranker
from omoide.models.chat.asker import Asker
from omoide.models.embedders.encoders import Encoders, Named
from omoide.models.timeouts import awaited_reranker
from omoide.nouns.clock import Clock, SystemClock, zone_named
from omoide.nouns.errors import MemoryOff
from omoide.nouns.scope import NOWHERE, Scope
from omoide.read.listings import Capabilities
from omoide.settings.config import Config
from omoide.settings.keys import Home
from omoide.settings.levels import Level
from omoide.settings.switches import Switches
from omoide.store import open_store
from omoide.store.base import Store
from omoide.upkeep.tidying import Tidying
from omoide.verbs.engine import Engine
from omoide.verbs.groups import Groups
from omoide.verbs.opening import Settings, read_opening
from omoide.verbs.other_names import check_opened
from omoide.verbs.place import Place
from omoide.wire.arguments import checked


def _store_of(config: Config) -> Store:
    """The store that the settings name, opened."""
    secret, network = config.passphrase or None, config.allow_network
    return open_store(
        config.store_url, passphrase=secret, durability=config.durability, allow_network=network
    )


def _reranker_of(config: Config) -> Reranker | None:
    """The reranker that the settings name, not waited for longer than they say."""
    reranker = load_reranker(config.reranker)
    return reranker and awaited_reranker(reranker, config.reranker_timeout_s)


class Memory(Groups):
    """Long-term memory in one store; safe to use from any thread.

    ``Memory.open`` opens one, and ``close`` or leaving a ``with`` block closes it. A call that
    names no user, agent, session or context has those of ``scope``.
    """

    @checked
    def __init__(
        self,
        store: Store,
        *,
        scope: Scope | None = None,
        embedder: Embedder | Encoders | Named | None = None,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        background: bool = True,
        teaching: Teaching = NO_TEACHING,
    ) -> None:
        check_opened(store, "Memory", "store")
        usual = scope or NOWHERE
        engine = Engine(
            store,
            clock or SystemClock(),
            tenant=usual.tenant,
            embedder=embedder,
            reranker=reranker,
            background=background,
            teaching=teaching,
        )
        super().__init__(engine, Place(usual=usual))

    @classmethod
    @checked
    def open(
        cls,
        store: str | Path | None = None,
        *,
        config: Config | None = None,
        clock: Clock | None = None,
        **settings: Unpack[Settings],
    ) -> Memory:
        """Open a memory at a path or Postgres address, or where the settings say.

        A ``user``, ``agent``, ``context`` or ``tenant`` given here binds the memory: no call can
        name another. One from the environment or the settings file is a default, which calls and
        ``at`` may replace. Other settings are those of ``Config``, such as ``llm`` and
        ``embedder``. A ``clock`` gives the time and new ids; tests give a ``FixedClock``.

        Raises:
            StoreRefused: what is there is damaged, foreign, newer, empty or unreadable; it is left
                untouched.
            UnknownName, InvalidInput: a setting is wrong.
            ModelError, MissingExtra: the embedder that was asked for cannot work, or the package of
                a language model is missing that was named here. Any other language model that
                cannot be called gives a ``LearningUnavailable`` warning that says why; with
                ``strict``, it raises.
            MemoryOff: the setting level is none.
        """
        opening = read_opening(store, config, settings)
        config = opening.config
        if config.level is Level.NONE:
            raise MemoryOff
        # before models are made, which may need a key
        home, zone = Home(config.home), zone_named(config.zone)
        embedder, reranker, teaching = (
            load_embedder(config.embedder),
            _reranker_of(config),
            load_teaching(config, opening.llm, opening.slow_for),
        )
        teaching.asker.check(named=opening.names_models)
        tell_unavailable(teaching.asker, strict=config.strict)
        named = Named(config.embedder, embedder, config.embedder_timeout_s)
        memory = cls._over(config, clock, embedder=named, reranker=reranker, teaching=teaching)
        memory._engine.set_up(config, home, zone)
        return memory._twin(memory._place.at(opening.bound))

    @classmethod
    def _over(cls, config: Config, clock: Clock | None, **models: Any) -> Memory:
        """A memory over the store that settings name, which is closed where none can be made."""
        store = _store_of(config)
        try:
            return cls(
                store, scope=config.scope, clock=clock, background=config.background, **models
            )
        except BaseException:
            store.close()
            raise

    def set_up_as(self, other: Memory) -> Memory:
        """Return this memory, with the level, masks and zone of another one."""
        self._engine.set_up_as(other._engine)
        return self

    @property
    def level(self) -> Level:
        """How long what this memory is told lasts."""
        return self._engine.level

    @property
    def masks(self) -> frozenset[str]:
        """The kinds of secrets that are masked in what comes in and goes out."""
        return self._engine.masks

    @property
    def kept(self) -> frozenset[str]:
        """The kinds of secrets that are stored, and masked only in what goes out."""
        return self._engine.kept

    @property
    def capabilities(self) -> Capabilities:
        """What this memory can do as it is set up."""
        engine = self._engine
        return Capabilities(
            vectors=engine.encoders.serving is not None,
            learning=engine.teaching.asker.is_on,
            shared=engine.switches.shared_memory,
            items_most=engine.teaching.retention.items_most or None,
        )

    @property
    def switches(self) -> Switches:
        """Whose memory is on. ``is_on`` tells an agent whether it needs context and search."""
        return self._engine.switches

    @property
    def asker(self) -> Asker:
        """The language models at work; an ``Agent`` takes them as its model."""
        return self._engine.teaching.asker

    @property
    def encoders(self) -> Encoders:
        """The embedders at work; after a change of embedder, only the new one."""
        return self._engine.encoders

    @property
    def upkeep(self) -> Tidying:
        """What runs the jobs; ``upkeep.worker(threads=4)`` runs them in more threads."""
        return self._engine.tidying

    def close(self) -> None:
        """Write what is counted, stop the worker, and close the store. Safe to call again."""
        self._engine.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
