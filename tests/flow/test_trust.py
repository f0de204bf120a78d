"""Whose word an item is: by its source unless told, and who may correct whom."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from omoide.clock import FixedClock
from omoide.errors import Forbidden, NotFound
from omoide.memory import Memory
from omoide.records import TIER, Details, Item, Message, Scope, Source, Tier
from omoide.write.remember import Outcome

Texts = Callable[..., list[str]]
USER = Details(source=Source.USER)


def kept(memory: Memory, id: str) -> Item:
    """An item as it stands."""
    item = memory.get(id)
    assert isinstance(item, Item)
    return item


@pytest.mark.parametrize("source", Source)
def test_a_source_says_whose_word_it_is(source: Source, memory: Memory) -> None:
    """Unless a tier is named; what is remembered without details comes from an agent's tool, and is the agent's word."""
    assert memory.remember("Ana lives in Rome", details=Details(source=source)).item.tier is TIER[source]
    assert memory.remember("Ben sells boats", details=Details(source=source, tier=Tier.DOCUMENT)).item.tier is Tier.DOCUMENT
    assert memory.remember("Cy mends bicycles").item.tier is Tier.AGENT
    assert (TIER[Source.USER], TIER[Source.TOOL], TIER[Source.IMPORT]) == (Tier.USER, Tier.AGENT, Tier.DOCUMENT)


def test_an_agent_changes_nothing_that_the_user_said(memory: Memory, texts: Texts) -> None:
    """Without naming a tier at all: what it remembers stands beside, and comes after, what the user said."""
    said = memory.remember("Ana lives in Rome now", details=USER).item

    assert memory.remember("Ana lives in Rome now").outcome is Outcome.IGNORED
    assert memory.remember("Ana lives in Oslo now").outcome is Outcome.ADDED

    assert kept(memory, said.id).is_open
    assert texts(memory, "Where does Ana live?")[0] == "Ana lives in Rome now"


def test_a_correction_is_the_word_of_who_corrects(memory: Memory, clock: FixedClock) -> None:
    """It raises nothing by itself: an agent's stays an agent's, the user's is the user's from then on."""
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
        memory.correct(found.id, "The museum opens at ten", details=Details(source=Source.DISCOVERY))

    assert kept(memory, said.id) == said
    assert len(memory.history(said.id).changes) == 1
    assert memory.correct(said.id, "Ana lives in Oslo", details=USER).outcome is Outcome.SUPERSEDED


def test_a_correction_names_what_it_rests_on(memory: Memory) -> None:
    """Source turns, a quote and other details; what is not told stays as it was; a turn that is not there is refused."""
    memory.ingest([Message(text="We moved to Oslo in May")], Scope(user="ana", session="s"))
    item = memory.remember("Ana lives in Rome", details=Details(domain="home", confidence=0.4, metadata={"a": 1})).item

    resting = Details(source=Source.USER, source_turns=("s#0",), quote="moved to Oslo", metadata={"b": 2})  # type: ignore[arg-type]
    new = memory.correct(item.id, "Ana lives in Oslo", details=resting).item

    assert (new.source_turns, new.quote, new.domain, new.confidence) == (("s#0",), "moved to Oslo", "home", 0.4)
    assert new.metadata == {"a": 1, "b": 2}
    assert [turn.text for turn in memory.sources(new.id, around=0)] == ["We moved to Oslo in May"]
    with pytest.raises(NotFound):
        memory.correct(new.id, "Ana lives in Bergen", details=Details(source=Source.USER, source_turns=("s#9",)))  # type: ignore[arg-type]
