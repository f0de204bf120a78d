"""Whose word an item is: by its source unless told, and who may correct whom."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.learning.teaching import Teaching
from omoide.memory import Memory
from omoide.nouns.change import Because
from omoide.nouns.clock import FixedClock
from omoide.nouns.errors import Forbidden, NotFound
from omoide.nouns.item import (
    BANDS,
    TIER,
    UNCONFIRMED_MOST,
    Details,
    Item,
    Source,
    Tier,
    within_band,
)
from omoide.nouns.scope import Scope
from omoide.nouns.turn import Message
from omoide.settings.retention import Retention
from omoide.tables.item_fields import EDITABLE
from omoide.write.remember import Outcome
from tests.fix_memory import OpenMemory, turn_of

Texts = Callable[..., list[str]]
USER = Details(source=Source.USER)


def kept(memory: Memory, id: str) -> Item:
    """An item as it stands."""
    item = memory.get(id)
    assert isinstance(item, Item)
    return item


@pytest.mark.parametrize("source", Source)
def test_a_source_says_whose_word_it_is(source: Source, memory: Memory) -> None:
    """Unless a tier is named; what is remembered without details comes from an agent's tool, and is
    the agent's word.
    """
    assert (
        memory.remember("Ana lives in Rome", details=Details(source=source)).item.tier
        is TIER[source]
    )
    assert (
        memory.remember(
            "Ben sells boats", details=Details(source=source, tier=Tier.DOCUMENT)
        ).item.tier
        is Tier.DOCUMENT
    )
    assert memory.remember("Cy mends bicycles").item.tier is Tier.AGENT
    assert (TIER[Source.USER], TIER[Source.TOOL], TIER[Source.IMPORT]) == (
        Tier.USER,
        Tier.AGENT,
        Tier.DOCUMENT,
    )


def test_an_agent_changes_nothing_that_the_user_said(memory: Memory, texts: Texts) -> None:
    """Without naming a tier at all: what it remembers stands beside, and comes after, what the user
    said.
    """
    said = memory.remember("Ana lives in Rome now", details=USER).item

    assert memory.remember("Ana lives in Rome now").outcome is Outcome.IGNORED
    assert memory.remember("Ana lives in Oslo now").outcome is Outcome.ADDED

    assert kept(memory, said.id).is_open
    assert texts(memory, "Where does Ana live?")[0] == "Ana lives in Rome now"


def test_a_correction_is_the_word_of_who_corrects(memory: Memory, clock: FixedClock) -> None:
    """It raises nothing by itself: an agent's stays an agent's, the user's is the user's from then
    on.
    """
    item = memory.remember("The train leaves at 7:05", details=Details(source=Source.INFERRED)).item
    clock.move(days=1)
    again = memory.correct(item.id, "The train leaves at 7:15").item
    assert (again.source, again.tier) == (Source.TOOL, Tier.AGENT)

    last = memory.correct(again.id, "The train leaves at 7:25", details=USER).item
    assert (last.source, last.tier) == (Source.USER, Tier.USER)


def test_a_lower_tier_corrects_no_higher_one(memory: Memory) -> None:
    """It is refused, and the error says what to do; nothing is changed."""
    said = memory.remember("Ana lives in Rome", details=USER).item
    found = memory.remember("The museum opens at nine").item

    with pytest.raises(Forbidden, match=r"user's word.*Source\.USER"):
        memory.correct(said.id, "Ana lives in Oslo")
    with pytest.raises(Forbidden, match="agent's word"):
        memory.correct(
            found.id, "The museum opens at ten", details=Details(source=Source.DISCOVERY)
        )

    assert kept(memory, said.id) == said
    assert len(memory.history(said.id).changes) == 1
    assert memory.correct(said.id, "Ana lives in Oslo", details=USER).outcome is Outcome.SUPERSEDED


def test_a_correction_names_what_it_rests_on(memory: Memory) -> None:
    """Source turns, a quote and other details; what is not told stays as it was; a turn that is not
    there is refused.
    """
    memory.ingest([Message(text="We moved to Oslo in May")], Scope(user="ana", session="s"))
    item = memory.remember(
        "Ana lives in Rome", details=Details(domain="home", confidence=0.4, metadata={"a": 1})
    ).item

    resting = Details(
        source=Source.USER,
        source_turns=(turn_of("s", 0),),
        quote="moved to Oslo",
        metadata={"b": 2},
    )
    new = memory.correct(item.id, "Ana lives in Oslo", details=resting).item

    assert (new.source_turns, new.quote, new.domain, new.confidence) == (
        (turn_of("s", 0),),
        "moved to Oslo",
        "home",
        0.4,
    )
    assert new.metadata == {"a": 1, "b": 2}
    assert [turn.text for turn in memory.items.sources(new.id, around=0)] == [
        "We moved to Oslo in May"
    ]
    with pytest.raises(NotFound):
        memory.correct(
            new.id,
            "Ana lives in Bergen",
            details=Details(source=Source.USER, source_turns=(turn_of("s", 9),)),
        )


FREE = {
    "pinned": True,
    "reminded_at": "now",
    "tags": ["home"],
    "domain": "living",
    "metadata": {"seen": True},
}
GUARDED: dict[str, Any] = {
    "muted": True,
    "sensitive": True,
    "category": "note",
    "context": "work",
    "confidence": 0.1,
    "due_at": "2026-12-01T00:00:00Z",
    "expires_at": "2026-12-01T00:00:00Z",
    "valid_from": "2024-12-01T00:00:00Z",
    "valid_until": "2030-12-01T00:00:00Z",
}


def test_every_attribute_is_either_filing_or_guarded() -> None:
    """A new one has to be put on one of the two lists."""
    assert sorted([*FREE, *GUARDED]) == sorted(EDITABLE)


@pytest.mark.parametrize("name", GUARDED)
def test_an_agent_edits_nothing_of_what_the_user_said_that_changes_its_weight(
    name: str, memory: Memory
) -> None:
    """Whether it is heard, when it holds and what it counts as: the error says how to speak for the
    user, and then it is done.
    """
    said = memory.remember("Ana lives in Rome", details=USER).item

    with pytest.raises(Forbidden, match=rf"user's word.*{name}.*tier=Tier\.USER"):
        memory.items.edit(said.id, None, **cast(Any, {name: GUARDED[name]}))

    assert kept(memory, said.id) == said
    assert len(memory.history(said.id).changes) == 1
    assert (
        memory.acting(Because(actor="ana", tier=Tier.USER)).items.edit(
            said.id, None, **cast(Any, {name: GUARDED[name]})
        )
        != said
    )


def test_an_agent_files_what_the_user_said(memory: Memory) -> None:
    """Pin, tags and the like say nothing else of the world; nor does feedback, which is a count;
    the same value again is no change.
    """
    said = memory.remember("Ana lives in Rome", details=USER).item

    assert memory.items.edit(said.id, None, **cast(Any, FREE), muted=False).pinned
    assert not memory.items.pin(said.id, pinned=False).pinned
    assert memory.items.feedback(said.id, helpful=False).harmful == 1


def test_a_documents_word_edits_no_agents(memory: Memory) -> None:
    """The tiers are a ladder; an equal or higher one is free to edit."""
    found = memory.remember("The museum opens at nine").item
    read = memory.acting(Because(actor="crawler", tier=Tier.DOCUMENT))

    with pytest.raises(Forbidden, match="agent's word"):
        read.items.edit(found.id, muted=True)
    assert memory.items.edit(found.id, muted=True).muted


def test_an_agent_reopens_nothing_that_the_user_closed(memory: Memory, clock: FixedClock) -> None:
    """By stating something else, though that is closed itself by now, or by taking it back."""
    user = memory.acting(Because(actor="ana", tier=Tier.USER))
    rome = memory.remember("Ana lives in Rome").item
    clock.move(days=1)
    oslo = memory.correct(rome.id, "Ana lives in Oslo", details=USER).item
    clock.move(days=1)
    memory.correct(oslo.id, "Ana lives in Bergen", details=USER)
    museum = memory.remember("The museum opens at nine").item
    user.undo(memory.history(museum.id).changes[0].id)

    for id in (rome.id, museum.id):
        with pytest.raises(Forbidden, match=r"tier=Tier\.USER"):
            memory.items.reopen(id)
        assert not kept(memory, id).is_open

    assert user.items.reopen(museum.id).is_open


def test_an_agent_reopens_what_an_agent_closed(memory: Memory) -> None:
    """Of its own tier."""
    museum = memory.remember("The museum opens at nine").item
    memory.undo(memory.history(museum.id).changes[0].id)

    assert memory.items.reopen(museum.id).is_open


def test_an_agent_takes_back_nothing_of_what_the_user_said(
    memory: Memory, clock: FixedClock
) -> None:
    """Undoing is a change like others; what an agent filed itself it may take back."""
    said = memory.remember("Ana lives in Rome", details=USER).item
    clock.move(days=1)
    memory.items.pin(said.id)
    added, pinned = (change.id for change in memory.history(said.id).changes)

    memory.undo(pinned)
    with pytest.raises(Forbidden, match=r"tier=Tier\.USER"):
        memory.undo(added)

    assert kept(memory, said.id).is_open
    assert not kept(memory, said.id).pinned
    assert memory.acting(Because(tier=Tier.USER)).undo(added)
    assert not kept(memory, said.id).is_open


def test_forgetting_is_refused_to_nobody(memory: Memory) -> None:
    """Erasing is no statement about the world: whoever may see it may have it erased."""
    said = memory.remember("Ana lives in Rome", details=USER).item

    assert memory.forget(said.id).erased["items"] == 1


@pytest.mark.parametrize("tier", Tier)
def test_no_number_of_feedbacks_moves_an_item_out_of_its_tier(memory: Memory, tier: Tier) -> None:
    """Twenty of them, either way, by an agent."""
    low, high = BANDS[tier]
    item = memory.remember("Ana lives in Rome", details=Details(tier=tier, confidence=high)).item

    for _ in range(20):
        last = memory.items.feedback(item.id, helpful=False)
    assert last.confidence == low
    for _ in range(20):
        last = memory.items.feedback(item.id, helpful=True)
    assert last.confidence == high


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("source", [Source.TOOL, Source.USER])
def test_an_item_without_a_given_confidence_is_no_surer_than_its_tier(
    memory: Memory, source: Source, tier: Tier
) -> None:
    """A document's word is not as sure as an agent's, whoever hands it in."""
    _, high = BANDS[tier]
    item = memory.remember("The lake is warm", details=Details(source=source, tier=tier)).item

    assert item.confidence <= high


@given(
    confidence=st.floats(0, 1),
    wanted=st.floats(-1, 2),
    tier=st.sampled_from(Tier),
    unconfirmed=st.booleans(),
)
def test_a_confidence_never_moves_against_its_direction_nor_out_of_its_band(
    confidence: float, wanted: float, tier: Tier, unconfirmed: bool
) -> None:
    """One that was given beyond the band stays, or moves back in."""
    low, high = BANDS[tier]
    moved = within_band(confidence, wanted, tier, unconfirmed=unconfirmed)

    assert (moved - confidence) * (wanted - confidence) >= 0
    assert min(low, confidence) <= moved <= max(high, confidence)
    assert moved <= max(UNCONFIRMED_MOST, confidence) or not unconfirmed


def test_an_unconfirmed_item_gets_no_surer(memory: Memory) -> None:
    """Not before what it rests on holds again."""
    base = memory.remember("Ana lives in Rome").item
    above = memory.remember(
        "Ana speaks Italian", details=Details(bases=(base.id,), confidence=0.35)
    ).item
    memory.undo(memory.history(base.id).changes[0].id)
    assert kept(memory, above.id).unconfirmed_at is not None

    assert memory.items.feedback(above.id, helpful=True).confidence == 0.3
    memory.items.reopen(base.id)
    assert kept(memory, above.id).confidence == 0.35
    assert memory.items.feedback(above.id, helpful=True).confidence == pytest.approx(0.4)


def test_being_recalled_makes_a_document_no_surer(memory: Memory) -> None:
    """It counts as a use, and as nothing else."""
    details = Details(source=Source.DISCOVERY)
    item = memory.remember("Ana lives in Rome", details=details).item
    for _ in range(30):
        memory.recall("Where does Ana live?")
    memory.stats()

    told = kept(memory, item.id)
    assert (told.uses, told.confidence) == (30, item.confidence)


def test_upkeep_closes_nothing_that_the_user_said_for_being_unused(
    open_memory: OpenMemory, clock: FixedClock
) -> None:
    """However much was said against it, and however long ago that was."""
    memory = open_memory(teaching=Teaching(retention=Retention(prune_after=timedelta(days=90))))
    said = memory.remember("Ana lives in Rome", details=USER).item
    for _ in range(20):
        memory.items.feedback(said.id, helpful=False)
    for _ in range(30):
        clock.move(days=31)
        memory.admin.tidy()

    assert kept(memory, said.id).is_open
