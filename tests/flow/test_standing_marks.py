"""Turns that an earlier table of instructions marked are marked anew, in steps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files

import pytest

from omoide.grounding.instructions import table_version
from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.ids import TurnId
from omoide.nouns.item import Details, Source
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.store.base import Store
from omoide.tables.meta import Meta
from omoide.tables.turns import Turns
from omoide.upkeep import standing_marks
from omoide.upkeep.standing_marks import KEY, mark_again
from tests.fix_memory import ANA, BEN, OpenMemory

RULE, ADVICE = "Always answer in metric units.", "Always use sunscreen."


def tell(memory: Memory, *texts: str, scope: Scope = ANA) -> list[TurnId]:
    """The ids of turns that were logged, a session each."""
    return [memory.ingest([{"role": "user", "content": text}], scope).turns[0] for text in texts]


def as_before(store: Store, marks: Mapping[TurnId, bool]) -> None:
    """Let the store be one of an earlier version, with these marks."""
    with store.transaction(tenant=None) as tx:
        for turn in filter(None, (Turns(tx).find(ANA.tenant, id) for id in marks)):
            Turns(tx).set_standing(ANA.tenant, turn, marks[turn.id])
        Meta(tx).set(KEY, '{"version": 0}')


def stable(memory: Memory, scope: Scope = ANA) -> str:
    """What stands in a new session."""
    return memory.context("zzz", scope).stable


def test_earlier_turns_are_marked_anew(memory: Memory) -> None:
    """What the table finds by now stands, and what it no longer finds does not; once."""
    rule, advice = tell(memory, RULE, ADVICE)
    (bens,) = tell(memory, "From now on, call me Benny.", scope=BEN)
    as_before(memory.store, {rule: False, bens: False, advice: True})
    assert RULE not in memory.context("zzz", Scope(user="ana", session="before")).stable

    memory.admin.tidy()

    with memory.store.transaction(tenant=None) as tx:
        found = {
            scope.user: [turn.text for turn in Turns(tx).standing(scope, known=at, limit=9)]
            for scope, at in ((ANA, memory.clock.now()), (BEN, memory.clock.now()))
        }
    assert found == {"ana": [RULE], "ben": ["From now on, call me Benny."]}
    assert mark_again(memory.store, lambda: False) == 0


def test_it_goes_on_where_it_stopped(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page is a step; what is marked already is not read again."""
    monkeypatch.setattr(standing_marks, "PAGE", 2)
    turns = tell(memory, *(f"From now on, call me Max {n}." for n in range(5)))
    as_before(memory.store, dict.fromkeys(turns, False))
    steps = iter((False, False, True))

    first = mark_again(memory.store, lambda: next(steps))
    rest = mark_again(memory.store, lambda: False)

    assert (first, rest) == (4, 1)


def test_all_tenants_are_marked(open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, with what each of them said."""
    monkeypatch.setattr(standing_marks, "PAGE", 2)
    memory = open_memory(scope=None)
    anas = [Scope(tenant=tenant, user="ana") for tenant in ("acme", "acme2", "bolt")]
    said = {ana: tell(memory, RULE, "Call me Max always", "Hello", scope=ana) for ana in anas}
    with memory.store.transaction(tenant=None) as tx:
        for ana, ids in said.items():
            for turn in filter(None, (Turns(tx).find(ana.tenant, id) for id in ids)):
                Turns(tx).set_standing(ana.tenant, turn, False)
        Meta(tx).set(KEY, '{"version": 0}')

    assert mark_again(memory.store, lambda: False) == 6
    assert all(RULE in stable(memory, ana) for ana in anas)


def test_what_is_said_among_people_gets_no_mark(memory: Memory) -> None:
    """As when it is logged."""
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben"))
    said = Message(text=RULE, user="ana", speaker="Ana")
    logged = memory.ingest(Conversation(id="chat", messages=(said,), participants=people), ANA)
    as_before(memory.store, dict.fromkeys(logged.turns, False))

    assert mark_again(memory.store, lambda: False) == 0
    assert RULE not in stable(memory)


def test_what_was_forgotten_gets_no_mark(memory: Memory) -> None:
    """The turn of a preference that was forgotten."""
    (turn,) = tell(memory, RULE)
    details = Details(source=Source.USER, source_turns=(turn,))
    item = memory.remember("Ana wants metric units", ANA, category="preference", details=details)
    memory.forget(item.id, ANA)
    as_before(memory.store, {turn: False})

    assert mark_again(memory.store, lambda: False) == 0
    assert "metric" not in stable(memory)


def test_what_may_have_been_forgotten_gets_no_mark(memory: Memory, clock: FixedClock) -> None:
    """An earlier version left no sign of it: what the user said before forgetting an item stays
    unmarked, and what they said later, or another user said, does not.
    """
    (early,) = tell(memory, RULE)
    (bens,) = tell(memory, "From now on, call me Benny.", scope=BEN)
    memory.forget(memory.remember("Ana likes tea", ANA).id, ANA)
    clock.move(hours=1)
    (late,) = tell(memory, "From now on, call me Max.")
    as_before(memory.store, {early: False, bens: False, late: False})

    assert mark_again(memory.store, lambda: False) == 2
    assert RULE not in stable(memory)
    assert "call me Max" in stable(memory)
    assert "call me Benny" in stable(memory, BEN)


def test_a_later_version_is_left_alone(memory: Memory) -> None:
    """So two versions at one store do not take turns."""
    (advice,) = tell(memory, ADVICE)
    as_before(memory.store, {advice: True})
    with memory.store.transaction(tenant=None) as tx:
        Meta(tx).set(KEY, f'{{"version": {table_version() + 1}, "done": true}}')

    assert mark_again(memory.store, lambda: False) == 0
    assert ADVICE in "".join(turn.text for turn in standing_of(memory))


def standing_of(memory: Memory) -> list[Message]:
    """The turns that are marked."""
    with memory.store.transaction(tenant=None) as tx:
        turns = Turns(tx).standing(ANA, known=memory.clock.now(), limit=9)
    return [Message(text=turn.text) for turn in turns]


def test_a_changed_table_has_a_new_version() -> None:
    """Else turns that were logged before would not be marked anew. If this fails, add one to the
    version in instructions.toml, and renew the digest here.
    """
    table = files("omoide.grounding").joinpath("instructions.toml").read_bytes()

    assert (table_version(), hashlib.sha256(table).hexdigest()[:16]) == (2, "066eb0f11f711fd4")
