"""The pure stages of learning, each by itself: revision, judgement, decision, merging, outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from omoide.grounding.claims import Flag
from omoide.learning.decision import (
    Choice,
    Intent,
    compared_lines,
    intent_of,
    read_choices,
    twin_of,
)
from omoide.learning.extraction import Operation, Suggestion
from omoide.learning.grounding import Grounding
from omoide.learning.judgement import NoteVerdict, Support, Supported, read_verdicts, support
from omoide.learning.merging import agree, lost, stands
from omoide.learning.outcome import ForAPerson, OutcomeCase, outcome
from omoide.learning.revision import Revision, read_revisions, revised, to_revise
from omoide.nouns.item import Category, Item, Tier
from omoide.nouns.scope import Scope
from omoide.write.decide import Add, Decision, Ignore, Reinforce, Supersede
from tests.fix_memory import MakeItem

OLD, NEW = "Ana lives in Porto with Rita", "Ana lives in Lisbon with Rita"


def told(op: Operation, target: Item, **more: Any) -> Intent:
    """What a model would do with an item."""
    return Intent(operation=op, target=target, **more)


@pytest.mark.parametrize(
    ("findings", "verdict", "is_what"),
    [
        ((), None, Support.CONFIRMED),
        ((Flag.NUMBER,), None, Support.UNCONFIRMED),
        ((Flag.NUMBER,), NoteVerdict(supported=Supported.YES), Support.CONFIRMED),
        ((), NoteVerdict(supported=Supported.PARTLY), Support.UNCONFIRMED),
        ((), NoteVerdict(supported=Supported.NO), Support.REJECTED),
        ((), NoteVerdict(supported=Supported.YES, to_assistant=True), Support.UNCONFIRMED),
        ((), NoteVerdict(supported=Supported.YES, said="wish", noted="fact"), Support.UNCONFIRMED),
        (
            (),
            NoteVerdict(supported=Supported.YES, said="hearsay", noted="fact"),
            Support.UNCONFIRMED,
        ),
        (
            (),
            NoteVerdict(supported=Supported.YES, said="opinion", noted="habit"),
            Support.CONFIRMED,
        ),
        ((), NoteVerdict(supported=Supported.YES, said="", noted="fact"), Support.CONFIRMED),
    ],
)
def test_the_table_of_support(
    findings: tuple[Flag, ...], verdict: NoteVerdict | None, is_what: Support
) -> None:
    """The best informed judge there is decides; why is told for what is not confirmed."""
    found, why = support(findings, verdict)

    assert found is is_what
    assert bool(why) is (is_what is not Support.CONFIRMED)


@pytest.mark.covers("CX-13")
@pytest.mark.parametrize(
    ("make", "becomes"),
    [
        (lambda old: told(Operation.ADD, old), Add()),
        (lambda old: told(Operation.NONE, old), "reinforce"),
        (lambda old: told(Operation.NONE, old, agrees=False), "beside"),
        (lambda old: told(Operation.UPDATE, old), "instead"),
        (lambda old: told(Operation.DELETE, old), "instead"),
        (lambda old: told(Operation.UPDATE, old, stands=False), "beside"),
        (lambda old: told(Operation.UPDATE, old, lost=("Rita",)), "beside"),
        (lambda old: told(Operation.DELETE, old, lost=("Rita",)), "beside"),
        (lambda old: None, "beside"),
    ],
)
def test_the_table_of_decisions(make: Any, becomes: Any, make_item: MakeItem) -> None:
    """An explicit decision stands, and nothing closes with a loss."""
    old, new = make_item(OLD, tier=Tier.USER), make_item(NEW, tier=Tier.USER)
    wanted: dict[str, Decision] = {
        "reinforce": Reinforce(item=old),
        "beside": Add(similar=old),
        "instead": Supersede(item=old),
    }

    found = outcome(OutcomeCase(item=new, known=[old], near=frozenset((old.id,)), told=make(old)))

    assert found == wanted.get(becomes, becomes)


def test_a_rule_vetoes_what_a_model_may_not_close(make_item: MakeItem) -> None:
    """The word of a higher tier, another's item, a privileged one; and what a model that may be led
    shares no word with. The closing is for a person.
    """
    new = make_item(NEW, tier=Tier.AGENT)
    mine = make_item(OLD, tier=Tier.USER)
    ruled = make_item(OLD, tier=Tier.AGENT, category=Category.PERMISSION)
    boat = make_item("Ana owns a boat", tier=Tier.AGENT)
    others = make_item(OLD, tier=Tier.AGENT, scope=Scope(user="ben"))

    for target, led in ((mine, False), (ruled, False), (others, False), (boat, True)):
        case = OutcomeCase(
            item=new,
            known=[target],
            told=told(Operation.UPDATE, target),
            led=led,
            names=frozenset({"Ana"}),
        )
        assert outcome(case) == ForAPerson(target=target)
        assert outcome(replace(case, support=Support.UNCONFIRMED)) == Add()  # nor once confirmed


@pytest.mark.parametrize("op", [Operation.NONE, Operation.UPDATE, Operation.DELETE])
def test_what_is_unconfirmed_closes_and_reinforces_nothing(
    op: Operation, make_item: MakeItem
) -> None:
    """It stands beside, linked, or adds nothing."""
    old, new = make_item(OLD, tier=Tier.USER), make_item(NEW, tier=Tier.USER)
    case = OutcomeCase(
        item=new,
        support=Support.UNCONFIRMED,
        known=[old],
        near=frozenset((old.id,)),
        told=told(op, old),
    )

    assert outcome(case) == (Ignore(item=old) if op is Operation.NONE else Add(similar=old))


@pytest.mark.parametrize(
    ("ref", "was", "text", "gone"),
    [
        (OLD, "in Porto", NEW, ()),
        (OLD, "in Porto", "Ana lives in Lisbon", ("Rita",)),
        ("Ana is allergic to nuts and shellfish", "shellfish", "Ana eats shellfish", ("allergic",)),
        ("Ana pays 50 euros to Bo on 3 May", "50 euros", "Ana pays Bo 60 euros", ("3", "May")),
        ("Ana eats no meat and no fish", "no fish", "Ana eats meat and fish", ("not",)),
        ("Ana's plate is AB-123-C, blue", "blue", "Ana's plate is red", ("AB-123-C",)),
        (
            "Ana wants to spend the summer in Rome",
            "spend the summer in Rome",
            "Ana goes to Oslo",
            (),
        ),
        ("安娜对坚果和贝类过敏", "贝类", "安娜对贝类不过敏", ("坚",)),
        ("Ана живёт в Осло с Ритой", "в Осло", "Ана живёт в Риге", ("Ритой",)),
        (
            "Ana is allergic to nuts and shellfish",
            "allergic to nuts and shellfish",
            "Ana is not allergic to shellfish",
            ("nuts",),
        ),
        (
            "Ana has two cats, Mia and Leo",
            "two cats, Mia and Leo",
            "Ana has one cat, Mia; Leo died",
            (),
        ),
        ("Ana takes the bus and the tram", "takes the bus and the tram", "Ana cycles", ()),
    ],
)
def test_what_a_merged_text_loses(ref: str, was: str, text: str, gone: tuple[str, ...]) -> None:
    """Each word with content, figure, address and "not" that is not said to hold no longer."""
    found = lost(ref, was, text)

    assert set(gone) <= set(found)
    assert bool(found) is bool(gone)


@pytest.mark.parametrize(
    ("was", "is_there"),
    [("in Porto", True), ("lives … with Rita", True), ("Porto lives", True), ("in Rome", False)],
)
def test_the_words_that_a_model_repeats_stand_in_the_item(was: str, is_there: bool) -> None:
    """As a quote, or each of them."""
    assert stands(was, OLD) is is_there


@pytest.mark.parametrize(
    ("text", "tags", "known", "is_so"),
    [
        ("Ana's home is in Porto", (), "Ana lives in Porto", True),
        ("Ana has 2 cats", (), "Ana has a cat", False),
        ("Ana does not eat meat", (), "Ana eats meat", False),
        ("Ana lives with Bo", ("person:Bo",), "Ana lives with Rita", False),
        ("Ana lives with Rita", ("person:Rita",), "Rita and Ana live together", True),
        ("Ana is a veggie", (), "Ana does not eat meat", True),  # who it is about denies nothing
        ("Ana come sem glúten", (), "Ana não come glúten", True),
        ("ياسمين نباتية ولا تأكل اللحم", ("person:ياسمين",), "ياسمين نباتية", True),
        ("Ana likes tea but not coffee", (), "Ana likes coffee but not tea", False),
        ("Ana drinks tea", ("person:Ana",), "Ana does not drink tea", False),
    ],
)
def test_none_is_believed_where_names_figures_and_negation_agree(
    text: str, tags: tuple[str, ...], known: str, is_so: bool
) -> None:
    """The meaning is the model's to tell."""
    assert agree(text, tags, known, ()) is is_so


def test_a_choice_is_held_against_the_item_it_means(make_item: MakeItem) -> None:
    """Without words to repeat, all of the item has to be kept; with a text the news, too."""
    old, new = make_item(OLD), make_item(NEW, entities=("place:Lisbon",))

    def of(was: str, text: str = "") -> Intent:
        return intent_of(Choice(note=1, op=Operation.UPDATE, was=was, text=text), old, new)

    assert of("in Porto", NEW).merges
    assert of("", "Ana lives in Lisbon").lost == ("Porto", "with Rita"[5:])
    assert of("in Porto", "Ana lives abroad with Rita").lost == ("Lisbon",)
    assert not of("owes the dentist").stands


def test_what_is_read_of_answers() -> None:
    """Entries without a number, or of no kind, are passed over; the first of a note counts."""
    verdicts = read_verdicts(
        {"verdicts": [{"note": 1, "supported": "Yes"}, {"note": "1", "supported": "no"}, {"x": 1}]}
    )
    assert verdicts == {1: NoteVerdict(supported=Supported.YES)}
    choices = read_choices({"decisions": [{"note": 2, "op": "none", "ref": "n1"}, {"op": "add"}]})
    assert choices == {2: [Choice(note=2, op=Operation.NONE, ref="n1")]}
    assert [twin_of(ref) for ref in ("n1", "k1", "n", "")] == [1, None, None, None]
    revisions = read_revisions({"notes": [{"note": 1, "drop": True}, {"note": 2, "text": "Ana"}]})
    assert [one.drop for one in revisions.values()] == [True, False]


def test_a_revision_gives_anew_what_it_names() -> None:
    """The rest stays, and so does what the note would do to an item."""
    note = Suggestion(text="Ana has 3 cats", quote="two cats", turn=1, ref="k1", due="2026-01-01")

    assert revised(note, Revision(fields={"text": "Ana has 2 cats", "due": ""})) == replace(
        note, text="Ana has 2 cats", due=""
    )


def test_only_what_another_wording_may_mend_is_revised(make_item: MakeItem) -> None:
    """Not what was refused, only closes, or is for the judge."""
    item, note = make_item(OLD), Suggestion(text=OLD)
    number, page = frozenset({Flag.NUMBER}), frozenset({Flag.TO_ASSISTANT})
    candidates = [
        Grounding(suggestion=note, item=item, findings=number),
        Grounding(suggestion=note, item=item, findings=page),
        Grounding(suggestion=note, findings=number),
        Grounding(suggestion=note, item=item, findings=number, refused="it asks"),
        Grounding(suggestion=note, item=item),
    ]

    assert to_revise(candidates) == [0]


def test_what_a_text_lost_is_told_at_the_end(make_item: MakeItem) -> None:
    """With the number of its note."""
    lines = compared_lines([make_item(NEW)], {}, {1: ("Rita", "Porto")}).splitlines()

    assert lines == [
        "Known:",
        "nothing",
        "New:",
        f"1. {NEW}",
        "Lost in the text of note 1: Rita, Porto",
    ]
