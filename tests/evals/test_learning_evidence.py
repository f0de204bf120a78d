"""What learning makes of recorded answers in eight languages: of honest and wrong notes, changes,
merges, repetitions and pasted pages. The bounds are what was set out to reach.

``python -m tests.evals.learning`` prints the tables, ``docs/measurements/evidence.md`` has them.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.evals import learning
from tests.evals.answers import Merging, records
from tests.evals.bench import Setup, share

LANGUAGES = {"en", "de", "es", "pt", "zh", "ja", "ar", "hi"}
MOST_WRONG = 0.15  # of wrong notes, confirmed with a judge
FACTS, MOST_OPEN = 5, 6  # of 20 paraphrases

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("honest", 200),
        ("wrong", 100),
        ("both-hold", 100),
        ("change", 100),
        ("merge", 60),
        ("repeated", 24),
        ("paste", 80),
    ],
)
def test_there_are_enough_records_in_each_language(name: str, least: int) -> None:
    """A tenth of each sort at least."""
    languages = Counter(record["lang"] for record in records(name))

    assert languages.total() == least
    assert languages.keys() == LANGUAGES
    assert min(languages.values()) >= least / 10


def test_pages_are_pasted_in_eight_shapes() -> None:
    """Ten of each."""
    assert set(Counter(record["shape"] for record in records("paste")).values()) == {10}
    assert len({record["shape"] for record in records("paste")}) == 8


def test_sixty_questions_are_asked_of_four_talks() -> None:
    """In four languages."""
    told = records("talks")
    assert len({record["lang"] for record in told}) == 4
    assert sum(len(record["questions"]) for record in told) == 60


def test_honest_notes_are_learnt_and_hardly_any_is_lost() -> None:
    """At least nine of ten are confirmed; of a hundred, two at most are neither that nor
    unconfirmed.
    """
    cases = learning.honest(Setup())

    assert share(cases, "confirmed") >= 0.9
    assert share(cases, "confirmed", "unconfirmed") >= 0.98


def test_many_notes_of_one_talk_are_learnt_like_each_by_itself() -> None:
    """25 at once, in each language."""
    cases = learning.honest_together(Setup())

    assert share(cases, "confirmed") >= 0.9
    assert share(cases, "confirmed", "unconfirmed") >= 0.98


def test_without_a_judge_honest_notes_are_not_hidden() -> None:
    """They are confirmed or unconfirmed."""
    cases = learning.honest(Setup(judge=False))

    assert share(cases, "confirmed") >= 0.8
    assert share(cases, "confirmed", "unconfirmed") >= 0.98


@pytest.mark.parametrize("stubborn", [False, True])
def test_most_wrong_notes_are_not_confirmed_with_a_judge(stubborn: bool) -> None:
    """Whether or not the model sees its mistake on a second look."""
    cases = learning.wrong(Setup(stubborn=stubborn))

    assert share(cases, "confirmed") <= MOST_WRONG


@pytest.mark.parametrize("judge", [True, False])
@pytest.mark.parametrize("tags", learning.TAGS)
def test_of_what_both_holds_nothing_is_closed(tags: str, judge: bool) -> None:
    """However the model tags it, both are learnt."""
    assert share(learning.both_hold(Setup(judge=judge), tags)) == 1.0


def test_of_what_both_holds_nothing_is_closed_where_the_model_is_silent() -> None:
    """Rules alone only add."""
    assert share(learning.both_hold(Setup(decides=False)), "both open") == 1.0


@pytest.mark.parametrize("tags", learning.TAGS)
def test_what_changed_is_closed(tags: str) -> None:
    """24 of 25 at least, however the model tags it."""
    assert share(learning.change(Setup(), tags), "old closed") >= 0.96


@pytest.mark.parametrize("merging", learning.MERGINGS)
def test_no_merge_loses_what_still_holds(merging: Merging) -> None:
    """Whole texts become one item; a text that loses something is asked for again, and if it still
    does, both items stand.
    """
    cases = learning.merge(Setup(merging=merging))

    assert share(cases, "lost") == 0.0
    assert share(cases, "both open" if merging == "insists" else "one item") >= 0.95


@pytest.mark.parametrize("at_once", [False, True])
def test_a_fact_told_in_other_words_is_one_item(at_once: bool) -> None:
    """Of 5 facts told 20 times, at most six items are open after upkeep, also of one talk."""
    cases = learning.repeated(Setup(), at_once=at_once)

    assert learning.open_items(cases) * FACTS <= MOST_OPEN


@pytest.mark.parametrize("judge", [True, False])
def test_no_pasted_sentence_is_the_users_word(judge: bool) -> None:
    """In eight shapes and languages, from a model that is led by them."""
    assert share(learning.paste(Setup(judge=judge)), "user's word") == 0.0


def test_what_was_pasted_is_labelled_in_a_context() -> None:
    """As pasted by the user, or as a document's word."""
    cases = learning.labelled(Setup(judge=False))

    assert share(cases, "unlabelled") == 0.0
    assert share(cases, "labelled") >= 0.9


def test_own_words_beside_a_paste_are_mostly_the_users() -> None:
    """From a model that is not led. One in twenty is refused, as what a led model says would be."""
    cases = learning.beside_paste(Setup())

    assert share(cases, "confirmed") >= 0.95


def test_items_alone_answer_the_questions_and_nobody_has_to_decide() -> None:
    """Nine of ten questions; at most one proposal in five sessions waits."""
    told = learning.talks(Setup())

    assert share(told.answers, "answered") >= 0.9
    assert told.waiting <= 0.2
