"""Calls that agents made to tools, and how the tools fare."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import InvalidInput, NotFound
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.tables.tools import ToolDay
from omoide.write.tool_calls import TEXT_CUT
from tests.fix_memory import ANA, BEN, NINE, NOBODY, on_sqlite, session_of

S = Scope(user="ana", session="s")


@pytest.mark.covers("GM-11", "GM-36")
def test_a_call_is_kept_with_its_outcome(memory: Memory) -> None:
    """Tool, arguments, result or error, duration, session and time; the latest first."""
    good = memory.tool_calls.record(
        "search", S, args={"q": "Rom", "n": 3}, result="two pages", duration_ms=12.6
    )
    memory.clock.move(minutes=1)  # type: ignore[attr-defined]
    bad = memory.tool_calls.record("search", S, args={}, error="timed out")

    assert memory.tool_calls.list("search") == memory.tool_calls.list() == [bad, good]
    assert (good.tool, good.args, good.result, good.error, good.success, good.duration_ms) == (
        "search", '{"q": "Rom", "n": 3}', "two pages", None, True, 13,
    )  # fmt: skip
    assert (bad.success, bad.error, bad.duration_ms, bad.at) == (
        False,
        "timed out",
        None,
        NINE + timedelta(minutes=1),
    )
    assert good.scope == Scope(user="ana", session=session_of("s"))


@pytest.mark.covers("LS-43", "LS-45", "GM-36")
def test_texts_are_cut_at_500_characters(memory: Memory) -> None:
    """Arguments, result and error alike; what is given back is what is stored."""
    call = memory.tool_calls.record(
        "search", args={"q": "x" * 2000}, result="y" * 2000, error="z" * 2000
    )

    (kept,) = memory.tool_calls.list()
    assert kept == call
    assert [len(kept.args), len(kept.result), len(kept.error or "")] == [TEXT_CUT] * 3 == [500] * 3


@pytest.mark.parametrize("text", ["NUL \0", "half \ud83d", "آنا 🍵", 'quote " and \\ back'])
def test_hard_texts_survive(text: str, memory: Memory) -> None:
    """Verbatim, on both engines."""
    memory.tool_calls.record("search", args={"q": text}, result=text, error=text)

    (kept,) = memory.tool_calls.list()
    assert (kept.result, kept.error) == (text, text)


def test_secrets_are_masked_also_where_they_are_cut(memory: Memory) -> None:
    """In arguments, results and errors; half a key is not kept either."""
    key = "sk-proj-" + "a1B2c3D4e5" * 5
    memory.tool_calls.record(
        "call", args={"key": key}, result=f"{'x' * 480} {key}", error=f"denied for {key}"
    )

    (kept,) = memory.tool_calls.list()
    assert key[:20] not in kept.args + kept.result + str(kept.error)


@pytest.mark.covers("GM-91")
def test_of_a_sensitive_call_only_names_are_kept(memory: Memory) -> None:
    """Which arguments it had, not what they were, nor what came back."""
    memory.tool_calls.record(
        "pharmacy", args={"drug": "blue pills", "dose": 2}, result="ordered", sensitive=True
    )

    (kept,) = memory.tool_calls.list()
    assert kept.args == '["dose", "drug"]'
    assert kept.result == ""


def test_arguments_may_be_anything(memory: Memory) -> None:
    """A call is noted even where its arguments are no JSON."""
    memory.tool_calls.record("call", args={"when": NINE, "what": object()})

    assert "2026" in memory.tool_calls.list()[0].args


@on_sqlite
@pytest.mark.parametrize(
    "call",
    [
        {"tool": ""},
        {"tool": "a\0"},
        {"result": 3},
        {"error": b"x"},
        {"duration_ms": -1},
        {"duration_ms": float("nan")},
    ],
)
def test_bad_calls_are_refused(call: dict[str, Any], memory: Memory) -> None:
    """With a typed error; none is kept."""
    tool = call.pop("tool", "search")
    with pytest.raises(InvalidInput):
        memory.tool_calls.record(tool, None, **call)
    with pytest.raises(InvalidInput):
        memory.tool_calls.list(limit=0)
    assert memory.tool_calls.list() == []


@pytest.mark.covers("GM-36", "GM-39")
def test_tools_are_summed_up(memory: Memory, clock: FixedClock) -> None:
    """Calls, success rate, average duration and last error of each, most called first."""
    for error, ms in ((None, 10), ("first", 20), ("second", 30), (None, None)):
        memory.tool_calls.record("search", error=error, duration_ms=ms)
        clock.move(minutes=1)
    memory.tool_calls.record("mail")

    search, mail = memory.tool_calls.summary()
    assert (
        search.tool,
        search.calls,
        search.success_rate,
        search.average_ms,
        search.last_error,
    ) == ("search", 4, 0.5, 20.0, "second")
    assert (mail.tool, mail.calls, mail.success_rate, mail.average_ms, mail.last_error) == (
        "mail",
        1,
        1.0,
        None,
        None,
    )
    assert [c.error for c in memory.tool_calls.list(failed=True)] == ["second", "first"]


@pytest.mark.covers("GM-37", "GM-39")
def test_stats_count_calls_by_day(memory: Memory, clock: FixedClock) -> None:
    """How many tools, calls and errors, and on which day."""
    memory.tool_calls.record("search", error="no")
    clock.move(days=1)
    memory.tool_calls.record("mail")
    memory.tool_calls.record("search")

    stats = memory.stats()
    assert (stats.tools, stats.tool_calls, stats.tool_errors) == (2, 3, 1)
    assert stats.tool_days == {
        "2026-01-05": ToolDay(calls=1, errors=1),
        "2026-01-06": ToolDay(calls=2, errors=0),
    }


@pytest.mark.covers("AD-30", "ED-6")
def test_calls_are_ones_own(memory: Memory) -> None:
    """By user, agent and tenant; those of a shared session are seen from within it only."""
    for scope in (ANA, BEN, NOBODY, Scope(user="ana", agent="a"), Scope(user="ana", tenant="t")):
        memory.tool_calls.record("t", scope, result=repr(scope))
    memory.ingest(
        [Message(text="hi", user="ana"), Message(text="ho", user="ben")], Scope(session="g")
    )
    memory.tool_calls.record("t", Scope(user="ana", session="g"), result="in the group")

    def seen(scope: Scope) -> set[str]:
        return {c.result for c in memory.tool_calls.list(scope=scope)}

    assert seen(ANA) == {repr(ANA), repr(NOBODY)}
    assert seen(BEN) == {repr(BEN), repr(NOBODY)}
    assert seen(Scope(user="ben", session="g")) == {repr(NOBODY), "in the group"}
    assert seen(Scope(user="cy", session="g")) == {repr(NOBODY)}
    assert sum(t.calls for t in memory.tool_calls.summary(BEN)) == 2


def test_calls_are_forgotten_with_their_session_or_user(memory: Memory) -> None:
    """And counted on the receipt."""
    memory.ingest([Message(text="hi")], S)
    memory.tool_calls.record("t", S)
    memory.tool_calls.record("t")
    memory.tool_calls.record("t", BEN)

    with pytest.raises(NotFound):
        memory.users.forget("ana", scope=BEN)
    assert memory.sessions.forget("s").erased["tool_calls"] == 1
    assert memory.users.forget("ana").erased["tool_calls"] == 1
    assert memory.tool_calls.list() == []
    assert len(memory.tool_calls.list(scope=BEN)) == 1
