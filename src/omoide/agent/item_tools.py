"""The tools that keep items: remember, recall, update and forget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from omoide.agent.shown import item_shown
from omoide.agent.tool import ToolAnswer, Toolbox, tool
from omoide.nouns.change import Because
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import Forbidden, InvalidInput, NotFound
from omoide.nouns.item import Category, Details, Item, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from omoide.write.remember import Outcome, Remembered, Statement

FACT_LIMIT = 2_000  # characters; of more the rest is left out, which the answer says
SEARCH_LIMIT, BROWSE_LIMIT, LIMIT_MOST = 10, 20, 100
REACH = 1_000  # hits that a search looks through for one page
Noted = Literal["fact", "preference", "error", "skill", "note", "reminder"]
CATEGORIES = tuple(Noted.__args__)  # type: ignore[attr-defined]
SAID_BY_USER = (
    "the user said this, so only their own words may change it; store the new statement with"
    " remember, and ask the user which one holds"
)
DID = {
    Outcome.ADDED: "Remembered.",
    Outcome.REINFORCED: "Known already; noted that it was said again.",
    Outcome.SUPERSEDED: "Remembered; it replaces an older statement.",
    Outcome.IGNORED: "The user said this already, so nothing was added.",
}


@tool("save_memory", "add_memory", "archival_memory_write", writes=True)
def remember(
    box: Toolbox,
    fact: str,
    category: str = "fact",
    domain: str = "",
    due_at: str = "",
    context: str = "",
    sensitive: str = "false",
    entity: str = "",
) -> ToolAnswer:
    """Store something in long-term memory, word for word. Use it at once when the user states a
    fact, preference, plan, commitment or deadline, or asks you to remember something. Call it once
    for each separate fact. Keep the user's details: names, numbers, dates and places. Say that
    something is saved only after this tool answered "stored".

    Args:
        fact: One complete statement that makes sense by itself, such as "Ana is allergic to nuts".
        category: fact, preference, error, skill, note or reminder.
        domain: A sub-type, such as journal, meeting, research or habit:running.
        due_at: When it is due, as an ISO 8601 date or time, such as 2026-03-01T09:00.
        context: The area of life, such as work or personal; empty for the current one.
        sensitive: "true" for private data that must not appear unasked.
        entity: Who or what it is about, as type:name, such as person:sarah_chen.
    """
    text, cut = fact.strip()[:FACT_LIMIT], len(fact.strip()) > FACT_LIMIT
    details = Details(domain=_name(domain), sensitive=_is_yes(sensitive))
    done = box.memory.remember(
        text,
        box.scope(context),
        category=_category(category),
        entities=[entity] if entity.strip() else [],
        due_at=_time(due_at, "due_at"),
        details=details,
    )
    return _stored(box, done, cut=cut)


@tool("recall_memory_search", "list_memories")
def recall(
    box: Toolbox,
    query: str = "",
    category: str = "",
    domain: str = "",
    context: str = "",
    entity: str = "",
    limit: int = 0,
    offset: int = 0,
    time_from: str = "",
    time_to: str = "",
) -> ToolAnswer:
    """Look up what you know from long-term memory: facts, preferences, notes, reminders and people
    from earlier conversations. Give a query to search by meaning; leave it empty to list by
    category, domain, context, entity or time. For "show my journal" list category note with domain
    journal; for "what reminders do I have" list category reminder. Give at least one argument.

    Args:
        query: What to look for, in plain words.
        category: Only this category: fact, preference, error, skill, note or reminder.
        domain: Only this sub-type.
        context: Only this area of life; empty for all.
        entity: Only what is about this person or thing, as type:name.
        limit: How many to return, at most 100; 0 for the usual number.
        offset: How many to skip, for the next page.
        time_from: Only from this ISO 8601 time on.
        time_to: Only before this ISO 8601 time; a day counts to its end.
    """
    filters = (query, category, domain, context, entity, time_from, time_to)
    if not any(value.strip() for value in filters):
        raise InvalidInput("recall", "give a query or at least one filter")
    usual = SEARCH_LIMIT if query.strip() else BROWSE_LIMIT
    page = (min(max(limit, 0) or usual, LIMIT_MOST), max(offset, 0))
    find = _search if query.strip() else _browse
    found, more = find(box, filters, page)
    return {
        "status": "found" if found else "empty",
        "count": len(found),
        "offset": page[1],
        "has_more": more,
        "results": [item_shown(item) for item in found],
    }


@tool(writes=True)
def update_memory(
    box: Toolbox,
    knowledge_id: str,
    content: str = "",
    category: str = "",
    domain: str = "",
    due_at: str = "",
    reminded_at: str = "",
    context: str = "",
    sensitive: str = "",
    entity: str = "",
) -> ToolAnswer:
    """Change something in memory. When the user corrects a fact, call recall to find its id, then
    this tool with the new content. After you mention a due reminder, set reminded_at to "now". Move
    due_at to the next date for something that comes again. Only the arguments you give are changed.

    Args:
        knowledge_id: The id that recall or remember gave.
        content: The statement that is true now; the old one stays in history.
        category: fact, preference, error, skill, note or reminder.
        domain: A sub-type.
        due_at: When it is due, as an ISO 8601 date or time.
        reminded_at: "now" once you reminded the user, or an ISO 8601 time.
        context: The area of life.
        sensitive: "true" or "false".
        entity: Who or what it is about, as type:name.
    """
    item = _item(box, knowledge_id)
    changes = _changes(category, domain, due_at, reminded_at, context, sensitive)
    if not (changes or content.strip() or entity.strip()):
        raise InvalidInput("update_memory", "give something to change, such as content or due_at")
    _check_may_change(box, item, changes.keys() - {"domain", "reminded_at"} or content or entity)
    if content.strip() or entity.strip():
        item = _reworded(box, item, content, entity)
    if changes:
        acting = box.memory.acting(Because(actor="agent", tier=item.tier))
        item = acting.items.edit(item.id, **changes)
    return {
        "status": "updated",
        "knowledge_id": item.id,
        "message": "Updated." + (f" Its id is {item.id} now." if item.id != knowledge_id else ""),
        "item": item_shown(item),
    }


@tool("delete_memory", writes=True)
def forget(box: Toolbox, knowledge_id: str) -> ToolAnswer:
    """Erase one thing from memory for good, with all its versions. Use it only when the user asks
    to forget something; call recall first to find its id. To change a fact, use update_memory.

    Args:
        knowledge_id: The id that recall gave.
    """
    try:
        item = _item(box, knowledge_id)
    except NotFound:
        return {"status": "not_found", "message": f"There is no memory with id {knowledge_id}."}
    _check_may_change(box, item, True)
    box.memory.forget(item.id)
    return {"status": "removed", "knowledge_id": item.id, "message": "Forgotten."}


def _stored(box: Toolbox, done: Remembered, *, cut: bool) -> ToolAnswer:
    message = DID[done.outcome]
    if cut:
        message += f" Only the first {FACT_LIMIT} characters were kept."
    answer = {"status": "stored", "knowledge_id": done.item.id, "message": message}
    if done.similar is None:
        return answer
    near = box.memory.get(done.similar)
    assert isinstance(near, Item)  # only items are alike
    answer["message"] += (
        " Something similar is known. If the new statement replaces it, call update_memory with"
        f" id {near.id} and the new content."
    )
    return answer | {"similar": item_shown(near)}


def _search(
    box: Toolbox, filters: tuple[str, ...], page: tuple[int, int]
) -> tuple[list[Item], bool]:
    """A page of the items that a question finds, and whether there are more."""
    query, category, domain, context, entity, since, until = filters
    limit, offset = page
    asked = Query(
        text=query,
        kinds=frozenset({Kind.ITEM}),
        categories=frozenset({Category(_category(category))}) if category.strip() else None,
        contexts=frozenset({context.strip()}) if context.strip() else None,
        domain=_name(domain),
        entities=(entity.strip(),) if entity.strip() else (),
        since=_time(since, "time_from"),
        until=_end(until),
        include_sensitive=box.policy.include_sensitive,
    )
    hits = box.memory.recall(asked, limit=min(offset + limit + 1, REACH))
    items = [hit.item for hit in hits[offset:] if hit.item is not None]
    return items[:limit], len(items) > limit


def _browse(
    box: Toolbox, filters: tuple[str, ...], page: tuple[int, int]
) -> tuple[list[Item], bool]:
    """A page of the items that filters leave, latest first, and whether there are more."""
    _, category, domain, context, entity, since, until = filters
    limit, offset = page
    listed = box.memory.items.list(
        Listing(
            category=_category(category) if category.strip() else "",
            domain=domain.strip(),
            context=context.strip(),
            entity=entity.strip(),
            sensitive=None if box.policy.include_sensitive else False,
            since=_time(since, "time_from"),
            until=_end(until),
            limit=limit,
            offset=offset,
        )
    )
    return list(listed.items), listed.total > offset + limit


def _item(box: Toolbox, id: str) -> Item:
    """
    Raises:
        NotFound: no such item in the memory's scope, or a sensitive one that is not shown.
    """
    found = box.memory.get(id.strip())
    if not isinstance(found, Item) or (found.sensitive and not box.policy.include_sensitive):
        raise NotFound("item", id)
    return found


def _check_may_change(box: Toolbox, item: Item, changed: object) -> None:
    """
    Raises:
        Forbidden: the user said it, and the model does not act on the user's own words now.
    """
    if changed and item.tier is Tier.USER and not box.policy.speaks_for_user():
        raise Forbidden(SAID_BY_USER)


def _reworded(box: Toolbox, item: Item, content: str, entity: str) -> Item:
    """The item's successor with new words, or about somebody else; its trust stays."""
    text, own = content.strip() or item.text, Details(tier=item.tier)
    if entity.strip():
        # an item is about what it was when it was made: another one says the same about the new
        about = Statement(
            text=text,
            category=item.category.value,
            tags=item.tags,
            entities=[entity.strip()],
            due_at=item.due_at,
            details=replace(own, domain=item.domain, sensitive=item.sensitive, source=item.source),
        )
        box.memory.items.add_many([about], Scope(context=item.scope.context))
    return box.memory.correct(item.id, text, details=own).item


def _changes(*given: str) -> dict[str, Any]:
    """The attributes to set: those that are not empty."""
    names = ("category", "domain", "due_at", "reminded_at", "context", "sensitive")
    changes: dict[str, Any] = {
        name: value.strip() for name, value in zip(names, given, strict=True) if value.strip()
    }
    if "category" in changes:
        changes["category"] = _category(changes["category"])
    if "sensitive" in changes:
        changes["sensitive"] = _is_yes(changes["sensitive"])
    if "due_at" in changes:
        changes["due_at"] = _time(changes["due_at"], "due_at")
    if changes.get("reminded_at", "now") != "now":
        changes["reminded_at"] = _time(changes["reminded_at"], "reminded_at")
    return changes


def _category(name: str) -> str:
    """
    Raises:
        InvalidInput: no category that a model may write.
    """
    name = name.strip().lower() or Category.FACT
    if name not in CATEGORIES:
        raise InvalidInput("category", f"{name!r} is not one of {', '.join(CATEGORIES)}")
    return name


def _name(text: str) -> str | None:
    return text.strip() or None


def _time(text: str, field: str) -> Any:
    return parse_time(text, field=field) if text.strip() else None


def _end(text: str) -> Any:
    return parse_time(text, field="time_to", end_of_day=True) if text.strip() else None


def _is_yes(text: str) -> bool:
    return text.strip().lower() in ("true", "yes", "1")
