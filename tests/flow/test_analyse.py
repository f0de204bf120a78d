"""Analysing usage: a model sees how tools were used, as counts, and proposes facts that wait for a
person's word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.memory import Memory
from omoide.models.chat.base import Ask, Purpose
from omoide.nouns.change import Action, Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Forbidden, InvalidInput, ModelMissing, ModelUnreachable
from omoide.nouns.item import Item, Source, Tier
from omoide.nouns.proposal import Wish
from omoide.nouns.scope import Scope
from omoide.nouns.session import Conversation, Participant
from omoide.nouns.turn import Message
from omoide.settings.levels import Level
from omoide.settings.switches import Switches, Use
from tests.fix_memory import BEN, OpenMemory
from tests.fix_teaching import Taught

HERE = Scope(user="ana", agent="clerk", session="s")
CLERK = Scope(user="ana", agent="clerk")
PYTEST: Mapping[str, Any] = {
    "fact": "ana runs pytest before git",
    "rationale": "pytest was run 3 times, git after each of them",
}
NIGHTLY = "0 4 * * *"


def answer(*findings: Mapping[str, Any]) -> dict[str, Any]:
    """An answer that proposes these."""
    return {"proposals": list(findings)}


def analysing(taught: Taught, *answers: Any, **settings: Any) -> Memory:
    """A memory whose model gives these answers in order; with none, that there is nothing to
    propose.
    """
    return taught(script={Purpose.ANALYSE: list(answers) or (lambda ask: answer())}, **settings)


def called(memory: Memory, *tools: str, scope: Scope = HERE, times: int = 1) -> None:
    """Note calls of tools, one after the other."""
    for _ in range(times):
        for tool in tools:
            memory.tool_calls.record(tool, scope)


def shown(memory: Memory, scope: Scope = CLERK) -> dict[str, Any]:
    """What a model would be shown."""
    text = memory.tool_calls.analyse(scope, preview=True).shown
    data: dict[str, Any] = json.loads(text.partition("\n")[2] or "{}")
    return data


def waiting(memory: Memory, scope: Scope = CLERK) -> list[Item]:
    """The items that wait for a person's word."""
    return [one.proposal.item for one in memory.review.list(scope) if one.proposal.item is not None]


@pytest.mark.covers("AD-20")
def test_what_is_proposed_waits_with_its_rationale_and_is_applied_as_any_other_item(
    taught: Taught,
) -> None:
    """Nothing is known of it before; approved, it is an item with a change in the ledger, found,
    and undone like any.
    """
    memory = analysing(taught, answer(PYTEST))
    called(memory, "shell")

    (id,) = memory.tool_calls.analyse(CLERK).proposed
    (one,) = memory.review.list(CLERK)

    assert (one.proposal.id, one.proposal.wish, one.text) == (id, Wish.ADD, PYTEST["fact"])
    assert one.proposal.item is not None
    assert (one.proposal.scope, one.proposal.item.metadata) == (
        CLERK,
        {"rationale": PYTEST["rationale"]},
    )
    assert "from_usage" in one.proposal.flags
    assert memory.items.list(scope=CLERK).items == ()
    item = memory.acting(Because(tier=Tier.USER)).review.approve(id, one.seal, CLERK)
    assert isinstance(item, Item)
    assert memory.items.list(scope=CLERK).items == (item,)
    assert (item.source, item.tier, item.origin) == (Source.INFERRED, Tier.AGENT, "usage")
    assert [change.action for change in memory.history(item.id, CLERK).changes] == [Action.ADD]
    assert memory.recall("Who runs pytest?", CLERK).hits[0].id == item.id
    memory.undo(id, CLERK)
    assert memory.items.list(scope=CLERK).items == ()


@pytest.mark.covers("AD-21")
def test_a_model_sees_counts_and_never_what_was_said(taught: Taught) -> None:
    """No word of messages, arguments, results, errors or titles, however they are told; tools,
    programs, sorts of errors and numbers.
    """
    memory = analysing(taught)
    talk = [
        Message(text="zebulon said hello", metadata={"zebulon": "zebulon"}),
        Message(text="And zebulon again"),
    ]
    memory.ingest(Conversation(id="s", title="zebulon", messages=tuple(talk)), HERE)
    for command in (
        "git commit -m zebulon",
        "/usr/bin/git push zebulon",
        ["git", "zebulon"],
        "zebulon",
        "ZEBULON=1 git status",
    ):
        memory.tool_calls.record(
            "shell", HERE, args={"command": command, "zebulon": "zebulon"}, result="zebulon " * 200
        )
    memory.tool_calls.record(
        "send",
        HERE,
        args={"command": "zebulon", "text": "zebulon"},
        error="zebulon.NotFound: no contact zebulon",
    )
    memory.tool_calls.record(
        "send", HERE, args={"text": "zebulon"}, error="No contact named Zebulon"
    )
    memory.tool_calls.record(
        "send",
        HERE,
        args={"zebulon": 1},
        sensitive=True,
        error="requests.ConnectionError: zebulon is away",
    )

    memory.tool_calls.analyse(CLERK)

    (ask,) = taught.asked
    assert "zebulon" not in (ask.system + ask.text).casefold()
    assert shown(memory) == {
        "user": "ana",
        "days": 7,
        "messages": 2,
        "sessions": 1,
        "calls": 8,
        "tools": [
            {"tool": "shell", "calls": 5, "failed": 0, "errors": {}},
            {
                "tool": "send",
                "calls": 3,
                "failed": 3,
                "errors": {"NotFound": 1, "other": 1, "ConnectionError": 1},
            },
        ],
        "sequences": {},
        "commands": {"git": 3},
    }


@pytest.mark.covers("AD-21")
def test_what_follows_what_is_counted_within_sessions(taught: Taught) -> None:
    """Of tools that followed each other three times; again and again counts once."""
    memory = analysing(taught)
    for n in range(3):
        called(
            memory,
            "open",
            "read",
            "read",
            "close",
            scope=Scope(user="ana", agent="clerk", session=f"s{n}"),
        )
    called(memory, "close", "open", scope=CLERK)

    assert shown(memory)["sequences"] == {
        "open > read": 3,
        "read > close": 3,
        "open > read > close": 3,
    }


@pytest.mark.covers("AD-21")
def test_the_last_seven_days_are_looked_at(taught: Taught, clock: FixedClock) -> None:
    """And a model is not asked where nothing was called in them."""
    memory = analysing(taught)
    called(memory, "search")
    clock.move(days=4)
    called(memory, "open")
    clock.move(days=3, seconds=1)

    assert [tool["tool"] for tool in shown(memory)["tools"]] == ["open"]
    clock.move(days=4)
    assert memory.tool_calls.analyse(CLERK).shown == ""
    assert taught.asked == []


@pytest.mark.covers("AD-21")
def test_proposing_nothing_is_as_good_an_answer_as_any(taught: Taught) -> None:
    """It is asked once, and nothing waits."""
    memory = analysing(taught, answer())
    called(memory, "shell")

    assert memory.tool_calls.analyse(CLERK).proposed == ()
    assert (len(taught.asked), waiting(memory)) == (1, [])


@pytest.mark.covers("AD-21")
def test_nothing_gives_way_to_what_is_proposed(taught: Taught) -> None:
    """Not even what it contradicts; what is known already is not proposed, and the same not
    twice.
    """
    memory = analysing(
        taught, *[answer({"fact": "ana runs pytest 9 times a day", "rationale": "9"}, PYTEST)] * 2
    )
    known = memory.remember(PYTEST["fact"], CLERK).item
    other = memory.remember("ana runs pytest 4 times a day", CLERK).item
    called(memory, "shell")

    assert memory.tool_calls.analyse(CLERK).proposed == memory.tool_calls.analyse(CLERK).proposed
    (one,) = memory.review.list(CLERK)
    memory.acting(Because(tier=Tier.USER)).review.approve(one.proposal.id, one.seal, CLERK)

    assert (one.proposal.target, one.proposal.flags) == (None, ("from_usage", "ungrounded_number"))
    assert {item.id for item in memory.items.list(scope=CLERK).items} > {known.id, other.id}


@pytest.mark.parametrize(
    ("fact", "rationale", "why"),
    [
        ("ana works with search", "search was called 2 times in 7 days", ()),
        ("ana works with search", "search was called 40 times", ("ungrounded_number",)),
        ("ana works with search for Beatrice", "search was called 2 times", ("ungrounded_name",)),
        (
            "ana works with search since 3 May 2025",
            "search was called 2 times",
            ("ungrounded_date",),
        ),
    ],
)
def test_what_the_counts_do_not_have_is_named_to_who_decides(
    taught: Taught, fact: str, rationale: str, why: Sequence[str]
) -> None:
    """A name, number or date, of the fact or of its rationale; all of it waits in any case."""
    memory = analysing(taught, answer({"fact": fact, "rationale": rationale}))
    called(memory, "search", times=2)

    memory.tool_calls.analyse(CLERK)

    assert [one.proposal.flags for one in memory.review.list(CLERK)] == [("from_usage", *why)]


@pytest.mark.covers("AD-21")
def test_it_comes_every_day_where_a_schedule_is_set(taught: Taught, clock: FixedClock) -> None:
    """For each user by each agent in turn; where none is set, never."""
    memory = analysing(taught, analyse=NIGHTLY)
    called(memory, "shell")
    called(memory, "shell", scope=BEN)

    assert [(job.kind, job.run_at) for job in memory.jobs.list()] == [
        ("analyse", datetime(2026, 1, 6, 4, tzinfo=UTC))
    ]
    for day in (1, 2):
        clock.move(days=1)
        assert memory.upkeep.queue.run().done == 3
        assert [
            (ask.purpose, json.loads(ask.text.split("\n")[1])["user"])
            for ask in taught.asked[2 * day - 2 :]
        ] == [(Purpose.ANALYSE, "ben"), (Purpose.ANALYSE, "ana")]
    assert len(memory.jobs.list()) == 1


@pytest.mark.covers("AD-21")
def test_it_is_off_unless_it_is_asked_for(tmp_path: Path, clock: FixedClock) -> None:
    """No job comes of the settings as they are; nor where what is told lasts for a session only,
    whatever they say.
    """
    place: dict[str, Any] = {
        "home": tmp_path,
        "embedder": "none",
        "background": False,
        "clock": clock,
        "upkeep": "hand",
        "user": "ana",
    }
    with Memory.open(str(tmp_path / "a.db"), **place) as memory:
        assert memory.jobs.list() == []
    with Memory.open(str(tmp_path / "a.db"), analyse=NIGHTLY, **place) as memory:
        assert [job.kind for job in memory.jobs.list()] == ["analyse"]
    with Memory.open(
        str(tmp_path / "a.db"), analyse=NIGHTLY, level=Level.SESSION, **place
    ) as memory:
        assert memory.jobs.list() == []
        with pytest.raises(Forbidden, match="level session"):
            memory.tool_calls.analyse(preview=True)
    with pytest.raises(InvalidInput, match="analyse"):
        Memory.open(str(tmp_path / "a.db"), analyse="often", **place)


def test_nobody_else_s_nor_private_nor_shared_calls_are_counted(taught: Taught) -> None:
    """Those of another user, another agent, a private session, one of two users, and one that was
    undone.
    """
    memory = analysing(taught)
    memory.ingest(
        [Message(text="hush")], Scope(user="ana", agent="clerk", session="p"), private=True
    )
    both = (Participant(name="Ana", user="ana"), Participant(name="Ben", user="ben"))
    memory.ingest(
        Conversation(id="both", messages=(Message(text="hi"),), participants=both),
        Scope(agent="clerk", shared=True),
    )
    called(memory, "mine")
    for scope in (
        BEN,
        Scope(user="ana", agent="cook"),
        Scope(user="ana", agent="clerk", session="p"),
        Scope(agent="clerk", session="both", shared=True),
    ):
        called(memory, "other", scope=scope)
    called(memory, "other", scope=Scope(user="ana", agent="clerk", session="both"))

    assert [tool["tool"] for tool in shown(memory)["tools"]] == ["mine"]
    assert memory.tool_calls.analyse(Scope(agent="clerk", shared=True)).shown == ""


@pytest.mark.parametrize(
    "finding",
    [
        {"fact": "", "rationale": "because"},
        {"fact": "ana uses git", "rationale": ""},
        {"fact": "x" * 301, "rationale": "because"},
        {"fact": "ana logs in with password hunter2-Geheim!", "rationale": "because"},
        {"fact": "hello", "rationale": "because"},
        {"fact": 5, "rationale": "because"},
    ],
)
def test_what_is_no_statement_with_a_reason_is_not_proposed(
    taught: Taught, finding: Mapping[str, Any]
) -> None:
    """Empty, too long, a secret, a greeting, no text; what is beside it is."""
    memory = analysing(taught, answer(finding, PYTEST))
    called(memory, "shell")

    memory.tool_calls.analyse(CLERK)

    assert [item.text for item in waiting(memory)] == [PYTEST["fact"]]


def test_one_user_s_failure_stops_nobody_else_s(taught: Taught, clock: FixedClock) -> None:
    """It is tried again by itself."""
    memory = analysing(taught, ModelUnreachable("gone"), answer(PYTEST), analyse=NIGHTLY)
    called(memory, "shell")
    called(memory, "shell", scope=BEN)
    clock.move(days=1)

    done = memory.upkeep.queue.run()

    assert (done.done, done.failed) == (2, 1)
    assert [item.text for item in waiting(memory)] == [PYTEST["fact"]]
    assert [(job.id, job.failures) for job in memory.jobs.list(BEN) if job.user] == [
        ("analyse::ben", 1)
    ]


def test_where_users_are_not_remembered_nothing_is_asked(
    taught: Taught, open_memory: OpenMemory, clock: FixedClock
) -> None:
    """Neither by hand nor by a schedule; without a model a preview still tells what there is to
    see.
    """
    memory = analysing(taught, switches=Switches(user_memory=Use.OFF), analyse=NIGHTLY)
    called(memory, "shell")
    clock.move(days=1)

    memory.tool_calls.analyse(CLERK)
    memory.upkeep.queue.run()

    assert taught.asked == []
    assert shown(open_memory())["calls"] == 1
    with pytest.raises(ModelMissing):
        open_memory().tool_calls.analyse(CLERK)


def test_all_that_came_of_usage_is_forgotten_at_once(taught: Taught) -> None:
    """What waits and what was approved, by its origin."""
    second = {"fact": "ana works with docker", "rationale": "docker was run 12 times"}
    memory = analysing(taught, answer(PYTEST, second))
    called(memory, "shell")
    first = memory.tool_calls.analyse(CLERK).proposed[0]
    memory.acting(Because(tier=Tier.USER)).review.approve(
        first, memory.review.list(CLERK)[0].seal, CLERK
    )

    memory.acting(Because(tier=Tier.USER)).items.forget(scope=CLERK, origin="usage")

    assert (memory.items.list(scope=CLERK).items, waiting(memory)) == ((), [])


def test_a_user_who_is_forgotten_meanwhile_stays_forgotten(taught: Taught) -> None:
    """What a model proposes then is dropped."""

    def forget(ask: Ask) -> dict[str, Any]:
        memory.users.forget("ana")
        return answer(PYTEST)

    memory = taught(script={Purpose.ANALYSE: forget})
    called(memory, "shell")

    assert memory.tool_calls.analyse(CLERK).proposed == ()
    assert waiting(memory) == []
