"""The groups of verbs for asyncio, each verb run in a thread of its memory's pool.

Made by scripts/async_memory.py from the declarations of the verbs; edit these, not this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Unpack

from omoide.archive.results import Exported, Loaded
from omoide.faculties.reflection.suggestions import Reflected
from omoide.faculties.searches.saved_search import SavedSearch, SearchFilters
from omoide.learning.report import Extraction
from omoide.learning.usage_analysis import Analysis
from omoide.nouns.chore import Ran, Tidied
from omoide.nouns.entity import Entity
from omoide.nouns.hit import Recall
from omoide.nouns.item import Item
from omoide.nouns.procedure import Failed, Lesson, Procedure
from omoide.nouns.proposal import ForReview, Made
from omoide.nouns.receipt import Receipt
from omoide.nouns.reflection import Digest, Profile, Reflection
from omoide.nouns.scope import Scope
from omoide.nouns.sender import Sender, User, UserRecord
from omoide.nouns.turn import Turn
from omoide.read.listings import Page
from omoide.review.bulk import Settled
from omoide.tables.items import Listing
from omoide.tables.jobs import Queued
from omoide.tables.ledger import Head
from omoide.tables.sessions import Preview, Unlearnt
from omoide.tables.tools import ToolCall, ToolSummary
from omoide.upkeep.doctor import Finding
from omoide.upkeep.scan import Leak
from omoide.upkeep.verify import Verdict
from omoide.verbs.admin import Admin
from omoide.verbs.entities import Entities
from omoide.verbs.items import Items
from omoide.verbs.jobs import Jobs
from omoide.verbs.procedures import Procedures
from omoide.verbs.reflections import Reflections
from omoide.verbs.review import Review
from omoide.verbs.searches import Searches
from omoide.verbs.sessions import Sessions
from omoide.verbs.threads import Threaded
from omoide.verbs.tool_calls import ToolCalls
from omoide.verbs.users import Users
from omoide.write.corrections import ItemEdit
from omoide.write.remember import Statement


class AsyncItems(Threaded[Items]):
    """``memory.items`` for asyncio."""

    async def list(self, listing: Listing | None = None, scope: Scope | None = None) -> Page:
        """Return one page of items, filtered and sorted as the listing says."""
        return await self._run(self._group.list, listing, scope)

    async def add_many(
        self, statements: Iterable[Statement], scope: Scope | None = None
    ) -> Sequence[Item]:
        """Store many statements at once, each as a new item, whatever is known: all, or none."""
        return await self._run(self._group.add_many, statements, scope)

    async def edit(
        self, id: str, scope: Scope | None = None, **attributes: Unpack[ItemEdit]
    ) -> Item:
        """Set attributes of an item, such as ``tags`` or ``due_at``; ``correct`` changes its
        text.
        """
        return await self._run(self._group.edit, id, scope, **attributes)

    async def pin(self, id: str, scope: Scope | None = None, *, pinned: bool = True) -> Item:
        """Pin an item, so that upkeep neither weakens nor removes it; or unpin it."""
        return await self._run(self._group.pin, id, scope, pinned=pinned)

    async def feedback(self, id: str, scope: Scope | None = None, *, helpful: bool) -> Item:
        """Record whether an item helped or did harm: confidence rises by 0.05, or falls by 0.1."""
        return await self._run(self._group.feedback, id, scope, helpful=helpful)

    async def reopen(self, id: str, scope: Scope | None = None) -> Item:
        """Reopen a closed item, or trust one without the basis that was closed."""
        return await self._run(self._group.reopen, id, scope)

    async def sources(
        self, id: str, scope: Scope | None = None, *, around: int = 2
    ) -> Sequence[Turn]:
        """Return the turns behind an item or turn, each with ``around`` turns before and after
        it.
        """
        return await self._run(self._group.sources, id, scope, around=around)

    async def dependants(self, id: str, scope: Scope | None = None) -> Sequence[Item]:
        """Return the items that would be unconfirmed if this one were corrected or taken back."""
        return await self._run(self._group.dependants, id, scope)

    async def forget(
        self,
        scope: Scope | None = None,
        *,
        origin: str | None = None,
        source: str | None = None,
        category: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Erase all that an origin brought, or your own items of a source or category."""
        return await self._run(
            self._group.forget,
            scope,
            origin=origin,
            source=source,
            category=category,
            preview=preview,
        )


class AsyncSessions(Threaded[Sessions]):
    """``memory.sessions`` for asyncio."""

    async def list(
        self, scope: Scope | None = None, *, limit: int = 20, offset: int = 0
    ) -> Sequence[Preview]:
        """Return sessions, latest first."""
        return await self._run(self._group.list, scope, limit=limit, offset=offset)

    async def start(self, scope: Scope | None = None) -> Scope:
        """Return the scope with a new session: for an agent that starts, or whose talk begins
        anew.
        """
        return await self._run(self._group.start, scope)

    async def end(self, session: str, scope: Scope | None = None) -> None:
        """End a session and queue it for extraction. More may still be said in it."""
        await self._run(self._group.end, session, scope)

    async def turns(
        self,
        session: str | None = None,
        scope: Scope | None = None,
        *,
        since: datetime | None = None,
        limit: int = 100,
        first: int = 0,
    ) -> Sequence[Turn]:
        """Return the turns of a session from position ``first`` on, or of all sessions since a
        time; in order.
        """
        return await self._run(
            self._group.turns, session, scope, since=since, limit=limit, first=first
        )

    async def window(
        self, session: str, scope: Scope | None = None, *, turns: int = 30
    ) -> Sequence[Turn]:
        """Return the last turns of a session to replay to a model: so many of the user's, with
        all that follows the first of them.
        """
        return await self._run(self._group.window, session, scope, turns=turns)

    async def extract(
        self,
        session: str,
        scope: Scope | None = None,
        *,
        again: bool = False,
        dry_run: bool = False,
    ) -> Sequence[Extraction]:
        """Learn now from the turns of a session that nothing was learnt from yet."""
        return await self._run(self._group.extract, session, scope, again=again, dry_run=dry_run)

    async def catch_up(
        self,
        scope: Scope | None = None,
        *,
        recorded_since: datetime | None = None,
        limit: int = 100,
        dry_run: bool = False,
    ) -> Sequence[Unlearnt]:
        """Queue the user's sessions for extraction that are not queued and not learnt from to
        their end, however old; return them. With ``recorded_since``, those of which something
        was stored from then on.
        """
        return await self._run(
            self._group.catch_up, scope, recorded_since=recorded_since, limit=limit, dry_run=dry_run
        )

    async def forget(
        self, session: str, scope: Scope | None = None, *, preview: bool = False
    ) -> Receipt:
        """Erase a session: its turns, and all that only they support. Returns the receipt."""
        return await self._run(self._group.forget, session, scope, preview=preview)


class AsyncEntities(Threaded[Entities]):
    """``memory.entities`` for asyncio."""

    async def list(
        self, scope: Scope | None = None, *, limit: int = 100, include_sensitive: bool = False
    ) -> Sequence[Entity]:
        """Return entities, those with most open items first."""
        return await self._run(
            self._group.list, scope, limit=limit, include_sensitive=include_sensitive
        )

    async def name(
        self, entity: str, alias: str | None = None, scope: Scope | None = None
    ) -> Entity:
        """Add an entity such as ``person:ana``, or add an alias to it."""
        return await self._run(self._group.name, entity, alias, scope)

    async def merge(self, source: str, target: str, scope: Scope | None = None) -> Entity:
        """Merge one entity into another: its names and items become the target's."""
        return await self._run(self._group.merge, source, target, scope)

    async def split(self, entity: str, alias: str, scope: Scope | None = None) -> Entity:
        """Make an entity of its own from one of an entity's aliases."""
        return await self._run(self._group.split, entity, alias, scope)

    async def forget(
        self, entity: str, scope: Scope | None = None, *, preview: bool = False
    ) -> Receipt:
        """Erase an entity with every item about it. Returns the receipt."""
        return await self._run(self._group.forget, entity, scope, preview=preview)


class AsyncUsers(Threaded[Users]):
    """``memory.users`` for asyncio."""

    async def list(self, scope: Scope | None = None) -> Sequence[Sender]:
        """Return the linked senders of the scope's user, or of all users of the tenant; by user,
        channel and name.
        """
        return await self._run(self._group.list, scope)

    async def of(self, channel: str, sender: str, scope: Scope | None = None) -> User:
        """Return the user that a sender of a channel is."""
        return await self._run(self._group.of, channel, sender, scope)

    async def link(
        self, channel: str, sender: str, user: str, scope: Scope | None = None
    ) -> Sender:
        """Link a sender to a user from now on. What it said before, as a user of its own, stays
        that user's.
        """
        return await self._run(self._group.link, channel, sender, user, scope)

    async def unlink(self, channel: str, sender: str, scope: Scope | None = None) -> None:
        """Make a sender a user of its own again. What it said meanwhile stays where it is."""
        await self._run(self._group.unlink, channel, sender, scope)

    async def get(self, user: str, scope: Scope | None = None) -> UserRecord:
        """Return what is set for a user; all is empty where nothing is."""
        return await self._run(self._group.get, user, scope)

    async def edit(self, user: str, scope: Scope | None = None, *, zone: str) -> UserRecord:
        """Set the time zone of a user: days without a zone are meant and shown in it. Empty text
        takes it away, so that the setting ``zone`` counts again, or else the machine's.
        """
        return await self._run(self._group.edit, user, scope, zone=zone)

    async def merge(self, source: str, target: str, scope: Scope | None = None) -> int:
        """Link every sender of one user to another, who is the same person; return how many."""
        return await self._run(self._group.merge, source, target, scope)

    async def forget(
        self, user: str, scope: Scope | None = None, *, preview: bool = False
    ) -> Receipt:
        """Erase all that is held about a user. Returns the receipt."""
        return await self._run(self._group.forget, user, scope, preview=preview)


class AsyncReview(Threaded[Review]):
    """``memory.review`` for asyncio."""

    async def list(self, scope: Scope | None = None, *, limit: int = 100) -> Sequence[ForReview]:
        """Return the proposals that need a person's decision, oldest first."""
        return await self._run(self._group.list, scope, limit=limit)

    async def approve(
        self, id: str, seal: str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Item | Made:
        """Approve a proposal exactly as it was shown with that seal; return the record it made,
        or the item that it closed.
        """
        return await self._run(self._group.approve, id, seal, scope, as_mine=as_mine)

    async def approve_all(
        self,
        scope: Scope | None = None,
        *,
        session: str = "",
        source: str = "",
        reason: str = "",
        as_mine: bool = False,
    ) -> Settled:
        """Approve all proposals of a session, from a source or with a reason, as they stand now."""
        return await self._run(
            self._group.approve_all,
            scope,
            session=session,
            source=source,
            reason=reason,
            as_mine=as_mine,
        )

    async def reject_all(
        self, scope: Scope | None = None, *, session: str = "", source: str = "", reason: str = ""
    ) -> Settled:
        """Reject all proposals of a session, from a source or with a reason."""
        return await self._run(
            self._group.reject_all, scope, session=session, source=source, reason=reason
        )

    async def edit(self, id: str, text: str, scope: Scope | None = None) -> ForReview:
        """Reword a proposal as the reviewer's own word. It stays in the queue, with another
        seal.
        """
        return await self._run(self._group.edit, id, text, scope)

    async def confirm(self, id: str, scope: Scope | None = None) -> Item | Reflection:
        """Confirm an unconfirmed item or reflection, and carry out what the item is meant to
        replace or close.
        """
        return await self._run(self._group.confirm, id, scope)

    async def reject(self, id: str, scope: Scope | None = None) -> None:
        """Reject a proposal, close an unconfirmed item as never having been true, or withdraw an
        unconfirmed reflection.
        """
        await self._run(self._group.reject, id, scope)


class AsyncProcedures(Threaded[Procedures]):
    """``memory.procedures`` for asyncio."""

    async def list(
        self, scope: Scope | None = None, *, all_of_them: bool = False, limit: int = 100
    ) -> Sequence[Procedure]:
        """Return procedures, latest first: those that may be recalled, or all."""
        return await self._run(self._group.list, scope, all_of_them=all_of_them, limit=limit)

    async def match(
        self, goal: str, scope: Scope | None = None, *, limit: int = 2, least: float = 0.5
    ) -> Sequence[Lesson]:
        """Return the procedures nearest to a goal, best first: enabled ones with a similarity of
        at least ``least``, from -1 to 1.
        """
        return await self._run(self._group.match, goal, scope, limit=limit, least=least)

    async def learn(
        self, failure: Failed, scope: Scope | None = None, *, later: bool = False
    ) -> Procedure | None:
        """Learn a lesson from a task that failed, with a model that did not do the task."""
        return await self._run(self._group.learn, failure, scope, later=later)

    async def recipes(self, scope: Scope | None = None) -> Sequence[Procedure]:
        """Make recipes from tools that led to similar goals three times or more, mostly with
        success; return the new ones, ten at most.
        """
        return await self._run(self._group.recipes, scope)

    async def enable(
        self, id: str, scope: Scope | None = None, *, enabled: bool = True
    ) -> Procedure:
        """Enable a procedure for recall, or disable it."""
        return await self._run(self._group.enable, id, scope, enabled=enabled)

    async def share(
        self, id: str, agents: Sequence[str], scope: Scope | None = None
    ) -> Sequence[Procedure]:
        """Offer a procedure to other agents, ten at most. Each gets a disabled copy, tagged with
        where it is from.
        """
        return await self._run(self._group.share, id, agents, scope)

    async def write_skill(self, id: str, folder: Path | str, scope: Scope | None = None) -> Path:
        """Write a procedure as a SKILL.md file into a folder; return its path."""
        return await self._run(self._group.write_skill, id, folder, scope)

    async def read_skill(
        self, path: Path | str, scope: Scope | None = None, *, as_mine: bool = False
    ) -> Procedure:
        """Add a SKILL.md file as a procedure, with a document's trust tier; ``as_mine`` makes it
        the user's own word.
        """
        return await self._run(self._group.read_skill, path, scope, as_mine=as_mine)


class AsyncReflections(Threaded[Reflections]):
    """``memory.reflections`` for asyncio."""

    async def list(
        self, scope: Scope | None = None, *, waiting: bool = False, limit: int = 50
    ) -> Sequence[Reflection]:
        """Return reflections of the scope's session, user and agent, latest first; with
        ``waiting`` only those that no digest absorbed yet.
        """
        return await self._run(self._group.list, scope, waiting=waiting, limit=limit)

    async def add(
        self, session: str, scope: Scope | None = None, *, again: bool = False
    ) -> Sequence[Reflected]:
        """Reflect now on the turns of a session that were not reflected on yet; with ``again``,
        on all of them.
        """
        return await self._run(self._group.add, session, scope, again=again)

    async def digests(
        self, scope: Scope | None = None, *, history: bool = False
    ) -> Sequence[Digest]:
        """Return the digests of the scope's session, user and agent; with ``history`` all
        versions, latest first.
        """
        return await self._run(self._group.digests, scope, history=history)

    async def condense(
        self, scope: Scope | None = None, *, kind: str | None = None
    ) -> Sequence[Digest]:
        """Condense the waiting reflections of the scope's session, user and agent, or of one of
        these, however few there are.
        """
        return await self._run(self._group.condense, scope, kind=kind)

    async def profile(self, scope: Scope | None = None) -> Profile | None:
        """Return what is known about the scope's user in a few lines, the most important first;
        None if nothing is. Ask for it when a session starts.
        """
        return await self._run(self._group.profile, scope)


class AsyncSearches(Threaded[Searches]):
    """``memory.searches`` for asyncio."""

    async def list(self, scope: Scope | None = None) -> Sequence[SavedSearch]:
        """Return the saved searches, by name."""
        return await self._run(self._group.list, scope)

    async def save(
        self,
        name: str,
        question: str,
        scope: Scope | None = None,
        *,
        filters: SearchFilters | None = None,
    ) -> SavedSearch:
        """Save a search under a name, in place of one of that name in the same scope."""
        return await self._run(self._group.save, name, question, scope, filters=filters)

    async def run(self, name: str, scope: Scope | None = None, *, limit: int = 10) -> Recall:
        """Recall what a saved search finds now."""
        return await self._run(self._group.run, name, scope, limit=limit)

    async def delete(self, name: str, scope: Scope | None = None) -> None:
        """Delete a saved search."""
        await self._run(self._group.delete, name, scope)


class AsyncToolCalls(Threaded[ToolCalls]):
    """``memory.tool_calls`` for asyncio."""

    async def record(
        self,
        tool: str,
        scope: Scope | None = None,
        *,
        args: Mapping[str, Any] | None = None,
        result: str = "",
        error: str | None = None,
        duration_ms: float | None = None,
        sensitive: bool = False,
    ) -> ToolCall:
        """Record a call that an agent made to a tool; with ``error``, one that failed."""
        return await self._run(
            self._group.record,
            tool,
            scope,
            args=args,
            result=result,
            error=error,
            duration_ms=duration_ms,
            sensitive=sensitive,
        )

    async def list(
        self,
        tool: str | None = None,
        scope: Scope | None = None,
        *,
        failed: bool = False,
        limit: int = 50,
    ) -> Sequence[ToolCall]:
        """Return the calls of a tool, or of all tools, latest first; with ``failed`` only those
        that failed.
        """
        return await self._run(self._group.list, tool, scope, failed=failed, limit=limit)

    async def summary(self, scope: Scope | None = None) -> Sequence[ToolSummary]:
        """Return for each tool how often it was called, how often with success, how long it
        takes, and its last error.
        """
        return await self._run(self._group.summary, scope)

    async def analyse(self, scope: Scope | None = None, *, dry_run: bool = False) -> Analysis:
        """Let a model look at how tools were used in the last seven days, and propose facts for
        the review queue.
        """
        return await self._run(self._group.analyse, scope, dry_run=dry_run)


class AsyncJobs(Threaded[Jobs]):
    """``memory.jobs`` for asyncio."""

    async def list(
        self, scope: Scope | None = None, *, state: str | None = None, limit: int = 100
    ) -> Sequence[Queued]:
        """Return the scope's jobs, and those of no user, in the order of their times."""
        return await self._run(self._group.list, scope, state=state, limit=limit)

    async def replay(
        self, id: str | None = None, scope: Scope | None = None, *, kind: str | None = None
    ) -> int:
        """Retry a dead job, all of a kind, or all; return how many. A job that waits for its
        next try is retried at once.
        """
        return await self._run(self._group.replay, id, scope, kind=kind)

    async def run(self, *, limit: int = 100, kind: str | None = None) -> Ran:
        """Run the jobs of the store that are due now, at most ``limit``, or only those of a
        kind; return what ran.
        """
        return await self._run(self._group.run, limit=limit, kind=kind)

    async def answer(self, id: str, scope: Scope | None = None) -> str:
        """Return the model's answer that made a job fail: its words without secrets, up to
        20,000 characters; empty if there is none.
        """
        return await self._run(self._group.answer, id, scope)


class AsyncAdmin(Threaded[Admin]):
    """``memory.admin`` for asyncio."""

    async def backup(self, target: Path | str) -> Sequence[str]:
        """Copy the store to a new file while it is used, and check the copy; return the problems
        found in the rows of both.
        """
        return await self._run(self._group.backup, target)

    async def export(
        self,
        path: Path | str,
        scope: Scope | None = None,
        *,
        everything: bool = False,
        recorded_since: datetime | None = None,
        recorded_until: datetime | None = None,
    ) -> Exported:
        """Write everything held about the scope's user to a new archive, or with ``everything``
        all of the tenant.
        """
        return await self._run(
            self._group.export,
            path,
            scope,
            everything=everything,
            recorded_since=recorded_since,
            recorded_until=recorded_until,
        )

    async def load(
        self,
        path: Path | str,
        scope: Scope | None = None,
        *,
        everything: bool = False,
        restore_forgotten: bool = False,
        preview: bool = False,
    ) -> Loaded:
        """Load an archive; what is there already is left alone. Return what was new, what was
        passed over, and how much foreign history is kept.
        """
        return await self._run(
            self._group.load,
            path,
            scope,
            everything=everything,
            restore_forgotten=restore_forgotten,
            preview=preview,
        )

    async def doctor(self, *, repair: bool = False, deep: bool = False) -> Sequence[Finding]:
        """Return what is wrong with the store's file, ledger, search index and vectors, and with
        configured language models.
        """
        return await self._run(self._group.doctor, repair=repair, deep=deep)

    async def scan(self, scope: Scope | None = None, *, mask: bool = False) -> Sequence[Leak]:
        """Return the tenant's records that hold secrets; with ``mask``, mask them for good."""
        return await self._run(self._group.scan, scope, mask=mask)

    async def tidy(self, *, only: Sequence[str] | None = None) -> Tidied:
        """Run a round of upkeep over the whole store, or only some of its chores: vectors,
        decay, reconcile, distil, condense, prune.
        """
        return await self._run(self._group.tidy, only=only)

    async def verify(self, known: Head | None = None, scope: Scope | None = None) -> Verdict:
        """Check that the ledger is whole; with an earlier verdict's head, also that the ledger
        still contains it.
        """
        return await self._run(self._group.verify, known, scope)

    async def erase(
        self, what: str = "all", scope: Scope | None = None, *, preview: bool = False
    ) -> Receipt:
        """Erase all of the scope's own ``items`` or ``turns``, or ``all``. Returns the receipt."""
        return await self._run(self._group.erase, what, scope, preview=preview)
