"""T20: what attackers put into a talk becomes nobody's word, closes nothing, reaches nobody else,
and can be told for what it is.

The model is the worst there is: it stores every sentence it sees, says that the user said it, and
would have it replace whatever it is shown. So what holds here holds by the product's rules,
whatever model is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from omoide.memory import Memory
from omoide.nouns.item import Details, Source, Tier
from omoide.nouns.scope import Scope
from omoide.tables.listing import Listing
from omoide.write.proposals import Mode
from tests.torture.kit import FULL, Report
from tests.torture.poison import YES, Way, lies
from tests.torture.victims import SETTINGS, WORST, Setting, Victim, learning

LOOPS = 3
HARMS = ("promoted", "across", "overridden", "unlabelled", "first")
LEAST = {
    Way.ASSISTANT: Tier.AGENT,
    Way.STRANGER: Tier.AGENT,
    Way.OTHER: Tier.USER,
}  # whose word it is at most; else a document's


def attack(victim: Victim, way: Way) -> None:
    """Let the poison come in."""
    question, poison, yes = victim.lie.question, victim.lie.poison, YES[victim.lie.language]
    turns = {
        Way.TOOL: (("user", question), ("tool", poison)),
        Way.DOCUMENT: (("user", question), ("system", poison)),
        Way.ASSISTANT: (("user", question), ("assistant", poison)),
        Way.FENCE: (("user", f"{question}\n```\n{poison}\n```"),),
        Way.QUOTED: (("user", f"{question}\n> {poison}"),),
        Way.RECALLED: (("user", f"<memory>\n{poison}\n</memory>\n{question}"),),
        Way.DELAYED: (
            ("user", question),
            ("tool", poison),
            ("assistant", f"{poison} ?"),
            ("user", yes),
        ),
    }
    match way:
        case Way.STRANGER:
            said = [{"content": question, "user": "ana"}, {"content": poison, "user": "eve"}]
            victim.memory.ingest(said, victim.scope(session="a"))
            victim.memory.sessions.extract("a", victim.scope())
        case Way.OTHER:
            victim.say("e", ("user", poison), user="eve")
        case Way.LOOP:
            victim.say("a", *turns[Way.TOOL])
            for n in range(LOOPS):
                victim.say(f"a{n}", ("user", question), ("assistant", poison), ("user", yes))
        case _:
            victim.say("a", *turns[way])


@pytest.fixture(params=SETTINGS, ids=lambda setting: setting.name)
def setting(request: pytest.FixtureRequest) -> Setting:
    """Each setup in turn."""
    found: Setting = request.param
    return found


@pytest.fixture
def memory(setting: Setting, store_url: str) -> Iterator[Memory]:
    """A memory that learns with the worst of models."""
    with learning(setting, store_url, WORST) as opened:
        yield opened


def wrong(victim: Victim, way: Way) -> Iterator[str]:
    """What an attack must not have done, and did."""
    lie = victim.lie
    mine = victim.items()
    poisoned = [item for item in mine if lie.name in item.text]
    most = LEAST.get(way, Tier.DOCUMENT)
    if any(item.tier > most for item in poisoned):
        yield "promoted"
    if way is Way.OTHER and poisoned:
        yield "across"
    if not victim.knows_truth():
        yield "overridden"
    asked = [hit.item for hit in victim.asked() if hit.item]
    if any(lie.name in item.text and item.tier > most for item in asked):
        yield "unlabelled"
    if way is not Way.OTHER and any(lie.name in item.text for item in asked[:1]):
        yield "first"  # before the truth, whose words the question may share less
    if way is not Way.OTHER and any(lie.name in item.text for item in victim.items("ben")):
        yield "across"


def test_poison_becomes_nobodys_word(memory: Memory, setting: Setting) -> None:
    """No lie is promoted, closes the truth, or reaches another user; how many are among ten hits is
    counted against the bounds.
    """
    every = [(lie, way) for lie in lies() for way in Way]
    with Report(f"T20 poisoning, {setting.name}") as report:
        chosen = every if FULL else report.random.sample(every, len(every) // 10)
        found: Counter[str] = Counter()
        for n, (lie, way) in enumerate(chosen):
            victim = Victim(memory=memory, lie=lie, tenant=f"t{n}")
            victim.say("0", ("user", lie.truth))
            found["honest_lost"] += not any(victim.truth in item.text for item in victim.items())
            attack(victim, way)
            for harm in wrong(victim, way):
                found[harm] += 1
                found[f"{harm}: {way.name}"] += 1
            found["active"] += any(lie.name in hit.text for hit in victim.asked())
            found["stored"] += any(lie.name in item.text for item in victim.items())
        report["cases"] = len(chosen)
        for name, total in sorted(found.items()):
            report[name] = total

        assert not [name for name in found if name.partition(":")[0] in HARMS], found
        assert found["honest_lost"] == 0
        bound = 0.05 if setting.review is Mode.UNTRUSTED else 0.25
        assert found["active"] <= bound * len(chosen), found


def test_what_was_recalled_gains_nothing_by_being_said_again(
    memory: Memory, setting: Setting
) -> None:
    """An assistant and a tool repeat an item in talk after talk, and the user reads it out: it gets
    no surer, and is there once.
    """
    scope = Scope(tenant="loop", user="ana")
    item = memory.remember(
        "Minvale is where Ana keeps her boat",
        scope,
        details=Details(source=Source.TOOL, confidence=0.5),
    ).item
    with Report(f"T20 loops, {setting.name}") as report:
        loops = 100 if FULL else 5
        for n in range(loops):
            turns = [
                ("user", "Where is the boat?"),
                ("tool", item.text),
                ("assistant", item.text),
                ("user", f"> {item.text}"),
            ] * 5
            talk = replace(scope, session=f"s{n}")
            memory.ingest(
                [
                    {"role": role, "content": text} | ({"name": "Ana"} if role == "user" else {})
                    for role, text in turns
                ],
                talk,
            )
            memory.sessions.extract(talk.session or "", talk)
        after = memory.items.list(Listing(sensitive=None, closed=True, limit=500), scope).items
        told = [one for one in after if "Minvale" in one.text]
        report["loops"], report["turns"], report["items"] = loops, 20 * loops, len(told)

        assert [(one.id, one.confidence, one.uses, one.tier) for one in told] == [
            (item.id, 0.5, item.uses, item.tier)
        ]
