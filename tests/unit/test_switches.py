"""Which memories an agent may use in a session."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.scope import Scope
from omoide.nouns.session import Participant, Session
from omoide.nouns.turn import Role, Turn
from omoide.settings.switches import Switches, Use, fact_scopes, reflection_scopes, user_of

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
HERE = Scope(tenant="acme", context="work", session=None, shared=True)
ANA, CLERK = (
    Scope(tenant="acme", context="work", user="ana"),
    Scope(tenant="acme", context="work", agent="clerk", shared=True),
)
OWN = Scope(tenant="acme", context="work", session="s", shared=True)


def session(*users: str) -> Session:
    """A session with an assistant and these users."""
    people = (Participant(name=user, user=user) for user in users)
    return Session(
        id=SessionId("s"),
        scope=HERE,
        participants=(Participant(name="Mira", role=Role.ASSISTANT), *people),
    )


def said(*speakers: tuple[Role, str | None]) -> list[Turn]:
    """Turns by role and user, in order."""
    return [
        Turn(
            id=TurnId(f"s#{n}"),
            session=SessionId("s"),
            position=n,
            role=role,
            speaker="x",
            user=user,
            text="x",
            at=NOON,
            recorded_at=NOON,
        )
        for n, (role, user) in enumerate(speakers)
    ]


@pytest.mark.covers("ED-20")
def test_the_last_person_who_spoke_is_the_user() -> None:
    """Not an assistant or a tool that spoke later on somebody's behalf; else the first user of the
    session, else its owner.
    """
    talk = said(
        (Role.USER, "ana"),
        (Role.USER, "ben"),
        (Role.ASSISTANT, "zoe"),
        (Role.TOOL, "zoe"),
        (Role.USER, None),
    )

    assert user_of(session("ana", "ben"), talk, "owner") == "ben"
    assert user_of(session("cy", "ana"), talk[2:], "owner") == "cy"
    assert user_of(session(), talk[2:], "owner") == "owner"
    assert user_of(session(), []) is None


@pytest.mark.covers("ED-4", "ED-5")
@pytest.mark.parametrize(
    ("switches", "facts"),
    [
        (Switches(), (ANA, CLERK)),
        (Switches(agent_memory=Use.OFF), (ANA,)),
        (Switches(user_memory=Use.OFF), (CLERK,)),
        (Switches(user_memory=Use.OFF, agent_memory=Use.OFF), ()),
    ],
)
def test_each_switch_opens_its_scope(switches: Switches, facts: tuple[Scope, ...]) -> None:
    """Facts have the user's and the agent's, reflections the session's besides, which no switch
    closes.
    """
    assert fact_scopes(switches, session("ana"), "ana", "clerk") == facts
    assert reflection_scopes(switches, session("ana"), "ana", "clerk") == (OWN, *facts)
    assert switches.is_on == bool(facts)


@pytest.mark.covers("ED-6")
def test_where_several_users_talk_no_user_has_a_scope() -> None:
    """Neither to search nor to write; the agent's and the session's stay."""
    assert fact_scopes(Switches(), session("ana", "ben"), "ana", "clerk") == (CLERK,)
    assert reflection_scopes(Switches(), session("ana", "ben"), "ana", "clerk") == (OWN, CLERK)
    assert fact_scopes(Switches(agent_memory=Use.OFF), session("ana", "ben"), "ana", "clerk") == ()


@given(
    st.builds(Switches, user_memory=st.sampled_from(Use), agent_memory=st.sampled_from(Use)),
    st.lists(st.sampled_from(["ana", "ben"])),
    st.sampled_from([None, "ana"]),
    st.sampled_from([None, "clerk"]),
)
def test_facts_never_belong_to_a_session_or_to_nobody(
    switches: Switches, users: list[str], user: str | None, agent: str | None
) -> None:
    """Whatever the switches and whoever takes part: each scope of facts names its user or its
    agent, and no session.
    """
    for scope in fact_scopes(switches, session(*users), user, agent):
        assert scope.session is None
        assert (scope.user is None) != (scope.agent is None)
