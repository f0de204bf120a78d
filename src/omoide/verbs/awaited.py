"""The groups of verbs for asyncio, each verb run in a thread of its memory's pool."""

from __future__ import annotations

from omoide.verbs.admin import Admin
from omoide.verbs.entities import Entities
from omoide.verbs.items import Items
from omoide.verbs.jobs import Jobs
from omoide.verbs.procedures import Procedures
from omoide.verbs.reflections import Reflections
from omoide.verbs.review import Review
from omoide.verbs.searches import Searches
from omoide.verbs.sessions import Sessions
from omoide.verbs.threads import Threaded, threaded
from omoide.verbs.tool_calls import ToolCalls
from omoide.verbs.users import Users


class AsyncItems(Threaded[Items]):
    """``memory.items`` for asyncio."""

    list = threaded(Items.list)
    add_many = threaded(Items.add_many)
    edit = threaded(Items.edit)
    pin = threaded(Items.pin)
    feedback = threaded(Items.feedback)
    reopen = threaded(Items.reopen)
    sources = threaded(Items.sources)
    dependants = threaded(Items.dependants)
    forget = threaded(Items.forget)


class AsyncSessions(Threaded[Sessions]):
    """``memory.sessions`` for asyncio."""

    list = threaded(Sessions.list)
    start = threaded(Sessions.start)
    end = threaded(Sessions.end)
    turns = threaded(Sessions.turns)
    window = threaded(Sessions.window)
    extract = threaded(Sessions.extract)
    catch_up = threaded(Sessions.catch_up)
    forget = threaded(Sessions.forget)


class AsyncEntities(Threaded[Entities]):
    """``memory.entities`` for asyncio."""

    list = threaded(Entities.list)
    name = threaded(Entities.name)
    merge = threaded(Entities.merge)
    split = threaded(Entities.split)
    forget = threaded(Entities.forget)


class AsyncUsers(Threaded[Users]):
    """``memory.users`` for asyncio."""

    list = threaded(Users.list)
    of = threaded(Users.of)
    link = threaded(Users.link)
    unlink = threaded(Users.unlink)
    get = threaded(Users.get)
    edit = threaded(Users.edit)
    merge = threaded(Users.merge)
    forget = threaded(Users.forget)


class AsyncReview(Threaded[Review]):
    """``memory.review`` for asyncio."""

    list = threaded(Review.list)
    approve = threaded(Review.approve)
    approve_all = threaded(Review.approve_all)
    reject_all = threaded(Review.reject_all)
    edit = threaded(Review.edit)
    confirm = threaded(Review.confirm)
    reject = threaded(Review.reject)


class AsyncProcedures(Threaded[Procedures]):
    """``memory.procedures`` for asyncio."""

    list = threaded(Procedures.list)
    match = threaded(Procedures.match)
    learn = threaded(Procedures.learn)
    recipes = threaded(Procedures.recipes)
    enable = threaded(Procedures.enable)
    share = threaded(Procedures.share)
    write_skill = threaded(Procedures.write_skill)
    read_skill = threaded(Procedures.read_skill)


class AsyncReflections(Threaded[Reflections]):
    """``memory.reflections`` for asyncio."""

    list = threaded(Reflections.list)
    add = threaded(Reflections.add)
    digests = threaded(Reflections.digests)
    condense = threaded(Reflections.condense)
    profile = threaded(Reflections.profile)


class AsyncSearches(Threaded[Searches]):
    """``memory.searches`` for asyncio."""

    list = threaded(Searches.list)
    save = threaded(Searches.save)
    run = threaded(Searches.run)
    delete = threaded(Searches.delete)


class AsyncToolCalls(Threaded[ToolCalls]):
    """``memory.tool_calls`` for asyncio."""

    record = threaded(ToolCalls.record)
    list = threaded(ToolCalls.list)
    summary = threaded(ToolCalls.summary)
    analyse = threaded(ToolCalls.analyse)


class AsyncJobs(Threaded[Jobs]):
    """``memory.jobs`` for asyncio."""

    list = threaded(Jobs.list)
    replay = threaded(Jobs.replay)
    run = threaded(Jobs.run)
    answer = threaded(Jobs.answer)


class AsyncAdmin(Threaded[Admin]):
    """``memory.admin`` for asyncio."""

    backup = threaded(Admin.backup)
    export = threaded(Admin.export)
    load = threaded(Admin.load)
    doctor = threaded(Admin.doctor)
    scan = threaded(Admin.scan)
    tidy = threaded(Admin.tidy)
    verify = threaded(Admin.verify)
    erase = threaded(Admin.erase)
