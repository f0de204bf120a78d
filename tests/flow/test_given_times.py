"""Every verb that takes a time takes an aware one, a date, and text, in the user's zone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from omoide import Details, FixedClock, InvalidTime, Item, Listing, Memory, Message, Query

TOKYO = ZoneInfo("Asia/Tokyo")
FRIDAY = datetime(2026, 11, 20, 12, tzinfo=TOKYO)
Given = datetime | date | str
# Thursday, 19 November in Tokyo: as a caller may give it
THURSDAY: tuple[Given, ...] = (
    datetime(2026, 11, 19, tzinfo=TOKYO),
    date(2026, 11, 19),
    "2026-11-19",
    "2026-11-18T15:00Z",
    "yesterday",
)
DAYS = pytest.mark.parametrize("day", THURSDAY[1:3] + THURSDAY[4:], ids=str)
TIMES = pytest.mark.parametrize("time", THURSDAY, ids=str)


@pytest.fixture
def clock() -> FixedClock:
    """Noon of a Friday in Tokyo."""
    return FixedClock(FRIDAY.astimezone(UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Memory]:
    """A memory of a user who lives in Tokyo."""
    with Memory.open(
        str(tmp_path / "memory.db"),
        home=tmp_path,
        embedder="none",
        background=False,
        user="ana",
        zone="Asia/Tokyo",
        capture="hand",
        clock=clock,
    ) as opened:
        yield opened


def _at(clock: FixedClock, hour: datetime) -> None:
    clock.move(seconds=(hour - clock.now()).total_seconds())


@pytest.fixture
def late_and_early(memory: Memory, clock: FixedClock) -> Memory:
    """Recorded in the last minutes of Wednesday, of Thursday, and in the first of Friday."""
    for day, hour, text in ((18, 23, "apples"), (19, 23, "pears"), (20, 0, "plums")):
        _at(clock, datetime(2026, 11, day, hour, 30, tzinfo=TOKYO))
        memory.remember(f"Ana bought {text}")
        memory.ingest([Message(text=f"I bought {text}", user="ana")])
    _at(clock, FRIDAY)
    return memory


@DAYS
def test_a_day_is_whole_at_both_ends_of_a_query_and_a_listing(
    day: Given, late_and_early: Memory
) -> None:
    """From its first minute to its last, by the user's clock."""
    found = late_and_early.recall(Query(since=day, until=day)).hits
    listed = late_and_early.items.list(Listing(since=day, until=day)).items

    assert {hit.text for hit in found} == {"Ana bought pears", "I bought pears"}
    assert [item.text for item in listed] == ["Ana bought pears"]


@DAYS
def test_a_day_is_whole_at_both_ends_of_a_diff_and_an_export(
    day: Given, late_and_early: Memory, tmp_path: Path
) -> None:
    """What was recorded in it, and nothing of the days beside it."""
    differs = late_and_early.diff(day, day)
    path = tmp_path / "day.jsonl"
    late_and_early.admin.export(path, recorded_since=day, recorded_until=day)

    assert [item.text for item in differs.added] == ["Ana bought pears"]
    texts = {json.loads(line).get("text") for line in path.read_text("utf-8").splitlines()}
    assert "Ana bought pears" in texts
    assert "Ana bought plums" not in texts


def test_an_instant_as_an_end_is_exclusive(late_and_early: Memory) -> None:
    """A time of day as text, and an aware time, end just before themselves."""
    for end in ("2026-11-19T23:30", datetime(2026, 11, 19, 23, 30, tzinfo=TOKYO)):
        listed = late_and_early.items.list(Listing(until=end)).items
        assert [item.text for item in listed] == ["Ana bought apples"]


@TIMES
def test_turns_and_sessions_are_listed_since_a_time(time: Given, late_and_early: Memory) -> None:
    """From that moment on, of all sessions."""
    turns = late_and_early.sessions.turns(since=time)
    queued = late_and_early.sessions.catch_up(recorded_since=time, preview=True)

    assert [turn.text for turn in turns] == ["I bought pears", "I bought plums"]
    assert len(queued) == 2


@TIMES
def test_a_correction_and_a_look_back_take_a_time(
    time: Given, memory: Memory, clock: FixedClock
) -> None:
    """What was true, and known, before the correction and after it."""
    _at(clock, datetime(2026, 11, 1, tzinfo=TOKYO))
    old = memory.remember("Ana lives in Lisbon")
    _at(clock, FRIDAY)
    new = memory.correct(old.id, "Ana lives in Porto", at=time).item

    assert new.valid_from == THURSDAY[0]
    then, before = memory.get(old.id, as_of=time), memory.get(old.id, as_of="2026-11-18")
    assert isinstance(then, Item)
    assert isinstance(before, Item)
    assert (then.text, before.text) == ("Ana lives in Porto", "Ana lives in Lisbon")
    known = memory.get(new.id, known_at=time)
    assert isinstance(known, Item)
    assert known.text == "Ana lives in Lisbon"
    asked = Query(text="Where does Ana live?", as_of="2026-11-18")
    assert [hit.text for hit in memory.recall(asked)] == ["Ana lives in Lisbon"]
    learnt = Query(text="Where does Ana live?", known_at=time)
    assert "Lisbon" in memory.context(learnt).text


def test_details_and_what_is_due_take_times(memory: Memory) -> None:
    """A date, or text, in the user's zone; an end takes in its day, as in an edit."""
    item = memory.remember(
        "Ana has a pass",
        due_at="tomorrow",
        details=Details(
            valid_from=date(2026, 11, 1), valid_until=date(2026, 12, 31), expires_at="2026-12-31"
        ),
    ).item

    assert item.due_at == datetime(2026, 11, 21, tzinfo=TOKYO)
    assert item.valid_from == datetime(2026, 11, 1, tzinfo=TOKYO)
    new_year = datetime(2027, 1, 1, tzinfo=TOKYO)
    assert (item.valid_until, item.expires_at) == (new_year, new_year)
    assert memory.items.edit(item.id, due_at=date(2026, 12, 1)).due_at == datetime(
        2026, 12, 1, tzinfo=TOKYO
    )


@pytest.mark.parametrize("given", ["some day", "", "2026-13-01", datetime(2026, 1, 1), 5])
def test_what_is_no_time_is_refused_by_its_name(given: str, memory: Memory) -> None:
    """In arguments and in fields of records."""
    id = memory.remember("Ana likes tea").id
    for call in (
        lambda: memory.get(id, as_of=given),
        lambda: memory.recall(Query(as_of=given)),
    ):
        with pytest.raises(ValueError, match="as_of"):
            call()
    with pytest.raises(ValueError, match="until"):
        memory.items.list(Listing(until=given))
    with pytest.raises(ValueError, match="recorded_since"):
        memory.diff(given)


def test_a_day_after_the_last_is_refused(memory: Memory) -> None:
    """A day as an end has to end within the years that there are."""
    with pytest.raises(InvalidTime, match="until"):
        memory.items.list(Listing(until=date.max))
    with pytest.raises(InvalidTime, match="which is over"):
        memory.remember("Call Rui", due_at="yesterday")
