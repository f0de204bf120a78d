"""Rows that tests of a store write, and what is found of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from omoide.nouns.embedder import ModelState
from omoide.nouns.ids import ItemId, SessionId
from omoide.nouns.item import Category, Item
from omoide.nouns.kind import Kind
from omoide.nouns.match import Match, Signs, Where
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Role, Turn
from omoide.store.base import Transaction
from omoide.tables.documents import Documents, Words
from omoide.tables.embedders import Embedders
from omoide.tables.items import Items
from omoide.tables.turns import turn_id
from omoide.text.words import index_terms, query_terms
from omoide.write.index import turn_words

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
ANA, BEN = Scope(user="ana"), Scope(user="ben")
EAST = np.array([1, 0, 0], np.float32)


def an_item(
    text: str,
    *,
    id: str,
    scope: Scope = ANA,
    category: Category = Category.FACT,
    at: datetime = NOON,
) -> Item:
    """An item with nothing special about it."""
    return Item(
        id=ItemId(id),
        scope=scope,
        category=category,
        text=text,
        created_at=at,
        updated_at=at,
        recorded_at=at,
        valid_from=at,
    )


def where(scope: Scope = ANA, *, at: datetime = NOON + timedelta(days=1)) -> Where:
    """The filters of a question asked at a time, without any of its own."""
    return Where(scope=scope, as_of=at, known_at=at, now=at)


def add(tx: Transaction, item: Item, vector: Sequence[float] = (), model: int = 1) -> int:
    """Add an item with its words, and a vector if one is given; its document's number."""
    seq = Documents(tx).lock(item.scope.tenant, item.scope.user)
    Items(tx).add(item, salt=bytes(16))
    vectors = ((model, np.asarray(vector, np.float32)),) if len(vector) else ()
    return Documents(tx).add_item(
        item, seq, Words(own=" ".join(index_terms(item.text)), vectors=vectors)
    )


def add_turns(tx: Transaction, *said: tuple[Role, str]) -> list[int]:
    """Index what was said in Ana's session ``s`` at noon; the documents' numbers."""
    turns = [a_turn(n, role, text) for n, (role, text) in enumerate(said)]
    seq = Documents(tx).lock("default", "ana")
    Documents(tx).add_turns(ANA, seq, [(turn, turn_words(turn)) for turn in turns], only_session="")
    return [row["doc"] for turn in turns for row in Documents(tx).of("default", Kind.TURN, turn.id)]


def a_turn(position: int, role: Role, text: str) -> Turn:
    """A turn of Ana's session ``s`` at noon."""
    return Turn(
        id=turn_id("s", position),
        session=SessionId("s"),
        position=position,
        role=role,
        speaker="Ana",
        user="ana",
        text=text,
        at=NOON,
        recorded_at=NOON,
    )


def add_east(tx: Transaction, doc: int) -> None:
    """Give a document of Ana's a vector of the first embedder, which is made known."""
    Embedders(tx).add("one", "one", 3, ModelState.ACTIVE)
    Documents(tx).add_vector("default", "ana", 1, Documents(tx).lock("default", "ana"), doc, EAST)


def close(tx: Transaction, item: Item, at: datetime) -> None:
    """Let an item of Ana's be closed at a time."""
    closed = replace(item, closed_at=at, superseded_at=at)
    Items(tx).set(closed)
    Documents(tx).set_item(closed, Documents(tx).lock("default", "ana"))


def found(tx: Transaction, words: str, filters: Where | None = None, limit: int = 10) -> list[str]:
    """The records that words find, in order."""
    return refs(tx.match_text(query_terms(words), filters or where(), limit))


def signs(tx: Transaction, words: str) -> dict[str, Signs]:
    """What the index tells of the records that words find."""
    return {match.ref: match.signs for match in tx.match_text(query_terms(words), where(), 10)}


def about(told: Signs) -> tuple[str, bool, bool, bool, bool]:
    """Session, and who speaks and what is asked, in a turn and beside it."""
    return told.session, told.asks, told.after_question, told.assistant, told.assisted


def refs(matches: Sequence[Match]) -> list[str]:
    """The records that were found, in order."""
    return [match.ref for match in matches]
