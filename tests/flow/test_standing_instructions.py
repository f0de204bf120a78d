"""What a user asks for once and for all stands in every prompt, without a model."""

from __future__ import annotations

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.ids import TurnId
from omoide.nouns.item import Details, Source
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from omoide.tables.ledger import Ledger
from tests.fix_memory import ANA, BEN

RULE = "Always answer in metric units."


def stable(memory: Memory, session: str = "next", scope: Scope | None = None) -> str:
    """The stable part of a context in a session."""
    return memory.at(session=session).context("zzz", scope).stable


def tell(memory: Memory, text: str, session: str = "talk", role: str = "user") -> TurnId:
    """The id of a turn that was logged."""
    logged = memory.at(session=session).ingest([{"role": role, "content": text}])
    return logged.turns[0]


def test_an_instruction_of_the_user_stands_without_a_model(memory: Memory) -> None:
    """In every later session of this user, and of nobody else; with the id of its turn."""
    turn = tell(memory, f"Hi there. {RULE} How far is Lisbon?")

    made = memory.at(session="next").context("zzz")
    assert f"] {RULE}\n" in made.stable
    assert "Lisbon" not in made.stable
    assert turn in made.ids
    assert RULE not in stable(memory, "other", BEN)
    assert RULE not in memory.context("zzz", strategy="messages").text


def test_the_rest_of_its_turn_is_still_recalled(memory: Memory) -> None:
    """The turn answers questions about what else it says."""
    tell(memory, f"I deploy with ship.sh. {RULE}")
    made = memory.at(session="next").context("What do I deploy with?")

    assert RULE in made.stable
    assert "I deploy with ship.sh." in made.turn


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.USER])
def test_only_the_users_own_words_stand(memory: Memory, role: Role) -> None:
    """Not those of an assistant, a tool or a system, nor what was pasted, nor what another says."""
    tell(memory, RULE, role=role.value)
    tell(memory, f"Ben wrote:\n\n{RULE} Everybody does it like that here.")
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    said = (Message(text=RULE, speaker="Ben", user="ben"), Message(text="Hm", user="ana"))
    memory.ingest(Conversation(id="both", participants=people, messages=said))

    assert RULE not in stable(memory)


def test_the_later_one_comes_last(memory: Memory, clock: FixedClock) -> None:
    """Both are told with their days, and that a later one counts."""
    tell(memory, "Always answer in French.")
    clock.move(days=1)
    tell(memory, "From now on answer in German.", "later")

    text = stable(memory)
    assert "a later one counts" in text
    assert text.index("in French") < text.index("in German")


def test_a_session_keeps_what_stood_when_it_began(memory: Memory) -> None:
    """The stable part stays the same to the byte; a new instruction stands in the turn's part."""
    tell(memory, RULE, "early")
    chat = memory.at(session="chat")
    before = chat.context("hello")
    chat.ingest([{"role": "user", "content": "hello"}])
    tell(memory, "Never use emojis.", "chat")
    after = chat.context("hello again")

    assert after.stable == before.stable
    assert "Never use emojis." in after.turn


def test_a_forgotten_instruction_leaves_at_once(memory: Memory) -> None:
    """Also from the stable part of a session that runs."""
    turn = tell(memory, RULE)
    assert RULE in stable(memory, "running")
    memory.forget(turn)

    assert RULE not in stable(memory, "running")


def test_a_preference_made_of_it_takes_its_place(memory: Memory) -> None:
    """What a model or a person made of the turn counts from then on: its correction too, and when
    it is forgotten the turn's words do not come back.
    """
    turn = tell(memory, RULE)
    details = Details(source=Source.USER, source_turns=(turn,))
    item = memory.remember("Ana wants metric units", category="preference", details=details)
    assert RULE not in stable(memory)
    assert "Ana wants metric units" in stable(memory)
    memory.correct(item.id, "Ana wants imperial units", details=Details(source=Source.USER))
    assert "metric" not in stable(memory, "third")
    memory.forget(item.id)

    assert "metric" not in stable(memory, "fourth")
    assert memory.sessions.turns("talk")[0].text == RULE


def test_a_fact_of_the_same_turn_takes_no_place(memory: Memory) -> None:
    """Only a preference says what the turn asks for."""
    turn = tell(memory, f"I live in Porto. {RULE}")
    memory.remember("Ana lives in Porto", details=Details(source_turns=(turn,)))

    assert RULE in stable(memory)


def test_an_instruction_of_a_private_session_stays_in_it(memory: Memory) -> None:
    """It stands nowhere else."""
    talk = [{"role": "user", "content": RULE}]
    memory.at(session="secret").ingest(talk, private=True)

    assert RULE in stable(memory, "secret") + memory.at(session="secret").context("zzz").turn
    assert RULE not in stable(memory)


def test_an_instruction_stands_as_of_a_time(memory: Memory, clock: FixedClock) -> None:
    """A context of what was known before does not have it."""
    before = clock.now()
    clock.move(hours=1)
    tell(memory, RULE)

    assert RULE not in memory.context(Query(text="zzz", known_at=before)).stable
    assert RULE in memory.context("zzz").stable


def test_an_edited_message_has_the_instruction_of_its_latest_text(memory: Memory) -> None:
    """Logged again under its key: what it said before stands no more, and is not replayed; the log
    keeps both. A repeat of either text changes nothing.
    """
    first, edit = ({"role": "user", "id": "m1", "content": c} for c in (RULE, "Call me Max always"))
    chat = memory.at(session="talk")
    chat.ingest([first])
    assert RULE in stable(memory)
    logged = chat.ingest([edit])
    repeats = [chat.ingest([one]) for one in (first, edit)]

    assert (logged.added, logged.repeated) == (1, 0)
    assert [repeat.added for repeat in repeats] == [0, 0]
    assert repeats[1].turns == logged.turns
    assert RULE not in stable(memory, "later")
    assert "Call me Max always" in stable(memory, "later")
    assert [turn.text for turn in memory.sessions.turns("talk")] == [RULE, "Call me Max always"]
    assert [turn.text for turn in memory.sessions.window("talk")] == ["Call me Max always"]
    assert not memory.recall("metric units", ANA).hits


def test_an_edit_that_takes_an_instruction_back_leaves_none(memory: Memory) -> None:
    """Also where many messages are logged at once."""
    talk = [{"role": "user", "id": str(n), "content": f"message {n}"} for n in range(25)]
    talk[3] = talk[3] | {"content": RULE}
    memory.at(session="talk").ingest(talk)
    assert RULE in stable(memory)
    talk[3] = talk[3] | {"content": "I never mind the units"}
    logged = memory.at(session="talk").ingest(talk)

    assert (logged.added, logged.repeated) == (1, 24)
    assert RULE not in stable(memory, "later")


def test_undoing_an_edit_brings_the_old_instruction_back(memory: Memory) -> None:
    """Whether the logging is undone or the replacing; undoing that brings the edit back."""
    chat = memory.at(session="talk")
    chat.ingest([{"role": "user", "id": "m1", "content": RULE}])
    chat.ingest([{"role": "user", "id": "m1", "content": "Call me Max always"}])
    with memory.store.transaction(tenant=None, write=False) as tx:
        changes = tx.rows("changes.all", tenant="default", after=0, limit=10)
    logged = [row["id"] for row in changes if row["action"] == "log"][-1]

    undone = memory.undo(logged)
    assert RULE in stable(memory, "one")
    assert "call me Max" not in stable(memory, "one").lower()
    with memory.store.transaction(tenant=None, write=False) as tx:
        made = [Ledger(tx).get("default", id) for id in undone]
    memory.undo(next(one.change.id for one in made if one and one.change.cause == logged))
    assert "Call me Max always" in stable(memory, "two")


def test_nobody_edits_what_another_said(memory: Memory) -> None:
    """A message of another speaker under a known key is dropped, as every repeat."""
    chat = memory.at(session="talk")
    chat.ingest([{"role": "user", "id": "m1", "content": RULE}])
    logged = chat.ingest([{"role": "assistant", "id": "m1", "content": "As you wish"}])

    assert (logged.added, logged.repeated) == (0, 1)
    assert RULE in stable(memory)


def test_undone_talk_instructs_nobody(memory: Memory) -> None:
    """A session that was undone as a whole."""
    tell(memory, RULE)
    memory.undo("talk")
    assert RULE not in stable(memory, "one")


def test_what_is_asked_of_another_person_instructs_no_assistant(memory: Memory) -> None:
    """As in a chat with a friend that was imported; Ana's own talk with an assistant does."""
    people = (Participant(name="Ana", user="ana"), Participant(name="Ben"))
    asked = Message(text="From now on always call me before you come.", user="ana", speaker="Ana")
    memory.ingest(Conversation(id="chat", messages=(asked,), participants=people), ANA)
    assert "call me" not in memory.context("Hello", ANA).stable

    alone = Conversation(id="talk", messages=(asked,), participants=people[:1])
    memory.ingest(alone, ANA)
    assert "call me" in memory.context("Hello", ANA).stable
