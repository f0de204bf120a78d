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
from omoide.write.index import words_of

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
    as_of = item.valid_from if item.valid_from > now else None
    return _matches(tx, item, words, _where(item.scope, now, as_of, item.category))


def then_alike(tx: Transaction, item: Item, words: Words, now: datetime) -> list[str]:
    """Such items among those that held when a new one was said to, closed since or not."""
    where = _where(item.scope, now, min(item.valid_from, now), item.category)
    return _matches(tx, item, words, where)


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
    found = tx.match_vector(direction, model, _where(scope, now, None, None), limit)
    return [match.ref for match in found if match.score >= least]


def about_the_same(tx: Transaction, item: Item, now: datetime) -> list[str]:
    """The open items of its place, of any category, that the rarest content words of a new one
    find.
    """
    where = _where(item.scope, now, None, None)
    found = tx.match_text(query_terms(item.text), where, NEIGHBOURS, rarest=TELLING)
    return [match.ref for match in found]


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
    asked = [QueryTerm(word) for word in sorted(mine)]
    matches = tx.match_text(
        asked, where, CANDIDATES, rarest=TELLING, least=SHARED, patience_s=PATIENCE_S
    )
    found = _near(mine, Documents(tx).words(item.scope.tenant, matches.docs.tolist()))
    # the older ones that are not in memory yet, at least if they say the same
    same = Documents(tx).same(item.scope, item.category, words.own) if matches.loading else []
    return list(dict.fromkeys([*found, *same]))


def _near(mine: frozenset[str], others: Iterable[tuple[str, str]]) -> list[str]:
    """Of records with their words those that are near to some words."""
    return [ref for ref, own in others if is_near(mine, frozenset(own.split(" ")))]


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
    return {
        id: [*look_alikes(tx, item, words_of(item), now), *said[plain(item.text)]]
        for id, item in opened.items()
    }


def stands_already(tx: Transaction, item: Item, ids: Iterable[str]) -> Item | None:
    """Another open item of its place, category and entities that says the same of a time that both
    hold at, of those that may.
    """
    for one in Items(tx).many(item.scope, list(ids)).values():
        same = one.id != item.id and one.holds and same_text(one.text, item.text)
        if same and not isinstance(decide(Candidate.of(item), [Neighbour.of(one)]), Add):
            return one
    return None


def said_since(tx: Transaction, item: Item, words: Words, seq: int) -> list[str]:
    """Such items that others wrote since the partition's counter was read."""
    said = Documents(tx).said_since(item.scope, item.category, seq)
    return _near(frozenset(words.own.split(" ")), said)
