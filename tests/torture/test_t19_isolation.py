"""T19: twenty principals do random things to one store; no word of one ever reaches another, by any
door.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from omoide.context.strategies import STRATEGIES
from omoide.memory import Memory
from omoide.nouns.errors import OmoideError
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from omoide.store.base import Store
from omoide.tables.listing import Listing
from omoide.testing import memory_for_tests
from omoide.verbs.groups import VERBS
from omoide.write.remember import Statement
from tests.torture.kit import Report, count

TENANTS, USERS, AGENTS = (
    ("acme", "acme-corp"),
    ("ana", "ana2", "ben", "b&n=x", None),
    ("helper", None),
)
SESSIONS = ("1", "daily", "family")
CIRCLES = {
    "flat": ("ana", "ben"),
    "choir": ("ana2", "b&n=x", "ben"),
}  # sessions of several users, and who takes part
PRINCIPALS = [Scope(tenant=t, user=u, agent=a) for t in TENANTS for u in USERS for a in AGENTS]
CANARY = re.compile("zq[0-9]{6}qz")
WORDS = "garden tea bicycle river letter window piano summer bread mountain".split()


@dataclass
class World:
    """What was told by whom: canary words with the scope they belong to, and the ids that came
    back.
    """

    memory: Memory
    random: Random
    folder: Path
    owners: dict[str, Scope] = field(default_factory=dict)
    ids: list[str] = field(default_factory=lambda: ["nothing"])
    names: list[str] = field(default_factory=lambda: ["person:nobody"])
    # words that the asker names without having seen them
    asked: set[str] = field(default_factory=set)
    refused: int = 0
    found: Counter[str] = field(default_factory=Counter)  # words seen, by door

    def canary(self, scope: Scope) -> str:
        """A word that nobody outside a scope may ever see."""
        word = f"zq{len(self.owners):06d}qz"
        self.owners[word] = scope
        return word

    def sentence(self, scope: Scope) -> str:
        return f"the {self.random.choice(WORDS)} {self.canary(scope)} {self.random.choice(WORDS)}"

    def person(self, scope: Scope) -> str:
        self.names.append(f"person:{self.canary(scope)}")
        return self.names[-1]

    def principal(self) -> Scope:
        """Someone, at times within a session: a private one of their own, or one of several users,
        theirs or not.
        """
        scope = self.random.choice(PRINCIPALS)
        if scope.user is None or self.random.random() < 0.75:
            return scope
        return replace(scope, session=self.random.choice([private(scope), *CIRCLES]))

    def seen(self, what: Any) -> list[Scope]:
        """Whose words are in what was seen."""
        return [self.owners[word] for word in CANARY.findall(repr(what))]

    def check(self, door: str, scope: Scope, what: Any) -> None:
        """That nothing seen holds a word that the asker may not see."""
        seen = self.seen(what)
        self.found[door] += len(seen)
        for owner in seen:
            assert may_see(scope, owner), f"{scope} saw a word of {owner} by {door}: {what!r}"


def private(scope: Scope) -> str:
    """The session that a principal tells nobody of."""
    return f"secret-{scope.user}-{scope.agent}"


def may_see(asker: Scope, owner: Scope) -> bool:
    """The rule: same tenant; user and agent unset or the asker's; what is said among several, who
    takes part.
    """
    return (
        owner.tenant == asker.tenant
        and owner.user in (None, asker.user)
        and owner.agent in (None, asker.agent)
        and (owner.session not in CIRCLES or asker.user in CIRCLES[owner.session])
    )


def remember(world: World, scope: Scope) -> Any:
    scope = replace(scope, session=None)
    about = [world.person(scope)] if world.random.random() < 0.3 else ()
    told = world.memory.remember(world.sentence(scope), scope, entities=about)
    world.ids.append(told.id)
    return told


def seed(world: World, scope: Scope) -> Any:
    scope = replace(scope, session=None)
    told = world.memory.items.add_many(
        [Statement(text=world.sentence(scope)) for _ in range(2)], scope
    )
    world.ids.extend(item.id for item in told)
    return told


def ingest(world: World, scope: Scope) -> Any:
    """Each principal names sessions like others do; whoever shares an id by accident still sees
    their own alone.
    """
    scope = replace(scope, session=None)
    session = f"{world.random.choice(SESSIONS)}-{scope.user}-{scope.agent}"
    messages = tuple(Message(text=world.sentence(scope), role=Role.USER) for _ in range(2))
    logged = world.memory.ingest(Conversation(id=session, messages=messages), scope)
    world.ids.extend(logged.turns)
    return logged


def confide(world: World, scope: Scope) -> Any:
    """Something in a session that only its own questions may find."""
    scope = replace(scope, session=private(scope))
    talk = Conversation(id=private(scope), messages=(Message(text=world.sentence(scope)),))
    logged = world.memory.ingest(talk, scope, private=True)
    world.ids.extend(logged.turns)
    return logged


def gather(world: World) -> None:
    """Begin the sessions of several users, by one who takes part."""
    for tenant in TENANTS:
        for session, users in CIRCLES.items():
            people = tuple(Participant(name=user, user=user) for user in users)
            begun = Conversation(
                id=session, messages=(Message(text="hello", user=users[0]),), participants=people
            )
            world.memory.ingest(begun, Scope(tenant=tenant, user=users[0]))


def discuss(world: World, scope: Scope) -> Any:
    """Something in a session of several users, by one of them; or by one who has no part in it, in
    one of their own by that name.
    """
    session = world.random.choice(list(CIRCLES))
    alone = scope.user not in CIRCLES[session]
    home = Scope(user=scope.user) if alone and scope.user else Scope(session=session, shared=True)
    said = Message(text=world.sentence(replace(home, tenant=scope.tenant)), user=scope.user)
    logged = world.memory.ingest(
        Conversation(id=session, messages=(said,)), Scope(tenant=scope.tenant, user=scope.user)
    )
    world.ids.extend(logged.turns)
    return logged


def recall(world: World, scope: Scope) -> Any:
    canary = (
        world.random.choice(list(world.owners))
        if world.owners and world.random.random() < 0.5
        else ""
    )
    text = f"{world.random.choice(WORDS)} {canary}"
    preset = world.random.choice(["default", "fast", "keyword", "rrf"])
    answer = world.memory.recall(
        Query(text=text, preset=preset, include_sensitive=True, include_muted=True), scope, limit=10
    )
    for owner in world.seen(answer.hits):
        assert owner.session in (
            None,
            scope.session,
        ), f"{scope} found a word of the session {owner}: {answer.hits!r}"
    return [(hit.text, hit.id, hit.item, hit.turn) for hit in answer.hits], answer.degraded


def context(world: World, scope: Scope) -> Any:
    """What a scope is shown of memory, by any strategy."""
    text = f"{world.random.choice(WORDS)} {world.random.choice(WORDS)}"
    made = world.memory.context(
        Query(text=text, include_sensitive=True, include_muted=True),
        scope,
        strategy=world.random.choice(list(STRATEGIES)),
    )
    return made.text, made.blocks, made.degraded


def some_id(world: World) -> str:
    return world.random.choice(world.ids)


def some_name(world: World) -> str:
    """A name that somebody gave; who asks with it may be told that there is none."""
    name = world.random.choice(world.names)
    world.asked.update(CANARY.findall(name))
    return name


def name(world: World, scope: Scope) -> Any:
    """One more name for somebody: one that the asker may know of, or a new one."""
    old, home = world.random.choice(world.names), replace(scope, session=None)
    known = all(may_see(scope, owner) for owner in world.seen(old))
    return world.memory.entities.name(
        old if known else world.person(home), world.person(home), scope
    )


def correct(world: World, scope: Scope) -> Any:
    id = some_id(world)
    told = world.memory.correct(id, world.sentence(owner_of(world, scope, id) or scope), scope)
    world.ids.append(told.id)
    return told


def owner_of(world: World, scope: Scope, id: str) -> Scope | None:
    """Where an item lives that this scope may see: its correction will live there too."""
    record = world.memory.get(id, scope)
    return getattr(record, "scope", None)


def record_tool(world: World, scope: Scope) -> Any:
    scope = replace(scope, session=None)
    fails = world.random.random() < 0.3
    error = world.sentence(scope) if fails else None
    return world.memory.tool_calls.record(
        "search",
        scope,
        args={"q": world.sentence(scope)},
        result=world.sentence(scope),
        error=error,
    )


def export(world: World, scope: Scope) -> None:
    """An archive holds what is its user's, of every agent, whichever agent asks for it."""
    path = world.folder / "archive.jsonl"
    path.unlink(missing_ok=True)
    world.memory.admin.export(path, scope)
    for line in path.read_text().splitlines():
        for agent in AGENTS:
            words = [word for word in CANARY.findall(line) if world.owners[word].agent == agent]
            world.check("export", replace(scope, agent=agent), words)


DOORS: dict[str, Callable[[World, Scope], Any]] = {
    "remember": remember,
    "ingest": ingest,
    "recall": recall,
    "context": context,
    "confide": confide,
    "discuss": discuss,
    "correct": correct,
    "tool_calls.record": record_tool,
    "export": export,
    "get": lambda w, s: w.memory.get(some_id(w), s),
    "history": lambda w, s: w.memory.history(some_id(w), s),
    "items.edit": lambda w, s: w.memory.items.edit(some_id(w), s, muted=w.random.random() < 0.2),
    "items.feedback": lambda w, s: w.memory.items.feedback(some_id(w), s, helpful=True),
    "items.reopen": lambda w, s: w.memory.items.reopen(some_id(w), s),
    "forget": lambda w, s: w.memory.forget(some_id(w), s) if w.random.random() < 0.2 else None,
    "items.list": lambda w, s: w.memory.items.list(
        Listing(sensitive=None, closed=True, limit=50), s
    ),
    "sessions.turns": lambda w, s: w.memory.sessions.turns(
        w.random.choice([None, some_id(w).partition("#")[0]]), s
    ),
    "sessions.window": lambda w, s: w.memory.sessions.window(
        some_id(w).partition("#")[0], s, turns=2
    ),
    "sessions.list": lambda w, s: w.memory.sessions.list(s),
    "items.sources": lambda w, s: w.memory.items.sources(some_id(w), s),
    "tool_calls.list": lambda w, s: w.memory.tool_calls.list(
        scope=s, failed=w.random.random() < 0.5
    ),
    "tool_calls.summary": lambda w, s: w.memory.tool_calls.summary(s),
    "entities.name": name,
    "entities.merge": lambda w, s: w.memory.entities.merge(some_name(w), some_name(w), s),
    "entities.split": lambda w, s: w.memory.entities.split(some_name(w), some_name(w), s),
    "entities.list": lambda w, s: w.memory.entities.list(s),
    "due": lambda w, s: w.memory.due(timedelta(days=9), s),
    "diff": lambda w, s: w.memory.diff(w.memory.clock.now() - timedelta(hours=1), scope=s),
    "stats": lambda w, s: w.memory.stats(s),
    "why_not": lambda w, s: w.memory.why_not(w.random.choice(WORDS), some_id(w), s),
    "undo": lambda w, s: w.memory.undo(some_id(w), s) if w.random.random() < 0.3 else None,
    "items.add_many": seed,
    "items.pin": lambda w, s: w.memory.items.pin(some_id(w), s),
    "items.dependants": lambda w, s: w.memory.items.dependants(some_id(w), s),
    "admin.scan": lambda w, s: w.memory.admin.scan(s),
    "sessions.catch_up": lambda w, s: w.memory.sessions.catch_up(s, preview=True),
    "jobs.list": lambda w, s: w.memory.jobs.list(s),
    "review.list": lambda w, s: w.memory.review.list(s),
    "reflections.list": lambda w, s: w.memory.reflections.list(s),
    "reflections.digests": lambda w, s: w.memory.reflections.digests(s),
    "procedures.match": lambda w, s: w.memory.procedures.match(w.random.choice(WORDS), s),
    "procedures.recipes": lambda w, s: w.memory.procedures.recipes(s),
    "procedures.list": lambda w, s: w.memory.procedures.list(s),
}
READING_EVERYTHING = {"diff": 0.2, "export": 0.1, "admin.scan": 0.1}
OFTEN = {
    "remember": 6,
    "ingest": 6,
    "recall": 6,
    "context": 3,
    "get": 2,
    "sessions.turns": 2,
    "items.list": 2,
    **READING_EVERYTHING,
}
WEIGHTS = [OFTEN.get(name, 1) for name in DOORS]
# Verbs that no principal goes through here; each with why a word of another's cannot come out of
# it, or who tests that.
NO_DOORS = {
    "ask": "shows the model what context shows: tests/flow/test_ask.py",
    "searches.list": "tests/flow/test_owners.py",
    "searches.save": "tests/flow/test_owners.py",
    "searches.run": "tests/flow/test_saved_searches.py",
    "searches.delete": "tests/flow/test_saved_searches.py",
    "admin.doctor": "the operator's: speaks of places in the store, not of words",
    "admin.verify": "the operator's: gives hashes",
    "admin.tidy": "goes on between the operations, over everybody's",
    "admin.backup": "the operator's: a copy of everything",
    "admin.export": "goes through here as export",
    "admin.load": "tests/exchange/test_archive_authority.py",
    "jobs.run": "the operator's: gives counts",
    "sessions.extract": "tests/flow/test_extract.py",
    "sessions.end": "tests/flow/test_begin.py",
    "sessions.start": "tests/flow/test_begin.py",
    "tool_calls.analyse": "tests/flow/test_analyse.py",
    "reflections.add": "tests/flow/test_reflect.py",
    "reflections.condense": "tests/flow/test_condense.py",
    "reflections.profile": "tests/flow/test_profile.py",
    "procedures.learn": "tests/flow/test_lessons.py",
    "procedures.enable": "tests/flow/test_lessons.py",
    "procedures.share": "tests/flow/test_lessons.py",
    "procedures.write_skill": "tests/flow/test_lessons.py",
    "procedures.read_skill": "tests/flow/test_lessons.py",
    "review.approve": "tests/flow/test_review.py",
    "review.edit": "tests/flow/test_review.py",
    "review.reject": "tests/flow/test_review.py",
    "review.confirm": "tests/flow/test_unconfirmed.py",
    "review.approve_all": "tests/flow/test_review_many.py",
    "review.reject_all": "tests/flow/test_review_many.py",
    "jobs.replay": "tests/flow/test_queue.py",
    "jobs.answer": "tests/flow/test_queue.py",
    "items.forget": "tests/flow/test_forget_source.py",
    "sessions.forget": "tests/flow/test_forget.py",
    "entities.forget": "tests/flow/test_forget.py",
    "admin.erase": "tests/flow/test_forget.py",
    "users.list": "tests/flow/test_users.py",
    "users.senders": "tests/flow/test_users.py",
    "users.of": "tests/flow/test_users.py",
    "users.link": "tests/flow/test_users.py",
    "users.unlink": "tests/flow/test_users.py",
    "users.merge": "tests/flow/test_users.py",
    "users.get": "tests/flow/test_users.py",
    "users.edit": "tests/flow/test_users.py",
    "users.forget": "tests/flow/test_users.py",
}
LISTS = (
    "items.list",
    "sessions.turns",
    "sessions.window",
    "sessions.list",
    "entities.list",
    "tool_calls.list",
    "tool_calls.summary",
    "diff",
    "stats",
    "export",
)


def test_every_verb_is_a_door_or_says_why_not() -> None:
    """A new verb fails here until principals go through it, or it is listed with what shows that it
    is none.
    """
    verbs = {verb.full_name for verb in VERBS}
    theirs = {
        "confide",
        "discuss",
        "export",
    }  # ingest in two more ways, and the archive, which is no verb

    assert verbs == (DOORS.keys() - theirs) | NO_DOORS.keys()
    assert not DOORS.keys() & NO_DOORS.keys()
    shown = {why for why in NO_DOORS.values() if why.startswith("tests/")}
    assert shown
    assert all((Path(__file__).parents[2] / file).is_file() for file in shown)


@pytest.mark.torture
@pytest.mark.covers("AD-30", "LS-72", "LS-73", "CX-19", "ED-30")
def test_no_word_of_one_principal_reaches_another(store: Store, tmp_path: Path) -> None:
    """Whatever is asked, changed or broken, results and errors hold only words the asker may
    see.
    """
    with Report(f"T19 {type(store).__name__}") as report, memory_for_tests(store) as memory:
        world = World(memory, report.random, tmp_path)
        gather(world)
        operations = count(1_500, 50_000)
        for number in range(operations):
            go_through(world, world.random.choices(list(DOORS), WEIGHTS)[0], world.principal())
            if number % 100 == 0:
                memory.admin.tidy()
        for door in LISTS:
            for scope in PRINCIPALS:
                go_through(world, door, scope)
        report["operations"], report["words_seen"], report["refused"] = (
            operations,
            world.found.total(),
            world.refused,
        )
        # the canaries did fly: principals saw their own
        assert world.found.total() > operations / 10
        assert {
            "recall",
            "sessions.turns",
            "items.list",
            "entities.list",
            "tool_calls.list",
            "export",
        } <= set(+world.found)


def go_through(world: World, door: str, scope: Scope) -> None:
    """Do what a door is for, and look at what comes out of it."""
    world.asked.clear()
    try:
        world.check(door, scope, DOORS[door](world, scope))
    except OmoideError as error:
        world.check(
            door,
            scope,
            [word for word in CANARY.findall(repr((error, error.args))) if word not in world.asked],
        )
        world.refused += 1


@pytest.mark.covers("ED-6", "LS-73")
def test_users_who_share_a_session_keep_their_own_memories(store: Store) -> None:
    """In a session of several users nobody's user rows show, its own rows show to it alone, and
    outsiders see neither.
    """
    with memory_for_tests(store) as memory:
        ana, ben, eve = (Scope(user=u) for u in ("ana", "ben", "eve"))
        memory.remember("Ana's diary is in the attic", ana)
        talk = Conversation(
            id="family",
            messages=(
                Message(text="we hide the attic key", user="ana"),
                Message(text="under the attic mat", user="ben"),
            ),
        )
        memory.ingest(talk, ana)
        from_within = [
            h.text
            for h in memory.recall("attic", Scope(user="ana", session="family"), limit=10).hits
        ]
        assert sorted(from_within) == ["under the attic mat", "we hide the attic key"]
        assert [h.text for h in memory.recall("attic", ana, limit=10).hits] == [
            "Ana's diary is in the attic"
        ]
        assert [h.text for h in memory.recall("attic", ben, limit=10).hits] == []
        assert memory.recall("attic", Scope(user="eve", session="family"), limit=10).hits == ()
        assert len(memory.sessions.turns("family", ben)) == 2
        with pytest.raises(OmoideError):
            memory.sessions.turns("family", eve)


@pytest.mark.covers("LS-72", "AD-30")
def test_one_session_id_used_by_two_users_does_not_mix_what_was_said_before(store: Store) -> None:
    """Whoever only names a session has one of their own; whoever is brought in sees nothing of what
    its first user said alone.
    """
    with memory_for_tests(store) as memory:
        ana, ben = Scope(user="ana", session="1"), Scope(user="ben", session="1")
        memory.ingest([{"role": "user", "content": "my pelican is called Otto"}], ana)
        memory.ingest([{"role": "user", "content": "hello, I am Ben"}], ben)
        assert len(memory.sessions.turns("1", ben)) == 1
        memory.ingest(
            Conversation(id="1", messages=(), participants=(Participant(name="Ben", user="ben"),)),
            ana,
        )
        memory.ingest([{"role": "user", "content": "hello, I am Ben"}], ben)
        hits = [
            h
            for scope in (ben, Scope(user="ben"))
            for h in memory.recall("pelican Otto", scope, limit=10).hits
        ]
        assert all("Otto" not in hit.text for hit in hits)
        assert [h.kind for h in memory.recall("pelican Otto", Scope(user="ana"), limit=10).hits][
            :1
        ] == [Kind.TURN]
