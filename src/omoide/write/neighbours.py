"""Which items may say the same as a new one: those that share enough words with it, or whose
vectors are near.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from omoide.nouns.embedder import Vector
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Category, Item
from omoide.nouns.kind import Kind
from omoide.nouns.match import Where
from omoide.nouns.scope import Scope
from omoide.store.base import Transaction
from omoide.tables.documents import Documents, Words
from omoide.tables.items import Items
from omoide.text.sameness import plain, same_text
from omoide.text.words import QueryTerm, query_terms
from omoide.write.decide import SHARED, Add, Candidate, Neighbour, decide, is_near
from omoide.write.index import item_words

TELLING = (
    6  # words of a new item that others are looked for by: the rarest of those that others have
)
PATIENCE_S = 1.0  # that a writer waits for the search index to be read into memory
CANDIDATES = 10  # items by keyword that a new one is compared with
NEIGHBOURS = 5  # items by vector, and by words, that a model compares a suggestion with
# the least cosine of those by vector; a small embedder puts "lives in" and "moved to" no nearer
# than this
NEAR = 0.3


def look_alikes(tx: Transaction, item: Item, words: Words, now: datetime) -> list[str]:
    """Items that share enough words with a new one to be looked at."""
    # what is yet to be may have been said before too
    return _matches(
        tx,
        item,
        words,
        _where(item.scope, now, item.valid_from if item.valid_from > now else None, item.category),
    )


def then_alike(tx: Transaction, item: Item, words: Words, now: datetime) -> list[str]:
    """Such items among those that held when a new one was said to, closed since or not."""
    return _matches(
        tx, item, words, _where(item.scope, now, min(item.valid_from, now), item.category)
    )


def near(
    tx: Transaction,
    scope: Scope,
    vector: tuple[int, Vector],
    now: datetime,
    *,
    limit: int = NEIGHBOURS,
    least: float = NEAR,
) -> list[str]:
    """The open items of a place, of any category, nearest to a vector with its embedder's number;
    those with at least that cosine.
    """
    model, direction = vector
    return [
        match.ref
        for match in tx.match_vector(direction, model, _where(scope, now, None, None), limit)
        if match.score >= least
    ]


def about_the_same(tx: Transaction, item: Item, now: datetime) -> list[str]:
    """The open items of its place, of any category, that the rarest content words of a new one
    find.
    """
    where = _where(item.scope, now, None, None)
    return [
        match.ref
        for match in tx.match_text(query_terms(item.text), where, NEIGHBOURS, rarest=TELLING)
    ]


def _where(scope: Scope, now: datetime, as_of: datetime | None, category: Category | None) -> Where:
    return Where(
        scope=scope,
        as_of=as_of,
        known_at=None,
        now=now,
        kinds=frozenset({Kind.ITEM}),
        categories=None if category is None else frozenset({category}),
        contexts=frozenset({scope.context}),
        include_sensitive=True,
        include_muted=True,
    )


def _matches(tx: Transaction, item: Item, words: Words, where: Where) -> list[str]:
    mine = frozenset(words.own.split(" "))
    matches = tx.match_text(
        [QueryTerm(word) for word in sorted(mine)],
        where,
        CANDIDATES,
        rarest=TELLING,
        least=SHARED,
        patience_s=PATIENCE_S,
    )
    docs = Documents(tx).words(item.scope.tenant, matches.docs.tolist())
    found = [ref for ref, own in docs if is_near(mine, frozenset(own.split(" ")))]
    # the older ones that are not in memory yet, at least if they say the same
    same = Documents(tx).same(item.scope, item.category, words.own) if matches.loading else []
    return list(dict.fromkeys([*found, *same]))


def may_stand(tx: Transaction, items: Iterable[Item], now: datetime) -> dict[ItemId, list[str]]:
    """Of items that are to be open again those that may say the same: open ones, and ones among
    them.

    For many they are looked for once, before any is opened: after each write the index is read
    anew.
    """
    opened = {item.id: item for item in items}
    said: dict[str, list[str]] = {}
    for item in opened.values():
        said.setdefault(plain(item.text), []).append(item.id)
    words = {id: Words(own=item_words(item)[0]) for id, item in opened.items()}
    return {
        id: [*look_alikes(tx, item, words[id], now), *said[plain(item.text)]]
        for id, item in opened.items()
    }


def stands_already(tx: Transaction, item: Item, ids: Iterable[str]) -> Item | None:
    """Another open item of its place, category and entities that says the same of a time that both
    hold at, of those that may.
    """
    others = (
        one
        for one in Items(tx).many(item.scope, list(ids)).values()
        if one.id != item.id and same_text(one.text, item.text)
    )
    return next(
        (
            one
            for one in others
            if one.holds and not isinstance(decide(Candidate.of(item), [Neighbour.of(one)]), Add)
        ),
        None,
    )


def said_since(tx: Transaction, item: Item, words: Words, seq: int) -> list[str]:
    """Such items that others wrote since the partition's counter was read."""
    mine = frozenset(words.own.split(" "))
    said = Documents(tx).said_since(item.scope, item.category, seq)
    return [ref for ref, own in said if is_near(mine, frozenset(own.split(" ")))]
