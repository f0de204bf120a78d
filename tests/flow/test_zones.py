"""A day without a zone is the user's day, at every door, in and out."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from omoide import Details, FixedClock, InvalidInput, Item, Memory, Message, Query, Scope
from omoide.cli import run

Opens = Callable[..., Memory]
ZONES = ("America/Los_Angeles", "Europe/Berlin", "Asia/Tokyo")
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def open_in(tmp_path: Path) -> Opens:
    """Opens a store whose user lives in a zone, at a moment."""

    def opens(zone: str, now: datetime = NOON, **settings: Any) -> Memory:
        return Memory.open(
            str(tmp_path / "memory.db"),
            home=tmp_path,
            embedder="none",
            background=False,
            user="ana",
            zone=zone,
            clock=FixedClock(now),
            **settings,
        )

    return opens


@pytest.fixture
def tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Runs a command of a user who lives in a zone, and gives what it prints."""

    def told(zone: str, *arguments: str) -> str:
        monkeypatch.setenv("OMOIDE_HOME", str(tmp_path))
        monkeypatch.setenv("OMOIDE_USER", "ana")
        monkeypatch.setenv("OMOIDE_ZONE", zone)
        monkeypatch.setenv("OMOIDE_EMBEDDER", "none")
        assert run(list(arguments)) == 0
        return capsys.readouterr().out

    return told


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_given_on_the_command_line_is_shown_as_that_day(
    zone: str, tell: Callable[..., str]
) -> None:
    """What is due on 1 December is due as that day begins where the user is, and shown so."""
    tell(zone, "remember", "Call Rui", "--due", "2036-12-01")
    item = json.loads(tell(zone, "list", "--json"))["items"][0]

    assert datetime.fromisoformat(item["due_at"]) == datetime(2036, 12, 1, tzinfo=ZoneInfo(zone))
    assert item["due_at"].startswith("2036-12-01T00:00")
    assert "2036-12-01 00:00" in tell(zone, "remember", "Call Ana", "--due", "2036-12-01")


@pytest.mark.parametrize("zone", ZONES)
def test_a_shown_day_finds_its_evening(zone: str, open_in: Opens, tell: Callable[..., str]) -> None:
    """--since and --until with the day that was shown find what was said late that day."""
    evening = datetime(2026, 11, 19, 23, 30, tzinfo=ZoneInfo(zone))
    with open_in(zone, evening) as memory:
        memory.ingest([Message(text="The cake is in the oven")])
    found = tell(zone, "recall", "", "--since", "2026-11-19", "--until", "2026-11-19", "--json")

    assert "The cake is in the oven" in found


@pytest.mark.parametrize("zone", ZONES)
def test_yesterday_in_a_question_is_the_users(zone: str, open_in: Opens) -> None:
    """Late in the evening, "today" is the day that the user's clock shows."""
    evening = datetime(2026, 11, 19, 23, 30, tzinfo=ZoneInfo(zone))
    with open_in(zone, evening) as memory:
        for hours, fruit in ((20, "apples"), (30, "pears")):
            said = evening.astimezone(UTC) - timedelta(hours=hours)
            memory.ingest([Message(text=f"We bought {fruit}", at=said)])
        found = memory.recall("what did we buy today?", limit=1).hits

    assert [hit.text for hit in found] == ["We bought apples"]


@pytest.mark.parametrize("zone", ZONES)
def test_a_turn_without_a_time_is_said_on_the_users_clock(zone: str, open_in: Opens) -> None:
    """It keeps the offset of the user, by which "yesterday" in it is read."""
    with open_in(zone) as memory:
        session = memory.ingest([Message(text="The cake was good yesterday")]).session
        at = memory.sessions.turns(session)[0].at

    assert (at, at.utcoffset()) == (NOON, NOON.astimezone(ZoneInfo(zone)).utcoffset())


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_as_text_is_the_users_whole_day(zone: str, open_in: Opens) -> None:
    """Verbs that take times as text read a day where the user is; as an end it takes in the day."""
    place = ZoneInfo(zone)
    with open_in(zone) as memory:
        id = memory.remember("Ana lives in Lisbon").id
        memory.items.edit(id, due_at="2026-12-01", valid_until="2026-12-31")
        item = memory.get(id)
        assert isinstance(item, Item)
        talk = memory.ingest([{"role": "user", "text": "Hello", "at": "2026-11-01"}])
        said = memory.sessions.turns(talk.session)[0].at

    assert item.due_at == datetime(2026, 12, 1, tzinfo=place)
    assert item.valid_until == datetime(2027, 1, 1, tzinfo=place)
    assert said == datetime(2026, 11, 1, tzinfo=place)


def test_a_winter_day_is_read_with_the_offset_of_winter(open_in: Opens) -> None:
    """In summer, a day in December begins by the clock of December."""
    with open_in("Europe/Berlin", datetime(2026, 7, 1, 12, tzinfo=UTC)) as memory:
        id = memory.remember("Call Rui").id
        memory.items.edit(id, due_at="2026-12-01")

        item = memory.get(id)
        assert isinstance(item, Item)
        assert item.due_at == datetime(2026, 11, 30, 23, tzinfo=UTC)


def test_an_unknown_zone_is_refused(open_in: Opens) -> None:
    """The error names the setting and an example."""
    with pytest.raises(InvalidInput, match=r"unknown time zone .* such as"):
        open_in("Mars/Olympus")


@pytest.mark.parametrize("zone", ZONES)
def test_facts_learnt_from_old_talk_are_found_by_its_date(zone: str, open_in: Opens) -> None:
    """since and until mean when something was true, not when it was noted down."""
    march = datetime(2024, 3, 5, 12, tzinfo=UTC)
    with open_in(zone) as memory:
        memory.remember("Ana moved to Lisbon", details=Details(valid_from=march))
        memory.remember("Ana likes tea")
        whole = Query(text="Ana", since=march - timedelta(days=5), until=march + timedelta(days=5))
        found = memory.recall(whole, Scope()).hits

    assert [hit.text for hit in found] == ["Ana moved to Lisbon"]


def test_days_of_statistics_are_the_users(open_in: Opens) -> None:
    """What was said at 23:30 counts for the day that the user's clock showed."""
    evening = datetime(2026, 11, 19, 23, 30, tzinfo=ZoneInfo("America/Los_Angeles"))
    with open_in("America/Los_Angeles", evening) as memory:
        memory.ingest([Message(text="The cake is in the oven")])
        memory.tool_calls.record("oven")

        assert list(memory.stats().days) == ["2026-11-19"]
        assert list(memory.stats().tool_days) == ["2026-11-19"]


@pytest.mark.parametrize("zone", ZONES)
def test_why_not_tells_times_of_the_user(zone: str, open_in: Opens) -> None:
    """As the user's clock shows them."""
    with open_in(zone) as memory:
        id = memory.remember("Ana likes tea").id
        later = Query(text="tea", since=NOON + timedelta(days=1))
        reason = memory.why_not(later, id)

    assert reason.gate == "time"
    assert NOON.astimezone(ZoneInfo(zone)).isoformat() in reason.detail
