"""The contract of a store, as tests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from omoide.nouns.embedder import ModelState
from omoide.nouns.errors import TenantMismatch
from omoide.nouns.item import Category
from omoide.nouns.kind import Kind
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Role
from omoide.store.base import Store, read_only
from omoide.tables.documents import Documents
from omoide.tables.embedders import Embedders
from omoide.tables.items import Items
from omoide.tables.meta import Meta
from omoide.testing.rows import (
    ANA,
    BEN,
    EAST,
    NOON,
    about,
    add,
    add_east,
    add_turns,
    an_item,
    close,
    found,
    refs,
    signs,
    where,
)
from omoide.text.words import QueryTerm, index_terms, query_terms


class StoreContract:
    """What every store promises. Inherit, and give a ``store`` fixture with an empty store."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test."""
        raise NotImplementedError("give a store fixture")

    def test_a_block_that_ends_well_is_kept(self, store: Store) -> None:
        """What a write block did is there for the next transaction."""
        with store.transaction(tenant="default") as tx:
            Meta(tx).set("colour", "blue")
        with read_only(store, "default") as tx:
            assert Meta(tx).get("colour") == "blue"

    def test_what_may_be_lost_in_a_crash_is_seen_by_all_until_then(self, store: Store) -> None:
        """A block that need not be durable is committed as any other."""
        with store.transaction(tenant="default", durable=False) as tx:
            Meta(tx).set("colour", "blue")
        with read_only(store, "default") as tx:
            assert Meta(tx).get("colour") == "blue"

    def test_a_block_that_raises_changes_nothing(self, store: Store) -> None:
        """All of a block or nothing."""
        with pytest.raises(ZeroDivisionError):
            _set(store, "colour", "blue", then=lambda: 1 // 0)
        with read_only(store, "default") as tx:
            assert Meta(tx).get("colour") is None

    def test_a_block_sees_what_it_wrote(self, store: Store) -> None:
        """Reads within a write transaction include its own writes."""
        with store.transaction(tenant="default") as tx:
            Meta(tx).set("colour", "blue")
            assert Meta(tx).get("colour") == "blue"

    def test_a_reader_keeps_its_snapshot(self, store: Store) -> None:
        """What another thread commits meanwhile is not seen until the next transaction."""
        with read_only(store, "default") as tx:
            assert Meta(tx).get("colour") is None
            in_thread(lambda: _set(store, "colour", "blue"))
            assert Meta(tx).get("colour") is None
        with read_only(store, "default") as tx:
            assert Meta(tx).get("colour") == "blue"

    def test_run_counts_the_rows_it_changed(self, store: Store) -> None:
        """The count is of rows changed, also over many sets of values."""
        with store.transaction(tenant="default") as tx:
            assert (
                tx.run("meta.set", many=[{"key": "a", "value": "1"}, {"key": "b", "value": "2"}])
                == 2
            )
            assert tx.run("sessions.hide", tenant="default", id="nobody", at=None) == 0

    @pytest.mark.parametrize(
        "text",
        ["", "plain", "naïve 東京 🦊 שלום", "'; DROP TABLE meta; --", 'a" OR "b', "x" * 100_000],
    )
    def test_text_comes_back_as_it_went_in(self, store: Store, text: str) -> None:
        """No value is ever read as a query."""
        with store.transaction(tenant="default") as tx:
            Meta(tx).set("text", text)
        with read_only(store, "default") as tx:
            assert Meta(tx).get("text") == text

    def test_counters_of_one_partition_never_repeat(self, store: Store) -> None:
        """Writers to one partition wait for each other, so each has a number of its own."""
        seqs: list[int] = []

        def write() -> None:
            for _ in range(10):
                with store.transaction(tenant="default") as tx:
                    seqs.append(Documents(tx).lock("default", "ana"))

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(seqs) == list(range(1, 41))

    def test_text_is_found_by_its_words(self, store: Store) -> None:
        """The best match comes first, and what shares no word is not found."""
        with store.transaction(tenant="default") as tx:
            add(tx, an_item("Ana drinks green tea", id="tea"))
            add(tx, an_item("Ana drinks tea, green tea and more tea", id="more"))
            add(tx, an_item("Ben sells bicycles", id="bikes"))
        with read_only(store, "default") as tx:
            assert found(tx, "bicycles") == ["bikes"]
            assert set(found(tx, "tea")) == {"tea", "more"}

    def test_a_write_block_finds_what_it_wrote(self, store: Store) -> None:
        """By words and by vectors, after each write; once it is undone, nobody finds it."""
        north = np.array([0, 1, 0], np.float32)
        with store.transaction(tenant="default") as tx:
            Embedders(tx).add("one", "one", 3, ModelState.ACTIVE)
            add(tx, an_item("Ana likes tea", id="old"), [1, 0, 0])
        with suppress(ZeroDivisionError), store.transaction(tenant="default") as tx:
            assert found(tx, "tea") == ["old"]
            add(tx, an_item("Ana likes green tea", id="new"), [0, 1, 0])
            assert set(found(tx, "tea")) == {"old", "new"}
            add(tx, an_item("Ana likes tea and rice", id="newest"), [0, 1, 0])
            assert set(refs(tx.match_vector(north, 1, where(), 2))) == {"new", "newest"}
            raise ZeroDivisionError
        with read_only(store, "default") as tx:
            assert found(tx, "tea") == ["old"]

    def test_a_rare_word_weighs_more_than_a_common_one(self, store: Store) -> None:
        """Scores are BM25: rarity counts."""
        with store.transaction(tenant="default") as tx:
            for n in range(20):
                add(tx, an_item(f"the garden gate number {n}", id=f"gate{n}"))
            add(tx, an_item("the pelican", id="rare"))
        with read_only(store, "default") as tx:
            terms = [QueryTerm(t.term, t.weight) for t in query_terms("garden pelican")]
            assert refs(tx.match_text(terms, where(), 3))[0] == "rare"

    def test_a_limit_keeps_the_best(self, store: Store) -> None:
        """No more come back than were asked for."""
        with store.transaction(tenant="default") as tx:
            for n in range(10):
                add(tx, an_item("tea " * (n + 1), id=f"i{n}"))
        with read_only(store, "default") as tx:
            assert found(tx, "tea", limit=3) == found(tx, "tea")[:3]

    def test_equal_scores_put_the_newer_first(self, store: Store) -> None:
        """Ties have one order."""
        with store.transaction(tenant="default") as tx:
            for n in range(5):
                add(tx, an_item("green tea", id=f"i{n}"))
        with read_only(store, "default") as tx:
            assert found(tx, "tea", limit=5) == ["i4", "i3", "i2", "i1", "i0"]

    def test_query_text_is_never_query_syntax(self, store: Store) -> None:
        """Operators and quotes are words like others, or none."""
        odd = ('"', "multi-agent", "GB/s", "don't", "C++", "AND OR NOT", "NEAR(", "a* ^ b:", "%_")
        with store.transaction(tenant="default") as tx:
            add(tx, an_item('the multi-agent "GB/s" don\'t C++', id="odd"))
        with read_only(store, "default") as tx:
            for text in odd:
                found(tx, text)
            assert found(tx, "multi-agent") == ["odd"]

    def test_one_users_rows_are_not_anothers(self, store: Store) -> None:
        """A user sees their own rows and those of nobody; nobody sees only the latter."""
        with store.transaction(tenant="default") as tx:
            add(tx, an_item("a secret of Ana", id="ana", scope=ANA))
            add(tx, an_item("a secret of Ben", id="ben", scope=BEN))
            add(tx, an_item("a secret of nobody", id="all", scope=Scope()))
        with read_only(store, None) as tx:
            assert set(found(tx, "secret", where(ANA))) == {"ana", "all"}
            assert set(found(tx, "secret", where(Scope()))) == {"all"}
            assert found(tx, "secret", where(replace(ANA, tenant="other"))) == []

    def test_agents_and_sessions_keep_what_is_theirs(self, store: Store) -> None:
        """A row of an agent or session is seen from there alone."""
        of_helper, of_session = replace(ANA, agent="helper"), replace(ANA, session="s1")
        with store.transaction(tenant="default") as tx:
            add(tx, an_item("tea for all", id="all"))
            add(tx, an_item("tea of a helper", id="helper", scope=of_helper))
            add(tx, an_item("tea of a session", id="session", scope=of_session))
        with read_only(store, "default") as tx:
            assert set(found(tx, "tea")) == {"all"}
            assert set(found(tx, "tea", where(of_helper))) == {"all", "helper"}
            assert set(found(tx, "tea", where(of_session))) == {"all", "session"}

    def test_filters_come_before_the_limit(self, store: Store) -> None:
        """A filter that keeps one of many finds it, however low it ranks."""
        text = "a note with a great many other words about tea"
        with store.transaction(tenant="default") as tx:
            for n in range(30):
                add(tx, an_item("tea tea tea", id=f"fact{n}"))
            add(tx, an_item(text, id="note", category=Category.NOTE))
        with read_only(store, "default") as tx:
            only = replace(where(), categories=frozenset({Category.NOTE}))
            assert found(tx, "tea", only, limit=1) == ["note"]

    def test_a_match_tells_whether_it_names_a_speaker(self, store: Store) -> None:
        """In its own words, whoever says it; told apart from what that speaker says."""
        with store.transaction(tenant="default") as tx:
            add_turns(tx, (Role.USER, "papayas"), (Role.USER, "Ana likes papayas"))
            add(tx, an_item("Bob likes papayas", id="item"))
        with read_only(store, "default") as tx:
            told = signs(tx, "ana bob papayas")
        named = {ref: each.named for ref, each in told.items()}
        assert named == {"s#0": False, "s#1": True, "item": False}

    def test_what_was_closed_is_found_only_in_the_past(self, store: Store) -> None:
        """Both clocks filter: what was true then, and what was known then."""
        item = an_item("the office is in Porto", id="old")
        moved, before = NOON + timedelta(days=10), NOON + timedelta(days=1)
        with store.transaction(tenant="default") as tx:
            add(tx, item)
        with store.transaction(tenant="default") as tx:
            close(tx, item, moved)
        later = where(at=moved + timedelta(days=1))
        with read_only(store, "default") as tx:
            assert found(tx, "office", later) == []
            assert found(tx, "office", replace(later, as_of=before)) == ["old"]
            assert found(tx, "office", replace(later, known_at=before)) == ["old"]

    def test_without_times_all_that_is_committed_counts(self, store: Store) -> None:
        """Asked about now, nothing stands or is hidden because the clock of whoever recorded or
        closed it is ahead.
        """
        ahead, gone = NOON + timedelta(days=2), an_item("the office was in Porto", id="gone")
        now = replace(where(), known_at=None)
        with store.transaction(tenant="default") as tx:
            add(tx, an_item("the office is in Faro", id="ahead", at=ahead))
            add(tx, gone)
            close(tx, gone, ahead)
        with read_only(store, "default") as tx:
            assert found(tx, "office") == ["gone"]
            assert found(tx, "office", replace(now, as_of=None)) == ["ahead"]
            assert found(tx, "office", now) == ["gone"]
            assert found(tx, "office", replace(now, as_of=ahead)) == ["ahead"]

    def test_vectors_are_found_by_nearness(self, store: Store) -> None:
        """The nearest come first, by cosine, of the embedder asked for alone."""
        with store.transaction(tenant="default") as tx:
            for id in ("one", "two"):
                Embedders(tx).add(id, id, 3, ModelState.ACTIVE)
            add(tx, an_item("x", id="east"), (1, 0, 0))
            add(tx, an_item("y", id="north"), (0, 1, 0))
            add(tx, an_item("z", id="other"), (1, 0, 0), model=2)
        with read_only(store, "default") as tx:
            near = tx.match_vector(np.array([0.8, 0.6, 0], np.float32), 1, where(), 10)
            assert refs(near) == ["east", "north"]
            assert [match.score for match in near] == pytest.approx([0.8, 0.6], abs=1e-5)

    def test_a_match_tells_what_the_index_knows_of_it(self, store: Store) -> None:
        """Session and words; who speaks and what is asked, in a turn and beside it."""
        question, item = "Do you like papayas?", "papayas and mangos"
        with store.transaction(tenant="default") as tx:
            add_turns(tx, (Role.USER, question), (Role.ASSISTANT, "Yes, ripe ones"))
            add(tx, an_item(item, id="item"))
        with read_only(store, "default") as tx:
            told = signs(tx, "papayas mangos")
        assert [told["s#0"].position, told["s#1"].position] == [0, 1]
        assert not any(each.named for each in told.values())
        assert about(told["s#0"]) == ("s", True, False, False, True)
        assert about(told["s#1"]) == ("s", False, True, True, True)
        assert about(told["item"]) == ("", False, False, False, False)
        assert told["s#0"].words == len(index_terms(question))
        assert told["item"].words == len(index_terms(item))

    def test_a_match_tells_how_well_the_words_fit(self, store: Store) -> None:
        """Of the words asked for: how many are its own, what share of them, half where only the
        turn after it holds them, and whether one is spoken of; by a vector, none.
        """
        with store.transaction(tenant="default") as tx:
            asked, _ = add_turns(
                tx, (Role.USER, "Do you like papayas?"), (Role.ASSISTANT, "Yes, ripe ones")
            )
            add_east(tx, asked)
            add(tx, an_item("papayas and mangos", id="item"))
        with read_only(store, "default") as tx:
            told, named = signs(tx, "papayas mangos"), signs(tx, "Monday")
            answered = signs(tx, "ripe")
            (near,) = tx.match_vector(EAST, 1, where(), 10)
        first, second, item = told["s#0"], told["s#1"], told["item"]
        assert item.own > first.own > second.own == 0
        assert item.share == pytest.approx(1)
        assert second.share == pytest.approx(first.share)
        assert 0 < first.share < 1
        assert [answered["s#0"].share, answered["s#1"].share] == pytest.approx([0.5, 1])
        assert not first.spoken
        assert named["s#0"].spoken
        assert near.signs == first._replace(own=0, share=0, spoken=False)

    def test_a_hidden_turn_is_out_of_every_search_until_it_is_back(self, store: Store) -> None:
        """By its words, by its vector, and as a neighbour that lends its words."""
        with store.transaction(tenant="default") as tx:
            doc, _ = add_turns(tx, (Role.USER, "We ate papayas"), (Role.USER, "They were ripe"))
            add_east(tx, doc)

        def searched() -> list[list[str]]:
            with read_only(store, "default") as tx:
                return [found(tx, "papayas"), refs(tx.match_vector(EAST, 1, where(), 10))]

        def hide(at: datetime | None) -> None:
            with store.transaction(tenant="default") as tx:
                Documents(tx).hide_turn("default", "s#0", Documents(tx).lock("default", "ana"), at)

        assert searched() == [["s#0", "s#1"], ["s#0"]]
        hide(NOON)
        assert searched() == [[], []]
        hide(None)
        assert searched() == [["s#0", "s#1"], ["s#0"]]

    def test_erased_documents_are_found_no_more(self, store: Store) -> None:
        """Erasing reaches every copy of the index."""
        item = an_item("a passing thought", id="gone")
        with store.transaction(tenant="default") as tx:
            add(tx, item, (1, 0, 0))
        with read_only(store, "default") as tx:
            assert found(tx, "thought") == ["gone"]
        with store.transaction(tenant="default") as tx:
            seqs = {"ana": Documents(tx).lock("default", "ana")}
            Documents(tx).forget("default", Kind.ITEM, item.id, seqs)
            Items(tx).forget(item)
        with read_only(store, "default") as tx:
            assert found(tx, "thought") == []
            assert tx.match_vector(EAST, 1, where(), 10) == []

    def test_a_transaction_reads_no_rows_of_another_tenant(self, store: Store) -> None:
        """A query or a search that names another tenant is a mistake, and is refused."""
        other = Scope(tenant="other", user="ana")
        with read_only(store, "default") as tx:
            with pytest.raises(TenantMismatch):
                Items(tx).get(other, "tea")
            with pytest.raises(TenantMismatch):
                found(tx, "tea", where(other))
            with pytest.raises(TenantMismatch):
                tx.match_vector(EAST, 1, where(other), 10)

    def test_a_transaction_writes_no_rows_of_another_tenant(self, store: Store) -> None:
        """A write for another tenant is refused, and all of its block is undone."""
        mine = an_item("tea", id="mine")
        other = an_item("tea", id="other", scope=Scope(tenant="other", user="ana"))

        def write() -> None:
            with store.transaction(tenant="default") as tx:
                add(tx, mine)
                add(tx, other)

        with pytest.raises(TenantMismatch):
            write()
        with read_only(store, None) as tx:
            assert [Items(tx).get(one.scope, one.id) for one in (mine, other)] == [None, None]

    def test_only_work_on_the_whole_store_sees_all_tenants(self, store: Store) -> None:
        """What is about rows of all tenants needs a transaction of none."""
        with store.transaction(tenant="other") as tx:
            add(tx, an_item("tea", id="tea", scope=Scope(tenant="other", user="ana")))
        with read_only(store, None) as tx:
            assert Documents(tx).tenants() == ["other"]
        with (
            pytest.raises(TenantMismatch),
            read_only(store, "other") as tx,
        ):
            Documents(tx).tenants()

    def test_closing_twice_is_harmless(self, store: Store) -> None:
        """Close may be called again."""
        store.close()
        store.close()


def _set(store: Store, key: str, value: str, then: Callable[[], object] = lambda: None) -> None:
    with store.transaction(tenant="default") as tx:
        Meta(tx).set(key, value)
        then()


def in_thread(work: Callable[[], object]) -> None:
    """Run something in a thread of its own, and wait for it."""
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
