"""Schedules: the times that five fields name, in a zone whose clocks go forward and back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from omoide.settings.schedules import next_time

BERLIN = ZoneInfo("Europe/Berlin")


def times(schedule: str, after: datetime, count: int) -> list[str]:
    """The next local times, with their offsets."""
    found = []
    for _ in range(count):
        after = next_time(schedule, "Europe/Berlin", after)
        assert after.tzinfo is UTC
        found.append(after.astimezone(BERLIN).isoformat(timespec="minutes"))
    return found


def test_a_time_that_is_left_out_comes_right_after_the_gap() -> None:
    """On the night in which clocks go from two to three."""
    assert times("30 2 * * *", datetime(2026, 3, 28, 0, 0, tzinfo=UTC), 3) == [
        "2026-03-28T02:30+01:00",
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
    ]


def test_a_time_that_comes_twice_is_taken_once() -> None:
    """On the night in which clocks go from three back to two: the first of both."""
    assert times("30 2 * * *", datetime(2026, 10, 24, 12, 0, tzinfo=UTC), 2) == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_every_hour_is_every_hour() -> None:
    """Also in those nights: once each real hour."""
    for start in (
        datetime(2026, 3, 28, 12, 0, tzinfo=UTC),
        datetime(2026, 10, 24, 12, 0, tzinfo=UTC),
    ):
        moments = [start]
        for _ in range(30):
            moments.append(next_time("0 * * * *", "Europe/Berlin", moments[-1]))
        assert {b - a for a, b in pairwise(moments)} == {timedelta(hours=1)}


@given(
    moment=st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),
    zone=st.sampled_from(
        ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"]
    ),
    schedule=st.sampled_from(
        ["30 3 * * *", "*/15 * * * *", "0 2 * * 0", "30 1 1 * *", "15 2,3 * * 1-5"]
    ),
)
def test_the_next_time_is_always_later(moment: datetime, zone: str, schedule: str) -> None:
    """Whatever the clocks do, so that no schedule runs in a circle; and within a little over a
    month.
    """
    assert moment < next_time(schedule, zone, moment) <= moment + timedelta(days=32)
