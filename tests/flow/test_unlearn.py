"""Forgetting reaches procedures: what was made of the forgotten, and what was handed on from
that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Because
from omoide.nouns.procedure import Failed, Procedure
from omoide.nouns.scope import Scope
from tests.fix_memory import on_sqlite, session_of, turn_of
from tests.fix_teaching import Taught, say
from tests.forgetting import forget

ADVICE: Mapping[str, Any] = {
    "name": "Unlock the archive first",
    "when_to_use": "exporting the yearly bee report from the archive",
    "discovery": "The yearly bee report cannot be exported while the archive is locked.",
    "activation": "Unlock the archive of the bees before, because a locked one gives empty files.",
    "steps": ["Unlock the archive of the bees"],
    "tags": [],
    "confidence": 0.8,
}
HERE = Scope(user="ana", agent="cook", session="s0")
ANA = Scope(user="ana", agent="cook")
FAILED = Failed(task="t-17", title="Export the bee report")


def learnt(memory: Memory, scope: Scope = HERE, task: str = "t-17") -> Procedure:
    """The lesson of a failure in a session that something was said in."""
    say(memory, "export the yearly report please", scope=scope)
    procedure = memory.procedures.learn(Failed(task=task, title="Export the bee report"), scope)
    assert procedure is not None
    return procedure


def recipe_of(memory: Memory) -> Procedure:
    """The recipe of three sessions in which the same was done."""
    for n in range(3):
        scope = Scope(user="ana", agent="cook", session=f"s{n}")
        say(memory, "please export the yearly bee report", scope=scope)
        for tool in ("open", "read", "send"):
            memory.tool_calls.record(tool, scope)
    (recipe,) = memory.procedures.recipes(ANA)
    return recipe


@pytest.fixture
def learns(taught: Taught) -> Callable[..., Memory]:
    """Opens memories whose proposer gives this answer."""
    return lambda answer=lambda ask: ADVICE: taught(script={Purpose.LESSON: answer})


@pytest.mark.parametrize("made", [learnt, recipe_of])
def test_a_forgotten_session_takes_the_procedures_made_of_it(
    learns: Callable[..., Memory], made: Callable[..., Procedure]
) -> None:
    """A lesson that was learnt in it, a recipe one of whose goals was said in it; of their texts
    nothing lingers.
    """
    memory = learns()
    made(memory)

    receipt = memory.sessions.forget("s0", scope=ANA)

    assert (receipt.erased["procedures"], receipt.residue) == (1, 0)
    assert memory.procedures.list(ANA, all_of_them=True) == []
    assert memory.admin.verify().problems == ()


@pytest.mark.parametrize(
    "target", [{"id": turn_of("s1", 0, ANA)}, {"user": "ana"}, {"everything": "turns"}]
)
def test_a_recipe_goes_with_what_its_goal_was_said_in(
    learns: Callable[..., Memory], target: dict[str, Any]
) -> None:
    """A turn, a user, everything that was said."""
    memory = learns()
    recipe_of(memory)

    assert forget(memory, ANA, **target).erased["procedures"] == 1
    assert memory.procedures.list(ANA, all_of_them=True) == []


def test_a_recipe_goes_with_the_origin_of_a_session(learns: Callable[..., Memory]) -> None:
    """What an import brought, and what was made of it."""
    memory = learns()
    for n in range(3):
        scope = Scope(user="ana", agent="cook", session=f"i{n}")
        said = [{"role": "user", "content": "please export the yearly bee report"}]
        memory.acting(Because(cause="export.zip")).ingest(said, scope)
        for tool in ("open", "read", "send"):
            memory.tool_calls.record(tool, scope)
    assert len(memory.procedures.recipes(ANA)) == 1

    assert memory.items.forget(scope=ANA, origin="export.zip").erased["procedures"] == 1
    assert memory.procedures.list(ANA, all_of_them=True) == []


def test_what_was_handed_on_goes_with_what_it_comes_from(learns: Callable[..., Memory]) -> None:
    """It is the same text, though another agent's."""
    memory, waiter = learns(), Scope(user="ana", agent="waiter")
    lesson = learnt(memory)
    (copy,) = memory.procedures.share(lesson.id, ["waiter"], ANA)
    (further,) = memory.procedures.share(copy.id, ["baker"], waiter)
    assert set(further.sources) == {session_of("s0", ANA), lesson.id, copy.id}

    assert memory.sessions.forget("s0", scope=ANA).erased["procedures"] == 3
    assert memory.procedures.list(waiter, all_of_them=True) == []


def test_what_a_forgotten_lesson_took_the_place_of_is_recalled_again(
    learns: Callable[..., Memory],
) -> None:
    """The lesson of the same task before it, that another session told of."""
    memory = learns()
    first, second = learnt(memory), learnt(memory, Scope(user="ana", agent="cook", session="s1"))
    assert [one.id for one in memory.procedures.list(ANA)] == [second.id]

    memory.sessions.forget("s1", scope=ANA)

    assert [one.id for one in memory.procedures.list(ANA)] == [first.id]
    assert memory.admin.verify().problems == ()


def test_another_sessions_lessons_stay(learns: Callable[..., Memory]) -> None:
    """Nothing of theirs is forgotten."""
    memory = learns()
    learnt(memory)
    say(memory, "what a fine day", scope=Scope(user="ana", agent="cook", session="s1"))

    memory.sessions.forget("s1", scope=ANA)

    assert len(memory.procedures.list(ANA)) == 1


def test_what_is_learnt_of_a_session_that_is_forgotten_meanwhile_is_not_kept(
    learns: Callable[..., Memory],
) -> None:
    """The model was still at it when its session went."""

    def answer(ask: Ask) -> Mapping[str, Any]:
        memory.sessions.forget("s0", scope=ANA)
        return ADVICE

    memory = learns(answer)
    say(memory, "export the yearly report please", scope=HERE)

    assert memory.procedures.learn(FAILED, HERE) is None
    assert memory.procedures.list(ANA, all_of_them=True) == []


@on_sqlite
def test_a_receipt_names_files_that_a_procedure_may_have_been_written_to(
    learns: Callable[..., Memory],
) -> None:
    """They lie outside the store; where no procedure goes there are none."""
    memory = learns()
    lesson = learnt(memory)
    item = memory.remember("Ana likes tea", ANA).item

    assert memory.forget(item.id, ANA).pending == ()
    assert any("SKILL.md" in one for one in memory.forget(lesson.id, ANA).pending)


@on_sqlite
def test_a_receipt_tells_texts_that_another_procedure_still_holds_from_residue(
    learns: Callable[..., Memory],
) -> None:
    """Two lessons of the same words: one is forgotten, and the other's are no remains of it."""
    memory = learns()
    learnt(memory)
    learnt(memory, Scope(user="ana", agent="cook", session="s1"), task="t-18")

    assert memory.sessions.forget("s1", scope=ANA).residue == 0
    assert len(memory.procedures.list(ANA)) == 1
