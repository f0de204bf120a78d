"""Memory beside a tool for rows: which tool answers which question, in pairs that sound alike.

A model chooses by what it reads. Here the package's own encoder reads the descriptions in its place:
the tool that it finds nearest to a question must be the right one. That holds the descriptions
apart; the agent with both tools is driven too, against the numbers of a real table.
"""

from __future__ import annotations

from typing import Any

import apsw
import pytest

from omoide.agent.agent import Agent
from omoide.agent.agent_tools import memory_tools
from omoide.agent.mixin import MemoryMixin
from omoide.agent.registry import Offered, ToolRegistry
from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.prompts import prompt
from tests.agent.talk import answers, calls, lines

ROWS = [("rent", 900), ("food", 310), ("rent", 900), ("travel", 120)]

# what each pair is about, the question for the rows, the question for memory
PAIRS = [
    ("What is the sum of the rent rows in the table?", "What rent did I tell you I can afford?"),
    ("How many rows of the table are about food?", "Which food am I allergic to?"),
    ("What is the average amount in the loaded table?", "What did we talk about last week?"),
    (
        "List the three largest amounts in the expenses table.",
        "What are my preferences for hotels?",
    ),
    ("Group the rows by category and count them.", "Which reminders do I have?"),
]


def query_data(sql: str) -> list[Any]:
    """Run a SQL query over the tables of rows that were loaded in this session, for sums, counts,
    averages, groups and lists of rows. It knows nothing about the user.

    Args:
        sql: One SELECT statement over the table expenses(category, amount).
    """
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE expenses (category TEXT, amount INTEGER)")
    db.executemany("INSERT INTO expenses VALUES (?, ?)", ROWS)
    return [list(row) for row in db.execute(sql)]


@pytest.fixture
def offered(memory: Memory) -> dict[str, Offered]:
    """What a model with both kinds of tools reads."""
    registry = ToolRegistry()
    registry.register(query_data)
    for name in ("recall", "search_past_conversations"):
        registry.register(memory_tools(memory)[name])
    return dict(registry)


@pytest.mark.covers("GM-192", "LS-14")
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0][:30])
def test_questions_that_sound_alike_go_to_their_own_tool(
    pair: tuple[str, str], offered: dict[str, Offered]
) -> None:
    """The one about rows to the data tool, the one about the user to memory."""
    encoder = load_embedder("static")
    assert encoder is not None
    names = list(offered)
    vectors = encoder.embed([*(offered[name].description for name in names), *pair])
    near = vectors[len(names) :] @ vectors[: len(names)].T
    chosen = [names[int(row.argmax())] for row in near]

    assert chosen[0] == "query_data"
    assert chosen[1] in ("recall", "search_past_conversations")


@pytest.mark.covers("GM-192")
def test_the_prompt_says_which_tool_answers_what() -> None:
    """Rows to the data tool, documents to theirs, the rest to memory."""
    told = prompt("memory_tools")

    for words in ("data tool", "document tool", "are not in memory", "past talk"):
        assert words in told


class Accountant(MemoryMixin, Agent):
    """An agent with both."""

    def __init__(self, memory: Memory, *script: Any) -> None:
        self.init_memory(memory=memory)
        self.model = ScriptedModel(list(script))
        super().__init__(self.model)

    def _register_tools(self) -> None:
        self.register_memory_tools()
        self.tools.register(query_data)


@pytest.mark.covers("GM-192", "LS-14")
def test_one_conversation_asks_both_and_each_answers_its_own(memory: Memory) -> None:
    """The sum is that of the table; the limit is what was remembered; neither stands in the other."""
    memory.remember("Ana can afford 1000 euros of rent a month")
    agent = Accountant(
        memory,
        calls("query_data", sql="SELECT sum(amount) FROM expenses WHERE category = 'rent'"),
        answers("1800"),
        calls("recall", query="rent that Ana can afford"),
        answers("1000"),
    )
    agent.process_query("What is the sum of the rent rows?")
    agent.process_query("And what rent did I say I can afford?")

    assert lines(agent.model.asked[1])[-1]["result"] == [[1800]]
    found = lines(agent.model.asked[3])[-1]["result"]
    assert [one["content"] for one in found["results"]] == [
        "Ana can afford 1000 euros of rent a month"
    ]
    assert [call.tool for call in memory.tool_calls.list()] == ["query_data"]
    assert "1800" not in str([item.text for item in memory.items.list()])
