"""T20: what is clean and true is learnt, whoever says it, as far as a set-up learns from them; what
waits all the same is counted.

A sound model notes each sentence as it was said, quoting it. Users' words are learnt in every
set-up; those of assistants, tools and documents only where memory learns from all, and the last two
never by themselves where it is strict: that is what strict means.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from omoide.learning.report import Fate
from omoide.models.chat.base import Ask, Purpose
from omoide.models.chat.scripted import Script
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.kind import Kind
from omoide.nouns.query import Query
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from omoide.write.proposals import Mode
from omoide.write.remember import Statement
from tests.source_tree import ROOT
from tests.torture.kit import Report, count
from tests.torture.poison import CLEAN, lies
from tests.torture.victims import LINE, SENTENCE, SETTINGS, Setting, Victim, learning

TALKS = ROOT / "scripts" / "data" / "talks"
WAITS = {Mode.AUTO: 0.005, Mode.UNTRUSTED: 0.02}  # of what may be learnt, the most that waits
ROLES = {"user": Tier.USER, "assistant": Tier.AGENT, "tool": Tier.DOCUMENT, "system": Tier.DOCUMENT}
LEARNT = (Fate.ADDED, Fate.SUPERSEDED, Fate.REINFORCED, Fate.IGNORED)


def each_sentence(ask: Ask) -> dict[str, object]:
    """Every sentence once, as who said it said it."""
    said = [
        text.strip()
        for _, line in LINE.findall(ask.text)
        for text in SENTENCE.findall(line)
        if text.strip()
    ]
    return {
        "items": [
            {"text": text, "quote": text, "turn": n, "category": "fact"}
            for n, text in enumerate(said, start=1)
        ]
    }


SOUND: Script = {Purpose.EXTRACT: each_sentence, Purpose.DECIDE: lambda ask: {"decisions": []}}


def learnt_by(setting: Setting, role: str) -> bool:
    """Whether what they say is learnt by itself in a set-up."""
    return role == "user" or (
        setting.learn_from == "all"
        and (setting.review is Mode.AUTO or ROLES[role] is not Tier.DOCUMENT)
    )


@pytest.mark.torture
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(
    "setting", [pytest.param(setting, id=setting.name) for setting in SETTINGS]
)
def test_t20_what_is_clean_is_learnt(setting: Setting, store_url: str) -> None:
    """Of users' own statements and of what assistants, tools and documents say in ten languages:
    who said it, what waits, what is found.
    """
    said = [(lie, "user", lie.truth) for lie in lies()]
    said += [
        (lie, role, text)
        for lie in list(lies())[::5]
        for role, texts in CLEAN[lie.language].items()
        for text in texts
    ]
    with (
        Report(f"T20 benign, {setting.name}") as report,
        learning(setting, store_url, SOUND) as memory,
    ):
        found: Counter[str] = Counter()
        for n, (lie, role, text) in enumerate(said):
            victim = Victim(memory=memory, lie=lie, tenant=f"t{n}")
            done = victim.say(
                "0", *([("user", lie.question)] if role != "user" else []), (role, text)
            )
            fates = [
                one
                for extraction in done
                for one in extraction.considered
                if one.text and one.text in text
            ]
            items = memory.items.list(Listing(sensitive=None), victim.scope()).items
            found[f"{role}: said"] += 1
            found[f"{role}: waits"] += any(one.fate is Fate.WAITING for one in fates)
            found[f"{role}: learnt"] += any(one.fate in LEARNT for one in fates)
            found[f"{role}: in another's name"] += any(item.tier != ROLES[role] for item in items)
            query = Query(text=text, kinds=frozenset({Kind.ITEM}))
            found[f"{role}: found"] += any(
                hit.text in text for hit in memory.recall(query, victim.scope(), limit=10).hits
            )
        for name, total in sorted(found.items()):
            report[name] = total

        for role in ROLES:
            count = found[f"{role}: said"]
            assert found[f"{role}: in another's name"] == 0
            if learnt_by(setting, role):
                assert found[f"{role}: waits"] <= WAITS[setting.review] * count, found
                assert found[f"{role}: learnt"] >= 0.98 * count, found
                assert found[f"{role}: found"] >= 0.98 * count, found
            else:
                assert found[f"{role}: learnt"] == 0, found


@pytest.mark.torture
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not TALKS.is_dir(), reason="the talks are not part of this copy")
def test_t20_what_is_clean_is_found_whoever_said_it() -> None:
    """Statements of our own talks: where it is chance whose word each is, as many answers are among
    ten hits as where all is the user's.
    """
    told = {Tier.USER: Source.USER, Tier.AGENT: Source.INFERRED, Tier.DOCUMENT: Source.IMPORT}
    with (
        Report("T20 recall of what is clean") as report,
        learning(SETTINGS[0], ":memory:", SOUND) as memory,
    ):
        for path in sorted(TALKS.glob("*.jsonl"))[: count(2, 16)]:
            rows = list(map(json.loads, path.read_text("utf-8").splitlines()))
            said = {
                row["id"]: f"{row.get('speaker', 'helper')}: {row['text']}"
                for row in rows
                if row["type"] == "message"
            }
            for name, tiers in (("of the user", [Tier.USER]), ("by chance", list(Tier))):
                scope, sources = (
                    Scope(tenant=name, user=path.stem),
                    [told[report.random.choice(tiers)] for _ in said],
                )
                statements = zip(said.values(), sources, strict=True)
                memory.items.add_many(
                    [
                        Statement(text=text, details=Details(source=source))
                        for text, source in statements
                    ],
                    scope,
                )
                for row in rows:
                    answers = {said[id] for id in row.get("gold", ()) if id in said}
                    if row["type"] == "question" and answers:
                        hits = {
                            hit.text
                            for hit in memory.recall(Query(text=row["text"]), scope, limit=10).hits
                        }
                        report[f"{name}: answers"] += len(answers)
                        report[f"{name}: found"] += len(answers & hits)

        assert report["of the user: answers"] > 50
        assert (
            report["of the user: found"] - report["by chance: found"]
            <= 0.01 * report["of the user: answers"] + 1
        )
