"""When a session is learnt from: a setting read into a policy, and the policy applied. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from omoide.nouns.errors import InvalidInput
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.turn import Role, Turn
from omoide.settings.triggers import (
    DEFAULT_TRIGGERS,
    Triggers,
    Waiting,
    due_at,
    read_triggers,
    weight_of,
)

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
HALF_AN_HOUR = timedelta(minutes=30)


def waiting(
    turns: int = 1, *, weight: int = 0, words: int = 0, last_at: datetime = NOON
) -> Waiting:
    """What nothing was learnt from yet."""
    return Waiting(turns=turns, weight=weight, words=words, last_at=last_at)


@pytest.mark.parametrize(
    ("setting", "policy"),
    [
        ("hand", Triggers()),
        ("turn", Triggers(turn=True)),
        ("turn=20,idle=1h", Triggers(turn=True, words=20, idle=timedelta(hours=1))),
        ("idle", Triggers(idle=HALF_AN_HOUR)),
        ("idle=90s", Triggers(idle=timedelta(seconds=90))),
        (" idle=2h , messages=10 ", Triggers(idle=timedelta(hours=2), messages=10)),
        (DEFAULT_TRIGGERS, Triggers(idle=HALF_AN_HOUR, messages=45, tokens=1500)),
    ],
)
def test_a_setting_is_read(setting: str, policy: Triggers) -> None:
    """Each trigger by its name, with its number or time."""
    assert read_triggers(setting) == policy


@pytest.mark.parametrize(
    "setting",
    [
        "",
        "never",
        "idle=5",
        "idle=x",
        "messages",
        "messages=0",
        "tokens=-1",
        "turn=0",
        "hand,turn",
        "idle=9999999d",
        "messages=9999999999",
    ],
)
def test_what_is_no_trigger_is_refused(setting: str) -> None:
    """With the triggers that there are."""
    with pytest.raises(InvalidInput, match="capture"):
        read_triggers(setting)


@pytest.mark.covers("ED-17")
@pytest.mark.parametrize(("turns", "due"), [(3, None), (44, None), (45, NOON), (60, NOON)])
def test_so_many_messages_make_it_due(turns: int, due: datetime | None) -> None:
    """At the number, not before."""
    assert due_at(Triggers(messages=45), waiting(turns), NOON) == due


@pytest.mark.covers("ED-17")
@pytest.mark.parametrize(
    ("turns", "weight", "due"), [(4, 67_499, None), (4, 67_500, NOON), (3, 99_999, None)]
)
def test_so_many_tokens_make_it_due_but_never_under_four_messages(
    turns: int, weight: int, due: datetime | None
) -> None:
    """1,500 tokens are 67,500 tenths of a weighted character."""
    assert due_at(Triggers(tokens=1500), waiting(turns, weight=weight), NOON) == due


@pytest.mark.covers("ED-18")
def test_a_persons_words_weigh_most() -> None:
    """A character of a person counts in full, of a tool or system by half, of an assistant by a
    fifth.
    """

    def turn(role: Role) -> Turn:
        id, session = TurnId("s#0"), SessionId("s")
        return Turn(
            id=id,
            session=session,
            position=0,
            role=role,
            speaker="x",
            user=None,
            text="x" * 10,
            at=NOON,
            recorded_at=NOON,
        )

    weights = [
        weight_of([turn(role)]) for role in (Role.USER, Role.TOOL, Role.SYSTEM, Role.ASSISTANT)
    ]
    assert weights == [100, 50, 50, 20]


@pytest.mark.covers("CX-5")
@pytest.mark.parametrize(
    ("words", "due"), [(5, NOON), (4, NOON + HALF_AN_HOUR), (0, NOON + HALF_AN_HOUR)]
)
def test_every_turn_of_five_words_is_due_at_once_and_shorter_ones_when_idle(
    words: int, due: datetime
) -> None:
    """Short words are not lost: they are learnt with what follows, or half an hour later."""
    assert due_at(Triggers(turn=True), waiting(words=words), NOON) == due


@pytest.mark.covers("AD-16")
def test_idle_counts_from_the_last_turn() -> None:
    """One that went idle long ago is due already; a clock that is ahead makes nobody wait
    longer.
    """
    long_ago, ahead = NOON - timedelta(days=3), NOON + timedelta(days=1)
    policy = Triggers(idle=HALF_AN_HOUR)
    assert due_at(policy, waiting(last_at=long_ago), NOON) == long_ago + HALF_AN_HOUR
    assert due_at(policy, waiting(last_at=ahead), NOON) == NOON + HALF_AN_HOUR


@pytest.mark.parametrize("setting", ["idle=0m", "turn,idle=0s"])
def test_no_time_of_idleness_is_due_at_the_last_turn(setting: str) -> None:
    """Which is not the same as never, nor as half an hour."""
    assert due_at(read_triggers(setting), waiting(), NOON) == NOON


def test_by_hand_nothing_is_due() -> None:
    """However much waits."""
    assert due_at(read_triggers("hand"), waiting(1000, weight=10**9, words=50), NOON) is None


@pytest.mark.covers("CX-5")
@pytest.mark.parametrize(("words", "due"), [(19, NOON + timedelta(minutes=30)), (20, NOON)])
def test_how_many_words_make_a_turn_due_can_be_set(words: int, due: datetime) -> None:
    """Five, if nothing is said."""
    assert due_at(read_triggers("turn=20"), waiting(words=words), NOON) == due
