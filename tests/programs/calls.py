"""For each verb of Memory, arguments by chance; some are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from omoide.faculties.searches.saved_search import SearchFilters
from omoide.nouns.item import Category, Source
from omoide.nouns.procedure import Failed
from omoide.nouns.session import Conversation, Participant
from omoide.write.remember import Statement
from tests.fix_memory import NINE
from tests.programs.values import (
    AGENTS,
    ALIASES,
    CHANNELS,
    CONDITIONS,
    CONTEXTS,
    ENTITIES,
    GOALS,
    ORIGINS,
    SENDERS,
    SESSIONS,
    TOOLS,
    USERS,
    Chance,
)
from tests.programs.world import World

Arguments = dict[str, Any]
Call = Callable[[Chance, World], Arguments]

CATEGORIES = (*tuple(Category)[:6],) * 3 + ("profile", "colour")
SKILL = """---
name: trains
description: how to book a train
---
# Trains

1. Look first
2. Then book
"""


def _statement(chance: Chance, world: World) -> Arguments:
    return {
        "category": chance.choice(CATEGORIES) if chance.often(0.5) else "fact",
        "tags": chance.names() if chance.often(0.3) else (),
        "entities": chance.some((*ENTITIES, *ALIASES)) if chance.often(0.5) else (),
        "due_at": chance.choice((chance.time(), "2026-02-01", "2026-01-05T23:59:59.999999+14:00"))
        if chance.often(0.2)
        else None,
        "details": chance.details(world.known("turn"), world.known("item"))
        if chance.often(0.5)
        else None,
    }


def _remember(chance: Chance, world: World) -> Arguments:
    return {"text": chance.text()} | _statement(chance, world)


def _add_many(chance: Chance, world: World) -> Arguments:
    said = [
        {name: value for name, value in _remember(chance, world).items() if value is not None}
        for _ in range(chance.randint(0, 3))
    ]
    return {"statements": [Statement(**one) for one in said]}


def _ingest(chance: Chance, world: World) -> Arguments:
    people = chance.some(("ana", "ben")) if chance.often(0.3) else ()
    talk: Any = Conversation(
        id=chance.choice(SESSIONS),
        messages=tuple(chance.message() for _ in range(chance.randint(0, 6))),
        title=chance.choice(("", "Tea", "odd\ntitle", "\0")),
        channel=chance.choice(("", "", *CHANNELS)),
        participants=tuple(Participant(name=user, user=user) for user in people),
        metadata=chance.metadata(),
    )
    if chance.often(0.08):
        talk = [{"role": "user", "content": chance.text()}, {"role": "elf", "content": "hi"}][
            : chance.randint(0, 2)
        ]
    return {"talk": talk, "private": chance.often(0.1)}


def _edit(chance: Chance, world: World) -> Arguments:
    edits: Arguments = {
        "tags": chance.names(),
        "pinned": chance.often(0.5),
        "muted": chance.often(0.5),
        "sensitive": chance.often(0.5),
        "due_at": chance.maybe(chance.time(), 0.7),
        "reminded_at": "now",
        "category": chance.choice(CATEGORIES),
        "context": chance.choice((*CONTEXTS, "")),
        "valid_from": chance.time(),
        "valid_until": chance.maybe(chance.time(), 0.7),
        "expires_at": chance.maybe(chance.time(), 0.7),
        "metadata": chance.metadata(),
        "domain": chance.choice(("home", "", None)),
        "confidence": chance.choice((0.1, 0.9, 0.5, 2)),
        "text": "no",
    }
    if chance.often(0.9):
        del edits["text"]
    return {"id": _item(chance, world)} | {
        name: edits[name] for name in chance.some(list(edits), most=3)
    }


def _item(chance: Chance, world: World) -> str:
    return chance.choice(world.known("item")[-25:])


def _any_id(chance: Chance, world: World) -> str:
    return chance.choice([*world.known("item", "turn", "proposal")[-40:], "s1#99", "a\0b", "É", ""])


def _of(kind: str) -> Call:
    """Only an id of that kind."""
    return lambda chance, world: {"id": chance.choice(world.known(kind))}


def _session(chance: Chance, world: World) -> Arguments:
    return {"session": chance.choice((*SESSIONS[:3],) * 5 + (*SESSIONS, "none such"))}


def _asking(chance: Chance, world: World) -> Arguments:
    return {"query": chance.query() if chance.often(0.7) else chance.text()}


def _more(call: Call, **more: Call | Callable[[Chance, World], Any]) -> Call:
    """The arguments of a call and, each half of the time, those by name."""

    def made(chance: Chance, world: World) -> Arguments:
        given = call(chance, world)
        for name, value in more.items():
            if chance.often(0.5):
                given[name] = value(chance, world)
        return given

    return made


def _nothing(chance: Chance, world: World) -> Arguments:
    return {}


def _flag(chance: Chance, world: World) -> bool:
    return chance.often(0.5)


def _limit(chance: Chance, world: World) -> int:
    return chance.choice((1, 2, 5, 100)) if chance.often(0.9) else chance.choice((0, -1))


def _time(chance: Chance, world: World) -> Any:
    return chance.time()


def _file(chance: Chance, world: World) -> Path:
    return world.folder / f"archive-{len(world.files)}.jsonl"


def _export(chance: Chance, world: World) -> Arguments:
    given = {"path": _file(chance, world), "everything": chance.often(0.4)}
    if chance.often(0.2):
        given |= {"recorded_since": chance.time(), "recorded_until": chance.time()}
    return given


def _load(chance: Chance, world: World) -> Arguments:
    return {
        "path": chance.choice(world.files) if world.files else world.folder / "none",
        "everything": chance.often(0.7),
        "restore_forgotten": chance.often(0.5),
        "preview": chance.often(0.3),
    }


def _approve(chance: Chance, world: World) -> Arguments:
    id = chance.choice(world.known("proposal"))
    return {"id": id, "seal": world.seals.get(id, "no seal"), "as_mine": chance.often(0.3)}


def _which(chance: Chance, world: World) -> Arguments:
    return {
        chance.choice(("session", "source", "reason")): chance.choice(
            ("s1", "s1", "s2", "llm_extract", "ungrounded_number", "ungrounded_name", "")
        )
    }


def _record(chance: Chance, world: World) -> Arguments:
    return {
        "tool": chance.choice(TOOLS),
        "args": chance.metadata(),
        "result": chance.text(),
        "error": chance.maybe(chance.text()),
        "duration_ms": chance.choice((None, 0, 0.5, 12, 1e12, -1.0, float("nan"))),
        "sensitive": chance.often(0.2),
    }


def _failed(chance: Chance, world: World) -> Arguments:
    failed = Failed(
        task=chance.choice(GOALS),
        title=chance.choice((*GOALS, "")),
        error=chance.text()[:300],
        tools=chance.some(TOOLS),
        retries=chance.randint(0, 3),
    )
    return {"failure": failed, "later": chance.often(0.3)}


def _read_skill(chance: Chance, world: World) -> Arguments:
    path = world.folder / "SKILL.md"
    path.write_text(SKILL if chance.often(0.8) else chance.text(), "utf-8", "replace")
    return {"path": path, "as_mine": chance.often(0.3)}


def _save(chance: Chance, world: World) -> Arguments:
    return {
        "name": chance.name(),
        "question": chance.text(),
        "filters": chance.maybe(
            SearchFilters(
                categories=chance.some((Category.FACT, Category.NOTE)),
                domain=chance.maybe("home"),
                tags=chance.names(),
                entities=chance.some(ENTITIES),
                metadata=chance.choice(CONDITIONS),
            )
        ),
    }


def _undo(chance: Chance, world: World) -> Arguments:
    known = world.known("change", "extraction", "proposal", "procedure")
    return {
        "what": chance.choice([*known[-30:], *SESSIONS[:2], *ORIGINS]),
        "preview": chance.often(0.3),
    }


def _pair(one: str, other: str, values: tuple[str, ...]) -> Call:
    return lambda chance, world: {one: chance.choice(values), other: chance.choice(values)}


def _preview(call: Call) -> Call:
    return lambda chance, world: call(chance, world) | {"preview": chance.often(0.4)}


EVERYDAY: Mapping[str, Call] = {
    "remember": _remember,
    "ingest": _ingest,
    "correct": _more(
        lambda c, w: {"id": _item(c, w), "text": c.text()},
        at=_time,
        details=lambda c, w: c.details(w.known("turn"), w.known("item")),
    ),
    "undo": _undo,
    "forget": _preview(lambda c, w: {"id": _any_id(c, w)}),
    "recall": _more(_asking, limit=lambda c, w: c.choice((10, 0, 1, 3, 20))),
    "context": _more(
        _asking,
        budget=lambda c, w: c.choice((2000, 40, 0, "400 characters", "x")),
        strategy=lambda c, w: c.choice(
            ("frozen", "xml", "profile", "messages", "tools", "blocks", "x")
        ),
    ),
    "ask": _asking,
    "why_not": lambda c, w: _asking(c, w) | {"id": _any_id(c, w), "limit": c.choice((1, 10))},
    "get": _more(lambda c, w: {"id": _any_id(c, w)}, as_of=_time, known_at=_time),
    "history": lambda c, w: {"id": _item(c, w)},
    "diff": _more(
        lambda c, w: {"recorded_since": NINE - timedelta(days=c.choice((0, 1, 30)))},
        recorded_until=_time,
        include_sensitive=_flag,
    ),
    "due": _more(
        _nothing,
        within=lambda c, w: timedelta(hours=c.choice((0, 24, 9999, -1))),
        overdue=_flag,
        listing=lambda c, w: c.listing(),
    ),
    "stats": _more(_nothing, days=lambda c, w: c.choice((1, 30, 400, 0))),
}
GROUPS: Mapping[str, Call] = {
    "items.list": _more(_nothing, listing=lambda c, w: c.listing()),
    "items.add_many": _add_many,
    "items.edit": _edit,
    "items.pin": lambda c, w: {"id": _item(c, w), "pinned": _flag(c, w)},
    "items.feedback": lambda c, w: {"id": _item(c, w), "helpful": _flag(c, w)},
    "items.reopen": lambda c, w: {"id": _item(c, w)},
    "items.sources": lambda c, w: {"id": _any_id(c, w), "around": c.choice((0, 2, 51, -1))},
    "items.dependants": lambda c, w: {"id": _item(c, w)},
    "items.forget": _preview(
        _more(
            _nothing,
            origin=lambda c, w: c.choice(ORIGINS),
            source=lambda c, w: c.choice((*tuple(Source)[:3], "elf")),
            category=lambda c, w: c.choice(CATEGORIES),
        )
    ),
    "sessions.list": _more(_nothing, limit=_limit, offset=_limit),
    "sessions.start": _nothing,
    "sessions.end": _session,
    "sessions.turns": _more(
        _nothing,
        session=lambda c, w: c.choice((*SESSIONS, "none such")),
        since=_time,
        limit=_limit,
        first=_limit,
    ),
    "sessions.window": _more(_session, turns=_limit),
    "sessions.extract": _more(_session, again=_flag, preview=_flag),
    "sessions.catch_up": _more(_nothing, recorded_since=_time, limit=_limit, preview=_flag),
    "sessions.forget": _preview(_session),
    "entities.list": _more(_nothing, limit=_limit, include_sensitive=_flag),
    "entities.name": lambda c, w: {
        "entity": c.choice((*ENTITIES, *ALIASES)),
        "alias": c.maybe(c.choice(ALIASES), 0.7),
    },
    "entities.merge": _pair("source", "target", (*ENTITIES, *ALIASES)),
    "entities.split": _pair("entity", "alias", (*ENTITIES, *ALIASES)),
    "entities.forget": _preview(lambda c, w: {"entity": c.choice(ENTITIES)}),
    "users.list": _nothing,
    "users.senders": _nothing,
    "users.of": lambda c, w: {"channel": c.choice(CHANNELS), "sender": c.choice(SENDERS)},
    "users.link": lambda c, w: {
        "channel": c.choice(CHANNELS),
        "sender": c.choice(SENDERS),
        "user": c.choice(USERS),
    },
    "users.unlink": lambda c, w: {"channel": c.choice(CHANNELS), "sender": c.choice(SENDERS)},
    "users.get": lambda c, w: {"user": c.choice(USERS)},
    "users.edit": lambda c, w: {
        "user": c.choice(USERS),
        "zone": c.choice(("Europe/Berlin", "Pacific/Kiritimati", "", "Nowhere/At")),
    },
    "users.merge": _pair("source", "target", USERS),
    "users.forget": _preview(lambda c, w: {"user": c.choice(USERS)}),
    "review.list": _more(_nothing, limit=_limit),
    "review.approve": _approve,
    "review.approve_all": _which,
    "review.reject_all": _which,
    "review.edit": lambda c, w: _of("proposal")(c, w) | {"text": c.text()},
    "review.confirm": lambda c, w: {"id": c.choice(w.known("item", "reflection"))},
    "review.reject": lambda c, w: {"id": c.choice(w.known("proposal", "item", "reflection"))},
    "procedures.list": _more(_nothing, all_of_them=_flag, limit=_limit),
    "procedures.match": _more(
        lambda c, w: {"goal": c.choice(GOALS)},
        limit=_limit,
        least=lambda c, w: c.choice((-1, 0.1, 2)),
    ),
    "procedures.learn": _failed,
    "procedures.recipes": _nothing,
    "procedures.enable": _more(_of("procedure"), enabled=_flag),
    "procedures.share": lambda c, w: _of("procedure")(c, w) | {"agents": c.some(AGENTS)},
    "procedures.write_skill": lambda c, w: _of("procedure")(c, w) | {"folder": w.folder},
    "procedures.read_skill": _read_skill,
    "reflections.list": _more(_nothing, waiting=_flag, limit=_limit),
    "reflections.add": _more(_session, again=_flag),
    "reflections.digests": _more(_nothing, history=_flag),
    "reflections.condense": _more(_nothing, kind=lambda c, w: c.choice(("user", "agent", "elf"))),
    "reflections.profile": _nothing,
    "searches.list": _nothing,
    "searches.save": _save,
    "searches.run": lambda c, w: {"name": c.name(), "limit": c.choice((1, 10))},
    "searches.delete": lambda c, w: {"name": c.name()},
    "tool_calls.record": _record,
    "tool_calls.list": _more(
        _nothing, tool=lambda c, w: c.choice(TOOLS), failed=_flag, limit=_limit
    ),
    "tool_calls.summary": _nothing,
    "tool_calls.analyse": _more(_nothing, preview=_flag),
    "jobs.list": _more(
        _nothing, state=lambda c, w: c.choice(("ready", "dead", "elf")), limit=_limit
    ),
    "jobs.replay": _more(
        _nothing,
        id=lambda c, w: c.choice(w.known("job")),
        kind=lambda c, w: c.choice(("extract", "embed", "elf")),
    ),
    "jobs.run": _more(_nothing, limit=_limit, kind=lambda c, w: c.choice(("extract", "embed"))),
    "jobs.answer": _of("job"),
    "admin.export": _export,
    "admin.load": _load,
    "admin.doctor": _more(_nothing, repair=_flag, deep=_flag),
    "admin.scan": _more(_nothing, mask=_flag),
    "admin.tidy": _more(
        _nothing,
        only=lambda c, w: c.some(("vectors", "decay", "reconcile", "distil", "prune", "elf"), 3),
    ),
    "admin.verify": lambda c, w: {"known": c.choice([None, *w.heads])},
    "admin.erase": _preview(lambda c, w: {"what": c.choice(("items", "turns", "all", "elf"))}),
}
CALLS: Mapping[str, Call] = {**EVERYDAY, **GROUPS}
# Postgres is backed up with its server's own tools, as the error says.
LEFT_OUT = frozenset({"admin.backup"})
# how often a verb is called for each time that another is
WEIGHTS = {
    "remember": 14,
    "ingest": 10,
    "recall": 10,
    "sessions.extract": 6,
    "correct": 4,
    "undo": 4,
    "items.edit": 3,
    "review.list": 3,
    "jobs.run": 3,
    "entities.name": 2,
    "items.list": 2,
    "diff": 3,
    "reflections.add": 2,
    "procedures.learn": 2,
    "tool_calls.record": 3,
    "admin.export": 2,
    "admin.load": 2,
    "admin.tidy": 2,
    "admin.erase": 0.3,
    "users.forget": 0.4,
}
