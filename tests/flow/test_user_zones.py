"""The time zone belongs to a user: the user's record, else the setting, else the machine's."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from omoide import (
    FixedClock,
    Forbidden,
    InvalidInput,
    Memory,
    Message,
    NotFound,
    Query,
    Scope,
)
from omoide.agent import memory_tools
from omoide.cli import run
from omoide.context.result import StrategyName
from omoide.learning.teaching import Teaching
from omoide.models.chat.asker import Asker
from omoide.models.chat.scripted import ScriptedModel
from omoide.nouns.item import Details
from omoide.settings.triggers import Triggers
from tests.fix_memory import ANA, BEN

HOME = ZoneInfo("America/Los_Angeles")
EVENING = datetime(2026, 11, 19, 21, 30, tzinfo=HOME)  # the next day in UTC and in Berlin

NEXT_DAY = EVENING + timedelta(days=1)


@pytest.fixture
def ana(open_memory: Callable[..., Memory]) -> Memory:
    """A memory of Ana, who lives in Los Angeles, in a store whose other users do not."""
    memory = open_memory(clock=FixedClock(EVENING.astimezone(UTC)), scope=Scope())
    memory.users.edit("ana", zone="America/Los_Angeles")
    return memory


def test_what_is_set_for_a_user_is_given_back(ana: Memory) -> None:
    """With when it was set; nothing is set for anybody else."""
    assert (ana.users.get("ana").zone, ana.users.get("ana").changed_at) == (
        "America/Los_Angeles",
        EVENING,
    )
    assert (ana.users.get("ben").zone, ana.users.get("ben").changed_at) == ("", None)


def test_a_day_is_that_of_the_user_who_is_meant(ana: Memory) -> None:
    """One call is Ana's and another Ben's, in one program."""
    due = [ana.remember("Call Rui", who, due_at="2036-12-01").item.due_at for who in (ANA, BEN)]

    assert due[0] == datetime(2036, 12, 1, tzinfo=HOME)
    assert due[1] != due[0]


def test_a_shown_day_finds_the_users_evening(ana: Memory) -> None:
    """A model that names the day finds what was said that evening, and no other day does."""
    mine = ana.at(user="ana")
    mine.ingest([Message(text="The cake is in the oven")])
    search = memory_tools(mine)["search_past_conversations"]

    def found(day: str) -> str:
        return str(search.run({"query": "cake", "time_from": day, "time_to": day}))

    assert ["oven" in found(f"2026-11-{day}") for day in (18, 19, 20)] == [False, True, False]
    assert "2026-11-19T21:30" in found("2026-11-19")


def test_the_setting_counts_again_once_the_zone_is_taken_away(tmp_path: Path) -> None:
    """As it did before one was set."""
    with Memory.open(
        str(tmp_path / "m.db"),
        home=tmp_path,
        embedder="none",
        background=False,
        user="ana",
        zone="Asia/Tokyo",
    ) as memory:

        def due() -> datetime | None:
            return memory.remember("Call Rui", due_at="2036-12-01").item.due_at

        assert due() == datetime(2036, 12, 1, tzinfo=ZoneInfo("Asia/Tokyo"))
        memory.users.edit("ana", zone="America/Los_Angeles")
        memory.forget(memory.items.list().items[0].id)
        assert due() == datetime(2036, 12, 1, tzinfo=HOME)
        memory.users.edit("ana", zone="")
        memory.forget(memory.items.list().items[0].id)
        assert due() == datetime(2036, 12, 1, tzinfo=ZoneInfo("Asia/Tokyo"))


def test_a_user_sets_their_own_zone_alone(ana: Memory) -> None:
    """Another's is neither set nor seen, and no zone is one that there is not."""
    with pytest.raises(Forbidden):
        ana.at(user="ben").users.edit("ana", zone="Asia/Tokyo")
    with pytest.raises(NotFound):
        ana.at(user="ben").users.get("ana")
    with pytest.raises(InvalidInput):
        ana.users.edit("ana", zone="Mars/Olympus")
    assert ana.users.get("ana").zone == "America/Los_Angeles"


def test_merging_users_passes_the_zone_on(ana: Memory) -> None:
    """To the one that stays, unless they have their own; at once."""
    users = ana.at(shared=True).users
    users.link("sms", "1", "phone")
    users.edit("phone", zone="Asia/Tokyo")
    users.edit("ben", zone="Europe/Berlin")

    users.merge("phone", "cleo")
    users.link("sms", "2", "phone")
    users.merge("phone", "ben")

    assert (users.get("cleo").zone, users.get("ben").zone) == ("Asia/Tokyo", "Europe/Berlin")


def test_forgetting_a_user_erases_what_is_set(ana: Memory) -> None:
    """Of that user, and the receipt counts it."""
    ana.users.edit("ben", zone="Asia/Tokyo")

    assert ana.users.forget("ana").erased["users"] == 1
    assert (ana.users.get("ana").zone, ana.users.get("ben").zone) == ("", "Asia/Tokyo")


def test_the_zone_goes_with_an_archive(ana: Memory, tmp_path: Path) -> None:
    """What is set where it is loaded stays."""
    ana.users.edit("ben", zone="Asia/Tokyo")
    ana.admin.export(tmp_path / "all.jsonl", everything=True)
    with Memory.open(str(tmp_path / "new.db"), embedder="none", background=False) as new:
        new.users.edit("ben", zone="Europe/Berlin")
        new.admin.load(tmp_path / "all.jsonl", everything=True)
        assert (new.users.get("ana").zone, new.users.get("ben").zone) == (
            "America/Los_Angeles",
            "Europe/Berlin",
        )


def test_a_zone_that_comes_or_goes_counts_at_once(ana: Memory, tmp_path: Path) -> None:
    """Whichever verb brought it or took it: loading an archive, erasing all of a user."""
    ana.admin.export(tmp_path / "all.jsonl", everything=True)
    with Memory.open(str(tmp_path / "new.db"), embedder="none", background=False) as new:
        before = new.zone(ANA)
        new.admin.load(tmp_path / "all.jsonl", everything=True)
        assert str(new.zone(ANA)) == "America/Los_Angeles"
        new.remember("Ana likes cake", ANA)
        new.admin.erase("all", ANA)
        assert new.users.get("ana").zone == ""
        assert new.zone(ANA) == before


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        ("America/Los_Angeles", datetime.min.replace(tzinfo=UTC)),
        ("Pacific/Kiritimati", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_a_time_that_the_users_calendar_does_not_reach_is_shown_in_utc(
    ana: Memory, zone: str, at: datetime
) -> None:
    """Year 1 begins in the year before it there, and year 9999 ends in the one after."""
    ana.users.edit("ana", zone=zone)
    talk = Scope(user="ana", session="s")
    (turn,) = ana.ingest([Message(text="I bake a cake", at=at)], talk).turns
    details = Details(valid_from=at if at.year == 1 else None)
    item = ana.remember("The cake is in the oven", ANA, due_at=at, details=details)

    strategies = list(get_args(StrategyName))
    shown = [ana.context("cake", ANA, strategy=one).strategy for one in strategies]
    assert shown == strategies
    told = ana.why_not(Query(text="cake", since=EVENING, until=NEXT_DAY), turn, ANA)
    assert (told.gate, f"{at.year:04}-" in told.detail) == ("time", True)
    due = [one.id for one in ana.due(timedelta(0), ANA)]
    assert due == ([item.id] if at < EVENING else [])


def test_the_context_tells_the_users_time(ana: Memory) -> None:
    """A model that is given it knows the user's day."""
    assert "Now: 2026-11-19 Thursday 21:30 -0800" in ana.context("cake", ANA).text


def test_why_not_tells_the_users_day(ana: Memory) -> None:
    """Not that of UTC."""
    item = ana.remember("The cake is in the oven", ANA).item
    asked = Query(text="cake", until=EVENING - timedelta(days=1))

    assert "2026-11-19T21:30:00-08:00" in ana.why_not(asked, item.id, ANA).detail


def test_a_tool_of_a_model_reads_and_shows_the_users_day(ana: Memory) -> None:
    """Both ways."""
    mine = ana.at(user="ana")
    said = memory_tools(mine)["remember"].run({"fact": "Call Rui", "due_at": "2036-12-01"})

    assert said["status"] != "error", said
    assert mine.items.list().items[0].due_at == datetime(2036, 12, 1, tzinfo=HOME)


def test_the_command_line_takes_the_zone_of_its_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In what is typed and in what is shown, without a setting."""

    def told(*arguments: str) -> str:
        assert run(list(arguments)) == 0
        return capsys.readouterr().out

    for name, value in (("HOME", str(tmp_path)), ("USER", "ana"), ("EMBEDDER", "none")):
        monkeypatch.setenv(f"OMOIDE_{name}", value)
    assert "America/Los_Angeles" in told("users", "edit", "ana", "--zone", "America/Los_Angeles")
    assert "America/Los_Angeles" in told("users", "get", "ana")
    assert "due 2036-12-01 00:00" in told("remember", "Call Rui", "--due", "2036-12-01")
    item = json.loads(told("list", "--json"))["items"][0]

    assert item["due_at"] == "2036-12-01T00:00:00-08:00"
    assert "2036-12-02 00:00" in told("items", "edit", item["id"], "due_at=2036-12-02")


@pytest.mark.parametrize("by", ["verb", "worker"])
def test_a_model_is_told_the_users_days(
    ana: Memory, open_memory: Callable[..., Memory], by: str
) -> None:
    """Of talk that was told in UTC, whether it learns at once or later."""
    model = ScriptedModel(lambda ask: {"items": []})
    clock = FixedClock(EVENING.astimezone(UTC))
    taught = open_memory(clock=clock, teaching=Teaching(asker=Asker(model)))
    said = Message(text="I can't eat peanuts", at=EVENING.astimezone(UTC))
    taught.ingest([said], Scope(user="ana", session="s1"))
    if by == "verb":
        taught.sessions.extract("s1", ANA)
    else:
        clock.move(hours=3)
        taught.upkeep.work()

    assert any("2026-11-19 Thursday 21:30 -0800" in ask.text for ask in model.asked)
    assert not any("2026-11-20" in ask.text for ask in model.asked)


def test_old_talk_that_was_stored_today_is_caught_up_with(
    open_memory: Callable[..., Memory],
) -> None:
    """Since it asks for what was recorded from a time on, whenever that was said."""
    memory = open_memory(clock=FixedClock(EVENING), teaching=Teaching(triggers=Triggers()))
    old = Message(text="The cake is in the oven", at=EVENING - timedelta(days=400))
    memory.ingest([old], Scope(user="ana", session="old"))

    def found(since: datetime) -> list[str]:
        caught = memory.sessions.catch_up(recorded_since=since, preview=True)
        return [one.session.name for one in caught]

    assert found(EVENING - timedelta(days=1)) == ["old"]
    assert found(EVENING + timedelta(days=1)) == []
