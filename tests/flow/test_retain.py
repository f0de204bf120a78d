"""Pruning: what was learnt from and rests for long goes, in two steps, and never what nothing was
learnt from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Action
from omoide.nouns.chore import Chore, Tidied
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import CannotUndo, InvalidInput
from omoide.nouns.item import Details, Item
from omoide.nouns.kind import Kind
from omoide.nouns.scope import Scope
from omoide.settings.retention import Retention, read_retention
from omoide.tables.jobs import UPKEEP_JOB, Jobs
from omoide.write.remember import Statement
from tests.fix_memory import ANA, BEN, NINE, OpenMemory, on_sqlite, session_of, turn_of
from tests.fix_teaching import TALK, Taught, note, say, says

FIVE = (
    "I moved to Lisbon",
    "The flat is small",
    "I can't eat peanuts",
    "My sister Eva visits in June",
    "She brings her dog",
)
PEANUTS = note("Ana can't eat peanuts", "I can't eat peanuts", turn=3)
SUMMARY = "Ana moved to Lisbon. Her sister Eva visits in June."
Prunes = Callable[..., Memory]
KEEPING = Retention(prune_after=timedelta(days=90), archive_for=timedelta(days=30))


@pytest.fixture
def prunes(taught: Taught) -> Prunes:
    """Opens memories that prune after ninety days and keep an archive for thirty, with a model."""

    def open(**settings: Any) -> Memory:
        script: Mapping[Purpose, Callable[[Ask], Any]] = {
            Purpose.EXTRACT: lambda ask: says(PEANUTS),
            Purpose.DECIDE: lambda ask: {"decisions": []},
            Purpose.DISTIL: lambda ask: {"summary": SUMMARY},
            Purpose.PING: lambda ask: {"ok": True},
        }
        return taught(script=script, **({"retention": KEEPING} | settings))

    return open


@pytest.fixture
def dull(open_memory: OpenMemory) -> Memory:
    """A memory that prunes after ninety days, without a model."""
    return open_memory(teaching=Teaching(retention=KEEPING))


def pruned(memory: Memory) -> Tidied:
    """What a round's pruning came to."""
    return memory.admin.tidy(only=["prune"])


def talk(memory: Memory, scope: Scope = TALK) -> list[str]:
    """What is still to be seen of a session."""
    return [
        turn.text
        for turn in memory.sessions.turns(scope=scope)
        if turn.session == session_of(scope.session or "", scope)
    ]


def opened(memory: Memory, id: str) -> bool:
    """Whether an item is open."""
    item = memory.get(id)
    assert isinstance(item, Item)
    return item.is_open


@pytest.mark.covers("LS-49")
def test_a_round_learns_before_it_prunes(prunes: Prunes, clock: FixedClock) -> None:
    """A session that nobody looked at for a hundred days is distilled first, in the same round,
    then pruned.
    """
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=100)

    done = memory.admin.tidy()

    assert [one.chore for one in done.chores] == list(Chore)
    assert (
        done.count(Chore.DISTIL, "distilled"),
        done.count(Chore.PRUNE, "sessions"),
        done.count(Chore.PRUNE, "turns"),
    ) == (1, 1, 5)
    assert {item.text for item in memory.items.list().items} == {"Ana can't eat peanuts", SUMMARY}
    assert talk(memory) == []
    assert memory.recall("the flat is small").hits[0].item is not None


@pytest.mark.covers("LS-49", "CX-21")
def test_what_nothing_was_learnt_from_is_never_pruned(dull: Memory, clock: FixedClock) -> None:
    """However old it is; the report says that it is kept, and why."""
    say(dull, *FIVE)
    say(dull, "Hello there", scope=Scope(user="ana", session="short"))
    clock.move(days=1_000)

    done = dull.admin.tidy()

    assert done.count(Chore.PRUNE, "sessions") == 0
    assert (
        next(one.waits for one in done.chores if one.chore is Chore.PRUNE)
        == "2 old sessions are kept until learned from"
    )
    assert talk(dull) == list(FIVE)


@pytest.mark.covers("LS-49")
def test_what_was_learnt_from_and_is_in_no_summary_is_not_pruned(
    prunes: Prunes, clock: FixedClock
) -> None:
    """Extraction alone is not enough of a talk that is worth a summary; of a few words it is."""
    memory = prunes()
    short = Scope(user="ana", session="short")
    say(memory, *FIVE)
    say(memory, "I can't eat peanuts", scope=short)
    memory.sessions.extract("talk")
    memory.sessions.extract("short", short)
    clock.move(days=100)

    assert pruned(memory).count(Chore.PRUNE, "sessions") == 1
    assert (talk(memory), talk(memory, short)) == (list(FIVE), [])


@pytest.mark.covers("GM-29")
def test_pruning_waits_for_ninety_days_of_rest(prunes: Prunes, clock: FixedClock) -> None:
    """Counted from when a session was last added to; and is off unless a time is set."""
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=20)
    memory.admin.tidy()
    clock.move(days=70, seconds=-1)
    assert pruned(memory).count(Chore.PRUNE, "sessions") == 0
    assert pruned(prunes(retention=Retention())).count(Chore.PRUNE, "sessions") == 0

    clock.move(seconds=1)

    assert pruned(memory).count(Chore.PRUNE, "sessions") == 1


def test_old_talk_that_came_in_today_is_no_rest(prunes: Prunes, clock: FixedClock) -> None:
    """An import is not pruned the night after."""
    clock.move(days=1_000)
    memory = prunes()
    messages = [
        {"role": "user", "content": text, "name": "Ana", "at": NINE.isoformat()} for text in FIVE
    ]
    memory.ingest(messages, TALK)

    done = memory.admin.tidy()

    assert (done.count(Chore.DISTIL, "distilled"), done.count(Chore.PRUNE, "sessions")) == (1, 0)


def test_undo_brings_pruned_turns_back_and_prunes_them_again(
    prunes: Prunes, clock: FixedClock
) -> None:
    """Until their time in the archive is over, to the hour."""
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=100)
    memory.admin.tidy(only=["distil"])
    round_id = pruned(memory).id
    clock.move(days=29)

    (undone,) = memory.undo(round_id)

    assert talk(memory) == list(FIVE)
    assert memory.recall("the flat is small", limit=3).hits[0].text == "The flat is small"
    memory.undo(undone)
    assert talk(memory) == []
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_after_its_time_what_was_said_is_erased(
    prunes: Prunes, clock: FixedClock, texts: Any
) -> None:
    """Items keep their quotes; nothing brings the turns back, and nothing misses them."""
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=100)
    memory.admin.tidy(only=["distil"])
    round_id = pruned(memory).id
    clock.move(days=30)

    assert pruned(memory).count(Chore.PRUNE, "erased") == 5

    assert talk(memory) == []
    (item,) = (item for item in memory.items.list().items if item.quote)
    assert (item.quote, item.source_turns) == ("I can't eat peanuts", (turn_of("talk", 2),))
    with pytest.raises(CannotUndo):
        memory.undo(round_id)
    with memory.store.transaction(tenant=None, write=False) as tx:
        assert {
            row["text"]
            for row in tx.rows(
                "turns.all_of_session", tenant="default", session_id=session_of("talk")
            )
        } == {""}
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()
    assert pruned(memory).count(Chore.PRUNE, "erased") == 0


@pytest.mark.parametrize("days", [0, 31])
def test_forgetting_reaches_what_was_pruned(prunes: Prunes, clock: FixedClock, days: int) -> None:
    """In the archive and after it: the turns go, and what was learnt from them alone."""
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=100)
    memory.admin.tidy()
    clock.move(days=days)
    memory.admin.tidy(only=["prune"])

    receipt = memory.sessions.forget("talk")

    assert (receipt.erased["turns"], receipt.erased["items"], receipt.residue) == (5, 2, 0)
    assert memory.items.list().items == ()


def test_more_may_be_said_in_a_pruned_session(prunes: Prunes, clock: FixedClock) -> None:
    """It goes on after its last turn, and is seen again."""
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=100)
    memory.admin.tidy()

    say(memory, "I am back")

    assert talk(memory) == ["I am back"]
    assert memory.sessions.turns("talk")[0].position == 5
    assert [shown.session.name for shown in memory.sessions.list()] == ["talk"]


@pytest.mark.covers("GM-29")
def test_expired_items_are_archived_and_then_erased(dull: Memory, clock: FixedClock) -> None:
    """Whether sessions are pruned or not; what they superseded goes with them."""
    soon = Details(expires_at=NINE + timedelta(days=10))
    code, tea = (
        dull.remember("The door code is on paper", details=soon).id,
        dull.remember("Ana likes tea").id,
    )
    clock.move(days=10)

    assert pruned(dull).count(Chore.PRUNE, "items") == 1
    assert pruned(dull).count(Chore.PRUNE, "items") == 0
    assert dull.history(code).changes[-1].action is Action.ARCHIVE
    clock.move(days=30)
    assert pruned(dull).count(Chore.PRUNE, "erased") == 1
    assert [item.id for item in dull.items.list().items] == [tea]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("retention", [KEEPING, Retention(items_most=1)])
def test_what_expired_is_archived_once(
    open_memory: OpenMemory, clock: FixedClock, retention: Retention
) -> None:
    """Also where it is hardly believed, or one of too many: a round comes to its end."""
    memory = open_memory(teaching=Teaching(retention=retention))
    details = Details(confidence=0.05, expires_at=NINE + timedelta(days=10))
    memory.remember("The door code is on paper", details=details)
    memory.remember("Ana likes tea")
    clock.move(days=100)

    assert pruned(memory).count(Chore.PRUNE, "items") == 1
    assert memory.items.list().total == 1


def test_an_archived_item_that_is_changed_stays(dull: Memory, clock: FixedClock) -> None:
    """Whoever extends it wants it kept."""
    code = dull.remember(
        "The door code is on paper", details=Details(expires_at=NINE + timedelta(days=10))
    ).id
    clock.move(days=10)
    pruned(dull)
    dull.items.edit(code, expires_at=None)
    clock.move(days=31)

    assert pruned(dull).count(Chore.PRUNE, "erased") == 0
    assert opened(dull, code)


@pytest.mark.covers("GM-29")
def test_what_is_hardly_believed_and_never_used_is_archived(
    dull: Memory, clock: FixedClock
) -> None:
    """Below 0.1, after as long as sessions are kept; pinned ones stay, and undo opens it again."""
    weak = Details(confidence=0.09)
    faint, pinned = (
        dull.remember("Ana may like tea", details=weak).id,
        dull.remember("Ben may sing", details=weak).id,
    )
    sure = dull.remember("Eva dances", details=Details(confidence=0.1)).id
    dull.items.pin(pinned)
    clock.move(days=91)
    round_id = pruned(dull).id

    assert [opened(dull, id) for id in (faint, pinned, sure)] == [False, True, True]
    dull.undo(round_id)
    assert opened(dull, faint)


@pytest.mark.covers("GM-29")
def test_tool_calls_are_pruned_as_sessions_are(dull: Memory, clock: FixedClock) -> None:
    """Out of all reads after the time that sessions are kept; erased after that of the archive, and
    until then brought back by undo.
    """
    dull.remember("Ana likes tea")
    dull.tool_calls.record("search", error="late")
    dull.tool_calls.record("sum", scope=Scope(tenant="default", user="ben"))
    clock.move(days=89)
    dull.tool_calls.record("search")
    assert pruned(dull).count(Chore.PRUNE, "tool calls") == 0
    clock.move(days=1)
    done = pruned(dull)
    assert done.count(Chore.PRUNE, "tool calls") == 2
    assert [call.success for call in dull.tool_calls.list()] == [True]
    assert dull.stats().tool_calls == 1

    dull.undo(done.id)

    assert [call.success for call in dull.tool_calls.list()] == [True, False]
    assert dull.tool_calls.list(scope=Scope(user="ben")) == []  # theirs to bring back
    dull.undo(done.id, Scope(user="ben"))
    assert len(dull.tool_calls.list(scope=Scope(user="ben"))) == 1
    assert pruned(dull).count(Chore.PRUNE, "tool calls") == 2
    assert dull.admin.verify().problems == ()


def test_a_tenant_with_nothing_but_tool_calls_has_rounds(
    open_memory: OpenMemory, dull: Memory, clock: FixedClock
) -> None:
    """Its calls are pruned and erased as others are, and rounds come to it by themselves."""
    shop = Scope(tenant="shop", user="ben")
    dull.tool_calls.record("search", scope=shop)
    dull.tool_calls.record("search", scope=Scope(tenant="mill", shared=True))
    clock.move(days=90)

    done = pruned(dull)

    assert done.count(Chore.PRUNE, "tool calls") == 2
    assert dull.tool_calls.list(scope=shop) == []
    clock.move(days=30)
    assert pruned(dull).count(Chore.PRUNE, "erased") == 2
    dull.tool_calls.record("search", scope=Scope(tenant="inn", shared=True))
    nightly = open_memory(teaching=Teaching(upkeep="0 3 * * *", retention=KEEPING))
    clock.move(days=1)
    nightly.upkeep.queue.run(kinds={UPKEEP_JOB})
    with dull.store.transaction(tenant=None, write=False) as tx:
        assert Jobs(tx).args("inn", UPKEEP_JOB)


def test_pruned_tool_calls_are_erased_when_the_archive_is_over(
    dull: Memory, clock: FixedClock
) -> None:
    """Then undo says so."""
    dull.remember("Ana likes tea")
    dull.tool_calls.record("search")
    clock.move(days=90)
    done = pruned(dull)
    (undoing,) = dull.undo(done.id)
    dull.undo(undoing)
    assert dull.tool_calls.list() == []

    clock.move(days=30)
    assert pruned(dull).count(Chore.PRUNE, "erased") == 1
    (again,) = (one for one in dull.diff(NINE, None).changes if one.cause == undoing)
    with pytest.raises(CannotUndo, match="in the archive until"):
        dull.undo(again.id)


def test_undo_of_a_round_passes_over_tool_calls_that_were_forgotten(
    prunes: Prunes, clock: FixedClock
) -> None:
    """It brings the rest back and names them; of them alone it says that they were forgotten."""
    memory, other = prunes(), Scope(user="ana", session="other")
    say(memory, *FIVE)
    say(memory, "Hello there", scope=other)
    memory.tool_calls.record("search", other)
    clock.move(days=20)
    memory.admin.tidy()
    clock.move(days=90)
    done = pruned(memory)
    assert (done.count(Chore.PRUNE, "tool calls"), talk(memory)) == (1, [])
    (calls,) = (
        one
        for one in memory.diff(NINE, None).changes
        if one.cause == done.id and one.kind is Kind.ROUND
    )
    memory.sessions.forget("other")

    with pytest.raises(CannotUndo, match="tool calls were forgotten"):
        memory.undo(calls.id)
    undone = memory.undo(done.id)

    assert calls.record in undone.forgotten
    assert (talk(memory), memory.tool_calls.list()) == (list(FIVE), [])
    assert memory.admin.verify().problems == ()


def test_private_talk_forms_nothing_and_is_pruned_by_its_age(
    dull: Memory, clock: FixedClock
) -> None:
    """There is nothing to wait for."""
    dull.ingest(
        [{"role": "user", "content": text, "name": "Ana"} for text in FIVE], TALK, private=True
    )
    clock.move(days=90)

    assert pruned(dull).count(Chore.PRUNE, "turns") == 5


def test_others_cannot_undo_what_was_pruned_of_a_user(prunes: Prunes, clock: FixedClock) -> None:
    """A round's part of somebody else's memory is not theirs to bring back."""
    memory = prunes()
    say(memory, *FIVE)
    clock.move(days=100)
    round_id = memory.admin.tidy().id
    memory.remember("Ben likes tea", BEN)

    with pytest.raises(Exception, match="no change"):
        memory.undo(round_id, BEN)


@on_sqlite
def test_a_round_stops_when_it_is_told_to_and_the_next_goes_on(
    prunes: Prunes, clock: FixedClock
) -> None:
    """Between any two steps; what was done stays done."""
    memory = prunes()
    for n in range(4):
        say(memory, *FIVE, scope=Scope(user="ana", session=f"{n}"))
    clock.move(days=100)
    for left in range(1, 40):
        looks = iter(range(left))
        memory._engine.rounds.tidy(None, lambda looks=looks: next(looks, None) is None)  # type: ignore[misc]
    memory.admin.tidy()

    assert memory.sessions.turns(scope=ANA) == []
    assert sum(item.text == SUMMARY for item in memory.items.list().items) == 4
    assert memory.admin.doctor() == []


@pytest.mark.parametrize(
    ("after", "kept"), [("soon", "30d"), ("90d", ""), ("90 d", "30d"), ("90d", "1y")]
)
def test_times_that_are_none_are_refused(after: str, kept: str) -> None:
    """With the form that they have."""
    with pytest.raises(InvalidInput, match="must be a time such as 90s, 30m, 2h or 1d"):
        read_retention(after, kept)


@pytest.mark.covers("SO-4")
def test_beyond_a_limit_the_least_sure_items_are_pruned(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Of each user, and of each agent, by themselves; what is pinned or still due stays; undo
    brings them back.
    """
    memory = open_memory(teaching=Teaching(retention=Retention(items_most=3)))
    sure = (0.9, 0.3, 0.5, 0.2, 0.4, 0.8)
    memory.items.add_many(
        [
            Statement(text=f"Fact number {n} of Ana", details=Details(confidence=one))
            for n, one in enumerate(sure)
        ],
        ANA,
    )
    for scope in (BEN, Scope(agent="clerk", shared=True), Scope(user="ana", agent="clerk")):
        memory.items.add_many(
            [Statement(text=f"Something else, {n}, that is known") for n in range(3)], scope
        )
    memory.items.pin(
        memory.remember("Fact number 7 is pinned", ANA, details=Details(confidence=0.1)).id, ANA
    )
    memory.remember(
        "Pay the rent",
        ANA,
        category="reminder",
        due_at=NINE + timedelta(days=3),
        details=Details(confidence=0.1),
    )

    done = pruned(memory)

    assert done.count(Chore.PRUNE, "items") == 5
    assert sorted(item.text for item in memory.items.list(scope=ANA).items) == [
        "Fact number 0 of Ana",
        "Fact number 7 is pinned",
        "Pay the rent",
    ]
    assert all(
        memory.items.list(scope=scope).total == 3
        for scope in (BEN, Scope(agent="clerk", shared=True))
    )
    assert pruned(memory).count(Chore.PRUNE, "items") == 0
    memory.undo(done.id, ANA)
    assert memory.items.list(scope=ANA).total == 8


@pytest.mark.covers("SO-4")
def test_without_a_limit_all_items_stay(dull: Memory) -> None:
    """As it is unless told: nothing goes for being one of many."""
    dull.items.add_many([Statement(text=f"Fact number {n} of Ana") for n in range(20)], ANA)

    assert pruned(dull).count(Chore.PRUNE, "items") == 0
    assert dull.items.list(scope=ANA).total == 20
