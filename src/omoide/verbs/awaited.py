"""The verbs for asyncio, each run in a thread of its memory's pool. Made from the declarations
of verbs by ``make reference``.
"""

from __future__ import annotations

from typing import TypeVar

from omoide.verbs.admin import AdminVerbs
from omoide.verbs.entities import EntityVerbs
from omoide.verbs.groups import Groups
from omoide.verbs.items import ItemVerbs
from omoide.verbs.jobs import JobVerbs
from omoide.verbs.procedures import ProcedureVerbs
from omoide.verbs.reflections import ReflectionVerbs
from omoide.verbs.review import ReviewVerbs
from omoide.verbs.searches import SearchVerbs
from omoide.verbs.sessions import SessionVerbs
from omoide.verbs.threads import Threaded, threaded
from omoide.verbs.tool_calls import ToolCallVerbs
from omoide.verbs.users import UserVerbs

M_co = TypeVar("M_co", bound=Groups, covariant=True)


class AsyncItemVerbs(Threaded[ItemVerbs]):
    """``memory.items`` for asyncio."""

    list = threaded(ItemVerbs.list)
    add_many = threaded(ItemVerbs.add_many)
    edit = threaded(ItemVerbs.edit)
    pin = threaded(ItemVerbs.pin)
    feedback = threaded(ItemVerbs.feedback)
    reopen = threaded(ItemVerbs.reopen)
    sources = threaded(ItemVerbs.sources)
    dependants = threaded(ItemVerbs.dependants)
    forget = threaded(ItemVerbs.forget)


class AsyncSessionVerbs(Threaded[SessionVerbs]):
    """``memory.sessions`` for asyncio."""

    list = threaded(SessionVerbs.list)
    start = threaded(SessionVerbs.start)
    end = threaded(SessionVerbs.end)
    turns = threaded(SessionVerbs.turns)
    window = threaded(SessionVerbs.window)
    extract = threaded(SessionVerbs.extract)
    catch_up = threaded(SessionVerbs.catch_up)
    forget = threaded(SessionVerbs.forget)


class AsyncEntityVerbs(Threaded[EntityVerbs]):
    """``memory.entities`` for asyncio."""

    list = threaded(EntityVerbs.list)
    name = threaded(EntityVerbs.name)
    merge = threaded(EntityVerbs.merge)
    split = threaded(EntityVerbs.split)
    forget = threaded(EntityVerbs.forget)


class AsyncUserVerbs(Threaded[UserVerbs]):
    """``memory.users`` for asyncio."""

    list = threaded(UserVerbs.list)
    senders = threaded(UserVerbs.senders)
    of = threaded(UserVerbs.of)
    link = threaded(UserVerbs.link)
    unlink = threaded(UserVerbs.unlink)
    get = threaded(UserVerbs.get)
    edit = threaded(UserVerbs.edit)
    merge = threaded(UserVerbs.merge)
    forget = threaded(UserVerbs.forget)


class AsyncReviewVerbs(Threaded[ReviewVerbs]):
    """``memory.review`` for asyncio."""

    list = threaded(ReviewVerbs.list)
    approve = threaded(ReviewVerbs.approve)
    approve_all = threaded(ReviewVerbs.approve_all)
    reject_all = threaded(ReviewVerbs.reject_all)
    edit = threaded(ReviewVerbs.edit)
    confirm = threaded(ReviewVerbs.confirm)
    reject = threaded(ReviewVerbs.reject)


class AsyncProcedureVerbs(Threaded[ProcedureVerbs]):
    """``memory.procedures`` for asyncio."""

    list = threaded(ProcedureVerbs.list)
    match = threaded(ProcedureVerbs.match)
    learn = threaded(ProcedureVerbs.learn)
    recipes = threaded(ProcedureVerbs.recipes)
    enable = threaded(ProcedureVerbs.enable)
    share = threaded(ProcedureVerbs.share)
    write_skill = threaded(ProcedureVerbs.write_skill)
    read_skill = threaded(ProcedureVerbs.read_skill)


class AsyncReflectionVerbs(Threaded[ReflectionVerbs]):
    """``memory.reflections`` for asyncio."""

    list = threaded(ReflectionVerbs.list)
    add = threaded(ReflectionVerbs.add)
    digests = threaded(ReflectionVerbs.digests)
    condense = threaded(ReflectionVerbs.condense)
    profile = threaded(ReflectionVerbs.profile)


class AsyncSearchVerbs(Threaded[SearchVerbs]):
    """``memory.searches`` for asyncio."""

    list = threaded(SearchVerbs.list)
    save = threaded(SearchVerbs.save)
    run = threaded(SearchVerbs.run)
    delete = threaded(SearchVerbs.delete)


class AsyncToolCallVerbs(Threaded[ToolCallVerbs]):
    """``memory.tool_calls`` for asyncio."""

    record = threaded(ToolCallVerbs.record)
    list = threaded(ToolCallVerbs.list)
    summary = threaded(ToolCallVerbs.summary)
    analyse = threaded(ToolCallVerbs.analyse)


class AsyncJobVerbs(Threaded[JobVerbs]):
    """``memory.jobs`` for asyncio."""

    list = threaded(JobVerbs.list)
    replay = threaded(JobVerbs.replay)
    run = threaded(JobVerbs.run)
    answer = threaded(JobVerbs.answer)


class AsyncAdminVerbs(Threaded[AdminVerbs]):
    """``memory.admin`` for asyncio."""

    backup = threaded(AdminVerbs.backup)
    export = threaded(AdminVerbs.export)
    load = threaded(AdminVerbs.load)
    doctor = threaded(AdminVerbs.doctor)
    scan = threaded(AdminVerbs.scan)
    tidy = threaded(AdminVerbs.tidy)
    verify = threaded(AdminVerbs.verify)
    erase = threaded(AdminVerbs.erase)


class AsyncGroups(Threaded[M_co]):
    """The verbs of a memory for asyncio, and its groups of verbs."""

    remember = threaded(Groups.remember)
    ingest = threaded(Groups.ingest)
    correct = threaded(Groups.correct)
    undo = threaded(Groups.undo)
    forget = threaded(Groups.forget)
    recall = threaded(Groups.recall)
    context = threaded(Groups.context)
    ask = threaded(Groups.ask)
    why_not = threaded(Groups.why_not)
    get = threaded(Groups.get)
    history = threaded(Groups.history)
    diff = threaded(Groups.diff)
    due = threaded(Groups.due)
    stats = threaded(Groups.stats)

    @property
    def items(self) -> AsyncItemVerbs:
        """Single items: list, file, judge and erase what is known."""
        return AsyncItemVerbs(self._group.items, self._pool)

    @property
    def sessions(self) -> AsyncSessionVerbs:
        """Sessions: begin, end, read, learn from and erase talk."""
        return AsyncSessionVerbs(self._group.sessions, self._pool)

    @property
    def entities(self) -> AsyncEntityVerbs:
        """Entities: the people, projects and things that items are about."""
        return AsyncEntityVerbs(self._group.entities, self._pool)

    @property
    def users(self) -> AsyncUserVerbs:
        """Users: who has records, and which sender of a channel is whom."""
        return AsyncUserVerbs(self._group.users, self._pool)

    @property
    def review(self) -> AsyncReviewVerbs:
        """The review queue: proposals that need a person's decision."""
        return AsyncReviewVerbs(self._group.review, self._pool)

    @property
    def procedures(self) -> AsyncProcedureVerbs:
        """Procedures: how to do things, from failures, successes and files."""
        return AsyncProcedureVerbs(self._group.procedures, self._pool)

    @property
    def reflections(self) -> AsyncReflectionVerbs:
        """Reflections, digests and the profile."""
        return AsyncReflectionVerbs(self._group.reflections, self._pool)

    @property
    def searches(self) -> AsyncSearchVerbs:
        """Saved searches: questions that are asked again and again."""
        return AsyncSearchVerbs(self._group.searches, self._pool)

    @property
    def tool_calls(self) -> AsyncToolCallVerbs:
        """Tool calls: how agents used their tools."""
        return AsyncToolCallVerbs(self._group.tool_calls, self._pool)

    @property
    def jobs(self) -> AsyncJobVerbs:
        """Jobs: background work that waits, runs, or failed."""
        return AsyncJobVerbs(self._group.jobs, self._pool)

    @property
    def admin(self) -> AsyncAdminVerbs:
        """Administration: backups, checks, upkeep and erasure."""
        return AsyncAdminVerbs(self._group.admin, self._pool)
