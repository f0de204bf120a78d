"""Recall: what is found, for whom, as of when; and what is not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta

import numpy as np
import pytest

from omoide.memory import Memory
from omoide.models.base import RerankScores
from omoide.models.embedders.fake import FakeEmbedder, Fault
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import (
    BadVector,
    InvalidInput,
    InvalidTime,
    ModelError,
    NotFound,
    TooLong,
    UnknownName,
)
from omoide.nouns.item import Category, Details, Item, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Arm, Query
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.read.filters import OPERATORS
from omoide.read.question import Trail, ask
from omoide.read.reranking import RERANKED
from omoide.text.words import query_terms
from omoide.write.remember import Statement
from tests.fix_memory import ANA, BEN, NINE, NOBODY, OpenMemory, on_sqlite

Texts = Callable[..., list[str]]


@pytest.mark.covers("GM-49", "GM-50", "SO-69")
def test_arms_are_searched_and_fused(memory: Memory) -> None:
    """Words, vectors, entities and time each leave their rank on a hit; the best of all comes
    first, scores from 0 to 1.
    """
    memory.remember("Ana met Ben in Rome", entities=["person:ben"])
    memory.ingest(
        [Message(text="Ben called yesterday evening about Rome", at=NINE - timedelta(hours=12))]
    )
    memory.remember("The weather is fine in Oslo")
    memory.admin.tidy()

    answer = memory.recall("What about Ben in Rome yesterday?")

    arms = {arm.arm for hit in answer.hits for arm in hit.arms}
    assert arms == set(Arm)
    assert [h.score for h in answer.hits] == sorted((h.score for h in answer.hits), reverse=True)
    assert all(0 <= h.score <= 1 and h.tokens > 0 for h in answer.hits)
    assert answer.hits[-1].text != "Ben called yesterday evening about Rome"
    assert {"text", "vector", "entity", "time", "fuse"} <= {s.name for s in answer.trace}


@pytest.mark.covers("ED-32")
def test_the_trace_tells_each_step(memory: Memory) -> None:
    """What it did, how many candidates it left, how long it took."""
    memory.remember("Ana met Ben in Rome")

    trace = memory.recall("Rome").trace

    assert {"prepare", "text", "vector", "fuse", "fetch", "diversify"} <= {s.name for s in trace}
    assert all(s.count >= 0 and s.ms >= 0 for s in trace)


@pytest.mark.covers("GM-205")
def test_timing_is_logged_without_text(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    """Each step at debug, the total at info; neither says what was asked or found."""
    memory.remember("Ana met Quokka in Rome")
    with caplog.at_level(logging.DEBUG, logger="omoide"):
        trace = memory.recall("Where is Quokka?").trace

    levels = [record.levelname for record in caplog.records if record.name == "omoide.read.recall"]
    assert levels.count("DEBUG") == len(trace)
    assert levels.count("INFO") == 1
    assert '"ms"' in caplog.text
    assert "uokka" not in caplog.text


@on_sqlite
@pytest.mark.covers("LS-46")
@pytest.mark.parametrize(
    ("query", "limit", "error"),
    [
        (Query(text="x", preset="magic"), 10, UnknownName),
        (Query(text="x" * 10_001), 10, TooLong),
        (Query(text="x"), 0, InvalidInput),
        (Query(text="x"), 1001, InvalidInput),
        (Query(text="x", budget_tokens=0), 10, InvalidInput),
        (Query(text="x", passage_tokens=7), 10, InvalidInput),
        (Query(text="x", since=NINE, until=NINE), 10, InvalidTime),
        (Query(text="x", since=NINE.replace(tzinfo=None)), 10, InvalidTime),
        (Query(text="x", until=NINE.replace(tzinfo=None)), 10, InvalidTime),
        (Query(text="x", as_of=NINE.replace(tzinfo=None)), 10, InvalidTime),
        (Query(text="x", known_at=NINE.replace(tzinfo=None)), 10, InvalidTime),
        (Query(text="x", metadata={"a": {"$near": 3}}), 10, UnknownName),
        (Query(text="x", categories=frozenset({"opinion"})), 10, UnknownName),  # type: ignore[arg-type]
        (Query(text="x", kinds=frozenset({"dream"})), 10, UnknownName),  # type: ignore[arg-type]
        (Query(text="x", kinds=frozenset({Kind.SESSION})), 10, InvalidInput),
        (Query(text=3), 10, InvalidInput),  # type: ignore[arg-type]
        (Query(text="x", tags=("a\0",)), 10, InvalidInput),
        (Query(text="x", tags="home"), 10, InvalidInput),  # type: ignore[arg-type]
        (Query(text="x", domain="\ud800"), 10, InvalidInput),
        (Query(text="x", entities=("a\0",)), 10, InvalidInput),
        (Query(text="x", contexts=frozenset({"\ud800"})), 10, InvalidInput),
        (Query(text="x", without_session="\ud800"), 10, InvalidInput),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    query: Query, limit: int, error: type[Exception], memory: Memory
) -> None:
    """With a typed error; nothing is ignored."""
    memory.remember("x marks the spot")

    with pytest.raises(error):
        memory.recall(query, limit=limit)


@pytest.mark.covers("GM-19", "LS-46")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "???",
        '"',
        "*",
        "AND",
        "NEAR(",
        "col:",
        "-",
        "'; DROP TABLE docs; --",
        "%",
        "\\",
        "\0",
    ],
)
def test_search_syntax_is_plain_text(text: str, memory: Memory) -> None:
    """No character has a meaning of its own; a question with no words left finds nothing by
    keyword.
    """
    memory.remember("Ana lives in Rome")

    assert memory.recall(Query(text=text, preset="keyword")).hits == ()
    if not query_terms(text):
        asked = memory.recall(text)
        assert (asked.hits, asked.answerable) == ((), 0.0)


def test_a_budget_does_not_change_what_is_held(memory: Memory) -> None:
    """Whether an answer is held is judged before hits give way to the budget; that the best is cut
    is said.
    """
    memory.ingest(
        [{"role": "user", "content": "The boiler code is 4711-X. " + "And so on and on. " * 500}]
    )
    memory.admin.tidy()

    wide, narrow = (
        memory.recall(Query(text="What is the boiler code?", budget_tokens=tokens))
        for tokens in (10_000, 100)
    )

    assert (len(wide.hits), len(narrow.hits)) == (1, 1)
    assert narrow.hits[0].tokens <= 100 < wide.hits[0].tokens
    assert "4711-X" in narrow.hits[0].text
    assert narrow.answerable == wide.answerable > 0.5
    assert wide.degraded == ()
    assert narrow.degraded == (
        f"budget: the best hit is cut to {narrow.hits[0].tokens} of its {wide.hits[0].tokens}"
        " tokens",
    )


@pytest.mark.covers("GM-19")
def test_every_word_first_then_any(memory: Memory, texts: Texts) -> None:
    """By keyword, what has all the words comes alone; where nothing has, what has any."""
    for text in ("green tea", "green coffee", "black tea"):
        memory.remember(text)

    assert texts(memory, Query(text="green tea", preset="keyword")) == ["green tea"]
    assert set(texts(memory, Query(text="black coffee", preset="keyword"))) == {
        "black tea",
        "green coffee",
    }


@pytest.mark.covers("GM-53", "LS-57", "GM-19")
def test_time_bounds_are_moments(memory: Memory, clock: FixedClock, texts: Texts) -> None:
    """Inclusive since, exclusive until, whatever offset they are written in; applied before
    ranking, also to turns.
    """
    from datetime import timezone

    for text in ("black tea", "green tea", "white tea", "herb tea"):
        memory.remember(text)
        clock.move(days=1)
    memory.ingest([Message(text="turn on tea", at=NINE + timedelta(days=2, hours=1))])
    east = timezone(timedelta(hours=13))
    since, until = (
        (NINE + timedelta(days=1)).astimezone(east),
        (NINE + timedelta(days=3)).astimezone(east),
    )

    assert set(texts(memory, Query(text="tea", since=since, until=until))) == {
        "green tea",
        "white tea",
        "turn on tea",
    }
    assert texts(memory, Query(text="tea", until=NINE + timedelta(microseconds=1))) == ["black tea"]


def test_limit_is_ten_unless_asked(memory: Memory) -> None:
    """Ten hits whatever the wording, or as many as asked for."""
    names = "Ada Bea Cem Dia Eva Fay Gus Hal Ida Jon Kim Lou".split()
    for name in names:
        memory.remember(f"{name} likes the {name} tea")

    assert len(memory.recall("tea").hits) == 10
    assert len(memory.recall("why tea").hits) == 10
    assert len(memory.recall("compare all the tea").hits) == 10
    assert len(memory.recall("tea", limit=12).hits) == 12


@pytest.mark.covers("GM-91", "CX-4", "LS-19")
def test_sensitive_items_are_never_given_by_default(memory: Memory, texts: Texts) -> None:
    """By no door that lists or searches; only where the caller asks for them, or by id."""
    from omoide.tables.listing import Listing

    start = memory.clock.now() - timedelta(days=1)
    item = memory.remember(
        "Ana takes blue pills",
        due_at=NINE,
        entities=["person:ana"],
        details=Details(sensitive=True),
    ).item
    for preset in ("fast", "default", "best", "keyword", "rrf"):
        assert texts(memory, Query(text="Which blue pills takes Ana today?", preset=preset)) == []
    assert texts(memory, Query(entities=("person:ana",))) == []
    assert memory.items.list().items == ()
    assert memory.items.list(Listing(closed=True)).total == 0
    assert memory.due() == []
    assert memory.diff(start).added == ()
    assert memory.entities.list() == []

    assert texts(memory, Query(text="blue pills", include_sensitive=True)) == [item.text]
    assert [(e.name, e.items) for e in memory.entities.list(include_sensitive=True)] == [
        ("person:ana", 1)
    ]
    assert [i.id for i in memory.items.list(Listing(sensitive=None)).items] == [item.id]
    assert [i.id for i in memory.items.list(Listing(sensitive=True)).items] == [item.id]
    assert [i.id for i in memory.due(listing=Listing(sensitive=None))] == [item.id]
    assert [i.id for i in memory.diff(start, include_sensitive=True).added] == [item.id]
    assert memory.stats().sensitive == 1
    memory.remember("Ana lives in Porto", entities=["person:ana"])
    assert [(e.name, e.items) for e in memory.entities.list()] == [("person:ana", 1)]


@pytest.mark.covers("GM-91")
def test_what_becomes_sensitive_is_gone_from_the_next_answer(memory: Memory, texts: Texts) -> None:
    """And back when it no longer is."""
    item = memory.remember("Ana takes blue pills").item
    memory.items.edit(item.id, sensitive=True)
    assert texts(memory, "blue pills") == []
    memory.items.edit(item.id, sensitive=False)
    assert texts(memory, "blue pills") == [item.text]


@pytest.mark.covers("AD-30", "ED-30", "LS-72", "CX-19")
def test_a_scope_sees_its_own_and_what_is_common(memory: Memory, texts: Texts) -> None:
    """Two users, two agents and two tenants never mix; no user named means no user's rows, never
    all of them.
    """
    scopes = {
        "common": NOBODY,
        "ana": ANA,
        "ben": BEN,
        "agent a": Scope(agent="a", shared=True),
        "ana by a": Scope(user="ana", agent="a"),
        "ana by b": Scope(user="ana", agent="b"),
        "other tenant": Scope(tenant="t", user="ana"),
    }
    for name, scope in scopes.items():
        memory.remember(f"wombat of {name}", scope)

    def seen(scope: Scope) -> set[str]:
        found = set(texts(memory, "wombat", scope, limit=20))
        assert found == {i.text for i in memory.items.list(scope=scope).items}
        return {text.removeprefix("wombat of ") for text in found}

    assert seen(NOBODY) == {"common"}
    assert seen(ANA) == {"common", "ana"}
    assert seen(BEN) == {"common", "ben"}
    assert seen(Scope(agent="a", shared=True)) == {"common", "agent a"}
    assert seen(Scope(user="ana", agent="a")) == {"common", "ana", "agent a", "ana by a"}
    assert seen(Scope(user="ana", agent="b")) == {"common", "ana", "ana by b"}
    assert seen(Scope(tenant="t", user="ana")) == {"other tenant"}
    assert seen(Scope(tenant="t", shared=True)) == set()
    assert seen(Scope(user="an")) == seen(Scope(user="ANA")) == seen(Scope(user="a%")) == {"common"}


def test_session_only_items_stay_in_their_session(memory: Memory, texts: Texts) -> None:
    """Found from within it and nowhere else."""
    within = Scope(user="ana", session="s")
    memory.remember("the wombat is a draft", within, details=Details(session_only=True))

    assert texts(memory, "wombat", within) == ["the wombat is a draft"]
    assert (
        texts(memory, "wombat", ANA)
        == texts(memory, "wombat", Scope(user="ana", session="t"))
        == []
    )
    assert memory.items.list(scope=ANA).total == 0


@pytest.mark.covers("GM-88", "GM-81")
def test_contexts_limit_only_where_named(memory: Memory, texts: Texts) -> None:
    """Recall looks in all of them; a query may name some; new rows go to the scope's."""
    memory.remember("wombat at large")
    memory.remember("wombat at work", Scope(user="ana", context="work"))
    memory.remember("wombat at home", Scope(user="ana", context="home"))

    assert len(texts(memory, "wombat", Scope(user="ana", context="work"))) == 3
    assert set(texts(memory, Query(text="wombat", contexts=frozenset({"global", "work"})))) == {
        "wombat at large",
        "wombat at work",
    }


@pytest.mark.covers("GM-20", "GM-22", "GM-90", "GM-89")
def test_filters_narrow(memory: Memory, texts: Texts) -> None:
    """By category, domain, all of some tags, any of some entities, metadata; together they all
    hold.
    """
    one = Details(domain="journal", metadata={"n": 1})
    two = Details(domain="meeting", metadata={"n": 2, "at": {"city": "Rome"}})
    memory.remember(
        "tea one", category="preference", tags=["a", "b"], entities=["person:ana"], details=one
    )
    memory.remember("tea two", tags=["a"], entities=["project:x"], details=two)
    memory.remember("tea three")
    memory.ingest([Message(text="tea said", metadata={"n": 9}), Message(text="bare tea")])

    assert texts(memory, Query(text="tea", categories=frozenset({Category.PREFERENCE}))) == [
        "tea one"
    ]
    assert texts(memory, Query(text="tea", domain="meeting")) == ["tea two"]
    assert set(texts(memory, Query(text="tea", tags=("a",)))) == {"tea one", "tea two"}
    assert texts(memory, Query(text="tea", tags=("a", "b"))) == ["tea one"]
    assert set(texts(memory, Query(text="tea", entities=("person:ana", "project:x")))) == {
        "tea one",
        "tea two",
    }
    assert set(texts(memory, Query(text="tea", metadata={"n": {"$gte": 2}}))) == {
        "tea two",
        "tea said",
    }
    assert texts(memory, Query(text="tea", metadata={"at.city": "Rome"})) == ["tea two"]
    assert texts(memory, Query(text="tea", metadata={"n": "1"})) == []
    assert texts(memory, Query(text="tea", tags=("a",), domain="journal", metadata={"n": 2})) == []
    assert set(texts(memory, Query(text="tea", metadata={"n": {"$exists": False}}))) == {
        "tea three",
        "bare tea",
    }
    unlike = Query(text="tea", metadata={"n": {"$ne": 1}, "at": {"$exists": False}})
    assert set(texts(memory, unlike)) == {"tea three", "bare tea", "tea said"}
    assert len(OPERATORS) == 11


def test_filters_alone_list_the_latest(memory: Memory, clock: FixedClock, texts: Texts) -> None:
    """A query without words gives what passes, latest first; with neither it gives nothing."""
    for name in ("first", "second", "third"):
        memory.remember(f"{name} thing", tags=["a"] if name != "second" else [])
        clock.move(days=1)

    assert texts(memory, Query(tags=("a",))) == ["third thing", "first thing"]
    assert texts(memory, Query(since=NINE + timedelta(hours=1))) == ["third thing", "second thing"]
    assert memory.recall(Query(tags=("a",))).answerable == 1.0
    assert texts(memory, Query(tags=("none",))) == texts(memory, "") == []


@pytest.mark.covers("ED-30")
def test_filters_apply_inside_the_search(memory: Memory, texts: Texts) -> None:
    """One match among hundreds of better ones that do not pass is found, by every arm."""
    memory.remember(
        "quiet wombat in the garden long ago",
        details=Details(metadata={"keep": True}),
        tags=["kept"],
    )
    memory.ingest([Message(text=f"wombat wombat today {n}", at=NINE) for n in range(400)])

    for text in ("wombat", "wombat today", "what happened today?"):
        assert texts(memory, Query(text=text, tags=("kept",))) == [
            "quiet wombat in the garden long ago"
        ]
        assert texts(memory, Query(text=text, kinds=frozenset({Kind.ITEM}))) == [
            "quiet wombat in the garden long ago"
        ]


@pytest.mark.covers("ED-29")
def test_floors_cut_an_arm(memory: Memory) -> None:
    """What an arm finds less good than its floor does not count as found by it."""
    memory.remember("green tea")
    memory.remember("black coffee at noon")

    near = memory.recall(Query(text="green tea", floors={Arm.VECTOR: 0.65})).hits

    assert [a.arm for h in near for a in h.arms].count(Arm.VECTOR) == 1
    assert memory.recall(Query(text="green tea", floors={Arm.TEXT: 99, Arm.VECTOR: 2})).hits == ()


@pytest.mark.covers("ED-29")
def test_a_slip_of_the_finger_is_forgiven(memory: Memory, texts: Texts) -> None:
    """A word that nobody wrote finds what has one a letter away; an answer is not held for it, and
    an identifier is exact.
    """
    for text in (
        "We moved to Lisbon",
        "Pimenta is the cat",
        "Мы живём в Москве",
        "Call 4091177 at night",
    ):
        memory.remember(text)

    def found(text: str) -> list[str]:
        return texts(memory, Query(text=text, preset="fast"))

    assert found("Lisbno") == found("lisbn") == found("Lisbon") == ["We moved to Lisbon"]
    assert found("Pimmenta") == ["Pimenta is the cat"]
    assert found("Мосвке") == ["Мы живём в Москве"]
    assert found("4091178") == found("Lsbno") == []
    assert memory.recall(Query(text="Lisbno", preset="fast")).answerable < 0.5


@pytest.mark.covers("ED-29")
def test_a_word_that_somebody_wrote_is_taken_at_its_word(memory: Memory, texts: Texts) -> None:
    """Nothing else is looked for in its place, also where it stands only around, as a speaker's
    name.
    """
    memory.remember("Maria plays the flute")
    memory.remember("Marla plays the drums")
    memory.ingest([Message(text="Good morning to all", speaker="Petra")])
    memory.remember("Petri dishes are glass")

    assert texts(memory, Query(text="Marla", preset="fast")) == ["Marla plays the drums"]
    assert texts(memory, Query(text="Petra", preset="fast")) == ["Good morning to all"]


def test_two_clocks(memory: Memory, clock: FixedClock, texts: Texts) -> None:
    """What was true when (as_of) and what we knew when (known_at) are asked apart, for recall and
    get alike.
    """
    rome = memory.remember("Ana lives in Rome").item
    clock.move(days=10)
    oslo = memory.correct(rome.id, "Ana lives in Oslo", at=NINE + timedelta(days=5)).item

    def known(as_of: int | None, known_at: int | None) -> list[str]:
        true, then = (None if n is None else NINE + timedelta(days=n) for n in (as_of, known_at))
        found = texts(memory, Query(text="Where does Ana live?", as_of=true, known_at=then))
        for version in (rome, oslo):
            try:
                assert [
                    memory.get(version.id, as_of=true or clock.now(), known_at=then).text
                ] == found
            except NotFound:
                assert found == []
        return found

    assert known(None, None) == ["Ana lives in Oslo"]
    assert known(4, None) == ["Ana lives in Rome"], "as we know now, she had not moved yet"
    assert known(6, None) == ["Ana lives in Oslo"], "she had, though we learnt it later"
    assert known(6, 7) == ["Ana lives in Rome"], "on day 7 we did not know that yet"
    assert known(6, 11) == ["Ana lives in Oslo"]
    assert known(-1, None) == []
    assert known(4, -1) == []


def test_what_is_to_come_is_not_yet(memory: Memory, clock: FixedClock, texts: Texts) -> None:
    """Validity windows open and close by themselves; expiry too."""
    memory.remember(
        "the pool is open",
        details=Details(valid_from=NINE + timedelta(days=1), valid_until=NINE + timedelta(days=3)),
    )
    memory.remember("the code is zebra", details=Details(expires_at=NINE + timedelta(days=2)))

    assert texts(memory, "pool open") == []
    clock.move(days=1)
    assert texts(memory, "pool open")[0] == "the pool is open"
    assert "the code is zebra" in texts(memory, "code zebra")
    clock.move(days=2)
    assert texts(memory, "pool open code zebra") == []


def test_a_lower_tier_does_not_outrank_a_higher_one(memory: Memory) -> None:
    """About the same subject, what the user said comes before what a document or an agent says,
    however well that matches.
    """
    memory.remember(
        "Ana's flight leaves on Monday at nine",
        entities=["trip:oslo"],
        details=Details(source=Source.USER),
    )
    memory.remember(
        "Ana's flight leaves Monday: flight at ten",
        entities=["trip:oslo"],
        details=Details(tier=Tier.DOCUMENT),
    )
    memory.remember("Ana's flight leaves at nine or so", details=Details(tier=Tier.AGENT))

    hits = memory.recall("flight leaves Monday flight at ten").hits

    tiers = [h.item.tier for h in hits if h.item]
    assert tiers[0] is Tier.USER
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_no_document_has_the_first_word_where_somebody_else_has_one(
    open_memory: OpenMemory,
) -> None:
    """Though it shares its words with the question alone; where nobody else says anything of it,
    the document does.
    """
    memory = open_memory(embedder=None)
    memory.remember("Ana would rather drink tea", details=Details(source=Source.USER))
    memory.remember("Ana drinks Zanrico coffee for breakfast", details=Details(tier=Tier.DOCUMENT))
    memory.remember("The moon rises at nine", details=Details(tier=Tier.DOCUMENT))

    drinks, moon = (
        memory.recall("What does Ana drink for breakfast?").hits,
        memory.recall("When does the moon rise?").hits,
    )

    assert [hit.text for hit in drinks][:2] == [
        "Ana would rather drink tea",
        "Ana drinks Zanrico coffee for breakfast",
    ]
    assert drinks[0].score == drinks[1].score
    assert moon[0].text == "The moon rises at nine"


@pytest.mark.parametrize(
    ("guess", "first"), [("drinks", "the user"), ("drinks Zanrico for breakfast", "an agent")]
)
def test_an_agent_has_the_first_word_where_it_has_more_of_what_is_asked(
    open_memory: OpenMemory, guess: str, first: str
) -> None:
    """Than the user said: a third of the question's words at least. Else the user comes first,
    however much better the agent's is found.
    """
    memory = open_memory(embedder=None)
    memory.remember(
        "Ana drinks tea, and takes it with her to the office and the garden on most days",
        details=Details(source=Source.USER),
    )
    memory.remember(f"Ana {guess}", details=Details(tier=Tier.AGENT))

    hits = memory.recall("What does Ana drink for breakfast?").hits

    assert [hit.item and hit.item.tier for hit in hits] == (
        [Tier.USER, Tier.AGENT] if first == "the user" else [Tier.AGENT, Tier.USER]
    )


@pytest.mark.parametrize("limit", [3, 10])
def test_no_page_keeps_what_others_say_out_of_sight_by_saying_much(
    open_memory: OpenMemory, limit: int
) -> None:
    """More items of it than are looked at, each nearer to the question than what the user said."""
    memory = open_memory(embedder=None)
    memory.remember("Ana would rather drink tea", details=Details(source=Source.USER))
    for brand in ("Zanrico", "Morvella", "Barkhorn", "Quellith", "Minvale", "Orofido", "Larau") * 3:
        told = f"Ana drinks {brand} coffee for breakfast, {memory.clock.new_id()}"
        memory.remember(told, details=Details(tier=Tier.DOCUMENT, origin="https://page.example"))

    hits = memory.recall("What does Ana drink for breakfast?", limit=limit).hits

    assert len(hits) == limit
    assert hits[0].text == "Ana would rather drink tea"


def test_what_is_linked_to_many_names_is_about_none_of_them(open_memory: OpenMemory) -> None:
    """Nine people: it is found by its text. Eight: by their names too. A filter finds both."""
    memory = open_memory(embedder=None)
    people = [f"Person{n}" for n in range(9)]
    few, many = (
        memory.remember(text, entities=people[:n]).id
        for text, n in (("They met in May", 8), ("They met in June", 9))
    )

    assert [hit.id for hit in memory.recall("What about Person3?").hits] == [few]
    assert [hit.id for hit in memory.recall("Who met in June?").hits] == [many, few]
    assert {hit.id for hit in memory.recall(Query(text="", entities=("Person3",))).hits} == {
        few,
        many,
    }


@pytest.mark.covers("LS-53", "ED-31")
def test_only_what_is_returned_is_counted(memory: Memory, clock: FixedClock) -> None:
    """Once for each answer it is in: uses and last use. Nothing for what was only considered, and
    nobody gets surer by being recalled.
    """
    names = "Ada Bea Cem Dia Eva Fay".split()
    items = [
        memory.remember(f"{name} likes {name} tea", details=Details(confidence=0.75)).item
        for name in names
    ]
    clock.move(days=1)

    hits = memory.recall("tea", limit=2).hits
    memory.recall("tea", limit=2)
    memory.why_not("tea", items[0].id)

    given = {hit.id for hit in hits}
    for item in items:
        now = memory.get(item.id)
        assert isinstance(now, Item)
        assert now.uses == (2 if item.id in given else 0)
        assert now.confidence == 0.75
        assert now.last_used_at == (clock.now() if item.id in given else None)
        assert now.updated_at == item.updated_at


def test_a_use_counts_for_when_it_was(open_memory: OpenMemory, clock: FixedClock) -> None:
    """Not for when the count was written; nor does another memory that writes later put the time
    back.
    """
    one, two = open_memory(), open_memory()
    id = one.remember("Ana likes tea").id
    one.recall("tea")
    clock.move(days=1)
    two.recall("tea")
    used = clock.now()
    clock.move(days=1)

    for memory in (two, one):
        now = memory.get(id)
    assert isinstance(now, Item)
    assert (now.uses, now.last_used_at) == (2, used)


@pytest.mark.parametrize(
    "look",
    [
        lambda memory, item: memory.items.pin(item.id),
        lambda memory, item: memory.items.feedback(item.id, helpful=True),
        lambda memory, item: memory.diff(NINE - timedelta(days=1)).added[0],
        lambda memory, item: memory.due()[0],
    ],
    ids=["pin", "feedback", "diff", "due"],
)
def test_whoever_shows_an_item_shows_its_uses(
    memory: Memory, look: Callable[[Memory, Item], Item]
) -> None:
    """As a memory that was opened anew would."""
    item = memory.remember("Ana drinks tea", due_at=NINE).item
    memory.recall("tea")

    assert look(memory, item).uses == 1


@pytest.mark.covers("LS-47")
def test_counts_of_several_memories_add_up(open_memory: OpenMemory) -> None:
    """Two over one store, as two processes are: the sum is made in the database, no count is
    lost.
    """
    one, two = open_memory(), open_memory()
    item = one.remember("Ana likes tea").item
    for _ in range(5):
        one.recall("tea")
        two.recall("tea")
    two.stats()

    kept = one.get(item.id)
    assert isinstance(kept, Item)
    assert kept.uses == 10
    assert one.admin.verify().problems == ()


@pytest.mark.covers("GM-6", "CX-1", "CX-2")
@pytest.mark.parametrize("fault", [Fault.DOWN, Fault.NAN, Fault.WIDTH])
def test_a_failing_embedder_is_an_error_not_a_poorer_answer(
    fault: Fault, memory: Memory, embedder: FakeEmbedder
) -> None:
    """Strict by default; what needs no vector still works, by name."""
    memory.remember("Ana likes tea")
    embedder.fault = fault

    with pytest.raises(ModelError) as caught:
        memory.recall("tea")
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value, BadVector) == (fault is not Fault.DOWN)
    assert [h.text for h in memory.recall(Query(text="tea", preset="fast")).hits] == [
        "Ana likes tea"
    ]


@pytest.mark.covers("CX-1", "CX-2")
def test_without_an_embedder_every_answer_says_so(open_memory: OpenMemory) -> None:
    """None is a mode of its own, told in each result and in stats."""
    memory = open_memory(embedder=None)
    memory.remember("Ana likes tea")

    answer = memory.recall("tea")

    assert [h.text for h in answer.hits] == ["Ana likes tea"]
    assert answer.degraded == ("vector: no embedder, by choice",)
    assert memory.stats().coverage == ()


class Longest:
    """A reranker that likes long texts."""

    id = "longest"

    def __init__(self) -> None:
        self.asked = 0

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        self.asked += 1
        return np.array([len(text) for text in texts], np.float32)


@pytest.mark.covers("GM-50", "GM-51")
def test_a_reranker_reorders_where_asked_for(open_memory: OpenMemory) -> None:
    """Only with the preset best; without one, the answer says so."""
    reranker = Longest()
    memory = open_memory(reranker=reranker)
    short, long = (
        "green tea is in the tin",
        "green tea is in the blue cupboard beside the window of the kitchen",
    )
    memory.remember(long)
    memory.remember(short)

    plain = memory.recall("green tea is in the tin").hits
    assert ([hit.text for hit in plain], reranker.asked) == ([short, long], 0)
    best = memory.recall(Query(text="green tea is in the tin", preset="best"))
    assert ([hit.text for hit in best.hits], reranker.asked) == ([long, short], 1)
    assert "rerank" in [s.name for s in best.trace]
    assert max(h.score for h in best.hits) == pytest.approx(plain[0].score)
    assert open_memory().recall(Query(text="tea", preset="best")).degraded == (
        "rerank: no reranker is set",
    )


def test_what_the_reranker_did_not_look_at_comes_after(open_memory: OpenMemory) -> None:
    """However little it thought of what it did look at."""
    reranker = Longest()
    memory = open_memory(reranker=reranker)
    memory.items.add_many(
        Statement(text=f"tea number x{n}" + " and so on" * (n % 2) + ", said whoever" * (n % 3))
        for n in range(60)
    )
    plain = memory._engine.recaller.candidates(
        ask(ANA, Query(text="tea number", preset="best"), 60, NINE), Trail()
    ).hits

    best = memory._engine.recaller.ranked(
        ask(ANA, Query(text="tea number", preset="best"), 60, NINE), plain, Trail()
    )

    assert {hit.id for hit in best[RERANKED:]} == {hit.id for hit in plain[RERANKED:]}
    assert [hit.score for hit in best] == sorted((hit.score for hit in best), reverse=True)


def test_a_quick_reranker_says_how_many_it_looks_at(open_memory: OpenMemory) -> None:
    """It is asked about so many candidates, and not about fifty."""

    class Quick(Longest):
        reach = 55

        def score(self, query: str, texts: Sequence[str]) -> RerankScores:
            self.asked = len(texts)
            return np.zeros(len(texts), np.float32)

    reranker = Quick()
    memory = open_memory(reranker=reranker)
    for n in range(60):
        memory.remember(f"tea number x{n}")

    memory.recall(Query(text="tea number", preset="best"))

    assert reranker.asked == 55


@pytest.mark.parametrize("preset", ["fast", "default", "keyword", "rrf"])
def test_a_long_turn_takes_one_place(preset: str, memory: Memory) -> None:
    """However many of its parts are found, as many hits come as are wanted."""
    memory.ingest(
        [Message(text=" ".join(f"wombat plan filler{n} word" for n in range(1300)))],
        Scope(user="ana", session="long"),
    )
    for n in range(8):
        memory.ingest(
            [Message(text=f"the wombat plan {n} was said by somebody{n}")],
            Scope(user="ana", session=f"s{n}"),
        )

    answer = memory.recall(Query(text="wombat plan", preset=preset), limit=5)

    assert len(answer.hits) == len({hit.id for hit in answer.hits}) == 5


class BrokenReranker(Longest):
    """One that lets a third party's error through, or gives nonsense."""

    def score(self, query: str, texts: Sequence[str]) -> RerankScores:
        if query.startswith("nan"):
            return np.full(len(texts), np.nan, np.float32)
        if query.startswith("few"):
            return np.zeros(len(texts) - 1, np.float32)
        raise ValueError("boom")


@pytest.mark.covers("GM-51", "CX-2")
@pytest.mark.parametrize("query", ["nan tea", "few tea", "raise tea"])
def test_a_failing_reranker_is_an_error(query: str, open_memory: OpenMemory) -> None:
    """As typed as an embedder's; never an order made of nonsense."""
    memory = open_memory(reranker=BrokenReranker())
    memory.remember("tea is hot")
    memory.remember("tea was cold")

    with pytest.raises(ModelError):
        memory.recall(Query(text=query, preset="best"))


@pytest.mark.covers("SO-80")
def test_repetitions_give_way(memory: Memory) -> None:
    """Of hits that say the same, one comes early; something else comes before the rest."""
    memory.ingest(
        [Message(text="the wombat sleeps under the old tree")] * 3
        + [Message(text="a wombat ate lunch under the table")]
    )

    found = [h.text for h in memory.recall("wombat", limit=4).hits]

    assert found.index("a wombat ate lunch under the table") < 3


@pytest.mark.covers("SO-69")
def test_hits_fit_a_token_budget(memory: Memory) -> None:
    """The sum of their tokens never passes it."""
    for n in range(9):
        memory.ingest([Message(text=f"tea {'word ' * (3 * n)}{n}")])

    answer = memory.recall(Query(text="tea", budget_tokens=30), limit=9)

    assert 0 < sum(h.tokens for h in answer.hits) <= 30
    assert answer.trace[-1].name == "pack"


def test_a_turns_neighbours_help_to_find_it(memory: Memory) -> None:
    """A reply means little alone: the words before it count too."""
    memory.ingest(
        [
            Message(text="Which colour shall the kitchen be?", user="ana"),
            Message(text="Green please"),
        ]
    )
    memory.ingest([Message(text="Which colour shall the car be?"), Message(text="Red please")])

    found = [h.text for h in memory.recall("kitchen colour", limit=2).hits]

    assert "Green please" in found


def test_any_language_is_found(memory: Memory) -> None:
    """By words, with and without spaces between them, and inflected."""
    pairs = {
        "安娜住在罗马": "安娜住哪里？", "アナはローマに住んでいます": "ローマ", "Ана живёт в Риме": "где живут в Риме",
        "آنا تعيش في روما": "روما", "अना रोम में रहती है": "रोम",
        "Anna lebt in den Häusern am Hafen": "Haus am Hafen", "아나는 로마에 산다": "로마",
    }  # fmt: skip
    for text in pairs:
        memory.remember(text)

    for text, question in pairs.items():
        assert memory.recall(Query(text=question, preset="fast")).hits[0].text == text


def test_half_an_answer_is_not_called_one(memory: Memory) -> None:
    """answerable tells a held answer from a question nobody ever told about."""
    memory.remember("Ana lives in Rome near the river")

    held, none = (
        memory.recall("Where does Ana live?").answerable,
        memory.recall("What is the tax number of the company?").answerable,
    )

    assert none < 0.5 < held
    assert memory.recall("zzz").answerable < 0.5


def test_asking_changes_nothing_that_is_remembered(memory: Memory) -> None:
    """No change on the ledger, however often it is asked."""
    memory.remember("Ana likes tea")
    before = memory.admin.verify().head
    for _ in range(3):
        memory.recall("tea")
    memory.stats()

    assert memory.admin.verify().head == before
