"""Forgetting an import erases the turns that it brought, and leaves what others said in the same
sessions.
"""

from __future__ import annotations

import pytest

from omoide.forgetting.erasure import foresee
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo
from omoide.nouns.item import Details, Source
from omoide.nouns.receipt import Target
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.settings.triggers import weight_of
from omoide.store.base import Store
from omoide.tables.sessions import Sessions
from tests.fix_memory import ANA, session_of, turn_of

CHAT = Scope(user="ana", session="chat")
JANUARY = ("we rented the boat", "the boat leaks")
JUNE = ("we sold the boat", "the garden is dry")


def bring(memory: Memory, origin: str | None, *texts: str) -> None:
    """Import messages into the chat, by their keys, or with no origin say them there by hand."""
    because = Because(actor="import", cause=origin) if origin else Because(actor="ana")
    memory.acting(because).ingest([Message(text=text, key=text) for text in texts], CHAT)


def said(memory: Memory) -> list[str]:
    """What is said in the chat."""
    return [turn.text for turn in memory.sessions.turns("chat", CHAT)]


def sound(memory: Memory) -> bool:
    """Whether neither doctor nor verify finds anything."""
    return memory.admin.doctor(deep=True) == [] and memory.admin.verify().problems == ()


def test_what_a_later_import_brought_stays(memory: Memory) -> None:
    """January's export, and June's of the same chat: of the first, its two turns go, of the second,
    the session as well.
    """
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JANUARY, *JUNE)

    first = memory.items.forget(scope=ANA, origin="january")

    assert (first.erased["turns"], first.erased["sessions"], said(memory)) == (2, 0, list(JUNE))
    assert {hit.text for hit in memory.recall("boat", ANA).hits} == set(JUNE)
    assert sound(memory)

    second = memory.items.forget(scope=ANA, origin="june")

    assert (second.erased["turns"], second.erased["sessions"], memory.sessions.list(ANA)) == (
        2,
        1,
        [],
    )
    assert sound(memory)


def test_what_an_earlier_import_brought_stays(memory: Memory) -> None:
    """Of June's export, what January's did not have."""
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JANUARY, *JUNE)

    receipt = memory.items.forget(scope=ANA, origin="june")

    assert (receipt.erased["turns"], receipt.erased["sessions"], said(memory)) == (
        2,
        0,
        list(JANUARY),
    )
    assert sound(memory)


def test_what_came_after_an_undoing_stays(memory: Memory) -> None:
    """An import that was undone goes with what it brought; another brought all of it anew."""
    bring(memory, "january", *JANUARY)
    memory.undo("january", ANA)
    bring(memory, "june", *JANUARY, *JUNE)

    assert memory.items.forget(scope=ANA, origin="january").erased["turns"] == 2
    assert said(memory) == [*JANUARY, *JUNE]
    assert sound(memory)


def test_what_was_said_by_hand_stays(memory: Memory) -> None:
    """In a session that an import began, before it or after."""
    bring(memory, "january", *JANUARY)
    bring(memory, None, "I want a new boat")

    receipt = memory.items.forget(scope=ANA, origin="january")

    assert (receipt.erased["turns"], receipt.erased["sessions"], said(memory)) == (
        2,
        0,
        ["I want a new boat"],
    )
    assert sound(memory)


def test_the_message_that_both_brought_comes_back_with_the_other(memory: Memory) -> None:
    """It was the first's, and goes with it; the other export, imported again, brings it."""
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JANUARY, *JUNE)
    memory.items.forget(scope=ANA, origin="january")

    bring(memory, "june again", *JANUARY, *JUNE)

    assert sorted(said(memory)) == sorted([*JANUARY, *JUNE])


@pytest.mark.parametrize("stays", ["item", "call"])
def test_a_session_stays_for_what_else_is_in_it(stays: str, memory: Memory) -> None:
    """What is known in it alone, said by hand, or a tool that was called in it."""
    bring(memory, "january", *JANUARY)
    if stays == "item":
        memory.remember("Ana whispers", CHAT, details=Details(session_only=True))
    else:
        memory.tool_calls.record("open", CHAT)

    receipt = memory.items.forget(scope=ANA, origin="january")

    assert (receipt.erased["turns"], receipt.erased["sessions"], said(memory)) == (2, 0, [])
    assert receipt.erased["tool_calls"] == 0
    assert sound(memory)


def test_what_was_learnt_from_its_turns_alone_goes(memory: Memory) -> None:
    """And a summary of them among others; not what rests on a turn of the other too, nor what that
    one alone supports.
    """
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JUNE)
    turns = {turn.text: turn.id for turn in memory.sessions.turns("chat", CHAT)}
    for text, sources in (
        ("Ana rented", JANUARY[:1]),
        ("Ana had a boat", (JANUARY[0], JUNE[0])),
        ("Ana sold", JUNE[:1]),
    ):
        details = Details(
            source=Source.INFERRED, source_turns=tuple(turns[source] for source in sources)
        )
        memory.remember(f"{text} in a year of {len(text)}", ANA, details=details)

    summary = Details(source=Source.CONSOLIDATION, source_turns=tuple(turns.values()))
    # it may hold words of each
    memory.remember("Ana rented boats and sold them", ANA, category="note", details=summary)

    memory.items.forget(scope=ANA, origin="january")

    held = {item.text: item.source_turns for item in memory.items.list(scope=ANA).items}
    assert held == {
        "Ana had a boat in a year of 14": (turns[JUNE[0]],),
        "Ana sold in a year of 8": (turns[JUNE[0]],),
    }


def test_a_session_that_stays_is_of_the_turns_left(
    memory: Memory, clock: FixedClock, store: Store
) -> None:
    """When it was, and how much waits to be learnt from."""
    bring(memory, "january", *JANUARY)
    clock.move(days=150)
    bring(memory, "june", *JUNE)

    memory.items.forget(scope=ANA, origin="january")

    (listed,), left = memory.sessions.list(ANA), memory.sessions.turns("chat", CHAT)
    assert (listed.session.started_at, listed.preview) == (clock.now(), JUNE[0])
    with store.transaction(tenant=None) as tx:
        waits = Sessions(tx).reserve(listed.session, left)  # once more
        assert (waits.waiting, waits.weight) == (4, 2 * weight_of(left))
        assert [
            Sessions(tx).of_origin("default", origin) != [] for origin in ("january", "june")
        ] == [False, True]


def test_the_jobs_of_an_undone_import_go_and_come_back(memory: Memory) -> None:
    """Nothing waits to learn from what left recall; what was said otherwise is learnt from."""
    bring(memory, "june", *JUNE)
    said = Scope(user="ana", session="talk")
    memory.ingest([Message(text="hello")], said)
    memory.sessions.end("chat", ANA)
    memory.sessions.end("talk", ANA)
    waiting = [job for job in memory.jobs.list(ANA) if job.kind == "extract"]

    (undoing,) = memory.undo("june", ANA)

    left = [job for job in memory.jobs.list(ANA) if job.kind == "extract"]
    assert [job.session for job in left] == [session_of("talk", ANA)]
    assert sum(jobs.total for jobs in memory.stats(ANA).jobs if jobs.kind == "extract") == 1
    (redone,) = memory.undo(undoing, ANA)
    assert [job for job in memory.jobs.list(ANA) if job.kind == "extract"] == waiting
    memory.undo(redone, ANA)
    assert [job for job in memory.jobs.list(ANA) if job.kind == "extract"] == left


def test_another_import_can_be_undone_still(memory: Memory) -> None:
    """What the ledger kept of it stays; of what was forgotten nothing is left to take back."""
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JUNE)
    memory.items.forget(scope=ANA, origin="january")

    with pytest.raises(CannotUndo, match="forgotten"):
        memory.undo("january", ANA)
    assert turn_of("chat", 0) in memory.undo("chat", ANA).forgotten
    assert memory.sessions.list(ANA) == []


def test_a_session_of_which_only_undone_turns_are_left_is_not_seen(memory: Memory) -> None:
    """Until the undoing is undone."""
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JUNE)
    (undoing,) = memory.undo("june", ANA)
    memory.items.forget(scope=ANA, origin="january")
    assert memory.sessions.list(ANA) == []

    memory.undo(undoing, ANA)

    assert (said(memory), len(memory.sessions.list(ANA))) == (list(JUNE), 1)
    assert sound(memory)


def test_the_sessions_it_is_in_are_told_before(memory: Memory, clock: FixedClock) -> None:
    """With how many turns go and stay of each, and whether it goes as a whole."""
    bring(memory, "january", *JANUARY)
    bring(memory, "june", *JUNE[:1])
    memory.acting(Because(actor="import", cause="january")).ingest(
        [{"content": "alone"}], Scope(user="ana", session="other")
    )

    told = foresee(memory.store, clock, ANA, Because(actor="test"), Target(origin="january"))

    assert [(cut.session.name, cut.turns, cut.left, cut.whole) for cut in told.sessions] == [
        ("chat", 2, 1, False),
        ("other", 1, 0, True),
    ]
    assert told.erased == memory.items.forget(scope=ANA, origin="january").erased
