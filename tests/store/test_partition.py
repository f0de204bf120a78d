"""The search index in memory, over real rows of the SQLite schema."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.nouns.clock import from_micros
from omoide.nouns.embedder import Vector
from omoide.nouns.errors import InvalidInput, StoreError
from omoide.nouns.item import Category
from omoide.nouns.kind import Kind
from omoide.nouns.match import Match, Where
from omoide.nouns.scope import Scope
from omoide.store.base import FOREVER
from omoide.store.migrate import load_migrations
from omoide.store.queries import load_queries
from omoide.store.search.partition import Partitions, Shared, seen_once
from omoide.store.search.unread import Tuples
from omoide.text.words import QueryTerm

QUERIES = load_queries("sqlite")
STEPS = {m.name: m.sql for m in load_migrations("sqlite")}
SCHEMA = STEPS["search"] + STEPS["confirmed"].partition(";")[0]
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Doc:
    """A row of docs, with what most tests do not care about filled in."""

    doc: int
    own: str = "tea"
    user_id: str = "ana"
    tenant: str = "t"
    kind: str = "item"
    ref: str = ""
    part: int = 0
    agent: str = ""
    only_session: str = ""
    session_id: str = ""
    position: int = 0
    category: str = ""
    context: str = "global"
    sensitive: int = 0
    muted: int = 0
    unconfirmed: str = ""
    at: int = 0
    recorded_at: int = 0
    valid_from: int = 0
    valid_until: int = FOREVER
    closed_at: int = FOREVER
    superseded_at: int = FOREVER
    expires_at: int = FOREVER
    around: str = ""


class Rows:
    """The search tables of one database, written as the tables write them."""

    def __init__(self) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(SCHEMA)
        self.fetched: Counter[str] = Counter()

    def put(self, *docs: Doc) -> None:
        """Add documents, or alter those with the same number and owner."""
        for doc in docs:
            values = {**asdict(doc), "seq": self._advance(doc.tenant, doc.user_id)}
            names = ", ".join(values)
            self.db.execute(
                f"REPLACE INTO docs ({names}) VALUES ({', '.join(f':{n}' for n in values)})", values
            )
            if doc.kind == "turn" and not is_hidden(doc):
                self.db.execute(
                    QUERIES["vectors.stamp"],
                    {"seq": values["seq"], "tenant": doc.tenant, "ref": doc.ref},
                )

    def erase(self, *docs: Doc) -> None:
        """Take documents out, with their vectors."""
        for doc in docs:
            seq = self._advance(doc.tenant, doc.user_id)
            self.db.execute("DELETE FROM docs WHERE doc = ?", (doc.doc,))
            self.db.execute("DELETE FROM vectors WHERE doc = ?", (doc.doc,))
            self.db.execute(
                "INSERT INTO erased VALUES (?, ?, ?, ?)", (doc.tenant, doc.user_id, seq, doc.doc)
            )

    def embed(self, doc: Doc, vector: Vector, model: int = 1) -> None:
        """Put a document's vector."""
        seq = self._advance(doc.tenant, doc.user_id)
        row = (doc.tenant, doc.user_id, model, seq, doc.doc, vector.astype("<f4").tobytes())
        self.db.execute("REPLACE INTO vectors VALUES (?, ?, ?, ?, ?, ?)", row)

    def tuples(self, query: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        """A named query's rows, counted as they are fetched."""
        for row in self.db.execute(QUERIES[query], values):
            self.fetched[query] += 1
            yield row

    def snapshot(self) -> Rows:
        """The database as it is now, for a reader who does not see what comes later."""
        copy = Rows.__new__(Rows)
        copy.db, copy.fetched = apsw.Connection(":memory:"), Counter()
        with copy.db.backup("main", self.db, "main") as backup:
            backup.step()
        return copy

    def _advance(self, tenant: str, user: str) -> int:
        ((seq,),) = self.db.execute(QUERIES["partitions.advance"], {"tenant": tenant, "user": user})
        return int(seq)


def seen_by(user: str | None = "ana", tenant: str = "t", **filters: Any) -> Where:
    """A search by that user, now."""
    times = {name: filters.pop(name, NOW) for name in ("as_of", "known_at", "now")}
    return Where(
        scope=Scope(tenant=tenant, user=user, **filters.pop("scope", {})), **times, **filters
    )


def terms(*words: str) -> list[QueryTerm]:
    return [QueryTerm(word, 1.0) for word in words]


def unit(*values: float) -> Vector:
    vector = np.array(values, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def docs_of(matches: Iterable[Match]) -> list[int]:
    return [match.doc for match in matches]


# The same by hand: slow, and as plain as the definition


def is_hidden(doc: Doc) -> bool:
    """A turn that was undone: no search knows of it, nor do its neighbours or any statistics."""
    return doc.kind == "turn" and doc.superseded_at == 0


def may_see(doc: Doc, where: Where) -> bool:
    """The visibility rule, one clause after the other."""
    as_of, known_at, now = (
        None if t is None else int((t - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1e6)
        for t in (where.as_of, where.known_at, where.now)
    )
    assert now is not None
    held_from, held_to = (
        (max(now, doc.recorded_at), max(now, doc.recorded_at, doc.superseded_at))
        if as_of is None
        else (as_of, as_of)
    )
    since, until = (int(t.timestamp() * 1e6) if t else None for t in (where.since, where.until))
    return (
        not is_hidden(doc)
        and doc.tenant == where.scope.tenant
        and doc.user_id in ("", where.scope.user)
        and doc.agent in ("", where.scope.agent)
        and doc.only_session in ("", where.scope.session)
        and doc.kind in where.kinds
        and (where.categories is None or doc.category in where.categories)
        and (where.contexts is None or doc.context in where.contexts)
        and (since is None or doc.at >= since)
        and (until is None or doc.at < until)
        and (where.include_sensitive or not doc.sensitive)
        and (where.include_muted or not doc.muted)
        and not (where.confirmed_only and doc.unconfirmed)
        and (
            (("user" if doc.user_id else "agent" if doc.agent else "shared") not in where.off)
            or (where.scope.session is not None and doc.session_id == where.scope.session)
        )
        and (where.without_session is None or doc.session_id != where.without_session)
        and (known_at is None or doc.recorded_at <= known_at)
        and doc.valid_from <= held_from
        and (now if as_of is None else as_of) < doc.valid_until
        and (
            doc.superseded_at > (FOREVER - 1 if known_at is None else known_at)
            or doc.closed_at > held_to
        )
        and doc.expires_at > (now if as_of is None else as_of)
        and (where.only is None or doc.doc in where.only)
    )


def are_neighbours(one: Doc, other: Doc, turns: list[Doc]) -> bool:
    """One comes right before other in their session: the next part, or the next held turn's first
    part.
    """
    if (one.user_id, one.session_id) != (
        other.user_id,
        other.session_id,
    ) or other.position < one.position:
        return False
    key, end = (one.position, one.part), (other.position, other.part)
    same = [
        (t.position, t.part)
        for t in turns
        if (t.user_id, t.session_id) == (one.user_id, one.session_id)
    ]
    return key < end and not [k for k in same if key < k < end]


def by_hand(docs: list[Doc], words: list[QueryTerm], where: Where) -> dict[int, float]:
    """BM25 over the own words of documents and, at half weight, the words around them. What is of
    other agents or of other sessions alone is not counted.
    """
    counted = [
        d
        for d in docs
        if d.agent in ("", where.scope.agent) and d.only_session in ("", where.scope.session)
    ]
    turns = [d for d in docs if d.kind == "turn"]
    own = {d.doc: d.own.split() for d in docs}
    around = {
        d.doc: (
            d.around.split()
            + [
                w
                for t in turns
                if d.kind == "turn" and (are_neighbours(t, d, turns) or are_neighbours(d, t, turns))
                for w in t.own.split()
            ]
        )
        for d in docs
    }
    scores = dict.fromkeys(own, 0.0)
    means = [
        sum(len(field[d.doc]) for d in counted) / max(1, len(counted)) for field in (own, around)
    ]
    for word in words:
        n = sum(word.term in own[d.doc] for d in counted) or sum(
            word.term in d.around.split() for d in counted
        )
        idf = math.log(1 + (len(counted) - n + 0.5) / (n + 0.5)) if n else 0.0
        for d in scores:
            tf = sum(
                weight * field[d].count(word.term) / (1 - 0.75 + 0.75 * len(field[d]) / mean)
                for field, weight, mean in zip((own, around), (1.0, 0.5), means, strict=True)
                if mean
            )
            scores[d] += word.weight * idf * tf * 2.2 / (tf + 1.2)
    return {d: score for d, score in scores.items() if score > 0}


def ranked(docs: list[Doc], words: list[QueryTerm], where: Where) -> dict[int, float]:
    """What a search must give."""
    mine = [
        d
        for d in docs
        if d.tenant == where.scope.tenant
        and d.user_id in ("", where.scope.user)
        and not is_hidden(d)
    ]
    scores = by_hand(mine, words, where)
    return {d.doc: scores[d.doc] for d in mine if d.doc in scores and may_see(d, where)}


def mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The usual value in most cases, so that filters do not together exclude everything."""
    return st.sampled_from([usual] * 5 * len(others) + list(others))


TEXTS = st.lists(st.sampled_from(["tea", "rain", "茶", "c++", "mañana", "x"]), max_size=5).map(
    " ".join
)
DOCS = st.builds(
    Doc,
    doc=st.just(0),
    own=TEXTS,
    around=TEXTS,
    user_id=mostly("ana", "", "bob"),
    tenant=mostly("t", "other"),
    kind=st.sampled_from(["turn", "turn", "item"]),
    agent=mostly("", "a", "b"),
    only_session=mostly("", "s1", "s2"),
    session_id=st.sampled_from(["s1", "s2"]),
    position=st.integers(0, 5),
    part=st.integers(0, 1),
    category=st.sampled_from(["", "fact", "note"]),
    context=st.sampled_from(["global", "work"]),
    sensitive=mostly(0, 1),
    muted=mostly(0, 1),
    unconfirmed=mostly("", "basis closed"),
    **{name: st.integers(0, 6) for name in ("at", "recorded_at", "valid_from")},
    **{
        name: mostly(FOREVER, *range(7))
        for name in ("valid_until", "closed_at", "superseded_at", "expires_at")
    },
)
TIMES = mostly(9, *range(8)).map(from_micros)
WHERES = st.builds(
    Where,
    scope=st.builds(
        Scope,
        tenant=st.just("t"),
        user=mostly("ana", None),
        agent=st.sampled_from([None, "a"]),
        session=mostly(None, "s1", "s2"),
    ),
    as_of=st.one_of(st.none(), TIMES),
    known_at=st.one_of(st.none(), TIMES),
    now=TIMES,
    kinds=mostly(frozenset({Kind.ITEM, Kind.TURN}), frozenset({Kind.TURN}), frozenset(Kind)),
    categories=mostly(None, frozenset({Category.FACT})),
    contexts=mostly(None, frozenset({"work"}), frozenset({"nowhere"})),
    since=mostly(None, *map(from_micros, range(7))),
    until=mostly(None, *map(from_micros, range(7))),
    include_sensitive=st.booleans(),
    include_muted=st.booleans(),
    confirmed_only=st.booleans(),
    without_session=mostly(None, "s1", "s2", "s3"),
    off=mostly(
        frozenset[str](),
        frozenset({"user"}),
        frozenset({"agent"}),
        frozenset({"shared"}),
        frozenset({"agent", "user"}),
        frozenset({"shared", "agent"}),
    ),
    only=st.one_of(mostly(None, frozenset[int]()), st.frozensets(st.integers(1, 20), min_size=3)),
)
QUESTIONS = st.lists(
    st.builds(
        QueryTerm,
        st.sampled_from(["tea", "rain", "茶", "c++", "x", "unheard"]),
        st.sampled_from([1.0, 0.5]),
    ),
    min_size=1,
    max_size=4,
)
CHANGES = st.one_of(
    st.tuples(st.just("add"), DOCS),
    st.tuples(st.sampled_from(["alter", "erase"]), st.integers(0, 20), DOCS),
)


def change(rows: Rows, docs: dict[int, Doc], step: tuple[Any, ...], number: int) -> None:
    """One change to the database, and to the plain list of what it holds."""
    new: Doc = step[-1]
    old = docs.get(list(docs)[step[1] % len(docs)]) if step[0] != "add" and docs else None
    if step[0] == "erase" and old:
        rows.erase(docs.pop(old.doc))
        return
    new = (
        replace(new, doc=old.doc, tenant=old.tenant, user_id=old.user_id)
        if old
        else replace(new, doc=number)
    )
    place = (new.tenant, new.user_id, new.session_id, new.position, new.part)
    if new.kind == "turn":  # two turns are never in one place
        if any(
            d.kind == "turn"
            and d.doc != new.doc
            and (d.tenant, d.user_id, d.session_id, d.position, d.part) == place
            for d in docs.values()
        ):
            return
        new = replace(new, ref=f"{new.session_id}#{new.position}")
    docs[new.doc] = new
    rows.put(new)


@pytest.mark.covers("SO-70")
@settings(max_examples=150, deadline=None)
@given(
    st.lists(CHANGES, max_size=25),
    st.lists(st.tuples(WHERES, QUESTIONS), min_size=1, max_size=5),
    st.integers(1, 9),
    st.sampled_from([None, 1, 2, 5]),
)
def test_scores_are_bm25_over_what_the_asker_may_see(
    steps: list[tuple[Any, ...]],
    searches: list[tuple[Where, list[QueryTerm]]],
    batch: int,
    read_at_once: int | None,
) -> None:
    """After any changes, followed step by step or read afresh, however many rows at once, a search
    finds the documents and scores that the definition gives.
    """
    rows, docs, followed = Rows(), dict[int, Doc](), Partitions(step=read_at_once)
    for number, step in enumerate(steps, start=1):
        change(rows, docs, step, number)
        if number % batch == 0:
            followed.match_text(rows.tuples, terms("tea"), seen_by(), 5)
    for where, words in searches:
        expected = ranked(list(docs.values()), words, where)
        found = followed.match_text(rows.tuples, words, where, 100)

        assert {match.doc: match.score for match in found} == pytest.approx(expected, rel=1e-5)
        assert found == Partitions().match_text(rows.tuples, words, where, 100)
        assert found == sorted(found, key=lambda match: (-match.score, -match.doc))
        assert followed.match_text(rows.tuples, words, where, 3) == found[:3]
        assert all(
            (docs[m.doc].kind, docs[m.doc].part) == (m.kind, m.part) and docs[m.doc].ref == m.ref
            for m in found
        )


@pytest.mark.covers("GM-47")
@settings(max_examples=80, deadline=None)
@given(
    st.lists(CHANGES, max_size=25),
    st.lists(WHERES, min_size=1, max_size=4),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_nearest_vectors_are_exact_among_what_the_asker_may_see(
    steps: list[tuple[Any, ...]], searches: list[Where], batch: int, random: Any
) -> None:
    """After any changes of documents and vectors, a search gives the cosines of all it may see, and
    the same when read afresh.
    """
    rows, docs, vectors = Rows(), dict[int, Doc](), dict[int, Vector]()
    followed = Partitions(step=random.choice([None, 1, 2, 5]))
    question = unit(1, 2, 3)
    for number, step in enumerate(steps, start=1):
        change(rows, docs, step, number)
        for doc in random.sample(sorted(docs), min(len(docs), 2)):
            vectors[doc] = unit(*(random.choice([-1, 1, 2]) for _ in range(3)))
            rows.embed(docs[doc], vectors[doc])
        if number % batch == 0:
            (
                followed.match_text(rows.tuples, terms("tea"), seen_by(), 5)
                if random.random() < 0.5
                else None
            )
            followed.match_vector(rows.tuples, question, 1, seen_by(), 5)
    for where in searches:
        expected = {
            d: float(vectors[d] @ question)
            for d, doc in docs.items()
            if d in vectors and may_see(doc, where)
        }
        found = followed.match_vector(rows.tuples, question, 1, where, 100)

        assert {match.doc: match.score for match in found} == pytest.approx(expected, abs=1e-6)
        assert found == Partitions().match_vector(rows.tuples, question, 1, where, 100)
        assert followed.match_vector(rows.tuples, question, 1, where, 3) == found[:3]


def test_equal_scores_put_the_newer_document_first() -> None:
    """Of documents that match alike, the one added last comes first, whichever search finds
    them.
    """
    rows = Rows()
    for number in (1, 2, 3, 4):
        rows.put(Doc(number))
        rows.embed(Doc(number), unit(1, 1))

    assert docs_of(Partitions().match_text(rows.tuples, terms("tea"), seen_by(), 3)) == [4, 3, 2]
    assert docs_of(Partitions().match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3)) == [4, 3, 2]


def test_a_turn_is_found_by_its_neighbours_words_at_lower_rank() -> None:
    """A reply that does not name what it answers is found too, below the question that does."""
    rows = Rows()
    turns = [
        Doc(i, text, kind="turn", session_id="s", position=i)
        for i, text in enumerate(["hello", "which tea", "the green one", "bye"], 1)
    ]
    rows.put(*turns)

    found = Partitions().match_text(rows.tuples, terms("tea"), seen_by(), 5)

    assert docs_of(found) == [2, 1, 3] or docs_of(found) == [2, 3, 1]
    assert found[0].score > found[1].score
    assert {m.ref for m in found} == {"s#1", "s#2", "s#3"}


def test_once_its_turns_are_gone_a_partition_is_as_if_there_were_none() -> None:
    """Whoever held it tells of what is left what somebody tells who reads it afresh."""
    rows, held = Rows(), Partitions()
    turn = Doc(1, "tea", kind="turn", ref="s#0", session_id="s")
    rows.put(turn, Doc(2, "tea"))
    assert len(held.match_text(rows.tuples, terms("tea"), seen_by(), 5)) == 2

    rows.erase(turn)

    found = held.match_text(rows.tuples, terms("tea"), seen_by(), 5)
    assert found == Partitions().match_text(rows.tuples, terms("tea"), seen_by(), 5)
    assert docs_of(found) == [2]


def test_catching_up_reads_only_what_changed() -> None:
    """After one more document, one row is read, not all."""
    rows, partitions = Rows(), Partitions()
    for number in range(1, 51):
        rows.put(Doc(number))
        rows.embed(Doc(number), unit(1, number))
    partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3)
    rows.fetched.clear()

    rows.put(Doc(51))
    rows.embed(Doc(51), unit(1, 0))

    assert docs_of(partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 1)) == [51]
    assert (rows.fetched["docs.changed"], rows.fetched["vectors.changed"]) == (1, 1)


def test_nothing_is_read_twice_while_nothing_changes() -> None:
    """A second search asks for the counters alone."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1))
    partitions.match_text(rows.tuples, terms("tea"), seen_by(), 3)
    rows.fetched.clear()

    assert docs_of(partitions.match_text(rows.tuples, terms("tea"), seen_by(), 3)) == [1]
    assert set(rows.fetched) == {"partitions.seen"}


def test_one_reader_asks_for_the_counters_once() -> None:
    """What else one snapshot is searched for rests on the counters that it has read already."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2, user_id=""))
    reading = seen_once(rows.tuples, {})

    for _ in range(2):
        assert docs_of(partitions.match_text(reading, terms("tea"), seen_by(), 3)) == [2, 1]
        assert docs_of(partitions.match_text(reading, terms("tea"), seen_by(None), 3)) == [2]
    assert rows.fetched["partitions.seen"] == 3


@pytest.mark.covers("LS-52", "LS-26")
def test_a_new_wording_is_found_at_once_and_the_old_one_no_more() -> None:
    """An altered document is found by its new words and its new vector only."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1, "tea"), Doc(2, "milk"))
    rows.embed(Doc(1), unit(1, 0))
    partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3)

    rows.put(Doc(1, "coffee"))
    rows.embed(Doc(1), unit(0, 1))

    assert partitions.match_text(rows.tuples, terms("tea"), seen_by(), 3) == []
    assert docs_of(partitions.match_text(rows.tuples, terms("coffee"), seen_by(), 3)) == [1]
    (match,) = partitions.match_vector(rows.tuples, unit(0, 1), 1, seen_by(), 3)
    assert match.score == pytest.approx(1.0)


def test_a_vector_outlives_a_change_of_its_document() -> None:
    """Muting and unmuting a document needs no new vector."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2))
    rows.embed(Doc(1), unit(1, 0))
    partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3)

    rows.put(Doc(1, muted=1))
    assert partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3) == []
    rows.put(Doc(1))
    assert docs_of(partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3)) == [1]


def test_an_erased_document_is_found_no_more() -> None:
    """After an erasure neither words nor vector lead to the document."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2))
    rows.embed(Doc(1), unit(1, 0))
    partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3)

    rows.erase(Doc(1))

    assert docs_of(partitions.match_text(rows.tuples, terms("tea"), seen_by(), 3)) == [2]
    assert partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 3) == []


def test_a_forgotten_document_reads_no_other_again() -> None:
    """Whatever language it is in, only what changed is read."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1, own="schlussel ~hausturschlussel"), Doc(2, own="dose ~mehldos"))
    partitions.match_text(rows.tuples, terms("dose"), seen_by(), 10)
    read: list[tuple[str, object]] = []

    def told(query: str, values: dict[str, object]) -> Any:
        read.append((query, values.get("since")))
        return rows.tuples(query, values)

    rows.erase(Doc(1))

    assert docs_of(partitions.match_text(told, terms("dose"), seen_by(), 10)) == [2]
    assert [since for query, since in read if query == "docs.changed"] != [0]


def test_an_older_reader_does_no_harm() -> None:
    """A reader who does not see the newest changes neither undoes them nor loses vectors for those
    who do.
    """
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2))
    rows.embed(Doc(1), unit(1, 0))
    older = rows.snapshot()
    rows.erase(Doc(1))
    rows.put(Doc(3))
    rows.embed(Doc(3), unit(1, 0))
    partitions.match_text(rows.tuples, terms("tea"), seen_by(), 5)

    assert partitions.match_vector(older.tuples, unit(1, 0), 1, seen_by(), 5) == []
    assert 1 not in docs_of(partitions.match_text(older.tuples, terms("tea"), seen_by(), 5))
    assert docs_of(partitions.match_text(rows.tuples, terms("tea"), seen_by(), 5)) == [3, 2]
    assert docs_of(partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 5)) == [3]


@pytest.mark.parametrize("query", ["docs.changed", "docs.erased", "vectors.changed"])
@pytest.mark.parametrize("loaded_before", [True, False])
def test_a_load_that_breaks_off_leaves_nothing_behind(query: str, loaded_before: bool) -> None:
    """The next search finds what it would have found without the failure."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2))
    rows.embed(Doc(1), unit(1, 0))
    if loaded_before:
        partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 5)
    rows.put(Doc(1, "coffee"), *(Doc(i, "tea rain") for i in range(3, 3000)))
    for number in range(3, 1500):
        rows.embed(Doc(number), unit(1, number))
    rows.erase(Doc(2))

    def failing(name: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        for number, row in enumerate(rows.tuples(name, values)):
            if name == query and number == (0 if name == "docs.erased" else 1400):
                raise StoreError("gone")
            yield row

    if loaded_before or query != "docs.erased":
        with pytest.raises(StoreError):
            partitions.match_vector(failing, unit(1, 0), 1, seen_by(), 5)

    for word in ("tea", "rain", "coffee"):
        expected = Partitions().match_text(rows.tuples, terms(word), seen_by(), 9)
        assert partitions.match_text(rows.tuples, terms(word), seen_by(), 9) == expected
    expected = Partitions().match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 9)
    assert partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 9) == expected


def test_many_changes_are_read_afresh_and_give_the_same() -> None:
    """When most of what is held is dead it is dropped, which nobody notices but by the memory."""
    rows, partitions = Rows(), Partitions()
    rows.put(*(Doc(i) for i in range(1, 101)))
    for number in range(1, 101):
        rows.embed(Doc(number), unit(1, number))
    for turn in range(12):
        rows.put(*(Doc(i, f"tea {turn}") for i in range(1, 101)))
        rows.embed(Doc(turn + 1), unit(1, 0))
        rows.erase(Doc(200 + turn))
        found = partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 100)

        assert found == Partitions().match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 100)
        assert len(partitions.match_text(rows.tuples, terms(str(turn)), seen_by(), 200)) == 100
    fresh = Partitions()
    fresh.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 100)
    assert partitions.memory_bytes() < 6 * fresh.memory_bytes()


def test_others_partitions_are_neither_read_nor_counted() -> None:
    """What other tenants and users hold is not even asked for, so it moves no score."""
    rows, asked = Rows(), set()
    rows.put(Doc(1), Doc(2, "milk"), Doc(3, "milk", user_id=""))
    alone = Partitions().match_text(rows.tuples, terms("tea"), seen_by(), 5)
    rows.put(
        *(Doc(i, user_id="bob") for i in range(10, 40)),
        *(Doc(i, tenant="other", user_id="ana") for i in range(50, 70)),
    )

    def watched(name: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        asked.add((values["tenant"], values["user"]))
        return rows.tuples(name, values)

    assert Partitions().match_text(watched, terms("tea"), seen_by(), 5) == alone
    assert asked == {("t", "ana"), ("t", "")}


def test_without_a_user_only_rows_of_no_user_are_searched() -> None:
    """A missing user means no user's rows, never all."""
    rows = Rows()
    rows.put(Doc(1), Doc(2, user_id=""))

    assert docs_of(Partitions().match_text(rows.tuples, terms("tea"), seen_by(None), 5)) == [2]
    assert docs_of(Partitions().match_text(rows.tuples, terms("tea"), seen_by(), 5)) == [2, 1]


def test_loading_one_partition_holds_up_no_other() -> None:
    """While one partition is being read, another is searched."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2, user_id="bob"))
    started, go_on = threading.Event(), threading.Event()

    def slow(name: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        if name == "docs.changed":
            started.set()
            assert go_on.wait(10)
        return rows.tuples(name, values)

    found: list[Match] = []
    loading = threading.Thread(
        target=lambda: found.extend(partitions.match_text(slow, terms("tea"), seen_by(), 5))
    )
    loading.start()
    assert started.wait(10)
    try:
        assert docs_of(partitions.match_text(rows.tuples, terms("tea"), seen_by("bob"), 5)) == [2]
    finally:
        go_on.set()
        loading.join()
    assert docs_of(found) == [1]


def test_a_forked_child_reads_what_the_parent_was_reading() -> None:
    """A thread that is at a partition while the process forks keeps the child from nothing."""
    rows = Rows()
    rows.put(Doc(1), Doc(2), Doc(3))
    started, go_on = threading.Event(), threading.Event()

    def slow(name: str, values: dict[str, object]) -> Iterator[tuple[Any, ...]]:
        if name == "docs.changed":
            started.set()
            assert go_on.wait(20)
        return rows.tuples(name, values)

    @contextmanager
    def reading(tenant: str) -> Iterator[Tuples]:
        yield slow

    partitions = Partitions(reading=reading, step=1)
    partitions.match_text(rows.tuples, terms("tea"), seen_by(), 5, shared=Shared(0.0))
    assert started.wait(10)  # the thread holds the partition
    copy = rows.snapshot()
    child = os.fork()
    if not child:
        search = (copy.tuples, terms("tea"), seen_by(), 5)
        found = partitions.match_text(*search, shared=Shared(time.monotonic() + 5))
        os._exit(0 if docs_of(found) == [3, 2, 1] and not found.loading else 1)
    go_on.set()
    _, status = os.waitpid(child, 0)
    partitions.close()

    assert status == 0


def test_searches_of_many_threads_amid_changes_are_never_wrong() -> None:
    """Every search sees all that was there when it began, in its place and once."""
    rows, partitions, lock = Rows(), Partitions(), threading.Lock()
    faults: list[object] = []
    stop = threading.Event()

    def tuples(name: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        with lock:
            return list(rows.tuples(name, values))

    def search() -> None:
        while not stop.is_set():
            with lock:
                least = len(rows.db.execute("SELECT doc FROM docs").fetchall())
            found = partitions.match_text(tuples, terms("tea"), seen_by(), 10_000)
            scores = {match.score for match in found}
            if len(found) < least or len(set(docs_of(found))) != len(found) or len(scores) > 1:
                faults.append((least, len(found), len(scores)))

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(1, 400):
        with lock:
            rows.put(Doc(number), Doc(1 + number // 2))
    stop.set()
    for thread in threads:
        thread.join()

    assert not faults
    assert len(partitions.match_text(tuples, terms("tea"), seen_by(), 10_000)) == 399


def test_least_recently_searched_partitions_make_room() -> None:
    """Beyond its budget, what was not searched for longest is dropped and read again when asked
    for.
    """
    rows = Rows()
    rows.put(*(Doc(i, user_id=user) for i, user in enumerate(["ana", "bob", "cyn"] * 40, start=1)))
    ample = Partitions()
    for user in ("ana", "bob", "cyn"):
        ample.match_text(rows.tuples, terms("tea"), seen_by(user), 5)
    partitions = Partitions(memory_budget_bytes=ample.memory_bytes() * 5 // 6)

    for user in ("ana", "bob", "ana", "cyn"):  # bob's goes
        partitions.match_text(rows.tuples, terms("tea"), seen_by(user), 5)
    read = []
    for user in ("ana", "bob"):
        rows.fetched.clear()
        partitions.match_text(rows.tuples, terms("tea"), seen_by(user), 5)
        read.append(rows.fetched["docs.changed"])

    assert read == [0, 40]
    assert 0 < partitions.memory_bytes() < ample.memory_bytes()
    partitions.clear()
    assert partitions.memory_bytes() == 0


def test_models_are_kept_apart() -> None:
    """Vectors of another embedder, of another dimension too, are not compared with."""
    rows, partitions = Rows(), Partitions()
    rows.put(Doc(1), Doc(2))
    rows.embed(Doc(1), unit(1, 0), model=1)
    rows.embed(Doc(2), unit(1, 0, 0), model=2)

    assert docs_of(partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 5)) == [1]
    assert docs_of(partitions.match_vector(rows.tuples, unit(1, 0, 0), 2, seen_by(), 5)) == [2]
    assert partitions.match_vector(rows.tuples, unit(1, 0), 3, seen_by(), 5) == []
    with pytest.raises(InvalidInput, match="2 dimensions"):
        partitions.match_vector(rows.tuples, unit(1, 0, 0), 1, seen_by(), 5)


def test_stored_vectors_of_unlike_sizes_are_refused() -> None:
    """A vector table that cannot be right is reported, not read somehow."""
    rows = Rows()
    rows.put(Doc(1), Doc(2))
    rows.embed(Doc(1), unit(1, 0))
    rows.embed(Doc(2), unit(1, 0, 0))

    with pytest.raises(StoreError, match="8 and 12 bytes"):
        Partitions().match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 5)

    partitions = Partitions()
    rows.erase(Doc(2))
    partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 5)
    rows.put(Doc(3))
    rows.embed(Doc(3), unit(1, 0, 0))
    with pytest.raises(StoreError, match="2 and 3 dimensions"):
        partitions.match_vector(rows.tuples, unit(1, 0), 1, seen_by(), 5)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_limit_finds_nothing(limit: int) -> None:
    """Asking for no documents gives none."""
    rows = Rows()
    rows.put(Doc(1))

    assert Partitions().match_text(rows.tuples, terms("tea"), seen_by(), limit) == []
    assert Partitions().match_vector(rows.tuples, unit(1, 0), 1, seen_by(), limit) == []


def test_terms_that_are_no_words_match_nothing() -> None:
    """Neither an empty term nor a lone surrogate breaks a search."""
    rows = Rows()
    rows.put(Doc(1))

    assert Partitions().match_text(rows.tuples, terms("", "\ud800", " "), seen_by(), 5) == []
    assert docs_of(Partitions().match_text(rows.tuples, terms("", "tea"), seen_by(), 5)) == [1]
