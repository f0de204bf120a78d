"""Memory: every verb. Holds no logic; a verb calls write, read, upkeep or a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from omoide.faculties.procedures.lessons import Practice
from omoide.forgetting.erasure import forget
from omoide.forgetting.targets import Target
from omoide.forgetting.undo import Undone, undo
from omoide.jobs.queue import Handler
from omoide.learning.capture import Capture
from omoide.learning.sweep import sweep_of
from omoide.learning.teaching import NO_TEACHING, Teaching, kept_in, load_teaching
from omoide.learning.usage_analysis import Analyst
from omoide.models import load_embedder, load_reranker
from omoide.models.base import Embedder, Reranker
from omoide.models.chat.asker import LLM_SETTINGS
from omoide.models.embedders.encoders import Encoders, Named
from omoide.models.timeouts import awaited_reranker
from omoide.nouns.change import Because
from omoide.nouns.clock import Clock, SystemClock
from omoide.nouns.entity import Entity
from omoide.nouns.errors import MemoryOff
from omoide.nouns.hit import Recall
from omoide.nouns.item import NO_DETAILS, Details, Item
from omoide.nouns.metadata import NO_METADATA
from omoide.nouns.query import Query
from omoide.nouns.receipt import Receipt
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read import lineage, listings
from omoide.read.lineage import Diff, History
from omoide.read.listings import Capabilities, Page, Stats
from omoide.read.masking import shown
from omoide.read.recall import Recaller
from omoide.read.uses import Uses
from omoide.read.why_not import WhyNot, why_not
from omoide.settings.config import Config, load_config
from omoide.settings.keys import Home
from omoide.settings.levels import Level, check_lasts_no_longer, check_place, seen
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.items import Listing
from omoide.tables.jobs import ANALYSE_JOB, EXTRACT_JOB, LESSON_JOB
from omoide.tables.ledger import Head
from omoide.tables.sessions import Preview
from omoide.tables.tools import ToolCall, ToolSummary
from omoide.telemetry.tracing import traced
from omoide.text.secrets import ALL_KINDS, SECRET_KINDS, masking
from omoide.upkeep.backup import back_up
from omoide.upkeep.doctor import Finding, examine
from omoide.upkeep.rounds import Background, Rounds
from omoide.upkeep.scan import Leak, scan
from omoide.upkeep.tidying import Tidying
from omoide.upkeep.verify import Verdict, verify
from omoide.verbs.learning import Learning
from omoide.verbs.practising import Practising
from omoide.verbs.reflecting import Reflecting
from omoide.verbs.reviewing import Reviewing
from omoide.verbs.working import Working
from omoide.wire.arguments import checked_arguments
from omoide.write import corrections, entities
from omoide.write.batch import Together
from omoide.write.encoders import open_encoders
from omoide.write.ingest import Ingested, Logging, Talk, conversation_of, ingest
from omoide.write.remember import Remembered, Statement, Wanted, draft, remember
from omoide.write.seed import seed
from omoide.write.tool_calls import Outcome, record_tool

NO_LISTING = Listing()
SOON = timedelta(days=7)


def _guarded(memory: Memory, verb: Callable[[], Any]) -> Any:
    """What a verb gives: no secret comes in while it runs, and none goes out that was stored
    before.
    """
    with masking(memory.masks):
        result = verb()
        return (
            replace(result, item=shown(result.item))
            if isinstance(result, Remembered)
            else shown(result)
        )


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


@checked_arguments(_guarded)
class Memory(Learning, Reflecting, Practising, Reviewing, Working):
    """Long-term memory in one store: every verb, from any thread.

    ``scope`` is where calls act that name none. A memory is opened by ``Memory.open`` and closed by
    ``close`` or by leaving a ``with`` block.
    """

    level = Level.PERSISTENT  # how long what it is told lasts
    masks = SECRET_KINDS  # kinds of secrets that are masked in what comes in and goes out

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
        self.store, self.clock, self.scope = store, clock or SystemClock(), scope or Scope()
        self._because = Because()
        self._teaching = teaching = kept_in(store, self.clock, self.scope.tenant, teaching)
        encoders = open_encoders(store, self.clock, embedder, load_embedder)
        self._recaller = Recaller(
            store, self.clock, encoders, reranker, teaching.switches.off, teaching.asker
        )
        self._uses = Uses(store, self.clock)
        self._remember = Together(partial(remember, store, self.clock))
        self._capture = Capture(store, self.clock, lambda: self.encoders, teaching)
        self._practice = Practice(store, self.clock, teaching, lambda: self.encoders)
        background_work = Background(
            vectors=lambda: self._tidying.now(), stops=lambda: self._tidying.is_stopping()
        )
        self._rounds = Rounds(self._practice, self._capture, background_work)
        self._analyst = Analyst(store, self.clock, teaching, self._rounds.come_to_all)
        asking: dict[str, Handler] = {
            EXTRACT_JOB: self._capture.job,
            ANALYSE_JOB: self._analyst.job,
            LESSON_JOB: self._practice.job,
        }
        asking |= self._reflect_with(teaching)
        handlers = (asking if teaching.asker.is_on else {}) | self._rounds.handlers()
        self._rounds.come(self.scope.tenant)
        sweep = sweep_of(store, self.clock, teaching)
        self._tidying = Tidying(
            store, self.clock, self._recaller, background=background, handlers=handlers, sweep=sweep
        )
        self._tidying.wake()  # not before: what it does may ask this memory for it

    @classmethod
    def open(
        cls,
        store: str | None = None,
        *,
        config: Config | None = None,
        clock: Clock | None = None,
        **settings: Any,
    ) -> Memory:
        """Open a memory: at a path or Postgres address, else where the settings say.

        ``settings`` are those of ``omoide.settings.config.Config``, such as
        ``user="ana"``. A ``clock`` is where the time and new ids come from; tests give a
        ``omoide.nouns.clock.FixedClock``.

        Raises:
            StoreRefused: what is there is damaged, foreign, newer, empty or unreadable; it is left
                untouched.
            UnknownName, InvalidInput: a setting is wrong.
            ModelError, MissingExtra: the embedder or language model that was asked for cannot work.
                Where it is the environment or the settings file that names no language model that
                there is, only what needs one is off; ``doctor`` says why.
            MemoryOff: the setting level is none.
        """
        if "embedder" in settings and settings["embedder"] is None:
            settings["embedder"] = "none"
        names_models = not settings.keys().isdisjoint(LLM_SETTINGS)
        llm, slow_for = (
            None if isinstance(settings.get(n), str | None) else settings.pop(n)
            for n in ("llm", "llm_slow_for")
        )
        config = config or load_config(store=store, **settings)
        if config.level is Level.NONE:
            raise MemoryOff
        home = Home(config.home)  # before models are made, which may need a key
        embedder, reranker, teaching = (
            load_embedder(config.embedder),
            _reranker_of(config),
            load_teaching(config, llm, slow_for),
        )
        teaching.asker.check(named=names_models)
        opened = _store_of(config)
        named = Named(config.embedder, embedder, config.embedder_timeout_s)
        try:
            memory = cls(
                opened,
                scope=config.scope,
                embedder=named,
                reranker=reranker,
                clock=clock,
                background=config.background,
                teaching=teaching,
            )
        except BaseException:
            opened.close()
            raise
        memory._home, memory.level, memory.is_bound = home, config.level, True
        memory.masks = ALL_KINDS if config.mask_mails else SECRET_KINDS
        return memory

    @property
    def capabilities(self) -> Capabilities:
        """What this memory can do as it is set up."""
        return _capabilities(self._teaching, vectors=self.encoders.serving is not None)

    @property
    def encoders(self) -> Encoders:
        """The embedders at work; after a take-over the new one alone."""
        return self._recaller.encoders

    def close(self) -> None:
        """Write what is counted, stop the worker, let go of the store. Safe to call again."""
        self._tidying.close()
        self._uses.write()
        self.store.close()
        self._home.leave()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- in ---

    @traced("create_memory")
    def remember(
        self,
        text: str,
        scope: Scope | None = None,
        *,
        category: str = "fact",
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        due_at: datetime | str | None = None,
        details: Details = NO_DETAILS,
    ) -> Remembered:
        """Remember a statement, word for word; one known already is not added twice.

        Nothing closes: a statement that is near an older one is added beside it, and ``similar`` of
        the result names that one. If the new statement replaces it, call ``correct(similar,
        text)``.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: a field is wrong; the message says how.
            SharedSession: the scope names a user in a session of several users.
            Forbidden: it would be of a user, or the agent's, and that memory is off.
            ModelError: the embedder failed; nothing was stored.
        """
        scope = self._in(scope)
        details = self._lasting(scope, details)
        said = Statement(
            text=text,
            category=category,
            tags=tags,
            entities=entities,
            due_at=due_at,
            details=details,
        )
        item = draft(said, scope, self.clock)
        return self._tidying.after(
            self._remember(Wanted.of(item, scope, self._because, self.encoders))
        )

    @traced("upsert_memory")
    def ingest(self, talk: Talk, scope: Scope | None = None, *, private: bool = False) -> Ingested:
        """Log messages verbatim, secrets masked: a Conversation, or messages for the scope's
        session (a new one if none).

        Messages may be ``Message`` records or mappings such as ``{"role": "user", "content":
        "Hi"}``. A message with a key that its session has already is not logged twice. Recall finds
        the words at once, and by meaning as soon as vectors are made.

        Raises:
            InvalidInput, TooLong, InvalidTime: a message is wrong; none was stored.
            Conflict: the session is another agent's, or of users of whom the caller is none.
        """
        scope = self._in(scope)
        check_place(self.level, scope)
        private = private or self.level is Level.SESSION
        how = Logging(private=private, triggers=self._teaching.triggers)
        logged = ingest(
            self.store,
            self.clock,
            scope,
            conversation_of(talk, scope, self.clock),
            self._because,
            how,
        )
        self._tidying.wake()
        return logged

    @traced("create_memory")
    def seed(self, statements: Iterable[Statement], scope: Scope | None = None) -> list[Item]:
        """Remember many statements at once, each as a new item whatever is known; all of them, or
        none.

        Raises what remember raises.
        """
        scope = self._in(scope)
        if self.level is not Level.PERSISTENT or self.switches.off:
            statements = [
                replace(said, details=self._lasting(scope, said.details)) for said in statements
            ]
        return self._tidying.after(
            seed(self.store, self.clock, self.encoders, scope, statements, self._because)
        )

    @traced("update_memory")
    def correct(
        self,
        id: str,
        text: str,
        scope: Scope | None = None,
        *,
        at: datetime | None = None,
        details: Details = NO_DETAILS,
    ) -> Remembered:
        """Supersede an item by what is true instead, from a time on (None: now); details say who
        speaks, and what it rests on.

        Raises:
            NotFound: no such item in this scope, or no such source turn.
            Conflict, Forbidden: it is closed already, or the word of somebody more trusted.
        """
        scope = self._in(scope)
        if self.level is Level.SESSION:
            check_lasts_no_longer(self.get(id, scope))
        return self._tidying.after(
            corrections.correct(
                self.store, self.clock, self.encoders, scope, self._because, (id, text, at, details)
            )
        )

    @traced("update_memory")
    def edit(self, id: str, scope: Scope | None = None, **attributes: Any) -> Item:
        """Set attributes of an item, such as ``tags``, ``due_at`` or ``reminded_at="now"``; a text
        is corrected, never edited.

        Raises:
            UnknownName: no such attribute.
            NotFound: no such item in this scope.
            Forbidden: it is the word of somebody more trusted than who acts, and more than filing
                it would change.
        """
        return corrections.edit(
            self.store, self.clock, self._in(scope), self._because, id, attributes
        )

    def pin(self, id: str, scope: Scope | None = None, *, pinned: bool = True) -> Item:
        """Pin an item, or unpin it. Muting is ``edit(id, muted=True)``."""
        return self.edit(id, scope, pinned=pinned)

    def feedback(self, id: str, scope: Scope | None = None, *, helpful: bool) -> Item:
        """Say whether a memory helped or did harm; it becomes surer by 0.05, or less sure by
        0.1.
        """
        return corrections.feedback(
            self.store, self.clock, self._in(scope), self._because, id, helpful=helpful
        )

    def reopen(self, id: str, scope: Scope | None = None) -> Item:
        """Hold a closed item to be true again, or one that is in doubt to be true all the same,
        without what fell.

        Raises:
            Conflict, Forbidden: it or its successor is open; or who said it, or closed it, is more
                trusted than who acts.
        """
        return corrections.reopen(self.store, self.clock, self._in(scope), self._because, id)

    def undo(self, what: str, scope: Scope | None = None) -> Undone:
        """Take back one change by its id, or all changes of a session or an import; the ids of the
        changes this made.

        What was added goes with all that it ended. What was forgotten stays so: of many changes
        those of it are passed over, and the records are named in ``forgotten`` of what this gives.

        Raises:
            NotFound: nothing in this scope goes by that id.
            CannotUndo, Forbidden: it was forgotten, undone already, or changed since; or is the
                word of somebody more trusted.
        """
        return undo(self.store, self.clock, self._in(scope), self._because, what)

    @traced("delete_memory")
    def forget(
        self,
        id: str | None = None,
        scope: Scope | None = None,
        *,
        session: str | None = None,
        origin: str | None = None,
        entity: str | None = None,
        user: str | None = None,
        everything: str | None = None,
    ) -> Receipt:
        """Erase an item with all its versions, a turn, or all of a session, origin, entity or user;
        then prove it.

        Everything may be ``items``, ``turns`` or ``all``, of the scope's own, or a Source or
        Category: the items of it. Of an origin also what it did to others is taken back: what it
        closed, what it added, what rests on it. The receipt counts what went, and names what is
        still pending, such as a backup made before.

        Raises:
            InvalidInput: not exactly one of them is named.
            NotFound: nothing in this scope is meant by it.
        """
        target = Target(
            id=id, session=session, origin=origin, entity=entity, user=user, everything=everything
        )
        self._uses.write()
        return forget(self.store, self.clock, self._in(scope), self._because, target)

    def record_tool(
        self,
        tool: str,
        scope: Scope | None = None,
        *,
        args: Mapping[str, Any] = NO_METADATA,
        result: str = "",
        error: str | None = None,
        duration_ms: float | None = None,
        sensitive: bool = False,
    ) -> ToolCall:
        """Note a call that an agent made to a tool; with an error, one that failed.

        Arguments, result and error have their secrets masked and are kept up to 500 characters; of
        a sensitive call only the names of its arguments are.
        """
        outcome = Outcome(
            args=args, result=result, error=error, duration_ms=duration_ms, sensitive=sensitive
        )
        return record_tool(self.store, self.clock, self._in(scope), tool, outcome)

    # --- out ---

    @traced("search_memory")
    def recall(
        self, query: str | Query, scope: Scope | None = None, *, limit: int | None = None
    ) -> Recall:
        """The memories that answer a query, best first; with no limit 3, 5 or 10 by the question's
        wording.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: the query cannot be asked like this.
            ModelError: the embedder failed.
        """
        scope = self._in(scope)
        answer = self._recaller.recall(scope, self._asked(query, scope), limit)
        self._uses.count(scope.tenant, answer.hits)
        return answer

    def why_not(
        self, query: str | Query, id: str, scope: Scope | None = None, *, limit: int | None = None
    ) -> WhyNot:
        """Why a query does not return a record: the first gate it failed; or at which place it
        does.
        """
        scope = self._in(scope)
        return why_not(
            self.store, self.clock, self._recaller, scope, self._asked(query, scope), id, limit
        )

    def get(
        self,
        id: str,
        scope: Scope | None = None,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Item | Turn:
        """A record by id; with times, the version of that item that was true then, or known then.

        Raises:
            NotFound: no such record in this scope, or none of its versions held then.
        """
        self._uses.write()
        return lineage.get(self.store, self._in(scope), id, as_of, known_at)

    def history(self, id: str, scope: Scope | None = None) -> History:
        """An item's versions, oldest first, and every change to them."""
        self._uses.write()
        return lineage.history(self.store, self._in(scope), id)

    def diff(
        self,
        since: datetime,
        until: datetime | None = None,
        scope: Scope | None = None,
        *,
        include_sensitive: bool = False,
    ) -> Diff:
        """What a scope holds at until (None: now) and did not at since, and what it no longer
        holds.
        """
        return lineage.diff(
            self.store, self._in(scope), since, until, include_sensitive=include_sensitive
        )

    def items(self, listing: Listing = NO_LISTING, scope: Scope | None = None) -> Page:
        """One page of items, filtered and in order."""
        self._uses.write()
        scope = self._in(scope)
        return listings.page(
            self.store, scope, listings.listed(self.level, scope, listing), self.clock.now()
        )

    def due(
        self,
        within: timedelta = SOON,
        scope: Scope | None = None,
        *,
        overdue: bool = True,
        listing: Listing = NO_LISTING,
    ) -> list[Item]:
        """Items due within a time (zero: due now) and, unless told not, overdue ones; soonest
        first.
        """
        scope = self._in(scope)
        return listings.due(
            self.store,
            scope,
            self.clock.now(),
            within,
            listings.listed(self.level, scope, listing),
            overdue=overdue,
        )

    def sessions(
        self, scope: Scope | None = None, *, limit: int = 20, offset: int = 0
    ) -> list[Preview]:
        """Sessions, latest first."""
        return listings.sessions(self.store, self._in(scope), limit, offset)

    def turns(
        self,
        session: str | None = None,
        scope: Scope | None = None,
        *,
        since: datetime | None = None,
        limit: int = 100,
        first: int = 0,
    ) -> list[Turn]:
        """The turns of a session from a position on, or of all sessions since a time; in order.

        Raises:
            NotFound: no such session in this scope.
        """
        return listings.turns(self.store, self._in(scope), session, since, limit, first)

    def sources(self, id: str, scope: Scope | None = None, *, around: int = 2) -> list[Turn]:
        """The turns behind an item or hit, each with so many turns before and after it; of a turn,
        itself and those.

        Raises:
            NotFound: no such record in this scope.
        """
        return listings.sources(self.store, self._in(scope), id, around)

    def entities(
        self, scope: Scope | None = None, *, limit: int = 100, include_sensitive: bool = False
    ) -> list[Entity]:
        """People, projects and things that items are linked to, those with most open items first;
        sensitive items only if asked for.
        """
        return listings.entities(
            self.store, self._in(scope), limit, include_sensitive=include_sensitive
        )

    def tool_calls(
        self,
        tool: str | None = None,
        scope: Scope | None = None,
        *,
        failed: bool = False,
        limit: int = 50,
    ) -> list[ToolCall]:
        """Calls of a tool (None: of all), latest first; with failed only those that failed."""
        return listings.tool_calls(self.store, self._in(scope), tool, limit, failed=failed)

    def tools(self, scope: Scope | None = None) -> list[ToolSummary]:
        """Each tool that was called: how often, how often with success, how long it takes, its last
        error.
        """
        return listings.tools(self.store, self._in(scope))

    def name(self, entity: str, alias: str | None = None, scope: Scope | None = None) -> Entity:
        """Make an entity such as ``person:ana`` known, or let it go by one more name."""
        return entities.name_entity(
            self.store, self.clock, self._in(scope), self._because, entity, alias
        )

    def merge(self, source: str, target: str, scope: Scope | None = None) -> Entity:
        """Make one entity of two: source's names and items become target's."""
        return entities.merge(
            self.store, self.clock, self._in(scope), self._because, source, target
        )

    def split(self, entity: str, alias: str, scope: Scope | None = None) -> Entity:
        """Make an entity of its own of one of an entity's names."""
        return entities.split(self.store, self.clock, self._in(scope), self._because, entity, alias)

    # --- upkeep ---

    def stats(self, scope: Scope | None = None, *, days: int = 30) -> Stats:
        """What a scope's memory adds up to: items, log, vectors, jobs, and what happened on each
        day.
        """
        self._uses.write()
        return listings.stats(
            self.store, self._in(scope), self.clock.now(), days, self._teaching.digests
        )

    def doctor(self, *, repair: bool = False, deep: bool = False) -> list[Finding]:
        """What is wrong with the store: file, ledger, search index, vectors; with repair, the index
        is mended.

        And language models that are configured and do not answer. A deep check makes every vector
        again to compare.
        """
        silent = [
            Finding(place="llm", problem=str(error))
            for error in self._teaching.asker.ping().values()
        ]
        return examine(self.store, self.clock, self.encoders, repair=repair, deep=deep) + silent

    def verify(self, known: Head | None = None, scope: Scope | None = None) -> Verdict:
        """Whether the ledger is whole; with an earlier verdict's head, also that it still runs
        through it.
        """
        return verify(self.store, self._in(scope).tenant, known)

    def scan(self, scope: Scope | None = None, *, mask: bool = False) -> list[Leak]:
        """Records of the tenant with secrets in them; with mask, these are masked for good."""
        leaks = scan(self.store, self.clock, self._in(scope).tenant, self._because, mask=mask)
        self._tidying.wake()
        return leaks

    def backup(self, target: Path | str) -> list[str]:
        """Copy the store to a new file while it is used, and prove the copy; what is wrong with the
        rows of both.

        Raises:
            Conflict: there is something at target.
        """
        return back_up(self.store, str(target))

    def _asked(self, query: str | Query, scope: Scope) -> Query:
        return seen(self.level, scope, Query(text=query) if isinstance(query, str) else query)


def _capabilities(teaching: Teaching, *, vectors: bool) -> Capabilities:
    most, shared = teaching.retention.items_most or None, teaching.switches.shared_memory
    return Capabilities(
        vectors=vectors, learning=teaching.asker.is_on, shared=shared, items_most=most
    )
