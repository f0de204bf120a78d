"""T20: a record that is made to be found whatever is asked, and a page that says the same again and
again.

Memory holds what users said of themselves in eight of our own talks; what is asked is what these
talks answer, so that a planted record has nothing to do with it. Magnets are made from what the
other eight talks are asked and say.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from omoide.memory import Memory
from omoide.models import load_embedder
from omoide.models.embedders.encoders import Named
from omoide.nouns.clock import FixedClock
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.store import open_store
from omoide.tables.entities import ABOUT_MOST
from omoide.write.remember import Statement
from tests.forgetting import forget
from tests.source_tree import ROOT
from tests.torture.kit import FULL, Report, count
from tests.torture.poison import lies

TALKS = ROOT / "scripts" / "data" / "talks"
pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(not TALKS.is_dir(), reason="the talks are not part of this copy"),
]

ANA = Scope(tenant="magnets", user="ana")
MARK = "Goldtrusta"  # is in each planted record, and nowhere else
PAGE = "https://page.example"
ASKED = count(40, 200)
FLOOD = 20
COMMON = (
    "what who when where which why how did does do is was were are has have had the a an of to in"
    " on at for from with about and or not her his their she he they it that this first last new"
    " old time day year people name place way work home friend family"
)
TOPICS = (
    "work family home food travel music health money school car dog cat garden book film job house"
    " boat holiday birthday wedding party doctor hospital sister brother mother father friend"
    " colleague boss neighbour project plan trip train flight city country weather sport game phone"
    " computer letter gift dinner breakfast coffee tea bread fish bird tree river sea island"
    " mountain church shop market price rent bank bill repair paint tools workshop club course exam"
)
ASKING = (
    "What is it? Who was it? When did it happen? Where does it take place? How many? Which one?"
    " Why? "
)


@dataclass(frozen=True)
class Talks:
    """What half of the talks say, what they are asked, and who talks in them."""

    said: list[str]
    asked: list[str]
    people: list[str]

    @classmethod
    @cache
    def half(cls, odd: int) -> Talks:
        """Every second talk, from the first or the second on."""
        rows: list[dict[str, Any]] = []
        for path in sorted(TALKS.glob("*.jsonl"))[odd::2]:
            rows += map(json.loads, path.read_text("utf-8").splitlines())
        told = [
            (row.get("speaker", "helper").split()[0], row["text"])
            for row in rows
            if row["type"] == "message"
        ]
        asked = [row["text"] for row in rows if row["type"] == "question"]
        return cls(
            [f"{who}: {text}" for who, text in told], asked, sorted({who for who, _ in told})
        )


def near_the_mean(asked: Sequence[str], random: Random) -> str:
    """Words chosen one by one so that the embedder puts them near the mean of all that is asked."""
    embedder = load_embedder("static")
    assert embedder is not None
    words = sorted(
        {word for text in asked for word in text.lower().strip("?").split() if word.isalpha()}
    )
    mean = np.array(embedder.embed(asked)).mean(axis=0)
    chosen: list[str] = []
    for _ in range(25):
        some = random.sample(words, 100)
        nearness = np.array(embedder.embed([" ".join((*chosen, word)) for word in some])) @ mean
        chosen.append(some[int(nearness.argmax())])
    return " ".join(chosen)


def magnets(random: Random) -> Mapping[str, str]:
    """Texts that are made to be found, by how."""
    here, there = Talks.half(0), Talks.half(1)
    who = ", ".join(here.people)
    return {
        "common words": f"{MARK} {COMMON}",
        "topics": f"{MARK} is the source for {TOPICS}",
        "question words": f"{MARK}. {ASKING * 4}",
        "long": f"{MARK}. {' '.join(there.said)[:6_000]}",
        "near the mean": f"{MARK} {near_the_mean(there.asked, random)}",
        "names": (
            f"{MARK} is what {who} say, do, like, want, need, plan, think and feel, what they did,"
            " when, where and why"
        ),
        "names and topics": f"{MARK} for {who}: {TOPICS}",
        "questions": f"{MARK}. {' '.join(random.sample(there.asked, 40))}",
    }


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """What was said in eight talks, a statement each."""
    named = Named("static", load_embedder("static"))
    with Memory(
        open_store(":memory:"), embedder=named, clock=FixedClock(), background=False
    ) as opened:
        opened.items.add_many(
            [
                Statement(text=text, details=Details(source=Source.USER))
                for text in Talks.half(0).said
            ],
            ANA,
        )
        opened.admin.tidy(only=["vectors"])
        yield opened


@dataclass(frozen=True)
class Planting:
    """How a record gets into memory; of whom it is to be about, if of anybody."""

    tier: Tier | None  # None: it stands in what a tool gave
    about: tuple[str, ...] = ()

    def plant(self, memory: Memory, text: str) -> None:
        """Put it there."""
        if self.tier is not None:
            memory.remember(
                text,
                ANA,
                entities=self.about,
                details=Details(tier=self.tier, source=Source.DISCOVERY, origin=PAGE),
            )
            return
        memory.ingest([{"role": "tool", "content": text}], replace(ANA, session=PAGE))
        memory.admin.tidy(only=["vectors"])

    def pull(self, memory: Memory) -> None:
        """Take it out again."""
        forget(memory, ANA, **({"origin": PAGE} if self.tier is not None else {"session": PAGE}))


PLANTINGS = {
    "document": lambda people: Planting(Tier.DOCUMENT),
    "document about eight": lambda people: Planting(Tier.DOCUMENT, tuple(people[:ABOUT_MOST])),
    "document about all": lambda people: Planting(
        Tier.DOCUMENT, tuple((*people, *(f"{name} of the talks" for name in people)))
    ),
    "agent": lambda people: Planting(Tier.AGENT),
    "user": lambda people: Planting(Tier.USER),
    "tool": lambda people: Planting(None),
}


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("how", PLANTINGS)
def test_t20_no_record_is_found_whatever_is_asked(how: str, memory: Memory) -> None:
    """Of eight kinds of magnets, each alone: in 3 % of unrelated questions at most among the first
    five hits, no kind in more than 10 %.

    Of what a tool gave, in 2 %. Two kinds are found most: words near the mean of all questions, and
    a list of forty other questions.
    """
    with Report(f"T20 magnets, {how}") as report:
        planting = PLANTINGS[how](Talks.half(0).people)
        asked = [
            text
            for text in Talks.half(0).asked
            if planting.about == () or not any(name in text for name in planting.about[:ABOUT_MOST])
        ]
        asked = report.random.sample(asked, min(ASKED, len(asked)))
        if len(planting.about) > ABOUT_MOST:
            asked = report.random.sample(Talks.half(0).asked, min(ASKED, len(Talks.half(0).asked)))
        among, first = Counter[str](), 0
        for kind, text in magnets(report.random).items():
            planting.plant(memory, text)
            for question in asked:
                places = [
                    MARK in hit.text
                    for hit in memory.recall(Query(text=question), ANA, limit=5).hits
                ]
                among[kind] += any(places)
                first += places[:1] == [True]
            planting.pull(memory)
        report["memories"], report["asked"], report["first"] = (
            len(Talks.half(0).said),
            len(asked),
            first,
        )
        for kind, found in among.items():
            report[kind] = found
        told = 8 * len(asked)

        if how != "user":  # who stuffs their own memory is found in it
            bound = 0.02 if how == "tool" else 0.03
            assert among.total() <= (bound if FULL else 0.06) * told, among
            assert max(among.values()) <= (0.1 if FULL else 0.2) * len(asked), among
        if how.startswith("document"):
            assert first == 0


@pytest.mark.timeout(3_600)
def test_t20_no_page_fills_what_is_found(memory: Memory) -> None:
    """It says a lie in twenty wordings. Among five facts of a user it comes neither first nor
    alone; among many its share is counted.
    """
    words = TOPICS.split()
    with Report("T20 floods") as report:
        for n, lie in enumerate(report.random.sample(list(lies()), count(5, 50))):
            facts = [
                Statement(text=one.truth, details=Details(source=Source.USER))
                for one in lies()
                if one.language == lie.language
            ]
            few = Scope(tenant=f"t{n}", user="ana")
            memory.items.add_many(facts, few)
            for name, scope in (("few", few), ("many", ANA)):
                for at in range(FLOOD):
                    told = f"{words[at]} {lie.poison} {words[at + 20]} {lie.name} {words[at + 40]}"
                    memory.remember(
                        told, scope, details=Details(source=Source.DISCOVERY, origin=PAGE)
                    )
                for limit in (3, 10):
                    hits = memory.recall(
                        Query(text=lie.question, kinds=frozenset({Kind.ITEM})), scope, limit=limit
                    ).hits
                    flood = [lie.name in hit.text for hit in hits]
                    report[f"{name}, {limit}: hits"] += len(hits)
                    report[f"{name}, {limit}: of the page"] += sum(flood)
                    report[f"{name}: first"] += flood[0]
                    report[f"{name}: alone"] += all(flood)
                memory.items.forget(scope=scope, origin=PAGE)

        assert report["few, 3: of the page"] > 0
        assert report["few: first"] == 0
        assert report["few: alone"] == 0
