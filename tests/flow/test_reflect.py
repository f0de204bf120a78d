"""Reflections: formed from talk after its facts, checked as these are, level by level, each time once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from omoide.errors import CannotUndo, ModelError
from omoide.memory import Memory
from omoide.models.chat import Ask, Purpose
from omoide.records import Category, Details, Kind, Scope, Source, Tier
from omoide.reflections import DigestKind, count_words
from omoide.switches import Switches
from tests.fix_memory import ANA, BEN
from tests.fix_teaching import TALK, Taught, note, say, says

HERE = Scope(user="ana", agent="clerk", session="talk")
ALL_ON = Switches(user_memory=True, agent_memory=True)
SAID = (
    "Please keep your answers short, I am always in a hurry.",
    "The Atlas project reached its second milestone on 3 May 2026.",
    "In this talk we only want to plan the demo at https://example.org/demo.",
)
SHORT = {"level": "user", "text": "Ana wants answers short, as she is always in a hurry", "quote": SAID[0], "turn": 1}
ATLAS = {"level": "agent", "text": "The Atlas project reached its second milestone on 3 May 2026", "quote": SAID[1], "turn": 2}
DEMO = {"level": "session", "text": "This talk is only to plan the demo at https://example.org/demo", "quote": SAID[2], "turn": 3}


def thoughts(*ones: dict[str, Any]) -> dict[str, Any]:
    """An answer with these reflections."""
    return {"reflections": list(ones)}


def reflecting(taught: Taught, *answers: Any, extract: Any = None, switches: Switches = ALL_ON, **settings: Any) -> Memory:
    """A memory that reflects with these answers, after extraction has found nothing."""
    found = extract or (lambda ask: says())
    script: Any = {Purpose.EXTRACT: found, Purpose.REFLECT: list(answers), Purpose.DECIDE: lambda ask: {"decisions": []}}
    return taught(script=script, reflect=True, switches=switches, **settings)


def work(memory: Memory) -> None:
    """Do all jobs that are ready."""
    memory.upkeep.queue.run()


def refused(memory: Memory, session: str = "talk", scope: Scope = HERE) -> list[str]:
    """Reflect by hand; why what came to nothing did."""
    return [one.refused for done in memory.reflect(session, scope) for one in done.pondered if one.refused]


@pytest.mark.covers("ED-1", "ED-2", "ED-14", "ED-15", "ED-42")
def test_talk_becomes_reflections_of_three_levels(taught: Taught) -> None:
    """One question after the facts were extracted; each rests on a quote in a turn and says where, and whose word it is."""
    memory = reflecting(taught, thoughts(DEMO, SHORT, ATLAS))
    say(memory, *SAID, scope=HERE)
    memory.end("talk", HERE)

    work(memory)

    assert [ask.purpose for ask in taught.asked] == [Purpose.EXTRACT, Purpose.REFLECT]
    session, user, agent = memory.reflections(HERE)
    assert [(one.kind, one.text, one.source_turns, one.tier) for one in (agent, user, session)] == [
        (DigestKind.AGENT, ATLAS["text"], ("talk#1",), Tier.AGENT),
        (DigestKind.USER, SHORT["text"], ("talk#0",), Tier.USER),
        (DigestKind.SESSION, DEMO["text"], ("talk#2",), Tier.USER),
    ]
    assert (user.scope, session.scope) == (Scope(user="ana", agent="clerk"), HERE)
    assert agent.scope == Scope(agent="clerk")
    assert user.quote == SAID[0]
    assert user.quote_span == (0, len(SAID[0]))
    assert (user.waits, user.absorbed_at, user.digest) == (True, None, None)
    assert memory.items(scope=HERE).items == ()
