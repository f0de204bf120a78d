"""Reflections that wait, and models that condense them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from omoide.memory import Memory
from omoide.models.chat.base import Purpose
from omoide.nouns.clock import FixedClock
from omoide.nouns.scope import Scope
from omoide.settings.switches import Switches, Use
from tests.fix_teaching import Taught, say, says

HERE = Scope(user="ana", agent="clerk", session="talk")
USERS = Scope(user="ana", agent="clerk")
ALL_ON = Switches(user_memory=Use.LEARN, agent_memory=Use.LEARN)


def thoughts(*ones: dict[str, Any]) -> dict[str, Any]:
    """An answer with these reflections."""
    return {"reflections": list(ones)}


def condensed(
    *lines: str, title: str = "PREFERENCES", goals: Sequence[str] = (), gone: Sequence[str] = ()
) -> dict[str, Any]:
    """An answer with the lines of one section, of another that only users have, and with what is
    over.
    """
    return {
        "gone": list(gone),
        "sections": [
            {"title": title, "lines": list(lines)},
            {"title": "GOALS AND PROJECTS", "lines": list(goals)},
        ],
    }


def condensing(taught: Taught, *answers: Any, **settings: Any) -> Memory:
    """A memory that condenses with these answers, or one function, and reflects on each turn with
    the turn's own words, of the user.
    """

    def reflect(ask: Any) -> dict[str, Any]:
        said = [
            line.split(" Ana: ", 1)
            for line in ask.text.splitlines()
            if " Ana: " in line and not line.startswith("earlier")
        ]
        return thoughts(
            *(
                {"level": "user", "text": text, "quote": text, "turn": int(number)}
                for number, text in said
            )
        )

    condense = answers[0] if answers and callable(answers[0]) else list(answers)
    script: Any = {
        Purpose.EXTRACT: lambda ask: says(),
        Purpose.REFLECT: reflect,
        Purpose.CONDENSE: condense,
    }
    return taught(script=script, **({"reflect": True, "switches": ALL_ON} | settings))


def reflect_on(memory: Memory, clock: FixedClock, *texts: str, scope: Scope = HERE) -> None:
    """Let a user say things, and reflections be formed of them, a minute apart."""
    for text in texts:
        clock.move(minutes=1)
        say(memory, text, scope=scope)
        memory.reflections.add(scope.session or "", scope)
