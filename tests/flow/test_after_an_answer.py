"""What happens after an answer, in the background and in one order: facts, what becomes of them,
reflections, digests, the context.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import Script
from omoide.nouns.reflection import DigestKind, Size
from omoide.nouns.scope import Scope
from omoide.settings.switches import Switches
from tests.fix_teaching import Note, Taught, note, say, says

HERE = Scope(user="ana", agent="clerk", session="talk")
KNOWN, SAID = "Ana lives in Porto", "I moved, I live in Lisbon now. Please keep your answers short."
FACT = note("Ana lives in Lisbon", "I live in Lisbon now")
SHORT: Mapping[str, Any] = {
    "level": "user",
    "text": "Ana wants answers short",
    "quote": "Please keep your answers short",
    "turn": 1,
}
ORDER = [Purpose.EXTRACT, Purpose.DECIDE, Purpose.REFLECT, Purpose.CONDENSE]


def decided(ask: Ask) -> Note:
    """That the new fact takes the place of the one that it was shown."""
    return {"decisions": [{"note": 1, "op": "update", "ref": "k1", "was": "Porto"}]}


@pytest.fixture
def talked(taught: Taught) -> Memory:
    """A memory that was told something new, of which nothing was made yet."""
    script: Script = {
        Purpose.EXTRACT: [says(FACT)],
        Purpose.DECIDE: decided,
        Purpose.REFLECT: [{"reflections": [SHORT]}],
        Purpose.CONDENSE: [{"sections": [{"title": "PREFERENCES", "lines": [SHORT["text"]]}]}],
        Purpose.PROFILE: lambda ask: {
            "lines": [{"text": KNOWN if KNOWN in ask.text else FACT["text"], "from": ["k1"]}]
        },
    }
    digests = {kind: Size(reflections=1, words=100) for kind in DigestKind}
    memory = taught(script=script, reflect=True, digests=digests, switches=Switches())
    memory.remember(KNOWN, HERE)
    say(memory, SAID, scope=HERE)
    say(memory, "Noted.", scope=HERE, role="assistant", name="Clerk")
    memory.sessions.end("talk", HERE)
    return memory


@pytest.mark.covers("ED-8")
def test_what_follows_an_answer_follows_in_one_order(talked: Memory, taught: Taught) -> None:
    """Nothing before it; then facts, each compared with what is known, reflections with the new
    facts in view, digests of these.
    """
    assert taught.asked == []

    talked.upkeep.queue.run()

    assert [ask.purpose for ask in taught.asked] == ORDER
    _, decide, reflect, condense = taught.asked
    assert (KNOWN in decide.text, FACT["text"] in decide.text) == (True, True)
    assert f"New facts:\n- {FACT['text']}" in reflect.text
    assert SHORT["text"] in condense.text


@pytest.mark.covers("ED-8")
def test_what_an_agent_is_shown_is_made_anew_after_that(talked: Memory, taught: Taught) -> None:
    """The digest has what was reflected, and the profile the new fact, not the old one."""
    before = talked.reflections.profile(HERE)
    assert before is not None

    talked.upkeep.queue.run()
    after = talked.reflections.profile(HERE)

    assert after is not None
    assert (before.lines, after.lines) == ((KNOWN,), (FACT["text"],))
    assert [
        SHORT["text"] in digest.text
        for digest in talked.reflections.digests(HERE)
        if digest.kind is DigestKind.USER
    ] == [True]
