"""A model's proposal held against the turns it is said to come from."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from omoide.records import Role, SessionId, Tier, Turn, TurnId
from omoide.write.ground import Claim, Flag, Grounded, ground

NOON = datetime(2024, 5, 8, 12, tzinfo=timezone(timedelta(hours=2)))  # a Wednesday


def turn(text: str, position: int = 0, role: Role = Role.USER, speaker: str = "Ana", user: str | None = "ana") -> Turn:
    """What Ana says, unless told otherwise."""
    of_user = user if role is Role.USER else None
    return Turn(
        id=TurnId(f"s#{position}"),
        session=SessionId("s"),
        position=position,
        role=role,
        speaker=speaker,
        user=of_user,
        text=text,
        at=NOON,
        recorded_at=NOON,
    )


def judged(text: str, quote: str, *turns: Turn, named: tuple[int, ...] = (0,)) -> Grounded:
    """A claim of Ana's memory, from these turns or from one that is its quote."""
    return ground(Claim(text=text, quote=quote, turns=named), turns or (turn(quote),), user="ana")


def test_what_was_said_passes() -> None:
    """A claim that says what its quote says has no flag, and is the user's word."""
    found = judged("Ana lives in Berlin with 2 cats", "I live in Berlin with my two cats")

    assert found.flags == frozenset()
    assert found.tier is Tier.USER
    assert found.span == (0, 33)


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("Ana lives in Munich", Flag.NAME),
        ("Ben lives in Berlin", Flag.NAME),
        ("Ana lives in Berlin with 3 cats", Flag.NUMBER),
        ("Ana does not live in Berlin", Flag.NEGATION),
        ("Ana has lived in Berlin since 12 March 2019", Flag.DATE),
        ("Ana lived in Berlin last week", Flag.RELATIVE_DATE),
        ("Ana, ana@example.org, lives in Berlin", Flag.ADDRESS),
        ("Ana enjoys climbing mountains", Flag.UNSUPPORTED),
    ],
)
def test_what_was_not_said_is_flagged(text: str, flag: Flag) -> None:
    """Each kind of invention has its flag."""
    assert flag in judged(text, "I live in Berlin with my two cats").flags
