"""Writers to one session wait for each other, and never in a circle."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from omoide.memory import Memory
from omoide.nouns.errors import CannotUndo, NotFound, SharedSession
from omoide.nouns.scope import Scope


def test_logging_forgetting_and_undoing_a_session_at_once_all_go_through(memory: Memory) -> None:
    """None of them is told to try again because two had waited for each other."""

    def work(seed: int) -> int:
        chance = random.Random(seed)
        for n in range(20):
            scope = Scope(user="ana", session=chance.choice(["one", "two"]))
            with suppress(NotFound, CannotUndo, SharedSession):
                act(
                    chance.choice(["ingest", "ingest", "forget", "undo"]), scope, f"Said {seed} {n}"
                )
        return 20

    def act(verb: str, scope: Scope, text: str) -> None:
        if verb == "ingest":
            memory.ingest([{"role": "user", "content": text}], scope)
        elif verb == "forget":
            memory.sessions.forget(str(scope.session), scope)
        else:
            memory.undo(str(scope.session), scope)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == [20] * 6

    assert memory.admin.verify().problems == ()
