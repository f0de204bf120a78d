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
from omoide.write.decide import (
    Add,
    Candidate,
    Decision,
    Ignore,
    Neighbour,
    Reinforce,
    decide,
    identifiers,
)
from tests.fix_memory import ANA, NINE, MakeItem

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


@pytest.mark.covers("GM-16")
def test_half_of_the_words_of_the_shorter_text_make_it_near(make_item: MakeItem) -> None:
    """What is near is added and linked; what shares less stands by itself."""
    near = make_item("alpha beta gamma delta")

    assert judged("alpha beta eta zeta theta", near) == Add(similar=near)
    assert judged("alpha eta zeta theta", near) == Add()


@pytest.mark.covers("GM-16")
def test_overlap_is_shared_words_by_the_smaller_set() -> None:
    """Szymkiewicz-Simpson; empty sets share nothing."""
    assert overlap({"a", "b"}, {"b", "c", "d"}) == 0.5
    assert overlap({"a"}, {"a", "b", "c"}) == 1.0
    assert overlap(set(), {"a"}) == 0.0


@pytest.mark.covers("CX-13", "LS-56")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The site runs on React 18", "The site runs on React 19"),
        ("PR #260 is merged", "PR #480 is merged"),
        ("Ana likes coffee", "Ana does not like coffee"),
        ("我喜欢喝绿茶", "我不喜欢喝绿茶"),
        ("Ана любит крепкий кофе", "Ана не любит крепкий кофе"),
        ("Ana likes green tea with honey in the morning", "Ana likes green tea"),
        ("Ana likes green tea", "Ana likes green tea with honey"),
        ("Ana helps Ben", "Ben helps Ana"),
        ("Das Essen war schon fertig", "Das Essen war schön fertig"),
        ("Er fand die Masse beeindruckend", "Er fand die Maße beeindruckend"),
        ("Lo entregó el año pasado", "Lo entregó el ano pasado"),
        ("Die Pflanze muss man umfahren?", "Die Pflanze muss man umfahren!"),
    ],
)
def test_another_text_is_added_and_linked(old: str, new: str, make_item: MakeItem) -> None:
    """Another number, name, word, accent, sign or order is another statement: both are kept."""
    known = make_item(old)

    assert judged(new, known) == Add(similar=known)


def short_pairs(kind: str) -> list[tuple[str, str, str]]:
    """What differs, and the older and newer statement, of the recorded pairs of a kind."""
    rows = (
        line.split("\t")
        for line in PAIRS.read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
    return [(differs, old, new) for told, differs, old, new in rows if told == kind]


@pytest.mark.covers("CX-13")
@pytest.mark.parametrize("kind", ["both", "change"])
def test_short_statements_close_nothing(kind: str) -> None:
    """In nine languages, whether both hold or one changed: words cannot tell."""
    decisions = [judged(new, item_of(old)) for _, old, new in short_pairs(kind)]

    assert len(decisions) > 30
    assert all(isinstance(one, Add) for one in decisions)


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
    """Another user, context, agent, tenant, category or entity never merges; only another entity
    is still linked.
    """
    known = make_item("Ana likes tea")

    decision = decide(candidate("Ana likes tea", **fields), [Neighbour(item=known)])

    assert decision == Add(similar=known if "entities" in fields else None)


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


@pytest.mark.parametrize("tier", Tier)
def test_no_tier_closes_by_words(tier: Tier, make_item: MakeItem) -> None:
    """Whoever says it differently: it is added beside what was said."""
    known = make_item("Ana lives in Rome now", tier=Tier.AGENT)

    decision = decide(candidate("Ana lives in Oslo now", tier=tier), [Neighbour(item=known)])

    assert decision == Add(similar=known)


def test_the_nearest_decides(make_item: MakeItem) -> None:
    """Of several near statements the same one is found, wherever it stands."""
    same, near = make_item("The site runs on React 19"), make_item("The site runs on React 18")

    for order in ([same, near], [near, same]):
        assert decide(
            candidate("The site runs on React 19"), [Neighbour(item=i) for i in order]
        ) == Reinforce(item=same)


def test_of_near_statements_the_nearest_is_linked(make_item: MakeItem) -> None:
    """By the words in common, then by when they were learnt."""
    old = make_item("Invoice 17 was paid")
    new = make_item("Invoice 18 was paid", recorded_at=NINE + timedelta(days=1))
    far = make_item("Invoice 9 was never seen here")

    for order in ([old, new, far], [far, new, old]):
        assert decide(candidate("Invoice 19 was paid"), [Neighbour(item=i) for i in order]) == Add(
            similar=new
        )


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
    """Whatever is said, only what is of the same or a lower tier is reinforced."""
    items = [item_of(words, tier=t) for words, t in known]

    match decide(candidate(text, tier=tier), [Neighbour(item=i) for i in items]):
        case Reinforce(item=item):
            assert item.tier <= tier
        case Ignore(item=item):
            assert item.tier > tier


@given(WORDS, st.lists(WORDS, max_size=4))
def test_what_was_just_said_is_known(text: str, others: list[str]) -> None:
    """A statement that is among the neighbours is never added again."""
    items = [item_of(words) for words in (*others, text)]

    decision = decide(candidate(text), [Neighbour(item=i) for i in items])

    assert isinstance(decision, Reinforce)
    assert decision.item.text == text


@given(WORDS, st.lists(WORDS, min_size=1, max_size=4))
def test_only_what_shares_words_is_touched(text: str, others: list[str]) -> None:
    """The item that a decision names is a neighbour with at least one word in common."""
    items = [item_of(words) for words in others]

    decision = decide(candidate(text), [Neighbour(item=i) for i in items])

    touched = decision.similar if isinstance(decision, Add) else decision.item
    if touched is not None:
        assert touched in items
        assert set(text.split()) & set(touched.text.split())


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
