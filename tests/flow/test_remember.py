"""Remember, correct, edit: what goes in comes out, or is refused whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    InvalidTime,
    ModelError,
    NotFound,
    SharedSession,
    TooLong,
    UnknownName,
)
from omoide.nouns.item import (
    BANDS,
    CONFIDENCE,
    PRIVILEGED,
    TEXT_LIMIT,
    Category,
    Details,
    Item,
    Source,
    Tier,
)
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.settings.retention import Retention
from omoide.settings.switches import Switches
from omoide.store.base import Store
from omoide.tables.listing import Listing
from omoide.write.remember import Outcome, Statement
from tests.fix_memory import ANA, BEN, NINE, NOBODY, OpenMemory, on_sqlite

Texts = Callable[..., list[str]]

HARD_TEXTS = {
    "emoji": "👩‍👩‍👧 love 🍵🏽",
    "right to left": "\u202eآنا تحب الشاي\u202c",
    "Chinese": "安娜住在罗马，喜欢喝绿茶。",
    "combining": "Zoe\u0308 cafe\u0301",
    "NUL": "before\0after the zero",
    "lone surrogate": "half an emoji \ud83d here",
    "backslashes": r"C:\new\table \u0041 \N{DASH}",
    "backslashes and NUL": "C:\\new \\u0041 \0 end",
    "markup": "</memory><script>alert(1)</script>{{x}} {y} %s",
    "SQL": "'; DROP TABLE items; --",
    "search syntax": 'NEAR("a" b)* AND OR NOT ^col:x -y',
    "newlines": "one\r\ntwo\n\tthree\u2028four",
    "private use": "\ue000\U0010fffd",
}


def test_a_statement_is_found_again(memory: Memory, texts: Texts) -> None:
    """At once, word for word, in a new memory over the same store too."""
    memory.remember("Ana lives in Rome")

    assert texts(memory, "Where does Ana live?") == ["Ana lives in Rome"]


@pytest.mark.covers("GM-8", "GM-14", "GM-26")
def test_what_remember_gives_is_what_is_stored(memory: Memory) -> None:
    """Every field of the item, as get reads it back."""
    details = Details(
        domain="travel",
        metadata={"trip": {"year": 2026, "tags": ["a"]}},
        confidence=0.9,
        sensitive=True,
        source=Source.USER,
        tier=Tier.AGENT,
        quote="I live in Rome",
        valid_from=NINE - timedelta(days=3),
        valid_until=NINE + timedelta(days=300),
        expires_at=NINE + timedelta(days=400),
        origin="diary.txt",
    )

    said = memory.remember(
        "Ana lives in Rome",
        category="fact",
        tags=["home", "住"],
        entities=["place:rome", "person:ana"],
        due_at="2026-02-01T10:00+02:00",
        details=details,
    )

    kept = memory.get(said.id)
    assert isinstance(kept, Item)
    assert replace(kept, entities=()) == replace(said.item, entities=())
    assert set(kept.entities) == {"place:rome", "person:ana"}
    assert kept.metadata == {"trip": {"year": 2026, "tags": ["a"]}}
    assert said.outcome is Outcome.ADDED


@pytest.mark.parametrize("name", HARD_TEXTS)
def test_hard_texts_survive(name: str, memory: Memory) -> None:
    """Verbatim, with a quote, through get, recall and correct."""
    text = HARD_TEXTS[name]

    said = memory.remember(text, details=Details(quote=text))

    kept = memory.get(said.id)
    assert isinstance(kept, Item)
    assert (kept.text, kept.quote) == (text, text)
    assert memory.recall(text).hits[0].text == text
    corrected = memory.correct(said.id, f"{text} indeed")
    assert memory.get(corrected.id).text == f"{text} indeed"


@pytest.mark.parametrize(
    ("text", "quote"),
    [("plain", "zero \0"), ("half \ud83d", "grün"), ("half \ud83d", r"\n stays"), ("a\0", "b")],
)
def test_text_and_quote_are_escaped_apart(text: str, quote: str, memory: Memory) -> None:
    """One of them holding what no database takes does not change the other."""
    said = memory.remember(text, details=Details(quote=quote))

    kept = memory.get(said.id)
    assert isinstance(kept, Item)
    assert (kept.text, kept.quote) == (text, quote)


@on_sqlite
@pytest.mark.covers("GM-15", "LS-46")
@pytest.mark.parametrize(
    ("call", "error"),
    [
        ({"text": "  "}, InvalidInput),
        ({"text": "x" * (TEXT_LIMIT + 1)}, TooLong),
        ({"text": 7}, InvalidInput),
        ({"category": "opinion"}, UnknownName),
        ({"tags": "home"}, InvalidInput),
        ({"tags": [""]}, InvalidInput),
        ({"entities": ["a\0"]}, InvalidInput),
        ({"due_at": "soon"}, InvalidTime),
        ({"due_at": NINE.replace(tzinfo=None)}, InvalidTime),
        ({"details": Details(confidence=2)}, InvalidInput),
        ({"details": Details(metadata={"a": float("nan")})}, InvalidInput),
        ({"details": Details(session_only=True)}, InvalidInput),
        ({"details": Details(valid_from=NINE, valid_until=NINE)}, InvalidTime),
        ({"details": Details(valid_from=NINE.replace(tzinfo=None))}, InvalidTime),
        ({"details": Details(domain="a\0b")}, InvalidInput),
        ({"details": Details(origin="\ud800")}, InvalidInput),
        ({"details": Details(source="rumour")}, InvalidInput),  # type: ignore[arg-type]
        ({"details": Details(tier=7)}, InvalidInput),  # type: ignore[arg-type]
        ({"details": Details(source_turns=("none#0",))}, NotFound),  # type: ignore[arg-type]
        ({"details": Details(source_turns=("none",))}, NotFound),  # type: ignore[arg-type]
        ({"details": Details(quote=3)}, InvalidInput),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_refused_whole(
    call: dict[str, Any], error: type[Exception], memory: Memory
) -> None:
    """With a typed error, and nothing is stored: no item, no entity, no change."""
    with pytest.raises(error):
        memory.remember(**({"text": "Ana likes tea", "entities": ["person:ana"]} | call))

    assert memory.items.list(Listing(sensitive=None, closed=True)).total == 0
    assert memory.entities.list() == []
    assert memory.stats().changes == 0


@on_sqlite
@pytest.mark.covers("GM-18", "CX-8")
@pytest.mark.parametrize("source", list(Source))
def test_confidence_follows_the_source(source: Source, memory: Memory) -> None:
    """0.7 for an explicit remember, by source else, as given if given."""
    said = memory.remember("Ana likes tea", details=Details(source=source))

    assert said.item.confidence == (0.7 if source is Source.TOOL else CONFIDENCE[source])
    assert said.item.source is source
    assert (
        memory.remember(
            "Ben likes coffee", details=Details(source=source, confidence=0.33)
        ).item.confidence
        == 0.33
    )


@on_sqlite
@pytest.mark.covers("GM-59", "GM-17")
@pytest.mark.parametrize("category", sorted(PRIVILEGED))
@pytest.mark.parametrize("source", [Source.LLM_EXTRACT, Source.CONSOLIDATION])
def test_extraction_may_not_write_privileged_categories(
    category: Category, source: Source, memory: Memory
) -> None:
    """A model's output never becomes a permission, a profile or a system fact."""
    with pytest.raises(Forbidden, match=category.value):
        memory.remember(
            "Ana may delete everything", category=category, details=Details(source=source)
        )
    assert memory.remember("Ana may delete everything", category=category).outcome is Outcome.ADDED


@pytest.mark.covers("CX-31", "GM-16")
def test_a_repetition_reinforces(memory: Memory, clock: FixedClock) -> None:
    """No second item; the text stays the first one's, verbatim; created stays, updated moves; the
    surer and more careful count.
    """
    first = memory.remember("Ana likes  TEA", details=Details(confidence=0.4))
    clock.move(days=1)

    again = memory.remember("ana likes tea", details=Details(confidence=0.6, sensitive=True))

    assert (again.outcome, again.id) == (Outcome.REINFORCED, first.id)
    kept = memory.get(first.id)
    assert isinstance(kept, Item)
    assert (kept.text, kept.confidence, kept.sensitive) == ("Ana likes  TEA", 0.6, True)
    assert (kept.created_at, kept.updated_at) == (NINE, clock.now())
    assert memory.items.list(Listing(sensitive=None)).total == 1


@pytest.mark.covers("CX-13", "GM-31", "CX-27", "LS-52", "LS-26")
def test_what_a_correction_replaces_is_kept(
    memory: Memory, clock: FixedClock, texts: Texts
) -> None:
    """The new wording is found at once, by words and by vector; the old one leaves recall and stays
    in history.
    """
    old = memory.remember("The site runs on React 18")
    clock.move(days=1)

    new = memory.correct(old.id, "The site runs on React 19")

    assert (new.outcome, new.superseded) == (Outcome.SUPERSEDED, old.id)
    assert texts(memory, "React 19") == texts(memory, "React 18") == ["The site runs on React 19"]
    was = memory.get(old.id)
    assert isinstance(was, Item)
    assert (was.is_open, was.superseded_by, was.text) == (
        False,
        new.id,
        "The site runs on React 18",
    )
    assert [i.id for i in memory.history(new.id).items] == [old.id, new.id]


@pytest.mark.covers("CX-13", "LS-56")
def test_what_is_near_is_linked_and_both_are_kept(memory: Memory, texts: Texts) -> None:
    """A shorter wording of the same does not swallow the longer; the result names it, and so does
    the hit.
    """
    long = memory.remember("Ana likes green tea with honey in the morning")

    short = memory.remember("Ana likes green tea")

    assert (short.outcome, short.similar) == (Outcome.ADDED, long.id)
    assert memory.get(short.id) == short.item
    assert short.item.similar_to == long.id
    assert {hit.id: hit.similar for hit in memory.recall("tea").hits} == {
        long.id: (short.id,),
        short.id: (long.id,),
    }
    assert memory.admin.doctor() == []


def test_correcting_to_what_is_known_closes_the_old_in_its_favour(memory: Memory) -> None:
    """After both were added, the newer replaces the older: it is not stored a second time."""
    old = memory.remember("The site runs on React 18").item
    new = memory.remember("The site runs on React 19").item

    told = memory.correct(old.id, "The site runs on React 19.")

    assert (told.id, told.outcome, told.superseded) == (new.id, Outcome.SUPERSEDED, old.id)
    assert [item.id for item in memory.items.list().items] == [new.id]
    assert {item.id: item.superseded_by for item in memory.history(old.id).items} == {
        old.id: new.id,
        new.id: None,
    }
    assert memory.admin.doctor() == []
    assert memory.admin.verify().problems == ()


def test_forgetting_an_item_leaves_no_link_to_it(memory: Memory, store: Store) -> None:
    """What was similar to it stays, and names nothing."""
    old = memory.remember("Invoice 17 was paid on time").item
    new = memory.remember("Invoice 18 was paid on time").item

    memory.forget(old.id)

    assert memory.items.list().items == (replace(new, similar_to=None),)
    with store.transaction(tenant=None, write=False) as tx:
        assert not tx.rows("items.held", piece="Invoice 17")
    assert memory.admin.doctor() == []


def test_two_pull_requests_stay_two(memory: Memory) -> None:
    """PR #260 and PR #480 are two things, whatever else is said of them."""
    memory.remember("PR #260 is merged")

    assert memory.remember("PR #480 is merged").outcome is Outcome.ADDED
    assert memory.items.list().total == 2


@pytest.mark.covers("CX-12", "GM-88", "LS-71")
def test_the_same_fact_is_kept_once_for_each_group(memory: Memory) -> None:
    """Of each user, agent, context, category and entity; nothing merges across."""
    scopes = [
        ANA,
        BEN,
        NOBODY,
        Scope(user="ana", agent="a"),
        Scope(user="ana", context="work"),
        Scope(user="ana", tenant="t2"),
    ]

    said = [memory.remember("The door code changed", scope) for scope in scopes]
    said.append(memory.remember("The door code changed", category="note"))
    said.append(memory.remember("The door code changed", entities=["place:home"]))

    assert [r.outcome for r in said] == [Outcome.ADDED] * 8
    assert len({r.id for r in said}) == 8


def test_the_same_entity_by_another_name_is_the_same(memory: Memory) -> None:
    """De-duplication looks at the entity, not at the name used."""
    memory.entities.name("person:ana_smith", "Annie")
    memory.remember("She likes tea", entities=["person:ana_smith"])

    assert memory.remember("She likes tea", entities=["Annie"]).outcome is Outcome.REINFORCED


@pytest.mark.parametrize("tier", [Tier.DOCUMENT, Tier.AGENT])
def test_a_lower_tier_never_changes_what_the_user_said(tier: Tier, memory: Memory) -> None:
    """It is ignored when it repeats, kept beside when it differs; the user's item stays as it
    was.
    """
    mine = memory.remember("Ana lives in Rome now", details=Details(source=Source.USER)).item

    assert (
        memory.remember("Ana lives in Rome now", details=Details(tier=tier, sensitive=True)).outcome
        is Outcome.IGNORED
    )
    assert (
        memory.remember("Ana lives in Oslo now", details=Details(tier=tier)).outcome
        is Outcome.ADDED
    )
    assert memory.get(mine.id) == mine


def test_what_is_to_come_is_known_too(memory: Memory) -> None:
    """A fact valid only from next week on, said twice, is one."""
    later = Details(valid_from=NINE + timedelta(days=7))
    memory.remember("Ana moves to Oslo", details=later)

    assert memory.remember("Ana moves to Oslo", details=later).outcome is Outcome.REINFORCED


@on_sqlite
@pytest.mark.covers("LS-17", "LS-40", "LS-74", "GM-6")
@pytest.mark.parametrize("fault", list(Fault))
def test_a_failing_embedder_stores_nothing(
    fault: Fault, memory: Memory, embedder: FakeEmbedder
) -> None:
    """remember and correct fail whole, with a RuntimeError; nothing is half there afterwards."""
    known = memory.remember("Ana lives in Rome").item
    changes = memory.stats().changes
    embedder.fault = fault

    with pytest.raises(ModelError) as caught:
        memory.remember("Ben lives in Oslo", entities=["person:ben"])
    with pytest.raises(ModelError):
        memory.correct(known.id, "Ana lives in Paris")
    assert isinstance(caught.value, RuntimeError)

    embedder.fault = None
    assert memory.items.list(Listing(closed=True)).items == (known,)
    assert memory.entities.list() == []
    assert memory.stats().changes == changes
    assert memory.remember("Ben lives in Oslo").outcome is Outcome.ADDED


class Broken(RuntimeError):
    """What a test makes go wrong."""


class Failing(Store):
    """A store whose transactions fail at the n-th statement of a kind."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fail_at: str | None = None

    def transaction(self, *, tenant: str | None, write: bool = True, durable: bool = True) -> Any:
        return _Failing(self._store.transaction(tenant=tenant, write=write), self)

    def close(self) -> None:
        self._store.close()


class _Failing:
    def __init__(self, block: Any, owner: Failing) -> None:
        self._block, self._owner = block, owner

    def __enter__(self) -> _Failing:
        self._tx = self._block.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._block.__exit__(*error)

    def run(self, query: str, /, *args: Any, **values: Any) -> Any:
        if query == self._owner.fail_at:
            raise Broken(query)
        return self._tx.run(query, *args, **values)

    def rows(self, query: str, /, **values: Any) -> Any:
        if query == self._owner.fail_at:
            raise Broken(query)
        return self._tx.rows(query, **values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


@pytest.mark.covers("LS-17", "LS-40")
@pytest.mark.parametrize(
    "query",
    ["items.add", "item_entities.add", "vectors.add", "items.set", "docs.set", "changes.add"],
)
def test_a_failure_in_the_middle_changes_nothing(query: str, store: Store, texts: Texts) -> None:
    """Whichever statement of a supersession fails, rows, words, vectors and ledger are as
    before.
    """
    failing = Failing(store)
    memory = Memory(
        failing, scope=ANA, embedder=FakeEmbedder(), clock=FixedClock(NINE), background=False
    )
    old = memory.remember("The site runs on React 18", entities=["project:site"]).item
    failing.fail_at = query

    with pytest.raises(Broken):
        memory.correct(old.id, "The site runs on React 19")

    failing.fail_at = None
    assert memory.items.list(Listing(closed=True)).items == (old,)
    assert texts(memory, "React") == ["The site runs on React 18"]
    assert memory.admin.doctor(deep=True) == []
    assert memory.admin.verify().problems == ()
    assert memory.correct(old.id, "The site runs on React 19").superseded == old.id


@pytest.mark.covers("ED-6")
def test_user_memory_is_off_where_several_users_talk(memory: Memory) -> None:
    """A scope with a user and a shared session is refused for every kind of writing; either alone
    is fine.
    """
    mine = memory.remember("Ana likes tea").item
    shared = Scope(user="ana", session="group")
    memory.ingest(
        [Message(text="hi", user="ana"), Message(text="hello", user="ben")],
        Scope(session="group", shared=True),
    )

    calls: list[Callable[[], object]] = [
        lambda: memory.remember("Ana likes coffee a lot", shared),
        lambda: memory.correct(mine.id, "Ana likes coffee", shared),
        lambda: memory.items.edit(mine.id, shared, pinned=True),
        lambda: memory.items.feedback(mine.id, shared, helpful=True),
        lambda: memory.items.reopen(mine.id, shared),
        lambda: memory.undo(memory.history(mine.id).changes[0].id, shared),
        lambda: memory.entities.name("person:ana", None, shared),
        lambda: memory.entities.merge("person:ana", "person:ben", shared),
        lambda: memory.entities.split("person:ana", "Annie", shared),
        lambda: memory.items.add_many([Statement(text="Ana likes cocoa")], shared),
    ]
    for call in calls:
        with pytest.raises(SharedSession, match="2 users"):
            call()
    assert memory.get(mine.id) == mine
    assert (
        memory.remember("The group likes coffee", Scope(session="group", shared=True)).outcome
        is Outcome.ADDED
    )


def test_secrets_are_masked_at_the_door(memory: Memory) -> None:
    """In text and quote; the item says that and where something was masked."""
    key = "sk-proj-" + "a1B2c3D4e5" * 5
    said = memory.remember(f"The key is {key}", details=Details(quote=f"use {key}"))

    kept = memory.get(said.id)
    assert isinstance(kept, Item)
    assert key not in kept.text
    assert key not in str(kept.quote)
    assert kept.masks


@pytest.mark.covers("GM-31", "CX-27")
def test_a_correction_closes_and_succeeds(memory: Memory, clock: FixedClock) -> None:
    """The new item keeps everything of the old but its text; the old one is closed from the given
    time on.
    """
    old = memory.remember(
        "Ana lives in Rome", tags=["home"], entities=["person:ana"], due_at=NINE,
        details=Details(domain="d", metadata={"a": 1}, sensitive=True),
    ).item  # fmt: skip
    clock.move(days=2)

    new = memory.correct(old.id, "Ana lives in Oslo", at=NINE + timedelta(days=1))

    item = memory.get(new.id)
    assert isinstance(item, Item)
    same = (
        "scope",
        "category",
        "tags",
        "entities",
        "due_at",
        "domain",
        "metadata",
        "sensitive",
        "confidence",
        "source",
    )
    assert {n: getattr(item, n) for n in same} == {n: getattr(old, n) for n in same}
    assert (item.text, item.supersedes, item.valid_from) == (
        "Ana lives in Oslo",
        old.id,
        NINE + timedelta(days=1),
    )
    was = memory.get(old.id)
    assert isinstance(was, Item)
    assert (was.closed_at, was.superseded_at, was.superseded_by) == (
        NINE + timedelta(days=1),
        clock.now(),
        new.id,
    )


def test_superseding_twice_conflicts(memory: Memory) -> None:
    """The second to correct the same item is told so and changes nothing."""
    old = memory.remember("Ana lives in Rome").item
    memory.correct(old.id, "Ana lives in Oslo")

    with pytest.raises(Conflict, match="closed already"):
        memory.correct(old.id, "Ana lives in Paris")
    assert memory.items.list().total == 1


@pytest.mark.covers("LS-48")
def test_nothing_supersedes_itself(store: Store, memory: Memory) -> None:
    """Neither by the door nor by a row."""
    from omoide.nouns.change import Because
    from omoide.tables.documents import Words
    from omoide.write.apply import Door

    item = memory.remember("Ana lives in Rome").item
    with (
        pytest.raises(Conflict, match="itself"),
        store.transaction(tenant=None) as tx,
        Door(tx, memory.clock, Because()) as door,
    ):
        door.supersede(item, item, Words(own="x"), at=NINE)
    with pytest.raises(UnknownName):
        memory.items.edit(
            item.id,
            superseded_by=item.id,  # type: ignore[call-arg]
        )
    assert memory.items.list().items == (item,)


@pytest.mark.covers("GM-24", "GM-94")
def test_only_named_attributes_change(memory: Memory, clock: FixedClock) -> None:
    """updated moves; the text cannot be edited; what cannot be set is refused with what can."""
    item = memory.remember("Ana likes tea", tags=["drink"], due_at=NINE + timedelta(days=1)).item
    clock.move(hours=1)

    edited = memory.items.edit(
        item.id,
        domain="food",
        sensitive=True,
        context="home",
        reminded_at="now",
        category="preference",
    )

    assert edited == replace(
        item,
        domain="food",
        sensitive=True,
        scope=replace(item.scope, context="home"),
        reminded_at=clock.now(),
        updated_at=clock.now(),
        category=Category.PREFERENCE,
    )
    assert memory.get(item.id) == edited
    for name in ("text", "uses", "superseded_by", "tier", "nonsense"):
        with pytest.raises(UnknownName, match=name):
            memory.items.edit(item.id, None, **cast(Any, {name: "x"}))


def test_an_edit_that_changes_nothing_leaves_no_change(memory: Memory) -> None:
    """Nothing moves, nothing is noted."""
    item = memory.remember("Ana likes tea").item
    before = memory.stats().changes

    assert memory.items.edit(item.id, tags=[]) == item
    assert memory.stats().changes == before


@on_sqlite
@pytest.mark.parametrize(
    "attributes",
    [
        {"confidence": 3},
        {"due_at": "soon"},
        {"category": "x"},
        {"tags": "a"},
        {"context": "a\0"},
        {"valid_until": NINE},
        {"domain": "\0"},
        {"metadata": {"a": float("inf")}},
        {"valid_from": None},
        {"sensitive": "false"},
        {"pinned": "no"},
    ],
)
def test_a_bad_edit_is_refused(attributes: dict[str, Any], memory: Memory) -> None:
    """With a typed error, and nothing changes."""
    item = memory.remember("Ana likes tea").item

    with pytest.raises(InvalidInput):
        memory.items.edit(item.id, **attributes)
    assert memory.get(item.id) == item


def test_editing_what_is_searched_by_is_seen_by_search(memory: Memory, texts: Texts) -> None:
    """A new context, category, tag or mark counts from the next question on."""
    item = memory.remember("Ana likes tea").item
    memory.items.edit(item.id, context="home", category="note", tags=["drink"], muted=True)

    assert texts(memory, "tea") == []
    assert texts(
        memory, Query(text="tea", include_muted=True, contexts=frozenset({"home"}), tags=("drink",))
    ) == ["Ana likes tea"]
    assert texts(
        memory, Query(text="drink", include_muted=True, categories=frozenset({Category.NOTE}))
    ) == ["Ana likes tea"]


@pytest.mark.covers("GM-25")
def test_feedback_moves_confidence(memory: Memory) -> None:
    """+0.05 when it helped, -0.1 when it did harm, within the band of its tier."""
    item = memory.remember("Ana likes tea", details=Details(tier=Tier.USER, confidence=0.9)).item

    assert [memory.items.feedback(item.id, helpful=True).confidence for _ in range(3)] == [
        pytest.approx(0.95),
        1.0,
        1.0,
    ]
    for _ in range(12):
        last = memory.items.feedback(item.id, helpful=False)
    assert (last.confidence, last.helpful, last.harmful) == (BANDS[Tier.USER][0], 3, 12)


def test_pinning_is_a_mark(memory: Memory) -> None:
    """Set and taken off again."""
    item = memory.remember("Ana likes tea").item

    assert memory.items.pin(item.id).pinned
    assert not memory.items.pin(item.id, pinned=False).pinned


@on_sqlite
@pytest.mark.parametrize("verb", ["edit", "correct", "feedback", "reopen", "pin", "history", "get"])
def test_anothers_item_is_not_there(verb: str, memory: Memory) -> None:
    """Every verb by id says the same of what is not there and of what is not the asker's."""
    item = memory.remember("Ana likes tea").item
    calls: dict[str, Callable[[str, Scope], object]] = {
        "edit": lambda id, scope: memory.items.edit(id, scope, muted=True),
        "correct": lambda id, scope: memory.correct(id, "x", scope),
        "feedback": lambda id, scope: memory.items.feedback(id, scope, helpful=True),
        "reopen": lambda id, scope: memory.items.reopen(id, scope),
        "pin": lambda id, scope: memory.items.pin(id, scope),
        "history": lambda id, scope: memory.history(id, scope),
        "get": lambda id, scope: memory.get(id, scope),
    }
    told = []
    for id, scope in [
        (item.id, BEN),
        (item.id, NOBODY),
        (item.id, Scope(tenant="t2", user="ana")),
        ("no such", ANA),
    ]:
        with pytest.raises(NotFound) as caught:
            calls[verb](id, scope)
        told.append(str(caught.value).replace(id, "ID"))
    assert len(set(told)) == 1


def test_reopening_holds_it_true_again(memory: Memory, texts: Texts) -> None:
    """A closed item whose successor is gone comes back; an open one, or one with an open successor,
    conflicts.
    """
    old = memory.remember("Ana lives in Rome").item
    new = memory.correct(old.id, "Ana lives in Oslo")
    with pytest.raises(Conflict, match="superseded by"):
        memory.items.reopen(old.id)
    with pytest.raises(Conflict, match="open already"):
        memory.items.reopen(new.id)
    retracted = memory.remember("Ben likes tea")
    memory.undo(memory.history(retracted.id).changes[0].id)

    assert memory.items.reopen(retracted.id).is_open
    assert texts(memory, "Ben tea")[0] == "Ben likes tea"


def test_source_turns_must_be_the_askers(memory: Memory) -> None:
    """An item cannot name what another user said as its source."""
    turn = memory.ingest([{"content": "I like tea"}], BEN).turns[0]

    with pytest.raises(NotFound):
        memory.remember("Ana likes tea", details=Details(source_turns=(turn,)))


@pytest.mark.covers("GM-7", "LS-24")
def test_many_threads_remember_at_once(memory: Memory) -> None:
    """Each statement is kept once, whoever says it at the same time, and the ledger is whole."""
    from concurrent.futures import ThreadPoolExecutor

    said = [
        f"{name} plays {name}ball" for name in "Ada Bea Cem Dia Eva Fay Gus Hal Ida Jon".split()
    ] * 4
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(memory.remember, said))

    assert sorted(i.text for i in memory.items.list(Listing(limit=100)).items) == sorted(set(said))
    assert memory.admin.verify().problems == ()
    assert memory.admin.doctor() == []


@pytest.mark.covers("GM-42")
def test_many_are_seeded_as_they_are(memory: Memory, texts: Texts) -> None:
    """Each a new item, repeats too, in order, found at once; a wrong one refuses all."""
    said = [
        Statement(text="Ana likes tea", tags=["a"], entities=["person:ana"]) for _ in range(3)
    ] + [Statement(text="Ben likes tea")]

    items = memory.items.add_many(said)

    assert [i.text for i in items] == ["Ana likes tea"] * 3 + ["Ben likes tea"]
    assert len({i.id for i in items}) == memory.items.list().total == 4
    assert [memory.get(i.id) for i in items] == items
    assert texts(memory, "Ben tea")[0] == "Ben likes tea"
    assert memory.items.add_many([]) == []
    with pytest.raises(InvalidInput):
        memory.items.add_many([Statement(text="Cy likes tea"), Statement(text=" ")])
    assert memory.items.list().total == 4
    assert memory.admin.doctor(deep=True) == []
    assert memory.admin.verify().problems == ()


@pytest.mark.covers("SO-7")
def test_a_memory_says_what_it_can_do(memory: Memory, open_memory: OpenMemory) -> None:
    """Vectors only with an embedder; every category, both clocks, no graph; a limit and what is
    everybody's as they are set.
    """
    can = memory.capabilities

    assert can.vectors
    assert not open_memory(embedder=None).capabilities.vectors
    assert can.categories == frozenset(Category)
    assert can.temporal
    assert can.entities
    assert can.shared
    assert not can.relations
    assert can.items_most is None
    bounded = open_memory(
        teaching=Teaching(switches=Switches(shared_memory=False), retention=Retention(items_most=3))
    ).capabilities
    assert (bounded.items_most, bounded.shared) == (3, False)


@pytest.mark.covers("GM-9")
def test_an_item_is_found_by_the_words_around_it(memory: Memory, texts: Texts) -> None:
    """Its tags, domain and entities count, less than its own words; they follow an edit."""
    by_tag = memory.remember(
        "nine o'clock is fine", tags=["dentist"], details=Details(domain="appointments")
    ).item
    memory.remember("the dentist is nice")

    assert texts(memory, Query(text="dentist", preset="keyword")) == [
        "the dentist is nice",
        "nine o'clock is fine",
    ]
    assert texts(memory, Query(text="appointments", preset="keyword")) == ["nine o'clock is fine"]
    memory.items.edit(by_tag.id, tags=["barber"], domain=None)
    assert texts(memory, Query(text="barber", preset="keyword")) == ["nine o'clock is fine"]
    assert texts(memory, Query(text="dentist", preset="keyword")) == ["the dentist is nice"]
    assert texts(memory, Query(text="appointments", preset="keyword")) == []


@pytest.mark.covers("ED-41")
def test_an_item_tells_where_it_came_from_and_what_became_of_it(
    memory: Memory, clock: FixedClock
) -> None:
    """Its source turns, when it was formed and last used and how often, its versions and what it
    was before.
    """
    turns = memory.ingest(
        [Message(text="I live in Rome"), Message(text="near the river")],
        Scope(user="ana", session="s"),
    ).turns
    old = memory.remember(
        "Ana lives in Rome",
        details=Details(source_turns=turns, source=Source.LLM_EXTRACT, quote="I live in Rome"),
    ).item
    clock.move(days=1)
    new = memory.correct(old.id, "Ana lives in Oslo").item
    memory.recall("Oslo")

    kept = memory.get(new.id)
    assert isinstance(kept, Item)
    assert (kept.uses, kept.last_used_at, kept.created_at) == (1, clock.now(), clock.now())
    history = memory.history(new.id).items
    assert [i.text for i in history] == ["Ana lives in Rome", "Ana lives in Oslo"]
    assert history[0].source_turns == turns


def test_what_is_said_again_adds_what_is_new_about_it(memory: Memory) -> None:
    """A due date, tags, metadata or domain told with a repetition are kept; what was told before
    stays; nothing lives shorter.
    """
    first = Details(metadata={"a": 1, "b": 1}, expires_at=NINE + timedelta(days=9))
    memory.remember("call the plumber", tags=["home"], details=first)

    said = memory.remember(
        "Call the plumber",
        tags=["urgent"],
        due_at=NINE + timedelta(days=1),
        details=Details(metadata={"b": 2}, domain="house"),
    )

    assert said.outcome is Outcome.REINFORCED
    item = said.item
    assert (item.tags, item.metadata, item.domain, item.due_at) == (
        ("home", "urgent"),
        {"a": 1, "b": 2},
        "house",
        NINE + timedelta(days=1),
    )
    assert item.expires_at is None
    assert memory.get(said.id) == item
    assert [i.id for i in memory.due()] == [said.id]
    assert memory.admin.doctor() == []


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("Ana lives in Lisbon", "Ana lives in Porto"),
        ("Ana pays 900 euros rent", "Ana pays 700 euros rent"),
    ],
)
@pytest.mark.parametrize("known_since", [None, NINE - timedelta(days=1_200)])
@pytest.mark.parametrize(
    ("since", "until"),
    [(2_300, None), (2_300, 2_000), (2_300, 600), (1_200, 600), (900, 600), (900, 0)],
    ids=[
        "began before",
        "was over before",
        "ended meanwhile",
        "began at once",
        "was in between",
        "ends now",
    ],
)
def test_what_was_true_in_the_past_never_closes_what_is_true(
    there: str,
    new: str,
    known_since: datetime | None,
    since: int,
    until: int | None,
    memory: Memory,
) -> None:
    """Told in days before today, of a beginning before or an end by now: what was told to hold on
    still does, as it did.
    """
    known = memory.remember(there, details=Details(valid_from=known_since)).item
    window = Details(
        valid_from=NINE - timedelta(days=since),
        valid_until=None if until is None else NINE - timedelta(days=until),
    )

    said = memory.remember(new, details=window)

    assert said.outcome is Outcome.ADDED
    assert memory.get(known.id) == known
    assert known.is_open
    assert said.item.valid_until == window.valid_until


def test_the_same_statement_about_another_time_is_another(memory: Memory, texts: Texts) -> None:
    """Twice in Rome, with years between, are two stays; told of an earlier start, it is one that
    began earlier.
    """
    year = timedelta(days=365)
    once = Details(valid_from=NINE - 9 * year, valid_until=NINE - 8 * year)
    first = memory.remember("Ana lives in Rome", details=once)
    now = memory.remember("Ana lives in Rome")

    assert (first.outcome, now.outcome) == (Outcome.ADDED, Outcome.ADDED)
    again = memory.remember("Ana lives in Rome", details=Details(valid_from=NINE - year))
    assert (again.outcome, again.id, again.item.valid_from) == (
        Outcome.REINFORCED,
        now.id,
        NINE - year,
    )
    assert texts(memory, Query(text="Rome", as_of=NINE - 5 * year)) == []
    assert texts(memory, Query(text="Rome", as_of=NINE - year / 2)) == ["Ana lives in Rome"]
