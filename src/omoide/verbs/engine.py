"""What all verbs of a memory share: the store, and what works over it."""

from __future__ import annotations

from datetime import tzinfo
from functools import partial
from pathlib import Path

from omoide.context.assembly import Assembler, WantedContext
from omoide.context.budget import Budget, read_budget
from omoide.context.inquiry import Inquirer
from omoide.context.result import Answer, Context
from omoide.faculties.procedures.lessons import Practice
from omoide.faculties.profile.generation import Profiler
from omoide.faculties.reflection.condensation import Condenser
from omoide.faculties.reflection.formation import Reflector
from omoide.jobs.queue import Handler
from omoide.learning.capture import Capture
from omoide.learning.sweep import sweep_of
from omoide.learning.teaching import NO_TEACHING, Teaching, kept_in
from omoide.learning.usage_analysis import Analyst
from omoide.models import load_embedder
from omoide.models.base import Embedder, Reranker
from omoide.models.embedders.encoders import Encoders, Named
from omoide.nouns.clock import Clock
from omoide.nouns.hit import Recall
from omoide.nouns.item import Details
from omoide.nouns.query import Query
from omoide.nouns.scope import DEFAULT_TENANT, Scope
from omoide.read.recall import Recaller
from omoide.read.uses import Uses
from omoide.settings.config import Config
from omoide.settings.keys import Home
from omoide.settings.levels import Level, kept, seen
from omoide.settings.switches import Switches
from omoide.store.base import Store
from omoide.tables.jobs import ANALYSE_JOB, CONDENSE_JOB, EXTRACT_JOB, LESSON_JOB, REFLECT_JOB
from omoide.text.secrets import ALL_KINDS, KEPT_KINDS, SECRET_KINDS
from omoide.upkeep.rounds import Background, Rounds
from omoide.upkeep.tidying import Tidying
from omoide.verbs.zones import Zones
from omoide.write.batch import Together
from omoide.write.encoders import open_encoders
from omoide.write.remember import remember


class Engine:
    """A store, with everything that reads, writes, learns and tidies in it."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        tenant: str = DEFAULT_TENANT,
        embedder: Embedder | Encoders | Named | None = None,
        reranker: Reranker | None = None,
        background: bool = True,
        teaching: Teaching = NO_TEACHING,
    ) -> None:
        self.store, self.clock = store, clock
        self.level, self.masks = Level.PERSISTENT, SECRET_KINDS
        # kinds of secrets that are stored, and masked only in what goes out
        self.kept = KEPT_KINDS
        self.zones = Zones(store, usual=getattr(clock, "zone", None))
        self.home = Home(Path())  # where keys of models' providers are looked for
        self.teaching = teaching = kept_in(store, clock, tenant, teaching)
        encoders, off = open_encoders(store, clock, embedder, load_embedder), teaching.switches.off
        self.recaller = Recaller(store, clock, encoders, reranker, off, teaching.asker)
        self.uses = Uses(store, clock)
        self.remember = Together(
            partial(remember, store, clock), group=lambda wanted: wanted.item.scope.tenant
        )
        self._set_up_learning(tenant)
        self.assembler = Assembler(
            store, clock, self.recaller, teaching.switches, self.profiler.profile
        )
        self.tidying = Tidying(
            store,
            clock,
            self.recaller,
            background=background,
            handlers=self._handlers(),
            sweep=sweep_of(store, clock, teaching),
        )
        self.tidying.wake()  # not before: its jobs may ask this engine for it

    def _set_up_learning(self, tenant: str) -> None:
        """Make what asks models, and what comes to a tenant in rounds."""
        parts = self.store, self.clock, self.teaching
        store, clock, teaching = parts
        self.capture = Capture(store, clock, lambda: self.encoders, teaching)
        self.practice = Practice(store, clock, teaching, lambda: self.encoders)
        self.condenser = Condenser(*parts)
        self.reflector = Reflector(*parts, self.condenser)
        self.profiler = Profiler(*parts)
        self.rounds = Rounds(self.practice, self.capture, self._background())
        self.analyst = Analyst(*parts, self.rounds.come_to_all)
        self.rounds.come(tenant)

    def set_up(self, config: Config, home: Home, zone: tzinfo | None) -> None:
        """Take the level, the masks, the zone and the place of keys from the settings."""
        self.level, self.home = config.level, home
        self.masks = ALL_KINDS if config.mask_mails else SECRET_KINDS
        self.kept = frozenset() if config.mask_place_codes else KEPT_KINDS
        self.zones.usual = zone or self.zones.usual

    def set_up_as(self, other: Engine) -> None:
        """Take the level, the masks and the zone of another engine."""
        self.level, self.zones.usual = other.level, other.zones.usual
        self.masks, self.kept = other.masks, other.kept

    @property
    def encoders(self) -> Encoders:
        """The embedders at work; after a take-over the new one alone."""
        return self.recaller.encoders

    @property
    def switches(self) -> Switches:
        """Whose memory is on."""
        return self.teaching.switches

    def lasting(self, scope: Scope, details: Details) -> Details:
        """The details of a new item, lasting no longer than the level allows.

        Raises:
            Forbidden: memory of the scope's level is off.
        """
        details = kept(self.level, scope, details)
        self.switches.check_on(scope, details)
        return details

    def asked(self, query: str | Query, scope: Scope) -> Query:
        """The query as a memory of this level may ask it."""
        return seen(self.level, scope, Query(text=query) if isinstance(query, str) else query)

    def recall(self, query: str | Query, scope: Scope, limit: int) -> Recall:
        """Recall what answers a query, and count the use of what is found."""
        answer = self.recaller.recall(scope, self.asked(query, scope), limit)
        self.uses.count(scope.tenant, answer.hits)
        return answer

    def answer(self, query: str | Query, scope: Scope, budget: int | str | Budget) -> Answer:
        """Answer a question in words, and count the use of what the answer cites."""
        asked = self.asked(query, scope)
        inquirer = Inquirer(self.assembler, self.teaching.asker)
        answer, material = inquirer.answer(
            scope, asked, read_budget(budget), self._masked_for(asked)
        )
        cited = {one.id for one in answer.citations}
        self.uses.count(scope.tenant, [hit for hit in material.hits if hit.id in cited])
        return answer

    def context(
        self, query: str | Query, scope: Scope, budget: int | str | Budget, strategy: str
    ) -> Context:
        """Make a context for a query, and count the use of what is in it."""
        asked = self.asked(query, scope)
        kinds = self._masked_for(asked)
        wanted = WantedContext(budget=read_budget(budget), strategy=strategy, kinds=kinds)
        made = self.assembler.context(scope, asked, wanted)
        self.uses.count(scope.tenant, made.hits)
        return made.context

    def _masked_for(self, query: Query) -> frozenset[str]:
        """The kinds of secrets that are masked in what a query is given."""
        return self.masks - self.kept if query.include_sensitive else self.masks

    def close(self) -> None:
        """Write what is counted, stop the worker, and close the store. Safe to call again."""
        self.tidying.close()
        self.uses.write()
        self.store.close()
        self.home.leave()

    def _background(self) -> Background:
        # looked up when called: upkeep is made last
        return Background(
            vectors=lambda: self.tidying.now(), stops=lambda: self.tidying.is_stopping()
        )

    def _handlers(self) -> dict[str, Handler]:
        """What does each kind of job; those that ask a model, only where one is configured."""
        asking: dict[str, Handler] = {
            EXTRACT_JOB: self.capture.job,
            ANALYSE_JOB: self.analyst.job,
            LESSON_JOB: self.practice.job,
            REFLECT_JOB: self.reflector.job,
            CONDENSE_JOB: self.condenser.job,
        }
        handlers = (asking if self.teaching.asker.is_on else {}) | self.rounds.handlers()
        return {kind: self.zones.around(handler) for kind, handler in handlers.items()}
