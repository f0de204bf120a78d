"""Times and ids."""

from __future__ import annotations

import re
import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.clock import (
    FixedClock,
    SystemClock,
    check_window,
    from_micros,
    in_zone,
    parse_time,
    to_micros,
    zone_named,
)
from omoide.nouns.errors import InvalidTime

ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 30), timezones=ZONES))
def test_a_moment_survives_its_column(moment: datetime) -> None:
    """To microseconds and back, it is the same moment, whatever its offset."""
    assert from_micros(to_micros(moment)) == moment


@pytest.mark.covers("LS-57", "GM-13")
@given(
    st.lists(st.datetimes(datetime(1900, 1, 3), datetime(2200, 1, 1), timezones=ZONES), max_size=6)
)
def test_moments_of_different_offsets_keep_their_order(moments: list[datetime]) -> None:
    """Columns sort as the moments do, not as their texts."""
    assert sorted(moments) == sorted(moments, key=to_micros)


@pytest.mark.covers("GM-13")
def test_a_naive_time_is_refused() -> None:
    """Everywhere a time enters the store."""
    with pytest.raises(InvalidTime, match="no zone"):
        to_micros(datetime(2026, 1, 1))


@pytest.mark.covers("LS-57")
def test_a_date_alone_as_upper_bound_takes_in_its_day() -> None:
    """As a start it is the midnight before, as an end the midnight after."""
    assert parse_time("2026-03-01", zone=UTC) == datetime(2026, 3, 1, tzinfo=UTC)
    assert parse_time("2026-03-01", end_of_day=True, zone=UTC) == datetime(2026, 3, 2, tzinfo=UTC)
    assert parse_time("2026-03-01T10:00Z", end_of_day=True) == datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Europe/Berlin", "Asia/Tokyo"])
def test_a_time_without_offset_is_the_users(zone: str) -> None:
    """A day lasts from midnight to midnight there, and takes in a change of the clock."""
    place = zone_named(zone)
    with in_zone(place):
        start = parse_time("2026-03-29")
        end = parse_time("2026-03-29", end_of_day=True)
        assert (start, end) == (
            datetime(2026, 3, 29, tzinfo=place),
            datetime(2026, 3, 30, tzinfo=place),
        )
        assert parse_time("2026-03-29T18:00") == datetime(2026, 3, 29, 18, tzinfo=place)


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "", "10:00", "2026-02-30"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """With an example of what is one."""
    with pytest.raises(InvalidTime):
        parse_time(text, field="since")


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T09:00+01:00",
        "2026-03-01T08:00:00Z",
        " 2026-03-01T08:00:00.000+00:00 ",
        "20260301T080000Z",
    ],
)
def test_iso_times_with_offset_are_read(text: str) -> None:
    """In every form of the standard that names an offset."""
    assert parse_time(text) == datetime(2026, 3, 1, 8, tzinfo=UTC)


def test_a_window_does_not_end_before_it_starts() -> None:
    """Nor when it starts; open ends are fine."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    check_window(start, None, "until")
    check_window(None, start, "until")
    check_window(start, start + timedelta(microseconds=1), "until")
    with pytest.raises(InvalidTime, match="until"):
        check_window(start, start, "until")


def test_system_ids_are_short_and_in_order() -> None:
    """24 letters and digits, unique and ascending, though many are made in one tick and the clock
    jumps back.
    """
    times = iter([5_000_000_000] * 500 + [4_000_000_000] * 500)
    clock = SystemClock(now=lambda: next(times))

    ids = [clock.new_id() for _ in range(1000)]

    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"[0-9a-hjkmnp-tv-z]{24}", id) for id in ids)


def test_ids_of_many_threads_differ() -> None:
    """No two threads are given the same."""
    clock, ids = SystemClock(), list[str]()
    threads = [
        threading.Thread(target=lambda: ids.extend([clock.new_id() for _ in range(200)]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(ids)) == 1600


def test_a_fixed_clock_moves_when_told() -> None:
    """Forward and back, and counts its ids."""
    clock = FixedClock()
    before = clock.now()
    clock.move(days=2, hours=-1)

    assert clock.now() - before == timedelta(days=1, hours=23)
    assert clock.new_id() < clock.new_id()
    assert SystemClock().now().tzinfo is UTC
