"""What becomes of something said, given what is known."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.scope import Scope
from omoide.text.negation import negates
from omoide.text.sets import overlap
from omoide.text.within import stands_in
from omoide.write.decide import (
    CURRENCIES,
    Add,
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Reinforce,
    Supersede,
    decide,
    identifiers,
)
from tests.fix_memory import ANA, NINE, MakeItem
from tests.growth import is_linear

PAIRS = Path(__file__).parent.parent / "evals" / "data" / "short-pairs.tsv"


def candidate(text: str, **fields: object) -> Candidate:
    """What Ana says."""
    return Candidate(
        **({"scope": ANA, "category": Category.FACT, "text": text, "tier": Tier.USER} | fields)  # type: ignore[arg-type]
    )


def judged(new: str, old: Item) -> Decision:
    """What becomes of a text beside one known item."""
    return decide(candidate(new), [Neighbour(item=old)])


def test_nothing_known_means_add() -> None:
    """The first statement is always kept."""
    assert decide(candidate("Ana likes tea"), []) == Add()


@pytest.mark.covers("GM-16", "SO-81")
@pytest.mark.parametrize(
    "again", ["Ana likes tea", "ana likes TEA", "Ana  likes\ntea", "Ana likes tea."]
)
def test_the_same_statement_reinforces(again: str, make_item: MakeItem) -> None:
    """Said again, whatever the case and spacing, nothing new is stored."""
    known = make_item("Ana likes tea")

    assert judged(again, known) == Reinforce(item=known)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana really really likes tea", "Ana really likes tea"),
        ("Ana likes tea and Ana likes milk", "Ana likes tea and milk"),
    ],
)
def test_a_word_said_twice_adds_nothing(one: str, other: str, make_item: MakeItem) -> None:
    """Whichever of the two comes first; the same words in another order are another statement
    still.
    """
    known, also = make_item(one), make_item(other)

    assert (judged(other, known), judged(one, also)) == (
        Reinforce(item=known),
        Reinforce(item=also),
    )
    assert judged("Ben asked Ana about tea", make_item("Ana asked Ben about tea")) == Add()


@pytest.mark.covers("GM-16")
def test_four_words_of_five_in_common_are_near(make_item: MakeItem) -> None:
    """The measure is shared words by the smaller set, from 0.8 on."""
    near = make_item("alpha beta gamma delta epsilon")

    assert judged("alpha beta gamma delta zeta", near) == Supersede(item=near)
    assert judged("alpha beta gamma eta zeta", near) == Add()


@pytest.mark.covers("GM-16")
def test_overlap_is_shared_words_by_the_smaller_set() -> None:
    """Szymkiewicz-Simpson; empty sets share nothing."""
    assert overlap({"a", "b"}, {"b", "c", "d"}) == 0.5
    assert overlap({"a"}, {"a", "b", "c"}) == 1.0
    assert overlap(set(), {"a"}) == 0.0


@pytest.mark.covers("CX-13")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The site runs on React 18", "The site runs on React 19"),
        (
            "The weekly meeting of the design team in Porto is on Monday",
            "The weekly meeting of the design team in Porto is on Tuesday",
        ),
        (
            "Our weekly team call is with Ana Lopez today",
            "Our weekly team call is with Ana Gomez today",
        ),
        ("Ana likes coffee", "Ana does not like coffee"),
        ("Ana mag Kaffee sehr gern", "Ana mag keinen Kaffee sehr gern"),
        ("Ana trinkt gern schwarzen Kaffee", "Ana trinkt nicht gern schwarzen Kaffee"),
        ("我喜欢喝绿茶", "我不喜欢喝绿茶"),
        ("Ана любит крепкий кофе", "Ана не любит крепкий кофе"),
    ],
)
def test_what_changed_supersedes(old: str, new: str, make_item: MakeItem) -> None:
    """A near statement with another number, name or negation takes over; it never overwrites."""
    known = make_item(old)

    assert judged(new, known) == Supersede(item=known)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PR #260 is merged", "PR #480 is merged"),
        ("ticket OPS-12 is closed", "ticket OPS-13 is closed"),
        ("see #7 first", "see first"),
    ],
)
def test_other_identifiers_are_other_things(old: str, new: str, make_item: MakeItem) -> None:
    """PR #260 and PR #480 stay two."""
    assert judged(new, make_item(old)) == Add()


SENTENCES = [
    "Ben reviewed {} this morning",
    "O {} foi fechado ontem pela Ana",
    "{} behebt den Fehler beim Anmelden",
    "Анна закрыла {} вчера утром",
    "我们的 {} 已经合并到主分支",
    "{}はもうマージされました",
    "راجع بن {} هذا الصباح",
    "Η Άννα έκλεισε το {} χθες",
    "बेन ने आज {} देखा",
]
NUMBERS = st.integers(0, 99_999)
ABBREVIATIONS = st.text("ABCDEFGHKLMNPRSTVXZÄÉŠΔΛΩБДЖ", min_size=2, max_size=5).filter(
    lambda word: word not in CURRENCIES
)


@given(st.sampled_from(SENTENCES), ABBREVIATIONS, st.sampled_from(["", " "]), NUMBERS, NUMBERS)
def test_a_number_after_an_abbreviation_names_one_thing_of_many(
    sentence: str, word: str, space: str, one: int, other: int
) -> None:
    """PR 260 and PR 480, RFC2616 and RFC9110 stay two, in any script; the same number said again is
    the same thing.
    """
    old, new = (sentence.format(f"{word}{space}{number}") for number in (one, other))

    assert judged(new, item_of(old)) == (Reinforce(item=item_of(old)) if one == other else Add())


@given(
    st.sampled_from(
        [
            "Ana is {}",
            "Ana tem {} anos",
            "Der Bus fährt um {} Uhr",
            "Анне {} лет",
            "安娜今年 {} 岁",
            "アナは{}歳です",
            "Zimmer {} hat Ana",
            "ANA IS {} YEARS OLD",
            "The ticket costs EUR {}",
            "Room {} is where Ana sleeps",
            "The PR team has {} people",
            "Ana weighs {} kg",
            "The file has {} MB",
            "O bilhete custa R$ {}",
            "Ana ran {}km",
            "Η Άννα είναι {} ετών",
        ]
    ),
    NUMBERS,
    NUMBERS,
)
def test_any_other_number_is_what_a_thing_has(sentence: str, one: int, other: int) -> None:
    """An age, a time, a price, a room: another number means that it changed."""
    old, new = sentence.format(one), sentence.format(other)

    decision = judged(new, item_of(old))

    assert isinstance(decision, Reinforce if one == other else Supersede)


def test_an_age_that_changed_supersedes(make_item: MakeItem) -> None:
    """The plain case."""
    known = make_item("Ana is 30")

    assert judged("Ana is 31", known) == Supersede(item=known)


@pytest.mark.covers("LS-56")
def test_a_shorter_statement_loses_no_detail(make_item: MakeItem) -> None:
    """What says less than is known only reinforces it."""
    known = make_item("Ana likes green tea with honey in the morning")

    assert judged("Ana likes green tea", known) == Reinforce(item=known)


@pytest.mark.covers("LS-56")
def test_a_longer_statement_takes_over(make_item: MakeItem) -> None:
    """What says all that is known and more is the better wording."""
    known = make_item("Ana likes green tea")

    assert judged("Ana likes green tea with honey", known) == Supersede(item=known)


@pytest.mark.covers("LS-56")
def test_a_statement_that_would_lose_more_than_it_adds_is_added(make_item: MakeItem) -> None:
    """Where the old one says more of its own, both stay."""
    known = make_item("Ana likes strong green tea with honey and two slices of lemon")

    assert judged("Ana likes strong green tea daily", known) == Add()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana helps Ben", "Ben helps Ana"),
        ("Ana helps Ben with maths", "Ben helps Ana"),
        ("Ben helps Ana", "Ana helps Ben with maths"),
        ("Ana helps Ben", "Ben does not help Ana"),
        ("Ana flew from Porto to Lisbon", "Ana flew from Lisbon to Porto"),
        ("Анна помогает Бену", "Бен помогает Анне"),
        ("安娜帮本", "本帮安娜"),
    ],
)
def test_another_order_of_words_is_another_statement(
    old: str, new: str, make_item: MakeItem
) -> None:
    """Who helps whom is kept apart, also where one of the two says more, or says no."""
    assert judged(new, make_item(old)) == Add()


def short_pairs(kind: str) -> list[tuple[str, str, str]]:
    """What differs, and the older and newer statement, of the recorded pairs of a kind."""
    rows = (
        line.split("\t")
        for line in PAIRS.read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
    return [(differs, old, new) for told, differs, old, new in rows if told == kind]


@pytest.mark.covers("CX-13")
def test_of_short_statements_only_another_name_closes_what_may_hold_still() -> None:
    """Ana is allergic to peanuts, and to shellfish: in nine languages, nothing is closed by another
    word; a name closes six of these.
    """
    both = short_pairs("both")
    closed = [differs for differs, old, new in both if judged(new, item_of(old)) != Add()]

    assert len(both) > 35
    assert closed == ["name"] * 6


@pytest.mark.covers("CX-13")
def test_a_short_statement_gives_way_to_another_number_or_sign() -> None:
    """In every script; only a number that turns its noun is not seen."""
    changed = [
        (old, new) for differs, old, new in short_pairs("change") if differs in ("number", "sign")
    ]

    assert len(changed) > 10
    for old, new in changed:
        assert judged(new, item_of(old)) == (
            Add() if new == "Анне 35 лет" else Supersede(item=item_of(old))
        ), (old, new)


@pytest.mark.covers("CX-13", "GM-16")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ben's cat is called Mia", "Ben's cat is called Kira"),
        (
            "The meeting with the design team is on Monday",
            "The meeting with the design team is on Tuesday",
        ),
        (
            "Die Besprechung mit dem Team ist am Montag",
            "Die Besprechung mit dem Team ist am Dienstag",
        ),
        ("The project lead of Apollo is Maria", "The project lead of Apollo is Jonas"),
        ("the meeting with Ana is at nine", "the meeting with Ana is at ten"),
        ("The deploy takes 12 minutes", "The deploy takes twenty minutes"),
        ("Ana has two cats", "Ana has three cats"),
        ("Ana hat zwei Katzen", "Ana hat drei Katzen"),
        ("У Анны две кошки", "У Анны три кошки"),
        ("Встреча с Анной и Борисом будет в Москве", "Встреча с Анной и Борисом будет в Казани"),
    ],
)
def test_another_name_day_or_number_is_a_change_where_most_else_is_the_same(
    old: str, new: str
) -> None:
    """Also where the small words are most of what two statements share."""
    assert judged(new, item_of(old)) == Supersede(item=item_of(old))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana is allergic to peanuts", "Ana is allergic to shellfish"),
        ("Ana lives in Porto", "Ana lives in Lisbon"),
        ("Anas Schwester wohnt in Köln", "Anas Bruder wohnt in Köln"),
        ("tea number x1", "tea number x2"),
        ("the build of the site is 06h287b7a07e", "the build of the site is 07k912c3b11f"),
    ],
)
def test_another_word_or_a_name_in_few_words_stands_beside(old: str, new: str) -> None:
    """By its form nothing tells what took another's place; a German noun is no name for its
    capital.
    """
    assert judged(new, item_of(old)) == Add()


@pytest.mark.covers("CX-12", "GM-88")
@pytest.mark.parametrize(
    "fields",
    [
        {"scope": Scope(user="ben")},
        {"scope": Scope(user="ana", context="work")},
        {"scope": Scope(user="ana", agent="a")},
        {"scope": Scope(user="ana", tenant="t")},
        {"category": Category.NOTE},
        {"entities": frozenset({"person:cy"})},
    ],
)
def test_only_the_same_group_is_compared(fields: dict[str, object], make_item: MakeItem) -> None:
    """Another user, context, agent, tenant, category or entity never merges."""
    known = Neighbour(item=make_item("Ana likes tea"))

    assert decide(candidate("Ana likes tea", **fields), [known]) == Add()


def test_a_closed_item_is_not_compared(make_item: MakeItem) -> None:
    """What is no longer held neither merges nor is superseded again."""
    known = make_item("Ana likes tea", superseded_at=NINE, closed_at=NINE)

    assert judged("Ana likes tea", known) == Add()


def test_a_lower_tier_that_only_repeats_is_ignored(make_item: MakeItem) -> None:
    """A document that says what the user said adds nothing, and changes nothing."""
    known = make_item("Ana likes tea", tier=Tier.USER)

    assert decide(
        candidate("Ana likes tea", tier=Tier.DOCUMENT), [Neighbour(item=known)]
    ) == Ignore(item=known)


@pytest.mark.parametrize("tier", [Tier.DOCUMENT, Tier.AGENT])
def test_a_lower_tier_never_supersedes(tier: Tier, make_item: MakeItem) -> None:
    """What a tool or an agent says differently is added beside what the user said."""
    known = make_item("Ana lives in Rome now", tier=Tier.USER)

    assert decide(candidate("Ana lives in Oslo now", tier=tier), [Neighbour(item=known)]) == Add()


def test_a_higher_tier_supersedes(make_item: MakeItem) -> None:
    """The user's word replaces what a document said."""
    known = make_item("The office has 12 rooms", tier=Tier.DOCUMENT)

    assert decide(candidate("The office has 14 rooms"), [Neighbour(item=known)]) == Supersede(
        item=known
    )


def test_the_nearest_decides(make_item: MakeItem) -> None:
    """Of several near statements the same one is found, wherever it stands."""
    same, near = make_item("The site runs on React 19"), make_item("The site runs on React 18")

    for order in ([same, near], [near, same]):
        assert decide(
            candidate("The site runs on React 19"), [Neighbour(item=i) for i in order]
        ) == Reinforce(item=same)


def test_identifiers_are_read_from_text() -> None:
    """Numbers with a mark, keys and versions; plain numbers are none."""
    assert identifiers("PR #260 fixes OPS-12 in v2.0.1, 18 times") == {"#260", "ops-12", "v2.0.1"}


@pytest.mark.parametrize(
    "text",
    [
        "I don't know",
        "I don’t know",
        "Ich weiß es nicht",
        "Nunca va",
        "我不知道",
        "知らない",
        "모르지 않다",
        "Я не знаю",
        "لا أعرف",
        "नहीं",
    ],
)
def test_negation_is_seen_in_many_languages(text: str) -> None:
    """With either apostrophe, in scripts with and without spaces."""
    assert negates(text)


WORDS = st.lists(
    st.sampled_from("ana ben likes tea rome not no 18 19 #1 #2 der nicht 茶 不 чай не".split()),
    min_size=1,
    max_size=8,
).map(" ".join)
TIERS = st.sampled_from(Tier)


@given(WORDS, st.lists(st.tuples(WORDS, TIERS), max_size=4), TIERS)
def test_a_lower_tier_changes_nothing_of_a_higher_one(
    text: str, known: list[tuple[str, Tier]], tier: Tier
) -> None:
    """Whatever is said, only what is of the same or a lower tier is reinforced or superseded."""
    items = [item_of(words, tier=t) for words, t in known]

    match decide(candidate(text, tier=tier), [Neighbour(item=i) for i in items]):
        case Reinforce(item=item) | Supersede(item=item):
            assert item.tier <= tier
        case Ignore(item=item):
            assert item.tier > tier


@given(WORDS, st.lists(WORDS, max_size=4))
def test_what_was_just_said_is_known(text: str, others: list[str]) -> None:
    """A statement that is among the neighbours is never added again, nor supersedes its own
    copy.
    """
    items = [item_of(words) for words in (*others, text)]

    decision = decide(candidate(text), [Neighbour(item=i) for i in items])

    assert isinstance(decision, Reinforce)
    assert decision.item.text == text


@given(WORDS, st.lists(WORDS, min_size=1, max_size=4))
def test_only_what_shares_words_is_touched(text: str, others: list[str]) -> None:
    """The item that a decision names is a neighbour with at least one word in common."""
    items = [item_of(words) for words in others]

    decision = decide(candidate(text), [Neighbour(item=i) for i in items])

    if not isinstance(decision, Add):
        assert decision.item in items
        assert set(text.split()) & set(decision.item.text.split())


def item_of(text: str, tier: Tier = Tier.USER) -> Item:
    """An open item of Ana's."""
    return Item(
        id=text,  # type: ignore[arg-type]
        scope=ANA,
        category=Category.FACT,
        text=text,
        tier=tier,
        created_at=NINE,
        updated_at=NINE,
        recorded_at=NINE,
        valid_from=NINE - timedelta(days=1),
    )


def test_long_texts_are_compared_in_the_time_that_they_take_to_read() -> None:
    """The order of the words of a long list, each of them another, is looked at once."""
    assert is_linear(lambda text: stands_in(text, text), " ".join(f"w{n}" for n in range(5_000)))
