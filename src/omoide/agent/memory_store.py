"""A memory under the names of GAIA's ``MemoryStore``: knowledge, conversations and tool history.

Programs that were written for that store keep their calls. What is behind is Omoide's: an update
of the content supersedes the old statement, so a changed row has a new id, and its history stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from omoide.agent.gaia_knowledge import Knowledge
from omoide.agent.gaia_rows import (
    Row,
    knowledge_row,
    role_of,
    session_row,
    stats_row,
    summary_row,
    tool_row,
    turn_row,
)
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import parse_time
from omoide.nouns.errors import InvalidInput, NotFound
from omoide.nouns.item import CONFIDENCE, Category, Details, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import GLOBAL, Scope
from omoide.nouns.session import Conversation
from omoide.nouns.turn import Message, Turn
from omoide.tables.listing import Listing
from omoide.text.words import index_terms
from omoide.write.remember import Statement

MAX_CONTENT_LENGTH, MAX_TURN_LENGTH, MAX_FTS_QUERY_LENGTH = 2_000, 4_000, 500
VALID_CATEGORIES = frozenset(category.value for category in Category)
ALL = 1_000


class MemoryStore:
    """Knowledge, conversations and tool calls of one user.

    ``memory`` is one that is open already, bound to its user; else the one at ``db_path`` opens.
    """

    def __init__(
        self, db_path: Path | str | None = None, *, memory: Memory | None = None, user: str = "user"
    ) -> None:
        self._own = memory is None
        found = memory or Memory.open(db_path, user=user)
        self._memory = found.acting(Because(actor="agent", tier=Tier.USER))
        self._knowledge = Knowledge(self._memory)

    # --- knowledge ---

    def store(
        self,
        category: str,
        content: str,
        domain: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        confidence: float | None = None,
        due_at: str | None = None,
        source: str = "tool",
        context: str = GLOBAL,
        sensitive: bool = False,
        entity: str | None = None,
    ) -> str:
        """Store a statement, and return its id. One that says nearly the same as an open statement
        of the same category, context and entity takes its place.

        Raises:
            ValueError: the content is blank, or a category, source or time is wrong.
        """
        text, made = content.strip()[:MAX_CONTENT_LENGTH], Source(source)
        sure = CONFIDENCE[made] if confidence is None else min(max(confidence, 0.0), 1.0)
        details = Details(
            domain=domain or None,
            metadata=dict(metadata or {}),
            confidence=sure,
            sensitive=sensitive,
            source=made,
        )
        due = parse_time(due_at, field="due_at", zone=self._memory.zone()) if due_at else None
        known = self._knowledge.near(text, category, context or GLOBAL, entity)
        if known is not None:
            return self._knowledge.take_place(known, text, details, due)
        done = self._memory.remember(
            text,
            Scope(context=context or GLOBAL),
            category=category,
            entities=[entity] if entity else [],
            due_at=due,
            details=details,
        )
        return done.item.id

    def search(
        self,
        query: str,
        category: str | None = None,
        context: str | None = None,
        entity: str | None = None,
        include_sensitive: bool = False,
        top_k: int = 5,
        time_from: str | None = None,
        time_to: str | None = None,
    ) -> list[Row]:
        """Search open statements by words; each that is found counts as used."""
        if not index_terms(query):
            return []
        asked = Query(
            text=query[:MAX_FTS_QUERY_LENGTH],
            kinds=frozenset({Kind.ITEM}),
            categories=frozenset({Category(category)}) if category else None,
            contexts=frozenset({context}) if context else None,
            entities=(entity,) if entity else (),
            since=parse_time(time_from, field="time_from", zone=self._memory.zone())
            if time_from
            else None,
            until=parse_time(time_to, field="time_to", end_of_day=True, zone=self._memory.zone())
            if time_to
            else None,
            include_sensitive=include_sensitive,
            preset="keyword",
        )
        hits = self._memory.recall(asked, limit=top_k)
        return [knowledge_row(hit.item) for hit in hits if hit.item is not None]

    def get_by_category(
        self, category: str, context: str | None = None, domain: str | None = None, limit: int = 10
    ) -> list[Row]:
        """Return open statements of one category, the surest first, without sensitive ones."""
        listing = Listing(
            category=category,
            context=context or "",
            domain=domain or "",
            sort="confidence",
            limit=limit,
        )
        return self._rows(listing)

    def get_by_category_contexts(self, category: str, context: str, limit: int = 10) -> list[Row]:
        """Return open statements of a context and the global one, without sensitive ones."""
        listing = Listing(
            category=category, context=context, with_global=True, sort="confidence", limit=limit
        )
        return self._rows(listing)

    def get_by_entity(self, entity: str, limit: int = 20) -> list[Row]:
        """Return open statements about one entity."""
        return self._rows(Listing(entity=entity, sensitive=None, limit=limit))

    def get_item(self, knowledge_id: str) -> Row | None:
        """Return one statement, open or superseded; None for an unknown id."""
        item = self._knowledge.find(knowledge_id)
        return None if item is None else knowledge_row(item)

    def get_upcoming(
        self,
        within_days: int = 7,
        include_overdue: bool = True,
        context: str | None = None,
        limit: int = 10,
    ) -> list[Row]:
        """Return what is due within some days, or overdue, and not reminded of; soonest first."""
        listing = Listing(context=context or "", limit=limit)
        within = timedelta(days=within_days)
        found = self._memory.due(within, overdue=include_overdue, listing=listing)
        return [knowledge_row(item) for item in found]

    def update(self, knowledge_id: str, **changes: Any) -> bool:
        """Change what is given: content, category, domain, metadata, context, sensitive, entity,
        due_at, reminded_at or superseded_by. False for an unknown id.

        Raises:
            ValueError: a value is wrong, or the row would supersede itself.
        """
        item = self._knowledge.find(knowledge_id)
        if item is None:
            return False
        given = {name: value for name, value in changes.items() if value is not None}
        if (successor := given.pop("superseded_by", None)) is not None:
            return self._knowledge.give_way(item, str(successor))
        if given.pop("entity", None) not in (None, *item.entities):
            raise InvalidInput("entity", "is set when a statement is stored")
        if (content := given.pop("content", None)) is not None:
            text = str(content)[:MAX_CONTENT_LENGTH]
            item = self._memory.correct(item.id, text, details=Details(tier=item.tier)).item
        if given:
            self._memory.items.edit(item.id, **given)
        return True

    def update_confidence(self, knowledge_id: str, delta: float) -> None:
        """Add to a statement's confidence, within 0 to 1."""
        if item := self._knowledge.find(knowledge_id):
            sure = min(max(item.confidence + delta, 0.0), 1.0)
            self._memory.items.edit(item.id, confidence=sure)

    def delete(self, knowledge_id: str) -> bool:
        """Erase a statement with its history. False for an unknown id."""
        if self._knowledge.find(knowledge_id) is None:
            return False
        self._memory.forget(knowledge_id)
        return True

    def delete_by_source(self, source: str) -> int:
        """Erase all statements of a source, and return how many."""
        return self._knowledge.erase(source=source)

    def delete_by_category(self, category: str) -> int:
        """Erase all statements of a category, and return how many."""
        return self._knowledge.erase(category=category)

    def get_source_counts(self) -> dict[str, int]:
        """Return how many open statements there are of each source."""
        return dict(self._memory.stats().by_source)

    def get_all_knowledge(
        self,
        category: str | None = None,
        context: str | None = None,
        entity: str | None = None,
        sensitive: bool | None = None,
        search: str | None = None,
        sort_by: str = "updated_at",
        order: str = "desc",
        offset: int = 0,
        limit: int = 50,
        include_superseded: bool = False,
    ) -> Row:
        """Return one page of statements, and the total; ``search`` limits both to what it finds."""
        if search:
            rows = self.search(search, category, context, entity, sensitive is not False, ALL)
            page = rows[offset : offset + limit]
            return {"items": page, "total": len(rows), "offset": offset, "limit": limit}
        names = {"content": "text", "use_count": "uses"}
        listing = Listing(
            category=category or "",
            context=context or "",
            entity=entity or "",
            sensitive=sensitive,
            sort=names.get(sort_by, sort_by),
            descending=order != "asc",
            offset=offset,
            limit=limit,
            closed=include_superseded,
        )
        found = self._memory.items.list(listing)
        rows = [knowledge_row(item) for item in found]
        return {"items": rows, "total": found.total, "offset": offset, "limit": limit}

    def seed_bulk(self, items: Iterable[Mapping[str, Any]]) -> list[str]:
        """Store many statements, each as a row of its own, and return their ids."""
        statements = [
            Statement(
                text=str(row["content"])[:MAX_CONTENT_LENGTH],
                category=str(row.get("category", "fact")),
                entities=[row["entity"]] if row.get("entity") else [],
                details=Details(
                    domain=row.get("domain") or None,
                    source=Source(row.get("source", "seed")),
                    sensitive=bool(row.get("sensitive", False)),
                ),
            )
            for row in items
        ]
        return [str(item.id) for item in self._memory.items.add_many(statements)]

    # --- conversations ---

    def store_turn(self, session_id: str, role: str, content: str, context: str = GLOBAL) -> None:
        """Log a turn; a blank one is left out, and one over 4,000 characters is cut."""
        message = Message(text=content[:MAX_TURN_LENGTH], role=role_of(role))
        talk = Conversation(id=session_id, messages=(message,))
        if content.strip():
            self._memory.ingest(talk, Scope(context=context or GLOBAL))

    def get_history(
        self, session_id: str | None = None, context: str | None = None, limit: int = 20
    ) -> list[Row]:
        """Return the last turns of a session, or of all, oldest first."""
        try:
            turns = self._memory.sessions.turns(session_id, limit=1_000_000)
        except NotFound:
            return []
        return self._turn_rows(list(turns)[-limit:], context)

    def search_conversations(
        self, query: str, context: str | None = None, limit: int = 10
    ) -> list[Row]:
        """Search turns by words."""
        if not index_terms(query):
            return []
        asked = Query(
            text=query[:MAX_FTS_QUERY_LENGTH],
            kinds=frozenset({Kind.TURN}),
            contexts=frozenset({context}) if context else None,
            preset="keyword",
        )
        hits = self._memory.recall(asked, limit=limit)
        return self._turn_rows([hit.turn for hit in hits if hit.turn is not None], context)

    def get_recent_conversations(
        self, days: int = 7, context: str | None = None, limit: int = 50
    ) -> list[Row]:
        """Return the last turns of some days, oldest first."""
        since = self._memory.clock.now() - timedelta(days=days)
        turns = list(self._memory.sessions.turns(since=since, limit=1_000_000))
        return self._turn_rows(turns[-limit:], context)

    def get_sessions(self, limit: int = 20) -> list[Row]:
        """Return the latest sessions, each with the number of its turns and how it began."""
        return [session_row(preview) for preview in self._memory.sessions.list(limit=limit)]

    # --- tools ---

    def log_tool_call(
        self,
        session_id: str,
        tool_name: str,
        args: Mapping[str, Any] | None,
        result_summary: str | None,
        success: bool,
        error: str | None = None,
        duration_ms: int | None = None,
    ) -> None:
        """Note a call of a tool; arguments, result and error are cut at 500 characters."""
        self._memory.tool_calls.record(
            tool_name,
            Scope(session=session_id),
            args=args,
            result=result_summary or "",
            error=None if success else error or "failed",
            duration_ms=duration_ms,
        )

    def get_tool_history(self, tool_name: str, limit: int = 50) -> list[Row]:
        """Return the calls of a tool, latest first."""
        return [tool_row(call) for call in self._memory.tool_calls.list(tool_name, limit=limit)]

    def get_tool_errors(self, tool_name: str | None = None, limit: int = 10) -> list[Row]:
        """Return the calls that failed, of a tool or of all, latest first."""
        calls = self._memory.tool_calls.list(tool_name, failed=True, limit=limit)
        return [tool_row(call) for call in calls]

    def get_recent_errors(self, limit: int = 20) -> list[Row]:
        """Return the last calls that failed."""
        return self.get_tool_errors(limit=limit)

    def get_tool_summary(self) -> list[Row]:
        """Return for each tool how often it was called and with what success."""
        return [summary_row(summary) for summary in self._memory.tool_calls.summary()]

    def get_tool_stats(self, tool_name: str) -> Row:
        """Return what the calls of one tool add up to; zeros for one that was never called."""
        none = {"total_calls": 0, "success_rate": 0.0, "avg_duration_ms": None, "last_error": None}
        found = (row for row in self.get_tool_summary() if row["tool_name"] == tool_name)
        return next(found, none)

    # --- figures and upkeep ---

    def get_stats(self) -> Row:
        """Return what the memory adds up to, by knowledge, conversations, tools and time."""
        return stats_row(self._memory.stats(), self.get_tool_summary())

    def get_entities(self, limit: int = 100) -> list[Row]:
        """Return the entities, those with most statements first."""
        return [
            {"entity": entity.name, "count": entity.items, "last_updated": entity.last_used_at}
            for entity in self._memory.entities.list(limit=limit)
        ]

    def get_contexts(self, limit: int = 100) -> list[Row]:
        """Return the contexts, those with most statements first."""
        counted = sorted(self._memory.stats().by_context.items(), key=lambda pair: -pair[1])
        return [{"context": name, "count": count} for name, count in counted[:limit]]

    def get_embedding_coverage(self) -> Row:
        """Return how many records have a vector of the embedder at work."""
        found = next(iter(self._memory.stats().coverage), None)
        done, total = (found.with_vector, found.total) if found else (0, 0)
        percent = found.percent if found else 100.0
        without = total - done
        return {
            "total_items": total,
            "with_embedding": done,
            "without_embedding": without,
            "coverage_pct": percent,
        }

    def apply_confidence_decay(self) -> int:
        """Lower the confidence of what went unused, as a round of upkeep does; return how many."""
        return self._tidied("decay")

    def prune(self) -> dict[str, int]:
        """Run the part of upkeep that removes what is old, by the settings; return its counts."""
        (done,) = self._memory.admin.tidy(only=["prune"]).chores
        return dict(done.counts)

    def clear_knowledge(self) -> int:
        """Erase all statements of the user, and return how many."""
        return self._all_erased("items")

    def clear_conversations(self) -> int:
        """Erase all turns of the user, and return how many."""
        return self._all_erased("turns")

    def close(self) -> None:
        """Close the memory if this store opened it. Safe to call again."""
        if self._own:
            self._memory.close()

    # --- parts ---

    def _turn_rows(self, turns: Sequence[Turn], context: str | None) -> list[Row]:
        previews = self._memory.sessions.list(limit=ALL) if turns else ()
        names: dict[str, str] = {one.session.id: one.session.name for one in previews}
        return [turn_row(turn, context or GLOBAL, names) for turn in turns]

    def _rows(self, listing: Listing) -> list[Row]:
        return [knowledge_row(item) for item in self._memory.items.list(listing)]

    def _all_erased(self, what: str) -> int:
        try:
            return self._memory.admin.erase(what).erased.get(what, 0)
        except NotFound:
            return 0

    def _tidied(self, chore: str) -> int:
        (done,) = self._memory.admin.tidy(only=[chore]).chores
        return sum(done.counts.values())
