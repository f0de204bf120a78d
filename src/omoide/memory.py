"""Memory: everyday verbs, flat; all others in groups. A verb calls write, read or upkeep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Unpack

import omoide.kinds  # noqa: F401 - makes every kind of record known
from omoide.context.budget import Budget
from omoide.context.result import Answer, Context, StrategyName
from omoide.forgetting.undo import Undone, undo
from omoide.learning.teaching import NO_TEACHING, Teaching, load_teaching
from omoide.learning.unavailable import tell_unavailable
from omoide.models import load_embedder, load_reranker
from omoide.models.base import Embedder, Reranker
from omoide.models.chat.asker import Asker
from omoide.models.embedders.encoders import Encoders, Named
from omoide.models.timeouts import awaited_reranker
from omoide.nouns.access import Right
from omoide.nouns.clock import Clock, SystemClock, zone_named
from omoide.nouns.errors import MemoryOff
from omoide.nouns.hit import Recall
from omoide.nouns.item import NO_DETAILS, CategoryName, Details, Item
from omoide.nouns.query import Query
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import NOWHERE, Scope
from omoide.nouns.turn import Turn
from omoide.read import lineage, listings
from omoide.read.lineage import Diff, History
from omoide.read.listings import Capabilities, Stats
from omoide.read.why_not import WhyNot, why_not
from omoide.settings.config import Config
from omoide.settings.keys import Home
from omoide.settings.levels import Level, check_lasts_no_longer, check_place
from omoide.settings.switches import Switches
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.items import Listing
from omoide.tables.jobs import OF_STORE
from omoide.upkeep.tidying import Tidying
from omoide.verbs.admin import Admin
from omoide.verbs.engine import Engine
from omoide.verbs.entities import Entities
from omoide.verbs.forgetting import Forgetting
from omoide.verbs.items import Items
from omoide.verbs.jobs import Jobs
from omoide.verbs.opening import Settings, read_opening
from omoide.verbs.other_names import check_opened
from omoide.verbs.place import Place
from omoide.verbs.procedures import Procedures
from omoide.verbs.reflections import Reflections
from omoide.verbs.review import Review
from omoide.verbs.searches import Searches
from omoide.verbs.sessions import Sessions
from omoide.verbs.tool_calls import ToolCalls
from omoide.verbs.users import Users
from omoide.wire.arguments import checked
from omoide.wire.verbs import Returns, Verb, verb, verbs_of
from omoide.write import corrections
from omoide.write.apply import Writer
from omoide.write.corrections import Correction
from omoide.write.ingest import Ingested, Logging, Talk, conversation_of, ingest
from omoide.write.remember import Remembered, Statement, Wanted, draft

SOON = timedelta(days=7)
CONTEXT_TOKENS = 2_000


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


class Memory(Forgetting):
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
        ``at`` may replace. A ``clock`` gives the time and new ids; tests give a ``FixedClock``.

        Raises:
            StoreRefused: what is there is damaged, foreign, newer, empty or unreadable; it is left
                untouched.
            UnknownName, InvalidInput: a setting is wrong.
            ModelError, MissingExtra: the embedder or language model that was asked for cannot work.
                Where the environment or the settings file names a language model that cannot be
                called, a ``LearningUnavailable`` warning says why, unless ``strict`` is set.
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
    def items(self) -> Items:
        """Single items: list, file, judge and erase what is known."""
        return Items(self._engine, self._place)

    @property
    def sessions(self) -> Sessions:
        """Sessions: begin, end, read, learn from and erase talk."""
        return Sessions(self._engine, self._place)

    @property
    def entities(self) -> Entities:
        """Entities: the people, projects and things that items are about."""
        return Entities(self._engine, self._place)

    @property
    def users(self) -> Users:
        """Users: which sender of a channel is which user."""
        return Users(self._engine, self._place)

    @property
    def review(self) -> Review:
        """The review queue: proposals that need a person's decision."""
        return Review(self._engine, self._place)

    @property
    def procedures(self) -> Procedures:
        """Procedures: how to do things, from failures, successes and files."""
        return Procedures(self._engine, self._place)

    @property
    def reflections(self) -> Reflections:
        """Reflections, digests and the profile."""
        return Reflections(self._engine, self._place)

    @property
    def searches(self) -> Searches:
        """Saved searches: questions that are asked again and again."""
        return Searches(self._engine, self._place)

    @property
    def tool_calls(self) -> ToolCalls:
        """Tool calls: how agents used their tools."""
        return ToolCalls(self._engine, self._place)

    @property
    def jobs(self) -> Jobs:
        """Jobs: background work that waits, runs, or failed."""
        return Jobs(self._engine, self._place)

    @property
    def admin(self) -> Admin:
        """Administration: backups, checks, upkeep and erasure."""
        return Admin(self._engine, self._place)

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

    # --- in ---

    @verb(
        Right.WRITE,
        'remember("Ana likes green tea", category="preference")',
        needs_owner=True,
        idempotent=True,
        mcp="write",
        operation="create_memory",
    )
    def remember(
        self,
        text: str,
        scope: Scope | None = None,
        *,
        category: CategoryName | str = "fact",
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        due_at: datetime | str | None = None,
        details: Details | None = None,
    ) -> Remembered:
        """Remember a statement, word for word; one known already is not added twice.

        Nothing closes: a statement that is near an older one is added beside it, and ``similar`` of
        the result names that one. If the new statement replaces it, call ``correct(similar,
        text)``.

        Raises:
            OwnerMissing: the scope names no owner.
            InvalidInput, TooLong, UnknownName, InvalidTime: a field is wrong; the message says how.
            SharedSession: the scope names a user in a session of several users.
            Forbidden: memory of the scope's level is off.
            ModelError: the embedder failed; nothing was stored.
        """
        engine, scope = self._engine, self._owned(scope)
        said = Statement(
            text=text,
            category=category,
            tags=tags,
            entities=entities,
            due_at=due_at,
            details=engine.lasting(scope, details or NO_DETAILS),
        )
        item = draft(said, scope, self.clock)
        return engine.tidying.after(
            engine.remember(Wanted.of(item, scope, self._because, engine.encoders))
        )

    @verb(
        Right.WRITE,
        'ingest([{"role": "user", "content": "I moved to Porto"}])',
        needs_owner=True,
        operation="upsert_memory",
    )
    def ingest(self, talk: Talk, scope: Scope | None = None, *, private: bool = False) -> Ingested:
        """Log messages word for word, with secrets masked, in the scope's session or a new one.

        ``talk`` is a ``Conversation`` or a list of messages: ``Message`` records, mappings such as
        ``{"role": "user", "content": "Hi"}``, or message objects of an SDK. A tool call in one, and
        a tool's result, is a tool's turn. A message whose key its session has already is not logged
        twice; with another text it is an edit, which takes the place of what was said before.
        Recall finds the words at once, and the meaning as soon as vectors are made.

        Raises:
            OwnerMissing: neither the scope nor the talk names an owner.
            InvalidInput, TooLong, InvalidTime: a message is wrong; none was stored.
            Conflict: the session is another agent's, or of users of whom the caller is none.
        """
        engine, scope = self._engine, self._place.scope(scope)
        conversation = conversation_of(talk, scope, self.clock)
        users = [person.user for person in conversation.participants]
        users += [message.user for message in conversation.messages]
        self._check_owner(self._place.scope(replace(scope, session=conversation.id)), users)
        check_place(engine.level, scope)
        private = private or engine.level is Level.SESSION
        how = Logging(private=private, triggers=engine.teaching.triggers)
        writer = Writer(self.store, self.clock, scope, self._because)
        logged = ingest(writer, conversation, how)
        engine.tidying.wake()
        return logged

    @verb(
        Right.WRITE,
        'correct("06h2emjat46tpqj21e1sjc5j", "Ana lives in Porto")',
        subject="id",
        versioned=True,
        mcp="write",
        operation="update_memory",
    )
    def correct(
        self,
        id: str,
        text: str,
        scope: Scope | None = None,
        *,
        at: datetime | None = None,
        details: Details | None = None,
    ) -> Remembered:
        """Supersede an item by what is true instead, from a time on (None: now).

        ``details`` say whose word the correction is, and which turns it rests on.

        Raises:
            NotFound: no such item in this scope, or no such source turn.
            Conflict: the item is closed.
            Forbidden: the item has a higher trust tier than the correction.
        """
        engine, writer = self._engine, self._writer(scope)
        if engine.level is Level.SESSION:
            check_lasts_no_longer(lineage.get(self.store, writer.scope, id, None, None))
        said = Correction(id=id, text=text, at=at, details=details or NO_DETAILS)
        return engine.tidying.after(corrections.correct(writer, engine.encoders, said))

    @verb(Right.WRITE, 'undo("06h2emjat46tpqj21e1sjc5j")', subject="what")
    def undo(self, what: str, scope: Scope | None = None, *, preview: bool = False) -> Undone:
        """Take back one change by its id, or all changes of a session or an import; return the ids
        of the changes that this made.

        What was added goes, with all that it ended. What was forgotten stays forgotten: among many
        changes it is skipped, and the records are named in ``forgotten`` of the result. A record
        that something else changed since is skipped too, and named in ``kept``. With ``preview``
        nothing is undone; the result names the changes that would be.

        Raises:
            NotFound: nothing in this scope has that id.
            CannotUndo: the change was forgotten, undone, or changed since.
            Forbidden: the record has a higher trust tier than the actor.
        """
        return undo(self.store, self.clock, self._in(scope), self._because, what, preview=preview)

    @verb(
        Right.DESTROY,
        'forget("06h2emjat46tpqj21e1sjc5j", preview=True)',
        subject="id",
        mcp="write",
        operation="delete_memory",
    )
    def forget(self, id: str, scope: Scope | None = None, *, preview: bool = False) -> Receipt:
        """Erase an item with all its versions, a turn, or a proposal; then prove it.

        Its words, vectors and links go too, and so does what only it supports. The receipt counts
        what went, and names what is still pending, such as a backup made before. With ``preview``
        nothing is erased; the receipt counts what would be. Groups of records have a ``forget`` of
        their own: ``items``, ``sessions``, ``entities``, ``users``; ``admin.erase`` takes them all.

        Raises:
            NotFound: no such record in this scope, or it is not yours to erase.
        """
        return self._forget(scope, Target(id=id), preview=preview)

    # --- out ---

    @verb(
        Right.READ,
        'recall("Where does Ana live?", limit=5)',
        spread=("query",),
        returns=Returns.PAGE,
        mcp="read",
        operation="search_memory",
    )
    def recall(self, query: str | Query, scope: Scope | None = None, *, limit: int = 10) -> Recall:
        """Return the memories that answer a query, best first.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: the query is wrong; the message says
                how.
            ModelError: the embedder failed.
        """
        return self._engine.recall(query, self._in(scope), limit)

    @verb(
        Right.READ,
        'context("What should I cook?")',
        spread=("query",),
        mcp="read",
        operation="search_memory",
    )
    def context(
        self,
        query: str | Query,
        scope: Scope | None = None,
        *,
        budget: int | str | Budget = CONTEXT_TOKENS,
        strategy: StrategyName | str = "frozen",
    ) -> Context:
        """Return what a program puts into a prompt: the memories that answer a query, dated,
        labelled and fenced, as many as fit a budget.

        ``budget`` is a number of tokens, a number with a unit, such as ``4000 characters``, or a
        ``Budget`` that counts tokens as your model does.
        ``stable`` of the result stays the same for a whole session, so that prompt caches hold;
        ``turn`` goes before the user's message.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: the query, the budget or the strategy
                is wrong; the message says how.
            ModelError: the embedder failed.
        """
        return self._engine.context(query, self._in(scope), budget, strategy)

    @verb(
        Right.READ,
        'ask("Where does Ana live?")',
        spread=("query",),
        mcp="read",
        asks_model=True,
        operation="search_memory",
    )
    def ask(
        self,
        query: str | Query,
        scope: Scope | None = None,
        *,
        budget: int | str | Budget = CONTEXT_TOKENS,
    ) -> Answer:
        """Return the answer to a question in words, by the configured model, with the turns and
        items that it rests on.

        ``held`` of the result is False if memory does not hold the answer; nothing is guessed.
        ``budget`` is what the model is shown of memory, as in ``context``.

        Raises:
            InvalidInput, TooLong, UnknownName, InvalidTime: the question or the budget is wrong;
                the message says how.
            ModelMissing: no language model is configured; ``recall`` and ``context`` need none.
            ModelError: the model or the embedder failed.
        """
        return self._engine.answer(query, self._in(scope), budget)

    @verb(
        Right.READ,
        'why_not("Where does Ana live?", "06h2emjat46tpqj21e1sjc5j")',
        spread=("query",),
        idempotent=True,
    )
    def why_not(
        self, query: str | Query, id: str, scope: Scope | None = None, *, limit: int = 10
    ) -> WhyNot:
        """Explain why a query does not return a record: the first gate that it failed, or the rank
        that it has.
        """
        engine, scope = self._engine, self._in(scope)
        asked = engine.asked(query, scope)
        return why_not(self.store, self.clock, engine.recaller, scope, asked, id, limit)

    @verb(
        Right.READ,
        'get("06h2emjat46tpqj21e1sjc5j")',
        subject="id",
        idempotent=True,
        mcp="read",
    )
    def get(
        self,
        id: str,
        scope: Scope | None = None,
        *,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Item | Turn:
        """Return an item or turn by id; with times, the version that was true or known then.

        Raises:
            NotFound: no such record in this scope, or none of its versions held then.
        """
        self._engine.uses.write()
        return lineage.get(self.store, self._in(scope), id, as_of, known_at)

    @verb(
        Right.READ, 'history("06h2emjat46tpqj21e1sjc5j")', subject="id", idempotent=True, mcp="read"
    )
    def history(self, id: str, scope: Scope | None = None) -> History:
        """Return an item's versions, oldest first, and every change to them.

        Raises:
            NotFound: no such item in this scope.
        """
        self._engine.uses.write()
        return lineage.history(self.store, self._in(scope), id)

    @verb(Right.READ, "diff(recorded_since)", idempotent=True)
    def diff(
        self,
        recorded_since: datetime,
        recorded_until: datetime | None = None,
        scope: Scope | None = None,
        *,
        include_sensitive: bool = False,
    ) -> Diff:
        """Return what a scope holds at ``recorded_until`` (None: now) and did not at
        ``recorded_since``, and what it no longer holds. Both say when it was recorded, not when it
        was true.

        Raises:
            InvalidTime: a time is naive, or recorded_until is before recorded_since.
        """
        return lineage.diff(
            self.store,
            self._in(scope),
            recorded_since,
            recorded_until,
            include_sensitive=include_sensitive,
        )

    @verb(Right.READ, "due()", spread=("listing",), returns=Returns.PAGE, mcp="read")
    def due(
        self,
        within: timedelta = SOON,
        scope: Scope | None = None,
        *,
        overdue: bool = True,
        listing: Listing | None = None,
    ) -> list[Item]:
        """Return items due within a time (zero: due now) and, unless told not to, overdue ones;
        soonest first. Of the listing, context, sensitive and limit count.

        Raises:
            InvalidInput: the time is negative, or the limit out of range.
        """
        scope = self._in(scope)
        listed = listings.listed(self._engine.level, scope, listing or Listing())
        return listings.due(self.store, scope, self.clock.now(), within, listed, overdue=overdue)

    @verb(Right.READ, "stats()", idempotent=True)
    def stats(self, scope: Scope | None = None, *, days: int = 30) -> Stats:
        """Return counts of a scope's items, turns, vectors and jobs, and of what happened on each
        of the last days.

        Raises:
            InvalidInput: days is not from 1 to 3,660.
        """
        engine = self._engine
        engine.uses.write()
        sums = listings.stats(
            self.store, self._in(scope), self.clock.now(), days, engine.teaching.digests
        )
        if Right.ADMIN in self._place.principal.rights:
            return sums
        return replace(sums, jobs=tuple(one for one in sums.jobs if one.kind not in OF_STORE))


GROUPS: dict[str, type] = {
    "items": Items,
    "sessions": Sessions,
    "entities": Entities,
    "users": Users,
    "review": Review,
    "procedures": Procedures,
    "reflections": Reflections,
    "searches": Searches,
    "tool_calls": ToolCalls,
    "jobs": Jobs,
    "admin": Admin,
}
VERBS: tuple[Verb, ...] = tuple(verbs_of(Memory, GROUPS))
