"""Who of a talk is the user: only who is said to be, or can be nobody else."""

from __future__ import annotations

import pytest

from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message, Role
from omoide.write.speakers import with_users

ANA, BO, MIRA = (
    Participant(name="Ana"),
    Participant(name="Bo"),
    Participant(name="Mira", role=Role.ASSISTANT),
)
SAYS = {None: Message(text="hi"), "mira": Message(text="hi", speaker="Mira", role=Role.ASSISTANT)}


def users(
    *speakers: str | None,
    people: tuple[Participant, ...] = (),
    user: str | None = "ana",
    known: tuple[Participant, ...] = (),
    channel: str = "",
) -> list[str | None]:
    """The users of the messages of some speakers, each of whom says one thing; "mira" is the
    assistant.
    """
    said = tuple(SAYS.get(name) or Message(text="hi", speaker=name) for name in speakers)
    return [
        m.user
        for m in with_users(
            Conversation(id="s", messages=said, participants=people, channel=channel), user, known
        ).messages
    ]


@pytest.mark.parametrize(
    ("speakers", "expected"),
    [
        ([None, "mira"], ["ana", None]),
        (["Ana Silva", "mira", "Ana Silva"], ["ana", None, "ana"]),
        (["Bo"], ["ana"]),
        (["Ana Silva", "Bo"], [None, None]),
        (["ANA", "Bo"], ["ana", None]),
        ([None, "Bo"], ["ana", None]),
        (["Aná", "Bo"], [None, None]),
        (["Ana Silva", "Bo", "mira"], [None, None, None]),
    ],
)
def test_of_a_talk_without_participants(
    speakers: list[str | None], expected: list[str | None]
) -> None:
    """Who says something without a name, bears the user's id, or is the only person in it."""
    assert users(*speakers) == expected
    assert users(*speakers, user=None) == [None] * len(speakers)


@pytest.mark.parametrize(
    ("people", "speakers", "expected"),
    [
        ((ANA, BO), ["Ana", "Bo"], ["ana", None]),
        ((BO,), ["Bo", None], [None, "ana"]),
        ((BO,), ["Bo"], [None]),
        ((BO, MIRA), ["Bo", "mira"], ["ana", None]),
        (
            (ANA, Participant(name="Ana S.", user="ana")),
            ["Ana", "ana s.", "Bo"],
            [None, "ana", None],
        ),
        ((Participant(name="Bo", user="bo"), ANA), ["Bo", "Ana"], ["bo", "ana"]),
        ((Participant(name="Bo", user="bo"), Participant(name="Bo", user="bob")), ["Bo"], [None]),
    ],
)
def test_of_a_talk_with_participants(
    people: tuple[Participant, ...], speakers: list[str | None], expected: list[str | None]
) -> None:
    """Who is listed is who the list says; the one person beside an assistant is the user."""
    assert users(*speakers, people=people) == expected


def test_participants_of_the_users_own_name_are_told_too() -> None:
    """So that nobody is listed twice; who is another stays one."""
    talk = with_users(Conversation(id="s", messages=(), participants=(ANA, BO, MIRA)), "ana")

    assert [p.user for p in talk.participants] == ["ana", None, None]


def test_what_is_known_of_a_session_tells_its_speakers_apart() -> None:
    """Where the user has a name, another speaker is another; where another person takes part, one
    who is new is not the user.
    """
    named, by_id = Participant(name="Ana S.", user="ana"), Participant(name="ana", user="ana")

    assert users("Bo", known=(named,)) == [None]
    assert users("Ana S.", known=(named, BO)) == ["ana"]
    assert users("Ana S.", known=(by_id,)) == ["ana"]
    assert users("Ana S.", known=(by_id, BO)) == [None]
    assert users("Ana S.", known=(by_id, Participant(name="Ben", user="ben"), MIRA)) == ["ana"]


def test_who_is_listed_is_not_taken_for_what_they_were_once() -> None:
    """A list says who is who now."""
    assert users(
        "Bo",
        "Ana S.",
        people=(BO, Participant(name="Ana S.")),
        known=(Participant(name="Bo", user="ana"),),
    ) == [None, None]


def test_a_sender_that_is_a_user_of_its_own_is_that_user() -> None:
    """Of the channel that the talk is on."""
    assert users("+351 9", "Bo", user="whatsapp:+351 9", channel="whatsapp") == [
        "whatsapp:+351 9",
        None,
    ]
    assert users("+351 9", "Bo", user="whatsapp:+351 9", channel="sms") == [None, None]


def test_a_user_that_a_message_names_stays() -> None:
    """Also beside others who have none, and for the same name without it."""
    said = (
        Message(text="hi", speaker="Ana S.", user="ana"),
        Message(text="hi", speaker="Ana S."),
        Message(text="hi", speaker="Bo"),
    )

    assert [m.user for m in with_users(Conversation(id="s", messages=said), "ana").messages] == [
        "ana",
        "ana",
        None,
    ]
