"""The everyday verbs, flat on a memory; all others stand in groups. A verb calls write, read or
upkeep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from omoide.context.budget import Budget
from omoide.context.result import Answer, Context, StrategyName
from omoide.forgetting.undo import Undone, undo
from omoide.nouns.access import Right
from omoide.nouns.hit import Recall
from omoide.nouns.item import NO_DETAILS, CategoryName, Details, Item
from omoide.nouns.query import Query
from omoide.nouns.receipt import Receipt, Target
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Turn
from omoide.read import lineage, listings
from omoide.read.lineage import Diff, History
from omoide.read.listings import Stats
from omoide.read.why_not import WhyNot, why_not
from omoide.settings.levels import Level, check_lasts_no_longer, check_place
from omoide.tables.listing import Listing
from omoide.text.given_time import read_time
from omoide.verbs.forgetting import Forgetting
from omoide.wire.verbs import Returns, verb
from omoide.write import corrections
from omoide.write.apply import Writer
from omoide.write.corrections import Correction
from omoide.write.ingest import Ingested, Logging, Talk, conversation_of, ingest
from omoide.write.remember import Remembered, Statement, Wanted, draft

SOON = timedelta(days=7)
CONTEXT_TOKENS = 2_000


class Everyday(Forgetting):
    """The verbs of a memory that belong to no group."""

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
        due_at: datetime | date | str | None = None,
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
        at: datetime | date | str | None = None,
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
        as_of: datetime | date | str | None = None,
        known_at: datetime | date | str | None = None,
    ) -> Item | Turn:
        """Return an item or turn by id; with times, the version that was true or known then.

        Raises:
            NotFound: no such record in this scope, or none of its versions held then.
            InvalidTime: a time cannot be read.
        """
        self._engine.uses.write()
        now = self.clock.now()
        then, known = read_time(as_of, "as_of", now), read_time(known_at, "known_at", now)
        return lineage.get(self.store, self._in(scope), id, then, known)

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
        recorded_since: datetime | date | str,
        recorded_until: datetime | date | str | None = None,
        scope: Scope | None = None,
        *,
        include_sensitive: bool = False,
    ) -> Diff:
        """Return what a scope holds at ``recorded_until`` (None: now) and did not at
        ``recorded_since``, and what it no longer holds. Both say when it was recorded, not when it
        was true. A day as ``recorded_until`` is meant with the whole of that day.

        Raises:
            InvalidTime: a time cannot be read, or recorded_until is before recorded_since.
        """
        self._engine.uses.write()
        now = self.clock.now()
        return lineage.diff(
            self.store,
            self._in(scope),
            read_time(recorded_since, "recorded_since", now),
            read_time(recorded_until, "recorded_until", now, end_of_day=True),
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
        self._engine.uses.write()
        listed = listings.listed(self._engine.level, scope, listing or Listing())
        return listings.due(self.store, scope, self.clock.now(), within, listed, overdue=overdue)

    @verb(Right.READ, "stats()", idempotent=True)
    def stats(self, scope: Scope | None = None, *, days: int = 30) -> Stats:
        """Return counts of a scope's items, turns, vectors and jobs, and of what happened on each
        of the last days.

        Raises:
            InvalidInput: days is not from 1 to 3,660.
        """
        engine, scope = self._engine, self._in(scope)
        engine.uses.write()
        return listings.stats(
            self.store,
            scope,
            self.clock.now(),
            days,
            engine.teaching.digests,
            whole=self._sees_whole(scope),
        )
