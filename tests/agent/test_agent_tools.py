"""The memory tools that a model calls: what they take, what they answer, and what they refuse."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from omoide.agent.agent_tools import ALIASES, BLOCKS, FIVE, TOOLS, memory_tools
from omoide.agent.contact_tools import message_tool, numbers_in
from omoide.agent.item_tools import FACT_LIMIT
from omoide.agent.tool import FAILED, Tool, ToolPolicy
from omoide.memory import Memory
from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from tests.fix_memory import OpenMemory

USER = Details(source=Source.USER)


@pytest.fixture
def tools(memory: Memory) -> dict[str, Tool]:
    """All tools, of Ana's memory, in a session."""
    return memory_tools(memory.at(session="chat-1"), TOOLS)


def run(tools: dict[str, Tool], name: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, which JSON can hold."""
    answer = tools[name].run(arguments)
    assert json.loads(json.dumps(answer)) == answer
    return answer


@pytest.mark.covers("GM-87")
def test_the_five_have_their_names_and_arguments(memory: Memory) -> None:
    """Create, read, update, delete and history, with the arguments that they promise, in order."""
    shown = {
        name: list(tool.parameters["properties"]) for name, tool in memory_tools(memory).items()
    }

    assert shown == {
        "remember": ["fact", "category", "domain", "due_at", "context", "sensitive", "entity"],
        "recall": [
            "query", "category", "domain", "context", "entity", "limit", "offset", "time_from", "time_to",
        ],
        "update_memory": [
            "knowledge_id", "content", "category", "domain", "due_at", "reminded_at", "context",
            "sensitive", "entity",
        ],
        "forget": ["knowledge_id"],
        "search_past_conversations": ["query", "days", "limit", "time_from", "time_to"],
    }  # fmt: skip
    assert tuple(shown) == FIVE


def test_schemas_say_types_defaults_and_what_is_required(tools: dict[str, Tool]) -> None:
    """Each argument has a type and a description; those without a default are required."""
    told = [told for tool in tools.values() for told in tool.parameters["properties"].values()]
    assert len(told) > 40
    assert all(one["description"] for one in told)
    assert {one["type"] for one in told} == {"string", "integer", "array"}
    assert all(tool.description for tool in tools.values())
    assert not any(tool.parameters["additionalProperties"] for tool in tools.values())
    recall = tools["recall"].parameters
    assert recall["required"] == []
    assert recall["properties"]["limit"]["default"] == 0
    assert tools["remember"].parameters["required"] == ["fact"]
    assert tools["search_facts"].parameters["properties"] == {
        "query": {
            "type": "array",
            "items": {"type": "string"},
            "description": "One to three questions or phrases.",
        }
    }


def test_schemas_come_in_the_shapes_of_two_apis(tools: dict[str, Tool]) -> None:
    """OpenAI's and Anthropic's, with the same schema."""
    told = tools["forget"].openai()["function"]

    assert told["name"] == tools["forget"].anthropic()["name"] == "forget"
    assert told["parameters"] == tools["forget"].anthropic()["input_schema"]


def test_a_tool_is_a_plain_function_for_frameworks(tools: dict[str, Tool]) -> None:
    """With name, docstring, and a signature whose annotations are types."""
    function = tools["search_memory"].function()

    assert function.__name__ == "search_memory"
    assert "Args:" in (function.__doc__ or "")
    assert inspect.signature(function).parameters["limit"].annotation is int
    run(tools, "remember", fact="Ana likes tea")
    assert function("tea", limit=3)["status"] == "found"


@pytest.mark.covers("GM-82", "AD-19", "GM-89", "GM-90")
def test_remember_stores_and_gives_the_id(memory: Memory, tools: dict[str, Tool]) -> None:
    """At confidence 0.7, with category, domain, due date, context and entity."""
    answer = run(
        tools, "remember", fact="Call Sarah", category="reminder", domain="calls",
        due_at="2026-02-01T10:00:00+00:00", context="work", entity="person:sarah_chen",
    )  # fmt: skip

    item = memory.get(answer["knowledge_id"])
    assert isinstance(item, Item)
    assert answer["status"] == "stored"
    assert (item.text, item.category, item.domain, item.confidence) == (
        "Call Sarah", "reminder", "calls", 0.7,
    )  # fmt: skip
    assert (item.scope.context, item.entities, item.tier) == (
        "work",
        ("person:sarah_chen",),
        Tier.AGENT,
    )


@pytest.mark.covers("GM-82", "GM-15")
def test_remember_says_that_it_cut(memory: Memory, tools: dict[str, Tool]) -> None:
    """Over 2,000 characters the rest is left out, and the answer says so."""
    answer = run(tools, "remember", fact="x" * (FACT_LIMIT + 1))

    item = memory.get(answer["knowledge_id"])
    assert len(item.text) == FACT_LIMIT == 2000
    assert "2000" in answer["message"]


@pytest.mark.covers("GM-82", "AD-19")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"fact": "x", "category": "gossip"}, "'gossip' is not one of fact, preference"),
        ({"fact": "x", "category": "permission"}, "'permission' is not one of"),
        ({"fact": "x", "due_at": "soon"}, "'soon' is not ISO 8601"),
        ({"fact": "  "}, "text"),
        ({}, "fact: is missing"),
        ({"fact": "x", "colour": "red"}, "colour: is not an argument of remember"),
        ({"fact": {"a": 1}}, "fact: must be text"),
    ],
)
def test_what_is_wrong_is_told_and_stores_nothing(
    arguments: dict[str, Any], told: str, memory: Memory, tools: dict[str, Tool]
) -> None:
    """An answer of status error says what to change; nothing is raised."""
    answer = run(tools, "remember", **arguments)

    assert answer["status"] == "error"
    assert told in answer["message"]
    assert tools["remember"].text(arguments).startswith(FAILED)
    assert not memory.items.list()


def test_broken_json_is_told(tools: dict[str, Tool]) -> None:
    """A model that writes half an object reads what was expected."""
    assert tools["recall"].run('{"query": ') == {
        "status": "error",
        "message": "arguments: are not JSON; give one JSON object",
    }
    assert tools["recall"].run("[1]")["status"] == "error"


def test_something_similar_is_named_for_an_update(memory: Memory, tools: dict[str, Tool]) -> None:
    """Nothing closes by itself: the model reads which statement the new one may replace."""
    old = run(tools, "remember", fact="Ana lives in Lisbon by the river")
    new = run(tools, "remember", fact="Ana lives in Porto by the river")

    assert new["similar"]["id"] == old["knowledge_id"]
    assert "update_memory" in new["message"]
    assert len(memory.items.list()) == 2


@pytest.mark.covers("GM-83")
def test_recall_searches_and_lists(tools: dict[str, Tool]) -> None:
    """With a query by words, without one by filters; each result has its id."""
    tea = run(tools, "remember", fact="Ana likes green tea", category="preference")
    run(tools, "remember", fact="The boat is blue", entity="app:boat")

    assert run(tools, "recall", query="green tea")["results"][0]["id"] == tea["knowledge_id"]
    listed = run(tools, "recall", category="preference")
    assert (listed["status"], listed["count"], listed["has_more"]) == ("found", 1, False)
    assert run(tools, "recall", entity="app:boat")["results"][0]["content"] == "The boat is blue"
    assert run(tools, "recall", category="skill") == {
        "status": "empty", "count": 0, "offset": 0, "has_more": False, "results": [],
    }  # fmt: skip


@pytest.mark.covers("GM-83")
def test_recall_gives_pages(tools: dict[str, Tool]) -> None:
    """20 to a page by default, 100 at most, with an offset and whether more follow."""
    for number in range(25):
        run(tools, "remember", fact=f"Note number {number}", category="note", domain="journal")

    first = run(tools, "recall", domain="journal")
    second = run(tools, "recall", domain="journal", offset="20")  # models write numbers as text
    assert (first["count"], first["has_more"]) == (20, True)
    assert (second["count"], second["has_more"]) == (5, False)
    assert not {i["id"] for i in first["results"]} & {i["id"] for i in second["results"]}
    assert run(tools, "recall", domain="journal", limit=500)["count"] == 25
    searched = run(tools, "recall", query="note number", limit=3, offset=2)
    assert (searched["count"], searched["has_more"]) == (3, True)


@pytest.mark.covers("GM-83")
def test_recall_wants_a_filter(tools: dict[str, Tool]) -> None:
    """With none at all it says so."""
    assert run(tools, "recall", limit=5)["status"] == "error"


@pytest.mark.covers("GM-83")
def test_recall_keeps_to_times(memory: Memory, tools: dict[str, Tool]) -> None:
    """A day counts from its start to its end."""
    run(tools, "remember", fact="Said on the fifth")
    memory.clock.move(days=3)  # type: ignore[attr-defined]
    run(tools, "remember", fact="Said on the eighth")

    assert [one["content"] for one in run(tools, "recall", time_to="2026-01-05")["results"]] == [
        "Said on the fifth"
    ]
    assert [one["content"] for one in run(tools, "recall", time_from="2026-01-06")["results"]] == [
        "Said on the eighth"
    ]


@pytest.mark.covers("GM-84")
def test_update_changes_only_what_is_given(memory: Memory, tools: dict[str, Tool]) -> None:
    """New content succeeds the old one; other attributes change in place; the rest stays."""
    made = run(
        tools,
        "remember",
        fact="Dentist on Monday",
        category="reminder",
        due_at="2026-01-12T09:00+00:00",
    )
    answer = run(
        tools,
        "update_memory",
        knowledge_id=made["knowledge_id"],
        content="Dentist on Tuesday",
        due_at="2026-01-13T09:00+00:00",
    )

    item = memory.get(answer["knowledge_id"])
    assert isinstance(item, Item)
    assert (answer["status"], item.text, item.category) == (
        "updated",
        "Dentist on Tuesday",
        "reminder",
    )
    assert item.due_at is not None
    assert item.due_at.day == 13
    assert [version.text for version in memory.history(item.id)] == [
        "Dentist on Monday",
        "Dentist on Tuesday",
    ]
    kept = run(tools, "update_memory", knowledge_id=item.id, domain="health")
    assert kept["item"]["due_at"] == answer["item"]["due_at"]


@pytest.mark.covers("GM-84", "GM-94")
def test_update_notes_that_the_user_was_reminded(memory: Memory, tools: dict[str, Tool]) -> None:
    """With reminded_at="now" the item is due no more until its time comes."""
    made = run(tools, "remember", fact="Pay rent", category="reminder", due_at="2026-01-07")
    assert memory.due()

    answer = run(tools, "update_memory", knowledge_id=made["knowledge_id"], reminded_at="now")

    assert answer["item"]["reminded_at"]
    assert not memory.due()


@pytest.mark.covers("GM-84")
def test_update_can_say_whom_it_is_about(memory: Memory, tools: dict[str, Tool]) -> None:
    """The statement about the new person takes the old one's place, with its history."""
    made = run(tools, "remember", fact="Plays the cello", entity="person:ben")
    answer = run(tools, "update_memory", knowledge_id=made["knowledge_id"], entity="person:sarah")

    assert answer["item"]["entity"] == "person:sarah"
    assert [item.entities for item in memory.items.list()] == [("person:sarah",)]


@pytest.mark.parametrize("name", ["update_memory", "forget"])
def test_what_the_user_said_is_changed_by_the_users_words_only(
    name: str, memory: Memory, tools: dict[str, Tool]
) -> None:
    """A model that acts on a document's words may not; one that the host lets speak for the user
    may, and the user's word stays that.
    """
    said = memory.remember("Ana lives in Lisbon", details=USER).item
    change = {"knowledge_id": said.id} | (
        {"content": "Ana lives in Porto"} if name == "update_memory" else {}
    )

    assert "user said this" in run(tools, name, **change)["message"]
    assert memory.get(said.id) == said
    trusted = memory_tools(memory, policy=ToolPolicy(speaks_for_user=lambda: True))
    assert run(trusted, name, **change)["status"] in ("updated", "removed")
    assert [item.tier for item in memory.items.list()] in ([Tier.USER], [])


@pytest.mark.covers("GM-85")
def test_forget_removes_or_says_that_there_is_none(memory: Memory, tools: dict[str, Tool]) -> None:
    """By id, for good."""
    made = run(tools, "remember", fact="A secret plan")

    assert run(tools, "forget", knowledge_id=made["knowledge_id"])["status"] == "removed"
    assert run(tools, "forget", knowledge_id=made["knowledge_id"])["status"] == "not_found"
    assert not memory.recall("secret plan")


@pytest.mark.covers("GM-86")
def test_past_talk_is_searched_by_words_days_and_times(
    memory: Memory, tools: dict[str, Tool]
) -> None:
    """Alone or together; numbers may be text, and are kept to what is allowed."""
    memory.ingest([{"role": "user", "content": "The boat leaks"}], Scope(session="old"))
    memory.clock.move(days=20)  # type: ignore[attr-defined]
    memory.ingest([{"role": "user", "content": "The boat is repaired"}], Scope(session="new"))
    search = "search_past_conversations"

    assert [one["content"] for one in run(tools, search, query="leaks")["results"]] == [
        "The boat leaks"
    ]
    assert [one["content"] for one in run(tools, search, days="7")["results"]] == [
        "The boat is repaired"
    ]
    assert [one["content"] for one in run(tools, search, days=9999, limit=0)["results"]]
    early = run(tools, search, query="boat", time_to="2026-01-10")
    assert [one["content"] for one in early["results"]] == ["The boat leaks"]
    assert memory.sessions.turns(early["results"][0]["session_id"])
    assert run(tools, search, limit=5)["status"] == "error"


@pytest.mark.covers("GM-91", "CX-4")
def test_sensitive_items_are_shown_only_where_the_host_says_so(memory: Memory) -> None:
    """Neither by search nor by list nor by id, unless the policy includes them."""
    id = memory_tools(memory)["remember"].run({"fact": "The PIN of the safe", "sensitive": "true"})[
        "knowledge_id"
    ]
    closed = memory_tools(memory, TOOLS)
    opened = memory_tools(memory, TOOLS, policy=ToolPolicy(include_sensitive=True))

    for name, arguments in (
        ("recall", {"query": "safe"}), ("recall", {"category": "fact"}), ("search_memory", {"query": "safe"}),
        ("load_memory", {"query": "safe"}), ("get_memory", {"memory_id": id}),
    ):  # fmt: skip
        assert closed[name].run(arguments)["status"] in ("empty", "not_found")
        assert opened[name].run(arguments)["status"] == "found"
    assert closed["search_facts"].run({"query": ["safe"]})["status"] == "empty"


@pytest.mark.covers("ED-28")
def test_facts_are_searched_by_three_questions_at_once(
    memory: Memory, tools: dict[str, Tool]
) -> None:
    """Their results are merged, each once, with its age; the model sees no top_k."""
    assert "again" in run(tools, "search_facts", query=["tea"])["message"]
    run(tools, "remember", fact="Ana likes green tea")
    run(tools, "remember", fact="Ana drinks tea at nine")
    memory.clock.move(days=3)  # type: ignore[attr-defined]

    found = run(tools, "search_facts", query=["green tea", "tea at nine", "Ana"])
    ids = [one["id"] for one in found["results"]]
    assert len(ids) == len(set(ids)) == 2
    assert {one["age"] for one in found["results"]} == {"3 days ago"}
    assert run(tools, "search_facts", query="green tea")["count"] >= 1
    assert run(tools, "search_facts", query=["a", "b", "c", "d"])["status"] == "error"
    assert "score" in run(tools, "search_facts", query=["tea"], debug=True, top_k=1)["results"][0]


@pytest.mark.covers("ED-33")
def test_facts_of_weeks_ago_are_found_word_for_word(memory: Memory, tools: dict[str, Tool]) -> None:
    """The model reads when to search: for what is not in the conversation, such as addresses, URLs
    and specifications; these come back as they were said.
    """
    said = (
        "The staging server is https://staging.example.org:8443/login?tab=2",
        "Ana's office is at Rua das Flores 214, 4050-262 Porto",
        "The pump takes 24 V DC, 3.5 A, and M6x20 bolts",
    )
    for fact in said:
        run(tools, "remember", fact=fact)
    memory.clock.move(days=40)  # type: ignore[attr-defined]
    questions = ["staging server URL", "Where is the office?", "What voltage does the pump take?"]
    found = run(tools, "search_facts", query=questions)["results"]

    assert {one["content"] for one in found} == set(said)
    assert {one["age"] for one in found} == {"1 month ago"}
    read = " ".join(tools["search_facts"].description.split())
    assert "not in this conversation" in read
    assert all(word in read for word in ("addresses", "URLs", "specifications", "weeks ago"))


@pytest.mark.covers("AD-26")
def test_load_memory_gives_the_five_best(tools: dict[str, Tool]) -> None:
    """As many as the host's limit says."""
    for number in range(8):
        run(tools, "remember", fact=f"Tea number {number} is good")

    assert run(tools, "load_memory", query="tea")["count"] == 5


@pytest.mark.covers("SO-75")
def test_search_and_fetch_by_id(memory: Memory, tools: dict[str, Tool]) -> None:
    """A search gives ids, and the id gives the record; errors have one prefix."""
    memory.ingest([{"role": "user", "content": "My flight is LX 318"}], Scope(session="trip"))
    run(tools, "remember", fact="Ana flies on Friday")

    found = run(tools, "search_memory", query="flight LX 318")
    turn = next(one for one in found["results"] if one.get("role"))
    assert (
        run(tools, "get_memory", memory_id=turn["id"])["memory"]["content"] == "My flight is LX 318"
    )
    assert run(tools, "get_memory", memory_id="nothing")["status"] == "not_found"
    assert tools["get_memory"].text({"memory_id": "x" * 257}).startswith(FAILED)
    assert tools["search_memory"].text({"query": "tea", "categories": ["gossip"]}) == (
        "Error: categories: 'gossip' is not one of " + ", ".join(
            ["fact", "preference", "error", "skill", "note", "reminder", "system", "profile", "permission"]
        )
    )  # fmt: skip


@pytest.mark.covers("SO-78")
def test_blocks_are_pinned_items_that_edits_correct(memory: Memory, tools: dict[str, Tool]) -> None:
    """Written, read, edited; older texts stay in the history; upkeep leaves them."""
    run(tools, "write_block", name="human", content="Name: Ana. Lives in Lisbon.")
    run(tools, "edit_block", name="human", old_text="Lisbon", new_text="Porto")
    run(tools, "edit_block", name="human", old_text="", new_text="Has a cat.")

    assert run(tools, "read_block")["blocks"] == {"human": "Name: Ana. Lives in Porto.\nHas a cat."}
    (item,) = memory.items.list()
    assert (item.pinned, item.tags) == (True, ("block:human",))
    assert len(memory.history(item.id)) == 3
    assert (
        run(tools, "edit_block", name="human", old_text="Lisbon", new_text="x")["status"] == "error"
    )
    assert run(tools, "read_block", name="none")["status"] == "not_found"


@pytest.mark.covers("SO-78")
def test_blocks_keep_to_their_budget(memory: Memory) -> None:
    """All of them together, in tokens and number; and to hosts that let nothing be written."""
    tools = memory_tools(memory, BLOCKS, policy=ToolPolicy(block_tokens=20, blocks_most=2))
    run(tools, "write_block", name="a", content="short")

    assert "tokens" in run(tools, "write_block", name="b", content="word " * 40)["message"]
    run(tools, "write_block", name="b", content="short")
    assert run(tools, "write_block", name="c", content="short")["status"] == "error"
    assert list(run(tools, "read_block")["blocks"]) == ["a", "b"]
    assert set(memory_tools(memory, BLOCKS, policy=ToolPolicy(may_write=False))) == {
        "read_block",
        "search_memory",
    }


@pytest.mark.covers("AD-27")
def test_a_contact_is_found_only_if_there_is_one(memory: Memory, tools: dict[str, Tool]) -> None:
    """Exactly one number is used; with several, or none, the user is asked."""
    run(tools, "remember", fact="My sister's number is +351 912 345 678")
    assert run(tools, "find_contact", recipient="my sister")["number"] == "+351 912 345 678"
    assert run(tools, "find_contact", recipient="my plumber")["status"] == "not_found"
    run(tools, "remember", fact="My sister's new number is +351 913 000 111")
    several = run(tools, "find_contact", recipient="my sister")
    assert (several["status"], len(several["candidates"])) == ("ambiguous", 2)
    assert run(tools, "find_contact", recipient="+44 20 7946 0958")["number"] == "+44 20 7946 0958"
    assert numbers_in("born 1990-02-03, PIN 1234, call 0049 30 901820") == ["0049 30 901820"]


@pytest.mark.covers("AD-27")
def test_a_relationship_leads_to_a_name_and_that_to_a_number(tools: dict[str, Tool]) -> None:
    """In two statements; with another number of that name the user is asked."""
    run(tools, "remember", fact="my sister is called Sarah")
    run(tools, "remember", fact="Call Sarah on 030 901820-15")
    run(tools, "remember", fact="Ben has the number 030 555000-11")

    found = run(tools, "find_contact", recipient="my sister")
    assert (found["status"], found["number"]) == ("found", "030 901820-15")
    run(tools, "remember", fact="Sarah at work: 030 777000-22")
    assert run(tools, "find_contact", recipient="my sister")["status"] == "ambiguous"


@pytest.mark.covers("AD-27")
def test_a_message_goes_out_only_to_the_one_number(memory: Memory) -> None:
    """The host sends; nobody is guessed."""
    sent: list[tuple[str, str, str]] = []
    tool = message_tool(memory, lambda *message: sent.append(message))
    memory.remember("Sarah's phone: 030 901820-15")

    assert tool.run({"recipient": "Sarah", "text": "Hi", "channel": "whatsapp"})["status"] == "sent"
    assert tool.run({"recipient": "Bob", "text": "Hi"})["status"] == "not_found"
    assert sent == [("030 901820-15", "Hi", "whatsapp")]
    assert list(tool.parameters["properties"]) == ["recipient", "text", "channel"]


@pytest.mark.covers("AD-30")
def test_tools_see_one_user_only(open_memory: OpenMemory) -> None:
    """A tool of Ben's memory finds, changes and forgets nothing of Ana's."""
    memory = open_memory(scope=None)
    ana, ben = (memory_tools(memory.at(user=user), TOOLS) for user in ("ana", "ben"))
    id = run(ana, "remember", fact="Ana likes green tea")["knowledge_id"]
    run(ana, "write_block", name="human", content="Ana")

    assert run(ben, "recall", query="green tea")["status"] == "empty"
    assert run(ben, "get_memory", memory_id=id)["status"] == "not_found"
    assert run(ben, "update_memory", knowledge_id=id, content="x")["status"] == "error"
    assert run(ben, "forget", knowledge_id=id)["status"] == "not_found"
    assert run(ben, "read_block")["blocks"] == {}


@pytest.mark.covers("LS-67")
def test_a_new_agent_finds_what_is_shared(open_memory: OpenMemory) -> None:
    """And a memory that cannot be read says so, which differs from nothing found."""
    memory = open_memory(scope=None)
    memory.at(shared=True).remember("The office closes at six")
    tools = memory_tools(memory.at(agent="new"), TOOLS)

    assert run(tools, "search_memory", query="office closes")["status"] == "found"
    memory.close()
    assert run(tools, "search_memory", query="office closes")["status"] == "error"


@pytest.mark.covers("CX-24")
def test_each_tool_has_one_name_and_aliases(memory: Memory) -> None:
    """An alias names one tool, never two; a host may rename a tool."""
    aliases = [alias for declared in TOOLS.values() for alias in declared.aliases]

    assert len(aliases) == len(set(aliases)) == len(ALIASES)
    assert not set(aliases) & set(TOOLS)
    assert (
        memory_tools(memory, ["core_memory_read"])["core_memory_read"].declared
        is TOOLS["read_block"]
    )
    renamed = memory_tools(memory, renamed={"recall": "recall_memory"})
    assert renamed["recall_memory"].declared is TOOLS["recall"]
    with pytest.raises(UnknownName, match="recal"):
        memory_tools(memory, ["recal"])
    with pytest.raises(UnknownName):
        memory_tools(memory, renamed={"nothing": "x"})
    with pytest.raises(InvalidInput, match="two tools"):
        memory_tools(memory, renamed={"recall": "forget", "forget": "forget"})


def test_new_items_go_where_the_host_says(memory: Memory) -> None:
    """The active context, unless the model names another."""
    tools = memory_tools(memory, policy=ToolPolicy(context=lambda: "work"))

    for given in ("", "personal"):
        tools["remember"].run({"fact": f"Told in {given}", "context": given})

    contexts = [item.scope.context for item in memory.items.list(Listing(descending=False))]
    assert contexts == ["work", "personal"]


def test_a_note_is_logged_in_the_session(memory: Memory, tools: dict[str, Tool]) -> None:
    """Word for word, as the agent's."""
    run(tools, "log_message", content="Checked the tides")

    (turn,) = memory.sessions.turns("chat-1")
    assert (turn.text, turn.role) == ("Checked the tides", "assistant")


@pytest.mark.parametrize("written", ["[" * 100_000, '{"a":' * 100_000, {1: "x", "y": 2}])
def test_what_no_model_should_write_is_told_in_the_answer(
    tools: dict[str, Tool], written: Any
) -> None:
    """Arguments nested without end, or with names that are no text, raise nothing."""
    answer = tools["recall"].run(written)

    assert answer["status"] == "error"
    assert "arguments" in answer["message"] or "is not an argument" in answer["message"]
