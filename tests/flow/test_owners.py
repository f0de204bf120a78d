"""Whose a new record is, and what others see of it: every verb, every partial scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.access import Principal, Right
from omoide.nouns.errors import Forbidden, ModelMissing, OwnerMissing, ScopeConflict
from omoide.nouns.procedure import Failed
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.verbs.groups import VERBS
from omoide.write.remember import Statement
from tests.fix_memory import BEN, NOBODY, OpenMemory, on_sqlite

SECRET = "the heliotrope is in the cellar"
WRITES: dict[str, Callable[[Memory, Scope | None], Any]] = {
    "remember": lambda m, scope: m.remember(SECRET, scope, entities=["place:heliotrope"]),
    "ingest": lambda m, scope: m.ingest([{"role": "user", "content": SECRET}], scope),
    "items.add_many": lambda m, scope: m.items.add_many([Statement(text=SECRET)], scope),
    "tool_calls.record": lambda m, scope: m.tool_calls.record("heliotrope", scope, result=SECRET),
    "searches.save": lambda m, scope: m.searches.save("heliotrope", SECRET, scope),
    "procedures.learn": lambda m, scope: m.procedures.learn(
        Failed(task=SECRET, error="no"), scope, later=True
    ),
    "procedures.recipes": lambda m, scope: m.procedures.recipes(scope),
    "procedures.read_skill": lambda m, scope: m.procedures.read_skill("SKILL.md", scope),
}
# what a caller may leave out; the memory is bound to Ana
PARTIAL = (
    None,
    Scope(),
    Scope(session="chat-1"),
    Scope(agent="clerk"),
    Scope(context="work"),
    Scope(session="chat-1", agent="clerk", context="work"),
)


def reads(memory: Memory, scope: Scope) -> Iterator[Any]:
    """All that a stranger can see of it without an id."""
    yield memory.recall("heliotrope cellar", scope, limit=50).hits
    yield memory.items.list(scope=scope)
    yield memory.sessions.list(scope)
    yield memory.sessions.turns(scope=scope)
    yield memory.entities.list(scope)
    yield memory.tool_calls.list(scope=scope)
    yield memory.tool_calls.summary(scope)
    yield memory.searches.list(scope)
    yield memory.procedures.list(scope, all_of_them=True)
    yield memory.review.list(scope)
    yield memory.jobs.list(scope)
    yield memory.reflections.list(scope)
    yield memory.due(scope=scope)


def test_every_verb_that_writes_for_an_owner_is_tried() -> None:
    """None is forgotten by the tests below."""
    assert {verb.full_name for verb in VERBS if verb.needs_owner} == set(WRITES)


@on_sqlite
@pytest.mark.parametrize("name", WRITES)
def test_a_write_without_an_owner_is_refused(name: str, open_memory: OpenMemory) -> None:
    """The error names the four owners that there may be; nothing is stored."""
    memory = open_memory(scope=Scope())

    for scope in (None, Scope(), Scope(session="chat-1"), Scope(context="work")):
        with pytest.raises(OwnerMissing, match=r"user.*agent.*session.*shared"):
            WRITES[name](memory, scope)
    assert memory.recall("heliotrope", NOBODY).hits == ()


@on_sqlite
@pytest.mark.parametrize("scope", PARTIAL)
@pytest.mark.parametrize("name", [name for name in WRITES if "skill" not in name])
def test_what_is_written_in_a_partial_scope_stays_its_users(
    name: str, scope: Scope | None, open_memory: OpenMemory
) -> None:
    """A stranger sees nothing of it, nor does whoever names no user."""
    memory = open_memory(scope=Scope())
    with suppress(ModelMissing):  # a recipe needs a model; there is none here
        WRITES[name](memory.at(user="ana"), scope)
    agent = scope.agent if scope else None

    strangers = (BEN, NOBODY, Scope(user="ben", agent=agent, session="chat-1"))
    shown = [repr(seen) for stranger in strangers for seen in reads(memory, stranger)]

    assert len(shown) == 39
    assert "heliotrope" not in "".join(shown)


def test_a_session_with_participants_is_an_owner(open_memory: OpenMemory) -> None:
    """Talk that names its users needs no other; and what is noted in that session then does not
    either.
    """
    memory = open_memory(scope=Scope())
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    memory.ingest(
        Conversation(id="flat", messages=(Message(text="Hi", user="ana"),), participants=people)
    )

    assert memory.remember("The flat has a cellar", Scope(session="flat")).item.scope.user is None


def test_a_user_of_the_settings_is_a_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls have it that name none, and others may be named; one that the program names binds."""
    monkeypatch.setenv("OMOIDE_USER", "ana")
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
    settings: Any = {"embedder": "none", "background": False}
    with Memory.open(str(tmp_path / "m.db"), **settings) as memory:
        mine = memory.remember("Ana has an owl", Scope(session="s"))
        his = memory.at(user="ben").remember("Ben has a cat")
    with Memory.open(str(tmp_path / "m.db"), user="ana", **settings) as memory:
        with pytest.raises(ScopeConflict):
            memory.at(user="ben")

    assert (mine.item.scope.user, his.item.scope.user) == ("ana", "ben")


def test_shared_is_said_on_purpose(open_memory: OpenMemory) -> None:
    """It is everybody's then; a memory of a user's cannot say it."""
    memory = open_memory(scope=Scope())

    assert memory.at(shared=True).remember("The office closes at six").item.scope == Scope()
    with pytest.raises(ScopeConflict, match="shared"):
        memory.at(user="ana").at(shared=True)
    with pytest.raises(ScopeConflict, match="shared"):
        memory.at(user="ana").remember("x", Scope(shared=True))


def test_a_principal_stays_within_its_scope_and_rights(open_memory: OpenMemory) -> None:
    """Whoever asks through a door does what they may, as who they are."""
    memory = open_memory(scope=Scope())
    reader = memory.for_principal(
        Principal(name="key-7", rights=frozenset({Right.READ}), scope=Scope(user="ana"))
    )
    memory.at(user="ana").remember("Ana has an owl")

    assert [hit.text for hit in reader.recall("owl").hits] == ["Ana has an owl"]
    with pytest.raises(Forbidden, match=r"key-7.*may not write.*remember"):
        reader.remember("Ana has a cat")
    with pytest.raises(Forbidden, match="may not admin"):
        reader.admin.doctor()
    with pytest.raises(ScopeConflict):
        reader.recall("owl", BEN)


@on_sqlite
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.full_name)
def test_every_verb_needs_its_right(verb: Any, open_memory: OpenMemory) -> None:
    """A principal that may do nothing is refused before anything is looked at."""
    memory = open_memory().for_principal(Principal(name="nobody", rights=frozenset()))
    group = getattr(memory, verb.group) if verb.group else memory

    with pytest.raises(Forbidden, match=f"may not {verb.right}"):
        group._run(verb, lambda: pytest.fail("it was run"))
