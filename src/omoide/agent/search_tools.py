"""The tools that search: past conversations, facts, and everything; and fetch by id."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import timedelta
from typing import Any

from omoide.agent.shown import age, hit_shown, item_shown, turn_shown
from omoide.agent.tool import ToolAnswer, Toolbox, tool
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import InvalidInput, NotFound, TooLong
from omoide.nouns.hit import Hit
from omoide.nouns.item import Category, Item
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query

DAYS_MOST, PAST_MOST, FOUND_MOST, ID_MOST = 365, 50, 50, 256
QUESTIONS_MOST, TOP_LEAST, TOP_MOST = 3, 5, 25
NOT_AGAIN = "Nothing was found. Asking again in other words seldom helps; answer without it."


@tool("conversation_search", "recall_memory_read")
def search_past_conversations(
    box: Toolbox,
    query: str = "",
    days: int = 0,
    limit: int = 10,
    time_from: str = "",
    time_to: str = "",
) -> ToolAnswer:
    """Search what was said in earlier conversations, word for word, with who said it and when. Use
    it for questions such as "what did we talk about last week?" or "what exactly did I say about
    the boat?". For facts and preferences use recall instead. Give a query, days or a time.

    Args:
        query: Words to look for; empty for everything in the time given.
        days: Only the last so many days, from 1 to 365.
        limit: How many messages to return, from 1 to 50.
        time_from: Only from this ISO 8601 time on.
        time_to: Only before this ISO 8601 time; a day counts to its end.
    """
    if not (query.strip() or days or time_from.strip() or time_to.strip()):
        raise InvalidInput("search_past_conversations", "give a query, days or a time")
    limit = min(max(limit, 1), PAST_MOST)
    since = parse_time(time_from, field="time_from") if time_from.strip() else None
    if days and since is None:
        since = box.memory.clock.now() - timedelta(days=min(max(days, 1), DAYS_MOST))
    until = parse_time(time_to, field="time_to", end_of_day=True) if time_to.strip() else None
    asked = Query(text=query, kinds=frozenset({Kind.TURN}), since=since, until=until)
    turns = [hit.turn for hit in box.memory.recall(asked, limit=limit) if hit.turn is not None]
    if not query.strip():
        turns.sort(key=lambda turn: turn.at)
    return _found([turn_shown(turn) for turn in turns])


@tool()
def search_facts(
    box: Toolbox, query: list[str], *, top_k: int = 10, debug: bool = False
) -> ToolAnswer:
    """Search all facts ever stored, by meaning. Use it when the answer is not in this conversation:
    for addresses, URLs and specifications, and for what was said days or weeks ago. Give up to
    three different questions at once. Do not call it again and again: if nothing is found, answer
    without it.

    Args:
        query: One to three questions or phrases.
    """
    questions = [text.strip() for text in query if text.strip()]
    if not 1 <= len(questions) <= QUESTIONS_MOST:
        raise InvalidInput("query", f"give one to {QUESTIONS_MOST} questions")
    top_k = min(max(top_k, TOP_LEAST), TOP_MOST)
    searches = [Query(text=text, kinds=frozenset({Kind.ITEM})) for text in questions]
    merged: dict[str, Hit] = {}
    for hit in (hit for found in _side_by_side(box, searches, top_k) for hit in found):
        if hit.id not in merged or merged[hit.id].score < hit.score:
            merged[hit.id] = hit
    now = box.memory.clock.now()
    best = sorted(merged.values(), key=lambda hit: -hit.score)[:top_k]
    facts = [
        (hit_shown(hit) if debug else item_shown(hit.item)) | {"age": age(hit.at, now)}
        for hit in best
        if hit.item is not None
    ]
    return _found(facts)


@tool()
def load_memory(box: Toolbox, query: str) -> ToolAnswer:
    """Load the memories of this user that answer a question, from earlier conversations. Use it
    when the user refers to something that is not in this conversation.

    Args:
        query: The question, in plain words.
    """
    asked = Query(text=query, include_sensitive=box.policy.include_sensitive)
    hits = box.memory.recall(asked, limit=box.policy.recall_limit)
    return _found([hit_shown(hit) for hit in hits])


@tool("archival_memory_search", "search_memories")
def search_memory(
    box: Toolbox, query: str, limit: int = 10, categories: Sequence[str] = ()
) -> ToolAnswer:
    """Search long-term memory, facts and earlier messages alike, best match first. Each result has
    an id; get_memory gives the whole record.

    Args:
        query: What to look for, in plain words.
        limit: How many to return, from 1 to 50.
        categories: Only facts of these categories, such as preference; empty for everything.
    """
    if not query.strip():
        raise InvalidInput("query", "is empty")
    wanted = frozenset(_known(name) for name in categories)
    asked = Query(
        text=query,
        kinds=frozenset({Kind.ITEM}) if wanted else frozenset({Kind.ITEM, Kind.TURN}),
        categories=wanted or None,
        include_sensitive=box.policy.include_sensitive,
    )
    hits = box.memory.recall(asked, limit=min(max(limit, 1), FOUND_MOST))
    return _found([hit_shown(hit) for hit in hits])


@tool("recall_memory")
def get_memory(box: Toolbox, memory_id: str) -> ToolAnswer:
    """Get one memory by its id, whole, with the messages it comes from.

    Args:
        memory_id: The id that a search gave.
    """
    id = memory_id.strip()
    if len(id) > ID_MOST:
        raise TooLong("memory_id", len(id), ID_MOST)
    try:
        found = box.memory.get(id)
    except NotFound:
        return _no_such(id)
    if not isinstance(found, Item):
        return {"status": "found", "memory": turn_shown(found)}
    if found.sensitive and not box.policy.include_sensitive:
        return _no_such(id)
    said = box.memory.items.sources(id, around=0) if found.source_turns else ()
    shown = item_shown(found) | ({"sources": [turn_shown(turn) for turn in said]} if said else {})
    return {"status": "found", "memory": shown}


@tool("recall_memory_write", writes=True)
def log_message(box: Toolbox, content: str) -> ToolAnswer:
    """Add a note of your own to the log of this conversation, word for word.

    Args:
        content: What to note down.
    """
    logged = box.memory.ingest([{"role": "assistant", "content": content}])
    return {"status": "stored", "ids": list(logged.turns), "message": "Logged."}


def _side_by_side(box: Toolbox, searches: list[Query], limit: int) -> list[list[Hit]]:
    """What each search finds, all searched at the same time."""
    with ThreadPoolExecutor(len(searches)) as pool:
        running = [
            pool.submit(copy_context().run, box.memory.recall, asked, limit=limit)
            for asked in searches
        ]
        return [list(one.result()) for one in running]


def _found(results: list[dict[str, Any]]) -> ToolAnswer:
    if not results:
        return {"status": "empty", "count": 0, "results": [], "message": NOT_AGAIN}
    return {"status": "found", "count": len(results), "results": results}


def _no_such(id: str) -> ToolAnswer:
    return {"status": "not_found", "message": f"There is no memory with id {id}."}


def _known(name: str) -> Category:
    """
    Raises:
        InvalidInput: no category of that name.
    """
    if name.strip().lower() not in tuple(Category):
        raise InvalidInput("categories", f"{name!r} is not one of {', '.join(Category)}")
    return Category(name.strip().lower())
