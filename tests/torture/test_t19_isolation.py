"""T19: twenty principals do random things to one store; no word of one ever reaches another, by any door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from omoide.errors import Conflict, OmoideError
from omoide.memory import Memory
from omoide.records import Conversation, Kind, Message, Participant, Query, Role, Scope
from omoide.store.base import Store
from omoide.tables.items import Listing
from omoide.testing import memory_for_tests
from tests.torture.kit import Report, count

TENANTS, USERS, AGENTS = ("acme", "acme-corp"), ("ana", "ana2", "ben", "b&n=x", None), ("helper", None)
SESSIONS = ("1", "daily", "family")
PRINCIPALS = [Scope(tenant=t, user=u, agent=a) for t in TENANTS for u in USERS for a in AGENTS]
WORDS = "garden tea bicycle river letter window piano summer bread mountain".split()


@dataclass
class World:
    """What was told by whom: canary words with the scope they belong to, and the ids that came back."""

    memory: Memory
    random: Random
    owners: dict[str, Scope] = field(default_factory=dict)
    ids: list[str] = field(default_factory=lambda: ["nothing"])
    changes: list[str] = field(default_factory=lambda: ["nothing"])
    looks: int = 0
    found: int = 0

    def canary(self, scope: Scope) -> str:
        """A word that nobody outside a scope may ever see."""
        word = f"zq{len(self.owners):06d}qz"
        self.owners[word] = scope
        return word

    def sentence(self, scope: Scope) -> str:
        return f"the {self.random.choice(WORDS)} {self.canary(scope)} {self.random.choice(WORDS)}"

    def check(self, scope: Scope, seen: Any) -> None:
        """That nothing seen holds a canary of a scope that the asker may not see."""
        text = repr(seen)
        self.looks += 1
        start = text.find("zq")
        while start >= 0:
            word = text[start : start + 10]
            owner = self.owners.get(word)
            if owner is not None:
                self.found += 1
                assert may_see(scope, owner), f"{scope} saw {word} of {owner}"
            start = text.find("zq", start + 1)


def may_see(asker: Scope, owner: Scope) -> bool:
    """The rule: same tenant; user and agent unset or the asker's; a session's rows only from within it."""
    return (
        owner.tenant == asker.tenant
        and owner.user in (None, asker.user)
        and owner.agent in (None, asker.agent)
        and owner.session in (None, asker.session)
    )


def remember(world: World, scope: Scope) -> Any:
    about = [f"person:{world.canary(scope)}"] if world.random.random() < 0.3 else ()
    told = world.memory.remember(world.sentence(scope), scope, entities=about)
    world.ids.append(told.id)
    return told


def ingest(world: World, scope: Scope) -> Any:
    """Each principal names sessions like others do; whoever shares an id by accident still sees their own alone."""
    session = f"{world.random.choice(SESSIONS)}-{scope.user}-{scope.agent}"
    messages = tuple(Message(text=world.sentence(scope), role=Role.USER) for _ in range(2))
    logged = world.memory.ingest(Conversation(id=session, messages=messages), scope)
    world.ids.extend(logged.turns)
    return logged


def recall(world: World, scope: Scope) -> Any:
    canary = world.random.choice(list(world.owners)) if world.owners and world.random.random() < 0.5 else ""
    text = f"{world.random.choice(WORDS)} {canary}"
    preset = world.random.choice(["default", "fast", "keyword", "rrf"])
    answer = world.memory.recall(Query(text=text, preset=preset, include_sensitive=True, include_muted=True), scope, limit=10)
    return [(hit.text, hit.id, hit.item, hit.turn) for hit in answer.hits], answer.degraded


def some_id(world: World) -> str:
    return world.random.choice(world.ids)


def correct(world: World, scope: Scope) -> Any:
    id = some_id(world)
    told = world.memory.correct(id, world.sentence(owner_of(world, scope, id) or scope), scope)
    world.ids.append(told.id)
    return told


def owner_of(world: World, scope: Scope, id: str) -> Scope | None:
    """Where an item lives that this scope may see: its correction will live there too."""
    record = world.memory.get(id, scope)
    return getattr(record, "scope", None)


DOORS: dict[str, Callable[[World, Scope], Any]] = {
    "remember": remember,
    "ingest": ingest,
    "recall": recall,
    "correct": correct,
    "get": lambda w, s: w.memory.get(some_id(w), s),
    "history": lambda w, s: w.memory.history(some_id(w), s),
    "edit": lambda w, s: w.memory.edit(some_id(w), s, muted=w.random.random() < 0.2),
    "feedback": lambda w, s: w.memory.feedback(some_id(w), s, helpful=True),
    "reopen": lambda w, s: w.memory.reopen(some_id(w), s),
    "forget": lambda w, s: w.memory.forget(some_id(w), s) if w.random.random() < 0.2 else None,
    "items": lambda w, s: w.memory.items(Listing(sensitive=None, closed=True, limit=50), s),
    "turns": lambda w, s: w.memory.turns(w.random.choice([None, some_id(w).partition("#")[0]]), s),
    "sessions": lambda w, s: w.memory.sessions(s),
    "entities": lambda w, s: w.memory.entities(s),
    "due": lambda w, s: w.memory.due(timedelta(days=9), s),
    "diff": lambda w, s: w.memory.diff(w.memory.clock.now() - timedelta(hours=1), scope=s),
    "stats": lambda w, s: w.memory.stats(s),
    "why_not": lambda w, s: w.memory.why_not(w.random.choice(WORDS), some_id(w), s),
    "undo": lambda w, s: w.memory.undo(some_id(w), s) if w.random.random() < 0.3 else None,
}
WEIGHTS = [6 if name in ("remember", "ingest", "recall") else 2 if name in ("get", "turns", "items") else 1 for name in DOORS]


@pytest.mark.torture
@pytest.mark.covers("AD-29", "AD-30", "LS-72", "LS-73", "CX-19", "ED-30")
def test_no_word_of_one_principal_reaches_another(store: Store) -> None:
    """Whatever is asked, changed or broken, results and errors hold only words the asker may see."""
    with Report("T19") as report, memory_for_tests(store) as memory:
        world = World(memory, report.random)
        operations = count(1_500, 50_000)
        for number in range(operations):
            scope = world.random.choice(PRINCIPALS)
            door = world.random.choices(list(DOORS), WEIGHTS)[0]
            try:
                world.check(scope, DOORS[door](world, scope))
            except OmoideError as error:
                world.check(scope, (error, error.args))
            if number % 100 == 0:
                memory.tidy()
        report["operations"], report["looks"], report["seen"] = operations, world.looks, world.found
        assert world.found > operations / 10  # the canaries did fly: principals saw their own


@pytest.mark.covers("ED-6", "LS-73")
def test_users_who_share_a_session_keep_their_own_memories(store: Store) -> None:
    """In a session of several users nobody's user rows show, its own rows show to it alone, and outsiders see neither."""
    with memory_for_tests(store) as memory:
        ana, ben, eve = (Scope(user=u) for u in ("ana", "ben", "eve"))
        memory.remember("Ana's diary is in the attic", ana)
        talk = Conversation(
            id="family",
            messages=(Message(text="we hide the attic key", user="ana"), Message(text="under the attic mat", user="ben")),
        )
        memory.ingest(talk, ana)
        from_within = [h.text for h in memory.recall("attic", Scope(user="ana", session="family"), limit=10).hits]
        assert sorted(from_within) == ["under the attic mat", "we hide the attic key"]
        assert [h.text for h in memory.recall("attic", ana, limit=10).hits] == ["Ana's diary is in the attic"]
        assert [h.text for h in memory.recall("attic", ben, limit=10).hits] == []
        assert memory.recall("attic", Scope(user="eve", session="family"), limit=10).hits == ()
        assert len(memory.turns("family", ben)) == 2
        with pytest.raises(OmoideError):
            memory.turns("family", eve)


@pytest.mark.covers("LS-72", "AD-30")
def test_one_session_id_used_by_two_users_does_not_mix_what_was_said_before(store: Store) -> None:
    """Whoever only names a session is refused; whoever is brought in sees nothing of what its first user said alone."""
    with memory_for_tests(store) as memory:
        ana, ben = Scope(user="ana", session="1"), Scope(user="ben", session="1")
        memory.ingest([{"role": "user", "content": "my pelican is called Otto"}], ana)
        with pytest.raises(Conflict):
            memory.ingest([{"role": "user", "content": "hello, I am Ben"}], ben)
        memory.ingest(Conversation(id="1", messages=(), participants=(Participant(name="Ben", user="ben"),)), ana)
        memory.ingest([{"role": "user", "content": "hello, I am Ben"}], ben)
        hits = [h for scope in (ben, Scope(user="ben")) for h in memory.recall("pelican Otto", scope, limit=10).hits]
        assert all("Otto" not in hit.text for hit in hits)
        assert [h.kind for h in memory.recall("pelican Otto", Scope(user="ana"), limit=10).hits][:1] == [Kind.TURN]
