"""Reconciling: items that say nearly the same and were never seen together are put side by side,
once each, most alike first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.models.chat.asker import Asker
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import ScriptedModel
from omoide.models.embedders.static import StaticEmbedder
from omoide.nouns.change import Action, Because
from omoide.nouns.chore import Chore, Done
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import ModelUnreachable
from omoide.nouns.ids import ItemId
from omoide.nouns.item import Details, Item, Source, Tier
from omoide.nouns.scope import Scope
from omoide.tables.items import Items
from omoide.upkeep.reconcile import QUESTIONS
from omoide.write.proposals import Mode
from omoide.write.remember import Statement
from tests.fix_memory import ANA, BEN, NINE, OpenMemory

Said = Mapping[str, Any] | str | Exception
Judge = Callable[..., Memory]
MORNING = "Ana drinks a pot of green tea in the quiet kitchen every single morning"
EVENING = "Ana drinks a pot of green tea in the quiet kitchen every single evening"
NOON = "Ana drinks a pot of green tea in the quiet kitchen every single noon"
NIGHT = "Ana drinks a pot of green tea in the quiet kitchen every single night"


@pytest.fixture
def judged_by(open_memory: OpenMemory) -> Judge:
    """A memory whose model gives a verdict on each pair: one for all, or what a function says."""

    def open(
        verdict: str | Callable[[Ask], Said], review: Mode = Mode.AUTO, **parts: Any
    ) -> Memory:
        say = verdict if callable(verdict) else lambda ask: {"verdict": verdict}
        memory = open_memory(
            teaching=Teaching(asker=Asker(ScriptedModel({Purpose.RECONCILE: say})), review=review),
            **parts,
        )
        return memory

    return open


def seeded(
    memory: Memory, *texts: str, scope: Scope = ANA, source: Source = Source.TOOL
) -> list[str]:
    """The ids of items that nobody compared with each other, an hour apart."""
    ids: list[str] = []
    for text in texts:
        ids += [
            item.id
            for item in memory.items.add_many(
                [Statement(text=text, details=Details(source=source))], scope
            )
        ]
        assert isinstance(memory.clock, FixedClock)
        memory.clock.move(hours=1)
    return ids


def kept(memory: Memory, id: str, scope: Scope | None = None) -> Item:
    """An item as it stands."""
    item = memory.get(id, scope)
    assert isinstance(item, Item)
    return item


def sure(memory: Memory, *ids: str) -> list[float]:
    """How sure items are."""
    return [round(kept(memory, id).confidence, 8) for id in ids]


def reconciled(memory: Memory) -> Done:
    """What a round's reconciling came to."""
    (done,) = memory.admin.tidy(only=["reconcile"]).chores
    return done


@pytest.mark.covers("GM-65", "GM-67")
def test_what_two_items_say_together_makes_both_surer(judged_by: Judge) -> None:
    """By 0.05 each; the report counts pairs and verdicts."""
    memory = judged_by("reinforce")
    ids = seeded(memory, MORNING, EVENING)

    done = reconciled(memory)

    assert done.counts == {
        "checked": 1,
        "merged": 0,
        "reinforced": 1,
        "contradicted": 0,
        "weakened": 0,
        "neutral": 0,
    }
    assert sure(memory, *ids) == [0.75, 0.75]


@pytest.mark.covers("GM-67")
def test_of_two_that_cannot_both_be_so_the_older_gives_way(judged_by: Judge) -> None:
    """It is superseded by the newer one, which is surer by 0.1."""
    memory = judged_by("contradict")
    older, newer = seeded(memory, MORNING, EVENING)

    assert reconciled(memory).counts["contradicted"] == 1

    assert kept(memory, older).superseded_by == newer
    assert sure(memory, newer) == [0.8]
    assert memory.history(older).changes[-1].action is Action.SUPERSEDE


@pytest.mark.covers("GM-67")
def test_a_newer_item_can_weaken_an_older_one(judged_by: Judge) -> None:
    """By 0.1; neutral changes nothing."""
    memory = judged_by("weaken")
    older, newer = seeded(memory, MORNING, EVENING)

    assert reconciled(memory).counts["weakened"] == 1
    assert sure(memory, older, newer) == [0.6, 0.7]


def test_neutral_changes_nothing(judged_by: Judge) -> None:
    """But that it was judged."""
    memory = judged_by("neutral")
    ids = seeded(memory, MORNING, EVENING)

    assert reconciled(memory).counts["neutral"] == 1
    assert sure(memory, *ids) == [0.7, 0.7]


@pytest.mark.covers("GM-68")
def test_a_pair_is_judged_once(judged_by: Judge) -> None:
    """Another round asks nothing more."""
    memory = judged_by("reinforce")
    ids = seeded(memory, MORNING, EVENING)
    reconciled(memory)

    assert reconciled(memory).counts["checked"] == 0
    assert sure(memory, *ids) == [0.75, 0.75]


@pytest.mark.covers("LS-54")
def test_a_cluster_of_three_is_judged_pair_by_pair_and_each_pair_is_remembered(
    judged_by: Judge, clock: FixedClock
) -> None:
    """No note of a pair is lost for another's, what closed on the way is passed over, and no decay
    starts anew.
    """
    asked: list[str] = []

    def verdict(ask: Ask) -> Said:
        asked.append(ask.text)
        return {"verdict": "reinforce"}

    memory = judged_by(verdict)
    ids = seeded(memory, MORNING, EVENING, NOON)

    assert reconciled(memory).counts["reinforced"] == 3
    assert reconciled(memory).counts["checked"] == 0
    assert len(asked) == len(set(asked)) == 3
    assert [kept(memory, id).updated_at for id in ids] == [
        kept(memory, id).recorded_at for id in ids
    ]


@pytest.mark.covers("LS-54")
def test_an_item_closed_on_the_way_is_not_judged_again(judged_by: Judge) -> None:
    """Of three that contradict each other one is left, after two verdicts."""
    memory = judged_by("contradict")
    ids = seeded(memory, MORNING, EVENING, NOON)

    assert reconciled(memory).counts["checked"] == 2
    assert [id for id in ids if kept(memory, id).is_open] == [ids[2]]


@pytest.mark.covers("LS-54")
def test_reconciled_items_decay_as_they_would_have(judged_by: Judge, clock: FixedClock) -> None:
    """Being compared is no use."""
    memory = judged_by("neutral")
    seeded(memory, MORNING, EVENING)
    clock.move(days=20)
    reconciled(memory)
    clock.move(days=11)

    assert memory.admin.tidy(only=["decay"]).count(Chore.DECAY, "less sure") == 2


@pytest.mark.covers("GM-66", "CX-11")
def test_only_items_of_one_place_are_compared(judged_by: Judge) -> None:
    """Neither those of other contexts nor of other users or agents."""
    memory = judged_by("reinforce")
    places = (ANA, replace(ANA, context="work"), BEN, replace(ANA, agent="cook"))
    for scope, text in zip(places, (MORNING, EVENING, NOON, NIGHT), strict=True):
        seeded(memory, text, scope=scope)

    assert reconciled(memory).counts["checked"] == 0


@pytest.mark.covers("GM-34")
def test_what_is_compared_are_items_that_hold_by_their_places_with_their_vectors(
    memory: Memory, clock: FixedClock
) -> None:
    """Closed, expired and privileged ones are not, nor those without a vector; of more than are
    asked for the newest are.
    """
    seeded(memory, MORNING, "Ana sings")
    seeded(memory, EVENING, scope=replace(ANA, context="work"))
    memory.remember(
        "Ana is at the dentist", details=Details(expires_at=clock.now() + timedelta(minutes=5))
    )
    memory.remember("Answer in English", category="system", details=Details(source=Source.USER))
    memory.correct(memory.remember("Ben lives in Rome").id, "Ben lives in Oslo")
    clock.move(hours=1)
    serving = memory.encoders.serving
    assert serving is not None

    with memory.store.transaction(tenant=None, write=False) as tx:
        places = Items(tx).comparable(ANA, serving.model.number, clock.now(), 100)
        newest = Items(tx).comparable(ANA, serving.model.number, clock.now(), 1)
        none = Items(tx).comparable(ANA, serving.model.number + 1, clock.now(), 100)

    texts = {
        scope.context: sorted(kept(memory, id).text for id in ids)
        for scope, (ids, _) in places.items()
    }
    assert texts == {
        "global": sorted((MORNING, "Ana sings", "Ben lives in Oslo")),
        "work": [EVENING],
    }
    assert {len(vector) for _, vectors in places.values() for vector in vectors} == {
        serving.model.dimension
    }
    assert [kept(memory, id).text for ids, _ in newest.values() for id in ids] == [
        "Ben lives in Oslo"
    ]
    assert none == {}


@pytest.mark.covers("GM-66")
def test_twenty_pairs_are_asked_about_in_a_round_the_most_alike_first(judged_by: Judge) -> None:
    """The next round goes on; of an item five neighbours at most are looked at."""
    shown: list[str] = []

    def verdict(ask: Ask) -> Said:
        shown.append(ask.text)
        return {"verdict": "neutral"}

    memory = judged_by(verdict)
    words = "hour night week winter holiday weekend fortnight birthday break visit meeting storm".split()
    seeded(
        memory,
        *(
            f"Ana drinks a pot of green tea in the quiet kitchen every single {word}"
            for word in words
        ),
    )

    assert reconciled(memory).counts["checked"] == QUESTIONS == len(shown)
    while reconciled(memory).counts["checked"]:
        pass
    assert len(shown) == len(set(shown)) == 12 * 11 // 2


def test_a_model_sees_two_lines_cut_at_five_hundred_characters(judged_by: Judge) -> None:
    """With a sign where there is more, the older one first, whatever breaks are in them."""
    asks: list[Ask] = []

    def verdict(ask: Ask) -> Said:
        asks.append(ask)
        return {"verdict": "neutral"}

    memory = judged_by(verdict)
    long = "tea " * 200
    seeded(memory, f"B (2026): Ana likes\n{long}", f"Ana likes {long} and coffee")
    reconciled(memory)

    (ask,) = asks
    first, second = ask.text.split("\n")
    assert first.startswith("A (2026-01-05): B (2026): Ana likes tea")
    assert second.startswith("B (2026-01-05): Ana likes tea")
    assert first.endswith("…")
    assert max(len(first), len(second)) < 530
    assert ask.temperature == 0.1


@pytest.mark.covers("CX-13")
def test_without_a_model_nothing_closes(open_memory: OpenMemory) -> None:
    """Another number or a negation waits for a model; that two are two of many needs none."""
    memory = open_memory()
    rooms = seeded(
        memory,
        "Ana's flat in town has 3 rooms and a balcony",
        "Ana's flat in town has 4 rooms and a balcony",
    )
    olives = seeded(memory, "Ben likes olives", "Ben does not like olives")
    issues = seeded(
        memory,
        "Issue #260 of the big garden project is open again",
        "Issue #261 of the big garden project is open again",
    )

    done = reconciled(memory)

    assert all(kept(memory, id).is_open for id in (*rooms, *olives, *issues))
    assert "for a language model" in done.waits


ALL = Scope(shared=True)


@pytest.mark.covers("LS-27")
def test_without_a_model_pairs_wait_and_are_judged_once_when_one_comes(
    open_memory: OpenMemory, judged_by: Judge
) -> None:
    """The report says so; the worker of a program that has a model does it, by itself, once."""
    memory = open_memory()
    ids = seeded(memory, MORNING, EVENING)

    done = reconciled(memory)
    reconciled(memory)

    assert done.waits == "1 pair waits for a language model"
    assert [(job.kind, job.state) for job in memory.jobs.list(ALL)] == [("reconcile", "ready")]
    taught = judged_by("reinforce")
    assert taught.upkeep.work().done == 1
    assert sure(taught, *ids) == [0.75, 0.75]
    assert taught.jobs.list(ALL) == []
    assert taught.upkeep.work().done == 0


@pytest.mark.parametrize("verdict", ["contradict", "weaken"])
def test_a_lower_tier_neither_closes_nor_weakens_a_higher_one(
    judged_by: Judge, verdict: str
) -> None:
    """Whatever a model says, the user's word stands."""
    memory = judged_by(verdict)
    (theirs,) = seeded(memory, MORNING, source=Source.USER)
    (ours,) = seeded(memory, EVENING, source=Source.IMPORT)
    before = sure(memory, theirs, ours)

    assert reconciled(memory).counts["neutral"] == 1
    assert sure(memory, theirs, ours) == before
    assert kept(memory, theirs).is_open


def test_two_of_many_never_become_one(judged_by: Judge) -> None:
    """A model is not even asked about two issues."""
    memory = judged_by("contradict")
    ids = seeded(
        memory,
        "Issue #260 of the big garden project is open again",
        "Issue #261 of the big garden project is open again",
    )

    assert reconciled(memory).counts["neutral"] == 1
    assert [kept(memory, id).is_open for id in ids] == [True, True]


def test_an_item_that_rests_on_the_other_does_not_close_it(judged_by: Judge) -> None:
    """That would take its own ground away."""
    memory = judged_by("contradict")
    (older,) = seeded(memory, MORNING)
    item = memory.items.add_many(
        [Statement(text=EVENING, details=Details(bases=(kept(memory, older).id,)))]
    )[0]

    reconciled(memory)

    assert kept(memory, older).is_open
    assert kept(memory, item.id).holds


def test_where_all_is_reviewed_the_older_item_waits_to_be_closed(judged_by: Judge) -> None:
    """A person has the word; the pair is not judged again."""
    memory = judged_by("contradict", Mode.ALL)
    older, _ = seeded(memory, MORNING, EVENING)

    reconciled(memory)
    reconciled(memory)

    assert kept(memory, older).is_open
    assert [waiting.proposal.target for waiting in memory.review.list()] == [older]


def test_what_a_forgotten_item_would_have_closed_waits_no_more(judged_by: Judge) -> None:
    """The older item is as it was, and nobody is asked about it."""
    memory = judged_by("contradict", Mode.ALL)
    older, newer = seeded(memory, MORNING, EVENING)
    reconciled(memory)

    memory.forget(newer)

    assert kept(memory, older).is_open
    assert memory.review.list() == []


def test_an_answer_that_is_none_leaves_the_pair_for_another_time(judged_by: Judge) -> None:
    """The others are judged."""
    answers = iter(["maybe", "maybe", {"verdict": "neutral"}, {"verdict": "neutral"}])
    memory = judged_by(lambda ask: next(answers))
    seeded(memory, MORNING, EVENING, NOON)

    assert reconciled(memory).counts["checked"] == 2
    memory = judged_by("neutral")
    assert reconciled(memory).counts["checked"] == 1


def test_a_model_that_fails_is_named_and_what_was_judged_stays(judged_by: Judge) -> None:
    """The other chores of the round are done."""
    answers = iter([{"verdict": "reinforce"}, ModelUnreachable("gone")])
    memory = judged_by(lambda ask: next(answers))
    seeded(memory, MORNING, EVENING, NOON)

    tidied = memory.admin.tidy()

    assert (
        next(done.failed for done in tidied.chores if done.chore is Chore.RECONCILE)
        == "ModelUnreachable"
    )
    assert reconciled(judged_by("neutral")).counts["checked"] == 2


def test_a_round_s_reconciling_is_taken_back_by_its_id(judged_by: Judge) -> None:
    """What closed is open, and each is as sure as before."""

    def verdict(ask: Ask) -> Said:
        return {"verdict": "contradict" if re.search("noon", ask.text) else "reinforce"}

    memory = judged_by(verdict)
    ids = seeded(memory, MORNING, EVENING, NOON)
    before = [kept(memory, id) for id in ids]
    round_id = memory.admin.tidy(only=["reconcile"]).id
    assert not all(kept(memory, id).is_open for id in ids)

    memory.acting(Because(tier=Tier.USER)).undo(round_id)

    assert [kept(memory, id).is_open for id in ids] == [True, True, True]
    assert sure(memory, *ids) == [round(item.confidence, 8) for item in before]
    assert memory.admin.verify().problems == ()


def test_forgetting_an_item_takes_its_pairs_along(
    judged_by: Judge, open_memory: OpenMemory
) -> None:
    """Nothing names it any more."""
    memory = judged_by("neutral")
    one, other = seeded(memory, MORNING, EVENING)
    reconciled(memory)

    memory.forget(one)

    with memory.store.transaction(tenant=None, write=False) as tx:
        assert tx.rows("pairs.of_partition", tenant="default", user="ana") == []
    assert kept(memory, other).recorded_at > NINE


PARAPHRASES = (
    (
        "Sam lives in Porto",
        "Sam's home is in Porto",
        "Sam is based in Porto",
        "Sam's flat is in Porto",
    ),
    (
        "Sam is a vegetarian",
        "Sam is vegetarian",
        "Sam eats as a vegetarian",
        "Sam eats vegetarian food",
    ),
    (
        "Sam has a dog called Rex",
        "Sam's dog is called Rex",
        "Rex is Sam's dog",
        "Sam owns the dog Rex",
    ),
    (
        "Sam works as a nurse",
        "Sam is a nurse",
        "Sam's job is nurse",
        "Sam earns a living as a nurse",
    ),
    (
        "Sam plays chess on Mondays",
        "Monday is Sam's chess day",
        "Sam's chess is on Mondays",
        "On Mondays Sam plays chess",
    ),
)


def competent(ask: Ask) -> Said:
    """What a model says that knows which wordings are of one fact."""
    facts = [
        next(n for n, wordings in enumerate(PARAPHRASES) if line.partition("): ")[2] in wordings)
        for line in ask.text.split("\n")
    ]
    return {"verdict": "same" if facts[0] == facts[1] else "neutral"}


def last_of(memory: Memory, id: str) -> str:
    """The item that an item gave way to in the end."""
    following = kept(memory, id).superseded_by
    return id if following is None else last_of(memory, following)


def test_twenty_wordings_of_five_facts_end_as_six_items_at_most(judged_by: Judge) -> None:
    """Undone, all are open again."""
    memory = judged_by(competent, embedder=StaticEmbedder())
    ids = seeded(memory, *(text for wordings in PARAPHRASES for text in wordings))

    tidied = memory.admin.tidy(only=["reconcile"])

    still = [id for id in ids if kept(memory, id).is_open]
    assert 5 <= len(still) <= 6
    assert {last_of(memory, id) for id in ids} == set(still)
    assert memory.admin.verify().problems == ()
    memory.undo(tidied.id)
    assert all(kept(memory, id).is_open for id in ids)


def test_of_two_that_say_the_same_one_gives_way_to_the_other(judged_by: Judge) -> None:
    """The one that has more of its own stays, and is surer; history says that they were merged."""
    memory = judged_by("same")
    short, long = seeded(memory, "Sam has a dog, Rex", "Sam has a dog, Rex, who is 7")

    assert reconciled(memory).counts["merged"] == 1

    assert kept(memory, short).superseded_by == long
    assert kept(memory, long).confidence > kept(memory, short).confidence
    assert memory.history(short).changes[-1].action is Action.MERGE


def test_nothing_is_merged_that_loses_something(judged_by: Judge) -> None:
    """Another number, name or negation on each side: both stay, whatever a model says."""
    memory = judged_by("same")
    ids = seeded(
        memory,
        "Sam's dog Rex is 7 and eats twice a day",
        "Sam's dog Rex eats twice a day at 18:30",
    )

    assert reconciled(memory).counts["merged"] == 0
    assert [kept(memory, id).is_open for id in ids] == [True, True]


def test_nothing_is_merged_that_a_model_did_not_read_to_its_end(judged_by: Judge) -> None:
    """A model sees the first 500 characters: two that begin alike and go on beyond both stay."""
    memory = judged_by("same")
    more = ", and so it went on as it had always gone" * 20
    ids = seeded(memory, f"Sam has a dog, Rex{more}", f"Sam has a dog, Rex{more} in the end")

    assert reconciled(memory).counts["reinforced"] == 1
    assert [kept(memory, id).is_open for id in ids] == [True, True]


@pytest.mark.parametrize("verdict", ["contradict", "weaken", "neutral"])
def test_a_model_judges_nothing_that_it_did_not_read_to_its_end(
    judged_by: Judge, verdict: str
) -> None:
    """Of a long item it sees the first 500 characters: the pair stays as it is, linked too."""
    memory = judged_by(verdict)
    more = ", and so it went on as it had always gone" * 20
    older, newer = seeded(memory, f"{MORNING}{more}", EVENING)
    item = kept(memory, newer)
    with memory._engine.store.transaction(tenant=ANA.tenant) as tx:
        Items(tx).link(item, ItemId(older))
    before = sure(memory, older, newer)

    assert reconciled(memory).counts["neutral"] == 1

    assert kept(memory, older).is_open
    assert kept(memory, newer).similar_to == older
    assert sure(memory, older, newer) == before


def test_a_higher_tier_stays(judged_by: Judge) -> None:
    """The user's word gives not way to an agent's, however much longer that is."""
    memory = judged_by("same")
    (theirs,) = seeded(memory, "Sam has a dog, Rex", source=Source.USER)
    (ours,) = seeded(memory, "Sam has a dog that is called Rex")

    reconciled(memory)

    assert kept(memory, theirs).is_open
    assert kept(memory, ours).superseded_by == theirs


def test_what_is_linked_is_compared_however_far_apart_and_neutral_unlinks_it(
    judged_by: Judge,
) -> None:
    """Undone, the link is back."""
    memory = judged_by("neutral")
    one = memory.remember("Invoice 17 for the garden shed was paid by Ana").id
    two = memory.remember("Invoice 18 for the roof was paid by Ben").id
    newer, older = kept(memory, two), kept(memory, one)
    with memory.store.transaction(tenant=None) as tx:
        Items(tx).link(newer, older.id)

    tidied = memory.admin.tidy(only=["reconcile"])

    assert tidied.chores[0].counts["neutral"] == 1
    assert kept(memory, two).similar_to is None
    memory.undo(tidied.id)
    assert kept(memory, two).similar_to == one


def told_in(memory: Memory, session: str, text: str) -> str:
    """An item learnt from a talk; its id."""
    within = memory.at(session=session)
    within.ingest([{"role": "user", "content": text}])
    (turn,) = within.sessions.turns(session)
    details = Details(source_turns=(turn.id,), source=Source.USER)
    return memory.items.add_many([Statement(text=text, details=details)], ANA)[0].id


@pytest.mark.parametrize("forgotten", ["one", "two"])
def test_forgetting_one_talk_keeps_what_the_other_said(forgotten: str, judged_by: Judge) -> None:
    """Whichever of the two gave way to the other."""
    memory = judged_by("same")
    ids = {talk: told_in(memory, talk, text) for talk, text in TALKS.items()}
    assert reconciled(memory).counts["merged"] == 1

    memory.sessions.forget(forgotten)

    (other,) = ids.keys() - {forgotten}
    assert kept(memory, ids[other]).is_open
    assert [one.text for one in memory.items.list().items] == [TALKS[other]]
    assert memory.admin.verify().problems == ()


TALKS = {"one": "Sam has a dog, Rex", "two": "Sam has a dog that is called Rex"}


def test_forgetting_a_merged_item_forgets_all_its_wordings(judged_by: Judge) -> None:
    """None of them comes back."""
    memory = judged_by("same")
    ids = seeded(memory, "Sam has a dog, Rex", "Sam has a dog that is called Rex")
    reconciled(memory)

    memory.forget(next(id for id in ids if kept(memory, id).is_open))

    assert memory.items.list().items == ()
    assert memory.admin.verify().problems == ()
