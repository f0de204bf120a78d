"""What language models are called for is noted in the store: whose, what for, how it ended, what it
took.
"""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from omoide.exchange.migrate_store import move_store
from omoide.learning.budget import StoreBooks, midnight
from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Completion, Purpose
from omoide.models.chat.scripted import ScriptedAnswer, ScriptedModel
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import (
    InvalidInput,
    ModelMissing,
    ModelUnreachable,
    PriceUnknown,
    SpendLimit,
    TokenLimit,
)
from omoide.nouns.scope import Scope
from omoide.settings.config import load_config
from omoide.settings.prices import read_prices
from omoide.settings.retention import read_retention
from omoide.store import open_store
from omoide.store.base import Store
from omoide.tables.calls import ModelCalls
from omoide.telemetry.model_calls import ModelCall, ModelUse, paid_by
from tests.fix_logs import logged
from tests.fix_memory import ANA, NINE, OpenMemory, on_sqlite, session_of
from tests.fix_teaching import Taught, note, say, says

CALL = ModelCall(
    purpose="extract", model="m", input_tokens=100, output_tokens=20, cost_usd=0.25, seconds=2.0
)


def uses(store: Store, tenant: str = "default", since: datetime = NINE) -> list[ModelUse]:
    """What a tenant's calls add up to."""
    with store.transaction(tenant=None, write=False) as tx:
        return ModelCalls(tx).uses(tenant, since)


def today(store: Store, clock: FixedClock) -> tuple[float, int]:
    """What was spent since the day began."""
    with store.transaction(tenant=None, write=False) as tx:
        return ModelCalls(tx).spent(midnight(clock.now()))


@pytest.fixture
def books(store: Store, clock: FixedClock) -> StoreBooks:
    """Books of a store with a dollar a day."""
    return StoreBooks(store, clock, tenant="default", limit_usd=1.0)


@pytest.mark.covers("LS-80")
def test_calls_add_up_by_purpose_and_model(store: Store, books: StoreBooks) -> None:
    """With those that failed, and with the price of those whose price is known."""
    for call in (
        CALL,
        ModelCall(purpose="extract", model="m", outcome="ModelMissing"),
        ModelCall(purpose="decide", model="m"),
    ):
        books.note(call)

    assert uses(store) == [
        ModelUse(
            purpose="extract",
            model="m",
            calls=2,
            failures=1,
            input_tokens=100,
            output_tokens=20,
            cost_usd=0.25,
            mean_seconds=1.0,
        ),
        ModelUse(
            purpose="decide",
            model="m",
            calls=1,
            failures=0,
            input_tokens=0,
            output_tokens=0,
            cost_usd=None,
            mean_seconds=0.0,
        ),
    ]


def test_calls_are_of_the_tenant_that_they_are_made_for(store: Store, books: StoreBooks) -> None:
    """And of the memory's own where nobody says so. No tenant sees another's."""
    with paid_by("acme"):
        books.note(CALL)
    books.note(CALL)
    books.note(CALL)

    assert [
        sum(use.calls for use in uses(store, tenant)) for tenant in ("acme", "default", "other")
    ] == [1, 2, 0]


def test_a_price_is_kept_to_the_millionth(store: Store, books: StoreBooks) -> None:
    """A call of a small model costs less than a thousandth of a cent."""
    books.note(ModelCall(purpose="extract", model="m", cost_usd=0.0000034))

    assert [use.cost_usd for use in uses(store)] == [0.000003]


def test_spending_stops_for_the_day_and_goes_on_the_next(
    books: StoreBooks, clock: FixedClock
) -> None:
    """A day is one of UTC, and what all tenants spend counts."""
    for tenant in ("acme", "globex", "acme", "globex"):
        books.check("m", priced=True)
        with paid_by(tenant):
            books.note(CALL)

    with pytest.raises(SpendLimit) as caught:
        books.check("m", priced=True)
    assert (caught.value.spent_usd, caught.value.limit_usd, caught.value.until) == (
        1.0,
        1.0,
        datetime(2026, 1, 6, tzinfo=UTC),
    )
    clock.move(hours=15)
    books.check("m", priced=True)


def test_without_a_limit_nothing_stops(store: Store, clock: FixedClock) -> None:
    """Zero is none."""
    books = StoreBooks(store, clock, tenant="default")
    books.note(ModelCall(purpose="extract", model="m", cost_usd=1_000_000.0, input_tokens=10**9))

    books.check("m", priced=False)


def test_tokens_may_be_limited_too(store: Store, clock: FixedClock) -> None:
    """Those read and those written, of all tenants; whatever they cost."""
    books = StoreBooks(store, clock, tenant="default", limit_tokens=240)
    for tenant in ("acme", "globex"):
        books.check("m", priced=False)
        with paid_by(tenant):
            books.note(CALL)

    with pytest.raises(TokenLimit, match=r"240 of 240; more from 2026-01-06 00:00 UTC"):
        books.check("m", priced=False)
    clock.move(hours=15)
    books.check("m", priced=False)


def test_where_money_is_limited_a_model_of_unknown_price_is_not_called(
    books: StoreBooks, clock: FixedClock
) -> None:
    """It would never meet the limit. The error says what to do, and the log so once a day."""
    with logged("WARNING") as log:
        for _ in range(3):
            with pytest.raises(
                PriceUnknown, match=r"m=READ/WRITTEN to the setting prices"
            ) as caught:
                books.check("m", priced=False)

    assert caught.value.until == clock.now() + timedelta(hours=1)
    assert log.getvalue().count("no price is known for m") == 1


def test_old_calls_are_let_go_of_by_a_round(memory: Memory, clock: FixedClock) -> None:
    """Also where no model is called any more; what is younger than `calls_for` stays, and what
    today took is counted as before.
    """
    books = StoreBooks(memory.store, clock, tenant="default", limit_tokens=10**9)
    memory.remember("Ana has a cat")
    for days in (0, 1, 300):
        clock.move(days=days)
        books.note(CALL)
    clock.move(days=99, hours=1)  # the first was made 400 days and an hour ago
    books.note(CALL)
    spent = today(memory.store, clock)

    done = memory.admin.tidy(only=["prune"])

    assert done.count("prune", "erased") == 1
    assert sum(use.calls for use in uses(memory.store)) == 3
    assert today(memory.store, clock) == spent
    assert spent[1] > 0


def test_how_long_calls_are_kept_is_a_setting() -> None:
    """No shorter than what stats add up, of which today is a part."""
    assert read_retention("").calls_for == timedelta(days=400)
    assert read_retention("", calls_for="31d").calls_for == timedelta(days=31)
    for wrong in ("30d", "0d", "long"):
        with pytest.raises(InvalidInput, match="calls_for"):
            load_config(environment={"OMOIDE_CALLS_FOR": wrong})


def test_a_store_that_is_gone_loses_the_note_and_not_the_answer(
    store: Store, clock: FixedClock
) -> None:
    """A call was made, and what it brought is of use."""
    books = StoreBooks(store, clock, tenant="default")
    asker = Asker(ScriptedModel([{"n": 3}]), books=books)
    store.close()

    assert asker.ask(Purpose.EXTRACT, "", "", lambda said: said) == {"n": 3}


@pytest.mark.covers("LS-80")
def test_stats_show_what_models_were_called_for(taught: Taught) -> None:
    """Those of the last days; the failed ones counted."""
    memory = taught(says(note("Ana has a cat")), "not JSON", "not JSON")
    say(memory, "Ana has a cat")
    memory.sessions.extract("talk")
    say(memory, "Ana has two cats")
    memory.clock.move(hours=1)  # type: ignore[attr-defined]
    memory.upkeep.work()

    (use,) = (use for use in memory.stats().models if use.purpose == "extract")
    assert (use.calls, use.failures, use.model) == (3, 2, "scripted")
    memory.clock.move(days=40)  # type: ignore[attr-defined]
    assert memory.stats().models == ()


@pytest.mark.covers("ED-22")
def test_a_run_is_told_in_one_line(taught: Taught, log: io.StringIO) -> None:
    """Where, how much of what, and how long it took; none of what was said, nor of what a preview
    tells.
    """

    def slow(ask: Ask) -> ScriptedAnswer:
        memory.clock.move(seconds=3)  # type: ignore[attr-defined]
        return says(note("Ana has a cat"))

    memory = taught(script={Purpose.EXTRACT: slow})
    say(memory, "Ana has a cat")
    memory.sessions.extract("talk", preview=True)
    memory.sessions.extract("talk")

    (line,) = (line for line in log.getvalue().splitlines() if "learnt from a session" in line)
    told = json.loads(line)
    assert (told["session"], told["user"], told["seconds"], told["added"]) == (
        session_of("talk"),
        "ana",
        3.0,
        1,
    )
    assert "cat" not in line


def test_calls_of_a_job_are_of_its_tenant(taught: Taught) -> None:
    """Whoever's memory the worker is of."""
    memory = taught(says())
    say(memory, "I have a cat", scope=Scope(tenant="acme", user="ana", session="talk"))
    memory.clock.move(days=1)  # type: ignore[attr-defined]

    memory.upkeep.work()

    assert [use.calls for use in uses(memory.store, "acme")] == [1]
    assert uses(memory.store) == []


def test_at_the_limit_learning_waits_for_the_next_day(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Nothing is lost, and no failure is counted."""

    class Dear:
        id, is_priced = "dear", True

        def answer(self, ask: Ask) -> Completion:
            """Nothing, for two dollars."""
            return Completion(text='{"items": []}', model=self.id, cost_usd=2.0)

    memory = open_memory(teaching=Teaching(asker=Asker(Dear()), spend_limit=1.0))
    for session in ("one", "two"):
        say(memory, "I have a cat", scope=Scope(user="ana", session=session))
    clock.move(hours=1)
    memory.upkeep.work()

    (waiting,) = memory.jobs.list()
    assert (waiting.failures, waiting.run_at) == (0, datetime(2026, 1, 6, tzinfo=UTC))
    clock.move(hours=15)
    memory.upkeep.work()
    assert memory.jobs.list() == []


def test_work_waits_for_a_price_and_says_so(open_memory: OpenMemory, clock: FixedClock) -> None:
    """In its job, without a failure, and by doctor; with a price in the settings it is done, and
    counts for the limit.
    """
    model = ScriptedModel(lambda ask: {"items": []}, id="mine")
    memory = open_memory(teaching=Teaching(asker=Asker(model), spend_limit=0.001))
    say(memory, "I have a cat")
    clock.move(hours=1)
    memory.upkeep.work()

    (waiting,) = memory.jobs.list()
    assert (model.asked, waiting.failures, waiting.run_at) == (
        [],
        0,
        clock.now() + timedelta(hours=1),
    )
    assert "no price is known for mine" in waiting.error
    assert ["no price is known for mine" in found.problem for found in memory.admin.doctor()] == [
        True
    ]

    told = Asker(model, prices=read_prices("mine=10/20"))
    memory = open_memory(teaching=Teaching(asker=told, spend_limit=0.001))
    clock.move(hours=1)
    memory.upkeep.work()
    assert memory.jobs.list() == []
    (use,) = memory.stats().models
    assert use.cost_usd == pytest.approx(
        (use.input_tokens * 10 + use.output_tokens * 20) / 1e6, abs=1e-6
    )
    with pytest.raises(SpendLimit):
        told.kept_by(StoreBooks(memory.store, clock, tenant="default", limit_usd=0.001)).ask(
            Purpose.EXTRACT, "", "", dict
        )


@pytest.mark.covers("LS-80")
def test_doctor_names_a_model_that_does_not_answer(open_memory: OpenMemory) -> None:
    """Such as one that was retired: with its name, and why. One that answers is no finding, and
    neither is having none.
    """
    good = ScriptedModel(lambda ask: {}, id="good")
    gone = ScriptedModel(
        lambda ask: ModelMissing("openai:old: no such model there; it may be retired"),
        id="openai:old",
    )
    away = ScriptedModel(
        lambda ask: ModelUnreachable("ollama:x: the connection failed"), id="ollama:x"
    )

    found = open_memory(
        teaching=Teaching(asker=Asker(good, slow=gone, own={Purpose.DECIDE: away}))
    ).admin.doctor()

    assert {(finding.place, finding.problem, finding.mended) for finding in found} == {
        ("llm", "openai:old: no such model there; it may be retired", False),
        ("llm", "ollama:x: the connection failed", False),
    }
    assert (
        open_memory(teaching=Teaching(asker=Asker(good))).admin.doctor()
        == open_memory().admin.doctor()
        == []
    )


def test_no_text_is_kept_with_a_call(tmp_path: Path, clock: FixedClock) -> None:
    """Neither of the question nor of the answer: the rows hold what is counted, and names."""
    memory = Memory(
        open_store(str(tmp_path / "memory.db")), scope=ANA, clock=clock, background=False,
        teaching=Teaching(asker=Asker(ScriptedModel(lambda ask: "no JSON, dear Zanzibar"))),
    )  # fmt: skip
    say(memory, "My Zanzibar is secret")
    clock.move(hours=1)
    memory.upkeep.work()

    with memory.store.transaction(tenant=None, write=False) as tx:
        rows = [
            str(dict(row)) for row in tx.rows("copy.read_model_calls", tenant="", id="", limit=10)
        ]
    memory.close()
    assert len(rows) == 2
    assert not any("Zanzibar" in row or "secret" in row for row in rows)


@on_sqlite
def test_calls_move_with_a_store(store_url: str, tmp_path: Path) -> None:
    """Each row as it was."""
    old, new = str(tmp_path / "old.db"), str(tmp_path / "new.db")
    store = open_store(old)
    StoreBooks(store, FixedClock(NINE), tenant="acme").note(CALL)
    store.close()

    assert move_store(old, new)["model_calls"] == 1
    store = open_store(new)
    assert [use.cost_usd for use in uses(store, "acme", NINE - timedelta(days=1))] == [0.25]
    store.close()
