"""Whose a session is: who may write to it, name it, undo it, forget it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from omoide.memory import Memory
from omoide.nouns.change import Action, Because
from omoide.nouns.errors import NotFound
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from tests.fix_memory import ANA, BEN, NOBODY, session_of, turn_of

CY = Scope(user="cy")
BOTH = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))


def within(user: str | None, session: str = "flat") -> Scope:
    """A user inside the session."""
    return Scope(user=user, session=session, shared=user is None)


def said(memory: Memory, session: str = "flat") -> list[str]:
    """What stands in a session, for one who takes part."""
    return [turn.text for turn in memory.sessions.turns(session, within("ana", session))]


@pytest.fixture
def flat(memory: Memory) -> Memory:
    """A session that Ana began and Ben takes part in; each said two things, an assistant one."""
    first = Conversation(
        id="flat", title="Flat", messages=(Message(text="Dinner on Friday"),), participants=BOTH
    )
    memory.ingest(first, ANA)
    memory.ingest([Message(text="I bring wine"), Message(text="And bread")], within("ben"))
    memory.ingest([Message(text="Noted", role=Role.ASSISTANT)], within("ana"))
    memory.ingest([Message(text="Rui comes too")], within("ana"))
    return memory


@pytest.mark.covers("ED-6", "LS-73")
def test_a_stranger_writes_to_nobodys_session_but_their_own(flat: Memory) -> None:
    """Naming another's session neither joins it nor changes its title, shared or not: it is one of
    their own by the same name. By its id it is refused, and nothing is stored.
    """
    flat.ingest([Message(text="Ana alone")], within("ana", "diary"))
    before = flat.sessions.list(within("ana"))

    for session in ("flat", "diary"):
        for scope, speaker in ((CY, None), (NOBODY, "cy")):
            mine = Conversation(
                id=session, title="Cy's", messages=(Message(text="Hello", user=speaker),)
            )
            assert flat.ingest(mine, scope).session == session_of(session, CY)
            flat.ingest(replace(mine, id=session_of(session)), scope)
        assert [turn.text for turn in flat.sessions.turns(session, CY)] == ["Hello"] * 2

    assert flat.sessions.list(within("ana")) == before
    assert said(flat, "diary") == ["Ana alone"]


def test_one_who_takes_part_brings_another_in(flat: Memory) -> None:
    """From then on the newcomer may write, and sees what is said from then on in a session that was
    one user's before.
    """
    flat.ingest([Message(text="Ana alone")], within("ana", "diary"))
    guests = (Participant(name="Cy", user="cy"),)
    flat.ingest(
        Conversation(id="diary", messages=(Message(text="Meet Cy"),), participants=guests), ANA
    )
    flat.ingest([Message(text="Hello")], within("cy", "diary"))

    assert [turn.text for turn in flat.sessions.turns("diary", within("cy", "diary"))] == [
        "Meet Cy",
        "Hello",
    ]
    assert said(flat, "diary")[-2:] == ["Meet Cy", "Hello"]


def test_a_caller_without_a_user_writes_for_those_who_take_part(flat: Memory) -> None:
    """A program that logs for its users may go on with what is theirs; in one user's own session it
    must name them.
    """
    flat.ingest([Message(text="Ana alone")], within("ana", "diary"))

    flat.ingest(
        [Message(text="Beer too", user="ben"), Message(text="Noted", role=Role.ASSISTANT)],
        within(None),
    )
    flat.ingest([Message(text="Still alone", user="ana")], within(None, "diary"))
    flat.ingest([Message(text="Noted", role=Role.ASSISTANT)], within(None, "diary"))

    assert said(flat)[-2:] == ["Beer too", "Noted"]
    assert said(flat, "diary") == ["Ana alone", "Still alone"]


@pytest.mark.covers("AD-30")
def test_only_who_began_a_session_forgets_it_whole(flat: Memory) -> None:
    """Another who takes part forgets what they said; a stranger finds nothing there."""
    for scope in (CY, Scope(user="cy", session="flat"), NOBODY, within(None)):
        with pytest.raises(NotFound):
            flat.sessions.forget("flat", scope=scope)
        with pytest.raises(NotFound):
            flat.forget(turn_of("flat", 1), scope)
    with pytest.raises(NotFound):
        flat.forget(turn_of("flat", 0), within("ben"))

    receipt = flat.sessions.forget("flat", scope=BEN)

    assert (receipt.erased["turns"], receipt.erased["sessions"]) == (2, 0)
    assert said(flat) == ["Dinner on Friday", "Noted", "Rui comes too"]

    assert flat.sessions.forget("flat", scope=ANA).erased["sessions"] == 1
    assert flat.admin.verify().problems == ()


def test_one_turn_is_forgotten_by_its_speaker_or_who_began_the_session(flat: Memory) -> None:
    """From within the session or from outside."""
    flat.forget(turn_of("flat", 1), BEN)
    flat.forget(turn_of("flat", 2), within("ana"))

    assert said(flat) == ["Dinner on Friday", "Noted", "Rui comes too"]


@pytest.mark.covers("AD-30")
def test_an_import_is_forgotten_as_far_as_it_is_ones_own(memory: Memory) -> None:
    """By its origin, no stranger and no other participant erases what others said."""
    imported = memory.acting(Because(cause="import-1"))
    words = (Message(text="Dinner on Friday", user="ana"), Message(text="I bring wine", user="ben"))
    imported.ingest(Conversation(id="flat", messages=words, participants=BOTH), ANA)

    for scope in (CY, NOBODY):
        with pytest.raises(NotFound):
            memory.items.forget(scope=scope, origin="import-1")
    memory.items.forget(scope=BEN, origin="import-1")
    assert said(memory) == ["Dinner on Friday"]
    memory.items.forget(scope=ANA, origin="import-1")
    with pytest.raises(NotFound):
        memory.sessions.turns("flat", within("ana"))


def test_only_who_began_a_session_undoes_it_whole(flat: Memory) -> None:
    """Another who takes part undoes the loggings in which they alone speak."""
    log = [
        c.id
        for c in flat.diff(flat.clock.now().replace(year=2000), scope=within("ana")).changes
        if c.action is Action.LOG
    ]
    for change in (log[0], log[2]):
        with pytest.raises(NotFound):
            flat.undo(change, BEN)
    for scope in (CY, NOBODY):
        with pytest.raises(NotFound):
            flat.undo("flat", scope)

    assert len(flat.undo("flat", BEN)) == 1
    assert said(flat) == ["Dinner on Friday", "Noted", "Rui comes too"]

    flat.undo("flat", ANA)
    with pytest.raises(NotFound):
        flat.sessions.turns("flat", within("ana"))


def test_a_session_of_several_that_no_user_began_belongs_to_each_by_what_they_said(
    memory: Memory,
) -> None:
    """Each may forget their own turns; whoever logged it without a user may forget it whole."""
    memory.ingest(
        [Message(text="Dinner", user="ana"), Message(text="Wine", user="ben")], within(None)
    )
    memory.ingest([Message(text="Bread")], within("ben"))

    memory.sessions.forget("flat", scope=BEN)
    assert said(memory) == ["Dinner"]
    assert memory.sessions.forget("flat", scope=NOBODY).erased["sessions"] == 1


def test_a_forgotten_user_owns_nothing(flat: Memory) -> None:
    """The session that they began stays for the others, each with what is theirs."""
    flat.users.forget("ana")

    assert [turn.text for turn in flat.sessions.turns("flat", within("ben"))] == [
        "I bring wine",
        "And bread",
        "Noted",
    ]
    flat.sessions.forget("flat", scope=BEN)
    assert [turn.text for turn in flat.sessions.turns("flat", within("ben"))] == ["Noted"]


def test_what_became_private_after_others_joined_is_found_from_within_only(memory: Memory) -> None:
    """Also what was said before, by the one who began it."""
    memory.ingest([Message(text="The codeword is quokka")], within("ana", "diary"))
    memory.ingest(
        Conversation(id="diary", messages=(Message(text="Meet Ben"),), participants=BOTH), ANA
    )
    memory.ingest([Message(text="Hello")], within("ben", "diary"), private=True)

    assert memory.recall("quokka", ANA).hits == ()
